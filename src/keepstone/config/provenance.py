"""Tells what is the user's own: the data home, and what sets a setting. A repository's settings reach our environment
too, and its files must never be taken for the user's. Hot module.
"""

from __future__ import annotations

import os

from ..lib import files
from ..lib.errors import BadInput
from ..lib.fast_json import parse
from ..lib.text import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from .named_by import SettingFile

CLIENT = "settings.json"
LEFT_OUT = "KEEPSTONE_LEFT_OUT"  # the names of variables that a repository may have set, and we do not use
NOT_OWN = "it may be a repository's. If the value is yours, say so in ~/.claude/settings.json (env)"
# Set for the client that an extractor starts, to the key of the data home: its session is not captured. A repository's
# settings can set the variable and can't know the key.
NESTED = "KEEPSTONE_NESTED"
# Set at a session's start in its shells: its folder, behind a digest of it with the session and the data home's key.
FOLDER = "KEEPSTONE_SESSION_FOLDER"
# The folder of the session that a command belongs to, as the command has found it at its start (whatever it was set to
# before): `own_environment`. UNKNOWN in a session of which it has found none: any repository may be at work in it.
WORKED_IN = "KEEPSTONE_WORKED_IN"
UNKNOWN = "?"
ADDRESSES = ("KEEPSTONE_DATABASE_URL", "KEEPSTONE_SERVER_URL")  # of memories on other machines

HOME = "HOME"
PROJECT = "CLAUDE_PROJECT_DIR"  # the session's project; the client sets it for hooks, and not for its shell
_USER = "USER"
_CONFIG_DIR = "CLAUDE_CONFIG_DIR"
ENV_FILE = "CLAUDE_ENV_FILE"  # what a session's hooks write there, its shells run; the client sets it
# What was found of this process's own HOME, by its value, the session's project and the current folder: it was set when
# the process began, and a command asks seven times.
_HOMES: dict[tuple[str, str, str], str] = {}
HOMES = ("KEEPSTONE_HOME", "XDG_DATA_HOME")  # variables that name the data home
_OF_THE_SYSTEM = ("proc", "dev", "sys")  # folders whose content depends on who looks
_WORKTREES = "/.git/worktrees/"  # in the `.git` file of a linked worktree, behind its main one's folder
_MARKER_BYTES = 10_000
_OF_A_SESSION = ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", PROJECT, "CLAUDE_CODE_ENTRYPOINT")
REPOSITORY_MAY_SET = ("brief_limit", "brief_tokens", "brief_order")  # harmless display
_OFF = "KEEPSTONE_OFF"
_YES = ("1", "true", "yes", "on", "y")
_OTHERS_MAY_WRITE, _OTHERS_MAY_ENTER = 0o022, 0o011  # mode bits: the group, and everybody
_OPENED, _MARK = "opened", "opened.mark"  # in a data home: the note that its user has opened it
# What is believed of a data home: which programs to run, what is on, what is remembered and what was accepted.
# Of one that others may enter, all that stands there.
_TRUSTED = ("python", "config.json", "keepstone.db", "keepstone.db-wal", "plugin", "spool", "spool/new", "venv")


def data_home(environ: Any = os.environ, by_hook: bool = False) -> str | None:
    """Returns the data home, or None if the environment names none, or one that is not to be trusted. `by_hook` tells,
    here and below, that a hook asks: it knows the session's project.
    """
    home = _named(environ)
    return home if home and not distrust(home, environ, by_hook) else None


def require_home(environ: Any = os.environ) -> str:
    """Returns the data home. Raises BadInput if the environment names none, or one that is not to be trusted."""
    if problem := why_no_home(environ):
        raise problem
    return _named(environ) or ""


