"""The environment of our own processes, without what a repository may have set to lead them elsewhere."""

from __future__ import annotations

import os

from ..lib.text import digest
from .provenance import (
    ADDRESSES,
    FOLDER,
    HOME,
    HOMES,
    LEFT_OUT,
    UNKNOWN,
    WORKED_IN,
    data_home,
    is_in_any,
    is_others,
    is_own_home,
    is_plain,
    is_session,
    is_users_home,
    known_key,
    may_be_planted,
    may_be_theirs,
    may_set,
    own_home,
    setting_files,
    user_home,
    worked_in,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

ANOTHER_PYTHON = "PYTHONEXECUTABLE"  # makes Python say that it is another program, even with -I
# Beginnings of variables that say where a program of ours, or a library, sends something, whom it trusts, or what it
# reads, and that a user may need: left out where a repository's file names them.
_LEADING = (
    *("ANTHROPIC_", "CLAUDE_CODE_USE_", "CLAUDE_CONFIG_DIR", "NODE_", "BUN_"),
    *("AWS_", "GOOGLE_", "CLOUD_ML_", "VERTEX_"),
    *("SSL_", "REQUESTS_CA_", "CURL_CA_", "HF_", "PG", "KEEPSTONE_USER", "KEEPSTONE_WORKSPACE", *HOMES),
    *("KEEPSTONE_EMBEDDER_KEY", "KEEPSTONE_EXTRACTOR_KEY"),  # whose account sees what is sent
    *("GIT_", "XDG_CONFIG_HOME", "KRB5", "LDAP", "SASL_", "HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS"),
    *("PIP_", "UV_"),
    *("LOCALE_ARCHIVE", "TERMINFO", "TERMCAP", "INPUTRC"),
    ANOTHER_PYTHON,  # not to be passed on in any case; named so that whoever starts us tells of it
)
# Variables of ours that are no settings: of a session, of how we start our own programs, whose the memories are in a
# database that is shared, and keys, which are sent to the user's own addresses alone.
_NO_SETTINGS = (
    *("KEEPSTONE_SESSION_ID", "KEEPSTONE_AGENT", "KEEPSTONE_TYPED", "KEEPSTONE_NESTED", "KEEPSTONE_NO_BOOTSTRAP"),
    *(FOLDER, WORKED_IN),
    *("KEEPSTONE_TOKEN", "KEEPSTONE_EMBEDDER_KEY", "KEEPSTONE_EXTRACTOR_KEY"),
    *("KEEPSTONE_USER", "KEEPSTONE_WORKSPACE", *HOMES),
)
_TYPED, _SESSION = "KEEPSTONE_TYPED", "KEEPSTONE_SESSION_ID"
_COMPLETE = "_KEEPSTONE_COMPLETE"  # by which a person's shell asks for completions: in a session nobody does
# Beginnings of variables by which Python, OpenSSL, the C library, the loader, or a program that we start loads code,
# reads a file, or writes one. Nobody needs them for us: never passed on. As `unset` in src/data-home.sh.
_LOADED = (
    *("LD_", "DYLD_", "OPENSSL_", "SSLKEYLOGFILE", "GSS_", "P11_KIT", "OMP_TOOL", "PYTHON"),
    *("GCONV_PATH", "LOCPATH", "NLSPATH", "GETCONF_DIR", "GLIBC_TUNABLES", "RESOLV_HOST_CONF", "MALLOC_", "Malloc"),
    *("BASH_ENV", "BASH_FUNC_", "SHELLOPTS", "BASHOPTS", "PS4", "PERL5", "RUBYOPT", "RUBYLIB", "TZDIR"),
)
_LOADED_ALONE = ("ENV",)  # names that others begin with
# Folders of such code: the user's own stay.
_LIBRARIES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH")
# Folders whose files we read, or where we write some.
_PLACES = ("CLAUDE_PLUGIN_DATA", "CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "TMPDIR", "TEMP", "TMP", "SQLITE_TMPDIR")

# Where programs stand that somebody has installed, also if that is a repository (Homebrew's). As src/find-python.sh.
_OF_PROGRAMS = (
    *("/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/opt/local/bin", "/snap/bin"),
    *("/opt/homebrew/bin", "/opt/homebrew/sbin", "/home/linuxbrew/.linuxbrew/bin"),
    *("/run/current-system/sw/bin", "/nix/var/nix/profiles/default/bin"),
)


def own_environment(environ: Any = os.environ) -> dict[str, str]:
    """Returns the environment without what a repository may have set to lead our programs elsewhere: its folders on the
    PATH or as HOME, and variables that say where to send something, or with what key. LEFT_OUT names the latter.
    """
    kept = {**environ, "PATH": own_path(environ)}
    left_out = []
    home = user_home(environ)
    if home != kept.get(HOME, "") or not is_own_home(home or os.sep, environ):
        kept[HOME] = own_home()
        environ = {**environ, HOME: kept[HOME]}
        left_out.append(HOME)
    leading = [name for name in kept if name.startswith(_LEADING) or name.lower().endswith("_proxy")]
    found = list(setting_files(environ)) if leading else []
    # Sessions open a data home that only a variable names if it is noted in it: `provenance`.
    asked = [name for name in leading if name not in HOMES or environ.get(WORKED_IN) != UNKNOWN]
    left_out += [name for name in asked if may_be_theirs(name, found, environ)]
    settings = [name for name in kept if name.startswith("KEEPSTONE_") and name not in (LEFT_OUT, *_NO_SETTINGS)]
    left_out += [name for name in settings if not may_set(name, environ)]
    addresses = [name for name in ADDRESSES if name in left_out]  # whether they were used before, who reads them knows
    if kept.get(_TYPED) not in (None, str(os.getppid())):  # a repository can't know the number of a process
        left_out.append(_TYPED)
    left_out += [name for name in _PLACES if name in kept and is_others(kept[name] or os.sep, environ)]
    loaded = [name for name in kept if name.startswith(_LOADED) and name not in _LIBRARIES]
    if kept.get("TZ", "").startswith((":", "/")) or ".." in kept.get("TZ", ""):
        loaded.append("TZ")  # a file, and no name of a zone
    if is_session(environ):
        loaded.append(_COMPLETE)
    for name in {LEFT_OUT, *left_out, *loaded, *_LOADED_ALONE}.difference(addresses, (HOME,)).intersection(kept):
        del kept[name]
    for name in _LIBRARIES:
        if name in kept:
            kept[name] = own_folders(kept[name], environ)
    return {**kept, LEFT_OUT: " ".join(sorted(set(left_out)))} if left_out else kept


def own_path(environ: Any = os.environ) -> str:
    """Returns the PATH without the folders whose programs may be a repository's."""
    return own_folders(environ.get("PATH", ""), environ) or os.defpath  # an empty one means the current folder


def own_folders(given: str, environ: Any) -> str:
    """Returns a list of folders of programs without those that may be a repository's: those that are relative or not
    written plainly, in the folder that one works in or around it where a file sets variables, and in a session in any
    repository. In one whose folder is not known, those stay that somebody has installed.
    """
    sets_some = {file.folder for file in setting_files(environ)} - {os.sep}
    around = [os.path.realpath(folder) for folder in sets_some if not is_users_home(folder, environ)]
    at_work = [*worked_in(environ), *around]
    return os.pathsep.join(one for one in given.split(os.pathsep) if _is_own_place(one, at_work, environ))


def _is_own_place(folder: str, at_work: Iterable[str], environ: Any) -> bool:
    """Tells whether no repository can have brought the programs of a folder."""
    if not os.path.isabs(folder) or not is_plain(folder):
        return False
    real = os.path.realpath(folder)
    if is_in_any(real, at_work):
        return False
    if not is_session(environ) or folder in _OF_PROGRAMS or real.startswith(os.path.join(own_home() or os.sep, ".")):
        return True
    return (environ.get(WORKED_IN) != UNKNOWN or os.name == "nt") and not may_be_planted(real, environ)


def keep_own_environment() -> None:
    """Takes out of this process's environment what a repository may have set to lead our programs elsewhere. A
    session's shell may stand anywhere: what the session's repository has set is looked for in the session's folder.
    """
    os.environ.pop(WORKED_IN, None)
    if folder := _session_folder(os.environ):
        os.environ[WORKED_IN] = folder
    own = own_environment()
    for name in set(os.environ) - set(own):
        del os.environ[name]
    os.environ.update(own)


def _session_folder(environ: Any) -> str:
    """Returns the folder of the session that a command belongs to, UNKNOWN if no hook of ours has said it; "" outside
    of one, and for what a hook runs: the client has told it the project.
    """
    if not is_session(environ) or environ.get(_TYPED) == str(os.getppid()):
        return ""
    mark, _, folder = environ.get(FOLDER, "").partition(":")
    home = data_home(environ)
    key = known_key(home) if home and folder else ""
    is_ours = key and mark == digest(key, environ.get(_SESSION, ""), folder)
    return folder if is_ours else UNKNOWN
