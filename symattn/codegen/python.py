"""A solution's formulas as a Python program, in two dialects: NumPy and PyTorch.

>>> from symattn.derivation import Plan
>>> from symattn.codegen.language import program
>>> from symattn.scenario.given import Given
>>> from symattn.shapes import shape
>>> from symattn.solution import Solution
>>> plan = Plan((), {"d_k": 2}).given("X", shape(2, 2)).step("max", "softmax(X @ X.T / sqrt(d_k))")
>>> solution = Solution(plan, {"X": Given.read([["0.50", "-sqrt(2)/2"], ["0", "3/4"]])})
>>> print(program(solution, ["max"], TORCH, 6))  # doctest: +ELLIPSIS
from math import sqrt
<BLANKLINE>
import torch
<BLANKLINE>
<BLANKLINE>
def print_matrix(name, A):
    ...
<BLANKLINE>
<BLANKLINE>
X = torch.tensor([
    [0.50, -sqrt(2)/2],
    [0, 3/4],
], dtype=torch.float64)
<BLANKLINE>
d_k = 2
max_ = torch.softmax(X @ X.T / sqrt(d_k), dim=-1)  # (2, 2)
<BLANKLINE>
print_matrix("max", max_)
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Callable, Sequence
from functools import partial
from textwrap import TextWrapper

from sympy import Identity, MatPow, OneMatrix, Transpose, ZeroMatrix

from symattn import operations as ops
from symattn.codegen.code import Code, Level
from symattn.codegen.language import LINE, Entries, Language, Rule, Writer
from symattn.codegen.spelling import Spelling
from symattn.shapes import whole_sizes

# -- how equations are written ----------------------------------------------------------------------------------


MATH = ("acos", "cos", "erf", "exp", "expm1", "floor", "inf", "log", "log1p", "pi", "sin", "sqrt", "tanh")
"""What programs take from Python's own ``math``; matrices have functions of their own."""

AVOIDED = frozenset(keyword.kwlist) | frozenset(dir(builtins)) | {*MATH, "np", "torch", "F"}
"""Names that nothing inside a function may have."""


def _function(name: str, parameters: Sequence[str], comment: str, lines: Sequence[str], result: str) -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return f'def {name}({", ".join(parameters)}):\n    """{comment}"""\n{body}    return {result}'


_NUMBERS = {each: f"{each}({{0}})" for each in ("abs", *MATH)}
_NUMBERS |= {
    "max": "max({0}, {1})",
    "min": "min({0}, {1})",
    "xlogx": "({a} * log({0}) if {0} > 0 else 0)",
}
"""Python's own exponential raises an error where it overflows: those of NumPy and PyTorch stand in for it."""

_spelling = partial(
    Spelling,
    function=_function,
    assign=" = ",
    signs={"pow": "**", "mod": "%"},
    product=" @ ",
    transposed="{x}.T",
    case="({1} if {0} else {2})",
    long_case="\n            {1}\n            if {0}\n            else {2}\n           ",
    both=(" & ", " and "),
    sizes=("{0}.shape[0]", "{0}.shape[1]"),
    first=0,
    entry="{x}[{i}, {j}]",
    named=("{x}[{i}]", "{x}[{i}][{j}]"),
    rounded="round({0})",
    avoided=AVOIDED,
)


def _loops(start: str, end: str) -> dict[str, str]:
    return {
        "sum": "sum({body} for {k} in range({n}))",
        "max": "max({body} for {k} in range({n}))",
        "list": "[{body} for {i} in range({m})]",
        "rows": "[[{body} for {j} in range({n})] for {i} in range({m})]",
        "matrix": f"{start}[\n        [{{body}} for {{j}} in range({{n}})]\n        "
        f"for {{i}} in range({{m}})\n    ]{end}",
        "column": f"{start}[[{{body}}] for {{i}} in range({{m}})]{end}",
        "row": f"{start}[[{{body}} for {{i}} in range({{m}})]]{end}",
        "single": f"{start}[[{{body}}]]{end}",
    }


