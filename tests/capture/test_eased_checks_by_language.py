"""What an edit takes from a check, in many languages: of a test, an assertion, a finding; and what takes nothing."""

from __future__ import annotations

import pytest

from keepstone.capture.eased_checks import EASES, LINE_CHARS, REMARKS, TURNS_OFF, TURNS_ON, effect, line_effect
from keepstone.capture.proven_solutions import solutions
from keepstone.claude_code.observation import FAILED, OK, UNKNOWN, Observation

CAUSE = "The test failed because the total was rounded twice; rounding it once fixed it."
STALE = "The total was wrong because of a stale name; changing it fixed it."
# The check, the file, what was replaced, and what came in its place.
EASED = {
    "elixir tag": ("mix test", "test/cache_test.exs", '  test "adds" do', '  @tag :skip\n  test "adds" do'),
    "csharp": (
        "dotnet test",
        "tests/CacheTests.cs",
        "    [Fact]\n    public void Adds()",
        '    [Fact(Skip = "flaky")]\n    public void Adds()',
    ),
    "nunit": (
        "dotnet test",
        "App.Tests/CacheTests.cs",
        "    [Test]\n    public void Adds()",
        '    [Test]\n    [Ignore("flaky")]\n    public void Adds()',
    ),
    "phpunit": (
        "vendor/bin/phpunit",
        "tests/CacheTest.php",
        "    public function testAdds(): void\n    {",
        "    public function testAdds(): void\n    {\n        $this->markTestSkipped('later');",
    ),
    "pest": (
        "vendor/bin/pest",
        "tests/CacheTest.php",
        "    expect(total(3))->toBe(4);\n});",
        "    expect(total(3))->toBe(4);\n})->skip('later');",
    ),
    "swift": (
        "swift test",
        "Tests/CacheTests/CacheTests.swift",
        "    func testAdds() throws {",
        '    func testAdds() throws {\n        throw XCTSkip("later")',
    ),
    "gtest": ("ctest", "tests/cache_test.cpp", "TEST(Cache, Adds) {", "TEST(Cache, DISABLED_Adds) {"),
    "gtest2": ("make check", "tests/cache_test.cc", "TEST(Cache, Adds) {", "TEST(Cache, Adds) {\n  GTEST_SKIP();"),
    "bats": ("bats tests", "tests/cache.bats", '@test "adds" {', '@test "adds" {\n  skip "later"'),
    "dart": (
        "flutter test",
        "test/cache_test.dart",
        "  test('adds', () {\n    expect(total(3), equals(4));\n  });",
        "  test('adds', () {\n    expect(total(3), equals(4));\n  }, skip: true);",
    ),
    "scala": ("sbt test", "src/test/scala/CacheSpec.scala", '  it should "add" in {', '  ignore should "add" in {'),
    "gherkin": ("npx cucumber-js", "features/cache.feature", "  Scenario: adds", "  @skip\n  Scenario: adds"),
    "playwright fixme": (
        "npx playwright test",
        "e2e/cache.spec.ts",
        "test('adds', async ({ page }) => {",
        "test.fixme('adds', async ({ page }) => {",
    ),
    "cypress": ("npx cypress run", "cypress/e2e/cache.cy.js", "  it('adds', () => {", "  it.skip('adds', () => {"),
    "mocha this.skip": (
        "npx mocha",
        "test/cache.js",
        "  it('adds', function () {",
        "  it('adds', function () {\n    this.skip();",
    ),
    "pytestmark": (
        "pytest",
        "tests/unit/test_a.py",
        "import pytest\n",
        'import pytest\n\npytestmark = pytest.mark.skip("later")\n',
    ),
    "node todo": ("node --test", "test/a.test.mjs", "test('adds', () => {", "test('adds', { skip: true }, () => {"),
    "ruby pending": (
        "bundle exec rspec",
        "spec/models/cache_spec.rb",
        "  it 'adds' do\n    expect(total(3)).to eq(4)",
        "  it 'adds' do\n    pending 'later'\n    expect(total(3)).to eq(4)",
    ),
    "minitest": ("bin/rails test", "test/models/cache_test.rb", '  test "adds" do\n', '  test "adds" do\n    skip\n'),
    "rust deleted": (
        "cargo test",
        "src/cache.rs",
        "    #[test]\n    fn adds() {\n        assert_eq!(total(3), 4);\n    }\n",
        "",
    ),
    "rust weak": ("cargo test", "src/cache.rs", "        assert_eq!(total(3), 4);", "        assert!(total(3) > 0);"),
    "go weak": ("go test ./...", "cache_test.go", "\tif got != 4 {", "\tif got != 4 && got != 3 {"),
    "testify": ("go test ./...", "cache_test.go", "\trequire.Equal(t, 4, total(3))", "\trequire.NotNil(t, total(3))"),
    "junit weak": (
        "mvn test",
        "src/test/java/CacheTest.java",
        "        assertEquals(4, total(3));",
        "        assertNotNull(total(3));",
    ),
    "rspec weak": ("rspec", "spec/cache_spec.rb", "    expect(total(3)).to eq(4)", "    expect(total(3)).to be >= 3"),
    "assertj": (
        "./gradlew test",
        "src/test/java/CacheTest.java",
        "assertThat(total(3)).isEqualTo(4);",
        "assertThat(total(3)).isPositive();",
    ),
    "or": ("pytest", "tests/test_a.py", "    assert total(3) == 4", "    assert total(3) == 4 or total(3) == 3"),
    "raises": ("pytest", "tests/test_a.py", "    with pytest.raises(KeyError):", "    with pytest.raises(Exception):"),
    "tolerance": (
        "pytest",
        "tests/test_a.py",
        "    assert x == pytest.approx(4, abs=0.01)",
        "    assert x == pytest.approx(4, abs=1)",
    ),
    "js less": (
        "npx vitest run",
        "src/a.test.ts",
        "expect(took).toBeLessThan(100);",
        "expect(took).toBeLessThan(1000);",
    ),
    "any": ("npx jest", "src/a.test.ts", "expect(user.id).toBe(7);", "expect(user.id).toEqual(expect.any(Number));"),
    "param row": ("pytest", "tests/test_a.py", "    (1, 2),\n    (3, 4),\n", "    (1, 2),\n"),
    "return": (
        "npx jest",
        "src/a.test.js",
        "it('adds', () => {\n  expect(f()).toBe(1);",
        "it('adds', () => {\n  return;\n  expect(f()).toBe(1);",
    ),
    "js deleted": ("npx jest", "src/a.test.js", "it('adds', () => {\n  expect(f()).toBe(1);\n});\n", ""),
    "block comment": (
        "npx jest",
        "src/a.test.js",
        "it('adds', () => {\n  expect(f()).toBe(1);\n});",
        "/*\nit('adds', () => {\n  expect(f()).toBe(1);\n});\n*/",
    ),
    "rubocop": (
        "bundle exec rubocop",
        "app/cache.rb",
        "  def total(x)",
        "  def total(x) # rubocop:disable Metrics/AbcSize",
    ),
    "allow": (
        "cargo clippy -- -D warnings",
        "src/cache.rs",
        "fn total(x: u8) {",
        "#[allow(clippy::too_many_arguments)]\nfn total(x: u8) {",
    ),
    "SuppressWarnings": (
        "mvn -q compile",
        "src/main/java/Cache.java",
        "    void total() {",
        '    @SuppressWarnings("unchecked")\n    void total() {',
    ),
    "shellcheck": ("shellcheck run.sh", "run.sh", "cd $DIR", "# shellcheck disable=SC2086\ncd $DIR"),
    "pylint": ("pylint src", "src/a.py", "def f(x):", "def f(x):  # pylint: disable=unused-argument"),
    "phpstan": (
        "vendor/bin/phpstan analyse",
        "src/Cache.php",
        "        $this->total($x);",
        "        /** @phpstan-ignore-next-line */\n        $this->total($x);",
    ),
    "eslint rule": ("npm run lint", ".eslintrc.json", '    "no-unused-vars": "error",', '    "no-unused-vars": "off",'),
    "ruff ignore": ("ruff check .", "pyproject.toml", 'ignore = ["E501"]', 'ignore = ["E501", "F401"]'),
    "strict": ("npx tsc", "tsconfig.json", '    "strict": true,', '    "strict": false,'),
    "make excuse": ("make test", "Makefile", "\tpytest -q", "\t-pytest -q || true"),
    "cov addopts": ("pytest", "setup.cfg", "addopts = --cov-fail-under=90", "addopts = --cov-fail-under=50"),
    "max warnings": (
        "npm run lint",
        "package.json",
        '"lint": "eslint . --max-warnings 0"',
        '"lint": "eslint . --max-warnings 50"',
    ),
    "allow_failure": ("./ci.sh", ".gitlab-ci.yml", "  script: make test", "  script: make test\n  allow_failure: true"),
    "pass with no tests": ("npm test", "package.json", '"test": "jest"', '"test": "jest --passWithNoTests"'),
    "comment only": ("cargo test", "src/cache.rs", "fn total() {", "// The total of all rows.\nfn total() {"),
    "partial ==": ("pytest", "tests/test_a.py", "== 4", "in (3, 4)"),
    "partial toBe": ("npx jest", "src/a.test.ts", ".toBe(4)", ".toBeTruthy()"),
    "partial or": ("pytest", "tests/test_a.py", "total(3) == 4", "total(3) == 4 or True"),
    "multi skip import": (
        "pytest",
        "tests/test_a.py",
        "from app import total\n\n\nclass TestA:",
        "import pytest\nfrom app import total\n\n\n@pytest.mark.skip(reason='slow')\nclass TestA:",
    ),
    "skipif": (
        "pytest",
        "tests/test_a.py",
        "def test_a():",
        "@pytest.mark.skipif(sys.platform == 'linux', reason='x')\ndef test_a():",
    ),
    "param skip": ("pytest", "tests/test_a.py", "    (3, 4),", "    pytest.param(3, 4, marks=pytest.mark.skip),"),
    "test_ in django": (
        "python manage.py test",
        "app/tests.py",
        "    def test_a(self):",
        "    @skip('later')\n    def test_a(self):",
    ),
    "vitest todo": ("pnpm vitest", "a.test.ts", "test('adds', () => {\n  expect(f()).toBe(1)\n})", "test.todo('adds')"),
    "deno ignore": ("deno test", "a_test.ts", "Deno.test('adds', () => {", "Deno.test.ignore('adds', () => {"),
    "rust skipped by cfg": (
        "cargo test",
        "tests/cache.rs",
        "#[test]\nfn adds() {",
        '#[test]\n#[ignore = "slow"]\nfn adds() {',
    ),
    "go early return": (
        "go test ./...",
        "cache_test.go",
        "func TestA(t *testing.T) {\n\tgot := f()",
        "func TestA(t *testing.T) {\n\treturn\n\tgot := f()",
    ),
    "go Error to Log": ("go test ./...", "cache_test.go", '\t\tt.Errorf("got %d", got)', '\t\tt.Logf("got %d", got)'),
    "go renamed": ("go test ./...", "cache_test.go", "func TestA(t *testing.T) {", "func testA(t *testing.T) {"),
    "go build tag": ("go test ./...", "cache_test.go", "package cache", "//go:build ignore\n\npackage cache"),
    "kotlin ignore": (
        "./gradlew test",
        "src/test/kotlin/CacheTest.kt",
        "    @Test\n    fun `adds two`() {",
        "    @Test\n    @Disabled\n    fun `adds two`() {",
    ),
    "testng": ("mvn test", "src/test/java/CacheTest.java", "    @Test\n", "    @Test(enabled = false)\n"),
    "junit bound": (
        "mvn test",
        "src/test/java/CacheTest.java",
        "assertEquals(4.0, total(3), 0.01);",
        "assertTrue(total(3) > 0);",
    ),
    "xunit assert": (
        "dotnet test",
        "tests/CacheTests.cs",
        "        Assert.Equal(4, Total(3));",
        "        Assert.NotNull(Total(3));",
    ),
    "ruby focus": ("rspec", "spec/a_spec.rb", "  it 'other' do", "  fit 'other' do"),
    "minitest assert": ("rake test", "test/a_test.rb", "    assert_equal 4, total(3)", "    assert total(3)"),
    "elixir assert": ("mix test", "test/a_test.exs", "    assert total(3) == 4", "    assert is_integer(total(3))"),
    "perl": ("prove -r t", "t/total.t", "is(total(3), 4);", "ok(1);"),
    "mypy file": ("mypy src", "src/a.py", "from b import c", "# mypy: ignore-errors\nfrom b import c"),
    "ts-nocheck": ("npx tsc", "src/a.ts", "import b from './b';", "// @ts-nocheck\nimport b from './b';"),
    "jsx disable": (
        "npx eslint .",
        "src/a.jsx",
        "<a href='x' />",
        "{/* eslint-disable-next-line jsx-a11y/anchor */}\n<a href='x' />",
    ),
    "file disable": ("npx eslint .", "src/a.js", "const a = 1;", "/* eslint-disable */\nconst a = 1;"),
    "swiftlint": (
        "swiftlint",
        "Sources/a.swift",
        "func total() {",
        "// swiftlint:disable:next cyclomatic\nfunc total() {",
    ),
    "clippy crate": ("cargo clippy", "src/lib.rs", "mod a;", "#![allow(dead_code)]\nmod a;"),
    "go vet": ("staticcheck ./...", "a.go", "\tf()", "\tf() //lint:ignore SA4006 later"),
    "c pragma": ("make", "src/a.c", "int f(void) {", '#pragma GCC diagnostic ignored "-Wunused"\nint f(void) {'),
    "script exit 0": ("./ci.sh", "ci.sh", "npm test", "npm test; exit 0"),
    "set +e": ("./ci.sh", "ci.sh", "make test", "set +e\nmake test"),
    "ci or echo": ("./ci.sh", "ci.sh", "npm run lint", "npm run lint || echo 'lint failed'"),
    "noxfile": ("tox", "tox.ini", "commands = pytest", "commands = - pytest"),
    "deselect": ("pytest", "pyproject.toml", 'addopts = "-q"', 'addopts = "-q --deselect tests/test_a.py::test_a"'),
    "jest ignore": (
        "npx jest",
        "jest.config.json",
        '  "verbose": true',
        '  "verbose": true,\n  "testPathIgnorePatterns": ["a.test"]',
    ),
    "nyc": ("npx nyc npm test", ".nycrc", '  "lines": 95,', '  "lines": 50,'),
    "xml cov": ("mvn verify", "pom.xml", "<minimum>0.90</minimum>", "<minimum>0.50</minimum>"),
    "bundle size": ("npm run size", "package.json", '"maxSize": "10 kB"', '"maxSize": "90 kB"'),
}
# The failing check, the line in between, and the check that passed.
EASED_BY_LINES = {
    "sed weak": ("pytest", "sed -i 's/== 4/in (3, 4)/' tests/test_a.py", "pytest"),
    "sed skip": ("pytest", "sed -i 's/^def test_a/@pytest.mark.skip\\n&/' tests/test_a.py", "pytest"),
    "perl skip": ("npx jest", "perl -pi -e 's/it\\(/it.skip(/' src/a.test.ts", "npx jest"),
    "sed delete": ("pytest", "sed -i '/def test_a/,/^$/d' tests/test_a.py", "pytest"),
    "sed noqa": ("ruff check .", "sed -i 's/import \\*/import *  # noqa/' src/a.py", "ruff check ."),
    "jest -u": ("npx jest", "npx jest -u", "npx jest"),
    "jest -u itself": ("npx jest", None, "npx jest -u"),
    "npm -- -u": ("npm test", "npm test -- -u", "npm test"),
    "snapshot-update": ("pytest", "pytest --snapshot-update", "pytest"),
    "insta": ("cargo test", "cargo insta accept", "cargo test"),
    "env": ("go test ./...", "UPDATE_GOLDEN=1 go test ./...", "go test ./..."),
    "go update": ("go test ./...", "go test ./... -update", "go test ./..."),
    "exit zero": ("ruff check .", None, "ruff check . --exit-zero"),
    "skip tests": ("mvn verify", None, "mvn verify -DskipTests"),
}
CURED_BY_LINES = {
    "sed fix": ("pytest", "sed -i 's/round(round(x))/round(x)/' src/a.py", "pytest"),
    "sed test": ("pytest", "sed -i 's/== 4/== 5/' tests/test_a.py", "pytest"),
    "install": ("pytest", "pip install -U stale", "pytest"),
    "npm ci": ("npm test", "npm ci", "npm test"),
    "generate": ("go build ./...", "go generate ./...", "go build ./..."),
    "fix": ("ruff check .", "ruff check --fix .", "ruff check ."),
}
UNSEEN_BY_THE_CHECK = [
    ("cargo test", "docs/guide.md"),
    ("pytest", "LICENSE"),
    ("./gradlew test", "docs/index.adoc"),
    ("yarn test", "packages/a/README.md"),
    ("npm run build", "CHANGELOG.md"),
    ("dotnet test", "docs/api.md"),
]
# True cures: the check, (file, before, after) of each edit, and what was said.
CURES = {
    "go code": ("go test ./...", [("cache.go", "return a", "return b")], CAUSE),
    "elixir": ("mix test", [("lib/cache.ex", "a", "b")], CAUSE),
    "test+code java": (
        "mvn test",
        [
            ("src/main/java/C.java", "a", "b"),
            ("src/test/java/CTest.java", "assertEquals(4, f());", "assertTrue(f() > 2);"),
        ],
        CAUSE,
    ),
    "expectation rust": (
        "cargo test",
        [("src/cache.rs", "assert_eq!(total(3), 4);", "assert_eq!(total(3), 3);")],
        "The test failed because its expectation was wrong; changing it to 3 fixed it.",
    ),
    "expectation go": (
        "go test ./...",
        [("cache_test.go", "if got != 4 {", "if got != 3 {")],
        "The test failed because it expected the old count; expecting 3 fixed it.",
    ),
    "expectation rspec": (
        "rspec",
        [("spec/a_spec.rb", "expect(name).to eq('old')", "expect(name).to eq('new')")],
        "The spec failed because it expected the old name; using the new one fixed it.",
    ),
    "expectation split": (
        "pytest",
        [("tests/test_a.py", "    assert f() == (1, 2)", "    assert f()[0] == 1\n    assert f()[1] == 3")],
        "The test failed because it expected the old pair; changing it fixed it.",
    ),
    "fixture": (
        "pytest",
        [("tests/conftest.py", "clock = now()", "clock = frozen()")],
        "The tests failed because the clock moved on; freezing it in the fixture fixed it.",
    ),
    "await in test": (
        "npx jest",
        [("src/a.test.js", "  expect(load()).toEqual({});", "  expect(await load()).toEqual({});")],
        "The test failed because the promise was never awaited; adding await fixed it.",
    ),
    "timeout in test": (
        "npx playwright test",
        [("e2e/a.spec.ts", "timeout: 500", "timeout: 5000")],
        "The test failed because the timeout was too short; raising it fixed it.",
    ),
    "async skip arg": (
        "pytest",
        [("tests/test_a.py", "load(path)", "load(path, skip_header=True)")],
        "The test failed because the header was read; skipping it with skip_header fixed it.",
    ),
    "ts config": (
        "npx tsc",
        [("tsconfig.json", '"target": "es5"', '"target": "es2022"')],
        "It failed because the target was too old; changing it fixed it.",
    ),
    "docker": (
        "docker build .",
        [("Dockerfile", "FROM node:16", "FROM node:20")],
        "The build failed because node was too old; bumping the image fixed it.",
    ),
    "gitlab ci": (
        "./ci.sh",
        [(".gitlab-ci.yml", "image: a", "image: b")],
        "It failed because the image was stale; changing it fixed it.",
    ),
    "vale": (
        "vale docs",
        [("docs/usage.md", "utilize", "use")],
        "It failed because the word was wrong; using another fixed it.",
    ),
    "npm docs": (
        "npm run docs:build",
        [("docs/usage.md", "a", "b")],
        "It failed because the link was stale; changing it fixed it.",
    ),
    "prettier": (
        "npx prettier --check .",
        [("README.md", "*  a", "- a")],
        "It failed because the list used stars; using dashes fixed it.",
    ),
    "README + code": ("cargo test", [("src/a.rs", "a", "b"), ("README.md", "a", "b")], CAUSE),
    "lint comment": (
        "npx eslint .",
        [("src/a.js", "//bad", "// A good remark here")],
        "The lint failed because the comment had no blank; adding one fixed it.",
    ),
    "pool": (
        "pytest",
        [("config.yml", "pool_size: 1", "pool_size: 10")],
        "The tests failed because the pool was too small; raising it fixed it.",
    ),
    "min pool": (
        "pytest",
        [("config.yml", "min_connections: 5", "min_connections: 1")],
        "The tests failed because the pool was too large; changing it to 1 fixed it.",
    ),
    "json lines": (
        "make test",
        [("Makefile", "CFLAGS = -O2", "CFLAGS = -O2 -lm")],
        "The build failed because libm was missing; adding -lm fixed it.",
    ),
    "noqa + fix": (
        "pytest",
        [("src/a.py", "import a  # noqa: F401", "import b  # noqa: F401")],
        "The test failed because the wrong module was imported; changing it fixed it.",
    ),
    "python -u": (
        "python -u app.py",
        [("app.py", "a", "b")],
        "It failed because the port was missing; setting it fixed it.",
    ),
    "new import in test": (
        "pytest",
        [("tests/test_a.py", "from app import total", "from app.sums import total")],
        "The test failed because `total` was moved to sums; importing it from there fixed it.",
    ),
    "renamed fn in test": (
        "pytest",
        [("tests/test_a.py", "    assert total(3) == 4", "    assert sum_up(3) == 4")],
        "The test failed because it used the old name `total`; using the new one fixed it.",
    ),
    "renamed test": (
        "pytest",
        [("tests/test_a.py", "def test_a():\n    assert old() == 1", "def test_new_a():\n    assert new() == 1")],
        "The test failed because it used the old name; changing it fixed it.",
    ),
    "more asserts": (
        "npx jest",
        [("a.test.js", "expect(f()).toBe(1);", "expect(f()).toBe(2);\nexpect(g()).toBe(3);")],
        "The test failed because it expected the old value; changing it fixed it.",
    ),
    "order in test": (
        "pytest",
        [("tests/test_a.py", "assert names() == ['b', 'a']", "assert sorted(names()) == ['a', 'b']")],
        "The test failed because it expected an order that a set has not; sorting the names fixed it.",
    ),
    "beforeEach": (
        "npx jest",
        [("a.test.js", "describe('a', () => {", "describe('a', () => {\n  beforeEach(() => reset());")],
        "The tests failed because the store was never reset; adding beforeEach fixed it.",
    ),
    "go parallel": (
        "go test ./...",
        [("a_test.go", "\tt.Parallel()\n", "")],
        "The test failed because it shared a port; switching t.Parallel off fixed it.",
    ),
    "rust unwrap": (
        "cargo test",
        [("src/a.rs", "x.unwrap()", "x.unwrap_or_default()")],
        "The test failed because the option was empty; using the default fixed it.",
    ),
    "java JsonIgnore": (
        "mvn test",
        [("src/main/java/A.java", "    private A parent;", "    @JsonIgnore\n    private A parent;")],
        "The test failed because the parent was written in a loop; adding JsonIgnore fixed it.",
    ),
    "C# Skip": (
        "dotnet test",
        [("src/A.cs", "rows.ToList()", "rows.Skip(1).ToList()")],
        "The test failed because the header was counted; adding Skip fixed it.",
    ),
    "grep || true": (
        "./ci.sh",
        [("ci.sh", "grep -q x log", "grep -q x log || true")],
        "The script failed because grep exits with 1 when nothing is found; using `|| true` fixed it.",
    ),
    "docs doctest": (
        "pytest --doctest-glob='*.md'",
        [("docs/usage.md", ">>> a", ">>> b")],
        "The doctest failed because the example was stale; changing it fixed it.",
    ),
    "README named": (
        "python check_readme.py",
        [("README.md", "a", "b")],
        "It failed because the README was stale; changing it fixed it.",
    ),
    "md content": (
        "npm run build",
        [("content/posts/a.md", "date: x", "date: 2026-01-01")],
        "The build failed because the post's date was wrong; changing it fixed it.",
    ),
    "gitignore + code": ("pytest", [(".gitignore", "a", "b"), ("src/a.py", "a", "b")], CAUSE),
    "eslint env": (
        "npm run lint",
        [(".eslintrc.json", '"env": { "node": true }', '"env": { "node": true, "browser": true }')],
        "The lint failed because `window` was not defined; adding the browser env fixed it.",
    ),
    "tsconfig lib": (
        "npx tsc",
        [("tsconfig.json", '"lib": ["es2019"]', '"lib": ["es2022", "dom"]')],
        "It failed because the lib was too old; using es2022 fixed it.",
    ),
    "pytest path": (
        "pytest",
        [("pyproject.toml", "[tool.pytest.ini_options]", '[tool.pytest.ini_options]\npythonpath = ["src"]')],
        "The tests failed because src was not on the path; adding pythonpath fixed it.",
    ),
    "type": (
        "mypy src",
        [("src/a.py", "def f(x):", "def f(x: int) -> int:")],
        "It failed because f had no types; adding them fixed it.",
    ),
    "code with todo": ("pytest", [("src/a.py", "x = 1", "# TODO: later\nx = 2")], CAUSE),
}


