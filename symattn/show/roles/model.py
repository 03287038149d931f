"""Roles, and the questions about formulas that all rules ask."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sympy import Identity, MatAdd, MatMul, MatrixSymbol, OneMatrix, Pow, S, Transpose

from symattn import operations as ops
from symattn.base.remembered import cached_property
from symattn.operations.stages import as_ours
from symattn.operations.stored import as_number
from symattn.operations.terms import size_symbol, symbol
from symattn.read.plan import Plan

FormulaPart = Any
"""A formula or a part of one."""


@dataclass(frozen=True)
class Purpose:
    """The purpose of a matrix: its kind in the words, and the key and the formulas of its reason."""

    kind: str
    why: str = ""
    about: tuple[tuple[str, FormulaPart], ...] = ()


@dataclass(frozen=True)
class Projection:
    """X W, or X W with the same row of biases added to each of its rows."""

    of: FormulaPart
    weights: FormulaPart
    bias: FormulaPart = None


class Finder:
    """The roles found so far. The first rule that marks a name decides its role."""

    def __init__(
        self, plan: Plan, gradients: frozenset[str] = frozenset(), labelled: frozenset[str] = frozenset()
    ) -> None:
        self.plan = plan
        self.gradients = gradients
        self.labelled = labelled
        self.formulas = {step.name: None if step.formula is None else as_ours(step.formula) for step in plan.steps}
        self.found: dict[str, Purpose] = {}

    def mark(self, node: FormulaPart, kind: str, why: str = "", **about: FormulaPart) -> None:
        """Mark the purpose of a name, unless it is known; a formula without a name is ignored."""
        if isinstance(node, MatrixSymbol):
            self.found.setdefault(str(node.name), Purpose(kind, why, tuple(about.items())))

    def kind(self, node: FormulaPart) -> str:
        """Return the kind of a name, if known; otherwise an empty string."""
        role = self.found.get(str(node.name)) if isinstance(node, MatrixSymbol) else None
        return "" if role is None else role.kind

    def formula(self, node: FormulaPart) -> FormulaPart:
        """Return the formula of a name, ``None`` for a given; any other formula is returned as it is."""
        return self.formulas[str(node.name)] if isinstance(node, MatrixSymbol) else node

    def has_candidates(self, node: FormulaPart) -> bool:
        """Return whether the columns of a name have labels that its rows do not have."""
        shape = self.plan[str(node.name)].shape
        return shape.columns.name in self.labelled and shape.columns.name != shape.rows.name

    def has_rows(self, node: FormulaPart) -> bool:
        """Return whether the rows of a name have labels, as those of words have, and not as the features of words."""
        return self.plan[str(node.name)].shape.rows.name in self.labelled - self._features

    @cached_property
    def _features(self) -> frozenset[str]:
        """The axes that name the features of given words: columns beside other labelled rows."""
        shapes = [step.shape for step in self.plan.steps if step.formula is None]
        apart = (shape for shape in shapes if shape.ndim == 2 and shape.rows.name != shape.columns.name)
        return frozenset(shape.columns.name for shape in apart if shape.rows.name in self.labelled)

    def may_ask(self, node: FormulaPart) -> bool:
        """Return whether the rows of a factor may be queries: not those of a square matrix by itself, as an inverse."""
        if node.shape[0] != node.shape[1] or self.projection(node) is not None:
            return True
        return isinstance(self.formula(node), MatAdd) or (isinstance(node, MatrixSymbol) and self.has_rows(node))

    def attends_to_itself(self, node: FormulaPart) -> bool:
        """Return whether the rows and columns of a name are the same tokens."""
        shape = self.plan[str(node.name)].shape
        return shape.rows == shape.columns and bool(shape.rows.name) and shape.rows.size != 1

    def is_given(self, node: FormulaPart) -> bool:
        return isinstance(node, MatrixSymbol) and self.formula(node) is None

    @cached_property
    def steps(self) -> tuple[tuple[MatrixSymbol, FormulaPart], ...]:
        """Every step as a name and its formula, except gradients."""
        made = ((step, self.formulas[step.name]) for step in self.plan.steps if step.name not in self.gradients)
        return tuple((symbol(step.name, step.shape).expr, formula) for step, formula in made if formula is not None)

    def parts(self, kind: Any) -> Iterator[tuple[MatrixSymbol, FormulaPart]]:
        """Yield every part of that kind in every formula, with its step."""
        for name, formula in self.steps:
            found = [formula]
            for node in found:
                found += [arg for arg in node.args if getattr(arg, "is_Matrix", False)]
            yield from ((name, node) for node in found if isinstance(node, kind))

    def turned(self, node: FormulaPart) -> FormulaPart:
        """Return K if a formula is Kᵀ or a name for it."""
        formula = self.formula(node)
        return formula.args[0] if isinstance(formula, Transpose) else None

    def is_compared_with_itself(self, node: FormulaPart) -> bool:
        """Return whether rows of a name are compared with every row of it, as in X Xᵀ."""
        products = (factors_of(product) for _, product in self.parts(MatMul))
        return any(part_of(left) == node == self.turned(right) for each in products for left, right in pairwise(each))

    def is_parameter(self, node: FormulaPart) -> bool:
        """Return whether a formula may be learned weights: a given, a multiple of one, a part of one, the identity."""
        if isinstance(node, Identity) or self.is_given(node):
            return True
        if not isinstance(node, MatrixSymbol):
            return part_of(node) is not node and self.is_given(part_of(node))
        return isinstance(inner := bare(self.formula(node)), Identity) or self.is_given(inner)

    def projection(self, node: FormulaPart) -> Projection | None:
        """Return a formula, or the formula of a name, as a projection, or ``None``."""
        formula = self.formula(node)
        if isinstance(formula, MatAdd) and len(formula.args) == 2:
            first, second = formula.args
            if isinstance(self.formula(first), MatAdd) or not isinstance(
                self.formula(second), ops.Broadcast | ops.InEveryRow
            ):
                return None
            found = self.projection(first)
            return Projection(found.of, found.weights, second) if found else None
        factors = factors_of(formula)
        if len(factors) < 2 or not self.is_parameter(factors[-1]) or is_ones(factors[0]) or factors[0] == factors[-1]:
            return None
        if self._has_labels(factors[-1]) or factors[-2] in self._mixing:
            return None
        left = factors[0] if len(factors) == 2 else MatMul(*factors[:-1], evaluate=False)
        return Projection(left, factors[-1])

    def _has_labels(self, node: FormulaPart) -> bool:
        """Return whether the rows of a name have labels, as those of words have: then it is no layer's weights."""
        return isinstance(node, MatrixSymbol) and self.has_rows(node)

    @cached_property
    def _mixing(self) -> frozenset[FormulaPart]:
        """The left factors of matrices with labelled rows: they mix rows, and so are not inputs of a projection."""
        products = (factors_of(node) for _, node in self.parts(MatMul))
        return frozenset(left for each in products for left, right in pairwise(each) if self._has_labels(right))

    def mark_projection(self, node: FormulaPart, found: Projection, kind: str, weights: str) -> None:
        """Mark a projection and its parts; with a bias that is added in a step of its own, also the unbiased product.

        If the weights of keys or values have another purpose too, the reason does not name them.
        """
        formula, about = self.formula(node), {"input": found.of, "weights": found.weights}
        is_shared = kind in ("keys", "values") and self.kind(part_of(found.weights)) not in ("", weights)
        why = f"{kind}_alike" if is_shared else kind
        if isinstance(formula, MatAdd) and isinstance(formula.args[0], MatrixSymbol):
            self.mark(formula.args[0], "unbiased", why, **about)
            self.mark(node, kind, "biased_rows", bias=found.bias)
        self.mark(node, kind, why, **about)
        self.mark(part_of(found.weights), weights)
        self.mark_input(found.of)
        self.mark_bias(found)

    def mark_bias(self, found: Projection) -> None:
        """Mark the bias of a projection."""
        if found.bias is not None:
            self.mark(found.bias, "bias_rows")
            self.mark(self.formula(found.bias).args[0], "bias")

    def by_root(self, node: FormulaPart) -> bool:
        """Return whether a formula is scaled by a root, as scores are."""
        return any(power.exp in (S.Half, -S.Half) for scale in self._scales(node) for power in scale.atoms(Pow))

    def by_width(self, node: FormulaPart, compared: FormulaPart) -> bool:
        """Return whether a formula is divided by the root of the width of the compared rows."""
        sizes = {size_symbol(name): size for name, size in self.plan.sizes.items() if isinstance(size, int)}
        width = compared.shape[1].subs(sizes)
        scales = list(self._scales(node))
        numbers = [scale for scale in scales if not getattr(scale, "is_Matrix", False)]
        roots = {*numbers, *(power for scale in scales for power in scale.atoms(Pow))}
        return any((root.subs(sizes) ** 2) in (width, 1 / width) for root in roots)

    def _scales(self, node: FormulaPart) -> Iterator[FormulaPart]:
        """Yield the numbers that multiply and divide a formula."""
        while (inner := within(node)) is not None:
            for part in node.args:
                if part is not inner:
                    yield self.formula(unrepeated(part)) or part
            node = inner

    def mark_input(self, node: FormulaPart) -> None:
        """Mark the input of a layer, if it is a given."""
        if self.is_given(node):
            self.mark(node, "input")


