"""Recognises the checks among shell lines: runs that fail because of what a change can cure, such as a test, a build, a
lint, or the program itself. Tells when two runs are the same check.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..claude_code.observation import FAILED, OK, only_shows
from ..lib.pattern import Pattern
from ..shell.parse import Command, commands, program, started

# Programs that look after files and processes: they fail because of what is on the machine, not the work.
_TENDS = frozenset(
    "[ [[ chmod chown clear code cp date df dir du env history kill killall ln lsof man mkdir mktemp mv nano open "
    "pkill popd printenv ps pushd pwd rm rmdir tar test tmux touch trap tr type unzip vim wait which whoami "
    "xargs zip".split()
)
# Programs that reach another machine or record the work: they fail because of others or the network.
_REACHES = frozenset(
    "aws az curl dig gcloud gh git git-lfs glab gsutil heroku hg http hub jj nc nslookup ping rsync scp sftp ssh svn "
    "telnet twine wget".split()
)
# What any program is told that then does the same: `npm publish`, `docker push`.
_SENDS = frozenset("auth fetch login logout logs publish pull push upload".split())
# Programs that pass on the end of an output, where a failure shows.
_PASSES_ON = frozenset("cat less more tail tee".split())
# Options that only change what is printed, and options that choose what is checked.
_PRINTS = Pattern(
    r"-[qvxs]+|--(?:quiet|verbose|silent|color|no-color|colour|no-header|durations|reporter|tb|progress)\b.*"
)
_CHOOSES = Pattern(
    r"-(?:[kmt]|run|R|E)|--(?:lf|last-failed|grep|filter|deselect|ignore|exclude|skip|only|testPathPattern|"
    r"testNamePattern|tests|select|bail)\b.*"
)
_SETTING = Pattern(
    r"^\s*(?:(?:cd|pushd|popd|export|unset|source|\.|sleep|exit)(?:\s.*)?|set\s+[-+].*|true|false|:|done|fi|esac|[{}()]|#.*)\s*$"
)
_QUOTED = Pattern(r"\"[^\"]*\"|'[^']*'")
_REDIRECT = Pattern(r"(?:\d|&)?>{1,2}(?:\s*[^\s&;|]+|&\d)|<\s*\S+")
_TO_FILE = Pattern(r"(?:^|[^\d&2>])&?1?>{1,2}\s*[^\s&>]")
_JOINT = Pattern(r"(&&|\|\||;|\n)")
_PASSES_FAILURE = Pattern(r"\s*(?:[({]\s*)?(?:(?:exit|return)(?!\s+0\b)|false|kill)\b")
_BLOCK = Pattern(r"\s*[({]")
_KEYWORD = Pattern(r"^(?:(?:do|then|else|if|elif|while|until|!)\s+|[({]\s*)+")
_ASSIGNMENT = Pattern(r"^\w+=\S*$")


@dataclass(frozen=True, slots=True)
class Run:
    """A command of a shell line. `name` is its program and first argument. `pipes` are the programs that read its
    output; `to_file` tells whether that went to a file; `joints` are the operators between it and the end of the line;
    `is_excused` tells whether the line passes even if it fails: `make test || true`.
    """

    name: str
    pipes: tuple[str, ...]
    to_file: bool
    joints: frozenset[str]
    is_excused: bool

    @property
    def program(self) -> str:
        return self.name.split(" ")[0]

    @property
    def reaches(self) -> bool:
        """Tells whether it reaches another machine or records the work."""
        return self.program in _REACHES or self.name.partition(" ")[2] in _SENDS


def run_of(command: str) -> str:
    """Returns what a shell line runs: the last command's program and its first argument. Returns "" if the line only
    shows something.
    """
    found = _runs(command)
    return found[-1].name if found else ""


def check_of(command: str) -> str:
    """Returns a shell line's check, as `run_of` does, or "" if it has none. What is done after a check passed, such as
    a commit, is passed over.
    """
    found = _check(_runs(command))
    return found.name if found else ""


def is_clear(command: str, state: str) -> bool:
    """Tells whether a shell line's state is that of its check. A later command may hide the exit code, a filter the
    output; a line that also pushes may have failed at that.
    """
    runs = _runs(command)
    check = _check(runs)
    if check is None or state not in (OK, FAILED):
        return False
    whole = _PASSES_ON.issuperset(check.pipes)
    if state == FAILED:
        return whole and not any(run.reaches for run in runs)
    if check.is_excused:
        return False
    by_code = check.joints <= {"&&"} and (not check.pipes or "pipefail" in command)
    return by_code or (whole and not check.to_file)


def changed_words(failed: str, passed: str) -> set[str] | None:
    """Returns the words by which two runs of a check differ: none if the later one checked at least as much. Returns
    None if it checked something else.
    """
    before, after = _words(failed), _words(passed)
    added = [word for word in after if word not in before and not _PRINTS.fullmatch(word)]
    gone = [word for word in before if word not in after and not _PRINTS.fullmatch(word)]
    if any(_CHOOSES.fullmatch(word) or len(word.split()) > 1 for word in added):
        return None
    if not added and not any(word.startswith("-") and not _CHOOSES.fullmatch(word) for word in gone):
        return set()
    return {*added, *gone}


def changes(command: str) -> bool:
    """Tells whether a shell line may change something: it writes a file, or runs a program that does more than show."""
    if _TO_FILE.search(_QUOTED.sub(" ", command)):
        return True
    return any(not one.only_shows and program(one.words[0]) != "sleep" for one in commands(command))


def _check(runs: list[Run]) -> Run | None:
    return next((run for run in reversed(runs) if not run.reaches and run.program not in _TENDS), None)


def _words(command: str) -> list[str]:
    """Returns the words of a line's check, with its assignments."""
    name = check_of(command).split(" ")[0]
    found = [one for one in commands(command) if one.started and program(one.started[0]) == name]
    return [*_assigned(found[-1]), *found[-1].started] if found else []


