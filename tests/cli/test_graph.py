"""The graph on the command line: the seed's story, ways, communities, pages of the whole, and what is refused."""

from __future__ import annotations

import json

import pytest

from keepstone import Memory

STORY = {
    "architecture": "Order lines are loaded lazily, each by itself",
    "incident": "900 N+1 queries brought the checkout down",
    "discovery": "joinedload makes it one query a page",
    "integration": "SQLAlchemy models follow the performance convention",
}
DAY = 86_400


@pytest.fixture
def story(machine):
    """(machine, ids by name): an incident that an architecture caused, what superseded it, and what references that."""
    now = 1_790_000_000.0
    ids = {}
    for number, (name, text) in enumerate(STORY.items()):
        memory = Memory(str(machine.home), str(machine.project), machine.env, lambda day=number: now + day * DAY)
        ids[name] = memory.store(text)[0].memory.id
    memory.graph.relate(ids["incident"], ids["architecture"], "caused_by")
    memory.graph.relate(ids["discovery"], ids["incident"], "supersedes")
    memory.graph.relate(ids["integration"], ids["discovery"], "references")
    return machine, ids


def looked(machine, *words):
    return json.loads(machine.keepstone("graph", *words, "--json").stdout)


def names(found, ids):
    named = {memory_id: name for name, memory_id in ids.items()}
    return {named[node["id"]] for node in found["nodes"]}


def test_the_story_step_by_step_and_by_its_topic(story):
    machine, ids = story
    one = looked(machine, "related", ids["integration"])
    assert names(one, ids) == {"integration", "discovery"}
    three = looked(machine, "related", ids["integration"], "--depth", "3")
    assert names(three, ids) == set(STORY)
    assert {(edge["type"], edge["method"]) for edge in three["edges"]} >= {
        ("caused_by", "manual"),
        ("supersedes", "manual"),
        ("references", "manual"),
    }
    topic = looked(machine, "explore", "queries and SQLAlchemy performance, loaded lazily")
    assert names(topic, ids) == set(STORY) and set(topic["seeds"]) < {node["id"] for node in topic["nodes"]}


def test_what_is_superseded_is_on_the_way_and_says_so_but_is_not_recalled(story):
    machine, ids = story
    way = looked(machine, "path", ids["integration"], ids["architecture"])
    assert [node["id"] for node in way["nodes"]] == list(ids.values())[::-1]
    shown = machine.keepstone("graph", "path", ids["integration"], ids["architecture"]).stdout
    assert "supersedes (drawn by hand)" in shown and "caused by (drawn by hand)" in shown and ", superseded)" in shown
    assert ids["incident"] not in {memory["id"] for memory in machine.memories()}


def test_of_two_ways_the_shorter_one_and_of_none_nothing(story):
    machine, ids = story
    machine.keepstone("graph", "relate", ids["integration"], ids["incident"])
    way = looked(machine, "path", ids["integration"], ids["architecture"])
    assert len(way["nodes"]) == 3
    machine.store("Lunch is at noon")
    done = machine.keepstone("graph", "path", machine.memories()[0]["id"], ids["incident"])
    assert done.returncode == 0 and done.stdout == "" and "Nothing leads" in done.stderr
    same = looked(machine, "path", ids["incident"], ids["incident"])
    assert len(same["nodes"]) == 1 and same["edges"] == []


def test_the_whole_is_all_its_pages(story):
    machine, ids = story

    def exported(*words):
        return json.loads(machine.keepstone("graph", "export", *words).stdout)

    whole, pages = exported(), [exported("--limit", "3", "--offset", offset) for offset in ("0", "3")]
    assert [node["id"] for page in pages for node in page["nodes"]] == [node["id"] for node in whole["nodes"]]
    assert [len(page["nodes"]) for page in pages] == [3, 1] and whole["total"] == 4
    both = [edge for page in pages for edge in page["edges"]]
    assert sorted(map(str, both)) == sorted(map(str, whole["edges"])) and len(both) == 3
    drawn = machine.keepstone("graph", "export", "--dot").stdout
    assert drawn.startswith("digraph keepstone {") and drawn.count("->") == 3 and "N+1 queries" in drawn


def test_communities_are_found_by_the_jobs_and_named_by_their_concepts(machine):
    assert "keepstone worker run-all" in machine.keepstone("graph", "overview").stderr
    for part in ("replica", "primary", "standby"):
        machine.store(f"The {part} database of billing is migrated by `migrate_billing`")
    for part in ("button", "form", "table"):
        machine.store(f"Each react {part} component takes its css from `theme_tokens`")
    machine.keepstone("graph", "related", machine.memories()[0]["id"])
    machine.keepstone("worker", "run-all")
    found = looked(machine, "overview")
    assert sorted(one["size"] for one in found) == [3, 3]
    assert {one["community"].split("-")[0] for one in found} == {"database", "frontend"}
    assert all(memory["pagerank"] is not None and memory["community"] for memory in machine.memories())


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("relate", "A", "A"), 2, "with itself"),
        (("relate", "A", "beef01"), 1, "no memory"),
        (("relate", "A", "B", "--type", "loves"), 2, "one of references"),
        (("unrelate", "A", "B"), 1, "no such relationship"),
        (("explore", "--only", "loves", "x"), 2, "one of references"),
        (("explore",), 2, "Missing argument"),
        (("related", "A", "--depth", "9"), 2, "depth"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_type(machine, words, code, says):
    for text in ("Oranges are shipped", "Buttons are purple"):
        machine.store(text)
    machine.sql("UPDATE memory SET created_at = created_at - 90000 * seq")  # else they are near in time
    given = dict(zip("AB", (memory["id"] for memory in machine.memories()), strict=True))
    done = machine.keepstone("graph", *(given.get(word, word) for word in words), ok=False)
    assert (done.returncode, says in done.stderr) == (code, True), done.stderr
