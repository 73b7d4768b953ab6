"""Defines the changes that `keepstone setup` can make: the purpose of each, the files, and what to know afterwards."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping

from ...config import runtime, settings
from ...config.provenance import client_home, data_home, require_home
from ...lib import files
from ...lib.errors import BadInput, KeepstoneError
from . import marked_block
from .file_changes import Block, File, FileChange, Member, SettingChoice

SHELL, SKILL, LINE, RULES, EXTRACTOR = "--shell", "--slash-memory", "--statusline", "--claude-md", "--extractor"
SCRIPT = "statusline"  # in the data home
RC_LINES = {
    "bash": ("~/.bashrc", 'export PATH="{}:$PATH"'),
    "zsh": ("~/.zshrc", 'export PATH="{}:$PATH"'),
    "fish": ("~/.config/fish/config.fish", "fish_add_path '{}'"),
}
COMPLETION = {
    "bash": ("~/.bashrc", 'eval "$(keepstone completion bash)"'),
    "zsh": ("~/.zshrc", 'eval "$(keepstone completion zsh)"'),
    "fish": ("~/.config/fish/config.fish", "keepstone completion fish | source"),
}


class InstallTarget:
    """The machine to change: the data home, the user's HOME, and the folders of the client and of the plugin."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """Raises BadInput if the environment names no data home or no HOME."""
        self.home = require_home(environ)
        self.user_home = environ.get("HOME", "")
        if not os.path.isabs(self.user_home):
            raise BadInput("HOME is not set: it is not known where your files are", "export HOME=/your/folder")
        self.client = os.path.abspath(client_home(environ))
        self.plugin = runtime.plugin_root()
        self.shell = os.path.basename(environ.get("SHELL", ""))
        self.searched = [os.path.abspath(part) for part in environ.get("PATH", "").split(os.pathsep) if part]
        self.extractor = str(settings.load(self.home, environ)["extractor"])

    @property
    def named_home(self) -> str:
        """Returns the data home if it has to be named, "" if it is the default one."""
        return "" if self.home == data_home({"HOME": self.user_home}) else self.home

    def short(self, path: str) -> str:
        """Returns a path as a person writes it, with `~`."""
        inside = path.startswith(self.user_home.rstrip("/") + os.sep)
        return "~" + path[len(self.user_home.rstrip("/")) :] if inside else path

    def read(self, *parts: str) -> str:
        """Returns the text of one of the plugin's own files. Raises KeepstoneError if `keepstone` is an installed
        package without them.
        """
        text = files.read(os.path.join(self.plugin, *parts)) if self.plugin else ""
        if not text:
            says = "this `keepstone` is an installed package, not the plugin that the client runs"
            raise KeepstoneError(
                says, "claude plugin install keepstone@keepstone, then run that plugin's bin/keepstone setup"
            )
        return text


class SetupChange:
    """The change that a flag makes. `after` holds lines with what a person has to know or do afterwards."""

    def __init__(self, flag: str, says: str, pieces: list[FileChange], after: list[str]) -> None:
        self.flag = flag
        self.says = says
        self.pieces = pieces
        self.after = after


def change(place: InstallTarget, flag: str, given: str = "") -> SetupChange:
    """Returns the change of a flag. `given` is the flag's value if it takes one. Raises KeepstoneError if the change
    cannot be made.
    """
    return _MADE_BY[flag](place, given)


def says(flag: str) -> str:
    return _SAYS[flag]


def bin_folder(place: InstallTarget, given: str) -> str:
    return os.path.abspath(given) if given else os.path.join(place.user_home, ".local", "bin")


def _shell(place: InstallTarget, given: str) -> SetupChange:
    folder = bin_folder(place, given)
    path = os.path.join(folder, "keepstone")
    return SetupChange(
        SHELL, _SAYS[SHELL], [File(path, _script(place, "shim.sh"), mode=0o700)], list(_path_lines(place, path))
    )


def _path_lines(place: InstallTarget, path: str) -> Iterator[str]:
    """Yields what the user's shell still needs to find the command and to complete it."""
    folder = os.path.dirname(path)
    known = place.shell if place.shell in RC_LINES else "bash"
    if folder not in place.searched:
        where, line = RC_LINES[known]
        yield f"{place.short(folder)} is not on your PATH. Add to {where}:"
        yield "  " + line.format(folder.replace(place.user_home, "$HOME", 1) if known != "fish" else folder)
    else:
        for part in place.searched[: place.searched.index(folder)]:
            if os.access(os.path.join(part, "keepstone"), os.X_OK):
                yield f"Another one comes before it on your PATH: {os.path.join(part, 'keepstone')}"
    where, line = COMPLETION[known]
    yield f"Tab completes commands and options with this line in {where}:"
    yield "  " + line


def _skill(place: InstallTarget, given: str) -> SetupChange:
    """Returns the change that adds a copy of the plugin's skill for the user alone: Claude already has the plugin's."""
    fence = "---\n"
    _, head, text = place.read("skills", "memory", "SKILL.md").split(fence, 2)
    note = "<!-- Written by `keepstone setup --slash-memory`; `keepstone uninstall` removes it. -->\n"
    text = fence + head + "disable-model-invocation: true\n" + fence + note + text
    folder = os.path.join(place.client, "skills", "memory")
    after = [
        "From the next session on /memory is Keepstone's; the client's own dialog hides, or stands second in its menu."
    ]
    return SetupChange(SKILL, _SAYS[SKILL], [File(os.path.join(folder, "SKILL.md"), text, claims=folder)], after)


def _line(place: InstallTarget, given: str) -> SetupChange:
    script = os.path.join(place.home, SCRIPT)
    command = shlex.quote(script)
    value = {"type": "command", "command": command}
    hint = f"have that script print Keepstone's line as well: printf '%s' \"$input\" | {command}"
    pieces = [
        File(script, _script(place, "statusline.sh"), mode=0o700),
        Member(os.path.join(place.client, "settings.json"), "statusLine", value, hint),
    ]
    return SetupChange(LINE, _SAYS[LINE], pieces, [])


def _rules(place: InstallTarget, given: str) -> SetupChange:
    body = marked_block.body(place.read("CLAUDE.md.template"), "rules") or ""
    return SetupChange(RULES, _SAYS[RULES], [Block(os.path.join(place.client, "CLAUDE.md"), "rules", body)], [])


def _extractor(place: InstallTarget, given: str) -> SetupChange:
    setting = settings.setting_of("extractor")
    return SetupChange(
        EXTRACTOR, _SAYS[EXTRACTOR], [SettingChoice(os.path.join(place.home, settings.CONFIG), setting, given)], []
    )


def _script(place: InstallTarget, name: str) -> str:
    """Returns a script that finds the plugin by the record in the data home."""
    text = place.read("src", "keepstone", "admin", "install", name)
    home = shlex.quote(place.named_home)
    return text.replace("@RECORD@", shlex.quote(runtime.plugin_file(place.home))).replace("@HOME@", home)


_SAYS = {
    SHELL: "`keepstone` in your own terminal",
    SKILL: "bare /memory runs Keepstone, and hides the client's own dialog",
    LINE: "how many memories there are, in Claude Code's status line",
    RULES: "rules for using memories, in your own CLAUDE.md",
    EXTRACTOR: "what reads the transcripts",
}
_MADE_BY = {SHELL: _shell, SKILL: _skill, LINE: _line, RULES: _rules, EXTRACTOR: _extractor}
FLAGS = tuple(_SAYS)
