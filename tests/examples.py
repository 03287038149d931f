"""The one table of examples: formulas for every operation as a scenario would write them, and values for their names.

The first example of an operation is defined for any values of its names. A node without an example, and an example that
is not of its node, fail in tests/test_every_stage.py.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from flint import arb, arb_mat, fmpq, fmpq_mat
from sympy import Expr, ImmutableDenseMatrix, MatrixExpr, sympify
from sympy.matrices.expressions.matexpr import MatrixElement

from symattn import operations
from symattn.base.shapes import shape
from symattn.compute.values.exact import exact
from symattn.operations import NODES
from symattn.operations.equations.tree import Operation
from symattn.operations.records import RECORDS
from symattn.read.formula import Scope, read_formula
from symattn.read.scenario.operations import read_operations
from symattn.read.scenario.schema import OperationTable

RATIONALS: Mapping[str, list[list[str]]] = {
    "X": [["1/2", "-3"], ["2", "5/7"]],
    "Y": [["1", "1/3"], ["-1/4", "2"]],
    "W": [["1", "0"], ["2/5", "-1"], ["-3", "1/2"]],
    "b": [["1/3", "-2"]],
    "g": [["5/2", "3"]],
    "c": [["-1"], ["3/4"]],
    "one": [["-2/3"]],
    "ids": [["1", "0", "1"]],
    "F": [["1", "-1/2", "0"], ["2", "1", "1/3"], ["0", "-1", "1"]],
    "G": [["1", "0", "-1/2", "0"], ["2", "1", "0", "1/3"], ["0", "-1", "1", "0"], ["0", "1", "0", "-2"]],
}
ROOTS: Mapping[str, list[list[str]]] = {
    **RATIONALS,
    "X": [["sqrt(2)/2", "-1"], ["1", "sqrt(3)"]],
    "b": [["sqrt(5)", "-1/2"]],
    "W": [["1", "0"], ["sqrt(2)", "-1"], ["-3", "1/2"]],
}
LOGARITHMS: Mapping[str, list[list[str]]] = {
    **RATIONALS,
    "X": [["log(2)", "-log(6)/2"], ["0", "2*log(3)"]],
    "b": [["log(5)", "log(3/2)"]],
}
TWINS: Mapping[str, list[list[str]]] = {
    **ROOTS,
    "X": [["sqrt(2)", "1"], ["sqrt(2)", "1"]],
    "Y": [["2", "-1/3"], ["-1/3", "2"]],
    "W": [["1", "0"], ["sqrt(2)", "-1"], ["1", "0"]],
    "b": [["sqrt(5)", "sqrt(5)"]],
    "g": [["3", "3"]],
}
"""Entries, rows and columns that stand there twice."""
ZEROS = {name: [["0"] * len(rows[0])] * len(rows) for name, rows in RATIONALS.items()}
NEGATIVES = {name: [["-1"] * len(rows[0])] * len(rows) for name, rows in RATIONALS.items()}

VALUES: Mapping[str, Mapping[str, list[list[str]]]] = {
    "rational": RATIONALS,
    "roots": ROOTS,
    "logarithms": LOGARITHMS,
    "twins": TWINS,
    "zeros": ZEROS,
    "negatives": NEGATIVES,
}
"""What the names of the examples stand for."""

SHAPES = {name: shape(len(rows), len(rows[0])) for name, rows in RATIONALS.items()}

FORMULAS: Mapping[str, tuple[str, ...]] = {
    "MatrixSymbol": ("X", "W", "b"),
    "MatMul": ("X @ Y", "W @ X @ Y.T", "-2/3 * X", "sqrt(2) * W @ Y"),
    "MatAdd": ("X + Y", "X - Y + X", "X - b", "1 + W - c.T @ X", "c - 2/3"),
    "MatPow": ("matrix_power(X, 3)", "matrix_power(X, 1)"),
    "Transpose": ("X.T", "W.T", "b.T.T"),
    "Identity": ("identity(2)", "identity(3)"),
    "OneMatrix": ("ones(2, 2)", "ones(1, 3)"),
    "Softmax": ("softmax(X)", "softmax(W)", "softmax(c)"),
    "LayerNorm": (
        *("layer_norm(X)", "layer_norm(W, 1/3, b, g)", "layer_norm(b, 1)", "layer_norm(X, gamma=b)"),
        *("layer_norm(X, beta=b)", "layer_norm(X, 0)"),
    ),
    "RMSNorm": ("rms_norm(X)", "rms_norm(W, 0, g)", "rms_norm(b, epsilon=1/3)", "rms_norm(X, gamma=b)"),
    "ReLU": ("relu(X)", "relu(W)", "relu(X - X)"),
    "GELU": ("gelu(X)", "gelu(b)"),
    "GELUTanh": ("gelu_tanh(X)", "gelu_tanh(b)"),
    "SiLU": ("silu(X)", "silu(W)"),
    "Exp": ("exp(X)", "exp(b)"),
    "Log": ("log(exp(X))", "log(g)", "log(softmax(Y))"),
    "Tanh": ("tanh(X)", "tanh(b)"),
    "ELU": ("elu(X)", "elu(W)"),
    "CausalMask": ("causal_mask(2, -10)", "causal_mask(3, -sqrt(2))", "causal_mask(1)"),
    "CachedMask": ("cached_mask(2, 3, -10)", "causal_mask(1, 4)"),
    "WindowMask": ("window_mask(3, 2, -10)", "window_mask(2, 1, -sqrt(2))", "window_mask(1, 1)"),
    "PaddingMask": ("padding_mask(2, 3, 2, -10)", "padding_mask(1, 1, 1)"),
    "Keep": ("keep(X, causal_mask(2, -10))", "keep(matrix_power(X, 2), window_mask(2, 1, -10))"),
    "Distance": ("distance(3)", "distance(1)"),
    "Sinusoidal": ("sinusoidal(2, 2)", "sinusoidal(3, 4, 7)"),
    "Rotary": ("rotary(X)", "rotary(W, 9, start=5)", "rotary(X, 2, sqrt(2))", "rotary(concat(W, W), 9)"),
    "Broadcast": ("broadcast(b, 2)", "broadcast(g, 3)", "broadcast(b, 1)"),
    "Picked": ("entry(X, 1, 2)", "entry(W, 3, 1)"),
    "Row": ("row(X, 1)", "row(W, 3)"),
    "Rows": ("rows(W, 2, 3)", "rows(X, 1, 1)"),
    "Head": ("head(X, 2, 2)", "head(W, 1, 1)", "head(concat(c, X, c), 2, 2)"),
    "Concat": ("concat(X, c)", "concat(c, c, c)"),
    "Stack": ("stack(b, X)", "stack(b, b)"),
    "OneHot": ("one_hot(ids, 2)", "one_hot(ids, 3)"),
    "InEveryRow": ("b + padding_mask(2, 2, 2, -1)", "g + padding_mask(3, 2, 2, -1)"),
    "InEveryColumn": ("c + padding_mask(2, 2, 2, -1)", "c + padding_mask(2, 3, 3, -1)"),
    "Everywhere": ("one + padding_mask(2, 2, 2, -1)", "one + padding_mask(1, 3, 3, -1)"),
    "Quotient": ("X / 3", "W / sqrt(2)", "b / (-1/7)"),
    "Hadamard": ("hadamard(X, Y)", "hadamard(b, row(X, 2))", "X * b", "c * X", "one * X"),
    "EntryQuotient": ("divide(X, exp(Y))", "divide(X, Y)", "divide(b, g)", "X / exp(c)", "1 / g", "(X - c) / exp(b)"),
    "ClipNorm": ("clip_norm(X, 2)", "clip_norm(b, 9)", "clip_norm(W, sqrt(2))"),
    "Dot": ("dot(X, Y)", "dot(b, g)", "dot(row(X, 2), b)", "dot(W, X)"),
    "Cosine": ("cosine(X, W)", "cosine(b, g)"),
    "Angle": ("angle(X, Y)", "angle(b, g)"),
    "AdditiveScores": ("additive_scores(X, W, b)", "additive_scores(b, g, b)"),
    "RowNorm": ("norm(X)", "norm(b)"),
    "RowMax": ("row_max(X)", "row_max(W)"),
    "UnitRows": ("unit(X)", "unit(b)"),
    "Proportions": ("proportions(exp(X))", "proportions(W)"),
    "Entropy": ("entropy(softmax(X))", "entropy(exp(W))"),
    "ArgMax": ("argmax(X)", "argmax(W)", "argmax(ones(2, 2))"),
    "TopK": ("top_k(X, 1)", "top_k(concat(exp(X), c), 2)"),
}
"""For every operation what a lesson would write."""

MORE_OF_RECORDS: Mapping[str, tuple[str, ...]] = {
    "softcap": ("softcap(b, sqrt(2))",),
    "sigmoid": ("sigmoid(W)",),
    "softplus": ("softplus(b)",),
    "mish": ("mish(b)",),
    "leaky_relu": ("leaky_relu(W, slope=1/5)",),
    "log_softmax": ("log_softmax(W)",),
    "erf": ("erf(b)",),
    "abs": ("abs(W)",),
    "floor": ("floor(3/2 * W)",),
    "sqrt": ("sqrt(g)", "sqrt(abs(X))"),
    "power": ("W ** 2", "power(b, 1)"),
    "rotary_halves": ("rotary_halves(concat(W, W), ids, base=9)",),
    "row_sum": ("sum(W, axis=1)",),
    "row_mean": ("mean(W, axis=1)",),
    "row_min": ("min(W, axis=1)",),
    "row_var": ("var(W, axis=1, ddof=1)",),
    "maximum": ("maximum(X, Y)", "maximum(W, b)"),
    "minimum": ("minimum(X, Y)", "minimum(W, 1/2)"),
    "sin": ("sin(b)",),
    "cos": ("cos(W)",),
    "tan": ("tan(b)",),
    "cross_entropy": ("cross_entropy(W, ids)",),
    "mse": ("mse(X, Y)",),
    "diag": ("diag(g)",),
    "kron": ("kron(X, W)",),
}
_GIVEN = {"matrix": "X", "row": "b", "number": "5", "size": "2", "whole": "2"}
_OF_WHAT_HAS_ONE = {"sqrt": "sqrt(exp(X))"}
"""Where an operation is not defined for all values of X."""


def of_record(record: Operation) -> str:
    """The first example of an operation that is a record and nothing else, made of its parameters."""
    given = (_GIVEN[each.kind] for each in record.parameters if each.default is None)
    return f"{record.name}({', '.join(given)})"


OF_RECORDS: Mapping[str, tuple[str, ...]] = {
    name: (_OF_WHAT_HAS_ONE.get(name) or of_record(record), *MORE_OF_RECORDS.get(name, ()))
    for name, record in RECORDS.items()
}
"""The same for the operations that are a record and nothing else."""

TABLES: Mapping[str, Mapping[str, Any]] = {
    "spread": {
        "parameters": ["X: m×d", "gamma: d = 1"],
        "equations": [
            "mu[i] = sum(k, X[i,k]) / d",
            "s[i] = sum(k, abs(X[i,k] - mu[i]))",
            "y[i,j] = gamma[j] * (X[i,j] - mu[i]) / (1 + s[i])",
        ],
        "shape": "m×d",
        "page": {"en": "mean deviation", "zh-Hant": "平均偏差", "zh-Hans": "平均偏差"},
    },
    "gaps": {
        "parameters": ["X: m×d", "Y: p×d"],
        "equations": ["y[i,j] = sqrt(sum(k, (X[i,k] - Y[j,k])^2))"],
        "shape": "m×p",
        "page": {"en": "distances", "zh-Hant": "距離", "zh-Hans": "距离"},
    },
    "stripes": {
        "parameters": ["X: m×n", "c = 2"],
        "equations": ["y[i,j] = X[i,j] if (i + j) % 2 == 0 else c * X[i,j]"],
        "shape": "m×n",
        "page": {"en": "stripes", "zh-Hant": "條紋", "zh-Hans": "条纹"},
    },
    "totals": {
        "parameters": ["X: m×n"],
        "equations": ["y[j] = sum(i, X[i,j])"],
        "shape": "1×n",
        "page": {"en": "column sums", "zh-Hant": "各行總和", "zh-Hans": "各列总和"},
    },
}
"""Somebody's own operations as a file has them: numbers named on the way and a row with a default, pairs of rows, cases
on indices, columns."""
OWN: Mapping[str, Operation] = read_operations(
    {name: OperationTable.model_validate(table) for name, table in TABLES.items()}, {}
)

OF_OWN: Mapping[str, tuple[str, ...]] = {
    "spread": ("spread(X)", "spread(W, b)"),
    "gaps": ("gaps(X, W)", "gaps(b, g)"),
    "stripes": ("stripes(X)", "stripes(W, sqrt(2))"),
    "totals": ("totals(X)", "totals(c)"),
}
"""The same for somebody's own."""


