"""Functions that no built-in scenario calls, by NumPy and plain Python lines that share nothing with symattn.

Where there is a second way to a value, it is taken: rotations by complex numbers, GELU by the complementary error
function, tanh by exponentials, choices by sorting.
"""

from __future__ import annotations

import cmath
import math
import random
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from symattn.compute.solution import Solution
from symattn.operations import NODES
from symattn.read.scenario.load import builtin_names
from tests.cases import solved
from tests.second_road.test_catalogue import certified
from tests.second_road.test_numpy import assert_close

Values = dict[str, np.ndarray]
Solve = Callable[..., Solution]

TOLERANCE = 1e-12
SIZES = {"m": 2, "n": 3, "d": 4}
SHAPES = {"X": (3, 4), "Y": (3, 4), "Z": (2, 4), "v": (1, 4), "S": (3, 3), "ids": (1, 3)}


# By hand, an entry or a row at a time


def each(function: Callable[[float], float], x: np.ndarray) -> np.ndarray:
    return np.array([[function(float(entry)) for entry in row] for row in x])


def gelu(x: float) -> float:
    return x * math.erfc(-x / math.sqrt(2)) / 2


def tanh(x: float) -> float:
    return math.copysign(math.expm1(2 * abs(x)) / (math.exp(2 * abs(x)) + 1), x)


def gelu_tanh(x: float) -> float:
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
    return x / (1 + math.exp(-2 * inner))


def silu(x: float) -> float:
    return x * math.exp(x) / (math.exp(x) + 1)


def rms_norm(x: np.ndarray, epsilon: float = 1e-5) -> np.ndarray:
    return np.array([row / math.sqrt(sum(entry**2 for entry in row) / len(row) + epsilon) for row in x])


def frequency(pair: int, width: int, base: float) -> float:
    return math.exp(-2 * pair / width * math.log(base))


