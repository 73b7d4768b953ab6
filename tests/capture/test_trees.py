"""Random conversations, by all ways to speak, rewound, forked, resumed and read in pieces: what is known in the end is
what stands on the path from each session's last leaf. The path is that of the turns as they were drawn; no record is
read for it.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest

from builders import lasting
from support import Machine, Sessions, Transcript

UNSURE = ("We usually deploy part{n} on Tuesdays, I guess", "Our deploys of part{n} go out on Fridays, I think")
STATE = """
SELECT m.content, m.kind, m.tier, m.trust, round(m.confidence, 9), e.method, e.excerpt, e.record_uuid
FROM memory m JOIN evidence e ON e.memory_id = m.id WHERE m.status = 'active'
"""
ARCHIVED = "SELECT record_uuid, speaker, answers, text, trust, said_at FROM turn"
SUGGESTED = "SELECT text, kind, state, method, excerpt, record_uuid FROM suggestion"


@dataclass
class Turn:
    """A prompt and what follows it, up to the next prompt: where it begins and ends, what is stated in it, and its
    lines.
    """

    above: Turn | None
    before: str | None
    memories: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    end: str | None = None
    lines: str = ""

    def path(self) -> list[Turn]:
        """This turn and all before it, the first one first."""
        return [*(self.above.path() if self.above else []), self]


def typed(made: Transcript, text: str) -> str:
    made.turn(f"{text}.")
    return text


def noted(made: Transcript, text: str) -> str:
    made.turn(f"# {text}")
    return text


def queued(made: Transcript, text: str) -> str:
    made.user("Go on")
    made.tool("Bash", {"command": "make test"})
    made.queue(f"{text}.")
    made.assistant("Done.")
    return text


def answered(made: Transcript, text: str) -> str:
    made.user("Go on")
    made.answer("How do we indent?", text, "As ever", "By a tool")
    made.assistant("Fine.")
    return text


def chosen(made: Transcript, text: str) -> str:
    service = text.split()[-2]
    made.user("Go on")
    made.answer(f"Which database should the {service} service use?", "PostgreSQL", "PostgreSQL", "MySQL")
    made.assistant("Fine.")
    return f"The {service} service should use PostgreSQL"


def denied(made: Transcript, text: str) -> str:
    made.user("Go on")
    made.deny("Bash", {"command": "npm ci"}, text)
    made.assistant("I see.")
    return text


def planned(made: Transcript, text: str) -> str:
    made.user("Make a plan")
    plan = f"# Plan\n\n- {text}\n"
    made.result("ExitPlanMode", {"plan": plan}, "approved", toolUseResult={"plan": plan, "isAgent": False})
    made.assistant("Done.")
    return text


WAYS: dict[str, Callable[[Transcript, str], str]] = {
    "typed": typed,
    "noted": noted,
    "queued": queued,
    "answered": answered,
    "chosen": chosen,
    "denied": denied,
    "planned": planned,
}


@dataclass
class Session:
    """A transcript as it is written, and the turn at which it stands. `starts` are the lines by which it was resumed,
    by the record that the next prompt follows.
    """

    made: Transcript
    chance: random.Random
    numbers: Iterator[int]
    turns: list[Turn] = field(default_factory=list)
    now: Turn | None = None
    begins_at: int = 0
    starts: dict[str, str] = field(default_factory=dict)

    def say(self, way: str = "", again: str = "", resumed: bool = False) -> None:
        """One more turn, by any way, after the one at which the session stands."""
        if resumed:
            begins = self.made.path.stat().st_size
            self.made.start()
            self.starts[self.made.last] = self.made.path.read_text()[begins:]
        begins = self.made.path.stat().st_size
        turn = Turn(self.now, self.made.last)
        if not again and not way and self.chance.random() < 0.2:
            unsure = self.chance.choice(UNSURE).format(n=next(self.numbers))
            self.made.turn(f"{unsure}.")
            turn.suggestions = (unsure,)
        else:
            text = again or lasting(next(self.numbers))
            turn.memories = (WAYS[way or ("typed" if again else self.chance.choice(list(WAYS)))](self.made, text),)
        self._happen()
        turn.end, turn.lines = self.made.last, self.made.path.read_text()[begins:]
        self.turns.append(turn)
        self.now = turn

    def _happen(self) -> None:
        """What else may stand in a turn, and must not be taken for a branch."""
        happens = (
            lambda: self.made.side_by_side("git status", "git diff", "ls src"),
            self.made.compact,
            lambda: self.made.line({"type": "assistant", "isSidechain": True, "message": {"content": []}}),
            lambda: self.made.tool("Bash", {"command": "ls"}),
            lambda: None,
            lambda: None,
        )
        self.chance.choice(happens)()

    def rewind(self) -> None:
        """Takes a prompt of the conversation back with all that followed, and sends another one, or the same again."""
        taken = self.chance.choice(self.now.path()[-3:])
        self.made.last, self.now = taken.before, taken.above
        texts = [text for text in taken.memories if text.startswith(lasting(0)[:8])]
        self.say(again=texts[0] if texts and self.chance.random() < 0.3 else "")

    def leave(self) -> None:
        """Takes a prompt back, and says nothing more for now."""
        taken = self.now.path()[-1]
        if taken.above is None:
            self.say()
        else:
            self.made.parents["left"] = taken.before
            self.made.leave("left")
            self.now = taken.above

    def come_back(self) -> None:
        """Goes on from the end of a branch that was left."""
        turn = self.chance.choice(self.turns)
        self.made.last, self.now = turn.end, turn
        self.say()

    def resume(self) -> None:
        """What the client writes when a session is resumed, and what is said then."""
        self.say(resumed=True)

    def fork(self, name: str) -> Session:
        """Another session that goes on from somewhere on the path, with the records up to there."""
        turn = self.chance.choice(self.now.path())
        said = "".join(self.starts.get(one.before, "") + one.lines for one in turn.path())
        text = self.made.path.read_text()[: self.begins_at] + said
        path = self.made.path.parent / f"{name}.jsonl"
        made = Transcript(path, self.made.cwd, name, self.made.day, linked=True)
        path.write_text(re.sub(r'"sessionId": "[^"]*"', f'"sessionId": "{name}"', text))
        made.parents, made.last = dict(self.made.parents), turn.end
        other = Session(made, self.chance, self.numbers, turn.path(), turn, self.begins_at, dict(self.starts))
        other.say()
        return other


def begun(folder: Path, chance: random.Random, with_hook: bool) -> Session:
    """A new session. Without a hook before it, its first prompt follows nothing."""
    made = Transcript(folder / "session-1.jsonl", folder, linked=True)
    if with_hook:
        made.start()
    return Session(made, chance, count(), begins_at=made.path.stat().st_size)


def drawn(folder: Path, seed: int, steps: int) -> Iterator[list[Session]]:
    """The sessions of a random history, after each step; the last one of them is the one that has changed."""
    chance = random.Random(seed)
    sessions = [begun(folder, chance, with_hook=bool(seed % 2))]
    ways = chance.sample(list(WAYS), len(WAYS))
    for step in range(steps):
        one = sessions.pop(chance.randrange(len(sessions)))
        sessions.append(one)
        drawn_at = chance.random()
        if len(one.turns) < 2 or step < len(ways):
            one.say(ways[step % len(ways)])
        elif drawn_at < 0.35:
            one.say()
        elif drawn_at < 0.6:
            one.rewind()
        elif drawn_at < 0.7:
            one.leave()
        elif drawn_at < 0.8:
            one.come_back()
        elif drawn_at < 0.85 or len(sessions) > 2:
            one.resume()
        else:
            sessions.append(one.fork(f"session-{len(sessions) + 1}"))
        yield sessions


def standing(turns: list[Turn]) -> tuple[set[str], set[str]]:
    """What stands on the paths to some turns: memories, and suggestions."""
    on_path = [turn for last in turns for turn in last.path()]
    memories = {text for turn in on_path for text in turn.memories}
    return memories, {text for turn in on_path for text in turn.suggestions}


def held(sessions: Sessions) -> tuple[set[str], set[str]]:
    """What is known, and what waits."""
    active = sessions.machine.sql("SELECT content FROM memory WHERE status = 'active'")
    waits = sessions.machine.sql("SELECT text FROM suggestion WHERE state = 'waiting'")
    return {str(text) for (text,) in active}, {str(text) for (text,) in waits}


def rows(sessions: Sessions) -> tuple[Counter[tuple[object, ...]], ...]:
    waiting = SUGGESTED + " WHERE state = 'waiting'"
    return tuple(Counter(sessions.machine.sql(query)) for query in (STATE, waiting, ARCHIVED))


def read_piece(sessions: Sessions, path: Path, known: int, chance: random.Random) -> int:
    """Reads a transcript of which the client has written only a part so far, perhaps half a line; its size then. It
    has been read before up to the size `known`.
    """
    whole = path.read_bytes()
    size = chance.randint(min(known, len(whole)), len(whole))
    path.write_bytes(whole[:size])
    sessions.memory.capture.capture(str(path))
    path.write_bytes(whole)
    return size


def archiving(root: Path) -> Sessions:
    machine = Machine(root)
    machine.env["KEEPSTONE_ARCHIVE_DAYS"] = "365"
    return Sessions(machine)


@pytest.mark.parametrize("seed", [*range(20), 49, 100, 140, 230, 333])
def test_what_stands_on_the_paths_to_the_last_leaves_is_known(tmp_path, seed):
    chance = random.Random(seed)
    often, once = archiving(tmp_path / "often"), archiving(tmp_path / "once")
    history: list[Session] = []
    unread: dict[str, Path] = {}
    sizes: dict[Path, int] = {}
    for history in drawn(tmp_path / "said", seed, 22):
        path = history[-1].made.path
        unread[history[-1].made.session] = path
        if chance.random() < 0.3:
            sizes[path] = read_piece(often, path, sizes.get(path, 0), chance)
        if chance.random() < 0.5:
            for path in chance.sample(list(unread.values()), len(unread)):
                often.memory.capture.capture(str(path))
                sizes[path] = path.stat().st_size
            unread = {}
            assert held(often) == standing([one.now for one in history])
    for path in [*unread.values(), *unread.values()]:
        often.memory.capture.capture(str(path))
    before = rows(often)
    for one in history:
        often.memory.capture.capture(str(one.made.path))
    assert rows(often) == before, "the same bytes again"
    for one in sorted(history, key=lambda one: one.made.session):
        once.memory.capture.capture(str(one.made.path))
    assert held(often) == held(once) == standing([one.now for one in history])
    assert rows(often) == rows(once) and rows(once)[2]
