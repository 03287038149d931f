"""What a document says to be meant, whatever its figures fit: behind a mask, divided as before, the same as before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from symattn.checking.following.chain import Equated, size
from symattn.checking.following.hints import Hints, hints
from symattn.checking.following.instruction import SpokenPart
from symattn.checking.following.natural import behind_mask
from symattn.checking.following.references import readable
from symattn.checking.following.scope import Followed, Memory
from symattn.checking.following.verdicts import Ought
from symattn.checking.following.working import agreement
from symattn.checking.following.worlds import Worlds
from symattn.checking.following.worths import USUAL, Worths
from symattn.checking.following.written import Called, called, walk
from symattn.checking.phrases import Chinese, heard, is_undone, plain
from symattn.checking.reading.tree import Combined, Expressed, NameRead, Talk

MASKS = ("m", "mask")
"""What a mask is called."""

NEAREST_ROWS = 12
"""How many quantities back a first row of weights is looked for."""


@dataclass
class MeantRelations:
    """Knows what the section is about, and how variances were divided before."""

    worths: Worths
    heading: str = ""
    chinese: Chinese | None = None
    by_count: set[Called] = field(default_factory=set)
    """Names of variances that were divided by n."""

    @property
    def scope(self) -> Memory:
        """What is known at this place of the document."""
        return self.worths.scope

    def hidden(self, found: Ought, chain: Equated, parts: Sequence[SpokenPart]) -> Ought | None:
        """Return weights with the causal mask that the section is about, where some were printed without it."""
        said, printed = hints(self.heading, self.chinese), chain.printed[0]
        told = plain(" ".join(each.text for each in parts if isinstance(each, Talk)))
        is_said_otherwise = any(is_undone(told, one) for one in heard(told) if "mask" in one.named("does"))
        is_causal = "causal_mask" in said.does or ("mask" in said.does and self.begins_hidden(size(printed.figures)[1]))
        formula = behind_mask(found.formula) if found.formula is not None else None
        is_row = isinstance(found.formula, Combined) and found.formula.op == "index"
        is_of_matrix = is_row or found.value.axes == 2
        if not is_causal or not is_of_matrix or is_said_otherwise or formula is None:
            return None
        worth = self.worths.worth(formula, [printed], is_code=True)
        return worth and replace(worth, text=readable(formula, self.scope), is_explained=True)

    def begins_hidden(self, wide: int) -> bool:
        """Return True if the first row of weights was told to be 1, 0, …: nothing but a causal mask makes it so."""
        first = [1, *[0] * (wide - 1)]
        near = islice(self.scope.latest(), NEAREST_ROWS)
        return any([each and each.value for each in known.figures[0]] == first for known in near if known.figures)

    def with_mask(self, formula: Expressed, said: Hints) -> Expressed | None:
        """Return ``softmax(S + M)`` with the causal mask that words speak of, where nobody has written M down."""
        if "causal_mask" not in (*said.does, *hints(self.heading, self.chinese).does):
            return None
        names = [one for one in walk(formula) if isinstance(one, NameRead) and self.scope.named(called(one)) is None]
        masks = [one for one in names if one.base.lower() in MASKS]
        return behind_mask(formula, masks[0]) if len(masks) == len(names) == 1 else None

    def as_before(self, found: Ought, chain: Equated) -> Ought:
        """Return a variance that divides by n where it did so under the same name before, whatever its figures fit."""
        formula = found.formula
        if not chain.printed or not isinstance(formula, Combined) or formula.op not in ("call:var", "call:std"):
            return found
        usual, _ = self.worths.read(replace(formula, named=()), USUAL, True)
        if usual is None or usual.value.shape != found.value.shape:
            return found
        if is_same_value(usual.value, found.value):
            self.by_count.update(chain.names if agreement(found, chain.printed[0]) == 1 else ())
            return found
        return replace(usual, source=found.source) if self.by_count.intersection(chain.names) else found


def is_gone_on(scope: Memory, quantity: Followed) -> bool:
    """Return True if names that were known before a quantity have got other values since: it may have, too."""
    before = {each.name: each.value for each in scope.quantities[: quantity.number] if each.name is not None}
    since = scope.quantities[quantity.number + 1 :]
    return any(
        each.name in before and not is_same_value(before[each.name], each.value)
        for each in since
        if each.name is not None and each.name != quantity.name
    )


def is_same_value(one: Worlds, other: Worlds) -> bool:
    """Return True if two values may be one."""
    return one.shape == other.shape and all(
        x.overlaps(y) for a, b in zip(one.carried, other.carried, strict=True) for x, y in zip(a, b, strict=True)
    )
