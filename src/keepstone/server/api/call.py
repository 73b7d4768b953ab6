"""What another machine's `keepstone` asks: the methods of `Memory` in the closed list of `calls`, by one route."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from ...api.memory import Memory
from ...api.remote_methods import CALLS, LOCAL
from ...caller import RemoteCaller
from ...lib.errors import BadInput, NotFound
from ...lib.limits import PATH_CHARS
from ...lib.text import agent_key, session_key
from ...project.identity import Identity
from ...remote.protocol import CODEC, KEYS_MOST
from ..memory_cache import MemoryCache
from ..problems import MISSING_OR_CONFLICT
from ..reply import RequestModel, Text, Word, reply, require_name, whole_text

router = APIRouter(prefix="/api/v1", tags=["Other machines"], responses=MISSING_OR_CONFLICT)
Key = Annotated[str, Field(pattern=r"^(git|dir):.", max_length=PATH_CHARS)]
SEED = re.compile("(?:[0-9a-f]{32})?")
Method = Annotated[
    str, Path(description="A method of the Python API.", json_schema_extra={"enum": list(CALLS)}, max_length=64)
]


class Where(RequestModel):
    """Who asks, and of which project, as that machine knows it."""

    machine: str = Field(description="Names the machine: its folders are no other's.", pattern=r"^[0-9a-f]{16}$")
    keys: list[Key] = Field(default_factory=list, max_length=KEYS_MOST, description="Of the project; none outside any.")
    name: Word = Field("", description="Of the project, for people.")
    below: Annotated[str, Field(max_length=PATH_CHARS)] = Field("", description="The folder, from the project's on.")
    session: Word = ""
    agent: Word = ""
    by_model: bool = Field(description="Whether a session's model asks, and not its user.")
    order: Word | None = Field(
        None, description="Why the text may be the words of others, '' for nothing; null where that is not known."
    )
    stated: bool = Field(False, description="Whether the user's prompts in that session state the text themselves.")
    said: Text = Field("", description="What the user has said last in that session, where a model accepts something.")
    at: float | None = Field(None, ge=0, description="When this was asked, in unix seconds, where it had to wait.")


class CallIn(RequestModel):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "where": {"machine": "0123456789abcdef", "keys": ["git:example.org/acme/shop"], "by_model": False},
                    "given": {"query": "billing database"},
                }
            ]
        }
    )

    where: Where
    given: dict[str, Any] = Field(description="What the method takes, by name.")


class CallOut(BaseModel):
    value: Any = Field(description="What the method gives back; of values their fields.")


@router.post("/call/{method}", response_model=CallOut)
def call(request: Request, method: Method, asked: CallIn) -> Response:
    """Does for another machine's `keepstone` what it would do there. What needs the files of a machine is refused."""
    given = _given(method, asked.given)
    memories: MemoryCache = request.app.state.memories
    memory = memories.of_caller(_caller(asked.where), asked.where.at)
    return reply({"value": CODEC.plain(CALLS[method].answers, _act(memory, method)(**given))})


def _act(memory: Memory, method: str) -> Callable[..., Any]:
    """Returns what does that on a memory."""
    call = CALLS[method]
    if method in _SETTLING:
        return partial(_SETTLING[method], memory)
    if call.place is None:
        return partial(call.method, memory.context)
    act: Callable[..., Any] = getattr(getattr(memory, call.place) if call.place else memory, method)
    return act


def _given(method: str, given: dict[str, Any]) -> dict[str, Any]:
    """What a method takes. Raises NotFound for one that may not be called, BadInput for what it does not take."""
    if method in LOCAL:
        says = f"`keepstone {LOCAL[method].command}` is about the files of a machine: it is done there"
        raise BadInput(says, f"keepstone {LOCAL[method].command}, on the server's own machine")
    if method not in CALLS:
        raise NotFound("there is no such method", "GET /openapi.json names them")
    takes = CALLS[method].takes
    unknown = sorted(given.keys() - takes.keys())
    if unknown:
        raise BadInput(f"{method} takes no {whole_text(unknown[0])[:40]!r}", f"one of {', '.join(takes) or 'none'}")
    try:
        found = {name: CODEC.made(takes[name], value) for name, value in given.items()}
    except ValueError as problem:
        raise BadInput(
            f"{method} can't take that: {problem}", "the same version of Keepstone at both machines"
        ) from None
    try:
        CALLS[method].bound(**found)
    except TypeError as problem:
        raise BadInput(f"{method}: {problem}", "GET /openapi.json") from None
    require_name(found.get("session", ""))
    if not SEED.fullmatch(found.get("seed", "")):
        raise BadInput("a seed is 32 hexadecimal digits, made at random", "leave it out")
    return found


def _caller(where: Where) -> RemoteCaller:
    identity = None
    if where.keys:
        for text in (*where.keys, where.name):
            whole_text(text)
        keys = tuple(_of_machine(key, where.machine) for key in where.keys)
        identity = Identity(keys, where.name or "unnamed", "")
    if where.by_model and not where.session:
        raise BadInput("a model asks within a session, and it is not said within which", "where.session")
    session = session_key(require_name(where.session)) if where.session else ""
    agent = agent_key(require_name(where.agent))
    below, said = whole_text(where.below), whole_text(where.said)
    order = None if where.order is None else whole_text(where.order)
    return RemoteCaller(identity, below, session, where.by_model, agent, order, said, where.stated)


def _of_machine(key: str, machine: str) -> str:
    """A folder's key as that of a folder over there: what lies here under this path is another."""
    return f"dir:{machine}:{key.removeprefix('dir:')}" if key.startswith("dir:") else key


def _confirm(memory: Memory, proposals: Sequence[str]) -> Any:
    return memory.review.confirm(_proposed(memory, proposals))


def _reject(memory: Memory, proposals: Sequence[str]) -> Any:
    return memory.review.reject(_proposed(memory, proposals))


def _proposed(memory: Memory, keys: Sequence[str]) -> list[Any]:
    """The proposals of some keys, as they are made here: what comes from elsewhere proposes nothing."""
    waiting = {one.key: one for one in memory.review.review(everything=True)} if keys else {}
    for key in keys:
        if key not in waiting:
            raise NotFound(f"nothing is proposed for {key[:20]}", "keepstone review shows the keys")
    return [waiting[key] for key in keys]


_SETTLING: dict[str, Callable[..., Any]] = {"confirm": _confirm, "reject": _reject}
