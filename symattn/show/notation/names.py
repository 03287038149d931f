"""The notation of names: the scenario's own, otherwise by rule."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from symattn.base.remembered import cached_property
from symattn.base.shapes import Axis, Shape
from symattn.read.scenario.notation import (
    NotAt,
    Notation,
    NotDecorated,
    NotDot,
    NotName,
    NotPart,
    NotPartial,
    NotProduct,
    NotRow,
    NotSum,
    NotTranspose,
)
from symattn.show.math import (
    GREEK,
    Accent,
    Accented,
    Chain,
    Fraction,
    Letter,
    Math,
    Number,
    Parens,
    Script,
    Seq,
    Shaped,
    Sign,
    Sum,
    derivative,
    every,
    joined,
    seq,
)
from symattn.show.notation.bases import at_letter, chosen, head
from symattn.show.notation.letters import PageLetters, Uses

T = Sign("T")


@dataclass(frozen=True)
class Names:
    """The notation of each name: the scenario's own, otherwise by rule. The labels of axes are for A_(token)."""

    notation: Mapping[str, Notation] = field(default_factory=dict)
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The labels of each axis, by its name."""
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    """The shape of each matrix of the document."""
    uses: Uses = field(default_factory=Uses)
    """The other uses of letters on the page."""

    def __call__(self, name: str) -> Math:
        """Return the name as mathematics.

        >>> Names()("H_attn")
        Script(base=Letter(name='H', style='italic'), sub=Letter(name='attn', style='upright'), sup=None)
        """
        tree = self.notation.get(name)
        return self._by_rule(name) if tree is None else self._tree(tree)

    def _by_rule(self, name: str) -> Math:
        found = _WITH_NUMBER.fullmatch(name)
        # Beside W_1, W1 is another matrix.
        return Letter(name, "upright") if found and f"{found[1]}_{found[2]}" in self.shapes else by_rule(name)

    @cached_property
    def bases(self) -> Mapping[str, Math]:
        """The letter of the entries of each matrix of the document."""
        trees = ((name, self.notation.get(name)) for name in self.shapes)
        partial = {name: tree.by.text for name, tree in trees if isinstance(tree, NotPartial)}
        by = {name: other for name, other in partial.items() if not self._is_jacobian(name, other)}
        symbols = {name: self(name) for name in self.shapes if name not in partial}
        reserved = self.uses.symbols | {"e"} if self.uses.powers else self.uses.symbols
        sizes = {head(by_rule(size)) for size in self.uses.numbers}
        indices = {name: 2 - shape.sizes.count(1) for name, shape in self.shapes.items()}
        bases = chosen({**symbols, **{other: self._alone(other) for other in by.values()}}, reserved, sizes, indices)
        jacobians = {name: Parens(self(name)) for name in partial if name not in by}
        return {**bases, **{name: self._with_letter(name, bases[other]) for name, other in by.items()}, **jacobians}

    def _is_jacobian(self, name: str, by: str) -> bool:
        """Return whether ∂y/∂x has other entries than x, so that its indices are not those of x."""
        return by in self.shapes and self.shapes[name].sizes != self.shapes[by].sizes

    def _with_letter(self, name: str, letter: Math) -> Math:
        """Return the base for the indices of a gradient's entries: ∂L/∂s, with the letter of the variable below."""
        return at_letter(self(name), lambda _: letter)

    @cached_property
    def letters(self) -> PageLetters:
        """The letters of the page, for anything that needs one."""
        written = (*map(self, self.shapes), *self.bases.values(), *map(by_rule, self.uses.numbers | self.uses.symbols))
        meant = frozenset(letter.name for math in written for letter in every(Letter, math) if letter.style != "text")
        constants = frozenset("e") if self.uses.powers else frozenset[str]()
        return PageLetters(meant, constants, self.uses.words, self.uses.purposes)

    def knowing(self, shapes: Mapping[str, Shape]) -> Names:
        """Return these names with more matrices added."""
        return self if shapes.keys() <= self.shapes.keys() else replace(self, shapes={**self.shapes, **shapes})

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
            case NotAt(inner, time):
                # The base must not be a name after a step itself: two names that refer to each other would never end.
                bare = self.notation.get(inner.text)
                return after(by_rule(inner.text) if _has(bare, NotAt) else self._alone(inner.text), time)
            case NotPartial(of, by, through):
                found = derivative(self._alone(of.text), self._alone(by.text))
                return found if through is None else Script(Parens(found), sub=self._alone(through.text))
            case NotPart(inner, through):
                return Script(Parens(self._tree(inner)), sub=self._alone(through.text))
        raise TypeError(f"no rule for the notation {type(tree).__name__}")

    def _alone(self, name: str) -> Math:
        """Return the name as a part of a gradient: its usual notation, unless that is a gradient too."""
        tree = self.notation.get(name)
        return self._by_rule(name) if tree is None or _has(tree, NotPartial) else self._tree(tree)

    def gradient_of(self, name: str) -> str | None:
        """Return the variable that a name is the gradient by, from its notation: ∂L/∂X, or X̄ with the shape of X."""
        match self.notation.get(name):
            case NotPartial(_, by, _):
                return by.text
            case NotDecorated("bar", NotName(by)) | NotPart(NotDecorated("bar", NotName(by))) if (
                by != name and self._have_one_shape(name, by)
            ):
                return by
        return None

    def trained_from(self, name: str) -> str | None:
        """Return the name of a matrix before training, from its notation: W of W^{(1)}."""
        tree = self.notation.get(name)
        return tree.x.text if isinstance(tree, NotAt) else None

    def _have_one_shape(self, name: str, other: str) -> bool:
        known = {each: self.shapes[each].sizes for each in (name, other) if each in self.shapes}
        return len(known) == 2 and known[name] == known[other]

    def row_labels(self, name: str) -> tuple[str, ...]:
        """Return the labels of the rows of a matrix, if its row axis has any."""
        return self.labels.get(self.shapes[name].rows.name, ()) if name in self.shapes else ()

    def row(self, base: Math, name: str, index: int) -> Math:
        """Return row ``index`` of a matrix: A_(label) if no other row has that label, otherwise A_{i,·}."""
        labels = self.row_labels(name)
        if index <= len(labels) and labels.count(labels[index - 1]) == 1:
            return subscripted(base, Parens(Letter(labels[index - 1], "text")))
        return row_of(base, Number(str(index)))


