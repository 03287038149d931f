"""Open files: regular ones only, with every failure in one sentence."""

from __future__ import annotations

import math
import stat
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from symattn.base import limits
from symattn.base.errors import ArrayError

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class TensorFile:
    """A file that holds tensors by name."""

    path: str
    shapes: Mapping[str, tuple[int, ...]]
    dtypes: Mapping[str, str]
    """The dtype of every tensor."""
    read: Callable[[str], NDArray[Any]]
    """The numbers of one tensor (``bfloat16`` as single precision, which holds them all)."""


def must_be_file(path: Path) -> int:
    """Return the size of a regular file that can be read.

    Raises :class:`~symattn.base.errors.ArrayError` for anything else.
    """
    try:
        found = path.stat()
    except (OSError, ValueError) as error:
        raise ArrayError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if not stat.S_ISREG(found.st_mode):
        raise ArrayError(f"{path}: is a folder or a device, expected a file")
    return found.st_size


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading bytes. Raises :class:`~symattn.base.errors.ArrayError` if it cannot be read."""
    try:
        with path.open("rb") as stream:
            yield stream
    except OSError as error:
        raise ArrayError(f"{path}: cannot be read: {error.strerror or error}") from None


def unique(pairs: Collection[tuple[str, Any]], what: str = "name") -> dict[str, Any]:
    """Return the pairs of a JSON object as a dict.

    Raises :class:`ValueError` for a repeated key.
    """
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError(f"a {what} stands in it twice")
    return table


def count_of(shape: Collection[int], where: str) -> int:
    """Return the number of entries of an array of that shape.

    Raises :class:`~symattn.base.errors.ArrayError` if there are too many.
    """
    count = math.prod(shape)
    if count > limits.TENSOR_ENTRIES:
        raise ArrayError(f"{where}: more than TENSOR_ENTRIES = {limits.TENSOR_ENTRIES} numbers")
    return count
