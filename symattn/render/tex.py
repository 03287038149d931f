"""Mathematics as TeX, piece by piece and in reading order.

One rule per piece; a piece without a rule is refused. What comes from outside (a label, a name) goes through
:mod:`symattn.render.escape`, so the TeX itself holds no ``$``, no backtick, no ``|``, no ``<`` and no ``*``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import singledispatch
from types import MappingProxyType

from symattn.document.math import (
    Accented,
    Bars,
    Blank,
    Call,
    Cases,
    Chain,
    Fraction,
    Grid,
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
    Stacked,
    Sum,
)
from symattn.errors import RenderError, shown, unknown
from symattn.render.escape import formula_latex, formula_markdown
from symattn.render.neighbours import GREEK, can_break, is_slashed, is_sum, needs_space, stands_apart


@dataclass(frozen=True)
class Dialect:
    """Where the TeX is to be read.

    ``label`` makes plain words safe; ``gap`` stands between two words; ``next_row`` parts the rows of a matrix inside
    a line. ``bare_index`` says that a subscript may follow anything: where it is false, only a letter or a digit.
    """

    label: Callable[[str], str]
    less: str = r"\lt"
    greater: str = r"\gt"
    tall_row_end: str = "\\\\"
    blank: str = r"\boxed"
    gap: str = r"\ "
    next_row: str = r"\cr "
    bare_index: bool = True


LATEX = Dialect(formula_latex, "<", ">", r"\\[10pt]", r"\symattnblank", r"\thinspace ")
MARKDOWN = Dialect(formula_markdown)
# GitHub reads a page as Markdown before it looks for formulas. There "_" behind a brace or a bracket begins emphasis,
# and "\\" inside a line loses a backslash; \cr, which would not, is unknown to pandoc. No space thinner than "\ " is
# known to all: pandoc has no \thinspace, KaTeX no \mspace, and of \, \: \; GitHub takes the backslash away.
MARKDOWN_DOLLAR = Dialect(lambda text: formula_markdown(text, dollar=True), next_row="; & ", bare_index=False)


@dataclass(frozen=True)
class Mode:
    """How to write: in which dialect, and whether inside a line of text (then a fraction is a/b) or a matrix."""

    dialect: Dialect = LATEX
    inline: bool = False
    cell: bool = False

    @property
    def fraction(self) -> str:
        """The command of a fraction, in full size even in a cell of a matrix."""
        return r"\dfrac" if self.cell else r"\frac"


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
_ONE_ARGUMENT = re.compile(r"(\\[a-z]+)\{(\\[A-Za-z]+|[A-Za-z0-9])\}\Z")
_NAME = re.compile(r"\\(?:mathrm|mathit|text)\{[^{}\\]+\}\Z")
_NUMBER = re.compile(
    r"(?P<minus>-?)(?:(?P<infinity>oo)|(?P<top>\d+)/(?P<bottom>\d+)"
    r"|(?P<mantissa>\d+(?:\.\d+)?)(?:\*(?P<base>\d+))?(?:\^(?P<exponent>-?\d+|\(-?\d+\)))?)\Z",
    re.ASCII,
)


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
        return rf"\mathrm{{{name}}}"
    if name in GREEK:
        return r"\varepsilon" if name == "epsilon" else "\\" + name
    return name if len(name) == 1 else rf"\mathit{{{name}}}"


@tex.register(Number)
def _(piece: Number, mode: Mode = DISPLAY) -> str:
    match = _NUMBER.match(piece.text)
    if match is None:
        raise RenderError(f"no TeX for the number {shown(piece.text)}: expected such as 0.21, -3/4, 1.5*10^9, -oo")
    minus, infinity, top, bottom, mantissa, base, exponent = match.groups()
    if infinity:
        return rf"{minus}\infty"
    if top:
        return minus + (f"{top}/{bottom}" if mode.inline else rf"{mode.fraction}{{{top}}}{{{bottom}}}")
    power = f"^{_argument(exponent.strip('()'))}" if exponent else ""
    return minus + (rf"{mantissa}\times {base}{power}" if base else mantissa + power)


@tex.register(Sign)
def _(piece: Sign, mode: Mode = DISPLAY) -> str:
    return _sign(piece.sign, mode)


@tex.register(Seq)
def _(piece: Seq, mode: Mode = DISPLAY) -> str:
    return glue(parts(piece, mode))


@tex.register(Script)
def _(piece: Script, mode: Mode = DISPLAY) -> str:
    base = _base(piece.base, mode, piece.sub is not None)
    # A fraction is a/b in there, as in a line: e^{1/2}.
    small = mode if mode.inline else Mode(mode.dialect, inline=True)
    sub = "" if piece.sub is None else "_" + _argument(tex(piece.sub, small))
    sup = "" if piece.sup is None else "^" + _argument(tex(piece.sup, small))
    return base + sub + sup


def _base(piece: Math, mode: Mode, indexed: bool) -> str:
    """What scripts follow: a letter or a digit ends it where the dialect wants that before an index.

    >>> markdown = Mode(MARKDOWN_DOLLAR)
    >>> _base(Accented("tilde", Letter("S")), markdown, True), _base(Letter("LN", "upright"), markdown, True)
    ('\\\\tilde S', '\\\\mathop{\\\\mathrm{LN}}\\\\nolimits')
    >>> _base(Parens(Letter("K")), markdown, True), _base(Parens(Letter("K")), DISPLAY, True)
    ('\\\\lbrack K\\\\rbrack', '(K)')
    """
    base = tex(piece, mode)
    if mode.inline and is_slashed(piece):
        piece, base = Parens(piece), f"({base})"
    grouped = isinstance(piece, Script | Seq | Chain | Shaped | Stacked)
    if not indexed or mode.dialect.bare_index or (base[-1].isalnum() and not grouped):
        return f"{{{base}}}" if grouped else base
    if one := _ONE_ARGUMENT.match(base):
        return glue(one.groups())
    if _NAME.match(base):
        return rf"\mathop{{{base}}}\nolimits"
    held = piece if isinstance(piece, Parens) else Parens(piece)
    left, right = brackets(held, mode, indexed=True)
    return glue((left, tex(held.inner, mode), right))


@tex.register(Accented)
def _(piece: Accented, mode: Mode = DISPLAY) -> str:
    base, inner = piece.base, tex(piece.base, mode)
    if piece.accent == "bold":
        latin = isinstance(base, Number) or (
            isinstance(base, Letter) and len(base.name) == 1 and base.style == "italic"
        )
        return rf"\mathbf{{{inner}}}" if latin else rf"\boldsymbol{{{inner}}}"
    if piece.accent not in _ACCENTS:
        raise RenderError(unknown("accent", piece.accent, ["bold", *_ACCENTS]))
    narrow, wide = _ACCENTS[piece.accent]
    return f"{narrow if isinstance(base, Letter) else wide}{{{inner}}}"


@tex.register(Fraction)
def _(piece: Fraction, mode: Mode = DISPLAY) -> str:
    inner = Mode(mode.dialect, mode.inline)
    top, bottom = tex(piece.numerator, inner), tex(piece.denominator, inner)
    if not mode.inline:
        return rf"{mode.fraction}{{{top}}}{{{bottom}}}"
    if is_sum(piece.numerator) or is_slashed(piece.numerator):
        top = f"({top})"
    if isinstance(piece.denominator, Seq | Sum | Chain) or is_slashed(piece.denominator):
        bottom = f"({bottom})"
    return glue((top, "/", bottom))


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
    # Not "[": at the start of a row of a matrix it would be taken for an option of the line break before it.
    return glue((r"\lbrack", f"{tex(piece.low, mode)}, {tex(piece.high, mode)}", r"\rbrack"))


@tex.register(Call)
def _(piece: Call, mode: Mode = DISPLAY) -> str:
    left, right = brackets(piece, mode)
    inner = ", ".join(tex(argument, mode) for argument in piece.arguments)
    return tex(Script(Letter(piece.function, "upright"), sub=piece.sub), mode) + left + inner + right


@tex.register(Sum)
def _(piece: Sum, mode: Mode = DISPLAY) -> str:
    return glue((sigma(piece, mode), " " + tex(piece.body, mode)))


def sigma(piece: Sum, mode: Mode) -> str:
    """The sign of a sum with what it runs over, without what is summed."""
    index, lower, upper = (tex(part, mode) for part in (piece.index, piece.lower, piece.upper))
    return rf"\sum_{{{index}={lower}}}^{{{upper}}}"


@tex.register(Shaped)
def _(piece: Shaped, mode: Mode = DISPLAY) -> str:
    return _with_sizes(piece.body, (piece.rows, piece.columns), piece.long, mode)


@tex.register(Stacked)
def _(piece: Stacked, mode: Mode = DISPLAY) -> str:
    return _with_sizes(piece.body, piece.sizes, piece.long, mode)


def _with_sizes(body: Math, sizes: tuple[Math, ...], long: bool, mode: Mode) -> str:
    written = [tex(Parens(size) if is_sum(size) else size, mode) for size in sizes]
    size = glue(piece for number, text in enumerate(written) for piece in ((r"\times", text) if number else (text,)))
    return rf"{tex(body, mode)}\ ({'shape=' if long else ''}{size})"


@tex.register(Grid)
def _(piece: Grid, mode: Mode = DISPLAY) -> str:
    return _environment("bmatrix", piece.rows, mode)


@tex.register(Blank)
def _(piece: Blank, mode: Mode = DISPLAY) -> str:
    return rf"{mode.dialect.blank}{{\phantom{{{'0' * piece.figures}}}}}"


@tex.register(Cases)
def _(piece: Cases, mode: Mode = DISPLAY) -> str:
    return _environment("cases", piece.branches, mode)


@tex.register(Chain)
def _(piece: Chain, mode: Mode = DISPLAY) -> str:
    return glue((tex(piece.left, mode), *links(piece, mode)))


def links(chain: Chain, mode: Mode) -> list[str]:
    """Each relation with its right side.

    >>> links(Chain(Letter("q"), (("=", Letter("x")), ("≈", Number("0.145")))), DISPLAY)
    [' = x', ' \\\\approx 0.145']
    """
    signs = relations(chain, mode)
    return [glue((f" {sign} ", tex(side, mode))) for sign, (_, side) in zip(signs, chain.links, strict=True)]


def relations(chain: Chain, mode: Mode) -> list[str]:
    """The sign of each relation, with its number above it where the chain has numbers.

    >>> relations(Chain(Letter("a"), (("=", Letter("b")),), (1,)), DISPLAY)
    ['\\\\overset{(1)}{=}']
    """
    signs = [_sign(sign, mode) for sign, _ in chain.links]
    if not chain.marks:
        return signs
    return [rf"\overset{{({mark})}}{{{sign}}}" for mark, sign in zip(chain.marks, signs, strict=True)]


def parts(piece: Seq, mode: Mode) -> list[str]:
    """The TeX of each part of a row, with the space that belongs before it.

    >>> parts(Seq((Letter("a"), Sign("-"), Letter("LN", "upright"), Letter("b"))), DISPLAY)
    ['a', ' - ', '\\\\mathrm{LN}', '\\\\thinspace b']
    """
    written: list[str] = []
    before: Math | None = None
    for position, part in enumerate(piece.parts):
        text = tex(part, mode)
        after = piece.parts[position + 1] if position + 1 < len(piece.parts) else None
        if isinstance(part, Sign):
            text = _spaced(part, text, before)
        elif mode.inline and is_slashed(part) and not stands_apart(before, after):
            text = f"({text})"
        if needs_space(before, part) and not (
            _is_operator(part, text) or (written and _is_operator(before, written[-1]))
        ):
            text = mode.dialect.gap + text
        written.append(text)
        before = part
    return written


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


def brackets(piece: Parens | Call, mode: Mode, *, indexed: bool = False) -> tuple[str, str]:
    """Parentheses that grow where what they hold is tall; square ones where no index may follow a round one.

    >>> brackets(Parens(Letter("x")), DISPLAY), brackets(Parens(Number("1/2")), DISPLAY)
    (('(', ')'), ('\\\\left(', '\\\\right)'))
    """
    inside = (piece.inner,) if isinstance(piece, Parens) else piece.arguments
    left, right = ("[", "]") if isinstance(piece, Call) and piece.brackets == "square" else ("(", ")")
    if indexed and not mode.dialect.bare_index:
        left, right = r"\lbrack", r"\rbrack"
    return (rf"\left{left}", rf"\right{right}") if any(is_tall(part, mode) for part in inside) else (left, right)


def is_tall(piece: Math, mode: Mode) -> bool:
    """Whether a piece is higher than a line: fractions (not inside text), sums, matrices, and what holds one.

    >>> is_tall(Fraction(Letter("a"), Letter("b")), DISPLAY), is_tall(Root(Letter("a")), DISPLAY)
    (True, False)
    """
    match piece:
        case Fraction() | Sum():
            return not mode.inline
        case Grid() | Cases():
            return True
        case Number(text):
            return "/" in text and not mode.inline
        case Seq(inside) | Call(_, inside):
            return any(is_tall(part, mode) for part in inside)
        case Interval(low, high):
            return is_tall(low, mode) or is_tall(high, mode)
        case Chain(left, rights):
            return is_tall(left, mode) or any(is_tall(side, mode) for _, side in rights)
        case Script(inner) | Accented(_, inner) | Root(inner) | Parens(inner) | Bars(inner):
            return is_tall(inner, mode)
        case Shaped(inner) | Stacked(inner):
            return is_tall(inner, mode)
        case _:
            return False


def _sign(sign: str, mode: Mode) -> str:
    if sign in ("<", ">"):
        return mode.dialect.less if sign == "<" else mode.dialect.greater
    if sign not in _SIGNS:
        raise RenderError(f"no TeX for the sign {shown(sign)}")
    return _SIGNS[sign]


def _argument(text: str) -> str:
    """What follows _ or ^: one character as it is, more in braces."""
    return text if len(text) == 1 else f"{{{text}}}"


def _spaced(part: Sign, text: str, before: Math | None) -> str:
    return f" {text} " if can_break(before, part) else text


def _is_operator(piece: Math | None, text: str) -> bool:
    """Whether a name with an index was made an operator, which has its space by itself."""
    return isinstance(piece, Script) and text.startswith(r"\mathop")


def _environment(name: str, rows: Iterable[tuple[Math, ...]], mode: Mode) -> str:
    if mode.inline:
        # Here \\ would not stand at the end of a line, the only place where GitHub leaves it alone.
        lines = [" & ".join(tex(cell, mode) for cell in row) for row in rows]
        return rf"\begin{{{name}}}{mode.dialect.next_row.join(lines)}\end{{{name}}}"
    inner = Mode(mode.dialect, cell=True)
    text = end = ""
    for row in rows:
        text += f"{end}\n{' & '.join(tex(cell, inner) for cell in row)}"
        end = mode.dialect.tall_row_end if any(is_tall(cell, inner) for cell in row) else "\\\\"
    return f"\\begin{{{name}}}{text}\n\\end{{{name}}}"