def sinusoidal(rows: int, width: int, base: float = 10_000.0) -> np.ndarray:
    encoding = np.zeros((rows, width))
    for position in range(rows):
        for pair in range(width // 2):
            point = cmath.exp(1j * position * frequency(pair, width, base))
            encoding[position, 2 * pair : 2 * pair + 2] = point.imag, point.real
    return encoding


def rotary(x: np.ndarray, base: float = 10_000.0, start: float = 0.0) -> np.ndarray:
    turned = np.zeros_like(x)
    for i, row in enumerate(x):
        for pair in range(len(row) // 2):
            point = complex(row[2 * pair], row[2 * pair + 1])
            point *= cmath.exp(1j * (start + i) * frequency(pair, len(row), base))
            turned[i, 2 * pair : 2 * pair + 2] = point.real, point.imag
    return turned


def padding_mask(queries: int, keys: int, length: int, value: float) -> np.ndarray:
    return np.array([[0.0 if j < length else value for j in range(keys)] for _ in range(queries)])


def distance(length: int) -> np.ndarray:
    return np.array([[float(max(i - j, j - i)) for j in range(length)] for i in range(length)])


def additive(queries: np.ndarray, keys: np.ndarray, vector: np.ndarray) -> np.ndarray:
    return np.array(
        [[sum(v * tanh(a + b) for v, a, b in zip(vector[0], q, k, strict=True)) for k in keys] for q in queries]
    )


def softmax(x: np.ndarray) -> np.ndarray:
    return np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)


def argmax(x: np.ndarray) -> np.ndarray:
    return np.array([[float(list(row).index(max(row)))] for row in x])


def top_k(x: np.ndarray, count: int) -> np.ndarray:
    chosen = [sorted(range(len(row)), key=lambda j, row=row: (-row[j], j))[:count] for row in x]
    return np.array([[float(j in row) for j in range(x.shape[1])] for row in chosen])


FUNCTIONS: dict[str, tuple[str, Callable[[Values], np.ndarray]]] = {
    "tanh": ("tanh(X)", lambda v: each(tanh, v["X"])),
    "log": ("log(exp(X) + ones(n, d))", lambda v: each(lambda x: math.log1p(math.exp(x)), v["X"])),
    "gelu": ("gelu(3 * X)", lambda v: each(gelu, 3 * v["X"])),
    "gelu_tanh": ("gelu_tanh(3 * X)", lambda v: each(gelu_tanh, 3 * v["X"])),
    "silu": ("silu(3 * X)", lambda v: each(silu, 3 * v["X"])),
    "elu": ("elu(X)", lambda v: each(lambda x: max(x, 0.0) + min(math.exp(x) - 1, 0.0), v["X"])),
    "hadamard": ("hadamard(X, Y)", lambda v: v["X"] * v["Y"]),
    "divide": ("divide(X, exp(Y))", lambda v: v["X"] * np.exp(-v["Y"])),
    "divide by a column": (
        "divide(X, norm(X) @ ones(1, d))",
        lambda v: np.array([row / math.hypot(*row) for row in v["X"]]),
    ),
    "clip_norm": ("clip_norm(X, 1/2)", lambda v: v["X"] / (2 * math.hypot(*v["X"].ravel()))),
    "rms_norm": ("rms_norm(X)", lambda v: rms_norm(v["X"])),
    "rms_norm without epsilon": ("rms_norm(X, 0)", lambda v: rms_norm(v["X"], 0.0)),
    "rms_norm with gain": ("rms_norm(X, 1/8, gamma=v)", lambda v: rms_norm(v["X"], 0.125) * v["v"]),
    "entry": ("entry(X, 2, 3)", lambda v: np.array([[v["X"][1][2]]])),
    "rows": ("rows(X, 2, 3)", lambda v: np.array([v["X"][1], v["X"][2]])),
    "stack": ("stack(X, v, Z)", lambda v: np.array([*v["X"], *v["v"], *v["Z"]])),
    "cached_mask": ("causal_mask(m, d, -10^9)", lambda v: np.triu(np.full((2, 4), -1e9), 1 + 4 - 2)),
    "padding_mask": ("padding_mask(m, d, n, -10^9)", lambda v: padding_mask(2, 4, 3, -1e9)),
    "padding": (
        "softmax(X @ Y.T + padding_mask(n, n, m))",
        lambda v: np.hstack([softmax(v["X"] @ v["Y"][:2].T), np.zeros((3, 1))]),
    ),
    "distance": ("X @ Y.T - 1/4 * distance(n)", lambda v: v["X"] @ v["Y"].T - distance(3) / 4),
    "sinusoidal": ("sinusoidal(n, 6)", lambda v: sinusoidal(3, 6)),
    "sinusoidal, far": ("rows(sinusoidal(60, d, 50), 58, 60)", lambda v: sinusoidal(60, 4, 50.0)[57:]),
    "rotary": ("rotary(X)", lambda v: rotary(v["X"])),
    "rotary from a position": ("rotary(X, 100, 7)", lambda v: rotary(v["X"], 100.0, 7.0)),
    "rotary in between": ("rotary(X, 1/2, -3/4)", lambda v: rotary(v["X"], 0.5, -0.75)),
    "additive_scores": ("additive_scores(Z, X, v)", lambda v: additive(v["Z"], v["X"], v["v"])),
    "argmax": ("argmax(X)", lambda v: argmax(v["X"])),
    "top_k": ("top_k(X, m)", lambda v: top_k(v["X"], 2)),
    "window": (
        "keep(S, window_mask(n, 2))",
        lambda v: np.array([[s if abs(i - j) < 2 else 0.0 for j, s in enumerate(row)] for i, row in enumerate(v["S"])]),
    ),
    "a power": ("matrix_power(S, 3)", lambda v: np.linalg.multi_dot([v["S"]] * 3)),
    "a power of every entry": ("S ** 3", lambda v: v["S"] * v["S"] * v["S"]),
    "a row in every row": ("X - v", lambda v: np.array([row - v["v"][0] for row in v["X"]])),
    "a column in every column": ("X / norm(X)", lambda v: np.array([row / math.hypot(*row) for row in v["X"]])),
    "a number everywhere": ("X + 1/3", lambda v: each(lambda x: x + 1 / 3, v["X"])),
}
"""Formulas, and the same by hand."""


# The comparison


@pytest.fixture(scope="module")
def texts() -> dict[str, list[list[str]]]:
    """Random decimals, fractions and whole ids."""
    rng = random.Random(20)

    def text() -> str:
        return rng.choice([f"{rng.uniform(-2, 2):.3f}", f"{rng.randint(-9, 9)}/{rng.randint(2, 9)}"])

    given = {name: [[text() for _ in range(columns)] for _ in range(rows)] for name, (rows, columns) in SHAPES.items()}
    return given | {"ids": [["2", "0", "3"]]}


@pytest.fixture(scope="module")
def values(texts: dict[str, list[list[str]]]) -> Values:
    """The same as doubles."""
    return {name: np.array([[float(Fraction(cell)) for cell in row] for row in rows]) for name, rows in texts.items()}


@pytest.fixture(scope="module")
def solution(solve: Solve, texts: dict[str, list[list[str]]]) -> Solution:
    steps = [f"R_{number} = {formula}" for number, (formula, _) in enumerate(FUNCTIONS.values())]
    return solve(texts, *steps, sizes=SIZES)


@pytest.mark.parametrize("number", range(len(FUNCTIONS)), ids=list(FUNCTIONS))
def test_certified_decimals_and_doubles_agree_with_numpy(number: int, solution: Solution, values: Values) -> None:
    expected = list(FUNCTIONS.values())[number][1](values)
    for found in (certified(solution, f"R_{number}"), solution.float64(f"R_{number}")):
        assert_close(found, expected, f"R_{number}")


def test_every_node_has_a_second_road(solution: Solution) -> None:
    """Here, or in a built-in scenario, all of which are worked out again in test_numpy.py."""
    formulas = [step.formula for step in solution.derivation.steps if step.formula is not None]
    for name in builtin_names():
        steps = solved(name).derivation.steps
        formulas += [step.formula for step in steps if step.formula is not None and not step.general]
    assert {node for node in NODES if not any(formula.atoms(node) for formula in formulas)} == set()


def test_a_wrong_value_is_noticed(solution: Solution, values: Values) -> None:
    """Pairs of columns that stand half a row apart, as some programs have them, are not neighbours."""
    number = list(FUNCTIONS).index("rotary")
    other = rotary(values["X"][:, [0, 2, 1, 3]])[:, [0, 2, 1, 3]]
    assert np.abs(certified(solution, f"R_{number}") - other).max() > 0.1
