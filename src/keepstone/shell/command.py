"""Describes a command in the words that rules are compared with. Hot module: no `re`."""

from __future__ import annotations

from .parse import joined, program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .parse import Command

_SAME_FLAG = {"-f": "--force", "-n": "--no-verify", "-u": "--update", "-D": "--delete", "-y": "--yes"}
# Programs whose first argument is a task.
_WITH_TASKS = frozenset(
    "git docker docker-compose podman kubectl terraform tofu npm pnpm yarn bun cargo go helm aws gcloud az gh make "
    "just task uv poetry pip pip3 alembic rails php composer mix dotnet flutter prisma brew apt apt-get systemctl "
    "heroku fly vercel gradle mvn bundle rake manage.py artisan flyway dbt".split()
)
_TESTS = frozenset("pytest jest vitest mocha ava rspec phpunit tox nox unittest ctest karma cypress playwright".split())
_LINTS = frozenset("eslint ruff flake8 pylint golangci-lint rubocop clippy biome stylelint".split())
_FORMATS = frozenset("prettier black gofmt rustfmt isort yapf biome".split())
_MIGRATES = frozenset("alembic flyway liquibase knex sqitch dbmate goose".split())
_CHANGES = frozenset("rm mv truncate tee chmod chown shred rmdir unlink touch".split())


class Doing:
    """A command, in a form that can be compared with rules."""

    __slots__ = ("program", "runner", "actions", "flags", "said", "text", "folder", "tasks", "changes", "has_tasks")

    def __init__(self, command: Command) -> None:
        run = command.started or command.words
        self.program = program(run[0]).lower()
        self.runner = program(command.words[0]).lower()
        plain = [word.lower() for word in run[1:] if not word.startswith("-") and " " not in word]
        self.actions = [stem(word) for word in plain[:2]]
        self.has_tasks = self.program in _WITH_TASKS
        self.flags: set[str] = set()
        for word in [*command.words[1:], *command.sets]:
            self._note_flag(word)
        said = [self.program, self.runner, *plain, *(flag.strip("-") for flag in self.flags)]
        self.said = {stem(part) for word in said for part in (word, *_parts(word))}
        self.text = " ".join(command.words).lower()
        self.folder = command.folder
        self.tasks = frozenset(_tasks(self.program, plain))
        self.changes = [joined(self.folder, word) for word in plain] if self._changes(command.words) else []

    def _changes(self, words: list[str]) -> bool:
        """Tells whether the command changes or removes the files that it names."""
        if self.program == "sed":
            return any(word.startswith(("-i", "--in-place")) for word in words)
        return self.program in _CHANGES or (self.program == "git" and self.actions[:1] in (["rm"], ["mv"]))

    def _note_flag(self, word: str) -> None:
        name = word.partition("=")[0]
        if word.startswith("--"):
            self.flags |= {name.lower(), word.lower()}
        elif word.startswith("-") and len(word) > 1:
            self.flags |= {word.lower(), name.lower(), *(f"-{letter}" for letter in word[1:] if word[1:].isalpha())}
        elif "=" in word:
            self.flags |= {word.lower(), name.lower()}
        if self.program == "git":
            self.flags |= {_SAME_FLAG[flag] for flag in self.flags & _SAME_FLAG.keys()}

    @property
    def only_asks(self) -> bool:
        """Tells whether the command only asks for help, a version or a list."""
        return any(flag.strip("-").startswith(("help", "version", "list")) for flag in self.flags)

    def has(self, word: str) -> bool:
        """Tells whether the command has a word of a rule: a flag, or any other word in some form."""
        if word.startswith("-") or "=" in word:
            return word in self.flags or word.partition("=")[0] in self.flags
        return stem(word) in self.said or self.quotes(word)

    def quotes(self, word: str) -> bool:
        """Tells whether the command contains a distinctive word with a dash, also inside a text argument."""
        return "-" in word.strip("-") and len(word) > 4 and word in self.text

    def is_act(self, word: str) -> bool:
        """Tells whether a word names the program, its first two arguments, or one of its flags."""
        if word.startswith("-"):
            return self.has(word)
        return word in (self.program, self.runner) or stem(word) in self.actions


def _tasks(name: str, plain: list[str]) -> list[str]:
    """Returns the words that people use for the task of a command."""
    first = plain[0] if plain else ""
    found = []
    if name in _TESTS or first.startswith("test"):
        found += ["test", "tests", "suite"]
    if name in _LINTS or (first == "lint" and name in _WITH_TASKS and name != "helm"):
        found += ["lint", "linting", "linter"]
    if name in _FORMATS or first in ("format", "fmt"):
        found += ["format", "formatting"]
    if name in _MIGRATES or first.startswith("migrat"):
        found += ["migration", "migrations"]
    if name in ("docker", "podman", "buildah") and first in ("build", "buildx", "push"):
        found += ["image", "images"]
    if name == "git" and first in ("commit", "push", "merge", "rebase", "tag"):
        found += [first, first + "s", "pushes"] if first == "push" else [first, first + "s"]
    if first.startswith("deploy") or (name == "helm" and first in ("upgrade", "install")):
        found += ["deploy", "deploys", "deployment", "deployments"]
    return found


def _parts(word: str) -> list[str]:
    for sign in "/:=@,.":
        word = word.replace(sign, " ")
    return word.split()


def stem(word: str) -> str:
    """Returns a rough stem, which is the same for all forms of a word."""
    word = word.lower()
    if not word.isalpha():
        return word
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:6] if len(word) <= 10 else word