def factors_of(node: FormulaPart) -> tuple[FormulaPart, ...]:
    """Return the matrices of a product, nested ones included; any other formula is its only factor."""
    if not isinstance(node, MatMul):
        return () if node is None else (node,)
    return tuple(factor for arg in node.args if arg.is_Matrix for factor in factors_of(arg))


def bare(node: FormulaPart) -> FormulaPart:
    """Return a formula without the numbers that multiply and divide it."""
    while (inner := within(node)) is not None:
        node = inner
    return node


def within(node: FormulaPart) -> FormulaPart:
    """Return the formula that a number multiplies or divides, or ``None``."""
    match node:
        case ops.Quotient():
            return node.argument
        case MatMul() if as_number(node) is None:
            matrices = [arg for arg in node.args if arg.is_Matrix]
            return matrices[0] if len(matrices) == 1 else None
        case ops.Hadamard() | ops.EntryQuotient():
            first, second = node.args
            if isinstance(second, ops.Everywhere):
                return first
            return second if isinstance(first, ops.Everywhere) and isinstance(node, ops.Hadamard) else None
    return None


def part_of(node: FormulaPart) -> FormulaPart:
    """Return the matrix that rows or columns are taken of; any other matrix itself."""
    inner = node.args[0] if isinstance(node, Transpose) else node
    if not isinstance(inner, ops.Rows | ops.Row | ops.Head):
        return node
    taken = inner.args[0]
    return part_of(taken.args[0] if isinstance(taken, Transpose) else taken)


def unrepeated(node: FormulaPart) -> FormulaPart:
    """Return the operand that is repeated beside something larger; any other matrix itself."""
    if isinstance(node, MatMul) and len(node.args) == 2 and is_ones(node.args[1]) and node.args[1].shape[0] == 1:
        return node.args[0]
    return node.args[0] if isinstance(node, ops.Repeated) else node


def is_ones(node: FormulaPart) -> bool:
    """Return whether this is a matrix of ones; a single one is a number."""
    return isinstance(node, OneMatrix) and as_number(node) is None


def is_spread(node: FormulaPart) -> bool:
    """Return whether this is one number for every row, repeated in each column, or only ones."""
    if isinstance(bare(node), ops.InEveryColumn | ops.Everywhere):
        return True
    factors = factors_of(bare(node))
    return is_ones(factors[-1]) and (len(factors) == 1 or factors[-1].shape[0] == 1)
