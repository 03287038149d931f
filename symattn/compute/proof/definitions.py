"""Expand entry (i, j) of a formula by the definitions of its operations, node by node.

The equations of each operation define its entry; the entries of the matrices inside are substituted. All bound indices
are different, so no sum captures another's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from types import MappingProxyType
from typing import Any

from sympy import (
    Abs,
    Add,
    Basic,
    Expr,
    Function,
    Integer,
    KroneckerDelta,
    MatAdd,
    MatMul,
    MatPow,
    MatrixExpr,
    MatrixSymbol,
    Mod,
    Rational,
    S,
    Symbol,
    acos,
    erf,
    floor,
    log,
    pi,
    tanh,
)
from sympy.matrices.expressions.matexpr import MatrixElement

from symattn import operations as ops
from symattn.compute.proof.canon import key
from symattn.compute.proof.tree import (
    Indices,
    Largest,
    PairFrequency,
    ProofError,
    Same,
    Smaller,
    add,
    cosine,
    exponential,
    finite_sum,
    mul,
    power_of,
    sine,
)
from symattn.operations.entry import value_of
from symattn.operations.equations import tree
from symattn.operations.equations.parts import ZERO, rewritten
from symattn.operations.equations.whole import COMPARED
from symattn.operations.node import Applied, arguments_of, given_of, operation_of
from symattn.operations.records import record_named
from symattn.operations.stages import ours_of
from symattn.operations.stored import TURNED, marked
from symattn.read.formula.functions import gradient_of

Arranged = ops.Concat | ops.Stack | ops.Rotary | ops.Sinusoidal
"""Nodes whose entry depends on its block or its place in a pair of columns: rules split the sums over them."""

FUNCTIONS: Mapping[str, Callable[..., Expr]] = MappingProxyType(
    {
        "add": add,
        "sub": lambda x, y: add(x, mul(S.NegativeOne, y)),
        "mul": mul,
        # The divisor comes first: letters are assigned to sums in this order.
        "div": lambda x, y: mul(power_of(y, S.NegativeOne), x),
        "pow": power_of,
        "mod": Mod,
        "neg": lambda x: mul(S.NegativeOne, x),
        "exp": exponential,
        "log": log,
        "sqrt": lambda x: power_of(x, S.Half),
        "tanh": tanh,
        "erf": erf,
        "sin": sine,
        "cos": cosine,
        "acos": acos,
        "abs": Abs,
        "floor": floor,
        "xlogx": lambda x: mul(x, log(x)),
        "pi": lambda: pi,
    }
)
"""The elementary functions of equations as trees that stay as they are written."""


def general_entry(node: MatrixExpr, i: Expr, j: Expr, indices: Indices) -> Expr:
    """Return entry (i, j), expanded down to entries of names.

    Raises :class:`~symattn.base.errors.ProofError` where there is no rule for a node, and for an entry that grows too
    large.

    >>> from sympy import Symbol
    >>> from symattn.operations import MatrixSymbol, Softmax
    >>> i, j = Symbol("i", integer=True), Symbol("j", integer=True)
    >>> general_entry(Softmax(MatrixSymbol("S", 2, 3)), i, j, Indices())
    exp(S[i, j])/Sum(exp(S[i, index_1]), (index_1, 0, 2))
    """
    indices.entered()
    node = as_ours(node)
    match node:
        case MatrixSymbol():
            return MatrixElement(node, i, j)
        case MatMul():
            return _product(node, i, j, indices)
        case MatAdd():
            return add(*(general_entry(part, i, j, indices) for part in node.args))
        case MatPow():
            return _product(MatMul(*[node.base] * int(node.exp), evaluate=False), i, j, indices)
    if type(node) in RULES:
        return RULES[type(node)](node, i, j, indices)
    operation = operation_of(node)
    if operation is None:
        raise ProofError(f"there is no rule for {type(node).__name__}, which chooses by size")
    return _Entry(node, operation, given_of(node), indices).at(i, j)


_FIRST = Symbol("first", integer=True), Symbol("second", integer=True)
"""The places at which intermediate numbers are compared."""


class NumbersOnTheWay:
    """Intermediate numbers that operations name, such as a mean, each an entry of a matrix of its own.

    ``keeps`` selects the ones that keep their names; all others are replaced by their equations.
    """

    def __init__(self, keeps: Callable[[tree.Operation, str], bool]) -> None:
        self._keeps = keeps
        self.of: dict[MatrixSymbol, tuple[Basic, str]] = {}
        """The node and the name in its operation of the numbers in each matrix."""
        self._called: dict[tuple[Basic, str], MatrixSymbol] = {}
        self._by_meaning: dict[str, MatrixSymbol] = {}

    def entry(self, node: Basic, operation: tree.Operation, name: str, places: list[Expr]) -> Expr | None:
        """Return the number at these places by its name, if it keeps that."""
        if not self._keeps(operation, name):
            return None
        if (node, name) not in self._called:
            sizes = [value_of(operation.range_of[letter], given_of(node)) for letter in operation.equation(name).index]
            new = MatrixSymbol(f"{name}#{len(self._called)}", *[*sizes, 1, 1][:2])
            meant = key(self._body(node, name, *_FIRST, Indices(_FIRST, self.entry)))
            # The same number of another node, as the mean of a norm with and without a gain.
            self._called[node, name] = self._by_meaning.setdefault(meant, new)
            self.of.setdefault(self._called[node, name], (node, name))
        return MatrixElement(self._called[node, name], *[*places, Integer(0), Integer(0)][:2])

    def definition(self, entry: MatrixElement, indices: Indices) -> Expr:
        """Return the definition of an entry, with the other intermediate numbers by their names."""
        return self._body(*self.of[entry.parent], entry.i, entry.j, indices)

    def _body(self, node: Basic, name: str, i: Expr, j: Expr, indices: Indices) -> Expr:
        operation = operation_of(node)
        assert operation is not None
        equation = operation.equation(name)
        at = dict(zip(equation.index, (i, j), strict=False))
        return _Entry(node, operation, given_of(node), indices)(equation.body, at)


class TurnedBack(ops.Rotary):
    """The gradient of a rotation, in which every pair is turned back by its angle.

    It is written in pairs, where the equations of the gradient have cases by columns.
    """

    called = "RoPE" + TURNED


@cache
def _of_rotary() -> tree.Operation | None:
    record = record_named("rotary")
    return None if record is None else gradient_of(record, "X")


def as_ours(node: Basic) -> Any:
    """Return our own node for an equivalent user-defined operation; any other node itself."""
    if isinstance(node, Applied) and node.operation.name == "rotary_vjp_X" and node.operation == _of_rotary():
        return TurnedBack(*arguments_of(node))
    ours = ours_of(node.operation) if isinstance(node, Applied) else None
    return node if ours is None else ours(*arguments_of(node))


@dataclass(frozen=True)
class _Entry:
    """Expands the entry of an operation into a tree, with the entries of its matrices substituted."""

    node: Basic
    operation: tree.Operation
    given: Mapping[str, Any]
    indices: Indices

    def at(self, i: Expr, j: Expr) -> Expr:
        result = self.operation.result
        one_row = self.operation.shape[0] == tree.Constant(Fraction(1))
        places = (i, j) if len(result.index) == 2 else (j,) if one_row else (i,)
        at = dict(zip(result.index, places, strict=False))
        try:
            return self(result.body, at)
        except _OpenCaseError:
            return self.opaque(at)

    def opaque(self, at: Mapping[str, Expr]) -> Expr:
        """Return an operation with cases as a function of its entries, places and numbers, which no rule looks into."""
        letters = {name: tree.Index(name) for name in at}
        leaves = dict.fromkeys(self.leaves(self.operation.result.body, letters))
        entries = [self(leaf, at) for leaf in leaves if isinstance(leaf, tree.Entry) and leaf.places]
        numbers = [
            self(leaf, at) for leaf in leaves if isinstance(leaf, tree.Length) or leaf == tree.Entry(_name(leaf))
        ]
        others = [leaf for leaf in leaves if not isinstance(leaf, tree.Entry | tree.Length)]
        places: list[tree.Tree] = [letter for letter in letters.values() if letter in others]
        places += [leaf for leaf in others if leaf not in places]
        name = self.operation.called if entries else self.operation.name
        found: Expr = Function(name)(*entries, *(self.place(place, at) for place in places), *numbers)
        return found

    def leaves(self, piece: tree.Piece, at: Mapping[str, tree.Tree]) -> Iterator[tree.Tree]:
        """Yield the entries, places and numbers in a piece; ``at`` has the places of its indices."""

        def moved(each: tree.Piece) -> tree.Piece:
            return at[each.name] if isinstance(each, tree.Index) else each

        match piece:
            case tree.Index(name):
                yield at[name]
            case tree.Length() | tree.Entry(_, ()) if piece.name in self.given:
                yield piece
            case tree.Entry(name, places):
                there: list[Any] = [rewritten(place, moved) for place in places]
                if name in self.given:
                    yield tree.Entry(name, tuple(there))
                    return
                equation = self.operation.equation(name)
                yield from self.leaves(equation.body, dict(zip(equation.index, there, strict=True)))
            case tree.Over():
                raise ProofError(f"there is no rule for {self.operation.name}, which distinguishes cases by a sum")
            case _:
                for child in tree.children(piece):
                    yield from self.leaves(child, at)

    def __call__(self, piece: tree.Tree, at: Mapping[str, Expr]) -> Expr:
        """Expand a piece; ``at`` has the places of indices, counted from 0."""
        match piece:
            case tree.Constant(value):
                return Rational(value.numerator, value.denominator)
            case tree.Index(name):
                return at[name] + 1
            case tree.Length(name) | tree.Entry(name, ()) if name in self.given:
                return self.given[name]
            case tree.Entry(name, places):
                return self.entry(name, [self.place(place, at) for place in places])
            case tree.Apply(function, arguments) if function in FUNCTIONS:
                return FUNCTIONS[function](*(self(each, at) for each in arguments))
            case tree.Over():
                return self.over(piece, at)
            case tree.Branch():
                return self.cases(piece, at)
        raise _OpenCaseError

    def place(self, piece: tree.Tree, at: Mapping[str, Expr]) -> Expr:
        found: Expr = self(piece, at).doit() - 1
        return found

    def entry(self, name: str, places: list[Expr]) -> Expr:
        if name in self.given:
            i, j = places if len(places) == 2 else (Integer(0), *places)
            return general_entry(self.given[name], i, j, self.indices)
        if self.indices.named is not None:
            named = self.indices.named(self.node, self.operation, name, places)
            if named is not None:
                return named
        equation = self.operation.equation(name)
        return self(equation.body, dict(zip(equation.index, places, strict=True)))

    def over(self, piece: tree.Over, at: Mapping[str, Expr]) -> Expr:
        length = self(self.operation.range_of[piece.index], {})
        if length == 1:
            return self(piece.body, {**at, piece.index: Integer(0)})
        index = self.indices.new()
        body = self(piece.body, {**at, piece.index: index})
        return Largest(body, index, length) if piece.kind == "max" else finite_sum(body, index, length)

    def cases(self, piece: tree.Branch, at: Mapping[str, Expr]) -> Expr:
        """Return the case that holds, if it can be written: [c] a + (1 − [c]) b, where [c] is 1 if c holds, else 0.

        Cases that are 0 but in one place are always written so; others only in gradients, whose functions keep their
        names.
        """
        condition, nothing = piece.condition, piece.otherwise == ZERO
        match condition:
            case tree.Compare("==", tree.Index(a), tree.Index(b)) if nothing and self.run_alike(a, b):
                return mul(KroneckerDelta(at[a], at[b]), self(piece.then, at))
        in_one_place = nothing and all(each.sign == "==" for each in condition.parts)
        if not (in_one_place or marked(self.operation.called)):
            raise _OpenCaseError
        holds = mul(*(self.holds(each, at) for each in condition.parts))
        otherwise = S.Zero if nothing else mul(_opposite(holds), self(piece.otherwise, at))
        return add(mul(holds, self(piece.then, at)), otherwise)

    def run_alike(self, one: str, other: str) -> bool:
        return self.operation.range_of[one] == self.operation.range_of[other]

    def holds(self, piece: tree.Compare, at: Mapping[str, Expr]) -> Expr:
        left, right = self(piece.left, at), self(piece.right, at)
        if left.is_Rational and right.is_Rational:
            return Integer(int(COMPARED[piece.sign](left, right)))
        match piece.sign:
            case "==" | "!=":
                equal = Same(left, right)
                return equal if piece.sign == "==" else _opposite(equal)
            case ">" | "<=":
                left, right = right, left
        smaller = Smaller(left, right)
        return smaller if piece.sign in ("<", ">") else _opposite(smaller)


def _opposite(holds: Expr) -> Expr:
    """1 − [c]."""
    return add(S.One, mul(S.NegativeOne, holds))


class _OpenCaseError(Exception):
    """It is open which of several cases holds."""


def _name(piece: tree.Tree) -> str:
    return piece.name if isinstance(piece, tree.Entry) else ""


def _arranged(node: Arranged, i: Expr, j: Expr, indices: Indices) -> Expr:
    """Return the entry of a combined matrix, where the place tells the part; else the entry as such."""
    if isinstance(node, ops.Rotary | ops.Sinusoidal):
        return position_entry(node, i, j, indices) or MatrixElement(node, i, j)
    place, lengths = (j, widths(node)) if isinstance(node, ops.Concat) else (i, widths(node))
    start: Expr = Integer(0)
    for part, length in zip(node.args, lengths, strict=True):
        inside = place - start
        if not inside.is_Integer:
            break
        if length.is_Integer and inside >= length:
            start += length
        elif length.is_Integer or inside == 0:
            return general_entry(part, *((i, inside) if isinstance(node, ops.Concat) else (inside, j)), indices)
        else:
            break
    return MatrixElement(node, i, j)


def widths(node: ops.Concat | ops.Stack) -> tuple[Expr, ...]:
    """Return the length of each part along the axis on which they are joined."""
    return tuple(part.shape[1 if isinstance(node, ops.Concat) else 0] for part in node.args)


def position_entry(node: ops.Rotary | ops.Sinusoidal, i: Expr, j: Expr, indices: Indices) -> Expr | None:
    """Return the entry in column 2t or 2t + 1 (counted from 0) by sine and cosine; ``None`` for any other column."""
    number, doubled = j.as_coeff_Add()
    pair = (doubled + number - number % 2) / 2
    if not all(term.as_coeff_Mul()[0].is_Integer for term in Add.make_args(pair)):
        return None
    frequency = PairFrequency(node.base, pair, node.shape[1])
    if isinstance(node, ops.Sinusoidal):
        angle = mul(i, frequency)
        return cosine(angle) if number % 2 else sine(angle)
    angle = mul(add(node.start, i), frequency)
    first, second = (general_entry(node.argument, i, column, indices) for column in (2 * pair, 2 * pair + 1))
    is_second, is_back = bool(number % 2), isinstance(node, TurnedBack)
    with_sine = mul(first if is_second else second, sine(angle))
    with_sine = with_sine if is_second != is_back else mul(S.NegativeOne, with_sine)
    with_cosine = mul(second if is_second else first, cosine(angle))
    return add(with_sine, with_cosine) if is_second and not is_back else add(with_cosine, with_sine)


def _product(node: MatMul, i: Expr, j: Expr, indices: Indices) -> Expr:
    matrices = [arg for arg in node.args if arg.is_Matrix]
    bounds = [(indices.new(), matrix.shape[1]) for matrix in matrices[:-1]]
    places = [i, *(index if length != 1 else Integer(0) for index, length in bounds), j]
    entries = [
        general_entry(matrix, places[position], places[position + 1], indices)
        for position, matrix in enumerate(matrices)
    ]
    body = mul(*entries)
    for index, length in reversed(bounds):
        body = finite_sum(body, index, length)
    return mul(*(arg for arg in node.args if not arg.is_Matrix), body)


def _kept(node: ops.Keep, i: Expr, j: Expr, indices: Indices) -> Expr:
    # For a mask of 0 and −∞, and no other comes here: e^0 keeps an entry and e^{−∞} makes it 0.
    kept, mask = (general_entry(arg, i, j, indices) for arg in node.args)
    return mul(kept, exponential(mask))


RULES: Mapping[type, Callable[[Any, Expr, Expr, Indices], Expr]] = MappingProxyType(
    {ops.Keep: _kept, **dict.fromkeys((ops.Concat, ops.Stack, ops.Rotary, TurnedBack, ops.Sinusoidal), _arranged)}
)
"""Operations whose definition proofs do not take from their equations."""
