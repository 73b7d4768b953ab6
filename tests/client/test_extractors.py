"""Extraction by a model: the real SDK and the real client against a scripted API, with rows and ledger checked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import closing

import pytest

from client.extraction_api import ExtractionApi, Reply, conversation, item, known
from client.session import KEY, ClientMachine, clients
from keepstone.capture.budget import BudgetAccount, Caps
from keepstone.capture.budget_sql import BudgetLedger
from keepstone.capture.extractors.anthropic_sdk import Sdk
from keepstone.capture.extractors.claude_cli import ClaudeCli
from keepstone.capture.extractors.model_client import Failed, Request
from keepstone.capture.extractors.model_extractor import Model
from keepstone.capture.pipeline import TranscriptCapture
from keepstone.config.provenance import nested_key
from keepstone.db.migrations import run
from keepstone.db.writer import Writer
from keepstone.lib.fuzzy import ratio
from keepstone.redaction.redact import redact
from support import Machine, Transcript, require

pytestmark = pytest.mark.system

CAPS = Caps(100, 500_000)
FILLER = " It was a long way to this, and much was tried on it before it held." * 60  # two such turns overfill a window
DECIDED = "We decided to use PostgreSQL for billing, not MySQL."  # a sentence that the rules keep too
RULED = f"{DECIDED} Here is why: row-level security"  # what a model returns here ends with a full stop
SECRET = "sk-ant-api03-" + "Zx9Qw7Er5Ty3" * 4


@pytest.fixture
def api():
    with closing(ExtractionApi()) as made:
        yield made


@pytest.fixture
def keyed(api, monkeypatch):
    """This process's environment as the SDK reads it."""
    for name in [name for name in os.environ if name.startswith(("ANTHROPIC_", "CLAUDE")) or "proxy" in name.lower()]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


class Place:
    """A database, a transcript and an extractor that waits for nothing."""

    def __init__(self, root, connect, extractor="anthropic", model="claude-haiku-4-5"):
        self.path = str(root / "keepstone.db")
        run.ensure(self.path)
        self.writer = Writer(self.path, ratio)
        (root / "shop").mkdir()
        self.transcript = Transcript(root / "t" / "session-1.jsonl", root / "shop")
        self.connect = connect
        self.account = BudgetAccount(extractor, model)
        self.waits = []

    def capture(self, caps=CAPS, **more):
        budget = BudgetLedger(self.writer)
        model = Model(self.account, self.connect, budget, caps, redact=redact, sleep=self.waits.append)
        return TranscriptCapture(self.writer, model, redact=redact, clock=time.time)(str(self.transcript.path), **more)

    def rows(self, sql="SELECT content FROM memory ORDER BY seq"):
        with closing(run.sqlite3.connect(self.path)) as database:
            return database.execute(sql).fetchall()

    @property
    def learned(self):
        return [row[0] for row in self.rows()]

    @property
    def used(self):
        """(calls, input tokens, output tokens, calls of unknown cost, failures) of the ledger."""
        return self.rows("SELECT calls, input_tokens, output_tokens, uncosted, failures FROM usage")[0]

    @property
    def problem(self):
        return self.rows("SELECT problem FROM usage")[0][0]


@pytest.fixture(scope="module")
def oldest_and_newest():
    found = clients()
    require("client", found, "make clients")
    return found[0], found[-1]


@pytest.fixture
def sdk_place(tmp_path, keyed):
    place = Place(tmp_path, lambda: Sdk("claude-haiku-4-5", timeout=1.0))
    yield place
    place.writer.close()


@pytest.fixture
def cli_place(tmp_path, api, oldest_and_newest):
    machine = Machine(tmp_path / "machine")
    environ = machine.env | {
        "ANTHROPIC_BASE_URL": api.url,
        "ANTHROPIC_API_KEY": KEY,
        "PATH": f"{oldest_and_newest[1].parent}:{machine.env['PATH']}",
        "NO_PROXY": "127.0.0.1",
        "HTTPS_PROXY": "http://127.0.0.1:9",
    }
    place = Place(tmp_path, lambda: ClaudeCli("haiku", environ, str(tmp_path), timeout=2.0), "claude-cli", "haiku")
    yield place
    place.writer.close()


