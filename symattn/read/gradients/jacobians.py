"""Jacobians of small matrices: ∂y/∂x as a product of the Jacobians of the steps between, the last step first.

A Jacobian has a row for every entry of y and a column for every entry of x, both numbered row by row:
∂y/∂x = Σ_u (∂y/∂u)(∂u/∂x), over all u that use x directly. Compact forms are preferred: Wᵀ for y = xW, diag(p) − pᵀp
for a row p of softmax, diag(f′(x)) for entrywise functions, W ⊗ … for products of matrices; the others come from the
equations (:mod:`symattn.operations.equations.jacobian`).

>>> from symattn.base.shapes import shape
>>> plan = Plan().given("x", shape(1, 3)).given("W", shape(3, 2)).step("s", "x @ W").step("p", "softmax(s)")
>>> for line in jacobian_lines(plan, "p", "x", "J").lines:
...     print(line.step)
J_p_s = diag(p) - p.T @ p
J_s_x = W.T
J = J_p_s @ J_s_x

Source: Magnus and Neudecker 2019, *Matrix Differential Calculus*, sections 5.12 and 9.13.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from types import MappingProxyType
from typing import Any, Literal

from sympy import (
    Identity,
    Integer,
    MatAdd,
    MatMul,
    MatPow,
    MatrixExpr,
    MatrixSymbol,
    OneMatrix,
    Transpose,
    ZeroMatrix,
)

from symattn.base import limits
from symattn.base.errors import FormulaError, UnknownNameError, unknown
from symattn.operations import (
    Concat,
    EntryQuotient,
    Everywhere,
    Hadamard,
    InEveryColumn,
    Quotient,
    Repeated,
    Row,
    RowNorm,
    Rows,
    Softmax,
    Stack,
    UnitRows,
)
from symattn.operations.equations.tree import Operation
from symattn.operations.node import parameters_of, record_of, sizes_of
from symattn.operations.terms import single, symbol
from symattn.read.formula.calling import works_entry_by_entry
from symattn.read.formula.functions import jacobian_of
from symattn.read.gradients.local import apply_operation, of_ours, passed_on
from symattn.read.gradients.moving import moved, must_not_choose, names_moving
from symattn.read.gradients.nodes import (
    matrices_in,
    matrix_product,
    matrix_sum,
    numbers_in,
    replaced,
    scaled,
    transpose_of,
)
from symattn.read.plan import BuiltLine, Derivative, Plan

JacobianRole = Literal["local", "product", "apart"]
"""The role of a line: the Jacobian of one step, a product along the paths, or 0 if there is no path."""


@dataclass(frozen=True)
class JacobianLine(BuiltLine):
    """A step ``name = formula``: the Jacobian of one name by another."""

    role: JacobianRole
    of: str
    by: str
    is_whole: bool = True
    """Whether it is all of ∂y/∂x: not if x also acts on y through an operand that is held constant."""

    @property
    def derivative(self) -> Derivative:
        return Derivative(self.of, self.by, through="" if self.is_whole else self.of, is_jacobian=True)


@dataclass(frozen=True)
class JacobianPass:
    """The lines of a Jacobian, the last of which is the requested one, and the plan with them."""

    lines: tuple[JacobianLine, ...]
    plan: Plan


def jacobian_lines(
    plan: Plan, of: str, wrt: str, called: str, known: Mapping[tuple[str, str], str] = MappingProxyType({})
) -> JacobianPass:
    """Return ∂y/∂x under the name ``called``, with its factors; ``known`` holds those that are already steps.

    Raises :class:`~symattn.base.errors.UnknownNameError` for an unknown name, and
    :class:`~symattn.base.errors.FormulaError` for a Jacobian that is too large, in letters, or of a choice.
    """
    return _Jacobians(plan, of, wrt, called, known).made()


@dataclass
class _Jacobians:
    plan: Plan
    of: str
    wrt: str
    called: str
    known: Mapping[tuple[str, str], str]
    lines: list[JacobianLine] = field(default_factory=list)

    def made(self) -> JacobianPass:
        self._check()
        active = self._active()
        if self.of == self.wrt:
            self._add(self.called, Identity(self._entries(self.of)), "local", self.wrt)
        elif (self.of, self.wrt) in self.known:
            self._add(self.called, self._there(self.of, self.wrt), "local", self.wrt)
        elif self.of not in active:
            self._apart()
        else:
            self._go_back(active)
        return JacobianPass(tuple(self.lines), self.plan)

    def _check(self) -> None:
        for name in (self.of, self.wrt):
            if name in self.plan.batches:
                first = self.plan.batches[name].names[0]
                raise FormulaError(f"{name} is several matrices: expected one of them, such as {first}")
            if name not in self.plan.by_name:
                raise UnknownNameError(unknown("name", name, self.plan.by_name))
            if self.plan[name].shape.is_general:
                raise FormulaError(
                    f"{name} is {self.plan[name].shape}: a Jacobian counts its entries: expected numbers for sizes"
                )
        self._must_be_small(self.of, self.wrt)

    def _must_be_small(self, of: str, by: str) -> None:
        rows, columns = self._entries(of), self._entries(by)
        if rows * columns > limits.JACOBIAN_ENTRIES:
            raise FormulaError(
                f"the Jacobian of {of} {self.plan[of].shape} by {by} {self.plan[by].shape} is ({rows}, {columns}): "
                f"more than JACOBIAN_ENTRIES = {limits.JACOBIAN_ENTRIES} derivatives; vjp({of}, G, {by}) needs none"
            )

    def _entries(self, name: str) -> int:
        rows, columns = self.plan[name].shape.sizes
        return int(rows) * int(columns)

    def _active(self) -> frozenset[str]:
        """Return x and the matrices that x acts on."""
        return self._acted_on(self.wrt)

    def _acted_on(self, name: str) -> frozenset[str]:
        found = {name}
        for step in self.plan.steps:
            if step.formula is not None and found & names_moving(step.formula):
                found.add(step.name)
        return frozenset(found)

    def _apart(self) -> None:
        must_not_choose(self.plan, self.of, self.wrt)
        zero = MatMul(Integer(0), OneMatrix(self._entries(self.of), self._entries(self.wrt)), evaluate=False)
        self._add(self.called, zero, "apart", self.wrt)

    def _go_back(self, active: frozenset[str]) -> None:
        ways: dict[str, list[MatrixExpr]] = {}
        behind = set(self.plan.behind([self.of])) & active
        whole: dict[str, MatrixExpr] = {}
        for step in reversed(self.plan.steps):
            if step.name not in behind:
                continue
            if step.name != self.of:
                if step.name not in ways:
                    continue
                whole[step.name] = self._through(step.name, ways[step.name])
            if step.name == self.wrt:
                return
            assert step.formula is not None
            for name in (each.name for each in self.plan.steps if each.name in behind & names_moving(step.formula)):
                self._must_be_small(step.name, name)
                self._must_be_small(self.of, name)
                here = self._step(step.name, step.formula, name)
                before = whole.get(step.name)
                ways.setdefault(name, []).append(here if before is None else matrix_product(before, here))

    def _step(self, name: str, formula: MatrixExpr, by: str) -> MatrixExpr:
        """Return the Jacobian of one step, which gets a name of its own unless it is the requested one."""
        whole = not (names_moving(formula) - {by}) & self._acted_on(by)
        if whole and (name, by) in self.known:
            return self._there(name, by)
        found = replaced(matrix_sum(list(_jacobian(formula, by))), {formula: symbol(name, self.plan[name].shape).expr})
        alone = whole and (name, by) == (self.of, self.wrt)
        return self._add(self.called if alone else self._new(f"J_{name}_{by}"), found, "local", by, name, whole)

    def _there(self, of: str, by: str) -> MatrixExpr:
        called = self.known[of, by]
        return symbol(called, self.plan[called].shape).expr

    def _through(self, name: str, ways: Sequence[MatrixExpr]) -> MatrixExpr:
        """Return ∂y/∂(a name): the sum over the paths to it."""
        if len(ways) == 1 and isinstance(ways[0], MatrixSymbol):
            return ways[0]
        if (self.of, name) in self.known:
            return self._there(self.of, name)
        called = self.called if name == self.wrt else self._new(f"J_{self.of}_{name}")
        return self._add(called, matrix_sum(list(ways)), "product", name)

    def _add(
        self, called: str, node: MatrixExpr, role: JacobianRole, by: str, of: str = "", whole: bool = True
    ) -> MatrixExpr:
        line = JacobianLine(called, self.plan.term(node), role, of or self.of, by, whole)
        self.plan = self.plan.built(line)
        self.lines.append(line)
        return symbol(called, self.plan[called].shape).expr

    def _new(self, name: str) -> str:
        taken = {*self.plan.by_name, *self.plan.sizes, *self.plan.symbols, *self.plan.operations, *self.plan.batches}
        taken.add(self.called)
        return next(each for each in chain([name], (f"{name}_{k}" for k in count(2))) if each not in taken)


# -- of a formula ------------------------------------------------------------------------------------------------------


def _jacobian(node: Any, by: str) -> Iterator[MatrixExpr]:
    """Yield the terms of ∂(a formula)/∂(a name), both numbered row by row."""
    if isinstance(node, MatrixSymbol):
        if node.name == by:
            yield Identity(node.shape[0] * node.shape[1])
        return
    if by not in names_moving(node):
        return
    match node:
        case MatAdd():
            for term in node.args:
                yield from _jacobian(term, by)
        case Transpose():
            for inside in _jacobian(node.arg, by):
                yield matrix_product(_turned(*node.shape), inside) if 1 not in node.shape else inside
        case Quotient():
            for inside in _jacobian(node.args[0], by):
                yield Quotient(inside, node.args[1])
        case MatPow():
            yield from _of_product(MatMul(*[node.base] * int(node.exp), evaluate=False), by)
        case MatMul():
            yield from _of_product(node, by)
        case EntryQuotient() if node.args[1] == _repeated_length(node.args[0]):
            for inside in _jacobian(node.args[0], by):
                yield matrix_product(_of_unit(node, node.args[0]), inside)
        case _:
            for place, arg in moved(node):
                for inside in _jacobian(arg, by):
                    yield matrix_product(_local(node, place), inside)


def _repeated_length(node: MatrixExpr) -> MatrixExpr:
    """Return the length of each row, repeated for each of its entries: the divisor that makes it a unit vector."""
    rows, columns = node.shape
    return Everywhere(RowNorm(node), rows, columns) if rows == 1 else InEveryColumn(RowNorm(node), columns)


def _of_unit(out: MatrixExpr, of: MatrixExpr) -> MatrixExpr:
    """Return (I − uᵀu)/‖x‖ for a row u = x/‖x‖; for several rows, the Jacobian that the equations give."""
    if out.shape[0] != 1:
        return _local(UnitRows(of), 0)
    entries = out.shape[1]
    part = MatAdd(Identity(entries), MatMul(Integer(-1), Transpose(out), out), evaluate=False)
    return EntryQuotient(part, Everywhere(RowNorm(of), entries, entries))


def _of_product(node: MatMul, by: str) -> Iterator[MatrixExpr]:
    """Yield the terms for a product: d(A X B) is (A ⊗ Bᵀ) dX, row by row."""
    numbers, factors = numbers_in(node), matrices_in(node)
    for k, factor in enumerate(factors):
        for inside in _jacobian(factor, by):
            before = matrix_product(*factors[:k]) if k else Identity(factor.shape[0])
            after = transpose_of(matrix_product(*factors[k + 1 :])) if factors[k + 1 :] else Identity(factor.shape[1])
            yield scaled(numbers, matrix_product(_kronecker(before, after), inside))


def _kronecker(one: MatrixExpr, other: MatrixExpr) -> MatrixExpr:
    if one == Identity(1):
        return other
    if other == Identity(1):
        return one
    if isinstance(one, Identity) and isinstance(other, Identity):
        return Identity(one.shape[0] * other.shape[0])
    return of_ours("kron", X=one, Y=other)


def _local(node: Any, place: int) -> MatrixExpr:
    """Return the Jacobian of an operation by the matrix at one place among its arguments."""
    parameter, arg = parameters_of(node)[place]
    record = record_of(node)
    entries = node.shape[0] * node.shape[1]
    if isinstance(node, Softmax) and node.shape[0] == 1:
        out = node
        return MatAdd(of_ours("diag", x=out), MatMul(Integer(-1), Transpose(out), out), evaluate=False)
    if isinstance(node, UnitRows) and node.shape[0] == 1:
        return _of_unit(node, arg)
    if isinstance(node, Concat | Stack):
        return _of_parts(node, place)
    if isinstance(node, Repeated):
        below, beside = node.shape[0] // arg.shape[0], node.shape[1] // arg.shape[1]
        return _kronecker(
            OneMatrix(below, 1) if below > 1 else Identity(arg.shape[0]),
            OneMatrix(beside, 1) if beside > 1 else Identity(arg.shape[1]),
        )
    if isinstance(node, Row | Rows):
        first, last = (int(each) for each in (*node.args[1:], node.args[1])[:2])
        columns = arg.shape[1]
        return Rows(Identity(arg.shape[0] * columns), (first - 1) * columns + 1, last * columns)
    if record is None:
        raise FormulaError(f"{type(node).__name__}: there is no Jacobian of it here: vjp needs none")
    alone = isinstance(node, Hadamard) or works_entry_by_entry(record)
    if alone and arg.shape == node.shape:
        slope = passed_on(node, place, OneMatrix(*node.shape) if isinstance(node, Hadamard) else None)
        return Identity(entries) if slope == OneMatrix(*node.shape) else of_ours("diag", x=_in_one_row(slope))
    return _derived(node, record, parameter.name, by_row=node.shape[0] == 1 == arg.shape[0] and _has_rows(node, place))


def _has_rows(node: Any, place: int) -> bool:
    parameter, _ = parameters_of(node)[place]
    record = record_of(node)
    return record is not None and len(parameter.axes) == 2 and parameter.axes[0] == record.shape[0]


def _derived(node: Any, record: Operation, parameter: str, by_row: bool) -> MatrixExpr:
    """Return the Jacobian that the equations give, applied to the node's operands."""
    found = jacobian_of(record, parameter, by_row)
    if found is None:
        raise FormulaError(f"{record.name}: there is no Jacobian by {parameter}")
    return apply_operation(found, {**sizes_of(node), **{each.name: arg for each, arg in parameters_of(node)}}, record)


