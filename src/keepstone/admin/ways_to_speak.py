"""The ways by which a person speaks to the client, each as the client writes it down: a proof plays them all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

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
    yield "a shell line's comment", f"of {word} are always cut", [("noted", noted)]
    yield "a note", f"tabs in the {word} Makefile", [("typed", f"# always use tabs in the {word} Makefile")]
    queued = f"We deploy the {word} server with Terraform only, never by hand."
    yield "a prompt typed while Claude works", f"deploy the {word} server", [("queued", queued)]
    yield from _answered(word)
    why = f"We never use npm in the {word} folder, always use pnpm."
    denied = [("Bash", {"command": "npm ci"}), ("result", (_NO + why, True, f"Error: {_NO}{why}"))]
    yield "the reason for denying a call", f"npm in the {word} folder", denied
    plan = {"plan": f"# Plan\n\n- We always use DuckDB in the {word} reports, never Spark.\n"}
    approved = [("ExitPlanMode", plan), ("result", ("approved", False, {**plan, "isAgent": False}))]
    yield "an approved plan", f"DuckDB in the {word} reports", approved
    why = f"We never use an ORM in the {word} module."
    refused = [("ExitPlanMode", {"plan": "# Plan"}), ("result", (_NO + why, True, f"Error: {_NO}{why}"))]
    yield "the reason for refusing a plan", f"ORM in the {word} module", refused


def _answered(word: str) -> Iterator[tuple[str, str, list[tuple[str, Any]]]]:
    """Yields the ways to answer Claude: by an option, in one's own words, and several questions at once."""
    database = (f"Which database should the {word} service use?", "PostgreSQL", "MySQL")
    yield "an answer to a question", f"{word} service should use PostgreSQL", _asked({database: "PostgreSQL"})
    commits = (f"How do we format commits in {word}?", "Freely", "By a tool")
    own = f"Always prefix {word} commits with the ticket number"
    yield "an answer in one's own words", f"prefix {word} commits", _asked({commits: own})
    runner = (f"Which test runner should the {word} package use?", "Vitest", "Jest")
    host = (f"Which host should the {word} docs use?", "Netlify", "Our own server")
    both = _asked({runner: "Vitest", host: "Our own server"})
    yield "answers to several questions", f"{word} package should use Vitest", both


def _asked(given: Mapping[tuple[str, str, str], str]) -> list[tuple[str, Any]]:
    """Returns the call and the result of questions with two options each, to which these answers were given."""
    asked = [
        {"question": question, "header": "Choice", "options": [{"label": first}, {"label": second}]}
        for question, first, second in given
    ]
    told = {"questions": asked, "answers": {question: answer for (question, _, _), answer in given.items()}}
    return [("AskUserQuestion", {"questions": asked}), ("result", ("answered", False, told))]


def _record(kind: str, call: str, given: Any) -> dict[str, Any]:
    if kind in ("typed", "noted"):
        record = {"type": "user", "message": {"role": "user", "content": given}}
        return {**record, "promptSource": "typed"} if kind == "typed" else record
    if kind == "queued":
        held = {"type": "queued_command", "prompt": given, "commandMode": "prompt", "origin": {"kind": "human"}}
        return {"type": "attachment", "attachment": held}
    if kind == "result":
        says, failed, told = given
        part = {"type": "tool_result", "tool_use_id": call, "content": says, **({"is_error": True} if failed else {})}
        return {"type": "user", "message": {"role": "user", "content": [part]}, "toolUseResult": told}
    use = {"type": "tool_use", "id": call, "name": kind, "input": given}
    return {"type": "assistant", "message": {"role": "assistant", "content": [use]}}
