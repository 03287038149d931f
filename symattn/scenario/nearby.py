"""Givens that lie in a file beside the scenario: ``X = { file = "weights.npz", tensor = "X", decimals = 4 }``.

They are read before the scenario is checked, and stand in it as if they had been written there. A scenario may come
from a stranger, so it reaches nothing but files in its own folder.
"""

from __future__ import annotations

from math import prod
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from symattn import limits
from symattn.errors import ArrayError, shown
from symattn.given import Given
from symattn.scenario.fields import described
from symattn.scenario.problem import Problem, Problems, must_be_known

KEYS = ("file", "tensor", "decimals", "axes", "note")


def with_files(data: dict[str, Any], folder: Path | None, found: Problems) -> dict[str, Any]:
    """The data of a scenario with the matrices of files in place of their names.

    ``folder`` is where the scenario lies, ``None`` for one that is no file.

    >>> found = Problems()
    >>> with_files({"given": {"X": {"file": "../x.csv"}}}, Path("."), found)
    {'given': {}}
    >>> print(found.all[0].message)
    '../x.csv' leads out of the folder of the scenario: expected a file in it, such as "weights.npz"
    """
    givens = data.get("given")
    if not isinstance(givens, dict) or not any(_is_file(table) for table in givens.values()):
        return data
    read: dict[str, Any] = {}
    entries = 0
    for name, table in givens.items():
        if not _is_file(table):
            read[name] = table
            continue
        with found.caught(breaks=name):
            try:
                given = _read(table, folder)
                entries += prod(given.sizes)
                if entries > limits.GIVEN_ENTRIES:
                    more = f"the files of the scenario hold more than GIVEN_ENTRIES = {limits.GIVEN_ENTRIES} numbers"
                    raise Problem(("file",), more)
            except Problem as problem:
                raise problem.under(("given", name)) from None
            read[name] = {"value": given, **{key: table[key] for key in ("axes", "note") if key in table}}
    return {**data, "given": read}


def _is_file(table: object) -> bool:
    return isinstance(table, dict) and "file" in table


def _read(table: dict[str, Any], folder: Path | None) -> Given:
    for key in table:
        if key == "value":
            raise Problem((key,), "expected either value or file, came both: leave one of them out")
        must_be_known(key, KEYS, (key,), "key")
    file, tensor, decimals = table["file"], table.get("tensor"), table.get("decimals")
    for key, value in (("file", file), ("tensor", tensor)):
        if value is not None and not isinstance(value, str):
            raise Problem((key,), f"expected a text in quotes, came {described(value)}")
    if decimals is not None and (type(decimals) is not int or not 0 <= decimals <= limits.DIGITS):
        raise Problem(("decimals",), f"expected a whole number from 0 to {limits.DIGITS}, came {described(decimals)}")
    path = inside(file, folder)
    from symattn.arrays import read_file

    try:
        return read_file(path, decimals, tensor)
    except ArrayError as error:
        raise Problem(("file",) if tensor is None else ("tensor",), str(error)) from None


def inside(file: str, folder: Path | None) -> Path:
    """The path of a file in the folder of the scenario, links followed.

    Raises :class:`~symattn.scenario.problem.Problem` for one that leads out of it.
    """
    if folder is None:
        raise Problem(("file",), "a scenario that is no file itself has no folder to look for files in")
    out = Problem(
        ("file",),
        f'{shown(file)} leads out of the folder of the scenario: expected a file in it, such as "weights.npz"',
    )
    parts = (*PurePosixPath(file).parts, *PureWindowsPath(file).parts)
    if ".." in parts or PurePosixPath(file).is_absolute() or PureWindowsPath(file).anchor:
        raise out
    try:
        is_inside = (folder / file).resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):
        raise Problem(("file",), f"{shown(file)} is not a path") from None
    if not is_inside:
        raise out
    # What the error names is the path as it was written.
    return folder / file
