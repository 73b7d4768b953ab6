"""`remote.Memory`: the same as `keepstone.memory.Memory`, of another machine's `keepstone serve`.

    memory = remote.Memory(environ={**os.environ, "KEEPSTONE_SERVER_URL": "https://keepstone.example.org"})
    memory.search("deploy")

The methods of `calls` are asked there; what needs that machine's files says so; what is to be stored while the server
is away is kept here, and sent to it once.
"""

from __future__ import annotations

import functools
import inspect
import math
import os
import secrets
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from . import files, memory, runtime, spool
from .calls import CALLS, CODEC, THERE
from .core.address import is_private, need_address
from .core.defaults import COPY_DAYS, COPY_SECONDS, DAY_SECONDS, SEND_SECONDS, WORKER_SEND_SECONDS
from .core.errors import BadInput, KeepstoneError, Kept, NotFound, StoreError, Unreachable
from .core.policies import Policies
from .core.text import digest, session_key
from .core.trust import acceptances
from .core.view import Hit
from .courier import Courier, answered
from .ops.accept import require_sound
from .ops.status import Status
from .peer import Peer
from .project import Identity
from .settings import Loaded
from .store.engines import open_reader
from .store.seen import folders

if TYPE_CHECKING:
    from .ops.work import Worked
    from .store.relay import Relay

T = TypeVar("T")
TEXTS = {
    "store": "text",
    "revise": "text",
    "rate": "note",
    "relate": "notes",
    "merge": "text",
}  # what is judged of each
SETTLES = ("trust", "confirm")  # what a session's model may do of what waits, where the user has said so
HERE = ("doctor", "prove", "work", "explain")  # of what is done on a machine, what is about this one


def need_server(settings: Loaded) -> str:
    """The address of the server that is set. Raises BadInput for one that the token may not go to."""
    if refused := settings.refused.get("server_url"):
        raise BadInput(refused, "keepstone config server_url https://..., or unset KEEPSTONE_SERVER_URL")
    if not settings["server_url"]:
        raise BadInput(
            "no server is set", "keepstone config server_url https://..., or export KEEPSTONE_SERVER_URL=..."
        )
    url = need_address(str(settings["server_url"]))
    if not (is_private(url) or settings["server_plain"]):
        says = f"what goes to {url} is not encrypted: others could read the token and the memories on their way"
        raise BadInput(says, "https://..., or in a network that you trust (a VPN): keepstone config server_plain 1")
    return url


