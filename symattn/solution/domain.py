"""Where an operation is not defined: proved not to happen, or refused with the entry that it happens at.

Every quotient, root and logarithm of its equations says what has to hold (:mod:`symattn.equations.defined`): a cosine
has no zero vector, shares are of rows that do not sum to zero. Nothing is divided before this is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType

from sympy import Basic, Expr, Integer, MatAdd, MatMul, MatPow, MatrixExpr, MatrixSymbol, S, postorder_traversal

from symattn import operations as ops
from symattn.equations.defined import Demand, Demanded, demands
from symattn.equations.ranges import written
from symattn.equations.tree import Entry
from symattn.errors import DomainError, shown
from symattn.operations.node import Applied, apply, given_of
from symattn.operations.stages import Stage
from symattn.shapes import whole_sizes
from symattn.solution.empty import empty_rows, may_be_infinite, row_names
from symattn.solution.never_negative import is_never_negative
from symattn.solution.proofs import proved_signs
from symattn.solution.store import Store
from symattn.values.applied import frame

HOLDS: Mapping[Demanded, Callable[[int], bool]] = MappingProxyType(
    {"≠": lambda sign: sign != 0, "≥": lambda sign: sign >= 0, ">": lambda sign: sign > 0}
)
"""What a sign has to be."""

DEFINED_EVERYWHERE = (MatrixSymbol, MatMul, MatAdd, MatPow, ops.ArgMax, ops.TopK)
"""What has no equations, and a value wherever its operands have one."""

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
"""What is said of operations that have words of their own for it."""


def certify_domain(solution: Store, formula: MatrixExpr, what: str) -> None:
    """Prove that every operation in a formula is defined for its operands, or raise
    :class:`~symattn.errors.DomainError`."""
    for node in _partial_nodes(formula):
        check(node, solution, what)


@lru_cache(maxsize=1000)
def _partial_nodes(formula: MatrixExpr) -> tuple[Basic, ...]:
    """The innermost first: what is asked about a node is asked of the values of its operands."""
    return tuple(dict.fromkeys(filter(is_partial, postorder_traversal(formula))))


def is_partial(node: Basic) -> bool:
    """Whether a node is not defined everywhere, as far as can be seen from its equations."""
    if check.rule(node)[0] is not check.default:
        return True
    return bool(getattr(node, "is_Matrix", False)) and bool(asked(node))


@lru_cache(maxsize=1000)
def asked(node: Basic) -> tuple[tuple[Demand, MatrixExpr], ...]:
    """What has to be proved of the operands of a node, with the formulas whose entries have to be so."""
    if isinstance(node, DEFINED_EVERYWHERE):
        return ()
    of = frame(node)  # which refuses what has no equations
    wholes = ((each.name, Integer(of.whole[each.name])) for each in of.operation.parameters if each.kind == "whole")
    known = frozenset(each for name, number in (*of.numbers, *wholes) for each in _known(name, number))
    given = given_of(node)
    return tuple((each, _formula(each, given)) for each in demands(of.operation, known))


def _known(name: str, number: Expr) -> Iterator[tuple[str, Demanded]]:
    """What is known of a number that is given."""
    if number.is_nonzero or number in (S.Infinity, S.NegativeInfinity):
        yield name, "≠"
    if number.is_nonnegative:
        yield name, "≥"
    if number.is_positive:
        yield name, ">"


def _formula(demand: Demand, given: Mapping[str, Basic]) -> MatrixExpr:
    said, operation = demand.said, demand.operation
    places = tuple(map(written, said.places)) if isinstance(said, Entry) else ()
    if demand.is_entry and isinstance(said, Entry) and len(places) == 2 and places == operation.result.index:
        return given[said.name]
    return apply(operation, *(given[each.name] for each in operation.parameters))


@Stage
def check(node: Basic, solution: Store, what: str) -> None:
    """Prove that one node is defined for its operands.

    Raises :class:`~symattn.errors.DomainError` with the entry where it is not.
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
        place = f"{written(demand.said)} in {shown(demand.equation.text)}"
        came += f" for {where}" if where else ""
    return f"{what}, {operation.name}: {place} is {came}{demand.why}"


@check.register(ops.Keep)
def _(node: ops.Keep, solution: Store, what: str) -> None:
    for i, row in enumerate(proved_signs(solution, node.mask, f"{what}, a mask")):
        if max(row) > 0:
            place = f"{_written(node.mask, 'entry ')}[{i + 1},{row.index(max(row)) + 1}]"
            raise DomainError(f"{what}, keep: {place} is positive: expected a mask, whose entries are 0 or negative")


@check.register(ops.Softmax)
def _(node: ops.Softmax, solution: Store, what: str) -> None:
    if solution.style.on_empty == "error" and (empty := empty_rows(solution, node.argument)):
        rows, sees = row_names(solution, node.argument, empty), "sees" if len(empty) == 1 else "see"
        raise DomainError(
            f"{what}: {rows} of {_written(node.argument, 'the scores')} {sees} no key: every score there is −∞, and a "
            'softmax needs one that is not; on_empty = "zero" under [figures] gives weights of 0'
        )


@check.register(ops.OneHot)
def _(node: ops.OneHot, solution: Store, what: str) -> None:
    count = whole_sizes(node)[1]
    known = solution.evaluate_rational(node.ids)
    for j, number in enumerate(known or [None] * whole_sizes(node)[0]):
        if number is None or number.q != 1 or not 0 <= number < count:
            came = "a number with a root or an exponential in it" if number is None else str(number)
            place = f"{_written(node.ids, 'one_hot, entry ')}[1,{j + 1}]"
            raise DomainError(f"{what}: {place} is {came}: expected an id, a whole number from 0 to {count - 1}")


def _written(node: MatrixExpr, otherwise: str) -> str:
    """The name of a node, or other words where it has none."""
    return str(node.name) if isinstance(node, MatrixSymbol) else otherwise
