"""A sentence that says what is done and with what, as the formula that it is: ``Multiply $Q$ by $K$ transposed:``.

>>> from symattn.checking.reading.shown import shown
>>> sentence = Sentence()
>>> sentence.hear(Talk("Take the softmax of every row of", 0, 9))
>>> sentence.take(NameRead("Z", (), (), (), 10, 11))
>>> shown(sentence.formula(()))
'softmax(Z)'
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from symattn.checking.following.hints import hints
from symattn.checking.following.lexicon import Chinese
from symattn.checking.following.names import Called, called
from symattn.checking.reading.tree import Combined, Expressed, NameRead, Talk

LONGEST = 90
"""Characters of words: who says more says more than one formula."""

_OF_ONE = frozenset("softmax causal_mask relu gelu layer_norm rms_norm mean".split())

_OF_TWO = {"product": "@", "scale": "/"}

_ADDS = re.compile(r"\b(?:add|addiere|plus)\b|加|足す|더한", re.I)


@dataclass
class Sentence:
    """Words and what they name, up to the figures that follow."""

    words: list[str] = field(default_factory=list)
    operands: list[Expressed] = field(default_factory=list)
    has_ended: bool = False
    """Whether its paragraph is over."""

    def clear(self) -> None:
        """Another one begins."""
        self.words, self.operands, self.has_ended = [], [], False

    def hear(self, told: Talk) -> None:
        """More words."""
        if told.is_heading or (self.has_ended and told.text.strip()):
            self.clear()
        if not told.is_heading:
            self.words.append(told.text)

    def take(self, named: Expressed) -> None:
        """One more name, or a formula that stands for one."""
        if self.has_ended:
            self.clear()
        self.operands.append(named)

    def end(self) -> None:
        """The paragraph is over."""
        self.has_ended = self.has_ended or bool(self.words or self.operands)

    def formula(self, names: Sequence[Called], chinese: Chinese | None = None) -> Expressed | None:
        """What it says, beside the names of what is made; ``None`` where it says no such thing."""
        given = [each for each in self.operands if not (isinstance(each, NameRead) and called(each) in names)]
        text = " ".join(self.words)
        if not given or not text or len(text) > LONGEST:
            return None
        does = [each for each in hints(text, chinese).does if each != "transpose"]
        is_turned = len(does) < len(hints(text, chinese).does)
        start, end = given[0].start, given[-1].end
        if is_turned:
            given[-1] = Combined("T", (given[-1],), given[-1].start, given[-1].end)
        match does, given:
            case ([what], [one]) if what in _OF_ONE and not is_turned:
                return Combined(f"call:{what}", (one,), start, end)
            case ([what], [one, other]) if what in _OF_TWO:
                return Combined(_OF_TWO[what], (one, other), start, end)
            case ([], [one, other]) if _ADDS.search(text) and not is_turned:
                return Combined("+", (one, other), start, end)
        return None
