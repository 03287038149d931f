"""Formulas under construction: the results of Python's operators on names, sizes and numbers.

Every operator writes one longer formula and has it parsed by :mod:`symattn.read.formula`, the one place that knows what
a formula may be: shapes are checked, and errors worded, as in a file, at the line that makes them.

>>> from symattn.api.authoring import Derivation
>>> d = Derivation(title="Scores")
>>> Q, K = d.given("Q", [[1, 2], [3, 4]]), d.given("K", [[1, 2, 3]])
>>> (Q + Q) @ Q.T / 2
Expression('(Q + Q) @ Q.T / 2', shape (2, 2))
>>> Q @ K.T
Traceback (most recent call last):
    ...
symattn.base.errors.ShapeError: Q @ K.T: Q is (2, 2), K.T is (3, 1): the columns of the first are 2, the rows of the \
second 3
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import partial
from types import EllipsisType, MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, SupportsIndex, TypeAlias, overload

from sympy import Expr, MatrixExpr

from symattn.api.authoring.draft import Own
from symattn.api.authoring.parts import Formula, common_owner, formula_of, name_of, place_of
from symattn.base.errors import FormulaError, cut
from symattn.base.parentheses import Precedence, at, beside, tight
from symattn.base.shapes import Size
from symattn.operations.terms import Term
from symattn.read.formula import Scope, read_any
from symattn.read.formula.batch import Several
from symattn.read.formula.functions import TABLE
from symattn.read.formula.libraries import member
from symattn.show.math import Chain, Shaped
from symattn.show.notation.formulas import Names, formula, number
from symattn.show.notation.names import axis_size
from symattn.write.tex_math import NOTEBOOK, tex

if TYPE_CHECKING:
    from sympy import Expr


def matrix_tex(term: Term, names: Names | None, definition: MatrixExpr | None) -> str:
    """Write a formula as TeX with its shape beside it; a name with its ``definition``."""
    names = names or Names()
    shape = term.shape
    shaped = Shaped(formula(term.expr, names), axis_size(shape.rows), axis_size(shape.columns), long=True)
    if definition is None:
        return tex(shaped, NOTEBOOK)
    return tex(Chain(shaped, (("=", formula(definition, names)),)), NOTEBOOK)


def number_tex(value: Expr) -> str:
    """Write a number as TeX."""
    return tex(number(value), NOTEBOOK)


NumberLike: TypeAlias = "Scalar | SupportsIndex | Fraction | Decimal"
"""The numbers of a formula beside matrices: a size, ``sqrt(…)``, whole numbers, fractions, decimals.

