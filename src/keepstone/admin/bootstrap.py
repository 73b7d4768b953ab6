"""Builds the virtual environment of worker and command line: once for each lock file, in the data home, with uv or with
venv and pip. Runs on any Python that runs the hooks. A failure is reported to the user once, with the command to type,
and the build is retried automatically with growing waits.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from configparser import Error as NoSettings
from configparser import RawConfigParser

from ..config import runtime
from ..config.own_environment import own_path
from ..config.provenance import is_others, is_plain, own_home
from ..lib import files
from ..lib.fast_json import dump
from ..lib.limits import BUILD_BACKOFF_MAX
from ..lib.text import clip, one_line
from ..redaction.mask import mask
from ..spool import spool
from .check_packages import check

# Building usually takes 8 to 14 s, on slow machines a minute.
BUILD_SECONDS = 900.0  # for a whole build
BUILD_STEP_SECONDS = 600.0  # for one command of the build
PROBE_SECONDS = 20.0  # for examining a Python
BUILD_BACKOFF = 60.0  # seconds after a failed build, doubled each time
RETIRED_SECONDS = 3_600.0  # an earlier environment is kept this long for processes that began with it

# Checks that a Python can carry the environment, and prints its real path, not a version manager's shim.
_PROBE = (
    "import os, sys, sqlite3, venv; sqlite3.connect(':memory:').execute('CREATE VIRTUAL TABLE t USING fts5(x)'); "
    "print('%d.%d' % sys.version_info[:2], os.path.realpath(sys.executable))"
)
_PROBED = re.compile(r"^(\d+)\.(\d+) (\S.*)$", re.MULTILINE)
# Imports the packages, and makes the word table beside them, so that the first search has it.
_VERIFY = (
    "import sys; sys.path.insert(0, sys.argv[1]); import keepstone.cli.main, keepstone.capture.pipeline; "
    "import keepstone.redaction.redact; from keepstone.lib.fuzzy import load; load(); "
    "from keepstone.recall.embeddings.build_table import make; make('')"
)
_NEVER_RUN = r"site-packages[/\\].*[/\\]tests[/\\]"  # the packages' own tests: a quarter of what could be compiled
# Packages that only the MCP and HTTP servers need.
_VERIFY_ALL = "import fastapi, mcp, uvicorn"
_NAMES = ("python3", *(f"python3.{minor}" for minor in (14, 13, 12, 11)), "python")
_PLACES = ("/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")
_UV_PLACES = ("~/.local/bin", "~/.cargo/bin", "/opt/homebrew/bin", "/usr/local/bin")
_OFFLINE = re.compile(
    r"name resolution|resolve host|unreachable|NewConnectionError|Connection ?refused|Max retries|dns error|"
    r"connect ?timeout|timed out|error sending request|tcp connect error|NameResolutionError|Connection ?error",
    re.IGNORECASE,
)
_CERTIFICATE = re.compile(r"UnknownIssuer|invalid peer certificate|certificate verify", re.IGNORECASE)
_GET_UV = (
    'powershell -c "irm https://astral.sh/uv/install.ps1 | iex"'
    if os.name == "nt"
    else "curl -LsSf https://astral.sh/uv/install.sh | sh"
)
# What an installer sees of the environment: where the user's things are, how to reach an index, and which one. All else
# may come from a repository, and some options run programs or install more than the lock. (What a repository's files
# name of these is not here any more: `config/own_environment.py`.) pip reads no settings files, which name programs to
# start and files to write: what the user's say of the index is read here, and passed on.
_ABOUT_THE_INDEX = (
    *("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_TRUSTED_HOST", "PIP_PROXY"),
    *("PIP_CERT", "PIP_CLIENT_CERT", "PIP_DEFAULT_TIMEOUT", "PIP_TIMEOUT", "PIP_KEYRING_PROVIDER"),
)
_SEEN = frozenset(
    (
        *("USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", *_ABOUT_THE_INDEX),
        *("UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS", "UV_NO_INDEX"),
        *("UV_INSECURE_HOST", "UV_NATIVE_TLS", "UV_SYSTEM_CERTS", "UV_HTTP_TIMEOUT", "UV_HTTP_RETRIES", "UV_OFFLINE"),
        *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"),
        *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "PROGRAMDATA", "NUMBER_OF_PROCESSORS"),
    )
)
_SEEN_KEY = re.compile(r"UV_INDEX_\w+_(?:USERNAME|PASSWORD)")  # of an index with a name
# Seen if they lead to no folder of a repository.
_SEEN_PLACES = (
    *("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TMPDIR", "TEMP", "TMP", "PIP_CACHE_DIR", "UV_CACHE_DIR"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
)
_SET = {"PIP_CONFIG_FILE": os.devnull, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "NO_COLOR": "1"}
# pip's settings, the machine's before the user's: a later one wins.
_PIP_SETTINGS = (
    ("%PROGRAMDATA%/pip/pip.ini", "%USERPROFILE%/pip/pip.ini", "%APPDATA%/pip/pip.ini")
    if os.name == "nt"
    else (
        *("/etc/xdg/pip/pip.conf", "/Library/Application Support/pip/pip.conf", "/etc/pip.conf"),
        *("~/.pip/pip.conf", "~/.config/pip/pip.conf", "~/Library/Application Support/pip/pip.conf"),
    )
)
_PIP_SECTIONS = ("global", "install")
# Wheels alone: making one runs a package's program, and needs packages that the lock does not name.
_LOCKED = ("--no-deps", "--only-binary", ":all:", "--require-hashes", "-r")
_PIP_INSTALL = ("install", "--no-input", "--retries", "2", "--no-compile", *_LOCKED)


_NEW, _OLD = ".new", ".old"  # behind the name of an environment: its copy that replaces it, and what it replaces


class Failure(Exception):
    """A failed build: the problem, and the command that must come before another `keepstone bootstrap` (""
    for none).
    """

    def __init__(self, what: str, first: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.first = first

    @property
    def typed(self) -> str:
        """Returns the whole command line for the user's shell."""
        build = shlex.quote(os.path.join(os.path.dirname(runtime.source_root()), "bin", "keepstone")) + " bootstrap"
        return f"{self.first} && {build}" if self.first else build


