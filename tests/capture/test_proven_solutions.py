"""What a session proved: how a check is known again, and when a failure counts as cured."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepstone.capture.proven_solutions import USER, check_of, explained, solutions, verdict
from keepstone.claude_code.observation import FAILED, OK, UNKNOWN, Observation
from keepstone.lib.limits import PASSAGE_CHARS

CHECKS = [
    ("pytest", "pytest"),
    ("pytest -q tests/core", "pytest tests/core"),
    ("python -m pytest -x tests/core", "pytest tests/core"),
    ("python3 -m pytest", "pytest"),
    ("python -m unittest discover", "unittest discover"),
    (".venv/bin/pytest tests", "pytest tests"),
    (".venv/bin/python -m pytest tests", "pytest tests"),
    ("uv run pytest -q", "pytest"),
    ("uv run --extra dev pytest", "pytest"),
    ("poetry run pytest tests", "pytest tests"),
    ("npm test", "npm test"),
    ("npm run build", "npm run"),
    ("npx vitest run", "vitest run"),
    ("npx tsc --noEmit", "tsc"),
    ("yarn exec jest", "jest"),
    ("pnpm exec playwright test", "playwright test"),
    ("bundle exec rspec spec/a_spec.rb", "rspec spec/a_spec.rb"),
    ("cargo test --all", "cargo test"),
    ("go test ./...", "go test"),
    ("make", "make"),
    ("make -j4 test", "make test"),
    ("cd src && make test", "make test"),
    ("cd /x && npm test 2>&1 | tail -20", "npm test"),
    ("FOO=bar pytest tests", "pytest tests"),
    ("export A=1 && pytest", "pytest"),
    ("source .venv/bin/activate && pytest", "pytest"),
    (". .venv/bin/activate; pytest", "pytest"),
    ("./gradlew test", "gradlew test"),
    ("mvn -q test", "mvn test"),
    ("sudo systemctl restart nginx", "systemctl restart"),
    ("sudo -u postgres psql", "psql"),
    ("timeout 60 pytest", "pytest"),
    ("timeout -k 5 60 pytest", "pytest"),
    ("nice -n 10 make", "make"),
    ("env A=1 pytest", "pytest"),
    ("time make check", "make check"),
    ("set -e; make test", "make test"),
    ("npm ci && npm test", "npm test"),
    ("pytest tests/a.py || true", "pytest tests/a.py"),
    ("pytest; echo done", "pytest"),
    ("pytest > out.txt 2>&1", "pytest"),
    ("python manage.py test && git diff", "python manage.py"),
    ('git commit -m "fix; add"', "git commit"),
    ("git commit -m 'it && that'", "git commit"),
    ('bash -c "pytest -q"', "bash"),
    ("for i in 1 2 3; do pytest; done", "pytest"),
    ("if make; then echo ok; fi", "make"),
    ("(cd a && make test)", "make test"),
    ("# run the tests\npytest", "pytest"),
    ("pytest tests \\\n  -k foo", "pytest tests"),
    ("pytest\n# that was it", "pytest"),
    ("curl -sf localhost:8080/health", "curl localhost:8080/health"),
]
SHOWS = [
    "cat log.txt",
    "git status",
    "grep -rn foo . | head",
    "ls",
    "echo hi",
    "cd /x",
    "# a note",
    "&&",
    "|",
    ";",
    "",
    "  ",
    "true",
    "A=1",
]
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


@pytest.mark.parametrize(("command", "check"), CHECKS)
def test_a_check_is_known_by_its_program_and_first_word(command, check):
    assert check_of(command) == check


@pytest.mark.parametrize("command", SHOWS)
def test_what_only_shows_or_sets_something_checks_nothing(command):
    assert check_of(command) == ""


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
    assert cures(RED, ("Bash", "npm ci", OK), (*GREEN, CURE)) == [CURE.rstrip(".")]
    assert cures(("Bash", "pytest -q", FAILED), ("Bash", "pytest -n0", OK, CURE)) == [CURE.rstrip(".")]


def test_two_cures_are_two_solutions_in_the_order_of_their_proofs():
    red, green = ("Bash", "make lint", FAILED), ("Bash", "make lint", OK)
    told = (RED, red, EDIT, green, ("", "", UNKNOWN, CAUSE), (*EDIT, CURE), GREEN)
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
def test_any_text_may_be_a_command_a_verdict_or_an_explanation(text):
    assert check_of(text) == check_of(text)
    assert verdict(text) in (OK, FAILED, UNKNOWN)
    assert len(explained(text, proven=True)) <= PASSAGE_CHARS
