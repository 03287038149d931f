"""The letters of one equation: those of the entries of matrices, and those free for indices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from sympy import Basic, MatrixExpr, exp, preorder_traversal

from symattn import operations as ops
from symattn.base.budget import spend
from symattn.base.shapes import Shape
from symattn.operations.node import Applied, Node, arguments_of, operation_of
from symattn.operations.stages import ours_of
from symattn.read.plan import Plan
from symattn.read.scenario.notation import Notation
from symattn.show.entries.naming import has_powers_of_e, is_called, is_function, on_the_page
from symattn.show.math import Fraction, Letter, Math, Number, Parens, Script, Seq, Sign, seq
from symattn.show.notation.bases import with_indices
from symattn.show.notation.formulas import Names
from symattn.show.notation.letters import Uses

IN_THEIR_OWN_WAY = (ops.Sinusoidal, ops.Rotary, ops.ClipNorm)
"""Operations that are not written by their equations: sines pair by pair, and ‖G‖."""


@dataclass(frozen=True)
class Letters:
    """The letters of one equation: those of the page, and the matrices with only one row or column."""

    names: Names
    one_row: frozenset[str]
    one_column: frozenset[str]
    nodes: tuple[Basic, ...] = ()
    """The operations of the formula that name numbers: each has its own."""
    in_figures: bool = False
    """Whether a sum without a name is written as its formula, (Q Kᵀ)_{12}, as beside figures."""

    @classmethod
    def choose(cls, names: Names, used: Iterable[str], shapes: Mapping[str, Shape]) -> Letters:
        """Choose the document's letters for the matrices of one equation."""
        names, used = names.knowing(shapes), list(dict.fromkeys(used))
        rows = frozenset(name for name in used if shapes[name].rows.size == 1)
        columns = frozenset(name for name in used if shapes[name].columns.size == 1)
        return cls(names, rows, columns)

    def base(self, name: str) -> Math:
        return self.names.bases[name]

    def beside(self, formula: Basic) -> Letters:
        """Return the letters for the lines of a formula."""
        found = dict.fromkeys(node for node in preorder_traversal(formula) if named_in(node))
        return replace(self, nodes=tuple(found))

    def which(self, node: Basic, name: str) -> tuple[Number, ...]:
        """Return the first index of a node's named number if several have that name; nothing if it is the only one."""
        alike = list(dict.fromkeys(_meant(each, name) for each in self.nodes if name in named_in(each)))
        return (Number(str(alike.index(_meant(node, name)) + 1)),) if len(alike) > 1 else ()

    def entry(self, name: str, i: Math, j: Math) -> Math:
        """Write x_{ij}; a matrix with one row has only the column index, one with one column the row, a number none."""
        spend(400)  # the entries of nested formulas double with every level
        if name in self.one_row and name in self.one_column:
            return self.names(name)
        return indexed(self.base(name), (name in self.one_row, name in self.one_column), i, j)

    @property
    def indices(self) -> tuple[Math, Math]:
        """The row and the column index."""
        return self.names.letters.row, self.names.letters.column

    def bound(self, *inside: str) -> str:
        """Return a letter for a bound index that none of the indices around it uses."""
        return self.names.letters.bound(*inside)


