"""What the user copied from what a tool returned waits; what they type themselves, though a file says it too, does
not.
"""

from __future__ import annotations

import json

import pytest

from builders import turn
from keepstone.capture.extractors.rules import Rules
from keepstone.claude_code.transcript import ASSISTANT
from keepstone.claude_code.window import Window
from keepstone.model.candidate import CHOSEN

STATEMENTS = [
    "We never merge without two approvals.",
    "We deploy with Terraform only, never by hand.",
    "Always declare variables with const.",
    "We always use pnpm, never npm.",
    "Never log request bodies in production.",
]
BESIDE = ["{0}\n\nwhere is this enforced?", "{0} -> fix that one", "> {0}\nwhat does that mean?", "- {0}\n\ncheck this"]
READ = [
    ("Read", {"file_path": "CONTRIBUTING.md"}, "     1\t# Contributing\n     2\t{0}\n     3\tBe kind.\n"),
    ("Read", {"file_path": "CONTRIBUTING.md"}, "     1→Thanks for helping.\n     2→- {0}\n"),
    ("Bash", {"command": "make lint"}, "lint: {0}\nlint: exports are never default"),
    ("Grep", {"pattern": "never"}, "docs/rules.md:14:{0}\ndocs/rules.md:20:And more."),
    ("WebFetch", {"url": "https://example.com"}, "The page says a lot. {0} It ends here."),
]


def outcome(sessions, shown: str, prompt: str, tool: str = "Read", given: object = None, between: int = 0) -> tuple:
    """What is known and what waits after a prompt that follows a tool's result."""
    transcript = sessions.begin()
    transcript.user("have a look")
    transcript.tool(tool, given or {"file_path": "a.md"}, says=shown)
    transcript.assistant("I had a look.")
    for _ in range(between):
        transcript.turn("thanks, go on")
    transcript.turn(prompt)
    sessions.memory.capture.capture(str(transcript.path))
    waits = sessions.machine.sql("SELECT text FROM suggestion WHERE state = 'waiting'")
    return [text for (text,) in sessions.rows("content")], [text for (text,) in waits]


@pytest.mark.parametrize("said", STATEMENTS)
@pytest.mark.parametrize(("tool", "given", "shown"), READ)
def test_a_line_that_a_tool_returned_waits(sessions, tool, given, shown, said):
    prompt = BESIDE[STATEMENTS.index(said) % len(BESIDE)].format(said)
    known, _ = outcome(sessions, shown.format(said), prompt, tool, given)
    assert known == []


@pytest.mark.parametrize("between", [0, 1])
@pytest.mark.parametrize("form", ["{0}", "{0} Remember that.", "ok. {0}"])
@pytest.mark.parametrize("said", STATEMENTS)
def test_it_is_not_lost(sessions, said, form, between):
    known, waits = outcome(sessions, f"     1\t{said}\n", form.format(said), between=between)
    assert known == [] and [one.startswith(said.rstrip(".")) for one in waits] == [True]


COPIED = [
    "     1\tRule 4: {0}, see the wiki.\n",
    "<li>{0}</li>",
    '{{"rule": "{0}",',
    "    12\tRULES. {1}!\n",
    "     1\tOf our rules: {2}\n     2\t{3} And more.\n",
]


@pytest.mark.parametrize("shown", COPIED)
@pytest.mark.parametrize("said", STATEMENTS)
def test_a_copy_is_known_by_its_words(sessions, said, shown):
    plain, words = said.rstrip("."), said.split()
    given = shown.format(plain, plain.upper(), " ".join(words[:3]), " ".join(words[3:]))
    known, waits = outcome(sessions, given, f"{plain}.\n\nWe use tabs in Makefiles, never spaces.", between=3)
    assert known == ["We use tabs in Makefiles, never spaces"] and waits == [plain]


WRITTEN = [
    ("Write", {"file_path": "docs/rules.md", "content": "- {0}\n"}),
    ("TodoWrite", {"todos": [{"content": "{0}", "status": "pending"}]}),
    ("Task", {"prompt": "Remember: {0}"}),
    ("ExitPlanMode", {"plan": "# Plan\n- {0}"}),
    ("AskUserQuestion", {"questions": [{"question": "How?", "options": [{"label": "A", "description": "{0}"}]}]}),
]