def why_no_home(environ: Any = os.environ, by_hook: bool = False) -> BadInput | None:
    """Returns why there is no data home: the one that the environment names is not to be trusted or not absolute, or it
    names none. None if there is one.
    """
    home = _named(environ)
    if home is not None:
        return distrust(home, environ, by_hook)
    if environ.get("KEEPSTONE_HOME"):
        return BadInput(
            "KEEPSTONE_HOME is not an absolute path: " + environ["KEEPSTONE_HOME"][:80], "export KEEPSTONE_HOME=$HOME/…"
        )
    if environ.get("XDG_DATA_HOME"):
        says = "XDG_DATA_HOME is not an absolute path: " + environ["XDG_DATA_HOME"][:80]
        return BadInput(says, "unset XDG_DATA_HOME")
    return BadInput(
        "there is no place for memories: neither KEEPSTONE_HOME nor HOME is set",
        "export HOME=… or KEEPSTONE_HOME=…",
    )


def distrust(home: str, environ: Any, by_hook: bool = False) -> BadInput | None:
    """Returns why a data home is not to be trusted, with what to type. None if it is the user's own: outside of the
    folder that one works in, which holds others' files, owned by the user, and writable by no one else.
    """
    real = os.path.realpath(home)
    if problem := _misplaced(home, real, environ, by_hook):
        return problem
    try:
        found = os.stat(real)
    except OSError:
        return _lacks_own(home, environ)
    if os.name == "nt":
        return None
    if found.st_uid != os.geteuid():
        return BadInput(
            "the data home " + home[:80] + " belongs to another user, so nothing can be read or learned there",
            "sudo chown -R $(id -u) " + home,
        )
    if found.st_mode & _OTHERS_MAY_WRITE:
        return BadInput("others may write in the data home " + home[:80], "chmod go-w " + home)
    return _distrust_files(home, (found.st_mode & _OTHERS_MAY_ENTER) << 1)


def own_but_open(environ: Any = os.environ, by_hook: bool = False) -> str:
    """Returns a data home that is not to be trusted if it is the user's own by its place: only who owns what is there,
    or may write it, makes it be refused. That is soon put right, and what is said meanwhile belongs there. "" for any
    other.
    """
    home = _named(environ) or ""
    real = os.path.realpath(home) if home else ""
    return home if real and os.path.exists(real) and not _misplaced(home, real, environ, by_hook) else ""


def _misplaced(home: str, real: str, environ: Any, by_hook: bool) -> BadInput | None:
    """Returns why a data home may be another's by its name or its place, None if it can't."""
    parts = _parts(home)
    if parts[:1] and parts[0] in _OF_THE_SYSTEM:
        return BadInput("the data home may not be " + home[:80], "unset KEEPSTONE_HOME")
    if ".." in parts:
        return BadInput("the data home is not written plainly: " + home[:80], "export KEEPSTONE_HOME=" + real)
    return _at_others(home, real, environ) or _is_strange(home, real, environ, by_hook)


def _parts(path: str) -> list[str]:
    return [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]


def is_plain(path: str) -> bool:
    """Tells whether a path is written so that it leads whoever looks to the same place."""
    parts = _parts(path)
    return ".." not in parts and not (parts[:1] and parts[0] in _OF_THE_SYSTEM)


def _distrust_files(home: str, writes: int) -> BadInput | None:
    """Returns why what stands in a data home is not to be trusted. `writes` are the mode bits by which somebody who can
    enter the folder may write: nobody else reaches what is inside. What root has left there was made with sudo.
    """
    there = _looked_at(home, _TRUSTED)
    if writes and there:  # in a folder that holds none of ours, nothing is believed
        there += _looked_at(home, _listed(home))
    for path, found in there:
        if found.st_uid not in (os.geteuid(), 0):
            return BadInput(path + " belongs to another user, so it is not read", "sudo chown -R $(id -u) " + home)
        if found.st_mode & writes:
            return BadInput("others may write in " + path, "chmod 700 " + home)
    return None


