"""What `keepstone setup` wrote, in the real client: bare `/memory` is Keepstone's, and its line stands below the
prompt.
"""

from __future__ import annotations

import json
import shutil

import pytest

from client.session import Terminal
from support import require, tree

pytestmark = pytest.mark.system


@pytest.mark.newest_client
def test_bare_memory_runs_keepstone(installed):
    installed.keepstone("store", "Deploys need the VPN")
    installed.keepstone("setup", "--slash-memory")
    installed.api.bash["Asked for: recent"] = "keepstone recent"
    session = installed.run("/memory recent")
    first, *later = session.turns
    assert "Asked for: recent" in first.text and "Run one `keepstone` command" in first.text
    assert any("Deploys need the VPN" in turn.text for turn in later)


@pytest.mark.newest_client
def test_its_line_stands_below_the_prompt_and_goes_with_uninstall(installed):
    require("tmux", shutil.which("tmux"), "install tmux")
    installed.keepstone("store", "Deploys need the VPN")
    before = tree(installed.user_home / ".claude")
    installed.keepstone("setup", "--statusline", "--claude-md")
    with Terminal(installed) as terminal:
        terminal.wait_until(lambda screen: "keepstone 1 memory, 1 new this week" in screen)
        terminal.leave()
    settings = json.loads((installed.user_home / ".claude" / "settings.json").read_text())
    assert settings["enabledPlugins"] and settings["statusLine"]
    installed.keepstone("uninstall", "--yes")
    after = tree(installed.user_home / ".claude")
    assert after["settings.json"] == before["settings.json"] and "CLAUDE.md" not in after


@pytest.mark.newest_client
def test_a_line_whose_script_is_gone_is_no_more_than_missing(installed):
    require("tmux", shutil.which("tmux"), "install tmux")
    installed.keepstone("setup", "--statusline")
    (installed.home / "statusline").unlink()
    with Terminal(installed) as terminal:
        screen = terminal.leave()
    assert "not found" not in screen and "statusline" not in screen and "rror" not in screen
