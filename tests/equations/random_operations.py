"""Operations at random, with numbers for what they are given; :mod:`tests.equations.another_road` works them out."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from mpmath import mp

from tests.equations.another_road import AXES, COMPARED, DIGITS, UndefinedError, World, real

SAFE = {"sqrt": "abs({})", "log": "(1 + abs({}))", "xlogx": "abs({})", "acos": "tanh({})", "exp": "tanh({})"}
"""What keeps a function inside its domain, most of the time."""
OF_ONE = ("exp", "tanh", "erf", "sin", "cos", "abs", "floor", "sqrt", "log", "xlogx", "acos")


def stands_alone(letter: str, text: str) -> bool:
    """Whether an index is in a place of its own, so that how far it goes follows."""
    return re.search(rf"[\[,]{letter}[\],]", text) is not None


@dataclass(frozen=True)
class RandomOperation:
    """An operation with what it is given."""

    text: str
    matrices: dict[str, list[list[str]]]
    numbers: dict[str, str]
    order: tuple[str, ...]
    """The parameters that are given, in their order."""
    world: Callable[[Mapping[str, list[list[Any]]]], World] = field(repr=False)

    def value(self, matrices: Mapping[str, list[list[Any]]] | None = None) -> list[list[Any]] | None:
        """The entries, for other numbers in the matrices if some come; ``None`` where they are not defined."""
        with mp.workdps(DIGITS):
            world = self.world(matrices or {name: _read(rows) for name, rows in self.matrices.items()})
            try:
                return [world.every(name) for name in world.equations][-1]
            except UndefinedError:
                return None


def _read(rows: list[list[str]]) -> list[list[Any]]:
    return [[_number(text) for text in row] for row in rows]


def _number(text: str) -> Any:
    match text.partition("("):
        case ("sqrt", _, rest):
            return mp.sqrt(int(rest[:-1]))
        case ("-sqrt", _, rest):
            return -mp.sqrt(int(rest[:-1]))
        case ("log", _, rest):
            return mp.log(real(Fraction(rest[:-1])))
    return Fraction(text)


RATIONALS = ("0", "1", "-1", "2", "1/3", "-3/7", "0.5", "-1.25", "3", "0.1")
IRRATIONALS = ("sqrt(2)", "-sqrt(3)", "log(2)", "log(3/2)", "log(1/5)")


class Maker:
    """Makes operations with the numbers of a generator."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def operation(self, name: str = "own") -> RandomOperation:
        draw = self.draw
        m, d, p = draw.randint(1, 3), draw.choice((1, 2, 2, 3, 4)), draw.randint(1, 3)
        self.rows = {"X": ("m", "d")}
        self.lines: dict[str, tuple[tuple[str, ...], str]] = {}
        self.plain: list[str] = []
        self.whole: list[str] = []
        parameters, sizes = ["X: m×d"], {"m": m, "d": d}
        usual: dict[str, Any] = {}
        if draw.random() < 0.35:
            self.rows["Y"] = ("p", "d")
            parameters.append("Y: p×d")
            sizes["p"] = p
        if draw.random() < 0.3:
            self.plain.append("c")
            parameters.append("c")
        if draw.random() < 0.2:
            self.whole.append("w")
            parameters.append("w: whole")
        left_out = {"b": draw.random() < 0.4, "a": draw.random() < 0.5}
        if draw.random() < 0.35:
            self.rows["b"] = ("d",)
            said = draw.choice(("1", "0", "1/2"))
            usual["b"] = [[Fraction(said)] * d]
            parameters.append(f"b: d = {said}")
        if draw.random() < 0.35:
            self.plain.append("a")
            said = draw.choice(("1/100", "2", "0", "-1"))
            usual["a"] = Fraction(said)
            parameters.append(f"a = {said}")
            left_out["b"] = left_out["b"] and left_out["a"]
        result = draw.choice((("i", "j"), ("i", "j"), ("i", "j"), ("i",), ("j",)))
        if "Y" in self.rows:
            result = draw.choice((("i", "q"), ("i", "q"), ("i", "j")))
        shape = {("i", "j"): "m×d", ("i",): "m×1", ("j",): "1×d", ("i", "q"): "m×p"}[result]
        texts = []
        for step in ("e", "mu", "t")[: draw.randrange(4)]:
            index = draw.choice((("i", "j"), ("i",), ("j",), ("i", "j"), ()))
            texts.append(self.equation(step, index, draw.choice((1, 2, 2, 3))))
        texts.append(self.equation("y", result, draw.choice((1, 2, 3)), last=True))
        given = [text.partition(":")[0].partition(" ")[0] for text in parameters]
        order = [each for each in given if not (each in usual and left_out[each])]
        matrices = {each: self.matrix(sizes, self.rows[each]) for each in order if each in self.rows}
        numbers = {each: draw.choice(("2", "1", "-1/3", "5", "0.5", "0")) for each in order if each in self.plain}
        numbers |= {each: str(draw.randint(1, 4)) for each in order if each in self.whole}
        lines = dict(self.lines)

        def world(values: Mapping[str, list[list[Any]]]) -> World:
            plain = {each: Fraction(text) for each, text in numbers.items()}
            left = {each: usual[each] for each in usual if each not in order}
            known = {**{each: value for each, value in left.items() if each in self.rows}, **values}
            return World(known, {**left, **plain}, sizes, lines)

        text = f"{name}({', '.join(parameters)}) -> {shape}\n" + "\n".join(texts)
        return RandomOperation(text, matrices, numbers, tuple(order), world)

    def matrix(self, sizes: Mapping[str, int], axes: tuple[str, ...]) -> list[list[str]]:
        draw = self.draw
        pool = RATIONALS if draw.random() < 0.6 else RATIONALS + 2 * IRRATIONALS
        rows = sizes[axes[0]] if len(axes) == 2 else 1
        made = [[draw.choice(pool) for _ in range(sizes[axes[-1]])] for _ in range(rows)]
        if rows > 1 and draw.random() < 0.4:
            made[-1] = list(made[0])
        if draw.random() < 0.05:
            made[0] = ["0"] * len(made[0])
        return made

    # Pieces: texts in parentheses where they need them.

    def equation(self, name: str, index: tuple[str, ...], depth: int, last: bool = False) -> str:
        text = self.piece(depth, index)
        for letter in index:
            if not stands_alone(letter, text):
                text = self.joined(text, self.with_letter("Y" if letter == "q" else "X", letter, index))
        if last:
            said = "\n".join(body for _, body in self.lines.values())
            for each in [*self.rows, *self.lines, *self.plain, *self.whole]:
                if each not in re.findall(r"\w+", said + text):
                    text = self.joined(text, each if each in (*self.plain, *self.whole) else self.entry(each, index))
        self.lines[name] = (index, text)
        left = f"{name}[{','.join(index)}]" if index else name
        return f"{left} = {text}"

    def joined(self, one: str, other: str) -> str:
        return f"({one}) {self.draw.choice('+-*')} {other}"

    def place(self, axis: str, bound: tuple[str, ...]) -> str:
        """A place on an axis that is always there."""
        draw = self.draw
        fit = [letter for letter in bound if AXES[letter] == axis]
        if fit and draw.random() < 0.8:
            return draw.choice(fit)
        if not bound or draw.random() < 0.3:
            return ("1", axis)[draw.randrange(2)]
        letter = draw.choice(bound)
        kind = draw.randrange(5) if fit and (letter in fit) else 3 + draw.randrange(2)
        if kind < 3:
            return (f"{axis} + 1 - {letter}", f"min({letter} + 1, {axis})", f"floor(({letter} + 1) / 2)")[kind]
        return f"{letter} % {axis} + 1" if kind == 3 or not self.whole else f"({letter} + w) % {axis} + 1"

    def entry(self, name: str, bound: tuple[str, ...]) -> str:
        axes = self.rows[name] if name in self.rows else [AXES[letter] for letter in self.lines[name][0]]
        places = ",".join(self.place(axis, bound) for axis in axes)
        return f"{name}[{places}]" if places else name

    def leaf(self, bound: tuple[str, ...]) -> str:
        draw = self.draw
        match draw.randrange(12):
            case 0:
                text = draw.choice(("1", "2", "1/2", "0.1", "3"))
                return f"({text})" if "/" in text else text
            case 1 if bound:
                return draw.choice(bound)
            case 2:
                return draw.choice("md")
            case 3 if self.plain:
                return draw.choice(self.plain)
            case 4 | 5 if self.lines:
                return self.entry(draw.choice([*self.lines]), bound)
            case 6:
                return "pi"
        return self.entry(draw.choice([*self.rows]), bound)

    def piece(self, depth: int, bound: tuple[str, ...]) -> str:
        draw = self.draw
        if depth <= 0:
            return self.leaf(bound)
        kind = draw.randrange(14)
        if kind <= 3:
            return self.arithmetic(depth, bound)
        if kind <= 5:
            return self.over(depth, bound)
        if kind <= 8:
            return self.function(depth, bound)
        if kind <= 10:
            return self.cases(depth, bound)
        if kind == 11:
            text, exponent = self.piece(depth - 1, bound), draw.choice((2, 2, 3, -1, -2))
            return f"({text})^{exponent}" if exponent > 0 else f"({text})^({exponent})"
        if kind == 12:
            return f"(-{self.piece(depth - 1, bound)})"
        x, y = self.piece(depth - 1, bound), self.piece(depth - 1, bound)
        if x.isidentifier():  # max(k, …) goes over all k
            x = f"-(-{x})"
        return f"{draw.choice(('max', 'min'))}({x}, {y})"

    def arithmetic(self, depth: int, bound: tuple[str, ...]) -> str:
        draw = self.draw
        x, y = self.piece(depth - 1, bound), self.piece(draw.randrange(depth), bound)
        sign = draw.choice(("+", "-", "*", "*", "/", "/", "%"))
        if sign == "%":
            y = ("2", "0.3")[draw.randrange(2)]
        elif sign == "/" and draw.random() < 0.7:
            y = f"(1 + abs({y}))"
        return f"({x} {sign} {y})"

    def over(self, depth: int, bound: tuple[str, ...]) -> str:
        draw = self.draw
        free = [letter for letter in ("k", "l", "q") if letter not in bound and (letter != "q" or "Y" in self.rows)]
        if not free:
            return self.function(depth, bound)
        letter = draw.choice(free)
        inside = (*bound, letter)
        text = self.piece(depth - 1, inside)
        if not stands_alone(letter, text):
            text = f"({text} * {self.with_letter('Y' if letter == 'q' else 'X', letter, inside)})"
        return f"{draw.choice(('sum', 'sum', 'max'))}({letter}, {text})"

    def with_letter(self, name: str, letter: str, bound: tuple[str, ...]) -> str:
        places = (letter if axis == AXES[letter] else self.place(axis, bound) for axis in self.rows[name])
        return f"{name}[{','.join(places)}]"

    def function(self, depth: int, bound: tuple[str, ...]) -> str:
        name = self.draw.choice(OF_ONE)
        text = self.piece(depth - 1, bound)
        safe = SAFE.get(name) if self.draw.random() < 0.8 else None
        return f"{name}({safe.format(text) if safe else text})"

    def cases(self, depth: int, bound: tuple[str, ...]) -> str:
        x, y = self.piece(depth - 1, bound), self.piece(depth - 1, bound)
        said = self.condition(bound)
        if self.draw.random() < 0.2:
            said = f"{said} and {self.condition(bound)}"
        return f"({x} if {said} else {y})"

    def condition(self, bound: tuple[str, ...]) -> str:
        draw = self.draw
        sign = draw.choice([*COMPARED])
        if bound and draw.random() < 0.5:
            letter = draw.choice(bound)
            other = draw.choice(("1", "2", *bound, "d"))
            return f"{draw.choice((letter, f'{letter} % 2', f'{letter} + 1'))} {sign} {other}"
        x = self.piece(draw.randrange(2), bound)
        return f"{x} {sign} {'0' if draw.random() < 0.6 else self.leaf(bound)}"