OVERRIDES: Mapping[str, Mapping[str, str]] = {
    stage: {name: reason for names, reason in rules.items() for name in names.split()}
    for stage, rules in tomllib.loads(
        (Path(operations.__file__).parent / "overrides.toml").read_text(encoding="utf-8")
    ).items()
}
"""By stage and operation: why it has a rule of its own there, beside its equations."""


@dataclass(frozen=True)
class Example:
    """A formula of one operation over the names above."""

    text: str

    @cached_property
    def node(self) -> MatrixExpr:
        """What the reader of scenarios makes of the text: of a sum with zeros, what is repeated in it, which no formula
        calls by a name."""
        made = read_formula(self.text, Scope(SHAPES, operations=OWN)).expr
        return made.args[0] if " + padding_mask(" in self.text else made

    @property
    def square(self) -> str:
        """The text of a matrix of two rows and two columns with the example in it."""
        rows, columns = (int(length) for length in self.node.shape)
        return f"({_BEFORE[rows]}({self.text}){_BEHIND[columns]})"


_BEFORE, _BEHIND = {1: "c @ ", 2: "", 3: "W.T @ "}, {1: " @ b", 2: "", 3: " @ W"}


EXAMPLES: Mapping[type, tuple[Example, ...]] = {
    node: tuple(map(Example, FORMULAS.get(node.__name__, ()))) for node in NODES
}
"""The examples of every class of node a formula may hold."""

