"""What the figures of a chain should be: from a formula beside them, from what a name was said to be, from what was
announced before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice

from symattn.checking.following import worlds
from symattn.checking.following.chain import Equated, SortedSide, agreeing, as_printed, fits, fits_turned, flat, size
from symattn.checking.following.hints import Hints, hints, role_of_name
from symattn.checking.following.indexed import letters_of
from symattn.checking.following.judging import units_off
from symattn.checking.following.natural import NEAR_UNITS, nearness, text_of
from symattn.checking.following.rows import NoFit
from symattn.checking.following.scope import Followed, Memory
from symattn.checking.following.seeking import DERIVED, heard_with, is_passing, is_remark, roles_of
from symattn.checking.following.unsaid import Unsaid, index_equation, is_by_hand, is_of_other_kind, is_of_sizes
from symattn.checking.following.verdicts import Ought
from symattn.checking.following.worlds import Worlds
from symattn.checking.following.worths import is_mistaken, is_wide
from symattn.checking.following.written import called, places, walk
from symattn.checking.reading.shown import shown
from symattn.checking.reading.tree import Combined, NameRead

NEAREST = 12
"""Among how many quantities a row is looked for."""

FAR = 12
"""How many units of its last place a figure may be off through rounding on the way."""


def gathered(scope: Memory, printed: SortedSide) -> Ought | None:
    """``The gradients are [0.2, -0.3]`` where both were worked out right before, one by one."""
    figures = flat(printed.figures)
    if printed.axes != 1 or len(figures) < 2:
        return None
    before = list(islice((each for each in scope.latest() if each.figures), len(figures)))[::-1]
    if len(before) < len(figures) or any(each.value.axes or each.is_given for each in before):
        return None
    known = [each.figures[0][0] for each in before]
    if any(one is None or one.value != figure.value for one, figure in zip(known, figures, strict=True)):
        return None
    return Ought(worlds.together([[each.value for each in before]], 1), "the numbers before")


def entries_again(known: Followed, printed: SortedSide) -> Ought | None:
    """``S entry: [1.41, 2.12, 2.83]``: different entries of a matrix, one by one."""
    places = {
        figure.text: (i, j) for i, row in enumerate(known.figures) for j, figure in enumerate(row) if figure is not None
    }
    figures = flat(printed.figures)
    if printed.axes != 1 or len(figures) < 2 or any(each.text not in places for each in figures):
        return None
    entries = [worlds.entry(known.value, *places[each.text]) for each in figures]
    return Ought(worlds.together([entries], 1), f"entries of {known.name}", is_restated=known.is_given)


def row_again(scope: Memory, printed: SortedSide, said: Hints) -> Ought | None:
    """``Row 2 weights [0.25, 0.50, 0.25]:``, printed as it was in the matrix of weights."""
    figures = [each.value for each in flat(printed.figures)]
    for which in said.which if printed.axes == 1 else ():
        place = which.number - (not scope.from_zero)
        for known in islice(scope.latest(), NEAREST):
            if known.value.axes != 2 or not 0 <= place < len(known.figures):
                continue
            if figures == [each and each.value for each in known.figures[place]]:
                return Ought(worlds.row(known.value, place), f"row {which.number} of {text_of(known)}")
    return None


def is_nearer_to(exact: Worlds, before: Worlds, printed: SortedSide) -> bool:
    """Whether a number is nearer to what stands beside it than to what its name was before."""
    figure = printed.figures[0][0]
    if printed.axes or figure is None or exact.entries > 1 or before.entries > 1:
        return False
    one, other = (units_off(figure, each.true[0][0], figure.unit) for each in (exact, before))
    return one < other


def is_of_next(quantity: Followed, printed: SortedSide, is_nearer: bool = False) -> bool:
    """Whether a word stands for another number than before: behind ``gap = 1.5 - 0.2 = 1.3`` in ``gap = 2.8 - 1.1``."""
    if quantity.value.axes or quantity.formula is None or quantity.name is None or quantity.name.labels:
        return False
    is_by_hand = not any(isinstance(each, NameRead) for each in walk(quantity.formula))
    is_other = is_nearer or (len(quantity.name.base) > 1 and is_far(quantity.value, printed))
    return is_by_hand and is_other


def is_output(chain: Equated, value: Worlds) -> bool:
    """Whether a program prints a name, so that the figures behind it are near to what it gave this name to."""
    is_below = len(chain.sides) > len(chain.told.sides)
    return chain.told.is_code and is_below and not chain.is_assigned and nearness(value, chain.printed[0]) > 0


def is_far(value: Worlds, printed: SortedSide) -> bool:
    """Whether a figure is farther from a value than rounding on the way leads."""
    if not fits(value, printed):
        return True
    return any(
        units_off(figure, x, figure.unit) > FAR
        for line, row in zip(printed.figures, as_printed(value, printed).true, strict=True)
        for figure, x in zip(line, row, strict=True)
        if figure is not None
    )


SUM_NEAR = 1.5


_SUMS = frozenset("합 和 합 합계 合計 合计 总和 總和 σ ∑ soma suma somma somme summe сумма toplam tổng".split())
"""Words for a sum too short to be looked for inside others."""


TELLING = Fraction(1, 10_000)
"""A figure of so many decimals is not by accident an entry of a matrix."""


@dataclass
class Truths(Unsaid):
    """Finds what figures are to be held against."""

    def of(self, chain: Equated, said: Hints) -> Ought | None:
        """What the figures of a chain should be; ``None`` where nothing says it."""
        found = self.of_each_row(chain) or self.said_beside(chain, said)
        return self.weights(chain, said, found) or found

    def weights(self, chain: Equated, said: Hints, found: Ought | None) -> Ought | None:
        """A row of weights that was worked out from figures beside it: the softmax of its scores, if they make it.

        ``e^{0.7} = 2.014, …, sum = 4.03, weights [0.50, …]`` shows how the row was found; what it is are exact weights.
        """
        if not chain.printed or chain.printed[-1].axes != 1 or (found is not None and not is_by_hand(found, chain)):
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
            if found := self.running_sum(exact, chain):
                return found
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
            is_nearer = is_right or is_nearer_to(exact.value, quantity.value, last)
            if (is_nearer or not is_far(exact.value, last)) and is_of_next(quantity, last, is_nearer):
                continue  # the same word of the next number
            if nearness(quantity.value, last) > 0:
                return Ought(quantity.value, quantity.text or str(name), is_literal=True)
        for each in chain.of("name"):
            if isinstance(each.of, NameRead) and self.scope.named(called(each.of)) is None:
                part = self.part(each.of, last)
                found = Ought(part, shown(each.of), each.of) if part is not None else self.of_part(each.of, last)
                if found is None or nearness(found.value, last) <= 0.5:
                    continue
                goes_on = agreeing(replace(found.value, true=found.value.carried), last) == 1
                if goes_on or (part is not None and not (is_right and is_far(found.value, last))):
                    return replace(found, is_literal=True)
        found = exact if meant is None else replace(exact, value=meant)
        return found if agreeing(found.value, last) == 1 else self.roughly(chain) or found

    def running_sum(self, exact: Ought, chain: Equated) -> Ought | None:
        """``[0.3, 0.5] = 0.2 [1.5, 2.0]`` behind ``[0.0, 0.1] = 0.1 [0.0, 1.0]``: what a loop has added up so far."""
        before = self.run[-1][1] if self.run and chain.sides[0].kind == "printed" else None
        if before is None or before.shape != exact.value.shape:
            return None
        value = worlds.by_entries(lambda a, b: a + b, exact.value, replace(before, true=before.carried))
        return replace(exact, value=value) if nearness(value, chain.printed[0]) >= 1 else None

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
                and fits_turned(found.value, printed[0])
                and not self._is_another(False, found.value, printed[0], is_formula=True)
            ):
                del self.scope.pending[key]
                return self.nearer(found, name, chain) or found
        quantity = self.scope.named(key)
        if quantity is not None:
            is_printed = chain.told.is_code and quantity.formula is not None and not quantity.figures
            if printed and not fits_turned(quantity.value, printed[0]):
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
            like = self.of_like(name, printed) if printed and agreeing(quantity.value, printed[0]) < 1 else None
            if like is not None and nearness(like.value, printed[0]) > nearness(quantity.value, printed[0]):
                return like
            restated = quantity.is_given and bool(quantity.figures)
            return Ought(quantity.value, quantity.text or str(key), quantity.formula, is_restated=restated)
        if not printed:
            return None
        # U_0 may be a matrix of its own
        part = self.part(name, printed[0]) if 1 in size(printed[0].figures) else None
        if part is not None and fits(part, printed[0]):
            return Ought(part, shown(name), name)
        return self.of_part(name, printed[0]) or self.of_like(name, printed)

    def nearer(self, found: Ought, name: NameRead, chain: Equated) -> Ought | None:
        """``weights = softmax(scores)`` was said before the scores were masked: what the name mostly stands for."""
        near = nearness(found.value, chain.printed[0])
        if near >= 1 or not chain.printed[0].axes or "weights" not in roles_of(name)[:1]:
            return None
        other = self.natural.truth(chain, Hints(), roles_of(name)[:1], iter(()))
        return other if other is not None and nearness(other.value, chain.printed[0]) > near else None

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
        roles = roles_of(replace(name, below=(), above=()))
        more = ("scaled", "weights") if "scores" in roles else ()  # only if they are just these
        usual = {each.text for each in self.natural.candidates(Hints(), roles, iter(()))}
        best, nearest = None, 0.5
        for found in self.natural.candidates(Hints(), (*roles, *more), iter(())):
            try:
                value = worlds.row(found.value, at[0]) if len(at) == 1 else worlds.entry(found.value, *at)
            except NoFit:
                continue
            is_more = bool(more) and found.text not in usual
            if (near := nearness(value, printed)) > nearest and (not is_more or agreeing(value, printed) == 1):
                best, nearest = replace(found, value=value, text=f"{shown(name)} of {found.text}"), near
        return best


_UNDONE = ("", "copy", "transposed")
"""What nobody means who goes on."""


_OF_A_ROW = frozenset({"μ", "σ", "σ²", "\\mu", "\\sigma"})
"""What a norm calls the same in every layer."""


_LINEAR = ("+", "-", "neg", "*", "/")
"""Signs of formulas in figures that stand for what they were printed for; e^{1.41} is what it says."""


_POLYNOMIAL = (*_LINEAR, "^")


_SIZES = ("call:size", "call:shape", "call:len")
