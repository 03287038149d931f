"""Lines with lists and matrices, and the functions that networks apply to them; NumPy works them out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from tests.checking.lines.arithmetic import Line
from tests.checking.lines.hand import DOT, Hand
from tests.checking.lines.terms import Term, Value, figure, number, root_of


def softmax(values: Sequence[Value]) -> list[float]:
    """Apply the softmax to a list."""
    exps = np.exp(np.array([float(each) for each in values]) - float(max(values)))
    return [float(each) for each in exps / exps.sum()]


def sigmoid(value: Value) -> float:
    """Apply the logistic function."""
    return 1 / (1 + math.exp(-value))


def dot(one: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    """Multiply two lists entry by entry and add the products."""
    return sum((a * b for a, b in zip(one, other, strict=True)), Fraction())


def products_written(hand: Hand, one: Sequence[Fraction], other: Sequence[Fraction]) -> str:
    """Write a dot product out: ``1·4 + 2·(-5)``."""
    sign = hand.by(r" \cdot ", "·", "*")
    texts = [[figure(a), figure(b)] for a, b in zip(one, other, strict=True)]
    return " + ".join(sign.join(f"({text})" if text.startswith("-") else text for text in pair) for pair in texts)


def norms(hand: Hand) -> str:
    """``\\|[3, 4]\\| = 5``, ``\\lVert (1, 2) \\rVert_2 = \\sqrt{1 + 4} ≈ 2.236``."""
    values = hand.choose(
        [Fraction(3), Fraction(4)], [Fraction(2), Fraction(-3), Fraction(6)], hand.some(2), hand.some(3)
    )
    listed, squares = hand.listed(values), sum((each**2 for each in values), Fraction())
    value: Value = root_of(squares)
    left, right = hand.choose((r"\|", r"\|"), (r"\lVert ", r" \rVert"), (r"\lVert ", r" \rVert_2"))
    call = f"np.linalg.norm({listed})"
    if hand.random.random() < 0.25:
        value, right, call = (
            sum(map(abs, values), Fraction()),
            rf"{right.removesuffix('_2')}_1",
            f"sum(np.abs({listed}))",
        )
        return hand.page(f"{hand.by(f'{left}{listed}{right}', f'‖{listed}‖₁', call)} {hand.result(value)}")
    middle = ""
    if hand.random.random() < 0.4:
        parts = " + ".join(figure(each**2) for each in values)
        middle = f"= {hand.by(chr(92) + f'sqrt{{{parts}}}', f'√({parts})', f'np.sqrt({parts})')} "
    return hand.page(f"{hand.by(f'{left}{listed}{right}', f'‖{listed}‖', call)} {middle}{hand.result(value)}")


def dot_products(hand: Hand) -> str:
    """``[1, 2, 3] \\cdot [4, 5, 6] = 1·4 + 2·5 + 3·6 = 32``."""
    count = hand.choose(2, 3)
    one, other = hand.some(count, -5, 9), hand.some(count, -5, 9)
    shown = hand.by(*[f"{{}} {DOT} {{}}"] * 2, hand.choose("np.dot({}, {})", "{} @ {}"))
    middle = f"= {products_written(hand, one, other)} " if hand.random.random() < 0.5 else ""
    return hand.page(f"{shown.format(hand.listed(one), hand.listed(other))} {middle}{hand.result(dot(one, other))}")


def _matrix(hand: Hand, rows: int, columns: int) -> list[list[Fraction]]:
    return [hand.some(columns, -4, 9, hand.choose(0, 0, 1)) for _ in range(rows)]


def matrix_products(hand: Hand) -> str:
    """A product of two matrices, or of a matrix and a list, with every entry claimed."""
    n, k, m = (hand.random.randint(1, 3) for _ in range(3))
    one, other = _matrix(hand, max(n, 2), max(k, 2)), _matrix(hand, max(k, 2), m)
    product = [[dot(row, column) for column in zip(*other, strict=True)] for row in one]
    left, right = hand.grid(one), hand.grid(other)
    if hand.random.random() < 0.4:
        a, b = hand.choose(("A", "B"), ("X", "W"), ("Q", "K"))
        named = hand.by(f"{a} {b}", hand.choose(f"{a} {b}", f"{a} {DOT} {b}", f"{a} @ {b}"), f"{a} @ {b}")
        return hand.page(f"{a} = {left}", f"{b} = {right}", f"{named} = {hand.grid(product, claimed=True)}")
    sign = hand.by(hand.choose(" ", f" {DOT} "), hand.choose(f" {DOT} ", " @ "), " @ ")
    return hand.page(f"{left}{sign}{right} = {hand.grid(product, claimed=True)}")


def transposes(hand: Hand) -> str:
    """A matrix and its transpose, by a name or in place."""
    rows = _matrix(hand, hand.choose(1, 2, 3), hand.choose(2, 3))
    turned = hand.grid([*zip(*rows, strict=True)], claimed=True)
    mark = hand.by(hand.choose("^T", r"^\top", r"^{\top}"), hand.choose("ᵀ", "^T", ".T"), ".T")
    if hand.random.random() < 0.6:
        name = hand.choose(*"AKXW")
        return hand.page(f"{name} = {hand.grid(rows)}", f"{name}{mark} = {turned}")
    return hand.page(f"{hand.by('{}', '{}', 'np.array({})').format(hand.grid(rows))}{mark} = {turned}")


def softmaxes(hand: Hand) -> str:
    """``\\text{softmax}([1, 2, 3]) ≈ [0.090, 0.245, 0.665]``."""
    values = hand.some(hand.choose(2, 3, 4), -2, 3, hand.choose(0, 1, 1))
    name = hand.by(hand.choose(r"\text{softmax}", r"\operatorname{softmax}", r"\mathrm{softmax}"), "softmax", "softmax")
    relation = hand.choose("=", hand.by(r"\approx", "≈", "≈"))
    shown = hand.listed(softmax(values), hand.choose(2, 3, 4), claimed=True)
    return hand.page(f"{name}({hand.listed(values)}) {relation} {shown}")


def _activation(tex: str, plain: str, code: str, apply: Callable[[Value], Value]) -> Line:
    def line(hand: Hand) -> str:
        value = hand.decimal(-2, 2, hand.choose(1, 2))
        inner = number(value)
        shown = Term(f"{tex}({inner.tex})", f"{plain}({inner.plain})", f"{code}({inner.code})", apply(value))
        if hand.random.random() < 0.3:
            name = hand.choose("z", "x", "a", "net")
            return hand.page(
                f"{name} = {inner.plain}", f"{hand.by(tex, plain, code)}({name}) {hand.result(shown.value)}"
            )
        return hand.page(hand.equation(shown))

    return line


sigmoids_called = _activation(r"\sigma", "σ", "sigmoid", sigmoid)
hyperbolic_tangents = _activation(r"\tanh", "tanh", "np.tanh", math.tanh)


def sigmoids(hand: Hand) -> str:
    """``σ(0.3) ≈ 0.574``, ``\\frac{1}{1 + e^{-0.3}} ≈ 0.574``."""
    if hand.random.random() < 0.5:
        return sigmoids_called(hand)
    value = hand.decimal(0.1, 2)
    text = figure(value)
    tex = rf"\frac{{1}}{{1 + e^{{-{text}}}}}"
    shown = hand.by(tex, hand.choose(f"1 / (1 + e^-{text})", f"1 / (1 + exp(-{text}))"), f"1 / (1 + np.exp(-{text}))")
    return hand.page(f"{shown} {hand.result(sigmoid(value), hand.choose(3, 4))}")


def rectified(hand: Hand) -> str:
    """``\\text{ReLU}([-1, 2]) = [0, 2]``, ``\\max(0, -1.5) = 0``."""
    if hand.random.random() < 0.4:
        value = hand.decimal(-3, 3)
        shown = hand.by(rf"\max(0, {figure(value)})", f"max(0, {figure(value)})", f"max(0, {figure(value)})")
        return hand.page(f"{shown} {hand.result(max(Fraction(0), value))}")
    values = hand.some(hand.choose(2, 3, 4), -3, 3, 1)
    name = hand.by(hand.choose(r"\text{ReLU}", r"\mathrm{ReLU}"), "ReLU", "relu")
    shown = hand.listed([max(Fraction(0), each) for each in values], claimed=True)
    return hand.page(f"{name}({hand.listed(values)}) = {shown}")


def means(hand: Hand) -> str:
    """``\\bar{x} = \\frac{2 + 4 + 9}{3} = 5``, ``np.mean([2, 4, 9]) = 5.0``."""
    values = hand.some(hand.choose(2, 3, 4, 5), 1, 9)
    listed = hand.listed(values)
    total, count = " + ".join(map(figure, values)), len(values)
    tex = hand.choose(r"\bar{x} = ", r"\mu = ", "") + rf"\frac{{{total}}}{{{count}}}"
    plain = hand.choose(
        f"mean = ({total}) / {count}", f"mean({hand.listed(values)})", f"mean({hand.listed(values)[1:-1]})"
    )
    return hand.page(f"{hand.by(tex, plain, f'np.mean({listed})')} {hand.result(sum(values) / count)}")


def variances(hand: Hand) -> str:
    """Variances and standard deviations of a list; the sentence says of a population or of a sample."""
    values = hand.some(hand.choose(3, 4, 5), 1, 9)
    is_sample, is_root = hand.random.random() < 0.5, hand.random.random() < 0.4
    mean = sum(values) / len(values)
    value: Value = sum(((each - mean) ** 2 for each in values), Fraction()) / (len(values) - is_sample)
    listed = hand.listed(values)
    if value == 0:
        return variances(hand)
    if is_root:
        value = root_of(Fraction(value))
    said = f"{'sample' if is_sample else 'population'} {'standard deviation' if is_root else 'variance'}"
    call = f"np.{'std' if is_root else 'var'}({listed}{', ddof=1' if is_sample else ''})"
    sign = ("s" if is_sample else r"\sigma") + ("" if is_root else "^2")
    shown = hand.by(sign, sign.replace(r"\sigma", "σ").replace("^2", "²"), call)
    given = f"x = {listed}"
    return f"The {said} of {hand.inside(given)}:\n\n{hand.page(f'{shown} {hand.result(value)}')}"


VECTORS: dict[str, Line] = {
    "norms": norms,
    "dot products": dot_products,
    "matrix products": matrix_products,
    "transposes": transposes,
    "softmax": softmaxes,
    "sigmoid": sigmoids,
    "tanh": hyperbolic_tangents,
    "ReLU": rectified,
    "means": means,
    "variances": variances,
}
"""The lines with lists and matrices by class."""
