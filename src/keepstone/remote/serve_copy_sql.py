"""Reads a server's changes and rows for read copies."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..db.engines import is_address
from ..db.reader import Reader
from ..db.records import names
from ..lib.fast_json import dump
from ..lib.limits import COPY_BYTES, COPY_CHANGES, COPY_MEMORIES, COPY_ROWS
from .copy_format import OF_MEMORY, CopyChanges, Page

HELD = """m.status = 'active' AND m.trust = 'trusted'
    AND (m.scope = 'user' OR m.project_id IN (SELECT value FROM json_each(:projects)))"""
LAST = "SELECT coalesce(max(seq), 0) FROM "
CHANGED = "SELECT DISTINCT memory_id, op FROM {} WHERE seq > :seq LIMIT :rows"
# Operations that change only their own memory and no relationship. After any other one, the whole copy is made anew.
SINGLE = frozenset(
    "store reinforce revise pin unpin rate_up rate_down rate_outdated forget restore promote demote confirm trust "
    "expire evict anchor_lost anchor_found landed verify tag capture reject suggest settle".split()
)
ALL = f"SELECT m.id FROM memory m WHERE {HELD} ORDER BY m.created_at DESC LIMIT :rows"
SOME = f"SELECT m.id FROM memory m WHERE {HELD} AND m.id IN (SELECT value FROM json_each(:ids))"
EDGE_COLUMNS = ("source_id", "target_id")
Table = tuple[str, list[str], list[tuple[Any, ...]]]  # name, columns, rows


def changes(reader: Reader, since: int, projects: Sequence[str], whole: bool) -> CopyChanges:
    """Returns the changes since an audit number, for a copy of some projects and of its user's own memories."""
    # Reads the audit of all users, because an erased memory no longer has an owner.
    audit = "keepstone.audit" if is_address(reader.path) else "audit"
    seq = reader.rows(LAST + audit, {})[0][0]
    audited = reader.rows(CHANGED.format(audit), {"seq": since, "rows": COPY_CHANGES + 1})
    changed = sorted({memory_id for memory_id, _ in audited if memory_id})
    single = len(audited) <= COPY_CHANGES and SINGLE.issuperset(op for _, op in audited)
    whole = whole or not single or seq < since  # a lower number: an earlier backup was restored
    values = {"projects": dump(list(projects)), "rows": COPY_MEMORIES, "ids": dump(changed)}
    wanted = reader.rows(ALL if whole else SOME, values)
    return CopyChanges(seq, whole, [] if whole else changed, [row[0] for row in wanted])


def project_rows(reader: Reader, projects: Sequence[str]) -> Iterator[Table]:
    for table, key in (("project", "id"), ("project_key", "project_id")):
        columns = names(table)
        sql = f"SELECT {', '.join(columns)} FROM {table} WHERE {key} IN (SELECT value FROM json_each(:projects))"
        yield table, columns, reader.rows(sql, {"projects": dump(list(projects))})


def rows(reader: Reader, ids: Sequence[str]) -> Iterator[Table]:
    """Yields the rows of memories in batches."""
    for start in range(0, len(ids), COPY_ROWS):
        some = {"ids": dump(list(ids[start : start + COPY_ROWS]))}
        for table, key in OF_MEMORY.items():
            columns = names(table)
            sql = f"SELECT {', '.join(columns)} FROM {table} WHERE {key} IN (SELECT value FROM json_each(:ids))"
            if table == "relationship":
                sql += " OR target_id IN (SELECT value FROM json_each(:ids))"
            yield table, columns, reader.rows(sql, some)


def page(reader: Reader, ids: Sequence[str], projects: Sequence[str]) -> Page:
    """Returns the rows of as many of these memories as fit in one answer, leaving out those that are not recallable."""
    held = _held(reader, ids, projects)
    found: dict[str, list[dict[str, Any]]] = {}
    for table, columns, those in rows(reader, [one for one in ids if one in held]):
        found[table] = [dict(zip(columns, map(_plain, row), strict=True)) for row in those]
    edges = found.get("relationship", [])
    held |= _held(reader, {row[end] for row in edges for end in EDGE_COLUMNS}, projects)
    found["relationship"] = [row for row in edges if held.issuperset(row[end] for end in EDGE_COLUMNS)]
    size = sum(len(str(value)) for those in found.values() for row in those for value in row.values())
    return page(reader, ids[: len(ids) // 2], projects) if size > COPY_BYTES and len(ids) > 1 else Page(len(ids), found)


def _held(reader: Reader, ids: Iterable[str], projects: Sequence[str]) -> set[str]:
    return {row[0] for row in reader.rows(SOME, {"projects": dump(list(projects)), "ids": dump(list(ids))})}


def _plain(value: Any) -> Any:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value
