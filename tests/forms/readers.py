"""Reads the matrices of a produced file back, and its text, by the format's own parser: nothing here knows symattn.

A matrix is its rows of figures as they are printed, ``None`` for what is no figure: dots, a logarithm, an interval. The
text is everything that a reader of the file sees as words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from io import BytesIO
from subprocess import run
from typing import Any
from xml.etree import ElementTree
from zipfile import ZipFile

from tests.render.dom import Element, dom

Grid = list[list[str | None]]
FIGURE = re.compile(r"-?(?:oo|\d+/\d+|\d+(?:\.\d+)?(?:\*\d+)?(?:\^\(?-?\d+\)?)?)\Z")

SMALL = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def figure(text: str) -> str | None:
    """A figure with the signs of a keyboard, if it is one."""
    text = re.sub(r"\s", "", text).replace("−", "-").replace("∞", "oo").replace("×", "*")
    return text if FIGURE.match(text) else None


# -- TeX -------------------------------------------------------------------------------------------------------------


def tex_grids(text: str) -> Iterator[Grid]:
    """Every matrix in brackets."""
    for body in re.findall(r"\\begin\{bmatrix\}(.*?)\\end\{bmatrix\}", text, flags=re.DOTALL):
        rows = re.split(r"\\\\(?:\[[^]]*\])?", body)
        yield [[tex_figure(cell) for cell in row.split("&")] for row in rows if row.strip()]


def tex_figure(text: str) -> str | None:
    text = re.sub(r"\\(?:uncover|onslide)<[^>]*>", "", text.strip())
    text = re.sub(r"\\[dt]?frac\{(\d+)\}\{(\d+)\}", r"\1/\2", text)
    return figure(text.replace(r"\times", "*").replace(r"\infty", "oo").replace("{", "").replace("}", ""))


def markdown_text(source: str) -> str:
    """What a reader of Markdown sees, without formulas."""
    from markdown_it import MarkdownIt

    found: list[str] = []
    for token in MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(source):
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


BETWEEN: Mapping[str, str] = {"mfrac": "/", "msup": "^"}


def html_grids(page: str) -> Iterator[Grid]:
    """Every table of MathML."""
    for table in dom(page).all("mtable"):
        yield [[figure(cell_text(cell)) for cell in row.all("mtd")] for row in table.all("mtr")]


def cell_text(cell: Element | str) -> str:
    """A formula on one line."""
    return cell if isinstance(cell, str) else BETWEEN.get(cell.tag, "").join(map(cell_text, cell.children))


def html_text(page: str) -> str:
    """The words of a page: not what is in scripts, styles and formulas."""
    return words_in(dom(page))


def words_in(element: Element) -> str:
    inside = (each for each in element.children if isinstance(each, str) or each.tag not in ("script", "style", "math"))
    return "".join(each if isinstance(each, str) else words_in(each) for each in inside)


# -- data, notebooks, sheets -----------------------------------------------------------------------------------------


def displays(data: Any) -> Iterator[str]:
    for passage in data["document"]["passages"]:
        for block in passage["blocks"]:
            yield from block.get("displays", ())


def leaves(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for part in data.values() if isinstance(data, dict) else data:
            yield from leaves(part)


def cells(notebook: Any) -> Iterator[str]:
    """What stands in a notebook, in order, without programs."""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            yield "".join(cell["source"])
        for output in cell.get("outputs", ()):
            yield "".join(output.get("data", {}).get("text/latex", ()))


def sheets(content: bytes) -> Iterator[Any]:
    from openpyxl import load_workbook

    yield from load_workbook(BytesIO(content), data_only=True)


def sheet_grids(content: bytes) -> Iterator[Grid]:
    """Below a cell that ends in a shape, and one to the right. The columns of what is computed have names above them;
    what a sheet cannot hold is text."""
    for sheet in sheets(content):
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
    values = (cell.value for sheet in sheets(content) for row in sheet.iter_rows() for cell in row)
    return "\n".join(value for value in values if isinstance(value, str))


def pandoc(content: bytes, *options: str) -> str:
    """What pandoc makes of a Word file."""
    from pypandoc import get_pandoc_path

    command = [get_pandoc_path(), "--from", "docx", "--wrap", "none", *options]
    return run(command, input=content, capture_output=True, check=True).stdout.decode()


def word_text(content: bytes) -> str:
    """The words of a Word file, without formulas; a paragraph a line."""
    with ZipFile(BytesIO(content)) as packed:
        body = ElementTree.fromstring(packed.read("word/document.xml"))
    word = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
    return "\n".join("".join(node.text or "" for node in each.iter(f"{word}t")) for each in body.iter(f"{word}p"))


# -- the table -------------------------------------------------------------------------------------------------------

GRIDS: Mapping[str, Callable[[bytes], Iterator[Grid]]] = {
    "markdown": lambda file: tex_grids(file.decode()),
    "latex": lambda file: tex_grids(file.decode()),
    "beamer": lambda file: tex_grids(file.decode()),
    "typst": lambda file: typst_grids(file.decode()),
    "html": lambda file: html_grids(file.decode()),
    "json": lambda file: tex_grids("\n".join(displays(json.loads(file)))),
    "ipynb": lambda file: tex_grids("\n".join(cells(json.loads(file)))),
    "xlsx": sheet_grids,
    "docx": lambda file: tex_grids(pandoc(file, "--to", "markdown")),
    "rst": lambda file: tex_grids(file.decode()),
}
"""Of every format the matrices of a file, in order."""

TEXTS: Mapping[str, Callable[[bytes], str]] = {
    "markdown": lambda file: markdown_text(file.decode()),
    "html": lambda file: html_text(file.decode()),
    "json": lambda file: "\n".join(leaves(json.loads(file))),
    "ipynb": lambda file: markdown_text("\n\n".join(cells(json.loads(file)))),
    "xlsx": sheet_text,
    "docx": word_text,
}
"""Of every format that can be parsed here the words of a file."""
