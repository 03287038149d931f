"""Functions by their names in NumPy, PyTorch and Python's math, including those that differ from ours.

>>> known("eye").parameters, member("np", "var").usual, member("torch", "var").usual
(('n',), {'axis': None}, {'axis': None, 'ddof': 1})
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, cast

from sympy import Expr, Integer, S, oo, pi

from symattn.base import limits
from symattn.base.parentheses import tight
from symattn.operations import terms
from symattn.operations.records import OURS
from symattn.operations.terms import Term
from symattn.read.formula.axes import AXIS, axis_of
from symattn.read.formula.broadcast import as_column, as_row
from symattn.read.formula.calling import FormulaReading, Function, call, concatenated, of_ours, vector_of
from symattn.read.formula.heads import MADE, PLACES, new_places
from symattn.read.formula.special import SPECIAL, sign, signed

# -- joining matrices, and constant ones -----------------------------------------------------------------------------


def _parts(name: str, reader: FormulaReading, given: Mapping[str, Any]) -> list[Term]:
    values = given["arrays"]
    if not isinstance(values, tuple) or not values:
        raise reader.error(f"{name}: expected a list of matrices, as in {name}([X, Y])")
    return [reader.term(value, name) for value in values]


def _build_concatenate(name: str, reader: FormulaReading, given: dict[str, Any]) -> Term:
    parts = _parts(name, reader, given)
    axis = axis_of(given, 0)
    ndims = {part.shape.ndim for part in parts}
    if len(ndims) > 1 or ndims == {0}:
        raise reader.error(f"{name}: {parts[0].operand}, {parts[-1].operand}: expected matrices only, or vectors only")
    if axis not in ((0, 1, -1, -2) if ndims == {2} else (0, -1)):
        raise reader.error(f"{name}: the axis is {axis}: expected 0, below each other, or 1, side by side")
    return concatenated(reader, "stack" if ndims == {2} and axis in (0, -2) else "concat", parts)


def _build_stack(name: str, usual: int, reader: FormulaReading, given: dict[str, Any]) -> Term:
    """Stack vectors as rows, or as columns along the last axis; matrices unchanged."""
    parts = _parts(name, reader, given)
    if name == "stack" and any(part.shape.ndim != 1 for part in parts):
        raise reader.error(
            "stack puts matrices along a third axis: below each other they are concatenate([…]), side by side "
            "concatenate([…], axis=1)"
        )
    axis = axis_of(given, usual)
    if axis not in (0, 1, -1, -2):
        raise reader.error(f"{name}: the axis is {axis}: expected 0 or 1")
    lying = [(as_row if axis in (0, -2) else as_column)(part) for part in parts]
    found = concatenated(reader, "stack" if axis in (0, -2) else "concat", [part.of_ndim(2) for part in lying])
    if axis in (0, -2):
        return found
    return replace(found, text=f"column_stack([{', '.join(part.text for part in parts)}])")


def _build_hstack(reader: FormulaReading, given: dict[str, Any]) -> Term:
    """Put vectors one after the other, matrices side by side."""
    parts = _parts("hstack", reader, given)
    return _build_concatenate("hstack", reader, {**given, "axis": 1 if parts[0].shape.ndim == 2 else 0})


def _build_filled(name: str, value: Callable[[Mapping[str, Any]], Any], reader: FormulaReading, given: Any) -> Term:
    """Build ones(m, n), ones((m, n)), and a vector ones(n)."""
    sizes = given["m"] if isinstance(given["m"], tuple) else tuple(given[key] for key in ("m", "n") if key in given)
    if len(sizes) not in (1, 2):
        raise reader.error(f"{name}: a matrix has two axes, rows and columns, and a vector one: came {len(sizes)}")
    rows, columns = (sizes[0], sizes[1]) if len(sizes) == 2 else (S.One, sizes[0])
    ones = call("ones", reader, rows, columns)
    number = reader.scalar(value(given))
    return (ones if number == 1 else terms.multiple(number, ones)).of_ndim(len(sizes))


def _build_arange(reader: FormulaReading, given: dict[str, Any]) -> Term:
    """Return the numbers 0, 1, … below a whole number."""
    count = reader.whole(given["n"])
    if not 1 <= count <= limits.LIST_ENTRIES:
        raise reader.error(f"arange({count}): expected a whole number from 1 to {limits.LIST_ENTRIES}")
    return vector_of(reader, [Integer(k) for k in range(count)])


# -- products, transposes, arithmetic -------------------------------------------------------------------------


def _build_dot(reader: FormulaReading, given: dict[str, Any]) -> Any:
    """Build NumPy's dot: a product of matrices, or a multiple if one side is a number."""
    sides = given["X"], given["Y"]
    is_number = any(not isinstance(side, Term) or side.shape.ndim == 0 for side in sides)
    return signed(ast.Mult if is_number else ast.MatMult, reader, *sides)


