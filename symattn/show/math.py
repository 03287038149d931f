"""Mathematics for reading: a closed set of frozen pieces, in reading order, with every number already text.

SymPy decides what is true and reorders as it likes; these pieces decide what is shown, and keep their order. A renderer
turns them into TeX (or anything else) without knowing where they came from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from operator import is_
from typing import Literal, TypeGuard, TypeVar

from symattn.base.budget import spend
from symattn.base.shapes import EntryPlace

Style = Literal["italic", "upright", "text"]
Accent = Literal["tilde", "hat", "bar", "prime", "bold"]
Operator = Literal["+", "-", "·", "×", "⊙", "⊘", ",", ":", "⋯", "⋮", "⋱", "T", "≤", ">", "∨"]
Relation = Literal["=", "≈", "≠", "<", ">", "≤", "≥"]
Piece = TypeVar("Piece")

MADE = 30
"""The budget that one piece of mathematics costs, including the questions asked about it on the way to a page."""


class PaidPiece:
    """A piece of mathematics; making one spends some of the budget."""

    def __post_init__(self) -> None:
        spend(MADE)


@dataclass(frozen=True)
class Letter(PaidPiece):
    """A name: italic ``Q``, upright ``LN``, or ``text``, a label that comes from outside and prints as itself.

    Greek letters are written by their name (``mu``, ``sigma``, ``gamma``, ``beta``, ``epsilon``), and so is ∂.
    """

    name: str
    style: Style = "italic"
    is_constant: bool = field(default=False, compare=False, repr=False)
    """Whether it is e, π, … and not a name that an author chose; a page where the letter is also a name tells them
    apart."""


@dataclass(frozen=True)
class Number(PaidPiece):
    """A figure as it is printed: ``0.21``, ``-10^9``, ``1.5*10^9``, ``3/4``, ``-oo``.

    ``of`` is the entry of a named matrix that the figure belongs to, so that a page may link to it; it does not count
    when pieces are compared.
    """

    text: str
    of: EntryPlace | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Sign(PaidPiece):
    """An operator or mark between other pieces."""

    sign: Operator


@dataclass(frozen=True)
class Seq(PaidPiece):
    """Pieces one after the other. A long line may break at a ``+`` or ``-`` directly inside one."""

    parts: tuple[Math, ...]


@dataclass(frozen=True)
class Script(PaidPiece):
    """A base with a subscript, a superscript or both."""

    base: Math
    sub: Math | None = None
    sup: Math | None = None


@dataclass(frozen=True)
class Accented(PaidPiece):
    """A letter under a tilde, hat or bar, with a prime, or in bold."""

    accent: Accent
    base: Math


@dataclass(frozen=True)
class Fraction(PaidPiece):
    numerator: Math
    denominator: Math


@dataclass(frozen=True)
class Root(PaidPiece):
    radicand: Math


@dataclass(frozen=True)
class Parens(PaidPiece):
    inner: Math


@dataclass(frozen=True)
class Bars(PaidPiece):
    """|x|, ‖x‖ for the length of a vector, or ⌊x⌋ for the whole number below."""

    inner: Math
    double: bool = False
    floor: bool = False


@dataclass(frozen=True)
class Interval(PaidPiece):
    """All numbers from ``low`` to ``high``, both ends among them: [0.44600, 0.44616]."""

    low: Math
    high: Math


@dataclass(frozen=True)
class Call(PaidPiece):
    """A function by its upright name: softmax(S), ReLU(X), Attention(Q, K, V); an expected value has E[…].

    ``sub`` is a subscript of the name: top_2(P).
    """

    function: str
    arguments: tuple[Math, ...]
    brackets: Literal["round", "square"] = "round"
    sub: Math | None = None


@dataclass(frozen=True)
class Sum(PaidPiece):
    """Σ from index = lower to upper of the body."""

    index: Math
    lower: Math
    upper: Math
    body: Math


@dataclass(frozen=True)
class Shaped(PaidPiece):
    """A name with its shape beside it: X (3×4), or X (shape=3×4) in the long form."""

    body: Math
    rows: Math
    columns: Math
    long: bool = False

    @property
    def sizes(self) -> tuple[Math, ...]:
        """The rows and columns, as the sizes of a tensor."""
        return self.rows, self.columns


@dataclass(frozen=True)
class Stacked(PaidPiece):
    """A tensor with its sizes beside it, leading axes first: A (1×2×4×4), or A (shape=1×2×4×4) in the long form."""

    body: Math
    sizes: tuple[Math, ...]
    long: bool = False


@dataclass(frozen=True)
class Grid(PaidPiece):
    """A matrix in brackets."""

    rows: tuple[tuple[Math, ...], ...]


@dataclass(frozen=True)
class Highlighted(PaidPiece):
    """A piece that is marked, with and without colour: as part of a row, of a column, or as their result."""

    inner: Math
    as_: Literal["row", "column", "result"]


@dataclass(frozen=True)
class Squared(PaidPiece):
    """A product of matrices as on squared paper: the right factor is above the product, the left one beside it."""

    left: Grid
    above: Grid
    product: Grid


@dataclass(frozen=True)
class Blank(PaidPiece):
    """An empty box in place of a number, with room for so many figures."""

    figures: int = 5


@dataclass(frozen=True)
class Cases(PaidPiece):
    """A value for each condition: pairs of value and condition."""

    branches: tuple[tuple[Math, Math], ...]


@dataclass(frozen=True)
class Chain(PaidPiece):
    """A statement: a left side, then relations with their right sides. Long ones break before a relation.

    ``marks`` are numbers over the relations, one for each, that a list of reasons refers to; it may be empty.
    """

    left: Math
    links: tuple[tuple[Relation, Math], ...] = ()
    marks: tuple[int, ...] = ()


Math = (
    Letter
    | Number
    | Sign
    | Seq
    | Script
    | Accented
    | Fraction
    | Root
    | Parens
    | Bars
    | Interval
    | Call
    | Sum
    | Shaped
    | Stacked
    | Grid
    | Highlighted
    | Squared
    | Blank
    | Cases
    | Chain
)


def every(kind: type[Piece], inside: object) -> Iterator[Piece]:
    """Yield every piece of one kind in a frozen object, whether mathematics, words or rows of them, in reading order.

    >>> [figure.text for figure in every(Number, Chain(Letter("a"), (("=", Fraction(Number("1"), Number("2"))),)))]
    ['1', '2']
    """
    if isinstance(inside, kind):
        yield inside
    held = inside if isinstance(inside, tuple) else (getattr(inside, n) for n in getattr(inside, "__match_args__", ()))
    for part in held:
        yield from every(kind, part)


def changed(inside: Piece, change: Callable[[object], object]) -> Piece:
    """Return a frozen object with ``change`` applied to everything in it, from the outside in.

    >>> changed(Fraction(Letter("a"), Number("2")), lambda piece: Letter("c") if piece == Letter("a") else piece)
    Fraction(numerator=Letter(name='c', style='italic'), denominator=Number(text='2'))
    """
    piece: object = change(inside)
    if isinstance(piece, tuple):
        parts = tuple(changed(part, change) for part in piece)
        return piece if all(map(is_, parts, piece)) else parts  # type: ignore[return-value]
    held = {name: getattr(piece, name) for name in getattr(piece, "__match_args__", ())}
    new = {name: made for name, part in held.items() if (made := changed(part, change)) is not part}
    return replace(piece, **new) if new else piece  # type: ignore[return-value, type-var]


def seq(*parts: Math) -> Math:
    """Return pieces in a row; a single piece stays itself, and rows inside rows are flattened.

    >>> seq(seq(Number("1"), Sign("+")), Number("2"))
    Seq(parts=(Number(text='1'), Sign(sign='+'), Number(text='2')))
    """
    flat: list[Math] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, Seq) else (part,))
    return flat[0] if len(flat) == 1 else Seq(tuple(flat))


def joined(parts: list[Math] | tuple[Math, ...], sign: Operator) -> Math:
    """Return pieces with a sign between them.

    >>> joined([Number("1"), Number("2")], "·")
    Seq(parts=(Number(text='1'), Sign(sign='·'), Number(text='2')))
    """
    out: list[Math] = []
    for part in parts:
        out.extend((Sign(sign), part) if out else (part,))
    return seq(*out)


def multiplied(*factors: Math) -> Math:
    """Return factors side by side, with a dot where two would be read as one number: 2 x, but 2·3, x·1 and 2·½.

    >>> multiplied(Number("2"), Letter("x")), multiplied(Letter("x"), Number("1")).parts[1]
    (Seq(parts=(Number(text='2'), Letter(name='x', style='italic'))), Sign(sign='·'))
    """
    row: list[Math] = []
    for factor in factors:
        row += [Sign("·"), factor] if row and _run_together(_last(row[-1]), factor) else [factor]
    return seq(*row)


def added(*terms: Math) -> Math:
    """Return terms joined by plus signs; a term that begins with a minus gets none: a + b − c, a − 2.

    >>> added(Letter("a"), seq(Sign("-"), Letter("b")))
    Seq(parts=(Letter(name='a', style='italic'), Sign(sign='-'), Letter(name='b', style='italic')))
    """
    parts: list[Math] = []
    for term in terms:
        if parts and isinstance(term, Number) and term.text.startswith("-"):
            term = seq(Sign("-"), Number(term.text[1:]))
        parts += [Sign("+"), term] if parts and _first(term) != Sign("-") else [term]
    return seq(*parts)


def _first(piece: Math) -> Math:
    return piece.parts[0] if isinstance(piece, Seq) else piece


def _last(piece: Math) -> Math:
    return piece.parts[-1] if isinstance(piece, Seq) else piece


def _run_together(before: Math, after: Math) -> bool:
    """Return whether two factors without a sign between them read as one number: 2 3, x 3, 2 10⁻⁵ or 2 ½."""
    if isinstance(before, Sign):
        return False
    first, last = _base(_first(after)), _base(before)
    # The bold 1 of a matrix of ones is told from a letter, but not from a figure.
    bold = isinstance(first, Accented) and isinstance(first.base, Number) and isinstance(last, Number | Fraction)
    mixed = isinstance(first, Fraction) and isinstance(first.numerator, Number) and isinstance(before, Number)
    return isinstance(first, Number) or bold or mixed


def _base(piece: Math) -> Math:
    return _base(piece.base) if isinstance(piece, Script) else piece


EULER, PI = Letter("e", is_constant=True), Letter("pi", is_constant=True)
UNIT, KRONECKER = Letter("I", is_constant=True), Letter("delta", is_constant=True)
PARTIAL = Letter("partial")
"""The ∂ before each side of a partial derivative."""
CAPITAL_GREEK = frozenset("Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega".split())
"""Names of the capitals that do not look like a Latin letter."""
GREEK = CAPITAL_GREEK.union(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi "
    "omega".split()
)
"""Names that are written as Greek letters."""


def derivative(of: Math, by: Math) -> Fraction:
    """Return ∂L/∂S.

    >>> derivative(Letter("L"), Letter("S")).numerator
    Seq(parts=(Letter(name='partial', style='italic'), Letter(name='L', style='italic')))
    """
    return Fraction(*(Seq((PARTIAL, Parens(side) if isinstance(side, Seq) else side)) for side in (of, by)))


def is_derivative(piece: Math) -> TypeGuard[Fraction]:
    """Return whether a piece is a partial derivative, which reads as a single symbol."""
    return isinstance(piece, Fraction) and isinstance(piece.numerator, Seq) and piece.numerator.parts[:1] == (PARTIAL,)


def equation(left: Math, *right: Math) -> Chain:
    """Return the statement left = right = …."""
    return Chain(left, tuple(("=", side) for side in right))


def counted(place: int) -> Number:
    """Return the number of a row or column, counted from 0, as the page counts: from 1."""
    return Number(str(place + 1))
