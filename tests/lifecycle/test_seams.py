"""Neuroca's and Z3rno's words over our operations, and what can be replaced (NC-1 to NC-13, Z3-4, Z3-5, Z3-24)."""

from __future__ import annotations

import ast
import inspect
from dataclasses import replace

import pytest

from keepstone import Memory
from keepstone.api.compat_neuroca import TIERS, Neuroca
from keepstone.api.compat_z3rno import Z3rno
from keepstone.db.migrations import run
from keepstone.db.open import Backend
from keepstone.lib.errors import BadInput, KeepstoneError, NotFound, StateError, StoreError
from keepstone.model import importance, policies, tiers
from keepstone.model.policies import Policies
from keepstone.model.tiers import DAY, Tier, default_tiers
from living import World

pytestmark = pytest.mark.engine


@pytest.fixture
def world(machine):
    return World(machine)


@pytest.fixture
def neuroca(world):
    return Neuroca(world.memory)


@pytest.fixture
def z3rno(world):
    return Z3rno(world.memory)


# Neuroca


def test_a_memory_begins_in_the_short_term_and_elsewhere_if_asked(world, neuroca):
    """NC-1: the default tier, an explicit one, and what each adds."""
    short = neuroca.memory.get([neuroca.add_memory("The proxy drops idle connections")])[0].memory
    middle = neuroca.memory.get([neuroca.add_memory("The proxy was rebooted", initial_tier="mtm")])[0]
    long = neuroca.memory.get([neuroca.add_memory("The proxy is squid 6", 0.9, ["infra"], "ltm")])[0]
    assert (short.tier, short.expires_at) == ("working", world.now + 3_600)
    assert middle.memory.tier == "episodic" and neuroca.priority(middle) in ("high", "medium", "low")
    assert (long.memory.tier, long.memory.relevance, long.facet("tag")) == ("semantic", 0.9, ["infra"])


def test_a_memory_is_retrieved_from_its_tier_alone_and_counted(world, neuroca):
    """NC-2."""
    memory_id = neuroca.add_memory("The proxy was rebooted", initial_tier="mtm")
    assert neuroca.retrieve_memory(memory_id, "stm") is neuroca.retrieve_memory(memory_id, "ltm") is None
    before = world.memory.lifecycle.worth(memory_id).importance
    assert neuroca.retrieve_memory(memory_id, "mtm") and neuroca.retrieve_memory(memory_id)
    assert world.memory.lifecycle.worth(memory_id).importance > before
    assert world.states("use_count") == [(2,)]
    assert neuroca.retrieve_memory("mem-00000000000000aa") is None
    short = neuroca.add_memory("For an hour only")
    world.now += 3_601
    assert neuroca.retrieve_memory(short) is None


def test_a_search_covers_all_tiers_and_gives_each_memory_once(world, neuroca):
    """NC-3."""
    for text, tier in (
        ("proxy drops idle connections", "stm"),
        ("proxy was rebooted", "mtm"),
        ("proxy is squid", "ltm"),
    ):
        neuroca.add_memory(f"The {text}", initial_tier=tier, tags=["infra"])
    found = [hit.memory.content for hit in neuroca.search_memories("proxy")]
    assert len(found) == len(set(found)) == 3 and len(neuroca.search_memories("proxy", limit=2)) == 2
    assert [hit.memory.tier for hit in neuroca.search_memories("proxy", tiers=["ltm"])] == ["semantic"]
    assert neuroca.search_memories("proxy", tags=["other"]) == []
    assert neuroca.get_prompt_context_memories() == []
    neuroca.search_memories("proxy", tiers=["mtm", "ltm"], update_working_memory=True)
    assert len(neuroca.get_prompt_context_memories()) == 2


def test_a_context_fills_the_working_memory_and_is_cleared(neuroca):
    """NC-5 and NC-6."""
    for word in ("alpha", "bravo", "charlie"):
        neuroca.add_memory(f"The {word} deploy needs the VPN. " + "It is a long story. " * 60, initial_tier="ltm")
    assert neuroca.update_context({"query": "deploy vpn"}) and not neuroca.update_context({})
    texts = neuroca.get_prompt_context_memories(max_memories=2, max_tokens_per_memory=20)
    assert len(texts) == 2 and all(len(text) <= 80 for text in texts)
    neuroca.clear_context()
    neuroca.add_memory("Deploy vpn: what the deploy by vpn needs", initial_tier="ltm")
    neuroca.update_context({"query": "deploy vpn"})
    assert neuroca.get_prompt_context_memories(max_memories=1)[0].startswith("Deploy vpn")
    neuroca.clear_context()
    assert neuroca.get_prompt_context_memories() == []


def test_the_cycle_reports_and_a_second_one_lifts_nothing(world, neuroca):
    """NC-4."""
    for session in ("s-1", "s-2", "s-3"):
        world.learn("The proxy drops idle connections", session=session)
    first, second = neuroca.run_consolidation_cycle(), neuroca.run_consolidation_cycle()
    assert [step["promoted"] for step in first] == [0, 1, 0] and sum(step["promoted"] for step in second) == 0
    assert set(first[0]) >= {"examined", "promoted", "skipped", "errors", "stayed"}