@pytest.mark.parametrize(("tool", "given"), WRITTEN)
@pytest.mark.parametrize("said", STATEMENTS)
def test_what_the_assistant_wrote_in_a_call_is_not_the_users(sessions, said, tool, given):
    call = json.loads(json.dumps(given).replace("{0}", said))
    known, waits = outcome(sessions, "ok", f"{said}\n\nWe use tabs in Makefiles, never spaces.", tool, call)
    assert known == ["We use tabs in Makefiles, never spaces"] and waits == [said.rstrip(".")]


@pytest.mark.parametrize("said", [one for one in STATEMENTS if one.startswith("We ")])
def test_what_the_assistant_wrote_down_of_the_users_stays_theirs(sessions, said):
    transcript = sessions.begin()
    transcript.turn(said)
    transcript.tool("Write", {"file_path": "rules.md", "content": f"Noted: {said} Always."})
    transcript.turn(f"As I said: {said}")
    sessions.memory.capture.capture(str(transcript.path))
    assert sessions.rows("trust") == [("trusted",)]


OWN = [
    ("     1\t{0}\n", "{1}"),  # with a word of one's own
    ("     1\t{0}\n", "please note: {1}"),
    ("     1\t# Rules\n     2\tWe are kind.\n", "{0}"),
    ("     1\t{2}, says the wiki, and so do we all\n", "{0}"),  # a part of a longer line
]


@pytest.mark.parametrize(("shown", "prompt"), OWN)
@pytest.mark.parametrize("said", STATEMENTS)
def test_what_the_user_types_is_kept_though_a_file_says_it_too(sessions, said, shown, prompt):
    typed = said[:1].lower() + said[1:].rstrip(".") + ", ok"
    half = " ".join(said.split()[:4])
    known, _ = outcome(sessions, shown.format(said, typed, half), prompt.format(said, typed, half))
    assert len(known) == 1


@pytest.mark.parametrize("said", STATEMENTS)
def test_what_was_returned_long_before_is_no_source(sessions, said):
    assert len(outcome(sessions, f"     1\t{said}\n", said, between=10)[0]) == 1


@pytest.mark.parametrize("said", [one for one in STATEMENTS if one.startswith("We ")])
def test_what_the_user_had_said_before_stays_theirs(sessions, said):
    transcript = sessions.begin()
    transcript.turn(said)
    transcript.tool("Read", {"file_path": "CLAUDE.md"}, says=f"     1\t- {said}\n")
    transcript.turn(f"As I said: {said}")
    sessions.memory.capture.capture(str(transcript.path))
    assert sessions.rows("trust") == [("trusted",)]
    assert sessions.machine.sql("SELECT count(*) FROM suggestion") == [(0,)]


PROPOSED = ["Proper fix: {0}", "I'd say this.\n\n**Rule**: {0}\n\nShall I?", "1. Option A: {0}\n2. Option B: nothing."]


@pytest.mark.parametrize("proposed", PROPOSED)
@pytest.mark.parametrize("said", STATEMENTS)
@pytest.mark.parametrize("form", ["{0}\n\ndo this", "- {0}\nyes", "ok: {0}"])
def test_what_the_assistant_wrote_behind_a_label_is_its_words(said, proposed, form):
    before = turn(proposed.format(said[:1].lower() + said[1:]), ASSISTANT, "before")
    found = Rules().extract(Window((before,), (turn(form.format(said)),)))
    assert [one.content for one in found if one.method != CHOSEN and not one.unsure] == []


@pytest.mark.parametrize("joined", [", and {0}", ", but {0}", " - {0}", ", and also, {0}"])
@pytest.mark.parametrize("said", STATEMENTS)
def test_what_is_left_beside_a_copy_ends_as_a_sentence_does(said, joined):
    before = turn(f"Proper fix: {said}", ASSISTANT, "before")
    own = "We use tabs in Makefiles, never spaces"
    text = own + joined.format(said[:1].lower() + said[1:])
    found = Rules().extract(Window((before,), (turn(text),)))
    assert [one.content for one in found if not one.unsure] == [own]
