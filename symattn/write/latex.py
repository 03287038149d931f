"""LaTeX: a complete page for any engine (two of them if there is Chinese text), or a part of another document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Self

from symattn.base import words as languages
from symattn.base.errors import RenderError, unknown
from symattn.show.blocks import (
    Block,
    Break,
    Document,
    Equation,
    Heading,
    Inline,
    Matrices,
    Matrix,
    Phrase,
    Picture,
    Prose,
    Table,
    Task,
)
from symattn.show.math import Grid, Math, every
from symattn.write import escape, layout
from symattn.write.environment import Macros
from symattn.write.page import WORKING, MacroValues, TextPage, block_texts, filled, matrix_text, side_by_side
from symattn.write.plain_math import characters
from symattn.write.runs import inline, inline_runs
from symattn.write.tex_math import DISPLAY, tex

LINE = 45.0
"""The maximum width of a display, in em: the 160 mm between the margins of A4 at 10 pt, with a small reserve."""

HIGHEST = 20.0
"""The maximum height of a display, in lines of text; higher statements are split into several."""

SURE = 0.9
"""Share of a line that lines may fill where TeX does not measure and shrink them as it does other displays."""

LONG = 600.0
"""Lines from which on a complete page has a table of contents."""

WORD, CELL_WORD = 24.0, 3.0
"""Length, in em, of an unbreakable part beyond which a formula in a line, or in a cell, is put into a shrinking box."""

NARROWEST = 5.5
"""The minimum width of a column, in em."""

_LABEL = re.compile(r"[\w:.-]+\Z")
"""The pattern of equation labels."""

_DISPLAYED = re.compile(r"\\symattn(?:display|(numbered))(?=\{)")
_LED = re.compile(r"\\symattn(?:display|result|numbered(?:result)?\{[^{}]*\})\{(?=\})")
"""The start of a display, numbered or not, up to the place for its introduction."""

_REGIONS = ("TC", "SC", "HK", "JP", "KR")
"""Regions of Chinese characters: `fonts.j2` has the fonts for each."""

_INTRODUCES = ("text", "line", "lead")
"""Roles of paragraphs that belong to the step after them."""

_TEN_FIGURES = re.compile(r"[0-9]{10}(?=[0-9])")
"""Digits after which a long figure inside a line may break."""

_INLINE = DISPLAY.small


def latex(document: Document, words: Macros, math: str | None, fragment: bool) -> str:
    """Write ``document`` in LaTeX, with the phrases ``words``."""
    page = LatexPage(words, fragment)
    titled = not isinstance(next(iter(document.blocks), None), Break)
    title = page.title(inline(page.headed(), *document.title))
    body = "".join(together(list(block_texts(document, page, "latex")))).strip("\n")
    long = layout.total_extent(map(_lines, document.blocks)) > LONG
    return escape.latex_page(
        filled(
            "latex",
            title=title,
            titled=titled,
            body=body,
            fragment=fragment,
            contents=inline(page, Phrase("contents")) if long and not fragment else "",
            **needs(document, title + body),
        )
    )


def needs(document: Document, text: str) -> MacroValues:
    """Return what a page needs before its text: fonts, colours, space for wide matrices.

    Raises :class:`~symattn.base.errors.RenderError` for a language with an unknown region of Chinese characters.
    """
    about = partial(languages.text, document.language, languages.ABOUT, "latex", empty=True)
    if about("cjk") not in _REGIONS:
        raise RenderError(f"language {document.language}: {unknown('cjk', about('cjk'), _REGIONS)}")
    columns = max((len(row) for grid in _grids(document) for row in grid.rows), default=0)
    return {
        "cjk": escape.has_wide(text),
        "rare": escape.has_rare(text),
        "tints": _tints(document),
        "region": about("cjk"),
        "line_spread": about("line_spread"),
        "preamble": about("preamble").strip("\n"),
        "language": document.language,
        "matrix_columns": columns if columns > 10 else 0,
    }


def style() -> str:
    """Return the file ``symattn.sty``: the look of pages, which each of them includes."""
    return (languages.templates() / "latex" / "symattn.sty").read_text(encoding="utf-8")


def together(blocks: Sequence[tuple[Block, str]]) -> Iterator[str]:
    """Join the blocks with blank lines between them, but none before a display.

    The introduction of a display is on its line, steps are separated, and a matrix that something leads to is a result.
    """
    starts = set(_steps([block for block, _ in blocks]))
    lead, worked = "", False
    for place, (block, text) in enumerate(blocks):
        display = isinstance(block, Equation | Matrix | Matrices)
        if worked and isinstance(block, Matrix | Matrices):
            text = _DISPLAYED.sub(lambda match: f"\\symattn{match[1] or ''}result", text)
        if display or isinstance(block, Heading):
            worked = isinstance(block, Equation) and (worked or block.kind in WORKING)
        led = _LED.match(text) if lead and display else None
        if led is not None:
            # An introduction is level with the first of several lines.
            rest = text[led.end() :].replace("}{%\n\\begin{aligned}\n", "}{%\n\\begin{aligned}[t]\n", 1)
            text, display, lead = f"{text[: led.end()]}{lead}{rest}", False, ""
        if lead:
            yield "\n\n" + lead
        is_lead = isinstance(block, Phrase) and block.role == "lead"
        lead = text if is_lead else ""
        if place in starts:
            yield "\n\n\\symattnstep"
        if not is_lead:
            yield ("\n" if display else "\n\n") + text
    if lead:
        yield "\n\n" + lead


def _steps(blocks: Sequence[Block]) -> Iterator[int]:
    """Yield where each step after the first under its heading begins: at its formula or its introduction."""
    for place, block in enumerate(blocks):
        if not isinstance(block, Equation) or block.kind != "formula":
            continue
        while place and isinstance(before := blocks[place - 1], Prose | Phrase) and before.role in _INTRODUCES:
            place -= 1
        if place and not isinstance(blocks[place - 1], Heading | Task | Break):
            yield place


def _lines(block: Block) -> float:
    """Estimate how many lines of a page a block takes."""
    match block:
        case Equation(chains):
            return 0.5 + layout.total_extent(layout.height(chain) + 0.5 for chain in chains)
        case Matrix():
            return 1.0 + len(block.entries)
        case Matrices(items):
            return max(map(_lines, items), default=0.0)
        case Table():
            return 1.5 * len(block.rows)
        case _:
            return 1.5


def _tints(document: Document) -> Mapping[str, str]:
    """Return the colours of pictures by their names; none where there are no pictures."""
    if not any(isinstance(block, Picture) for block in document.blocks):
        return {}
    from symattn.write.pictures.svg import TINTS

    return {name: ",".join(map(str, parts)) for name, parts in TINTS.items()}


def _grids(document: Document) -> Iterator[Grid]:
    for block in document.blocks:
        if isinstance(block, Matrix):
            yield Grid(block.entries)
        elif isinstance(block, Matrices):
            yield from (Grid(item.entries) for item in block.items)
        elif isinstance(block, Equation):
            yield from every(Grid, block.chains)


@dataclass(frozen=True)
class LatexPage(TextPage):
    """Writes the pieces in LaTeX; ``unbroken`` is the longest run of characters that no line break may divide."""

    fragment: bool = False
    unbroken: int = 25
    word: float = WORD
    bookmarks: bool = False
    """Whether it writes a heading, whose formulas have a text for bookmarks."""
    room: float = LINE
    """The width of a line, in em."""

    def text(self, text: str) -> str:
        return escape.latex(text, unbroken=self.unbroken)

    def formula(self, math: Math) -> str:
        body = _TEN_FIGURES.sub(r"\g<0>\\allowbreak ", tex(math, _INLINE))
        fit = layout.unbroken_width(math) > self.word or escape.has_rare(body)
        shown = rf"\symattninline{{{body}}}" if fit else rf"\({body}\)"
        return rf"\texorpdfstring{{{shown}}}{{{self.text(characters(math))}}}" if self.bookmarks else shown

    def equation(self, block: Equation) -> MacroValues:
        bodies = layout.displays(block.chains, DISPLAY, self.room, highest=HIGHEST, beside=block.beside)
        told: MacroValues = {"bodies": bodies, "lines": "", "label": _label(block.label)}
        high = max(map(layout.height, block.chains), default=0.0) > HIGHEST
        if len(bodies) == 1 or self.fragment or block.label or high or any(map(escape.has_rare, bodies)):
            return told
        limit = SURE * self.room
        found = (line for chain in block.chains for line in layout.lines(chain, DISPLAY, limit))
        if layout.aligned_width(found) > limit:
            return told
        # Several pages' worth of lines stay aligned with one another, and may break between any two.
        (whole,) = layout.displays(block.chains, DISPLAY, limit)
        lines = whole.removeprefix("\\begin{aligned}\n").removesuffix("\n\\end{aligned}")
        return {**told, "bodies": (), "lines": lines}

    def matrix(self, block: Matrix) -> MacroValues:
        return {"body": matrix_text(block, DISPLAY), "label": _label(block.label)}

    def picture(self, block: Picture) -> MacroValues:
        from symattn.write.pictures.tikz import tikz

        return {"drawing": tikz(block.drawing, self.words)}

    def matrices(self, block: Matrices) -> MacroValues:
        return {"bodies": side_by_side(block, DISPLAY, self.room)}

    def columns(self, block: Table) -> list[str]:
        """Return each column's share of the line: its need, or a fair share where all together need more."""
        rows = [row for row in block.rows if len(row) == len(block.header)]
        needs = [
            max(NARROWEST, _head_width(head, self), *(_cell_width(row[j], self) for row in rows))
            for j, head in enumerate(block.header)
        ]
        room = self.room - 1.2 * len(needs)
        texts = [[_seen_width(row[j], self) for row in rows] for j in range(len(needs))]
        if layout.total_extent(needs) > room:
            widths = _shared(needs, room, list(map(layout.total_extent, texts)))
            return [f"{width / self.room:.3f}" for width in widths]
        # The remaining space is for columns whose text would take more than a line.
        more = [max(0.0, *(width - need for width in widths)) for widths, need in zip(texts, needs, strict=True)]
        part = min(1.0, (room - layout.total_extent(needs)) / (layout.total_extent(more) or 1.0))
        return [f"{(need + part * wish) / self.room:.3f}" for need, wish in zip(needs, more, strict=True)]

    def code(self, code: str) -> object:
        return [escape.latex_code(line) for line in code.split("\n")] if code else []

    def headed(self) -> Self:
        return replace(self, bookmarks=True)

    def narrow(self) -> Self:
        return replace(self, unbroken=16, word=CELL_WORD)


