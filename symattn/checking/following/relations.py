"""Collect the relations that a document states between the figures of a claim and what it says before and beside them.

A relation has a source: a formula *beside* the figures, the formula or the figures that their *name* had before, a
formula *announced* just before them, an instruction in *words*, the *role* of their name, or a *search* among
everything that is known. What is said comes before what fits: the sources are asked in this order, and agreement with
the figures only chooses among the relations of one source. A searched relation may show that figures are right; to call
one wrong it needs much evidence, and none may where a formula was stated that could not be followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from symattn.checking.following import worlds
from symattn.checking.following.chain import (
    Equated,
    SortedSide,
    agreeing,
    are_one_number,
    as_printed,
    fits,
    fits_turned,
    flat,
    is_mask,
    size,
)
from symattn.checking.following.hints import Hints, hints, is_condition, role_of_name
from symattn.checking.following.indexed import LETTERS, letters_of
from symattn.checking.following.judging import prints
from symattn.checking.following.meant import MeantRelations, is_gone_on
from symattn.checking.following.natural import nearness
from symattn.checking.following.references import text_of
from symattn.checking.following.rows import NoFit
from symattn.checking.following.scope import Followed, Memory, digits, tells
from symattn.checking.following.seeking import DERIVED, LABEL, STATISTICS, heard_with, is_passing, is_remark, roles_of
from symattn.checking.following.slips import mistyped
from symattn.checking.following.verdicts import Ought
from symattn.checking.following.worded import WordedRelations
from symattn.checking.following.working import (
    SURE,
    agreement,
    best,
    is_evident,
    is_worked_out,
    parts_of,
    with_working,
    working,
)
from symattn.checking.following.worths import Worths
from symattn.checking.following.written import called, places, walk
from symattn.checking.model import RelationSource
from symattn.checking.phrases import plain
from symattn.checking.reading.shown import shown
from symattn.checking.reading.stated import SUMS, named_last
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, NameRead, Talk

SAME_MATRIX, SAME_ENTRIES = 0.75, 4
"""The share of figures that agree, and how many a matrix has at least, where it was given before and is given again."""


DIRECT = 0.3
"""The share of figures of a matrix that agree with what its name mostly stands for."""

EARLIER, MEANINGS = 200, 4
"""How many quantities back an earlier meaning of a name is looked for, and how many there may be."""

MISTYPED = 3
"""How many digits a number has at least that is the mistyped one of its name, and no other number."""

NUMBERED = 12
"""How many characters before a word a number that belongs to it stands."""

NEAREST = 12
"""How many quantities back a row is looked for."""


_TORN_BEFORE = re.compile(r"[/×·÷]$|\d\s?[*xX]$")
"""The end of a factor that was not read."""

_OF_BRACKET = re.compile(r"\bof\s*\(.?$")
"""Before the argument of what words name: ``the cube root of (``."""

_LISTED_BEFORE, _LISTED_BEHIND = re.compile(r"[\d)][,;]$"), re.compile(r"[,;]\s*[-−+]?\.?\d")
"""What stands before and behind a formula and a figure of two lists that are said to be equal."""


@dataclass(frozen=True)
class ClaimRelation:
    """What the figures of a claim should be, and how the document says so."""

    source: RelationSource
    truth: Ought | None
    """``None`` where it is said and cannot be followed."""
    why: str = ""
    """Why it cannot be followed."""


@dataclass
class Relations:
    """Collects the relations of a claim and chooses the one that the document states."""

    worths: Worths
    text: str = ""
    """The document."""
    head: Equated | None = None
    """A formula that stands alone just before the figures."""
    rows_told: dict[tuple[int, object], int] = field(default_factory=dict)
    """For how many rows of a matrix a number was told under one name."""
    told_by_rows: set[tuple[int, object]] = field(default_factory=set)
    """Those of them that were right for a row: they surely are of its rows."""

    def __post_init__(self) -> None:
        self.worded = WordedRelations(self.worths)
        self.meant = MeantRelations(self.worths)

    @property
    def scope(self) -> Memory:
        """What is known at this place of the document."""
        return self.worths.scope

    def of(self, chain: Equated, said: Hints) -> ClaimRelation | None:
        """Return the relation that a claim is judged by, or ``None`` if nothing is said of it."""
        self.worths.order = tuple(
            letter
            for each in chain.of("name")
            if isinstance(each.of, NameRead)
            for letter in letters_of(each.of)
            if isinstance(letter, str)
        )
        if not chain.printed:
            stated = (each for _, found in self.stated(chain, said) for each in found if each is not None)
            found = next(stated, None)
            return None if found is None else ClaimRelation("beside", found)
        if self.is_set(chain):
            return None
        if chain.literal and chain.told.sides[0].of is chain.literal[0].of and self.is_torn_off(chain):
            return ClaimRelation("beside", None, "something before its formula belongs to it and was not read")
        printed = chain.printed[0]
        if chain.literal and is_of_two_numbers(chain):
            return ClaimRelation(
                "beside", None, "two different numbers are said to be equal: something before them was not read"
            )
        if found := self.of_each_row(chain):
            return ClaimRelation("words", found)
        by_hand, why = working(self.worths, chain), ""
        for source, candidates in self.stated(chain, said):
            known = [
                part for each in candidates if each is not None for part in parts_of(self.worths, each, printed, said)
            ]
            if by_hand is not None:
                known = [each for each in known if is_worked_out(self.worths, each, by_hand, printed, source)]
            if known:
                return ClaimRelation(source, with_working(best(known, printed), by_hand, printed))
            if candidates and None in candidates and (printed.axes or source == "beside" or chain.told.is_code):
                why = "what its formula is made of is not known"
        if by_hand is not None:
            return ClaimRelation("beside", by_hand)
        if chain.literal:
            why = why or "the formula beside it is not followed"
        if any(name in self.worths.unread for name in chain.names):
            why = "its formula is not understood"
        if self.is_only_given(chain, said):
            return None
        for source, unstated in self.unstated(chain, said):
            for each in unstated:
                if each is None or why or (source == "searched" and not is_evident(each, printed)):
                    continue
                if source == "searched" and (more := self.meant.hidden(each, chain, self.worded.parts)):
                    return ClaimRelation("words", more)
                if (
                    source == "words"
                    and agreement(each, printed) <= SURE
                    and (more := self.with_more(each, chain, said))
                ):
                    return ClaimRelation("searched", more)
                return ClaimRelation(source, each)
        return ClaimRelation("beside", None, why) if why else None

    def is_set(self, chain: Equated) -> bool:
        """Return True for a number in a condition: ``if y = 1``, ``für T = 0.5``."""
        last = self.worded.parts[-1] if self.worded.parts else None
        is_bare = bool(chain.names) and len(chain.sides) == len(chain.names) + 1 and not chain.printed[0].axes
        is_entry = any(
            len(places((*each.of.below, *each.of.above)) or ()) > 1
            for each in chain.of("name")
            if isinstance(each.of, NameRead)
        )
        return is_bare and not is_entry and isinstance(last, Talk) and is_condition(last.text)

    def is_torn_off(self, chain: Equated) -> bool:
        """Return True if something beside a formula belongs to it that was not read: a sign of arithmetic before it, or
        ``1/1, 2/3`` before ``3/4 = 1.000, 0.667, 0.750``.
        """
        before = self.text[max(0, chain.told.start - 8) : chain.told.start].rstrip(" $\\(\n")
        behind = self.text[chain.told.end : chain.told.end + 8].lstrip(" $\\)\n")
        is_of_list = _LISTED_BEFORE.search(before) is not None and _LISTED_BEHIND.match(behind) is not None
        with_bracket = self.text[max(0, chain.told.start - 8) : chain.told.start + 1]
        is_argument = _OF_BRACKET.search(with_bracket) is not None
        return _TORN_BEFORE.search(before) is not None or is_argument or is_of_list

    def with_more(self, told: Ought, chain: Equated, said: Hints) -> Ought | None:
        """Return what gives all figures by what words say and more: then the words were not understood as a whole."""
        for found in self.searched(chain, said):
            one, other = operations_in(told.text), operations_in(found.text)
            if agreement(found, chain.printed[0]) > 0.99 and one < other and "axis" not in other - one:
                return found
        return None

    def is_only_given(self, chain: Equated, said: Hints) -> bool:
        """Return True for a mask, and for a name that was given and is given anew."""
        printed, does = chain.printed[0], {*said.does}
        is_of_ones = bool(printed.axes) and all(each.value in (0, 1) for each in flat(printed.figures))
        if is_mask(printed) or (is_of_ones and does & {"mask", "causal_mask"}):
            return True
        return any(known is not None and known.is_given for known in map(self.scope.named, chain.names))

    def stated(self, chain: Equated, said: Hints) -> Iterator[tuple[RelationSource, list[Ought | None]]]:
        """Yield the relations that are stated, source by source."""
        yield "beside", list(self.beside(chain, said))
        yield "named", list(self.named(chain, said))
        yield "announced", list(self.announced(chain, said))
        if chain.literal and chain.printed and said.which:
            yield "words", list(self.worded.in_words(chain, said))

    def unstated(self, chain: Equated, said: Hints) -> Iterator[tuple[RelationSource, Iterator[Ought | None]]]:
        """Yield the relations that nothing states in a formula, source by source."""
        yield "words", self.worded.in_words(chain, said)
        yield "searched", self.searched(chain, said)
        yield "role", self.by_role(chain, said)

    # -- beside --------------------------------------------------------------------------------------------------------

    def beside(self, chain: Equated, said: Hints) -> Iterator[Ought | None]:
        """Yield what the formulas of the chain itself are worth."""
        for each in () if is_index_equation(chain) else chain.symbolic:
            found = self.worths.worth(each.of, chain.printed, chain.told.is_code)
            may_be_call = any(self.is_perhaps_called(one) for one in walk(each.of))
            if found is not None and may_be_call and chain.printed and agreement(found, chain.printed[0]) < SURE:
                found = None  # L(W + 0.001) is what L is at another place, and no product
            if found is not None and chain.printed and agreement(found, chain.printed[0]) < SURE:
                found = self.of_earlier(each.of, chain) or found
            if found is None and (hidden := self.meant.with_mask(each.of, said)) is not None:
                found = self.worths.worth(hidden, chain.printed)
            yield found
        if chain.literal and not chain.printed:
            yield self.worths.exactly(chain.literal[0].of, chain)

    def of_earlier(self, formula: Expressed, chain: Equated) -> Ought | None:
        """Return what a formula is worth with an earlier meaning of one of its names, where that gives all figures."""
        by_name = self.scope.by_name
        keys = dict.fromkeys(called(one) for one in walk(formula) if isinstance(one, NameRead))
        for key in (each for each in keys if each in by_name):
            latest = by_name[key]
            earlier = [each.number for each in islice(self.scope.latest(), EARLIER) if each.name == key]
            for number in earlier[:MEANINGS]:
                by_name[key] = number
                found = self.worths.worth(formula, chain.printed, chain.told.is_code) if number != latest else None
                by_name[key] = latest
                if found is not None and agreement(found, chain.printed[0]) > 0.99:
                    return found
        return None

    def is_perhaps_called(self, one: Expressed) -> bool:
        """Return True for a number whose name stands directly before parentheses: a function or a factor."""
        match one:
            case Combined("*", (NameRead() as name, right), sign="beside"):
                known = self.scope.named(called(name))
                return (known is None or known.value.axes == 0) and "(" in self.text[name.end : right.start + 1]
        return False

    # -- named ---------------------------------------------------------------------------------------------------------

    def named(self, chain: Equated, said: Hints) -> Iterator[Ought | None]:
        """Yield what the names of the chain stood for before."""
        if chain.is_assigned:
            return
        for each in chain.of("name"):
            if isinstance(each.of, NameRead) and not self.is_instruction(each.of):
                yield from self.of_name(each.of, chain)

    def is_instruction(self, name: NameRead) -> bool:
        """Return True for a word that names an operation, such as ``Softmax:``, and no quantity."""
        return len(name.base) > 1 and bool(hints(name.base).does) and called(name) not in self.scope.pending

    def of_name(self, name: NameRead, chain: Equated) -> Iterator[Ought | None]:
        """Yield the formula that a name had, or its figures where it is not given anew."""
        key, printed = called(name), chain.printed
        if is_passing(key) and not (printed and printed[0].axes and len(key.base) == 1):
            return
        formula = self.scope.pending.get(key)
        quantity = self.scope.named(key)
        if formula is not None and printed:
            found = self.worths.worth(formula, printed)
            if found is None or printed[0].axes or nearness(found.value, printed[0]) > 0:
                yield found
                return
        if quantity is None:
            if key in self.scope.general and printed and printed[0].axes:
                formula, self.worths.order = self.scope.general[key]
                if (found := self.worths.worth(formula, printed)) is not None:
                    yield found
                    return
            yield from self.of_part(name, chain)
            return
        if not printed:
            yield Ought(quantity.value, quantity.text or str(key), quantity.formula)
            return
        if not fits_turned(quantity.value, printed[0]):
            yield from entries_again(quantity, printed[0])
            return
        if quantity.figures and not self.is_same(quantity, printed[0]):
            return
        if not printed[0].axes and len(key.base) > 1 and self.is_of_other_number(name.start, quantity.start):
            return
        restated = quantity.is_given and bool(quantity.figures)
        yield Ought(quantity.value, quantity.text or str(key), quantity.formula, is_restated=restated)

    def is_same(self, quantity: Followed, printed: SortedSide) -> bool:
        """Return True if figures are those that a name had before, and not given anew.

        A number that is another one is the same only if it was mistyped: after a step of training it is a new one.
        """
        share = agreement(Ought(quantity.value, ""), printed)
        if share > 0.99:
            return True
        if quantity.is_given:
            is_of_before = quantity.number < max(self.scope.anew, self.scope.first)
            return not is_of_before and share >= SAME_MATRIX and quantity.value.entries >= SAME_ENTRIES
        pairs = [
            (figure, x)
            for row, line in zip(printed.figures, as_printed(quantity.value, printed).true, strict=True)
            for figure, x in zip(row, line, strict=True)
            if figure is not None
        ]
        if quantity.value.axes:
            return any(tells(figure) and prints(figure, x, figure.unit) for figure, x in pairs)
        is_long = all(len(digits(figure).rstrip("0")) >= MISTYPED for figure, _ in pairs)
        is_again = is_long and not is_gone_on(self.scope, quantity)
        return is_again and any(True for figure, x in pairs for _ in mistyped(figure, x))

    def is_of_other_number(self, *starts: int) -> bool:
        """Return True for a word with other numbers before it: ``end of year 2``, where it was that of year 1."""
        one, other = (
            re.findall(r"\d+", self.text[max(0, start - NUMBERED) : start].rpartition("\n")[2]) for start in starts
        )
        return one != other

    def of_part(self, name: NameRead, chain: Equated) -> Iterator[Ought]:
        """Yield an entry or a row of what is known: ``A_{21}``, ``x_1``."""
        if not chain.printed or 1 not in size(chain.printed[0].figures):
            return
        printed, at = chain.printed[0], places((*name.below, *name.above))
        part = self.scope.part(name)
        if part is not None and fits(part, printed):
            whole = self.scope.indexed(name)[0]
            is_row = part.axes == 1  # v_1 may be a vector of its own; x_{12} is an entry
            if whole is None or not is_row or self.is_same(replace(whole, value=part), printed):
                yield Ought(part, shown(name), name)
        elif part is None and at is not None and len(at) <= 2:
            at = tuple(each - (not self.scope.from_zero) for each in at)
            yield from self.of_usual_part(name, at, printed)

    def of_usual_part(self, name: NameRead, at: Sequence[int], printed: SortedSide) -> Iterator[Ought]:
        """Yield ``A_{31}`` of an A that nobody wrote down: an entry or a row of what A mostly is."""
        roles = roles_of(replace(name, below=(), above=()))
        if "weight_matrix" in roles_of(name):
            return
        for found in self.worths.natural.candidates(Hints(), roles, iter(())):
            try:
                value = worlds.row(found.value, at[0]) if len(at) == 1 else worlds.entry(found.value, *at)
            except NoFit:
                continue
            if nearness(value, printed) > SURE:
                yield replace(found, value=value, text=f"{shown(name)} of {found.text}")

    # -- announced -----------------------------------------------------------------------------------------------------

    def announced(self, chain: Equated, said: Hints) -> Iterator[Ought | None]:
        """Yield what a formula just before the figures is worth, where these have none of their own."""
        if chain.symbolic or not chain.printed:
            return
        printed = chain.printed[0]
        if not chain.literal:
            yield from self.sums(chain, said)
        if chain.names and not is_remark(chain):
            return
        if said.which and printed.axes == 1:
            for whole in self.worths.worked_announcements():
                for value, text in self.worths.natural.parts(whole, printed, said):
                    if nearness(value, printed) > 0:
                        yield replace(whole, value=value, text=text)
        if chain.literal:
            yield from self.worths.worked_announcements()
            return
        for each in (*self.head.symbolic, *self.head.literal) if self.head is not None else ():
            found = self.worths.worth(each.of, chain.printed)
            if found is None or printed.axes or nearness(found.value, printed) > 0:
                yield found
        if (found := self.worths.of_announced(printed)) is not None:
            yield found
        yield from row_again(self.scope, printed, said)

    def sums(self, chain: Equated, said: Hints) -> Iterator[Ought]:
        """Yield the sum of what stands before it: ``e^{0.1} = 1.105, e^{0.5} = 1.649, sum = 2.754``."""
        if chain.printed[0].axes or not self.worths.run:
            return
        last = self.worded.parts[-1] if self.worded.parts else None
        word = last.text.strip(" ,;:=≈：，、*") if isinstance(last, Talk) else ""
        spoken = {name for each in chain.names for name in hints(each.base).does}
        spoken |= set(said.does[-1:] if self.worded.parts else ())
        if "sum" not in spoken and word.lower() not in SUMS:
            return
        totals = list(self.worths.totals())
        is_stated = bool(chain.names) or word.lower() in SUMS or named_last(plain(word)) == ("sum", "")
        least = 0.0 if is_stated else 1.0
        near = [each for each in totals if nearness(each.value, chain.printed[0]) > least]
        if near:
            yield max(near, key=lambda each: nearness(each.value, chain.printed[0]))

    # -- words ---------------------------------------------------------------------------------------------------------

    # -- role and search -----------------------------------------------------------------------------------------------

    def by_role(self, chain: Equated, said: Hints) -> Iterator[Ought]:
        """Yield what a name mostly stands for: weights are the softmax of the latest scores."""
        roles = tuple(role for each in chain.of("name") if isinstance(each.of, NameRead) for role in roles_of(each.of))
        if said.given or not set(roles) & DERIVED:
            return
        yield from self.like(chain, roles)
        announced = self.worths.worked_announcements(chain.printed[0].axes == 0)
        found = self.worths.natural.truth(chain, Hints(), roles, announced)
        if found is not None and (found.value.axes < 2 or agreement(found, chain.printed[0]) > DIRECT):
            yield found

    def like(self, chain: Equated, roles: tuple[str, ...]) -> Iterator[Ought]:
        """Yield a formula without figures whose name stands for the same: ``Loss = 0.69`` after ``L = -log(p)``."""
        for key, formula in reversed(self.scope.pending.items()):
            if role_of_name(key.base)[:1] == roles[:1]:
                found = self.worths.worth(formula, chain.printed)
                if found is None or nearness(found.value, chain.printed[0]) == 0:
                    continue
                if found.value.axes < 2 or agreement(found, chain.printed[0]) > DIRECT:
                    yield found

    def searched(self, chain: Equated, said: Hints) -> Iterator[Ought]:
        """Yield what a search finds that the figures follow from."""
        names = [each.of for each in chain.of("name") if isinstance(each.of, NameRead)]
        is_result = bool(heard_with(Hints(), names).does or DERIVED.intersection(*[roles_of(each) for each in names]))
        if names and not (self.worded.parts or self.scope.has_derived or is_result):
            return  # the first matrices of a document are what it starts from
        printed = chain.printed[0]
        is_in_passing = len(chain.told.sides) == 1 and not printed.axes
        if names and not (printed.axes or is_result) and is_count(printed):
            return
        if is_in_passing and self.scope.is_known(printed.figures[0][0]):
            return
        sought = self.worths.seeker.sought(chain, heard_with(said, names))
        if sought is not None and (agreeing(sought.value, printed) == 1 or not is_in_passing):
            yield sought

    # -- rows ----------------------------------------------------------------------------------------------------------

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
        if place >= whole.value.shape[0] or LABEL.fullmatch(self.worths.line.strip()) is None:
            return None
        for found in self.worths.natural.candidates(Hints(), role_of_name(name.base)[:1], iter(())):
            if found.value.entries == whole.value.shape[0]:
                value = worlds.entry(found.value, *((place, 0) if found.value.shape[1] == 1 else (0, place)))
                if agreeing(value, chain.printed[0]) == 1:
                    self.told_by_rows.add((whole.number, name))
                # the first of them has to be right, or they are of something else
                if (whole.number, name) in self.told_by_rows and nearness(value, chain.printed[0]) > 0:
                    return replace(found, value=value, text=f"{found.text}, row {place + 1}", is_literal=False)
        return None


_OPERATION = re.compile(r"[a-z_]{3,}(?=\()|[+/]|√|axis")


def operations_in(text: str) -> frozenset[str]:
    """Return the operations that a formula names.

    >>> sorted(operations_in("softmax(causal_mask(S / sqrt(2)))"))
    ['/', 'causal_mask', 'softmax', 'sqrt']
    """
    return frozenset(_OPERATION.findall(text))


def is_index_equation(chain: Equated) -> bool:
    """Return True for ``2i = 0``, ``2i + 1 = 3``: they say which place is spoken of, and no result."""
    return bool(chain.symbolic) and all(
        isinstance(one, FigureRead)
        or (isinstance(one, NameRead) and one.base in LETTERS and not one.below)
        or (isinstance(one, Combined) and one.op in ("+", "-", "*"))
        for each in (*chain.symbolic, *chain.printed)
        for one in walk(each.of)
    )


def is_count(printed: SortedSide) -> bool:
    """Return True for a single whole number, which anything may be rounded to."""
    return all(figure is not None and figure.unit >= 1 for row in printed.figures for figure in row)


def is_of_two_numbers(chain: Equated) -> bool:
    """Return True for one number that is said to be another: ``…, times 0.5 = 0.2``."""
    first, figure = chain.literal[0].of, chain.printed[0].of
    if len(chain.sides) != 2 or not (isinstance(first, FigureRead) and isinstance(figure, FigureRead)):
        return False
    return not are_one_number(first, figure)


def entries_again(known: Followed, printed: SortedSide) -> Iterator[Ought]:
    """Yield different entries of a matrix, told one by one: ``S entry: [1.41, 2.12, 2.83]``."""
    at = {
        figure.text: (i, j) for i, row in enumerate(known.figures) for j, figure in enumerate(row) if figure is not None
    }
    figures = flat(printed.figures)
    if printed.axes == 1 and len(figures) > 1 and all(each.text in at for each in figures):
        entries = [worlds.entry(known.value, *at[each.text]) for each in figures]
        yield Ought(worlds.together([entries], 1), f"entries of {known.name}", is_restated=known.is_given)


def row_again(scope: Memory, printed: SortedSide, said: Hints) -> Iterator[Ought]:
    """Yield a row that is printed as it was in its matrix: ``Row 2 weights [0.25, 0.50, 0.25]:``."""
    figures = [each.value for each in flat(printed.figures)]
    for which in said.which if printed.axes == 1 else ():
        place = which.number - (not scope.from_zero)
        for known in islice(scope.latest(), NEAREST):
            if known.value.axes != 2 or not 0 <= place < len(known.figures):
                continue
            if figures == [each and each.value for each in known.figures[place]]:
                text = f"row {which.number} of {text_of(known)}"
                yield Ought(worlds.row(known.value, place), text, is_recalled=True)
                return