class Refused(Failure):
    """A failure in which something else was installed than the lock file names."""


def _as_failure(problem: Exception) -> Failure:
    return problem if isinstance(problem, Failure) else Failure(f"{type(problem).__name__}: {problem}")


def build(home: str, environ: Mapping[str, str], now: float, wait: bool = False, everything: bool = False) -> str:
    """Builds the environment if one is needed. Returns a message for the user. If another process is building, returns
    at once, or waits for it with `wait`. With `everything`, also installs the packages of the servers, now and from now
    on. Raises Failure, after the state and the notice of it are written.
    """
    try:
        held = files.lock(home, wait, name="build")
    except OSError as problem:
        first = (
            f"chmod -R u+rwX {shlex.quote(home)}" if os.path.isdir(home) else "export KEEPSTONE_HOME=/another/folder"
        )
        raise Failure(f"{home} can't be written: {problem.strerror}", first) from problem
    if held is None:
        return "Keepstone's packages are being installed by another process just now."
    try:
        lock = runtime.lock_file()
        if os.path.exists(lock):  # without it, `_build` says what to type
            _put_back(runtime.venv_folder(home, lock))
        is_new_wish = everything and files.create_exclusive(runtime.all_file(home))
        python = runtime.interpreters(home)[1]
        if runtime.wants_venv(home) or not _works(python):
            return _build_and_record(home, environ, now)
        if everything and not _runs(python, _VERIFY_ALL):
            try:
                _add(home, environ, python)
            except Exception as problem:
                if is_new_wish:
                    files.remove(runtime.all_file(home))  # or the next update's build would fail for it too
                raise _as_failure(problem) from problem
        return f"Keepstone's packages are there: {python}"
    finally:
        files.unlock(held)


def _build_and_record(home: str, environ: Mapping[str, str], now: float) -> str:
    try:
        python, refused = _build(home, environ)
        hook = runtime.interpreters(home)[0] or os.path.realpath(sys.executable)
        runtime.record(home, hook, python)
    except Exception as problem:  # noqa: BLE001  a build that fails silently would be restarted for ever
        failure = _as_failure(problem)
        _note_failure(home, failure, now)
        raise failure from problem
    files.remove(runtime.build_file(home))
    files.remove(runtime.notice_file(home))
    if refused:
        files.write(
            runtime.notice_file(home), one_line(mask(f"Keepstone's packages are installed by pip, as {refused}"))
        )
        spool.log(home, "worker", refused, now)
    if spool.count(home, "new"):
        runtime.start_worker(home)
    return f"Keepstone's packages are installed: {python}" + (f"\n(By pip, as {refused})" if refused else "")


