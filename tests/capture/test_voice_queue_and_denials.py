"""What is typed while the assistant works, and why a call is denied, is heard once, as the user's."""

from __future__ import annotations

import pytest

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
