"""The interpreters that run Keepstone (`$KEEPSTONE_HOME/python`), its files in the data home, and the detached start of
worker and build. Hot module.
"""

from __future__ import annotations

import os
import sys

from ..lib import files
from ..lib.fast_json import parse
from ..lib.limits import BUILD_BACKOFF_MAX, STATIC
from ..lib.text import digest
from .provenance import FOLDER, PROJECT, client_home, is_a_repositorys, is_inside, may_set, own_but_open, user_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

WORKER_PYTHON = (3, 11)
TYPED = "KEEPSTONE_TYPED"  # the process that runs a command which the user typed: a hook
SESSION = "KEEPSTONE_SESSION_ID"  # set at a session's start in its shells: the session that a command belongs to
AGENT = "KEEPSTONE_AGENT"  # set there too, if the session runs as another agent than the client's own
CLIENTS_SESSION = "CLAUDE_CODE_SESSION_ID"  # the client's own word for it
UNKNOWN_SESSION = "unknown"  # of a shell whose session a repository has named: it has no transcript
# Variables of a session's shell. They do not apply to programs that call a server.
OF_A_SESSION = (SESSION, FOLDER, TYPED, AGENT, CLIENTS_SESSION, PROJECT)
ADDRESS = "KEEPSTONE_DATABASE_URL"  # read from the environment only: the address may hold a password
REFUSED = "refused"  # replaces an address that is not valid or that a repository may have set: no memories are opened
DATABASE = "keepstone.db"  # the memories, in the data home
TOLD_LEARNED = "told-learned"  # in the data home once a person was told that something was learned
_COPY = "copy-"  # how the names of read copies begin
TOKEN = "KEEPSTONE_TOKEN"  # the token that a server requires
STARTED_AS = "CLAUDE_CODE_ENTRYPOINT"  # the client's name for how it was started
PROBE_SECONDS = 5.0  # in which an interpreter says that it is one
NO_BOOTSTRAP = "KEEPSTONE_NO_BOOTSTRAP"  # prevents building the venv, nothing else
# `claude -p` and the SDKs (sdk-cli, sdk-ts, sdk-py); an MCP server of the client's.
_PROGRAMS = ("sdk", "mcp")
INSTALLED = "installed.json"  # in the data home: what setup changed, with digests of what it wrote
_COMMAND_BYTES = 100_000  # of a file that may be the command which setup wrote
_GITHUB = "github"  # in the name of the action that answers issues and pull requests
# Apps that drive the client as a program does, and in which a person types.
_APPS = ("claude-vscode", "claude-desktop")
# Detached processes find dependencies in their interpreter, and code in the caller's tree: plugin root or package.
_CODE = "import sys; sys.path.insert(0, sys.argv[1]); from keepstone import worker; worker."


def is_program(started_as: str) -> bool:
    """Tells whether a program runs a session that was started so: then nobody types in it."""
    return started_as.startswith(_PROGRAMS) or _GITHUB in started_as


def is_app(started_as: str) -> bool:
    """Tells whether a person types in such a session although the client takes its input from a program."""
    return started_as.startswith(_APPS)


def session_of(environ: Any, folder: str) -> str:
    """Returns the session that a shell belongs to, "" outside of one: by the name that no file of a repository says.
    What a hook runs for the user is told by the hook.
    """
    names = [name for name in (SESSION, CLIENTS_SESSION) if name in environ]
    if environ.get(TYPED):
        return next((environ[name] for name in names if environ[name]), "")
    theirs = [name for name in names if is_a_repositorys(name, environ, folder)]
    own = (environ[name] for name in names if environ[name] and name not in theirs)
    return next(own, UNKNOWN_SESSION if theirs else "")


def is_run_by_program(environ: Any) -> bool:
    """Tells whether a program runs the session that has started this process, as far as its variables say. One that a
    repository's files name does not say that a person is there.
    """
    started_as: str = environ.get(STARTED_AS, "")
    return is_program(started_as) or bool(started_as) and is_a_repositorys(STARTED_AS, environ)


def may_be_misnamed(folder: str) -> bool:
    """Tells whether a repository's files may have said how the sessions in a folder were started."""
    return bool(folder) and is_a_repositorys(STARTED_AS, {"HOME": os.environ.get("HOME", "")}, folder)


