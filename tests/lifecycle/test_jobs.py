"""Jobs: when each is due, claimed once among workers, finished after a kill; backups (NL-33, Z3-13)."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from datetime import UTC, datetime

import pytest

import engines
from keepstone import Memory
from keepstone.db.writer import Writer
from keepstone.jobs.maintain import run_due
from keepstone.lib.errors import BadInput, NotFound
from keepstone.lib.fuzzy import ratio
from keepstone.model.tiers import DAY
from keepstone.spool import jobs_sql
from keepstone.spool.schedule import SCHEDULES, Schedule
from living import World
from support import copied, warm

pytestmark = pytest.mark.engine

DAILY = Schedule("pagerank", "", DAY, 3_600.0)


def unix(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


@pytest.fixture
def world(machine):
    return World(machine)


def test_a_daily_job_is_due_at_its_hour_and_once_after_a_gap():
    """NL-15: next_run(after=00:59Z) = 01:00Z."""
    assert DAILY.next(unix("2026-11-20T00:59:00")) == unix("2026-11-20T01:00:00")
    assert DAILY.next(unix("2026-11-20T01:00:00")) == unix("2026-11-21T01:00:00")
    assert DAILY.next(unix("2026-11-27T13:37:00")) == unix("2026-11-28T01:00:00")


def test_the_sweep_is_due_every_five_minutes_where_something_ends(world):
    assert next(plan for plan in SCHEDULES if plan.name == "sweep").next(1_000.0) == 1_300.0
    world.memory.maintenance.maintain()
    due = {job.name: job.due_at for job, _ in world.memory.maintenance.jobs()}
    assert due["sweep"] == world.now + DAY
    world.learn("The staging API was slow on that day")
    world.now += 28.9 * DAY
    world.memory.maintenance.maintain()
    due = {job.name: job.due_at for job, _ in world.memory.maintenance.jobs()}
    assert world.now + 300 <= due["sweep"] <= world.now + 0.11 * DAY


def test_the_schedule_is_printed_with_what_came_of_it(machine):
    before = machine.keepstone("worker", "jobs").stdout
    assert before.count("never") == len(SCHEDULES)
    machine.keepstone("worker", "run-all")
    after = machine.keepstone("worker", "jobs").stdout
    assert "never" not in after and "every 5 min" in after and "02:00 UTC" in after


@pytest.mark.of_files
def test_a_job_that_fails_is_noted_and_keeps_no_other_from_running(world):
    """W-NC11."""
    with open(world.memory.backups.backups, "w"):
        pass
    problems = {ran.name: ran.problem for ran in world.memory.maintenance.maintain()}
    assert problems.pop("backup") and set(problems.values()) == {""} and len(problems) == len(SCHEDULES) - 1
    assert {job.name for job, ran in world.memory.maintenance.jobs() if ran.problem} == {"backup"}


def test_hooks_learn_of_due_jobs_by_a_files_time(machine):
    machine.keepstone("worker", "run-all")
    due = machine.home / "due"
    assert due.stat().st_mtime > time.time()
    machine.hook("session-start", machine.event("session-1", source="startup"))
    machine.settle()
    (ended,) = machine.sql("SELECT ended_at FROM job WHERE name = 'consolidate'")[0]
    machine.sql("UPDATE job SET due_at = 0 WHERE name = 'consolidate'")
    os.utime(due, (1, 1))
    machine.hook("session-start", machine.event("session-2", source="startup"))
    machine.settle()
    assert machine.sql("SELECT ended_at FROM job WHERE name = 'consolidate'")[0][0] > ended
    assert due.stat().st_mtime > time.time()


def run_all(home, path, start, names):
    writer = Writer(path, ratio)
    start.wait()
    values = {"confirm_promotions": True, "backups": 2}
    for ran in run_due(home, writer, values, time.time):
        names.put(ran.name)
    writer.close()


def test_two_workers_at_once_run_each_due_job_once(machine):
    path = machine.new_database()
    with closing(Writer(path, ratio)) as writer, writer.transaction() as tx:
        jobs_sql.schedule(tx)
    warm()
    context = multiprocessing.get_context("fork")
    for _ in range(3):
        machine.sql("UPDATE job SET due_at = 0")
        start, names = context.Barrier(3), context.Queue()
        workers = [context.Process(target=run_all, args=(str(machine.home), path, start, names)) for _ in range(3)]
        for worker in workers:
            worker.start()
        ran = sorted(names.get(timeout=60) for _ in SCHEDULES)
        for worker in workers:
            worker.join(60)
        assert ran == sorted(plan.name for plan in SCHEDULES) and names.empty()


def maintained_until(lines, memory):
    """Maintains, and is killed after so many lines of the store's code."""
    left = lines

    def stop(frame, event, arg):
        nonlocal left
        if event == "line" and ("/db/" in (name := frame.f_code.co_filename) or name.endswith("_sql.py")):
            left -= 1
            if left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return stop

    sys.settrace(stop)
    memory.maintenance.maintain()


