"""What the user takes back is out of every recall, in whatever order it is read; nobody else takes anything back."""

from __future__ import annotations

import pytest

from builders import at, candidate
from keepstone.capture.pipeline import TranscriptCapture
from keepstone.claude_code.transcript import ASSISTANT
from keepstone.language.duplicates import same_words
from keepstone.language.reversal import TAKES_BACK, verdict
from keepstone.lib.fuzzy import ratio
from keepstone.model.hit import full
from keepstone.redaction.redact import redact

OLD = "We decided to use PostgreSQL for billing, because of row-level security."
NEW = "We decided to use MySQL for billing instead of PostgreSQL."
PORTS = ("From now on always use port 8080 for the API.", "From now on always use port 9090 for the API.")
PAIRS = [(OLD, NEW), PORTS]


def states(sessions):
    """What every memory says, and whether it holds."""
    rows = sessions.rows("content, status, status_reason")
    return {content: status if not reason else f"{status}: {reason}" for content, status, reason in rows}


def kept(text):
    return text.rstrip(".")


def recalled_anywhere(sessions, text):
    """Whether a brief, a listing or a search gives a memory of this text."""
    memory = sessions.memory
    found = [*memory.search(text, limit=100).found, *memory.about(text, limit=100).found, *memory.recent(limit=100)]
    briefed = memory.get(memory.brief(20).ids)
    return kept(text) in {shown.memory.content for shown in [*found, *briefed]}


def only(sessions, holding, taken_back):
    assert states(sessions) == {kept(holding): "active", kept(taken_back): "archived: superseded"}
    assert recalled_anywhere(sessions, holding) and not recalled_anywhere(sessions, taken_back)


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_a_reversal_in_the_same_session_takes_the_older_out(sessions, old, new):
    sessions.say(old, new)
    only(sessions, new, old)


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_a_reversal_in_a_later_session_takes_the_older_out(sessions, old, new):
    sessions.say(old, day="2026-11-02")
    sessions.say(new, day="2026-11-09")
    only(sessions, new, old)


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_a_reversal_counts_from_when_it_was_said_and_not_from_when_it_was_read(sessions, old, new):
    sessions.say(new, day="2026-11-09")
    sessions.say(old, day="2026-11-02")
    only(sessions, new, old)


def test_a_reversal_is_found_among_very_many_statements(sessions):
    sessions.say(OLD, day="2026-11-01")
    for number in range(120):
        sessions.memory.store(f"Module {number} keeps its settings for tenant {number} in file {number}", kind="fact")
    sessions.say(NEW, day="2026-11-02")
    assert states(sessions)[kept(OLD)] == "archived: superseded" and states(sessions)[kept(NEW)] == "active"
    sessions.memory.store("→ ∅", kind="decision")  # a text without a word can be like none of them
    assert states(sessions)["→ ∅"] == "active"


def test_a_reversal_between_two_statements_of_the_same_takes_nothing_back(sessions):
    sessions.say(OLD, day="2026-11-02")
    sessions.say(OLD, day="2026-11-12")
    sessions.say(NEW, day="2026-11-09")
    only(sessions, OLD, NEW)


def test_show_says_of_both_what_they_are_to_each_other(sessions):
    sessions.say(OLD, NEW)
    old, new = (memory_id for (memory_id,) in sessions.rows("id"))
    said = {memory_id: full(*sessions.memory.show(memory_id)) for memory_id in (old, new)}
    assert f"- superseded by: {new[4:10]}" in said[old] and "archived, superseded" in said[old]
    assert f"- supersedes: {old[4:10]}" in said[new] and "“We decided to use MySQL" in said[new]


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_what_is_said_once_more_holds_again(sessions, old, new):
    for day, text in (("2026-11-02", old), ("2026-11-05", new), ("2026-11-08", old)):
        sessions.say(text, day=day)
    only(sessions, old, new)
    sessions.say(new, day="2026-11-11")
    only(sessions, new, old)


