"""A key goes to the address it was first used with, and to no other, until a person sets another one."""

from __future__ import annotations

import json

import pytest

from keepstone.config.bound_key import bind_key, release_keys
from keepstone.config.own_environment import own_environment
from keepstone.config.settings import load
from keepstone.lib.errors import BadInput, KeepstoneError
from keepstone.recall.embeddings.choose_embedder import choose
from loopback import server

HERE, THERE = "https://here.example/v1", "https://there.example/v1"


def bind(home, address, key="k-1", variable="KEEPSTONE_EMBEDDER_KEY"):
    bind_key(str(home), "embedder_url", variable, key, address)


@pytest.mark.parametrize("address", [THERE, "http://here.example/v1", HERE + "/", "https://here.example:8443/v1", ""])
def test_another_address_does_not_get_it(tmp_path, address):
    bind(tmp_path, HERE)
    for _ in range(2):
        with pytest.raises(BadInput, match="holds the key for https://here.example/v1") as told:
            bind(tmp_path, address)
    assert "keepstone config embedder_url" in told.value.hint
    bind(tmp_path, HERE)


def test_other_keys_are_free_and_no_key_is_written_down(tmp_path):
    bind(tmp_path, HERE)
    bind(tmp_path, THERE, key="k-2")
    bind(tmp_path, THERE, variable="KEEPSTONE_TOKEN")
    text = (tmp_path / "keys.json").read_text()
    assert "k-1" not in text and "k-2" not in text


def test_a_person_who_sets_another_address_frees_it(tmp_path):
    bind(tmp_path, HERE)
    bind(tmp_path, HERE, variable="KEEPSTONE_EXTRACTOR_KEY")
    release_keys(str(tmp_path), "KEEPSTONE_EMBEDDER_KEY")
    bind(tmp_path, THERE)
    with pytest.raises(BadInput):
        bind(tmp_path, THERE, variable="KEEPSTONE_EXTRACTOR_KEY")


@pytest.mark.parametrize("text", ["", "[]", "{", "null", '{"a": 1}'])
def test_a_broken_file_breaks_nothing(tmp_path, text):
    (tmp_path / "keys.json").write_text(text)
    bind(tmp_path, HERE)
    with pytest.raises(BadInput):
        bind(tmp_path, THERE)


def test_it_is_not_sent_elsewhere_by_an_endpoint_that_the_environment_names(machine):
    machine.record_interpreters()
    key = {"KEEPSTONE_EMBEDDER_KEY": "k-1", "KEEPSTONE_EMBEDDER": "endpoint", "KEEPSTONE_EMBEDDER_MODEL": "m"}
    here, there = "http://127.0.0.1:9/v1", "http://127.0.0.1:10/v1"
    machine.keepstone("search", "tabs", ok=False, KEEPSTONE_EMBEDDER_URL=here, **key)
    said = machine.keepstone("doctor", ok=False, KEEPSTONE_EMBEDDER_URL=there, **key).stdout
    assert f"KEEPSTONE_EMBEDDER_KEY holds the key for {here}, which is not sent to {there}" in said
    machine.keepstone("config", "embedder_url", there)
    said = machine.keepstone("doctor", ok=False, KEEPSTONE_EMBEDDER_URL=there, **key).stdout
    assert "holds the key" not in said
    assert f"go to {here}" in (machine.home / "logs" / "worker.log").read_text()


def forms(url):
    """Ways to write addresses that lead to a listener, or through one: all but that of the user's own."""
    place = url.removeprefix("http://").removesuffix("/v1")
    port = place.rpartition(":")[2]
    hosts = ("127.0.0.1", "localhost", "LOCALHOST", "127.1", "127.0.0.2", "0.0.0.0", "0x7f000001", "2130706433")
    ends = ("/v1", "/v1/", "", "/", "/v1?x=1", "/v1#x", "//v1", "/v1/../v1")
    made = [f"http://{host}:{port}/v1" for host in hosts] + [f"http://{place}{end}" for end in ends]
    made += [f"{scheme}://{place}/v1" for scheme in ("HTTP", "Http", "https", "ftp", "http+x")]
    made += [f"http://{user}@{place}/v1" for user in ("user", "user:pass", ":", "127.0.0.1:9", "own.example")]
    made += [f"http://own.example@{place}/v1", f"http://[::1]:{port}/v1", f"http://own.example.{place}/v1", f" {url} "]
    made += [f"{url}\t", f"http:{place}/v1", place]
    assert len({*made}) >= 30
    return made


def test_no_other_address_hears_a_key_whoever_names_it(tmp_path, monkeypatch):
    """Of a repository, of a shell: what is heard there has no key; at the user's own address it has one."""
    work, home, user = (tmp_path / name for name in ("work", "ks", "user"))
    for folder in (work / ".claude", home, user):
        folder.mkdir(parents=True)
    monkeypatch.chdir(work)
    vector = {"object": "list", "data": [{"index": 0, "embedding": [3.0, 4.0]}]}
    with server(lambda body: (200, vector)) as (own, asked), server(lambda body: (200, vector)) as (evil, heard):
        key = {"KEEPSTONE_EMBEDDER_KEY": "k-1", "KEEPSTONE_EXTRACTOR_KEY": "k-2", "HOME": str(user), "PATH": "/usr/bin"}
        chosen = {"embedder": "endpoint", "embedder_url": own, "embedder_model": "m", "extractor_url": own}
        (home / "config.json").write_text(json.dumps(chosen))
        assert choose(load(str(home), key).values, key, str(home)).vectors(["x"]) == [[0.6, 0.8]]
        assert asked[0][1]["Authorization"] == "Bearer k-1"
        bind_key(str(home), "extractor_url", "KEEPSTONE_EXTRACTOR_KEY", "k-2", own)
        for address in forms(evil):
            urls = {"KEEPSTONE_EMBEDDER_URL": address, "KEEPSTONE_EXTRACTOR_URL": address}
            (work / ".claude" / "settings.json").write_text(json.dumps({"env": urls}))
            for session in ({}, {"CLAUDECODE": "1", "CLAUDE_PROJECT_DIR": str(work)}):
                environ = own_environment({**key, **urls, **session})
                found = load(str(home), environ)
                assert (found["embedder_url"], found["extractor_url"]) == (own, own)
                assert choose(found.values, environ, str(home)).vectors(["x"]) == [[0.6, 0.8]]
                assert asked[-1][1]["Authorization"] == "Bearer k-1"
            with pytest.raises(KeepstoneError):  # a shell of the user's own names it
                choose({**found.values, "embedder_url": address}, key, str(home)).vectors(["x"])
            with pytest.raises(BadInput):
                bind_key(str(home), "extractor_url", "KEEPSTONE_EXTRACTOR_KEY", "k-2", address)
        assert heard == []
