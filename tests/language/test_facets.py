"""What a memory is about: the files, symbols and concepts that its text names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepstone.language.facets import facets
from keepstone.lib.limits import FACETS_MAX


def of(facet: str, text: str, files: tuple[str, ...] = ()) -> list[str]:
    return [value for name, value in facets(text, files) if name == facet]


def test_of_a_session_s_files_those_that_are_named_go_along():
    files = ("src/app/clock.py", "src/app/b.py", "/root/conftest.py")
    assert of("file", "The clock in src/app/clock.py is frozen by conftest.py", files) == [files[0], files[2]]
    assert of("file", "The alarm clock rings", files) == [] and of("file", "", files) == []


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("Call `make test` or `just`", ["just"]),
        ("parse_line() drops it", ["parse_line()"]),
        ("np.mean() and useState", ["np.mean()", "useState"]),
        ("max_size is in camelCase and snake_case", ["max_size", "camelCase", "snake_case"]),
        ("Deploys need the VPN", []),
    ],
)
def test_symbols_are_told_by_their_form(text, symbols):
    assert of("symbol", text) == symbols


@pytest.mark.parametrize(
    ("text", "concepts"),
    [
        ("Run pytest before a release", ["testing", "deployment"]),
        ("PostgreSQL migrations run in CI", ["database", "ci"]),
        ("Tests test the tests", ["testing"]),
        ("I like tea", []),
    ],
)
def test_concepts_are_told_by_their_words(text, concepts):
    assert of("concept", text) == concepts


def test_there_are_only_so_many():
    assert len(facets(" ".join(f"some_name_{number}" for number in range(50)))) == FACETS_MAX


@given(st.text(), st.lists(st.text(min_size=1)))
def test_any_text_has_few_and_each_once(text, files):
    found = facets(text, files)
    assert len(found) == len(set(found)) <= FACETS_MAX
