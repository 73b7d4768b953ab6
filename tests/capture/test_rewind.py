"""A transcript is a tree: what its user took back, edited or sent again, forked or compacted."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from builders import lasting
from keepstone.claude_code.transcript_files import branches_of
from keepstone.lifecycle.rewind_sql import WHY
from keepstone.model.cursor import Cursor
from support import Machine, Sessions, Transcript

VARIANTS = range(24)
TAKEN_BACK = [
    "Our staging host is stage{n}.example.com, use port 80{n}.",
    "The API listens on port 84{n} in production.",
    "Never commit files under vendor/part{n}.",
    "We use pnpm, not npm, in the front{n} package.",
    "Always write docs for client{n} in British English.",
    "Let's go with Redis {n} for the queue, not RabbitMQ.",
]
UNSURE = ["We usually deploy part{n} on Tuesdays, I guess.", "Our deploys of part{n} go out on Fridays, I think."]


def said(number: int) -> str:
    return TAKEN_BACK[number % len(TAKEN_BACK)].format(n=number + 10)


def edited(number: int) -> str:
    return TAKEN_BACK[number % len(TAKEN_BACK)].format(n=number + 60)


def opened(sessions: Sessions, name: str = "session-1") -> Transcript:
    """A session with a statement that stays."""
    path = sessions.machine.root / "transcripts" / f"{name}.jsonl"
    made = Transcript(path, sessions.machine.project, name, linked=True)
    made.start()
    made.turn("hello")
    made.turn(lasting(600))
    return made


def read(sessions: Sessions, made: Transcript) -> object:
    return sessions.memory.capture.capture(str(made.path))


def living(sessions: Sessions) -> set[str]:
    return {str(text) for (text,) in sessions.machine.sql("SELECT content FROM memory WHERE status = 'active'")}


def around(made: Transcript, number: int) -> None:
    """Something that happens in a turn, and must not be taken for a branch."""
    happens = (
        lambda: made.tool("Bash", {"command": "ls"}),
        lambda: made.side_by_side("git status", "git diff", "ls src"),
        made.compact,
        lambda: made.line({"type": "assistant", "isSidechain": True, "message": {"role": "assistant", "content": []}}),
        lambda: made.line({"type": "progress", "data": {}}),
        lambda: made.line({"type": "system", "subtype": "informational", "content": "x"}),
        lambda: None,
    )
    happens[number % len(happens)]()


def stem(text: str) -> str:
    return text.rstrip(".")


@pytest.mark.parametrize("number", VARIANTS)
def test_of_an_edited_prompt_only_the_last_version_is_learned(sessions, number):
    made = opened(sessions)
    around(made, number)
    first = made.turn(said(number))
    around(made, number // 2)
    made.rewind(first)
    made.turn(edited(number))
    around(made, number // 3)
    read(sessions, made)
    assert living(sessions) == {lasting(600), stem(edited(number))}


@pytest.mark.parametrize("number", VARIANTS)
def test_the_very_first_prompt_is_taken_back_where_no_hook_ran_before_it(sessions, number):
    made = Transcript(sessions.machine.root / "transcripts" / "s.jsonl", sessions.machine.project, linked=True)
    first = made.turn(said(number))
    around(made, number)
    if number % 2:
        made.turn(lasting(number))
    if number % 3 == 0:
        read(sessions, made)
    made.rewind(first)
    made.turn(edited(number))
    around(made, number // 2)
    made.turn(lasting(600))
    read(sessions, made)
    assert living(sessions) == {lasting(600), stem(edited(number))}


@pytest.mark.parametrize("number", VARIANTS)
def test_a_prompt_that_was_taken_back_is_not_learned(sessions, number):
    made = opened(sessions)
    first = made.turn(said(number))
    around(made, number)
    made.turn(lasting(number), reply="I see.")
    made.rewind(first)
    made.turn("What does README say?")
    around(made, number // 2)
    read(sessions, made)
    assert living(sessions) == {lasting(600)}


@pytest.mark.parametrize("number", range(8))
def test_who_goes_back_and_leaves_has_taken_it_back(sessions, number):
    made = opened(sessions)
    first = made.turn(said(number))
    around(made, number)
    if number % 2:
        read(sessions, made)
        assert living(sessions) == {lasting(600), stem(said(number))}
    made.leave(first)
    read(sessions, made)
    assert living(sessions) == {lasting(600)}
    if number % 3 == 0:
        made.turn(edited(number))
        read(sessions, made)
        assert living(sessions) == {lasting(600), stem(edited(number))}


def test_what_was_taken_back_stays_so_whatever_the_client_writes_next(sessions):
    made = opened(sessions)
    kept = made.last
    first = made.turn(said(2))
    reply = made.last
    made.leave(first)
    made.user("<task-notification>\n<summary>done</summary>\n</task-notification>")
    read(sessions, made)
    assert living(sessions) == {lasting(600)}
    made.last = reply
    made.assistant("Done at last.")  # a late record of the turn that was taken back
    made.last = kept
    made.turn("What does README say?")
    read(sessions, made)
    assert living(sessions) == {lasting(600)}


@pytest.mark.parametrize("leaf", ["last", "nowhere", "", None, 7])
def test_a_note_of_where_the_conversation_stands_takes_nothing_back(sessions, leaf):
    made = opened(sessions)
    made.turn(said(1))
    where = made.last if leaf == "last" else leaf
    heads = ({"type": "last-prompt", "leafUuid": where, "explicit": explicit} for explicit in (True, False, None))
    with made.path.open("a") as file:
        file.writelines(json.dumps(head) + "\n" for head in heads)
    read(sessions, made)
    assert living(sessions) == {lasting(600), stem(said(1))}


@pytest.mark.parametrize("number", range(8))
def test_a_record_of_the_clients_own_before_the_new_prompt_hides_no_branch(sessions, number):
    made = opened(sessions)
    first = made.turn(said(number))
    around(made, number)
    made.rewind(first)
    made.line({"type": "attachment", "attachment": {"type": "hook_success", "hookName": "SessionStart:resume"}})
    made.line({"type": "system", "subtype": "informational", "content": "x"})
    made.turn(edited(number))
    read(sessions, made)
    assert living(sessions) == {lasting(600), stem(edited(number))}


@pytest.mark.parametrize("number", VARIANTS)
def test_what_was_captured_before_is_taken_back_with_the_reason(sessions, number):
    made = opened(sessions)
    first = made.turn(said(number))
    around(made, number)
    sessions.hook("stop-extract", made) if number % 2 else read(sessions, made)
    read(sessions, made)
    assert living(sessions) == {lasting(600), stem(said(number))}
    made.rewind(first)
    made.turn("What does README say?" if number % 3 else edited(number))
    read(sessions, made)
    assert living(sessions) == {lasting(600)} | (set() if number % 3 else {stem(edited(number))})
    ((memory_id, reason),) = sessions.machine.sql("SELECT id, status_reason FROM memory WHERE status = 'deleted'")
    (entry,) = sessions.memory.history.audit(memory=memory_id, op="rewind")
    assert reason == "rewound" and entry.details == {"why": WHY}
    assert [version.reason for version in sessions.memory.history.history(memory_id)[1]] == ["rewound"]
    before = sessions.rows("*"), sessions.rows("*", "evidence")
    read(sessions, made)
    assert (sessions.rows("*"), sessions.rows("*", "evidence")) == before


@pytest.mark.parametrize("number", VARIANTS)
def test_a_prompt_that_was_mended_and_sent_again_is_said_once(sessions, number):
    text = UNSURE[number % 2].format(n=number)
    made = opened(sessions)
    first = made.user(text)
    if number % 3:
        read(sessions, made)
    made.rewind(first)
    made.turn(text.replace("We", "we").replace("Our", "our") if number % 4 == 0 else text)
    read(sessions, made)
    assert living(sessions) == {lasting(600)} and sessions.suggested == [stem(text)]
    made.turn(text)
    read(sessions, made)
    assert living(sessions) == {lasting(600)} and sessions.suggested == [stem(text)]
    other = opened(sessions, "session-2")
    other.turn(text)
    read(sessions, other)
    assert living(sessions) == {lasting(600), stem(text)}, "said again in earnest, it counts"
    assert sessions.suggested == []


@pytest.mark.parametrize("number", VARIANTS)
def test_a_fork_or_a_resumed_session_states_nothing_again(sessions, number):
    fresh = number % 4 in (1, 2)  # with each way of saying it, and with and without a compaction
    made = opened(sessions)
    made.turn(said(number))
    made.turn(UNSURE[number % 2].format(n=number))
    if number % 3 == 0:
        made.compact()
    read(sessions, made)
    before = sessions.rows("*"), sessions.rows("*", "evidence")
    other = made.fork(made.path.parent / "session-2.jsonl", "session-2", fresh)
    found = read(sessions, other)
    assert (found.new, found.reinforced) == ([], [])
    assert (sessions.rows("*"), sessions.rows("*", "evidence")) == before
    other.turn(lasting(number))
    read(sessions, other)
    assert lasting(number) in living(sessions)
    made.turn(said(number))
    read(sessions, made)
    assert not sessions.memory.history.audit(op="rewind")


@pytest.mark.parametrize("number", range(6))
def test_what_a_fork_holds_is_known_until_it_is_taken_back_there_too(sessions, number):
    text = said(number) if number % 2 else UNSURE[0].format(n=number)
    made = opened(sessions)
    first = made.turn(text)
    read(sessions, made)
    other = made.fork(made.path.parent / "session-2.jsonl", "session-2")
    other.turn("What does README say?")
    read(sessions, other)
    made.rewind(first)
    made.turn("What does CHANGES say?")
    read(sessions, made)
    assert stem(text) in living(sessions).union(sessions.suggested)
    assert not sessions.memory.history.audit(op="rewind")
    other.rewind(first)
    other.turn("What does NOTES say?")
    read(sessions, other)
    assert living(sessions) == {lasting(600)} and sessions.suggested == []


@pytest.mark.parametrize("gone", ["file", "elsewhere"])
def test_a_fork_that_is_not_there_holds_nothing(sessions, gone):
    made = opened(sessions)
    first = made.turn(said(0))
    read(sessions, made)
    folder = made.path.parent / "other" if gone == "elsewhere" else made.path.parent
    folder.mkdir(exist_ok=True)
    other = made.fork(folder / "session-2.jsonl", "session-2")
    read(sessions, other)
    if gone == "file":
        other.path.unlink()
    made.rewind(first)
    made.turn("What does CHANGES say?")
    read(sessions, made)
    assert living(sessions) == {lasting(600)}


PERSONS = {
    "pinned": lambda memory, one: memory.pin(one),
    "revised": lambda memory, one: memory.revise(one, "Our staging host is stage99.example.com"),
    "rated": lambda memory, one: memory.rate(one, "up"),
}


@pytest.mark.parametrize("what", PERSONS)
def test_what_a_person_has_taken_up_since_stays(sessions, what):
    made = opened(sessions)
    first = made.turn(said(0))
    read(sessions, made)
    ((memory_id,),) = sessions.machine.sql("SELECT id FROM memory WHERE content LIKE 'Our staging%'")
    PERSONS[what](sessions.memory, memory_id)
    made.rewind(first)
    made.turn("What does README say?")
    read(sessions, made)
    assert sessions.machine.sql(f"SELECT status FROM memory WHERE id = '{memory_id}'") == [("active",)]
    assert not sessions.memory.history.audit(op="rewind")


@pytest.mark.parametrize("number", VARIANTS)
def test_what_another_session_states_as_well_loses_this_evidence_alone(sessions, number):
    other, made = opened(sessions, "session-0"), opened(sessions)
    other.turn(said(number))
    first = made.turn(said(number))
    order = [other, made] if number % 2 else [made, other]
    read(sessions, order[0])
    before = sessions.machine.sql("SELECT content, confidence FROM memory ORDER BY content")
    read(sessions, order[1])
    made.rewind(first)
    made.turn("What does README say?")
    read(sessions, made)
    once = dict(before)
    now = dict(sessions.machine.sql("SELECT content, confidence FROM memory WHERE status = 'active'"))
    assert now.keys() == {lasting(600), stem(said(number))}
    assert now[stem(said(number))] == pytest.approx(once[stem(said(number))])
    assert now[lasting(600)] > once[lasting(600)], "said in both"
    rows = sessions.machine.sql("SELECT e.session_id, e.excerpt FROM evidence e")
    assert [session for session, text in rows if text == said(number)] == ["session-0"]


@pytest.mark.parametrize("number", range(6))
def test_what_every_session_has_taken_back_is_not_known(sessions, number):
    talks = [opened(sessions, "session-0"), opened(sessions)]
    firsts = [made.turn(said(number)) for made in talks]
    for made in talks:
        read(sessions, made)
    for made, first in zip(talks, firsts, strict=True):
        assert stem(said(number)) in living(sessions)
        made.rewind(first)
        made.turn("What does README say?")
        read(sessions, made)
    assert living(sessions) == {lasting(600)}


def planned(made: Transcript, text: str) -> str:
    """A plan that the user approved, with a statement that stands in what the assistant has read; the prompt before."""
    prompt, plan = made.user("Make a plan"), f"# Plan\n\n- {text}\n"
    made.result("WebFetch", {"url": "https://example.com"}, f"{text}.")
    made.result("ExitPlanMode", {"plan": plan}, "approved", toolUseResult={"plan": plan, "isAgent": False})
    made.assistant("Done.")
    return prompt


def trusts(sessions: Sessions) -> dict[object, object]:
    return dict(sessions.machine.sql("SELECT content, trust FROM memory WHERE status = 'active'"))


def taken_back(sessions: Sessions, made: Transcript, prompt: str) -> None:
    made.rewind(prompt)
    made.turn("What does README say?")
    read(sessions, made)


@pytest.fixture
def said_by_both(sessions) -> Callable[[int], tuple[Transcript, str, Transcript, str]]:
    """The user says a statement in a session, and a plan in another one says it again: both, with the prompts."""

    def of(number: int) -> tuple[Transcript, str, Transcript, str]:
        own, other = opened(sessions, "session-0"), opened(sessions)
        prompt = own.turn(lasting(number))
        plan = planned(other, lasting(number))
        for made in (own, other):
            read(sessions, made)
        assert trusts(sessions) == {lasting(600): "trusted", lasting(number): "trusted"}
        assert sessions.suggested == [] == sessions.memory.review.quarantined()
        return own, prompt, other, plan

    return of


@pytest.mark.engine
@pytest.mark.parametrize("number", range(4))
def test_what_may_be_anothers_words_waits_when_the_users_own_are_taken_back(sessions, said_by_both, number):
    own, prompt, other, plan = said_by_both(number)
    taken_back(sessions, own, prompt)
    assert trusts(sessions) == {lasting(600): "trusted", lasting(number): "quarantined"}
    before = sessions.rows("*"), sessions.rows("*", "evidence")
    for made in (own, other):
        read(sessions, made)
    assert (sessions.rows("*"), sessions.rows("*", "evidence")) == before
    if number % 2:
        own.turn(lasting(number))
        read(sessions, own)
        assert trusts(sessions) == {lasting(600): "trusted", lasting(number): "trusted"}
    else:
        taken_back(sessions, other, plan)
        assert trusts(sessions) == {lasting(600): "trusted"}


def test_what_may_be_anothers_words_and_was_taken_back_first_is_gone(sessions, said_by_both):
    own, prompt, other, plan = said_by_both(3)
    taken_back(sessions, other, plan)
    assert trusts(sessions) == {lasting(600): "trusted", lasting(3): "trusted"}
    taken_back(sessions, own, prompt)
    assert trusts(sessions) == {lasting(600): "trusted"}


def test_a_fork_of_what_may_be_anothers_words_still_says_it(sessions, said_by_both):
    own, prompt, other, plan = said_by_both(5)
    fork = other.fork(other.path.parent / "session-2.jsonl", "session-2")
    fork.turn("What does CHANGES say?")
    read(sessions, fork)
    taken_back(sessions, other, plan)
    taken_back(sessions, own, prompt)
    assert trusts(sessions) == {lasting(600): "trusted", lasting(5): "quarantined"}
    taken_back(sessions, fork, plan)
    assert trusts(sessions) == {lasting(600): "trusted"}


def test_what_may_be_anothers_words_waits_14_days_for_the_users_own_to_be_taken_back(sessions, said_by_both):
    own, prompt, other, _ = said_by_both(7)
    sessions.now += 15 * 86_400
    sessions.memory.maintenance.maintain()
    taken_back(sessions, own, prompt)
    read(sessions, other)
    assert trusts(sessions) == {lasting(600): "trusted"}


def test_what_may_be_anothers_words_stays_undone_with_its_session(sessions, said_by_both):
    own, prompt, other, _ = said_by_both(8)
    sessions.memory.history.undo(other.session)
    taken_back(sessions, own, prompt)
    assert trusts(sessions) == {lasting(600): "trusted"}


@pytest.mark.engine
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 3, 2, 1), (2, 0, 3, 1), (3, 1, 0, 2)])
def test_what_the_user_had_made_sure_waits_again_with_all_who_said_it(sessions, order):
    rival, text = "We use npm in the front package", "We moved from npm to pnpm in the front package"
    before = opened(sessions, "session-9")
    before.turn(rival)
    talks = [opened(sessions, f"session-{number}") for number in range(4)]
    prompts = [made.turn(text) if number in (1, 2) else planned(made, text) for number, made in enumerate(talks)]
    for made in (before, *(talks[number] for number in order)):
        read(sessions, made)
    assert trusts(sessions) == {lasting(600): "trusted", text: "trusted"}
    taken_back(sessions, talks[1], prompts[1])
    assert trusts(sessions) == {lasting(600): "trusted", text: "trusted"}
    taken_back(sessions, talks[2], prompts[2])
    assert trusts(sessions) == {lasting(600): "trusted", rival: "trusted", text: "quarantined"}
    (hit,) = sessions.memory.review.quarantined()
    assert "was read" in hit.memory.status_reason
    assert sorted(session for session, *_ in hit.evidence) == ["session-0", "session-3"]


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1)])
def test_what_the_user_had_made_sure_waits_again_when_all_of_it_is_undone(sessions, order):
    talks = [opened(sessions, f"session-{number}") for number in range(3)]
    planned(talks[0], lasting(9))
    for made in talks[1:]:
        made.turn(lasting(9))
    for number in order:
        read(sessions, talks[number])
    sessions.memory.history.undo("session-1")
    assert trusts(sessions) == {lasting(600): "trusted", lasting(9): "trusted"}
    sessions.memory.history.undo("session-2")
    assert trusts(sessions) == {lasting(600): "trusted", lasting(9): "quarantined"}
    assert len(sessions.memory.review.quarantined()) == 1


@pytest.mark.parametrize("way", ["pin", "trust"])
def test_what_a_person_has_confirmed_is_trusted_when_the_users_own_words_are_taken_back(sessions, way):
    other, own = opened(sessions, "session-0"), opened(sessions)
    planned(other, lasting(9))
    read(sessions, other)
    if way == "trust":
        sessions.memory.review.trust(sessions.memory.review.quarantined()[0].memory.id)
    prompt = own.turn(lasting(9))
    read(sessions, own)
    if way == "pin":
        ((memory_id,),) = sessions.machine.sql(f"SELECT id FROM memory WHERE content = '{lasting(9)}'")
        sessions.memory.pin(memory_id)
    taken_back(sessions, own, prompt)
    assert trusts(sessions) == {lasting(600): "trusted", lasting(9): "trusted"}


def test_what_a_prompt_superseded_holds_again_when_it_is_taken_back(sessions):
    made = opened(sessions)
    made.turn("We decided to use Redis for sessions.")
    first = made.turn("We no longer use Redis for sessions.")
    read(sessions, made)
    assert "We decided to use Redis for sessions" not in living(sessions)
    made.rewind(first)
    made.turn("What does README say?")
    read(sessions, made)
    assert living(sessions) == {lasting(600), "We decided to use Redis for sessions"}


def test_what_was_forgotten_stays_forgotten_on_every_branch(sessions):
    made = opened(sessions)
    first = made.turn(said(0))
    end = made.last
    read(sessions, made)
    ((memory_id,),) = sessions.machine.sql("SELECT id FROM memory WHERE content LIKE 'Our staging%'")
    sessions.memory.forget(memory_id)
    made.rewind(first)
    made.turn("What does README say?")
    read(sessions, made)
    made.last = end
    made.turn("And what does CHANGES say?")
    read(sessions, made)
    assert living(sessions) == {lasting(600)}


def test_what_a_branch_said_is_known_again_when_the_user_returns_to_it(sessions):
    made = opened(sessions)
    first = made.turn(said(0))
    end = made.last
    read(sessions, made)
    made.rewind(first)
    made.turn(edited(0))
    read(sessions, made)
    made.last = end
    made.turn("What does README say?")
    read(sessions, made)
    assert living(sessions) == {lasting(600), stem(said(0))}


@pytest.mark.parametrize("number", range(4))
def test_who_goes_back_leaves_and_returns_is_known_to_have_said_it(sessions, number):
    made = opened(sessions)
    first = made.turn(said(number))
    if number % 2:
        made.turn(lasting(number))
    end = made.last
    read(sessions, made)
    made.leave(first)
    read(sessions, made)
    assert living(sessions) == {lasting(600)}
    made.last = end
    made.turn("What does README say?")
    read(sessions, made)
    assert living(sessions) == {lasting(600), stem(said(number))} | ({lasting(number)} if number % 2 else set())


def test_calls_of_a_branch_that_was_left_are_not_observed(sessions):
    made = opened(sessions)
    made.tool("Bash", {"command": "make test"})
    first = made.user("Try something else")
    made.tool("Bash", {"command": "rm -r build"})
    sessions.hook("stop-extract", made)
    made.rewind(first)
    made.user("Leave it")
    made.tool("Bash", {"command": "make lint"})
    sessions.hook("stop-extract", made)
    read(sessions, made)
    commands = [command for (command,) in sessions.rows("command", "observation") if command]
    assert commands == ["make test", "make lint"]


def test_a_summary_quotes_the_prompt_that_was_sent_in_the_end(sessions):
    made = Transcript(sessions.machine.root / "transcripts" / "session-1.jsonl", sessions.machine.project, linked=True)
    made.start()
    first = made.turn("Fix the login of the shop")
    read(sessions, made)
    made.rewind(first)
    made.user("Fix the logout of the shop")
    for name in ("a.py", "b.py"):
        made.tool("Edit", {"file_path": f"{made.cwd}/{name}", "old_string": "a", "new_string": "b"})
    sessions.end(made)
    ((title, content),) = sessions.rows("title, content")
    assert "logout" in title + content and "login" not in title + content


LOST = {
    "no parents": lambda record: {**record, "parentUuid": None},
    "parents that are not there": lambda record: {**record, "parentUuid": "00000000-0000-4000-8000-000000000000"},
    "no uuids of the client's own records": lambda record: {
        key: value for key, value in record.items() if key != "uuid" or record["type"] in ("user", "assistant")
    },
    "meta prompts": lambda record: {**record, "promptSource": None},
}


@pytest.mark.parametrize("what", LOST)
def test_a_broken_transcript_loses_nothing(sessions, what):
    made = opened(sessions)
    for number in range(6):
        made.turn(said(number))
        around(made, number)
    lines = [json.loads(line) for line in made.path.read_text().splitlines()]
    made.path.write_text("".join(json.dumps(LOST[what](record)) + "\n" for record in lines))
    read(sessions, made)
    assert living(sessions) == {lasting(600), *(stem(said(number)) for number in range(6))}


def test_a_reading_looks_at_the_whole_file_only_when_the_conversation_turns_back(sessions):
    made = opened(sessions)
    for number in range(30):
        made.turn(lasting(number))
    read(sessions, made)
    last = made.turn("What does README say?")
    assert of_whole_file(sessions, made) is False
    read(sessions, made)
    made.rewind(last)
    made.turn("What does CHANGES say?")
    assert of_whole_file(sessions, made) is True
    read(sessions, made)
    made.turn("Thanks")
    assert of_whole_file(sessions, made) is False


def of_whole_file(sessions: Sessions, made: Transcript) -> bool:
    columns = "cursor_offset, cursor_uuid, cursor_digest, carry_offset"
    ((offset, record, digest, carry),) = sessions.machine.sql(f"SELECT {columns} FROM session")
    with made.path.open("rb") as file:
        return not branches_of(file, Cursor(offset, record, digest, carry)).leaf


POOL = [
    *(lasting(number) for number in (3, 40, 77)),
    "We usually deploy the shop on Tuesdays.",
    "The worker uses a queue of 40 jobs.",
    "Thanks, that looks right.",
]
RIVALS = ["We use npm in the front package.", "We moved from npm to pnpm in the front package."]
UNSAYS = [
    "Forget it.",
    "Scratch that, I spoke too soon.",
    "Forget what I said about the queue.",
    "Forget the shop rule.",
    "I take that back.",
    "No, forget that.",
    "Ignore my last message.",
    "Never mind what I said about the worker.",
    "Outdated: the worker uses a queue of 40 jobs.",
    "No, we usually deploy the shop on Fridays.",
    "Sorry, I meant Wednesdays.",
]
STATE = """
SELECT m.content, m.kind, m.tier, m.trust, m.confidence, e.record_uuid, e.session_id, e.excerpt
FROM memory m JOIN evidence e ON e.memory_id = m.id WHERE m.status = 'active' ORDER BY m.content, e.record_uuid
"""
SUGGESTED = "SELECT text, kind, state, record_uuid, session_id, excerpt FROM suggestion ORDER BY said_at, id"


def grown(made: Transcript, chance: random.Random, steps: int, unsays: list[str]) -> list[int]:
    """Lets a conversation grow in any way; the sizes of the file on the way. One half returns to branches that were
    left, the other says what takes back what was said.
    """
    sizes, ends = [], [made.start()]
    returns = chance.random() < 0.5
    pool = POOL + unsays if returns else POOL + RIVALS + unsays
    for _ in range(steps):
        step = chance.random()
        if step < 0.55 or not made.prompts:
            made.turn(chance.choice(pool))
        elif step < 0.8:
            there = made.prompts if returns else [one for one in made.prompts if one in made.chain()]
            made.rewind(chance.choice(there[-3:] if step < 0.72 else there))
            made.turn(chance.choice(pool))
        elif step < 0.88 and returns:
            made.last = chance.choice(ends)
            made.turn(chance.choice(pool))
        elif step < 0.9:
            text = made.path.read_text().splitlines(keepends=True)
            made.path.write_text("".join([*text, *text[: chance.randrange(len(text))]]))
        else:
            around(made, chance.randrange(7))
        ends.append(made.last)
        sizes.append(made.path.stat().st_size)
    return sizes


@pytest.mark.parametrize("unsays", [[], UNSAYS], ids=["", "in words"])
@pytest.mark.parametrize("seed", [*range(20), 206, 278, 3006, 5038, 40023])  # some that once failed
def test_however_a_transcript_is_cut_the_same_is_known_in_the_end(tmp_path, seed, unsays):
    chance = random.Random(seed)
    whole = Transcript(tmp_path / "whole" / "session-1.jsonl", tmp_path, linked=True)
    sizes = grown(whole, chance, 14, unsays)
    data = whole.path.read_bytes()
    states = []
    for name, cuts in (("once", [len(data)]), ("cut", [*sorted(chance.sample(sizes, 6)), len(data), len(data)])):
        sessions = Sessions(Machine(tmp_path / name))
        made = Transcript(tmp_path / "as read" / "session-1.jsonl", tmp_path, linked=True)
        for cut in cuts:
            made.path.write_bytes(data[: cut + chance.choice((0, -7)) * (cut < len(data))])
            read(sessions, made)
        states.append(sessions.machine.sql(STATE) + sessions.machine.sql(SUGGESTED))
        other = Path(made.path.parent / f"{name}.jsonl")
        other.write_bytes(data.replace(b'"session-1"', b'"session-9"'))
        sessions.memory.capture.capture(str(other))
        assert sessions.machine.sql(STATE) + sessions.machine.sql(SUGGESTED) == states[-1], (
            "a resumed session states nothing again"
        )
    assert states[0] == states[1]