def proven(check, edits, words, between=None, passed=None):
    edited = [("Edit", effect(*edit), (edit[0],), OK, "") for edit in edits]
    ran = [("Bash", between, (), OK, "")] if between else []
    end = [("Bash", passed or check, (), OK, ""), ("", "", (), UNKNOWN, words)]
    rows = enumerate([("Bash", check, (), FAILED, ""), *edited, *ran, *end])
    seen = [Observation(f"c{at}", *row[:4], row[4], f"r{at}", at, float(at)) for at, row in rows]
    return [solution.text for solution in solutions(seen)]


@pytest.mark.parametrize("name", EASED)
def test_an_edit_that_takes_from_the_check_proves_nothing(name):
    check, *edit = EASED[name]
    assert proven(check, [edit], CAUSE) == []
    beside = ("src/total.zig", "round(round(x))", "round(x)")
    if effect(*edit) in (EASES, REMARKS):
        assert proven(check, [edit, beside], CAUSE) == [CAUSE.rstrip(".")]
    else:
        assert effect(*edit) == TURNS_OFF and proven(check, [edit, beside], CAUSE) == []


@pytest.mark.parametrize("name", EASED_BY_LINES)
def test_a_line_that_takes_from_the_check_proves_nothing(name):
    check, between, passed = EASED_BY_LINES[name]
    assert proven(check, [], STALE, between, passed) == []


