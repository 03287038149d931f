"""Matrices of logarithms of rationals: what makes the weights of a softmax rational.

Such a matrix is written L = Σ_p ln(p) M_p, with a rational matrix M_p for every prime p in it. Logarithms of different
primes are linearly independent over the rationals, as a number has one factorisation, so there is one way to write it.
Whatever is linear works on each M_p by itself. A mask's −∞ is carried along as if it were one more letter.

>>> from sympy import Integer, Rational
>>> scores = logs_of([log(2), log(Rational(9, 2)) / 2, Integer(0)], 1, 3)
>>> {prime: part.entries() for prime, part in scores.parts.items()}
{2: [1, -1/2, 0], 3: [0, 1, 0]}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from flint import fmpq, fmpq_mat
from sympy import Add, Basic, Expr, Integer, MatAdd, MatMul, MatPow, MatrixSymbol, S, log

from symattn.base.shapes import whole_sizes
from symattn.compute.values.applied import frame, only_arranges, picks
from symattn.operations import ArgMax, TopK
from symattn.operations.equations.linear import is_linear
from symattn.operations.stages import Stage

LARGEST = 2**64
"""Numbers from here on are not factored into primes."""

LONGEST = 50_000
"""Bits of a power beyond which it is not computed."""

HIDDEN = 0
"""The letter of −∞, among the primes."""

Exponents = dict[int, fmpq]


@dataclass(frozen=True)
class Logs:
    """Σ_p ln(p) M_p: the matrices M_p by their primes, all of one shape. ``HIDDEN`` stands for −∞."""

    shape: tuple[int, int]
    parts: Mapping[int, fmpq_mat]

    def part(self, prime: int) -> fmpq_mat:
        """Return M_p, which is zero for a prime that does not occur."""
        return self.parts[prime] if prime in self.parts else fmpq_mat(*self.shape)

    def entry(self, i: int, j: int) -> Exponents:
        """Return the letters of one entry with their coefficients."""
        return {prime: part[i, j] for prime, part in self.parts.items()}

    @property
    def has_logarithms(self) -> bool:
        """Whether it has logarithms, and not only zeros and −∞."""
        return any(prime != HIDDEN for prime in self.parts)


ExactLookup = Callable[[str], "fmpq_mat | Logs | None"]
Evaluator = Callable[[Basic, ExactLookup], "fmpq_mat | None"]
"""A function that evaluates formulas over the rationals: :func:`symattn.compute.values.rational.rational`."""


def primes_of(number: fmpq) -> Exponents | None:
    """Return the exponents of the primes of a positive number, or ``None`` if it is too long to factor.

    >>> primes_of(fmpq(12, 5))
    {2: 2, 3: 1, 5: -1}
    """
    if max(number.p, number.q) >= LARGEST:
        return None
    found = {int(prime): fmpq(power) for prime, power in number.p.factor()}
    return found | {int(prime): fmpq(-power) for prime, power in number.q.factor()}


def exponents(number: Expr) -> Exponents | None:
    """Write a number as rational multiples of logarithms of rationals, or return ``None``; 0 is the empty sum.

    >>> exponents(log(12) / 2 - 3 * log(2)), exponents(log(12) + 1)
    ({2: -2, 3: 1/2}, None)
    """
    total: Exponents = {}
    for term in () if number == 0 else Add.make_args(number):
        coefficient, logarithm = term.as_coeff_Mul()
        if not (isinstance(logarithm, log) and logarithm.args[0].is_Rational and logarithm.args[0] > 0):
            return None
        argument = logarithm.args[0]
        primes = primes_of(fmpq(int(argument.p), int(argument.q)))
        if primes is None:
            return None
        factor = fmpq(int(coefficient.p), int(coefficient.q))
        for prime, power in primes.items():
            total[prime] = total.get(prime, fmpq(0)) + factor * power
    return {prime: power for prime, power in total.items() if power != 0}


def logs_of(numbers: Sequence[Expr], rows: int, columns: int) -> Logs | None:
    """Write a matrix of SymPy numbers as logarithms; ``None`` if an entry is neither one, nor 0, nor −∞."""
    found: dict[int, fmpq_mat] = {}
    for place, number in enumerate(numbers):
        powers = {HIDDEN: fmpq(1)} if number is S.NegativeInfinity else exponents(number)
        if powers is None:
            return None
        for prime, power in powers.items():
            found.setdefault(prime, fmpq_mat(rows, columns))[place // columns, place % columns] = power
    return Logs((rows, columns), found)


@Stage
def logs(node: Basic, lookup: ExactLookup, rational: Evaluator) -> Logs | None:
    """Return the value of a formula as logarithms, or ``None`` where it has another form; a zero matrix has no primes.

    Linear operations follow from the rule over the rationals, applied to each M_p.
    """
    operation, matrices = frame(node).operation, [name for name, _ in frame(node).matrices]
    if not matrices:
        return _constant(node, lookup, rational)
    together = is_linear(operation, *matrices)
    if not together and not any(is_linear(operation, name) for name in matrices):
        return None
    operands = [logs(arg, lookup, rational) for arg in node.args if arg.is_Matrix]
    if not together or None in operands:
        return _linear_in_one(node, operands, lookup, rational)
    known = [operand for operand in operands if operand is not None]
    hidden = any(HIDDEN in operand.parts for operand in known)
    if hidden and not only_arranges(operation):
        return None
    names = iter(range(len(known)))
    alone = node.func(*(MatrixSymbol(str(next(names)), *arg.shape) if arg.is_Matrix else arg for arg in node.args))
    parts: dict[int, fmpq_mat] = {}
    for prime in dict.fromkeys(prime for operand in known for prime in operand.parts):
        part = rational(alone, lambda name, prime=prime: known[int(name)].part(prime))  # type: ignore[misc]
        if part is None or (prime == HIDDEN and any(x < 0 for x in part.entries())):
            return None
        parts[prime] = part
    rows, columns = whole_sizes(node)
    return Logs((rows, columns), parts)


def _linear_in_one(
    node: Basic, operands: Sequence[Logs | None], lookup: ExactLookup, rational: Evaluator
) -> Logs | None:
    """Apply an operation linear in its one operand of logarithms, the others being rational: a dot product, a mask."""
    places = [place for place, operand in enumerate(operands) if operand is not None and operand.has_logarithms]
    value = operands[places[0]] if len(places) == 1 else None
    if (
        value is None
        or HIDDEN in value.parts
        or not is_linear(frame(node).operation, frame(node).matrices[places[0]][0])
    ):
        return None
    inside = [arg for arg in node.args if arg.is_Matrix][places[0]]
    at = next(place for place, arg in enumerate(node.args) if arg is inside)
    # '<' cannot be in the name of a step.
    alone = node.func(*node.args[:at], MatrixSymbol("<logarithms>", *inside.shape), *node.args[at + 1 :])
    parts: dict[int, fmpq_mat] = {}
    for prime, part in value.parts.items():
        found = rational(alone, lambda name, part=part: part if name == "<logarithms>" else lookup(name))  # type: ignore[misc]
        if found is None:
            return None
        parts[prime] = found
    rows, columns = whole_sizes(node)
    return Logs((rows, columns), parts)


def _constant(node: Basic, lookup: ExactLookup, rational: Evaluator) -> Logs | None:
    """Evaluate a node without matrices: zeros, or a mask of −∞."""
    if not node.has(S.NegativeInfinity):
        return _zero(rational(node, lookup))
    beside, hidden = (rational(node.xreplace({S.NegativeInfinity: Integer(n)}), lookup) for n in (0, 1))
    zero = _zero(beside)
    if zero is None or hidden is None or not picks(frame(node).operation):
        return None
    return Logs(zero.shape, {HIDDEN: hidden} if any(x != 0 for x in hidden.entries()) else {})


@logs.register(ArgMax)
@logs.register(TopK)
def _(node: Basic, lookup: ExactLookup, rational: Evaluator) -> Logs | None:
    return None


@logs.register
def _(node: MatPow, lookup: ExactLookup, rational: Evaluator) -> Logs | None:
    return logs(node.base, lookup, rational) if node.exp == 1 else None


@logs.register
def _(node: MatrixSymbol, lookup: ExactLookup, rational: Evaluator) -> Logs | None:
    value = lookup(node.name)
    return value if isinstance(value, Logs) else _zero(value)


def _zero(value: fmpq_mat | None) -> Logs | None:
    """Return 0 = Σ 0 ln(p); other rationals are not logarithms."""
    if value is None or any(x != 0 for x in value.entries()):
        return None
    return Logs((value.nrows(), value.ncols()), {})


@logs.register(MatMul)
def _(node: MatMul, lookup: ExactLookup, rational: Evaluator) -> Logs | None:
    """Multiply one factor of logarithms by rational ones."""
    matrices = [arg for arg in node.args if arg.is_Matrix]
    found = [logs(arg, lookup, rational) for arg in matrices]
    places = [place for place, value in enumerate(found) if value is not None]
    numbers = [arg if arg.is_Rational else arg.doit() for arg in node.args if not arg.is_Matrix]
    if len(places) != 1 or not all(number.is_Rational for number in numbers):
        return None
    value = found[places[0]]
    sides = [_product(part, lookup, rational) for part in (matrices[: places[0]], matrices[places[0] + 1 :])]
    if value is None or None in sides or (HIDDEN in value.parts and (len(matrices) > 1 or numbers)):
        return None
    factor = reduce(lambda a, b: a * b, (fmpq(int(number.p), int(number.q)) for number in numbers), fmpq(1))
    parts = {prime: _between(sides, part) * factor for prime, part in value.parts.items()}
    rows, columns = whole_sizes(node)
    return Logs((rows, columns), parts)


def _product(matrices: Sequence[Basic], lookup: ExactLookup, rational: Evaluator) -> list[fmpq_mat] | None:
    """Return the values of the factors on one side, or ``None`` if one is irrational."""
    found = []
    for matrix in matrices:
        value = rational(matrix, lookup)
        if value is None:
            return None
        found.append(value)
    return found


def _between(sides: Sequence[list[fmpq_mat] | None], part: fmpq_mat) -> fmpq_mat:
    left, right = (side or [] for side in sides)
    return reduce(lambda a, b: a * b, [*left, part, *right])


@logs.register
def _(node: MatAdd, lookup: ExactLookup, rational: Evaluator) -> Logs | None:
    terms = [logs(arg, lookup, rational) for arg in node.args]
    known = [term for term in terms if term is not None]
    if len(known) < len(terms):
        return None
    primes = dict.fromkeys(prime for term in known for prime in term.parts)
    parts = {prime: reduce(lambda a, b: a + b, [term.part(prime) for term in known]) for prime in primes}
    return Logs(known[0].shape, parts)


# -- their exponentials ----------------------------------------------------------------------------------------------


def exponentials(value: Logs) -> fmpq_mat | None:
    """e^L = Π_p p^{M_p}, entry by entry, if all of it is rational.

    >>> exponentials(logs_of([log(6), S.NegativeInfinity, -2 * log(3)], 1, 3))
    [6, 0, 1/9]
    """
    rows, columns = value.shape
    powers = [power_of_primes(dict(zip(value.parts, entry, strict=True))) for entry in _entries(value)]
    known = [power for power in powers if power is not None]
    return fmpq_mat(rows, columns, known) if len(known) == len(powers) else None


def _entries(value: Logs) -> Sequence[tuple[fmpq, ...]]:
    """Return for every entry its coefficient of each letter."""
    rows, columns = value.shape
    if not value.parts:
        return [()] * (rows * columns)
    return list(zip(*(part.entries() for part in value.parts.values()), strict=True))


def power_of_primes(entry: Mapping[int, fmpq]) -> fmpq | None:
    """Π p^{m_p}, if every exponent is whole; 0 for e^{−∞}.

    >>> power_of_primes({2: fmpq(2), 3: fmpq(-1)}), power_of_primes({2: fmpq(1, 2)})
    (4/3, None)
    """
    if entry.get(HIDDEN, 0) != 0:
        return fmpq(0)
    product = fmpq(1)
    for prime, exponent in entry.items():
        if exponent.q != 1 or abs(exponent) * prime.bit_length() > LONGEST:
            return None
        product *= fmpq(prime) ** int(exponent.p)
    return product


def weights(value: Logs) -> fmpq_mat | None:
    """Return the softmax of every row, if it is rational: when the scores of a row differ by logarithms of rationals.

    >>> weights(logs_of([log(2) / 2, log(18) / 2], 1, 2))
    [1/4, 3/4]
    """
    rows, columns = value.shape
    entries = _entries(value)
    found: list[fmpq] = []
    for start in range(0, rows * columns, columns):
        row = [dict(zip(value.parts, entry, strict=True)) for entry in entries[start : start + columns]]
        seen = next((entry for entry in row if entry.get(HIDDEN, 0) == 0), None)
        if seen is None:  # all scores are −∞, and a solution lets them through
            found += [fmpq(0)] * columns
            continue
        # A row of scores may be shifted: only the differences from one of them matter.
        moved = [{letter: number - seen[letter] for letter, number in entry.items()} for entry in row]
        powers = [power for power in map(power_of_primes, moved) if power is not None]
        if len(powers) < columns:
            return None
        total = sum(powers, fmpq(0))
        found += [power / total for power in powers]
    return fmpq_mat(rows, columns, found)
