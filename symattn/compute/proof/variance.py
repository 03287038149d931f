"""Mean and variance of an entry that is a number times a sum of products of independent entries.

All entries of all matrices are taken to be independent random numbers with mean 0 and variance 1. The derivation for
all sizes applies the rules of expectations one after the other; for small sizes the square is expanded and every
monomial replaced by the product of its moments. Both must agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from sympy import Add, Expr, Function, Integer, MatrixExpr, MatrixSymbol, Poly, S, Sum, Symbol
from sympy.matrices.expressions.matexpr import MatrixElement

from symattn.base.errors import shown
from symattn.base.shapes import Shape, Size
from symattn.compute.proof.definitions import general_entry
from symattn.compute.proof.equality import ProofStep, index_of, used_letters
from symattn.compute.proof.rules import RULES, into_sum, pull_out
from symattn.compute.proof.tree import (
    Indices,
    ProofError,
    everywhere,
    factors,
    free,
    mul,
    nested_sums,
    power_of,
    replaced,
    totals,
)
from symattn.operations.symbols import entry_symbols
from symattn.operations.terms import size_symbol
from symattn.read.plan import Plan, names_in
from symattn.read.sized import in_letters, with_sizes

EXPECTATION = "E"
"""The name of the function that an expected value is."""

LARGEST = 4
"""The square is expanded for sizes from 1 to this."""


@dataclass(frozen=True)
class VarianceProof:
    """The mean and the variance of every entry of a formula, line by line."""

    formula: MatrixExpr
    shape: Shape
    row: Expr
    column: Expr
    mean: tuple[ProofStep, ...]
    """E[s] = … = 0."""
    square: tuple[ProofStep, ...]
    """E[s²] = … = the variance."""
    value: Expr
    checked: tuple[Mapping[str, Size], ...]
    names: Mapping[str, Shape] = field(repr=False)


def variance(text: str, plan: Plan) -> VarianceProof:
    """Return the variance of an entry of ``text`` over independent entries with mean 0 and variance 1.

    >>> from symattn.base.shapes import Axis, Shape
    >>> row = Shape(Axis(1), Axis("d", "d"))
    >>> plan = Plan(sizes={"d": "d"}).given("q", row).given("k", row)
    >>> variance("dot(q, k)", plan).value, variance("dot(q, k) / sqrt(d)", plan).value
    (d, 1)
    >>> variance("dot(q, q)", plan)
    Traceback (most recent call last):
        ...
    symattn.compute.proof.tree.ProofError: the variance of 'dot(q, q)': q comes twice in a product, and a number is \
