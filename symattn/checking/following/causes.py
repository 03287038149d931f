"""What may have happened to a figure that is wrong: mistakes of the bank in the formula it follows from, then slips.

>>> from fractions import Fraction
>>> from symattn.checking.following.evaluate import Appraiser
>>> from symattn.checking.following.scope import Memory
>>> from symattn.checking.reading.tree import Combined, GridRead
>>> def row(*numbers: int) -> tuple[FigureRead, ...]:
...     return tuple(FigureRead(str(n), Fraction(n), Fraction(1), 0, 1) for n in numbers)
>>> scores = GridRead((row(4, 2), row(6, 8)), "matrix", 2, 0, 1)
>>> formula = Combined("/", (scores, Combined("root", row(2), 0, 1)), 0, 1)
>>> [one.said for one in mistakes_of(formula, Appraiser(Memory()).value, scores.rows)]
['The scores were not divided by √d_k.']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from symattn.checking.following.mistaken import mistaken
from symattn.checking.following.moved import BallRows, EntryAt, ReadRows
from symattn.checking.following.rows import BallMatrix, NoFit
from symattn.checking.following.slips import NOTHING, slips
from symattn.checking.following.typed import fraction_of
from symattn.checking.following.worlds import Worlds
from symattn.checking.model import Explained
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead, NameRead

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
    printed: ReadRows,
    expected: BallRows,
    place: EntryAt,
    mistakes: Sequence[Explained] = (),
    also: Mapping[str, BallRows] = NOTHING,
    floats: Mapping[str, BallRows] = NOTHING,
) -> tuple[Explained, ...]:
    """The likeliest explanations of the figure at a place, which counts from 0, the likeliest first.

    ``mistakes`` are those of the whole matrix, found once by :func:`mistakes_of`; a mistake says more than a factor.
    """
    found = [
        one for one in slips(printed, expected, place, also, floats) if not (mistakes and one.name in _SAID_BETTER)
    ]
    return (*mistakes, *found)[:MOST]


_SAID_BETTER = frozenset({"slip:factor", "slip:not_divided", "slip:transposed", "slip:shares"})
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
