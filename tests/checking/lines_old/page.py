"""A short page whose claimed figures are marked, and the same page with one of them changed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

START, END = "\ue000", "\ue001"
"""Marks around a claimed figure while a page is written."""

_NUMBER = re.compile(r"\d+(?:(?:\.|,|\{,\})\d+)?")
_TRIES = 200


def claim(text: str) -> str:
    """Mark a figure as claimed: it follows from what stands before it."""
    return f"{START}{text}{END}"


@dataclass(frozen=True)
class ClaimedFigure:
    """A figure that a page claims, and its place in the text."""

    start: int
    end: int
    printed: str


@dataclass(frozen=True)
class ShortPage:
    """A page in which every figure is right."""

    kind: str
    """The class that its line belongs to."""
    text: str
    claims: tuple[ClaimedFigure, ...]
    name: str = "page.md"
    program: tuple[tuple[int, int], ...] = ()
    """Where a program stands, without the comments that show what it prints."""


@dataclass(frozen=True)
class PlantedPage:
    """A page with one wrong figure."""

    right: ShortPage
    text: str
    start: int
    end: int
    """Where the wrong figure stands."""
    printed: str
    expected: str
    """The right figure, as the right page prints it."""

    @property
    def program(self) -> tuple[tuple[int, int], ...]:
        """Where the program stands in this text, which may be longer or shorter than the right one."""
        by = len(self.printed) - len(self.expected)
        return tuple(
            (first + by * (first > self.start), last + by * (last > self.start)) for first, last in self.right.program
        )


def unmarked(kind: str, marked: str) -> ShortPage:
    """Take the marks out of a page and keep the places of its claims."""
    pieces: list[str] = []
    claims: list[ClaimedFigure] = []
    length = 0
    for piece in re.split(f"({START}[^{END}]*{END})", marked):
        text = piece.strip(START + END) if piece.startswith(START) else piece
        if piece.startswith(START):
            claims.append(ClaimedFigure(length, length + len(text), text))
        pieces.append(text)
        length += len(text)
    return ShortPage(kind, "".join(pieces), tuple(claims))


def planted(random: Random, page: ShortPage) -> PlantedPage:
    """Change one claimed figure of a page."""
    chosen = random.choice(page.claims)
    wrong = other_figure(random, chosen.printed, [each.printed for each in page.claims])
    text = page.text[: chosen.start] + wrong + page.text[chosen.end :]
    return PlantedPage(page, text, chosen.start, chosen.start + len(wrong), wrong, chosen.printed)


def other_figure(random: Random, text: str, taken: Sequence[str] = ()) -> str:
    """Change a digit or the sign of a figure, so much that no rounding excuses it.

    A figure of three decimals or more keeps its last digit: what is computed from rounded figures may differ there.
    """
    for _ in range(_TRIES):
        wrong = _other_sign(text) if random.random() < 0.15 else _other_digit(random, text)
        if wrong is None or (wrong[0] in "-−" and not re.search("[1-9]", wrong)):
            continue
        if worth(wrong) not in {worth(text), *map(worth, taken)}:
            return wrong
    raise ValueError(f"{text}: has no other figure")


def worth(text: str) -> str:
    """Write a figure the same way however a page writes it: its comma, its sign, its last zeros.

    >>> worth("+0.70"), worth("−0{,}5"), worth("12."), worth("-0.0")
    ('0.7', '-0.5', '12', '0')
    """
    plain = text.replace("{,}", ".").replace(",", ".").replace("−", "-").replace("–", "-").strip().lstrip("+")
    if re.fullmatch(r"-?\d+\.\d*", plain):
        plain = plain.rstrip("0").rstrip(".")
    return "0" if plain == "-0" else plain


def _other_sign(text: str) -> str | None:
    if not re.search(r"[1-9]", text):
        return None
    if text[0] in "-−":
        return text[1:]
    return f"-{text.lstrip('+')}"


def _other_digit(random: Random, text: str) -> str | None:
    found = _NUMBER.search(text)
    if found is None:
        return None
    whole = found[0]
    places = [place for place, letter in enumerate(whole) if letter.isdigit()]
    decimals = len(re.split(r"[.,}]", whole)[-1]) if re.search(r"[.,]", whole) else 0
    place = random.choice(places[:-1] if decimals >= 3 else places)
    least = 2 if decimals and place == places[-1] else 1
    leads = place == 0 and whole[1:2].isdigit()
    digits = [each for each in range(10) if abs(each - int(whole[place])) >= least and not (leads and each == 0)]
    at = found.start() + place
    return f"{text[:at]}{random.choice(digits)}{text[at + 1 :]}"
