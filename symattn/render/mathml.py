"""Mathematics as MathML Core, what browsers draw by themselves: piece by piece and in reading order.

One rule per piece, and each writes one element; a piece without a rule is refused. Attributes are few, because a page
has thousands of these: what is only a matter of looks is in the style sheet of the page (``templates/html/page.css``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
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
from symattn.render import escape
from symattn.render.letters import greek
from symattn.render.typesetting import (
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

_ACCENTS: Mapping[str, str] = MappingProxyType({"tilde": "~", "hat": "^", "bar": "¯"})
_SIGNS: Mapping[str, str] = MappingProxyType(
    {
        **{sign: f"<mo>{sign}</mo>" for sign in "+=×⊙⊘,:⋯⋮⋱≤≥≈≠∨"},
        **{"-": "<mo>−</mo>", "·": "<mo>⋅</mo>", "<": "<mo>&lt;</mo>", ">": "<mo>&gt;</mo>", "T": "<mi>T</mi>"},
    }
)
_WORD = re.compile(r"[A-Za-z0-9]+\Z")
_BREAK = re.compile(r"\s*<mo>([+−])</mo>")
_APPLY = "<mo>&#x2061;</mo>"
"""Between a function and its parentheses: nobody sees it, and it is spoken as “of”."""
_THIN, _SPACE = '<mspace width=".17em"/>', '<mspace width=".3em"/>'
_UPRIGHT, _BLOCK = '<mi mathvariant="normal">', '<math display="block">'
_STROKE = '<mo lspace="0" rspace="0">/</mo>'
_FIGURE_SPACE = "\u2007"


def _fence(sign: str, grows: bool = False) -> str:
    """A parenthesis or a bar. One that may grow has room beside it in some fonts even where it does not."""
    return f"<mo>{sign}</mo>" if grows else f'<mo stretchy="false">{sign}</mo>'


@dataclass(frozen=True)
class MathMLMode:
    """How to write: whether inside a line of text, or in a script (then a fraction is a/b)."""

    inline: bool = False

    quad, further, around = "", "", (_fence("("), _fence(")"))

    def around_base(self, piece: Script) -> tuple[str, str]:
        return self.around[0], ""  # the scripts stand at the parenthesis, and bring it

    def enclosed(self, text: str) -> str:
        return _fenced("(", text, ")", grows=False)

    def apart(self, before: str, text: str) -> str:
        return _THIN + text

    def piece(self, piece: Math) -> str:
        return mathml(piece, self)

    def sign(self, sign: str) -> str:
        """An operator or a relation. Raises :class:`~symattn.errors.RenderError` for what is neither."""
        if sign not in _SIGNS:
            raise RenderError(f"no MathML for the sign {shown(sign)}")
        return _SIGNS[sign]

    def numbered(self, sign: str, mark: int) -> str:
        return f"<mover>{sign}<mtext>({mark})</mtext></mover>"

    def sigma(self, piece: Sum) -> str:
        index, lower, upper = (mathml(part, self.small) for part in (piece.index, piece.lower, piece.upper))
        return f"<munderover><mo>∑</mo><mrow>{index}<mo>=</mo>{lower}</mrow>{upper}</munderover>"

    def scripts(self, piece: Script) -> str:
        return self.scripted(_fence(")"), piece)

    def glue(self, pieces: Iterable[str]) -> str:
        return "".join(map(str.strip, pieces))

    @property
    def small(self) -> MathMLMode:
        return replace(self, inline=True)

    def scripted(self, base: str, piece: Script, before: str = "") -> str:
        """A base with the scripts of a piece; ``before`` stands in front of what is above."""
        sub = "" if piece.sub is None else mathml(piece.sub, self.small)
        sup = "" if piece.sup is None else mathml(piece.sup, self.small)
        sup = _row(before + sup) if before and sup else before + sup
        name = f"m{'sub' if sub else ''}{'sup' if sup else ''}"
        return f"<{name}>{base}{sub}{sup}</{name}>"


DISPLAY, INLINE = MathMLMode(), MathMLMode(inline=True)


def math(piece: Math, *, display: bool = False) -> str:
    """A whole formula: the element ``math``, inside a line or, with ``display``, on a line of its own.

    >>> math(Script(Letter("W"), sub=Letter("Q")))
    '<math><msub><mi>W</mi><mi>Q</mi></msub></math>'
    """
    return element(unrowed(mathml(piece, DISPLAY if display else INLINE)), display=display)


def element(inner: str, *, display: bool = False) -> str:
    """What is written already, as the element ``math``. A plus or minus at its beginning goes on with a line before."""
    inner = _BREAK.sub(r'<mo form="infix">\1</mo>', inner, count=1) if _BREAK.match(inner) else inner
    return f"{_BLOCK if display else '<math>'}{inner.strip()}</math>"


def unrowed(written: str) -> str:
    """One element as the contents of one that holds a row anyway.

    >>> unrowed("<mrow><mi>a</mi><mi>b</mi></mrow>"), unrowed("<mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow>")
    ('<mi>a</mi><mi>b</mi>', '<mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow>')
    """
    inner = written[len("<mrow>") : -len("</mrow>")]
    is_row = written.startswith("<mrow>") and written.endswith("</mrow>")
    depth = 0
    for tag in re.findall(r"</?mrow\b", inner) if is_row else ():
        depth += -1 if tag.startswith("</") else 1
        if depth < 0:
            return written
    return inner if is_row else written


@priced(WRITTEN)
@singledispatch
def mathml(piece: Math, mode: MathMLMode = DISPLAY) -> str:
    """One element of MathML for a piece of mathematics. Raises :class:`~symattn.errors.RenderError` for others.

    >>> mathml(Call("softmax", (Fraction(Letter("S"), Number("2")),)))
    '<mrow><mi>softmax</mi><mo>&#x2061;</mo><mrow><mo>(</mo><mfrac><mi>S</mi><mn>2</mn></mfrac><mo>)</mo></mrow></mrow>'
    >>> mathml(Letter("</mtext><script>", "text"))
    '<mtext>&lt;/mtext&gt;&lt;script&gt;</mtext>'
    """
    raise RenderError(f"no MathML for {type(piece).__name__}: not a piece of mathematics")


@mathml.register(Letter)
def _(piece: Letter, mode: MathMLMode = DISPLAY) -> str:
    name = piece.name
    if piece.style == "text" or not _WORD.match(name):
        return f"<mtext>{escape.html(name)}</mtext>"
    if piece.style == "upright":
        return f"{'<mi>' if len(name) > 1 else _UPRIGHT}{name}</mi>"
    if name in NAMED:
        return f"{_UPRIGHT if name[0].isupper() else '<mi>'}{greek(name)}</mi>"
    return f"<mi>{name}</mi>" if len(name) == 1 else f'<mi class="w">{name}</mi>'


@mathml.register(Number)
def _(piece: Number, mode: MathMLMode = DISPLAY) -> str:
    minus, infinity, top, bottom, mantissa, base, exponent = number_parts(piece.text, "MathML")
    minus, of = minus.replace("-", "−"), escape.place_attributes(piece.of)
    if infinity:
        return f"<mi{of}>{minus}∞</mi>"
    if top and mode.inline:
        return f"<mn{of}>{minus}{top}/{bottom}</mn>"
    if top:
        written = f"<mfrac{'' if minus else of}><mn>{top}</mn><mn>{bottom}</mn></mfrac>"
        return f"<mrow{of}><mo>−</mo>{written}</mrow>" if minus else written
    if not exponent:
        return f"<mn{of}>{minus}{mantissa}</mn>" if not base else f"<mn{of}>{minus}{mantissa}×{base}</mn>"
    power = exponent.strip("()").replace("-", "−")
    raised = f"<msup><mn>{base or minus + mantissa}</mn><mn>{power}</mn></msup>"
    return f"<mrow{of}><mn>{minus}{mantissa}</mn><mo>×</mo>{raised}</mrow>" if base else f"<mrow{of}>{raised}</mrow>"


@mathml.register(Sign)
def _(piece: Sign, mode: MathMLMode = DISPLAY) -> str:
    return mode.sign(piece.sign)


@mathml.register(Seq)
def _(piece: Seq, mode: MathMLMode = DISPLAY) -> str:
    return _row(mode.glue(parts(piece, mode)))


@mathml.register(Script)
def _(piece: Script, mode: MathMLMode = DISPLAY) -> str:
    held = piece.base
    if isinstance(held, Accented) and held.accent == "prime":
        return mode.scripted(mathml(held.base, mode), piece, "<mo>′</mo>")
    base = mathml(held, mode)
    return mode.scripted(mode.enclosed(base) if mode.inline and is_slashed(held) else base, piece)


@mathml.register(Accented)
def _(piece: Accented, mode: MathMLMode = DISPLAY) -> str:
    inner = mathml(piece.base, mode)
    if piece.accent == "prime":
        return f"<msup>{inner}<mo>′</mo></msup>"
    if piece.accent == "bold":
        inner = inner.replace("<mi>", _UPRIGHT, 1) if is_latin(piece.base) else inner
        return f'<mrow class="b">{inner}</mrow>'
    if piece.accent not in _ACCENTS:
        raise RenderError(unknown("accent", piece.accent, ["bold", "prime", *_ACCENTS]))
    narrow = ' stretchy="false"' if isinstance(piece.base, Letter) else ""
    return f'<mover accent="true">{inner}<mo{narrow}>{_ACCENTS[piece.accent]}</mo></mover>'


@mathml.register(Fraction)
def _(piece: Fraction, mode: MathMLMode = DISPLAY) -> str:
    top, bottom = over(piece, mode)
    return _row(unrowed(top) + _STROKE + unrowed(bottom)) if mode.inline else f"<mfrac>{top}{bottom}</mfrac>"


@mathml.register(Root)
def _(piece: Root, mode: MathMLMode = DISPLAY) -> str:
    return f"<msqrt>{unrowed(mathml(piece.radicand, mode))}</msqrt>"


@mathml.register(Parens)
def _(piece: Parens, mode: MathMLMode = DISPLAY) -> str:
    return _fenced("(", unrowed(mathml(piece.inner, mode)), ")", grows=is_tall(piece.inner, mode))


@mathml.register(Bars)
def _(piece: Bars, mode: MathMLMode = DISPLAY) -> str:
    left, right = "⌊⌋" if piece.floor else "‖‖" if piece.double else "||"
    return _fenced(left, unrowed(mathml(piece.inner, mode)), right, grows=is_tall(piece.inner, mode))


@mathml.register(Interval)
def _(piece: Interval, mode: MathMLMode = DISPLAY) -> str:
    inner = f"{mathml(piece.low, mode)}<mo>,</mo>{mathml(piece.high, mode)}"
    return _fenced("[", inner, "]", grows=is_tall(piece, mode))


@mathml.register(Call)
def _(piece: Call, mode: MathMLMode = DISPLAY) -> str:
    name = mathml(Letter(piece.function, "upright"), mode)
    name = name if piece.sub is None else mode.scripted(name, Script(piece, sub=piece.sub))
    left, right = "[]" if piece.brackets == "square" else "()"
    arguments = [mathml(argument, mode) for argument in piece.arguments]
    inner = unrowed(arguments[0]) if len(arguments) == 1 else "<mo>,</mo>".join(arguments)
    return _row(name + _APPLY + _fenced(left, inner, right, grows=is_tall(piece, mode)))


@mathml.register(Sum)
def _(piece: Sum, mode: MathMLMode = DISPLAY) -> str:
    return _row(mode.sigma(piece) + unrowed(mathml(piece.body, mode)))


@mathml.register(Shaped)
@mathml.register(Stacked)
def _(piece: Shaped | Stacked, mode: MathMLMode = DISPLAY) -> str:
    size = "<mo>×</mo>".join(mathml(Parens(size) if is_sum(size) else size, mode) for size in piece.sizes)
    told = '<mi class="w">shape</mi><mo>=</mo>' if piece.long else ""
    return _row(f'{mathml(piece.body, mode)}{_SPACE}<mrow class="size">{_fence("(")}{told}{size}{_fence(")")}</mrow>')


@mathml.register(Grid)
def _(piece: Grid, mode: MathMLMode = DISPLAY) -> str:
    figures = all(isinstance(cell, Number) for row in piece.rows for cell in row)
    return _fenced("[", _table(piece.rows, "n" if figures else ""), "]", grows=True)


@mathml.register(Highlighted)
def _(piece: Highlighted, mode: MathMLMode = DISPLAY) -> str:
    return f'<mrow class="{piece.as_}">{unrowed(mathml(piece.inner, mode))}</mrow>'


@mathml.register(Squared)
def _(piece: Squared, mode: MathMLMode = DISPLAY) -> str:
    return _table(squared(piece), "sq")


@mathml.register(Blank)
def _(piece: Blank, mode: MathMLMode = DISPLAY) -> str:
    return f'<mtext class="blank">{_FIGURE_SPACE * piece.figures}</mtext>'


@mathml.register(Cases)
def _(piece: Cases, mode: MathMLMode = DISPLAY) -> str:
    return _row("<mo>{</mo>" + _table(piece.branches, "cases"))


@mathml.register(Chain)
def _(piece: Chain, mode: MathMLMode = DISPLAY) -> str:
    return _row(mode.glue((unrowed(mathml(piece.left, mode)), *links(piece, mode))))


def _table(rows: Iterable[tuple[Math, ...]], kind: str) -> str:
    """Rows of cells, in which everything has its full size."""
    written = ("".join(f"<mtd>{unrowed(mathml(cell, DISPLAY))}</mtd>" for cell in row) for row in rows)
    start = f'<mtable class="{kind}">' if kind else "<mtable>"
    return f"{start}{''.join(f'<mtr>{row}</mtr>' for row in written)}</mtable>"


def _fenced(left: str, inner: str, right: str, *, grows: bool) -> str:
    """What stands between two signs, which grow with it where it is high."""
    return _row(_fence(left, grows) + inner + _fence(right, grows))


def _row(inner: str) -> str:
    return f"<mrow>{inner}</mrow>"
