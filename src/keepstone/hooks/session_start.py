"""A session's start: the brief for the model, and what the user is told of troubles and news. Hot module."""

from __future__ import annotations

import errno
import os
import time

from ..claude_code import memory_state
from ..config import runtime
from ..config.provenance import ENV_FILE, FOLDER, PROJECT, client_home, is_a_repositorys, marked_folder, quoted
from ..db.reader import ASK, COUNT_ACCESS, DELIVER, SEEN_SESSION, begun_in, holds_any, learned_last
from ..lib import files
from ..lib.errors import KeepstoneError, StoreError, access_hint, away
from ..lib.limits import DAY_SECONDS, IDLE_SESSION, SUGGESTED_ROWS
from ..lib.text import agent_key, clip, counted, one_line
from ..recall.brief import Near, brief, news, worth_of
from ..spool import spool
from .event import Event, answer, may_be_seen, reader, say, size_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..db.reader import Reader
    from ..recall.brief import Brief

WAITING_ROWS = 500  # new memories among which each start looks for those that wait, before it notes that none does
STUCK_SECONDS = 600.0  # after which a job that no worker has taken may mean that the recorded one is none
NOTICE_CHARS = 600  # of a line that the user is told

# Files whose age tells when the user was last told of a trouble, of which they are told once a day.
TOLD_DAMAGE, TOLD_ASIDE, TOLD_OFF, TOLD_HOME = "told-damage", "told-aside", "told-off", "unwritable"
TOLD_MISSED, TOLD_UNHEARD = "told-missed", "told-unheard"


def started(event: Event) -> None:
    """The brief, on startup, clear and compact; on resume only when it holds news. Never in a sub-agent."""
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
    made.text += _suggested(event, store, project)
    note = _note(event, store, project)
    if note:  # the user sees it only in the JSON form of an answer
        answer("SessionStart", {"additionalContext": made.text} if made.text else {}, note)
    else:
        say(made.text)
    _name_session(event)
    _count(event, store, project, made.ids, learned, len(made.text))
    if runtime.build_is_due(event.home, event.now) and not os.environ.get(runtime.NO_BOOTSTRAP):
        runtime.start_build(event.home)
    runtime.record_plugin(event.home, runtime.plugin_root())


def _brief(event: Event) -> tuple[Reader | None, str | None, Brief]:
    store = reader(event)
    goes_on = store is not None and not store.empty and event.text("source") == "compact"
    identity = event.identity(begun_in(store, event.session) if store and goes_on else "")
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


def _suggested(event: Event, store: Reader | None, project: str | None) -> str:
    """What the session's model is asked to keep, where a person sees the session; it is noted before it is said."""
    if store is None or store.empty or not event.attended:
        return ""
    suggested = store.suggested(event.session, project, SUGGESTED_ROWS, event.now)
    if not suggested.waiting:
        return ""
    from ..recall.suggested import ask

    text, ids = ask(suggested)
    noted = store.count([(ASK, {"id": one, "session": event.session, "now": event.now}) for one in ids])
    return text if noted else ""


def _tell_damage(event: Event, problem: StoreError) -> None:
    """Tells the user that there is no brief, and what to type; a start that goes well forgets that it was told."""
    if may_be_seen(os.environ) and _is_due(event.home, TOLD_DAMAGE, event.now):
        _tell("Keepstone's memories can't be read: ", problem)


def _tell(what: str, problem: KeepstoneError, more: str = "") -> None:
    note = what + problem.message + more + ". Try: " + (problem.hint or "keepstone doctor")
    answer("SessionStart", {}, clip(one_line(note), NOTICE_CHARS))


def _is_due(folder: str, name: str, now: float) -> bool:
    """Tells whether the user was not told of a trouble for a day, and notes that they are now. Where nothing can be
    noted, they are told each time. A note from the future, as a clock that was wrong leaves it, counts for nothing.
    """
    if not folder:
        return True
    path = os.path.join(folder, name)
    try:
        due = not 0 <= now - os.stat(path).st_mtime <= DAY_SECONDS
    except OSError:
        due = True
    if due:
        files.remove(path)
        files.create_exclusive(path)
    return due


def tell_why_off(home: str | None, problem: KeepstoneError | None) -> None:
    """Tells a person, once a day, that Keepstone does nothing because of a trouble: it has no data home if it is
    None.
    """
    folder = home or runtime.plugin_data()
    if problem and may_be_seen(os.environ) and _is_due(folder, TOLD_OFF, time.time()):
        _tell("Keepstone is off: ", problem, "" if home else runtime.meanwhile(by_hook=True))


def _is_newcomer(event: Event, store: Reader | None) -> bool:
    """Whether a person sees this session, and no memory was ever made. What is broken is not empty: it has raised; of
    a server's memories nothing is known before there is a copy, and onboarding is done there.
    """
    if store and not store.empty and holds_any(store):
        return False
    unknown = event.settings.server or ((store is None or store.empty) and runtime.address_of(event.home))
    troubled = event.settings.problems or unknown or spool.count(event.home, "aside", 1)
    return not troubled and event.attended