def _looked_at(home: str, names: Iterable[str]) -> list[tuple[str, os.stat_result]]:
    """Returns the paths of those names that are there, with what the system says of each."""
    found = []
    for name in names:
        path = home + "/" + name
        try:
            found.append((path, os.stat(path)))
        except OSError:
            continue
    return found


def _listed(folder: str) -> list[str]:
    """Returns what stands in a data home, and in the folders of it that hold programs."""
    found = []
    for below in ("", "venv/", "vectors/", "spool/", "off/"):
        try:
            found += [below + name for name in sorted(os.listdir(folder + "/" + below))]
        except OSError:
            continue
    return found


def _at_others(home: str, real: str, environ: Any) -> BadInput | None:
    """Returns why others may have filled a data home, None if they can't."""
    if may_be_planted(real, environ) and not _is_chosen(home):
        return BadInput(
            "the data home " + home[:80] + " is inside a repository, whose files may be anybody's",
            "set KEEPSTONE_HOME in ~/.claude/settings.json (env) too, or move it out of the repository",
        )
    if is_at_work(real, environ) and real != _default(own_home()):
        return BadInput(
            "the data home " + home[:80] + " is inside the folder that you work in, whose files may be anybody's",
            "export KEEPSTONE_HOME=… outside of it, or unset it",
        )
    return None


def _is_strange(home: str, real: str, environ: Any, by_hook: bool) -> BadInput | None:
    """Returns why a session does not open a data home: only a variable names it, which may be a repository's. None if
    it is at the default place, the user's own settings of the client name it, or the user has opened it before outside
    of a session. Of a HOME of which the system does not know, hooks see themselves whether the project has named it.
    """
    if not is_session(environ):
        return None
    given: str = environ.get(HOME, "")
    if given and home == _default(given) and (by_hook or _is_installed_in(given)):
        return None
    if real == os.path.realpath(_default(own_home())) or is_noted(home) or _is_chosen(home):
        return None
    there = quoted(home)
    made = "" if os.path.isdir(real) else "mkdir -p -m 700 " + there + " && "
    return BadInput(
        "a variable names the data home " + home[:80] + ", which a repository may have set too. "
        "This session does not open it: you have not opened it outside of a session, or not since it was copied",
        "set KEEPSTONE_HOME in ~/.claude/settings.json (env) too, or type outside of a session: "
        + (made + "KEEPSTONE_HOME=" + there + " " + quoted(_command()) + " status"),
    )


def is_opened_in_sessions(home: str, environ: Any = os.environ) -> bool | None:
    """Tells whether sessions open a data home that a variable names. None if it is at the default place, or if a
    session asks.
    """
    if is_session(environ) or os.path.realpath(home) == os.path.realpath(_default(own_home())):
        return None
    if home != _named(environ) or home == _default(environ.get(HOME) or os.sep):
        return None
    return is_noted(home) or _is_chosen(home)


def _command() -> str:
    """Returns what to type in a terminal for `keepstone`: the plugin's is on no PATH there."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    command = os.path.join(root, "bin", "keepstone")
    return command if os.path.exists(command) else "keepstone"


def quoted(path: str) -> str:
    """Returns a path as a shell takes it."""
    is_plain = all(letter.isalnum() or letter in "/._-" for letter in path)
    return path if is_plain else "'" + path.replace("'", "'\\''") + "'"


def _is_installed_in(user_home: str) -> bool:
    """Tells whether the client has installed this plugin in a user's home."""
    return __file__.startswith(os.path.join(user_home, ".claude", "plugins", ""))


