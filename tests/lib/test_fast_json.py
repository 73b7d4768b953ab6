"""JSON without the json module: the same values, the same refusals."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepstone.lib import fast_json
from support import ROOT

values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
)


@given(values)
def test_what_json_writes_is_read_and_the_other_way_round(value):
    assert fast_json.parse(json.dumps(value)) == value
    assert json.loads(fast_json.dump(value)) == value


@given(st.text())
def test_text_is_a_document_or_a_value_error(text):
    try:
        expected = json.loads(text, strict=False)
    except ValueError:
        with pytest.raises(ValueError):
            fast_json.parse(text)
    else:
        assert fast_json.parse(text) == expected or expected != expected


@pytest.mark.parametrize("text", ["", "{", '{"a":1} x', "[" * 100_000, "{'a': 1}", '{"a"}'])
def test_what_is_no_document_is_refused(text):
    with pytest.raises(ValueError):
        fast_json.parse(text)


def test_only_json_values_are_written():
    with pytest.raises(TypeError):
        fast_json.dump({"a": object()})


@pytest.mark.parametrize("text", ["{", '{"a"', '{"a":', "[1,", "[", '"a', "nul", "{]", "", " "])
def test_a_torn_document_is_a_value_error_in_a_process_that_never_imported_json(text):
    code = "import sys; sys.path.insert(0, sys.argv[1]); from keepstone.lib.fast_json import parse\n"
    code += "try: parse(sys.argv[2])\nexcept ValueError: print('refused', 'json' in sys.modules)"
    command = [sys.executable, "-I", "-S", "-c", code, str(ROOT / "src"), text]
    assert subprocess.run(command, capture_output=True, text=True).stdout == "refused False\n"
