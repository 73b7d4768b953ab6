"""What each client has recorded of each way to speak leaves what docs/channels.md says of it."""

from __future__ import annotations

import json
import re

import pytest

from channels import ALONE, OLDEST, RECORDED, expected, known
from keepstone.admin.ways_to_speak import ways
from keepstone.claude_code.record_types import KNOWN_TYPES
from support import ROOT

CLIENTS = sorted(path.name for path in RECORDED.iterdir())


def recorded(client, name):
    return sorted((RECORDED / client).glob(f"{name}.*.jsonl"))


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_both_clients_of_the_tests_have_recorded_every_way():
    (named,) = re.findall(r"^CLIENTS := (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert named.split() == CLIENTS and CLIENTS[0] == OLDEST
    for client in CLIENTS:
        assert {path.name.partition(".")[0] for path in (RECORDED / client).iterdir()} == set(ALONE)


@pytest.mark.parametrize("name", ALONE)
@pytest.mark.parametrize("client", CLIENTS)
def test_a_recorded_session_leaves_what_the_table_says(sessions, client, name):
    for path in recorded(client, name):
        sessions.memory.capture.capture(str(path))
    assert known(sessions.machine.sql) == expected(client, *ALONE[name])


@pytest.mark.parametrize("client", CLIENTS)
def test_no_recorded_session_tells_of_a_machine_or_holds_a_record_that_is_not_known(client):
    for path in (RECORDED / client).iterdir():
        text = path.read_text()
        records = lines(path)
        assert len(text) < 40_000 and "pytest" not in text
        assert {record["type"] for record in records} <= KNOWN_TYPES
        assert {record["cwd"] for record in records if "cwd" in record} == {"/home/ann/shop"}
        assert {record["version"] for record in records if "version" in record} <= {client}


SHAPES = {
    "a prompt": "before",
    "a line behind an image": "image",
    "a shell line's comment": "shell-comment",
    "a prompt typed while Claude works": "queued",
    "a note": "note",
    "an answer to a question": "option",
    "an answer in one's own words": "own-words",
    "answers to several questions": "several-questions",
    "the reason for refusing a plan": "plan-refused",
    "the reason for denying a call": "denial",
    "an approved plan": "plan-approved",
}


def keys(value, path=""):
    """The paths of all keys of a JSON value, but for those that are a question's words."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield f"{path}.{key}"
            yield from keys(one, f"{path}.{key}") if key != "answers" else ()
    elif isinstance(value, list):
        for one in value:
            yield from keys(one, f"{path}[]")


@pytest.mark.parametrize("client", CLIENTS)
def test_what_doctor_plays_has_the_shape_of_what_the_clients_record(client):
    for name, _, records in ways("word"):
        real = [record for path in recorded(client, SHAPES[name]) for record in lines(path)]
        for record in records:
            assert [one for one in real if set(keys(record)) <= set(keys(one))], (name, record)
