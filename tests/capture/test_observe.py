"""What a session did, from its transcript: digests without bodies or secrets, the same however it is captured."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import closing

import pytest

import engines
from keepstone import Memory
from keepstone.capture import observations_sql as observations_sql
from keepstone.claude_code.observation import Observation
from keepstone.db.writer import Writer
from keepstone.lib.fuzzy import ratio
from keepstone.spool import queue, spool
from keepstone.spool.spool import OBSERVED_BYTES

pytestmark = pytest.mark.engine

SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


def observations(machine, session="session-1"):
    with closing(Writer(machine.database, ratio)) as writer, writer.transaction() as tx:
        return observations_sql.observations(tx, session)


def use(name, call_id, **given):
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def ask(transcript, *blocks):
    return transcript.line({"type": "assistant", "message": {"role": "assistant", "content": list(blocks)}})


def end(transcript, call_id, content="fine", is_error=False, **more):
    result = {"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": is_error}
    transcript.line({"type": "user", "message": {"role": "user", "content": [result]}, **more})


def work_through(transcript, project):
    """A session with everything in it; the record of its first words."""
    transcript.user("Fix the test")
    words = transcript.assistant("I think the rounding is wrong.")
    ask(transcript, use("Bash", "t-1", command="pytest -q | tail -3"))
    end(transcript, "t-1", "2 failed, 3 passed in 0.1s")
    ask(transcript, use("Read", "t-2", file_path=f"{project}/src/a.py"))
    end(transcript, "t-2", "def BODY(): pass  # Traceback (most recent call last):")
    transcript.assistant("Rounding it is.")
    ask(transcript, use("Edit", "t-3", file_path=f"{project}/src/a.py", old_string="BODY", new_string="BODY"))
    ask(transcript, use("Bash", "t-4", command="ls /nonexistent"))
    end(transcript, "t-3")
    end(transcript, "t-4", "Exit code 2\nls: BODY", True)
    ask(transcript, use("Bash", "t-5", command="keepstone store 'Rounding BODY'"))
    end(transcript, "t-5")
    transcript.assistant("Done: the rounding was wrong.")
    transcript.user("Thanks")
    return words


EXPECTED = [
    ("t-1", "Bash", "pytest -q | tail -3", (), "failed", "I think the rounding is wrong."),
    ("t-2", "Read", "", ("src/a.py",), "ok", ""),
    ("t-3", "Edit", "", ("src/a.py",), "ok", "Rounding it is."),
    ("t-4", "Bash", "ls /nonexistent", (), "failed", ""),
    ("", "", (), "unknown", "Done: the rounding was wrong."),
]


def told(rows):
    fields = [(row.call_id, row.tool, row.command, row.files, row.state, row.reasoning) for row in rows]
    return [field[0 if field[1] else 1 :] for field in fields]


def test_a_sessions_calls_are_kept_with_their_ends_and_the_words_before_them(machine, transcript):
    words = work_through(transcript, machine.project)
    machine.keepstone("capture", str(transcript.path))
    rows = observations(machine)
    assert told(rows) == EXPECTED
    assert [row.place for row in rows] == sorted(row.place for row in rows)
    assert rows[-1].call_id == rows[-1].record_uuid != ""
    assert [row["kind"] for row in machine.memories()] == ["summary"]
    assert rows[0].record_uuid == words and rows[1].record_uuid not in ("", words)


def test_neither_bodies_nor_outputs_nor_secrets_reach_the_database(machine, transcript):
    work_through(transcript, machine.project)
    transcript.assistant(f"The token is {SECRET}.")
    ask(transcript, use("Bash", "t-6", command=f"curl -H 'Authorization: Bearer {SECRET}' https://x\ncat <<E\nBODY\nE"))
    ask(transcript, use("Write", "t-7", file_path=f"{machine.project}/{SECRET}", content="BODY"))
    machine.keepstone("capture", str(transcript.path))
    kept = b"".join(path.read_bytes() for path in machine.home.glob("keepstone.db*"))
    assert b"BODY" not in kept and SECRET.encode() not in kept
    assert [row.command for row in observations(machine) if row.call_id == "t-6"] != [""]


def test_the_same_transcript_in_one_piece_or_in_twenty_gives_the_same_rows(machine, transcript):
    work_through(transcript, machine.project)
    machine.keepstone("capture", str(transcript.path))
    whole = observations(machine)
    machine.keepstone("capture", str(transcript.path))
    assert observations(machine) == whole
    lines = transcript.path.read_bytes().splitlines(keepends=True)
    machine.home = machine.root / "second"
    machine.env["KEEPSTONE_HOME"] = str(machine.home)
    memory = Memory(str(machine.home), str(machine.project), machine.env)
    transcript.path.write_bytes(b"")
    for line in lines:
        with transcript.path.open("ab") as file:
            file.write(line)
        memory.capture.capture(str(transcript.path))
    assert observations(machine) == whole


def test_a_replaced_transcript_read_anew_gives_the_same_rows(machine, transcript):
    work_through(transcript, machine.project)
    machine.keepstone("capture", str(transcript.path))
    whole = observations(machine)
    machine.sql("UPDATE session SET cursor_offset = 5, cursor_uuid = 'gone', cursor_digest = 'x'")
    machine.keepstone("capture", str(transcript.path))
    assert observations(machine) == whole


def test_all_calls_of_one_record_are_kept_and_its_words_once(machine, transcript):
    words = {"type": "text", "text": "Both at once."}
    own = use("Bash", "t-0", command="keepstone recent")
    ask(transcript, words, own, use("Bash", "t-1", command="make a"), use("Bash", "t-2", command="make b"))
    end(transcript, "t-2", "Exit code 2", True)
    machine.keepstone("capture", str(transcript.path))
    found = [("t-1", "make a", "unknown", "Both at once."), ("t-2", "make b", "failed", "")]
    assert [(row.call_id, row.command, row.state, row.reasoning) for row in observations(machine)] == found


def test_long_commands_and_words_are_clipped(machine, transcript):
    transcript.assistant("why " * 10_000)
    ask(transcript, use("Bash", "t-1", command="echo " + "x " * 100_000))
    machine.keepstone("capture", str(transcript.path))
    (row,) = observations(machine)
    assert 450 < len(row.command) <= 500 and 450 < len(row.reasoning) <= 500


def test_files_are_named_from_the_project_on_wherever_the_session_runs(machine, transcript):
    subprocess.run(["git", "init", "-q", machine.project], check=True)
    inside = machine.project / "services" / "api"
    inside.mkdir(parents=True)
    link = machine.root / "link"
    link.symlink_to(inside)
    transcript.cwd = str(link)
    for number, path in enumerate([f"{inside}/a.py", f"{link}/b.py", "c.py", "/usr/lib/python3/os.py", str(inside)]):
        ask(transcript, use("Read", f"t-{number}", file_path=path))
    ask(transcript, use("Bash", "t-9", command="make", file_path="\x00/" + "d" * 10_000))
    machine.keepstone("capture", str(transcript.path))
    named = [row.files[0] for row in observations(machine)]
    assert named[:2] == ["services/api/a.py", "services/api/b.py"]
    assert named[2:5] == ["services/api/c.py", "python3/os.py", "services/api"]
    assert len(named[5]) == 300


def test_odd_calls_harm_no_capture(machine, transcript):
    for odd in ("LONE", "", 5, None, "x" * 10_000, ["t"]):
        ask(transcript, {"type": "tool_use", "id": odd, "name": odd, "input": odd})
        end(transcript, odd)
    transcript.path.write_text(transcript.path.read_text().replace("LONE", "\\ud800"))
    machine.keepstone("capture", str(transcript.path))
    assert observations(machine) == []
    assert machine.sql("SELECT cursor_offset FROM session") == [(transcript.path.stat().st_size,)]


def spooled(machine, call_id="t-1", **more):
    line = {"id": call_id, "tool": "Bash", "state": "ok", "at": time.time()}
    spool.observe(str(machine.home), "session-1", {**line, **more})


def test_what_hooks_saw_is_merged_with_what_the_transcript_tells(machine, transcript):
    ask(transcript, use("Bash", "t-1", command="make"))
    machine.keepstone("capture", str(transcript.path))
    spooled(machine)
    spooled(machine, "t-2", tool="Read", files=["a.py"], cwd="/")  # as an earlier version spooled it
    machine.keepstone("worker", "run", "--wait")
    found = [("t-1", "make", (), "ok"), ("t-2", "", (), "ok")]
    assert [(row.call_id, row.command, row.files, row.state) for row in observations(machine)] == found
    assert list((machine.home / "spool" / "observed").iterdir()) == []


def test_lines_that_no_hook_wrote_are_passed_over(machine):
    spooled(machine)
    (path,) = (machine.home / "spool" / "observed").iterdir()
    good = json.loads(path.read_text())
    odd = [{**good, "id": "\ud800"}, {**good, "state": "maybe"}]
    odd += [{**good, "at": "noon"}, {**good, "tool": None}, {}, [], 7, None, {**good, "session": {}}]
    with path.open("ab") as file:
        file.write(b'\n{"id": "torn\n\xff\n' + b"".join(json.dumps(line).encode() + b"\n" for line in odd))
    spooled(machine, "t-2")
    machine.keepstone("worker", "run", "--wait")
    assert [row.call_id for row in observations(machine)] == ["t-1", "t-2"]
    assert list((machine.home / "spool" / "observed").iterdir()) == []


def test_what_a_killed_worker_had_taken_is_merged_with_what_came_later(machine):
    spooled(machine)
    (path,) = (machine.home / "spool" / "observed").iterdir()
    shutil.copy(path, f"{path}{queue.TAKEN}")
    path.unlink()
    spooled(machine, "t-2")
    machine.keepstone("worker", "run", "--wait")
    assert [row.call_id for row in observations(machine)] == ["t-1", "t-2"]
    assert list((machine.home / "spool" / "observed").iterdir()) == []


def test_a_worker_killed_between_taking_and_committing_loses_nothing(machine):
    machine.keepstone("status")
    spooled(machine)
    code = (
        "import os, signal, sys\n"
        "from keepstone import Memory\n"
        "from keepstone.capture import observations_sql\n"
        "observations_sql.merge_observations = lambda tx, rows: os.kill(os.getpid(), signal.SIGKILL)\n"
        "Memory(*sys.argv[1:]).maintenance.work()"
    )
    done = subprocess.run([sys.executable, "-c", code, str(machine.home), str(machine.project)], env=machine.env)
    assert done.returncode == -signal.SIGKILL
    (taken,) = (machine.home / "spool" / "observed").iterdir()
    assert taken.name.endswith(queue.TAKEN)
    machine.keepstone("worker", "run", "--wait")
    assert [row.call_id for row in observations(machine)] == ["t-1"] and not taken.exists()


def test_a_line_that_a_hook_adds_while_its_file_is_taken_away_is_kept(machine):
    spooled(machine)
    home = str(machine.home)
    (path,) = (machine.home / "spool" / "observed").iterdir()
    merged = []

    def merge(lines):
        if not merged:
            with open(f"{path}{queue.TAKEN}", "ab") as late:
                late.write(json.dumps({"id": "t-2"}).encode() + b"\n")
            spooled(machine, "t-3")  # the file of that name is a new one
        merged.extend(line["id"] for line in lines)

    queue.drain_observed(home, merge)
    assert merged == ["t-1", "t-2"]
    queue.drain_observed(home, merge)
    assert merged == ["t-1", "t-2", "t-3"]


def test_a_hook_whose_file_was_removed_under_its_hands_writes_again(machine, monkeypatch):
    spooled(machine)
    (path,) = (machine.home / "spool" / "observed").iterdir()
    sync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda fd: (path.unlink(), monkeypatch.setattr(os, "fsync", sync)))
    spooled(machine, "t-2")
    assert json.loads(path.read_text())["id"] == "t-2"


def test_a_full_file_takes_no_more_and_a_session_has_its_own(machine):
    spooled(machine)
    (path,) = (machine.home / "spool" / "observed").iterdir()
    path.write_bytes(path.read_bytes().ljust(OBSERVED_BYTES - 10, b"\n"))
    spooled(machine, "refused")
    assert "refused" not in path.read_text()
    spool.observe(str(machine.home), "../x", {"id": "t-3"})
    assert len(list((machine.home / "spool" / "observed").iterdir())) == 2


def test_a_store_that_can_not_be_written_keeps_the_lines_and_the_other_jobs(machine, transcript):
    machine.keepstone("status")
    ask(transcript, use("Bash", "t-2", command="make"))
    machine.hook("stop-extract", machine.event(transcript_path=str(transcript.path)))
    spooled(machine)
    tables = ("keepstone_mine.observation", "observation") if engines.IS_POSTGRES else ("observation",)
    for table in tables:
        machine.sql(f"ALTER TABLE {table} RENAME TO hidden")
    assert machine.keepstone("worker", "run", "--wait", ok=False).returncode == 1
    for table in tables:
        machine.sql(f"ALTER TABLE {table.replace('observation', 'hidden')} RENAME TO observation")
    assert "observations wait: StoreError" in (machine.home / "logs" / "worker.log").read_text()
    for job in (machine.home / "spool" / "new").iterdir():
        job.write_text(json.dumps({**json.loads(job.read_text()), "not_before": 0}))
    machine.keepstone("worker", "run", "--wait")
    assert [row.call_id for row in observations(machine)] == ["t-2", "t-1"]


def test_the_worker_purges_what_is_older_than_a_week(machine):
    spooled(machine, "old", at=time.time() - 8 * 86_400)
    spooled(machine, "young", at=time.time() - 6 * 86_400)
    machine.keepstone("worker", "run", "--wait")
    assert [row.call_id for row in observations(machine)] == ["young"]


def test_what_an_old_transcript_tells_is_kept_for_a_week_from_its_first_capture_on(machine, transcript):
    ask(transcript, use("Bash", "t-1", command="make"))
    transcript.path.write_text(transcript.path.read_text().replace("2026-11-08", "2020-11-08"))
    machine.hook("stop-extract", machine.event(transcript_path=str(transcript.path)))
    machine.keepstone("worker", "run", "--wait")
    assert machine.sql("SELECT date(observed_at, 'unixepoch') FROM observation") == [("2020-11-08",)]
    machine.sql("UPDATE session SET started_at = started_at - 8 * 86400")
    machine.keepstone("worker", "run", "--wait")
    assert machine.sql("SELECT count(*) FROM observation") == [(0,)]


@pytest.fixture
def memory(machine):
    return Memory(str(machine.home), str(machine.project), machine.env)


def test_another_client_can_tell_what_it_did(machine, memory):
    made = memory.sessions.observe(
        "Bash",
        command=f"deploy --token {SECRET}",
        state="failed",
        files=[f"{machine.project}/a.py", "b.py"],
        reasoning="To see it",
        session="theirs",
    )
    assert isinstance(made, Observation) and observations(machine, "theirs") == [made]
    assert made.files == ("a.py", "b.py") and SECRET not in made.command and made.state == "failed"
    assert machine.sql("SELECT id, project_id IS NULL, cwd FROM session") == [("theirs", 0, str(machine.project))]
    assert memory.sessions.observe(reasoning="I think it is the cache", session="theirs").tool == ""
    assert len(observations(machine, "theirs")) == 2 and machine.memories() == []


def test_what_another_client_tells_of_our_own_tools_is_not_kept(machine, memory):
    assert memory.sessions.observe("Bash", command="keepstone store x", session="theirs") is None
    assert observations(machine, "theirs") == []
