"""A part of a page that is still to be made: nothing is worked out before it is asked for, and an error has a place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from symattn.budget import doing
from symattn.document.blocks import Block, Phrase, Readings
from symattn.scenario.lines import Key
from symattn.scenario.model import WordLevel


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


def may_say(block: Block, words: WordLevel) -> bool:
    """Return True if a block belongs on a page of so many words: every phrase is a sentence of symattn's own, and an
    author's words are prose.

    >>> [may_say(Phrase("letters_left"), words) for words in ("all", "few", "none")]
    [True, True, False]
    """
    return words == "all" or not isinstance(block, Readings if words == "few" else Readings | Phrase)
