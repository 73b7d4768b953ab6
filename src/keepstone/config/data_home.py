"""Finds the data home, the folder of the memories, and tells whether it can be trusted: a repository's settings reach
our environment too, and its files must never be taken for the user's. Hot module.
"""

from __future__ import annotations

import os

from ..lib.errors import BadInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_OF_THE_SYSTEM = ("proc", "dev", "sys")  # folders whose content depends on who looks
_OTHERS_MAY_WRITE = 0o022  # mode bits: the group, and everybody


def data_home(environ: Any = os.environ) -> str | None:
    """Returns the data home, or None if the environment names none, or one that is not to be trusted."""
    home = _named(environ)
    return home if home and not distrust(home, environ) else None


def need_home(environ: Any = os.environ) -> str:
    """Returns the data home. Raises BadInput if the environment names none, or one that is not to be trusted."""
    home = _named(environ)
    if home is None and environ.get("KEEPSTONE_HOME"):
        raise BadInput(
            "KEEPSTONE_HOME is not an absolute path: " + environ["KEEPSTONE_HOME"][:80], "export KEEPSTONE_HOME=$HOME/…"
        )
    if home is None and environ.get("XDG_DATA_HOME"):
        raise BadInput("XDG_DATA_HOME is not an absolute path: " + environ["XDG_DATA_HOME"][:80], "unset XDG_DATA_HOME")
    if home is None:
        raise BadInput(
            "there is no place for memories: neither KEEPSTONE_HOME nor HOME is set",
            "export HOME=… or KEEPSTONE_HOME=…",
        )
    if problem := distrust(home, environ):
        raise problem
    return home


def distrust_of(environ: Any = os.environ) -> BadInput | None:
    """Returns why the data home that the environment names is not to be trusted, None if it is or if none is named."""
    home = _named(environ)
    return distrust(home, environ) if home else None


def distrust(home: str, environ: Any) -> BadInput | None:
    """Returns why a data home is not to be trusted, with what to type. None if it is the user's own: outside of the
    folder that one works in, which holds others' files, owned by the user, and writable by no one else.
    """
    if home.replace("\\", "/").lstrip("/").split("/")[0] in _OF_THE_SYSTEM:
        return BadInput("the data home may not be " + home[:80], "unset KEEPSTONE_HOME")
    real = os.path.realpath(home)
    for folder in {_here(), environ.get("CLAUDE_PROJECT_DIR") or ""} - {"", os.sep}:
        if is_inside(real, folder) and not (is_inside(own_home(), folder) or real == _default(own_home())):
            return BadInput(
                "the data home " + home[:80] + " is inside the folder that you work in, whose files may be anybody's",
                "export KEEPSTONE_HOME=… outside of it, or unset it",
            )
    try:
        found = os.stat(real)
    except OSError:
        return None  # it is made when it is needed
    if os.name == "nt":
        return None
    if found.st_uid != os.geteuid():
        return BadInput(
            "the data home " + home[:80] + " belongs to another user, so nothing can be read or learned there",
            "sudo chown -R $(id -u) " + home,
        )
    if found.st_mode & _OTHERS_MAY_WRITE:
        return BadInput("others may write in the data home " + home[:80], "chmod go-w " + home)
    return None


def own_home() -> str:
    """Returns the user's home folder as the system knows it, whatever HOME says; "" if it knows none."""
    try:
        import pwd

        return os.path.realpath(pwd.getpwuid(os.getuid()).pw_dir)
    except (ImportError, KeyError, AttributeError):
        return ""


def is_inside(path: str, folder: str) -> bool:
    """Tells whether a real path is a folder, or lies below it."""
    return bool(path) and (path + os.sep).startswith(os.path.join(os.path.realpath(folder), ""))


def _named(environ: Any) -> str | None:
    """Returns the data home that the environment names."""
    given: str = environ.get("KEEPSTONE_HOME", "")
    if given:
        return given if os.path.isabs(given) else None
    if environ.get("XDG_DATA_HOME"):
        given = os.path.join(environ["XDG_DATA_HOME"], "keepstone")
        return given if os.path.isabs(given) else None
    if os.name == "nt" and environ.get("LOCALAPPDATA"):
        return os.path.join(os.path.abspath(environ["LOCALAPPDATA"]), "keepstone")
    if environ.get("HOME"):
        return _default(os.path.abspath(environ["HOME"]))
    return None


def _default(user_home: str) -> str:
    return os.path.join(user_home, ".local", "share", "keepstone")


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""  # a folder that no longer exists
