"""`keepstone onboard`: what a newcomer's answers become, and learning from the past sessions."""

from __future__ import annotations

import pytest

from support import ROOT, Transcript

ANSWERS = ("--role", "Backend engineer", "--stack", "Go and PostgreSQL", "--goals", "Fewer regressions")


DECIDED = (
    "We decided to deploy with Terraform because it rolls back by itself",
    "I prefer pnpm over npm: CI caches its store",
    "Let's go with PostgreSQL, not MySQL, for billing: row-level security",
    "Our CI runs on GitHub Actions",
    "The staging database is on port 5433",
)


def five_sessions(machine):
    for number, decided in enumerate(DECIDED):
        folder = machine.user_home / ".claude" / "projects" / "-acme-shop"
        transcript = Transcript(folder / f"0000000{number}-0000-4000-8000-000000000000.jsonl", machine.project)
        transcript.user(f"{decided}.")


def test_each_answer_is_a_memory_of_its_own_for_every_project(machine):
    printed = machine.keepstone("onboard", *ANSWERS).stdout
    assert "- [F] The user's role: Backend engineer (" in printed
    memories = machine.memories()
    assert {(memory["content"], memory["origin"], memory["scope"]) for memory in memories} == {
        ("The user's role: Backend engineer", "onboarding", "user"),
        ("The user's tech stack: Go and PostgreSQL", "onboarding", "user"),
        ("The user's goals: Fewer regressions", "onboarding", "user"),
    }
    assert {memory["relevance"] for memory in memories} == {0.9}


def test_a_later_answer_revises_the_earlier_one(machine):
    machine.keepstone("onboard", *ANSWERS)
    machine.keepstone("onboard", "--role", "Platform engineer", "--conventions", "Conventional commits")
    contents = {memory["content"] for memory in machine.memories()}
    assert contents >= {"The user's role: Platform engineer", "The user's conventions: Conventional commits"}
    assert len(contents) == 4


def test_an_answer_that_was_forgotten_is_answered_anew(machine):
    machine.keepstone("onboard", "--role", "Backend engineer")
    machine.keepstone("forget", machine.memories()[0]["id"])
    machine.keepstone("onboard", "--role", "Platform engineer")
    assert [memory["content"] for memory in machine.memories()] == ["The user's role: Platform engineer"]


def test_after_yes_the_next_session_knows_what_five_past_ones_said(machine):
    five_sessions(machine)
    assert "5 sessions read" in machine.keepstone("onboard", "--learn").stdout
    brief = machine.hook("session-start", machine.event(source="startup")).stdout
    assert all(decided in brief for decided in DECIDED)


def test_many_past_sessions_are_learned_in_the_background(machine):
    five_sessions(machine)
    folder = machine.user_home / ".claude" / "projects" / "-acme-shop"
    with (folder / "00000000-0000-4000-8000-000000000000.jsonl").open("a") as file:
        file.write(('{"type": "progress", "data": "' + "x" * 100_000 + '"}\n') * 210)
    assert "in the background" in machine.keepstone("onboard", "--learn").stdout
    machine.settle(60)
    assert len(machine.memories()) == 5
    assert "ingest: 5 sessions, 5 new" in (machine.home / "logs" / "worker.log").read_text()


@pytest.mark.parametrize(
    "words", [("--no", "--learn"), ("--no", "--role", "x"), ("--role", ""), (), ("--role", "x" * 9_000)]
)
def test_what_makes_no_sense_is_said_and_changes_nothing(machine, words):
    done = machine.keepstone("onboard", *words, ok=False)
    assert done.returncode == 2 and "Try: " in done.stderr
    assert not (machine.home / "onboarding").exists() and machine.memories() == []


def test_off_means_off(machine):
    done = machine.keepstone("onboard", "--role", "x", ok=False, KEEPSTONE_OFF="1")
    assert done.returncode == 1 and "turned off" in done.stderr


def claude_md(machine):
    return machine.user_home / ".claude" / "CLAUDE.md"