@pytest.fixture(params=["sdk_place", "cli_place"], ids=["anthropic", "claude-cli"])
def place(request):
    return request.getfixturevalue(request.param)


# What a reply comes to, for either extractor: how many requests, who did the window, and what the ledger says.


@pytest.mark.parametrize(
    ("script", "requests", "by_model", "problem"),
    [
        pytest.param([Reply()], 1, True, None, id="200"),
        pytest.param([Reply(429, {"retry-after": "7"}), Reply()], 2, True, "429", id="429"),
        pytest.param([Reply(529), Reply()], 2, True, "529", id="529"),
        pytest.param([Reply(500)] * 3, 3, False, "500", id="500"),
        pytest.param([Reply(cut=True), Reply()], 2, True, "", id="cut"),
        pytest.param([Reply(body=b"<html>")] * 3, 3, False, "", id="no-json"),
        pytest.param([Reply(hangs=True), Reply()], 2, True, "", id="hang"),
        pytest.param([Reply(text="I would rather chat.")], 1, False, "not what was asked for", id="prose"),
        pytest.param([Reply(answer={"memories": "none"})], 1, False, "not what was asked for", id="types"),
        pytest.param([Reply(answer={"memories": [{"type": 7}]})], 1, False, "no item", id="no-good-item"),
        pytest.param([Reply(stop="max_tokens")], 1, False, "max_tokens", id="max-tokens"),
        pytest.param([Reply(text="No.", stop="refusal")], 1, False, "", id="refusal"),
        pytest.param([Reply(400)], 1, False, "400", id="400"),
        pytest.param([Reply(401)], 1, False, "401", id="401"),
    ],
)
def test_a_window_is_done_whatever_comes_back(place, api, script, requests, by_model, problem):
    api.script += script
    place.transcript.user(f"{DECIDED} Here is why: row-level security.")
    place.capture()
    assert len(api.extractions) == requests
    assert place.learned == ([f"{DECIDED} Here is why: row-level security."] if by_model else [RULED])
    calls, _, _, uncosted, failures = place.used
    assert calls == requests
    assert failures == requests - by_model
    assert (place.problem is None) if problem is None else problem in place.problem
    before = place.learned
    place.capture()
    assert (place.learned, len(api.extractions)) == (before, requests)


def test_the_ledger_holds_what_the_api_reports(place, api):
    place.transcript.user(f"{DECIDED} Here is why: row-level security.")
    place.capture()
    assert place.used == (1, 1_000, 7, 0, 0)
    ((cost,),) = place.rows("SELECT cost_usd FROM usage")
    assert 0.0001 <= cost <= 0.00104  # a thousand tokens of a Haiku


def test_a_refused_request_costs_nothing_and_an_unanswered_one_its_estimate(place, api):
    api.script += [Reply(529), Reply(cut=True), Reply(500)]
    place.transcript.user(f"{DECIDED} Here is why: row-level security.")
    place.capture()
    calls, sent, received, uncosted, failures = place.used
    assert (calls, uncosted, failures) == (3, 1, 3)
    assert 500 < sent < 5_000 and received == 2_000


def test_a_server_is_left_alone_as_long_as_it_asks(sdk_place, api):
    api.script += [Reply(429, {"retry-after": "7"}), Reply(529), Reply()]
    sdk_place.transcript.user(f"{DECIDED} Here is why: row-level security.")
    sdk_place.capture()
    assert sdk_place.waits == [7.0, 4.0]