BY_OPERATION: Mapping[str, tuple[Example, ...]] = {
    name: tuple(map(Example, texts)) for name, texts in {**FORMULAS, **OF_RECORDS, **OF_OWN}.items()
}
"""The examples of every operation: of those with a class of nodes, of our records, and of somebody's own."""

EVERY = tuple(example for examples in EXAMPLES.values() for example in examples)


MATRICES = {
    values: {
        name: ImmutableDenseMatrix([[sympify(cell) for cell in row] for row in rows]) for name, rows in named.items()
    }
    for values, named in VALUES.items()
}


class Names:
    """The values of the names, as each evaluator wants them."""

    def __init__(self, values: str) -> None:
        self.matrices = MATRICES[values]

    def exact_value(self, name: str) -> ImmutableDenseMatrix:
        return self.matrices[name]

    def signs(self, formula: MatrixExpr, what: str) -> tuple[tuple[int, ...], ...]:
        """By SymPy's evalf: good enough for the values above, and nothing of symattn's own proofs."""
        return tuple(tuple(map(int, np.sign(row))) for row in numbers(exact(formula, self)))

    def largest(self, formula: MatrixExpr) -> tuple[int, ...]:
        return tuple(int(np.argmax(row)) for row in numbers(exact(formula, self)))

    def top(self, formula: MatrixExpr, count: int) -> tuple[tuple[int, ...], ...]:
        rows = numbers(exact(formula, self))
        return tuple(tuple(int(j) for j in np.argsort(-row, kind="stable")[:count]) for row in rows)

    def is_longer(self, formula: MatrixExpr, threshold: Expr) -> bool:
        return bool(np.linalg.norm(numbers(exact(formula, self))) > float(threshold))

    def ball(self, name: str) -> arb_mat:
        matrix = self.matrices[name]
        return arb_mat(matrix.rows, matrix.cols, [ball_of(x) for x in matrix])

    def rational(self, name: str) -> fmpq_mat | None:
        matrix = self.matrices[name]
        if not all(x.is_Rational for x in matrix):
            return None
        return fmpq_mat(matrix.rows, matrix.cols, [fmpq(int(x.p), int(x.q)) for x in matrix])

    def float64(self, name: str) -> np.ndarray[Any, Any]:
        return numbers(self.matrices[name])

    def substituted(self, formula: Any) -> ImmutableDenseMatrix:
        """SymPy's own road: entries of the names first, the numbers put in at the end."""
        explicit = formula.as_explicit().doit()
        elements = {x for x in explicit.atoms(MatrixElement) if x.parent.name in self.matrices}
        return explicit.xreplace({x: self.matrices[x.parent.name][x.i, x.j] for x in elements}).doit()


def ball_of(value: Expr) -> arb:
    """A rational as it is; of others a ball of radius 10^-60 around SymPy's evalf, as text: ``arb`` does not take
    SymPy's exponents."""
    if value.is_Rational:
        return arb(fmpq(int(value.p), int(value.q)))
    return arb(str(value.evalf(70)), "1e-60")


def numbers(matrix: ImmutableDenseMatrix) -> np.ndarray[Any, Any]:
    return np.array([[float(matrix[i, j].evalf(20)) for j in range(matrix.cols)] for i in range(matrix.rows)])
