"""The Python interface, and how it shows itself in Jupyter."""

from __future__ import annotations

from pathlib import Path

import pytest
from sympy import ImmutableDenseMatrix, Rational

import symattn
from symattn.base.errors import NoValueError, SymattnError, UnknownNameError
from symattn.operations import Softmax


def test_a_step_has_formula_shape_exact_value_and_certified_decimals() -> None:
    step = symattn.derive("weather")["A"]
    assert isinstance(step.formula, Softmax)
    assert step.shape == (3, 3)
    assert isinstance(step.exact, ImmutableDenseMatrix)
    assert step.decimals(6) == (
        ("1.000000", "0.000000", "0.000000"),
        ("0.500421", "0.499579", "0.000000"),
        ("0.336947", "0.329981", "0.333072"),
    )


@pytest.mark.sampled(0)
def test_exact_values_are_there_when_asked_for_however_deep() -> None:
    solution = symattn.derive("weather")
    assert solution["Q"].exact[0, 0] == Rational(29, 200)
    assert abs(float(solution["LN_2"].exact[0, 0].evalf(20)) - solution["LN_2"].float64()[0, 0]) < 1e-12


def test_rounded_figures_carry_their_errors_along() -> None:
    exact, rounded = symattn.derive("refund"), symattn.derive("refund", carry="rounded")
    assert exact["K_raw"].figures[2][0].text == "2.121320"
    assert rounded["K_raw"].figures[2][0].text == "2.121321"


def test_a_general_step_has_no_value() -> None:
    with pytest.raises(NoValueError, match="s is general"):
        symattn.derive("good")["s"].decimals(3)


def test_unknown_names_are_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'H_attn'"):
        symattn.derive("weather")["H_atn"]


def test_a_language_a_format_and_a_detail_that_are_not_there_are_errors() -> None:
    solution = symattn.derive("refund")
    with pytest.raises(SymattnError, match="markdown"):
        solution.render("word")
    with pytest.raises(SymattnError, match="zh-Hans"):
        solution.render(language="zh-Hnt")
    with pytest.raises(SymattnError, match="entries"):
        solution.render(detail="all")  # type: ignore[arg-type]


def test_solutions_and_values_show_themselves_in_jupyter() -> None:
    solution = symattn.derive("refund")
    assert repr(solution).startswith("<WorkedSolution '單頭注意力逐步計算")
    assert ", A, " in repr(solution)
    assert repr(solution["A"]) == "<WorkedValue A (n=3, n=3): ask for decimals(6), exact or formula>"
    shown = solution["A"]._repr_latex_()
    assert shown is not None
    assert "\\begin{bmatrix}" in shown
    assert "0.186324" in shown
    assert solution._repr_markdown_().startswith("# ")
    assert "\\[" not in solution._repr_markdown_()
    plain = symattn.derive("weather")["LN_1"]._repr_latex_()  # no Markdown reads it
    assert plain is not None
    assert plain.startswith(r"$\displaystyle \mathrm{LN}_1")


def test_importing_symattn_alone_is_light() -> None:
    import subprocess
    import sys

    program = "import sys, symattn; sys.exit('sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_variance_next_to_a_tie_is_shown_with_one_more_decimal(root: Path, tmp_path: Path) -> None:
    """Row 1 of weather sees only itself: its variance is a short decimal but for a masked weight of e^(-10^9)."""
    path = tmp_path / "lesson.toml"
    text = (root / "symattn/read/scenario/data/weather.toml").read_text("utf-8")
    norm = '"LN_1 = layer_norm(R_1, epsilon=10^-5)"'
    assert norm in text
    path.write_text(text.replace(norm, f"{{ step = {norm}, works = [1, 1] }}"), encoding="utf-8")
    assert "0.013866605" in symattn.derive(path, digits=8).render(language="en")


@pytest.mark.long
@pytest.mark.parametrize(("name", "digits"), [("weather", 1), ("refund", 2), ("good", 49), ("weather", 50)])
def test_scenarios_can_be_printed_with_few_and_many_digits(name: str, digits: int) -> None:
    assert symattn.derive(name, digits=digits).render(detail="entries")
