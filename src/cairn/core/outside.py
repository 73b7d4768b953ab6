"""Which words of the assistant's may be the words of others: what it has read that anybody may have written."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .observation import SHELLS
from .text import words

FROM_OUTSIDE = "said after reading from the web"
READ_OUT = "stands like this in what was read"

OUTSIDE = ("WebFetch", "WebSearch", "mcp__")  # tools whose results anybody may have written, by the name's start
# A command that fetches; what runs on this machine is the user's own.
_FETCHES = re.compile(
    r"(?:^|[;&|(`]\s*|\b(?:sudo|time|env)\s+)(?:(?:curl|wget|lynx|w3m|https?|xh|invoke-webrequest|iwr)|"
    r"gh (?:issue|pr|api|release|gist|search|run))\s(?![^;&|\n]*(?:\blocalhost\b|\b127\.0\.0\.1\b|\[::1\]))",
    re.IGNORECASE,
)
_RUN = 5  # words in a row that two texts have in common when one quotes the other; proposed
_QUOTED = 0.6  # of a text's runs that stand in what was read: more is a quotation; proposed


def reads_outside(tool: str, command: str = "") -> bool:
    """Whether a tool call brings what anybody may have written."""
    if tool in SHELLS:
        return bool(_FETCHES.search(command))
    return tool.startswith(OUTSIDE) and not tool.startswith("mcp__cairn")


def is_quoted(text: str, read: Iterable[str]) -> bool:
    """Whether most of a text stands, word for word, in one of those that were read. One of few words never does."""
    runs = _runs(text)
    return bool(runs) and any(len(runs & _runs(one)) >= _QUOTED * len(runs) for one in read)


def _runs(text: str) -> set[tuple[str, ...]]:
    found = words(text)
    return {tuple(found[at : at + _RUN]) for at in range(len(found) - _RUN + 1)}
