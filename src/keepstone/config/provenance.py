"""Tells whether a setting comes from the user or from a repository's settings. Hot module."""

from __future__ import annotations

import os

from ..lib import files
from ..lib.fast_json import dump, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

CLIENT = "settings.json"


def is_the_users_own(name: str, value: str, client_home: str) -> bool:
    """Tells whether the user's own settings of the client set this plugin option to this value."""
    try:
        own = _object(parse(files.read(os.path.join(client_home, CLIENT))))
    except ValueError:
        return False
    plugins = _object(own.get("pluginConfigs"))
    options = [_object(_object(plugins[key]).get("options")) for key in plugins if key.partition("@")[0] == "keepstone"]
    return any(name in some and str(some[name]).lower() == value.lower() for some in options)


def is_a_repositorys(variable: str, environ: Any, around: bool) -> bool:
    """Tells whether a variable may come from a repository's settings: those of the session's project, and with `around`
    also those above the current folder, because not every shell of a session has CLAUDE_PROJECT_DIR.
    """
    folders = [environ.get("CLAUDE_PROJECT_DIR", ""), *(_up_from(_here()) if around else ())]
    user_home = os.path.realpath(environ.get("HOME") or os.sep)
    found = (folder for folder in folders if folder and os.path.realpath(folder) != user_home)
    paths = (os.path.join(folder, ".claude", name) for folder in found for name in (CLIENT, "settings.local.json"))
    return any(_names(variable, files.read(path)) for path in paths)


def _names(variable: str, text: str) -> bool:
    """Tells whether a settings file contains the variable's name, also if its letters are written as \\u escapes."""
    if variable in text or "\\u" not in text:
        return variable in text
    try:
        return variable in dump(parse(text))
    except ValueError:
        return True


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""  # a folder that no longer exists has no settings


def _up_from(folder: str) -> Iterator[str]:
    while folder:
        yield folder
        above = os.path.dirname(folder)
        folder = above if above != folder else ""


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
