"""The family of errors that a person is meant to see.

CairnError          something expected went wrong: what happened, and in `hint` what to type next
├── BadInput        the words of the call can't be taken (exit code 2 at the command line)
├── NotFound        no such memory
└── StoreError      the database can't be used: missing, locked, read-only, damaged, newer than this code
"""

from __future__ import annotations


class CairnError(Exception):
    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class BadInput(CairnError):
    pass


class NotFound(CairnError):
    pass


class StoreError(CairnError):
    pass
