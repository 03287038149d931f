"""The view of a derivation in which mistakes look for their places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sympy import Expr, Integer, MatAdd, MatMul, MatrixExpr, MatrixSymbol, Transpose

from symattn.base.remembered import cached_property, reached
from symattn.base.shapes import Axis
from symattn.claims.mistakes.building import Path, factors, matrices, matrix_size, places
from symattn.operations import OneHot, Softmax
from symattn.operations.masks import Mask
from symattn.operations.terms import size_symbol
from symattn.read.plan import Plan, Step, names_in
from symattn.read.quantities import Quantity


@dataclass(frozen=True)
class Subject:
    """The steps and quantities of a derivation, in which a mistake can be made.

    Names are replaced by their formulas, and steps whose size is a letter are ignored.
    """

    plan: Plan
    quantities: Mapping[str, Quantity] = field(default_factory=dict)

    @cached_property
    def steps(self) -> tuple[tuple[Step, MatrixExpr], ...]:
        """The steps that have numbers, each with its formula."""
        return tuple(
            (step, step.formula)
            for step in self.plan.steps
            if step.formula is not None
            and not (step.general and any(not n.is_Integer for _, node in places(step.formula) for n in node.shape))
        )

    @cached_property
    def places(self) -> tuple[tuple[Step, MatrixExpr, Path, MatrixExpr], ...]:
        """Every place of every step: the step, its formula, the path and the node at its end."""
        return tuple((step, formula, *place) for step, formula in self.steps for place in places(formula))

    @cached_property
    def transposed(self) -> frozenset[MatrixExpr]:
        """Everything of which a transpose is taken, by its formula."""
        return frozenset(self.meaning(node.arg) for *_, node in self.places if isinstance(node, Transpose))

    def is_along_columns(self, node: MatrixExpr) -> bool:
        """Return whether an operation on rows stands for one on columns, as Softmax(Sᵀ)ᵀ does; or whether a mask is
        turned round, so that what it hides from rows it hides from columns."""
        if self.meaning(node) not in self.transposed:
            return False
        return isinstance(node, Mask) or isinstance(self.meaning(node.args[0]), Transpose)

    @cached_property
    def gradients(self) -> frozenset[str]:
        """The names of gradients: ``dX``, and ``dX_Q`` for the part that comes through Q, with the shape of X."""
        return frozenset(step.name for step in self.plan.steps if self._is_gradient(step))

    def _is_gradient(self, step: Step) -> bool:
        if not step.name.startswith("d"):
            return False
        parts = step.name[1:].split("_")
        owners = ("_".join(parts[:count]) for count in range(len(parts), 0, -1))
        known = next((self.plan.by_name[name] for name in owners if name in self.plan.by_name), None)
        if known is None:  # a given gradient, of something that has no step
            return step.is_given and step.name[1:2].isupper()
        return known.shape.sizes == step.shape.sizes

    @cached_property
    def backward(self) -> frozenset[str]:
        """The steps of a backward pass: gradients by their names, and products with the transpose of a matrix that have
        the form of a product's gradient."""
        found = set(self.gradients)
        products: list[tuple[MatrixExpr, MatrixExpr]] = []
        for step, formula in self.steps:
            pairs = [pair for _, node in places(formula) if len(pair := matrices(node)) == 2]
            if any(_is_passed_back(pair, products) for pair in pairs):
                found.add(step.name)
            products.extend((left, right) for left, right in pairs)
        return frozenset(found)

    def comes_from_gradients(self, node: MatrixExpr) -> bool:
        """Return whether a formula contains a gradient, or depends on one."""
        names = [name for name in names_in(node) if name in self.plan.by_name]
        return not self.gradients.isdisjoint(self.plan.behind(names))

    @cached_property
    def softened(self) -> tuple[MatrixExpr, ...]:
        """Every formula that enters a softmax, through sums and names."""
        start = [self.meaning(node.argument) for _, _, _, node in self.places if isinstance(node, Softmax)]
        return tuple(reached(start, lambda node: map(self.meaning, node.args) if isinstance(node, MatAdd) else ()))

    @cached_property
    def sizes(self) -> Mapping[Expr, Expr]:
        """The numeric sizes, by their symbols."""
        return {size_symbol(name): Integer(n) for name, n in self.plan.sizes.items() if isinstance(n, int)}

    def scalar(self, number: Expr) -> Expr:
        """Return a scalar with the sizes substituted, evaluated."""
        return number.xreplace(self.sizes).doit()

    def meaning(self, node: MatrixExpr) -> MatrixExpr:
        """Return the formula that a name stands for, as far as there are formulas; anything else is itself."""
        while isinstance(node, MatrixSymbol):
            step = self.plan.by_name.get(node.name)
            if step is None or step.formula is None:
                return node
            node = step.formula
        return node

    def is_given(self, node: MatrixExpr) -> bool:
        """Return whether a formula is the name of a given."""
        return isinstance(self.meaning(node), MatrixSymbol)

    def chain(self, node: MatrixExpr) -> tuple[MatrixExpr, ...]:
        """Return the matrix factors of a product, with names of products replaced at their first occurrence."""
        found: list[MatrixExpr] = []
        waiting, seen = [node], set[MatrixExpr]()
        while waiting:
            meaning = self.meaning(each := waiting.pop())
            if isinstance(meaning, MatMul) and each not in seen:
                seen.add(each)
                waiting.extend(reversed(factors(meaning)[1]))
            else:
                found.append(each)
        return tuple(found)

    def rests_on(self, node: MatrixExpr, name: str) -> bool:
        """Return whether a formula depends on a name."""
        return name in reached(
            names_in(node), lambda used: self.plan.by_name[used].uses if used in self.plan.by_name else ()
        )

    def uses(self, name: str) -> int:
        """Return the number of steps that use a name."""
        return sum(name in step.uses for step in self.plan.steps)

    def axes(self, node: MatrixExpr) -> tuple[Axis, Axis]:
        """Return the row and column axes of a formula, named if the formula is a name itself."""
        if isinstance(node, MatrixSymbol) and node.name in self.plan.by_name:
            shape = self.plan[node.name].shape
            return shape.rows, shape.columns
        rows, columns = matrix_size(node)
        return Axis(rows), Axis(columns)

    def length(self, axis: Axis) -> Expr:
        """Return the length of an axis as it appears in a formula: its letter if it has one."""
        if axis.name and self.plan.sizes.get(axis.name) == axis.size:
            return size_symbol(axis.name)
        return Integer(axis.size)


def _is_passed_back(pair: tuple[MatrixExpr, ...], products: list[tuple[MatrixExpr, MatrixExpr]]) -> bool:
    """Return whether a product is Xᵀ G or G Wᵀ, with G in the shape of an earlier product X W."""
    first, last = pair
    for left, right in products:
        shape = (left.shape[0], right.shape[1])
        if isinstance(first, Transpose) and first.arg == left and last.shape == shape:
            return True
        if isinstance(last, Transpose) and last.arg == right and first.shape == shape and not isinstance(left, OneHot):
            return True
    return False
