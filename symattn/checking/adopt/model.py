"""What is taken over from a document: quantities with their formulas and figures, and what could not be read."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Literal

AxesCount = Literal[0, 1, 2]


@dataclass(frozen=True)
class Adopted:
    """One name of a scenario, and what the document says of it.

    It is a step where it has a formula, a size where ``is_size`` says so, and else a given. A given has figures.
    """

    name: str
    """A name that a scenario may have."""
    formula: str = ""
    """In the formula language, over names that come before."""
    figures: tuple[tuple[str, ...], ...] = ()
    """As the document prints them, row by row, each as :func:`~symattn.checking.adopt.formula_text.number_text` has it;
    of a given any exact number that ``[given]`` takes."""
    axes: AxesCount = 2
    """Of a given: a number, a vector, a matrix."""
    is_size: bool = False
    """Whether it is a whole number that names an axis, such as ``d_k = 4``."""
    notation: str = ""
    """How the page writes the name, in the language of ``[notation]``."""
    section: str = ""
    """The heading under which it stands."""
    line: int = 0
    """Where it stands in the document."""

    @property
    def is_step(self) -> bool:
        """Whether it follows from others."""
        return bool(self.formula) and not self.is_size

    @property
    def is_given(self) -> bool:
        """Whether it follows from nothing."""
        return not self.formula and not self.is_size


@dataclass(frozen=True)
class LeftOver:
    """Something with figures or formulas that stands in the scenario as a comment."""

    line: int
    text: str
    """As it stands in the document."""
    why: str = ""
    """Why it was not taken over."""
    section: str = ""


@dataclass(frozen=True)
class AdoptedLesson:
    """All that the file of a scenario is written from."""

    title: str
    language: str
    quantities: tuple[Adopted, ...]
    left_over: tuple[LeftOver, ...] = ()
    tokens: tuple[str, ...] = ()
    token_axis: str = "n"
    source: str = ""

    def sections(self) -> list[tuple[str, list[Adopted]]]:
        """What stands under each heading, in the order of the document; sizes stand in no section."""
        shown = [each for each in self.quantities if not each.is_size]
        return [(title, list(group)) for title, group in groupby(shown, key=lambda each: each.section)]
