"""Tells which words of the assistant may come from untrusted content: text that anyone may have written and the
assistant has read.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from html import unescape
from itertools import islice

from ..language.which_language import language_of
from ..lib.limits import COMPARED_PAIRS
from ..lib.pattern import Pattern
from ..lib.text import clean, words
from ..model.trust import as_it_looks
from ..shell.own_calls import SERVERS
from ..shell.parse import commands, program
from .observation import SHELLS
from .programs import BY_ADDRESS, ELSEWHERE, FETCHERS, FORGES, LOCAL, OTHERS_BRANCHES, QUOTED_RUNNERS, READS_OF_FORGES

FROM_OUTSIDE = "said after reading from the web"
READ_OUT = "stands like this in what was read"
TRANSLATED = "may be a translation of what was read"
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
_INTERPRETER = Pattern(r"(?:python|pypy|node|ruby|perl|deno|bun|php)[\d.]*")
_CODE = frozenset(("-c", "-lc", "-ec", "-e", "-r", "-p", "--eval", "eval"))  # pass code to an interpreter
_NET = Pattern(r"\burl(?:lib|open)|\brequests?\b|\bhttpx?\b|https?://|\bfetch\b|\bsocket", re.IGNORECASE)
_VALUED = frozenset("-H -X -d -o -u -A -m -b -e -F -w --header --request --data --output --user --max-time".split())
_HERE_DOCUMENT = Pattern(r"<<-?\s*['\"]?\w")
_NAMED = Pattern(r"(?<![\w./-])(?:" + "|".join(map(re.escape, sorted(FETCHERS))) + r")\s+\S")
_HERE = Pattern(  # addresses on this machine are the user's own
    r"(?:https?://)?(?:[^/@\s]*@)?(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1\])(?::\d+)?(?:[/?#].*)?",
    re.IGNORECASE | re.DOTALL,
)
_SUBSTITUTES = Pattern(r"\$\(|`|[<>]\(")
_GIT_FETCHES = (["remote", "update"], ["remote", "show"], ["archive", "--remote"])
_SHELL_NAMES = frozenset("sh bash dash zsh ash ksh eval".split())
# Colours and line numbers that tools add to a text they show.
_FRAME = Pattern(r"\x1b\[[0-9;?]*[A-Za-z]|^[ \t]*\d+(?:→|\t|[:|-] ?)", re.MULTILINE)
_UNREAD = (".pdf",)  # files whose text is not in the tool result
_DEPTH = 3  # levels of commands within arguments that are checked
_MOST = 20  # substitutions per line that are checked
_ASKED = 2_000  # words of a prompt in which an order to store something is searched
QUOTED_RUN = 5  # words in a row that two texts share if one quotes the other
_SHORTEST = 3  # a quotation has at least this many words
_PIECE = 3  # words in a row of which a text consists that was read in pieces
_PIECED = 0.65  # a text was read in pieces if this share of them is in the texts that were read
_ENCODED = Pattern(r"[A-Za-z0-9+/_-]{24,}={0,2}")
_QUOTED = 0.6  # a text is a quotation if this share of its runs is in the text that was read


def reads_outside(tool: str, command: str = "", files: Iterable[str] = ()) -> bool:
    """Tells whether a tool call brings untrusted content, or content that cannot be compared."""
    if tool in SHELLS:
        return brings_outside(command)
    if tool == "Read":
        return any(file.lower().endswith(_UNREAD) for file in files)
    return tool in AGENTS or (tool.startswith(OUTSIDE) and not tool.startswith((*SERVERS, EDITOR)))


def brings_outside(line: str) -> bool:
    """Tells whether a shell line may print what comes from elsewhere: whether any of its commands fetches, or is not
    known to work on this machine alone.
    """
    return fetches(line) or not all(_is_local(one.started) for one in commands(line))


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
        if inner or (name in QUOTED_RUNNERS and any(_name(word) in FETCHERS for word in told)):
            return True
    if name in FORGES:
        return not READS_OF_FORGES.isdisjoint(told[:2])
    if _is_interpreter(name):
        return not _CODE.isdisjoint(run) and bool(_NET.search(" ".join(run)))
    if name in ELSEWHERE:
        told = told[1:] if {"-C", "-c"} & set(run[1:2]) else told
        ways = told[:2] if told[:1] == ["compose"] else told[:1]
        return not set(ELSEWHERE[name]).isdisjoint(ways) or (name == "git" and _is_others(run))
    return name in FETCHERS and not (name in BY_ADDRESS and _is_here(run[1:]))


def _is_others(run: Sequence[str]) -> bool:
    """Tells whether a git command shows what others have pushed, or fetches it."""
    return any(mark in word for word in run[1:] for mark in OTHERS_BRANCHES) or list(run[1:3]) in _GIT_FETCHES


def _is_local(run: Sequence[str]) -> bool:
    """Tells whether a program is known to work on this machine alone, apart from what `_is_fetch` knows of it."""
    name = _name(run[0]) if run else ""
    if name in _SHELL_NAMES or _is_interpreter(name):
        told = [word for word in run[1:] if not word.startswith("-")]
        return not told or not _CODE.isdisjoint(run) or _name(told[0]) in LOCAL  # a script may do anything
    if not any(map(str.isalnum, name)):
        return True  # a torn piece of shell syntax starts nothing
    return name in LOCAL or name in ELSEWHERE or name in QUOTED_RUNNERS or name in FORGES or name in FETCHERS


def _is_interpreter(name: str) -> bool:
    return bool(_INTERPRETER.fullmatch(name)) and name not in ELSEWHERE  # bun is a package manager too


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
    """Tells whether most of one of the texts is, word for word, in one of those that were read, or in all of them
    together. A short text counts as a whole; one of two words never counts.
    """
    said = [_Said(found) for text in texts if len(found := words(_bare(text))) >= _SHORTEST]
    return bool(said) and any(one.is_in(text) for text in map(_bare, read) for one in said)


class _Said:
    """The words of a text, and which of them were read so far."""

    def __init__(self, said: Sequence[str]) -> None:
        self.said = said
        self.runs = _runs(said, min(QUOTED_RUN, len(said)))
        self.size = 2 if len(said) <= 2 * _PIECE else _PIECE
        self.pieces = _runs(said, self.size)
        self.met: set[tuple[str, ...]] = set()

    def is_in(self, read: str) -> bool:
        """Tells whether the text is a quotation, with one more text that was read."""
        here = {word for word in self.said if word in read}  # this spares splitting most results
        if len(here) < 2:
            return False
        found = words(read)
        if len(here) >= _QUOTED * len(set(self.said)):
            runs = _runs(found, min(QUOTED_RUN, len(self.said)))
            if len(self.runs & runs) >= _QUOTED * len(self.runs):
                return True
        self.met |= self.pieces & _runs(found, self.size)
        return len(self.met) >= _PIECED * len(self.pieces)


def _bare(text: str) -> str:
    """Returns a text as it looks once it is shown, in lower case, with what is written in it in another way."""
    plain = unescape(unescape(clean(_FRAME.sub("", text))))  # what is escaped twice is shown once escaped
    decoded = [_decoded(found[0]) for found in islice(_ENCODED.finditer(text), _MOST)]
    return as_it_looks("\n".join([plain, *filter(None, decoded)])).lower()


def _decoded(text: str) -> str:
    """Returns what a piece of base64 says, "" if it says nothing."""
    try:
        told = b64decode(
            text + "=" * (-len(text) % 4), altchars=b"-_" if {"-", "_"} & set(text) else None, validate=True
        )
        found = told.decode()
    except ValueError:
        return ""
    return clean(found) if found.isprintable() else ""


def is_translated(texts: Sequence[str], read: Iterable[str]) -> bool:
    """Tells whether one of the texts may be a translation of what was read: of prose in another language."""
    said = {language for text in texts if (language := language_of(text))}
    return bool(said) and any((other := language_of(text)) and other not in said for text in read)


def _runs(found: Sequence[str], size: int) -> set[tuple[str, ...]]:
    return {tuple(found[at : at + size]) for at in range(len(found) - size + 1)}
