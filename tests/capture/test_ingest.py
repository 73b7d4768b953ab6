"""Ingest: all past sessions once, in any number of attempts, each in its project, and nothing forgotten again."""

from __future__ import annotations

import json
import os
import pty
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress

import pytest

from builders import candidate, lasting
from keepstone import Memory
from keepstone.capture.extractors.rules import Rules
from keepstone.capture.pipeline import TranscriptCapture
from keepstone.claude_code.transcript import USER
from keepstone.db.writer import Writer
from keepstone.lib.fuzzy import ratio
from keepstone.lib.limits import IDLE_SESSION
from keepstone.redaction.redact import redact
from support import Transcript

DAY = 86_400


def uuid_of(number):
    return f"00000000-0000-4000-8000-{number:012d}"


def past(machine, number, cwd=None, age=10 * DAY, folder="-acme-shop"):
    """A transcript among the client's past sessions, last written `age` seconds ago once `aged`."""
    path = machine.user_home / ".claude" / "projects" / folder / f"{uuid_of(number)}.jsonl"
    made = Transcript(path, cwd or machine.project, uuid_of(number))
    made.age = age
    return made


def aged(*transcripts):
    for made in transcripts:
        at = time.time() - made.age
        os.utime(made.path, (at, at))


def ingested(machine, *paths, **env):
    return json.loads(machine.keepstone("ingest", "--json", *map(str, paths), **env).stdout)


def titles(machine):
    return {row["title"] for row in machine.memories("--all")}


def test_every_past_session_is_read_newest_first_and_never_again(machine):
    old, new = past(machine, 1, age=9 * DAY), past(machine, 2, age=3 * DAY)
    old.user("I prefer pnpm over npm: CI caches its store")
    new.user("Let's go with PostgreSQL, not MySQL, for billing")
    aged(old, new)
    first = ingested(machine)
    assert (first["sessions"], first["new"], first["projects"]) == (2, 2, 1)
    assert machine.sql("SELECT session_id FROM memory ORDER BY seq") == [(uuid_of(2),), (uuid_of(1),)]
    second = ingested(machine)
    assert (second["sessions"], second["unchanged"], second["new"]) == (0, 2, 0)


def test_it_tells_how_much_it_suggests(machine):
    session = past(machine, 1, age=3 * DAY)
    session.day = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 3 * DAY))
    session.user("Remember: Deploys always need the VPN, probably because the registry is internal.")
    aged(session)
    shown = machine.keepstone("ingest").stdout
    assert "1 suggestion waits for 14 days: keepstone review --only suggestion --all" in shown
    assert (ingested(machine)["suggested"], machine.memories("--all")) == (1, [])


def test_what_a_session_said_since_is_read_on_from_there(machine):
    old = past(machine, 1)
    old.user("I prefer pnpm over npm: CI caches its store")
    ingested(machine)
    old.user("Let's go with PostgreSQL, not MySQL, for billing")
    assert (ingested(machine)["turns"], len(titles(machine))) == (1, 2)


def test_past_sessions_are_long_over(machine):
    old, fresh = past(machine, 1, age=9 * DAY), past(machine, 2, age=60)
    old.user("I prefer pnpm over npm: CI caches its store")
    fresh.user("I prefer tabs over spaces in makefiles")
    aged(old, fresh)
    ingested(machine)
    (before, now) = machine.sql("SELECT started_at, last_seen_at, ended_at FROM session ORDER BY id")
    assert before == (old.path.stat().st_mtime,) * 3
    assert now == (fresh.path.stat().st_mtime, fresh.path.stat().st_mtime, None)
    assert time.time() - before[0] > IDLE_SESSION


def test_a_session_whose_end_a_kill_has_swallowed_is_ended_by_the_next_run(machine):
    old = past(machine, 1)
    old.user("I prefer pnpm over npm: CI caches its store")
    aged(old)
    ingested(machine)
    ended = machine.sql("SELECT ended_at FROM session")
    machine.sql("UPDATE session SET ended_at = NULL")
    ingested(machine)
    assert machine.sql("SELECT ended_at FROM session") == ended != [(None,)]


