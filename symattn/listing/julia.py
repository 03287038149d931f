"""A solution's formulas as a Julia program, with the standard libraries LinearAlgebra and Printf."""

from __future__ import annotations

import re

from sympy import Identity, MatPow, OneMatrix, Transpose, ZeroMatrix

from symattn import operations as ops
from symattn.listing.code import Level
from symattn.listing.julia_helpers import AVOIDED, HELPERS, PRINT, SOFTMAX_OR_ZERO, SPELLING
from symattn.listing.language import LINE, Entries, Language, Rule
from symattn.listing.python import AS_WRITTEN

RESERVED = AVOIDED | HELPERS.keys()
"""Names with a meaning in Julia, or in the programs written here."""

_RULES: dict[type | str, str | tuple[str, Level] | Rule] = {
    MatPow: ("{x}^{power}", Level.POWER),
    Transpose: "{x}'",
    Identity: "Matrix(1.0I, {rows}, {rows})",
    OneMatrix: "ones({rows}, {columns})",
    ZeroMatrix: "zeros({rows}, {columns})",
    ops.Softmax: "softmax({X})",
    ops.ReLU: "max.({X}, 0)",
    ops.Hadamard: ("{x} .* {y}", Level.PRODUCT),
    ops.EntryQuotient: ("{x} ./ {y}", Level.PRODUCT),
    ops.Keep: "ifelse.({y} .== 0, {X}, 0.0)",
    ops.Broadcast: "repeat({X}, {rows}, 1)",
    ops.Row: "{x}[{first}:{first}, :]",
    ops.Rows: "{x}[{first}:{last}, :]",
    ops.Head: "{x}[:, {first}:{last}]",
    ops.Concat: "hcat({all})",
    ops.Stack: "vcat({all})",
    ops.OneHot: "Float64.(vec({X}) .== (0:{largest})')",
    ops.Rotary: "rotary({X}, {base}, {start})",
    ops.Angle: "angle({X}, {Y})",
    ops.RowNorm: "sqrt.(sum(abs2, {X}, dims = 2))",
    ops.RowMax: "maximum({X}, dims = 2)",
    ops.ArgMax: "row_argmax({X})",
    ops.TopK: "top_k({X}, {count})",
}


def _given(name: str, rows: Entries) -> str:
    """A matrix of Float64; in brackets a blank parts two numbers, so that none may stand inside one."""
    cells = [["".join(cell.split()) for cell in row] for row in rows]
    if len(cells[0]) == 1:
        return f"{name} = reshape(Float64[{', '.join(row[0] for row in cells)}], {len(cells)}, 1)"
    if len(cells) == 1 and len(line := f"{name} = Float64[{' '.join(cells[0])}]") <= LINE:
        return line
    body = "\n".join("    " + " ".join(row) for row in cells)
    return f"{name} = Float64[\n{body}\n]"


def _head(rest: str) -> str:
    code = re.sub("#.*", "", rest)
    packages = ["LinearAlgebra"] if re.search(r"(?<![\w.])norm\(|\b1\.0I\b", code) else []
    packages += ["Printf"] if "@sprintf" in code else []
    return f"using {', '.join(packages)}" if packages else ""


JULIA = Language(
    name="Julia",
    fence="julia",
    comment="  # ({rows}, {columns})",
    assign=" = ",
    product=" * ",
    power="^",
    infinity="Inf",
    infinite="Inf",
    largest_whole=10**15,
    reserved=RESERVED,
    suffix="_",
    as_written=AS_WRITTEN,
    rules=_RULES,
    helpers=HELPERS,
    spelling=SPELLING,
    softmax_or_zero=SOFTMAX_OR_ZERO,
    given=_given,
    head=_head,
    print_helper=PRINT,
)
"""Julia 1.6 or newer."""
