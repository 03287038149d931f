"""What the figures of a chain should be: from a formula beside them, from what a name was said to be, from what was
announced before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from flint import arb

from symattn.checking.following import worlds
from symattn.checking.following.again import gathered, is_far, is_of_next, is_output
from symattn.checking.following.chain import Equated, agreeing, as_printed, fits, flat, telling
from symattn.checking.following.evaluate import Appraiser, Open
from symattn.checking.following.hints import Hints, hints, role_of_name
from symattn.checking.following.indexed import LETTERS, is_for_all, letters_of
from symattn.checking.following.judging import double, units_off
from symattn.checking.following.names import Called, called, places
from symattn.checking.following.natural import CLOSE_SHARE, NEAR_UNITS, Natural, nearness
from symattn.checking.following.passing import DERIVED, LABEL, STATISTICS, heard_with, is_passing, is_remark
from symattn.checking.following.rows import NoFit
from symattn.checking.following.scope import Followed, Memory
from symattn.checking.following.seeking import Seeker, roles_of
from symattn.checking.following.sides import SortedSide, is_mask
from symattn.checking.following.verdicts import Ought
from symattn.checking.following.worlds import Worlds
from symattn.checking.following.written import walk
from symattn.checking.reading.shown import shown
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, NameRead

USUAL = Open()

_READINGS = (
    USUAL,
    Open(epsilon=Fraction(0)),
    *(Open(epsilon=Fraction(1, 10**power)) for power in (6, 8, 12)),
    Open(correction=1),
    Open(axis="columns"),
    Open(is_by_entries=True),
    Open(is_unit_norm=True),
)
"""What is tried where a formula leaves something open, the usual first."""

NEAR = 12
"""How many units of its last place a figure may be off through rounding on the way."""

STRANGE = 0.34
"""The share of figures that agree, below which they are those of something else where nothing says what they are."""

CLOSE = 0.05
"""How far a number may be from what its name was worth before, so that it is still that."""

SUM_NEAR = 1.5
SUMMANDS = 12
"""A sum that no figure proves is one of so many numbers at most, right in the figures before it."""

_SUMS = frozenset("합 和 합 합계 合計 合计 总和 總和 σ ∑ soma suma somma somme summe сумма toplam tổng".split())
"""Words for a sum too short to be looked for inside others."""

CALCULATED = 99
"""What is larger, and whole, is mostly a count."""

ANNOUNCED = 6
"""How many of the formulas before figures these may belong to."""


@dataclass
class Truths:
    """Finds what figures are to be held against."""

    scope: Memory
    announced: list[Expressed] = field(default_factory=list)
    """Formulas whose figures have not come yet, the last one last."""
    run: list[Worlds] = field(default_factory=list)
    """What formulas in figures alone were worth, since the last sum of such."""
    order: tuple[str, ...] = ()
    """The indices of the name that a formula is said of."""
    may_be_columns: bool = False
    """Whether anything in the document speaks of columns, so that softmax may go along them."""
    is_next: bool = False
    """Whether no figures have come since the last announcement."""
    word: str = ""
    """What was said last before the figures."""
    direct: bool = False
    """Whether the words stand directly before the figures, and not in a heading."""
    sentence: Expressed | None = None
    """What the words before figures say as a formula."""
    line: str = ""
    """The words of the line so far."""
    unread: set[Called] = field(default_factory=set)
    """Names whose formula is not understood."""
    of_printed: bool = False
    """Whether the words before figures speak of printed figures."""
    nearest: Hints = field(default_factory=Hints)
    """What the last words before the figures speak of."""
    pending: dict[Called, Expressed] = field(default_factory=dict)
    """Formulas of names that have no value yet."""

    def __post_init__(self) -> None:
        self.seeker = Seeker(self.scope)
        self.natural = Natural(self.scope)

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
        if "softmax" not in spoken.does and not roles & {"weights", "probabilities"}:
            return None
        for whole in self.natural.candidates(Hints(does=("softmax",)), (), iter(())):
            if whole.value.axes != 2 or whole.value.shape[1] != len(flat(chain.printed[-1].figures)):
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
            if found and (found.value.axes or not self.named_anew(chain) or found.value.of):
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
        return self.unsaid(chain, said)

    def went_on(self, found: Ought, chain: Equated, said: Hints) -> Ought | None:
        """``S = Q Kᵀ, then divided by √d_k:`` what a name was said to be may go on in words before its figures."""
        goes_on = (self.direct and said.does) or found.value.of
        if not chain.printed or not goes_on or agreeing(found.value, chain.printed[0]) > 0.5:
            return None
        if agreeing(replace(found.value, true=found.value.carried), chain.printed[0]) == 1:
            return None
        sought = self.seeker.sought(chain, said)
        if sought is None or sought.does in _UNDONE:
            return None  # that what was said to be done was not
        return sought if agreeing(sought.value, chain.printed[0]) == 1 else None

    def of_sentence(self, chain: Equated) -> Ought | None:
        """Figures behind words that say what is done with what."""
        if self.sentence is None or not chain.printed or chain.symbolic or chain.literal:
            return None
        if any(self.scope.named(name) is not None for name in chain.names):
            return None
        found = self.worth(self.sentence, chain.printed)
        return found if found is not None and fits(found.value, chain.printed[0]) else None

    def unsaid(self, chain: Equated, said: Hints) -> Ought | None:
        """Figures without a formula: searched for, and where that finds nothing whole, taken at the word."""
        names = [each.of for each in chain.of("name") if isinstance(each.of, NameRead)]
        said = heard_with(said, names)
        if is_mask(chain.printed[0]):
            return None
        if names and chain.printed[0].axes and not self.direct and not self.scope.has_derived:
            return None  # the first matrices of a document are what it starts from
        if names and (found := self.of_wrong(chain, said, names)):
            return found
        is_in_passing = is_alone(chain) and (self.of_printed or not self.nearest.does)
        if is_in_passing and self.scope.is_known(chain.printed[0].figures[0][0]):
            return None
        sought = self.seeker.sought(chain, said)
        if sought is not None and agreeing(sought.value, chain.printed[0]) == 1:
            return self.as_said(sought, chain, said) or sought
        if is_in_passing:
            sought = None  # in the middle of a sentence it claims nothing
        roles = tuple(role for each in names for role in roles_of(each))
        has_formula = any(
            name in self.unread or (name in self.pending and (chain.told.is_code or not is_call(self.pending[name])))
            for name in chain.names
        )
        if has_formula and (chain.told.is_code or chain.printed[0].axes):
            return None  # it was said what it is, and that could not be followed
        if not names and any(each.kind == "unread" for each in chain.sides):
            return sought
        if said.given or (names and not set(roles) & DERIVED and (roles or not self.direct)):
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

    def as_said(self, sought: Ought, chain: Equated, said: Hints) -> Ought | None:
        """A softmax that words speak of, where search found something else, and it is as near."""
        is_softmax = said.does[-1:] == ("softmax",) or (not said.does and "weights" in said.roles)
        if not self.direct or not is_softmax or sought.does in ("softmax", "proportions", ""):
            return None
        meant = self.natural.truth(chain, replace(said, does=("softmax",), roles=()), (), iter(()))
        return meant if meant is not None and nearness(meant.value, chain.printed[0], CLOSE_SHARE) > 1 else None

    def worked_announcements(self, of_number: bool = False) -> Iterator[Ought]:
        """Formulas that were announced, worked out, the last one first; a list only right before its figures.

        ``of_number`` says that they are to explain a single number: then those of all places of an index are not.
        """
        for back, formula in enumerate(reversed(self.announced[-ANNOUNCED:])):
            if isinstance(formula, Combined) and formula.op == "index":
                continue  # an entry or a row that is spoken of
            if of_number and is_for_all(formula):
                continue
            found, _ = self.read(formula, USUAL, False)
            if found is not None and (
                found.value.axes == 2 or (found.value.entries > 1 and back == 0 and self.is_next)
            ):
                yield found

    def named_anew(self, chain: Equated) -> bool:
        """Whether the names of a chain stand for other numbers than before: its own figures say so.

        ``4 d^2 = 4 × 512^2 = 1048576`` speaks of another d than the one of the example.
        """
        return self.is_exactly(chain) and chain.printed[-1].axes == 0

    def is_exactly(self, chain: Equated) -> bool:
        """Whether a chain is right by its own figures alone."""
        if not chain.literal or not chain.printed:
            return False
        exact = self.exactly(chain.literal[-1].of, chain)
        return exact is not None and agreeing(exact.value, chain.printed[-1]) == 1

    def worth(self, formula: Expressed, printed: Sequence[SortedSide], is_code: bool = False) -> Ought | None:
        """What a formula in names is worth; what it leaves open is as its figures have it."""
        usual = self.read(formula, USUAL, is_code)
        found, asked = usual
        if found is None and not asked:
            return None
        if not printed or (found is not None and agreeing(found.value, printed[0]) == 1):
            return found and self.with_epsilon(found, formula, asked, printed, USUAL)
        for reading in _READINGS[1:]:
            if _asks(reading) <= asked and (self.may_be_columns or reading.axis != "columns"):
                other, _ = self.read(formula, reading, is_code)
                if other is not None and agreeing(other.value, printed[0]) == 1:
                    return self.with_epsilon(other, formula, asked, printed, reading)
        return found

    def with_epsilon(
        self, found: Ought, formula: Expressed, asked: set[str], printed: Sequence[SortedSide], reading: Open
    ) -> Ought:
        """Say which ε a norm has that nobody wrote, where its figures tell."""
        if "epsilon" not in asked or not printed or not reading.epsilon:
            return found
        without, _ = self.read(formula, Open(epsilon=Fraction(0)), False)
        if without is None or agreeing(without.value, printed[0]) == 1:
            return found
        return replace(found, hidden=(f"ε = 10^-{len(str(reading.epsilon.denominator)) - 1}",))

    def worth_of_head(self, head: Equated) -> Worlds | None:
        """What a name or a formula is worth that stood alone."""
        if not head.sides or isinstance(head.sides[0].of, FigureRead):
            return None
        found, _ = self.read(head.sides[0].of, USUAL, head.told.is_code)
        return None if found is None else found.value

    def worth_of(self, head: Equated) -> Ought | None:
        """What the formula of a head is worth: a matrix, or nothing."""
        for each in head.symbolic:
            found = self.worth(each.of, ())
            if found is not None and found.value.axes == 2:
                return found
        return None

    def read(self, formula: Expressed, reading: Open, is_code: bool) -> tuple[Ought | None, set[str]]:
        """A formula read in one way, and what it left open."""
        evaluator = Appraiser(self.scope, cites=True, is_code=is_code, open=reading)
        try:
            return Ought(evaluator.value(formula), shown(formula), formula), evaluator.asked
        except NoFit:
            evaluator.places.clear()
        try:
            return Ought(evaluator.for_all(formula, self.order), shown(formula), formula), evaluator.asked
        except NoFit:
            return None, evaluator.asked

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
            if meant is None or not (is_sum or (is_power and is_wide(meant))):
                return exact
            return replace(exact, value=meant) if agreeing(exact.value, last) < 1 == agreeing(meant, last) else exact
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
                part = self.scope.part(each.of)
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

    def roughly(self, chain: Equated) -> Ought | None:
        """``s ≈ 0.92 - 0.07 ≈ 0.86``, right by an s that nobody can follow: its figures are said to be rounded ones."""
        first = chain.literal[0].of
        is_rough = any(side.of is first and side.relation == "≈" for side in chain.told.sides)
        wide = self.exactly(first, chain, is_wide=True) if is_rough else None
        return wide if wide is not None and agreeing(wide.value, chain.printed[-1]) == 1 else None

    def row_of_announced(self, chain: Equated, said: Hints, exact: Worlds) -> Ought | None:
        """``Token 0: [0.35 · 1.0 + …] ≈ [0.68, 0.25]``: what was announced before, or a row of it, in such figures."""
        for found in self.worked_announcements():
            for value, text in self.natural.parts(found, chain.printed[-1], said):
                same = replace(value, true=value.carried)
                is_meant = value.axes == 2 or bool(said.which)
                if is_meant and agreeing(same, chain.printed[-1]) == 1 == agreeing(exact, chain.printed[-1]):
                    return replace(found, value=value, text=text)
        return None

    def exactly(self, formula: Expressed, chain: Equated, is_wide: bool = False) -> Ought | None:
        """What stands there; ``is_wide`` where its figures are rounded ones."""
        try:
            value = Appraiser(self.scope, is_code=chain.told.is_code, is_wide=is_wide).value(formula)
        except NoFit:
            return None
        return Ought(value, shown(formula), formula, is_literal=True)

    def meant(self, chain: Equated) -> Worlds | None:
        """What a formula in figures is worth if each of them stands for what it was printed for."""
        for each in chain.literal:
            try:
                return Appraiser(self.scope, cites=True, is_code=chain.told.is_code).value(each.of)
            except NoFit:
                continue
        return None

    def is_plausible(self, exact: Worlds, meant: Worlds, printed: SortedSide) -> bool:
        """Whether what is meant is no accident of equal digits: near what stands there, or from something wrong."""
        if meant.shape != exact.shape or not fits(meant, printed):
            return False
        if any(self.scope.quantities[each].cause is not None for each in meant.of):
            return True
        one, other = as_printed(exact, printed).true, as_printed(meant, printed).true
        unit = max((double(each.unit) for each in flat(printed.figures)), default=1.0)
        pairs = [(a, b) for x, y in zip(one, other, strict=True) for a, b in zip(x, y, strict=True)]
        return all(not a.is_finite() or abs(double(a - b)) <= NEAR * unit for a, b in pairs)

    def of_sum(self, chain: Equated, said: Hints) -> Ought | None:
        """``sum = 2.730`` behind ``e^{0.127} = 1.135, e^{0.467} = 1.595``: the sum of what stands there, exactly."""
        if not chain.printed or chain.printed[0].axes or not self.run:
            return None
        spoken = {name for each in chain.names for name in hints(each.base).does} or set(
            said.does[-1:] if self.direct else ()
        )
        if "sum" not in spoken and self.word.lower() not in _SUMS:
            return None
        for total in self.totals():
            if agreeing(total, chain.printed[0]) == 1 or nearness(total, chain.printed[0]) >= SUM_NEAR:
                self.run.clear()
                return Ought(total, "their sum")
        numbers = [each for each in self.run if each.entries == 1]
        if len(numbers) == len(self.run) > 1 and self._is_near(total := next(self.totals()), chain.printed[0]):
            self.run.clear()
            return Ought(total, "their sum")
        return None

    def _is_near(self, total: Worlds, printed: SortedSide) -> bool:
        """Whether a sum is meant although its last digit is another one."""
        figure = printed.figures[0][0]
        if figure is None or figure.unit >= Fraction(1, 10):
            return False
        return units_off(figure, total.carried[0][0], figure.unit) <= NEAR_UNITS

    def totals(self) -> Iterator[Worlds]:
        """Sums of what formulas in figures were worth: of the last list, of the last two numbers, three, …"""
        last = self.run[-1]
        if last.entries > 1:
            yield worlds.through(lambda rows: [[sum((x for row in rows for x in row), arb())]], [last], 0)
        numbers = [each for each in self.run[-SUMMANDS:] if each.entries == 1]
        for count in range(len(numbers), 1, -1):
            yield worlds.through(lambda *rows: [[sum((each[0][0] for each in rows), arb())]], numbers[-count:], 0)

    def of_name(self, name: NameRead, chain: Equated) -> Ought | None:
        """What a name has been said to be before."""
        key, printed = called(name), chain.printed
        if is_passing(key) and not (printed and printed[0].axes and len(key.base) == 1):
            return None
        formula = self.pending.get(key)
        if isinstance(formula, Combined) and formula.op in _SIZES:
            return None  # of another example it is another one
        if formula is not None and printed:
            found = self.worth(formula, printed)
            if (
                found is not None
                and fits(found.value, printed[0])
                and not self._is_another(False, found.value, printed[0], is_formula=True)
            ):
                del self.pending[key]
                return found
        quantity = self.scope.named(key)
        if quantity is not None:
            is_printed = chain.told.is_code and quantity.formula is not None and not quantity.figures
            if printed and (
                not fits(quantity.value, printed[0])
                or (
                    self._is_another(self.scope.is_of_before(quantity), quantity.value, printed[0], is_printed)
                    and not is_output(chain, quantity.value)
                )
                or (self.is_of_another(quantity) and agreeing(quantity.value, printed[0]) < 1)
            ):
                return None
            restated = quantity.is_given and bool(quantity.figures)
            return Ought(quantity.value, quantity.text or str(key), quantity.formula, is_restated=restated)
        part = self.scope.part(name)
        if part is not None and printed and fits(part, printed[0]):
            return Ought(part, shown(name), name)
        return self.of_part(name, printed[0]) if printed else None

    def hear(self, words: str) -> None:
        """Words of a line: a label begins one."""
        self.line = words if LABEL.fullmatch(words) else f"{self.line} {words}"

    def is_of_another(self, quantity: Followed) -> bool:
        """Whether a name may stand for another thing: of a new example, or of the token at the line's head."""
        if quantity.is_given and quantity.number < self.scope.anew:
            return True
        is_statistic = quantity.name is not None and bool({*role_of_name(quantity.name.base)} & STATISTICS)
        return quantity.value.axes == 0 and is_statistic and LABEL.fullmatch(self.line.strip()) is not None

    def otherwise(self, found: Ought, name: NameRead, chain: Equated, said: Hints) -> Ought | None:
        """What figures are if their name, printed before, now stands for something else that gives all of them."""
        known = self.scope.named(called(name))
        if not chain.printed or known is None or not known.figures or known.value is not found.value:
            return None
        printed = chain.printed[0]
        if printed.axes == 0 or agreeing(found.value, printed) == 1:
            return None
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

    def _is_another(self, is_given: bool, value: Worlds, printed: SortedSide, is_formula: bool = False) -> bool:
        """Whether figures give a name another value: what was given is given anew where most differs."""
        share = agreeing(value, printed)
        if value.axes == 0 and share < 1:
            figure = printed.figures[0][0]
            known = value.true[0][0]
            if figure is not None and is_given and known.is_finite():
                return figure.unit > Fraction(1, 1000) or units_off(figure, known, figure.unit) > NEAR_UNITS
            if nearness(value, printed) >= 1:
                return False
            if figure is None or figure.value is None or not known.is_finite():
                return True
            return abs(double(figure.value) - double(known)) > CLOSE * abs(double(known))
        if share < 1 and is_given and (share < 0.75 or value.entries < 4):
            return True
        return value.entries >= 4 and not is_formula and strange(value, printed)

    def of_announced(self, printed: SortedSide) -> Ought | None:
        """Figures without a formula: one that was announced before."""
        for formula in reversed(self.announced[-ANNOUNCED:]):
            if printed.axes == 0 and is_for_all(formula):
                continue
            found = self.worth(formula, [printed])
            if found is not None and fits(found.value, printed) and telling(found.value, printed) > 0.5:
                return found
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


