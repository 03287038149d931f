"""Helper functions derived from equations, for operations that a language has no built-in call for.

Where all entries are read in their own place, a function works in whole arrays: a sum runs along a row, a case on a
sign is a choice. Other equations, such as those with an entry beside another one, loop over entries.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sympy import Rational

from symattn.compute.codegen.code import Binding, Code, free_name, negative, number_code
from symattn.compute.codegen.language import ProgramLanguage, Spelling
from symattn.operations.equations.ranges import piece_text
from symattn.operations.equations.tree import (
    All,
    Apply,
    Compare,
    Constant,
    Entry,
    Length,
    NamedEquation,
    Operation,
    Tree,
    walk,
)

SIGNS = {
    "add": ("+", Binding.SUM),
    "sub": ("-", Binding.SUM),
    "mul": ("*", Binding.PRODUCT),
    "div": ("/", Binding.PRODUCT),
}
"""Operators that most languages share, and their precedence."""

LONGEST = 88
"""The longest equations in a comment, and the longest case on one line, in characters."""


class NotWholeError(Exception):
    """An equation cannot be written in whole arrays."""


@dataclass(frozen=True)
class Fragment:
    """A piece of a helper function: the axes along which it varies, and whether it is a plain number."""

    code: Code
    axes: frozenset[int] = frozenset()
    plain: bool = True

    @property
    def text(self) -> str:
        return self.code.text

    @property
    def atom(self) -> str:
        return self.code.at(Binding.ATOM)


@dataclass
class LocalNames:
    """The names of one function's parameters, equations, sizes and indices."""

    avoided: frozenset[str]
    suffix: str
    found: dict[tuple[str, str], str] = field(default_factory=dict)

    def of(self, kind: str, name: str) -> str:
        """Return the name, with a suffix if it is taken."""
        key = (kind, name)
        if key not in self.found:
            self.found[key] = free_name(name, self.suffix, {*self.avoided, *self.found.values()})
        return self.found[key]


