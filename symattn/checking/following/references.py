"""How formulas refer to quantities of a document, and how such formulas are told to people."""

from __future__ import annotations

import re

from symattn.checking.following.scope import Followed, Memory
from symattn.checking.following.written import Called
from symattn.checking.reading.shown import shown
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, NameRead

SHOWN, LONG = 6, 60
"""How many figures, and how long a formula, stand for what has no name."""


def text_of(quantity: Followed) -> str:
    """A quantity by its name, or by what it is."""
    return str(quantity.name) if quantity.name is not None else quantity.text or "the figures before"


def reference(quantity: Followed, scope: Memory) -> NameRead:
    """What stands for a quantity in a formula: its name, or one that is made for it."""
    name, at = quantity.name, quantity.start
    if name is not None and scope.by_name.get(name) == quantity.number:
        below = tuple(NameRead(label, (), (), (), at, at, label) for label in name.labels)
        return NameRead(name.base, name.marks, below, (), at, at, str(name))
    base = f"#{quantity.number}"
    scope.by_name[Called(base)] = quantity.number
    return NameRead(base, (), (), (), at, at, base)


def readable(formula: Expressed, scope: Memory) -> str:
    """A formula for people: what has no name by its figures, or by what it follows from."""
    if isinstance(formula, Combined) and formula.op == "index":
        whole, *places = formula.args
        text, at = readable(whole, scope), [each for each in places if isinstance(each, FigureRead)]
        if len(at) == len(places):
            row, *column = (int(each.value or 0) + 1 for each in at)
            return f"entry {row}, {column[0]} of {text}" if column else f"row {row} of {text}"
        ends = dict(places[-1].named) if isinstance(places[-1], Combined) else {}
        first, last = (figure.value for figure in ends.values() if isinstance(figure, FigureRead))
        return f"columns {int(first or 0) + 1} to {last} of {text}"
    return _MADE_NAME.sub(lambda found: _described(scope.quantities[int(found[1])]), shown(formula))


_MADE_NAME = re.compile(r"#(\d+)")


def _described(quantity: Followed) -> str:
    rows = [", ".join("…" if each is None else each.text for each in row) for row in quantity.figures]
    if rows and quantity.value.entries <= SHOWN:
        return f"[{'; '.join(rows)}]" if quantity.value.axes else rows[0]
    return f"({quantity.text})" if 0 < len(quantity.text) <= LONG else "(the matrix before)"
