"""Resolve the names in an operation's equations: the kind of each parameter, the range of each index, and all errors.

A letter names one axis in all equations of an operation, so that ``k`` in ``X[i,k]`` runs over the columns of X. Where
a parameter has no declared axes, they follow from its uses. Errors are collected, so that all are reported together.

>>> each(["a", "b"], len)
[1, 1]

The kind of a parameter follows from its uses, too, where it is not declared.

>>> from symattn.operations.equations.read import build_operation
>>> [each.kind for each in build_operation("f", ["X", "b", "c"], ["y[i,j] = c * X[i,j] + b[j]"]).parameters]
['matrix', 'row', 'number']
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeVar

from symattn.base.errors import FormulaError, shown, unknown
from symattn.operations.equations.tree import (
    All,
    Apply,
    Branch,
    Compare,
    Constant,
    Entry,
    Index,
    Length,
    NamedEquation,
    Operation,
    Over,
    Parameter,
    Piece,
    Tree,
    children,
    mapped,
    walk,
)

T = TypeVar("T")
R = TypeVar("R")


class EquationError(FormulaError):
    """An error in an operation; ``text`` is the equation or the parameter, as it was written."""

    def __init__(self, message: str, text: str = "", more: Iterable[EquationError] = ()) -> None:
        super().__init__(message)
        self.text, self.more = text, tuple(more)

    @property
    def each(self) -> tuple[EquationError, ...]:
        """This error and the others, one by one."""
        return (self, *(one for other in self.more for one in other.each))


def each(things: Iterable[T], rule: Callable[[T], R]) -> list[R]:
    """Apply a rule to each thing. The rule continues after an error, so that all errors are reported together.

    Raises the first :class:`EquationError`, with the others as ``more``.
    """
    made: list[R] = []
    wrong: list[EquationError] = []
    for thing in things:
        try:
            made.append(rule(thing))
        except EquationError as error:
            wrong += error.each
    if wrong:
        raise EquationError(str(wrong[0]), wrong[0].text, wrong[1:])
    return made


def with_kinds(
    name: str, parameters: Sequence[Parameter], shape: Sequence[Tree], equations: Sequence[NamedEquation]
) -> list[Parameter]:
    """Return parameters with their kinds, which follow from their uses where they are not declared.

    Raises :class:`~symattn.operations.equations.ranges.EquationError` where they are used with too many places, or too
    few.
    """
    entries = [(p, each) for each in equations for p in walk(each.body) if isinstance(p, Entry)]
    lengths = [*shape, *(axis for parameter in parameters for axis in parameter.axes)]
    alone = {length.name for length in lengths if isinstance(length, Entry)}
    inside = {piece.name for length in lengths for piece in walk(length) if isinstance(piece, Entry)}
    in_places = {
        piece.name
        for entry, _ in entries
        for place in entry.places
        for piece in walk(place)
        if isinstance(piece, Entry)
    }
    found: list[Parameter] = []
    for parameter in parameters:
        uses = [(len(p.places), each) for p, each in entries if p.name == parameter.name and p.places]
        counts = {count for count, _ in uses}
        kind = parameter.kind
        if not parameter.is_matrix and counts:
            kind = "row" if counts == {1} or parameter.axes else "matrix"
        elif kind == "number" and parameter.name in alone:
            kind = "size"
        elif kind == "number" and parameter.name in inside | in_places:
            kind = "whole"
        wanted = {"matrix": 2, "row": 1}.get(kind)
        if wanted and (wrong := [use for use in uses if use[0] != wanted]):
            count, equation = wrong[0]
            expected = f"two places, as in {parameter.name}[i,j]" if wanted == 2 else f"one, as in {parameter.name}[j]"
            raise EquationError(
                f"operation {name}: equation {shown(equation.text)}: {parameter.name} is a {kind} and is used with "
                f"{count} {'place' if count == 1 else 'places'}: expected {expected}"
                + (f"; a matrix is written {parameter.name}: m×n" if wanted == 1 else ""),
                equation.text,
            )
        found.append(replace(parameter, kind=kind))
    return found


_LETTERS = ("m", "n", "p", "q", "r", "s", "u", "v", "w", "a", "b", "c")
"""Letters for unnamed axes, in this order."""

_IN_PLACES = frozenset({"add", "sub", "mul", "div", "mod", "neg", "floor", "abs", "min", "max"})
"""The operations allowed in a place, which is always a whole number."""

_PLACES: dict[str, int] = {"matrix": 2, "row": 1}
"""The number of places of a parameter's entry."""