def _offer(event: Event) -> str:
    from ..admin import onboarding_state
    from ..admin.onboarding_text import offer

    if not onboarding_state.is_due(event.home, event.session):
        return ""
    past = onboarding_state.past_sessions(client_home(os.environ), event.text("transcript_path"))
    return offer(past, event.settings["archive_days"])


def _name_session(event: Event) -> None:
    """Lets the commands that run in this session's shells know whose they are: its own, and its agent's; and in which
    folder it runs, whose files may have set their variables. A file that a repository names is left alone.
    """
    path = os.environ.get(ENV_FILE)
    if not path or is_a_repositorys(ENV_FILE, os.environ):
        return
    said = {runtime.SESSION: event.session}
    if event.agent:
        said[runtime.AGENT] = agent_key(event.agent)
    folder = os.environ.get(PROJECT) or event.folder
    try:
        said[FOLDER] = quoted(marked_folder(event.home, event.session, folder))
    except OSError:
        pass  # its commands do without what any repository may have set
    with open(path, "a", encoding="utf-8", errors="surrogateescape") as file:
        file.write("".join("export " + name + "=" + value + "\n" for name, value in said.items()))


def _note(event: Event, store: Reader | None, project: str | None) -> str:
    """What the user is told, in a session that a person sees: only what has changed, and each only once. Of troubles,
    in one that a person may see: of these they are told again.
    """
    if not event.attended:
        return (_blocked_note(event) or _trouble_note(event)) if may_be_seen(os.environ) else ""
    told = _blocked_note(event) or _packages_note(event) or _trouble_note(event) or _taken_back_note(event)
    return told or _waiting_note(event, store, project) or _learned_note(event, store)


def _trouble_note(event: Event) -> str:
    files.remove(os.path.join(event.home, TOLD_DAMAGE))
    missed = len(spool.missed_sessions(event.home))
    if missed:
        what = "Keepstone could not keep what was said in " + counted(missed, "session", "sessions")
        told = what + ": " + event.home + " had no room, or was not usable. It learns it once it can"
        return told + ". See: keepstone doctor" if _is_due(event.home, TOLD_MISSED, event.now) else ""
    files.remove(os.path.join(event.home, TOLD_MISSED))
    wants_off = os.environ.get("KEEPSTONE_OFF", "0") not in ("", "0")
    unheard = next((one for one in event.settings.problems if wants_off and one.startswith("KEEPSTONE_OFF ")), "")
    if unheard and _is_due(event.home, TOLD_UNHEARD, event.now):
        return "Keepstone is not off: " + clip(unheard, NOTICE_CHARS) + ". Off here: keepstone config off 1 --project ."
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
    told = os.path.join(event.home, runtime.TOLD_LEARNED)
    if store is None or store.empty or os.path.exists(told):
        return ""
    count = learned_last(store, event.now)
    if not count or not files.create_exclusive(told):
        return ""
    things = "1 thing" if count == 1 else str(count) + " things"
    return "Keepstone: learned " + things + " last session. See /keepstone:memory recent."


def _blocked_note(event: Event) -> str:
    """That the data home can't be used."""
    folder = runtime.plugin_data() or event.home
    if blocked := spool.in_the_way(event.home):
        what = "Keepstone can't learn: " + blocked + " is no folder. Try: " + away(blocked)
        return what if _is_due(folder, TOLD_HOME, event.now) else ""
    problem = files.try_create(event.home)
    if problem and problem.errno == errno.ENOSPC:
        what = "Keepstone can't learn: there is no room for a file in " + event.home + ". Try: df -i " + event.home
        return what if _is_due(folder, TOLD_HOME, event.now) else ""
    refused = event.home if problem else files.refuses([*spool.folders(event.home), event.database], os.W_OK)
    if refused:
        what = "Keepstone can't learn: " + refused + " can't be written. Try: " + access_hint(event.home)
        return what if _is_due(folder, TOLD_HOME, event.now) else ""
    files.remove(os.path.join(folder, TOLD_HOME))
    return ""


def _packages_note(event: Event) -> str:
    """That the packages are about to be installed, once, or why that failed, once for each reason."""
    allowed = not os.environ.get(runtime.NO_BOOTSTRAP) and runtime.wants_venv(event.home)
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
    if waiting and spool.waits_since(event.home, event.now - STUCK_SECONDS):
        runtime.drop_dead_worker(event.home)
    if waiting or runtime.job_is_due(event.home, event.now) or (store and _has_stale_session(event, store)):
        runtime.start_worker(event.home)


def _has_stale_session(event: Event, store: Reader) -> bool:
    """Whether a session whose end never came has left words behind, or is to be closed. It may have been killed a
    moment ago; one that still runs loses nothing.
    """
    if store.empty:
        return False
    for path, offset, seen_at in store.stale_sessions(event.session, event.now):
        if seen_at < event.now - IDLE_SESSION or size_of(path or "") > offset:
            return True
    return False
