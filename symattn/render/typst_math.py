"""Mathematics as Typst, piece by piece and in reading order.

One rule per piece; a piece without a rule is refused. A label or a name that comes from outside is a Typst string, in
which nothing is run and nothing has a meaning; ``blank`` is a function that the page defines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import singledispatch
from types import MappingProxyType

from symattn.budget import priced
from symattn.document.math import (
    PARTIAL,
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
from symattn.render.escape import typst_string
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

_ACCENTS: Mapping[str, str] = MappingProxyType({"tilde": "tilde", "hat": "hat", "bar": "macron", "bold": "bold"})
_SIGNS: Mapping[str, str] = MappingProxyType(
    {
        **{sign: sign for sign in "+-=<>T×⊙⊘⋯⋮⋱≤≥≈≠∨"},
        # As they are these would part the arguments of a function, or name one.
        ",": "\\,",
        ":": "\\:",
        "·": "⋅",
    }
)
_OTHERWISE: Mapping[str, str] = MappingProxyType({"phi": "phi.alt", PARTIAL.name: "∂"})
"""Letters whose name is another one, or has changed, in Typst."""
_WORD = re.compile(r"[A-Za-z0-9]+\Z")
_ENDS_IN_TEXT = re.compile(r'"\)?\Z')
_STROKE = "\\/"


@dataclass(frozen=True)
class TypstMode:
    """How to write: whether inside a line of text (then a fraction is a/b), or in a cell of a matrix."""

    inline: bool = False
    cell: bool = False

    quad, between, further, around = "quad", "wide", "quad", ("\\(", "\\)")

    def around_base(self, piece: Script) -> tuple[str, str]:
        return self.around

    def enclosed(self, text: str) -> str:
        return f"({text})"

    def apart(self, before: str, text: str) -> str:
        return f"thin {text}"

    def piece(self, piece: Math) -> str:
        return typst_math(piece, self)

    def sign(self, sign: str) -> str:
        """An operator or a relation. Raises :class:`~symattn.errors.RenderError` for what is neither."""
        if sign not in _SIGNS:
            raise RenderError(f"no Typst for the sign {shown(sign)}")
        return _SIGNS[sign]

    def numbered(self, sign: str, mark: int) -> str:
        return f"attach(limits({sign}), t: \\({mark}\\))"

    def sigma(self, piece: Sum) -> str:
        index, lower, upper = (typst_math(part, self) for part in (piece.index, piece.lower, piece.upper))
        return f"sum_({index} = {lower})^({upper})"

    def scripts(self, piece: Script) -> str:
        written = self._scripts(piece)
        return "".join(f"{sign}{_argument(text)}" for sign, text in zip("_^", written, strict=True) if text)

    def attached(self, piece: Script) -> str:
        """The same, as arguments of the function ``attach``, for a base that is more than one letter."""
        written = self._scripts(piece)
        return "".join(f", {name}: {text}" for name, text in zip("bt", written, strict=True) if text)

    def glue(self, pieces: Iterable[str]) -> str:
        """The pieces in a row with spaces between them, which Typst does not print but beside words."""
        out = ""
        for text in filter(None, pieces):
            is_apart = out[-1:] in ("", " ") or text[0] in ' "' or _ENDS_IN_TEXT.search(out)
            out += text if is_apart else f" {text}"
        return out

    def aligned(self, lines: list[tuple[str, str]]) -> str:
        return " \\\n".join(f"{left} & {right}".strip() for left, right in lines)

    def _scripts(self, piece: Script) -> tuple[str, str]:
        small = replace(self, inline=True, cell=False)
        sub = "" if piece.sub is None else typst_math(piece.sub, small)
        return sub, "" if piece.sup is None else typst_math(piece.sup, small)


DISPLAY = TypstMode()


@priced(WRITTEN)
@singledispatch
def typst_math(piece: Math, mode: TypstMode = DISPLAY) -> str:
    """The Typst of a piece of mathematics, without delimiters.

    Raises :class:`~symattn.errors.RenderError` for others.

    >>> typst_math(Script(Letter("W"), sub=Letter("Q")))
    'W_Q'
    >>> typst_math(Call("softmax", (Fraction(Letter("S"), Root(Number("4"))),)))
    'op("softmax")(frac(S, sqrt(4)))'
    >>> typst_math(Letter('#eval("1")', "text"))
    '"#eval(\\\\"1\\\\")"'
    """
    raise RenderError(f"no Typst for {type(piece).__name__}: not a piece of mathematics")


@typst_math.register(Letter)
def _(piece: Letter, mode: TypstMode = DISPLAY) -> str:
    name = piece.name
    if piece.style != "italic" or not _WORD.match(name):
        return typst_string(name)
    if name in NAMED:
        return _OTHERWISE.get(name, name)
    return name if len(name) == 1 else f"italic({typst_string(name)})"


@typst_math.register(Number)
def _(piece: Number, mode: TypstMode = DISPLAY) -> str:
    minus, infinity, top, bottom, mantissa, base, exponent = number_parts(piece.text, "Typst")
    if infinity:
        return f"{minus}infinity"
    if top:
        return minus + (f"{top} {_STROKE} {bottom}" if mode.inline else _fraction(top, bottom, mode))
    power = f"^{_argument(exponent.strip('()'))}" if exponent else ""
    return minus + (f"{mantissa} × {base}{power}" if base else mantissa + power)


@typst_math.register(Sign)
def _(piece: Sign, mode: TypstMode = DISPLAY) -> str:
    return mode.sign(piece.sign)


@typst_math.register(Seq)
def _(piece: Seq, mode: TypstMode = DISPLAY) -> str:
    return mode.glue(parts(piece, mode))


@typst_math.register(Script)
def _(piece: Script, mode: TypstMode = DISPLAY) -> str:
    base = typst_math(piece.base, mode)
    if isinstance(piece.base, Script | Seq | Chain | Shaped | Stacked):
        return f"attach({base}{mode.attached(piece)})"
    if mode.inline and is_slashed(piece.base):
        base = f"({base})"
    return base + mode.scripts(piece)


@typst_math.register(Accented)
def _(piece: Accented, mode: TypstMode = DISPLAY) -> str:
    inner = typst_math(piece.base, mode)
    if piece.accent == "prime":
        return f"{inner}'"
    if piece.accent not in _ACCENTS:
        raise RenderError(unknown("accent", piece.accent, ["prime", *_ACCENTS]))
    if piece.accent == "bold" and is_latin(piece.base):
        inner = f"upright({inner})"
    return f"{_ACCENTS[piece.accent]}({inner})"


@typst_math.register(Fraction)
def _(piece: Fraction, mode: TypstMode = DISPLAY) -> str:
    top, bottom = over(piece, replace(mode, cell=False))
    return mode.glue((top, _STROKE, bottom)) if mode.inline else _fraction(top, bottom, mode)


def _fraction(top: str, bottom: str, mode: TypstMode) -> str:
    return _in_full(f"frac({top}, {bottom})", mode)


def _in_full(text: str, mode: TypstMode) -> str:
    """Written in full size, inside a line and in a cell of a matrix too."""
    return f"display({text})" if mode.cell or mode.inline else text


@typst_math.register(Root)
def _(piece: Root, mode: TypstMode = DISPLAY) -> str:
    return f"sqrt({typst_math(piece.radicand, mode)})"


@typst_math.register(Parens)
def _(piece: Parens, mode: TypstMode = DISPLAY) -> str:
    return f"({typst_math(piece.inner, mode)})"


@typst_math.register(Bars)
def _(piece: Bars, mode: TypstMode = DISPLAY) -> str:
    return f"{'floor' if piece.floor else 'norm' if piece.double else 'abs'}({typst_math(piece.inner, mode)})"


@typst_math.register(Interval)
def _(piece: Interval, mode: TypstMode = DISPLAY) -> str:
    return f"[{typst_math(piece.low, mode)}\\, {typst_math(piece.high, mode)}]"


@typst_math.register(Call)
def _(piece: Call, mode: TypstMode = DISPLAY) -> str:
    left, right = "[]" if piece.brackets == "square" else "()"
    inner = "\\, ".join(typst_math(argument, mode) for argument in piece.arguments)
    below = "" if piece.sub is None else mode.scripts(Script(piece, sub=piece.sub))
    return f"op({typst_string(piece.function)}){below}{' ' if below else ''}{left}{inner}{right}"


@typst_math.register(Sum)
def _(piece: Sum, mode: TypstMode = DISPLAY) -> str:
    return mode.glue((mode.sigma(piece), typst_math(piece.body, mode)))


@typst_math.register(Shaped)
@typst_math.register(Stacked)
def _(piece: Shaped | Stacked, mode: TypstMode = DISPLAY) -> str:
    size = " × ".join(typst_math(Parens(size) if is_sum(size) else size, mode) for size in piece.sizes)
    told = 'italic("shape")= ' if piece.long else ""
    return f"{typst_math(piece.body, mode)} thick ({told}{size})"


@typst_math.register(Grid)
def _(piece: Grid, mode: TypstMode = DISPLAY) -> str:
    tall = any(is_tall(cell, TypstMode(cell=True)) for row in piece.rows for cell in row)
    return _in_full(f"mat({'row-gap: #0.9em, ' if tall else ''}{_rows(piece.rows, ', ', ';', mode)})", mode)


@typst_math.register(Highlighted)
def _(piece: Highlighted, mode: TypstMode = DISPLAY) -> str:
    mark = MARKS[piece.as_]
    text = typst_math(Accented("bold", piece.inner) if mark.is_bold else piece.inner, mode)
    text = f"underline({text})" if mark.has_line else text
    return f'text(fill: #rgb("#{mark.colour}"), {text})'


@typst_math.register(Squared)
def _(piece: Squared, mode: TypstMode = DISPLAY) -> str:
    rule = f"delim: #none, align: #right, row-gap: #0.5em, augment: #(hline: {len(piece.above.rows)}),"
    return _in_full(f"mat({rule} {_rows(squared(piece), ', ', ';', mode)})", mode)


@typst_math.register(Blank)
def _(piece: Blank, mode: TypstMode = DISPLAY) -> str:
    return f"blank(#{piece.figures})"


@typst_math.register(Cases)
def _(piece: Cases, mode: TypstMode = DISPLAY) -> str:
    return _in_full(f"cases({_rows(piece.branches, ' & quad ', ',', mode)})", mode)


def _rows(rows: tuple[tuple[Math, ...], ...], between: str, end: str, mode: TypstMode) -> str:
    """The cells of each row; each row has a line of its own where that may be."""
    inner = mode if mode.inline else TypstMode(cell=True)
    lines = [between.join(typst_math(cell, inner) for cell in row) for row in rows]
    return f"{end} ".join(lines) if mode.inline else "\n  " + f"{end}\n  ".join(lines) + "\n"


@typst_math.register(Chain)
def _(piece: Chain, mode: TypstMode = DISPLAY) -> str:
    return mode.glue((typst_math(piece.left, mode), *links(piece, mode)))


def _argument(text: str) -> str:
    """What follows _ or ^: one character as it is, more in parentheses that are not printed."""
    return text if len(text) == 1 else f"({text})"
