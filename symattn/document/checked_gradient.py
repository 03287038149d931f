"""The check of a gradient on a page: the loss before and after a small move, the quotient and the gradient."""

from __future__ import annotations

from collections.abc import Iterator

from symattn.document.blocks import Block, Equation, Phrase, Readings
from symattn.document.entries.letters import Letters
from symattn.document.math import Chain, Fraction, Math, Number, Parens, added, derivative, joined, seq
from symattn.document.notation.figures import in_matrix, relation
from symattn.document.notation.formulas import Names
from symattn.scenario.model import GradientCheckItem
from symattn.shapes import EntryPlace
from symattn.solution.gradient_checks import MOVES, GradientCheck, checked_gradient
from symattn.solution.store import Store
from symattn.values.rounding import Figure


def check_blocks(item: GradientCheckItem, solution: Store, names: Names) -> Iterator[Block]:
    """The blocks of a check; none where no entry is fit for one."""
    entry = item.entry
    place = None if entry is None else EntryPlace(entry.names[0], entry.row - 1, entry.column - 1)
    found = checked_gradient(solution, item.of, item.gradients, place)
    if found is None:
        return
    moved = _entry(found, solution, names)
    yield Phrase("lead_gradient_check", (("entry", moved), ("move", _move(0)), ("loss", names(item.of))), "lead")
    yield Equation(tuple(_lines(found, names(item.of), moved)), "statement")
    yield Readings((_said(found, names(item.of), moved),))


def _entry(found: GradientCheck, solution: Store, names: Names) -> Math:
    place = found.place
    letters = Letters.choose(names, [place.name], {place.name: solution.shape(place.name)})
    return letters.entry(place.name, Number(str(place.row + 1)), Number(str(place.column + 1)))


def _move(which: int) -> Math:
    """0.001, and what comes after it."""
    return Number(MOVES[which])


def _lines(found: GradientCheck, loss: Math, moved: Math) -> Iterator[Chain]:
    """L(w), L(w + 0.001), their difference divided by 0.001, and the gradient."""
    at, after = seq(loss, Parens(moved)), seq(loss, Parens(added(moved, _move(0))))
    yield _is(at, found.before)
    yield _is(after, found.after)
    yield _is(Fraction(joined([after, at], "-"), _move(0)), found.quotient)
    yield _is(derivative(loss, moved), found.gradient)


def _is(left: Math, figure: Figure) -> Chain:
    return Chain(left, ((relation([figure]), in_matrix(figure)),))


def _said(found: GradientCheck, loss: Math, moved: Math) -> Phrase:
    """What the quotient and the gradient have in common."""
    told = (("entry", moved), ("move", _move(0)), ("loss", loss))
    if found.is_same:
        return Phrase("gradient_check_same", told, "reading")
    apart = (("apart", in_matrix(found.apart)), ("smaller", _move(1)), ("nearer", in_matrix(found.nearer)))
    exact = (("exact", int(found.apart.exact)), ("nearer_exact", int(found.nearer.exact)))
    key = "gradient_check_near" if found.shrinks else "gradient_check_apart"
    return Phrase(key, (*told, *apart, *exact), "reading")
