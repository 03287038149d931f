"""The general entry of a formula: q_{ij} = Σ_k x_{ik} w_{kj}, with letters that never collide."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import singledispatch

from sympy import Basic, Identity, MatAdd, MatMul, MatPow, MatrixSymbol, OneMatrix, Transpose, ZeroMatrix

from symattn.document.math import (
    Accented,
    Cases,
    Chain,
    Fraction,
    Letter,
    Math,
    Number,
    Parens,
    Root,
    Script,
    Seq,
    Sign,
    Sum,
    equation,
    seq,
)
from symattn.document.notation import Names, number
from symattn.operations import Broadcast, CausalMask, Dot, LayerNorm, Quotient, ReLU, Row, Softmax
from symattn.operations.indices import fresh_letter
from symattn.shapes import Shape

ROW_LETTERS = ("i", "p", "a", "g")
COLUMN_LETTERS = ("j", "q", "b", "h")
BOUND_LETTERS = ("k", "l", "r", "t", "u", "v", "c", "f")


@dataclass(frozen=True)
class Letters:
    """The letter of each matrix in one equation, and which index letters are still free."""

    names: Names
    bases: tuple[tuple[str, Math], ...]
    one_row: frozenset[str]
    taken: frozenset[str]

    @classmethod
    def choose(
        cls, names: Names, used: Iterable[str], shapes: dict[str, Shape], reserved: frozenset[str] = frozenset()
    ) -> Letters:
        """Lower-case letters where they are all different, the matrix in parentheses where not.

        ``reserved`` letters mean something else in the equation, as e does beside exponentials.
        """
        used = list(dict.fromkeys(used))
        short = {name: _short(names(name)) for name in used}
        plain = {key for name, (key, subscripted, _) in short.items() if key and not subscripted}
        counts: dict[str, int] = {}
        for key, subscripted, _ in short.values():
            if key and (not subscripted or key not in plain):
                counts[key] = counts.get(key, 0) + 1
        bases: list[tuple[str, Math]] = []
        taken: set[str] = set()
        for name in used:
            key, subscripted, letter = short[name]
            if key and key not in reserved and counts.get(key) == 1 and not (subscripted and key in plain):
                bases.append((name, letter))
                taken.add(key.split(":")[-1])
            else:
                symbol = names(name)
                bases.append((name, Parens(symbol) if not isinstance(symbol, Letter) else symbol))
        rows = frozenset(name for name in used if shapes[name].rows.size == 1)
        return cls(names, tuple(bases), rows, frozenset(taken))

    def base(self, name: str) -> Math:
        return dict(self.bases)[name]

    def entry(self, name: str, i: Math, j: Math) -> Math:
        """x_{ij}; a matrix of one row needs only the column."""
        base = self.base(name)
        return Script(base, sub=j if name in self.one_row else subscripts(i, j))

    @property
    def indices(self) -> tuple[Math, Math]:
        """The row and the column index."""
        return Letter(fresh_letter(self.taken, ROW_LETTERS)), Letter(fresh_letter(self.taken, COLUMN_LETTERS))

    def bound(self, *inside: str) -> str:
        """A letter for a bound index that is neither a matrix's, nor a free index, nor bound around it."""
        i, j = (letter.name for letter in self.indices if isinstance(letter, Letter))
        return fresh_letter({*self.taken, i, j, *inside}, BOUND_LETTERS)


def subscripts(i: Math, j: Math) -> Math:
    """ij, with a comma where the figures would run together: 11 but 10,2."""
    long = any(isinstance(index, Number) and len(index.text) > 1 for index in (i, j))
    return seq(i, Sign(","), j) if long else seq(i, j)


def _short(symbol: Math) -> tuple[str, bool, Math]:
    """A key that tells letters apart, whether a subscript was dropped, and the lower-case letter."""
    match symbol:
        case Letter(name, "italic") if len(name) == 1 and name.isalpha():
            return name.lower(), False, Letter(name.lower())
        case Script(Letter(name, "italic"), sub, None) if len(name) == 1 and sub is not None:
            return name.lower(), True, Letter(name.lower())
        case Accented(kind, inner) if kind != "bold":
            key, subscripted, letter = _short(inner)
            return (f"{kind}:{key}" if key else ""), subscripted, Accented(kind, letter)
        case Accented("bold", inner):
            return _short(inner)
        case _:
            return "", False, symbol


def general_entry(name: str, node: Basic, letters: Letters, shape: Shape) -> tuple[Chain, ...]:
    """The entry formula of a step; a layer norm needs three lines (mean, variance, entry)."""
    i, j = letters.indices
    left = letters.entry(name, i, j)
    if isinstance(node, CausalMask):
        return (equation(left, _mask_cases(node, i, j)),)
    if isinstance(node, LayerNorm):
        return (*_moments(node, letters, i), equation(left, entry(node, letters, i, j, ())))
    if isinstance(node, Dot):
        return (equation(letters.names(name), entry(node, letters, i, j, ())),)
    return (equation(left, entry(node, letters, i, j, ())),)


