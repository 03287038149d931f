"""A few lines of a file may ask for much: an answer or a sentence comes soon, whatever they say."""

from __future__ import annotations

import random
import re
from contextlib import suppress

import pytest
from sympy import sqrt, symbols

from symattn import derive
from symattn.base.budget import Budget, keeping, working
from symattn.base.errors import BudgetError, ScenarioError, SymattnError, UndecidedError
from symattn.read.scenario.load import loads
from symattn.show.steps import Detail
from tests.counted import calls

CALLS = 30_000_000
"""Calls that one page may take; with the cause in place each of these takes ten to a hundred times as long."""

X = 'X = [["1", "2"], ["3", "4"]]'


def scenario(*steps: str, given: str = X) -> str:
    listed = ", ".join(f'"{step}"' for step in steps)
    return f'title = "t"\n[given]\n{given}\n[[section]]\ntitle = "s"\nsteps = [{listed}]\n'


def page(*steps: str, given: str = X, most: int = CALLS, detail: Detail = "steps") -> str:
    """The page of a scenario, which is there within so many calls."""
    written: list[str] = []
    calls(lambda: written.append(derive(loads(scenario(*steps, given=given))).render(detail=detail)), most)
    return written[0]


def numbers(rows: int, columns: int, digits: int, seed: int) -> str:
    draw = random.Random(seed)
    cells = [[f'"{draw.gauss(0, 1):.{digits}f}"' for _ in range(columns)] for _ in range(rows)]
    return "[" + ", ".join(f"[{', '.join(row)}]" for row in cells) + "]"


# -- what is asked once and not for every entry ------------------------------------------------------------------------


@pytest.mark.long
def test_equal_entries_of_a_large_matrix_are_found_once() -> None:
    said = "The entries in column 2, column 3, column 4 and 96 more tie exactly."
    assert said in page("A = softmax(identity(100))")


@pytest.mark.sampled(0)
def test_a_choice_asks_only_for_what_stands_on_either_side_of_it() -> None:
    assert "top" in page("A = top_k(softmax(distance(60)), 30)")
    assert "argmax" in page("P = sinusoidal(40, 20)", "A = argmax(P @ P.T)")


@pytest.mark.sampled(0)
def test_a_power_is_worked_by_squaring() -> None:
    assert "10^{" in page("A = distance(200)**30")


@pytest.mark.sampled(0)
def test_ones_are_written_down_without_being_asked_for_one_by_one() -> None:
    page("A = ones(600, 600)")


@pytest.mark.sampled(0)
def test_one_head_with_many_tokens_has_a_page() -> None:
    weights = (f"W_{name} = {numbers(8, 8, 4, seed)}" for seed, name in enumerate("QKV"))
    given = "\n".join((f"X = {numbers(256, 8, 4, 7)}", *weights))
    steps = ("Q = X @ W_Q", "K = X @ W_K", "V = X @ W_V", "A = softmax(Q @ K.T / sqrt(8))", "Z = A @ V")

    page(*steps, given=given)


def test_equal_sums_of_different_numbers_under_a_root_are_a_tie() -> None:
    # 1·4 + 2·2 = 2·4 + 0·2: equal scores, and nothing is made alike; a closed form would hold 600 numbers.
    keys = ", ".join(['["1", "2"]', '["2", "0"]', *(f'["{k}", "-9"]' for k in range(300))])
    written = page("A = softmax(Q @ K.T / sqrt(3))", given=f'Q = [["4", "2"]]\nK = [{keys}]')

    assert "The entries in column 1 and column 2 tie exactly." in written


@pytest.mark.long
@pytest.mark.sampled(2)
@pytest.mark.parametrize("row", [("1/3", "2/7"), ("sqrt(2)", "-1"), ("0.5", "-0.25")])
@pytest.mark.parametrize("detail", ["lesson", "steps"])
def test_fifty_equal_rows_are_an_ordinary_lesson(row: tuple[str, str], detail: Detail) -> None:
    entries = ", ".join(f'"{each}"' for each in row)
    written = page("A = softmax(X @ X.T)", given=f"X = [{', '.join([f'[{entries}]'] * 50)}]", detail=detail)

    assert "0.02 & 0.02" in written
    assert "in column 1, column 2, column 3 and 47 more" in written


# -- what goes deep ----------------------------------------------------------------------------------------------------


@pytest.mark.sampled(0)
def test_hundreds_of_sums_of_sums_have_a_page() -> None:
    assert "Y_{249}" in page("Y_0 = X + X", *(f"Y_{i} = Y_{i - 1} + X" for i in range(1, 250)))


def test_a_mask_is_seen_through_names_that_stand_for_it() -> None:
    assert "masked" in page("M = causal_mask(2)", "N = M", "S = X + N", "A = softmax(S)")


@pytest.mark.long
def test_a_tower_of_exponentials_ends() -> None:
    page("Y_0 = exp(-X)", *(f"Y_{i} = exp({'-' * (i % 2)}Y_{i - 1})" for i in range(1, 60)))


@pytest.mark.parametrize("depth", [20, 55])
def test_what_doubles_with_every_level_ends_with_a_sentence(depth: int) -> None:
    formula = "X"
    for _ in range(depth):
        formula = f"softmax({formula})"

    with pytest.raises(BudgetError, match=r"scenario.toml, line 6, .*the general entry of A takes more than STEPS"):
        page(f"A = {formula}")
    assert page(f"A = {formula}", detail="result")