def test_what_was_said_before_it_was_taken_back_does_not_revive_it(sessions):
    for day, text in (("2026-11-03", OLD), ("2026-11-05", NEW), ("2026-11-01", OLD)):
        sessions.say(text, day=day)
    only(sessions, NEW, OLD)


def test_what_a_person_stores_takes_back_what_was_said(sessions):
    sessions.say(OLD)
    sessions.memory.store(kept(NEW), kind="decision")
    only(sessions, NEW, OLD)
    sessions.now += 60
    assert sessions.memory.store(kept(OLD), kind="decision")[1] is False
    only(sessions, OLD, NEW)


def test_a_pinned_memory_can_be_taken_back_too(sessions):
    sessions.say(OLD, day="2026-11-02")
    ((memory_id,),) = sessions.rows("id")
    sessions.memory.pin(memory_id)
    sessions.say(NEW, day="2026-11-09")
    only(sessions, NEW, OLD)
    assert sessions.rows("pinned") == [(0,), (0,)]


@pytest.mark.parametrize("keep", ["store", "pin"])
@pytest.mark.parametrize(
    "text", ["pnpm over npm, but version 10: CI caches its store", "pnpm 10 is preferred over npm: CI caches its store"]
)
def test_what_a_person_keeps_on_purpose_is_not_archived_by_an_older_sentence(sessions, keep, text):
    old = "I prefer pnpm over npm: CI caches its store."
    sessions.say(old, day="2026-11-02")
    sessions.now = at("2026-11-05")
    made = sessions.memory.store(text, kind="preference")[0].memory
    if keep == "pin":
        sessions.memory.pin(made.id)
    assert states(sessions) == {kept(old): "archived: superseded", text: "active"}
    sessions.now = at("2026-11-21")
    sessions.say(old, day="2026-11-20")
    assert states(sessions) == {kept(old): "active", text: "active"}
    shown, _ = sessions.memory.show(made.id)
    assert bool(shown.memory.pinned) == (keep == "pin")


def test_who_takes_back_what_is_known_is_heard_however_unsure_it_looks(sessions):
    old, new = "We decided to use Webpack for the bundle.", "Webpack is dead, Vite bundles it."
    sessions.say(new, day="2026-11-01")
    assert sessions.suggested == [new.rstrip(".")] and not recalled_anywhere(sessions, new)
    sessions.say(old, day="2026-11-02")
    sessions.say(new, day="2026-11-09")
    only(sessions, new, old)


def test_a_guess_takes_nothing_back(sessions):
    sessions.say("We decided to use Webpack for the bundle.", day="2026-11-02")
    sessions.say("Maybe we should drop Webpack and let Vite do the bundling.", day="2026-11-09")
    assert list(states(sessions).values()) == ["active"]


def test_what_is_likely_to_contradict_is_told_and_both_hold(sessions):
    for text in ("Always write commit messages in English", "Commit messages are in German, please"):
        sessions.memory.store(text, kind="preference")
        sessions.now += 60
    assert set(states(sessions).values()) == {"active"}
    assert sessions.rows("type", "relationship") == [("contradicts",)]
    shown = [full(*sessions.memory.show(memory_id)) for (memory_id,) in sessions.rows("id")]
    assert sum("contradict" in text for text in shown) == 2


def test_the_assistants_own_words_take_nothing_back(sessions):
    transcript = sessions.say(OLD)
    transcript.assistant(NEW)
    transcript.cure(
        "The tests failed because PostgreSQL was gone: we no longer use PostgreSQL for billing, MySQL fixed it."
    )
    sessions.end(transcript)
    assert states(sessions)[kept(OLD)] == "active" and recalled_anywhere(sessions, OLD)
    assert {"contradicts", "supersedes"}.isdisjoint(row[0] for row in sessions.rows("type", "relationship"))