def test_what_is_no_session_of_a_person_is_left_out_and_counted(machine):
    real, agent = past(machine, 1), past(machine, 2)
    real.user("I prefer pnpm over npm: CI caches its store")
    agent.user("I prefer agents over humans in this shop", isSidechain=True)
    folder = real.path.parent
    for name in (f"{uuid_of(1)}/subagents/x.jsonl", "agent-7.jsonl", f"{uuid_of(1)}/subagents/deep/8.jsonl"):
        Transcript(folder / name, machine.project, uuid_of(1)).user("I prefer mice over cats in this shop")
    (folder / "notes.txt").write_text("I prefer pen over paper")
    (folder / "numbers.jsonl").write_text("1\n2\n[]\n")
    (folder / "empty.jsonl").touch()
    os.mkfifo(folder / "pipe.jsonl")
    done = ingested(machine)
    assert (done["sessions"], done["agents"], titles(machine)) == (
        1,
        4,
        {"I prefer pnpm over npm: CI caches its store"},
    )
    assert {os.path.basename(path) for path in done["others"]} == {
        *("notes.txt", "numbers.jsonl", "empty.jsonl", "pipe.jsonl")
    }
    said = machine.keepstone("ingest").stdout
    assert "4 files of sub-agents" in said and "4 files, no transcript: " in said and said.count(str(folder)) == 3


def test_a_path_that_does_not_exist_is_an_error_before_anything_is_read(machine):
    old = past(machine, 1)
    old.user("I prefer pnpm over npm: CI caches its store")
    done = machine.keepstone("ingest", str(old.path), "/no/such/folder", ok=False)
    assert done.returncode == 2 and "/no/such/folder" in done.stderr and "Try: " in done.stderr
    assert machine.memories("--all") == []


def test_without_past_sessions_it_says_where_it_looked(machine):
    done = machine.keepstone("ingest", CLAUDE_CONFIG_DIR="/nowhere")
    assert "No past sessions in /nowhere/projects" in done.stdout


def test_the_clients_own_folder_may_lie_elsewhere(machine):
    moved = machine.root / "config"
    made = Transcript(moved / "projects" / "-x" / f"{uuid_of(1)}.jsonl", machine.project)
    made.user("I prefer pnpm over npm: CI caches its store")
    assert ingested(machine, CLAUDE_CONFIG_DIR=str(moved))["new"] == 1


def test_a_file_and_its_folder_are_one(machine):
    old = past(machine, 1)
    old.user("I prefer pnpm over npm: CI caches its store")
    assert ingested(machine, old.path, old.path.parent, old.path)["sessions"] == 1


def test_two_files_of_one_session_id_are_both_read_once(machine):
    for number in range(2):
        made = Transcript(machine.root / "copies" / f"{number}.jsonl", machine.project, "same")
        made.user(lasting(number))
    assert ingested(machine, machine.root / "copies")["new"] == 2
    again = ingested(machine, machine.root / "copies")
    assert (again["sessions"], again["unchanged"]) == (0, 2)


def test_a_copy_of_a_transcript_is_the_same_session(machine):
    old = past(machine, 1)
    old.user("I prefer pnpm over npm: CI caches its store")
    ingested(machine)
    shutil.copytree(old.path.parent, machine.root / "backup")
    assert ingested(machine, machine.root / "backup")["turns"] == 0
    assert machine.sql("SELECT count(*) FROM session") == [(1,)]


def repository(folder, origin=None):
    folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    if origin:
        subprocess.run(["git", "-C", str(folder), "remote", "add", "origin", origin], check=True)
    return folder


def test_a_vanished_folder_is_the_project_that_its_earlier_sessions_had(machine):
    shop = repository(machine.root / "work" / "shop", "git@github.com:acme/shop.git")
    (shop / "api").mkdir()
    early, late = (past(machine, number, cwd=shop / "api") for number in (1, 2))
    early.user("I prefer pnpm over npm: CI caches its store")
    late.user("I prefer tabs over spaces in makefiles")
    ingested(machine, early.path)
    shutil.rmtree(shop)
    subprocess.run(["git", "init", "-q", str(shop.parent)], check=True)
    ingested(machine, late.path)
    assert machine.sql("SELECT DISTINCT p.name FROM memory m JOIN project p ON p.id = m.project_id") == [("acme/shop",)]


