"""Adjoints: derive the equations of an operation's gradient from its own, by the chain rule from the last to the first.

With G = ∂L/∂Y of the result Y of an operation, ∂L/∂X of an operand X is an operation again, whose equations are
evaluated, proved and printed like all others. Where X[i, σ(k)] occurs in an equation, the sum for X[i,p] runs over the
k with σ(k) = p: solved for k where σ(k) is k plus or minus something fixed, and a condition otherwise.

>>> from symattn.operations.equations.read import declared
>>> from symattn.operations.equations.read import read_operation
>>> soft = read_operation("soft(S: m×n)\\n e[i,j] = exp(S[i,j])\\n t[i] = sum(k, e[i,k])\\n y[i,j] = e[i,j] / t[i]")
>>> print(declared(adjoint(soft, "S")))
soft_vjp_S(S: m×n, G: m×n) -> m×n
    e[i,j] = exp(S[i,j])
    t[i] = sum(k, e[i,k])
    t_bar[i] = -sum(j, G[i,j]*e[i,j])/t[i]^2
    e_bar[i,j] = G[i,j]/t[i] + t_bar[i]
    z[i,j] = e_bar[i,j]*e[i,j]

Source: Griewank and Walther 2008, *Evaluating Derivatives*, section 3.2.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import chain, count

from symattn.base.errors import FormulaError
from symattn.operations.equations.differential import Partial, depends, partials
from symattn.operations.equations.linear import holds, implies, tidied, within
from symattn.operations.equations.parts import ONE, ZERO, needed, rewritten
from symattn.operations.equations.short import as_read, is_defined, opposite, shortened, tree_sum, tree_sum_over, under
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
from symattn.operations.equations.whole import free, is_whole

IndexLetters = tuple[str, ...]
"""The letters of an entry."""


@lru_cache(maxsize=1000)
def adjoint(operation: Operation, wrt: str, whole: bool = False) -> Operation:
    """Return ∂L/∂X for one parameter X, given G = ∂L/∂Y; with ``whole`` the gradient of L = Σ Y, without G.

    ∂L/∂x_{pq} = Σ_{ij} g_{ij} ∂y_{ij}/∂x_{pq}, where ``whole`` has g_{ij} = 1.
    Shapes: G has that of Y, the result that of the parameter; for a number it is 1×1.
    Raises :class:`~symattn.base.errors.FormulaError` for a parameter that has no gradient: a size, a place.
    """
    return Backward(operation, differentiable(operation, wrt), whole).operation()


def is_flat(operation: Operation, wrt: str) -> bool:
    """Return whether the gradient by a parameter is 0 wherever there is one: floor(X), a mask, token ids.

    Raises :class:`~symattn.base.errors.FormulaError` as :func:`adjoint` does.

    >>> from symattn.operations.equations.read import read_operation
    >>> is_flat(read_operation("step(X: m×n)\\n y[i,j] = 1 if X[i,j] > 0 else 0"), "X")
    True
    """
    return adjoint(operation, wrt).result.body == ZERO


def differentiable(operation: Operation, name: str) -> Parameter:
    """Return a parameter that has a gradient: a matrix, a row, a number.

    Raises :class:`~symattn.base.errors.FormulaError` for any other.
    """
    parameter = next((each for each in operation.parameters if each.name == name), None)
    if parameter is None or not (parameter.is_matrix or parameter.kind == "number"):
        raise FormulaError(f"{operation.name}: {name} is no matrix and no number: there is no gradient of it")
    return parameter


def seed(operation: Operation) -> Parameter:
    """Return the parameter G = ∂L/∂Y, of the shape of the result Y."""
    wanted = chain(("G", "G_Y", "G_Z"), (f"G{k}" for k in count(1)))
    name = next(each for each in wanted if each not in _taken(operation))
    return Parameter(name, "matrix", operation.shape)


def _taken(operation: Operation) -> set[str]:
    """Return every name that has a meaning in an operation."""
    axes: list[Tree] = [*operation.shape, *operation.range_of.values()]
    axes += [axis for each in operation.parameters for axis in each.axes]
    lengths = {piece.name for axis in axes for piece in walk(axis) if isinstance(piece, Length)}
    named = {each.name for each in operation.parameters} | {each.name for each in operation.equations}
    return lengths | named | set(operation.range_of)


@dataclass(frozen=True)
class Backward:
    """Propagates weights through the equations of one operation, from the last to the first."""

    said: Operation
    parameter: Parameter
    whole: bool = True
    fresh: Iterator[int] = field(default_factory=count)
    ranges: dict[str, Tree] = field(default_factory=dict)

    weights: dict[str, Tree] = field(default_factory=dict)
    """The weight of each equation's left side: its adjoint."""

    def operation(self) -> Operation:
        """Return the operation of the original equations and the backward ones."""
        equations = (*self.said.equations, *self.backward())
        return self._made([replace(each, body=as_read(each.body)) for each in equations])  # type: ignore[arg-type]

    def backward(self) -> list[NamedEquation]:
        """Return the backward equations; the last one is that of the parameter."""
        said, target = self.said, self._letters_of_target()
        active = self._active()
        self.ranges.update(said.ranges)
        reached: dict[str, list[Tree]] = {name: [] for name in active}
        backward: list[NamedEquation] = []
        for equation in reversed(said.equations):
            if equation.name not in active:
                continue
            weight = self.weights[equation.name] = self._weight(equation, reached, backward)
            self._pull(equation, weight, _where(self.said, backward, weight), active, reached, target)
        body = self.counted(self._lettered(tree_sum(reached[self.parameter.name]), target))
        return [*backward, NamedEquation(self._new("z", "dz", "grad"), target, body)]

    # -- what is gone through for: gradients ---------------------------------------------------------------------

    @property
    def kind(self) -> str:
        """The part of the new operation's name that tells its kind."""
        return "grad" if self.whole else "vjp"

    @property
    def bars(self) -> tuple[str, ...]:
        """Suffixes for the name of a number's adjoint."""
        return ("bar", "adj")

    def first(self) -> Tree:
        """Return the weight of an entry of the result."""
        return ONE if self.whole else self._seed_entry(self.said.result.index)

    def partials(self, equation: NamedEquation, weight: Tree, active: frozenset[str]) -> Iterator[Partial]:
        """Yield the weight of every entry in an equation, from that of its left side."""
        return partials(equation.body, weight, active, Entry(equation.name, tuple(map(Index, equation.index))))

    def counted(self, body: Tree) -> Tree:
        """Convert an accumulated weight for use on the right side of an equation."""
        return body

    # -- from the last equation to the first -------------------------------------------------------------------------

    def _weight(
        self, equation: NamedEquation, reached: Mapping[str, list[Tree]], backward: list[NamedEquation]
    ) -> Tree:
        """Return the adjoint of an equation's value: an entry of G, or a number of its own with a bar."""
        if equation is self.said.result:
            return self.first()
        body = self.counted(self._lettered(tree_sum(reached[equation.name]), equation.index))
        if isinstance(body, Constant | Entry) and not set(_bound(body)):
            return body
        name = self._new(*(f"{equation.name}_{each}" for each in self.bars))
        backward.append(NamedEquation(name, equation.index, body))
        return Entry(name, tuple(map(Index, equation.index)))

    def _seed_entry(self, index: IndexLetters) -> Tree:
        places: list[Tree] = [Index(letter) for letter in index]
        if len(places) == 1 and self.said.shape[0] == ONE != self.said.shape[1]:
            places = [ONE, *places]
        pairs = zip([*places, ONE, ONE], self.said.shape, strict=False)
        return Entry(seed(self.said).name, tuple(ONE if axis == ONE else place for place, axis in pairs))

    def _pull(
        self,
        equation: NamedEquation,
        weight: Tree,
        where: tuple[Compare, ...],
        active: frozenset[str],
        reached: dict[str, list[Tree]],
        target: IndexLetters,
    ) -> None:
        for each in self.partials(equation, weight, active):
            letters = target if each.entry.name == self.parameter.name else self.said.equation(each.entry.name).index
            over = dict.fromkeys((*equation.index, *each.over))
            if not is_defined(each.weight):  # so that nothing divides by a possible 0 where the weight is not needed
                each = replace(each, under=(*where, *each.under))
            reached[each.entry.name].append(self._landed(each, tuple(over), letters))

    def _active(self) -> frozenset[str]:
        found = {self.parameter.name}
        for equation in self.said.equations:
            if depends(equation.body, frozenset(found)):
                found.add(equation.name)
        return frozenset(found)

    # -- where an entry lands ------------------------------------------------------------------------------------

    def _landed(self, each: Partial, over: IndexLetters, letters: IndexLetters) -> Tree:
        """Return the contribution to one entry: the sum of the weight over all places at which it occurs."""
        names = {letter: self._temporary(letter) for letter in over}
        put = partial(self._put, places={letter: Index(name) for letter, name in names.items()})
        weight: Tree = put(each.weight)  # type: ignore[assignment]
        conditions: list[Piece] = [put(condition) for condition in each.under]
        places = [put(place) for place in each.entry.places]
        open_letters = list(names.values())
        for k, letter in enumerate(letters):
            found = _solved(places[k], letter, open_letters)
            if found is None:
                conditions.append(Compare("==", Index(letter), places[k]))  # type: ignore[arg-type]
                continue
            name, value = found
            open_letters.remove(name)
            if value == Index(letter) and self.ranges[name] != self.ranges[letter]:
                value = Apply("add", (value, ZERO))  # a place of a longer axis: the letter does not go along it
            move = partial(self._put, places={name: value})
            weight = move(weight)  # type: ignore[assignment]
            conditions = [move(condition) for condition in conditions]
            places = [move(place) for place in places]
            conditions += within(value, letter, self.ranges[name])
        while met := self._met(conditions, open_letters):
            name, value = met
            open_letters.remove(name)
            move = partial(self._put, places={name: value})
            weight, conditions = move(weight), [move(condition) for condition in conditions]  # type: ignore[assignment]
        compared = [tidied(condition) for condition in conditions if isinstance(condition, Compare)]
        held = [
            each
            for each in compared
            if not (holds(each, self.ranges) or any(implies(other, each) for other in compared))
        ]
        if any(holds(opposite(condition), self.ranges) for condition in held):
            return ZERO
        body: Tree = shortened(weight)  # type: ignore[assignment]
        for name in reversed(open_letters):
            inside = _inside(held, name)
            held = [condition for condition in held if condition not in inside]
            body = tree_sum_over(name, under(self.said, inside, body), self.ranges[name])
        return under(self.said, held, body)

    def _met(self, conditions: Sequence[Piece], open_letters: Sequence[str]) -> tuple[str, Tree] | None:
        """Return an open index that must equal another one of its axis, and that one: Σ_j f(j) where j = i is f(i)."""
        for condition in conditions:
            match condition:
                case Compare("==", Index(one), Index(other)) if self.ranges[one] == self.ranges[other] and one != other:
                    for name, same in ((other, one), (one, other)):
                        if name in open_letters:
                            return name, Index(same)
        return None

    def _temporary(self, letter: str) -> str:
        base = letter.partition("#")[0]
        name = f"{base}#{next(self.fresh)}"
        self.ranges[name] = self.ranges[letter if letter in self.ranges else base]
        return name

    def _put(self, piece: Piece, places: Mapping[str, Tree]) -> Piece:
        """Substitute the free indices of a piece; those of sums inside get new letters."""
        match piece:
            case Index(name):
                return places.get(name, piece)
            case Over(kind, index, body):
                name = self._temporary(index)
                inside: Tree = self._put(body, {**places, index: Index(name)})  # type: ignore[assignment]
                return Over(kind, name, inside)
        return mapped(piece, lambda each: self._put(each, places))

    # -- letters ---------------------------------------------------------------------------------------------------

    def _letters_of_target(self) -> IndexLetters:
        """Return the letters of the target entry, as in the last equation that uses it."""
        parameter = self.parameter
        if not parameter.is_matrix:
            return ()
        found: list[str] = []
        for k, axis in enumerate(parameter.axes):
            entries = [e for eq in reversed(self.said.equations) for e in _entries(eq.body, parameter.name)]
            alone = [place.name for e in entries if isinstance(place := e.places[k], Index)]
            alone = [letter for letter in alone if self.said.range_of[letter] == axis]
            fitting = [letter for letter, reach in self.said.ranges if reach == axis]
            known = [each for each in (*alone, *fitting) if each not in found]
            letter = known[0] if known else self._new_letter(("rupabcdfghklqs", "cvqabdfghklprs")[k], found)
            self.ranges.setdefault(letter, axis)
            found.append(letter)
        return tuple(found)

    def _new_letter(self, letters: str, taken: Collection[str]) -> str:
        """Return the first of some letters that has no meaning here yet; where all do, one with a number."""
        wanted = chain(letters, (f"{letters[0]}{k}" for k in count(1)))
        return next(each for each in wanted if each not in taken and self._is_new(each))

    def _is_new(self, letter: str) -> bool:
        return letter not in _taken(self.said) and letter not in self.ranges

    def _new(self, *names: str) -> str:
        taken = {*_taken(self.said), seed(self.said).name, *self.ranges}
        return next(each for each in chain(names, (f"{names[0]}{k}" for k in count(2))) if each not in taken)

    def _lettered(self, piece: Tree, bound: Sequence[str]) -> Tree:
        """Replace temporary names in an expression by letters, none of which has two meanings in one place."""
        match piece:
            case Over(kind, index, body):
                taken = {*bound, *(letter for letter in free(body) if "#" not in letter)}
                letter = self._letter(index, taken)
                inside: Tree = _renamed(body, index, letter)
                return Over(kind, letter, self._lettered(inside, (*bound, letter)))
        return mapped(piece, lambda each: self._lettered(each, bound))  # type: ignore[arg-type, return-value]

    def _letter(self, name: str, taken: set[str]) -> str:
        reach = self.ranges[name]
        same = [letter for letter, axis in self.ranges.items() if axis == reach and "#" not in letter]
        for letter in (name.partition("#")[0], *same):
            if letter not in taken:
                return letter
        letter = self._new_letter("klpqrsuvwabc", taken)
        self.ranges[letter] = reach
        return letter

    # -- the operation -------------------------------------------------------------------------------------------------

    def _made(self, equations: list[NamedEquation]) -> Operation:
        said, parameter, last = self.said, self.parameter, equations[-1]
        kept = [last]
        for equation in reversed(equations[:-1]):
            if equation.name in {p.name for each in kept for p in walk(each.body) if isinstance(p, Entry)}:
                kept.insert(0, equation)
        axes = (
            parameter.axes if parameter.kind == "matrix" else (ONE, *parameter.axes) if parameter.axes else (ONE, ONE)
        )
        letters = {p.name for each in kept for p in walk(each.body) if isinstance(p, Index)}
        letters |= {p.index for each in kept for p in walk(each.body) if isinstance(p, Over)}
        letters |= {letter for each in kept for letter in each.index}
        parameters = list(said.parameters)
        if not self.whole:
            place = next((k for k, each in enumerate(parameters) if each.default is not None), len(parameters))
            parameters.insert(place, seed(said))
        name = f"{said.name}_{self.kind}_{parameter.name}"
        ranges = tuple((letter, reach) for letter, reach in self.ranges.items() if letter in letters)
        found = Operation(
            name, tuple(parameters), (axes[0], axes[1]), tuple(kept), ranges, said.page, name, said.source
        )
        return _with_sizes(replace(found, parameters=needed(found)))


