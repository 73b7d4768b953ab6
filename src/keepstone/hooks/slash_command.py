"""What a user types after `/keepstone:memory`, as the words of a command: data all along, no shell reads it."""

from __future__ import annotations

import re
import shlex

RESULT_CHARS = 9_000  # of what a typed command printed: the client cuts at 10,000

# The commands that the hook runs by itself: they read, or keep one memory.
COMMANDS = ("store", "search", "about", "decisions", "recent", "context")
# Of those that take a text, the options that may stand behind it: with a value, and without.
_NARROW = ("--tag", "--file", "--tier", "--since", "--before")
TEXT = {
    "store": (("--type", "--relevance", "--tag", "--ttl", "--until", "--project"), ("--user", "--json")),
    "search": ((*_NARROW, "--type", "--limit", "--as-of", "--project", "--in", "--session"), ("--all", "--json")),
    "about": ((*_NARROW, "--type", "--limit", "--project"), ("--all", "--json")),
}
_SINGLE = re.compile(r"'((?:[^']|'\\'')*)'\Z")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"\Z', re.DOTALL)
_VALUE = r"""("(?:[^"\\]|\\.)*"|'[^']*'|\S+)"""
_LEADING = re.compile(r"(--[a-z][a-z-]*)(?:=" + _VALUE + r")?(?=\s|\Z)\s*", re.DOTALL)
_FIRST = re.compile(_VALUE + r"(?=\s|\Z)\s*", re.DOTALL)
_TRAILING = re.compile(r"\s(--[a-z][a-z-]*)(?:[ =]" + _VALUE + r")?\Z", re.DOTALL)
_CUT = "\n(more than fits here: type the command in a terminal)"


def words_of(typed: str) -> list[str]:
    """A command line for one of the six commands; [] where the words ask for something else.

    A text stays as it is written, to the byte, unless all of it is one quotation: then what that quotes. Options stand
    before it, or known ones after it; `--` ends them. What looks like one in its middle is text, and so are flags
    alone behind a text to store that is not quoted.
    """
    typed = typed.replace("\0", "").strip()  # which no command line can hold
    command, _, rest = typed.partition(" ")
    if "\n" in command:
        command, _, rest = typed.partition("\n")
    if not command:
        return ["recent"]
    if command not in COMMANDS:
        return []
    if command not in TEXT:
        return [command, *_split(rest)]
    options, text = _parted(command, rest.strip(), *TEXT[command])
    return [command, *options, *(["--", text] if text else [])]


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _parted(command: str, rest: str, valued: tuple[str, ...], flags: tuple[str, ...]) -> tuple[list[str], str]:
    options: list[str] = []
    while found := _LEADING.match(rest):
        options.append(found[1] if found[2] is None else f"{found[1]}={_bare(found[2])}")
        rest = rest[found.end() :]
        if found[2] is None and found[1] in valued and (value := _FIRST.match(rest)):
            options.append(_bare(value[1]))
            rest = rest[value.end() :]
    if rest == "--" or rest.startswith(("-- ", "--\n")):
        return options, _bare(rest[2:].strip())
    trailing: list[str] = []
    whole = rest
    while not _is_quotation(rest) and (found := _TRAILING.search(rest)):
        if found[1] not in (valued if found[2] else flags):
            break
        trailing = [found[1], *([_bare(found[2])] if found[2] else []), *trailing]
        rest = rest[: found.start()].rstrip()
    if command == "store" and set(trailing) <= set(flags) and not _is_quotation(rest):
        return options, _bare(whole)  # "pip needs --user" is a text
    return options + trailing, _bare(rest)


def _is_quotation(text: str) -> bool:
    return bool(_SINGLE.match(text) or _DOUBLE.match(text))


def _bare(text: str) -> str:
    """What a quotation quotes, as a shell reads it but for what is alive in double quotes; any other text itself."""
    if found := _SINGLE.match(text):
        return found[1].replace("'\\''", "'")
    if found := _DOUBLE.match(text):
        return re.sub(r'\\(["\\])', r"\1", found[1])
    return text


def result(command: str, printed: str) -> str:
    """What a command printed, as a block that the model is to show. It can't be closed from inside."""
    text = re.sub(r"</(?=\s*keepstone-result)", "&lt;/", printed.strip(), flags=re.IGNORECASE)
    if len(text) > RESULT_CHARS:
        text = text[:RESULT_CHARS].rpartition("\n")[0] + _CUT
    return f'<keepstone-result command="{command}">\n{text}\n</keepstone-result>\n'
