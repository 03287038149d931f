"""Mathematics as TeX, piece by piece and in reading order.

One rule per piece; a piece without a rule is refused. What comes from outside (a label, a name) goes through
:mod:`symattn.render.escape`, so the TeX itself holds no ``$``, no backtick, no ``|``, no ``<`` and no ``*``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import singledispatch
from types import MappingProxyType

from symattn.budget import priced
from symattn.document.math import (
    Accented,
    Bars,
    Blank,
    Call,
    Cases,
    Chain,
    Fraction,
    Grid,
    Highlighted,
    Interval,
    Letter,
    Math,
    Number,
    Parens,
    Root,
    Script,
    Seq,
    Shaped,
    Sign,
    Squared,
    Stacked,
    Sum,
)
from symattn.errors import RenderError, shown, unknown
from symattn.render.escape import formula_book, formula_latex, formula_markdown, formula_word
from symattn.render.typesetting import (
    MARKS,
    NAMED,
    WRITTEN,
    is_latin,
    is_slashed,
    is_sum,
    is_tall,
    links,
    number_parts,
    over,
    parts,
    squared,
)


@dataclass(frozen=True)
class Dialect:
    """Where the TeX is to be read.

    ``label`` makes plain words safe; ``thin`` parts two words; ``next_row`` parts the rows of a matrix inside a line.
    ``bare_index`` says that a subscript may follow anything: where it is false, only a letter or a digit.
    """

    label: Callable[[str], str]
    less: str = r"\lt"
    greater: str = r"\gt"
    tall_row_end: str = "\\\\"
    blank: str = r"\boxed"
    thin: str = r"\ "
    next_row: str = r"\cr "
    bare_index: bool = True
    room: str = ""
    """What is as wide as a figure in an empty box, unless unseen figures keep it open."""
    upright: str = r"\mathrm"
    space: str = r"\ "
    shape: str = "shape="
    empty: str = ""
    """What stands in an empty cell."""
    rule: str = "\n\\hline"
    """The line between two parts of a matrix; where there is none, an empty row parts them."""
    pairs: bool = False
    """Whether what an index follows are brackets as a pair, and not the last of them."""
    summed: tuple[str, str] = (" ", "")
    colour: str = ""
    """The command that sets a piece in a colour; no command is taken by all readers of Markdown."""
    square: tuple[str, str] = (r"\lbrack", r"\rbrack")
    """Square brackets, which Markdown would take for a link."""


LATEX = Dialect(
    formula_latex, "<", ">", r"\\[10pt]", r"\symattnblank", r"\,", colour=r"\textcolor[HTML]", square=("[", "]")
)
MARKDOWN = Dialect(formula_markdown)
# GitHub reads a page as Markdown before it looks for formulas. There "_" behind a brace or a bracket begins emphasis,
# and "\\" inside a line loses a backslash; \cr, which would not, is unknown to pandoc. No space thinner than "\ " is
# known to all: pandoc has no \thinspace, KaTeX no \mspace, and of \, \: \; GitHub takes the backslash away.
MARKDOWN_DOLLAR = Dialect(lambda text: formula_markdown(text, dollar=True), next_row="; & ", bare_index=False)
# What a notebook shows as LaTeX is read by no Markdown, but stands in HTML as it is.
NOTEBOOK = replace(MARKDOWN_DOLLAR, bare_index=True, square=("[", "]"))
# What pandoc makes equations of Word of: a pair of brackets and what is summed are one thing there, a word of \mathrm
# would be a run for each letter. LibreOffice keeps a space in \text only, and draws an error in an empty cell.
WORD = Dialect(
    formula_word,
    thin=r"\text{ }",
    space=r"\text{ }",
    next_row=r"\\ ",
    blank=r"\underline",
    room="\\text{\u2002}",
    upright=r"\text",
    shape=r"\text{shape}=",
    empty=r"\text{ }",
    rule="",
    pairs=True,
    summed=("{", "}"),
)
# What MathJax, KaTeX and the LaTeX of a book of Sphinx take.
SPHINX = Dialect(formula_book, "<", ">", r"\\[10pt]", square=("[", "]"))


@dataclass(frozen=True)
class Mode:
    """How to write: in which dialect, and whether inside a line of text (then a fraction is a/b) or a matrix."""

    dialect: Dialect = LATEX
    inline: bool = False
    cell: bool = False

    quad, between, further, around = r"\quad", r"\qquad", r"\quad{}", ("(", ")")

    @property
    def fraction(self) -> str:
        """The command of a fraction, in full size even in a cell of a matrix."""
        return r"\dfrac" if self.cell else r"\frac"

    def around_base(self, piece: Script) -> tuple[str, str]:
        return self.around if piece.sub is None or self.dialect.bare_index else (r"\lbrack", r"\rbrack")

    def enclosed(self, text: str) -> str:
        return f"({text})"

    def apart(self, before: str, text: str) -> str:
        has_room = text.startswith(_OPERATOR) or (before.startswith(_OPERATOR) and not before.endswith(")"))
        return text if has_room else self.dialect.thin + text

    def piece(self, piece: Math) -> str:
        return tex(piece, self)

    def sign(self, sign: str) -> str:
        """An operator or a relation. Raises :class:`~symattn.errors.RenderError` for what is neither."""
        if sign in ("<", ">"):
            return self.dialect.less if sign == "<" else self.dialect.greater
        if sign not in _SIGNS:
            raise RenderError(f"no TeX for the sign {shown(sign)}")
        return _SIGNS[sign]

    def numbered(self, sign: str, mark: int) -> str:
        return rf"\overset{{({mark})}}{{{sign}}}"

    def sigma(self, piece: Sum) -> str:
        index, lower, upper = (tex(part, self) for part in (piece.index, piece.lower, piece.upper))
        return rf"\sum_{{{index}={lower}}}^{{{upper}}}"

    def scripts(self, piece: Script) -> str:
        # A fraction is a/b in there, as in a line: e^{1/2}.
        small = self if self.inline else Mode(self.dialect, inline=True)
        sub = "" if piece.sub is None else "_" + _argument(tex(piece.sub, small))
        sup = "" if piece.sup is None else "^" + _argument(tex(piece.sup, small))
        return sub + sup

    def glue(self, pieces: Iterable[str]) -> str:
        return glue(pieces)

    def aligned(self, lines: list[tuple[str, str]]) -> str:
        rows = "\\\\\n".join(_begun(f"{left} &{right}".strip()) for left, right in lines)
        return f"\\begin{{aligned}}\n{rows}\n\\end{{aligned}}"

    def row(self, cells: list[str]) -> str:
        """A row of a matrix."""
        return " & ".join(cells)


DISPLAY = Mode()

_ACCENTS = MappingProxyType({"tilde": (r"\tilde", r"\widetilde"), "hat": (r"\hat", r"\widehat"), "bar": (r"\bar",) * 2})
_SIGNS: Mapping[str, str] = MappingProxyType(
    {
        "+": "+",
        "-": "-",
        "·": r"\cdot",
        "×": r"\times",
        "⊙": r"\odot",
        "⊘": r"\oslash",
        ",": ",",
        ":": ":",
        "⋯": r"\cdots",
        "⋮": r"\vdots",
        "⋱": r"\ddots",
        "T": "T",
        "≤": r"\le",
        "≥": r"\ge",
        "=": "=",
        "≈": r"\approx",
        **{"≠": r"\ne", "∨": r"\lor"},
    }
)
_WORD = re.compile(r"[A-Za-z0-9]+\Z")
_CONTROL_WORD = re.compile(r"\\[A-Za-z]+\Z")
_OPERATOR = r"\mathop"
_ONE_ARGUMENT = re.compile(r"(\\[a-z]+)\{(\\[A-Za-z]+|[A-Za-z0-9])\}\Z")
_PAIR = re.compile(r"(\(|\[|\\l\w+(?= ))(.*)(\)|\]|\\r\w+)\Z", re.DOTALL)
_NAME = re.compile(r"\\(?:mathrm|mathit|text)\{[^{}\\]+\}\Z")


@priced(WRITTEN)
@singledispatch
def tex(piece: Math, mode: Mode = DISPLAY) -> str:
    """The TeX of a piece of mathematics, without delimiters. Raises :class:`~symattn.errors.RenderError` for others.

    >>> tex(Script(Letter("W"), sub=Letter("Q")))
    'W_Q'
    >>> tex(Call("softmax", (Fraction(Letter("S"), Root(Number("4"))),)))
    '\\\\mathrm{softmax}\\\\left(\\\\frac{S}{\\\\sqrt{4}}\\\\right)'
    >>> tex(Call("softmax", (Fraction(Letter("S"), Root(Number("4"))),)), Mode(inline=True))
    '\\\\mathrm{softmax}(S/\\\\sqrt{4})'
    """
    raise RenderError(f"no TeX for {type(piece).__name__}: not a piece of mathematics")


@tex.register(Letter)
def _(piece: Letter, mode: Mode = DISPLAY) -> str:
    name = piece.name
    if piece.style == "text" or not _WORD.match(name):
        return mode.dialect.label(name)
    if piece.style == "upright":
        return rf"{mode.dialect.upright}{{{name}}}"
    if name in NAMED:
        return r"\varepsilon" if name == "epsilon" else "\\" + name
    return name if len(name) == 1 else rf"\mathit{{{name}}}"


@tex.register(Number)
def _(piece: Number, mode: Mode = DISPLAY) -> str:
    minus, infinity, top, bottom, mantissa, base, exponent = number_parts(piece.text, "TeX")
    if infinity:
        return rf"{minus}\infty"
    if top:
        return minus + (f"{top}/{bottom}" if mode.inline else rf"{mode.fraction}{{{top}}}{{{bottom}}}")
    power = f"^{_argument(exponent.strip('()'))}" if exponent else ""
    return minus + (rf"{mantissa}\times {base}{power}" if base else mantissa + power)


@tex.register(Sign)
def _(piece: Sign, mode: Mode = DISPLAY) -> str:
    return mode.sign(piece.sign)


@tex.register(Seq)
def _(piece: Seq, mode: Mode = DISPLAY) -> str:
    return glue(parts(piece, mode)) or mode.dialect.empty


@tex.register(Script)
def _(piece: Script, mode: Mode = DISPLAY) -> str:
    if isinstance(piece.base, Accented) and piece.base.accent == "prime":
        # Behind the index, which an apostrophe would part from its letter.
        return tex(replace(piece, base=piece.base.base, sup=None), mode) + "'" + mode.scripts(replace(piece, sub=None))
    base, held = tex(piece.base, mode), piece.base
    if mode.inline and is_slashed(held):
        base, held = f"({base})", Parens(held)
    if mode.dialect.pairs and isinstance(held, Parens | Bars | Call) and not is_tall(held, mode):
        base = _PAIR.sub(r"\\left\1\2\\right\3", base)
    grouped = isinstance(held, Script | Seq | Chain | Shaped | Stacked)
    if piece.sub is not None and not mode.dialect.bare_index and (grouped or not base[-1].isalnum()):
        base = _indexable(base, held if isinstance(held, Parens) else Parens(held), mode)
    elif grouped:
        base = f"{{{base}}}"
    return base + mode.scripts(piece)


def _indexable(base: str, held: Parens, mode: Mode) -> str:
    """What an index follows, so that a letter or a digit ends it: ``\\tilde S``, an operator's name, ``[X Y]``."""
    if one := _ONE_ARGUMENT.match(base):
        return glue(one.groups())
    if _NAME.match(base):
        return rf"{_OPERATOR}{{{base}}}\nolimits"
    left, right = brackets(held, mode, (r"\lbrack", r"\rbrack"))
    return glue((left, tex(held.inner, mode), right))


