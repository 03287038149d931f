"""A part of a page that is still to be made: nothing is worked out before it is asked for, and an error has a place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from symattn.budget import doing
from symattn.document.blocks import Block, Phrase, Picture, Readings
from symattn.scenario.lines import Key
from symattn.scenario.model import WordLevel
from symattn.scenario.words import Words


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


def may_stand(said: Words, role: str, words: WordLevel) -> bool:
    """Return True if some words belong on a page of so many: of those that no author wrote, reasons are on no page of
    few words, and none on one of none."""
    return not said.are_made or words == "all" or (words == "few" and role != "why")


def with_words(blocks: Iterable[Block], words: WordLevel) -> Iterator[Block]:
    """What belongs on a page of so many words: every phrase is a sentence of symattn's own, and an author's words are
    prose.

    >>> [len([*with_words([Phrase("letters_left")], words)]) for words in ("all", "few", "none")]
    [1, 1, 0]
    """
    for block in blocks:
        if words == "none" and isinstance(block, Picture):
            yield replace(block, caption=tuple(part for part in block.caption if not isinstance(part, Phrase)))
        elif words == "all" or not isinstance(block, Readings if words == "few" else Readings | Phrase):
            yield block
