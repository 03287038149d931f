"""The letters of one equation: which one stands for the entries of a matrix, which are free as indices."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from sympy import Basic, preorder_traversal

from symattn import operations as ops
from symattn.budget import spend
from symattn.document.entries.naming import has_powers_of_e, is_function, on_the_page
from symattn.document.math import Fraction, Letter, Math, Number, Parens, Script, Seq, Sign, seq
from symattn.document.notation.bases import head, letters_of, with_indices
from symattn.document.notation.formulas import Names
from symattn.operations.indices import fresh_letter
from symattn.operations.node import Node, arguments_of, operation_of
from symattn.shapes import Shape

ROW_LETTERS = ("i", "p", "a", "g")
COLUMN_LETTERS = ("j", "q", "b", "h")
BOUND_LETTERS = ("k", "l", "r", "t", "u", "v", "c", "f", "s", "w", "z", "y", "x")
HELPERS = ("z", "u", "v", "w", "s", "r", "p", "q", "a", "b", "c", "g", "h")
"""Letters for numbers on the way whose own letter means something else beside them."""


IN_THEIR_OWN_WAY = (ops.Sinusoidal, ops.Rotary, ops.ClipNorm)
"""What is not written by the equations: sines pair by pair, and ‖G‖."""


@dataclass(frozen=True)
class Letters:
    """The letter of each matrix in one equation, and which index letters are still free."""

    names: Names
    one_row: frozenset[str]
    one_column: frozenset[str]
    taken: frozenset[str]
    nodes: tuple[Basic, ...] = ()
    """The operations in the formula that is written which name numbers on their way: each has numbers of its own."""
    helpers: tuple[tuple[str, str], ...] = ()
    """The words of numbers on the way, with what is written for them."""
    in_figures: bool = False
    """Whether what is added up without a name is written by its formula, (Q Kᵀ)_{12}, as where its figures are."""

    @classmethod
    def choose(
        cls, names: Names, used: Iterable[str], shapes: Mapping[str, Shape], reserved: frozenset[str] = frozenset()
    ) -> Letters:
        """The letters of the document for the matrices of one equation, which no index in it may have.

        ``reserved`` letters mean something else in the equation.
        """
        names, used = names.knowing(shapes), list(dict.fromkeys(used))
        taken = reserved.union(*(letters_of(names.bases[name]) for name in used))
        rows = frozenset(name for name in used if shapes[name].rows.size == 1)
        columns = frozenset(name for name in used if shapes[name].columns.size == 1)
        return cls(names, rows, columns, taken)

    def base(self, name: str) -> Math:
        return self.names.bases[name]

    def beside(self, formula: Basic) -> Letters:
        """The letters for the lines of a formula."""
        found = dict.fromkeys(node for node in preorder_traversal(formula) if named_in(node))
        helpers = dict(self.helpers)
        for word in (word_and_power(name)[0] for node in found for name in named_in(node)):
            if word not in helpers:
                others = {*self.taken, *self.names.heads, *helpers.values()}
                others |= {form for each in others for form in (each.lower(), each.upper())}
                helpers[word] = fresh_letter(others, (word, *HELPERS))
        taken = self.taken.union(helpers.values())
        return replace(self, nodes=tuple(found), helpers=tuple(helpers.items()), taken=taken)

    def helper(self, name: str) -> str:
        """The word of a number on the way as it is written."""
        return dict(self.helpers).get(name, name)

    def which(self, node: Basic, name: str) -> tuple[Number, ...]:
        """Which of several numbers of that name a node's is, as its first index."""
        alike = list(dict.fromkeys(_meant(each, name) for each in self.nodes if name in named_in(each)))
        return (Number(str(alike.index(_meant(node, name)) + 1)),) if len(alike) > 1 else ()

    def entry(self, name: str, i: Math, j: Math) -> Math:
        """x_{ij}; a matrix of one row needs only the column, one of one column only the row, a number neither."""
        spend(400)  # formulas inside one another have entries that double with every level
        if name in self.one_row and name in self.one_column:
            return self.names(name)
        return indexed(self.base(name), (name in self.one_row, name in self.one_column), i, j)

    @property
    def indices(self) -> tuple[Math, Math]:
        """The row and the column index."""
        return Letter(fresh_letter(self.taken, ROW_LETTERS)), Letter(fresh_letter(self.taken, COLUMN_LETTERS))

    def bound(self, *inside: str) -> str:
        """A letter for a bound index that is neither a matrix's, nor a free index, nor bound around it."""
        i, j = (letter.name for letter in self.indices if isinstance(letter, Letter))
        return fresh_letter({*self.taken, i, j, *inside}, BOUND_LETTERS)


def with_e(names: Names, equations: Iterable[tuple[Basic | None, Collection[str]]]) -> Names:
    """The names, among which e means the number where an entry written with it would stand beside a power of e.

    ``equations`` are formulas, each with the names that stand in its lines.
    """
    if "e" not in names.heads:
        return names
    beside = {name for formula, used in equations if _has_powers_of_e(formula) for name in used}
    clash = any(head(names.bases[name]) == "e" for name in beside & names.bases.keys())
    return replace(names, reserved=names.reserved | {"e"}) if clash else names


def _has_powers_of_e(formula: Basic | None) -> bool:
    found = () if formula is None else (node for node in preorder_traversal(formula) if isinstance(node, Node))
    return any(operation is not None and has_powers_of_e(operation) for operation in map(operation_of, found))


def word_and_power(name: str) -> tuple[str, str]:
    """The word of a number on the way and its power: sigma2 is σ², as everybody calls the variance.

    >>> word_and_power("sigma2"), word_and_power("mu2")
    (('sigma', '2'), ('mu2', ''))
    """
    return ("sigma", "2") if name == "sigma2" else (name, "")


def named_in(node: Basic) -> tuple[str, ...]:
    """The numbers on the way of a node that have a line of their own."""
    operation = operation_of(node) if isinstance(node, Node) else None
    return () if operation is None or isinstance(node, IN_THEIR_OWN_WAY) else on_the_page(operation)


def _meant(node: Basic, name: str) -> object:
    """What a number depends on: a function on the numbers that are given, anything else on the operands too."""
    operation = operation_of(node)
    if operation is None or not is_function(operation, name):
        return node
    return (operation.equations, *(arg for arg in arguments_of(node) if not arg.is_Matrix))


def subscripts(i: Math, j: Math) -> Math:
    """ij, with a comma where the figures would run together: 11 but 10,2."""
    long = any(isinstance(index, Seq) or (isinstance(index, Number) and len(index.text) > 1) for index in (i, j))
    return seq(i, Sign(","), j) if long else seq(i, j)


def indexed(base: Math, single: tuple[bool, bool], i: Math, j: Math) -> Math:
    """An entry of a matrix, without the index of what there is only one of: one row, one column."""
    places = [place for place, only in zip((i, j), single, strict=True) if not only]
    if not places:
        return base
    return with_indices(base, subscripts(i, j) if len(places) == 2 else places[0])


def entry_of(node: Basic, base: Math, i: Math, j: Math) -> Math:
    """Entry (i, j) of a formula that is written whole: concat(A, B)_{ij}."""
    rows, columns = node.shape
    loose = (rows, columns) != (1, 1) and isinstance(base, Script | Seq | Fraction)
    return indexed(Parens(base) if loose else base, (rows == 1, columns == 1), i, j)
