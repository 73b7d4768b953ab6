"""`make bench-year`: a year of use in a store whose clock is turned, with the real jobs; two plots go to docs/.

    python benchmarks/year_bench.py

Twenty sessions a week state ten memories each, half of them lasting knowledge and half episodes, and fetch what they
need: one memory in ten is of that sort, the others are never asked for again. One in a hundred is a person's own, one
in two hundred is pinned. The jobs run once a day. Two caps are set so low that they bite.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pygal
from place import check
from pygal.style import CleanStyle
from small import PLOTS, RESULTS, sized

from data import DAY, NOW, sentence
from keepstone import Memory
from keepstone.db import sessions
from keepstone.db.writer import Writer
from keepstone.lib.fuzzy import ratio
from keepstone.lifecycle import add_sql
from keepstone.lifecycle.add_sql import Origin
from keepstone.model.candidate import Candidate
from keepstone.model.filter import Filter
from keepstone.model.policies import Policies
from keepstone.model.tiers import default_tiers

WEEKS, DAYS, SESSIONS, STATED, FETCHED = sized(52, 2), 7, sized(20, 7), 10, 12
EARLY_WEEKS = sized(8, 1)  # whose knowledge is followed
CAPS = {"episodic": sized(300, 30), "semantic": sized(2_000, 60)}
KINDS = (("decision", 0.8), ("fact", 0.8), ("fact", 0.6), ("general", 0.6))  # with a confidence: lasting or not
NEEDED, OWN, PINNED, RATED = 10, sized(100, 10), sized(200, 10), 10  # one in so many
RETENTION = "90"  # days: what is older and unused is proposed for pruning at the end
RESULT = RESULTS / "year.json"


@dataclass(slots=True)
class Year:
    """What was stated, by what is to become of it (ids), and what was seen week by week."""

    memory: Memory
    now: float = NOW
    needed: list[str] = field(default_factory=list)
    idle: list[str] = field(default_factory=list)
    pinned: list[str] = field(default_factory=list)
    own: list[str] = field(default_factory=list)
    followed: dict[str, list[str]] = field(default_factory=dict)
    worth: dict[str, list[float]] = field(default_factory=dict)
    active: dict[str, list[int]] = field(default_factory=dict)
    stated: int = 0


def live(year: Year, path: str, policies: Policies, chance: random.Random) -> None:
    for week in range(WEEKS):
        for day in range(DAYS):
            with closing(Writer(path, ratio)) as writer:
                writer.policies = policies
                with writer.transaction() as tx:
                    project = sessions.project(tx, year.memory.context.caller.identity, "", year.now)
                for number in range(SESSIONS * (day + 1) // DAYS - SESSIONS * day // DAYS):
                    learn(year, writer, project, f"session-{week}-{day}-{number}", chance)
            fetch(year, chance)
            year.now += DAY
            for job in year.memory.maintenance.maintain():
                check(not job.problem, f"{job.name}: {job.problem}")
        if week + 1 == EARLY_WEEKS:
            year.followed = {"fetched": list(year.needed), "never fetched": list(year.idle), "pinned": year.pinned[:]}
        look(year)


def learn(year: Year, writer: Writer, project: str, session: str, chance: random.Random) -> None:
    """A session's memories, stated as a worker does and as a person does."""
    for _ in range(STATED):
        kind, confidence = chance.choice(KINDS)
        text = sentence(chance, "summary" if kind == "general" else kind)
        own, needed = chance.random() < 1 / OWN, chance.random() < 1 / NEEDED
        record = f"record-{year.stated}"
        made = Candidate(kind, text, chance.uniform(0.5, 0.95), record, text, "assistant", confidence)
        origin = Origin("manual" if own else "hook", project, session)
        with writer.transaction() as tx:
            memory_id, is_new = add_sql.store(tx, origin, made, (), record, year.now)
        year.stated += is_new
        if own:
            year.own.append(memory_id)
        elif chance.random() < 1 / PINNED:
            year.memory.pin(memory_id)
            year.pinned.append(memory_id)
        elif confidence >= 0.7:
            (year.needed if needed else year.idle).append(memory_id)


