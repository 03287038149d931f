"""Read the claims of a source, one table ``[[claim]]`` each, with the values that decide them."""

from __future__ import annotations

import re

from symattn.base import limits
from symattn.base.errors import FormulaError, cut, shown, unknown
from symattn.base.printed import as_printed
from symattn.operations.terms import Kept
from symattn.read.plan import Plan
from symattn.read.quantities import growth, in_letters, quantity_values, read_number_of, read_order, unknown_in
from symattn.read.scenario.definitions import with_numbers
from symattn.read.scenario.model import Claim, ClaimedEntry, ClaimedOrder, ClaimedQuantity
from symattn.read.scenario.problem import AT_ONCE, Key, Problem, Problems, located, must_be_known
from symattn.read.scenario.quantities import Extras, read_at
from symattn.read.scenario.schema import ClaimTable, File
from symattn.read.scenario.words import Words, WordScope

_ENTRY = re.compile(r"([A-Za-z][A-Za-z0-9_]*)\s*\[\s*(\d{1,9})\s*,\s*(\d{1,9})\s*\]\Z", re.ASCII)
_SEPARATED = re.compile(r"[-+\u2212]?\d{1,3}(?:([, \u00a0\u2009\u202f])\d{3})(?:\1\d{3})*(?:\.\d+)?\Z", re.ASCII)


def plain_figure(says: str) -> str:
    """Return a figure of a source in our notation, without separators of thousands.

    >>> plain_figure("262,144"), plain_figure("1.495"), plain_figure("6.3e-02"), plain_figure("1,49")
    ('262144', '1.495', '0.063', '1,49')
    """
    text = says.strip()
    plain = re.sub(r"[, \u00a0\u2009\u202f]", "", text) if _SEPARATED.match(text) else text
    return as_printed(plain) or text


def read_claims(
    file: File, derivation: Plan, extras: Extras, known: WordScope, found: Problems = AT_ONCE
) -> tuple[Claim, ...]:
    """Read the claims of a file, each checked against the names it uses."""
    reader = _Reader(derivation, extras)
    claims = []
    for number, table in found.until_many(enumerate(file.claim)):
        with found.caught():
            claims.append(_claim(table, reader, known, ("claim", number), found))
    return tuple(claims)


def _claim(table: ClaimTable, reader: _Reader, known: WordScope, key: Key, found: Problems) -> Claim:
    about, reason, said = Words({}), None, None
    with found.caught():
        said = None if table.said is None else Words.read(table.said, known, (*key, "said"))
    with found.caught():
        about = Words.read(table.about, known, (*key, "about"))
    with found.caught():
        reason = None if table.reason is None else Words.read(table.reason, known, (*key, "reason"))
    return Claim(table.says, about, reader.subject(table, key), reason, key, said)


class _Reader:
    def __init__(self, derivation: Plan, extras: Extras) -> None:
        self.derivation, self.extras = derivation, extras

    def subject(self, table: ClaimTable, key: Key) -> ClaimedEntry | ClaimedQuantity | ClaimedOrder | None:
        """Return the value or order that decides a claim, or ``None``; a claim has at most one."""
        if table.value is not None and table.order_of is not None:
            raise Problem((*key, "order_of"), "a claim has a value or an order, and this one has both: leave one out")
        if table.order_of is None and table.letter is not None:
            raise Problem((*key, "in"), "in goes with order_of, which is missing")
        if table.value is None and table.at is not None:
            raise Problem((*key, "at"), "at goes with value, which is missing")
        if table.value is not None:
            return self._value(table, table.value.strip(), key)
        return None if table.order_of is None else self._order(table, table.order_of, key)

    def _value(self, table: ClaimTable, written: str, key: Key) -> ClaimedEntry | ClaimedQuantity:
        if len(table.says) > limits.NUMBER_LENGTH or as_printed(plain_figure(table.says)) is None:
            expected = "expected digits as the source prints them, such as 1.495, 6.3e-02 or 262,144"
            raise Problem((*key, "says"), f"{shown(table.says)} is not a figure: {expected}")
        if match := _ENTRY.match(written):
            return self._entry(table, match[1], int(match[2]), int(match[3]), key)
        if written in self.extras.quantities:
            return self._quantity(table, written, key)
        if written in self.derivation.by_name:
            raise Problem((*key, "value"), f"{written} is a matrix: expected an entry of it such as {written}[1,1]")
        names = [*self.derivation.by_name, *self.extras.quantities]
        hint = "" if written.isidentifier() else "; an entry is written X[2,3]"
        raise Problem((*key, "value"), unknown("name", written, names) + hint)

    def _entry(self, table: ClaimTable, name: str, row: int, column: int, key: Key) -> ClaimedEntry:
        must_be_known(name, self.derivation.by_name, (*key, "value"))
        step = with_numbers(self.derivation[name], (*key, "value"))
        rows, columns = (int(size) for size in step.shape.sizes)
        if not (1 <= row <= rows and 1 <= column <= columns):
            raise Problem(
                (*key, "value"),
                f"{name} is {step.shape}: expected a row from 1 to {rows} and a column from 1 to {columns}, "
                f"came [{row},{column}]",
            )
        if table.at is not None:
            raise Problem((*key, "at"), f"{name} is a matrix and has its numbers: at is for quantities")
        return ClaimedEntry(name, row, column)

    def _quantity(self, table: ClaimTable, name: str, key: Key) -> ClaimedQuantity:
        quantities = self.extras.quantities
        if table.at is not None:
            return ClaimedQuantity(name, read_at(name, table.at, self.derivation, quantities, (*key, "at")))
        letters = in_letters(quantities[name].value, quantities)
        missing = [
            atom
            for atom in unknown_in(letters, quantity_values({}, self.derivation.sizes))
            if not isinstance(atom, Kept)
        ]
        if missing:
            raise Problem((*key, "value"), f"{name} has no value: {missing[0]} is a letter without a number")
        return ClaimedQuantity(name)

    def _order(self, table: ClaimTable, formula: str, key: Key) -> ClaimedOrder:
        if table.letter is None:
            raise Problem(key, "in is missing: the size that order_of grows with")
        must_be_known(table.letter, self.derivation.sizes, (*key, "in"), "size")
        if read_order(table.says) is None:
            raise Problem(
                (*key, "says"), f"{shown(table.says)} is not an order: expected O(1), O(n), O(n^2), … or O(n log n)"
            )
        with located((*key, "order_of")):
            number, _ = read_number_of(formula, self.derivation, self.extras.quantities)
            value = in_letters(number, self.extras.quantities)
        try:
            growth(value, table.letter)
        except FormulaError as error:
            raise Problem((*key, "order_of"), f"{cut(formula)} {error}") from None
        if value.atoms(Kept) or not value.free_symbols:
            raise Problem(
                (*key, "order_of"),
                f"{formula} has no letters to grow with: name the axes of its matrices with axes = […]",
            )
        return ClaimedOrder(formula, table.letter)
