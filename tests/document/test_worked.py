"""Worked lines of operations that nobody has written a rule for: derived from equations, read back, true."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from mpmath import mp
from sympy import HadamardProduct, Integer, MatrixSymbol, Rational, sqrt, sympify

from symattn.base.shapes import shape
from symattn.compute.solution.evaluation import Evaluation
from symattn.operations import GELU, AdditiveScores, Cosine, LayerNorm, MatMul, Softmax, Transpose
from symattn.operations.equations.read import read_operation
from symattn.operations.node import apply, operation_of
from symattn.read.given import Given
from symattn.read.plan import Plan, Step
from symattn.read.scenario.model import FigureStyle
from symattn.show.entries.letters import Letters, names_of, scores_of
from symattn.show.entries.step_entry import general_entry
from symattn.show.math import Chain, Number
from symattn.show.notation.formulas import Names
from symattn.show.working.equations import entry_work, row_work
from symattn.show.working.lines import Work
from symattn.show.working.operands import Opened
from symattn.write.layout import displays
from symattn.write.markdown import LINE
from tests.readback.evaluate import Scope
from tests.readback.lines import PAGE, Lines, Report, spellings
from tests.readback.page import DIGITS, value_of

X, Y, b = MatrixSymbol("X", 2, 3), MatrixSymbol("Y", 2, 3), MatrixSymbol("b", 1, 3)
GIVENS = {
    "X": [["1", "-2", "0.5"], ["1/3", "0", "4"]],
    "Y": [["1", "0", "0"], ["0.1", "0.2", "-3"]],
    "b": [["1", "2", "-3"]],
}
PRODUCT = MatMul(X, MatMul(Transpose(Y), Y, evaluate=False), evaluate=False)

OWN: dict[str, tuple[Any, ...]] = {
    "softcap(X, c)\n y[i,j] = c * tanh(X[i,j] / c)": (X, Integer(5)),
    "rootcap(X, c)\n y[i,j] = c * tanh(X[i,j] / c)": (PRODUCT, sqrt(2)),
    "leaky(X, a = 0.01)\n y[i,j] = X[i,j] if X[i,j] > 0 else a * X[i,j]": (X,),
    "log_softmax(X: m×n) -> m×n\n t[i] = sum(k, exp(X[i,k]))\n y[i,j] = X[i,j] - log(t[i])": (X,),
    """two(X: m×n) -> m×n
        mu[i] = sum(k, X[i,k]) / n
        delta[i,j] = X[i,j] - mu[i]
        rho[i,j] = delta[i,j]^2
        y[i,j] = rho[i,j] / (1 + rho[i,j]) - abs(delta[i,j])""": (X,),
    """stable(X: m×n) -> m×n
        m[i] = max(k, X[i,k])
        e[i,j] = exp(X[i,j] - m[i])
        t[i] = sum(k, e[i,k])
        y[i,j] = e[i,j] / t[i]""": (X,),
    "shares(X: m×n) -> m×n\n nu[j] = sum(k, X[k,j]^2)\n y[i,j] = X[i,j]^2 / nu[j]": (X,),
    "corners(X: m×n) -> m×n\n y[i,j] = 2 * X[i,j] if i == j else X[i,n - j + 1]": (X,),
    "clamp(X, a, b)\n y[i,j] = min(b, max(a, X[i,j]))": (X, Integer(-1), Rational(1, 2)),
    "whole(X: m×n) -> m×n\n tau = sum(k, sum(l, X[k,l]^2))\n y[i,j] = X[i,j] / sqrt(tau)": (X,),
    "mish(X)\n u[i,j] = log(1 + exp(X[i,j]))\n y[i,j] = X[i,j] * tanh(u[i,j])": (X,),
    "tiny(X: m×n) -> m×1\n y[i] = sum(k, X[i,k] if X[i,k] > 0 else 1)": (MatMul(Rational(1, 10**9), X),),
    """both(X: m×n) -> m×n
        a[i] = sum(k, X[i,k])
        e[j] = sum(l, X[l,j])
        y[i,j] = X[i,j] * a[i] - a[i] * (e[j] - 3) + e[j]^2""": (X,),
}
"""Operations, and what they are applied to."""


def solution_of(text: str, args: tuple[Any, ...], digits: int = 6) -> Evaluation:
    node = apply(read_operation(text), *args)
    plan = Plan()
    for name, rows in GIVENS.items():
        plan = plan.given(name, shape(len(rows), len(rows[0])))
    rows, columns = map(int, node.shape)
    plan = replace(plan, steps=(*plan.steps, Step("Z", shape(rows, columns), node)))
    givens = {name: Given.read(rows) for name, rows in GIVENS.items()}
    return Evaluation(plan, givens, FigureStyle(decimals=digits))


def letters_of(solution: Evaluation) -> Letters:
    node, shapes = solution.formula("Z"), {name: solution.shape(name) for name in ("Z", *GIVENS)}
    return Letters.choose(names_of(solution.derivation), shapes, shapes).beside(node)


def lines_of(solution: Evaluation) -> Iterator[Chain]:
    """All lines that work a step out, entry by entry, with those of its operands."""
    opened = Opened(solution.formula("Z"), Work(solution, letters_of(solution), "Z"))
    for i in range(solution.rows("Z")):
        for j in range(solution.columns("Z")):
            yield from opened.entry(i, j)


def page_of(text: str, args: tuple[Any, ...], digits: int = 6) -> str:
    return "\n".join(displays(tuple(lines_of(solution_of(text, args, digits))), PAGE, LINE))


@pytest.mark.parametrize("text", OWN, ids=lambda text: text.partition("(")[0])
def test_every_line_of_an_operation_of_ones_own_is_true(text: str) -> None:
    """Of more of them, and of formulas with them: the lesson of operations in tests/readback."""
    solution = solution_of(text, OWN[text])
    report = Report()
    with mp.workdps(DIGITS):
        names = ["Z", *GIVENS]
        written = spellings(Names(), names, [])
        scope = Scope({name: value_of(solution, name, name != "Z") for name in names})
        reader = Lines("Z", written, scope, report)
        entry = general_entry("Z", solution.formula("Z"), letters_of(solution), solution.shape("Z"))
        for kind, lines in (("entry", entry), ("working", tuple(lines_of(solution)))):
            for display in displays(lines, PAGE, LINE):
                reader.display(display, kind)

    assert report.wrong == []
    assert report.unread == []
    assert report.compared >= solution.rows("Z") * solution.columns("Z")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("softcap", r"z_{13} &= 5\cdot\mathrm{tanh}\left(\frac{0.5}{5}\right) \approx 0.498340"),
        ("rootcap", r"z_{11} &\approx 1.414214\cdot\mathrm{tanh}"),
        ("leaky", r"z_{12} &= 0.01\cdot(-2) = -0.02"),
        ("leaky", r"z_{13} &= 0.5"),
        ("two", r"\mu_1 &= \frac{1 + (-2) + 0.5}{3} \approx -0.166667"),
        ("log_softmax", r"\sum_{k=1}^{3} e^{x_{1k}} &= e^1 + e^{-2} + e^{0.5} \approx 4.502338"),
        ("shares", r"\nu_2 &= (-2)^2 + 0^2 = 4"),
        ("corners", r"z_{13} &= x_{11} = 1"),
        ("tiny", r"z_1 &\approx 0.000000 + 1 + 0.000000 \approx 1.000000"),
        ("clamp", r"z_{23} &= \mathrm{min}(0.5,\mathrm{max}(-1,4)) = 0.5"),
        ("mish", r"z_{11} &= 1\cdot\mathrm{tanh}(\mathrm{ln}(1 + e^1)) \approx 1\cdot\mathrm{tanh}(1.313262)"),
        ("whole", r"\tau &= 1^2 + (-2)^2 + 0.5^2 + \left(\frac{1}{3}\right)^2 + 0^2 + 4^2 \approx 21.361111"),
    ],
)
def test_what_a_line_shows(name: str, line: str) -> None:
    (text,) = (text for text in OWN if text.startswith(f"{name}("))

    assert line in page_of(text, OWN[text])


@pytest.mark.parametrize(
    ("name", "place", "count"),
    [("whole", (1, 0), 2), ("shares", (0, 1), 2), ("both", (1, 1), 3), ("log_softmax", (1, 2), 2)],
)
def test_an_entry_has_the_lines_of_what_it_uses_and_no_others(name: str, place: tuple[int, int], count: int) -> None:
    """The length of the whole matrix, the sum of its column, those of its row and column: each once, before it."""
    (text,) = (text for text in OWN if text.startswith(f"{name}("))
    solution = solution_of(text, OWN[text])
    opened = Opened(solution.formula("Z"), Work(solution, letters_of(solution), "Z"))
    first, again = opened.entry(*place), opened.entry(*place)

    assert (len(first), again) == (count, [])


@pytest.mark.parametrize("kind", [Softmax, Cosine, AdditiveScores, LayerNorm, GELU])
def test_one_of_ours_under_another_name_is_worked_as_ours(kind: Any) -> None:
    args: tuple[Any, ...] = {Cosine: (X, Y), LayerNorm: (X, Rational(1, 100_000)), AdditiveScores: (X, Y, b)}.get(
        kind, (X,)
    )
    operation = operation_of(kind(*args))
    assert operation is not None
    own = replace(operation, name="somebodys", called="somebodys")
    solution = solution_of("twice(X)\n y[i,j] = 2 * X[i,j]", (X,))
    lines = []
    for node in (kind(*map(sympify, args)), apply(own, *map(sympify, args))):
        work = Work(solution, letters_of(solution), solution.part(node), shown=Number("0"))
        lines.append([*row_work(node, work, 1), entry_work(node, work, 1, 1)])

    assert lines[0] == lines[1] != []
    assert scores_of(apply(own, *map(sympify, args))) == (X if kind is Softmax else None)


def test_a_mask_has_nothing_to_work_and_what_has_no_equations_is_refused() -> None:
    text = "corner_mask(n) -> n×n\n y[i,j] = -oo if i == j else 0"
    solution = solution_of(text, (Integer(2),))

    assert entry_work(solution.formula("Z"), Work(solution, letters_of(solution), "Z"), 0, 0) is None
    with pytest.raises(TypeError, match="no worked entry for HadamardProduct"):
        entry_work(HadamardProduct(X, Y), Work(solution, letters_of(solution), "Z"), 0, 0)
