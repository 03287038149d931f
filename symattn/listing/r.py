"""A solution's formulas as an R program: one rule per node, one assignment per step, helper functions where needed.

>>> from symattn.derivation import Plan
>>> from symattn.scenario.given import Given
>>> from symattn.shapes import shape
>>> plan = Plan((), {"d_k": 2}).given("X", shape(2, 2)).step("T", "X @ X.T / sqrt(d_k)")
>>> print(program(Solution(plan, {"X": Given.read([["0.50", "-sqrt(2)/2"], ["0", "3/4"]])}), "T"))
X <- matrix(c(
  0.50, -sqrt(2)/2,
  0, 3/4
), nrow = 2, byrow = TRUE)
<BLANKLINE>
d_k <- 2
T.value <- X %*% t(X) / sqrt(d_k)
<BLANKLINE>
print(T.value)
"""

from __future__ import annotations

import re
from textwrap import TextWrapper

from sympy import Identity, MatPow, OneMatrix, Transpose, ZeroMatrix

from symattn import operations as ops
from symattn.listing.code import LARGEST_WHOLE, Level
from symattn.listing.language import LINE, Entries, Language, Rule
from symattn.listing.language import program as program_of
from symattn.listing.r_helpers import HELPERS, PRINT, SOFTMAX_OR_ZERO, WITH_GAIN
from symattn.solution.core import Solution

_KEYWORDS = """
    if else repeat while function for next break in TRUE FALSE NULL Inf NaN NA NA_integer_ NA_real_ NA_complex_
    NA_character_ T F pi
"""

_FUNCTIONS = """
    abs acos apply atan2 c cbind cos degrees diag exp expm1 format function ifelse list log matrix max ncol nrow outer
    paste pmax pmin pnorm power print print_matrix rank rbind rep Reduce round rowMeans rowSums score seq seq_len sin
    size sprintf sqrt sum sweep t tanh tri upper Vectorize which writeLines
"""

RESERVED = frozenset((_KEYWORDS + _FUNCTIONS).split()) | HELPERS.keys()
"""Names with a meaning in R, or in the programs written here."""

_NUMBER = r"\d{1,60}(\.\d{1,60})?"

_AS_WRITTEN = re.compile(
    rf"-?({_NUMBER}|{_NUMBER}/{_NUMBER}|({_NUMBER}\*)?sqrt\({_NUMBER}\)(/{_NUMBER})?|({_NUMBER}\*)?10\^-?\d{{1,2}})\Z",
    re.ASCII,
)

_RULES: dict[type, str | tuple[str, Level] | Rule] = {
    MatPow: "power({X}, {power})",
    Transpose: "t({X})",
    Identity: "diag({rows})",
    OneMatrix: "matrix(1, {rows}, {columns})",
    ZeroMatrix: "matrix(0, {rows}, {columns})",
    ops.Softmax: "softmax({X})",
    ops.LayerNorm: "layer_norm({X}, {epsilon}{affine})",
    ops.RMSNorm: "rms_norm({X}, {epsilon}{affine})",
    ops.ReLU: "relu({X})",
    ops.GELU: "gelu({X})",
    ops.GELUTanh: "gelu_tanh({X})",
    ops.SiLU: "silu({X})",
    ops.Exp: "exp({X})",
    ops.Log: "log({X})",
    ops.Tanh: "tanh({X})",
    ops.ELU: "elu({X})",
    ops.CausalMask: "causal_mask({rows}, {value})",
    ops.WindowMask: "window_mask({rows}, {width}, {value})",
    ops.PaddingMask: "padding_mask({rows}, {columns}, {length}, {value})",
    ops.Distance: "distance({rows})",
    ops.Sinusoidal: "sinusoidal({rows}, {columns}, {base})",
    ops.Rotary: "rotary({X}, {base}, {start})",
    ops.Hadamard: ("{x} * {y}", Level.PRODUCT),
    ops.EntryQuotient: ("{x} / {y}", Level.PRODUCT),
    ops.AdditiveScores: "additive_scores({all})",
    ops.Keep: "keep({X}, {Y})",
    ops.Broadcast: "broadcast({X}, {rows})",
    ops.Row: "{x}[{first}, , drop = FALSE]",
    ops.Rows: "{x}[{first}:{last}, , drop = FALSE]",
    ops.Head: "{x}[, {first}:{last}, drop = FALSE]",
    ops.Concat: "cbind({all})",
    ops.Stack: "rbind({all})",
    ops.OneHot: "one_hot({X}, {columns})",
    ops.ClipNorm: "clip_norm({X}, {threshold})",
    ops.Cosine: "cosine({X}, {Y})",
    ops.Angle: "angle({X}, {Y})",
    ops.RowNorm: "row_norm({X})",
    ops.RowMax: "row_max({X})",
    ops.UnitRows: "unit({X})",
    ops.Proportions: "proportions({X})",
    ops.Entropy: "entropy({X})",
    ops.ArgMax: "argmax({X})",
    ops.TopK: "top_k({X}, {count})",
}


def _given(name: str, rows: Entries) -> str:
    start = f"{name} <- matrix(c("
    if len(rows) == 1 and len(line := f"{start}{', '.join(rows[0])}), nrow = 1)") <= LINE:
        return line
    wrapper = TextWrapper(
        LINE - 1, initial_indent="  ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    body = ",\n".join(wrapper.fill(", ".join(row)) for row in rows)
    return f"{start}\n{body}\n), nrow = {len(rows)}, byrow = TRUE)"


R = Language(
    name="R",
    fence="r",
    comment="",
    assign=" <- ",
    product=" %*% ",
    power="^",
    infinity="Inf",
    infinite="Inf",
    largest_whole=LARGEST_WHOLE,
    reserved=RESERVED,
    suffix=".value",
    as_written=_AS_WRITTEN,
    rules=_RULES,
    helpers=HELPERS,
    affine=WITH_GAIN,
    softmax_or_zero=SOFTMAX_OR_ZERO,
    given=_given,
    head=lambda _: "",
    print_helper=PRINT,
)
"""Base R, without packages."""


def program(solution: Solution, name: str) -> str:
    """The R program that computes ``name`` and prints it with R's own ``print``; no newline at its end."""
    return program_of(solution, (name,), R)
