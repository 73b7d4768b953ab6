"""Many processes on one store at once: writers, readers, a worker, some of them killed, a repair beneath them."""

from __future__ import annotations

import os
import signal
import time
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from keepstone import Memory
from keepstone.lib.errors import StoreError
from support import Machine, copied

from .result import Result
from .scenarios import WORK, corruption, damage, every_event, heard, lived, run_hook, unheard

PROCESSES, WRITES = 16, 1_000
KILLED = 4  # so many of the writers are, where some are
RATED = "rated"
PAUSE = 0.5  # seconds between the doings of those beside the writers: these are to come to something
WITHIN = 3_600  # seconds after which a crowd hangs


class Crowd:
    """A machine with processes that do something and then end; what each has done for sure is a line of its file."""

    def __init__(self, root: Path) -> None:
        self.machine = Machine(root)
        lived(self.machine)
        cap = str(2 * PROCESSES * WRITES)  # else it is full of a person's own
        self.machine.keepstone("config", "tier.episodic.cap", cap)
        self.machine.record_interpreters(idle=True)  # the worker here is one of the crowd
        self.done = root / "done"
        self.done.mkdir()
        self.rated = next(str(row["id"]) for row in self.machine.memories() if "atlas" in str(row["content"]))

    def memory(self) -> Memory:
        return Memory(str(self.machine.home), str(self.machine.project), self.machine.env)

    def start(self, name: str, act: Callable[[Callable[[str], None]], None]) -> int:
        """Begins a process; `act` is given what notes that something is done."""
        pid = os.fork()
        if pid:
            return pid
        code = 1
        try:
            signal.signal(signal.SIGALRM, signal.default_int_handler)  # so that the file tells where it hangs
            signal.alarm(WITHIN)
            with open(self.done / name, "a", buffering=1, encoding="utf-8") as file:
                act(lambda line: print(line, file=file))
            code = 0
        except BaseException:  # noqa: BLE001  told by its file; nothing of the copy may go on as the campaign
            (self.done / f"problem-{name}").write_text(traceback.format_exc())
        finally:
            os._exit(code)

    def lines(self, pattern: str) -> list[str]:
        return [line for path in sorted(self.done.glob(pattern)) for line in path.read_text().splitlines()]

    def problems(self) -> list[str]:
        return [f"{path.name}: {path.read_text().strip()[-400:]}" for path in sorted(self.done.glob("problem-*"))]

    def write(self, number: int, writes: int, note: Callable[[str], None]) -> None:
        """Stores and rates; each of it noted when it is done. One in ten is a fact: that is compared with
        others, a hundred at most, which takes longer than all else.
        """
        memory = self.memory()
        for count in range(writes):
            if count % 5 == 4:
                _again(lambda: memory.rate(self.rated, "up"))
                note(RATED)
            else:
                text = (
                    f"The {_word(number * writes + count)} service, one of {_word(number)}, answers on port {count:,}"
                )
                kind = "fact" if count % 10 == 0 else "solution"
                _again(lambda text=text, kind=kind: memory.store(text, kind=kind))
                note(text)

    def read(self, note: Callable[[str], None]) -> None:
        memory = self.memory()
        while not (self.done / "end").exists():
            memory.search("service answers")
            memory.recent(limit=20)
            note("read")
            time.sleep(PAUSE)

    def work(self, note: Callable[[str], None]) -> None:
        while not (self.done / "end").exists():
            self.memory().maintenance.work(wait=True)
            note("worked")
            time.sleep(PAUSE)

    def hear(self) -> None:
        """Hooks accept a session."""
        for event, said in every_event(self.machine, heard(self.machine)):
            done = copied(lambda event=event, said=said: run_hook(event, said), self.machine.env, self.machine.project)
            assert not done.returncode and not done.stderr, done.stderr

    def look(self, made: Result, killed: int) -> Result:
        """Everything that was noted is there, and besides at most what each of the killed was just about to note."""
        self.machine.keepstone(*WORK)
        noted = self.lines("writer-*")
        stored, rated = {line for line in noted if line != RATED}, noted.count(RATED)
        there = {
            str(row[0]) for row in self.machine.sql("SELECT content FROM memory WHERE content LIKE '%answers on%'")
        }
        votes = int(str(self.machine.sql(f"SELECT up_votes FROM memory WHERE id = '{self.rated}'")[0][0]))
        made.done = len(noted)
        made.lost += sorted(stored - there)[:10] + unheard(self.machine)
        made.lost += [f"{rated} votes noted, {votes} counted"] * (votes < rated)
        if len(there - stored) + votes - rated > killed:
            made.corrupt.append(f"{len(there - stored)} memories and {votes - rated} votes too many")
        made.unclear += self.problems()
        made.corrupt += corruption(self.machine)
        return made


