"""Hooks where a server holds the memories: they read a copy on this machine, whether the server answers or not."""

from __future__ import annotations

import subprocess

import pytest

import engines
from keepstone.config import runtime
from support import Machine, Transcript

pytestmark = pytest.mark.system

VPN = "Deploys need the VPN: the registry is internal"


@pytest.fixture
def server():
    return engines.on_server()


@pytest.fixture
def machine(tmp_path, server):
    return person(tmp_path / "ann", server, "ann")


def person(root, server, user):
    """Somebody's machine with a clone of the project."""
    made = Machine(root)
    made.record_interpreters()
    made.env |= {"KEEPSTONE_DATABASE_URL": server, "KEEPSTONE_USER": user}
    subprocess.run(["git", "init", "-q", str(made.project)], check=True)
    origin = ["git", "-C", str(made.project), "remote", "add", "origin", "git@git.example.com:acme/shop.git"]
    subprocess.run(origin, check=True)
    return made


def brief(machine, session="session-1", **env):
    return machine.hook("session-start", machine.event(session, source="startup"), **env).stdout


def copies(machine):
    return sorted(path.name for path in machine.home.glob("copy-*.db"))


def gone(server):
    """An address at which nobody answers."""
    return "postgresql://nobody@127.0.0.1:9/keepstone?connect_timeout=1"


def renamed(machine, address):
    """The same copy under another address: what stands there while the server can't be reached."""
    (name,) = copies(machine)
    machine.env["KEEPSTONE_DATABASE_URL"] = address
    other = runtime.database_file(str(machine.home), machine.env)
    for path in machine.home.glob(f"{name}*"):
        path.rename(f"{other}{path.name.removeprefix(name)}")


def test_the_second_session_reads_from_the_copy_what_the_server_holds(machine):
    machine.keepstone("store", VPN)
    first = brief(machine)
    assert VPN not in first and "Onboarding" not in first  # not "knows nothing": it has not looked
    machine.settle()
    assert len(copies(machine)) == 1 and not (machine.home / "keepstone.db").exists()
    assert VPN in brief(machine, "session-2")


def test_a_repository_does_not_say_which_database_gets_what_is_learned(machine, server):
    machine.keepstone("store", VPN)
    brief(machine)
    machine.settle()
    assert VPN in brief(machine, "session-2")
    (machine.project / ".claude").mkdir()
    (machine.project / ".claude" / "settings.json").write_text('{"env": {"KEEPSTONE_DATABASE_URL": "postgresql://x"}}')
    assert VPN in brief(machine, "session-3")  # the address is the user's, whatever a file says
    machine.settle_processes()
    other = {"KEEPSTONE_DATABASE_URL": "postgresql://x"}
    done = machine.keepstone("store", "Something for nobody else", ok=False, **other)
    assert done.returncode == 2 and "may be a repository's" in done.stderr
    assert VPN not in brief(machine, "session-4", **other)
    machine.settle_processes()
    assert (
        engines.rows(server, "SELECT count(*) FROM memory") == [(1,)] and not (machine.home / "keepstone.db").exists()
    )


def test_what_a_colleague_stores_revises_and_forgets_comes_along(machine, tmp_path, server):
    other = person(tmp_path / "bob", server, "bob")
    brief(machine)
    machine.settle()
    other.keepstone("store", VPN)
    machine.keepstone("worker", "run", "--wait")
    assert VPN in brief(machine, "session-2")
    ((memory_id,),) = engines.rows(server, "SELECT id FROM memory")
    other.keepstone("revise", memory_id, "Deploys need no VPN any more")
    machine.keepstone("worker", "run", "--wait")
    told = brief(machine, "session-3")
    assert "no VPN any more" in told and VPN not in told
    other.keepstone("forget", memory_id)
    machine.keepstone("worker", "run", "--wait")
    assert "VPN" not in brief(machine, "session-4")


def test_what_is_erased_at_the_server_is_in_no_row_of_the_copy(machine, tmp_path, server):
    machine.store("The mascot is called Rosalind")
    brief(machine)
    machine.settle()
    ((memory_id,),) = engines.rows(server, "SELECT id FROM memory")
    person(tmp_path / "bob", server, "bob").keepstone("erase", "--yes", memory_id)
    machine.keepstone("worker", "run", "--wait")
    (name,) = copies(machine)
    held = engines.holding(str(machine.home / name), "rosalind")
    assert held == {"memory": 0, "memory_fts": 0, "evidence": 0, "evidence_fts": 0}
    for path in machine.home.glob(f"{name}*"):
        assert b"rosalind" not in path.read_bytes().lower()


def test_what_was_shown_by_a_clock_that_went_wrong_is_told_and_all_that_comes_after_it(machine, server):
    machine.keepstone("store", VPN)
    brief(machine)
    machine.settle()
    brief(machine, "session-2")
    (name,) = copies(machine)
    engines.rows(str(machine.home / name), "UPDATE delivery SET delivered_at = delivered_at + 86400")
    machine.keepstone("worker", "run", "--wait")
    brief(machine, "session-3")
    for _ in range(2):
        machine.keepstone("worker", "run", "--wait")
    told = engines.rows(server, "SELECT session_id FROM delivery ORDER BY session_id")
    assert told == [("session-2",), ("session-3",)]
    assert engines.rows(server, "SELECT access_count FROM memory") == [(2,)]