def _build_outer(reader: FormulaReading, given: dict[str, Any]) -> Any:
    one, other = reader.matrix(given["X"], "outer"), reader.matrix(given["Y"], "outer")
    for side in (one, other):
        if 1 not in side.shape.sizes:
            raise reader.error(f"outer: {side.operand}: expected a vector, a row or a column")
    column = one if one.shape.columns.size == 1 else terms.transpose(one)
    row = other if other.shape.rows.size == 1 else terms.transpose(other)
    found = signed(ast.MatMult, reader, column.of_ndim(2), row.of_ndim(2))
    return replace(cast(Term, found), text=f"outer({one.text}, {other.text})")


def _build_inner(reader: FormulaReading, given: dict[str, Any]) -> Any:
    one, other = reader.matrix(given["X"], "inner"), reader.matrix(given["Y"], "inner")
    return signed(ast.MatMult, reader, one, other if other.shape.ndim == 1 else terms.transpose(other))


def _build_transpose(name: str, reader: FormulaReading, given: dict[str, Any]) -> Term:
    places = tuple(given[key] for key in PLACES if key in given)
    is_order = len(places) == 1 and isinstance(places[0], tuple)
    axes = tuple(new_places(given))
    x = reader.matrix(given["X"], name)
    order = [axis % 2 for axis in axes if type(axis) is int and -2 <= axis < 2]
    if axes and (x.shape.ndim != 2 or sorted(order) != [0, 1] or len(order) != len(axes)):
        raise reader.error(f"{name}: the axes of {x.text} are {axes}: expected 0 and 1, or -2 and -1")
    # -2 and -1 are always meant as PyTorch's last two axes, not as the order of all axes.
    if order != [0, 1] or name == "swapaxes" or axes == (-2, -1):
        return terms.transpose(x)
    if not is_order and name == "transpose":
        raise reader.error(
            f"{name} with {axes[0]}, {axes[1]} can mean two things: write {tight(x.text)}.T, as in PyTorch, where they "
            f"change places, or {x.text} alone, as in NumPy, where they are the new order"
        )
    return x


def _build_logarithm(base: int, reader: FormulaReading, given: dict[str, Any]) -> Any:
    below = call("log", reader, terms.single(Integer(base)))
    return signed(ast.Div, reader, call("log", reader, given["X"]), below)


def _build_clip(reader: FormulaReading, given: dict[str, Any]) -> Any:
    above = SPECIAL["maximum"].build(reader, {"X": given["X"], "Y": given["least"]})
    return SPECIAL["minimum"].build(reader, {"X": above, "Y": given["most"]})


def _build_torch_max(name: str, reader: FormulaReading, given: dict[str, Any]) -> Any:
    """Build torch.max: the larger entries of two matrices, or the largest entry of one; PyTorch's tuple is refused."""
    if given.keys() & {*AXIS} or ("Y" in given and not isinstance(given["Y"], Term)):
        wanted = f"write torch.a{name}(X, dim=…) or {name}(X, axis=…)"
        raise reader.error(f"torch.{name} along an axis gives values and places: {wanted}")
    if "Y" in given:
        return SPECIAL[f"{name}imum"].build(reader, given)
    return SPECIAL[name].build(reader, {**given, "axis": None})


