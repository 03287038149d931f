r"""An expression as it was read, in symattn's formula language: ``QK^T / \sqrt{d_k}`` is ``Q @ K.T / sqrt(d_k)``.

>>> Q, K = NameRead("Q", (), (), (), 0, 1, "Q"), NameRead("K", (), (), (), 1, 2, "K")
>>> scores = Combined("*", (Q, Combined("T", (K,), 1, 4)), 0, 4, "beside")
>>> formula_text(scores, {"Q": "Q", "K": "K"}, {"Q": (3, 2), "K": (3, 2)})
'Q @ K.T'
>>> formula_text(Combined("*", (Q, K), 0, 2, "beside"), {"Q": "Q"})
Traceback (most recent call last):
    ...
symattn.errors.FormulaError: nothing is called K
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from symattn import limits
from symattn.checking.adopt.naming import name_key, square_key
from symattn.checking.adopt.pieces import (
    AxisSizes,
    FormulaPiece,
    entry_of,
    entrywise,
    power,
    product_of,
    times,
    turned,
)
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead, NameRead, Unread
from symattn.errors import FormulaError, cut, shown
from symattn.formula import Scope

_PLAIN = re.compile(r"-?\d+(\.\d+)?\Z", re.ASCII)
_ENTRYWISE = frozenset("exp log sqrt abs sin cos tan tanh sigmoid relu gelu silu erf elu floor softplus mish".split())
_ROWS = frozenset("softmax log_softmax layer_norm rms_norm".split())
_OF_ROWS = frozenset("sum mean max min var std norm".split())
_ALSO = {
    **{"ln": "log", "transpose": "T", "variance": "var", "LN": "layer_norm", "LayerNorm": "layer_norm"},
    **{"Softmax": "softmax", "ReLU": "relu", "GELU": "gelu", "SiLU": "silu", "RMSNorm": "rms_norm", "Concat": "concat"},
}
"""How documents call functions."""

_NO_NAMES = Scope({})
_AXES = {"dim": "axis", "keepdim": "keepdims"}


def formula_text(
    written: Expressed, names: Mapping[str, str], shapes: Mapping[str, tuple[int, ...]] | None = None
) -> str:
    """The formula that an expression is.

    ``names`` has the names of the scenario by the keys of the document's, ``shapes`` their sizes by those names;
    without them a capital letter is a matrix and a small one a number.

    Raises :class:`~symattn.errors.FormulaError` for what has no form there.
    """
    return formula_piece(written, names, shapes).text


def formula_piece(
    written: Expressed, names: Mapping[str, str], shapes: Mapping[str, tuple[int, ...]] | None = None
) -> FormulaPiece:
    """The formula with the sizes of what it gives, as far as they are known.

    Raises :class:`~symattn.errors.FormulaError` as :func:`formula_text` does.
    """
    piece = _FormulaWriter(names, shapes).of(written, 0)
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
    shapes: Mapping[str, tuple[int, ...]] | None
    running: frozenset[str] = field(default=frozenset())
    """Letters over which a sum runs."""

    def of(self, written: Expressed, depth: int) -> FormulaPiece:
        if depth > limits.FORMULA_DEPTH:
            raise FormulaError(f"nested deeper than FORMULA_DEPTH = {limits.FORMULA_DEPTH}")
        match written:
            case FigureRead():
                return FormulaPiece(number_text(written), ())
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
            return FormulaPiece(called, self.axes_of(called))
        if (piece := self.entry(name)) is not None:
            return piece
        if name.base in ("π", "pi") and not name.below and not name.above:
            return FormulaPiece("pi", ())
        if name.base in ("∞", "inf", "infty", "oo"):
            return FormulaPiece("oo", ())
        if name.base == "e" and not name.below and not name.above:
            return FormulaPiece("exp(1)", ())
        if name.base in ("I", "𝐈") and len(name.below) == 1 and isinstance(size := name.below[0], FigureRead):
            return FormulaPiece(f"identity({size.text})", (int(size.value or 1), int(size.value or 1)))
        raise FormulaError(f"nothing is called {cut(name.text or name_key(name))}")

    def axes_of(self, called: str) -> AxisSizes:
        if self.shapes is not None:
            return self.shapes.get(called)
        return None if called[0].isupper() else ()

    def entry(self, name: NameRead) -> FormulaPiece | None:
        """An entry or a row of what has a name: ``S_{12}``, ``s_{12}``, ``x_1``, ``x^{(2)}``, counted from 1."""
        for places, rest in ((name.below, replace(name, below=())), (name.above, replace(name, above=()))):
            if not places:
                continue
            for each in (rest, replace(rest, base=rest.base.upper())):
                called = self.names.get(name_key(each))
                if called is None:
                    continue
                piece = FormulaPiece(called, self.axes_of(called))
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
        rows = [[self.cell(cell, depth) for cell in row] for row in grid.rows]
        listed = [f"[{', '.join(row)}]" for row in rows]
        if grid.axes == 1:
            return FormulaPiece(listed[0], (len(rows[0]),))
        return FormulaPiece(f"[{', '.join(listed)}]", (len(rows), len(rows[0])))

    def cell(self, cell: Expressed, depth: int) -> str:
        piece = self.of(cell, depth)
        if piece.axes:
            raise FormulaError(f"{cut(piece.text)} is no number: a matrix is made of numbers")
        return piece.text

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
                return FormulaPiece(f"-{_factor(piece.text)}", piece.axes)
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
                return FormulaPiece(called, self.axes_of(called))
            if base.base == "e" and not base.below and name_key(base) not in self.names:
                inner = self.of(exponent, depth)
                return FormulaPiece(f"exp({inner.text})", inner.axes)
        up = self.of(exponent, depth)
        if not up.is_number:
            raise FormulaError(f"{cut(up.text)} is no number: a power is")
        if up.text in ("1/2", "0.5"):
            inner = self.of(base, depth)
            return FormulaPiece(f"sqrt({inner.text})", inner.axes)
        return power(self.of(base, depth), up.text)

    def root(self, applied: Combined, depth: int) -> FormulaPiece:
        piece = self.of(applied.args[0], depth)
        if len(applied.args) > 1 and self.of(applied.args[1], depth).text != "2":
            raise FormulaError("a root that is no square root has no place in a formula")
        return FormulaPiece(f"sqrt({piece.text})", piece.axes)

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
        wanted = max(map(len, _indices(applied.args[0], letters)), default=0)
        if piece.axes is None or wanted != len(piece.axes):
            raise FormulaError("a sum of what has no running letter below it")
        return FormulaPiece(f"sum({piece.text}, axis=None)" if wanted == 2 else f"sum({piece.text})", ())

    def call(self, name: str, applied: Combined, depth: int) -> FormulaPiece:
        """A function, if there is one that is called so."""
        function = _ALSO.get(name, name)
        pieces = [self.of(arg, depth) for arg in applied.args]
        if function == "T" and len(pieces) == 1:
            return turned(pieces[0])
        if _NO_NAMES.function(function) is None:
            raise FormulaError(f"{shown(name)} is no function that is known here")
        named = [f"{_AXES.get(key, key)}={self.option(value, depth)}" for key, value in applied.named]
        text = f"{function}({', '.join([*(piece.text for piece in pieces), *named])})"
        return FormulaPiece(text, _axes_of_call(function, pieces, bool(named)))

    def option(self, value: Expressed, depth: int) -> str:
        if isinstance(value, NameRead) and value.base in ("True", "False", "None"):
            return value.base
        return self.of(value, depth).text


def _axes_of_call(function: str, pieces: list[FormulaPiece], has_options: bool) -> AxisSizes:
    """The sizes of what a function gives, where that is plain."""
    first = pieces[0].axes if pieces else None
    if function in _ENTRYWISE or function in _ROWS:
        return first
    if function in _OF_ROWS and not has_options and first is not None and len(first) < 2:
        return ()
    if function in ("concat", "stack") and pieces and all(p.axes is not None and len(p.axes) == 2 for p in pieces):
        sizes = [piece.axes for piece in pieces if piece.axes is not None]
        along = function == "concat"
        joined = sum(each[along] for each in sizes)
        return (sizes[0][0], joined) if along else (joined, sizes[0][1])
    return () if function == "dot" else None


def _factor(text: str) -> str:
    return f"({text})" if re.search(r" [-+] ", text) else text


def _running(sign: str) -> frozenset[str]:
    """The letters of ranges such as ``i=1..3`` and ``i``."""
    return frozenset(re.findall(r"(?:^|[,;(\s_{])([A-Za-z])(?=\s*(?:=|∈|\\in|[,;)}]|$))", sign))


def _indices(written: Expressed, letters: frozenset[str]) -> list[tuple[str, ...]]:
    """The letters that run below each name of an expression."""
    found: list[tuple[str, ...]] = []
    waiting = [written]
    while waiting:
        each = waiting.pop()
        if isinstance(each, NameRead):
            found += [
                tuple(name_key(p) for p in places if isinstance(p, NameRead)) for places in (each.below, each.above)
            ]
        elif isinstance(each, Combined):
            waiting.extend(each.args)
    return found
