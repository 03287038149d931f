"""Figures without a formula: searched for, and where that finds nothing whole, taken at the word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from symattn.checking.following import worlds
from symattn.checking.following.chain import Equated, SortedSide, agreeing, fits, is_mask, subject
from symattn.checking.following.hints import Hints, is_left_out, role_of_name
from symattn.checking.following.indexed import LETTERS
from symattn.checking.following.natural import CLOSE_SHARE, nearness
from symattn.checking.following.seeking import DERIVED, LABEL, STATISTICS, heard_with, roles_of
from symattn.checking.following.verdicts import Ought
from symattn.checking.following.worlds import Worlds
from symattn.checking.following.worths import Worths
from symattn.checking.following.written import walk
from symattn.checking.reading.tree import Combined, FigureRead, NameRead

SLACK = Fraction(1, 4)
"""How far the digits of a row leave open what it adds up to, at most."""


CALCULATED = 99
"""What is larger, and whole, is mostly a count."""


def is_of_other_kind(value: Worlds, chain: Equated) -> bool:
    """Whether figures are no matrix, and cannot be a value by their shape."""
    return bool(chain.printed) and chain.printed[0].axes < 2 and not fits(value, chain.printed[0])


def is_by_hand(found: Ought, chain: Equated) -> bool:
    """Whether a row was worked out from figures beside it."""
    return found.is_literal or (found.does in ("proportions", "normalise") or "divided by" in found.text)


def is_alone(chain: Equated) -> bool:
    """Whether it is a single figure without any sign, which claims nothing."""
    return len(chain.told.sides) == 1 and chain.printed[0].axes == 0


def is_of_shares(printed: SortedSide) -> bool:
    """Whether every row adds up to 1, as far as its digits tell."""
    for row in printed.figures:
        values = [figure.value for figure in row if figure is not None and figure.value is not None]
        slack = Fraction(sum(figure.unit for figure in row if figure is not None))
        total = Fraction(sum(values))
        if len(values) < max(2, len(row)) or min(values) < 0 or not -slack <= total - 1 <= slack < SLACK:
            return False
    return printed.axes > 0


def is_count(printed: SortedSide) -> bool:
    """Whether a single number is a whole one, which anything may be rounded to."""
    return all(figure is not None and figure.unit >= 1 for row in printed.figures for figure in row)


def is_of_sizes(chain: Equated) -> bool:
    """``m^2 n = 6^2 \\cdot 3 = 108``: whether it counts something, with sizes that may be those of another example."""
    formulas = (*chain.literal, *chain.printed)
    figures = [each for side in formulas for each in walk(side.of) if isinstance(each, FigureRead)]
    is_whole = all(each.value is not None and each.unit == 1 and each.value >= 0 for each in figures)
    return is_whole and any(each.value > CALCULATED for each in figures if each.value is not None)


def index_equation(chain: Equated) -> bool:
    """``2i = 0``, ``2i + 1 = 3``: which place is spoken of, and no result."""
    return bool(chain.symbolic) and all(
        isinstance(one, FigureRead)
        or (isinstance(one, NameRead) and one.base in LETTERS and not one.below)
        or (isinstance(one, Combined) and one.op in ("+", "-", "*"))
        for each in (*chain.symbolic, *chain.printed)
        for one in walk(each.of)
    )


def is_only_called(formula: object) -> bool:
    """``attend(Q, K, V)``: a function of the program's own says nothing of what its results are.

    >>> is_only_called(None)
    False
    """
    return (
        isinstance(formula, Combined)
        and formula.op.startswith("call:")
        and len(formula.args) > 1
        and all(isinstance(each, NameRead) for each in formula.args)
    )


@dataclass
class Unsaid(Worths):
    """Finds what figures are that nothing beside them says."""

    def of_each_row(self, chain: Equated) -> Ought | None:
        """``"cat": mean = 0.25``, ``"sat": mean = 0.10``: the mean of one row after another."""
        if len(chain.sides) != 2 or len(chain.names) != 1 or not chain.printed or chain.printed[0].axes:
            return None
        name = chain.names[0]
        whole = next((each for each in self.scope.latest() if each.value.axes == 2), None)
        if whole is None or name.labels or not STATISTICS.intersection(role_of_name(name.base)[:1]):
            return None
        place = self.rows_told.get((whole.number, name), 0)
        self.rows_told[whole.number, name] = place + 1
        if place >= whole.value.shape[0] or LABEL.fullmatch(self.line.strip()) is None:
            return None
        for found in self.natural.candidates(Hints(), role_of_name(name.base)[:1], iter(())):
            if found.value.entries == whole.value.shape[0]:
                value = worlds.entry(found.value, *((place, 0) if found.value.shape[1] == 1 else (0, place)))
                is_right = agreeing(value, chain.printed[0]) == 1
                if is_right:
                    self.told_by_rows.add((whole.number, name))
                # the first of them has to be right, or they are of something else
                if (whole.number, name) in self.told_by_rows and nearness(value, chain.printed[0]) > 0:
                    return replace(found, value=value, text=f"{found.text}, row {place + 1}", is_literal=False)
        return None

    def unsaid(self, chain: Equated, said: Hints) -> Ought | None:
        """Figures without a formula: searched for, and where that finds nothing whole, taken at the word."""
        names = [name for each in chain.sides if (name := subject(each)) is not None]
        spoken = heard_with(Hints(), names)
        said = heard_with(said, names)
        if is_mask(chain.printed[0]):
            return None
        is_result = bool(spoken.does or DERIVED.intersection(*[roles_of(each) for each in names]))
        if names and chain.printed[0].axes and not (self.direct or self.scope.has_derived or is_result):
            return None  # the first matrices of a document are what it starts from
        if names and not (chain.printed[0].axes or self.direct or is_result) and is_count(chain.printed[0]):
            return None
        if names and (found := self.of_wrong(chain, said, names)):
            return found
        is_in_passing = is_alone(chain) and not self.nearest.does
        if is_in_passing and self.scope.is_known(chain.printed[0].figures[0][0]):
            return None
        if said.approximate and "sum" in said.does and (found := self.of_rounded(chain.printed[0])):
            return found  # “the rounded figures add up to 1.001”
        sought = self.seeker.sought(chain, said)
        if sought is not None and agreeing(sought.value, chain.printed[0]) == 1:
            is_named = any("weights" in roles_of(each)[:1] for each in names)
            return self.forgotten(sought, chain) or self.as_said(sought, chain, said, is_named) or sought
        if is_in_passing:
            sought = None  # in the middle of a sentence it claims nothing
        roles = tuple(role for each in names for role in roles_of(each))
        if not names and said.which and not (said.does or said.roles):
            roles = self.roles_of_row_before()
        has_formula = any(name in self.scope.pending or name in self.unread for name in chain.names)
        has_formula = has_formula and not any(is_only_called(self.scope.pending.get(name)) for name in chain.names)
        if has_formula and (chain.told.is_code or chain.printed[0].axes):
            return None  # it was said what it is, and that could not be followed
        if not names and any(each.kind == "unread" for each in chain.sides):
            return sought
        if said.given or (names and not set(roles) & DERIVED and (roles or not (self.direct or spoken.does))):
            return sought
        announced = self.worked_announcements(chain.printed[0].axes == 0)
        natural = self.natural.truth(chain, said, roles, announced)
        return natural or sought or (self.softmax_of_last(chain.printed[0]) if self.direct and said.does else None)

    def roles_of_row_before(self) -> tuple[str, ...]:
        """``Row 1: [0.42, 0.16, 0.42]``, ``Row 3: [0.25, 0.25, 0.50]``: what the row before is for, this one is too."""
        last = next(self.scope.latest(), None)
        return last.roles if last is not None and last.value.axes == 1 and not last.is_given else ()

    def of_wrong(self, chain: Equated, said: Hints, names: Sequence[NameRead]) -> Ought | None:
        """What words and names speak of, all of it from figures before that are wrong: search looks past these."""
        if chain.printed[0].axes < 2:
            return None
        causes = {each.number for each in self.scope.quantities if each.cause is not None}
        if not causes:
            return None
        roles = tuple(role for each in names for role in roles_of(each))
        for found in self.natural.candidates(said, roles, iter(())):
            value = found.value
            if not found.is_literal and not causes.isdisjoint(value.of) and fits(value, chain.printed[0]):
                if agreeing(value, chain.printed[0]) == 1:
                    return None
                if agreeing(replace(value, true=value.carried), chain.printed[0]) == 1:
                    return found
        return None

    def forgotten(self, sought: Ought, chain: Equated) -> Ought | None:
        """The softmax of what scores were scaled to, or masked, where figures are that of the scores before."""
        last = next(self.natural.before_softmax(), None) if sought.does == "softmax" else None
        if last is None or not {"scaled", "masked"}.intersection(last.roles) or is_left_out(self.line):
            return None
        if any("weights" in each.roles for each in self.scope.quantities[last.number :]):
            return None
        found = next(self.natural.candidates(Hints(does=("softmax",)), (), iter(())), None)
        if found is None or agreeing(found.value, chain.printed[0]) == 1:
            return None
        return found if nearness(found.value, chain.printed[0]) > 0 else None

    def softmax_of_last(self, printed: SortedSide) -> Ought | None:
        """``Softmax, row by row:`` and rows of shares, however far they are from those of the scores just before."""
        last = next((each for each in self.scope.latest() if each.value.axes), None)
        is_before = last is not None and last is next(self.natural.before_softmax(), None)
        if not is_before or "softmax" not in self.nearest.does or not is_of_shares(printed):
            return None
        meant = self.natural.candidates(Hints(does=("softmax",)), (), iter(()))
        return next((each for each in meant if fits(each.value, printed)), None)

    def as_said(self, sought: Ought, chain: Equated, said: Hints, is_named: bool) -> Ought | None:
        """A softmax that words or the name speak of, where search found something else, and it is as near."""
        is_softmax = said.does[-1:] == ("softmax",) or (not said.does and "weights" in said.roles)
        if not (is_named or (self.direct and is_softmax)) or sought.does in ("softmax", "proportions", ""):
            return None
        meant = self.natural.truth(chain, replace(said, does=("softmax",), roles=()), (), iter(()))
        return meant if meant is not None and nearness(meant.value, chain.printed[0], CLOSE_SHARE) > 1 else None
