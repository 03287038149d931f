"""Worked lines of operations that nobody has written a rule for: derived from equations, read back, true."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flint import arb
from mpmath import mp
from sympy import HadamardProduct, Integer, MatrixSymbol, Rational, sqrt, sympify

from symattn.api.worked import derive
from symattn.base.errors import UndecidedError
from symattn.base.printed import read_figure
from symattn.base.shapes import shape
from symattn.compute.solution.evaluation import Evaluation
from symattn.compute.solution.on_the_way import numbers
from symattn.compute.solution.proofs import entry_size
from symattn.compute.solution.store import Shown
from symattn.compute.values.zero import is_zero
from symattn.operations import GELU, AdditiveScores, Cosine, LayerNorm, MatMul, Softmax, Transpose
from symattn.operations.equations.read import read_operation
from symattn.operations.node import apply, operation_of
from symattn.read.given import Given
from symattn.read.plan import Plan, Step
from symattn.read.scenario.load import loads
from symattn.read.scenario.model import CarryMode, FigureStyle
from symattn.show.blocks import Matrix
from symattn.show.build import scenario_names
from symattn.show.entries.letters import Letters, page_names, scores_of
from symattn.show.entries.step_entry import general_entry
from symattn.show.lesson import treatments
from symattn.show.math import Chain, Number, every
from symattn.show.notation.closed_form import LONGEST_ENTRY, _digits, least_digits
from symattn.show.notation.formulas import Names
from symattn.show.step_parts import StepParts, chains_of
from symattn.show.steps import StepBlocks
from symattn.show.working.equations import entry_work, row_work
from symattn.show.working.lines import Work
from symattn.show.working.operands import Opened
from symattn.write.layout import displays
from symattn.write.markdown import LINE
from tests.document.lessons import lesson
from tests.readback.evaluate import Scope
from tests.readback.lessons import LAYERS
from tests.readback.lines import PAGE, Lines, Report, spellings
from tests.readback.page import DIGITS, read_solution, value_of

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
    return Letters.choose(page_names(solution.derivation), shapes, shapes).beside(node)


def lines_of(solution: Evaluation) -> Iterator[Chain]:
    """All lines that work a step out, entry by entry, with those of its operands."""
    opened = Opened(solution.formula("Z"), Work(solution, letters_of(solution), "Z"))
    for i in range(solution.rows("Z")):
        for j in range(solution.columns("Z")):
            yield from opened.entry(i, j)


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


@pytest.mark.parametrize(("name", "line"), [
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
])  # fmt: skip
def test_what_a_line_shows(name: str, line: str) -> None:
    (text,) = (text for text in OWN if text.startswith(f"{name}("))
    assert line in "\n".join(displays(tuple(lines_of(solution_of(text, OWN[text]))), PAGE, LINE))


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


# -- what is exactly a short decimal is written so, whatever its matrix shows for the others ---------------------------


MIXED = lesson(
    "Q = X @ W | A = softmax(Q) | R = relu(Q) | D = X / sqrt(1) | C = A @ ones(2, 1) | N = layer_norm(Y) | "
    "M = softmax(G + causal_mask(2)) | H = clip_norm(G, 0.1) | O = U + U | E = additive_scores(G, K, v)",
    "U = 2.0, 0.50 | X = 1, 1; sqrt(2), 0.5; 0.2, -0.2 | W = 1, sqrt(2); 1, 0 | G = 0.1, 0.7; 0.3, -0.3 | "
    "Y = 0.1, 0.2, 0.3; sqrt(3), -sqrt(3), 0 | K = -0.1, 0.2; 0.3, 0.4 | v = 1, 1",
)


@pytest.mark.long
@pytest.mark.parametrize("text", [LAYERS, MIXED], ids=["layers", "here"])
def test_a_figure_is_exact_where_the_exact_value_says_so(text: str) -> None:
    solution = derive(loads(text), digits=6)
    blocks = StepParts(solution.store, scenario_names(solution.scenario))
    found = 0
    for step in solution.derivation.steps:
        if entry_size(solution.store, step.name) > 60:
            continue
        exact, figures = solution.exact_value(step.name), blocks.work(step).figures(step.name)
        for index, value in enumerate(exact):
            figure = figures[index // exact.cols][index % exact.cols]
            read = read_figure(figure.text)
            if read is None:
                continue
            same = bool(is_zero(value - Rational(int(read[0].p), int(read[0].q))))
            assert figure.exact == same, (step.name, index, figure)
            found += same
    assert found > 30


SHARES = "S = 0.021078, 0.019394, -10^9; 0.123456, 0.123456, 0.654321; 0, 1, 1/7 | V = 1, 0, 0.5; -1, 0, 0.25; 0, 0, 1"


@pytest.mark.parametrize("carry", ["exact", "rounded"])
def test_what_is_refused_as_too_long_before_it_is_built_is_as_long_when_it_is(carry: CarryMode) -> None:
    steps = "A = softmax(S) | Z = A @ V | B = softmax(S / 3) | Y = softmax(S @ S) @ V | W = Z @ V.T | U = A * 2"
    solution = derive(loads(lesson(steps, SHARES)), carry=carry)
    least = {
        (name, i, j): (least_digits(solution.store, name, i, j), _digits(solution.exact_value(name)[i, j]))
        for name in ("A", "Z", "B", "Y", "W", "U", "V")
        for i in range(solution.store.rows(name))
        for j in range(solution.store.columns(name))
    }

    assert [key for key, (estimate, digits) in least.items() if estimate > digits] == []
    assert least["A", 0, 1][0] == len("1053950000096975000001000000000")
    assert least["A", 1, 0][0] == 0, "equal exponents may cancel"
    assert (least["Z", 0, 1][0], least["Z", 0, 2][0] > LONGEST_ENTRY) == (0, carry == "exact")


def test_the_figures_of_a_solution_stay_decimals_where_its_page_shows_logarithms() -> None:
    (row,) = derive(loads(lesson("s", "s = log(2), log(3), log(5)"))).figures("s")
    assert [figure.text for figure in row] == ["0.693147", "1.098612", "1.609438"]


CARRIED = {
    "en": ("starts from the printed figures", "works with exact values", "works exactly with the printed figures"),
    "zh-Hant": ("從上一步印出來的數字接著算", "全程使用精確值", "用上一步印出來的數字精確計算"),
    "zh-Hans": ("从上一步印出来的数字接着算", "全程使用精确值", "用上一步印出来的数字精确计算"),
}


@pytest.mark.long
@pytest.mark.sampled(3)
@pytest.mark.parametrize("language", CARRIED)
@pytest.mark.parametrize("carry", ["exact", "rounded"])
@pytest.mark.parametrize("format", ["markdown", "json"])
def test_a_page_says_in_one_way_how_figures_are_carried(language: str, carry: CarryMode, format: str) -> None:
    page = derive("weather", carry=carry).render(format, language=language)
    begins, exactly, within = (words in page for words in CARRIED[language])
    assert (begins, exactly, within) == ((False, True, False) if carry == "exact" else (True, False, True))


# -- lines as a reader meets them --------------------------------------------------------------------------------------


LARGE_SCORES = (
    "A = softmax(X @ X.T) | B = softmax(-X @ X.T) | C = softmax(X @ Y.T / sqrt(2)) | D = proportions(exp(X)) | "
    "E = proportions(exp(-X)) | F = silu(X) | G = silu(-X) | H = elu(-X) | I = exp(-X) | K = gelu(X) | "
    "L = gelu_tanh(-X) | M = softmax(X + causal_mask(2)) | N = softmax(X + X) | O = exp(-X - X)"
)


@pytest.mark.long
@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [10, 10**2, 10**4, 10**6])
def test_every_line_is_true_and_short_whatever_the_size_of_the_scores(size: int) -> None:
    # Where e^{−1000000} is a divisor, there is no line.
    steps = LARGE_SCORES if size == 10**6 else f"{LARGE_SCORES} | P = proportions(O) | R = divide(O, O @ ones(2, 2))"
    solution = derive(loads(lesson(steps, f"X = {size}, 2; 3, {size // 2}.5 | Y = 0.1, sqrt(3); 1, -2")), digits=6)
    report = read_solution(solution)
    assert report.wrong == []
    assert report.compared > 200
    text = solution.render("markdown", detail="entries", language="en")
    assert not re.search(r"\d{8}\.|\d{12}", text)
    sides = [side for line in text.splitlines() if "&" in line for side in re.split("&|=|approx", line)]
    assert max(map(len, sides)) < 130  # characters of TeX that a page has room for


def test_positions_of_any_number_of_bases_have_frequencies_of_their_own() -> None:
    """Each base turns by its own angles, and what is written PE means one matrix."""
    many = " + ".join(f"sinusoidal(3, 2, base={base})" for base in range(2, 14))
    text = derive(loads(lesson(f"Y = {many}", "X = 1; 1; 1"))).render(math="brackets")
    sines = re.findall(r"\(\\mathrm\{PE\}_\{?(\d+)\}?\)_\{i,2t - 1\} &= \\mathrm\{sin\}\(\(i - 1\)(\S+)_t\)", text)
    assert [int(base) for base, _ in sines] == list(range(2, 14))
    assert len({letter for _, letter in sines}) == 12
    assert all(rf"{letter}_t &= {base}^{{-2(t - 1)/2}}" in text for base, letter in sines)


def test_what_cannot_be_decided_is_named_and_a_jump_is_no_tie_of_roundings() -> None:
    """A number on the way says of which step and row it is."""
    solution = derive(loads(lesson("a = softmax(s)", "s = 1, 2")))
    with pytest.raises(UndecidedError, match=r"^a, row 1: exponential 2: decimal number 7 cannot be decided$"):
        numbers(
            solution.store, lambda _: [arb(1), arb("0 +/- 1")], ["a, row 1: exponential 1", "a, row 1: exponential 2"]
        )
    # Whether the third row of the ReLU is exactly at 0 is too much for exact arithmetic: more digits do not help.
    forward = "N = rms_norm(X) | A = softmax(N @ N.T / sqrt(2) + causal_mask(3)) | H = X + A @ N"
    layer = "F = relu(rms_norm(H) @ W) @ V | L = cross_entropy(H + F, [[0, 1, 1]]) | dW = grad(L, W)"
    solution = derive(loads(lesson(f"{forward} | {layer}", "X = 1, 0; 0, 1; 1, 1 | W = -1; 1 | V = 1, -1")))
    with pytest.raises(UndecidedError, match=r"^dW\[1,1\]: .* the formula jumps here, as the slope of ReLU does at 0"):
        solution["dW"].decimals(6)


# -- what a lesson leaves out of a step stands on the page of the next level, and it leaves out no result --------------


LESSONS = sorted((Path(__file__).parent.parent / "lessons").glob("*.toml"))[3::8]


@pytest.mark.long
@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_shows_of_a_step_what_a_full_page_shows_or_less(path: Path) -> None:
    solution = derive(loads(path.read_text(encoding="utf-8"), path.stem))
    store, names = solution.store, scenario_names(solution.scenario)
    made = [step.name for step in store.derivation.steps if step.formula is not None and not step.general]
    full = StepBlocks(store, names, "steps")
    lesson = StepBlocks(store, names, "lesson", treated=treatments(store.derivation, made))
    for name in made:
        there, here = full.step(name, None, None), lesson.step(name, None, None)

        assert set(chains_of(here)) <= set(chains_of(there)), name
        if store.shown(name) is Shown.FIGURES:
            last = lesson.parts.matrix(name).entries[-1][-1]
            in_matrix = any(last in block.entries[-1] for block in here if isinstance(block, Matrix))
            assert in_matrix or last in every(Number, tuple(chains_of(here))), name