def test_one_that_asks_for_too_long_is_not_asked_again_in_this_run(sdk_place, api):
    api.script += [Reply(429, {"retry-after": "3600"})]
    for number in range(3):
        sdk_place.transcript.user(f"We decided on plan {number}.{FILLER}")
    sdk_place.capture()
    assert len(api.extractions) == 1 and sdk_place.waits == []


def test_after_a_window_failed_for_good_the_rules_do_the_rest_of_the_run(place, api):
    api.script += [Reply(401)]
    written = [f"We decided to use tool{number} for job{number}, not make." for number in "abcd"]
    for text in written:
        place.transcript.user(text + FILLER)
    place.capture()
    assert len(api.extractions) == 1
    assert place.learned == []  # a text that long is a document to the rules
    place.transcript.user(DECIDED + " " * 50)
    place.capture()
    assert len(api.extractions) == 2  # the next run asks again
    assert len(place.learned) == 1


def test_a_bad_answer_costs_only_its_own_window(place, api):
    api.script += [Reply(text="no"), Reply()]
    for number in range(2):
        place.transcript.user(f"Number {number} it is.{FILLER}")
    place.capture()
    assert len(api.extractions) == 2
    assert [text[:12] for text in place.learned] == ["Number 1 it "]


def test_good_items_of_an_answer_are_kept_and_bad_ones_dropped(place, api):
    place.transcript.user(f"{DECIDED} Here is why: row-level security.")
    bad = [item(7), item("x", "one"), item("y", 9), {"type": "fact"}, item("z", type="magic"), {}]
    bad += [item("Billing runs on Oracle"), item("Nobody uses MySQL", quote="nobody uses MySQL for billing")]
    good = item("Billing runs on PostgreSQL", type="decision", quote="use PostgreSQL for billing")
    api.script.append(Reply(answer={"memories": [*bad, good]}))
    place.capture()
    assert place.rows("SELECT content, kind, scope, origin FROM memory") == [
        ("Billing runs on PostgreSQL", "decision", "project", "hook")
    ]
    assert place.rows("SELECT excerpt, method FROM evidence") == [
        (f"{DECIDED} Here is why: row-level security.", "user")
    ]


def test_what_the_assistant_found_is_episodic_and_tools_give_no_memory(place, api):
    place.transcript.tool("Bash", {"command": "make migrate"})
    place.transcript.assistant("The registry answers on port 5001 since the proxy has moved, not 5000.")
    found = [item("The registry is on port 5001", 1, quote="answers on port 5001"), item("Migrations run by make", 2)]
    api.script.append(Reply(answer={"memories": found}))
    place.capture()
    assert place.rows("SELECT content, tier, confidence FROM memory") == [
        ("The registry is on port 5001", "episodic", 0.6)
    ]
    roles = [(line["role"], line.get("turn")) for line in conversation(api.extractions[0])]
    assert roles == [("tool", None), ("tool", None), ("assistant", 1)]


def test_a_window_without_words_causes_no_request(place, api):
    for number in range(30):
        place.transcript.tool("Bash", {"command": f"make step-{number} " + "x" * 400})
    place.transcript.user("ok")
    place.capture()
    assert api.extractions == []
    assert place.rows("SELECT count(*) FROM usage") == [(0,)]


def test_no_secret_and_no_half_of_one_leaves_this_machine(place, api):
    # a turn that is cut to a window's size, right through a second key
    cut = "a" * 5_300 + f" {SECRET} " + "b" * 9_000
    place.transcript.user(f"Our token is {SECRET}, and the server that it is for is called db7.")
    place.transcript.tool("Bash", {"command": f"curl -H 'Authorization: Bearer {SECRET}' https://example.com"})
    place.transcript.user(cut)
    api.learn = lambda request: [
        item(f"Our token is {SECRET} on db7", 1, quote=" ".join(line["text"].split()[:2]))
        for line in conversation(request)
        if line.get("turn") == 1
    ]
    place.capture()
    place.transcript.user(f"And the token {SECRET} again is for the server db7, as we said before.")
    place.capture()
    assert len(api.extractions) == 3
    sent = json.dumps([request.body for request in api.extractions])
    assert "[redacted]" in sent and "db7" in sent
    assert SECRET[13:25] not in sent
    assert SECRET[13:25] not in str(place.rows("SELECT content, title FROM memory"))
    assert [line for request in api.extractions[1:] for line in known(request)] != []