def source_root() -> str:
    """Returns the folder that contains this `keepstone` package."""
    return os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def lock_file(of: str = "") -> str:
    """Returns the path of the plugin's lock file: for its worker, or with `of="all"` for all faces. The file does not
    exist if `keepstone` is an installed package.
    """
    return os.path.join(os.path.dirname(source_root()), "requirements" + ("-" + of if of else "") + ".lock")


def all_file(home: str) -> str:
    """Returns the marker file that exists if the user wants the packages of every face."""
    return os.path.join(home, "all")


def interpreters(home: str) -> tuple[str, str]:
    """Returns the recorded interpreters of hooks and worker, each "" if it is not recorded or no longer exists."""
    lines = (files.read(os.path.join(home, "python")) + "\n\n").splitlines()
    hook, worker = (line if "\0" not in line and os.access(line, os.X_OK) else "" for line in lines[:2])
    return hook, worker


def owner(environ: Any = os.environ) -> tuple[str, str]:
    """Returns the user and the workspace whose memories are used, for databases that several people share."""
    user = environ.get("KEEPSTONE_USER") or user_name(environ) or "local"
    return user, environ.get("KEEPSTONE_WORKSPACE") or "default"


def address_of(home: str, environ: Any = os.environ) -> str:
    """Returns the address of the shared database, or "" if there is none. One that may be a repository's is none,
    unless it was used on this machine before; REFUSED if the user's own memories are at another one, since it has
    replaced theirs.
    """
    address: str = environ.get(ADDRESS) or ""
    if not address or may_set(ADDRESS, environ) or has_copies(home, address, environ):
        return address
    return REFUSED if has_copies(home) else ""


def has_copies(home: str, address: str = "", environ: Any = os.environ) -> bool:
    """Tells whether hooks have a read copy of memories that are in a database or on a server: of any, or of that at an
    address.
    """
    try:
        names = os.listdir(home)
    except OSError:
        return False
    return any(name.startswith(_copy_of(address, environ) if address else _COPY) for name in names)


def _copy_of(address: str, environ: Any) -> str:
    return _COPY + digest(address, *owner(environ))[:16] + ".db"


def database_file(home: str, environ: Any = os.environ, server: str = "") -> str:
    """Returns the SQLite file that hooks read: the memories themselves, or the read copy of those in a database or on a
    `server`. Each address, workspace and user has its own copy, so that no one else's is opened.
    """
    address = server or address_of(home, environ)
    if not address:
        return os.path.join(home, DATABASE)
    return os.path.join(home, _copy_of(address, environ))


def table_file(home: str) -> str:
    """Returns the path of the word table: in the data home, or beside the packages of the worker's
    or this interpreter.
    """
    beside = [interpreters(home)[1], sys.executable]
    folders = [
        os.path.join(os.path.dirname(os.path.dirname(python)), "share", "keepstone") for python in beside if python
    ]
    paths = [os.path.join(folder, STATIC) for folder in (os.path.join(home, "vectors"), *folders)]
    return next((path for path in paths if os.path.exists(path)), paths[0])


def weights_file(home: str, environ: Any = os.environ) -> str:
    """Returns the path of the word-weights file, for this data home or for a workspace of the shared database."""
    address = address_of(home, environ)
    name = f"{STATIC}-{digest(address, owner(environ)[1])[:16]}" if address else STATIC
    return os.path.join(home, "vectors", name + ".weights")


def gone(home: str) -> list[str]:
    """Returns the recorded interpreters that no longer exist."""
    lines = files.read(os.path.join(home, "python")).splitlines()[:2]
    return [line for line in lines if line and not ("\0" not in line and os.access(line, os.X_OK))]


def record(home: str, hook: str, worker: str) -> None:
    """Writes `$KEEPSTONE_HOME/python` atomically."""
    files.write(os.path.join(home, "python"), hook + "\n" + worker + "\n")


def plugin_root() -> str:
    """Returns the plugin's folder, or "" if `keepstone` is an installed package."""
    root = os.path.dirname(source_root())
    return root if os.path.exists(os.path.join(root, "bin", "keepstone")) else ""


