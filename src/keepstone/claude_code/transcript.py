"""Parses the client's transcript: which lines are conversation, and what was said in them.

Lines of type `user` and `assistant` count, and attachments that hold a prompt which waited while the assistant worked:
newer clients keep copies of prompts, with injected text, in lines of other types.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import takewhile

from ..config import runtime
from ..language.prompt_parts import own_lines
from ..lib.text import clean, head_and_tail
from .auto_memory import FileWrite, Result, call_of, result_of
from .observation import Outcome, Use, id_of, outcome_of, use_of
from .person import (
    ASKING,
    Answer,
    Call,
    Option,
    blocks_of,
    is_by_program,
    is_denial,
    is_person_by_name,
    prompted,
    queued,
    replied,
    shell_line,
    string,
    typed,
)
from .yes_no import with_yes_no

USER, ASSISTANT, TOOL_USE, TOOL_RESULT = "user", "assistant", "tool_use", "tool_result"
ATTACHMENT = "attachment"
SESSION, AGENT, OTHER = "session", "agent", "other"

# Attachments that others may have written: a file named with @, one next to it, a server's resource.
BRINGING = ("file", "nested_memory", "mcp_resource", "instructions")
REPORT = "<task-notification>"  # the report of a sub-agent that ran beside the session
_OWN_SECTION = "<keepstone-"
REDACTED_CHARS = 400_000  # of a text: fifty windows, so that what a cut halves here is in none of them
SHOWN_CHARS = 16_000  # kept of what a call was given or returned, to know its lines in a prompt
OPEN_MAX = 20  # calls that may wait for results: the client makes a few at once


@dataclass(frozen=True, slots=True)
class Turn:
    """One record of the conversation. `text` is what was said, or a tool call in one line; `at` is the client's
    timestamp.

    `start` and `end` are byte offsets in the transcript. `uses` are a record's tool calls, `said` the words before them
    in the same record, `outcomes` how calls ended. `calls` write Claude's own memory files, `results` are their
    results; `written` are those that succeeded with this turn, and `open_since` is the offset of the first one without
    a result, or -1. `outside` tells whether the assistant has read untrusted content since the user's last message;
    `branch` was checked out; `chosen` are options of the assistant's, in its words, which the user has chosen; `denied`
    is the call that the user denied with these words; `answers` are the user's to the assistant's questions;
    `by_program` tells that a program speaks in the user's place, or has given the prompt that this follows; `parent` is
    the record that it follows, `cwd` the session's folder then; `shown` is what calls were given or returned: it is
    only compared with, and never stored.
    """

    uuid: str
    role: str
    text: str
    at: str = ""
    start: int = 0
    end: int = 0
    uses: tuple[Use, ...] = ()
    said: str = ""
    outcomes: tuple[Outcome, ...] = ()
    calls: tuple[FileWrite, ...] = ()
    results: tuple[Result, ...] = ()
    written: tuple[tuple[FileWrite, Result], ...] = ()
    open_since: int = -1
    outside: bool = False
    branch: str = ""
    chosen: tuple[Option, ...] = ()
    denied: str = ""
    answers: tuple[Answer, ...] = ()
    by_program: bool = False
    parent: str = ""
    cwd: str = ""
    shown: str = field(default="", compare=False, repr=False)

    def redacted(self, redact: Callable[[str], str]) -> Turn:
        """Returns the turn with whatever it says redacted: before a window cuts a long text or a rule takes a sentence
        of it, because half a key no longer looks like one. Of a huge text only the head and the tail are redacted and
        kept: far more of them than any window.
        """

        def masked(text: str) -> str:
            return redact(clean(head_and_tail(text, REDACTED_CHARS))) if text else ""

        given = (replace(one, question=masked(one.question), text=masked(one.text)) for one in self.answers)
        return replace(self, text=masked(self.text), denied=masked(self.denied), answers=tuple(given))

    @property
    def offered(self) -> str:
        """Returns the words of the options that the user has chosen."""
        return " ".join(option.label for option in self.chosen)


class Pairing:
    """Matches calls that write memory files with their results, turn by turn."""

    def __init__(self) -> None:
        self.open: dict[str, FileWrite] = {}

    def __call__(self, turn: Turn) -> Turn:
        self.open.update((call.id, call) for call in turn.calls)
        while len(self.open) > OPEN_MAX:
            del self.open[next(iter(self.open))]
        met = [(self.open.pop(result.id), result) for result in turn.results if result.id in self.open]
        if turn.role == USER:
            self.open.clear()  # the conversation continued without them
        if not met and not self.open:
            return turn
        since = min((call.start for call in self.open.values()), default=-1)
        return replace(turn, written=tuple(pair for pair in met if pair[1].ok), open_since=since)


@dataclass(frozen=True, slots=True)
class TranscriptHead:
    """The facts about a session at the start of its transcript."""

    session_id: str = ""
    cwd: str = ""
    branch: str = ""
    agent: str = ""


def head(line: bytes, known: TranscriptHead) -> TranscriptHead:
    """Returns the known facts about a session after one more line."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return known
    if not isinstance(record, dict):
        return known
    return TranscriptHead(
        known.session_id or string(record.get("sessionId")),
        known.cwd or _folder(record.get("cwd")),
        known.branch or string(record.get("gitBranch")),
        known.agent or string(record.get("agentSetting")),
    )


