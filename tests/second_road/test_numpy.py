"""Every value of every scenario once more, by plain NumPy lines that share nothing with symattn.

The numbers come straight from the TOML file; each scenario is written out below by hand. A scenario without such lines,
or with a step that the lines leave out, fails.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from symattn.compute.solution import Solution
from symattn.compute.solution.store import Shown
from symattn.read.scenario.load import load
from tests.second_road.backward_roads import backward, decoder_block, softmax, training

Values = dict[str, np.ndarray]

DATA = Path(__file__).resolve().parents[2] / "symattn" / "read" / "scenario" / "data"
NAMES = sorted(path.stem for path in DATA.glob("*.toml"))
TOLERANCE = 1e-12


# The scenarios by hand


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
    A_good = A[2:]
    del v, X
    return locals()


def bank(v: Values) -> Values:
    X, X_prime = v["X"], v["X_prime"]
    x_mean = np.array([[sum(column) / 3.0 for column in X.T]])
    S_raw = np.array([[x @ y for y in X] for x in X])
    S, S_prime = S_raw / 2.0**0.5, X_prime @ X_prime.T / 2.0**0.5
    A, A_prime = softmax(S), softmax(S_prime)
    Z, Z_prime = A @ X, A_prime @ X_prime
    a_prime, z_prime, a_the, z_the, a_bank = A_prime[2:], Z_prime[2:], A[:1], Z[:1], A[2:]
    Q, K, Q_m, K_m = X @ v["W_Q"], X @ v["W_K"], X_prime @ v["W_Q"], X_prime @ v["W_K"]
    S_QK, S_m = Q @ K.T / 2.0**0.5, Q_m @ K_m.T / 2.0**0.5
    A_QK, A_m = softmax(S_QK), softmax(S_m)
    Z_QK, a_QK = A_QK @ X, A_QK[2:]
    S_M = S + np.array([[0.0, -np.inf, -np.inf], [0.0, 0.0, -np.inf], [0.0, 0.0, 0.0]])
    A_M = softmax(S_M)
    H_1, H_2 = X[:, :1], X[:, 1:]
    A_1, A_2 = softmax(H_1 * H_1.T), softmax(H_2 * H_2.T)
    a_1, a_2 = A_1[2:], A_2[2:]
    z_H = np.hstack([a_1 @ H_1, a_2 @ H_2])
    del v, X, X_prime
    return locals()


def ironman(v: Values) -> Values:
    O = np.zeros((3, 3))  # noqa: E741 - the name of the step
    for place, number in enumerate(v["ids"][0].astype(int)):
        O[place, number] = 1.0
    X = v["E"][v["ids"][0].astype(int)]
    Q, K, V = X @ v["W_q"], X @ v["W_k"], X @ v["W_v"]
    S = Q @ K.T / 8.0**0.5
    A = softmax(S)
    Z = A @ V
    M = np.array([[0.0, -np.inf, -np.inf], [0.0, 0.0, -np.inf], [0.0, 0.0, 0.0]])
    S_masked = S + M
    A_masked = softmax(S_masked)
    Z_masked = A_masked @ V
    A_kept = np.tril(A)
    A_renorm = A_kept / A_kept.sum(axis=1, keepdims=True)
    A_src_kept = np.tril(v["A_src"])
    A_src_masked = A_src_kept / A_src_kept.sum(axis=1, keepdims=True)

    Q_all = v["Y"] @ v["W_Q"] + v["b_Q"]
    K_all = v["Y"] @ v["W_K"] + v["b_K"]
    V_all = v["Y"] @ v["W_V"] + v["b_V"]
    Q_1, Q_2 = Q_all[:, :4], Q_all[:, 4:]
    K_1, K_2 = K_all[:, :4], K_all[:, 4:]
    V_1, V_2 = V_all[:, :4], V_all[:, 4:]
    S_1, S_2 = Q_1 @ K_1.T / 2.0, Q_2 @ K_2.T / 2.0
    A_1, A_2 = softmax(S_1), softmax(S_2)
    A_mean = (A_1 + A_2) / 2.0
    Z_1, Z_2 = A_1 @ V_1, A_2 @ V_2
    Z_cat = np.hstack([Z_1, Z_2])
    out = Z_cat @ v["W_O"] + v["b_O"]
    H_mean = (v["H_0"] + v["H_1"]) / 2.0

    Q_x, K_y, V_y = X @ v["W_q"], v["Y"] @ v["W_k"], v["Y"] @ v["W_v"]
    S_xy = Q_x @ K_y.T / 8.0**0.5
    A_xy = softmax(S_xy)
    Z_xy = A_xy @ V_y
    del v, place, number
    return locals()


def journey(v: Values) -> Values:
    X, W_Q, W_K, W_V, q, K_long = (v[name] for name in ("X", "W_Q", "W_K", "W_V", "q", "K_long"))
    x_2, x_3 = X[1:2], X[2:3]
    s_23 = np.array([[sum(a * b for a, b in zip(X[1], X[2], strict=True))]])
    l_2, l_3 = (np.array([[sum(a * a for a in x) ** 0.5]]) for x in (X[1], X[2]))
    cos_23 = s_23 / (l_2 * l_3)
    theta_23 = np.degrees(np.arccos(cos_23))
    c_23 = l_2 * l_3 * cos_23
    lengths = np.sqrt((X * X).sum(axis=1, keepdims=True))
    U = X / lengths
    C = (X @ X.T) / (lengths @ lengths.T)
    S_loop = np.array([[a @ b for b in X] for a in X])
    XX_T = X @ X.T
    P = XX_T / XX_T.sum(axis=1, keepdims=True)
    A = softmax(XX_T)
    r_A = A.sum(axis=1, keepdims=True)
    c = XX_T.max(axis=1, keepdims=True)
    S_shift = XX_T - c
    A_shift = np.exp(S_shift) / np.exp(S_shift).sum(axis=1, keepdims=True)
    S_plus = XX_T + 1.0
    P_plus = S_plus / S_plus.sum(axis=1, keepdims=True)
    with np.errstate(over="ignore", invalid="ignore"):  # the overflow is what the page shows
        E_big = np.exp(v["s_big"])
        p_big = E_big / E_big.sum(axis=1, keepdims=True)
    s_safe = v["s_big"] - 800.0
    E_safe = np.exp(s_safe)
    p_safe = E_safe / E_safe.sum(axis=1, keepdims=True)
    Z = A @ X

    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S_QK = Q @ K.T / 2.0**0.5
    A_QK = softmax(S_QK)
    Z_QKV = A_QK @ V
    s_raw = np.array([[q[0] @ key for key in K_long]])
    w_raw = softmax(s_raw)
    H_raw = -(w_raw * np.log(w_raw)).sum(axis=1, keepdims=True)
    s_scaled = s_raw / 512.0**0.5
    w_scaled = softmax(s_scaled)
    H_scaled = -(w_scaled * np.log(w_scaled)).sum(axis=1, keepdims=True)

    H = -(A * np.log(A)).sum(axis=1, keepdims=True)
    H_mean = np.array([[H.sum() / 6.0]])
    L_H = H_mean / -10.0
    W_0 = v["U_0"] * 1.2**0.5
    G_clip = v["G"] / np.sqrt((v["G"] ** 2).sum())

    phi_Q, phi_K = (np.where(each > 0, each + 1.0, np.exp(each)) for each in (Q, K))
    B_lin = phi_Q @ phi_K.T
    Z_left = B_lin @ V
    T_KV = phi_K.T @ V
    Z_right = phi_Q @ T_KV
    A_lin = B_lin / B_lin.sum(axis=1, keepdims=True)
    M_win = np.full((6, 6), -np.inf)
    for i in range(6):
        M_win[i, max(i - 1, 0) : i + 2] = 0.0
    S_win = XX_T + M_win
    A_win = softmax(S_win)
    Z_win = A_win @ X
    del v, X, W_Q, W_K, W_V, q, K_long, lengths, i
    return locals()


ROADS: dict[str, Callable[[Values], Values]] = {
    "weather": decoder_block,
    **{road.__name__: road for road in (refund, good, bank, ironman, journey, backward, training)},
}


# From the file to float64, without symattn


def number(text: str) -> float:
    """``0.21``, ``-3/4``, ``2*sqrt(2)*log(2)``: as much as the scenarios write; anything else is a failure."""
    if "*" in text:
        return float(np.prod([number(factor) for factor in text.split("*")]))
    if logarithm := re.fullmatch(r"log\((\d+)\)", text):
        return float(np.log(int(logarithm[1])))
    found = re.fullmatch(r"(-?)(?:sqrt\((\d+)\)|(\d+(?:\.\d+)?))(?:/(\d+))?", text)
    assert found, f"the second road cannot read {text!r}"
    sign, root, plain, divisor = found.groups()
    size = float(root) ** 0.5 if root else float(Fraction(plain))
    return (-size if sign else size) / int(divisor or 1)


def written(scenario: str) -> dict:
    with (DATA / f"{scenario}.toml").open("rb") as file:
        return tomllib.load(file)


def givens(scenario: str) -> Values:
    file = written(scenario)
    tables = {name: entry["value"] if isinstance(entry, dict) else entry for name, entry in file["given"].items()}
    before = givens(file["extends"]["scenario"]) if "extends" in file else {}
    return before | {
        name: np.array([[number(str(cell)) for cell in row] for row in in_rows(rows)]) for name, rows in tables.items()
    }


def in_rows(value: list) -> list[list]:
    """The rows of a given; a list of numbers is one."""
    return value if isinstance(value[0], list) else [value]


def steps(scenario: str) -> list[str]:
    """The left sides of the equations in the file, as they are written."""
    items = [item for section in written(scenario)["section"] for item in section.get("steps", [])]
    texts = [item if isinstance(item, str) else item.get("step", "") for item in items]
    return [text.split("=", 1)[0].strip() for text in texts if "=" in text]


@cache
def solution_of(scenario: str) -> Solution:
    read = load(scenario)
    return Solution(read.derivation, {name: matrix.given for name, matrix in read.givens.items()}, read.style)


def second_road(scenario: str) -> Values:
    given = givens(scenario)
    return {**given, **ROADS[scenario](given)}


def with_values(solution: Solution) -> list[str]:
    return [step.name for step in solution.derivation.steps if not step.general]


def with_one_value(solution: Solution) -> list[str]:
    """The names of which more is known than intervals."""
    return [name for name in with_values(solution) if solution.store.shown(name) is not Shown.INTERVALS]


def rounded_half_units(scenario: str) -> Values:
    """How far the numbers behind the figures of every rounded given may lie from them."""
    tables = {name: table for name, table in written(scenario)["given"].items() if isinstance(table, dict)}
    return {
        name: np.array([[0.5 * 10.0 ** -len(cell.partition(".")[2]) for cell in row] for row in table["value"]])
        for name, table in tables.items()
        if table.get("rounded")
    }


def assert_close(found: np.ndarray, expected: np.ndarray, what: str) -> None:
    assert found.shape == expected.shape, what
    finite = np.isfinite(found) & np.isfinite(expected)
    far = np.where(finite, False, (found != expected) & ~(np.isnan(found) & np.isnan(expected)))
    far[finite] = np.abs(found[finite] - expected[finite]) > TOLERANCE * np.maximum(1.0, np.abs(expected[finite]))
    assert not far.any(), f"{what}: {found[far]} and by the second road {expected[far]}"


def is_lost(values: np.ndarray) -> bool:
    """Whether double precision has nothing to compare with; a mask of -inf is no loss."""
    return bool((np.isnan(values) | np.isposinf(values)).any())


# The tests


@pytest.mark.parametrize("scenario", NAMES)
def test_the_second_road_covers_every_value(scenario: str) -> None:
    wanted = [name for name in steps(scenario) if not _is_general(scenario, name)]
    covered = second_road(scenario)

    assert [name for name in wanted if name not in covered] == []
    assert sorted(covered) == sorted(with_values(solution_of(scenario)))


def _is_general(scenario: str, name: str) -> bool:
    """Whether a step stands on names that have letters for sizes and no numbers."""
    return solution_of(scenario).derivation[name].general


def test_only_the_statement_in_symbols_has_no_value() -> None:
    general = {name: [step.name for step in load(name).derivation.steps if step.general] for name in NAMES}

    assert {name: found for name, found in general.items() if found} == {
        "good": ["x", "y", "s"],
        "journey": ["u", "v", "x", "y", "S", "t", "p_uv"],
    }


@pytest.mark.parametrize("scenario", NAMES)
def test_certified_decimals_and_doubles_agree_with_numpy(scenario: str) -> None:
    solution, expected = solution_of(scenario), second_road(scenario)

    for name in with_one_value(solution):
        assert_close(solution[name].float64(), expected[name], f"{scenario}, {name} in double precision")
        if not np.isfinite(expected[name]).all():  # the next test sees these
            continue
        found = np.array([[float(text) for text in row] for row in solution[name].decimals(15)])
        assert_close(found, expected[name], f"{scenario}, {name}")


def test_the_rounded_givens_are_the_three_matrices_of_the_ironman_source() -> None:
    assert {name: sorted(rounded_half_units(name)) for name in NAMES if rounded_half_units(name)} == {
        "ironman": ["A_src", "H_0", "H_1"]
    }


@pytest.mark.parametrize("scenario", [name for name in NAMES if rounded_half_units(name)])
def test_the_ends_of_an_interval_are_the_extremes_over_all_roundings(scenario: str) -> None:
    """Every number behind the figures is put to one end or the other, many times over: no value lies outside the
    intervals, and the extremes are their ends."""
    solution, given, half = solution_of(scenario), givens(scenario), rounded_half_units(scenario)
    random = np.random.default_rng(2026)
    drawn = []
    for _ in range(200):
        moved = {name: given[name] + unit * random.choice([-1.0, 1.0], unit.shape) for name, unit in half.items()}
        drawn.append({**given, **moved, **ROADS[scenario]({**given, **moved})})

    for name in with_values(solution):
        if solution.store.shown(name) is Shown.INTERVALS:
            ends = [
                [[float(Fraction(int(x.p), int(x.q))) for x in (cell.low, cell.high)] for cell in row]
                for row in solution.intervals(name)
            ]
            low, high = np.moveaxis(np.array(ends), -1, 0)
            values = np.array([each[name] for each in drawn])
            assert_close(low, values.min(axis=0), f"{scenario}, {name}, lower ends")
            assert_close(high, values.max(axis=0), f"{scenario}, {name}, upper ends")


@pytest.mark.parametrize("scenario", NAMES)
def test_printed_figures_are_within_half_a_unit_of_numpy(scenario: str) -> None:
    solution, expected = solution_of(scenario), second_road(scenario)

    for name in with_one_value(solution):
        if is_lost(expected[name]):
            continue
        for row, numbers in zip(solution.figures(name), expected[name], strict=True):
            for figure, value in zip(row, numbers, strict=True):
                text = figure.text
                if text == "-oo":
                    assert value == -np.inf, f"{scenario}, {name}"
                    continue
                if "^" in text:  # a masked score, printed as a power of ten
                    assert (text, round(value / 1e9, 6)) == ("-10^9", -1.0), f"{scenario}, {name}"
                    continue
                unit = 10.0 ** -len(text.partition(".")[2])
                assert abs(float(text) - value) <= unit / 2 + TOLERANCE, f"{scenario}, {name}: {text}, {value}"


def test_where_double_precision_loses_a_value_it_is_certified_all_the_same() -> None:
    """The exponentials of journey that overflow, by Python's decimal numbers, and the weights made of them."""
    lost = {name: [key for key, found in second_road(name).items() if is_lost(found)] for name in NAMES}
    solution, given = solution_of("journey"), written("journey")["given"]["s_big"]["value"][0]
    with localcontext() as context:
        context.prec = 400
        exponentials = [Decimal(score).exp() for score in given]
        weights = [each / sum(exponentials) for each in exponentials]
        found = {name: [Decimal(text) for text in solution[name].decimals(30)[0]] for name in ("E_big", "p_big")}
        assert all(abs(a - b) <= Decimal("1e-30") for a, b in zip(found["E_big"], exponentials, strict=True))
        assert all(abs(a - b) <= Decimal("1e-30") for a, b in zip(found["p_big"], weights, strict=True))

    assert {name: keys for name, keys in lost.items() if keys} == {"journey": ["E_big", "p_big"]}
    assert solution["p_big"].decimals(50) == solution["p_safe"].decimals(50)