# Neighbours


@pytest.fixture
def neighbours(sdk_place):
    """Two memories of this project, one of user scope and one of another project."""
    sdk_place.transcript.user("Billing runs on PostgreSQL because of its row-level security.")
    sdk_place.capture()
    ((project,),) = sdk_place.rows("SELECT project_id FROM memory")
    assert project
    return sdk_place


def say(place, api, text, **relation):
    place.transcript.user(text)
    api.learn = lambda request: [item(text, 1, **relation)]
    return place.capture()


def test_a_memory_that_repeats_another_reinforces_it(neighbours, api):
    (first,) = neighbours.learned
    report = say(
        neighbours, api, "For billing we are on Postgres, as row-level security is a must.", relation="repeats", known=1
    )
    assert known(api.extractions[-1]) == [{"number": 1, "type": "fact", "text": first}]
    assert neighbours.learned == [first] and len(report.reinforced) == 1
    assert neighbours.rows("SELECT count(*) FROM evidence") == [(2,)]


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("For billing we are on Postgres 16, as row-level security is a must.", {}),
        ("For billing we are on Postgres, as row-level security is a must.", {"type": "preference"}),
        ("For billing we are on Postgres, as row-level security is a must.", {"known": 5}),
    ],
    ids=["another-number", "another-group", "not-listed"],
)
def test_what_can_not_repeat_a_memory_is_a_new_one(neighbours, api, text, more):
    say(neighbours, api, text, **{"relation": "repeats", "known": 1, **more})
    assert len(neighbours.learned) == 2


@pytest.mark.parametrize("relation", ["contradicts", "supersedes", "caused_by", "depends_on", "references"])
def test_what_a_memory_is_to_another_is_noted(neighbours, api, relation):
    ((first,),) = neighbours.rows("SELECT id FROM memory")
    say(
        neighbours,
        api,
        "Billing has left PostgreSQL for CockroachDB because of its regions.",
        relation=relation,
        known=1,
    )
    made = neighbours.rows("SELECT type, target_id, method FROM relationship")
    assert made == [(relation, first, "llm_extraction")]
    status = "archived" if relation == "supersedes" else "active"
    assert neighbours.rows("SELECT status FROM memory ORDER BY seq") == [(status,), ("active",)]


@pytest.mark.parametrize("relation", ["new", "because of", "derived_from"], ids=["unsure", "garbage", "not-its-to-say"])
def test_where_a_model_is_not_sure_what_is_found_stands(neighbours, api, relation):
    text = "Billing exports need PostgreSQL row-level security too, on the replica."
    say(neighbours, api, text, relation=relation, known=1)
    assert neighbours.rows("SELECT type, method FROM relationship") == []


def test_only_active_memories_of_this_project_and_the_user_go_along(neighbours, api):
    base = neighbours.rows("SELECT id, content FROM memory")[0]
    with closing(run.sqlite3.connect(neighbours.path)) as database:
        columns = [row[1] for row in database.execute("PRAGMA table_info(memory)") if row[1] not in ("seq", "id")]
        database.execute("INSERT INTO project VALUES ('prj-other', 'other', 0)")
        for number, change in enumerate(
            ["project_id = 'prj-other'", "status = 'archived'", "status = 'deleted'", "trust = 'quarantined'"]
            + ["scope = 'user', project_id = NULL"]
            + ["title = 'same'"] * 20
        ):
            names = ", ".join(columns)
            database.execute(
                f"INSERT INTO memory (id, {names}) SELECT 'mem-{number}', {names} FROM memory WHERE id = ?", base[:1]
            )
            database.execute(
                f"UPDATE memory SET content = 'Billing PostgreSQL {number}', {change} WHERE id = 'mem-{number}'"
            )
        database.commit()
    say(neighbours, api, "Billing runs on PostgreSQL, and row-level security is why, as said.")
    shown = [line["text"] for line in known(api.extractions[-1])]
    assert len(shown) == 8
    assert not {f"Billing PostgreSQL {number}" for number in range(4)} & set(shown)


