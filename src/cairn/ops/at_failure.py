"""What cured a failure before: by the same error, or by the words that the error and a solution share. Hot module."""

from __future__ import annotations

from ..core import render
from ..core.defaults import FAILURE_CHARS, FAILURE_LIMIT, FAILURE_LINES, FAILURE_SESSION_CHARS, FAILURE_SURE
from ..core.failure import signatures, telling_lines
from .at_prompt import likely
from .moment import Recalled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.model import StoredMemory
    from .find import Lens
    from .moment import Moment

CURES = frozenset(("solution", "fact", "pattern"))  # the groups that may hold one


def at_failure(moment: Moment, output: str, lens: Lens | None, rarity: Callable[[str], float]) -> Recalled:
    """The memories that cured what a failed command printed."""
    if moment.is_spent(FAILURE_SESSION_CHARS):
        return Recalled()
    found = _same(moment, output) or _alike(moment, output, lens, rarity)
    chosen = moment.untold(found)[:FAILURE_LIMIT]
    lines = moment.lines(chosen, FAILURE_CHARS)
    text = render.notes(lines, "what helped with this error before") if lines else ""
    shown = zip([memory.id for memory in chosen], map(len, lines))  # noqa: B905  strict= is younger than Python 3.9
    return Recalled(text, shown)


def _same(moment: Moment, output: str) -> list[StoredMemory]:
    matches = moment.matches()
    known = signatures(output)
    if not known:
        return []
    matches.by_facets(known, ("error",))
    found = matches.taken(FAILURE_LIMIT + len(moment.shown) + 10)
    return sorted(found, key=lambda memory: (memory.outdated, -memory.confidence, -memory.relevance, -memory.seq))


def _alike(moment: Moment, output: str, lens: Lens | None, rarity: Callable[[str], float]) -> list[StoredMemory]:
    text = "\n".join(telling_lines(output)[:FAILURE_LINES])
    if not text:
        return []
    ranked = likely(moment, text, lens, rarity)
    return [memory for memory, chance in ranked if chance >= FAILURE_SURE and memory.group in CURES]
