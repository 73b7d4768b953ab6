"""The errors that are shown to users.

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
    """Returns the name of the error's class in KINDS, for the header of a server's answer."""
    return next(name for name, kind in KINDS.items() if isinstance(error, kind))


def access_hint(home: str) -> str:
    """Returns the command that makes a data home accessible to its owner."""
    return "chmod -R u+rwX '" + home.replace("'", "'\\''") + "', or export KEEPSTONE_HOME=/another/folder"


def away(path: str) -> str:
    """Returns the command that moves a file out of the database's path."""
    quoted = path.replace("'", "'\\''")
    return "move it away to start anew: mv '" + quoted + "' '" + quoted + ".old'"
