"""A student with paper and pencil: the steps of a sheet in Python's decimals, every number on the way written down."""

from __future__ import annotations

import ast
import re
import tomllib
from cmath import rect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from typing import Any

from symattn.base.printed import Printed
from symattn.course.model import Exercise

Matrix = list[list[Decimal]]
EXACTLY = 30
"""Decimals of somebody whose calculator keeps them all."""

_FACTOR = re.compile(r"(?:(sqrt|log)\()?([0-9./]+)\)?")


@dataclass(frozen=True)
class Student:
    """Rounds every number on the way to ``places``; ``shifts``: takes the largest score from all before a softmax."""

    exercise: Exercise
    places: int
    shifts: bool = False

    def answers(self, own: Mapping[str, Printed] | None = None) -> dict[str, list[list[str]]]:
        """What stands on the paper for every part, going on from ``own`` where that has something."""
        with localcontext(Context(prec=60)):
            found = self._followed(own or {})
            every = {part.name: found[part.name] for part in self.exercise.parts}
            return {name: [list(map(_text, row)) for row in rows] for name, rows in every.items()}

    def _followed(self, own: Mapping[str, Printed]) -> dict[str, Matrix]:
        table = tomllib.loads(self.exercise.source)
        known: dict[str, Any] = {name: Decimal(size) for name, size in table.get("sizes", {}).items()}
        known |= {name: Decimal(len(words)) for name, words in table.get("labels", {}).items()}
        for name, entry in table.get("given", {}).items():
            rows = entry["value"] if isinstance(entry, Mapping) else entry
            known[name] = [[self.given(str(text)) for text in row] for row in rows]
        for line in (line for section in table["section"] for line in section.get("steps", ())):
            is_counted = isinstance(line, Mapping)
            name, _, formula = (line["quantity"] if is_counted else line).partition(" = ")
            value = (
                self.value(ast.parse(formula.replace("^", "**"), mode="eval").body, known) if name not in own else ()
            )
            known[name] = [list(map(exact, row)) for row in own[name]] if name in own else value
        return {name: value if isinstance(value, list) else [[value]] for name, value in known.items()}

    def given(self, text: str) -> Decimal:
        """A given number; one that no decimal writes is rounded when it is used."""
        sign = -1 if text.startswith("-") else 1
        value = Decimal(sign)
        for place, factor in enumerate(re.split(r"([*/])(?![^(]*\))", text.removeprefix("-"))):
            if place % 2:
                divides = factor == "/"
                continue
            match = _FACTOR.fullmatch(factor)
            assert match is not None, text
            above, _, below = match[2].partition("/")
            number = Decimal(above) / Decimal(below or 1)
            number = {"sqrt": number.sqrt, "log": number.ln}.get(match[1], lambda number=number: number)()
            value = value / number if place and divides else value * number
        return value if value == round(value, 10) else self.noted(value)

    def noted(self, x: Decimal) -> Decimal:
        """A number as it is written down."""
        return rounded(x, self.places) if x.is_finite() else x

    def each(self, rows: Matrix) -> Matrix:
        return [list(map(self.noted, row)) for row in rows]

    # -- formulas ------------------------------------------------------------------------------------------------------

    def value(self, node: ast.expr, known: Mapping[str, Any]) -> Any:
        """The value of a formula, and with it everything that was written on the way to it."""
        match node:
            case ast.Name():
                return known[node.id]
            case ast.Constant():
                return Decimal(str(node.value))
            case ast.Attribute():
                return [list(column) for column in zip(*self.value(node.value, known), strict=True)]
            case ast.UnaryOp():
                value = self.value(node.operand, known)
                return [[-x for x in row] for row in value] if isinstance(value, list) else -value
            case ast.BinOp():
                return self._operation(node.op, self.value(node.left, known), self.value(node.right, known))
            case ast.Call(func=ast.Name()):
                arguments = [self.value(one, known) for one in node.args]
                options = {one.arg: self.value(one.value, known) for one in node.keywords if one.arg}
                return getattr(self, node.func.id)(*arguments, **options)
        raise AssertionError(ast.dump(node))

    def _operation(self, sign: ast.operator, left: Any, right: Any) -> Any:
        if isinstance(sign, ast.MatMult):
            columns = list(zip(*right, strict=True))
            return self.each([[sum(map(_times, row, column), Decimal(0)) for column in columns] for row in left])
        work: Callable[[Decimal, Decimal], Decimal] = {
            ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: _times, ast.Div: lambda a, b: a / b,
            ast.Pow: lambda a, b: a**b,
        }[type(sign)]  # fmt: skip
        if isinstance(right, list) and not isinstance(left, list) and isinstance(sign, ast.Mult):
            return self.each([[work(left, y) for y in row] for row in right])
        if not isinstance(left, list):
            return work(left, right) if not isinstance(right, list) else [[work(left, y) for y in row] for row in right]
        if not isinstance(right, list):
            return self.each([[work(x, right) for x in row] for row in left])
        return self.each([[work(x, y) for x, y in zip(a, b, strict=True)] for a, b in zip(left, right, strict=True)])

    def sqrt(self, x: Any) -> Any:
        return [list(map(self.sqrt, row)) for row in x] if isinstance(x, list) else self.noted(x.sqrt())

    def softmax(self, scores: Matrix) -> Matrix:
        found = []
        for row in scores:
            top = max(row) if self.shifts else Decimal(0)
            powers = [self.noted((x - top).exp()) if x.is_finite() else Decimal(0) for x in row]
            found.append([self.noted(x / sum(powers)) for x in powers])
        return found

    def relu_grad_X(self, rows: Matrix) -> Matrix:
        return [[Decimal(x > 0) for x in row] for row in rows]

    def diag(self, row: Matrix) -> Matrix:
        return [[x if i == j else Decimal(0) for j, x in enumerate(row[0])] for i in range(len(row[0]))]

    def relu(self, rows: Matrix) -> Matrix:
        return [[max(x, Decimal(0)) for x in row] for row in rows]

    def broadcast(self, row: Matrix, count: Decimal) -> Matrix:
        return row * int(count)

    def causal_mask(self, n: Decimal) -> Matrix:
        return [[Decimal("-Infinity") if j > i else Decimal(0) for j in range(int(n))] for i in range(int(n))]

    def padding_mask(self, m: Decimal, n: Decimal, kept: Decimal) -> Matrix:
        return [[Decimal("-Infinity") if j >= kept else Decimal(0) for j in range(int(n))] for _ in range(int(m))]

    def argmax(self, rows: Matrix) -> Matrix:
        return [[Decimal(row.index(max(row)))] for row in rows]

    def one_hot(self, ids: Matrix, width: Decimal) -> Matrix:
        return [[Decimal(j == number) for j in range(int(width))] for number in ids[0]]

    def hadamard(self, left: Matrix, right: Matrix) -> Matrix:
        return [list(map(_times, *rows)) for rows in zip(left, right, strict=True)]

    def ones(self, rows: Decimal, columns: Decimal) -> Matrix:
        return [[Decimal(1)] * int(columns)] * int(rows)

    def log(self, rows: Matrix) -> Matrix:
        return [[self.noted(x.ln()) for x in row] for row in rows]

    def exp(self, rows: Matrix) -> Matrix:
        return [[self.noted(x.exp()) for x in row] for row in rows]

    def divide(self, left: Matrix, right: Matrix) -> Matrix:
        return [[self.noted(x / y) for x, y in zip(*pair, strict=True)] for pair in zip(left, right, strict=True)]

    def row_max(self, rows: Matrix) -> Matrix:
        return [[max(row)] for row in rows]

    def rotary(self, rows: Matrix, base: Decimal = Decimal(10_000), start: Decimal = Decimal(0)) -> Matrix:
        """Every pair is a complex number, turned by e^{i p θ}; in double precision."""
        found: Matrix = []
        for place, row in enumerate(rows):
            turned: list[Decimal] = []
            for j in range(0, len(row), 2):
                angle = (float(start) + place) * float(base) ** (-j / len(row))
                pair = complex(float(row[j]), float(row[j + 1])) * rect(1, angle)
                turned += [Decimal(pair.real), Decimal(pair.imag)]
            found.append(turned)
        return found

    def head(self, rows: Matrix, number: Decimal, heads: Decimal) -> Matrix:
        width = len(rows[0]) // int(heads)
        return [row[width * (int(number) - 1) : width * int(number)] for row in rows]

    def concat(self, *parts: Matrix) -> Matrix:
        return [[x for row in rows for x in row] for rows in zip(*parts, strict=True)]

    def row(self, rows: Matrix, number: Decimal) -> Matrix:
        return [rows[int(number) - 1]]

    def dot(self, left: Matrix, right: Matrix) -> Matrix:
        return [[self.noted(sum(map(_times, left[0], right[0]), Decimal(0)))]]

    def cosine(self, left: Matrix, right: Matrix) -> Matrix:
        length, other = (self.sqrt(self.dot(one, one)[0][0]) for one in (left, right))
        return [[self.noted(self.dot(left, right)[0][0] / self.noted(length * other))]]

    def layer_norm(
        self, rows: Matrix, epsilon: Decimal, gamma: Matrix | None = None, beta: Matrix | None = None
    ) -> Any:
        found = []
        for row in rows:
            mean = self.noted(sum(row) / len(row))
            off = [self.noted(x - mean) for x in row]
            found.append([self.noted(x / self._root(off, epsilon)) for x in off])
        return self._moved(found, gamma, beta)

    def rms_norm(self, rows: Matrix, epsilon: Decimal, gamma: Matrix | None = None) -> Matrix:
        return self._moved([[self.noted(x / self._root(row, epsilon)) for x in row] for row in rows], gamma, None)

    def _root(self, row: Sequence[Decimal], epsilon: Decimal) -> Decimal:
        return self.sqrt(self.noted(self.noted(sum(x * x for x in row) / len(row)) + epsilon))

    def _moved(self, rows: Matrix, gamma: Matrix | None, beta: Matrix | None) -> Matrix:
        gains, shifts = gamma or [[Decimal(1)] * len(rows[0])], beta or [[Decimal(0)] * len(rows[0])]
        return [
            [self.noted(self.noted(x * g) + b) for x, g, b in zip(row, gains[0], shifts[0], strict=True)]
            for row in rows
        ]


def rounded(number: Decimal, places: int) -> Decimal:
    """Half a unit goes up, away from zero."""
    return number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def _times(x: Decimal, y: Decimal) -> Decimal:
    return x * y


def exact(text: str) -> Decimal:
    return Decimal(text.replace("oo", "Infinity"))


def _text(x: Decimal) -> str:
    return f"{x:f}" if x.is_finite() else "-oo" if x < 0 else "oo"
