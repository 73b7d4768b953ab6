"""Machines that ask a server: each with a HOME, a data home and a project of its own."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from keepstone import Memory
from keepstone.api.open import opened
from server.serving import TOKEN
from support import in_process, known_home


class Client:
    """One machine, in a folder of its own."""

    def __init__(self, root: Path, url: str, origin: str = "", **more: str) -> None:
        self.root = root
        self.folder = root / "shop"
        self.folder.mkdir(parents=True, exist_ok=True)
        if origin:
            clone(self.folder, origin)
        self.home = root / ".local" / "share" / "keepstone"
        known_home(self.home)
        self.env = {
            "HOME": str(root),
            "PATH": os.environ["PATH"],
            "KEEPSTONE_TOKEN": TOKEN,
            "KEEPSTONE_SERVER_URL": url,
        }
        self.env.update(more)
        settings = root / ".claude" / "settings.json"  # what a session takes an address from
        settings.parent.mkdir(exist_ok=True)
        settings.write_text(json.dumps({"env": {"KEEPSTONE_SERVER_URL": url}}))

    def memory(self, **more: str) -> Memory:
        return opened(str(self.folder), {**self.env, **more})

    @property
    def unsent(self) -> list[Path]:
        return sorted((self.home / "spool" / "unsent").glob("*"))

    def keepstone(self, *words: str, ok: bool = True, **more: str) -> subprocess.CompletedProcess[str]:
        done = in_process(words, {**self.env, **more}, self.folder)
        assert not ok or done.returncode == 0, done.stderr
        return done


def local(root: Path, **more: str) -> Memory:
    folder = root / "shop"
    folder.mkdir(parents=True, exist_ok=True)
    known_home(root / ".local" / "share" / "keepstone")
    return Memory(folder=str(folder), environ={"HOME": str(root), **more})


def clone(folder: Path, origin: str) -> None:
    """Makes a folder one that was cloned."""
    for name in ("objects", "refs"):
        (folder / ".git" / name).mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {origin}\n')