def test_a_vanished_folder_that_nobody_knows_is_a_project_of_its_own(machine):
    around = repository(machine.root / "everything", "git@github.com:other/everything.git")
    gone = past(machine, 1, cwd=around / "gone")
    gone.user("I prefer pnpm over npm: CI caches its store")
    ingested(machine)
    assert machine.sql("SELECT key FROM project_key") == [(f"dir:{around}/gone",)]


def test_a_vanished_worktree_of_the_clients_belongs_to_its_repository(machine):
    shop = repository(machine.root / "shop", "git@github.com:acme/shop.git")
    gone = past(machine, 1, cwd=shop / ".claude" / "worktrees" / "fix")
    gone.user("I prefer pnpm over npm: CI caches its store")
    ingested(machine)
    assert machine.sql("SELECT name FROM project") == [("acme/shop",)]


class Paraphraser:
    """An extractor of our own Protocol that says of each prompt what it is told to, in one kind."""

    paid = False

    def __init__(self, words):
        self.words = words

    def extract(self, window):
        said = (turn for turn in window.new if turn.role == USER)
        return [candidate(self.words, "preference", turn.uuid, excerpt=turn.text[:20]) for turn in said]


def captured(machine, extractor, path, session):
    with closing(Writer(machine.database, ratio)) as writer:
        return TranscriptCapture(writer, extractor, redact=redact, clock=time.time)(str(path), session)


@pytest.mark.parametrize("rule", [Rules(), Paraphraser("The package manager of choice here is pnpm")])
def test_what_was_forgotten_does_not_come_back_from_its_record_in_other_words(machine, rule):
    old = past(machine, 1)
    old.user("I prefer pnpm over npm: CI caches its store")
    ingested(machine)
    machine.keepstone("forget", str(machine.memories()[0]["id"]))
    fork = Transcript(old.path.with_name(f"{uuid_of(2)}.jsonl"), machine.project, uuid_of(2))
    fork.path.write_text(old.path.read_text().replace(uuid_of(1), uuid_of(2)))
    assert captured(machine, rule, fork.path, uuid_of(2)).turns == 1
    assert machine.memories("--all") == []
    fork.user("I prefer pnpm over npm: CI caches its store, and I say so again")
    report = captured(machine, Paraphraser("Something else entirely"), fork.path, uuid_of(2))
    assert len(report.new) == 1  # a record of its own


TABLES = {
    "memory": "id, scope, kind, tier, status, title, content, relevance, confidence, origin, session_id, branch,"
    " created_at, content_hash, row_digest, version, access_count",
    "evidence": "memory_id, session_id, record_uuid, excerpt, trust, method, row_digest, created_at",
    "memory_facet": "memory_id, facet, value",
    "memory_version": "memory_id, version, content, valid_from, valid_to, reason",
    "session": "id, transcript_path, cwd, branch, started_at, last_seen_at, ended_at, cursor_offset, cursor_uuid,"
    " cursor_digest, carry_offset",
    "project": "name",
    "project_key": "key",
    "audit": "actor, op, memory_id, session_id, details",
    "delivery": "session_id, memory_id",
    "vector": "memory_id, model, dims",  # what words count for depends on when they were counted
}


def everything(home):
    """Every table's rows, without the columns that tell when or by which project id they were written."""
    with closing(sqlite3.connect(home / "keepstone.db")) as database:
        names = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%fts%'")
        rows = {
            name: sorted(database.execute(f"SELECT {TABLES.get(name, '*')} FROM {name}").fetchall(), key=repr)
            for (name,) in names
            if not name.startswith("sqlite_")
        }
        rows["order"] = database.execute("SELECT id FROM memory ORDER BY seq").fetchall()
        rows["whose"] = database.execute(
            "SELECT m.id, p.name FROM memory m JOIN project p ON p.id = m.project_id ORDER BY 1"
        ).fetchall()
        return rows


def many(machine, sessions=6, statements=20, questions=0):
    made = []
    for session in range(sessions):
        cwd = machine.project if session % 2 else machine.root / "gone" / str(session)
        made.append(past(machine, session, cwd=cwd, age=(session + 2) * DAY))
        for number in range(statements):
            made[-1].user(lasting(session * statements + number))
            made[-1].assistant("Noted, and the tests pass. " * 60)
        for number in range(questions):
            made[-1].user(f"why does test {number} fail?")
        made[-1].tool("Write", note(machine, "style.md", f"Statement {session} of the style"))
    aged(*made)


