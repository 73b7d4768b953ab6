"""The plugin's files: what the client asks of them."""

from __future__ import annotations

import json
import re
import tomllib
from itertools import pairwise

from keepstone.version import __version__
from support import ROOT

# event names that every supported client knows: an unknown one disables the whole file in the older
KNOWN_EVENTS = {
    *("SessionStart", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "PostToolUse", "PostToolUseFailure"),
    *("Stop", "PreCompact", "SessionEnd"),
}
LOCKS = ("requirements.lock", "requirements-all.lock", "requirements-dev.lock")


def test_what_the_design_card_names_is_there():
    names = ("pyproject.toml", "plugin.json", "hooks", "skills", "src", "tests", "CLAUDE.md.template", "README.md")
    assert [name for name in names if not (ROOT / name).exists()] == []


def test_both_manifests_are_the_same_bytes_and_name_the_packages_version():
    manifest = (ROOT / "plugin.json").read_bytes()
    assert manifest == (ROOT / ".claude-plugin" / "plugin.json").read_bytes()
    said = json.loads(manifest)
    assert said["name"] == "keepstone" and said["version"] == __version__
    assert "hooks" not in said  # the client calls that a duplicate


def test_the_changelog_begins_with_this_version():
    assert re.search(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE).group(1) == __version__


def test_the_marketplace_offers_this_very_folder():
    market = json.loads((ROOT / ".claude-plugin" / "marketplace.json").read_text())
    assert [(plugin["name"], plugin["source"]) for plugin in market["plugins"]] == [("keepstone", "./")]


def test_hooks_use_only_events_that_every_supported_client_knows():
    hooks = json.loads((ROOT / "hooks" / "hooks.json").read_text())["hooks"]
    assert set(hooks) == KNOWN_EVENTS
    for groups in hooks.values():
        for hook in (hook for group in groups for hook in group["hooks"]):
            assert not hook.get("async") and re.fullmatch(r'"\$\{CLAUDE_PLUGIN_ROOT\}/hooks/[a-z-]+"', hook["command"])


def test_the_skill_is_short_and_says_what_it_must():
    text = (ROOT / "skills" / "memory" / "SKILL.md").read_text()
    _, head, body = text.split("---\n", 2)
    assert len(text.splitlines()) <= 45 and "!`" not in text
    for trigger in ("what did we decide", "remember that", "what do you know about", "save this"):
        assert trigger in " ".join(head.split())
    for command in ("store", "search", "about", "decisions", "recent", "context"):
        assert f"`keepstone {command}" in body
    allowed = set(re.findall(r"Bash\(keepstone (\w+):\*\)", head))
    assert allowed == {"store", "keep", "search", "about", "decisions", "recent", "context", "show", "status"}
    assert "argument-hint:" in head and "revise" in body and "ask the user first" in body


def test_every_declared_dependency_is_used_and_every_lock_is_free_of_addresses():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    sources = "\n".join(path.read_text() for path in (ROOT / "src").rglob("*.py"))
    extras = project["optional-dependencies"]
    declared = {*project["dependencies"], *extras["server"], *extras["mcp"]}
    for name in (re.split(r"[><=]", line)[0].replace("-", "_") for line in declared):
        assert re.search(rf"^\s*(?:from|import) {name}\b|^PACKAGE\b.* = \"{name}\"", sources, re.MULTILINE), name
    for lock in ROOT.glob("requirements*.lock"):
        assert "://" not in lock.read_text() and "--hash=sha256:" in lock.read_text()


def test_the_locks_agree_so_that_one_adds_to_the_other():
    pins = [dict(re.findall(r"^(\S+)==(\S+)", (ROOT / name).read_text(), re.MULTILINE)) for name in LOCKS]
    assert all(less.items() <= more.items() for less, more in pairwise(pins)) and len(pins[0]) > 20


def test_the_readme_is_one_page():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150
