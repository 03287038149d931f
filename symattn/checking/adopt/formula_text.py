r"""An expression as it was read, in symattn's formula language: ``QK^T / \sqrt{d_k}`` is ``Q @ K.T / sqrt(d_k)``.

Pieces of formulas: what stands side by side is a product of matrices or a multiple, by the sizes of both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from symattn.base import limits
from symattn.base.errors import FormulaError, cut, shown
from symattn.base.parentheses import beside, tight, transposed_text
from symattn.base.remembered import cached_property
from symattn.checking.adopt.naming import name_key, square_key
from symattn.checking.following.written import walk
from symattn.checking.reading.signs import FUNCTIONS
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead, NameRead, Unread
from symattn.operations.terms import Term
from symattn.read.formula import Scope, read_any


@dataclass(frozen=True)
class FormulaPiece:
    """A text of the formula language, and what it may speak of."""

    text: str
    scope: Scope

    @cached_property
    def axes(self) -> tuple[int, ...]:
        """The sizes of what it gives: of a number none, of a vector one, of a matrix two.

        Raises :class:`~symattn.base.errors.FormulaError` and :class:`~symattn.base.errors.ShapeError` where it does not
        read.
        """
        value = read_any(self.text, self.scope)
        return tuple(int(axis.size) for axis in value.shape.axes) if isinstance(value, Term) else ()

    @property
    def is_number(self) -> bool:
        """Whether it is a number."""
        return self.axes == ()

    @property
    def is_column(self) -> bool:
        """Whether it is a matrix of one column."""
        return len(self.axes) == 2 and self.axes[1] == 1 != self.axes[0]


def times(left: FormulaPiece, right: FormulaPiece, sign: str) -> FormulaPiece:
    """What stands beside each other, with a sign of multiplication between: a multiple or a product."""
    if sign in ("⊙", "∘") or (sign == "*" and _repeats(left.axes, right.axes)):
        return entrywise(left, "*", right)
    if left.axes == right.axes:
        if len(left.axes) == 1 and "(" not in right.text:  # what a call makes stands as it is: 1 1ᵀ
            return replace(left, text=f"dot({left.text}, {right.text})")
        if left.is_column:  # a vector that stands as a column: q·k, and γ x̂ entry by entry
            if sign in ("\\cdot", "·", "⋅"):
                return entrywise(turned(left), "@", right)
            return entrywise(left, "*", right)
    return product_of(left, right)


def _repeats(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether the smaller is repeated along the larger, as in NumPy."""
    return all(a == b or 1 in (a, b) for a, b in zip(one[::-1], other[::-1], strict=False))


def product_of(left: FormulaPiece, right: FormulaPiece) -> FormulaPiece:
    """The product of matrices or vectors, of numbers their multiple."""
    return entrywise(left, "*" if left.is_number or right.is_number else "@", right)


def entrywise(left: FormulaPiece, sign: str, right: FormulaPiece) -> FormulaPiece:
    """Both with a sign between, in parentheses where they need them."""
    return replace(left, text=beside(left.text, sign, right.text))


def turned(piece: FormulaPiece) -> FormulaPiece:
    """The transpose; of a number the number."""
    return piece if piece.is_number else replace(piece, text=transposed_text(piece.text))


def power(piece: FormulaPiece, exponent: str) -> FormulaPiece:
    """A power of a number, or of each entry.

    Raises :class:`~symattn.base.errors.FormulaError` where a product of matrices may be meant.
    """
    if len(piece.axes) == 2 and piece.axes[0] == piece.axes[1] != 1:
        raise FormulaError(
            f"{tight(piece.text)}^{exponent} of a square matrix can be one of each entry or a product of matrices"
        )
    return replace(piece, text=beside(piece.text, "**", exponent if exponent.isdigit() else f"({exponent})"))


def entry_of(piece: FormulaPiece, places: tuple[int, ...]) -> FormulaPiece | None:
    """An entry or a row, by places counted from 0; ``None`` where there is no such."""
    if not 1 <= len(places) <= len(piece.axes):
        return None
    if any(not -size <= place < size for place, size in zip(places, piece.axes, strict=False)):
        return None
    return replace(piece, text=f"{tight(piece.text)}[{', '.join(map(str, places))}]")


_PLAIN = re.compile(r"-?\d+(\.\d+)?\Z", re.ASCII)
_CONSTANTS = {"π": "pi", "pi": "pi", "e": "exp(1)", **dict.fromkeys(("∞", "inf", "infty", "oo"), "oo")}
_NO_NAMES = Scope({})
_AXES = {"dim": "axis", "keepdim": "keepdims"}


