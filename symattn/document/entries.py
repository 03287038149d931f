"""The general entry of a formula: q_{ij} = Σ_k x_{ik} w_{kj}, with letters that never collide."""

from __future__ import annotations

from functools import singledispatch

from sympy import (
    Basic,
    Identity,
    MatAdd,
    MatMul,
    MatPow,
    MatrixSymbol,
    OneMatrix,
    Transpose,
    ZeroMatrix,
)

from symattn import operations as ops
from symattn.document.letters import Letters as Letters
from symattn.document.letters import indexed
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
    Seq,
    Sign,
    Sum,
    added,
    equation,
    joined,
    multiplied,
    seq,
)
from symattn.document.notation import factors_before, formula, number


def entry_of(node: Basic, base: Math, i: Math, j: Math) -> Math:
    """Entry (i, j) of a formula that is written whole: concat(A, B)_{ij}."""
    rows, columns = node.shape
    return indexed(base, (rows == 1, columns == 1), i, j)


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
    front = factors_before(scalars, number)
    sums: list[tuple[Math, Basic]] = []
    factors: list[Math] = []
    left_index = i
    for position, matrix in enumerate(matrices):
        last = position == len(matrices) - 1
        if last:
            right_index: Math = j
        elif matrix.shape[1] == 1:
            # A sum of one term is that term.
            right_index = Number("1")
        else:
            name = letters.bound(*bound)
            right_index = Letter(name)
            bound = (*bound, name)
            sums.append((right_index, matrix.shape[1]))
        inner = entry(matrix, letters, left_index, right_index, bound)
        if not isinstance(matrix, OneMatrix):
            loose = (isinstance(inner, Seq) and not _is_product(inner)) or (isinstance(inner, Sum) and not last)
            factors.append(Parens(inner) if loose and len(matrices) > 1 else one_term(inner) if front else inner)
        left_index = right_index
    if not factors and not sums and front not in ([], [Sign("-")]):
        return seq(*front)  # a number times ones
    body = multiplied(*factors) if factors else Number("1")
    for index, upper in reversed(sums):
        body = Sum(index, Number("1"), number(upper), body)
    return multiplied(*front, body)


