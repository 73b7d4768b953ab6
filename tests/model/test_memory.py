"""Kinds, groups and icons as the seeds name them."""

from __future__ import annotations

from keepstone.db.tables import MemoryRow
from keepstone.model import memory


def test_six_groups_have_the_seeds_icons_and_headings():
    assert {name: icon for name, (icon, _) in memory.GROUPS.items()} == {
        "preference": "[*]",
        "decision": "[D]",
        "fact": "[F]",
        "solution": "[S]",
        "pattern": "[P]",
        "summary": "[~]",
    }
    headings = [heading for _, heading in memory.GROUPS.values()]
    assert headings == ["Preferences", "Decisions", "Key Facts", "Solutions", "Patterns", "Summaries"]


def test_thirteen_kinds_each_belong_to_a_group_and_a_tier():
    assert len(memory.KINDS) == 13
    assert {group for group, _ in memory.KINDS.values()} == set(memory.GROUPS)
    assert {tier for _, tier in memory.KINDS.values()} == {"episodic", "semantic"}


def test_a_type_word_selects_a_group_or_one_kind():
    assert memory.kinds_of("decision") == ("decision", "architecture")
    assert memory.kinds_of("architecture") == ("architecture",)
    assert memory.kinds_of("bug_fix") == ("incident",)
    assert memory.kinds_of("nonsense") == ()


def test_a_kind_of_a_newer_version_is_shown_as_a_fact():
    assert memory.group_of("prophecy") == "fact"


def test_a_stored_memory_has_the_tables_columns():
    assert set(memory.COLUMNS) <= set(MemoryRow.__table__.columns.keys())
