"""The ways by which a person speaks to the client, each as the client writes it down: a proof plays them all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_QUESTION = "Which database should the {word} service use?"
_PLAN = "# Plan\n\n- We always use DuckDB in the {word} reports, never Spark.\n"
_NO = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n"


def ways(word: str) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    """Yields (name, what a memory of it must contain, records) of each way. `word` is what the statements are about."""
    for number, (name, heard, kinds) in enumerate(_said(word)):
        call = f"toolu_{number}"
        yield name, heard, [_record(kind, call, given) for kind, given in kinds]


def _said(word: str) -> Iterator[tuple[str, str, list[tuple[str, Any]]]]:
    prompt = f"I prefer tabs over spaces in the {word} project."
    yield "a prompt", f"tabs over spaces in the {word} project", [("typed", prompt)]
    line = f"[Image #1] We never ship the {word} package on Fridays."
    yield "a line behind an image", f"ship the {word} package on Fridays", [("typed", line)]
    noted = f"<bash-input>echo {word} # releases of {word} are always cut from the trunk branch</bash-input>"
    yield "a shell line's comment", f"of {word} are always cut", [("typed", noted)]
    queued = f"We deploy the {word} server with Terraform only, never by hand."
    yield "a prompt typed while Claude works", f"deploy the {word} server", [("queued", queued)]
    question = _QUESTION.format(word=word)
    asked = [{"question": question, "header": "Database", "options": [{"label": "PostgreSQL"}, {"label": "MySQL"}]}]
    told = {"questions": asked, "answers": {question: "PostgreSQL"}}
    answer = [("AskUserQuestion", {"questions": asked}), ("result", ("answered", False, told))]
    yield "an answer to a question", f"{word} service should use PostgreSQL", answer
    why = f"We never use npm in the {word} folder, always use pnpm."
    denied = [("Bash", {"command": "npm ci"}), ("result", (_NO + why, True, f"Error: {_NO}{why}"))]
    yield "the reason for denying a call", f"npm in the {word} folder", denied
    plan = _PLAN.format(word=word)
    approved = [("ExitPlanMode", {"plan": plan}), ("result", ("approved", False, {"plan": plan, "isAgent": False}))]
    yield "an approved plan", f"DuckDB in the {word} reports", approved


def _record(kind: str, call: str, given: Any) -> dict[str, Any]:
    if kind == "typed":
        return {"type": "user", "promptSource": "typed", "message": {"role": "user", "content": given}}
    if kind == "queued":
        held = {"type": "queued_command", "prompt": given, "commandMode": "prompt", "origin": {"kind": "human"}}
        return {"type": "attachment", "attachment": held}
    if kind == "result":
        says, failed, told = given
        part = {"type": "tool_result", "tool_use_id": call, "content": says, "is_error": failed}
        return {"type": "user", "message": {"role": "user", "content": [part]}, "toolUseResult": told}
    use = {"type": "tool_use", "id": call, "name": kind, "input": given}
    return {"type": "assistant", "message": {"role": "assistant", "content": [use]}}
