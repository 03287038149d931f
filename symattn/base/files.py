"""Write files whole or not at all.

>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:
...     sheet, key = Path(folder, "exam.md"), Path(folder, "exam-key.md")
...     write_together({sheet: "1 + 1 = …", key: "2"})
...     key.read_text(), len(list(Path(folder).iterdir()))
('2', 2)
"""

from __future__ import annotations

import errno
import os
import re
import signal
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from io import FileIO
from pathlib import Path
from select import select
from threading import current_thread, main_thread
from urllib.parse import quote

from symattn.base.errors import OutputError

if sys.platform != "win32":
    import fcntl

TAKES_NO_FILE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY)
"""Errors of a folder that takes no new file, or of a file that may be written but not replaced."""

UNCHANGED = "; nothing was changed"


def write_whole(path: Path, text: str | bytes) -> None:
    """Write one file by :func:`write_together`, which raises the same errors."""
    write_together({path: text})


def write_together(texts: Mapping[Path, str | bytes]) -> None:
    """Write several files: an error or a signal changes none of them and leaves no temporary file.

    Each is written to a temporary file in its folder, with the mode of the file there, and these replace the files one
    after the other while signals wait. A link stays, and its target is written. Streams are written into, and so is a
    file that may not be replaced, whose old text is put back if the new one does not fit.

    Raises :class:`~symattn.base.errors.OutputError` that names the place that cannot be written.
    """
    data = {path: _encoded(path, text) for path, text in texts.items()}
    files: dict[Path, Path] = {}
    streams: dict[Path, Path | int] = {}
    for path in texts:
        with _one_sentence(path):
            end = _end_of(path)
            if isinstance(end, Path) and _is_file(end):
                if other := next((other for other, known in files.items() if known == end), None):
                    raise OutputError(f"{path} and {other} are the same file: give two names{UNCHANGED}")
                files[path] = end
            else:
                streams[path] = end
    with ExitStack() as stack:
        new: dict[Path, Path] = {}
        with _signals_wait():
            for path, target in files.items():
                with _one_sentence(path), _unless_fixed(target):
                    new[path] = _temporary(target, data[path], stack)
        for path, stream in streams.items():
            with _one_sentence(path, ""), FileIO(stream if isinstance(stream, Path) else os.dup(stream), "w") as opened:
                _write(opened, data[path])
        with _signals_wait(), ExitStack() as undo:
            # Writing over a file is likelier to fail than replacing one, so it comes first.
            for path in sorted(files, key=new.__contains__):
                with _one_sentence(path):
                    old = files[path].read_bytes() if files[path].exists() else None
                    _put(new.get(path), files[path], data[path])
                undo.callback(_put_back, files[path], old, stack)
            undo.pop_all()


def _temporary(target: Path, data: bytes, stack: ExitStack) -> Path:
    """Write ``data`` to the disk beside ``target``; the stack removes the file unless it has replaced the target."""
    name = target.with_name(f".symattn-{os.urandom(8).hex()}.new")
    mode = target.stat().st_mode & 0o777 if target.exists() else None
    with open(name, "xb", opener=partial(os.open, mode=0o666 if mode is None else mode)) as stream:
        stack.callback(name.unlink, missing_ok=True)
        stream.write(data)
        stream.flush()
        if mode is not None:
            name.chmod(mode)
        os.fsync(stream.fileno())
    return name


def _put(new: Path | None, target: Path, data: bytes) -> None:
    """Replace ``target`` by ``new``, or write over it if it may not be replaced."""
    if new:
        with _unless_fixed(target):
            new.replace(target)
            return
    with FileIO(target, "r+") as stream:
        old = stream.read()
        try:
            _write_over(stream, data)
        except OSError:
            _write_over(stream, old)
            raise


def _put_back(target: Path, old: bytes | None, stack: ExitStack) -> None:
    try:
        if old is None:
            target.unlink()
        else:
            with _unless_fixed(target):
                _temporary(target, old, stack).replace(target)
                return
            _put(None, target, old)
    except OSError as error:
        raise OutputError(f"{target}: was changed and cannot be put back: {error.strerror}") from None


@contextmanager
def _unless_fixed(target: Path) -> Iterator[None]:
    """Ignore the error of a file that may be written but not replaced."""
    try:
        yield
    except OSError as error:
        if error.errno not in TAKES_NO_FILE or not target.is_file():
            raise


def _write_over(stream: FileIO, data: bytes) -> None:
    stream.seek(0)
    _write(stream, data)
    stream.truncate()
    os.fsync(stream.fileno())


