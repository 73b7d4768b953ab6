"""Every test has a HOME of its own; a test that forgot to choose a data home finds none."""

from __future__ import annotations

import gc
import os
import re
import shutil
import socket
import subprocess
import sys
from itertools import chain, groupby, islice

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported: there is a process for each core already

import engines
from keepstone.lib.text import digest
from support import ROOT, Machine, Sessions, Transcript, require

# machines are noisy: what makes an example slow may be what runs beside it
settings.register_profile("noisy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("noisy")

gc.disable()  # until all is collected


# Whose tests take longest: each worker begins with some of them, as all would wait for one of half a minute that begins
# last. What is left to others to take at the end is what is short.
LONGEST = (
    "hooks/test_bootstrap.py",
    "client/test_first_hour.py",
    "client/test_first_sessions.py",
    "server/test_contract.py",
    "client/test_extractors.py",
    "server/test_dashboard.py",
    "graph/test_graph_page.py",
    "client/test_prove.py",
    "client/test_real_client.py",
    "client/test_auto_memory.py",
    "test_secrets_stay_out.py",
    "redaction/test_redact.py",
    "capture/test_ingest.py",
    "transfer/test_import_foreign.py",
    "admin/test_prove.py",
    "client/test_observations.py",
    "test_supply.py",
    "attacks/test_attacks.py",
    "faults/test_campaign.py",
    "admin/test_setup.py",
    "faults/test_parts.py",
    "attacks/test_fuzz.py",
    "lifecycle/test_ways_back.py",
    "capture/test_pipeline.py",
    "db/test_repair.py",
    "client/test_mcp.py",
    "client/test_recall.py",
    "client/test_setup.py",
    "lifecycle/test_reversal.py",
    "server/test_kept.py",
    "server/test_guard.py",
    "mcp/test_mcp_server.py",
    "lifecycle/test_jobs.py",
)
ALL_SYSTEM = re.compile(r"^pytestmark = .*\bmark\.system\b", re.MULTILINE)
PLACES = {ROOT / "tests" / name: place for place, name in enumerate(LONGEST)}


@pytest.hookimpl(optionalhook=True)  # where pytest runs without it
def pytest_xdist_auto_num_workers(config):
    """Some tests wait for a server or a program: one worker more than there are cores. Real clients and builds are
    waited for half of the time.
    """
    cores = os.cpu_count() or 1
    return 2 * cores if config.option.markexpr in ("system", "engine") else cores + 1


def pytest_ignore_collect(collection_path, config):
    """Where one mark is asked for, files that don't name it are not imported, and where it is asked for all others, the
    files that are all of it: that takes each worker seconds.
    """
    mark = config.option.markexpr
    if not collection_path.name.startswith("test_"):
        return None
    if mark in ("system", "engine"):
        return f"mark.{mark}" not in collection_path.read_text() or None
    if mark == "not system":
        return bool(ALL_SYSTEM.search(collection_path.read_text())) or None
    return None


def pytest_collection_modifyitems(config, items):
    """The longest first. On another engine nothing that is about SQLite's files, and of a list of inputs, which differ
    in what is said and not in the statements, only the first and the last ones.
    """
    if engines.IS_POSTGRES:
        wanted = [item for item in items if not item.get_closest_marker("of_files")]
        lists = [list(same) for _, same in groupby(wanted, lambda item: (item.path, item.originalname))]
        wanted = [item for same in lists for item in [*same[:2], *same[2:][-2:]]]
        kept = set(wanted)
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = wanted
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))  # of which each is given one part of all in a row
    parts = [[] for _ in range(workers)]
    for item in sorted((item for item in items if item.path in PLACES), key=lambda item: PLACES[item.path]):
        parts[PLACES[item.path] % workers].append(item)
    short = iter([item for item in items if item.path not in PLACES])
    for number, part in enumerate(parts, start=1):
        part += islice(short, max(0, len(items) * number // workers - len(items) * (number - 1) // workers - len(part)))
    items[:] = [*chain.from_iterable(parts), *short]


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop():
    """What is loaded by now stays: to look through it for garbage again and again would take minutes of a whole run."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def scrubbed(monkeypatch, tmp_path):
    for name in ("KEEPSTONE_HOME", "XDG_DATA_HOME", "CLAUDE_PROJECT_DIR", "CLAUDE_CODE_SESSION_ID", "KEEPSTONE_OFF"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))


@pytest.fixture(autouse=True)
def offline(monkeypatch, request):
    """No test of ours leaves this machine; the real client talks to its own loopback server in processes of its own."""
    connect = socket.socket.connect

    def refuse(self, address):
        if address[0] != "127.0.0.1":
            raise AssertionError(f"a test tried to connect to {address}")
        return connect(self, address)

    if "client" not in request.path.parts:
        monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture(autouse=True)
def databases():
    yield
    engines.drop_all()


@pytest.fixture
def machine(tmp_path):
    made = Machine(tmp_path)
    made.record_interpreters(deferred=True)
    if engines.IS_POSTGRES:
        made.choose("KEEPSTONE_DATABASE_URL", engines.new(""))
    return made


@pytest.fixture
def transcript(machine):
    return Transcript(machine.root / "transcripts" / "session-1.jsonl", machine.project)


@pytest.fixture
def sessions(machine):
    return Sessions(machine)


@pytest.fixture(scope="session")
def packages(tmp_path_factory):
    """The environment in which the locked packages come from a folder; they are fetched once for each lock, and uv
    unpacks them once.
    """
    lock = ROOT / "requirements-all.lock"  # whose packages are those of requirements.lock and more
    folder = ROOT / "build" / "packages" / digest(lock.read_text())[:16]
    if not folder.exists():
        fresh = folder.with_name(f"{folder.name}.{os.getpid()}")
        fetch = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--no-deps",
            "--require-hashes",
            "-r",
            str(lock),
            "-d",
            str(fresh),
        ]
        done = subprocess.run(fetch, capture_output=True, text=True)
        require("network", done.returncode == 0, f"a connection to the Python package index: {done.stderr[-300:]}")
        try:
            fresh.rename(folder)
        except OSError:  # another process of the same run was faster
            shutil.rmtree(fresh)
    pip = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(folder), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    uv = {"UV_OFFLINE": "1", "UV_FIND_LINKS": str(folder), "UV_PYTHON_DOWNLOADS": "never"}
    return {**pip, **uv, "UV_CACHE_DIR": str(tmp_path_factory.mktemp("uv"))}
