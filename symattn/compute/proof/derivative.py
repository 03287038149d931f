"""Differentiate an entry by an entry, by the rules of calculus, and rewrite the result in terms of named matrices.

>>> from sympy import Symbol
>>> from symattn.operations import MatrixSymbol, Softmax
>>> from symattn.compute.proof.definitions import general_entry
>>> from symattn.compute.proof.tree import Indices
>>> i, j, b = (Symbol(name, integer=True) for name in "ijb")
>>> S, A = MatrixSymbol("S", 2, 3), MatrixSymbol("A", 2, 3)
>>> a_ib = general_entry(Softmax(S), i, b, Indices())
>>> by_rules = simplified(derivative(a_ib, MatrixElement(S, i, j)))
>>> by_rules.args[0].args
(KroneckerDelta(b, j), 1/Sum(exp(S[i, index_1]), (index_1, 0, 2)), exp(S[i, b]))
>>> soft = NamedMatrix(A, lambda row, column: general_entry(Softmax(S), row, column, Indices()))
>>> factored(folded(by_rules, [soft])).args
(A[i, b], KroneckerDelta(b, j) - A[i, j])

Source: Magnus and Neudecker 2019, *Matrix Differential Calculus*, section 5.15; Goodfellow, Bengio and Courville 2016,
*Deep Learning*, equation (6.45), for the chain rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from types import MappingProxyType

from sympy import (
    Add,
    Expr,
    Integer,
    KroneckerDelta,
    MatrixSymbol,
    Mul,
    Pow,
    S,
    Sum,
    Symbol,
    acos,
    cos,
    erf,
    exp,
    log,
    pi,
    sin,
    tanh,
)
from sympy.matrices.expressions.matexpr import MatrixElement

from symattn.base.budget import spend
from symattn.compute.proof.canon import bases
from symattn.compute.proof.rules import RULES, ProofRule, divided_by, shared_factors
from symattn.compute.proof.tree import (
    ProofError,
    add,
    coefficient,
    everywhere,
    exponential,
    factors,
    free,
    mul,
    nested_sums,
    power_of,
    totals,
    walk,
)

LINES = 60
"""How often the rules may change a derivative."""

NODES = 500
"""The most pieces of a derivative: a longer one tells a reader nothing."""

OfName = Callable[[MatrixElement], Expr]
"""The derivative of an entry that is computed separately, such as a mean."""


class PartialDerivative(Expr):  # type: ignore[misc]
    """∂y/∂x of two entries, before it is evaluated."""

    is_commutative = True


def derivative(node: Expr, by: MatrixElement, of_name: OfName = lambda _: S.Zero) -> Expr:
    """Return ∂(node)/∂(by), rule by rule and not simplified; ``of_name`` differentiates entries of other matrices.

    Raises :class:`~symattn.compute.proof.tree.ProofError` for a function without a rule, such as a maximum.
    """

    def of(part: Expr) -> Expr:
        return derivative(part, by, of_name)

    match node:
        case MatrixElement() if node.parent == by.parent:
            return mul(KroneckerDelta(node.i, by.i), KroneckerDelta(node.j, by.j))
        case MatrixElement() if isinstance(node.parent, MatrixSymbol) or not node.parent.has(by.parent):
            return of_name(node)
        case MatrixElement():
            raise ProofError("there is no rule for the derivative of an entry of blocks that move")
        case Add():
            return add(*map(of, node.args))
        case Mul():
            return _of_product(node.args, of)
        case Sum():
            bounds, body = nested_sums(node)
            return totals(bounds, of(body))
    inner = {arg: of(arg) for arg in node.args if isinstance(arg, Expr)}
    if all(each == 0 for each in inner.values()):
        return S.Zero
    if isinstance(node, Pow) and inner[node.exp] == 0:
        return mul(node.exp, power_of(node.base, add(node.exp, S.NegativeOne).doit()), inner[node.base])
    if type(node) in SLOPES:
        return mul(SLOPES[type(node)](node), inner[node.args[0]])
    raise ProofError(f"there is no rule for the derivative of {type(node).__name__}")


def _of_product(parts: Sequence[Expr], of: Callable[[Expr], Expr]) -> Expr:
    """Apply the product rule; divisors come last, as in the quotient rule."""
    order = sorted(range(len(parts)), key=lambda k: isinstance(parts[k], Pow) and bool(parts[k].exp.is_negative))
    slopes = ((k, of(parts[k])) for k in order)
    return add(*(mul(*parts[:k], slope, *parts[k + 1 :]) for k, slope in slopes if slope != 0))


SLOPES: Mapping[type, Callable[[Expr], Expr]] = MappingProxyType(
    {
        exp: lambda node: node,
        log: lambda node: power_of(node.args[0], S.NegativeOne),
        tanh: lambda node: add(S.One, mul(S.NegativeOne, power_of(node, Integer(2)))),
        sin: lambda node: cos(node.args[0], evaluate=False),
        cos: lambda node: mul(S.NegativeOne, sin(node.args[0], evaluate=False)),
        acos: lambda node: mul(
            S.NegativeOne, power_of(add(S.One, mul(S.NegativeOne, power_of(node.args[0], Integer(2)))), -S.Half)
        ),
        erf: lambda node: mul(
            Integer(2), power_of(pi, -S.Half), exponential(mul(S.NegativeOne, power_of(node.args[0], Integer(2))))
        ),
    }
)
"""f′(x) of the elementary functions f(x)."""


# -- shorter ---------------------------------------------------------------------------------------------------------


def _parted(node: Expr) -> Expr | None:
    """Σ_k (f(k) + δ_kj g(k)) = Σ_k f(k) + g(j): a sum is taken term by term where one of them picks its index."""
    if not isinstance(node, Sum):
        return None
    bounds, body = nested_sums(node)
    indices = {index for index, _ in bounds}

    def picks(part: Expr) -> bool:
        return any(isinstance(each, KroneckerDelta) and free(each) & indices for each in walk(part))

    parts = factors(body)
    place = next((k for k, part in enumerate(parts) if isinstance(part, Add) and picks(part)), None)
    if place is None:
        return None
    return add(*(totals(bounds, mul(*parts[:place], term, *parts[place + 1 :])) for term in parts[place].args))


_SIMPLER: Mapping[str, ProofRule] = MappingProxyType(
    {
        **{name: RULES[name] for name in ("delta", "constant_sum", "cancel", "powers", "arithmetic", "like_terms")},
        "parted": _parted,
        "pull_out": RULES["pull_out"],
    }
)


def must_be_short(node: Expr) -> None:
    """Raise :class:`~symattn.compute.proof.tree.ProofError` for a tree of more than :data:`NODES` pieces."""
    pieces = sum(1 for _ in islice(walk(node), NODES + 1))
    spend(200 * pieces)
    if pieces > NODES:
        raise ProofError(f"a derivative has more than NODES = {NODES} pieces")


def simplified(node: Expr) -> Expr:
    """Simplify a derivative: remove sums that pick one of their terms.

    Raises :class:`~symattn.compute.proof.tree.ProofError` where the rules come to no end, and for one that is too long.
    """
    for _ in range(LINES):
        must_be_short(node)
        changes = (everywhere(rule, node) for rule in _SIMPLER.values())
        changed = next((each for each in changes if each != node), None)
        if changed is None:
            return everywhere(_delta_first, node)
        node = changed
    raise ProofError(f"no end after LINES = {LINES} lines")


def _delta_first(node: Expr) -> Expr | None:
    """Return x δ_ij as δ_ij x."""
    if not isinstance(node, Mul):
        return None
    ordered = mul(*sorted(node.args, key=lambda part: 0 if part.is_Rational else 1 if part.has(KroneckerDelta) else 2))
    return None if ordered.args == node.args else ordered


def factored(node: Expr) -> Expr:
    """Return ab + ac as a(b + c), at the top of a tree."""
    if not isinstance(node, Add):
        return node
    shared = shared_factors(node.args)
    if not shared:
        return node
    common = mul(*(power_of(base, exponent) for base, exponent in shared.values()))
    return mul(common, add(*(divided_by(term, shared, S.One) for term in node.args)))


# -- in terms of what has a name -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NamedMatrix:
    """A matrix, and the definition of its entries."""

    matrix: MatrixSymbol
    entry: Callable[[Expr, Expr], Expr]


def folded(node: Expr, definitions: Sequence[NamedMatrix]) -> Expr:
    """Replace definitions in a tree by entries of named matrices: a_ij for the exponential over its sum."""
    places = sorted({each for part in walk(node) for each in _places(part)}, key=str)
    known = [pattern for each in definitions for pattern in _patterns(each, places)]

    def rule(part: Expr) -> Expr | None:
        for entry, number, wanted in known:
            held = bases(part)
            exponents = [(exponent, held.get(text, (None, S.Zero))[1]) for text, (_, exponent) in wanted.items()]
            is_root = len(wanted) == 1 and not exponents[0][0].is_integer and exponents[0][1].is_integer
            if not is_root and all(_divides(exponent, other) for exponent, other in exponents):  # x is no √x √x
                return mul(entry, divided_by(part, wanted, number))
        return None

    return everywhere(rule, node)


FoldedForm = tuple[MatrixElement, Expr, dict[str, tuple[Expr, Expr]]]
"""An entry and its definition: a number and other factors, each as a base with its exponent."""


def _patterns(definition: NamedMatrix, places: Iterable[Expr]) -> Iterator[FoldedForm]:
    rows, columns = definition.matrix.shape
    row_places, column_places = ([Integer(0)] if size == 1 else list(places) for size in (rows, columns))
    for row, column in product(row_places, column_places):
        entry = MatrixElement(definition.matrix, row, column)
        number, rest = coefficient(definition.entry(row, column))
        wanted = bases(rest)
        if wanted and not (len(wanted) == 1 and isinstance(rest, MatrixElement)):
            yield entry, number, wanted


def _places(part: Expr) -> Iterator[Expr]:
    if isinstance(part, MatrixElement):
        yield from (place for place in (part.i, part.j) if isinstance(place, Symbol))


def _divides(wanted: Expr, held: Expr) -> bool:
    """Return True if a power is part of another: x² of x³, 1/x of 1/x²."""
    return bool(wanted * held > 0 and abs(held) >= abs(wanted))
