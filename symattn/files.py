"""Writing files whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from symattn.errors import OutputError


def write_whole(path: Path, text: str) -> None:
    """Write ``text`` beside ``path``, then put it in its place: a reader never sees half a file, and a failed write
    leaves what was there untouched.

    Raises :class:`~symattn.errors.OutputError` where the place cannot be written.
    """
    temporary = ""
    try:
        if path.is_dir():
            raise OutputError(f"{path}: is a folder: give the name of a file")
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        _keep_mode(path, Path(temporary))
        Path(temporary).replace(path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror}; nothing was changed") from None
    finally:
        if temporary:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()


def _keep_mode(path: Path, temporary: Path) -> None:
    """The mode of the file that is replaced, or what a new file would get (mkstemp makes files private)."""
    if path.exists():
        temporary.chmod(path.stat().st_mode & 0o777)
    else:
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
