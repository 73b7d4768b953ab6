"""Verdicts through capture: written with the cursor, once a session, whatever the transcript goes through."""

from __future__ import annotations

import shutil
from contextlib import closing
from datetime import datetime

import pytest

import engines
from builders import candidate
from keepstone import Memory
from keepstone.admin.week_sql import WeekReader
from keepstone.capture import commit_sql
from keepstone.capture.commit_sql import WindowExtras
from keepstone.claude_code.window import WINDOW_MESSAGES
from keepstone.db import sessions
from keepstone.db.writer import Writer
from keepstone.lib.fuzzy import ratio
from keepstone.lifecycle.add_sql import Origin
from keepstone.recall import deliveries_sql
from support import Transcript

pytestmark = pytest.mark.engine

BEGAN = datetime.fromisoformat("2026-11-08T10:00:00+00:00").timestamp()  # the transcripts' timestamp
SHIP, PORT = "images are pushed with `./dev push-image SERVICE`", "the orders service listens on port 8081"


class Place:
    """A data home with two memories that a session was shown, and its transcript."""

    def __init__(self, root):
        self.project = root / "shop"
        self.project.mkdir()
        self.memory = Memory(str(root / "home"), str(self.project), {"HOME": str(root)}, lambda: BEGAN + 60)
        self.ship, self.port = (self.memory.store(text)[0].memory.id for text in (SHIP, PORT))
        self.transcript = Transcript(root / "t" / "session-1.jsonl", self.project)
        self.begin("session-1", BEGAN)

    def begin(self, session, at):
        with closing(Writer(self.memory.context.database, ratio)) as writer, writer.transaction() as tx:
            sessions.note_session(tx, session, project_id=None, transcript_path="", cwd="", branch="", now=at)
            deliveries_sql.count_deliveries(tx, session, "session-start", [self.ship, self.port], 400, at)

    def capture(self, path=None, session="session-1"):
        """What became of the two."""
        self.memory.capture.capture(str(path or self.transcript.path))
        with closing(WeekReader(self.memory.context.database)) as report:
            found = report.verdicts(session)
        return found[self.ship], found[self.port]

    def uses(self):
        return [hit.memory.use_count for hit in self.memory.get([self.ship, self.port])]


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_before_a_capture_nobody_has_judged_and_afterwards_each_has_a_verdict(place):
    with closing(WeekReader(place.memory.context.database)) as report:
        assert set(report.verdicts("session-1").values()) == {None}
    place.transcript.user("push the worker")
    place.transcript.tool("Bash", {"command": "./dev push-image worker"})
    assert place.capture() == ("used", "unknown")
    (hit,) = place.memory.get([place.ship])
    assert (hit.memory.use_count, hit.memory.used_at) == (1, BEGAN + 60)


def test_a_use_is_counted_once_a_session(place):
    for _ in range(3):
        place.transcript.tool("Bash", {"command": "./dev push-image worker"})
        assert place.capture() == ("used", "unknown")
    place.capture()
    assert place.uses() == [1, 0]


def test_the_same_bytes_again_under_another_name_count_nothing(place):
    place.transcript.assistant("Pushed (keepstone " + place.ship[4:10] + ").")
    place.capture()
    with engines.opened(place.memory.context.database) as database:
        database.execute("UPDATE session SET cursor_offset = 0, cursor_digest = NULL, cursor_uuid = NULL")
        database.commit()
    assert place.capture() == ("used", "unknown")
    assert place.uses() == [1, 0]


def test_used_and_then_contradicted_is_contradicted_and_stays_so(place):
    place.transcript.assistant("It answers on 8081 (keepstone " + place.port[4:10] + ").")
    assert place.capture() == ("unknown", "used")
    place.transcript.user("no, orders is on port 9081 now")
    assert place.capture() == ("unknown", "contradicted")
    place.transcript.assistant("Noted (keepstone " + place.port[4:10] + ").")
    assert place.capture() == ("unknown", "contradicted")
    assert place.uses() == [0, 1]


def test_keepstones_own_rating_is_heard_though_its_calls_are_no_turns(place):
    place.transcript.tool("Bash", {"command": f"keepstone rate {place.port[4:10]} outdated"})
    assert place.capture() == ("unknown", "contradicted")


def test_what_a_file_told_many_windows_ago_is_no_use(place):
    place.transcript.line(
        {
            "type": "user",
            "message": {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "x", "content": "Run ./dev push-image worker."}],
            },
        }
    )
    for number in range(2 * WINDOW_MESSAGES):
        place.transcript.user(f"word {number}")
    place.capture()
    place.transcript.tool("Bash", {"command": "./dev push-image worker"})
    assert place.capture() == ("unknown", "unknown")


def test_what_keepstone_itself_answered_does_not_stand_in_the_way(place):
    place.transcript.line(
        {
            "type": "assistant",
            "message": {
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": "own", "name": "Bash", "input": {"command": "keepstone search images"}}
                ],
            },
        }
    )
    place.transcript.line(
        {
            "type": "user",
            "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "own", "content": SHIP}]},
        }
    )
    place.transcript.tool("Bash", {"command": "./dev push-image worker"})
    assert place.capture() == ("used", "unknown")


def test_a_forks_copy_of_what_came_before_it_is_none_of_its_own(place):
    place.transcript.tool("Bash", {"command": "./dev push-image worker"})
    place.capture()
    place.begin("session-2", BEGAN + 30)
    fork = Transcript(place.transcript.path.with_name("session-2.jsonl"), place.project, "session-2")
    shutil.copy(place.transcript.path, fork.path)
    text = fork.path.read_text().replace("session-1", "session-2")
    fork.path.write_text(text)
    assert place.capture(fork.path, "session-2") == ("unknown", "unknown")
    assert place.uses() == [1, 0]


def test_verdicts_and_cursor_are_one_transaction(place):
    place.transcript.assistant("Pushed (keepstone " + place.ship[4:10] + ").")
    origin = Origin("hook", session_id="session-1")
    with closing(Writer(place.memory.context.database, ratio)) as writer:
        with writer.transaction() as tx:
            before = sessions.cursor(tx, "session-1")
        with writer.transaction() as tx:
            assert commit_sql.capture(tx, origin, [candidate("x is y")], before, before, BEGAN)
        stale = type(before)(offset=77)
        used = WindowExtras(verdicts={place.ship: "used"})
        with writer.transaction() as tx:
            lost = commit_sql.capture(tx, origin, [], stale, before, BEGAN, used)
    assert lost is None and place.uses() == [0, 0]
