"""A check that passes because it was made to find less, or beside a change that it doesn't see, proves nothing."""

from __future__ import annotations

import pytest

CAUSE = "The test failed because the total was rounded twice; rounding it once fixed it."
README = "The README was outdated because the command was renamed."


# The check, the file, the text that was replaced, and what came in its place: what passes then proves nothing.
EASED = {
    "skip": ("pytest -q", "tests/test_cache.py", "def test_a():", "@pytest.mark.skip\ndef test_a():"),
    "skip with a reason": (
        "pytest -q",
        "tests/test_cache.py",
        "import os\n\ndef test_a():",
        'import os\nimport pytest\n\n@pytest.mark.skip(reason="flaky")\ndef test_a():',
    ),
    "xfail": ("pytest", "tests/test_cache.py", "def test_a():", "@pytest.mark.xfail(strict=False)\ndef test_a():"),
    "unittest": (
        "python -m unittest",
        "tests/test_a.py",
        "    def test_a(self):",
        "    @unittest.skip('x')\n    def test_a(self):",
    ),
    "skipTest": (
        "pytest",
        "tests/test_a.py",
        "def test_a(self):\n    x = f()",
        "def test_a(self):\n    self.skipTest('later')\n    x = f()",
    ),
    "it.skip": ("npm test", "src/cache.test.ts", "it('adds', () => {", "it.skip('adds', () => {"),
    "describe.skip": ("npx jest", "src/cache.test.js", "describe('total', () => {", "describe.skip('total', () => {"),
    "xit": ("npx jest", "spec/cache.spec.js", "  it('adds', () => {", "  xit('adds', () => {"),
    "it.only": ("npx vitest run", "src/cache.test.ts", "it('other', () => {", "it.only('other', () => {"),
    "t.Skip": (
        "go test ./...",
        "cache_test.go",
        "func TestA(t *testing.T) {",
        "func TestA(t *testing.T) {\n\tt.Skip()",
    ),
    "#[ignore]": (
        "cargo test",
        "src/cache.rs",
        "    #[test]\n    fn adds() {",
        "    #[test]\n    #[ignore]\n    fn adds() {",
    ),
    "@Disabled": (
        "mvn -q test",
        "src/test/java/CacheTest.java",
        "    @Test\n    void adds() {",
        "    @Disabled\n    @Test\n    void adds() {",
    ),
    "@Ignore": (
        "./gradlew test",
        "app/src/test/kotlin/CacheTest.kt",
        "    @Test\n    fun adds() {",
        '    @Ignore("later")\n    @Test\n    fun adds() {',
    ),
    "rspec": ("bundle exec rspec", "spec/cache_spec.rb", "  it 'adds' do", "  xit 'adds' do"),
    "noqa": ("ruff check .", "src/cache.py", "from a import *", "from a import *  # noqa: F403"),
    "eslint-disable": (
        "npx eslint src",
        "src/a.js",
        "const a = 1;",
        "// eslint-disable-next-line no-unused-vars\nconst a = 1;",
    ),
    "@ts-ignore": ("npx tsc --noEmit", "src/a.ts", "  total(items);", "  // @ts-ignore\n  total(items);"),
    "type: ignore": ("mypy src", "src/a.py", "    return f(x)", "    return f(x)  # type: ignore[arg-type]"),
    "nolint": ("golangci-lint run", "cache.go", "\tf()", "\tf() //nolint:errcheck"),
    "continue-on-error": (
        "./ci.sh",
        ".github/workflows/ci.yml",
        "      - run: make test",
        "      - run: make test\n        continue-on-error: true",
    ),
    "|| true": ("npm test", "package.json", '    "test": "jest",', '    "test": "jest || true",'),
    "|| true in a script": ("./ci.sh", "ci.sh", "pytest -q", "pytest -q || true"),
    "emptied": ("pytest -q", "tests/test_a.py", "    assert total(3) == 4", "    pass"),
    "taken out": ("pytest -q", "tests/test_a.py", "    x = total(3)\n    assert x == 4\n", "    x = total(3)\n"),
    "weakened": ("pytest -q", "tests/test_a.py", "    assert total(3) == 4", "    assert total(3) in (3, 4)"),
    "weakened to any": (
        "npx jest",
        "src/a.test.js",
        "    expect(total(3)).toBe(4);",
        "    expect(total(3)).toBeDefined();",
    ),
    "trivial": ("pytest -q", "tests/test_a.py", "    assert total(3)", "    assert True"),
    "caught": (
        "pytest -q",
        "tests/test_a.py",
        "    assert total(3) == 4",
        "    try:\n        assert total(3) == 4\n    except AssertionError:\n        pass",
    ),
    "a wider bound": ("pytest -q", "tests/test_a.py", "    assert took < 1.0", "    assert took < 5.0"),
    "the threshold": ("pytest --cov", "pyproject.toml", "fail_under = 90", "fail_under = 70"),
    "jest's threshold": ("npx jest --coverage", "jest.config.json", '"branches": 90', '"branches": 60'),
    "function deleted": (
        "pytest -q",
        "tests/test_a.py",
        "def test_a():\n    assert f() == 1\n\n\ndef test_b():",
        "def test_b():",
    ),
    "function commented out": (
        "pytest -q",
        "tests/test_a.py",
        "def test_a():\n    assert f() == 1",
        "# def test_a():\n#     assert f() == 1",
    ),
    "function renamed": ("pytest -q", "tests/test_a.py", "def test_a():", "def _test_a():"),
}
# The check, the file that alone was changed, and what the assistant says.
UNSEEN_BY_THE_CHECK = [
    ("cargo test", "README.md", README),
    ("npm test", "docs/usage.md", "The usage page was outdated because the flag was renamed."),
    ("pytest -q", "CHANGELOG.md", "The changelog was missing the entry, because the release was not noted."),
    ("go test ./...", "docs/guide.rst", "The guide was wrong because the flag was renamed; changing it fixed it."),
    ("npx tsc --noEmit", "README.md", README),
    ("make test", "CONTRIBUTING.md", "The test failed because the guide was outdated; updating it fixed it."),
]
# A true cure: the check, (file, before, after) of each edit, and what is said.
CURES = {
    "code": ("pytest -q", [("src/a.py", "round(round(x))", "round(x)")], CAUSE),
    "a test and the code": (
        "pytest -q",
        [
            ("src/a.py", "round(round(x))", "round(x)"),
            ("tests/test_a.py", "assert total(3) == 4", "assert total(3) in (3, 4)"),
        ],
        CAUSE,
    ),
    "a wrong test": (
        "pytest -q",
        [("tests/test_a.py", 'assert name() == "old"', 'assert name() == "new"')],
        "The test failed because it expected the old name; expecting the new one fixed it.",
    ),
    "a wrong number": (
        "npx jest",
        [("src/a.test.js", "expect(total(3)).toBe(4);", "expect(total(3)).toBe(3);")],
        "The test failed because its expectation was wrong: it counted the header; changing it to 3 fixed it.",
    ),
    "a mock": (
        "npm test",
        [("src/a.test.ts", "clock.mock(0);", "clock.mock(0, { zone: 'UTC' });")],
        "The test failed because its clock had no zone; setting UTC fixed it.",
    ),
    "a stricter test": (
        "go test ./...",
        [("a_test.go", "if got == 0 {", "if got != 4 {")],
        "The test failed because it compared with zero; comparing with 4 fixed it.",
    ),
    "a README that a check reads": (
        "npx markdownlint README.md",
        [("README.md", "#Title", "# Title")],
        "It failed because the heading had no blank; adding one fixed it.",
    ),
    "a link check": (
        "make linkcheck",
        [("docs/usage.md", "a.html", "b.html")],
        "It failed because the link was stale; replacing it fixed it.",
    ),
    "docs": (
        "mkdocs build --strict",
        [("docs/usage.md", "a.md", "b.md")],
        "It failed because the page was renamed; changing the link fixed it.",
    ),
    "doctest": (
        "python -m doctest README.md",
        [("README.md", ">>> f(1)", ">>> f(2)")],
        "The doctest failed because the example was stale; changing it fixed it.",
    ),
    "a package file": (
        "npm test",
        [("package.json", '"react": "17"', '"react": "18"')],
        "The tests failed because react was too old; bumping it fixed it.",
    ),
    "a script of it": (
        "npm test",
        [("package.json", '"test": "jest"', '"test": "jest --runInBand"')],
        "The tests failed because they ran side by side; using --runInBand fixed it.",
    ),
    "a CI file": (
        "./ci.sh",
        [(".github/workflows/ci.yml", "node: 16", "node: 20")],
        "It failed because node was too old; bumping it fixed it.",
    ),
    "a setting": (
        "pytest -q",
        [("pyproject.toml", "timeout = 5", "timeout = 30")],
        "The tests failed because the timeout was too short; raising it fixed it.",
    ),
    "a line with a noqa": (
        "ruff check .",
        [("src/a.py", "import os", "import os.path  # noqa: F401")],
        "It failed because the import was wrong; changing it to os.path fixed it.",
    ),
    "a skip that is taken out again": (
        "pytest -q",
        [
            ("tests/test_a.py", "def test_a():", "@pytest.mark.skip\ndef test_a():"),
            ("src/a.py", "round(round(x))", "round(x)"),
            ("tests/test_a.py", "@pytest.mark.skip\ndef test_a():", "def test_a():"),
        ],
        CAUSE,
    ),
    "an iterator's skip": (
        "cargo test",
        [("src/a.rs", "rows.iter()", "rows.iter().skip(1)")],
        "The test failed because the header was counted; skipping it fixed it.",
    ),
    "a kill that may fail": (
        "./run.sh",
        [("run.sh", "pkill -f server", "pkill -f server || true")],
        "It failed because pkill needs a running server; using `|| true` fixed it.",
    ),
    "a new test": (
        "pytest -q",
        [("src/a.py", "a", "b"), ("tests/test_a.py", "import a", "import a\n\ndef test_x():\n    assert a.b == 1")],
        CAUSE,
    ),
    "a moved line": (
        "make test",
        [("Makefile", "  pytest -q", "\tpytest -q")],
        "It failed because the recipe had no tab; using a tab fixed it.",
    ),
}


