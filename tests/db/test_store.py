"""Writes: nothing lost among processes, every change audited, versions kept, projects resolved to one."""

from __future__ import annotations

import multiprocessing
import sqlite3
from contextlib import closing

import pytest
from sqlmodel import Session as PlainSession
from sqlmodel import create_engine, select

import engines
from builders import candidate
from keepstone.capture import commit_sql
from keepstone.db import sessions
from keepstone.db.engines import open_reader
from keepstone.db.integrity import check
from keepstone.db.open import Backend, open_to_write
from keepstone.db.reader import COUNT_ACCESS, Reader
from keepstone.db.tables import MemoryRow
from keepstone.db.writer import Writer
from keepstone.lib.errors import NotFound, StoreError
from keepstone.lib.fuzzy import ratio
from keepstone.lifecycle import add_sql, edit_sql
from keepstone.lifecycle.add_sql import Origin
from keepstone.model.cursor import Cursor
from keepstone.project.identity import Identity
from keepstone.recall import deliveries_sql

pytestmark = pytest.mark.engine

PROCESSES, TIMES = 8, 25


@pytest.fixture
def path(tmp_path):
    return engines.new(str(tmp_path / "keepstone.db"))


@pytest.fixture
def store(path):
    made = Writer(path, ratio)
    yield made
    made.close()


def rows(path, sql):
    with engines.opened(path) as database:
        return database.execute(sql).fetchall()


def within(store, function, *values):
    """Calls a function with a transaction of its own."""
    with store.transaction() as tx:
        return function(tx, *values)


def change(store, *values):
    within(store, edit_sql.change, *values)


def manual(store, text="x is y", kind="fact", now=100.0, **more):
    made = candidate(text, kind, record=f"manual:{text}{now}", **more)
    return within(store, add_sql.store, Origin("manual"), made, (), text + str(now), now)


# No increment is lost


def vote_many_times(path):
    store = Writer(path, ratio)
    memory_id = rows(path, "SELECT id FROM memory")[0][0]

    def up(memory):
        memory.up_votes += 1

    for _ in range(TIMES):
        change(store, memory_id, "rate_up", up, 1.0)


def count_many_times(path):
    reader = open_reader(path, busy=30.0)
    memory_id = rows(path, "SELECT id FROM memory")[0][0]
    for _ in range(TIMES):
        assert reader.count([(COUNT_ACCESS, {"id": memory_id, "now": 1.0})])


def vote_as_a_plain_session_does(path):
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": 30.0})
    for _ in range(TIMES):
        with PlainSession(engine) as session:
            memory = session.exec(select(MemoryRow)).one()
            memory.down_votes += 1
            session.add(memory)
            session.commit()


def all_at_once(work, path):
    """Runs the work in every process at the same time: none begins before all are there. They are copies of this one,
    in which no database may be open then.
    """
    context = multiprocessing.get_context("fork")
    everybody = context.Barrier(PROCESSES)
    running = [context.Process(target=after, args=(everybody, work, path)) for _ in range(PROCESSES)]
    for process in running:
        process.start()
    for process in running:
        process.join()
    assert [process.exitcode for process in running] == [0] * PROCESSES


def after(everybody, work, path):
    everybody.wait()
    work(path)


@pytest.mark.system
@pytest.mark.parametrize(
    ("work", "column"), [(vote_many_times, "up_votes"), (count_many_times, "access_count")], ids=["store", "hook"]
)
def test_no_increment_is_lost_among_processes(path, store, work, column):
    manual(store)
    store.close()
    all_at_once(work, path)
    assert rows(path, f"SELECT {column} FROM memory") == [(PROCESSES * TIMES,)]


@pytest.mark.system
@pytest.mark.of_files
def test_a_plain_session_would_lose_some(path, store):
    manual(store)
    store.close()
    all_at_once(vote_as_a_plain_session_does, path)
    assert rows(path, "SELECT down_votes FROM memory")[0][0] < PROCESSES * TIMES


# Memories


def test_every_write_has_its_audit_row_and_no_content_in_it(path, store):
    memory_id, new = manual(store, "Deploys need the VPN")
    assert new
    change(store, memory_id, "pin", lambda memory: setattr(memory, "pinned", 1), 101.0)
    change(store, memory_id, "forget", lambda memory: setattr(memory, "status", "deleted"), 102.0)
    assert rows(path, "SELECT op, memory_id, at FROM audit ORDER BY seq") == [
        ("store", memory_id, 100.0),
        ("pin", memory_id, 101.0),
        ("forget", memory_id, 102.0),
    ]
    assert "VPN" not in str(rows(path, "SELECT * FROM audit"))


def test_a_change_that_fails_leaves_nothing_behind(path, store):
    memory_id, _ = manual(store)

    def fail(memory):
        memory.title = "half done"
        raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError):
        change(store, memory_id, "revise", fail, 101.0)
    assert rows(path, "SELECT title, version FROM memory") == [("x is y", 1)]
    assert rows(path, "SELECT count(*) FROM audit") == [(1,)] and rows(path, "SELECT * FROM memory_version") == []


