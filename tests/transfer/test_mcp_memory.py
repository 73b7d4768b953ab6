"""The lines of the official MCP memory server."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from keepstone.transfer.mcp_memory import read

WORDS = st.none() | st.integers() | st.text() | st.lists(st.text() | st.integers())


def test_an_entity_gives_a_fact_an_observation_of_its_own_kind_where_that_is_ours():
    line = {"type": "entity", "name": "Billing", "entityType": "Decision", "observations": ["PostgreSQL", " "]}
    (one,) = read(json.dumps(line))
    assert (one.content, one.kind, one.tags) == ("Billing: PostgreSQL", "decision", ("Billing", "Decision"))
    assert list(read(json.dumps({**line, "observations": []}))) == []


def test_the_same_observation_of_another_entity_is_another_memory():
    keys = {
        one.key
        for name in ("a", "b")
        for one in read(json.dumps({"type": "entity", "name": name, "entityType": "x", "observations": ["y", "z"]}))
    }
    assert len(keys) == 4


@given(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["entity", "relation", "x"])},
        optional={key: WORDS for key in ("name", "entityType", "observations", "from", "to", "relationType")},
    )
)
@example({"type": "relation", "from": "\u200b", "relationType": "_", "to": "\u200b"})
def test_no_line_surprises(value):
    try:
        found = list(read(json.dumps(value)))
    except ValueError as problem:
        assert str(problem)
    else:
        assert all(one.content.strip() for one in found)


def test_what_is_no_json_is_said():
    with pytest.raises(ValueError, match="no JSON"):
        list(read("entity"))
