"""Which shell lines Claude may run without asking: exactly one plain `keepstone` command. Hot module: no `re`, no
`shlex`.

A line is read as far as every shell reads it alike, and refused where a shell could do more than start one program with
fixed words. What is refused is not forbidden: the client asks the user, as it does without Keepstone.
"""

from __future__ import annotations

from .own_calls import NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PERMITTED_CHARS = 4_000  # of a `keepstone` command that runs unasked: half a memory at its longest

# They read, or keep one memory of this project that the user can forget again; one for another or all is asked for.
# Never what changes settings or files, takes memories away, reads other files, or runs on.
HARMLESS = frozenset("store search about decisions recent context show rate status".split())

_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:@%+")
_ALIVE = frozenset('"$`\\!')  # in double quotes these may still do something


def is_permitted(given: dict[str, Any]) -> bool:
    """Whether the input of a Bash call is one harmless `keepstone` command, run in the foreground of its sandbox."""
    command = given.get("command")
    if given.get("dangerouslyDisableSandbox") or given.get("run_in_background") or not isinstance(command, str):
        return False
    words = plain_words(command)
    if len(words) < 2 or words[0] != NAME or words[1] not in HARMLESS:
        return False
    wider = [word for word in words[2:] if word.startswith(("--u", "--p")) and not word.startswith("--until")]
    return words[1] != "store" or not wider


def plain_words(command: str) -> list[str]:
    """The words of one simple command without expansions, operators or line breaks; [] for any other line.

    The first two words must be written without quotes: a line that hides its command is not plain.
    """
    if len(command) > PERMITTED_CHARS or not command.isprintable():
        return []
    words: list[str] = []
    rest = command
    while rest := rest.lstrip(" "):
        word, length = _word(rest, len(words) >= 2)
        if not length:
            return []
        words.append(word)
        rest = rest[length:]
    return words


def _word(text: str, may_quote: bool) -> tuple[str, int]:
    """The word that `text` begins with, and the length of its writing; 0 where it is not plain."""
    word, at = "", 0
    while at < len(text) and text[at] != " ":
        part, length = _quoted(text, at) if may_quote and text[at] in "'\"\\" else _bare(text, at, word)
        if not length:
            return "", 0
        word += part
        at += length
    return word, at


def _bare(text: str, at: int, before: str) -> tuple[str, int]:
    """One character outside of quotes. An equals sign counts inside an option alone: zsh looks up what follows one."""
    if text[at] in _BARE or (text[at] == "=" and before.startswith("--") and "=" not in before):
        return text[at], 1
    return "", 0


def _quoted(text: str, at: int) -> tuple[str, int]:
    """What a quotation stands for, and the length of its writing; a backslash may stand before an apostrophe alone."""
    if text[at] == "\\":
        return ("'", 2) if text[at + 1 : at + 2] == "'" else ("", 0)
    end = text.find(text[at], at + 1)
    inside = text[at + 1 : end]
    if end < 0 or (text[at] == '"' and not _ALIVE.isdisjoint(inside)):
        return "", 0
    return inside, end + 1 - at