def test_a_change_that_changes_nothing_writes_nothing(path, store):
    memory_id, _ = manual(store)
    change(store, memory_id, "pin", lambda memory: setattr(memory, "pinned", 0), 101.0)
    assert rows(path, "SELECT count(*) FROM audit") == [(1,)]
    with pytest.raises(NotFound):
        change(store, "mem-0000000000000000", "pin", lambda memory: None, 101.0)


def test_a_known_memory_is_reinforced_and_not_stored_again(path, store):
    first, new = manual(store, "Deploys need the VPN", now=100.0)
    again, still = manual(store, "the deploys need the VPN!", now=200.0)
    assert (again, new, still) == (first, True, False)
    assert rows(path, "SELECT count(*) FROM evidence") == [(2,)]


def test_what_a_person_stores_again_after_forgetting_it_is_stored(store):
    memory_id, _ = manual(store)
    change(store, memory_id, "forget", lambda memory: setattr(memory, "status", "deleted"), 101.0)
    assert manual(store, now=200.0)[1]


def test_the_search_index_follows_every_change(path, store):
    memory_id, _ = manual(store, "Deploys need the VPN")

    def found(word):
        return engines.holding(path, word)["memory_fts"]

    assert found("vpn")
    change(
        store,
        memory_id,
        "revise",
        lambda memory: (setattr(memory, "content", "a b"), setattr(memory, "title", "a b")),
        2.0,
    )
    assert not found("vpn")
    engines.check_index(path)


@pytest.mark.of_files
def test_a_locked_database_is_a_clear_error(path):
    store = Writer(path, ratio, busy=0.05)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="is being written by other processes"):
        manual(store)
    holder.close()


@pytest.mark.of_files
def test_a_file_that_another_keeps_to_itself_is_waited_for_once(path, tmp_path):
    waited = []

    class Impatient(Backend):
        def reader(self, where):
            waited.append(where)
            return super().reader(where)

        def writer(self, where):
            return Writer(where, ratio, busy=0.05)

    with closing(sqlite3.connect(path)) as holder:
        holder.execute("PRAGMA locking_mode=EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="is being written by other processes"):
            open_to_write(Impatient(), str(tmp_path), path)
    assert waited == []


@pytest.mark.of_files
def test_a_database_that_another_process_rewrites_is_not_read_half_written(path, store):
    manual(store)
    store.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("PRAGMA journal_mode=DELETE")
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="database is locked"):
            Reader(path, busy=0.05)
    assert check(path).integrity == "ok"


# Capture


def capture(store, candidates, before=None, after=None, session="s", now=100.0):
    with store.transaction() as tx:
        sessions.note_session(tx, session, project_id=None, transcript_path="/t", cwd="/", branch="", now=now)
    before = before if before is not None else within(store, sessions.cursor, session)
    after = after or Cursor(now, "u", "d", 0)
    return within(store, commit_sql.capture, Origin("hook", session_id=session), candidates, before, after, now)


def test_a_window_and_its_cursor_are_committed_together(path, store):
    new, reinforced = capture(store, [candidate("Deploys need the VPN")], after=Cursor(10, "u", "d", 5))
    assert len(new) == 1 and reinforced == [] and within(store, sessions.cursor, "s") == Cursor(10, "u", "d", 5)


def test_a_window_that_another_capture_has_taken_is_not_taken_again(path, store):
    capture(store, [candidate("Deploys need the VPN")], after=Cursor(10, "u", "d", 5))
    assert capture(store, [candidate("Staging is slow")], before=Cursor()) is None
    assert rows(path, "SELECT count(*) FROM memory") == [(1,)]


def test_the_same_turn_again_changes_nothing_even_when_the_memory_was_revised(path, store):
    capture(store, [candidate("Deploys need the VPN")])
    memory_id = rows(path, "SELECT id FROM memory")[0][0]
    change(store, memory_id, "revise", lambda memory: setattr(memory, "content", "Releases want a tunnel"), 101.0)
    assert capture(store, [candidate("Deploys need the VPN")], session="fork", now=300.0) == ([], [])
    assert rows(path, "SELECT count(*) FROM evidence") == [(1,)]


def test_another_turn_that_says_the_same_reinforces(path, store):
    capture(store, [candidate("Deploys need the VPN")])
    new, reinforced = capture(store, [candidate("deploys need the VPN", record="record-2")], session="t", now=200.0)
    assert new == [] and len(reinforced) == 1
    assert rows(path, "SELECT count(DISTINCT session_id) FROM evidence") == [(2,)]


def test_what_was_forgotten_does_not_come_back_by_being_said_again(path, store):
    capture(store, [candidate("Deploys need the VPN")])
    memory_id = rows(path, "SELECT id FROM memory")[0][0]
    change(store, memory_id, "forget", lambda memory: setattr(memory, "status", "deleted"), 101.0)
    capture(store, [candidate("the deploys need the VPN", record="record-2")], session="t", now=200.0)
    assert rows(path, "SELECT count(*), max(status) FROM memory") == [(1, "deleted")]


