"""Extraction by a server with OpenAI's API: what it is sent, and what becomes of whatever it answers."""

from __future__ import annotations

import json
import re

import pytest

from keepstone.capture.extractors.endpoint import ModelEndpoint
from keepstone.capture.extractors.model_client import AGAIN, RUN, WINDOW, Failed, Request
from keepstone.lib.limits import ANSWER_TOKENS
from loopback import server

SAID = "I prefer tabs over spaces in every file, because diffs stay small"
FOUND = {
    **{"type": "preference", "content": "Diffs have to stay small", "relevance": 0.8, "turn": 1, "relation": "new"},
    "quote": "because diffs stay small",
}

REQUEST = Request("You read.", "<conversation>", {"type": "object"}, ANSWER_TOKENS)
SECRET = "sk-ant-api03-" + "Zx9Qw7Er5Ty3" * 4


def completion(text, stopped="stop", usage=(900, 40)):
    told = {"prompt_tokens": usage[0], "completion_tokens": usage[1]} if usage else None
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": stopped}
    return 200, {"id": "c-1", "object": "chat.completion", "choices": [choice], "usage": told}


def finds(*items):
    return completion(json.dumps({"memories": [{**item, "known": 0} for item in items]}))


def ask(answer, **more):
    with server(answer) as (url, asked):
        return ModelEndpoint(url, "small", **{"key": "", **more}).ask(REQUEST), asked


def choose(machine, url, model="small"):
    for name, value in (("extractor", "endpoint"), ("extractor_url", url), ("extractor_model", model)):
        machine.keepstone("config", name, *([value] if value else ["--unset"]))


def capture(machine, transcript, *said, **env):
    for text in said:
        transcript.user(text)
    return machine.keepstone("capture", str(transcript.path), **env)


def texts(machine):
    return [memory["content"] for memory in machine.memories()]


def ledger(machine):
    columns = "extractor, model, calls, input_tokens, output_tokens, cost_usd, uncosted, failures"
    return machine.sql(f"SELECT {columns} FROM usage")


def test_it_is_asked_once_for_json_by_the_schema():
    reply, [(path, headers, body)] = ask(lambda body: completion("{}"), key="key-1")
    assert path == "/v1/chat/completions" and headers["Authorization"] == "Bearer key-1"
    assert body["model"] == "small" and body["max_tokens"] == ANSWER_TOKENS
    assert [one["role"] for one in body["messages"]] == ["system", "user"]
    assert body["response_format"]["json_schema"]["schema"] == REQUEST.schema
    assert (reply.answer, reply.spent.input_tokens, reply.spent.output_tokens) == ("{}", 900, 40)


def test_on_this_machine_a_call_is_free_and_without_numbers_its_spending_is_unknown():
    assert ask(lambda body: completion("{}"))[0].spent.cost_usd == 0
    assert ask(lambda body: completion("{}", usage=None))[0].spent is None
    assert ask(lambda body: completion("{}", usage=("many", 1)))[0].spent is None


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_that_takes_no_more_than_messages_is_asked_so(status):
    def answer(body):
        return (status, {"error": "no such field"}) if body.keys() > {"model", "messages"} else completion("{}")

    with server(answer) as (url, asked):
        client = ModelEndpoint(url, "small", "")
        with pytest.raises(Failed) as failure:
            client.ask(REQUEST)
        assert failure.value.then == AGAIN
        assert client.ask(REQUEST).answer == "{}" and len(asked) == 2


@pytest.mark.parametrize(
    ("answer", "then"),
    [
        ((404, {"error": "model not found"}), RUN),
        ((401, {"error": "no key"}), RUN),
        ((400, {"error": "too long"}), AGAIN),
        ((429, {"error": "slow down"}), AGAIN),
        ((503, b"starting"), AGAIN),
        ((200, b"<html>"), WINDOW),
        ((200, {}), WINDOW),
        ((200, []), WINDOW),
        ((200, {"choices": []}), WINDOW),
        ((200, {"choices": [{"message": None}]}), WINDOW),
        ((200, b"[" * 100_000), WINDOW),
        (completion("{}", stopped="length"), WINDOW),
        (completion(None), WINDOW),
        (completion(7), WINDOW),
    ],
)
def test_what_is_no_answer_is_a_failure_that_says_what_to_do(answer, then):
    with pytest.raises(Failed) as failure:
        ask(lambda body: answer)
    assert failure.value.then == then and len(failure.value.problem) < 600


def test_a_server_that_is_not_there_is_asked_again():
    with server(lambda body: completion("{}")) as (url, _):
        pass
    with pytest.raises(Failed) as failure:
        ModelEndpoint(url, "small", "").ask(REQUEST)
    assert failure.value.then == AGAIN and "no answer from" in failure.value.problem


@pytest.mark.parametrize(("url", "model"), [("localhost:11434", "small"), ("http://127.0.0.1:1/v1", "")])
def test_without_an_address_or_a_model_nothing_is_asked(url, model):
    with pytest.raises(Failed, match="keepstone config extractor_"):
        ModelEndpoint(url, model, "")


