"""What is typed while the assistant works, and why a call is denied, is heard once, as the user's."""

from __future__ import annotations

import pytest

from keepstone.capture.usefulness import judge
from keepstone.claude_code.transcript_files import turns_of
from keepstone.model.delivery import CONTRADICTED, UNKNOWN, Delivered
from support import Transcript

SAID = [
    "We deploy with Terraform only, never by hand",
    "We never use npm here, always use pnpm",
    "I prefer short answers",
    "Never push to main from a laptop",
    "The staging database runs on port 5433",
    "We use tabs in Makefiles, never spaces",
    "Always run the linter before you commit",
    "We decided to use Caddy instead of Nginx",
    "Production runs on Ubuntu 24.04 at Hetzner",
    "We always squash before merging",
    "From now on use pnpm, not npm",
    "Never edit the generated files by hand",
    "Our CI runs on a self-hosted runner at Hetzner",
    "We never use ORMs here, raw SQL only",
    "The prod db is on port 6432",
    "I prefer pnpm over npm: CI caches its store",
    "Let's go with PostgreSQL for billing, not MySQL",
    "We use 4 spaces in Python, never tabs",
    "I always want short answers",
    "We're going with Svelte for the dashboard because React is too heavy",
]
SHAPES = ["{}.", "oh wait, {}", "{}!", "[Image #1] {}.", "{}.\nnow go on please"]
CALLS = [
    ("Bash", {"command": "npm install left-pad"}),
    ("Edit", {"file_path": "/x/a.py", "old_string": "a", "new_string": "b"}),
    ("mcp__db__query", {"query": "drop table orders"}),
    ("WebFetch", {"url": "https://example.com"}),
    ("Write", {"file_path": "/x/Makefile", "content": "all:"}),
]


def read(sessions, transcript):
    sessions.memory.capture.capture(str(transcript.path))
    sessions.memory.capture.capture(str(transcript.path))
    return sessions.rows("content, trust")


