"""The brief beside the client's own memory: nothing is told twice, and whatever its folder holds, the brief comes."""

from __future__ import annotations

import json
import os

import pytest

from support import Transcript

NOTE = "---\nname: style\ndescription: Tabs in makefiles\ntype: feedback\n---\nTabs in makefiles, ann says.\n"


@pytest.fixture
def folder(machine):
    """The client's folder for the project, with a memory file taken from a session, and a memory of the user's."""
    name = "".join(c if c.isalnum() and c.isascii() else "-" for c in str(machine.project))
    made = machine.user_home / ".claude" / "projects" / name
    (made / "memory").mkdir(parents=True)
    transcript = Transcript(made / "session-1.jsonl", machine.project)
    transcript.tool("Write", {"file_path": str(made / "memory" / "style.md"), "content": NOTE})
    machine.keepstone("ingest")
    machine.store("Deploys need the VPN: the registry is internal")
    return made


def brief(machine, folder, **env):
    started = machine.event("session-2", transcript_path=str(folder / "session-2.jsonl"), source="startup")
    done = machine.hook("session-start", started, **env)
    assert done.returncode == 0 and machine.keepstone("context", **env).stdout == done.stdout
    return [word for word in ("Tabs", "VPN") if word in done.stdout]


def index(folder, text):
    (folder / "memory" / "MEMORY.md").write_text(text)


def test_without_an_index_everything_is_told(machine, folder):
    assert brief(machine, folder) == ["Tabs", "VPN"]


def test_a_file_that_the_index_names_is_not_told_again(machine, folder):
    index(folder, "- [Style](style.md) — how to indent")
    assert brief(machine, folder) == ["VPN"]


def test_what_the_index_says_is_not_told_again_whoever_said_it(machine, folder):
    index(folder, "- deploys need the VPN - the registry is internal\n")
    assert brief(machine, folder) == ["Tabs"]


def test_when_the_index_says_it_all_the_storing_line_is_left(machine, folder):
    index(folder, "- [Style](style.md)\n- Deploys need the VPN: the registry is internal\n")
    assert brief(machine, folder) == []


def test_others_take_the_place_of_what_is_left_out(machine, folder):
    for number in range(40):
        machine.store(f"Port {number} belongs to service number {number}")
    index(folder, "".join(f"- Port {number} belongs to service number {number}\n" for number in range(40)))
    assert brief(machine, folder) == ["Tabs", "VPN"]


def test_what_the_client_cuts_off_is_told(machine, folder):
    index(folder, "- nothing\n" * 200 + "- [Style](style.md)\n")
    assert brief(machine, folder) == ["Tabs", "VPN"]


@pytest.mark.parametrize("value", ["1", "true"])
def test_turned_off_in_the_environment_everything_is_told(machine, folder, value):
    index(folder, "- [Style](style.md)\n")
    assert brief(machine, folder, CLAUDE_CODE_DISABLE_AUTO_MEMORY=value) == ["Tabs", "VPN"]


def test_turned_off_in_the_clients_settings_everything_is_told(machine, folder):
    index(folder, "- [Style](style.md)\n")
    settings = machine.user_home / ".claude" / "settings.json"
    settings.write_text(json.dumps({"autoMemoryEnabled": False}))
    assert brief(machine, folder) == ["Tabs", "VPN"]
    assert brief(machine, folder, CLAUDE_CODE_DISABLE_AUTO_MEMORY="0") == ["VPN"]  # the client lets it win
    settings.write_text("{")
    assert brief(machine, folder) == ["VPN"]


def test_the_clients_folder_may_lie_elsewhere(machine, folder):
    moved = machine.root / "config"
    (machine.user_home / ".claude").rename(moved)
    there = moved / "projects" / folder.name
    index(there, "- [Style](style.md)\n")
    assert brief(machine, there, CLAUDE_CONFIG_DIR=str(moved)) == ["VPN"]


def as_pipe(path):
    os.mkfifo(path)


def as_folder(path):
    path.mkdir()


def as_bytes(path):
    path.write_bytes(os.urandom(300_000))


def as_link(path):
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [as_pipe, as_folder, as_bytes, as_link])
@pytest.mark.parametrize("where", ["memory/MEMORY.md", "../../settings.json"])
def test_whatever_lies_there_the_brief_comes(machine, folder, make, where):
    if where != "memory/MEMORY.md":
        index(folder, "nothing")
    make(folder / where)
    assert brief(machine, folder) == ["Tabs", "VPN"]