def _build(home: str, environ: Mapping[str, str]) -> tuple[str, str]:
    """Returns the new environment's interpreter, after checking that it runs Keepstone, and why what one way had
    installed was refused, "" if nothing was.
    """
    lock = runtime.lock_file()
    if not os.path.exists(lock):
        raise Failure(f"{lock} is missing", "claude plugin update keepstone@keepstone")
    folder = runtime.venv_folder(home, lock)
    if os.path.exists(runtime.all_file(home)):
        lock = runtime.lock_file("all")
    tools = BuildRunner(home, environ)
    found = list(_pythons(environ, tools))
    uv = _uv(environ)
    if not uv and not found:
        raise Failure("it needs uv, or Python 3.11 or newer with SQLite and FTS5, and found neither", _GET_UV)
    problems: list[Failure] = []
    for way in (_by_uv if uv else None, _by_pip if found else None):
        if way is None:
            continue
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(os.path.dirname(folder), mode=0o700, exist_ok=True)
        try:
            way(tools, uv, found[0] if found else "", folder, lock)
            python = _python_of(folder)
            _check(tools, folder, lock)
            tools.run([python, "-I", "-c", _VERIFY, runtime.source_root()])
            built_from = os.stat(runtime.lock_file()).st_mtime
            os.utime(os.path.join(folder, "pyvenv.cfg"), (built_from, built_from))  # `wants_venv` compares this time
            return python, next((f"uv's were refused: {one.what}" for one in problems if isinstance(one, Refused)), "")
        except Failure as problem:
            problems.append(problem)
    shutil.rmtree(folder, ignore_errors=True)
    raise next((problem for problem in problems if problem.first), problems[-1])


def _add(home: str, environ: Mapping[str, str], python: str) -> None:
    """Adds the packages of the servers to a copy of the environment in use, which replaces it if it passes the check:
    nothing that was not checked is where a Python that starts would run it.
    """
    lock = runtime.lock_file("all")
    if not runtime.is_in_venv(home, python):
        typed = f"{shlex.quote(python)} -m pip install -r {shlex.quote(lock)}"
        raise Failure(f"{python} is an interpreter of your own", typed)
    tools, uv = BuildRunner(home, environ), _uv(environ)
    folder = os.path.dirname(os.path.dirname(python))
    copy, before = folder + _NEW, folder + _OLD
    try:
        shutil.copytree(folder, copy, symlinks=True)
        if uv:
            _fill_by_uv(tools, uv, _python_of(copy), lock)
        else:
            _fill_by_pip(tools, os.path.realpath(python), copy, lock)
        _check(tools, copy, lock)
        os.rename(folder, before)
        os.rename(copy, folder)
    finally:
        _put_back(folder)


def _put_back(folder: str) -> None:
    """Puts back an environment that was not replaced after all, also if a process was killed in the middle of it, and
    removes what that has left.
    """
    if not os.path.exists(folder) and os.path.isdir(folder + _OLD):
        os.rename(folder + _OLD, folder)
    for left in (folder + _NEW, folder + _OLD):
        shutil.rmtree(left, ignore_errors=True)


def _check(tools: BuildRunner, folder: str, lock: str) -> None:
    """Compares the environment with its lock file, and compiles it, before anything of it runs. Raises Failure if it
    holds anything else.
    """
    try:
        packages = check(folder, lock)
    except (ValueError, OSError) as problem:
        raise Refused(f"what was installed is not what the lock file names: {problem}") from problem
    try:
        tools.run([_python_of(folder), "-I", "-S", "-m", "compileall", "-q", "-j", "0", "-x", _NEVER_RUN, packages])
    except Failure:
        pass  # some packages bring files for other versions of Python


def _by_uv(tools: BuildRunner, uv: str, python: str, folder: str, lock: str) -> None:
    tools.run([uv, "venv", *_uv_settings(tools), "--no-project", "--python", python or ">=3.11", folder])
    _fill_by_uv(tools, uv, _python_of(folder), lock)


def _uv_settings(tools: BuildRunner) -> tuple[str, ...]:
    """Returns uv's options for its settings: the user's file alone, if there is one."""
    path = os.path.join(tools.env.get("APPDATA") or os.path.join(tools.env.get("HOME", ""), ".config"), "uv", "uv.toml")
    return ("--config-file", path) if os.path.isfile(path) else ("--no-config",)


