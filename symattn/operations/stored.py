"""The SymPy side of our matrices: stored as they are written, evaluated on request.

>>> from sympy import Matrix, MatrixSymbol, latex
>>> from symattn.operations.rows import Softmax
>>> S = MatrixSymbol("S", 1, 2)
>>> Softmax(S).doit(), Softmax(S).subs(S, Matrix([[0, 0]])).doit()
(Softmax(S), Matrix([[1/2, 1/2]]))
>>> print(latex(Softmax(S)))
\\mathrm{softmax}(S)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, Literal

from sympy import (
    Basic,
    Expr,
    ImmutableDenseMatrix,
    Integer,
    MatMul,
    MatrixBase,
    MatrixExpr,
    MatrixSymbol,
    OneMatrix,
    S,
    ZeroMatrix,
)
from sympy.matrices.expressions.matexpr import MatrixElement
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.str import StrPrinter

from symattn.base import frozen
from symattn.base.errors import FormulaError, SymattnError, cut
from symattn.base.remembered import cached_property


def basic(arg: Any) -> Basic:
    """Convert a number or a matrix of numbers to SymPy's immutable form."""
    if isinstance(arg, int):
        return Integer(arg)
    return arg.as_immutable() if isinstance(arg, MatrixBase) else arg


def explicit(arg: Any) -> Any:
    """Return a matrix with its entries, where their number is known; anything else unchanged."""
    if isinstance(arg, MatrixExpr) and not arg._is_shape_symbolic():
        return arg.as_explicit()
    return arg


class GivenArgument:
    """A parameter as a property of nodes: its argument, or ``None`` where it is omitted."""

    def __init__(self, place: int, doc: str) -> None:
        self.place, self.__doc__ = place, doc

    def __get__(self, node: Any, owner: type) -> Any:
        if node is None:
            return self
        return node.args[self.place] if self.place < len(node.args) else None


class WholeArgument(GivenArgument):
    """A parameter that is a whole number."""

    def __get__(self, node: Any, owner: type) -> int:
        found = super().__get__(node, owner)
        return found if node is None else int(found)


class _Writer(StrPrinter):
    """Writes a product as SymPy does, but without evaluating A to find the precedence of −A."""

    def _print_MatMul(self, product: MatMul) -> str:
        number, args = product.as_coeff_mmul()[0], product.args
        minus = bool(number.is_number and number.is_negative)
        if minus:
            args = (*([-number] if number != -1 else []), *(arg for arg in args if arg.is_Matrix))
        return "-" * minus + "*".join(self.parenthesize(arg, PRECEDENCE["Mul"]) for arg in args)

    def parenthesize(self, item: Any, level: int, strict: bool = False) -> str:
        if not isinstance(item, MatMul):
            return str(super().parenthesize(item, level, strict))
        text = self._print_MatMul(item)
        binds = PRECEDENCE["Add" if text.startswith("-") else "Mul"]
        return f"({text})" if binds < level + (not strict) else text


class Stored(MatrixExpr):
    """node(X, …)_{ij} = what the node says of its entry: a matrix that stays as it is written.

    ``doit`` works it out where all that is in it is numbers, ``as_explicit`` where it is known how many entries there
    are. Its derivative is that of its entries; by a matrix there is none, because SymPy has no form for it.

    Shapes: those of the operands → the one that the node says.

    >>> from sympy import MatrixSymbol
    >>> from symattn.operations.entrywise import Exp
    >>> x = MatrixSymbol("x", 1, 2)
    >>> Exp(x).as_explicit(), Exp(x).diff(x[0, 1])
    (Matrix([[exp(x[0, 0]), exp(x[0, 1])]]), Matrix([[0, exp(x[0, 1])]]))
    """

    called: ClassVar[str] = ""
    """Its name in a formula, where that is not the name of its definition."""
    is_infix: bool = False
    """Whether it is written as an operator between its parts."""
    is_repeated: bool = False
    """Whether it is an operand repeated to the size of a larger matrix, which is written once."""

    def __new__(cls, *args: Any) -> Any:
        return MatrixExpr.__new__(cls, *map(basic, args))

    @property
    def argument(self) -> Any:
        """The first matrix."""
        return self.operands[0]

    @property
    def operands(self) -> tuple[Any, ...]:
        """The matrices that it is applied to."""
        return tuple(arg for arg in self.args if arg.is_Matrix)

    # -- values ------------------------------------------------------------------------------------------------------

    @cached_property
    def is_known(self) -> bool:
        """Whether it has a numeric size and no matrix in it is only a name."""
        return not self._is_shape_symbolic() and all(
            isinstance(each, MatrixBase) or not each.has(MatrixSymbol) for each in self.operands
        )

    def as_explicit(self) -> ImmutableDenseMatrix:
        """Return every entry, with sums written out."""
        if self._is_shape_symbolic():
            return MatrixExpr.as_explicit(self)  # raises SymPy's own error
        return self.func(*map(explicit, self.args))._entries()

    def _entries(self) -> ImmutableDenseMatrix:
        return MatrixExpr.as_explicit(self)

    def doit(self, **hints: Any) -> Any:
        """Evaluate it if everything in it is known; otherwise evaluate the known parts."""
        if self.is_known:
            return self.as_explicit().doit(**hints)
        if not hints.get("deep", True) or not self.has(MatrixBase):
            return self
        return self.func(*(arg.doit(**hints) if arg.is_Matrix else arg for arg in self.args))

    def evalf(self, n: int = 15, subs: Any = None, **options: Any) -> Any:
        """Return decimals if it is known, else itself. No digit of them is certified."""
        node = self.subs(subs) if subs else self
        done = node.doit()
        return done.evalf(n, **options) if isinstance(done, MatrixBase) else node

    n = evalf

    # -- derivatives -------------------------------------------------------------------------------------------------

    def diff(self, *symbols: Any, **assumptions: Any) -> Any:
        """Differentiate every entry by numbers: a symbol, or an entry of a matrix."""
        for symbol in symbols:
            self._must_be_number(symbol[0] if isinstance(symbol, tuple | list) else symbol)
        return MatrixExpr.diff(self, *symbols, **assumptions)

    def _must_be_number(self, symbol: Any) -> None:
        if getattr(symbol, "is_Matrix", False) and self.has(symbol):
            raise FormulaError(
                f"the derivative of {cut(str(self))} by the matrix {cut(str(symbol))} has no form in SymPy: "
                f"take it by one entry, as in diff({cut(str(symbol))}[0, 0])"
            )

    def _eval_derivative(self, x: Any) -> Any:
        self._must_be_number(x)
        if not self.has(x.parent if isinstance(x, MatrixElement) else x):
            return ZeroMatrix(*self.shape)
        if self._is_shape_symbolic():
            raise FormulaError(
                f"the derivative of {cut(str(self))} by {cut(str(x))} is taken entry by entry: "
                f"expected numbers for its shape {self.shape}"
            )
        return self.as_explicit().diff(x)

    def _eval_derivative_matrix_lines(self, x: Any) -> list[Any]:
        self._must_be_number(x)
        return []

    # -- as text, and into another process ---------------------------------------------------------------------------

    def _sympystr(self, printer: Any) -> str:
        writer = printer if isinstance(printer, _Writer) else _Writer(printer._settings)
        return self.in_text(writer._print)

    def in_text(self, write: Callable[[Any], str]) -> str:
        """Write it in a line of text."""
        return f"{type(self).__name__}({', '.join(map(write, self.args))})"

    def _latex(self, printer: Any) -> str:
        """Write it as a page does; with matrices that a page cannot have, as a function of SymPy's own LaTeX."""
        # SymPy calls the node, and imports go downwards only: the module that writes formulas is found by its name.
        notation = import_module("symattn.api.publish.display")
        try:
            return str(notation.node_tex(self))
        except (SymattnError, TypeError):
            return str(notation.call_tex(self, printer._print))

    @property
    def precedence(self) -> int:
        """Its precedence when printed."""
        return int(PRECEDENCE["Mul" if self.is_infix else "Atom"])

    def __reduce_ex__(self, protocol: Any) -> Any:
        # SymPy would evaluate the contents on the way: √4 would arrive as 2.
        return frozen.rebuilt, (frozen.parts(self),)