not \
independent of itself

    Raises :class:`~symattn.compute.proof.tree.ProofError` for every other form.
    """
    general = in_letters((text,), plan)
    formula = general.formulas[0]
    try:
        if letters := entry_symbols(formula):
            raise ProofError(f"{letters[0]} is a symbol without a number: expected givens, general names and sizes")
        _must_be_given(formula, plan)
        row, column = (index_of(name, size) for name, size in zip("ij", general.shapes[0].sizes, strict=True))
        number, sums = _form(general_entry(formula, row, column, Indices()))
        mean, square = _mean(number, sums), _square(number, sums)
        checked = _compared(text, plan, used_letters(general, plan), square[-1].expr)
    except ProofError as error:
        raise ProofError(f"the variance of {shown(text)}: {error}") from None
    return VarianceProof(
        formula, general.shapes[0], row, column, mean, square, square[-1].expr.doit(), checked, general.names
    )


def _must_be_given(formula: MatrixExpr, plan: Plan) -> None:
    for name in names_in(formula):
        if not plan[name].is_given:
            raise ProofError(f"{name} is a step, whose entries depend on each other: expected given or general names")


def _form(entry: Expr) -> tuple[Expr, Expr]:
    """Split an entry into a number and the sum of products that it multiplies."""
    for rule in (pull_out, into_sum):
        entry = everywhere(rule, entry)
    outside = [factor for factor in factors(entry) if _is_plain(factor)]
    rest = [factor for factor in factors(entry) if not _is_plain(factor)]
    sums = rest[0] if len(rest) == 1 else mul(*rest)
    bounds, body = nested_sums(sums)
    inside = factors(body)
    if not rest or not all(_is_entry(factor) for factor in inside):
        raise ProofError(
            "expected a number times a product of different matrices, such as dot(q, k) / sqrt(d) or Q @ K.T / sqrt(d)"
        )
    names = [str(factor.parent.name) for factor in inside]
    for name in names:
        if names.count(name) > 1:
            raise ProofError(f"{name} comes twice in a product, and a number is not independent of itself")
    missing = [index for index, _ in bounds if not any(index in free(factor) for factor in inside)]
    if missing:
        raise ProofError("a sum runs over an index that its terms do not have")
    return mul(*outside), sums


def _is_entry(factor: Expr) -> bool:
    return isinstance(factor, MatrixElement) and isinstance(factor.parent, MatrixSymbol)


def _is_plain(factor: Expr) -> bool:
    """Return whether a factor is a number, or a power of a size."""
    return not factor.has(MatrixElement) and not isinstance(factor, Sum)


def expected(node: Expr) -> Expr:
    """E[node]."""
    return Function(EXPECTATION)(node)


def _mean(number: Expr, sums: Expr) -> tuple[ProofStep, ...]:
    """E[Σ_k x_k y_k] = Σ_k E[x_k y_k] = Σ_k E[x_k] E[y_k] for entries of different matrices, and each E[x_k] is 0."""
    bounds, body = nested_sums(sums)
    lines = [
        (_first(number), mul(number, expected(sums))),
        ("linearity", mul(number, totals(bounds, expected(body)))),
        ("independence", mul(number, totals(bounds, mul(*map(expected, factors(body)))))),
        ("mean_zero", S.Zero),
    ]
    return _steps(lines)


def _square(number: Expr, sums: Expr) -> tuple[ProofStep, ...]:
    """E[(Σ_k x_k)²] = Σ_k Σ_l E[x_k x_l] = Σ_k E[x_k²]: for k ≠ l some E[x_k x_l] = E[x_k] E[x_l] = 0; E[x_k²] = 1."""
    bounds, body = nested_sums(sums)
    squared = power_of(number, Integer(2))
    lines = [(_first(number), mul(squared, expected(power_of(sums, Integer(2)))))]
    if bounds:
        fresh = {index: Symbol(f"{index.name}_2", integer=True) for index, _ in bounds}
        twice = bounds + tuple((fresh[index], length) for index, length in bounds)
        both = mul(body, replaced(body, fresh))
        pairs = mul(*(expected(mul(entry, replaced(entry, fresh))) for entry in factors(body)))
        lines += [
            ("square", mul(squared, expected(totals(twice, both)))),
            ("linearity", mul(squared, totals(twice, expected(both)))),
            ("independence", mul(squared, totals(twice, pairs))),
        ]
    squares = mul(*(expected(power_of(entry, Integer(2))) for entry in factors(body)))
    lines.append(("diagonal" if bounds else "independence", mul(squared, totals(bounds, squares))))
    lines.append(("variance_one", mul(squared, totals(bounds, S.One))))
    for name in ("constant_sum", "cancel", "arithmetic"):
        lines.append((name, everywhere(RULES[name], lines[-1][1])))
    return _steps(lines)


def _first(number: Expr) -> str:
    return "definition" if number == 1 else "scale"


def _steps(lines: list[tuple[str, Expr]]) -> tuple[ProofStep, ...]:
    """Return the lines that differ from the one before."""
    kept = [lines[0], *(line for before, line in pairwise(lines) if line[1] != before[1])]
    return tuple(ProofStep(expr, rule) for rule, expr in kept)


# -- for small sizes ---------------------------------------------------------------------------------------------


def _compared(text: str, plan: Plan, used: tuple[str, ...], value: Expr) -> tuple[Mapping[str, Size], ...]:
    done: list[Mapping[str, Size]] = []
    for size in range(1, LARGEST + 1) if used else (1,):
        sizes: dict[str, Size] = dict.fromkeys(used, size)
        small = with_sizes((text,), plan, {**plan.sizes, **sizes})
        numbers = {size_symbol(name): Integer(n) for name, n in small.sizes.items() if isinstance(n, int)}
        entry = small.formulas[0].xreplace(numbers)[0, 0].doit()
        if mean_of(entry**2) != (wanted := value.xreplace(numbers).doit()):
            raise ProofError(f"multiplied out with {sizes} it is not {wanted}")
        done.append(sizes)
    return tuple(done)


def mean_of(square: Expr) -> Expr:
    """Return the expected value of a polynomial in entries: E[x] = 0 and E[x²] = 1, monomial by monomial.

    Raises :class:`~symattn.base.errors.ProofError` where an entry stands in it with a power above 2.
    """
    monomials = Poly(square, *square.atoms(MatrixElement)).terms()
    order = max(max(exponents) for exponents, _ in monomials)
    if order > 2:
        raise ProofError(f"a moment of order {order} of an entry comes up: mean and variance do not tell it")
    return Add(*(number for exponents, number in monomials if 1 not in exponents))
