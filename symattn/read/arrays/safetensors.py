"""Read the safetensors format: eight bytes with the length of the header, the header in JSON, the numbers.

symattn reads the format itself, because the package of that name needs PyTorch or another framework for ``bfloat16``.
Specification: https://github.com/huggingface/safetensors#format
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symattn.base import limits
from symattn.base.errors import ArrayError, shown, unknown
from symattn.read.arrays.opened import TensorFile, must_be_file, opened, unique

DTYPES = {
    "F64": ("float64", "<f8"),
    "F32": ("float32", "<f4"),
    "F16": ("float16", "<f2"),
    "BF16": ("bfloat16", "<u2"),
    "I64": ("int64", "<i8"),
    "I32": ("int32", "<i4"),
    "I16": ("int16", "<i2"),
    "I8": ("int8", "|i1"),
    "U64": ("uint64", "<u8"),
    "U32": ("uint32", "<u4"),
    "U16": ("uint16", "<u2"),
    "U8": ("uint8", "|u1"),
    "BOOL": ("bool", "|b1"),
}
"""Each dtype of the format: its name here, and NumPy's code for how it is stored."""

LONGEST_NAME = 1_000


def tensors(path: Path) -> TensorFile:
    """Open the tensors of a ``.safetensors`` file; each is read on first use.

    Raises :class:`~symattn.base.errors.ArrayError` for a file that is invalid or inconsistent.
    """
    size = must_be_file(path)
    header, start = _header(path, size)
    if len(header) > limits.TENSORS:
        raise ArrayError(f"{path}: holds more than TENSORS = {limits.TENSORS} tensors")
    entries: dict[str, tuple[tuple[int, ...], str, int]] = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        where = f"{path}, {shown(name)}"
        if len(name) > LONGEST_NAME:
            raise ArrayError(f"{where}: a name of more than {LONGEST_NAME} characters")
        entries[name] = _entry(entry, size - start, where)

    def read(name: str) -> NDArray[Any]:
        shape, dtype, begin = entries[name]
        called, layout = DTYPES[dtype]
        length = math.prod(shape) * np.dtype(layout).itemsize
        with opened(path) as stream:
            stream.seek(start + begin)
            data = stream.read(length)
        if len(data) != length:
            raise ArrayError(f"{path}, {shown(name)}: is cut off")
        numbers: NDArray[Any] = np.frombuffer(data, dtype=layout)
        if called == "bfloat16":  # the upper half of a number of single precision
            numbers = (numbers.astype(np.uint32) << 16).view(np.float32)
        return numbers.reshape(shape)

    shapes = {name: shape for name, (shape, _, _) in entries.items()}
    return TensorFile(str(path), shapes, {name: DTYPES[dtype][0] for name, (_, dtype, _) in entries.items()}, read)


def _header(path: Path, size: int) -> tuple[dict[str, Any], int]:
    """Read the header, and return it with the offset of the numbers."""
    with opened(path) as stream:
        length = int.from_bytes(stream.read(8), "little")
        if size < 8 or length > size - 8:
            raise ArrayError(f"{path}: is no .safetensors file, or cut off: its header would be longer than the file")
        if length > limits.HEADER_BYTES:
            raise ArrayError(f"{path}: its header is longer than HEADER_BYTES = {limits.HEADER_BYTES} bytes")
        text = stream.read(length)
    try:
        header = json.loads(text.decode("utf-8"), object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        raise ArrayError(f"{path}: is no .safetensors file: its header is not JSON: {error}") from None
    if not isinstance(header, dict):
        raise ArrayError(f"{path}: is no .safetensors file: its header is no table of tensors")
    return header, 8 + length


def _entry(entry: Any, size: int, where: str) -> tuple[tuple[int, ...], str, int]:
    """Return the shape, the dtype and the first byte of a tensor, once its byte count matches its shape."""
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise ArrayError(f"{where}: expected dtype, shape and data_offsets in the header")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise ArrayError(f"{where}: {unknown('dtype', str(dtype), DTYPES)}")
    if not (_are_sizes(shape) and len(shape) <= limits.TENSOR_AXES and _are_sizes(offsets) and len(offsets) == 2):
        raise ArrayError(
            f"{where}: expected whole numbers from 0 up in shape (at most {limits.TENSOR_AXES}) and data_offsets (two)"
        )
    begin, end = offsets
    wanted = math.prod(shape) * np.dtype(DTYPES[dtype][1]).itemsize
    if end - begin != wanted:
        raise ArrayError(f"{where}: its shape {shape} takes {wanted} bytes, its data_offsets hold {end - begin}")
    if end > size:
        raise ArrayError(f"{where}: is cut off: it would end at byte {end} of {size}")
    return tuple(shape), dtype, begin


def _are_sizes(numbers: Any) -> bool:
    return isinstance(numbers, list) and all(
        isinstance(n, int) and not isinstance(n, bool) and 0 <= n < 2**63 for n in numbers
    )