def test_what_it_finds_is_kept_with_the_users_words_and_counted(machine, transcript):
    with server(lambda body: finds(FOUND)) as (url, asked):
        choose(machine, url)
        capture(machine, transcript, f"{SAID}. The key is {SECRET}.")
    assert texts(machine) == ["Diffs have to stay small"] and len(asked) == 1
    assert SECRET not in json.dumps(asked) and "tabs over spaces" in asked[0][2]["messages"][1]["content"]
    ((excerpt,),) = machine.sql("SELECT excerpt FROM evidence")
    assert "tabs over spaces" in excerpt and SECRET not in excerpt
    assert ledger(machine) == [("endpoint", "small", 1, 900, 40, 0.0, 0, 0)]


@pytest.mark.parametrize("answer", [(404, {"error": "model not found"}), (200, b"<html>"), completion("I found none.")])
def test_where_it_fails_the_rules_do_the_work_and_status_says_why(machine, transcript, answer):
    with server(lambda body: answer) as (url, _):
        choose(machine, url)
        capture(machine, transcript, SAID)
    assert texts(machine) == [SAID] and ledger(machine)[0][-1] == 1
    assert re.search(r"says 404|no chat completion|not what was asked", machine.keepstone("status").stdout)


def test_a_key_goes_to_the_address_that_it_was_given_for(machine, transcript):
    key = {"KEEPSTONE_EXTRACTOR_KEY": "key-of-mine-1"}
    with server(lambda body: finds(FOUND)) as (url, asked), server(lambda body: finds(FOUND)) as (other, stolen):
        choose(machine, url)
        capture(machine, transcript, SAID, **key)
        assert asked[0][1]["Authorization"] == "Bearer key-of-mine-1"
        capture(machine, transcript, f"Really: {SAID}", **key, KEEPSTONE_EXTRACTOR_URL=other)
        assert stolen == []
        machine.keepstone("config", "extractor_url", other)
        capture(machine, transcript, f"Again: {SAID}", **key)
        assert len(stolen) == 1


def test_config_says_where_it_goes_and_what_is_missing(machine):
    machine.keepstone("config", "extractor_url", "http://192.0.2.7:8000/v1")
    said = machine.keepstone("config", "extractor", "endpoint").stdout
    assert "http://192.0.2.7:8000/v1" in said and "not https" in said and "extractor_model NAME" in said
    machine.keepstone("config", "extractor_url", "--unset")
    machine.keepstone("config", "extractor_model", "qwen3:8b")
    said = machine.keepstone("config", "extractor").stdout
    assert "go to qwen3:8b" in said and "127.0.0.1:11434" in said and "Missing" not in said and "https" not in said
    wrong = machine.keepstone("config", "extractor_url", "http://me:secret@example.org/v1", ok=False)
    assert wrong.returncode == 2 and "secret" not in wrong.stderr


def test_no_repository_chooses_the_address(machine, transcript):
    settings = machine.project / ".claude" / "settings.json"
    settings.parent.mkdir()
    with server(lambda body: finds(FOUND)) as (url, asked), server(lambda body: finds(FOUND)) as (theirs, stolen):
        settings.write_text(json.dumps({"env": {"KEEPSTONE_EXTRACTOR_URL": theirs}}))
        choose(machine, url)
        capture(machine, transcript, SAID, KEEPSTONE_EXTRACTOR_URL=theirs, CLAUDECODE="1")
        assert stolen == [] and len(asked) == 1


def test_no_repository_chooses_the_key(machine, transcript):
    settings = machine.project / ".claude" / "settings.json"
    settings.parent.mkdir()
    with server(lambda body: finds(FOUND)) as (url, asked):
        settings.write_text(json.dumps({"env": {"KEEPSTONE_EXTRACTOR_KEY": "key-of-theirs"}}))
        choose(machine, url)
        capture(machine, transcript, SAID, KEEPSTONE_EXTRACTOR_KEY="key-of-theirs", CLAUDECODE="1")
        assert len(asked) == 1 and "Authorization" not in asked[0][1]


def test_no_proxy_sees_what_goes_to_this_machine(machine, transcript):
    with server(lambda body: finds(FOUND)) as (url, asked), server(lambda body: finds(FOUND)) as (proxy, seen):
        choose(machine, url)
        capture(machine, transcript, SAID, HTTP_PROXY=proxy, http_proxy=proxy, ALL_PROXY=proxy)
        assert len(asked) == 1 and seen == []


def test_an_address_of_the_embedder_leaves_the_extractors_key_bound(machine, transcript):
    key = {"KEEPSTONE_EXTRACTOR_KEY": "key-of-mine-1"}
    with server(lambda body: finds(FOUND)) as (url, asked), server(lambda body: finds(FOUND)) as (other, stolen):
        choose(machine, url)
        capture(machine, transcript, SAID, **key)
        machine.keepstone("config", "embedder_url", other)
        capture(machine, transcript, f"Really: {SAID}", **key, KEEPSTONE_EXTRACTOR_URL=other)
        capture(machine, transcript, f"Again: {SAID}", **key)
        assert stolen == [] and len(asked) == 2


@pytest.mark.parametrize("key", ["key\r\nX-Other: 1", "k\u00e4y", "key\x00"])
def test_what_is_no_key_is_never_shown(key):
    with pytest.raises(Failed) as failure:
        ModelEndpoint("http://127.0.0.1:1/v1", "small", key)
    assert failure.value.then == RUN and "key\r" not in failure.value.problem and "X-Other" not in failure.value.problem