@singledispatch
def entry(node: Basic, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    """Entry (i, j) of a formula."""
    raise TypeError(f"no entry rule for {type(node).__name__}")


@entry.register
def _(node: MatrixSymbol, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return letters.entry(node.name, i, j)


@entry.register
def _(node: MatMul, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    scalars = [arg for arg in node.args if not arg.is_Matrix]
    matrices = [arg for arg in node.args if arg.is_Matrix]
    front: list[Math] = [Sign("-") if c == -1 else number(c) for c in scalars]
    sums: list[tuple[Math, Basic]] = []
    factors: list[Math] = []
    left_index = i
    for position, matrix in enumerate(matrices):
        last = position == len(matrices) - 1
        name = "" if last else letters.bound(*bound)
        right_index: Math = j if last else Letter(name)
        if not last:
            bound = (*bound, name)
            sums.append((right_index, matrix.shape[1]))
        inner = entry(matrix, letters, left_index, right_index, bound)
        factors.append(Parens(inner) if isinstance(inner, Seq) and len(matrices) > 1 else inner)
        left_index = right_index
    body = seq(*factors)
    for index, upper in reversed(sums):
        body = Sum(index, Number("1"), number(upper), body)
    return seq(*front, body)


@entry.register
def _(node: MatAdd, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    parts: list[Math] = []
    for arg in node.args:
        inner = entry(arg, letters, i, j, bound)
        negative = isinstance(arg, MatMul) and arg.args[0] == -1
        parts += [inner] if not parts or negative else [Sign("+"), inner]
    return seq(*parts)


@entry.register
def _(node: MatPow, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return entry(MatMul(*[node.base] * int(node.exp), evaluate=False), letters, i, j, bound)


@entry.register
def _(node: Transpose, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return entry(node.arg, letters, j, i, bound)


@entry.register
def _(node: Quotient, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return Fraction(entry(node.argument, letters, i, j, bound), number(node.divisor))


@entry.register
def _(node: Softmax, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    name = letters.bound(*bound)
    k = Letter(name)
    top = Script(Letter("e"), sup=entry(node.argument, letters, i, j, (*bound, name)))
    bottom = Script(Letter("e"), sup=entry(node.argument, letters, i, k, (*bound, name)))
    return Fraction(top, Sum(k, Number("1"), number(node.shape[1]), bottom))


@entry.register
def _(node: LayerNorm, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    x = entry(node.argument, letters, i, j, bound)
    quotient = Fraction(seq(x, Sign("-"), mean_of(i)), Root(seq(variance_of(i), Sign("+"), number(node.epsilon))))
    if node.gamma is None or node.beta is None:
        return quotient
    gain, bias = (entry(row, letters, Number("1"), j, bound) for row in (node.gamma, node.beta))
    return seq(quotient, Sign("·"), gain, Sign("+"), bias)


def mean_of(i: Math) -> Math:
    """μ_i"""
    return Script(Letter("mu"), sub=i)


def variance_of(i: Math) -> Math:
    """σ_i²"""
    return Script(Letter("sigma"), sub=i, sup=Number("2"))


def _moments(node: LayerNorm, letters: Letters, i: Math) -> tuple[Chain, Chain]:
    name = letters.bound()
    k, width = Letter(name), number(node.shape[1])
    x = entry(node.argument, letters, i, k, (name,))
    square = Script(Parens(seq(x, Sign("-"), mean_of(i))), sup=Number("2"))
    share = Fraction(Number("1"), width)
    return (
        equation(mean_of(i), seq(share, Sum(k, Number("1"), width, x))),
        equation(variance_of(i), seq(share, Sum(k, Number("1"), width, square))),
    )


@entry.register
def _(node: ReLU, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    inner = entry(node.argument, letters, i, j, bound)
    return seq(Letter("max", "upright"), Parens(seq(Number("0"), Sign(","), inner)))


def _mask_cases(node: CausalMask, i: Math, j: Math) -> Math:
    return Cases(((Number("0"), seq(j, Sign("≤"), i)), (number(node.value), seq(j, Sign(">"), i))))


@entry.register
def _(node: CausalMask, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return Script(Letter("mask", "upright"), sub=subscripts(i, j))


@entry.register
def _(node: Broadcast, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return entry(node.argument, letters, Number("1"), j, bound)


@entry.register
def _(node: Row, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return entry(node.argument, letters, Number(str(node.number)), j, bound)


@entry.register
def _(node: Dot, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    name = letters.bound(*bound)
    k = Letter(name)
    left, right = (entry(side, letters, Number("1"), k, (*bound, name)) for side in (node.left, node.right))
    return Sum(k, Number("1"), number(node.left.shape[1]), seq(left, right))


@entry.register
def _(node: Identity, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return Cases(((Number("1"), equation(i, j)), (Number("0"), Chain(i, (("≠", j),)))))


@entry.register(OneMatrix)
@entry.register(ZeroMatrix)
def _(node: Basic, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return Number("1" if isinstance(node, OneMatrix) else "0")