def _build_with_dim(name: str, reader: FormulaReading, given: dict[str, Any]) -> Any:
    if not given.keys() & {*AXIS}:
        raise reader.error(f"{name} of PyTorch wants an axis: write {name}(…, dim=-1) for each row, or {name}(X)")
    return of_ours(name).build(reader, given)


_OF_X = partial(Function, ("X",), 1)
_LISTED = partial(Function, ("arrays",), 1, lists=("arrays",))

ALIASES: Mapping[str, Function] = MappingProxyType(
    {
        **dict.fromkeys(("matmul", "mm", "bmm"), sign(ast.MatMult)),
        **dict.fromkeys(("multiply", "mul"), sign(ast.Mult)),
        **dict.fromkeys(("true_divide", "div"), sign(ast.Div)),
        **dict.fromkeys(("subtract", "sub"), sign(ast.Sub)),
        "add": sign(ast.Add),
        "pow": sign(ast.Pow),
        **dict.fromkeys(
            ("negative", "neg"), _OF_X(lambda reader, given: signed(ast.Mult, reader, Integer(-1), given["X"]))
        ),
        "square": _OF_X(lambda reader, given: signed(ast.Pow, reader, given["X"], Integer(2))),
        "reciprocal": _OF_X(lambda reader, given: signed(ast.Div, reader, S.One, given["X"])),
        "rsqrt": _OF_X(lambda reader, given: signed(ast.Pow, reader, given["X"], -S.Half)),
        "log2": _OF_X(partial(_build_logarithm, 2)),
        "log10": _OF_X(partial(_build_logarithm, 10)),
        **dict.fromkeys(("clip", "clamp"), Function(("X", "least", "most"), 3, _build_clip)),
        "outer": Function(("X", "Y"), 2, _build_outer, is_flat="X @ Y"),
        "inner": Function(("X", "Y"), 2, _build_inner, is_flat="X @ Y.mT"),
        **{
            name: _OF_X(partial(_build_transpose, name), options=PLACES, placed=4)
            for name in ("transpose", "t", "permute", "swapaxes")
        },
        **dict.fromkeys(
            ("concatenate", "cat"),
            _LISTED(partial(_build_concatenate, "concatenate"), options=AXIS, usual={"axis": 0}),
        ),
        "hstack": _LISTED(_build_hstack, is_flat="concatenate([…], axis=-1)"),
        "vstack": _LISTED(partial(_build_stack, "vstack", 0), is_flat="concatenate([…], axis=-2)"),
        "column_stack": _LISTED(partial(_build_stack, "column_stack", 1), is_flat="concatenate([…], axis=-1)"),
        "ones": Function(("m", "n"), 1, partial(_build_filled, "ones", lambda given: S.One), lists=("m",)),
        "zeros": Function(("m", "n"), 1, partial(_build_filled, "zeros", lambda given: S.Zero), lists=("m",)),
        "full": Function(("m", "value"), 2, partial(_build_filled, "full", lambda given: given["value"]), lists=("m",)),
        "arange": Function(("n",), 1, _build_arange),
        **dict.fromkeys(("array", "asarray", "tensor"), _OF_X(lambda reader, given: reader.term(given["X"], "array"))),
    }
)
"""Names in other libraries for functions here, which mean the same in all of them."""

RENAMED: Mapping[str, str] = MappingProxyType(
    {"ln": "log", "rad2deg": "degrees", "deg2rad": "radians", "eye": "identity", "absolute": "abs", "fabs": "abs"}
    | {"swish": "silu"}
)
"""Names in other libraries for functions of ours."""


def known(name: str) -> Function | None:
    """Return the function that a name without a library means, ours first."""
    name = RENAMED.get(name, name)
    return SPECIAL.get(name) or MADE.get(name) or ALIASES.get(name) or (of_ours(name) if name in OURS else None)


# -- prefixes of names -------------------------------------------------------------------------------------------

