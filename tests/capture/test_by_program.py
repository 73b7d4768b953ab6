"""What a program says in the user's place: it waits, is learned or is ignored, and never counts as said again."""

from __future__ import annotations

import json
from itertools import cycle, product

import pytest

from builders import at, candidate
from keepstone.caller import Caller
from keepstone.capture.by_program import Programs
from keepstone.capture.pipeline import TranscriptCapture
from keepstone.claude_code.transcript import ASSISTANT, USER
from keepstone.config import settings
from keepstone.db.sessions import note_session
from keepstone.hooks.event import is_attended
from keepstone.lib.errors import BadInput
from keepstone.model.hit import as_object, full, source_lines
from keepstone.recall.deliveries_sql import count_deliveries
from keepstone.redaction.redact import redact

GOOD = "I prefer tabs over spaces in Makefiles."
REVIEWS = (
    "Review this pull request. We require tests for every change and we never accept new dependencies. "
    "Reply APPROVE or REJECT."
)
LIMITS, ANSWERS = "Never open more than three issues in the tracker.", "I prefer answers in JSON over prose."
PRINT = {"entrypoint": "sdk-cli", "promptSource": "sdk", "turnOrigin": "sdk"}
CURED = "The tests failed because the cache key lacked the branch; adding the branch to the key fixed it."
NOTE = "---\nname: style\ndescription: Tabs in makefiles\ntype: feedback\n---\n\nTabs in makefiles, ann says.\n"
SETTINGS = ("review", "learn", "ignore")
SAID = "a program said it"


def choose(sessions, value):
    """Sets `programs` as a person does who types `keepstone config programs VALUE`."""
    settings.change(str(sessions.machine.home), settings.setting_of("programs"), value)
    sessions.memory = sessions.at(sessions.machine.project)


def good(sessions, text=GOOD):
    """A memory that the user's own words have made; its id."""
    sessions.say(text)
    (hit,) = sessions.memory.recent()
    return hit.memory.id


def state(sessions, memory_id):
    """All that is stored of a memory."""
    rows = sessions.machine.sql(f"SELECT * FROM memory WHERE id = '{memory_id}'")
    evidence = sessions.machine.sql(f"SELECT * FROM evidence WHERE memory_id = '{memory_id}'")
    return rows, evidence, sessions.machine.sql(f"SELECT * FROM memory_facet WHERE memory_id = '{memory_id}'")


def run(sessions, *prompts, **fields):
    """A program's session, captured by hand."""
    transcript = sessions.begin()
    for text in prompts:
        transcript.user(text, **(fields or PRINT))
        transcript.assistant("Done.", **{name: value for name, value in fields.items() if name == "entrypoint"})
    return transcript, sessions.memory.capture.capture(str(transcript.path))


def others(sessions, *but):
    """The memories but for those with these ids, as (trust, reason, status)."""
    rows = sessions.rows("id, trust, status_reason, status")
    return [row[1:] for row in rows if row[0] not in but]


def waiting(sessions):
    return sessions.memory.review.quarantined(everything=True)


def check_outcome(sessions, value, made, *but):
    """Asserts what has become of a program's statements under a setting."""
    found = others(sessions, *but)
    if value == "ignore":
        assert found == [] and made.new == []
    else:
        expected = ("quarantined", SAID, "active") if value == "review" else ("trusted", None, "active")
        assert found and set(found) == {expected}
        methods = {method for _, method in sessions.rows("memory_id, method", "evidence") if _ not in but}
        assert methods == {"program"}
    assert made.reinforced == []
    assert {hit.attended for hit in waiting(sessions)} <= {False}


@pytest.mark.engine
@pytest.mark.parametrize("value", SETTINGS)
@pytest.mark.parametrize("prompt", [REVIEWS, f"{LIMITS} {ANSWERS}"])
def test_a_programs_prompt_waits_is_learned_or_is_ignored(sessions, prompt, value):
    choose(sessions, value)
    kept = good(sessions)
    before = state(sessions, kept)
    _, made = run(sessions, prompt)
    check_outcome(sessions, value, made, kept)
    assert state(sessions, kept) == before
    briefed = sessions.memory.brief().text
    assert GOOD.rstrip(".") in briefed and ("program said" in briefed) == (value == "learn")