# No call a turn


def test_while_a_session_goes_on_only_full_windows_are_asked_about(place, api):
    for number in range(3):
        place.transcript.user(f"Number {number} it is.{FILLER}")
        place.capture(goes_on=True)
    assert [len(conversation(request)) for request in api.extractions] == [1, 2]
    place.capture(goes_on=True)
    assert len(api.extractions) == 2
    place.capture()
    assert [text[:9] for text in place.learned] == ["Number 0 ", "Number 1 ", "Number 2 "]
    assert place.used[0] == 3


def test_a_turns_end_asks_nobody_and_the_sessions_end_does(machine, api):
    machine.env["KEEPSTONE_EXTRACTOR"] = "anthropic"
    transcript = Transcript(machine.root / "t" / "session-1.jsonl", machine.project)
    for number in range(3):
        transcript.user(f"{DECIDED} Here is why: reason number {number}.")
        machine.hook("stop-extract", machine.event(transcript_path=str(transcript.path)))
        machine.keepstone("worker", "run", "--wait")
    assert api.extractions == []
    machine.hook("session-end", machine.event(transcript_path=str(transcript.path)))
    machine.keepstone("worker", "run", "--wait")
    assert len(api.extractions) == 1
    assert len(conversation(api.extractions[0])) == len(machine.memories()) == 3


# The whole command, with the settings a user has


@pytest.fixture
def machine(tmp_path, api):
    made = Machine(tmp_path)
    made.record_interpreters()
    made.env |= {"ANTHROPIC_BASE_URL": api.url, "NO_PROXY": "127.0.0.1", "ANTHROPIC_API_KEY": KEY}
    return made


def windows(transcript, count):
    for number in range(count):
        transcript.user(f"Number {number} it is.{FILLER}"[:3_900] + f" We decided to use tool{number}x, not make.")
        transcript.assistant("Noted." + FILLER)


def test_keys_in_the_environment_switch_nothing_on(machine, api):
    transcript = Transcript(machine.root / "t" / "session-1.jsonl", machine.project)
    windows(transcript, 3)
    keys = {"ANTHROPIC_AUTH_TOKEN": KEY, "OPENAI_API_KEY": KEY, "CLAUDE_CODE_OAUTH_TOKEN": KEY, "GEMINI_API_KEY": KEY}
    machine.keepstone("capture", str(transcript.path), **keys)
    machine.hook("session-end", machine.event(transcript_path=str(transcript.path)), **keys)
    machine.keepstone("worker", "run", "--wait", **keys)
    assert api.requests == []
    assert "Extractor: rules, no cost" in machine.keepstone("status", **keys).stdout
    assert json.loads(machine.keepstone("status", "--json").stdout)["spending"]["calls"] == 0


def test_at_the_cap_the_rules_do_the_work_and_status_says_so(machine, api):
    transcript = Transcript(machine.root / "t" / "session-1.jsonl", machine.project)
    windows(transcript, 6)
    settings = {"KEEPSTONE_EXTRACTOR": "anthropic", "KEEPSTONE_EXTRACTOR_DAILY_CALLS": "3"}
    machine.keepstone("capture", str(transcript.path), **settings)
    assert len(api.extractions) == 3
    status = machine.keepstone("status", **settings).stdout
    assert "Extractor: anthropic, model claude-haiku-4-5" in status
    assert "Today: 3 of 3 calls, 3,021 of 500,000 tokens, about $0.0031" in status
    assert "Cap reached: rules do the work until 00:00 UTC." in status
    today = json.loads(machine.keepstone("status", "--json", **settings).stdout)["spending"]
    assert (today["calls"], today["calls_cap"], today["tokens"], today["cap_reached"]) == (3, 3, 3_021, True)
    before = [memory["content"] for memory in machine.memories()]
    machine.keepstone("capture", str(transcript.path), **settings)
    assert [memory["content"] for memory in machine.memories()] == before
    assert len(api.extractions) == 3


