"""`make bench-tasks`: ten tasks of two sessions each, with and without Keepstone, in the real client. What is counted
are the mistakes that a second session repeats, the user's corrections, and the tokens of its requests.

The model is a script on loopback: it does a task the way it knows if its request tells it how, else the way that the
user had to correct in the first session. All ten first sessions come before the second ones, in one project, so the
brief has no room for all that was learned.
"""

from __future__ import annotations

import json
import sys
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from small import ROOT, sized

sys.path.insert(0, str(ROOT / "tests"))

from client.fake_anthropic import FakeApi, Request  # noqa: E402
from client.session import ClientMachine, Talk, clients, commit_checkout, version  # noqa: E402

Call = tuple[str, dict[str, Any]]
CHARS_A_TOKEN = 4


def bash(command: str) -> Call:
    return "Bash", {"command": command, "description": "the next step"}


def write(path: str, content: str) -> Call:
    return "Write", {"file_path": path, "content": content}


@dataclass(frozen=True)
class Task:
    """`first` and `second` are what the user asks for; `wrong` is what the model does that does not know, `right` what
    it does once its request holds `tells`; `attempt` is what either begins with.
    """

    name: str
    first: str
    second: str
    correction: str
    tells: str
    wrong: Call
    right: Call
    attempt: Call | None = None


TASKS = (
    Task(
        "package manager",
        "Please add the date library.",
        "Add a library for parsing CSV.",
        "We use pnpm here, never npm: CI caches its store.",
        "pnpm",
        bash("npm install library"),
        bash("pnpm add library"),
    ),
    Task(
        "how tests run",
        "Check that the basket still works.",
        "Are the tests for the coupons green?",
        "Tests only run with `make test`, never with plain pytest: they need the fixture server.",
        "make test",
        bash("pytest tests"),
        bash("make test"),
    ),
    Task(
        "branches",
        "Commit what you have and push it.",
        "Push the fix of the typo.",
        "Never push to main, always open a pull request from a branch.",
        "from a branch",
        bash("git push origin main"),
        bash("gh pr create --fill"),
    ),
    Task(
        "a migration",
        "The orders need a column for notes.",
        "The customers need a column for their birthday.",
        "Don't edit db/schema.sql by hand, it is generated: write a migration below db/migrations instead.",
        "db/migrations",
        write("db/schema.sql", "ALTER TABLE"),
        write("db/migrations/0007.sql", "ALTER TABLE"),
    ),
    Task(
        "rounding",
        "Round the totals in billing/rounding.py to cents.",
        "billing/rounding.py should also round the discounts.",
        "In billing/rounding.py we always round half-even, as the bank's statements do.",
        "half-even",
        write("billing/rounding.py", "ROUND_HALF_UP"),
        write("billing/rounding.py", "ROUND_HALF_EVEN"),
    ),
    Task(
        "database",
        "Set up a store for the invoices.",
        "Where do we keep the payment reminders? Set a store up for them.",
        "We decided to use PostgreSQL for everything, not SQLite: two services write at once.",
        "PostgreSQL",
        bash("sqlite3 store.db"),
        bash("createdb store"),
    ),
    Task(
        "a port in use",
        "Start the preview server.",
        "Start the preview server again, I want to see the footer.",
        "EADDRINUSE on port 5005 means that an old watcher holds it; the fix is `pkill -f watcher`.",
        "pkill -f watcher",
        bash("./preview --port 5006"),
        bash("pkill -f watcher; ./preview --retry"),
        attempt=bash("./preview"),
    ),
    Task(
        "deploys",
        "Bring the new header to staging.",
        "Deploy the new footer to staging.",
        "Deploys to staging always go through `make ship`, never call kubectl directly.",
        "make ship",
        bash("kubectl apply -f staging.yml"),
        bash("make ship"),
    ),
    Task(
        "a generated client",
        "The API client lacks the new endpoint.",
        "The client in src/api/client.ts needs the field for the locale.",
        "Never change src/api/client.ts by hand: it comes out of `make client`.",
        "make client",
        write("src/api/client.ts", "export const locale = 1"),
        bash("make client"),
    ),
    Task(
        "commit messages",
        "Commit the fix of the login.",
        "Commit the change of the imprint.",
        "Every commit message must begin with the ticket's number, as in SHOP-12.",
        "SHOP-12",
        bash("git commit -m 'Change it'"),
        bash("git commit -m 'SHOP-0: change it'"),
    ),
)
TOOLS = "npm pnpm pytest make git gh sqlite3 createdb kubectl pkill".split()
PREVIEW = """#!/bin/sh
[ "$1" ] && exit 0
echo 'Error: listen EADDRINUSE: address already in use 127.0.0.1:5005' >&2
exit 1
"""


