"""Names for bound indices, chosen so that no sum captures a letter that is already in use."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, count

from sympy import Basic, Symbol

LETTERS = ("k", "l", "r", "p", "q", "t", "u", "v")
"""The letters that bound indices are taken from, in this order; after them k_1, k_2, …"""


def fresh_letter(taken: Iterable[str], letters: Iterable[str] = LETTERS) -> str:
    """The first letter that is not taken; the same question always gets the same answer.

    >>> fresh_letter(["k", "q"])
    'l'
    """
    used = set(taken)
    endless = chain(letters, (f"k_{i}" for i in count(1)))
    return next(letter for letter in endless if letter not in used)


def fresh_index(*expressions: Basic) -> Symbol:
    """A bound index that occurs, free or bound, in none of the expressions.

    A ``Dummy`` would do for mathematics, but two of them are never equal, so ``S[0, 0] == S[0, 0]`` would be false.
    """
    taken = chain.from_iterable(expression.atoms(Symbol) for expression in expressions)
    return Symbol(fresh_letter(symbol.name for symbol in taken), integer=True)
