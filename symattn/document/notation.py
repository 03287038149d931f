"""How names and formulas are written: from SymPy's trees to :mod:`symattn.document.math`, in reading order.

SymPy's own printer sorts sums and products and prints nodes it does not know as their class name; here every node has
a rule or is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import singledispatch
from types import MappingProxyType

from sympy import (
    Add,
    Basic,
    Expr,
    Identity,
    MatAdd,
    MatMul,
    MatPow,
    MatrixSymbol,
    Mul,
    OneMatrix,
    Pow,
    S,
    Symbol,
    Transpose,
    ZeroMatrix,
    acos,
    exp,
    log,
)

from symattn.document.math import (
    Accented,
    Bars,
    Call,
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
    joined,
    seq,
)
from symattn.operations import (
    ELU,
    Angle,
    Broadcast,
    CausalMask,
    ClipNorm,
    Concat,
    Cosine,
    Dot,
    Entropy,
    Exp,
    Head,
    Keep,
    LayerNorm,
    OneHot,
    Proportions,
    Quotient,
    ReLU,
    Row,
    RowMax,
    RowNorm,
    Softmax,
    UnitRows,
    WindowMask,
)
from symattn.scenario.notation import (
    Notation,
    NotDecorated,
    NotDot,
    NotName,
    NotProduct,
    NotRow,
    NotSum,
    NotTranspose,
)
from symattn.values.rational import digits_of, to_fmpq
from symattn.values.rounding import decimal_text

GREEK = frozenset(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi "
    "omega".split()
)
T = Sign("T")


@dataclass(frozen=True)
class Names:
    """How each name is written: by the scenario's notation, else by rule. Knows the labels of axes for A_(token)."""

    notation: Mapping[str, Notation] = field(default_factory=dict)
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Labels by the name of an axis."""
    row_axes: Mapping[str, str] = field(default_factory=dict)
    """The name of the row axis of each matrix."""

    def __call__(self, name: str) -> Math:
        """The name as mathematics.

        >>> Names()("H_attn")
        Script(base=Letter(name='H', style='italic'), sub=Letter(name='attn', style='upright'), sup=None)
        """
        tree = self.notation.get(name)
        return by_rule(name) if tree is None else self._tree(tree)

    def _tree(self, tree: Notation) -> Math:
        match tree:
            case NotName(text):
                return by_rule(text)
            case NotDecorated(kind, inner):
                return Accented(kind, self._tree(inner))
            case NotTranspose(inner):
                return Script(_atom(self._tree(inner)), sup=T)
            case NotProduct(factors):
                loose = [isinstance(f, NotSum) or (isinstance(f, NotProduct) and f is not factors[0]) for f in factors]
                trees = [self._tree(factor) for factor in factors]
                return seq(*(Parens(tree) if is_loose else tree for tree, is_loose in zip(trees, loose, strict=True)))
            case NotSum(terms):
                return joined([self._tree(term) for term in terms], "+")
            case NotDot(left, right):
                return joined([self._tree(left), self._tree(right)], "·")
            case NotRow(inner, index):
                return self.row(self._tree(inner), inner.text if isinstance(inner, NotName) else "", index)
        raise TypeError(f"no rule for the notation {type(tree).__name__}")

    def row_labels(self, name: str) -> tuple[str, ...]:
        """The labels of the rows of a matrix, if its row axis has any."""
        return self.labels.get(self.row_axes.get(name, ""), ())

    def row(self, base: Math, name: str, index: int) -> Math:
        """Row ``index`` of a matrix: A_(label) where its rows have labels, else A_{i,·}."""
        labels = self.row_labels(name)
        if index <= len(labels):
            return Script(_atom(base), sub=Parens(Letter(labels[index - 1], "text")))
        return Script(_atom(base), sub=seq(Number(str(index)), Sign(","), Sign("·")))


def by_rule(name: str) -> Math:
    """A name without notation: ``W_Q``, ``H_attn``, ``LN_1``, ``alpha``.

    >>> by_rule("LN_1")
    Script(base=Letter(name='LN', style='upright'), sub=Number(text='1'), sup=None)
    """
    base, *subs = [part for part in name.split("_") if part]
    head = Letter(base) if len(base) == 1 or base in GREEK else Letter(base, "upright")
    if not subs:
        return head
    return Script(head, sub=joined([_subscript(part) for part in subs], ","))


def _subscript(part: str) -> Math:
    if part.isdigit():
        return Number(part)
    return Letter(part) if len(part) == 1 or part in GREEK else Letter(part, "upright")


def number(value: Expr) -> Math:
    """An exact number or a number with the names of sizes: √d_k, 10⁻⁵, 1/3, e^{1/2}.

    >>> from sympy import Rational
    >>> number(Rational(1, 100000))
    Script(base=Number(text='10'), sub=None, sup=Number(text='-5'))
    """
    if value.is_Rational:
        return _rational(value)
    if isinstance(value, Symbol):
        return by_rule(value.name)
    if value in (S.Infinity, S.NegativeInfinity):
        return Number("oo" if value is S.Infinity else "-oo")
    if value is S.Exp1:
        return Letter("e")
    if value is S.Pi:
        return Letter("pi")
    if isinstance(value, exp):
        return Script(Letter("e"), sup=number(value.exp))
    if isinstance(value, log | acos):
        return Call("ln" if isinstance(value, log) else "arccos", (number(value.args[0]),))
    if isinstance(value, Pow) and value.exp == S.Half:
        return Root(number(value.base))
    if isinstance(value, Mul | Pow):
        return _product(value)
    if isinstance(value, Add):
        return _sum(value)
    raise TypeError(f"no notation for the number {type(value).__name__}")


def _rational(value: Expr) -> Math:
    if value.is_Integer:
        digits = str(abs(int(value)))
        zeros = len(digits) - 1
        if zeros >= 6 and digits == "1" + "0" * zeros:
            return Number(f"{'-' if value < 0 else ''}10^{zeros}")
        return Number(str(int(value)))
    exact = to_fmpq(value)
    places = digits_of(exact, 12) if exact is not None else None
    if value.p == 1 and str(value.q).strip("0") == "1" and places is not None and places > 3:
        return Script(Number("10"), sup=Number(f"-{places}"))
    if places is not None and value.q > 10:
        return Number(decimal_text(int(value * 10**places), places))
    fraction = Fraction(Number(str(abs(int(value.p)))), Number(str(int(value.q))))
    return seq(Sign("-"), fraction) if value < 0 else fraction


def _product(value: Expr) -> Math:
    numerator, denominator = value.as_numer_denom()
    if all(isinstance(part, Pow) and part.exp == S.Half for part in (numerator, denominator)):
        # SymPy takes √(6/n) apart.
        return Root(Fraction(number(numerator.base), number(denominator.base)))
    if denominator != 1:
        negative = numerator.could_extract_minus_sign()
        fraction = Fraction(number(-numerator if negative else numerator), number(denominator))
        return seq(Sign("-"), fraction) if negative else fraction
    if isinstance(value, Pow):
        return Script(_atom(number(value.base)), sup=number(value.exp))
    coefficient, rest = value.as_coeff_Mul()
    factors = [] if coefficient in (1, -1) else [number(abs(coefficient))]
    factors += [_atom(number(f)) if isinstance(f, Add) else number(f) for f in (rest.args if rest.is_Mul else (rest,))]
    return seq(*([Sign("-")] if coefficient < 0 else []), *factors)


def _sum(value: Expr) -> Math:
    parts: list[Math] = []
    for term in sorted(value.args, key=_size):
        minus = term.could_extract_minus_sign()
        if parts or minus:
            parts.append(Sign("-" if minus else "+"))
        parts.append(number(-term if minus else term))
    return seq(*parts)


def _size(term: Expr) -> tuple[float, str]:
    """Terms of a sum in order of size, so that 1 + e^{1/2} + e reads upwards; only the order depends on the float."""
    return (float(term.evalf(12)) if term.is_number else 0.0, str(term))


def _atom(math: Math) -> Math:
    """In parentheses, unless it already reads as one thing."""
    return Parens(math) if isinstance(math, Seq | Fraction | Chain) or _has_superscript(math) else math


def _has_superscript(math: Math) -> bool:
    return isinstance(math, Script) and math.sup is not None


CALLED: Mapping[type, str] = MappingProxyType(
    {
        Softmax: "softmax",
        ReLU: "ReLU",
        Exp: "exp",
        ELU: "ELU",
        UnitRows: "unit",
        Proportions: "proportions",
        RowMax: "rowmax",
        Entropy: "entropy",
        Dot: "dot",
        Cosine: "cos",
        Angle: "angle",
        ClipNorm: "clip",
        Head: "head",
        Concat: "concat",
        OneHot: "onehot",
        WindowMask: "window",
        Keep: "keep",
    }
)
"""What functions are called on the page."""


@singledispatch
def formula(node: Basic, names: Names) -> Math:
    """A formula as mathematics."""
    raise TypeError(f"no notation for {type(node).__name__}")


@formula.register
def _(node: MatrixSymbol, names: Names) -> Math:
    return names(node.name)


@formula.register
def _(node: MatMul, names: Names) -> Math:
    parts: list[Math] = []
    # A chain of factors is one node; a product inside a product was written in parentheses.
    several = sum(bool(arg.is_Matrix) for arg in node.args) > 1
    for arg in node.args:
        if not arg.is_Matrix:
            parts += [Sign("-")] if arg == -1 else [_atom(number(arg))]
        else:
            inner = formula(arg, names)
            loose = isinstance(arg, MatAdd) or _is_negative(arg) or (isinstance(arg, MatMul) and several)
            parts.append(Parens(inner) if loose else inner)
    return seq(*parts)


@formula.register
def _(node: MatAdd, names: Names) -> Math:
    parts: list[Math] = []
    for arg in node.args:
        inner = formula(arg, names)
        if parts and not _is_negative(arg):
            parts.append(Sign("+"))
        parts.append(inner)
    return seq(*parts)


def _is_negative(node: Basic) -> bool:
    return isinstance(node, MatMul) and node.args[0].is_number and bool(node.args[0] < 0)


@formula.register
def _(node: MatPow, names: Names) -> Math:
    return Script(_atom(formula(node.base, names)), sup=number(node.exp))


@formula.register
def _(node: Transpose, names: Names) -> Math:
    return Script(_atom(formula(node.arg, names)), sup=T)


@formula.register
def _(node: Quotient, names: Names) -> Math:
    return Fraction(formula(node.argument, names), number(node.divisor))


@formula.register
def _(node: LayerNorm, names: Names) -> Math:
    affine = () if node.gamma is None else (_filling(node.gamma, names), _filling(node.beta, names))
    return Call("LN", (formula(node.argument, names), *affine))


def _filling(row: Basic, names: Names) -> Math:
    """γ or β; a plain 1 where only the other one is given."""
    return Number("1") if isinstance(row, OneMatrix) else formula(row, names)


@formula.register
def _(node: CausalMask, names: Names) -> Math:
    return Call("mask", (number(node.shape[0]),))


@formula.register
def _(node: Broadcast, names: Names) -> Math:
    return Call("broadcast", (formula(node.argument, names), number(node.shape[0])))


@formula.register
def _(node: Row, names: Names) -> Math:
    inner = node.argument
    return names.row(formula(inner, names), inner.name if isinstance(inner, MatrixSymbol) else "", node.number)


@formula.register
def _(node: Dot, names: Names) -> Math:
    if (node.left.shape[0], node.right.shape[0]) != (1, 1):
        return Call(CALLED[Dot], (formula(node.left, names), formula(node.right, names)))
    return joined([_atom(formula(node.left, names)), _atom(formula(node.right, names))], "·")


@formula.register
def _(node: Identity, names: Names) -> Math:
    return Script(Letter("I"), sub=number(node.shape[0]))


@formula.register(Softmax)
@formula.register(ReLU)
@formula.register(Exp)
@formula.register(ELU)
@formula.register(UnitRows)
@formula.register(Proportions)
@formula.register(RowMax)
@formula.register(Entropy)
def _(node: Basic, names: Names) -> Math:
    return Call(CALLED[type(node)], (formula(node.args[0], names),))


@formula.register
def _(node: RowNorm, names: Names) -> Math:
    inner = formula(node.argument, names)
    return Bars(inner, double=True) if node.shape[0] == 1 else Call("norm", (inner,))


@formula.register(Cosine)
@formula.register(Angle)
@formula.register(Concat)
@formula.register(Keep)
def _(node: Basic, names: Names) -> Math:
    return Call(CALLED[type(node)], tuple(formula(arg, names) for arg in node.args))


@formula.register
def _(node: ClipNorm, names: Names) -> Math:
    return Call(CALLED[ClipNorm], (formula(node.argument, names), number(node.threshold)))


@formula.register
def _(node: WindowMask, names: Names) -> Math:
    return Call(CALLED[WindowMask], (number(node.shape[0]), number(node.width)))


@formula.register
def _(node: Head, names: Names) -> Math:
    return seq(
        Script(Letter(CALLED[Head], "upright"), sub=Number(str(node.number))), Parens(formula(node.argument, names))
    )


@formula.register
def _(node: OneHot, names: Names) -> Math:
    return Call(CALLED[OneHot], (formula(node.ids, names), number(node.shape[1])))


@formula.register
def _(node: OneMatrix, names: Names) -> Math:
    rows, columns = (number(size) for size in node.shape)
    return Script(Accented("bold", Number("1")), sub=seq(rows, Sign("×"), columns))


@formula.register
def _(node: ZeroMatrix, names: Names) -> Math:
    return Letter("0", "upright")
