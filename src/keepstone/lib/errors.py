"""The family of errors that a person is meant to see.

KeepstoneError          something expected went wrong: what happened, and in `hint` what to type next
├── BadInput        the words of the call can't be taken (exit code 2 at the command line)
│   └── BadLine     a line of a file that it names can't be
├── NotFound        no such memory
├── StateError      the state of a memory does not allow it
└── StoreError      the database can't be used: missing, locked, read-only, damaged, newer than this code
    ├── Unreachable a server does not answer
    └── Queued      nor take what is to be stored, which is kept here and sent to it later
"""

from __future__ import annotations


class KeepstoneError(Exception):
    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class BadInput(KeepstoneError):
    pass


class BadLine(BadInput):
    def __init__(self, number: int, says: str, hint: str = "") -> None:
        super().__init__(f"line {number:,}: {says}", hint)


class NotFound(KeepstoneError):
    pass


class StateError(KeepstoneError):
    pass


class StoreError(KeepstoneError):
    pass


class Unreachable(StoreError):
    pass


class Queued(StoreError):
    pass


KIND = "keepstone-error"  # the header in which a server tells of which kind an error is
KINDS = {kind.__name__: kind for kind in (BadInput, NotFound, StateError, StoreError, KeepstoneError)}


def kind_of(error: KeepstoneError) -> str:
    """The name of an error's kind, for another machine."""
    return next(name for name, kind in KINDS.items() if isinstance(error, kind))


def access_hint(home: str) -> str:
    """What to type where a data home is closed to its own user."""
    return "chmod -R u+rwX '" + home.replace("'", "'\\''") + "', or export KEEPSTONE_HOME=/another/folder"


def away(path: str) -> str:
    """What to type where something else stands in the database's place."""
    quoted = path.replace("'", "'\\''")
    return "move it away to start anew: mv '" + quoted + "' '" + quoted + ".old'"
