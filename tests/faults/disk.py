"""A layer between SQLite and the disk: a VFS that tells a watcher of each write, sync and removal before it is done.

Made with ctypes over the SQLite that Python itself uses, so that the code under test is not touched at all. Structures:
https://sqlite.org/c3ref/vfs.html and https://sqlite.org/c3ref/io_methods.html.
"""

from __future__ import annotations

import _sqlite3
import ctypes as c
from collections.abc import Callable
from typing import Any

Watcher = Callable[[str, str], int]  # (what, path) to an SQLite code that is answered in place of it, 0 for none

FULL, IOERR_WRITE, IOERR_FSYNC, IOERR_TRUNCATE, IOERR_DELETE, CANTOPEN = 13, 778, 1034, 1546, 2570, 14
WRITING = 0x6  # SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
_P, _I, _L = c.c_void_p, c.c_int, c.c_longlong


class IoMethods(c.Structure):
    _fields_ = [
        ("iVersion", _I),
        *((name, _P) for name in ("xClose", "xRead", "xWrite", "xTruncate", "xSync", "xFileSize", "xLock", "xUnlock")),
        *((name, _P) for name in ("xCheckReservedLock", "xFileControl", "xSectorSize", "xDeviceCharacteristics")),
        *((name, _P) for name in ("xShmMap", "xShmLock", "xShmBarrier", "xShmUnmap", "xFetch", "xUnfetch")),
    ]


class Vfs(c.Structure):
    _fields_ = [
        ("iVersion", _I),
        ("szOsFile", _I),
        ("mxPathname", _I),
        ("pNext", _P),
        ("zName", c.c_char_p),
        ("pAppData", _P),
        *((name, _P) for name in ("xOpen", "xDelete", "xAccess", "xFullPathname", "xDlOpen", "xDlError", "xDlSym")),
        *((name, _P) for name in ("xDlClose", "xRandomness", "xSleep", "xCurrentTime", "xGetLastError")),
        *((name, _P) for name in ("xCurrentTimeInt64", "xSetSystemCall", "xGetSystemCall", "xNextSystemCall")),
    ]


class File(c.Structure):
    _fields_ = [("methods", c.POINTER(IoMethods))]


_OPEN = c.CFUNCTYPE(_I, _P, _P, _P, _I, _P)
_DELETE = c.CFUNCTYPE(_I, _P, c.c_char_p, _I)
_SLEEP = c.CFUNCTYPE(_I, _P, _I)
_WRITE = c.CFUNCTYPE(_I, _P, _P, _I, _L)
_TRUNCATE = c.CFUNCTYPE(_I, _P, _L)
_SYNC = c.CFUNCTYPE(_I, _P, _I)


def library() -> Any:
    """The SQLite of this Python, None where it is built in without its names."""
    try:
        found = c.CDLL(_sqlite3.__file__)
        found.sqlite3_vfs_find.restype = c.POINTER(Vfs)
        return found
    except (AttributeError, OSError):
        return None


class Disk:
    """From `install` on, every database of this process is opened through the layer. Without `waits` the time that
    SQLite waits for a lock is over at once.
    """

    def __init__(self, watch: Watcher, waits: bool = True) -> None:
        self.watch = watch
        self.waits = waits
        self.paths: dict[int, str] = {}
        self.tables: dict[int, tuple[IoMethods, IoMethods]] = {}
        self.kept: list[Any] = []  # what C holds pointers to

    def install(self) -> None:
        sqlite = library()
        self.original = sqlite.sqlite3_vfs_find(None)
        self.vfs = Vfs()
        c.memmove(c.byref(self.vfs), self.original, c.sizeof(Vfs))
        self.vfs.zName, self.vfs.pNext = b"watched", None
        self._open = _OPEN(self.original.contents.xOpen)
        self._delete = _DELETE(self.original.contents.xDelete)
        self.vfs.xOpen = self._kept(_OPEN(self.open))
        self.vfs.xDelete = self._kept(_DELETE(self.delete))
        if not self.waits:
            self.vfs.xSleep = self._kept(_SLEEP(lambda vfs, microseconds: microseconds))
        if sqlite.sqlite3_vfs_register(c.byref(self.vfs), 1):
            raise RuntimeError("SQLite takes no other VFS")

    def _kept(self, made: Any) -> int | None:
        self.kept.append(made)
        return c.cast(made, _P).value

    def open(self, vfs: int, name: int | None, file: int, flags: int, out: int) -> int:
        path = c.string_at(name).decode() if name else ""
        code = self.watch("open", path) if path and flags & WRITING else 0
        code = code or self._open(c.addressof(self.original.contents), name, file, flags, out)
        if not code:
            self.paths[file] = path
            opened = c.cast(file, c.POINTER(File)).contents
            opened.methods = c.pointer(self._table(opened.methods))
        return CANTOPEN if code == FULL else code

    def _table(self, original: Any) -> IoMethods:
        """The methods of a kind of file, with ours where it is written; one table for each that SQLite has."""
        address = c.addressof(original.contents)
        if address not in self.tables:
            table = IoMethods()
            c.memmove(c.byref(table), original, c.sizeof(IoMethods))
            table.xWrite = self._method(_WRITE, original.contents.xWrite, "write", IOERR_WRITE)
            table.xTruncate = self._method(_TRUNCATE, original.contents.xTruncate, "truncate", IOERR_TRUNCATE)
            table.xSync = self._method(_SYNC, original.contents.xSync, "sync", IOERR_FSYNC)
            self.tables[address] = (table, original.contents)
        return self.tables[address][0]

    def _method(self, kind: Any, address: int, what: str, code: int) -> int | None:
        real = kind(address)

        def method(file: int, *given: Any) -> int:
            answer = self.watch(what, self.paths.get(file, ""))
            if answer:
                return answer if answer == FULL and what == "write" else code
            done: int = real(file, *given)
            if what == "sync" and not done:
                self.watch("synced", self.paths.get(file, ""))
            return done

        return self._kept(kind(method))

    def delete(self, vfs: int, name: bytes, sync: int) -> int:
        if self.watch("remove", name.decode()):
            return IOERR_DELETE
        done: int = self._delete(c.addressof(self.original.contents), name, sync)
        return done
