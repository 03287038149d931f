"""Arithmetic that SymPy would evaluate away or lacks: quotients, entry-by-entry products, a gradient kept short."""

from __future__ import annotations

from typing import ClassVar

from sympy import Basic

from symattn.operations.node import Node
from symattn.operations.stored import GivenArgument, distinct_operands, is_number


class Quotient(Node):
    """(X / c)_{ij} = x_{ij} / c.

    SymPy turns ``Q*K.T/sqrt(4)`` into ``Q*K.T/2`` and the reader never sees the root; this node keeps the divisor.
    The divisor may hold the names of sizes, as in √d_k.

    >>> from sympy import MatrixSymbol, Symbol, sqrt
    >>> Quotient(MatrixSymbol("S", 2, 2), sqrt(Symbol("d_k")))[0, 1]
    S[0, 1]/sqrt(d_k)

    Source: as the scaling by 1/√d_k, Vaswani et al. 2017, section 3.2.1, equation (1).
    """

    definition = """
        quotient(X: m×n, c) -> m×n
            y[i,j] = X[i,j] / c
    """
    divisor = GivenArgument(1, "The number c.")


class ClipNorm(Node):
    """clip_norm(G, c)_{ij} = g_{ij} · min(1, c / ‖G‖) with ‖G‖ = √(Σ_{kl} g_{kl}²): at most as long as c.

    c is a positive number; G = 0 stays 0.

    >>> from sympy import Matrix
    >>> ClipNorm(Matrix([[3, 4]]), 1).as_explicit()
    Matrix([[3/5, 4/5]])

    Source: Pascanu, Mikolov and Bengio 2013, *On the difficulty of training recurrent neural networks*, algorithm 1.
    PyTorch's ``clip_grad_norm_`` divides by ‖G‖ + 10⁻⁶ instead.
    """

    definition = """
        clip_norm(X: m×n, c) -> m×n
            r = sqrt(sum(k, sum(l, X[k,l]^2)))
            y[i,j] = X[i,j] if r <= c else X[i,j] * (c / r)
    """
    is_infix = True
    threshold = GivenArgument(1, "The largest length c.")


class _EntryByEntry(Node):
    """An operation on the entries of two matrices in the same place. Shapes: (m, n), (m, n) → (m, n)."""

    is_infix = True
    sign: ClassVar[str]
    """The sign between them."""
    left = GivenArgument(0, "The matrix X.")
    right = GivenArgument(1, "The matrix Y.")

    @property
    def sides(self) -> tuple[Basic, ...]:
        """The operands as they are written on both sides."""
        return distinct_operands(self.args)

    @property
    def with_number(self) -> bool:
        """Whether one side is a number."""
        return any(map(is_number, self.sides))


class Hadamard(_EntryByEntry):
    """(X ⊙ Y)_{ij} = x_{ij} y_{ij}, the product entry by entry; with a number a product as any other, s · X.

    Source: as the gate of a feed-forward layer, Shazeer 2020, *GLU Variants Improve Transformer*, equation (5).
    """

    definition = """
        hadamard(X: m×n, Y: m×n) -> m×n
            y[i,j] = X[i,j] * Y[i,j]
    """
    sign = r"\odot"


class EntryQuotient(_EntryByEntry):
    """(X ⊘ Y)_{ij} = x_{ij} / y_{ij}, the quotient entry by entry; no entry of Y may be zero.

    Where a number is divided, or what divides is a number or repeated, nobody can take it for an inverse: a fraction.
    """

    definition = """
        divide(X: m×n, Y: m×n) -> m×n
            y[i,j] = X[i,j] / Y[i,j]
    """
    sign = r"\oslash"

    @property
    def is_fraction(self) -> bool:
        """Whether it is written with a fraction bar."""
        return self.with_number or self.sides[1] is not self.right

    @property
    def is_infix(self) -> bool:  # type: ignore[override]
        return not self.is_fraction
