"""How a line is written: in a formula, on its own, in plain text or in a code span, with signs of one kind."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Literal, TypeVar, get_args

from tests.checking.lines.page import claim
from tests.checking.lines.terms import AwkwardError, Notation, Term, Value, decimals_of, figure, number

Frame = Literal["inline", "display", "plain", "code"]
FRAMES: tuple[Frame, ...] = get_args(Frame)

DOT = "\ue002"
"""Stands for a dot that is never written as a cross: of lists and matrices."""

T = TypeVar("T")


class Hand:
    """A writer with habits: its frame, its sign of multiplication, its minus."""

    def __init__(self, random: Random, frame: Frame) -> None:
        self.random = random
        self.frame = frame
        self.notation: Notation = "code" if frame == "code" else "plain" if frame == "plain" else "tex"
        self.dot = random.choice({"tex": (r"\cdot", r"\times"), "plain": "·×*", "code": "*"}[self.notation])
        self.dash = "−" if self.notation == "plain" and random.random() < 0.25 else "-"

    def choose(self, *options: T) -> T:
        """Choose one of the options."""
        return self.random.choice(options)

    def by(self, tex: str, plain: str, code: str) -> str:
        """Choose a text by the notation."""
        return {"tex": tex, "plain": plain, "code": code}[self.notation]

    # -- numbers -----------------------------------------------------------------------------------------------------

    def whole(self, least: int, most: int) -> Fraction:
        """Draw an integer that is not zero."""
        return Fraction(self.random.choice([each for each in range(least, most + 1) if each]))

    def decimal(self, least: float = -2, most: float = 2, decimals: int = 1) -> Fraction:
        """Draw a decimal number that is not zero."""
        unit = 10**decimals
        drawn = self.random.randint(round(least * unit), round(most * unit))
        return Fraction(drawn or unit, unit)

    def some(self, count: int, least: int = -9, most: int = 9, decimals: int = 0) -> list[Fraction]:
        """Draw a list of numbers."""
        return [self.decimal(least, most, decimals) for _ in range(count)]

    # -- writing -----------------------------------------------------------------------------------------------------

    def write(self, term: Term) -> str:
        """Write a term in the notation of the frame."""
        return term.write(self.notation)

    def result(self, value: Value, decimals: int | None = None, before: str = "") -> str:
        """Write a relation and the claimed figure: exact where it ends, else rounded.

        With ``decimals`` the figure is rounded to them; ``before`` is a sign that it gets.
        """
        if decimals is None and isinstance(value, Fraction) and decimals_of(value) is not None:
            return f"= {claim(before + figure(value))}"
        digits = self.choose(2, 3, 4) if decimals is None else decimals
        text = figure(value, digits)
        if digits and abs(float(text)) < 10 ** (1 - digits):
            raise AwkwardError(f"{text} has one digit")
        is_exact = Fraction(text) == value if isinstance(value, Fraction) else False
        relation = "=" if is_exact or self.random.random() < 0.5 else self.by(r"\approx", "≈", "≈")
        return f"{relation} {claim(before + text)}"

    def equation(self, term: Term, decimals: int | None = None) -> str:
        """Write a term and its value."""
        return f"{self.write(term)} {self.result(term.value, decimals)}"

    def listed(self, values: Sequence[Value], decimals: int | None = None, *, claimed: bool = False) -> str:
        """Write a list in brackets."""
        texts = [figure(value, decimals) for value in values]
        return f"[{', '.join(map(claim, texts) if claimed else texts)}]"

    def grid(self, rows: Sequence[Sequence[Value]], decimals: int | None = None, *, claimed: bool = False) -> str:
        """Write a matrix: with an environment in LaTeX, as nested lists elsewhere."""
        texts = [[claim(figure(each, decimals)) if claimed else figure(each, decimals) for each in row] for row in rows]
        if self.notation == "tex":
            kind = self.choose("bmatrix", "pmatrix")
            body = r" \\ ".join(" & ".join(row) for row in texts)
            return rf"\begin{{{kind}}} {body} \end{{{kind}}}"
        rows_as_lists = [f"[{', '.join(row)}]" for row in texts]
        return f"[{', '.join(rows_as_lists)}]"

    def styled(self, body: str) -> str:
        """Write the signs of a formula as this writer does."""
        if self.notation == "tex":
            return body.replace(r"\cdot", self.dot).replace(DOT, r"\cdot")
        return (
            (body.replace("·", self.dot) if self.notation == "plain" else body)
            .replace("-", self.dash)
            .replace(DOT, "·")
        )

    def inside(self, body: str) -> str:
        """Put a formula into a sentence."""
        body = self.styled(body)
        return {"inline": f"${body}$", "display": f"${body}$", "plain": body, "code": f"`{body}`"}[self.frame]

    def page(self, *bodies: str) -> str:
        """Write formulas as a page: the last follows from those before it."""
        if self.frame == "display":
            around = self.choose("$${}$$", "$$\n{}\n$$", "\\[ {} \\]")
            return "\n\n".join(around.format(self.styled(body)) for body in bodies) + "\n"
        shown = [self.inside(body) for body in bodies]
        if self.frame == "plain" and self.random.random() < 0.5:
            return "\n\n".join(shown) + "\n"
        *first, last = shown
        if not first:
            return self.choose("{}\n", "Here {}.\n", "We get {}.\n", "So {}, as expected.\n").format(last)
        return f"{self.choose('', 'Let ', 'With ')}{', '.join(first)}{self.choose(', so ', ', hence ')}{last}.\n"

    def number(self, value: Value, decimals: int | None = None) -> str:
        """Write a number by itself."""
        return self.write(number(value, decimals))
