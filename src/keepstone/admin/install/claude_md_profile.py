"""Writes a new user's answers as `## User Profile` into the user's own CLAUDE.md. Uninstall removes them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from ...config import runtime
from ...lib.errors import KeepstoneError
from . import marked_block
from .changes import InstallTarget
from .file_changes import Block, make
from .setup import begin

FLAG, NAME = "onboard --profile", "profile"


def write_profile(place: InstallTarget, lines: Sequence[str]) -> Iterator[str]:
    """Writes the lines in place of earlier ones. Yields what to print. Raises KeepstoneError, with nothing changed, if
    the section was changed by hand or the file is in a repository.
    """
    body = "\n".join(["## User Profile", "", *(f"- {line}" for line in lines)])
    vacant = marked_block.body(place.read("CLAUDE.md.template"), NAME) or ""
    piece = Block(os.path.join(place.client, "CLAUDE.md"), NAME, body, vacant)
    if git := _repository_of(piece.target):
        says = f"{place.short(piece.path)} lies in a repository ({place.short(git)}): who you are is not written there"
        raise KeepstoneError(says, "the memories hold it all the same: keepstone recent --type fact")
    record = begin(place)
    done = make(record, FLAG, piece)
    record.save()
    runtime.record_plugin(place.home, place.plugin)
    yield f"{done} {place.short(piece.path)}" if done else f"{place.short(piece.path)}: done already"


def _repository_of(path: str) -> str:
    """Returns the repository that contains a file, "" for none."""
    folder = os.path.dirname(path)
    while not os.path.exists(os.path.join(folder, ".git")):
        if folder == os.path.dirname(folder):
            return ""
        folder = os.path.dirname(folder)
    return folder
