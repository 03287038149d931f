"""Expressions of Python with their values, written as LaTeX, as plain text and as Python; none of it uses symattn.

One table has the operations: what each computes, and how it is written in the three notations. A value is a Fraction as
long as it is exact, and a float otherwise; lists are arrays of NumPy.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

Value = Any
"""A Fraction, a float, or an array of them."""

SUM, PRODUCT, POWER, ATOM = range(4)
"""How tightly the outermost operation of a text binds."""

NOTATIONS = ("tex", "plain", "code")
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
INNER_DOT = "\ue002"
"""Stands for a dot that is never written as a cross: of lists and matrices."""
BAR = "\ue003"
"""Stands for a bar, which otherwise parts the ways to write an operation."""


class AwkwardError(Exception):
    """A figure that may be rounded two ways, or that is not worth printing: draw another line."""


def decimals_of(value: Value, most: int = 6) -> int | None:
    """Count the decimals of a number that ends; return None if it has more than ``most``."""
    if not isinstance(value, Fraction):
        return None
    return next((digits for digits in range(most + 1) if (value * 10**digits).denominator == 1), None)


def figure(value: Value, decimals: int | None = None) -> str:
    """Print a number rounded to so many decimals; without them, print it exactly.

    >>> figure(Fraction(3, 4)), figure(Fraction(2, 3), 3), figure(-2.71828, 2)
    ('0.75', '0.667', '-2.72')
    """
    decimals = decimals_of(value) if decimals is None else decimals
    if decimals is None:
        raise AwkwardError(f"{value} does not end")
    scaled = Fraction(value) * 10**decimals
    if abs(scaled - math.floor(scaled) - Fraction(1, 2)) < Fraction(1, 100):
        raise AwkwardError(f"{value} lies in the middle")
    rounded = math.floor(scaled + Fraction(1, 2))
    if (rounded == 0 and value != 0) or abs(rounded) >= 10**9:
        raise AwkwardError(f"{value} vanishes or is too long")
    whole, part = divmod(abs(rounded), 10**decimals)
    return f"{'-' * (rounded < 0)}{whole}" + (f".{part:0{decimals}}" if decimals else "")


# -- the table of operations -------------------------------------------------------------------------------------------


def root(value: Value, degree: int = 2) -> Value:
    """Take a root, exactly where it is rational."""
    parts = [round(part ** (1 / degree)) for part in (Fraction(value).numerator, Fraction(value).denominator)]
    exact = Fraction(*parts)
    return exact if exact**degree == value else float(value) ** (1 / degree)


def logarithm(value: Value, base: int) -> Value:
    """Take a logarithm, exactly where it is an integer."""
    exponent = Fraction(round(math.log(value, base)))
    return exponent if Fraction(base) ** exponent == value else math.log(value, base)


def softmax(values: Value) -> Value:
    powers = np.exp(np.array(values, float) - float(max(values)))
    return powers / powers.sum()


def variance(values: Value, ddof: int = 0) -> Value:
    return ((values - values.mean()) ** 2).sum() / (len(values) - ddof)


def pooled(rows: Value) -> Value:
    return rows.reshape(len(rows) // 2, 2, -1, 2).max(axis=(1, 3))


APPLY: Mapping[str, Callable[..., Value]] = {
    "sqrt": root,
    "cbrt": lambda x: root(x, 3),
    "root4": lambda x: root(x, 4),
    "ln": math.log,
    "log2": lambda x: logarithm(x, 2),
    "log3": lambda x: logarithm(x, 3),
    "log10": lambda x: logarithm(x, 10),
    "exp": math.exp,
    "comb": lambda n, k: Fraction(math.comb(int(n), int(k))),
    "factorial": lambda n: Fraction(math.factorial(int(n))),
    "abs": abs,
    "norm": lambda x: root((x**2).sum()),
    "norm1": lambda x: abs(x).sum(),
    "percent": lambda x: x / 100,
    "scientific": lambda x, n: x * Fraction(10) ** n,
    "pm": lambda a, b: np.array([a - b, a + b]),
    "dot": lambda a, b: (a * b).sum(),
    "beside": lambda a, b: a * b,
    "entrywise": lambda a, b: a * b,
    "total": lambda x: x.sum(),
    "product": math.prod,
    "softmax": softmax,
    "sigma": lambda x: 1 / (1 + math.exp(-x)),
    "tanh": math.tanh,
    "relu": lambda x: np.maximum(Fraction(0), x),
    "maximum": lambda *x: max(x),
    "maxpool": pooled,
    "mean": lambda x: x.mean(),
    "var": variance,
    "std": lambda x: root(variance(x)),
    "var1": lambda x: variance(x, 1),
    "std1": lambda x: root(variance(x, 1)),
}
"""What each function computes; ``operations.txt`` has how it is written in the three notations.

