"""Entries with free symbols: closed forms, what is known beside them, what is assumed, and numbers put in their place.

The second road: numbers in the closed form of every entry, against the certified decimals of the solution in which the
same numbers stand in the givens and formulas.
"""

from __future__ import annotations

from decimal import Decimal
from random import Random

import pytest
from sympy import Expr, Integer, Rational, oo, sqrt

from symattn.api.worked import WorkedSolution, derive
from symattn.base import limits
from symattn.base.errors import DomainError, FormulaError, NoValueError, UnknownNameError
from symattn.compute.solution.store import Shown
from symattn.operations.symbols import entry_symbol
from symattn.read.scenario.load import loads

A, B, T = map(entry_symbol, "abt")

HEAD = """
title = "Letters"
symbols = ["a", "b", "t"]
[sizes]
d_k = 2
[given]
X = [["a", "1", "1/2", "-2"], ["0", "2", "a + b", "1"], ["1", "0.25", "sqrt(2)/2", "3"]]
Y = [["b", "1", "0", "1"], ["2", "3/2", "1", "-1"], ["1", "t", "0", "1"]]
W = [["1", "0"], ["b", "2"], ["0", "1/3"], ["1", "1"]]
P = [["exp_a", "1", "2"], ["1", "3", "1"], ["4", "1", "a"]]
ids = [["0", "2", "1"]]
M = [["0", "-oo", "-oo"], ["0", "0", "-oo"], ["0", "0", "0"]]
""".replace("exp_a", "a^2 + 1")

FORMULAS = (
    "matrix_power(X @ Y.T, 2)",
    "X / sqrt(t)",
    "relu(X - relu(t * X - Y) + elu(X)) + X",
    "softmax(X @ Y.T / t + M)",
    "log(softmax(X))",
    "entropy(proportions(P))",
    "clip_norm(X, 2)",
    "softmax(X @ Y.T + window_mask(3, 2))",
    "softmax(X @ Y.T + padding_mask(3, 3, 2))",
    "rotary(X) + sinusoidal(3, 4)",
    "keep(X @ Y.T, M)",
    "one_hot(ids, 3) @ X",
)
"""Formulas over symbols; every operation by itself is tried in tests/test_every_stage.py."""

REFUSED = {"argmax": "argmax(X)", "top_k": "top_k(X, 2)", "one_hot": "one_hot(row(X, 1), 4)"}
"""What asks for an order that symbols leave open."""

PUT_IN = {"a": Rational(3, 4), "b": Rational(-5, 4), "t": Rational(7, 3)}


def solved(*steps: str, head: str = HEAD) -> WorkedSolution:
    listed = ", ".join(f'"{step}"' for step in steps)
    return derive(loads(f'{head}\n[[section]]\ntitle = "s"\nsteps = [{listed}]', path="letters.toml"))


def in_numbers(value: Expr, numbers: dict[str, Rational]) -> Expr:
    return value.xreplace({entry_symbol(name): number for name, number in numbers.items()}).doit()


def differ(solution: WorkedSolution, name: str, numbers: dict[str, Rational]) -> list[str]:
    """Entries whose closed form, with numbers in it, is not the certified value of the solution with those numbers."""
    certified = solution.substitute(**numbers).decimals(name, 16)
    closed = solution.exact_value(name).tolist()
    wrong = []
    for i, row in enumerate(closed):
        for j, value in enumerate(row):
            number = in_numbers(value, numbers)
            if number in (oo, -oo):
                continue
            if abs(Decimal(str(number.evalf(30))) - Decimal(certified[i][j])) > Decimal("1e-12"):
                wrong.append(f"{name}[{i + 1},{j + 1}] = {value}")
    return wrong


@pytest.mark.parametrize("formula", FORMULAS)
def test_numbers_in_the_closed_form_are_the_numbers_of_the_solution_with_them(formula: str) -> None:
    solution = solved(f"Z = {formula}")
    assert solution.store.shown("Z") is Shown.CLOSED_FORMS
    assert differ(solution, "Z", PUT_IN) == []


def test_a_mask_by_itself_hides_what_holds_symbols_too() -> None:
    solution = solved("S = X @ Y.T + causal_mask(3)", "Z = softmax(S)")
    assert solution.store.shown("Z") is Shown.CLOSED_FORMS
    assert differ(solution, "Z", PUT_IN) == []


