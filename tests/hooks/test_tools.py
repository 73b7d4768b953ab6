"""The hooks of tool calls as real processes: one line a call, without command, body or output; never a worker."""

from __future__ import annotations

import json
from contextlib import closing

import pytest

from keepstone.capture import observations_sql
from keepstone.db.writer import Writer
from keepstone.lib.fuzzy import ratio
from keepstone.spool.spool import OBSERVED_BYTES

DONE, FAILED = "post-tool-use", "post-tool-use-failure"


def call(machine, tool="Bash", call_id="toolu_1", session="session-1", **more):
    """What the client says of a call."""
    told = {"tool_name": tool, "tool_use_id": call_id, "permission_mode": "default", "duration_ms": 5}
    answer = {"stdout": "OUTPUT", "stderr": "", "interrupted": False, "isImage": False}
    return machine.event(
        session, **{**told, "tool_input": {"command": "make COMMAND"}, "tool_response": answer, **more}
    )


def observed(machine):
    folder = machine.home / "spool" / "observed"
    return list(folder.iterdir()) if folder.exists() else []


def lines(machine):
    return [json.loads(line) for path in observed(machine) for line in path.read_text().split("\n") if line]


def rows(machine, session="session-1"):
    with closing(Writer(str(machine.home / "keepstone.db"), ratio)) as writer, writer.transaction() as tx:
        return observations_sql.observations(tx, session)


def test_a_tool_call_is_one_observation_and_no_memory(machine):
    done = machine.hook(DONE, call(machine))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    machine.keepstone("worker", "run", "--wait")
    (row,) = rows(machine)
    assert (row.call_id, row.tool, row.command, row.state, row.files) == ("toolu_1", "Bash", "", "ok", ())
    assert machine.sql("SELECT count(*) FROM observation") == [(1,)]
    assert machine.sql("SELECT count(*) FROM memory") == [(0,)]


def test_the_spool_carries_neither_commands_nor_bodies_nor_outputs(machine):
    path = f"{machine.project}/a.py"
    machine.hook(DONE, call(machine))
    machine.hook(DONE, call(machine, "Write", "toolu_2", tool_input={"file_path": path, "content": "BODY"}))
    edit = {"file_path": path, "old_string": "BODY", "new_string": "BODY"}
    machine.hook(DONE, call(machine, "Edit", "toolu_3", tool_input=edit, tool_response={"originalFile": "BODY"}))
    machine.hook(DONE, call(machine, "Grep", "toolu_4", tool_input={"pattern": "BODY", "path": "src"}))
    machine.hook(
        DONE, call(machine, "NotebookEdit", "toolu_5", tool_input={"notebook_path": path, "new_source": "BODY"})
    )
    machine.hook(FAILED, call(machine, call_id="toolu_6", error="Exit code 2\nOUTPUT", is_interrupt=False))
    (file,) = observed(machine)
    assert file.stat().st_mode & 0o077 == 0
    assert not [word for word in ("COMMAND", "BODY", "OUTPUT", "Exit code") if word in file.read_text()]
    assert {key for line in lines(machine) for key in line} == {"session", "id", "tool", "state", "at"}
    told = [(line["tool"], line["state"]) for line in lines(machine)]
    assert told[:3] == [("Bash", "ok"), ("Write", "ok"), ("Edit", "ok")]
    assert told[3:] == [("Grep", "ok"), ("NotebookEdit", "ok"), ("Bash", "failed")]


def hidden_in_paths():
    """(parameter, path, secret): what a path may give away."""
    secrets = ["Gr9Pear!41", "sk-ant-api03-A1b2C3d4E5f6G7h8I9j0", "Mai2031!", "brightanvil", "falcon7!x", "hunter-41"]
    shapes = ["/srv/pw={}/a.py", "/home/ann/{}.txt", "C:\\Users\\{}\\x.md", "notes/пароль: {}/b.md", "ab\n{}"]
    return [
        (("file_path", "notebook_path", "path")[number % 3], shape.format(secret), secret)
        for number, shape in enumerate(shapes)
        for secret in secrets
    ]


def test_no_path_waits_in_the_spool_as_it_was_typed(machine):
    made = hidden_in_paths()
    for number, (key, path, _) in enumerate(made):
        event = FAILED if number % 7 == 0 else DONE
        machine.hook(event, call(machine, "Edit", f"t-{number}", tool_input={key: path}, cwd=path))
    kept = "".join(file.read_text() for file in machine.home.rglob("spool/**/*") if file.is_file())
    assert len(made) >= 30 and [line["id"] for line in lines(machine)] == [f"t-{number}" for number in range(len(made))]
    assert not [secret for _, _, secret in made if secret in kept or json.dumps(secret)[1:-1] in kept]


def test_the_worker_reads_the_files_in_the_transcript(machine, transcript):
    path = f"{machine.project}/src/a.py"
    given = {"file_path": path, "old_string": "a", "new_string": "b"}
    edit = {"type": "tool_use", "id": "toolu_1", "name": "Edit", "input": given}
    machine.hook(DONE, call(machine, "Edit", tool_input=given))
    machine.keepstone("worker", "run", "--wait")
    assert [(row.tool, row.files, row.state) for row in rows(machine)] == [("Edit", (), "ok")]
    transcript.line({"type": "assistant", "message": {"role": "assistant", "content": [edit]}})
    machine.keepstone("capture", str(transcript.path))
    assert [(row.tool, row.files, row.state) for row in rows(machine)] == [("Edit", ("src/a.py",), "ok")]


