"""Pieces of formulas with what is known of their axes: what stands side by side is a product of matrices or a multiple.

>>> times(FormulaPiece("X", (3, 4)), FormulaPiece("W", (4, 2)), "")
FormulaPiece(text='X @ W', axes=(3, 2))
>>> times(FormulaPiece("2", ()), FormulaPiece("X + Y", (3, 4)), "×").text
'2 * (X + Y)'
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from symattn.errors import FormulaError
from symattn.parentheses import beside, tight, transposed

AxisSizes = tuple[int, ...] | None
"""The sizes of what a formula gives: of a number none, of a vector one, of a matrix two; ``None`` where not known."""


@dataclass(frozen=True)
class FormulaPiece:
    """A text of the formula language and the sizes of what it gives."""

    text: str
    axes: AxisSizes

    @property
    def is_number(self) -> bool:
        """Whether it is a number for certain."""
        return self.axes == ()

    @property
    def is_column(self) -> bool:
        """Whether it is a matrix of one column."""
        return self.axes is not None and len(self.axes) == 2 and self.axes[1] == 1 != self.axes[0]


def times(left: FormulaPiece, right: FormulaPiece, sign: str) -> FormulaPiece:
    """What stands beside each other, with a sign of multiplication between: a multiple or a product."""
    if left.is_number or right.is_number or sign in ("⊙", "∘"):
        return entrywise(left, "*", right)
    if sign == "*" and (left.axes is None or right.axes is None or _repeats(left.axes, right.axes)):
        return entrywise(left, "*", right)
    if left.axes is not None and left.axes == right.axes:
        if len(left.axes) == 1:
            return FormulaPiece(f"dot({left.text}, {right.text})", ())
        if left.is_column:  # a vector that stands as a column: q·k, and γ x̂ entry by entry
            if sign in ("\\cdot", "·", "⋅"):
                return FormulaPiece(beside(transposed(left.text), "@", right.text), (1, 1))
            return entrywise(left, "*", right)
    return product_of(left, right)


def _repeats(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether the smaller is repeated along the larger, as in NumPy."""
    return all(a == b or 1 in (a, b) for a, b in zip(one[::-1], other[::-1], strict=False))


def product_of(left: FormulaPiece, right: FormulaPiece) -> FormulaPiece:
    """The product of matrices or vectors, of numbers their multiple."""
    if left.is_number or right.is_number:
        return entrywise(left, "*", right)
    axes: AxisSizes = None
    if left.axes is not None and right.axes is not None:
        axes = (*left.axes[:-1], *right.axes[1:])
    return FormulaPiece(beside(left.text, "@", right.text), axes)


def entrywise(left: FormulaPiece, sign: str, right: FormulaPiece) -> FormulaPiece:
    """Entry by entry, with what is smaller repeated."""
    if left.is_number:
        axes = right.axes
    elif right.is_number or right.axes is None:
        axes = left.axes
    elif left.axes is None:
        axes = right.axes
    else:
        axes = max(left.axes, right.axes, key=lambda each: (len(each), each))
    return FormulaPiece(beside(left.text, sign, right.text), axes)


def turned(piece: FormulaPiece) -> FormulaPiece:
    """The transpose; of a number the number."""
    if piece.is_number:
        return piece
    if piece.axes is not None and len(piece.axes) == 1:  # a vector lies as it is needed
        return replace(piece, text=transposed(piece.text))
    return FormulaPiece(transposed(piece.text), None if piece.axes is None else piece.axes[::-1])


def power(piece: FormulaPiece, exponent: str) -> FormulaPiece:
    """A power of a number, or of each entry.

    Raises :class:`~symattn.errors.FormulaError` where a product of matrices may be meant.
    """
    if piece.axes is not None and len(piece.axes) == 2 and piece.axes[0] == piece.axes[1] != 1:
        raise FormulaError(
            f"{tight(piece.text)}^{exponent} of a square matrix can be one of each entry or a product of matrices"
        )
    if piece.axes is None:
        raise FormulaError(f"{tight(piece.text)}^{exponent}: it is not known whether this is a matrix")
    return FormulaPiece(beside(piece.text, "**", exponent if exponent.isdigit() else f"({exponent})"), piece.axes)


def entry_of(piece: FormulaPiece, places: tuple[int, ...]) -> FormulaPiece | None:
    """An entry or a row, by places counted from 0; ``None`` where there is no such."""
    axes = piece.axes
    if axes is None or not 1 <= len(places) <= len(axes):
        return None
    if any(not -size <= place < size for place, size in zip(places, axes, strict=False)):
        return None
    inside = ", ".join(str(place) for place in places)
    return FormulaPiece(f"{tight(piece.text)}[{inside}]", axes[len(places) :])
