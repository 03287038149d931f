"""Files that are written whole before they get their place, and that nobody is left with if this process is killed.

Where the system has files without a name (Linux), a draft is one until it is put in its place, and vanishes with the
process. Elsewhere it has the name ``.symattn-….new`` from the start. Whoever writes a draft holds a lock on it, which
ends with the process too: a draft without one is a leftover (:mod:`symattn.files.journal`).
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from select import select

if sys.platform != "win32":
    import fcntl

START = ".symattn-"
"""What the names of drafts and journals start with."""

STREAMS = Path("/proc/self/fd")
"""The streams of this process, by which a file without a name can be named."""


@dataclass(frozen=True)
class PendingFile:
    """A file that is written and has no place yet; ``name`` is what it is called on the way there."""

    name: Path
    target: Path
    stream: FileIO
    is_named: bool

    @classmethod
    def of(cls, data: bytes, name: Path, target: Path, stack: ExitStack) -> PendingFile:
        """Write ``data`` down to the disk, with the mode of what ``target`` is now, or of a new file.

        When the stack ends, nothing is left but what was put in its place.
        """
        mode = target.stat().st_mode & 0o777 if target.exists() else None
        handle, is_named = _opened(name, 0o666 if mode is None else mode)
        stream = stack.enter_context(FileIO(handle, "r+"))
        draft = cls(name, target, stream, is_named)
        stack.callback(draft.drop)
        is_locked(stream)
        write(stream, data)
        if mode is not None and sys.platform != "win32":
            os.fchmod(handle, mode)
        os.fsync(handle)
        return draft

    def give_name(self) -> None:
        """From now on another process could find it."""
        if not self.is_named:
            # The number of a folder, which an absolute path has no use for, is what makes Python follow the link.
            handle = self.stream.fileno()
            os.link(STREAMS / str(handle), self.name.absolute(), src_dir_fd=handle, follow_symlinks=True)

    def put(self) -> None:
        """Put it in its place: whoever reads that sees the whole old file until now, and the whole new one from now."""
        if sys.platform == "win32":
            self.stream.close()  # there nothing is renamed while it is open
        self.name.replace(self.target)

    def drop(self) -> None:
        """Take its name away, if it has one still."""
        with suppress(OSError):
            self.name.unlink()


def _opened(name: Path, mode: int) -> tuple[int, bool]:
    """A new file to write and read, and whether it has its name already."""
    if sys.platform == "linux" and STREAMS.is_dir():
        with suppress(OSError):  # not every file system has them; what else may be wrong comes up once more below
            return os.open(name.parent, os.O_TMPFILE | os.O_RDWR, mode), False
    return os.open(name, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0), mode), True


def is_locked(stream: FileIO) -> bool:
    """Whether this process has the file for itself now, until it closes it; never, where a system has no locks."""
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def write(stream: FileIO, data: bytes) -> None:
    """All of ``data``: a stream may take less than it is given, or nothing yet."""
    left = memoryview(data)
    while left:
        taken = stream.write(left)
        if taken is None:
            select([], [stream], [])
        left = left[taken or 0 :]
