"""The numbers of a lesson worked out once more from its givens, with mpmath: nothing of symattn is used here."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Callable, Mapping
from itertools import chain
from types import MappingProxyType
from typing import Any

from mpmath import MPContext

mp = MPContext()
mp.dps = 70
TIE = mp.mpf(10) ** -45
"""Numbers closer than this are equal: lessons differ by much more where they differ."""
INFINITE = -mp.inf

Rows = list[list[Any]]
EPSILON, NOTHING, UNIT, BASE = [[mp.mpf(10) ** -5]], [[mp.mpf(0)]], [[mp.mpf(1)]], [[mp.mpf(10000)]]


def same(x: Any, y: Any) -> bool:
    """Whether two numbers are equal, as far as 70 digits tell."""
    return bool(x == y) or bool(mp.isfinite(x) and mp.isfinite(y) and abs(x - y) <= TIE * max(1, abs(x), abs(y)))


def groups(row: list[Any]) -> list[list[int]]:
    """The places of a row from the largest number to the smallest, equal numbers together.

    Of shares, which are never less than 0, those that are nearly 0 differ from 0.
    """
    found: list[list[int]] = []
    are_shares = min(row) >= 0
    for j in sorted(range(len(row)), key=lambda j: -row[j]):
        last = row[found[-1][0]] if found else None
        if found and (abs(last - row[j]) <= TIE * last if are_shares else same(last, row[j])):
            found[-1].append(j)
        else:
            found.append([j])
    return [sorted(group) for group in found]


def _spread(x: Rows, y: Rows) -> tuple[Rows, Rows]:
    """Two operands repeated to one shape."""
    n, m = max(len(x), len(y)), max(len(x[0]), len(y[0]))

    def wide(rows: Rows) -> Rows:
        return [[rows[i % len(rows)][j % len(rows[0])] for j in range(m)] for i in range(n)]

    return wide(x), wide(y)


def each(rule: Callable[..., Any], x: Rows, y: Rows) -> Rows:
    """Entry by entry."""
    return [[rule(a, b) for a, b in zip(*rows, strict=True)] for rows in zip(*_spread(x, y), strict=True)]


def over(rule: Callable[[Any], Any]) -> Callable[[Rows], Rows]:
    """A function of numbers, for every entry."""
    return lambda x: [[rule(a) for a in row] for row in x]


def turned(x: Rows) -> Rows:
    return [list(column) for column in zip(*x, strict=True)]


def times(x: Rows, y: Rows) -> Rows:
    """The matrix product; a weight of 0 takes nothing of what is infinite."""
    return [[mp.fsum(a * b for a, b in zip(row, column, strict=True) if a and b) for column in turned(y)] for row in x]


def softmax_row(row: list[Any]) -> list[Any]:
    top = max(row)
    if top == INFINITE:
        return [mp.mpf(0)] * len(row)
    powers = [mp.exp(a - top) if a != INFINITE else mp.mpf(0) for a in row]
    return [power / mp.fsum(powers) for power in powers]


def mean(row: list[Any]) -> Any:
    return mp.fsum(row) / len(row)


def variance(row: list[Any]) -> Any:
    return mean([(a - mean(row)) ** 2 for a in row])


def length(row: list[Any]) -> Any:
    return mp.sqrt(mp.fsum(a * a for a in row))


def first_largest(row: list[Any], count: int) -> list[int]:
    """The places of the largest, of equals the first."""
    return [j for group in groups(row) for j in group][:count]


def entropy(row: list[Any]) -> Any:
    return -mp.fsum(a * mp.log(a) for a in row if a)


def _whole(x: Rows) -> list[Any]:
    return [a for row in x for a in row]


def _made(rows: Rows, columns: Rows, rule: Callable[[int, int], Any]) -> Rows:
    """A matrix of so many rows and columns, by its places."""
    return [[mp.mpf(rule(i, j)) for j in range(int(columns[0][0]))] for i in range(int(rows[0][0]))]


def _mask(rows: Rows, columns: Rows, value: Rows, hidden: Callable[[int, int], bool]) -> Rows:
    return _made(rows, columns, lambda i, j: value[0][0] if hidden(i, j) else 0)


def _pairs(rule: Callable[[list[Any], list[Any]], Any], x: Rows, y: Rows) -> Rows:
    """Every row with every row."""
    return [[rule(r, s) for s in y] for r in x]


def _normed(scale: Callable[[list[Any]], Any], middle: Callable[[list[Any]], Any]) -> Callable[..., Rows]:
    """A norm with its learned factors and shifts."""

    def whole(x: Rows, epsilon: Rows = EPSILON, gamma: Rows = UNIT, beta: Rows = NOTHING) -> Rows:
        rows = [[(a - middle(row)) / mp.sqrt(scale(row) + epsilon[0][0]) for a in row] for row in x]
        return SIGNS[ast.Add](SIGNS[ast.Mult](rows, gamma), beta)

    return whole


def _clip(x: Rows, most: Rows) -> Rows:
    whole = length(_whole(x))
    return over(lambda a: a * most[0][0] / whole)(x) if whole > most[0][0] else x


def _rotary(x: Rows, start: Rows = NOTHING, base: Rows = BASE) -> Rows:
    found = [list(row) for row in x]
    for i, row in enumerate(x):
        for j in range(0, len(row), 2):
            angle = (start[0][0] + i) * base[0][0] ** (-mp.mpf(j) / len(row))
            a, b, c, s = row[j], row[j + 1], mp.cos(angle), mp.sin(angle)
            found[i][j], found[i][j + 1] = a * c - b * s, a * s + b * c
    return found


def _cross_entropy(scores: Rows, right: Rows) -> Rows:
    shares = [softmax_row(row) for row in scores]
    return [[-mean([mp.log(row[int(j)]) for row, j in zip(shares, _whole(right), strict=True)])]]


def _cosine(x: Rows, y: Rows) -> Rows:
    return _pairs(lambda r, s: mp.fdot(r, s) / (length(r) * length(s)), x, y)


def _waves(n: Rows, d: Rows, base: Rows = BASE) -> Rows:
    def wave(i: int, j: int) -> Any:
        angle = i * base[0][0] ** (-mp.mpf(j - j % 2) / d[0][0])
        return mp.cos(angle) if j % 2 else mp.sin(angle)

    return _made(n, d, wave)


def _head(x: Rows, t: Rows, h: Rows) -> Rows:
    width = len(x[0]) // int(h[0][0])
    return [row[width * (int(t[0][0]) - 1) :][:width] for row in x]


SIGNS: Mapping[type, Callable[[Rows, Rows], Rows]] = {
    ast.Add: lambda x, y: each(lambda a, b: a + b, x, y),
    ast.Sub: lambda x, y: each(lambda a, b: a - b, x, y),
    ast.Mult: lambda x, y: each(lambda a, b: a * b, x, y),
    ast.Div: lambda x, y: each(lambda a, b: a / b, x, y),
    ast.Pow: lambda x, y: each(lambda a, b: a**b, x, y),
    ast.MatMult: times,
}

OF_ENTRIES: Mapping[str, Callable[[Any], Any]] = {
    "exp": mp.exp,
    "log": mp.log,
    "sqrt": mp.sqrt,
    "tanh": mp.tanh,
    "relu": lambda a: max(a, mp.mpf(0)),
    "relu_grad_X": lambda a: mp.mpf(a > 0),
    "gelu": lambda a: a * (1 + mp.erf(a / mp.sqrt(2))) / 2,
    "gelu_tanh": lambda a: a * (1 + mp.tanh(mp.sqrt(2 / mp.pi) * (a + mp.mpf("0.044715") * a**3))) / 2,
    "silu": lambda a: a / (1 + mp.exp(-a)),
    "elu": lambda a: a if a > 0 else mp.exp(a) - 1,
    "sigmoid": lambda a: 1 / (1 + mp.exp(-a)),
}
OF_ROWS: Mapping[str, Callable[[list[Any]], Any]] = {
    **{"row_mean": mean, "row_sum": mp.fsum, "row_var": variance, "row_max": max, "norm": length, "entropy": entropy},
    "argmax": lambda row: mp.mpf(groups(row)[0][0]),
}
FAR = [[INFINITE]]

FUNCTIONS: Mapping[str, Callable[..., Rows]] = {
    **{name: over(rule) for name, rule in OF_ENTRIES.items()},
    **{name: lambda x, rule=rule: [[rule(row)] for row in x] for name, rule in OF_ROWS.items()},
    "sum": lambda x, axis=(): [[mp.fsum(_whole(x))]],  # along no axis
    "mean": lambda x, axis=(): [[mean(_whole(x))]],
    "softmax": lambda x: [softmax_row(row) for row in x],
    "unit": lambda x: [[a / length(row) for a in row] for row in x],
    "proportions": lambda x: [[a / mp.fsum(row) for a in row] for row in x],
    "top_k": lambda x, k: [[mp.mpf(j in first_largest(row, int(k[0][0]))) for j in range(len(row))] for row in x],
    "layer_norm": _normed(variance, mean),
    "rms_norm": _normed(lambda row: mean([a * a for a in row]), lambda row: 0),
    "clip_norm": _clip,
    "rotary": _rotary,
    "cross_entropy": _cross_entropy,
    "keep": lambda x, mask: each(lambda a, m: a if m == 0 else mp.mpf(0), x, mask),
    "causal_mask": lambda n, value=FAR: _mask(n, n, value, lambda i, j: j > i),
    "cached_mask": lambda n, m, value=FAR: _mask(n, m, value, lambda i, j: j > i + m[0][0] - n[0][0]),
    "padding_mask": lambda n, m, seen, value=FAR: _mask(n, m, value, lambda i, j: j >= seen[0][0]),
    "window_mask": lambda n, width, value=FAR: _mask(n, n, value, lambda i, j: abs(i - j) >= width[0][0]),
    "ones": lambda n, m: _made(n, m, lambda i, j: 1),
    "identity": lambda n: _made(n, n, lambda i, j: i == j),
    "distance": lambda n: _made(n, n, lambda i, j: abs(i - j)),
    "sinusoidal": _waves,
    "one_hot": lambda ids, n: [[mp.mpf(j == a) for j in range(int(n[0][0]))] for a in _whole(ids)],
    "broadcast": lambda b, n: [list(b[0]) for _ in range(int(n[0][0]))],
    "hadamard": SIGNS[ast.Mult],
    "divide": SIGNS[ast.Div],
    "dot": lambda x, y: times(x, turned(y)),
    "cosine": _cosine,
    "angle": lambda x, y: over(lambda a: mp.degrees(mp.acos(max(-1, min(1, a)))))(_cosine(x, y)),
    "additive_scores": lambda x, y, v: _pairs(
        lambda r, s: mp.fsum(c * mp.tanh(a + b) for a, b, c in zip(r, s, v[0], strict=True)), x, y
    ),
    "head": _head,
    "rows": lambda x, i, j: x[int(i[0][0]) - 1 : int(j[0][0])],
    "entry": lambda x, i, j: [[x[int(i[0][0]) - 1][int(j[0][0]) - 1]]],
    "row": lambda x, i: [x[int(i[0][0]) - 1]],
    "concat": lambda *parts: [list(chain(*rows)) for rows in zip(*parts, strict=True)],
    "stack": lambda *parts: list(chain(*parts)),
}


def work_out(written: str, known: Mapping[str, Rows]) -> Rows:
    """The value of a formula as a lesson has it. Raises KeyError for a name or a function that is not known here."""
    return _value(parsed(written), known)


def parsed(written: str) -> ast.expr:
    """A formula as Python reads it."""
    return ast.parse(written.replace("^", "**"), mode="eval").body


def _value(node: ast.expr, known: Mapping[str, Rows]) -> Rows:
    match node:
        case ast.Constant(value=None):
            return []
        case ast.Constant(value=value):
            return [[mp.mpf(str(value))]]
        case ast.Name(id="oo"):
            return [[mp.inf]]
        case ast.Name(id=name):
            return known[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return over(lambda a: -a)(_value(inner, known))
        case ast.BinOp(left=left, op=sign, right=right):
            return SIGNS[type(sign)](_value(left, known), _value(right, known))
        case ast.Attribute(value=inner, attr="T"):
            return turned(_value(inner, known))
        case ast.List(elts=cells):
            return [[_value(cell, known)[0][0] for cell in cells]]
        case ast.Call(func=ast.Name(id=name), args=args, keywords=named):
            about = {str(each.arg): _value(each.value, known) for each in named}
            return FUNCTIONS[name](*(_value(arg, known) for arg in args), **about)
    raise KeyError(ast.dump(node))


def number(text: str) -> Any:
    """A decimal of the page, as a number."""
    plain = text.strip("$").replace("−", "-")
    if plain in ("-oo", "-inf"):
        return INFINITE
    # Python would read a long decimal as a float.
    return mp.mpf(plain) if plain.lstrip("-").replace(".", "", 1).isdigit() else work_out(plain, {})[0][0]


def rounded(value: Any, places: int) -> str:
    """A decimal, ties away from 0."""
    scaled = value * mp.mpf(10) ** places
    nearest = int(mp.floor(abs(scaled) + mp.mpf("0.5") + mp.mpf(10) ** -40))
    digits = str(nearest).rjust(places + 1, "0")
    text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return f"-{text}" if scaled < 0 and nearest else text


def all_values(data: Mapping[str, Any], symbols: Mapping[str, Any] = MappingProxyType({})) -> dict[str, Rows]:
    """Every given as it is written and every step worked out from them, with these numbers for free symbols.

    Raises AssertionError where a step's printed decimals are not those of its value: then no sentence is judged.
    """
    known: dict[str, Rows] = {name: [[mp.mpf(size)]] for name, size in data["sizes"].items()}
    labelled = {axis: len(labels) for axis, labels in data["scenario"]["labels"].items()}
    known |= {axis: [[mp.mpf(count)]] for axis, count in labelled.items() if axis not in known}
    known |= {letter: [[mp.mpf(value)]] for letter, value in symbols.items()}
    # The lesson's own text has all rows of what the page shows without its middle.
    for name, given in tomllib.loads(data["scenario"]["file"]).get("given", {}).items():
        rows = given["value"] if isinstance(given, dict) else given
        known[name] = [[work_out(cell, known)[0][0] for cell in row] for row in rows]
    for step in data["steps"]:
        known[step["name"]] = found = work_out(step["written"], known)
        assert (step["rows"]["size"], step["columns"]["size"]) == (len(found), len(found[0])), (
            f"{step['name']}: another shape"
        )
        if "decimals" not in step["values"]:
            continue  # intervals: whatever lies in them is shown
        shown = step["shown"] or {"rows": range(1, len(found) + 1), "columns": range(1, len(found[0]) + 1)}
        for i, printed in zip(shown["rows"], step["values"]["decimals"], strict=True):
            for j, text in zip(shown["columns"], printed, strict=True):
                value = found[i - 1][j - 1]
                places = len(text.partition(".")[2])
                if "10^" in text and value:  # of so large a number six digits are shown, without the zeros at their end
                    places = 5 - int(mp.floor(mp.log10(abs(value))))
                slack = mp.mpf("0.5000001") / mp.mpf(10) ** places
                close = abs(value - number(text)) <= slack if mp.isfinite(value) else value == number(text)
                assert close, f"{step['name']}: {text} is {value}"
    return known
