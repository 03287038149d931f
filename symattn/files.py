"""Writing files whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from symattn.errors import OutputError


def write_whole(path: Path, text: str) -> None:
    """Write ``text`` beside ``path``, then put it in its place: a reader never sees half a file, and a failed write
    leaves what was there untouched.

    Raises :class:`~symattn.errors.OutputError` where the place cannot be written.
    """
    write_together({path: text})


def write_together(texts: Mapping[Path, str]) -> None:
    """Write several files, all of them or none.

    Each is written beside its place first; if one cannot be put there, those before it are put back.

    Raises :class:`~symattn.errors.OutputError` that names the place that cannot be written.
    """
    with contextlib.ExitStack() as stack:
        ready = [(path, _beside(path, text, stack)) for path, text in texts.items()]
        # What stands there is kept only where a later file may fail.
        kept = {path: _kept(path, stack) for path, _ in ready[:-1]}
        with contextlib.ExitStack() as undo:
            for path, temporary in ready:
                with _telling(path):
                    temporary.replace(path)
                if path in kept:
                    undo.callback(_put_back, path, kept[path])
            undo.pop_all()


def _beside(path: Path, text: str, stack: contextlib.ExitStack) -> Path:
    """A temporary file with ``text`` in the folder of ``path``; it is gone when the stack is."""
    if path.is_dir():
        raise OutputError(f"{path}: is a folder: give the name of a file")
    with _telling(path):
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        temporary = Path(name)
        stack.callback(_gone, temporary)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        _keep_mode(path, temporary)
    return temporary


def _kept(path: Path, stack: contextlib.ExitStack) -> Path | None:
    """A second name for the file that is replaced, to put it back; ``None`` where there is none."""
    if not path.exists():
        return None
    with _telling(path):
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        os.close(handle)
        kept = Path(name)
        stack.callback(_gone, kept)
        shutil.copy2(path, kept)
    return kept


def _put_back(path: Path, kept: Path | None) -> None:
    with contextlib.suppress(OSError):
        if kept is None:
            path.unlink()
        else:
            kept.replace(path)


def _gone(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


@contextlib.contextmanager
def _telling(path: Path) -> Iterator[None]:
    """What the system says of a file as one sentence."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror}; nothing was changed") from None


def _keep_mode(path: Path, temporary: Path) -> None:
    """The mode of the file that is replaced, or what a new file would get (mkstemp makes files private)."""
    if path.exists():
        temporary.chmod(path.stat().st_mode & 0o777)
    else:
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