SymPy numbers are allowed too; their types are not known to type checkers.
"""

OperandLike: TypeAlias = "Expression | NumberLike"
"""An argument of a function of formulas."""

FactorLike: TypeAlias = "Expression | Sequence[Any]"
"""A factor beside a matrix: a matrix, or numbers in a list or in an array."""

SideLike: TypeAlias = "OperandLike | Sequence[Any]"
"""The other operand of an entry-by-entry operator."""

PlaceLike: TypeAlias = "SupportsIndex | Scalar | slice | Sequence[int] | EllipsisType | None"
"""An index in brackets after a matrix."""


class _Written(Formula):
    """A formula made by operators."""

    if not TYPE_CHECKING:  # a type checker knows by itself which attributes there are

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or "text" not in vars(self) or member("", name) is None:
                raise _no_attribute(self, name)
            return partial(_behind_a_dot, self, name)

    def __rpow__(self, other: object) -> Any:
        return signed_formula(other, "**", self)


class NoAttribute(FormulaError, AttributeError):
    """An attribute that formulas do not have; ``hasattr`` and similar checks return false."""


def _no_attribute(formula: Formula, name: str) -> AttributeError:
    if name.startswith("_") or "text" not in vars(formula):
        return AttributeError(name)
    about = f"{cut(formula.text)} has no attribute {name}"
    if name in ("mT", "H"):
        return NoAttribute(f"{about}: the transpose is {tight(formula.text)}.T, without parentheses")
    if name in TABLE:
        return NoAttribute(f"{about}: write {name}({cut(formula.text)}), with {name} imported from symattn")
    return NoAttribute(f"{about}: a formula has T and shape, and its values are in d.solve()")


@dataclass(frozen=True, eq=False, repr=False)
class Expression(_Written):
    """A matrix formula over names, with its shape; operators and functions of expressions return another one.

    ``+Q @ K.T`` changes nothing, but ``+(Q @ K.T) @ V`` is written with its parentheses.
    """

    term: Term
    """The SymPy formula, its shape, and its text in errors; of a batch that of its first matrix."""
    batch: Several | None = field(default=None, kw_only=True)
    """The matrices, where there are several along leading axes."""

    @property
    def shape(self) -> tuple[Size, ...]:
        """Rows and columns: whole numbers, or letters where the shape is general; before them the leading axes."""
        return self.term.shape.sizes if self.batch is None else tuple(axis.size for axis in self.batch.all_axes)

    @property
    def T(self) -> Expression:
        """The transpose: (m, n) → (n, m)."""
        return _expression(f"{tight(self.text)}.T", self)

    if TYPE_CHECKING:  # methods of the formula language: X.sum(axis=1)
        sum: ClassVar[Callable[..., Expression]]
        mean: ClassVar[Callable[..., Expression]]
        max: ClassVar[Callable[..., Expression]]
        min: ClassVar[Callable[..., Expression]]
        var: ClassVar[Callable[..., Expression]]
        std: ClassVar[Callable[..., Expression]]

    def __getitem__(self, places: PlaceLike | tuple[PlaceLike, ...]) -> Expression:
        """Return an entry, a row, a column, or some of them: counted from 0, as in NumPy."""
        several = places if isinstance(places, tuple) else (places,)
        if not several:
            raise FormulaError(f"{cut(self.text)}[…]: the brackets are empty: X[0] is the first row")
        texts, parts = zip(*(place_of(place, f"{cut(self.text)}[…]") for place in several), strict=True)
        return _expression(f"{tight(self.text)}[{', '.join(texts)}]", self, *(each for some in parts for each in some))

    def __matmul__(self, other: FactorLike) -> Expression:
        return as_expression(signed_formula(self, "@", other))

    def __rmatmul__(self, other: FactorLike) -> Expression:
        return as_expression(signed_formula(other, "@", self))

    def __add__(self, other: SideLike) -> Expression:
        return as_expression(signed_formula(self, "+", other))

    def __radd__(self, other: SideLike) -> Expression:
        return as_expression(signed_formula(other, "+", self))

    def __sub__(self, other: SideLike) -> Expression:
        return as_expression(signed_formula(self, "-", other))

    def __rsub__(self, other: SideLike) -> Expression:
        return as_expression(signed_formula(other, "-", self))

    def __mul__(self, other: SideLike) -> Expression:
        return as_expression(signed_formula(self, "*", other))

    def __rmul__(self, other: SideLike) -> Expression:
        return as_expression(signed_formula(other, "*", self))

    def __truediv__(self, other: SideLike) -> Expression:
        return as_expression(signed_formula(self, "/", other))

    def __rtruediv__(self, other: SideLike) -> Expression:
        return as_expression(signed_formula(other, "/", self))

    def __pow__(self, other: NumberLike) -> Expression:
        return as_expression(signed_formula(self, "**", other))

    def __neg__(self) -> Expression:
        return _expression(f"-{at(Precedence.SIGN, self.text)}", self)

    def __abs__(self) -> Expression:
        return _expression(f"abs({self.text})", self)

    def __pos__(self) -> Expression:
        return Expression(tight(self.text), self.owner, self.term, own=self.own)

    def __repr__(self) -> str:
        return f"Expression({self.text!r}, shape {self.term.shape if self.batch is None else self.batch.sizes})"

    def _repr_latex_(self) -> str:

        names = None if self.owner is None else self.owner.names
        step = None if self.owner is None else self.owner.plan.by_name.get(self.text)
        return f"$\\displaystyle {matrix_tex(self.term, names, None if step is None else step.formula)}$"


@dataclass(frozen=True, eq=False, repr=False)
class Scalar(_Written):
    """A number over sizes: a size such as d_k, a root of one, a quantity."""

    value: Expr
    """The SymPy number; a size is a symbol."""

    def __getitem__(self, places: object) -> NoReturn:
        raise FormulaError(f"{cut(self.text)} is a number and has no entries")

    def __matmul__(self, other: object) -> NoReturn:
        signed_formula(self, "@", other)
        raise AssertionError("a number is no factor of a matrix product")

    def __rmatmul__(self, other: object) -> NoReturn:
        signed_formula(other, "@", self)
        raise AssertionError("a number is no factor of a matrix product")

    @overload
    def __add__(self, other: Expression) -> Expression: ...
    @overload
    def __add__(self, other: NumberLike) -> Scalar: ...
    def __add__(self, other: Any) -> Any:
        return signed_formula(self, "+", other)

    @overload
    def __sub__(self, other: Expression) -> Expression: ...
    @overload
    def __sub__(self, other: NumberLike) -> Scalar: ...
    def __sub__(self, other: Any) -> Any:
        return signed_formula(self, "-", other)

    @overload
    def __mul__(self, other: Expression) -> Expression: ...
    @overload
    def __mul__(self, other: NumberLike) -> Scalar: ...
    def __mul__(self, other: Any) -> Any:
        return signed_formula(self, "*", other)

    def __rmul__(self, other: NumberLike) -> Scalar:
        return as_scalar(signed_formula(other, "*", self))

    @overload
    def __truediv__(self, other: Expression) -> Expression: ...
    @overload
    def __truediv__(self, other: NumberLike) -> Scalar: ...
    def __truediv__(self, other: Any) -> Any:
        return signed_formula(self, "/", other)

    def __rtruediv__(self, other: NumberLike) -> Scalar:
        return as_scalar(signed_formula(other, "/", self))

    def __radd__(self, other: NumberLike) -> Scalar:
        return as_scalar(signed_formula(other, "+", self))

    def __rsub__(self, other: NumberLike) -> Scalar:
        return as_scalar(signed_formula(other, "-", self))

    def __pow__(self, other: SupportsIndex) -> Scalar:
        return as_scalar(signed_formula(self, "**", other))

    def __neg__(self) -> Scalar:
        return as_scalar(made(f"-{at(Precedence.SIGN, self.text)}", self))

    def __pos__(self) -> Scalar:
        return self

    def __repr__(self) -> str:
        return f"Scalar({self.text!r})"

    def _repr_latex_(self) -> str:

        return f"$\\displaystyle {number_tex(self.value)}$"


def signed_formula(left: object, sign: str, right: object) -> Expression | Scalar:
    """Return ``left sign right`` as a formula. Raises parse errors, and an error for an operand that is not allowed."""
    one = formula_of(left, f"… {sign} {name_of(right)}")
    other = formula_of(right, f"{name_of(left)} {sign} …")
    return made(beside(one.text, sign, other.text), one, other)


def made(text: str, *parts: Formula, own: Mapping[str, Own] = MappingProxyType({})) -> Expression | Scalar:
    """Parse ``text``, made of ``parts``, into a formula; ``own`` has the user-defined operations that it calls.

    Raises :class:`~symattn.base.errors.FormulaError` where two operations have one name, and what reading a formula
    raises.
    """
    owner, known = common_owner(parts), dict(own)
    for part in parts:
        for name, each in part.own.items():
            if known.setdefault(name, each) != each:
                raise FormulaError(f"{cut(text)}: {name} is the name of two operations: give one of them another name")
    if owner is not None:
        for each in known.values():
            owner.take_operation(each)
        scope = owner.scope
    else:
        scope = Scope({}, operations={name: each.record for name, each in known.items()})
    value = read_any(text, scope)
    if isinstance(value, Several):
        return Expression(text, owner, value.parts[0], own=known, batch=value)
    if isinstance(value, Term):
        return Expression(text, owner, value, own=known)
    return Scalar(text, owner, value, own=known)


def _expression(text: str, *parts: Formula) -> Expression:
    return as_expression(made(text, *parts))


def as_expression(value: Expression | Scalar) -> Expression:
    """Return ``value``, a matrix. Raises :class:`~symattn.base.errors.FormulaError` for a number."""
    if isinstance(value, Expression):
        return value
    raise FormulaError(f"{cut(value.text)} is a number, expected a matrix")


def as_scalar(value: Expression | Scalar) -> Scalar:
    """Return ``value``, a number. Raises :class:`~symattn.base.errors.FormulaError` for a matrix."""
    if isinstance(value, Scalar):
        return value
    raise FormulaError(f"{cut(value.text)} is a matrix {value.term.shape}, expected a number")


def _behind_a_dot(formula: Formula, name: str, /, *values: object, **options: object) -> Expression | Scalar:
    """Write a method call in the formula language: X.sum(axis=1)."""
    texts = [*map(str, values), *(f"{key}={value}" for key, value in options.items())]
    for value in (*values, *options.values()):
        option_text(f"{cut(formula.text)}.{name}(…)", value)
    return made(f"{tight(formula.text)}.{name}({', '.join(texts)})", formula)


def option_text(where: str, value: object) -> str:
    """Write the value of an option. Raises :class:`~symattn.base.errors.FormulaError` for one of another type."""
    if not isinstance(value, bool | int | tuple | None):
        raise FormulaError(f"{where}: expected a whole number, True, False or None, came {cut(repr(value))}")
    return str(value)