def fetch(year: Year, chance: random.Random) -> None:
    """What a day's sessions need: fetched, and now and then rated up."""
    for memory_id in chance.sample(year.needed, min(len(year.needed), SESSIONS * FETCHED // DAYS)):
        year.memory.show(memory_id)
        if chance.random() < 1 / RATED:
            year.memory.rate(memory_id, "up")


def look(year: Year) -> None:
    held = {memory.id: memory for memory in year.memory.lifecycle.selected(everything=True, narrow=Filter())}
    for name, policy in year.memory.context.policies.tiers.items():
        count = sum(memory.tier == name for memory in held.values())
        check(count <= policy.cap, f"the {name} tier holds {count}, its cap is {policy.cap}")
        year.active.setdefault(name, []).append(count)
    for what, ids in ("pinned", year.pinned), ("a person's own", year.own):
        check(all(memory_id in held for memory_id in ids), f"something {what} was lost")
    weigh = year.memory.context.policies.importance
    for name, ids in year.followed.items():
        worth = [weigh(held[memory_id], year.now) if memory_id in held else 0.0 for memory_id in ids]
        year.worth.setdefault(name, []).append(round(statistics.mean(worth), 3))
        year.worth.setdefault(f"{name}, kept", []).append(round(sum(map(bool, worth)) / len(worth), 3))


def report(year: Year, seconds: float) -> dict[str, object]:
    memory = year.memory
    prunable = {one for proposal in memory.review.review() if proposal.kind == "prune" for one in proposal.members}
    brief = memory.brief()
    return {
        "stated": year.stated,
        "seconds": round(seconds),
        "database_mb": round(Path(memory.context.database).stat().st_size / 1e6, 1),
        "active": {name: counts[-1] for name, counts in year.active.items()},
        "most": {name: max(counts) for name, counts in year.active.items()},
        "followed": {name: len(ids) for name, ids in year.followed.items()},
        "worth": {name: values[-1] for name, values in year.worth.items()},
        "proposed for pruning": len(prunable),
        "of these fetched or pinned": len(prunable & {*year.needed, *year.pinned}),
        "brief": {"shown": len(brief.ids), "pinned": len(set(brief.ids) & set(year.pinned))},
        "weeks": {"worth": year.worth, "active": year.active},
    }


def plot(year: Year) -> None:
    weeks = [str(week + 1) if week % 4 == 3 else "" for week in range(WEEKS)]
    shape = {"style": CleanStyle(background="white", plot_background="white"), "js": (), "width": 900, "height": 380}
    shape |= {"x_title": "week", "show_dots": False, "legend_at_bottom": True, "disable_xml_declaration": True}
    worth = pygal.Line(
        title=f"Mean importance of what was learned in the first {EARLY_WEEKS} weeks; 0 once gone", **shape
    )
    held = pygal.Line(title=f"Active memories, of {year.stated:,} stated", **shape)
    for chart in (worth, held):
        chart.x_labels = weeks
    for name in year.followed:
        worth.add(name, [None] * (EARLY_WEEKS - 1) + year.worth[name])
    for name in ("episodic", "semantic"):
        held.add(name, year.active[name])
        held.add(f"{name}: the cap", [CAPS[name]] * WEEKS, stroke_style={"dasharray": "4, 6"})
    for name, chart in ("year-worth", worth), ("year-tiers", held):
        (PLOTS / f"{name}.svg").write_text(chart.render(is_unicode=True) + "\n")


def main() -> None:
    policies = Policies(default_tiers())
    for name, cap in CAPS.items():
        policies.tiers[name].cap = cap
    with tempfile.TemporaryDirectory(prefix="keepstone-year-") as folder:
        home, project = Path(folder, "home"), Path(folder, "shop")
        project.mkdir()
        environ = {"HOME": folder, "KEEPSTONE_HOME": str(home), "PATH": "", "KEEPSTONE_RETENTION_DAYS": RETENTION}
        year = Year(Memory(str(home), str(project), environ, lambda: year.now, policies))
        year.memory.store("Commit messages are in the imperative", kind="preference")
        began = time.monotonic()
        live(year, year.memory.context.database, policies, random.Random(1))
        found = report(year, time.monotonic() - began)
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    plot(year)
    RESULT.write_text(json.dumps(found, indent=2) + "\n")
    del found["weeks"]
    json.dump(found, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
