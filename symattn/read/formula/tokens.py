"""Split the text of a formula into tokens, each with its place; build the errors that name the text.

>>> text = "softmax(Q @ K.T / 2d_k)"
>>> [token.text for token in cut_up(FormulaText(text, "formula"), text)]
['softmax', '(', 'Q', '@', 'K', '.', 'T', '/', '2', 'd_k', ')', '']
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

from symattn.base.errors import FormulaError, shown
from symattn.read.formula import wrong
from symattn.read.formula.wrong import hint


class Token(NamedTuple):
    """A piece of a text, from ``start`` to before ``end``."""

    kind: Literal["number", "word", "letter", "sign", "end"]
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class FormulaText:
    """A text and its kind, for error messages."""

    text: str
    kind: str

    def error(self, what: str) -> FormulaError:
        """Return an error that names the text."""
        return FormulaError(f"{self.kind} {shown(self.text)}: {what}")

    def unreadable(self, why: str) -> FormulaError:
        """Return the error for a text that is not of its kind."""
        return self.error(f"is not a {self.kind}: {why}")

    def two(self, piece: str, one: str, other: str) -> FormulaError:
        """Return the error for an ambiguous piece."""
        return self.error(wrong.two_readings(piece, one, other))

    def no_place(self, mark: str, start: int) -> FormulaError:
        """Return the error for a mark that formulas do not have, or not in this place."""
        where = f"{mark} at character {start + 1} has no place in a {self.kind}"
        before = self.text[: start + 1]
        if "'" in before or '"' in before:  # einsum("ij,jk->ik", X, Y)
            called = reversed(re.findall(r"(\w+)\(", before))
            if known := next(filter(None, map(hint, called)), ""):
                return self.unreadable(f"{where}: {known}")
        return self.unreadable(f"{where}: {wrong.instead_of(mark) or wrong.MADE_OF.get(self.kind, wrong.ALLOWED)}")


NUMBER = r"(?:\d+(?:_\d{3})*(?:\.(?:\d+(?:_\d{3})*)?)?|\.\d+(?:_\d{3})*)(?:[eE][+-]?\d+)?"
_TOKEN = re.compile(
    rf"\s*(?:(?P<number>{NUMBER})"
    r"|(?P<word>(?:[A-Za-z]|__)[A-Za-z0-9_]*?(?=_+\s*[{\\]|[^A-Za-z0-9_]|\Z))"
    r"|(?P<sign>\\(?:[A-Za-z]+|.)|\*\*|\|\||//|:=|[=<>!]=|.)|\Z)",
    re.ASCII | re.DOTALL,
)
_SIGNS = frozenset("+ - * / @ ^ ** ( ) [ ] { } , . : ; = | || ' _ &".split())
_OTHER_BASE = re.compile(r"0[xXoObB]\w+", re.ASCII)
_IMAGINARY = re.compile(rf"{NUMBER}[jJ]\b", re.ASCII)


def cut_up(source: FormulaText, text: str) -> list[Token]:
    """Return the tokens of a text, and its end; LaTeX commands are allowed only in a text that is not the source's own.

    Raises :class:`~symattn.base.errors.FormulaError` for a mark that formulas do not have.
    """
    tokens: list[Token] = []
    plain = text is source.text
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup
        if kind is None:
            break
        mark, start = found[kind], found.start(kind)
        if kind == "sign":
            if plain and mark not in _SIGNS:
                raise source.no_place(mark, start)
            tokens.append(Token("sign", mark, start, found.end()))
        elif kind == "word":
            tokens.append(Token("word", mark, start, found.end()))
        else:
            _must_be_decimal(source, text, mark, start, plain)
            tokens.append(Token("number", mark, start, found.end()))
    tokens.append(Token("end", "", len(text), len(text)))
    return tokens


def _must_be_decimal(source: FormulaText, text: str, mark: str, start: int, plain: bool) -> None:
    """Refuse Python's numbers in other bases and imaginary ones, instead of splitting them."""
    after = text[start + len(mark) : start + len(mark) + 1]
    if (mark == "0" and (other := _OTHER_BASE.match(text, start))) or (
        plain and (other := _IMAGINARY.match(text, start))
    ):
        raise source.error(f"{shown(other[0])} is not a decimal number")
    if mark.endswith(".") and (after.isalpha() or after == "_"):
        raise source.unreadable("a number has no transpose: .T goes behind a matrix")
