"""Reads produced files back, each format by its own parser: the matrices, the words, and what programs make of them.

A matrix is its rows of figures as they are printed, ``None`` for what is no figure: dots, a logarithm, an interval. The
text is everything that a reader of the file sees as words. Nothing here knows symattn.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

Grid = list[list[str | None]]
FIGURE = re.compile(r"-?(?:oo|\d+/\d+|\d+(?:\.\d+)?(?:\*\d+)?(?:\^\(?-?\d+\)?)?)\Z")
SMALL = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def figure(text: str) -> str | None:
    """A figure with the signs of a keyboard, if it is one."""
    text = re.sub(r"\s", "", text).replace("−", "-").replace("∞", "oo").replace("×", "*")
    return text if FIGURE.match(text) else None


def worth(text: str) -> Fraction:
    """The number of a figure: ``0.25``, ``-3/4``, ``-10^9``, ``1.5*10^(-9)``."""
    front, times, rest = text.removeprefix("-").partition("*")
    number, _, power = (rest if times else front).replace("(", "").replace(")", "").partition("^")
    size = Fraction(number) ** int(power or 1) * (Fraction(front) if times else 1)
    return -size if text.startswith("-") else size


# -- TeX -------------------------------------------------------------------------------------------------------------


def tex_matrices(text: str) -> Iterator[list[list[str]]]:
    """The cells of every matrix in brackets, as TeX."""
    for body in re.findall(r"\\begin\{bmatrix\}(.*?)\\end\{bmatrix\}", text, flags=re.DOTALL):
        rows = re.split(r"\\\\(?:\[[^]]*\])?", body)
        yield [[cell.strip() for cell in row.split("&")] for row in rows if row.strip()]


def tex_grids(text: str) -> Iterator[Grid]:
    for rows in tex_matrices(text):
        yield [[tex_figure(cell) for cell in row] for row in rows]


def tex_figure(text: str) -> str | None:
    text = re.sub(r"\\(?:uncover|onslide)<[^>]*>", "", text.strip())
    text = re.sub(r"\\[dt]?frac\{(\d+)\}\{(\d+)\}", r"\1/\2", text)
    return figure(text.replace(r"\times", "*").replace(r"\infty", "oo").replace("{", "").replace("}", ""))


# -- Markdown --------------------------------------------------------------------------------------------------------


def markdown_parser() -> Any:
    """What GitHub reads, without formulas."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def markdown_text(source: str) -> str:
    """What a reader of Markdown sees, without formulas."""
    found: list[str] = []
    for token in markdown_parser().parse(source):
        children = token.children or []
        found.append("".join(child.content for child in children if child.type in ("text", "code_inline")))
        if token.type in ("fence", "code_block"):
            found.append(token.content)
    return "\n".join(found)


# -- Typst -----------------------------------------------------------------------------------------------------------


def typst_grids(text: str) -> Iterator[Grid]:
    for body in re.findall(r"^mat\((?:row-gap: [^,]*, *)?\n(.*?)\n\)", text, flags=re.DOTALL | re.MULTILINE):
        plain = re.sub(r"display\((.*?)\)", r"\1", re.sub(r"frac\((\d+), ?(\d+)\)", r"\1/\2", body))
        yield [[figure(cell.replace("infinity", "oo")) for cell in row.split(",")] for row in plain.split(";")]


# -- HTML ------------------------------------------------------------------------------------------------------------

VOID = frozenset({"meta", "hr", "br", "link", "input", "img", "col"})
BETWEEN: Mapping[str, str] = {"mfrac": "/", "msup": "^"}


@dataclass
class Element:
    """An element with its attributes and, in order, the texts and elements in it."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)

    def all(self, *tags: str) -> Iterator[Element]:
        """Every element in it, or every one of these names, in the order of the page."""
        for child in self.children:
            if isinstance(child, Element):
                if not tags or child.tag in tags:
                    yield child
                yield from child.all(*tags)

    def text(self) -> str:
        """All text in it."""
        return "".join(child if isinstance(child, str) else child.text() for child in self.children)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Element(tag, {name: value or "" for name, value in attrs})
        assert len(made.attributes) == len(attrs), f"an attribute of {tag} stands there twice: {attrs}"
        self.open[-1].children.append(made)
        if tag not in VOID:
            self.open.append(made)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def dom(page: str) -> Element:
    """A page as a tree; an element that is not closed is an error."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert len(reader.open) == 1, f"not closed: {[each.tag for each in reader.open]}"
    return reader.open[0]


def html_grids(page: str) -> Iterator[Grid]:
    """Every table of MathML."""
    for table in dom(page).all("mtable"):
        yield [[mathml_figure(cell) for cell in row.all("mtd")] for row in table.all("mtr")]


