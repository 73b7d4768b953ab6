"""Observations: what a session did, as digests of its tool calls and the words next to them; never a body or output."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..lib.limits import OBSERVED_CHARS, OBSERVED_LOOK_CHARS, OBSERVED_NAME_CHARS
from ..shell.failure import signatures
from ..shell.own_calls import is_own
from ..shell.parse import GIT_SHOWS, SHOWS

OUTCOME_CHARS = 4_000  # of a command's output, from its end, in which its failure shows: 50 lines

OK, FAILED, UNKNOWN = "ok", "failed", "unknown"
STATES = (OK, FAILED, UNKNOWN)
UNPLACED = -1  # the place of what no transcript has told yet

FILES = ("file_path", "notebook_path", "path")  # the parameters of the client's tools that name a file or folder
WORDS = ("command", "pattern", "query", "url")  # those that say what is done
SHELLS = ("Bash", "PowerShell")

# What the client says instead of a result when a call was not carried out, or not to its end.
UNDONE = (
    "The user doesn't want to",
    "This command requires approval",
    "[Request interrupted",
    "Claude requested permissions",
    "Command running in background",
)
HEREDOC = re.compile(r"(?<!<)<<-?\s*([\"']?)([A-Za-z_]\w*)\1")
# Summaries of failed builds and tests, for a command whose own exit code another one's hides (`pytest | tail`).
FAILURE = re.compile(
    r"""
      \b[1-9]\d*[ ](?:tests?[ ])?(?:failed|failing|failures?|errors?)\b (?=\s*(?:[,;.)(=|]|in[ ]\d|$))
    | \b(?:Failures|Errors|failures|errors)[:=][ ]?[1-9]
    | ^[ \t]*(?:FAILED|FAIL|---[ ]FAIL)\b
    | \b(?:BUILD[ ]FAILED|BUILD[ ]FAILURE|test[ ]result:[ ]FAILED)\b
    | ^[ \t]*(?:[^\s:]\S*:[ ])?(?:fatal[ ])?error(?:[ ]TS\d+|\[\w+\])?:[ ]
    | ^(?:Uncaught[ ])?[A-Z]\w*Error:[ ]
    | ^npm[ ](?:ERR!|error)
    | ^Traceback[ ]\(most[ ]recent[ ]call[ ]last\):
    | \bpanicked[ ]at\b
    | ^Exit[ ]code[ ][1-9]
    | ^make(?:\[\d+\])?:[ ]\*\*\*[ ]
    """,
    re.MULTILINE | re.VERBOSE,
)
HINTS = ("fail", "FAIL", "rror", "ERR!", "Failures", "Traceback", "panicked", "Exit code", "***")


@dataclass(frozen=True, slots=True)
class Observation:
    """A tool call as it is kept: `state` is ok, failed or unknown, `reasoning` what the assistant said right before
    it; without a tool, what it said otherwise. `record_uuid` is the record that holds the reasoning, else the call;
    `place` orders a session's; times are UTC unix seconds. `error` is what a failure printed as it reads in every run,
    a line each.
    """

    call_id: str
    tool: str
    command: str
    files: tuple[str, ...]
    state: str
    reasoning: str
    record_uuid: str
    place: int
    observed_at: float
    error: str = ""


@dataclass(frozen=True, slots=True)
class Use:
    """A tool call of the transcript; `own` when it is one of Keepstone's."""

    id: str
    tool: str
    command: str
    files: tuple[str, ...]
    own: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the transcript says of a call's end; `looks_failed` when its output ends like that of a failed build.
    `error` is what a failure printed as it reads in every run, a line each.
    """

    call_id: str
    state: str
    looks_failed: bool = False
    error: str = ""


@dataclass(frozen=True, slots=True)
class Observed:
    """What some turns hold: their observations, the outcomes of calls that were made before them, and the ids of
    observations that another one's reasoning has taken in.
    """

    rows: tuple[Observation, ...] = ()
    late: tuple[Outcome, ...] = ()
    absorbed: tuple[str, ...] = ()


def use_of(block: Mapping[str, object]) -> Use:
    """A tool call, without what it writes."""
    tool, given = _string(block.get("name")), block.get("input")
    given = given if isinstance(given, dict) else {}
    words = next((_string(given[key]) for key in WORDS if key in given), "")
    return Use(id_of(block.get("id")), tool, beginning(words), files_of(given), is_own(tool, given))


def id_of(value: object) -> str:
    """A call's id as the client made it; "" for anything else, which comes from outside."""
    plain = isinstance(value, str) and len(value) <= OBSERVED_NAME_CHARS and value.isascii() and value.isprintable()
    return _string(value) if plain else ""


def files_of(given: Mapping[str, object]) -> tuple[str, ...]:
    """The files or folders that a call names."""
    return tuple(path for key in FILES if (path := _string(given.get(key))))


def beginning(command: str) -> str:
    """The part of a command that is looked at, without the bodies of here-documents; of a commit's message the first
    line is left. Where a long list of files comes before a commit, that list is left out.
    """
    lines, ends, subject = [], "", False
    for line in command.split("\n"):
        if ends:
            ends = "" if line.strip() == ends else ends
            if not (ends and subject):
                continue
        lines.append(line)
        found = None if subject else HEREDOC.search(line)
        subject = found is not None and "git commit" in line
        ends = found.group(2) if found else ends
    text = "\n".join(lines)
    commit = text.rfind("git commit")
    return start_of(text[commit:] if commit > OBSERVED_CHARS // 4 and len(text) > OBSERVED_CHARS else text)


def start_of(text: str) -> str:
    """The part of a text that is looked at, with no word cut in two: half a secret no longer looks like one."""
    if len(text) <= OBSERVED_LOOK_CHARS:
        return text
    return text[: max(text.rfind(blank, 0, OBSERVED_LOOK_CHARS) for blank in " \n") + 1]


def outcome_of(block: Mapping[str, object], told: object) -> Outcome:
    """What a tool result says of its call; `told` is the client's record of it."""
    said = _text(block.get("content"))
    undone = said.startswith(UNDONE) or told == "User rejected tool use" or _left(told)
    state = UNKNOWN if undone else FAILED if block.get("is_error") is True else OK
    failed = looks_failed(said)
    error = "\n".join(signatures(said)) if failed or state == FAILED else ""
    return Outcome(id_of(block.get("tool_use_id")), state, failed, error)


def _left(told: object) -> bool:
    return isinstance(told, dict) and bool(told.get("interrupted") or told.get("backgroundTaskId"))


def looks_failed(output: str) -> bool:
    """Whether an output ends with the summary of a failure."""
    end = output[-OUTCOME_CHARS:]
    return any(hint in end for hint in HINTS) and FAILURE.search(end) is not None


def judged(tool: str, command: str, outcome: Outcome) -> str:
    """A call's state, in the light of what it was."""
    hidden = outcome.state == OK and outcome.looks_failed and tool in SHELLS and not only_shows(command)
    return FAILED if hidden else outcome.state


def only_shows(command: str) -> bool:
    """Whether every command of a shell line only shows what is somewhere."""
    heads = [part.partition("|")[0].split() for part in re.split(r"\|\||&&|[;\n]", command)]
    heads = [words for words in heads if words and words[0] != "cd"]
    return bool(heads) and all(
        words[0] in SHOWS or (words[0] == "git" and len(words) > 1 and words[1] in GIT_SHOWS) for words in heads
    )


def _text(content: object) -> str:
    """The text of a tool result, of which nothing is kept."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(_string(block.get("text")) for block in blocks if isinstance(block, dict))


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
