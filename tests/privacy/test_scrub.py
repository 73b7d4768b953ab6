"""Scrub: what was stored before is redacted wherever it stands, and nothing else is changed."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing

import pytest

from builders import stored
from keepstone import Memory
from keepstone.db.integrity import check
from keepstone.db.reader import SCHEMA
from keepstone.model.hit import Hit, states
from keepstone.spool import queue, spool
from secret_shapes import everything

pytestmark = pytest.mark.of_files

KEY = "sk-ant-api03-" + "A1b2C3d4E5f6G7h8" * 5
PASSWORD = "Tr0ub4dor-and-3"
SECRETS = (KEY, KEY[13:53], PASSWORD, "Zebulon")


@pytest.fixture
def memory(machine):
    return Memory(str(machine.home), str(machine.project), machine.env)


def holding(home, words=SECRETS):
    """The files that hold one of these words."""
    files = [path for path in home.rglob("*") if path.is_file()]
    return [path.name for path in files if any(word.encode() in path.read_bytes() for word in words)]


def fill(machine, memory):
    """Memories as an earlier Keepstone may have stored them: written behind this one's back, digests and all."""
    for number in range(3):
        memory.store(f"Fact number {number} of the manual says {number * 7}", tags=["ops"])
    plain, told, noted = (shown.memory.id for shown in memory.recent())
    memory.revise(plain, "Fact number 2 says 15 now")
    with closing(sqlite3.connect(machine.home / "keepstone.db")) as database:
        run = database.execute
        run(
            "UPDATE memory SET title = ?, content = ? WHERE id = ?", (f"Use {KEY}"[:60] + "…", f"Use {KEY} here", plain)
        )
        run("UPDATE memory SET title = 'T', content = 'a <private>Zebulon</private> b' WHERE id = ?", (told,))
        run("UPDATE evidence SET excerpt = ? WHERE memory_id = ?", (f"I said: the password is {PASSWORD}", noted))
        run("UPDATE memory_version SET content = ?, title = 'x'", (f"DB_PASSWORD={PASSWORD}",))
        run("INSERT INTO memory_facet VALUES (?, 'tag', ?, NULL, NULL)", (noted, KEY))
        run("UPDATE audit SET details = ? WHERE seq = 1", (json.dumps({"error": f"https://ann:{PASSWORD}@x.io"}),))
        run(
            "INSERT INTO usage (day, extractor, model, problem) VALUES ('2026-11-01', 'a', 'b', ?)", (f"bad key {KEY}",)
        )
        run(
            "INSERT INTO observation VALUES (NULL, 's', 'c', 'Bash', ?, ?, 'ok', ?, 'r', 0, 1.0, '')",
            (f"curl -u ann:{PASSWORD} https://x.io", json.dumps([f"/tmp/{KEY}"]), f"the key is {KEY}"),
        )
        database.commit()
    return plain, told, noted


def seal(machine):
    """Makes the digests fit what stands there."""
    from keepstone.lib.text import digest

    with closing(sqlite3.connect(machine.home / "keepstone.db")) as database:
        database.create_function("sealed", -1, digest)
        database.execute("UPDATE memory SET row_digest = sealed(title, content, kind, status, trust, scope)")
        database.execute("UPDATE evidence SET row_digest = sealed(excerpt)")
        database.commit()


def test_everything_that_was_stored_is_redacted_and_a_second_run_finds_nothing(machine, memory):
    plain, told, noted = fill(machine, memory)
    seal(machine)
    os.makedirs(machine.home / "backups")
    for name in ("schema-2.db", "schema-3.db"):
        with (
            closing(sqlite3.connect(machine.home / "backups" / name)) as copy,
            closing(sqlite3.connect(machine.home / "keepstone.db")) as database,
        ):
            database.backup(copy)
    (machine.home / "logs").mkdir(exist_ok=True)
    (machine.home / "logs" / "worker.log").write_text(f"failed: https://ann:{PASSWORD}@x.io\nfine\n")
    spool.put(str(machine.home), "store", "1", {"text": f"the key is {KEY}", "tags": [KEY], "cwd": "/x"})
    spool.put(str(machine.home), "brand-new", "2", {"text": f"the password is {PASSWORD}", "cwd": f"/{PASSWORD}x"})
    (name,) = [name for name in spool.list_jobs(str(machine.home), "new") if name.endswith("brand-new")]
    os.replace(machine.home / "spool" / "new" / name, machine.home / "spool" / "aside" / name)
    assert len(holding(machine.home)) >= 5

    dry = memory.privacy.scrub(dry_run=True)
    assert (dry.memories, dry.rows, dry.files, dry.backups) == (3, 3, 3, 2) and dry.dry_run
    assert len(holding(machine.home)) >= 5
    done = memory.privacy.scrub()
    assert (done.memories, done.rows, done.files, done.backups) == (3, 3, 3, 2) and done.problems == []
    path_left = queue.read(str(machine.home / "spool" / "aside" / name))
    assert path_left == {"event": "brand-new", "text": "the password is [redacted]", "cwd": f"/{PASSWORD}x"}
    os.unlink(machine.home / "spool" / "aside" / name)
    assert holding(machine.home) == []
    assert os.listdir(machine.home / "backups") == [f"schema-{SCHEMA}.db"]
    assert (machine.home / "logs" / "worker.log").read_text().endswith("\nfine\n")

    again = memory.privacy.scrub()
    assert again.total == 0 and again.problems == []
    sound = check(str(machine.home / "keepstone.db"))
    assert (sound.integrity, sound.damaged, sound.index_problem) == ("ok", (), "")
    shown = {hit.memory.id: hit for hit in memory.get([plain, told, noted])}
    assert shown[plain].memory.content == "Use [redacted] here" and "redacted" in states(shown[plain])
    assert shown[told].memory.content == "a  b"
    assert shown[noted].facet("tag") == ["[redacted]", "ops"]
    assert shown[noted].evidence[0][2] == "I said: the password is [redacted]"
    audit = machine.sql("SELECT memory_id, details FROM audit WHERE op = 'scrub' ORDER BY memory_id")
    assert audit == [(memory_id, "{}") for memory_id in sorted((plain, told, noted))]
    assert json.loads(machine.sql("SELECT files FROM observation")[0][0]) == ["/tmp/[redacted]"]
    assert memory.search("use redacted here").found[0].memory.id == plain