def mathml_figure(cell: Element) -> str | None:
    def on_a_line(piece: Element | str) -> str:
        return piece if isinstance(piece, str) else BETWEEN.get(piece.tag, "").join(map(on_a_line, piece.children))

    return figure(on_a_line(cell))


def html_text(page: str) -> str:
    """The words of a page: not what is in scripts, styles and formulas."""

    def words_in(piece: Element | str) -> str:
        if isinstance(piece, str):
            return piece
        return "" if piece.tag in ("script", "style", "math") else "".join(map(words_in, piece.children))

    return words_in(dom(page))


# -- data ------------------------------------------------------------------------------------------------------------


def displays(data: Any) -> Iterator[str]:
    for passage in data["document"]["passages"]:
        for block in passage["blocks"]:
            yield from block.get("displays", ())


def leaves(data: Any) -> Iterator[str]:
    """Every text in data, however deep."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for part in data.values() if isinstance(data, dict) else data:
            yield from leaves(part)


# -- notebooks -------------------------------------------------------------------------------------------------------

SHOWN = {"text/latex": "_repr_latex_", "text/markdown": "_repr_markdown_", "image/svg+xml": "_repr_svg_"}
Bundle = dict[str, str]


def source(cell: Mapping[str, Any]) -> str:
    return "".join(cell["source"])


def cells(notebook: Any) -> Iterator[str]:
    """What stands in a notebook, in order, without programs."""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            yield source(cell)
        yield from (each.get("text/latex", "") for each in stored(cell))


def stored(cell: Mapping[str, Any]) -> list[Bundle]:
    """What a cell says that it puts out."""
    return [{kind: "".join(lines) for kind, lines in each["data"].items()} for each in cell.get("outputs", ())]


def bundle(value: object) -> Bundle:
    """How a value shows itself."""
    rich = {kind: getattr(value, name)() for kind, name in SHOWN.items() if hasattr(value, name)}
    return rich | {"text/plain": repr(value)}


def run(notebook: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], list[Bundle], dict[str, Any]]]:
    """Run every cell of Python as a kernel does: what it puts out, and the names that there are then."""
    names: dict[str, Any] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        shown: list[object] = []
        names["display"] = lambda *values, shown=shown: shown.extend(values)
        tree = ast.parse(re.sub(r"^%.*", "", source(cell)))
        last = tree.body[-1] if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        ahead = ast.Module(tree.body[:-1] if last else tree.body, [])
        exec(compile(ahead, cell["id"], "exec"), names)  # noqa: S102 - what a kernel does
        if last is not None:
            value = eval(compile(ast.Expression(last.value), cell["id"], "eval"), names)  # noqa: S307
            if value is not None and not source(cell).endswith(";"):
                shown.append(value)
        yield cell, [bundle(value) for value in shown], names


# -- workbooks: read by openpyxl, computed again by LibreOffice -------------------------------------------------------

OFFICE_TIME = 900
"""Seconds that LibreOffice may take for all files together."""


def workbook(content: bytes, values: bool = True) -> Any:
    """The workbook with the values of its cells, or with their formulas."""
    from openpyxl import load_workbook

    return load_workbook(BytesIO(content), data_only=values)


def sheet_grids(content: bytes) -> Iterator[Grid]:
    """Below a cell that ends in a shape, and one to the right. The columns of what is computed have names above them;
    what a sheet cannot hold is text."""
    for sheet in workbook(content):
        for head in (cell for row in sheet.iter_rows() for cell in row if isinstance(cell.value, str)):
            shape = re.search(r"\((\d+)×(\d+)\)\Z", head.value)
            rows, columns = map(int, shape.groups()) if shape else (0, 0)
            for below, kind in ((2, int | float), (1, str)):
                block = [
                    [sheet.cell(head.row + below + i, head.column + 1 + j).value for j in range(columns)]
                    for i in range(rows)
                ]
                if block and all(isinstance(cell, kind) for line in block for cell in line):
                    yield [[sheet_figure(cell) for cell in line] for line in block]


def sheet_figure(value: float | str) -> str | None:
    """A number as a sheet holds it, all digits of a double, or a figure that it has as text."""
    if isinstance(value, str):
        return figure(re.sub("[⁰-⁹²³¹⁻]+", lambda found: f"^{found[0].translate(SMALL)}", value))
    return f"{'-' if value < 0 else ''}oo" if abs(value) >= 1e300 else str(Decimal(value))


def sheet_text(content: bytes) -> str:
    values = (cell for sheet in workbook(content) for row in sheet.iter_rows(values_only=True) for cell in row)
    return "\n".join(value for value in values if isinstance(value, str))


def recalculated(files: Iterable[Path], folder: Path) -> Mapping[str, Any]:
    """All files as LibreOffice computes them, in one process, from formulas that have no values."""
    if shutil.which("soffice") is None:
        pytest.skip("needs LibreOffice Calc")
    bare, out = folder / "bare", folder / "out"
    bare.mkdir(parents=True)
    for file in files:
        _without_values(file, bare / file.name)
    home = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = ["soffice", home, "--headless", "--convert-to", "xlsx", "--outdir", str(out)]
    made = sorted(bare.iterdir())
    subprocess.run([*command, *map(str, made)], check=True, capture_output=True, timeout=OFFICE_TIME)
    return {file.stem: workbook((out / file.name).read_bytes()) for file in made}


def _without_values(file: Path, target: Path) -> None:
    with ZipFile(file) as old, ZipFile(target, "w", ZIP_DEFLATED) as new:
        for item in old.infolist():
            data = old.read(item)
            if item.filename.startswith("xl/worksheets/"):
                data = re.sub(rb"(</f>)<v>[^<]*</v>", rb"\1", data)
            new.writestr(item.filename, data)


# -- Word ------------------------------------------------------------------------------------------------------------

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
OF_MATH: Mapping[str, Callable[[ElementTree.Element], str]] = {
    M + "t": lambda node: node.text or "",
    M + "sup": lambda node: "^",
    M + "den": lambda node: "/",
    M + "rad": lambda node: "√",
}


class Word:
    """A Word file, as its XML says it."""

    def __init__(self, made: bytes) -> None:
        with ZipFile(BytesIO(made)) as packed:
            self.parts = {name: packed.read(name) for name in packed.namelist()}
        self.body = ElementTree.fromstring(self.parts["word/document.xml"])

    def texts(self) -> list[str]:
        """What stands in each run, in order."""
        return [node.text or "" for node in self.body.iter() if node.tag in (W + "t", M + "t")]

    def words(self) -> str:
        """The words, without formulas; a paragraph a line."""
        return "\n".join("".join(node.text or "" for node in each.iter(W + "t")) for each in self.body.iter(W + "p"))

    def grids(self) -> Iterator[list[list[str]]]:
        """The entries of every matrix in brackets that is shown with its shape, on its line or on the one before."""
        headed = False
        for equation in self.body.iter(M + "oMath"):
            text = word_math(equation)
            headed = "(shape=" in text or headed
            for pair in equation.iter(M + "d") if headed else ():
                if (grid := pair.find(f"{M}e/{M}m")) is not None:
                    yield [[word_math(cell) for cell in row.findall(M + "e")] for row in grid.findall(M + "mr")]
            headed = "(shape=" in text and text.rstrip().endswith("=")

    def equations(self) -> list[str]:
        return ["".join(node.text or "" for node in each.iter(M + "t")) for each in self.body.iter(M + "oMath")]

    def styled(self, style: str) -> list[str]:
        """The text of all paragraphs of a style."""
        used = ((each, each.find(f"{W}pPr/{W}pStyle")) for each in self.body.iter(W + "p"))
        found = (each for each, kind in used if kind is not None and kind.get(W + "val") == style)
        return ["".join(node.text or "" for node in each.iter() if node.tag in (W + "t", M + "t")) for each in found]


def word_math(cell: ElementTree.Element) -> str:
    """A formula on one line."""
    return "".join(OF_MATH[node.tag](node) for node in cell.iter() if node.tag in OF_MATH).replace("−", "-")


def pandoc(content: bytes, *options: str) -> str:
    """What pandoc makes of a Word file."""
    from pypandoc import get_pandoc_path

    command = [get_pandoc_path(), "--from", "docx", "--wrap", "none", *options]
    return subprocess.run(command, input=content, capture_output=True, check=True).stdout.decode()


# -- the table -------------------------------------------------------------------------------------------------------

GRIDS: Mapping[str, Callable[[bytes], Iterator[Grid]]] = {
    **dict.fromkeys(("markdown", "latex", "beamer", "rst"), lambda file: tex_grids(file.decode())),
    "typst": lambda file: typst_grids(file.decode()),
    "html": lambda file: html_grids(file.decode()),
    "json": lambda file: tex_grids("\n".join(displays(json.loads(file)))),
    "ipynb": lambda file: tex_grids("\n".join(cells(json.loads(file)))),
    "xlsx": sheet_grids,
    "docx": lambda file: ([[figure(cell) for cell in row] for row in rows] for rows in Word(file).grids()),
}
"""Of every format the matrices of a file, in order."""

TEXTS: Mapping[str, Callable[[bytes], str]] = {
    "markdown": lambda file: markdown_text(file.decode()),
    "html": lambda file: html_text(file.decode()),
    "json": lambda file: "\n".join(leaves(json.loads(file))),
    "ipynb": lambda file: markdown_text("\n\n".join(cells(json.loads(file)))),
    "xlsx": sheet_text,
    "docx": lambda file: Word(file).words(),
}
"""Of every format that can be parsed here the words of a file."""
