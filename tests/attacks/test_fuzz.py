"""Records, events, queries and files that are nearly right: each is taken, or refused as documented, in bounds."""

from __future__ import annotations

import io
import json
import sqlite3
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import claude_mem
from keepstone import Memory
from keepstone.claude_code.transcript import Turn
from keepstone.claude_code.transcript import parse as parse_turn
from keepstone.claude_code.transcript_files import Reading, Turns, lines
from keepstone.db.integrity import check
from keepstone.hooks import main
from keepstone.hooks.slash_command import RESULT_CHARS
from keepstone.lib.errors import KeepstoneError
from keepstone.lib.fast_json import parse
from keepstone.lib.limits import CONTENT_CHARS
from keepstone.model.filter import Filter
from support import Machine, Transcript, copied

pytestmark = pytest.mark.system

FEW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
FEWER = settings(FEW, max_examples=25)

# Values of every type in the place of any other, among them the words that the readers look for.
WORDS = st.sampled_from(
    [
        "user",
        "assistant",
        "tool_use",
        "tool_result",
        "text",
        "Bash",
        "Write",
        "WebFetch",
        "keepstone",
        "",
        "\x00",
        "\ud800",
        "<system-reminder>",
        "</system-reminder>",
        "<command-name>",
        "<command-args>x</command-args>",
        "<private>",
        "../x",
    ]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=40)
VALUES = st.recursive(
    SCALARS, lambda some: st.lists(some, max_size=3) | st.dictionaries(WORDS, some, max_size=3), max_leaves=8
)


def mutated(draw, value):
    """A value of which some part is another."""
    if draw(st.integers(0, 9)) == 0:
        return draw(VALUES)
    if isinstance(value, dict):
        kept = {key: mutated(draw, one) for key, one in value.items() if draw(st.integers(0, 14))}
        return kept | (draw(st.dictionaries(WORDS, VALUES, max_size=2)) if draw(st.integers(0, 9)) == 0 else {})
    if isinstance(value, list):
        return [mutated(draw, one) for one in value] * draw(st.sampled_from((1, 1, 1, 0, 2)))
    return value


@st.composite
def mutations(draw, whole):
    return mutated(draw, draw(st.sampled_from(whole)))


