"""The first hour in the real client: typed commands, what Claude may run unasked, the offer, the lines to the user."""

from __future__ import annotations

import json
import re
import shutil
from contextlib import closing

import pytest

from cli.test_onboard import DECIDED, five_sessions
from client.fake_anthropic import FakeApi
from client.session import ClientMachine, Talk, Terminal
from shell.test_permission import EVASIONS, PERMITTED
from support import require

pytestmark = pytest.mark.system

AWKWARD = "don't `x` $HOME; a"
OFFER = "Onboarding: Keepstone knows nothing yet."
TOLD = "Keepstone: learned 1 thing last session."
RESULT = re.compile(r'<keepstone-result command="(\w+)">\n(.*?)\n</keepstone-result>', re.DOTALL)


@pytest.fixture
def machine(client, source, tmp_path):
    """A machine with the plugin installed, the file of its hooks free to be changed before."""
    with closing(FakeApi()) as api:
        yield ClientMachine(tmp_path, client, source, api)


@pytest.fixture
def tmux():
    require("tmux", shutil.which("tmux"), "apt-get install tmux")


@pytest.mark.newest_client
def test_each_typed_command_takes_one_call_and_its_result_goes_along(installed):
    with Talk(installed) as talk:
        said = {
            typed: talk.say(f"/keepstone:memory {typed}")
            for typed in (f'store "{AWKWARD}"', "search awkward x", "about x", "decisions", "recent", "context")
        }
    assert [memory["content"] for memory in installed.memories()] == [AWKWARD]
    for typed, session in said.items():
        (turn,) = session.turns
        command, printed = RESULT.findall(turn.text)[-1]
        assert command == typed.split()[0]
        assert "No decisions yet" in printed if command == "decisions" else AWKWARD in printed


@pytest.mark.newest_client
def test_one_plain_command_runs_unasked_and_evasions_do_not(installed):
    """Each as the model's own call, in a session that nobody sees: what is not allowed is refused."""
    evasions = [command for command in EVASIONS if command.strip() and len(command) < 100][:40:4]
    installed.api.bash = {f"Case {number}:": command for number, command in enumerate([*PERMITTED, *evasions])}
    with Talk(installed) as talk:
        results = [talk.say(case).turns[-1].tool_results[0] for case in installed.api.bash]
    # of one that ran and failed the client says its exit code; of one that it held up, why
    refused = [bool(result.get("is_error")) and not result["content"].startswith("Exit code") for result in results]
    assert len(evasions) == 10 and refused == [False] * len(PERMITTED) + [True] * len(evasions), [
        (case, result) for case, result, no in zip(installed.api.bash.values(), results, refused, strict=True) if not no
    ]


@pytest.mark.newest_client
def test_without_the_hook_and_the_allowed_tools_a_command_is_refused(machine):
    hooks = machine.plugin / "hooks" / "hooks.json"
    told = json.loads(hooks.read_text())
    del told["hooks"]["PreToolUse"], told["hooks"]["UserPromptExpansion"]
    hooks.write_text(json.dumps(told))
    skill = machine.plugin / "skills" / "memory" / "SKILL.md"
    text, found = re.subn(r"(?m)^allowed-tools:.*\n", "", skill.read_text())
    assert found == 1
    skill.write_text(text)
    machine.install_plugin()
    machine.set_up()
    machine.api.bash["store it"] = "keepstone store 'Deploys need the VPN'"
    _, after = machine.run("/keepstone:memory store it").turns
    (result,) = after.tool_results
    assert result["is_error"] and "requires approval" in result["content"]
    assert machine.memories() == []


@pytest.mark.newest_client
def test_unattended_nobody_is_asked(installed):
    assert OFFER not in installed.run("Hello.").turns[0].text


@pytest.mark.newest_client
@pytest.mark.usefixtures("tmux")
def test_after_yes_the_second_session_knows_what_the_past_ones_said(installed):
    five_sessions(installed)
    installed.api.bash["Yes, learn"] = "keepstone onboard --learn"
    with Terminal(installed) as terminal:
        terminal.type("What is in this folder?")
        terminal.wait_until(lambda screen: "● OK" in screen)
        terminal.type("Yes, learn from them.")
        terminal.allow(lambda screen: screen.count("● OK") == 2)
        terminal.leave()
    (asked,) = [turn for turn in installed.api.turns if "What is in this folder?" in turn.text][:1]
    assert asked.text.count(OFFER) == 1 and "5 past sessions found" in asked.text
    brief = installed.run("Hello again.").turns[0].text
    assert all(decided in brief for decided in DECIDED) and OFFER not in brief


@pytest.mark.newest_client
@pytest.mark.usefixtures("tmux")
def test_after_no_nobody_asks_again(installed):
    installed.api.bash["No, thanks"] = "keepstone onboard --no"
    with Terminal(installed) as terminal:
        terminal.type("No, thanks.")
        terminal.allow(lambda screen: "● OK" in screen)
        terminal.leave()
    with Terminal(installed) as terminal:
        terminal.type("Hello again.")
        terminal.wait_until(lambda screen: "● OK" in screen)
        terminal.leave()
    first, *_, last = installed.api.turns
    assert OFFER in first.text and "Hello again." in last.text and OFFER not in last.text


@pytest.mark.newest_client
@pytest.mark.usefixtures("tmux")
def test_what_was_learned_is_told_once(installed):
    installed.run(f"{DECIDED[1]}.")
    shown = []
    for _ in range(2):
        with Terminal(installed) as terminal:
            terminal.type("Hello.")
            terminal.wait_until(lambda screen: "● OK" in screen)
            shown.append(" ".join(terminal.screen().split()))
    assert [screen.count(TOLD) for screen in shown] == [1, 0]
