"""The letters of one equation: which one stands for the entries of a matrix, which are free as indices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sympy import Basic, preorder_traversal

from symattn import operations as ops
from symattn.budget import spend
from symattn.document.entries.naming import has_powers_of_e, is_function, on_the_page
from symattn.document.math import Accented, Letter, Math, Number, Parens, Script, Seq, Sign, seq
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
    bases: tuple[tuple[str, Math], ...]
    one_row: frozenset[str]
    one_column: frozenset[str]
    taken: frozenset[str]
    nodes: tuple[Basic, ...] = ()
    """The operations in the formula that is written which name numbers on their way: each has numbers of its own."""
    helpers: tuple[tuple[str, str], ...] = ()
    """The letters of numbers on the way whose name is one letter."""
    in_figures: bool = False
    """Whether what is added up without a name is written by its formula, (Q Kᵀ)_{12}, as where its figures are."""

    @classmethod
    def choose(
        cls, names: Names, used: Iterable[str], shapes: dict[str, Shape], reserved: frozenset[str] = frozenset()
    ) -> Letters:
        """Lower-case letters where they are all different, the matrix in parentheses where not.

        ``reserved`` letters mean something else in the equation, as e does beside exponentials. Beside a matrix Q
        anywhere in the document the entries of Q_1 are no q, and beside a column t those of T are no t.
        """
        used = list(dict.fromkeys(used))
        short = {name: _short(names(name), 1 in shapes[name].sizes) for name in used}
        long = {name for name in used if short[name][0] and _has_rival(name, names)}
        plain = {key for name, (key, subscripted, _) in short.items() if key and not subscripted}
        counts: dict[str, int] = {}
        for key, subscripted, _ in short.values():
            if key and (not subscripted or key not in plain):
                counts[key] = counts.get(key, 0) + 1
        bases: list[tuple[str, Math]] = []
        taken: set[str] = set()
        for name in used:
            key, subscripted, letter = short[name]
            alone = counts.get(key) == 1 and not (subscripted and key in plain)
            if key and name not in long and key not in reserved and alone:
                bases.append((name, letter))
                taken.add(key.split(":")[-1])
            else:
                symbol = names(name)
                bases.append((name, Parens(symbol) if not isinstance(symbol, Letter) else symbol))
                # A vector k beside a matrix K is written k_j, so no index is k.
                taken.update([symbol.name] if isinstance(symbol, Letter) else [])
        rows = frozenset(name for name in used if shapes[name].rows.size == 1)
        columns = frozenset(name for name in used if shapes[name].columns.size == 1)
        return cls(names, tuple(bases), rows, columns, reserved.union(taken))

    def base(self, name: str) -> Math:
        return dict(self.bases)[name]

    def beside(self, formula: Basic) -> Letters:
        """The letters for the lines of a formula."""
        found = dict.fromkeys(node for node in preorder_traversal(formula) if named_in(node))
        helpers: dict[str, str] = {}
        taken = self.taken.difference(letter for _, letter in self.helpers)  # those of a formula before
        for name in (name for node in found for name in named_in(node) if len(name) == 1):
            if name not in helpers:
                others = {*taken, *helpers.values()}
                others |= {form for each in others for form in (each.lower(), each.upper())}
                helpers[name] = fresh_letter(others, (name, *HELPERS))
        taken = taken.union(helpers.values())
        return replace(self, nodes=tuple(found), helpers=tuple(helpers.items()), taken=taken)

    def helper(self, name: str) -> str:
        """The name of a number on the way as it is written."""
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


def reserved_by(formula: Basic | None) -> frozenset[str]:
    """The letters that mean a number beside the entries of a formula: e beside exponentials."""
    found = () if formula is None else (node for node in preorder_traversal(formula) if isinstance(node, Node))
    records = (operation_of(node) for node in found)
    return frozenset("e") if any(record and has_powers_of_e(record) for record in records) else frozenset()


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
    return Script(base, sub=subscripts(i, j) if len(places) == 2 else places[0])


def _has_rival(name: str, names: Names) -> bool:
    """Whether a letter by itself, Q or q, is the name of another matrix of the document: then q_{ij} is no entry of
    Q_1, nor of Q where the other one is q. W_Q beside W is told apart well enough within one equation."""
    symbol = names(name)
    if not isinstance(symbol, Letter) and not (isinstance(symbol, Script) and isinstance(symbol.sub, Number)):
        return False
    key, _, _ = _short(symbol)
    return any(_short(other)[0] == key for other in names.letters if other != symbol)


def _short(symbol: Math, is_vector: bool = False) -> tuple[str, bool, Math]:
    """A key that tells letters apart, whether a subscript was dropped, and the lower-case letter.

    Without its subscript, the vector x_2 would have an entry x_2.
    """
    match symbol:
        case Script(_, Number()) if is_vector:
            return "", False, symbol
        case Letter(name, "italic") if len(name) == 1 and name.isalpha():
            return name.lower(), False, Letter(name.lower())
        case Script(Letter(name, "italic"), sub, None) if len(name) == 1 and sub is not None:
            return name.lower(), True, Letter(name.lower())
        case Accented(kind, inner) if kind != "bold":
            key, subscripted, letter = _short(inner)
            return (f"{kind}:{key}" if key else ""), subscripted, Accented(kind, letter)
        case Accented("bold", inner):
            return _short(inner)
        case _:
            return "", False, symbol
