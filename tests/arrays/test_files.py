"""Files of arrays: what is read from them, and what of a wrong, cut or lying file is said."""

from __future__ import annotations

import io
import json
import pickle
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sympy import Rational, S, sqrt

from symattn.base import limits
from symattn.base.errors import ArrayError
from symattn.read.arrays import matrix, open_tensors


def tensors(path: Path, held: dict[str, tuple[str, list[int], bytes]], **header: Any) -> Path:
    """A ``.safetensors`` file with tensors of that kind, shape and bytes; ``header`` overwrites its entries."""
    entries: dict[str, Any] = {}
    body = b""
    for name, (dtype, shape, data) in held.items():
        entries[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps({**entries, **header}).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)
    return path


def test_npy_and_npz_hold_what_numpy_saved(tmp_path: Path) -> None:
    array = np.array([[0.1, 2.0], [-3.5, 4.0]], dtype=np.float32)
    np.save(tmp_path / "x.npy", np.asfortranarray(array))
    np.savez(tmp_path / "w.npz", X=array, b=array[0])
    np.savez_compressed(tmp_path / "c.npz", X=array.astype(">f8"))

    for source in (matrix(tmp_path / "x.npy"), matrix(tmp_path / "w.npz", tensor="X"), matrix(tmp_path / "c.npz")):
        assert source.entries == [Rational(*float(x).as_integer_ratio()) for x in array.ravel()]
    assert matrix(str(tmp_path / "w.npz"), tensor="b").shape == (1, 2)
    given = matrix(tmp_path / "w.npz", decimals=1, tensor="X")
    assert given.array is not None
    assert (given.array.origin.file, given.array.origin.tensor) == ("w.npz", "X")


@pytest.mark.parametrize(("dtype", "layout", "numbers"), [
    ("F64", "<d", [0.1, -2.0]), ("F32", "<f", [0.5, -2.0]), ("F16", "<e", [0.5, 65504.0]), ("I64", "<q", [-5, 2**62]),
    ("I32", "<i", [-5, 7]), ("U8", "<B", [0, 255]), ("I8", "<b", [-128, 3]), ("U64", "<Q", [0, 2**64 - 1]),
])  # fmt: skip
def test_every_kind_of_number_of_safetensors_is_read(
    tmp_path: Path, dtype: str, layout: str, numbers: list[Any]
) -> None:
    data = b"".join(struct.pack(layout, x) for x in numbers)
    path = tensors(tmp_path / "w.safetensors", {"a": (dtype, [1, 2], data)}, __metadata__={"format": "pt"})

    assert matrix(path).entries == [Rational(*x.as_integer_ratio()) for x in numbers]


def test_bfloat16_is_read_without_pytorch(tmp_path: Path) -> None:
    """0x3FC0 is 1.5, 0xC000 is −2, 0x3DCD the bfloat16 nearest to 0.1, 0xFF80 is −∞."""
    data = struct.pack("<4H", 0x3FC0, 0xC000, 0x3DCD, 0xFF80)
    given = matrix(tensors(tmp_path / "w.safetensors", {"a": ("BF16", [2, 2], data)}))

    assert given.entries == [Rational(3, 2), -2, Rational(205, 2048), S.NegativeInfinity]
    assert given.array is not None
    assert given.array.origin.dtype == "bfloat16"


def test_safetensors_written_by_its_own_package_are_read(tmp_path: Path) -> None:
    package = pytest.importorskip("safetensors.numpy")
    array = np.arange(6, dtype=np.float32).reshape(2, 3) / 7
    package.save_file({"a.b": array}, tmp_path / "w.safetensors")

    assert matrix(tmp_path / "w.safetensors").entries == matrix(array).entries


@pytest.mark.parametrize(("text", "entries"), [
    ("0.5,1\n-2,3e-2\n", ["1/2", 1, -2, "3/100"]), ("a;b\n 1 ; -oo\n", [1, S.NegativeInfinity]), ("1\t2", [1, 2]),
    ("\ufeff1,-inf\r\n\r\n+.5,1.\r\n", [1, S.NegativeInfinity, "1/2", 1]), ("sqrt(2),1/3\n", [sqrt(2), "1/3"]),
    ('"1","2"\n', [1, 2]), ("-0.0,1E3\n", [0, 1000]),
])  # fmt: skip
def test_csv_holds_numbers_as_they_are_written(tmp_path: Path, text: str, entries: list[Any]) -> None:
    (tmp_path / "x.csv").write_text(text, encoding="utf-8")

    assert matrix(tmp_path / "x.csv").entries == [Rational(x) if isinstance(x, str) else x for x in entries]


