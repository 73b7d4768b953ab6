"""A key goes to the address it was first used with, and to no other, until a person sets another one."""

from __future__ import annotations

import pytest

from keepstone.config.bound_key import bind_key, release_keys
from keepstone.lib.errors import BadInput

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