def _label(label: str) -> str:
    if label and not _LABEL.match(label):
        raise RenderError(f"no LaTeX for the label {label!r}: expected letters, digits and any of _ : . -")
    return label


def _shared(needs: list[float], room: float, weights: list[float]) -> list[float]:
    """Divide a line of ``room`` em among columns: narrow ones get the width they need.

    The wide ones share the rest, half of it equally, half by the amount of their text.
    """
    small: set[int] = set()
    while True:
        rest = room - layout.total_extent(needs[j] for j in small)
        fair = rest / max(1, len(needs) - len(small))
        new = {j for j, need in enumerate(needs) if need <= fair} - small
        if not new:
            break
        small |= new
    total = layout.total_extent(weights[j] for j in range(len(needs)) if j not in small) or 1.0
    wide = [fair / 2 + rest / 2 * weight / total for weight in weights]
    return [need if j in small else wide[j] for j, need in enumerate(needs)]


def _seen_width(cell: tuple[Inline, ...], page: LatexPage) -> float:
    """Estimate the width of a cell in one line: of its text and its formulas, not of the source of either."""
    return layout.total_extent(
        layout.text_width(run) if isinstance(run, str) else layout.slashed_width(run)
        for run in inline_runs(cell, page.words)
    )


def _head_width(head: Phrase, page: LatexPage) -> float:
    return 1.15 * _seen_width((head,), page) + 0.5


def _cell_width(cell: tuple[Inline, ...], page: LatexPage) -> float:
    """Return the width that a cell needs: sentences break where they are long."""
    widest = WORD if any(isinstance(part, Phrase) for part in cell) else inf
    return 1.05 * min(widest, _seen_width(cell, page)) + 0.5
