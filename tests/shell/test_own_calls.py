"""What is Keepstone's own among tool calls: known without `re`, in hooks and transcripts alike."""

from __future__ import annotations

import pytest

from keepstone.shell.own_calls import is_own, is_own_command

OWN = [
    "keepstone store 'x'",
    "keepstone",
    "cd /x && keepstone recent",
    "/opt/keepstone/bin/keepstone search x",
    '"/opt/keepstone/bin/keepstone" search x',
    "KEEPSTONE_HOME=/x keepstone status",
    "cd /x\nkeepstone recent",
    "echo $(keepstone context)",
    "(keepstone worker run)",
]
OTHERS = [
    "ls keepstone",
    "echo keepstone store",
    "keepstonegorm x",
    "git commit -m 'keepstone store'",
    "x" * 1000 + "; keepstone x",
    "",
    "   ",
    "A=1",
    "x=keepstone",
]


@pytest.mark.parametrize("command", OWN)
def test_a_command_that_runs_keepstone_is_ours(command):
    assert is_own_command(command) and is_own("Bash", {"command": command})


@pytest.mark.parametrize("command", OTHERS)
def test_a_command_that_names_keepstone_is_not(command):
    assert not is_own_command(command) and not is_own("Bash", {"command": command})


def test_our_servers_tools_and_our_skill_are_ours():
    assert is_own("mcp__keepstone__recall", {}) and is_own("mcp__plugin_keepstone_memory__recall", {"query": "x"})
    assert is_own("Skill", {"skill": "keepstone:memory"}) and is_own("Skill", {"skill": "keepstone"})
    assert not is_own("mcp__keepstonegorm__x", {}) and not is_own("Skill", {"skill": "keepstonegorm"})
    assert not is_own("Bash", {"command": ["keepstone"], "skill": 5})
