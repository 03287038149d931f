"""Functions that are not operations with one record: sums with an axis, angles, choices, numbers, counts.

>>> sorted(SPECIAL)[:3], SPECIAL["sum"].options
(['argmax', 'argmin', 'causal_mask'], ('axis', 'dim', 'keepdims', 'keepdim'))
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial, reduce
from math import inf
from types import MappingProxyType
from typing import Any, cast

from sympy import Add, Expr, Integer, Max, Min, Mul, Pow, cos, log, pi, sin, tan
from sympy.functions.elementary.trigonometric import TrigonometricFunction

from symattn.base import limits
from symattn.base.errors import cut
from symattn.base.parentheses import beside
from symattn.operations import terms
from symattn.operations.terms import Term, size_number
from symattn.read.formula.arithmetic import OPERATORS, Side, SignReading, root_call
from symattn.read.formula.axes import AXIS, DDOF, KEPT, Along, Rule, of_each_and_all, options_of, the_only
from symattn.read.formula.broadcast import aligned
from symattn.read.formula.calling import FormulaReading, Function, call, is_number, of_ours

# -- numbers and counts -----------------------------------------------------------------------------------------


def _build_sqrt(reader: FormulaReading, given: dict[str, Any]) -> Term | Expr:
    if not is_number(given["X"]):
        return of_ours("sqrt").build(reader, given)
    return root_call(reader, reader.scalar(given["X"]))


def _build_log(reader: FormulaReading, given: dict[str, Any]) -> Term | Expr:
    if reader.kind != "number":
        return of_ours("log").build(reader, given)
    number = reader.scalar(given["X"])
    if not (number.is_Rational and number > 0):
        raise reader.error(f"log({cut(str(number))}): expected the logarithm of a positive fraction, as in log(3/2)")
    if max(number.p, number.q) >= 10**limits.RADICAND_DIGITS:
        limit = f"RADICAND_DIGITS = {limits.RADICAND_DIGITS}"
        raise reader.error(f"the number in the logarithm has more than {limit} digits")
    return log(number)


def power_of_logarithms(number: Expr) -> float:
    """Return the highest power of logarithms in a number when expanded; infinite if one is in a denominator.

    >>> [power_of_logarithms(x) for x in (2 * log(3) + 1, log(2) * (1 + log(3)) ** 2, 1 / log(2))]
    [1, 3, inf]
    """
    if not number.has(log):
        return 0
    if isinstance(number, Add):
        return max(map(power_of_logarithms, number.args))
    if isinstance(number, Mul):
        return sum(map(power_of_logarithms, number.args))
    if isinstance(number, Pow) and number.exp.is_Integer and number.exp > 0:
        return int(number.exp) * power_of_logarithms(number.base)
    return 1 if isinstance(number, log) and number.args[0].is_Rational else inf


def _build_multiplications(reader: FormulaReading, given: dict[str, Any]) -> Expr:
    _must_be_formula(reader, "multiplications")
    reader.matrix(given["X"], "multiplications")
    return terms.total_cost([cost() for cost in given["products"]])


def _build_matrix_power(reader: FormulaReading, given: dict[str, Any]) -> Term:
    base, exponent = reader.matrix(given["A"], "matrix_power"), reader.whole(given["n"])
    reader.products.append(partial(terms.power_cost, base, exponent))
    return terms.power_term(base, exponent)


def _must_be_formula(reader: FormulaReading, function: str) -> None:
    if reader.kind == "number":
        raise reader.error(f"{function}(…) is about a formula; write digits, fractions, sqrt(…) and powers")


def _build_kept(reader: FormulaReading, given: dict[str, Any]) -> Expr:
    _must_be_formula(reader, "kept")
    mask = reader.matrix(given["M"], "kept").expr
    return reader.kept[mask]() if mask in reader.kept else terms.Kept(mask)


# -- along an axis ----------------------------------------------------------------------------------------------


def sign(operator: type[ast.operator]) -> Function:
    """Return a sign as a function: matmul(X, Y), add(X, Y)."""
    return Function(("X", "Y"), 2, lambda reader, given: signed(operator, reader, given["X"], given["Y"]))


def signed(operator: type[ast.operator], reader: FormulaReading, *values: Any) -> Side:
    """Apply a sign to two values."""
    left, right = (value if isinstance(value, Term) else reader.scalar(value) for value in values)
    written = ast.BinOp(ast.Name(""), operator(), ast.Name(""))
    return OPERATORS[operator](cast(SignReading, reader), left, right, written)


def _along(name: str, x: Any, reader: FormulaReading, given: Mapping[str, Any], of_rows: Rule, of_all: Rule) -> Term:
    along = Along(name, of_rows, reduces=True, of_all=of_all, usual="all")
    return along.applied(reader, reader.term(x, name), given)


def _build_reduced(name: str, reader: FormulaReading, given: dict[str, Any]) -> Term:
    """Build a sum, mean, maximum or minimum: over all entries it is the same of those of the rows."""
    of_rows = partial(call, f"row_{name}", reader)
    return _along(name, given["X"], reader, given, of_rows, of_each_and_all(of_rows))


def _build_variance(name: str, reader: FormulaReading, given: dict[str, Any]) -> Term:
    correction = _correction(name, reader, given)
    finish: Rule = partial(call, "sqrt", reader) if name == "std" else lambda x: x

    def of_rows(x: Term) -> Term:
        return finish(call("row_var", reader, x, *([correction] if correction else [])))

    def of_all(x: Term) -> Term:
        mean = _build_reduced("mean", reader, {"X": x, "axis": None})
        squares = call("power", reader, terms.difference(*aligned(x, mean, "-")), Integer(2))
        rows, columns = map(size_number, x.shape.sizes)
        total = _build_reduced("sum", reader, {"X": squares, "axis": None})
        return finish(terms.quotient(total, rows * columns - correction))

    found = _along(name, given["X"], reader, given, of_rows, of_all)
    return replace(found, text=f"{found.text.removesuffix(')')}{options_of(given, DDOF)})")


def _correction(name: str, reader: FormulaReading, given: Mapping[str, Any]) -> Expr:
    """Return 1 for a variance that divides by n - 1, 0 for one that divides by n, which is NumPy's default."""
    key = the_only(reader, name, given, DDOF)
    if key is None and given.keys() & {"dim", "keepdim"}:
        options = options_of(given, [each for each in given if each != "X"])
        n, less = (f"{name}({reader.term(given['X'], name).text}{options}, correction={k})" for k in (0, 1))
        raise reader.error(f"{name} with dim divides by n, {n}, or by n - 1, as PyTorch does, {less}: write which")
    value = given[key] if key is not None else 0
    if isinstance(value, bool) is not (key == "unbiased") or not isinstance(value, int):
        wanted = "True or False" if key == "unbiased" else "a whole number"
        raise reader.error(f"{name}: {key} is {value}: expected {wanted}")
    return Integer(int(value))


