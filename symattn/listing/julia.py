"""A solution's formulas as a Julia program, with the standard libraries LinearAlgebra and Printf."""

from __future__ import annotations

import re

from sympy import Identity, MatPow, OneMatrix, Transpose, ZeroMatrix

from symattn.listing.code import Level
from symattn.listing.language import LINE, Language, Rows
from symattn.listing.python import AS_WRITTEN
from symattn.operations import (
    ELU,
    Angle,
    Broadcast,
    CausalMask,
    ClipNorm,
    Concat,
    Cosine,
    Entropy,
    Exp,
    Head,
    Keep,
    LayerNorm,
    OneHot,
    Proportions,
    ReLU,
    Row,
    RowMax,
    RowNorm,
    Softmax,
    UnitRows,
    WindowMask,
)

_LAYER_NORM = """
    # Each row with mean 0 and variance 1; the variance is divided by the width itself.
    function layer_norm(X, epsilon)
        width = size(X, 2)
        centred = X .- sum(X, dims = 2) / width
        return centred ./ sqrt.(sum(abs2, centred, dims = 2) / width .+ epsilon)
    end
"""

_LAYER_NORM_AFFINE = """
    # Each row with mean 0 and variance 1, then every column by its gain, plus its bias.
    function layer_norm(X, epsilon, gain = 1, bias = 0)
        width = size(X, 2)
        centred = X .- sum(X, dims = 2) / width
        return centred ./ sqrt.(sum(abs2, centred, dims = 2) / width .+ epsilon) .* gain .+ bias
    end
"""

HELPERS: dict[str, str] = {
    "softmax": """
        # Each row becomes weights that sum to 1; without its maximum, exp cannot overflow.
        function softmax(S)
            E = exp.(S .- maximum(S, dims = 2))
            return E ./ sum(E, dims = 2)
        end
    """,
    "layer_norm": _LAYER_NORM,
    "elu": """
        # A negative number x becomes exp(x) - 1.
        elu(x) = x > 0 ? x : expm1(x)
    """,
    "causal_mask": """
        # 0 on and below the diagonal, the value above it.
        causal_mask(n, value) = [j > i ? float(value) : 0.0 for i in 1:n, j in 1:n]
    """,
    "window_mask": """
        # 0 where two positions are less than w apart, the value elsewhere.
        window_mask(n, w, value) = [abs(i - j) < w ? 0.0 : float(value) for i in 1:n, j in 1:n]
    """,
    "row_norm": """
        # The length of each row, as a column.
        row_norm(X) = sqrt.(sum(abs2, X, dims = 2))
    """,
    "unit": """
        # Each row divided by its length.
        unit(X) = X ./ sqrt.(sum(abs2, X, dims = 2))
    """,
    "proportions": """
        # Each row divided by its sum.
        proportions(S) = S ./ sum(S, dims = 2)
    """,
    "entropy": """
        # -sum(a log a) of each row, as a column; 0 log 0 counts as 0.
        entropy(A) = -sum(a -> a > 0 ? a * log(a) : 0.0, A, dims = 2)
    """,
    "cosine": """
        # The cosine of every row of X with every row of Y.
        cosine(X, Y) = unit(X) * unit(Y)'
    """,
    "angle": """
        # Degrees between every row of X and every row of Y; atan keeps the digits that acos loses near 0 and 180.
        function angle(X, Y)
            U, V = unit(X), unit(Y)
            return [rad2deg(2 * atan(norm(u - v), norm(u + v))) for u in eachrow(U), v in eachrow(V)]
        end
    """,
    "clip_norm": """
        # G shortened to the largest length where it is longer.
        clip_norm(G, largest) = G * (largest / max(largest, norm(G)))
    """,
}
"""The functions that Julia does not have, by name. A dot behind the name applies one to every entry."""

_PRINT = """
    # The name, then one line for each row; what rounds to 0 has no sign.
    function print_matrix(name, A)
        cells = [@sprintf("%.{decimals}f", abs(x) < {half} ? 0.0 : x) for x in A]
        width = maximum(length, cells)
        println(name)
        for row in eachrow(cells)
            println(join(lpad.(row, width), "  "))
        end
    end
"""

_KEYWORDS = """
    baremodule begin break catch const continue do else elseif end export false finally for function global if import
    let local macro module quote return struct true try using while in isa where mutable abstract primitive type outer
    ans im pi Inf NaN Any Array Base Bool Core I Int Main Module String Vector LinearAlgebra Printf missing nothing
"""

_FUNCTIONS = """
    Matrix Float64 abs abs2 acos atan eachrow exp expm1 float hcat ifelse join length log lpad max maximum norm ones
    print print_matrix println rad2deg repeat reshape size sqrt sum vec zeros min minimum round display show
"""

RESERVED = frozenset((_KEYWORDS + _FUNCTIONS).split()) | HELPERS.keys()
"""Names with a meaning in Julia, or in the programs written here."""

_RULES: dict[type, str | tuple[str, Level]] = {
    MatPow: ("{x}^{power}", Level.POWER),
    Transpose: "{x}'",
    Identity: "Matrix(1.0I, {rows}, {rows})",
    OneMatrix: "ones({rows}, {columns})",
    ZeroMatrix: "zeros({rows}, {columns})",
    Softmax: "softmax({X})",
    LayerNorm: "layer_norm({X}, {epsilon}{affine})",
    ReLU: "max.({X}, 0)",
    Exp: "exp.({X})",
    ELU: "elu.({X})",
    CausalMask: "causal_mask({rows}, {value})",
    WindowMask: "window_mask({rows}, {width}, {value})",
    Keep: "ifelse.({y} .== 0, {X}, 0.0)",
    Broadcast: "repeat({X}, {rows}, 1)",
    Row: "{x}[{first}:{first}, :]",
    Head: "{x}[:, {first}:{last}]",
    Concat: "hcat({all})",
    OneHot: "Float64.(vec({X}) .== (0:{largest})')",
    ClipNorm: "clip_norm({X}, {threshold})",
    Cosine: "cosine({X}, {Y})",
    Angle: "angle({X}, {Y})",
    RowNorm: "row_norm({X})",
    RowMax: "maximum({X}, dims = 2)",
    UnitRows: "unit({X})",
    Proportions: "proportions({X})",
    Entropy: "entropy({X})",
}


def _given(name: str, rows: Rows) -> str:
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
    affine=_LAYER_NORM_AFFINE,
    given=_given,
    head=_head,
    print_helper=_PRINT,
)
"""Julia 1.6 or newer."""
