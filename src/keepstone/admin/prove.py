"""Proves that a memory reaches the model and that statements are learned: with a canary, the real hooks and, if it is
installed, the real client, all in a sandbox.
"""

from __future__ import annotations

import os
import random
import tempfile
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from ..claude_code.hook_contract import HOOKS, Hook
from ..config import runtime
from ..db.reader import Reader
from ..lib import files
from ..model.hit import iso
from ..spool import spool
from .doctor import hook_log
from .fake_api import Loopback
from .health_report import Check
from .sandbox import Broken, HookRun, Sandbox
from .ways_to_speak import ways

PROVE_RUNS = 10  # runs of a hook, for its p50 and p95
PROVE_RUNS_TYPED = 3  # runs of the hook that executes a command, which takes half a second

_WORDS = "alpha bravo delta echo golf hotel juliett kilo lima mike oscar papa quebec romeo sierra tango victor".split()
# How a hook's output must begin, and what it must contain ("" for the canary).
_PRINTS: dict[str, tuple[tuple[str, ...], str]] = {
    "session-start": (("## Session Memory\n", "{"), ""),
    "user-prompt-expansion": (("<keepstone-result ",), ""),
    "user-prompt-submit": (("<keepstone-notes>\n",), ""),
    "pre-tool-use": (('{"hookSpecificOutput":',), '"permissionDecision":"allow"'),
}
_LEAVES_JOB = ("stop-extract", "pre-compact", "session-end")
_OBSERVES = ("post-tool-use", "post-tool-use-failure")
_ASKED = "Keepstone proves its delivery: please use your tools."


@dataclass(slots=True)
class HookProof:
    """The result for one hook: the `problem` in words or "", the time that its launcher takes, in seconds, and when it
    last succeeded or failed in this data home, "" for never.
    """

    name: str
    problem: str = ""
    p50: float = 0.0
    p95: float = 0.0
    last_success: str = ""
    last_error: str = ""


@dataclass(slots=True)
class Proof:
    """The result of a proof. `client` is the version of the real client, "" if none took part. `client_tried` tells
    whether one was tried.
    """

    hooks: list[HookProof] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    client: str = ""
    client_tried: bool = False


def prove(
    home: str,
    environ: Mapping[str, str],
    client: str,
    store: Callable[[str, str, Mapping[str, str], str], None],
    watch: Callable[[str], None],
) -> Proof:
    """Runs the proof. `client` is the path of the real client, "" for none. `store` stores a text: (data home, folder,
    environment, text). `watch` is called with each step's name. Raises OSError if no temporary folder can be created.
    """
    canary = "-".join(random.SystemRandom().sample(_WORDS, 4))
    proof = Proof()
    with tempfile.TemporaryDirectory(prefix="keepstone-proof-", ignore_cleanup_errors=True) as root:
        stage = Sandbox(root, home, environ)
        store(stage.home, stage.project, stage.env, f"The word of this proof is {canary}")
        said = list(ways(canary))
        stage.say([record for _, _, records in said for record in records])
        watch("each hook, by the recorded contract")
        held = files.lock(stage.home)
        try:
            proof.hooks = [_hook(stage, home, hook, canary) for hook in HOOKS]
        finally:
            if held is not None:
                files.unlock(held)
        watch("the worker")
        proof.checks.append(_learned(stage, {name: heard for name, heard, _ in said}))
        if client:
            watch("the real client")
            proof.client_tried = True
            _client(stage, client, canary, proof)
        stage.work()  # otherwise a worker would find its folder gone
    return proof


