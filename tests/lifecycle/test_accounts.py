"""What was, who did it, and taking it back: audit, versions, as-of, diff, undo, why (Z3-22, Z3-23, W-Z12, W-Z13)."""

from __future__ import annotations

import json

import pytest

from keepstone import Memory
from keepstone.lib.errors import NotFound
from keepstone.model.tiers import DAY
from living import NOW, World

pytestmark = pytest.mark.engine


@pytest.fixture
def world(machine):
    return World(machine)


def test_every_change_is_audited_without_what_it_is_about(world):
    memory = world.memory
    memory_id = memory.store("The registry is at vega.internal")[0].memory.id
    memory.revise(memory_id, "The registry is at atlas.internal")
    memory.rate(memory_id, "up", "vega was right")
    memory.pin(memory_id)
    memory.lifecycle.promote(memory_id)
    memory.forget(memory_id)
    memory.restore(memory_id)
    memory.privacy.erase([memory_id])
    done = memory.history.audit(memory=memory_id)
    names = "erase restore forget promote pin rate_up revise store".split()
    assert [entry.op for entry in done] == names and {entry.actor for entry in done} == {"person"}
    text = str(world.machine.sql("SELECT * FROM audit"))
    assert "vega" not in text and "atlas" not in text


def test_the_audit_is_filtered_and_paged(world):
    ids = [world.learn(f"It was {word}", agent="scout") for word in ("alpha", "bravo", "charlie")]
    world.now += DAY
    world.memory.forget(ids[0])
    assert [entry.op for entry in world.memory.history.audit(since=NOW + 1)] == ["forget"]
    assert len(world.memory.history.audit(op="store", agent="scout", tier="episodic", before=NOW + 1)) == 3
    assert len(world.memory.history.audit(actor="worker", session="session-1")) == 3
    first, second = (world.memory.history.audit(limit=2, page=page) for page in (1, 2))
    assert len(first) == len(second) == 2 and first != second


def test_a_day_is_seen_as_it_was(world):
    """Z3-23: as_of returns the older text."""
    memory_id = world.memory.store("The registry is at vega.internal")[0].memory.id
    gone = world.memory.store("The registry is closed on Sundays")[0].memory.id
    world.now += 10 * DAY
    world.memory.revise(memory_id, "The registry is at atlas.internal")
    world.memory.forget(gone)
    world.memory.store("The registry has a mirror")
    then = world.memory.history.as_of("registry", NOW + DAY)
    assert {hit.memory.content for hit in then} == {
        "The registry is at vega.internal",
        "The registry is closed on Sundays",
    }
    assert {hit.memory.content for hit in world.memory.history.as_of("registry", world.now)} == {
        "The registry is at atlas.internal",
        "The registry has a mirror",
    }
    assert world.memory.history.as_of("registry", NOW - 1) == []


def test_the_versions_of_a_memory_leave_no_gap(world):
    memory_id = world.memory.store("The registry is at vega.internal")[0].memory.id
    for day in range(1, 4):
        world.now = NOW + day * DAY
        world.memory.revise(memory_id, f"The registry is at host{day}.internal")
    world.now += DAY
    world.memory.lifecycle.promote(memory_id)
    _, versions, _ = world.memory.history.history(memory_id)
    assert versions[0].valid_from == NOW
    assert all(a.valid_to == b.valid_from for a, b in zip(versions, versions[1:], strict=False))
    assert [one.content[19:23] for one in versions] == ["vega", "host", "host", "host"]
    assert [one.reason for one in versions] == ["revise", "revise", "revise", "promote"]


def test_what_a_session_changed_is_shown_and_taken_back(sessions):
    sessions.say("We decided to use MySQL for the reports service", day="2026-11-08")
    sessions.say("Deploys always need the VPN, the registry is internal", day="2026-11-08")
    transcript = sessions.say(
        "We no longer use MySQL for the reports service, we use PostgreSQL for it",
        "Deploys always need the VPN, the registry is internal",
        day="2026-11-09",
    )
    memory = sessions.memory
    found = memory.history.diff(transcript.session)
    assert sorted(what for what, _ in found.changes) == ["new", "said again", "taken back"]
    done = memory.history.undo(transcript.session)
    assert (len(done.forgotten), len(done.revived), len(done.weakened)) == (1, 1, 1)
    assert sorted(sessions.recalled) == sorted(
        ["We decided to use MySQL for the reports service", "Deploys always need the VPN, the registry is internal"]
    )
    memory.capture.ingest([str(transcript.path)])
    memory.capture.capture(str(transcript.path))
    assert not any("PostgreSQL" in text for text in sessions.recalled)
    again = memory.history.undo(transcript.session)
    assert (again.forgotten, again.revived, again.weakened) == ([], [], [])
    with pytest.raises(NotFound):
        memory.history.diff("no-such-session")


def test_what_others_have_said_too_survives_the_undoing(sessions):
    said = "Deploys always need the VPN, the registry is internal"
    first = sessions.say(said, day="2026-11-08")
    sessions.say(said, day="2026-11-09")
    done = sessions.memory.history.undo(first.session)
    assert done.forgotten == [] and len(done.weakened) == 1 and sessions.recalled == [said]


def test_why_says_what_a_memory_is_worth_in_words_and_numbers(machine):
    memory = Memory(str(machine.home), str(machine.project), machine.env)
    memory_id = memory.store("PostgreSQL for billing: row-level security", kind="decision")[0].memory.id
    said = machine.keepstone("why", memory_id).stdout
    assert "Importance 0.7" in said and "recency" in said and "unknown yet" in said and "It stays semantic" in said
    given = json.loads(machine.keepstone("why", memory_id, "--json").stdout)
    assert [factor["name"] for factor in given["factors"]][-1] == "links" and given["prunable"] is False
    counted = machine.sql("SELECT access_count, retrieval_count, use_count FROM memory")
    assert counted == [(0, 0, 0)]
    assert "Place 1 of 1" in machine.keepstone("why", memory_id, "--query", "billing database").stdout


def test_the_history_and_the_diff_are_read_at_the_command_line(machine, sessions):
    transcript = sessions.say("We decided to use MySQL for the reports service")
    (row,) = machine.memories()
    machine.keepstone("revise", str(row["id"]), "We use MySQL 8 for the reports service")
    said = machine.keepstone("history", str(row["id"])).stdout
    assert "until revise:" in said and "We decided to use MySQL" in said and "store by worker" in said
    assert "new" in machine.keepstone("diff", transcript.session).stdout
    left = machine.keepstone("undo", transcript.session, "--yes").stdout
    assert left.startswith(
        "There was nothing left to take back.\nLeft as it is, as it was changed since: [D] We use MySQL"
    )
    other = sessions.say("We decided that nightly exports leave at two o'clock for the bucket of finance")
    assert "keepstone undo" in machine.keepstone("diff", other.session).stderr
    assert machine.keepstone("undo", other.session, "--yes").stdout == "Taken back: 1 forgotten.\n"
    assert "was taken back" in machine.keepstone("diff", other.session).stderr
    assert "undo" in machine.keepstone("audit").stdout
