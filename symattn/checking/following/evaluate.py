r"""What an expression of a document is worth: names from what is known, figures as they stand or for what they were
printed for.

What a formula leaves open (along which axis softmax goes, which ε a norm has) is an :class:`Open`: the usual one is
taken first, others when its figures ask for them.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from types import MappingProxyType

from flint import arb

from symattn.checking.following import rows as on
from symattn.checking.following import worlds
from symattn.checking.following.array_functions import call
from symattn.checking.following.arrays import worlds_of
from symattn.checking.following.citing import Citing
from symattn.checking.following.functions import (
    ALONG,
    CONSTANTS,
    ENTRYWISE,
    OF_ONE,
    OF_POOLS,
    OF_TWO,
    as_list,
    epsilon_of,
    is_along_rows,
    is_sum,
    keeps_axis,
    order_of,
    root,
    spread,
    unit_norm,
)
from symattn.checking.following.indexed import bracketed, free, letters_below, reach, sums
from symattn.checking.following.judging import HUGE, double
from symattn.checking.following.rows import NoFit
from symattn.checking.following.scope import rows_of
from symattn.checking.following.worlds import Worlds
from symattn.checking.following.written import Called, bound_by, called, figures_of, variance, walk
from symattn.checking.reading.shown import shown
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead, NameRead, Unread
from symattn.checking.reading.walking import is_slice

DEPTH = 60
"""Deeper formulas are not followed."""


MOST_FACTORS = 64
"""The largest power of a matrix that is worked out."""

MOST_ONES = 4_096
"""How high a column of ones may be."""


@dataclass
class Appraiser(Citing):
    """Works out expressions of one document."""

    within: set[Called] = field(default_factory=set)
    resolved: dict[Called, Worlds] = field(default_factory=dict)
    """Names that were said before anything in their formulas was known, and what these are worth now."""

    def for_all(self, written: Expressed, order: tuple[str, ...]) -> Worlds:
        """What a formula is worth at all places of its free indices: a list, or a matrix.

        Raises :class:`NoFit` where it cannot be followed.
        """
        self.formula = written
        letters = free(written, self.scope, self.whole)
        letters = tuple(sorted(letters, key=lambda each: order.index(each) if each in order else len(order)))
        if not letters or len(letters) > 2:
            raise NoFit("no index is free")
        lengths = [reach(each, written, self.scope, self.whole) or 0 for each in letters]
        cells = []
        for i in range(lengths[0]):
            self.places[letters[0]] = i + (not self.scope.from_zero)
            row = []
            for j in range(lengths[1] if len(letters) == 2 else 1):
                if len(letters) == 2:
                    self.places[letters[1]] = j + (not self.scope.from_zero)
                one = self.value(written)
                row.append(one if one.axes == 0 or one.entries > 1 else replace(one, axes=0))
            cells.append(row)
        self.places.clear()
        if len(letters) == 1 and all(row[0].axes == 0 for row in cells):
            return worlds.together([[row[0] for row in cells]], 1)
        return worlds.together(cells, 2)

    def value(self, written: Expressed) -> Worlds:
        """What an expression is worth. Raises :class:`NoFit` where it cannot be followed, and says why."""
        self.depth += 1
        self.formula = self.formula or written
        try:
            if self.depth > DEPTH:
                raise NoFit("too deep to follow")
            found = self._value(written)
            if self.depth == 1 and any(x.is_finite() and not abs(x) < HUGE for row in found.true for x in row):
                raise NoFit("too large a number")
            return found
        finally:
            self.depth -= 1

    def _value(self, written: Expressed) -> Worlds:
        match written:
            case FigureRead():
                return self._figure(written)
            case NameRead():
                found = self._name(written)
                self.names.add(written.base)
                return found
            case GridRead():
                return self._grid(written)
            case Combined():
                given = self.scope.given_as(written)
                found = self._applied(written) if given is None else given
                return self.scope.printed_alike(found) if found.axes or self.cites else found
            case Unread():
                raise NoFit(f"{written.text!r} is not understood")
        raise NoFit("nothing")

    def _name(self, name: NameRead) -> Worlds:
        if self.places and (found := self._placed(name)) is not None:
            return found
        constant = CONSTANTS.get(name.base) if not name.below and not name.above else None
        known = self.scope.named_or_none(name)
        if known is not None:
            return known
        if constant is not None:
            return worlds.number(constant())
        if (size := self._size(name)) is not None:
            return size
        try:
            return self.scope.value(name)
        except NoFit:
            return self._later(called(name))

    def _later(self, name: Called) -> Worlds:
        """What a name stands for that was said before anything in its formula was known."""
        if name not in self.scope.pending or name in self.within:
            raise NoFit(f"{name} is not known")
        if name not in self.resolved:
            self.within.add(name)
            self.resolved[name] = self.value(self.scope.pending[name])
            self.within.discard(name)
        return self.resolved[name]

    def _sum(self, one: Combined) -> Worlds:
        rule = operator.mul if one.op == "product" else operator.add
        if not any(name == "over" for name, _ in one.named):
            value = self.value(one.args[0])
            if value.axes == 0:
                raise NoFit("a sum whose index is not known")
            return worlds.through(lambda rows: [[reduce(rule, (x for row in rows for x in row))]], [value], 0)
        return reduce(lambda x, y: worlds.by_entries(rule, x, y), self._terms(one))

    def _each(self, one: Combined) -> Worlds:
        return worlds.together([self._terms(one)], 1)

    def _terms(self, one: Combined) -> list[Worlds]:
        """What stands behind a sum at all places of its index."""
        over = bound_by(one)
        span = None if over is None else self._span_of(one, over.base)
        if over is None or not span:
            raise NoFit("a sum whose index is not known")
        before, zeros = self.places.get(over.base), set(self.zeros)
        self.zeros |= {over.base} if span[0] == 0 else set()
        terms = []
        for place in span:
            self.places[over.base] = place
            terms.append(self.value(one.args[0]))
        self.places.pop(over.base)
        self.zeros = zeros
        if before is not None:
            self.places[over.base] = before
        return terms

    def _span_of(self, one: Combined, letter: str) -> range | None:
        """The limits of an index: those that are said, else as far as what it stands at goes."""
        ends = {name: self._limit(value) for name, value in one.named if name in ("from", "to", "until")}
        first = ends.get("from", 0 if "until" in ends or self.scope.from_zero else 1)
        last = ends["until"] - 1 if ends.get("until") is not None else ends.get("to")  # type: ignore[operator]
        if first is None:
            return None
        if last is None:
            count = reach(letter, one.args[0], self.scope, self.whole)
            last = None if count is None else first + count - 1
        if last is not None and last - first >= MOST_ONES:
            raise NoFit("too many terms")
        return None if last is None else range(first, last + 1)

    def _limit(self, written: Expressed) -> int | None:
        """The limit of a sum that is a figure."""
        try:
            value = self.value(written).true[0][0] if not any(isinstance(x, NameRead) for x in walk(written)) else None
        except NoFit:
            return None
        return int(double(value)) if value is not None and value.is_integer() and abs(value) < MOST_ONES else None

    def _size(self, name: NameRead) -> Worlds | None:
        """``d_k`` where nobody has said it: how many columns K has; ``n`` of a mean how many terms its sum has."""
        if name.base in ("n", "N", "d", "m", "D", "H") and self.formula is not None and not name.marks:
            for one in sums(self.formula):
                over = bound_by(one)
                if over is not None and (span := self._span_of(one, over.base)):
                    return worlds.number(arb(len(span)))
        if name.base != "d" or name.marks:
            return None
        for letter in ("K", "Q", "X"):
            for quantity in self.scope.latest():
                called = quantity.name
                if called is not None and called.base.rstrip("'") == letter and quantity.value.axes == 2:
                    return worlds.number(arb(quantity.value.shape[1]))
        return None

    def _grid(self, grid: GridRead) -> Worlds:
        if not grid.rows or len({len(row) for row in grid.rows}) != 1 or not grid.rows[0]:
            raise NoFit("rows are not of one length")
        figures = figures_of(grid) if not self.wide else None
        if figures is not None:
            cited = self.scope.cited_grid(figures) if self.cites else None
            if cited is None and self.cites and (line := self.scope.cited_row(figures)) is not None:
                return replace(line, axes=grid.axes)
            if cited is not None and cited.value.shape == (len(figures), len(figures[0])):
                return replace(cited.value, axes=grid.axes)
            turned = self.scope.cited_grid(tuple(zip(*figures, strict=True))) if self.cites else None
            if turned is not None and turned.value.axes == 2:
                return replace(worlds.turned(turned.value), axes=grid.axes)
            return self._by_rows_cited(figures, grid.axes) or worlds.known(rows_of(figures), grid.axes)
        return worlds.together([[self.value(each) for each in row] for row in grid.rows], grid.axes)

    def _applied(self, one: Combined) -> Worlds:
        if one.op.startswith("call:"):
            return self._call(one.op.removeprefix("call:"), one)
        rule = getattr(self, _SIGNS.get(one.op, ""), None)
        if rule is None:
            raise NoFit(f"{one.op} is not followed")
        found: Worlds = rule(one)
        return found

    def _plus(self, one: Combined) -> Worlds:
        """A sum and a difference, term by term from the left: a long sum is not deep."""
        terms: list[Combined] = [one]
        while isinstance(left := terms[-1].args[0], Combined) and left.op in ("+", "-"):
            if self.scope.given_as(left) is not None:
                break
            terms.append(left)
        total = self.value(terms[-1].args[0])
        for each in reversed(terms):
            rule = on.difference if each.op == "-" else operator.add
            total = reduce(lambda x, y: worlds.by_entries(rule, x, y), map(self.value, each.args[1:]), total)
            total = self.scope.printed_alike(total) if total.axes or self.cites else total
        return total

    def _negative(self, one: Combined) -> Worlds:
        return worlds.by_entries(lambda a: -a, self.value(one.args[0]))

    def _over(self, one: Combined) -> Worlds:
        left, right = map(self.value, one.args)
        if any(x.contains(0) for row in right.true for x in row):
            raise NoFit("division by zero")
        if self.cites and left.axes == 1 and is_sum(one.args[1], left):
            return worlds.through(lambda rows: on.called("proportions", rows), [left], 1)
        return worlds.by_entries(lambda a, b: a / b, left, right)

    def _star(self, one: Combined) -> Worlds:
        left, right = map(self.value, one.args)
        is_turned = isinstance(one.args[0], Combined) and one.args[0].op == "T"
        if right.axes == 1 and left.shape == (right.shape[1], 1) and is_turned:
            return worlds.times(worlds.flat(left), right)  # qᵀk of two vectors that are written as lists
        if one.sign in ("⊙", "odot", "\\odot", "∘") or (self.is_code and one.sign == "*"):
            return worlds.by_entries(lambda a, b: a * b, left, right)
        if left.axes and left.shape == right.shape:
            self.asked.add("is_by_entries")
            if self.open.is_by_entries:
                return worlds.by_entries(lambda a, b: a * b, left, right)
        return worlds.times(left, right)

    def _at(self, one: Combined) -> Worlds:
        left, right = map(self.value, one.args)
        return worlds.times(left, right)

    def _turned(self, one: Combined) -> Worlds:
        return worlds.turned(self.value(one.args[0]))

    def _power(self, one: Combined) -> Worlds:
        if (name := variance(one)) is not None and (known := self.scope.named_or_none(name)) is not None:
            return known
        base = self.value(one.args[0])
        exponent = one.args[1]
        minus = isinstance(exponent, Combined) and exponent.op == "neg"
        figure = exponent.args[0] if minus and isinstance(exponent, Combined) else exponent
        if isinstance(figure, FigureRead) and figure.value is not None and figure.value.denominator == 1:
            whole = int(figure.value) * (-1 if minus else 1)
            if abs(whole) > 1_000:
                raise NoFit("too large a power")
            is_matrix = base.axes == 2 and base.shape[0] == base.shape[1] > 1 and not self.is_code
            if is_matrix and isinstance(one.args[0], NameRead | GridRead):
                self.asked.add("is_by_entries")
                if not self.open.is_by_entries:
                    if not 1 <= whole <= MOST_FACTORS:
                        raise NoFit("an inverse, or too large a power of a matrix")
                    return reduce(worlds.times, [base] * whole)
            return worlds.by_entries(lambda a: a**whole, base)
        power = self.value(exponent)
        return worlds.by_entries(lambda a, b: a**b, base, power)

    def _root(self, one: Combined) -> Worlds:
        given, degree = self.value(one.args[0]), self._limit(one.args[1]) if len(one.args) > 1 else 2
        if degree is None:
            raise NoFit("a root whose degree is not known")
        return worlds.by_entries(lambda a: root(a, degree), given)

    def _either(self, one: Combined) -> Worlds:
        """The value of ± that is asked for, or both."""
        *before, right = map(self.value, one.args)
        left = before[0] if before else worlds.number(arb())
        self.asked.add("signs")
        rules = {"+": operator.add, "-": on.difference}
        values = [worlds.by_entries(rules[sign], left, right) for sign in self.open.signs]
        return values[0] if len(values) == 1 else worlds.together([values], 1)

    def _index(self, one: Combined) -> Worlds:
        if one.sign == "_":
            return self._below(one)
        value = self.value(one.args[0])
        if any(map(is_slice, one.args[1:])):
            return self._cut(value, one.args[1:])
        for index in one.args[1:]:
            place = self._place(index)
            value = worlds.row(value, place if place >= 0 else value.shape[value.axes == 1] + place)
        return value

    def whole(self, written: Expressed) -> Worlds:
        """What stands in brackets, which is worked out once for all its entries.

        Raises :class:`NoFit` where it cannot be followed.
        """
        names = [each for each in walk(written) if isinstance(each, NameRead)]
        if isinstance(written, NameRead) or any(each.below or each.above for each in names):
            return self.value(written)
        numbers = tuple(self.scope.by_name.get(called(each)) for each in names)
        key = (shown(written), numbers, self.cites)
        if key not in self.scope.in_brackets:
            self.scope.in_brackets[key] = self.value(written)
        return self.scope.in_brackets[key]

    def _below(self, one: Combined) -> Worlds:
        """``[Q K^T]_{2k}``: an entry or a row of what stands in brackets, counted as the document counts."""
        value = self.whole(bracketed(one))
        if any(map(is_slice, one.args[1:])):
            return self._cut(value, one.args[1:])
        if value.axes == 2 and 1 in value.shape and len(one.args) == 2:
            value = worlds.flat(value)
        if letters_below(one)[-1] == value.shape[1] and not self.scope.from_zero:
            self.scope.from_one = True
        for each, letter in zip(one.args[1:], letters_below(one), strict=True):
            if letter is None or (isinstance(letter, str) and letter not in self.places):
                raise NoFit(f"an index {shown(each)} is not known")
            value = worlds.row(value, self._entry(letter))
        return value

    def _call(self, name: str, one: Combined) -> Worlds:
        given = [self.value(each) for each in as_list(name, one)]
        if not given:
            raise NoFit(f"{name} of nothing")
        if name == "causal_mask":
            seen = call("tril", call("ones_like", given[0]))
            return worlds_of(call("where", seen, given[0], worlds.number(arb.neg_inf())))
        if name in OF_POOLS:
            return OF_POOLS[name](*given)
        if name in _OF_MASKS and one.sign != "_":
            places = [self.value(each) for key, each in one.named if key in ("k", "diagonal")]
            return worlds_of(call("arange" if name == "range" else name, *given, *places))
        if name == "exp" and one.sign == "e^" and "e" in self.places:
            return worlds.by_entries(lambda a, b: a**b, worlds.number(arb(self.places["e"])), given[0])
        if name == "log" and len(given) == 1 and one.sign == "log":
            self.asked.add("is_common")
            name = "lg" if self.open.is_common else name
        if name in OF_ONE:
            return worlds.by_entries(OF_ONE[name], given[0])
        if name in OF_TWO and len(given) > 1:
            return reduce(lambda x, y: worlds.by_entries(OF_TWO[name], x, y), given)
        axis = self._axis(one, given[0])
        if name == "norm" and given[0].axes == 2 and not any(key in ("dim", "axis") for key, _ in one.named):
            if not isinstance(order_of(one), NameRead | None):
                raise NoFit("a norm of a matrix that is not modelled")
            return worlds.through(lambda rows: [[ALONG[name]([x for row in rows for x in row], 0)]], given[:1], 0)
        if name in ALONG:
            along = self._along(name, one, given[0], axis)
            return worlds.turned(along) if given[0].axes == 2 and axis == "rows" and keeps_axis(one) else along
        if name in ("rms_norm", "normalize"):
            self.asked.add("is_unit_norm")
            if self.open.is_unit_norm:
                return self._by_rows_of(unit_norm, given[0], axis)
        if name in ("softmax", "log_softmax", "proportions", "normalize"):
            record = "proportions" if name == "normalize" else name
            return self._by_rows(record, self._tempered(one, given), axis)
        if name in ("layer_norm", "rms_norm"):
            written = epsilon_of(one)
            self.asked |= {"epsilon"} if written is None else set()
            epsilon = self.open.epsilon if written is None else written
            return worlds.through(lambda *rows: on.called(name, *rows, epsilon=epsilon), given, given[0].axes)
        if name == "concat":
            return worlds.below(given) if is_along_rows(one) else worlds.beside(given)
        if name in ("transpose", "T"):
            return worlds.turned(given[0])
        if name == "rounded":
            return spread(one.args[0], given[0])
        if name == "onehot" and len(given) == 2:
            return worlds_of(call("one_hot", call("int", worlds.flat(given[0])), call("int", given[1])))
        if name == "cos" and len(given) == 2 and all(each.axes for each in given):
            units = [self._by_rows_of(unit_norm, each, "rows") for each in given]
            return worlds.times(units[0], worlds.turned(units[1]) if units[1].axes == 2 else units[1])
        if name == "diag" and len(given) == 1:
            return worlds.diagonal(given[0])
        if name == "ones" and one.sign == "_":
            return worlds_of(call("ones", [*given, 1][:2]))  # ones of one size are a column
        if name in ("identity", "array", "tensor", "float", "round", "vector", "bool", *_SAME):
            return given[0]
        if name in ENTRYWISE:
            return worlds.through(lambda rows: on.called(ENTRYWISE[name], rows), given[:1], given[0].axes)
        raise NoFit(f"{name} is not followed")

    def _tempered(self, one: Combined, given: list[Worlds]) -> Worlds:
        """What softmax is taken of: ``softmax(z, temperature=2)`` of z / 2."""
        below = [
            self.value(each) for name, each in one.named if name.lower().startswith("temp") or name in ("T", "tau")
        ]
        return worlds.by_entries(lambda a, b: a / b, given[0], below[0]) if below else given[0]


_SIGNS: Mapping[str, str] = MappingProxyType(
    dict(
        each.split()
        for each in """+ _plus|- _plus|neg _negative|* _star|@ _at|/ _over|^ _power|T _turned
    |root _root|sum _sum|product _sum|each _each|± _either|index _index""".split("|")
    )
)


_OF_MASKS = frozenset("ones zeros full ones_like zeros_like tril triu where masked_fill range".split())
"""What programs make masks of."""


_SAME = ("copy", "clone", "detach", "contiguous", "astype")
"""What a program does with an array that leaves its numbers."""