Slot = tuple[str, str, int]
"""An axis of a parameter or an equation, or an index, with its name alone."""


def settled(
    name: str, parameters: Sequence[Parameter], shape: Sequence[Tree], equations: Sequence[NamedEquation]
) -> Operation:
    """Return the operation, with every name resolved, every index in its range, and nothing left over.

    Raises :class:`~symattn.base.errors.FormulaError` with the equation that is wrong.
    """
    if len(shape) not in (0, 2):
        raise FormulaError(f"operation {name}: expected a shape of two axes, as in m×n")
    known = with_kinds(name, parameters, shape, equations)
    named = frozenset(length.name for length in _lengths(known, shape) if isinstance(length, Length))
    given, lefts = {each.name: each for each in known}, {each.name: each for each in equations}

    def resolved(place: int) -> NamedEquation:
        said = equations[place]
        before = frozenset(each.name for each in equations[:place])
        resolver = _Resolver(name, given, named, lefts, said, before, frozenset(said.index))
        return replace(said, body=resolver.resolved(said.body))  # type: ignore[arg-type]

    def axis(piece: Tree) -> Tree:
        """Resolve an axis into sizes and whole numbers."""
        match piece:
            case Entry(letter, ()):
                return Entry(letter) if letter in given and given[letter].kind == "whole" else Length(letter)
            case Apply(function, arguments) if function in _IN_PLACES | {"sum"}:
                return Apply(function, tuple(map(axis, arguments)))
            case Constant() | Length():
                return piece
        raise FormulaError(f"operation {name}: an axis is a number, a letter, or made of them with + - * /")

    found_equations = each(range(len(equations)), resolved)
    known = [replace(each, axes=tuple(map(axis, each.axes))) for each in known]
    outer = tuple(map(axis, shape))
    lengths = _Ranges(name, known, outer, found_equations)
    found = Operation(name, tuple(lengths.parameters()), lengths.shape(), tuple(found_equations), lengths.of_indices())
    _must_be_used(found)
    _must_be_known(found)
    return found


def _lengths(parameters: Iterable[Parameter], shape: Sequence[Tree]) -> list[Piece]:
    """Return all pieces of all axes, with bare names as sizes."""
    pieces = [piece for each in (*shape, *(axis for p in parameters for axis in p.axes)) for piece in walk(each)]
    return [Length(piece.name) if isinstance(piece, Entry) else piece for piece in pieces]