def _build_argmax(of: Callable[[Term], Term], name: str, reader: FormulaReading, given: dict[str, Any]) -> Term:
    along = Along(name, lambda x: terms.argmax(of(x)), reduces=True)
    x = reader.matrix(given["X"], name)
    return along.applied(reader, x, given) if given.keys() & {*AXIS, *KEPT} or x.shape.ndim < 2 else along.of_rows(x)


def _build_top_k(reader: FormulaReading, given: dict[str, Any]) -> Term:
    count = reader.whole(given["k"])
    along = Along("top_k", lambda x: terms.top_k(x, count), reduces=False)
    found = along.applied(reader, reader.matrix(given["P"], "top_k"), given)
    return replace(found, text=f"top_k({reader.matrix(given['P'], 'top_k').text}, {count}{options_of(given, AXIS)})")


def _build_diag(reader: FormulaReading, given: dict[str, Any]) -> Term:
    """Build the diagonal matrix of a vector; refuse NumPy's diagonal of a matrix, which has the same name."""
    x = reader.matrix(given["x"], "diag")
    rows, columns = x.shape.sizes
    if rows == columns != 1:
        only = beside(x.text, "*", f"identity({rows})")
        raise reader.error(
            f"diag({x.text}): {x.operand}: the diagonal of a square matrix is sum({only}, axis=1), "
            f"and the matrix with nothing but its diagonal {only}"
        )
    return cast(Term, of_ours("diag").build(reader, given))


# -- the larger of two, angles, masks ---------------------------------------------------------------------------


def _build_chosen(name: str, reader: FormulaReading, given: dict[str, Any]) -> Term | Expr:
    """Build max(X) over entries, or max(X, Y) place by place."""
    others = [value for key, value in given.items() if key.isdigit()]
    if not others:
        return _build_reduced(name, reader, given)
    if found := given.keys() & {*AXIS, *KEPT}:
        raise reader.error(f"{name}: {min(found)} is for the entries of one matrix, and here are several")
    if isinstance(given["X"], Term) and given["X"].shape.ndim and others[0] in (0, 1, -1):
        ways = (f"{name}({given['X'].text}, axis={others[0]})", f"{name}imum({given['X'].text}, {others[0]})")
        raise reader.error(f"{name}({given['X'].text}, {others[0]}) can mean two things: write {' or '.join(ways)}")
    return cast(Term | Expr, reduce(partial(_of_two, f"{name}imum", reader), others, given["X"]))


