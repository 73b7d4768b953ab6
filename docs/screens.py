"""Makes the pictures of the README: the real commands on a terminal of their own, over a store made a year ago.

python docs/screens.py
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from keepstone import Memory
from keepstone.model.tiers import DAY

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from support import PTY  # noqa: E402  the same terminal that the tests type on

HERE = Path(__file__).resolve().parent
COLUMNS = 100
# The font's address would be fetched by whoever looks at the picture.
FORMAT = (
    CONSOLE_SVG_FORMAT[: CONSOLE_SVG_FORMAT.index("@font-face")]
    + CONSOLE_SVG_FORMAT[CONSOLE_SVG_FORMAT.index(".{unique_id}-matrix") :]
)
OLD = (
    ("The staging host is called atlas", "fact", 0.4),
    ("Nightly exports go to the old bucket in Dublin", "fact", 0.3),
)
HABIT = "Run `make ship` only after `make check` has passed on the same commit"


def world(root: Path) -> tuple[dict[str, str], str]:
    """A data home with a year behind it: what is needed to see it, and the id of a memory that was used."""
    project = root / "shop"
    project.mkdir()
    environ = {"HOME": str(root), "KEEPSTONE_HOME": str(root / "home"), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    now = [time.time() - 400 * DAY]
    memory = Memory(environ["KEEPSTONE_HOME"], str(project), environ, lambda: now[0])
    for text, kind, relevance in OLD:
        memory.store(text, kind=kind, relevance=relevance)
    now[0] += 330 * DAY
    hit, _ = memory.store("PostgreSQL, not MySQL, for billing: row-level security", kind="decision")
    for number in range(3):
        within = {**environ, "KEEPSTONE_SESSION_ID": f"s-{number}"}
        session = Memory(environ["KEEPSTONE_HOME"], str(project), within, memory.context.clock)
        session.store(HABIT, kind="pattern")
        now[0] += 7 * DAY
    memory.search("billing database")
    memory.rate(hit.memory.id, "up", "it settled the discussion")
    return environ, hit.short_id


def shot(name: str, words: list[str], answers: list[str], environ: dict[str, str], folder: Path) -> None:
    """A picture of a command and what it prints."""
    argv = [sys.executable, "-c", PTY, str(COLUMNS), json.dumps(answers), sys.executable, "-m", "keepstone", *words]
    env = {**environ, "TERM": "xterm-256color", "COLUMNS": str(COLUMNS)}
    done = subprocess.run(argv, env=env, cwd=folder, capture_output=True, text=True, check=True)
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"), force_terminal=True)  # noqa: SIM115
    console.print(Text.from_ansi(f"$ keepstone {' '.join(words)}\n" + done.stdout.replace("\r\n", "\n")))
    svg = console.export_svg(title="keepstone", theme=MONOKAI, code_format=FORMAT, unique_id=name)
    (HERE / f"{name}.svg").write_text(svg + "\n")


def main() -> None:
    with tempfile.TemporaryDirectory() as made:
        environ, used = world(Path(made))
        folder = Path(made) / "shop"
        shot("why", ["why", used], [], environ, folder)
        shot("review", ["review"], ["y", "y", "s"], environ, folder)


if __name__ == "__main__":
    main()
