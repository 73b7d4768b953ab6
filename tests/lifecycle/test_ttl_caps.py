"""What ends by itself, and what makes room (Z3-11 to Z3-15, Z3-27, W-Z5 to W-Z8, K4, K12)."""

from __future__ import annotations

from contextlib import closing

import pytest

from builders import candidate
from keepstone.capture import commit_sql
from keepstone.db import sessions
from keepstone.db.writer import Writer
from keepstone.lib.errors import BadInput, StoreError
from keepstone.lib.fuzzy import ratio
from keepstone.lifecycle.add_sql import Origin
from keepstone.model.filter import Filter
from keepstone.model.tiers import DAY, default_tiers
from living import NOW, World

pytestmark = pytest.mark.engine

WORDS = "alpha bravo charlie delta echo foxtrot golf hotel india juliett".split()


@pytest.fixture
def world(machine):
    return World(machine)


def test_the_tiers_ends_are_the_seeds():
    """Z3-11: a session, thirty days, none, none."""
    assert {name: tier.ttl for name, tier in default_tiers().items()} == {
        "working": 0.0,
        "episodic": 30.0,
        "semantic": 0.0,
        "procedural": 0.0,
    }
    caps = {name: tier.cap for name, tier in default_tiers().items()}
    assert caps == {"working": 100, "episodic": 10_000, "semantic": 50_000, "procedural": 5_000}


def test_what_nobody_asked_for_ends_after_its_tiers_time_and_a_persons_does_not(world):
    world.learn("The staging API was slow on that day")
    world.learn("The cluster is called shop-stage", kind="fact")
    world.memory.store("The importer was rewritten twice", kind="discovery")
    assert world.states("tier, expires_at") == [
        ("episodic", NOW + 30 * DAY),
        ("semantic", None),
        ("episodic", None),
    ]


def test_what_has_had_its_time_is_unreadable_before_any_sweep(world):
    memory_id = world.learn("The staging API was slow on that day")
    world.memory.store("The cluster is called shop-stage")
    world.now += 30 * DAY
    memory = world.memory
    assert world.states("status")[0] == ("active",)
    assert [hit.memory.content for hit in memory.recent()] == ["The cluster is called shop-stage"]
    assert memory_id not in memory.brief().ids
    assert memory_id not in [hit.memory.id for hit in memory.search("staging API slow").found]


def test_the_sweep_hides_it_and_keeps_it_for_the_audit(world):
    memory_id = world.learn("The staging API was slow on that day")
    world.now += 31 * DAY
    (swept,) = [ran for ran in world.memory.maintenance.maintain() if ran.name == "sweep"]
    assert swept.report["expired"] == 1
    assert world.states() == [("The staging API was slow on that day", "deleted", "expired")]
    assert [entry.op for entry in world.memory.history.audit(memory=memory_id)] == ["expire", "store"]
    restored = world.memory.restore(memory_id)
    world.now += 90 * DAY
    assert restored.memory.expires_at is None and len(world.memory.recent()) == 1


def test_what_ended_by_itself_comes_back_when_it_is_said_again(world):
    first = world.learn("The staging API was slow on that day")
    world.now += 31 * DAY
    world.memory.maintenance.maintain()
    with closing(Writer(world.path, ratio)) as writer, writer.transaction() as tx:
        project = sessions.project(tx, world.memory.context.caller.identity, "", world.now)
        sessions.note_session(tx, "s-2", project_id=project, transcript_path="", cwd="", branch="", now=world.now)
        said = candidate("The staging API was slow on that day", "general", record="later", method="assistant")
        cursor = sessions.cursor(tx, "s-2")
        commit_sql.capture(tx, Origin("hook", project, "s-2"), [said], cursor, cursor, world.now)
    assert world.states("id, status, expires_at") == [(first, "active", world.now + 30 * DAY)]


