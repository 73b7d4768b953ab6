"""A database file that is empty and held memories is told of as a damaged one, and what is said meanwhile waits."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import time
from contextlib import closing

import pytest

from builders import lasting
from support import Transcript

pytestmark = pytest.mark.of_files

ATTENDED = {"CLAUDE_CODE_ENTRYPOINT": "cli"}
SAID = "is empty, and held memories"


def truncated(path):
    os.truncate(path, 0)


def made_anew(path):
    path.unlink()
    path.touch()


def copied_over(path):
    shutil.copyfile(os.devnull, path)


EMPTIED = (truncated, made_anew, copied_over)


def backup(name):
    """A sound copy of that name."""

    def make(machine):
        folder = machine.home / "backups"
        folder.mkdir(exist_ok=True)
        shutil.copy2(machine.home / "keepstone.db", folder / name)

    return make


def log(machine):
    """A log that holds all that the database does: of one whose process was killed."""
    path = machine.home / "keepstone.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA wal_autocheckpoint=0")
        database.execute("VACUUM")
        shutil.copy2(f"{path}-wal", f"{path}-wal.kept")
    os.replace(f"{path}-wal.kept", f"{path}-wal")


def weights(machine):
    (machine.home / "vectors").mkdir(exist_ok=True)
    (machine.home / "vectors" / "wordllama-256.weights").write_bytes(b"x")


def told_learned(machine):
    (machine.home / "told-learned").touch()


def damaged_too(machine):
    """The newest copy is no sound one."""
    backup("daily-2026-11-28.db")(machine)
    (machine.home / "backups" / "daily-2026-11-29.db").write_bytes(b"garbage" * 100)


# What shows that an empty file held memories, and whether `doctor --repair` brings them back.
SHOWN = {
    "daily": (backup("daily-2026-11-28.db"), True),
    "by hand": (backup("manual-2026-11-28T101010Z.db"), True),
    "before a restore": (backup("before-restore-2026-11-28T101010Z.db"), True),
    "before a migration": (backup("schema-7.db"), True),
    "two": (damaged_too, True),
    "log": (log, True),
    "weights": (weights, False),
    "told": (told_learned, False),
}


@pytest.fixture
def bare(machine):
    """A home with one memory, and nothing that shows it but its database."""
    machine.store("Deploys need the VPN")
    for path in (machine.home / "keepstone.db-wal", machine.home / "told-learned"):
        path.unlink(missing_ok=True)
    for folder in ("backups", "vectors"):
        shutil.rmtree(machine.home / folder, ignore_errors=True)
    return machine


def started(machine, session, **more):
    printed = machine.hook("session-start", machine.event(session), **ATTENDED, **more).stdout
    return json.loads(printed).get("systemMessage", "") if printed.startswith("{") else ""


def end(machine, number):
    made = Transcript(machine.root / f"session-{number}.jsonl", machine.project, f"session-{number}")
    made.user(f"{lasting(number)}.")
    said = machine.event(made.session, transcript_path=str(made.path), prompt="which?")
    for name in ("user-prompt-submit", "stop-extract", "pre-compact", "session-end"):
        done = machine.hook(name, said)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    machine.settle_processes()


def test_no_copy_is_restored_over_a_log_that_may_hold_memories(bare):
    path, log = bare.home / "keepstone.db", bare.home / "keepstone.db-wal"
    bare.keepstone("backup")
    (copy,) = [one.name for one in (bare.home / "backups").glob("*.db")]
    path.write_bytes(b"")
    log.write_bytes(b"what may hold memories")
    refused = bare.keepstone("restore-backup", copy, "--yes", ok=False)
    assert refused.returncode and "keepstone doctor --repair" in refused.stderr
    assert log.read_bytes() == b"what may hold memories"
    bare.keepstone("doctor", "--repair", ok=False)
    assert [str(memory["content"]) for memory in bare.memories()] == ["Deploys need the VPN"]
    assert any(b"what may hold memories" in one.read_bytes() for one in bare.home.rglob("*") if one.is_file())


@pytest.mark.parametrize("empty", EMPTIED)
@pytest.mark.parametrize("shown", SHOWN)
def test_it_is_told_once_a_day_and_nothing_is_lost(bare, shown, empty):
    machine, path = bare, bare.home / "keepstone.db"
    show, comes_back = SHOWN[shown]
    show(machine)
    empty(path)
    kept = {one: one.read_bytes() for one in machine.home.glob("keepstone.db-wal")}
    note = started(machine, "first")
    assert note.startswith(f"Keepstone's memories can't be read: {path} {SAID}")
    assert ("Try: keepstone doctor --repair" in note) == comes_back and ("start anew: mv" in note) != comes_back
    assert started(machine, "second") == ""
    a_day_ago = time.time() - 90_000
    os.utime(machine.home / "told-damage", (a_day_ago, a_day_ago))
    assert SAID in started(machine, "third")
    end(machine, 0)
    for words in (["recent"], ["store", "x is y"], ["search", "x"], ["status"], ["worker", "run", "--wait"]):
        done = machine.keepstone(*words, ok=False)
        assert done.returncode == 1 and SAID in done.stderr and "\nTry: " in done.stderr, words
    doctor = machine.keepstone("doctor", ok=False)
    assert doctor.returncode == 1 and "FAIL  database" in doctor.stdout and SAID in " ".join(doctor.stdout.split())
    assert path.stat().st_size == 0 and {one: one.read_bytes() for one in kept} == kept
    if comes_back:
        machine.keepstone("doctor", "--repair", ok=False)
    else:
        assert "no sound copy" in machine.keepstone("doctor", "--repair", ok=False).stderr
        path.rename(f"{path}.old")
    assert SAID not in started(machine, "fourth")
    machine.settle()
    found = {str(one["content"]) for one in machine.memories()}
    assert found == {lasting(0), *(("Deploys need the VPN",) if comes_back else ())}


@pytest.mark.parametrize("empty", EMPTIED)
def test_the_copy_that_is_named_is_put_back(bare, empty):
    machine = bare
    backup("daily-2026-11-28.db")(machine)
    empty(machine.home / "keepstone.db")
    assert "keepstone restore-backup NAME" in started(machine, "first")
    end(machine, 0)
    machine.keepstone("restore-backup", "daily-2026-11-28.db", "--yes")
    assert started(machine, "second") == ""
    machine.settle()
    assert {str(one["content"]) for one in machine.memories()} == {"Deploys need the VPN", lasting(0)}


def text_among_the_copies(home):
    (home / "backups" / "notes.txt").write_text("x")
    (home / "backups" / "daily-2026-11-28.db.tmp").write_bytes(b"x")


NEW = {
    "nothing": lambda home: None,
    "no file": lambda home: (home / "keepstone.db").unlink(),
    "no copies": lambda home: None,
    "no sound name": text_among_the_copies,
    "empty log": lambda home: (home / "keepstone.db-wal").touch(),
    "word table": lambda home: (home / "vectors" / "wordllama-256.safetensors.note").write_bytes(b"x"),
    "worked": lambda home: [(home / name).touch() for name in ("due", "worker.lock", "opened", "onboarding", "plugin")],
    "ran": lambda home: [(home / "ran" / name).touch() for name in ("session-start", "stop-extract")],
    "read copy": lambda home: (home / "copy-0123456789abcdef.db").touch(),
    "moved away": lambda home: (
        (home / "keepstone.db").rename(home / "keepstone.db.old"),
        (home / "told-learned").touch(),
        (home / "backups" / "daily-2026-11-28.db").write_bytes((home / "keepstone.db.old").read_bytes()),
    ),
}


@pytest.mark.parametrize("how", NEW)
def test_a_new_home_says_nothing_and_learns(machine, how):
    for folder in ("backups", "vectors", "ran"):
        (machine.home / folder).mkdir(exist_ok=True)
    (machine.home / "keepstone.db").touch()
    NEW[how](machine.home)
    assert "can't be read" not in started(machine, "first")
    end(machine, 0)
    assert "can't be read" not in started(machine, "second")
    machine.settle()
    assert [one["content"] for one in machine.memories()] == [lasting(0)]
    assert "FAIL  database" not in machine.keepstone("doctor", ok=False).stdout


def test_a_home_in_order_says_nothing(bare):
    backup("daily-2026-11-28.db")(bare)
    weights(bare)
    assert started(bare, "first") == "" and "VPN" in bare.hook("session-start", bare.event("second")).stdout
