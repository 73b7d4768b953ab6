"""What is lifted from tier to tier, why, and why not (Z3-16 to Z3-18, NC-4, W-Z6, W-Z9, W-Z10, W-NC1, W-NC8)."""

from __future__ import annotations

import pytest

from builders import at, stored
from keepstone.api.compat_z3rno import Z3rno
from keepstone.lib.errors import BadInput
from keepstone.lifecycle.cluster import clusters
from keepstone.model.tiers import DAY, Standing, default_tiers, promotion, tiers_of
from living import NOW, World

pytestmark = pytest.mark.engine

EPISODIC = default_tiers()["episodic"]
FLAKY = "Integration tests hang when the proxy is on"


@pytest.fixture
def world(machine):
    return World(machine)


def decided(sessions=1, importance=0.3, days=1.0, **more):
    given = {"tier": "episodic", "kind": "general", "expires_at": at("2026-01-31"), "origin": "hook", **more}
    memory = stored("x", day="2026-01-01", **given)
    return promotion(Standing(memory, importance, sessions), EPISODIC, at("2026-01-01") + days * DAY)


def test_three_distinct_sessions_make_a_fact_and_two_do_not():
    assert decided(sessions=2)[0] == "" and decided(sessions=3) == ("semantic", "stated in 3 sessions")


def test_what_was_said_three_times_in_one_session_is_said_once(world):
    """W-Z9."""
    for session in ("session-1", "session-1", "session-1", "session-2"):
        world.learn(FLAKY, session=session)
        world.now += 60
    assert [step.promoted for step in world.memory.lifecycle.consolidate()] == [0, 0, 0]
    world.learn(FLAKY, session="session-3")
    steps = world.memory.lifecycle.consolidate()
    assert [(step.name, step.promoted) for step in steps][1] == ("episodic to semantic", 1)
    assert world.states("tier, expires_at") == [("semantic", None)]
    assert [step.promoted for step in world.memory.lifecycle.consolidate()] == [0, 0, 0]


def test_worth_and_use_lift_as_the_seed_says():
    """0.5 importance + 0.3 uses of 20 + 0.2 age of 30 days, from 0.7 on (NC-4)."""
    assert decided(importance=0.8, days=14, use_count=14)[0] == "semantic"
    assert decided(importance=0.8, days=14, use_count=10)[0] == ""


def test_at_the_end_of_its_time_it_is_decided_and_not_lost_blindly():
    """W-Z6."""
    assert decided(importance=0.5, days=29.5)[0] == "semantic"
    assert decided(importance=0.49, days=29.5)[0] == ""
    assert decided(importance=0.5, days=20)[0] == ""


def test_a_proven_cure_stays_and_an_unsure_one_does_not():
    given = {"tier": "episodic", "expires_at": at("2026-01-31"), "origin": "hook", "confidence": 0.75}
    cure = stored("x", kind="solution", day="2026-01-01", **given)
    end = at("2026-01-31")
    assert promotion(Standing(cure, 0.3, 1), EPISODIC, end)[0] == "semantic"
    cure.confidence = 0.65
    assert promotion(Standing(cure, 0.3, 1), EPISODIC, end)[0] == ""


@pytest.mark.parametrize(("confidence", "earned"), [(0.69, ""), (0.7, "procedural")])
def test_a_pattern_of_three_sessions_becomes_procedural_from_a_confidence_on(confidence, earned):
    memory = stored("x", tier="semantic", kind="pattern", confidence=confidence)
    assert promotion(Standing(memory, 0.9, 3), default_tiers()["semantic"], NOW)[0] == earned


def test_a_habit_waits_for_a_persons_word_unless_that_is_switched_off(world):
    memory_id = ""
    for number in range(3):
        memory_id = world.learn("Run make lint before each commit", kind="pattern", session=f"s-{number}")
    assert world.memory.lifecycle.consolidate()[2].proposed == [
        (memory_id, "procedural", "done in 3 sessions, confidence 0.90")
    ]
    assert world.states("tier") == [("semantic",)]
    (proposed,) = world.memory.review.review()
    assert (proposed.kind, proposed.tier) == ("promote", "procedural")
    world.memory.context.settings.values["confirm_promotions"] = False
    assert world.memory.lifecycle.consolidate()[2].promoted == 1
    assert world.states("tier") == [("procedural",)] and world.memory.review.review() == []


def test_one_cycle_lifts_by_one_tier_and_says_why_not(world):
    memory_id = world.learn("Perhaps the broker drops messages", tier="working", session="s-0")
    world.machine.sql(
        "INSERT INTO evidence (memory_id, session_id, record_uuid, excerpt, trust, method, row_digest, created_at)"
        f" SELECT '{memory_id}', 's-' || value, 'r-' || value, 'x', 'trusted', 'user', 'd', 1 FROM"
        " json_each('[1,2,3]')"
    )
    first = world.memory.lifecycle.consolidate()
    assert first[0].lifted == [(memory_id, "episodic", "stated in 4 sessions")] and first[1].examined == 0
    assert world.memory.lifecycle.consolidate()[1].lifted == [(memory_id, "semantic", "stated in 4 sessions")]
    world.learn("It was slow on that day", session="s-9")
    (stayed,) = world.memory.lifecycle.consolidate()[1].stayed
    assert "of 0.70" in stayed[1] and "1 of 3 sessions" in stayed[1]


