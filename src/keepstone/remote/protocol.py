"""Collects the methods that a server may be asked for, by their marks: `@remote` for a method that the server runs,
`@local` for one that needs the files of its machine. No other method is ever called, and no other class is ever made.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from ..context import elsewhere
from ..lib.limits import LISTING_LIMIT_MAX
from ..model.anchor import Doubt
from ..model.filter import Filter
from ..model.hit import Hit
from ..model.importance import Factor
from ..model.memory import COLUMNS, StoredMemory
from ..recall.brief import Brief
from ..recall.search import Results
from .codec import Codec, IntRange

Method = TypeVar("Method", bound=Callable[..., Any])

KEYS_MOST = 4  # keys of a project: usually a remote and a folder
MANY, FROM = IntRange(1, LISTING_LIMIT_MAX), IntRange(0, 10**9)
_WORDS, _NUMBERS = str | None, float | None
_INTEGERS = "seq pinned access_count retrieval_count use_count up_votes down_votes version".split()
_TIMES = "accessed_at used_at verified_at expires_at deadline_at pagerank".split()  # and another optional number
CODEC = Codec(
    {
        StoredMemory: {
            **dict.fromkeys(COLUMNS, str),
            **dict.fromkeys(("project_id", "status_reason", "session_id", "community"), _WORDS),
            **dict.fromkeys(_INTEGERS, int),
            **dict.fromkeys(("relevance", "confidence", "created_at", "updated_at"), float),
            **dict.fromkeys(_TIMES, _NUMBERS),
        },
        Doubt: {"file": str, "branch": str, "rivals": list[str]},
        Factor: {"name": str, "weight": float, "value": _NUMBERS},
        Hit: {
            **{"memory": StoredMemory, "short_id": str, "project": _WORDS, "facets": list[tuple[str, str]]},
            "evidence": list[tuple[str | None, str, str, str, float]],
            **{"score": _NUMBERS, "related": list[tuple[str, str, bool]], "doubt": Doubt, "importance": _NUMBERS},
            "ratings": list[tuple[str, str, float]],
        },
        Results: {"found": list[Hit], "searched": int, "elsewhere": int},
        Brief: {"text": str, "ids": list[str]},
        Filter: {
            **dict.fromkeys(("tag", "file", "tier", "agent", "of_session"), str),
            **dict.fromkeys(("since", "before"), _NUMBERS),
        },
    }
)
# The kind of a parameter, by its annotation. The range of a whole number follows from the parameter's name.
_KINDS: dict[str, Any] = {
    **{"str": str, "bool": bool, "float": float, "str | None": _WORDS, "float | None": _NUMBERS, "Filter": Filter},
    **dict.fromkeys(("Sequence[str]", "Iterable[str]"), list[str]),
}
_RANGES = {"limit": MANY, "offset": FROM}


class RemoteMethod:
    """A method that a server runs: the kind of its answer, and of each parameter."""

    def __init__(
        self, method: Callable[..., Any], answers: Any, takes: dict[str, Any], text: str = "", accepts: bool = False
    ) -> None:
        """`takes` holds kinds that the annotations do not tell. `text` names the parameter whose author is judged.
        `accepts` marks a method that a session's model may only use if the user has said so.
        """
        self.method = method
        self.name = method.__name__
        self.place = _place(method)
        self.answers = answers
        self.text = text
        self.accepts = accepts
        self._takes = takes

    @functools.cached_property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """Returns the parameters without the first one, which is the object or the context."""
        return dict(list(inspect.signature(self.method).parameters.items())[1:])

    @functools.cached_property
    def takes(self) -> dict[str, Any]:
        return {name: self._takes.get(name) or self._kind(one) for name, one in self.parameters.items()}

    @staticmethod
    def _kind(parameter: inspect.Parameter) -> Any:
        kinds = _RANGES if parameter.annotation == "int" else _KINDS
        key = parameter.name if parameter.annotation == "int" else parameter.annotation
        if key not in kinds:
            raise TypeError(f"@remote is not told the kind of the parameter {parameter}")
        return kinds[key]

    def bound(self, *args: Any, **given: Any) -> dict[str, Any]:
        """Returns the arguments by name, with defaults. Raises TypeError as calling the method does."""
        found = inspect.signature(self.method).bind(None, *args, **given)
        found.apply_defaults()
        return dict(list(found.arguments.items())[1:])


class LocalMethod(NamedTuple):
    """A method that needs the files of its machine, and the command that does the same there."""

    place: str | None
    command: str
    about_client: bool


def _place(method: Callable[..., Any]) -> str | None:
    """Returns the namespace of a method: "" for `Memory` itself, None for a function of a context."""
    place, _, _ = method.__qualname__.rpartition(".")
    return (place.lower() if place != "Memory" else "") if place else None


CALLS: dict[str, RemoteMethod] = {}  # by name, for the modules that are loaded: `api.remote_methods` loads all
LOCAL: dict[str, LocalMethod] = {}  # methods that need the files of their machine


def remote(
    *, answers: Any, takes: dict[str, Any] | None = None, text: str = "", accepts: bool = False
) -> Callable[[Method], Method]:
    """Marks a method that runs on the server if one is set. For the parameters see `RemoteMethod`."""

    def mark(method: Method) -> Method:
        call = _registered(RemoteMethod(method, answers, takes or {}, text, accepts))

        @functools.wraps(method)
        def run(self: Any, *args: Any, **given: Any) -> Any:
            server = self.context.server
            if server is None:
                return method(self, *args, **given)
            return server.ask(call.name, call.bound(*args, **given))

        run.mark = call  # type: ignore[attr-defined]
        return run  # type: ignore[return-value]

    return mark


def served(*, answers: Any, takes: dict[str, Any] | None = None) -> Callable[[Method], Method]:
    """Registers a function of a context that only other machines ask for."""

    def mark(method: Method) -> Method:
        _registered(RemoteMethod(method, answers, takes or {}))
        return method

    return mark


def _registered(call: RemoteMethod) -> RemoteMethod:
    if call.name in CALLS:
        raise TypeError(f"two methods are called {call.name}")
    CALLS[call.name] = call
    return call


def local(command: str = "", *, about_client: bool = False) -> Callable[[Method], Method]:
    """Marks a method that needs the files of its machine. `command` does the same on the server's machine; the error
    names it if a server is set. With `about_client`, the method concerns the client's machine and always runs there.
    """

    def mark(method: Method) -> Method:
        found = LocalMethod(_place(method), command, about_client)
        if command:
            LOCAL[method.__name__] = found

        @functools.wraps(method)
        def run(self: Any, *args: Any, **given: Any) -> Any:
            if self.context.server is not None and not about_client:
                raise elsewhere(self.context.server, command)
            return method(self, *args, **given)

        run.mark = found  # type: ignore[attr-defined]
        return run  # type: ignore[return-value]

    return mark
