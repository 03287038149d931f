"""What the page says of an operation follows from its record, its name, its shapes, its entry, and is true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from mpmath import mp, mpf
from sympy import (
    HadamardProduct,
    ImmutableDenseMatrix,
    MatAdd,
    MatMul,
    MatPow,
    MatrixSymbol,
    OneMatrix,
    Rational,
    Transpose,
)

from symattn.document.blocks import Document, Equation
from symattn.document.entries.letters import Letters, reserved_by
from symattn.document.entries.step_entry import general_entry
from symattn.document.forms.shape_line import shape_line
from symattn.document.kinds import reason
from symattn.document.math import Chain, Math, Shaped
from symattn.document.notation.formulas import Names, formula, number
from symattn.equations.read import read_operation
from symattn.equations.tree import Operation
from symattn.operations import (
    CausalMask,
    ClipNorm,
    Keep,
    LayerNorm,
    Softmax,
    WindowMask,
)
from symattn.operations.node import apply
from symattn.render.formats import render
from symattn.render.tex import tex
from symattn.shapes import shape
from tests.readback.balls import Ball, Table
from tests.readback.evaluate import Scope
from tests.readback.lines import PAGE, Lines, Report, spellings

X, Y, W = MatrixSymbol("X", 3, 4), MatrixSymbol("Y", 3, 4), MatrixSymbol("W", 4, 3)
S, g = MatrixSymbol("S", 3, 3), MatrixSymbol("g", 1, 4)
VALUES = {
    "X": [["1", "-2", "1/2", "0"], ["3", "1/3", "-1", "2"], ["-1/4", "1", "4", "-3"]],
    "Y": [["2", "1", "0", "-1"], ["1/2", "3", "1", "1"], ["-2", "5", "1/4", "1"]],
    "W": [["1", "0", "-1"], ["1/2", "2", "1"], ["0", "1", "3"], ["-2", "1", "1/5"]],
    "S": [["2", "-1", "1/2"], ["0", "3", "-2"], ["1", "1", "-1/3"]],
    "g": [["1", "2", "-1", "1/2"]],
}


def op(head: str, *lines: str) -> Operation:
    return read_operation("\n".join([head, *lines]))


SOFTCAP = op("softcap(X, c = 30)", "y[i,j] = c * tanh(X[i,j] / c)")
SIGMOID = op("sigmoid(X)", "y[i,j] = 1 / (1 + exp(-X[i,j]))")
SOFTPLUS = op("softplus(X)", "y[i,j] = log(1 + exp(X[i,j]))")
MISH = op("mish(X)", "s[i,j] = log(1 + exp(X[i,j]))", "y[i,j] = X[i,j] * tanh(s[i,j])")
LEAKY = op("leaky(X, a = 1/100)", "y[i,j] = X[i,j] if X[i,j] > 0 else a * X[i,j]")
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
COLUMNS = op("columns(X: m×n) -> 1×n", "y[j] = sum(i, X[i,j])")
BAND = op("band(n, w) -> n×n", "y[i,j] = 1 if i - w <= j and j < i + w else 0")
UPPER = op("upper(X: m×n)", "y[i,j] = X[i,j] if j > i else 1 if j == i else -1")
PAIRS = op("pairs(X: m×n, Y: p×n) -> m×p", "y[i,j] = sqrt(sum(k, (X[i,k] - Y[j,k])^2))")
FLIP = op("flip(X: m×n) -> m×n", "y[i,j] = X[i, n + 1 - j]")
BOTH = op(
    "both(X: m×n)",
    "a[i] = sum(k, X[i,k])",
    "b[j] = sum(l, X[l,j])",
    "y[i,j] = X[i,j] * a[i] - a[i] * (b[j] - 3) + b[j]^2",
)
NESTED = op("nested(X: m×m)", "a[i] = sum(k, X[i,k])", "y[i,j] = X[i,j] - sum(k, a[k] * X[k,j])")
REST = op("rest(X)", "y[i,j] = X[i,j] - (X[i,j] - (2 - X[i,j]))")
RUNNING = op("running(X: m×n) -> m×n", "y[i,j] = sum(k, X[i,k] if k <= j else 0)")

EXAMPLES = {
    "a cap": apply(SOFTCAP, X, 5),
    "a negative number": MatAdd(X, apply(SOFTCAP, X, -3)),
    "the usual cap": apply(SOFTCAP, X, 30),
    "a cap that is left out": apply(SOFTCAP, MatAdd(X, Y)),
    "a cap in softmax": Softmax(apply(SOFTCAP, MatMul(X, Transpose(Y)), 5)),
    "sigmoid": apply(SIGMOID, X),
    "sigmoid of a sum": MatMul(apply(SIGMOID, MatAdd(X, Y)), W),
    "minus softplus": MatMul(-1, apply(SOFTPLUS, X)),
    "mish": apply(MISH, X),
    "mish of a product": apply(MISH, MatMul(X, W)),
    "leaky": apply(LEAKY, X),
    "leaky of a product": apply(LEAKY, MatMul(X, W)),
    "two slopes": MatAdd(apply(LEAKY, X), apply(LEAKY, X, 2)),
    "three cases": apply(HARD, S),
    "three cases in a product": MatMul(apply(HARD, S), X),
    "log softmax": apply(LOG_SOFTMAX, S),
    "log softmax of a product": apply(LOG_SOFTMAX, MatMul(X, W)),
    "two safe": MatAdd(apply(SAFE, S), MatMul(-1, apply(SAFE, Transpose(S)))),
    "no gain": apply(GAINED, X),
    "a gain": MatMul(Transpose(apply(GAINED, X, g)), Y),
    "score": apply(SCORE, X, Rational(1, 100)),
    "score, turned": Transpose(apply(SCORE, MatAdd(X, Y))),
    "beside a layer norm": MatAdd(apply(CENTRED, X), LayerNorm(X, Rational(1, 10))),
    "columns": apply(COLUMNS, X),
    "columns, repeated": MatMul(OneMatrix(3, 1), apply(COLUMNS, X)),
    "upper": apply(UPPER, S),
    "pairs": apply(PAIRS, MatMul(X, W), S),
    "flipped": apply(FLIP, X),
    "rows and columns": apply(BOTH, S),
    "a sum inside a sum": apply(NESTED, MatMul(X, W)),
    "so far": apply(RUNNING, X),
    "a difference is subtracted": apply(REST, X),
    "kept in a window": Keep(S, WindowMask(3, 2, Rational(-10))),
    "clipped, in a product": MatMul(ClipNorm(MatAdd(X, Y), 2), W),
}


def letters_of(node: object, name: str = "Z") -> Letters:
    used = sorted(str(symbol.name) for symbol in node.atoms(MatrixSymbol))  # type: ignore[attr-defined]
    sizes = {each: shape(len(VALUES[each]), len(VALUES[each][0])) for each in used}
    sizes[name] = shape(*map(int, node.shape))  # type: ignore[attr-defined]
    return Letters.choose(Names(), [name, *used], sizes, reserved_by(node)).beside(node)  # type: ignore[arg-type]


def chains(node: object) -> Sequence[Math]:
    return general_entry("Z", node, letters_of(node), shape(*map(int, node.shape)))  # type: ignore[arg-type, attr-defined]


def lines(node: object) -> list[str]:
    return [tex(chain) for chain in chains(node)]


def table(values: ImmutableDenseMatrix) -> Table:
    return Table.of([Ball(mpf(value.evalf(40))) for value in row] for row in values.tolist())


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_every_line_of_an_entry_is_true(example: object) -> None:
    """Read back as a reader would: every letter is bound, one case holds, and both sides are worth the same."""
    values = {name: ImmutableDenseMatrix([list(map(Rational, row)) for row in rows]) for name, rows in VALUES.items()}
    put_in = {symbol: values[str(symbol.name)] for symbol in example.atoms(MatrixSymbol)}  # type: ignore[attr-defined]
    worth = example.subs(put_in).doit().as_explicit()  # type: ignore[attr-defined]
    report = Report()
    with mp.workdps(40):
        given = {"Z": table(worth), **{str(symbol.name): table(value) for symbol, value in put_in.items()}}
        reader = Lines("Z", spellings(Names(), given, ()), Scope(given), report)
        reader.display("\\\\\n".join(tex(chain, PAGE) for chain in chains(example)), "entry")  # type: ignore[arg-type]
    assert not report.wrong
    assert not report.unread
    assert report.compared


def test_a_name_is_said_and_one_letter_is_put_in() -> None:
    """What has a name of its own has a line; a letter that stands in one place, or for little, is only a help."""
    assert lines(apply(SCORE, X, Rational(1, 100))) == [
        r"\mathrm{mean}_i = \frac{1}{4}\sum_{k=1}^{4} x_{ik}",
        r"\mathrm{var}_i = \frac{1}{4}\sum_{k=1}^{4} (x_{ik} - \mathrm{mean}_i)^2",
        r"z_{ij} = \frac{x_{ij} - \mathrm{mean}_i}{\sqrt{\mathrm{var}_i + 0.01}}",
    ]
    assert lines(apply(LOG_SOFTMAX, S)) == [r"z_{ij} = s_{ij} - \mathrm{ln}\left(\sum_{k=1}^{3} e^{s_{ik}}\right)"]
    assert lines(apply(SAFE, S))[0] == r"b_i = \mathrm{max}_k\thinspace s_{ik}"


def test_a_negative_number_is_subtracted() -> None:
    (line,) = lines(MatAdd(X, apply(SOFTCAP, X, -3)))
    assert line == r"z_{ij} = x_{ij} - 3\thinspace \mathrm{tanh}\left(\frac{x_{ij}}{-3}\right)"


def test_a_letter_of_a_helper_is_no_letter_of_a_matrix() -> None:
    B = MatrixSymbol("B", 3, 3)
    VALUES["B"] = VALUES["S"]
    try:
        first, entry = lines(apply(SAFE, B))
    finally:
        del VALUES["B"]
    assert first == r"u_i = \mathrm{max}_k\thinspace b_{ik}"
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
    assert mish == r"\mathrm{mish}(y) = y\thinspace \mathrm{tanh}(\mathrm{ln}(1 + e^y))"


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


@pytest.mark.parametrize(("language", "said"), [("en", "soft cap"), ("zh-Hant", "軟上限"), ("zh-Hans", "softcap")])
def test_a_step_is_called_by_the_words_of_its_record(language: str, said: str) -> None:
    record = replace(SOFTCAP, page=(("en", "soft cap"), ("zh-Hant", "軟上限")))
    phrase = reason(apply(record, X, 5), language)
    assert dict(phrase.arguments) == {"words": said}
    assert said in render(Document((), language, (phrase,)), "markdown")


@pytest.mark.parametrize("format", ["markdown", "latex"])
def test_the_words_of_a_record_come_from_strangers(format: str) -> None:
    record = replace(SOFTCAP, page=(("en", r"\input{x} <b> $1$ [a](b)"),), called="{}_$")
    node = apply(record, X, 5)
    page = render(Document((), "en", (reason(node, "en"), Equation((Chain(formula(node, Names())),)))), format)
    for bad in (r"\input{x}", "$1$", "{}_$", *(["<b>", "[a](b)"] if format == "markdown" else [])):
        assert bad not in page
