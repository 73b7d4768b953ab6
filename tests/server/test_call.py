"""What another machine may ask by `POST /api/v1/call/{method}`, and nothing else."""

from __future__ import annotations

import pytest

from keepstone.api.remote_methods import CALLS, LOCAL
from server.serving import TOKEN

HERE = {"machine": "0123456789abcdef", "keys": ["git:example.org/acme/shop"], "name": "acme/shop", "by_model": False}


def call(server, method, /, where=None, **given):
    return server.post(f"/api/v1/call/{method}", where={**HERE, **(where or {})}, given=given)


def test_a_method_is_called_for_a_project_that_is_named(shared):
    stored = call(shared, "store", text="Deploys need the VPN", kind="fact")
    assert stored.status_code == 200, stored.text
    hit, new = stored.json()["value"]
    assert new and hit["project"] == "acme/shop"
    found = call(shared, "recent").json()["value"]
    assert [one["memory"]["id"] for one in found] == [hit["memory"]["id"]]
    assert call(shared, "recent", {"keys": ["git:example.org/acme/other"]}).json()["value"] == []
    assert call(shared, "recent", {"keys": []}).json()["value"] == []


@pytest.mark.parametrize(
    "method", ["__init__", "__class__", "_writer", "_store", "home", "clock", "nothing", "x" * 64, "%2e%2e", "policies"]
)
def test_what_is_not_listed_is_not_called(shared, method):
    answer = call(shared, method)
    assert answer.status_code == 404 and answer.json()["status"] == 404


@pytest.mark.parametrize("method", LOCAL)
def test_what_needs_the_machine_itself_is_refused(shared, method):
    answer = call(shared, method)
    assert answer.status_code == 400 and answer.headers["keepstone-error"] == "BadInput"
    assert "done there" in answer.json()["detail"] and "keepstone" in answer.json()["hint"]


@pytest.mark.parametrize(
    "method, given",
    [
        ("get", {}),
        ("get", {"ids": "mem-1"}),
        ("get", {"ids": ["mem-1"], "self": 1}),
        ("search", {"query": "x", "limit": -1}),
        ("search", {"query": "x", "limit": 10**6}),
        ("search", {"query": 1}),
        ("search", {"query": "x", "narrow": {"sql": "1; DROP TABLE memory"}}),
        ("search", {"query": "x", "lens": None}),
        ("store", {"text": "x", "origin": "onboarding"}),
        ("store", {"text": "x", "seed": "../../x"}),
        ("store", {"text": "x", "relevance": "high"}),
        ("confirm", {"proposals": [{"kind": "promote", "members": ["mem-1"], "why": "", "score": 1.0}]}),
        ("explore", {"topic": "x", "depth": 10**9}),
        ("audit", {"limit": 0}),
        ("audit", {"order": "x"}),
        ("focus", {"session": "password=hunter2hunter2"}),
    ],
)
def test_what_a_method_does_not_take_is_refused(shared, method, given):
    answer = call(shared, method, **given)
    assert answer.status_code == 400 and answer.json()["detail"], answer.text


@pytest.mark.parametrize(
    "where",
    [
        {"machine": "../etc"},
        {"machine": ""},
        {"keys": ["/etc"]},
        {"keys": ["root:0123"]},
        {"keys": ["git:x"] * 5},
        {"keys": ["git:" + "x" * 5_000]},
        {"by_model": None},
        {"by_model": "no"},
        {"by_model": True},
        {"folder": "/etc"},
        {"at": -1},
        {"session": "password=hunter2hunter2"},
    ],
)
def test_who_asks_is_said_in_the_words_that_there_are(shared, where):
    answer = call(shared, "recent", where)
    assert answer.status_code == 400, answer.text


def test_nothing_is_called_without_the_token(shared):
    for headers in ({"Authorization": "Token wrong"}, {"Authorization": ""}, {"Authorization": f"Basic {TOKEN}"}):
        answer = shared.client.post("/api/v1/call/recent", json={"where": HERE, "given": {}}, headers=headers)
        assert answer.status_code == 401


def test_no_file_of_the_server_is_looked_at_for_who_asks_from_elsewhere(served):
    """What a memory quotes of a file is looked for where the project is, and that is not here."""
    (served.project / "pay.py").write_text("def retry_policy(): ...\n")
    where = {"keys": [f"dir:{served.project}"], "name": "shop"}
    call(served, "store", where, text="`retry_policy` in pay.py is three attempts")
    (served.project / "pay.py").write_text("nothing of that\n")
    (hit,) = call(served, "recent", where).json()["value"]
    assert hit["doubt"] == {"file": "", "branch": "", "rivals": []}
    assert not [facet for facet, _ in hit["facets"] if facet == "anchor"]
    assert served.get("/api/v1/memories").json()["data"] == []  # that folder's own project is another


def test_a_proposal_is_taken_as_it_is_made_here(served):
    model = {"session": "s-1", "by_model": True}
    hit = call(served, "store", model, text="Deploys run at noon").json()["value"][0]
    one = hit["memory"]["id"]
    (waiting,) = call(served, "review", kinds=["quarantine"]).json()["value"]
    assert waiting["members"] == [one] and "can't be seen" in waiting["why"]
    assert call(served, "confirm", proposals=["000000"]).status_code == 404
    for said in ("", "what waits?", f"do not accept {hit['short_id']}"):
        assert call(served, "trust", {**model, "said": said}, memory_id=one).status_code == 400
    named = {**model, "said": f"accept {hit['short_id']}"}
    assert call(served, "trust", named, memory_id=one).json()["value"]["memory"]["trust"] == "trusted"


@pytest.mark.parametrize(
    "method, given",
    [("rate", {"vote": "up"}), ("pin", {}), ("promote", {}), ("demote", {}), ("forget", {}), ("revise", {"text": "x"})],
)
def test_a_model_over_there_changes_nothing_that_waits(shared, method, given):
    model = {"session": "s-1", "by_model": True}
    one = call(shared, "store", model, text=f"Deploys run at noon, says {method}").json()["value"][0]["memory"]["id"]
    refused = call(shared, method, model, memory_id=one, **given)
    assert refused.status_code == 400 and "only a person changes it" in refused.json()["detail"]
    assert "can't be seen" in call(shared, "get", ids=[one]).json()["value"][0]["memory"]["status_reason"]


def test_a_time_to_come_is_not_believed(shared):
    hit = call(shared, "store", {"at": 4e9}, text="Stored in a year to come").json()["value"][0]
    assert hit["memory"]["created_at"] < 4e9
    hit = call(shared, "store", {"at": 1.7e9}, text="Stored some years ago").json()["value"][0]
    assert hit["memory"]["created_at"] == 1.7e9


def test_the_description_names_every_method(shared):
    described = shared.get("/openapi.json").json()["paths"]["/api/v1/call/{method}"]["post"]
    assert described["parameters"][0]["schema"]["enum"] == list(CALLS)
