"""Short worked examples: named scalars, sentences, tables, and the first steps of common networks."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import chain

from tests.checking.lines.arithmetic import Line
from tests.checking.lines.hand import DOT, Hand
from tests.checking.lines.page import claim
from tests.checking.lines.terms import (
    AwkwardError,
    Value,
    decimals_of,
    figure,
    minus,
    named,
    number,
    over,
    plus,
    root_of,
    times,
)
from tests.checking.lines.vectors import dot, products_written, sigmoid, softmax


def scalars(hand: Hand) -> str:
    """``e = 3``, ``k = 2``, ``e k + 1 = 7``: names of scalars, some of which mean other things elsewhere."""
    names = hand.random.sample([*"abckrienmxyz", "p_1", "x_2"], 3)
    values = [hand.choose(hand.whole(-5, 9), hand.decimal(0.1, 3)) for _ in names]
    one, other, third = (named(name, value) for name, value in zip(names, values, strict=True))
    term = hand.choose(
        plus(times(one, other), third),
        minus(one, times(other, third)),
        over(plus(one, other), third),
        times(one, other),
    )
    given = [f"{name} = {figure(value)}" for name, value in zip(names, values, strict=True)]
    before = hand.choose("", "", hand.by(r"\hat{y} = ", "out = ", "out = "))
    return hand.page(*given, before + hand.equation(term))


def descent(hand: Hand) -> str:
    """``w = 0.8, grad = 0.5, lr = 0.1``, ``w_new = w - lr * grad = 0.75``."""
    w, grad, rate = (
        hand.decimal(-2, 2),
        hand.decimal(-3, 3),
        hand.choose(Fraction(1, 10), Fraction(1, 100), Fraction(1, 2)),
    )
    new = hand.by(hand.choose("w'", r"w_{\text{new}}", "w_{new}"), hand.choose("w_new", "w'", "w"), "w_new")
    step = hand.choose(r"\eta", r"\alpha")
    names = ("w", hand.by("g", "grad", "grad"), hand.by(step, hand.choose("lr", "η"), "lr"))
    given = [f"{name} = {figure(value)}" for name, value in zip(names, (w, grad, rate), strict=True)]
    formula = f"{new} = w - {names[2]} {hand.by(chr(92) + 'cdot', '·', '*')} {names[1]}"
    middle = ""
    if hand.random.random() < 0.5:
        middle = f"= {hand.write(minus(number(w), times(number(rate), number(grad))))} "
    if hand.notation == "plain" and hand.random.random() < 0.5:
        return f"{', '.join(given)}. {hand.styled(f'{formula} {middle}{hand.result(w - rate * grad)}')}\n"
    return hand.page(*given, f"{formula} {middle}{hand.result(w - rate * grad)}")


def _in_words(values: list[Fraction]) -> str:
    *first, last = map(figure, values)
    return f"{', '.join(first)} and {last}"


def sentences(hand: Hand) -> str:
    """``The mean of 2, 4 and 9 is 5.``"""
    values = hand.some(hand.choose(2, 3, 3, 4), 1, 12)
    squares, total = dot(values, values), sum(values, Fraction())
    mean, other = total / len(values), hand.some(len(values), 1, 9)
    words = _in_words(values)
    said, value = hand.choose(
        (f"The mean of {words}", mean),
        (f"The average of {words}", mean),
        (f"The sum of {words}", total),
        (f"The product of {words}", math.prod(values)),
        (f"The largest of {words}", max(values)),
        (f"The square root of {figure(values[0])}", root_of(values[0])),
        (f"The square of {figure(values[0])}", values[0] ** 2),
        (f"The difference of {figure(values[0])} and {figure(values[1])}", values[0] - values[1]),
        (f"The norm of {hand.listed(values)}", root_of(squares)),
        (f"The dot product of {hand.listed(values)} and {hand.listed(other)}", dot(values, other)),
        (f"{figure(values[0] * 5)} % of {figure(values[1] * 20)}", values[0] * values[1]),
        (f"Dividing {figure(values[0])} by {figure(values[1])}", values[0] / values[1]),
        (f"The population variance of {words}", squares / len(values) - mean**2),
        (f"The sample variance of {words}", (squares - len(values) * mean**2) / (len(values) - 1)),
    )
    is_exact = isinstance(value, Fraction) and decimals_of(value) is not None
    text = figure(value) if is_exact else figure(value, 3)
    verb = (
        "gives"
        if said.startswith("Dividing")
        else hand.choose("is", "is")
        if is_exact
        else hand.choose("is about", "is")
    )
    return f"{said} {verb} {claim(text)}.\n"


def softmax_sentences(hand: Hand) -> str:
    """``The softmax of [1, 2] is [0.269, 0.731].``"""
    values = hand.some(hand.choose(2, 3), -2, 3)
    shown = hand.listed(softmax(values), hand.choose(3, 4), claimed=True)
    return hand.choose("The softmax of {} is {}.\n", "Softmax of {}: {}\n").format(hand.listed(values), shown)


def tables(hand: Hand) -> str:
    """A table with a column that follows from the others: ``| a | b | a·b |``."""
    a, b = hand.choose("ab", "xy", "pq")
    head, combine = hand.choose((f"{a}·{b}", times), (f"{a} + {b}", plus), (f"{a} - {b}", minus), (f"{a} * {b}", times))
    most = 0 if combine is times else 1  # a factor that may be rounded excuses too much
    rows = [hand.some(2, -5, 9, hand.choose(0, most)) for _ in range(hand.choose(2, 3, 4))]
    around = "${}$" if hand.frame in ("inline", "display") else "`{}`" if hand.frame == "code" else "{}"
    heads = [around.format(each if hand.notation != "tex" else each.replace("·", r" \cdot ")) for each in (a, b, head)]
    cells = [[*map(figure, row), claim(figure(combine(*map(number, row)).value))] for row in rows]
    return _table([heads, *cells])


def totals(hand: Hand) -> str:
    """A table whose last row is the total of those above."""
    count = hand.choose(1, 2)
    rows = [hand.some(count, 1, 60, hand.choose(0, 0, 1)) for _ in range(hand.choose(2, 3, 4))]
    heads = ["part", *hand.choose(["count", "cost"], ["weight", "price"], ["2023", "2024"])[:count]]
    if hand.random.random() < 0.3:
        heads[-1] = "score"
    body = [[hand.choose("first", "second", "third"), *map(figure, row)] for row in rows]
    last = [
        hand.choose("total", "Total", "**Total**", "sum"),
        *(claim(figure(sum(each))) for each in zip(*rows, strict=True)),
    ]
    return _table([heads, *body, last])


def _table(rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]]) + "\n"


def _written_sum(hand: Hand, values: list[tuple[Fraction, Fraction]], bias: Fraction) -> str:
    products = products_written(hand, *zip(*values, strict=True))
    return f"{products} {'-' if bias < 0 else '+'} {figure(abs(bias))}"


def _function(hand: Hand, kind: str) -> str:
    return hand.by(*((r"\sigma", "σ", "sigmoid") if kind == "sigmoid" else (r"\tanh", "tanh", "tanh")))


def _activated(hand: Hand, value: Value, digits: int, kind: str = "sigmoid") -> str:
    """Write ``σ(0.6) ≈ 0.6457``; the number inside is exact."""
    if decimals_of(Fraction(value)) is None:
        raise AwkwardError(f"{value} does not end")
    applied = sigmoid(value) if kind == "sigmoid" else math.tanh(value)
    return f"{_function(hand, kind)}({figure(value)}) {hand.result(applied, digits)}"


def lstm(hand: Hand) -> str:
    """The gates of an LSTM cell with one unit, its new cell state and its output."""
    x, h, c = (hand.decimal(-1, 1) for _ in range(3))
    before = [hand.by(f"{name}_{{t-1}}", f"{name}_prev", f"{name}_prev") for name in "hc"]
    bodies = [f"{name} = {figure(value)}" for name, value in zip(["x_t", *before], (x, h, c), strict=True)]
    values: dict[str, float] = {}
    for gate, name in zip("fiog", hand.choose(("f_t", "i_t", "o_t", "g_t"), ("f", "i", "o", "g")), strict=True):
        w, u, b = (hand.decimal(-1, 1) for _ in range(3))
        inner = w * x + u * h + b
        kind = "tanh" if gate == "g" else "sigmoid"
        values[name] = math.tanh(inner) if gate == "g" else sigmoid(inner)
        long = f"{_function(hand, kind)}({_written_sum(hand, [(w, x), (u, h)], b)})"
        bodies.append(f"{name} = {long} = {_activated(hand, inner, 4, kind)}")
    f, i, o, g = values
    state = values[f] * float(c) + values[i] * values[g]
    sign = hand.by(r"\odot", "·", "*")
    new, out = ("c_t", "h_t") if "_" in f else ("c", "h")
    bodies.append(f"{new} = {f} {sign} {before[1]} + {i} {sign} {g} {hand.result(state, 4)}")
    bodies.append(f"{out} = {o} {sign} {_function(hand, 'tanh')}({new}) {hand.result(values[o] * math.tanh(state), 4)}")
    return hand.page(*bodies)


def logistic(hand: Hand) -> str:
    """Logistic regression: a score, its probability and the loss."""
    count = 2
    w, x, b = hand.some(count, -2, 2, 1), hand.some(count, -3, 3, 1), hand.decimal(-1, 1)
    z = dot(w, x) + b
    p = sigmoid(z)
    product = hand.by(*[f"w {DOT} x + b"] * 2, "w @ x + b")
    log = hand.by(r"\ln", "ln", "np.log")
    given = [f"w = {hand.listed(w)}", f"x = {hand.listed(x)}", f"b = {figure(b)}"]
    middle = f" = {_written_sum(hand, [*zip(w, x, strict=True)], b)}" if hand.random.random() < 0.5 else ""
    loss = f"L = -{log}(p) {hand.result(-math.log(p), 4)}"
    return hand.page(*given, f"z = {product}{middle} {hand.result(z)}", f"p = {_activated(hand, z, 4)}", loss)


def neurons(hand: Hand) -> str:
    """A neuron by hand: ``net_{h1} = w_1 i_1 + w_2 i_2 + b_1``, then its output."""
    w, i, b = hand.some(2, 0.1, 0.9, 2), hand.some(2, 0.05, 0.9, 2), hand.decimal(0.1, 0.9, 2)
    names = [
        hand.by(f"{name}_{n}", hand.choose(f"{name}{n}", f"{name}_{n}"), f"{name}{n}") for name in "wi" for n in (1, 2)
    ]
    if hand.notation == "plain" and len({"_" in name for name in names}) > 1:
        names = [name.replace("_", "") for name in names]
    bias = names[0].replace("w", "b")
    given = [f"{name} = {figure(value)}" for name, value in zip([*names, bias], [*w, *i, b], strict=True)]
    sign = hand.by(hand.choose(" ", r" \cdot "), hand.choose("·", " * "), " * ")
    net, out = hand.by("net_{h1}", "net_h1", "net_h1"), hand.by("out_{h1}", "out_h1", "out_h1")
    formula = f"{names[0]}{sign}{names[2]} + {names[1]}{sign}{names[3]} + {bias}"
    value = dot(w, i) + b
    middle = f" = {_written_sum(hand, [*zip(w, i, strict=True)], b)}" if hand.random.random() < 0.6 else ""
    text = figure(value)
    inverse = hand.by(rf"\frac{{1}}{{1 + e^{{-{text}}}}}", f"1 / (1 + e^-{text})", f"1 / (1 + np.exp(-{text}))")
    if hand.random.random() < 0.3:
        inverse = hand.by(rf"\sigma({net})", f"σ({net})", f"sigmoid({net})")
    shown = f"{out} = {inverse} {hand.result(sigmoid(value), hand.choose(4, 6))}"
    return hand.page(*given, f"{net} = {formula}{middle} = {claim(text)}", shown)


def convolutions(hand: Hand) -> str:
    """A convolution written out: the entries of a list, or one entry of a matrix, times the kernel."""
    if hand.random.random() < 0.5:
        x, kernel = hand.some(hand.choose(4, 5), -3, 9), hand.some(hand.choose(2, 3), -2, 2)
        bodies = [f"x = {hand.listed(x)}", f"k = {hand.listed(kernel)}"]
        for place in range(len(x) - len(kernel) + 1):
            part = x[place : place + len(kernel)]
            bodies.append(f"y_{place + 1} = {products_written(hand, part, kernel)} {hand.result(dot(part, kernel))}")
        return f"Slide the kernel over the list.\n\n{hand.page(*bodies)}"
    part, kernel = ([hand.some(2, -3, 9) for _ in range(2)] for _ in range(2))
    flat, weights = [*chain(*part)], [*chain(*kernel)]
    shown = f"{products_written(hand, flat, weights)} {hand.result(dot(flat, weights))}"
    given = (f"X = {hand.grid(part)}", f"K = {hand.grid(kernel)}")
    return hand.page(*given, f"y_{{11}} = {shown}" if hand.notation == "tex" else f"y11 = {shown}")


def poolings(hand: Hand) -> str:
    """Max pooling with windows of 2 × 2, written out or as a matrix."""
    rows = [hand.some(4, -5, 9) for _ in range(2 if hand.random.random() < 0.5 else 4)]
    windows = [
        [[rows[i][j], rows[i][j + 1], rows[i + 1][j], rows[i + 1][j + 1]] for j in (0, 2)]
        for i in range(0, len(rows), 2)
    ]
    pooled = [[max(window) for window in row] for row in windows]
    if hand.random.random() < 0.5:
        maximum = hand.by(r"\max", "max", "max")
        bodies = [
            f"{maximum}({hand.listed(window)[1:-1]}) {hand.result(max(window))}" for row in windows for window in row
        ]
        return f"Max pooling with 2×2 windows.\n\n{hand.page(*bodies)}"
    name = hand.by(r"\text{maxpool}(X)", "maxpool(X)", "maxpool(X)")
    shown = f"{name} = {hand.grid(pooled, claimed=True)}"
    return f"Max pooling with 2×2 windows and stride 2.\n\n{hand.page(f'X = {hand.grid(rows)}', shown)}"


WORKED: dict[str, Line] = {
    "named scalars": scalars,
    "SGD steps": descent,
    "sentences": sentences,
    "sentences with softmax": softmax_sentences,
    "table columns": tables,
    "table totals": totals,
    "LSTM cells": lstm,
    "logistic regression": logistic,
    "neurons": neurons,
    "convolutions": convolutions,
    "max pooling": poolings,
}
"""The short worked examples by class."""
