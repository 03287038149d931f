"""Check the domain of every operation: prove that its operands are allowed, or raise an error that names the entry.

Every quotient, root and logarithm in its equations sets a condition (:mod:`symattn.operations.equations.defined`): a
cosine needs nonzero vectors, shares need rows that do not sum to zero. Nothing is divided before this is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType

from sympy import (
    Basic,
    Expr,
    Integer,
    MatAdd,
    MatMul,
    MatPow,
    MatrixExpr,
    MatrixSymbol,
    S,
    Transpose,
    postorder_traversal,
)

from symattn import operations as ops
from symattn.base.errors import DomainError, shown
from symattn.base.remembered import reached
from symattn.base.shapes import in_rows, whole_sizes
from symattn.compute.solution.proofs import proved_signs
from symattn.compute.solution.store import Store
from symattn.compute.values.applied import frame
from symattn.compute.values.certify import precisions
from symattn.compute.values.interval import interval
from symattn.operations import Hadamard, Quotient, Repeated
from symattn.operations.equations.defined import Demand, Demanded, demands
from symattn.operations.equations.ranges import piece_text
from symattn.operations.equations.tree import Apply, Entry, walk
from symattn.operations.node import Applied, Definition, Node, apply, given_of, operation_of
from symattn.operations.stages import Stage, same_as_ours
from symattn.read.given import Given
from symattn.read.plan import names_in


def empty_rows(solution: Store, scores: MatrixExpr) -> tuple[int, ...]:
    """Return the rows of a formula, counted from 0, in which every entry is −∞. A finite −10⁹ does not count."""
    if not may_be_infinite(solution, scores):
        return ()
    names = names_in(scores)
    columns = whole_sizes(scores)[1]
    if any(map(solution.rounded_givens, names)):
        hidden = [x.hidden for row in interval(scores, solution.intervals) for x in row]
    elif solution.symbolic is not None and solution.symbolic.touches(scores):
        hidden = [value is S.NegativeInfinity for value in solution.symbolic.evaluate(scores)]
    else:
        # The first precision of the figures, whose enclosures are computed anyway.
        balls = solution.evaluate_ball(scores, next(precisions(solution.style.decimals))).entries()
        hidden = [not x.is_finite() and bool(x < 0) for x in balls]
    return tuple(i for i, row in enumerate(in_rows(hidden, columns)) if all(row))


def let_through(solution: Store, scores: MatrixExpr) -> tuple[int, ...]:
    """Return the empty rows, where the solution gives them weights of 0; elsewhere it is proved that there are none."""
    return empty_rows(solution, scores) if solution.style.on_empty == "zero" else ()


def may_be_infinite(solution: Store, formula: MatrixExpr) -> bool:
    """Return whether −∞ is written in a formula or behind it. All other numbers and their results are finite."""
    if _has_infinity(formula):
        return True
    needed = dict.fromkeys(other for name in names_in(formula) for other in solution.needed(name))
    givens = solution.givens
    return any(
        _is_infinite(givens[name]) if name in givens else _has_infinity(solution.formula(name)) for name in needed
    )


@lru_cache(maxsize=1000)
def _has_infinity(formula: MatrixExpr) -> bool:
    """Return whether −∞ is written in a formula, or in the equations of an operation in it."""
    equations = (each.body for node in formula.atoms(Definition) for each in node.operation.equations)
    return bool(formula.has(S.NegativeInfinity)) or any(Apply("oo") in walk(body) for body in equations)


def _is_infinite(given: Given) -> bool:
    if given.array is not None:
        return given.array.finite is None
    return any(entry is S.NegativeInfinity for entry in given.entries)


def row_names(solution: Store, scores: MatrixExpr, rows: tuple[int, ...]) -> str:
    """Name rows for a sentence, with the labels of their axis: ``row 2 (“cat”)``."""
    labels = solution.labels.get(axis_of_rows(solution, scores), ())
    named = [f"{i + 1} (“{labels[i]}”)" if i < len(labels) else str(i + 1) for i in rows]
    return f"{'row' if len(rows) == 1 else 'rows'} {', '.join(named)}"


def axis_of_rows(solution: Store, node: Basic) -> str:
    """Return the name of a formula's row axis, as far as one of its names tells."""
    if isinstance(node, MatrixSymbol):
        return solution.shape(str(node.name)).rows.name
    matrices = [arg for arg in node.args if arg.is_Matrix]
    # The first factor of a product has its rows; in an entry-by-entry operation every operand has them.
    same = matrices[:1] if not isinstance(node, MatAdd) else matrices
    found = (axis_of_rows(solution, part) for part in same if part.shape[0] == node.shape[0])
    return next((axis for axis in found if axis), "")