def test_what_no_longer_fits_its_digest_is_redacted_and_still_found(machine, memory):
    plain, told, _ = fill(machine, memory)
    memory.privacy.scrub()
    assert holding(machine.home) == []
    assert set(check(str(machine.home / "keepstone.db")).damaged) >= {plain, told}


def test_a_clean_home_is_left_as_it_is(machine, memory):
    memory.store("Deploys need the VPN: the registry is internal")
    before = machine.sql("SELECT * FROM memory")
    assert memory.privacy.scrub().total == 0
    assert machine.sql("SELECT * FROM memory") == before and not (machine.home / "backups").exists()
    assert machine.sql("SELECT count(*) FROM audit WHERE op = 'scrub'") == [(0,)]


def test_a_reader_in_the_way_is_said_and_the_rest_is_done(machine, memory, monkeypatch):
    fill(machine, memory)
    monkeypatch.setattr("keepstone.privacy.scrub_sql.SCRUB_BUSY_SECONDS", 0.3)
    with closing(sqlite3.connect(machine.home / "keepstone.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memory").fetchone()
        done = memory.privacy.scrub()
        assert done.memories == 3 and "still holds what was there" in done.problems[0]
    done = memory.privacy.scrub()
    assert (done.total, done.problems) == (0, []) and holding(machine.home) == []


@pytest.mark.system
def test_secrets_of_every_shape_that_were_stored_before(machine, memory):
    made = everything()
    memory.store("Deploys need the VPN: the registry is internal")
    with closing(sqlite3.connect(machine.home / "keepstone.db")) as database:
        columns = [row[1] for row in database.execute("PRAGMA table_info(memory)") if row[1] not in ("seq", "id")]
        named = ", ".join(columns)
        for number, one in enumerate(made):
            values = ", ".join({"content": "?", "title": "substr(?, 1, 40)"}.get(column, column) for column in columns)
            database.execute(
                f"INSERT INTO memory (id, {named}) SELECT ?, {values} FROM memory WHERE seq = 1",
                (f"mem-{number:016x}", one.text, one.text),
            )
            database.execute(
                "INSERT INTO evidence (memory_id, record_uuid, excerpt, trust, method, row_digest, created_at)"
                " VALUES (?, 'r', ?, 'trusted', 'user', '', 0)",
                (f"mem-{number:016x}", one.text[:500]),
            )
        database.commit()
    done = memory.privacy.scrub()
    assert done.memories >= len(made) * 0.99 and done.problems == []
    files = {path: path.read_bytes() for path in machine.home.rglob("*") if path.is_file()}
    left = [one for one in made if any(piece.encode() in data for piece in one.pieces for data in files.values())]
    assert len(left) <= len(made) / 100, "\n".join(f"{one.shape} | {one.place} | {one.text[:160]!r}" for one in left)
    assert memory.privacy.scrub().total == 0


def test_the_command_counts_and_never_shows_a_secret(machine, memory):
    fill(machine, memory)
    dry = machine.keepstone("scrub", "--dry-run")
    assert dry.stdout.startswith("Would redact 3 memories, 3 notes and observations")
    assert json.loads(machine.keepstone("scrub", "--json").stdout)["memories"] == 3
    done = machine.keepstone("scrub")
    assert done.stdout.startswith("Nothing to redact")
    assert not any(secret in dry.stdout + dry.stderr for secret in SECRETS)


def hit(text):
    return Hit(stored(text), "3fa2c1", None, [], [])


def test_a_redacted_memory_says_so(machine):
    assert states(hit("The password is [redacted]")) == ["redacted"]
    assert states(hit("The password is in the vault")) == []
    machine.keepstone("store", f"The database's password is {PASSWORD}")
    assert ", redacted)" in machine.keepstone("recent").stdout
    assert "status: active, redacted" in machine.keepstone("show", machine.memories()[0]["id"]).stdout


def test_what_the_hooks_have_seen_is_taken_in_and_redacted(machine, memory):
    line = {"id": "toolu_1", "tool": "Write", "state": "ok", "at": 1_800_000_000.0}
    earlier = {**line, "files": [f"/acme/ghp_{'A1b2C3' * 6}.txt"], "cwd": "/acme"}  # as an earlier version spooled it
    spool.observe(str(machine.home), "session-1", earlier)
    waiting = machine.home / "spool" / "observed"
    assert "ghp_" in "".join(path.read_text() for path in waiting.iterdir())
    assert memory.privacy.scrub(dry_run=True).files == 1
    assert memory.privacy.scrub().files == 1 and memory.privacy.scrub().total == 0
    assert holding(machine.home, ("ghp_A1b2",)) == []
