"""The parts of a formula in Python: its text with the derivation that owns its names, and numbers and lists as text.

>>> from fractions import Fraction
>>> formula_of([Fraction(1, 3), 2], "X + …").text
'[1/3, 2]'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from operator import index
from typing import Any, NoReturn, SupportsIndex, cast

from sympy import Rational, log

from symattn.api.authoring.draft import Manuscript, Own
from symattn.base import limits
from symattn.base.errors import FormulaError, cut, shown
from symattn.base.parentheses import tight
from symattn.read.formula import read_number
from symattn.read.formula.functions import TABLE
from symattn.read.given import Given


@dataclass(frozen=True, eq=False, repr=False)
class Formula:
    """A text in the formula language, and the derivation that owns its names."""

    text: str
    owner: Manuscript | None
    own: Mapping[str, Own] = field(default_factory=dict, kw_only=True)
    """User-defined operations that it calls."""

    __hash__ = object.__hash__

    # Keeps NumPy from handling ``array @ X`` itself, so that X does.
    __array_ufunc__ = None

    def _no_comparison(self, other: object) -> NoReturn:
        raise FormulaError(
            f"{cut(self.text)}: formulas are not compared with == or <: d.prove(left, right) proves two equal, and "
            "numbers are compared in d.solve()"
        )

    __lt__ = __le__ = __gt__ = __ge__ = _no_comparison
    __eq__ = __ne__ = _no_comparison

    def __bool__(self) -> bool:
        raise FormulaError(f"{cut(self.text)}: a formula is neither true nor false: it has values in d.solve()")

    def __iter__(self) -> NoReturn:
        raise FormulaError(f"{cut(self.text)}: a formula is not gone through row by row: X[0] is the first row")

    def __xor__(self, other: object) -> NoReturn:
        raise FormulaError(
            f"{cut(self.text)} ^ …: in Python a power is written {tight(self.text)} ** 2, and the transpose "
            f"{tight(self.text)}.T"
        )

    __rxor__ = __xor__

    def __call__(self, *values: object, **options: object) -> NoReturn:
        raise FormulaError(f"{cut(self.text)}(…): a formula is not called; the transpose is X.T, without parentheses")


def common_owner(parts: tuple[Formula, ...]) -> Manuscript | None:
    """Return the derivation that owns the names in ``parts``. Raises :class:`~symattn.base.errors.FormulaError` for two
    derivations.
    """
    first: Formula | None = None
    for part in parts:
        if part.owner is None:
            continue
        if first is not None and part.owner is not first.owner:
            raise FormulaError(
                f"{cut(first.text)} and {cut(part.text)} belong to two derivations, {_title(first)} and "
                f'{_title(part)}: a formula has the names of one; d["X"] is the X of the derivation d'
            )
        first = part if first is None else first
    return None if first is None else first.owner


def _title(part: Formula) -> str:
    return shown(part.owner.title if part.owner is not None else "")


def formula_of(value: object, where: str) -> Formula:
    """Return ``value`` as a part of a formula: an expression or an exact number. Errors begin with ``where``.

    Raises :class:`~symattn.base.errors.FormulaError` for anything else: floats, texts, matrices without a name.
    """
    if isinstance(value, Formula):
        return value
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        raise FormulaError(f"{where}: {value} is neither a matrix nor a number")
    if isinstance(value, Fraction):
        parts = [_integer(part, where).text for part in (value.numerator, value.denominator)]
        return Formula("/".join(parts if value.denominator != 1 else parts[:1]), None)
    if isinstance(value, Decimal):
        return _decimal(value, where)
    if isinstance(value, float) or type(value).__name__.startswith("float"):
        raise FormulaError(f"{where}: {_about_float(value)}")
    if isinstance(value, str):
        raise FormulaError(
            f"{where}: {shown(value)} is a text and cannot stand beside an expression: a number is written 2, sqrt(2) "
            'or Fraction("0.1"), a matrix gets its name by d.given(…), and d["X"] is the matrix named X'
        )
    if hasattr(value, "is_Matrix") and hasattr(value, "free_symbols"):
        return _of_sympy(value, where)
    if isinstance(value, list | tuple | Given) or hasattr(value, "tolist"):
        return _whole_or_listed(value, where)
    try:
        return _integer(index(cast(SupportsIndex, value)), where)
    except TypeError:
        kind = type(value).__name__
        if (called := getattr(value, "__name__", "")) in TABLE:
            raise FormulaError(f"{where}: {called} is a function: write {called}(…)") from None
        raise FormulaError(f"{where}: a {kind} cannot stand in a formula; {_EXPECTED}") from None


_EXPECTED = "expected an expression, a whole number, a Fraction or a Decimal"


def _integer(value: int, where: str) -> Formula:
    if value.bit_length() > limits.FORMULA_LENGTH * 3:
        raise FormulaError(f"{where}: a whole number longer than FORMULA_LENGTH = {limits.FORMULA_LENGTH} characters")
    return Formula(str(value), None)


def _decimal(value: Decimal, where: str) -> Formula:
    if not value.is_finite():
        raise FormulaError(f"{where}: {value} is not a number; minus infinity is the default of a mask: causal_mask(n)")
    if abs(value.adjusted()) > limits.FORMULA_LENGTH:
        raise FormulaError(f"{where}: a decimal longer than FORMULA_LENGTH = {limits.FORMULA_LENGTH} characters")
    return Formula(format(value, "f"), None)


def _of_sympy(value: Any, where: str) -> Formula:
    """Write an exact SymPy number in the formula language."""
    if value.is_Matrix:
        raise FormulaError(f'{where}: a SymPy matrix has no name: M = d.given("M", …) gives it one')
    for number in value.atoms(Rational):
        _integer(max(abs(int(number.p)), int(number.q)), where)
    text = str(value)
    if value.free_symbols:  # the symbols of a derivation, which the formula is read with; every other is unknown there
        return Formula(text, None)
    try:
        same = read_number(text) == value
    except FormulaError:
        same = False
    if not same or value.has(log):
        raise FormulaError(f"{where}: {cut(text)} is not a number made of fractions, roots and powers")
    return Formula(text, None)


def _whole_or_listed(value: Any, where: str) -> Formula:
    """Write a NumPy integer, or numbers in a list or an array, if they are few."""
    try:
        return _integer(index(value), where)
    except TypeError:
        pass
    is_few = not isinstance(value, Given) and getattr(value, "size", 0) <= _LISTED
    if is_few and getattr(getattr(value, "dtype", None), "kind", "") != "f":
        parts = [formula_of(part, where) for part in (value if isinstance(value, list | tuple) else value.tolist())]
        if parts and len(text := f"[{', '.join(part.text for part in parts)}]") <= limits.FORMULA_LENGTH:
            return Formula(text, common_owner(tuple(parts)))
    raise FormulaError(
        f"{where}: a matrix without a name ({type(value).__name__}), and only a short list of numbers is written in a "
        'formula: M = d.given("M", …) gives it one'
    )


_LISTED = 500
"""How many numbers of an array are examined."""


def _about_float(value: object) -> str:
    if not isfinite(cast(float, value)):
        return f"{value} is not a number; minus infinity is the default of a mask: causal_mask(n)"
    if isinstance(value, float) and value.is_integer():
        return f"{float(value)!r} is a binary float: write {int(value)}"
    text = repr(float(value)) if isinstance(value, float) else str(value)
    return (
        f"{text} is a binary float and no longer the number that was meant: write sqrt(2) (of symattn) for a root, "
        f'Fraction("{text}") or Decimal("{text}") for a decimal'
    )


def name_of(value: object) -> str:
    return cut(value.text) if isinstance(value, Formula) else "…"


def place_of(place: object, where: str) -> tuple[str, tuple[Formula, ...]]:
    """Return the text of an index in brackets, and the sizes in it. Raises what :func:`formula_of` raises."""
    if place is None or place is Ellipsis:
        return "None" if place is None else "...", ()
    if isinstance(place, slice):
        ends = [None if end is None else formula_of(end, where) for end in (place.start, place.stop, place.step)]
        text = ":".join("" if end is None else end.text for end in ends)
        return text if place.step is not None else text.removesuffix(":"), tuple(end for end in ends if end is not None)
    part = formula_of(place, where)
    return part.text, (part,)