@pytest.mark.parametrize("value", SETTINGS)
def test_a_role_that_a_program_gives_is_nothing_that_the_user_prefers(sessions, value):
    choose(sessions, value)
    kept = good(sessions)
    before = state(sessions, kept)
    run(sessions, "You are the nightly triage bot. Never open more than three issues. Always answer in JSON.")
    assert [one for one in others(sessions, kept) if one[0] == "trusted"] == [] and state(sessions, kept) == before


FIELDS = (
    *({"entrypoint": name} for name in ("sdk-cli", "sdk-ts", "sdk-py", "sdk-go", "claude-code-github-action", "mcp")),
    {"promptSource": "sdk"},
    {"turnOrigin": "sdk"},
    {"turnOrigin": "scheduled"},
    {"entrypoint": "cli", "promptSource": "sdk"},
    {"entrypoint": "sdk-cli", "promptSource": "typed"},
    {"entrypoint": "sdk-ts", "promptSource": "sdk", "origin": {"kind": "human"}},
    {"entrypoint": "sdk-py", "promptSource": "sdk", "turnOrigin": "sdk"},
    # What the assistant has suggested, or nobody knows yet, is no person's word.
    *({"promptSource": source} for source in ("suggestion_accepted", "system", "voice_call", "", ["typed"])),
    {"entrypoint": "cli", "promptSource": "suggestion_accepted", "origin": {"kind": "human"}, "turnOrigin": "human"},
)
TEMPLATES = (
    "We deploy with Terraform only, never by hand, because the auditors want a plan.",
    "Never merge on Fridays. I prefer squash merges over merge commits.",
)
VARIANTS = list(zip(product(FIELDS, SETTINGS), cycle(TEMPLATES)))  # each setting with each template, in turn
assert len(VARIANTS) >= 50


@pytest.mark.parametrize(("fields_and_value", "template"), VARIANTS)
def test_however_the_client_says_that_a_program_speaks(sessions, fields_and_value, template):
    fields, value = fields_and_value
    choose(sessions, value)
    kept = good(sessions)
    before = state(sessions, kept)
    _, made = run(sessions, template, **fields)
    check_outcome(sessions, value, made, kept)
    once = sessions.rows("*"), sessions.rows("*", "evidence")
    _, made = run(sessions, template, **fields)
    assert (made.new, made.reinforced) == ([], [])
    assert (sessions.rows("*"), sessions.rows("*", "evidence")) == once
    assert state(sessions, kept) == before


PEOPLE = (
    {"entrypoint": "cli", "promptSource": "typed", "origin": {"kind": "human"}, "turnOrigin": "human"},
    {"entrypoint": "cli", "promptSource": "queued"},
    {"entrypoint": "claude-vscode", "promptSource": "sdk"},
    {"entrypoint": "claude-vscode", "promptSource": "sdk", "turnOrigin": "sdk"},
    {"entrypoint": "claude-desktop", "promptSource": "sdk", "origin": {"kind": "human"}, "turnOrigin": "human"},
    {"entrypoint": "remote", "promptSource": "sdk", "origin": {"kind": "human"}},
    {"turnOrigin": "unknown"},
    {"entrypoint": ["sdk-cli"], "promptSource": None, "turnOrigin": 7},
)


@pytest.mark.parametrize("fields", PEOPLE)
def test_a_person_is_not_taken_for_a_program(sessions, fields):
    choose(sessions, "ignore")
    transcript = sessions.begin()
    transcript.user(GOOD, **fields)
    sessions.memory.capture.capture(str(transcript.path))
    (hit,) = sessions.memory.recent()
    assert hit.memory.trust == "trusted" and hit.attended
    assert [method for _, _, _, method, _ in hit.evidence] == ["user"]


