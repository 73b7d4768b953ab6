"""Takes in memories that others have shared in a repository."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..context import Context
from ..db.sessions_read import recorded
from ..redaction.redact import redact
from .import_foreign import Imported, ImportTarget, import_foreign
from .open_for_import import open_loader
from .shared_page import SHARED

if TYPE_CHECKING:
    from ..project.identity import Identity
    from .foreign_memory import Foreign


def adopt(context: Context, items: list[Foreign], identity: Identity) -> None:
    """Stores those shared memories that are not known yet. They wait for review."""
    with context.backend.reading(context.database) as reader:
        known = recorded(reader, (f"{SHARED}:{item.key}" for item in items))
    new = [item for item in items if f"{SHARED}:{item.key}" not in known]
    if not new:
        return
    place, done = ImportTarget(identity, identity.root), Imported(identity.root, SHARED)
    with open_loader(context, False) as to:
        given: dict[str, Any] = {"redact": redact, "now": context.clock(), "watch": lambda done: None}
        import_foreign(to, new, done, place, lambda folder: folder, **given)
    context.log(f"shared in {identity.name}: {done.new} new, {done.quarantined} of them wait")
