"""The checks among shell lines: what is one, what its state says, and when two runs are the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepstone.capture.checks import changed_words, changes, check_of, is_clear
from keepstone.claude_code.observation import FAILED, OK, UNKNOWN

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
    ("npm run build", "npm run build"),
    ("npm run lint -- --fix", "npm run lint"),
    ("make -C web test", "make test"),
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
    ('bash -c "pytest -q"', "pytest"),
    ("bash -lc 'cd web && npm test' 2>&1 | tail", "npm test"),
    ("sh run.sh", "sh run.sh"),
    ("timeout 60 bash -c 'cd web && npm test'", "npm test"),
    ("CI=1 bash -c 'make test'", "make test"),
    ("cd /x && sh -c 'make test'", "make test"),
    ("for i in 1 2; do bash -c 'make test'; done", "make test"),
    ("npm run ci", "npm run ci"),
    ("yarn run ci", "yarn run ci"),
    ("bun run ci", "bun run ci"),
    ("pnpm run sync", "pnpm run sync"),
    ("npm run sync", "npm run sync"),
    ("npm run update", "npm run update"),
    ("npm run list", "npm run list"),
    ("uv run bash -c 'pytest -q'", "pytest"),
    ("npm run-script ci", "npm run-script ci"),
    ("composer run-script ci", "composer run-script ci"),
    ("deno task ci", "deno task"),
    ("cargo xtask ci", "cargo xtask"),
    ("cargo make ci", "cargo make"),
    ('eval "make test"', "make test"),
    ("cargo test auth", "cargo test"),
    ("python app.py upload", "python app.py"),
    ("cargo run -- login", "cargo run"),
    ("go run ./cmd push", "go run"),
    ("npm test login", "npm test"),
    ("npm run build", "npm run build"),
    ("npm run lint -- --fix", "npm run lint"),
    ("pytest -k login", "pytest"),
    ("make -C web test", "make test"),
    ("vercel build", "vercel build"),
    ("helm lint charts/x", "helm lint"),
    ("docker run app pytest", "docker run"),
    ("docker compose build", "docker compose"),
    ("docker compose run web pytest", "docker compose"),
    ("dotnet build", "dotnet build"),
    ("yarn test", "yarn test"),
    ("pip install -e . && pytest", "pytest"),
    ("bundle exec rake", "rake"),
    ("go build ./...", "go build"),
    ("terraform plan", "terraform plan"),
    ("deno check main.ts", "deno check"),
    ("for i in 1 2 3; do pytest; done", "pytest"),
    ("if make; then echo ok; fi", "make"),
    ("(cd a && make test)", "make test"),
    ("# run the tests\npytest", "pytest"),
    ("pytest tests \\\n  -k foo", "pytest tests"),
    ("pytest\n# that was it", "pytest"),
    ("npm test && git add -A && git commit -m 'it; and that'", "npm test"),
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
NO_CHECKS = [
    'bash -c "git push"',
    "sh -c 'cd x && git push'",
    'eval "git push"',
    '/bin/bash -ec "git push origin \\"main\\""',
    "zsh -c 'ls'",
    'ssh prod bash -c "cd /app && make test"',
    'ssh prod "cd /app && make test"',
    "ssh -p 22 prod -- sh -c 'make test'",
    'kubectl exec pod -- sh -c "cd /app && pytest -q"',
    'oc exec pod -- /bin/bash -lc "cd /app && pytest -q"',
    "gcloud compute ssh web -- bash -c 'cd /app && make test'",
    'heroku run bash -c "cd /app && make test"',
    "git commit -m \"bash -c 'make test'\"",
    "docker image push acme/web",
    "docker compose pull",
    "docker compose down",
    "docker ps",
    "docker image ls",
    "docker rm -f web",
    "dotnet nuget push x.nupkg",
    "dotnet restore",
    "yarn npm publish",
    "yarn",
    "yarn add react",
    "npm ci",
    "npm i",
    "npm ls",
    "npm run deploy",
    "pip install -r requirements.txt",
    "python -m pip install x",
    "uv pip install x",
    "uv sync",
    "go mod download",
    "bundle install",
    "apt-get install -y jq",
    "vercel deploy",
    "vercel --prod",
    "npx vercel deploy",
    "fly deploy",
    "firebase deploy --only hosting",
    "kubectl get pods",
    "kubectl apply -f x.yaml",
    "helm upgrade web charts/web",
    "make deploy",
    "make install",
    "netstat -an",
    "basename x/y",
    "node --version",
    "systemctl status nginx",
    'git commit -m "fix; add"',
    "git commit -m 'it && that'",
    "curl -sf localhost:8080/health",
    "mkdir -p a && cp b a",
]


@pytest.mark.parametrize(("command", "check"), CHECKS)
def test_a_check_is_known_by_its_program_and_first_word(command, check):
    assert check_of(command) == check


@pytest.mark.parametrize("command", [*SHOWS, *NO_CHECKS])
def test_what_only_shows_sets_or_records_something_checks_nothing(command):
    assert check_of(command) == ""


@pytest.mark.parametrize(
    ("command", "failed", "passed"),
    [
        ("make test", True, True),
        ("make test 2>&1 | tail -3", True, True),
        ("make test | tee log | tail", True, True),
        ("make test > log 2>&1", True, True),
        ("npm test && git commit -m x", False, True),
        ("git pull && make test", False, True),
        ("make test; echo done", True, True),
        ("make test > log; tail log", True, False),
        ("make test | grep FAILED", False, False),
        ("set -o pipefail; make test | grep -v noise", False, True),
        ("make test || true", True, False),
        ("make test || echo broken", True, False),
        ("make lint && make test && echo fine || true", True, False),
        ("make test || exit 1", True, True),
        ("make test || { exit 1; }", True, True),
        ("make test || { echo broken; exit 1; }", True, True),
        ("make test || exit 0", True, False),
        ("make test || { cat log; }", True, False),
        ("make test; git push || true", False, True),
        ("git push", False, False),
        ("make test &", False, False),
        ("(make test) & wait", False, False),
        ("make test &> log", True, True),
        ("curl 'x?a&b' && make test", False, True),
    ],
)
def test_a_state_is_that_of_the_check_if_nothing_hides_it(command, failed, passed):
    assert (is_clear(command, FAILED), is_clear(command, OK)) == (failed, passed)
    assert not is_clear(command, UNKNOWN)


@pytest.mark.parametrize(
    ("failed", "passed", "words"),
    [
        ("pytest", "pytest -q", set()),
        ("pytest -x -k one", "pytest", set()),
        ("cd a && pytest tests 2>&1 | tail", "pytest tests", set()),
        ("pytest", "pytest -k one", None),
        ("bash -c 'pytest'", "bash -c 'pytest -k one'", None),
        ("bash -c 'pytest -k one'", "pytest", set()),
        ("pytest", "pytest --deselect=a", None),
        ("python -c 'import a'", "python -c 'import b'", None),
        ("mypy --strict src", "mypy src", {"--strict"}),
        ("make proto", "PATH=/go/bin make proto", {"PATH=/go/bin"}),
        ("docker build .", "docker build --network=host .", {"--network=host"}),
    ],
)
def test_a_later_run_is_the_same_check_or_differs_by_words(failed, passed, words):
    assert changed_words(failed, passed) == words


def test_a_line_changes_something_if_it_writes_or_does_more_than_show():
    for line in ("npm ci", "sed -i s/a/b/ x", "cat > a.py <<'EOF'\nx\nEOF", "echo x >> .env"):
        assert changes(line)
    for line in ("", "ls", "git diff 2>&1 | head", "grep -rn '>' src", "sleep 5", "sed -n 1,9p a"):
        assert not changes(line)


@given(st.text(), st.text())
def test_any_text_may_be_a_command(text, other):
    assert check_of(text) == check_of(text)
    changed_words(text, other), changes(text), is_clear(text, OK), is_clear(text, FAILED)