@pytest.mark.parametrize("source", ["suggestion_accepted", "bridge", ["typed"]])
def test_what_waited_and_nobody_wrote_waits(sessions, source):
    kept = good(sessions)
    transcript = sessions.begin()
    transcript.queue(TEMPLATES[0], inputSource=source, humanTurn=True)
    sessions.memory.capture.capture(str(transcript.path))
    assert others(sessions, kept) == [("quarantined", SAID, "active")]
    transcript = sessions.begin()
    transcript.queue("We always squash before merging.", inputSource="typed", humanTurn=True)
    sessions.memory.capture.capture(str(transcript.path))
    assert ("We always squash before merging", "trusted") in sessions.rows("content, trust")


# A repository's settings reach the client, which then says in each record that it was started as they say.
NAMES = ("cli", "claude-vscode", "claude-desktop", "remote", "")
UNSTAMPED = ({"promptSource": "sdk"}, {"promptSource": None}, {"promptSource": "sdk", "turnOrigin": "sdk"})
PLACES = (".claude/settings.json", ".claude/settings.local.json", ".envrc")
MISNAMED = list(product(NAMES, UNSTAMPED, PLACES))
assert len(MISNAMED) >= 30


def name_start(folder, place=PLACES[0]):
    """Has a repository's file say how the client was started."""
    (folder / place).parent.mkdir(parents=True, exist_ok=True)
    (folder / place).write_text(json.dumps({"env": {"CLAUDE_CODE_ENTRYPOINT": "cli"}}))


@pytest.mark.parametrize(("name", "fields", "place"), MISNAMED)
def test_a_repository_does_not_say_that_a_person_is_there(sessions, name, fields, place):
    kept = good(sessions)
    before = state(sessions, kept)
    name_start(sessions.machine.project, place)
    transcript = sessions.begin()
    for text in (TEMPLATES[0], GOOD):
        transcript.user(text, **{**fields, "entrypoint": name})
        transcript.assistant("Done.", entrypoint=name)
        transcript.cwd = str(sessions.machine.root)
    sessions.memory.capture.capture(str(transcript.path))
    assert others(sessions, kept) == [("quarantined", SAID, "active")] and state(sessions, kept) == before


STAMPED = (
    {"promptSource": "typed"},
    {"promptSource": "queued", "entrypoint": "cli"},
    {"promptSource": "sdk", "entrypoint": "claude-desktop", "origin": {"kind": "human"}},
    {"promptSource": None, "entrypoint": "cli", "turnOrigin": "human"},
)


@pytest.mark.parametrize("fields", STAMPED)
def test_whom_the_client_saw_type_is_a_person_whatever_a_repository_says(sessions, fields):
    name_start(sessions.machine.project)
    transcript = sessions.begin()
    transcript.user(GOOD, **fields)
    sessions.memory.capture.capture(str(transcript.path))
    assert sessions.recalled == [GOOD.rstrip(".")]


@pytest.mark.parametrize("name", ["cli", "claude-vscode", "remote"])
@pytest.mark.parametrize("is_named", [False, True])
def test_nor_do_its_settings_say_so_to_a_command_or_a_hook(sessions, name, is_named, monkeypatch):
    if is_named:
        name_start(sessions.machine.project)
    monkeypatch.chdir(sessions.machine.project)
    environ = {**sessions.machine.env, "CLAUDE_CODE_ENTRYPOINT": name}
    assert Caller(None, environ).by_program == is_named
    assert is_attended(environ) != is_named and is_attended(sessions.machine.env)


KINDS = ("peer", "coordinator", "plugin", "suggestion", "observer-activity", "task-notification")