_LIBRARIES: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("np", "numpy", "jnp", "jax.numpy"), "numpy"),
        **dict.fromkeys(("np.linalg", "numpy.linalg", "jnp.linalg", "torch.linalg"), "linalg"),
        **dict.fromkeys(("F", "nn.functional", "torch.nn.functional"), "functional"),
        **{"torch": "torch", "math": "math"},
    }
)
"""The libraries, by the prefix of their functions."""

_REDUCED = ("sum", "mean", "max", "min", "var", "std", "argmax", "argmin", "norm")
_SHARED = (
    "exp log sqrt tanh sin cos tan abs absolute floor sum mean max min var std argmax argmin maximum minimum square "
    "reciprocal matmul multiply add subtract divide true_divide negative log2 log10 outer inner eye zeros ones full "
    "arange hstack vstack column_stack concatenate transpose swapaxes deg2rad rad2deg clip reshape tile"
)
_ACTIVATIONS = "relu gelu silu elu sigmoid softplus mish leaky_relu"
_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "numpy": f"{_SHARED} radians degrees fabs array asarray repeat",
        "torch": f"{_SHARED} mm bmm mul div sub neg pow rsqrt cat t permute clamp tensor relu sigmoid erf norm "
        "repeat_interleave",
        "functional": _ACTIVATIONS,
        "math": "exp log sqrt tanh sin cos tan floor fabs radians degrees pow erf log2 log10",
        "linalg": "norm matrix_power",
        "": f"{_SHARED} mm bmm mul div sub neg pow rsqrt t permute clamp {_ACTIVATIONS} norm erf view "
        "repeat_interleave repeat",
    }
)
"""The functions of a library that mean the same here, and the methods of a matrix."""

_OWN: Mapping[tuple[str, str], Function] = MappingProxyType(
    {
        **dict.fromkeys(
            (("numpy", "dot"), ("torch", "dot"), ("", "dot")), Function(("X", "Y"), 2, _build_dot, is_flat="X @ Y")
        ),
        **dict.fromkeys((("numpy", "power"), ("torch", "power")), sign(ast.Pow)),
        ("torch", "transpose"): ALIASES["swapaxes"],
        **{
            (library, "stack"): _LISTED(partial(_build_stack, "stack", 0), options=AXIS)
            for library in ("numpy", "torch")
        },
        **{
            ("torch", name): Function(("X", "Y"), 1, partial(_build_torch_max, name), options=AXIS)
            for name in ("max", "min")
        },
        **{
            (library, name): Function(("S",), 1, partial(_build_with_dim, name), options=AXIS)
            for library in ("torch", "functional", "")
            for name in ("softmax", "log_softmax")
        },
    }
)
"""Functions that differ between a library and symattn."""

_ELSEWHERE: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        **{(library, f"a{name}"): name for library in ("numpy", "torch", "") for name in ("max", "min")},
        ("numpy", "concat"): "concatenate",
        ("torch", "concat"): "concatenate",
        ("functional", "normalize"): "unit",
    }
)
"""Names in a library, with our names for them."""

CONSTANTS: Mapping[str, Expr] = MappingProxyType({"pi": pi, "inf": oo})
"""The numbers that NumPy, PyTorch and math have by a name."""


def library(path: str) -> str | None:
    """Return the library that ``np``, ``torch.nn.functional`` … means; ``None`` for anything else."""
    return _LIBRARIES.get(path)


def member(path: str, name: str) -> Function | None:
    """Return the function of that name in a library, or the method of a matrix if ``path`` is empty.

    Without an axis it takes all entries, as in the library.
    """
    where = _LIBRARIES.get(path, "")
    if (where, name) in _OWN:
        return _OWN[where, name]
    meant = _ELSEWHERE.get((where, name), name if name in _NAMES[where].split() else "")
    function = known(meant) if meant else None
    if function is None or meant not in _REDUCED:
        return function
    usual = {"axis": None} | ({"ddof": 1} if where == "torch" and meant in ("var", "std") else {})
    # The second argument of norm(X, 2) is the order of the norm there.
    return replace(function, endless=False, placed=int(meant != "norm"), usual=usual)
