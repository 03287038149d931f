r"""Mathematics as TeX: LaTeX's own, and what each other reader of TeX takes.

What comes from outside (a label, a name) goes through :mod:`symattn.write.escape`, so the TeX itself holds no ``$``,
no backtick, no ``|``, no ``<`` and no ``*``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar

from symattn.show.math import (
    Accent,
    Accented,
    Bars,
    Blank,
    Call,
    Cases,
    Chain,
    Grid,
    Highlighted,
    Interval,
    Letter,
    Math,
    Parens,
    Root,
    Script,
    Seq,
    Shaped,
    Squared,
    Stacked,
    Sum,
)
from symattn.write import escape
from symattn.write.math_writer import MARKS, NAMED, WORD, MathWriter, is_latin, is_slashed, is_tall, squared

_ACCENTS = MappingProxyType({"tilde": (r"\tilde", r"\widetilde"), "hat": (r"\hat", r"\widehat"), "bar": (r"\bar",) * 2})
_OPERATORS: Mapping[str, str] = MappingProxyType(
    {
        **{sign: sign for sign in "+-,:T=<>"},
        "·": r"\cdot",
        "×": r"\times",
        "⊙": r"\odot",
        "⊘": r"\oslash",
        "⋯": r"\cdots",
        "⋮": r"\vdots",
        "⋱": r"\ddots",
        "≤": r"\le",
        "≥": r"\ge",
        "≈": r"\approx",
        "≠": r"\ne",
        "∨": r"\lor",
    }
)
_CONTROL_WORD = re.compile(r"\\[A-Za-z]+\Z")
_OPERATOR = r"\mathop"
_ONE_ARGUMENT = re.compile(r"(\\[a-z]+)\{(\\[A-Za-z]+|[A-Za-z0-9])\}\Z")
_PAIR = re.compile(r"(\(|\[|\\l\w+(?= ))(.*)(\)|\]|\\r\w+)\Z", re.DOTALL)
_NAME = re.compile(r"\\(?:mathrm|mathit|text)\{[^{}\\]+\}\Z")


@dataclass(frozen=True)
class TexMath(MathWriter):
    """Writes mathematics for LaTeX; subclasses serve readers that accept less."""

    format = "TeX"
    operators = _OPERATORS
    quad, between, further = r"\quad", r"\qquad", r"\quad{}"
    infinity, times, tens, space, shape = r"\infty", r"\times", r"\times ", r"\ ", "shape="

    thin: ClassVar[str] = r"\,"
    """The space between two words."""
    tall_row_end: ClassVar[str] = r"\\[10pt]"
    next_row: ClassVar[str] = r"\cr "
    """The separator between the rows of a matrix inside a line."""
    rule: ClassVar[str] = "\n\\hline"
    """The line between two parts of a matrix; without it, an empty row separates them."""
    empty: ClassVar[str] = ""
    """The content of an empty cell."""
    box: ClassVar[str] = r"\symattnblank"
    room: ClassVar[str] = ""
    """A placeholder as wide as a figure in an empty box, unless invisible figures keep it open."""
    upright: ClassVar[str] = r"\mathrm"
    colour: ClassVar[str] = r"\textcolor[HTML]"
    """The command that colours a piece; no command is accepted by all readers of Markdown."""
    square: ClassVar[tuple[str, str]] = ("[", "]")
    """Square brackets, which Markdown would take for a link."""
    around_sum: ClassVar[tuple[str, str]] = (" ", "")
    bare_index: ClassVar[bool] = True
    """Whether a subscript may follow anything, or only a letter or a digit."""
    pairs: ClassVar[bool] = False
    """Whether an index applies to a pair of brackets as a whole, and not only to the last of them."""

    def label(self, text: str) -> str:
        """Make plain words safe."""
        return escape.formula_latex(text)

    def letter(self, piece: Letter) -> str:
        name = piece.name
        if piece.style == "text" or not WORD.match(name):
            return self.label(name)
        if piece.style == "upright":
            return rf"{self.upright}{{{name}}}"
        if name in NAMED:
            return r"\varepsilon" if name == "epsilon" else "\\" + name
        return name if len(name) == 1 else rf"\mathit{{{name}}}"

    def seq(self, piece: Seq) -> str:
        return super().seq(piece) or self.empty

    def script(self, piece: Script) -> str:
        if isinstance(piece.base, Accented) and piece.base.accent == "prime":
            # Behind the index, which an apostrophe would part from its letter.
            below = replace(piece, base=piece.base.base, sup=None)
            return self.write(below) + "'" + self.scripts(replace(piece, sub=None))
        base, held = self.write(piece.base), piece.base
        if self.inline and is_slashed(held):
            base, held = f"({base})", Parens(held)
        if self.pairs and isinstance(held, Parens | Bars | Call) and not is_tall(held, self.inline):
            base = _PAIR.sub(r"\\left\1\2\\right\3", base)
        grouped = isinstance(held, Script | Seq | Chain | Shaped | Stacked)
        if piece.sub is not None and not self.bare_index and (grouped or not base[-1].isalnum()):
            base = self._indexable(base, held.inner if isinstance(held, Parens) else held)
        elif grouped:
            base = f"{{{base}}}"
        return base + self.scripts(piece)

    def _indexable(self, base: str, held: Math) -> str:
        """Write the base of an index so that it ends in a letter or a digit: ``\\tilde S``, a name, ``[X Y]``."""
        if one := _ONE_ARGUMENT.match(base):
            return self.glue(one.groups())
        if _NAME.match(base):
            return rf"{_OPERATOR}{{{base}}}\nolimits"
        return self.fenced(r"\lbrack", self.write(held), r"\rbrack", is_tall(held, self.inline))

    def bold(self, base: Math) -> str:
        command = r"\mathbf" if is_latin(base) else r"\boldsymbol"
        return f"{command}{{{self.write(base)}}}"

    def accent(self, accent: Accent, base: Math) -> str:
        narrow, wide = _ACCENTS[accent]
        return f"{narrow if isinstance(base, Letter) else wide}{{{self.write(base)}}}"

    def root(self, piece: Root) -> str:
        return rf"\sqrt{{{self.write(piece.radicand)}}}"

    def bars(self, piece: Bars) -> str:
        mark = "floor" if piece.floor else "Vert" if piece.double else "vert"
        return self.fenced(rf"\l{mark} ", self.write(piece.inner), rf"\r{mark}", is_tall(piece, self.inline))

    def interval(self, piece: Interval) -> str:
        left, right = self.square
        return self.fenced(left, self.listed((piece.low, piece.high)), right, False)

    def grid(self, piece: Grid) -> str:
        return self.rows("bmatrix", piece.rows)

    def cases(self, piece: Cases) -> str:
        return self.rows("cases", piece.branches)

    def squared(self, piece: Squared) -> str:
        rows, above = squared(piece), len(piece.above.rows)
        if not self.rule:
            rows = (*rows[:above], (Seq(()),) * len(rows[0]), *rows[above:])
        columns = "r" * len(piece.left.rows[0]) + "c" + "r" * len(piece.above.rows[0])
        return self.rows("array", rows, f"{{{columns}}}", above)

    def highlighted(self, piece: Highlighted) -> str:
        mark = MARKS[piece.as_]
        text = self.write(Accented("bold", piece.inner) if mark.is_bold else piece.inner)
        text = rf"\underline{{{text}}}" if mark.has_line else text
        return rf"{self.colour}{{{mark.colour}}}{{{text}}}" if self.colour else text

    def blank(self, piece: Blank) -> str:
        inside = self.room * piece.figures if self.room else rf"\phantom{{{'0' * piece.figures}}}"
        return rf"{self.box}{{{inside}}}"

    def glue(self, pieces: Iterable[str]) -> str:
        """Put pieces in a row, with a space where a command would swallow the next letter.

        >>> DISPLAY.glue([r"\\cdot", "x"]), DISPLAY.glue([r"\\cdot", r"\\mu"])
        ('\\\\cdot x', '\\\\cdot\\\\mu')
        """
        out: list[str] = []
        for piece in pieces:
            if out and piece[:1].isalnum() and _CONTROL_WORD.search(out[-1]):
                out.append(" ")
            out.append(piece)
        return "".join(out)

    def fenced(self, left: str, inner: str, right: str, tall: bool) -> str:
        return self.glue((rf"\left{left}", inner, rf"\right{right}") if tall else (left, inner, right))

    def apart(self, before: str, text: str) -> str:
        has_room = text.startswith(_OPERATOR) or (before.startswith(_OPERATOR) and not before.endswith(")"))
        return text if has_room else self.thin + text

    def divided(self, top: str, bottom: str) -> str:
        if self.inline:
            return super().divided(top, bottom)
        command = r"\dfrac" if self.cell else r"\frac"  # in full size, even in a cell of a matrix
        return f"{command}{{{top}}}{{{bottom}}}"

    def argument(self, text: str) -> str:
        return text if len(text) == 1 else f"{{{text}}}"

    def summed(self, body: Math) -> str:
        left, right = self.around_sum
        return left + self.write(body) + right

    def around_base(self, piece: Script) -> tuple[str, str]:
        return self.around if piece.sub is None or self.bare_index else (r"\lbrack", r"\rbrack")

    def numbered(self, sign: str, mark: int) -> str:
        return rf"\overset{{({mark})}}{{{sign}}}"

    def sigma(self, piece: Sum) -> str:
        index, lower, upper = map(self.write, (piece.index, piece.lower, piece.upper))
        return rf"\sum_{{{index}={lower}}}^{{{upper}}}"

    def aligned(self, lines: list[tuple[str, str]]) -> str:
        rows = "\\\\\n".join(_begun(f"{left} &{right}".strip()) for left, right in lines)
        return f"\\begin{{aligned}}\n{rows}\n\\end{{aligned}}"

    def row(self, cells: list[str]) -> str:
        """Write a row of a matrix."""
        return " & ".join(cells)

    def rows(self, name: str, rows: Iterable[tuple[Math, ...]], columns: str = "", rule: int | None = None) -> str:
        """Write rows of cells; ``rule`` is the row with a line above it."""
        if self.inline:
            # Here \\ would not be at the end of a line, the only place where GitHub leaves it alone.
            lines = [_begun(" & ".join(map(self.write, row))) for row in rows]
            return rf"\begin{{{name}}}{columns}{self.next_row.join(lines)}\end{{{name}}}"
        inner = replace(self, cell=True)
        text = end = ""
        for place, row in enumerate(rows):
            line = self.rule if place == rule else ""
            text += f"{end}{line}\n{_begun(self.row([inner.write(cell) for cell in row]).strip())}"
            end = self.tall_row_end if any(map(is_tall, row)) else "\\\\"
        return f"\\begin{{{name}}}{columns}{text}\n\\end{{{name}}}"


class MarkdownTex(TexMath):
    """Writes TeX between the brackets of Markdown, where MathJax and KaTeX read it."""

    operators: ClassVar[Mapping[str, str]] = MappingProxyType({**_OPERATORS, "<": r"\lt", ">": r"\gt"})
    thin, tall_row_end, box, colour = r"\ ", "\\\\", r"\boxed", ""
    square = (r"\lbrack", r"\rbrack")

    def label(self, text: str) -> str:
        return escape.formula_markdown(text)


class DollarTex(MarkdownTex):
    r"""Write TeX between the dollars of Markdown.

    GitHub reads a page as Markdown before it looks for formulas. There "_" behind a brace or a bracket begins emphasis,
    and "\\" inside a line loses a backslash; \cr, which would not, is unknown to pandoc. No space thinner than "\ " is
    known to all: pandoc has no \thinspace, KaTeX no \mspace, and of \, \: \; GitHub takes the backslash away.
    """

    next_row, bare_index = "; & ", False

    def label(self, text: str) -> str:
        return escape.formula_markdown(text, dollar=True)


class NotebookTex(DollarTex):
    """Writes what a notebook shows as LaTeX: no Markdown parser reads it, but it is put into HTML unchanged."""

    bare_index, square = True, ("[", "]")


class WordTex(MarkdownTex):
    r"""Writes TeX that pandoc turns into equations of Word.

    There a pair of brackets and what is summed are one thing, and a word of \mathrm would be a run for each letter.
    LibreOffice keeps a space in \text only, and draws an error in an empty cell.
    """

    thin = space = empty = r"\text{ }"
    next_row, rule, box, room = r"\\ ", "", r"\underline", "\\text{\u2002}"
    upright, shape, pairs, around_sum = r"\text", r"\text{shape}=", True, ("{", "}")

    def label(self, text: str) -> str:
        return escape.formula_word(text)


class BookTex(MarkdownTex):
    """Writes TeX that MathJax, KaTeX and the LaTeX of a Sphinx book accept."""

    operators = _OPERATORS
    tall_row_end, square = r"\\[10pt]", ("[", "]")

    def label(self, text: str) -> str:
        return escape.formula_book(text)


DISPLAY, NOTEBOOK = TexMath(), NotebookTex()


def tex(piece: Math, writer: TexMath = DISPLAY) -> str:
    """Write a piece of mathematics as TeX, without delimiters.

    Raise :class:`~symattn.base.errors.RenderError` for what is none.

    >>> tex(Script(Letter("W"), sub=Letter("Q")))
    'W_Q'
    >>> from symattn.show.math import Fraction, Number
    >>> tex(Call("softmax", (Fraction(Letter("S"), Root(Number("4"))),)))
    '\\\\mathrm{softmax}\\\\left(\\\\frac{S}{\\\\sqrt{4}}\\\\right)'
    >>> tex(Call("softmax", (Fraction(Letter("S"), Root(Number("4"))),)), TexMath(inline=True))
    '\\\\mathrm{softmax}(S/\\\\sqrt{4})'
    """
    return writer.write(piece)


def _begun(row: str) -> str:
    """Keep the first bracket of a row from being read as an option of the line break before it."""
    return f"{{}}{row}" if row.startswith("[") else row
