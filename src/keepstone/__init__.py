"""Keepstone: a memory across Claude Code sessions. Nothing is imported here, because hooks pay for every import.

`from keepstone import Memory` loads the Python API.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .api.memory import Memory as Memory
    from .version import __version__ as __version__


def __getattr__(name: str) -> object:
    if name == "Memory":
        from .api.memory import Memory

        return Memory
    if name == "__version__":
        from .version import __version__

        return __version__
    raise AttributeError("module 'keepstone' has no attribute " + repr(name))
