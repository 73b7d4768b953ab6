"""Takes a shell script apart: its command lines, its here-documents, and the commands within words."""

from __future__ import annotations

from dataclasses import dataclass

from ..lib.pattern import Pattern

INPUT_MARK = "\0"  # stands among a command's words where text of the script is its input
_OPENS = Pattern(r"(?<!<)<<(?:<|-?[ \t]*(['\"\\]?)([A-Za-z_]\w*)['\"]?)")

_SUM = Pattern(r"\$\(\([\w\s+*/%<>=&|^!?:,$-]*\)\)")


@dataclass(frozen=True, slots=True)
class Document:
    """A here-document. `line` is the one that it is given to; in a `literal` one nothing is substituted."""

    line: str
    body: str
    literal: bool


def parted(script: str) -> tuple[str, list[Document]]:
    """Returns a script without its here-documents, with GIVEN in their places, and the documents."""
    script = _SUM.sub("0", script.replace("\\\n", " "))
    if "<<" not in script:
        return script, []
    kept: list[str] = []
    found: list[Document] = []
    lines = script.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        kept.append(_OPENS.sub(f" {INPUT_MARK} ", line))
        for opened in _OPENS.finditer(line):
            if not opened[2]:
                continue  # its text is the next word
            end = next((number for number in range(at, len(lines)) if lines[number].strip() == opened[2]), len(lines))
            found.append(Document(kept[-1], "\n".join(lines[at:end]), bool(opened[1])))
            at = end + 1
    return "\n".join(kept), found


def substitutions(text: str) -> list[str]:
    """Returns the commands in `$(...)`, `<(...)` and backticks, where a shell would run them."""
    found: list[str] = []
    quote = ""
    at = 0
    while at < len(text):
        char = text[at]
        if char == "\\" and quote != "'":
            at += 1
        elif char in "'\"" and quote in ("", char):
            quote = "" if quote else char
        elif quote == "'":
            pass
        elif char == "`":
            end = text.find("`", at + 1)
            end = len(text) if end < 0 else end
            found.append(text[at + 1 : end])
            at = end
        elif text[at + 1 : at + 2] == "(" and (char == "$" or (char in "<>" and not quote)):
            end = _closed(text, at + 2)
            inner = text[at + 2 : end]
            if not (inner[:1] == "(" and inner[-1:] == ")" and char == "$"):  # that is arithmetic
                found.append(inner)
            at = end
        at += 1
    return found


def _closed(text: str, at: int) -> int:
    """Returns the offset of the bracket that closes a substitution, or the end of the text."""
    depth, quote = 1, ""
    while at < len(text):
        char = text[at]
        if char == "\\" and quote != "'":
            at += 1
        elif char in "'\"":
            quote = char if not quote else "" if char == quote else quote
        elif not quote:
            depth += (char == "(") - (char == ")")
            if not depth:
                return at
        at += 1
    return len(text)
