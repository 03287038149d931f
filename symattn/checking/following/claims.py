"""What a page says of cost: a product of matrices is no O(1), however few lines it takes.

Only what stands in so many words beside the claim counts: what it is said of, that it is a cost, and nothing that it
may be true of.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from symattn.base.budget import spend
from symattn.checking.following.ledger import Entered, Ledger
from symattn.checking.phrases import FOLDER, is_letter
from symattn.checking.reading.tree import FigureRead

_ONE: Final = re.compile(
    r"(?:\\mathcal\s{0,3}\{?\s{0,3}O\s{0,3}\}?|(?<![A-Za-z0-9_\\])O)\s{0,3}(?:\\left)?[(（]\s{0,3}1\s{0,3}(?:\\right)?[)）]"
)
_BREAK: Final = re.compile(r"[。！？!?；;]|\.(?=\s|$)|\n\s*\n|\n[ \t]*(?:[-*•|#]|\d+[.)])")
_LABEL: Final = re.compile(r"^[ \t]{0,40}\[[^\]\n]{0,200}\Z")
"""A label of a diagram, up to the claim in it."""

_FAR: Final = 400
"""Characters of a passage on either side."""

BY_CLAIM: Final = 2_000
"""Steps that it takes to look at one passage."""


@dataclass(frozen=True)
class CostClaim:
    """A claim of cost that is not so."""

    printed: str
    expected: str
    because: str
    start: int
    end: int
    is_hedged: bool
    """Whether it is said to be so in theory only."""


def cost_claims(text: str) -> Iterator[CostClaim]:
    """Claims of cost that cannot be."""
    for table in _claims():
        for found in _ONE.finditer(text):
            spend(BY_CLAIM)
            passage = _passage(text, found.start(), found.end())
            said = {key: _has(passage, table[key]) for key in ("of", "cost", "other", "denied", "hedged")}
            if said["of"] and said["cost"] and not said["other"] and not said["denied"]:
                yield CostClaim(
                    found[0], table["expected"], table["because"], found.start(), found.end(), said["hedged"]
                )


def hold_claims(text: str, ledger: Ledger) -> None:
    """Enter the claims of a text that cannot be; one that is said to hold in theory is only remarked."""
    for one in cost_claims(text):
        because = f"{one.because}: {one.expected}"
        if one.is_hedged:
            ledger.remark(f"{one.printed} is said to hold in theory; {because}", one.start)
        else:
            figure = FigureRead(one.printed, None, Fraction(1), one.start, one.end)
            ledger.enter(Entered(figure, "wrong", "wrong", one.expected, because, ledger.new_cause(), "cost"))


def _passage(text: str, start: int, end: int) -> str:
    """The sentence around a place; of a label in a diagram, the block that it stands in."""
    before = text[max(0, start - _FAR) : start]
    after = text[end : end + _FAR]
    line = before.rpartition("\n")[2]
    if _LABEL.match(line):
        block = before.rpartition("{")
        above = block[0].rpartition("\n")[2] if block[1] else ""
        return (above + block[2] + after.partition("]")[0]).lower()
    breaks = list(_BREAK.finditer(before))
    behind = _BREAK.search(after)
    return (before[breaks[-1].end() if breaks else 0 :] + " ; " + after[: behind.start() if behind else _FAR]).lower()


def _has(passage: str, words: Sequence[str]) -> bool:
    return any(_stands(passage, word) for word in words)


def _stands(passage: str, word: str) -> bool:
    place = passage.find(word)
    while place >= 0:
        before, after = passage[place - 1 : place], passage[place + len(word) : place + len(word) + 1]
        if not (is_letter(word[0]) and (is_letter(before or " ") or is_letter(after or " "))):
            return True
        place = passage.find(word, place + 1)
    return False


@cache
def _claims() -> tuple[Mapping[str, Any], ...]:
    path = FOLDER / "claims" / "cost.toml"
    return tuple(map(MappingProxyType, tomllib.loads(path.read_text(encoding="utf-8"))["claim"]))