@pytest.mark.of_files  # at a server a claim of the dead ends by itself, a quarter of an hour later
@pytest.mark.parametrize("lines", [40, 150, 300, 500, 700, 1_000])
def test_a_worker_that_is_killed_anywhere_leaves_what_the_next_one_finishes(machine, lines):
    world = World(machine)
    for number, word in enumerate("alpha bravo charlie delta echo foxtrot golf hotel".split()):
        world.learn(f"{word} was slow", session=f"s-{number}", relevance=0.1, facets=(("file", f"{word}.py"),))
        for session in ("s-20", "s-21", "s-22"):
            if number % 2:
                world.learn(f"{word} was slow", session=session)
    machine.sql("UPDATE memory SET expires_at = 1.0")
    before = machine.sql("SELECT count(*) FROM memory")
    memory = Memory(str(machine.home), str(machine.project), machine.env)
    done = copied(lambda: maintained_until(lines, memory), machine.env, machine.project)
    assert done.returncode == -signal.SIGKILL, done.stderr
    ran = {one.name: one for one in memory.maintenance.maintain()}
    assert set(ran) == {plan.name for plan in SCHEDULES} and not any(one.problem for one in ran.values())
    assert machine.sql("SELECT count(*) FROM memory") >= before
    states = machine.sql("SELECT tier, status, status_reason, count(*) FROM memory GROUP BY 1, 2, 3 ORDER BY 1")
    assert states == [("episodic", "deleted", "expired", 4), ("semantic", "active", None, 4)]
    assert machine.sql("SELECT count(*) FROM job WHERE claimed_until IS NOT NULL") == [(0,)]
    engines.check_index(machine.database)
    assert [name for name, _ in memory.backups.backup_list() if name.endswith(".tmp")] == []


# Backups


@pytest.mark.of_files
def test_copies_are_made_daily_and_the_oldest_dropped(world):
    world.memory.context.settings.values["backups"] = 3
    for _ in range(5):
        world.memory.maintenance.maintain()
        world.now += DAY
    names = [name for name, _ in world.memory.backups.backup_list()]
    assert len(names) == 3 and names == sorted(names) and all(name.startswith("daily-") for name in names)
    made = world.memory.backups.backup()
    world.memory.maintenance.maintain()
    assert os.path.exists(made) and len(world.memory.backups.backup_list()) == 4


@pytest.mark.of_files
def test_a_copy_is_made_beside_a_process_that_never_stops_writing(world):
    """A copy in several steps begins anew with each write of another process, and never ends."""
    world.memory.store("The registry is at vega.internal")
    with engines.opened(world.path) as database:
        large = "x" * 30_000_000
        database.execute("INSERT INTO audit (at, actor, op, details) VALUES (0, 'person', 'store', ?)", (large,))
    writes = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
print("ready", flush=True)
while True:
    database.execute("UPDATE memory SET retrieval_count = retrieval_count + 1")
"""
    with subprocess.Popen([sys.executable, "-c", writes, world.path], stdout=subprocess.PIPE) as writer:
        try:
            writer.stdout.readline()
            copied = subprocess.run(
                [sys.executable, "-m", "keepstone", "backup"],
                env=world.machine.env,
                cwd=world.machine.project,
                timeout=60,
            )
        finally:
            writer.kill()
    assert copied.returncode == 0 and world.memory.backups.backup_list()[0][1] > 30_000_000


@pytest.mark.of_files
def test_a_copy_is_put_back_and_what_was_there_is_kept(world):
    world.memory.store("The registry is at vega.internal")
    name = os.path.basename(world.memory.backups.backup())
    world.memory.store("A later thought about the proxy")
    before = world.memory.backups.restore_backup(name)
    assert [hit.memory.content for hit in world.memory.recent()] == ["The registry is at vega.internal"]
    world.now += 1
    world.memory.backups.restore_backup(before)
    assert len(world.memory.recent()) == 2


@pytest.mark.of_files
def test_a_damaged_or_unknown_copy_changes_nothing(world):
    world.memory.store("The registry is at vega.internal")
    (world.machine.home / "backups").mkdir()
    (world.machine.home / "backups" / "broken.db").write_bytes(b"no database" * 1_000)
    with pytest.raises(BadInput, match="damaged"):
        world.memory.backups.restore_backup("broken.db")
    with pytest.raises(NotFound):
        world.memory.backups.restore_backup("../keepstone.db")
    assert len(world.memory.recent()) == 1


@pytest.mark.of_files
def test_a_copy_to_a_path_does_not_write_over_anything(machine, tmp_path):
    machine.store("The registry is at vega.internal")
    machine.keepstone("backup", str(tmp_path / "copy.db"))
    assert oct((tmp_path / "copy.db").stat().st_mode & 0o777) == "0o600"
    refused = machine.keepstone("backup", str(tmp_path / "copy.db"), ok=False)
    assert refused.returncode == 2 and "already" in refused.stderr
