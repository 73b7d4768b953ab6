"""A member comes into a JSON text and goes out of it; every other character stays."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepstone.admin.install.json_edit import insert, is_empty, remove, value

LINE = {"type": "command", "command": "'/home/jörg b/x'"}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=8).filter(lambda name: name != "statusLine"), VALUES, max_size=4)
LAYOUTS = st.sampled_from(
    [{}, {"indent": 2}, {"indent": 4}, {"indent": "\t"}, {"separators": (",", ":")}, {"indent": 0}]
)
AROUND = st.sampled_from([("", ""), ("\ufeff", "\n"), ("\n ", "\n\n")])


@given(OBJECTS, LAYOUTS, AROUND, st.booleans(), st.booleans())
def test_a_member_comes_and_goes_without_a_trace(given_, layout, around, windows, ascii_):
    text = around[0] + json.dumps(given_, ensure_ascii=ascii_, **layout) + around[1]
    text = text.replace("\n", "\r\n") if windows else text
    inside, added = insert(text, "statusLine", LINE)
    assert json.loads(inside.lstrip("\ufeff")) == {**given_, "statusLine": LINE}
    assert inside.replace(added, "", 1) == text and value(inside, "statusLine") == LINE
    assert value(text, "statusLine") is None and remove(text, "statusLine") == text
    gone = remove(inside, "statusLine")
    assert json.loads(gone.lstrip("\ufeff")) == given_ and is_empty(gone) == (not given_)
    assert gone == text or not given_


@pytest.mark.parametrize("text", ["{}", "{ }", "{\n}\n", "{\r\n}", '{"a":[{"b":1}]}', '{ "a" : 1 , "b":2}'])
def test_compact_and_empty_objects(text):
    inside, added = insert(text, "x", {"y": 1})
    assert inside.replace(added, "", 1) == text and json.loads(inside)["x"] == {"y": 1}


@pytest.mark.parametrize("name", ["a", "b", "c"])
def test_a_member_is_taken_from_anywhere(name):
    for text in (
        '{"a": 1, "b": {"a": 2}, "c": "}"}',
        '{\n  "a": [1, 2],\n  "b": 3,\n  "c": "x,y"\n}\n',
        '{"a":1,"b":2,"c":3}',
    ):
        gone = remove(text, name)
        assert json.loads(gone) == {key: found for key, found in json.loads(text).items() if key != name}
        assert gone.count("\n") in (0, text.count("\n") - 1)


def test_it_looks_like_its_neighbours():
    assert insert('{\n    "a": 1\n}', "x", {"y": 1})[0] == '{\n    "x": {\n        "y": 1\n    },\n    "a": 1\n}'
    assert insert('{"a":1}', "x", {"y": 1})[0] == '{"x": {"y": 1},"a":1}'
    assert insert("{}", "x", 1)[0] == '{\n  "x": 1\n}'


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1,}', "{} {}", '// mine\n{"a": 1}'])
def test_what_is_no_object_is_refused(text):
    for act in (lambda: insert(text, "x", 1), lambda: remove(text, "x"), lambda: value(text, "x")):
        with pytest.raises(ValueError):
            act()
