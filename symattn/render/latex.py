"""LaTeX for XeLaTeX with ctex: a page of its own, or the body of one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from symattn import words as languages
from symattn.document.blocks import Block, Break, Document, Equation, Inline, Matrices, Matrix, Phrase, Table
from symattn.document.math import Chain, Grid, Math
from symattn.errors import RenderError
from symattn.render import escape, layout
from symattn.render.environment import Macros
from symattn.render.page import MacroValues, filled, inlines, matrix_text, matrix_width, phrase, side_by_side, written
from symattn.render.tex import LATEX, Mode, tex

LINE = 41.0
"""How wide a display may be, in em: the 160 mm between the margins of A4 at 11 pt, and a little air."""

HIGHEST = 20.0
"""How high a display may be, in lines of text; statements that take more are spread over several."""

SURE = 0.9
"""A display is left to itself up to this part of a line; a wider one goes into a box that shrinks if it must."""

WORD, CELL_WORD = 24.0, 3.0
"""A formula inside a line, or in a cell, goes into such a box where it cannot be broken for this many em."""

NARROWEST = 5.5
"""No column of a table is narrower than this, in em."""

_OF_SHEETS = (r"\symattnblank{", r"\symattnneed{", r"\symattnroom{", r"\symattnsheet{", r"\begin{symattnfields}")
"""What only sheets to fill in need, so that other pages do without."""

_SAID_OF_LATEX = ("cjk", "line_spread", "preamble")
"""What each language says of its own page: a font, the distance of lines, what else stands before the page."""

_TEN_FIGURES = re.compile(r"[0-9]{10}(?=[0-9])")
"""After which a long figure inside a line may break."""

_DISPLAY, _INLINE = Mode(LATEX), Mode(LATEX, inline=True)


def latex(document: Document, words: Macros, math: str | None, fragment: bool) -> str:
    """``document`` in LaTeX, with the phrases ``words``.

    Raises :class:`~symattn.errors.RenderError` for delimiters of Markdown.
    """
    if math is not None:
        raise RenderError(f"format latex knows no math={math!r}: that chooses the delimiters of Markdown")
    page = LatexPage(words)
    columns = max((len(row) for grid in _grids(document) for row in grid.rows), default=0)
    titled = not isinstance(next(iter(document.blocks), None), Break)
    body = "".join(_spaced(written(document, page, "latex")))
    whole = filled(
        "latex",
        title=page.title(inlines(document.title, page)) if titled else "",
        body=body,
        sheet=any(command in body for command in _OF_SHEETS),
        fragment=fragment,
        **{
            name: languages.text(document.language, languages.ABOUT, "latex", name, empty=True).strip("\n")
            for name in _SAID_OF_LATEX
        },
        matrix_columns=columns if columns > 10 else 0,
    )
    return escape.latex_page(whole)


def _spaced(blocks: Iterator[tuple[Block, str]]) -> Iterator[str]:
    """The blocks with blank lines between them, but none before a display: that would be an empty paragraph."""
    for position, (block, text) in enumerate(blocks):
        if position:
            yield "\n" if isinstance(block, Equation | Matrix | Matrices) else "\n\n"
        yield text


def _grids(document: Document) -> Iterator[Grid]:
    for block in document.blocks:
        if isinstance(block, Matrix):
            yield Grid(block.entries)
        elif isinstance(block, Matrices):
            yield from (Grid(item.entries) for item in block.items)
        elif isinstance(block, Equation):
            for chain in block.chains:
                yield from layout.grids(chain)


@dataclass(frozen=True)
class LatexPage:
    """How LaTeX writes the pieces; ``unbroken`` is the longest run of characters that no line break may divide."""

    words: Macros
    unbroken: int = 25
    word: float = WORD

    def text(self, text: str) -> str:
        return escape.latex(text, unbroken=self.unbroken)

    def formula(self, math: Math) -> str:
        body = _TEN_FIGURES.sub(r"\g<0>\\allowbreak ", tex(math, _INLINE))
        fit = layout.unbroken_width(math) > self.word or escape.has_rare(body)
        return rf"\symattninline{{{body}}}" if fit else rf"\({body}\)"

    def line(self, pieces: str) -> str:
        return pieces.strip()

    def title(self, pieces: str) -> str:
        return pieces.strip()

    def cell(self, pieces: str) -> str:
        return pieces.strip()

    def equation(self, block: Equation) -> MacroValues:
        bodies = layout.displays(block.chains, _DISPLAY, LINE, highest=HIGHEST, beside=block.beside)
        wide = not all(map(_surely_fits, block.chains))
        high = max(map(layout.height, block.chains), default=0.0) > HIGHEST
        rare = any(map(escape.has_rare, bodies))
        limit = SURE * LINE if wide else LINE
        if wide and len(bodies) > 1:
            # A long proof is broken into lines that fit for sure, where they can be.
            wide = any(line.width > limit for chain in block.chains for line in layout.lines(chain, _DISPLAY, limit))
        fit = wide or high or rare
        if fit or len(bodies) == 1:
            return {"bodies": bodies, "fit": fit, "lines": ""}
        # Several pages' worth of lines stay aligned with one another, and may break between any two.
        (whole,) = layout.displays(block.chains, _DISPLAY, limit)
        lines = whole.removeprefix("\\begin{aligned}\n").removesuffix("\n\\end{aligned}")
        return {"bodies": (), "fit": False, "lines": lines}

    def matrix(self, block: Matrix) -> MacroValues:
        grid, body = Grid(block.entries), matrix_text(block, _DISPLAY)
        wide = layout.width(block.symbol) + layout.width(grid) + 8 > SURE * LINE
        return {"body": body, "fit": wide or layout.height(grid) > HIGHEST or escape.has_rare(body)}

    def matrices(self, block: Matrices) -> MacroValues:
        fit = any(matrix_width(item) > SURE * LINE for item in block.items)
        fit = fit or any(layout.height(Grid(item.entries)) > HIGHEST for item in block.items)
        bodies = side_by_side(block, _DISPLAY, LINE)
        return {"bodies": bodies, "fit": fit or any(map(escape.has_rare, bodies))}

    def columns(self, block: Table) -> list[str]:
        """Each column's part of the line: what it needs, or a fair share where all together need more."""
        rows = [row for row in block.rows if len(row) == len(block.header)]
        needs = [
            max(NARROWEST, _head_width(head, self), *(_cell_width(row[j]) for row in rows))
            for j, head in enumerate(block.header)
        ]
        room = LINE - 1.2 * len(needs)
        weights = [layout.total(_text_width(row[j], self) for row in rows) for j in range(len(needs))]
        shares = [need / LINE for need in needs] if layout.total(needs) <= room else _shared(needs, room, weights)
        return [f"{share:.3f}" for share in shares]

    def code(self, code: str) -> object:
        return [escape.latex_code(line) for line in code.split("\n")] if code else []

    def narrow(self) -> LatexPage:
        return replace(self, unbroken=16, word=CELL_WORD)