@pytest.mark.parametrize("name", CURED_BY_LINES)
def test_a_line_that_changes_what_is_checked_proves_the_cause(name):
    check, between, passed = CURED_BY_LINES[name]
    assert proven(check, [], STALE, between, passed) == [STALE.rstrip(".")]


@pytest.mark.parametrize(("check", "file"), UNSEEN_BY_THE_CHECK)
@pytest.mark.parametrize("words", [CAUSE, STALE])
def test_documents_that_the_check_does_not_read_cure_nothing(check, file, words):
    assert proven(check, [(file, "a", "b")], words) == []
    assert proven(check, [(file, "a", "b")], words, between="git status") == []
    assert proven(check, [(file, "a", "b"), ("src/total.zig", "a", "b")], words) == [words.rstrip(".")]


@pytest.mark.parametrize("name", CURES)
def test_what_changes_what_is_checked_proves_the_cause(name):
    check, edits, words = CURES[name]
    assert proven(check, edits, words) == [words.rstrip(".")]


@pytest.mark.parametrize("name", EASED)
def test_the_way_back_takes_nothing(name):
    _, file, old, new = EASED[name]
    assert effect(file, new, old) in ("", TURNS_ON, REMARKS)


def test_of_a_file_that_was_written_whole_only_what_stands_there_is_known():
    assert effect("tests/test_a.py", "", "") == effect("tests/test_a.py", "", "import os\n") == TURNS_OFF
    assert effect("tests/test_a.py", "", "@pytest.mark.skip\ndef test_a():\n    assert f()") == TURNS_OFF
    assert effect("tests/test_a.py", "", "def test_a():\n    assert f() or g()") == ""
    assert effect("tests/conftest.py", "", "import os\n") == effect("src/a.py", "", "import os\n") == ""


def test_lines_of_a_stream_editor_are_read_as_edits():
    assert line_effect("cd x && sed -i 's/== 4/in (3, 4)/' tests/test_a.py") == EASES
    assert line_effect("sed -i -e 's|^def test_a|@pytest.mark.skip\\n&|' tests/test_a.py") == TURNS_OFF
    assert line_effect("sed -n 's/== 4/in (3, 4)/p' tests/test_a.py") == line_effect("sed -i") == ""
    assert line_effect("sed -i 's/old/new/' tests/test_a.py") == ""


@pytest.mark.parametrize(
    "line", ["\n", "/*\n", "a\n", "# " + "a-" * LINE_CHARS + "\n", "x == x" * 60 + "\n", "expect(" * 60]
)
def test_a_text_of_any_form_is_read_in_time(line):
    text = line * (60_000 // len(line))
    assert effect("tests/test_a.py", text, f"{text}b") in ("", EASES, TURNS_OFF, TURNS_ON, REMARKS)