def _of_two(name: str, reader: FormulaReading, one: Any, other: Any) -> Term | Expr:
    """Return the larger or the smaller of two; the larger of x and 0 is ReLU."""
    if is_number(one) and is_number(other):
        numbers = [reader.scalar(value) for value in (one, other)]
        if all(number.is_Rational for number in numbers):
            return {"maximum": Max, "minimum": Min}[name](*numbers)
    if name == "maximum" and 0 in (one, other):
        return call("relu", reader, other if one == 0 else one)
    return of_ours(name).build(reader, {"X": one, "Y": other})


def _build_of_two(name: str, reader: FormulaReading, given: dict[str, Any]) -> Term | Expr:
    return _of_two(name, reader, given["X"], given["Y"])


def _build_of_angle(name: str, of_number: type[Expr], reader: FormulaReading, given: dict[str, Any]) -> Side:
    """Build a sine; that of a number is a number if it has only roots: cos(pi/3) is 1/2."""
    if is_number(given["X"]):
        found = of_number(cast(SignReading, reader).finite(reader.scalar(given["X"]), f"{name}:"))
        if not found.has(TrigonometricFunction):
            return cast(SignReading, reader).real(found)
    return of_ours(name).build(reader, given)


def _build_turned(name: str, factor: Expr, reader: FormulaReading, given: dict[str, Any]) -> Side:
    """Convert degrees to radians, or radians to degrees."""
    if is_number(given["X"]):
        return cast(SignReading, reader).real(reader.scalar(given["X"]) * factor)
    angles = reader.matrix(given["X"], name)
    return replace(terms.multiple(factor, angles), text=f"{name}({angles.text})")


def _build_causal_mask(reader: FormulaReading, given: dict[str, Any]) -> Side:
    """Build a mask; a second value is the number of keys, or, if negative, the value of hidden entries."""
    m = given.get("m")
    if isinstance(m, Expr) and m.is_extended_negative and "value" not in given:
        given = {"n": given["n"], "value": m}
    elif m is not None:
        keys, queries = reader.axis(m), reader.axis(given["n"])
        if keys.size != queries.size:
            return of_ours("cached_mask").build(reader, given)
    return of_ours("causal_mask").build(reader, given)


def _reduced(name: str, build: Callable[..., Any], *more: str, endless: bool = False) -> Function:
    return Function(("X",), 1, partial(build, name), endless, options=(*AXIS, *KEPT, *more), placed=not endless)


SPECIAL: Mapping[str, Function] = MappingProxyType(
    {
        **{name: _reduced(name, _build_reduced) for name in ("sum", "mean")},
        **{name: _reduced(name, _build_chosen, endless=True) for name in ("max", "min")},
        **{name: _reduced(name, _build_variance, *DDOF) for name in ("var", "std")},
        **{name: Function(("X", "Y"), 2, partial(_build_of_two, name)) for name in ("maximum", "minimum")},
        **{of.__name__: Function(("X",), 1, partial(_build_of_angle, of.__name__, of)) for of in (sin, cos, tan)},
        "radians": Function(("X",), 1, partial(_build_turned, "radians", pi / 180)),
        "degrees": Function(("X",), 1, partial(_build_turned, "degrees", 180 / pi)),
        "log": Function(("X",), 1, _build_log),
        "argmax": _reduced("argmax", partial(_build_argmax, lambda x: x)),
        "argmin": _reduced("argmin", partial(_build_argmax, partial(terms.multiple, Integer(-1)))),
        "top_k": Function(("P", "k"), 2, _build_top_k, options=AXIS),
        "sqrt": Function(("X",), 1, _build_sqrt),
        "diag": Function(("x",), 1, _build_diag),
        "matrix_power": Function(("A", "n"), 2, _build_matrix_power),
        "multiplications": Function(("X",), 1, _build_multiplications, counts=True),
        "kept": Function(("M",), 1, _build_kept, counts=True),
        "causal_mask": Function(("n", "m", "value"), 1, _build_causal_mask, by_place=True),
    }
)
"""Functions that are not operations, or more than one, with their parameters."""

OPEN = frozenset(
    {"sum", "mean", "max", "min", "var", "std", "argmin", "maximum", "minimum", "sin", "cos", "tan", "radians"}
    | {"degrees", "row_sum", "row_mean", "row_min", "row_var", "cached_mask"}
)
"""Names that matrices and user-defined operations may have nevertheless: many had them first."""