def formula_piece(written: Expressed, names: Mapping[str, str], scope: Scope) -> FormulaPiece:
    """The formula that an expression is; ``names`` has the names of the scenario by the keys of the document's.

    Raises :class:`~symattn.base.errors.FormulaError` for what has no form there, and
    :class:`~symattn.base.errors.ShapeError` for what does not fit.
    """
    piece = _FormulaWriter(names, scope).of(written, 0)
    if len(piece.text) > limits.FORMULA_LENGTH:
        raise FormulaError(f"a formula of more than FORMULA_LENGTH = {limits.FORMULA_LENGTH} characters")
    return piece


def number_text(figure: FigureRead) -> str:
    """A figure as an exact number.

    >>> from fractions import Fraction
    >>> number_text(FigureRead("0,35", Fraction(7, 20), Fraction(1, 100), 0, 4))
    '0.35'
    """
    if figure.value is None:
        return "oo" if figure.sign > 0 else "-oo"
    if _PLAIN.match(figure.text):
        return figure.text
    value, places = figure.value, 0
    while places <= limits.DIGITS and 10**places % figure.unit.denominator:
        places += 1
    scaled = value * 10**places
    if scaled.denominator != 1 or places > limits.DIGITS:
        return f"{value.numerator}/{value.denominator}" if value.denominator != 1 else str(value.numerator)
    digits = str(abs(scaled.numerator)).rjust(places + 1, "0")
    whole, part = (digits[:-places], digits[-places:]) if places else (digits, "")
    return ("-" if value < 0 else "") + whole + (f".{part}" if part else "")


