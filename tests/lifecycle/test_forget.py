"""Forgetting sticks, erasing leaves no byte, and a flipped one is found (Z3-19 to Z3-22, W-Z11 to W-Z16, DESIGN 7)."""

from __future__ import annotations

import json
import sqlite3
import threading
import time

import pytest

import engines
from keepstone import Memory
from keepstone.api.compat_z3rno import Z3rno
from keepstone.language.duplicates import normalise
from keepstone.language.quotation import ERASED, Quotes
from keepstone.lib.errors import NotFound
from keepstone.lib.text import digest
from keepstone.model.filter import Filter
from living import World, holding

pytestmark = pytest.mark.engine

SECRET = "Zanzibar"
SAID = f"We decided to call the release {SECRET} because marketing wants an island"


@pytest.fixture
def world(machine):
    return World(machine)


# Forgetting


def test_what_was_forgotten_is_hidden_kept_and_audited(world):
    memory_id = world.learn(SAID)
    world.memory.forget(memory_id)
    assert world.memory.recent() == [] and world.memory.search("release island").found == []
    assert [entry.op for entry in world.memory.history.audit(memory=memory_id)] == ["forget", "store"]
    assert world.memory.history.history(memory_id)[1][0].content == SAID
    assert world.memory.restore(memory_id).memory.status == "active"


def test_a_bulk_is_of_its_scope_only(world):
    ours = [world.learn(f"It was {word}", agent="scout") for word in ("alpha", "bravo")]
    other = world.learn("It was charlie")
    world.memory.store("I like short answers", user=True, tags=["style"])
    assert Z3rno(world.memory).forget_all("scout") == 2
    assert {hit.memory.id for hit in world.memory.recent()} > {other} and len(ours) == 2
    assert [m.content for m in world.memory.lifecycle.selected(user=True, narrow=Filter("style"))] == [
        "I like short answers"
    ]
    assert world.memory.lifecycle.selected(narrow=Filter("style")) == []


def test_a_bulk_asks_for_its_count_and_takes_no_other_answer(machine):
    memory = Memory(str(machine.home), str(machine.project), machine.env)
    for word in ("alpha", "bravo", "charlie"):
        memory.store(f"The {word} service is a spike", tags=["spike"])
    refused = machine.keepstone("forget", "--tag", "spike", ok=False)
    assert refused.returncode == 1 and "--yes" in refused.stderr and len(machine.memories()) == 3
    code, screen = machine.terminal(["forget", "--tag", "spike"], ["yes"])
    assert code == 0 and "Type 3 to forget 3 memories" in screen and "Nothing is forgotten" in screen
    code, screen = machine.terminal(["forget", "--tag", "spike"], ["3"])
    assert code == 0 and "Forgotten 3 memories" in screen and machine.memories() == []


# Erasing


def everywhere(machine, sessions):
    """A memory that has been everywhere that one can be; its id."""
    transcript = sessions.begin()
    transcript.user(SAID + ". Please look at the tests too.")
    transcript.tool("Bash", {"command": f"echo {SAID}"})
    sessions.memory.capture.capture(str(transcript.path))
    memory = sessions.memory
    (hit,) = [hit for hit in memory.recent() if SECRET in hit.memory.content]
    memory.revise(hit.memory.id, SAID + ", and it is short")
    memory.rate(hit.memory.id, "up", f"{SAID}, so it helped")
    memory.search(f"{SECRET} release")
    memory.focus.focus([hit.memory.id], session="session-9")
    memory.sessions.observe("Bash", command=f"git tag {SAID}", session="session-9")
    machine.hook("session-start", machine.event("session-9", source="startup"))
    machine.settle()
    memory.maintenance.maintain()
    memory.backups.backup()
    memory.context.log(f"noted: {SAID}")
    return hit.memory.id, transcript


@pytest.mark.of_files
def test_what_is_erased_is_in_no_file_and_comes_back_by_nothing(machine, sessions, tmp_path):
    memory_id, transcript = everywhere(machine, sessions)
    exported = tmp_path / "before.jsonl"
    sessions.memory.transfer.export(str(exported))
    assert len(holding(machine.home, SECRET)) > 3
    done = sessions.memory.privacy.erase([memory_id])
    assert done.problems == [] and done.erased == [memory_id]
    assert holding(machine.home, SECRET) == []
    assert [entry.op for entry in sessions.memory.history.audit(memory=memory_id)][0] == "erase"
    sessions.memory.capture.ingest([str(transcript.path)])
    sessions.hook("session-end", transcript)
    sessions.memory.transfer.take_in(str(exported), keep_accepted=True)
    fork = sessions.begin()
    fork.path.write_text(transcript.path.read_text().replace(transcript.session, fork.session))
    sessions.memory.capture.capture(str(fork.path))
    assert SECRET not in json.dumps(machine.memories("--all")) and sessions.memory.search("release island").found == []
    assert holding(machine.home, SECRET) == []


