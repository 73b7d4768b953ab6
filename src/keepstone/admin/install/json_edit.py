"""Adds a member to a JSON object's text and removes it again, without changing any other character."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


def insert(text: str, name: str, value: Any) -> tuple[str, str]:
    """Returns the text with a new first member in the layout of the others, and the characters that were added. Raises
    ValueError if the text is not a JSON object.
    """
    first = next(iter(_members(text)), None)
    inside = text.index("{") + 1
    eol = "\r\n" if "\r\n" in text else "\n"
    if first is None:
        blank = _blank(text, inside)
        added = eol + "  " + _laid_out(name, value, eol, "  ") + ("" if "\n" in text[inside:blank] else eol)
    else:
        space = text[inside : first.start]
        indent = space.rpartition("\n")[2] if "\n" in space else None
        added = space + _laid_out(name, value, eol, indent) + ","
    return text[:inside] + added + text[inside:], added


def remove(text: str, name: str) -> str:
    """Returns the text without a member, its white space and its comma. Returns it unchanged if there is no such
    member. Raises ValueError if the text is not a JSON object.
    """
    members = list(_members(text))
    for place, member in enumerate(members):
        if member.name == name:
            before = members[place - 1].end if place else text.index("{") + 1
            end = _blank(text, member.end)
            if place + 1 < len(members):
                # Removes the comma after the member; the comma before it and its white space stay.
                start = _blank(text, before) + 1 if place else before
                return text[:start] + text[end + 1 :]
            return text[:before] + text[member.end :]
    return text


def value(text: str, name: str) -> Any:
    """Returns a member's value, None if there is no such member. Raises ValueError if the text is not a JSON object."""
    found = [member.value for member in _members(text) if member.name == name]
    return found[-1] if found else None


def has(text: str, name: str) -> bool:
    """Tells whether there is such a member, whatever its value. Raises ValueError if the text is not a JSON object."""
    return any(member.name == name for member in _members(text))


def is_empty(text: str) -> bool:
    """Tells whether the object has no members. Raises ValueError if the text is not a JSON object."""
    return next(iter(_members(text)), None) is None


class _Member:
    __slots__ = ("name", "value", "start", "end")

    def __init__(self, name: str, value: Any, start: int, end: int) -> None:
        self.name = name
        self.value = value
        self.start = start
        self.end = end


def _members(text: str) -> Iterator[_Member]:
    """Yields the members, each with the positions of its name's first quote and of the end of its value."""
    bare = text.removeprefix("\ufeff")
    if not isinstance(json.loads(bare), dict):
        raise ValueError("it is not a JSON object")
    decode = json.JSONDecoder().raw_decode
    at = _blank(text, text.index("{") + 1)
    while text[at] == '"':
        start = at
        name, at = decode(text, at)
        found, at = decode(text, _blank(text, _blank(text, at) + 1))
        yield _Member(name, found, start, at)
        at = _blank(text, at)
        if text[at] == ",":
            at = _blank(text, at + 1)


def _blank(text: str, at: int) -> int:
    """Returns the position of the next character that is not white space."""
    while text[at : at + 1] in (" ", "\t", "\n", "\r"):
        at += 1
    return at


def _laid_out(name: str, value: Any, eol: str, indent: str | None) -> str:
    """Returns `"name": value` over several lines with the neighbours' indentation, or on one line if
    `indent` is None.
    """
    if indent is None:
        return json.dumps(name) + ": " + json.dumps(value, ensure_ascii=False)
    whole = json.dumps(value, ensure_ascii=False, indent=indent or 2)
    return json.dumps(name) + ": " + whole.replace("\n", eol + indent)
