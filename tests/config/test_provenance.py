"""What a repository's files may set, and what only the user may."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from homes import NAMED
from keepstone.config import runtime
from keepstone.config.named_by import SETTING_FILES
from keepstone.config.own_environment import own_environment
from keepstone.config.provenance import ADDRESSES, REPOSITORY_MAY_SET
from keepstone.config.settings import CONFIG, SETTINGS, load, turn_off
from keepstone.lib.errors import BadInput
from keepstone.project.identity import Identity

# A value of each setting that differs from its default.
OTHER = {"extractor": "anthropic", "embedder": "off", "brief_order": "relevance", "server_url": "https://evil.example"}
OTHER["programs"] = "learn"
NUMBERS = {"brief_limit": "3", "brief_tokens": "300", "retention_days": "1", "backups": "0"}


@pytest.fixture
def places(tmp_path, monkeypatch):
    """A data home, a user's home and a repository, in which one works."""
    found = [tmp_path / name for name in ("ks", "user", "clone")]
    for folder in found:
        folder.mkdir()
    monkeypatch.chdir(found[2])
    return found


def value_of(setting):
    if setting.name in OTHER or setting.name in NUMBERS:
        return OTHER.get(setting.name) or NUMBERS[setting.name]
    if isinstance(setting.default, bool):
        return str(int(not setting.default))
    if isinstance(setting.default, (int, float)):
        return str(type(setting.default)(setting.low or setting.high))
    field = setting.name.rpartition(".")[2]
    return {"ttl": "1h", "half_life": "1h", "span": "1h", "curve": "step"}.get(field, "http://evil.example")


def written(folder, name, variable, value):
    path = folder.joinpath(*name)
    path.parent.mkdir(parents=True, exist_ok=True)
    is_json = path.suffix == ".json"
    path.write_text(json.dumps({"env": {variable: value}}) if is_json else f"export {variable}={value}\n")
    return path


GUARDED = [setting for setting in SETTINGS if setting.name not in REPOSITORY_MAY_SET]


@pytest.mark.parametrize("setting", GUARDED, ids=lambda setting: setting.name)
def test_only_the_user_sets_what_does_more_than_show(setting, places):
    home, user, repository = places
    value = value_of(setting)
    environ = {"HOME": str(user), setting.variable: value}
    assert load(str(home), environ)[setting.name] == setting.read(value) != setting.default
    written(repository, SETTING_FILES[0], setting.variable, value)
    for more in ({}, {"CLAUDE_PROJECT_DIR": str(repository)}):
        found = load(str(home), {**environ, **more})
        assert found[setting.name] == setting.default
        assert any(setting.variable in problem for problem in found.problems)


@pytest.mark.parametrize("setting", GUARDED, ids=lambda setting: setting.name)
def test_what_a_repository_sets_hides_nothing_that_the_user_has_set(setting, places):
    home, user, repository = places
    value = setting.read(value_of(setting))
    (home / "config.json").write_text(json.dumps({setting.name: value}))
    written(repository, SETTING_FILES[0], setting.variable, "")
    for given in (str(setting.default), "", "0", "x"):
        found = load(str(home), {"HOME": str(user), setting.variable: given})
        assert found[setting.name] == value and found.sources[setting.name] == CONFIG


@pytest.mark.parametrize("name", NAMED, ids="/".join)
@pytest.mark.parametrize("variable", ["KEEPSTONE_EMBEDDER_URL", "KEEPSTONE_BACKUPS", runtime.ADDRESS])
def test_whatever_file_of_a_repository_sets_it(name, variable, places, monkeypatch):
    home, user, repository = places
    written(repository, name, variable, "3")
    (repository / "src").mkdir()
    monkeypatch.chdir(repository / "src")
    environ = {"HOME": str(user), variable: "3"}
    if variable == runtime.ADDRESS:
        assert runtime.address_of(str(home), environ) == ""
        assert runtime.database_file(str(home), environ) == str(home / "keepstone.db")
    else:
        found = load(str(home), environ)
        assert found.sources == load(str(home), {"HOME": str(user)}).sources
        assert found.problems


