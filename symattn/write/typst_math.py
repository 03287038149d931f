"""Mathematics as Typst.

A label or a name from outside is a Typst string, in which nothing is run and nothing has a meaning; ``blank`` is a
function that the page defines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from symattn.show.math import (
    PARTIAL,
    Accent,
    Accented,
    Bars,
    Blank,
    Call,
    Cases,
    Chain,
    Grid,
    Highlighted,
    Letter,
    Math,
    Root,
    Script,
    Seq,
    Shaped,
    Squared,
    Stacked,
    Sum,
)
from symattn.write.escape import typst_string
from symattn.write.math_writer import MARKS, NAMED, WORD, MathWriter, is_latin, is_slashed, is_tall, squared

_ACCENTS: Mapping[str, str] = MappingProxyType({"tilde": "tilde", "hat": "hat", "bar": "macron", "bold": "bold"})
_OTHERWISE: Mapping[str, str] = MappingProxyType({"phi": "phi.alt", PARTIAL.name: "∂"})
"""Letters with a different name in Typst."""
_ENDS_IN_TEXT = re.compile(r'"\)?\Z')


@dataclass(frozen=True)
class TypstMath(MathWriter):
    """Writes mathematics for Typst."""

    format = "Typst"
    # As they are, a comma and a colon would part the arguments of a function, or name one.
    operators = MappingProxyType({**{sign: sign for sign in "+-=<>T×⊙⊘⋯⋮⋱≤≥≈≠∨"}, ",": "\\,", ":": "\\:", "·": "⋅"})
    quad, between, further, around = "quad", "wide", "quad", ("\\(", "\\)")
    comma, infinity, stroke, times, tens = "\\, ", "infinity", "\\/", " × ", " × "
    space, shape = " thick ", 'italic("shape")= '

    def letter(self, piece: Letter) -> str:
        name = piece.name
        if piece.style != "italic" or not WORD.match(name):
            return typst_string(name)
        if name in NAMED:
            return _OTHERWISE.get(name, name)
        return name if len(name) == 1 else f"italic({typst_string(name)})"

    def script(self, piece: Script) -> str:
        base = self.write(piece.base)
        if isinstance(piece.base, Script | Seq | Chain | Shaped | Stacked):
            scripts = {"b": piece.sub, "t": piece.sup}
            written = (f", {name}: {self.small.write(part)}" for name, part in scripts.items() if part is not None)
            return f"attach({base}{''.join(written)})"
        return (f"({base})" if self.inline and is_slashed(piece.base) else base) + self.scripts(piece)

    def bold(self, base: Math) -> str:
        return f"bold({f'upright({self.write(base)})' if is_latin(base) else self.write(base)})"

    def accent(self, accent: Accent, base: Math) -> str:
        return f"{_ACCENTS[accent]}({self.write(base)})"

    def root(self, piece: Root) -> str:
        return f"sqrt({self.write(piece.radicand)})"

    def bars(self, piece: Bars) -> str:
        return f"{'floor' if piece.floor else 'norm' if piece.double else 'abs'}({self.write(piece.inner)})"

    def grid(self, piece: Grid) -> str:
        tall = any(is_tall(cell) for row in piece.rows for cell in row)
        return self.in_full(f"mat({'row-gap: #0.9em, ' if tall else ''}{self.rows(piece.rows, ', ', ';')})")

    def cases(self, piece: Cases) -> str:
        return self.in_full(f"cases({self.rows(piece.branches, ' & quad ', ',')})")

    def squared(self, piece: Squared) -> str:
        rule = f"delim: #none, align: #right, row-gap: #0.5em, augment: #(hline: {len(piece.above.rows)}),"
        return self.in_full(f"mat({rule} {self.rows(squared(piece), ', ', ';')})")

    def highlighted(self, piece: Highlighted) -> str:
        mark = MARKS[piece.as_]
        text = self.write(Accented("bold", piece.inner) if mark.is_bold else piece.inner)
        text = f"underline({text})" if mark.has_line else text
        return f'text(fill: #rgb("#{mark.colour}"), {text})'

    def blank(self, piece: Blank) -> str:
        return f"blank(#{piece.figures})"

    def glue(self, pieces: Iterable[str]) -> str:
        """Put pieces in a row with spaces between them, which Typst prints only beside words."""
        out = ""
        for text in filter(None, pieces):
            is_apart = out[-1:] in ("", " ") or text[0] in ' "' or _ENDS_IN_TEXT.search(out)
            out += text if is_apart else f" {text}"
        return out

    def apart(self, before: str, text: str) -> str:
        return f"thin {text}"

    def divided(self, top: str, bottom: str) -> str:
        return super().divided(top, bottom) if self.inline else self.in_full(f"frac({top}, {bottom})")

    def called(self, piece: Call) -> str:
        below = "" if piece.sub is None else f"{self.scripts(Script(piece, sub=piece.sub))} "
        return f"op({typst_string(piece.function)}){below}"

    def numbered(self, sign: str, mark: int) -> str:
        return f"attach(limits({sign}), t: \\({mark}\\))"

    def sigma(self, piece: Sum) -> str:
        index, lower, upper = map(self.write, (piece.index, piece.lower, piece.upper))
        return f"sum_({index} = {lower})^({upper})"

    def aligned(self, lines: list[tuple[str, str]]) -> str:
        return " \\\n".join(f"{left} & {right}".strip() for left, right in lines)

    def in_full(self, text: str) -> str:
        """Write in full size, even inside a line or in a cell of a matrix."""
        return f"display({text})" if self.cell or self.inline else text

    def rows(self, rows: tuple[tuple[Math, ...], ...], between: str, end: str) -> str:
        """Write the cells of each row; each row has a line of its own where that is possible."""
        inner = self if self.inline else TypstMath(cell=True)
        lines = [between.join(map(inner.write, row)) for row in rows]
        return f"{end} ".join(lines) if self.inline else "\n  " + f"{end}\n  ".join(lines) + "\n"


DISPLAY = TypstMath()


def typst_math(piece: Math, writer: TypstMath = DISPLAY) -> str:
    """Write a piece of mathematics as Typst, without delimiters.

    Raise :class:`~symattn.base.errors.RenderError` for anything else.

    >>> typst_math(Script(Letter("W"), sub=Letter("Q")))
    'W_Q'
    >>> from symattn.show.math import Fraction, Number
    >>> typst_math(Call("softmax", (Fraction(Letter("S"), Root(Number("4"))),)))
    'op("softmax")(frac(S, sqrt(4)))'
    >>> typst_math(Letter('#eval("1")', "text"))
    '"#eval(\\\\"1\\\\")"'
    """
    return writer.write(piece)
