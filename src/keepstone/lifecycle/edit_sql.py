"""Applies a person's changes to memories: revise, pin, forget, restore, share, undo."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..db.records import MemoryRecord
from ..db.writer import Transaction
from ..language.facets import OF_TEXT, facets
from ..lib.errors import NotFound, StateError
from ..lib.fast_json import dump
from . import add_sql, supersede_sql, tiers_sql, versions_sql
from .undo_sql import Undone, revert_session

# The columns that make a memory's text, those that are kept as a version when they change, and those that decide
# whether it is recalled.
CONTENT_COLUMNS = {"title", "content", "kind", "relevance"}
VERSIONED_COLUMNS = CONTENT_COLUMNS | {"status", "tier"}
RECALL_COLUMNS = {"status", "status_reason", "trust", "scope"}
REVERTIBLE_COLUMNS = {"status", "status_reason", "trust", "origin", "expires_at", "pinned"}  # texts are versions
UNAUDITED_COLUMNS = {"used_at"}  # a change of these alone is not audited
_DELETE_FACETS = """
DELETE FROM memory_facet WHERE memory_id = :id AND facet IN (SELECT value FROM json_each(:facets))
"""

Edit = Callable[[MemoryRecord], None]


def undo(tx: Transaction, session_id: str, now: float) -> Undone:
    """Reverts what a session did to memories. Raises StoreError if there is no room for those that come back."""
    done = revert_session(tx, session_id, now)
    tiers_sql.evict_to_cap(tx, done.revived, now)
    return done


def change(tx: Transaction, memory_id: str, op: str, edit: Edit, now: float, tags: Iterable[str] = ()) -> None:
    """Applies an edit, which sets attributes of the record, to one memory, and adds tags. Keeps the earlier text as a
    version if the text changes, renews the digest, and audits `op`. Audits nothing if nothing changes. Raises NotFound.
    """
    memory = tx.record(MemoryRecord, "WHERE t.id = :id", {"id": memory_id})
    if memory is None:
        raise NotFound(f"there is no memory {memory_id}")
    _change(tx, memory, op, edit, now, tags)


def restore(tx: Transaction, memory_id: str, edit: Edit, now: float) -> None:
    """Applies an edit that brings a memory back, and removes the relationships that supersede it."""
    memory = tx.record(MemoryRecord, "WHERE t.id = :id", {"id": memory_id})
    if memory is None:
        raise NotFound(f"there is no memory {memory_id}")
    after = supersede_sql.current(tx, memory)
    if after is not None and after.id != memory_id:
        raise StateError(f"{memory_id} went into {after.id}", f"keepstone merge --undo {after.id}")
    _change(tx, memory, "restore", edit, now)
    supersede_sql.let_go(tx, memory_id)


def note_shared(tx: Transaction, ids: Iterable[str], now: float) -> None:
    """Audits that a person has shared memories."""
    tiers_sql.audit(tx, "share", [(memory_id, {}) for memory_id in ids], now, tx.actor, tx.session)


def _change(tx: Transaction, memory: MemoryRecord, op: str, edit: Edit, now: float, tags: Iterable[str] = ()) -> None:
    before, sound = memory.but(), versions_sql.is_sound(memory)
    edit(memory)
    values = {name: value for name, value in vars(memory).items() if value != getattr(before, name)}
    changed = set(values) - UNAUDITED_COLUMNS
    changed |= {"tags" for tag in tags if add_sql.add_facet(tx, memory.id, "tag", tag)}
    if changed & CONTENT_COLUMNS:
        tx.written.append(memory.id)
    if "content" in changed:
        _reindex_symbols(tx, memory)
    if changed & VERSIONED_COLUMNS:
        versions_sql.keep_last(tx, before, now, op)
        values["version"] = before.version + 1
    if "content" in changed or (changed & (CONTENT_COLUMNS | RECALL_COLUMNS) and sound):
        versions_sql.sign(tx, memory, now, **values)
    elif values:  # a digest that does not match is left for doctor to find
        tx.change(memory, **values)
    if not changed:
        return
    if before.status != "active":
        tiers_sql.evict_to_cap(tx, [memory.id], now)
    was = {name: getattr(before, name) for name in sorted(changed & REVERTIBLE_COLUMNS)}
    add_sql.audit(tx, op, memory.id, add_sql.by_hand(tx), now, changed=sorted(changed), was=was)


def _reindex_symbols(tx: Transaction, memory: MemoryRecord) -> None:
    """Replaces the symbols and concepts of a text that changed."""
    tx.run(_DELETE_FACETS, {"id": memory.id, "facets": dump(list(OF_TEXT))})
    for facet, value in facets(memory.content):
        add_sql.add_facet(tx, memory.id, facet, value)
