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
from symattn.listing.r_helpers import AVOIDED, FUNCTIONS, HELPERS, PRINT, SOFTMAX_OR_ZERO, SPELLING
from symattn.solution.core import Solution

RESERVED = AVOIDED | FUNCTIONS | HELPERS.keys()
"""Names with a meaning in R, or in the programs written here."""

_NUMBER = r"\d{1,60}(\.\d{1,60})?"

_AS_WRITTEN = re.compile(
    rf"-?({_NUMBER}|{_NUMBER}/{_NUMBER}|({_NUMBER}\*)?sqrt\({_NUMBER}\)(/{_NUMBER})?|({_NUMBER}\*)?10\^-?\d{{1,2}})\Z",
    re.ASCII,
)

_RULES: dict[type | str, str | tuple[str, Level] | Rule] = {
    MatPow: "power({X}, {power})",
    Transpose: "t({X})",
    Identity: "diag({rows})",
    OneMatrix: "matrix(1, {rows}, {columns})",
    ZeroMatrix: "matrix(0, {rows}, {columns})",
    ops.Softmax: "softmax({X})",
    ops.GELU: "gelu({X})",
    ops.Hadamard: ("{x} * {y}", Level.PRODUCT),
    ops.EntryQuotient: ("{x} / {y}", Level.PRODUCT),
    ops.Row: "{x}[{first}, , drop = FALSE]",
    ops.Rows: "{x}[{first}:{last}, , drop = FALSE]",
    ops.Head: "{x}[, {first}:{last}, drop = FALSE]",
    ops.Concat: "cbind({all})",
    ops.Stack: "rbind({all})",
    ops.Rotary: "rotary({X}, {base}, {start})",
    ops.Angle: "angle({X}, {Y})",
    ops.RowNorm: "matrix(sqrt(rowSums({x}^2)))",
    ops.RowMax: "matrix(apply({X}, 1, max))",
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
    spelling=SPELLING,
    softmax_or_zero=SOFTMAX_OR_ZERO,
    given=_given,
    head=lambda _: "",
    print_helper=PRINT,
)
"""Base R, without packages."""


def program(solution: Solution, name: str) -> str:
    """The R program that computes ``name`` and prints it with R's own ``print``; no newline at its end."""
    return program_of(solution, (name,), R)
