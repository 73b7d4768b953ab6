"""Capture: each record new exactly once, whatever the transcript goes through; rows and cursor together."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time

import pytest

import engines
from builders import candidate, lasting
from keepstone.capture.extractors.rules import Rules
from keepstone.capture.pipeline import TranscriptCapture
from keepstone.claude_code.transcript import USER
from keepstone.db.writer import Writer
from keepstone.lib.fuzzy import ratio
from keepstone.lib.limits import WINDOW_CHARS
from keepstone.redaction.redact import redact
from support import Transcript

pytestmark = pytest.mark.engine


class Recorder:
    """An extractor of our own Protocol that notes what it is given, and keeps each prompt that says so."""

    paid = False

    def __init__(self):
        self.new, self.processed = [], []

    def extract(self, window):
        self.new += [turn.uuid for turn in window.new]
        self.processed += [turn.uuid for turn in window.processed]
        said = (turn for turn in window.new if turn.role == USER and "keep" in turn.text)
        return [candidate(turn.text, record=turn.uuid) for turn in said]


class Place:
    def __init__(self, root):
        self.path = engines.new(str(root / "keepstone.db"))
        self.writer = Writer(self.path, ratio)
        self.recorder = Recorder()
        self.project = root / "shop"
        self.project.mkdir()
        self.transcript = Transcript(root / "t" / "session-1.jsonl", self.project)

    def capture(self, path=None, extractor=None, **more):
        path = str(path or self.transcript.path)
        return TranscriptCapture(self.writer, extractor or self.recorder, redact=redact, clock=time.time)(path, **more)

    def rows(self, sql="SELECT title FROM memory ORDER BY seq"):
        with engines.opened(self.path) as database:
            return database.execute(sql).fetchall()


@pytest.fixture
def place(tmp_path):
    made = Place(tmp_path)
    yield made
    made.writer.close()


def grow(transcript, number):
    return [
        transcript.user(f"keep fact number {number}: the answer to question {number} is {number * 7}"),
        transcript.assistant(f"noted {number}"),
    ]


def test_twenty_stops_over_a_growing_transcript_give_each_fact_once(place):
    written = []
    for number in range(20):
        written += grow(place.transcript, number)
        place.capture()
    assert place.recorder.new == written
    assert len(place.rows()) == 20
    assert set(place.recorder.processed) <= set(written)
    later = place.recorder.processed
    assert later[:2] == written[:2] and later[-4:] == written[-6:-2]  # the four turns before the last capture's


def test_capturing_again_changes_no_row(place):
    for number in range(50):
        grow(place.transcript, number)
    place.capture()
    before = (
        place.rows("SELECT * FROM memory"),
        place.rows("SELECT * FROM evidence"),
        place.rows("SELECT * FROM session"),
    )
    report = place.capture()
    assert (report.turns, report.new, report.reinforced) == (0, [], [])
    after = (
        place.rows("SELECT * FROM memory"),
        place.rows("SELECT * FROM evidence"),
        place.rows("SELECT * FROM session"),
    )
    assert before[:2] == after[:2]


def test_the_cursor_reaches_the_end_of_the_file_so_that_noise_is_read_once(place):
    grow(place.transcript, 1)
    place.transcript.line({"type": "progress", "data": "x" * 1000})
    place.capture()
    assert place.rows("SELECT cursor_offset FROM session") == [(place.transcript.path.stat().st_size,)]


@pytest.mark.system
def test_a_huge_message_goes_along_no_longer_in_a_later_capture_than_in_the_same(place):
    place.transcript.user("keep this: " + "word " * 100_000)
    place.capture()
    place.transcript.user("keep that: the answer is 7")
    seen = []
    place.capture(
        extractor=type("Lengths", (), {"paid": False, "extract": lambda self, window: seen.append(window) or []})()
    )
    assert [len(turn.text) for turn in seen[0].processed] == [WINDOW_CHARS]


def test_a_torn_last_line_waits_until_it_is_whole(place):
    grow(place.transcript, 1)
    whole = place.transcript.path.read_bytes()
    second = grow(place.transcript, 2)
    longer = place.transcript.path.read_bytes()
    place.transcript.path.write_bytes(longer[: len(whole) + 40])
    place.capture()
    assert len(place.rows()) == 1
    place.transcript.path.write_bytes(longer)
    place.capture()
    assert place.recorder.new[-2:] == second and len(place.rows()) == 2


def test_the_last_message_is_taken_once_whether_or_not_it_was_there_at_stop(place):
    prompt = place.transcript.user("keep this: the answer is 7")
    place.capture()
    reply = place.transcript.assistant("keep that in mind")
    place.capture()
    assert place.recorder.new == [prompt, reply]


def test_a_fork_of_a_session_takes_nothing_twice(place):
    for number in range(5):
        grow(place.transcript, number)
    place.capture()
    fork = Transcript(place.transcript.path.with_name("session-2.jsonl"), place.project, "session-2")
    shutil.copy(place.transcript.path, fork.path)
    grow(fork, 99)
    place.capture(fork.path, session_id="session-2")
    assert len(place.rows()) == 6
    assert place.rows("SELECT count(*) FROM evidence") == [(6,)]


def test_a_rewritten_transcript_is_read_on_behind_the_last_turn_that_was_taken(place):
    for number in range(5):
        grow(place.transcript, number)
    place.capture()
    lines = place.transcript.path.read_text().splitlines(keepends=True)
    place.transcript.path.write_text("".join(lines[4:]))
    fresh = grow(place.transcript, 77)
    before = len(place.recorder.new)
    place.capture()
    assert place.recorder.new[before:] == fresh


def test_a_replaced_transcript_is_read_anew_and_gives_the_same_rows(place):
    for number in range(5):
        grow(place.transcript, number)
    place.capture()
    rows = place.rows("SELECT * FROM memory")
    lines = place.transcript.path.read_text().splitlines(keepends=True)
    place.transcript.path.write_text("".join(lines[:4]))
    place.capture()
    assert place.rows("SELECT * FROM memory") == rows


def test_the_records_own_folder_decides_the_project(place):
    place.transcript.user("keep this: the answer is 7")
    place.capture(cwd="/somewhere/else", project_dir="/elsewhere")
    assert place.rows("SELECT name FROM project") == [("shop",)]


def test_a_memory_is_dated_when_it_was_said(place):
    place.transcript.user("keep this: the answer is 7", timestamp="2026-10-30T08:00:00.000Z")
    place.capture()
    assert place.rows("SELECT date(created_at, 'unixepoch') FROM memory") == [("2026-10-30",)]


def test_secrets_are_out_before_anything_is_written(place):
    secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    place.transcript.user(f"keep this: the token {secret} opens the registry")
    place.capture()
    assert place.rows()[0][0] == "keep this: the token [redacted] opens the registry"
    place.writer.close()
    assert not [
        path
        for path in place.transcript.path.parent.parent.glob("keepstone.db*")
        if secret.encode() in path.read_bytes()
    ]


def test_injected_notes_are_never_captured_again(place):
    notes = '<keepstone-notes shown="1" total="1">\n- I prefer tabs over spaces (3fa2c1)\n</keepstone-notes>'
    place.transcript.line({"type": "attachment", "attachment": {"type": "hook_success", "content": notes}})
    place.transcript.line(
        {"type": "api-request-blob", "message": {"role": "user", "content": f"I prefer tabs over spaces {notes}"}}
    )
    place.transcript.user(f"hello {notes}")
    place.transcript.user(f"<system-reminder>SessionStart hook additional context: {notes}</system-reminder>")
    report = place.capture(extractor=Rules())
    assert report.turns == 1 and place.rows() == []


@pytest.mark.system
def test_a_capture_killed_in_the_middle_and_repeated_gives_the_same_rows(machine, transcript):
    for number in range(60):
        transcript.user(lasting(number))
    machine.keepstone("status")
    whole = shutil.copy(transcript.path, machine.root / "whole.jsonl")
    killed = 0
    for share in (1, 2, 3):
        running = subprocess.Popen(
            [sys.executable, "-m", "keepstone", "capture", str(transcript.path)],
            env=machine.env,
            cwd=machine.project,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while running.poll() is None and machine.sql("SELECT count(*) FROM memory")[0][0] < share * 10:
            time.sleep(0.005)
        running.send_signal(signal.SIGKILL)
        killed += running.wait() == -signal.SIGKILL
    assert killed == 3
    machine.keepstone("capture", str(transcript.path))
    rows = [(row["title"], row["relevance"], row["created_at"]) for row in machine.memories()]
    assert len(rows) == 60
    machine.home = machine.root / "second"
    machine.env["KEEPSTONE_HOME"] = str(machine.home)
    machine.keepstone("capture", str(whole))
    assert sorted(rows) == sorted((row["title"], row["relevance"], row["created_at"]) for row in machine.memories())


@pytest.mark.system
def test_two_captures_at_once_take_each_turn_once(machine, transcript):
    for number in range(100):
        transcript.user(lasting(number))
    machine.keepstone("status")
    command = [sys.executable, "-m", "keepstone", "capture", str(transcript.path), "--json"]
    running = [
        subprocess.Popen(command, env=machine.env, cwd=machine.project, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    reports = [json.loads(process.communicate()[0]) for process in running]
    assert sum(len(report["new"]) for report in reports) == len(machine.memories()) == 100
