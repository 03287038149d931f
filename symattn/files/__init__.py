"""Writing files whole or not at all.

>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:
...     sheet, key = Path(folder, "exam.md"), Path(folder, "exam-key.md")
...     write_together({sheet: "1 + 1 = …", key: "2"})
...     key.read_text(), len(list(Path(folder).iterdir()))
('2', 2)
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from symattn.errors import OutputError
from symattn.files.place import is_stream
from symattn.files.write import write_together

if sys.platform != "win32":
    import fcntl

__all__ = ["is_stream", "make_folder", "write_beside", "write_together", "write_whole"]


def write_whole(path: Path, text: str | bytes) -> None:
    """Write one file, so that a reader never sees half of it and a failed write leaves what was there untouched.

    How, and what else ``path`` may be than a file, is told by :func:`write_together`, which raises the same errors.
    """
    write_together({path: text})


def write_beside(path: Path, texts: Mapping[Path, str | bytes]) -> None:
    """Write ``path`` and files in folders beside it, which are made where they are not there, all together.

    Of two processes that write one page at once the later one has all its files there. A picture that the page before
    had, and that none of the new ones is, is removed.

    Raises :class:`~symattn.errors.OutputError` that names the place that cannot be written.
    """
    for folder in dict.fromkeys(other.parent for other in texts):
        if folder != path.parent:
            make_folder(folder)
    pages = [page for page in texts if page.parent == path.parent and not is_stream(page)]
    with ExitStack() as stack:
        # Pages of one name in several formats have one folder; in one order, two processes never wait for each other.
        for folder in sorted({_pictures_of(page) for page in pages}):
            stack.enter_context(_alone(folder))
        old = [picture for page in pages for picture in _pictures_in(page) if picture not in texts]
        write_together(texts)
        for picture in old:
            with suppress(OSError):
                picture.unlink()


_PICTURE = re.compile(r"[0-9]{2,}-[^/]+[.]svg")
"""What the files of pictures are called."""


def _pictures_of(page: Path) -> Path:
    """The folder of the pictures of a page."""
    return page.parent / f"{page.stem}-figures"


def _pictures_in(page: Path) -> list[Path]:
    """The pictures that a page which is there leads to, in the folder of its own."""
    try:
        text = page.read_bytes()
        found = [picture for picture in _pictures_of(page).iterdir() if _PICTURE.fullmatch(picture.name)]
    except OSError:
        return []
    folder = quote(os.fsencode(_pictures_of(page).name)).encode()
    return [picture for picture in found if b"(%b/%b)" % (folder, os.fsencode(picture.name)) in text]


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """No other process writes into the folder inside, where there is one and a system has locks."""
    with ExitStack() as stack:
        with suppress(OSError):
            handle = os.open(folder, os.O_RDONLY)
            stack.callback(os.close, handle)
            if sys.platform != "win32":
                fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def make_folder(folder: Path) -> None:
    """Make a folder, if it is not there. Raises :class:`~symattn.errors.OutputError` where it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:  # of no name that a file may have
        raise OutputError(f"{folder}: cannot be made: {getattr(error, 'strerror', error)}") from None
