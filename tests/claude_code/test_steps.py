"""Which steps of its task list a session has left open, by the calls of the client's own tools."""

from __future__ import annotations

import json

import pytest

from keepstone.claude_code.steps import open_steps


def todos(*steps):
    return {"name": "TodoWrite", "input": {"todos": [{"content": text, "status": state} for text, state in steps]}}


def made(subject, number):
    """A step that is made, and the result that gives it its id."""
    return [
        {"name": "TaskCreate", "id": f"toolu_{number}", "input": {"subject": subject, "description": "..."}},
        {"result": f"toolu_{number}", "task": {"id": str(number), "subject": subject}},
    ]


def changed(number, **how):
    return {"name": "TaskUpdate", "input": {"taskId": str(number), **how}}


def record(number, call):
    said = {"uuid": f"r{number}", "isSidechain": call.pop("aside", False)}
    if "result" in call:
        block = {"type": "tool_result", "tool_use_id": call["result"], "content": "Task created successfully"}
        return said | {"type": "user", "message": {"content": [block]}, "toolUseResult": {"task": call["task"]}}
    return said | {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "t", **call}]}}


def left(folder, *calls):
    path = folder / "t.jsonl"
    flat = [call for given in calls for call in (given if isinstance(given, list) else [given])]
    path.write_text("".join(json.dumps(record(number, dict(call))) + "\n" for number, call in enumerate(flat)))
    return [(step.text, step.uuid) for step in open_steps(str(path))]


def test_the_last_list_counts(tmp_path):
    first = todos(("Add the route", "in_progress"), ("Write the tests", "pending"))
    assert left(tmp_path, first) == [("Add the route", "r0"), ("Write the tests", "r0")]
    assert left(tmp_path, first, todos(("Add the route", "completed"), ("Write the tests", "pending"))) == [
        ("Write the tests", "r1")
    ]
    assert left(tmp_path, first, todos()) == []


def test_steps_that_are_made_and_changed_one_by_one(tmp_path):
    calls = [made("Add the route", 1), made("Write the tests", 2), changed(1, status="in_progress")]
    assert [text for text, _ in left(tmp_path, *calls)] == ["Add the route", "Write the tests"]
    assert left(tmp_path, *calls, changed(1, status="completed")) == [("Write the tests", "r2")]
    assert left(tmp_path, *calls, changed(1, status="deleted"), changed(2, status="completed")) == []
    renamed = left(tmp_path, *calls, changed(2, subject="Write three tests"))
    assert renamed == [("Add the route", "r0"), ("Write three tests", "r5")]
    again = [changed(1, status="completed"), changed(1, status="pending")]
    assert [text for text, _ in left(tmp_path, *calls, *again)] == ["Add the route", "Write the tests"]


def test_a_sub_agents_list_is_not_the_sessions(tmp_path):
    assert left(tmp_path, todos(("Add it", "pending")), {**todos(("Look it up", "pending")), "aside": True}) == [
        ("Add it", "r0")
    ]


@pytest.mark.parametrize(
    "call",
    [
        {"name": "TodoWrite", "input": {"todos": "a"}},
        {"name": "TodoWrite", "input": {"todos": [1, {"content": 7}, {}]}},
        {"name": "TodoWrite", "input": []},
        {"name": "TaskCreate", "input": {"subject": 7}},
        {"name": "TaskUpdate", "input": {"taskId": 99, "status": "pending"}},
        {"name": "TaskUpdate", "input": {"taskId": ["x"]}},
        {"result": "toolu_9", "task": {"id": "1", "subject": "never asked for"}},
        {"name": "SomeoneElsesTodoWrite", "input": {"todos": [{"content": "x", "status": "pending"}]}},
    ],
)
def test_what_is_no_step_is_passed_over(tmp_path, call):
    assert left(tmp_path, call) == []


def test_a_line_that_is_cut_is_passed_over(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"type": "assistant", "message": {"content": [{"name": "TodoWrite", \n[]\n"TaskCreate"\n')
    assert open_steps(str(path)) == []


LISTS = [
    [todos(("Add the route", "pending"))],
    [todos(("Write the tests", "completed"), ("Add the route", "in_progress"))],
    [*made("Add the route", 1)],
    [*made("Write the tests", 1), *made("Add the route", 2), changed(1, status="completed")],
    [*made("Add it", 1), changed(1, subject="Add the route")],
]


def branched(path, kept, taken_back):
    """A conversation with some calls, whose next prompt was taken back with the calls that followed it."""
    lines = [{"type": "user", "uuid": "p0", "parentUuid": None, "message": {"content": "hello"}}]

    def follow(calls, prompt, parent):
        lines.append({"type": "user", "uuid": prompt, "parentUuid": parent, "message": {"content": "go on"}})
        for call in calls:
            lines.append(record(f"{prompt}-{len(lines)}", dict(call)) | {"parentUuid": lines[-1]["uuid"]})

    follow(kept, "p1", "p0")
    at = lines[-1]["uuid"]
    follow(taken_back, "p2", at)
    follow([], "p3", at)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return [step.text for step in open_steps(str(path))]


def test_the_steps_of_a_branch_that_was_left_are_not_open(tmp_path):
    other = todos(("Draw the chart", "pending"))
    path = tmp_path / "t.jsonl"
    for given in LISTS:
        assert branched(path, [], given) == []
        assert branched(path, given, []) == ["Add the route"]
        assert branched(path, given, [other]) == ["Add the route"]
        assert branched(path, [other], given) == ["Draw the chart"]
        assert branched(path, given, [todos(("Add the route", "completed"))]) == ["Add the route"]
        assert branched(path, [*given, other], [todos()])[-1] == "Draw the chart"
