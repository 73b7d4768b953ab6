"""Which interpreters run Keepstone (`$KEEPSTONE_HOME/python`), and the detached start of worker and build. Hot
module.
"""

from __future__ import annotations

import os
import sys

from ..lib import files
from ..lib.fast_json import parse
from ..lib.limits import BUILD_BACKOFF_MAX, STATIC
from ..lib.text import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

WORKER_PYTHON = (3, 11)
NESTED = "KEEPSTONE_NESTED"  # set for the client that an extractor starts: its session is none of ours
TYPED = "KEEPSTONE_TYPED"  # where a hook runs what the user has typed
SESSION = "KEEPSTONE_SESSION_ID"  # in a session's shells, where its start has put it: whose command this is
AGENT = "KEEPSTONE_AGENT"  # there too, where the session runs as another agent than the client's own
# Whose shell this is: nothing of that holds for programs that ask a server.
OF_A_SESSION = (SESSION, TYPED, AGENT, "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR")
ADDRESS = "KEEPSTONE_DATABASE_URL"  # where the memories are, in the environment only: it may hold a password
REFUSED = "refused"  # an address that is nobody's: no memories are opened in its place
TOKEN = "KEEPSTONE_TOKEN"  # what a server asks for, and who asks another machine's brings along
NO_BOOTSTRAP = "KEEPSTONE_NO_BOOTSTRAP"  # forbids building the venv, nothing else
# What is started finds its dependencies in its interpreter, its code in the caller's tree: plugin root or package.
_CODE = "import sys; sys.path.insert(0, sys.argv[1]); from keepstone import worker; worker."


def source_root() -> str:
    """The folder that holds this very `keepstone` package."""
    return os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def lock_file(of: str = "") -> str:
    """The plugin's locked dependencies, those of its worker or of `all` its faces; the file is not there where
    `keepstone` is an installed package.
    """
    return os.path.join(os.path.dirname(source_root()), "requirements" + ("-" + of if of else "") + ".lock")


def all_file(home: str) -> str:
    """An empty file: there where a person wants the packages of every face."""
    return os.path.join(home, "all")


def interpreters(home: str) -> tuple[str, str]:
    """The recorded interpreters of hooks and worker; "" for what is not recorded or no longer there."""
    lines = (files.read(os.path.join(home, "python")) + "\n\n").splitlines()
    hook, worker = (line if "\0" not in line and os.access(line, os.X_OK) else "" for line in lines[:2])
    return hook, worker


def owner(environ: Any = os.environ) -> tuple[str, str]:
    """The user whose memories are meant, and the workspace they are of, where several share a database."""
    user = environ.get("KEEPSTONE_USER") or environ.get("USER") or "local"
    return user, environ.get("KEEPSTONE_WORKSPACE") or "default"


def address_of(environ: Any = os.environ) -> str:
    """The shared database in which the memories are, "" for none; one that may be what a repository's settings say is
    nobody's.
    """
    address: str = environ.get(ADDRESS) or ""
    if not address:
        return ""
    from .provenance import is_a_repositorys

    return REFUSED if is_a_repositorys(ADDRESS, environ, True) else address


def database_file(home: str, environ: Any = os.environ, server: str = "") -> str:
    """The file that hooks read: the memories themselves, or the read copy of those that a database or a `server` of
    Keepstone's holds for this user. Each of these, workspace and user has a copy of its own, so that no other's is
    opened.
    """
    address = server or address_of(environ)
    if not address:
        return os.path.join(home, "keepstone.db")
    name = "copy-" + digest(address, *owner(environ))[:16] + ".db"
    return os.path.join(home, name)


def table_file(home: str) -> str:
    """Where the table of words is: in the data home, or beside the packages of the worker's interpreter or of this."""
    beside = [interpreters(home)[1], sys.executable]
    folders = [
        os.path.join(os.path.dirname(os.path.dirname(python)), "share", "keepstone") for python in beside if python
    ]
    paths = [os.path.join(folder, STATIC) for folder in (os.path.join(home, "vectors"), *folders)]
    return next((path for path in paths if os.path.exists(path)), paths[0])


def weights_file(home: str, environ: Any = os.environ) -> str:
    """Where it stands what words count for, in this data home's file or a workspace of the environment's database."""
    address = address_of(environ)
    name = f"{STATIC}-{digest(address, owner(environ)[1])[:16]}" if address else STATIC
    return os.path.join(home, "vectors", name + ".weights")


def gone(home: str) -> list[str]:
    """The interpreters that are recorded and no longer there."""
    lines = files.read(os.path.join(home, "python")).splitlines()[:2]
    return [line for line in lines if line and not ("\0" not in line and os.access(line, os.X_OK))]


def record(home: str, hook: str, worker: str) -> None:
    """Writes `$KEEPSTONE_HOME/python`, whole or not at all."""
    files.write(os.path.join(home, "python"), hook + "\n" + worker + "\n")


def plugin_root() -> str:
    """The plugin's folder, "" where `keepstone` is an installed package."""
    root = os.path.dirname(source_root())
    return root if os.path.exists(os.path.join(root, "bin", "keepstone")) else ""


def plugin_file(home: str) -> str:
    """One line that says where the plugin is: what setup has written outside of the data home finds it there."""
    return os.path.join(home, "plugin")


def record_plugin(home: str, root: str) -> None:
    """Notes the plugin's folder, which changes with its version. Raises OSError."""
    path = plugin_file(home)
    if root and files.read(path) != root + "\n":
        files.write(path, root + "\n")