def test_two_processes_at_once_keep_the_cap(machine, api):
    transcripts = [
        Transcript(machine.root / "t" / f"s{number}.jsonl", machine.project, f"s{number}") for number in "ab"
    ]
    for transcript in transcripts:
        windows(transcript, 4)
    machine.keepstone("status")
    env = {**machine.env, "KEEPSTONE_EXTRACTOR": "anthropic", "KEEPSTONE_EXTRACTOR_DAILY_CALLS": "3"}
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "keepstone", "capture", str(transcript.path)],
            env=env,
            cwd=machine.project,
            stdout=subprocess.DEVNULL,
        )
        for transcript in transcripts
    ]
    assert [process.wait(60) for process in running] == [0, 0]
    assert len(api.extractions) == 3
    assert machine.sql("SELECT sum(calls), sum(failures) FROM usage") == [(3, 0)]
    ends = dict(machine.sql("SELECT id, cursor_offset FROM session"))
    assert ends == {transcript.session: transcript.path.stat().st_size for transcript in transcripts}


def test_the_tokens_of_a_day_are_capped_too(machine, api):
    transcript = Transcript(machine.root / "t" / "session-1.jsonl", machine.project)
    windows(transcript, 8)
    settings = {"KEEPSTONE_EXTRACTOR": "anthropic", "KEEPSTONE_EXTRACTOR_TOKENS": "12000"}
    machine.keepstone("capture", str(transcript.path), **settings)
    assert len(api.extractions) == 3  # each took 1,007 tokens in the end, and 9,000 had to be left
    assert json.loads(machine.keepstone("status", "--json", **settings).stdout)["spending"]["cap_reached"]


def test_without_a_key_there_is_no_request_and_a_clear_problem(machine, api):
    del machine.env["ANTHROPIC_API_KEY"]
    transcript = Transcript(machine.root / "t" / "session-1.jsonl", machine.project)
    transcript.user(f"{DECIDED} Here is why: row-level security.")
    machine.env["KEEPSTONE_EXTRACTOR"] = "anthropic"
    machine.keepstone("capture", str(transcript.path))
    assert api.requests == []
    assert [memory["content"] for memory in machine.memories()] == [RULED]
    status = machine.keepstone("status").stdout
    assert "Today: 0 of 100 calls, 0 of 500,000 tokens\n" in status and "export ANTHROPIC_API_KEY" in status
    assert "warn  extractor: anthropic failed 1x today" in machine.keepstone("doctor", ok=False).stdout


def test_without_a_client_there_is_a_clear_problem(machine):
    transcript = Transcript(machine.root / "t" / "session-1.jsonl", machine.project)
    transcript.user(f"{DECIDED} Here is why: row-level security.")
    machine.env |= {"KEEPSTONE_EXTRACTOR": "claude-cli", "PATH": "/nowhere"}
    machine.keepstone("capture", str(transcript.path))
    assert [memory["content"] for memory in machine.memories()] == [RULED]
    assert "install Claude Code" in machine.keepstone("status").stdout


def test_the_cost_of_an_unknown_model_is_unknown(machine, api):
    transcript = Transcript(machine.root / "t" / "session-1.jsonl", machine.project)
    transcript.user(f"{DECIDED} Here is why: row-level security.")
    machine.env |= {"KEEPSTONE_EXTRACTOR": "anthropic", "KEEPSTONE_EXTRACTOR_MODEL": "claude-zither-9"}
    machine.keepstone("capture", str(transcript.path))
    assert [request.body["model"] for request in api.extractions] == ["claude-zither-9"]
    assert "1,007 of 500,000 tokens, cost unknown" in machine.keepstone("status").stdout


