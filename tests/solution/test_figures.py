"""What is printed: how many decimals, ties, large numbers, and a calculation by hand reproduced step by step."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.base.errors import SymattnError, UndecidedError
from symattn.compute.solution import read_back
from symattn.compute.solution.figures import settled
from symattn.compute.solution.proofs import entry_size


def texts(solution: object, name: str) -> list[list[str]]:
    return [[figure.text for figure in row] for row in solution.figures(name)]


def rows_of(text: str) -> list[list[str]]:
    """``1 2; 3 4`` as rows."""
    return [row.split() for row in text.split(";")]


FIGURES = [
    # A scope shares the fewest decimals that are exact.
    ("1/2 1/3; 1/8 2", "1*X", {"decimals": 4}, "0.5000* 0.3333; 0.1250* 2.0000*"),
    ("1/2 1/3; 1/8 2", "1*X", {"decimals": 4, "scope": "column"}, "0.500* 0.3333; 0.125* 2.0000*"),
    ("1/2 1/3; 1/8 2", "1*X", {"decimals": 4, "scope": "entry"}, "0.5* 0.3333; 0.125* 2*"),
    # Short values behind roots and exponentials are found; what only looks exact is not called so.
    ("sqrt(2)/2 sqrt(8)", "X @ X.T", {"scope": "entry"}, "8.5*"),
    ("sqrt(2)/2 sqrt(8)", "X / sqrt(2)", {"scope": "entry"}, "0.5* 2*"),
    ("1 1", "softmax(X)", {"scope": "entry"}, "0.5* 0.5*"),
    ("0.50000001 1/2 sqrt(2)", "1*X", {"scope": "entry"}, "0.500000 0.5* 1.414214"),
    # A masked weight is exact only with −∞.
    ("1 2; 1 1/7", "softmax(X + causal_mask(2, -10^9))", {"decimals": 1, "scope": "entry"}, "1.0 0.0; 0.7 0.3"),
    ("1 2; 1 1/7", "softmax(X + causal_mask(2))", {"decimals": 1, "scope": "entry"}, "1* 0*; 0.7 0.3"),
]
"""X, the formula, the style, and the figures with a star behind those that are exact."""


@pytest.mark.parametrize(("given", "formula", "style", "shown"), FIGURES)
def test_figures_have_the_fewest_decimals_that_are_exact(
    solve: Callable, given: str, formula: str, style: dict[str, object], shown: str
) -> None:
    figures = solve({"X": rows_of(given)}, f"Y = {formula}", **style).figures("Y")

    assert [[f"{figure.text}{'*' * figure.exact}" for figure in row] for row in figures] == rows_of(shown)


def test_givens_are_printed_as_they_are_written(solve: Callable) -> None:
    solution = solve({"X": [["0.50", "-3/4"], ["-10**9", "007"]], "R": [["sqrt(2)/2", "0.5"]]}, decimals=3)

    assert texts(solution, "X") == [["0.50", "-3/4"], ["-10^9", "007"]]
    assert texts(solution, "R") == [["0.707", "0.500"]]


@pytest.mark.parametrize("digits", [0, -1, 51])
def test_a_style_has_one_to_fifty_decimals(solve: Callable, digits: int) -> None:
    with pytest.raises(SymattnError, match=rf"\Adigits is {digits}: expected 1 to 50\Z"):
        solve({"X": [["1"]]}, decimals=digits)


# Ties

BESIDE = "0.25+{0} 0.25-{0} -0.35+{0} -0.35-{0}"
TIES = [
    ("0.05 0.15 -0.05 -0.15 0.95 -0.95 2.25", "1*X", "0.1 0.2 -0.1 -0.2 1.0 -1.0 2.3", "0.0 0.2 0.0 -0.2 1.0 -1.0 2.2"),
    ("3 3 3 3", "softmax(X)", "0.3 0.3 0.3 0.3", "0.2 0.2 0.2 0.2"),
    ("3 3 3 3", "-1 * softmax(X)", "-0.3 -0.3 -0.3 -0.3", "-0.2 -0.2 -0.2 -0.2"),
    ("sqrt(2)/4; -sqrt(2)/4", "X / sqrt(2)", "0.3; -0.3", "0.2; -0.2"),
    # Beside a tie the value decides and not the rule: neither double precision nor the first balls can tell.
    *((BESIDE.format(near), "1*X", *["0.3 0.2 -0.3 -0.4"] * 2) for near in ("10^-120", "10^-120*sqrt(2)")),
]


@pytest.mark.parametrize(("given", "formula", "half_up", "half_even"), TIES)
def test_ties_are_settled_by_the_rule(solve: Callable, given: str, formula: str, half_up: str, half_even: str) -> None:
    for ties, shown in (("half_up", half_up), ("half_even", half_even)):
        solution = solve({"X": rows_of(given)}, f"Y = {formula}", ties=ties)
        assert [list(row) for row in solution["Y"].decimals(1)] == rows_of(shown)


def test_a_tie_that_cannot_be_proved_is_refused_by_place(solve: Callable) -> None:
    solution = solve(
        {"X": [["1", "2"], ["3", "4"]], "one": [["1"], ["1"]]},
        "A = softmax(X)",
        "B = softmax(A)",
        "C = softmax(B @ B.T)",
        "D = softmax(C @ C.T)",
        "H = D @ one / 2",
    )

    assert solution["H"].decimals(1) == (("0.5",), ("0.5",))
    with pytest.raises(UndecidedError, match=r"\AH\[1,1\]: decimal number 0 cannot be decided: "):
        solution["H"].decimals(0)


def test_a_tie_that_only_an_infinitesimal_separates_is_refused_not_guessed(solve: Callable) -> None:
    """1 − 10^(−4·10⁸) times 0.25: no precision shows the side, and exact arithmetic only says that it is no tie."""
    givens = {"Z": [["0", "-10^9"]], "X": [["0.25"], ["0"]]}
    with pytest.raises(UndecidedError, match=r"Y\[1,1\]"):
        solve(givens, "A = softmax(Z)", "Y = A @ X", decimals=1).figures("Y")


# Large numbers


@pytest.mark.parametrize(("decimals", "shown"), [
    (6, "9999999.5 9999999.5   10^7 10^7   -10^9 -10^9   -10^9+0.02 -10^9   150000000 1.5*10^8   -oo -oo   oo oo"),
    (6, "-123456789012 -1.23457*10^11   99999999.6 10^8   sqrt(2)*10^9 1.41421*10^9"),
    (3, "-sqrt(3)*10^20 -1.73*10^20"),
    (2, "-123456789012 -1.2*10^11   1.25*10^8 1.3*10^8"),
    (1, "12345678.9 1.2*10^7"),
])  # fmt: skip
def test_large_numbers_are_multiples_of_a_power_of_ten(solve: Callable, decimals: int, shown: str) -> None:
    for value, text in zip(shown.split()[::2], shown.split()[1::2], strict=True):
        solution = solve({"X": [[value]]}, "Y = X / 1", scope="entry", decimals=decimals)
        assert texts(solution, "Y") == [[text]]


def test_digits_before_the_point_are_never_too_many(solve: Callable) -> None:
    solution = solve({"X": [["1e2999"]]}, "Y = X @ X")

    assert texts(solution, "Y") == [["10^5998"]]
    assert len(solution["Y"].decimals(1)[0][0]) == 5999 + 2


# Numbers that are not there


@pytest.mark.parametrize("step", [
    *("X / (n - 2)", "(n - 2)^-1 * X", "sqrt(n - 3) * X", "X / sqrt(1 - n)", "layer_norm(X, n - 3)"),
    *("layer_norm(X, 0)", "X * oo", "causal_mask(2) - causal_mask(2)", "softmax(causal_mask(2, oo))"),
    *("layer_norm(causal_mask(2))", "X / m"),
])  # fmt: skip
def test_a_number_that_does_not_exist_is_refused_and_not_printed(solve: Callable, step: str) -> None:
    assert solve({"X": [["1"]]}, "Y = X / 1", sizes={"n": 2, "m": "m"}).figures("Y")
    for ask in (lambda solution: solution.figures("Y"), lambda solution: solution.decimals("Y", 6)):
        with pytest.raises(SymattnError):
            ask(solve({"X": [["1", "1"], ["0", "2"]]}, f"Y = {step}", sizes={"n": 2, "m": "m"}))


# By hand: each step from the printed figures of the last

X_ROWS = [["0.21", "-0.5"], ["1/3", "0.125"]]
W_ROWS = [["0.5", "-0.25", "1"], ["0.33", "1.5", "-2"]]


def rounded_by_hand(value: Decimal, places: int, mode: str) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-places), rounding=mode)


def by_hand(places: int, mode: str) -> dict[str, list[list[Decimal]]]:
    """Q = X W, S = Q Qᵀ/√2, A = softmax(S), Z = A Q, LN = layer_norm(Z): with a pocket calculator of 60 digits."""
    with localcontext(Context(prec=60)):
        X = [[Decimal(Fraction(t).numerator) / Decimal(Fraction(t).denominator) for t in row] for row in X_ROWS]
        W = [[Decimal(t) for t in row] for row in W_ROWS]

        def dot(a: list[Decimal], b: list[Decimal]) -> Decimal:
            return sum((p * q for p, q in zip(a, b, strict=True)), Decimal(0))

        def figures(rows: list[list[Decimal]]) -> list[list[Decimal]]:
            return [[rounded_by_hand(x, places, mode) for x in row] for row in rows]

        Q = figures([[dot(row, [w[j] for w in W]) for j in range(3)] for row in X])
        S = figures([[dot(q, k) / Decimal(2).sqrt() for k in Q] for q in Q])
        A = figures([[s.exp() / sum(t.exp() for t in row) for s in row] for row in S])
        Z = figures([[dot(a, [q[j] for q in Q]) for j in range(3)] for a in A])
        means = [sum(z) / 3 for z in Z]
        spreads = [
            (sum((x - m) ** 2 for x in z) / 3 + Decimal("0.00001")).sqrt() for z, m in zip(Z, means, strict=True)
        ]
        LN = figures([[(x - m) / s for x in z] for z, m, s in zip(Z, means, spreads, strict=True)])
        return {"Q": Q, "S": S, "A": A, "Z": Z, "LN": LN}


STEPS = ("Q = X @ W", "S = Q @ Q.T / sqrt(2)", "A = softmax(S)", "Z = A @ Q", "LN = layer_norm(Z)")


@pytest.mark.parametrize(("ties", "mode"), [("half_up", ROUND_HALF_UP), ("half_even", ROUND_HALF_EVEN)])
@pytest.mark.parametrize("places", [1, 3, 8])
def test_rounded_carry_is_the_calculation_by_hand(solve: Callable, places: int, ties: str, mode: str) -> None:
    solution = solve({"X": X_ROWS, "W": W_ROWS}, *STEPS, decimals=places, ties=ties, carry="rounded")

    for name, expected in by_hand(places, mode).items():
        assert [[Decimal(text) for text in row] for row in texts(solution, name)] == expected, name


def test_rounded_carry_differs_from_exact_carry_and_says_where(solve: Callable) -> None:
    exact = solve({"X": X_ROWS, "W": W_ROWS}, *STEPS, decimals=2)
    rounded = solve({"X": X_ROWS, "W": W_ROWS}, *STEPS, decimals=2, carry="rounded")

    assert texts(exact, "LN") != texts(rounded, "LN")
    for name in ("Q", "S", "A", "Z", "LN"):
        flat = [text for row in texts(exact, name) for text in row]
        worked = solve(
            {"X": texts(exact, STEPS_BEFORE[name]), "W": W_ROWS, "Q": texts(exact, "Q")},
            f"R = {dict(step.split(' = ', 1) for step in STEPS)[name].replace(STEPS_BEFORE[name], 'X')}",
            decimals=2,
            scope="matrix",
        )
        assert dict(read_back.by_hand(exact.store, name)) == {
            index: text
            for index, (text, here) in enumerate(
                zip((t for row in worked["R"].decimals(2) for t in row), flat, strict=True)
            )
            if Decimal(text) != Decimal(here)
        }


STEPS_BEFORE = {"Q": "X", "S": "Q", "A": "S", "Z": "A", "LN": "Z"}


def test_in_rounded_carry_the_exact_value_is_the_value_of_the_printed_figures(solve: Callable) -> None:
    solution = solve({"X": [["1/3", "1"]]}, "Y = X / 3", "Z = 3*Y", decimals=2, carry="rounded")

    assert texts(solution, "Y") == [["0.11", "0.33"]]
    assert [str(x) for x in solution["Z"].exact] == ["33/100", "99/100"]
    assert solution["Z"].decimals(5) == (("0.33000", "0.99000"),)


def test_infinity_is_carried_as_what_it_is(solve: Callable) -> None:
    steps = ("S = X.T @ X / 3", "M = causal_mask(2)", "T = S + M", "A = softmax(T)")
    solution = solve({"X": [["1", "2"]]}, *steps, decimals=1, carry="rounded")

    assert texts(solution, "M") == [["0", "-oo"], ["0", "0"]]
    assert texts(solution, "T") == [["0.3", "-oo"], ["0.7", "1.3"]]
    assert texts(solution, "A") == [["1.0", "0.0"], ["0.4", "0.6"]]
    assert str(solution["A"].exact[1, 0]) == "exp(7/10)/(exp(7/10) + exp(13/10))"
    assert (solution.store.printed_value("T"), solution.rational("T")) == (None, None)


# Any matrix

entries = st.fractions(min_value=-(10**6), max_value=10**6, max_denominator=10**4)


@pytest.mark.long
@given(
    st.lists(st.lists(entries, min_size=3, max_size=3), min_size=1, max_size=3),
    st.integers(1, 6),
    st.sampled_from(["matrix", "column", "entry"]),
)
def test_every_figure_is_the_value_rounded_and_exact_where_it_says_so(
    solve: Callable, rows: list[list[Fraction]], places: int, scope: str
) -> None:
    solution = solve({"X": rows}, "Y = 1*X", scope=scope, decimals=places)

    for figures, values in zip(solution.figures("Y"), rows, strict=True):
        for figure, value in zip(figures, values, strict=True):
            shown = len(figure.text.partition(".")[2])
            assert shown <= places
            assert abs(Fraction(figure.text) - value) <= Fraction(1, 2 * 10**shown)
            assert figure.exact == (Fraction(figure.text) == value)
            assert figure.exact or shown == places


# Cost


@pytest.mark.long
def test_the_figures_of_a_large_rational_matrix_do_not_take_quadratic_time(solve: Callable, within: Callable) -> None:
    rows = [[f"{(i * 37 + j * 101) % 997}/997" for j in range(96)] for i in range(96)]
    solution = solve({"X": rows}, "Y = X / 3")

    with within(3):
        solution.figures("Y")


def test_powers_of_powers_end(solve: Callable, within: Callable) -> None:
    """((X^64)^64)^… has entries of 64^4 digits: worked out, or refused, but not for a minute."""
    steps = [f"X_{n + 1} = matrix_power(X_{n}, 64)" for n in range(4)]
    solution = solve({"X_0": [["1", "2"], ["3", "4"]]}, *steps)

    with within(5), suppress(SymattnError):
        solution.figures("X_4")


# What is too large


def test_a_number_too_large_to_be_written_down_is_refused_by_name(solve: Callable) -> None:
    solution = solve({"X": [["1", "10^20"]]}, "Y = exp(X)", "L = exp(20000 * ones(1, 1))")
    with pytest.raises(
        UndecidedError, match=r"Y\[1,2\] is too large to be written down: it has more than FIGURE_DIGITS"
    ):
        solution.figures("Y")

    assert texts(solution, "L") == [["7.756*10^8685"]]


@pytest.mark.parametrize("largest", ["10^7", "10^9", "10^20"])
def test_an_entropy_of_scores_far_apart_is_found_at_once(solve: Callable, largest: str) -> None:
    """SymPy would work out ln(1 + e^(10^7)) to ten million digits to see that it is not 10^7."""
    solution = solve({"X": [["0", largest]]}, "H = entropy(softmax(X))")

    assert texts(solution, "H") == [["0.000000"]]


@pytest.mark.parametrize("small", ["0.276", "sqrt(2)"])
def test_roots_of_endless_numbers_are_left_to_enclosures(solve: Callable, small: str) -> None:
    """SymPy would look for the factors of numbers of a thousand digits."""
    solution = solve({"X": [["-0.26", small], ["1000", "10^300"]]}, "P = proportions(cosine(X, X @ X))", "N = norm(X)")

    assert entry_size(solution.store, "P") > 1000
    assert texts(solution, "N")[1] == ["10^300"]


def test_many_layers_use_the_first_precision_up_and_have_figures_all_the_same(solve: Callable) -> None:
    steps = [f"Y{k} = softmax(Y{k - 1} @ Y{k - 1}.T) + Y{k - 1}" for k in range(1, 20)]
    solution = solve({"Y0": [["1/7", "2/7"], ["3/7", "4/7"]]}, *steps)

    assert [figure.text for figure in solution.figures("Y19")[0]] == list(solution["Y19"].decimals(6)[0])
    assert solution["Y19"].decimals(6)[0] == ("2.125950", "17.302621")  # as NumPy has it


def test_what_a_mask_of_minus_infinity_lets_through_is_exact(solve: Callable) -> None:
    mask = [["0", "-oo"], ["0", "0"]]
    solution = solve({"X": [["1", "2"], ["0", "1"]], "M": mask}, "A = softmax(X @ X.T + M)", "O = A @ X", "P = O @ X.T")

    assert [settled(solution.store, "P", i, solution.figures("P")[0][i]).short for i in (0, 1)] == ["5", "2"]