def _with_sizes(operation: Operation) -> Operation:
    """Replace matrices that only give the length of an axis by lengths."""
    used = {each.name for eq in operation.equations for each in walk(eq.body) if isinstance(each, Entry)}
    kept = [each for each in operation.parameters if not each.is_matrix or each.name in used]
    lengths: list[Tree] = [
        *operation.shape,
        *operation.range_of.values(),
        *(axis for each in kept for axis in each.axes),
    ]
    lengths += [p for eq in operation.equations for p in walk(eq.body) if isinstance(p, Length)]
    inside = [piece for axis in lengths for piece in walk(axis)]
    wanted = dict.fromkeys(piece.name for piece in inside if isinstance(piece, Length))
    always = [each for each in kept if each.default is None]
    axes = {axis.name for each in always for axis in each.axes if isinstance(axis, Length)}
    said = axes | {each.name for each in kept}
    sizes = tuple(Parameter(name, "size") for name in wanted if name not in said)
    return replace(operation, parameters=(*sizes, *kept))


def _where(said: Operation, backward: Sequence[NamedEquation], weight: Tree) -> tuple[Compare, ...]:
    """Return the conditions on numbers under which a newly named adjoint may be nonzero."""
    if not (backward and isinstance(weight, Entry) and weight.name == backward[-1].name):
        return ()
    body = backward[-1].body
    if not (isinstance(body, Branch) and body.otherwise == ZERO) or is_whole(said, body.condition):
        return ()
    return body.condition.parts


