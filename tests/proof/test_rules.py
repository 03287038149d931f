"""Each rule applies where it should, and bound indices never capture each other."""

from __future__ import annotations

import pytest
from sympy import Add, Expr, Integer, KroneckerDelta, MatrixSymbol, Mul, Pow, Rational, S, Symbol, exp
from sympy.matrices.expressions.matexpr import MatrixElement

from symattn.compute.proof.canon import SUMS, Likeness, bound_indices, key
from symattn.compute.proof.rules import RULES, TERMS
from symattn.compute.proof.tree import (
    Largest,
    PairFrequency,
    ProofError,
    Same,
    Smaller,
    add,
    cosine,
    everywhere,
    exponential,
    finite_sum,
    free,
    mul,
    nested_sums,
    power_of,
    replaced,
    sine,
    totals,
)
from symattn.operations import Concat, Rotary, Stack
from symattn.operations.symbols import entry_symbol
from symattn.operations.terms import size_symbol

i, j, k, l, r = (Symbol(name, integer=True) for name in "ijklr")  # noqa: E741 - the letters of the formulas
n, d = size_symbol("n"), size_symbol("d")
A, B = MatrixSymbol("A", n, d), MatrixSymbol("B", n, d)
a, b, c = A[i, j], B[i, j], B[i, k]
HALF = Rational(1, 2)
C = MatrixSymbol("C", d + d, n)
TURNED = Rotary(A, Integer(10_000), entry_symbol("s"))
t = Symbol("pair_k", integer=True)
THETA = PairFrequency(Integer(10_000), k, d)
ALPHA, BETA = (mul(add(entry_symbol("s"), index), THETA) for index in (i, j))
M = S.NegativeOne

