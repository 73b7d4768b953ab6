"""Tells a compaction's summary to keep what the session decided. Hot module."""

from __future__ import annotations

from ..lib.fast_json import dump
from ..model import render
from ..model.memory import RULES, kinds_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .moment import Moment

KEEP_CHARS = 600  # characters of the whole instruction
KEEP_ROWS = 12  # decisions that are considered
KEPT_CHARS = 160  # characters of each decision


def at_compaction(moment: Moment) -> str:
    """Returns an instruction for the summary, of at most KEEP_CHARS characters. Returns "" if nothing was decided."""
    kinds = [kind for group in sorted(RULES) for kind in kinds_of(group)]
    rows = moment.store.decided(moment.session, dump(kinds), KEEP_ROWS, moment.now)
    kept = [render.kept_line(memory, KEPT_CHARS) for memory in rows if not memory.outdated]
    while kept and len(render.keep(kept)) > KEEP_CHARS:
        kept.pop()
    return render.keep(kept) if kept else ""
