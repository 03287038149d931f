"""Random formulas over a few small matrices, every one well shaped and with a value."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from random import Random

SIZES = (1, 2, 3)
_EXACT = ("0", "1", "-1", "2", "1/2", "-3/2", "0.25", "1/3", "3")
_FACTORS = ("2", "-1", "1/2", "-3/4", "0.1", "1/100000", "10", "sqrt(2)", "-2/3", "1", "3")
_NAMES = ("X", "Y", "Z", "W", "A", "B", "V", "S", "x", "b", "W_Q", "W_K", "K", "E", "t")

Build = Callable[["Formulas", int, int, int], str | None]


class Formulas:
    """Draws givens, and formulas of a shape over them."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.givens: dict[str, list[list[str]]] = {}
        for name in self.random.sample(_NAMES, 4):
            rows, columns = (1, self.random.choice(SIZES)) if name in "xbt" else self.random.choices(SIZES, k=2)
            self.given(name, rows, columns)

    def given(self, name: str, rows: int, columns: int) -> str:
        self.givens[name] = [self.random.choices(_EXACT, k=columns) for _ in range(rows)]
        return name

    def name(self, rows: int, columns: int) -> str:
        """A given of that shape; a new one where there is none."""
        fitting = [name for name, value in self.givens.items() if (len(value), len(value[0])) == (rows, columns)]
        free = [name for name in _NAMES if name not in self.givens and (rows == 1 or name not in "xbt")]
        if fitting and (self.random.random() < 0.8 or not free):
            return self.random.choice(fitting)
        return self.given(self.random.choice(free), rows, columns) if free else f"ones({rows}, {columns})"

    def formula(self, rows: int, columns: int, depth: int) -> str:
        """A formula of a shape."""
        if depth <= 0 or self.random.random() < 0.15:
            return self.name(rows, columns)
        while True:
            built = self.random.choice(_BUILDS)(self, rows, columns, depth - 1)
            if built is not None:
                return built

    def size(self) -> int:
        return self.random.choice(SIZES)

    def scenario(self, steps: int = 1) -> str:
        """The text of a scenario with a few random steps."""
        lines = [f'"R_{number} = {self.formula(self.size(), self.size(), 3)}"' for number in range(1, steps + 1)]
        givens = [f"{name} = {json.dumps(value)}" for name, value in self.givens.items()]
        head = ['title = "Random"', "[given]", *givens, "[[section]]", 'title = "All"']
        return "\n".join([*head, f"steps = [{', '.join(lines)}]", ""])


def _call(name: str, *more: str) -> Build:
    """A function entry by entry or row by row, which keeps the shape."""

    def build(draw: Formulas, rows: int, columns: int, depth: int) -> str:
        return f"{name}({', '.join([draw.formula(rows, columns, depth), *more])})"

    return build


def _of_positive(name: str) -> Build:
    """A function of what must be positive."""
    return lambda draw, rows, columns, depth: f"{name}(exp({draw.formula(rows, columns, min(depth, 1))}))"


def _column(name: str, positive: bool = False) -> Build:
    """One number for each row."""

    def build(draw: Formulas, rows: int, columns: int, depth: int) -> str | None:
        inner = draw.formula(rows, draw.size(), depth) if columns == 1 else ""
        inner = f"softmax({inner})" if positive else inner
        return f"{name}({inner})" if columns == 1 else None

    return build


def _two(pattern: str) -> Build:
    def build(draw: Formulas, rows: int, columns: int, depth: int) -> str:
        return pattern.format(draw.formula(rows, columns, depth), draw.formula(rows, columns, depth))

    return build


def _sum(draw: Formulas, rows: int, columns: int, depth: int) -> str:
    terms = [draw.formula(rows, columns, depth) for _ in range(draw.random.choice((2, 2, 3)))]
    return "(" + draw.random.choice((" + ", " - ")).join(terms) + ")"


def _scaled(draw: Formulas, rows: int, columns: int, depth: int) -> str:
    return f"{draw.random.choice(_FACTORS)} * {draw.formula(rows, columns, depth)}"


def _of_ones(draw: Formulas, rows: int, columns: int, depth: int) -> str:
    return f"({draw.formula(rows, columns, depth)} + {draw.random.choice(_FACTORS)} * ones({rows}, {columns}))"


def _quotient(draw: Formulas, rows: int, columns: int, depth: int) -> str:
    return f"({draw.formula(rows, columns, depth)}) / {draw.random.choice(('2', 'sqrt(2)', '3', 'sqrt(4)', '0.5'))}"


def _product(draw: Formulas, rows: int, columns: int, depth: int) -> str:
    middle = draw.size()
    return f"({draw.formula(rows, middle, depth)}) @ ({draw.formula(middle, columns, depth)})"


def _of_three(draw: Formulas, rows: int, columns: int, depth: int) -> str:
    first, second = draw.size(), draw.size()
    middle = draw.formula(first, second, depth - 1)
    return f"({draw.name(rows, first)} @ ({middle}) @ {draw.formula(second, columns, depth - 1)})"


def _transposed(draw: Formulas, rows: int, columns: int, depth: int) -> str:
    return f"({draw.formula(columns, rows, depth)}).T"


def _power(draw: Formulas, rows: int, columns: int, depth: int) -> str | None:
    return f"({draw.formula(rows, rows, depth)})^2" if rows == columns else None