def speaker(line: bytes) -> str:
    """Returns whose conversation a line belongs to: SESSION, or AGENT for a sub-agent's; OTHER for any other record of
    the client, "" for anything else. Raises ValueError if the line is not a JSON object.
    """
    record = json.loads(line)
    if not isinstance(record, dict):
        raise ValueError("not a JSON object")
    if record.get("type") not in (USER, ASSISTANT) or not isinstance(record.get("message"), dict):
        return OTHER if record.get("type") or record.get("sessionId") else ""
    return AGENT if record.get("isSidechain") else SESSION


class TurnReader:
    """Makes turns of a transcript's lines, one after another. It remembers the calls that wait for their results,
    because a person's answers, approvals and reasons stand in results.
    """

    def __init__(self) -> None:
        self._open: dict[str, Call] = {}
        self._by_program = False  # the last prompt was
        self._misnamed: dict[str, bool] = {}  # whether a repository may say how the sessions in a folder were started

    def __call__(self, line: bytes, start: int = 0) -> Turn | None:
        """Returns the turn in a line, or None if the line is not conversation. Raises ValueError if the line is not a
        JSON object.
        """
        record = json.loads(line)
        if not isinstance(record, dict):
            raise ValueError("not a JSON object")
        uuid = string(record.get("uuid"))
        if not uuid or record.get("isSidechain") or record.get("isMeta") or record.get("isCompactSummary"):
            return None
        at, branch = string(record.get("timestamp")), string(record.get("gitBranch"))
        by_program, parent = is_by_program(record), string(record.get("parentUuid"))
        cwd, end = _folder(record.get("cwd")), start + len(line)
        turn = Turn(uuid, USER, "", at, start, end, branch=branch, by_program=by_program, parent=parent, cwd=cwd)
        message = record.get("message")
        if record.get("type") == ATTACHMENT:
            return self._prompt(record, turn, queued(record))
        if not isinstance(message, dict):
            return None
        blocks = blocks_of(message.get("content"))
        if record.get("type") == USER:
            return self._users(record, blocks, turn)
        if record.get("type") == ASSISTANT and not record.get("isApiErrorMessage"):
            turn = replace(turn, by_program=by_program or self._by_program)
            return self._assistants(blocks, message.get("model"), turn)
        return None

    def _prompt(self, record: dict[str, object], turn: Turn, text: str) -> Turn | None:
        if not text:
            return None
        is_misnamed = is_person_by_name(record) and self._is_misnamed(_folder(record.get("cwd")))
        self._by_program = turn.by_program or is_misnamed
        return replace(turn, text=text, by_program=self._by_program)

    def _is_misnamed(self, folder: str) -> bool:
        if folder not in self._misnamed:
            self._misnamed[folder] = runtime.may_be_misnamed(folder)
        return any(self._misnamed.values())  # a session may have left the folder that it began in

    def _users(self, record: dict[str, object], blocks: list[dict[str, object]], turn: Turn) -> Turn | None:
        ends = [block for block in blocks if block.get("type") == TOOL_RESULT]
        if not ends:
            return self._prompt(record, turn, prompted(record, blocks))
        told = record.get("toolUseResult")
        turn = replace(
            turn,
            role=TOOL_RESULT,
            text="failed" if ends[0].get("is_error") is True else "ok",
            by_program=turn.by_program or self._by_program,
            outcomes=tuple(outcome_of(block, told) for block in ends),
            results=tuple(result_of(block, told) for block in ends),
            shown=head_and_tail("\n".join(map(_result_text, ends)), SHOWN_CHARS),
        )
        calls = [(block, self._open.pop(id_of(block.get("tool_use_id")), None)) for block in ends]
        said = with_yes_no(replied(record, blocks, calls), told, calls)
        if said is None:
            return turn
        return replace(turn, role=USER, text=said.text, chosen=said.chosen, denied=said.denied, answers=said.answers)

    def _assistants(self, blocks: list[dict[str, object]], model: object, turn: Turn) -> Turn | None:
        if model == "<synthetic>":
            return None
        made = [block for block in blocks if block.get("type") == TOOL_USE]
        if not made:
            text = "\n".join(string(block.get("text")) for block in blocks if block.get("type") == "text").strip()
            return replace(turn, role=ASSISTANT, text=text) if text and text != "No response requested." else None
        for block in made:
            name = string(block.get("name"))
            texts = tuple(_strings(block.get("input"))) if name == ASKING else ()
            self._open[id_of(block.get("id"))] = Call(name, _line(block), texts)
        while len(self._open) > OPEN_MAX:
            del self._open[next(iter(self._open))]
        others = (block for block in made[:-1] if not use_of(block).own)
        calls = [call_of(block, turn.uuid, turn.at, turn.start) for block in made]
        return replace(
            turn,
            role=TOOL_USE,
            text=_line(next(others, made[-1])),
            uses=tuple(use_of(block) for block in made),
            said=_words_before(blocks),
            calls=tuple(call for call in calls if call),
            shown=head_and_tail(
                "\n".join(text for block in made for text in _strings(block.get("input"))), SHOWN_CHARS
            ),
        )