def crowd(writers: int, writes: int, kills: bool, root: Path) -> Result:
    """Writers, two that read, one that works, and a session that hooks tell of."""
    made = Result(f"{writers} processes", f"x {writes:,} writes, kill -9" if kills else f"x {writes:,} writes")
    made.steps = writers * writes
    all_of_it = Crowd(root)
    ends = [all_of_it.start(f"reader-{number}", all_of_it.read) for number in range(2)]
    ends.append(all_of_it.start("worker", all_of_it.work))
    pids = [
        all_of_it.start(f"writer-{number}", partial(all_of_it.write, number + 1, writes)) for number in range(writers)
    ]
    all_of_it.hear()
    killed = _kill(all_of_it, pids, writes // 2) if kills else 0
    _wait(all_of_it, pids, ends)
    return all_of_it.look(made, killed)


def repaired(writers: int, writes: int, root: Path) -> Result:
    """A database that is damaged where nobody writes is repaired beneath its writers, again and again."""
    made = Result(f"{writers} processes", "a repair beneath them")
    made.steps = writers * writes
    all_of_it = Crowd(root)
    damage(all_of_it.machine.home / "keepstone.db", "observation_age")
    pids = [
        all_of_it.start(f"writer-{number}", partial(all_of_it.write, number + 1, writes)) for number in range(writers)
    ]
    while len(all_of_it.lines("writer-*")) < made.steps // 2 and not all_of_it.problems():
        done = all_of_it.machine.keepstone("doctor", "--repair", ok=False)
        if "Error" in done.stderr or "Traceback" in done.stderr:
            made.unclear.append(f"repair: {done.stderr[-300:]}")
    all_of_it.hear()
    _wait(all_of_it, pids, [])
    return all_of_it.look(made, 0)


def _kill(crowd: Crowd, pids: Sequence[int], after: int) -> int:
    """Kills some of the writers in the middle of what they do, each when it has noted so much itself."""
    chosen = range(0, len(pids), len(pids) // KILLED)
    for number in chosen:
        while len(crowd.lines(f"writer-{number}")) < after and not crowd.problems():
            time.sleep(0.01)
        os.kill(pids[number], signal.SIGKILL)
    return len(chosen)


def _wait(crowd: Crowd, pids: Sequence[int], ends: Sequence[int]) -> None:
    for pid in pids:
        os.waitpid(pid, 0)
    (crowd.done / "end").touch()
    for pid in ends:
        os.waitpid(pid, 0)


def _again(act: Callable[[], object]) -> None:
    """Does something; what is refused because others write all the time is tried again, as its error says."""
    while True:
        try:
            act()
            return
        except StoreError as problem:
            if problem.hint != "try again":
                raise


def _word(number: int) -> str:
    """A number in letters: figures that differ keep texts apart, and so do words."""
    return "".join("bcdfghjkmnpqrstvwxz"[int(digit, 16) % 16] + "aeio"[int(digit, 16) % 4] for digit in f"{number:x}")