def _in_one_row(node: MatrixExpr) -> MatrixExpr:
    """Return all entries in one row, row by row."""
    rows, columns = node.shape
    if rows == 1:
        return node
    return transpose_of(node) if columns == 1 else Concat(*(Row(node, k) for k in range(1, int(rows) + 1)))


def _turned(rows: Any, columns: Any) -> MatrixExpr:
    """Return the matrix that moves the entries of a matrix to their places in its (rows, columns) transpose."""
    return _picked([j * int(rows) + i for i in range(int(rows)) for j in range(int(columns))])


def _picked(ids: Sequence[int]) -> MatrixExpr:
    """Return one row for each place, counted from 0: zeros, and a one at that place."""
    counted = [single(Integer(each)).expr for each in ids]
    return of_ours("one_hot", ids=counted[0] if len(counted) == 1 else Concat(*counted), v=len(counted))


def _of_parts(node: Any, place: int) -> MatrixExpr:
    """Return the Jacobian of a concatenation by one part: the identity in the place of that part."""
    sizes = [int(part.shape[0] * part.shape[1]) for part in node.args]
    own = Identity(sizes[place])
    above, below = sum(sizes[:place]), sum(sizes[place + 1 :])
    parts = [ZeroMatrix(above, sizes[place]), own, ZeroMatrix(below, sizes[place])]
    found = Stack(*(part for part in parts if part.shape[0])) if above or below else own
    if isinstance(node, Stack) or node.shape[0] == 1:
        return found
    order, start = {}, 0
    left = 0
    for part in node.args:
        rows, columns = map(int, part.shape)
        for i in range(rows):
            for j in range(columns):
                order[i, left + j] = start + i * columns + j
        start += rows * columns
        left += columns
    return matrix_product(
        _picked([order[i, j] for i in range(int(node.shape[0])) for j in range(int(node.shape[1]))]), found
    )