@dataclass(frozen=True)
class _Resolver:
    """Resolves each bare name in an equation to an index, a size or a number."""

    operation: str
    parameters: dict[str, Parameter]
    sizes: frozenset[str]
    equations: dict[str, NamedEquation]
    said: NamedEquation
    before: frozenset[str]
    """The equations above."""
    bound: frozenset[str]
    """The indices bound to a place here."""

    def error(self, what: str) -> EquationError:
        return EquationError(f"operation {self.operation}: equation {shown(self.said.text)}: {what}", self.said.text)

    def resolved(self, piece: Piece) -> Piece:
        match piece:
            case Entry(name, ()):
                return self._bare(name)
            case Entry(name, places):
                self._must_be_there(name, len(places))
                found = mapped(piece, self.resolved)
                self._must_be_places(name, children(found))
                return found
            case Over(kind, index, _):
                found = mapped(piece, replace(self, bound=self.bound | {index}).resolved)
                if Index(index) not in walk(found):
                    raise self.error(f"{kind}({index}, …) goes over {index} in vain: nothing in it depends on {index}")
                return found
        return mapped(piece, self.resolved)

    def _bare(self, name: str) -> Piece:
        if name in self.bound:
            return Index(name)
        if name in self.parameters:
            parameter = self.parameters[name]
            if parameter.is_matrix:
                raise self.error(f"{name} is a matrix: expected an entry of it, as in {name}[i,j]")
            return Length(name) if parameter.kind == "size" else Entry(name)
        if name in self.equations:
            self._must_be_there(name, 0)
            return Entry(name)
        if name in self.sizes:
            return Length(name)
        letters = {letter for each in self.equations.values() for letter in each.index}
        if name in letters or len(name) == 1:
            here = f"on the left, or in sum({name}, …)"
            if not any(_has_place(piece, name) for piece in walk(self.said.body)):
                here = f"among the parameters, {here}" + ("; e^x is written exp(x)" if name == "e" else "")
            raise self.error(f"the index {name} is bound nowhere: expected it {here}")
        raise self.error(unknown("name", name, [*self.parameters, *self.equations, *self.sizes, *self.bound]))

    def _must_be_there(self, name: str, places: int) -> None:
        if name in self.parameters:
            if not self.parameters[name].is_matrix:
                raise self.error(f"{name} is a number and has no entries")
            return
        if name not in self.equations:
            raise self.error(unknown("matrix", name, [*self.parameters, *self.equations]))
        if name == self.said.name:
            raise self.error(f"{name} is defined by itself: an equation needs what stands above it only")
        if name not in self.before:
            raise self.error(f"{name} is defined by a later equation: put that one above")
        expected = len(self.equations[name].index)
        if expected != places:
            raise self.error(f"{name} has {expected} indices, came {places}")

    def _must_be_places(self, name: str, places: tuple[Piece, ...]) -> None:
        for place in places:
            if not all(map(self._is_whole, walk(place))):
                raise self.error(f"a place of {name} is no whole number: expected indices, sizes and whole numbers")
            if isinstance(place, Constant) and place.value < 1:
                raise self.error(f"{name} has no entry {place.value}: rows and columns count from 1")

    def _is_whole(self, piece: Piece) -> bool:
        match piece:
            case Constant(value):
                return value.denominator == 1
            case Entry(name, ()):
                return name in self.parameters
            case Apply(function, _):
                return function in _IN_PLACES
        return isinstance(piece, Index | Length)