@pytest.mark.parametrize("variable", ["KEEPSTONE_SERVER_URL", runtime.ADDRESS])
def test_where_the_users_memories_are_elsewhere_what_replaces_their_address_opens_nothing(variable, places):
    home, user, repository = places
    environ = {"HOME": str(user), variable: "postgresql://ann@db.example/team"}
    if variable == "KEEPSTONE_SERVER_URL":
        environ[variable] = "https://memory.example"
    copy = runtime.database_file(str(home), environ, load(str(home), environ).server)
    (home / "copy-0123456789abcdef.db").touch()
    written(repository, SETTING_FILES[0], variable, "3")
    assert runtime.address_of(str(home), environ) == (runtime.REFUSED if variable == runtime.ADDRESS else "")
    assert load(str(home), environ).server == ("" if variable == runtime.ADDRESS else runtime.REFUSED)
    Path(copy).touch()  # an address that was used before is the user's, whatever a file names
    assert environ[variable] in (runtime.address_of(str(home), environ), load(str(home), environ).server)


@pytest.mark.parametrize("name", REPOSITORY_MAY_SET)
def test_what_only_changes_the_brief_a_repository_may_set(name, places):
    home, user, repository = places
    setting = next(one for one in SETTINGS if one.name == name)
    written(repository, SETTING_FILES[0], setting.variable, value_of(setting))
    found = load(str(home), {"HOME": str(user), setting.variable: value_of(setting)})
    assert found[name] == setting.read(value_of(setting)) and not found.problems


def test_a_home_that_leads_into_the_repository_excuses_nothing(places):
    home, _, repository = places
    written(repository, SETTING_FILES[0], "KEEPSTONE_BACKUPS", "0")
    environ = {"HOME": str(repository), "CLAUDE_PROJECT_DIR": str(repository), "KEEPSTONE_BACKUPS": "0"}
    assert load(str(home), environ)["backups"] != 0


def test_what_the_user_sets_for_the_client_holds_in_every_folder_below(places, monkeypatch):
    home, user, _ = places
    written(user, SETTING_FILES[0], "KEEPSTONE_BACKUPS", "0")
    (user / "work").mkdir()
    monkeypatch.chdir(user / "work")
    environ = {"HOME": str(user), "CLAUDE_PROJECT_DIR": str(user / "work"), "KEEPSTONE_BACKUPS": "0"}
    assert load(str(home), environ)["backups"] == 0


SESSIONS = ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", "CLAUDE_CODE_ENTRYPOINT")
SAID = ("", "1", "/z")


@pytest.mark.parametrize("said", SAID)
@pytest.mark.parametrize("marker", SESSIONS)
def test_in_a_session_only_the_users_own_settings_count_wherever_else_a_variable_comes_from(marker, said, places):
    home, user, repository = places
    turn = SAID.index(said) + SESSIONS.index(marker)  # each setting is met with each marker, and with each value of one
    for setting in [setting for setting in GUARDED if setting.name != "off"][turn % len(SAID) :: len(SAID)]:
        value = value_of(setting)
        environ = {"HOME": str(user), marker: said, setting.variable: value}
        assert load(str(home), environ)[setting.name] == setting.default
        assert setting.variable not in own_environment(environ) or setting.variable in ADDRESSES
        written(user, SETTING_FILES[0], setting.variable, value)
        assert load(str(home), environ)[setting.name] == setting.read(value)
        assert own_environment(environ)[setting.variable] == value
        written(user, SETTING_FILES[0], setting.variable, "another")
        assert load(str(home), environ)[setting.name] == setting.default
        (user / ".claude" / "settings.json").unlink()


