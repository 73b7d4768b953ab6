"""Observations: digests of a session's tool calls and the words next to them. Never the content of
a file or an output.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..lib.limits import OBSERVED_CHARS, OBSERVED_LOOK_CHARS, OBSERVED_NAME_CHARS
from ..lib.pattern import Pattern
from ..lib.text import head_and_tail
from ..shell.own_calls import is_own
from ..shell.parse import GIT_SHOWS, SHOWS

ERROR_LOOK_CHARS = 32_000  # kept of a failed command's output: four times what is read, so that its lines are whole
EDIT_LOOK_CHARS = 60_000  # read of what an edit replaces and writes: a long file
OUTCOME_CHARS = 4_000  # read from the end of a command's output, where a failure shows: about 50 lines

OK, FAILED, UNKNOWN = "ok", "failed", "unknown"
STATES = (OK, FAILED, UNKNOWN)
UNPLACED = -1  # the place of an observation that no transcript has confirmed yet

FILES = ("file_path", "notebook_path", "path")  # parameters of the client's tools that name a file or folder
WORDS = ("command", "pattern", "query", "url")  # parameters that describe the action
SHELLS = ("Bash", "PowerShell")
EDITS = frozenset(("Edit", "Write", "MultiEdit", "NotebookEdit"))

# Beginnings of the client's text if a call was not carried out, or not completed.
UNDONE = (
    "The user doesn't want to",
    "This command requires approval",
    "[Request interrupted",
    "Claude requested permissions",
    "Command running in background",
)
HEREDOC = Pattern(r"(?<!<)<<-?\s*([\"']?)([A-Za-z_]\w*)\1")
# Summaries of failed builds and tests, for commands whose exit code another command hides (`pytest | tail`).
FAILURE = Pattern(
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
    """A tool call as it is stored. `state` is ok, failed or unknown; `reasoning` is the assistant's text right before
    it. Without a tool, it is text of the assistant. `record_uuid` is the record of the reasoning, or of the call;
    `place` orders the observations of a session; `observed_at` is in UTC unix seconds. `error` holds the signatures of
    a failure's lines, and before it is redacted the output itself.
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
    """A tool call of the transcript. `own` tells whether it is one of Keepstone's; `edits` are the texts that it
    replaces and puts in their place, "" if the file's text is not known; they are not shown or stored.
    """

    id: str
    tool: str
    command: str
    files: tuple[str, ...]
    own: bool
    edits: tuple[tuple[str, str], ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a call in the transcript. `looks_failed` tells whether its output ends like that of a failed build.
    `error` holds a failure's output, and once it is redacted the signatures of its lines; it is not shown. `edits` are
    what a call changed, as the client tells it.
    """

    call_id: str
    state: str
    looks_failed: bool = False
    error: str = field(default="", compare=False, repr=False)
    edits: tuple[tuple[str, str], ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Observed:
    """The observations in some turns, the outcomes of calls made before them, and the ids of observations that became
    another one's reasoning.
    """

    rows: tuple[Observation, ...] = ()
    late: tuple[Outcome, ...] = ()
    absorbed: tuple[str, ...] = ()


def use_of(block: Mapping[str, object]) -> Use:
    """Returns a tool call."""
    tool, given = _string(block.get("name")), block.get("input")
    given = given if isinstance(given, dict) else {}
    words = next((_string(given[key]) for key in WORDS if key in given), "")
    edits = _edits_of(given) if tool in EDITS else ()
    return Use(id_of(block.get("id")), tool, beginning(words), files_of(given), is_own(tool, given), edits)


def id_of(value: object) -> str:
    """Returns a call's id, or "" if it is not a short printable ASCII text: the id comes from outside."""
    plain = isinstance(value, str) and len(value) <= OBSERVED_NAME_CHARS and value.isascii() and value.isprintable()
    return _string(value) if plain else ""


def files_of(given: Mapping[str, object]) -> tuple[str, ...]:
    """Returns the files or folders that a call names."""
    return tuple(path for key in FILES if (path := _string(given.get(key))))


def beginning(command: str) -> str:
    """Returns the part of a command that observations use: without the bodies of here-documents, except the first line
    of a commit's message. If a long list of files precedes a commit, only the commit is returned.
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
    """Returns the first OBSERVED_LOOK_CHARS of a text, cut between words: half a secret no longer looks like one."""
    if len(text) <= OBSERVED_LOOK_CHARS:
        return text
    return text[: max(text.rfind(blank, 0, OBSERVED_LOOK_CHARS) for blank in " \n") + 1]


def outcome_of(block: Mapping[str, object], told: object) -> Outcome:
    """Returns a call's outcome from its tool result. `told` is the client's record of it."""
    said = _text(block.get("content"))
    undone = said.startswith(UNDONE) or told == "User rejected tool use" or _left(told)
    state = UNKNOWN if undone else FAILED if block.get("is_error") is True else OK
    failed = looks_failed(said)
    error = head_and_tail(said, ERROR_LOOK_CHARS) if failed or state == FAILED else ""
    return Outcome(id_of(block.get("tool_use_id")), state, failed, error, _edits_told(told))


def _edits_of(given: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """Returns the texts that an edit replaces, with what it puts in their place."""
    steps: Sequence[Mapping[str, object]] = _objects(given.get("edits")) or [given]
    pairs = [(_string(one.get("old_string")), one.get("new_string", one.get("content"))) for one in steps]
    return _short_enough([(old, new) for old, new in pairs if isinstance(new, str)])


def _edits_told(told: object) -> tuple[tuple[str, str], ...]:
    """Returns the changed parts of a file in the client's record of an edit, with the lines around them."""
    hunks = _objects(told.get("structuredPatch")) if isinstance(told, dict) else []
    lines = [[one for one in _list(hunk.get("lines")) if isinstance(one, str)] for hunk in hunks]
    return _short_enough([(_side(of, "+"), _side(of, "-")) for of in lines])


def _side(lines: list[str], other: str) -> str:
    """Returns one side of a patch: without the other side's lines."""
    return "\n".join(line[1:] for line in lines if not line.startswith(other))


def _short_enough(edits: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple(edits) if sum(len(old) + len(new) for old, new in edits) <= EDIT_LOOK_CHARS else ()


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _objects(value: object) -> list[dict[str, object]]:
    return [one for one in _list(value) if isinstance(one, dict)]


def _left(told: object) -> bool:
    return isinstance(told, dict) and bool(told.get("interrupted") or told.get("backgroundTaskId"))


def looks_failed(output: str) -> bool:
    """Tells whether an output ends with the summary of a failure."""
    end = output[-OUTCOME_CHARS:]
    return any(hint in end for hint in HINTS) and FAILURE.search(end) is not None


def judged(tool: str, command: str, outcome: Outcome) -> str:
    """Returns a call's state. An output that looks failed counts if the command does more than display."""
    hidden = outcome.state == OK and outcome.looks_failed and tool in SHELLS and not only_shows(command)
    return FAILED if hidden else outcome.state


def only_shows(command: str) -> bool:
    """Tells whether every command of a shell line only displays data."""
    heads = [part.partition("|")[0].split() for part in re.split(r"\|\||&&|[;\n]", command)]
    heads = [words for words in heads if words and words[0] != "cd"]
    return bool(heads) and all(
        words[0] in SHOWS or (words[0] == "git" and len(words) > 1 and words[1] in GIT_SHOWS) for words in heads
    )


def _text(content: object) -> str:
    """Returns the text of a tool result. It is never stored."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(_string(block.get("text")) for block in blocks if isinstance(block, dict))


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
