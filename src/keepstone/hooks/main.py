"""Face: one client event in as JSON, its text out on stdout. Standard library only; a launcher exits 0.

Hot module: it and all it imports stay off `json`, `re`, `sqlite3` and the rest on the common path. What one
event alone needs, or a newcomer's first session, is imported there.
"""

from __future__ import annotations

import os
import sys
import time

from ..config import runtime, settings
from ..config.provenance import (
    NESTED,
    client_home,
    data_home,
    is_a_repositorys,
    is_at_work,
    is_nested,
    note_home,
    own_but_open,
    user_home,
    why_no_home,
)
from ..lib import files
from ..lib.errors import KeepstoneError, StoreError
from ..lib.fast_json import parse
from ..lib.limits import OBSERVED_NAME_CHARS, STDIN_BYTES_MAX
from ..lib.text import agent_key
from ..spool import spool
from .event import Event, reader, say, size_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TYPED_SECONDS = 25.0  # for a typed command: below the 30 that hooks.json gives its hook
STOP_BYTES = 8_000  # transcript growth that starts the worker at Stop: about one window


def session_start(event: Event) -> None:
    from .session_start import started

    started(event)


def stop(event: Event) -> None:
    """Accepts the turn; the worker starts when the transcript has grown by about a window since the cursor, or a job is
    due.
    """
    if event.said.get("stop_hook_active"):
        return
    size = _accept(event)
    if (size >= STOP_BYTES and size - _cursor(event) >= STOP_BYTES) or runtime.job_is_due(event.home, event.now):
        runtime.start_worker(event.home)


def at_once(event: Event) -> None:
    """PreCompact and SessionEnd: whatever is new is worth the worker."""
    if _accept(event):
        runtime.start_worker(event.home)


def compaction(event: Event) -> None:
    """PreCompact: what the summary is to keep, then as at a session's end."""
    from . import recall

    try:
        recall.compaction(event)
    finally:
        at_once(event)


def prompted(event: Event) -> None:
    from . import recall

    recall.prompted(event)


def tool_wanted(event: Event) -> None:
    from . import recall

    recall.tool_wanted(event)


def _accept(event: Event) -> int:
    """Spools the session for capture; the transcript's size in bytes, 0 when there is nothing to capture."""
    path = event.text("transcript_path")
    size = size_of(path)
    if size:
        payload = {"session": event.session, "transcript_path": path, "size": size, "cwd": event.text("cwd")}
        payload["project_dir"] = os.environ.get("CLAUDE_PROJECT_DIR", "")
        payload["trigger"] = event.text("trigger") or event.text("reason")
        if event.agent:
            payload["agent"] = agent_key(event.agent)
        try:
            spool.put(event.home, event.name, event.session, {**payload, "at": event.now})
        except OSError:
            spool.note_missed(event.home, event.name, event.session, path)
            raise
    return size


def _cursor(event: Event) -> int:
    try:
        store = reader(event)
        return store.cursor_offset(event.session) if store and not store.empty else 0
    except StoreError:
        return 0


def tool_done(event: Event) -> None:
    """PostToolUse: that a tool was used, and how it ended; never a command, a path, a body or an output."""
    answer = event.said.get("tool_response")
    left = isinstance(answer, dict) and (answer.get("interrupted") or answer.get("backgroundTaskId"))
    _observe(event, "unknown" if left else "ok")


def tool_failed(event: Event) -> None:
    """PostToolUseFailure: noted as any call; and what cured such an error before goes to the model."""
    from . import recall

    left = bool(event.said.get("is_interrupt"))
    _observe(event, "unknown" if left else "failed")
    if not left:
        recall.tool_failed(event)


def _observe(event: Event, state: str) -> None:
    """Neither in a sub-agent nor for our own tools. Nothing that may hold a secret: nothing is redacted here, so the
    worker reads the rest in the transcript.
    """
    call, tool, given = event.text("tool_use_id"), event.text("tool_name"), event.said.get("tool_input")
    if event.said.get("agent_id") or not 0 < len(call) <= OBSERVED_NAME_CHARS:
        return
    if _is_own(tool, given if isinstance(given, dict) else {}):
        return
    line = {"id": call, "tool": tool[:OBSERVED_NAME_CHARS], "state": state, "at": event.now}
    spool.observe(event.home, event.session, line)


def _is_own(tool: str, given: dict[str, Any]) -> bool:
    """Tells whether a call is of our own tools. One that does not name us can't be, and is looked at no further."""
    if not any(isinstance(text, str) and "keepstone" in text for text in (tool, *given.values())):
        return False
    from ..shell.own_calls import is_own

    return is_own(tool, given)


