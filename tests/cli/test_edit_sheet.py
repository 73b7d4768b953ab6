"""A page of memories to edit: unchanged it asks for nothing, whatever they say, and each change asks for one thing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import stored
from keepstone.cli.edit_sheet import read, sheet
from keepstone.lib.errors import BadInput
from keepstone.lib.text import clean

PAGE = {
    "3fa2c1": stored("PostgreSQL for billing", "decision"),
    "77ab03": stored("pnpm only", "preference", id="mem-77ab030000000000", pinned=1),
}
TEXT = sheet(PAGE, "acme/shop")


def asked(text):
    return [(one.id[4:10], one.says, one.text, one.kind) for one in read(text, PAGE)]


def test_an_unchanged_page_asks_for_nothing():
    assert "2 memories of acme/shop" in TEXT and asked(TEXT) == []


@pytest.mark.parametrize("page", ["", "  \n", "<!-- all deleted -->\n"])
def test_an_empty_page_asks_for_nothing(page):
    assert asked(page) == []


def test_each_change_asks_for_one_thing():
    assert asked(TEXT.replace("billing", "invoices")) == [("3fa2c1", ["revise"], "PostgreSQL for invoices", None)]
    assert asked(TEXT.replace("decision", "architecture")) == [("3fa2c1", ["revise"], None, "architecture")]
    assert asked(TEXT.replace("1 decision", "1 decision, pinned")) == [("3fa2c1", ["pin"], None, None)]
    assert asked(TEXT.replace(", pinned\n", "\n")) == [("77ab03", ["unpin"], None, None)]
    assert asked(TEXT.partition("## 77ab03")[0]) == [("77ab03", ["forget"], None, None)]


@pytest.mark.parametrize(
    "change",
    [
        ("## 3fa2c1", "## 3fa2c2"),
        ("## 77ab03", "## 3fa2c1"),
        ("pnpm only", ""),
        ("decision", "nonsense"),
        ("-->", "-->\nx"),
    ],
)
def test_what_can_not_be_read_is_named(change):
    with pytest.raises(BadInput):
        read(TEXT.replace(*change), PAGE)


@given(st.text(min_size=1).map(clean).filter(bool))
def test_any_text_comes_through_unchanged(content):
    page = {"3fa2c1": stored(content, "fact")}
    assert read(sheet(page, "acme/shop"), page) == []