def test_a_worker_that_is_killed_leaves_its_call_counted(machine, api):
    api.script.append(Reply(hangs=True))
    transcript = Transcript(machine.root / "t" / "session-1.jsonl", machine.project)
    transcript.user(f"{DECIDED} Here is why: row-level security.")
    machine.env["KEEPSTONE_EXTRACTOR"] = "anthropic"
    running = subprocess.Popen(
        [sys.executable, "-m", "keepstone", "capture", str(transcript.path)], env=machine.env, cwd=machine.project
    )
    until = time.monotonic() + 60
    while not api.extractions:
        assert time.monotonic() < until and running.poll() is None
        time.sleep(0.05)
    running.kill()
    running.wait()
    ((calls, tokens, uncosted),) = machine.sql("SELECT calls, input_tokens + output_tokens, uncosted FROM usage")
    assert (calls, uncosted) == (1, 1) and tokens > 2_000
    machine.keepstone("capture", str(transcript.path))
    assert len(machine.memories()) == 1
    assert machine.sql("SELECT calls FROM usage") == [(2,)]


def test_the_sdk_is_not_imported_before_a_call(machine, api):
    transcript = Transcript(machine.root / "t" / "session-1.jsonl", machine.project)
    transcript.user("hello")
    code = "import sys; from keepstone import Memory; Memory().capture.capture(sys.argv[1]); "
    code += "print('anthropic' in sys.modules)"
    env = {**machine.env, "KEEPSTONE_EXTRACTOR": "anthropic"}

    def imported():
        command = [sys.executable, "-c", code, str(transcript.path)]
        return subprocess.run(command, env=env, cwd=machine.project, capture_output=True, text=True).stdout.strip()

    assert imported() == "False"
    transcript.user(f"{DECIDED} Here is why: row-level security.")
    assert imported() == "True"
    assert len(api.extractions) == 1


# The real client, with the plugin installed


def installed(root, client, source, api):
    machine = ClientMachine(root, client, source, api)
    machine.install()
    hooks = machine.plugin / "hooks"
    for hook in ("session-start", "stop-extract", "session-end", "user-prompt-submit"):
        if (hooks / hook).exists():
            (hooks / hook).write_text(f"#!/bin/sh\necho {hook} >> '{root}/fired'\n")
    programs = machine.root / "programs"  # of a repository's none is started, and build/clients is in one
    programs.mkdir()
    (programs / "claude").symlink_to(client)
    machine.env["PATH"] = f"{programs}:{machine.env['PATH']}"
    machine.keepstone("config", "extractor", "claude-cli")  # a session takes no variable for the user's own
    return machine


def traces(machine):
    """What a session of the client leaves behind."""
    projects = machine.user_home / ".claude" / "projects"
    fired = machine.root / "fired"
    return sorted(map(str, projects.rglob("*"))), fired.read_text() if fired.exists() else ""


def extract(machine, count):
    transcript = Transcript(machine.root / "t" / "session-1.jsonl", machine.project)
    for number in range(count):
        transcript.user(f"Number {number} it is.{FILLER}")
    before = len(machine.api.extractions)
    parent = {"CLAUDE_CODE_SESSION_ID": "parent", "CLAUDECODE": "1", "CLAUDE_PLUGIN_ROOT": str(machine.plugin)}
    parent["KEEPSTONE_TYPED"] = str(os.getpid())  # else the session would have to be one of the client's own
    machine.keepstone("capture", str(transcript.path), **parent)
    return machine.api.extractions[before:]