@pytest.mark.parametrize(("number", "text"), list(enumerate(SAID)))
def test_what_is_typed_mid_turn_is_heard_once(sessions, number, text):
    transcript = sessions.begin()
    transcript.user("hello there")
    transcript.tool("Bash", {"command": "sleep 9"})
    said = SHAPES[number % len(SHAPES)].format(text)
    more = [{}, {"humanTurn": True, "source_uuid": "x", "delivery_id": "y", "rendered": said}][number % 2]
    transcript.line({"type": "queue-operation", "operation": "enqueue", "content": said})
    prompt = [said, [{"type": "text", "text": said}]][number // 2 % 2]
    transcript.queue(prompt, **more)
    transcript.line({"type": "queue-operation", "operation": "remove", "content": said, "reason": "absorbed_mid_turn"})
    assert read(sessions, transcript) == [(text, "trusted")]
    assert sessions.rows("method", "evidence") == [("user",)]


OTHERS = [
    *(
        {"origin": {"kind": kind}}
        for kind in (
            "peer",
            "coordinator",
            "plugin",
            "suggestion",
            "observer-activity",
            "task-notification",
            "system",
            "hook",
            "channel",
            "scheduled",
            "Human",
            "",
            "agent",
            "assistant",
        )
    ),
    {"commandMode": "bash"},
    {"commandMode": "task-notification"},
    {"commandMode": None},
    {"isMeta": True},
    {"origin": "human"},
    {"origin": {}},
    {"origin": {"kind": None}},
    {"type": "queued_prompt"},
]


@pytest.mark.parametrize("more", OTHERS, ids=str)
def test_what_others_queue_is_not_the_users(sessions, more):
    transcript = sessions.begin()
    transcript.user("hello there")
    transcript.queue(SAID[0] + ".", **more)
    assert read(sessions, transcript) == []


@pytest.mark.parametrize(("number", "text"), list(enumerate(SAID)))
def test_the_reason_of_a_denial_is_heard_with_its_call(sessions, number, text):
    transcript = sessions.begin()
    transcript.user("hello there")
    tool, given = CALLS[number % len(CALLS)]
    more = {"toolDenialKind": "user-rejected", "userFeedback": text, "holdsPersonsWords": True}
    is_newer = tool.startswith("mcp__") or number // len(CALLS) % 2
    transcript.deny(tool, given, text, **(more if is_newer else {}))
    assert read(sessions, transcript) == [(text, "trusted")]
    ((excerpt, method),) = sessions.rows("excerpt, method", "evidence")
    assert excerpt.startswith(text) and f"(to {tool}" in excerpt and method == "user"


@pytest.mark.parametrize(("tool", "given"), CALLS)
@pytest.mark.parametrize("kind", [None, "user-rejected", "permission-rule", "hook"])
def test_a_denial_without_words_stores_nothing(sessions, tool, given, kind):
    transcript = sessions.begin()
    transcript.user("hello there")
    transcript.deny(tool, given, **({"toolDenialKind": kind} if kind else {}))
    assert read(sessions, transcript) == []


WORKED = [
    "that worked",
    "that fixed it, thanks",
    "yes, it works now",
    "works again!",
    "great, that did it",
    "that solved it",
    "now it works",
    "all green",
    "the error is gone",
    "yep, that fixed it",
    "it runs fine now",
    "that was it",
]
BROKE = [
    "No, that broke it",
    "that didn't help",
    "still failing",
    "nope",
    "same error",
    "it still doesn't start",
    "that did not fix it",
    "no, still broken",
    "it worked but now the login fails",
    "now everything is red",
    "the crash came back",
    "still the same here",
]
NAMES = "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima".split()
WAYS = [Transcript.user, Transcript.queue]


def checked(sessions, way, name, said):
    """A failure that a change and a passing check cure, and what the user says to that."""
    transcript = sessions.begin()
    transcript.user(f"the {name} report is broken")
    transcript.cure(
        f"It failed because the {name} key lacked the branch; adding the branch to the {name} key fixed it."
    )
    way(transcript, said)
    sessions.end(transcript)


def fixed(sessions, way, name, said):
    """A change of which the user alone can say whether it is a cure."""
    transcript = sessions.begin()
    transcript.user(f"the {name} page stays empty")
    transcript.tool("Edit", {"file_path": f"{transcript.cwd}/{name}.py", "old_string": "a", "new_string": "b"})
    transcript.assistant(
        f"The {name} page was empty because the feed was never closed; closing the {name} feed fixed it."
    )
    way(transcript, said)
    sessions.end(transcript)


def solved(sessions):
    return [
        name for (text,) in sessions.rows("content") for name in NAMES if f"the {name} " in text and "Asked" not in text
    ]


@pytest.mark.parametrize("way", WAYS)
def test_a_verdict_that_is_queued_counts_for_a_fix_as_a_typed_one(sessions, way):
    for name, worked, broke in zip(NAMES, WORKED, BROKE, strict=True):
        checked(sessions, way, name, worked)
        checked(sessions, way, f"{name}2", broke)
    assert solved(sessions) == NAMES
    assert not any("2 key" in text for (text,) in sessions.rows("content"))


@pytest.mark.parametrize("way", WAYS)
def test_a_verdict_that_is_queued_proves_a_fix_that_no_check_can(sessions, way):
    for name, worked, broke in zip(NAMES, WORKED, BROKE, strict=True):
        fixed(sessions, way, name, worked)
        fixed(sessions, way, f"{name}2", broke)
    assert solved(sessions) == NAMES
    assert not any("2 feed" in text for (text,) in sessions.rows("content"))


DELIVERED = "the orders service listens on port 8081"
DENIALS = [
    "no, the orders service no longer listens on port 8081",
    "that's outdated: the orders service listens on port 9090 now",
    "the orders service doesn't listen on port 8081 anymore",
    "wrong, the orders service listens on port 9090, not 8081",
    "no! the port 8081 of the orders service is gone",
    "the orders service moved from port 8081 to 9090",
]


def test_what_is_queued_denies_a_memory_as_what_is_typed_does(tmp_path):
    found = {}
    for way in WAYS:
        for number, said in enumerate((*DENIALS, *WORKED, *BROKE)):
            transcript = Transcript(tmp_path / f"{way.__name__}-{number}.jsonl", tmp_path)
            transcript.user("which port?")
            transcript.assistant("It answers on 8081 (keepstone 3fa2c1).")
            way(transcript, said)
            memories = [Delivered("mem-3fa2c1d4e5f60718", "fact", DELIVERED)]
            turns = list(turns_of(str(transcript.path)))
            found[way.__name__, said] = judge(memories, turns[:2], turns[2:], lambda words, before: False)[
                memories[0].id
            ]
    for said in (*DENIALS, *WORKED, *BROKE):
        assert found["user", said] == found["queue", said], said
    assert {found["queue", said] for said in DENIALS} == {CONTRADICTED}
    assert {found["queue", said] for said in WORKED} == {UNKNOWN}


def test_a_queued_correction_is_stored_as_a_typed_one_is(sessions):
    openers = ["No, that's wrong: ", "That's not right: ", "I told you already, ", "You got that wrong. ", "nope, "]
    for number, text in enumerate(SAID):
        transcript = sessions.begin()
        transcript.user("hello there")
        transcript.assistant("I do it the other way.")
        transcript.queue(f"{openers[number % len(openers)]}{text[0].lower()}{text[1:]}.")
        sessions.memory.capture.capture(str(transcript.path))
    kept = {str(text).casefold() for (text,) in sessions.rows("content")}
    assert kept == {text.casefold() for text in SAID}