@tex.register(Accented)
def _(piece: Accented, mode: Mode = DISPLAY) -> str:
    base, inner = piece.base, tex(piece.base, mode)
    if piece.accent == "bold":
        return rf"\mathbf{{{inner}}}" if is_latin(base) else rf"\boldsymbol{{{inner}}}"
    if piece.accent == "prime":
        return f"{inner}'"
    if piece.accent not in _ACCENTS:
        raise RenderError(unknown("accent", piece.accent, ["bold", *_ACCENTS]))
    narrow, wide = _ACCENTS[piece.accent]
    return f"{narrow if isinstance(base, Letter) else wide}{{{inner}}}"


@tex.register(Fraction)
def _(piece: Fraction, mode: Mode = DISPLAY) -> str:
    top, bottom = over(piece, Mode(mode.dialect, mode.inline))
    return glue((top, "/", bottom)) if mode.inline else rf"{mode.fraction}{{{top}}}{{{bottom}}}"


@tex.register(Root)
def _(piece: Root, mode: Mode = DISPLAY) -> str:
    return rf"\sqrt{{{tex(piece.radicand, mode)}}}"


@tex.register(Parens)
def _(piece: Parens, mode: Mode = DISPLAY) -> str:
    left, right = brackets(piece, mode)
    return left + tex(piece.inner, mode) + right


