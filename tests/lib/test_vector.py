"""Vectors as bytes: as alike as they were."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepstone.lib.vector import LENGTH, cosines, packed, unit, unpacked

VALUES = st.lists(st.floats(-10, 10), min_size=8, max_size=8).filter(lambda values: any(abs(v) > 0.1 for v in values))


@given(VALUES, VALUES)
def test_packing_keeps_the_cosine_to_a_hundredth(one, other):
    asked, kept = unit(one), unit(other)
    exact = sum(a * b for a, b in zip(asked, kept, strict=True))
    assert cosines(asked, [packed(kept)]) == [pytest.approx(exact, abs=0.02)]
    assert cosines(kept, [packed(kept)]) == [pytest.approx(1, abs=0.001)]
    assert len(packed(kept)) == LENGTH.size + 8


LONG = st.lists(st.integers(-127, 127), min_size=300, max_size=300).filter(any)


@given(LONG, LONG)
def test_the_cosine_of_what_was_packed_is_exact(one, other):
    asked, kept = unit(one), packed(other)
    exact = sum(a * b for a, b in zip(asked, unpacked(kept), strict=True))
    assert cosines(asked, [kept, kept]) == [pytest.approx(exact, abs=1e-6)] * 2


def test_what_points_nowhere_is_no_vector():
    assert unit([0.0, 0.0]) is None and unit([3.0, 4.0]) == [0.6, 0.8]
