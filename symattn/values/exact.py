"""Formulas in exact arithmetic, entry by entry in SymPy.

One rule per node. Values of early steps are short; those of a deep layer hold every path through it and are built only
where somebody asks for them, never to print a decimal.
"""

from __future__ import annotations

from functools import reduce, singledispatch
from typing import Protocol

from sympy import (
    Basic,
    Expr,
    Identity,
    ImmutableDenseMatrix,
    Integer,
    MatAdd,
    MatMul,
    MatPow,
    MatrixExpr,
    MatrixSymbol,
    Mul,
    OneMatrix,
    Pow,
    S,
    Transpose,
    ZeroMatrix,
    acos,
    exp,
    log,
    pi,
    sqrt,
)

from symattn.operations import (
    ELU,
    Angle,
    Broadcast,
    CausalMask,
    ClipNorm,
    Concat,
    Cosine,
    Dot,
    Entropy,
    Exp,
    Head,
    Keep,
    LayerNorm,
    OneHot,
    Proportions,
    Quotient,
    ReLU,
    Row,
    RowMax,
    RowNorm,
    Softmax,
    UnitRows,
    WindowMask,
)

DEEP = 1_000
"""Pieces of an expression from which on SymPy's own simplifications are kept away from it."""


LARGEST_SUM = 4_000
"""Terms of a common denominator beyond which a sum is not multiplied out to see whether it is zero."""


class Names(Protocol):
    """What the rules ask of the solution they work for."""

    def exact_value(self, name: str) -> ImmutableDenseMatrix:
        """The exact value of a name."""
        ...

    def signs(self, formula: MatrixExpr, what: str) -> tuple[tuple[int, ...], ...]:
        """The certified sign of every entry of a formula: −1, 0 or 1."""
        ...

    def largest(self, formula: MatrixExpr) -> tuple[int, ...]:
        """The column of a largest entry of every row of a formula, certified."""
        ...

    def is_longer(self, formula: MatrixExpr, threshold: Expr) -> bool:
        """Whether the length of all entries of a formula together is more than a number, certified."""
        ...


@singledispatch
def exact(node: Basic, names: Names) -> ImmutableDenseMatrix:
    """The exact value of a formula."""
    raise TypeError(f"no exact rule for {type(node).__name__}")


def _scalar(number: Expr) -> Expr:
    return number if number.is_Rational else number.doit()


def _is_deep(value: Expr) -> bool:
    """Whether a value has more than ``DEEP`` pieces; stops counting there. (``count_ops`` imports half of SymPy.)"""
    waiting, seen = [value], 0
    while waiting and seen <= DEEP:
        waiting.extend(waiting.pop().args)
        seen += 1
    return seen > DEEP


def _divided(numerator: Expr, denominator: Expr) -> Expr:
    """The quotient. In a deep layer it is left as it stands: SymPy would search its thousands of factors for equal
    bases, for minutes, and find none."""
    if not _is_deep(denominator):
        return numerator / denominator
    return Mul(numerator, Pow(denominator, -1, evaluate=False), evaluate=False)


def _build(rows: int, columns: int, entries: list[Expr]) -> ImmutableDenseMatrix:
    return ImmutableDenseMatrix(rows, columns, entries)


@exact.register
def _(node: MatrixSymbol, names: Names) -> ImmutableDenseMatrix:
    return names.exact_value(node.name)


@exact.register
def _(node: MatMul, names: Names) -> ImmutableDenseMatrix:
    factors = [exact(arg, names) if arg.is_Matrix else _scalar(arg) for arg in node.args]
    return reduce(lambda a, b: a * b, factors)


@exact.register
def _(node: MatAdd, names: Names) -> ImmutableDenseMatrix:
    return reduce(lambda a, b: a + b, (exact(arg, names) for arg in node.args))


@exact.register
def _(node: MatPow, names: Names) -> ImmutableDenseMatrix:
    return reduce(lambda a, b: a * b, [exact(node.base, names)] * int(node.exp))


@exact.register
def _(node: Transpose, names: Names) -> ImmutableDenseMatrix:
    return exact(node.arg, names).T


@exact.register
def _(node: Quotient, names: Names) -> ImmutableDenseMatrix:
    divisor = _scalar(node.divisor)
    return exact(node.argument, names).applyfunc(lambda x: x / divisor)


@exact.register
def _(node: Softmax, names: Names) -> ImmutableDenseMatrix:
    scores = exact(node.argument, names)
    entries: list[Expr] = []
    for i in range(scores.rows):
        exponentials = [_power(scores[i, j]) for j in range(scores.cols)]
        total = sum(exponentials, S.Zero)
        entries += [_divided(x, total) for x in exponentials]
    return _build(scores.rows, scores.cols, entries)


