"""What is Cairn's own among tool calls: known without `re`, in hooks and transcripts alike."""

from __future__ import annotations

import pytest

from cairn.core.own import is_own, is_own_command

OWN = [
    "cairn store 'x'",
    "cairn",
    "cd /x && cairn recent",
    "/opt/cairn/bin/cairn search x",
    '"/opt/cairn/bin/cairn" search x',
    "CAIRN_HOME=/x cairn status",
    "cd /x\ncairn recent",
    "echo $(cairn context)",
    "(cairn work)",
]
OTHERS = [
    "ls cairn",
    "echo cairn store",
    "cairngorm x",
    "git commit -m 'cairn store'",
    "x" * 1000 + "; cairn x",
    "",
    "   ",
    "A=1",
    "x=cairn",
]


@pytest.mark.parametrize("command", OWN)
def test_a_command_that_runs_cairn_is_ours(command):
    assert is_own_command(command) and is_own("Bash", {"command": command})


@pytest.mark.parametrize("command", OTHERS)
def test_a_command_that_names_cairn_is_not(command):
    assert not is_own_command(command) and not is_own("Bash", {"command": command})


def test_our_servers_tools_and_our_skill_are_ours():
    assert is_own("mcp__cairn__recall", {}) and is_own("mcp__plugin_cairn_memory__recall", {"query": "x"})
    assert is_own("Skill", {"skill": "cairn:memory"}) and is_own("Skill", {"skill": "cairn"})
    assert not is_own("mcp__cairngorm__x", {}) and not is_own("Skill", {"skill": "cairngorm"})
    assert not is_own("Bash", {"command": ["cairn"], "skill": 5})