def solved(sessions, check, edits, words, before=False):
    transcript = sessions.begin()
    transcript.user("The check is red, please have a look")
    transcript.tool("Bash", {"command": check}, failed=True, says="1 failed")
    if before:
        transcript.assistant(words)
    for file, old, new in edits:
        given = {"file_path": f"{transcript.cwd}/{file}", "old_string": old, "new_string": new}
        transcript.tool("Edit", given)
    transcript.tool("Bash", {"command": check}, says="1 passed")
    transcript.assistant("All of it passes now." if before else words)
    sessions.end(transcript)
    found = [text for text, kind in sessions.rows("content, kind") if kind == "solution"]
    return found + [text for (text,) in sessions.rows("text", "suggestion")]


@pytest.mark.parametrize("name", EASED)
@pytest.mark.parametrize("before", [False, True])
def test_a_check_that_was_made_to_find_less_proves_nothing(sessions, name, before):
    check, file, old, new = EASED[name]
    assert solved(sessions, check, [(file, old, new)], CAUSE, before) == []


@pytest.mark.parametrize(("check", "file", "words"), UNSEEN_BY_THE_CHECK)
def test_a_change_that_the_check_does_not_see_proves_nothing(sessions, check, file, words):
    assert solved(sessions, check, [(file, "old", "new")], words) == []


