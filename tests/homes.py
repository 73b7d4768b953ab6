"""Data homes as the launchers see them, in every shell that is here."""

from __future__ import annotations

import os
import shutil
import subprocess

from keepstone.config.named_by import SETTING_FILES
from support import ROOT

# Of some a part of the name is the author's.
NAMED = (
    *SETTING_FILES,
    ("mise.production.toml",),
    (".mise.ci.toml",),
    ("shop.code-workspace",),
    (".devcontainer", "api", "devcontainer.json"),
)

SHELLS = [shell for shell in ("dash", "bash", "busybox", "sh") if shutil.which(shell)]
SHOWN = 'src=${0%/*}; . "$0"; printf %s "$home"'

VARIABLES = {"KEEPSTONE_HOME": "", "XDG_DATA_HOME": "keepstone", "HOME": ".local/share/keepstone"}


def by_shell(shell, environ, folder, script=ROOT / "src/data-home.sh"):
    """The data home that the launchers see."""
    words = [shutil.which(shell), *(["ash"] if shell == "busybox" else []), "-c", SHOWN, str(script)]
    env = {"PATH": os.environ["PATH"], **environ}
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


def planted(folder):
    """A data home with all that a launcher asks for."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.chmod(0o700)
    (folder / "python").write_text("/usr/bin/python3\n")
    return folder
