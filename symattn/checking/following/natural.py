"""What words and names alone say that figures are: the softmax of the latest scores, the mean of the latest list.

Search proves an explanation by its figures. Where these are wrong nothing proves it; then what was said is taken at its
word, if the figures are near enough to be meant so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from types import MappingProxyType

from flint import arb

from symattn.checking.following import worlds
from symattn.checking.following.chain import Equated, SortedSide, as_printed, fits, rearranged
from symattn.checking.following.evaluate import Appraiser
from symattn.checking.following.hints import Hints
from symattn.checking.following.instruction import Instruction, StatedStep, Stater
from symattn.checking.following.judging import double, prints, units_off
from symattn.checking.following.references import readable, reference
from symattn.checking.following.rows import NoFit
from symattn.checking.following.scope import Followed, Memory
from symattn.checking.following.verdicts import Ought
from symattn.checking.following.worlds import Worlds
from symattn.checking.reading.tree import Combined, Expressed

NEAR_UNITS = 3.0
NEAR_SHARE = 0.3
"""How far a figure may be from a value that it is meant to be: units of its last place, or a share of the value."""

CLOSE_SHARE = 0.02
"""The same share where a word says what is done, and not with what."""

LOOSE = frozenset(
    {
        "softmax",
        "weights",
        "output",
        "weighted_sum",
        "scale",
        "causal_mask",
        "mask",
        "scores",
        "layer_norm",
        "rms_norm",
        "concat",
    }
)
"""What people mean by a word although half of the figures are wrong; else one of them has to be right."""

MEANT = 0.6
"""The share of figures that are so near."""

ANNOUNCED = 1.0
"""The same with half the share of those that agree: what was only announced some time before needs more."""


@dataclass(frozen=True)
class Natural:
    """Makes of what is known what words speak of."""

    scope: Memory

    def truth(self, chain: Equated, said: Hints, roles: tuple[str, ...], announced: Iterator[Ought]) -> Ought | None:
        """What figures are, taken at the word; ``None`` where nothing is said or they are too far from it."""
        printed = chain.printed[0]
        best: tuple[float, Ought] | None = None
        for found in self.candidates(said, roles, announced):
            is_announced = found.formula is not None
            for value, text in self.parts(found, printed, said):
                near = nearness(value, printed, CLOSE_SHARE if found.is_literal else NEAR_SHARE)
                if found.is_literal and near <= 1 and printed.axes > 0:
                    continue
                if near >= (ANNOUNCED if is_announced else MEANT) and (best is None or near > best[0] + 1e-9):
                    best = near, replace(found, value=value, text=text, is_literal=False)
        return None if best is None else best[1]

    def candidates(self, said: Hints, roles: tuple[str, ...], announced: Iterator[Ought]) -> Iterator[Ought]:
        """What was announced, and what the words speak of, the last word first."""
        yield from announced
        spoken = [*reversed(said.does), *(_OF_ROLE.get(role, role) for role in (*roles, *reversed(said.roles)))]
        for what in dict.fromkeys(spoken):
            for formula in self.formulas(what):
                with suppress(NoFit):
                    value = Appraiser(self.scope).value(formula)
                    yield Ought(value, readable(formula, self.scope), is_literal=what not in LOOSE)

    def formulas(self, what: str) -> Iterator[Expressed]:
        """Yield the formulas that a word means, of what such operations are usually done with."""
        if what == "concat":
            yield from self.heads()
        if what in ("output", "weighted_sum"):
            yield from self.outputs()
        for steps in _STEPS.get(what, ()):
            yield from Stater(self.scope).formulas(Instruction(tuple(map(StatedStep, steps.split()))))

    def outputs(self) -> Iterator[Expressed]:
        """Yield the products of the latest weights and values."""
        for weights in islice(self.latest("weights"), 4):
            for value in islice(self.latest("value", axes=(2,)), 1):
                yield Combined("@", (reference(weights, self.scope), reference(value, self.scope)), 0, 0)

    def heads(self) -> Iterator[Expressed]:
        """Yield the outputs of all heads beside each other: what was named alike, head by head."""
        heads: dict[str, Followed] = {}
        base = ""
        for quantity in self.scope.latest():
            name = quantity.name
            if name is None or len(name.labels) != 1 or not name.labels[0].isdecimal() or quantity.value.axes != 2:
                continue
            base = base or name.base
            if name.base == base:
                heads.setdefault(name.labels[0], quantity)
        among = [[heads[label] for label in sorted(heads, key=int)]]
        for last in islice(self.latest("output", "context", axes=(2,)), 1):
            alike = (each for each in self.scope.quantities if each.name == last.name and each.value.axes == 2)
            among.append([each for each in alike if each.value.shape[0] == last.value.shape[0]])
        for each in among:
            if len(each) > 1:
                yield Combined("call:concat", tuple(reference(one, self.scope) for one in each), 0, 0)

    def parts(self, found: Ought, printed: SortedSide, said: Hints) -> Iterator[tuple[Worlds, str]]:
        """The whole, or the row that is spoken of."""
        if fits(found.value, printed):
            yield found.value, found.text
        if found.value.axes != 2 or (printed.axes > 1 and len(printed.figures) > 1):
            return
        for which in said.which:
            if which.kind not in ("row", "token", "position"):
                continue
            place = which.number - (not self.scope.from_zero)
            if 0 <= place < found.value.shape[0]:
                row = worlds.row(found.value, place)
                if fits(row, printed):
                    yield row, f"row {place + 1} of {found.text}"

    def latest(self, *roles: str, axes: tuple[int, ...] = (1, 2)) -> Iterator[Followed]:
        """What is known for one of some roles, the last one first."""
        for quantity in self.scope.latest():
            if quantity.value.axes in axes and not set(roles).isdisjoint(quantity.roles):
                yield quantity


def behind_mask(formula: Expressed, mask: Expressed | None = None) -> Expressed | None:
    """The same formula with a causal mask: on the scores of its softmax, or in the place of a name for the mask."""
    match formula:
        case Combined("+", (scores, other)) if mask is not None and other is mask:
            return Combined("call:causal_mask", (scores,), formula.start, formula.end)
        case Combined("call:softmax", (scores, *_)) if mask is None:
            if isinstance(scores, Combined) and scores.op == "call:causal_mask":
                return None
            hidden = Combined("call:causal_mask", (scores,), scores.start, scores.end)
            return replace(formula, args=(hidden, *formula.args[1:]))
        case Combined(args=args):
            made = [behind_mask(each, mask) for each in args]
            if any(each is not None for each in made):
                return replace(formula, args=tuple(new or old for new, old in zip(made, args, strict=True)))
    return None


def nearness(value: Worlds, printed: SortedSide, share: float = NEAR_SHARE) -> float:
    """The share of figures near enough to be meant, in any world; what agrees counts most."""
    if not fits(value, printed):
        return 0.0
    if rearranged(value, printed):
        return 1.0
    lying = as_printed(value, printed)
    if is_of_whole(printed) and not has_whole_numbers(lying):
        return 0.0  # a mask, a one-hot row: to whole numbers anything small comes near
    near = exact = count = 0
    for i, row in enumerate(printed.figures):
        for j, figure in enumerate(row):
            if figure is None:
                continue
            count += 1
            both = (lying.true[i][j], lying.carried[i][j])
            if figure.value is None and not any(prints(figure, each, figure.unit) for each in both):
                return 0.0  # another mask
            exact += any(prints(figure, each, figure.unit) for each in both)
            near += any(_is_near(figure, each, share) for each in both)
    return near / count + 0.5 * exact / count if count and near / count >= MEANT else 0.0


def is_of_whole(printed: SortedSide) -> bool:
    """Whether a list or a matrix has whole numbers alone."""
    figures = [each for row in printed.figures for each in row if each is not None]
    return len(figures) > 1 and all(each.unit == 1 for each in figures)


def has_whole_numbers(value: Worlds, off: float = 0.0) -> bool:
    """Whether a value has whole numbers alone, or what is so little off."""
    numbers = (x for row in value.true for x in row if x.is_finite() and not x.contains_integer())
    return all(abs(double(x) - round(double(x))) < off for x in numbers)


def _is_near(figure: object, value: arb, share: float) -> bool:
    if not value.is_finite() or figure.value is None:  # type: ignore[attr-defined]
        return prints(figure, value, figure.unit)  # type: ignore[arg-type, attr-defined]
    if figure.unit < Fraction(1, 10) and units_off(figure, value, figure.unit) <= NEAR_UNITS:  # type: ignore[arg-type, attr-defined]
        return True
    size = max(abs(double(figure.value)), abs(double(value)))  # type: ignore[attr-defined]
    return abs(double(figure.value) - double(value)) <= share * size  # type: ignore[attr-defined]


_STEPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **{name: (name,) for name in "softmax scale causal_mask mask mean variance std sum relu gelu exp".split()},
        **{name: (name,) for name in "layer_norm rms_norm normalise".split()},
        "weights": ("softmax", "scale softmax"),
        "scores": ("dot",),
    }
)
"""What words speak of, as the operations of an instruction."""

_OF_ROLE: Mapping[str, str] = MappingProxyType(
    {
        "probabilities": "weights",
        "scaled": "scale",
        "masked": "causal_mask",
        "context": "output",
        "mean": "mean",
        "variance": "variance",
        "std": "std",
    }
)

ROLE_OF_WORD: Mapping[str, str] = MappingProxyType(
    {
        "softmax": "weights",
        "scale": "scaled",
        "causal_mask": "masked",
        "mask": "masked",
        "weighted_sum": "output",
        "dot": "scores",
        "mean": "mean",
        "variance": "variance",
        "std": "std",
    }
)
"""What a quantity is for that words make."""
