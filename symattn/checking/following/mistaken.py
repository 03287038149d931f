"""Which mistake of the bank makes the figures that are printed: each is made in one step, and worked out.

>>> from fractions import Fraction
>>> from symattn.checking.reading.tree import FigureRead
>>> unit = Fraction(1, 100)
>>> printed = tuple(tuple(FigureRead(str(n), n * unit, unit, 0, 1) for n in row) for row in ((1200, 300), (500, 550)))
>>> rows = {"Q": ((2, 0), (1, -1)), "K": ((6, 1), ("3/2", -4))}
>>> values = {name: tuple(tuple(map(Fraction, row)) for row in given) for name, given in rows.items()}
>>> [one.name for one in mistaken("Q @ K.T / sqrt(2)", values, printed)]
['mistake:scale_forgotten']
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias

from flint import arb, arb_mat
from sympy import MatrixExpr
from sympy.matrices.exceptions import ShapeError as NoSuchProduct

from symattn.budget import Budget, apart
from symattn.checking.following.moved import BallRows, ReadRows, all_agree, differ
from symattn.checking.following.typed import ball_of
from symattn.checking.model import Explained
from symattn.errors import SymattnError
from symattn.mistakes.altered import altered
from symattn.mistakes.bank import bank
from symattn.mistakes.subject import Subject
from symattn.mistakes.words import said
from symattn.plan import Plan
from symattn.shapes import shape
from symattn.values.ball import ball
from symattn.values.number import at_precision

GivenRows: TypeAlias = Sequence[Sequence[Fraction | arb | None]]
"""Exact numbers or enclosures in rows; ``None`` is −∞."""

BITS = 96
"""The precision in which mistakes are worked out: far more than is printed."""

STEPS = 200_000
"""Steps of arithmetic for all mistakes of one step."""

LARGEST_GRID = 1024
"""Entries beyond which a matrix is not held against mistakes."""

DIGITS, OF_RARE = 3, 6
"""Digits that figures must have together where a mistake makes them other ones, and where it is a rare one: fewer agree
by accident."""

RARE = 300
"""The rank in the bank from which mistakes are rare."""

_STEP = "result_of_step"

_HIDDEN = -1000
"""What no score is: where a mask is written with a large number, it is at most this."""

NONE_NAMED: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True)
class _Made:
    """A mistake of the bank, and the formulas that it makes of one step and of the masks in it."""

    mistake: str
    formulas: Mapping[str, MatrixExpr]
    is_rare: bool


@dataclass(frozen=True)
class _Form:
    """A step without its numbers: many have the same, and mistakes are made in it once."""

    formula: str
    shapes: tuple[tuple[str, int, int], ...]
    masks: tuple[str, ...]
    """What is a causal mask by its entries: mistakes look for the operation."""
    sizes: tuple[tuple[str, int], ...]


def mistaken(
    formula: str, values: Mapping[str, GivenRows], printed: ReadRows, sizes: Mapping[str, int] = NONE_NAMED
) -> tuple[Explained, ...]:
    """The mistakes, the more common ones first, that give all printed figures when they are made in ``formula``.

    It is a formula of symattn's own language over the names in ``values`` and the ``sizes``. Nothing where it cannot be
    read or the figures are right, and no more than the budget allows.
    """
    if sum(map(len, printed)) > LARGEST_GRID or any(not rows or not rows[0] for rows in values.values()):
        return ()
    shapes = tuple((name, len(rows), len(rows[0])) for name, rows in values.items())
    masks = tuple(name for name, rows in values.items() if is_causal(rows))
    form = _Form(formula, shapes, masks, tuple(sizes.items()))
    found: dict[str, Explained] = {}
    try:
        with apart(Budget(STEPS)), at_precision(BITS):
            known = {name: _ball(rows) for name, rows in values.items()}
            right = _worked({_STEP: _right(form)}, known)
            for made in _all_made(form):
                needed = OF_RARE if made.is_rare else DIGITS
                if made.mistake not in found and _explains(_worked(made.formulas, known), right, printed, needed):
                    found[made.mistake] = Explained(_named(made.mistake), _sentence(made.mistake))
    except SymattnError:
        pass  # what was found before the budget ended counts
    return tuple(found.values())


def _named(mistake: str) -> str:
    return "mistake:" + mistake.replace("-", "_")


def _sentence(mistake: str) -> str:
    """What the bank says was done: the first sentence of its feedback."""
    first, dot, _ = said(mistake, "feedback", "en").partition(". ")
    return first + dot.strip()


def _ball(rows: GivenRows) -> arb_mat:
    return arb_mat([[_entry(x) for x in row] for row in rows])


def _entry(x: Fraction | arb | None) -> arb:
    if x is None:
        return arb.neg_inf()
    return x if isinstance(x, arb) else ball_of(Fraction(x))


def is_causal(rows: GivenRows) -> bool:
    """Whether a matrix is a mask that hides what comes later, with −∞ or a large negative number.

    >>> is_causal(((0, None), (0, 0))), is_causal(((0, Fraction(-10**9)), (0, 0))), is_causal(((0, 1), (0, 0)))
    (True, True, False)
    """
    if len(rows) < 2 or any(len(row) != len(rows) for row in rows):
        return False
    return all(
        (x is None or bool(x <= _HIDDEN)) if column > number else x is not None and bool(x == 0)
        for number, row in enumerate(rows)
        for column, x in enumerate(row)
    )


def _worked(formulas: Mapping[str, MatrixExpr], known: Mapping[str, arb_mat]) -> BallRows | None:
    """The value of the step, and ``None`` where it has none with these numbers."""

    def lookup(name: str) -> arb_mat:
        return ball(formulas[name], known.__getitem__) if name in formulas else known[name]

    try:
        value = ball(formulas[_STEP], lookup)
    except (ArithmeticError, ValueError, KeyError):
        return None
    return None if any(x.is_nan() for x in value.entries()) else value.tolist()


def _explains(made: BallRows | None, right: BallRows | None, printed: ReadRows, needed: int) -> bool:
    """Whether figures are those of a mistake, and enough of them are not the right ones."""
    if made is None or not all_agree(printed, made):
        return False
    if right is None or [len(row) for row in made] != [len(row) for row in right]:
        return True
    return _digits(printed, made, right) >= needed


def _digits(printed: ReadRows, made: BallRows, right: BallRows) -> int:
    """How many digits the figures have that a mistake makes other ones; of a figure again every second time one."""
    other = [
        (x.value, x.unit)
        for row, first, second in zip(printed, made, right, strict=True)
        for x, a, b in zip(row, first, second, strict=True)
        if x is not None and differ([[a]], [[b]], [[x]])
    ]
    digits = sum(1 if value is None else len(str(abs(int(value / unit)))) for value, unit in set(other))
    return digits + (len(other) - len(set(other))) // 2


@lru_cache(maxsize=256)
def _subject(form: _Form) -> Subject:
    plan = Plan(sizes=dict(form.sizes))
    for name, rows, columns in form.shapes:
        is_mask = name in form.masks
        plan = plan.step(name, f"causal_mask({rows})") if is_mask else plan.given(name, shape(rows, columns))
    return Subject(plan.step(_STEP, form.formula))


def _right(form: _Form) -> MatrixExpr:
    subject = _subject(form)
    step = subject.plan[_STEP].formula
    assert step is not None
    return step.xreplace(subject.sizes)


@lru_cache(maxsize=256)
def _all_made(form: _Form) -> tuple[_Made, ...]:
    """The step after every mistake that can be made in it."""
    return tuple(_each_made(_subject(form)))


def _each_made(subject: Subject) -> Iterator[_Made]:
    for mistake in bank():
        if "matrix" not in mistake.kinds:
            continue
        try:
            changes = [change for change in mistake.rewrite(subject) if change.rounded_to is None and change.formulas]
        except (SymattnError, NoSuchProduct):
            continue
        for change in changes:
            formulas = altered(subject, change).formulas
            if _STEP in formulas:
                yield _Made(mistake.name, formulas, mistake.rank >= RARE)
