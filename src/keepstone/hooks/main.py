"""Face: one client event in as JSON, its text out on stdout. Standard library only; whatever happens, exit 0.

Hot module: it and all it imports stay off `json`, `re`, `sqlite3` and the rest on the common path. What one
event alone needs, or a newcomer's first session, is imported there.
"""

from __future__ import annotations

import os
import sys
import time

from ..config import runtime, settings
from ..config.provenance import client_home, data_home, distrust_of, is_at_work
from ..lib import files
from ..lib.errors import KeepstoneError, StoreError, access_hint
from ..lib.fast_json import parse
from ..lib.limits import (
    DAY_SECONDS,
    IDLE_SESSION,
    OBSERVED_NAME_CHARS,
    STDIN_BYTES_MAX,
)
from ..lib.text import agent_key, clip, counted, one_line
from ..spool import spool
from .event import Event, answer, is_attended, reader, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..db.reader import Reader
    from ..recall.brief import Brief

TYPED_SECONDS = 25.0  # for a typed command: below the 30 that hooks.json gives its hook
STOP_BYTES = 8_000  # transcript growth that starts the worker at Stop: about one window
WAITING_ROWS = 500  # new memories among which each start looks for those that wait, before it notes that none does
NOTICE_CHARS = 600  # of a line that the user is told

# Files whose age tells when the user was last told of a trouble, of which they are told once a day.
TOLD_DAMAGE, TOLD_ASIDE, TOLD_OFF, TOLD_HOME = "told-damage", "told-aside", "told-off", "unwritable"
TOLD_MISSED = "told-missed"


def session_start(event: Event) -> None:
    """The brief, on startup, clear and compact; on resume only when it holds news. Never in a sub-agent."""
    from ..recall.brief import news

    if event.said.get("agent_id"):
        return
    try:
        store, project, made = _brief(event)
    except StoreError as problem:
        _tell_damage(event, problem)
        raise
    learned: list[str] = []
    if event.text("source") == "resume":
        learned = news(store, event.session, made.ids) if store and not store.empty else []
        if not learned:
            made.text, made.ids = "", []
    elif _is_newcomer(event, store):
        made.text += _offer(event)
    note = _note(event, store, project)
    if note:  # the user sees it only in the JSON form of an answer
        answer("SessionStart", {"additionalContext": made.text} if made.text else {}, note)
    else:
        say(made.text)
    _name_session(event)
    if runtime.build_is_due(event.home, event.now) and not os.environ.get(runtime.NO_BOOTSTRAP):
        runtime.start_build(event.home)
    _count(event, store, project, made.ids, learned, len(made.text))
    runtime.record_plugin(event.home, runtime.plugin_root())


def _brief(event: Event) -> tuple[Reader | None, str | None, Brief]:
    from ..claude_code import memory_state
    from ..recall.brief import Near, brief, worth_of

    identity = event.identity()
    store = reader(event)
    project = store.project_of(identity) if store and not store.empty else None
    made = brief(
        store,
        project,
        identity.name if identity else "",
        limit=event.settings["brief_limit"],
        budget=event.settings["brief_tokens"],
        now=event.now,
        index=memory_state.index(os.path.dirname(event.text("transcript_path")), os.environ),
        near=Near(*event.below(identity), event.session if event.text("source") == "compact" else ""),
        worth=worth_of(event.settings.values, event.now),
    )
    return store, project, made


def _tell_damage(event: Event, problem: StoreError) -> None:
    """Tells the user that there is no brief, and what to type; a start that goes well forgets that it was told."""
    if event.attended and _is_due(event.home, TOLD_DAMAGE, event.now):
        _tell("Keepstone's memories can't be read: ", problem)


def _tell(what: str, problem: KeepstoneError) -> None:
    note = what + problem.message + ". Try: " + (problem.hint or "keepstone doctor")
    answer("SessionStart", {}, clip(one_line(note), NOTICE_CHARS))


def _is_due(folder: str, name: str, now: float) -> bool:
    """Tells whether the user was not told of a trouble for a day, and notes that they are now. Where nothing can be
    noted, they are told each time.
    """
    path = os.path.join(folder, name)
    try:
        due = now - os.stat(path).st_mtime > DAY_SECONDS
    except OSError:
        due = True
    if due:
        files.remove(path)
        files.create_exclusive(path)
    return due