def note(machine, name, body, **front):
    folder = machine.user_home / ".claude" / "projects" / "-acme-shop" / "memory"
    return {"file_path": str(folder / name), "content": body}


@pytest.mark.system
@pytest.mark.of_files
def test_an_ingest_that_is_killed_and_repeated_gives_the_same_rows_as_one_in_one_go(machine):
    many(machine, statements=12)
    home = machine.home
    machine.keepstone("status")
    killed = 0
    for share in (1, 3):
        running = subprocess.Popen(
            [sys.executable, "-m", "keepstone", "ingest"],
            env=machine.env,
            cwd=machine.project,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while running.poll() is None and machine.sql("SELECT count(*) FROM memory")[0][0] < share * 15:
            time.sleep(0.02)
        running.send_signal(signal.SIGKILL)
        killed += running.wait() == -signal.SIGKILL
    assert killed == 2
    between = machine.sql("SELECT count(*) FROM memory")[0][0]
    ingested(machine)
    machine.home = machine.root / "second"
    machine.env["KEEPSTONE_HOME"] = str(machine.home)
    ingested(machine)
    assert everything(home) == everything(machine.home)
    assert 0 < between < len(everything(home)["order"])


@pytest.mark.system
def test_beside_a_running_worker_each_turn_is_taken_once(machine):
    many(machine)
    machine.keepstone("status")
    for number in range(6):
        path = str(past(machine, number).path)
        machine.hook("session-end", machine.event(uuid_of(number), transcript_path=path))
    ingested(machine)
    machine.settle(60)
    assert machine.sql("SELECT count(*), count(DISTINCT title) FROM memory WHERE origin = 'hook'") == [(120, 120)]
    assert machine.sql("SELECT count(*) FROM evidence WHERE method = 'user'") == [(120,)]


def test_it_holds_no_lock_that_the_worker_needs(machine):
    old = past(machine, 1)
    old.user("I prefer pnpm over npm: CI caches its store")
    memory = Memory(str(machine.home), str(machine.project), machine.env)
    done = []
    memory.capture.ingest(
        [str(old.path)], begin=lambda sources: done.append(machine.keepstone("worker", "run", "--json").stdout)
    )
    assert json.loads(done[0])["done"] == 0  # null would say that another worker is at it


@pytest.mark.system
def test_ctrl_c_says_that_a_rerun_goes_on(machine):
    many(machine, sessions=56, statements=12, questions=200)
    machine.keepstone("status")
    running = subprocess.Popen(
        ["nice", "-n", "19", sys.executable, "-m", "keepstone", "ingest"],  # on a busy machine it could end unseen
        env=machine.env,
        cwd=machine.project,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests in the background begin without it
    )
    while not machine.sql("SELECT count(*) FROM memory")[0][0]:
        time.sleep(0.005)
    running.send_signal(signal.SIGINT)
    said = running.communicate()[1]
    assert running.returncode == 130 and "`keepstone ingest` goes on" in said and "Traceback" not in said


def test_the_estimate_comes_first_and_says_what_was_read_before(machine):
    old, new = past(machine, 1, age=9 * DAY), past(machine, 2, age=3 * DAY)
    old.assistant("words " * 100_000)
    ingested(machine)
    new.assistant("words " * 200_000)
    first, second = machine.keepstone("ingest").stdout.splitlines()[:2]
    assert first == "2 transcripts, 1.8 MB (0.6 MB of it read before): less than a second, no cost."
    assert second.startswith("1 session read in ") and "(1 with nothing new)" in second


def test_a_terminal_shows_a_bar_and_a_pipe_does_not(machine):
    many(machine, sessions=2)
    parent, child = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "keepstone", "ingest"],
        env={**machine.env, "TERM": "xterm"},
        cwd=machine.project,
        stdin=child,
        stdout=subprocess.PIPE,
        stderr=child,
    )
    os.close(child)
    shown = b""
    with suppress(OSError):  # the terminal's other end is closed
        while part := os.read(parent, 100_000):
            shown += part
    os.close(parent)
    stdout = running.communicate()[0]
    assert running.returncode == 0 and b"\xe2\x94\x81" in shown  # the bar's line
    assert b"\x1b" not in stdout and machine.keepstone("ingest").stderr == ""
