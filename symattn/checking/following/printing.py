"""What a program prints, in the order in which it does: the figures behind it are those of one after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from symattn.checking.following.chain import Equated, fits
from symattn.checking.following.natural import nearness
from symattn.checking.following.worlds import Worlds

MOST = 40
"""How many are kept that have no figures yet."""


@dataclass
class Printing:
    """Names and formulas that stood alone in a program, as in ``print(weights)``, whose figures have not come yet."""

    waiting: list[Equated] = field(default_factory=list)
    has_begun: bool = False
    """Whether some of their figures have come: what is printed then belongs to another run."""

    def heard(self, chain: Equated) -> None:
        """One more is printed."""
        if not chain.told.is_code or len(chain.told.sides) != 1:
            return
        if self.has_begun:
            self.waiting.clear()
            self.has_begun = False
        self.waiting = [*self.waiting, chain][-MOST:]

    def of(self, chain: Equated, worth: Callable[[Equated], Worlds | None]) -> Equated | None:
        """The figures of a chain with the name or formula that they were printed for, where several wait for figures.

        A single number has to be near, for numbers stand in programs for much that is not followed.
        """
        if not self.waiting or chain.names or chain.symbolic or len(chain.sides) != 1 or not chain.printed:
            return None
        if len(self.waiting) == 1 and chain.printed[0].axes:
            self.has_begun = True
            return None
        for place, head in enumerate(self.waiting):
            value = worth(head)
            if value is None or not fits(value, chain.printed[0]) or nearness(value, chain.printed[0]) == 0:
                continue
            del self.waiting[: place + 1]
            self.has_begun = True
            return Equated((*head.sides, *chain.sides), replace(chain.told, is_code=True))
        return None
