"""Summarises a session in a few lines made only of recorded facts: nothing is guessed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from ..claude_code.observation import FAILED, OK, SHELLS, Observation
from ..lib.pattern import Pattern
from ..lib.text import clip, day, one_line
from ..model.render import path_word
from .checks import check_of
from .proven_solutions import EDITS

SUMMARY_ASKED_CHARS = 140  # characters of the first prompt
SUMMARY_FILES = 6  # files that are named
SUMMARY_CHECKS = 3
SUMMARY_COMMITS = 3  # commits that are named, the last ones
SUMMARY_COMMIT_CHARS = 72  # git's usual width of a subject

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


def summary(
    asked: str,
    observed: Sequence[Observation],
    began_at: float,
    is_own: Callable[[str, Observation], bool] = lambda subject, row: True,
) -> tuple[str, str] | None:
    """Returns (title, content) for a session with the first prompt `asked`. Returns None if the session is not worth
    it: it changed no file, or only one that was neither committed nor checked. If `is_own` denies a commit's subject,
    the commit is only counted, because its words may come from untrusted content.
    """
    changed = list(
        dict.fromkeys(file for row in observed if row.tool in EDITS and row.state == OK for file in row.files)
    )
    commits, ran = _commits(observed), _checks(observed)
    if not asked or not changed or (len(changed) == 1 and not commits and not ran):
        return None
    quoted = clip(one_line(asked), SUMMARY_ASKED_CHARS)
    named = ", ".join(map(path_word, changed[:SUMMARY_FILES])) + (
        f" and {len(changed) - SUMMARY_FILES} more" if len(changed) > SUMMARY_FILES else ""
    )
    lines = [f"Asked on {day(began_at)}: “{quoted}”", f"Changed: {named}"]
    if commits:
        lines.append(f"Committed: {_said(commits, is_own)}")
    if ran:
        lines.append("Last runs: " + ", ".join(f"{check} {state}" for check, state in ran))
    return f"Session of {day(began_at)}: {quoted}", ". ".join(lines)


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
    """Returns the last result of each check."""
    ended: dict[str, str] = {}
    for row in observed:
        check = check_of(row.command) if row.tool in SHELLS and row.state in (OK, FAILED) else ""
        if check.split(" ")[0] in TOOLS:
            ended.pop(check, None)
            ended[check] = "passed" if row.state == OK else "failed"
    return list(ended.items())[-SUMMARY_CHECKS:]