@dataclass
class _Ranges:
    """Finds which axes are the same, by uniting those with the same letter."""

    name: str
    given: list[Parameter]
    outer: tuple[Tree, ...]
    equations: list[NamedEquation]
    parent: dict[Slot, Slot] = field(default_factory=dict)
    said: dict[Slot, tuple[Tree, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for parameter in self.given:
            for place, axis in enumerate(parameter.axes):
                if parameter.many and Apply("sum", (axis,)) in self.outer:
                    continue  # an index runs over all parts together
                self._say(("axis", parameter.name, place), axis, parameter.name)
        for equation in self.equations:
            for place, letter in enumerate(equation.index):
                self._unite(("axis", equation.name, place), ("index", letter, 0), equation)
            for piece in walk(equation.body):
                if isinstance(piece, Entry):
                    for place, at in enumerate(piece.places):
                        if isinstance(at, Index):
                            self._unite(("axis", piece.name, place), ("index", at.name, 0), equation)
        result = self.equations[-1]
        if self.outer:
            one = len(result.index) == 1 and self.outer[0] == Constant(Fraction(1))
            for place in range(len(result.index)):
                self._say(("axis", result.name, place), self.outer[1 if one else place], "the result")
        self._name_the_others()

    def _root(self, slot: Slot) -> Slot:
        while (above := self.parent.get(slot, slot)) != slot:
            slot = above
        return slot

    def _say(self, slot: Slot, length: Tree, where: str) -> None:
        root = self._root(slot)
        known = self.said.get(root)
        if known is not None and known[0] != length:
            raise FormulaError(
                f"operation {self.name}: the shape of {where} does not follow: the same index goes over "
                f"{piece_text(known[0])} in {known[1]} and over {piece_text(length)} in {where}"
            )
        self.said[root] = known or (length, where)

    def _unite(self, one: Slot, other: Slot, equation: NamedEquation) -> None:
        a, b = self._root(one), self._root(other)
        if a == b:
            return
        x, y = self.said.pop(a, None), self.said.get(b)
        if x is not None and y is not None and x[0] != y[0]:
            letter = other[1]
            raise EquationError(
                f"operation {self.name}: equation {shown(equation.text)}: {letter} goes over {piece_text(y[0])} "
                f"in {y[1]} and over {piece_text(x[0])} in {x[1]}: one letter is one axis, so take another letter",
                equation.text,
            )
        self.parent[a] = b
        if x is not None:
            self.said[b] = x

    def _name_the_others(self) -> None:
        """Give letters to the axes of parameters that have none."""
        taken = {p.name for p in self.given} | {e.name for e in self.equations}
        taken |= {piece.name for length, _ in self.said.values() for piece in walk(length) if isinstance(piece, Length)}
        free = iter([letter for letter in _LETTERS if letter not in taken])
        for parameter in self.given:
            for place in range(_PLACES.get(parameter.kind, 0)):
                root = self._root(("axis", parameter.name, place))
                if root not in self.said:
                    self.said[root] = (Length(next(free)), parameter.name)

    def _length(self, slot: Slot, what: str) -> Tree:
        known = self.said.get(self._root(slot))
        if known is None:
            where = next((each for each in self.equations if what in _letters(each)), self.equations[-1])
            raise EquationError(
                f"operation {self.name}: equation {shown(where.text)}: how far {what} goes does not follow: expected "
                "it alone in a place of a parameter, or the shape of the result to say it",
                where.text,
            )
        return known[0]

    def parameters(self) -> Iterable[Parameter]:
        for parameter in self.given:
            places = range(_PLACES.get(parameter.kind, 0))
            axes = tuple(self._length(("axis", parameter.name, k), parameter.name) for k in places)
            yield replace(parameter, axes=parameter.axes or axes)

    def shape(self) -> tuple[Tree, Tree]:
        if self.outer:
            return self.outer[0], self.outer[1]
        result, one = self.equations[-1], Constant(Fraction(1))
        lengths = [self._length(("axis", result.name, k), letter) for k, letter in enumerate(result.index)]
        rows, columns = (*lengths, one, one)[:2]
        return rows, columns

    def of_indices(self) -> tuple[tuple[str, Tree], ...]:
        letters = [letter for equation in self.equations for letter in _letters(equation)]
        return tuple((letter, self._length(("index", letter, 0), letter)) for letter in dict.fromkeys(letters))


def _has_place(piece: Piece, name: str) -> bool:
    """Return whether a name occurs in a place of an entry."""
    return isinstance(piece, Entry) and any(Entry(name) in walk(place) for place in piece.places)


def _letters(equation: NamedEquation) -> list[str]:
    return [*equation.index, *(piece.index for piece in walk(equation.body) if isinstance(piece, Over))]


def _must_be_used(operation: Operation) -> None:
    used = {
        getattr(piece, "name", "")
        for body in (*(each.body for each in operation.equations), *operation.shape)
        for piece in walk(body)
    }
    axes = [piece for each in operation.parameters for axis in each.axes for piece in walk(axis)]
    used |= {piece.name for piece in axes if isinstance(piece, Length | Entry)}
    for parameter in operation.parameters:
        if parameter.name not in used:
            raise FormulaError(f"operation {operation.name}: the parameter {parameter.name} is never used")
    for equation in operation.equations[:-1]:
        if equation.name not in used:
            raise EquationError(
                f"operation {operation.name}: equation {shown(equation.text)}: nothing needs {equation.name}; the last "
                "equation is the result",
                equation.text,
            )


def _must_be_known(operation: Operation) -> None:
    """Check that every length follows from the arguments: its letter alone names an axis, or is a size."""
    must = [each for each in operation.parameters if each.default is None]
    known = {axis for each in must for axis in each.axes if isinstance(axis, Length)}
    known |= {Length(each.name) for each in operation.parameters if each.kind == "size"}
    lengths = [*operation.shape, *(axis for each in operation.parameters for axis in each.axes)]
    lengths += [reach for _, reach in operation.ranges]
    inside = [piece for length in lengths for piece in walk(length)]
    inside += [piece for each in operation.equations for piece in walk(each.body)]
    for piece in inside:
        if isinstance(piece, Length) and piece not in known:
            raise FormulaError(
                f"operation {operation.name}: how long {piece.name} is does not follow: expected it as an axis of its "
                f"own of what is always given, as in X: m×{piece.name}, or as a parameter, {piece.name}: size"
            )
    for each in operation.parameters:
        if each.many and not _can_be_many(operation, each):
            raise FormulaError(
                f"operation {operation.name}: *{each.name} stands for any number of matrices: expected it alone, with "
                f"one equation, put together along one axis, as in *{each.name}: n×a and the shape n×sum(a)"
            )
    is_summed = any(isinstance(p, Apply) and p.function == "sum" for p in inside)
    if is_summed and not any(each.many for each in operation.parameters):
        raise FormulaError(f"operation {operation.name}: sum(…) in a shape goes with a parameter *X: n×a")


def _can_be_many(operation: Operation, parameter: Parameter) -> bool:
    """Return whether matrices are joined along one axis and share the other."""
    if len(operation.parameters) > 1 or len(operation.equations) > 1 or len(parameter.axes) != 2:
        return False
    pairs = list(zip(parameter.axes, operation.shape, strict=True))
    shared = [axis for axis, outer in pairs if axis == outer]
    summed = [axis for axis, outer in pairs if outer == Apply("sum", (axis,)) and isinstance(axis, Length)]
    return len(shared) == len(summed) == 1 and len(operation.result.index) == 2


_SIGNS = {"add": " + ", "sub": " - ", "mul": "*", "div": "/", "mod": " % ", "pow": "^"}


def piece_text(piece: Piece) -> str:
    """Write a piece as a user would type it.

    >>> piece_text(Apply("div", (Length("d"), Constant(Fraction(2)))))
    'd/2'
    >>> X, positive = Entry("X"), Compare(">", Entry("X"), Constant(Fraction(0)))
    >>> piece_text(Branch(positive, Branch(positive, X, X), X))
    '(X if X > 0 else X) if X > 0 else X'
    """
    match piece:
        case Constant(value):
            return _decimal(value)
        case Index(name) | Length(name) | Entry(name, ()):
            return name
        case Entry(name, places):
            return f"{name}[{','.join(map(piece_text, places))}]"
        case Apply(function, (left, right)) if function in _SIGNS:
            return f"{_inner(left, function)}{_SIGNS[function]}{_inner(right, function, last=True)}"
        case Apply("neg", (argument,)):
            return f"-{_inner(argument, 'neg')}"
        case Apply(function, ()):
            return function
        case Apply(function, arguments):
            return f"{function}({', '.join(map(piece_text, arguments))})"
        case Over(kind, index, body):
            return f"{kind}({index}, {piece_text(body)})"
        case Compare(sign, left, right):
            return f"{_of_cases(left)} {sign} {_of_cases(right)}"
        case All(parts):
            return " and ".join(map(piece_text, parts))
        case Branch(condition, then, otherwise):
            return f"{_of_cases(then)} if {piece_text(condition)} else {piece_text(otherwise)}"
    raise TypeError(f"no way to write {type(piece).__name__}")


def _of_cases(piece: Tree) -> str:
    """Write a piece beside a comparison or before ``if``, in parentheses where a case would end too late."""
    return f"({piece_text(piece)})" if isinstance(piece, Branch) else piece_text(piece)


_BINDS = {"add": 1, "sub": 1, "neg": 2, "mul": 3, "div": 3, "mod": 3, "pow": 4}


def _decimal(value: Fraction) -> str:
    """Write a number as in an equation, 0.044715; a fraction that is not a finite decimal stays a fraction."""
    places = next((k for k in range(61) if 10**k % value.denominator == 0), 0)
    digits = f"{abs(value.numerator) * 10**places // value.denominator:0{places + 1}}"
    if not places:
        return str(value)
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def _inner(piece: Piece, outer: str, last: bool = False) -> str:
    text, binds = piece_text(piece), 9
    match piece:
        case Branch():
            binds = 0
        case Constant(value) if value.denominator > 1 or value < 0:
            binds = 3
        case Apply(function, _):
            binds = _BINDS.get(function, 9)
    if outer == "neg" and binds < 9 and " % " in text:
        binds = min(binds, 1)  # -x % y is (-x) % y
    if isinstance(piece, Apply) and piece.function == "neg" and outer in ("mul", "div") and not last:
        return text  # -x*y is (-x)*y
    wanted = _BINDS[outer] + (last or outer == "pow")
    return f"({text})" if binds < wanted else text
