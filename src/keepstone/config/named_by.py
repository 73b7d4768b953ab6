"""Tells which variables the files of a folder may set: whoever works in a repository has those of its authors."""

from __future__ import annotations

import os

from ..lib import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Files of a repository that programs take variables from: the client, its servers, shells, containers and editors.
SETTING_FILES = (
    (".claude", "settings.json"),
    (".claude", "settings.local.json"),
    (".mcp.json",),
    (".claude-plugin", "plugin.json"),
    *((".env" + more,) for more in ("", ".local", ".development", ".production", ".test", ".staging")),
    *((".env." + more,) for more in ("dev", "prod", "ci", "shared", "defaults", "development.local", "test.local")),
    (".envrc",),
    (".flaskenv",),
    *((name,) for name in ("mise.toml", "mise.local.toml", ".mise.toml", ".mise.local.toml")),
    *((*folder, "config.toml") for folder in ((".mise",), (".config", "mise"), ("mise",))),
    (".devcontainer", "devcontainer.json"),
    (".devcontainer.json",),
    *(
        (name + end,)
        for name in ("compose", "docker-compose")
        for end in (".yml", ".yaml", ".override.yml", ".override.yaml")
    ),
    *((name,) for name in ("Dockerfile", "Containerfile", "Vagrantfile", ".gitpod.yml")),
    *((name,) for name in ("devbox.json", "pixi.toml", "pyproject.toml", "environment.yml", "environment.yaml")),
    ("flake.nix",),
    ("shell.nix",),
    ("devenv.nix",),
    (".vscode", "settings.json"),
    (".vscode", "mcp.json"),
    (".zed", "settings.json"),
    (".cursor", "mcp.json"),
)
# Names that are much used, or a part of others: a file names them only where it assigns something to them.
_ASSIGNED = ("HOME", "USER", "CLAUDE_PROJECT_DIR", "CLAUDE_ENV_FILE")
_OF_ENCODINGS = b"\0\xef\xbb\xbf\xfe\xff"  # zeros, and the bytes of a byte order mark
_BLANK = " \t\v\f"
_FILE_BYTES_MAX = 1_000_000  # of a file that sets variables; none that a person writes is as large


class SettingFile:
    """A file of a folder. Its text is None if it can't be read whole: of a link to a device, a huge file."""

    __slots__ = ("folder", "text", "is_json")

    def __init__(self, folder: str, text: str | None, is_json: bool) -> None:
        self.folder = folder
        self.text = text
        self.is_json = is_json

    def may_set(self, variable: str) -> bool:
        """Tells whether the file names a variable, or assigns something to one whose name is much used."""
        if variable in _ASSIGNED:
            return sets(variable, self.text, self.is_json)
        return _may_contain(variable, self.text)


def found_in(folder: str) -> Iterator[SettingFile]:
    """Yields the files of a folder that set variables."""
    for path in (*(os.path.join(folder, *name) for name in SETTING_FILES), *_of_any_name(folder)):
        if os.path.lexists(path) and (text := _plain_text(path)) != "":
            yield SettingFile(folder, text, path.endswith((".json", ".code-workspace")))


def _of_any_name(folder: str) -> Iterator[str]:
    """Yields the paths of such files of which a part of the name is its author's: of mise's environments, of an
    editor's workspaces, of one container of several.
    """
    for name in files.names_in(folder):
        if name.endswith(".code-workspace") or (name.startswith(("mise.", ".mise.")) and name.endswith(".toml")):
            yield os.path.join(folder, name)
    containers = os.path.join(folder, ".devcontainer")
    for name in files.names_in(containers):
        yield os.path.join(containers, name, "devcontainer.json")


def _plain_text(path: str) -> str | None:
    """Returns a file's text, without the zeros that UTF-16 has between its letters and the mark that it begins with; ""
    for none: a folder, or a pipe by which a password manager hands out secrets. A repository can only ship a link to a
    device.
    """
    try:
        if not os.path.isfile(path):
            return None if os.path.islink(path) and os.path.exists(path) and not os.path.isdir(path) else ""
        with open(path, "rb") as file:
            data = file.read(_FILE_BYTES_MAX + 1)
    except OSError:
        return ""
    return data.translate(None, _OF_ENCODINGS).decode("utf-8", "replace") if len(data) <= _FILE_BYTES_MAX else None


def _may_contain(variable: str, text: str | None) -> bool:
    """Tells whether a settings file may contain the variable's name, also if its letters are written as escapes."""
    if text is None:
        return True
    return variable in _plainly(variable, text)


def _plainly(name: str, text: str) -> str:
    """Returns a text in which the letters of a name are not written as escapes."""
    for letter in set(name):
        for spelled in ("\\u%04x", "\\u%04X", "\\U%08x", "\\U%08X", "\\x%02x", "\\x%02X"):
            text = text.replace(spelled % ord(letter), letter)
    return text


def sets(name: str, text: str | None, is_json: bool) -> bool:
    """Tells whether a settings file may set a variable whose name is a part of other names, or much used, as HOME. In
    JSON it must be a key, elsewhere something must be assigned to it. As `home_set` in src/provenance.sh.
    """
    if text is None:
        return True
    lines = _plainly(name, text).replace("\r", "\n").split("\n")
    if is_json:
        return any(after.lstrip(_BLANK).startswith(":") for after in " ".join(lines).split('"' + name + '"')[1:])
    for line in lines:
        parts = line.split(name) if not line.lstrip(_BLANK).startswith("#") else []
        for at in range(len(parts) - 1):  # what is between two is behind the end of one, and before the other's start
            if _is_assigned(name[-1] * (at > 0) + parts[at], parts[at + 1] + name[0] * (at < len(parts) - 2)):
                return True
    return False


def _is_assigned(left: str, right: str) -> bool:
    """Tells whether something is assigned to a name, by what is left and right of it in its line."""
    before, after = left.rstrip(_BLANK), right.lstrip(_BLANK)
    if before.lstrip(_BLANK).upper() == "ENV" and left != before and right != after != "":
        return True  # of a Dockerfile
    quote = left[-1:] if left.endswith(('"', "'")) else ""
    if quote and right.startswith(quote):
        after = right[1:].lstrip(_BLANK)
        return after.startswith(":") or after.startswith("=") and not after.startswith("==")
    if after.startswith(("=", "+=")) and not after.lstrip("+").startswith("=="):
        is_member = left.endswith("env.") and not (left[:-4][-1:].isalnum() or left[:-4].endswith("_"))
        return left == "" or left[-1] in _BLANK + "\"'`{([,;&|" or is_member
    if left.endswith("${"):
        return right.startswith(":=")
    begins = not left.strip(_BLANK + "?-") or before.endswith((",", "{")) and not before.endswith("${")
    return begins and after.startswith(":") and after[1:2] in ("", *_BLANK)
