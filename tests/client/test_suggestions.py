"""In the real client: a suggestion reaches the next request once, and `keepstone keep` makes a memory of it unasked."""

from __future__ import annotations

import json
import shutil

import pytest

from client.session import Terminal
from support import require

pytestmark = pytest.mark.system

GUESS = "Deploys always need the VPN, probably because the registry is internal"
SENTENCE = "Deploys need the VPN, as the registry is internal"
OPENING = "Maybe worth remembering"


def asked(turns):
    return [turn for turn in turns if OPENING in json.dumps(turn.news)]


@pytest.mark.newest_client
def test_what_is_suggested_is_asked_once_kept_unasked_and_known_in_the_next_session(installed):
    require("tmux", shutil.which("tmux"), "apt install tmux")
    machine = installed
    with Terminal(machine) as terminal:
        terminal.type(f"Remember: {GUESS}.")
        terminal.rest()
        terminal.leave()
    machine.wait_until_quiet()
    ((name, state),) = machine.sql("SELECT 's' || substr(id, 5, 4), state FROM suggestion")
    assert state == "waiting" and machine.sql("SELECT count(*) FROM memory WHERE kind <> 'summary'") == [(0,)]

    before = len(machine.api.turns)
    machine.run("What does this print-mode run see?")
    assert asked(machine.api.turns[before:]) == [], "nobody sees a session of claude -p"

    before = len(machine.api.turns)
    machine.api.bash["Keep what holds"] = f"keepstone keep {name} '{SENTENCE}'"
    with Terminal(machine) as terminal:
        terminal.type("Look at the parser.")
        terminal.rest()
        terminal.type("And at the printer.")
        terminal.rest()
        terminal.type("Keep what holds.")
        terminal.rest()
        shown = terminal.leave()
    machine.wait_until_quiet()
    turns = machine.api.turns[before:]
    texts = [turn.text for turn in turns]
    assert all(text.count(OPENING) == 1 and f'{name} "{GUESS}"' in text for text in texts), "said once, and it stays"
    assert "Do you want to proceed" not in shown
    (results,) = [turn.tool_results for turn in turns if turn.tool_results]
    assert "Kept." in json.dumps(results)
    ((content, excerpt, method),) = machine.sql(
        "SELECT content, excerpt, method FROM memory m JOIN evidence e ON memory_id = m.id WHERE m.kind = 'fact'"
    )
    assert (content, excerpt, method) == (SENTENCE, f"Remember: {GUESS}.", "user")

    before = len(machine.api.turns)
    with Terminal(machine) as terminal:
        terminal.type("Hello again.")
        terminal.rest()
        terminal.leave()
    text = machine.api.turns[before].text
    assert SENTENCE in text and OPENING not in text
