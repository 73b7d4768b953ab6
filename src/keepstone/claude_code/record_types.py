"""Finds records in the client's newest transcripts of types that no client had when this was written: what they say is
not read.
"""

from __future__ import annotations

import json
import os
from collections import Counter

RECENT = 5  # transcripts that are looked at
TAIL_BYTES = 1_000_000  # of each

# As seen in the transcripts of 2.1.197 and 2.1.332, and in what these clients say of themselves.
KNOWN_TYPES = frozenset(
    "user assistant attachment system progress summary file-history-snapshot file-history-delta last-prompt mode "
    "permission-mode queue-operation custom-title ai-title tag agent-name agent-color agent-setting pr-link frame-link "
    "task-summary worktree-state content-replacement attribution-snapshot speculation-accept relocated bridge-session "
    "marble-origami-snapshot marble-origami-reset marble-origami-commit tools-used repl-mode atis-latch cost-state "
    "api-request api-request-blob api-request-shape api-request-resumed resume-head-vouch hybrid-organization "
    "history-suppression artifact-autoreact-ledger".split()
)


def unknown_types(projects: str) -> Counter[str]:
    """Returns how many records of each unknown type the newest transcripts have, those of the client's folder
    `projects`. Of a long transcript only the end is read.
    """
    found: Counter[str] = Counter()
    for path in _newest(projects):
        for line in _tail(path):
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                continue
            kind = record.get("type") if isinstance(record, dict) else None
            if isinstance(kind, str) and kind not in KNOWN_TYPES:
                found[kind] += 1
    return found


def _newest(projects: str) -> list[str]:
    times: list[tuple[float, str]] = []
    try:
        folders = [entry.path for entry in os.scandir(projects) if entry.is_dir(follow_symlinks=False)]
        for folder in folders:
            files = [entry for entry in os.scandir(folder) if entry.name.endswith(".jsonl") and entry.is_file()]
            times += [(entry.stat().st_mtime, entry.path) for entry in files]
    except OSError:
        return []
    return [path for _, path in sorted(times, reverse=True)[:RECENT]]


def _tail(path: str) -> list[bytes]:
    try:
        with open(path, "rb") as file:
            start = max(0, os.path.getsize(path) - TAIL_BYTES)
            file.seek(start)
            lines = file.read(TAIL_BYTES).split(b"\n")
    except OSError:
        return []
    return lines[1:] if start else lines