@pytest.mark.long
def test_a_head_with_a_temperature_agrees_for_random_numbers() -> None:
    solution = solved("Q = X @ W", "S = Q @ Q.T / (t * sqrt(d_k))", "C = softmax(S)", "Z = C @ X", "R = relu(Z - X)")
    random = Random(0)
    numbers = {name: Rational(random.randint(1, 20), random.randint(3, 9)) for name in "abt"}
    assert [wrong for name in ("Q", "S", "C", "Z", "R") for wrong in differ(solution, name, numbers)] == []


@pytest.mark.parametrize("what", REFUSED)
def test_an_order_that_symbols_leave_open_is_refused_by_name(what: str) -> None:
    with pytest.raises(NoValueError, match=f"step Z: {what} needs numbers, and what it is given holds free symbols"):
        _ = solved(f"Z = {REFUSED[what]}")["Z"].exact


# -- what is known beside symbols


SMALL = 'title = "s"\nsymbols = ["a", "t"]\n[given]\nX = [["a", "1"], ["0", "2"]]\nW = [["1", "0"], ["0", "1/3"]]'


def test_entries_without_symbols_have_certified_decimals() -> None:
    solution = solved("Z = X @ W", head=SMALL)
    assert solution["Z"].exact.tolist() == [[entry_symbol("a"), Rational(1, 3)], [0, Rational(2, 3)]]
    assert solution["Z"].known_decimals(4) == ((None, "0.3333"), ("0.0000", "0.6667"))
    with pytest.raises(NoValueError) as caught:
        solution["Z"].decimals(4)
    sentence = (
        "Z has no certified decimals: Z[1,1] holds the free symbol a; put numbers in their place with substitute(…)"
    )
    assert str(caught.value) == sentence


@pytest.mark.parametrize("ask", ["enclosure", "float64", "figures", "signs", "ranking"])
def test_whatever_needs_numbers_names_the_entry(ask: str) -> None:
    solution = solved("Z = X @ W", head=SMALL)
    asked = {
        "enclosure": lambda: solution.enclosure("Z", 64),
        "float64": lambda: solution.float64("Z"),
        "figures": lambda: solution.figures("Z"),
        "signs": lambda: solution.signs(solution.store.formula("Z"), "Z"),
        "ranking": lambda: solution.ranking("Z", 0),
    }
    with pytest.raises(NoValueError, match=r"holds the free symbol a"):
        asked[ask]()


def test_what_has_no_symbols_left_is_a_number_again() -> None:
    solution = solved(
        "Y = row(X, 2)", "V = softmax(Y @ W)", "C = softmax(X / t)", "S = C @ ones(2, 1)", "D = X - X", head=SMALL
    )
    assert [name for name in solution if solution.store.shown(name) is Shown.CLOSED_FORMS] == ["X", "C"]
    assert solution["S"].decimals(3) == (("1.000",), ("1.000",))
    assert solution["D"].decimals(1) == (("0.0", "0.0"), ("0.0", "0.0"))
    assert solution["V"].decimals(6) == solved("V = softmax(row(X, 2) @ W)", head=SMALL)["V"].decimals(6)


def test_equal_fractions_are_known_to_be_equal() -> None:
    solution = solved("Z = proportions(X)", "S = Z @ ones(2, 1) - ones(2, 1)", head=SMALL)
    assert solution["S"].decimals(2) == (("0.00",), ("0.00",))


def test_minus_infinity_hides_what_a_symbol_divides() -> None:
    solution = solved(
        "S = X / t + causal_mask(2)", "C = softmax(S)", "E = entropy(softmax(X / t + causal_mask(2)))", head=SMALL
    )
    assert solution["S"].exact[0, 1] == -oo
    assert solution["C"].known_decimals(1)[0] == ("1.0", "0.0")
    assert solution["E"].known_decimals(1)[0] == ("0.0",)
    with pytest.raises(DomainError, match=r"step Z: Z\[1,2\] is not a number: an infinite value cannot be used here"):
        _ = solved("S = causal_mask(2)", "Z = t * S", head=SMALL)["Z"].exact


def test_rounded_carrying_takes_printed_figures_of_known_entries_and_closed_forms_of_the_others() -> None:
    head = SMALL + '\n[figures]\ncarry = "rounded"\ndecimals = 2\n'
    solution = solved("Q = X @ W", "Z = 3 * Q", head=head)
    assert solution["Z"].exact.tolist() == [[3 * entry_symbol("a"), Rational(99, 100)], [0, Rational(201, 100)]]


# -- what is assumed


