"""Every worked line, read back from the page, is true: ``=`` exactly, ``≈`` to the printed digits."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from itertools import pairwise

import pytest
from mpmath import mp, mpf

from symattn.api import derive
from symattn.document.blocks import Equation
from symattn.document.build import build
from symattn.document.math import (
    Bars,
    Call,
    Chain,
    Fraction,
    Grid,
    Letter,
    Math,
    Number,
    Parens,
    Root,
    Script,
    Seq,
    Sign,
    Sum,
)
from symattn.scenario.load import loads

LN = Letter("ln", "upright")


class NotNumeric(Exception):
    """The side holds letters and says nothing about figures."""


def value(math: Math) -> mpf:
    """The number that a piece of mathematics stands for, worked out by none of the project's own code."""
    match math:
        case Number("-oo"):
            return mp.ninf
        case Number(text):
            body = text.replace("10^", "1e") if "*" not in text else text.replace("*10^", "e")
            return mpf(body)
        case Parens(inner):
            return value(inner)
        case Fraction(top, bottom):
            return value(top) / value(bottom)
        case Root(inner):
            return mp.sqrt(value(inner))
        case Script(Letter("e"), None, sup) if sup is not None:
            return mp.exp(value(sup))
        case Letter("e"):
            return mp.e
        case Letter("pi"):
            return mp.pi
        case Bars(inner):
            return abs(value(inner))
        case Call("argmax", arguments):
            figures = [value(argument) for argument in arguments]
            return mpf(1 + figures.index(max(figures)))
        case Call("tanh" | "sin" | "cos" | "ln" | "erf" as function, (argument,), _, None):
            return getattr(mp, function)(value(argument))
        case Script(base, None, sup) if sup is not None:
            return value(base) ** value(sup)
        case Call("max", arguments):
            return max(map(value, arguments))
        case Seq((Letter("max"), Parens(Seq((a, Sign(","), b))))):
            return max(value(a), value(b))
        case Seq(parts):
            return _sum(parts)
    raise NotNumeric


def _sum(parts: tuple[Math, ...]) -> mpf:
    total, product, sign = mpf(0), None, 1
    before: Math | None = None
    for part in parts:
        after_phi, after_ln, before = before == Letter("Phi"), before == LN, part
        match part:
            case Letter("Phi") | Letter("ln", "upright"):
                pass
            case Number() if after_ln:
                product = mp.ln(value(part)) * (1 if product is None else product)
            case Parens(inner) if after_phi:
                product = mp.ncdf(value(inner)) * (1 if product is None else product)
            case Sign("+" | "-" as mark):
                total += sign * product if product is not None else 0
                product, sign = None, 1 if mark == "+" else -1
            case Sign("·"):
                pass
            case Sign(_):
                raise NotNumeric
            case _:
                product = value(part) if product is None else product * value(part)
    return total + sign * (product if product is not None else 0)


def chains(math: object) -> list[Chain]:
    if isinstance(math, Chain):
        return [math]
    if isinstance(math, tuple):
        return [chain for part in math for chain in chains(part)]
    if is_dataclass(math):
        return [chain for field in fields(math) for chain in chains(getattr(math, field.name))]
    return []


LAYERS = """
title = "What layers are made of"
tokens = ["the", "cat", "sat"]

[given]
X = [["1", "0", "0.5", "-1"], ["0", "1/3", "-2", "0.25"], ["0.1", "0.2", "-0.3", "0.4"]]
Y = [["2", "1", "4", "-1"], ["1", "3", "-2", "5"], ["1", "-0.7", "7", "2"]]
W = [["1", "0.5"], ["0", "1"], ["-1", "0.3"], ["0.2", "2"]]
V = [["0.5", "1"], ["1", "-1"], ["0.2", "0.3"], ["0.7", "0.1"]]
P = [["0.2", "0.5", "0.3"], ["0.4", "0.2", "0.4"], ["0.25", "0.5", "0.25"]]
g = [["1", "-2", "1", "0.5"]]
v = [["1", "-2"]]

[[section]]
title = "All of them"
steps = [
  "G = hadamard(X, Y)", "D = divide(X, Y)", "H = hadamard(silu(X @ W), X @ V)", "B = divide(X @ W, exp(X @ V))",
  "T = tanh(X)", "U = gelu(X)", "U_2 = gelu_tanh(X @ W)", "S = silu(X + Y)", "L = log(P)",
  "N = rms_norm(X)", "N_2 = rms_norm(X + Y, epsilon=0, gamma=g)", "N_3 = rms_norm(Y, epsilon=0)",
  "R = rows(X, 2, 3)", "Z = stack(R, Y)", "a = argmax(P)", "b = argmax(X @ W)", "C = top_k(P, 2)",
  "F = sinusoidal(n, 4)", "F_6 = sinusoidal(n, 6)", "Q = rotary(X)", "K = rotary(Y, base=50, start=3)",
  "O = distance(n)",
  "E = additive_scores(X @ W, Y @ V, v)", "M = padding_mask(n, n, 2)",
]
"""
"""A step for every node that came with layers, with operands that are names and formulas, exact and rounded."""