def test_the_rest_of_the_words_are_there(world, neuroca):
    """NC-12 and NC-13."""
    memory_id = neuroca.add_memory("The proxy is squid", initial_tier="ltm")
    assert neuroca.strengthen(memory_id).memory.up_votes == 1 and neuroca.decay(memory_id).memory.down_votes == 1
    assert neuroca.update_memory(memory_id, "The proxy is squid 6").memory.content == "The proxy is squid 6"
    assert neuroca.get_system_stats() == {"stm": 0, "mtm": 0, "ltm": 1}
    assert neuroca.delete_memory(memory_id).memory.status == "deleted"
    assert set(TIERS) == {"stm", "mtm", "ltm"}


# Z3rno


def test_the_call_has_the_seeds_shape_and_scores_what_is_omitted(world, z3rno):
    """Z3-4, Z3-5, Z3-14."""
    names = list(inspect.signature(Z3rno.store).parameters)[1:]
    assert names == ["agent_id", "content", "memory_type", "importance", "ttl_seconds"]
    memory_id = z3rno.store("scout", "The proxy drops idle connections after 60 s", ttl_seconds=604_800)
    (hit,) = world.memory.get([memory_id])
    assert (hit.memory.tier, hit.memory.agent_id, hit.memory.expires_at) == ("episodic", "scout", world.now + 7 * DAY)
    assert 0.0 < hit.memory.relevance < 1.0
    assert z3rno.update(memory_id, importance=0.2).memory.relevance == 0.2
    with pytest.raises(BadInput, match="relevance"):
        z3rno.store("scout", "x", importance=1.2)


def test_recall_honours_its_parameters(world, z3rno):
    """Z3-24."""
    ids = [z3rno.store("main", f"The {word} proxy was rebooted") for word in ("alpha", "bravo", "charlie")]
    world.now += DAY
    later = z3rno.store("main", "The delta proxy was rebooted", "semantic")
    world.memory.revise(later, tags=["infra"])
    assert [hit.memory.id for hit in z3rno.recall("proxy rebooted", metadata_filter="infra")] == [later]
    assert len(z3rno.recall("proxy rebooted", top_k=2)) == 2
    assert [hit.memory.id for hit in z3rno.recall("proxy", "semantic")] == [later]
    assert {hit.memory.id for hit in z3rno.recall("proxy", time_range=(None, world.now - 1))} == set(ids)
    assert {hit.memory.id for hit in z3rno.recall("proxy", as_of=world.now - 1)} == set(ids)
    assert [hit.memory.id for hit in z3rno.recall("delta proxy", similarity_threshold=0.999)] == [later]


def test_what_was_forgotten_is_recalled_only_if_asked(world, z3rno):
    """Z3-24."""
    kept, gone, other = (z3rno.store("main", f"The {text}") for text in ("alpha proxy", "bravo proxy", "charlie host"))
    for memory_id in (gone, other):
        z3rno.forget("main", memory_id)
    assert [hit.memory.id for hit in z3rno.recall("proxy")] == [kept]
    assert [hit.memory.id for hit in z3rno.recall("proxy", include_deleted=True)] == [kept, gone]


def test_forgetting_is_the_agents_own_and_hard_is_for_good(world, z3rno):
    """Z3-19 to Z3-21."""
    memory_id = z3rno.store("scout", "The proxy drops idle connections")
    with pytest.raises(NotFound):
        z3rno.forget("main", memory_id)
    assert z3rno.forget("scout", memory_id) and world.states("status") == [("deleted",)]
    assert z3rno.forget_all("scout", hard=True) == 1 and world.states() == []
    assert [entry.op for entry in z3rno.audit(memory=memory_id)] == ["erase", "forget", "store"]


def test_a_session_of_an_agent_ends_and_what_it_worked_with_becomes_episodic(world, z3rno):
    """Z3-25, Z3-16: the agent's own working memories, and nobody else's."""
    session = z3rno.start_session("scout")
    for word in ("alpha", "bravo"):
        z3rno.store("scout", f"The {word} proxy was rebooted", "working")
    z3rno.store("main", "The delta proxy was rebooted", "working")
    world.machine.sql(f"INSERT INTO session (id, started_at, last_seen_at) VALUES ('{session}', 1.0, 1.0)")
    assert z3rno.end_session(session) == 2 and z3rno.end_session(session) == 0
    assert world.machine.sql("SELECT ended_at FROM session") == [(world.now,)]
    tiers_now = dict(world.states("content, tier || ' ' || agent_id || ' ' || coalesce(session_id, 'none')"))
    assert (
        tiers_now["The alpha proxy was rebooted"]
        == tiers_now["The bravo proxy was rebooted"]
        == f"episodic scout {session}"
    )
    assert tiers_now["The delta proxy was rebooted"] == "working main none"
    assert z3rno.store("scout", "The echo proxy was rebooted", "working")
    assert world.states("session_id")[-1] == (None,)


