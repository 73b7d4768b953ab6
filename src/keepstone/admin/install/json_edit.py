"""One member of a JSON object, set in its text and taken out again; every other character of the text stays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


def insert(text: str, name: str, value: Any) -> tuple[str, str]:
    """The text with a new first member, laid out as the others are; and the characters that came in.

    Raises ValueError for what is no JSON object.
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
    """The text without a member, its white space and the comma that is left over; as it is where there is none.

    Raises ValueError for what is no JSON object.
    """
    members = list(_members(text))
    for place, member in enumerate(members):
        if member.name == name:
            before = members[place - 1].end if place else text.index("{") + 1
            end = _blank(text, member.end)
            if place + 1 < len(members):
                # of the two commas around it the one behind it goes; the one before it and its white space stay
                start = _blank(text, before) + 1 if place else before
                return text[:start] + text[end + 1 :]
            return text[:before] + text[member.end :]
    return text


def value(text: str, name: str) -> Any:
    """A member's value, None where there is none. Raises ValueError for what is no JSON object."""
    found = [member.value for member in _members(text) if member.name == name]
    return found[-1] if found else None


def has(text: str, name: str) -> bool:
    """Whether there is such a member, whatever its value. Raises ValueError for what is no JSON object."""
    return any(member.name == name for member in _members(text))


def is_empty(text: str) -> bool:
    """Whether it is an object without members. Raises ValueError for what is no JSON object."""
    return next(iter(_members(text)), None) is None


class _Member:
    __slots__ = ("name", "value", "start", "end")

    def __init__(self, name: str, value: Any, start: int, end: int) -> None:
        self.name = name
        self.value = value
        self.start = start
        self.end = end


def _members(text: str) -> Iterator[_Member]:
    """The members, each with the place of its name's first quote and the one behind its value."""
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
    """The next place that is no white space."""
    while text[at : at + 1] in (" ", "\t", "\n", "\r"):
        at += 1
    return at


def _laid_out(name: str, value: Any, eol: str, indent: str | None) -> str:
    """`"name": value`: over several lines, indented as its neighbours are, or with None on one."""
    if indent is None:
        return json.dumps(name) + ": " + json.dumps(value, ensure_ascii=False)
    whole = json.dumps(value, ensure_ascii=False, indent=indent or 2)
    return json.dumps(name) + ": " + whole.replace("\n", eol + indent)
