"""A solution's formulas as a Julia program, with the standard libraries LinearAlgebra and Printf."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sympy import Identity, MatPow, OneMatrix, Transpose, ZeroMatrix

from symattn import operations as ops
from symattn.codegen.code import Level
from symattn.codegen.language import LINE, Entries, Language, Rule
from symattn.codegen.python import AS_WRITTEN
from symattn.codegen.spelling import Spelling

# -- how equations are written ----------------------------------------------------------------------------------


_KEYWORDS = """
    baremodule begin break catch const continue do else elseif end export false finally for function global if import
    let local macro module quote return struct true try using while in isa where mutable abstract primitive type outer
    ans im pi Inf NaN Any Array Base Bool Core I Int Main Module String Vector LinearAlgebra Printf missing nothing
"""

_FUNCTIONS = """
    Matrix Float64 abs abs2 acos argmax atan cos eachrow exp expm1 float hcat ifelse join length log lpad max maximum
    norm ones print print_matrix println rad2deg repeat reshape sign sin size sortperm sqrt sum tanh vcat vec zeros min
    minimum round display show fill floor ceil mod log1p erf sum maximum Float64 broadcast
"""

AVOIDED = frozenset((_KEYWORDS + _FUNCTIONS).split())
"""Names that nothing inside a function may have."""


def _function(name: str, parameters: Sequence[str], comment: str, lines: Sequence[str], result: str) -> str:
    head = f"{name}({', '.join(parameters)})"
    if not lines:
        return f"# {comment}\n{head} = {result}"
    body = "".join(f"    {line}\n" for line in lines)
    return f"# {comment}\nfunction {head}\n{body}    return {result}\nend"


_NAMES = ("abs", "acos", "cos", "erf", "exp", "expm1", "floor", "log", "log1p", "sin", "sqrt", "tanh")
_PAIRS = ("max", "min", "mod")

SPELLING = Spelling(
    function=_function,
    assign=" = ",
    arrays={each: f"{each}.({{0}})" for each in _NAMES}
    | {each: f"{each}.({{0}}, {{1}})" for each in _PAIRS}
    | {"xlogx": "{a} .* log.(ifelse.({0} .> 0, {0}, 1.0))"},
    numbers={each: f"{each}({{0}})" for each in _NAMES}
    | {each: f"{each}({{0}}, {{1}})" for each in _PAIRS}
    | {"xlogx": "({0} > 0 ? {a} * log({0}) : 0.0)"},
    signs={"pow": "^"},
    over={
        **{("sum", axis): f"sum({{0}}, dims = {axis + 1})" for axis in (0, 1)},
        **{("max", axis): f"maximum({{0}}, dims = {axis + 1})" for axis in (0, 1)},
    },
    product=" * ",
    transposed="{x}'",
    choice="ifelse.({0}, {1}, {2})",
    case="({0} ? {1} : {2})",
    long_case="\n        {0} ?\n        {1} :\n        {2}\n       ",
    both=(" .& ", " && "),
    sizes=("size({0}, 1)", "size({0}, 2)"),
    indices=("reshape(1.0:{m}, :, 1)", "(1.0:{n})'"),
    full="{0} .+ zeros({m}, {n})",
    filled="fill(float({0}), {m}, {n})",
    first=1,
    entry="{x}[{i}, {j}]",
    named=("{x}[{i}]", "{x}[{i}, {j}]"),
    loops={
        "sum": "sum({body} for {k} in 1:{n})",
        "max": "maximum({body} for {k} in 1:{n})",
        "list": "[{body} for {i} in 1:{m}]",
        "rows": "[{body} for {i} in 1:{m}, {j} in 1:{n}]",
        "matrix": "Float64[{body} for {i} in 1:{m}, {j} in 1:{n}]",
        "column": "Float64[{body} for {i} in 1:{m}, _ in 1:1]",
        "row": "Float64[{body} for _ in 1:1, {i} in 1:{m}]",
        "single": "fill(float({body}), 1, 1)",
    },
    rounded="round(Int, {0})",
    dots=True,
    tensor="float({0})",
    avoided=AVOIDED,
)

HELPERS: dict[str, str] = {
    "softmax": """
        # Each row becomes weights that sum to 1; without its maximum, exp cannot overflow.
        function softmax(S)
            E = exp.(S .- maximum(S, dims = 2))
            return E ./ sum(E, dims = 2)
        end
    """,
    "erf": """
        # The error function, which Julia itself does not have: up to 2 by its series, whose terms are all positive,
        # then by the continued fraction of what is missing to 1. The error is less than 2e-15.
        function erf(x)
            z = abs(x)
            z > 6 && return sign(x)
            if z < 2
                term = total = z
                for n in 1:60
                    term *= 2 * z^2 / (2n + 1)
                    total += term
                end
                return sign(x) * 2 / sqrt(pi) * exp(-z^2) * total
            end
            below = z
            for n in 60:-1:1
                below = z + n / 2 / below
            end
            return sign(x) * (1 - exp(-z^2) / sqrt(pi) / below)
        end
    """,
    "angle": """
        # Degrees between every row of X and every row of Y; atan keeps the digits that acos loses near 0 and 180.
        function angle(X, Y)
            U = X ./ sqrt.(sum(abs2, X, dims = 2))
            V = Y ./ sqrt.(sum(abs2, Y, dims = 2))
            return [rad2deg(2 * atan(norm(u - v), norm(u + v))) for u in eachrow(U), v in eachrow(V)]
        end
    """,
    "top_k": """
        # 1 for the k largest entries of each row, the first ones where they tie, and 0 elsewhere.
        # Adding 0 turns -0 into 0, which Julia takes for larger.
        function top_k(P, k)
            M = zeros(size(P))
            for i in 1:size(P, 1)
                M[i, sortperm(P[i, :] .+ 0.0, rev = true)[1:k]] .= 1
            end
            return M
        end
    """,
}
"""The functions of Julia that are not derived from equations: a choice, and what people write another way. A dot behind
the name applies one to every entry."""

PRINT = """
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


# -- programs ----------------------------------------------------------------------------------------------------


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
    ops.Angle: "angle({X}, {Y})",
    ops.RowNorm: "sqrt.(sum(abs2, {X}, dims = 2))",
    ops.RowMax: "maximum({X}, dims = 2)",
    ops.ArgMax: "[argmax(row .+ 0.0) - 1.0 for row in eachrow({X}), _ in 1:1]",
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
    infinity="Inf",
    largest_whole=10**15,
    reserved=RESERVED,
    suffix="_",
    as_written=AS_WRITTEN,
    rules=_RULES,
    helpers=HELPERS,
    spelling=SPELLING,
    given=_given,
    head=_head,
    print_helper=PRINT,
)
"""Julia 1.6 or newer."""