EXAMPLES: dict[str, tuple[Expr, Expr]] = {
    "blocks": (
        finite_sum(mul(MatrixElement(Concat(A, B), i, k), C[k, l]), k, d + d),
        add(finite_sum(mul(A[i, k], C[k, l]), k, d), finite_sum(mul(B[i, k], C[k + d, l]), k, d)),
    ),
    "pairs": (
        finite_sum(mul(MatrixElement(TURNED, i, k), B[j, k]), k, d),
        finite_sum(
            add(
                mul(MatrixElement(TURNED, i, 2 * t), B[j, 2 * t]),
                mul(MatrixElement(TURNED, i, 2 * t + 1), B[j, 2 * t + 1]),
            ),
            t,
            d / 2,
        ),
    ),
    "turn": (
        MatrixElement(TURNED, i, 2 * k + 1),
        add(mul(A[i, 2 * k], sine(ALPHA)), mul(A[i, 2 * k + 1], cosine(ALPHA))),
    ),
    "circle": (
        add(mul(power_of(sine(ALPHA), Integer(2)), a), b, mul(a, power_of(cosine(ALPHA), Integer(2)))),
        add(a, b),
    ),
    "collect_angles": (
        add(
            mul(add(mul(a, cosine(ALPHA)), mul(M, b, sine(ALPHA))), cosine(BETA)),
            mul(add(mul(a, sine(ALPHA)), mul(b, cosine(ALPHA))), sine(BETA)),
        ),
        add(
            mul(a, add(mul(cosine(ALPHA), cosine(BETA)), mul(sine(ALPHA), sine(BETA)))),
            mul(M, b, add(mul(sine(ALPHA), cosine(BETA)), mul(M, cosine(ALPHA), sine(BETA)))),
        ),
    ),
    "angle_sum": (
        add(mul(sine(ALPHA), cosine(BETA)), mul(M, cosine(ALPHA), sine(BETA))),
        sine(add(ALPHA, mul(M, BETA))),
    ),
    "angle_terms": (sine(add(BETA, mul(M, ALPHA))), mul(M, sine(mul(add(i, mul(M, j)), THETA)))),
    "common_factors": (
        mul(add(mul(a, b), mul(a, c)), power_of(add(mul(a, c), mul(a, a)), M)),
        mul(a, add(b, c), power_of(a, M), power_of(add(c, a), M)),
    ),
    "power_law": (exponential(add(a, b)), mul(exponential(a), exponential(b))),
    "pull_out": (finite_sum(mul(a, c), k, d), mul(a, finite_sum(c, k, d))),
    "into_sum": (
        finite_sum(mul(A[i, k], finite_sum(B[l, k], l, n)), k, d),
        totals(((k, d), (l, n)), mul(A[i, k], B[l, k])),
    ),
    "constant_sum": (finite_sum(Integer(1), k, d), d),
    "delta": (finite_sum(mul(c, KroneckerDelta(k, j)), k, d), b),
    "cancel": (mul(a, b, power_of(a, Integer(-1))), b),
    "powers": (mul(a, b, a), mul(power_of(a, Integer(2)), b)),
    "root": (power_of(mul(exponential(a), b), HALF), mul(power_of(exponential(a), HALF), power_of(b, HALF))),
    "arithmetic": (mul(Integer(2), a, Integer(3)), mul(Integer(6), a)),
    "like_terms": (add(mul(Integer(2), a), b, mul(Integer(3), a)), add(mul(Integer(5), a), b)),
    "split_sum": (finite_sum(add(A[i, k], c), k, d), add(finite_sum(A[i, k], k, d), finite_sum(c, k, d))),
    "distribute": (mul(a, add(b, c)), add(mul(a, b), mul(a, c))),
    "common_factor": (
        power_of(add(mul(a, b), mul(a, c)), Integer(-1)),
        mul(power_of(a, Integer(-1)), power_of(add(b, c), Integer(-1))),
    ),
    "multiply_out": (power_of(add(a, b), Integer(2)), add(mul(a, a), mul(a, b), mul(b, a), mul(b, b))),
    "truth": (power_of(Smaller(a, b), Integer(2)), Smaller(a, b)),
    "sides": (Smaller(S.Zero, add(mul(Integer(-2), a), mul(Integer(4), b))), Smaller(a, mul(Integer(2), b))),
    "upwards": (
        power_of(add(S.One, exponential(mul(M, a))), M),
        mul(exponential(a), power_of(add(exponential(a), S.One), M)),
    ),
    "remainder": (
        mul(a, b, power_of(add(S.One, mul(Integer(2), a)), Integer(-2))),
        add(
            mul(HALF, b, power_of(add(S.One, mul(Integer(2), a)), M)),
            mul(M, HALF, b, power_of(add(S.One, mul(Integer(2), a)), Integer(-2))),
        ),
    ),
}


