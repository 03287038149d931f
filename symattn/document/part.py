"""A part of a page that is still to be made: nothing is worked out before it is asked for, and an error has a place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from symattn.budget import doing
from symattn.document.blocks import Block
from symattn.scenario.lines import Key


@dataclass(frozen=True)
class PagePart:
    """Some blocks that are still to be made, and the key in the file that they come from."""

    key: Key
    make: Callable[[], Iterable[Block]]
    names: tuple[str, ...] = ()
    """What it is that is shown, if it has a name; several that are shown together."""
    proves: bool = False

    @property
    def name(self) -> str:
        """What is shown first."""
        return self.names[0] if self.names else ""

    def made(self) -> list[Block]:
        with doing(f"the part about {self.name}" if self.name else "the page"):
            return list(self.make())
