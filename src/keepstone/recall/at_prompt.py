"""Recalls the memories that are likely to help with a prompt: few, short, and for most prompts none. Hot module."""

from __future__ import annotations

from ..lib.spelling import meant
from ..lib.text import head_and_tail, title_and_content
from ..model import render
from ..model.memory import RULES
from .find import find, forms
from .moment import Recalled
from .relevance import PromptFeatures, stem, terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model.memory import StoredMemory
    from .find import Lens
    from .match_sql import Matches
    from .moment import Moment

PROMPT_LIMIT = 3  # memories for one prompt
PROMPT_CHARS = 400  # characters for one prompt, with the fence
PROMPT_SESSION_CHARS = 2_000  # characters for all prompts of a session
PROMPT_LOOK_CHARS = 1_500  # characters of a prompt that are read, from both ends: a longer one shows its topic there
PROMPT_TERMS = 16  # words of a prompt that are searched for, the rarest
PROMPT_CONSIDERED = 12  # best search results that are judged
PROMPT_SURE = 0.45  # the least probability of helping, 0..1; one in a hundred unrelated development prompts reaches it
FOCUS_LOW = 0.05  # the least probability, 0..1, for a memory to enter the session's focus
AREA_PENALTY = 0.5  # factor on the probability of a memory from another area of a monorepo
TYPO_LETTERS = 4  # a shorter word is not corrected
TYPO_WORDS = 3  # misspelt words that are corrected in one prompt: each costs a fraction of a millisecond
FOCUS_FED = 5  # memories that one prompt adds to the focus


def at_prompt(moment: Moment, prompt: str, lens: Lens | None, rarity: Callable[[str], float]) -> Recalled:
    """Returns the memories that are likely to help with a prompt. `rarity` returns how rare a word is in
    general, 0..1.
    """
    text = prompt.strip()
    if text.startswith(("/", "<")) or moment.is_spent(PROMPT_SESSION_CHARS):
        return Recalled()
    ranked = likely(moment, head_and_tail(text, PROMPT_LOOK_CHARS), lens, rarity)
    sure = [memory for memory, chance in ranked if chance >= PROMPT_SURE]
    recalled = _told(moment, moment.accompanied(moment.untold(sure)[:PROMPT_LIMIT])[:PROMPT_LIMIT])
    recalled.focus = [(memory.id, chance) for memory, chance in ranked[:FOCUS_FED] if chance >= FOCUS_LOW]
    return recalled


def likely(
    moment: Moment, text: str, lens: Lens | None, rarity: Callable[[str], float]
) -> list[tuple[StoredMemory, float]]:
    """Returns memories with the probability, 0..1, that each helps with a text, the likeliest first."""
    asked, found = considered(moment, text, lens, rarity)
    elsewhere = moment.elsewhere([memory for memory, _ in found])
    judged = []
    for memory, cosine in found:
        chance = asked.likely(title_and_content(memory.title, memory.content), cosine, memory.group in RULES)
        judged.append((memory, chance * (AREA_PENALTY if memory.id in elsewhere else 1.0)))
    return sorted(judged, key=lambda pair: (-pair[1], pair[0].outdated, -pair[0].relevance, -pair[0].seq))


def considered(
    moment: Moment, text: str, lens: Lens | None, rarity: Callable[[str], float]
) -> tuple[PromptFeatures, list[tuple[StoredMemory, float]]]:
    """Returns a text's features, and the memories that it may be about, each with the cosine of their vectors."""
    matches = moment.matches()
    rare = sorted(terms(text).items(), key=lambda pair: -rarity(pair[1]))[:PROMPT_TERMS]
    found = {key: word for key, word in terms(text).items() if (key, word) in rare}
    found = _corrected(matches, found, rarity)
    asked = PromptFeatures(found, rarity, lambda word: matches.frequency(forms(word)), matches.total())
    hits = find(matches, " ".join(found.values()), PROMPT_CONSIDERED, lens) if found else []
    return asked, [(memory, one.cosine or 0.0) for memory, one in hits]


def _corrected(matches: Matches, found: dict[str, str], rarity: Callable[[str], float]) -> dict[str, str]:
    """Returns the words with typing errors corrected. A rare word that no memory contains may be a typing error."""
    odd = [key for key, word in found.items() if len(word) >= TYPO_LETTERS and rarity(word) == 1.0]
    unknown = [key for key in odd if not matches.frequency(forms(found[key]))]
    fixed = {}
    for key in unknown[:TYPO_WORDS]:
        word = meant(found[key], matches.vocabulary(found[key][:2]))
        if word:
            fixed[key] = word
    return {stem(fixed[key]) if key in fixed else key: fixed.get(key, word) for key, word in found.items()}


def _told(moment: Moment, chosen: list[StoredMemory]) -> Recalled:
    """Returns the text of as many chosen memories as fit."""
    while chosen:
        room = (PROMPT_CHARS - len(render.notes([]))) // len(chosen) - len("- \n")
        lines = moment.lines(chosen, room)
        text = render.notes(lines)
        if len(text) <= PROMPT_CHARS and (len(chosen) == 1 or room >= render.LINE_CHARS_MIN):
            return Recalled(text, zip([memory.id for memory in chosen], map(len, lines)))  # noqa: B905
        chosen = chosen[:-1]
    return Recalled()