def test_two_memories_of_one_turn_are_both_kept(path, store):
    both = [candidate("Deploys need the VPN", excerpt="whole turn"), candidate("Staging is slow", excerpt="whole turn")]
    assert len(capture(store, both)[0]) == 2
    assert capture(store, both, now=200.0) == ([], [])


def test_the_same_words_with_another_excerpt_after_a_revision_are_known(path, store):
    capture(store, [candidate("Deploys need the VPN")])
    memory_id = rows(path, "SELECT id FROM memory")[0][0]
    change(store, memory_id, "revise", lambda memory: setattr(memory, "content", "Releases want a tunnel"), 101.0)
    new, reinforced = capture(
        store, [candidate("Deploys need the VPN", excerpt="longer: deploys need the VPN")], now=300.0
    )
    assert (new, reinforced) == ([], [])  # it is the same record


def test_a_forgotten_memory_does_not_swallow_another(path, store):
    capture(store, [candidate("We deploy on Mondays because fewer users are online", "decision")])
    memory_id = rows(path, "SELECT id FROM memory")[0][0]
    change(store, memory_id, "forget", lambda memory: setattr(memory, "status", "deleted"), 101.0)
    fridays = candidate("We deploy on Fridays because fewer users are online", "decision", record="r2")
    assert len(capture(store, [fridays], session="t", now=200.0)[0]) == 1


def test_a_reversal_is_a_memory_of_its_own(path, store):
    capture(store, [candidate("Use Redis for sessions", "decision")])
    capture(store, [candidate("No longer use Redis for sessions", "decision", record="r2")], session="t", now=200.0)
    assert rows(path, "SELECT count(*) FROM memory") == [(2,)]


def test_a_delivery_that_is_counted_twice_counts_once(path, store):
    memory_id, _ = manual(store)
    for _ in range(2):
        within(store, deliveries_sql.count_deliveries, "s", "session-start", [memory_id], 100, 50.0)
    assert rows(path, "SELECT access_count FROM memory") == [(1,)]
    within(store, deliveries_sql.count_deliveries, "s", "session-start", [memory_id], 100, 60.0)
    assert rows(path, "SELECT access_count FROM memory") == [(2,)]


# Projects


def project(store, *keys, root="", name="shop"):
    return within(store, sessions.project, Identity(keys, name, "/"), root, 100.0)


def test_a_remote_names_the_same_project_wherever_it_is_cloned(store):
    first = project(store, "git:github.com/acme/shop", "dir:/a")
    assert project(store, "git:github.com/acme/shop", "dir:/b") == first
    assert project(store, "dir:/b") == first


def test_a_folder_that_gets_a_remote_stays_the_project_it_was(store):
    first = project(store, "dir:/a")
    assert project(store, "git:github.com/acme/shop", "dir:/a") == first


def test_two_folders_that_turn_out_to_be_one_project_become_one(path, store):
    one, other = project(store, "dir:/a"), project(store, "git:github.com/acme/shop", "dir:/b")
    within(store, add_sql.store, Origin("manual", one), candidate("x is y"), (), "seed", 100.0)
    assert one != other
    assert project(store, "git:github.com/acme/shop", "dir:/a") == other
    assert rows(path, "SELECT project_id FROM memory") == [(other,)]
    assert rows(path, "SELECT DISTINCT project_id FROM project_key") == [(other,)]


def test_another_repository_in_the_same_folder_is_another_project(path, store):
    one = project(store, "git:github.com/acme/shop", "dir:/a", root="r1")
    within(store, add_sql.store, Origin("manual", one), candidate("x is y"), (), "seed", 100.0)
    other = project(store, "git:github.com/acme/blog", "dir:/a", root="r2")
    assert other != one
    assert rows(path, "SELECT project_id FROM memory") == [(one,)]
    assert project(store, "dir:/a") == other


def test_a_renamed_remote_is_known_by_its_first_commit(store):
    one = project(store, "git:github.com/acme/shop", "dir:/a", root="r1")
    assert project(store, "git:github.com/acme/store", "dir:/a", root="r1") == one


def test_two_copies_of_a_template_stay_apart(path, store):
    one = project(store, "git:github.com/agency/customer-a", "dir:/a", root="r")
    other = project(store, "git:github.com/agency/customer-b", "dir:/b", root="r")
    assert one != other
    assert project(store, "git:github.com/agency/customer-a", "dir:/a", root="r") == one
    assert rows(path, "SELECT project_id FROM project_key WHERE key = 'root:r'") == [(one,)]


def test_hooks_resolve_a_folder_as_the_store_does(path, store):
    known = [
        ("git:github.com/acme/shop", "dir:/a"),
        ("dir:/b",),
        ("git:github.com/acme/blog", "dir:/c"),
    ]
    made = {keys: project(store, *keys) for keys in known}
    with closing(open_reader(path)) as reader:
        for keys, project_id in made.items():
            assert reader.project_of(Identity(keys, "x", "/")) == project_id
        assert reader.project_of(Identity(("git:github.com/acme/new", "dir:/c"), "x", "/")) is None
        assert reader.project_of(Identity(("dir:/nowhere",), "x", "/")) is None and reader.project_of(None) is None
