"""Every figure that a source prints is derived; the known differences are the only ones."""

from __future__ import annotations

import pytest

from symattn.api import derive
from symattn.document.compare import Comparison, Difference, compare


def comparison(name: str) -> Comparison:
    solution = derive(name)
    return compare(solution.scenario, solution)


def test_weather_reproduces_all_383_figures_of_30_matrices() -> None:
    assert comparison("weather") == Comparison(30, 383, ())


def test_refund_reproduces_all_120_figures_and_the_lost_row_separator_is_told() -> None:
    assert comparison("refund") == Comparison(22, 120, (Difference("K_T", 0, 0, "1×5", "2×3"),))


def test_good_has_two_weights_that_should_be_one_hundredth_more() -> None:
    wrong = (Difference("W", 1, 1, "0.97", "0.98"), Difference("W", 3, 1, "0.90", "0.91"))
    assert comparison("good") == Comparison(3, 27, wrong)


def test_weather_is_printed_digit_for_digit_as_the_source_prints_it() -> None:
    solution = derive("weather")
    for name, rows in solution.scenario.printed.items():
        assert tuple(tuple(figure.text for figure in row) for row in solution.figures(name)) == rows, name


def test_refund_is_printed_digit_for_digit_as_the_source_prints_it() -> None:
    solution = derive("refund")
    for name, rows in solution.scenario.printed.items():
        ours = [figure.text for row in solution.figures(name) for figure in row]
        assert ours == [text for row in rows for cell in row for text in cell.split()], name


def test_good_prints_z_as_the_source_does() -> None:
    solution = derive("good")
    assert (
        tuple(tuple(figure.text for figure in row) for row in solution.figures("Z")) == solution.scenario.printed["Z"]
    )


def test_another_epsilon_does_not_reproduce_the_source() -> None:
    """The source never says that its layer norm uses 1e-5; its figures do."""
    from symattn.scenario.load import loads

    scenario = derive("weather").scenario
    text = scenario.text.replace("epsilon=10^-5", "epsilon=10^-6")
    assert text != scenario.text
    other = loads(text, "weather")
    assert any(difference.name == "LN_1" for difference in compare(other, derive(other)).differences)


@pytest.mark.parametrize("name", ["weather", "refund", "good"])
def test_every_step_has_a_printed_twin_or_is_our_own_addition(name: str) -> None:
    solution = derive(name)
    steps = {step.name for step in solution.derivation.steps if not step.general}
    extra = {"W_Q", "W_K", "W_V", "Q", "K", "V", "S", "A", "Z_scaled", "XX_T"} if name == "good" else set()
    assert steps - set(solution.scenario.printed) == extra
