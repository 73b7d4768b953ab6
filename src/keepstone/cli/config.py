"""The command that shows and changes settings: config."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import click

from ..api.memory import Memory
from ..capture.budget import account_of
from ..config import settings
from ..config.bound_key import release_keys
from ..config.extras import require_packages
from ..config.provenance import REPOSITORY_MAY_SET
from ..lib.errors import BadInput
from ..lib.url import is_private
from . import output
from .options import json_option

# The variable of the key for the address that a setting names.
KEYS = {"embedder_url": "KEEPSTONE_EMBEDDER_KEY", "extractor_url": "KEEPSTONE_EXTRACTOR_KEY"}


@click.command()
@click.argument("name", required=False)
@click.argument("value", required=False)
@click.option("--unset", is_flag=True, help="Take the value out of config.json: the default holds again.")
@click.option("--project", metavar="PATH", help="For that folder's project alone; only `off` can be.")
@json_option
def config(name: str | None, value: str | None, unset: bool, project: str | None, as_json: bool) -> None:
    """Show the settings, or set one: every value, and where it comes from.

    Examples: keepstone config, keepstone config brief_limit 8, keepstone config off 1 --project .
    """
    if unset and (value is not None or name is None):
        raise BadInput("--unset goes with a setting's name alone", "keepstone config NAME --unset")
    if project and (name is None or settings.setting_of(name).name != "off"):
        raise BadInput("for one project alone there is only `off`", "keepstone config off 1 --project .")
    memory = Memory(folder=project)
    if name is None:
        _all(memory, as_json)
        return
    setting = settings.setting_of(name)
    changes = value is not None or unset
    if changes:
        _change(memory, setting, value, project)
    memory = Memory(folder=project)
    _one(memory, setting, as_json)
    if changes and not project and memory.context.settings.sources[setting.name] == setting.variable and not as_json:
        output.lines(f"config.json is changed, but {setting.variable} in this environment wins over it.")


def _change(memory: Memory, setting: settings.Setting, value: str | None, project: str | None) -> None:
    if project:
        if memory.context.caller.identity is None:
            raise BadInput(f"{project} is no project", "--project takes the path of a project's folder")
        settings.turn_off(memory.context.home, memory.context.caller.identity, value)
        return
    if setting.name not in ("off", *REPOSITORY_MAY_SET):
        does = "changes where memories are, what is sent and what is kept"
        memory.privacy.require_person(does, f"keepstone config {setting.name} ...")
    if value is not None:
        require_packages(setting.name, value)
    settings.change(memory.context.home, setting, value)
    if setting.name in KEYS:
        release_keys(memory.context.home, KEYS[setting.name])


def _all(memory: Memory, as_json: bool) -> None:
    rows = [_row(memory, setting) for setting in settings.SETTINGS]
    if as_json:
        output.objects(rows)
        return
    cells = [tuple(_text(row[key]) for key in ("name", "value", "source", "help")) for row in rows]
    output.table(("setting", "value", "from", "what it does"), cells)
    for problem in settings.not_taken(memory.context.settings, memory.context.environ):
        output.lines(f"Not taken: {problem}")
    if memory.context.settings.off_in:
        output.lines(f"Turned off for: {', '.join(memory.context.settings.off_in)}")
    path = os.path.join(memory.context.home, settings.CONFIG)
    output.lines(f"Kept in {path}; a variable KEEPSTONE_<NAME> of your own wins over it.")


def _one(memory: Memory, setting: settings.Setting, as_json: bool) -> None:
    row = _row(memory, setting)
    if as_json:
        output.objects(row)
        return
    output.lines(f"{row['name']} = {_text(row['value'])} (from {row['source']})")
    if setting.name == "extractor":
        for line in what_it_takes(memory, str(row["value"])):
            output.lines(line)
    if setting.name == "off" and memory.context.caller.identity:
        state = "off" if memory.capture.is_off else "on"
        output.lines(f"For the project {memory.context.caller.identity.name} Keepstone is {state}.")
    for problem in settings.not_taken(memory.context.settings, memory.context.environ):
        output.lines(f"Not taken: {problem}")


def what_it_takes(memory: Memory, extractor: str) -> Iterator[str]:
    """What a person should know who has chosen a model as extractor."""
    model = account_of(extractor, memory.context.settings["extractor_model"]).model
    if extractor == "rules":
        return
    calls, tokens = memory.context.settings["extractor_daily_calls"], memory.context.settings["extractor_tokens"]
    url = memory.context.settings["extractor_url"]
    payers = {
        "anthropic": "your key for the API",
        "claude-cli": "your own Claude Code, with its login",
        "endpoint": f"the server at {url}",
    }
    yield f"Redacted parts of your conversations go to {model or 'a model'}, by {payers[extractor]}."
    if extractor == "endpoint" and not is_private(url):
        yield "Others may read along on the way: the address is not https://."
    most = output.counted(calls, "call", "calls")
    yield f"At most {most} and {tokens:,} tokens a day (UTC), then the rules. `keepstone status` shows them."
    if memory.capture.extractor_lacks:
        yield f"Missing: {memory.capture.extractor_lacks}"


def _text(value: object) -> str:
    """A value as it would be given."""
    return str(int(value)) if isinstance(value, bool) else str(value)


def _row(memory: Memory, setting: settings.Setting) -> dict[str, Any]:
    name = setting.name
    source = memory.context.settings.sources[name]
    return {
        "name": name,
        "value": memory.context.settings[name],
        "source": source,
        "help": setting.help,
        "takes": setting.takes,
    }


COMMANDS = (config,)
