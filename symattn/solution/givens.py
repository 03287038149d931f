"""The values of givens: as balls, as rationals, as doubles. An array is read from its rationals, without SymPy."""

from __future__ import annotations

from math import inf

from flint import arb, arb_mat, fmpq_mat
from sympy import ImmutableDenseMatrix, Rational, log

from symattn.given import Given
from symattn.shapes import in_rows
from symattn.values.logarithm import Logs, logs_of
from symattn.values.number import number_ball
from symattn.values.rational import to_fmpq


def given_ball(given: Given) -> arb_mat:
    """Balls of the precision that is in force.

    >>> given_ball(Given.read([["1", "1/2"]])).entries()
    [1.00000000000000, 0.500000000000000]
    """
    if given.array is None:
        return arb_mat(*given.shape, [number_ball(value) for value in given.entries])
    numbers = [arb.neg_inf() if entry is None else arb(entry) for entry in given.array.entries]
    return arb_mat(*given.shape, numbers)


def given_rational(given: Given) -> fmpq_mat | None:
    """The matrix over the rationals, or ``None`` if an entry is none.

    >>> given_rational(Given.read([["0.5", "3"]]))
    [1/2, 3]
    """
    if given.array is not None:
        finite = given.array.finite
        return None if finite is None else fmpq_mat(*given.shape, list(finite))
    numbers = [number for number in map(to_fmpq, given.entries) if number is not None]
    return fmpq_mat(*given.shape, numbers) if len(numbers) == len(given.entries) else None


def given_logs(given: Given) -> Logs | None:
    """The matrix as logarithms, or ``None`` if there are none in it, or anything else.

    >>> given_logs(Given.read([["log(2)", "0"]])).part(2)
    [1, 0]
    """
    return logs_of(given.entries, *given.shape) if holds_logs(given) else None


def holds_logs(given: Given) -> bool:
    """Whether there is a logarithm in it. Most givens are rational, which is seen at once."""
    return given.array is None and any(not x.is_Rational and x.has(log) for x in given.entries)


def exact_ball(value: ImmutableDenseMatrix) -> arb_mat:
    """Balls of the precision that is in force, of a closed form without symbols."""
    return arb_mat(value.rows, value.cols, list(map(number_ball, value)))


def exact_rational(value: ImmutableDenseMatrix) -> fmpq_mat | None:
    """A closed form over the rationals, or ``None`` if an entry is none.

    >>> exact_rational(ImmutableDenseMatrix([[2, 3]]))
    [2, 3]
    """
    numbers = [number for number in map(to_fmpq, value) if number is not None]
    return fmpq_mat(value.rows, value.cols, numbers) if len(numbers) == len(value) else None


def exact_matrix(value: fmpq_mat) -> ImmutableDenseMatrix:
    """A rational matrix as SymPy's: what is known needs no rules.

    >>> exact_matrix(fmpq_mat([[2, 3]]))
    Matrix([[2, 3]])
    """
    numbers = [Rational(int(x.p), int(x.q)) for x in value.entries()]
    return ImmutableDenseMatrix(value.nrows(), value.ncols(), numbers)


def array_doubles(given: Given) -> tuple[tuple[float, ...], ...] | None:
    """The entries of an array as the nearest doubles; ``None`` for a given that is not one."""
    if given.array is None:
        return None
    doubles = [-inf if entry is None else int(entry.p) / int(entry.q) for entry in given.array.entries]
    return in_rows(doubles, given.shape[1])
