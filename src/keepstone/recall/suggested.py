"""Asks a session's model about suggestions: few, in two lines, each once a session. Hot module."""

from __future__ import annotations

from ..lib.text import clip, tokens
from ..model.render import escape
from ..model.suggestion import short_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

ASK_TOKENS = 200  # tokens of both lines
ASK_CHARS = 160  # characters of one suggestion: a sentence

_OPENING = "Maybe worth remembering (say nothing of it): "
_CLOSING = (
    "\nFor what will still hold in later sessions: keepstone keep {} 'one self-contained sentence'. Ignore the rest.\n"
)


def ask(waiting: Sequence[tuple[str, str]]) -> tuple[str, list[str]]:
    """Returns the lines that ask about as many of these suggestions, each (id, text), as fit, and their ids."""
    chosen = list(waiting)
    while chosen:
        said = "; ".join(short_id(one) + ' "' + _words(text) + '"' for one, text in chosen)
        asked = _OPENING + said + _CLOSING.format(short_id(chosen[0][0]))
        if tokens(asked) <= ASK_TOKENS:
            return asked, [one for one, _ in chosen]
        chosen = chosen[:-1]
    return "", []


def _words(text: str) -> str:
    """Returns a user's words in one line that ends at no quotation mark of their own."""
    return clip(escape(text).replace('"', "'"), ASK_CHARS)
