"""Where a token stands: sinusoidal encodings, rotations, distances."""

from __future__ import annotations

from typing import Any

from sympy import Abs, Eq, Expr, Integer, MatrixExpr, Mod, Piecewise, cos, floor, sin

from symattn.operations.indices import size


def frequency(base: Expr, pair: Expr, width: Expr) -> Expr:
    """θ_t = base^(−2t/d), by how much pair t (from 0) turns from one position to the next.

    >>> frequency(Integer(10_000), Integer(1), Integer(4))
    1/100
    """
    return base ** (-2 * pair / width)


class Sinusoidal(MatrixExpr):
    """PE_{i, 2t} = sin(p θ_t), PE_{i, 2t+1} = cos(p θ_t) with θ_t = base^{−2t/d}; p, i and t count from 0, p = i.

    Shapes: → (n, d), d even. Unit: the arguments are radians.

    >>> Sinusoidal(2, 4, Integer(10_000)).as_explicit()
    Matrix([
    [     0,      1,          0,          1],
    [sin(1), cos(1), sin(1/100), cos(1/100)]])

    Source: Vaswani et al. 2017, *Attention Is All You Need*, section 3.5.
    """

    def __new__(cls, rows: Expr | int, width: Expr | int, base: Expr) -> Sinusoidal:
        return MatrixExpr.__new__(cls, size(rows), size(width), base)

    @property
    def base(self) -> Expr:
        """What the wavelengths grow towards, usually 10000."""
        return self.args[2]

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return (self.args[0], self.args[1])

    def angle(self, i: Expr, j: Expr) -> Expr:
        """The argument of sine or cosine in row i and column j, counted from 0."""
        return i * frequency(self.base, floor(j / Integer(2)), self.shape[1])

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        i, j = Integer(i) if isinstance(i, int) else i, Integer(j) if isinstance(j, int) else j
        angle = self.angle(i, j)
        return Piecewise((sin(angle), Eq(Mod(j, 2), 0)), (cos(angle), True))


class Rotary(MatrixExpr):
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

    def __new__(cls, argument: MatrixExpr, base: Expr, start: Expr) -> Rotary:
        return MatrixExpr.__new__(cls, argument, base, start)

    @property
    def argument(self) -> MatrixExpr:
        """The matrix X."""
        return self.args[0]

    @property
    def base(self) -> Expr:
        """What the wavelengths grow towards, usually 10000."""
        return self.args[1]

    @property
    def start(self) -> Expr:
        """The position of the first row."""
        return self.args[2]

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return self.argument.shape

    def angle(self, i: Expr, j: Expr) -> Expr:
        """By how much row i turns the pair that column j belongs to, both counted from 0."""
        return (self.start + i) * frequency(self.base, floor(j / Integer(2)), self.shape[1])

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        i, j = Integer(i) if isinstance(i, int) else i, Integer(j) if isinstance(j, int) else j
        x, angle = self.argument, self.angle(i, j)
        first = x[i, j] * cos(angle) - _neighbour(x, i, j, 1) * sin(angle)
        second = _neighbour(x, i, j, -1) * sin(angle) + x[i, j] * cos(angle)
        return Piecewise((first, Eq(Mod(j, 2), 0)), (second, True))


def _neighbour(x: MatrixExpr, i: Expr, j: Expr, step: int) -> Expr:
    """x_{i, j + step}, or 0 where there is no such column: SymPy evaluates both branches of a choice."""
    place = j + step
    outside = place.is_Integer and (place < 0 or (x.shape[1].is_Integer and place >= x.shape[1]))
    return Integer(0) if outside else x[i, place]


class Distance(MatrixExpr):
    """distance(n)_{ij} = |i − j|, how far apart two positions are.

    Shapes: → (n, n).

    >>> Distance(3).as_explicit()
    Matrix([
    [0, 1, 2],
    [1, 0, 1],
    [2, 1, 0]])

    Source: as the bias −m · distance(n) under a causal mask, Press, Smith and Lewis 2022, *Train Short, Test Long:
    Attention with Linear Biases*, section 3.
    """

    def __new__(cls, length: Expr | int) -> Distance:
        return MatrixExpr.__new__(cls, size(length))

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return (self.args[0], self.args[0])

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        return Abs(i - j)
