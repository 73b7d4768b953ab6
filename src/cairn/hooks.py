"""Face: one client event in as JSON, its text out on stdout. Standard library only; whatever happens, exit 0.

Hot module: it and all it imports stay off `json`, `re`, `sqlite3` and the rest on the common path (perf.md 1). What one
event alone needs, or a newcomer's first session, is imported there.
"""

from __future__ import annotations

import os
import sys
import time

from . import files, native, runtime, settings, spool
from .core.defaults import (
    IDLE_SESSION,
    NOTICE_CHARS,
    OBSERVED_FILE_CHARS,
    OBSERVED_NAME_CHARS,
    STALE_SESSION,
    STDIN_BYTES_MAX,
    STOP_BYTES,
    TYPED_SECONDS,
)
from .core.errors import CairnError, StoreError, access_hint
from .core.fastjson import dump, parse
from .core.own import is_own
from .core.text import clip, one_line, session_key
from .ops.brief import brief, news
from .project import Identity, identify
from .store.reader import COUNT_ACCESS, DELIVER, SCHEMA, SEEN_SESSION, Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Event:
    """One hook call: what the client said, and where this machine keeps its memories."""

    __slots__ = ("name", "said", "home", "settings", "session", "now")

    def __init__(self, name: str, said: dict[str, Any], home: str, given: settings.Loaded, now: float) -> None:
        self.name = name
        self.said = said
        self.home = home
        self.settings = given
        self.session = session_key(said.get("session_id"))
        self.now = now

    def text(self, key: str) -> str:
        value = self.said.get(key)
        return value if isinstance(value, str) else ""

    @property
    def database(self) -> str:
        return os.path.join(self.home, "cairn.db")

    def identity(self) -> Identity | None:
        cwd = self.text("cwd") or os.getcwd()
        return identify(cwd, os.environ.get("CLAUDE_PROJECT_DIR", ""), os.environ.get("HOME", ""))

    @property
    def is_off(self) -> bool:
        """Turned off, for all or for this project; a project is looked up only where one is turned off."""
        return self.settings.is_off(self.identity() if self.settings.off_in else None)

    @property
    def attended(self) -> bool:
        """Whether a person sees this session (FACTS b)."""
        entrypoint = os.environ.get("CLAUDE_CODE_ENTRYPOINT", "")
        alone = entrypoint.startswith(("sdk", "mcp", "local-agent")) or "github" in entrypoint
        return os.environ.get("CLAUDE_CODE_SESSION_ATTENDED") != "0" and not alone


def session_start(event: Event) -> None:
    """The brief, on startup, clear and compact; on resume only when it holds news. Never in a sub-agent."""
    if event.said.get("agent_id"):
        return
    identity = event.identity()
    store = _reader(event)
    project = store.project_of(identity) if store and not store.empty else None
    made = brief(
        store,
        project,
        identity.name if identity else "",
        limit=event.settings["brief_limit"],
        budget=event.settings["brief_tokens"],
        now=event.now,
        index=native.index(os.path.dirname(event.text("transcript_path")), os.environ),
    )
    learned: list[str] = []
    if event.text("source") == "resume":
        learned = news(store, event.session, made.ids) if store and not store.empty else []
        if not learned:
            made.text, made.ids = "", []
    elif _is_newcomer(event, store):
        made.text += _offer(event)
    say(made.text, _note(event, store))
    _name_session(event)
    if runtime.build_is_due(event.home, event.now) and not os.environ.get(runtime.NO_BOOTSTRAP):
        runtime.start_build(event.home)
    _count(event, store, project, made.ids, learned, len(made.text))
    runtime.record_plugin(event.home, runtime.plugin_root())


def _is_newcomer(event: Event, store: Reader | None) -> bool:
    """Whether a person sees this session, and no memory was ever made. What is broken is not empty: it has raised."""
    troubled = event.settings.problems or spool.names(event.home, "aside")
    return event.attended and not troubled and (store is None or store.empty or not store.holds_any())


def _offer(event: Event) -> str:
    from . import onboarding
    from .core.profile import offer

    if not onboarding.is_due(event.home, event.session):
        return ""
    return offer(onboarding.past_sessions(settings.client_home(os.environ), event.text("transcript_path")))


def _name_session(event: Event) -> None:
    """Lets the commands that run in this session's shells know whose they are."""
    path = os.environ.get("CLAUDE_ENV_FILE")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write("export " + runtime.SESSION + "=" + event.session + "\n")


def _note(event: Event, store: Reader | None) -> str:
    """What the user is told, in a session that a person sees: only what has changed, and each only once."""
    if not event.attended:
        return ""
    return _packages_note(event) or _trouble_note(event) or _learned_note(event, store)


def _trouble_note(event: Event) -> str:
    told = os.path.join(event.home, "told-aside")
    if not spool.names(event.home, "aside"):
        files.remove(told)
    elif files.begin(told):
        return "Cairn could not learn from a session. See: cairn doctor"
    return ""


