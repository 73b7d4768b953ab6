"""The caller and their project: on this machine from the folder, environment and transcripts, on another machine as the
request says.
"""

from __future__ import annotations

import os
from functools import cached_property

from .claude_code import memory_state
from .config import runtime
from .config.provenance import PROJECT, client_home, session_project
from .lib.errors import BadInput
from .lib.fast_json import parse
from .lib.files import read_start
from .lib.limits import UNASKED
from .lib.text import agent_key, session_key
from .model.trust import takes_back
from .project.identity import Identity, identify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .claude_code.transcript_files import Prompts

_HEAD_BYTES = 200_000  # of a transcript, in which it names its session's folder


class Caller:
    """A caller on this machine, in a folder (default: the current one). Raises BadInput if the
    folder does not exist.
    """

    def __init__(self, folder: str | None, environ: Mapping[str, str]) -> None:
        if folder is not None and not os.path.isdir(folder):
            raise BadInput(f"there is no folder {folder}", "--project takes the path of a project's folder")
        self.environ = environ
        self._last: Prompts | None = None
        self.folder = os.path.abspath(folder) if folder else _here()
        self.project_dir = "" if folder else self._project_dir()
        self.identity = self.project_of(self.folder, self.project_dir)

    def _project_dir(self) -> str:
        if self.environ.get(runtime.TYPED):
            return self.environ.get(PROJECT, "")  # the client has told it to the hook that runs this
        return session_project(self.environ, self.folder) or self._begun_in()

    def _begun_in(self) -> str:
        """Returns the folder in which this shell's session began, "" outside of one: the shell may have gone into a
        repository that claims to be another project.
        """
        return _begun_in(self.transcript(session_key(self.session))) if self.session else ""

    def project_of(self, folder: str, project_dir: str) -> Identity | None:
        """Returns the project of a folder of the caller."""
        return identify(folder, project_dir, self.environ.get("HOME", ""))

    @property
    def below(self) -> str:
        """Returns the caller's folder relative to the project's root, or "" for the root itself and outside any
        project.
        """
        root = self.identity.root if self.identity else ""
        inside = os.path.relpath(os.path.realpath(self.folder), root) if root else ""
        return "" if inside.startswith((".", "..")) else inside.replace(os.sep, "/")

    @property
    def notes(self) -> str:
        """Returns the folder of the client's own memory for the caller's folder."""
        return memory_state.folder_of(client_home(self.environ), self.folder)

    @cached_property
    def session(self) -> str:
        """Returns the session that this shell belongs to, or "" outside a session."""
        return runtime.session_of(self.environ, self.folder)

    @property
    def by_model(self) -> bool:
        """Tells whether a session's model may be the caller: it runs in the session's shell, and the user did not type
        the command.
        """
        return bool(self.session) and not self.environ.get(runtime.TYPED)

    @property
    def by_program(self) -> bool:
        """Tells whether a program runs the client that has started this process: no person speaks in its session."""
        return runtime.is_run_by_program(self.environ)

    @property
    def agent(self) -> str:
        return agent_key(self.environ.get(runtime.AGENT))

    def untrusted_reason(self, text: str, session: str, at: float, programs: bool) -> str:
        """Returns why the text of a session's model may come from untrusted content, or "" if the user asked for it or
        it is the model's own. `programs` tells, here and below, whether programs speak for the user.
        """
        return self._prompts(session, at).untrusted_reason(text, programs)

    def asked_at(self, text: str, session: str, at: float, programs: bool) -> float:
        """Returns when the user's last message in a session before a time said this text, UNASKED if it does not."""
        said, then = self._prompts(session, at).last(programs)
        return then if _asks_for(said, text) else UNASKED

    def states(self, text: str, session: str, at: float, programs: bool) -> bool:
        """Tells whether the user's own prompts in a session before a time state what a text says."""
        return self._prompts(session, at).states(text, programs)

    def users_message(self, now: float, programs: bool) -> str:
        """Returns the user's last message in the caller's session, in the user's own words."""
        return self._prompts(session_key(self.session), now).last(programs)[0]

    def _prompts(self, session: str, at: float) -> Prompts:
        """Returns what the user said in a session before a time. The last is kept: one store asks three times."""
        from .claude_code.transcript_files import Prompts

        path = self.transcript(session)
        if self._last is None or (self._last.path, self._last.at) != (path, at):
            self._last = Prompts(path, at)
        return self._last

    def transcript(self, session: str) -> str:
        """Returns the path of a session's transcript, or "" if there is none."""
        try:
            with os.scandir(os.path.join(client_home(self.environ), "projects")) as entries:
                paths = (os.path.join(entry.path, session + ".jsonl") for entry in entries)
                return next((path for path in paths if os.path.isfile(path)), "")
        except OSError:
            return ""


class RemoteCaller(Caller):
    """A caller on another machine, as the request describes it. None of its folders and transcripts
    is on this machine.
    """

    folder, project_dir, notes = "", "", ""
    below, session, by_model, agent = "", "", False, ""
    by_program = False  # whether such a session's words count is part of what that machine tells

    def __init__(
        self,
        identity: Identity | None,
        below: str = "",
        session: str = "",
        by_model: bool = False,
        agent: str = "",
        order: str | None = None,
        said: str = "",
        stated: bool = False,
    ) -> None:
        """`order` is why the text may come from untrusted content, None if that machine does not know; `said` is the
        user's last message there; `stated` tells whether the user's prompts there state the text.
        """
        self.identity = identity
        self.below, self.session, self.by_model, self.agent = below, session, by_model, agent
        self._order, self._said, self._stated = order, said, stated

    def project_of(self, folder: str, project_dir: str) -> Identity | None:
        return self.identity

    def untrusted_reason(self, text: str, session: str, at: float, programs: bool) -> str:
        from .claude_code.untrusted import UNSEEN

        return UNSEEN if self._order is None else self._order

    def asked_at(self, text: str, session: str, at: float, programs: bool) -> float:
        return UNASKED  # that machine tells no time, and what was forgotten since is not to come back

    def states(self, text: str, session: str, at: float, programs: bool) -> bool:
        return self._stated

    def users_message(self, now: float, programs: bool) -> str:
        return self._said

    def transcript(self, session: str) -> str:
        return ""


def _asks_for(said: str, text: str) -> bool:
    from .claude_code.untrusted import is_told

    return is_told(text, said) and not takes_back(said)


def _begun_in(path: str) -> str:
    """Returns the folder in which a transcript's session began, "" if that is unknown. Every command of a session asks,
    so what reads transcripts whole is not loaded.
    """
    for line in read_start(path, _HEAD_BYTES).split("\n") if path else ():
        try:
            record = parse(line)
        except ValueError:
            continue
        cwd = record.get("cwd") if isinstance(record, dict) else None
        if isinstance(cwd, str) and os.path.isabs(cwd):
            return cwd
    return ""


def _here() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        raise BadInput("the folder you are in no longer exists", "cd to a project's folder") from None