def note_home(home: str, environ: Any = os.environ, by_hook: bool = False, makes: bool = False) -> None:
    """Notes in a data home that the user has opened it, so that sessions open it too: outside of one, or, of a home
    that hooks trust, by a hook. The note is two files, of which one names what the system has given the other: no files
    that somebody brings can say it. It is renewed here when a backup, a restore or `chmod -R` has made it stale.
    A hook makes a missing data home, as does who says `makes`, unless it is the default one.
    """
    if by_hook and _is_installed_in(environ.get(HOME) or os.sep) or is_session(environ) and not by_hook:
        return
    if is_noted(home) or home == _default(own_home()):
        return
    try:
        is_default = not by_hook and home == _default(environ.get(HOME) or os.sep)
        if by_hook or makes and not is_default:
            os.makedirs(home, mode=0o700, exist_ok=True)
        if not _may_hold_memories(home) or (is_default and not os.listdir(home)):
            return
        files.write(os.path.join(home, _OPENED), "")
        files.write(os.path.join(home, _MARK), _mark(home) + "\n")
    except OSError:
        pass  # a data home that can't be written is told elsewhere


def is_missing(home: str) -> bool:
    """Tells whether a data home is not made yet."""
    return not os.path.isdir(home)


def forget_home(home: str) -> None:
    """Takes back the note in a data home that holds nothing else."""
    try:
        if set(os.listdir(home)) <= {_OPENED, _MARK}:
            for name in (_MARK, _OPENED):
                files.remove(os.path.join(home, name))
    except OSError:
        pass  # there is none


def _may_hold_memories(home: str) -> bool:
    """Tells whether a folder is a data home, or empty but for a note: nothing is written into any other."""
    try:
        there = os.listdir(home)
    except OSError:
        return False
    return set(there) <= {_OPENED, _MARK} or any(name in _TRUSTED for name in there)


def is_noted(home: str) -> bool:
    """Tells whether the user has opened a data home before. As in src/provenance.sh."""
    mark = files.read(os.path.join(home, _MARK)).strip()
    return bool(mark) and mark == _mark(home)


