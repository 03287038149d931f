"""What the figures of a chain should be: from a formula beside them, from what a name was said to be, from what was
announced before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from symattn.checking.following import worlds
from symattn.checking.following.again import entries_again, gathered, is_far, is_of_next, is_output, row_again
from symattn.checking.following.by_mistake import is_mistaken
from symattn.checking.following.chain import Equated, agreeing, fits, flat, is_turned, size
from symattn.checking.following.hints import Hints, hints, role_of_name
from symattn.checking.following.indexed import LETTERS, letters_of
from symattn.checking.following.judging import units_off
from symattn.checking.following.names import called, places
from symattn.checking.following.natural import CLOSE_SHARE, NEAR_UNITS, nearness
from symattn.checking.following.passing import DERIVED, heard_with, is_passing, is_remark
from symattn.checking.following.rows import NoFit
from symattn.checking.following.seeking import roles_of
from symattn.checking.following.sides import SortedSide, is_mask
from symattn.checking.following.verdicts import Ought
from symattn.checking.following.worlds import Worlds
from symattn.checking.following.worths import Worths, is_wide
from symattn.checking.following.written import walk
from symattn.checking.reading.shown import shown
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, NameRead

"""What the figures of a chain should be: from a formula beside them, from what a name was said to be, from what was
announced before."""


SUM_NEAR = 1.5


_SUMS = frozenset("합 和 합 합계 合計 合计 总和 總和 σ ∑ soma suma somma somme summe сумма toplam tổng".split())
"""Words for a sum too short to be looked for inside others."""


TELLING = Fraction(1, 10_000)
"""A figure of so many decimals is not by accident an entry of a matrix."""


CALCULATED = 99
"""What is larger, and whole, is mostly a count."""


@dataclass
class Truths(Worths):
    """Finds what figures are to be held against."""

    def of(self, chain: Equated, said: Hints) -> Ought | None:
        """What the figures of a chain should be; ``None`` where nothing says it."""
        found = self.said_beside(chain, said)
        return self.weights(chain, said, found) or found

    def weights(self, chain: Equated, said: Hints, found: Ought | None) -> Ought | None:
        """A row of weights that was worked out from figures beside it: the softmax of its scores, if they make it.

        ``e^{0.7} = 2.014, …, sum = 4.03, weights [0.50, …]`` shows how the row was found; what it is are exact weights.
        """
        if not chain.printed or chain.printed[-1].axes != 1 or (found is not None and not _is_by_hand(found, chain)):
            return None
        names = [each.of for each in chain.of("name") if isinstance(each.of, NameRead)]
        spoken = heard_with(said, names)
        roles = {*spoken.roles, *(role for name in names for role in roles_of(name))}
        is_said = any(isinstance(each.of, Combined) and each.of.op == "call:softmax" for each in chain.sides)
        if not is_said and "softmax" not in spoken.does and not roles & {"weights", "probabilities"}:
            return None
        for whole in self.natural.candidates(Hints(does=("softmax",)), (), iter(())):
            if not whole.value.axes or whole.value.shape[1] != len(flat(chain.printed[-1].figures)):
                continue
            if whole.value.axes == 1:
                same = replace(whole.value, true=whole.value.carried)
                if agreeing(same, chain.printed[-1]) == 1:
                    return replace(whole, is_literal=False)
                continue
            for place in range(whole.value.shape[0]):
                row = worlds.row(whole.value, place)
                if agreeing(replace(row, true=row.carried), chain.printed[-1]) == 1:
                    return replace(whole, value=row, text=f"row {place + 1} of {whole.text}", is_literal=False)
        return None

    def said_beside(self, chain: Equated, said: Hints) -> Ought | None:
        """What a formula, a name, an announcement or words say that figures are."""
        self.order = tuple(
            letter
            for each in chain.of("name")
            if isinstance(each.of, NameRead)
            for letter in letters_of(each.of)
            if isinstance(letter, str)
        )
        for each in () if index_equation(chain) else chain.symbolic:
            found = self.worth(each.of, chain.printed, chain.told.is_code)
            if found and (is_of_other_kind(found.value, chain) or is_of_sizes(chain)) and self.is_exactly(chain):
                continue  # its names stand for something else than what is known by them
            is_known = found and found.value.of and self.has_names(each.of)
            if found and (found.value.axes or is_known or not self.named_anew(chain)):
                return found
        if chain.literal and (found := self.of_figures(chain, said)):
            return found
        if found := self.of_sentence(chain):
            return found
        if found := self.of_sum(chain, said):
            return found
        for each in chain.of("name"):
            if chain.is_assigned:
                break  # it is no longer what it was
            if isinstance(each.of, NameRead) and (found := self.of_name(each.of, chain)):
                return self.otherwise(found, each.of, chain, said) or self.went_on(found, chain, said) or found
        if not chain.printed:
            return None
        if not chain.names and not chain.symbolic and (found := self.of_announced(chain.printed[0])):
            is_all = agreeing(found.value, chain.printed[0]) == 1
            return found if is_all else gathered(self.scope, chain.printed[0]) or found
        if any(known is not None and known.is_given for known in map(self.scope.named, chain.names)):
            return None
        if not chain.names and (found := row_again(self.scope, chain.printed[0], said)):
            self.is_recalled = True
            return found
        return self.unsaid(chain, said)

    def went_on(self, found: Ought, chain: Equated, said: Hints) -> Ought | None:
        """``S = Q Kᵀ, then divided by √d_k:`` what a name was said to be may go on in words before its figures."""
        goes_on = (self.direct and said.does) or found.value.of
        if not chain.printed or not goes_on or agreeing(found.value, chain.printed[0]) > 0.5:
            return None
        if agreeing(replace(found.value, true=found.value.carried), chain.printed[0]) == 1:
            return None
        if not self.may_be_columns and is_mistaken(self.scope, found.formula, chain.printed[0].figures):
            return None
        if not (self.direct and said.does) and self.is_begun(found.formula, chain.printed[0]):
            return None
        sought = self.seeker.sought(chain, said)
        if sought is None or sought.does in _UNDONE:
            return None  # that what was said to be done was not
        return sought if agreeing(sought.value, chain.printed[0]) == 1 else None

    def is_begun(self, formula: Expressed | None, printed: SortedSide) -> bool:
        """Whether figures are those of a part of a formula: something in it was not done."""
        parts = walk(formula) if isinstance(formula, Combined) else iter(())
        worths = (self.worth(each, [printed]) for each in parts if each is not formula and isinstance(each, Combined))
        return any(each is not None and agreeing(each.value, printed) == 1 for each in worths)

    def unsaid(self, chain: Equated, said: Hints) -> Ought | None:
        """Figures without a formula: searched for, and where that finds nothing whole, taken at the word."""
        names = [each.of for each in chain.of("name") if isinstance(each.of, NameRead)]
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
            return found
        sought = self.seeker.sought(chain, said)
        if sought is not None and agreeing(sought.value, chain.printed[0]) == 1:
            return self.forgotten(sought, chain) or self.as_said(sought, chain, said) or sought
        if is_in_passing:
            sought = None  # in the middle of a sentence it claims nothing
        roles = tuple(role for each in names for role in roles_of(each))
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
        return natural or sought

    def of_wrong(self, chain: Equated, said: Hints, names: Sequence[NameRead]) -> Ought | None:
        """What words and names speak of, all of it from figures before that are wrong: search looks past these."""
        causes = {each.number for each in self.scope.quantities if each.cause is not None}
        if not causes or chain.printed[0].axes < 2:
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
        if last is None or not {"scaled", "masked"}.intersection(last.roles):
            return None
        if any("weights" in each.roles for each in self.scope.quantities[last.number :]):
            return None
        found = next(self.natural.candidates(Hints(does=("softmax",)), (), iter(())), None)
        is_other = found is not None and agreeing(found.value, chain.printed[0]) < 1
        return found if is_other and nearness(found.value, chain.printed[0]) > 0 else None

    def as_said(self, sought: Ought, chain: Equated, said: Hints) -> Ought | None:
        """A softmax that words speak of, where search found something else, and it is as near."""
        is_softmax = said.does[-1:] == ("softmax",) or (not said.does and "weights" in said.roles)
        if not self.direct or not is_softmax or sought.does in ("softmax", "proportions", ""):
            return None
        meant = self.natural.truth(chain, replace(said, does=("softmax",), roles=()), (), iter(()))
        return meant if meant is not None and nearness(meant.value, chain.printed[0], CLOSE_SHARE) > 1 else None

    def of_figures(self, chain: Equated, said: Hints) -> Ought | None:
        """What a formula in figures is worth: exactly what stands there, or, where it has a name, what is meant."""
        exacts = [found for each in chain.literal if (found := self.exactly(each.of, chain))]
        last = chain.printed[-1] if chain.printed else None
        if not exacts or last is None:
            return exacts[0] if exacts else None
        exact, meant = exacts[0], self.meant(chain)
        if meant is not None and any(x.is_nan() for row in meant.true for x in row):
            return replace(exact, value=meant)
        if meant is not None and not self.is_plausible(exact.value, meant, last):
            meant = None
        is_sum = all(not isinstance(each, Combined) or each.op in _LINEAR for each in walk(chain.literal[0].of))
        is_labelled = is_sum and self.direct and bool(set(said.roles) & DERIVED)
        is_labelled |= isinstance(chain.literal[0].of, Combined) and chain.literal[0].of.op == "call:softmax"
        if last.axes and (not chain.names or is_remark(chain)):
            names = [each.of for each in chain.of("name") if isinstance(each.of, NameRead)]
            if found := self.row_of_announced(chain, heard_with(said, names), exact.value):
                return found
        is_named = bool(chain.names) and not all(map(is_passing, chain.names)) and not is_remark(chain)
        if not (is_named or chain.symbolic or is_labelled):
            is_power = all(
                not isinstance(each, Combined) or each.op in _POLYNOMIAL for each in walk(chain.literal[0].of)
            )
            if agreeing(exact.value, last) == 1:
                return exact
            if meant is not None and agreeing(meant, last) == 1 and (is_sum or (is_power and is_wide(meant))):
                return replace(exact, value=meant)
            return (is_sum and self.entry_of_output(exact, last)) or self.roughly(chain) or exact
        is_right = agreeing(exact.value, last) == 1
        if is_right and chain.names and all(name.base in _OF_A_ROW for name in chain.names):
            return exact if meant is None or agreeing(meant, last) < 1 else replace(exact, value=meant)
        for name in chain.names:
            quantity = self.scope.named(name)
            if quantity is None or quantity.is_given or (is_right and chain.is_shown_by_arrow):
                continue
            if not is_far(exact.value, last) and is_of_next(quantity, last):
                continue  # the same word of the next number
            if nearness(quantity.value, last) > 0:
                return Ought(quantity.value, quantity.text or str(name), is_literal=True)
        for each in chain.of("name"):
            if isinstance(each.of, NameRead) and self.scope.named(called(each.of)) is None:
                part = self.part(each.of, last)
                found = Ought(part, shown(each.of), each.of) if part is not None else self.of_part(each.of, last)
                is_told = (
                    part is not None or agreeing(replace(found.value, true=found.value.carried), last) == 1
                    if found
                    else False
                )
                if found is not None and is_told and nearness(found.value, last) > 0.5:
                    return replace(found, is_literal=True)
        found = exact if meant is None else replace(exact, value=meant)
        return found if agreeing(found.value, last) == 1 else self.roughly(chain) or found

    def entry_of_output(self, exact: Ought, printed: SortedSide) -> Ought | None:
        """``0.178370 + 0.263846 + 1.467362 = 1.909579``: an entry of the output, exactly, in rounded summands."""
        figure = printed.figures[0][0]
        if printed.axes or figure is None or figure.unit > TELLING:
            return None
        if units_off(figure, exact.value.true[0][0], figure.unit) > NEAR_UNITS:
            return None
        for whole in self.natural.candidates(Hints(does=("output",)), (), iter(())):
            rows, columns = whole.value.shape
            for value in (worlds.entry(whole.value, i, j) for i in range(rows) for j in range(columns)):
                if agreeing(value, printed) == 1:
                    return replace(whole, value=value, text=f"an entry of {whole.text}", is_literal=False)
        return None

    def of_sum(self, chain: Equated, said: Hints) -> Ought | None:
        """``sum = 2.730`` behind ``e^{0.127} = 1.135, e^{0.467} = 1.595``: the sum of what stands there, exactly."""
        if not chain.printed or chain.printed[0].axes or not self.run:
            return None
        spoken = {name for each in chain.names for name in hints(each.base).does} or set(
            said.does[-1:] if self.direct else ()
        )
        if "sum" not in spoken and self.word.lower() not in _SUMS:
            return None
        totals = list(self.totals())
        is_all = bool(totals) and all(each.entries == 1 for each, _ in self.run)
        found = next(
            (
                each
                for each in totals
                if agreeing(each.value, chain.printed[0]) == 1 or nearness(each.value, chain.printed[0]) >= SUM_NEAR
            ),
            totals[0] if is_all and self._is_near(totals[0].value, chain.printed[0]) else None,
        )
        if found is not None:
            self.run.clear()
        return found

    def of_name(self, name: NameRead, chain: Equated) -> Ought | None:
        """What a name has been said to be before."""
        key, printed = called(name), chain.printed
        if is_passing(key) and not (printed and printed[0].axes and len(key.base) == 1):
            return None
        formula = self.scope.pending.get(key)
        if isinstance(formula, Combined) and formula.op in _SIZES:
            return None  # of another example it is another one
        if formula is not None and printed:
            found = self.worth(formula, printed)
            if (
                found is not None
                and (fits(found.value, printed[0]) or is_turned(found.value, printed[0]))
                and not self._is_another(False, found.value, printed[0], is_formula=True)
            ):
                del self.scope.pending[key]
                return found
        quantity = self.scope.named(key)
        if quantity is not None:
            is_printed = chain.told.is_code and quantity.formula is not None and not quantity.figures
            if printed and not fits(quantity.value, printed[0]):
                return entries_again(quantity, printed[0])
            if printed and (
                (
                    not is_printed
                    and self._is_another(self.scope.is_of_before(quantity), quantity.value, printed[0])
                    and not is_output(chain, quantity.value)
                    and (bool(quantity.figures) or not is_mistaken(self.scope, quantity.formula, printed[0].figures))
                )
                or (self.is_of_another(quantity) and agreeing(quantity.value, printed[0]) < 1)
            ):
                return self.of_like(name, printed)
            restated = quantity.is_given and bool(quantity.figures)
            return Ought(quantity.value, quantity.text or str(key), quantity.formula, is_restated=restated)
        if not printed:
            return None
        # U_0 may be a matrix of its own
        part = self.part(name, printed[0]) if 1 in size(printed[0].figures) else None
        if part is not None and fits(part, printed[0]):
            return Ought(part, shown(name), name)
        return self.of_part(name, printed[0]) or self.of_like(name, printed)

    def of_like(self, name: NameRead, printed: Sequence[SortedSide]) -> Ought | None:
        """``Loss = 0.69`` after ``L = -log(p)``: a formula without a value whose name stands for the same."""
        roles = roles_of(name)[:1]
        if not DERIVED.intersection(roles):
            return None
        for key, formula in reversed(self.scope.pending.items()):
            if role_of_name(key.base)[:1] != roles:
                continue
            found = self.worth(formula, printed)
            if found is None or nearness(found.value, printed[0]) == 0:
                continue
            # There are many weights and gradients, and one loss.
            if (not found.value.axes and roles != ("gradient",)) or agreeing(found.value, printed[0]) == 1:
                return found
        return None

    def otherwise(self, found: Ought, name: NameRead, chain: Equated, said: Hints) -> Ought | None:
        """What figures are if their name, printed before, now stands for something else that gives all of them."""
        known = self.scope.named(called(name))
        if not chain.printed or known is None or not known.figures or known.value is not found.value:
            return None
        printed = chain.printed[0]
        if printed.axes == 0 or agreeing(found.value, printed) == 1:
            return None
        if cooled := self.natural.cooled(known, printed):
            return cooled
        sought = self.seeker.sought(chain, said)
        return sought if sought is not None and agreeing(sought.value, printed) == 1 else None

    def of_part(self, name: NameRead, printed: SortedSide) -> Ought | None:
        """``A_{31}`` of an A that nobody wrote down: what A mostly is, if the figures are near to it."""
        at = places((*name.below, *name.above))
        if at is None or len(at) > 2 or "weight_matrix" in roles_of(name):
            return None
        at = tuple(each - (not self.scope.from_zero) for each in at)
        for found in self.natural.candidates(Hints(), roles_of(replace(name, below=(), above=())), iter(())):
            try:
                value = worlds.row(found.value, at[0]) if len(at) == 1 else worlds.entry(found.value, *at)
            except NoFit:
                continue
            if nearness(value, printed) > 0.5:
                return replace(found, value=value, text=f"{shown(name)} of {found.text}")
        return None


_UNDONE = ("", "copy", "transposed")
"""What nobody means who goes on."""


_OF_A_ROW = frozenset({"μ", "σ", "σ²", "\\mu", "\\sigma"})
"""What a norm calls the same in every layer."""


_LINEAR = ("+", "-", "neg", "*", "/")
"""Signs of formulas in figures that stand for what they were printed for; e^{1.41} is what it says."""


_POLYNOMIAL = (*_LINEAR, "^")


_SIZES = ("call:size", "call:shape", "call:len")


def is_of_other_kind(value: Worlds, chain: Equated) -> bool:
    """Whether figures are no matrix, and cannot be a value by their shape."""
    return bool(chain.printed) and chain.printed[0].axes < 2 and not fits(value, chain.printed[0])


def _is_by_hand(found: Ought, chain: Equated) -> bool:
    """Whether a row was worked out from figures beside it."""
    return found.is_literal or (found.does in ("proportions", "normalise") or "divided by" in found.text)


def is_alone(chain: Equated) -> bool:
    """Whether it is a single figure without any sign, which claims nothing."""
    return len(chain.told.sides) == 1 and chain.printed[0].axes == 0


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