def _inside(conditions: Sequence[Compare], name: str) -> list[Compare]:
    """Return the conditions to put inside a sum: those on its index, and those that may need them to be defined."""
    found: list[Compare] = []
    for each in conditions:
        if name in free(each) or (found and not is_defined(each)):
            found.append(each)
    return found


def _entries(piece: Piece, name: str) -> list[Entry]:
    return [each for each in walk(piece) if isinstance(each, Entry) and each.name == name]


def _bound(piece: Piece) -> list[str]:
    return [each.index for each in walk(piece) if isinstance(each, Over)]


def _renamed(piece: Tree, name: str, letter: str) -> Tree:
    """Rename an index that is not bound inside: temporary names are bound only once."""

    def rule(each: Piece) -> Piece:
        return Index(letter) if each == Index(name) else each

    return rewritten(piece, rule)  # type: ignore[return-value]


def _solved(place: Piece, letter: str, open_letters: Sequence[str]) -> tuple[str, Tree] | None:
    """Return the open index in a place, and its value where the place is ``letter``; ``None`` if unsolvable."""
    for name in open_letters:
        value = _inverse(place, Index(letter), name)
        if value is not None:
            return name, shortened(value)  # type: ignore[return-value]
    return None


def _inverse(place: Piece, value: Tree, name: str) -> Tree | None:
    """Solve for the index, where the place is a sum or difference of it and of terms without it."""
    match place:
        case Index(letter) if letter == name:
            return value
        case Apply("add", (one, other)) if name not in free(one):
            return _inverse(other, Apply("sub", (value, one)), name)
        case Apply("add" | "sub" as sign, (one, other)) if name not in free(other):
            return _inverse(one, Apply({"add": "sub", "sub": "add"}[sign], (value, other)), name)
        case Apply("sub", (one, other)) if name not in free(one):
            return _inverse(other, Apply("sub", (one, value)), name)
    return None
