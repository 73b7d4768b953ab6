"""Every test has a HOME of its own; a test that forgot to choose a data home finds none."""

from __future__ import annotations

import socket

import pytest

from support import Machine, Transcript


@pytest.fixture(autouse=True)
def scrubbed(monkeypatch, tmp_path):
    for name in ("CAIRN_HOME", "XDG_DATA_HOME", "CLAUDE_PROJECT_DIR", "CLAUDE_CODE_SESSION_ID", "CAIRN_OFF"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))


@pytest.fixture(autouse=True)
def offline(monkeypatch, request):
    """No test of ours opens a connection; the real client talks to its own loopback server in processes of its own."""

    def refuse(self, address):
        raise AssertionError(f"a test tried to connect to {address}")

    if "client" not in request.path.parts:
        monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture
def machine(tmp_path):
    made = Machine(tmp_path)
    made.record_interpreters()
    return made


@pytest.fixture
def transcript(machine):
    return Transcript(machine.root / "transcripts" / "session-1.jsonl", machine.project)
