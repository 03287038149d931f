"""The general entry of what layers are made of: activations, gates, RMS norm, positions, choices.

Besides the entry itself, what it rests on has lines of its own: Φ behind GELU, the mean square behind RMS norm, the
angles behind sines and rotations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeVar

from sympy import Basic, MatrixSymbol, preorder_traversal

from symattn import operations as ops
from symattn.document.entries import (
    entry,
    entry_of,
    factor,
    mean_of,
    moment,
    one_term,
    over_columns,
    squared,
    variance_of,
)
from symattn.document.letters import Letters
from symattn.document.math import (
    Bars,
    Call,
    Cases,
    Chain,
    Fraction,
    Letter,
    Math,
    Number,
    Parens,
    Root,
    Script,
    Sign,
    Sum,
    added,
    equation,
    multiplied,
    seq,
)
from symattn.document.names import atom
from symattn.document.notation import USUAL_BASE, formula, name_of, notation, number
from symattn.operations.indices import fresh_letter

Wave = TypeVar("Wave")

PAIR_LETTERS = ("t", "r", "u", "v", "c", "f")
"""Letters that count pairs of columns."""

ARGUMENT_LETTERS = ("x", "y", "z", "u", "w", "s", "r")
"""Letters for what a function of one number is defined with."""

FREQUENCIES = ("theta", "phi", "omega", "psi", "xi", "eta", "zeta", "chi", "kappa", "rho", "tau", "nu")
"""Letters for angles, one for every base and width in a formula."""


# -- entry by entry ----------------------------------------------------------------------------------------------


@entry.register
def _(node: ops.Hadamard, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    left, right = (entry(side, letters, i, j, bound) for side in node.args)
    return squared(left) if left == right and isinstance(left, Script) else multiplied(factor(left), one_term(right))


@entry.register
def _(node: ops.EntryQuotient, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return Fraction(*(entry(side, letters, i, j, bound) for side in node.args))


@entry.register(ops.Tanh)
@entry.register(ops.Log)
@entry.register(ops.GELU)
@entry.register(ops.GELUTanh)
@entry.register(ops.SiLU)
def _(node: Basic, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return notation(node, letters.names, lambda inner: entry(inner, letters, i, j, bound))


def activation(kind: type, x: Math) -> Math:
    """What GELU, SiLU or GELU by way of tanh makes of one number: x Φ(x), x / (1 + e^{−x}), …"""
    one = Number("1")
    if kind is ops.SiLU:
        return Fraction(x, seq(one, Sign("+"), Script(Letter("e"), sup=seq(Sign("-"), one_term(x)))))
    if kind is ops.GELU:
        return seq(one_term(x), PHI, Parens(x))
    cubed = Script(x.base, x.sub, Number("3")) if isinstance(x, Script) else Script(atom(x), sup=Number("3"))
    inner = seq(x, Sign("+"), number(ops.GELUTanh.CUBIC), cubed)
    tanh = Call("tanh", (seq(ROOT_OF_TWO_OVER_PI, Parens(inner)),))
    return seq(Fraction(x, Number("2")), Parens(seq(one, Sign("+"), tanh)))


PHI = Letter("Phi")
ROOT_OF_TWO_OVER_PI = Root(Fraction(Number("2"), Letter("pi")))


def share_below(x: Math) -> Fraction:
    """Φ(x) = (1 + erf(x/√2)) / 2, the share of the normal distribution below x."""
    erf = Call("erf", (Fraction(x, Root(Number("2"))),))
    return Fraction(seq(Number("1"), Sign("+"), erf), Number("2"))


# -- rows --------------------------------------------------------------------------------------------------------


def mean_square_of(node: Basic, letters: Letters, i: Math) -> Math:
    """MS_i"""
    return moment(Letter("MS", "upright"), node, letters, i)


@entry.register
def _(node: ops.RMSNorm, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    x = entry(node.argument, letters, i, j, bound)
    square = mean_square_of(node, letters, i)
    quotient = Fraction(x, Root(square if node.epsilon == 0 else seq(square, Sign("+"), number(node.epsilon))))
    if node.gamma is None:
        return quotient
    return seq(quotient, Sign("·"), one_term(entry(node.gamma, letters, Number("1"), j, bound)))


@entry.register
def _(node: ops.Rows, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return entry(node.argument, letters, shifted(Number("1") if node.shape[0] == 1 else i, node.first - 1), j, bound)


def shifted(index: Math, by: int) -> Math:
    """i + 2, or for a figure the sum."""
    if isinstance(index, Number):
        return Number(str(int(index.text) + by))
    if by == 0:
        return index
    return seq(index, Sign("+" if by > 0 else "-"), Number(str(abs(by))))


@entry.register(ops.Stack)
@entry.register(ops.TopK)
def _(node: Basic, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return entry_of(node, formula(node, letters.names), i, j)


def rank_of(node: ops.TopK, i: Math, j: Math) -> Math:
    """rank_{ij}, the place of entry j among the entries of row i, the largest first."""
    return entry_of(node, Letter("rank", "upright"), i, j)


@entry.register
def _(node: ops.ArgMax, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    if node.argument.shape[1] == 1:
        return Number("0")
    # Columns count from 1 on the page, ids from 0.
    return seq(Parens(over_columns("argmax", node, letters, i, bound)), Sign("-"), Number("1"))


# -- masks, positions, pairs -------------------------------------------------------------------------------------


@entry.register(ops.PaddingMask)
def _(node: Basic, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return entry_of(node, Letter(name_of(node), "upright"), i, j)


@entry.register
def _(node: ops.Distance, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return Bars(seq(i, Sign("-"), one_term(j)))


@entry.register
def _(node: ops.AdditiveScores, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    name = letters.bound(*bound)
    c, inside = Letter(name), (*bound, name)
    query, key = entry(node.queries, letters, i, c, inside), entry(node.keys, letters, j, c, inside)
    weight = factor(entry(node.vector, letters, Number("1"), c, inside))
    return Sum(c, Number("1"), number(node.vector.shape[1]), seq(weight, Call("tanh", (added(query, key),))))


@entry.register(ops.Sinusoidal)
@entry.register(ops.Rotary)
def _(node: ops.Sinusoidal | ops.Rotary, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    if isinstance(node, ops.Sinusoidal):
        name = Letter(name_of(node), "upright")
        base = name if node.base == USUAL_BASE else Parens(Script(name, sub=number(node.base)))
        return entry_of(node, base, i, j)
    return entry_of(node, formula(node, letters.names), i, j)


def position(node: ops.Sinusoidal | ops.Rotary, i: Math) -> Math:
    """The position of row i, which counts from 1, while positions count from ``start``."""
    start = getattr(node, "start", None)
    if start is None or start.is_Integer:
        return shifted(i, (0 if start is None else int(start)) - 1)
    if isinstance(i, Number):
        return number(start + int(i.text) - 1)
    return seq(number(start), Sign("+"), i, Sign("-"), Number("1"))


def frequency_letters(waves: Iterable[Wave]) -> dict[Wave, str]:
    """A letter for the frequencies of each pair of base and width.

    >>> frequency_letters([(10000, 4), (100, 4)])
    {(10000, 4): 'theta', (100, 4): 'phi'}
    """
    known: dict[Wave, str] = {}
    for wave in waves:
        known[wave] = fresh_letter(known.values(), FREQUENCIES)
    return known


def frequency_of(pair: Math, letter: str = FREQUENCIES[0]) -> Math:
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


# -- the lines of a step -----------------------------------------------------------------------------------------


def lines_of(name: str, node: Basic, letters: Letters) -> tuple[Chain, ...] | None:
    """The lines of a step whose formula is one of these nodes, if they are others than its entry; else ``None``."""
    i, j = letters.indices
    if isinstance(node, ops.Sinusoidal | ops.Rotary):
        return _definitions(node, letters, partial(letters.entry, name, i))
    if isinstance(node, ops.GELU | ops.GELUTanh | ops.SiLU) and isinstance(node.argument, MatrixSymbol):
        line = equation(letters.entry(name, i, j), activation(type(node), entry(node.argument, letters, i, j, ())))
        return (line, *_share_line(letters)) if isinstance(node, ops.GELU) else (line,)
    return None


def definitions(node: Basic, letters: Letters) -> tuple[Chain, ...]:
    """What the entry of a formula names without saying it: GELU(x), the mean square, the sines of positions."""
    return _definitions(node, letters, None)


def _definitions(node: Basic, letters: Letters, own: Callable[[Math], Math] | None) -> tuple[Chain, ...]:
    """``own`` is the left side where the node itself is turned and has a name; its lines come first."""
    found: list[Chain] = []
    inside = list(dict.fromkeys(preorder_traversal(node)))
    for kind in (ops.GELU, ops.GELUTanh, ops.SiLU):
        found += next((_activation_lines(other, letters) for other in inside if isinstance(other, kind)), [])
    moments = [line for other in inside for line in moments_of(other, letters)]
    turned = [other for other in inside if isinstance(other, ops.Sinusoidal | ops.Rotary)]
    lines = (*_elu_of_a_number(node, letters), *moments, *found)
    return (*lines, *_turned(turned, letters)) if own is None else (*_turned(turned, letters, own), *lines)


def _elu_of_a_number(node: Basic, letters: Letters) -> tuple[Chain, ...]:
    """ELU(x) by cases, for an entry that has it inside."""
    if not any(arg.has(ops.ELU) for arg in node.args):
        return ()
    x = _argument_letter(letters)
    return (equation(Call("ELU", (x,)), elu_cases(x)),)


def elu_cases(x: Math) -> Cases:
    """x above 0, e^x − 1 below."""
    falling = seq(Script(Letter("e"), sup=x), Sign("-"), Number("1"))
    return Cases(((x, Chain(x, ((">", Number("0")),))), (falling, Chain(x, (("≤", Number("0")),)))))


def _row_of(node: Basic, letters: Letters) -> Math:
    """The index of a row: a letter, or 1 where there is only one."""
    return Number("1") if node.shape[0] == 1 else letters.indices[0]


def _activation_lines(node: Basic, letters: Letters) -> list[Chain]:
    x = _argument_letter(letters)
    line = equation(notation(node, letters.names, lambda _: x), activation(type(node), x))
    return [line, *_share_line(letters)] if isinstance(node, ops.GELU) else [line]


def _argument_letter(letters: Letters) -> Letter:
    return Letter(fresh_letter(letters.taken, ARGUMENT_LETTERS))


def _share_line(letters: Letters) -> tuple[Chain, ...]:
    x = _argument_letter(letters)
    return (equation(seq(PHI, Parens(x)), share_below(x)),)


def moments_of(node: Basic, letters: Letters) -> tuple[Chain, ...]:
    """MS_i = 1/d Σ_k x_{ik}² of RMS norm; μ_i = 1/d Σ_k x_{ik} and σ_i² = 1/d Σ_k (x_{ik} − μ_i)² of layer norm."""
    if not isinstance(node, ops.LayerNorm | ops.RMSNorm):
        return ()
    i = _row_of(node, letters)
    name = letters.bound()
    k, width = Letter(name), number(node.shape[1])
    x = entry(node.argument, letters, i, k, (name,))

    def mean(of: Math) -> Math:
        return seq(Fraction(Number("1"), width), Sum(k, Number("1"), width, of))

    if isinstance(node, ops.RMSNorm):
        return (equation(mean_square_of(node, letters, i), mean(squared(x))),)
    middle = mean_of(node, letters, i)
    distance = Script(Parens(seq(x, Sign("-"), middle)), sup=Number("2"))
    return (
        equation(middle, mean(one_term(x))),
        equation(variance_of(node, letters, i), mean(distance)),
    )


def _turned(
    nodes: Sequence[ops.Sinusoidal | ops.Rotary], letters: Letters, own: Callable[[Math], Math] | None = None
) -> list[Chain]:
    """The entries of the sines and rotations inside a formula, and the angles they turn by."""
    i, _ = letters.indices
    waves = {(node.base, node.shape[1]): node for node in nodes}
    known = frequency_letters(waves)
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
    """The two entries of a pair of columns, 2t − 1 and 2t as columns count from 1."""
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
    """The letter that counts pairs of columns."""
    free = (letter.name for letter in letters.indices if isinstance(letter, Letter))
    return Letter(fresh_letter({*letters.taken, *free}, PAIR_LETTERS))


def frequency_line(node: ops.Sinusoidal | ops.Rotary, letters: Letters, letter: str) -> Chain:
    """θ_t = 10000^{−2(t−1)/d}"""
    pair = pair_letter(letters)
    return equation(frequency_of(pair, letter), frequency_power(node, pair))
