"""Writing files whole or not at all.

>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:
...     sheet, key = Path(folder, "exam.md"), Path(folder, "exam-key.md")
...     write_together({sheet: "1 + 1 = …", key: "2"})
...     key.read_text(), len(list(Path(folder).iterdir()))
('2', 2)
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from symattn.errors import OutputError
from symattn.files.place import is_stream
from symattn.files.write import write_together

__all__ = ["is_stream", "make_folder", "write_beside", "write_together", "write_whole"]


def write_whole(path: Path, text: str | bytes) -> None:
    """Write one file, so that a reader never sees half of it and a failed write leaves what was there untouched.

    How, and what else ``path`` may be than a file, is told by :func:`write_together`, which raises the same errors.
    """
    write_together({path: text})


def write_beside(path: Path, texts: Mapping[Path, str | bytes]) -> None:
    """Write ``path`` and files in folders beside it, which are made where they are not there, all together.

    Raises :class:`~symattn.errors.OutputError` that names the place that cannot be written.
    """
    for folder in dict.fromkeys(other.parent for other in texts):
        if folder != path.parent:
            make_folder(folder)
    write_together(texts)


def make_folder(folder: Path) -> None:
    """Make a folder, if it is not there. Raises :class:`~symattn.errors.OutputError` where it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:  # of no name that a file may have
        raise OutputError(f"{folder}: cannot be made: {getattr(error, 'strerror', error)}") from None
