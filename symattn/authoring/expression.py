"""Formulas under construction: what Python's operators make of names, sizes and numbers.

Every operator writes one longer formula and has it read by :mod:`symattn.formula`, the one place that knows what a
formula may be: shapes are checked, and errors worded, as in a file, at the line that makes them.

>>> from symattn.authoring import Derivation
>>> d = Derivation(title="Scores")
>>> Q, K = d.given("Q", [[1, 2], [3, 4]]), d.given("K", [[1, 2, 3]])
>>> (Q + Q) @ Q.T / 2
Expression('(Q + Q) @ Q.T / 2', shape (2, 2))
>>> Q @ K.T
Traceback (most recent call last):
    ...
symattn.errors.ShapeError: Q @ K.T: Q is (2, 2), K.T is (3, 1): the columns of the first are 2, the rows of the second 3
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from operator import index
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex, TypeAlias, cast, overload

from sympy import Rational, log

from symattn import limits
from symattn.authoring.draft import Manuscript, Own
from symattn.errors import FormulaError, cut, shown
from symattn.formula import Scope, read_any, read_number
from symattn.formula.batch import Several
from symattn.formula.functions import TABLE
from symattn.given import Given
from symattn.operations.terms import Term
from symattn.parentheses import Precedence, at, beside, tight
from symattn.shapes import Size

if TYPE_CHECKING:
    from sympy import Expr


NumberLike: TypeAlias = "Scalar | SupportsIndex | Fraction | Decimal"
"""What may stand in a formula beside matrices: a size, ``sqrt(…)``, whole numbers, fractions, decimals.

A number of SymPy may stand there too; its types are not known to type checkers.
"""

OperandLike: TypeAlias = "Expression | NumberLike"
"""What a function of formulas is given."""


@dataclass(frozen=True, eq=False, repr=False)
class Formula:
    """A text of the formula language, and whose names are in it."""

    text: str
    owner: Manuscript | None
    own: Mapping[str, Own] = field(default_factory=dict, kw_only=True)
    """Operations of one's own that are called in it."""

    __hash__ = object.__hash__

    # What NumPy must not take apart: ``array @ X`` is answered by X.
    __array_ufunc__ = None

    def _no_comparison(self, other: object) -> NoReturn:
        raise FormulaError(
            f"{cut(self.text)}: formulas are not compared with == or <: d.prove(left, right) proves two equal, and "
            "numbers are compared in d.solve()"
        )

    __lt__ = __le__ = __gt__ = __ge__ = _no_comparison
    __eq__ = __ne__ = _no_comparison

    def __bool__(self) -> bool:
        raise FormulaError(f"{cut(self.text)}: a formula is neither true nor false: it has values in d.solve()")

    def __getitem__(self, key: object) -> NoReturn:
        raise FormulaError(
            f"{cut(self.text)}: a formula has no entries to take out: row(X, 1) is a row of X, head(X, 1, h) a block "
            'of columns, and d.solve()["X"] has the values'
        )

    def __xor__(self, other: object) -> NoReturn:
        raise FormulaError(
            f"{cut(self.text)} ^ …: in Python a power is written {tight(self.text)} ** 2, and the transpose "
            f"{tight(self.text)}.T"
        )

    __rxor__ = __xor__

    def __call__(self, *values: object, **options: object) -> NoReturn:
        raise FormulaError(f"{cut(self.text)}(…): a formula is not called; the transpose is X.T, without parentheses")

    if not TYPE_CHECKING:  # a type checker knows by itself which attributes there are

        def __getattr__(self, name: str) -> NoReturn:
            raise _no_attribute(self, name)

    def __rmatmul__(self, other: object) -> Any:
        return joined(other, "@", self)

    def __radd__(self, other: Any) -> Any:
        return joined(other, "+", self)

    def __rsub__(self, other: Any) -> Any:
        return joined(other, "-", self)

    def __rtruediv__(self, other: Any) -> Any:
        return joined(other, "/", self)

    def __rpow__(self, other: object) -> Any:
        return joined(other, "**", self)


class NoAttribute(FormulaError, AttributeError):
    """An attribute that formulas do not have; whoever asks whether they have it, as ``hasattr`` does, is told no."""


def _no_attribute(formula: Formula, name: str) -> AttributeError:
    if name.startswith("_") or "text" not in vars(formula):
        return AttributeError(name)
    about = f"{cut(formula.text)} has no attribute {name}"
    if name in ("t", "mT", "H", "transpose", "permute"):
        return NoAttribute(f"{about}: the transpose is {tight(formula.text)}.T, without parentheses")
    if name in TABLE:
        return NoAttribute(f"{about}: write {name}({cut(formula.text)}), with {name} imported from symattn")
    return NoAttribute(f"{about}: a formula has T and shape, and its values are in d.solve()")


