"""Writing files whole or not at all.

>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:
...     sheet, key = Path(folder, "exam.md"), Path(folder, "exam-key.md")
...     write_together({sheet: "1 + 1 = …", key: "2"})
...     key.read_text(), len(list(Path(folder).iterdir()))
('2', 2)
"""

from __future__ import annotations

from pathlib import Path

from symattn.files.place import is_stream
from symattn.files.write import write_together

__all__ = ["is_stream", "write_together", "write_whole"]


def write_whole(path: Path, text: str | bytes) -> None:
    """Write one file, so that a reader never sees half of it and a failed write leaves what was there untouched.

    How, and what else ``path`` may be than a file, is told by :func:`write_together`, which raises the same errors.
    """
    write_together({path: text})