NEVER_NEGATIVE = ("abs", "exp", "sqrt", "softmax", "relu", "sigmoid")
"""Operations whose results are never negative, whatever they are applied to."""


def is_never_negative(solution: Store, formula: Basic) -> bool:
    """Return whether the form of a formula over names of the solution shows that no entry can be negative."""
    found = reached([formula], lambda node: _if_never_negative(solution, node) or ())
    return all(_if_never_negative(solution, node) is not None for node in found)


def _if_never_negative(solution: Store, formula: Basic) -> tuple[Basic, ...] | None:
    """Return the other formulas that must not be negative for this; ``None`` where even that is not enough."""
    node = same_as_ours(formula)
    match node:
        case MatrixSymbol(name=name):
            return None if name in solution.givens else (solution.formula(str(name)),)
        case MatAdd():
            return tuple(node.args)
        case MatMul():
            matrices = tuple(x for x in node.args if x.is_Matrix)
            return matrices if all(x.is_nonnegative for x in node.args if not x.is_Matrix) else None
        case Quotient():
            return node.args[:1] if node.args[1].is_positive else None
        case Hadamard():
            one, other = node.args
            return () if one == other else (one, other)
        case Repeated():
            return (node.argument,)
        case Transpose():
            return (node.arg,)
    operation = operation_of(node) if isinstance(node, Node) else None
    if operation is not None and operation.name == "power":
        is_square = any(x.is_even is True for x in given_of(node).values() if not getattr(x, "is_Matrix", False))
        return () if is_square else None
    return () if operation is not None and operation.name in NEVER_NEGATIVE else None


HOLDS: Mapping[Demanded, Callable[[int], bool]] = MappingProxyType(
    {"≠": lambda sign: sign != 0, "≥": lambda sign: sign >= 0, ">": lambda sign: sign > 0}
)
"""Tests of a sign for each condition."""

DEFINED_EVERYWHERE = (MatrixSymbol, MatMul, MatAdd, MatPow, ops.ArgMax, ops.TopK)
"""Nodes without equations that have a value wherever their operands have one."""

WORDS: Mapping[str, str] = MappingProxyType(
    {
        "proportions": "{what}: row {row} of {rows} sums to 0 and cannot be divided by its sum",
        "cosine": "{what}, cosine: row {row} of {rows} is the zero vector, which has no direction",
        "angle": "{what}, angle: row {row} of {rows} is the zero vector, which has no direction",
        "unit": "{what}, unit: row {row} of {rows} is the zero vector, which cannot be brought to length 1",
        "rms_norm": "{what}, rms_norm: row {row} of {rows} is the zero vector, which has the mean square 0, and "
        "epsilon is 0 too",
        "layer_norm": "{what}, layer_norm: row {row} of {rows} has the variance 0, and epsilon is 0 too",
        "entropy": "{what}, entropy: {place} is {came}: expected weights from 0 up",
        "log": "{what}, log: {place} is {came}: expected positive numbers, such as weights of a softmax",
    }
)
"""Error messages of operations that have their own."""


def certify_domain(solution: Store, formula: MatrixExpr, what: str) -> None:
    """Prove that every operation in a formula is defined for its operands, or raise
    :class:`~symattn.base.errors.DomainError`."""
    for node in _partial_nodes(formula):
        prove_defined(node, solution, what)


@lru_cache(maxsize=1000)
def _partial_nodes(formula: MatrixExpr) -> tuple[Basic, ...]:
    """Return the partial nodes, the innermost first: questions about a node need the values of its operands."""
    return tuple(dict.fromkeys(filter(is_partial, postorder_traversal(formula))))


def is_partial(node: Basic) -> bool:
    """Return whether a node has a limited domain, as far as its equations show."""
    if prove_defined.rule(node)[0] is not prove_defined.default:
        return True
    return bool(getattr(node, "is_Matrix", False)) and bool(asked(node))


@lru_cache(maxsize=1000)
def asked(node: Basic) -> tuple[tuple[Demand, MatrixExpr], ...]:
    """Return the conditions on the operands of a node, each with the formula whose entries must meet it."""
    if isinstance(node, DEFINED_EVERYWHERE):
        return ()
    of = frame(node)  # raises an error for a node without equations
    wholes = ((each.name, Integer(of.whole[each.name])) for each in of.operation.parameters if each.kind == "whole")
    known = frozenset(each for name, number in (*of.numbers, *wholes) for each in _known(name, number))
    given = given_of(node)
    return tuple((each, _formula(each, given)) for each in demands(of.operation, known))


