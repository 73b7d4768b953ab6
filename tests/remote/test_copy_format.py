"""What a copy takes of what it is told."""

from __future__ import annotations

import base64

import pytest

from keepstone.db.records import TABLES
from keepstone.lib.vector import packed
from keepstone.remote.copy_format import CopyChanges, fit_row, require_ids

MINE, OTHER, PROJECT = "mem-" + "a" * 16, "mem-" + "b" * 16, "prj-" + "c" * 16
MEMORY = {
    **{"seq": 7, "id": MINE, "project_id": PROJECT, "scope": "project", "kind": "fact", "tier": "semantic"},
    **{"title": "Deploys need the VPN", "content": "Deploys need the VPN", "relevance": 0.9, "confidence": 0.8},
    **{"origin": "manual", "created_at": 1.0, "updated_at": 1.0, "content_hash": "0" * 32, "row_digest": "0" * 32},
}
EVIDENCE = {
    **{"seq": 3, "memory_id": MINE, "record_uuid": "r", "excerpt": "Deploys need the VPN", "trust": "trusted"},
    **{"method": "manual", "row_digest": "0" * 32, "created_at": 1.0},
}
EDGE = {"source_id": OTHER, "target_id": MINE, "type": "references", "method": "manual", "created_at": 1.0}
VECTOR = {"memory_id": MINE, "model": "m", "dims": 3, "data": base64.b64encode(packed([1.0, 2.0, 3.0])).decode()}


def fit(table, row):
    return fit_row(table, row, TABLES, {MINE}, [PROJECT])


def test_rows_of_a_memory_that_was_asked_for_are_taken():
    assert fit("memory", MEMORY)["content"] == "Deploys need the VPN"
    assert fit("memory", {**MEMORY, "scope": "user", "project_id": None})["scope"] == "user"
    assert fit("evidence", EVIDENCE)["seq"] is None
    assert fit("relationship", EDGE)["target_id"] == MINE
    assert fit("vector", VECTOR)["data"] == packed([1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    "change",
    [
        {"id": OTHER},
        {"seq": None},
        {"seq": "7"},
        {"trust": "quarantined"},
        {"status": "deleted"},
        {"project_id": "prj-" + "d" * 16},
        {"project_id": None},
        {"scope": "user"},
        {"kind": "order"},
        {"content": 7},
        {"content": "x" * 100_000},
        {"content": "\ud800"},
        {"created_at": float("nan")},
        {"content) VALUES (1); DROP TABLE memory; --": "x"},
    ],
)
def test_a_memory_that_is_not_recalled_here_or_no_memory_is_refused(change):
    with pytest.raises(ValueError):
        fit("memory", {**MEMORY, **change})


@pytest.mark.parametrize(
    ("table", "row"),
    [
        ("evidence", {**EVIDENCE, "memory_id": OTHER}),
        ("relationship", {**EDGE, "target_id": OTHER}),
        ("relationship", {**EDGE, "source_id": "x"}),
        ("vector", {**VECTOR, "dims": 2}),
        ("vector", {**VECTOR, "data": base64.b64encode(b"\0" * 7).decode()}),
        ("setting", {"key": "min_reader", "value": "99"}),
        ("session", {"id": "s"}),
        ("memory_facet", {"key": "min_reader", "value": "99"}),
    ],
)
def test_rows_of_others_and_of_other_tables_are_refused(table, row):
    with pytest.raises(ValueError):
        fit(table, row)


def test_what_is_invisible_is_left_out():
    assert fit("memory", {**MEMORY, "content": "Deploys\u202e need\x1b[31m"})["content"] == "Deploys need[31m"


@pytest.mark.parametrize(
    "changes",
    [
        CopyChanges(1, True, [], ["x"]),
        CopyChanges(1, True, [], [MINE, MINE]),
        CopyChanges(1, True, [], [MINE, OTHER, "mem-" + "c" * 16]),
        CopyChanges(1, False, [OTHER], [MINE]),
    ],
)
def test_changes_that_name_no_memories_one_twice_or_too_many_are_refused(changes):
    with pytest.raises(ValueError):
        require_ids(changes, 2)
