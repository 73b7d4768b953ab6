"""Settings: environment over file over default; what can't be taken is named, and its default holds."""

from __future__ import annotations

import pytest

from keepstone.config.provenance import data_home, require_home
from keepstone.config.settings import SETTINGS, load
from keepstone.lib.errors import BadInput


def test_the_data_home_is_the_first_that_is_named(tmp_path):
    every = {"KEEPSTONE_HOME": "/a", "XDG_DATA_HOME": "/b", "HOME": "/c"}
    assert data_home(every) == "/a"
    assert data_home({key: every[key] for key in ("XDG_DATA_HOME", "HOME")}) == "/b/keepstone"
    assert data_home({"HOME": "/c"}) == "/c/.local/share/keepstone"
    assert data_home({"KEEPSTONE_HOME": "", "HOME": ""}) is None
    assert data_home({"KEEPSTONE_HOME": "relative", "HOME": "/c"}) is None
    with pytest.raises(BadInput, match="not an absolute path"):
        require_home({"KEEPSTONE_HOME": "relative"})
    with pytest.raises(BadInput, match="neither KEEPSTONE_HOME nor HOME"):
        require_home({})


def test_defaults_hold_where_nothing_is_given(tmp_path):
    found = load(str(tmp_path), {})
    assert found.values == {setting.name: setting.default for setting in SETTINGS}
    assert (found["off"], found["extractor"], found["extractor_daily_calls"]) == (False, "rules", 100)
    assert not found.problems
    assert set(found.sources.values()) == {"default"}


def test_the_environment_wins_over_the_file(tmp_path):
    (tmp_path / "config.json").write_text('{"brief_limit": 7, "brief_tokens": 500}')
    found = load(str(tmp_path), {"KEEPSTONE_BRIEF_LIMIT": "9"})
    assert (found["brief_limit"], found["brief_tokens"], found.problems) == (9, 500, [])
    assert (found.sources["brief_limit"], found.sources["brief_tokens"]) == ("KEEPSTONE_BRIEF_LIMIT", "config.json")


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("BRIEF_LIMIT", "0"),
        ("BRIEF_LIMIT", "21"),
        ("BRIEF_LIMIT", "five"),
        ("EXTRACTOR", "magic"),
        ("OFF", "perhaps"),
        ("EXTRACTOR_MODEL", "--verbose"),
        ("EXTRACTOR_MODEL", "two words"),
        ("EXTRACTOR_DAILY_CALLS", "10001"),
        ("EXTRACTOR_TOKENS", "9999"),
    ],
)
def test_what_can_not_be_taken_is_named_and_its_default_holds(tmp_path, name, given):
    found = load(str(tmp_path), {f"KEEPSTONE_{name}": given})
    default = next(setting.default for setting in SETTINGS if setting.variable == f"KEEPSTONE_{name}")
    assert found[name.lower()] == (True if name == "OFF" else default)  # whoever tries to turn it off means it
    assert len(found.problems) == 1 and f"KEEPSTONE_{name} is '{given}'; it takes " in found.problems[0]


@pytest.mark.parametrize("text", ["", "{", "[]", "\udcff"])
def test_a_broken_file_is_named(tmp_path, text):
    (tmp_path / "config.json").write_text(text, errors="surrogateescape")
    found = load(str(tmp_path), {})
    assert found["brief_limit"] == 5 and "config.json" in found.problems[0]
