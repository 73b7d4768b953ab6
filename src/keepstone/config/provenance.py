"""Tells whether a setting comes from the user or from a repository's settings. Hot module."""

from __future__ import annotations

import os

from ..lib import files
from ..lib.fast_json import dump, parse
from .data_home import is_inside, own_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

CLIENT = "settings.json"
# Files of a repository that programs take variables from: the client, its servers, shells, containers and editors.
SETTING_FILES = (
    (".claude", CLIENT),
    (".claude", "settings.local.json"),
    (".mcp.json",),
    (".claude-plugin", "plugin.json"),
    (".env",),
    (".env.local",),
    (".envrc",),
    ("mise.toml",),
    (".mise.toml",),
    (".devcontainer", "devcontainer.json"),
    (".devcontainer.json",),
    (".vscode", CLIENT),
    (".vscode", "mcp.json"),
    (".cursor", "mcp.json"),
)


def is_the_users_own(name: str, value: str, client_home: str) -> bool:
    """Tells whether the user's own settings of the client set this plugin option to this value."""
    try:
        own = _object(parse(files.read(os.path.join(client_home, CLIENT))))
    except ValueError:
        return False
    plugins = _object(own.get("pluginConfigs"))
    options = [_object(_object(plugins[key]).get("options")) for key in plugins if key.partition("@")[0] == "keepstone"]
    return any(name in some and str(some[name]).lower() == value.lower() for some in options)


def is_a_repositorys(variable: str, environ: Any) -> bool:
    """Tells whether a variable may come from a repository: whether a file that sets variables names it, in the
    session's project or in a folder above the current one. Not every shell of a session has CLAUDE_PROJECT_DIR.
    """
    project = environ.get("CLAUDE_PROJECT_DIR", "")
    for folder in (project, *_up_from(_here())):
        paths = [os.path.join(folder, *name) for name in SETTING_FILES] if folder else []
        if any(_names(variable, files.read(path)) for path in paths) and not _is_home(folder, project, environ):
            return True
    return False


def _is_home(folder: str, project: str, environ: Any) -> bool:
    """Tells whether a folder is the user's home, whose settings are the user's own. HOME may come from a repository
    too: then it leads into the project.
    """
    real, home = os.path.realpath(folder), os.path.realpath(environ.get("HOME") or os.sep)
    return real == own_home() or (real == home and not (project and is_inside(home, project)))


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
