"""Divide a lesson into slides: each step begins a slide, and continues on the next where it is longer.

Heights are in lines of text, estimated; how a slide looks, and what is still too high for it, is left to Beamer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from symattn.show.blocks import Block, Equation, Heading, Inline, Labels, Passage, Phrase, Prose, Table
from symattn.show.math import Chain, Math, Sign, joined
from symattn.write import layout
from symattn.write.math_writer import is_tall

ROOM = 14.0
"""The lines of text that fit on a slide, below a title of one line."""

OPENING, LISTED = 3.0, 1.2
"""The lines for the title of a section, and for each title listed below it."""

SHORT = 4.0
"""The greatest height of an introduction that is put before its step, even if the step then needs another slide."""

FEW = 5.0
"""The least height of words alone on a step's last slide: otherwise the display before them joins them."""

MOST = 3
"""The most names beside a title."""

LONG = 13.0
"""The maximum width, in em, of a formula beside a title: for a wider one the names of its step are written."""


@dataclass(frozen=True)
class OnSlide:
    """A block, or a part of one, on a slide, and its height in lines.

    ``waits`` means that it appears as a whole, after everything before it; ``hides`` that nothing of it is visible
    before its first line appears; ``fills`` that it has a slide of its own.
    """

    block: Block
    text: str
    height: float
    waits: bool = False
    hides: bool = False
    fills: bool = False


@dataclass(frozen=True)
class Slide:
    """The content of one slide. ``beside`` its title is its subject; with ``opens`` it opens a section."""

    title: Heading | None
    beside: tuple[Inline, ...]
    items: tuple[OnSlide, ...] = ()
    opens: bool = False
    below: tuple[Heading, ...] = ()
    """The headings of a section, if there are several."""

    @property
    def is_filled(self) -> bool:
        """Whether one item fills the whole slide."""
        return any(item.fills for item in self.items)

    def has_room(self, more: Sequence[OnSlide] = ()) -> bool:
        """Return whether everything on it, and more, fits."""
        whole, room = (*self.items, *more), ROOM - OPENING * self.opens - LISTED * len(self.below)
        return len(whole) < 2 or not (any(item.fills for item in whole) or _height(whole) > room)

    def with_more(self, more: Sequence[OnSlide]) -> Slide:
        """Return the slide with more on it."""
        return replace(self, items=(*self.items, *more))


ToldPassage = tuple[Passage, Sequence[Block], Sequence[OnSlide]]
"""A passage, its blocks, and their parts on slides."""


def slides(told: Iterable[ToldPassage | Heading]) -> list[Slide]:
    """Return the slides of a lesson from its headings and passages in order.

    A heading with others below it opens a section. A table before all headings is for reference: it is put at the end.
    """
    runs: list[tuple[Heading | None, list[ToldPassage]]] = [(None, [])]
    for each in told:
        if isinstance(each, Heading):
            runs.append((each, []))
        else:
            runs[-1][1].append(each)
    made: list[Slide] = []
    for place, (heading, passages) in enumerate(runs):
        empty = Slide(heading, ())
        after = takewhile(lambda other: other.level > 1, (other for other, _ in runs[place + 1 :] if other))
        below = tuple(other for other in after if other.level == 2)
        if heading is None:
            made += _under(empty, [], [_without_tables(each) for each in passages])
        elif heading.level == 1 and below:
            opened = replace(empty, opens=True, below=below if len(below) > 1 else ())
            made += _under(empty, [opened], passages)
        else:
            made += _under(empty, [], passages)
    tables = [item for _, _, items in runs[0][1] for item in items if isinstance(item.block, Table)]
    return [*made, *spread(Slide(None, ()), tables)]


def _without_tables(told: ToldPassage) -> ToldPassage:
    passage, blocks, items = told
    return passage, blocks, [item for item in items if not isinstance(item.block, Table)]


def _under(empty: Slide, made: list[Slide], passages: Iterable[ToldPassage]) -> list[Slide]:
    """Add the slides under one heading to those made so far: a step begins one, with its introduction.

    Remarks after a step are on its slide, before its pictures.
    """
    waiting: list[OnSlide] = []
    for passage, blocks, items in passages:
        last = _before_pictures(made)
        if passage.names:
            step = replace(empty, beside=_about(passage, blocks))
            if not _introduces(waiting, step, items):
                made, waiting = [*made, *spread(empty, waiting)], []
            made, waiting = [*made, *spread(step, [*waiting, *items])], []
        elif not waiting and last is not None and (made[last].opens or all(item.waits for item in items)):
            made[last : last + 1 or None] = spread(replace(made[last], items=()), [*made[last].items, *items])
        else:
            waiting += items
    return [*made, *spread(empty, waiting)]


def _introduces(waiting: Sequence[OnSlide], step: Slide, items: Sequence[OnSlide]) -> bool:
    """Return whether the blocks before a step belong on its slide: words alone, few or with space for all."""
    words = all(isinstance(item.block, Prose | Phrase | Labels) for item in waiting)
    return words and (_height(waiting) <= SHORT or step.has_room([*waiting, *items]))


def _before_pictures(made: Sequence[Slide]) -> int | None:
    """Return the place of the last slide that is not a picture, counted from the end."""
    return next((-place for place, slide in enumerate(reversed(made), 1) if not slide.is_filled), None)


def spread(empty: Slide, items: Sequence[OnSlide]) -> list[Slide]:
    """Return as many slides as the items need, filled one after the other."""
    made: list[Slide] = []
    for piece in sorted(_pieces(items), key=lambda piece: any(item.fills for item in piece)):
        if made and made[-1].has_room(piece):
            made[-1] = made[-1].with_more(piece)
        else:
            # It opens the section once.
            made.append((replace(empty, opens=False, below=()) if made else empty).with_more(piece))
    if len(made) > 1 and _height(made[-1].items) < FEW and all(item.waits for item in made[-1].items):
        *rest, display = _pieces(made[-2].items)
        both = replace(made[-1], items=(*display, *made[-1].items))
        if rest and both.has_room():
            made[-2:] = [replace(made[-2], items=tuple(item for piece in rest for item in piece)), both]
    return made


def _pieces(items: Iterable[OnSlide]) -> list[list[OnSlide]]:
    """Return the items, each with its introduction."""
    pieces: list[list[OnSlide]] = []
    leads = False
    for item in items:
        if leads:
            pieces[-1].append(item)
        else:
            pieces.append([item])
        leads = isinstance(item.block, Phrase) and item.block.role == "lead"
    return pieces


def _height(items: Iterable[OnSlide]) -> float:
    return layout.total_extent(item.height for item in items)


def _about(passage: Passage, blocks: Iterable[Block]) -> tuple[Inline, ...]:
    """Return the formula of a step if it is short, else its name; the names of several steps."""
    if len(passage.symbols) > 1:
        names: list[Math] = [*passage.symbols]
        return (joined(names if len(names) <= MOST else [*names[: MOST - 1], Sign("⋯"), names[-1]], ","),)
    (symbol,) = passage.symbols
    for block in blocks:
        if isinstance(block, Equation) and block.kind == "formula" and block.chains[0].left == symbol:
            short = Chain(symbol, block.chains[0].links[:1])
            if layout.width(short) <= LONG and not any(is_tall(side) for _, side in short.links):
                return (short,)
    return (symbol,)
