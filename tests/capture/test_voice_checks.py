"""What proves a cure: a check that failed and passed, never a command that reaches others, records or shows."""

from __future__ import annotations

import pytest

NO_CHECKS = [
    "git push",
    "git push --force origin main",
    "git -C /x push",
    "sudo git push",
    "cd /x && git push",
    "\\git push",
    "time git push",
    "git add -A",
    "git commit -m 'cache'",
    "git pull --rebase",
    "git fetch && git rebase",
    "gh pr create",
    "hub push",
    "git-lfs push",
    "ls",
    "ls -la src",
    "cd nowhere",
    "cd src; ls",
    "pwd",
    "docker push registry/x",
    "docker login",
    "npm publish",
    "cargo publish",
    "aws s3 cp a s3://b",
    "twine upload dist/x",
    "du -sh src",
    "lsof -i",
    "history",
    "touch src/cache.py",
    "mkdir build",
    "sleep 5",
]
CHECKS = [
    "make test",
    "pytest -q",
    "npm test",
    "npm run build",
    "cargo test",
    "go vet ./...",
    "./run.sh",
    "tox -e py311",
    "docker build .",
    "python app.py",
    "npx tsc --noEmit",
    "cd web && yarn lint",
    "bundle exec rspec",
    "mvn -q verify",
    "dotnet test",
    "swift build",
    "uv run ruff check",
    "mix test",
    "deno test",
    "terraform validate",
]
CURE = "It failed because the cache key lacked the branch; adding the branch to the key fixed it."
LISTED = [
    "- `save` - makes notes.txt",
    "`save` makes notes.txt out of the cache",
    "- `cache.py`: the key with the branch",
    "That line came from the timer of the cache.",
]


def solved(sessions, words, check):
    transcript = sessions.begin()
    transcript.user("the cache is broken")
    transcript.cure(words, check=check)
    transcript.user("thanks")
    sessions.end(transcript)
    return [text for (text,) in sessions.rows("content") if "Asked on" not in text]


@pytest.mark.parametrize("command", NO_CHECKS)
def test_what_reaches_records_or_shows_proves_nothing(sessions, command):
    assert solved(sessions, CURE, command) == []


@pytest.mark.parametrize("command", CHECKS)
def test_a_check_proves_the_words_that_name_the_cause(sessions, command):
    assert [CURE.rstrip(".") in text for text in solved(sessions, CURE, command)] == [True]


@pytest.mark.parametrize("words", LISTED)
@pytest.mark.parametrize("command", CHECKS[:5])
def test_a_remark_or_a_list_is_no_cure(sessions, words, command):
    assert [text for text in solved(sessions, words, command) if words.strip("-. ") in text] == []


TOLD_AFTER = [
    "The tests failed as the cache table pointed at the old keys",
    "The build broke since the cache folder is not made",
    "It crashed as the cache had two owners",
    "Root cause: the key was rounded per line. It is rounded once now.",
    "**Root cause**: two writers shared one handle.",
    "The root cause was a clock that ran backwards.",
]


@pytest.mark.parametrize("words", TOLD_AFTER)
def test_a_cause_told_right_after_the_pass_is_a_solution(sessions, words):
    assert len(solved(sessions, words, "make test")) == 1


# What is told before the change, the file that is changed, and what is learned of it.
TOLD_BEFORE = [
    ("The test fails because the cache key lacks the tenant.", "src/cache.py", ""),
    ("The test fails because the key lacks the tenant.", "src/store.py", ""),
    ("I see the problem. The key ignores the tenant. Let me add it.", "src/store.py", "The key ignores the tenant"),
    ("Root cause: two tenants share one key.", "src/store.py", ""),
]
PRINTED = {
    "pytest -q": "FAILED tests/test_store.py::test_apart - AssertionError: assert 7 is None\n1 failed in 0.04s",
    "npm test": "FAIL src/store.test.ts\n    Expected: 1\n    Received: 2\nTests: 1 failed, 5 total",
    "make test": "make: *** [Makefile:4: test] Error 1",
}


@pytest.mark.parametrize("check", PRINTED)
def test_a_cause_told_before_the_change_is_a_solution_with_the_change_and_the_check(sessions, check):
    for words, file, _ in TOLD_BEFORE:
        transcript = sessions.begin()
        transcript.user("The tests are red, please have a look")
        transcript.tool("Bash", {"command": check}, failed=True, says=PRINTED[check])
        transcript.assistant(words)
        transcript.tool("Edit", {"file_path": f"{transcript.cwd}/{file}", "old_string": "a", "new_string": "b"})
        transcript.tool("Bash", {"command": check})
        transcript.assistant("All tests pass now.")
        sessions.end(transcript)
    found = {content for content, kind in sessions.rows("content, kind") if kind == "solution"}
    proof = f"then `{check}` passed"
    assert found == {f"{heard or words.rstrip('.')} (changed {file}; {proof})" for words, file, heard in TOLD_BEFORE}
