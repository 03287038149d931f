"""Jacobians: derive the equations of ∂Y/∂X from those of an operation, with an entry for each entry of Y and each of X.

The adjoint of an operation, with G = 1 at one entry of Y and 0 elsewhere, is a row of ∂Y/∂X. Sums over that G are
cancelled. Rows are the entries of Y and columns those of X, each numbered row by row. For one row of numbers
(``by_row``) they keep their order:

>>> from symattn.operations.equations.read import declared
>>> from symattn.operations.equations.read import read_operation
>>> soft = read_operation("soft(S: m×n)\\n e[i,j] = exp(S[i,j])\\n t[i] = sum(k, e[i,k])\\n y[i,j] = e[i,j] / t[i]")
>>> print(declared(jacobian(soft, "S", by_row=True)))
soft_row_jacobian_S(S: n) -> n×n
    e[j] = exp(S[j])
    t = sum(k, e[k])
    z[i,j] = (e[j]/t if j == i else 0) - e[i]*e[j]/t^2

Source: Magnus and Neudecker 2019, *Matrix Differential Calculus*, section 5.15.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import count

from symattn.base.errors import FormulaError
from symattn.operations.equations.adjoint import adjoint, seed
from symattn.operations.equations.linear import holds, tidied
from symattn.operations.equations.parts import ONE, ZERO, needed, rewritten
from symattn.operations.equations.short import (
    as_read,
    guarded,
    negative,
    opposite,
    plus,
    quotient,
    tree_product,
    tree_sum,
    tree_sum_over,
)
from symattn.operations.equations.short import both as all_of
from symattn.operations.equations.tree import (
    Apply,
    Branch,
    Compare,
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
from symattn.operations.equations.whole import free

Guarded = tuple[tuple[Compare, ...], Tree]
"""A term where some comparisons hold, and 0 elsewhere."""


@lru_cache(maxsize=1000)
def jacobian(operation: Operation, wrt: str, by_row: bool = False) -> Operation:
    """Return ∂Y/∂X for one parameter X: entry (r, c) is the derivative of entry number r of Y by entry number c of X.

    Shapes: as many rows as Y has entries, as many columns as X has. With ``by_row`` X and Y have one row each.
    Raises :class:`~symattn.base.errors.FormulaError` for a parameter that has none, or not by rows.
    """
    if by_row:
        operation = _of_one_row(operation, wrt)
    derived = adjoint(operation, wrt)
    return _Entries(operation, derived, next(each for each in operation.parameters if each.name == wrt), by_row).made()


def _of_one_row(operation: Operation, wrt: str) -> Operation:
    """Return the operation for matrices of one row, where rows of X are rows of Y."""
    parameter = next((each for each in operation.parameters if each.name == wrt), None)
    rows = operation.shape[0]
    if parameter is None or len(parameter.axes) != 2 or parameter.axes[0] != rows or not isinstance(rows, Length):
        raise FormulaError(f"{operation.name}: rows of {wrt} are not those of the result: there is no Jacobian by rows")
    along = {letter for letter, reach in operation.ranges if reach == rows}
    flat = {each.name for each in operation.parameters if each.axes[:1] == (rows,) and len(each.axes) == 2}
    short = {each.name: [k for k, i in enumerate(each.index) if i not in along] for each in operation.equations}

    def rule(piece: Piece) -> Piece:
        match piece:
            case Length(name) if name == rows.name:
                return ONE
            case Index(name) if name in along:
                return ONE
            case Over(_, index, body) if index in along:
                return body
            case Entry(name, places) if name in flat:
                return Entry(name, places[1:])
            case Entry(name, places) if name in short:
                return Entry(name, tuple(places[k] for k in short[name]))
        return piece

    equations = tuple(
        NamedEquation(each.name, tuple(each.index[k] for k in short[each.name]), rewritten(each.body, rule))  # type: ignore[arg-type]
        for each in operation.equations
    )
    parameters = tuple(
        replace(each, kind="row", axes=each.axes[1:])
        if each.name in flat
        else replace(each, axes=tuple(rewritten(axis, rule) for axis in each.axes))  # type: ignore[misc]
        for each in operation.parameters
    )
    ranges = tuple((letter, reach) for letter, reach in operation.ranges if letter not in along)
    return replace(
        operation, parameters=parameters, shape=(ONE, operation.shape[1]), equations=equations, ranges=ranges
    )


@dataclass
class _Entries:
    """Substitutes a unit entry for G, and each equation into the last one."""

    said: Operation
    derived: Operation
    parameter: Parameter
    by_row: bool
    ranges: dict[str, Tree] = field(default_factory=dict)
    fresh: Iterator[int] = field(default_factory=count)

    def made(self) -> Operation:
        self.ranges.update({**self.said.range_of, **self.derived.range_of})
        forward = list(self.said.equations[:-1])
        backward = {each.name: each for each in self.derived.equations if each.name not in {e.name for e in forward}}
        result = self.derived.equations[-1]
        target = result.index
        row, at = self._numbered(self.said.shape, "ruv")
        column, to = self._numbered(self._axes(), "cqs", taken=(row,))
        body = self._inlined(result.body, backward)
        body = self._placed(body, dict(zip(target, to, strict=True)))
        body = self._unit(body, at)
        body = self._added(self._spread(body))
        row_letter, column_letter = self._letters(row, column, forward)
        body = self._placed(body, {row: Index(row_letter), column: Index(column_letter)})
        body = self._lettered(body, (row_letter, column_letter))
        z = result.name
        last = NamedEquation(z, (row_letter, column_letter), as_read(body))  # type: ignore[arg-type]
        return self._operation(forward, last)

    def _axes(self) -> tuple[Tree, ...]:
        return self.parameter.axes if self.parameter.axes else ()

    def _numbered(self, axes: Sequence[Tree], letters: str, taken: Sequence[str] = ()) -> tuple[str, list[Tree]]:
        """Return an index that counts entries row by row, and the place on each axis that it encodes."""
        name = f"{letters[0]}#{next(self.fresh)}"
        long = [axis for axis in axes if axis != ONE]
        if len(long) < 2:
            self.ranges[name] = long[0] if long else ONE
            return name, [ONE if axis == ONE else Index(name) for axis in axes]
        rows, columns = long
        self.ranges[name] = Apply("mul", (rows, columns))
        before = Apply("sub", (Index(name), ONE))
        return name, [
            Apply("add", (Apply("floor", (Apply("div", (before, columns)),)), ONE)),
            Apply("add", (Apply("mod", (before, columns)), ONE)),
        ]

    # -- one expression ------------------------------------------------------------------------------------------------

    def _inlined(self, piece: Piece, equations: dict[str, NamedEquation]) -> Tree:
        """Substitute the equations of adjoints into an expression."""
        match piece:
            case Entry(name, places) if name in equations:
                inner = self._inlined(equations[name].body, equations)
                return self._placed(inner, dict(zip(equations[name].index, places, strict=True)))
        return mapped(piece, lambda each: self._inlined(each, equations))  # type: ignore[return-value]

    def _placed(self, piece: Piece, places: dict[str, Tree]) -> Tree:
        """Substitute the free indices of an expression; those of sums inside get new names."""
        match piece:
            case Index(name):
                return places.get(name, piece)
            case Over(kind, index, body):
                name = f"{index.partition('#')[0]}#{next(self.fresh)}"
                self.ranges[name] = self.ranges[index]
                return Over(kind, name, self._placed(body, {**places, index: Index(name)}))
        return mapped(piece, lambda each: self._placed(each, places))  # type: ignore[return-value]

    def _unit(self, piece: Piece, at: Sequence[Tree]) -> Tree:
        """Replace one entry of G by 1, and all others by 0."""
        name, axes = seed(self.said).name, self.said.shape

        def rule(each: Piece) -> Piece:
            if not (isinstance(each, Entry) and each.name == name):
                return each
            held = [
                Compare("==", here, there)
                for here, there, axis in zip(each.places, at, axes, strict=True)
                if axis != ONE and here != there
            ]
            return guarded(all_of(held), ONE) if held else ONE

        return rewritten(piece, rule)  # type: ignore[return-value]

    def _spread(self, piece: Tree) -> list[Guarded]:
        """Split an expression into terms, each with the comparisons of places under which it applies."""
        if not any(isinstance(each, Branch) for each in walk(piece)):
            return [((), piece)]
        match piece:
            case Apply("add", (one, other)):
                return [*self._spread(one), *self._spread(other)]
            case Apply("sub", (one, other)):
                return [*self._spread(one), *((held, negative(each)) for held, each in self._spread(other))]
            case Apply("neg", (one,)):
                return [(held, negative(each)) for held, each in self._spread(one)]
            case Apply("mul", (one, other)):
                left, right = self._spread(one), self._spread(other)
                if not any(held for held, _ in (*left, *right)):
                    return [((), tree_product(tree_sum(x for _, x in left), tree_sum(y for _, y in right)))]
                return [((*held, *more), tree_product(x, y)) for held, x in left for more, y in right]
            case Apply("div", (one, other)):
                return [(held, quotient(each, other)) for held, each in self._spread(one)]
            case Branch(condition, then, otherwise):
                found = [((*condition.parts, *held), each) for held, each in self._spread(then)]
                if otherwise != ZERO:
                    if len(condition.parts) > 1:
                        return [((), piece)]
                    beside = opposite(condition.parts[0])
                    found += [((beside, *held), each) for held, each in self._spread(otherwise)]
                return found
            case Over("sum", index, body):
                return [each for held, inside in self._spread(body) for each in self._summed(index, held, inside)]
        return [((), piece)]

    def _summed(self, index: str, held: tuple[Compare, ...], body: Tree) -> list[Guarded]:
        """Sum a term: where a comparison fixes its index, that place is substituted."""
        for number, condition in enumerate(held):
            place = _place_of(index, condition)
            if place is None:
                continue
            move = {index: place}
            kept = [*held[:number], *held[number + 1 :]]
            if not self._fits(place, index):
                kept += [Compare(">=", place, ONE), Compare("<=", place, self.ranges[index])]
            moved = tuple(self._placed(each, move) for each in kept)
            return [(moved, self._placed(body, move))]  # type: ignore[list-item]
        inside = [each for each in held if index in free(each)]
        outside = tuple(each for each in held if index not in free(each))
        guardedly = guarded(all_of(inside), body) if inside else body
        return [(outside, tree_sum_over(index, guardedly, self.ranges[index]))]

    def _fits(self, place: Tree, index: str) -> bool:
        """Return whether a place always lies within the axis of an index."""
        reach = self.ranges[index]
        if isinstance(place, Index):
            return self.ranges[place.name] == reach
        match place:  # the parts of a combined index
            case Apply("add", (Apply("mod", (_, columns)), one)) if one == ONE:
                return columns == reach
            case Apply("add", (Apply("floor", (Apply("div", (Apply("sub", (Index(name), _)), columns)),)), _)):
                return self.ranges[name] == Apply("mul", (reach, columns))
        return False

    def _added(self, terms: Sequence[Guarded]) -> Tree:
        """Add terms, with those under the same comparisons in one case distinction."""
        found: dict[tuple[Compare, ...], list[Tree]] = {}
        for held, body in terms:
            kept = [tidied(each) for each in held]
            kept = [each for each in dict.fromkeys(kept) if not holds(each, self.ranges)]
            if any(holds(opposite(each), self.ranges) for each in kept) or body == ZERO:
                continue
            found.setdefault(tuple(sorted(kept, key=str)), []).append(body)
        guardedly = [guarded(all_of(held), tree_sum(each)) if held else tree_sum(each) for held, each in found.items()]
        result: Tree = ZERO
        for each in guardedly:
            result = plus(result, each)
        return result

    # -- letters -------------------------------------------------------------------------------------------------------

    def _letters(self, row: str, column: str, forward: Sequence[NamedEquation]) -> tuple[str, str]:
        """Return i and j for one row, where they are free; else other letters."""
        taken = self._lengths() | {each.name for each in self.said.parameters} | {each.name for each in forward}
        found: list[str] = []
        for name, wanted in ((row, "irpuab"), (column, "jcqvfg")):
            reach = self.ranges[name]
            letter = next(
                each
                for each in wanted
                if each not in taken and each not in found and self.ranges.get(each, reach) == reach
            )
            self.ranges[letter] = reach
            found.append(letter)
        return found[0], found[1]

    def _lengths(self) -> set[str]:
        return {piece.name for reach in self.ranges.values() for piece in walk(reach) if isinstance(piece, Length)}

    def _lettered(self, piece: Tree, bound: Sequence[str]) -> Tree:
        """Replace temporary names in an expression by letters."""
        match piece:
            case Over(kind, index, body):
                reach = self.ranges[index]
                named = self._lengths() | {each.name for each in self.said.parameters}
                named |= {each.name for each in self.said.equations}
                inside = {each for each in free(body) if each != index}
                letter = next(
                    each
                    for each in (index.partition("#")[0], *"kljpqrsuvwabc")
                    if each not in named | inside | set(bound) and self.ranges.get(each, reach) == reach
                )
                self.ranges[letter] = reach
                return Over(kind, letter, self._lettered(self._placed(body, {index: Index(letter)}), (*bound, letter)))
        return mapped(piece, lambda each: self._lettered(each, bound))  # type: ignore[arg-type, return-value]

    def _operation(self, forward: Sequence[NamedEquation], last: NamedEquation) -> Operation:
        kept = [last]
        for equation in reversed(forward):
            if equation.name in {p.name for each in kept for p in walk(each.body) if isinstance(p, Entry)}:
                kept.insert(0, equation)
        pieces = [piece for each in kept for piece in walk(each.body)]
        letters = {letter for each in kept for letter in each.index}
        letters |= {piece.index for piece in pieces if isinstance(piece, Over)}
        ranges = tuple((letter, reach) for letter, reach in self.ranges.items() if letter in letters)
        shape = (self.ranges[last.index[0]], self.ranges[last.index[1]])
        kind = "row_jacobian" if self.by_row else "jacobian"
        name = f"{self.said.name}_{kind}_{self.parameter.name}"
        index = tuple(letter for letter, axis in zip(last.index, shape, strict=True) if axis != ONE)
        kept[-1] = replace(last, index=index)
        found = Operation(
            name, self.said.parameters, shape, tuple(kept), ranges, self.said.page, name, self.said.source
        )
        return _with_sizes(replace(found, parameters=needed(found)))


def _place_of(index: str, condition: Compare) -> Tree | None:
    """Return the value of an index that a comparison fixes."""
    if condition.sign != "==":
        return None
    for here, there in ((condition.left, condition.right), (condition.right, condition.left)):
        if here == Index(index) and index not in free(there):
            return there
    return None


def _with_sizes(operation: Operation) -> Operation:
    """Replace matrices that only give the length of an axis by lengths."""
    used = {each.name for eq in operation.equations for each in walk(eq.body) if isinstance(each, Entry)}
    kept = [each for each in operation.parameters if not each.is_matrix or each.name in used]
    axes = [*operation.shape, *operation.range_of.values(), *(axis for each in kept for axis in each.axes)]
    inside = [piece for axis in axes for piece in walk(axis)]
    inside += [p for eq in operation.equations for p in walk(eq.body)]
    wanted = dict.fromkeys(piece.name for piece in inside if isinstance(piece, Length))
    said = {axis.name for each in kept for axis in each.axes if isinstance(axis, Length)} | {e.name for e in kept}
    sizes = tuple(Parameter(name, "size") for name in wanted if name not in said)
    return replace(operation, parameters=(*sizes, *kept))