def test_csv_is_rounded_to_decimals_ties_to_even(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("0.125,0.375,-0.125,1\n")

    assert list(matrix(tmp_path / "x.csv", 2).texts[0]) == ["0.12", "0.38", "-0.12", "1.00"]
    assert list(matrix(tmp_path / "x.csv").texts[0]) == ["0.125", "0.375", "-0.125", "1"]


@pytest.mark.parametrize(("text", "message"), [
    ("1,2\n3\n", "x.csv, line 2: has 1 number, line 1 has 2: expected rows of one length"),
    ("", "x.csv: holds no numbers: expected a line of numbers for each row"),
    ("1,x\n", "x.csv, line 1, column 2: number 'x': "),
    ("1,nan\n", "x.csv, line 1, column 2: "),
    ("1e9999,2\n", "x.csv, line 1, column 1: "),
    ("inf,nan\n1,2\n", "x.csv, line 1, column 1: number 'inf': "),  # no heading: a row would be lost
])  # fmt: skip
def test_a_csv_file_that_holds_no_matrix_is_refused_in_words(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)

    with pytest.raises(ArrayError) as caught:
        matrix(path)
    assert str(caught.value).removeprefix(f"{tmp_path}/").startswith(message)


def npy(header: str, data: bytes = b"", version: tuple[int, int] = (1, 0)) -> bytes:
    text = header.encode("latin1")
    length = struct.pack("<H" if version == (1, 0) else "<I", len(text))
    return b"\x93NUMPY" + bytes(version) + length + text + data


def zipped(**members: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    return stream.getvalue()


FLOATS = "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }\n"
TWO = npy(FLOATS % "(2,)", bytes(16))
KNOWN = "the wrong type of file: expected a name that ends in .csv, .npy, .npz or .safetensors"
PICKLED = pickle.dumps(print)
OBJECTS = "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n"


@pytest.mark.parametrize(("name", "content", "message"), [
    ("x.npy", b"", "is no array of NumPy"),
    ("x.npy", npy(FLOATS % "(1, 2)", b"\0" * 8), "is cut off: its header speaks of 2 numbers, 16 bytes"),
    ("x.npy", npy(FLOATS % "(1000000000, 1000000000)"), "more than TENSOR_ENTRIES = 10000000 numbers"),
    ("x.npy", npy(FLOATS % f"({'1, ' * 65})", bytes(8)), "has 65 axes: expected at most TENSOR_AXES = 8"),
    ("x.npy", npy(FLOATS % "(-1, 2)"), "has a negative length in its shape (-1, 2)"),
    ("x.npy", npy(OBJECTS, PICKLED), "holds Python objects: expected real numbers (pickles are never read)"),
    ("x.npy", npy("print(1)\n"), "is no array of NumPy: its header is not one that NumPy writes"),
    ("x.npy", npy("", version=(9, 0)), "is an array of version 9.0, expected 1.0 or 2.0"),
    ("x.npy", npy("x" * 20_000), "has a header of more than 10000 bytes"),
    ("x.npz", b"PK", "is no .npz file: it is no ZIP archive, or its end is missing"),
    ("x.npz", zipped(X=npy(OBJECTS, PICKLED)), "X: holds Python objects: expected real numbers"),
    ("x.npz", zipped(X=npy(FLOATS % "(4,)"))[:-4], "is no .npz file"),
    ("x.npz", zipped(X=TWO, Y=TWO), "holds 2 tensors: say which one is meant (tensor = …): X, Y"),
    ("x.npz", zipped(), "holds no tensor: say which one is meant"),
    ("x.safetensors", b"", "is no .safetensors file, or cut off"),
    ("x.safetensors", struct.pack("<Q", 2**63), "is no .safetensors file, or cut off"),
    ("x.safetensors", struct.pack("<Q", 2) + b"[]", "is no .safetensors file: its header is no table of tensors"),
    ("x.safetensors", struct.pack("<Q", 5) + b"{\xff\xff\xff}", "is no .safetensors file: its header is not JSON"),
    ("x.safetensors", struct.pack("<Q", 15) + b'{"a":1,"a":{} }', "is not JSON: a name stands in it twice"),
    ("x.pt", b"", f"{KNOWN}; a PyTorch file is written anew with safetensors.torch.save_file"),
    ("x.csv", b"\xff,1\n", "line 1: is not UTF-8: byte 0xff"),
])  # fmt: skip
def test_a_file_that_lies_is_refused_in_words(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)

    with pytest.raises(ArrayError) as caught:
        matrix(path)
    assert str(caught.value).startswith(f"{path}, " if f"{path}," in str(caught.value) else f"{path}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize(("entry", "message"), [
    ({"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}, "its shape [2] takes 8 bytes, its data_offsets hold 4"),
    ({"dtype": "F32", "shape": [-1], "data_offsets": [0, 8]}, "expected whole numbers from 0 up"),
    ({"dtype": "F32", "shape": [2], "data_offsets": [8, 16]}, "is cut off: it would end at byte 16 of 8"),
    ({"dtype": "F32", "shape": [2], "data_offsets": [0]}, "data_offsets (two)"),
    ({"dtype": "F8", "shape": [2], "data_offsets": [0, 8]}, "unknown dtype 'F8': known: BF16, BOOL, F16"),
    ({"shape": [2], "data_offsets": [0, 8]}, "expected dtype, shape and data_offsets in the header"),
])  # fmt: skip
def test_a_header_that_lies_about_a_tensor_is_refused(tmp_path: Path, entry: Any, message: str) -> None:
    path = tensors(tmp_path / "x.safetensors", {"a": ("F32", [2], bytes(8))}, a=entry)

    with pytest.raises(ArrayError) as caught:
        matrix(path)
    assert message in str(caught.value)


def test_limits_of_files_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tensors(tmp_path / "x.safetensors", {"a": ("F32", [2], bytes(8)), "b": ("F32", [1], bytes(4))})
    np.savez(tmp_path / "x.npz", a=np.zeros(1), b=np.zeros(1))
    (tmp_path / "x.csv").write_text("1,2\n")
    for name, value, file in (
        ("HEADER_BYTES", 20, path),
        ("TENSORS", 1, path),
        ("TENSOR_ENTRIES", 1, path),
        ("HEADER_BYTES", 20, tmp_path / "x.npz"),
        ("TENSORS", 1, tmp_path / "x.npz"),
        ("TABLE_BYTES", 3, tmp_path / "x.csv"),
        ("MATRIX_ENTRIES", 1, tmp_path / "x.csv"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(limits, name, value)
            with pytest.raises(ArrayError, match=f"{name} = {value}"):
                matrix(file, tensor=None if file.suffix == ".csv" else "a")


def test_a_missing_tensor_is_told_with_the_nearest_names(tmp_path: Path) -> None:
    held = {f"layer.{k}.attn.weight": ("F32", [1], bytes(4)) for k in range(20)}
    file = open_tensors(tensors(tmp_path / "w.safetensors", held))
    assert set(file.shapes) == set(held)

    with pytest.raises(
        ArrayError, match=r"unknown tensor 'layer\.3\.atn\.weight': of 20 tensors the nearest are layer"
    ):
        matrix(tmp_path / "w.safetensors", tensor="layer.3.atn.weight")
    np.savez(tmp_path / "w.npz", W_Q=np.zeros(1))
    with pytest.raises(ArrayError, match="unknown tensor 'W_K': known: W_Q"):
        matrix(tmp_path / "w.npz", tensor="W_K")


def test_folders_devices_and_missing_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "f.npy").mkdir()
    for path, message in (
        (tmp_path / "f.npy", "is a folder or a device"),
        (tmp_path / "none.csv", "cannot be read: No such file"),
        (tmp_path / "a\0.npz", "cannot be read"),
        (tmp_path / f"{'a' * 300}.safetensors", "cannot be read: File name too long"),
    ):
        with pytest.raises(ArrayError, match=message):
            matrix(path)
