"""Recalls what fixed a failure before: by the same error, or by words that the error and a solution share.
Hot module.
"""

from __future__ import annotations

from ..model import render
from ..shell.failure import are_alike, quotes, signatures, telling_lines
from .at_prompt import likely
from .moment import Recalled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model.memory import StoredMemory
    from .find import Lens
    from .moment import Moment

FAILURE_LIMIT = 1  # solutions for one failure
FAILURE_CHARS = 500  # characters of each: a solution is worth the space
FAILURE_SESSION_CHARS = 4_000  # characters for all failures of a session
FAILURE_LINES = 3  # lines of an output that a solution is searched by
FAILURE_SURE = 0.5  # the least probability of helping, as for a prompt; chosen on the development situations

CURES = frozenset(("solution", "fact", "pattern"))  # the groups that may contain a solution


def at_failure(moment: Moment, output: str, lens: Lens | None, rarity: Callable[[str], float]) -> Recalled:
    """Returns the memories that fixed the error in a failed command's output."""
    if moment.is_spent(FAILURE_SESSION_CHARS):
        return Recalled()
    found = _same(moment, output) or _likely(moment, output, lens, rarity)
    chosen = moment.untold(found)[:FAILURE_LIMIT]
    lines = moment.lines(chosen, FAILURE_CHARS)
    text = render.notes(lines, "what helped with this error before") if lines else ""
    shown = zip([memory.id for memory in chosen], map(len, lines))  # noqa: B905  strict= needs Python 3.10
    return Recalled(text, shown)


def _same(moment: Moment, output: str) -> list[StoredMemory]:
    """Returns memories that fixed the same error before. If there are none, returns those of a nearly
    identical error.
    """
    known = signatures(output)
    if not known:
        return []
    matches = moment.matches()
    matches.by_facets(known, ("error",))
    if not matches.found:
        for seq, error in matches.with_facet("error"):
            if any(are_alike(error, one) for one in known):
                matches.at(seq).named = True
    found = matches.taken(FAILURE_LIMIT + len(moment.shown) + 10)
    return sorted(found, key=lambda memory: (memory.outdated, -memory.confidence, -memory.relevance, -memory.seq))


def _likely(moment: Moment, output: str, lens: Lens | None, rarity: Callable[[str], float]) -> list[StoredMemory]:
    """Returns memories that quote the output or are likely to help by their words."""
    text = "\n".join(telling_lines(output)[:FAILURE_LINES])
    if not text:
        return []
    ranked = [pair for pair in likely(moment, text, lens, rarity) if pair[0].group in CURES]
    quoting = [memory for memory, _ in ranked if quotes(memory.content, output)]
    return quoting + [memory for memory, chance in ranked if chance >= FAILURE_SURE and memory not in quoting]
