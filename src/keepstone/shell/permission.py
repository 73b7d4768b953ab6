"""Decides which shell lines Claude may run without asking: exactly one plain `keepstone` command. Hot module: no `re`,
no `shlex`.

Accepts only syntax that every shell reads alike, and refuses lines with which a shell could do more than start one
program with fixed words. A refused line is not forbidden: the client asks the user, as it does without Keepstone.
"""

from __future__ import annotations

from .own_calls import NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PERMITTED_CHARS = 4_000  # of a `keepstone` command that runs unasked: half the longest memory

# These read, or store or keep one memory of this project that the user can forget again. Reading of other projects and
# storing for another one or for all need permission: what Claude has read may have told it to. Commands that change
# settings or files, remove memories, read other files or keep running are not listed.
HARMLESS = frozenset("store keep search about decisions recent context show rate status".split())

_WIDER = {"store": ("--user", "--project"), "status": ()}  # where it is not `--all` and `--project`: status counts

_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:@%+")
_ALIVE = frozenset('"$`\\!')  # these still have an effect in double quotes


def is_permitted(given: dict[str, Any]) -> bool:
    """Tells whether the input of a Bash call is one harmless `keepstone` command, run in the
    foreground of its sandbox.
    """
    command = given.get("command")
    if given.get("dangerouslyDisableSandbox") or given.get("run_in_background") or not isinstance(command, str):
        return False
    words = plain_words(command)
    if len(words) < 2 or words[0] != NAME or words[1] not in HARMLESS:
        return False
    wider = _WIDER.get(words[1], ("--all", "--project"))
    return not any(_may_be(word.partition("=")[0], wider) for word in words[2:])


def _may_be(name: str, options: tuple[str, ...]) -> bool:
    """Tells whether a word is one of the options, or short for one."""
    return len(name) > 2 and any(option.startswith(name) for option in options)


def plain_words(command: str) -> list[str]:
    """Returns the words of one simple command without expansions, operators or line breaks; [] for any other line.

    The first two words must be unquoted: a line that hides its command is not plain.
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
    """Returns the word that `text` begins with, and its length as written; the length is 0 if it is not plain."""
    word, at = "", 0
    while at < len(text) and text[at] != " ":
        part, length = _quoted(text, at) if may_quote and text[at] in "'\"\\" else _bare(text, at, word)
        if not length:
            return "", 0
        word += part
        at += length
    return word, at


def _bare(text: str, at: int, before: str) -> tuple[str, int]:
    """Returns one character outside quotes. An equals sign is allowed only inside an option: zsh expands a word that
    begins with one.
    """
    if text[at] in _BARE or (text[at] == "=" and before.startswith("--") and "=" not in before):
        return text[at], 1
    return "", 0


def _quoted(text: str, at: int) -> tuple[str, int]:
    """Returns the text inside quotes, and its length as written. A backslash is allowed only before an apostrophe."""
    if text[at] == "\\":
        return ("'", 2) if text[at + 1 : at + 2] == "'" else ("", 0)
    end = text.find(text[at], at + 1)
    inside = text[at + 1 : end]
    if end < 0 or (text[at] == '"' and not _ALIVE.isdisjoint(inside)):
        return "", 0
    return inside, end + 1 - at
