"""What a later prompt takes back in words: what it names, or what was said right before, and nothing else."""

from __future__ import annotations

import pytest

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


def without(gone):
    return [rule for at, rule in enumerate(RULES) if at not in gone]


@pytest.mark.parametrize(("then", "gone"), NAMES)
def test_only_what_it_names_goes(sessions, then, gone):
    sessions.say(*RULES, then)
    assert living(sessions) == without(gone)


@pytest.mark.parametrize("then", NAMES_NOTHING)
def test_what_names_nothing_takes_back_what_was_said_right_before(sessions, then):
    sessions.say(*RULES, then)
    assert living(sessions) == without({FRIDAYS})


@pytest.mark.parametrize("then", NOTHING)
def test_what_takes_nothing_back_leaves_all(sessions, then):
    sessions.say(*RULES, then)
    assert living(sessions) == list(RULES)


def test_what_was_said_right_before_stays_where_another_session_said_what_is_named(sessions):
    sessions.say(RULES[PRICES], day="2026-11-07")
    sessions.say(RULES[FRIDAYS], "forget what i said about the prices")
    assert living(sessions) == [RULES[PRICES], RULES[FRIDAYS]]