@pytest.mark.parametrize(("given", "seconds"), [("7d", 7 * DAY), ("12h", 43_200), ("45m", 2_700), ("604800", 7 * DAY)])
def test_a_span_of_ones_own_wins_over_the_tiers(world, given, seconds):
    hit, _ = world.memory.store("The demo key is valid for a while", ttl=given)
    assert hit.memory.expires_at == NOW + seconds
    world.now += seconds
    assert world.memory.recent() == []


def test_until_a_day_holds_to_its_end(world):
    hit, _ = world.memory.store("The freeze holds", until="2027-01-20")
    assert hit.memory.deadline_at == hit.memory.expires_at == 1_800_489_599.0
    world.now = hit.memory.deadline_at + 1
    assert world.memory.lifecycle.worth(hit.memory.id).left == 0.0 and world.memory.recent() == []


@pytest.mark.parametrize("more", [{"ttl": "soon"}, {"ttl": "0d"}, {"until": "2020-01-01"}, {"until": "someday"}])
def test_what_is_no_end_is_refused_and_nothing_is_stored(world, more):
    with pytest.raises(BadInput):
        world.memory.store("The freeze holds", **more)
    assert world.memory.recent() == []


def test_a_procedural_memory_takes_no_end(world):
    with pytest.raises(BadInput, match="does not end"):
        world.memory.store("Ship with make ship", tier="procedural", ttl="7d")


# Caps


def test_the_least_important_goes_first_and_the_count_never_exceeds_the_cap(machine):
    world = World(machine, episodic=3)
    for number, relevance in enumerate((0.5, 0.2, 0.8)):
        world.learn(f"It was {WORDS[number]}", relevance=relevance)
        world.now += 2 * DAY
    world.learn("It was delta", relevance=0.1)
    assert world.active("episodic") == ["It was alpha", "It was charlie", "It was delta"]
    world.now += 2 * DAY
    for word in WORDS[4:]:
        world.learn(f"It was {word}", relevance=0.6)
        assert len(world.active("episodic")) == 3
    evicted = world.memory.history.audit(op="evict")
    assert len(evicted) == 7 and {entry.details["reason"] for entry in evicted} == {"retention_cap"}


def test_a_working_tier_that_is_full_lets_the_least_recently_used_go(machine):
    world = World(machine, working=3)
    ids = [world.learn(f"Perhaps {word}", tier="working") for word in WORDS[:3]]
    machine.sql(f"UPDATE memory SET created_at = created_at - {9 * DAY} WHERE id IN ('{ids[0]}', '{ids[1]}')")
    machine.sql(f"UPDATE memory SET accessed_at = {NOW} WHERE id = '{ids[0]}'")
    world.learn("Perhaps delta", tier="working")
    assert world.active("working") == ["Perhaps alpha", "Perhaps charlie", "Perhaps delta"]


def test_a_procedural_tier_that_is_full_lets_the_least_sure_go(machine):
    world = World(machine, procedural=2)
    for word, confidence in (("alpha", 0.9), ("bravo", 0.3)):
        world.learn(f"Always run {word}", tier="procedural", confidence=confidence, relevance=1 - confidence)
    world.now += 2 * DAY
    world.learn("Always run charlie", tier="procedural", confidence=0.5)
    assert world.active("procedural") == ["Always run alpha", "Always run charlie"]


def test_what_is_new_goes_last(machine):
    """W-Z7: it had no time to be used."""
    world = World(machine, episodic=2)
    world.learn("It was alpha", relevance=0.9)
    world.now += 3 * DAY
    world.learn("It was bravo", relevance=0.1)
    world.now += 60
    world.learn("It was charlie", relevance=0.1)
    assert world.active("episodic") == ["It was bravo", "It was charlie"]


