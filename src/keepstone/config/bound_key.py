"""Binds a key to the address that it was first used with: no other address gets it, whoever sets another one."""

from __future__ import annotations

import os

from ..lib import files
from ..lib.errors import BadInput
from ..lib.fast_json import dump, parse
from ..lib.text import digest

_FILE = "keys.json"  # in the data home: digests of keys, and the address of each


def bind_key(home: str, setting: str, variable: str, key: str, address: str) -> None:
    """Notes the address of a key. Raises BadInput if the key is known to be for another address. `setting` is the
    setting of the address, `variable` the environment variable of the key.
    """
    name = f"{variable}:{digest(variable, key)}"
    known = _known(home)
    before = known.get(name)
    if before is not None and before != address:
        raise BadInput(
            f"{variable} holds the key for {before}, which is not sent to {address}",
            f"keepstone config {setting} {address}, if that key is for this address too",
        )
    if before is None:
        try:
            files.write(os.path.join(home, _FILE), dump({**known, name: address}))
        except OSError:
            pass  # a data home that can't be written is told elsewhere


def release_keys(home: str, variable: str) -> None:
    """Forgets the addresses of a variable's keys, since a person has set another address."""
    left = {name: address for name, address in _known(home).items() if not name.startswith(variable + ":")}
    files.write(os.path.join(home, _FILE), dump(left))


def _known(home: str) -> dict[str, object]:
    try:
        found = parse(files.read(os.path.join(home, _FILE)))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