def _assigned(one: Command) -> list[str]:
    return [*one.sets, *(word for word in one.words if _ASSIGNMENT.match(word))]


def _runs(command: str) -> list[Run]:
    """Returns the commands of a shell line that do more than set or show something, in order."""
    if only_shows(command):
        return []
    parts = _JOINT.split(_QUOTED.sub(_joined, command.replace("\\\n", " ")))
    found = []
    for at in range(0, len(parts), 2):
        first, *pipes = _REDIRECT.sub(" ", parts[at]).split("|")
        line = _KEYWORD.sub("", first.strip())
        if not line or _SETTING.match(line) or only_shows(line):
            continue
        words = [
            word.rstrip(")").lstrip("\\") for word in line.split() if not _ASSIGNMENT.match(word) and word.strip(")}")
        ]
        name, *rest = started(words) or [""]
        own = [word for word in rest if not word.startswith(("-", "&"))]
        readers = tuple(program((pipe.split() or [""])[0]) for pipe in pipes)
        rest_of_line = zip(parts[at + 1 :: 2], parts[at + 2 :: 2], strict=True)
        later = frozenset(joint for joint, text in rest_of_line if text.strip())
        to_file = bool(_TO_FILE.search(parts[at]))
        found.append(Run(" ".join([program(name), *own[:1]]), readers, to_file, later, _is_excused(parts[at + 1 :])))
    return found


def _is_excused(rest: list[str]) -> bool:
    """Tells whether a line passes though a command fails, by what follows it: operators and commands in turn."""
    at = next((at for at in range(0, len(rest), 2) if rest[at] != "&&"), None)
    if at is None or rest[at] != "||":
        return False
    instead = rest[at + 1 :: 2] if _BLOCK.match(rest[at + 1]) else rest[at + 1 : at + 2]
    return not any(map(_PASSES_FAILURE.match, instead))


def _joined(quoted: re.Match[str]) -> str:
    """Returns a quoted word, or "" if it has characters that would be split."""
    word = quoted.group()[1:-1]
    return word if re.fullmatch(r"[\w./:@=+-]+", word) else ""