def is_ours(home: str, path: str) -> bool:
    """Whether `keepstone` is the plugin's own by a PATH, behind which the client appends the plugin's folder: none
    comes before that but the plugin itself and the command that setup has written.
    """
    own = os.path.realpath(os.path.join(plugin_root(), "bin", "keepstone"))
    for folder in path.split(os.pathsep):
        found = os.path.join(os.path.expanduser(folder), "keepstone")  # bash expands a tilde in the PATH
        if os.path.isfile(found) and os.access(found, os.X_OK):
            return os.path.realpath(found) == own or plugin_file(home) in files.read(found)[:1_000]
    return True


def venv_folder(home: str, lock: str) -> str:
    """The venv of a lock file's very content. Raises OSError when that can't be read."""
    with open(lock, encoding="utf-8") as file:
        return os.path.join(home, "venv", digest(file.read())[:16])


def is_in_venv(home: str, python: str) -> bool:
    """Whether an interpreter is that of a venv which was built here."""
    used = os.path.dirname(os.path.dirname(python))
    return os.path.realpath(os.path.dirname(used)) == os.path.realpath(os.path.join(home, "venv"))


def wants_venv(home: str) -> bool:
    """Whether a venv is to be built: no worker is recorded, or its venv is of an earlier lock than this plugin's.

    An earlier plugin, which a running session may still have, leaves the venv of a later one alone: a venv is as old as
    the lock it was built from.
    """
    lock, worker = lock_file(), interpreters(home)[1]
    try:
        if not worker:
            return os.path.exists(lock)
        used = os.path.dirname(os.path.dirname(worker))
        if not is_in_venv(home, worker):
            return False  # an interpreter of the user's own
        if os.stat(lock).st_mtime <= os.stat(os.path.join(used, "pyvenv.cfg")).st_mtime:
            return False
        return os.path.basename(venv_folder(home, lock)) != os.path.basename(used)
    except OSError:
        return False


def note_success(home: str, event: str, now: float) -> None:
    """Notes when a hook last came to its end: the time of an empty file."""
    path = os.path.join(home, "ran", event)
    try:
        os.utime(path, (now, now))
    except FileNotFoundError:
        files.create_exclusive(path)


def last_success(home: str, event: str) -> float | None:
    try:
        return os.stat(os.path.join(home, "ran", event)).st_mtime
    except OSError:
        return None


def build_file(home: str) -> str:
    """The state of the build: there from its announcement to its success."""
    return os.path.join(home, "build.json")


def notice_file(home: str) -> str:
    """What the next attended session is to tell its user, once."""
    return os.path.join(home, "notice")


def build_state(home: str) -> dict[str, Any]:
    """Of the build's last failure `attempts`, `not_before` (unix seconds) and `line`; {} when none has failed."""
    try:
        found = parse(files.read(build_file(home)))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def build_is_due(home: str, now: float) -> bool:
    """Whether a venv is wanted and no failure's back-off holds it up; one that reaches far is of a wrong clock."""
    wait = build_state(home).get("not_before")
    return wants_venv(home) and not (isinstance(wait, (int, float)) and 0 < wait - now <= BUILD_BACKOFF_MAX)


def due_file(home: str) -> str:
    """The file whose time says when a job is due next: hooks ask no database."""
    return os.path.join(home, "due")


def schedule_worker(home: str, at: float) -> None:
    """Lets the hooks from that time on know that a worker is wanted."""
    with open(due_file(home), "a"):
        os.utime(due_file(home), (at, at))


def job_is_due(home: str, now: float) -> bool:
    try:
        return os.stat(due_file(home)).st_mtime <= now
    except OSError:
        return False


def start_worker(home: str) -> bool:
    """Starts the detached worker; False when no interpreter is known that can run it."""
    worker = interpreters(home)[1]
    if worker:
        _start([worker, "-I", "-c", _CODE + "main()", source_root()])
    return bool(worker)


def start_ingest(home: str) -> bool:
    """Starts the detached reading of all past sessions; False when no interpreter is known that can do it."""
    worker = interpreters(home)[1]
    if worker:
        _start([worker, "-I", "-c", _CODE + "ingest()", source_root()])
    return bool(worker)


def start_build(home: str) -> None:
    """Starts the detached build of the venv; it leaves at once when another one is at it."""
    python = interpreters(home)[0] or sys.executable
    if python:
        _start([python, "-I", "-S", "-c", _CODE + "build()", source_root()])


def run(words: list[str], folder: str, session: str, seconds: float) -> str:
    """Runs the plugin's own `keepstone` in a folder and for a session, as its user; what it printed. No shell is
    involved.

    Raises OSError, ValueError or subprocess.SubprocessError where it can't be started or doesn't come to its end.
    """
    import subprocess

    command = os.path.join(os.path.dirname(source_root()), "bin", "keepstone")
    env = {**os.environ, SESSION: session, TYPED: "1"}
    out = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run([command, *words], cwd=folder, timeout=seconds, env=env, **out)  # type: ignore[call-overload]
    return done.stdout.decode("utf-8", "replace")  # type: ignore[no-any-return]


def _start(argv: list[str]) -> None:
    """A detached process with its stdio away from the client's pipes."""
    if hasattr(os, "posix_spawn"):
        null = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
        try:
            os.posix_spawn(argv[0], argv, os.environ, file_actions=null, setsid=True)
            return
        except NotImplementedError:
            pass  # a libc whose posix_spawn has no setsid: the slower way does the same
    import subprocess

    flags = {"creationflags": 0x00000208} if sys.platform == "win32" else {"start_new_session": True}
    null_io = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.Popen(argv, **null_io, **flags)  # type: ignore[call-overload]
