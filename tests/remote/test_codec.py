from __future__ import annotations

import json
import math
from dataclasses import dataclass, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keepstone.api.remote_methods import CALLS
from keepstone.model.relationship import Edge
from keepstone.remote.codec import DEEPEST, LARGEST, Codec, IntRange, Lazy
from keepstone.remote.protocol import CODEC

KINDS = [call.answers for call in CALLS.values()] + [one for call in CALLS.values() for one in call.takes.values()]
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
LEAVES = {
    str: texts,
    int: st.integers(-LARGEST, LARGEST),
    float: st.floats(allow_nan=False, allow_infinity=False, min_value=-1e15, max_value=1e15),
    bool: st.booleans(),
    None: st.none(),
    NoneType: st.none(),
    Any: st.dictionaries(texts, texts | st.integers(0, 9) | st.none(), max_size=3),
}


def values(kind):
    """What a kind can be."""
    if isinstance(kind, Lazy):
        kind = kind.make()
    if isinstance(kind, IntRange):
        return st.integers(kind.low, kind.high) | (st.none() if kind.none else st.nothing())
    if kind in LEAVES:
        return LEAVES[kind]
    return parts(get_origin(kind), get_args(kind)) if get_origin(kind) else made(kind)


def parts(origin, args):
    if origin is UnionType:
        return st.one_of(*map(values, args))
    if origin is Literal:
        return st.sampled_from(args)
    if origin is list or args[1:] == (...,):
        return st.lists(values(args[0]), max_size=2).map(origin)
    if origin is tuple:
        return st.tuples(*map(values, args))
    return st.dictionaries(texts, values(args[1]), max_size=2)


def made(kind):
    inside = CODEC.shapes.get(kind) or get_type_hints(kind)

    def build(values):
        one = object.__new__(kind)
        for name, value in values.items():
            object.__setattr__(one, name, value)
        return one

    return st.fixed_dictionaries({name: values(inner) for name, inner in inside.items()}).map(build)


def same(one, other):
    """Whether two values are alike in every field and type, for classes without an equality of their own."""
    if type(one) is not type(other):
        return False
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    names = CODEC.shapes.get(type(one)) or ([f.name for f in fields(one)] if is_dataclass(one) else ())
    return all(same(getattr(one, name), getattr(other, name)) for name in names) if names else one == other


@settings(max_examples=300)
@given(st.data())
def test_what_goes_out_comes_back_the_same(data):
    kind = data.draw(st.sampled_from(KINDS))
    value = data.draw(values(kind))
    sent = json.dumps(CODEC.plain(kind, value), allow_nan=False)
    assert same(CODEC.made(kind, json.loads(sent)), value)


@settings(max_examples=500)
@given(st.sampled_from(KINDS), anything)
def test_whatever_comes_in_is_of_its_kind_or_refused(kind, value):
    try:
        found = CODEC.made(kind, value)
    except ValueError:
        return
    CODEC.plain(kind, found)  # so it is what it should be


@settings(max_examples=300)
@given(st.data())
def test_what_was_changed_on_its_way_is_of_its_kind_or_refused(data):
    kind = data.draw(st.sampled_from(KINDS))
    sent = CODEC.plain(kind, data.draw(values(kind)))
    place, at = sent, sent
    while isinstance(at, (list, dict)) and at:
        place, key = at, data.draw(st.sampled_from(list(at) if isinstance(at, dict) else range(len(at))))
        at = place[key]
    if place is not at:
        place[key] = data.draw(anything)
    try:
        found = CODEC.made(kind, sent)
    except ValueError:
        return
    CODEC.plain(kind, found)


@pytest.mark.parametrize(
    "kind, value",
    [
        *((int, one) for one in (True, 1.0, "1", None, LARGEST + 1, [])),
        *((float, one) for one in (True, "1", math.nan, math.inf, None)),
        *((bool, one) for one in (0, 1, "true", None)),
        *((str, one) for one in (1, None, b"", "\ud800", ["x"])),
        *((None, one) for one in (0, "", [], False)),
        *((list[int], one) for one in ((1,), "12", {}, [None], None)),
        *((tuple[int, str], one) for one in ([1], [1, "x", 2], ["x", 1], "1x", None)),
        *((dict[str, int], one) for one in ([], {"x": "y"}, {"\ud800": 1}, None)),
        *((IntRange(1, 5), one) for one in (0, 6, 2.0, True, "3", None)),
        *((Literal["a", "b"], one) for one in ("c", None, 1, ["a"])),
        *((Edge, one) for one in ({}, [], None, {"__class__": "os.system"}, "Edge")),
        (Any, object()),
        (Any, {"x": {1: 2}}),
    ],
)
def test_what_is_not_of_its_kind_is_refused(kind, value):
    with pytest.raises(ValueError):
        CODEC.made(kind, value)


def test_a_field_more_or_less_is_refused():
    whole = CODEC.plain(Edge, Edge("a", "b", "related_to", "manual", 1))
    assert CODEC.made(Edge, whole) == Edge("a", "b", "related_to", "manual", 1.0)
    for changed in ({**whole, "__init__": "x"}, {name: value for name, value in whole.items() if name != "notes"}):
        with pytest.raises(ValueError):
            CODEC.made(Edge, changed)


def test_a_class_that_is_not_registered_is_never_made():
    class Stranger:
        pass

    for act in (CODEC.plain, CODEC.made):
        with pytest.raises(TypeError, match="not registered"):
            act(Stranger, {})

    @dataclass
    class Likeness:
        source: str

    with pytest.raises(ValueError):
        CODEC.plain(Edge, Likeness("a"))
    assert Codec({Stranger: {}}).plain(Stranger, Stranger()) == {}


def test_what_is_too_deep_is_refused():
    value: Any = "x"
    for _ in range(DEEPEST + 2):
        value = [value]
    with pytest.raises(ValueError, match="deep"):
        CODEC.made(Any, value)
