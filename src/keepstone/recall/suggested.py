"""Asks a session's model about suggestions: few, in two lines, each once a session. Hot module."""

from __future__ import annotations

from ..lib.text import clip, tokens
from ..model.render import escape
from ..model.suggestion import ASKED_IN_SESSION, short_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model.suggestion import Suggested

ASK_TOKENS = 200  # tokens of both lines
SESSION_TOKENS = 300  # tokens of all that one session is asked
ASK_CHARS = 160  # characters of one suggestion: a sentence

_OPENING = "Maybe worth remembering (say nothing of it): "
_CLOSING = (
    "\nFor what will still hold in later sessions: keepstone keep {} 'one self-contained sentence'. Ignore the rest.\n"
)


def ask(suggested: Suggested) -> tuple[str, list[str]]:
    """Returns the lines that ask about as many suggestions as fit, and their ids."""
    asked = suggested.asked
    times = {at for _, _, at in asked}
    spent = sum(tokens(_lines([(one, text) for one, text, its in asked if its == at])) for at in times)
    chosen = list(suggested.waiting[: max(0, ASKED_IN_SESSION - len(asked))])
    while chosen:
        lines = _lines(chosen)
        if tokens(lines) <= min(ASK_TOKENS, SESSION_TOKENS - spent):
            return lines, [one for one, _ in chosen]
        chosen.pop()
    return "", []


def _lines(chosen: Sequence[tuple[str, str]]) -> str:
    said = "; ".join(short_id(one) + ' "' + _words(text) + '"' for one, text in chosen)
    return _OPENING + said + _CLOSING.format(short_id(chosen[0][0]))


def _words(text: str) -> str:
    """Returns a user's words in one line that ends at no quotation mark of their own."""
    return clip(escape(text).replace('"', "'"), ASK_CHARS)
