"""Gathers facts about an installation. Only reads; repairs nothing."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Mapping
from contextlib import closing

from ..capture.budget import DayUsage
from ..claude_code import other_plugins
from ..claude_code.hook_contract import HOOKS
from ..claude_code.record_types import unknown_types
from ..config import runtime, settings
from ..config.provenance import client_home, is_opened_in_sessions
from ..db import backups
from ..db.engines import is_address, open_reader
from ..db.integrity import check, check_server
from ..db.reader import SCHEMA
from ..lib import files
from ..lib.errors import StoreError
from ..lib.limits import EXTRACTOR_MODELS
from ..lib.text import day
from ..model.hit import iso
from ..model.tiers import tiers_of
from ..project.identity import Identity, name_of
from ..spool import queue, spool
from .facts_sql import counts, is_apart, last_captured_at, renewed_at, usage
from .health_report import Check, Facts, report

FRESH_SECONDS = 7 * 86_400  # an error of last month says nothing about today
NEEDS = ("import _sqlite3", "import rapidfuzz")  # modules that hooks and worker need
LEDGER_SCHEMA = 2  # the first schema with the table `usage`; doctor does not migrate
LOG_TAIL = 20_000  # bytes of the hooks' log that are read


def doctor(
    home: str,
    database: str,
    loaded: settings.Loaded,
    here: Identity | None,
    lacks: Mapping[str, str],
    model: str,
    environ: Mapping[str, str],
    now: float,
) -> list[Check]:
    """Returns the checks of an installation. `database` is a path or an address. `here` is the project that one
    is in. `lacks` holds what the chosen extractor and embedder lack, "" for nothing, and what to type for
    the embedder. `model` is the model of the vectors.
    """
    facts = Facts(home=home, database=database, off=loaded.is_off(here), extractor_lacks=lacks["extractor"])
    facts.embedder, facts.model = loaded["embedder"], model
    facts.embedder_lacks, facts.embedder_fix = lacks["embedder"], lacks["embedder_fix"]
    _home(facts)
    facts.opened_in_sessions = is_opened_in_sessions(home, environ)
    facts.setting_problems = settings.not_taken(loaded, environ)
    facts.settings_hint = loaded.unreadable.hint if loaded.unreadable else facts.settings_hint
    facts.extractor = loaded["extractor"]
    facts.room = sum(tier.cap for tier in tiers_of(loaded.values).values())
    facts.hook_python, facts.worker_python = runtime.interpreters(home)
    facts.gone_python = runtime.gone(home)
    facts.build_problem = str(runtime.build_state(home).get("line") or "")
    facts.server = loaded["server_url"]
    _spool(facts)
    facts.broken_python = [
        path for path, code in zip(runtime.interpreters(home), NEEDS, strict=True) if _fails(path, code)
    ]
    since = iso(now - FRESH_SECONDS) or ""
    facts.hook_errors = [line for line in hook_log(home) if line >= since]
    runs = [(at, hook.name) for hook in HOOKS if (at := runtime.last_success(home, hook.name)) is not None]
    facts.last_hook = ", ".join(f"{name} at {iso(at)}" for at, name in sorted(runs)[-1:])
    _client(facts, environ)
    facts.copies = len(backups.names_in(os.path.join(home, "backups")))
    if is_address(database) or os.path.lexists(database):
        _database(facts, here, now)
    if loaded["server_url"] or is_address(database):
        _copy(facts, runtime.database_file(home, environ, loaded.server))
    return report(facts)


def _home(facts: Facts) -> None:
    facts.in_the_way = spool.in_the_way(facts.home)
    if os.path.isdir(facts.home):
        facts.home_mode = stat.S_IMODE(os.stat(facts.home).st_mode) if os.name != "nt" else 0o700
        paths = [facts.home, *spool.folders(facts.home), facts.database]
        facts.unwritable = files.refuses(paths, os.W_OK)
        facts.unreadable = files.refuses(paths, os.R_OK)
        facts.free_bytes = shutil.disk_usage(facts.home).free


def _spool(facts: Facts) -> None:
    facts.waiting = len(spool.list_jobs(facts.home, "new"))
    facts.aside = spool.list_jobs(facts.home, "aside")
    facts.missed = len(spool.missed_sessions(facts.home, anywhere=True))
    kept = [payload for _, payload in queue.unsent(facts.home)]
    facts.unsent, facts.refused = len(kept), [str(one["refused"]) for one in kept if one.get("refused")]


def _client(facts: Facts, environ: Mapping[str, str]) -> None:
    client = client_home(environ)
    named = other_plugins.plugins(client)
    facts.turned_off = other_plugins.turned_off(named)
    facts.other_memories = other_plugins.other_memories(named)
    facts.own_memory = other_plugins.keeps_memory(client, environ)
    facts.unknown_records = dict(unknown_types(os.path.join(client, "projects")))


def _fails(python: str, code: str) -> bool:
    if not python:
        return False
    try:
        done = subprocess.run([python, "-I", "-c", code + "; print(6 * 7)"], capture_output=True, timeout=60)
        return done.returncode != 0 or done.stdout.split() != [b"42"]  # a program that does nothing fails too
    except (OSError, subprocess.TimeoutExpired):
        return True


def _database(facts: Facts, here: Identity | None, now: float) -> None:
    try:
        store = open_reader(facts.database, busy=5.0)
        facts.database_size = store.size()
        if store.empty:
            return
        facts.memories = sum(counts(store, None, True, now).values())
        facts.kept_apart = name_of(here.keys[0]) if here and is_apart(store, here) else ""
        facts.last_captured = iso(last_captured_at(store)) or ""
        if store.schema >= LEDGER_SCHEMA and facts.extractor in EXTRACTOR_MODELS:
            used = DayUsage(*usage(store, day(now)))
            facts.extractor_failures, facts.extractor_problem = used.failures, used.problem or ""
        store.close()
        found = check_server(facts.database) if is_address(facts.database) else check(facts.database)
    except StoreError as problem:
        facts.database_problem = problem.message
        facts.database_fix = "" if problem.hint == "keepstone doctor" else problem.hint
        return
    if store.schema > SCHEMA and found.integrity == "ok":
        facts.database_problem = "a newer Keepstone made it: this one reads it and writes nothing"
        facts.database_fix = "claude plugin update keepstone@keepstone"
    facts.integrity, facts.journal, facts.sessions = found.integrity, found.journal, found.sessions
    facts.deliveries, facts.last_delivered = found.deliveries, iso(found.delivered_at) or ""
    facts.damaged, facts.index_problem = list(found.damaged), found.index_problem
    facts.agents = found.agents


def _copy(facts: Facts, path: str) -> None:
    facts.copy = path
    if not os.path.lexists(path):
        return
    try:
        with closing(open_reader(path)) as reader:
            facts.copy_renewed = "" if reader.empty else iso(renewed_at(reader)) or ""
    except StoreError as problem:
        facts.copy_problem = problem.message


def hook_log(home: str) -> list[str]:
    """Returns the last lines of the hooks' error log, each `TIME HOOK ERROR`."""
    path = os.path.join(home, "logs", "hooks.log")
    try:
        with open(path, "rb") as log:
            log.seek(max(0, os.path.getsize(path) - LOG_TAIL))
            return log.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return []
