"""Converts values to plain JSON, and back to exactly the expected kind. Input is untrusted: no class is ever chosen by
a name in it.

A kind is a type (`str`, `float | None`, `list[Hit]`), a class that is registered with its fields or one of our
dataclasses, `IntRange` for a bounded number, or `Lazy` for a kind that is only made when it is needed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

LARGEST = 2**63 - 1  # the largest integer in SQLite
DEEPEST = 20  # levels of nesting in free-form JSON: details of the audit have three


class IntRange:
    """A whole number from `low` to `high`. With `none`, None is allowed, too."""

    def __init__(self, low: int, high: int, none: bool = False) -> None:
        self.low = low
        self.high = high
        self.none = none


class Lazy:
    """A kind that `make` returns when it is needed."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = cache(make)


class Codec:
    """Converts values. `shapes` holds the fields of classes that are not dataclasses, by name and kind."""

    def __init__(self, shapes: Mapping[type, Mapping[str, Any]]) -> None:
        self.shapes = shapes

    def plain(self, kind: Any, value: Any) -> Any:
        """Returns a value as JSON. Raises ValueError if it is not of its kind."""
        return self._carry(kind, value, True)

    def made(self, kind: Any, value: Any) -> Any:
        """Returns the value of a kind from its JSON. Raises ValueError if it is not of that kind."""
        return self._carry(kind, value, False)

    def _carry(self, kind: Any, value: Any, out: bool) -> Any:
        if isinstance(kind, Lazy):
            kind = kind.make()
        if isinstance(kind, IntRange):
            return _within(kind, value)
        if kind in _LEAVES:
            return _LEAVES[kind](value)
        origin = get_origin(kind)
        if origin in (Union, UnionType):
            return self._optional(get_args(kind), value, out)
        if origin is Literal:
            return _one_of(get_args(kind), value)
        if origin in (list, tuple):
            return self._row(origin, get_args(kind), value, out)
        if origin is dict:
            return {_text(key): self._carry(get_args(kind)[1], one, out) for key, one in _object(value).items()}
        return self._fields(kind, value, out)

    def _optional(self, kinds: tuple[Any, ...], value: Any, out: bool) -> Any:
        if value is None and NoneType in kinds:
            return None
        (kind,) = (one for one in kinds if one is not NoneType)
        return self._carry(kind, value, out)

    def _row(self, origin: type, kinds: tuple[Any, ...], value: Any, out: bool) -> Any:
        if not isinstance(value, (list, tuple) if out else list):
            raise ValueError("no list")
        if origin is list or kinds[1:] == (...,):
            kinds = kinds[:1] * len(value)
        if len(kinds) != len(value):
            raise ValueError(f"{len(value)} values instead of {len(kinds)}")
        found = [self._carry(kind, one, out) for kind, one in zip(kinds, value, strict=True)]
        return found if out or origin is list else tuple(found)

    def _fields(self, kind: Any, value: Any, out: bool) -> Any:
        fields = self.shapes[kind] if kind in self.shapes else _hints(kind)
        if out:
            if type(value) is not kind:
                raise ValueError(f"no {kind.__name__}")
            return {name: self._carry(one, getattr(value, name), out) for name, one in fields.items()}
        if _object(value).keys() != fields.keys():
            raise ValueError(f"not the fields of a {kind.__name__}")
        made = object.__new__(kind)
        for name, one in fields.items():
            object.__setattr__(made, name, self._carry(one, value[name], out))
        return made


@cache
def _hints(kind: Any) -> dict[str, Any]:
    if not is_dataclass(kind):
        raise TypeError(f"{kind!r} is not registered")
    return get_type_hints(kind)


def _object(value: Any) -> dict[str, Any]:
    if type(value) is not dict:
        raise ValueError("no object")
    return value


def _text(value: Any) -> str:
    if type(value) is not str:
        raise ValueError("no text")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("half a character") from None
    return value


def _whole(value: Any) -> int:
    if type(value) is not int or abs(value) > LARGEST:
        raise ValueError("no whole number")
    return value


def _number(value: Any) -> float:
    if type(value) not in (int, float) or abs(value) > LARGEST or not math.isfinite(value):
        raise ValueError("no number")
    return float(value)


def _word(value: Any) -> bool:
    if type(value) is not bool:
        raise ValueError("neither true nor false")
    return value


def _nothing(value: Any) -> None:
    if value is not None:
        raise ValueError("something, where there is nothing")


def _within(kind: IntRange, value: Any) -> int | None:
    if value is None and kind.none:
        return None
    if not kind.low <= _whole(value) <= kind.high:
        raise ValueError(f"no whole number from {kind.low} to {kind.high}")
    return _whole(value)


def _one_of(choices: tuple[Any, ...], value: Any) -> str:
    if type(value) is not str or value not in choices:
        raise ValueError(f"none of {', '.join(choices)}")
    return value


def _any(value: Any, depth: int = 0) -> Any:
    """Returns a copy of any JSON value. Raises ValueError if it is nested too deeply."""
    if depth > DEEPEST:
        raise ValueError("too deep")
    if isinstance(value, (list, tuple)):
        return [_any(one, depth + 1) for one in value]
    if isinstance(value, dict):
        return {_text(key): _any(one, depth + 1) for key, one in value.items()}
    if value is None or type(value) not in _LEAVES:
        return _nothing(value)
    return _whole(value) if type(value) is int else _LEAVES[type(value)](value)


_LEAVES: dict[Any, Callable[[Any], Any]] = {
    **{str: _text, int: _whole, float: _number, bool: _word},
    **{None: _nothing, NoneType: _nothing, Any: _any},
}