@exact.register
def _(node: LayerNorm, names: Names) -> ImmutableDenseMatrix:
    x = exact(node.argument, names)
    epsilon, width = _scalar(node.epsilon), Integer(x.cols)
    gamma = None if node.gamma is None else exact(node.gamma, names)
    beta = None if node.beta is None else exact(node.beta, names)
    entries: list[Expr] = []
    for i in range(x.rows):
        row = [x[i, j] for j in range(x.cols)]
        mean = sum(row, S.Zero) / width
        variance = sum(((value - mean) ** 2 for value in row), S.Zero) / width
        deviation = sqrt(variance + epsilon)
        normal = [_divided(value - mean, deviation) for value in row]
        if gamma is not None and beta is not None:
            normal = [value * gamma[0, j] + beta[0, j] for j, value in enumerate(normal)]
        entries += normal
    return _build(x.rows, x.cols, entries)


@exact.register
def _(node: ReLU, names: Names) -> ImmutableDenseMatrix:
    x = exact(node.argument, names)
    signs = names.signs(node.argument, "the input of relu")
    return _build(
        x.rows, x.cols, [x[i, j] if signs[i][j] > 0 else S.Zero for i in range(x.rows) for j in range(x.cols)]
    )


@exact.register
def _(node: ELU, names: Names) -> ImmutableDenseMatrix:
    x = exact(node.argument, names)
    signs = names.signs(node.argument, "the input of elu")
    return _build(
        x.rows,
        x.cols,
        [x[i, j] if signs[i][j] >= 0 else _power(x[i, j]) - 1 for i in range(x.rows) for j in range(x.cols)],
    )


@exact.register
def _(node: Exp, names: Names) -> ImmutableDenseMatrix:
    return exact(node.argument, names).applyfunc(_power)


def _power(x: Expr) -> Expr:
    """e^x. SymPy would look for the sign of an exponent of thousands of terms, digit by digit."""
    return exp(x, evaluate=not _is_deep(x))


@exact.register(CausalMask)
@exact.register(WindowMask)
def _(node: CausalMask | WindowMask, names: Names) -> ImmutableDenseMatrix:
    n, value = int(node.shape[0]), _scalar(node.value)
    return _build(n, n, [value if node.hides(i, j) else S.Zero for i in range(n) for j in range(n)])


@exact.register
def _(node: Broadcast, names: Names) -> ImmutableDenseMatrix:
    row = exact(node.argument, names)
    rows = int(node.shape[0])
    return _build(rows, row.cols, list(row) * rows)


@exact.register
def _(node: Row, names: Names) -> ImmutableDenseMatrix:
    return exact(node.argument, names)[node.number - 1, :]


@exact.register
def _(node: Dot, names: Names) -> ImmutableDenseMatrix:
    return exact(node.left, names) * exact(node.right, names).T


@exact.register
def _(node: Head, names: Names) -> ImmutableDenseMatrix:
    start, width = int(node.start), int(node.shape[1])
    return exact(node.argument, names)[:, start : start + width]


@exact.register
def _(node: Concat, names: Names) -> ImmutableDenseMatrix:
    return ImmutableDenseMatrix.hstack(*(exact(part, names) for part in node.args))


@exact.register
def _(node: OneHot, names: Names) -> ImmutableDenseMatrix:
    ids, width = list(exact(node.ids, names)), int(node.shape[1])
    return _build(len(ids), width, [Integer(int(x == j)) for x in ids for j in range(width)])


@exact.register
def _(node: RowNorm, names: Names) -> ImmutableDenseMatrix:
    rows = exact(node.argument, names).tolist()
    return _build(len(rows), 1, [_length(row) for row in rows])


def _length(entries: list[Expr]) -> Expr:
    return sqrt(sum((x**2 for x in entries), S.Zero))


@exact.register
def _(node: UnitRows, names: Names) -> ImmutableDenseMatrix:
    x = exact(node.argument, names)
    rows = ((row, _length(row)) for row in x.tolist())
    return _build(x.rows, x.cols, [_divided(entry, length) for row, length in rows for entry in row])


@exact.register
def _(node: Proportions, names: Names) -> ImmutableDenseMatrix:
    x = exact(node.argument, names)
    rows = ((row, sum(row, S.Zero)) for row in x.tolist())
    return _build(x.rows, x.cols, [_divided(entry, total) for row, total in rows for entry in row])


