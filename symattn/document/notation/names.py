"""How names are written: by the scenario's notation, else by rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from symattn.document.math import (
    Accented,
    Chain,
    Fraction,
    Letter,
    Math,
    Number,
    Parens,
    Script,
    Seq,
    Sign,
    joined,
    seq,
)
from symattn.remembered import cached_property
from symattn.scenario.notation import Notation, NotDecorated, NotDot, NotName, NotProduct, NotRow, NotSum, NotTranspose
from symattn.shapes import Axis

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

    @cached_property
    def letters(self) -> frozenset[Letter]:
        """The names of the document that are one word, as they are written."""
        return frozenset(symbol for symbol in map(self, self.row_axes) if isinstance(symbol, Letter))

    def _tree(self, tree: Notation) -> Math:
        match tree:
            case NotName(text):
                return by_rule(text)
            case NotDecorated(kind, inner):
                return Accented(kind, self._tree(inner))
            case NotTranspose(inner):
                return Script(atom(self._tree(inner)), sup=T)
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
            return Script(atom(base), sub=Parens(Letter(labels[index - 1], "text")))
        return Script(atom(base), sub=seq(Number(str(index)), Sign(","), Sign("·")))


def by_rule(name: str) -> Math:
    """A name without notation: ``W_Q``, ``H_attn``, ``LN_1``, ``alpha``.

    >>> by_rule("LN_1")
    Script(base=Letter(name='LN', style='upright'), sub=Number(text='1'), sup=None)
    """
    if " " in name:
        # The size of blocks side by side: a + b + 2.
        return joined([Number(part) if part.isdigit() else by_rule(part) for part in name.split(" + ")], "+")
    base, *subs = [part for part in name.split("_") if part]
    head = Letter(base) if len(base) == 1 or base in GREEK else Letter(base, "upright")
    if not subs:
        return head
    return Script(head, sub=joined([_subscript(part) for part in subs], ","))


def _subscript(part: str) -> Math:
    if part.isdigit():
        return Number(part)
    return Letter(part) if len(part) == 1 or part in GREEK else Letter(part, "upright")


def size(axis: Axis) -> Math:
    """The size of an axis: a figure, or the letter of a general one."""
    return Number(str(axis.size)) if isinstance(axis.size, int) else by_rule(axis.size)


def atom(math: Math) -> Math:
    """In parentheses, unless it already reads as one thing."""
    return Parens(math) if isinstance(math, Seq | Fraction | Chain) or _has_superscript(math) else math


def _has_superscript(math: Math) -> bool:
    return isinstance(math, Script) and math.sup is not None