def test_an_odd_row_at_the_server_keeps_nothing_else_from_the_copy(machine, server):
    for text in (VPN, "The billing report runs at night", "Releases go out on Tuesdays"):
        machine.keepstone("store", text)
    brief(machine)
    machine.settle()
    odd, gone = [row[0] for row in engines.rows(server, "SELECT id FROM memory ORDER BY seq LIMIT 2")]
    machine.store("Invoices are numbered by year")
    engines.rows(server, "UPDATE memory SET relevance = 'NaN' WHERE id = ?", (odd,))
    machine.keepstone("pin", odd)
    machine.keepstone("forget", gone)
    machine.keepstone("worker", "run", "--wait")
    told = brief(machine, "session-2")
    assert "Invoices" in told and "Releases" in told and "billing" not in told and VPN not in told


@pytest.mark.parametrize("state", ["[Infinity,[]]", "[1e999,[],0,0,false]", "[]", "{}", "x"])
def test_a_copy_that_says_odd_things_of_itself_is_made_anew(machine, state):
    machine.keepstone("store", VPN)
    brief(machine)
    machine.settle()
    (name,) = copies(machine)
    engines.rows(str(machine.home / name), "UPDATE setting SET value = ? WHERE key = 'read_copy'", (state,))
    assert "read copy" in machine.keepstone("doctor", ok=False).stdout.lower()
    machine.keepstone("worker", "run", "--wait")
    assert VPN in brief(machine, "session-2")


def test_a_persons_own_memories_are_in_nobody_elses_copy(machine, tmp_path, server):
    other = person(tmp_path / "bob", server, "bob")
    machine.keepstone("store", "--user", "I like short answers")
    for one in (machine, other):
        brief(one)
        one.settle()
    assert "I like short answers" in brief(machine, "session-2")
    assert "I like short answers" not in brief(other, "session-2")
    (name,) = copies(other)
    assert engines.rows(str(other.home / name), "SELECT count(*) FROM memory") == [(0,)]
    assert "I like short answers" not in other.keepstone("recent", "--all").stdout


def test_another_user_or_server_reads_another_copy(machine):
    machine.keepstone("store", VPN)
    brief(machine)
    machine.settle()
    assert VPN not in brief(machine, "session-2", KEEPSTONE_USER="eve")
    assert VPN not in brief(machine, "session-3", KEEPSTONE_WORKSPACE="other")
    assert VPN in brief(machine, "session-4")


def test_without_the_server_the_copy_is_read_and_what_was_said_and_shown_arrives_later(machine, server):
    machine.keepstone("store", VPN)
    brief(machine)
    machine.settle()
    renamed(machine, gone(server))
    assert VPN in brief(machine, "session-2")
    transcript = Transcript(machine.root / "transcripts" / "session-2.jsonl", machine.project)
    transcript.user("We decided to use PostgreSQL for billing, not MySQL.")
    transcript.assistant("Noted.")
    stop = machine.event("session-2", transcript_path=str(transcript.path), stop_hook_active=False)
    assert machine.hook("stop-extract", stop).returncode == 0
    machine.settle_processes()
    assert engines.rows(server, "SELECT count(*) FROM memory") == [(1,)]
    renamed(machine, server)
    machine.keepstone("worker", "run", "--wait", "--retry")
    assert engines.rows(server, "SELECT count(*) FROM memory") == [(2,)]
    assert engines.rows(server, "SELECT session_id, event FROM delivery") == [("session-2", "session-start")]
    assert engines.rows(server, "SELECT access_count FROM memory ORDER BY seq LIMIT 1") == [(1,)]
    machine.keepstone("worker", "run", "--wait")
    assert engines.rows(server, "SELECT access_count FROM memory ORDER BY seq LIMIT 1") == [(1,)]


def test_a_session_is_not_shown_twice_what_it_was_shown(machine):
    machine.keepstone("store", VPN)
    brief(machine)
    machine.settle()
    prompt = machine.event("session-2", prompt="How do deploys reach the registry, is a VPN needed?")
    brief(machine, "session-2")
    machine.keepstone("worker", "run", "--wait")
    assert VPN not in machine.hook("user-prompt-submit", prompt).stdout


def test_a_copy_that_is_no_database_says_nothing_and_is_named(machine):
    machine.keepstone("store", VPN)
    brief(machine)
    machine.settle()
    (name,) = copies(machine)
    for path in machine.home.glob("copy-*"):
        path.write_bytes(b"garbage" * 1_000)
    assert machine.hook("session-start", machine.event("session-2", source="startup")).returncode == 0
    machine.settle_processes()  # none for a moment: what the last one has written is there
    assert "read copy" in (machine.home / "logs" / "worker.log").read_text()


def test_what_is_merged_and_parted_again_is_so_in_the_copy(machine, tmp_path, server):
    other = person(tmp_path / "bob", server, "bob")
    for name in ("billing", "search"):
        other.keepstone("store", f"The {name} service logs to stdout")
    brief(machine)
    machine.settle()
    ids = [row[0] for row in engines.rows(server, "SELECT id FROM memory ORDER BY seq")]
    (name,) = copies(machine)
    held = "SELECT id FROM memory WHERE status = 'active' ORDER BY id"
    other.keepstone("merge", *ids)
    machine.keepstone("worker", "run", "--wait")
    made = engines.rows(server, held)
    assert engines.rows(str(machine.home / name), held) == made and len(made) == 1
    other.keepstone("merge", "--undo", made[0][0])
    machine.keepstone("worker", "run", "--wait")
    assert engines.rows(str(machine.home / name), held) == engines.rows(server, held) == [(one,) for one in sorted(ids)]
