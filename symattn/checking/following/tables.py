"""The figures of tables held against what the other rows of their columns show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from symattn.base.errors import BudgetError
from symattn.checking.following.chain import Equated
from symattn.checking.following.columns import Columns
from symattn.checking.following.judging import double, prints
from symattn.checking.following.ledger import SPENT, Ledger
from symattn.checking.following.scope import Memory, digits
from symattn.checking.following.verdicts import Ought, Verdicts
from symattn.checking.following.worlds import Worlds
from symattn.checking.following.worths import exact_worth
from symattn.checking.following.written import walk
from symattn.checking.reading.shown import shown
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, Statement, TableRead

FEW_DIGITS = 2
"""A number with so many digits may be in a formula of a table; one with more is no accident where it stands again."""


@dataclass
class FollowedTables:
    """Holds figures of tables, of which nothing was said, against formulas that their columns agree with."""

    scope: Memory
    ledger: Ledger
    verdicts: Verdicts
    numbers: set[Fraction] = field(default_factory=set)
    """Short numbers in the formulas so far."""

    def hear(self, told: Statement) -> None:
        """Remember the short numbers of a formula: one of them may be in a formula that nobody wrote."""
        for side in told.sides:
            for one in walk(side.of):
                if isinstance(one, FigureRead) and one.value is not None and len(digits(one)) <= FEW_DIGITS:
                    self.numbers.add(one.value)

    def hold(self, table: TableRead) -> None:
        """Enter what the columns of a table show of its figures; where the budget ends, the given ones are left."""
        try:
            self.hold_columns(table)
        except BudgetError:
            figures = [each for row in table.rows for each in row if each is not None]
            self.ledger.reopen(figures)
            for figure in figures:
                self.ledger.open(figure, SPENT)

    def hold_columns(self, table: TableRead) -> None:
        """Hold each figure against the formula of its column. Raises :class:`~symattn.base.errors.BudgetError`."""
        mended: dict[int, FigureRead] = {}
        for one in Columns(table.rows, self.numbers).worked():
            known = self.ledger.entered.get(one.figure.start)
            standing = known.standing if known is not None else "open"
            if standing != "open" and (one.agrees or standing != "given" or self.is_told_before(one.figure, table)):
                continue
            value = self.worth(one.formula, table)
            other = self.worth(mended_in(one.formula, mended), table) if mended else None
            if value is None or (other is not None and prints(one.figure, other.true[0][0], one.figure.unit)):
                continue  # or it is right for what should stand in the row before
            self.ledger.reopen([one.figure])
            why = () if one.agrees else ("as in the other rows",)
            truth = Ought(value, shown(one.formula), one.formula, is_literal=True, hidden=why, source="searched")
            self.verdicts.judge(value, ((one.figure,),), truth.text, truth)
            if not one.agrees:
                right = Fraction(round(Fraction(double(value.true[0][0])) / one.figure.unit)) * one.figure.unit
                mended[one.figure.start] = replace(one.figure, value=right)

    def worth(self, formula: Expressed, table: TableRead) -> Worlds | None:
        """Return what a formula in figures of a table makes, if that is a number."""
        value = exact_worth(self.scope, formula, Equated((), Statement((), table.start, table.end)))
        return value if value is not None and value.axes == 0 and value.true[0][0].is_finite() else None

    def is_told_before(self, figure: FigureRead, table: TableRead) -> bool:
        """Return True for a figure of several digits that stands before the table too: it is no slip there."""
        start = min(each.start for row in table.rows for each in row if each is not None)
        return len(digits(figure)) > FEW_DIGITS and any(
            one.figure.value == figure.value and one.figure.unit == figure.unit
            for place, one in self.ledger.entered.items()
            if place < start
        )


def mended_in(formula: Expressed, mended: Mapping[int, FigureRead]) -> Expressed:
    """Return a formula with the figures that should stand there in place of wrong ones."""
    if isinstance(formula, Combined):
        return replace(formula, args=tuple(mended_in(each, mended) for each in formula.args))
    return mended.get(formula.start, formula) if isinstance(formula, FigureRead) else formula
