"""Operations at random, with numbers for what they are given, and what they are by a road of their own.

An operation is made twice at once: as the text that the project reads, and as a function of Python that works an
entry out by :mod:`tests.equations.another_road`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from mpmath import mp

from tests.equations.another_road import (
    AXES,
    COMPARED,
    DIGITS,
    FUNCTIONS,
    SAFE,
    Places,
    Told,
    UndefinedError,
    World,
    both,
    divided,
    is_zero,
    minus,
    modulo,
    real,
    sign_of,
)


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
        self.of_functions = 0

    def operation(self, name: str = "own") -> RandomOperation:
        draw = self.draw
        m, d, p = draw.randint(1, 3), draw.choice((1, 2, 2, 3, 4)), draw.randint(1, 3)
        self.rows = {"X": ("m", "d")}
        self.lines: dict[str, tuple[tuple[str, ...], Callable[[World, Places], Any]]] = {}
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
            found = {each: usual[each] for each in usual if each not in order}
            known = {**{each: found[each] for each in found if each in self.rows}, **values}
            return World(known, {**plain, **{x: found[x] for x in found if x not in self.rows}}, sizes, lines)

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

    # Pieces. Each is a text in parentheses where it needs them, and what it is.

    def equation(self, name: str, index: tuple[str, ...], depth: int, last: bool = False) -> str:
        self.used: set[str] = set()
        text, rule = self.piece(depth, index)
        for letter in index:
            if not stands_alone(letter, text):
                text, rule = self.joined((text, rule), self.with_letter("Y" if letter == "q" else "X", letter, index))
        if last:
            said = "\n".join(self.texts) if hasattr(self, "texts") else ""
            for each in [*self.rows, *self.lines]:
                if not self.is_used(each, said + text):
                    text, rule = self.joined((text, rule), self.entry(each, index))
            for each in [*self.plain, *self.whole]:
                if not self.is_used(each, said + text):
                    text, rule = self.joined((text, rule), self.number(each))
        self.lines[name] = (index, rule)
        left = f"{name}[{','.join(index)}]" if index else name
        self.texts = [*getattr(self, "texts", []), text] if self.lines.keys() != {name} else [text]
        return f"{left} = {text}"

    def is_used(self, name: str, said: str) -> bool:
        letters = "".join(c if c.isalnum() or c == "_" else " " for c in said).split()
        return name in letters

    def joined(self, one: Told, other: Told) -> Told:
        sign = self.draw.choice("+-*")
        rule = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b}[sign]
        f, g = one[1], other[1]
        return f"({one[0]}) {sign} {other[0]}", lambda w, at: both(rule)(f(w, at), g(w, at))

    def number(self, name: str) -> Told:
        return name, lambda w, at: w.numbers[name]

    def place(self, axis: str, bound: tuple[str, ...]) -> tuple[str, Callable[[World, Places], int]]:
        """A place on an axis that is always there."""
        draw = self.draw
        fit = [letter for letter in bound if AXES[letter] == axis]
        if fit and draw.random() < 0.8:
            letter = draw.choice(fit)
            return letter, lambda w, at: at[letter]
        if not bound or draw.random() < 0.3:
            return (("1", lambda w, at: 1), (axis, lambda w, at: w.sizes[axis]))[draw.randrange(2)]
        letter = draw.choice(bound)
        kind = draw.randrange(5) if fit and (letter in fit) else 3 + draw.randrange(2)
        if kind == 0:
            return f"{axis} + 1 - {letter}", lambda w, at: w.sizes[axis] + 1 - at[letter]
        if kind == 1:
            return f"min({letter} + 1, {axis})", lambda w, at: min(at[letter] + 1, w.sizes[axis])
        if kind == 2:
            return f"floor(({letter} + 1) / 2)", lambda w, at: (at[letter] + 1) // 2
        if kind == 3 or not self.whole:
            return f"{letter} % {axis} + 1", lambda w, at: at[letter] % w.sizes[axis] + 1
        return f"({letter} + w) % {axis} + 1", lambda w, at: int(at[letter] + w.numbers["w"]) % w.sizes[axis] + 1

    def entry(self, name: str, bound: tuple[str, ...]) -> Told:
        if name in self.rows:
            places = [self.place(axis, bound) for axis in self.rows[name]]
        else:
            places = [self.place(AXES[letter], bound) for letter in self.lines[name][0]]
        text = f"{name}[{','.join(each[0] for each in places)}]" if places else name
        if name in self.rows:

            def of_matrix(w: World, at: Places) -> Any:
                found = [rule(w, at) for _, rule in places]
                row = w.matrices[name][found[0] - 1 if len(found) == 2 else 0]
                return row[found[-1] - 1]

            return text, of_matrix
        return text, lambda w, at: w.named(name, tuple(rule(w, at) for _, rule in places))

    def leaf(self, bound: tuple[str, ...]) -> Told:
        draw = self.draw
        match draw.randrange(12):
            case 0:
                text = draw.choice(("1", "2", "1/2", "0.1", "3"))
                return f"({text})" if "/" in text else text, lambda w, at: Fraction(text)
            case 1 if bound:
                letter = draw.choice(bound)
                return letter, lambda w, at: Fraction(at[letter])
            case 2:
                axis = draw.choice("md")
                return axis, lambda w, at: Fraction(w.sizes[axis])
            case 3 if self.plain:
                return self.number(draw.choice(self.plain))
            case 4 if self.lines:
                return self.entry(draw.choice([*self.lines]), bound)
            case 5 if self.lines:
                return self.entry(draw.choice([*self.lines]), bound)
            case 6:
                return "pi", lambda w, at: +mp.pi
        return self.entry(draw.choice([*self.rows]), bound)

    def piece(self, depth: int, bound: tuple[str, ...]) -> Told:
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
            return self.power(depth, bound)
        if kind == 12:
            text, rule = self.piece(depth - 1, bound)
            return f"(-{text})", lambda w, at: -rule(w, at)
        (x, f), (y, g) = self.piece(depth - 1, bound), self.piece(depth - 1, bound)
        name, sign = draw.choice((("max", 1), ("min", -1)))
        if x.isidentifier():  # max(k, …) goes over all k
            x = f"-(-{x})"

        def extreme(w: World, at: Places) -> Any:
            a, b = f(w, at), g(w, at)
            return a if sign_of(minus(a, b)) * sign >= 0 else b

        return f"{name}({x}, {y})", extreme

    def arithmetic(self, depth: int, bound: tuple[str, ...]) -> Told:
        draw = self.draw
        (x, f), (y, g) = self.piece(depth - 1, bound), self.piece(draw.randrange(depth), bound)
        sign = draw.choice(("+", "-", "*", "*", "/", "/", "%"))
        if sign in "/%":
            rule = {"/": divided, "%": modulo}[sign]
            if sign == "%":
                y, g = (("2", lambda w, at: Fraction(2)), ("0.3", lambda w, at: Fraction("0.3")))[draw.randrange(2)]
            elif draw.random() < 0.7:
                inner = g
                y, g = f"(1 + abs({y}))", lambda w, at: both(lambda a, b: a + b)(Fraction(1), abs(inner(w, at)))
            return f"({x} {sign} {y})", lambda w, at: rule(f(w, at), g(w, at))
        done = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b}[sign]
        return f"({x} {sign} {y})", lambda w, at: both(done)(f(w, at), g(w, at))

    def over(self, depth: int, bound: tuple[str, ...]) -> Told:
        draw = self.draw
        free = [letter for letter in ("k", "l", "q") if letter not in bound and (letter != "q" or "Y" in self.rows)]
        if not free:
            return self.function(depth, bound)
        letter = draw.choice(free)
        inside = (*bound, letter)
        text, rule = self.piece(depth - 1, inside)
        if not stands_alone(letter, text):
            other_text, other = self.with_letter("Y" if letter == "q" else "X", letter, inside)
            inner = rule
            text, rule = f"({text} * {other_text})", lambda w, at: both(lambda a, b: a * b)(inner(w, at), other(w, at))
        kind = draw.choice(("sum", "sum", "max"))

        def together(w: World, at: Places) -> Any:
            values = [rule(w, {**at, letter: k + 1}) for k in range(w.sizes[AXES[letter]])]
            found = values[0]
            for value in values[1:]:
                if kind == "sum":
                    found = both(lambda a, b: a + b)(found, value)
                elif sign_of(minus(value, found)) > 0:
                    found = value
            return found

        return f"{kind}({letter}, {text})", together

    def with_letter(self, name: str, letter: str, bound: tuple[str, ...]) -> Told:
        axes = self.rows[name]
        found = [
            (letter, lambda w, at: at[letter]) if axis == AXES[letter] else self.place(axis, bound) for axis in axes
        ]
        text = f"{name}[{','.join(each[0] for each in found)}]"
        return text, lambda w, at: w.matrices[name][found[0][1](w, at) - 1][found[1][1](w, at) - 1]

    def function(self, depth: int, bound: tuple[str, ...]) -> Told:
        draw = self.draw
        name = draw.choice([*FUNCTIONS])
        text, rule = self.piece(depth - 1, bound)
        safe = SAFE.get(name) if draw.random() < 0.8 else None
        work = FUNCTIONS[name]
        if safe is None:
            return f"{name}({text})", lambda w, at: work(rule(w, at))
        keep: Callable[[Any], Any] = {
            "abs({})": abs,
            "(1 + abs({}))": lambda x: both(lambda a, b: a + b)(Fraction(1), abs(x)),
            "tanh({})": lambda x: Fraction(0) if is_zero(x) else mp.tanh(real(x)),
        }[safe]
        return f"{name}({safe.format(text)})", lambda w, at: work(keep(rule(w, at)))

    def power(self, depth: int, bound: tuple[str, ...]) -> Told:
        text, rule = self.piece(depth - 1, bound)
        exponent = self.draw.choice((2, 2, 3, -1, -2))

        def work(w: World, at: Places) -> Any:
            x = rule(w, at)
            return x**exponent if exponent > 0 else divided(Fraction(1), x**-exponent)

        return f"({text})^{exponent}" if exponent > 0 else f"({text})^({exponent})", work

    def cases(self, depth: int, bound: tuple[str, ...]) -> Told:
        draw = self.draw
        (x, f), (y, g) = self.piece(depth - 1, bound), self.piece(depth - 1, bound)
        said, holds = self.condition(bound)
        if draw.random() < 0.2:
            more, also = self.condition(bound)
            first = holds
            said, holds = f"{said} and {more}", lambda w, at: all([first(w, at), also(w, at)])
        return f"({x} if {said} else {y})", lambda w, at: f(w, at) if holds(w, at) else g(w, at)

    def condition(self, bound: tuple[str, ...]) -> tuple[str, Callable[[World, Places], bool]]:
        draw = self.draw
        sign = draw.choice([*COMPARED])
        if bound and draw.random() < 0.5:
            letter = draw.choice(bound)
            other = draw.choice(("1", "2", *bound, "d"))
            left = draw.choice((letter, f"{letter} % 2", f"{letter} + 1"))

            def compared(w: World, at: Places) -> bool:
                at_left = {letter: at[letter], f"{letter} % 2": at[letter] % 2}.get(left, at[letter] + 1)
                right = at[other] if other in at else w.sizes["d"] if other == "d" else int(other)
                return COMPARED[sign]((at_left > right) - (at_left < right))

            return f"{left} {sign} {other}", compared
        x, f = self.piece(draw.randrange(2), bound)
        y, g = ("0", lambda w, at: Fraction(0)) if draw.random() < 0.6 else self.leaf(bound)
        return f"{x} {sign} {y}", lambda w, at: COMPARED[sign](sign_of(minus(f(w, at), g(w, at))))
