"""What the client writes into a line for a picture or a paste hides none of the words beside it."""

from __future__ import annotations

from time import process_time

import pytest

from builders import turn
from keepstone.capture.extractors.rules import Rules
from keepstone.claude_code.person import typed
from keepstone.claude_code.window import Window

IMAGE = "[Image #1]"
PASTE = "[Pasted text #1 +20 lines]"

SAID = "We never ship on Fridays."
MARKED = [
    "[Image #1] {}",
    "[Pasted text #1 +20 lines] {}",
    "[Image #1] [Image #2] [Image #3] {}",
    "[Image #1][Image #2]{}",
    "{} [Image #12]",
    "{}\n[Image #3]\n",
    "[Image #1]\n\n{}",
    "[Pasted text #3 +1 lines]{}",
    "[Pasted text #3] {}",
    "[Pasted text #2 +1 line] {}",
    "[Pasted text #1 +1,204 lines] {}",
    "[...Truncated text #1 +30 lines...] {}",
    "{}[...Truncated text #1 +30 lines...]",
    "[image #1] {}",
    "[Image 1] {}",
    "[PDF #1] {}",
    "[File #1] {}",
    "[Screenshot #2 1024x768] {}",
    "[Pasted image #1] {}",
    "[Image #1]: {}",
    "[Image #1], {}",
    "  [Image #1]\t{}",
    "[Pasted text #1 +20 lines]\n[Image #2] {}",
    "[Document #4 (12 pages)] {}",
]

# What only points to the marker goes with it.
MARKED += [
    "(see [Image #1]) {}",
    "([Image #1]) {}",
    "See [Image #1]: {}",
    "see also [Pasted text #1 +20 lines]: {}",
    "{} (see [Image #1])",
    "{} (see [Image #1] and [Image #2])",
    "See [Image #1], [Image #2] and [Image #3]: {}",
]
# Within a sentence stands what the marker is.
WITHIN = [
    (f"As in {IMAGE}, amounts are always right-aligned", "As in the image, amounts are always right-aligned"),
    (f"In {IMAGE} you see that {SAID}", f"In the image you see that {SAID}"),
    (f"As you can see in {IMAGE}, {SAID}", f"As you can see in the image, {SAID}"),
    (f"As in {PASTE}, we use tabs", "As in the pasted text, we use tabs"),
    (f"The header must look like {IMAGE}.", "The header must look like the image."),
    (f"The header must look like {IMAGE}, never flat", "The header must look like the image, never flat"),
    (f"We always sort as in {PASTE}", "We always sort as in the pasted text"),
    (f"Compare {IMAGE} with {PASTE} first", "Compare the image with the pasted text first"),
    (f"Errors are shown as {IMAGE} and never in red", "Errors are shown as the image and never in red"),
    ("The rules of [PDF #1] hold here", "The rules of the pdf hold here"),
    (f"{IMAGE} and [Image #2] show it: {SAID}", f"the images show it: {SAID}"),
    ("It is laid out like [Screenshot #2 1024x768] always", "It is laid out like the screenshot always"),
    ("We never ship on Fridays, see [Image #1].", "We never ship on Fridays."),
    ("We never ship on Fridays (see [Image #1]).", "We never ship on Fridays."),
    ("We never ship on Fridays, see [Image #1] and [Image #2].", "We never ship on Fridays."),
    ("We never ship on Fridays [Image #1].", "We never ship on Fridays."),
    ("We never ship on Fridays ([Pasted text #1 +20 lines])!", "We never ship on Fridays!"),
    (f"{SAID} {IMAGE} {SAID}", f"{SAID} {SAID}"),
    (f"{SAID}\n{IMAGE} [Image #2]\n{SAID}", f"{SAID}\n\n{SAID}"),
    (f"{IMAGE} [Image #2]", ""),
]


def test_many_markers_are_read_at_once():
    for filler in (" ", "\t", ", ", "a ", "see ", "\n", "x" * 90):
        text = f"{IMAGE}{filler}" * 4_000 + f"{IMAGE}{filler * 4_000}"
        begin = process_time()
        assert IMAGE not in typed(text)
        assert process_time() - begin < 2


@pytest.mark.parametrize(("text", "said"), WITHIN)
def test_a_sentence_keeps_its_word_for_a_marker_and_nothing_that_only_points_to_it(text, said):
    assert typed(text) == said


@pytest.mark.parametrize("shape", MARKED)
def test_a_marker_is_taken_out_wherever_it_stands(shape):
    assert typed(shape.format(SAID)).strip() == SAID


@pytest.mark.parametrize("shape", MARKED)
def test_what_stands_beside_a_marker_is_learned_as_the_users(sessions, shape):
    transcript = sessions.begin()
    transcript.user(shape.format("We deploy with Terraform only, never by hand."))
    sessions.memory.capture.capture(str(transcript.path))
    assert sessions.rows("content, trust") == [("We deploy with Terraform only, never by hand", "trusted")]
    assert sessions.rows("method", "evidence") == [("user",)]