CALL = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "git commit -m 'x'"}}
NOTE = {"file_path": "/h/.claude/projects/-p/memory/a.md", "content": "---\ntype: user\n---\n\nx"}
EDIT = {"file_path": NOTE["file_path"], "edits": [{"old_string": "x", "new_string": "y", "replace_all": True}]}
ENDS = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "Error: x"}]}
HEAD = {"uuid": "u-1", "timestamp": "2026-11-08T10:00:00.000Z", "cwd": "/p", "sessionId": "s", "gitBranch": "main"}
ASKED = {"questions": [{"question": "Which?"}], "answers": {"Which?": "the second"}}
RECORDS = [
    {**HEAD, "type": "user", "message": {"role": "user", "content": "I prefer tabs over spaces in this service"}},
    {**HEAD, "type": "user", "message": {"role": "user", "content": [{"type": "text", "text": "use pnpm"}, ENDS]}},
    {**HEAD, "type": "user", "message": {"role": "user", "content": [ENDS]}, "toolUseResult": ASKED},
    {**HEAD, "type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "x"}, CALL]}},
    *(
        {**HEAD, "type": "assistant", "message": {"content": [{**CALL, "name": name, "input": said}]}}
        for name, said in (
            ("Write", NOTE),
            ("MultiEdit", EDIT),
            ("mcp__x__y", {"a": 1}),
            ("Skill", {"skill": "keepstone"}),
        )
    ),
]


@FEW
@given(mutations(RECORDS))
def test_any_record_like_a_real_one_is_a_turn_or_nothing(record):
    line = json.dumps(record).encode()
    try:
        turn = parse_turn(line)
    except ValueError:
        assert not isinstance(record, dict)
        return
    assert turn is None or (isinstance(turn, Turn) and len(turn.text) <= 4 * len(line))


@FEWER
@given(st.lists(mutations(RECORDS), min_size=1, max_size=8), st.binary(max_size=40), st.integers(0, 200))
def test_any_transcript_is_read_to_its_end_and_each_line_once(records, torn, at):
    whole = b"".join(json.dumps(record).encode() + b"\n" for record in records)
    data = whole[:at] + torn + whole[at:]
    file = io.BytesIO(data)
    ends = [(start, end) for start, end, _ in lines(file, 0)]
    assert all(end <= start for (_, end), (start, _) in zip(ends, ends[1:], strict=False))
    reading = Reading()
    turns = list(Turns(io.BytesIO(data), lambda turn: turn).read(reading))
    assert reading.position <= len(data) and len(turns) + reading.passed + reading.skipped <= len(ends)


EVENTS = {
    "session-start": {"source": "startup"},
    "user-prompt-submit": {"prompt": "why do deploys need the VPN gateway?"},
    "pre-tool-use": {"tool_name": "Bash", "tool_input": {"command": "keepstone recent"}, "tool_use_id": "t"},
    "post-tool-use": {"tool_name": "Edit", "tool_input": {"file_path": "a.py"}, "tool_response": {"x": 1}},
    "post-tool-use-failure": {"tool_name": "Bash", "tool_input": {"command": "make"}, "error": "Error: x y z"},
    "user-prompt-expansion": {"command_name": "keepstone:memory", "command_args": ""},
    "stop-extract": {"stop_hook_active": False},
    "pre-compact": {"trigger": "auto"},
    "session-end": {"reason": "other"},
}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A machine with a memory, for all examples: each leaves it as whole as it was."""
    made = Machine(tmp_path_factory.mktemp("fuzz") / "machine")
    made.record_interpreters()
    Memory(str(made.home), str(made.project), made.env).store("Deploys need the VPN gateway", tags=["ops"])
    return made


def whole(machine):
    """What a damaged database would not say."""
    report = check(str(machine.home / "keepstone.db"))
    return report.damaged == () and report.index_problem == ""


@FEW
@given(event=st.sampled_from(sorted(EVENTS)), data=st.data())
def test_any_event_ends_well_and_says_little(home, event, data):
    base = home.event("s", transcript_path=str(home.root / "none.jsonl"), **EVENTS[event])
    said = data.draw(mutations([base]))
    stdin = json.dumps(said).encode()
    stdin = stdin[: data.draw(st.integers(0, len(stdin)))] if data.draw(st.integers(0, 5)) == 0 else stdin

    def run():
        import sys

        sys.stdin = io.TextIOWrapper(io.BytesIO(stdin))
        main.main(event)

    done = copied(run, home.env, home.project)
    assert (done.returncode, done.stderr) == (0, "") and len(done.stdout) <= RESULT_CHARS + 200
    if done.stdout.startswith("{"):
        assert isinstance(parse(done.stdout), dict)


def test_after_all_events_the_store_is_whole(home):
    home.settle_processes()
    assert whole(home)


TOKENS = st.sampled_from(
    [
        '"',
        "'",
        "*",
        "(",
        ")",
        "^",
        ":",
        "-",
        "+",
        "AND",
        "OR",
        "NOT",
        "NEAR",
        "NEAR(",
        ",",
        "{",
        "}",
        "title",
        "rank",
        "deploy",
        "deploys",
        "vpn",
        "mem-",
        "%",
        "_",
        "\x00",
        "\ud800",
        "\u0301",
        "\u200d",
        " ",
        "\n",
        ";",
        "--",
        "\\",
    ]
)


@FEW
@given(st.lists(TOKENS | st.text(max_size=6), max_size=12), st.booleans())
def test_any_query_finds_something_or_nothing(home, tokens, spaced):
    query = (" " if spaced else "").join(tokens)
    memory = Memory(str(home.home), str(home.project), home.env)
    for ask in (memory.search, memory.about):
        try:
            found = ask(query, narrow=Filter(tag=query[:8] if query.startswith("%") else ""))
        except KeepstoneError:
            continue
        assert len(found.found) <= 1


ENTITY = {"type": "entity", "name": "VPN", "entityType": "fact", "observations": ["Deploys need it", "It is slow"]}
RELATION = {"type": "relation", "from": "VPN", "to": "CI", "relationType": "blocks"}
FRONT = st.sampled_from(
    ["id", "kind", "tags", "created", "title", "project", "scope", "type", "description", "---", ":"]
)


def taken(home, path, format):
    """Takes a file in, or is told why not; all that is recalled afterwards is as a memory may be."""
    memory = Memory(str(home.home), str(home.project), home.env)
    try:
        memory.transfer.take_in(str(path), format=format, dry_run=True)
        memory.transfer.take_in(str(path), format=format)
    except KeepstoneError as problem:
        assert problem.message
    assert all(0 < len(hit.memory.content) <= CONTENT_CHARS for hit in memory.recent(limit=1_000, everything=True))


@FEWER
@given(st.lists(mutations([ENTITY, RELATION]), min_size=1, max_size=4))
def test_any_file_of_another_server_is_taken_or_refused(home, lines):
    path = home.root / "memory.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    taken(home, path, "mcp")
    assert whole(home)


@FEWER
@given(st.lists(st.tuples(FRONT, st.text(max_size=30) | st.sampled_from(["[", '["a", 5]', '"\\ud800"'])), max_size=6))
def test_any_page_is_taken_or_refused(home, fields):
    front = "\n".join(f"{name}: {value}" for name, value in fields)
    for name, body in (("page.md", f"---\n{front}\n---\n\nThe port is 8443\n"), ("MEMORY.md", f"# M\n\n- {front}\n")):
        path = home.root / name
        path.write_text(body, errors="replace")
        taken(home, path, "")
    assert whole(home)


@FEWER
@given(st.data())
def test_any_export_of_ours_is_taken_whole_or_refused(home, data):
    memory = Memory(str(home.home), str(home.project), home.env)
    path = home.root / "all.jsonl"
    memory.transfer.export(str(path), force=True)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    at = data.draw(st.integers(0, len(lines) - 1))
    lines[at] = data.draw(mutations([lines[at]]))
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    taken(home, path, "jsonl")
    assert whole(home)


@FEWER
@given(st.data())
def test_any_database_of_claude_mems_is_taken_or_refused(home, data):
    path = home.root / "claude-mem.db"
    path.unlink(missing_ok=True)
    claude_mem.build(path)
    claude_mem.session(path)
    claude_mem.observation(path, title="Billing on PostgreSQL", narrative="MySQL has no row-level security")
    column = st.sampled_from(["title", "narrative", "facts", "concepts", "type", "files_modified", "created_at_epoch"])
    value = st.none() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.binary(max_size=20) | st.text(max_size=20)
    with closing(sqlite3.connect(path)) as database:
        for name in data.draw(st.lists(column, min_size=1, max_size=3, unique=True)):
            given_value = data.draw(value)
            if isinstance(given_value, str):
                given_value = given_value.encode("utf-8", "replace").decode()
            try:
                database.execute(f"UPDATE observations SET {name} = ?", (given_value,))
            except sqlite3.IntegrityError:
                continue
        database.commit()
    taken(home, path, "claude-mem")
    assert whole(home)


@FEWER
@given(st.lists(st.binary(min_size=1, max_size=60), min_size=1, max_size=3), st.data())
def test_any_bytes_are_refused_or_taken_by_any_importer(home, chunks, data):
    path = home.root / "bytes.bin"
    start = data.draw(
        st.sampled_from([b"", b"SQLite format 3\x00", b'{"format": "keepstone-export-1"', b"---\n", b"\xff\xfe"])
    )
    path.write_bytes(start + b"\n".join(chunks))
    taken(home, path, data.draw(st.sampled_from(["", "jsonl", "mcp", "markdown", "memory-md", "claude-mem"])))
    assert whole(home)


@FEWER
@given(records=st.lists(mutations(RECORDS), min_size=1, max_size=6))
def test_any_session_is_captured_and_leaves_the_store_whole(home, records):
    path = home.root / "session.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    Transcript(path, home.project).user("I prefer tabs over spaces in the billing service")
    Memory(str(home.home), str(home.project), home.env).capture.capture(str(path))
    assert whole(home)
