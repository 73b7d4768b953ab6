"""By no way does what was erased come back, what was undone is as it was, and damage stays to be found."""

from __future__ import annotations

import json
import os
import re
from contextlib import closing
from dataclasses import replace

import pytest

from keepstone import Memory
from keepstone.db.backups import BACKUPS_BYTES
from keepstone.db.writer import Writer
from keepstone.lib.errors import StateError
from keepstone.lib.fuzzy import ratio
from keepstone.lifecycle.tombstones_sql import Tombstones
from keepstone.model.tiers import DAY
from living import World, holding
from support import Transcript

pytestmark = pytest.mark.engine

RULE = "From now on always deploy the zebrafish cluster through the quokka VPN gateway."
OLD, NEW = "From now on always use port 8080 for the API.", "From now on always use port 9090 for the API."


@pytest.fixture
def world(machine):
    return World(machine)


def changed(transcript, *names):
    """Files that Claude has edited: what makes a session worth a summary."""
    for name in names:
        given = {"file_path": f"{transcript.cwd}/{name}", "old_string": "a", "new_string": "b"}
        transcript.tool("Edit", given)


@pytest.mark.parametrize("how", ["erase", "forget"])
def test_a_session_that_is_resumed_does_not_sum_up_what_is_gone(machine, sessions, how):
    transcript = sessions.begin("2026-11-08")
    transcript.user(RULE)
    sessions.end(transcript)
    (row,) = machine.memories()
    machine.keepstone(how, str(row["id"]), *(["--yes"] if how == "erase" else []))
    transcript.day = "2026-11-10"
    transcript.user("Now please refactor the two modules")
    changed(transcript, "a.py", "b.py")
    sessions.end(transcript)
    assert "zebrafish" not in json.dumps(machine.memories("--all"))
    assert how == "forget" or holding(machine.home, "zebrafish") == []


def test_a_summary_is_dated_by_its_prompt_and_not_by_what_came_after_a_pause(machine, sessions):
    transcript = sessions.begin("2026-11-08")
    transcript.user("Please refactor the two modules")
    sessions.end(transcript)
    transcript.day = "2026-11-10"
    changed(transcript, "a.py", "b.py")
    sessions.end(transcript)
    (row,) = (one for one in machine.memories() if one["kind"] == "summary")
    assert "2026-11-08" in str(row["content"]) and "2026-11-10" not in str(row["content"])


def test_an_edit_of_a_memory_file_brings_only_what_it_adds(machine, sessions):
    name = re.sub(r"[^A-Za-z0-9]", "-", str(machine.project))
    folder = machine.user_home / ".claude" / "projects" / name
    head = "---\nname: deploys\ndescription: how to deploy\nmetadata:\n  type: project\n---\n\n"
    text = f"{head}{RULE}\n\nThe office coffee machine needs descaling.\n"

    def wrote(content, session, day):
        transcript = Transcript(folder / f"{session}.jsonl", machine.project, session, day)
        transcript.user("Please look at the repository")
        transcript.tool("Write", {"file_path": str(folder / "memory" / "deploys.md"), "content": content})
        sessions.memory.capture.capture(str(transcript.path))

    wrote(text, "s-1", "2026-11-08")
    (row,) = machine.memories()
    machine.keepstone("erase", str(row["id"]), "--yes")
    sessions.now += 9 * DAY
    wrote(text.replace("coffee", "tea"), "s-2", "2026-11-28")
    assert holding(machine.home, "zebrafish") == []
    assert ["tea machine" in str(row["content"]) for row in machine.memories()] == [True]


@pytest.mark.of_files
def test_an_older_copy_is_put_back_without_what_was_erased_since(world, tmp_path):
    hit, _ = world.memory.store(RULE)
    world.memory.store("The registry is at vega.internal")
    world.memory.backups.backup(str(tmp_path / "old.db"))
    world.memory.privacy.erase([hit.memory.id])
    os.makedirs(world.memory.backups.backups, exist_ok=True)
    (tmp_path / "old.db").rename(f"{world.memory.backups.backups}/old.db")
    before = world.memory.backups.restore_backup("old.db")
    assert [one.memory.content for one in world.memory.recent()] == ["The registry is at vega.internal"]
    assert holding(world.machine.home, "zebrafish") == []
    assert before in [name for name, _ in world.memory.backups.backup_list()]


def test_another_tools_file_does_not_bring_it_back_in_other_words_around_it(machine, tmp_path):
    other = Memory(str(tmp_path / "other"), str(machine.project), machine.another())
    other.store(f"Jo said: {RULE}")
    machine.store(RULE)
    (row,) = machine.memories()
    machine.keepstone("erase", str(row["id"]), "--yes")
    entity = {"type": "entity", "name": "deploys", "entityType": "rule", "observations": [f"Remember: {RULE}"]}
    (tmp_path / "memory.jsonl").write_text(json.dumps(entity) + "\n")
    machine.keepstone("import", str(tmp_path / "memory.jsonl"))
    with (tmp_path / "other.jsonl").open("wb") as file:
        other.transfer.export(file)
    machine.keepstone("import", str(tmp_path / "other.jsonl"))
    assert holding(machine.home, "zebrafish") == []


def test_a_short_text_that_another_one_holds_is_named(machine):
    machine.store("Use zebrafish pnpm")
    machine.store("Use zebrafish pnpm and the quick compiler for builds, always with strict mode")
    short = next(row for row in machine.memories() if row["content"] == "Use zebrafish pnpm")
    said = machine.keepstone("erase", str(short["id"]), "--yes").stdout
    assert "but for what quotes it:" in said and "Still quoted by" in said
    again = machine.keepstone("erase", str(short["id"])[4:10], "--yes").stdout
    assert again.startswith("Erased: what was erased before is ")