@pytest.mark.parametrize("rule", ["Y{} + X", "hadamard(Y{0}, Y{0})"])
def test_definitions_inside_definitions_end_with_a_sentence(rule: str) -> None:
    text = scenario("Y0 = X / 3", *(f"Y{i} = " + rule.format(i - 1) for i in range(1, 90)))

    with pytest.raises(BudgetError, match=r"unfold Y89.*(FORMULA_DEPTH = 60|STEPS = )"):
        derive(loads(text.replace("steps = [", 'steps = [{ unfold = "Y89" }, '))).render()


@pytest.mark.long
def test_a_table_of_many_unknown_keys_is_refused_soon() -> None:
    text = 'title = "t"\n' + "".join(f"[t{number}]\n" for number in range(20_000))
    with pytest.raises(ScenarioError, match=r"unknown key 't0'.* and 99 more problems"):
        calls(lambda: loads(text), CALLS)


def test_the_floor_of_what_is_no_number_is_told_as_such() -> None:
    with pytest.raises(UndecidedError, match=r"line 6, .*Y\[1,2\] is not a number: an infinite value"):
        page("Y = floor(X / max(abs(X), axis=1, keepdims=True) + sqrt(2))", given='X = [["1", "-oo"]]')


@pytest.mark.long
def test_no_minimal_polynomial_of_nested_roots_is_looked_for() -> None:
    root = "".join(f"sqrt({prime} + " for prime in (2, 3, 5, 7, 11, 13, 17, 19)) + "1" + ")" * 8
    steps = (f"Y{i + 1} = unit(-Y{i})" for i in range(8))

    assert page("Y0 = X", *steps, given=f'X = [["{root}", "{root}"], ["{root}", "{root}"]]')


@pytest.mark.sampled(0)
def test_a_closed_form_with_a_long_entry_is_not_built_to_its_end() -> None:
    assert page("E = sinusoidal(16, 16)", "S = E @ E.T / sqrt(64)", "A = softmax(S)", detail="lesson")


# -- the budget --------------------------------------------------------------------------------------------------------


def test_the_precision_of_an_enclosure_has_a_limit() -> None:
    solution = derive(loads(scenario("A = softmax(X)", "B = sinusoidal(1000, 1000)")))

    with pytest.raises(BudgetError, match="step B takes more than STEPS"):
        solution["B"].decimals(6)  # the limits hold in Python; another question has a budget of its own
    with pytest.raises(SymattnError, match="enclosure of A: bits is 1000000000: expected 2 to 100000"):
        solution["A"].enclosure(10**9)
    assert solution["A"].enclosure(100).nrows() == 2


HEAVY = {
    "three large matrices": ("A = ones(1000, 1000)", "B = A + A", "C = exp(B)"),
    "a high power": ("A = matrix_power(distance(300), 60)",),
    "many exponentials": ("A = softmax(distance(900))",),
    "many sines": ("A = sinusoidal(1000, 1000)",),
    "a wide choice": ("A = top_k(distance(1000), 500)",),
    "squares of squares": ("Y0 = X / 7", *(f"Y{i} = Y{i - 1} @ Y{i - 1}" for i in range(1, 40))),
}


def ending(name: str) -> str:
    """The sentence that something heavy ends with, soon."""
    try:
        return page(*HEAVY[name], most=2 * CALLS)
    except (BudgetError, UndecidedError) as error:
        return str(error)


@pytest.mark.sampled(0)
@pytest.mark.parametrize("name", ["a high power", "many sines"])
def test_what_takes_too_long_is_said_with_what_to_try(name: str) -> None:
    assert re.match(r"scenario.toml, line 6, section\[1\].steps\[.*(try fewer|FIGURE_DIGITS)", ending(name))


def test_enclosures_go_on_where_fractions_grow_too_long() -> None:
    assert ending("squares of squares").count("0.000000 & 0.000000") > 1


def test_what_sympy_simplifies_by_itself_is_paid_for() -> None:
    a, b = symbols("a b")

    with working(Budget(100_000)), pytest.raises(BudgetError, match="more than STEPS = 100000 steps"):
        ((a + b + 1) ** 40).expand()
    with working(Budget(10_000)), pytest.raises(BudgetError, match="more than STEPS = 10000 steps"):
        sum((sqrt(number) for number in range(2, 40)), -sqrt(2)).evalf(500)
    assert ((a + b + 1) ** 2).expand() == a**2 + 2 * a * b + 2 * a + b**2 + 2 * b + 1


def test_numbers_that_failed_to_be_made_are_not_kept() -> None:
    with working(budget := Budget(room=10)):
        for _ in range(3):
            with suppress(UndecidedError), keeping(8):
                raise UndecidedError("not known")
        with keeping(8):
            pass

    assert budget.kept == 8


@pytest.mark.slow
@pytest.mark.parametrize("name", HEAVY)
def test_whatever_is_asked_for_ends(name: str) -> None:
    assert ending(name)


ROUNDED = 'X = { value = [["1.0", "2.0"], ["3.0", "4.0"]], rounded = true }'


def test_figures_that_are_rounded_have_the_same_budget() -> None:
    with pytest.raises(BudgetError, match=r"line 6, .*step A takes more than STEPS"):
        page("A = softmax(ones(300, 2) @ X @ ones(2, 300))", given=ROUNDED)


def test_a_tower_over_symbols_ends() -> None:
    text = scenario("Y0 = exp(-X)", *(f"Y{i} = tanh(Y{i - 1} / 3)" for i in range(1, 40)), given='X = [["a", "1"]]')

    assert derive(loads(text.replace("[given]", 'symbols = ["a"]\n[given]'))).render()