def page_names(
    plan: Plan,
    notation: Mapping[str, Notation] = MappingProxyType({}),
    labels: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
    numbers: Iterable[str] = (),
    symbols: Iterable[str] = (),
    purposes: Iterable[str] = (),
    powers: bool = False,
) -> Names:
    """Return the notation of a plan's names, and all letters of a page about it.

    ``numbers`` and ``symbols`` need names too, and ``purposes`` further letters. ``powers`` is True if the page may
    have powers of e that are in no step.
    """
    shapes = {step.name: step.shape for step in plan.steps}
    formulas = [step.formula for step in plan.steps if step.formula is not None]
    nodes = dict.fromkeys(node for formula in formulas for node in preorder_traversal(formula))
    operations = [operation for node in nodes if isinstance(node, Node) and (operation := operation_of(node))]
    sizes = (str(size) for shape in shapes.values() for axis in shape.axes for size in (axis.size, axis.name) if size)
    needed = [*purposes]
    if any(isinstance(node, ops.Sinusoidal | ops.Rotary) for node in nodes):
        needed.append("pair")
    if any(is_called(each) or any(is_function(each, word) for word in on_the_page(each)) for each in operations):
        needed.append("argument")
    needed += ["shift"] * max((len(all_scores(formula)) for formula in formulas), default=0)
    called = (each.called or each.name for each in plan.operations.values())
    uses = Uses(
        frozenset((*numbers, *plan.sizes, *called, *(size for size in sizes if not size.isdigit()))),
        frozenset((*symbols, *plan.symbols)),
        tuple(dict.fromkeys(word_and_power(word)[0] for node in nodes for word in named_in(node))),
        tuple(needed),
        powers or any(map(has_powers_of_e, operations)) or any(isinstance(node, exp) for node in nodes),
    )
    return Names(notation, labels, shapes, uses)


def scores_of(node: Basic) -> MatrixExpr | None:
    """Return the exponents of a formula whose rows are shares of exponentials, under any name; else ``None``."""
    ours = ours_of(node.operation) if isinstance(node, Applied) else None
    node = node if ours is None else ours(*arguments_of(node))
    if isinstance(node, ops.Softmax):
        return node.argument
    if isinstance(node, ops.Proportions) and isinstance(node.argument, ops.Exp):
        return node.argument.argument
    return None


def all_scores(formula: Basic) -> list[MatrixExpr]:
    """Return the exponents of all shares in a formula, without repetitions."""
    found = map(scores_of, preorder_traversal(formula))
    return list(dict.fromkeys(scores for scores in found if scores is not None))


def word_and_power(name: str) -> tuple[str, str]:
    """Return the word of a named number and its power: sigma2 is σ², the usual sign of the variance.

    >>> word_and_power("sigma2"), word_and_power("mu2")
    (('sigma', '2'), ('mu2', ''))
    """
    return ("sigma", "2") if name == "sigma2" else (name, "")


def named_in(node: Basic) -> tuple[str, ...]:
    """Return the named numbers of a node that have a line of their own."""
    operation = operation_of(node) if isinstance(node, Node) else None
    return () if operation is None or isinstance(node, IN_THEIR_OWN_WAY) else on_the_page(operation)


def _meant(node: Basic, name: str) -> object:
    """Return what a named number depends on: a function on its given numbers, any other on the whole node."""
    operation = operation_of(node)
    if operation is None or not is_function(operation, name):
        return node
    return (operation.equations, *(arg for arg in arguments_of(node) if not arg.is_Matrix))


def subscripts(i: Math, j: Math) -> Math:
    """Write ij, with a comma if digits would run together: 11 but 10,2."""
    long = any(isinstance(index, Seq) or (isinstance(index, Number) and len(index.text) > 1) for index in (i, j))
    long = long or any(isinstance(index, Letter) and index.name[-1].isdigit() for index in (i, j))
    return seq(i, Sign(","), j) if long else seq(i, j)


def indexed(base: Math, single: tuple[bool, bool], i: Math, j: Math) -> Math:
    """Write an entry of a matrix, without the index of an only row or column."""
    places = [place for place, only in zip((i, j), single, strict=True) if not only]
    if not places:
        return base
    return with_indices(base, subscripts(i, j) if len(places) == 2 else places[0])


def entry_of(node: Basic, base: Math, i: Math, j: Math) -> Math:
    """Write entry (i, j) of a formula that is written whole: concat(A, B)_{ij}."""
    rows, columns = node.shape
    loose = (rows, columns) != (1, 1) and isinstance(base, Script | Seq | Fraction)
    return indexed(Parens(base) if loose else base, (rows == 1, columns == 1), i, j)
