"""Summarises a session in a few lines made only of recorded facts: nothing is guessed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from ..claude_code.observation import EDITS, FAILED, OK, SHELLS, Observation
from ..language.task_name import Task
from ..lib.pattern import Pattern
from ..lib.text import clip, counted, day, one_line
from ..model.render import OPEN, path_word
from ..model.trust import suspicion
from .checks import check_of, is_clear
from .proven_solutions import USER

SUMMARY_NAME_CHARS = 76  # of a title, beside the date
SUMMARY_LEFT_CHARS = 44  # of that for what was changed, if the request names nothing
SUMMARY_NAMED = 1  # changed files in the title of a session that nothing else names: that which was changed most often
SUMMARY_FILES = 6  # files that are named
SUMMARY_CHECKS = 3
SUMMARY_COMMITS = 3  # commits that are named, the last ones
SUMMARY_COMMIT_CHARS = 72  # git's usual width of a subject
SUMMARY_STEPS = 3  # open steps that are named, the next ones

CHANGES = frozenset(EDITS) - {"Write"}  # tools that change a file that was there
_TEST = Pattern(r"(?:^|[/_.-])(?:tests?|specs?|testing|conftest)(?:[/_.-]|$)", re.IGNORECASE)
# Programs whose result shows the state of the work.
TOOLS = frozenset(
    (
        "R Rscript alembic ansible-playbook ant bazel biome black bun cabal cargo cmake composer ctest cypress "
        "dart dbt deno django-admin docker dotnet eslint flake8 flutter go gradle gradlew helm isort jest just "
        "make manage.py meson mix mocha mvn mypy ninja nox npm phpstan phpunit playwright pnpm prettier pyright "
        "pytest rails rake rebar3 rspec rubocop ruff sbt stack swift task terraform tofu tox tsc unittest vitest "
        "xcodebuild yarn zig"
    ).split()
)
# The first line of a commit message, as a shell argument or as the first line of a here-document.
_MESSAGE = Pattern(
    r"(?:^|[;&|(]|\b(?:then|do)\b)\s*(?:\w+=\S+\s+)*git\s+(?:-[cC]\s+\S+\s+)*commit\b(?![^\n]*\s--dry-run\b)[^\n;&|]*?(?:<<-?\s*[\"']?\w+[\"']?\n(?P<body>[^\n]+)|"
    r"\s(?:-\w*m|--message)[ =]?(?P<quote>[\"'])(?!\$\()(?P<word>[^\n]+?)(?:\n|(?<!\\)(?P=quote)))",
    re.MULTILINE,
)
_PULL = Pattern(
    r"\b(?:gh pr|glab mr) create\b[^\n]*?\s(?:-t|--title)[ =](?P<quote>[\"'])(?P<title>[^\n]+?)(?<!\\)(?P=quote)"
)


def summary(
    task: Task,
    observed: Sequence[Observation],
    began_at: float,
    is_own: Callable[[str, Observation], bool] = lambda subject, row: True,
    named: str = "",
    left: Sequence[str] = (),
) -> tuple[str, str] | None:
    """Returns (title, content) for a session with this task. Returns None if the session is not worth it: it changed no
    file, or only one that was neither committed nor checked, and left no step open. If `is_own` denies a commit's
    subject, the commit is only counted, because its words may come from untrusted content. `named` is what the client
    calls the session. `left` are the steps of its task list that are open, each "" if its words may come from there
    too.
    """
    edits = Counter(file for row in observed if row.tool in EDITS and row.state == OK for file in row.files)
    changed = list(edits)
    commits, ran = _commits(observed), _checks(observed)
    if not changed or (len(changed) == 1 and not (commits or ran or left)):
        return None
    subjects = [subject for subject, row in (*_pulls(observed), *reversed(commits.items())) if is_own(subject, row)]
    about = task.heading or named or next(iter(subjects), "")
    asked = task.request or task.heading
    lines = [f"Asked on {day(began_at)}: “{asked}”" if asked else f"Worked on {day(began_at)}"]
    if about and not task.names and about != asked:
        lines.append(f"About: {about}")
    lines.append(f"Changed: {_some(changed, SUMMARY_FILES)}")
    if commits:
        lines.append(f"Committed: {_said(commits, is_own)}")
    if ran:
        lines.append("Last runs: " + ", ".join(f"{check} {state}" for check, state in ran))
    still = ["the user said last that it does not work"] if _is_open(observed) else []
    still += [_steps(left)] if left else []
    name = _placed(_name(task, about), _main(observed))
    name = name or _without_name(task, sorted(edits, key=lambda file: -edits[file]))
    content = ". ".join(lines) + (OPEN + "; ".join(still) if still else "")
    return f"Session of {day(began_at)}: {name}", content


def _name(task: Task, about: str) -> str:
    """Returns what a session is called: by its request, or if that names nothing, by what else says what it was about,
    with the key of the issue; "" if nothing says it.
    """
    if task.names:
        return clip(task.request, SUMMARY_NAME_CHARS)
    key = "" if task.key.casefold() in about.casefold() else task.key
    return clip(f"{key}: {about}" if key and about else about, SUMMARY_NAME_CHARS)


def _placed(name: str, file: str) -> str:
    """Returns a short name with the file that was changed: "Wrong hint about a recursive relationship" is clear to
    whoever has just read the issue, and to nobody a month later.
    """
    whole = f"{name} ({file})"
    is_told = not name or not file or file.rpartition("/")[2].casefold() in name.casefold()
    return name if is_told or len(whole) > SUMMARY_NAME_CHARS else whole


def _main(observed: Sequence[Observation]) -> str:
    """Returns the file that was changed most often, tests and new files aside."""
    edits = Counter(file for row in observed if row.tool in CHANGES and row.state == OK for file in row.files)
    own = [file for file in edits if not _TEST.search(file) and not suspicion((path_word(file),))]
    return path_word(max(own, key=lambda file: edits[file])) if own else ""


def _without_name(task: Task, changed: Sequence[str]) -> str:
    left = f"changed {_some([file.rpartition('/')[2] for file in changed], SUMMARY_NAMED)}"
    asked = clip(task.request.rstrip(".:"), SUMMARY_NAME_CHARS - SUMMARY_LEFT_CHARS)
    return f"{asked} ({left})" if asked else left


def _some(files: Sequence[str], most: int) -> str:
    """Returns the first files' names, and how many more there are. A name that reads as an order is only counted: the
    whole summary would wait for it.
    """
    named = list(islice((path_word(file) for file in files if not suspicion((path_word(file),))), most))
    more = len(files) - len(named)
    if not named:
        return counted(more, "file", "files")
    return ", ".join(named) + (f" and {more} more" if more else "")


def _steps(left: Sequence[str]) -> str:
    """Returns the next open steps, and how many more there are."""
    own = [f"“{clip(step, SUMMARY_COMMIT_CHARS)}”" for step in left if step][:SUMMARY_STEPS]
    more = len(left) - len(own)
    if not own:
        return counted(more, "step of its task list", "steps of its task list")
    return ", ".join(own) + (f" and {counted(more, 'more step', 'more steps')}" if more else "")


def _is_open(observed: Sequence[Observation]) -> bool:
    """Tells whether the user's last verdict is that the work does not do what it should, and nothing passed since."""
    last = next((at for at in reversed(range(len(observed))) if observed[at].tool == USER), -1)
    passed = (row for row in observed[last:] if row.tool in SHELLS and row.state == OK and check_of(row.command))
    return last >= 0 and observed[last].state == FAILED and not any(passed)


