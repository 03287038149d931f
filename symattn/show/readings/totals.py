"""The sums of the rows of a formula, by algebra alone: Σ_j a_ij (g_ij − Σ_k a_ik g_ik) = 0, because Σ_j a_ij = 1.

A formula is expanded into products of matrices and of numbers that are constant in each row. A product whose entries
are unknown has an unknown sum, which is the same wherever the product occurs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from sympy import Expr, Integer, MatAdd, MatMul, MatrixSymbol, Mul, OneMatrix, S

from symattn import operations as ops
from symattn.compute.solution.domain import let_through
from symattn.compute.solution.store import Store
from symattn.operations.node import Applied
from symattn.operations.records import RECORDS
from symattn.operations.stages import same_as_ours

MOST_TERMS = 64
"""The most terms of an expanded formula; longer ones are not analysed."""

_Factors = frozenset[tuple[Any, int]]
"""Factors, each with its exponent."""


@dataclass(frozen=True)
class _Term:
    """number · (matrices, entry by entry) · (numbers of a row)"""

    number: Expr
    matrices: _Factors = frozenset()
    of_rows: _Factors = frozenset()

    def __mul__(self, other: _Term) -> _Term:
        return _Term(
            self.number * other.number, _both(self.matrices, other.matrices), _both(self.of_rows, other.of_rows)
        )


Reason = Literal["softmax", "norm", "difference"]
"""The reason why rows sum to 0: shares sum to 1, normalised rows to 0, or their own mean is subtracted."""


def why_rows_sum_to_zero(solution: Store, node: Any) -> Reason | None:
    """Return why each row of a formula sums to exactly 0 for all inputs; ``None`` if it need not.

    If each step continues with rounded figures, shares no longer sum to 1, and nothing is claimed.
    """
    if solution.style.carry == "rounded":
        return None
    totals = _Totals(solution)
    sums: dict[_Factors, Expr] = {}
    try:
        for term in totals.total(node):
            sums[term.of_rows] = sums.get(term.of_rows, S.Zero) + term.number
    except _TooLongError:
        return None
    if any(number != 0 for number in sums.values()):
        return None
    return next((reason for reason in ("norm", "softmax") if reason in totals.used), "difference")


class _TooLongError(Exception):
    """A formula has too many terms when expanded."""


@dataclass(frozen=True)
class _Totals:
    solution: Store
    used: set[Reason] = field(default_factory=set)
    """The facts about rows that were needed."""

    def total(self, node: Any) -> list[_Term]:
        """Return Σ_j of each row, as terms without matrices."""
        return [self._summed(term, int(node.shape[1])) for term in self._terms(node)]

    def _summed(self, term: _Term, columns: int) -> _Term:
        """Sum a term over j: its matrices become a number, or an unknown number of each row."""
        known: Expr | None = Integer(columns)
        if term.matrices:
            (only, times), *more = term.matrices
            known = self._known(only) if not more and times == 1 else None
        if known is None:
            return _Term(term.number, frozenset(), _both(term.of_rows, frozenset({(term.matrices, 1)})))
        return _Term(term.number * known, frozenset(), term.of_rows)

    def _known(self, node: Any) -> Expr | None:
        """Return the sum of each row of a matrix, if it is known."""
        if isinstance(node, MatrixSymbol):
            formula = self.solution.formula(str(node.name)) if str(node.name) not in self.solution.givens else None
            node = None if formula is None else same_as_ours(formula)
        match node:
            case ops.Softmax() if not let_through(self.solution, node.argument):
                self.used.add("softmax")
                return S.One
            case ops.OneHot():
                return S.One
            case ops.LayerNorm() if node.gamma is None and node.beta is None:
                self.used.add("norm")
                return S.Zero
        return None

    def _terms(self, node: Any) -> list[_Term]:
        found = list(self._each(same_as_ours(node)))
        if len(found) > MOST_TERMS:
            raise _TooLongError
        return found

    def _each(self, node: Any) -> Iterator[_Term]:
        match node:
            case MatAdd():
                for arg in node.args:
                    yield from self._terms(arg)
            case ops.Quotient():
                yield from self._times(_Term(1 / self.solution.number(node.divisor)), self._terms(node.argument))
            case MatMul():
                yield from self._product(node)
            case ops.Hadamard():
                left, right = map(self._terms, node.args)
                for term in left:
                    yield from self._times(term, right)
            case ops.EntryQuotient() if isinstance(node.args[1], ops.InEveryColumn | ops.Everywhere):
                below = frozenset({(node.args[1].args[0], -1)})
                yield from self._times(_Term(S.One, frozenset(), below), self._terms(node.args[0]))
            case ops.InEveryColumn():
                yield from self._of_rows(same_as_ours(node.argument))
            case ops.Everywhere():
                yield _Term(S.One, frozenset(), frozenset({(node.args[0], 1)}))
            case OneMatrix():
                yield _Term(S.One)
            case _:
                yield _Term(S.One, frozenset({(node, 1)}))

    def _product(self, node: MatMul) -> Iterator[_Term]:
        """Yield the terms of c X, and of X 1 1ᵀ, the sum of a row in each of its places; other products stay whole."""
        number = self._number(node)
        *front, last = (part for arg in node.args if arg.is_Matrix for part in _factors(arg))
        if not front:
            yield from self._times(_Term(number), self._terms(last))
        elif isinstance(last, OneMatrix) and last.shape[0] == 1:
            inner = front[0] if len(front) == 1 else MatMul(*front, evaluate=False)
            yield from self._times(_Term(number), self._of_rows(inner))
        else:
            whole = MatMul(*front, last, evaluate=False)
            yield _Term(number, frozenset({(whole, 1)}))

    def _of_rows(self, node: Any) -> Iterator[_Term]:
        """Yield the terms of one number for each row: its sum or its mean, or an unknown number."""
        for name, divided in (("row_sum", False), ("row_mean", True)):
            if isinstance(node, Applied) and node.operation == RECORDS[name]:
                inner = node.args[1]
                columns = Integer(int(inner.shape[1])) if divided else S.One
                yield from self._times(_Term(1 / columns), self.total(inner))
                return
        if isinstance(node, MatMul) and isinstance(node.args[-1], OneMatrix) and node.args[-1].shape[1] == 1:
            front = [arg for arg in node.args[:-1] if arg.is_Matrix]
            if len(front) == 1:
                yield from self._times(_Term(self._number(node)), self.total(front[0]))
                return
        yield _Term(S.One, frozenset(), frozenset({(node, 1)}))

    def _number(self, node: MatMul) -> Expr:
        return Mul(*(self.solution.number(arg) for arg in node.args if not arg.is_Matrix))

    def _times(self, term: _Term, terms: Iterable[_Term]) -> Iterator[_Term]:
        return (term * other for other in terms)


def _factors(node: Any) -> tuple[Any, ...]:
    """Return the matrices of a product, including those of inner products without numbers."""
    plain = isinstance(node, MatMul) and all(arg.is_Matrix for arg in node.args)
    return tuple(part for arg in node.args for part in _factors(arg)) if plain else (node,)


def _both(one: _Factors, other: _Factors) -> _Factors:
    found: Counter[Any] = Counter()
    for factors in (one, other):
        for factor, times in factors:
            found[factor] += times
    return frozenset((factor, times) for factor, times in found.items() if times)
