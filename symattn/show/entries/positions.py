"""Write the general entry of positions: sines and cosines pair by pair, their angles, and ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeVar

from sympy import Basic, Expr, preorder_traversal

from symattn import operations as ops
from symattn.show.entries.letters import Letters, entry_of
from symattn.show.entries.nodes import entry, over_all
from symattn.show.math import Call, Chain, Fraction, Letter, Math, Number, Parens, Script, Sign, equation, seq
from symattn.show.notation.formulas import formula, number
from symattn.show.notation.names import Names, atom
from symattn.show.notation.numerals import shifted
from symattn.show.notation.terms import factor, one_term

Wave = TypeVar("Wave")


@entry.register
def _(node: ops.TopK, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return entry_of(node, formula(node, letters.names), i, j)


def rank_of(node: ops.TopK, i: Math, j: Math) -> Math:
    """Write rank_{ij}, the rank of entry j in row i, the largest first."""
    return entry_of(node, Letter("rank", "upright"), i, j)


@entry.register
def _(node: ops.ArgMax, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    if node.argument.shape[1] == 1:
        return Number("0")
    name = letters.bound(*bound)
    word, of = ("argmax", node.argument) if node.of_smallest is None else ("argmin", node.of_smallest)
    x = entry(of, letters, i, Letter(name), (*bound, name))
    # Columns count from 1 on the page, ids from 0.
    return seq(Parens(over_all(word, Letter(name), ops.ArgMax(of), of.shape[1], x)), Sign("-"), Number("1"))


def position(node: ops.Sinusoidal | ops.Rotary, i: Math) -> Math:
    """Return the position of row i: rows count from 1, positions from ``start``."""
    start = getattr(node, "start", None)
    if start is None or start.is_Integer:
        return shifted(i, (0 if start is None else int(start)) - 1)
    if isinstance(i, Number):
        return number(start + int(i.text) - 1)
    return seq(number(start), Sign("+"), i, Sign("-"), Number("1"))


def frequency_letters(waves: Iterable[Wave], names: Names) -> dict[Wave, str]:
    """Return a letter for the frequencies of each pair of base and width.

    >>> frequency_letters([(10000, 4), (100, 4)], Names())
    {(10000, 4): 'theta', (100, 4): 'phi'}
    """
    return {wave: names.letters.letter("wave", place).name for place, wave in enumerate(dict.fromkeys(waves))}


def frequencies_in(formula: Basic, names: Names) -> dict[tuple[Expr, Expr], str]:
    """Return the letters for the frequencies of all sines and rotations in a formula."""
    found = (node for node in preorder_traversal(formula) if isinstance(node, ops.Sinusoidal | ops.Rotary))
    return frequency_letters(((node.base, node.shape[1]) for node in found), names)


def frequency_of(pair: Math, letter: str) -> Math:
    """θ_t"""
    return Script(Letter(letter), sub=pair)


def frequency_power(node: ops.Sinusoidal | ops.Rotary, pair: Math) -> Math:
    """10000^{−2(t−1)/d}: pairs count from 1 on the page."""
    base = number(node.base)
    before = shifted(pair, -1)
    above = seq(Number("2"), one_term(before)) if not isinstance(before, Number) else Number(str(2 * int(before.text)))
    if above == Number("0"):
        return Script(base if isinstance(base, Number) else atom(base), sup=above)
    exponent = seq(Sign("-"), Fraction(above, number(node.shape[1])))
    return Script(base if isinstance(base, Number) else atom(base), sup=exponent)


def _row_of(node: Basic, letters: Letters) -> Math:
    """Return the index of a row: a letter, or 1 if there is only one."""
    return Number("1") if node.shape[0] == 1 else letters.indices[0]


def positions_and_angles(
    nodes: Sequence[ops.Sinusoidal | ops.Rotary], letters: Letters, own: Callable[[Math], Math] | None = None
) -> list[Chain]:
    """Return the entries of the sines and rotations in a formula, and the angles that they use."""
    i, _ = letters.indices
    waves = {(node.base, node.shape[1]): node for node in nodes}
    known = frequency_letters(waves, letters.names)
    chains: list[Chain] = []
    for position, node in enumerate(nodes):
        left = own if own is not None and position == 0 else partial(_inside, node, letters, i)
        chains += _pair(node, letters, known[node.base, node.shape[1]], left)
    return [*chains, *(frequency_line(waves[wave], letters, letter) for wave, letter in known.items())]


def _inside(node: ops.Sinusoidal | ops.Rotary, letters: Letters, i: Math, column: Math) -> Math:
    return entry(node, letters, i, column, ())


def _pair(
    node: ops.Sinusoidal | ops.Rotary, letters: Letters, letter: str, left: Callable[[Math], Math]
) -> tuple[Chain, Chain]:
    """Return the two entries of a pair of columns, 2t − 1 and 2t if columns count from 1."""
    i = _row_of(node, letters)
    pair = pair_letter(letters)
    second = seq(Number("2"), pair)
    first = seq(second, Sign("-"), Number("1"))
    turn = position(node, i)
    angle = seq(one_term(turn), frequency_of(pair, letter)) if turn != Number("1") else frequency_of(pair, letter)
    sine, cosine = Call("sin", (angle,)), Call("cos", (angle,))
    if isinstance(node, ops.Sinusoidal):
        return equation(left(first), sine), equation(left(second), cosine)
    a, b = (factor(entry(node.argument, letters, i, column, ())) for column in (first, second))
    return (
        equation(left(first), seq(a, cosine, Sign("-"), b, sine)),
        equation(left(second), seq(a, sine, Sign("+"), b, cosine)),
    )


def pair_letter(letters: Letters) -> Letter:
    """Return the letter that counts pairs of columns."""
    return letters.names.letters.letter("pair")


def frequency_line(node: ops.Sinusoidal | ops.Rotary, letters: Letters, letter: str) -> Chain:
    """θ_t = 10000^{−2(t−1)/d}"""
    pair = pair_letter(letters)
    return equation(frequency_of(pair, letter), frequency_power(node, pair))
