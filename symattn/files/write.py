"""Texts that become files: all of them or none."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from io import FileIO
from pathlib import Path

from symattn.errors import OutputError
from symattn.files.draft import PendingFile, write
from symattn.files.journal import draft_name, folders, journal, new_number, settle
from symattn.files.place import end_of, is_file
from symattn.files.signals import held_back

TAKES_NO_FILE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY)
"""What a system says of a folder in which nothing new is made, or of a file that may be written and not replaced."""


def write_together(texts: Mapping[Path, str | bytes]) -> None:
    """Write several files, all of them or none, whatever fails and whoever ends the process.

    A link stays, and what it leads to is written. A file is replaced by a new one with its mode, which is on the disk
    before it takes its place: a reader sees the whole old one or the whole new one. Several take their places one
    right after the other, while signals wait. Between them only SIGKILL or the end of the machine can come; then there
    is a journal (:mod:`symattn.files.journal`), and whoever writes into the folder next makes all of them new or leaves
    all of them old. A device, a pipe or a stream of this process is written into, and so is a file in a folder that
    takes no new one: a reader may see half of these, but what stood in a file is put back if the new text does not fit.

    Raises :class:`~symattn.errors.OutputError` that names the place that cannot be written.
    """
    data = {path: _encoded(path, text) for path, text in texts.items()}
    files: dict[Path, Path] = {}
    streams: dict[Path, Path | int] = {}
    for path in texts:
        with _telling(path):
            end = end_of(path)
            if isinstance(end, Path) and is_file(end):
                files[path] = end
            else:
                streams[path] = end
    _must_differ(files)
    for folder in folders(files.values()):
        settle(folder)
    with ExitStack() as drafted, ExitStack() as undo:
        number, drafts = new_number(), dict[Path, PendingFile]()
        for place, (path, end) in enumerate(files.items()):
            with _telling(path), _or_over(end, data[path], undo):
                drafts[path] = PendingFile.of(data[path], draft_name(end.parent, number, place), end, drafted)
        for path, stream in streams.items():
            with _telling(path, ""), FileIO(stream if isinstance(stream, Path) else os.dup(stream), "w") as opened:
                write(opened, data[path])
        _put(drafts, data, number)
        undo.pop_all()


def _put(drafts: Mapping[Path, PendingFile], data: Mapping[Path, bytes], number: str) -> None:
    """Put all drafts in their places, or take back what was."""
    if not drafts:
        return
    *others, last = drafts
    with _telling(last):
        # What stands there is kept only where a later file may fail.
        old = {path: drafts[path].target.read_bytes() for path in others if drafts[path].target.exists()}
    with held_back(), _telling(last), journal(tuple(drafts.values()), number), ExitStack() as undo:
        for draft in drafts.values():
            draft.give_name()
        for path, draft in drafts.items():
            with _telling(path), _or_over(draft.target, data[path], undo):
                draft.put()
                undo.callback(_put_back, draft.target, old.get(path))
        undo.pop_all()


def _put_back(target: Path, old: bytes | None) -> None:
    """Make a file what it was, or take it away where there was none."""
    try:
        if old is None:
            target.unlink()
            return
        with ExitStack() as stack:
            draft = PendingFile.of(old, draft_name(target.parent, new_number(), 0), target, stack)
            draft.give_name()
            draft.put()
    except OSError as error:
        raise OutputError(f"{target}: was changed and cannot be put back: {error.strerror}") from None


@contextmanager
def _or_over(target: Path, data: bytes, undo: ExitStack) -> Iterator[None]:
    """Where a folder takes no new file, write over the one that is there."""
    try:
        yield
    except OSError as error:
        if error.errno not in TAKES_NO_FILE or not target.is_file():
            raise
        with target.open("r+b", buffering=0) as stream:
            undo.callback(_over, target, stream.read())
        _over(target, data)


def _over(target: Path, data: bytes) -> None:
    with FileIO(target, "r+") as stream:
        write(stream, data)
        stream.truncate()
        os.fsync(stream.fileno())


def _encoded(path: Path, text: str | bytes) -> bytes:
    if isinstance(text, bytes):
        return text
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        sign = f"U+{ord(text[error.start]):04X}"
        raise OutputError(f"{path}: cannot be written: {sign} is half a character; nothing was changed") from None


def _must_differ(files: Mapping[Path, Path]) -> None:
    known: dict[Path, Path] = {}
    for path, end in files.items():
        if end in known:
            raise OutputError(f"{path} and {known[end]} are the same file: give two names; nothing was changed")
        known[end] = path


@contextmanager
def _telling(path: Path, rest: str = "; nothing was changed") -> Iterator[None]:
    """What the system says of a file as one sentence."""
    try:
        yield
    except IsADirectoryError:
        raise OutputError(f"{path}: is a folder: give the name of a file") from None
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else error
        raise OutputError(f"{path}: cannot be written: {said}{rest}") from None
