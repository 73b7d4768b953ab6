"""From `claude plugin install` in a new HOME to what the second session remembers, with nothing done by hand."""

from __future__ import annotations

import shutil
from contextlib import closing

import pytest

from client.fake_anthropic import FakeApi
from client.session import ClientMachine, Terminal
from support import known_home, require

pytestmark = pytest.mark.system

STATED = "I prefer pnpm over npm: CI caches its store."
REMEMBERED = "- I prefer pnpm over npm: CI caches its store ("


@pytest.fixture
def machine(client, source, tmp_path, packages):
    """A machine with a client and the package index, on which nothing of Keepstone has ever run."""
    with closing(FakeApi()) as api:
        made = ClientMachine(tmp_path, client, source, api)
        del made.env["KEEPSTONE_NO_BOOTSTRAP"]
        made.env |= packages
        made.install_plugin()
        yield made


@pytest.mark.newest_client
def test_the_second_session_remembers_the_first(machine):
    machine.take_for_person()
    first = machine.run(STATED)
    assert "## Session Memory" in first.turns[0].text and REMEMBERED not in first.turns[0].text
    second = machine.run("Which package manager is it here?")
    assert REMEMBERED in second.turns[0].text
    assert machine.processes() == []


@pytest.mark.newest_client
def test_a_person_is_told_before_the_packages_come_and_not_again(machine):
    require("tmux", shutil.which("tmux"), "apt-get install tmux")
    known_home(machine.home)
    with Terminal(machine) as terminal:
        terminal.wait_until(lambda screen: "Keepstone installs its packages" in " ".join(screen.split()))
        terminal.type("Hello.")
        terminal.wait_until(lambda screen: "OK" in screen)
        assert "hook error" not in terminal.leave()
    with Terminal(machine) as terminal:
        terminal.type("Hello again.")
        terminal.wait_until(lambda screen: "OK" in screen)
        assert "Keepstone installs" not in terminal.leave()