def test_evidence_that_says_more_than_the_memory_does_not_come_back(world):
    gone = world.learn("Deploys go through a gateway", excerpt=f"{RULE} Walrus guards hold every pantry key.")
    world.memory.privacy.erase([gone])
    with closing(Writer(world.path, ratio)) as writer, writer.transaction() as tx:
        assert Tombstones(tx).hold(["Walrus guards hold every pantry key"], None)
        assert not Tombstones(tx).hold(["Somebody else has every pantry key"], None)


def test_undoing_what_was_said_again_gives_back_what_held_before(machine, sessions):
    for number, text in enumerate((OLD, NEW, OLD)):
        sessions.say(text, day=f"2026-11-0{2 + number}")
    held = "SELECT content, status FROM memory ORDER BY content"
    assert machine.sql(held) == [(OLD[:-1], "active"), (NEW[:-1], "archived")]
    told = machine.keepstone("diff", "session-3").stdout
    assert "taken back" in told and "taken back" not in machine.keepstone("diff", "session-1").stdout
    machine.keepstone("undo", "session-3", "--yes")
    assert machine.sql(held) == [(OLD[:-1], "archived"), (NEW[:-1], "active")]
    machine.keepstone("undo", "session-2", "--yes")
    assert machine.sql(held) == [(OLD[:-1], "active"), (NEW[:-1], "deleted")]


def test_undoing_gives_back_the_state_the_end_and_the_label(world):
    hook = world.learn("The alpha proxy drops idle connections")
    marked, _ = world.memory.store("Bravo deploys need the VPN")
    world.memory.rate(marked.memory.id, "outdated")
    gone, _ = world.memory.store("Charlie is retired")
    world.memory.forget(gone.memory.id)
    before = world.states("id, status, status_reason, expires_at, pinned, origin")
    environ = {**world.machine.env, "CLAUDE_CODE_SESSION_ID": "session-9", "KEEPSTONE_TYPED": "1"}
    session = Memory(str(world.machine.home), str(world.machine.project), environ, lambda: world.now, world.policies)
    session.pin(hook)
    session.revise(marked.memory.id, "Bravo deploys need no VPN")
    session.forget(marked.memory.id)
    session.restore(gone.memory.id)
    world.now += 60
    world.memory.history.undo("session-9")
    assert world.states("id, status, status_reason, expires_at, pinned, origin") == before


def test_what_is_said_again_after_its_end_lives_on(world, sessions):
    world.memory.store(RULE[:-1], ttl="2d", kind="preference")
    world.now += 3 * DAY
    sessions.now = world.now
    sessions.memory = Memory.of_context(replace(sessions.memory.context, clock=world.memory.context.clock))
    transcript = sessions.begin("2027-01-18")
    transcript.user(RULE)
    sessions.memory.capture.capture(str(transcript.path))
    assert len(world.memory.recent()) == 1
    world.memory.maintenance.maintain()
    assert len(world.memory.recent()) == 1


@pytest.mark.parametrize("touch", [{"relevance": 0.5}, {"kind": "decision"}])
def test_no_change_beside_the_text_hides_damage(world, touch):
    hit, _ = world.memory.store("Deploys need the VPN")
    other, _ = world.memory.store("The registry is at vega.internal")
    world.machine.sql("UPDATE memory SET content = 'Deploys need the VPM' WHERE content LIKE 'Deploys%'")
    world.memory.revise(hit.memory.id, **touch)
    with pytest.raises(StateError, match="is damaged"):
        world.memory.review.merge(
            [hit.memory.id, other.memory.id]
        ) if "relevance" in touch else world.memory.review.merge(
            [hit.memory.id, world.memory.store("Staging is atlas", kind="decision")[0].memory.id]
        )
    (digests,) = [check for check in world.memory.maintenance.doctor() if check.name == "digests"]
    assert digests.state == "fail"
    world.memory.revise(hit.memory.id, "Deploys need the VPN")
    assert [check.state for check in world.memory.maintenance.doctor() if check.name == "digests"] == ["ok"]


def test_room_is_made_by_the_old_and_only_as_much_as_is_needed_by_the_new(machine):
    world = World(machine, episodic=300)
    world.learn("It was the first")
    world.now += 2 * DAY
    for number in range(299):
        world.learn(f"It was number {number} of them", session=f"s-{number}")
    world.learn("It was the last")
    assert len(world.active("episodic")) == 300 and "It was the first" not in world.active("episodic")


@pytest.mark.of_files
def test_copies_are_bounded_by_their_size_too(world):
    world.memory.maintenance.maintain()
    for day in ("2026-01-01", "2026-01-02"):
        with open(f"{world.memory.backups.backups}/daily-{day}.db", "wb") as file:
            file.truncate(BACKUPS_BYTES // 2 + 1)
    world.now += DAY
    world.memory.maintenance.maintain()
    names = [name for name, _ in world.memory.backups.backup_list()]
    assert "daily-2026-01-01.db" not in names and "daily-2026-01-02.db" in names


def test_a_query_is_kept_nowhere(machine):
    """W-Z13."""
    machine.store("The registry is at vega.internal")
    machine.keepstone("search", "wombat registry")
    assert holding(machine.home, "wombat") == []