SKIPPED = {
    "our command": {"tool_input": {"command": "cd /x && keepstone store 'it rains'"}},
    "our server's tool": {"tool": "mcp__plugin_keepstone_keepstone__recall", "tool_input": {"query": "x"}},
    "our skill": {"tool": "Skill", "tool_input": {"skill": "keepstone:memory", "args": "recent"}},
    "a sub-agent's": {"agent_id": "agent-1", "agent_type": "general-purpose"},
    "no id": {"call_id": None},
    "an empty id": {"call_id": ""},
    "an endless id": {"call_id": "x" * 10_000},
    "an id that is none": {"call_id": {"a": 1}},
}


@pytest.mark.parametrize("more", SKIPPED.values(), ids=SKIPPED.keys())
@pytest.mark.parametrize("event", [DONE, FAILED])
def test_what_is_no_work_of_the_sessions_is_not_noted(machine, event, more):
    machine.hook(event, call(machine, **more))
    assert observed(machine) == []


ODD_INPUT = {
    "no input": {"tool_input": None},
    "a list": {"tool_input": ["keepstone"]},
    "odd files": {"tool_input": {"file_path": 5, "path": "x" * 10_000, "notebook_path": ""}},
    "a surrogate": {"tool_input": {"file_path": "\ud800"}, "cwd": "/\ud800"},
    "no folder": {"cwd": None},
    "a relative folder": {"cwd": "x", "tool_input": {"file_path": "x/a.py"}},
    "no name": {"tool": None},
    "an endless name": {"tool": "x" * 10_000},
}


@pytest.mark.parametrize("more", ODD_INPUT.values(), ids=ODD_INPUT.keys())
def test_odd_input_is_one_short_line_that_the_worker_takes(machine, more):
    machine.hook(DONE, call(machine, **more))
    assert len(lines(machine)) == 1 and observed(machine)[0].stat().st_size < 1_000
    machine.keepstone("worker", "run", "--wait")
    assert [row.call_id for row in rows(machine)] == ["toolu_1"] and observed(machine) == []


def test_of_a_call_that_did_not_come_to_its_end_the_state_is_unknown(machine):
    machine.hook(DONE, call(machine, call_id="t-1", tool_response={"interrupted": True}))
    machine.hook(DONE, call(machine, call_id="t-2", tool_response={"backgroundTaskId": "b1", "interrupted": False}))
    machine.hook(FAILED, call(machine, call_id="t-3", is_interrupt=True))
    machine.hook(DONE, call(machine, call_id="t-4", tool_response="a text"))
    assert [line["state"] for line in lines(machine)] == ["unknown", "unknown", "unknown", "ok"]


def test_a_full_file_takes_no_more(machine):
    machine.hook(DONE, call(machine))
    (path,) = observed(machine)
    path.write_bytes(path.read_bytes().rstrip(b"\n").ljust(OBSERVED_BYTES - 1) + b"\n")
    done = machine.hook(DONE, call(machine, call_id="toolu_2"))
    assert done.returncode == 0 and [line["id"] for line in lines(machine)] == ["toolu_1"]
    machine.keepstone("worker", "run", "--wait")
    machine.hook(DONE, call(machine, call_id="toolu_3"))
    assert [line["id"] for line in lines(machine)] == ["toolu_3"]


def test_a_huge_output_is_survived_and_noted_where_stdin_takes_it(machine):
    for size, noted in ((20_000_000, 1), (40_000_000, 1)):
        machine.hook(DONE, call(machine, call_id=f"t-{size}", tool_response={"stdout": "x" * size}))
        assert len(lines(machine)) == noted


def test_no_worker_is_started_and_no_job_is_made(machine):
    for number in range(20):
        machine.hook(DONE, call(machine, call_id=f"toolu_{number}"))
    assert machine.processes() == [] and not machine.started.exists() and len(lines(machine)) == 20
    assert list((machine.home / "spool" / "new").iterdir()) == []


@pytest.mark.parametrize("session", [7, "../x", "y" * 10_000, None, {"a": [1]}])
def test_session_ids_from_outside_make_harmless_names(machine, session):
    machine.hook(DONE, call(machine, session=session))
    (path,) = observed(machine)
    there = {child.name for child in machine.home.iterdir()}
    assert len(path.name) == 32 and there == {"opened", "opened.mark", "python", "ran", "spool"}
    machine.keepstone("worker", "run", "--wait")
    assert machine.sql("SELECT count(*) FROM observation") == [(1,)]


def test_off_means_nothing_at_all(machine):
    machine.hook(DONE, call(machine), KEEPSTONE_OFF="1")
    assert observed(machine) == []


def test_the_turns_end_tells_the_rest_from_the_transcript(machine, transcript):
    command = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "make COMMAND"}}
    transcript.assistant("I think it builds.")
    transcript.line({"type": "assistant", "message": {"role": "assistant", "content": [command]}})
    machine.hook(DONE, call(machine))
    machine.hook("pre-compact", machine.event(transcript_path=str(transcript.path)))
    machine.settle()
    machine.keepstone("worker", "run", "--wait")
    (row,) = rows(machine)
    assert (row.command, row.state, row.reasoning) == ("make COMMAND", "ok", "I think it builds.")
