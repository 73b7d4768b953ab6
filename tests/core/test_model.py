"""Kinds, groups and icons as the seeds name them."""

from __future__ import annotations

from keepstone.core import model
from keepstone.store.tables import MemoryRow


def test_six_groups_have_the_seeds_icons_and_headings():
    assert {name: icon for name, (icon, _) in model.GROUPS.items()} == {
        "preference": "[*]",
        "decision": "[D]",
        "fact": "[F]",
        "solution": "[S]",
        "pattern": "[P]",
        "summary": "[~]",
    }
    headings = [heading for _, heading in model.GROUPS.values()]
    assert headings == ["Preferences", "Decisions", "Key Facts", "Solutions", "Patterns", "Summaries"]


def test_thirteen_kinds_each_belong_to_a_group_and_a_tier():
    assert len(model.KINDS) == 13
    assert {group for group, _ in model.KINDS.values()} == set(model.GROUPS)
    assert {tier for _, tier in model.KINDS.values()} == {"episodic", "semantic"}


def test_a_type_word_selects_a_group_or_one_kind():
    assert model.kinds_of("decision") == ("decision", "architecture")
    assert model.kinds_of("architecture") == ("architecture",)
    assert model.kinds_of("bug_fix") == ("incident",)
    assert model.kinds_of("nonsense") == ()


def test_a_kind_of_a_newer_version_is_shown_as_a_fact():
    assert model.group_of("prophecy") == "fact"


def test_a_stored_memory_has_the_tables_columns():
    assert set(model.COLUMNS) <= set(MemoryRow.__table__.columns.keys())
