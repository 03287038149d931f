"""What the page says of an operation follows from its record, its name, its shapes, its entry, and is true."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from sympy import (
    HadamardProduct,
    MatAdd,
    MatMul,
    MatPow,
    MatrixSymbol,
    OneMatrix,
    Rational,
    Transpose,
)

from symattn.api.worked import derive
from symattn.base.shapes import shape
from symattn.compute.solution.core import Solution
from symattn.operations import (
    CausalMask,
    Keep,
    LayerNorm,
    WindowMask,
)
from symattn.operations.equations.read import read_operation
from symattn.operations.equations.tree import Operation
from symattn.operations.node import apply
from symattn.read.plan import Plan, Step
from symattn.read.scenario.load import loads
from symattn.show.entries.letters import Letters, names_of
from symattn.show.entries.step_entry import general_entry
from symattn.show.forms.shape_line import shape_line
from symattn.show.math import Math, Shaped
from symattn.show.notation.formulas import Names, formula, number
from symattn.write.tex_math import tex
from tests.document.lessons import lesson

X, Y, W = MatrixSymbol("X", 3, 4), MatrixSymbol("Y", 3, 4), MatrixSymbol("W", 4, 3)
S, g = MatrixSymbol("S", 3, 3), MatrixSymbol("g", 1, 4)
SHAPES = {"X": (3, 4), "Y": (3, 4), "W": (4, 3), "S": (3, 3), "B": (3, 3)}


def op(head: str, *lines: str) -> Operation:
    return read_operation("\n".join([head, *lines]))


SOFTCAP = op("softcap(X, c = 30)", "y[i,j] = c * tanh(X[i,j] / c)")
MISH = op("mish(X)", "s[i,j] = log(1 + exp(X[i,j]))", "y[i,j] = X[i,j] * tanh(s[i,j])")
HARD = op("hard(X)", "y[i,j] = 1 if X[i,j] > 1 else X[i,j] if X[i,j] > -1 else -1")
LOG_SOFTMAX = op("ls(S: m×n)", "e[i,j] = exp(S[i,j])", "t[i] = sum(k, e[i,k])", "y[i,j] = S[i,j] - log(t[i])")
SAFE = op(
    "safe(S: m×n)",
    "b[i] = max(k, S[i,k])",
    "t[i] = sum(k, exp(S[i,k] - b[i]))",
    "y[i,j] = exp(S[i,j] - b[i]) / t[i]",
)
GAINED = op("gained(X: m×d, gamma: d = 1)", "y[i,j] = 2 * X[i,j] * gamma[j]")
SCORE = op(
    "score(X: m×d, epsilon = 1/1000)",
    "mean[i] = sum(k, X[i,k]) / d",
    "var[i] = sum(k, (X[i,k] - mean[i])^2) / d",
    "y[i,j] = (X[i,j] - mean[i]) / sqrt(var[i] + epsilon)",
)
CENTRED = op("centred(X: m×n)", "mu[i] = sum(k, X[i,k]) / n", "y[i,j] = abs(X[i,j] - mu[i])^3 - min(X[i,j], -2)")
BAND = op("band(n, w) -> n×n", "y[i,j] = 1 if i - w <= j and j < i + w else 0")
UPPER = op("upper(X: m×n)", "y[i,j] = X[i,j] if j > i else 1 if j == i else -1")


def letters_of(node: object, name: str = "Z") -> Letters:
    used = sorted(str(symbol.name) for symbol in node.atoms(MatrixSymbol))  # type: ignore[attr-defined]
    sizes = {each: shape(*SHAPES[each]) for each in used}
    sizes[name] = shape(*map(int, node.shape))  # type: ignore[attr-defined]
    givens = tuple(Step(each, sizes[each]) for each in used)
    names = names_of(Plan((*givens, Step(name, sizes[name], node))))  # type: ignore[arg-type]
    return Letters.choose(names, [name, *used], sizes).beside(node)  # type: ignore[arg-type]


def chains(node: object) -> Sequence[Math]:
    return general_entry("Z", node, letters_of(node), shape(*map(int, node.shape)))  # type: ignore[arg-type, attr-defined]


def lines(node: object) -> list[str]:
    return [tex(chain) for chain in chains(node)]


def test_a_name_is_said_and_one_letter_is_put_in() -> None:
    """What has a name of its own has a line; a letter that stands in one place, or for little, is only a help."""
    assert lines(apply(SCORE, X, Rational(1, 100))) == [
        r"\mathrm{mean}_i = \frac{1}{4}\sum_{k=1}^{4} x_{ik}",
        r"\mathrm{var}_i = \frac{1}{4}\sum_{k=1}^{4} (x_{ik} - \mathrm{mean}_i)^2",
        r"z_{ij} = \frac{x_{ij} - \mathrm{mean}_i}{\sqrt{\mathrm{var}_i + 0.01}}",
    ]
    assert lines(apply(LOG_SOFTMAX, S)) == [r"z_{ij} = s_{ij} - \mathrm{ln}\left(\sum_{k=1}^{3} e^{s_{ik}}\right)"]
    assert lines(apply(SAFE, S))[0] == r"b_i = \mathrm{max}_k\,s_{ik}"


def test_a_negative_number_is_subtracted() -> None:
    (line,) = lines(MatAdd(X, apply(SOFTCAP, X, -3)))
    assert line == r"z_{ij} = x_{ij} - 3\,\mathrm{tanh}\left(\frac{x_{ij}}{-3}\right)"


def test_a_letter_of_a_helper_is_no_letter_of_a_matrix() -> None:
    first, entry = lines(apply(SAFE, MatrixSymbol("B", 3, 3)))
    assert first == r"u_i = \mathrm{max}_k\,b_{ik}"
    assert "b_{ij} - u_i" in entry


def test_two_of_a_kind_have_numbers_of_their_own() -> None:
    two = lines(MatAdd(apply(CENTRED, X), LayerNorm(Y, Rational(1, 10))))
    assert two[1:3] == [
        r"\mu_{1,i} = \frac{1}{4}\sum_{k=1}^{4} x_{ik}",
        r"\mu_{2,i} = \frac{1}{4}\sum_{k=1}^{4} y_{ik}",
    ]


def test_cases_say_where_each_holds() -> None:
    (hard,) = lines(apply(HARD, S))
    assert hard.split("\n")[1:-1] == [r"1 & s_{ij} > 1\\", r"s_{ij} & -1 < s_{ij} \le 1\\", r"-1 & s_{ij} \le -1"]
    assert r"-1 & j < i" in lines(apply(UPPER, S))[0]
    (band,) = lines(apply(BAND, 4, 2))
    assert r"1 & i - 2 \le j < i + 2" in band
    assert r"0 & j < i - 2\lor j \ge i + 2" in band


def test_what_nobody_knows_by_its_name_is_defined_beside_a_longer_formula() -> None:
    assert lines(MatMul(apply(UPPER, S), X))[1].startswith(r"\mathrm{upper}(S)_{ij} = \begin{cases}")
    entry, mish = lines(apply(MISH, MatMul(X, W)))
    assert entry == r"z_{ij} = \mathrm{mish}\left(\sum_{k=1}^{4} x_{ik}w_{kj}\right)"
    assert mish == r"\mathrm{mish}(y) = y\,\mathrm{tanh}(\mathrm{ln}(1 + e^y))"


def test_what_is_kept_by_a_mask_is_told_by_where_the_mask_is_0() -> None:
    (window,) = lines(Keep(S, WindowMask(3, 2, Rational(-10))))
    assert r"s_{ij} & \lvert i - j\rvert < 2" in window
    (causal,) = lines(Keep(S, CausalMask(3, Rational(-10))))
    assert r"s_{ij} & j\le i" in causal


def shaped(node: object) -> str | None:
    def operand(inner: object) -> Math:
        rows, columns = map(number, inner.shape)  # type: ignore[attr-defined]
        return Shaped(formula(inner, Names()), rows, columns)  # type: ignore[arg-type]

    line = shape_line(node, Names(), operand)  # type: ignore[arg-type]
    return None if line is None else tex(line)


@pytest.mark.parametrize(
    ("node", "written", "shapes"),
    [
        (apply(SOFTCAP, X, 5), r"\mathrm{softcap}(X, 5)", r"\mathrm{softcap}(X\ (3\times 4), 5)"),
        (apply(SOFTCAP, X, 30), r"\mathrm{softcap}(X)", r"\mathrm{softcap}(X\ (3\times 4))"),
        (apply(GAINED, X, OneMatrix(1, 4)), r"\mathrm{gained}(X, 1)", r"\mathrm{gained}(X\ (3\times 4), 1)"),
        (MatPow(apply(HARD, S), 2), r"\mathrm{hard}(S)^2", r"(\mathrm{hard}(S)\ (3\times 3))^2"),
        (MatMul(-1, apply(HARD, S)), r"-\mathrm{hard}(S)", r"-\mathrm{hard}(S)\ (3\times 3)"),
        (Transpose(apply(HARD, X)), r"\mathrm{hard}(X)^T", r"(\mathrm{hard}(X)\ (3\times 4))^T"),
        (apply(BAND, 4, 2), r"\mathrm{band}(4, 2)", None),  # made of no matrix
        (X, "X", None),
    ],
)
def test_a_formula_is_a_call_with_what_is_not_usual(node: object, written: str, shapes: str | None) -> None:
    assert tex(formula(node, Names())) == written  # type: ignore[arg-type]
    assert shaped(node) == shapes


def test_a_node_that_nobody_knows_is_refused() -> None:
    unknown = HadamardProduct(S, S)
    for stage in (shaped, lines, lambda node: formula(node, Names())):
        with pytest.raises(TypeError, match="HadamardProduct"):
            stage(unknown)


STEPS = "R = bent(X) | Y = R @ R | Z = Y + X"


def bent(words: str) -> Solution:
    """A lesson with an operation of its own, long enough for a table of letters."""
    head = (
        'operation.bent = { parameters = ["X: m×n"], '
        f"equations = ['y[i,j] = X[i,j] / (1 + abs(X[i,j]))'], page = {words} }}"
    )
    return derive(loads(lesson(STEPS, "X = 1, -2; 3, 4", head)))


@pytest.mark.parametrize(("language", "said"), [("en", "soft cap"), ("zh-Hant", "軟上限"), ("zh-Hans", "软上限")])
def test_a_step_is_called_by_the_words_of_its_record(language: str, said: str) -> None:
    solution = bent('{ en = "soft cap", zh-Hant = "軟上限", zh-Hans = "软上限" }')
    assert f"| $R$ | {said} |" in solution.render("markdown", language=language)


@pytest.mark.parametrize("format", ["markdown", "latex"])
def test_the_words_of_a_record_come_from_strangers(format: str) -> None:
    page = bent(r"""'\input{x} <b> $1$ [a](b)'""").render(format, language="en")
    for bad in (r"\input{x}", "$1$", *(["<b>", "[a](b)"] if format == "markdown" else [])):
        assert bad not in page