def plugin_data(environ: Any = os.environ) -> str:
    """Returns the folder that the client keeps for this plugin's data, "" if there is none in the client's own."""
    folder: str = environ.get("CLAUDE_PLUGIN_DATA", "")
    plugins = os.path.join(client_home(environ), "plugins")
    return folder if os.path.isabs(folder) and is_inside(os.path.realpath(folder), plugins) else ""


def plugin_data_folders(environ: Any = os.environ) -> list[str]:
    """Returns the folders that the client may keep for this plugin's data: that which it names, and where it names
    none, as in a terminal, those that are there.
    """
    if named := plugin_data(environ):
        return [named]
    folder = os.path.join(client_home(environ), "plugins", "data")
    return [os.path.join(folder, name) for name in files.names_in(folder) if name.partition("-")[0] == "keepstone"]


def meanwhile(by_hook: bool = False) -> str:
    """Returns what becomes of what is said while the data home is refused, to be told with why it is."""
    kept = own_but_open(by_hook=by_hook) and any([plugin_data()] if by_hook else plugin_data_folders())
    return ". What is said meanwhile is " + ("learned once that is put right" if kept else "not learned")


def plugin_file(home: str) -> str:
    """Returns the file that holds the plugin's folder. Files that setup writes outside the data home read it."""
    return os.path.join(home, "plugin")


def record_plugin(home: str, root: str) -> None:
    """Records the plugin's folder, which changes with its version. Raises OSError if the disk fails."""
    path = plugin_file(home)
    if root and files.read(path) != root + "\n":
        files.write(path, root + "\n")


def is_ours(home: str, path: str) -> bool:
    """Tells whether `keepstone` on a PATH is the plugin's own. The client appends the plugin's folder to the PATH: the
    only other command that may precede it is the one that setup wrote, to the byte.
    """
    root = plugin_root()
    own = os.path.realpath(os.path.join(root, "bin", "keepstone")) if root else ""
    for folder in path.split(os.pathsep):
        found = os.path.join(os.path.expanduser(folder), "keepstone")  # bash expands a tilde in the PATH
        if os.path.isfile(found) and os.access(found, os.X_OK):
            return os.path.realpath(found) == own or _is_by_setup(home, found)
    return True


def _is_by_setup(home: str, command: str) -> bool:
    try:
        found = parse(files.read(os.path.join(home, INSTALLED)))
        wrote = [one["wrote"] for one in found["changes"] if os.path.basename(one["path"]) == "keepstone"]
        wrote = [some for some in wrote if isinstance(some, (str, list))]
    except (ValueError, KeyError, TypeError):
        return False
    text = files.read_start(command, _COMMAND_BYTES)
    return any(digest(text) in some for some in wrote)


def venv_folder(home: str, lock: str) -> str:
    """Returns the venv folder for the content of a lock file. Raises OSError if the lock file cannot be read."""
    with open(lock, encoding="utf-8") as file:
        return os.path.join(home, "venv", digest(file.read())[:16])


def is_in_venv(home: str, python: str) -> bool:
    """Tells whether an interpreter belongs to a venv that was built in the data home."""
    used = os.path.dirname(os.path.dirname(python))
    return os.path.realpath(os.path.dirname(used)) == os.path.realpath(os.path.join(home, "venv"))


def wants_venv(home: str) -> bool:
    """Tells whether a venv must be built: no worker is recorded, or its venv is older than this plugin's lock file.

    An earlier plugin version, which a running session may still use, leaves the venv of a later one alone.
    """
    lock, worker = lock_file(), interpreters(home)[1]
    try:
        if not worker:
            return os.path.exists(lock)
        used = os.path.dirname(os.path.dirname(worker))
        if not is_in_venv(home, worker):
            return False  # an interpreter that the user chose
        if os.stat(lock).st_mtime <= os.stat(os.path.join(used, "pyvenv.cfg")).st_mtime:
            return False
        return os.path.basename(venv_folder(home, lock)) != os.path.basename(used)
    except OSError:
        return False


def note_success(home: str, event: str, now: float) -> None:
    """Records that a hook completed, as the time of an empty file."""
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
    """Returns the file with the state of the build. It exists from the announcement of a build to its success."""
    return os.path.join(home, "build.json")


def notice_file(home: str) -> str:
    """Returns the file with a message that the next attended session shows once."""
    return os.path.join(home, "notice")