NUMPY_SPELLING = _spelling(
    numbers=_NUMBERS | {each: f"np.{each}({{0}})" for each in ("exp", "expm1")},
    arrays={
        each: f"np.{each}({{0}})" for each in ("cos", "exp", "expm1", "floor", "log", "log1p", "sin", "sqrt", "tanh")
    }
    | {
        "abs": "abs({0})",
        "acos": "np.arccos({0})",
        "erf": "np.vectorize(erf)({0})",
        "max": "np.maximum({0}, {1})",
        "min": "np.minimum({0}, {1})",
        "xlogx": "{a} * np.log(np.where({0} > 0, {0}, 1))",
    },
    over={(kind, axis): f"{{x}}.{kind}(axis={axis}, keepdims=True)" for kind in ("sum", "max") for axis in (0, 1)},
    choice="np.where({0}, {1}, {2})",
    indices=("np.arange(1.0, {m} + 1)[:, None]", "np.arange(1.0, {n} + 1)"),
    full="np.broadcast_to({0}, ({m}, {n}))",
    filled="np.full(({m}, {n}), float({0}))",
    loops=_loops("np.array(", ", dtype=float)"),
    overflow='@np.errstate(over="ignore")',
)

TORCH_SPELLING = _spelling(
    numbers=_NUMBERS | {each: f"torch.tensor({{0}}, dtype=torch.float64).{each}().item()" for each in ("exp", "expm1")},
    arrays={
        each: f"torch.{each}({{0}})"
        for each in ("acos", "cos", "erf", "exp", "expm1", "floor", "log", "log1p", "sin", "sqrt", "tanh")
    }
    | {
        "abs": "abs({0})",
        "max": "torch.maximum({0}, {1})",
        "max number": "{a}.clamp(min={1})",
        "min": "torch.minimum({0}, {1})",
        "min number": "{a}.clamp(max={1})",
        "xlogx": "torch.special.xlogy({0}, {0})",
    },
    over={("sum", axis): f"{{x}}.sum(dim={axis}, keepdim=True)" for axis in (0, 1)}
    | {("max", axis): f"{{x}}.amax(dim={axis}, keepdim=True)" for axis in (0, 1)},
    choice="torch.where({0}, {1}, {2})",
    tensor="torch.tensor({0}, dtype=torch.float64)",
    indices=(
        "torch.arange(1, {m} + 1, dtype=torch.float64)[:, None]",
        "torch.arange(1, {n} + 1, dtype=torch.float64)",
    ),
    full="torch.broadcast_to({0}, ({m}, {n}))",
    filled="torch.full(({m}, {n}), {0}, dtype=torch.float64)",
    loops=_loops("torch.tensor(", ", dtype=torch.float64)"),
)

_ANGLE = '''
    def angle(X, Y):
        """Degrees between every row of X and every row of Y.

        The arctangent keeps the digits that the arccosine loses near 0 and 180.
        """
        U = (X / {norm}(X, {of_rows}))[:, None]
        V = (Y / {norm}(Y, {of_rows}))[None]
        return {degrees}(2 * {arctan2}({norm}(U - V, {last}), {norm}(U + V, {last})))
'''

NUMPY_HELPERS: dict[str, str] = {
    "softmax": '''
        def softmax(S):
            """Each row as weights that sum to 1; without its maximum, exp cannot overflow."""
            E = np.exp(S - S.max(axis=1, keepdims=True))
            return E / E.sum(axis=1, keepdims=True)
    ''',
    "angle": _ANGLE.format(
        norm="np.linalg.norm",
        of_rows="axis=1, keepdims=True",
        last="axis=-1",
        degrees="np.degrees",
        arctan2="np.arctan2",
    ),
    "top_k": '''
        def top_k(P, k):
            """1 for the k largest entries of each row, the first ones where they tie, and 0 elsewhere."""
            M = np.zeros_like(P)
            np.put_along_axis(M, np.argsort(-P, axis=1, kind="stable")[:, :k], 1, axis=1)
            return M
    ''',
}
"""The functions of NumPy that are not derived from equations: a choice, and what people write another way."""