def _mark(home: str) -> str:
    """Returns what the system has given the file of a note: its number, and when it was last changed."""
    try:
        found = os.lstat(os.path.join(home, _OPENED))
    except OSError:
        return ""
    return str(found.st_ino) + " " + str(found.st_ctime_ns // 1_000_000_000)


def _lacks_own(home: str, environ: Any) -> BadInput | None:
    """Returns why a data home that is not there is not made: the user's own may be where a variable says that a
    repository has replaced. Any other is made when it is needed.
    """
    theirs = _passed_over(environ)
    if not theirs:
        return None
    return BadInput(
        "this repository's files name " + theirs[0] + ", and there is no data home at " + home,
        "take " + theirs[0] + " out of the repository's files, or: mkdir -p -m 700 " + home,
    )


def is_at_work(path: str, environ: Any) -> bool:
    """Tells whether a real path is in the folder that one works in, whose files may be anybody's: the current one or
    the session's, with the repositories that they are in, unless that is the user's own home or above it.
    """
    return is_in_any(path, worked_in(environ))


def worked_in(environ: Any) -> Iterator[str]:
    """Yields the real folders that one works in, and the repositories that they are in."""
    for folder in {_here(), environ.get(PROJECT) or "", _session_folder(environ)} - {"", os.sep}:
        real = os.path.realpath(folder)
        yield real
        yield from _repositories(real)


def _session_folder(environ: Any) -> str:
    """Returns the folder of the session that a command belongs to, "" for none or if it is not known."""
    known: str = environ.get(WORKED_IN, "")
    return "" if known == UNKNOWN else known


def is_in_any(path: str, folders: Iterable[str]) -> bool:
    """Tells whether a real path is in one of some folders that is neither the user's own home nor above it."""
    return any(_is_below(path, folder) and not _is_below(own_home(), folder) for folder in folders)


def may_be_planted(path: str, environ: Any) -> bool:
    """Tells whether a real path may be what a repository has brought although nobody works there: within a session, it
    is inside some repository. The session's shell may stand anywhere, and does not always know its project.
    """
    if not is_session(environ):
        return False
    around = [*_repositories(path)]
    if not around:
        return False
    own = own_home()  # asked last: it may be slow, where another machine knows the users
    return path != _default(own) and not all(_is_below(own, folder) for folder in around)


def _is_chosen(home: str) -> bool:
    """Tells whether the user's own settings of the client name a data home, whatever HOME and other variables say."""
    said = _own_variables()
    shared = os.path.join(str(said.get("XDG_DATA_HOME") or os.sep), "keepstone")
    return home in (said.get("KEEPSTONE_HOME"), shared, _default(str(said.get(HOME) or os.sep)))


def _own_variables() -> dict[str, Any]:
    """Returns the variables that the user's own settings of the client set, whatever HOME and other variables say."""
    try:
        return _object(_object(parse(files.read(os.path.join(own_home(), ".claude", CLIENT)))).get("env"))
    except ValueError:
        return {}


def _repositories(folder: str) -> Iterator[str]:
    """Yields the working folders of the repositories that a folder is in, and of a worktree its main one."""
    for above in _up_from(folder):
        marker = os.path.join(above, ".git")
        if os.path.lexists(marker):
            yield above
            main, is_linked, _ = files.read_start(marker, _MARKER_BYTES).removeprefix("gitdir: ").partition(_WORKTREES)
            if is_linked:
                yield os.path.realpath(os.path.join(above, main))


def own_home() -> str:
    """Returns the user's home folder as the system knows it, whatever HOME says; "" if it knows none."""
    account = _account()
    return os.path.realpath(account.pw_dir) if account else ""


def _account() -> Any:
    """Returns the user's account as the system knows it, or None."""
    try:
        import pwd

        return pwd.getpwuid(os.getuid())
    except (ImportError, KeyError, AttributeError):
        return None


def is_inside(path: str, folder: str) -> bool:
    """Tells whether a real path is a folder, or lies below it."""
    return _is_below(path, os.path.realpath(folder))


def user_home(environ: Any = os.environ) -> str:
    """Returns the user's home folder as HOME says it, "" for none. Where HOME is another than the system's, and may
    come from a repository, it is the system's.
    """
    given: str = environ.get(HOME, "")
    # The client has installed this plugin there: asking the system may be slow, where it asks another machine.
    if not given or os.name == "nt" or _is_installed_in(given):
        return given
    if environ is not os.environ:
        return _home_or_own(given, environ)
    asked = (given, environ.get(PROJECT, ""), _here())
    if asked not in _HOMES:
        _HOMES[asked] = _home_or_own(given, environ)
    return _HOMES[asked]


def _home_or_own(given: str, environ: Any) -> str:
    own = own_home()
    if own in (given, os.path.realpath(given)):
        return given
    elsewhere = {name: environ[name] for name in environ if name != HOME}  # whether HOME is one is the question
    if not is_named(HOME, setting_files(environ), elsewhere) or _own_variables().get(HOME) == given:
        return given
    return own


def _is_below(path: str, folder: str) -> bool:
    return bool(path) and (path + os.sep).startswith(os.path.join(folder, ""))


def is_the_users_own(name: str, value: str, environ: Any) -> bool:
    """Tells whether the user's own settings of the client set this plugin option to this value."""
    plugins = _object(_client_settings(environ).get("pluginConfigs"))
    options = [_object(_object(plugins[key]).get("options")) for key in plugins if key.partition("@")[0] == "keepstone"]
    return any(name in some and str(some[name]).lower() == value.lower() for some in options)


def may_set(variable: str, environ: Any) -> bool:
    """Tells whether a variable's value counts. In a session it must be one that the user's own settings of the client
    give: any other may be the repository's. Outside of one, no file of the repository may name it, and no process that
    has started this one may have left it out. Anybody can set LEFT_OUT, so it takes nothing back that is the user's.
    """
    if variable.replace("KEEPSTONE_", "", 1).lower() in REPOSITORY_MAY_SET:
        return True
    value = environ.get(variable, "")
    if str(_object(_client_settings(environ).get("env")).get(variable)) == value != "None":
        return True
    wants_off = variable == _OFF and value.strip().lower() in _YES
    if is_session(environ):
        return wants_off and not is_a_repositorys(variable, environ)
    left_out = variable in environ.get(LEFT_OUT, "").split() and not wants_off
    return not left_out and not is_a_repositorys(variable, environ)


def is_session(environ: Any) -> bool:
    """Tells whether a client's session has started this process. It passes on what a repository's settings say."""
    return any(name in environ for name in _OF_A_SESSION)


def client_home(environ: Any = os.environ) -> str:
    """Returns the folder of the client's own settings and transcripts, whatever a repository says."""
    given: str = environ.get(_CONFIG_DIR) or ""
    if given and not is_others(given, environ) and not _may_be_led_to(given, environ):
        return given
    folder = user_home(environ)
    return os.path.join(folder if folder and is_own_home(folder, environ) else own_home() or os.sep, ".claude")


def is_own_home(folder: str, environ: Any) -> bool:
    """Tells whether a HOME is the user's own. In a session whose folder is not known it may be a repository's, unless
    the system knows it, or the client or the user has used it before.
    """
    if is_others(folder, environ):
        return False
    if environ.get(WORKED_IN) != UNKNOWN or own_home() == os.path.realpath(folder):
        return True
    return _is_installed_in(folder) or _own_variables().get(HOME) == folder or is_noted(_default(folder))


def _may_be_led_to(config: str, environ: Any) -> bool:
    """Tells whether a repository may have led us to this folder of the client's."""
    if environ.get(WORKED_IN) != UNKNOWN:
        return is_a_repositorys(_CONFIG_DIR, environ)
    is_the_clients = __file__.startswith(os.path.join(config, "plugins", ""))  # which has installed this plugin there
    return not is_the_clients and _own_variables().get(_CONFIG_DIR) != config


def is_others(folder: str, environ: Any) -> bool:
    """Tells whether the files of a folder that a variable names may be anybody's."""
    real = os.path.realpath(folder)
    return is_at_work(real, environ) or may_be_planted(real, environ)


def _client_settings(environ: Any) -> dict[str, Any]:
    try:
        return _object(parse(files.read(os.path.join(client_home(environ), CLIENT))))
    except ValueError:
        return {}


def is_a_repositorys(variable: str, environ: Any, folder: str = "") -> bool:
    """Tells whether a variable may come from a repository: whether one of its files that set variables names it.
    `folder` is where one works, by default the current one.
    """
    return is_named(variable, setting_files(environ, folder), environ)


def session_project(environ: Any, folder: str) -> str:
    """Returns the session's project as a shell's variable says it, "" for none. The client does not set it there: it
    counts only from inside of that project, and if no file of it says so. What a repository's settings say may be
    anybody's project.
    """
    given: str = environ.get(PROJECT, "")
    if not given or not is_inside(os.path.realpath(folder), given) or is_a_repositorys(PROJECT, environ, folder):
        return ""
    return given


def user_name(environ: Any) -> str:
    """Returns the user's name as USER says it, "" for none; as the system knows it where a repository may have set
    that.
    """
    given: str = environ.get(_USER, "")
    if not given or not is_session(environ):
        return given
    account = _account()
    return account.pw_name if account and account.pw_name != given and is_a_repositorys(_USER, environ) else given


def _named(environ: Any) -> str | None:
    """Returns the data home that the environment names, but for what a repository names."""
    theirs = _passed_over(environ)
    given: str = environ.get("KEEPSTONE_HOME", "")
    if given and "KEEPSTONE_HOME" not in theirs:
        return given if os.path.isabs(given) else None
    if environ.get("XDG_DATA_HOME") and "XDG_DATA_HOME" not in theirs:
        given = os.path.join(environ["XDG_DATA_HOME"], "keepstone")
        return given if os.path.isabs(given) else None
    if os.name == "nt" and environ.get("LOCALAPPDATA"):
        return os.path.join(os.path.abspath(environ["LOCALAPPDATA"]), "keepstone")
    if environ.get("HOME"):
        home = user_home(environ)
        return _default(os.path.abspath(home)) if home else None
    return None


def _passed_over(environ: Any) -> list[str]:
    """Returns the variables that name a data home and may come from a repository."""
    theirs = [name for name in HOMES if environ.get(name) and is_a_repositorys(name, environ)]
    return theirs if user_home(environ) == environ.get("HOME", "") else [*theirs, HOME]


def _default(user_home: str) -> str:
    return os.path.join(user_home, ".local", "share", "keepstone")


def setting_files(environ: Any, here: str = "") -> Iterator[SettingFile]:
    """Yields the files that set variables in the session's project and in the folders from one up, by default the
    current one, and from the session's.
    """
    from .named_by import found_in  # in an ordinary session no hook asks

    at_work = list(filter(None, (here or _here(), _session_folder(environ))))
    mains = [main for at in at_work for main in _repositories(os.path.realpath(at)) if not is_inside(at, main)]
    around = [above for at in at_work for above in _up_from(at)]
    for folder in dict.fromkeys((environ.get(PROJECT, ""), *around, *mains)):
        if folder:
            yield from found_in(folder)


def is_said_by_user(variable: str, environ: Any) -> bool:
    """Tells whether the user's own settings of the client give a variable the value that it has."""
    is_known = environ.get(WORKED_IN) != UNKNOWN  # else HOME may be the repository's too
    said = _object(_client_settings(environ).get("env")) if is_known else _own_variables()
    return variable in said and str(said[variable]) == environ.get(variable)


def may_be_theirs(variable: str, found: Iterable[SettingFile], environ: Any) -> bool:
    """Tells whether a variable may come from a repository. In a session whose folder is not known, any may; what the
    user's own settings say never does. `found` are the files that set variables.
    """
    is_possible = environ.get(WORKED_IN) == UNKNOWN or is_named(variable, found, environ)
    return is_possible and not is_said_by_user(variable, environ)


def is_named(variable: str, found: Iterable[SettingFile], environ: Any) -> bool:
    """Tells whether a file names a variable, of those that are not the user's own."""
    return any(file.may_set(variable) and not is_users_home(file.folder, environ) for file in found)


def is_users_home(folder: str, environ: Any) -> bool:
    """Tells whether a folder is the user's home, whose settings are the user's own. HOME may come from a repository
    too: then it leads into the project or another repository.
    """
    real, home = os.path.realpath(folder), os.path.realpath(user_home(environ) or os.sep)
    if real == own_home():
        return True
    project = environ.get(PROJECT, "")
    return real == home and not (project and is_inside(home, project)) and not any(_repositories(home))


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""  # a folder that no longer exists


def _up_from(folder: str) -> Iterator[str]:
    while folder:
        yield folder
        above = os.path.dirname(folder)
        folder = above if above != folder else ""


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def nested_key(home: str) -> str:
    """Returns the key by which hooks know the session of an extractor's own client. Raises OSError if there is none and
    none can be written.
    """
    path = _key_file(home)
    files.create_exclusive(path, os.urandom(16).hex() + "\n")
    with open(path, encoding="utf-8") as file:
        return file.read().strip()


def is_nested(home: str, environ: Any = os.environ) -> bool:
    """Tells whether an extractor of this data home has started the client of this session."""
    given: str = environ.get(NESTED, "")
    return bool(given) and given == known_key(home)


def known_key(home: str) -> str:
    """Returns the key of a data home, "" if it has none yet."""
    return files.read(_key_file(home)).strip()


def marked_folder(home: str, session: str, folder: str) -> str:
    """Returns what FOLDER says of a session's folder. Raises OSError as `nested_key`."""
    return digest(nested_key(home), session, folder) + ":" + folder


def _key_file(home: str) -> str:
    return os.path.join(home, "nested")
