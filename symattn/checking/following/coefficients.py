"""The figures of a weighted sum are claims too: ``z_1 = 0.27 x_1 + 0.73 x_2`` says what the weights of row 1 are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

from symattn.checking.following import worlds
from symattn.checking.following.chain import Equated
from symattn.checking.following.evaluate import Appraiser
from symattn.checking.following.judging import prints, units_off
from symattn.checking.following.recipes import figure, named, root, transposed
from symattn.checking.following.references import text_of
from symattn.checking.following.rows import NoFit
from symattn.checking.following.verdicts import Ought, Verdicts
from symattn.checking.following.worlds import Worlds
from symattn.checking.following.worths import USUAL, Worths
from symattn.checking.following.written import Called, called
from symattn.checking.reading.shown import shown
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, NameRead

LOOKED_AT, TERMS = 12, 64
"""How many formulas and matrices may be the ones that weights come from, and how many terms a sum has at most."""

FINE, NEAR_UNITS = Fraction(1, 100), 1.5
"""Coarser figures are near to anything; how many units of its last place a figure is off at most, where fewer than half
of them are right."""


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
        for side in chain.symbolic if chain.names else ():
            found = weighted_sum(side.of)
            label = chain.names[0].labels
            best = max(self.explanations(found, label) if found else (), key=lambda one: one[0], default=None)
            if best is not None and found is not None:
                self.verdicts.judge(best[1].value, (found.figures,), f"weights of {chain.names[0]}", best[1])

    def explanations(self, found: WeightedSum, label: tuple[str, ...]) -> Iterator[tuple[int, Ought]]:
        """The rows of weights that the figures may be, each with how many of them are right; the nearest first."""
        own = [place for place, name in enumerate(found.names) if name.labels and name.labels == label]
        for truth in self.weights(found):
            value = truth.value
            if not value.axes or value.shape[1] != len(found.figures):
                continue
            for place in own if own and own[0] < value.shape[0] else range(min(value.shape[0], TERMS)):
                row = value if value.axes == 1 else worlds.row(value, place)
                right = _right(found.figures, row)
                if right is not None:
                    text = truth.text if value.axes == 1 else f"row {place + 1} of {truth.text}"
                    yield right, Ought(row, text, truth.formula)

    def weights(self, found: WeightedSum) -> Iterator[Ought]:
        """Printed weights, announced formulas of softmax, and the softmax of products of the rows."""
        scope = self.worths.scope
        known = (each for each in scope.latest() if "weights" in each.roles and each.figures and not each.is_given)
        for quantity in islice(known, LOOKED_AT):
            yield Ought(quantity.value, text_of(quantity), quantity.formula)
        said = [*scope.pending.values(), *self.worths.announced][-4 * LOOKED_AT :]
        made = [each for each in said if isinstance(each, Combined) and each.op == "call:softmax"]
        for formula in reversed(made[-LOOKED_AT:]):
            truth, _ = self.worths.read(formula, USUAL, False)
            if truth is not None:
                yield truth
        evaluator, base = Appraiser(scope), found.names[0].base
        for rows in (named(base.lower()), named(base.upper())):
            with suppress(NoFit):
                scores: Expressed = Combined("@", (rows, transposed(rows)), 0, 0)
                width = evaluator.value(rows).shape[1]
                for each in (scores, Combined("/", (scores, root(figure(width))), 0, 0)):
                    weights = Combined("call:softmax", (each,), 0, 0)
                    yield Ought(evaluator.value(weights), shown(weights))


def weighted_sum(written: Expressed) -> WeightedSum | None:
    """The figures and names of ``0.97 x_1 + 0.02 x_2``; ``None`` of anything that is no sum of shares of one kind."""
    pairs: list[tuple[FigureRead, Called]] = []
    waiting = [written]
    while waiting:
        match waiting.pop():
            case Combined("+", args):
                waiting.extend(reversed(args))
            case Combined("*", (FigureRead() as share, NameRead() as name)) | Combined(
                "*", (NameRead() as name, FigureRead() as share)
            ) if share.value is not None and 0 <= share.value <= 1 and len(pairs) < TERMS:
                pairs.append((share, called(name)))
            case _:
                return None
    if len(pairs) < 2:
        return None
    figures, names = zip(*pairs, strict=True)
    unit = max(each.unit for each in figures)
    is_one_kind = len({(name.base, name.marks) for name in names}) == 1 and len(set(names)) == len(names)
    is_whole = unit < 1 and abs(sum(each.value or 0 for each in figures) - 1) <= len(figures) * unit
    return WeightedSum(figures, names) if is_one_kind and is_whole else None


def _right(figures: tuple[FigureRead, ...], row: Worlds) -> int | None:
    """How many figures a row explains; ``None`` where it does not."""
    value = worlds.flat(row).true[0]
    right = sum(prints(figure, x, figure.unit) for figure, x in zip(figures, value, strict=True))
    near = sum(units_off(figure, x, figure.unit) <= NEAR_UNITS for figure, x in zip(figures, value, strict=True))
    is_fine = all(figure.unit <= FINE for figure in figures)
    is_told = (right >= 2 and 2 * right >= len(figures)) or (right >= 1 and near == len(figures) and is_fine)
    return right if is_told else None
