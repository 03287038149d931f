"""A solution's formulas as a Julia program, with the standard libraries LinearAlgebra and Printf."""

from __future__ import annotations

import re

from sympy import Identity, MatPow, OneMatrix, Transpose, ZeroMatrix

from symattn.listing.code import Level
from symattn.listing.julia_helpers import HELPERS, PRINT, WITH_GAIN
from symattn.listing.language import LINE, Entries, Language, Rule
from symattn.listing.python import AS_WRITTEN
from symattn.operations import (
    ELU,
    GELU,
    AdditiveScores,
    Angle,
    ArgMax,
    Broadcast,
    CausalMask,
    ClipNorm,
    Concat,
    Cosine,
    Distance,
    Entropy,
    EntryQuotient,
    Exp,
    GELUTanh,
    Hadamard,
    Head,
    Keep,
    LayerNorm,
    Log,
    OneHot,
    PaddingMask,
    Proportions,
    ReLU,
    RMSNorm,
    Rotary,
    Row,
    RowMax,
    RowNorm,
    Rows,
    SiLU,
    Sinusoidal,
    Softmax,
    Stack,
    Tanh,
    TopK,
    UnitRows,
    WindowMask,
)

_KEYWORDS = """
    baremodule begin break catch const continue do else elseif end export false finally for function global if import
    let local macro module quote return struct true try using while in isa where mutable abstract primitive type outer
    ans im pi Inf NaN Any Array Base Bool Core I Int Main Module String Vector LinearAlgebra Printf missing nothing
"""

_FUNCTIONS = """
    Matrix Float64 abs abs2 acos argmax atan cos eachrow exp expm1 float hcat ifelse join length log lpad max maximum
    norm ones print print_matrix println rad2deg repeat reshape sign sin size sortperm sqrt sum tanh vcat vec zeros min
    minimum round display show
"""

RESERVED = frozenset((_KEYWORDS + _FUNCTIONS).split()) | HELPERS.keys()
"""Names with a meaning in Julia, or in the programs written here."""

_RULES: dict[type, str | tuple[str, Level] | Rule] = {
    MatPow: ("{x}^{power}", Level.POWER),
    Transpose: "{x}'",
    Identity: "Matrix(1.0I, {rows}, {rows})",
    OneMatrix: "ones({rows}, {columns})",
    ZeroMatrix: "zeros({rows}, {columns})",
    Softmax: "softmax({X})",
    LayerNorm: "layer_norm({X}, {epsilon}{affine})",
    RMSNorm: "rms_norm({X}, {epsilon}{affine})",
    ReLU: "max.({X}, 0)",
    GELU: "gelu.({X})",
    GELUTanh: "gelu_tanh.({X})",
    SiLU: "silu.({X})",
    Exp: "exp.({X})",
    Log: "log.({X})",
    Tanh: "tanh.({X})",
    ELU: "elu.({X})",
    CausalMask: "causal_mask({rows}, {value})",
    WindowMask: "window_mask({rows}, {width}, {value})",
    PaddingMask: "padding_mask({rows}, {columns}, {length}, {value})",
    Distance: "distance({rows})",
    Sinusoidal: "sinusoidal({rows}, {columns}, {base})",
    Rotary: "rotary({X}, {base}, {start})",
    Hadamard: ("{x} .* {y}", Level.PRODUCT),
    EntryQuotient: ("{x} ./ {y}", Level.PRODUCT),
    AdditiveScores: "additive_scores({all})",
    Keep: "ifelse.({y} .== 0, {X}, 0.0)",
    Broadcast: "repeat({X}, {rows}, 1)",
    Row: "{x}[{first}:{first}, :]",
    Rows: "{x}[{first}:{last}, :]",
    Head: "{x}[:, {first}:{last}]",
    Concat: "hcat({all})",
    Stack: "vcat({all})",
    OneHot: "Float64.(vec({X}) .== (0:{largest})')",
    ClipNorm: "clip_norm({X}, {threshold})",
    Cosine: "cosine({X}, {Y})",
    Angle: "angle({X}, {Y})",
    RowNorm: "row_norm({X})",
    RowMax: "maximum({X}, dims = 2)",
    UnitRows: "unit({X})",
    Proportions: "proportions({X})",
    Entropy: "entropy({X})",
    ArgMax: "row_argmax({X})",
    TopK: "top_k({X}, {count})",
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
    affine=WITH_GAIN,
    given=_given,
    head=_head,
    print_helper=PRINT,
)
"""Julia 1.6 or newer."""
