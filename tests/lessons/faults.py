"""What a machine can hold against a page of a lesson, from its text alone: nothing here knows how pages are made."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from subprocess import run
from typing import Any

_MATH = re.compile(r"\$\$.*?\$\$|\$[^$\n]+\$", re.DOTALL)
_SUM = re.compile(r"\\sum_\{(\w+)=1\}\^\{([^{}]*)\}")
_SHOWN = re.compile(r"\(shape=[^)]*\)=\s*\\begin\{bmatrix\}(.*?)\\end\{bmatrix\}", re.DOTALL)
_FIGURE = re.compile(r"-?\d+(?:\.\d+)?")
_REPEATED = re.compile(r"(?:=|\\approx) (-?[\d.]+) *(?:=|\\approx) \1(?![\d.])")
_SLIP = re.compile(r"\b(?:None|undefined|nan|NaN|Traceback|grad_\w+|TODO)\b|\{\{|\}\}|\{%")
_ENGLISH = re.compile(r"(?<![\w\\])[A-Za-z]{3,}(?![\w(])")
_LOAN = frozenset(
    "softmax sigmoid tanh ReLU LeakyReLU ELU GELU SiLU argmax argmin RoPE ALiBi "
    "svg SGD Adam Kingma PyTorch Python".split()
)
_EDGE = 25 * 72 / 25.4
"""The margin beside the text, in points."""
_OVERHANG = 6
"""How far a full stop or half a bracket may hang out of a justified line."""


def of_data(solution: Any) -> dict[str, Any]:
    """The solution as data: the other road to every figure."""
    return json.loads(solution.published("json"))


def of_page(page: str, data: dict[str, Any]) -> Iterator[str]:
    """The faults of a page in Markdown."""
    yield from (f"printed as it is: {found}" for found in _SLIP.findall(_without(_MATH, page)))
    yield from (f"a figure after itself: {found[0]}" for found in _REPEATED.finditer(page))
    for math in _MATH.findall(page):
        if fault := unbalanced(math):
            yield f"{fault} in {math[:80]}"
    yield from _bound(page, data)
    yield from _other_figures(page, data)
    yield from _empty(page)


def _without(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(" ", text)


def unbalanced(tex: str) -> str:
    """The braces or the pair of LaTeX that do not belong together."""
    bare = re.sub(r"\\[{}\\]", "", tex)
    depth = 0
    for sign in re.findall(r"[{}]", bare):
        depth += 1 if sign == "{" else -1
        if depth < 0:
            return "a } too many"
    pairs = (r"\\left(?![a-z])", r"\\right(?![a-z])"), (r"\\begin\{", r"\\end\{")
    wrong = [first for first, last in pairs if len(re.findall(first, tex)) != len(re.findall(last, tex))]
    return "a { too many" if depth else f"{wrong[0]} without its other half" if wrong else ""


def _bound(page: str, data: dict[str, Any]) -> Iterator[str]:
    """Sums whose index is a size, a name, or its own end."""
    slopes = {each["name"] for each in data["steps"] if "∂" in each["symbol"]["text"]}  # pages write ∂y/∂x, and no k
    named = {each["name"] for key in ("givens", "steps") for each in data[key]} | {*data["sizes"], *data["symbols"]}
    named -= slopes
    for index, end in set(_SUM.findall(page)):
        if index in named or index == end:
            yield f"a sum binds {index}: 1 to {end}"


def _other_figures(page: str, data: dict[str, Any]) -> Iterator[str]:
    """Matrices of figures that no name has."""
    known = {_rows_of(rows) for key in ("givens", "steps") for each in data[key] for rows in _matrices(each)}
    for found in _SHOWN.finditer(page):
        rows = tuple(tuple(cell.strip() for cell in row.split("&")) for row in found[1].strip().split(r"\\"))
        if all(_FIGURE.fullmatch(cell) for row in rows for cell in row) and rows not in known:
            yield f"figures that are nowhere in the data: {rows}"


def _matrices(each: dict[str, Any]) -> Iterator[list[Any]]:
    yield from (
        rows for rows in (each.get("written"), (each["values"] or {}).get("decimals")) if isinstance(rows, list)
    )


def _rows_of(rows: list[Any]) -> tuple[tuple[str, ...], ...]:
    """Rows of figures; those of a vector, which lies as a row or as a column, as they are listed."""
    return tuple(tuple(map(str, row)) for row in (rows if rows and isinstance(rows[0], list) else [rows]))


def _empty(page: str) -> Iterator[str]:
    """Headings above nothing, reasons without a word, lines that end in a lead."""
    lines = [line for line in page.splitlines() if line.strip()]
    for line, after in zip(lines, [*lines[1:], "# "], strict=True):
        level, below = (len(each) - len(each.lstrip("#")) for each in (line, after))
        if level and below and below <= level:
            yield f"nothing under {line}"
        if re.fullmatch(r"(?:> )?\*\*[^*]+\*\*", line.strip()):
            yield f"nothing behind {line}"


def foreign(page: str, data: dict[str, Any], source: str) -> Iterator[str]:
    """English words on a page of another language, but for what the lesson itself says and what has no other name."""
    of_formulas = re.findall(r"[A-Za-z]+", " ".join(re.findall(r"\\mathrm\{([^}]*)\}", page)))
    own = {*re.findall(r"[A-Za-z]+", source), *of_formulas, *_LOAN}
    text = re.sub(r"\]\([^)]*\)|</?(?:details|summary)>", "]", _without(_MATH, page))
    yield from (f"an English word: {word}" for word in _ENGLISH.findall(text) if word not in own)


class _Tags(HTMLParser):
    """The tags that are open."""

    VOID = frozenset("area base br col embed hr img input link meta source track wbr path circle rect line".split())

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def of_html(page: str) -> Iterator[str]:
    """Tags that are closed in another order than they are opened."""
    tags = _Tags()
    tags.feed(page)
    yield from (f"</{tag}> closes another tag" for tag in tags.wrong[:3])
    text = re.sub(r"<(script|style|math|svg)\b.*?</\1>|<[^>]*>", " ", page, flags=re.DOTALL)
    yield from (f"printed as it is: {found}" for found in re.findall(r"\b(?:None|undefined|NaN)\b", text))


def of_latex(text: str) -> Iterator[str]:
    """Braces and pairs of a document of LaTeX that do not belong together."""
    body = text[text.index(r"\begin{document}") :]
    if fault := unbalanced(re.sub(r"(?<!\\)%.*", "", body)):
        yield fault


def of_pdf(pdf: bytes) -> Iterator[str]:
    """Words beside the text of a page, read by pdftotext; a missing letter has been an error before."""
    found = run(["pdftotext", "-bbox", "-", "-"], input=pdf, capture_output=True, check=True).stdout.decode()
    for page in found.split("<page ")[1:]:
        width = float(re.search(r'width="([\d.]+)"', page)[1])  # type: ignore[index]
        for left, right, word in re.findall(r'xMin="([-\d.]+)".*?xMax="([-\d.]+)".*?>(.*?)</word>', page):
            if float(left) < _EDGE - _OVERHANG or float(right) > width - _EDGE + _OVERHANG:
                yield f"beside the text: {word}"
