"""A document followed statement by statement: what each defines, from what it follows, whether its figures are so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from math import isfinite

from flint import arb

from symattn.base.budget import spend
from symattn.base.errors import BudgetError
from symattn.checking.following.chain import (
    Equated,
    SortedSide,
    agreeing,
    as_printed,
    chains,
    fits,
    flat,
    is_turned,
    size,
    sorted_side,
)
from symattn.checking.following.hints import Hints, hints, starts_problem
from symattn.checking.following.indexed import letters_of
from symattn.checking.following.instruction import LABEL, SpokenPart, instruction, takes_operand
from symattn.checking.following.judging import double, prints, units_off
from symattn.checking.following.ledger import SPENT
from symattn.checking.following.natural import CLOSE_SHARE, ROLE_OF_WORD, nearness
from symattn.checking.following.printed import DocumentPrograms
from symattn.checking.following.recording import WORDS, Recorder
from symattn.checking.following.rows import BallMatrix, ball
from symattn.checking.following.scope import Followed, Memory, digits, rows_of
from symattn.checking.following.seeking import DERIVED, roles_of
from symattn.checking.following.tables import FollowedTables
from symattn.checking.following.under import RowsUnder
from symattn.checking.following.verdicts import Ought, made_by
from symattn.checking.following.worded import has_label
from symattn.checking.following.worlds import Worlds
from symattn.checking.following.written import Called, called, walk
from symattn.checking.reading.tree import (
    Combined,
    Expressed,
    FigureRead,
    GridRead,
    Member,
    NameRead,
    PrintedText,
    ProgramPiece,
    Reading,
    Statement,
    TableRead,
    Talk,
    ToldPart,
)

MEANT = 1.0
"""How near a row that words speak of has to be."""


MOST_OFF = Fraction(5, 2)
"""How many units of its last place a figure is off at most through what was not printed."""

OFTEN = 0.4
"""The share of figures that are off, where that comes from givens: these are used for all of them."""


def loosened(truth: Ought, chain: Equated, scope: Memory) -> Ought:
    """What figures ought to be, as far as printed givens tell: they themselves, if they are only a little off it."""
    printed = chain.printed[0] if chain.printed else None
    if printed is None or not printed.axes or not fits(truth.value, printed):
        return truth
    coarse = max(units_of_output(truth, chain, scope), default=Fraction(0))
    if not coarse:
        return truth
    true = as_printed(truth.value, printed).true
    pairs = [
        (f, x) for row, line in zip(printed.figures, true, strict=True) for f, x in zip(row, line, strict=True) if f
    ]
    off = sum(not prints(f, x, f.unit) and f.unit < 1 for f, x in pairs)
    if off < (OFTEN * len(pairs) if not chain.literal else 1):
        return truth
    if agreeing(replace(truth.value, true=truth.value.carried), printed) == 1:
        return truth  # they are right for the printed figures before them
    if any(units_off(f, x, max(MOST_OFF * f.unit, coarse / 2)) > 1 for f, x in pairs):
        return truth
    points = rows_of(printed.figures)
    wide = [
        [x if f is None else arb(x.mid(), ball(f.unit / 2)) for f, x in zip(row, line, strict=True)]
        for row, line in zip(printed.figures, points, strict=True)
    ]
    value = Worlds(wide, points, points, printed.axes, truth.value.of)
    return replace(truth, value=value, meant=None, hidden=(*truth.hidden, "of figures that a program rounded"))


def units_of_output(truth: Ought, chain: Equated, scope: Memory) -> Iterator[Fraction]:
    """What the last places are worth of the figures that a program printed, and that something follows from."""
    named = (
        (scope.named(called(one)) for one in walk(truth.formula) if isinstance(one, NameRead)) if truth.formula else ()
    )
    known = (*named, *(scope.quantities[number] for number in truth.value.of))
    for each in known:
        if each is not None and each.is_output:
            yield from (figure.unit for row in each.figures for figure in row if figure is not None and figure.unit < 1)
    for side in chain.literal:
        for one in walk(side.of):
            if isinstance(one, GridRead) and one.kind == "tensor":
                yield from (
                    each.unit for row in one.rows for each in row if isinstance(each, FigureRead) and each.unit < 1
                )


def is_print(grid: GridRead) -> bool:
    """Whether numbers stand there as a program prints them."""
    return grid.kind == "tensor"


"""A document followed statement by statement: what each defines, from what it follows, whether its figures are so."""


_VECTOR = re.compile(r"([a-zα-ω])(?:_\{?([A-Za-z0-9]{1,6})\}?)?")
"""The name of a vector, where a colon says that it is none of the words."""


_NAME = re.compile(r"([A-ZΑ-Ω]|[a-zA-Z]{1,2}(?=_))(?:_\{?([A-Za-z0-9]{1,6})\}?)?")


CLAIMS = frozenset(
    (*ROLE_OF_WORD, *ROLE_OF_WORD.values(), "scores", "normalise", "layer_norm", "rms_norm", "relu", "gelu")
)
"""What words speak of where figures follow from something; without them a list is what a document starts from."""


BY_CHAIN = 1_000
"""Steps that it takes to follow a chain, without what is worked out."""


@dataclass
class Follower(Recorder):
    """Goes through a document."""

    said_before: list[SpokenPart] = field(default_factory=list)
    """The words before the last figures of the same paragraph."""
    is_paragraph: bool = True
    """Whether the next words begin a paragraph."""
    has_ended: bool = False
    """Whether the paragraph of the words before is over."""
    is_recalled: bool = False
    """Whether the last figures are only those of a row before: the words before them speak of what follows too."""

    def follow(self, reading: Reading) -> None:
        """Go through all of it."""
        said = [hints(told.text, self.chinese) for told in reading.told if isinstance(told, Talk)]
        self.scope.from_zero = any(which.from_zero for one in said for which in one.which if which.kind != "head")
        self.worths.may_be_columns = any(one.axis == "columns" for one in said)
        self.tables = FollowedTables(self.scope, self.ledger, self.verdicts)
        programs = DocumentPrograms(self.scope, self.ledger, self.hold)
        for place, told in enumerate(reading.told):
            if isinstance(told, ProgramPiece | PrintedText):
                programs.follow(told)
            elif programs.is_passed(told):
                continue
            elif isinstance(told, Statement):
                self.shapes.hear(told)
                self.tables.hear(told)
                is_half = self.is_half(told, reading.told[place + 1 : place + 2])
                for chain in () if is_half else chains(told):
                    self.within_budget(chain)
            elif isinstance(told, TableRead):
                self.tables.hold(told)
            elif isinstance(told, Talk):
                self.words.append(told)
                if self.has_ended:
                    is_label = bool(hints(told.text, self.chinese).which)
                    self.parts, self.said_before = [], self.said_before if is_label else []
                self.has_ended = False
                self.parts.append(told)
                self.worths.hear(told.text)
                if told.is_heading:
                    self.scope.leave(told.level)
                is_first = told.is_heading or self.is_paragraph
                self.is_paragraph = False
                if is_first and starts_problem(told.text):
                    self.scope.enter(told.level if told.is_heading else PARAGRAPH)
                    self.worths.announced.clear()
                    self.worths.run.clear()
                    self.shapes.stated.clear()
                if told.is_heading:
                    self.heading = told.text
                    self.under = None
                self.head = self.named_alone(told) or self.head
            else:
                self.worths.line = ""
                self.is_paragraph = self.is_paragraph or told.kind in ("paragraph", "item", "display", "code")
                is_open = bool(self.parts) and is_introduction(self.parts[-1])
                self.has_ended = self.has_ended or (told.kind == "paragraph" and not is_open)
                if told.kind == "sentence" and self.parts:
                    self.parts.append(Talk(". ", told.place, told.place))
        with suppress(BudgetError):
            self.told_before()
        self.verdicts.contrasted()

    def within_budget(self, chain: Equated) -> None:
        """One chain, as long as there is budget: what comes behind it is left."""
        try:
            spend(BY_CHAIN)
            if is_percentage(chain):
                self.verdicts.recalled(chain.printed[0])
                return
            self.chain(chain)
        except BudgetError:
            for side in chain.printed:
                self.leave(side, SPENT)
        if chain.printed and not self.is_recalled:
            self.words.clear()
            if is_setting(chain) and instruction(recent(self.parts), self.chinese) is None:
                self.parts = []
            if not is_setting(chain):
                if not self.said_before or instruction(recent(self.parts), self.chinese) is not None:
                    self.said_before = recent(self.parts)
                self.parts = []
            self.worths.is_next = False
        elif not chain.printed and len(chain.sides) == 1:
            self.parts.append(chain.sides[0].of)
        self.is_recalled = False

    def told_before(self) -> None:
        """Results that stood before what they follow from: now it is known."""
        self.scope.hidden = {number for _, number in self.early}
        for chain, number in self.early:
            self.ledger.reopen(flat(chain.printed[0].figures))
            roles = [role for each in chain.of("name") if isinstance(each.of, NameRead) for role in roles_of(each.of)]
            truth = self.worths.natural.truth(chain, Hints(), tuple(roles), iter(()))
            if truth is not None:
                # The role of a name alone refutes no number that stood there before, and no figure that is not near.
                share = agreeing(as_printed(truth.value, chain.printed[0]), chain.printed[0])
                are_near = nearness(truth.value, chain.printed[0], CLOSE_SHARE) >= 1 + share / 2
                truth = truth if share == 1 or (are_near and chain.printed[0].axes) else None
            if truth is not None:
                shaped = as_printed(truth.value, chain.printed[0])
                figures = chain.printed[0].figures
                cause = self.verdicts.judge(shaped, figures, str(chain.names[0]), truth)
                known = replace(self.scope.quantities[number], is_given=False, text=truth.text, cause=cause)
                written = replace(self.verdicts.as_written(shaped, figures), of=frozenset({number}))
                self.scope.put(replace(known, value=written))
                self.scope.hidden.discard(number)
            for figure in flat(chain.printed[0].figures):
                if truth is None:
                    self.ledger.given(figure)

    def is_half(self, told: Statement, following: Sequence[ToldPart]) -> bool:
        """``S = Q K^T, then divided by √2``: a formula that words go on with says not yet what its name stands for."""
        after = following[0] if following else None
        if (
            not isinstance(after, Talk)
            or len(told.sides) < 2
            or "scale" not in hints(after.text, self.chinese).does[:1]
        ):
            return False
        return not any(
            isinstance(one, FigureRead) or (isinstance(one, Combined) and one.op == "/")
            for side in told.sides
            for one in walk(side.of)
        )

    def chain(self, chain: Equated) -> None:
        """Find what a chain says, hold its figures against it, and remember it."""
        if hides_an_entry(chain):
            self.ledger.given(flat(chain.printed[0].figures)[0])
            if not chain.names[0].labels:
                value = self.starting(chain.printed[0], chain)
                self.define(Followed(0, None, value, (), True, start=chain.told.start), chain)
            return
        chain = self.with_head(chain)
        self.coefficients.hold(chain)
        under = self.under if self.under is not None and self.under.takes(chain) else None
        truth, why = under.truth(chain) if under is not None else None, ""
        if truth is None:
            truth, why = self.related(chain)
        self.verdicts.alike = under.cause if under is not None else None
        if truth is not None and (why_not := self.misread(truth, chain)):
            truth, why = None, why_not
        if truth is not None:
            self.hold(loosened(masked_as_printed(truth, chain), chain, self.scope), chain)
            if under is not None:
                under.cause = self.verdicts.alike
            elif self.under is None and truth.formula is not None and self.said().which:
                self.under = RowsUnder.following(truth, self.worths.worth(truth.formula, ()), chain)
        elif under is not None and under.whole is None:
            for figure in flat(chain.printed[-1].figures):
                self.ledger.given(figure)
        else:
            self.untold(chain, why)
        if under is not None:
            self.gather(under, chain)

    def misread(self, truth: Ought, chain: Equated) -> str:
        """Return why what is read as the formula of figures is probably not meant, or nothing where it is."""
        printed = chain.printed[0] if chain.printed else None
        if printed is None or chain.told.is_code or truth.is_explained or not fits(truth.value, printed):
            return ""
        if truth.is_literal:
            is_scaled = not printed.axes and is_in_other_unit(truth.value, printed)
            if is_scaled:
                return f"it is {truth.text} but for a power of ten: perhaps it is told in another unit"
            if printed.axes or _UNIT_BEHIND.match(self.text, printed.of.end) is None:
                return ""
        by_rows = isinstance(truth.formula, Combined) and truth.formula.op == "call:softmax"
        if by_rows and self.said().axis == "columns" and agreeing(as_printed(truth.value, printed), printed) < 1:
            return "columns are spoken of, and which formula is meant along them is not known"
        are_shares = truth.source != "words" or not has_label(chain)
        if self.verdicts.is_misread(as_printed(truth.value, printed), printed.figures, truth, are_shares=are_shares):
            return (
                f"{truth.text} gives something quite different, which no known mistake explains: perhaps it was misread"
            )
        return ""

    def related(self, chain: Equated) -> tuple[Ought | None, str]:
        """Return what the figures of a chain should be, or why that cannot be followed."""
        relations = self.relations
        relations.worded.chinese, relations.text, relations.head = self.chinese, self.text, self.head
        relations.meant.heading, relations.meant.chinese = self.heading, self.chinese
        parts = recent(self.parts)
        if self.said_before and instruction(parts, self.chinese) is None:
            parts = [*self.said_before, Talk(". ", 0, 0), *parts]  # the next figure of a series in one sentence
        relations.worded.parts = parts or ([Talk(self.heading[:WORDS], 0, 0)] if self.heading else [])
        found = relations.of(chain, self.said())
        if found is None:
            return None, ""
        if found.truth is not None and chain.printed:
            self.is_recalled = found.truth.is_recalled
            for name in chain.names if found.source == "named" else ():
                self.scope.pending.pop(name, None)
        return found.truth and relations.meant.as_before(replace(found.truth, source=found.source), chain), found.why

    def gather(self, under: RowsUnder, chain: Equated) -> None:
        """One more row of a matrix whose name stands before them: it is known when they are there."""
        side = chain.printed[-1]
        grid = under.add(side)
        if grid is None:
            return
        whole = replace(side, figures=grid, axes=2)
        if under.whole is None and self.held_whole(under, whole):
            return
        value = self.starting(whole, under.head)
        if under.whole is not None:
            value = self.verdicts.as_written(under.whole.value, grid)
        wrong = (self.ledger.entered.get(figure.start) for figure in flat(grid))
        cause = next((one.cause for one in wrong if one is not None and one.standing == "wrong"), None)
        text = under.whole.text if under.whole is not None else ""
        formula = under.whole.formula if under.whole is not None else None
        made = Followed(0, None, value, grid, under.whole is None, formula, text, cause, start=chain.told.start)
        self.define(replace(made, roles=made_by(under.whole) if under.whole is not None else ()), under.head)

    def held_whole(self, under: RowsUnder, whole: SortedSide) -> bool:
        """Rows that came one by one, held together against what their name says, where a row explains nothing."""
        chain = Equated((*under.head.sides, whole), under.head.told)
        known = [self.ledger.entered.get(each.start) for each in flat(whole.figures)]
        if all(one is None or one.standing != "given" for one in known):
            return False
        roles = [role for each in chain.of("name") if isinstance(each.of, NameRead) for role in roles_of(each.of)]
        truth = self.worths.natural.truth(chain, Hints(), tuple(roles), iter(()))
        if truth is None:
            return False
        self.ledger.reopen(flat(whole.figures))
        self.hold(truth, chain)
        return True

    def named_alone(self, told: Talk) -> Equated | None:
        """``### W_Q``: a name that stands alone in words, whose figures are to come."""
        bare = told.text.replace("\\", "").strip(" *_`:：.#")
        is_introduced = told.text.rstrip(" *_`").endswith((":", "："))
        found = _NAME.fullmatch(bare) or (_VECTOR.fullmatch(bare) if is_introduced else None)
        if found is None:
            return None
        labels = re.findall(r"\d+|\D+", found[2]) if found[2] else ()
        below = tuple(NameRead(each, (), (), (), told.end, told.end, each) for each in labels)
        name = NameRead(found[1], (), below, (), told.start, told.end, told.text)
        return Equated((sorted_side(name),), Statement((Member(None, name),), told.start, told.end))

    def with_head(self, chain: Equated) -> Equated:
        """Figures that stand alone belong to the name or formula that stood alone before them."""
        if not chain.printed:
            is_alone = len(chain.sides) == len(chain.names) + len(chain.symbolic) and bool(chain.sides)
            is_known = len(chain.sides) == 1 and any(map(self.scope.named, chain.names))
            is_operand = is_known and takes_operand(recent(self.parts), self.chinese)
            self.head = chain if is_alone and not is_operand else None
            self.under = None
            return chain
        chain = self.without_label(chain)
        said = self.said()
        since = [each.text for each in self.words if self.head is None or each.start > self.head.told.start]
        if self.head is not None and self.under is None and hints(" ".join(since), self.chinese).which:
            self.under = RowsUnder(self.head, self.worths.worth_of(self.head))
        if self.under is not None:
            self.under.heard(hints(" ".join(since), self.chinese) if since else Hints(), self.scope)
            if self.under.takes(chain) or not chain.printed[0].axes:
                return chain
        if chain.literal and not chain.names and not chain.symbolic and not chain.printed[0].axes and said.which:
            return chain
        head, self.head = self.head, None
        first = chain.sides[0]
        if head is not None and is_shape(first, map(self.scope.named, head.names)):
            self.head = head
            return replace(chain, sides=())
        if head is None or first.kind not in ("printed", "literal") or chain.names:
            return chain
        if not chain.printed[0].axes and (since or not self.is_number_of(head, chain)):
            return chain
        if chain.printed[0].axes == 1 and since and len(since[-1]) <= LABEL:
            self.under = RowsUnder.labelled(head, self.worths.worth_of(head), chain)
            if self.under is not None:
                return chain
        return Equated((*head.sides, *chain.sides), replace(chain.told, is_code=head.told.is_code))

    def is_number_of(self, head: Equated, chain: Equated) -> bool:
        """Whether a figure that stands alone is that of a formula just before it, which makes one number."""
        figure = chain.printed[0].figures[0][0]
        if len(chain.sides) > 1 or chain.told.is_code or figure is None or figure.unit >= 1:
            return False
        known = [found for name in head.names if (found := self.scope.named(name))]
        values = [worth.value for each in head.symbolic if (worth := self.worths.worth(each.of, ()))]
        values += [each.value for each in known if not each.figures and each.formula is not None]
        return any(each.entries == 1 for each in values)

    def without_label(self, chain: Equated) -> Equated:
        """``cat: [2, 1]`` under ``Q = X W:`` is a row of Q, whatever it is called."""
        is_list = len(chain.told.sides) == 2 and chain.told.sides[1].relation == ":" and len(chain.names) == 1
        if self.under is not None and self.under.is_in_order and is_list:
            whole: Ought | None = self.under.whole
            side = chain.printed[0]
        elif self.head is None or not is_list or self.scope.named(chain.names[0]) is not None:
            return chain
        else:
            whole, side = self.worths.worth_of(self.head), chain.printed[0]
        if whole is None or side.axes != 1 or size(side.figures) != (1, whole.value.shape[1]):
            return chain
        name = chain.sides[0].of
        self.words.append(Talk(str(chain.names[0]), name.start, name.end))
        return replace(chain, sides=(side,))

    def hold(self, truth: Ought, chain: Equated) -> None:
        """Hold the figures of a chain against what they should be."""
        of = str(chain.names[0]) if chain.names else truth.text
        last: SortedSide | None = None
        cause: int | None = None
        for each in chain.printed:
            self.verdicts.torn(each)
            if not fits(truth.value, each):
                is_said = any(side.of is truth.formula for side in chain.sides)
                if self.verdicts.misshapen(truth, each, of, is_said or is_turned(truth.value, each)):
                    continue
                self.leave(each, "its shape is not that of what it should be")
                continue
            cause = self.verdicts.judge(as_printed(truth.value, each), each.figures, of, truth) or cause
            last = each
        for one in (*chain.literal, *chain.symbolic):
            self.verdicts.restated(one.of)
        for one in chain.symbolic:
            for other in chain.literal:
                self.verdicts.compare(one.of, other.of)
        for one, other in pairwise(chain.literal):
            self.steps(one.of, other.of)
        if not self.is_recalled:
            self.remember(truth, chain, last, cause)

    def untold(self, chain: Equated, why: str) -> None:
        """Enter figures that no formula is known for: given, printed before, or left with the reason."""
        if not chain.printed:
            if any(each.kind == "unread" for each in chain.sides):
                self.unread(chain)
            for each in chain.symbolic:
                self.worths.announced.append(each.of)
                self.worths.is_next = True
                self.scope.pending.update(dict.fromkeys(chain.names, each.of))
                self.scope.general.update(generally(chain, each.of))
                if chain.is_assigned:
                    self.scope.forget(chain.names)
            return
        first = chain.printed[0]
        if chain.symbolic or chain.literal:
            self.worths.run.clear()  # a sum behind it is one of what is not known, too
        self.verdicts.torn(first)
        if not chain.names and self.verdicts.grid_again(first.figures, right=True) is not None:
            return
        if chain.symbolic and first.axes and not (why and chain.told.is_code):
            self.given_whole(chain, first, why)
            return
        if not chain.names and (known := self.gathered(first)) is not None:
            self.hold(known, chain)
            return
        if why and chain.literal and not chain.names and may_claim_a_value(chain.literal[0].of, first):
            self.leave(first, why)
            return
        if chain.symbolic or (not chain.names and len(flat(first.figures)) == 1):
            is_alone = len(chain.told.sides) == 1 and first.axes == 0
            does = hints(self.words[-1].text, self.chinese).does if self.words else ()
            self.verdicts.bare(first, is_claim=not (is_alone and self.words) or bool(does))
            if is_alone and self.said().approximate and not self.scope.is_known(first.figures[0][0]):
                self.define(Followed(0, None, self.starting(first, chain), first.figures, True), chain)
            return
        is_claim = bool({*self.said().does, *self.said().roles} & CLAIMS) and not self.said().given
        for figure in flat(first.figures):
            if why:
                self.ledger.open(figure, why)
            elif chain.names or not is_claim:
                self.ledger.given(figure)
            else:
                self.ledger.open(figure, "nothing is said of what it follows from")
        roles = [role for each in chain.of("name") if isinstance(each.of, NameRead) for role in roles_of(each.of)]
        told = {number for _, number in self.early}
        others = (each for each in self.scope.quantities if each.number not in told)
        if set(roles) & DERIVED and not any(each.value.axes == 2 for each in others):
            self.early.append((chain, len(self.scope.quantities)))
        value = self.starting(first, chain, why)
        is_output = isinstance(first.of, GridRead) and is_print(first.of)
        made = Followed(0, None, value, first.figures, True, start=chain.told.start, is_output=is_output)
        self.define(made, chain)

    def unread(self, chain: Equated) -> None:
        """A name whose formula is not understood; a program's no longer stands for what it was."""
        if not chain.told.is_code:
            self.worths.unread.update(chain.names)
            return
        self.scope.forget(chain.names)
        for name in chain.names:
            self.scope.pending.pop(name, None)