``{0}`` is an argument, and ``{a}`` the first one in parentheses unless it is a number or a name; a bar parts ways to
write it. Behind the name of an operation is how tightly it binds.
"""

LEVELS = {"sum": SUM, "product": PRODUCT, "": ATOM}


def _written() -> tuple[dict[str, tuple[int, list[str]]], dict[str, list[str]]]:
    """Read how operations are written, and names that are written differently in the three notations."""
    text = Path(__file__).with_name("operations.txt").read_text(encoding="utf-8")
    text = text.replace("¦", BAR).replace("∘", INNER_DOT)
    operations, names = (
        [line.split("  ;  ") for line in part.splitlines() if line] for part in text.split("==== names")
    )
    heads = ((head.partition(" "), ways) for head, *ways in operations)
    return {name: (LEVELS[level], ways) for (name, _, level), ways in heads}, {name: ways for name, *ways in names}


OPERATIONS, SPELLED = _written()

SIGNS: Mapping[type, tuple[str, Callable[[Value, Value], Value], int]] = {
    ast.Add: ("+", lambda a, b: a + b, SUM),
    ast.Sub: ("-", lambda a, b: a - b, SUM),
    ast.Mult: ("*", lambda a, b: a * b, PRODUCT),
    ast.Div: ("/", lambda a, b: a / b, PRODUCT),
    ast.MatMult: ("@", lambda a, b: a @ b, PRODUCT),
    ast.Pow: ("**", lambda a, b: a**b, POWER),
}


def value_of(node: ast.expr, names: Mapping[str, Value]) -> Value:
    """Compute the value of an expression."""
    match node:
        case ast.Constant():
            return Fraction(str(node.value))
        case ast.Name():
            return names[node.id]
        case ast.UnaryOp():
            inner = value_of(node.operand, names)
            return -inner if isinstance(node.op, ast.USub) else inner
        case ast.BinOp():
            try:
                return SIGNS[type(node.op)][1](value_of(node.left, names), value_of(node.right, names))
            except ZeroDivisionError as error:
                raise AwkwardError("division by zero") from error
        case ast.List():
            return np.array([value_of(each, names) for each in node.elts], object)
        case ast.Attribute():
            return value_of(node.value, names).T
        case ast.Call(func=ast.Name(id=name), args=[ast.GeneratorExp() as each]):
            index, first, last = _range_of(each)
            values = [value_of(each.elt, {**names, index: Fraction(n)}) for n in range(first, last)]
            return sum(values, Fraction()) if name == "sum" else math.prod(values)
        case ast.Call(func=ast.Name(id=name)):
            return APPLY[name](*(value_of(each, names) for each in node.args))
    raise ValueError(ast.unparse(node))


def _range_of(each: ast.GeneratorExp) -> tuple[str, int, int]:
    (loop,) = each.generators
    first, last = (int(bound.value) for bound in loop.iter.args)  # type: ignore[attr-defined]
    return ast.unparse(loop.target), first, last


# -- writing -----------------------------------------------------------------------------------------------------------


@dataclass
class ExpressionWriter:
    """Writes expressions in one notation, always choosing the same spelling of a name."""

    random: Random
    notation: str
    names: dict[str, str] = field(default_factory=dict)

    def by(self, *texts: str) -> str:
        """Choose by the notation, and of ways that a bar parts one."""
        return self.random.choice(texts[NOTATIONS.index(self.notation)].split("|")).replace(BAR, "|")

    def name(self, name: str) -> str:
        if name not in self.names:
            self.names[name] = self.by(*SPELLED.get(name, [name] * 3))
        return self.names[name]

    def write(self, node: ast.expr) -> str:
        return self._term(node)[0]

    def _inside(self, node: ast.expr, least: int) -> str:
        text, level = self._term(node)
        return f"({text})" if level < least else text

    def _term(self, node: ast.expr) -> tuple[str, int]:
        match node:
            case ast.Constant():
                return str(node.value), ATOM
            case ast.Name():
                return self.name(node.id), ATOM
            case ast.UnaryOp():
                sign = "-" if isinstance(node.op, ast.USub) else "+"
                return f"{sign}{self._inside(node.operand, PRODUCT)}", SUM
            case ast.BinOp():
                return self._joined(node, *SIGNS[type(node.op)][::2])
            case ast.List():
                return self._list(node), ATOM
            case ast.Attribute():
                mark = self.by(r"^T|^\top|^{\top}", "ᵀ|^T|.T", ".T")
                inner = self.write(node.value)
                is_listed = self.notation == "code" and isinstance(node.value, ast.List)
                return (f"np.array({inner})" if is_listed else inner) + mark, ATOM
            case ast.Call(func=ast.Name(id=name), args=[ast.GeneratorExp() as each]):
                return self._over_range(name, each), PRODUCT
            case ast.Call(func=ast.Name(id=name)):
                (level, ways), texts = OPERATIONS[name], [self.write(each) for each in node.args]
                way = self.by(*ways)
                first = self._inside(node.args[0], ATOM) if "{a}" in way else ""
                return way.format(*texts, a=first, all=", ".join(texts)), level
        raise ValueError(ast.unparse(node))

    def _joined(self, node: ast.BinOp, sign: str, level: int) -> tuple[str, int]:
        is_tex = self.notation == "tex"
        match sign:
            case "**":
                base, exponent = self._inside(node.left, ATOM), self.write(node.right)
                tex = exponent if exponent in "0123456789" else f"{{{exponent}}}"
                plain = exponent.translate(SUPERSCRIPTS) if exponent in "23" else f"^{exponent}"
                return base + self.by(f"^{tex}", plain, f"**{exponent}"), level
            case "/" if is_tex:
                return rf"\frac{{{self.write(node.left)}}}{{{self.write(node.right)}}}", POWER
            case "@":
                are_names = isinstance(node.left, ast.Name) and isinstance(node.right, ast.Name)
                beside = "{} {}|" if are_names else ""
                way = self.by(
                    f"{{}} {{}}|{{}} {INNER_DOT} {{}}", f"{beside}{{}} {INNER_DOT} {{}}|{{}} @ {{}}", "{} @ {}"
                )
                return way.format(self._inside(node.left, PRODUCT), self._inside(node.right, POWER)), level
        sign = self.by(r"\cdot", "·", "*") if sign == "*" else sign
        least = (SUM, PRODUCT) if level == SUM else (PRODUCT, POWER)
        return f"{self._inside(node.left, least[0])} {sign} {self._inside(node.right, least[1])}", level

    def _list(self, node: ast.List) -> str:
        rows = [each for each in node.elts if isinstance(each, ast.List)]
        if not rows:
            return f"[{', '.join(map(self.write, node.elts))}]"
        return self.grid([[self.write(each) for each in row.elts] for row in rows])

    def grid(self, rows: list[list[str]]) -> str:
        """Write a matrix: with an environment in LaTeX, as nested lists elsewhere."""
        if self.notation == "tex":
            kind = self.random.choice(("bmatrix", "pmatrix"))
            body = r" \\ ".join(" & ".join(row) for row in rows)
            return rf"\begin{{{kind}}} {body} \end{{{kind}}}"
        return f"[{', '.join(f'[{chr(44).join(row)}]'.replace(',', ', ') for row in rows)}]"

    def _over_range(self, name: str, each: ast.GeneratorExp) -> str:
        index, first, last = _range_of(each)
        shape = self._inside(each.elt, PRODUCT)
        over = f"range({first}, {last})"
        code = f"{shape} for {index} in {over}" if shape != index else over
        return self.by(
            rf"\{'sum' if name == 'sum' else 'prod'}_{{{index}={first}}}^{{{last - 1}}} {shape}",
            f"{'Σ' if name == 'sum' else '∏'}_{{{index}={first}}}^{last - 1} {shape}",
            f"{'sum' if name == 'sum' else 'math.prod'}({code})",
        )
