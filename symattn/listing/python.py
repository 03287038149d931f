"""A solution's formulas as a Python program, in two dialects: NumPy and PyTorch.

>>> from symattn.derivation import Plan
>>> from symattn.listing.language import program
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

import re
from collections.abc import Callable
from functools import partial
from textwrap import TextWrapper

from sympy import Identity, MatPow, OneMatrix, Transpose, ZeroMatrix

from symattn import operations as ops
from symattn.listing.code import Code, Level
from symattn.listing.language import LINE, Entries, Language, Rule, Writer
from symattn.listing.python_helpers import (
    AVOIDED,
    MATH,
    NUMPY_HELPERS,
    NUMPY_SOFTMAX_OR_ZERO,
    NUMPY_SPELLING,
    PRINT,
    TORCH_HELPERS,
    TORCH_SOFTMAX_OR_ZERO,
    TORCH_SPELLING,
)

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
    ops.Rotary: "rotary({X}, {base}, {start})",
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
    parts = [writer.text(node.argument), f"({int(node.shape[1])},)", *affine]
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
    assign=" = ",
    product=" @ ",
    power="**",
    infinity="inf",
    infinite="inf",
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
    softmax_or_zero=NUMPY_SOFTMAX_OR_ZERO,
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
    softmax_or_zero=TORCH_SOFTMAX_OR_ZERO,
    given=partial(_given, "torch.tensor", "dtype=torch.float64"),
    head=partial(_head, "import torch"),
)
"""Python with PyTorch 2.4 or newer, in double precision."""