def _pulls(observed: Sequence[Observation]) -> list[tuple[str, Observation]]:
    """Returns the titles of the pull requests that were opened, the last first, each with its call."""
    rows = [row for row in reversed(observed) if row.tool in SHELLS and row.state == OK]
    found = ((_PULL.search(row.command), row) for row in rows)
    return [(one_line(said["title"]), row) for said, row in found if said is not None]


def _said(commits: Mapping[str, Observation], is_own: Callable[[str, Observation], bool]) -> str:
    """Returns the last subjects, and the number of commits if some are left out."""
    newest = list(commits.items())[-SUMMARY_COMMITS:]
    own = [subject for subject, row in newest if is_own(subject, row)]
    last = ", ".join(f"“{clip(subject, SUMMARY_COMMIT_CHARS)}”" for subject in own)
    if len(commits) == len(own):
        return last
    times = "once" if len(commits) == 1 else f"{len(commits)} times"
    return f"{times}, at last {last}" if len(newest) == len(own) else f"{times}{f', also {last}' if last else ''}"


def _commits(observed: Sequence[Observation]) -> dict[str, Observation]:
    """Returns the subjects of the commits, in order, each with its call."""
    found: dict[str, Observation] = {}
    for row in observed:
        said = _MESSAGE.search(row.command) if row.tool in SHELLS and row.state == OK else None
        if said is None:
            continue
        if found and "--amend" in row.command:
            found.popitem()
        found[one_line(said["body"] or said["word"])] = row
    return found


def _checks(observed: Sequence[Observation]) -> list[tuple[str, str]]:
    """Returns the last result of each check. One whose last run doesn't show how it ended has none."""
    ended: dict[str, str] = {}
    for row in observed:
        check = check_of(row.command) if row.tool in SHELLS and row.state in (OK, FAILED) else ""
        if check.split(" ")[0] not in TOOLS:
            continue
        ended.pop(check, None)
        if is_clear(row.command, row.state):
            ended[check] = "passed" if row.state == OK else "failed"
    return list(ended.items())[-SUMMARY_CHECKS:]
