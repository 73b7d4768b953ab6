"""What a session proved: when a failure counts as cured, and which words name the cause."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepstone.capture.proven_solutions import USER, explained, solutions, verdict
from keepstone.claude_code.observation import FAILED, OK, UNKNOWN, Observation
from keepstone.lib.limits import PASSAGE_CHARS

CURE = "The tests failed because the clock was not frozen; freezing it with a fixture fixed it."
CAUSE = "The parser dropped the last line because the buffer was never flushed; adding a flush fixed it."
GUESS = "The cause is probably the clock, so freezing it might fix it."


def seen(*told: tuple[str, str, str] | tuple[str, str, str, str]) -> list[Observation]:
    """Observations of (tool, command or file, state, what was said), in order."""
    rows = []
    for place, (tool, what, state, *said) in enumerate(told):
        files = (what,) if tool == "Edit" else ()
        command = "" if tool in ("Edit", USER) else what
        row = Observation(f"c{place}", tool, command, files, state, "".join(said), f"r{place}", place, float(place))
        rows.append(row)
    return rows


def cures(*told) -> list[str]:
    return [solution.text for solution in solutions(seen(*told))]


RED = ("Bash", "pytest -q", FAILED)
GREEN = ("Bash", "pytest -q", OK)
EDIT = ("Edit", "clock.py", OK)


def test_a_failure_a_change_and_a_pass_prove_what_was_said():
    (found,) = solutions(seen(RED, EDIT, GREEN, ("", "", UNKNOWN, CURE)))
    assert found.text == CURE.rstrip(".") and found.record_uuid == "r3" and found.said_at == 3.0
    assert found.files == ("clock.py",) and found.check == "pytest -q"


def test_what_was_said_before_the_change_is_proven_by_the_pass():
    assert cures(RED, (*EDIT, CURE), GREEN) == [CURE.rstrip(".")]


def test_a_check_that_fails_again_takes_the_proof_back():
    assert cures(RED, EDIT, (*GREEN, CURE), RED) == []
    assert cures(RED, EDIT, (*GREEN, CURE), RED, EDIT, GREEN) == []
    assert cures(RED, EDIT, GREEN, ("", "", UNKNOWN, CURE), RED) == []


def test_a_user_who_says_no_takes_the_proof_back():
    told = (RED, EDIT, GREEN, ("", "", UNKNOWN, CURE))
    assert cures(*told, (USER, "", FAILED)) == []
    assert cures(*told, (USER, "", UNKNOWN)) == cures(*told) == [CURE.rstrip(".")]


def test_a_user_who_says_no_later_takes_only_the_last_proof_back():
    first = (RED, EDIT, GREEN, ("", "", UNKNOWN, CURE), (USER, "", UNKNOWN))
    second = (("Bash", "make", FAILED), EDIT, ("Bash", "make", OK), ("", "", UNKNOWN, CAUSE), (USER, "", FAILED))
    assert cures(*first, *second) == [CURE.rstrip(".")]


def test_a_user_who_says_yes_proves_what_was_said_last():
    assert cures(EDIT, ("", "", UNKNOWN, CURE), (USER, "", OK)) == [CURE.rstrip(".")]
    assert cures(EDIT, ("", "", UNKNOWN, CURE), ("", "", UNKNOWN, "Here is more."), (USER, "", OK)) == []
    (found,) = solutions(seen(EDIT, ("", "", UNKNOWN, CURE), (USER, "", OK)))
    assert found.check == "" and found.files == ("clock.py",)


def test_a_hypothesis_is_no_solution():
    assert cures(RED, (*EDIT, GUESS), GREEN) == []
    assert cures((*RED, CURE)) == [] and cures(RED, (*EDIT, CURE)) == []
    assert cures((*EDIT, CURE), GREEN) == []


def test_the_same_command_without_a_change_proves_nothing():
    assert cures(RED, (*GREEN, CURE)) == []
    assert cures(RED, ("Read", "", OK), ("Bash", "cat log", OK), (*GREEN, CURE)) == []
    assert cures(RED, ("Edit", "clock.py", FAILED), (*GREEN, CURE)) == []
    assert cures(RED, ("Bash", "make docs", OK), (*GREEN, "The clock was stale, so it now uses a fixture.")) == []
    installed = "The lock was out of date because of the merge; `npm ci` fixed it."
    assert cures(RED, ("Bash", "npm ci", OK), (*GREEN, installed)) == [installed.rstrip(".")]


def test_two_cures_are_two_solutions_in_the_order_of_their_proofs():
    red, green = ("Bash", "make lint", FAILED), ("Bash", "make lint", OK)
    told = (RED, red, EDIT, green, ("", "", UNKNOWN, CAUSE), EDIT, (*GREEN, CURE))
    assert cures(*told) == [CAUSE.rstrip("."), CURE.rstrip(".")]


def test_words_that_speak_of_two_proofs_are_taken_once():
    red, green = ("Bash", "make lint", FAILED), ("Bash", "make lint", OK)
    assert cures(RED, red, EDIT, green, GREEN, ("", "", UNKNOWN, CURE)) == [CURE.rstrip(".")]


def test_words_behind_the_next_prompt_or_failure_speak_of_something_else():
    assert cures(RED, EDIT, GREEN, (USER, "", UNKNOWN), ("", "", UNKNOWN, CURE)) == []
    assert cures(RED, EDIT, GREEN, ("Bash", "make", FAILED), ("", "", UNKNOWN, CURE)) == []


@pytest.mark.parametrize("hedge", ["maybe", "probably", "I think", "might", "it seems", "I suspect", "likely"])
def test_words_with_hedges_name_nothing_for_sure(hedge):
    assert explained(f"{hedge} the tests failed because the clock was not frozen and a fixture fixed it") == ""
    assert explained(CURE.replace("fixed it", f"{hedge} fixed it")) == ""


def test_of_what_is_said_the_cause_with_its_cure_is_taken():
    assert explained(f"Done. {CURE} All 12 tests pass now.") == CURE.rstrip(".")
    assert explained("The lock was stale. Removing it with `rm` fixed the build.").startswith("The lock was stale. ")
    assert explained("The lock was stale on this machine.") == ""
    assert explained("The lock was stale on this machine.", proven=True) == "The lock was stale on this machine"
    assert explained("All tests pass now.", proven=True) == "" and explained("") == ""
    assert explained("because " + "x" * PASSAGE_CHARS + " fixed it now") == ""


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("that fixed it, thanks", OK),
        ("yes, it works now", OK),
        ("all green!", OK),
        ("that was it", OK),
        ("the errors are gone", OK),
        ("it works now?", UNKNOWN),
        ("did that fix it?", UNKNOWN),
        ("still failing", FAILED),
        ("nope", FAILED),
        ("same error", FAILED),
        ("it worked but now the other test fails", FAILED),
        ("that didn't help", FAILED),
        ("add a test", UNKNOWN),
        ("", UNKNOWN),
    ],
)
def test_a_prompt_tells_whether_a_fix_worked(text, state):
    assert verdict(text) == state


ROW = st.tuples(
    st.sampled_from(("Bash", "Edit", USER, "", "Read")),
    st.sampled_from(("pytest", "make test", "cat x", "")),
    st.sampled_from((OK, FAILED, UNKNOWN)),
    st.sampled_from(("", CURE, CAUSE, GUESS)),
)


@given(st.lists(ROW, max_size=25))
def test_whatever_a_session_did_each_words_are_taken_once_and_no_guess(told):
    found = list(solutions(seen(*told)))
    assert len({one.record_uuid for one in found}) == len(found)
    assert {one.text for one in found} <= {CURE.rstrip("."), CAUSE.rstrip(".")}


@given(st.text())
def test_any_text_may_be_a_verdict_or_an_explanation(text):
    assert verdict(text) in (OK, FAILED, UNKNOWN)
    assert len(explained(text, proven=True)) <= PASSAGE_CHARS


# V13: no proof without a check, and no cure without words that are about it

REMARK = "That line came from the timer, so it now prints twice."
NO_CHECKS = [
    *("git push", "git push -u origin main", "git add -A", "git commit -m 'Add the timer'", "git pull --rebase"),
    *("git fetch origin", "git checkout main", "ls build", "cd src", "cat notes.txt", "echo done", "mkdir build"),
    *("sleep 5", "curl -sf localhost:8080/health", "wget https://example.org/a.tar.gz", "cp a b", "mv a b"),
    *("rm -r build", "touch notes.txt", "chmod +x run.sh", "ssh box uptime", "scp a box:", "gh pr create --fill"),
    *("kill 411", "ln -s a b", "cd src && git push", "git add -A && git commit -m x && git push", "which node"),
]
REAL_CHECKS = [
    *("pytest -q", "make test", "npm test", "npm run build", "npx tsc --noEmit", "cargo test", "cargo build"),
    *("go test ./...", "go vet ./...", "ruff check .", "mypy src", "eslint src", "mix test", "bundle exec rspec"),
    *("docker build -t api .", "terraform validate", "./gradlew test", "python app.py", "node server.js", "./run.sh"),
    *("cmake --build build", "cd web && npm test 2>&1 | tail -20", "uv run pytest", "swift test", "dotnet test"),
]


@pytest.mark.parametrize("command", NO_CHECKS)
def test_what_fails_because_of_the_machine_or_the_network_proves_nothing(command):
    assert cures(("Bash", command, FAILED), EDIT, ("Bash", command, OK), ("", "", UNKNOWN, CURE)) == []
    assert cures(("Bash", command, FAILED), (*EDIT, CURE), ("Bash", command, OK)) == []
    assert cures(("Bash", command, FAILED), EDIT, ("Bash", command, OK), ("", "", UNKNOWN, REMARK)) == []


@pytest.mark.parametrize("command", REAL_CHECKS)
def test_a_test_a_build_a_lint_or_a_run_that_a_change_cures_proves_its_cause(command):
    red, green = ("Bash", command, FAILED), ("Bash", command, OK)
    assert cures(red, EDIT, green, ("", "", UNKNOWN, CURE)) == [CURE.rstrip(".")]
    assert cures(red, (*EDIT, CURE), green) == [CURE.rstrip(".")]
    assert cures(red, (*EDIT, "The clock was never frozen."), green) == ["The clock was never frozen"]
    for foreign in (REMARK, "- `save` - makes notes.txt", "All green now.", ""):
        assert cures(red, EDIT, green, ("", "", UNKNOWN, foreign)) == []


@pytest.mark.parametrize(
    "remark",
    [
        REMARK,
        "`save` - makes notes.txt",
        "- `save` - makes notes.txt",
        "* `load` - reads notes.txt with the parser",
        "1. `save` keeps the notes, because the user needs them",
        "- clock.py - uses the fixture",
        "| clock.py | was missing | added |",
        "The README was missing a chapter on the timer.",
        "The output goes through the logger, which needs a handler.",
        "The other module had no owner, so it was removed.",
        "The clock might be frozen because of the fixture; that could have fixed it.",
        "I'll freeze the clock next because it was never frozen.",
        "Should the clock be frozen because it was stale?",
        "It passes now.",
        "The failure was unrelated to the clock: it was the network, and a second run fixed it.",
        "Let me also look at why the clock was never frozen.",
        "You can now use `clock.freeze`, because it needs no arguments.",
        "The clock probably was never frozen.",
        "Next the clock needs a fixture.",
        "I want the clock frozen because it was flaky; that fixed it.",
    ],
)
def test_a_passing_remark_is_no_solution(remark):
    assert cures(RED, EDIT, GREEN, ("", "", UNKNOWN, remark)) == []
    assert cures(RED, (*EDIT, remark), GREEN) == []


@pytest.mark.parametrize(
    "cause",
    [
        "The clock was never frozen.",
        "The tests fail because the clock moves on.",
        "Root cause: the clock was not reset between runs.",
        "The cause is the clock: it starts at import.",
        "The clock is never reset.",
        "The clock is not reset between runs.",
        "`clock.now` ignores the time zone.",
        "clock.py has no frozen mode.",
        "The clock doesn't honour the fixture.",
        "The clock defaults to local time.",
        "The clock requires a zone that the runner has not.",
        "The clock skips the leap second.",
        "`clock.py` lacks the import of `UTC`.",
        "The clock expects seconds, and gets milliseconds.",
        "The failure comes from the clock.",
        "It turns out that the clock is shared.",
        "The clock was compared with a naive time.",
        "The clock can't be pickled.",
        "The clock is off by one hour.",
        "The clock drops the offset.",
        "- **Cause**: the clock was stale.",
    ],
)
def test_a_cause_that_was_named_before_the_change_is_proven_by_the_pass(cause):
    (found,) = solutions(seen(RED, (*EDIT, cause), GREEN, ("", "", UNKNOWN, "All tests pass.")))
    assert found.only_cause and found.record_uuid == "r1" and found.files == ("clock.py",)


def test_of_two_causes_none_is_proven():
    second = ("Edit", "parser.py", OK, "The parser drops the last line.")
    assert cures(RED, (*EDIT, "The clock was never frozen."), second, GREEN) == []
    assert cures(RED, (*EDIT, "The clock was never frozen."), RED, second, GREEN) == ["The parser drops the last line"]


def test_of_several_steps_the_cause_of_a_later_one_is_not_proven():
    macro = (*EDIT, "The issue is that the clock itself requires a zone.")
    assert cures(RED, ("Edit", "a.py", OK, "Let me make `a` a macro:"), macro, GREEN) == []
    assert cures(RED, ("Edit", "a.py", OK, "Let me make `a` a macro:"), (*EDIT, CURE), GREEN) == []
    assert cures(RED, macro, ("Edit", "a.py", OK, "And the same here:"), GREEN) != []


def test_another_check_proves_nothing():
    told = ("", "", UNKNOWN, CURE)
    assert cures(RED, EDIT, ("Bash", "make lint", OK), told) == []
    assert cures(RED, EDIT, ("Bash", "pytest -q -k other", OK), told) == []
    assert cures(("Bash", "pytest -x", FAILED), EDIT, GREEN, told) == [CURE.rstrip(".")]
    assert cures(("Bash", "python -c 'import a'", FAILED), EDIT, ("Bash", "python -c 'import b'", OK), told) == []


def test_a_changed_command_is_a_cure_that_the_words_name():
    red, green = ("Bash", "npm test", FAILED), ("Bash", "TZ=UTC npm test", OK)
    cause = "The dates failed because of the local time; with TZ=UTC they pass."
    assert cures(red, green, ("", "", UNKNOWN, cause)) == [cause.rstrip(".")]
    assert cures(red, green, ("", "", UNKNOWN, "The parser was stale, so it now uses a cache.")) == []


def test_words_that_lead_to_the_next_change_are_about_that():
    assert cures(RED, EDIT, GREEN, ("Edit", "README.md", OK, "The clock was missing from the README.")) == []


HIDDEN = ["pytest -q | grep -c passed", "pytest -q > log; tail -3 log", "pytest > log || true"]


@pytest.mark.parametrize("command", HIDDEN)
def test_a_pass_that_cannot_be_seen_proves_nothing(command):
    assert cures(RED, EDIT, ("Bash", command, OK), ("", "", UNKNOWN, CURE)) == []
