"""Draws a relationship by hand."""

from __future__ import annotations

from collections.abc import Callable

from ..db.writer import Writer
from ..lib.errors import BadInput, NotFound, StateError
from ..lib.limits import EXCERPT_CHARS
from ..lib.text import clean
from ..lifecycle.edit import why_suspect
from ..model.memory import QUARANTINED, StoredMemory
from ..model.relationship import SUPERSEDES, require_type
from . import write_sql


def draw(
    writer: Writer,
    source: StoredMemory,
    target: StoredMemory,
    type: str,
    notes: str,
    outside: str | None,
    *,
    redact: Callable[[str], str],
    now: float,
) -> bool:
    """Draws a relationship by hand. Returns whether it is new. Raises BadInput, NotFound and StateError."""
    kind, said = require_type(type), redact(clean(notes))
    if source.id == target.id:
        raise BadInput("a memory has no relationship with itself", "keepstone graph relate ID OTHER-ID")
    for one in (source, target):
        if one.trust == QUARANTINED or one.status == "deleted":
            why = "waits for a person's word" if one.trust == QUARANTINED else "is forgotten"
            raise NotFound(
                f"{one.id} {why}", "keepstone review" if one.trust == QUARANTINED else "keepstone restore ID"
            )
    if kind == SUPERSEDES and source.status != "active":
        raise StateError(
            f"{source.id} is {source.status_reason or source.status} itself", f"keepstone restore {source.id}"
        )
    if kind == SUPERSEDES and (source.scope, source.project_id) != (target.scope, target.project_id):
        raise BadInput("only a memory of the same project supersedes one", "--type contradicts says that of others")
    if len(said) > EXCERPT_CHARS:
        raise BadInput(f"notes have at most {EXCERPT_CHARS} characters, these have {len(said)}", "say it shorter")
    if said and (why := why_suspect([said], outside)):
        raise BadInput(f"these notes would have to wait for a person's word: {why}", "relate them without --notes")
    with writer.transaction() as tx:
        return write_sql.relate(tx, source.id, target.id, kind, said, now)
