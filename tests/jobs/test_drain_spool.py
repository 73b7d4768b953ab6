"""The spool's work: each job done, waiting, or aside where doctor shows it; never lost, never twice at once."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from builders import lasting
from keepstone import Memory
from keepstone.jobs.drain_spool import EVENTS, queue
from keepstone.lib import files
from keepstone.lib.text import digest
from keepstone.spool import spool
from support import ROOT


def jobs(machine, folder="new"):
    return sorted(path.name for path in (machine.home / "spool" / folder).iterdir())


def test_a_failing_job_backs_off_and_then_stands_aside_until_it_is_retried(machine):
    machine.keepstone("status")
    missing = str(machine.root / "gone.jsonl")
    spool.put(str(machine.home), "session-end", "s", {"session": "s", "transcript_path": missing, "at": 0})
    for attempt in range(1, 6):
        worked = json.loads(machine.keepstone("worker", "run", "--wait", "--json").stdout)
        counts = {"done": 0, "waiting": int(attempt < 5), "set_aside": int(attempt == 5)}
        assert worked == {**counts, "removed": 0, "sent": 0, "unsent": 0, "unsent_why": ""}
        if attempt < 5:
            assert (
                json.loads(machine.keepstone("worker", "run", "--json").stdout)["waiting"] == 1
            )  # its time has not come
            (job,) = (machine.home / "spool" / "new").iterdir()
            payload = json.loads(job.read_text())
            assert payload["attempts"] == attempt and payload["not_before"] > time.time() + 50 * 2 ** (attempt - 1)
            job.write_text(json.dumps({**payload, "not_before": 0}))
    assert "Failed too often: 1" in machine.keepstone("status").stdout
    doctor = machine.keepstone("doctor", ok=False)
    assert doctor.returncode == 1 and "keepstone worker run --retry" in doctor.stdout
    machine.keepstone("worker", "run", "--retry")
    assert len(jobs(machine)) == 1 and jobs(machine, "aside") == []


def test_a_file_that_is_no_job_stands_aside_and_keeps_nobody_waiting(machine, transcript):
    transcript.user("I prefer tabs over spaces")
    machine.hook("stop-extract", machine.event(transcript_path=str(transcript.path)))
    for name, text in {"0-garbage": "{", "1-list": "[]", "2-strange": '{"event": 5}', "3-binary": "\udcff"}.items():
        (machine.home / "spool" / "new" / name).write_text(text, errors="surrogateescape")
    assert "1 job done" in machine.keepstone("worker", "run").stdout
    assert len(jobs(machine, "aside")) == 4 and len(machine.memories()) == 1


def test_a_job_of_a_newer_keepstone_is_left_to_that_ones_worker(machine):
    spool.put(str(machine.home), "post-tool-use", "s", {"session": "s", "tool": "Bash"})
    assert machine.keepstone("worker", "run", "--wait").stdout == "0 jobs done, 0 waiting, 0 set aside.\n"
    assert len(jobs(machine)) == 1


def test_an_odd_job_harms_no_other(machine, transcript):
    transcript.user("I prefer tabs over spaces")
    machine.hook("stop-extract", machine.event(transcript_path=str(transcript.path)))
    spool.put(str(machine.home), "session-end", "a", {"session": ["x"], "transcript_path": "\x00", "at": 0})
    spool.put(str(machine.home), "session-start", "b", {"session": "b", "ids": 5, "at": "noon"})
    worked = json.loads(machine.keepstone("worker", "run", "--json").stdout)
    assert (worked["done"], worked["waiting"]) == (1, 2) and len(machine.memories()) == 1


def test_a_job_of_a_killed_worker_is_put_back(machine, transcript):
    transcript.user("I prefer tabs over spaces")
    machine.hook("stop-extract", machine.event(transcript_path=str(transcript.path)))
    (job,) = (machine.home / "spool" / "new").iterdir()
    os.replace(job, machine.home / "spool" / "taken" / job.name)
    machine.keepstone("worker", "run")
    assert len(machine.memories()) == 1 and jobs(machine, "taken") == jobs(machine) == []


def test_a_newer_job_wins_over_the_one_a_killed_worker_had_taken(machine):
    home = str(machine.home)
    spool.put(home, "stop-extract", "s", {"session": "s", "at": 2})
    (name,) = jobs(machine)
    (machine.home / "spool" / "taken" / name).write_text('{"event": "stop-extract", "at": 1}')
    queue.recover(home)
    assert json.loads((machine.home / "spool" / "new" / name).read_text())["at"] == 2 and jobs(machine, "taken") == []


@pytest.mark.system
def test_a_worker_killed_at_any_moment_loses_nothing(machine, transcript):
    for number in range(60):
        transcript.user(lasting(number))
    machine.keepstone("status")

    def stored():
        return machine.sql("SELECT count(*) FROM memory")[0][0]

    killed = 0
    for is_reached in (lambda: jobs(machine, "taken"), stored, lambda: stored() > 20, lambda: stored() > 40):
        machine.hook("stop-extract", machine.event(transcript_path=str(transcript.path)))
        running = subprocess.Popen(
            [sys.executable, "-m", "keepstone", "worker", "run"],
            env=machine.env,
            cwd=machine.project,
            stdout=subprocess.DEVNULL,
        )
        while running.poll() is None and not is_reached():
            time.sleep(0.005)
        running.send_signal(signal.SIGKILL)
        killed += running.wait() == -signal.SIGKILL
    assert killed >= 3  # the last one may have been done
    machine.keepstone("worker", "run", "--wait")
    assert len(machine.memories()) == 60 and jobs(machine) == jobs(machine, "taken") == []


def opened(process: int) -> list[str]:
    """The paths of the files that a process has open."""
    found = []
    for entry in Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(OSError):
            found.append(os.readlink(entry))
    return found


def test_only_one_works_at_a_time_and_wait_waits(machine, transcript):
    transcript.user("I prefer tabs over spaces")
    machine.hook("stop-extract", machine.event(transcript_path=str(transcript.path)))
    held = files.lock(str(machine.home))
    assert "Another worker is at it" in machine.keepstone("worker", "run").stdout
    waiting = subprocess.Popen(
        [sys.executable, "-m", "keepstone", "worker", "run", "--wait"],
        env=machine.env,
        cwd=machine.project,
        stdout=subprocess.PIPE,
        text=True,
    )
    while not any("lock" in os.path.basename(path) for path in opened(waiting.pid)):
        assert waiting.poll() is None
        time.sleep(0.01)
    assert waiting.poll() is None and len(jobs(machine)) == 1
    files.unlock(held)
    assert "1 job done" in waiting.communicate(timeout=30)[0]


def test_a_full_spool_folder_write_is_all_or_nothing(machine):
    spool.put(str(machine.home), "stop-extract", "s", {"session": "s"})
    assert jobs(machine, "tmp") == [] and len(jobs(machine)) == 1
    (path,) = (machine.home / "spool" / "new").iterdir()
    assert json.loads(path.read_text()) == {"event": "stop-extract", "session": "s"}


def test_a_session_idle_for_a_day_has_ended(machine):
    machine.hook("session-start", machine.event("old"))
    machine.keepstone("worker", "run", "--wait")
    machine.sql("UPDATE session SET last_seen_at = last_seen_at - 90000")
    machine.keepstone("worker", "run", "--wait")
    assert machine.sql("SELECT ended_at IS NOT NULL FROM session") == [(1,)]


def test_what_a_clock_years_ahead_noted_keeps_nothing_waiting(machine, transcript):
    transcript.user("I prefer tabs over spaces")
    given = {"session": "session-1", "transcript_path": str(transcript.path), "cwd": str(machine.project)}
    spool.put(str(machine.home), "stop-extract", "session-1", {**given, "at": time.time()})
    machine.keepstone("worker", "run", "--wait")
    ahead = time.time() + 3e8
    machine.sql(f"UPDATE session SET last_seen_at = {ahead}")
    waits = {"at": time.time(), "attempts": 1, "not_before": ahead}
    spool.put(str(machine.home), "session-end", "session-1", {**given, **waits})
    assert json.loads(machine.keepstone("worker", "run", "--wait", "--json").stdout)["done"] == 1
    assert machine.sql("SELECT ended_at IS NOT NULL, last_seen_at < ended_at + 1 FROM session") == [(1, 1)]


def test_what_comes_in_while_a_job_backs_off_is_still_done_in_the_same_run(machine, transcript):
    """The job's own worker found the lock taken and left, so the one at work has to look again."""
    missing = str(machine.root / "gone.jsonl")
    home = str(machine.home)
    spool.put(home, "session-end", "s", {"session": "s", "transcript_path": missing, "at": 0})
    transcript.user("I prefer tabs over spaces")

    came_in = []

    def clock():
        if (machine.home / "logs" / "worker.log").exists() and not came_in:
            came_in.append(machine.hook("stop-extract", machine.event(transcript_path=str(transcript.path))))
        return time.time()

    memory = Memory(home, str(machine.project), machine.env, clock)
    memory.maintenance.work()
    assert came_in and [shown.memory.title for shown in memory.recent()] == ["I prefer tabs over spaces"]
    assert len(jobs(machine)) == 1