def test_what_is_quarantined_is_not_lifted(world):
    for number in range(4):
        world.learn(FLAKY, session=f"s-{number}", suspect="said after reading from outside", method="assistant")
    assert [step.promoted for step in world.memory.lifecycle.consolidate()] == [0, 0, 0]


def test_a_lift_is_one_row_with_its_earlier_tier_behind_it(world):
    memory_id = world.learn(FLAKY)
    world.memory.lifecycle.promote(memory_id, "semantic")
    assert world.states("id, tier, version") == [(memory_id, "semantic", 2)]
    hit, versions, done = world.memory.history.history(memory_id)
    assert [(one.tier, one.reason) for one in versions] == [("episodic", "promote")]
    assert (done[-1].op, done[-1].actor, done[-1].details["to"]) == ("promote", "person", "semantic")
    assert world.memory.lifecycle.demote(memory_id).memory.tier == "episodic"


@pytest.mark.parametrize("target", ["episodic", "working", "eternal"])
def test_what_is_not_higher_is_refused(world, target):
    memory_id = world.memory.store("The registry is internal")[0].memory.id
    with pytest.raises(BadInput, match="no higher tier"):
        world.memory.lifecycle.promote(memory_id, target)


def test_clusters_of_what_ends_are_summed_up_and_stay_readable(world):
    told = (
        "The import of the ledger took an hour on staging",
        "Somebody saw rounding trouble in the ledger of March",
        "Auditors asked who may write to the ledger",
        "Backups of the ledger are kept in Frankfurt",
    )
    for number, text in enumerate(told):
        world.learn(text, session=f"s-{number}", relevance=0.3, facets=(("file", "billing/ledger.py"),))
    world.learn("The printer was out of paper", relevance=0.3)
    world.now += 31 * DAY
    (swept,) = [ran for ran in world.memory.maintenance.maintain() if ran.name == "sweep"]
    assert (swept.report["expired"], swept.report["summaries"]) == (5, 1)
    (left,) = world.memory.recent()
    assert (left.memory.kind, left.memory.tier) == ("summary", "semantic")
    assert "billing/ledger.py" in left.memory.title
    assert all(text in left.memory.content for text in told) and "paper" not in left.memory.content
    assert len(world.memory.show(left.memory.id)[0].related) == 4
    (again,) = [ran for ran in world.memory.maintenance.maintain() if ran.name == "sweep"]
    assert again.report["summaries"] == 0


def test_what_a_tier_keeps_and_sums_up_is_a_setting(world):
    """Z3-27."""
    for number, text in enumerate(("took an hour", "had rounding trouble", "is kept in Frankfurt")):
        made = f"The import of the ledger {text}"
        world.learn(made, session=f"s-{number}", relevance=0.3, facets=(("file", "billing/ledger.py"),))
    world.policies.tiers = tiers_of(
        {"tier.episodic.ttl": "2d", "tier.episodic.summarise": False, "tier.episodic.least": 0.1}
    )
    kept = world.learn("The alpha proxy drops idle connections", relevance=0.9)
    ends = world.memory.get([kept])[0].memory.expires_at
    assert ends == world.now + 2 * DAY
    world.now += 31 * DAY
    (swept,) = [ran for ran in world.memory.maintenance.maintain() if ran.name == "sweep"]
    assert swept.report["summaries"] == 0 and swept.report["lifted"] == 4


def test_a_cluster_is_of_several_sessions_and_three_episodes():
    def episodes(count, sessions):
        return [
            stored(f"x {n}", id=f"mem-{n:016x}", tier="episodic", session_id=f"s-{n % sessions}") for n in range(count)
        ]

    def about(held):
        return {memory.id: ["a.py"] for memory in held}

    assert clusters(episodes(2, 2), about(episodes(2, 2))) == []
    assert clusters(episodes(3, 1), about(episodes(3, 1))) == []
    ((subjects, members),) = clusters(episodes(3, 2), about(episodes(3, 2)))
    assert subjects == ("a.py",) and len(members) == 3


def test_five_working_notes_become_episodes_and_one_summary(world):
    """Z3-16."""
    z3rno = Z3rno(world.memory)
    session = z3rno.start_session("main")
    for word in ("alpha", "bravo", "charlie", "delta", "echo"):
        z3rno.store("main", f"The {word} service logs to stdout", "working")
    assert len(world.memory.lifecycle.working()) == 5
    assert z3rno.end_session(session) == 5 and world.memory.lifecycle.working() == []
    (summary,) = [hit for hit in world.memory.recent() if hit.memory.kind == "summary"]
    assert len(world.memory.show(summary.memory.id)[0].related) == 5 and len(world.active("episodic")) == 6
