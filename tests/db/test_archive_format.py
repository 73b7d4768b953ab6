"""The lines of an export: what is written is read again, and garbage is named in words or moved to its range."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepstone.db.archive_format import ArchiveHead, Column, end_line, head_line, parsed, read_head, read_row, row_line

TABLES = {
    "thing": (
        Column("seq", int, True),
        Column("name", str, False),
        Column("note", str, True),
        Column("relevance", float, False),
        Column("made_at", float, True),
        Column("place", int, False, 0),
    )
}
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def test_the_first_line_says_what_it_is():
    head = read_head(parsed(head_line(3, "0.1.0", "2026-11-22T12:00:00Z")), 3)
    assert head == ArchiveHead(3, "0.1.0", "2026-11-22T12:00:00Z")
    assert parsed(end_line(7)) == {"end": 7}


@given(
    st.integers(0, 10**15),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.none() | st.text(st.characters(exclude_categories=["Cs"])),
    st.floats(0, 1),
    st.floats(0, 1e11),
)
def test_a_row_comes_back_as_it_was(seq, name, note, relevance, at):
    row = {"seq": seq, "name": name, "note": note, "relevance": relevance, "made_at": at, "place": -1}
    line = row_line("thing", row)
    assert line.count("\n") == 1 and line.isascii()
    assert read_row(parsed(line), TABLES) == ("thing", row)


@given(ANY)
def test_no_line_surprises(value):
    try:
        read_head(parsed(json.dumps(value)), 3)
    except ValueError as problem:
        assert str(problem)


@given(st.dictionaries(st.sampled_from([column.name for column in TABLES["thing"]]), ANY))
def test_a_row_is_fit_or_refused(row):
    try:
        _, made = read_row({"table": "thing", "row": row}, TABLES)
    except ValueError as problem:
        assert str(problem)
        return
    for column in TABLES["thing"]:
        value = made[column.name]
        assert (value is None and column.nullable) or type(value) is column.type
    assert 0 <= made["relevance"] <= 1


@pytest.mark.parametrize("text", ["", "{", "[]", "nul", "[" * 100_000, '"x"'])
def test_what_is_no_object_is_said(text):
    with pytest.raises(ValueError, match="no JSON"):
        parsed(text)