@pytest.mark.of_files
def test_a_worker_that_dies_says_so_in_the_log(machine):
    machine.keepstone("status")
    (machine.home / "keepstone.db").write_bytes(b"no database" * 1000)
    spool.put(str(machine.home), "session-start", "s", {"session": "s", "at": 0})
    code = "import sys; sys.path.insert(0, sys.argv[1]); from keepstone.worker import main; main()"
    subprocess.run([sys.executable, "-c", code, str(ROOT / "src")], env=machine.env, check=True)
    assert "the worker died: StoreError" in (machine.home / "logs" / "worker.log").read_text()


def spooled(machine, name, text="x", age=0.0, now=None):
    """Puts a file into the spool as it would be after that many seconds."""
    path = machine.home / "spool" / "new" / name
    path.write_text(text)
    os.utime(path, ((now or time.time()) - age,) * 2)


@pytest.mark.parametrize("seed", range(30))
def test_a_worker_takes_the_newest_jobs_first_and_every_file_once(machine, seed):
    chance = random.Random(seed)
    home, count = str(machine.home), chance.choice((0, 1, 7, queue.BATCH, queue.BATCH + 1, 2 * queue.BATCH + 30))
    spool.make_folders(home)
    ages = {f"{digest(str(number))}-{chance.choice(EVENTS)}": chance.uniform(0, 1e6) for number in range(count)}
    junk = {
        f"{chance.choice('.0az-')}junk{number}": chance.uniform(-100, 1e6) for number in range(chance.randrange(20))
    }
    now = time.time()
    for name, age in {**ages, **junk}.items():
        spooled(machine, name, age=age, now=now)
    taken = queue.pending(home)
    assert sorted(taken) == sorted([*ages, *junk]) and set(taken[count:]) == set(junk)
    for start in range(0, count, queue.BATCH):
        batch = [ages[name] for name in taken[start : min(start + queue.BATCH, count)]]
        assert batch == sorted(batch, reverse=True)  # what was said later may take back what was said before
        assert min([ages[name] for name in taken[start + len(batch) : count]], default=1e9) >= max(batch)