@pytest.mark.parametrize("name", RULES)
def test_every_rule_does_what_it_says(name: str) -> None:
    before, after = EXAMPLES[name]

    assert RULES[name](before) == after
    assert RULES[name](a) is None


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("root", power_of(mul(a, b), HALF)),  # √(xy) = √x √y needs a factor that is not negative
        ("root", power_of(mul(power_of(a, Integer(3)), b), HALF)),
        ("pull_out", finite_sum(mul(A[i, k], c), k, d)),
        ("into_sum", mul(a, finite_sum(c, k, d))),  # stays outside where nothing around it depends on the index
        ("common_factor", power_of(add(mul(a, b), mul(a, c)), HALF)),
        ("cancel", mul(a, power_of(add(a, b), Integer(-1)))),
        ("cancel", mul(a, b, a)),
        ("powers", mul(a, b, power_of(a, Integer(-1)))),
        ("like_terms", add(a, b)),
        ("delta", finite_sum(mul(c, KroneckerDelta(i, j)), k, d)),
        ("power_law", exponential(mul(a, b))),
        (
            "blocks",
            finite_sum(mul(MatrixElement(Concat(A, B), i, k), MatrixElement(Stack(C, C), k, l)), k, d + d),
        ),  # cut at other places
        ("blocks", finite_sum(MatrixElement(Concat(A, B), k, j), k, n)),  # a sum over rows
        # An identity matrix is not cut: in a part of the sum its 1 may be missing.
        ("blocks", finite_sum(mul(MatrixElement(Concat(A, B), i, k), exponential(KroneckerDelta(k, l))), k, d + d)),
        ("pairs", finite_sum(MatrixElement(TURNED, k, j), k, n)),
        ("turn", MatrixElement(TURNED, i, j)),
        ("angle_sum", add(mul(cosine(ALPHA), cosine(BETA)), mul(cosine(ALPHA), sine(BETA)))),
        ("angle_sum", add(mul(a, cosine(ALPHA), cosine(BETA)), mul(b, sine(ALPHA), sine(BETA)))),
        ("angle_terms", cosine(add(ALPHA, PairFrequency(Integer(100), k, d)))),
        ("collect_angles", add(mul(a, cosine(ALPHA)), mul(b, sine(ALPHA)))),
        ("common_factors", mul(add(mul(a, b), mul(a, c)), power_of(add(b, c), S.NegativeOne))),
        ("common_factors", mul(add(mul(a, a, b), mul(a, a, c)), power_of(add(mul(a, b), mul(a, c, c)), S.NegativeOne))),
        ("split_sum", finite_sum(power_of(add(a, c), Integer(2)), k, d)),
        ("circle", add(power_of(sine(ALPHA), Integer(2)), power_of(cosine(BETA), Integer(2)))),
        ("circle", add(mul(a, power_of(sine(ALPHA), Integer(2))), mul(b, power_of(cosine(ALPHA), Integer(2))))),
        ("circle", add(power_of(sine(ALPHA), Integer(2)), mul(M, power_of(cosine(ALPHA), Integer(2))))),
        ("truth", power_of(Smaller(a, b), M)),
        ("truth", mul(Smaller(a, b), Smaller(b, c))),
        ("truth", mul(Same(a, b), Same(b, a))),
        ("sides", Smaller(S.Zero, a)),
        ("sides", Same(a, b)),
        ("upwards", power_of(add(S.One, exponential(a)), M)),
        ("remainder", mul(a, power_of(add(S.One, b), M))),
        ("remainder", mul(b, power_of(add(S.One, mul(a, b)), M))),
        ("remainder", mul(power_of(a, M), power_of(add(S.One, a), M))),
    ],
)
def test_a_rule_keeps_off_what_is_not_its_business(name: str, place: Expr) -> None:
    assert RULES[name](place) is None


@pytest.mark.parametrize("other", [Smaller(b, a), Same(a, b), Same(b, a)])
def test_what_excludes_one_another_does_not_hold_together(other: Expr) -> None:
    assert RULES["truth"](mul(c, other, Smaller(a, b))) == 0


def test_the_root_of_a_square_is_not_the_number_itself() -> None:
    assert power_of(power_of(a, Integer(2)), HALF) != a
    assert key(power_of(power_of(a, Integer(2)), HALF)) != key(a)


def test_nothing_is_evaluated_behind_the_readers_back() -> None:
    assert mul(a, power_of(a, Integer(-1))).args == (a, Pow(a, -1))
    assert mul(b, a).args == (b, a)
    assert add(b, a, mul(S.NegativeOne, b)).args[:2] == (b, a)
    assert isinstance(mul(exponential(a), exponential(mul(S.NegativeOne, a))), Mul)


def test_a_sum_of_one_term_is_that_term() -> None:
    assert finite_sum(c, k, Integer(1)) == B[i, 0]


def test_putting_an_index_in_does_not_capture_it() -> None:
    """Σ_k b_{jk} with j replaced by k is not Σ_k b_{kk}."""
    changed = replaced(finite_sum(B[j, k], k, d), {j: k})
    ((index, _),), body = nested_sums(changed)

    assert index != k
    assert body == B[k, index]
    assert free(changed) == {k, d}


