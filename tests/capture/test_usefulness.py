"""The verdict on a delivered memory: what uses it, what denies it, and all that says nothing of it."""

from __future__ import annotations

import json

import pytest

from builders import turn
from keepstone.capture.usefulness import Heard, judge, stand_together
from keepstone.claude_code.transcript import ASSISTANT, TOOL_RESULT, TOOL_USE, USER
from keepstone.model.delivery import CONTRADICTED, UNKNOWN, USED, Delivered

ROLES = {"user": USER, "says": ASSISTANT, "runs": TOOL_USE, "edits": TOOL_USE, "gets": TOOL_RESULT}
SHIP = "images are pushed with `./dev push-image SERVICE`, never by hand"
PNPM = "use pnpm, not npm: CI caches its store"
PORT = "the orders service listens on port 8081"
STYLE = "error messages without exclamation marks"


def turns_of(said):
    made = []
    for number, (how, text) in enumerate(said):
        text = {"runs": f"Bash: {text}", "edits": f"Edit: {text}"}.get(how, text)
        made.append(turn(text, ROLES[how], f"record-{number}"))
    return made


def verdict(content, *said, processed=0, told=()):
    memories = [Delivered("mem-3fa2c1d4e5f60718", "fact", content), Delivered("mem-77ab03d4e5f60718", "fact", "a b c")]
    turns = turns_of(said)
    found = judge(memories, turns[:processed], turns[processed:], lambda words, before: set(words) <= set(told))
    assert found["mem-77ab03d4e5f60718"] == UNKNOWN
    return found["mem-3fa2c1d4e5f60718"]


@pytest.mark.parametrize(
    "text", ["(keepstone 3fa2c1)", "per keepstone 3fa2c1d4, as agreed", "[keepstone 11aa22, 3fa2c1]"]
)
def test_a_cited_id_is_a_use(text):
    assert verdict(PORT, ("says", f"It answers on 8081 {text}.")) == USED


def test_an_id_that_is_doubted_or_was_given_is_no_use():
    assert verdict(PORT, ("says", "The note keepstone 3fa2c1 seems outdated.")) == UNKNOWN
    assert verdict(PORT, ("says", "Tom quotes (keepstone 3fa2c1)."), told=["3fa2c1"]) == UNKNOWN
    assert verdict(PORT, ("says", "It is 3fa2c1, a commit.")) == UNKNOWN
    for said in (
        "None of the notes matter here: keepstone 3fa2c1 is about deploys.",
        "A note (keepstone 3fa2c1) says make ship. The Makefile has no such target.",
        "There is a memory (keepstone 3fa2c1), unrelated to this. I go on.",
    ):
        assert verdict(PORT, ("says", said)) == UNKNOWN, said


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (SHIP, "./dev push-image worker"),
        (SHIP, "cd /srv && DEBUG=1 ./dev push-image worker --quiet"),
        (PNPM, "pnpm add zod"),
        ("aws always with --profile lk-ro", "aws s3 ls --profile lk-ro"),
        ("deploys go through kamal, never cap", "kamal deploy -d staging"),
        ("fixtures are made with python tools/seed.py --small", "python tools/seed.py --small --users 3"),
    ],
)
def test_a_prescribed_command_is_a_use_unless_the_session_told_it(content, line):
    assert verdict(content, ("runs", line)) == USED
    words = {*line.split(), *content.replace("`", " ").split(), "dev", "push-image"}
    assert verdict(content, ("runs", line), told=words) == UNKNOWN


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (SHIP, "./dev push-image --help"),
        (SHIP, "grep -n './dev push-image worker' README.md"),
        (SHIP, "./dev build-image worker"),
        (PNPM, "npm install zod"),
        ("run tests with `go test ./...`", "go test ./..."),
        ("e2e: `npx playwright test --project=chromium --workers=1`", "npx playwright test login.spec.ts"),
        ("never `npm ci --force` here", "npm ci --force"),
        (PORT, "curl -s localhost:8081"),
        ("python 3.12", "python app.py"),
    ],
)
def test_everyday_partial_or_unwanted_commands_are_none(content, line):
    assert verdict(content, ("runs", line)) == UNKNOWN