@dataclass(frozen=True, eq=False, repr=False)
class Expression(Formula):
    """A matrix formula over names, with its shape; what operators and functions of expressions make is one again.

    ``+Q @ K.T`` changes nothing, but ``+(Q @ K.T) @ V`` is written with its parentheses.
    """

    term: Term
    """The formula as SymPy has it, its shape, and how errors call it; of a batch that of its first matrix."""
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

    def __matmul__(self, other: Expression) -> Expression:
        return as_expression(joined(self, "@", other))

    def __add__(self, other: Expression) -> Expression:
        return as_expression(joined(self, "+", other))

    def __sub__(self, other: Expression) -> Expression:
        return as_expression(joined(self, "-", other))

    def __mul__(self, other: NumberLike) -> Expression:
        return as_expression(joined(self, "*", other))

    def __rmul__(self, other: NumberLike) -> Expression:
        return as_expression(joined(other, "*", self))

    def __truediv__(self, other: NumberLike) -> Expression:
        return as_expression(joined(self, "/", other))

    def __pow__(self, other: SupportsIndex) -> Expression:
        return as_expression(joined(self, "**", other))

    def __neg__(self) -> Expression:
        return _expression(f"-{at(Precedence.SIGN, self.text)}", self)

    def __pos__(self) -> Expression:
        return Expression(tight(self.text), self.owner, self.term, own=self.own)

    def __repr__(self) -> str:
        return f"Expression({self.text!r}, shape {self.term.shape if self.batch is None else self.batch.sizes})"

    def _repr_latex_(self) -> str:
        from symattn.authoring.display import matrix_tex

        names = None if self.owner is None else self.owner.names
        step = None if self.owner is None else self.owner.plan.by_name.get(self.text)
        return f"$\\displaystyle {matrix_tex(self.term, names, None if step is None else step.formula)}$"


@dataclass(frozen=True, eq=False, repr=False)
class Scalar(Formula):
    """A number over sizes: a size such as d_k, a root of one, a quantity."""

    value: Expr
    """The number as SymPy has it; a size is a symbol."""

    def __matmul__(self, other: object) -> NoReturn:
        joined(self, "@", other)
        raise AssertionError("a number is no factor of a matrix product")

    def __add__(self, other: NumberLike) -> Scalar:
        return as_scalar(joined(self, "+", other))

    def __sub__(self, other: NumberLike) -> Scalar:
        return as_scalar(joined(self, "-", other))

    @overload
    def __mul__(self, other: Expression) -> Expression: ...
    @overload
    def __mul__(self, other: NumberLike) -> Scalar: ...
    def __mul__(self, other: Any) -> Any:
        return joined(self, "*", other)

    def __rmul__(self, other: NumberLike) -> Scalar:
        return as_scalar(joined(other, "*", self))

    def __truediv__(self, other: NumberLike) -> Scalar:
        return as_scalar(joined(self, "/", other))

    def __rtruediv__(self, other: NumberLike) -> Scalar:
        return as_scalar(joined(other, "/", self))

    def __radd__(self, other: NumberLike) -> Scalar:
        return as_scalar(joined(other, "+", self))

    def __rsub__(self, other: NumberLike) -> Scalar:
        return as_scalar(joined(other, "-", self))

    def __pow__(self, other: SupportsIndex) -> Scalar:
        return as_scalar(joined(self, "**", other))

    def __neg__(self) -> Scalar:
        return as_scalar(made(f"-{at(Precedence.SIGN, self.text)}", self))

    def __pos__(self) -> Scalar:
        return self

    def __repr__(self) -> str:
        return f"Scalar({self.text!r})"

    def _repr_latex_(self) -> str:
        from symattn.authoring.display import number_tex

        return f"$\\displaystyle {number_tex(self.value)}$"


def joined(left: object, sign: str, right: object) -> Expression | Scalar:
    """``left sign right`` as a formula. Raises what reading a formula raises, and says what cannot stand in one."""
    one = formula_of(left, f"… {sign} {_name_of(right)}")
    other = formula_of(right, f"{_name_of(left)} {sign} …")
    return made(beside(one.text, sign, other.text), one, other)


