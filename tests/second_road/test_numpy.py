"""Every value of every scenario once more, by plain NumPy lines that share nothing with symattn.

The numbers come straight from the TOML file; each scenario is written out below by hand. A scenario without such lines,
or with a step that the lines leave out, fails.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from symattn.scenario.load import load
from symattn.solution import Solution

Values = dict[str, np.ndarray]

DATA = Path(__file__).resolve().parents[2] / "symattn" / "scenario" / "data"
NAMES = sorted(path.stem for path in DATA.glob("*.toml"))
TOLERANCE = 1e-12


# The scenarios by hand


def softmax(scores: np.ndarray) -> np.ndarray:
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def layer_norm(x: np.ndarray) -> np.ndarray:
    centred = x - x.sum(axis=-1, keepdims=True) / x.shape[-1]
    return centred / np.sqrt((centred**2).sum(axis=-1, keepdims=True) / x.shape[-1] + 1e-5)


def weather(v: Values) -> Values:
    X = v["E"] + v["P"]
    Q = X @ v["W_Q"]
    K = X @ v["W_K"]
    V = X @ v["W_V"]
    QK_T = Q @ K.T
    S = QK_T / 2.0
    M = np.array([[0.0, -1e9, -1e9], [0.0, 0.0, -1e9], [0.0, 0.0, 0.0]])
    S_masked = S + M
    A = softmax(S_masked)
    Z = A @ V
    H_attn = Z @ v["W_O"]
    R_1 = X + H_attn
    LN_1 = layer_norm(R_1)
    F_1 = LN_1 @ v["W_1"]
    G = np.where(F_1 > 0, F_1, 0.0)
    F_2 = G @ v["W_2"]
    R_2 = LN_1 + F_2
    LN_2 = layer_norm(R_2)
    h_last = LN_2[-1:]
    logits = h_last @ v["W_out"]
    probs = softmax(logits)
    del v
    return locals()


def refund(v: Values) -> Values:
    X, ones = v["X"], np.ones((3, 1))
    Q_raw = X @ v["W_Q"]
    B_Q = ones @ v["b_Q"]
    Q = Q_raw + v["b_Q"]
    K_raw = X @ v["W_K"]
    B_K = ones @ v["b_K"]
    K = K_raw + v["b_K"]
    V_raw = X @ v["W_V"]
    B_V = ones @ v["b_V"]
    V = V_raw + v["b_V"]
    K_T = K.T
    S_raw = np.array([[q @ k for k in K] for q in Q])
    S = S_raw / 2.0**0.5
    A = softmax(S)
    O = A @ V  # noqa: E741 - the name of the step
    A_process = A[1:2]
    del v, X, ones
    return locals()


def good(v: Values) -> Values:
    X = v["X"]
    XX_T = X @ X.T
    W = softmax(XX_T)
    Z = W @ X
    W_Q = W_K = W_V = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / 3.0**0.5
    A = softmax(S)
    Z_scaled = A @ V
    del v, X
    return locals()


ROADS: dict[str, Callable[[Values], Values]] = {"weather": weather, "refund": refund, "good": good}


# From the file to float64, without symattn


def number(text: str) -> float:
    """``0.21``, ``-3/4``, ``-sqrt(2)/2``: as much as the scenarios write; anything else is a failure."""
    found = re.fullmatch(r"(-?)(?:sqrt\((\d+)\)|(\d+(?:\.\d+)?))(?:/(\d+))?", text)
    assert found, f"the second road cannot read {text!r}"
    sign, root, plain, divisor = found.groups()
    size = float(root) ** 0.5 if root else float(Fraction(plain))
    return (-size if sign else size) / int(divisor or 1)


def written(scenario: str) -> dict:
    with (DATA / f"{scenario}.toml").open("rb") as file:
        return tomllib.load(file)


def givens(scenario: str) -> Values:
    tables = {
        name: entry["value"] if isinstance(entry, dict) else entry for name, entry in written(scenario)["given"].items()
    }
    return {name: np.array([[number(str(cell)) for cell in row] for row in rows]) for name, rows in tables.items()}


def steps(scenario: str) -> list[str]:
    """The left sides of the equations in the file, as they are written."""
    items = [item for section in written(scenario)["section"] for item in section.get("steps", [])]
    texts = [item if isinstance(item, str) else item.get("step", "") for item in items]
    return [text.split("=", 1)[0].strip() for text in texts if "=" in text]


def solution_of(scenario: str) -> Solution:
    read = load(scenario)
    return Solution(read.derivation, {name: matrix.given for name, matrix in read.givens.items()}, read.style)


def second_road(scenario: str) -> Values:
    given = givens(scenario)
    return {**given, **ROADS[scenario](given)}


def with_values(solution: Solution) -> list[str]:
    return [step.name for step in solution.derivation.steps if not step.general]


def assert_close(found: np.ndarray, expected: np.ndarray, what: str) -> None:
    assert found.shape == expected.shape, what
    far = np.abs(found - expected) > TOLERANCE * np.maximum(1.0, np.abs(expected))
    assert not far.any(), f"{what}: {found[far]} and by the second road {expected[far]}"


# The tests


@pytest.mark.parametrize("scenario", NAMES)
def test_every_scenario_has_a_second_road(scenario: str) -> None:
    assert scenario in ROADS


@pytest.mark.parametrize("scenario", NAMES)
def test_the_second_road_covers_every_value(scenario: str) -> None:
    wanted = [name for name in steps(scenario) if not _is_general(scenario, name)]
    covered = second_road(scenario)

    assert [name for name in wanted if name not in covered] == []
    assert sorted(covered) == sorted(with_values(solution_of(scenario)))


def _is_general(scenario: str, name: str) -> bool:
    """Whether a step stands on names that have letters for sizes and no numbers."""
    return load(scenario).derivation[name].general


def test_only_the_statement_in_symbols_has_no_value() -> None:
    general = {name: [step.name for step in load(name).derivation.steps if step.general] for name in NAMES}

    assert {name: found for name, found in general.items() if found} == {"good": ["x", "y", "s"]}


@pytest.mark.parametrize("scenario", NAMES)
def test_certified_decimals_agree_with_numpy(scenario: str) -> None:
    solution, expected = solution_of(scenario), second_road(scenario)

    for name in with_values(solution):
        found = np.array([[float(text) for text in row] for row in solution[name].decimals(15)])
        assert_close(found, expected[name], f"{scenario}, {name}")


@pytest.mark.parametrize("scenario", NAMES)
def test_the_float64_evaluator_agrees_with_numpy(scenario: str) -> None:
    solution, expected = solution_of(scenario), second_road(scenario)

    for name in with_values(solution):
        assert_close(solution[name].float64(), expected[name], f"{scenario}, {name}")


@pytest.mark.parametrize("scenario", NAMES)
def test_printed_figures_are_within_half_a_unit_of_numpy(scenario: str) -> None:
    solution, expected = solution_of(scenario), second_road(scenario)

    for name in with_values(solution):
        for row, numbers in zip(solution.figures(name), expected[name], strict=True):
            for figure, value in zip(row, numbers, strict=True):
                text = figure.text
                if "^" in text:  # a masked score, printed as a power of ten
                    assert (text, round(value / 1e9, 6)) == ("-10^9", -1.0), f"{scenario}, {name}"
                    continue
                unit = 10.0 ** -len(text.partition(".")[2])
                assert abs(float(text) - value) <= unit / 2 + TOLERANCE, f"{scenario}, {name}: {text}, {value}"


def test_a_wrong_value_is_noticed() -> None:
    right = second_road("weather")["logits"]

    with pytest.raises(AssertionError, match="by the second road"):
        assert_close(right + 1e-11, right, "logits")
