"""What a program prints beside what a document shows of it: in order, and by the words that are printed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice

from flint import arb

from symattn.base.budget import spend
from symattn.base.errors import BudgetError
from symattn.checking.following import worlds
from symattn.checking.following.arrays import MOST_ENTRIES, EntryArray, ProgramValue, Unknown, entries_of, worlds_of
from symattn.checking.following.chain import Equated, SortedSide, sorted_side
from symattn.checking.following.ledger import Ledger
from symattn.checking.following.program_texts import PrintedItem, ShownValue
from symattn.checking.following.programs import Session
from symattn.checking.following.rows import NoFit
from symattn.checking.following.scope import Followed, Memory
from symattn.checking.following.seeking import roles_of
from symattn.checking.following.verdicts import Ought
from symattn.checking.following.worlds import Worlds
from symattn.checking.following.written import called, walk
from symattn.checking.reading.lexer import Lexeme
from symattn.checking.reading.scripts import identifier
from symattn.checking.reading.tree import (
    Combined,
    Expressed,
    FigureRead,
    GridRead,
    Member,
    NameRead,
    PrintedText,
    ProgramPiece,
    Statement,
    Stop,
    ToldPart,
)

_FIGURE = re.compile(
    r"(?P<sign>[-+−])?(?:(?P<digits>\d+\.?\d*|\.\d+)(?P<power>[eE][-+]?\d{1,4})?|(?P<infinite>inf|∞|Infinity)|nan)(?![\w.])"
    r"|(?P<truth>True|False)\b"
)
_NUMBER = re.compile(r"(?<![\w.])[-+−]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?!\w)")
_TAIL = r"dtype=[\w.]+|device='[^'\n]*'|grad_fn=<\w+>|requires_grad=\w+|size=\([\d, ]*\)"
_BEFORE = re.compile(r"(?:\s|(?:tensor|array|EntryArray|np\.\w+|torch\.\w+)\(|[\[\](){},'\":])*")
_BEFORE_ONE = re.compile(r"\s*(?:(?:tensor|array|np\.float64|np\.int64|np\.float32)\()?\s*")
_AFTER = re.compile(rf"(?:\s*(?:[\])}}]|,\s*(?:{_TAIL})|,(?=\s*[\])}}])|'))*")
_WORD = re.compile(r"[^\W\d_]")
_BLANK = re.compile(r"\s*")
_MARK = re.compile(
    r"\s*(?:(?:→|->|=>|==>|⇒|≈|~|=|>>>|prints?\b|outputs?\b|Out(?:\[\d*\])?|result\b|gives\b)\s*:?\s*)*", re.I
)
_LOST = "what is printed here is not known"
BY_SIGN = 3
"""Steps that it takes to look at a character of an output."""


@dataclass(frozen=True, eq=False)
class Match:
    """A printed value and its figures in the text."""

    shown: ShownValue
    figures: tuple[_Figure, ...]


@dataclass(frozen=True)
class _Figure:
    start: int
    end: int
    text: str


@dataclass(frozen=True, eq=False)
class Alignment:
    """Printed items set beside a text."""

    matches: tuple[Match, ...]
    used: tuple[PrintedItem, ...]
    """The items that stand in the text."""
    is_whole: bool
    """Whether all figures of the text are explained, and no item before the last one is missing."""
    begin: int = 0
    end: int = 0


def aligned(items: Sequence[PrintedItem], text: str) -> Alignment:
    """Set printed items beside a text, in order; items whose words are missing are left out."""
    spend(BY_SIGN * len(text))
    matches: list[Match] = []
    used: list[PrintedItem] = []
    spans: list[tuple[int, int]] = []
    at, missing, is_whole = 0, False, True
    for item in items:
        if at >= len(text.rstrip()):
            break
        if item.kind == "lost":
            ends = [text.find(_label(each), at) for each in items if _label(each)]
            end = min((each for each in ends if each >= 0), default=len(text))
            numbers = tuple(_Figure(*one.span(), one[0]) for one in _NUMBER.finditer(text, at, end))
            matches += [Match(each, numbers) for each in item.parts if isinstance(each, ShownValue)]
            used.append(item)
            spans.append((at, end))
            at = end
            continue
        found = _item_at(item, text, at)
        label = _label(item)
        start = at
        if found is None and label:
            start = text.find(label, at)
            found = _item_at(item, text, start) if start >= 0 else None
        if found is None:
            missing = True
            continue
        is_whole &= not missing
        matches += found[0]
        used.append(item)
        spans.append((start, found[1]))
        at = found[1]
    explained = [(match.figures[0].start, match.figures[-1].end) for match in matches if match.figures]
    for number in _NUMBER.finditer(text):
        if not any(start <= number.start() < end for start, end in (*spans, *explained)):
            is_whole = False
    return Alignment(tuple(matches), tuple(used), is_whole and bool(used), spans[0][0] if spans else 0, at)


def _label(item: PrintedItem) -> str:
    """Return the words that are printed first."""
    first = item.parts[0] if item.parts else ""
    words = first.split() if isinstance(first, str) else []
    return words[0] if words and _WORD.search(words[0]) else ""


def _item_at(item: PrintedItem, text: str, at: int) -> tuple[list[Match], int] | None:
    """Return the figures of an item that is printed at a place, and where it ends."""
    found: list[Match] = []
    for place, part in enumerate(item.parts):
        if isinstance(part, str):
            for word in part.split():
                at = _BLANK.match(text, at).end()  # type: ignore[union-attr]
                if not text.startswith(word, at):
                    return None
                at += len(word)
            continue
        following = next(
            (word for each in item.parts[place + 1 :] if isinstance(each, str) for word in each.split()), ""
        )
        one = _shown_at(part, text, at, following)
        if one is None:
            return None
        found.append(one[0])
        at = one[1]
    return found, at


def _shown_at(shown: ShownValue, text: str, at: int, following: str) -> tuple[Match, int] | None:
    """Return the figures of a value at a place, and where they end."""
    try:
        entries = list(islice(entries_of(shown.value), MOST_ENTRIES))
    except (NoFit, RecursionError):
        return _unknown_at(shown, text, at, following)
    is_one = not isinstance(shown.value, EntryArray | list | tuple | dict | range)
    figures: list[_Figure] = []
    for entry in entries:
        at = (_BEFORE_ONE if is_one else _BEFORE).match(text, at).end()  # type: ignore[union-attr]
        if isinstance(entry, str):
            if not text.startswith(entry, at):
                return None
            at += len(entry)
            continue
        one = _FIGURE.match(text, at)
        if one is None:
            return None
        figures.append(_Figure(*one.span(), one[0]))
        at = one.end()
    end = _AFTER.match(text, at).end() if not is_one or "(" in text[max(0, at - 60) : at] else at  # type: ignore[union-attr]
    return (Match(shown, tuple(figures)), end) if figures or not is_one or not entries else (Match(shown, ()), end)


def _unknown_at(shown: ShownValue, text: str, at: int, following: str) -> tuple[Match, int]:
    """Return the figures up to the words that follow, or to the end of the line that closes all brackets."""
    end, depth = at, 0
    at = end = _BLANK.match(text, at).end()  # type: ignore[union-attr]
    while end < len(text):
        if following and text.startswith(following, end):
            break
        depth += (text[end] in "[(") - (text[end] in "])")
        if text[end] == "\n" and depth <= 0:
            break
        end += 1
    return Match(shown, tuple(_Figure(*one.span(), one[0]) for one in _NUMBER.finditer(text, at, end))), end


@dataclass(eq=False)
class DocumentPrograms:
    """The programs of a document: they are interpreted, and what they print is compared."""

    scope: Memory
    ledger: Ledger
    hold: Callable[[Ought, Equated], None]
    session: Session = field(init=False)
    pending: list[PrintedItem] = field(default_factory=list)
    """What was printed and not shown so far, by the program before the last one too."""
    last: list[PrintedItem] = field(default_factory=list)
    """What the last block printed."""
    piece: list[PrintedItem] = field(default_factory=list)
    """What the last piece of it printed."""
    formulas: dict[str, Statement] = field(default_factory=dict)
    """The lines that assign variables."""
    compared: dict[int, int] = field(default_factory=dict)
    """Where figures begin and end that were compared."""
    has_ended: bool = False
    """Whether the next piece belongs to another block."""
    passed: int = 0
    """Up to here everything was compared."""

    def __post_init__(self) -> None:
        self.session = Session(self._told)

    def _told(self, name: str) -> Worlds | None:
        """Return what the document says of a name."""
        known = self.scope.named(called(_name(name, 0)))
        return None if known is None else known.value

    def is_passed(self, told: ToldPart) -> bool:
        """Return True if a part of the document was compared with what a program prints."""
        if isinstance(told, Stop):
            self.has_ended |= told.kind == "code"
            return False
        if told.end <= self.passed:
            return True
        figures = (
            [each for side in told.sides for each in walk(side.of) if isinstance(each, FigureRead)]
            if isinstance(told, Statement)
            else []
        )
        return bool(figures) and all(each.start in self.compared for each in figures)

    def follow(self, told: ProgramPiece | PrintedText) -> None:
        """Interpret a piece of a program, or compare what it is said to print."""
        with suppress(BudgetError):
            if isinstance(told, ProgramPiece):
                self.run(told)
            elif told.kind == "output":
                self.output(told)
            else:
                self.remark(told)

    # -- programs ------------------------------------------------------------------------------------------------------

    def run(self, told: ProgramPiece) -> None:
        """Interpret a piece, and remember its variables for the document."""
        if self.has_ended:
            self.pending, self.last, self.has_ended = [*self.pending, *self.last], [], False
        count = len(self.session.items)
        try:
            self.session.run(told.text)
        except (SyntaxError, BudgetError):
            return
        self.piece = self.session.items[count:]
        self.last += self.piece
        formulas = {}
        for one in told.formulas:
            for side in one.sides[:-1]:
                if isinstance(side.of, NameRead):
                    formulas[side.of.text] = one
        for name, value in self.session.assigned.items():
            self.formulas.pop(name, None)
            self.formulas.update({name: formulas[name]} if name in formulas else {})
            self._remember(name, value, told.start)

    def _remember(self, name: str, value: ProgramValue, start: int) -> None:
        formula = self.formulas.get(name)
        read = formula.sides[0].of if formula is not None else _name(name, start)
        if not isinstance(read, NameRead):
            return
        key = called(read)
        self.scope.forget([key])
        self.scope.pending.pop(key, None)
        try:
            found = worlds_of(value)
        except (NoFit, BudgetError):
            return
        made = Followed(0, key, found, (), False, None, self.session.formulas.get(name, name), start=start)
        if isinstance(value, int):  # a size, which another example may have anew
            count = FigureRead(str(value), Fraction(value), Fraction(1), start, start)
            made = replace(made, figures=((count,),), is_given=True)
        if formula is not None:
            made = replace(made, start=formula.start)
            made = self._given(made, formula)
            if not made.is_given and len(formula.sides) == 2:
                made = replace(made, formula=formula.sides[1].of)
        self.scope.add(replace(made, roles=roles_of(read)))

    def _given(self, made: Followed, formula: Statement) -> Followed:
        """Enter the figures of a literal as given."""
        side = _literal(formula.sides[-1].of)
        if side is None or (len(side), len(side[0])) != made.value.shape:
            return made
        for row in side:
            for figure in row:
                if figure is not None:
                    self.ledger.given(figure)
        return replace(made, figures=side, is_given=True, text="")

    # -- outputs -------------------------------------------------------------------------------------------------------

    def output(self, told: PrintedText) -> None:
        """Compare an output with what the last programs print."""
        prints = [each for each in self.last if each.kind != "echo"]
        echoes = [each for each in self.last if each.kind == "echo"]
        before = [each for each in self.pending if each.kind != "echo"]
        choices = [prints, [*prints, *echoes[-1:]], self.last, [*before, *prints]]
        found = [aligned(each, told.text) for each in choices if each]
        best = next((each for each in found if each.is_whole), None)
        if best is None:
            labelled = [each for each in self.last if _label(each) and told.text.count(str(each.parts[0]).strip()) == 1]
            best = aligned(labelled, told.text)
        self._compare(told, best)
        if best.used:
            until = max(place for place, each in enumerate(self.session.items) if each in best.used)
            rest = {id(each) for each in self.session.items[until + 1 :]}
            self.pending = [each for each in self.pending if id(each) in rest]
            self.last = [each for each in self.last if id(each) in rest]
        if best.is_whole:
            self.passed = max(self.passed, told.end)

    def remark(self, told: PrintedText) -> None:
        """Compare a comment with what is printed or assigned where it stands."""
        begin = _MARK.match(told.text).end()  # type: ignore[union-attr]
        text = " " * begin + told.text[begin:]
        if not _NUMBER.search(text):
            return
        is_marked = bool(told.text[:begin].strip())
        if told.kind == "below":
            choices = [self.piece, [each for each in self.piece if each.kind != "echo"]]
        else:
            here = [each for each in (*self.piece, *self.session.values) if each.line == told.line]
            prints = [each for each in here if each.kind in ("print", "lost")]
            choices = [prints or [each for each in here if each.kind == "echo" or is_marked or each.kind == "assigned"]]
        for items in choices:
            bare = [tuple(part for part in item.parts if isinstance(part, ShownValue)) for item in items]
            for each in (items, [replace(item, parts=parts) for item, parts in zip(items, bare, strict=True)]):
                found = aligned(each[:1] if told.kind == "beside" else each, text)
                if not found.is_whole or text[: found.begin].strip():
                    continue
                if not _ends(text, found.end):
                    continue
                if told.kind == "beside" and len(items) > 1 and items[0].kind == "print":
                    many = Unknown("this line prints several times")
                    shown = (replace(one, shown=replace(one.shown, value=many)) for one in found.matches)
                    found = replace(found, matches=tuple(shown))
                self._compare(told, found)
                used = {id(items[place]) for place, one in enumerate(each) if one in found.used}
                self.last = [one for one in self.last if id(one) not in used]
                self.piece = [one for one in self.piece if id(one) not in used]
                self.passed = max(self.passed, told.end)
                return

    def _compare(self, told: PrintedText, found: Alignment) -> None:
        """Hold the figures of matches against their values."""
        for match in found.matches:
            figures = [_figure(each, told, match.shown.is_percent) for each in match.figures]
            if not figures:
                continue
            self.compared.update((each.start, each.end) for each in figures if each is not None)
            try:
                if isinstance(match.shown.value, Unknown):
                    raise NoFit(match.shown.value.reason)
                self._hold(match.shown, figures, told)
            except NoFit as error:
                for figure in figures:
                    if figure is not None:
                        self.ledger.open(figure, f"not verified: {str(error) or _LOST}")

    def _hold(self, shown: ShownValue, figures: Sequence[FigureRead | None], told: PrintedText) -> None:
        """Hold the figures of a value against it."""
        try:
            value = worlds_of(shown.value)
        except NoFit:
            numbers = [each for each in entries_of(shown.value) if not isinstance(each, str)]
            for each, figure in zip(numbers, figures, strict=True):
                self._hold(replace(shown, value=each, name=""), [figure], told)
            return
        if shown.is_percent:
            value = worlds.by_entries(lambda a: a * 100, value)
        if value.entries != len(figures):
            raise NoFit(_LOST)
        wide = value.shape[1]
        grid = tuple(tuple(figures[i : i + wide]) for i in range(0, len(figures), wide))
        known = [each for each in figures if each is not None]
        if not known:
            return
        start, end = known[0].start, known[-1].end
        of: Expressed = known[0]
        if value.axes:
            rows = tuple(tuple(each or known[0] for each in row) for row in grid)
            of = GridRead(rows, "brackets", value.axes, start, end)
        side = SortedSide("printed", of, grid, value.axes)
        sides = [side]
        name = _name(shown.name, start) if shown.name else None
        is_latest = name is not None and self.session.names.get(shown.name) is shown.value
        if name is not None and (is_latest or self._is_now(shown)):
            sides.insert(0, SortedSide("name", name))
        members = tuple(Member("=" if place else None, each.of) for place, each in enumerate(sides))
        chain = Equated(tuple(sides), Statement(members, start, end, is_code=True))
        line = self.formulas.get(shown.name) if len(sides) > 1 else None
        self.hold(Ought(value, shown.text, line.sides[-1].of if line is not None else None), chain)

    def _is_now(self, shown: ShownValue) -> bool:
        """Return True if a variable still has the value that was printed, apart from rounding."""
        try:
            now, then = worlds_of(self.session.names.get(shown.name)), worlds_of(shown.value)
        except NoFit:
            return False
        return now.shape == then.shape and all(
            abs(x - y) < arb("0.01")
            for a, b in zip(now.true, then.true, strict=True)
            for x, y in zip(a, b, strict=True)
        )


def _ends(text: str, at: int) -> bool:
    """Return True if a comment that begins with a result ends behind it, or goes on with words."""
    rest = text[at:].strip()
    return not rest or (bool(re.match(r"[(,;:.!–—←<-]|[^\W\d_]{2,}(?!\()", rest)) and text[at] in " \n\t(,;:.!")


def _name(text: str, start: int) -> NameRead:
    return identifier(Lexeme("name", text, start, start + len(text), False, 0, "code"))


def _literal(written: Expressed) -> tuple[tuple[FigureRead | None, ...], ...] | None:
    """Return the figures of a literal: of a number, a list, an array of them."""
    if isinstance(written, Combined) and written.op in ("call:array", "call:tensor") and written.args:
        written = written.args[0]
    side = sorted_side(written)
    return side.figures if side.kind == "printed" and side.figures and side.figures[0] else None


def _figure(found: _Figure, told: PrintedText, is_percent: bool) -> FigureRead | None:
    """Return a figure at its place in the file; ``None`` for True, False and nan."""
    one = _FIGURE.fullmatch(found.text) or _FIGURE.match(found.text)
    if one is None or one["truth"]:
        return None
    start, end = told.places[found.start], told.places[found.end - 1] + 1
    text = found.text.replace("−", "-")
    sign = -1 if text.startswith("-") else 1
    if one["infinite"]:
        return FigureRead("-∞" if sign < 0 else "∞", None, Fraction(1), start, end, -1 if sign < 0 else 1)
    if one["digits"] is None:
        return None
    power = Fraction(10) ** int((one["power"] or "e0")[1:])
    unit = Fraction(1, 10 ** len(one["digits"].partition(".")[2])) * power
    return FigureRead(text, sign * Fraction(one["digits"]) * power, unit, start, end)