def _fill_by_uv(tools: BuildRunner, uv: str, python: str, lock: str) -> None:
    install = ["pip", "install", *_uv_settings(tools), "--python", python, *_LOCKED, lock]
    try:
        tools.run([uv, *install])
    except Failure:
        if not _CERTIFICATE.search(tools.output):
            raise
        # The certificate of a proxy that inspects TLS is only in the system's store.
        tools.env.update(UV_NATIVE_TLS="1", UV_SYSTEM_CERTS="1")
        tools.run([uv, *install])


def _by_pip(tools: BuildRunner, uv: str, python: str, folder: str, lock: str) -> None:
    tools.run([python, "-I", "-m", "venv", "--without-pip", folder])
    _fill_by_pip(tools, python, folder, lock)


def _fill_by_pip(tools: BuildRunner, python: str, folder: str, lock: str) -> None:
    """Fills an environment with the pip of another one beside it, so that it holds the lock's packages alone."""
    beside = folder + ".pip"
    try:
        try:
            tools.run([python, "-I", "-m", "venv", beside])
            pip = [_python_of(beside), "-I", "-m", "pip"]
        except Failure as problem:
            # Debian has ensurepip in a separate package; an existing pip can fill an environment without one.
            pip = [python, "-I", "-m", "pip"]
            try:
                tools.run([*pip, "--version"])
            except Failure:
                raise Failure(f"{python} can't make a venv: {problem.what}", _venv_package(python)) from problem
        tools.find_index()
        tools.run([*pip, "--python", _python_of(folder), *_PIP_INSTALL, lock])
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _venv_package(python: str) -> str:
    version = re.search(r"3\.\d+", os.path.basename(python))
    if not os.path.exists("/etc/debian_version"):
        return _GET_UV
    return f"sudo apt install python{version.group() if version else '3'}-venv"


class BuildRunner:
    """Runs the commands of a build. `output` collects everything that they print, for the log."""

    def __init__(self, home: str, environ: Mapping[str, str]) -> None:
        self.home = home
        self.pip_config = environ.get("PIP_CONFIG_FILE", "")
        self.env = {name: value for name, value in environ.items() if name in _SEEN or _SEEN_KEY.fullmatch(name)} | _SET
        places = {name: environ[name] for name in _SEEN_PLACES if environ.get(name)}
        self.env |= {name: at for name, at in places.items() if is_plain(at) and not is_others(at, environ)}
        self.env.setdefault("HOME", own_home())
        self.env["PATH"] = own_path(environ)
        self.environ = environ
        self.output = ""
        self.until = time.monotonic() + BUILD_SECONDS

    def find_index(self) -> None:
        """Takes from pip's settings, the machine's and the user's, what they say of the index, and nothing else. A
        variable goes before them.
        """
        said: dict[str, str] = {}
        for section in _PIP_SECTIONS:
            for settings in map(self._read, self._pip_settings()):
                if settings.has_section(section):
                    said |= {name.lower().replace("_", "-").lstrip("-"): one for name, one in settings.items(section)}
        for name, value in said.items():
            variable = "PIP_" + name.upper().replace("-", "_")
            if variable in _ABOUT_THE_INDEX:
                self.env.setdefault(variable, " ".join(value.split()))

    def _pip_settings(self) -> list[str]:
        """Returns pip's files of settings that are the user's own or the machine's."""
        if self.pip_config == os.devnull:  # as pip takes it
            return []
        home = self.env["HOME"]
        paths = [os.path.expandvars(path) if os.name == "nt" else path.replace("~", home) for path in _PIP_SETTINGS]
        return [path for path in (*paths, self.pip_config) if self._is_own(path)]

    def _is_own(self, path: str) -> bool:
        """Tells whether a file is there, and the user's own or the machine's."""
        if not (os.path.isabs(path) and is_plain(path) and os.path.isfile(path)) or is_others(path, self.environ):
            return False
        return os.name == "nt" or os.stat(path).st_uid in (os.geteuid(), 0)

    def _read(self, path: str) -> RawConfigParser:
        settings = RawConfigParser()
        try:
            settings.read(path, "utf-8")
        except (NoSettings, OSError, ValueError):
            return RawConfigParser()
        return settings

    def run(self, argv: list[str], seconds: float = BUILD_STEP_SECONDS) -> str:
        """Runs a command. Returns its output. Raises Failure with a one-line reason."""
        left = min(seconds, max(1.0, self.until - time.monotonic()))
        try:
            done = subprocess.run(
                argv,
                cwd=self.home,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=left,
            )
        except subprocess.TimeoutExpired as problem:
            raise Failure(f"{os.path.basename(argv[0])} was not done after {left:.0f} seconds") from problem
        except OSError as problem:
            raise Failure(f"{argv[0]} can't be run: {problem.strerror}") from problem
        printed = done.stdout.decode("utf-8", "replace")
        self.output += f"$ {shlex.join(argv)}\n{printed}"
        if done.returncode == 0:
            return printed
        self._keep_output()
        if _OFFLINE.search(printed):
            raise Failure("the Python package index can't be reached (what pip or uv said is in logs/build.log)")
        lines = [line.strip() for line in printed.splitlines() if line.strip()]
        said = [line for line in lines if line.lower().startswith("error")] or lines[-1:]
        raise Failure(
            clip(one_line(said[-1]), 200) if said else f"{os.path.basename(argv[0])} failed ({done.returncode})"
        )

    def _keep_output(self) -> None:
        os.makedirs(os.path.join(self.home, "logs"), mode=0o700, exist_ok=True)
        with open(os.path.join(self.home, "logs", "build.log"), "w", encoding="utf-8") as log:
            log.write(mask(self.output))


