"""Workbooks read by openpyxl and recalculated by LibreOffice: neither shares code with what writes them."""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from symattn.api.worked import WorkedSolution
from symattn.show.build import scenario_names
from symattn.write.plain_math import characters

TIME = 900
"""Seconds that LibreOffice may take for all files together."""


@dataclass(frozen=True)
class Block:
    """A matrix on a sheet: its sheet, and the row and column of its upper left cell, counted from 1."""

    sheet: str
    row: int
    column: int

    def cell(self, book: Any, i: int, j: int) -> Any:
        return book[self.sheet].cell(self.row + i, self.column + j)


def blocks(book: Any, solution: WorkedSolution, language: str) -> dict[str, Block]:
    """The matrices of a workbook by their names, found by what stands in bold above them: ``A (3×3)``."""
    store, names = solution.store, scenario_names(solution.scenario.told_in(language))
    found: dict[str, Block] = {}
    for name in store:
        if store.step(name).general:
            continue
        wanted = f"{characters(names(name))} ({store.rows(name)}×{store.columns(name)})"
        for sheet in book.worksheets:
            for cell in sheet["A"]:
                text = cell.value if isinstance(cell.value, str) and cell.font.bold else ""
                if text == wanted or (text.startswith(f"{characters(names(name))} = ") and text.endswith(wanted[-6:])):
                    found.setdefault(name, Block(sheet.title, cell.row + 2, 2))
    return found


def without_values(source: Path, target: Path) -> None:
    """A copy in which no formula has a value: what is read afterwards has been recalculated."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for item in old.infolist():
            data = old.read(item)
            if item.filename.startswith("xl/worksheets/"):
                data = re.sub(rb"(</f>)<v>[^<]*</v>", rb"\1", data)
            new.writestr(item.filename, data)


def recalculated(files: Iterable[Path], folder: Path) -> Mapping[str, Any]:
    """All files as LibreOffice computes them, in one process."""
    if shutil.which("soffice") is None:
        pytest.skip("needs LibreOffice Calc")
    bare, out = folder / "bare", folder / "out"
    bare.mkdir(parents=True)
    for file in files:
        without_values(file, bare / file.name)
    profile = (folder / "profile").as_uri()
    command = [
        "soffice",
        f"-env:UserInstallation={profile}",
        "--headless",
        "--convert-to",
        "xlsx",
        "--outdir",
        str(out),
    ]
    subprocess.run([*command, *map(str, sorted(bare.iterdir()))], check=True, capture_output=True, timeout=TIME)
    return {file.stem: openpyxl.load_workbook(out / file.name, data_only=True) for file in sorted(bare.iterdir())}
