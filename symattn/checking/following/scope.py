"""What is known at a place of a document: quantities by their names, and where a printed figure has stood before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice
from typing import Any

from flint import arb

from symattn.checking.following import rows as on
from symattn.checking.following import worlds
from symattn.checking.following.hints import role_of_name
from symattn.checking.following.rows import BallMatrix, NoFit
from symattn.checking.following.worlds import Worlds
from symattn.checking.following.written import Called, ReadFigures, called, places
from symattn.checking.reading.shown import shown
from symattn.checking.reading.tree import Expressed, FigureRead, NameRead

FigureGrid = ReadFigures

WORD = 3
"""A name that is longer is a word, whose letter case and plural say nothing."""


LATEST = 600
"""How many quantities are looked through, the last ones first."""


@dataclass(frozen=True)
class Followed:
    """Something with a value: given, or worked out."""

    number: int
    """Its place among all, in reading order."""
    name: Called | None
    value: Worlds
    """What uses it gets: ``carried`` are its printed figures."""
    figures: FigureGrid = ()
    """As they were printed last; ``None`` where no figure stands."""
    is_given: bool = False
    formula: Expressed | None = None
    text: str = ""
    """What it follows from, in the formula language or as it is written."""
    cause: int | None = None
    """The cause of its wrong figures, if there are any."""
    is_output: bool = False
    """Whether a program printed it."""
    start: int = 0
    roles: tuple[str, ...] = ()
    """What it is for, in the words of :mod:`~symattn.checking.following.hints`."""


@dataclass(frozen=True)
class ScopeFrame:
    """A problem that has begun, and what was known before it."""

    level: int
    first: int
    """The number of its first quantity."""
    known: dict[str, dict[Any, Any]]


_BY = ("by_name", "by_case", "by_value", "by_figure", "by_grid", "by_row", "by_formula", "pending", "general")
"""Where quantities are looked up."""


@dataclass
class Memory:
    """Quantities in reading order."""

    quantities: list[Followed] = field(default_factory=list)
    by_name: dict[Called, int] = field(default_factory=dict)
    by_case: dict[tuple[str, tuple[str, ...], tuple[str, ...]], dict[Called, None]] = field(default_factory=dict)
    """Names that are alike but for the case of their labels."""
    by_value: dict[tuple[object, ...], int] = field(default_factory=dict)
    by_figure: dict[tuple[Fraction, Fraction], tuple[int, int, int]] = field(default_factory=dict)
    by_grid: dict[tuple[tuple[Fraction, ...], ...], int] = field(default_factory=dict)
    hidden: set[int] = field(default_factory=set)
    """Quantities that explain nothing: results that were told before what they follow from."""
    by_row: dict[tuple[tuple[Fraction, ...], ...], tuple[int, int]] = field(default_factory=dict)
    by_formula: dict[str, int] = field(default_factory=dict)
    """What stands for a formula that nothing is known of: of ``Q K^T = [[…]]`` where neither Q nor K is there."""
    pending: dict[Called, Expressed] = field(default_factory=dict)
    general: dict[Called, tuple[Expressed, tuple[str, ...]]] = field(default_factory=dict)
    """Formulas of all entries, and their letters: S by what ``S_{ij}`` is."""
    """Formulas of names that have no value yet."""
    frames: list[ScopeFrame] = field(default_factory=list)
    closed: set[int] = field(default_factory=set)
    """Quantities of problems that are over."""
    has_derived: bool = False
    """Whether anything was worked out already."""
    in_brackets: dict[tuple[object, ...], Worlds] = field(default_factory=dict)
    """What was worked out of formulas in brackets, of which entries are spoken of."""
    from_zero: bool = False
    """Whether the document counts rows from 0."""
    from_one: bool = False
    """Whether an entry was spoken of that is there only if rows and columns are counted from 1."""
    anew: int = 0
    """How many quantities there were when something given was given anew: those belong to another example."""

    def add(self, quantity: Followed) -> Followed:
        """Remember one more; its number is given here."""
        quantity = replace(quantity, number=len(self.quantities))
        if self.by_formula and quantity.name is not None:
            base = quantity.name.base  # formulas of what had this name before
            self.by_formula = {text: each for text, each in self.by_formula.items() if base not in text}
        before = self.quantities[self.by_name[quantity.name]] if quantity.name in self.by_name else None
        if (
            before is not None
            and quantity.is_given
            and before.is_given
            and before.value.axes == quantity.value.axes > 0
        ):
            self.anew = quantity.number
        self.quantities.append(quantity)
        self.has_derived |= not quantity.is_given
        self.put(quantity)
        return quantity

    def put(self, quantity: Followed) -> None:
        """Remember what has become of one."""
        number = quantity.number
        self.quantities[number] = quantity
        if quantity.name is not None:
            self.by_name[quantity.name] = number
            self.by_case.setdefault(_folded(quantity.name), {})[quantity.name] = None
        if quantity.figures:
            if not quantity.is_given:
                self.by_value[_value_key(quantity.value)] = number
            for i, row in enumerate(quantity.figures):
                for j, figure in enumerate(row):
                    if figure is not None and figure.value is not None and tells(figure):
                        self.by_figure[figure.value, figure.unit] = number, i, j
            if (key := grid_key(quantity.figures)) is not None:
                self.by_grid[key] = number
                if len(key) > 1:
                    self.by_row.update({(row,): (number, i) for i, row in enumerate(key) if has_digits(row)})

    # -- scopes --------------------------------------------------------------------------------------------------------

    def enter(self, level: int) -> None:
        """Begin a problem: what a problem of the same level named before it is forgotten.

        What stands before the first of them holds in all.
        """
        self.leave(level)
        if self.frames and self.frames[-1].level == level:
            frame = self.frames.pop()
            self.closed.update(range(frame.first, len(self.quantities)))
            for name, kept in frame.known.items():
                setattr(self, name, kept)
        known = {name: dict(getattr(self, name)) for name in _BY}
        self.frames.append(ScopeFrame(level, len(self.quantities), known))

    @property
    def first(self) -> int:
        """The number of the first quantity of this problem."""
        return self.frames[-1].first if self.frames else 0

    def leave(self, level: int) -> None:
        """Go back to a level: what was named in problems below it is known from there on."""
        while self.frames and self.frames[-1].level > level:
            self.frames.pop()

    # -- names ---------------------------------------------------------------------------------------------------------

    def named(self, name: Called) -> Followed | None:
        """A quantity by its name, or by the one that it can only be: letter case of labels does not matter."""
        if name in self.by_name:
            return self.quantities[self.by_name[name]]
        alike = [other for other in self.by_case.get(_folded(name), ()) if other in self.by_name]
        return self.quantities[self.by_name[alike[-1]]] if alike else None

    def __contains__(self, word: object) -> bool:
        """Return True for a word that is the name of a quantity, such as ``W_Q`` among words."""
        base, *labels = str(word).split("_")
        return Called(base, (), tuple(labels)) in self.by_name

    def forget(self, names: Sequence[Called]) -> None:
        """Names that are given to something else: a program assigns them anew."""
        for each in names:
            self.by_name.pop(each, None)

    def named_or_none(self, name: NameRead) -> Worlds | None:
        """What a name stands for as a whole."""
        known = self.named(called(name))
        return None if known is None else known.value

    def value(self, name: NameRead) -> Worlds:
        """What a name stands for. Raises :class:`NoFit` for one that is not known."""
        known = self.named(called(name))
        if known is not None:
            return known.value
        found = self.part(name) or self.stacked(called(name)) or self.unnamed(name) or self.only_input(name)
        if found is None:
            raise NoFit(f"{called(name)} is not known")
        return found

    def unnamed(self, name: NameRead) -> Worlds | None:
        """The α of ``α V`` where the weights before it have no name: the last ones that were worked out."""
        if name.below or name.above or "weights" not in role_of_name(name.base)[:1]:
            return None
        weights = (each for each in self.latest() if "weights" in each.roles and each.value.axes == 2)
        last = next(weights, None)
        return last.value if last is not None and last.name is None and not last.is_given else None

    def stacked(self, name: Called) -> Worlds | None:
        """``α`` of which only the rows were written, ``α_1``, ``α_2`` and so on."""
        rows: list[Worlds] = []
        first = 0 if replace(name, labels=(*name.labels, "0")) in self.by_name else 1
        while (number := self.by_name.get(replace(name, labels=(*name.labels, str(first + len(rows)))))) is not None:
            rows.append(self.quantities[number].value)
        if len(rows) < 2 or any(each.axes != 1 or each.shape != rows[0].shape for each in rows):
            return None
        return worlds.through(lambda *given: [each[0] for each in given], rows, 2)

    def only_input(self, name: NameRead) -> Worlds | None:
        """X where nobody has said it: the matrix that words call the input, or the embeddings."""
        if name.base != "X" or name.below or name.above or name.marks:
            return None
        given = [each for each in self.quantities if each.name is None and each.is_given and each.value.axes == 2]
        inputs = [each for each in given if _INPUTS.intersection(each.roles)] or given[: len(given) == 1]
        return inputs[-1].value if inputs else None

    def part(self, name: NameRead) -> Worlds | None:
        """An entry or a row of something known: ``A_{21}``, ``x_1``, ``q_2``, ``x^{(2)}``."""
        whole, pieces = self.indexed(name)
        at = places(pieces)
        if at is None or whole is None:
            return None
        value = whole.value
        self.from_one |= not self.from_zero and len(at) == 2 and at[0] * at[1] > 0 and _reaches(at, value.shape)
        self.from_zero |= 0 in at and not self.from_one
        at = tuple(each - (not self.from_zero) for each in at)
        try:
            if len(at) == 1:
                return worlds.row(value, at[0])
            if len(at) == 2:
                return worlds.entry(value, *at)
        except NoFit:
            return None
        return None

    def indexed(self, name: NameRead) -> tuple[Followed | None, tuple[Expressed, ...]]:
        """What a name with places belongs to, and its places: of ``a_{21}^{(1)}`` ``A_1``, of ``w_{12}^Q`` ``W_Q``."""
        if name.below and name.above:
            key = called(replace(name, below=()))
            for one in (key, *_other_case(key)):
                if (found := self.by_name.get(one)) is not None and self.quantities[found].value.axes:
                    return self.quantities[found], name.below
        is_component = len(name.below) == 1 == len(name.above)  # x_j^{(i)} is X_{ij}
        return self.whole(name), (*name.above, *name.below) if is_component else (*name.below, *name.above)

    def whole(self, name: NameRead) -> Followed | None:
        """What a name with places belongs to: ``X`` of ``x_1``."""
        bare = Called(called(name).base, called(name).marks)
        for one in (bare, *_other_case(bare)):
            if (found := self.by_name.get(one)) is not None and self.quantities[found].value.axes:
                return self.quantities[found]
        return None

    # -- figures -------------------------------------------------------------------------------------------------------

    def is_known(self, figure: FigureRead | None) -> bool:
        """Whether a figure was printed before."""
        return figure is not None and figure.value is not None and (figure.value, figure.unit) in self.by_figure

    def cited(self, figure: FigureRead) -> Worlds | None:
        """What a figure that stands in a formula was printed for, if it was worked out or rounded before."""
        if figure.value is None or (figure.value, figure.unit) not in self.by_figure:
            return None
        number, i, j = self.by_figure[figure.value, figure.unit]
        quantity = self.quantities[number]
        is_exact = quantity.is_given and quantity.value.true is quantity.value.carried
        return None if is_exact else worlds.entry(quantity.value, i, j)

    def cited_grid(self, figures: FigureGrid) -> Followed | None:
        """What a grid of figures was printed for."""
        key = grid_key(figures)
        return self.quantities[self.by_grid[key]] if key is not None and key in self.by_grid else None

    def printed_alike(self, value: Worlds) -> Worlds:
        """A value with the figures that were printed for it, where some were."""
        if value.entries > 4_000:
            return value
        number = self.by_value.get(_value_key(value))
        if number is None:
            return value
        found = self.quantities[number]
        if found.value.shape != value.shape:
            return value
        return replace(value, carried=found.value.carried, mended=found.value.mended, of=value.of | {number})

    def is_printed(self, rows: BallMatrix) -> bool:
        """Whether a matrix was worked out and printed before."""
        return ((len(rows), len(rows[0])), *(_near(x) for row in rows for x in row)) in self.by_value

    def cited_row(self, figures: FigureGrid) -> Worlds | None:
        """What a list was printed for that is a row of something worked out before."""
        key = grid_key(figures)
        if key is None or key not in self.by_row:
            return None
        number, place = self.by_row[key]
        quantity = self.quantities[number]
        return None if quantity.is_given else worlds.row(quantity.value, place)

    def given_as(self, formula: Expressed) -> Worlds | None:
        """What a document gives for a formula as a whole."""
        if not self.by_formula:
            return None
        number = self.by_formula.get(shown(formula))
        return None if number is None else self.quantities[number].value

    def latest(self) -> Iterator[Followed]:
        """Quantities, the last one first."""
        last = islice(reversed(self.quantities), LATEST)
        return (each for each in last if each.number not in self.hidden and each.number not in self.closed)


def grid_key(figures: FigureGrid) -> tuple[tuple[Fraction, ...], ...] | None:
    """What two prints of the same figures have in common; ``None`` where it would tell nothing."""
    if not figures or len(figures) * len(figures[0]) < 2:
        return None
    if len(figures) == 1 and not any(each is not None and tells(each) for each in figures[0]):
        return None  # [0, 2] may stand for anything
    rows = []
    for row in figures:
        values = [_INFINITE if f is not None and f.value is None else f and f.value for f in row]
        if any(each is None for each in values):
            return None
        rows.append(tuple(values))
    return tuple(rows)  # type: ignore[arg-type]


def has_digits(row: tuple[Fraction, ...]) -> bool:
    """Whether a row is known again by its figures: two of them at least are no whole numbers."""
    return sum(each.denominator > 1 for each in row) > 1


_INPUTS = frozenset({"input", "embedding"})

_INFINITE = Fraction(-(10**30))


def tells(figure: FigureRead) -> bool:
    """Whether a figure has enough digits to be known again."""
    return figure.value is not None and figure.value.denominator > 1 and len(digits(figure)) >= 2


def digits(figure: FigureRead) -> str:
    """The digits that count: without sign, point and zeros in front."""
    mantissa = figure.text.lower().partition("e")[0]
    return "".join(each for each in mantissa if each.isdigit()).lstrip("0")


def _value_key(value: Worlds) -> tuple[object, ...]:
    return (value.shape, *(_near(x) for row in value.true for x in row))


def _reaches(at: Sequence[int], shape: tuple[int, int]) -> bool:
    """Whether places are those of the last row or column, counted from 1."""
    return any(place == size for place, size in zip(at, shape, strict=True)) and all(
        place <= size for place, size in zip(at, shape, strict=True)
    )


def _near(x: arb) -> str:
    middle = x.mid()
    return f"{float(middle):.11e}" if abs(middle) < 1e300 else str(middle)


def _folded(name: Called) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    return _spelled(name.base), name.marks, tuple(each.lower() for each in name.labels)


def _spelled(base: str) -> str:
    """A word apart from how it is written: ``Score``, ``scores`` and ``SCORES`` are one; letters are none."""
    return base.lower().replace("_", "").removesuffix("s") if len(base) > WORD else base


def _other_case(name: Called) -> Sequence[Called]:
    if name.base[-1:].isalpha() and (len(name.base) == 1 or name.base[-2] == "∂"):
        return (replace(name, base=name.base[:-1] + name.base[-1].swapcase()),)
    return ()


def rows_of(figures: FigureGrid) -> BallMatrix:
    """Printed figures as numbers."""
    return [[_of(each) for each in row] for row in figures]


def _of(figure: FigureRead | None) -> arb:
    if figure is None:
        return arb.nan()
    if figure.value is None:
        return arb.pos_inf() if figure.sign > 0 else arb.neg_inf()
    return on.ball(figure.value)