RULE = "We always use pnpm, never npm"
ASKED = "How do we install packages?"


def _answered(transcript, said):
    transcript.answer(ASKED, said, "As before", "Another way")


def _noted(transcript, said):
    asked = [{"question": ASKED, "options": [{"label": "Another way"}]}]
    told = {"questions": asked, "answers": {}, "annotations": {ASKED: {"notes": said}}}
    transcript.result("AskUserQuestion", {"questions": asked}, "answered", toolUseResult=told)


def _responded(transcript, said):
    told = {"questions": [], "answers": {}, "response": said}
    transcript.result("AskUserQuestion", {"questions": []}, "answered", toolUseResult=told)


def _denied(transcript, said):
    transcript.deny("Bash", {"command": "npm i"}, said)


def _denied_today(transcript, said):
    newer = {"toolDenialKind": "user-rejected", "userFeedback": said, "version": "2.1.329"}
    transcript.deny("Bash", {"command": "npm i"}, "other words", **newer)


def _refused(transcript, said):
    transcript.deny("ExitPlanMode", {"plan": "Use npm"}, said)


def _allowed(transcript, said):
    transcript.result("Bash", {"command": "ls"}, "ok", added=said)


def _queued(transcript, said):
    transcript.queue(said)


WAYS = (_answered, _noted, _responded, _denied, _denied_today, _refused, _allowed, _queued)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("shape", [*MARKED[::4], "# {}", "[Image #1] # {}", "{}"])
def test_what_stands_beside_a_marker_is_heard_whatever_way_it_comes(sessions, shape, way):
    transcript = sessions.begin()
    transcript.user("let us set this up")
    way(transcript, shape.format(f"{RULE}."))
    sessions.memory.capture.capture(str(transcript.path))
    assert sessions.rows("content, trust") == [(RULE, "trusted")]
    assert sessions.machine.sql("SELECT text FROM suggestion") == []


def test_a_bare_yes_beside_a_marker_is_one(sessions):
    transcript = sessions.begin()
    transcript.user("let us set this up")
    transcript.answer("Should every service use its own database?", "[Image #1] Yes", "As before")
    transcript.answer("Run it now?", "Yes [Pasted text #1 +20 lines]", "As before")
    sessions.memory.capture.capture(str(transcript.path))
    assert sessions.rows("content") == [("Every service should use its own database",)]


@pytest.mark.parametrize(
    "line",
    [
        "[worker #3] we never ship",
        "[ERROR] we never ship",
        "[12:00:01] we never ship",
        "[Image #1]",
        "[build 7] we ship",
    ],
)
def test_a_log_line_is_no_marker(sessions, line):
    transcript = sessions.begin()
    transcript.user(line)
    sessions.memory.capture.capture(str(transcript.path))
    assert sessions.rows("content") == []


# Rules in words that narrow: what something is for, and what each of a kind must be.
NARROW = [
    *("Use the staging host only for demos", "Use the staging host for demos only", "Use Redis only for sessions"),
    *("Only use the staging host for demos", "Use the sandbox account only in tests", "Use raw SQL only in migrations"),
    *("Use feature flags for experiments only", "We want every invoice archived for ten years"),
    "We want all secrets stored in Vault",
    *("We require every migration to be reversible", "We need each export encrypted at rest"),
]
MOMENTARY = [
    *(
        "Use the second branch only for this test",
        "Use the mock only for now",
        "Only use the small dataset for this run",
    ),
    *("Only run the failing test for now", "Use it only for the demo", "Only use two files for the first try"),
    *(
        "Only change the header in this page",
        "We want all tests green before lunch",
        "Only touch the css for that page",
    ),
    *("We need all these files renamed to snake case", "We want each of these covered by a test"),
    *("We need all of them fixed by tomorrow", "Use the old endpoint only in this PR"),
]


def kept(text: str) -> list[str]:
    ((_, judged),) = Rules().explain(Window((), (turn(text),)))
    return [one.text for one in judged if one.kind and not one.unsure]


@pytest.mark.parametrize("text", NARROW)
def test_what_narrows_a_use_or_asks_something_of_each_is_kept(text):
    assert kept(f"{text}.") == [text]


@pytest.mark.parametrize("text", MOMENTARY)
def test_what_narrows_the_task_at_hand_is_not_kept(text):
    assert kept(f"{text}.") == []


def test_what_narrows_a_use_is_kept_behind_a_marker(sessions):
    reasoned = "We want each **system prompt** kept in the audit log. Disk is cheap"
    for text in (f"{PASTE} {NARROW[0]}.", f"{reasoned}.", f"{PASTE} {MOMENTARY[0]}."):
        transcript = sessions.begin()
        transcript.user(text)
        sessions.end(transcript)
    assert set(sessions.rows("content, trust")) == {(NARROW[0], "trusted"), (reasoned, "trusted")}
