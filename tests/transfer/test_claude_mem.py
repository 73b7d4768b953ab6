"""claude-mem's rows: what they say, and nothing that a broken one could do."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from keepstone.transfer.claude_mem import TABLES, of_row

VALUES = st.none() | st.integers() | st.floats() | st.text() | st.binary()
COLUMNS = (
    *("title", "subtitle", "narrative", "text", "facts", "type", "concepts", "files_read", "files_modified"),
    *("request", "learned", "notes", "created_at_epoch", "project", "memory_session_id", "content_session_id"),
)


def test_a_row_is_the_same_memory_each_time_and_no_other_ones():
    row = {"title": "T", "memory_session_id": "m", "created_at_epoch": 5, "id": 1}
    first = of_row("observations", row)
    assert first and of_row("observations", {**row, "id": 2}).key == first.key
    for more in ({"title": "U"}, {"memory_session_id": "n"}, {"created_at_epoch": 6}):
        assert of_row("observations", {**row, **more}).key != first.key


def test_times_are_milliseconds_and_once_were_seconds():
    assert of_row("observations", {"title": "T", "created_at_epoch": 1_762_600_000_000}).created_at == 1_762_600_000
    assert of_row("observations", {"title": "T", "created_at_epoch": 1_762_600_000}).created_at == 1_762_600_000
    for odd in (None, 0, -1, "x", True):
        assert of_row("observations", {"title": "T", "created_at_epoch": odd}).created_at is None


def test_empty_rows_are_no_memories():
    assert of_row("observations", {"type": "change", "facts": "[]"}) is None
    assert of_row("session_summaries", {"request": " ", "next_steps": "plans"}) is None


@given(st.sampled_from(TABLES), st.dictionaries(st.sampled_from(COLUMNS), VALUES))
def test_no_row_surprises(table, row):
    made = of_row(table, row)
    assert made is None or made.content.strip()
