"""What a later prompt takes back in words: what it names, or what was said right before, and nothing else."""

from __future__ import annotations

from contextlib import closing

import pytest

from keepstone.db.writer import Writer
from keepstone.language.withdrawals import Withdrawal
from keepstone.lib.fuzzy import ratio
from keepstone.lifecycle.add_sql import Origin
from keepstone.remote.copy_format import SessionReport
from keepstone.remote.store_session_reports import store_report
from support import Transcript

CUTS = pytest.mark.parametrize("is_cut", [False, True], ids=["at once", "turn by turn"])
RULES = (
    "Prices are always net in our api",
    "Never commit to main directly",
    "We always use pnpm, not npm, in the web package",
    "I prefer tabs over spaces",
    "Never deploy on fridays",
)
PRICES, MAIN, PNPM, TABS, FRIDAYS = range(5)
NAMES = [
    ("forget what i said about the prices", {PRICES}),
    ("forget what I said about pnpm", {PNPM}),
    ("please forget everything i said about tabs", {TABS}),
    ("ok forget about the prices", {PRICES}),
    ("scratch what i said about the web package", {PNPM}),
    ("disregard my comment about the api prices", {PRICES}),
    ("drop what i said about committing to main", {MAIN}),
    ("Forget my rule about tabs.", {TABS}),
    ("forget the pnpm thing", {PNPM}),
    ("forget the friday rule", {FRIDAYS}),
    ("never mind the friday rule", {FRIDAYS}),
    ("nevermind what i said about fridays", {FRIDAYS}),
    ("i take back what i said about tabs", {TABS}),
    ("can you forget what I told you about pnpm?", {PNPM}),
    ("forget what i said about prices and fridays", {PRICES, FRIDAYS}),
    ("forget what i said earlier about prices, they are a mess", {PRICES}),
    ("Forget that rule about fridays", {FRIDAYS}),
    ("hmm, forget the tabs rule", {TABS}),
    ("what i said about the prices, forget it", {PRICES}),
    ("actually forget the pnpm rule and run the tests", {PNPM}),
    ("ignore what i said about tabs please", {TABS}),
    ("forget what i told you about net prices", {PRICES}),
    ("let's forget the thing about deploying on fridays", {FRIDAYS}),
    ("strike what i wrote about pnpm", {PNPM}),
    ("you can forget my preference for tabs", {TABS}),
    ("Please disregard what I said about Friday deploys.", {FRIDAYS}),
    ("cancel the rule about prices", {PRICES}),
    ("oh and forget the bit about tabs vs spaces", {TABS}),
    ("withdraw the pnpm decision", {PNPM}),
    ("forget all I said regarding prices", {PRICES}),
    ("sorry, forget the no-fridays rule", {FRIDAYS}),
    ("remove the rule about committing to main", {MAIN}),
    ("Nevermind, I found it.", set()),
    ("never mind, the build works now", set()),
    ("forget what i said about kubernetes", set()),
    ("forget what i said about docker and kafka", set()),
    ("forget everything I said about the main branch", set()),
]
NAMES_NOTHING = [
    "forget it",
    "scratch that",
    "forget the last rule",
    "Never mind what I said before.",
    "hm, forget that",
]
NOTHING = [
    "forget about formatting for now",
    "forget to add tests and I'll be sad",
    "forget the tabs and I'll be sad",
    "forget the tabs for now and fix the failing test",
    "don't forget what i said about the prices",
    "Never forget the friday rule!",
    "we shouldn't forget that prices are net",
    "did you forget the friday rule?",
    "should we forget what I said about the prices?",
    "why did you forget what i said about tabs?",
    "you forgot the pnpm rule",
    "i always forget the friday rule",
    "what happens if i say forget it?",
    'the button says "forget it", rename it',
    'He said: "scratch that", so what now?',
    'the "Forget it" link is broken, fix it',
    "ignore that error, it's flaky, go on",
    "undo that change in app.py",
    "undo that",
    "drop the prices table from the test database",
    "delete the friday job from cron",
    "remove the tabs component from the web package",
    "scrap the prices importer and write a new one",
    "cancel the deploy on friday",
    "forget me not is a flower, add it to the seeds",
    "Please fix this mail:\n> forget what i said about the prices\n> bye",
    "```\nforget it\n```\nwhat does this print?",
    "Here is the ticket:\nUsers forget it. forget what I said about the prices\n\nplease summarize",
]


def living(sessions):
    return [text for (text,) in sessions.machine.sql("SELECT content FROM memory WHERE status = 'active' ORDER BY seq")]


def tell(sessions, is_cut, *said, between=0):
    """A session in which the user said this, captured at once or after each prompt, with tool calls before the last."""
    transcript = sessions.begin()
    for at, text in enumerate(said):
        for _ in range(between if at == len(said) - 1 else 0):
            transcript.tool("Bash", {"command": "ls"})
        transcript.user(text)
        if is_cut or at == len(said) - 1:
            sessions.memory.capture.capture(str(transcript.path))


def without(gone):
    return [rule for at, rule in enumerate(RULES) if at not in gone]


@CUTS
@pytest.mark.parametrize(("then", "gone"), NAMES)
def test_only_what_it_names_goes(sessions, is_cut, then, gone):
    tell(sessions, is_cut, *RULES, then)
    assert living(sessions) == without(gone)


