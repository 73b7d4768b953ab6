"""What a session proved: when a failure counts as cured, and which words name the cause."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepstone.capture.proven_solutions import USER, explained, solutions, verdict
from keepstone.claude_code.observation import FAILED, OK, UNKNOWN, Observation
from keepstone.lib.limits import PASSAGE_CHARS
from keepstone.shell.failure import signatures

CURE = "The tests failed because the clock was not frozen; freezing it with a fixture fixed it."
CAUSE = "The parser dropped the last line because the buffer was never flushed; adding a flush fixed it."
GUESS = "The cause is probably the clock, so freezing it might fix it."


def seen(*told: tuple[str, ...]) -> list[Observation]:
    """Observations of (tool, command or file, state, what was said, the error), in order."""
    rows = []
    for place, (tool, what, state, *more) in enumerate(told):
        said, error = (*more, "", "")[:2]
        files = (what,) if tool == "Edit" else ()
        command = "" if tool in ("Edit", USER) else what
        row = Observation(f"c{place}", tool, command, files, state, said, f"r{place}", place, float(place), error)
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


@pytest.mark.parametrize(
    "line",
    [
        "rm tests/test_cache.py",
        "rm -f src/cache.test.ts",
        "git rm -q spec/cache_spec.rb",
        "cd app && rm -rf tests/",
        "mv tests/test_cache.py /tmp/",
        "mv tests/test_cache.py tests/test_cache.py.bak",
        "rm tests/unit/*",
        "rm pkg/cache_test.go",
    ],
)
def test_a_test_that_is_gone_proves_nothing(line):
    told = "It failed because tests/test_cache.py was wrong; removing it fixed it."
    assert cures(RED, ("Bash", line, OK), GREEN, ("", "", UNKNOWN, told)) == []


@pytest.mark.parametrize(
    "line", ["rm -rf build", "rm -rf tests/__pycache__", "rm tests/out.db", "mv tests/test_a.py tests/b/"]
)
def test_a_cache_that_is_gone_may_be_the_cure(line):
    told = "It failed because a stale cache was left behind; removing it fixed it."
    assert cures(RED, ("Bash", line, OK), GREEN, ("", "", UNKNOWN, told)) == [told.rstrip(".")]


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


# A check, what it printed when it failed, and the file whose change cures it.
FAILURES = {
    "pytest -q": ("FAILED tests/test_cache.py::test_total - AssertionError: assert 7 is None", "src/cache.py"),
    "npm test": (
        "FAIL src/cache.test.ts\n  ● cache › keeps two apart\n    Expected: 1\n    Received: 2",
        "src/cache.ts",
    ),
    "cargo test": (
        "thread 'cache::apart' panicked at src/cache.rs:40:9:\ntest result: FAILED. 1 failed",
        "src/cache.rs",
    ),
    "go test ./...": ("--- FAIL: TestApart (0.00s)\n    cache_test.go:22: got 2, want 1\nFAIL", "cache.go"),
    "make check": ("make: *** [Makefile:4: check] Error 1", "src/store.c"),
    "npx tsc --noEmit": (
        "src/cache.ts(12,5): error TS2345: Argument of type 'string' is not a number.",
        "src/cache.ts",
    ),
}
# As it is told before the change, and after the pass (or ""): none of them names the file or the failure.
CAUSES = [
    ("The test fails because the key lacks the tenant.", "The test failed because the key lacked the tenant."),
    ("It fails because two tenants share one key.", "It failed because two tenants shared one key."),
    ("The build breaks since the key is made without the tenant.", "The build broke since the key had no tenant."),
    ("The run crashes as the key is never set.", "The run crashed as the key was never set."),
    ("Root cause: the key has only the id.", "Root cause: the key had only the id."),
    ("The problem is that the key holds only the id.", "The problem was that the key held only the id."),
    ("The failure comes from the key, which ignores the tenant.", "The failure came from the key: it had no tenant."),
    ("This fails due to a key without the tenant.", "It failed due to a key without the tenant."),
    ("It is caused by a key that doesn't hold the tenant, so the lookup fails.", ""),
    ("I see the problem! The key lacks the tenant.", ""),
    ("I see the issue - the key doesn't account for the tenant. Let me fix this:", ""),
    ("Found it: the key ignores the tenant, so I'll add it.", ""),
    ("Here's the bug: the key was never given the tenant.", ""),
    ("Now I understand the failure. The key drops the tenant. I'll put it in.", ""),
    ("That's why the check fails: the key has no tenant.", ""),
    ("The key lacks the tenant, and that's why the second lookup fails.", ""),
]
UNSEEN_CAUSES = [
    (
        "The suite fails because `make_key` never reads the tenant.",
        "The suite failed because `make_key` had no tenant.",
    ),
    ("I found the problem: the key is compared without the tenant.", ""),
    ("The culprit is the key, which has no tenant.", "The culprit was the key, which had no tenant."),
    ("Ah, I see why it fails. The key is shared by two tenants.", ""),
    ("The check breaks because of a key that is the same for all tenants.", ""),
    ("The root cause is a key that forgets the tenant; I'll add it.", ""),
    ("Now the reason is plain: the key doesn't know the tenant.", ""),
    ("It does not compile because the key takes no tenant.", "It did not compile because the key took no tenant."),
]
NO_CAUSES = [
    "The test fails.",
    "The problem is in the `make_key` function.",
    "The bug is confirmed by the run.",
    "I see the problem. Let me look at the key.",
    "Let me see why the test fails.",
    "The test might fail because the key lacks the tenant.",
    "It probably fails because the key lacks the tenant.",
    "The test fails because my change broke the key.",
    "The tests fail as expected because nothing is built.",
    "The key holds the id and the name.",
    "Next comes the key, which needs a tenant.",
    "I'll run the check again.",
    "Here's the plan: the key needs a tenant.",
]


def shapes(check, words):
    """A check that fails, a change and a pass, with a cause told at each place before the change."""
    printed, file = FAILURES[check]
    red = ("Bash", check, FAILED, "", "\n".join(signatures(printed)))
    edit, green, own = ("Edit", file, OK), ("Bash", check, OK), ("", "", UNKNOWN, words)
    done = ("", "", UNKNOWN, "All of them pass now.")
    yield red, (*edit, words), green, done
    yield red, own, edit, green, done
    yield red, ("Read", file, OK, words), edit, green, done
    yield red, ("Read", file, OK, "Let me look at it."), (*edit, words), green, done


@pytest.mark.parametrize(("before", "after"), [*CAUSES, *UNSEEN_CAUSES])
def test_a_cause_is_proven_by_the_change_behind_it_though_it_names_neither_file_nor_failure(before, after):
    for check, (_, file) in FAILURES.items():
        for told in shapes(check, before):
            (found,) = solutions(seen(*told))
            assert found.files == (file,) and found.check == check
            assert "key" in found.text and not re.search("let me|I'll|I see|found it", found.text, re.IGNORECASE)
        red, _, edit, green, _ = list(shapes(check, before))[1]
        assert cures(red, edit, green, ("", "", UNKNOWN, after)) == ([after.rstrip(".")] if after else [])


@pytest.mark.parametrize("words", NO_CAUSES)
def test_a_guess_a_place_or_a_plan_before_the_change_is_no_cause(words):
    assert [(check, told) for check in FAILURES for told in shapes(check, words) if cures(*told)] == []


@pytest.mark.parametrize("command", [*NO_CHECKS, "ls", "cd lib && ls"])
def test_a_cause_that_no_check_proves_is_none(command):
    for words, _ in CAUSES[:4]:
        red, green, told = ("Bash", command, FAILED), ("Bash", command, OK), ("", "", UNKNOWN, words)
        assert cures(red, told, EDIT, green) == cures(red, (*EDIT, words), green) == []


@pytest.mark.parametrize("words", [words for words, _ in (*CAUSES, *UNSEEN_CAUSES)])
def test_a_cause_is_proven_only_by_a_change_after_a_failure_that_touches_what_failed(words):
    for check in FAILURES:
        red, told, edit, green, done = list(shapes(check, words))[1]
        assert cures(red, told, edit, green, done) != []
        assert cures(told, edit, green, done) == [] and cures(green, told, edit, green, done) == []
        assert cures(red, told, edit, done) == [] and cures(red, told, green, done) == []
        assert cures(red, told, edit, red, green) == [] and cures(told, red, edit, green) == []
        elsewhere = ["README.md", "CHANGELOG.md", "docs/setup.rst", *(["src/mail.py"] if "cache" in red[4] else [])]
        assert [file for file in elsewhere if cures(red, told, ("Edit", file, OK), green, done)] == []
