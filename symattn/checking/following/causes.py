"""What may have happened to a figure that is wrong: mistakes of the bank in the formula it follows from, then slips.

Which mistake of the bank makes the figures that are printed: each is made in one step, and worked out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias

from flint import arb, arb_mat
from sympy import MatrixExpr
from sympy.matrices.exceptions import ShapeError as NoSuchProduct

from symattn.base.budget import Budget, apart
from symattn.base.errors import SymattnError
from symattn.base.shapes import shape
from symattn.checking.following.rows import BallMatrix, NoFit
from symattn.checking.following.rows import ball as rational
from symattn.checking.following.slips import BallRows, EntryAt, ReadRows, all_agree, differ, fraction_of, slips
from symattn.checking.following.worlds import Worlds
from symattn.checking.model import Explained
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead, NameRead
from symattn.claims.mistakes.model import altered, bank, mistake_text
from symattn.claims.mistakes.subject import Subject
from symattn.compute.values.ball import ball
from symattn.compute.values.balls import at_precision
from symattn.read.plan import Plan

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
    first, dot, _ = mistake_text(mistake, "feedback", "en").partition(". ")
    return first + dot.strip()


def _ball(rows: GivenRows) -> arb_mat:
    return arb_mat([[_entry(x) for x in row] for row in rows])


def _entry(x: Fraction | arb | None) -> arb:
    if x is None:
        return arb.neg_inf()
    return x if isinstance(x, arb) else rational(Fraction(x))


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


Worth = Callable[[Expressed], Worlds]
"""What an expression is worth; it raises :class:`~symattn.checking.following.rows.NoFit` where nobody knows."""

MOST = 3
"""Explanations of one figure: more help nobody."""

DEPTH = 40
"""Deeper formulas are not held against mistakes."""

_CALLS = frozenset(
    "softmax relu gelu silu sigmoid tanh exp log layer_norm rms_norm causal_mask mean sum norm transpose concat".split()
)


def explanations(
    printed: ReadRows, expected: BallRows, place: EntryAt, mistakes: Sequence[Explained] = ()
) -> tuple[Explained, ...]:
    """The likeliest explanations of the figure at a place, which counts from 0, the likeliest first.

    ``mistakes`` are those of the whole matrix, found once by :func:`mistakes_of`; a mistake says more than a factor.
    """
    found = [one for one in slips(printed, expected, place) if not (mistakes and one.name in _SAID_BETTER)]
    return (*mistakes, *found)[:MOST]


_SAID_BETTER = frozenset({"slip:factor", "slip:transposed", "slip:shares"})
"""What a mistake of the bank says better."""


def mistakes_of(formula: Expressed, worth: Worth, printed: ReadRows) -> tuple[Explained, ...]:
    """The mistakes of the bank that make all printed figures when they are made in a formula of a document."""
    step = _Step(worth)
    try:
        text = step.text(formula)
    except NoFit:
        return ()
    return mistaken(text, step.given, printed)


@dataclass
class _Step:
    """A formula of a document as one of symattn's own language, over matrices that are given."""

    worth: Worth
    given: dict[str, BallMatrix] = field(default_factory=dict)
    names: dict[tuple[object, ...], str] = field(default_factory=dict)

    def text(self, written: Expressed, depth: int = 0) -> str:
        """The formula. Raises :class:`~symattn.checking.following.rows.NoFit` for what it cannot say."""
        if depth > DEPTH:
            raise NoFit("too deep")
        if isinstance(written, FigureRead):
            return _number(written.value)
        if isinstance(written, NameRead | GridRead):
            return self.operand(written)
        if isinstance(written, Combined):
            return self.applied(written, [self.text(each, depth + 1) for each in written.args])
        raise NoFit("not understood")

    def operand(self, written: NameRead | GridRead) -> str:
        """A number as it is, a matrix by a name that is given to it; the same matrix has one name."""
        value = self.worth(written)
        if not value.axes:
            return _number(fraction_of(value.true[0][0]))
        key = tuple(str(x) for row in value.true for x in row)
        name = self.names.setdefault((value.shape, *key), f"M{len(self.names) + 1}")
        self.given[name] = value.true
        return name

    def applied(self, written: Combined, args: list[str]) -> str:
        """Something done with other formulas."""
        match written.op, args:
            case "+" | "-" | "/" | "@", [_, _, *_]:
                return f"({f' {written.op} '.join(args)})"
            case "*", [_, _, *_] if written.sign != "⊙":
                return f"({f' {self.times(written)} '.join(args)})"
            case "neg", [one]:
                return f"(-{one})"
            case "T", [one]:
                return f"{one}.T"
            case "root", [one]:
                return f"sqrt({one})"
            case op, [_, *_] if op.removeprefix("call:") in _CALLS and not written.named:
                return f"{op.removeprefix('call:')}({', '.join(args)})"
            case "call:sqrt", [one]:
                return f"sqrt({one})"
        raise NoFit(f"{written.op} is not held against mistakes")

    def times(self, written: Combined) -> str:
        """What a sign of multiplication means between these."""
        return "@" if all(self.worth(each).axes for each in written.args) else "*"


def _number(value: Fraction | None) -> str:
    if value is None:
        raise NoFit("infinite")
    near = value.limit_denominator(10**12)
    return str(near.numerator) if near.denominator == 1 and near >= 0 else f"({near.numerator}/{near.denominator})"