def test_a_product_of_the_same_sum_gets_indices_of_its_own() -> None:
    """Σ_r (Σ_k a_{rk})² is a triple sum, not Σ_r Σ_k a_{rk}²."""
    changed = everywhere(RULES["into_sum"], finite_sum(power_of(finite_sum(A[r, k], k, d), Integer(2)), r, n))
    bounds, body = nested_sums(changed)

    assert len({index for index, _ in bounds}) == 3
    assert len(set(body.args)) == 2


def test_an_identity_matrix_inside_another_sum_captures_nothing() -> None:
    """Σ_k δ_{kl} Σ_l a_{kl} = Σ_{l'} a_{ll'}: the l outside is another one."""
    changed = RULES["delta"](finite_sum(mul(KroneckerDelta(k, l), finite_sum(A[k, l], l, d)), k, n))
    assert changed is not None

    assert l in free(changed)
    assert key(changed) == key(finite_sum(A[l, r], r, d))


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        (finite_sum(A[i, k], k, d), finite_sum(A[i, l], l, d), True),
        (mul(a, b), mul(b, a), True),
        (totals(((k, n), (l, d)), A[k, l]), totals(((l, d), (k, n)), A[k, l]), True),
        (totals(((k, n), (l, n)), mul(A[k, i], A[l, j])), totals(((k, n), (l, n)), mul(A[l, i], A[k, j])), True),
        (totals(((k, n), (l, d)), A[k, l]), totals(((k, d), (l, n)), A[k, l]), False),
        (A[i, j], A[j, i], False),
        (finite_sum(A[i, k], k, d), finite_sum(A[i, k], k, n), False),
        (finite_sum(mul(A[k, k], B[k, k]), k, n), mul(finite_sum(A[k, k], k, n), finite_sum(B[k, k], k, n)), False),
        # the same name bound twice: the inner one hides the outer
        (
            finite_sum(finite_sum(finite_sum(mul(A[k, l]), l, n), k, n), k, n),
            finite_sum(finite_sum(finite_sum(A[l, l], l, n), k, n), k, n),
            False,
        ),
        (
            Largest(Largest(Largest(A[k, l], l, n), k, n), k, n),
            Largest(Largest(Largest(A[l, l], l, n), k, n), k, n),
            False,
        ),
        (Largest(A[i, k], k, d), Largest(A[i, l], l, d), True),
        (Largest(A[i, k], k, d), Largest(A[j, k], k, d), False),
        (exp(2 * a), power_of(exponential(a), Integer(2)), True),
        (exponential(a), exponential(mul(S.NegativeOne, a)), False),
        (power_of(a, HALF), a, False),
        (entry_symbol("i"), i, False),
        (entry_symbol("n"), n, False),
        (MatrixElement(Concat(A, B), i, j), MatrixElement(Concat(B, A), i, j), False),
    ],
)
def test_when_two_entries_are_the_same(one: Expr, two: Expr, same: bool) -> None:
    assert (key(one) == key(two)) is same
    if same:
        assert len(bound_indices(one)) == len(bound_indices(two))


def test_what_is_ignored_can_be_chosen() -> None:
    strict = Likeness(commute=False, exchange=False)
    swapped = totals(((l, d), (k, n)), A[k, l]), totals(((k, n), (l, d)), A[k, l])

    assert key(mul(a, b), strict) != key(mul(b, a), strict)
    assert key(swapped[0], strict) != key(swapped[1], strict)
    assert key(swapped[0], Likeness(commute=False)) == key(swapped[1], Likeness(commute=False))


def test_too_many_sums_inside_each_other() -> None:
    indices = [Symbol(f"k_{number}", integer=True) for number in range(SUMS + 1)]
    with pytest.raises(ProofError, match=f"expected at most {SUMS}"):
        key(totals(tuple((index, n) for index in indices), mul(*(A[i, index] for index in indices))))


def test_a_product_of_sums_is_not_multiplied_out_without_end() -> None:
    with pytest.raises(ProofError, match=f"expected at most TERMS = {TERMS}"):
        RULES["distribute"](Mul(*[Add(a, b, c, evaluate=False)] * 6, evaluate=False))
