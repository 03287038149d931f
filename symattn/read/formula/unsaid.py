"""Find the undefined names of a formula, and shapes for them that make its products fit.

>>> from symattn.base.shapes import shape
>>> unsaid("relu(X @ W + b) @ U / t", Scope({"X": shape("n", "d"), "b": shape(1, "h")}))
('W', 'U', 't')
>>> open_shapes = {"W": (None, None), "U": (None, None), "b": ("1", None)}
>>> fitting("relu(X @ W + b) @ U", Scope({"X": shape("n", "d")}), open_shapes)
{'W': ('d', 'd_1'), 'U': ('d_1', 'd_2'), 'b': ('1', 'd_1')}
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count

from symattn.base import limits
from symattn.base.shapes import shape
from symattn.operations.equations.tree import Length
from symattn.operations.records import record_named
from symattn.read.formula.functions import Scope, derived
from symattn.read.formula.libraries import library, member
from symattn.read.formula.parse import parse
from symattn.read.formula.reader import is_name
from symattn.read.formula.tree import Beside, Cdot, Times, canonical

OpenShape = tuple["str | None", "str | None"]
"""The lengths of a name, as far as they are known."""

_Open = tuple[str, int]
"""An axis of unknown length, by name and place."""
_Axes = tuple["str | _Open", "str | _Open"]


def unsaid(text: str, scope: Scope, letters: str = "") -> tuple[str, ...]:
    """Return the names in a formula that are neither defined nor called, in reading order. ``letters`` may be names,
    too: XW is X W with both.

    Raises :class:`~symattn.base.errors.FormulaError` for an unreadable formula.
    """
    known = {*scope.names, *scope.sizes, *scope.quantities, *scope.symbols, "oo", "pi"}
    tree = parse(text, _with_letters(scope, letters))
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    called |= {id(root) for node in ast.walk(tree) if (root := _library(node)) is not None}
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called]
    named = (node.id for node in sorted(found, key=lambda node: node.col_offset))
    return tuple(dict.fromkeys(name for name in named if name not in known and is_name(name)))


def _library(node: ast.AST) -> ast.Name | None:
    """Return the name that a function of a library begins with: np of ``np.linalg.norm``."""
    if not isinstance(node, ast.Attribute):
        return None
    path, root = canonical(node.value), node.value
    while isinstance(root, ast.Attribute):
        root = root.value
    is_member = library(path) is not None and member(path, node.attr) is not None
    return root if is_member and isinstance(root, ast.Name) else None


def columns(text: str, scope: Scope, letters: str = "") -> frozenset[str]:
    """Return the names that a formula transposes, or has behind another factor: as vectors, they are columns.

    Raises :class:`~symattn.base.errors.FormulaError` for an unreadable formula.
    """
    found: set[str] = set()
    for node in ast.walk(parse(text, _with_letters(scope, letters))):
        match node:
            case ast.Attribute(ast.Name(name), "T") | ast.BinOp(_, ast.MatMult() | Beside(), ast.Name(name)):
                found.add(name)
    return frozenset(found)


def _with_letters(scope: Scope, letters: Iterable[str]) -> Scope:
    return replace(scope, names={**dict.fromkeys(letters, shape("p", "q")), **scope.names})


def fitting(text: str, scope: Scope, names: Mapping[str, OpenShape]) -> dict[str, tuple[str, str]]:
    """Return shapes for ``names`` that make a formula fit, with the lengths that are not ``None``; a free length gets a
    letter of its own.

    Raises :class:`~symattn.base.errors.FormulaError` for an unreadable formula.
    """
    found = _Fitting(scope, names)
    found.axes(parse(text, _with_letters(scope, names)), 0)
    taken = {*scope.sizes, *scope.names, *names}
    # An unnamed length is called d_1: single letters count rows and columns.
    letters = (letter for letter in (f"d_{place}" for place in count(1)) if letter not in taken)
    lengths: dict[_Open, str] = {}

    def length(axis: str | _Open) -> str:
        end = found.end(axis)
        if isinstance(end, tuple) and end not in lengths:
            lengths[end] = next(letters)
        return lengths[end] if isinstance(end, tuple) else end

    return {name: (length(rows), length(columns)) for name in names for rows, columns in [found.of_name(name)]}


@dataclass
class _Fitting:
    """Groups axes of the same length, which products connect."""

    scope: Scope
    open: Mapping[str, OpenShape]
    joined: dict[_Open, str | _Open] = field(default_factory=dict)

    def end(self, axis: str | _Open) -> str | _Open:
        """Return the known length of an axis, or the axis that represents its group."""
        while isinstance(axis, tuple) and axis in self.joined:
            axis = self.joined[axis]
        return axis

    def join(self, one: str | _Open, other: str | _Open) -> None:
        """Record that two axes have the same length. If both are known, the reader checks them."""
        one, other = self.end(one), self.end(other)
        if isinstance(one, tuple) and one != other:
            self.joined[one] = other
        elif isinstance(other, tuple) and one != other:
            self.joined[other] = one

    def of_name(self, name: str) -> _Axes:
        """Return the axes of a name that is not fully known."""
        rows, columns = self.open[name]
        return (name, 0) if rows is None else rows, (name, 1) if columns is None else columns

    def axes(self, node: ast.AST, depth: int) -> _Axes | None:
        """Return the axes of a node; ``None`` if it is a number or unknown."""
        if depth > limits.FORMULA_DEPTH:
            return None  # the reader refuses it
        depth += 1
        match node:
            case ast.Name(name) if name in self.open:
                return self.of_name(name)
            case ast.Name(name) if name in self.scope.names:
                known = self.scope.names[name]
                return known.rows.letter, known.columns.letter
            case ast.UnaryOp(operand=inner):
                return self.axes(inner, depth)
            case ast.Attribute(inner, "T"):
                turned = self.axes(inner, depth)
                return turned and (turned[1], turned[0])
            case ast.BinOp(left, sign, right):
                return self._signed(self.axes(left, depth), sign, self.axes(right, depth))
            case ast.Call(ast.Name(name), arguments, keywords):
                named = {str(each.arg): self.axes(each.value, depth) for each in keywords}
                return self._called(name, [self.axes(argument, depth) for argument in arguments], named)
        for child in ast.iter_child_nodes(node):
            self.axes(child, depth)
        return None

    def _signed(self, left: _Axes | None, sign: ast.operator, right: _Axes | None) -> _Axes | None:
        if left is None or right is None:
            return left or right
        if isinstance(sign, ast.MatMult | Beside | Cdot | Times):
            self.join(left[1], right[0])
            return left[0], right[1]
        # Entry by entry both are alike, except for an axis of length 1, which is repeated.
        return self._alike(left[0], right[0]), self._alike(left[1], right[1])

    def _alike(self, one: str | _Open, other: str | _Open) -> str | _Open:
        if "1" in (self.end(one), self.end(other)):
            return other if self.end(one) == "1" else one
        self.join(one, other)
        return one

    def _called(self, name: str, given: list[_Axes | None], named: Mapping[str, _Axes | None]) -> _Axes | None:
        operations = self.scope.operations
        record = operations.get(name) or record_named(name) or derived(name, operations)
        if record is None:
            return given[0] if len(given) == 1 else None
        by_name = dict(zip((each.name for each in record.parameters), given, strict=False)) | dict(named)
        lengths: dict[str, str | _Open] = {}
        for parameter in record.parameters:
            axes = by_name.get(parameter.name)
            if axes is None or not parameter.is_matrix or parameter.many:
                continue
            for axis, length in zip(parameter.axes, axes[-len(parameter.axes) :], strict=True):
                if isinstance(axis, Length):
                    self.join(lengths.setdefault(axis.name, length), length)
        rows, columns = (lengths.get(axis.name) if isinstance(axis, Length) else None for axis in record.shape)
        return None if rows is None or columns is None else (rows, columns)