def _surely_fits(chain: Chain) -> bool:
    """Whether a statement fits the line, or does once it is broken before its relations."""
    if layout.width(chain) <= SURE * LINE:
        return True
    before = layout.width(chain.left)
    before = layout.INDENT if before > LINE / 2 else before
    return all(before + layout.RELATION + layout.width(side) <= SURE * LINE for _, side in chain.links)


def _shared(needs: list[float], room: float, weights: list[float]) -> list[float]:
    """The parts of a line of ``room`` em: columns that need little get it.

    The wide ones share the rest, half of it alike, half by how much stands in them.
    """
    small: set[int] = set()
    while True:
        rest = room - layout.total(needs[j] for j in small)
        fair = rest / max(1, len(needs) - len(small))
        new = {j for j, need in enumerate(needs) if need <= fair} - small
        if not new:
            break
        small |= new
    total = layout.total(weights[j] for j in range(len(needs)) if j not in small) or 1.0
    wide = [fair / 2 + rest / 2 * weight / total for weight in weights]
    return [(need if j in small else wide[j]) / LINE for j, need in enumerate(needs)]


def _text_width(cell: tuple[Inline, ...], page: LatexPage) -> float:
    """About how much stands in a cell: the text of a sentence as TeX is longer than on the page, but no less."""
    return layout.total(
        layout.text_width(part)
        if isinstance(part, str)
        else layout.text_width(phrase(part, page))
        if isinstance(part, Phrase)
        else layout.width(part)
        for part in cell
    )


def _head_width(head: Phrase, page: LatexPage) -> float:
    return 1.15 * layout.text_width(phrase(head, page)) + 0.5


def _cell_width(cell: tuple[Inline, ...]) -> float:
    widths = (
        layout.text_width(part) if isinstance(part, str) else WORD if isinstance(part, Phrase) else layout.width(part)
        for part in cell
    )
    return 1.05 * layout.total(widths) + 0.5