def _pairs(name: str) -> Build:
    def build(draw: Formulas, rows: int, columns: int, depth: int) -> str:
        width = draw.size()
        return f"{name}({draw.formula(rows, width, depth)}, {draw.formula(columns, width, depth)})"

    return build


def _pairs_of_positive(name: str) -> Build:
    def build(draw: Formulas, rows: int, columns: int, depth: int) -> str:
        width = draw.size()
        sides = (f"exp({draw.name(size, width)})" for size in (rows, columns))
        return f"{name}({', '.join(sides)})"

    return build


def _additive(draw: Formulas, rows: int, columns: int, depth: int) -> str:
    width = draw.size()
    sides = (draw.formula(size, width, depth) for size in (rows, columns, 1))
    return f"additive_scores({', '.join(sides)})"


def _norm_with_gain(draw: Formulas, rows: int, columns: int, depth: int) -> str:
    gain, bias = (draw.formula(1, columns, min(depth, 1)) for _ in range(2))
    name, more = draw.random.choice(
        (("layer_norm", f"gamma={gain}, beta={bias}"), ("rms_norm", f"gamma={gain}"), ("layer_norm", f"beta={bias}"))
    )
    return f"{name}({draw.formula(rows, columns, depth)}, {more})"


def _row(draw: Formulas, rows: int, columns: int, depth: int) -> str | None:
    count = draw.size()
    inner = draw.formula(count, columns, depth)
    return f"row({inner}, {draw.random.randint(1, count)})" if rows == 1 else None


def _rows(draw: Formulas, rows: int, columns: int, depth: int) -> str:
    first = draw.random.choice((1, 2))
    return f"rows({draw.formula(rows + first, columns, depth)}, {first}, {first + rows - 1})"


def _broadcast(draw: Formulas, rows: int, columns: int, depth: int) -> str:
    return f"broadcast({draw.formula(1, columns, depth)}, {rows})"


def _head(draw: Formulas, rows: int, columns: int, depth: int) -> str:
    return f"head({draw.formula(rows, 2 * columns, depth)}, {draw.random.choice((1, 2))}, 2)"


def _concat(draw: Formulas, rows: int, columns: int, depth: int) -> str | None:
    if columns == 1:
        return None
    cut = draw.random.randint(1, columns - 1)
    return f"concat({draw.formula(rows, cut, depth)}, {draw.formula(rows, columns - cut, depth)})"


def _stack(draw: Formulas, rows: int, columns: int, depth: int) -> str | None:
    if rows == 1:
        return None
    cut = draw.random.randint(1, rows - 1)
    return f"stack({draw.formula(cut, columns, depth)}, {draw.formula(rows - cut, columns, depth)})"


def _one_hot(draw: Formulas, rows: int, columns: int, depth: int) -> str:
    free = [name for name in ("ids", "codes", "words") if name not in draw.givens]
    ids = free[0] if free else f"ones(1, {rows})"
    draw.givens.update({free[0]: [[str(draw.random.randrange(columns)) for _ in range(rows)]]} if free else {})
    return f"one_hot({ids}, {columns})" if free or columns > 1 else f"ones({rows}, 1)"


def _mask(draw: Formulas, rows: int, columns: int, depth: int) -> str:
    if rows == columns:
        mask = draw.random.choice((f"causal_mask({rows})", f"window_mask({rows}, 1)", f"causal_mask({rows}, value=-3)"))
    else:
        mask = f"padding_mask({rows}, {columns}, {draw.random.randint(1, columns)})"
    scores = draw.formula(rows, columns, depth)
    return draw.random.choice((f"softmax({scores} + {mask})", f"keep({scores}, {mask})"))


def _positions(draw: Formulas, rows: int, columns: int, depth: int) -> str | None:
    if columns % 2:
        return f"distance({rows})" if rows == columns else None
    base = draw.random.choice(("", ", base=50"))
    if draw.random.random() < 0.4:
        return f"sinusoidal({rows}, {columns}{base})"
    return f"rotary({draw.formula(rows, columns, depth)}{base}{draw.random.choice(('', ', start=2'))})"


def _top(draw: Formulas, rows: int, columns: int, depth: int) -> str:
    return f"top_k({draw.formula(rows, columns, depth)}, {draw.random.randint(1, columns)})"


_BUILDS: Sequence[Build] = (
    _sum, _sum, _scaled, _scaled, _of_ones, _of_ones, _quotient, _product, _product, _of_three, _transposed, _power,
    *map(_call, ("softmax", "relu", "elu", "gelu", "gelu_tanh", "silu", "tanh", "layer_norm", "rms_norm")),
    _call("exp"), _call("clip_norm", "0.5"), _of_positive("log"), _of_positive("unit"), _of_positive("proportions"),
    _two("hadamard({}, {})"), _two("hadamard({}, {})"), _two("divide({}, exp({}))"),
    _column("norm"), _column("row_max"), _column("entropy", positive=True), _column("argmax"),
    _pairs("dot"), _pairs_of_positive("cosine"), _pairs_of_positive("angle"), _additive, _norm_with_gain,
    _row, _rows, _broadcast, _head, _concat, _stack, _one_hot, _mask, _positions,
    _top,
    lambda draw, rows, columns, depth: f"ones({rows}, {columns})",
    lambda draw, rows, columns, depth: f"identity({rows})" if rows == columns else None,
)  # fmt: skip