TORCH_HELPERS: dict[str, str] = {
    "angle": _ANGLE.format(
        norm="torch.linalg.norm",
        of_rows="dim=1, keepdim=True",
        last="dim=-1",
        degrees="torch.rad2deg",
        arctan2="torch.atan2",
    ),
    "top_k": '''
        def top_k(P, k):
            """1 for the k largest entries of each row, the first ones where they tie, and 0 elsewhere."""
            places = torch.argsort(P, dim=1, descending=True, stable=True)[:, :k]
            return torch.zeros_like(P).scatter(1, places, 1)
    ''',
}
"""The same of PyTorch."""

PRINT = '''
    def print_matrix(name, A):
        """The name, then one line for each row; adding 0 turns -0 into 0."""
        cells = [[f"{round(x, {decimals}) + 0:.{decimals}f}" for x in row] for row in A.tolist()]
        width = max(len(cell) for row in cells for cell in row)
        print(name)
        for row in cells:
            print("  ".join(cell.rjust(width) for cell in row))
'''
"""The same in both: ``tolist`` gives Python's own numbers."""


# -- programs ----------------------------------------------------------------------------------------------------


RESERVED = (
    frozenset(name for name in AVOIDED - {"np", "torch", "F"} if not name.startswith("_"))
    | NUMPY_HELPERS.keys()
    | {"print_matrix"}
)
"""Names with a meaning in Python, or in the programs written here."""

_WHOLE = r"(0|[1-9]\d{0,14})"
_NUMBER = rf"{_WHOLE}(\.\d{{1,60}})?"

AS_WRITTEN = re.compile(rf"-?({_NUMBER}|{_NUMBER}/{_NUMBER}|({_NUMBER}\*)?sqrt\({_NUMBER}\)(/{_NUMBER})?)\Z", re.ASCII)
"""No number begins with 0 in vain, and none is too long for a machine integer."""

_SHARED: dict[type | str, str | tuple[str, Level] | Rule] = {
    Transpose: "{x}.T",
    ops.Row: "{x}[{start}:{last}]",
    ops.Rows: "{x}[{start}:{last}]",
    ops.Head: "{x}[:, {start}:{last}]",
    ops.Hadamard: ("{x} * {y}", Level.PRODUCT),
    ops.EntryQuotient: ("{x} / {y}", Level.PRODUCT),
    ops.TopK: "top_k({X}, {count})",
    ops.Angle: "angle({X}, {Y})",
}

_NUMPY = _SHARED | {
    MatPow: "np.linalg.matrix_power({X}, {power})",
    Identity: "np.eye({rows})",
    OneMatrix: "np.ones(({rows}, {columns}))",
    ZeroMatrix: "np.zeros(({rows}, {columns}))",
    ops.Softmax: "softmax({X})",
    ops.ReLU: "np.maximum({X}, 0)",
    ops.CausalMask: "np.triu(np.full(({rows}, {rows}), {value}), k=1)",
    ops.Keep: "np.where({y} == 0, {X}, 0)",
    ops.Broadcast: "np.repeat({X}, {rows}, axis=0)",
    ops.Concat: "np.hstack([{all}])",
    ops.Stack: "np.vstack([{all}])",
    ops.OneHot: "np.eye({columns})[{x}[0].astype(int)]",
    ops.RowNorm: "np.linalg.norm({X}, axis=1, keepdims=True)",
    ops.RowMax: "{x}.max(axis=1, keepdims=True)",
    ops.ArgMax: "{x}.argmax(axis=1, keepdims=True).astype(float)",
}


def _norm(function: str, writer: Writer, node: ops.LayerNorm | ops.RMSNorm) -> Code:
    """PyTorch's own, whose gain and bias have no axis for the row."""
    affine = [writer.code(row).at(Level.ATOM) + "[0]" for row in node.args[2:]]
    parts = [writer.text(node.argument), f"({whole_sizes(node)[1]},)", *affine]
    return Code(f"{function}({', '.join(parts)}, eps={writer.number(node.epsilon).text})")


