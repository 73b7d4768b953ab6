"""Reads which steps of its task list a session has left open, from the calls of the client's own tools for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from .person import blocks_of, string
from .transcript_files import marked_records

_WHOLE, _NEW, _CHANGED = "TodoWrite", "TaskCreate", "TaskUpdate"
_MADE = "task"  # in the result of _NEW, which alone knows the step's id
_MARKS = tuple(f'"{name}"'.encode() for name in (_WHOLE, _NEW, _CHANGED, _MADE))
_OVER = ("completed", "deleted")


@dataclass(frozen=True, slots=True)
class TaskStep:
    """A step of a task list, in a model's words, with the uuid of the record that holds it."""

    text: str
    uuid: str
    is_over: bool = False


def open_steps(path: str) -> list[TaskStep]:
    """Returns the steps that a transcript leaves open, in the order of their list. Raises OSError if the file cannot be
    read.
    """
    steps: dict[str, TaskStep] = {}
    awaited: dict[str, TaskStep] = {}
    for record in marked_records(path, _MARKS):
        uuid, made = string(record.get("uuid")), record.get("toolUseResult")
        message = record.get("message")
        for block in blocks_of(message.get("content")) if isinstance(message, dict) else []:
            name, given = block.get("name"), block.get("input")
            if block.get("type") == "tool_result" and isinstance(made, dict):
                step, task = awaited.pop(string(block.get("tool_use_id")), None), made.get(_MADE)
                if step and isinstance(task, dict):
                    steps[str(task.get("id"))] = step
            elif name == _WHOLE and isinstance(given, dict):
                steps = dict(_listed(given, uuid))
            elif name == _NEW and isinstance(given, dict):
                awaited[string(block.get("id"))] = TaskStep(string(given.get("subject")), uuid)
            elif name == _CHANGED and isinstance(given, dict):
                steps |= _changed(steps, given, uuid)
    return [step for step in steps.values() if step.text and not step.is_over]


def _listed(given: Mapping[str, object], uuid: str) -> Iterator[tuple[str, TaskStep]]:
    todos = given.get("todos")
    for number, todo in enumerate(todos if isinstance(todos, list) else []):
        if isinstance(todo, dict):
            yield str(number), TaskStep(string(todo.get("content")), uuid, todo.get("status") in _OVER)


def _changed(steps: Mapping[str, TaskStep], given: Mapping[str, object], uuid: str) -> dict[str, TaskStep]:
    key, subject = str(given.get("taskId")), string(given.get("subject"))
    step = steps.get(key)
    if step is None:
        return {}
    if subject:
        step = replace(step, text=subject, uuid=uuid)
    return {key: replace(step, is_over=given["status"] in _OVER) if "status" in given else step}
