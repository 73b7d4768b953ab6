"""Which words of the assistant's may be the words of others: what it has read that anybody may have written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from .commandline import commands, program
from .observation import SHELLS
from .own import SERVERS
from .text import words

FROM_OUTSIDE = "said after reading from the web"
READ_OUT = "stands like this in what was read"

# Tools whose results anybody may have written, by the name's start.
OUTSIDE = ("WebFetch", "WebSearch", "mcp__", "ReadMcpResource", "ListMcpResources")
AGENTS = ("Task", "Agent")  # a sub-agent's conversation is a file of its own: what it has read is not known
# Programs that fetch, and those of a forge's command that bring nothing that others have written.
_FETCHERS = frozenset("curl wget wget2 aria2c lynx w3m links elinks http https xh invoke-webrequest iwr irm".split())
_FORGES = frozenset(("gh", "glab"))
_OWN_OF_FORGES = frozenset("auth alias completion config extension gpg-key help secret ssh-key variable".split())
_HERE = re.compile(  # what runs on this machine is the user's own
    r"(?:https?://)?(?:[^/@\s]*@)?(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1\])(?::\d+)?(?:[/?#].*)?",
    re.IGNORECASE | re.DOTALL,
)
_SUBSTITUTES = re.compile(r"\$\(|`|[<>]\(")
_SHELL_NAMES = frozenset("sh bash dash zsh ash ksh eval".split())
_DEPTH = 3  # of lines that are words of other lines; proposed
_MOST = 20  # substitutions of a line are looked into; proposed
_RUN = 5  # words in a row that two texts have in common when one quotes the other; proposed
_QUOTED = 0.6  # of a text's runs that stand in what was read: more is a quotation; proposed


def reads_outside(tool: str, command: str = "") -> bool:
    """Whether a tool call brings what anybody may have written."""
    if tool in SHELLS:
        return _fetches(command)
    return tool in AGENTS or (tool.startswith(OUTSIDE) and not tool.startswith(SERVERS))


def _fetches(line: str, depth: int = _DEPTH) -> bool:
    """Whether any command of a shell line fetches from another machine, also in what it substitutes."""
    rests = (line[found.end() :].replace('"', " ") for found in islice(_SUBSTITUTES.finditer(line), _MOST))
    return any(_is_fetch(one.started, depth) for text in (line, *rests) for one in commands(text))


def _is_fetch(run: Sequence[str], depth: int) -> bool:
    name = _name(run[0]) if run else ""
    told = [word for word in run[1:] if not word.startswith("-")]
    if name in _SHELL_NAMES:
        return depth > 0 and any(_fetches(word, depth - 1) for word in (*told, " ".join(told)))
    if name == "xargs":
        return any(_name(word) in _FETCHERS for word in told)
    if name in _FORGES:
        return bool(told) and told[0] not in _OWN_OF_FORGES
    return name in _FETCHERS and bool(told) and not _is_here(told)


def _name(word: str) -> str:
    return program(word).strip("\\").lower().removesuffix(".exe")


def _is_here(told: Sequence[str]) -> bool:
    """Whether all that a command names as addresses is this machine."""
    addresses = [word for word in told if "://" in word or _HERE.fullmatch(word)]
    return bool(addresses) and all(_HERE.fullmatch(word) for word in addresses)


def is_quoted(text: str, read: Iterable[str]) -> bool:
    """Whether most of a text stands, word for word, in one of those that were read. One of few words never does."""
    said = words(text)
    runs = _runs(said)
    return bool(runs) and any(
        len(runs & _runs(words(one))) >= _QUOTED * len(runs) for one in read if _may_hold(one, said)
    )


def _may_hold(read: str, said: Sequence[str]) -> bool:
    """Whether so many of the words stand in a text that it may be quoted: most results need not be taken apart."""
    plain = read.lower()
    return sum(word in plain for word in said) >= _QUOTED * len(said)


def _runs(found: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(found[at : at + _RUN]) for at in range(len(found) - _RUN + 1)}