_TORCH = _SHARED | {
    MatPow: "torch.linalg.matrix_power({X}, {power})",
    Identity: "torch.eye({rows}, dtype=torch.float64)",
    OneMatrix: "torch.ones({rows}, {columns}, dtype=torch.float64)",
    ZeroMatrix: "torch.zeros({rows}, {columns}, dtype=torch.float64)",
    ops.Softmax: "torch.softmax({X}, dim=-1)",
    ops.LayerNorm: partial(_norm, "F.layer_norm"),
    ops.RMSNorm: partial(_norm, "F.rms_norm"),
    ops.ReLU: "torch.relu({X})",
    ops.GELU: "F.gelu({X})",
    ops.GELUTanh: 'F.gelu({X}, approximate="tanh")',
    ops.SiLU: "F.silu({X})",
    ops.ELU: "F.elu({X})",
    ops.CausalMask: "torch.triu(torch.full(({rows}, {rows}), {value}, dtype=torch.float64), diagonal=1)",
    ops.Keep: "{x}.masked_fill({y} != 0, 0)",
    ops.Broadcast: "{x}.expand({rows}, -1)",
    ops.Concat: "torch.cat([{all}], dim=1)",
    ops.Stack: "torch.cat([{all}], dim=0)",
    ops.OneHot: "F.one_hot({x}[0].long(), {columns}).double()",
    ops.RowNorm: "torch.linalg.norm({X}, dim=1, keepdim=True)",
    ops.RowMax: "{x}.amax(dim=1, keepdim=True)",
    ops.Entropy: "torch.special.entr({X}).sum(dim=1, keepdim=True)",
    ops.ArgMax: "{x}.argmax(dim=1, keepdim=True).double()",
    "sigmoid": "torch.sigmoid({X})",
    "leaky_relu": "F.leaky_relu({X}, {slope})",
    "log_softmax": "torch.log_softmax({X}, dim=-1)",
}


def _given(make: str, dtype: str, name: str, rows: Entries) -> str:
    if len(rows) == 1 and len(line := f"{name} = {make}([[{', '.join(rows[0])}]], {dtype})") <= LINE:
        return line
    wrapper = TextWrapper(LINE, subsequent_indent="     ", break_long_words=False, break_on_hyphens=False)
    body = "\n".join(wrapper.fill(f"    [{', '.join(row)}],") for row in rows)
    return f"{name} = {make}([\n{body}\n], {dtype})"


def _head(package: str, rest: str) -> str:
    code = re.sub(r'#.*|"""(.|\n)*?"""', "", rest)
    used = [name for name in MATH if re.search(rf"(?<![\w.]){name}\b", code)]
    lines = [package, "import torch.nn.functional as F"] if re.search(r"\bF\.", code) else [package]
    imports = "\n".join(lines)
    return f"from math import {', '.join(used)}\n\n{imports}" if used else imports


_dialect: Callable[..., Language] = partial(
    Language,
    fence="python",
    comment="  # ({rows}, {columns})",
    infinity="inf",
    largest_whole=10**15,
    suffix="_",
    as_written=AS_WRITTEN,
    print_helper=PRINT,
    gap="\n\n\n",
)

NUMPY = _dialect(
    name="NumPy",
    reserved=RESERVED | {"np"},
    rules=_NUMPY,
    helpers=NUMPY_HELPERS,
    spelling=NUMPY_SPELLING,
    given=partial(_given, "np.array", "dtype=float"),
    head=partial(_head, "import numpy as np"),
)
"""Python with NumPy."""

TORCH = _dialect(
    name="PyTorch",
    reserved=RESERVED | {"torch", "F"},
    rules=_TORCH,
    helpers=TORCH_HELPERS,
    spelling=TORCH_SPELLING,
    given=partial(_given, "torch.tensor", "dtype=torch.float64"),
    head=partial(_head, "import torch"),
)
"""Python with PyTorch 2.4 or newer, in double precision."""