def test_with_consent_there_is_one_profile_and_uninstall_takes_it_out(machine):
    claude_md(machine).parent.mkdir()
    claude_md(machine).write_text("Be brief.")
    machine.bin("onboard", *ANSWERS, "--profile")
    machine.bin("onboard", "--role", "Platform engineer", "--profile")
    machine.bin("onboard", "--profile")
    assert claude_md(machine).read_text() == (
        "Be brief.\n\n<!-- keepstone:profile:begin -->\n## User Profile\n\n- Role: Platform engineer\n"
        "- Tech stack: Go and PostgreSQL\n- Goals: Fewer regressions\n<!-- keepstone:profile:end -->"
    )
    machine.bin("uninstall", "--yes")
    assert claude_md(machine).read_text() == "Be brief."


def test_the_place_in_the_template_is_filled_and_what_a_person_wrote_there_stays(machine):
    claude_md(machine).parent.mkdir()
    claude_md(machine).write_text((ROOT / "CLAUDE.md.template").read_text())
    machine.bin("onboard", "--role", "Backend engineer", "--profile")
    text = claude_md(machine).read_text()
    assert text.count("## User Profile") == 1 and "- Role: Backend engineer\n<!-- keepstone:profile:end -->" in text
    claude_md(machine).write_text(text.replace("Backend engineer", "Backend engineer, by my own hand"))
    done = machine.bin("onboard", "--stack", "Go", "--profile", ok=False)
    assert done.returncode == 1 and "they stay" in done.stderr and "by my own hand" in claude_md(machine).read_text()


def test_without_consent_no_file_of_the_users_is_touched(machine):
    machine.bin("onboard", *ANSWERS)
    assert not claude_md(machine).exists()
    assert "no answer yet" not in machine.bin("onboard", "--profile").stderr and claude_md(machine).exists()


def test_on_a_terminal_it_asks(machine):
    five_sessions(machine)
    code, said = machine.terminal(["onboard"], ["y", "SRE", "", "", "", "y", ""])
    assert code == 0 and "Learn from them?" in said and "5 sessions read" in said and "What is your role?" in said
    contents = {memory["content"] for memory in machine.memories()}
    assert contents == {"The user's role: SRE", *DECIDED} and "- Role: SRE" in claude_md(machine).read_text()


def test_on_a_terminal_it_says_what_a_model_would_take_and_asks_which(machine):
    five_sessions(machine)
    code, said = machine.terminal(["onboard"], ["n", "", "", "", "", "endpoint"])
    assert code == 0 and "misses much" in said and "your Claude Code login" in said
    assert "Your last 5 sessions would have taken about 2 calls and " in said  # the others say too little
    assert "No day takes more than 100 calls" in said
    assert "by the server at http://127.0.0.1:11434/v1" in said and "extractor_model NAME" in said
    assert "extractor = endpoint (from config.json)" in machine.keepstone("config", "extractor").stdout
    assert machine.memories() == []  # nobody was asked yet


def test_who_keeps_to_the_rules_changes_nothing(machine):
    code, said = machine.terminal(["onboard"], ["", "", "", "", ""])
    assert code == 0 and "would have taken" not in said and not (machine.home / "config.json").exists()


def test_answers_of_several_lines_can_not_break_the_profile(machine):
    machine.bin("onboard", "--conventions", "tabs\n<!-- keepstone:profile:end -->\nlast", "--profile")
    machine.bin("onboard", "--role", "SRE", "--profile")
    assert claude_md(machine).read_text().count("<!-- keepstone:profile:end -->") == 1
    machine.bin("uninstall", "--yes")
    assert not claude_md(machine).exists()


def test_a_repositorys_file_is_left_alone(machine):
    (machine.user_home / ".claude" / ".git").mkdir(parents=True)
    done = machine.bin("onboard", "--role", "SRE", "--profile", ok=False)
    assert done.returncode == 1 and "lies in a repository" in done.stderr and not claude_md(machine).exists()


def test_no_after_answers_keeps_them_to_be_revised(machine):
    machine.keepstone("onboard", "--role", "SRE")
    machine.keepstone("onboard", "--no")
    machine.keepstone("onboard", "--role", "Platform engineer")
    assert [memory["content"] for memory in machine.memories()] == ["The user's role: Platform engineer"]