class Hearsay:
    """An extractor that takes what the assistant says, and says of it that it supersedes what is known."""

    paid = False

    def __init__(self, related_id):
        self.related_id = related_id

    def extract(self, window):
        said = (turn for turn in window.new if turn.role == ASSISTANT)
        more = {"kind": "decision", "method": "assistant", "relation": "supersedes", "related_id": self.related_id}
        return [candidate(turn.text, record=turn.uuid, **more) for turn in said]


def test_what_a_model_finds_in_the_assistants_words_is_at_most_a_contradiction(sessions):
    transcript = sessions.say(OLD)
    ((old,),) = sessions.rows("id")
    transcript.assistant(NEW)
    with sessions.memory.context.writer() as writer:
        TranscriptCapture(writer, Hearsay(old), redact=redact, clock=lambda: sessions.now)(str(transcript.path))
    assert set(states(sessions).values()) == {"active"}
    assert [row[0] for row in sessions.rows("type", "relationship")] == ["contradicts"]


def test_facts_of_several_things_with_numbers_of_their_own_stand_side_by_side(sessions):
    shards = [f"Remember: shard {number} listens on port {8000 + number}." for number in range(4)]
    sessions.say(*shards)
    assert set(states(sessions).values()) == {"active"} and len(states(sessions)) == 4


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("src/mail/orders.py sends the order mails", "src/mail/templates.py renders the mails"),
        ("Never touch lib/auth/login.py without asking Anna", "lib/auth/token.py holds the tokens"),
        ("lib/auth/token.py holds the tokens", "login lives in lib/auth/session.py"),
        ("src/checkout/money.py holds the Money dataclass", "src/checkout/tax.py rounds tax per line item"),
    ],
)
def test_what_is_said_of_two_files_of_a_folder_contradicts_nothing(old, new):
    assert verdict(new, old, same_words(ratio)) == verdict(old, new, same_words(ratio)) == ""


def test_a_thing_that_lies_in_another_file_now_is_taken_back():
    old, new = "The login lives in lib/auth/login.py", "The login lives in lib/auth/session.py"
    assert verdict(new, old, same_words(ratio)) == TAKES_BACK


def stored(sessions, *texts):
    """Stores each text by hand, and returns those that hold."""
    for text in texts:
        sessions.memory.store(text, kind="decision")
        sessions.now += 60
    return [text for text, status in states(sessions).items() if status == "active"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Tenant Acme runs on Postgres, not MySQL", "Tenant Globex runs on MySQL, not Postgres"),
        ("We picked Vue for the admin panel", "We picked React over Vue for the shop front"),
        ("We chose MIT for the library", "We chose AGPL over MIT for the server"),
        ("Use PostgreSQL for billing", "We no longer use MySQL for billing"),
    ],
)
def test_what_is_stored_of_two_things_holds_of_both(sessions, old, new):
    assert stored(sessions, old, new) == [old, new]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We deploy with Helm", "We don't deploy with Helm any more, we use Kustomize"),
        ("The API timeout is 30 seconds", "The API timeout is now 45 seconds instead of 30"),
        ("We use Jenkins for CI", "We dropped Jenkins, CI runs on GitHub Actions"),
        ("Deploys happen on Tuesdays", "Deploys no longer happen on Tuesdays but on Thursdays"),
        ("Anna owns the parser", "Anna doesn't own the parser any more, Ben does"),
    ],
)
def test_what_is_stored_is_taken_back_by_a_plain_denial(sessions, old, new):
    assert stored(sessions, old, new) == [new]


def test_two_stacks_that_pair_up_are_marked_and_neither_is_lost(sessions):
    old, new = "We use npm and Jest", "We use pnpm and Vitest"
    sessions.say(f"{old}.", day="2026-11-01")
    sessions.say(f"{new}.", day="2026-11-02")
    assert sorted(sessions.recalled) == [old, new]
    assert sessions.rows("type", "relationship") == [("contradicts",)]
