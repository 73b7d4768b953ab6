"""What a summary of the session must keep: what was decided in it. Hot module."""

from __future__ import annotations

from ..lib.fast_json import dump
from ..model import render
from ..model.memory import RULES, kinds_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .moment import Moment

KEEP_CHARS = 600  # of the decisions that a summary is told to keep
KEEP_ROWS = 12  # of them
KEPT_CHARS = 160  # of each


def at_compaction(moment: Moment) -> str:
    """An instruction for the summary, of at most KEEP_CHARS characters; "" where nothing was decided."""
    kinds = [kind for group in sorted(RULES) for kind in kinds_of(group)]
    rows = moment.store.decided(moment.session, dump(kinds), KEEP_ROWS, moment.now)
    kept = [render.kept_line(memory, KEPT_CHARS) for memory in rows if not memory.outdated]
    while kept and len(render.keep(kept)) > KEEP_CHARS:
        kept.pop()
    return render.keep(kept) if kept else ""