def test_advice_followed_after_a_correction_is_a_use():
    before = (("user", "add a message for a failed login"), ("edits", "locales/en.json"), ("gets", "ok"))
    corrected = (*before, ("user", "don't use exclamation marks in error messages"), ("edits", "locales/en.json"))
    assert verdict(STYLE, *corrected) == USED
    assert verdict(STYLE, *corrected[1:-1]) == UNKNOWN  # said, but nothing was done
    asked = (("user", "no exclamation marks in error messages please"), ("edits", "locales/en.json"))
    assert verdict(STYLE, *asked) == UNKNOWN  # nothing had been done yet that it could correct
    tool = (("user", "add zod"), ("runs", "npm i zod"), ("gets", "ok"), ("user", "no, pnpm!"), ("runs", "pnpm add zod"))
    assert verdict(PNPM, *tool, told=["pnpm"]) == USED


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (PORT, "orders is on port 9081 now"),
        (PORT, "the orders service doesn't listen on 8081 any more"),
        (PORT, "btw, orders was moved to 9081 last week"),
        ("Jonas approves schema changes", "Jonas left the company"),
        ("PostgreSQL, not MySQL, for billing", "billing isn't on postgres any more, it moved to mysql"),
        ("merge commits, not rebase", "we do it differently since May: rebase, no merge commits"),
        ("no comments in code", "you can write comments again"),
        ("answer in bullet points", "stop with the bullet points please"),
        ("snake_case for JSON fields", "we do camelCase since v2"),
        ("Staging läuft auf Port 8443", "staging ist inzwischen auf 9443 umgezogen"),
    ],
)
def test_what_the_user_says_no_longer_holds_is_contradicted(content, said):
    assert verdict(content, ("user", said)) == CONTRADICTED


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (PORT, "is orders still on 8081, or was it moved?"),
        (PORT, "if orders moved to 9081, what would break?"),
        (PORT, "maybe orders isn't on 8081 any more"),
        (PORT, "the billing service was moved to 9081"),
        (PORT, "translate this:\n\norders is on port 9081 now"),
        (PORT, 'the wiki has "orders is on port 9081 now", and that page'),
        (PORT, "```\norders was moved to 9081\n```"),
        (PORT, "in the other repo orders was moved to 9081"),
        (PORT, "just for now, orders is on 9081"),
        (PORT, "orders was moved to 8081"),
        ("search runs on search-1", "search doesn't work any more since the deploy"),
        ("staging db is on port 5433", "the prod db moved to port 5499"),
        (PNPM, "we don't use npm any more"),
    ],
)
def test_questions_guesses_quotations_and_other_things_say_nothing(content, said):
    assert verdict(content, ("user", said)) == UNKNOWN


def test_a_rejection_is_of_what_was_just_cited():
    cited = ("says", "php-fpm needs a restart (keepstone 3fa2c1).")
    assert verdict("stale opcache: restart php-fpm", cited, ("user", "no, that isn't needed any more.")) == CONTRADICTED
    assert verdict("stale opcache: restart php-fpm", ("user", "no, that isn't needed any more.")) == UNKNOWN


def test_a_rating_contradicts_and_contradicted_wins():
    assert verdict(PORT, ("runs", "keepstone rate 3fa2c1 outdated"), ("says", "(keepstone 3fa2c1)")) == CONTRADICTED
    assert verdict(PORT, ("runs", "keepstone rate 3fa2c1 up")) == UNKNOWN


def test_processed_turns_were_judged_before():
    assert verdict(PORT, ("says", "(keepstone 3fa2c1)"), ("user", "thanks"), processed=1) == UNKNOWN


def line(kind, *blocks, **more):
    message = {"role": kind, "content": list(blocks)}
    return json.dumps({"type": kind, "uuid": "record-1", "message": message, **more}).encode()


def call(command, call_id="call-1"):
    return line("assistant", {"type": "tool_use", "id": call_id, "name": "Bash", "input": {"command": command}})


def result(text, call_id="call-1", failed=False):
    told = {"toolUseResult": f"Error: {text}"} if failed else {}
    return line("user", {"type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": failed}, **told)


def test_prompts_and_outputs_are_heard_but_not_keepstones_own_answers():
    heard = Heard()
    told = [
        (line("user", {"type": "text", "text": "use pnpm"}), "use pnpm"),
        (line("assistant", {"type": "text", "text": "pnpm it is"}), ""),
        (call("cat Makefile"), ""),
        (result([{"type": "text", "text": "ship:"}, {"type": "image"}]), "ship:\n"),
        (call("keepstone search ship", "call-2"), ""),
        (result("./dev push-image", "call-2"), ""),
        (b'{"type": "summary"}', ""),
    ]
    assert [heard(one)[1] for one, _ in told] == [text for _, text in told]
    assert heard.refused == set()


def test_a_refused_call_was_not_made():
    heard = Heard()
    heard(call("./dev push-image worker"))
    heard(result("The user doesn't want to proceed with this tool use.", failed=True))
    assert heard.refused == {"record-1"}


def test_a_call_that_the_user_refused_with_a_reason_was_not_made():
    heard = Heard()
    heard(call("./dev push-image worker"))
    refused = (
        "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nuse make"
    )
    turn, told = heard(result(refused, failed=True))
    assert (turn.role, told, heard.refused) == (USER, "use make", {"record-1"})


def test_words_stand_together_whole():
    assert stand_together(["dev", "push-image"], "run ./dev push-image now")
    assert not stand_together(["dev", "push-image"], "run ./devel push-images now")