@pytest.mark.of_files
@pytest.mark.parametrize("aged", [(0,), (0, 1), (1, 2), (0, 1, 2, 3)])
def test_what_ended_before_it_is_erased_leaves_nothing_in_its_neighbours_windows(machine, world, aged):
    """What ends by itself leaves the windows of its neighbours in its session as they are."""
    texts = ("The alpha proxy drops idle connections", SAID, "Charlie deploys take an hour", "Delta mirrors are stale")
    ids = [world.learn(text, relevance=0.1) for text in texts] + [world.learn("Echo graphs are empty on Mondays")]
    ending = ", ".join(f"'{ids[number]}'" for number in {*aged, 1})
    with engines.opened(world.path) as database:
        database.execute(f"UPDATE memory SET expires_at = {world.now - 1} WHERE id IN ({ending})")
    world.memory.maintenance.maintain()
    assert holding(machine.home, SECRET) != [] and world.states("status").count(("deleted",)) == len({*aged, 1})
    assert world.memory.privacy.erase([ids[1]]).problems == [] and holding(machine.home, SECRET) == []


@pytest.mark.of_files
def test_a_person_may_store_it_again(machine, sessions):
    memory_id, _ = everywhere(machine, sessions)
    sessions.memory.privacy.erase([memory_id])
    sessions.memory.store(SAID)
    assert len(sessions.memory.search(SECRET).found) == 1


@pytest.mark.of_files
def test_an_open_reader_is_waited_for(machine, world):
    memory_id = world.learn(SAID)
    world.memory.backups.backup()
    reader = sqlite3.connect(machine.home / "keepstone.db", check_same_thread=False)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM memory").fetchone()

    def let_go():
        until = time.monotonic() + 20
        while machine.sql("SELECT count(*) FROM memory")[0][0] and time.monotonic() < until:
            time.sleep(0.01)
        reader.close()

    leaving = threading.Thread(target=let_go)
    leaving.start()
    done = world.memory.privacy.erase([memory_id])
    leaving.join()
    assert done.problems == [] and holding(machine.home, SECRET) == []


def test_memories_that_quote_it_are_named_and_go_only_if_asked(world):
    memory_id = world.learn(SAID)
    quoting = world.learn(f"In the meeting: {SAID.lower()}, said Jo", kind="summary")
    world.learn("The release is on Monday")
    assert [hit.memory.id for hit in world.memory.privacy.quoting([memory_id])] == [quoting]
    done = world.memory.privacy.erase([memory_id])
    assert done.quoted_by == [quoting] and len(world.memory.recent()) == 2
    assert world.memory.privacy.erase([quoting], cascade=True).quoted_by == []
    assert holding(world.machine.home, SECRET) == []


def test_evidence_of_others_loses_the_sentence_and_keeps_the_rest():
    quotes = Quotes([SAID])
    assert quotes.cut(f"Use pnpm. {SAID}. Thanks!") == f"Use pnpm. {ERASED} Thanks!"
    assert quotes.cut(SAID.replace(" because ", "\n because ")) == ERASED
    assert not quotes.within("We decided to call it a day") and not Quotes([]).within("x")


def test_what_was_erased_can_be_named_again_and_what_never_was_can_not(world):
    memory_id = world.learn(SAID)
    world.memory.privacy.erase([memory_id])
    assert world.memory.privacy.erase([memory_id]).problems == []
    with pytest.raises(NotFound):
        world.memory.privacy.erase(["mem-00000000000000aa"])


def test_the_tombstone_does_not_tell_what_it_was(world):
    memory_id = world.learn(SAID)
    world.memory.privacy.erase([memory_id])
    marks = world.machine.sql("SELECT digest FROM tombstone")
    assert len(marks) >= 3 and memory_id not in str(marks)
    unkeyed = {digest(text) for text in (memory_id, normalise(SAID))}
    unkeyed |= {digest("", text) for text in (memory_id, normalise(SAID))}
    assert unkeyed.isdisjoint(mark for (mark,) in marks)


def test_erasing_many_asks_and_reports_at_the_command_line(machine):
    memory = Memory(str(machine.home), str(machine.project), machine.env)
    for word in ("alpha", "bravo"):
        memory.store(f"The {word} service is a spike", tags=["spike"])
    code, screen = machine.terminal(["erase", "--tag", "spike"], ["2"])
    assert code == 0 and "Erased: 2 memories are " in screen
    assert holding(machine.home, "spike") == []


# Damage


@pytest.mark.parametrize("column", ["title", "content", "kind", "status", "trust", "scope", "excerpt"])
def test_a_flipped_byte_is_reported_by_doctor(machine, world, column):
    memory_id = world.learn(SAID)
    table = "evidence" if column == "excerpt" else "memory"
    key = "memory_id" if column == "excerpt" else "id"
    with engines.opened(machine.database) as database:
        old = database.execute(f"SELECT {column} FROM {table} WHERE {key} = '{memory_id}'").fetchone()[0]
        flipped = chr(ord(old[0]) ^ 1) + old[1:]
        database.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = '{memory_id}'", (flipped,))
        database.commit()
    (digests,) = [check for check in world.memory.maintenance.doctor() if check.name == "digests"]
    assert digests.state == "fail" and memory_id in digests.says
