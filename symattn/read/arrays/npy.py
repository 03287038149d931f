"""Read arrays in NumPy's formats, ``.npy`` and ``.npz``.

The header is checked before anything is allocated, and pickles are always refused.
"""

from __future__ import annotations

import io
import warnings
import zipfile
import zlib
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from symattn.base import limits
from symattn.base.errors import ArrayError
from symattn.read.arrays.exact import KINDS
from symattn.read.arrays.opened import TensorFile, count_of, must_be_file, opened

_END, _END_64 = b"PK\x05\x06", b"PK\x06\x07"

_NO_HEADER = (ValueError, TypeError, SyntaxError, TokenError, RecursionError, MemoryError, OverflowError, Warning)
"""Errors that NumPy's and Python's readers raise for an invalid header."""

LONGEST_HEADER = 10_000
"""Bytes of the header of an array; NumPy has the same limit."""


def read_npy(path: Path) -> NDArray[Any]:
    """Read the array in an ``.npy`` file."""
    size = must_be_file(path)
    with opened(path) as stream:
        return _array(stream, size, str(path))


def archive(path: Path) -> TensorFile:
    """Open the arrays of an ``.npz`` file; each is read on first use.

    Raises :class:`~symattn.base.errors.ArrayError` for a file that is invalid or inconsistent.
    """
    must_be_file(path)
    shapes: dict[str, tuple[int, ...]] = {}
    dtypes: dict[str, str] = {}
    with _opened(path) as members:
        if len(members.infolist()) > limits.TENSORS:
            raise ArrayError(f"{path}: holds more than TENSORS = {limits.TENSORS} arrays")
        for member in members.infolist():
            if not member.filename.endswith(".npy"):
                raise ArrayError(f"{path}: holds the file {member.filename[:60]!r}, expected arrays of NumPy only")
            name = member.filename.removesuffix(".npy")
            shapes[name], _, dtype = _member(members, member, f"{path}, {name}", _header)
            dtypes[name] = dtype.name

    def read(name: str) -> NDArray[Any]:
        with _opened(path) as members:
            member = members.getinfo(f"{name}.npy")
            found: NDArray[Any] = _member(
                members, member, f"{path}, {name}", lambda stream, where: _array(stream, member.file_size, where)
            )
            return found

    return TensorFile(str(path), shapes, dtypes, read)


def _opened(path: Path) -> zipfile.ZipFile:
    """Open a ZIP file, provided that its table of contents is small."""
    try:
        with opened(path) as stream:
            size = stream.seek(0, io.SEEK_END)
            start = stream.seek(max(0, size - 65_557 - 20))
            tail = stream.read()
        end = len(tail) - 22
        if end < 0 or tail[end : end + 4] != _END or tail[-2:] != b"\0\0":
            end = tail.rfind(_END)
        if end < 0 or len(tail) < end + 22:
            raise ArrayError(f"{path}: is no .npz file: it is no ZIP archive, or its end is missing")
        contents = int.from_bytes(tail[end + 12 : end + 16], "little")
        if contents > limits.HEADER_BYTES or tail[end - 20 : end - 16] == _END_64 or (start and end < 20):
            raise ArrayError(f"{path}: its table of contents is larger than HEADER_BYTES = {limits.HEADER_BYTES} bytes")
        return zipfile.ZipFile(path)
    except OSError as error:
        raise ArrayError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OverflowError) as error:
        raise ArrayError(f"{path}: is no .npz file: {error}") from None


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, where: str, read: Any) -> Any:
    try:
        with archive.open(member) as stream:
            return read(stream, where)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        raise ArrayError(f"{where}: is damaged or written in a way that is not read: {error}") from None


def _header(stream: IO[bytes], where: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Read the shape, the order and the dtype of an array from its header."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return _checked(*_said(stream, where), where)
    except _NO_HEADER as error:
        said = (str(error).splitlines() or [type(error).__name__])[0]
        if isinstance(error, TokenError | SyntaxError) or " object at 0x" in said:
            said = "its header is not one that NumPy writes"
        raise ArrayError(f"{where}: is no array of NumPy: {said[:120]}") from None


def _said(stream: IO[bytes], where: str) -> tuple[Any, Any, Any]:
    """Read the fields of a header, but no more bytes than a header may have."""
    start = stream.read(8)
    version = npy.read_magic(io.BytesIO(start))
    if version not in ((1, 0), (2, 0)):
        raise ArrayError(f"{where}: is an array of version {version[0]}.{version[1]}, expected 1.0 or 2.0")
    length = stream.read(2 if version == (1, 0) else 4)
    if int.from_bytes(length, "little") > LONGEST_HEADER:
        raise ArrayError(f"{where}: has a header of more than {LONGEST_HEADER} bytes")
    rest = io.BytesIO(length + stream.read(int.from_bytes(length, "little")))
    return npy.read_array_header_1_0(rest) if version == (1, 0) else npy.read_array_header_2_0(rest)


def _checked(shape: Any, fortran: Any, dtype: Any, where: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    if dtype.hasobject or dtype.kind not in "iufbc":
        held = KINDS.get("O" if dtype.hasobject else dtype.kind, "something else")
        raise ArrayError(f"{where}: holds {held}: expected real numbers (pickles are never read)")
    if len(shape) > limits.TENSOR_AXES:
        raise ArrayError(f"{where}: has {len(shape)} axes: expected at most TENSOR_AXES = {limits.TENSOR_AXES}")
    if any(isinstance(length, bool) or length < 0 for length in shape):
        raise ArrayError(f"{where}: has a negative length in its shape {shape}")
    return tuple(int(length) for length in shape), bool(fortran), dtype


def _array(stream: IO[bytes], size: int, where: str) -> NDArray[Any]:
    shape, fortran, dtype = _header(stream, where)
    count = count_of(shape, where)
    wanted = count * dtype.itemsize
    data = stream.read(wanted) if wanted <= size else b""
    if len(data) != wanted:
        raise ArrayError(
            f"{where}: is cut off: its header speaks of {count} numbers, {wanted} bytes, and there are fewer"
        )
    return np.frombuffer(data, dtype=dtype).reshape(shape, order="F" if fortran else "C")
