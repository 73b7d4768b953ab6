"""What a shell line is read as, and which of people's rules it is about to break."""

from __future__ import annotations

import pytest

from keepstone.shell.command import Doing
from keepstone.shell.parse import commands
from keepstone.shell.violations import ELSEWHERE, FORBIDDEN, INSTEAD, LACKS, breaks

PNPM = "pnpm only, never npm or yarn: CI caches its store"
MAIN = "Never push directly to main; open a PR"
FORCE = "Never run `git push --force` on shared branches, use --force-with-lease"
MAKE = "Run the tests with `make test`, not pytest directly: it sets DATABASE_URL"
ALEMBIC = "Run alembic from services/api, its ini is there"
VARS = "terraform plan always needs -var-file=prod.tfvars"
HOOKS = "don't skip git hooks with --no-verify, the pre-commit one looks for secrets"
RAW = "data/raw/ is write-once. Nothing is deleted, moved or corrected in there"
APPLY = "terraform apply runs only in the GitHub workflow after approval. On laptops plan at most"

BROKEN = [
    (PNPM, "npm install lodash", FORBIDDEN),
    (PNPM, "cd web && yarn add x", FORBIDDEN),
    ("We use pnpm in this repo", "npm ci", INSTEAD),
    ("Use uv for Python dependencies", "pip install requests", INSTEAD),
    (MAIN, "git push origin main", FORBIDDEN),
    (MAIN, "git push origin HEAD:main", FORBIDDEN),
    (FORCE, "git push -f origin x", FORBIDDEN),
    (MAKE, "pytest -q tests", FORBIDDEN),
    (MAKE, "python -m pytest tests", FORBIDDEN),
    (ALEMBIC, "alembic upgrade head", ELSEWHERE),
    (APPLY, "terraform init && terraform apply -auto-approve", ELSEWHERE),
    (VARS, "terraform plan", LACKS),
    ('Run the tests with -m "not network" always', "uv run pytest -q tests/fetch", LACKS),
    ("Images built on a Mac need --platform linux/amd64", "docker build -t worker .", LACKS),
    (HOOKS, "git add -A && git commit --no-verify -m x", FORBIDDEN),
    ("docker-compose is deprecated here: use `docker compose`", "docker-compose up", FORBIDDEN),
    ("Biome replaced ESLint and Prettier", "npx prettier --write src", FORBIDDEN),
    ("jest and its babel config are gone and shall not come back", "npx jest src/cart 2>&1 | tail", FORBIDDEN),
    ("never use sudo on my machine; tell me the command", "sudo apt-get install -y nco", FORBIDDEN),
    ("date-fns for dates, please no moment or dayjs", "pnpm add dayjs", FORBIDDEN),
    ("no Co-Authored-By lines in my commits", 'git commit -m "x" -m "Co-Authored-By: Claude"', FORBIDDEN),
    (RAW, "rm -rf data/raw/era5/2019 && df -h .", FORBIDDEN),
    (RAW, "cd data && sed -i s/a/b/ raw/x.csv", FORBIDDEN),
]

KEPT = [
    (PNPM, "pnpm add lodash"),
    (PNPM, "npx jest"),
    (PNPM, 'git commit -m "drop npm and yarn"'),
    (PNPM, "grep -rn npm docs/"),
    (MAIN, "git push origin feature"),
    (MAIN, "git log main"),
    (FORCE, "git push --force-with-lease"),
    (MAKE, "make test"),
    (ALEMBIC, "cd services/api && alembic upgrade head"),
    (APPLY, "terraform plan"),
    (VARS, "terraform plan -var-file=prod.tfvars"),
    (HOOKS, "git commit -m x"),
    (HOOKS, "git push origin HEAD:feature"),
    (RAW, "ls data/raw"),
    (RAW, "rm -rf build"),
    ("Never commit secrets to the repository", "git commit -m x"),
    ("Use uv for Python dependencies", "uv pip install requests"),
    ("Never deploy on Fridays", "make deploy"),
    ("inventory/generated.yml is written by `task inventory`, never edit it", "sops edit secrets.yaml"),
    ("Do not tag by hand", "git tag --list 'v3.*'"),
    ("No helm install or upgrade, releases made by hand are invisible to Argo", "argocd app get x"),
    ("Start the emulator with `-gpu swiftshader`, always", "emulator -list-avds"),
    ("something missing is cured with `pnpm --filter api reindex`", "pnpm check"),
]


def broken(text, line, folder=""):
    doing = [Doing(one) for one in commands(line, folder) if not one.only_shows]
    return max((breaks(text, one, True) for one in doing), default=0)


@pytest.mark.parametrize(("text", "line", "how"), BROKEN)
def test_a_rule_that_a_line_breaks_is_seen(text, line, how):
    assert broken(text, line) == how


@pytest.mark.parametrize(("text", "line"), KEPT)
def test_a_rule_that_a_line_keeps_or_only_mentions_is_not(text, line):
    assert broken(text, line) <= 0


def test_where_a_session_works_counts():
    assert broken(ALEMBIC, "alembic upgrade head", "services/api") == 0
    assert broken(ALEMBIC, "cd ../web && alembic upgrade head", "services/api") == ELSEWHERE


def test_only_rules_ask_for_what_they_merely_mention():
    (one,) = commands("npm ci")
    assert breaks("We use pnpm in this repo", Doing(one), False) == 0


LINES = {
    "cd web && npm ci": [(["npm", "ci"], "web")],
    "cd a && cd ../b; make": [(["make"], "b")],
    "FOO=1 npx jest --watch 2>&1 | tail -5": [(["jest", "--watch"], ""), (["tail", "-5"], "")],
    "sudo -u bob apt install x; echo 'npm install'": [(["apt", "install", "x"], ""), (["echo", "npm install"], "")],
    "python -m pytest -q tests # npm": [(["pytest", "-q", "tests"], "")],
    "poetry run alembic upgrade head > /dev/null": [(["alembic", "upgrade", "head"], "")],
    "git commit -m \"$(cat <<'EOF'\nnpm install\nEOF\n)\"": [(["git", "commit", "-m"], "")],
    "git commit -m ''": [(["git", "commit", "-m", ""], "")],
    "timeout 5 make \\\n  test": [(["make", "test"], "")],
    "": [],
    "'": [],
    "&& | ;": [],
}


@pytest.mark.parametrize("line", LINES)
def test_a_line_is_parted_into_the_programs_that_run(line):
    assert [(one.started, one.folder) for one in commands(line)] == LINES[line]
