"""Files of numbers: one matrix (``.csv``, ``.npy``), or several tensors by name (``.npz``, ``.safetensors``).

Only the tensors asked for are read, and no header is trusted before it is checked against the size of the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from heapq import nlargest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symattn.base import limits
from symattn.base.errors import ArrayError, shown, unknown
from symattn.read.arrays.exact import check_decimals, given_of
from symattn.read.arrays.npy import archive, read_npy
from symattn.read.arrays.opened import TensorFile, count_of, must_be_file, opened
from symattn.read.arrays.safetensors import tensors
from symattn.read.arrays.table import read_table
from symattn.read.given import Given, Origin

if TYPE_CHECKING:
    from numpy.typing import NDArray

SUFFIXES = (".csv", ".npy", ".npz", ".safetensors")
_PICKLES = (".pt", ".pth", ".bin", ".ckpt", ".pkl", ".pickle")


def suffix_of(path: Path, read: tuple[str, ...] = SUFFIXES) -> str:
    """Return the kind of a file by its name. Raises :class:`~symattn.base.errors.ArrayError` for an unsupported one."""
    suffix = path.suffix.lower()
    if suffix not in read:
        hint = "; a PyTorch file is written anew with safetensors.torch.save_file" if suffix in _PICKLES else ""
        known = f"{', '.join(read[:-1])} or {read[-1]}"
        raise ArrayError(f"{path}: the wrong type of file: expected a name that ends in {known}{hint}")
    return suffix


def open_tensors(path: Path) -> TensorFile:
    """Open the tensors of an ``.npz`` or ``.safetensors`` file.

    Raises :class:`~symattn.base.errors.ArrayError` for any other file.
    """
    return archive(path) if suffix_of(path, (".npz", ".safetensors")) == ".npz" else tensors(path)


def read_file(path: Path, decimals: int | None = None, tensor: str | None = None) -> Given:
    """Read the matrix in a file; ``tensor`` names it if the file may hold several.

    Raises :class:`~symattn.base.errors.ArrayError` if it holds no matrix of real numbers.
    """
    check_decimals(decimals, str(path))
    suffix = suffix_of(path)
    if suffix in (".csv", ".npy"):
        if tensor is not None:
            raise ArrayError(f"{path}: holds one matrix without a name: leave tensor = {tensor!r} out")
        if suffix == ".csv":
            return read_table(csv_text(path), decimals, str(path), path.name)
        array = read_npy(path)
        return given_of(array, origin(array.dtype.name, decimals, path), str(path))
    file = open_tensors(path)
    name = tensor if tensor is not None else only_tensor(file)
    array = tensor_of(file, name)
    return given_of(array, origin(file.dtypes[name], decimals, path, name), f"{path}, {name}")


def origin(dtype: str, decimals: int | None, path: Path, tensor: str = "") -> Origin:
    """Describe where the numbers of a file come from."""
    return Origin("binary" if decimals is None else "decimals", dtype, decimals, path.name, tensor)


def only_tensor(file: TensorFile) -> str:
    """Return the only tensor's name. Raises :class:`~symattn.base.errors.ArrayError` if there are several or none."""
    names = list(file.shapes)
    if len(names) != 1:
        held = f"holds {len(names)} tensors" if names else "holds no tensor"
        listed = ", ".join(sorted(names)[:8]) + (", …" if len(names) > 8 else "")
        raise ArrayError(f"{file.path}: {held}: say which one is meant" + (f" (tensor = …): {listed}" if names else ""))
    return names[0]


def tensor_of(file: TensorFile, name: str) -> NDArray[Any]:
    """Read one tensor of a file. Raises :class:`~symattn.base.errors.ArrayError`, which lists the nearest names."""
    if name not in file.shapes:
        raise ArrayError(f"{file.path}: {missing(name, file.shapes)}")
    count_of(file.shapes[name], f"{file.path}, {shown(name)}")
    return file.read(name)


def likest(wanted: Iterable[str], known: Iterable[str]) -> list[str]:
    """Return the known names that are most similar to the wanted ones, if any are similar.

    Spelling is compared only for names that share most of their parts: a file may hold ten thousand names.

    >>> likest(["layer.0.attn"], ["layer.1.attn", "embeddings", "head"])
    ['layer.1.attn']
    """
    parts = {name: set(name.split(".")) for name in known}
    found: dict[str, None] = {}
    for want in wanted:
        shared = set(want.split("."))
        near = nlargest(100, parts, key=lambda name: len(parts[name] & shared))
        found |= dict.fromkeys(get_close_matches(want, near, n=5, cutoff=0.5))
    return list(found)


def missing(name: str, known: Mapping[str, Any]) -> str:
    """Return the sentence for a missing tensor; it lists all names, or the nearest of many.

    >>> missing("W_Q", {"W_K": 0})
    "unknown tensor 'W_Q': known: W_K"
    """
    if len(known) <= 12:
        return unknown("tensor", name, known)
    close = likest([name], known)[:5] or sorted(known)[:5]
    return f"unknown tensor {shown(name)}: of {len(known)} tensors the nearest are {', '.join(close)}"


def csv_text(path: Path) -> str:
    """Read the text of a CSV file. Raises :class:`~symattn.base.errors.ArrayError` if it is too large, or not text."""
    if must_be_file(path) > limits.TABLE_BYTES:
        raise ArrayError(f"{path}: is larger than TABLE_BYTES = {limits.TABLE_BYTES} bytes")
    with opened(path) as stream:
        content = stream.read(limits.TABLE_BYTES + 1)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ArrayError(f"{path}, line {line}: is not UTF-8: byte 0x{content[error.start]:02x}") from None