def taken_back_file(home: str) -> str:
    """Returns the file with a message about memories that a session took back, shown once."""
    return os.path.join(home, "taken-back")


def build_state(home: str) -> dict[str, Any]:
    """Returns `attempts`, `not_before` (unix seconds) and `line` of the build's last failure, or {} if none failed."""
    try:
        found = parse(files.read(build_file(home)))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def build_is_due(home: str, now: float) -> bool:
    """Tells whether a venv must be built and no back-off delays it. A back-off far in the future is ignored: the clock
    was wrong.
    """
    wait = build_state(home).get("not_before")
    return wants_venv(home) and not (isinstance(wait, (int, float)) and 0 < wait - now <= BUILD_BACKOFF_MAX)


def due_file(home: str) -> str:
    """Returns the file whose modification time says when the next job is due, so that hooks need no database."""
    return os.path.join(home, "due")


def schedule_worker(home: str, at: float) -> None:
    """Makes hooks start a worker from that time on."""
    with open(due_file(home), "a"):
        os.utime(due_file(home), (at, at))


def job_is_due(home: str, now: float) -> bool:
    try:
        return os.stat(due_file(home)).st_mtime <= now
    except OSError:
        return False


def start_worker(home: str) -> bool:
    """Starts the detached worker. Returns False if no interpreter is recorded for it."""
    worker = interpreters(home)[1]
    if worker:
        _start([worker, "-I", "-c", _CODE + "main()", source_root()])
    return bool(worker)


def drop_dead_worker(home: str) -> None:
    """Takes back the record of the worker's interpreter if that is no Python, so that a build replaces it: nothing else
    shows that it does nothing, as nobody waits for a worker. Starts a process.
    """
    hook, worker = interpreters(home)
    if worker and not is_python(worker):
        record(home, hook, "")


def is_python(program: str) -> bool:
    """Tells whether a program is Python, and not only called so: it has to compute something."""
    import subprocess

    words = [program, "-I", "-S", "-c", "import sys; sys.exit(8 + 9)"]
    quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "capture_output": True, "timeout": PROBE_SECONDS}
    try:
        return subprocess.run(words, **quiet).returncode == 17
    except (OSError, subprocess.SubprocessError):
        return False


def start_ingest(home: str) -> bool:
    """Starts the detached ingestion of all past sessions. Returns False if no interpreter is recorded for it."""
    worker = interpreters(home)[1]
    if worker:
        _start([worker, "-I", "-c", _CODE + "ingest()", source_root()])
    return bool(worker)


def start_build(home: str) -> None:
    """Starts the detached build of the venv. It exits at once if another build is running."""
    python = interpreters(home)[0] or sys.executable
    if python:
        _start([python, "-I", "-S", "-c", _CODE + "build()", source_root()])


def run(words: list[str], folder: str, session: str, seconds: float) -> str:
    """Runs the plugin's own `keepstone` in a folder, for a session, as a command that the user typed. Returns its
    output. No shell is involved.

    Raises OSError, ValueError or subprocess.SubprocessError if it cannot be started or does not finish in time.
    """
    import subprocess

    from .own_environment import own_path

    command = os.path.join(os.path.dirname(source_root()), "bin", "keepstone")
    env = {**os.environ, SESSION: session, TYPED: str(os.getpid()), "PATH": own_path()}
    out = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run([command, *words], cwd=folder, timeout=seconds, env=env, **out)  # type: ignore[call-overload]
    return done.stdout.decode("utf-8", "replace")  # type: ignore[no-any-return]


def _start(argv: list[str]) -> None:
    """Starts a detached process whose stdio is not connected to the client's pipes, and which sees nothing in its
    environment that a repository may have put there to lead it elsewhere.
    """
    from .own_environment import own_environment  # most hooks start nothing

    env = own_environment()
    if hasattr(os, "posix_spawn"):
        null = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
        try:
            os.posix_spawn(argv[0], argv, env, file_actions=null, setsid=True)
            return
        except NotImplementedError:
            pass  # a libc whose posix_spawn has no setsid: use subprocess
    import subprocess

    flags = {"creationflags": 0x00000208} if sys.platform == "win32" else {"start_new_session": True}
    null_io = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.Popen(argv, env=env, **null_io, **flags)  # type: ignore[call-overload]