ACCENTS: tuple[Accent, ...] = ("hat", "tilde", "bar", "prime")
"""Suffixes of names that are accents: x_hat is x with a hat."""

_WITH_NUMBER = re.compile(rf"([A-Za-z]|{'|'.join(sorted(GREEK))})([0-9]+)", re.ASCII)


def by_rule(name: str) -> Math:
    """Return a name without notation: ``W_Q``, ``H_attn``, ``LN_1``, ``alpha``; figures behind a letter are its index.

    >>> by_rule("LN_1")
    Script(base=Letter(name='LN', style='upright'), sub=Number(text='1'), sup=None)
    >>> by_rule("sigma_sq")
    Script(base=Letter(name='sigma', style='italic'), sub=None, sup=Number(text='2'))
    >>> by_rule("x_hat")
    Accented(accent='hat', base=Letter(name='x', style='italic'))
    >>> by_rule("mu2")
    Script(base=Letter(name='mu', style='italic'), sub=Number(text='2'), sup=None)
    """
    if " " in name:
        # The size of blocks side by side: a + b + 2.
        return joined([Number(part) if part.isdigit() else by_rule(part) for part in name.split(" + ")], "+")
    base, *subs = [part for part in name.split("_") if part]
    accents = [accent for accent in ACCENTS if accent in subs]
    is_square = "sq" in subs
    subs = [part for part in subs if part not in (*accents, "sq")]
    if (found := _WITH_NUMBER.fullmatch(base)) is not None:
        base, subs = found[1], [found[2], *subs]
    head: Math = Letter(base) if len(base) == 1 or base in GREEK else Letter(base, "upright")
    for accent in accents:
        head = Accented(accent, head)
    sub = joined([_subscript(part) for part in subs], ",") if subs else None
    square = Number("2") if is_square else None
    return Script(head, sub, square) if subs or is_square else head


def _subscript(part: str) -> Math:
    if part.isdigit():
        return Number(part)
    return Letter(part) if len(part) == 1 or part in GREEK else Letter(part, "upright")


def axis_size(axis: Axis) -> Math:
    """Return the size of an axis: a figure, or the letter of a general one."""
    return Number(str(axis.size)) if isinstance(axis.size, int) else by_rule(axis.size)


def atom(math: Math) -> Math:
    """Return a piece in parentheses unless it reads as one thing: in (−1)ᵀ the minus would otherwise belong to 1ᵀ."""
    is_negative = isinstance(math, Number) and math.text.startswith("-")
    is_loose = isinstance(math, Seq | Fraction | Chain | Sum) or is_negative or _has_superscript(math)
    return Parens(math) if is_loose else math


def subscriptable(math: Math) -> Math:
    """Return a piece that can take a subscript: in parentheses if it has one already, (LN_2)_{3,·}."""
    return Parens(math) if isinstance(math, Script | Shaped) else atom(math)


def subscripted(math: Math, sub: Math) -> Math:
    """Return a part of a matrix: X_{1:2}, (LN_2)_{3,·}, ∂L/∂X_{1:2}."""
    return at_letter(math, lambda letter: Script(subscriptable(letter), sub=sub))


def after(math: Math, time: int) -> Math:
    """Return W^{(1)}: a name after so many steps of training.

    >>> after(Script(Letter("W"), Letter("Q")), 1).sup
    Parens(inner=Number(text='1'))
    """
    above = Parens(Number(str(time)))
    if isinstance(math, Script) and math.sup is None:
        return Script(math.base, math.sub, above)
    return Script(math if isinstance(math, Letter | Accented) else Parens(math), sup=above)


def row_of(math: Math, index: Math) -> Math:
    """Return X_{i,·}."""
    return subscripted(math, seq(index, Sign(","), Sign("·")))


def _has(tree: Notation | None, kind: type[NotAt | NotPartial]) -> bool:
    match tree:
        case NotDecorated(_, inner) | NotTranspose(inner) | NotRow(inner) | NotPart(inner):
            return _has(inner, kind)
        case NotProduct(inner) | NotSum(inner):
            return any(_has(each, kind) for each in inner)
        case NotDot(left, right):
            return _has(left, kind) or _has(right, kind)
    return isinstance(tree, kind)


def _has_superscript(math: Math) -> bool:
    return isinstance(math, Script) and math.sup is not None
