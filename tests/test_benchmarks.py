"""Every benchmark still works: each runs once in a small size, which measures nothing and overwrites nothing."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from client.session import clients
from support import ROOT, Transcript, require

FOLDER = ROOT / "benchmarks"
# (program and its own arguments, a part of what it prints)
PROGRAMS = (
    ("run.py", "build/small/bench.json has it all"),
    ("run.py --against .", "build/small/against.json has it all"),
    ("scale_bench.py", "2,000 memories, a database of"),
    ("year_bench.py", '"proposed for pruning"'),
    ("graph_bench.py", "communities"),
    ("maintain_bench.py", '"over the caps"'),
    ("serve_bench.py", '"lost": 0'),
    ("postgres_bench.py", '"nearest"'),
    ("team_run.py", '"captures lost": 0'),
    ("recall/situations.py", '"right first"'),
    ("recall/session.py", "together"),
    ("recall/train.py", "each project judged by what the others teach"),
    ("capture/capture_bench.py", "held_out"),
    ("capture/utility.py", "held out: 3 sessions"),
    ("capture/reversals.py", "held out: 160 pairs"),
    ("capture/reversals.py --train", "pairs, "),
    ("capture/train.py", "sessions, "),
    ("capture/worker_cost.py", "the worker ran after"),
)
OF_THE_CLIENT = (("tasks_bench.py", "together"), ("first_memory.py", "recalled"))
# What `Place` starts; programs that are given something, below; and one that needs torch.
BY_HAND = {"data.py", "retrieval_system.py"} | {
    f"capture/{name}.py" for name in ("judge_train", "real", "confirmed", "model_cost")
}


def run(words: str, given: str = "") -> str:
    """Runs a benchmark in its small size; what it printed."""
    name, *more = words.split()
    command = [sys.executable, str(FOLDER / name), *more, "--small"]
    done = subprocess.run(command, cwd=ROOT, input=given, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


@pytest.fixture(autouse=True)
def kept():
    """What whole runs have written stays as it is."""
    paths = [
        *(ROOT / "docs").glob("*"),
        *(path for path in (ROOT / "build").glob("*.json") if path.name != "sbom.json"),
        *ROOT.glob("src/keepstone/*/*"),
    ]
    before = {path: path.stat().st_mtime_ns for path in paths if path.suffix in (".svg", ".md", ".json", ".py")}
    yield
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_each_program_is_run_here():
    programs = {
        str(path.relative_to(FOLDER))
        for path in FOLDER.rglob("*.py")
        if 'if __name__ == "__main__"' in path.read_text()
    }
    assert programs == {words.split()[0] for words, _ in (*PROGRAMS, *OF_THE_CLIENT)} | BY_HAND


@pytest.mark.system
@pytest.mark.parametrize(("words", "says"), PROGRAMS, ids=[words for words, _ in PROGRAMS])
def test_a_small_run_comes_to_its_end(words, says):
    assert says in run(words)


@pytest.mark.system
@pytest.mark.parametrize(("words", "says"), OF_THE_CLIENT, ids=[words for words, _ in OF_THE_CLIENT])
def test_a_small_run_with_a_real_client_comes_to_its_end(words, says):
    require("client", clients(), "make clients")
    assert says in run(words)


def test_the_retrieval_system_finds_what_it_was_given():
    docs = [{"id": "one", "text": "Deploys need the VPN"}, {"id": "two", "text": "Invoices are rounded to cents"}]
    asked = ({"op": "index", "docs": docs}, {"op": "search", "query": "how do we deploy?", "k": 1})
    lines = "".join(json.dumps(one) + "\n" for one in asked)
    command = [sys.executable, str(FOLDER / "retrieval_system.py")]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    assert list(map(json.loads, done.stdout.splitlines())) == [{"ok": True}, {"ids": ["one"]}]


def test_real_prompts_are_scored_by_what_readers_would_remember(tmp_path):
    said = {
        "p1": "We decided to use pnpm in this repo, never npm, because CI caches its store.",
        "p2": "I prefer tabs over spaces in all files, because diffs stay small.",
        "p3": "fix the failing test please",
        "p4": "the importer must never touch the billing tables",
    }
    rows = [
        {"id": name, "repo": "a" if name < "p3" else "b", "session": "s", "before": "", "prompt": text}
        for name, text in said.items()
    ]
    first = [{"id": name, "quote": said[name], "grade": 2, "memory": ""} for name in ("p1", "p4")]
    second = [{"id": name, "quote": said[name], "grade": 1, "memory": ""} for name in ("p1", "p4")]
    for name, lines in (("prompts", rows), ("labels1", first), ("labels2", second)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    command = [sys.executable, str(FOLDER / "capture" / "real.py"), str(tmp_path), "--list"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    together = next(line for line in done.stdout.splitlines() if line.endswith("together"))
    assert together.split()[:4] == ["4", "prompts", "2", "gold"] and "kept    2 precision 0.50 recall 0.50" in together
    assert any(line.startswith("wrong     p2") for line in done.stdout.splitlines())
    assert [line.split()[-1] for line in done.stdout.splitlines() if " prompts " in line] == ["a", "b", "together"]


def test_what_a_model_confirms_is_known_and_counted(tmp_path):
    said = "We usually deploy on Tuesdays, I guess"
    rows = [
        {"id": f"p{n}", "repo": "a", "session": "a", "before": "", "prompt": text}
        for n, text in enumerate((said, "go on"))
    ]
    gold = {"id": "p0", "quote": said, "grade": 2, "memory": "The shop is usually deployed on Tuesdays"}
    for name, lines in (("prompts", rows), ("labels", [gold])):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    command = [sys.executable, str(FOLDER / "capture" / "confirmed.py"), str(tmp_path)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    names, counts = told[0].split(), [int(cell) for cell in told[1].split()]
    found = dict(zip(names, counts, strict=True))
    assert 30 < found.pop("tokens") < 200
    assert found == {
        "prompts": 2,
        "gold": 1,
        "alone": 0,
        "suggested": 1,
        "known": 1,
        "confirmed": 1,
        "asked": 1,
        "later": 0,
    }
    assert [line.split()[:3] for line in told[2:5]] == [
        ["alone", "recall", "0.00"],
        ["suggested", "recall", "1.00"],
        ["known", "recall", "1.00"],
    ]


def test_what_a_model_would_take_is_told_of_a_folder_of_transcripts(tmp_path):
    for number in (1, 2):
        transcript = Transcript(tmp_path / f"{number}.jsonl", tmp_path, f"s-{number}")
        transcript.user("We decided to use pnpm in this repo, never npm, because CI caches its store. " * number)
        transcript.assistant("That makes the second build faster. " * 20)
    command = [sys.executable, str(FOLDER / "capture" / "model_cost.py"), str(tmp_path)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = {
        cells[1]: cells[2:6] for cells in ([cell.strip() for cell in line.split("|")] for line in told.splitlines()[3:])
    }
    assert told.startswith("2 sessions") and rows["calls"] == ["1", "1", "1", "2"]
    least, _, most, together = (int(cell.replace(",", "")) for cell in rows["tokens sent"])
    assert 0 < least < most and least + most == together
    assert float(rows["dollars, claude-haiku-4-5"][3]) > float(rows["dollars, claude-haiku-5-5"][3]) > 0
    empty = subprocess.run([*command[:2], str(tmp_path.parent / "none")], capture_output=True, text=True)
    assert empty.returncode == 2 and "holds no transcripts" in empty.stderr
