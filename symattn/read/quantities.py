"""Quantities: numbers made of sizes, such as the number of multiplications in a product, and how they grow.

A quantity is read twice: evaluated by SymPy for its value, and unevaluated, so that it can be shown as written.

>>> from symattn.base.shapes import Axis, Shape
>>> n, d = Axis(3, "n"), Axis(2, "d")
>>> plan = Plan(sizes={"n": 3, "d": 2}).given("X", Shape(n, d))
>>> cost = read_quantity("N", "multiplications(X @ X.T)", plan, {})
>>> cost.value, quantity_values({"N": cost}, {"n": 3, "d": 2})[cost.symbol]
(d*n**2, 18)
>>> growth(cost.value, "n")
2
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from math import prod
from types import MappingProxyType

from sympy import Add, Expr, Integer, MatrixSymbol, Mul, Pow, Rational, S, Symbol, preorder_traversal

from symattn.base import limits
from symattn.base.errors import FormulaError, NoValueError
from symattn.base.shapes import Axis
from symattn.operations import CausalMask, WindowMask
from symattn.operations.symbols import entry_symbol
from symattn.operations.terms import Kept, kept_by, size_symbol
from symattn.read.formula import Scope, is_name, no_name, read_scalar
from symattn.read.formula.parse import parse
from symattn.read.formula.tree import canonical, of_entries
from symattn.read.plan import Plan

LARGEST_SIZE = 10**9
"""The largest size that a quantity may be evaluated for."""

PARTS = 100
"""The most numbers, letters and signs that a quantity may contain once earlier ones are substituted."""

TERMS = 5_000
"""The most terms that a number may have when it is expanded to see how it grows."""

_COUNTING = re.compile(r"\b(multiplications|kept)\s*\(")
_ORDER = re.compile(
    r"O\((?:(1)|(?:([A-Za-z](?:_\w+)?)(?:\^(\d{1,2}))?)?(?:[ *]*log ?\(?([A-Za-z](?:_\w+)?)\)?)?)\)\Z", re.ASCII
)


@dataclass(frozen=True)
class Quantity:
    """``name = formula`` over sizes and earlier quantities; ``written`` is the unevaluated formula."""

    name: str
    value: Expr
    written: Expr
    counts: bool = False
    """Whether it counts multiplications or entries, so that its written formula is not one of sizes."""

    @property
    def symbol(self) -> Symbol:
        """The symbol for it in later formulas."""
        return entry_symbol(self.name)


def read_quantity(name: str, text: str, derivation: Plan, earlier: Mapping[str, Quantity]) -> Quantity:
    """Read the quantity ``name = text``; it may use the sizes, the matrices and the quantities before it.

    Raises :class:`~symattn.base.errors.FormulaError` for a name that is taken or a formula that is not a number.
    """
    if not is_name(name):
        raise FormulaError(no_name(name, "a quantity"))
    if name in derivation.operations:
        raise FormulaError(f"{name} is already the name of an operation: give the quantity another name")
    value, written = read_number_of(text, derivation, earlier)
    return Quantity(name, value, written, bool(_COUNTING.search(text)))


def read_number_of(text: str, derivation: Plan, earlier: Mapping[str, Quantity]) -> tuple[Expr, Expr]:
    """Read a number over sizes, matrices and quantities; return it evaluated and as written."""
    scope = replace(derivation.scope, quantities=frozenset(earlier), symbols=frozenset())
    value = _worked_out(_known_masks(read_scalar(text, scope), derivation))
    # The formula has been checked as a whole; this only keeps its order.
    return value, _as_written(parse(text, scope), scope, derivation)


def _worked_out(value: Expr) -> Expr:
    """Evaluate the products in ``value``, which are read unevaluated; leave masks alone."""
    if isinstance(value, Kept) or not value.args:
        return value
    return value.func(*map(_worked_out, value.args))


def _as_written(node: ast.expr, scope: Scope, derivation: Plan) -> Expr:
    def read(inner: ast.expr) -> Expr:
        return _as_written(inner, scope, derivation)

    match node:
        case ast.BinOp(left, operator, right):
            return _WRITTEN[type(of_entries(operator))](read(left), read(right))
        case ast.UnaryOp(ast.USub(), operand) if not isinstance(operand, ast.Constant):
            return Mul(Integer(-1), read(operand), evaluate=False)
        case ast.Call(func=ast.Name("sqrt")):
            radicand = node.args[0] if node.args else node.keywords[0].value
            return Pow(read(radicand), S.Half, evaluate=False)
    return _known_masks(read_scalar(canonical(node), scope), derivation)


_WRITTEN: Mapping[type[ast.operator], Callable[[Expr, Expr], Expr]] = MappingProxyType(
    {
        ast.Add: lambda x, y: Add(x, y, evaluate=False),
        ast.Sub: lambda x, y: Add(x, Mul(Integer(-1), y, evaluate=False), evaluate=False),
        ast.Mult: lambda x, y: Mul(x, y, evaluate=False),
        ast.Div: lambda x, y: Mul(x, Pow(y, Integer(-1), evaluate=False), evaluate=False),
        ast.Pow: lambda x, y: Pow(x, y, evaluate=False),
    }
)


def _known_masks(value: Expr, derivation: Plan) -> Expr:
    """Replace the names of masks in ``value`` by the masks' formulas, by which they are counted."""
    found: dict[Expr, Expr] = {}
    for kept in value.atoms(Kept):
        if not isinstance(kept.mask, MatrixSymbol):
            continue
        step = derivation[str(kept.mask.name)]
        if isinstance(step.formula, CausalMask):
            found[kept] = kept_by(kept.mask, CausalMask, step.shape.rows)
        elif isinstance(step.formula, WindowMask):
            width = step.formula.width
            axis = Axis(int(width)) if width.is_Integer else Axis(str(width), str(width))
            found[kept] = kept_by(kept.mask, WindowMask, step.shape.rows, axis)
    return value.xreplace(found) if found else value