def generally(chain: Equated, formula: Expressed) -> Iterator[tuple[Called, tuple[Expressed, tuple[str, ...]]]]:
    """Yield what a formula of all entries says of their matrix: ``S_{ij} = …`` of S."""
    for each in chain.of("name"):
        letters = letters_of(each.of) if isinstance(each.of, NameRead) else ()
        if isinstance(each.of, NameRead) and letters and all(isinstance(letter, str) for letter in letters):
            key = called(replace(each.of, below=(), above=()))
            yield key, (formula, tuple(map(str, letters)))


def masked_as_printed(truth: Ought, chain: Equated) -> Ought:
    """Return a relation without mask with the mask that is printed: what −∞ stands in place of is hidden."""
    printed = chain.printed[0] if chain.printed else None
    if printed is None or not printed.axes or not fits(truth.value, printed) or truth.is_literal:
        return truth
    value = as_printed(truth.value, printed)
    hidden = [[f is not None and f.value is None and f.sign < 0 for f in row] for row in printed.figures]
    if not any(map(any, hidden)) or any(not x.is_finite() for row in value.true for x in row):
        return truth

    def masked(rows: BallMatrix) -> BallMatrix:
        return [
            [arb.neg_inf() if hides else x for x, hides in zip(row, line, strict=True)]
            for row, line in zip(rows, hidden, strict=True)
        ]

    true, carried, mended = map(masked, (value.true, value.carried, value.mended))
    return replace(truth, value=Worlds(true, carried, mended, value.axes, value.of))