def _pythons(environ: Mapping[str, str], tools: BuildRunner) -> Iterator[str]:
    """Yields real interpreters of at least 3.11 that can carry the environment."""
    folders = (*_PLACES, *own_path(environ).split(os.pathsep))
    named = [sys.executable, *(shutil.which(name, path=folder) for folder in folders if folder for name in _NAMES)]
    for path in dict.fromkeys(filter(None, named)):
        # macOS's own is a stub that may open a dialog, and is never new enough.
        if sys.platform == "darwin" and os.path.realpath(path) == "/usr/bin/python3":
            continue
        try:
            # A wrapper may print something of its own first.
            found = _PROBED.search(tools.run([path, "-I", "-c", _PROBE], PROBE_SECONDS))
        except Failure:
            continue
        if found and (int(found[1]), int(found[2])) >= runtime.WORKER_PYTHON:
            yield found[3]


def _uv(environ: Mapping[str, str]) -> str:
    user_home = environ.get("HOME") or "/nowhere"
    places = os.pathsep.join([environ.get("PATH", ""), *(place.replace("~", user_home) for place in _UV_PLACES)])
    return shutil.which("uv", path=own_path({**environ, "PATH": places})) or ""


def _python_of(folder: str) -> str:
    return os.path.join(folder, *(("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")))


def _works(python: str) -> bool:
    return bool(python) and runtime.is_python(python) and _runs(python, _VERIFY, runtime.source_root())


def _runs(python: str, code: str, *words: str) -> bool:
    argv = [python, "-I", "-c", code, *words]
    return subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True).returncode == 0


def sweep(home: str, now: float) -> None:
    """Removes environments of earlier lock files, once no process that began with one of them should still run. Does
    nothing during a build.
    """
    folder = os.path.join(home, "venv")
    held = files.lock(home, name="build")
    if held is None:
        return
    try:
        used = os.path.dirname(os.path.dirname(runtime.interpreters(home)[1]))
        if os.path.dirname(used) == folder and os.stat(os.path.join(home, "python")).st_mtime < now - RETIRED_SECONDS:
            for name in os.listdir(folder):
                if os.path.join(folder, name) != used:
                    shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
    except OSError:
        return
    finally:
        files.unlock(held)


def _note_failure(home: str, failure: Failure, now: float) -> None:
    before = runtime.build_state(home)
    known = before.get("attempts")
    attempts = (min(known, 100) if isinstance(known, int) else 0) + 1
    wait = min(BUILD_BACKOFF * 2.0 ** (attempts - 1), BUILD_BACKOFF_MAX)
    line = one_line(mask(f"Keepstone can't learn yet: {failure.what}. Try: {failure.typed}"))
    files.write(runtime.build_file(home), dump({"attempts": attempts, "not_before": now + wait, "line": line}))
    if before.get("line") != line:
        files.write(runtime.notice_file(home), line)
    spool.log(home, "worker", line, now)
