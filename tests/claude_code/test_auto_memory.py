"""Claude's own memory files: which paths they are, what they say, and what their edits make of them."""

from __future__ import annotations

import pytest

from keepstone.claude_code.auto_memory import edited, place_of, read

FOLDER = "/home/ann/.claude/projects/-home-ann-shop/memory/"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (FOLDER + "style.md", "style.md"),
        (FOLDER + "team/style.md", "team/style.md"),
        (r"C:\Users\ann\.claude\projects\C--Users-ann-shop\memory\style.md", "style.md"),
        (FOLDER + "MEMORY.md", ""),
        (FOLDER + "style.txt", ""),
        (FOLDER + "../../../../x.md", ""),
        (FOLDER + "/etc/diary.md", ""),
        (FOLDER + "./style.md", ""),
        ("/home/ann/projects/shop/memory/style.md", ""),  # a user's own repository
        ("/home/ann/.claude/projects/-home-ann-shop/notes/style.md", ""),
        ("memory/style.md", ""),
        ("", ""),
    ],
)
def test_the_names_of_memory_files(path, name):
    assert place_of(path)[1] == name


def test_frontmatter_flat_and_under_metadata():
    flat = read('---\nname: style\ndescription: "Tabs: never spaces"\ntype: feedback\n---\n\nTabs it is.\n')
    nested = read("---\nname: style\ndescription: Tabs\nmetadata:\n  type: user\n---\nTabs it is.\n\n**Why:** diffs\n")
    assert (flat.kind, flat.title, flat.body) == ("preference", "Tabs: never spaces", "Tabs it is.")
    assert (nested.kind, nested.title, nested.body) == ("fact", "Tabs", "Tabs it is.\n\n**Why:** diffs")


@pytest.mark.parametrize(
    ("type", "kind"),
    [("user", "fact"), ("feedback", "preference"), ("project", "fact"), ("reference", "wiki"), ("hunch", "general")],
)
def test_the_types_as_our_kinds(type, kind):
    assert read(f"---\ntype: {type}\n---\nIt is so.").kind == kind


@pytest.mark.parametrize("text", ["It is so.", "---\nIt is so.", "", "---\n---", "---"])
def test_a_file_without_frontmatter_is_all_body(text):
    says = read(text)
    assert says.kind == "general" and says.title == ""
    assert says.body == ("" if text == "---\n---" else text)


def test_edits_follow_each_other_and_fit_or_are_none():
    assert edited("a b a", (("a", "c", False),)) == "c b a"
    assert edited("a b a", (("a", "c", True), ("c b", "d", False))) == "d c"
    assert edited("a b a", (("a", "c", False), ("x", "y", False))) is None
    assert edited("a", (("", "b", False),)) is None
