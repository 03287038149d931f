"""Signs, ranks and comparisons are proved or refused, never guessed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest
from sympy import Rational, S, exp, oo, sqrt

from symattn.base.errors import NoValueError, UndecidedError, UnknownNameError
from symattn.compute.solution.proofs import equal_entries, groups, known_signs

HALF = Rational(1, 2)
NEAR = "10^-100"
"""A difference that 64 and 128 bits do not see, and 512 do."""
VERY_NEAR = "10^-400"
"""A difference that 512 bits do not see."""


# Signs


def test_signs_of_irrationals_are_proved_however_near_to_zero(solve: Callable) -> None:
    solution = solve({"X": [["sqrt(2)", "0"]], "Y": [[f"sqrt(2) + {NEAR}", "-sqrt(3)"]]}, "D = X - Y", "E = Y - X")

    assert solution.signs(solution.store.formula("D"), "D") == ((-1, 1),)
    assert solution.signs(solution.store.formula("E"), "E") == ((1, -1),)


def test_a_zero_that_only_algebra_sees_is_proved(solve: Callable) -> None:
    solution = solve({"X": [["1", "2"]], "one": [["1"], ["1"]], "c": [["1"]]}, "A = softmax(X)", "D = A @ one - c")

    assert solution.signs(solution.store.formula("D"), "D") == ((0,),)


# Rows of a softmax sum to 1, four layers deep: true, and far too large to be written out.
DEEP = ("A = softmax(X)", "B = softmax(A)", "C = softmax(B @ B.T)", "D = softmax(C @ C.T)", "N = D @ one - one")
DEEP_GIVENS = {"X": [["1", "2"], ["3", "4"]], "one": [["1"], ["1"]]}


def test_digits_of_relu_and_elu_need_no_sign(solve: Callable) -> None:
    """max(0, x) and e^x − 1 are continuous: what is 0 or nearly so prints as 0 either way."""
    solution = solve(DEEP_GIVENS, *DEEP, "G = relu(N)", "E = elu(N)", "H = relu(D @ one - one) + one")

    assert known_signs(solution.store, solution.store.formula("G").argument) == ((None,), (None,))
    assert solution.decimals("G", 6) == solution.decimals("E", 6) == (("0.000000",),) * 2
    assert [row[0].text for row in solution.figures("G")] == ["0.000000"] * 2
    assert not any(row[0].exact for row in solution.figures("G")), "nobody has proved that it is 0"
    assert solution["H"].decimals(6) == (("1.000000",),) * 2


@pytest.mark.long
def test_what_an_open_sign_leaves_open_is_not_answered(solve: Callable) -> None:
    """Neither the exact value nor an equality that hangs on it; a sign that has to be known is refused by name."""
    solution = solve(DEEP_GIVENS, *DEEP, "G = relu(N)")

    assert solution.equals("G", 0, S.Zero) is None
    with pytest.raises(UndecidedError) as caught:
        solution.store.evaluate_exact(solution.store.formula("G"))
    assert str(caught.value) == (
        "the input of relu, N[1,1]: its sign cannot be decided: it is too close to 0, and its closed form too large, "
        "to be settled"
    )
    with pytest.raises(UndecidedError, match=r"\Astep L, the input of log, N\[1,1\]: its sign cannot be decided"):
        solve(DEEP_GIVENS, *DEEP, "L = log(N)")["L"].decimals(6)


def test_the_digits_of_a_zero_do_not_wait_for_the_proof_that_it_is_one(solve: Callable) -> None:
    assert solve(DEEP_GIVENS, *DEEP)["N"].decimals(10) == (("0.0000000000",),) * 2


# Order


def test_ranking_is_from_the_largest_down_with_ties_together(solve: Callable) -> None:
    solution = solve({"X": [["1/3", "-2", "2/6", "5", "0.333"]]}, "Y = 1*X")

    assert solution.ranking("Y", 0) == ((3,), (0, 2), (4,), (1,))


def test_ties_of_irrational_entries_are_proved(solve: Callable) -> None:
    solution = solve({"X": [["sqrt(8)", "1", "2*sqrt(2)", "sqrt(2)"]]}, "A = softmax(X)", "Y = 1*X")

    assert solution.ranking("Y", 0) == ((0, 2), (3,), (1,))
    assert solution.ranking("A", 0) == ((0, 2), (3,), (1,))


def test_ties_in_a_softmax_are_those_of_its_scores(solve: Callable) -> None:
    """The scores of the second softmax are 1, 1 and 0: those of the first one have a long closed form."""
    givens = {
        "X": [["sqrt(2)*log(2)", "0", "0"], ["sqrt(2)*log(2)", "sqrt(2)*log(4)", "-sqrt(2)*log(3)"]],
        "V": [["1", "1", "0"], ["1", "1", "0"], ["1", "1", "0"]],
    }
    solution = solve(givens, "A = softmax(X @ X.T / sqrt(2) @ X / sqrt(2))", "U = A @ V", "P = softmax(U)")

    assert [group.columns for group in groups(solution.store, "P", 0)] == [(0, 1), (2,)]


@pytest.mark.parametrize("larger", [0, 1])
@pytest.mark.parametrize("number", ["1", "sqrt(2)"])
@pytest.mark.parametrize("difference", [NEAR, VERY_NEAR])
def test_a_near_tie_is_ranked_by_the_precision_it_takes(
    solve: Callable, larger: int, number: str, difference: str
) -> None:
    entries = [number, number]
    entries[larger] += f" + {difference}"

    assert solve({"X": [entries]}, "Y = 1*X").ranking("Y", 0) == ((larger,), (1 - larger,))


# Y is (1, 1, x) and (x, 1, 1) where nobody can prove that the ones are equal; x is 1/2 or 2.
OPEN = {"I": [["1", "0", "0"], ["1", "0", "0"]], "J": [["0", "1", "1/2"], ["0", "1", "2"]]}
UNKNOWN = r"\AY\[1,[12]\] and Y\[1,[12]\]: which of the two is larger cannot be decided\Z"


def test_a_tie_that_cannot_be_proved_is_a_group_that_says_so(solve: Callable) -> None:
    solution = solve(DEEP_GIVENS | OPEN, *DEEP[:-1], "Y = D @ I + J")

    above, below = (groups(solution.store, "Y", row) for row in (0, 1))
    assert [group.columns for group in above] == [(0, 1), (2,)]
    assert [group.columns for group in below] == [(2,), (0, 1)]
    assert set(above[0].open) == set(below[1].open) == {0, 1}
    assert above[1].open is below[0].open is None
    with pytest.raises(UndecidedError, match=UNKNOWN):
        solution.ranking("Y", 0)


def test_only_a_choice_that_hangs_on_an_open_tie_is_refused(solve: Callable) -> None:
    steps = (*DEEP[:-1], "Y = D @ I + J")
    one_row = {"I": OPEN["I"], "J": OPEN["J"]}

    taken = solve(DEEP_GIVENS | one_row, *steps, "T = top_k(row(Y, 1), 2)", "c = argmax(row(Y, 2))", "M = row_max(Y)")
    assert taken.decimals("T", 0) == (("1", "1", "0"),)
    assert taken.decimals("c", 0) == (("2",),)
    assert taken.decimals("M", 3) == (("1.000",), ("2.000",))
    for formula in ("top_k(row(Y, 1), 1)", "argmax(row(Y, 1))", "top_k(row(Y, 2), 2)"):
        with pytest.raises(UndecidedError, match=r"which of the two is larger cannot be decided\Z"):
            solve(DEEP_GIVENS | one_row, *steps, f"T = {formula}").decimals("T", 0)


# Comparison with a number


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        (["0", "0"], 0),
        (["sqrt(2)/2", "1/sqrt(2)"], 0),
        (["0", "1"], -1),
        (["1", "0"], 1),
        (["0", NEAR], -1),
        ([NEAR, "0"], 1),
        (["0", VERY_NEAR], -1),
    ],
)
def test_more_than_half_is_proved(solve: Callable, entries: list[str], expected: int) -> None:
    assert solve({"X": [entries]}, "A = softmax(X)").compare("A", 0, HALF) == expected


@pytest.mark.parametrize("number", [Rational(1, 3), sqrt(2) / 2, exp(-1), S.Exp1, oo, -oo])
def test_entries_are_compared_with_any_real_number(solve: Callable, number: object) -> None:
    solution = solve({"X": [["1/2"]]}, "Y = 1*X")

    assert solution.compare("Y", 0, number) == (1 if number < HALF else -1)


# Equality


def test_equality_is_proved_disproved_or_left_open(solve: Callable) -> None:
    solution = solve({"X": [["0", "0", "1"]]}, "A = softmax(X)", "Y = 2*X")

    assert solution.equals("Y", 2, S(2)) is True
    assert solution.equals("Y", 2, sqrt(2)) is False
    assert solution.equals("A", 0, 1 / (2 + S.Exp1)) is True
    assert solution.equals("A", 0, Rational(1, 5)) is False
    assert equal_entries(solution.store, "A", 0, 1) is True
    assert equal_entries(solution.store, "A", 0, 2) is False
    assert solve(DEEP_GIVENS, *DEEP).equals("N", 0, S.Zero) is None


def test_a_question_of_equality_ends(solve: Callable, within: Callable) -> None:
    """Column sums of six rows of weights have six denominators: their common one has 6^6 terms."""
    rows = [[f"{(7 * i + 3 * j) % 11 - 5}/{i + j + 1}" for j in range(6)] for i in range(6)]
    solution = solve(
        {"X": rows, "one": [["1"]] * 6, "c": [["6"]]}, "A = softmax(X)", "N = one.T @ A @ one - c", "G = relu(N)"
    )

    with within(10), suppress(UndecidedError):
        assert solution["G"].decimals(6) == (("0.000000",),)


# What cannot be asked


def test_what_has_no_value_says_so(solve: Callable) -> None:
    from symattn.base.shapes import Axis, Shape
    from symattn.compute.solution import Solution
    from symattn.read.plan import Plan

    general = Shape(Axis("m", "m"), Axis("n", "n"))
    solution = Solution(Plan().given("G", general, general=True).step("H", "G @ G.T"), {})

    for ask in (solution.figures, solution.rational, solution.exact_value, solution.float64):
        with pytest.raises(NoValueError, match=r"\AH is general: "):
            ask("H")
    with pytest.raises(UnknownNameError, match=r"\Aunknown name 'Q': known: G, H\Z"):
        solution["Q"]
    assert (solution["H"].shape, "H" in solution, list(solution)) == (("m", "m"), True, ["G", "H"])


def test_two_parts_that_are_printed_alike_are_kept_apart(solve: Callable) -> None:
    solution = solve(
        {"X": [["1", "2"], ["3", "4"]], "c": [["1"], ["2"], ["3"]]}, "Y = identity(2)/2 @ X", "Z = identity(3)/2 @ c"
    )

    two, three = (solution.store.part(solution.store.formula(name).args[0]) for name in "YZ")

    assert two != three
    assert solution.decimals(two, 1) == (("0.5", "0.0"), ("0.0", "0.5"))
    assert solution.store.shape(three).sizes == (3, 3)
    assert solution.store.part(solution.store.formula("Z").args[0]) == three


@pytest.mark.parametrize("number", ["2", "sqrt(2)"])
def test_what_a_mask_hides_twice_is_a_tie_and_not_undecided(solve: Callable, number: str) -> None:
    solution = solve({"X": [["-oo", number, "-oo"], ["-oo", "-oo", "-oo"]]}, "M = row_max(X)")

    assert solution.ranking("X", 0) == ((1,), (0, 2))
    assert solution.ranking("X", 1) == ((0, 1, 2),)
    assert list(solution["M"].exact) == [sqrt(2) if "sqrt" in number else 2, -oo]
    assert [row[0].text for row in solution.figures("M")] == ["1.414214" if "sqrt" in number else "2", "-oo"]


def test_a_sign_that_theory_does_not_reach_leaves_an_equality_open(solve: Callable) -> None:
    """arccos 3/5 + arccos 4/5 is 90 degrees: short enough to be asked, and no theorem here knows it."""
    givens = {"A": [["1", "0"]], "B": [["3", "4"]], "C": [["0", "1"]], "c": [["90"]]}
    solution = solve(givens, "G = relu(angle(A, B) + angle(C, B) - c)")

    assert known_signs(solution.store, solution.store.formula("G").argument) == ((None,),)
    assert solution.equals("G", 0, S.Zero) is None
    assert solution["G"].decimals(20) == (("0." + "0" * 20,),)
    assert [figure.text for figure in solution.figures("G")[0]] == ["0.000000"]