@dataclass(frozen=True)
class _FormulaWriter:
    """Writes pieces. One method per kind."""

    names: Mapping[str, str]
    scope: Scope
    running: frozenset[str] = field(default=frozenset())
    """Letters over which a sum runs."""

    def piece(self, text: str) -> FormulaPiece:
        return FormulaPiece(text, self.scope)

    def of(self, written: Expressed, depth: int) -> FormulaPiece:
        if depth > limits.FORMULA_DEPTH:
            raise FormulaError(f"nested deeper than FORMULA_DEPTH = {limits.FORMULA_DEPTH}")
        match written:
            case FigureRead():
                return self.piece(number_text(written))
            case NameRead():
                return self.name(written)
            case GridRead():
                return self.grid(written, depth + 1)
            case Unread():
                raise FormulaError(f"{shown(written.text)}: {written.why}")
        return self.applied(written, depth + 1)

    # -- names -------------------------------------------------------------------------------------------------------

    def name(self, name: NameRead) -> FormulaPiece:
        if (called := self.names.get(name_key(name))) is not None:
            return self.piece(called)
        if (piece := self.entry(name)) is not None:
            return piece
        if name.base in _CONSTANTS and not name.below and not name.above:
            return self.piece(_CONSTANTS[name.base])
        if name.base in ("I", "𝐈") and len(name.below) == 1 and isinstance(size := name.below[0], FigureRead):
            return self.piece(f"identity({size.text})")
        raise FormulaError(f"nothing is called {cut(name.text or name_key(name))}")

    def entry(self, name: NameRead) -> FormulaPiece | None:
        """An entry or a row of what has a name: ``S_{12}``, ``s_{12}``, ``x_1``, ``x^{(2)}``, counted from 1."""
        for places, rest in ((name.below, replace(name, below=())), (name.above, replace(name, above=()))):
            if not places:
                continue
            for each in (rest, replace(rest, base=rest.base.upper())):
                called = self.names.get(name_key(each))
                if called is None:
                    continue
                piece = self.piece(called)
                if self.running and all(isinstance(p, NameRead) and name_key(p) in self.running for p in places):
                    return piece
                numbers = tuple(int(p.value) - 1 for p in places if isinstance(p, FigureRead) and p.value is not None)
                if len(numbers) == len(places) and min(numbers) >= 0 and (found := entry_of(piece, numbers)):
                    return found
        return None

    # -- grids -------------------------------------------------------------------------------------------------------

    def grid(self, grid: GridRead, depth: int) -> FormulaPiece:
        """A list of numbers, or a list of lists."""
        if not grid.rows or len({len(row) for row in grid.rows}) > 1 or not grid.rows[0]:
            raise FormulaError("a matrix has rows of one length")
        if len(grid.rows) * len(grid.rows[0]) > limits.LIST_ENTRIES:
            raise FormulaError(f"more than LIST_ENTRIES = {limits.LIST_ENTRIES} numbers in a formula")
        listed = [f"[{', '.join(self.of(cell, depth).text for cell in row)}]" for row in grid.rows]
        return self.piece(listed[0] if grid.axes == 1 else f"[{', '.join(listed)}]")

    # -- what is done --------------------------------------------------------------------------------------------------

    def applied(self, applied: Combined, depth: int) -> FormulaPiece:
        op, args = applied.op, applied.args
        if op.startswith("call:"):
            return self.call(op.removeprefix("call:"), applied, depth)
        if op == "sum":
            return self.sum(applied, depth)
        if op == "^":
            return self.raised(applied, depth)
        if op == "index":
            return self.indexed(applied, depth)
        if op == "root":
            return self.root(applied, depth)
        pieces = [self.of(arg, depth) for arg in args]
        match op, pieces:
            case "neg", [piece]:
                return self.piece(f"-{_factor(piece.text)}")
            case "T", [piece]:
                return turned(piece)
            case "@", [left, right]:
                return product_of(left, right)
            case "*", [left, right]:
                return times(left, right, applied.sign)
            case (("+" | "-" | "/"), [left, right]):
                return entrywise(left, op, right)
        raise FormulaError(f"{op} of {len(pieces)} has no place in a formula")

    def raised(self, applied: Combined, depth: int) -> FormulaPiece:
        base, exponent = applied.args
        if isinstance(base, NameRead):
            is_square = isinstance(exponent, FigureRead) and exponent.value == 2
            if is_square and (called := self.names.get(square_key(base))) is not None:  # σ²
                return self.piece(called)
            if base.base == "e" and not base.below and name_key(base) not in self.names:
                return self.piece(f"exp({self.of(exponent, depth).text})")
        up = self.of(exponent, depth)
        if not up.is_number:
            raise FormulaError(f"{cut(up.text)} is no number: a power is")
        if up.text in ("1/2", "0.5"):
            return self.piece(f"sqrt({self.of(base, depth).text})")
        return power(self.of(base, depth), up.text)

    def root(self, applied: Combined, depth: int) -> FormulaPiece:
        piece = self.of(applied.args[0], depth)
        if len(applied.args) > 1 and self.of(applied.args[1], depth).text != "2":
            raise FormulaError("a root that is no square root has no place in a formula")
        return self.piece(f"sqrt({piece.text})")

    def indexed(self, applied: Combined, depth: int) -> FormulaPiece:
        """``E[0]``, counted from 0, and ``[Q K^T]_{11}``, counted from 1."""
        whole, first = applied.args[0], int(applied.sign == "_")
        if isinstance(whole, GridRead) and len(whole.rows) == len(whole.rows[0]) == 1:  # brackets around one thing
            whole = whole.rows[0][0]
        piece = self.of(whole, depth)
        places = [arg.value for arg in applied.args[1:] if isinstance(arg, FigureRead) and arg.value is not None]
        if len(places) != len(applied.args) - 1 or any(place.denominator != 1 for place in places):
            raise FormulaError(f"what stands in the brackets behind {cut(piece.text)} is no place")
        found = entry_of(piece, tuple(int(place) - first for place in places))
        if found is None:
            raise FormulaError(f"{cut(piece.text)} has no such place")
        return found

    def sum(self, applied: Combined, depth: int) -> FormulaPiece:
        """Σ over all entries: its letters stand below everything that is summed."""
        letters = _running(applied.sign)
        if not letters:
            raise FormulaError("a sum has a letter that runs")
        body = replace(self, running=self.running | letters)
        piece = body.of(applied.args[0], depth)
        if self.running:  # a sum in a sum: the outer one is of all
            return piece
        names = [one for one in walk(applied.args[0]) if isinstance(one, NameRead)]
        below = [places for one in names for places in (one.below, one.above)]
        wanted = max((sum(isinstance(each, NameRead) for each in places) for places in below), default=0)
        if wanted != len(piece.axes):
            raise FormulaError("a sum of what has no running letter below it")
        return self.piece(f"sum({piece.text}, axis=None)" if wanted == 2 else f"sum({piece.text})")

    def call(self, name: str, applied: Combined, depth: int) -> FormulaPiece:
        """A function, if there is one that is called so."""
        function = FUNCTIONS.get(name, name)
        pieces = [self.of(arg, depth) for arg in applied.args]
        if function == "transpose" and len(pieces) == 1:
            return turned(pieces[0])
        if _NO_NAMES.function(function) is None:
            raise FormulaError(f"{shown(name)} is no function that is known here")
        named = [f"{_AXES.get(key, key)}={self.option(value, depth)}" for key, value in applied.named]
        return self.piece(f"{function}({', '.join([*(piece.text for piece in pieces), *named])})")

    def option(self, value: Expressed, depth: int) -> str:
        if isinstance(value, NameRead) and value.base in ("True", "False", "None"):
            return value.base
        return self.of(value, depth).text


def _factor(text: str) -> str:
    return f"({text})" if re.search(r" [-+] ", text) else text


def _running(sign: str) -> frozenset[str]:
    """The letters of ranges such as ``i=1..3`` and ``i``."""
    return frozenset(re.findall(r"(?:^|[,;(\s_{])([A-Za-z])(?=\s*(?:=|∈|\\in|[,;)}]|$))", sign))