def test_nothing_pinned_or_given_by_hand_is_evicted_and_a_tier_of_these_refuses(machine):
    world = World(machine, semantic=3)
    pinned = world.learn("The cluster is called shop-stage", kind="fact", relevance=0.1)
    world.memory.pin(pinned)
    for word in ("alpha", "bravo"):
        world.memory.store(f"The team's codename is {word}", relevance=0.0)
    with pytest.raises(StoreError, match="pinned or a person's own") as refused:
        world.memory.store("A newer fact about the registry")
    assert "keepstone config tier.semantic.cap 6" in refused.value.hint
    captured = world.learn("The registry moved to host42", kind="fact")  # no window waits for ever for room
    assert len(world.active("semantic")) == 3
    assert world.states("id, status, status_reason")[-1] == (captured, "deleted", "evicted")


def test_each_agent_has_its_own_room(machine):
    world = World(machine, episodic=2)
    for agent in ("main", "scout"):
        for number in range(3):
            world.learn(f"{agent} saw {WORDS[number]}", agent=agent)
            world.now += 60
    counts = machine.sql("SELECT agent_id, count(*) FROM memory WHERE status = 'active' GROUP BY 1 ORDER BY 1")
    assert counts == [("main", 2), ("scout", 2)]
    found = world.memory.lifecycle.selected(narrow=Filter(agent="scout"))
    assert {memory.agent_id for memory in found} == {"scout"}
    assert world.memory.lifecycle.forget_all([memory.id for memory in found]) == 2 and len(world.memory.recent()) == 2


def test_an_agent_is_the_one_that_the_client_names(machine, sessions, tmp_path):
    """As a hook tells it, as the transcript has it, and in the shells of its session; a sub-agent's is not told."""
    told, written = sessions.begin(), sessions.begin()
    told.user("I prefer pnpm over npm: CI caches its store.")
    written.line({"type": "agent-setting", "agentSetting": "shop:reviewer"})
    written.user("I prefer tabs over spaces in the billing service.")
    machine.record_interpreters()
    shell = tmp_path / "shell"
    for event in ("session-start", "session-end"):
        said = machine.event(told.session, transcript_path=str(told.path), agent_type="scout")
        assert machine.hook(event, said, CLAUDE_ENV_FILE=str(shell)).stderr == ""
    machine.settle()
    sessions.memory.capture.ingest([str(written.path)])
    assert shell.read_text().split("\n")[1] == "export KEEPSTONE_AGENT=scout"
    machine.keepstone("store", "Deploys need the VPN", KEEPSTONE_AGENT="scout")
    machine.keepstone("store", "Deploys need a ticket", KEEPSTONE_AGENT="; rm -rf ~")
    agents = [agent for (agent,) in machine.sql("SELECT agent_id FROM memory WHERE kind <> 'summary' ORDER BY seq")]
    assert agents[:3] == ["scout", "shop:reviewer", "scout"] and agents[3].startswith("x-")


def test_doctor_tells_of_more_memories_than_one_agent_may_have(machine):
    """W-Z17: caps are an agent's, but a search is everybody's."""
    for tier, cap in {"semantic": 2, "episodic": 1, "procedural": 1, "working": 1}.items():
        machine.keepstone("config", f"tier.{tier}.cap", str(cap))
    world = World(machine)
    for agent in ("main", "scout", "scout"):
        for word in WORDS[:2]:
            world.learn(f"{agent} was told {word} at {world.now}", kind="fact", agent=agent)
            world.now += 60
    (database,) = [check for check in world.memory.maintenance.doctor() if check.name == "database"]
    assert (database.state, database.fix.startswith("keepstone forget --agent scout")) == ("warn", True)


def test_a_cap_that_was_lowered_is_kept_by_the_job(machine):
    world = World(machine)
    for word in WORDS:
        world.learn(f"It was {word}")
    world.now += 2 * DAY
    world.policies.tiers["episodic"].cap = 4
    (caps,) = [ran for ran in world.memory.maintenance.maintain() if ran.name == "caps"]
    assert caps.report == {"evicted": 6} and len(world.active("episodic")) == 4
