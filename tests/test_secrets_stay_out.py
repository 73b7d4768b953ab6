"""No secret reaches a file of the data home, on whatever path the text comes: its bytes are searched for them."""

from __future__ import annotations

import json
import time

import pytest

import claude_mem
from builders import candidate
from keepstone import Memory
from keepstone.capture.pipeline import TranscriptCapture
from keepstone.db.migrations import run
from keepstone.db.writer import Writer
from keepstone.lib.errors import BadInput
from keepstone.lib.fuzzy import ratio
from keepstone.lib.limits import CONTENT_CHARS
from keepstone.lib.text import MASK
from keepstone.redaction.redact import redact
from keepstone.spool import spool
from secret_shapes import everything
from support import git

MADE = everything()
# of what is said to the rules: a phrasing that they keep
LEADS = ("Remember that {}", "We decided to use this: {}", "Decision: {}", "FYI the deploy needs {}", "I prefer {}")


def leaks(home, made):
    """Those of which the whole secret or half of it is in a file, in any case or as JSON has it."""
    files = {path: path.read_bytes().lower() for path in home.rglob("*") if path.is_file()}
    found = []
    for one in made:
        forms = {form.lower().encode() for piece in one.pieces for form in (piece, json.dumps(piece)[1:-1])}
        held = [path.name for path, data in files.items() if any(form in data for form in forms)]
        found += [f"{one.shape} | {one.place} | {held} | {one.text[:160]!r}"] if held else []
    return found


def assert_kept_out(home, made):
    found = leaks(home, made)
    assert len(found) <= len(made) / 100, "\n".join(found)


class Everything:
    """An extractor of our own Protocol that keeps every turn, with a title and an excerpt cut from it."""

    paid = False

    def extract(self, window):
        return [
            candidate(turn.text[:CONTENT_CHARS], record=turn.uuid, title=turn.text[:90], excerpt=turn.text)
            for turn in window.new
        ]


def say_everything(transcript, made=MADE):
    for number, one in enumerate(made):
        if number % 4 == 0:
            transcript.assistant(f"I found this: {one.text}")
        elif number % 4 == 1:
            transcript.tool("Bash", {"command": one.text, "description": one.text}, failed=number % 8 == 1)
        transcript.user(LEADS[number % len(LEADS)].format(one.text))


@pytest.mark.system
def test_what_is_captured_by_the_worker(machine, transcript):
    say_everything(transcript, MADE[::6])
    machine.hook("stop-extract", machine.event(transcript_path=str(transcript.path), last_assistant_message="x"))
    machine.hook("session-end", machine.event(transcript_path=str(transcript.path), reason="other"))
    machine.settle(120)
    assert len(machine.memories("--all")) > 30
    assert_kept_out(machine.home, MADE[::6])


@pytest.mark.system
def test_what_any_extractor_may_return(machine, transcript):
    made = MADE[1::7]  # each is kept and compared with all the others
    say_everything(transcript, made)
    run.ensure(str(machine.home / "keepstone.db"))
    writer = Writer(str(machine.home / "keepstone.db"), lambda one, other: 0.0)
    report = TranscriptCapture(writer, Everything(), redact=redact, clock=time.time)(str(transcript.path))
    assert len(report.new) > len(made)
    assert_kept_out(machine.home, made)
    writer.close()
    assert_kept_out(machine.home, made)


@pytest.mark.system
def test_what_is_stored_revised_and_spooled(machine):
    memory = Memory(str(machine.home), str(machine.project), machine.env)
    for number, one in enumerate(MADE[::36]):
        shown, _ = memory.store(f"{one.text} (number {number})")
        memory.revise(shown.memory.id, f"{MADE[number].text} (again {number})")
    for one in MADE[1::7]:
        memory.spool_store(one.text + ", as Ann said", kind="fact", relevance=0.9, tags=["ops"], user=False)
    assert_kept_out(machine.home, MADE)
    memory.maintenance.work()
    assert_kept_out(machine.home, MADE)


def test_what_the_command_is_given(machine):
    for one in MADE[::150]:
        done = machine.keepstone("store", "--tag", "ops", "--", one.text)
        assert not any(piece in done.stdout + done.stderr for piece in one.pieces)
    assert "redacted" in machine.keepstone("recent").stdout
    assert_kept_out(machine.home, MADE[::150])


@pytest.mark.system
def test_the_client_s_own_memory_files(machine, transcript):
    folder = "".join(c if c.isalnum() else "-" for c in str(machine.project))
    for number, one in enumerate(MADE[::4]):
        path = f"{machine.user_home}/.claude/projects/{folder}/memory/note-{number}.md"
        text = f"---\nname: note\ndescription: {one.text.splitlines()[0][:80]}\ntype: project\n---\n{one.text}\n"
        transcript.tool("Write", {"file_path": path, "content": text})
    machine.keepstone("capture", str(transcript.path))
    assert len(machine.memories("--all")) > 100
    # the line for the index is cut from the text: what is cut is another secret
    assert_kept_out(machine.home, MADE[::4])


