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
from ..lib.text import STOP_WORDS, clean, words
from ..model.trust import as_it_looks
from ..shell.own_calls import SERVERS
from .observation import SHELLS
from .programs import brings_outside

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
# Colours and line numbers that tools add to a text they show.
_FRAME = Pattern(r"\x1b\[[0-9;?]*[A-Za-z]|^[ \t]*\d+(?:→|\t|[:|-] ?)", re.MULTILINE)
# Words of a message that only approves, thanks, chooses, points, or asks to note what is pointed at.
_APPROVES = frozenset(
    """
    yes yeah yep yup y ya no nope ok okay okey k kk sure fine good great perfect nice cool right correct exactly
    agreed approved confirmed absolutely definitely certainly indeed alright awesome excellent lgtm sgtm please pls plz
    thanks thank thx ty cheers go ahead proceed continue carry next do it make run apply accept approve confirm note
    store save remember keep record add write down memory looks sounds works lets let's that's i'm option number choice
    choose pick take one first second third last former latter both all same either above next recommended suggested
    proposal suggestion suggest like love want thing course agree noted objections ship may time future
    ja jo jap jep klar gerne bitte danke gut passt genau richtig stimmt einverstanden mach mache machs das es so weiter
    los merk merke merken dir notier notiere notieren speicher speichere speichern mal nimm ersten erste zweite dritte
    option beide alle tu super prima
    oui d'accord daccord bien parfait merci vas vas-y allez fais fais-le le la les s'il te vous plait plaît note-le
    sí si vale claro bueno perfecto gracias adelante hazlo dale anota va bene certo grazie procedi fallo sim claro
    obrigado pode isso faz graag prima doe dat maar tak dobrze да хорошо ок давай はい お願いします
    好 好的 可以 行 네 예
    """.split()
)
_UNREAD = (".pdf",)  # files whose text is not in the tool result
_MOST = 20  # encoded pieces of a text that are decoded
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


def is_told(text: str, asked: str) -> bool:
    """Tells whether most words of a text are in the user's request, in the same order."""
    said, order = words(text), words(asked)[:_ASKED]
    # in long texts, frequent words are ignored: otherwise the time grows with the cube of the length
    many = len(said) * len(order) > COMPARED_PAIRS
    blocks = SequenceMatcher(None, order, said, autojunk=many).get_matching_blocks()
    return bool(said) and sum(block.size for block in blocks) >= _QUOTED * len(said)


def is_approval(text: str) -> bool:
    """Tells whether a message only approves or chooses what the assistant has proposed: nothing in it is the user's own
    statement.
    """
    found = text.lower().replace("\u2019", "'").replace("-", " ").split()
    plain = (word.strip(".,;:!?()[]{}\"'*_`#/\\&+~") for word in found)
    return all(
        len(word) < 2 or word.isdigit() or word in _APPROVES or word in STOP_WORDS or not any(map(str.isalnum, word))
        for word in plain
    )


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
