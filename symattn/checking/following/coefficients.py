"""The figures of a weighted sum are claims too: ``z_1 = 0.27 x_1 + 0.73 x_2`` says what the weights of row 1 are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from symattn.checking.following import rows as on
from symattn.checking.following import worlds
from symattn.checking.following.chain import Equated
from symattn.checking.following.judging import prints, units_off
from symattn.checking.following.references import text_of
from symattn.checking.following.scope import Followed
from symattn.checking.following.verdicts import Ought, Verdicts
from symattn.checking.following.worlds import Worlds
from symattn.checking.following.worths import USUAL, Worths
from symattn.checking.following.written import Called, called
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, NameRead

LOOKED_AT = 12
"""How many formulas and how many matrices may be the ones that weights come from, the last ones first."""

TERMS = 64
"""A longer sum is not looked at."""

FINE = Fraction(1, 100)
"""Coarser figures are near to anything."""

NEAR_UNITS = 1.5
"""How far figures are from what they are meant to be, where fewer than half of them are that: units of the last
place."""


@dataclass(frozen=True)
class WeightedSum:
    """Figures, and the names they stand before."""

    figures: tuple[FigureRead, ...]
    names: tuple[Called, ...]


@dataclass
class Coefficients:
    """Holds the figures of weighted sums against the weights they are."""

    worths: Worths
    verdicts: Verdicts

    def hold(self, chain: Equated) -> None:
        """Hold them, where what they follow from is found."""
        for side in chain.symbolic:
            found = weighted_sum(side.of)
            if found is None or not chain.names:
                continue
            label = chain.names[0].labels
            best = max(self.explanations(found, label), key=lambda one: one[0], default=None)
            if best is not None:
                of = f"weights of {chain.names[0]}"
                self.verdicts.judge(best[1].value, (found.figures,), of, best[1])

    def explanations(self, found: WeightedSum, label: tuple[str, ...]) -> Iterator[tuple[int, Ought]]:
        """The rows of weights that the figures may be, each with how many of them are right; the nearest first."""
        for truth in self.weights(found):
            for place in _places(found, label, truth.value):
                row = truth.value if truth.value.axes == 1 else worlds.row(truth.value, place)
                right = _right(found.figures, row)
                if right is not None:
                    text = truth.text if truth.value.axes == 1 else f"row {place + 1} of {truth.text}"
                    yield right, Ought(row, text, truth.formula)

    def weights(self, found: WeightedSum) -> Iterator[Ought]:
        """All weights of as many columns: those that are printed, announced formulas, and what the rows make."""
        wide = len(found.figures)
        scope = self.worths.scope
        known = (each for each in scope.latest() if "weights" in each.roles and each.value.axes and each.figures)
        for _, quantity in zip(range(LOOKED_AT), known, strict=False):
            if quantity.value.shape[1] == wide and not quantity.is_given:
                yield Ought(quantity.value, text_of(quantity), quantity.formula)
        for formula in self.formulas():
            truth, _ = self.worths.read(formula, USUAL, False)
            if truth is not None and truth.value.axes and truth.value.shape[1] == wide:
                yield truth
        yield from self.of_rows(found)

    def formulas(self) -> Iterator[Expressed]:
        """The last formulas in names that make weights."""
        said = [*self.worths.scope.pending.values(), *self.worths.announced]
        made = [each for each in said[-4 * LOOKED_AT :] if isinstance(each, Combined) and each.op == "call:softmax"]
        yield from reversed(made[-LOOKED_AT:])

    def of_rows(self, found: WeightedSum) -> Iterator[Ought]:
        """Softmax of the products of the rows themselves, divided by the root of their length or not."""
        rows = self.rows(found)
        if rows is None or rows.axes != 2 or rows.shape[0] != len(found.figures):
            return
        base = found.names[0].base.upper()
        scores = worlds.times(rows, worlds.turned(rows))
        root = arb(rows.shape[1]).sqrt()
        scaled = worlds.by_entries(lambda a: a / root, scores)
        for value, text in ((scores, f"{base} {base}^T"), (scaled, f"{base} {base}^T / sqrt({rows.shape[1]})")):
            weights = worlds.through(lambda x: on.called("softmax", x), [value], 2)
            yield Ought(weights, f"softmax({text})")

    def rows(self, found: WeightedSum) -> Worlds | None:
        """The matrix that the names are the rows of."""
        scope = self.worths.scope
        known: list[Followed | None] = [scope.named(name) for name in found.names]
        vectors = [each.value for each in known if each is not None and each.value.axes == 1]
        if len(vectors) == len(found.names) and len({each.shape for each in vectors}) == 1:
            return worlds.through(lambda *rows: [row[0] for row in rows], vectors, 2)
        base = found.names[0].base
        for one in (base.upper(), base.lower()):
            quantity = scope.named(Called(one))
            if quantity is not None and quantity.value.axes == 2:
                return quantity.value
        return None


def weighted_sum(written: Expressed) -> WeightedSum | None:
    """The figures and names of ``0.97 x_1 + 0.02 x_2``; ``None`` of anything that is no sum of shares of one kind.

    >>> from fractions import Fraction
    >>> x = [NameRead("x", (), (FigureRead(str(i), Fraction(i), Fraction(1), 0, 0),), (), 0, 0) for i in (1, 2)]
    >>> shares = [FigureRead(f"0.{i}", Fraction(i, 10), Fraction(1, 10), 0, 0) for i in (3, 7)]
    >>> terms = tuple(Combined("*", pair, 0, 0) for pair in zip(shares, x))
    >>> [str(name) for name in weighted_sum(Combined("+", terms, 0, 0)).names]
    ['x_1', 'x_2']
    """
    terms: list[Expressed] = []
    waiting = [written]
    while waiting and len(terms) <= TERMS:
        one = waiting.pop()
        if isinstance(one, Combined) and one.op == "+":
            waiting.extend(reversed(one.args))
        else:
            terms.append(one)
    pairs = [_term(each) for each in terms]
    if not 2 <= len(pairs) <= TERMS or any(each is None for each in pairs):
        return None
    figures, names = zip(*(each for each in pairs if each is not None), strict=True)
    total = sum(each.value or 0 for each in figures)
    unit = max(each.unit for each in figures)
    is_one_kind = len({(name.base, name.marks) for name in names}) == 1
    if not is_one_kind or len(set(names)) < len(names) or unit >= 1 or abs(total - 1) > len(figures) * unit:
        return None
    return WeightedSum(figures, names)


def _term(written: Expressed) -> tuple[FigureRead, Called] | None:
    match written:
        case Combined("*", (FigureRead() as figure, NameRead() as name)) | Combined(
            "*", (NameRead() as name, FigureRead() as figure)
        ) if figure.value is not None and 0 <= figure.value <= 1:
            return figure, called(name)
    return None


def _places(found: WeightedSum, label: tuple[str, ...], value: Worlds) -> Iterator[int]:
    """Which row it may be: the one whose name has the label of the result, else any."""
    high = value.shape[0]
    for place, name in enumerate(found.names):
        if name.labels and name.labels == label and place < high:
            yield place
            return
    yield from range(min(high, TERMS))


def _right(figures: tuple[FigureRead, ...], row: Worlds) -> int | None:
    """How many figures a row explains; ``None`` where it does not."""
    if row.entries != len(figures):
        return None
    value = worlds.flat(row).true[0]
    right = sum(prints(figure, x, figure.unit) for figure, x in zip(figures, value, strict=True))
    near = sum(units_off(figure, x, figure.unit) <= NEAR_UNITS for figure, x in zip(figures, value, strict=True))
    is_fine = all(figure.unit <= FINE for figure in figures)
    is_told = (right >= 2 and 2 * right >= len(figures)) or (right >= 1 and near == len(figures) and is_fine)
    return right if is_told else None
