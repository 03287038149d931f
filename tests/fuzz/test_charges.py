"""Whoever makes something pays for it before it is made: one place for each kind of work, counted, never timed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flint import arb, arb_series
from sympy import Integer, Rational, exp, log

from symattn.api.worked import derive
from symattn.base import limits
from symattn.base.budget import Budget, priced, working
from symattn.base.errors import BudgetError, NoValueError
from symattn.compute.values.moved import _tanh
from symattn.read.scenario.load import load, loads
from symattn.show.math import Number
from symattn.write import environment
from symattn.write.layout import width
from symattn.write.mathml import DISPLAY
from symattn.write.pdf import typst_made
from symattn.write.plain_math import characters
from symattn.write.tex_math import tex
from symattn.write.typst_math import typst_math

PIECE = Number("1")
WORK: dict[str, Callable[[], object]] = {
    "a piece": lambda: Number("2"),
    "its TeX": lambda: tex(PIECE),
    "its Typst": lambda: typst_math(PIECE),
    "its MathML": lambda: DISPLAY.write(PIECE),
    "its characters": lambda: characters(PIECE),
    "its width": lambda: width(PIECE),
    "a phrase": lambda: environment.phrases("en").call("note_label", {}),
    "a page of Typst": lambda: typst_made(b"x", "pdf", ""),
    "a power of a number": lambda: Integer(3) ** Integer(10**9),
    "a power of a fraction": lambda: exp(10**9 * log(Rational(29, 11))),
}
UNRELATED = ", ".join(f'"S{i} = identity({i})"' for i in range(2, 7))


@pytest.mark.parametrize("work", WORK)
def test_nothing_is_made_that_is_not_paid(work: str) -> None:
    with working(Budget(1)), pytest.raises(BudgetError):
        WORK[work]()


def test_a_function_with_a_price_costs_it_whenever_it_is_called() -> None:
    with working(budget := Budget(10)):
        assert priced(4)(str)(1) + priced(4)(str)(2) == "12"

    assert budget.steps == 2


def test_reading_a_scenario_is_a_question_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load("weather").name == "weather"
    monkeypatch.setattr(limits, "READING_STEPS", 5)

    with pytest.raises(BudgetError, match="reading the scenario takes more than STEPS = 5 steps"):
        load("training")


def test_a_lesson_in_which_nothing_flows_has_no_flow() -> None:
    text = f'title = "t"\n[[section]]\ntitle = "s"\nsteps = [{UNRELATED}]'

    assert "-flow" not in "".join(map(str, derive(loads(text)).files("t.md")))
    with pytest.raises(NoValueError, match="no step is made of another name"):
        derive(loads(text)).figure("flow")


@pytest.mark.parametrize("x", ["-1e38", "-2", "0", "2", "1e38"])
def test_the_slope_of_tanh_is_known_however_large_its_argument_is(x: str) -> None:
    value, slope = _tanh(arb_series([arb(x), 1], 2))

    assert value.overlaps(arb(x).tanh())
    assert slope.overlaps(1 - arb(x).tanh() ** 2)
    assert slope.rad() < arb("1e-6")