@CUTS
@pytest.mark.parametrize("then", NAMES_NOTHING)
def test_what_names_nothing_takes_back_what_was_said_right_before(sessions, is_cut, then):
    tell(sessions, is_cut, *RULES, then)
    assert living(sessions) == without({FRIDAYS})


@CUTS
@pytest.mark.parametrize("then", NOTHING)
def test_what_takes_nothing_back_leaves_all(sessions, is_cut, then):
    tell(sessions, is_cut, *RULES, then)
    assert living(sessions) == list(RULES)


@CUTS
@pytest.mark.parametrize(("then", "gone"), [NAMES[0], ("forget it", {FRIDAYS})])
def test_what_was_done_in_between_changes_nothing(sessions, is_cut, then, gone):
    tell(sessions, is_cut, *RULES, then, between=25)
    assert living(sessions) == without(gone)


@CUTS
def test_what_was_said_two_prompts_before_stays(sessions, is_cut):
    tell(sessions, is_cut, *RULES, "What does the README say?", "forget it", between=25)
    assert living(sessions) == list(RULES)


@CUTS
def test_what_is_said_again_afterwards_holds(sessions, is_cut):
    tell(sessions, is_cut, *RULES, "forget the tabs rule", RULES[TABS])
    assert sorted(living(sessions)) == sorted(RULES)


@CUTS
@pytest.mark.parametrize("then", ["forget it", "forget the friday rule"])
def test_what_waits_as_a_suggestion_goes_too(sessions, is_cut, then):
    tell(sessions, is_cut, RULES[TABS], "We usually deploy the shop on Fridays.", then)
    assert living(sessions) == [RULES[TABS]] and sessions.suggested == []


@CUTS
def test_what_another_session_has_said_too_stays(sessions, is_cut):
    sessions.say(RULES[FRIDAYS], day="2026-11-07")
    tell(sessions, is_cut, RULES[TABS], RULES[FRIDAYS], "forget the friday rule")
    assert living(sessions) == [RULES[FRIDAYS], RULES[TABS]]


@CUTS
def test_what_was_superseded_by_it_holds_again(sessions, is_cut):
    tell(
        sessions,
        is_cut,
        "We use npm in the front package.",
        "We moved from npm to pnpm in the front package.",
        "forget it",
    )
    assert living(sessions) == ["We use npm in the front package"]


def test_the_audit_tells_why(sessions):
    tell(sessions, True, *RULES, "forget the friday rule")
    ((why,),) = sessions.machine.sql("SELECT details FROM audit WHERE op = 'rewind'")
    assert "took it back in a later prompt" in why


def test_a_rule_holds_again_once_the_prompt_that_took_it_back_is_taken_back(sessions):
    path = sessions.machine.root / "transcripts" / "session-1.jsonl"
    made = Transcript(path, sessions.machine.project, "session-1", linked=True)
    made.start()
    for text in RULES:
        made.turn(text)
    then = made.turn("forget the friday rule")
    sessions.memory.capture.capture(str(path))
    assert living(sessions) == without({FRIDAYS})
    made.rewind(then)
    made.turn("What does the README say?")
    sessions.memory.capture.capture(str(path))
    assert living(sessions) == list(RULES)


def test_what_was_said_right_before_stays_where_another_session_said_what_is_named(sessions):
    sessions.say(RULES[PRICES], day="2026-11-07")
    sessions.say(RULES[FRIDAYS], "forget what i said about the prices")
    assert living(sessions) == [RULES[PRICES], RULES[FRIDAYS]]


def test_what_the_user_has_pinned_stays(sessions):
    tell(sessions, True, *RULES)
    ((pinned,),) = sessions.machine.sql(f"SELECT id FROM memory WHERE content = '{RULES[FRIDAYS]}'")
    sessions.memory.pin(pinned)
    transcript = Transcript(sessions.machine.root / "transcripts" / "session-1.jsonl", sessions.machine.project)
    for text in ("forget the friday rule", "forget the tabs rule"):
        transcript.user(text)
        sessions.memory.capture.capture(str(transcript.path))
    assert living(sessions) == without({TABS})


NO_PROMPTS = [
    [Withdrawal("", things=("tabs",))],
    [Withdrawal("x" * 129, things=("tabs",))],
    [Withdrawal("x", before="y" * 129)],
    [Withdrawal("x", things=("tabs", "z" * 200))],
    [Withdrawal("x", things=("tabs", *[""] * 200))],
    [*[Withdrawal("x", things=("z",))] * 20, Withdrawal("x", things=("tabs",))],
]


@pytest.mark.parametrize("unsaid", [*NO_PROMPTS, [Withdrawal("x", things=("tabs",))]])
def test_of_another_machine_only_what_a_prompt_can_have_said_is_taken(sessions, unsaid):
    tell(sessions, True, *RULES)
    path = sessions.machine.home / "keepstone.db"
    with closing(Writer(str(path), ratio)) as writer:
        for session in ("session-2", "session-1"):
            origin = Origin("hook", session_id=session)
            store_report(writer, origin, SessionReport(unsaid=unsaid), lambda text: text, sessions.now)
            is_taken = session == "session-1" and unsaid not in NO_PROMPTS
            assert living(sessions) == without({TABS} if is_taken else set())