def test_what_is_imported_from_other_tools(machine, tmp_path):
    made = MADE[::4]
    memory = Memory(str(machine.home), str(machine.project), machine.env)
    path = claude_mem.build(tmp_path / "claude-mem.db")
    claude_mem.session(path)
    for one in made[::3]:
        claude_mem.observation(path, title=one.text, narrative=one.text, facts=[one.text], concepts=[one.text])
    graph = [{"type": "entity", "name": "x", "entityType": one.text, "observations": [one.text]} for one in made[1::3]]
    (tmp_path / "memory.jsonl").write_text("\n".join(map(json.dumps, graph)))
    (tmp_path / "notes").mkdir()
    for number, one in enumerate(made[2::3]):
        front = f"---\ntitle: {json.dumps(one.text)}\ntags: {json.dumps([one.text])}\n---\n"
        (tmp_path / "notes" / f"{number}.md").write_text(front + one.text)
    done = [memory.transfer.take_in(str(tmp_path / name)) for name in ("claude-mem.db", "memory.jsonl", "notes")]
    assert sum(one.new for one in done) > len(made) / 3
    assert_kept_out(machine.home, made)


SAID = "Kürbis!4711"


@pytest.mark.parametrize("name", [f"pw={SAID}", f"feature/password={SAID}", f"passwort-ist-{SAID}"])
def test_a_branch_that_is_called_by_a_secret(machine, transcript, name):
    git("init", "-q", "-b", "main", cwd=machine.project)
    git("commit", "-q", "--allow-empty", "-m", "x", cwd=machine.project)
    git("checkout", "-q", "-b", name, cwd=machine.project)
    (machine.project / "app.py").write_text("def fetch_again(url):\n    ...\n")
    git("add", "app.py", cwd=machine.project)
    git("commit", "-q", "-m", "x", cwd=machine.project)
    said = "We decided to call fetch_again() in app.py for all requests, because the network is slow"
    transcript.line({"type": "user", "gitBranch": name, "message": {"role": "user", "content": said}})
    memory = Memory(str(machine.home), str(machine.project), machine.env)
    memory.capture.capture(str(transcript.path))
    memory.store("Retries go through `fetch_again` in app.py: three tries")
    memory.sessions.start_session("by-hand", name)
    memory.maintenance.verify()
    assert memory.recent() and SAID not in str(memory.sessions.session("by-hand"))
    held = [path.name for path in machine.home.rglob("*") if path.is_file() and SAID.encode() in path.read_bytes()]
    assert not held


def test_a_project_that_is_called_by_a_secret(machine):
    folder = machine.project / f"password={SAID}"
    folder.mkdir()
    Memory(str(machine.home), str(folder), machine.env).store("We always use pnpm here")
    assert machine.sql("SELECT name FROM project") == [(f"password={MASK}",)]


def test_a_tag_that_is_a_secret_is_refused(machine):
    memory = Memory(str(machine.home), str(machine.project), machine.env)
    with pytest.raises(BadInput):
        memory.store("Deploys need the VPN", tags=["ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"])
    assert_kept_out(machine.home, [])


def test_log_lines(tmp_path):
    for one in MADE:
        spool.log(str(tmp_path), "worker", f"job 1 failed: {one.text}", time.time())
    assert_kept_out(tmp_path, MADE)


@pytest.mark.parametrize("text", ["<private>all of it</private>", "<private>all of it", "  <PRIVATE>x</private> "])
def test_nothing_but_a_private_part_is_nothing_to_store(machine, text):
    memory = Memory(str(machine.home), str(machine.project), machine.env)
    with pytest.raises(BadInput):
        memory.store(text)
    with pytest.raises(BadInput):
        memory.spool_store(text, kind="fact", relevance=0.9, tags=[], user=False)
    assert ratio("a", "a") == 100 and memory.recent() == []


def test_a_private_part_stays_out_on_every_path(machine, transcript):
    text = "We decided to use tabs<private>because Zebulon said so</private>, not spaces"
    memory = Memory(str(machine.home), str(machine.project), machine.env)
    transcript.user(text)
    transcript.assistant(text)
    transcript.tool("Bash", {"command": f"echo '{text}'"})
    memory.capture.capture(str(transcript.path))
    memory.revise(memory.store(f"{text}!")[0].memory.id, f"{text} <private>Zebulon again")
    memory.spool_store(f"{text}?", kind="fact", relevance=0.9, tags=[], user=False)
    memory.maintenance.work()
    assert not any(b"zebulon" in path.read_bytes().lower() for path in machine.home.rglob("*") if path.is_file())
    assert any(shown.memory.content.startswith("We decided to use tabs, not") for shown in memory.recent())
