"""Masks that are added to scores, 0 where a position may look and −∞ where it may not, and the weights they keep."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from sympy import Expr

from symattn.operations.node import Node
from symattn.operations.stored import GivenArgument

HIDING = -100
"""The largest number with which a mask hides an entry: e^−100 prints as 0."""


def is_hiding(value: Any) -> bool:
    """Return whether a number that is added to a score acts as −∞; a letter may be any number."""
    return not (isinstance(value, Expr) and not value.is_number) and bool(value <= HIDING)


class Mask(Node):
    """M_{ij} = 0 or v: what is added to scores. The value v that hides an entry is not a part of its name.

    Shapes: those that a mask says, → (n, m).

    >>> from sympy import oo
    >>> isinstance(WindowMask(3, 2, -oo), Mask), WindowMask(3, 2, -oo).value
    (True, -oo)
    """

    unsaid = ("value",)
    value = GivenArgument(-1, "What stands where a position may not look.")

    @property
    def is_hiding(self) -> bool:
        """Whether a softmax gives hidden entries no weight: the value is −∞, or a number that acts as it.

        >>> from sympy import oo
        >>> [CausalMask(2, value).is_hiding for value in (-oo, -100, -1)]
        [True, True, False]
        """
        return is_hiding(self.value)

    @abstractmethod
    def hides(self, i: int, j: int) -> bool:
        """Return whether position i may not see position j, both counted from 0."""

    @property
    @abstractmethod
    def kept(self) -> Expr:
        """The number of entries that are 0."""

    @property
    @abstractmethod
    def room(self) -> Expr:
        """The number that may not be negative for this formula to hold."""


class CausalMask(Mask):
    """M_{ij} = 0 for j ≤ i and v for j > i: position i sees itself and what came before.

    v is −∞, or a large negative number that stands for it.

    >>> from sympy import oo
    >>> CausalMask(2, -oo).as_explicit()
    Matrix([
    [0, -oo],
    [0,   0]])

    Source: Vaswani et al. 2017, *Attention Is All You Need*, section 3.2.3.
    """

    definition = """
        causal_mask(n, value = -oo) -> n×n
            y[i,j] = 0 if j <= i else value
    """
    called = "mask"

    def hides(self, i: int, j: int) -> bool:
        return j > i

    @property
    def kept(self) -> Expr:
        """The number of entries that are 0: n (n + 1) / 2."""
        n = self.shape[0]
        return n * (n + 1) / 2

    @property
    def room(self) -> Expr:
        return self.shape[0] - 1


class CachedMask(Mask):
    """M_{ij} = 0 for j ≤ i + m − n and v elsewhere: the n last of m positions see themselves and what came before.

    Shapes: → (n, m), with n ≤ m: the keys of the first m − n positions wait in a cache. These are the last n rows of
    a causal mask of m positions; a formula calls it causal_mask(n, m).

    >>> from sympy import oo
    >>> CachedMask(2, 3, -oo).as_explicit()
    Matrix([
    [0, 0, -oo],
    [0, 0,   0]])

    Source: Shazeer 2019, *Fast Transformer Decoding: One Write-Head is All You Need*, section 2.4.
    """

    definition = """
        cached_mask(n, m: size, value = -oo) -> n×m
            y[i,j] = 0 if j <= i + m - n else value
    """
    called = "mask"

    @property
    def before(self) -> Expr:
        """The number of keys before the first query, m − n."""
        return self.shape[1] - self.shape[0]

    def hides(self, i: int, j: int) -> bool:
        return j > i + int(self.before)

    @property
    def kept(self) -> Expr:
        """The number of entries that are 0: n (m − n) + n (n + 1) / 2."""
        n = self.shape[0]
        return n * self.before + n * (n + 1) / 2

    @property
    def room(self) -> Expr:
        return self.before


class WindowMask(Mask):
    """M_{ij} = 0 for |i − j| < w and v elsewhere: position i sees itself and w − 1 neighbours on each side.

    Shapes: → (n, n), with 1 ≤ w ≤ n. Added to a causal mask, it leaves the last w positions up to i itself.

    >>> from sympy import oo
    >>> WindowMask(3, 2, -oo).as_explicit()
    Matrix([
    [  0, 0, -oo],
    [  0, 0,   0],
    [-oo, 0,   0]])

    Source: Beltagy, Peters and Cohan 2020, *Longformer*, section 3.1, where the window counts both sides together:
    their width is 2 (w − 1).
    """

    definition = """
        window_mask(n, w: size, value = -oo) -> n×n
            y[i,j] = 0 if abs(i - j) < w else value
    """
    called = "window"
    width = GivenArgument(1, "The window w.")

    def hides(self, i: int, j: int) -> bool:
        return abs(i - j) >= int(self.width)

    @property
    def kept(self) -> Expr:
        """The number of entries that are 0: n (2w − 1) − w (w − 1), for w ≤ n."""
        n, w = self.shape[0], self.width
        return n * (2 * w - 1) - w * (w - 1)

    @property
    def room(self) -> Expr:
        return self.shape[0] - self.width


class PaddingMask(Mask):
    """M_{ij} = 0 for j ≤ l and v for j > l: nobody sees what only fills a sequence up to the length of its batch.

    Shapes: → (n, m), with n queries, m keys and 1 ≤ l ≤ m.

    >>> from sympy import oo
    >>> PaddingMask(2, 3, 2, -oo).as_explicit()
    Matrix([
    [0, 0, -oo],
    [0, 0, -oo]])

    Source: as ``key_padding_mask`` of PyTorch's ``MultiheadAttention``, there a mask of true and false per key.
    """

    definition = """
        padding_mask(n, m, l: size, value = -oo) -> n×m
            y[i,j] = 0 if j <= l else value
    """
    called = "padding"
    length = GivenArgument(2, "How many keys are real, l.")

    def hides(self, i: int, j: int) -> bool:
        return j >= int(self.length)

    @property
    def kept(self) -> Expr:
        """The number of entries that are 0: n l."""
        return self.shape[0] * self.length

    @property
    def room(self) -> Expr:
        return self.shape[1] - self.length


class Keep(Node):
    """keep(A, M)_{ij} = a_{ij} where m_{ij} = 0, else 0: what a mask leaves of weights, the rest exactly 0.

    Where M is −∞ in the hidden places, proportions(keep(softmax(S), M)) is
    softmax(S + M): masking scores is keeping the visible weights and dividing them by what is left.

    >>> from sympy import MatrixSymbol, oo
    >>> Keep(MatrixSymbol("A", 2, 2), CausalMask(2, -oo)).as_explicit()
    Matrix([
    [A[0, 0],       0],
    [A[1, 0], A[1, 1]]])
    """

    definition = """
        keep(A: m×n, M: m×n) -> m×n
            y[i,j] = A[i,j] if M[i,j] == 0 else 0
    """

    is_infix = True
    mask = GivenArgument(1, "The mask M.")