def parse(line: bytes, start: int = 0) -> Turn | None:
    """Returns the turn in a line alone: what a person said in a call's result needs a TurnReader. Raises ValueError if
    the line is not a JSON object.
    """
    return TurnReader()(line, start)


def calls_in(line: bytes) -> dict[str, str]:
    """Returns the tools that the assistant calls in a record, by the calls' ids. Raises ValueError if the line is not
    JSON.
    """
    record = json.loads(line)
    message = record.get("message") if isinstance(record, dict) and record.get("type") == ASSISTANT else None
    made = blocks_of(message.get("content")) if isinstance(message, dict) else []
    return {id_of(one.get("id")): string(one.get("name")) for one in made if one.get("type") == TOOL_USE}


def brought(line: bytes, calls: Mapping[str, str]) -> tuple[str, list[str]]:
    """Returns a record's uuid and the texts it gives the assistant to read: tool results, attached files, and the parts
    of a user line that the user did not write. Answers to questions and reasons for a denial are the user's, where the
    tools of the `calls` are known, by id. Raises ValueError if the line is not JSON.
    """
    record = json.loads(line)
    if not isinstance(record, dict):
        return "", []
    uuid, attached, message = string(record.get("uuid")), record.get("attachment"), record.get("message")
    if isinstance(attached, dict):
        return uuid, list(_strings(attached)) if attached.get("type") in BRINGING else []
    if not isinstance(message, dict) or record.get("type") != USER or record.get("isCompactSummary"):
        return uuid, []
    blocks = blocks_of(message.get("content"))
    ends = [
        (block, calls.get(id_of(block.get("tool_use_id")), "")) for block in blocks if block.get("type") == TOOL_RESULT
    ]
    if record.get("toolDenialKind"):
        return uuid, []  # what a person said
    said = [_result_text(end) for end, tool in ends if tool != ASKING and not is_denial(record, end, tool)]
    return uuid, said + [_handed(string(block.get("text"))) for block in blocks if block.get("type") == "text"]


def _handed(text: str) -> str:
    """Returns the lines of a user message that the user did not write, or "" if Keepstone inserted the message."""
    if text.startswith(_OWN_SECTION):
        return ""
    own = {said for _, said in own_lines(typed(text))}
    return "\n".join(one for one in text.split("\n") if one not in own and typed(one) not in own)


def _strings(value: object) -> Iterator[str]:
    """Yields all texts within a JSON value."""
    held = [value]
    while held:
        one = held.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            held += one.values()
        elif isinstance(one, list):
            held += one


def report_and_command(line: bytes) -> tuple[bool, str]:
    """Returns, for a line that is not a turn, whether a sub-agent reports in it, and the shell command that the user
    ran there. Raises ValueError if the line is not JSON.
    """
    if REPORT.encode() not in line and b"<bash-input>" not in line:
        return False, ""
    record = json.loads(line)
    message = record.get("message") if isinstance(record, dict) and record.get("type") == USER else None
    blocks = blocks_of(message.get("content")) if isinstance(message, dict) else []
    text = "\n".join(string(block.get("text")) for block in blocks).lstrip()
    return text.startswith(REPORT), shell_line(text)


def _line(block: dict[str, object]) -> str:
    """Returns a tool call in one line: the tool and its target, never a file's content."""
    given = block.get("input")
    given = given if isinstance(given, dict) else {}
    target = next((string(given[key]) for key in ("command", "file_path", "path", "url", "query") if key in given), "")
    return f"{string(block.get('name'))}: {' '.join(target.split())}".rstrip(": ")


def _words_before(blocks: list[dict[str, object]]) -> str:
    """Returns the text before the first tool call, if a record holds both."""
    said = takewhile(lambda block: block.get("type") != TOOL_USE, blocks)
    return "\n".join(string(block.get("text")) for block in said if block.get("type") == "text").strip()


def is_own_call(turn: Turn) -> bool:
    """Tells whether all calls of a record are Keepstone's own."""
    return turn.role == TOOL_USE and all(use.own for use in turn.uses)


def _result_text(block: dict[str, object]) -> str:
    return "\n".join(string(part.get("text")) for part in blocks_of(block.get("content")))


def _folder(value: object) -> str:
    """Returns a folder's name as the client gives it, or "" if no system can have such a name."""
    name = string(value)
    return "" if "\0" in name or any("\ud800" <= char <= "\udfff" for char in name) else name