@exact.register
def _(node: RowMax, names: Names) -> ImmutableDenseMatrix:
    x = exact(node.argument, names)
    return _build(x.rows, 1, [x[i, j] for i, j in enumerate(names.largest(node.argument))])


@exact.register
def _(node: Entropy, names: Names) -> ImmutableDenseMatrix:
    a = exact(node.argument, names)
    return _build(a.rows, 1, [-sum((x * log(x) for x in row if not x.is_zero), S.Zero) for row in a.tolist()])


@exact.register
def _(node: Cosine, names: Names) -> ImmutableDenseMatrix:
    left, right = exact(node.left, names).tolist(), exact(node.right, names).tolist()
    entries = [_divided(_products(x, y), _length(x) * _length(y)) for x in left for y in right]
    return _build(len(left), len(right), entries)


def _products(x: list[Expr], y: list[Expr]) -> Expr:
    return sum((a * b for a, b in zip(x, y, strict=True)), S.Zero)


@exact.register
def _(node: Angle, names: Names) -> ImmutableDenseMatrix:
    return exact(Cosine(node.left, node.right), names).applyfunc(lambda x: 180 * acos(x) / pi)


@exact.register
def _(node: ClipNorm, names: Names) -> ImmutableDenseMatrix:
    g = exact(node.argument, names)
    if not names.is_longer(node.argument, node.threshold):
        return g
    factor = _divided(_scalar(node.threshold), _length(list(g)))
    return g.applyfunc(lambda x: x * factor)


@exact.register
def _(node: Keep, names: Names) -> ImmutableDenseMatrix:
    a, mask = exact(node.argument, names), exact(node.mask, names)
    return _build(a.rows, a.cols, [x if m == 0 else S.Zero for x, m in zip(a, mask, strict=True)])


@exact.register(Identity)
@exact.register(OneMatrix)
@exact.register(ZeroMatrix)
def _(node: Identity, names: Names) -> ImmutableDenseMatrix:
    return node.as_explicit()


def is_zero(value: Expr) -> bool | None:
    """Whether a number is exactly zero: ``True`` and ``False`` are proofs, ``None`` says that neither was found.

    Numerator and denominator are written as sums a₁e^{b₁} + a₂e^{b₂} + …; by the Lindemann–Weierstrass theorem
    exponentials of different algebraic numbers are linearly independent over the algebraic numbers, so such a sum is
    zero only if every aᵢ is, and SymPy's expansion collects equal bᵢ. (Baker 1975, *Transcendental Number Theory*,
    theorem 1.4.) Nested roots and exponentials of exponentials are outside this class.

    >>> from sympy import E, exp, sqrt
    >>> is_zero(E / (E + 1) + 1 / (E + 1) - 1), is_zero(exp(2) - exp(1)), is_zero(sqrt(8) - 2 * sqrt(2))
    (True, False, True)
    """
    if value.is_Rational:
        return bool(value == 0)
    if _common_denominator_terms(value) > LARGEST_SUM:
        return None
    numerator = value.together().as_numer_denom()[0].expand()
    if value.has(log, acos):
        # Outside the class; SymPy would look for the sign of ln(1 + e^(10^7)) − 10^7 digit by digit, without end.
        return True if numerator == 0 else None
    if numerator.is_zero:
        return True
    return False if all(map(_is_exponential_term, _terms(numerator))) else None


def _common_denominator_terms(value: Expr) -> int:
    """How many terms the common denominator of a value has when multiplied out, at most."""
    count = 1
    for power in value.atoms(Pow):
        if power.exp.is_Integer and power.exp < 0 and power.base.is_Add:
            count *= len(power.base.args) ** -int(power.exp)
    return count


def _terms(value: Expr) -> tuple[Expr, ...]:
    return value.args if value.is_Add else (value,)


def _is_exponential_term(term: Expr) -> bool:
    factors = term.args if term.is_Mul else (term,)
    return all(
        _is_surd(f) or (isinstance(f, exp) and all(map(_is_surd_term, _terms(f.exp)))) or f is S.Exp1 for f in factors
    )


def _is_surd_term(term: Expr) -> bool:
    return all(map(_is_surd, term.args if term.is_Mul else (term,)))


def _is_surd(factor: Expr) -> bool:
    """A rational, or the square root of one, which SymPy keeps in canonical form."""
    if factor.is_Rational:
        return True
    if not (factor.is_Pow and factor.base.is_Rational and (factor.exp * 2).is_Integer):
        return False
    # SymPy looks for square factors by the primes up to 2^15: below their square it has found them all.
    return bool(max(abs(factor.base.p), factor.base.q) < 2**30)