def _learned_note(event: Event, store: Reader | None) -> str:
    """Once ever: that it works, after the first session that taught something."""
    told = os.path.join(event.home, "told-learned")
    if store is None or store.empty or os.path.exists(told):
        return ""
    count = store.learned_last(event.now)
    if not count or not files.begin(told):
        return ""
    things = "1 thing" if count == 1 else str(count) + " things"
    return "Cairn: learned " + things + " last session. See /cairn:memory recent."


def _packages_note(event: Event) -> str:
    """That the data home can't be written, or that the packages are about to be installed, once, or why that failed,
    once for each reason.
    """
    told = os.path.join(os.environ.get("CLAUDE_PLUGIN_DATA") or event.home, "unwritable")
    if not files.writable(event.home):
        what = "Cairn can't learn: " + event.home + " can't be written. Try: " + access_hint(event.home)
        return what if files.begin(told) else ""
    files.remove(told)
    if not runtime.wants_venv(event.home):
        return ""
    allowed = not os.environ.get(runtime.NO_BOOTSTRAP)
    if allowed and files.begin(runtime.build_file(event.home), "{}"):
        return (
            "Cairn installs its packages in the background, once (about half a minute; from your Python package index, "
            "into " + os.path.join(event.home, "venv") + "). What you say meanwhile is kept."
        )
    return clip(one_line(files.take(runtime.notice_file(event.home))), NOTICE_CHARS)


def _reader(event: Event) -> Reader | None:
    """The store, or None before there is one. An older schema is the worker's to migrate, so it is started."""
    if not os.path.exists(event.database):
        return None
    store = Reader(event.database)
    if 0 < store.schema < SCHEMA:
        runtime.start_worker(event.home)
    return store


def _count(
    event: Event, store: Reader | None, project: str | None, ids: list[str], learned: list[str], chars: int
) -> None:
    """Notes the session and what it was shown: in the store, or in the spool when the store is busy or missing.

    `learned` are memories that a brief without them has told of: they are gone, and that is no news a second time.
    """
    path = event.text("transcript_path")
    seen = {"id": event.session, "project": project, "transcript_path": path or None, "cwd": event.text("cwd") or None}
    statements: list[tuple[str, dict[str, Any]]] = [(SEEN_SESSION, {**seen, "now": event.now})]
    statements += [(COUNT_ACCESS, {"id": memory_id, "now": event.now}) for memory_id in ids]
    for memory_id in dict.fromkeys(ids + learned):
        delivery = {"session": event.session, "id": memory_id, "event": event.name, "chars": chars, "now": event.now}
        statements.append((DELIVER, delivery))
    if not (store and store.count(statements)):
        payload = {"session": event.session, "transcript_path": path, "cwd": event.text("cwd"), "ids": ids}
        key = event.session + (repr(event.now) if ids else "")  # each delivery is counted; a session is noted once
        spool.put(event.home, event.name, key, {**payload, "chars": chars, "at": event.now})
    waiting = spool.names(event.home, "new") or spool.names(event.home, "taken")
    if waiting or (store and not store.empty and _has_stale_session(event, store)):
        runtime.start_worker(event.home)


def _has_stale_session(event: Event, store: Reader) -> bool:
    """Whether a session whose end never came has left words behind, or is to be closed."""
    for path, offset, seen_at in store.stale_sessions(event.session, event.now - STALE_SESSION):
        if seen_at < event.now - IDLE_SESSION or _size(path or "") > offset:
            return True
    return False


def stop(event: Event) -> None:
    """Accepts the turn; the worker starts when the transcript has grown by about a window since the cursor."""
    if event.said.get("stop_hook_active"):
        return
    size = _accept(event)
    if size >= STOP_BYTES and size - _cursor(event) >= STOP_BYTES:
        runtime.start_worker(event.home)


def at_once(event: Event) -> None:
    """PreCompact and SessionEnd: whatever is new is worth the worker."""
    if _accept(event):
        runtime.start_worker(event.home)


def _accept(event: Event) -> int:
    """Spools the session for capture; the transcript's size in bytes, 0 when there is nothing to capture."""
    path = event.text("transcript_path")
    size = _size(path)
    if size:
        payload = {"session": event.session, "transcript_path": path, "size": size, "cwd": event.text("cwd")}
        payload["project_dir"] = os.environ.get("CLAUDE_PROJECT_DIR", "")
        payload["trigger"] = event.text("trigger") or event.text("reason")
        spool.put(event.home, event.name, event.session, {**payload, "at": event.now})
    return size


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size if path else 0
    except (OSError, ValueError):
        return 0


def _cursor(event: Event) -> int:
    try:
        store = _reader(event)
        return store.cursor_offset(event.session) if store and not store.empty else 0
    except StoreError:
        return 0


def tool_done(event: Event) -> None:
    """PostToolUse: that a tool was used, on which files, and how it ended; never a command, a body or an output."""
    answer = event.said.get("tool_response")
    left = isinstance(answer, dict) and (answer.get("interrupted") or answer.get("backgroundTaskId"))
    _observe(event, "unknown" if left else "ok")