def _tell_why_off(home: str | None, problem: KeepstoneError | None) -> None:
    """Tells a person, once a day, that Keepstone does nothing because of a trouble."""
    folder = home or runtime.plugin_data()
    if problem and is_attended(os.environ) and _is_due(folder, TOLD_OFF, time.time()):
        _tell("Keepstone is off: ", problem)


def _is_newcomer(event: Event, store: Reader | None) -> bool:
    """Whether a person sees this session, and no memory was ever made. What is broken is not empty: it has raised; of
    a server's memories nothing is known before there is a copy, and onboarding is done there.
    """
    unknown = event.settings.server or ((store is None or store.empty) and runtime.address_of(event.home))
    troubled = event.settings.problems or unknown or spool.count(event.home, "aside", 1)
    return event.attended and not troubled and (store is None or store.empty or not store.holds_any())


def _offer(event: Event) -> str:
    from ..admin import onboarding_state
    from ..admin.onboarding_text import offer

    if not onboarding_state.is_due(event.home, event.session):
        return ""
    return offer(onboarding_state.past_sessions(client_home(os.environ), event.text("transcript_path")))


def _name_session(event: Event) -> None:
    """Lets the commands that run in this session's shells know whose they are: its own, and its agent's."""
    path = os.environ.get("CLAUDE_ENV_FILE")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write("export " + runtime.SESSION + "=" + event.session + "\n")
            if event.agent:
                file.write("export " + runtime.AGENT + "=" + agent_key(event.agent) + "\n")


def _note(event: Event, store: Reader | None, project: str | None) -> str:
    """What the user is told, in a session that a person sees: only what has changed, and each only once."""
    if not event.attended:
        return ""
    told = _packages_note(event) or _trouble_note(event) or _taken_back_note(event)
    return told or _waiting_note(event, store, project) or _learned_note(event, store)


def _trouble_note(event: Event) -> str:
    files.remove(os.path.join(event.home, TOLD_DAMAGE))
    missed = len(spool.missed_sessions(event.home))
    if missed:
        what = "Keepstone could not keep what was said in " + counted(missed, "session", "sessions")
        told = what + ": " + event.home + " had no room. It will, once there is some. See: keepstone doctor"
        return told if _is_due(event.home, TOLD_MISSED, event.now) else ""
    files.remove(os.path.join(event.home, TOLD_MISSED))
    aside = spool.count(event.home, "aside")
    if not aside and not spool.waits_since(event.home, event.now - DAY_SECONDS):
        files.remove(os.path.join(event.home, TOLD_ASIDE))
    elif _is_due(event.home, TOLD_ASIDE, event.now):
        what = "could not learn from a session" if aside else "has learned nothing for a day: what was said waits"
        return "Keepstone " + what + ". See: keepstone doctor"
    return ""


def _taken_back_note(event: Event) -> str:
    told = files.read_and_remove(runtime.taken_back_file(event.home))
    return "Keepstone: " + clip(one_line(told), NOTICE_CHARS) if told else ""


def _waiting_note(event: Event, store: Reader | None, project: str | None) -> str:
    """Once for each: that memories wait for the user's word. The file holds how far that was told."""
    if store is None or store.empty:
        return ""
    path = os.path.join(event.home, "told-waiting")
    line = files.read(path)
    told = int(line) if line.isdigit() else 0
    last, count, here = store.waiting_since(told, project, event.now)
    if count or not told <= last <= told + WAITING_ROWS:  # else the next start looks at these few once more
        files.write(path, str(last))
    if not count:
        return ""
    things = ("1 new memory waits" if count == 1 else str(count) + " new memories wait") + " for your word"
    return "Keepstone: " + things + ". See: keepstone review" + ("" if here == count else " --all")


def _learned_note(event: Event, store: Reader | None) -> str:
    """Once ever: that it works, after the first session that taught something."""
    told = os.path.join(event.home, "told-learned")
    if store is None or store.empty or os.path.exists(told):
        return ""
    count = store.learned_last(event.now)
    if not count or not files.create_exclusive(told):
        return ""
    things = "1 thing" if count == 1 else str(count) + " things"
    return "Keepstone: learned " + things + " last session. See /keepstone:memory recent."


