"""The demo is the product at work: its last words are the brief, as the hook wrote it."""

from __future__ import annotations

import subprocess
import sys

from support import ROOT


def test_the_demo_ends_with_the_brief():
    done = subprocess.run([sys.executable, ROOT / "demo" / "play.py"], capture_output=True, text=True, check=True)
    told, brief = done.stdout.split("before the first prompt:\n\n")
    assert "Keepstone: learned 4 things last session." in told
    assert brief.startswith("## Session Memory\nKeepstone's notes from earlier sessions of acme/shop.")
    assert '<keepstone-notes shown="4" total="4">\n4 memories loaded:\n\n' in brief
    assert "- Use pnpm here, never npm: CI caches its store (" in brief
    assert brief.endswith(" outdated`.\n") and "maybe the clock" not in brief
