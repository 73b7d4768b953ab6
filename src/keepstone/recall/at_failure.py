"""What cured a failure before: by the same error, or by the words that the error and a solution share. Hot module."""

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

FAILURE_LIMIT = 1  # solutions at a failure
FAILURE_CHARS = 500  # of each: what cured it is worth its place
FAILURE_SESSION_CHARS = 4_000  # at all of a session's failures
FAILURE_LINES = 3  # of an output by which a solution is looked for
FAILURE_SURE = 0.5  # likely to help, as at a prompt; chosen on the development situations

CURES = frozenset(("solution", "fact", "pattern"))  # the groups that may hold one


def at_failure(moment: Moment, output: str, lens: Lens | None, rarity: Callable[[str], float]) -> Recalled:
    """The memories that cured what a failed command printed."""
    if moment.is_spent(FAILURE_SESSION_CHARS):
        return Recalled()
    found = _same(moment, output) or _likely(moment, output, lens, rarity)
    chosen = moment.untold(found)[:FAILURE_LIMIT]
    lines = moment.lines(chosen, FAILURE_CHARS)
    text = render.notes(lines, "what helped with this error before") if lines else ""
    shown = zip([memory.id for memory in chosen], map(len, lines))  # noqa: B905  strict= is younger than Python 3.9
    return Recalled(text, shown)


def _same(moment: Moment, output: str) -> list[StoredMemory]:
    """What has cured the very error before, else one that reads nearly so."""
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
    """What quotes the output, or is likely to help by its words."""
    text = "\n".join(telling_lines(output)[:FAILURE_LINES])
    if not text:
        return []
    ranked = [pair for pair in likely(moment, text, lens, rarity) if pair[0].group in CURES]
    quoting = [memory for memory, _ in ranked if quotes(memory.content, output)]
    return quoting + [memory for memory, chance in ranked if chance >= FAILURE_SURE and memory not in quoting]
