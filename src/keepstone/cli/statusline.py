"""Face: one line for Claude Code's status line, from the JSON on stdin. Standard library only, and exit 0 in any case.

Hot module: the client runs it after every message.
"""

from __future__ import annotations

import os
import sys
import time

from ..config import runtime, settings
from ..config.provenance import data_home, is_nested
from ..db.reader import Reader
from ..lib.errors import StoreError
from ..lib.fast_json import parse
from ..lib.limits import STDIN_BYTES_MAX, WEEK_DAYS
from ..lib.text import counted
from ..project.identity import identify
from ..spool import spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def line(said: dict[str, Any], home: str, now: float) -> str:
    """What there is to say about the project of a session, as the client describes that."""
    where = said.get("workspace")
    where = where if isinstance(where, dict) else {}
    cwd, project_dir = where.get("current_dir") or said.get("cwd"), where.get("project_dir")
    identity = identify(
        cwd if isinstance(cwd, str) and cwd else os.getcwd(),
        project_dir if isinstance(project_dir, str) else "",
        os.environ.get("HOME", ""),
    )
    loaded = settings.load(home)
    if loaded.is_off(identity):
        return "keepstone off"
    lacks = _lacks(home)
    if lacks:
        return "keepstone " + lacks
    database = runtime.database_file(home, os.environ, loaded.server)
    if not os.path.exists(database):
        return "keepstone: no memories yet"
    store = Reader(database)
    if store.empty:
        return "keepstone: no memories yet"
    project = store.project_of(identity)
    count = store.count_in_scope(project, False, "", now)
    new = store.count_in_scope(project, False, "", now, now - WEEK_DAYS * 86_400.0)
    says = "keepstone " + str(count) + (" memory" if count == 1 else " memories")
    says += ", " + str(new) + " new this week" if new else ""
    suggested = store.count_suggested(project, now)
    says += ", " + counted(suggested, "suggestion", "suggestions") + ": keepstone review" if suggested else ""
    missed = len(spool.missed_sessions(home))
    if missed:
        return says + ", " + counted(missed, "session", "sessions") + " not kept for lack of room: keepstone doctor"
    aside = spool.count(home, "aside")
    failed = str(aside) + (" job" if aside == 1 else " jobs")
    return says + (", " + failed + " failed: keepstone doctor" if aside else "")


def _lacks(home: str) -> str:
    """What keeps Keepstone from learning, "" for nothing."""
    if runtime.interpreters(home)[1]:
        return ""
    if os.path.exists(runtime.build_file(home)) and not runtime.build_state(home):
        return "installs its packages"
    return "has no packages: keepstone bootstrap"


def main() -> None:
    """Prints the line. Never raises, never exits with anything but 0."""
    os.umask(0o077)
    try:
        home = data_home()
        if home is not None and not is_nested(home):
            print(_safe(home))
            sys.stdout.flush()
    except BaseException:  # noqa: BLE001  nobody is helped by a traceback in a status line
        pass
    os._exit(0)


def _safe(home: str) -> str:
    try:
        said = parse(sys.stdin.buffer.read(STDIN_BYTES_MAX).decode("utf-8", "replace"))
    except ValueError:
        said = None
    try:
        return line(said if isinstance(said, dict) else {}, home, time.time())
    except StoreError:
        return "keepstone can't read its memories: keepstone doctor"
