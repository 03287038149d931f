"""A chain of a statement that says one thing, sorted into names, claimed figures and formulas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from symattn.base.budget import spend
from symattn.base.remembered import cached_property
from symattn.checking.following.hints import role_of_name
from symattn.checking.following.judging import prints, units_among
from symattn.checking.following.scope import FigureGrid
from symattn.checking.following.worlds import Worlds, row, turned
from symattn.checking.following.written import (
    Called,
    bound_by,
    called,
    figures_of,
    filled,
    is_constant,
    mended,
    variance,
    walk,
)
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead, NameRead, Statement, Unread
from symattn.checking.reading.walking import NOT_MODELLED, NOT_READ, TOO_LONG

SideKind = Literal["name", "printed", "symbolic", "literal", "unread"]


@dataclass(frozen=True)
class SortedSide:
    """A side of a chain, and what it is."""

    kind: SideKind
    of: Expressed
    figures: FigureGrid = ()
    axes: int = 0


def sorted_side(written: Expressed) -> SortedSide:
    """What a side is."""
    match written:
        case Combined(op="call:print", args=(inner,)):
            return sorted_side(inner) if not isinstance(inner, Combined) else SortedSide("symbolic", inner)
        case FigureRead():
            return SortedSide("printed", written, ((written,),), 0)
        case GridRead():
            figures = mended(written) if written.torn else filled(figures_of(written))
            if figures and figures[0]:
                return SortedSide("printed", written, figures, written.axes)
        case NameRead():
            return SortedSide("name", written)
        case Unread():
            return SortedSide("unread", written)
    if (name := variance(written)) is not None:
        return SortedSide("name", name)
    pieces = list(walk(written))
    if any(isinstance(each, Unread) for each in pieces):
        return SortedSide("unread", written)
    bound = {over.base for each in pieces if isinstance(each, Combined) and (over := bound_by(each)) is not None}
    names = any(
        isinstance(each, NameRead) and not is_constant(each) and (each.base not in bound or each.below)
        for each in pieces
    )
    return SortedSide("symbolic" if names else "literal", written)


EXACT = Fraction(1, 10**12)
"""The unit of a quotient: it is no rounded figure."""


def quotient(written: Expressed) -> FigureRead | None:
    """``5/6`` of two whole numbers as the figure that it is."""
    inner = written.args[0] if isinstance(written, Combined) and written.op == "neg" else written
    if not isinstance(inner, Combined) or inner.op != "/":
        return None
    top, below = inner.args
    if not (isinstance(top, FigureRead) and isinstance(below, FigureRead) and top.unit == below.unit == 1):
        return None
    if top.value is None or below.value is None or below.value <= 0 or (inner is not written and top.value < 0):
        return None
    sign, value = ("", top.value / below.value) if inner is written else ("-", -top.value / below.value)
    return FigureRead(f"{sign}{top.text}/{below.text}", value, EXACT, written.start, written.end)


def quotients(written: Expressed) -> FigureGrid:
    """The figures that a quotient, or a list or a matrix with some, is; nothing of all else."""
    if not isinstance(written, GridRead):
        one = quotient(written)
        return ((one,),) if one else ()
    rows = [[cell if isinstance(cell, FigureRead) else quotient(cell) for cell in row] for row in written.rows]
    return tuple(map(tuple, rows)) if all(all(row) for row in rows) else ()


def about(written: Expressed) -> FigureRead | None:
    """The whole number behind ``≈`` that was rounded to tens, hundreds or more: ``≈ 32,100``."""
    if not isinstance(written, FigureRead) or not written.value or written.unit != 1 or abs(written.value) < ABOUT:
        return None
    zeros = len(str(int(written.value))) - len(str(int(written.value)).rstrip("0"))
    return replace(written, unit=Fraction(10) ** zeros) if zeros else None


ABOUT = 1000
"""Smaller whole numbers are told as they are."""


def with_claims(sides: Sequence[SortedSide], told: Statement) -> tuple[SortedSide, ...]:
    """Find the claims that are no plain figures, and what they follow from where that is a plain figure.

    A quotient of whole numbers is claimed behind a formula in figures, and at the end of a chain; ``0.25 = 25%`` says
    of one figure what another one is.
    """
    found: list[SortedSide] = []
    before: dict[int, str | None] = {id(side.of): side.relation for side in told.sides}
    is_followed = any(each.kind in ("literal", "symbolic") for each in sides)
    for place, side in enumerate(sides):
        figures = quotients(side.of) if side.kind == "literal" and before.get(id(side.of)) == "=" else ()
        why = {each.why for each in walk(side.of) if isinstance(each, Unread)}
        if not (told.is_code or is_followed) and side.kind == "unread" and why & {NOT_MODELLED, NOT_READ, TOO_LONG}:
            side = replace(side, kind="literal")
        if side.kind == "printed" and before.get(id(side.of)) == "≈" and (figure := about(side.of)) is not None:
            side = SortedSide("printed", figure, ((figure,),), 0)
        kinds = {each.kind for each in found}
        if figures and ("literal" in kinds or (place + 1 == len(sides) and "symbolic" in kinds)):
            axes = side.of.axes if isinstance(side.of, GridRead) else 0
            side = SortedSide("printed", side.of if axes else figures[0][0] or side.of, figures, axes)
        found.append(side)
    plain = [each.of for each in found if isinstance(each.of, FigureRead) and each.kind == "printed"]
    if (
        1 < len(found) == len(plain)
        and not told.is_code
        and (
            plain[0].text[-1:] == "%" or plain[0].unit < 1 or all(each.value == int(each.value or 0) for each in plain)
        )
    ):
        found[0] = replace(found[0], kind="literal")  # but of step 3 = 0.5 it is the number of a step
    return tuple(found)


def is_limit(before: Sequence[SortedSide], one: SortedSide) -> bool:
    """Return True for where a variable goes, ``T → 0``, ``n → ∞``: it says no value."""
    is_letter = any(each.kind == "name" and isinstance(each.of, NameRead) and len(each.of.base) == 1 for each in before)
    return is_letter and isinstance(one.of, FigureRead) and one.of.value in (0, None)


_PLAIN = re.compile(r"[-+−]?[\d.,{}\s]+")
"""Digits, and no percentage, power of ten or fraction."""


def are_one_number(one: FigureRead, other: FigureRead) -> bool:
    """Return True for a number that is written in two ways, such as ``0.25 = 25%``, ``0.667 ≈ 0.67``.

    Of two different numbers, as in ``Table 1.2 = 3.4`` and ``…, times 0.5 = 0.2``, something before them was not read.
    """
    if one.value is None or other.value is None:
        return False
    is_other_notation = not (_PLAIN.fullmatch(one.text) and _PLAIN.fullmatch(other.text))
    is_rounded = one.unit <= other.unit and abs(one.value - other.value) <= other.unit / 2
    return is_other_notation or is_rounded or one.value == other.value


def subject(side: SortedSide) -> NameRead | None:
    """The name that figures are said to be, or to be a part of: the α of ``α_{0,:}``, the PE of ``PE(1)``."""
    match side.of:
        case NameRead() as name if side.kind == "name":
            return name
        case Combined("index", (NameRead() as name, *_)):
            return name
        case Combined(op, (FigureRead(unit=1),) as which) if op.startswith("call:"):
            base = op.removeprefix("call:")
            if "position" in role_of_name(base):
                return NameRead(base, (), which, (), side.of.start, side.of.end, base)
    return None


def is_mask(side: SortedSide) -> bool:
    """Whether figures are nothing but 0 and −∞, or what is written for it: it follows from nothing."""
    among = [each for row in side.figures for each in row if each is not None]
    low = [each for each in among if (each.sign < 0 if each.value is None else each.value <= _LOW)]
    return 0 < len(low) < len(among) == len(low) + sum(each.value == 0 for each in among)


_LOW = -10_000


BY_FIGURE = 30
"""Steps that it takes to hold a figure against a value."""


@dataclass(frozen=True)
class Equated:
    """Sides that are all said to be equal."""

    sides: tuple[SortedSide, ...]
    told: Statement

    @cached_property
    def names(self) -> tuple[Called, ...]:
        """What it calls by a name."""
        return tuple(called(each.of) for each in self.of("name") if isinstance(each.of, NameRead))

    @cached_property
    def printed(self) -> tuple[SortedSide, ...]:
        """Figures that are claimed."""
        return tuple(self.of("printed"))

    @cached_property
    def symbolic(self) -> tuple[SortedSide, ...]:
        """Formulas in names."""
        return tuple(self.of("symbolic"))

    @cached_property
    def literal(self) -> tuple[SortedSide, ...]:
        """Formulas in figures alone."""
        return tuple(self.of("literal"))

    @cached_property
    def is_assigned(self) -> bool:
        """Whether it is a line of a program that gives a name to what a formula makes."""
        is_made = any(each.kind in ("symbolic", "literal", "unread") for each in self.sides)
        return self.told.is_code and bool(self.names) and is_made

    def of(self, kind: SideKind) -> Iterator[SortedSide]:
        """The sides of a kind."""
        return (each for each in self.sides if each.kind == kind)


_ENDS = ("∈", "<", ">", "≠")


def chains(told: Statement) -> Iterator[Equated]:
    """The parts of a statement that say one thing each.

    What stands behind ∈ or < is no value; before ← stands what gets a new one; an arrow behind figures goes on to other
    figures, and so does ``sum = 5.1 = [0.2, 0.8]``.
    """
    found: list[SortedSide] = []
    for place, side in enumerate(told.sides):
        if side.relation in _ENDS:
            if side.relation == "∈" or place + 1 == len(told.sides):
                break
            if found:
                yield Equated(with_claims(_without_shares(found), told), told)
            found = []  # behind a < b = 3 stands what b is
        if side.relation == "←":
            found = [replace(each, kind="unread") if each.kind == "name" else each for each in found]
        one = sorted_side(side.of)
        is_value = one.kind in ("printed", "literal")
        if side.relation == "→" and is_limit(found[-1:], one):
            break
        if side.relation == "→" and found and (found[-1].kind == "printed" or not is_value):
            yield Equated(with_claims(_without_shares(found), told), told)
            found = []
        if found and found[-1].kind == "printed" == one.kind and not found[-1].axes and len(flat(one.figures)) > 1:
            yield Equated(with_claims(_without_shares(found), told), told)
            found = []
        found.append(one)
    if told.is_code and len(found) > 1 and all(each.kind == "name" for each in found):
        found[-1] = replace(found[-1], kind="symbolic")  # Q = K = X gives a name to what X is
    if found:
        yield Equated(with_claims(_without_shares(found), told), told)


def _without_shares(sides: Sequence[SortedSide]) -> tuple[SortedSide, ...]:
    """``softmax(3) = 20.1 / 31.2``: of one number softmax is 1, unless the formula behind it says what it is."""
    formulas = [each for each in sides if each.kind in ("literal", "symbolic")]
    if len(formulas) < 2:
        return tuple(sides)
    return tuple(replace(each, kind="unread") if _is_share(each.of) else each for each in sides)


def _is_share(written: Expressed) -> bool:
    match written:
        case Combined("call:softmax", (FigureRead(),)):
            return True
    return False


TURNED = 0.5
"""The share of figures that agree from which on they are those of the transpose."""


def size(figures: FigureGrid) -> tuple[int, int]:
    """Rows and columns of figures."""
    return len(figures), len(figures[0])


def fits(value: Worlds, printed: SortedSide) -> bool:
    """Whether figures have the shape of a value, or that of a list of as many."""
    shape = size(printed.figures)
    return shape == value.shape or (1 in shape and 1 in value.shape and shape[0] * shape[1] == value.entries)


def alike(value: Worlds, printed: SortedSide) -> float:
    """The share of figures that are right, or would be if the matrix were not transposed."""
    is_other_way = value.axes == 2 == printed.axes and size(printed.figures) == value.shape[::-1]
    return agreeing(turned(value) if is_other_way and not fits(value, printed) else value, printed)


def is_turned(value: Worlds, printed: SortedSide) -> bool:
    """Whether rows are printed where columns should be: most figures are those of the transpose."""
    return not fits(value, printed) and alike(value, printed) > TURNED


def fits_turned(value: Worlds, printed: SortedSide) -> bool:
    """Whether figures have the shape of a value, or are clearly its transpose."""
    return fits(value, printed) or is_turned(value, printed)


def rearranged(value: Worlds, printed: SortedSide) -> bool:
    """Whether figures are those of a matrix that was transposed, or whose rows changed places."""
    if value.axes != 2 or printed.axes != 2 or min(value.shape) < 2 or size(printed.figures) != value.shape:
        return False
    if value.shape[0] == value.shape[1] and agreeing(turned(value), printed) == 1:
        return True
    rows = [row(value, place) for place in range(value.shape[0])]
    lines = [replace(printed, figures=(line,), axes=1) for line in printed.figures]
    return all(any(agreeing(each, line) == 1 for line in lines) for each in rows) and all(
        any(agreeing(each, line) == 1 for each in rows) for line in lines
    )


def as_printed(value: Worlds, printed: SortedSide) -> Worlds:
    """A value lying as its figures do."""
    return value if size(printed.figures) == value.shape else turned(value)


def flat(figures: FigureGrid) -> list[FigureRead]:
    """All figures of a grid."""
    return [each for row in figures for each in row if each is not None]


def agreeing(value: Worlds, printed: SortedSide) -> float:
    """The share of figures that are right."""
    if not fits(value, printed):
        return 0.0
    rows = as_printed(value, printed).true
    among = flat(printed.figures)
    spend(BY_FIGURE * len(among))
    unit = units_among(among)
    count = sum(
        prints(figure, rows[i][j], unit(figure))
        for i, row in enumerate(printed.figures)
        for j, figure in enumerate(row)
        if figure is not None
    )
    return count / max(1, len(among))


def telling(value: Worlds, printed: SortedSide) -> float:
    """The share of figures that are right among those that are not 0: zeros of another matrix agree too."""
    seen = tuple(tuple(None if f is not None and f.value == 0 else f for f in row) for row in printed.figures)
    return agreeing(value, replace(printed, figures=seen) if flat(seen) else printed)