@tex.register(Bars)
def _(piece: Bars, mode: Mode = DISPLAY) -> str:
    mark = "floor" if piece.floor else "Vert" if piece.double else "vert"
    stretch = (r"\left", r"\right") if is_tall(piece.inner, mode) else ("", "")
    return rf"{stretch[0]}\l{mark} {tex(piece.inner, mode)}{stretch[1]}\r{mark}"


@tex.register(Interval)
def _(piece: Interval, mode: Mode = DISPLAY) -> str:
    left, right = mode.dialect.square
    return glue((left, f"{tex(piece.low, mode)}, {tex(piece.high, mode)}", right))


@tex.register(Call)
def _(piece: Call, mode: Mode = DISPLAY) -> str:
    left, right = brackets(piece, mode)
    inner = ", ".join(tex(argument, mode) for argument in piece.arguments)
    return tex(Script(Letter(piece.function, "upright"), sub=piece.sub), mode) + left + inner + right


@tex.register(Sum)
def _(piece: Sum, mode: Mode = DISPLAY) -> str:
    left, right = mode.dialect.summed
    return glue((mode.sigma(piece), left + tex(piece.body, mode) + right))


@tex.register(Shaped)
@tex.register(Stacked)
def _(piece: Shaped | Stacked, mode: Mode = DISPLAY) -> str:
    written = [tex(Parens(size) if is_sum(size) else size, mode) for size in piece.sizes]
    size = glue(piece for number, text in enumerate(written) for piece in ((r"\times", text) if number else (text,)))
    return rf"{tex(piece.body, mode)}{mode.dialect.space}({mode.dialect.shape if piece.long else ''}{size})"


