"""What a user types after `/cairn:memory`, as the words of a command: data all along, no shell reads it."""

from __future__ import annotations

import shlex
from io import StringIO

from .defaults import RESULT_CHARS

# The commands that the hook runs by itself: they read, or keep one memory.
COMMANDS = ("store", "search", "about", "decisions", "recent", "context")
_TEXT = ("store", "search", "about")  # what is not an option is one text
_VALUED = ("--type", "--relevance", "--tag", "--project", "--limit")  # options that take the next word along
_CUT = "\n(more than fits here: type the command in a terminal)"


def words_of(typed: str) -> list[str]:
    """A command line for one of the six commands; [] where the words ask for something else.

    Quotes group words as in a shell, and nothing in them or outside has a meaning of its own. A text of several words
    stays as it is written, with its quotes; so does what is left after an apostrophe that nothing closes.
    """
    found = _split(typed)
    if not found:
        return ["recent"]
    command = found[0][0]
    if command not in COMMANDS:
        return []
    options, text = _parted(found[1:])
    if command not in _TEXT:
        return [command, *options, *(word for word, _ in text)]
    said = _unquoted(*text[0]) if len(text) == 1 else " ".join(written for _, written in text)
    return [command, *options, *(["--", said] if said else [])]


def _unquoted(word: str, written: str) -> str:
    """Of a word without quotes every character counts, a backslash too."""
    return word if "'" in written or '"' in written else written


def _split(typed: str) -> list[tuple[str, str]]:
    """Each word, and how it is written."""
    stream = StringIO(typed)
    reader = shlex.shlex(stream, posix=True)
    reader.whitespace_split, reader.commenters = True, ""
    found: list[tuple[str, str]] = []
    begin = 0
    try:
        while (word := reader.get_token()) is not None:
            found.append((word, typed[begin : stream.tell()].strip()))
            begin = stream.tell()
    except ValueError:  # an apostrophe: from here on every word stands for itself
        found += [(word, word) for word in typed[begin:].split()]
    return found


def _parted(words: list[tuple[str, str]]) -> tuple[list[str], list[tuple[str, str]]]:
    """The options with their values, and the rest. Behind a lone `--` all is rest."""
    options: list[str] = []
    text: list[tuple[str, str]] = []
    waiting = iter(words)
    for word, written in waiting:
        if written == "--":
            text += waiting
        elif written.startswith("--"):
            options.append(word)
            if word in _VALUED:
                options += [value for value, _ in [next(waiting, ("", ""))] if value]
        else:
            text.append((word, written))
    return options, text


def result(command: str, printed: str) -> str:
    """What a command printed, as a block that the model is to show. It can't be closed from inside."""
    text = printed.strip().replace("</", "&lt;/").replace("&lt;/cairn-notes>", "</cairn-notes>")
    if len(text) > RESULT_CHARS:
        text = text[:RESULT_CHARS].rpartition("\n")[0] + _CUT
    return f'<cairn-result command="{command}">\n{text}\n</cairn-result>\n'