def test_whoever_wants_a_session_off_is_heeded(places):
    home, user, repository = places
    environ = {"HOME": str(user), "CLAUDECODE": "1"}
    assert load(str(home), {**environ, "KEEPSTONE_OFF": "1"})["off"]
    (home / "config.json").write_text('{"off": true}')
    for said in ("0", "", "false", "no"):
        assert load(str(home), {**environ, "KEEPSTONE_OFF": said})["off"]


LOADED = ("LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES")


@pytest.mark.parametrize("variable", LOADED)
def test_no_program_of_ours_loads_what_a_variable_names(variable, places):
    assert variable not in own_environment({"HOME": "/", "PATH": "/usr/bin", variable: "/usr/lib/libc.so"})


@pytest.mark.parametrize("variable", ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"])
def test_libraries_are_not_a_repositorys(variable, places):
    repository = places[2]
    given = f"{repository}/lib:lib:/usr/lib:/proc/self/cwd/lib"
    assert own_environment({"HOME": "/", "PATH": "/usr/bin", variable: given})[variable] == "/usr/lib"


@pytest.mark.parametrize("said", ['{"Off": true}', '{"off ": 1}', '{"OFF": "yes"}', '{"off": "on"}', '{"off": "sure"}'])
def test_off_is_understood_however_it_is_written(said, places):
    home = places[0]
    (home / "config.json").write_text(said)
    assert load(str(home), {})["off"]


@pytest.mark.parametrize("said", ["true", '"true"', '"yes"', "1", '"on"', '"1"'])
def test_a_project_is_off_however_it_is_written(said, places):
    home = places[0]
    (home / "config.json").write_text(f'{{"projects": {{"git:x": {{"off": {said}}}, "git:y": {{"off": false}}}}}}')
    assert load(str(home), {}).off_in == ["git:x"]


def test_a_link_whose_settings_are_missing_means_off(places):
    home = places[0]
    (home / "config.json").symlink_to(home / "dotfiles" / "config.json")
    found = load(str(home), {})
    assert found["off"] and "what it links to is missing" in str(found.unreadable)


PROJECTS = (
    *('["git:x"]', '[{"git:x": "off"}]', '"git:x"', '"off"', "true", "7", "[]", '""', "false"),
    *('{"git:x": "off"}', '{"git:x": true}', '{"git:x": 1}', '{"git:x": ["off"]}', '{"off": true}', '{"git:x": false}'),
    *(
        '{"git:x": {}, "git:y": "off"}',
        '{"/home/me/shop": {"off": true}}',
        '{"acme/shop": {"OFF": 1}}',
        '{"": {"off": "y"}}',
    ),
)
OFF = (
    *('"KEEPSTONE_OFF": true', '"keepstone_off": "1"', '"keepstone.off": 1', '"turn_off": "yes"', '"off_": true'),
    *('"-off": "on"', '"disabled": true', '"disable": "maybe"', '"enabled": false', '"enabled": "no"'),
    *('"keepstone": {"off": true}', '"settings": {"Off": "true"}', '"all": {"any": {"disabled": 1}}', '"off:": true'),
)
TWICE = (
    *('"off": true, "off": false', '"off": false, "off": true', '"off": 1, "brief_limit": 3, "off": 0'),
    *('"projects": {"git:x": {"off": true, "off": false}}', '"projects": {"git:x": {"off": true}}, "off": 1, "off": 0'),
    *('"off": null', '"Off": null', '"off " : null', '"OFF": null', '"off"\n:true,"off" : false'),
)
UNCLEAR = [*(f'"projects": {one}' for one in PROJECTS), *OFF, *TWICE]
assert len(UNCLEAR) >= 30


@pytest.mark.parametrize("said", UNCLEAR)
def test_what_may_mean_off_and_is_not_understood_means_off_and_says_so(said, places):
    home = places[0]
    (home / "config.json").write_text("{" + said + "}")
    found = load(str(home), {})
    assert found["off"] and found.unreadable and found.unreadable.hint
    assert any("so Keepstone is off" in problem for problem in found.problems)


@pytest.mark.parametrize("said", ['{"OFF": 1}', '{"Off": "yes"}', '{"off ": true}', '{"disabled": true}'])
def test_a_project_is_off_however_its_name_is_written(said, places):
    home = places[0]
    (home / "config.json").write_text(f'{{"projects": {{"git:x": {said}, "git:y": {{}}}}}}')
    found = load(str(home), {})
    assert found.off_in == ["git:x"] and not found["off"] and not found.unreadable


CLEAR = (
    *("", '"projects": {}', '"projects": null', '"projects": {"git:x": {}}', '"projects": {"dir:/x": {"off": false}}'),
    *(
        '"KEEPSTONE_OFF": false',
        '"offer": "x", "brief_limit": 3',
        '"enabled": true',
        '"disabled": 0',
        '"sort": "often"',
    ),
    *('"embedder": "off"', '"plugin": {"embedder": "off"}'),
)


@pytest.mark.parametrize("said", CLEAR)
def test_what_does_not_mean_off_leaves_it_on(said, places):
    home = places[0]
    (home / "config.json").write_text("{" + said + "}")
    found = load(str(home), {})
    assert not found["off"] and not found.unreadable and found.off_in == []


@pytest.mark.parametrize("said", PROJECTS)
def test_nothing_is_written_over_what_is_not_understood(said, places):
    home = places[0]
    (home / "config.json").write_text(f'{{"projects": {said}}}')
    with pytest.raises(BadInput, match="projects in config.json"):
        turn_off(str(home), Identity(("git:x",), "x", "/x"), "1")
    assert (home / "config.json").read_text() == f'{{"projects": {said}}}'


# What deletes or hides, if it is as small or as short as it can be.
THINNING = [
    setting
    for setting in GUARDED
    if setting.name in ("tiers", "retention_days", "backups", "confirm_promotions", "off", "programs", "extractor")
    or setting.name.startswith("tier.")
]


def test_no_setting_of_a_repository_deletes_a_memory_or_a_backup_when_all_jobs_are_due(machine, transcript):
    """One repository after another that sets one of them, as variable and in its settings; at last the user does."""
    assert len(THINNING) >= 30
    for said in (
        *("I prefer pnpm over npm for installing packages", "Always format Python with ruff before a commit"),
        *("Never use docker on this machine, always use podman", "The customer Kestrel pays late, remember that"),
        "We decided to host the backups in Frankfurt, because the customers ask for it",
        "We decided to use SQLite for the cache, because it needs no server",
    ):
        transcript.user(said)
    machine.hook("session-end", machine.event(transcript_path=str(transcript.path)))
    machine.settle()
    machine.keepstone("backup", KEEPSTONE_TYPED="1")
    rows = "SELECT id, content, status, tier, trust FROM memory ORDER BY seq"
    before, kept = machine.sql(rows), sorted(path.name for path in (machine.home / "backups").iterdir())
    assert len(before) >= 5 and kept

    def work(**env):
        machine.sql("UPDATE job SET due_at = 0")
        machine.keepstone("worker", "run", "--wait", **env)
        assert machine.sql("SELECT count(*) FROM job WHERE due_at = 0") == [(0,)]  # they have run

    for number, setting in enumerate(THINNING):
        value = "1" if setting.name.endswith("cap") else value_of(setting)
        path = written(machine.project, SETTING_FILES[0], setting.variable, value)
        session = ({}, {"CLAUDECODE": "1"}, {"CLAUDE_PROJECT_DIR": str(machine.project)})[number % 3]
        work(**{setting.variable: value}, **session)
        assert machine.sql(rows) == before, setting.name
        assert {path.name for path in (machine.home / "backups").iterdir()} >= {*kept}, setting.name
        path.unlink()
    for tier in ("working", "episodic", "semantic", "procedural"):
        machine.keepstone("config", f"tier.{tier}.cap", "1")
    work()
    assert machine.sql(rows) != before