def test_what_the_words_of_bank_say_holds() -> None:
    """What no reference in them prints: equalities, and numbers that are put into words."""
    v = second_road("bank")
    assert v["X"][2].tolist() == v["X_prime"][2].tolist() == ((v["X"][1] + v["X_prime"][1]) / 3.0).tolist()
    assert not v["X"][0].any()
    assert_close(v["z_the"], v["x_mean"], "what “the” gets is the average")
    assert_close(v["Z"][2, 1], v["A"][2, 2], "the finance of “bank” is its weight of itself")
    assert_close(v["Z_prime"], v["Z"][:, ::-1], "the second sentence mirrors the first")
    assert_close(v["A_M"][2], v["A"][2], "the mask leaves the last row as it is")
    assert v["S_QK"][2, 2] == v["S_QK"][2, 0] == 0.0 < v["S_QK"][2, 1]
    assert v["A_m"][2, 1] < v["A_m"][2, 0]
    assert abs(softmax(v["S_raw"] / 100.0) - 1.0 / 3.0).max() < 0.03
    swapped = softmax(v["X_prime"][2:, 1:] * v["X_prime"][:, 1:].T)
    assert_close(swapped, v["a_1"], "in the second sentence the heads change roles")


def test_a_wrong_value_is_noticed() -> None:
    right = second_road("weather")["logits"]

    with pytest.raises(AssertionError, match="by the second road"):
        assert_close(right + 1e-11, right, "logits")
