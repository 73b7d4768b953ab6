"""`keepstone serve`, and a client of it."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen

import httpx2

from support import Begun

TOKEN = "a-token-of-the-tests-own"


class Served:
    """A server's process with its address, its data home and the project that it was started in."""

    def __init__(self, process: Popen[str] | Begun, url: str, home: Path, project: Path) -> None:
        self.process = process
        self.url = url
        self.home = home
        self.project = project
        self.client = httpx2.Client(base_url=url, headers={"Authorization": f"Token {TOKEN}"}, timeout=30, verify=False)

    def get(self, path: str, /, **params: object) -> httpx2.Response:
        return self.client.get(path, params=params)

    def post(self, path: str, /, **body: object) -> httpx2.Response:
        return self.client.post(path, json=body)

    def store(self, text: str, kind: str = "fact", **more: object) -> str:
        """The id of a new memory."""
        answer = self.post("/api/v1/memories", narrative=text, memory_type=kind, **more)
        assert answer.status_code == 201, answer.text
        return answer.json()["memory_id"]


def environment(root: Path, **more: str) -> dict[str, str]:
    return {"HOME": str(root), "PATH": os.environ["PATH"], "KEEPSTONE_TOKEN": TOKEN, **more}


def program(words: tuple[str, ...], env: dict[str, str], folder: Path) -> Popen[str]:
    """Begins a command as a program of its own, as people do; a copy of this process is there much sooner."""
    return Popen([sys.executable, "-m", "keepstone", *words], cwd=folder, env=env, stdout=PIPE, stderr=PIPE, text=True)


@contextmanager
def serving(
    root: Path,
    *words: str,
    begin: Callable[[tuple[str, ...], dict[str, str], Path], Popen[str] | Begun] = Begun,
    **more: str,
) -> Iterator[Served]:
    project = root / "shop"
    project.mkdir(exist_ok=True)
    env = {name: value for name, value in environment(root, **more).items() if value}
    process = begin(("serve", "--port", "0", *words), env, project)
    try:
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, line + process.stderr.read()
        served = Served(process, found[0], root / ".local" / "share" / "keepstone", project)
        with served.client:
            yield served
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)
        process.stdout.close()
        process.stderr.close()
