"""The status line: one short line that is true, whatever state Keepstone is in, and nothing where it can't be."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest

from keepstone.config.provenance import nested_key
from keepstone.lib.limits import WEEK_DAYS
from keepstone.spool import spool
from support import ROOT
from test_architecture import assert_hot


def line(machine, said=None, **env):
    data = json.dumps(said or {"workspace": {"current_dir": str(machine.project)}}).encode() if said != b"" else b""
    return raw(machine, data, **env)


def raw(machine, data, **env):
    done = subprocess.run(
        ["/bin/sh", str(ROOT / "src" / "statusline.sh")],
        input=data,
        capture_output=True,
        env={**machine.env, **env},
        cwd=machine.project,
        timeout=30,
    )
    assert done.returncode == 0 and done.stderr == b"" and done.stdout.count(b"\n") <= 1
    return done.stdout.decode().rstrip("\n")


def test_it_counts_the_suggestions_of_this_project(machine, sessions):
    said = "Remember: deploys always need the VPN, probably because the registry is internal."
    sessions.say(said, day=time.strftime("%Y-%m-%d"))
    machine.store("The proxy is squid 6")
    assert line(machine) == "keepstone 1 memory, 1 new this week, 1 suggestion: keepstone review"
    (machine.root / "other").mkdir()
    assert line(machine, {"cwd": str(machine.root / "other")}) == "keepstone 0 memories"
    machine.sql("UPDATE suggestion SET state = 'refused'")
    assert line(machine) == "keepstone 1 memory, 1 new this week"


def test_it_counts_what_holds_in_this_project(machine):
    assert line(machine) == "keepstone: no memories yet"
    machine.store("Deploys need the VPN")
    assert line(machine) == "keepstone 1 memory, 1 new this week"
    machine.keepstone("store", "--user", "Short answers, please")
    other = machine.root / "other"
    other.mkdir()
    machine.keepstone("store", "--project", str(other), "Ours is blue")
    assert line(machine) == "keepstone 2 memories, 2 new this week"
    machine.sql(f"UPDATE memory SET created_at = {time.time() - (WEEK_DAYS + 1) * 86_400}")
    assert line(machine) == "keepstone 2 memories"
    assert line(machine, {"cwd": str(other)}) == "keepstone 2 memories"
    assert line(machine, {"cwd": "/nowhere"}) == "keepstone 1 memory"


def test_it_says_when_keepstone_is_off(machine):
    machine.store("Deploys need the VPN")
    assert line(machine, KEEPSTONE_OFF="1") == "keepstone off"
    machine.keepstone("config", "off", "1", "--project", ".")
    assert line(machine) == "keepstone off"
    assert line(machine, {"cwd": str(machine.root)}) == "keepstone 0 memories"
    assert line(machine, KEEPSTONE_NESTED=nested_key(str(machine.home))) == ""


def test_it_says_what_keeps_keepstone_from_learning(machine):
    machine.store("Deploys need the VPN")
    spool.put(str(machine.home), "session-end", "s", {})
    (job,) = (machine.home / "spool" / "new").iterdir()
    job.rename(machine.home / "spool" / "aside" / job.name)
    assert line(machine) == "keepstone 1 memory, 1 new this week, 1 job failed: keepstone doctor"
    (machine.home / "python").write_text("/usr/bin/python3\n\n")
    assert line(machine) == "keepstone has no packages: keepstone bootstrap"
    (machine.home / "build.json").write_text("{}")
    assert line(machine) == "keepstone installs its packages"
    (machine.home / "build.json").write_text('{"attempts": 1, "line": "no network"}')
    assert line(machine) == "keepstone has no packages: keepstone bootstrap"


@pytest.mark.parametrize("text", [b"garbage" * 1000, b"SQLite format 3\0", b""])
def test_a_database_that_can_not_be_read_is_said_so(machine, text):
    (machine.home / "keepstone.db").write_bytes(text)
    assert line(machine) in ("keepstone can't read its memories: keepstone doctor", "keepstone: no memories yet")


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff\xfe", b'{"workspace": 3, "cwd": 4}'])
def test_whatever_the_client_says_it_is_one_line(machine, data):
    machine.store("Deploys need the VPN")
    assert raw(machine, data) == "keepstone 1 memory, 1 new this week"


def test_without_a_data_home_or_a_python_it_is_silent(machine, tmp_path):
    assert line(machine, HOME="") == ""
    assert line(machine, KEEPSTONE_HOME="relative") == ""
    (machine.home / "python").unlink()
    assert line(machine, PATH=str(tmp_path)) in ("", "keepstone has no packages: keepstone bootstrap")


def test_it_changes_nothing_and_loads_nothing_but_the_hot_path(machine):
    machine.store("Deploys need the VPN")
    before = {path: path.read_bytes() for path in machine.home.rglob("*") if path.is_file()}
    line(machine)
    after = {path: path.read_bytes() for path in machine.home.rglob("*") if path.is_file()}
    assert {path.name for path in after if after[path] != before.get(path)} <= {"keepstone.db-shm", "keepstone.db-wal"}
    code = (
        "import sys, os; bare = set(sys.modules); sys.path.insert(0, sys.argv[1])\n"
        "leave, os._exit = os._exit, lambda code: None\n"
        "from keepstone.cli.statusline import main; main()\n"
        "sys.stderr.write('\\n'.join(sorted(set(sys.modules) - bare)))"
    )
    argv = [sys.executable, "-I", "-S", "-c", code, str(ROOT / "src")]
    done = subprocess.run(argv, input=b"{}", env=machine.env, cwd=machine.project, capture_output=True)
    loaded = set(done.stderr.decode().split())
    assert "keepstone.cli.statusline" in loaded
    assert_hot(loaded)


def test_a_folder_that_can_not_be_is_no_matter(machine):
    assert raw(machine, b'{"cwd": "a\\u0000b"}') == ""