class Memory(memory.Memory):
    """The memories of a server, seen from one folder's project here. Raises BadInput where no server is set."""

    def __init__(
        self,
        home: str | None = None,
        folder: str | None = None,
        environ: Mapping[str, str] = os.environ,
        clock: Callable[[], float] = time.time,
        policies: Policies | None = None,
    ) -> None:
        """`home` is this machine's data home: its settings, and what is kept for the server."""
        super().__init__(home, folder, environ, clock, policies)
        self.url = need_server(self.settings)
        self.peer = Peer(self.url, environ.get(runtime.TOKEN, ""), self.home, clock)

    # Asking

    def _asked(self, method: str, given: dict[str, Any]) -> Any:
        """What a method answers there, after it has what was kept for it, if it takes that."""
        try:
            self.send(SEND_SECONDS)
        except Unreachable:
            raise
        except KeepstoneError as problem:
            self._log(f"what is kept for {self.url} waits: {problem.message}")
        return answered(self.peer, method, self.peer.ask(method, self._body(method, given)))

    def _body(self, method: str, given: dict[str, Any]) -> dict[str, Any]:
        """What is asked, from where. No secret leaves this machine in a text."""
        call, place = CALLS[method], TEXTS.get(method, "")
        text = str(given.get(place) or "")
        if text or given.get("tags"):
            given = {**given, **self._redacted(place, given)}
        try:
            plain = {name: CODEC.plain(call.takes[name], _listed(value)) for name, value in given.items()}
        except ValueError as problem:
            raise BadInput(f"{method} can't take that: {problem}", "keepstone --help") from problem
        return {"where": self._where(method, text), "given": plain}

    @staticmethod
    def _redacted(place: str, given: dict[str, Any]) -> dict[str, Any]:
        from .redact import redact

        found = {name: redact(given[name]) for name in (place,) if given.get(name)}
        return {**found, **({"tags": [redact(tag) for tag in given["tags"]]} if given.get("tags") else {})}

    def _where(self, method: str, text: str) -> dict[str, Any]:
        """Who asks and from where: with what only this machine's transcripts tell, where a session's model does."""
        here, identity = self.caller, self.identity
        said = acceptances(here.said(self.clock())) if here.by_model and method in SETTLES else []
        return {
            "machine": self._machine,
            "keys": list(identity.keys) if identity else [],
            "name": identity.name[:500] if identity else "",
            "below": here.below,
            "session": session_key(here.session) if here.session else "",
            "agent": here.agent,
            "by_model": here.by_model,
            "order": self._outside_here(text) if here.by_model and method in TEXTS else None,
            "said": "\n".join(said),
        }

    @functools.cached_property
    def _machine(self) -> str:
        """What names this machine to servers, made once."""
        path = os.path.join(self.home, "machine")
        files.begin(path, secrets.token_hex(8))
        found = files.read(path).strip()
        if len(found) != 16:
            raise StoreError(f"{path} can't be written or read", "keepstone doctor")
        return found

    # Storing, also while the server is away

    def store(self, text: str, **more: Any) -> tuple[Hit, bool]:
        """As `keepstone.memory.Memory.store`. Raises Kept where the server does not take it: then it is kept here."""
        given = _bound("store", self, text, **more)
        given["seed"] = given["seed"] or uuid.uuid4().hex
        require_sound({**given, "at": self.clock()})
        body = self._body("store", given)
        try:
            self.send(SEND_SECONDS)
            stored = answered(self.peer, "store", self.peer.ask("store", body))
            if self._session:
                runtime.wake(self.home, self.clock())  # its next hook has the copy renewed
            return stored  # type: ignore[no-any-return]
        except StoreError as problem:
            body["where"]["at"] = self.clock()
            spool.keep_unsent(self.home, given["seed"], {"url": self.url, "body": body}, self.clock())
            runtime.wake(self.home, self.clock())
            says = f"{problem.message}. It is kept here, and sent with the first command that reaches the server"
            raise Kept(says, "keepstone work") from problem

    def send(self, seconds: float, again: bool = False) -> int:
        """Sends for so long what is kept for this server, the oldest first; how many it has taken. One that it does not
        want stays, and is sent `again` only when asked for. Raises Unreachable.
        """
        if not spool.names(self.home, spool.UNSENT):
            return 0
        held = spool.lock(self.home, name="sender")
        if held is None:
            return 0  # another process is at it
        sent, until = 0, time.monotonic() + seconds
        try:
            for name, payload in spool.unsent(self.home):
                if payload.get("url") != self.url or (payload.get("refused") and not again):
                    continue
                sent += self._sent(name, payload)
                if time.monotonic() > until:
                    break
        finally:
            spool.unlock(held)
        return sent

    def _sent(self, name: str, payload: dict[str, Any]) -> bool:
        try:
            self.peer.ask("store", payload["body"])
        except (BadInput, NotFound) as problem:
            spool.refuse_unsent(self.home, name, payload, problem.message)
            return False
        spool.drop_unsent(self.home, name)
        return True

    # The worker of this machine

    def work(self, *, wait: bool = False, retry: bool = False, held: int | None = None) -> Worked | None:
        """Does what waits in this machine's spool, tells the server, and renews what hooks read. What the server does
        not take waits.
        """
        from .ops.work import Worked

        typed = held is None
        if typed:
            self.peer.hope()
        sent, waits = self._tried(lambda: self.send(math.inf if typed else WORKER_SEND_SECONDS, retry))
        if sent:
            self._log(f"{sent} memories sent to the server")
        worked, why = self._tried(lambda: super(Memory, self).work(wait=wait, retry=retry, held=held))
        if why:
            worked = Worked(waiting=len(spool.names(self.home, "new")))
        if worked is not None:
            worked.sent, worked.unsent, worked.unsent_why = sent or 0, self.unsent, why or waits
        return worked

    def _tried(self, act: Callable[[], T]) -> tuple[T | None, str]:
        """What an act gives, or why it gives nothing."""
        try:
            return act(), ""
        except KeepstoneError as problem:
            self._log(f"what is kept for {self.url} waits: {problem.message}")
            runtime.wake(self.home, self.clock() + COPY_SECONDS)
            return None, problem.message

    def _work(self, before: Worked | None) -> Worked:
        """The copy is renewed first: while the server is away nothing is taken out of the spool."""
        from .ops.observe import drain
        from .ops.work import work
        from .redact import redact
        from .similar import ratio
        from .store.read_copy import ready
        from .store.relay import Relay
        from .store.writer import Writer

        ready(self.copy)
        store = Writer(self.copy, ratio)
        relay = Relay(store, self._courier({}), lambda: self._renew_copy(relay))
        try:
            self._renew_copy(relay)
            worked = work(
                self.home,
                store,
                self._capture(store, relay),
                self._keep_here,
                observe=lambda: drain(self.home, store, redact, self.environ.get("HOME", ""), self._log),
                now=self.clock,
                log=self._log,
            )
            if worked.done:
                self._renew_copy(relay)
        finally:
            store.close()
        worked.done += before.done if before else 0
        return worked

    @property
    def copy(self) -> str:
        """The file of the server's memories that this machine's hooks read."""
        return runtime.database_file(self.home, self.environ, self.url)

    def _renew_copy(self, relay: Relay) -> None:  # type: ignore[override]
        """Tells what was shown here, and takes over what has changed there, of the projects in which sessions were seen
        here.
        """
        from .store.read_copy import exchanged, opened

        now = self.clock()
        with closing(open_reader(self.copy)) as reader:
            seen = folders(reader, now - COPY_DAYS * DAY_SECONDS)
        places: dict[str, Identity] = {}
        for folder in seen:
            if (identity := self._place(folder)) and (project := relay.project(identity, "", now)):
                keys = places[project].keys if project in places else ()
                places[project] = Identity((*keys, *identity.keys), identity.name, identity.root)
        courier = self._courier(places)
        with opened(self.copy) as copy:
            told, taken = exchanged(
                copy,
                lambda shown: courier.count_shown(self._place(shown.folder), shown),
                courier,
                list(places),
                now,
            )
        if told or taken:
            self._log(f"read copy: {told} deliveries told, {taken} memories taken over")
        runtime.wake(self.home, now + COPY_SECONDS)

    def _place(self, folder: str) -> Identity | None:
        return self.caller.project_of(folder, "") if os.path.isdir(folder) else None

    def _courier(self, places: Mapping[str, Identity]) -> Courier:
        return Courier(self.peer, self._machine, places, self.clock())

    def _keep_here(self, given: Mapping[str, Any]) -> tuple[str, bool]:
        """Stores what was to be stored before a server was set: it is this machine's own."""
        own = memory.Memory(self.home, self.folder, self.environ, self.clock, self.policies)
        own._migrate()
        with closing(own.backend.writer(own.database)) as store:
            return own._store(store, given, digest(repr(given["at"]), given["text"]))

    @property
    def unsent(self) -> int:
        """How many memories are kept here for servers."""
        return len(spool.names(self.home, spool.UNSENT))

    def status(self, *, everything: bool = False) -> Status:
        from dataclasses import replace

        found: Status = self._asked("status", {"everything": everything})
        return replace(found, server=self.url, unsent=self.unsent)

    # What is on this machine

    def around(self, shown: Hit) -> list[dict[str, Any]]:
        """As there, of the sessions that this machine has the transcripts of."""
        from .ops.around import around
        from .redact import redact

        return around(self.caller.transcript, shown, redact)

    def spool_store(self, text: str, **more: Any) -> str:
        raise StoreError(
            f"the memories are at {self.url}: storing there needs Keepstone's packages", "keepstone bootstrap"
        )

    # Nothing is ever read or written of this machine's own memories

    @contextmanager
    def _reader(self) -> Iterator[Any]:
        self._there("that")
        yield

    @contextmanager
    def _writer(self) -> Iterator[Any]:
        self._there("that")
        yield

    @contextmanager
    def _loader(self, dry_run: bool) -> Iterator[Any]:
        self._there("import")
        yield

    def _there(self, command: str) -> NoReturn:
        says = f"the memories are at {self.url}, and `keepstone {command}` is done on that machine"
        raise BadInput(says, f"KEEPSTONE_SERVER_URL= keepstone {command} is about this machine's own memories")


