"""Defines what a server and another machine's copy of its memories exchange, and checks it: either side may
be hostile.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..capture.archive import Said
from ..db.archive_format import read_row
from ..db.records import Column
from ..language.withdrawals import Withdrawal
from ..lib.text import clean
from ..lib.vector import LENGTH
from ..model.candidate import Candidate

MEMORY_ID, PROJECT_ID = re.compile(r"mem-[0-9a-f]{16}"), re.compile(r"prj-[0-9a-f]{16}")
# The tables of a copy besides projects, with the column that names the memory of a row.
OF_MEMORY = {
    "memory": "id",
    "evidence": "memory_id",
    "memory_facet": "memory_id",
    "memory_version": "memory_id",
    "vector": "memory_id",
    "relationship": "source_id",
}
STATE = "read_copy"  # the setting of a copy that describes its state
TEXTS = ("title", "content", "excerpt", "value", "notes")


@dataclass(frozen=True, slots=True)
class CopyChanges:
    """Changes for a copy. `seq` is the number of the store's last change. With `whole`, the copy is made anew;
    otherwise only the memories in `changed` are deleted from it. Then those in `wanted` are copied.
    """

    seq: int
    whole: bool
    changed: list[str]
    wanted: list[str]


@dataclass(frozen=True, slots=True)
class Page:
    """The rows of the first `taken` of the requested memories, by table, in the format of an export."""

    taken: int
    rows: dict[str, list[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class SessionReport:
    """A part of a session, as the machine that ran it reports: candidates, verdicts on the memories that it was shown,
    writes of memory files, records that the conversation has left, what its prompts take back, what was said, and at
    its end the summary.
    """

    candidates: list[Candidate] = field(default_factory=list)
    verdicts: dict[str, str] = field(default_factory=dict)
    notes: list[tuple[str, Candidate]] = field(default_factory=list)
    summary: Candidate | None = None
    ended: bool = False
    left: list[str] = field(default_factory=list)
    unsaid: list[Withdrawal] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)

    def __bool__(self) -> bool:
        is_back = self.left or self.unsaid
        is_told = self.candidates or self.verdicts or self.notes or self.said
        return bool(is_told or self.summary or self.ended or is_back)


def require_ids(changes: CopyChanges, most: int) -> None:
    """Raises ValueError if an id is invalid or repeated, or there are too many."""
    for ids in (changes.changed, changes.wanted):
        if len(ids) > most or len(set(ids)) < len(ids) or not all(map(MEMORY_ID.fullmatch, ids)):
            raise ValueError("no memories' ids")
    if not changes.whole and not set(changes.wanted) <= set(changes.changed):
        raise ValueError("memories that have not changed")


def fit_row(
    table: str,
    given: Mapping[str, Any],
    tables: Mapping[str, tuple[Column, ...]],
    ids: Collection[str],
    projects: Collection[str],
) -> dict[str, Any]:
    """Returns a row of one of the memories `ids`, with every value checked against its column. Raises ValueError if it
    is anything else.
    """
    if table not in OF_MEMORY:
        raise ValueError("a table of no memory's")
    _, row = read_row({"table": table, "row": given}, tables)
    owners = [row[OF_MEMORY[table]], *([row["target_id"]] if table == "relationship" else [])]
    if not any(one in ids for one in owners) or not all(map(MEMORY_ID.fullmatch, owners)):
        raise ValueError(f"a row of {table} that is of no memory asked for")
    if table == "memory" and not _is_held(row, projects):
        raise ValueError("a memory that is not recalled here")
    if table == "vector" and not _is_vector(row):
        raise ValueError("a vector that is none")
    if table == "evidence":
        row["seq"] = None  # numbered by this database
    return {**row, **{name: clean(row[name]) for name in TEXTS if isinstance(row.get(name), str)}}


def _is_held(row: Mapping[str, Any], projects: Collection[str]) -> bool:
    placed = row["project_id"] in projects if row["scope"] == "project" else row["project_id"] is None
    return bool(placed and row["seq"] and row["status"] == "active" and row["trust"] == "trusted")


def _is_vector(row: Mapping[str, Any]) -> bool:
    data = row["data"]
    return 0 < row["dims"] == len(data) - LENGTH.size and bool(0.0 < LENGTH.unpack_from(data)[0] < math.inf)
