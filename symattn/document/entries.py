"""The general entry of a formula: q_{ij} = Σ_k x_{ik} w_{kj}, with letters that never collide."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import singledispatch

from sympy import Basic, Identity, MatAdd, MatMul, MatPow, MatrixSymbol, OneMatrix, Transpose, ZeroMatrix

from symattn import operations as ops
from symattn.budget import spend
from symattn.document.math import (
    Accented,
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
    equation,
    seq,
)
from symattn.document.notation import Names, factors_before, formula, is_subtracted, number
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
    one_column: frozenset[str]
    taken: frozenset[str]

    @classmethod
    def choose(
        cls, names: Names, used: Iterable[str], shapes: dict[str, Shape], reserved: frozenset[str] = frozenset()
    ) -> Letters:
        """Lower-case letters where they are all different, the matrix in parentheses where not.

        ``reserved`` letters mean something else in the equation, as e does beside exponentials. Beside a matrix Q
        anywhere in the document the entries of Q_1 are no q, and beside a column t those of T are no t.
        """
        used = list(dict.fromkeys(used))
        short = {name: _short(names(name), 1 in shapes[name].sizes) for name in used}
        long = {name for name in used if short[name][0] and _has_rival(name, names)}
        plain = {key for name, (key, subscripted, _) in short.items() if key and not subscripted}
        counts: dict[str, int] = {}
        for key, subscripted, _ in short.values():
            if key and (not subscripted or key not in plain):
                counts[key] = counts.get(key, 0) + 1
        bases: list[tuple[str, Math]] = []
        taken: set[str] = set()
        for name in used:
            key, subscripted, letter = short[name]
            alone = counts.get(key) == 1 and not (subscripted and key in plain)
            if key and name not in long and key not in reserved and alone:
                bases.append((name, letter))
                taken.add(key.split(":")[-1])
            else:
                symbol = names(name)
                bases.append((name, Parens(symbol) if not isinstance(symbol, Letter) else symbol))
                # A vector k beside a matrix K is written k_j, so no index is k.
                taken.update([symbol.name] if isinstance(symbol, Letter) else [])
        rows = frozenset(name for name in used if shapes[name].rows.size == 1)
        columns = frozenset(name for name in used if shapes[name].columns.size == 1)
        return cls(names, tuple(bases), rows, columns, reserved.union(taken))

    def base(self, name: str) -> Math:
        return dict(self.bases)[name]

    def entry(self, name: str, i: Math, j: Math) -> Math:
        """x_{ij}; a matrix of one row needs only the column, one of one column only the row, a number neither."""
        spend(400)  # formulas inside one another have entries that double with every level
        if name in self.one_row and name in self.one_column:
            return self.names(name)
        base = self.base(name)
        return Script(base, sub=j if name in self.one_row else i if name in self.one_column else subscripts(i, j))

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
    long = any(isinstance(index, Seq) or (isinstance(index, Number) and len(index.text) > 1) for index in (i, j))
    return seq(i, Sign(","), j) if long else seq(i, j)


def _has_rival(name: str, names: Names) -> bool:
    """Whether a letter by itself, Q or q, is the name of another matrix of the document: then q_{ij} is no entry of
    Q_1, nor of Q where the other one is q. W_Q beside W is told apart well enough within one equation."""
    symbol = names(name)
    if not isinstance(symbol, Letter) and not (isinstance(symbol, Script) and isinstance(symbol.sub, Number)):
        return False
    key, _, _ = _short(symbol)
    return any(
        isinstance(other, Letter) and _short(other)[0] == key for other in map(names, names.row_axes) if other != symbol
    )


def _short(symbol: Math, is_vector: bool = False) -> tuple[str, bool, Math]:
    """A key that tells letters apart, whether a subscript was dropped, and the lower-case letter.

    Without its subscript, the vector x_2 would have an entry x_2.
    """
    match symbol:
        case Script(_, Number()) if is_vector:
            return "", False, symbol
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
    body = seq(*factors) if factors else Number("1")
    for index, upper in reversed(sums):
        body = Sum(index, Number("1"), number(upper), body)
    return seq(*front, body)


@entry.register
def _(node: MatAdd, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    parts: list[Math] = []
    for arg in node.args:
        inner = entry(arg, letters, i, j, bound)
        parts += [inner] if not parts or is_subtracted(arg) else [Sign("+"), inner]
    return seq(*parts)


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


@entry.register
def _(node: ops.ReLU, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    inner = entry(node.argument, letters, i, j, bound)
    return seq(Letter("max", "upright"), Parens(seq(Number("0"), Sign(","), inner)))


@entry.register(ops.CausalMask)
@entry.register(ops.WindowMask)
def _(node: Basic, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return Script(Letter("mask" if isinstance(node, ops.CausalMask) else "window", "upright"), sub=subscripts(i, j))


@entry.register(ops.Concat)
@entry.register(ops.OneHot)
@entry.register(ops.Keep)
def _(node: Basic, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return Script(formula(node, letters.names), sub=subscripts(i, j))


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


def squared(x: Math) -> Math:
    """x², with the exponent over the subscript of an entry."""
    if isinstance(x, Script) and x.sup is None:
        return Script(x.base, x.sub, Number("2"))
    return Script(x if isinstance(x, Letter) else Parens(x), sup=Number("2"))


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
    name = letters.bound(*bound)
    k = Letter(name)
    return seq(Script(Letter("max", "upright"), sub=k), one_term(entry(node.argument, letters, i, k, (*bound, name))))


@entry.register
def _(node: ops.Entropy, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    name = letters.bound(*bound)
    k = Letter(name)
    a = entry(node.argument, letters, i, k, (*bound, name))
    body = seq(one_term(a), Letter("ln", "upright"), Parens(a) if isinstance(a, Seq) else a)
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
    return seq(entry(node.argument, letters, i, j, bound), Sign("·"), Call("min", (Number("1"), share)))


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
    left, right = (entry(side, letters, index, k, (*bound, name)) for side, index in ((node.left, i), (node.right, j)))
    return Sum(k, Number("1"), number(node.left.shape[1]), seq(one_term(left), one_term(right)))


@entry.register
def _(node: Identity, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return Cases(((Number("1"), equation(i, j)), (Number("0"), Chain(i, (("≠", j),)))))


@entry.register(OneMatrix)
@entry.register(ZeroMatrix)
def _(node: Basic, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return Number("1" if isinstance(node, OneMatrix) else "0")
