"""Read a sentence such as "Divide by √2 and apply the softmax to each row:" as the formula that it states.

Words name operations in the order in which they are done; mathematics between them is what they are done with. Where a
sentence does not say with what, the operation continues with the result before it, and the first one takes the latest
quantity of the kind that it is usually done with.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import TypeAlias

from symattn.checking.following.hints import Hints, chinese_of, hints, role_of_name
from symattn.checking.following.scope import Followed, Memory
from symattn.checking.following.written import Called, walk
from symattn.checking.phrases import Chinese, Heard, heard, is_undone, plain
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, NameRead, Talk

SpokenPart: TypeAlias = Talk | Expressed
"""Words, or mathematics between them."""

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


_BEFORE = re.compile(r"\b(?:before|prior to)\b(?: the| applying| taking)*|之前|前", re.IGNORECASE)


@dataclass(frozen=True)
class StatedStep:
    """An operation that words name, and the mathematics that follows its name."""

    does: str
    operands: tuple[Expressed, ...] = ()
    roles: tuple[str, ...] = ()
    """What words call the operands: ``every query with every key``."""

    @property
    def takes_two(self) -> bool:
        """Whether the operation has two operands."""
        return self.does in _OF_TWO


@dataclass(frozen=True)
class Instruction:
    """The operations of a sentence in their order."""

    steps: tuple[StatedStep, ...]
    subject: tuple[Expressed, ...] = ()
    """Mathematics before the first operation."""
    said: Hints = field(default_factory=Hints)
    role: str = ""
    """The last role that is named after the last operation."""
    later: tuple[StatedStep, ...] = ()
    """Operations that the others are said to come before: ``scaled before the softmax``."""
    subject_roles: tuple[str, ...] = ()
    """What words call the operands before the first operation."""
    is_turned: bool = False
    """Whether something is transposed."""

    @property
    def is_explicit(self) -> bool:
        """Whether every operation is said with its operands."""
        named = bool(self.subject or self.subject_roles)
        return all(
            each.roles
            or any(not _is_number(one) for one in each.operands)
            or (named if not place else not each.takes_two)
            for place, each in enumerate(self.steps)
        )

    @property
    def is_complete(self) -> bool:
        """Whether every operation that needs a number or a second operand has one: no usual one is taken for it."""
        return all(each.operands or each.roles or each.does not in _NEED_OPERAND for each in self.steps)

    @property
    def is_understood(self) -> bool:
        """Whether every number is taken by an operation: one that is left over belongs to words that were not read."""
        left = [one for each in self.steps if each.does not in ("scale", "product") for one in each.operands]
        return not any(isinstance(one, Combined) and _is_number(one) for one in (*self.subject, *left))

    def orders(self) -> Iterator[Instruction]:
        """Yield the instruction up to what is said to come later, and with it."""
        if self.steps:
            yield self
        if self.later:
            yield replace(self, steps=(*self.steps, *self.later), later=())


@dataclass
class _Reader:
    """Reads the words and the mathematics of a sentence in their order."""

    chinese: Chinese | None
    names: Container[str]
    """The names of quantities, which may stand among words without a frame."""
    steps: list[StatedStep] = field(default_factory=list)
    later: list[StatedStep] = field(default_factory=list)
    subject: list[Expressed] = field(default_factory=list)
    subject_roles: list[str] = field(default_factory=list)
    role: str = ""
    is_turned: bool = False

    def read(self, part: SpokenPart) -> None:
        """Read one more part."""
        if not isinstance(part, Talk):
            self.operand(part)
            return
        text = plain(part.text)
        found: list[tuple[int, Heard | NameRead]] = [
            (one.start, one) for one in heard(text, self.chinese or chinese_of(part.text))
        ]
        for name in _WORD.finditer(part.text):
            if name[0] in self.names and not (len(name[0]) == 1 and name[0] in "aiI"):
                here, at = part.start + name.start(), len(plain(part.text[: name.start()] + "x")) - 1
                if not any(start <= at < one.end for start, one in found if isinstance(one, Heard)):
                    found.append((at, NameRead(name[0], (), (), (), here, here + len(name[0]), name[0])))
        place = 0
        for start, one in sorted(found, key=lambda each: each[0]):
            if isinstance(one, NameRead):
                self.operand(one)
                continue
            self.phrase(one, text, is_new=_SENTENCE.search(text, place, start) is not None)
            place = one.end
        for after in _BEFORE.split(part.text)[1:]:
            self.later += [StatedStep(does) for does in hints(after, self.chinese).does[:1]]
        if (by := _BY.search(part.text)) is not None and any(each.does == "scale" for each in self.steps):
            at = max(at for at, each in enumerate(self.steps) if each.does == "scale")
            self.steps[at] = replace(self.steps[at], operands=(*self.steps[at].operands, _number(by, part)))

    def operand(self, named: Expressed) -> None:
        """Add what stands behind an operation, or before the first one."""
        if self.steps:
            self.steps[-1] = replace(self.steps[-1], operands=(*self.steps[-1].operands, named))
        else:
            self.subject.append(named)

    def phrase(self, one: Heard, text: str, is_new: bool) -> None:
        """Add an operation, or a role: of an operand in the same sentence, of the result in another one."""
        for does in () if is_undone(text, one) else one.named("does"):
            self.role = ""
            if does in _WITHOUT_STEP:
                self.is_turned |= does == "transpose"
                continue
            last = self.steps[-1] if self.steps else None
            if does == "normalise" and last is not None and last.does in _NORMALISES:
                continue
            is_announced = last is not None and (
                (last.does == "normalise" and does in _NORMALISES) or (last.does == "plus" and "mask" in does)
            )
            if last is not None and is_announced and not last.operands:
                self.steps.pop()  # "normalise with a softmax", "add a causal mask"
            elif last is not None and last.does == does and not last.operands and not last.roles:
                continue
            self.steps.append(StatedStep(does))
        for role in () if one.named("does") else one.named("roles")[:1]:
            if not self.steps:
                self.subject_roles.append(role)
            elif is_new or self.role:
                self.role = role
            else:
                self.steps[-1] = replace(self.steps[-1], roles=(*self.steps[-1].roles, role))


def sentences(parts: Sequence[SpokenPart]) -> list[list[SpokenPart]]:
    """Return the sentences of words and mathematics.

    >>> [len(each) for each in sentences((Talk("Scale. Then take", 0, 16), NameRead("S", (), (), (), 17, 18)))]
    [1, 2]
    """
    found: list[list[SpokenPart]] = [[]]
    for part in parts:
        if not isinstance(part, Talk):
            found[-1].append(part)
            continue
        place = 0
        for end in [*(each.end() for each in _SENTENCE.finditer(part.text)), len(part.text)]:
            if text := part.text[place:end].strip():
                found[-1].append(replace(part, text=text))
            if end < len(part.text):
                found.append([])
            place = end
    return [each for each in found if each]


def instructing(parts: Sequence[SpokenPart], chinese: Chinese | None) -> list[SpokenPart]:
    """Return the last sentences as far as each of them names an operation; labels such as ``Token 2:`` end none."""
    kept: list[SpokenPart] = []
    for sentence in reversed(sentences(parts)):
        if instruction(sentence, chinese) is None:
            if kept or not is_row_label(" ".join(each.text for each in sentence if isinstance(each, Talk)), chinese):
                break
            continue
        kept = [*sentence, *kept]
    return kept


def takes_operand(parts: Sequence[SpokenPart], chinese: Chinese | None) -> bool:
    """Return True where words say what is done with the name behind them: ``Multiply by W_O:`` names nothing anew."""
    said = instruction(parts, chinese)
    last = said.steps[-1] if said is not None and said.steps else None
    return last is not None and (last.takes_two or last.does == "scale")


def is_row_label(text: str, chinese: Chinese | None) -> bool:
    """Return True for words that only say which row is meant.

    >>> is_row_label("token 2:", None), is_row_label("the scores of row 2 are", None)
    (True, False)
    """
    label = text.strip(" .)*-")
    return len(label) <= LABEL and label.endswith((":", "：")) and bool(hints(label, chinese).which)


LABEL = 24
"""How long a label of a row is at most."""

_WORD = re.compile(r"[A-Za-zα-ωΑ-Ω](?:_?[A-Za-z0-9]+)*")
_SENTENCE = re.compile(r"[.!?;](?=\s)|[。！？；]")
_WITHOUT_STEP = frozenset(("transpose", "heads", "subtract_max", "max"))
"""What words speak of that is no step by itself."""

_NORMALISES = frozenset({"softmax", "layer_norm", "rms_norm"})
"""Operations that a word such as ``normalise`` only announces."""


def instruction(
    parts: Sequence[SpokenPart], chinese: Chinese | None, names: Container[str] = frozenset()
) -> Instruction | None:
    """Return what a sentence says to do, or ``None`` if it names no operation that a formula has.

    >>> found = instruction((Talk("Apply the softmax to each row of", 0, 9), NameRead("S", (), (), (), 10, 11)), None)
    >>> [(each.does, len(each.operands)) for each in found.steps]
    [('softmax', 1)]
    """
    reader = _Reader(chinese, names)
    for part in parts:
        reader.read(part)
    if not reader.steps and not reader.later:
        return None
    said = hints(" ".join(part.text for part in parts if isinstance(part, Talk)), chinese)
    return Instruction(
        tuple(map(_by_roles, reader.steps)),
        tuple(reader.subject),
        said,
        reader.role,
        tuple(reader.later),
        tuple(reader.subject_roles),
        reader.is_turned,
    )


def _by_roles(step: StatedStep) -> StatedStep:
    """Return "each query is multiplied with each key, which gives the scores" as the dot products that these are."""
    roles = set(step.roles) - MADE["dot"]
    is_dot = step.does == "product" and not step.operands and "key" in roles and roles <= {"query", "key"}
    return StatedStep("dot") if is_dot else step


_NEED_OPERAND = frozenset(("scale", "plus", "bias", "residual"))
"""Operations that mean nothing definite without what they are done with."""

_OF_TWO = frozenset(("product", "dot", "projection", "weighted_sum", "plus", "bias", "residual"))
"""Operations of two operands, which words may call by what they are for."""

ROWS = 8
"""How many lists may be the rows that are worked on one by one."""

_OF_SCORES = frozenset(("scale", "softmax", "causal_mask", "mask"))
"""Operations that are usually done with scores."""

_ALIKE: Mapping[str, tuple[str, ...]] = MappingProxyType({"weights": ("weight_matrix", "weights")})
"""What a word for a role may stand for among these."""


_NORMALISED = ("normalize", "layer_norm", "rms_norm")
"""What a word such as ``normalise`` may mean."""


def _readings(steps: tuple[StatedStep, ...]) -> Iterator[tuple[StatedStep, ...]]:
    """Yield the steps with each meaning of a word that has several."""
    if not any(each.does == "normalise" for each in steps):
        yield steps
        return
    for name in _NORMALISED:
        yield tuple(replace(each, does=name) if each.does == "normalise" else each for each in steps)


@dataclass(frozen=True)
class Stater:
    """Makes formulas of instructions, with what is known at a place of a document."""

    scope: Memory

    def formulas(self, given: Instruction) -> Iterator[Expressed]:
        """Yield the formulas that an instruction may state, the likeliest first."""
        seen = set()
        ways = (
            (start, steps)
            for start in (self.starts(given.steps[0], given) if given.steps else ())
            for steps in _readings(given.steps)
        )
        for start, steps in ways:
            made = self.made(steps, start, given.is_turned)
            if made is not None and made not in seen:
                seen.add(made)
                yield made

    def made(self, steps: Sequence[StatedStep], start: Expressed | None, turned: bool) -> Expressed | None:
        """Return the formula of all steps, or ``None`` where one of them cannot be said."""
        current = start
        for step in steps:
            current = self.applied(step, current, turned)
            if current is None:
                return None
        return current

    def applied(self, step: StatedStep, current: Expressed | None, turned: bool) -> Expressed | None:
        """Return one more operation on the formula so far."""
        matrices = [each for each in step.operands if not _is_number(each)]
        if not matrices and step.does in _OF_TWO and not (step.does == "dot" and current is not None):
            matrices = [found for each in step.roles if (found := self.of_role(*_ALIKE.get(each, (each,)))) is not None]
        numbers = [each for each in step.operands if _is_number(each)]
        it = matrices[0] if matrices else current
        does = step.does
        if does in _OF_ONE:
            return None if it is None else _call(_OF_ONE[does], it)
        if does in _REDUCED:
            return None if it is None else _call(_REDUCED[does], it)
        if does == "mask":
            return None if it is None else _call("causal_mask", it)
        if does in _NORMALISED:
            return None if it is None else _call(does, it)
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
        if does == "product" and numbers and not matrices:
            return current and Combined("*", (current, numbers[-1]), current.start, numbers[-1].end, "·")
        if does in ("product", "dot", "projection", "weighted_sum"):
            turned = turned or does == "dot"
            if len(matrices) == 2:
                return _product(matrices[0], matrices[1], turned)
            if does == "projection" and len(matrices) == 1 and current is not None:
                return self.projected(current, matrices[0])
            if len(matrices) == 1 and current is not None:
                return _product(current, matrices[0], turned)
            return current if not matrices else None
        return None

    def starts(self, first: StatedStep, given: Instruction) -> Iterator[Expressed | None]:
        """Yield what the first operation may be done with, the likeliest first."""
        is_multiple = bool(first.operands) and all(map(_is_number, first.operands))
        takes_two = first.does in _OF_TWO and not is_multiple
        named = sum(not _is_number(each) for each in first.operands) or (len(first.roles) if takes_two else 0)
        if takes_two and not named and len(given.subject) > 1:
            yield self.projected(given.subject[-2], given.subject[-1])
            return
        if given.subject:
            yield given.subject[-1]
        elif given.subject_roles and takes_two and named:
            yield self.of_role(*_ALIKE.get(given.subject_roles[-1], (given.subject_roles[-1],)))
        if named > takes_two:
            yield None
            return
        if takes_two and (not named or (first.does == "dot" and not first.operands)):
            yield from self.usual_products(first.does)
            return
        if takes_two:
            yield self.of_role("input", "embedding")
        else:
            is_of_scores = first.does in _OF_SCORES or is_multiple
            found = list(self.latest("masked", "scaled", "scores", "logits")) if is_of_scores else []
            fresh = [each for each in found if not self.is_done(first.does, each)]
            if not found and is_of_scores:
                yield from self.usual_products("dot")
            first_of = fresh[0] if fresh else None
            rows = [
                each
                for each in fresh
                if first_of and each.value.shape == first_of.value.shape and each.name is first_of.name is None
            ]
            for each in rows[:ROWS] if rows and rows[0].value.axes == 1 else fresh[:1]:
                yield from self.cooled(each) if first.does == "softmax" else ()
                yield self.reference(each)
            if found:
                return
        several = (
            each for each in self.scope.latest() if each.value.entries > 1 and not self.is_done(first.does, each)
        )
        for each, _ in zip(several, range(3), strict=False):
            yield from self.cooled(each) if first.does == "softmax" else ()
            yield self.reference(each)

    def projected(self, one: Expressed, other: Expressed) -> Expressed:
        """Return the product of two, in which a weight matrix stands behind: ``project X with W``."""
        is_weights = isinstance(one, NameRead) and "weight_matrix" in role_of_name(one.base)[:1]
        return _product(other, one, False) if is_weights else _product(one, other, False)

    def usual_products(self, does: str) -> Iterator[Expressed]:
        """Yield the product that words mean which do not say of what: Q Kᵀ, or the weights and the values."""
        pairs = {"dot": ("query", "key", True), "weighted_sum": ("weights", "value", False)}
        left, right, turned = pairs.get(does, pairs["dot"])
        one, other = self.of_role(left), self.of_role(right)
        if one is not None and other is not None:
            yield _product(one, other, turned)

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
        """Return √d_k: a root that was worked out, that of a number that is known, or that of the width of the keys."""
        for quantity in self.scope.latest():
            if quantity.value.axes == 0 and "sqrt" in quantity.text:
                return self.reference(quantity)
            if quantity.value.axes == 0 and quantity.name is not None and quantity.name.base == "d":
                return _call("sqrt", self.reference(quantity))
        for quantity in self.latest("key", "query"):
            width = quantity.value.shape[1]
            return _call("sqrt", FigureRead(str(width), Fraction(width), Fraction(1), 0, 0))
        return None

    def reference(self, quantity: Followed) -> Expressed:
        """Return what stands for a quantity: its name, its formula, or a name that is made for it."""
        name, at = quantity.name, quantity.start
        if name is not None and self.scope.by_name.get(name) == quantity.number:
            below = tuple(NameRead(label, (), (), (), at, at, label) for label in name.labels)
            return NameRead(name.base, name.marks, below, (), at, at, str(name))
        if name is None and isinstance(quantity.formula, Combined):
            return quantity.formula
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