@dataclass
class Writing:
    """The common base of functions in whole arrays and in loops."""

    operation: Operation
    language: ProgramLanguage
    names: LocalNames
    sizes: dict[str, None] = field(default_factory=dict)
    """The lengths in use, in order."""

    @property
    def spelling(self) -> Spelling:
        """The notation of equations in this language."""
        return self.language.spelling

    def size(self, name: str) -> Fragment:
        """Return the length of an axis."""
        self.sizes[name] = None
        return Fragment(Code(self.names.of("size", name)))

    def length(self, axis: Tree) -> str:
        """Return the length of an axis, which may be an expression. Raises :class:`TypeError` for other pieces."""
        leaf = self.leaf(axis)
        if leaf is not None:
            return leaf.text
        if not isinstance(axis, Apply):
            raise TypeError(f"no length of {type(axis).__name__}")
        sides = [
            Fragment(Code(self.length(x), Binding.SUM if isinstance(x, Apply) else Binding.ATOM))
            for x in axis.arguments
        ]
        text = self.applied(axis.function, sides).text
        divided = any(isinstance(each, Apply) and each.function == "div" for each in walk(axis))
        return self.spelling.rounded.format(text) if divided else text

    def reach(self, letter: str) -> str:
        """Return the range of an index."""
        return self.length(self.operation.range_of[letter])

    def leaf(self, piece: Tree) -> Fragment | None:
        """Write numbers, lengths and number parameters; ``None`` for any other piece."""
        match piece:
            case Constant(value):
                return Fragment(number_code(Rational(value.numerator, value.denominator), self.language))
            case Length(name):
                return self.size(name)
            case Entry(name, ()) if any(each.name == name for each in self.operation.parameters):
                return Fragment(Code(self.names.of("entry", name)))
            case Apply("pi"):
                return Fragment(Code("pi"))
            case Apply("oo"):
                return Fragment(Code(self.language.infinity))
        return None

    def sign(self, function: str, plain: bool) -> str:
        """Return an operator of arithmetic or comparison, between arrays or between numbers."""
        usual = SIGNS[function][0] if function in SIGNS else function
        said = self.spelling.signs.get(function, usual)
        return f".{said}" if self.spelling.dots and not plain else said

    def applied(self, function: str, parts: list[Fragment]) -> Fragment:
        """Apply an elementary function to parts."""
        axes, plain = frozenset[int]().union(*(p.axes for p in parts)), all(p.plain for p in parts)
        if function == "neg":
            return Fragment(negative(parts[0].code), axes, plain)
        table = self.spelling.numbers if plain else self.spelling.arrays
        if function not in table and (function in SIGNS or function in self.spelling.signs):
            return Fragment(self._signed(function, parts[0].code, parts[1].code, plain), axes, plain)
        if function in ("max", "min"):
            parts = sorted(parts, key=lambda p: (p.plain, -len(p.axes)))
        mixed = f"{function}:number"
        template = table[mixed] if mixed in table and any(p.plain for p in parts) else table[function]
        level = Binding.PRODUCT if template.startswith("{a} ") else Binding.ATOM
        return Fragment(Code(template.format(*(p.text for p in parts), a=parts[0].atom), level), axes, plain)

    def _signed(self, function: str, left: Code, right: Code, plain: bool) -> Code:
        sign = self.sign(function, plain)
        if function == "pow":
            gap = " " if sign.startswith(".") and left.at(Binding.ATOM)[-1].isdigit() else ""
            return Code(f"{left.at(Binding.ATOM)}{gap}{sign}{gap}{right.at(Binding.ATOM)}", Binding.POWER)
        if function == "mod":
            # R binds it tighter than a product, Python as tight, and both less tight than the minus of one number.
            return Code(f"{left.at(Binding.POWER)} {sign} {right.at(Binding.POWER)}", Binding.SUM)
        if function in ("add", "sub"):
            if function == "add" and right.level is Binding.NEGATIVE:
                sign, right = self.sign("sub", plain), Code(right.text[1:], Binding.PRODUCT)
            return Code(f"{left.text} {sign} {right.at(Binding.PRODUCT)}", Binding.SUM)
        if left.level is Binding.NEGATIVE:
            return Code(f"{left.text} {sign} {right.at(Binding.MATRIX_PRODUCT)}", Binding.NEGATIVE)
        return Code(f"{left.at(Binding.PRODUCT)} {sign} {right.at(Binding.MATRIX_PRODUCT)}", Binding.PRODUCT)

    def condition(self, condition: Compare | All, of: Callable[[Tree], Fragment]) -> Fragment:
        """Write a condition; several are joined."""
        if isinstance(condition, All):
            parts = [self.condition(each, of) for each in condition.parts]
            plain = all(p.plain for p in parts)
            joined = self.spelling.both[plain].join(p.text if plain else f"({p.text})" for p in parts)
            return Fragment(Code(joined), frozenset[int]().union(*(p.axes for p in parts)), plain)
        left, right = of(condition.left), of(condition.right)
        plain = left.plain and right.plain
        text = f"{left.text} {self.sign(condition.sign, plain)} {right.text}"
        return Fragment(Code(text), left.axes | right.axes, plain)

    def bound_sizes(self) -> list[str]:
        """Return an assignment for every length in use that is not a parameter."""
        given = {each.name for each in self.operation.parameters}
        lines = []
        for name in self.sizes:
            if name not in given:
                owner = next(p for p in self.operation.parameters if Length(name) in p.axes)
                place = owner.axes.index(Length(name))
                column = place == 1 or owner.kind == "row"
                told = self.spelling.sizes[column].format(self.names.of("entry", owner.name))
                lines.append(self.spelling.assigned(self.names.of("size", name), told))
        return lines

    def parameters(self) -> list[str]:
        """Return the names of the parameters."""
        return [self.names.of("size" if p.kind == "size" else "entry", p.name) for p in self.operation.parameters]


def comment_line(operation: Operation) -> str:
    """Return a one-line comment for a function: its words and equations. No words from outside can end the comment."""
    words = " ".join(dict(operation.page).get("en", "").split()).replace("\\", "/").replace('"', "'")
    texts = [_equation(each) for each in operation.equations]
    text = together if len(together := "; ".join(texts)) <= LONGEST else texts[-1]
    if len(text) > LONGEST:
        return words or operation.name
    return f"{words}: {text}" if words else text


def _equation(equation: NamedEquation) -> str:
    at = f"[{','.join(equation.index)}]" if equation.index else ""
    return f"{equation.name}{at} = {piece_text(equation.body)}"
