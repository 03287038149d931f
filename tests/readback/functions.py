"""What the functions of a formula make of matrices, worked out by their equations with mpmath.

What a call on the page does not say (the ε of a norm, what a mask adds) comes from the nodes of the formula; where two
nodes of one formula differ in it, nothing can be said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from mpmath import mp, mpf
from sympy import Basic, Expr, Identity, MatrixSymbol, OneMatrix, Transpose, ZeroMatrix, preorder_traversal

from symattn import operations as ops
from symattn.compute.values.applied import given_to
from symattn.operations.entry import value_of as value_of
from symattn.operations.equations.run import run
from symattn.operations.masks import Mask
from symattn.operations.node import operation_of, parameters_of, record_of
from tests.readback.balls import Ball, Table, largest, smallest, total
from tests.readback.evaluate import NUMBERS, Builtin, Scope, Unknown, Value, compare
from tests.readback.evaluate import as_table as table

Row = tuple[Ball, ...]
Numbers = Callable[[Expr], Expr]
ONE, ZERO = Ball(mpf(1)), Ball(mpf(0))


@cache
def exact(number: Expr) -> Ball:
    """A number of a formula."""
    return Ball(mpf(number.evalf(60)) if not number.is_infinite else -mp.inf)


def functions_of(formulas: Iterable[Basic | None], number: Numbers) -> dict[str, Builtin]:
    """The functions that may stand in formulas and the lines about them; ``number`` puts in sizes."""
    inside = [node for formula in formulas if formula is not None for node in preorder_traversal(formula)]
    inside += [other for node in inside for other in _on_the_way(node)]
    by_word: dict[str, list[Basic]] = {}
    masks: dict[str, list[Basic]] = {}
    found: dict[str, Builtin] = {}
    for node in dict.fromkeys(inside):
        if _name(node) in _PUT_BACK:
            # What puts a part back into its place is written with columns and rows of an identity matrix.
            sizes = {int(number(arg)) for p, arg in parameters_of(node) if p.kind == "size"}
            found |= dict(_known(*_constant(Identity(size), [size, size])) for size in sizes)
        elif isinstance(node, Identity | OneMatrix | ZeroMatrix):
            found |= [_known(*_constant(node, [int(number(size)) for size in node.shape]))]
        elif isinstance(node, ops.ArgMax):
            found["argmin"] = lambda _, given: Table.of(
                [place_of_largest(tuple(-x for x in row))] for row in table(given[0]).rows
            )
            found["argmax"] = lambda _, given: Table.of([place_of_largest(row)] for row in table(given[0]).rows)
        elif isinstance(node, ops.TopK):
            found[f"top_{int(number(node.args[1]))}"] = _top(int(number(node.args[1])))
        elif isinstance(node, ops.Distance):
            found["distance"] = _by_equations([node], number, said=False)
        elif isinstance(node, Mask):
            masks.setdefault(node.called, []).append(node)
        elif (record := record_of(node)) is not None and record.name in LINES:
            found |= _of_line(node, number)
        elif isinstance(node, ops.Angle):
            found["arccos"] = lambda _, given: table(given[0]).each(lambda x: NUMBERS["arccos"]([x]))
            by_word.setdefault("cos", []).append(ops.Cosine(*node.args))
        elif operation_of(node) is not None and not isinstance(node, Transpose):
            by_word.setdefault(_word(node, number), []).append(node)
    found |= {word: _by_equations(nodes, number, said=False) for word, nodes in masks.items()}
    return {**found, **{word: _by_equations(nodes, number) for word, nodes in by_word.items()}}


_PUT_BACK = ("row_vjp_X", "rows_vjp_X", "entry_vjp_X", "head_vjp_X", "entry_grad_X")


def _name(node: Basic) -> str:
    record = record_of(node) if operation_of(node) is not None else None
    return "" if record is None else record.name


def _known(word: str, constant: Table) -> tuple[str, Builtin]:
    return word, lambda *_: constant


def _on_the_way(node: Basic) -> tuple[Basic, ...]:
    """What lines speak of where an angle is worked out, though no formula does."""
    if not isinstance(node, ops.Angle | ops.Cosine):
        return ()
    left, right = node.left, node.right
    return ops.Cosine(left, right), ops.Dot(left, right), ops.RowNorm(left), ops.RowNorm(right)


LINES: Mapping[str, str] = {
    **{"row_max": "max", "row_min": "min", "maximum": "max", "minimum": "min"},
    **{"row_sum": "", "row_mean": "mean", "row_var": "Var"},
}
"""What is made of one row or column, and of entries that stand in one place, by what it is called on the page."""


def _of_line(node: Basic, number: Numbers) -> dict[str, Builtin]:
    """What is said of a line in mathematics: one number made of all that is given, or one of each place."""
    word = LINES[record_of(node).name]  # type: ignore[union-attr]
    if word in ("max", "min"):
        chosen = largest if word == "max" else smallest
        return {word: lambda _, given: _extreme(chosen, given)}
    if word != "Var":
        return {word: lambda _, given: Table(((_mean(_all(given), 0),),))} if word else {}
    less = int(number(node.args[2]))
    width = int(number(node.args[1].shape[1]))

    def variance(_: Scope, given: tuple[Value, ...]) -> Table:
        found = _all(given)
        if less and len(found) != width:
            raise Unknown(f"a variance of {len(found)} numbers")
        middle = _mean(found, 0)
        return Table(((_mean([(x - middle) * (x - middle) for x in found], less),),))

    return {f"Var_{width}-{less}" if less else "Var": variance}


def _all(given: Sequence[Value]) -> list[Ball]:
    return [x for row in table(given[0]).rows for x in row]


def _mean(found: Sequence[Ball], less: int) -> Ball:
    return total(found) / Ball(mpf(len(found) - less))


def _extreme(chosen: Callable[[Iterable[Ball]], Ball], given: Sequence[Value]) -> Table:
    if len(given) == 1:
        return Table(((chosen(_all(given)),),))
    first, *others = map(table, given)
    for other in others:
        first = first.with_(other, lambda x, y: chosen((x, y)))
    return first


# -- by equations -------------------------------------------------------------------------------------------------


class Balls:
    """Arithmetic of numbers with a bound."""

    functions: Mapping[str, Callable[..., Ball]] = {
        **{name: lambda x, rule=rule: rule([x]) for name, rule in NUMBERS.items()},
        "log": Ball.logarithm,
        "acos": lambda x: NUMBERS["arccos"]([x]),
        "max": lambda *given: largest(given),
        "min": lambda *given: smallest(given),
        "add": Ball.__add__,
        "sub": Ball.__sub__,
        "mul": Ball.__mul__,
        "div": Ball.__truediv__,
        "neg": Ball.__neg__,
        "pow": lambda x, n: x.power(n if isinstance(n, Ball) else Ball(mpf(n.numerator) / n.denominator)),
        "sqrt": Ball.root,
        "abs": Ball.magnitude,
        "floor": lambda x: x.through(mp.floor),
        "mod": lambda x, y: Ball(x.middle % y.middle),
        "xlogx": lambda x: x * x.logarithm() if x.middle else ZERO,
        "pi": lambda: Ball(+mp.pi),
        "oo": lambda: Ball(mp.inf),
    }

    def number(self, value: Fraction | int) -> Ball:
        return Ball(mpf(value.numerator) / value.denominator)

    def sum(self, values: list[Ball]) -> Ball:
        return total(values)

    def max(self, values: list[Ball]) -> Ball:
        return largest(values)

    def compare(self, sign: str, left: Ball, right: Ball) -> bool:
        return compare(left, {"==": "=", "!=": "≠", "<=": "≤", ">=": "≥"}.get(sign, sign), right)

    def either(self, then: Ball, otherwise: Ball, condition: object) -> Ball:
        raise Unknown(f"a case is open: {condition}")


def _word(node: Basic, number: Numbers) -> str:
    """What a node is called on the page, with what stands under its name."""
    record = record_of(node)
    assert record is not None
    if isinstance(node, ops.Sinusoidal | ops.Rotary) and number(node.base) != 10_000:
        return f"{record.called}_{number(node.base)}"
    if isinstance(node, ops.GELUTanh):
        return r"GELU_\mathrm{tanh}"
    return record.called


def _by_equations(nodes: Sequence[Basic], number: Numbers, said: bool = True) -> Builtin:
    """``said`` tells whether the numbers that are not usual stand in the call."""

    def of(_: Scope, given: tuple[Value, ...]) -> Table:
        found = {made[0]: made[1] for node in nodes if (made := _with_given(node, given, number, said)) is not None}
        if len(found) != 1:
            raise Unknown("a call that does not say enough, or two of one name that differ in what it does not say")
        ((node, rows),) = found.items()
        return Table.of(run(given_to(node, rows, exact), Balls()))

    return of


def _with_given(
    node: Basic, given: tuple[Value, ...], number: Numbers, in_call: bool = True
) -> tuple[Any, list[list[list[Ball]]]] | None:
    """A node of matrices of these shapes, with its numbers, and their rows; nothing where a call gives it others."""
    said, args, matrices = list(given), [], []
    for parameter, arg in parameters_of(node):
        value = None if parameter.is_matrix else number(arg)
        usual = parameter.default is not None and value_of(parameter.default, {}) == value
        if value is None or (in_call and not (usual or parameter.name in node.unsaid)):
            if not said:
                return None
            rows = [list(row) for row in table(said.pop(0)).rows]
            if value is not None and not compare(rows[0][0], "=", exact(value)):
                return None
            if value is None:
                # A row of the same number everywhere is written as that number.
                rows = (
                    [rows[0] * len(matrices[0][0])]
                    if len(matrices) and parameter.kind == "row" and len(rows[0]) == 1
                    else rows
                )
                matrices.append(rows)
                value = MatrixSymbol(f"M{len(matrices)}", len(rows), len(rows[0]))
        args.append(value)
    definition = node.args[: len(node.args) - len(args)]
    return None if said else (node.func(*definition, *args), matrices)


# -- what has no equations -----------------------------------------------------------------------------------------


def place_of_largest(row: Row) -> Ball:
    middles = [ball.middle for ball in row]
    return Ball(mpf(middles.index(max(middles))))


def ranks(row: Row) -> Row:
    """The place of each entry in its row, the largest first; of equal ones the first is first."""
    order = sorted(range(len(row)), key=lambda place: (-mp.nint(row[place].middle * mpf(10) ** 30), place))
    return tuple(Ball(mpf(order.index(place) + 1)) for place in range(len(row)))


def _top(count: int) -> Builtin:
    def of(_: Scope, given: tuple[Value, ...]) -> Table:
        return Table.of(map(ranks, table(given[0]).rows)).each(lambda rank: ONE if rank.middle <= count else ZERO)

    return of


def _constant(node: Basic, sizes: list[int]) -> tuple[str, Table]:
    """I_n, the matrix of ones with its sizes below it, and that of zeros."""
    rows, columns = sizes
    if isinstance(node, Identity):
        return f"I_{rows}", Table.of([ONE if i == j else ZERO for j in range(rows)] for i in range(rows))
    if isinstance(node, OneMatrix):
        return rf"\mathbf{{1}}_{rows}\times{columns}", Table(((ONE,) * columns,) * rows)
    return "0", Table(((ZERO,) * columns,) * rows)