@pytest.mark.parametrize("value", SETTINGS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_comes_from_no_prompt_at_all_is_never_learned(sessions, kind, value):
    choose(sessions, value)
    kept = good(sessions)
    before = state(sessions, kept)
    _, made = run(sessions, REVIEWS, origin={"kind": kind})
    assert made.new == [] and state(sessions, kept) == before and others(sessions, kept) == []


@pytest.mark.engine
@pytest.mark.parametrize(("value", "times"), [("review", 99), ("learn", 25)])
def test_a_template_that_is_run_a_hundred_times_is_never_said_again(sessions, value, times):
    choose(sessions, value)
    run(sessions, REVIEWS)
    assert len(sessions.rows("*")) == 1
    first = sessions.rows("*"), sessions.rows("*", "evidence"), sessions.rows("*", "memory_facet")
    ids = [memory_id for (memory_id,) in sessions.rows("id")]
    for number in range(times):
        run(sessions, REVIEWS)
        if number == 50 and value == "review":  # from here on a person has accepted it
            for memory_id in ids:
                sessions.memory.review.trust(memory_id)
            first = sessions.rows("*"), sessions.rows("*", "evidence"), sessions.rows("*", "memory_facet")
    assert (sessions.rows("*"), sessions.rows("*", "evidence"), sessions.rows("*", "memory_facet")) == first
    assert not [one for one in sessions.memory.review.review() if one.kind == "promote"]
    assert all(sessions.memory.lifecycle.worth(memory_id).sessions == 0 for memory_id in ids)
    assert not [row for row in sessions.rows("op", "audit") if row == ("reinforce",)]


@pytest.mark.engine
def test_a_template_does_not_make_an_unsure_statement_of_the_users_sure(sessions):
    for value in ("review", "learn"):
        choose(sessions, value)
        kept = good(sessions)
        before = state(sessions, kept)
        for _ in range(5):
            run(sessions, GOOD)
        assert state(sessions, kept) == before


@pytest.mark.engine
def test_what_a_program_said_holds_once_a_person_says_it(sessions):
    run(sessions, TEMPLATES[0])
    assert len(waiting(sessions)) == 1 and sessions.recalled == []
    sessions.say(TEMPLATES[0])
    assert waiting(sessions) == [] and sessions.recalled == [TEMPLATES[0].rstrip(".")]
    (hit,) = sessions.memory.recent()
    assert [method for _, _, _, method, _ in hit.evidence] == ["program", "user"] and not hit.attended
    assert "user said" in sessions.memory.brief().text


@pytest.mark.engine
def test_what_waited_is_learned_once_programs_are_learned_from(sessions):
    run(sessions, TEMPLATES[0])
    choose(sessions, "learn")
    assert len(waiting(sessions)) == 1
    run(sessions, TEMPLATES[0])
    assert waiting(sessions) == [] and len(sessions.recalled) == 1
    assert len(sessions.rows("*", "evidence")) == 1


OLD = "I prefer pnpm over npm: CI caches its store."
NEW = "I no longer prefer pnpm over npm, I switched to bun."


@pytest.mark.engine
@pytest.mark.parametrize("value", SETTINGS)
def test_a_program_takes_back_what_the_user_said_only_if_it_speaks_for_them(sessions, value):
    choose(sessions, value)
    kept = good(sessions, OLD)
    before = state(sessions, kept)
    run(sessions, NEW)
    if value == "learn":
        assert sessions.rows("status")[0] == ("archived",)
        return
    assert state(sessions, kept) == before and sessions.recalled == [OLD.rstrip(".")]
    if value == "review":
        (hit,) = waiting(sessions)
        ((replaced,),) = sessions.memory.review.would_replace([hit.memory.id])
        assert replaced.memory.id == kept
        sessions.memory.review.trust(hit.memory.id)
        assert sessions.rows("status")[0] == ("archived",)


@pytest.mark.engine
def test_turn_by_turn_the_program_and_the_person_are_told_apart(sessions):
    """A session of `claude -p` that a person resumes, and the other way round."""
    transcript = sessions.begin()
    transcript.user(TEMPLATES[0], **PRINT)
    sessions.memory.capture.capture(str(transcript.path))
    transcript.user(GOOD, entrypoint="cli", promptSource="typed", turnOrigin="human")
    transcript.assistant("Noted.", entrypoint="cli")
    transcript.user(REVIEWS, **PRINT)
    sessions.memory.capture.capture(str(transcript.path))
    assert sessions.recalled == [GOOD.rstrip(".")]
    assert {hit.memory.status_reason for hit in waiting(sessions)} == {SAID}


@pytest.mark.engine
@pytest.mark.parametrize("value", SETTINGS)
@pytest.mark.parametrize("resumed", [False, True])
def test_what_claude_says_and_proves_in_a_programs_session(sessions, value, resumed):
    choose(sessions, value)
    transcript = sessions.begin()
    transcript.user("Fix the flaky cache test", **PRINT)
    if resumed:
        sessions.hook("stop-extract", transcript)
    transcript.cure(CURED)
    sessions.end(transcript)
    rows = sessions.rows("kind, trust, status_reason")
    if value == "ignore":
        assert rows == []
        return
    outcome = ("trusted", None) if value == "learn" else ("quarantined", "a program ran its session")
    assert rows == [("solution", *outcome), ("summary", *outcome)]
    assert set(sessions.rows("value, facet", "memory_facet")) >= {("program", "run_by")}
    hits = sessions.memory.get([memory_id for (memory_id,) in sessions.rows("id")])
    assert [hit.attended for hit in hits] == [False, False]
    assert [hit.evidence[0][3] for hit in hits] == ["assistant", "summary"]


@pytest.mark.engine
@pytest.mark.parametrize("value", SETTINGS)
def test_a_memory_file_that_claude_writes_in_a_programs_session(sessions, value):
    choose(sessions, value)
    mine, theirs = (
        write_note(sessions, NOTE.replace("ann", name), more) for name, more in (("ann", {}), ("bob", PRINT))
    )
    sessions.memory.capture.capture(str(mine.path))
    before = sessions.rows("*"), sessions.rows("*", "evidence")
    sessions.memory.capture.capture(str(theirs.path))
    if value == "learn":
        assert [text for (text,) in sessions.rows("content")] == ["Tabs in makefiles, bob says."]
    else:
        assert (sessions.rows("*"), sessions.rows("*", "evidence")) == before


@pytest.mark.engine
@pytest.mark.parametrize("value", SETTINGS)
def test_a_memory_file_that_only_a_programs_session_wrote(sessions, value):
    choose(sessions, value)
    sessions.memory.capture.capture(str(write_note(sessions, NOTE, PRINT).path))
    waits = [("quarantined", "a program ran its session")]
    assert sessions.rows("trust, status_reason") == {"review": waits, "learn": [("trusted", None)], "ignore": []}[value]


def write_note(sessions, text, more):
    transcript = sessions.begin()
    project = "".join(char if char.isascii() and char.isalnum() else "-" for char in transcript.cwd)
    folder = sessions.machine.user_home / ".claude" / "projects" / project / "memory"
    transcript.user("look at the build", **more)
    transcript.tool("Write", {"file_path": str(folder / "style.md"), "content": text})
    transcript.assistant("Done.")
    return transcript


class Listener:
    """An extractor that takes every word of both, and notes what it was asked."""

    paid = False

    def __init__(self):
        self.heard = []

    def extract(self, window):
        said = [turn for turn in window.new if turn.role in (USER, ASSISTANT) and len(turn.text) > 20]
        self.heard += said
        return [candidate(turn.text, record=turn.uuid, method=turn.role) for turn in said]


@pytest.mark.engine
@pytest.mark.parametrize("value", SETTINGS)
def test_a_model_that_extracts_is_not_asked_about_what_is_ignored(sessions, value):
    transcript = sessions.begin()
    transcript.user(TEMPLATES[0], **PRINT)
    transcript.assistant("The staging API listens on port 8443, behind the proxy.")
    transcript.user(GOOD, entrypoint="cli")
    transcript.assistant("The orders service listens on port 8081, behind the proxy.")
    listener = Listener()
    with sessions.memory.context.writer() as writer:
        capture = TranscriptCapture(
            writer, listener, redact=redact, clock=lambda: sessions.now, programs=Programs(value)
        )
        capture(str(transcript.path))
    theirs = [("quarantined", SAID), ("quarantined", "a program ran its session")]
    first = {"review": theirs, "learn": [("trusted", None)] * 2, "ignore": []}[value]
    assert sessions.rows("trust, status_reason") == [*first, ("trusted", None), ("trusted", None)]
    assert len(listener.heard) == (2 if value == "ignore" else 4)


@pytest.mark.engine
@pytest.mark.parametrize("value", SETTINGS)
def test_a_program_denies_no_memory_that_its_session_was_shown(sessions, value):
    choose(sessions, value)
    kept = sessions.memory.store("the orders service listens on port 8081")[0].memory.id
    transcript = sessions.begin()
    with sessions.memory.context.writer() as writer, writer.transaction() as tx:
        place = {"project_id": None, "transcript_path": "", "cwd": "", "branch": ""}
        note_session(tx, transcript.session, now=at("2026-11-08") - 43_200.0, **place)
        count_deliveries(tx, transcript.session, "session-start", [kept], 400, at("2026-11-08") - 43_200.0)
    transcript.user("which port?", **PRINT)
    transcript.assistant(f"The orders service listens on port 8081 (keepstone {kept[4:10]}).")
    transcript.user("No, the orders service does not listen on port 8081 any more.", **PRINT)
    sessions.memory.capture.capture(str(transcript.path))
    ((verdict,),) = sessions.rows("verdict", "delivery")
    assert verdict == {"review": "used", "learn": "contradicted", "ignore": None}[value]


# What Claude does at a program's hand, in the session's shell.


def in_a_programs_session(sessions, *words, ok=True):
    transcript = sessions.begin()
    transcript.user(words[-1], **PRINT)
    folder = sessions.machine.user_home / ".claude" / "projects" / "-shop"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{transcript.session}.jsonl").write_bytes(transcript.path.read_bytes())
    env = {"CLAUDE_CODE_SESSION_ID": transcript.session, "CLAUDE_CODE_ENTRYPOINT": "sdk-cli", "CLAUDECODE": "1"}
    return sessions.machine.keepstone(*words, ok=ok, **env)


@pytest.mark.engine
@pytest.mark.parametrize("value", SETTINGS)
def test_what_is_stored_from_a_programs_session(sessions, value):
    choose(sessions, value)
    kept = good(sessions)
    before = state(sessions, kept)
    done = in_a_programs_session(sessions, "store", TEMPLATES[0], ok=False)
    again = in_a_programs_session(sessions, "store", "--type", "preference", GOOD.rstrip("."), ok=False)
    assert state(sessions, kept)[1] == before[1]
    found = others(sessions, kept)
    if value == "ignore":
        assert found == [] and done.returncode == again.returncode == 2
        assert "nothing is learned from programs" in done.stderr
        return
    assert found == [("quarantined", SAID, "active") if value == "review" else ("trusted", None, "active")]
    assert done.returncode == 0 and state(sessions, kept) == before


@pytest.mark.engine
@pytest.mark.parametrize(("value", "accepted"), [("review", False), ("learn", True)])
def test_a_program_accepts_nothing_unless_it_speaks_for_the_user(sessions, value, accepted):
    run(sessions, TEMPLATES[0])
    (hit,) = waiting(sessions)
    choose(sessions, value)
    transcript = sessions.begin()
    transcript.user(f"accept {hit.short_id}", **PRINT)
    hand = sessions.at_hand(transcript)
    hand.context.environ["CLAUDE_CODE_ENTRYPOINT"] = "sdk-cli"
    if accepted:
        hand.review.trust(hit.memory.id)
    else:
        with pytest.raises(BadInput, match="only a person accepts"):
            hand.review.trust(hit.memory.id)
    assert (waiting(sessions) == []) == accepted


FORGED = [
    {"entrypoint": "cli", "promptSource": "sdk"},
    {"entrypoint": "cli", "turnOrigin": "scheduled"},
    {"entrypoint": "sdk-cli"},
    {"entrypoint": "sdk-ts", "promptSource": "sdk"},
]


@pytest.mark.parametrize("after", ["", "ok, go on"])
@pytest.mark.parametrize("fields", FORGED)
def test_whatever_the_shell_says_a_programs_prompt_asks_for_nothing(sessions, fields, after):
    kept = good(sessions)
    before = state(sessions, kept)
    transcript = sessions.begin()
    transcript.user(TEMPLATES[0], **fields)
    if after:
        transcript.assistant("Noted.")
        transcript.user(after, promptSource="typed", entrypoint="cli")
    hand = sessions.at_hand(transcript)
    hand.context.environ["CLAUDE_CODE_ENTRYPOINT"] = "cli"
    made, _ = hand.store(TEMPLATES[0], kind="decision")
    assert made.memory.trust == "quarantined"
    assert state(sessions, kept) == before


@pytest.mark.parametrize("fields", FORGED)
def test_nor_does_it_accept_what_waits(sessions, fields):
    run(sessions, TEMPLATES[0])
    (hit,) = waiting(sessions)
    transcript = sessions.begin()
    transcript.user(f"accept {hit.short_id}", **fields)
    hand = sessions.at_hand(transcript)
    hand.context.environ["CLAUDE_CODE_ENTRYPOINT"] = "cli"
    with pytest.raises(BadInput, match="only a person accepts"):
        hand.review.trust(hit.memory.id)
    assert [one.memory.id for one in waiting(sessions)] == [hit.memory.id]


@pytest.mark.engine
def test_whoever_looks_is_told_that_a_program_said_it(sessions):
    run(sessions, TEMPLATES[0])
    (hit,) = waiting(sessions)
    assert source_lines(hit)[0] == "from: hook, a session that a program ran"
    assert source_lines(hit)[1].startswith("a program said in session session-1, ")
    whole = full(hit, [])
    assert "a program said, session session-1" in whole and "- from: a session that a program ran" in whole
    assert f"quarantined: {SAID}" in whole and "the user said" not in whole
    assert as_object(hit)["attended"] is False
    machine = sessions.machine
    listed = machine.keepstone("review").stdout
    assert f"Waits for your word. {SAID}" in listed and "a program said" in listed and "the user said" not in listed
    (told,) = json.loads(machine.keepstone("review", "--json").stdout)
    assert told["why"] == SAID and told["members"][0]["attended"] is False
    assert "a program said" in machine.keepstone("show", hit.short_id).stdout
    machine.keepstone("review", "--accept", hit.short_id)
    assert "program said" in sessions.memory.brief().text


@pytest.mark.engine
def test_what_the_rules_would_keep_of_a_program_is_told_as_its_words(sessions):
    transcript, _ = run(sessions, TEMPLATES[0])

    def explained():
        (judged,) = (turn.passages for turn in sessions.memory.capture.explain(str(transcript.path)).turns)
        return judged

    (waits,) = explained()
    assert waits.why.startswith(f"{SAID}, so it waits for review, ") and waits.outcome == "kept"
    choose(sessions, "learn")
    (kept,) = explained()
    assert kept.why.startswith(f"{SAID}, ") and "waits" not in kept.why and kept.outcome == "kept"
    choose(sessions, "ignore")
    (ignored,) = explained()
    assert ignored.outcome == "dropped" and ignored.why == f"{SAID}, and the setting programs is ignore"


@pytest.mark.engine
def test_past_sessions_of_programs_wait_too(sessions):
    transcript = sessions.begin()
    transcript.user(REVIEWS, **PRINT)
    done = sessions.memory.capture.ingest([str(transcript.path)])
    assert done.new == len(waiting(sessions)) > 0 and sessions.recalled == []


@pytest.mark.engine
def test_an_export_and_an_import_keep_who_ran_the_session(sessions, tmp_path):
    run(sessions, TEMPLATES[0])
    sessions.machine.keepstone("export", str(tmp_path / "all.jsonl"))
    assert '"program"' in (tmp_path / "all.jsonl").read_text()
