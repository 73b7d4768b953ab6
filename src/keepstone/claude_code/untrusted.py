"""Tells which words of the assistant may come from untrusted content: text that anyone may have written and the
assistant has read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import islice

from ..lib.limits import COMPARED_PAIRS
from ..lib.pattern import Pattern
from ..lib.text import clean, words
from ..shell.own_calls import SERVERS
from ..shell.parse import commands, program
from .observation import SHELLS

FROM_OUTSIDE = "said after reading from the web"
READ_OUT = "stands like this in what was read"
UNSEEN = "what its session had read can't be seen"

# Tools that return untrusted content, by the start of their names.
OUTSIDE = ("WebFetch", "WebSearch", "mcp__", "ReadMcpResource", "ListMcpResources")
# A sub-agent's conversation is in another file: what it has read is unknown.
AGENTS = (
    "Task",
    "Agent",
    "TaskOutput",
    "AgentOutput",
    "AgentOutputTool",
)
EDITOR = "mcp__ide__"  # the client's own server, which reports on the user's files
# Programs that fetch, programs that run others, and subcommands of code hosts that bring text from others.
_FETCHERS = frozenset("curl wget wget2 aria2c lynx w3m links elinks http https xh invoke-webrequest iwr irm nc".split())
QUOTED_RUNNERS = frozenset("xargs find busybox su watch time parallel script docker podman kubectl".split())
_FORGES = frozenset(("gh", "glab"))
_READS_OF_FORGES = frozenset("api browse checks clone diff download list note search view".split())
_INTERPRETERS = ("python", "node", "ruby", "perl", "deno", "bun", "php")
_CODE = frozenset(("-c", "-e", "-r", "-p", "--eval", "eval"))  # pass code to an interpreter
_NET = Pattern(r"\burl(?:lib|open)|\brequests?\b|\bhttpx?\b|https?://|\bfetch\b|\bsocket", re.IGNORECASE)
_VALUED = frozenset("-H -X -d -o -u -A -m -b -e -F -w --header --request --data --output --user --max-time".split())
_HERE_DOCUMENT = Pattern(r"<<-?\s*['\"]?\w")
_NAMED = Pattern(r"(?<![\w./-])(?:" + "|".join(sorted(_FETCHERS)) + r")\s+\S")
_HERE = Pattern(  # addresses on this machine are the user's own
    r"(?:https?://)?(?:[^/@\s]*@)?(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1\])(?::\d+)?(?:[/?#].*)?",
    re.IGNORECASE | re.DOTALL,
)
_SUBSTITUTES = Pattern(r"\$\(|`|[<>]\(")
_SHELL_NAMES = frozenset("sh bash dash zsh ash ksh eval".split())
# Colours and line numbers that tools add to a text they show.
_FRAME = Pattern(r"\x1b\[[0-9;?]*[A-Za-z]|^[ \t]*\d+(?:→|\t|[:|-] ?)", re.MULTILINE)
_UNREAD = (".pdf",)  # files whose text is not in the tool result
_DEPTH = 3  # levels of commands within arguments that are checked
_MOST = 20  # substitutions per line that are checked
_ASKED = 2_000  # words of a prompt in which an order to store something is searched
QUOTED_RUN = 5  # words in a row that two texts share if one quotes the other
_SHORTEST = 3  # a quotation has at least this many words
_QUOTED = 0.6  # a text is a quotation if this share of its runs is in the text that was read


def reads_outside(tool: str, command: str = "", files: Iterable[str] = ()) -> bool:
    """Tells whether a tool call brings untrusted content, or content that cannot be compared."""
    if tool in SHELLS:
        return fetches(command)
    if tool == "Read":
        return any(file.lower().endswith(_UNREAD) for file in files)
    return tool in AGENTS or (tool.startswith(OUTSIDE) and not tool.startswith((*SERVERS, EDITOR)))


def fetches(line: str, depth: int = _DEPTH) -> bool:
    """Tells whether any command of a shell line fetches from another machine, also in substitutions and in commands
    passed as arguments.
    """
    if _HERE_DOCUMENT.search(line) and _NAMED.search(line):
        return True
    rests = (line[found.end() :].replace('"', " ") for found in islice(_SUBSTITUTES.finditer(line), _MOST))
    return any(_is_fetch(one.started, depth) for text in (line, *rests) for one in commands(text))


def _is_fetch(run: Sequence[str], depth: int) -> bool:
    name = _name(run[0]) if run else ""
    told = [word for word in run[1:] if not word.startswith("-")]
    if name in _SHELL_NAMES or name in QUOTED_RUNNERS:
        inner = any(fetches(word, depth - 1) for word in (*told, " ".join(told))) if depth else True
        return inner or (name in QUOTED_RUNNERS and any(_name(word) in _FETCHERS for word in told))
    if name in _FORGES:
        return not _READS_OF_FORGES.isdisjoint(told[:2])
    if name.startswith(_INTERPRETERS):
        return not _CODE.isdisjoint(run) and bool(_NET.search(" ".join(run)))
    return name in _FETCHERS and not _is_here(run[1:])


def _name(word: str) -> str:
    return program(word).replace("\\", "").lower().removesuffix(".exe")


def _is_here(given: Sequence[str]) -> bool:
    """Tells whether all addresses that a command fetches are on this machine. Also true if there are none."""
    places = [word.partition("=")[2] if word.startswith("--") else word for word in given if "://" in word]
    before = ("", *given)
    places += [word for last, word in zip(before, given, strict=False) if word[:1] != "-" and last not in _VALUED]
    return all(_HERE.fullmatch(place) for place in places)


def is_told(text: str, asked: str) -> bool:
    """Tells whether most words of a text are in the user's request, in the same order."""
    said, order = words(text), words(asked)[:_ASKED]
    # in long texts, frequent words are ignored: otherwise the time grows with the cube of the length
    many = len(said) * len(order) > COMPARED_PAIRS
    blocks = SequenceMatcher(None, order, said, autojunk=many).get_matching_blocks()
    return bool(said) and sum(block.size for block in blocks) >= _QUOTED * len(said)


def is_quoted(texts: Sequence[str], read: Iterable[str]) -> bool:
    """Tells whether most of one of the texts is, word for word, in one of those that were read. A short text counts as
    a whole; one of two words never counts.
    """
    said = [found for text in texts if len(found := words(clean(text))) >= _SHORTEST]
    known = [(one, _runs(one, min(QUOTED_RUN, len(one)))) for one in said]
    return any(_quotes(one, runs, text) for text in read for one, runs in known)


def _quotes(said: Sequence[str], runs: set[tuple[str, ...]], read: str) -> bool:
    if not _may_hold(read, said):
        return False
    plain = clean(_FRAME.sub("", read))  # cleaned as memories are
    return len(runs & _runs(words(plain), min(QUOTED_RUN, len(said)))) >= _QUOTED * len(runs)


def _may_hold(read: str, said: Sequence[str]) -> bool:
    """Tells whether enough of the words are in a text for it to be quoted. This spares splitting most results."""
    plain = clean(read).lower()
    return sum(word in plain for word in said) >= _QUOTED * len(said)


def _runs(found: Sequence[str], size: int) -> set[tuple[str, ...]]:
    return {tuple(found[at : at + size]) for at in range(len(found) - size + 1)}
