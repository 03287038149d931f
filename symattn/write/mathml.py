"""Mathematics as MathML Core, which browsers draw natively.

Each piece is one element. Attributes are few, because a page has thousands of elements: formatting is in the style
sheet of the page (``templates/html/page.css``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from symattn.show.math import (
    Accent,
    Accented,
    Blank,
    Call,
    Cases,
    Chain,
    Grid,
    Highlighted,
    Letter,
    Math,
    Number,
    Root,
    Script,
    Seq,
    Shaped,
    Squared,
    Stacked,
    Sum,
)
from symattn.write import escape
from symattn.write.math_writer import NAMED, WORD, MathWriter, greek, is_latin, is_slashed, links, number_parts, squared

_ACCENTS: Mapping[str, str] = MappingProxyType({"tilde": "~", "hat": "^", "bar": "¯"})
_BREAK = re.compile(r"\s*<mo>([+−])</mo>")
_APPLY = "<mo>&#x2061;</mo>"
"""Function application, between a function and its parentheses: invisible, and spoken as “of”."""
_THIN, _SPACE = '<mspace width=".17em"/>', '<mspace width=".3em"/>'
_UPRIGHT, _BLOCK = '<mi mathvariant="normal">', '<math display="block">'
_STROKE = '<mo lspace="0" rspace="0">/</mo>'
_FIGURE_SPACE = "\u2007"


def _fence(sign: str, grows: bool = False) -> str:
    """Write a parenthesis or a bar. In some fonts one that may grow has space beside it even where it does not grow."""
    return f"<mo>{sign}</mo>" if grows else f'<mo stretchy="false">{sign}</mo>'


@dataclass(frozen=True)
class MathML(MathWriter):
    """Writes mathematics for browsers."""

    format = "MathML"
    operators = MappingProxyType(
        {
            **{sign: f"<mo>{sign}</mo>" for sign in "+=×⊙⊘,:⋯⋮⋱≤≥≈≠∨"},
            **{"-": "<mo>−</mo>", "·": "<mo>⋅</mo>", "<": "<mo>&lt;</mo>", ">": "<mo>&gt;</mo>", "T": "<mi>T</mi>"},
        }
    )
    quad, further, around = "", "", (_fence("("), _fence(")"))
    comma, times = "<mo>,</mo>", "<mo>×</mo>"

    def letter(self, piece: Letter) -> str:
        name = piece.name
        if piece.style == "text" or not WORD.match(name):
            return f"<mtext>{escape.html(name)}</mtext>"
        if piece.style == "upright":
            return f"{'<mi>' if len(name) > 1 else _UPRIGHT}{name}</mi>"
        if name in NAMED:
            return f"{_UPRIGHT if name[0].isupper() else '<mi>'}{greek(name)}</mi>"
        return f"<mi>{name}</mi>" if len(name) == 1 else f'<mi class="w">{name}</mi>'

    def number(self, piece: Number) -> str:
        minus, infinity, top, bottom, mantissa, base, exponent = number_parts(piece.text, self.format)
        minus, of = minus.replace("-", "−"), escape.place_attributes(piece.of)
        if infinity:
            return f"<mi{of}>{minus}∞</mi>"
        if top and self.inline:
            return f"<mn{of}>{minus}{top}/{bottom}</mn>"
        if top:
            written = f"<mfrac{'' if minus else of}><mn>{top}</mn><mn>{bottom}</mn></mfrac>"
            return f"<mrow{of}><mo>−</mo>{written}</mrow>" if minus else written
        if not exponent:
            return f"<mn{of}>{minus}{mantissa}</mn>" if not base else f"<mn{of}>{minus}{mantissa}×{base}</mn>"
        power = exponent.strip("()").replace("-", "−")
        raised = f"<msup><mn>{base or minus + mantissa}</mn><mn>{power}</mn></msup>"
        if base:
            return f"<mrow{of}><mn>{minus}{mantissa}</mn><mo>×</mo>{raised}</mrow>"
        return f"<mrow{of}>{raised}</mrow>"

    def seq(self, piece: Seq) -> str:
        return _row(super().seq(piece))

    def script(self, piece: Script) -> str:
        held = piece.base
        if isinstance(held, Accented) and held.accent == "prime":
            return self.scripted(self.write(held.base), piece, "<mo>′</mo>")
        base = self.write(held)
        return self.scripted(self.enclosed(base) if self.inline and is_slashed(held) else base, piece)

    def prime(self, base: Math) -> str:
        return f"<msup>{self.write(base)}<mo>′</mo></msup>"

    def bold(self, base: Math) -> str:
        inner = self.write(base)
        return f'<mrow class="b">{inner.replace("<mi>", _UPRIGHT, 1) if is_latin(base) else inner}</mrow>'

    def accent(self, accent: Accent, base: Math) -> str:
        narrow = ' stretchy="false"' if isinstance(base, Letter) else ""
        return f'<mover accent="true">{self.write(base)}<mo{narrow}>{_ACCENTS[accent]}</mo></mover>'

    def root(self, piece: Root) -> str:
        return f"<msqrt>{unrowed(self.write(piece.radicand))}</msqrt>"

    def call(self, piece: Call) -> str:
        return _row(super().call(piece))

    def sum(self, piece: Sum) -> str:
        return _row(super().sum(piece))

    def shaped(self, piece: Shaped | Stacked) -> str:
        told = '<mi class="w">shape</mi><mo>=</mo>' if piece.long else ""
        sizes = f'<mrow class="size">{_fence("(")}{told}{self.sizes(piece.sizes)}{_fence(")")}</mrow>'
        return _row(self.write(piece.body) + _SPACE + sizes)

    def grid(self, piece: Grid) -> str:
        figures = all(isinstance(cell, Number) for row in piece.rows for cell in row)
        return self.fenced("[", _table(piece.rows, "n" if figures else ""), "]", True)

    def cases(self, piece: Cases) -> str:
        return _row("<mo>{</mo>" + _table(piece.branches, "cases"))

    def squared(self, piece: Squared) -> str:
        return _table(squared(piece), "sq")

    def highlighted(self, piece: Highlighted) -> str:
        return f'<mrow class="{piece.as_}">{unrowed(self.write(piece.inner))}</mrow>'

    def blank(self, piece: Blank) -> str:
        return f'<mtext class="blank">{_FIGURE_SPACE * piece.figures}</mtext>'

    def chain(self, piece: Chain) -> str:
        return _row(self.glue((unrowed(self.write(piece.left)), *links(piece, self))))

    def glue(self, pieces: Iterable[str]) -> str:
        return "".join(map(str.strip, pieces))

    def fenced(self, left: str, inner: str, right: str, tall: bool) -> str:
        return _row(_fence(left, tall) + unrowed(inner) + _fence(right, tall))

    def enclosed(self, text: str) -> str:
        return _row(self.around[0] + text + self.around[1])

    def apart(self, before: str, text: str) -> str:
        return _THIN + text

    def divided(self, top: str, bottom: str) -> str:
        return _row(unrowed(top) + _STROKE + unrowed(bottom)) if self.inline else f"<mfrac>{top}{bottom}</mfrac>"

    def called(self, piece: Call) -> str:
        return super().called(piece) + _APPLY

    def summed(self, body: Math) -> str:
        return unrowed(self.write(body))

    def scripts(self, piece: Script) -> str:
        return self.scripted(_fence(")"), piece)

    def around_base(self, piece: Script) -> tuple[str, str]:
        return self.around[0], ""  # the scripts are attached to the parenthesis, and include it

    def numbered(self, sign: str, mark: int) -> str:
        return f"<mover>{sign}<mtext>({mark})</mtext></mover>"

    def sigma(self, piece: Sum) -> str:
        index, lower, upper = map(self.small.write, (piece.index, piece.lower, piece.upper))
        return f"<munderover><mo>∑</mo><mrow>{index}<mo>=</mo>{lower}</mrow>{upper}</munderover>"

    def scripted(self, base: str, piece: Script, before: str = "") -> str:
        """Write a base with the scripts of a piece; ``before`` precedes the superscript."""
        sub = "" if piece.sub is None else self.small.write(piece.sub)
        sup = "" if piece.sup is None else self.small.write(piece.sup)
        sup = _row(before + sup) if before and sup else before + sup
        name = f"m{'sub' if sub else ''}{'sup' if sup else ''}"
        return f"<{name}>{base}{sub}{sup}</{name}>"


DISPLAY, INLINE = MathML(), MathML(inline=True)


def math(piece: Math, *, display: bool = False) -> str:
    """Write a whole formula: the element ``math``, inside a line or, with ``display``, on a line of its own.

    >>> math(Script(Letter("W"), sub=Letter("Q")))
    '<math><msub><mi>W</mi><mi>Q</mi></msub></math>'
    """
    return element(unrowed((DISPLAY if display else INLINE).write(piece)), display=display)


def element(inner: str, *, display: bool = False) -> str:
    """Wrap written pieces in the element ``math``. A plus or minus at the beginning continues the line before."""
    inner = _BREAK.sub(r'<mo form="infix">\1</mo>', inner, count=1) if _BREAK.match(inner) else inner
    return f"{_BLOCK if display else '<math>'}{inner.strip()}</math>"


def unrowed(written: str) -> str:
    """Remove the row around pieces that are put into an element which implies one.

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


def _table(rows: Iterable[tuple[Math, ...]], kind: str) -> str:
    """Write rows of cells, in which everything has its full size."""
    written = ("".join(f"<mtd>{unrowed(DISPLAY.write(cell))}</mtd>" for cell in row) for row in rows)
    start = f'<mtable class="{kind}">' if kind else "<mtable>"
    return f"{start}{''.join(f'<mtr>{row}</mtr>' for row in written)}</mtable>"


def _row(inner: str) -> str:
    return f"<mrow>{inner}</mrow>"
