"""A server keeps its stores open: it sees what others write or put in the database's place, and loses nothing."""

from __future__ import annotations

import random
import signal
import sqlite3
import threading
from contextlib import closing
from dataclasses import replace

import httpx2
import pytest

from keepstone import Memory
from keepstone.db.migrations import run
from keepstone.server.pool import PooledBackend
from server.serving import TOKEN, environment, serving
from support import forked


def _keepstone(served, *words):
    done = forked(words, environment(served.project.parent), served.project)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _texts(served):
    return {one["narrative"] for one in served.get("/api/v1/memories").json()["data"]}


def test_what_another_process_stores_is_seen_at_once(served):
    served.store("The first is stored by the server")
    _keepstone(served, "store", "The second is stored by a command")
    assert _texts(served) == {"The first is stored by the server", "The second is stored by a command"}


PAGES = ("/", "/sessions", "/review", "/graph", "/ending", "/delivery", "/health", "/health/checks", "/openapi.json")


@pytest.mark.parametrize("path", PAGES)
def test_no_page_lets_go_of_the_database_s_locks(served, path):
    """A file that is opened beside SQLite and closed again takes its locks along; then the next process that leaves
    removes the log that the server goes on writing to.
    """
    served.store("The first is stored before the page")
    assert served.get(path).status_code == 200
    _keepstone(served, "recent")
    served.store("The second is stored after it")
    assert "The second is stored after it" in _keepstone(served, "recent")


def test_a_backup_that_is_put_in_the_database_s_place_is_what_is_read_and_written(served):
    served.store("Before the backup there was this")
    _keepstone(served, "backup")
    name = _keepstone(served, "backup", "--list").split()[0]
    served.store("After the backup there was that")
    _keepstone(served, "restore-backup", name, "--yes")
    assert _texts(served) == {"Before the backup there was this"}
    served.store("Written into what was restored")
    assert "Written into what was restored" in _keepstone(served, "recent")


def test_a_database_that_was_deleted_is_made_anew(served):
    served.store("This is lost with its file")
    for path in served.home.glob("keepstone.db*"):
        path.unlink()
    assert served.get("/api/v1/memories").json()["data"] == []
    served.store("This is kept in a new file")
    assert _texts(served) == {"This is kept in a new file"}


def test_others_are_read_while_a_write_waits_for_the_database(served):
    served.store("Something to read meanwhile")
    with closing(sqlite3.connect(served.home / "keepstone.db", isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        answers = []
        crowd = [threading.Thread(target=lambda: answers.append(_store_one(served))) for _ in range(4)]
        for one in crowd:
            one.start()
        assert all(served.get("/api/v1/memories").status_code == 200 for _ in range(20))
        assert answers == []  # they still wait
        database.execute("ROLLBACK")
        for one in crowd:
            one.join()
    assert set(answers) <= {201, 503} and 201 in answers


def _store_one(served):
    headers = {"Authorization": f"Token {TOKEN}"}
    body = {"narrative": f"Waited in the thread {threading.get_ident()}", "memory_type": "fact"}
    return httpx2.post(served.url + "/api/v1/memories", json=body, headers=headers, timeout=60).status_code


def test_what_was_answered_is_kept_when_the_server_is_killed(tmp_path):
    stored, told = [], threading.Event()
    with serving(tmp_path) as served:

        def go_on(mine):
            for number in range(200):
                try:
                    stored.append(served.store(f"Writer {mine} has stored its number {number}, about port {number}"))
                except httpx2.TransportError:
                    return
                if len(stored) >= 40:
                    told.set()

        crowd = [threading.Thread(target=go_on, args=(mine,)) for mine in range(4)]
        for one in crowd:
            one.start()
        assert told.wait(60)
        served.process.send_signal(signal.SIGKILL)
        for one in crowd:
            one.join()
    with serving(tmp_path) as served:
        missing = [one for one in stored if served.get(f"/api/v1/memories/{one}").status_code != 200]
        assert len(stored) >= 40 and missing == []


def test_a_write_within_a_write_has_a_store_of_its_own_and_the_turn_ends_with_the_outer_one(tmp_path):
    path = str(tmp_path / "keepstone.db")
    run.ensure(path)
    kept = PooledBackend()
    outer = kept.writer(path)
    inner = kept.writer(path)
    assert inner is not outer
    kept.release(inner)
    turns = []
    other = threading.Thread(target=lambda: turns.append(kept.writer(path)))
    other.start()
    other.join(0.2)
    assert turns == []  # the outer one still writes
    kept.release(outer)
    other.join(10)
    assert turns == [outer]


def test_what_stays_in_memory_finds_what_reading_finds(machine):
    plain = Memory(str(machine.home), str(machine.project), machine.env)
    served = Memory(str(machine.home), str(machine.project), machine.env)
    served = Memory.of_context(replace(served.context, backend=PooledBackend()))
    chance = random.Random(5)
    words = "billing invoice deploy registry queue retry cache token secret mail template region replica".split()
    for number in range(60):
        (plain, served)[number % 2].store(" ".join(chance.sample(words, 5)) + f" number {number}")
        asked = " ".join(chance.sample(words, 2))
        told = [[(hit.memory.id, hit.score) for hit in one.search(asked, count=False).found] for one in (plain, served)]
        assert [one for one, _ in told[0]] == [one for one, _ in told[1]]
        assert [score for _, score in told[0]] == pytest.approx([score for _, score in told[1]], abs=1e-4)
