"""Where the name of a file leads: to a file that is replaced, or to a stream that is written into."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

LINKS = 40
"""Links from one name to the next after which they lead nowhere; Linux goes as far."""


def end_of(path: Path) -> Path | int:
    """What a name leads to through links, or the number of a stream of this process: ``/dev/stdout``, ``>(cmd)``.

    Opening the name of such a stream anew would start at its beginning, over what it holds already.
    """
    for _ in range(LINKS):
        path = Path(os.path.realpath(path.parent)) / path.name
        if path.parent == Path(f"/proc/{os.getpid()}/fd") and path.name.isdecimal():
            return int(path.name)
        if not path.is_symlink():
            return path
        path = path.parent / path.readlink()
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def is_file(end: Path | int) -> bool:
    """Whether there is, or may be made, a file that is replaced. Raises ``OSError`` where there is a folder."""
    if isinstance(end, int):
        return False
    try:
        mode = end.stat().st_mode
    except FileNotFoundError:
        return True
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return stat.S_ISREG(mode)


def is_stream(path: Path) -> bool:
    """Whether a name leads to a device, a pipe or a stream of this process: no place for a second file beside it.

    >>> is_stream(Path("/dev/null")), is_stream(Path("lesson.md"))
    (True, False)
    """
    try:
        return not is_file(end_of(path))
    except (OSError, ValueError):
        return False
