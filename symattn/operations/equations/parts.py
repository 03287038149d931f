"""Operations derived from another one: for the given parameters only, for a number of parts, or up to a named number;
and the test whether two operations are the same up to names and letters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from symattn.operations.equations.tree import (
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
    mapped,
    walk,
)

ZERO, ONE = Constant(Fraction(0)), Constant(Fraction(1))


def rewritten(piece: Piece, rule: Callable[[Piece], Piece]) -> Piece:
    """Apply a rule to every piece inside a piece, the innermost first."""
    return rule(mapped(piece, lambda each: rewritten(each, rule)))


def placed(piece: Tree, places: Mapping[str, Tree]) -> Tree:
    """Substitute the free indices of an expression.

    >>> placed(Entry("X", (Index("i"), Index("k"))), {"i": Index("j")})
    Entry(name='X', places=(Index(name='j'), Index(name='k')))
    """

    def put(each: Piece) -> Piece:
        return places.get(each.name, each) if isinstance(each, Index) else each

    return rewritten(piece, put)  # type: ignore[return-value]


def _short(piece: Piece) -> Piece:
    """Simplify x · 1 and x + 0 to x."""
    match piece:
        case Apply("mul", (x, other)) if other == ONE:
            return x
        case Apply("mul", (other, x)) if other == ONE:
            return x
        case Apply("add" | "sub", (x, other)) if other == ZERO:
            return x
        case Apply("add", (other, x)) if other == ZERO:
            return x
    return piece


@lru_cache(maxsize=1000)
def given_only(operation: Operation, names: frozenset[str]) -> Operation:
    """Return the operation with only the named parameters: the others are replaced by their default values.

    >>> from symattn.operations.equations.read import read_operation
    >>> from symattn.operations.equations.ranges import piece_text
    >>> gained = read_operation("gained(X: m×d, gamma: d = 1) -> m×d\\n y[i,j] = 2 * X[i,j] * gamma[j]")
    >>> piece_text(given_only(gained, frozenset({"X"})).result.body)
    '2*X[i,j]'
    """
    absent = {each.name: each.default for each in operation.parameters if each.name not in names}
    if not absent:
        return operation

    def put_in(piece: Piece) -> Piece:
        usual = absent.get(piece.name) if isinstance(piece, Entry) else None
        return _short(piece) if usual is None else usual

    equations = tuple(replace(each, body=rewritten(each.body, put_in)) for each in operation.equations)  # type: ignore[arg-type]
    kept = tuple(each for each in operation.parameters if each.name not in absent)
    return replace(operation, parameters=kept, equations=equations)


@lru_cache(maxsize=1000)
def for_parts(operation: Operation, count: int) -> Operation:
    """Return an operation of any number of matrices for ``count`` of them.

    It is written for one of them, ``*X: n×a``, joined along the axis that the result writes as a sum, ``n×sum(a)``.
    Here the names and lengths are X1, X2, … and a1, a2, …

    >>> from symattn.operations.equations.read import read_operation
    >>> from symattn.operations.equations.ranges import piece_text
    >>> concat = read_operation("concat(*X: n×a) -> n×sum(a)\\n y[i,j] = X[i,j]")
    >>> piece_text(for_parts(concat, 2).result.body), piece_text(for_parts(concat, 2).shape[1])
    ('X1[i,j] if j <= a1 else X2[i,j - a1]', 'a1 + a2')
    """
    (parameter,) = (each for each in operation.parameters if each.many)
    # The parts and the result have one axis in common: along the other one they are put together.
    place = next(k for k, axis in enumerate(parameter.axes) if axis != operation.shape[k])
    length = parameter.axes[place]
    assert isinstance(length, Length)
    lengths = [Length(f"{length.name}{k}") for k in range(1, count + 1)]
    parts = [
        replace(parameter, name=f"{parameter.name}{k}", many=False, axes=_with(parameter.axes, place, lengths[k - 1]))
        for k in range(1, count + 1)
    ]
    index = operation.result.index[place]
    body = _of_part(operation.result.body, parameter.name, parts[-1].name, place, _before(index, lengths[:-1]))
    for k in range(count - 2, -1, -1):
        here = _of_part(operation.result.body, parameter.name, parts[k].name, place, _before(index, lengths[:k]))
        body = Branch(Compare("<=", Index(index), length_sum(lengths[: k + 1])), here, body)
    whole = length_sum(lengths)
    ranges = tuple((letter, whole if letter == index else reach) for letter, reach in operation.ranges)
    shape = _with(operation.shape, place, whole)
    result = replace(operation.result, body=body)
    return replace(operation, parameters=tuple(parts), shape=(shape[0], shape[1]), equations=(result,), ranges=ranges)


def _with(axes: tuple[Tree, ...], place: int, axis: Tree) -> tuple[Tree, ...]:
    return (*axes[:place], axis, *axes[place + 1 :])


def length_sum(lengths: list[Length]) -> Tree:
    """a1 + a2 + …"""
    found: Tree = lengths[0]
    for length in lengths[1:]:
        found = Apply("add", (found, length))
    return found


def _before(index: str, lengths: list[Length]) -> Tree:
    return Apply("sub", (Index(index), length_sum(lengths))) if lengths else Index(index)


def _of_part(body: Tree, name: str, part: str, place: int, at: Tree) -> Tree:
    def rule(piece: Piece) -> Piece:
        if isinstance(piece, Entry) and piece.name == name:
            return Entry(part, _with(piece.places, place, at))
        return piece

    return rewritten(body, rule)  # type: ignore[return-value]


@lru_cache(maxsize=1000)
def up_to(operation: Operation, name: str) -> Operation:
    """Return the operation whose result is a number that an operation names on its way: μ of a layer norm, a column.

    >>> from symattn.operations.equations.read import read_operation
    >>> soft = read_operation("soft(S: m×n)\\n e[i,j] = exp(S[i,j])\\n t[i] = sum(k, e[i,k])\\n y[i,j] = e[i,j]/t[i]")
    >>> [each.name for each in up_to(soft, "t").equations], up_to(soft, "t").shape
    (['e', 't'], (Length(name='m'), Constant(value=Fraction(1, 1))))
    """
    place = next(k for k, each in enumerate(operation.equations) if each.name == name)
    return ending(operation, operation.equations[: place + 1], f"{operation.name}_{name}")


def with_result(operation: Operation, before: int, body: Tree, index: tuple[str, ...], name: str) -> Operation:
    """Return the operation whose result is an expression inside equation number ``before`` (from 0)."""
    return ending(
        operation, (*operation.equations[:before], NamedEquation("y", index, body)), f"{operation.name}_{name}"
    )


def ending(operation: Operation, equations: tuple[NamedEquation, ...], name: str) -> Operation:
    """Return the operation with other equations, without those that are no longer needed."""
    last, kept = equations[-1], [equations[-1]]
    for equation in reversed(equations[:-1]):
        if equation.name in {p.name for each in kept for p in walk(each.body) if isinstance(p, Entry)}:
            kept.insert(0, equation)
    index = last.index
    column = index and operation.range_of[index[0]] == operation.shape[1] != operation.shape[0] and len(index) == 1
    sizes = [operation.range_of[letter] for letter in index]
    shape = (ONE, sizes[0]) if column else (*sizes, ONE, ONE)[:2]
    pieces = [piece for each in kept for piece in walk(each.body)]
    letters = {letter for each in kept for letter in each.index} | {p.index for p in pieces if isinstance(p, Over)}
    ranges = tuple(each for each in operation.ranges if each[0] in letters)
    found = replace(operation, name=name, equations=tuple(kept), shape=(shape[0], shape[1]), ranges=ranges, called=name)
    return replace(found, parameters=needed(found))


def needed(operation: Operation) -> tuple[Parameter, ...]:
    """Return the parameters that equations use, and those that determine the length of an axis."""
    inside = [p for each in operation.equations for p in walk(each.body)]
    # A sum runs over its index even where a default value has replaced everything that depended on it.
    letters = {p.name if isinstance(p, Index) else p.index for p in inside if isinstance(p, Index | Over)}
    letters |= {letter for each in operation.equations for letter in each.index}
    lengths = [*operation.shape, *(operation.range_of[letter] for letter in letters)]
    pieces = [*inside, *(p for length in lengths for p in walk(length))]
    used = {p.name for p in pieces if isinstance(p, Entry | Length)}
    kept = [each for each in operation.parameters if each.name in used]
    sizes = {p.name for p in pieces if isinstance(p, Length)}
    for parameter in operation.parameters:
        open_sizes = sizes - {axis.name for each in kept for axis in each.axes if isinstance(axis, Length)}
        if parameter not in kept and open_sizes & {axis.name for axis in parameter.axes if isinstance(axis, Length)}:
            kept.append(parameter)
    return tuple(each for each in operation.parameters if each in kept)


@lru_cache(maxsize=1000)
def form(operation: Operation) -> object:
    """Return the form of an operation without its names: two operations with equal forms are the same.

    Parameters, equations, sizes and indices are numbered in order of occurrence.

    >>> from symattn.operations.equations.read import read_operation
    >>> one = read_operation("twice(X: m×n) -> m×n\\n y[i,j] = 2 * X[i,j]")
    >>> other = read_operation("doubled(A: r×c) -> r×c\\n z[a,b] = 2 * A[a,b]")
    >>> form(one) == form(other), form(one) == form(read_operation("twice(X)\\n y[i,j] = X[i,j] + X[i,j]"))
    (True, False)
    """
    numbers: dict[tuple[str, str], str] = {}

    def numbered(kind: str, name: str) -> str:
        return numbers.setdefault((kind, name), f"{kind}{len(numbers)}")

    def renamed(piece: Piece) -> Piece:
        match piece:
            case Entry(name, places):
                return Entry(numbered("entry", name), places)
            case Length(name):
                return Length(numbered("size", name))
            case Index(name):
                return Index(numbered("index", name))
            case Over(kind, index, body):
                return Over(kind, numbered("index", index), body)
        return piece

    for name in _names(operation):
        numbered(*name)
    parameters = tuple(
        (each.kind, tuple(rewritten(axis, renamed) for axis in each.axes), each.default, each.many)
        for each in operation.parameters
    )
    equations = tuple(
        (len(each.index), rewritten(each.body, renamed), tuple(numbered("index", letter) for letter in each.index))
        for each in operation.equations
    )
    return parameters, tuple(rewritten(axis, renamed) for axis in operation.shape), equations


def _names(operation: Operation) -> Iterator[tuple[str, str]]:
    """Yield everything that has a name, in order of occurrence."""
    for parameter in operation.parameters:
        yield ("size" if parameter.kind == "size" else "entry", parameter.name)
        yield from (("size", p.name) for axis in parameter.axes for p in walk(axis) if isinstance(p, Length))
    for equation in operation.equations:
        yield ("entry", equation.name)
        yield from (("index", letter) for letter in equation.index)
        yield from (("index", p.index) for p in walk(equation.body) if isinstance(p, Over))
