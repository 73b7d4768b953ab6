"""Face, beside `hooks`: a prompt, a tool call, a failure, a compaction in; the memory that fits it out. Hot module.

What can't be noted as shown is not shown: so nothing comes twice.
"""

from __future__ import annotations

import os

from ..config import runtime
from ..db.reader import ASK, COUNT_ACCESS, DELIVER, FOCUS, SEEN_SESSION, TRIM_FOCUS, begun_in
from ..lib.limits import FOCUS_ROWS, PATH_CHARS, SUGGESTED_ROWS
from ..recall.moment import Moment, Recalled
from ..shell.own_calls import is_own
from .event import Event, answer, below, reader, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..recall.embeddings.table_reader import WordLens

FILES = {"Read": "file_path", "Edit": "file_path", "Write": "file_path", "MultiEdit": "file_path"}
FILES["NotebookEdit"] = "notebook_path"


def prompted(event: Event) -> None:
    """UserPromptSubmit: what is likely to help with this prompt, as plain text behind it; and what may be worth
    remembering.
    """
    from ..recall.at_prompt import at_prompt

    moment = _moment(event)
    if moment is not None:
        lens = _lens(event)
        recalled = at_prompt(moment, event.text("prompt"), lens, lens.rarity)
        _add_suggested(event, moment, recalled)
        _tell(event, moment, recalled, say)


def _add_suggested(event: Event, moment: Moment, recalled: Recalled) -> None:
    """Where a person sees the session, adds what its model is asked to keep."""
    if not event.attended or event.text("prompt").lstrip().startswith(("/", "<")):
        return
    suggested = moment.store.suggested(event.session, moment.project, SUGGESTED_ROWS, event.now)
    if suggested.waiting:
        from ..recall.suggested import ask

        text, recalled.asked = ask(suggested)
        recalled.text += text


def tool_wanted(event: Event) -> None:
    """PreToolUse: what is known of a file; what a command is about to break; and one plain `keepstone` command that
    harms nothing runs unasked.
    """
    given, tool = event.said.get("tool_input"), event.text("tool_name")
    if not isinstance(given, dict):
        return
    if tool == "Bash":
        specific = _permission(event, given)
        if specific:
            answer("PreToolUse", specific)
        elif not is_own(tool, given):
            _before_command(event, given.get("command"))
    elif tool in FILES:
        _before_file(event, given.get(FILES[tool]))


def _before_command(event: Event, command: Any) -> None:
    from ..recall.at_command import at_command

    moment = _moment(event) if isinstance(command, str) else None
    if moment is not None:
        _tell(event, moment, at_command(moment, command), _beside("PreToolUse"))


def _before_file(event: Event, path: Any) -> None:
    from ..recall.at_file import at_file

    moment = _moment(event) if isinstance(path, str) and 0 < len(path) <= PATH_CHARS else None
    if moment is None or not moment.root:
        return
    whole = os.path.realpath(os.path.join(event.folder, path))
    inside = below(moment.root, whole)
    if inside:
        _tell(event, moment, at_file(moment, inside), _beside("PreToolUse"))


def tool_failed(event: Event) -> None:
    """PostToolUseFailure of a command: what cured the same error before."""
    from ..recall.at_failure import at_failure

    given = event.said.get("tool_input")
    if event.text("tool_name") != "Bash" or not isinstance(given, dict) or is_own("Bash", given):
        return
    moment = _moment(event)
    if moment is not None:
        lens = _lens(event)
        _tell(event, moment, at_failure(moment, event.text("error"), lens, lens.rarity), _beside("PostToolUseFailure"))


def compaction(event: Event) -> None:
    """PreCompact: its stdout is an instruction of the request that sums the session up."""
    from ..recall.at_compaction import at_compaction

    moment = _moment(event)
    if moment is not None:
        say(at_compaction(moment))


def _moment(event: Event) -> Moment | None:
    """None in a sub-agent, and before there is anything to recall."""
    if event.said.get("agent_id"):
        return None
    store = reader(event)
    if store is None or store.empty:
        return None
    identity = event.identity(begun_in(store, event.session))
    return Moment(store, store.project_of(identity), event.session, event.name, event.now, *event.below(identity))


def _lens(event: Event) -> WordLens:
    from ..recall.embeddings.table_reader import WordLens

    return WordLens(runtime.table_file(event.home), runtime.weights_file(event.home), event.settings["embedder"])


def _beside(hook: str) -> Callable[[str], None]:
    return lambda text: answer(hook, {"additionalContext": text})


def _tell(event: Event, moment: Moment, recalled: Recalled, tell: Callable[[str], None]) -> None:
    """Notes what is about to be shown, in one transaction, and shows it."""
    if not (recalled.shown or recalled.focus or recalled.asked):
        return
    now = event.now
    path, cwd = event.text("transcript_path") or None, event.text("cwd") or None
    seen = {"id": event.session, "project": moment.project, "transcript_path": path, "cwd": cwd, "now": now}
    statements: list[tuple[str, dict[str, Any]]] = [(SEEN_SESSION, seen)]
    for memory_id, chars in recalled.shown:
        statements.append((COUNT_ACCESS, {"id": memory_id, "now": now}))
        shown = {"session": event.session, "id": memory_id, "event": event.name, "chars": chars, "now": now}
        statements.append((DELIVER, shown))
    for memory_id, relevance in recalled.focus:
        fed = {"session": event.session, "id": memory_id, "relevance": relevance, "by_hand": 0, "now": now}
        statements.append((FOCUS, fed))
    statements += [(ASK, {"id": one, "session": event.session, "now": now}) for one in recalled.asked]
    statements.append((TRIM_FOCUS, {"session": event.session, "most": FOCUS_ROWS}))
    if moment.store.count(statements) and recalled.text:
        tell(recalled.text)


def _permission(event: Event, given: dict[str, Any]) -> dict[str, str]:
    """Lets one plain `keepstone` command that harms nothing run unasked. Of any other it says nothing."""
    from ..shell.permission import is_permitted

    if not is_permitted(given):
        return {}
    from ..model.trust import suspicion  # it loads `re`, and most commands are not ours

    if runtime.is_ours(event.home, os.environ.get("PATH", "")) and not suspicion([given["command"]]):
        reason = "one of Keepstone's own commands, which only read or keep a memory"
        return {"permissionDecision": "allow", "permissionDecisionReason": reason}
    return {}
