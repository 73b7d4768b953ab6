"""Helpers of the namespaces: hits by id, their importance, the scope of a search, edits, and the right to accept."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING

from ..context import Context
from ..db.hits import shown
from ..lib.errors import BadInput
from ..lifecycle.store_request import said_by_user
from ..model.filter import NO_FILTER, Filter
from ..model.hit import Hit
from ..model.memory import QUARANTINED, StoredMemory
from ..model.scope import Scope
from ..model.trust import is_asked_for

if TYPE_CHECKING:
    from ..db.reader import Reader
    from ..db.writer import Writer


def hits_of(context: Context, ids: Iterable[str]) -> list[Hit]:
    """Returns memories by their ids. Counts nothing."""
    with context.reader() as reader:
        return weighed(context, [shown(reader, memory_id) for memory_id in ids])


def whole_ids(context: Context, ids: Iterable[str]) -> list[str]:
    """Returns the whole ids of memories by the beginnings of their ids. Raises BadInput or NotFound."""
    with context.reader() as reader:
        return [reader.get(memory_id).id for memory_id in ids]


def weighed(context: Context, hits: list[Hit]) -> list[Hit]:
    """Sets current importance. Marks expired memories deleted before the expiry job runs."""
    for hit in hits:
        hit.importance = context.policies.importance(hit.memory, context.clock())
        if hit.memory.status == "active" and is_over(context, hit.memory):
            hit.memory.status, hit.memory.status_reason = "deleted", "expired"
    return hits


def is_over(context: Context, memory: StoredMemory) -> bool:
    """Returns whether a memory has expired."""
    return memory.expires_at is not None and memory.expires_at <= context.clock()


def retention(context: Context) -> float:
    """Returns how many days an unused memory is kept."""
    return float(context.settings["retention_days"])


def scope_of(
    context: Context, reader: Reader, kind: str | None = None, everything: bool = False, narrow: Filter = NO_FILTER
) -> Scope:
    """Returns the scope of a search: the caller's project and user scope, or everything."""
    identity = context.caller.identity
    return Scope(reader.project_of(identity), everything, kind, narrow, identity.root if identity else "")


@contextmanager
def writing(context: Context) -> Iterator[Writer]:
    """Opens the database for writing, and completes what was written."""
    from ..recall import complete_memories  # slow to import, and not needed for reading

    with complete_memories.writing(context) as store:
        yield store


def edited(context: Context, memory_id: str, change: Callable[[ModuleType, Writer, str, float], None]) -> Hit:
    """Edits a memory. Returns its new state. `change` is given the module of edits, which only writing loads. Raises
    BadInput if a session's model changes a memory that waits for review.
    """
    require_not_waiting(context, [memory_id])
    return decided(context, memory_id, change)


def decided(context: Context, memory_id: str, change: Callable[[ModuleType, Writer, str, float], None]) -> Hit:
    """Edits a memory as `edited` does, also one that waits for review: the caller has checked who may."""
    from ..lifecycle import edit

    (whole,) = whole_ids(context, [memory_id])
    with writing(context) as to:
        change(edit, to, whole, context.clock())
    return hits_of(context, [whole])[0]


def require_not_waiting(context: Context, ids: Iterable[str]) -> None:
    """Raises BadInput if a session's model changes a memory that waits for review."""
    if not context.caller.by_model:
        return
    for hit in hits_of(context, ids):
        if hit.memory.trust == QUARANTINED:
            says = f"{hit.memory.id} waits for a person's word, and only a person changes it"
            raise BadInput(says, "keepstone store 'the sentence', beside it; the user decides with keepstone review")


def require_word(context: Context, ids: Iterable[str]) -> None:
    """Raises BadInput if a session's model accepts a memory that the user's last message did not name."""
    if not context.caller.by_model:
        return
    said = said_by_user(context)
    for hit in hits_of(context, ids):
        if not is_asked_for("accept", (hit.memory.id, hit.short_id), said):
            says = f"only a person accepts what waits, and the user has not said to accept {hit.short_id}"
            raise BadInput(says, f"let the user say: accept {hit.short_id}; or run keepstone review in a terminal")


def require_asked(context: Context, what: str, names: Sequence[str]) -> None:
    """Raises BadInput if a session's model restores, undoes or rejects what the user's last message did not name."""
    if context.caller.by_model and not is_asked_for(what, names, said_by_user(context)):
        says = f"only a person brings this back or turns it down, and the user has not said to {what} {names[-1]}"
        raise BadInput(says, f"let the user say: {what} {names[-1]}; or type it in a terminal")


def require_file(context: Context, what: str, instead: str) -> None:
    """Raises BadInput for an operation on a database file if the memories are in PostgreSQL."""
    if not context.is_file:
        raise BadInput(f"these memories are in PostgreSQL, which is not {what} by Keepstone", instead)


def backups_of(context: Context) -> str:
    """Returns the folder of the backups of the database."""
    return os.path.join(context.home, "backups")