# -- what all that write formulas ask --------------------------------------------------------------------------------

PRIME, TURNED, TURNED_JACOBIAN, OF_ALL, JACOBIAN = "'", "^T", "J^T_", "grad_", "J^_"
"""Names of gradients: f′ entry by entry, Aᵀ of linear operations, Jᵀ with the name below, J; grad of all entries."""

POWER = "·ᵏ"
"""Name of powers: the exponent above the base."""


@dataclass(frozen=True)
class GradientName:
    """The name of a gradient with its marks: the one above it, and the names below."""

    name: str
    above: Literal["", "'", "T"]
    below: tuple[str, ...] = ()
    """The operation, and the parameter where it has several matrices."""


def marked(called: str) -> GradientName | None:
    """Parse the name of a gradient; ``None`` for any other name.

    >>> marked("ReLU'"), marked("softmax")
    (GradientName(name='ReLU', above="'", below=()), None)
    >>> marked("grad_mse,X")
    GradientName(name='grad', above='', below=('mse', 'X'))
    """
    for begin, name, above in ((TURNED_JACOBIAN, "J", "T"), (OF_ALL, "grad", ""), (JACOBIAN, "J", "")):
        if called.startswith(begin):
            return GradientName(name, above, tuple(called.removeprefix(begin).split(",")))  # type: ignore[arg-type]
    if called.endswith(PRIME):
        return GradientName(called.removesuffix(PRIME), "'")
    return GradientName(called.removesuffix(TURNED), "T") if called.endswith(TURNED) else None


def binds(node: Basic) -> bool:
    """Return whether a node of ours needs parentheses beside a factor: X ⊙ Y."""
    return bool(getattr(node, "is_infix", False) or getattr(node, "is_repeated", False))


def as_number(node: Basic) -> Expr | None:
    """Return the number of a 1×1 matrix that a formula writes as a number: c · 1."""
    if node == OneMatrix(1, 1):
        return S.One
    if not (isinstance(node, MatMul) and len(node.args) == 2 and node.args[1] == OneMatrix(1, 1)):
        return None
    return None if node.args[0].is_Matrix else node.args[0]


def is_number(node: Basic) -> bool:
    """Return whether a matrix has one entry."""
    return bool(node.shape == (1, 1))


def distinct_operands(nodes: Sequence[Basic]) -> tuple[Basic, ...]:
    """Return the operands of an entry-by-entry operation as they are written: repeated ones once, if another operand
    determines the size."""
    found = tuple(map(_alone, nodes))
    return tuple(nodes) if all(one is not other for one, other in zip(nodes, found, strict=True)) else found


def _alone(node: Basic) -> Basic:
    """Return the repeated matrix with the numbers before it; any other matrix itself."""
    if getattr(node, "is_repeated", False):
        return _alone(node.args[0])
    if isinstance(node, MatMul) and not any(arg.is_Matrix for arg in node.args[:-1]):
        inner = _alone(node.args[-1])
        return node if inner is node.args[-1] else MatMul(*node.args[:-1], inner, evaluate=False)
    return node