def _packages_note(event: Event) -> str:
    """That the data home can't be written, or that the packages are about to be installed, once, or why that failed,
    once for each reason.
    """
    folder = runtime.plugin_data() or event.home
    refused = "" if files.writable(event.home) else event.home
    refused = refused or files.refuses([*spool.folders(event.home), event.database], os.W_OK)
    if refused:
        what = "Keepstone can't learn: " + refused + " can't be written. Try: " + access_hint(event.home)
        return what if _is_due(folder, TOLD_HOME, event.now) else ""
    files.remove(os.path.join(folder, TOLD_HOME))
    if not runtime.wants_venv(event.home):
        return ""
    allowed = not os.environ.get(runtime.NO_BOOTSTRAP)
    if allowed and files.create_exclusive(runtime.build_file(event.home), "{}"):
        return (
            "Keepstone installs its packages in the background, once (about half a minute; from your Python package "
            "index, "
            "into " + os.path.join(event.home, "venv") + "). What you say meanwhile is kept."
        )
    return clip(one_line(files.read_and_remove(runtime.notice_file(event.home))), NOTICE_CHARS)


def _count(
    event: Event, store: Reader | None, project: str | None, ids: list[str], learned: list[str], chars: int
) -> None:
    """Notes the session and what it was shown: in the store, or in the spool when the store is busy or missing.

    `learned` are memories that a brief without them has told of: they are gone, and that is no news a second time.
    """
    from ..db.reader import COUNT_ACCESS, DELIVER, SEEN_SESSION

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
    waiting = spool.count(event.home, "new") or spool.count(event.home, "taken") or spool.missed(event.home)
    if waiting or runtime.job_is_due(event.home, event.now) or (store and _has_stale_session(event, store)):
        runtime.start_worker(event.home)


def _has_stale_session(event: Event, store: Reader) -> bool:
    """Whether a session whose end never came has left words behind, or is to be closed. It may have been killed a
    moment ago; one that still runs loses nothing.
    """
    if store.empty:
        return False
    for path, offset, seen_at in store.stale_sessions(event.session, event.now):
        if seen_at < event.now - IDLE_SESSION or _size(path or "") > offset:
            return True
    return False


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
    size = _size(path)
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


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size if path else 0
    except (OSError, ValueError):
        return 0


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
    from ..shell.own_calls import is_own

    call, tool, given = event.text("tool_use_id"), event.text("tool_name"), event.said.get("tool_input")
    given = given if isinstance(given, dict) else {}
    if event.said.get("agent_id") or not 0 < len(call) <= OBSERVED_NAME_CHARS or is_own(tool, given):
        return
    line = {"id": call, "tool": tool[:OBSERVED_NAME_CHARS], "state": state, "at": event.now}
    spool.observe(event.home, event.session, line)


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


def main(name: str, again: str = "") -> None:
    """Runs one event. Never raises, never exits with anything but 0; a failure is one line in the log. `again` tells
    that the recorded interpreter has failed before this one.
    """
    os.umask(0o077)
    home = data_home()
    if home is None:
        if name == "session-start":
            _tell_why_off(None, distrust_of())
        os._exit(0)
    try:
        said = parse(_stdin())
        if isinstance(said, dict) and not os.environ.get(runtime.NESTED):
            if name == "session-start" and not os.environ.get("KEEPSTONE_OFF"):
                _copy_options(home)
            event = Event(name, said, home, settings.load(home), time.time())
            if event.is_off:
                files.create_exclusive(settings.off_file(home, event.session))
                if name == "session-start":
                    _tell_why_off(home, event.settings.unreadable)
            else:
                EVENTS[name](event)
                runtime.note_success(home, name, event.now)
                _remember_interpreter(home, bool(again))
    except BaseException as problem:  # noqa: BLE001  a hook never harms a session
        _log(home, name, problem)
    os._exit(0)


def _stdin() -> str:
    data = sys.stdin.buffer.read(STDIN_BYTES_MAX + 1)
    if len(data) > STDIN_BYTES_MAX:
        raise ValueError("more than " + str(STDIN_BYTES_MAX) + " bytes on stdin")
    return data.decode("utf-8", "replace")


def _copy_options(home: str) -> None:
    try:
        settings.copy_options(home)
    except (OSError, KeepstoneError) as problem:
        _log(home, "session-start", problem)


def _remember_interpreter(home: str, anew: bool) -> None:
    hook, worker = runtime.interpreters(home)
    found = os.path.realpath(sys.executable) if sys.executable else ""
    if (anew or not hook) and found and not is_at_work(found, os.environ):
        runtime.record(home, found, worker)


def _log(home: str, name: str, problem: BaseException) -> None:
    try:
        spool.log(home, "hooks", name + " " + type(problem).__name__ + ": " + str(problem), time.time())
    except OSError:
        pass
