"""Pages of markdown: ours come back as they were, and any other says what it can."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import at
from keepstone.lib.text import clean
from keepstone.transfer.markdown import file_name, index_items, linked, page, read, slug, split

MEMORY = {
    "id": "mem-3fa2c1d4e5f60718",
    "kind": "decision",
    "scope": "project",
    "title": "PostgreSQL for billing",
    "content": "PostgreSQL for billing",
    "created_at": at("2026-11-02"),
    "updated_at": at("2026-11-03"),
}
TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@given(TEXT.map(clean).filter(bool), TEXT.map(clean), TEXT)
def test_a_page_of_ours_comes_back(content, title, project):
    made = page({**MEMORY, "content": content, "title": title}, ["db", "a: b", "[x]"], project)
    back = read(made, "any.md", 0.0)
    assert back and (back.named, back.kind, back.user) == (MEMORY["id"], "decision", False)
    assert back.content.split() == content.split() and back.created_at == MEMORY["created_at"]
    assert back.tags == ("db", "a: b", "[x]")


@given(TEXT)
def test_no_page_surprises(text):
    made = read(text, "any.md", 5.0)
    assert made is None or made.content.strip()
    list(index_items(text, ["a.md"]))


@given(st.text("-:[]{}\"'\n abtags#*", max_size=60))
def test_no_front_surprises(text):
    fields, _ = split(f"---\n{text}\n---\nbody")
    assert all(isinstance(value, str | list) for value in fields.values())


@pytest.mark.parametrize(
    ("front", "tags"),
    [
        ("tags: [Db, 'two words']", ("Db", "two words")),
        ('tags: ["db", "x"]', ("db", "x")),
        ("tags:\n  - db\n  - x", ("db", "x")),
        ("tags: []", ()),
        ("tags: db", ()),
        ("title: x", ()),
    ],
)
def test_tags_in_the_forms_that_people_write(front, tags):
    assert read(f"---\n{front}\n---\nbody", "a.md", 0.0).tags == tags


def test_names_of_files_say_something_on_any_system():
    assert file_name(MEMORY) == "postgresql-for-billing-3fa2c1d4e5f6.md"
    assert slug("../../etc/passwd") == "etc-passwd" and slug("日本語") == "memory" and len(slug("x" * 300)) <= 60


def test_a_date_is_read_with_and_without_a_zone_and_never_trusted():
    for given_, expected in (("2026-11-02T12:00:00Z", at("2026-11-02")), ("2026-11-02", at("2026-11-02") - 43_200)):
        assert read(f"---\ncreated: {given_}\n---\nx", "a.md", 7.0).created_at == expected
    assert read("---\ncreated: soon\n---\nx", "a.md", 7.0).created_at == 7.0


def test_an_index_says_what_no_file_of_it_says():
    text = (
        "# Memory\n- [Style](./style.md) — tabs\n- see `deploy.md`\n- No file is gone.md\n\n## Build\n1. make\n\nA\nB\n"
    )
    said = [item.content for item in index_items(text, ["style.md", "deploy.md"])]
    assert said == ["No file is gone.md", "Build: make", "Build: A\nB"]


@pytest.mark.parametrize("text", ["[" * 1_000_000, "[a](" * 250_000, "`a" * 500_000])
def test_links_that_never_end_cost_no_time(text):
    assert linked(text) == []
