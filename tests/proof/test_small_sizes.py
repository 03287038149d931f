"""Small sizes with numbers put in: what differs is shown to, what has no value is never called equal."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sympy import Integer

from symattn.compute.proof.small_sizes import compared
from symattn.compute.proof.tree import ProofError
from symattn.operations.equations.read import read_operation
from symattn.operations.terms import size_symbol
from symattn.read.plan import Plan
from symattn.read.sized import with_sizes

SIZES = {"m": 2, "n": 3, "d": 2, "a": 1, "b": 2}


def verdict(left: str, right: str, plan: Plan, **sizes: int) -> tuple[int, int] | bool:
    small = with_sizes((left, right), plan, {**SIZES, **sizes})
    return compared(*small.formulas, {size_symbol(name): Integer(n) for name, n in {**SIZES, **sizes}.items()})


@pytest.mark.parametrize(
    ("left", "right", "found"),
    [
        ("log(exp(S))", "S", True),
        ("exp(log(S))", "S", True),  # only where S is positive
        ("exp(log(log(S)))", "log(S)", True),  # only where S is above 1
        ("sqrt(d) * X", "sqrt(4 * d) / 2 * X", True),
        ("s * X - X", "(s - 1) * X", True),
        ("rotary(x) @ rotary(x).T", "x @ x.T", True),
        ("hadamard(S, ones(m, n) - identity(2) @ S)", "S", (1, 1)),
        ("N - hadamard(N, identity(n))", "N", (1, 1)),
        ("identity(n)", "ones(n, n)", (1, 2)),
        ("relu(S)", "S", (1, 2)),
        ("S + 10^-40 * A", "S", (1, 1)),
        ("s * X", "X", (1, 1)),
    ],
)
def test_what_numbers_tell(left: str, right: str, found: object, plan: Plan) -> None:
    assert verdict(left, right, plan) == found


@pytest.mark.parametrize("formula", ["proportions(S - S)", "unit(S - S)", "divide(S, S - S)", "log(-1 * exp(S))"])
def test_what_has_no_value_is_neither_equal_nor_different(formula: str, plan: Plan) -> None:
    assert verdict(formula, formula, plan) is False
    assert verdict(formula, "S", plan) is False


def test_a_case_on_the_edge_of_which_an_enclosure_lies_is_open(plan: Plan) -> None:
    """(√2 x)² / 2 − x² is 0, and no precision shows that it is not above."""
    zero = "(hadamard(sqrt(2) * S, sqrt(2) * S) / 2 - hadamard(S, S))"
    own = replace(plan, operations={"step": read_operation("step(X)\n y[i,j] = 1 if X[i,j] > 0 else 0")})
    assert verdict(f"step({zero})", "0 * S", own) is False


def test_what_is_too_large_is_left_open(plan: Plan) -> None:
    assert verdict("S", "S", plan, m=20, n=20) is True
    assert verdict("S", "S", plan, m=21, n=20) is False


def test_what_chooses_by_size_has_no_rule(plan: Plan) -> None:
    with pytest.raises(ProofError, match="there is no rule for TopK"):
        verdict("top_k(X, 1)", "X", plan)