def _bound(method: str, *args: Any, **more: Any) -> dict[str, Any]:
    """What a method is given, by name, with what it takes by default. Raises TypeError as calling it does."""
    bound = inspect.signature(getattr(memory.Memory, method)).bind(*args, **more)
    bound.apply_defaults()
    given = dict(list(bound.arguments.items())[1:])
    return {**given.pop("asked", {}), **given}


def _listed(value: Any) -> Any:
    """An iterable as a list, which goes over the wire; of a proposal the key that names it."""
    if isinstance(value, (str, int, float, dict)) or not hasattr(value, "__iter__"):
        return value
    return [getattr(one, "key", one) for one in value]


def _far(method: str) -> Callable[..., Any]:
    @functools.wraps(getattr(memory.Memory, method))
    def asked(self: Memory, *args: Any, **more: Any) -> Any:
        return self._asked(method, _bound(method, self, *args, **more))

    return asked


def _there(method: str) -> Callable[..., Any]:
    @functools.wraps(getattr(memory.Memory, method))
    def refused(self: Memory, *args: Any, **more: Any) -> Any:
        self._there(THERE[method])

    return refused


for _name in CALLS.keys() - Memory.__dict__.keys():
    setattr(Memory, _name, _far(_name))
for _name in THERE.keys() - set(HERE):
    setattr(Memory, _name, _there(_name))
