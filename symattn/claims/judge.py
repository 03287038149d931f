"""Decide whether a printed figure is right: whether it lies within half a unit of its last decimal of an accepted
value. Marks, guesses, distractors, sources and checked documents all use this module.

Which values are accepted is another question: the certified value alone, all values by hand with rounding on the way or
from figures of one's own (:mod:`symattn.claims.by_hand`), or the results of a mistake (:mod:`symattn.claims.worked`).

>>> agrees(arb(2) / 3, fmpq(67, 100), scale_of(2)), agrees(arb(2) / 3, fmpq(67, 100), scale_of(3))
(True, False)
"""

from __future__ import annotations

from flint import arb, arb_mat, fmpq, fmpz

from symattn.base.errors import SymattnError, shown
from symattn.base.printed import Printed, is_infinite, read_figure, scale_of, shape_of
from symattn.compute.values.ends import Bounds

_HALF = fmpq(1, 2)


def figure_number(text: str) -> fmpq | arb:
    """Return the number that a printed figure writes: a rational, or an infinity.

    Raises :class:`~symattn.base.errors.SymattnError` for a text that is neither.

    >>> figure_number("-0.5"), figure_number("-oo") == arb.neg_inf()
    (-1/2, True)
    """
    read = read_figure(text)
    if read is not None:
        return read[0]
    if not is_infinite(text):
        raise SymattnError(f"{shown(text)} is no printed figure: expected a decimal, oo or -oo")
    return arb.neg_inf() if text.startswith("-") else arb.pos_inf()


def accepted(value: arb | fmpq | Bounds, scale: fmpz | fmpq) -> tuple[arb, arb] | tuple[fmpq, fmpq]:
    """Return the smallest and the largest right figure of a finite value, in units of the last decimal: min(x · scale)
    − 1/2 and max(x · scale) + 1/2. Both ways to round a tie are right.

    >>> accepted(fmpq(1, 8), scale_of(2)), accepted(Bounds(fmpq(1, 4), fmpq(1, 2)), scale_of(1))
    ((12, 13), (2, 11/2))
    """
    if isinstance(value, arb):
        return value.lower() * scale - _HALF, value.upper() * scale + _HALF
    low, high = value if isinstance(value, Bounds) else (value, value)
    return low * scale - _HALF, high * scale + _HALF


def agrees(value: arb | fmpq | Bounds, figure: arb | fmpq, scale: fmpz | fmpq) -> bool:
    """Return whether a figure is right for some number of a value; ``scale`` is 10^n for a figure with n decimals.

    Rationals are compared exactly. An infinity is right only for itself.

    >>> agrees(fmpq(1, 8), fmpq(13, 100), scale_of(2)), agrees(arb.neg_inf(), arb.neg_inf(), scale_of(2))
    (True, True)
    """
    if isinstance(value, Bounds) and value.hidden:
        return figure == arb.neg_inf()
    if not (_is_finite(value) and _is_finite(figure)):
        return bool(value == figure)
    low, high = accepted(value, scale)
    return not (figure * scale < low or figure * scale > high)


def all_agree(values: arb_mat, figures: Printed, decimals: int) -> bool:
    """Return whether a grid of figures has the shape of a matrix, and every figure is right to so many decimals.

    >>> all_agree(arb_mat([[arb(2) / 3, 1]]), (("0.67", "1"),), 2), all_agree(arb_mat([[1]]), (("1", "1"),), 2)
    (True, False)
    """
    if shape_of(figures) != (values.nrows(), values.ncols()):
        return False
    texts = (text for row in figures for text in row)
    scale = scale_of(decimals)
    return all(agrees(x, figure_number(text), scale) for x, text in zip(values.entries(), texts, strict=True))


def _is_finite(x: arb | fmpq | Bounds) -> bool:
    return not isinstance(x, arb) or x.is_finite()
