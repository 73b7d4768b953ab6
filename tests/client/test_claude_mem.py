"""The database that claude-mem's own published package makes and fills; its code is fetched, never kept here."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

import claude_mem
from keepstone import Memory
from support import require

pytestmark = pytest.mark.system

VERSION = "13.25.3"
# its storage by its own methods, on Bun as it runs there
FILL = """
const { SessionStore } = require(process.argv[2] + "/package/plugin/sqlite/SessionStore.js");
const store = new SessionStore(process.argv[3]);
const [project, at] = [process.argv[4], Number(process.argv[5])];
const session = store.createSDKSession("client-1", project, "move billing");
const own = store.ensureMemorySessionIdRegistered(session, "memory-1");
const said = (type, title, more) => ({ type, title, subtitle: null, narrative: null, facts: [], concepts: [],
    files_read: [], files_modified: [], ...more });
for (const one of JSON.parse(process.argv[6]))
    store.storeObservation(own, project, said(one.type, one.title, one), 1, 0, at);
store.storeSummary(own, project, { request: "Move billing", investigated: null, learned: "The pool is small",
    completed: "Moved", next_steps: null, notes: null, files_read: [], files_edited: ["db/schema.sql"] }, 1, 0, at);
store.saveUserPrompt("client-1", 1, "move billing");
"""
TYPES = {
    "bugfix": "solution",
    "feature": "solution",
    "refactor": "solution",
    "change": "general",
    "discovery": "discovery",
    "decision": "decision",
    "security_alert": "incident",
    "security_note": "architecture",
}


@pytest.fixture
def package(tmp_path):
    folder = os.environ.get("KEEPSTONE_CLAUDE_MEM", "")
    line = f"npm i --ignore-scripts bun@1.2.23 && npm pack claude-mem@{VERSION} && tar xzf claude-mem-{VERSION}.tgz"
    require("claude-mem", folder, f"cd FOLDER && {line}; then KEEPSTONE_CLAUDE_MEM=FOLDER")
    found = json.loads((Path(folder) / "package" / "package.json").read_text())
    assert found["version"] == VERSION
    return Path(folder)


def test_a_database_that_claude_mem_itself_has_made(machine, tmp_path, package):
    (tmp_path / "fill.js").write_text(FILL)
    (tmp_path / "claude-mem").mkdir()
    path = tmp_path / "claude-mem" / "claude-mem.db"
    given = [
        {"type": type, "title": f"Of type {type}", "narrative": f"Told of {type}.", "concepts": ["gotcha"]}
        for type in TYPES
    ]
    words = [package, path, "acme shop", claude_mem.AT, json.dumps(given)]
    bun = package / "node_modules" / ".bin" / "bun"
    subprocess.run(
        [bun, tmp_path / "fill.js", *map(str, words)],
        check=True,
        env={**machine.env, "HOME": str(tmp_path)},
        timeout=60,
    )
    memory = Memory(str(machine.home), str(machine.project), machine.env)
    done = memory.transfer.take_in(str(path.parent))
    assert (done.format, done.new, dict(done.left), dict(done.elsewhere)) == ("claude-mem", len(TYPES) + 1, {}, {})
    hits = {hit.memory.title: hit for hit in memory.recent(limit=100)}
    assert {title: hit.memory.kind for title, hit in hits.items()} == {
        **{f"Of type {type}": kind for type, kind in TYPES.items()},
        "Move billing": "summary",
    }
    one = hits["Of type decision"]
    assert (one.memory.content, one.memory.created_at) == ("Of type decision\nTold of decision.", claude_mem.AT / 1000)
    assert ("concept", "gotcha") in one.facets and one.memory.session_id == "client-1"
    assert memory.transfer.take_in(str(path)).known == len(TYPES) + 1


def test_its_tables_are_those_that_our_tests_build(machine, tmp_path, package):
    (tmp_path / "fill.js").write_text(FILL)
    path = tmp_path / "real.db"
    bun = package / "node_modules" / ".bin" / "bun"
    words = [str(word) for word in (package, path, "x", 1, "[]")]
    subprocess.run(
        [bun, tmp_path / "fill.js", *words], check=True, env={**machine.env, "HOME": str(tmp_path)}, timeout=60
    )
    with closing(sqlite3.connect(path)) as database:
        for table, columns in claude_mem.NOW.items():
            real = {row[1]: row[3] for row in database.execute(f"PRAGMA table_info({table})")}
            ours = {name: int("NOT NULL" in kind) for name, kind in columns.items()}
            assert ours.items() <= real.items(), table
