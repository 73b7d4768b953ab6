"""`make bench-first`: seconds from `claude plugin install` in a new HOME to what a second session recalls of the first.

With the real client, the API on loopback, and the Python package index that this machine is configured for.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from small import IS_SMALL, ROOT

sys.path.insert(0, str(ROOT / "tests"))

from client.fake_anthropic import FakeApi  # noqa: E402
from client.session import ClientMachine, clients, commit_checkout, version, wait_until  # noqa: E402

STATED = "I prefer pnpm over npm: CI caches its store."
INDEX = ("PIP_", "UV_", "SSL_", "REQUESTS_")  # where this machine's package index is configured


def main() -> None:
    print(f"{'client':10}{'by':>5}{'installed':>11}{'session 1':>11}{'packages':>10}{'learned':>9}{'recalled':>10}")
    for client in clients()[-1:] if IS_SMALL else clients():
        for way in ("uv",) if IS_SMALL else ("uv", "pip"):
            with tempfile.TemporaryDirectory(prefix="keepstone-first-") as folder:
                marks = first_memory(client, Path(folder), way)
            figures = zip(marks, (11, 11, 10, 9, 10), strict=True)
            print(f"{version(client):10}{way:>5}" + "".join(f"{mark:>{width}.1f}" for mark, width in figures))


def first_memory(client: Path, folder: Path, way: str) -> list[float]:
    """Seconds since the first thing typed: plugin installed, session one over, packages there, the worker done with it,
    session two asked with the memory.
    """
    source = folder / "source"
    source.mkdir()
    commit_checkout(source)
    with closing(FakeApi()) as api:
        machine = ClientMachine(folder / "machine", client, source, api)
        for name in ("KEEPSTONE_NO_BOOTSTRAP", "HTTPS_PROXY"):
            del machine.env[name]
        machine.env |= {name: value for name, value in os.environ.items() if name.startswith(INDEX)}
        if way == "uv":
            machine.env["PATH"] = f"{ROOT / '.venv' / 'bin'}:{machine.env['PATH']}"
        began = time.monotonic()
        marks = []

        def mark() -> None:
            marks.append(time.monotonic() - began)

        machine.take_for_person()
        machine.install_plugin()
        mark()
        machine.claude("-p", STATED)
        mark()
        wait_until(lambda: has_worker(machine), lambda: machine.processes())
        mark()
        machine.wait_until_quiet()
        mark()
        second = machine.run("Which package manager is it here?")
        mark()
        assert "I prefer pnpm over npm" in second.turns[0].text
        return marks


def has_worker(machine: ClientMachine) -> bool:
    recorded = machine.home / "python"
    return recorded.exists() and recorded.read_text().splitlines()[1] != ""


if __name__ == "__main__":
    main()