@pytest.mark.parametrize(
    ("formula", "assumed"),
    [
        ("X / t", ("t ≠ 0",)),
        ("X / sqrt(t)", ("t > 0",)),
        ("sqrt(t) * X", ("t ≥ 0",)),
        ("proportions(X)", ("a + 1 ≠ 0",)),
        ("unit(X)", ()),
        ("divide(W, t * a * W + ones(2, 2) - ones(2, 2) + t * a * ones(2, 2))", ("a ≠ 0", "t ≠ 0")),
        ("entropy(X)", ("a ≥ 0",)),
        ("log(exp(X))", ()),
        ("divide(W, X + ones(2, 2))", ("a + 1 ≠ 0",)),
        ("softmax(X)", ()),
    ],
)
def test_assumptions_are_collected(formula: str, assumed: tuple[str, ...]) -> None:
    assert solved(f"Z = {formula}", head=SMALL).assumptions == assumed


@pytest.mark.parametrize("formula", ["divide(X, W)", "proportions(X - X)", "entropy(-1 * X)", "log(X)"])
def test_a_known_number_that_breaks_a_condition_is_an_error(formula: str) -> None:
    with pytest.raises(DomainError, match="step Z, "):
        _ = solved(f"Z = {formula}", head=SMALL)["Z"].exact


def test_a_hidden_division_by_zero_is_an_error() -> None:
    with pytest.raises(FormulaError, match="division by zero"):
        solved("Z = X / ((a + 1)^2 - a^2 - 2*a - 1)", head=SMALL)


# -- size


def test_a_closed_form_that_is_too_long_is_not_worked_out() -> None:
    entries = ", ".join(f'["{i} + a", "b*{i}", "t", "a*t"]' for i in range(1, 5))
    head = f'title = "s"\nsymbols = ["a", "b", "t"]\n[given]\nX = [{entries}]'
    solution = solved("S = X @ X.T", "C = softmax(S)", "Z = C @ X", "U = softmax(Z @ Z.T)", "V = U @ Z", head=head)
    with pytest.raises(NoValueError, match=f"are longer than CLOSED_FORM = {limits.CLOSED_FORM} numbers in an entry"):
        _ = solution["V"].exact
    assert solution.store.shown("V") is Shown.CLOSED_FORMS
    assert solution.substitute(a=1, b=2, t="1/3").decimals("V", 3)


# -- numbers in the place of symbols


def test_partial_substitution_keeps_the_rest_symbolic() -> None:
    solution = solved("Z = t * X @ W", head=SMALL).substitute(t="1/2")
    assert solution["Z"].exact.tolist() == [[entry_symbol("a") / 2, Rational(1, 6)], [0, Rational(1, 3)]]
    assert solution.substitute(a=sqrt(2))["Z"].decimals(4)[0] == ("0.7071", "0.1667")


def test_substitution_keeps_digits_and_carrying() -> None:
    scenario = loads(SMALL + '\n[[section]]\ntitle = "s"\nsteps = ["Z = X / 3"]')
    solution = derive(scenario, digits=3, carry="rounded").substitute(a=1)
    assert (solution.style.decimals, solution.style.carry) == (3, "rounded")
    assert [figure.text for figure in solution["Z"].figures[0]] == ["0.333", "0.333"]


@pytest.mark.parametrize(
    ("values", "kind", "sentence"),
    [
        ({"c": 1}, UnknownNameError, "unknown symbol 'c': known: a, t"),
        ({"t": 0}, DomainError, "line 8, section[1].steps[1]: with t = 0, the divisor t is 0"),
        ({"t": 0.5}, FormulaError, 't: 0.5 is a binary float and no longer the number that was meant: write "0.5"'),
        ({"t": "-oo"}, FormulaError, "t is -oo: expected a finite number"),
        ({"a": "t"}, FormulaError, "a: number 't': 't' is not a number"),
    ],
)
def test_a_number_that_cannot_be_put_in_is_refused(
    values: dict[str, object], kind: type[Exception], sentence: str
) -> None:
    with pytest.raises(kind) as caught:
        solved("Z = X / t", head=SMALL).substitute(**values)
    assert sentence in str(caught.value)


def test_a_number_that_leaves_a_given_without_a_value_is_refused() -> None:
    head = 'title = "s"\nsymbols = ["a"]\n[given]\nX = [["1/a", "sqrt(a)"]]'
    with pytest.raises(DomainError, match=r"given.X\[1,1\]: with a = 0, 1/a has no value"):
        solved(head=head).substitute(a=0)
    with pytest.raises(DomainError, match=r"given.X\[1,2\]: with a = -1, sqrt\(a\) has no value"):
        solved(head=head).substitute(a=-1)
    assert solved(head=head).substitute(a=Integer(4))["X"].decimals(2) == (("0.25", "2.00"),)
