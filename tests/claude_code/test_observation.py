"""How a call ended, also where its exit code is hidden, and what of it is looked at."""

from __future__ import annotations

import pytest

from keepstone.claude_code.observation import (
    FAILED,
    OK,
    UNKNOWN,
    Outcome,
    beginning,
    files_of,
    id_of,
    judged,
    looks_failed,
    only_shows,
    outcome_of,
    start_of,
    use_of,
)
from keepstone.lib.limits import OBSERVED_LOOK_CHARS

FAILURES = [
    "=== 2 failed, 3 passed in 0.12s ===",
    "1 error in 0.05s",
    "FAILED tests/test_a.py::test_b - assert 1 == 2",
    " FAIL  src/a.test.ts > adds",
    "--- FAIL: TestSum (0.00s)",
    "Tests:       1 failed, 2 passed, 3 total",
    "  3 passing\n  1 failing",
    "5 examples, 1 failure",
    "Tests run: 5, Failures: 1, Errors: 0",
    "FAILED (failures=1)",
    "Found 3 errors in 1 file (checked 10 source files)",
    "Found 3 errors.",
    "a.c:3:5: error: expected ';' before 'return'",
    "error[E0308]: mismatched types",
    "src/a.ts(1,2): error TS2304: Cannot find name 'x'.",
    "error: failed to push some refs to 'origin'",
    "npm ERR! code ELIFECYCLE",
    "npm error code 1",
    "Traceback (most recent call last):\n  File 'a.py'\nValueError: x",
    "TypeError: x is not a function",
    "thread 'main' panicked at src/main.rs:2:5",
    "test result: FAILED. 1 passed; 1 failed",
    "BUILD FAILED in 3s",
    "[ERROR] BUILD FAILURE",
    "make: *** [Makefile:3: test] Error 1",
    "Exit code 1\nno",
]
NO_FAILURES = [
    "5 passed in 0.1s",
    "0 failed, 5 passed",
    "Tests run: 5, Failures: 0, Errors: 0",
    "0 errors, 0 warnings",
    "Retrying after 2 failed attempts",
    "error handling is in src/errors.py",
    "src/errors.py",
    "test_failed_login PASSED",
    "no error: all is well",
    "",
    "2 failed\n" + "x" * 5_000,
]


def result(content="", told=None, **more):
    return outcome_of({"type": "tool_result", "tool_use_id": "t", "content": content, **more}, told)


@pytest.mark.parametrize("output", FAILURES)
def test_the_summary_of_a_failure_is_known(output):
    assert looks_failed(f"collected 5 items\n{output}\n")


@pytest.mark.parametrize("output", NO_FAILURES)
def test_success_and_prose_are_no_failure(output):
    assert not looks_failed(output)


def test_the_client_says_how_a_call_ended():
    assert result("fine") == Outcome("t", OK)
    assert result("Exit code 2\nls: x", is_error=True).state == FAILED
    assert result([{"type": "text", "text": "2 failed, 1 passed"}, "odd", {"type": "image"}]) == Outcome("t", OK, True)
    assert result(None, is_error=None).state == OK and result(5).state == OK


UNDONE = {
    "rejected": ("The user doesn't want to proceed with this tool use.", "User rejected tool use", True),
    "not allowed": ("This command requires approval", None, True),
    "rejected in other words": ("no", "User rejected tool use", True),
    "interrupted": ("half", {"interrupted": True}, False),
    "in the background": ("Command running in background with ID: x", {"backgroundTaskId": "x"}, False),
}


@pytest.mark.parametrize("content, told, is_error", UNDONE.values(), ids=UNDONE.keys())
def test_of_a_call_that_was_not_carried_out_nothing_is_known(content, told, is_error):
    assert result(content, told, is_error=is_error).state == UNKNOWN


def test_a_hidden_exit_code_shows_in_the_output_of_commands_alone():
    hidden = Outcome("t", OK, True)
    assert judged("Bash", "pytest | tail -3", hidden) == FAILED
    assert judged("Bash", "cat build.log | tail -3", hidden) == OK
    assert judged("Read", "", hidden) == OK
    assert judged("Bash", "pytest", Outcome("t", OK)) == OK
    assert judged("Bash", "cat x", Outcome("t", FAILED, True)) == FAILED
    assert judged("Bash", "pytest", Outcome("t", UNKNOWN, True)) == UNKNOWN


def test_what_only_shows_something_judges_nothing():
    for command in ("cat log", "cd /x && grep -rn FAILED . | head", "git log -3; git diff", "ls\nfind . -name x"):
        assert only_shows(command), command
    for command in ("pytest | grep FAILED", "cat x && make", "git push 2>&1 | tail", "git", "cd /x", ""):
        assert not only_shows(command), command


def test_of_a_call_the_body_stays_behind():
    block = {"id": "t", "name": "Write", "input": {"file_path": "/a.py", "content": "BODY"}}
    assert "BODY" not in repr(use_of(block)) and use_of(block).files == ("/a.py",)
    search = use_of({"id": "t", "name": "Grep", "input": {"pattern": "x+", "path": "src"}})
    assert (search.command, search.files, search.own) == ("x+", ("src",), False)
    assert use_of({"id": 5, "name": None, "input": []}) == use_of({})


def test_of_a_command_the_bodies_of_here_documents_stay_behind():
    command = "cat > a.py <<'EOF'\nBODY\nEOF\npython a.py <<X | tail\nBODY\nX\necho done"
    assert beginning(command) == "cat > a.py <<'EOF'\npython a.py <<X | tail\necho done"
    assert beginning("cat <<EOF\nBODY never ends") == "cat <<EOF"
    for command in ("grep x <<<word\nmake", "echo $((1<<2))\nmake"):
        assert beginning(command) == command


def test_of_a_commit_behind_a_long_list_the_message_stays():
    commit = "git commit -m 'feat: add the cache'"
    listed = "git add " + " ".join(f"src/module_{number}/file.py" for number in range(40))
    assert beginning(f"{listed} && {commit}") == commit
    assert beginning(f"git add -A && {commit}") == f"git add -A && {commit}"


def test_a_long_text_is_cut_between_words():
    text = "word " * 1_000
    assert len(start_of(text)) <= OBSERVED_LOOK_CHARS and set(start_of(text).split()) == {"word"}
    assert start_of("x" * 5_000) == "" and start_of("short") == "short"


def test_ids_and_files_from_outside_are_taken_only_when_plain():
    assert id_of("toolu_1") == "toolu_1"
    assert [id_of(odd) for odd in (None, 5, "", "a\nb", "é", "x" * 1_000, "\ud800")] == [""] * 7
    assert files_of({"file_path": 5, "notebook_path": "/n.ipynb", "path": ""}) == ("/n.ipynb",)
