"""What a program prints, in the order in which it does: the figures behind it are those of one after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from symattn.checking.following.chain import Equated, fits
from symattn.checking.following.natural import nearness
from symattn.checking.following.worlds import Worlds

MOST = 40
"""How many are kept that have no figures yet."""


def label_of(words: str) -> str:
    """Words before figures, however they end.

    >>> label_of("Scaled scores:"), label_of("-- scaled scores =")
    ('scaled scores', 'scaled scores')
    """
    return words.strip(" :=-#*\n").lower()


@dataclass
class Printing:
    """Names and formulas that stood alone in a program, as in ``print(weights)``, whose figures have not come yet."""

    waiting: list[tuple[Equated, str]] = field(default_factory=list)
    """Each with the words that are printed before it."""
    has_begun: bool = False
    """Whether some of their figures have come: what is printed then belongs to another run."""

    def heard(self, chain: Equated, words: str) -> None:
        """One more is printed."""
        if not chain.told.is_code or len(chain.told.sides) != 1:
            return
        if self.has_begun:
            self.waiting.clear()
            self.has_begun = False
        self.waiting = [*self.waiting, (chain, label_of(words))][-MOST:]

    def of(self, chain: Equated, words: str, worth: Callable[[Equated], Worlds | None]) -> Equated | None:
        """The figures of a chain with the name or formula that they were printed for, where several wait for figures.

        It is the one that is printed behind the same words. Without such words a single number has to be near, for
        numbers stand in programs for much that is not followed.
        """
        if not self.waiting or chain.names or chain.symbolic or len(chain.sides) != 1 or not chain.printed:
            return None
        if len(self.waiting) == 1 and chain.printed[0].axes:
            self.has_begun = True
            return None
        said = label_of(words)
        is_said = bool(said) and any(said == label for _, label in self.waiting)
        for place, (head, label) in enumerate(self.waiting):
            value = worth(head)
            if said != label if is_said else (value is None or nearness(value, chain.printed[0]) == 0):
                continue
            if value is not None and not fits(value, chain.printed[0]):
                continue
            del self.waiting[: place + 1]
            self.has_begun = True
            return Equated((*head.sides, *chain.sides), replace(chain.told, is_code=True))
        return None