@pytest.mark.parametrize("name", CURES)
def test_a_true_cure_is_a_solution(sessions, name):
    check, edits, words = CURES[name]
    assert len(solved(sessions, check, edits, words)) == 1


TEST = "def test_a():\n    assert total(3) == 4\n"
WEAK = "def test_a():\n    assert total(3) in (3, 4)\n"
RIGHT = "def test_a():\n    assert total(3) == 3\n"


def patch(old, new):
    lines = [*(f"-{line}" for line in old.splitlines()), *(f"+{line}" for line in new.splitlines())]
    return {"filePath": "x", "structuredPatch": [{"oldStart": 1, "newStart": 1, "lines": lines}], "originalFile": old}


# What the assistant gave to the tool, and what the client tells of it, for a test that becomes this.
WAYS = {
    "Edit": lambda new: ({"old_string": "== 4", "new_string": new[new.index("(3) ") + 4 : -1]}, {}),
    "Edit with a patch": lambda new: ({"old_string": "4", "new_string": "?"}, {"toolUseResult": patch(TEST, new)}),
    "MultiEdit": lambda new: (
        {"edits": [{"old_string": "a", "new_string": "b"}, {"old_string": TEST, "new_string": new}]},
        {},
    ),
    "Write": lambda new: ({"content": new}, {"toolUseResult": patch(TEST, new)}),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("new", "count"), [(WEAK, 0), (RIGHT, 1)])
def test_an_edit_is_known_by_what_the_assistant_gave_or_the_client_tells(sessions, way, new, count):
    given, told = WAYS[way](new)
    transcript = sessions.begin()
    transcript.user("The check is red, please have a look")
    transcript.tool("Bash", {"command": "pytest -q"}, failed=True, says="1 failed")
    given["file_path"] = f"{transcript.cwd}/tests/test_a.py"
    transcript.result(way.split(" ")[0], given, "The file has been updated.", **told)
    transcript.tool("Bash", {"command": "pytest -q"}, says="1 passed")
    transcript.assistant("The test failed because it expected the old total; changing it fixed it.")
    sessions.end(transcript)
    assert [kind for (kind,) in sessions.rows("kind")].count("solution") == count


def test_nothing_of_an_edit_is_stored_but_what_it_does_to_checks(sessions):
    transcript = sessions.begin()
    transcript.user("The check is red, please have a look")
    for file, old, new in (("tests/test_a.py", TEST, WEAK), ("src/a.py", "old total", "new total")):
        given = {"file_path": f"{transcript.cwd}/{file}", "old_string": old, "new_string": new}
        transcript.tool("Edit", given)
    sessions.memory.capture.capture(str(transcript.path))
    assert sessions.rows("tool, command", "observation") == [("Edit", "eases a check"), ("Edit", "")]
