"""Adds, finds and removes a block of Keepstone's between two marker lines in a text of the user's.

    <!-- keepstone:rules:begin -->
    what we say
    <!-- keepstone:rules:end -->

`take(put(text, name, body), name)` is `text` again, to the last character.
"""

from __future__ import annotations


def put(text: str, name: str, body: str) -> str:
    """Returns the text with `body` as its block of that name, in place of the old one or after a blank line at the end.
    Raises ValueError if one of the markers is missing, or they are in the wrong order.
    """
    found = _span(text, name)
    eol = _line_break(text[found[0] : found[1]] if found else text)
    lines = [_marker(name, "begin"), *body.strip("\r\n").splitlines(), _marker(name, "end")]
    block = eol.join(lines)
    if found:
        return text[: found[0]] + block + text[found[1] :]
    if not text:
        return block + eol
    if text.endswith("\n"):
        return text + eol + block + eol
    return text + eol + eol + block  # without a final line break, like the text: `take` recognises this


def take(text: str, name: str) -> str:
    """Returns the text without its block of that name, and without the blank line that `put` added before it. Raises
    ValueError as `put` does.
    """
    found = _span(text, name)
    if not found:
        return text
    before, after = text[: found[0]], text[found[1] :]
    eol = _line_break(text[found[0] : found[1]])
    if not after:
        return before[: -2 * len(eol)] if before.endswith(eol + eol) else before
    if before.endswith("\n" + eol) or before == eol:
        before = before[: -len(eol)]
    return before + after[len(eol) if after.startswith(eol) else 0 :]


def body(text: str, name: str) -> str | None:
    """Returns the text between the markers of that name, None if there are none. Raises ValueError as `put` does."""
    found = _span(text, name)
    if not found:
        return None
    return "\n".join(text[found[0] : found[1]].splitlines()[1:-1])


def _line_break(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _marker(name: str, which: str) -> str:
    return "<!-- keepstone:" + name + ":" + which + " -->"


def _span(text: str, name: str) -> tuple[int, int] | None:
    """Returns the start of the block and its end: after the end marker, before its line break."""
    begins, ends = [], []
    at = 0
    for line in text.splitlines(keepends=True):
        said = line.strip()
        if said == _marker(name, "begin"):
            begins.append(at)
        elif said == _marker(name, "end"):
            ends.append(at + len(line.rstrip("\r\n")))
        elif said.startswith(_marker(name, "end")):  # text was added after a last line without a line break
            ends.append(at + line.index(_marker(name, "end")) + len(_marker(name, "end")))
        at += len(line)
    if not begins and not ends:
        return None
    if not begins or not ends or begins[0] > ends[0]:
        raise ValueError("of the two marker lines of keepstone:" + name + " one is missing or in the wrong place")
    return begins[0], ends[0]
