"""A page while it is written: runs of text, and figures that know what they are and what may stand there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from math import inf, isinf
from typing import Literal

Role = Literal["given", "result", "repeat", "literal", "either"]
"""``repeat``: a figure that stands elsewhere already, as a factor or an argument; ``literal``: what a formula of
figures gives; ``either``: a figure that may be read as one or the other."""


@dataclass(frozen=True)
class Slot:
    """A figure of a page."""

    text: str
    role: Role
    truths: tuple[float, ...]
    """The values that it may be of."""
    of: str = ""
    """The step whose figure it is; its place there follows."""
    row: int = 0
    column: int = 0
    comma: bool = False
    """Whether a comma stands before its decimals."""

    @property
    def readings(self) -> tuple[bool, ...]:
        """Whether it is right, by each of its truths."""
        return tuple(is_right(self.text, truth) for truth in self.truths)

    @property
    def is_right(self) -> bool:
        return any(self.readings)


def places(text: str) -> int:
    """How many decimals a figure has."""
    return len(text.partition(".")[2])


def is_right(text: str, truth: float) -> bool:
    """Whether a figure is a number rounded to its own last place, a tie either way."""
    if "inf" in text or isinf(truth):
        return "inf" in text and truth == -inf
    unit = 10.0 ** -places(text)
    return abs(float(text) - truth) <= unit / 2 + 1e-9 * max(1.0, abs(truth))


def figure(value: float, decimals: int) -> str:
    """A number with so many decimals; nothing is a negative zero."""
    if isinf(value):
        return "-inf"
    text = f"{value + (1e-12 if value > 0 else -1e-12):.{decimals}f}"
    return text.lstrip("-") if not text.strip("-0.") else text


def cut_off(value: float, decimals: int) -> str:
    """A number cut off after so many decimals."""
    if isinf(value):
        return "-inf"
    whole = int(abs(value) * 10**decimals + 1e-6)
    text = f"{Decimal(whole).scaleb(-decimals):.{decimals}f}"
    return f"-{text}" if value < 0 and whole else text


def unit(text: str) -> float:
    """What one unit of the last place of a figure is worth."""
    return float(10.0 ** -places(text))


@dataclass(frozen=True)
class Spot:
    """A figure where it stands on the page."""

    slot: Slot
    start: int
    end: int
    line: int
    printed: str


@dataclass
class Page:
    """Runs of text and figures in the order they stand."""

    name: str = "page.md"
    parts: list[str | Slot] = field(default_factory=list)
    wholes: list[tuple[int, int, str]] = field(default_factory=list)
    """Where grids stand: from which part to which, and of which step."""
    infinite: str = "-inf"
    """How a hidden score is written."""

    def add(self, *parts: str | Slot) -> None:
        self.parts.extend(parts)

    def add_all(self, parts: Iterable[str | Slot]) -> None:
        self.parts.extend(parts)

    def written(self, slot: Slot) -> str:
        """A figure as it stands on the page."""
        if slot.text == "-inf":
            return self.infinite
        return slot.text.replace(".", "{,}" if slot.comma else ".")

    @property
    def text(self) -> str:
        return "".join(part if isinstance(part, str) else self.written(part) for part in self.parts)

    def spots(self) -> Iterator[Spot]:
        """All figures with their places."""
        at, line = 0, 1
        for part in self.parts:
            text = part if isinstance(part, str) else self.written(part)
            if isinstance(part, Slot):
                yield Spot(part, at, at + len(text), line, text)
            at, line = at + len(text), line + text.count("\n")

    def whole(self, name: str) -> list[tuple[int, int]]:
        """Where the grids of a step stand, in characters."""
        starts = [0]
        for part in self.parts:
            starts.append(starts[-1] + len(part if isinstance(part, str) else self.written(part)))
        return [(starts[first], starts[last]) for first, last, of in self.wholes if of == name]