def tool_failed(event: Event) -> None:
    _observe(event, "unknown" if event.said.get("is_interrupt") else "failed")


def _observe(event: Event, state: str) -> None:
    """Neither in a sub-agent nor for our own tools. The worker reads the rest in the transcript."""
    call, tool, given = event.text("tool_use_id"), event.text("tool_name"), event.said.get("tool_input")
    given = given if isinstance(given, dict) else {}
    if event.said.get("agent_id") or not 0 < len(call) <= OBSERVED_NAME_CHARS or is_own(tool, given):
        return
    named = (given.get(key) for key in ("file_path", "notebook_path", "path"))
    files = [path for path in named if isinstance(path, str) and 0 < len(path) <= OBSERVED_FILE_CHARS]
    line = {"id": call, "tool": tool[:OBSERVED_NAME_CHARS], "files": files, "state": state, "cwd": event.text("cwd")}
    spool.observe(event.home, event.session, {**line, "at": event.now})


def tool_wanted(event: Event) -> None:
    """PreToolUse of Bash: one plain `cairn` command that harms nothing runs unasked. Of any other it says nothing."""
    from .core.permit import is_permitted
    from .core.trust import suspicion

    given = event.said.get("tool_input")
    if event.text("tool_name") != "Bash" or not isinstance(given, dict) or not is_permitted(given):
        return
    if runtime.is_ours(event.home, os.environ.get("PATH", "")) and not suspicion([given["command"]], False):
        reason = "one of Cairn's own commands, which only read or keep a memory"
        allowed = {"permissionDecision": "allow", "permissionDecisionReason": reason}
        say(dump({"hookSpecificOutput": {"hookEventName": "PreToolUse", **allowed}}))


def command_typed(event: Event) -> None:
    """UserPromptExpansion of `/cairn:memory`: the command that stands there is run, and what it prints goes along."""
    from .core import typed

    if not _is_ours(event):
        return
    words = typed.words_of(event.text("command_args"))
    if words:
        try:
            printed = runtime.run(words, event.text("cwd") or os.getcwd(), event.session, TYPED_SECONDS)
        except Exception:
            say(
                typed.result(words[0], "Error: it could not be run, and nothing is known to be kept. Try: cairn doctor")
            )
            raise
        say(typed.result(words[0], printed))


def _is_ours(event: Event) -> bool:
    """Whether a typed command is the plugin's skill, or the personal one that `cairn setup --slash-memory` has made."""
    if event.text("command_name") == "cairn:memory":
        return True
    personal = os.path.join(settings.client_home(os.environ), "skills", "memory", "SKILL.md")
    return event.text("command_source") == "userSettings" and "`cairn store " in files.read(personal)


EVENTS = {
    "user-prompt-expansion": command_typed,
    "pre-tool-use": tool_wanted,
    "session-start": session_start,
    "post-tool-use": tool_done,
    "post-tool-use-failure": tool_failed,
    "stop-extract": stop,
    "pre-compact": at_once,
    "session-end": at_once,
}


def main(name: str) -> None:
    """Runs one event. Never raises, never exits with anything but 0; a failure is one line in the log."""
    os.umask(0o077)
    home = settings.data_home()
    if home is None:
        os._exit(0)
    try:
        said = parse(_stdin())
        if isinstance(said, dict) and not os.environ.get(runtime.NESTED):
            if name == "session-start" and not os.environ.get("CAIRN_OFF"):
                _copy_options(home)
            event = Event(name, said, home, settings.load(home), time.time())
            if event.is_off:
                files.begin(settings.off_file(home, event.session))
            else:
                EVENTS[name](event)
                runtime.note_success(home, name, event.now)
                _remember_interpreter(home)
    except BaseException as problem:  # noqa: BLE001  a hook never harms a session
        _log(home, name, problem)
    os._exit(0)


def say(text: str, note: str = "") -> None:
    """What the model is to read goes out at once: what follows may fail, and must not take it along.

    `note` is for the user, who sees it only in the JSON form of an answer.
    """
    if note:
        specific = {"hookEventName": "SessionStart", "additionalContext": text}
        text = dump({"systemMessage": note, "hookSpecificOutput": specific} if text else {"systemMessage": note})
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    sys.stdout.flush()


def _stdin() -> str:
    data = sys.stdin.buffer.read(STDIN_BYTES_MAX + 1)
    if len(data) > STDIN_BYTES_MAX:
        raise ValueError("more than " + str(STDIN_BYTES_MAX) + " bytes on stdin")
    return data.decode("utf-8", "replace")


def _copy_options(home: str) -> None:
    try:
        settings.copy_options(home)
    except (OSError, CairnError) as problem:
        _log(home, "session-start", problem)


def _remember_interpreter(home: str) -> None:
    hook, worker = runtime.interpreters(home)
    if not hook and sys.executable:
        runtime.record(home, os.path.realpath(sys.executable), worker)


def _log(home: str, name: str, problem: BaseException) -> None:
    try:
        spool.log(home, "hooks", name + " " + type(problem).__name__ + ": " + str(problem), time.time())
    except OSError:
        pass