def _hook(stage: Sandbox, home: str, hook: Hook, canary: str) -> HookProof:
    times, problem = [], ""
    for _ in range(PROVE_RUNS_TYPED if hook.name == "user-prompt-expansion" else PROVE_RUNS):
        stage.forget()
        try:
            ran = stage.run(hook, **_asked(hook, canary))
        except Broken as failure:
            return HookProof(hook.name, f"can't be run: {failure}")
        times.append(ran.seconds)
        problem = problem or _wrong(stage, hook, ran, canary)
    times.sort()
    p50, p95 = times[len(times) // 2], times[int((len(times) - 1) * 0.95)]
    errors = [line for line in hook_log(home) if line.split(" ")[1:2] == [hook.name]]
    at = iso(runtime.last_success(home, hook.name)) or ""
    return HookProof(hook.name, problem, p50, p95, at, errors[-1].replace(f"{hook.name} ", "") if errors else "")


def _asked(hook: Hook, canary: str) -> dict[str, str]:
    """Returns a prompt that must bring the canary. Each run is a session of its own, because a memory is shown once in
    a session.
    """
    if hook.name != "user-prompt-submit":
        return {}
    return {"session_id": str(uuid.uuid4()), "prompt": f"Is {canary} the word of this proof?"}


def _wrong(stage: Sandbox, hook: Hook, ran: HookRun, canary: str) -> str:
    """Returns what is wrong with a run, in words, or ""."""
    if ran.code:
        return f"left with exit code {ran.code}"
    if hook.name == "pre-tool-use" and not runtime.is_ours(stage.home, stage.env.get("PATH", "")):
        return "asks before each command: another program called `keepstone` comes first on the PATH"
    if hook.name in (*_LEAVES_JOB, *_OBSERVES) and ran.printed:
        return "printed something, which the client would take for its own"
    if hook.name in _LEAVES_JOB:
        kept = any(name.endswith(hook.name) for name in stage.jobs())
        return "" if kept else "accepted nothing: what a session says would be lost"
    if hook.name in _OBSERVES:
        return "" if spool.list_jobs(stage.home, "observed") else "noted nothing of a tool call"
    begins, holds = _PRINTS[hook.name]
    if ran.printed.startswith(begins) and (holds or canary) in ran.printed:
        return ""
    return "printed nothing" if not ran.printed else "printed, but not what is expected of it"


def _learned(stage: Sandbox, said: Mapping[str, str]) -> Check:
    """Checks that what was said in the transcript has become memories: hooks, spool, worker and rules together. `said`
    holds the words that were said by each way.
    """
    stage.work()
    if stage.jobs():
        log = _last_line(os.path.join(stage.home, "logs", "worker.log"))
        return Check("proof of capture", "fail", f"the worker did not do its work{log}", "keepstone bootstrap")
    with closing(Reader(os.path.join(stage.home, "keepstone.db"))) as reader:
        known = [memory.content for memory in reader.listing(None, True, "", 100, float("inf"))]
    lost = [name for name, words in said.items() if not any(words in content for content in known)]
    if len(lost) == len(said):
        return Check("proof of capture", "fail", "the worker ran, but learned nothing", "report it")
    if lost:
        return Check("proof of capture", "fail", f"not learned: {', '.join(lost)}", "report it")
    return Check("proof of capture", "ok", f"learned by the worker: {', '.join(said)}")


def _last_line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().split("\n")
    except OSError:
        return ""
    return next((f": {line}" for line in reversed(lines) if line), "")


def _client(stage: Sandbox, client: str, canary: str, proof: Proof) -> None:
    """Runs a conversation of the real client. Checks that its request contains the canary, that our command ran without
    a question, and that every hook got the fields that it needs.
    """

    def script(body: Mapping[str, Any]) -> list[dict[str, Any]]:
        calls = ("keepstone recent", f"echo {canary}", f"ls {canary}")
        if not body.get("tools") or "tool_result" in str(body["messages"][-1:]) or _ASKED not in str(_last_user(body)):
            return [{"type": "text", "text": "OK"}]
        count = len(api.bodies)
        return [
            {
                "type": "tool_use",
                "id": f"toolu_{count}_{n}",
                "name": "Bash",
                "input": {"command": call, "description": "x"},
            }
            for n, call in enumerate(calls)
        ]

    with closing(Loopback(script)) as api:
        printed = stage.converse(client, (_ASKED, "/keepstone:memory recent", "/compact"), api.url)
        turns = [body for body in api.bodies if body.get("tools")]
    if not turns:
        said = " ".join(printed.split())[-200:]
        proof.checks.append(
            Check("proof of delivery", "fail", f"the client asked no model: {said}", f"{client} --version")
        )
        return
    proof.client = stage.version(client)
    proof.checks += [*_delivered(turns, canary), *_contract(stage.heard())]


def _last_user(body: Mapping[str, Any]) -> Sequence[Any]:
    users = [message for message in body["messages"] if message["role"] == "user"]
    return users[-1:]


def _delivered(turns: Sequence[Mapping[str, Any]], canary: str) -> Iterator[Check]:
    reached = canary in str(turns[0]["messages"]) and "<keepstone-notes" in str(turns[0]["messages"])
    yield (
        Check("proof of delivery", "ok", "the canary was in the first request to the model")
        if reached
        else Check(
            "proof of delivery", "fail", "the canary did not reach the model", "claude plugin validate, and report it"
        )
    )
    answers = [part for body in turns for part in _results(body)]
    unasked = bool(answers) and not any(part.get("is_error") for part in answers)
    yield (
        Check("proof of permission", "ok", "a plain `keepstone` command ran unasked")
        if unasked
        else Check(
            "proof of permission",
            "fail",
            "a plain `keepstone` command was held up",
            "report it with your client's version",
        )
    )


def _results(body: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yields the results of each turn's first command, which must run without a question."""
    for message in body["messages"]:
        for part in message["content"] if isinstance(message["content"], list) else ():
            if part.get("type") == "tool_result" and str(part.get("tool_use_id")).endswith("_0"):
                yield part


def _contract(heard: Mapping[str, list[dict[str, Any]]]) -> Iterator[Check]:
    """Compares the fields that the client sent to each hook with those that the hook needs."""
    for hook in HOOKS:
        told = heard.get(hook.name, [])
        if not told:
            yield Check(
                "proof of the contract",
                "fail",
                f"the client never sent {hook.event}",
                "report it with your client's version",
            )
        lacks = sorted({name for said in told for name in hook.lacks(said)})
        if lacks:
            says = f"the client's {hook.event} does not say {', '.join(lacks)}"
            yield Check(
                "proof of the contract",
                "fail",
                f"{says}: it says {', '.join(sorted(told[0]))}",
                "update Keepstone, or report it",
            )