def _write(stream: FileIO, data: bytes) -> None:
    """Write all of ``data``: a stream may take less than it is given, or nothing yet."""
    left = memoryview(data)
    while left:
        taken = stream.write(left)
        if taken is None:
            select([], [stream], [])
        left = left[taken or 0 :]


def _encoded(path: Path, text: str | bytes) -> bytes:
    if isinstance(text, bytes):
        return text
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        sign = f"U+{ord(text[error.start]):04X}"
        raise OutputError(f"{path}: cannot be written: {sign} is half a character{UNCHANGED}") from None


@contextmanager
def _one_sentence(path: Path, rest: str = UNCHANGED) -> Iterator[None]:
    """Turn an error of the system into one sentence."""
    try:
        yield
    except IsADirectoryError:
        raise OutputError(f"{path}: is a folder: give the name of a file") from None
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else error
        raise OutputError(f"{path}: cannot be written: {said}{rest}") from None


@contextmanager
def _signals_wait() -> Iterator[None]:
    """Delay signals that end a process until the code inside is done. Only the main thread can do that."""
    came: list[int] = []
    before = {}
    if current_thread() is main_thread():
        known = (getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP"))
        before = {number: handler for number in known if number and (handler := signal.getsignal(number)) is not None}
    try:
        for number in before:
            signal.signal(number, lambda number, _: came.append(number))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)


# -- where a name leads ------------------------------------------------------------------------------------------


def is_stream(path: Path) -> bool:
    """Return True if a name leads to a device, a pipe or a stream of this process: no file can be beside it.

    >>> is_stream(Path("/dev/null")), is_stream(Path("lesson.md"))
    (True, False)
    """
    try:
        return not _is_file(_end_of(path))
    except (OSError, ValueError):
        return False


def _end_of(path: Path) -> Path | int:
    """Follow links to a file, or to the number of a stream of this process: ``/dev/stdout``, ``>(cmd)``.

    Opening such a stream again by its name would start at its beginning and overwrite what it already holds.
    """
    for _ in range(40):  # as many links as Linux follows
        path = Path(os.path.realpath(path.parent)) / path.name
        if path.parent == Path(f"/proc/{os.getpid()}/fd") and path.name.isdecimal():
            return int(path.name)
        if not path.is_symlink():
            return path
        path = path.parent / path.readlink()
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _is_file(end: Path | int) -> bool:
    """Return True if there is, or may be made, a file to replace; raise ``OSError`` for a folder."""
    if isinstance(end, int):
        return False
    try:
        mode = end.stat().st_mode
    except FileNotFoundError:
        return True
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return stat.S_ISREG(mode)


# -- pages with pictures -----------------------------------------------------------------------------------------

_PICTURE = re.compile(r"[0-9]{2,}-[^/]+[.]svg")


def write_beside(path: Path, texts: Mapping[Path, str | bytes]) -> None:
    """Write ``path`` and files in folders beside it, which are created if missing, together.

    Pictures of the previous page are removed unless they are among the new ones. When two processes write one page at
    once, the later one has all its files.

    Raises :class:`~symattn.base.errors.OutputError` that names the place that cannot be written.
    """
    for folder in dict.fromkeys(other.parent for other in texts):
        if folder != path.parent:
            make_folder(folder)
    # Several formats of a page have one folder of pictures.
    pages = {page: path.parent / f"{page.stem}-figures" for page in texts if page.parent == path.parent}
    folders = {page: folder for page, folder in pages.items() if not is_stream(page)}
    with ExitStack() as stack:
        for folder in sorted(set(folders.values())):  # in one order, so that two processes never wait for each other
            stack.enter_context(_locked(folder))
        old = [each for page, folder in folders.items() for each in _pictures_of(page, folder) if each not in texts]
        write_together(texts)
        for picture in old:
            with suppress(OSError):
                picture.unlink()


def _pictures_of(page: Path, folder: Path) -> list[Path]:
    """List the pictures in a folder that the page there refers to."""
    try:
        text = page.read_bytes()
        found = [picture for picture in folder.iterdir() if _PICTURE.fullmatch(picture.name)]
    except OSError:
        return []
    link = quote(os.fsencode(folder.name)).encode()
    return [picture for picture in found if b"(%b/%b)" % (link, os.fsencode(picture.name)) in text]


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep other processes out of a folder, if it exists and the system has locks."""
    with ExitStack() as stack:
        with suppress(OSError):
            handle = os.open(folder, os.O_RDONLY)
            stack.callback(os.close, handle)
            if sys.platform != "win32":
                fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def make_folder(folder: Path) -> None:
    """Make a folder, unless it exists. Raises :class:`~symattn.base.errors.OutputError` if it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:  # a name that no file may have
        raise OutputError(f"{folder}: cannot be made: {getattr(error, 'strerror', error)}") from None