@pytest.mark.newest_client
def test_the_client_extracts_and_leaves_nothing_behind(client, source, api, tmp_path):
    machine = installed(tmp_path, client, source, api)
    machine.run("hello")
    before = traces(machine)
    assert "session-start" in before[1]  # a session of the user's own does fire our hooks
    (request, *_) = asked = extract(machine, 2)
    assert len(asked) == 2
    assert [tool["name"] for tool in request.body["tools"]] == ["StructuredOutput"]
    assert request.body["max_tokens"] == 2_000
    thinking = request.body.get("thinking", {}).get("type")
    assert thinking == "disabled" or request.body["output_config"]["effort"] == "low"
    assert traces(machine) == before
    assert machine.processes() == []
    assert len(machine.memories()) == 2
    assert machine.sql("SELECT extractor, model, calls, uncosted, failures FROM usage") == [
        ("claude-cli", "haiku", 2, 0, 0)
    ]


def test_ten_extractions_leave_nothing_behind(oldest_and_newest, source, api, tmp_path):
    machine = installed(tmp_path, oldest_and_newest[0], source, api)
    machine.run("hello")
    before = traces(machine)
    assert len(extract(machine, 10)) == 10
    assert traces(machine) == before
    assert machine.processes() == []
    assert len(machine.memories()) == 10
    assert [row[0] for row in machine.sql("SELECT id FROM session")] == ["session-1"]
    assert machine.sql("SELECT calls, input_tokens, output_tokens, uncosted, failures FROM usage") == [
        (10, 10_000, 70, 0, 0)
    ]


def script(machine, *lines):
    """A `claude` of these lines, and the environment to find it in."""
    binary = machine.root / "bin" / "claude"
    binary.parent.mkdir()
    binary.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    binary.chmod(0o755)
    return {**machine.env, "PATH": f"{binary.parent}:{machine.env['PATH']}"}


def test_the_client_inherits_keys_and_addresses_but_no_session(machine):
    of_the_session = {
        *("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_MESSAGING_SOCKET", "CLAUDE_CODE_MESSAGING_TOKEN"),
        *("CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_ENV_FILE", "CLAUDE_PROJECT_DIR", "AI_AGENT"),
        *("CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA", "CLAUDE_PLUGIN_OPTION_BUDGET"),
    }
    kept = {
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CONFIG_DIR",
        "CLAUDE_CODE_USE_BEDROCK",
        "AWS_REGION",
        "ANTHROPIC_API_KEY",
    }
    noted = machine.root / "noted"
    environ = script(machine, f"env > '{noted}'; pwd >> '{noted}'")
    environ |= dict.fromkeys(of_the_session | kept, "mine")
    with pytest.raises(Failed, match="printed no result"):
        ClaudeCli("haiku", environ, str(machine.project)).ask(Request("system", "prompt", {}, 10))
    lines = noted.read_text().splitlines()
    inherited = {line.split("=")[0] for line in lines if line.endswith("=mine")}
    assert inherited == kept
    assert f"KEEPSTONE_NESTED={nested_key(str(machine.project))}" in lines and lines[-1] == str(machine.project)


def test_a_client_outside_the_path_is_found_where_it_is_installed(machine):
    binary = machine.user_home / ".local" / "bin" / "claude"
    binary.parent.mkdir(parents=True)
    binary.write_text('#!/bin/sh\necho \'{"structured_output": {"memories": []}}\'\n')
    binary.chmod(0o755)
    reply = ClaudeCli("haiku", machine.env, str(machine.root)).ask(Request("system", "prompt", {}, 10))
    assert (reply.answer, reply.spent) == ({"memories": []}, None)


def test_a_client_that_does_not_come_back_is_killed_with_all_it_started(machine):
    environ = script(machine, "sleep 600 &", "sleep 600")
    (machine.root / "place").mkdir()
    place = Place(machine.root / "place", lambda: ClaudeCli("haiku", environ, str(machine.root), timeout=-14.5))
    place.transcript.user(f"{DECIDED} Here is why: row-level security.")
    place.capture()
    place.writer.close()
    assert place.used[0] == 3 and "was killed" in place.problem
    assert machine.processes() == []