@entry.register
def _(node: MatAdd, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return added(*(entry(arg, letters, i, j, bound) for arg in node.args))


@entry.register
def _(node: MatPow, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return entry(MatMul(*[node.base] * int(node.exp), evaluate=False), letters, i, j, bound)


@entry.register
def _(node: Transpose, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return entry(node.arg, letters, j, i, bound)


@entry.register
def _(node: ops.Quotient, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return Fraction(entry(node.argument, letters, i, j, bound), number(node.divisor))


@entry.register
def _(node: ops.Softmax, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    name = letters.bound(*bound)
    k = Letter(name)
    top = Script(Letter("e"), sup=entry(node.argument, letters, i, j, (*bound, name)))
    bottom = Script(Letter("e"), sup=entry(node.argument, letters, i, k, (*bound, name)))
    return Fraction(top, Sum(k, Number("1"), number(node.shape[1]), bottom))


@entry.register
def _(node: ops.LayerNorm, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    x = entry(node.argument, letters, i, j, bound)
    mean, variance = mean_of(node, letters, i), variance_of(node, letters, i)
    quotient = Fraction(seq(x, Sign("-"), mean), Root(seq(variance, Sign("+"), number(node.epsilon))))
    if node.gamma is None or node.beta is None:
        return quotient
    gain, bias = (entry(row, letters, Number("1"), j, bound) for row in (node.gamma, node.beta))
    return added(quotient if gain == Number("1") else seq(quotient, Sign("·"), one_term(gain)), bias)


def moment(base: Math, node: Basic, letters: Letters, i: Math) -> Math:
    """What a norm takes from row i; the only row needs no index: μ_i, μ, and μ_{2,i} beside another norm."""
    places = [*letters.norm(node), *([i] if node.shape[0] != 1 else [])]
    return Script(base, sub=joined(places, ",")) if places else base


def mean_of(node: Basic, letters: Letters, i: Math) -> Math:
    """μ_i"""
    return moment(Letter("mu"), node, letters, i)


def variance_of(node: Basic, letters: Letters, i: Math) -> Math:
    """σ_i²"""
    return squared(moment(Letter("sigma"), node, letters, i))


@entry.register
def _(node: ops.ReLU, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    inner = entry(node.argument, letters, i, j, bound)
    return seq(Letter("max", "upright"), Parens(seq(Number("0"), Sign(","), inner)))


@entry.register(ops.CausalMask)
@entry.register(ops.WindowMask)
def _(node: Basic, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return entry_of(node, Letter("mask" if isinstance(node, ops.CausalMask) else "window", "upright"), i, j)


@entry.register(ops.Concat)
@entry.register(ops.OneHot)
@entry.register(ops.Keep)
def _(node: Basic, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return entry_of(node, formula(node, letters.names), i, j)


@entry.register
def _(node: ops.Head, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    start = int(node.start)
    j = Number("1") if node.shape[1] == 1 else j
    if isinstance(j, Number):
        return entry(node.argument, letters, i, Number(str(int(j.text) + start)), bound)
    return entry(node.argument, letters, i, seq(j, Sign("+"), Number(str(start))) if start else j, bound)


@entry.register
def _(node: ops.Exp, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return Script(Letter("e"), sup=entry(node.argument, letters, i, j, bound))


@entry.register
def _(node: ops.ELU, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return Call("ELU", (entry(node.argument, letters, i, j, bound),))


def _is_product(x: Seq) -> bool:
    """Whether it is nothing but factors side by side; max_k x is none, for it takes what comes after it too."""
    words = any(isinstance(part, Script) and part.base == Letter("max", "upright") for part in x.parts)
    return not words and all(isinstance(part, Script | Letter | Parens | Fraction) for part in x.parts)


def one_term(x: Math) -> Math:
    """A sum of several terms in parentheses, so that Σ, max or a factor beside it takes all of them."""
    loose = isinstance(x, Seq) and any(isinstance(part, Sign) and part.sign in ("+", "-") for part in x.parts)
    return Parens(x) if loose else x


def factor(x: Math) -> Math:
    """What stands before another factor: in parentheses where it is a sum, or would take what comes after it too."""
    inside = x.parts if isinstance(x, Seq) else (x,)
    return Parens(x) if any(map(_takes_what_follows, inside)) else one_term(x)


def _takes_what_follows(part: Math) -> bool:
    """Whether a piece has no end of its own: Σ, max over an index, ln without parentheses."""
    word = part.base if isinstance(part, Script) else part
    return isinstance(part, Sum) or (isinstance(word, Letter) and word.name in ("max", "ln"))


def squared(x: Math) -> Math:
    """x², with the exponent over the subscript of an entry."""
    if isinstance(x, Script) and x.sup is None:
        return Script(x.base, x.sub, Number("2"))
    return Script(x if isinstance(x, Letter | Number) else Parens(x), sup=Number("2"))


def length(node: Basic, letters: Letters, i: Math, bound: tuple[str, ...]) -> Math:
    """√(Σ_k x_{ik}²), the length of row i."""
    name = letters.bound(*bound)
    k = Letter(name)
    x = entry(node, letters, i, k, (*bound, name))
    return Root(Sum(k, Number("1"), number(node.shape[1]), squared(x)))


@entry.register
def _(node: ops.RowNorm, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return length(node.argument, letters, i, bound)


@entry.register
def _(node: ops.UnitRows, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return Fraction(entry(node.argument, letters, i, j, bound), length(node.argument, letters, i, bound))


@entry.register
def _(node: ops.Proportions, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    name = letters.bound(*bound)
    k = Letter(name)
    below = entry(node.argument, letters, i, k, (*bound, name))
    total = Sum(k, Number("1"), number(node.argument.shape[1]), one_term(below))
    return Fraction(entry(node.argument, letters, i, j, bound), total)


@entry.register
def _(node: ops.RowMax, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    if node.argument.shape[1] == 1:
        return entry(node.argument, letters, i, Number("1"), bound)
    return over_columns("max", node, letters, i, bound)


def over_columns(word: str, node: ops.RowMax | ops.ArgMax, letters: Letters, i: Math, bound: tuple[str, ...]) -> Math:
    """max_k x_{ik}, over all columns that X has; of a formula, how many there are: max_{k≤3} |i − k|."""
    name = letters.bound(*bound)
    k = Letter(name)
    below = k if isinstance(node.argument, MatrixSymbol) else seq(k, Sign("≤"), number(node.argument.shape[1]))
    x = entry(node.argument, letters, i, k, (*bound, name))
    return seq(Script(Letter(word, "upright"), sub=below), one_term(x))


@entry.register
def _(node: ops.Entropy, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    name = letters.bound(*bound)
    k = Letter(name)
    a = entry(node.argument, letters, i, k, (*bound, name))
    body = seq(factor(a), Letter("ln", "upright"), Parens(a) if isinstance(a, Seq | Sum) else a)
    return seq(Sign("-"), Sum(k, Number("1"), number(node.argument.shape[1]), body))


@entry.register
def _(node: ops.Cosine, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    lengths = seq(length(node.left, letters, i, bound), length(node.right, letters, j, bound))
    return Fraction(entry(ops.Dot(node.left, node.right), letters, i, j, bound), lengths)


@entry.register
def _(node: ops.Angle, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    cosine = entry(ops.Cosine(node.left, node.right), letters, i, j, bound)
    return seq(Fraction(Number("180"), Letter("pi")), Call("arccos", (cosine,)))


@entry.register
def _(node: ops.ClipNorm, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    share = Fraction(number(node.threshold), Bars(formula(node.argument, letters.names), double=True))
    return seq(factor(entry(node.argument, letters, i, j, bound)), Sign("·"), Call("min", (Number("1"), share)))


@entry.register
def _(node: ops.Broadcast, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return entry(node.argument, letters, Number("1"), j, bound)


@entry.register
def _(node: ops.Row, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return entry(node.argument, letters, Number(str(node.number)), j, bound)


@entry.register
def _(node: ops.Dot, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    name = letters.bound(*bound)
    k = Letter(name)
    return Sum(k, Number("1"), number(node.left.shape[1]), dot_term(node, letters, i, j, k, (*bound, name)))


def dot_term(node: ops.Dot, letters: Letters, i: Math, j: Math, k: Math, bound: tuple[str, ...] = ()) -> Math:
    """x_{ik} y_{jk}, one term of a dot product."""
    left, right = (entry(side, letters, index, k, bound) for side, index in ((node.left, i), (node.right, j)))
    return multiplied(factor(left), one_term(right))


@entry.register
def _(node: Identity, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return Cases(((Number("1"), equation(i, j)), (Number("0"), Chain(i, (("≠", j),)))))


@entry.register(OneMatrix)
@entry.register(ZeroMatrix)
def _(node: Basic, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return Number("1" if isinstance(node, OneMatrix) else "0")
