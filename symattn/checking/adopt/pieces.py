"""Pieces of formulas: what stands side by side is a product of matrices or a multiple, by the sizes of both.

>>> from symattn.formula import Scope
>>> from symattn.shapes import shape
>>> scope = Scope({"X": shape(3, 4), "Y": shape(3, 4), "W": shape(4, 2)})
>>> X, Y, W = (FormulaPiece(name, scope) for name in "XYW")
>>> times(X, W, "").text, times(FormulaPiece("2", scope), entrywise(X, "+", Y), "×").text
('X @ W', '2 * (X + Y)')
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from symattn.errors import FormulaError
from symattn.formula import Scope, read_any
from symattn.operations.terms import Term
from symattn.parentheses import beside, tight, transposed
from symattn.remembered import cached_property


@dataclass(frozen=True)
class FormulaPiece:
    """A text of the formula language, and what it may speak of."""

    text: str
    scope: Scope

    @cached_property
    def axes(self) -> tuple[int, ...]:
        """The sizes of what it gives: of a number none, of a vector one, of a matrix two.

        Raises :class:`~symattn.errors.FormulaError` and :class:`~symattn.errors.ShapeError` where it does not read.
        """
        value = read_any(self.text, self.scope)
        return tuple(int(axis.size) for axis in value.shape.axes) if isinstance(value, Term) else ()

    @property
    def is_number(self) -> bool:
        """Whether it is a number."""
        return self.axes == ()

    @property
    def is_column(self) -> bool:
        """Whether it is a matrix of one column."""
        return len(self.axes) == 2 and self.axes[1] == 1 != self.axes[0]


def times(left: FormulaPiece, right: FormulaPiece, sign: str) -> FormulaPiece:
    """What stands beside each other, with a sign of multiplication between: a multiple or a product."""
    if sign in ("⊙", "∘") or (sign == "*" and _repeats(left.axes, right.axes)):
        return entrywise(left, "*", right)
    if left.axes == right.axes:
        if len(left.axes) == 1 and "(" not in right.text:  # what a call makes stands as it is: 1 1ᵀ
            return replace(left, text=f"dot({left.text}, {right.text})")
        if left.is_column:  # a vector that stands as a column: q·k, and γ x̂ entry by entry
            if sign in ("\\cdot", "·", "⋅"):
                return entrywise(turned(left), "@", right)
            return entrywise(left, "*", right)
    return product_of(left, right)


def _repeats(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether the smaller is repeated along the larger, as in NumPy."""
    return all(a == b or 1 in (a, b) for a, b in zip(one[::-1], other[::-1], strict=False))


def product_of(left: FormulaPiece, right: FormulaPiece) -> FormulaPiece:
    """The product of matrices or vectors, of numbers their multiple."""
    return entrywise(left, "*" if left.is_number or right.is_number else "@", right)


def entrywise(left: FormulaPiece, sign: str, right: FormulaPiece) -> FormulaPiece:
    """Both with a sign between, in parentheses where they need them."""
    return replace(left, text=beside(left.text, sign, right.text))


def turned(piece: FormulaPiece) -> FormulaPiece:
    """The transpose; of a number the number."""
    return piece if piece.is_number else replace(piece, text=transposed(piece.text))


def power(piece: FormulaPiece, exponent: str) -> FormulaPiece:
    """A power of a number, or of each entry.

    Raises :class:`~symattn.errors.FormulaError` where a product of matrices may be meant.
    """
    if len(piece.axes) == 2 and piece.axes[0] == piece.axes[1] != 1:
        raise FormulaError(
            f"{tight(piece.text)}^{exponent} of a square matrix can be one of each entry or a product of matrices"
        )
    return replace(piece, text=beside(piece.text, "**", exponent if exponent.isdigit() else f"({exponent})"))


def entry_of(piece: FormulaPiece, places: tuple[int, ...]) -> FormulaPiece | None:
    """An entry or a row, by places counted from 0; ``None`` where there is no such."""
    if not 1 <= len(places) <= len(piece.axes):
        return None
    if any(not -size <= place < size for place, size in zip(places, piece.axes, strict=False)):
        return None
    return replace(piece, text=f"{tight(piece.text)}[{', '.join(map(str, places))}]")