# -- values ------------------------------------------------------------------------------------------------------


def quantity_values(
    quantities: Mapping[str, Quantity],
    sizes: Mapping[str, int | str],
    counted: Mapping[Kept, int] | None = None,
    place: Callable[[str], str] = str,
) -> dict[Expr, Expr]:
    """Return the exact value of every size that is a number, and of every quantity whose letters all have one.

    ``counted`` is the number of entries that masks without a formula keep, ``place`` names a quantity in an error.
    Raises :class:`~symattn.base.errors.FormulaError` if a value is not real, or too long.
    """
    known: dict[Expr, Expr] = {size_symbol(name): Integer(n) for name, n in sizes.items() if isinstance(n, int)}
    known.update({kept: Integer(number) for kept, number in (counted or {}).items()})
    for quantity in quantities.values():
        if not unknown_in(quantity.value, known):
            try:
                known[quantity.symbol] = put_in(quantity.value, known)
            except FormulaError as error:
                raise FormulaError(f"{place(quantity.name)}: {error}") from None
    return known


def unknown_in(value: Expr, known: Mapping[Expr, Expr]) -> list[Expr]:
    """Return the letters, quantities and counts in a number that have no value."""
    # The letters of a mask's formula are among the symbols themselves.
    atoms = (atom for atom in value.atoms(Symbol, Kept) if getattr(atom, "letters", None) is None)
    return sorted((atom for atom in atoms if atom not in known), key=str)


def put_in(value: Expr, known: Mapping[Expr, Expr]) -> Expr:
    """Return ``value`` as an exact number with the known values substituted; it must be real and not too long.

    Raises :class:`~symattn.base.errors.NoValueError` for a letter without a known value, and
    :class:`~symattn.base.errors.FormulaError` for a number that is not real or too long.

    >>> n = size_symbol("n")
    >>> put_in(1 / (n - 3), {n: Integer(3)})
    Traceback (most recent call last):
        ...
    symattn.base.errors.FormulaError: division by zero
    """
    if value in known:
        return known[value]
    if isinstance(value, Kept):
        return _kept(value, known)
    if not value.args:
        if isinstance(value, Symbol):
            raise NoValueError(f"{value} is a letter without a number")
        if not value.is_finite:
            raise FormulaError("is not a real number")
        return value
    arguments = [put_in(argument, known) for argument in value.args]
    if isinstance(value, Pow):
        _must_be_possible(*arguments)
    number = value.func(*arguments)
    if not isinstance(number, Rational) and _is_long(number):
        raise FormulaError(f"holds more than PARTS = {PARTS} numbers and signs")
    if any(_digits(part) > limits.POWER_DIGITS for part in number.atoms(Rational)):
        raise FormulaError(f"has more than POWER_DIGITS = {limits.POWER_DIGITS} digits")
    if not (number.is_real and number.is_finite):
        raise FormulaError("is not a real number")
    return number


def _is_long(value: Expr) -> bool:
    return sum(1 for _ in islice(preorder_traversal(value), PARTS + 1)) > PARTS


def _kept(kept: Kept, known: Mapping[Expr, Expr]) -> Expr:
    if kept.letters is None:
        raise NoValueError(f"the entries of {kept.mask} have not been counted")
    if put_in(kept.room, known) < 0:
        raise FormulaError("the window of the mask is wider than the positions there are")
    return put_in(kept.letters, known)


