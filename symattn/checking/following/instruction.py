"""Read a sentence such as "Divide by √2 and apply the softmax to each row:" as the formula that it states.

Words name operations in the order in which they are done; mathematics between them is what they are done with. Where a
sentence does not say with what, the operation continues with the result before it, and the first one takes the latest
quantity of the kind that it is usually done with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import TypeAlias

from symattn.checking.following.hints import Hints, hints
from symattn.checking.following.lexicon import Chinese
from symattn.checking.following.scope import Followed, Memory
from symattn.checking.following.written import Called, walk
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, NameRead, Talk

SpokenPart: TypeAlias = Talk | Expressed
"""Words, or mathematics between them."""

_ADDS = re.compile(r"\b(?:add|adding|plus)\b|加上|加|足す|더한", re.IGNORECASE)

_OF_ONE: Mapping[str, str] = MappingProxyType(
    {name: name for name in "softmax causal_mask relu gelu silu sigmoid tanh exp log layer_norm rms_norm".split()}
)
"""Operations of one operand whose result has its shape, and their names in formulas."""

_REDUCED: Mapping[str, str] = MappingProxyType({"mean": "mean", "variance": "var", "std": "std", "sum": "sum"})
"""Operations of one operand that leave a number of each row."""

MADE: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "softmax": frozenset({"weights", "probabilities"}),
        "scale": frozenset({"scaled", "scores", "masked"}),
        "causal_mask": frozenset({"masked", "scores", "scaled"}),
        "dot": frozenset({"scores"}),
        "weighted_sum": frozenset({"output", "context"}),
        "layer_norm": frozenset({"normalised", "output"}),
        "rms_norm": frozenset({"normalised", "output"}),
        "mean": frozenset({"mean"}),
        "variance": frozenset({"variance"}),
        "std": frozenset({"std"}),
    }
)
"""The roles that the result of an operation may have."""

STARTING = frozenset("value key query weight_matrix embedding input target bias position".split())
"""The roles of quantities that documents start from."""


TEMPERATURES = frozenset(("t", "τ", "temp", "temperature"))
"""What the number is called that scores are divided by before the softmax."""

_BY = re.compile(r"(?:\bby|[÷/]|除以)\s*(√|sqrt\s?\(?|the square root of )?\s?(\d{1,6}(?:\.\d{1,6})?)", re.IGNORECASE)
"""A number in words that something is divided by."""


@dataclass(frozen=True)
class StatedStep:
    """An operation that words name, and the mathematics that follows its name."""

    does: str
    operands: tuple[Expressed, ...] = ()


@dataclass(frozen=True)
class Instruction:
    """The operations of a sentence in their order."""

    steps: tuple[StatedStep, ...]
    subject: tuple[Expressed, ...] = ()
    """Mathematics before the first operation."""
    said: Hints = field(default_factory=Hints)
    role: str = ""
    """The last role that is named after the last operation."""


def instruction(parts: Sequence[SpokenPart], chinese: Chinese | None) -> Instruction | None:
    """Return what a sentence says to do, or ``None`` if it names no operation that a formula has.

    >>> found = instruction((Talk("Apply the softmax to each row of", 0, 9), NameRead("S", (), (), (), 10, 11)), None)
    >>> [(each.does, len(each.operands)) for each in found.steps]
    [('softmax', 1)]
    """
    steps: list[StatedStep] = []
    subject: list[Expressed] = []
    role = ""
    words = []
    for part in parts:
        if not isinstance(part, Talk):
            if steps:
                steps[-1] = StatedStep(steps[-1].does, (*steps[-1].operands, part))
            else:
                subject.append(part)
            continue
        words.append(part.text)
        said = hints(part.text, chinese)
        for does in said.does:
            if not (steps and steps[-1].does == does and not steps[-1].operands):
                steps.append(StatedStep(does))
        if _ADDS.search(part.text) and not {"residual", "bias", "layer_norm"} & set(said.does):
            steps.append(StatedStep("plus"))
        if (by := _BY.search(part.text)) is not None and any(each.does == "scale" for each in steps):
            place = max(place for place, each in enumerate(steps) if each.does == "scale")
            steps[place] = StatedStep("scale", (*steps[place].operands, _number(by, part)))
        if said.roles:
            role = said.roles[-1]
        elif said.does:
            role = ""
    if not steps:
        return None
    return Instruction(tuple(steps), tuple(subject), hints(" ".join(words), chinese), role)


@dataclass(frozen=True)
class Stater:
    """Makes formulas of instructions, with what is known at a place of a document."""

    scope: Memory

    def formulas(self, given: Instruction) -> Iterator[Expressed]:
        """Yield the formulas that an instruction may state, the likeliest first."""
        turned = any(each.does == "transpose" for each in given.steps)
        steps = [each for each in given.steps if each.does not in ("transpose", "heads", "subtract_max", "max")]
        if not steps:
            return
        seen = set()
        for start in self.starts(steps[0], given):
            made = self.made(steps, start, turned)
            if made is not None and made not in seen:
                seen.add(made)
                yield made

    def made(
        self, steps: list[StatedStep], start: Expressed | None, given: Instruction, turned: bool
    ) -> Expressed | None:
        """Return the formula of all steps, or ``None`` where one of them cannot be said."""
        current = start
        for step in steps:
            current = self.applied(step, current, turned)
            if current is None:
                return None
        return current

    def applied(
        self, step: StatedStep, current: Expressed | None, operands: list[Expressed], turned: bool
    ) -> Expressed | None:
        """Return one more operation on the formula so far."""
        matrices = [each for each in step.operands if not _is_number(each)]
        numbers = [each for each in step.operands if _is_number(each)]
        it = matrices[0] if matrices else current
        does = step.does
        if does in _OF_ONE:
            return None if it is None else _call(_OF_ONE[does], it)
        if does in _REDUCED:
            return None if it is None else _call(_REDUCED[does], it)
        if does == "mask":
            return None if it is None else _call("causal_mask", it)
        if does == "normalise":
            return None if it is None else _call("proportions", it)
        if does == "scale":
            below = numbers[-1] if numbers else self.root()
            if len(matrices) > 1:
                below = matrices[1]
            if it is None or below is None:
                return None
            if isinstance(below, Combined) and below.op == "/" and _is_one(below.args[0]):
                below = below.args[1]
            return Combined("/", (it, below), it.start, it.end)
        if does in ("plus", "bias", "residual"):
            more = matrices[-1] if matrices else self.of_role("bias") if does == "bias" else None
            first = matrices[0] if len(matrices) > 1 else current
            return None if first is None or more is None else Combined("+", (first, more), first.start, first.end)
        if does in ("product", "dot", "projection", "weighted_sum"):
            if len(matrices) == 2:
                return _product(matrices[0], matrices[1], turned)
            if len(matrices) == 1 and current is not None:
                return _product(current, matrices[0], turned)
            return current if not matrices else None
        return None

    def starts(self, first: StatedStep, given: Instruction) -> Iterator[Expressed | None]:
        """Yield what the first operation may be done with, the likeliest first."""
        found: list[Followed] = []
        if given.subject:
            yield given.subject[-1]
        if any(not _is_number(each) for each in first.operands):
            yield None
            return
        if first.does in ("dot", "scale", "softmax", "causal_mask", "mask"):
            found = [*self.latest("masked", "scaled", "scores", "logits")]
            fresh = [each for each in found if not self.is_done(first.does, each)]
            for each in fresh[:1]:
                yield from self.cooled(each) if first.does == "softmax" else ()
                yield self.reference(each)
            if not found or first.does == "dot":
                query, key = self.of_role("query"), self.of_role("key")
                if query is not None and key is not None:
                    yield _product(query, key, True)
        if first.does == "weighted_sum":
            weights, value = self.of_role("weights", "probabilities"), self.of_role("value")
            if weights is not None and value is not None:
                yield _product(weights, value, False)
        if not found and first.does not in ("dot", "weighted_sum", "product", "projection"):
            several = (
                each for each in self.scope.latest() if each.value.entries > 1 and not self.is_done(first.does, each)
            )
            for each, _ in zip(several, range(3), strict=False):
                if first.does == "softmax":
                    yield from self.cooled(each)
                yield self.reference(each)

    def cooled(self, scores: Followed) -> Iterator[Expressed]:
        """Yield scores divided by the temperature that was set since."""
        for below in self.scope.latest():
            if below.number <= scores.number:
                return
            name = below.name
            if below.value.axes == 0 and name is not None and name.base.lower() in TEMPERATURES and not name.labels:
                yield Combined("/", (self.reference(scores), self.reference(below)), scores.start, scores.start)
                return

    def is_done(self, does: str, quantity: Followed) -> bool:
        """Return True if an operation was done already on the way to a quantity."""
        if does in ("scale",):
            return bool({"scaled", "masked"} & set(quantity.roles))
        if does in ("mask", "causal_mask"):
            return bool({"masked", "weights"} & set(quantity.roles))
        return does == "softmax" and "weights" in quantity.roles

    def latest(self, *roles: str) -> Iterator[Followed]:
        """Yield the quantities of some roles, the last one first."""
        for quantity in self.scope.latest():
            if quantity.value.axes and not set(roles).isdisjoint(quantity.roles):
                yield quantity

    def of_role(self, *roles: str) -> Expressed | None:
        """Return a reference to the last quantity of some roles."""
        found = next(self.latest(*roles), None)
        return None if found is None else self.reference(found)

    def root(self) -> Expressed | None:
        """Return √d_k, where d_k is a number that is known or the width of the keys."""
        for quantity in self.scope.latest():
            if quantity.value.axes == 0 and quantity.name is not None and quantity.name.base == "d":
                return _call("sqrt", self.reference(quantity))
        for quantity in self.latest("key", "query"):
            width = quantity.value.shape[1]
            return _call("sqrt", FigureRead(str(width), Fraction(width), Fraction(1), 0, 0))
        return None

    def reference(self, quantity: Followed) -> NameRead:
        """Return a name that stands for a quantity, whether it has one of its own or not."""
        base = f"#{quantity.number}"
        self.scope.by_name[Called(base)] = quantity.number
        return NameRead(base, (), (), (), quantity.start, quantity.start, base)


def _number(found: re.Match[str], part: Talk) -> Expressed:
    unit = Fraction(1, 10 ** len(found[2].partition(".")[2]))
    figure = FigureRead(found[2], Fraction(found[2]), unit, part.start, part.end)
    return _call("sqrt", figure) if found[1] else figure


def _call(name: str, of: Expressed) -> Combined:
    return Combined(f"call:{name}", (of,), of.start, of.end)


def _product(left: Expressed, right: Expressed, turned: bool) -> Combined:
    if turned and not (isinstance(right, Combined) and right.op == "T"):
        right = Combined("T", (right,), right.start, right.end)
    return Combined("@", (left, right), left.start, right.end)


def _is_number(written: Expressed) -> bool:
    """Return True for a number such as √2, 1/√d_k or √d_k: a divisor and no matrix."""
    letters = [each for each in walk(written) if isinstance(each, NameRead)]
    return all(each.base in ("d", "n", "h", "k") and (each.below or each.base != "k") for each in letters)


def _is_one(written: Expressed) -> bool:
    return isinstance(written, FigureRead) and written.value == 1
