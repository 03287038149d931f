"""Names and words that only say something in passing: a check, a sum of what stands before, the token of a line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from symattn.checking.following.chain import Equated
from symattn.checking.following.hints import Hints, hints
from symattn.checking.following.names import Called
from symattn.checking.following.seeking import roles_of
from symattn.checking.reading.tree import NameRead

DERIVED = frozenset(
    "scores scaled masked weights output context mean variance std normalised probabilities loss gradient".split()
)
"""What is hardly ever given."""

STATISTICS = frozenset({"mean", "variance", "std"})
"""What each token has."""

LABEL = re.compile(r"[^\w\s]{0,3}(?:[\w.,?!'-]{1,20}[^\S\n]?){1,3}[^\w\s]{0,2}\s?[:：→|]|[^\w\s]{2,4}\s?[:：→|]")
"""``Token 2:`` or ``"cat":`` at the head of a line."""

_SAID_IN_PASSING = frozenset("sum exp normalise scale dot max log".split())

_PASSING = frozenset(
    "sum sums total i j k t n m pos step result z exp".split()
    + "∑ Σ 和 总和 總和 合計 합 суma suma somme somma summe сумма tổng".split()
)


def is_remark(chain: Equated) -> bool:
    """Whether a word with a colon only says what a formula is for: ``Check: 0.4 + 0.6 = 1``."""
    sides = chain.told.sides
    if len(chain.names) != 1 or len(sides) < 3 or sides[1].relation != ":" or not isinstance(sides[0].of, NameRead):
        return False
    return not roles_of(sides[0].of) and not hints(sides[0].of.base).does


def is_passing(name: Called) -> bool:
    """Whether a name is only said in passing: a sum of what stands before it, an index."""
    if name.labels or name.marks:
        return False
    if (name.base if len(name.base) == 1 else name.base.lower()) in _PASSING:
        return True
    said = hints(name.base) if len(name.base) > 1 else Hints()
    return bool(set(said.does) & _SAID_IN_PASSING) and not set(said.roles) & DERIVED


def heard_with(said: Hints, names: Sequence[NameRead]) -> Hints:
    """What words speak of, and names that are words."""
    texts = [each.base for each in names if len(each.base) > 1]
    more = [hints(text) for text in texts]
    return replace(
        said,
        does=(*said.does, *(name for each in more for name in each.does)),
        roles=(*said.roles, *(name for each in more for name in each.roles)),
        which=(*said.which, *(one for each in more for one in each.which)),
    )