def test_promotion_and_history_are_named_alike(z3rno):
    memory_id = z3rno.store("main", "The proxy drops idle connections")
    assert z3rno.promote(memory_id, "semantic").memory.tier == "semantic"
    assert [one.tier for one in z3rno.history(memory_id)] == ["episodic"]
    with pytest.raises(BadInput, match="no higher tier"):
        z3rno.promote(memory_id, "episodic")


# Seams


def imported(module):
    tree = ast.parse(inspect.getsource(module))
    return {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)} | {
        alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
    }


@pytest.mark.parametrize("module", [tiers, policies, importance])
def test_what_decides_knows_no_sql(module):
    """NC-8."""
    assert not any("store" in name or "sql" in name for name in imported(module))
    assert "SELECT" not in inspect.getsource(module)


def test_every_error_has_one_base():
    """NC-10."""
    assert all(issubclass(error, KeepstoneError) for error in (BadInput, NotFound, StateError, StoreError))


class Everlasting(Policies):
    """Another consolidation: whatever is old enough is lifted, and worth is its length."""

    def __init__(self):
        made = default_tiers()
        made["episodic"] = Tier("episodic", "constant", cap=2, evicts="oldest", ttl=1.0)
        super().__init__(
            made,
            importance=lambda memory, tier, now, rank: min(1.0, len(memory.content) / 100),
            promotion=lambda given, tier, now: (
                ("semantic", "all are") if given.memory.tier == "episodic" else ("", "no")
            ),
        )


def test_tiers_consolidation_and_worth_are_replaceable(machine):
    """NC-11: another tier policy, another promotion, another worth, and nothing else is changed."""
    memory = Memory(str(machine.home), str(machine.project), machine.env, policies=Everlasting())
    short = memory.store("A short fact")[0].memory.id
    long = memory.store("A fact that goes on for a while, as some do, " + "and on " * 8)[0].memory.id
    assert memory.brief().ids == [long, short]
    assert memory.lifecycle.worth(short).importance == 0.12
    z3rno = Z3rno(memory)
    ids = [z3rno.store("main", f"The {word} proxy was rebooted") for word in ("alpha", "bravo", "charlie")]
    held = memory.get(ids)
    assert [hit.memory.status for hit in held] == ["deleted", "active", "active"]
    assert held[1].memory.expires_at - held[1].memory.created_at == pytest.approx(DAY, abs=1)
    assert [step.promoted for step in memory.lifecycle.consolidate()] == [0, 2, 0]


class Counted(Backend):
    """Another backend: it keeps its rows elsewhere, and counts who comes."""

    def __init__(self, path):
        self.path = str(path)
        self.opened = []

    def reader(self, path):
        run.ensure(self.path)
        self.opened.append("read")
        return super().reader(self.path)

    def writer(self, path):
        self.opened.append("write")
        return super().writer(self.path)


def test_another_backend_takes_the_place_of_the_file(machine, tmp_path):
    """NC-11: no use case, tier or facade knows where rows are."""
    memory = Memory(str(machine.home), str(machine.project), machine.env, policies=Everlasting())
    memory = Memory.of_context(replace(memory.context, backend=Counted(tmp_path / "elsewhere.db")))
    neuroca = Neuroca(memory, relevance=lambda text, context: 1.0 / len(text))
    ids = [neuroca.add_memory(text, initial_tier="mtm") for text in ("proxy and more of it", "proxy")]
    assert [hit.memory.id for hit in neuroca.search_memories("proxy")] == ids[::-1]
    assert [step["promoted"] for step in neuroca.run_consolidation_cycle()] == [0, 2, 0]
    assert set(memory.context.backend.opened) == {"read", "write"}
    assert len(memory.recent()) == 2 and machine.memories() == []


def test_another_relevance_ranks_the_working_memory(world):
    neuroca = Neuroca(world.memory, relevance=lambda text, context: 1.0 / len(text))
    for text in ("proxy and more about the proxy", "proxy"):
        neuroca.add_memory(text, initial_tier="ltm")
    assert [hit.memory.content for hit in neuroca.search_memories("proxy")][0] == "proxy"


@pytest.mark.parametrize("sign", [1, -1])
def test_search_ranks_by_the_importance_it_shows(machine, sign):
    policies = Policies(importance=lambda memory, tier, now, rank: 0.5 + sign * (memory.relevance - 0.5))
    environ = {**machine.env, "KEEPSTONE_EMBEDDER": "off"}
    memory = Memory(str(machine.home), str(machine.project), environ, policies=policies)
    low = memory.store("The proxy caches large images", relevance=0.2)[0].memory.id
    high = memory.store("The proxy retries slow uploads", relevance=0.8)[0].memory.id
    found = memory.search("proxy").found
    assert [hit.memory.id for hit in found] == [high, low][::sign]
    assert found[0].importance == pytest.approx(0.8)
    assert memory.lifecycle.why(high, "proxy").worth == pytest.approx(0.5 + sign * 0.3)