LOGARITHMS = """
title = "Scores that are logarithms"
[sizes]
d_k = 4
[given]
Q = [["log(4)", "log(9)", "-log(2)", "log(2)/2"], ["0", "log(2/3)", "2*log(3)", "-log(5)"]]
K = [["1", "0", "1", "0"], ["0", "1", "0", "2"], ["2", "1", "0", "-4"]]
s = [["-log(3)", "log(3/4)", "0"]]
V = [["1", "0"], ["-1", "2"], ["0.5", "1/3"]]
[[section]]
title = "All of them"
steps = [
  "P = Q @ K.T", "S = Q @ K.T / sqrt(d_k)", "A = softmax(S)", "B = softmax(P + padding_mask(2, 3, 2))", "O = A @ V",
  "u = softmax(s)", "w = exp(s)", "E = exp(Q)", "D = P - S", "D_2 = S / sqrt(2)", "f = silu(s)", "N = rms_norm(Q)",
  "M = layer_norm(Q)", "x = unit(s)", "r = relu(s)", "l = elu(s)", "y = norm(s)", "g = gelu_tanh(s)", "G = gelu(s)",
  "h = hadamard(s, s)", "p = proportions(s)", "t = s @ ones(3, 1)", "a = argmax(s)", "c = cosine(Q, Q)",
]
"""
"""Every kind of line in which a logarithm may stand as a factor, a term, a base or an exponent."""

CARRIED = [(name, carry) for name in ("weather", "refund", "good") for carry in ("exact", "rounded")]


# A mask of −∞ leaves no figures to carry on with.
@pytest.mark.parametrize(("name", "carry"), [*CARRIED, ("ironman", "exact"), ("journey", "exact")])
def test_both_sides_of_every_worked_line_agree(name: str, carry: str) -> None:
    solution = derive(name, carry=carry, digits=6)  # type: ignore[arg-type]
    document = build(solution.scenario, solution, detail="entries", language="en")
    checked = 0
    with mp.workdps(40):
        for block in document.blocks:
            if isinstance(block, Equation) and block.kind in ("working", "formula"):
                for chain in chains(block.chains):
                    checked += _check(chain)
    assert checked > 50


@pytest.mark.parametrize("carry", ["exact", "rounded"])
def test_both_sides_of_every_worked_line_of_a_layer_agree(carry: str) -> None:
    solution = derive(loads(LAYERS), carry=carry, digits=6)  # type: ignore[arg-type]
    document = build(solution.scenario, solution, detail="entries", language="en")
    with mp.workdps(40):
        checked = [
            (_check(chain), _first_figures(chain))
            for block in document.blocks
            if isinstance(block, Equation) and block.kind == "working"
            for chain in chains(block.chains)
        ]
    # Every line but the order of a row of top_k holds figures, and most have two sides of them to compare.
    assert sum(count for count, _ in checked) > 250
    assert all(count or first <= 1 for count, first in checked)


def test_both_sides_of_every_worked_line_of_logarithms_agree() -> None:
    solution = derive(loads(LOGARITHMS))
    document = build(solution.scenario, solution, detail="entries", language="en")
    with mp.workdps(40):
        checked = [
            (_check(chain), _first_figures(chain))
            for block in document.blocks
            if isinstance(block, Equation) and block.kind == "working"
            for chain in chains(block.chains)
        ]
    assert sum(count for count, _ in checked) > 150
    assert all(count or first <= 1 for count, first in checked)


def _first_figures(chain: Chain) -> int:
    """How many sides of a line are figures."""
    found = 0
    for _, side in chain.links:
        try:
            value(side)
            found += 1
        except NotNumeric:
            pass
    return found


def test_an_entry_that_is_worked_ends_in_the_figure_of_the_matrix() -> None:
    solution = derive(loads(LAYERS), digits=6)
    document = build(solution.scenario, solution, detail="entries", language="en")
    ends = [
        chain.links[-1][1]
        for block in document.blocks
        if isinstance(block, Equation) and block.kind == "working"
        for chain in chains(block.chains)
    ]
    for name in ("G", "U", "N_2", "F_6", "K", "E"):
        for row in solution.figures(name):
            assert all(Number(figure.short or figure.text) in ends for figure in row)


def _check(chain: Chain) -> int:
    numeric = []
    for relation, side in chain.links:
        try:
            numeric.append((relation, value(side)))
        except NotNumeric:
            numeric.append((relation, None))
    count = 0
    for (_, before), (relation, after) in pairwise(numeric):
        if before is None or after is None:
            continue
        count += 1
        scale = max(1, abs(before))
        if relation == "=":
            # What is infinite has no distance from itself.
            assert before == after or abs(before - after) < mpf(10) ** -30 * scale, chain
        else:
            # An exponential of a rounded score is off by the rounding times itself.
            assert before == after or abs(before - after) < mpf("3e-5") * scale, chain
    return count


def test_the_check_can_fail() -> None:
    wrong = Chain(Letter("x"), (("=", Seq((Number("1"), Sign("+"), Number("2")))), ("=", Number("4"))))
    with mp.workdps(40), pytest.raises(AssertionError):
        _check(wrong)


def test_closed_forms_have_the_printed_value() -> None:
    solution = derive("refund")
    document = build(solution.scenario, solution, language="en")
    checked = 0
    for block in document.blocks:
        if not (isinstance(block, Equation) and block.kind == "closed_form"):
            continue
        for chain in block.chains:
            (relation, side) = chain.links[0]
            assert relation == "="
            if isinstance(side, Grid):
                figures = [figure for row in _figures_of(solution, chain.left) for figure in row]
                for math, figure in zip([cell for row in side.rows for cell in row], figures, strict=True):
                    assert abs(value(math) - mpf(figure)) <= mpf("5.0000001e-7")
                    checked += 1
    assert checked > 40


def _figures_of(solution: object, symbol: Math) -> tuple[tuple[str, ...], ...]:
    from symattn.document.build import scenario_names

    names = scenario_names(solution.scenario)  # type: ignore[attr-defined]
    (name,) = [name for name in solution if names(name) == symbol]  # type: ignore[attr-defined]
    return tuple(tuple(figure.text for figure in row) for row in solution.figures(name))  # type: ignore[attr-defined]


def test_sums_are_letters_not_figures() -> None:
    with pytest.raises(NotNumeric):
        value(Sum(Letter("k"), Number("1"), Number("3"), Letter("x")))