def made(text: str, *parts: Formula, own: Mapping[str, Own] = MappingProxyType({})) -> Expression | Scalar:
    """The formula that ``text`` writes, which is made of ``parts``; ``own`` is what it calls of one's own.

    Raises :class:`~symattn.errors.FormulaError` where two operations have one name, and what reading a formula raises.
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
    """``value``, a matrix. Raises :class:`~symattn.errors.FormulaError` for a number."""
    if isinstance(value, Expression):
        return value
    raise FormulaError(f"{cut(value.text)} is a number, expected a matrix")


def as_scalar(value: Expression | Scalar) -> Scalar:
    """``value``, a number. Raises :class:`~symattn.errors.FormulaError` for a matrix."""
    if isinstance(value, Scalar):
        return value
    raise FormulaError(f"{cut(value.text)} is a matrix {value.term.shape}, expected a number")


def common_owner(parts: tuple[Formula, ...]) -> Manuscript | None:
    """The derivation whose names are in ``parts``. Raises :class:`~symattn.errors.FormulaError` where there are two."""
    first: Formula | None = None
    for part in parts:
        if part.owner is None:
            continue
        if first is not None and part.owner is not first.owner:
            raise FormulaError(
                f"{cut(first.text)} and {cut(part.text)} belong to two derivations, {_title(first)} and "
                f'{_title(part)}: a formula has the names of one; d["X"] is the X of the derivation d'
            )
        first = part if first is None else first
    return None if first is None else first.owner


def _title(part: Formula) -> str:
    return shown(part.owner.title if part.owner is not None else "")


# -- numbers beside matrices ---------------------------------------------------------------------------------------


def formula_of(value: object, where: str) -> Formula:
    """``value`` as a part of a formula: an expression or an exact number. ``where`` is what an error says it is for.

    Raises :class:`~symattn.errors.FormulaError` for anything else: floats, texts, matrices without a name.
    """
    if isinstance(value, Formula):
        return value
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        raise FormulaError(f"{where}: {value} is neither a matrix nor a number")
    if isinstance(value, Fraction):
        parts = [_integer(part, where).text for part in (value.numerator, value.denominator)]
        return Formula("/".join(parts if value.denominator != 1 else parts[:1]), None)
    if isinstance(value, Decimal):
        return _decimal(value, where)
    if isinstance(value, float) or type(value).__name__.startswith("float"):
        raise FormulaError(f"{where}: {_about_float(value)}")
    if isinstance(value, str):
        raise FormulaError(
            f"{where}: {shown(value)} is a text and cannot stand beside an expression: a number is written 2, sqrt(2) "
            'or Fraction("0.1"), a matrix gets its name by d.given(…), and d["X"] is the matrix named X'
        )
    if hasattr(value, "is_Matrix") and hasattr(value, "free_symbols"):
        return _of_sympy(value, where)
    if isinstance(value, list | tuple | Given) or hasattr(value, "tolist"):
        return _whole_or_unnamed(value, where)
    try:
        return _integer(index(cast(SupportsIndex, value)), where)
    except TypeError:
        kind = type(value).__name__
        if (called := getattr(value, "__name__", "")) in TABLE:
            raise FormulaError(f"{where}: {called} is a function: write {called}(…)") from None
        raise FormulaError(f"{where}: a {kind} cannot stand in a formula; {_EXPECTED}") from None


_EXPECTED = "expected an expression, a whole number, a Fraction or a Decimal"


def _integer(value: int, where: str) -> Formula:
    if value.bit_length() > limits.FORMULA_LENGTH * 3:
        raise FormulaError(f"{where}: a whole number longer than FORMULA_LENGTH = {limits.FORMULA_LENGTH} characters")
    return Formula(str(value), None)


def _decimal(value: Decimal, where: str) -> Formula:
    if not value.is_finite():
        raise FormulaError(f"{where}: {value} is not a number; minus infinity is the default of a mask: causal_mask(n)")
    if abs(value.adjusted()) > limits.FORMULA_LENGTH:
        raise FormulaError(f"{where}: a decimal longer than FORMULA_LENGTH = {limits.FORMULA_LENGTH} characters")
    return Formula(format(value, "f"), None)


def _of_sympy(value: Any, where: str) -> Formula:
    """An exact number of SymPy, written in the formula language."""
    if value.is_Matrix:
        raise FormulaError(f'{where}: a SymPy matrix has no name: M = d.given("M", …) gives it one')
    for number in value.atoms(Rational):
        _integer(max(abs(int(number.p)), int(number.q)), where)
    text = str(value)
    if value.free_symbols:  # the symbols of a derivation, which the formula is read with; every other is unknown there
        return Formula(text, None)
    try:
        same = read_number(text) == value
    except FormulaError:
        same = False
    if not same or value.has(log):
        raise FormulaError(f"{where}: {cut(text)} is not a number made of fractions, roots and powers")
    return Formula(text, None)


def _whole_or_unnamed(value: Any, where: str) -> Formula:
    """A whole number of NumPy; any other list of numbers must get a name first."""
    try:
        return _integer(index(value), where)
    except TypeError:
        raise FormulaError(
            f"{where}: a matrix without a name ({type(value).__name__}), and formulas are made of names: "
            'M = d.given("M", …) gives it one'
        ) from None


def _about_float(value: object) -> str:
    if not isfinite(cast(float, value)):
        return f"{value} is not a number; minus infinity is the default of a mask: causal_mask(n)"
    if isinstance(value, float) and value.is_integer():
        return f"{float(value)!r} is a binary float: write {int(value)}"
    text = repr(float(value)) if isinstance(value, float) else str(value)
    return (
        f"{text} is a binary float and no longer the number that was meant: write sqrt(2) (of symattn) for a root, "
        f'Fraction("{text}") or Decimal("{text}") for a decimal'
    )


def _name_of(value: object) -> str:
    return cut(value.text) if isinstance(value, Formula) else "…"
