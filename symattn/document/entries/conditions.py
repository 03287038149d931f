"""What holds in each case of an entry: comparisons, put together to ranges such as 2 < j ≤ 4."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from sympy import Expr

from symattn.document.math import Chain, Letter, Math, Parens, Relation, Sign, joined, seq

OPPOSITE: Mapping[Relation, Relation] = MappingProxyType({"<": "≥", "≥": "<", ">": "≤", "≤": ">", "=": "≠", "≠": "="})
TURNED: Mapping[Relation, Relation] = MappingProxyType({"<": ">", ">": "<", "≤": "≥", "≥": "≤", "=": "=", "≠": "≠"})
"""The sign of a comparison whose sides change places."""

_STRICT: Mapping[Relation, Relation] = MappingProxyType({"≤": "<", "≥": ">"})


@dataclass(frozen=True)
class Compared:
    """How two pieces compare; ``value`` is the right one where it is a number."""

    left: Math
    sign: Relation
    right: Math
    value: Expr | None = None

    @property
    def written(self) -> Math:
        if self.sign in ("≤", ">") and isinstance(self.left, Letter) and isinstance(self.right, Letter):
            return seq(self.left, Sign(self.sign), self.right)  # two letters stand close
        return Chain(self.left, ((self.sign, self.right),))


@dataclass(frozen=True)
class Condition:
    """Comparisons of which all hold, or any."""

    parts: tuple[Compared, ...]
    any: bool = False

    @property
    def opposite(self) -> Condition:
        """What holds where this does not."""
        parts = tuple(replace(part, sign=OPPOSITE[part.sign]) for part in self.parts)
        return Condition(parts, not self.any and len(parts) > 1)


def together(conditions: Sequence[Condition]) -> Math:
    """What is written where all of these hold."""
    parts = [part for each in conditions if not each.any for part in each.parts]
    lefts = dict.fromkeys(part.left for part in parts)
    written: list[Math] = []
    for left in lefts:
        written += _of_one([part for part in parts if part.left == left])
    choices = [joined([part.written for part in each.parts], "∨") for each in conditions if each.any]
    alone = len(choices) + len(written) == 1
    return joined([*written, *(choice if alone else Parens(choice) for choice in choices)], ",")


def _of_one(parts: list[Compared]) -> list[Math]:
    """What is said of one and the same piece: the range that it is in."""
    equal = [part for part in parts if part.sign == "="]
    if equal:
        return [part.written for part in equal]
    others = [part for part in parts if part.sign == "≠"]
    # What is at most A and not A is below A.
    beyond = {part: replace(part, sign=_STRICT[part.sign]) for part in parts if part.sign in _STRICT}
    ends = [part for part in beyond if any(part.right == other.right for other in others)]
    parts = [beyond[part] if part in ends else part for part in parts]
    others = [part for part in others if not any(part.right == end.right for end in ends)]
    low, high = (_tightest(parts, signs) for signs in (("≥", ">"), ("≤", "<")))
    if len(low) == len(high) == 1:
        first, last = low[0], high[0]
        between = Chain(first.right, ((TURNED[first.sign], first.left), (last.sign, last.right)))
        return [between, *(part.written for part in others)]
    return [part.written for part in (*low, *high, *others)]


def _tightest(parts: Iterable[Compared], signs: tuple[Relation, Relation]) -> list[Compared]:
    """The bounds on one side, without those that another one makes needless. The second sign excludes its end."""
    found = [part for part in dict.fromkeys(parts) if part.sign in signs]
    return [one for one in found if not any(_makes_needless(other, one, signs) for other in found if other != one)]


def _makes_needless(other: Compared, one: Compared, signs: tuple[Relation, Relation]) -> bool:
    if other.value is None or one.value is None:
        return False
    further = other.value - one.value if signs[0] == "≥" else one.value - other.value
    return bool(further.is_positive) or (further == 0 and other.sign == signs[1])