def may_claim_a_value(formula: Expressed, printed: SortedSide) -> bool:
    """Return False for a number beside what is no number: that a column of ones has 2 rows is no claim of its value."""
    return bool(printed.axes) or not (isinstance(formula, Combined) and formula.op == "call:ones")


FEWEST_DIGITS = 2
"""With fewer digits, a number agrees with another one by accident, whatever the unit."""


def is_in_other_unit(value: Worlds, printed: SortedSide) -> bool:
    """Return True for ``2 · 128 · 4000 = 1.024``, in millions, and for ``12 · 0.6 = 7.2 %`` of percentages."""
    figure, exact = printed.figures[0][0], double(value.true[0][0])
    if figure is None or not figure.value or not isfinite(exact) or len(digits(figure)) < FEWEST_DIGITS:
        return False
    powers = (2,) if figure.text.endswith("%") else (3, 6, 9, 12, -3, -6, -9)
    return any(prints(figure, value.true[0][0] / arb(10) ** power, figure.unit) for power in powers)


def is_shape(side: SortedSide, known: Iterable[Followed | None]) -> bool:
    """``Q = X   (3, 2)``: whether a pair of numbers behind a name says only how large it is, or an entry of it."""
    if not isinstance(side.of, GridRead) or side.of.kind != "tuple" or len(side.figures) != 1:
        return False
    sizes = tuple(int(each.value or 0) for each in flat(side.figures) if each.unit == 1)
    shapes = [each.value.shape for each in known if each is not None and len(sizes) == 2]
    return any(1 <= sizes[0] <= rows and 1 <= sizes[1] <= columns for rows, columns in shapes)


