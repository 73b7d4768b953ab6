"""One hook call: what the client said, where this machine keeps its memories, and what is said back. Hot module."""

from __future__ import annotations

import os
import sys

from ..config import runtime, settings
from ..config.provenance import is_a_repositorys
from ..lib.fast_json import dump
from ..lib.limits import PATH_CHARS
from ..lib.text import session_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..db.reader import Reader
    from ..project.identity import Identity

_ATTENDED = "CLAUDE_CODE_SESSION_ATTENDED"


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
    def agent(self) -> str:
        """The agent that the session runs as, "" for none; not a sub-agent."""
        return "" if self.said.get("agent_id") else self.text("agent_type")

    @property
    def database(self) -> str:
        return runtime.database_file(self.home, os.environ, self.settings.server)

    @property
    def folder(self) -> str:
        named = self.text("cwd")
        return named if 0 < len(named) <= PATH_CHARS else os.getcwd()

    def identity(self, begun: str = "") -> Identity | None:
        """The session's project: of the folder that the client started it in, of that in which it has `begun` as far
        as we know, or of the current one.
        """
        from ..project.identity import identify

        return identify(begun or self.folder, os.environ.get("CLAUDE_PROJECT_DIR", ""), os.environ.get("HOME", ""))

    def below(self, identity: Identity | None) -> tuple[str, str]:
        """The project's folder, "" for none, and the session's below it, with `/` between its parts."""
        root = identity.root if identity else ""
        return root, below(root, os.path.realpath(self.folder)) if root else ""

    @property
    def is_off(self) -> bool:
        """Turned off, for all or for this project; a project is looked up only where one is turned off."""
        return self.settings.is_off(self.identity() if self.settings.off_in else None)

    @property
    def attended(self) -> bool:
        return is_attended(os.environ)


def is_attended(environ: Any) -> bool:
    """Whether a person sees this session."""
    return not _is_said_to_be_unseen(environ) and not runtime.is_run_by_program(environ)


def may_be_seen(environ: Any) -> bool:
    """Whether a person may see what is told of a trouble: a repository that says that nobody does is not believed."""
    said = (_ATTENDED, runtime.STARTED_AS)
    return is_attended(environ) or any(name in environ and is_a_repositorys(name, environ) for name in said)


def _is_said_to_be_unseen(environ: Any) -> bool:
    started_as: str = environ.get(runtime.STARTED_AS, "")
    return environ.get(_ATTENDED) == "0" or started_as.startswith("local-agent")


def below(root: str, path: str) -> str:
    """A path from a folder on, with `/` between its parts; "" for one that does not lie below it."""
    inside = path.startswith(os.path.join(root, ""))
    return path[len(root) :].strip(os.sep).replace(os.sep, "/") if inside else ""


def size_of(path: str) -> int:
    """The size of a file in bytes, 0 when there is none."""
    try:
        return os.stat(path).st_size if path else 0
    except (OSError, ValueError):
        return 0


def reader(event: Event) -> Reader | None:
    """The store, or None before there is one. An older schema is the worker's to migrate, so it is started."""
    if not os.path.lexists(event.database):
        return None
    from ..db.reader import SCHEMA, Reader  # what only goes to the spool opens no database

    store = Reader(event.database)
    if 0 < store.schema < SCHEMA:
        runtime.start_worker(event.home)
    return store


def say(text: str) -> None:
    """What the model is to read goes out at once: what follows may fail, and must not take it along."""
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    sys.stdout.flush()


def answer(hook: str, specific: dict[str, str], note: str = "") -> None:
    """The JSON form of an answer, `hook` being the client's name of the event; `note` is for the user."""
    whole: dict[str, object] = {"systemMessage": note} if note else {}
    if specific:
        whole["hookSpecificOutput"] = {"hookEventName": hook, **specific}
    if whole:
        say(dump(whole))