def strange(value: Worlds, printed: SortedSide) -> bool:
    """Whether figures are so far from a value, in every world, that they are those of something else."""
    return max(telling(value, printed), telling(replace(value, true=value.carried), printed)) < STRANGE


def _is_by_hand(found: Ought, chain: Equated) -> bool:
    """Whether a row was worked out from figures beside it."""
    return found.is_literal or (found.does in ("proportions", "normalise") or "divided by" in found.text)


def is_call(formula: Expressed) -> bool:
    """Whether it is a function applied to something: what that does, words and figures may tell."""
    return isinstance(formula, Combined) and formula.op.startswith("call:")


def is_alone(chain: Equated) -> bool:
    """Whether it is a single figure without any sign, which claims nothing."""
    return len(chain.told.sides) == 1 and chain.printed[0].axes == 0


def is_of_sizes(chain: Equated) -> bool:
    """``m^2 n = 6^2 \\cdot 3 = 108``: whether it counts something, with sizes that may be those of another example."""
    formulas = (*chain.literal, *chain.printed)
    figures = [each for side in formulas for each in walk(side.of) if isinstance(each, FigureRead)]
    is_whole = all(each.value is not None and each.unit == 1 and each.value >= 0 for each in figures)
    return is_whole and any(each.value > CALCULATED for each in figures if each.value is not None)


def is_wide(value: Worlds) -> bool:
    """Whether it was made of givens that a document rounded itself."""
    return any(x.is_finite() and x.rad() > 1e-9 for row in value.true for x in row)


def index_equation(chain: Equated) -> bool:
    """``2i = 0``, ``2i + 1 = 3``: which place is spoken of, and no result."""
    return bool(chain.symbolic) and all(
        isinstance(one, FigureRead)
        or (isinstance(one, NameRead) and one.base in LETTERS and not one.below)
        or (isinstance(one, Combined) and one.op in ("+", "-", "*"))
        for each in (*chain.symbolic, *chain.printed)
        for one in walk(each.of)
    )


def _asks(reading: Open) -> set[str]:
    return {
        name
        for name in ("axis", "epsilon", "correction", "is_by_entries", "is_unit_norm")
        if getattr(reading, name) != getattr(USUAL, name)
    }
