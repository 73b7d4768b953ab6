"""Keepstone: a memory across Claude Code sessions. Nothing is imported here, because hooks pay for every import.

`from keepstone import Memory` loads the Python API.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .api.memory import Memory as Memory


def __getattr__(name: str) -> object:
    if name == "Memory":
        from .api.memory import Memory

        return Memory
    raise AttributeError("module 'keepstone' has no attribute " + repr(name))
