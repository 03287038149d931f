"""Operations on token positions: sinusoidal encodings, rotations, distances."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, floor

from symattn.operations.node import Node
from symattn.operations.stored import GivenArgument

USUAL_BASE = 10_000
"""The base of wavelengths that needs no mention."""


class _Waves(Node):
    """Waves that turn by p θ_t at position p, θ_t = base^(−2t/d); an unusual base is written below the name."""

    unsaid = ("base",)
    base: Any
    start: Any

    def angle(self, i: Expr, j: Expr) -> Expr:
        """Return the argument of sine or cosine in row i and column j, counted from 0."""
        return (self.start + i) * self.base ** (-2 * floor(j / Integer(2)) / self.shape[1])


class Sinusoidal(_Waves):
    """PE_{i, 2t} = sin(p θ_t), PE_{i, 2t+1} = cos(p θ_t) with θ_t = base^{−2t/d}; p, i and t count from 0, p = i.

    Shapes: → (n, d), d even. Unit: the arguments are radians.

    >>> Sinusoidal(2, 4, Integer(10_000)).as_explicit()
    Matrix([
    [     0,      1,          0,          1],
    [sin(1), cos(1), sin(1/100), cos(1/100)]])

    Source: Vaswani et al. 2017, *Attention Is All You Need*, section 3.5.
    """

    definition = """
        sinusoidal(n, d, base = 10000) -> n×d
            phi[i,j] = (i - 1) * base^(-2 * floor((j - 1) / 2) / d)
            y[i,j] = sin(phi[i,j]) if j % 2 == 1 else cos(phi[i,j])
    """
    called = "PE"
    start = Integer(0)
    base = GivenArgument(2, "What the wavelengths grow towards, usually 10000.")


class Rotary(_Waves):
    """rotary(X): in row i, at position p = start + i from 0, the pair (x_{2t}, x_{2t+1}) is turned by the angle p θ_t.

    R_{i,2t} = x_{i,2t} cos(p θ_t) − x_{i,2t+1} sin(p θ_t), R_{i,2t+1} = x_{i,2t} sin(p θ_t) + x_{i,2t+1} cos(p θ_t),
    with θ_t = base^{−2t/d} and t counted from 0.
    Shapes: (n, d) → (n, d), d even. Neighbouring columns make a pair, as in the paper; some programs pair column t with
    column t + d/2, which is the same up to the order of columns.

    >>> from sympy import MatrixSymbol
    >>> Rotary(MatrixSymbol("Q", 2, 2), Integer(10_000), Integer(0))[1, 0]
    cos(1)*Q[1, 0] - sin(1)*Q[1, 1]

    Source: Su et al. 2021, *RoFormer: Enhanced Transformer with Rotary Position Embedding*, equations (14) and (15).
    """

    definition = """
        rotary(X: n×d, base = 10000, start = 0) -> n×d
            phi[i,j] = (start + i - 1) * base^(-2 * floor((j - 1) / 2) / d)
            y[i,j] = X[i,j] * cos(phi[i,j]) - X[i,j + 1] * sin(phi[i,j])
                if j % 2 == 1
                else X[i,j - 1] * sin(phi[i,j]) + X[i,j] * cos(phi[i,j])
    """
    called = "RoPE"
    base = GivenArgument(1, "What the wavelengths grow towards, usually 10000.")
    start = GivenArgument(2, "The position of the first row.")


class Distance(Node):
    """distance(n)_{ij} = |i − j|, how far apart two positions are.

    >>> Distance(3).as_explicit()
    Matrix([
    [0, 1, 2],
    [1, 0, 1],
    [2, 1, 0]])

    Source: as the bias −m · distance(n) under a causal mask, Press, Smith and Lewis 2022, *Train Short, Test Long:
    Attention with Linear Biases*, section 3.
    """

    definition = """
        distance(n) -> n×n
            y[i,j] = abs(i - j)
    """
