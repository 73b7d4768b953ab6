"""Whose words a prompt holds: those of a chat, a review, a checklist, release notes, the assistant, or the user."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepstone.language.pasted_lines import of_others, without_repeats
from keepstone.language.prompt_parts import parts

RULE = "We deploy with Terraform only, never by hand."
OTHERS = [
    f"bob: {RULE}\nMe: ok",
    f"Bob: {RULE}\nMe: sounds good, thanks",
    f"bob: {RULE}\nalice: ok",
    f"bob: {RULE}\nalice: +1",
    f"bob: hello\nalice: hi there all\nbob: {RULE}",
    f"Bob Miller: {RULE}\nAnna Kay: agreed",
    f"@bob: {RULE}\n@alice: makes sense",
    f"10:42 bob: {RULE}\n10:43 alice: when does that begin?",
    f"[10:42] bob: {RULE}\n[10:43] alice: when does that begin?",
    f"10:42 AM - Bob: {RULE}\n10:43 AM - Alice: when does that begin?",
    f"Bob: {RULE}\nYou: ok",
    f"bob  10:42 AM\n{RULE}\nalice  10:43 AM\nwhen does that begin?",
    f"Bob Miller  10:42\n{RULE}\nAnna  10:43\nnice",
    f"bob — Today at 10:42 AM\n{RULE}\nalice — Today at 10:44 AM\nok",
    f"Line 34: {RULE}",
    f"- Line 34: {RULE}\n- Line 60: never use a global here.",
    f"Lines 3-9: {RULE}",
    f"L12: {RULE}",
    f"src/deploy.py:34: {RULE}",
    f"`deploy.py:34` - {RULE}",
    f"nit: {RULE}",
    f"Nit (style): {RULE}",
    f"[blocking]: {RULE}",
    f"- [ ] {RULE}",
    f"- [x] {RULE}\n- [ ] Never push to main",
    f"1. [ ] {RULE}",
    f"☐ {RULE}",
    f"✅ {RULE}",
    f"v2.3.0\n- {RULE}\n- Dropped support for Python 3.8",
    f"## 2.3.0 (2026-11-08)\n\n### Added\n\n- {RULE}",
    f"Release notes\n- {RULE}",
    f"What's new in 4.1:\n* {RULE}",
    f"## Changelog\n\n- {RULE}\n- We now use Redis",
    f"Acme 3.1.0 - November\n\nFixed\n- {RULE}",
    f"[1.4.0]\n### Breaking changes\n- {RULE}",
]
OWN = [
    RULE,
    f"- {RULE}\n- Never push to main",
    f"1. {RULE}\n2. Never push to main",
    f"Deploys: {RULE}\nTests: We use pytest with fixtures.",
    f"Backend: {RULE}\nFrontend: We use React.",
    f"Frontend: We use React.\nBackend: {RULE}\nDatabase: PostgreSQL 16",
    f"Note: {RULE}",
    f"Decision: {RULE}\nReason: the state must match.",
    f"bob: {RULE}",
    f"Me: {RULE}",
    f"The standup is at 10:42. {RULE}",
    f"ok\n{RULE}",
    f"Line breaks matter. {RULE}",
    f"{RULE}\n- [ ] Rename the module",
    f"v2 is out. {RULE}",
    f"We are on 2.3.0 now.\n{RULE}",
    f"{RULE}\n\nv2.3.0\n- Dropped support for Python 3.8",
    f"v2.3.0\n- Dropped support for Python 3.8\n\n{RULE}",
    f"Minor thing. {RULE}",
    f"{RULE}\nLine 34: the parser returns two values",
    f"bob: can we click it?\nMe: {RULE}",
    f"{RULE}\n\nbob: we use Kafka\nalice: ok",
    f"Fixed the port.\n{RULE}",
    f"New: {RULE}",
]


def texts(prompt):
    return " ".join(part.text for part in parts(prompt))


@pytest.mark.parametrize("prompt", OTHERS)
def test_what_others_wrote_is_not_the_user_s(prompt):
    assert "Terraform" not in texts(prompt) and "Terraform" not in texts(prompt.replace("\n", "\r\n"))
    assert "Always squash" in texts(f"Always squash our commits.\n\n{prompt}")


@pytest.mark.parametrize("prompt", OWN)
def test_what_only_looks_like_it_is_the_user_s(prompt):
    assert "We deploy with Terraform only" in texts(prompt) and "Me:" not in texts(prompt)


PEOPLE = [("Bob Smith", "Ann Lee"), ("bob", "ann"), ("José García", "Zoë"), ("O'Brien", "Mary"), ("jan.k", "mira_x")]
CHATS = [
    "{0}\n10:02 AM\n{rule}\n{1}\n10:03 AM\nok",
    "{0}\n  10:02 AM\n{rule}\n\n{1}\n  10:03 AM\nwhen?",
    "{0}  10:02\n{rule}",
    "{0} — Today at 10:42 AM\n{rule}",
    "{0} — 12/11/2026 10:42 AM\n{rule}",
    "{0}\nYesterday 10:02 AM\n{rule}",
    "{0}, [12.11.26 10:02]\n{rule}",
    "{0} commented 3 days ago\n{rule}",
    "{0} commented on Nov 12, 2026\n\n{rule}",
    "{0} (PM): {rule}\n{1} (Dev): ok",
    "{0} (QA): {rule}\n{1} (she/her): We also use Redis.",
    "{0} - {rule}\nme - ok",
    "{0} – {rule}\n{1} – sounds good",
    "{0} - hello\n{1} - hi all\n{0} - {rule}",
    "12/11/2026, 10:02 - {0}: {rule}\n12/11/2026, 10:03 - {1}: nice",
    "10:02 {0}: {rule}\n10:03 {1}: nice",
    "{0} <bob@acme.com>: {rule}",
    "{0}: hi all, a word on deploys\n{rule}\n{1}: ok",
    "{0}: hello\n{1}: hi\n{0}: {rule}",
]
ALONE = [f"O'Brien: {RULE}", f"bob.smith@acme.com: {RULE}", f"Bob (CTO): {RULE}", f"bob@acme.io: {RULE}"]


def test_a_chat_of_any_shape_is_not_the_user_s_and_what_stands_beside_it_is():
    chats = [chat.format(*pair, rule=RULE) for chat in CHATS for pair in PEOPLE]
    for chat in (*chats, *ALONE):
        said = texts(f"Always squash our commits.\n\n{chat}\n\nNever push to main.")
        assert "Terraform" not in said, chat
        assert "Always squash" in said and "Never push to main" in said, chat


HEADED = [
    "Rule Reason Rule",
    "Backend Frontend Backend",
    "Good Bad Good Bad",
    "Tests Docs Tests",
    "Staging Production Staging",
    "Linux Windows Linux",
    "Before After Before",
    "Python Go Python",
    "Do Avoid Do",
    "Decision Rationale Decision",
    "API Database API",
    "Problem Solution Problem",
    "Client Server Client",
    "Wrong Right Wrong",
    "Step Result Step",
    "Dart Kotlin Dart",
    "React Rails React",
]
SECTIONS = [
    "## Security\n- {}",
    "## Security\n- {}\n\n## Features\n- Never add a flag without an owner",
    "**Fixes**\n- {}",
    "### Breaking changes\n- {}",
    "# Deprecated\n- {}",
    "## Improvements\n\n* {}",
    "Python 3.11:\n- {}",
    "Node 20.11.1:\n- {}",
    "Django 4.2:\n* {}",
    "## Python 3.11\n- {}",
    "Postgres 16.2\n- {}",
    "Standup 10:30\n{}",
    "Release 16:00\n- {}",
    "Monday 9:00\n{}",
    "Linting: yes\nFormatting: yes\nDeploys: {}",
    "Tests: which ones?\nDeploys: {}",
    "Linting: yes\nPrettier: yes\nDeploys: {}",
    "Linting: yes\nHusky: yes\nDeploys: {}",
    "Deploys - {}\nDocs - fine",
]


def test_rules_of_ones_own_under_heads_are_the_user_s():
    for heads in HEADED:
        for mark in (": ", " - "):
            lines = [f"{head}{mark}{RULE if at == 0 else 'we keep it short'}" for at, head in enumerate(heads.split())]
            assert "We deploy with Terraform only" in texts("\n".join(lines)), lines
    for section in SECTIONS:
        assert "We deploy with Terraform only" in texts(section.format(RULE)), section


CALLED = ["Ruby", "GitHub", "Admin", "Docker Bot", "Swift", "Mac", "Android", "Rust", "Test", "Friday"]
CALLED_CHATS = [
    "{0}: {rule}\nBob: ok",
    "{0}: {rule}\n\nBob: ok",
    "Bob: hello\n{0}: {rule}\nBob: thanks",
    "{0}: {rule}\nMe: ok",
    "{0}: {rule}\nJenkins Build: done\nBob: thanks",
    "{0}  10:42 AM\n{rule}\nRuby  10:43 AM\nok",
    "[10:42] {0}: {rule}\n[10:43] Bob: when does that begin?",
    "{0} Today 10:42\n{rule}\nBob Today 10:43\nok",
    "{0} 10:42\n{rule}\nbob 10:43\nok",
]
DAYS = [
    "Friday",
    "Monday",
    "Today",
    "Yesterday",
    "Sunday",
    "Wednesday",
    "Mon",
    "Today at",
    "Yesterday,",
    "Nov 12",
    "May",
]


def test_one_who_is_called_as_a_topic_is_or_speaks_on_a_day_is_somebody_else():
    named = [chat.format(name, rule=RULE) for chat in CALLED_CHATS for name in CALLED]
    dated = [
        f"{first} {day} 10:42\n{RULE}\n{second} {day} 10:43\nyes we do" for day in DAYS for first, second in PEOPLE
    ]
    for chat in (*named, *dated):
        said = texts(f"Always squash our commits.\n\n{chat}\n\nNever push to main.")
        assert "Terraform" not in said and "Always squash" in said and "Never push" in said, chat


def test_the_user_s_own_words_in_a_chat_are_the_user_s():
    own = [
        chat.format(name, day, rule=RULE)
        for name in ("You", "Me", "me", "you")
        for day in (*DAYS, "")
        for chat in (
            "{0} {1} 10:42\n{rule}\nBob {1} 10:43\nok",
            "Bob {1} 10:41\nhow?\n{0} {1} 10:42\n{rule}",
            "{0} {1} 10:42\n{rule}",
        )
    ]
    answers = [
        f"bob: could we click it?\n{begin}{RULE}\nalice: ok"
        for begin in ("No. ", "no, ", "Nope, ", "", "Yes, but ", "Right: ", "Sure, ", "Well, ", "Note: ", "Never. ")
    ]
    answers += [f"bob: we use Kafka\nalice: ok\n{head}: {RULE}" for head in ("Note", "Rule", "Decision", "Remember")]
    answers += [f"bob: let's click it\nNo. {RULE}\nalice: ok", f"bob: why?\n{RULE}\nbob: I see\nalice: ok"]
    for chat in (*own, *answers):
        assert "We deploy with Terraform only" in texts(chat).replace("we deploy", "We deploy"), chat


SCOPES = ["client", "app", "dev", "support", "bot", "admin", "qa", "guest", "customer", "iOS", "staging", "web"]
TIMED = [
    "Backups 02:00",
    "Nightly 03:00",
    "Reindex 02:00",
    "Restart 4:30 AM",
    "Freeze Friday 18:00",
    "Payroll Sunday 02:00",
]


def test_a_headed_rule_of_ones_own_is_no_chat():
    for scope in SCOPES:
        for head in ("Timeouts", "Hosting", "Colours", "Retries"):
            assert "We deploy with Terraform only" in texts(f"{head} ({scope}): {RULE}"), (head, scope)
        assert "We deploy with Terraform only" in texts(f"Timeouts ({scope}): {RULE}\nRetries (server): at most 3")
    for head in TIMED:
        assert "We deploy with Terraform only" in texts(f"{head}\n{RULE}"), head
        assert "We deploy with Terraform only" in texts(f"{head.rpartition(' ')[0]}\n02:00\n{RULE}"), head
    for head in ("react@18.2", "node@20.11.1", "List <T>", "Component <Button>", "python@3.11"):
        assert "We deploy with Terraform only" in texts(f"{head}: {RULE}"), head
    for prompt in (f"Note: {RULE}\n\nbob: we use Kafka\nalice: ok", f"Backups 02:00\n{RULE}\n\nReports 04:00\nNone"):
        assert "We deploy with Terraform only" in texts(prompt), prompt


HEARD = (
    f"Here is my proposal.\n\n- {RULE}\n- Start the broker before the watcher, and keep the socket open.\n\nShall I?"
)
REPEATS = [
    RULE,
    f"{RULE}\ndo this",
    f"do this: \n- {RULE}",
    f"> {RULE}\nyes",
    f"* {RULE}",
    f"1. {RULE}",
    f'"{RULE}" do that',
    f"{RULE} go on",
    RULE.upper(),
    RULE.rstrip("."),
    "Start the broker before the watcher, and keep the socket open.",
    "Start the broker before the watcher, and keep the socket open. yes please",
    "do it\n\nStart the broker before the watcher, and keep the socket open",
    "start the broker before the watcher and keep the socket open",
    f"- {RULE}\n- Start the broker before the watcher, and keep the socket open.",
    f"ok. {RULE}",
    f"**{RULE}**",
    f"`{RULE}`",
    f"  {RULE}  ",
    "the broker before the watcher, and keep the socket open",
]
SAID = [
    "We deploy with Terraform only.",
    "No: we deploy with Ansible only, never by hand.",
    "We deploy with Terraform only, never by hand, and on Mondays.",
    "Our deploys use Terraform and nothing else.",
    "Keep the socket open.",
    "Start the watcher before the broker, and keep the socket open.",
    "Never by hand.",
    "yes",
    "Shall I?",
    "Use Terraform for deploys, as you propose.",
]


@pytest.mark.parametrize("prompt", REPEATS)
def test_what_repeats_the_assistant_is_the_assistant_s(prompt):
    left = without_repeats(prompt, [HEARD], [])
    assert "erraform" not in left and "broker" not in left and "TERRAFORM" not in left
    assert (
        without_repeats(prompt, [], []) == prompt
        and without_repeats(prompt, ["Something else entirely."], []) == prompt
    )


@pytest.mark.parametrize("prompt", SAID)
def test_what_the_user_words_anew_is_the_user_s(prompt):
    assert without_repeats(prompt, [HEARD], []) == prompt


@pytest.mark.parametrize("prompt", REPEATS)
def test_what_the_user_had_said_before_the_assistant_stays_the_user_s(prompt):
    said = f"{RULE}\nStart the broker before the watcher, and keep the socket open."
    assert without_repeats(prompt, [HEARD], [said]) == prompt


@given(st.text(), st.lists(st.text()), st.lists(st.text()))
def test_any_text_may_be_a_prompt(text, heard, said):
    assert without_repeats(text, heard, said).count("\n") == text.count("\n")
    assert of_others(text.split("\n")) <= set(range(text.count("\n") + 1))


@pytest.mark.parametrize(
    "line", ["a: b", "v1.0", "Fixed", "bob 10:42", "- [ ] a", "Line 1: a", "a" * 500, "", "a. " * 20]
)
def test_no_text_makes_the_search_endless(line):
    began = process_time()
    of_others([line] * 10_000)
    without_repeats("\n".join([line] * 200), ["\n".join([line] * 200)], [])
    assert process_time() - began < 3


RECORDS = [
    "Fix this bug based on manual.yaml:\n  id: 12\n  text: Escape keys\nWe never use tabs.\n\nIt fails on Mondays.",
    "Solve it:\n\trepo: acme/shop\n\ttitle: Deploys need the VPN\nWe deploy from main only.",
    'Here:\n  "instance": "a-1",\n  "statement": "We always use tabs in Makefiles"\nWe never use spaces there.',
]


@pytest.mark.parametrize("prompt", RECORDS)
def test_a_record_that_is_handed_over_is_somebody_elses_to_its_end(prompt):
    lines = prompt.split("\n")
    assert of_others(lines) == set(range(1, len(lines)))


@pytest.mark.parametrize(
    "prompt",
    [
        "Rules for this repository:\n- style: we always use tabs\n- tests: we never mock the database",
        "We decided two things:\n  Deploys need the VPN.\n  Releases are cut from main.",
        "note: we always use tabs\ntests: we never mock",
    ],
)
def test_headed_items_of_ones_own_stay(prompt):
    assert not of_others(prompt.split("\n"))
