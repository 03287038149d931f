"""The functions of formulas as Python functions, one for each line of :data:`symattn.read.formula.functions.TABLE`.

>>> from symattn.api.authoring import Derivation
>>> S = Derivation(title="t").given("S", [["1", "2"]])
>>> FUNCTIONS["softmax"](S)
Expression('softmax(S)', shape (1, 2))
>>> FUNCTIONS["sqrt"](2)
Scalar('sqrt(2)')
>>> print(FUNCTIONS["softmax"].__doc__)
``softmax(S)``: softmax(S)_{ij} = exp(s_{ij}) / Σ_k exp(s_{ik}): (m, n) → (m, n).

Given SymPy matrices, a function returns a SymPy node.

>>> from sympy import MatrixSymbol
>>> X = MatrixSymbol("X", 2, 3)
>>> FUNCTIONS["softmax"](X * X.T)
Softmax(X*X.T)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import Parameter, Signature
from types import MappingProxyType
from typing import Any

from sympy import Add, Basic, Expr, ImmutableDenseMatrix, Integer, MatrixBase, MatrixExpr, Symbol

from symattn.api.authoring.draft import Own
from symattn.api.authoring.expression import Expression, Scalar, made, option_text
from symattn.api.authoring.parts import Formula, formula_of
from symattn.base import shapes
from symattn.base.errors import FormulaError, cut
from symattn.base.remembered import Named
from symattn.base.shapes import Axis, Shape
from symattn.operations.equations.tree import Operation
from symattn.operations.records import record_named, sentence
from symattn.operations.terms import Term, single, size_symbol
from symattn.read.formula import read_number
from symattn.read.formula.calling import Function
from symattn.read.formula.functions import TABLE
from symattn.read.formula.wrong import no_option


def is_sympy(values: Iterable[object]) -> bool:
    """Return whether a function is called with SymPy matrices: symbols or formulas over them."""
    return any(isinstance(value, MatrixExpr) for value in values)


def node(name: str, function: Function, given: Mapping[str, object]) -> Basic:
    """Return the node of a function for the given arguments, with the shapes checked."""
    reading = _Reading(name)
    if function.counts:
        raise reading.error("counts what a formula of a derivation takes: expected an Expression, not one of SymPy")
    built = function.build(reading, dict(given))
    expr = built.expr if isinstance(built, Term) else built
    return expr.xreplace(reading.sizes)


class _Reading:
    """Provides the context that a function of the formula language needs, for SymPy values."""

    kind = "formula"

    def __init__(self, name: str) -> None:
        self.name = name
        self.products: list[Callable[[], Expr]] = []
        self.kept: dict[MatrixExpr, Callable[[], Expr]] = {}
        self.sizes: dict[Symbol, Expr] = {}
        """The SymPy expression that each letter of a size stands for."""

    def error(self, what: str) -> FormulaError:
        return FormulaError(f"{self.name}(…): {what}")

    def scalar(self, value: Any) -> Expr:
        if isinstance(value, Basic) and value.free_symbols and not getattr(value, "is_Matrix", False):
            found: Expr = value
            return found
        part = formula_of(value, f"{self.name}(…)")
        if part.owner is not None:
            raise self.error(f"{cut(part.text)} belongs to a derivation, and a matrix of SymPy to none")
        return read_number(part.text)

    def matrix(self, value: Any, use: str) -> Term:
        if isinstance(value, Term):
            return value
        if isinstance(value, Formula):
            raise self.error(f"{cut(value.text)} belongs to a derivation, and a matrix of SymPy to none")
        if isinstance(value, MatrixBase):
            value = ImmutableDenseMatrix(value)
        elif not isinstance(value, MatrixExpr):
            raise self.error(f"{use}: {cut(str(value))} is a {type(value).__name__}, expected a matrix of SymPy")
        rows, columns = (Axis(self._size(length)) for length in value.shape)
        return Term(value, Shape(rows, columns), str(value))

    def term(self, value: Any, use: str) -> Term:
        is_number = isinstance(value, Expr) and not getattr(value, "is_Matrix", False)
        return single(value) if is_number else self.matrix(value, use)

    def axis(self, value: Any) -> Axis:
        return Axis(self._size(self.scalar(value)))

    def whole(self, value: Any) -> int:
        number = self.scalar(value)
        if not number.is_Integer:
            raise self.error(f"{cut(str(number))} is not a whole number")
        return int(number)

    def _size(self, length: Expr | int) -> shapes.Size:
        """Return a length as shapes have it: a number, or letters, each for an expression in ``sizes``."""
        parts: list[shapes.Size] = []
        for part in Add.make_args(Integer(length) if isinstance(length, int) else length):
            if part.is_Integer:
                parts.append(int(part))
                continue
            letter = str(part)
            self.sizes[size_symbol(letter)] = part
            parts.append(letter)
        return shapes.total_length(parts)


NUMBERS = frozenset({"sqrt", "multiplications", "kept"})
"""The functions whose value is a number."""

_SAID: Mapping[str, str] = MappingProxyType(
    {
        "sum": "The sum along an axis, or of all entries of a vector.",
        "mean": "The mean along an axis, or of all entries of a vector.",
        "max": "The largest entry along an axis, or of a vector; of several values the largest in each place.",
        "min": "The smallest entry along an axis, or of a vector; of several values the smallest in each place.",
        "var": "The variance along an axis, or of a vector: divided by n - ddof, which is n where nothing is said.",
        "std": "The standard deviation along an axis, or of a vector: the root of the variance.",
        "radians": "Degrees as radians: π/180 times them.",
        "degrees": "Radians as degrees: 180/π times them.",
        "argmax": "The column of the largest entry of each row, from 0: (m, n) → (m, 1).",
        "argmin": "The column of the smallest entry of each row, from 0: (m, n) → (m, 1).",
        "top_k": "1 where an entry is among the k largest of its row, 0 elsewhere: (m, n) → (m, n).",
        "sqrt": "The square root of a number, kept as a root, or of every entry: ``X / sqrt(d_k)``, ``sqrt(X)``.",
        "matrix_power": "A A … A, for a whole n from 1 up: (m, m) → (m, m).",
        "multiplications": "How many multiplications of two numbers the products in a formula take, for d.quantity(…).",
        "kept": "How many entries of a mask are 0, so that softmax sees them, for d.quantity(…).",
    }
)


def usage(name: str, function: Function) -> str:
    """Return the call of a function as text.

    >>> usage("layer_norm", TABLE["layer_norm"])
    'layer_norm(X, epsilon=…, gamma=…, beta=…)'
    """
    optional = [f"{parameter}=…" for parameter in function.parameters[function.needed :]]
    return f"{name}({', '.join([*function.required, *(['…'] if function.endless else []), *optional])})"


def documentation(name: str, function: Function, record: Operation | None = None) -> str:
    """Describe a function in a sentence, with its shapes; ``record`` is a user-defined operation."""
    record = record or (None if name in _SAID else record_named(name))
    said = _SAID[name] if record is None else sentence(record)
    return f"``{usage(name, function)}``: {said}"


def signature(function: Function) -> Signature:
    """Return the parameters as Python has them: optional ones default to ``None``."""
    optional = function.parameters[function.needed :]
    # An option may be None: that it is not given is something else.
    options = [Parameter(name, Parameter.KEYWORD_ONLY, default=...) for name in function.options]
    if not function.endless:
        kind = Parameter.POSITIONAL_OR_KEYWORD
        return Signature(
            [*(Parameter(name, kind) for name in function.required)]
            + [Parameter(name, kind, default=None) for name in optional]
            + options
        )
    return Signature(
        [*(Parameter(name, Parameter.POSITIONAL_ONLY) for name in function.required)]
        + [Parameter("more", Parameter.VAR_POSITIONAL)]
        + [Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in optional]
        + options
    )


def call_text(
    name: str,
    function: Function,
    values: tuple[object, ...],
    options: Mapping[str, object],
    own: Mapping[str, Own] = MappingProxyType({}),
) -> Expression | Scalar | Basic:
    """Return the formula that calls a function; ``own`` has the operation, if it is user-defined.

    Raises :class:`~symattn.base.errors.FormulaError` for options that it does not have and values that are missing.
    """
    for option in options:
        if option not in (*function.parameters, *function.options):
            wrong = no_option(name, option, function.settable, function.needed)
            raise FormulaError(f"{usage(name, function)}: {wrong}")
    try:
        bound = signature(function).bind(*values, **options).arguments
    except TypeError as error:
        raise FormulaError(f"{usage(name, function)}: {error}") from None
    needed = [*(bound[parameter] for parameter in function.required), *bound.get("more", ())]
    if is_sympy([*needed, *bound.values()]):
        said = {parameter: value for parameter, value in bound.items() if parameter != "more" and value is not None}
        return node(name, function, {**said, **{str(k): more for k, more in enumerate(bound.get("more", ()))}})
    parts = [formula_of(value, f"{name}(…)") for value in needed]
    named = {
        parameter: formula_of(bound[parameter], f"{name}(…, {parameter}=…)")
        for parameter in function.parameters[function.needed :]
        if bound.get(parameter) is not None
    }
    placed = function.parameters[function.needed :] if function.by_place else ()
    without = {key for key, wanted in zip(named, placed, strict=False) if key == wanted}
    texts = [part.text for part in parts]
    texts += [part.text if key in without else f"{key}={part.text}" for key, part in named.items()]
    texts += [f"{key}={option_text(f'{name}(…, {key}=…)', bound[key])}" for key in function.options if key in bound]
    return made(f"{name}({', '.join(texts)})", *parts, *named.values(), own=own)


def _made(name: str) -> Callable[..., Expression | Scalar | Basic]:
    function = TABLE[name]

    def call(*values: object, **options: object) -> Expression | Scalar | Basic:
        return call_text(name, function, values, options)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = documentation(name, function)
    call.__signature__ = signature(function)  # type: ignore[attr-defined]
    return call


FUNCTIONS: Mapping[str, Callable[..., Any]] = Named(TABLE, _made)
"""The functions by name, each made on first use."""