@tex.register(Grid)
def _(piece: Grid, mode: Mode = DISPLAY) -> str:
    return _environment("bmatrix", piece.rows, mode)


@tex.register(Highlighted)
def _(piece: Highlighted, mode: Mode = DISPLAY) -> str:
    mark, command = MARKS[piece.as_], mode.dialect.colour
    text = tex(Accented("bold", piece.inner) if mark.is_bold else piece.inner, mode)
    text = rf"\underline{{{text}}}" if mark.has_line else text
    return rf"{command}{{{mark.colour}}}{{{text}}}" if command else text


@tex.register(Squared)
def _(piece: Squared, mode: Mode = DISPLAY) -> str:
    rows, above = squared(piece), len(piece.above.rows)
    if not mode.dialect.rule:
        rows = (*rows[:above], (Seq(()),) * len(rows[0]), *rows[above:])
    columns = "r" * len(piece.left.rows[0]) + "c" + "r" * len(piece.above.rows[0])
    return _environment("array", rows, mode, f"{{{columns}}}", above)


@tex.register(Blank)
def _(piece: Blank, mode: Mode = DISPLAY) -> str:
    inside = mode.dialect.room * piece.figures if mode.dialect.room else rf"\phantom{{{'0' * piece.figures}}}"
    return rf"{mode.dialect.blank}{{{inside}}}"


@tex.register(Cases)
def _(piece: Cases, mode: Mode = DISPLAY) -> str:
    return _environment("cases", piece.branches, mode)


@tex.register(Chain)
def _(piece: Chain, mode: Mode = DISPLAY) -> str:
    return glue((tex(piece.left, mode), *links(piece, mode)))


def glue(pieces: Iterable[str]) -> str:
    """The pieces in a row, with a space where a command would swallow the next letter.

    >>> glue([r"\\cdot", "x"]), glue([r"\\cdot", r"\\mu"])
    ('\\\\cdot x', '\\\\cdot\\\\mu')
    """
    out: list[str] = []
    for piece in pieces:
        if out and piece[:1].isalnum() and _CONTROL_WORD.search(out[-1]):
            out.append(" ")
        out.append(piece)
    return "".join(out)


def brackets(piece: Parens | Call, mode: Mode, usual: tuple[str, str] = ("(", ")")) -> tuple[str, str]:
    """Parentheses that grow where what they hold is tall.

    >>> brackets(Parens(Letter("x")), DISPLAY), brackets(Parens(Number("1/2")), DISPLAY)
    (('(', ')'), ('\\\\left(', '\\\\right)'))
    """
    inside = (piece.inner,) if isinstance(piece, Parens) else piece.arguments
    left, right = ("[", "]") if isinstance(piece, Call) and piece.brackets == "square" else usual
    return (rf"\left{left}", rf"\right{right}") if any(is_tall(part, mode) for part in inside) else (left, right)


def _argument(text: str) -> str:
    """What follows _ or ^: one character as it is, more in braces."""
    return text if len(text) == 1 else f"{{{text}}}"


def _begun(row: str) -> str:
    """A row whose first bracket is no option of the line break before it."""
    return f"{{}}{row}" if row.startswith("[") else row


def _environment(
    name: str, rows: Iterable[tuple[Math, ...]], mode: Mode, columns: str = "", rule: int | None = None
) -> str:
    """Rows of cells; ``rule`` is the row that a line stands above."""
    if mode.inline:
        # Here \\ would not stand at the end of a line, the only place where GitHub leaves it alone.
        lines = [_begun(" & ".join(tex(cell, mode) for cell in row)) for row in rows]
        return rf"\begin{{{name}}}{columns}{mode.dialect.next_row.join(lines)}\end{{{name}}}"
    inner = Mode(mode.dialect, cell=True)
    text = end = ""
    for place, row in enumerate(rows):
        line = mode.dialect.rule if place == rule else ""
        text += f"{end}{line}\n{_begun(mode.row([tex(cell, inner) for cell in row]).strip())}"
        end = mode.dialect.tall_row_end if any(is_tall(cell, inner) for cell in row) else "\\\\"
    return f"\\begin{{{name}}}{columns}{text}\n\\end{{{name}}}"