def _must_be_possible(base: Expr, exponent: Expr) -> None:
    """Check that a power is a real number, and that neither it nor the factors under its root are endless."""
    if base.is_zero and exponent.is_negative:
        raise FormulaError("division by zero")
    if not exponent.is_Integer and base.is_negative:
        raise FormulaError("the number under a root is negative")
    if exponent.is_Integer and base.is_Rational and _digits(base) * abs(int(exponent)) > 2 * limits.POWER_DIGITS:
        raise FormulaError(f"has more than POWER_DIGITS = {limits.POWER_DIGITS} digits")
    if not exponent.is_Integer and base.is_Rational and _digits(base) > limits.RADICAND_DIGITS:
        raise FormulaError(f"the number under a root has more than RADICAND_DIGITS = {limits.RADICAND_DIGITS} digits")


def _digits(number: Expr) -> int:
    """Estimate the number of digits of a fraction."""
    return int(max(abs(int(number.p)), int(number.q)).bit_length()) * 3 // 10 + 1


# -- letters and growth ------------------------------------------------------------------------------------------


def needed(value: Expr, quantities: Mapping[str, Quantity]) -> dict[str, Quantity]:
    """Return the quantities that a number depends on, in their order."""
    wanted = set(value.free_symbols)
    found: dict[str, Quantity] = {}
    for name, quantity in reversed(list(quantities.items())):
        if quantity.symbol in wanted:
            found[name] = quantity
            wanted |= quantity.value.free_symbols
    return dict(reversed(found.items()))


def in_letters(value: Expr, quantities: Mapping[str, Quantity]) -> Expr:
    """Return a number over sizes alone, with quantities replaced by their definitions and masks by their formulas.

    Raises :class:`~symattn.base.errors.FormulaError` if it needs more than :data:`PARTS` pieces on the way.
    """
    replaced: dict[Expr, Expr] = {}
    for quantity in needed(value, quantities).values():
        replaced[quantity.symbol] = _masks_in_letters(quantity.value).xreplace(replaced)
        if _is_long(replaced[quantity.symbol]):
            raise FormulaError(f"{quantity.name} holds more than PARTS = {PARTS} letters, numbers and signs")
    return _masks_in_letters(value).xreplace(replaced)


def _masks_in_letters(value: Expr) -> Expr:
    return value.xreplace({kept: kept.letters for kept in value.atoms(Kept) if kept.letters is not None})


def growth(value: Expr, letter: str) -> Expr:
    """Return the power of ``letter`` that a number over sizes grows with: 2 for n (n + 1) / 2 and n.

    >>> n, d = size_symbol("n"), size_symbol("d")
    >>> growth(n * (n + d) - n**2, "n"), growth(n * d, "m")
    (1, 0)

    Raises :class:`~symattn.base.errors.FormulaError` if it is no sum of powers or has more than :data:`TERMS` terms.
    """
    symbol = size_symbol(letter)
    if _terms(value) > TERMS:
        raise FormulaError(f"has more than TERMS = {TERMS} terms when it is multiplied out")
    exponents: list[Expr] = []
    for term in Add.make_args(value.expand()):
        coefficient, exponent = term.as_coeff_exponent(symbol)
        if coefficient.has(symbol):
            raise FormulaError(f"is not a sum of powers of {letter}, so how it grows is not worked out")
        exponents.append(exponent)
    return max(exponents)


def _terms(value: Expr) -> int:
    """Return an upper bound on the number of terms when expanded, capped at one more than :data:`TERMS`."""
    if isinstance(value, Add):
        return min(sum(map(_terms, value.args)), TERMS + 1)
    if isinstance(value, Mul):
        return min(prod(map(_terms, value.args)), TERMS + 1)
    if isinstance(value, Pow) and value.exp.is_Integer:
        inner = _terms(value.base)
        return 1 if inner == 1 else int(min(inner ** min(abs(int(value.exp)), 20), TERMS + 1))
    return 1


@dataclass(frozen=True)
class Order:
    """O(n^power), or O(n^power log n)."""

    power: int
    logarithm: bool = False

    def is_growth(self, power: Expr) -> bool:
        """Return whether a number that grows with this power has this order."""
        return not self.logarithm and bool(power == self.power)


def read_order(text: str) -> Order | None:
    """Read the order that a source prints: ``O(1)``, ``O(n)``, ``O(n^2)``, ``O(n log n)``; return ``None`` for others.

    >>> read_order("O(1)"), read_order("O(n²)"), read_order("O(n log n)"), read_order("O(n d)")
    (Order(power=0, logarithm=False), Order(power=2, logarithm=False), Order(power=1, logarithm=True), None)
    """
    plain = " ".join(text.split()).replace("²", "^2").replace("³", "^3").replace("( ", "(").replace(" )", ")")
    match = _ORDER.match(plain)
    if match is None or plain == "O()":
        return None
    one, letter, power, inside = match.groups()
    if one:
        return Order(0)
    if letter and inside and letter != inside:
        return None
    return Order(int(power or 1) if letter else 0, inside is not None)