def recent(parts: Sequence[SpokenPart]) -> list[SpokenPart]:
    """Return the last parts of what was said, as far back as words are looked at."""
    kept: list[SpokenPart] = []
    left = WORDS
    for part in reversed(parts[-WORDS // 10 :]):
        if isinstance(part, Talk):
            part = replace(part, text=part.text[-left:])
            left -= len(part.text)
        kept.append(part)
        if left <= 0:
            break
    return kept[::-1]


_UNIT_BEHIND = re.compile(r"(?:\\[,;: ]|[^\S\n]|[$*~])*(?:[^\W\d_]|[%‰°€£¥])")
"""A word or a sign directly behind a figure: what it is measured in is not known."""

PARAGRAPH = 9
"""The level of a problem that begins with a paragraph and not with a heading."""


def is_introduction(part: SpokenPart) -> bool:
    """Return True for words that end with a colon: what follows them may be a list or a paragraph of its own."""
    return isinstance(part, Talk) and part.text.rstrip(" *_`\n").endswith((":", "："))


def is_setting(chain: Equated) -> bool:
    """Return True for a number that is set inside a sentence, ``with d_k = 2``, which goes on behind it."""
    return bool(chain.names) and not chain.symbolic and not chain.literal and not chain.printed[0].axes


def is_percentage(chain: Equated) -> bool:
    """Whether a whole number of hundredths stands in a sentence: it is one printed before, or says nothing."""
    if len(chain.sides) != 1 or not isinstance(figure := chain.sides[0].of, FigureRead):
        return False
    return figure.text.endswith("%") and figure.text[:-1].isdecimal()


def hides_an_entry(chain: Equated) -> bool:
    """``S_{12} = -\\infty``: an entry is set, and nothing is claimed."""
    if not chain.names or chain.symbolic or chain.literal or len(chain.printed) != 1 or chain.printed[0].axes:
        return False
    figure = chain.printed[0].figures[0][0]
    return figure is not None and figure.value is None