def command_typed(event: Event) -> None:
    """UserPromptExpansion of `/keepstone:memory`: the command that stands there is run, and what it prints goes
    along.
    """
    from . import slash_command

    if not _is_ours(event):
        return
    words = slash_command.words_of(event.text("command_args"))
    if words:
        try:
            printed = runtime.run(words, event.text("cwd") or os.getcwd(), event.session, TYPED_SECONDS)
        except Exception:
            say(
                slash_command.result(
                    words[0], "Error: it could not be run, and nothing is known to be kept. Try: keepstone doctor"
                )
            )
            raise
        say(slash_command.result(words[0], printed))


def _is_ours(event: Event) -> bool:
    """Whether a typed command is the plugin's skill, or the personal one that `keepstone setup --slash-memory` has
    made.
    """
    if event.text("command_name") == "keepstone:memory":
        return True
    personal = os.path.join(client_home(os.environ), "skills", "memory", "SKILL.md")
    return event.text("command_source") == "userSettings" and "`keepstone store " in files.read(personal)


EVENTS = {
    "user-prompt-expansion": command_typed,
    "user-prompt-submit": prompted,
    "pre-tool-use": tool_wanted,
    "session-start": session_start,
    "post-tool-use": tool_done,
    "post-tool-use-failure": tool_failed,
    "stop-extract": stop,
    "pre-compact": compaction,
    "session-end": at_once,
}


def _keep_own_home() -> None:
    own = user_home()
    if own and own != os.environ.get("HOME"):
        os.environ["HOME"] = own  # one that a repository has set would lead to another's project and settings


def main(name: str, again: str = "", done: int = 0) -> None:
    """Runs one event. Never raises, never exits with anything but `done`, by which a launcher knows that Python ran; a
    failure is one line in the log. `again` tells that the recorded interpreter has failed before this one.
    """
    os.umask(0o077)
    _keep_own_home()
    home = data_home(by_hook=True)
    try:
        if home is None:
            _without_home(name)
            os._exit(done)
        said = parse(_stdin())
        if isinstance(said, dict) and not is_nested(home):
            if name == "session-start" and not os.environ.get("KEEPSTONE_OFF"):
                _copy_options(home)
            event = Event(name, said, home, settings.load(home), time.time())
            if event.is_off:
                files.create_exclusive(settings.off_file(home, event.session))
                if name == "session-start":
                    _tell_why_off(home, event.settings.unreadable)
            else:
                note_home(home, by_hook=True)  # before a worker starts, which asks for the note
                EVENTS[name](event)
                runtime.note_success(home, name, event.now)
                _remember_interpreter(home, bool(again))
    except BaseException as problem:  # noqa: BLE001  a hook never harms a session
        if home is not None:
            _log(home, name, problem)
    os._exit(done)


def _without_home(name: str) -> None:
    """Tells a person at a start why there is no data home. Of one that only others' rights make unusable the session is
    noted, where nobody but the user writes: it is learned at the next start that finds the data home sound.
    """
    if name == "session-start":
        _tell_why_off(None, why_no_home(by_hook=True))
    folder, home = runtime.plugin_data(), own_but_open(by_hook=True)
    if not folder or not home or EVENTS[name] not in (stop, compaction, at_once):
        return
    event = Event(name, _said(), folder, settings.load(folder), time.time())
    by_extractor = NESTED in os.environ and not is_a_repositorys(NESTED, os.environ)
    if not by_extractor and not event.is_off and not event.said.get("stop_hook_active"):
        path = event.text("transcript_path")
        if size_of(path):
            spool.note_missed(home, name, event.session, path, is_refused=True)


def _said() -> dict[str, Any]:
    said = parse(_stdin())
    return said if isinstance(said, dict) else {}


def _stdin() -> str:
    data = sys.stdin.buffer.read(STDIN_BYTES_MAX + 1)
    if len(data) > STDIN_BYTES_MAX:
        raise ValueError("more than " + str(STDIN_BYTES_MAX) + " bytes on stdin")
    return data.decode("utf-8", "replace")


def _tell_why_off(home: str | None, problem: KeepstoneError | None) -> None:
    from .session_start import tell_why_off

    tell_why_off(home, problem)


def _copy_options(home: str) -> None:
    try:
        settings.copy_options(home)
    except (OSError, KeepstoneError) as problem:
        _log(home, "session-start", problem)


def _remember_interpreter(home: str, is_new: bool) -> None:
    found = os.path.realpath(sys.executable) if is_new and sys.executable else ""
    if found and not is_at_work(found, os.environ):
        runtime.record(home, found, runtime.interpreters(home)[1])


def _log(home: str, name: str, problem: BaseException) -> None:
    try:
        spool.log(home, "hooks", name + " " + type(problem).__name__ + ": " + str(problem), time.time())
    except OSError:
        pass
