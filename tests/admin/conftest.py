"""What the tests of setup and uninstall share: a machine whose paths need quoting, and what its user has already."""

from __future__ import annotations

import json

import pytest

from support import Machine

EVERYTHING = ("--shell", "--slash-memory", "--statusline", "--claude-md", "--extractor", "claude-cli")


class Owner(Machine):
    """A machine with somebody's own files on it."""

    @property
    def client_folder(self):
        return self.user_home / ".claude"

    @property
    def shim(self):
        return self.user_home / ".local" / "bin" / "keepstone"

    def has(self, path, text, mode=0o644):
        """The user has a file of that text in the HOME."""
        path = self.user_home / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        path.chmod(mode)
        return path

    def lives_here(self):
        """The user has Claude Code, settings and rules in a layout of their own, and has used Keepstone."""
        own = {"model": "haiku", "env": {"GREETING": "grüß dich"}, "permissions": {"allow": ["Bash(ls:*)"]}}
        self.has(".claude/settings.json", json.dumps(own, indent=4, ensure_ascii=False) + "\n\n", 0o640)
        self.has(".claude/CLAUDE.md", "# Mine\n\nBe brief; don't guess.", 0o600)
        self.has(".claude/skills/other/SKILL.md", "---\nname: other\n---\n")
        self.has(".local/bin/tool", "#!/bin/sh\n", 0o755)
        self.record_interpreters()
        self.keepstone("store", "Deploys need the VPN")
        self.has(".local/share/keepstone/config.json", '{\n  "brief_limit": 8\n}')


@pytest.fixture
def owner(tmp_path):
    return Owner(tmp_path / "jörg's höme")