def test_hooks_look_at_a_part_of_what_has_piled_up(machine):
    home = str(machine.home)
    spool.make_folders(home)
    for folder in ("new", "aside", "taken", "missed"):
        for number in range(spool.LOOK + 5):
            (machine.home / "spool" / folder / f"junk.{number}").touch()
    assert [spool.count(home, folder) for folder in ("new", "aside", "taken")] == [spool.LOOK] * 3
    assert spool.count(home, "new", 1) == 1 and len(spool.missed(home)) == spool.LOOK
    assert spool.waits_since(home, time.time() + 60) and not spool.waits_since(home, time.time() - 60)


def test_dead_letters_of_no_job_are_bounded_and_those_of_a_job_are_kept(machine, transcript):
    transcript.user("I prefer tabs over spaces")
    machine.hook("stop-extract", machine.event(transcript_path=str(transcript.path)))
    dying = {"session": "s", "transcript_path": str(machine.root / "gone"), "at": 0, "attempts": 4}
    spool.put(str(machine.home), "session-end", "s", dying)
    for number in range(queue.JUNK + 50):
        spooled(machine, f"{digest(str(number))}-session-end", age=1e6 if number % 2 else -60)
    worked = json.loads(machine.keepstone("worker", "run", "--json").stdout)
    assert (worked["done"], worked["set_aside"], jobs(machine)) == (1, queue.JUNK, [])
    assert len(jobs(machine, "aside")) == queue.JUNK and f"{digest('s')}-session-end" in jobs(machine, "aside")
    assert len(machine.memories()) == 1
    assert "51 files of the spool were no jobs" in (machine.home / "logs" / "worker.log").read_text()


def test_what_is_no_file_is_passed_over(machine, transcript):
    transcript.user("I prefer tabs over spaces")
    machine.hook("stop-extract", machine.event(transcript_path=str(transcript.path)))
    for folder in ("new", "taken", "tmp", "aside", "observed", "missed"):
        place = machine.home / "spool" / folder
        (place / "a-folder").mkdir()
        os.mkfifo(place / "a-pipe")
        if folder != "missed":
            (place / "a-link").symlink_to("/dev/zero")
    assert "1 job done, 0 waiting, 0 set aside" in machine.keepstone("worker", "run", "--retry").stdout
    machine.hook("session-start", machine.event())
    assert len(machine.memories()) == 1 and "waiting" not in machine.keepstone("status").stdout.lower()


def test_a_file_larger_than_any_job_is_none(machine):
    home = str(machine.home)
    spool.make_folders(home)
    huge = machine.home / "spool" / "new" / "huge"
    huge.touch()
    os.truncate(huge, 1 << 40)  # a sparse file, which nobody could read into memory
    assert "1 set aside" in machine.keepstone("worker", "run").stdout
    assert jobs(machine, "aside") == ["huge"]
    machine.keepstone("worker", "run", "--retry")