class Model(FakeApi):
    """Does a task as far as it knows how; never anything twice."""

    def answer(self, request: Request) -> dict[str, Any]:
        said = {block.get("text") for message in request.body["messages"] for block in _blocks(message)}
        task = next((one for one in TASKS if {one.first, one.second} & said), None)
        if not request.is_turn or task is None:
            return {"type": "text", "text": "OK"}
        done = calls(request)
        knows = task.tells in request.text
        for call in (task.attempt, task.right if knows else task.wrong):
            if call and call[1] not in done:
                return {"type": "tool_use", "id": f"toolu_{len(self.requests)}", "name": call[0], "input": call[1]}
        return {"type": "text", "text": "Done."}


def calls(request: Request) -> list[dict[str, Any]]:
    """What the model has had done in this session."""
    blocks = [
        block for message in request.body["messages"] if message["role"] == "assistant" for block in _blocks(message)
    ]
    return [block["input"] for block in blocks if block["type"] == "tool_use"]


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


@dataclass
class Course:
    """How a session went: the mistakes the model made, the corrections the user had to say, the requests' tokens, and
    how many of these Keepstone has put there.
    """

    mistakes: int
    corrections: int
    requests: int
    tokens: int


def session(machine: ClientMachine, task: Task, prompt: str) -> Course:
    with Talk(machine) as talk:
        turns = talk.say(prompt).turns
        corrected = int(not is_done(task, turns))
        if corrected:
            turns += talk.say(task.correction).turns
    assert is_done(task, turns), task.name
    tokens = sum(len(request.text) for request in turns) // CHARS_A_TOKEN
    return Course(int(task.wrong[1] in calls(turns[-1])), corrected, len(turns), tokens)


def is_done(task: Task, turns: list[Request]) -> bool:
    return task.right[1] in calls(turns[-1])


def prepared(folder: Path, client: Path, source: Path, api: FakeApi) -> ClientMachine:
    """A machine on which every command of the tasks is there, and does nothing."""
    machine = ClientMachine(folder, client, source, api)
    tools = folder / "tools"
    tools.mkdir()
    for name in TOOLS:
        (tools / name).write_text("#!/bin/sh\nexit 0\n")
        (tools / name).chmod(0o755)
    (machine.project / "preview").write_text(PREVIEW)
    (machine.project / "preview").chmod(0o755)
    machine.env["PATH"] = f"{tools}:{machine.env['PATH']}"
    return machine


def allow(machine: ClientMachine) -> None:
    """Has the client run tools unasked, as a person who trusts the project does."""
    path = machine.user_home / ".claude" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    settings = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**settings, "permissions": {"allow": ["Bash", "Read", "Write", "Edit"]}}))


def main() -> None:
    client, tasks = clients()[-1], TASKS[: sized(len(TASKS), 1)]
    print(f"{version(client)}, second sessions, without | with Keepstone")
    print(f"{'':22}{'mistakes':>10}{'corrections':>13}{'requests':>10}{'tokens':>18}")
    found: dict[bool, list[Course]] = {}
    for remembers in (False, True):
        with tempfile.TemporaryDirectory(prefix="keepstone-tasks-") as folder, closing(Model()) as api:
            source = Path(folder, "source")
            source.mkdir()
            commit_checkout(source)
            machine = prepared(Path(folder, "machine"), client, source, api)
            if remembers:
                machine.install()
            allow(machine)
            for task in tasks:
                session(machine, task, task.first)
            found[remembers] = [session(machine, task, task.second) for task in tasks]
    for task, without, with_it in zip(tasks, found[False], found[True], strict=True):
        show(task.name, [without], [with_it])
    show("together", found[False], found[True])


def show(name: str, without: list[Course], with_it: list[Course]) -> None:
    cells = []
    for what, width in (("mistakes", 10), ("corrections", 13), ("requests", 10), ("tokens", 18)):
        one, other = (sum(getattr(course, what) for course in courses) for courses in (without, with_it))
        cells.append(f"{f'{one:,} | {other:,}':>{width}}")
    print(f"{name:22}{''.join(cells)}")


if __name__ == "__main__":
    main()
