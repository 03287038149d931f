"""Decide where a formula needs parentheses; every place that builds a longer formula uses this module.

>>> beside("X + Y", "@", "-Z"), beside("X", "-", "Y + Z"), beside("X * Y", "**", "-2")
('(X + Y) @ -Z', 'X - (Y + Z)', '(X * Y) ** -2')
"""

from __future__ import annotations

import re
from enum import IntEnum


class Precedence(IntEnum):
    """How tightly the loosest operation of a text binds, as in Python."""

    SUM = 1
    PRODUCT = 2
    SIGN = 3
    POWER = 4
    ATOM = 5


SIGNS: dict[str, tuple[Precedence, Precedence, Precedence]] = {
    **dict.fromkeys("+-", (Precedence.SUM, Precedence.SUM, Precedence.PRODUCT)),
    **dict.fromkeys("*/@×·", (Precedence.PRODUCT, Precedence.PRODUCT, Precedence.SIGN)),
    "**": (Precedence.POWER, Precedence.ATOM, Precedence.SIGN),
}
"""How tightly each sign binds, and how tightly its left and right side must bind to need no parentheses."""

_PIECE = re.compile(r"\*\*|[-+*/@()\[\]]|[^-+*/@()\[\]\s]+")


def precedence(text: str) -> Precedence:
    """Return how tightly a text binds.

    >>> precedence("X @ Y - Z").name, precedence("-X.T").name, precedence("f(X + Y)[0].T").name
    ('SUM', 'SIGN', 'ATOM')
    """
    loosest, depth, before = Precedence.ATOM, 0, ""
    for piece in _PIECE.findall(text):
        if depth == 0 and piece in SIGNS:
            is_sign = before == "" or before in SIGNS
            loosest = min(loosest, Precedence.SIGN if is_sign else SIGNS[piece][0])
        depth += (piece in ("(", "[")) - (piece in (")", "]"))
        before = piece
    return loosest


def at(level: Precedence, text: str) -> str:
    """Return the text, in parentheses if it binds less tightly than ``level``."""
    return text if precedence(text) >= level else f"({text})"


def tight(text: str) -> str:
    """Return the text, in parentheses if a transpose or an index behind it needs them."""
    return at(Precedence.ATOM, text)


def beside(left: str, sign: str, right: str) -> str:
    """Return ``left sign right`` with parentheses where needed; a function may take the place of the sign.

    >>> beside("X + Y", "hadamard", "Z")
    'hadamard(X + Y, Z)'
    """
    if sign not in SIGNS:
        return f"{sign}({left}, {right})"
    _, first, second = SIGNS[sign]
    return f"{at(first, left)} {sign} {at(second, right)}"


def transposed_text(text: str) -> str:
    """Return the transpose; the transpose of a transpose is the original.

    >>> transposed_text("K.T"), transposed_text("X + Y")
    ('K', '(X + Y).T')
    """
    plain = tight(text)
    return plain.removesuffix(".T") if plain.endswith(".T") else f"{plain}.T"
