"""Other tools' words as ours: kinds, tags, and whose a project's name is."""

from __future__ import annotations

import pytest

from keepstone.lib.limits import FACETS_MAX, TAGS_MAX
from keepstone.model.memory import KINDS
from keepstone.transfer.foreign_memory import Foreign, KnownProject, facets_of, kind_of, names_of, owners, tags_of


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("decision", "decision"),
        (" Decision ", "decision"),
        ("bugfix", "solution"),
        ("bug_fix", "incident"),
        ("feedback", "preference"),
        ("reference", "wiki"),
        ("sparkle", "general"),
        ("", "general"),
    ],
)
def test_kinds(word, kind):
    assert kind_of(word) == kind and kind in KINDS


def test_tags_are_lower_case_once_short_and_few_with_the_other_tools_word():
    def tags(words, word=""):
        return tags_of(Foreign("k", "fact", "x", word=word, tags=tuple(words)), lambda text: text.replace("KEY", ""))

    assert tags(["DB", "db", " ", "x" * 65, "a b", "KEY"], "bugfix") == ("kind:bugfix", "db", "a b")
    assert tags(["db"], "decision") == ("db",) and tags([], "KEY") == ()
    assert len(tags(map(str, range(50)))) == TAGS_MAX


def test_facets_are_as_many_as_a_memory_has():
    def facets(values):
        item = Foreign("k", "fact", "x", facets=tuple(("file", value) for value in values))
        return facets_of(item, lambda text: text.replace("KEY", ""))

    assert facets(["a.py", "a.py", " ", "KEY.py"]) == (("file", "a.py"),)
    assert len(facets(map(str, range(50)))) == FACETS_MAX


def test_a_project_goes_by_its_name_its_repository_and_its_folder():
    shop = KnownProject("prj-1", names_of("acme/store", ["/home/ann/shop"]))
    assert shop.names == {"acme/store", "store", "shop"}
    api, other = (
        KnownProject("prj-2", names_of("api", ["/a/api"])),
        KnownProject("prj-3", names_of("api", ["C:\\b\\api"])),
    )
    known = [shop, api, other]
    for names in (("store",), ("shop", ""), ("store/feature-x", "store"), ("acme/store", "acme")):
        assert owners(names, known) == ["prj-1"]
    assert owners(("api",), known) == ["prj-2", "prj-3"]
    assert owners(("unheard-of", ""), known) == owners((), known) == []
