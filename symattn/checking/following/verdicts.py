"""Figures held against what they should be, and entered."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import isfinite
from types import MappingProxyType

from flint import arb

from symattn.base.budget import spend
from symattn.checking.following.arithmetic import slips_of_arithmetic
from symattn.checking.following.causes import explanations, mistakes_of
from symattn.checking.following.chain import SortedSide, flat
from symattn.checking.following.doubles import as_floats
from symattn.checking.following.evaluate import Appraiser
from symattn.checking.following.judging import Judged, decimals, double, judged, rounded, units_among, written_like
from symattn.checking.following.ledger import Entered, Ledger
from symattn.checking.following.literal import mismatches
from symattn.checking.following.rows import BallMatrix, NoFit, ball, size
from symattn.checking.following.scope import FigureGrid, Followed, Memory, digits, rows_of
from symattn.checking.following.worlds import Worlds
from symattn.checking.following.written import figures_of, walk
from symattn.checking.model import ROUNDING_KINDS, Explained, RelationSource
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead

TERMS = 12
"""Longer lines show nobody anything."""

WrittenAs = Callable[[arb], str]


def line(operation: str, operands: Sequence[BallMatrix], place: tuple[int, int], figure: FigureRead, value: arb) -> str:
    """The last thing that was done for one entry, in figures, and what comes out; nothing where that shows nothing."""
    rule = _RULES.get(operation)
    if rule is None or not value.is_finite():
        return ""

    def shown(x: arb) -> str:
        if not x.is_finite():
            return "-∞" if x < 0 else "∞"
        text = decimals(x, min(figure.unit, Fraction(1, 100)) / 100)
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return text.replace(".", ",") if has_comma else text

    has_comma = figure.unit < 1 and "," in figure.text and "." not in figure.text
    try:
        left = rule(operands, place, shown)
    except (IndexError, ValueError):
        return ""
    if not left:
        return ""
    exact, rounded = shown(value), written_like(figure, value)
    is_same = re.sub(r"[^\d-]", "", exact) == re.sub(r"[^\d-]", "", rounded)  # 15000 is written 15 000
    return f"{left} = {rounded}" if is_same else f"{left} = {exact}, rounded {rounded}"


def _at(rows: BallMatrix, place: tuple[int, int]) -> arb:
    return rows[place[0] % len(rows)][place[1] % len(rows[0])]


def _bracketed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text


def _product(operands: Sequence[BallMatrix], place: tuple[int, int], shown: WrittenAs) -> str:
    left, right = operands
    row, column = left[place[0]], [each[place[1]] for each in right]
    if len(row) > TERMS or len(row) != len(column):
        return ""
    return " + ".join(f"{_bracketed(shown(a))}·{_bracketed(shown(b))}" for a, b in zip(row, column, strict=True))


def _softmax(operands: Sequence[BallMatrix], place: tuple[int, int], shown: WrittenAs) -> str:
    row = operands[0][place[0]]
    seen = [x for x in row if x.is_finite()]
    if len(seen) > TERMS or not row[place[1]].is_finite():
        return ""
    return f"e^{shown(row[place[1]])} / ({' + '.join(f'e^{shown(x)}' for x in seen)})"


def _shares(operands: Sequence[BallMatrix], place: tuple[int, int], shown: WrittenAs) -> str:
    row = operands[0][place[0]]
    return f"{shown(row[place[1]])} / ({' + '.join(map(shown, row))})" if len(row) <= TERMS else ""


def _sign(sign: str) -> Callable[[Sequence[BallMatrix], tuple[int, int], WrittenAs], str]:
    def written(operands: Sequence[BallMatrix], place: tuple[int, int], shown: WrittenAs) -> str:
        first, *rest = (shown(_at(rows, place)) for rows in operands)
        return f" {sign} ".join((first, *map(_bracketed, rest)))

    return written


_RULES: Mapping[str, Callable[[Sequence[BallMatrix], tuple[int, int], WrittenAs], str]] = MappingProxyType(
    {
        "product": _product,
        "softmax": _softmax,
        "proportions": _shares,
        **{sign: _sign(shown) for sign, shown in (("+", "+"), ("-", "-"), ("/", "/"), ("*", "·"))},
    }
)


BY_JUDGED = 250
"""Steps that it takes to find what a figure is."""

BESIDE = 40
"""How many characters lie between two numbers of a sentence that are set against each other."""

EXPLAINED = 40
"""How many wrong figures of one grid are explained."""


@dataclass(frozen=True)
class Ought:
    """What figures are held against, and where it comes from."""

    value: Worlds
    text: str
    """The formula, for people."""
    formula: Expressed | None = None
    is_literal: bool = False
    """Whether it is worth what its own figures are worth."""
    hidden: tuple[str, ...] = ()
    """What nobody wrote, in words."""
    roles: tuple[str, ...] = ()
    """What search takes it for."""
    is_restated: bool = False
    """Whether it is only what was given before under the same name."""
    source: RelationSource = "beside"
    """How the document says it."""
    is_recalled: bool = False
    """Whether it is only what stood there before: words before it speak of what follows, too."""
    is_explained: bool = False
    """Whether a known mistake makes the figures."""
    working: Expressed | None = None
    """The formula in figures beside it."""
    meant: Worlds | None = None
    """What follows from it goes by this, where figures are held against what stands there."""


@dataclass
class Verdicts:
    """Holds figures against values."""

    scope: Memory
    ledger: Ledger
    alike: int | None = None
    """The cause of what is wrong as a whole in the rows of a matrix that come one by one."""
    mentioned: list[FigureRead] = field(default_factory=list)
    """Numbers in sentences that were wrong where they were printed before."""
    floats: set[str] = field(default_factory=set)
    """Lower precisions that figures of the document have."""

    def judge(self, value: Worlds, figures: FigureGrid, of: str, truth: Ought) -> int | None:
        """Hold figures against a value of their shape; the cause of what is wrong, if anything is."""
        among = flat(figures)
        spend(BY_JUDGED * len(among))
        unit = units_among(among)
        found = []
        for i, row in enumerate(figures):
            for j, figure in enumerate(row):
                if figure is None:
                    continue
                if value.true[i][j].is_nan():
                    self.ledger.open(figure, "something that it follows from is left out")
                else:
                    found.append(judged(figure, value, i, j, unit(figure)))
        floats = as_floats(found, value, [unit(one.figure) for one in found], self.floats)
        if floats:
            self.floats.add(floats)
            self.ledger.remark(f"{truth.text}: figures as {floats} has them, not exact ones", among[0].start)
            found = [replace(one, kind=None, expected=one.figure.text) for one in found]
        if truth.is_restated:
            found = [one if one.kind is None else replace(one, kind="contradiction") for one in found]
        inherited = self.inherited(value)
        if inherited is not None and inherited not in self.ledger.mistaken:
            found = [replace(one, kind="rounding_chain") if one.kind == "propagated" else one for one in found]
        whole = sum(one.kind in ("wrong", "last_digit") for one in found) * 3 > len(found)
        own = self.alike if whole else None
        rounded_on_the_way: int | None = None
        explained = self.explained(found, value, figures, truth)
        worked = self.worked(found, value, truth)
        for one in found:
            place = f"{of}[{one.row + 1}, {one.column + 1}]" if len(among) > 1 else of
            if one.kind is None:
                self.ledger.right(one, place, truth.text)
                continue
            if one.kind == "propagated" and inherited is not None:
                cause = inherited
            elif one.kind == "rounding_chain":
                rounded_on_the_way = rounded_on_the_way or self.ledger.new_cause()
                cause = rounded_on_the_way
            else:
                if own is None or not whole:
                    own = self.ledger.new_cause()
                cause = own
            said = (one.expected, _because(one, truth), cause, place, worked(one), explained.get(one.figure.start, ()))
            self.ledger.enter(Entered(one.figure, "wrong", one.kind, *said, one.value, truth.text, truth.source))
        self.alike = own if whole else self.alike
        first = next(iter(among), None)
        if truth.hidden and first is not None and 3 * sum(one.kind is None for one in found) >= 2 * len(found):
            self.ledger.remark(f"{truth.text}: {', '.join(truth.hidden)}, which nobody wrote", first.start)
        return own or rounded_on_the_way or (inherited if any(one.kind for one in found) else None)

    def worked(self, found: Sequence[Judged], value: Worlds, truth: Ought) -> Callable[[Judged], str]:
        """What shows the line that gives an entry: the last thing that was done, in figures."""
        if all(one.kind is None for one in found):
            return lambda one: ""
        if not isinstance(truth.formula, Combined):
            return lambda one: ""
        does, operands = truth.formula.op.removeprefix("call:"), self.operands(truth.formula, truth.value)
        if does in ("*", "@") and len(operands) == 2:
            (high, middle), (below, wide) = map(size, operands)
            does = "product" if middle == below and size(value.true) == (high, wide) else "*"
        if not operands:
            return lambda one: ""
        return lambda one: line(does, operands, (one.row, one.column), one.figure, value.true[one.row][one.column])

    def operands(self, formula: Combined, value: Worlds) -> tuple[BallMatrix, ...]:
        """What a formula was done with: its figures as they stand, or what they were printed for."""
        for cites in (False, True):
            evaluator = Appraiser(self.scope, cites=cites)
            try:
                found = evaluator.value(formula).true
                if size(found) == size(value.true) and all(
                    x.overlaps(y) for a, b in zip(found, value.true, strict=True) for x, y in zip(a, b, strict=True)
                ):
                    return tuple(evaluator.value(each).true for each in formula.args)
            except NoFit:
                continue
        return ()

    def is_misread(self, value: Worlds, figures: FigureGrid, truth: Ought, *, are_shares: bool) -> bool:
        """Return True where nothing is as a relation has it, or near it, and no mistake and no slip explains that.

        Whoever makes mistakes makes the known ones: figures that have nothing to do with what was read as their
        formula tell that it was not read as it is meant. Where they are ``are_shares`` for sure, it is a mistake that
        they do not add up to 1.
        """
        unit = units_among(flat(figures))
        found = [
            judged(figure, value, i, j, unit(figure))
            for i, row in enumerate(figures)
            for j, figure in enumerate(row)
            if figure is not None and not value.true[i][j].is_nan()
        ]
        if not found or any(one.kind != "wrong" for one in found):
            return False
        room = NEAR_ENTRY if len(found) > 1 else NEAR_IN_UNIT if truth.is_literal else NEAR_NUMBER
        near = sum(_are_alike(one.figure, value.true[one.row][one.column], room) for one in found)
        if 2 * near >= len(found):
            return False
        explained = self.explained(found, value, figures, truth).values()
        told = sum(any(are_shares or one.name != "slip:shares" for one in each) for each in explained)
        return 2 * told < min(len(found), EXPLAINED)

    def explained(
        self, found: Sequence[Judged], value: Worlds, figures: FigureGrid, truth: Ought
    ) -> dict[int, tuple[Explained, ...]]:
        """What may have happened, for each figure that is wrong in itself."""
        wrong = [one for one in found if one.kind in ("wrong", "last_digit")]
        if not wrong or None in flat(figures):
            return {}
        worth = Appraiser(self.scope, cites=True).value
        mistakes = mistakes_of(truth.formula, worth, figures) if truth.formula is not None else ()
        if len(found) == 1 and not value.axes:
            mistakes = (*mistakes, *self.slips_of(truth, wrong[0].figure))
        return {
            one.figure.start: explanations(figures, value.true, (one.row, one.column), mistakes)
            for one in wrong[:EXPLAINED]
        }

    def slips_of(self, truth: Ought, figure: FigureRead) -> Iterator[Explained]:
        """Yield what may have gone wrong in working out one number, from its formula or from the figures beside it."""
        for formula in (truth.working, truth.formula):
            if formula is not None:
                worth = Appraiser(self.scope, cites=not truth.is_literal and formula is truth.formula).value
                yield from slips_of_arithmetic(formula, worth, figure)

    def torn(self, side: SortedSide) -> None:
        """Separators of rows that were lost."""
        if not isinstance(side.of, GridRead) or not side.of.torn:
            return
        cause = self.ledger.new_cause()
        shape = f"{len(side.figures)}×{len(side.figures[0])}" if side.figures else "of rows of one length"
        for place in side.of.torn:
            lost = FigureRead("\\", None, Fraction(1), place, place + 1)
            because = f"a separator of rows is lost: with two backslashes the matrix is {shape}"
            self.ledger.enter(Entered(lost, "wrong", "shape", "\\\\", because, cause))

    def misshapen(self, truth: Ought, side: SortedSide, of: str, is_explicit: bool) -> bool:
        """Whether figures lie the other way than what they should be: rows where columns should be."""
        (high, wide), shape = truth.value.shape, (len(side.figures), len(side.figures[0]))
        if not is_explicit or truth.value.axes != 2 or side.axes != 2 or shape != (wide, high) or high == wide:
            return False
        first = next((each for each in flat(side.figures)), None)
        if first is None:
            return False
        because = f"{truth.text} is {high}×{wide}; {shape[0]}×{shape[1]} stands here"
        self.ledger.enter(
            Entered(first, "wrong", "shape", f"{high}×{wide}", because, self.ledger.new_cause(), of, truth.text)
        )
        for figure in flat(side.figures)[1:]:
            self.ledger.open(figure, because)
        return True

    def inherited(self, value: Worlds) -> int | None:
        """The cause of what is wrong in the figures that a value was worked out from."""
        causes = [self.scope.quantities[each].cause for each in sorted(value.of)]
        return next((each for each in reversed(causes) if each is not None), None)

    def compare(self, named: Expressed, literal: Expressed) -> None:
        """A formula in names and the same in figures: those that are not of the names."""
        cause = None
        for one in mismatches(named, literal, self.scope):
            cause = cause or self.ledger.new_cause()
            because = f"{one.of} is {one.expected} where it is defined"
            self.ledger.enter(Entered(one.figure, "wrong", "literal", one.expected, because, cause, one.of))

    def restated(self, formula: Expressed) -> None:
        """Grids that stand in a formula once more: those with wrong figures are places of the same cause."""
        for each in walk(formula):
            if isinstance(each, GridRead) and (figures := figures_of(each)):
                self.grid_again(figures)

    def grid_again(self, figures: FigureGrid, right: bool = False) -> Followed | None:
        """A grid that was printed before, or its transpose: how it stood there it stands here."""
        quantity = self.scope.cited_grid(figures)
        is_turned = quantity is None
        if quantity is None and len({len(row) for row in figures}) == 1:
            quantity = self.scope.cited_grid(tuple(zip(*figures, strict=True)))
        if quantity is None:
            return None
        for i, row in enumerate(figures):
            for j, figure in enumerate(row):
                if figure is not None:
                    self.again(figure, quantity, *((j, i) if is_turned else (i, j)))
                    if right:
                        standing = "given" if quantity.is_given else "right"
                        self.ledger.enter(Entered(figure, standing, of=str(quantity.name or "")))  # type: ignore[arg-type]
        return quantity

    def again(self, figure: FigureRead, quantity: Followed, row: int, column: int) -> None:
        """A figure that was printed before: if it was wrong there, it is wrong here."""
        before = quantity.figures[row][column] if row < len(quantity.figures) else None
        known = self.ledger.entered.get(before.start) if before is not None else None
        if known is not None and known.standing == "wrong" and known.figure.value == figure.value:
            kind = "propagated" if known.kind == "wrong" else known.kind
            because = known.because if known.because.startswith("printed again") else f"printed again: {known.because}"
            expected = known.expected
            if figure.text != known.figure.text and row < len(quantity.value.true):
                expected = written_like(figure, quantity.value.true[row][column])
            self.ledger.enter(replace(known, figure=figure, kind=kind, because=because, expected=expected))

    def bare(self, side: SortedSide, is_claim: bool = True) -> None:
        """Numbers in a sentence: printed before, or not followed."""
        for figure in flat(side.figures):
            if figure.value is not None and (found := self.scope.by_figure.get((figure.value, figure.unit))):
                self.again(figure, self.scope.quantities[found[0]], found[1], found[2])
                self.mentioned.append(figure)
                self.ledger.enter(Entered(figure, "right"))
            elif not is_claim:
                self.ledger.given(figure)
            elif figure.unit < 1 and len(digits(figure)) > 1:
                self.ledger.open(figure, "nothing is said of what it follows from")

    def contrasted(self) -> None:
        """Numbers of sentences that are not claimed, or are another one.

        ``0.308 instead of 0.309`` speaks of a wrong number beside the one that is expected; and a number that is
        right elsewhere, or was expected elsewhere, is that.
        """
        entered = self.ledger.entered
        right = {(one.figure.text, one.figure.unit) for one in entered.values() if one.standing == "right"}
        right |= {(one.expected, one.figure.unit) for one in entered.values() if one.standing == "wrong"}
        for figure in self.mentioned:
            known = entered[figure.start]
            is_other = (figure.text, figure.unit) in right and figure.unit < 1
            if known.standing == "wrong" and (is_other or self.ledger.holds(known.expected, figure.start, BESIDE)):
                entered[figure.start] = Entered(figure, "right", of=known.of)

    def recalled(self, side: SortedSide) -> None:
        """Numbers that only matter if they were printed before."""
        if any((each.value, each.unit) in self.scope.by_figure for each in flat(side.figures)):
            self.bare(side)

    def as_written(self, value: Worlds, figures: FigureGrid) -> Worlds:
        """A value with the figures that are printed for it: those that are wrong mended in a world of its own."""
        printed = rows_of(figures)
        mended = [list(row) for row in printed]
        for i, row in enumerate(figures):
            for j, figure in enumerate(row):
                known = self.ledger.entered.get(figure.start) if figure is not None else None
                is_wrong = known is not None and known.standing == "wrong" and known.kind not in ROUNDING_KINDS
                if figure is not None and is_wrong:
                    mended[i][j] = rounded(value.true[i][j], figure.unit)
        carried = as_meant(figures, printed) if self.is_wrong(figures) else printed
        return Worlds(value.true, carried, mended, value.axes, frozenset({len(self.scope.quantities)}))

    def is_wrong(self, figures: FigureGrid) -> bool:
        """Whether any figure is wrong by more than what was rounded."""
        found = (self.ledger.entered.get(each.start) for each in flat(figures))
        return any(each is not None and each.kind in ("wrong", "propagated") for each in found)


def as_meant(figures: FigureGrid, printed: BallMatrix) -> BallMatrix:
    """What figures may have been rounded from: whoever went on from wrong ones may have had more digits."""
    unit = units_among(flat(figures))
    return [
        [
            x if f is None or f.value is None or unit(f) >= 1 else arb(x.mid(), ball(unit(f) / 2))
            for f, x in zip(*rows, strict=True)
        ]
        for rows in zip(figures, printed, strict=True)
    ]


NEAR_NUMBER, NEAR_IN_UNIT, NEAR_ENTRY = 10.0, 1.9, 1.6
"""How many times as large a number may be to be one that was got wrong: alone, alone with a unit behind it, and among
others."""


def _are_alike(figure: FigureRead, value: arb, room: float) -> bool:
    """Return True for a figure of about the size of a value, and its sign unless that was lost."""
    one, other = double(figure.value) if figure.value is not None else float("inf"), double(value)
    if one * other == 0 or not isfinite(one * other):
        return abs(one - other) <= double(figure.unit) * 10  # about zero
    return 1 / room <= one / other <= room or abs(one + other) <= double(figure.unit)


def _because(one: Judged, truth: Ought) -> str:
    said = f" ({', '.join(truth.hidden)})" if truth.hidden else ""
    match one.kind:
        case "rounding_chain" if truth.is_literal:
            return f"{truth.text}{said} is {one.expected}; {one.figure.text} only if figures in it were rounded"
        case "rounding_chain":
            return (
                f"{truth.text}{said} of the rounded figures before it gives {one.figure.text}; "
                f"exactly it is {one.expected}"
            )
        case "propagated":
            return f"{truth.text}{said} gives {one.figure.text} from an earlier figure that is wrong"
        case "contradiction":
            return f"{truth.text} was given as {one.expected} before"
        case "last_digit":
            return f"{truth.text}{said} rounds to {one.expected}"
    return f"{truth.text}{said} gives {one.expected}"


def made_by(truth: Ought) -> tuple[str, ...]:
    """What something is for, seen from the last thing that was done."""
    if truth.roles:
        return truth.roles
    match truth.formula:
        case Combined("/", (above, below)) if any(
            isinstance(x, Combined) and x.op in ("root", "call:sqrt") for x in walk(below)
        ):
            return ("scaled",) if not isinstance(above, FigureRead) else ()
        case Combined("/", (Combined("*" | "@", (_, Combined("T"))), _)):
            return ("scaled",)
        case Combined("call:softmax"):
            return ("weights",)
        case Combined("*" | "@", (_, Combined("T"))):
            return ("scores",)
    return ()