def _known(name: str, number: Expr) -> Iterator[tuple[str, Demanded]]:
    """Yield the conditions that a given number is known to meet."""
    if number.is_nonzero or number in (S.Infinity, S.NegativeInfinity):
        yield name, "≠"
    if number.is_nonnegative:
        yield name, "≥"
    if number.is_positive:
        yield name, ">"


def _formula(demand: Demand, given: Mapping[str, Basic]) -> MatrixExpr:
    said, operation = demand.said, demand.operation
    places = tuple(map(piece_text, said.places)) if isinstance(said, Entry) else ()
    if demand.is_entry and isinstance(said, Entry) and len(places) == 2 and places == operation.result.index:
        return given[said.name]
    return apply(operation, *(given[each.name] for each in operation.parameters))


@Stage
def prove_defined(node: Basic, solution: Store, what: str) -> None:
    """Prove that one node is defined for its operands.

    Raises :class:`~symattn.base.errors.DomainError` with the entry where it is not.
    """
    for demand, formula in asked(node):
        if demand.unless_hidden and not may_be_infinite(solution, formula):
            continue
        if demand.relation == "≥" and is_never_negative(solution, formula):
            continue
        signs = proved_signs(solution, formula, f"{what}, the input of {frame(node).operation.name}")
        for i, row in enumerate(signs):
            for j, sign in enumerate(row):
                if not HOLDS[demand.relation](sign):
                    raise DomainError(_sentence(node, demand, sign, (i, j), what))


def _sentence(node: Basic, demand: Demand, sign: int, at: tuple[int, int], what: str) -> str:
    operation, letters = frame(node).operation, demand.operation.result.index
    given, came = given_of(node), "0" if sign == 0 else "negative" if sign < 0 else "positive"
    rows = next((given[each.name] for each in demand.operation.parameters if each.is_matrix), node)
    place = f"{_written(rows, 'entry ')}[{at[0] + 1},{at[1] + 1}]"
    if operation.name in WORDS and node.func is not Applied:
        otherwise = "the formula in proportions" if operation.name == "proportions" else "the formula in it"
        return WORDS[operation.name].format(
            what=what, row=max(at) + 1, rows=_written(rows, otherwise), place=place, came=came
        )
    if not demand.is_entry:
        places = at if len(letters) == 2 else (max(at),)
        where = ", ".join(f"{letter} = {k + 1}" for letter, k in zip(letters, places, strict=False))
        place = f"{piece_text(demand.said)} in {shown(demand.equation.text)}"
        came += f" for {where}" if where else ""
    return f"{what}, {operation.name}: {place} is {came}{demand.why}"


@prove_defined.register(ops.Keep)
def _(node: ops.Keep, solution: Store, what: str) -> None:
    for i, row in enumerate(proved_signs(solution, node.mask, f"{what}, a mask")):
        if max(row) > 0:
            place = f"{_written(node.mask, 'entry ')}[{i + 1},{row.index(max(row)) + 1}]"
            raise DomainError(f"{what}, keep: {place} is positive: expected a mask, whose entries are 0 or negative")


@prove_defined.register(ops.Softmax)
def _(node: ops.Softmax, solution: Store, what: str) -> None:
    if solution.style.on_empty == "error" and (empty := empty_rows(solution, node.argument)):
        rows, sees = row_names(solution, node.argument, empty), "sees" if len(empty) == 1 else "see"
        raise DomainError(
            f"{what}: {rows} of {_written(node.argument, 'the scores')} {sees} no key: every score there is −∞, and a "
            'softmax needs one that is not; on_empty = "zero" under [figures] gives weights of 0'
        )


@prove_defined.register(ops.OneHot)
def _(node: ops.OneHot, solution: Store, what: str) -> None:
    count = whole_sizes(node)[1]
    known = solution.evaluate_rational(node.ids)
    for j, number in enumerate(known or [None] * whole_sizes(node)[0]):
        if number is None or number.q != 1 or not 0 <= number < count:
            came = "a number with a root or an exponential in it" if number is None else str(number)
            place = f"{_written(node.ids, 'one_hot, entry ')}[1,{j + 1}]"
            raise DomainError(f"{what}: {place} is {came}: expected an id, a whole number from 0 to {count - 1}")


def _written(node: MatrixExpr, otherwise: str) -> str:
    """Return the name of a node, or other words where it has none."""
    return str(node.name) if isinstance(node, MatrixSymbol) else otherwise
