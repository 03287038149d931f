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
from collections.abc import Sequence
from textwrap import TextWrapper

from sympy import Identity, MatPow, OneMatrix, Transpose, ZeroMatrix

from symattn import operations as ops
from symattn.codegen.code import LARGEST_WHOLE, Level
from symattn.codegen.language import LINE, Entries, Language, Rule
from symattn.codegen.language import program as program_of
from symattn.codegen.spelling import Spelling
from symattn.solution.core import Solution

# -- how equations are written ----------------------------------------------------------------------------------


_KEYWORDS = """
    if else repeat while function for next break in TRUE FALSE NULL Inf NaN NA NA_integer_ NA_real_ NA_complex_
    NA_character_ T F pi
"""

_FUNCTIONS = """
    abs acos apply atan2 c cbind col colSums cos degrees diag exp expm1 floor format function ifelse list log log1p
    matrix max min ncol nrow outer paste pchisq pmax pmin pnorm print print_matrix rank rbind rep Reduce round row
    rowMeans rowSums sapply score seq seq_len sign sin size sprintf sqrt sum sweep t tanh tri upper Vectorize which
    writeLines
"""

AVOIDED = frozenset(_KEYWORDS.split())
"""Names that nothing inside a function may have; a call of a function looks for functions only."""

FUNCTIONS = frozenset(_FUNCTIONS.split())
"""What programs call."""


def _function(name: str, parameters: Sequence[str], comment: str, lines: Sequence[str], result: str) -> str:
    head = f"# {comment}\n{name} <- function({', '.join(parameters)})"
    if not lines:
        return f"{head} {result}"
    body = "".join(f"  {line}\n" for line in lines)
    return f"{head} {{\n{body}  {result}\n}}"


_NAMES = ("abs", "acos", "cos", "exp", "expm1", "floor", "log", "log1p", "sin", "sqrt", "tanh")
_BOTH = {each: f"{each}({{0}})" for each in _NAMES} | {"erf": "(sign({0}) * pchisq(2 * {a}^2, 1))"}

SPELLING = Spelling(
    function=_function,
    assign=" <- ",
    arrays=_BOTH | {"max": "pmax({0}, {1})", "min": "pmin({0}, {1})", "xlogx": "{a} * log(ifelse({0} > 0, {0}, 1))"},
    numbers=_BOTH | {"max": "max({0}, {1})", "min": "min({0}, {1})", "xlogx": "(if ({0} > 0) {a} * log({0}) else 0)"},
    signs={"pow": "^", "mod": "%%"},
    over={
        ("sum", 0): "colSums({0})",
        ("sum", 1): "rowSums({0})",
        ("max", 0): "apply({0}, 2, max)",
        ("max", 1): "apply({0}, 1, max)",
    },
    product=" %*% ",
    transposed="t({x})",
    choice="ifelse({0}, {1}, {2})",
    case="(if ({0}) {1} else {2})",
    long_case="{{\n    if ({0}) {{\n      {1}\n    }} else {{\n      {2}\n    }}\n  }}",
    both=(" & ", " && "),
    sizes=("nrow({0})", "ncol({0})"),
    indices=("row(matrix(0, {m}, {n}))", "col(matrix(0, {m}, {n}))"),
    full="matrix({0}, {m}, {n}{byrow})",
    filled="matrix({0}, {m}, {n})",
    first=1,
    entry="{x}[{i}, {j}]",
    named=("{x}[{i}]", "{x}[{i}, {j}]"),
    loops={
        "sum": "sum(sapply(seq_len({n}), function({k}) {body}))",
        "max": "max(sapply(seq_len({n}), function({k}) {body}))",
        "list": "sapply(seq_len({m}), function({i}) {body})",
        "rows": "outer(seq_len({m}), seq_len({n}), Vectorize(function({i}, {j}) {body}))",
        "matrix": "outer(seq_len({m}), seq_len({n}), Vectorize(function({i}, {j}) {body}))",
        "column": "matrix(sapply(seq_len({m}), function({i}) {body}))",
        "row": "matrix(sapply(seq_len({m}), function({i}) {body}), nrow = 1)",
        "single": "matrix({body})",
    },
    rounded="round({0})",
    vectors=True,
    avoided=AVOIDED,
)

HELPERS: dict[str, str] = {
    "softmax": """
        # Each row becomes weights that sum to 1; without its maximum, exp() cannot overflow.
        softmax <- function(S) {
          E <- exp(S - apply(S, 1, max))
          E / rowSums(E)
        }
    """,
    "gelu": """
        # Every x times the share of the normal distribution below x.
        gelu <- function(X) X * pnorm(X)
    """,
    "top_k": """
        # 1 for the k largest entries of each row, the first ones where they tie, and 0 elsewhere.
        top_k <- function(P, k) {
          places <- apply(-P, 1, rank, ties.method = "first")
          matrix(places <= k, nrow(P), byrow = TRUE) + 0
        }
    """,
    "angle": """
        # Degrees between every row of X and every row of Y; atan2() keeps the digits that acos() loses near 0 and 180.
        angle <- function(X, Y) {
          U <- X / sqrt(rowSums(X^2))
          V <- Y / sqrt(rowSums(Y^2))
          size <- function(x) sqrt(sum(x^2))
          degrees <- function(i, j) 360 / pi * atan2(size(U[i, ] - V[j, ]), size(U[i, ] + V[j, ]))
          outer(seq_len(nrow(U)), seq_len(nrow(V)), Vectorize(degrees))
        }
    """,
}
"""The functions of R that are not derived from equations: a choice, and what people write another way."""

PRINT = """
    # The name, then one line for each row; adding 0 turns -0 into 0.
    print_matrix <- function(name, A) {
      cells <- format(sprintf("%.{decimals}f", round(A, {decimals}) + 0), justify = "right")
      rows <- apply(matrix(cells, nrow(A)), 1, paste, collapse = "  ")
      writeLines(c(name, rows))
    }
"""


# -- programs ----------------------------------------------------------------------------------------------------


RESERVED = AVOIDED | FUNCTIONS | HELPERS.keys()
"""Names with a meaning in R, or in the programs written here."""

_NUMBER = r"\d{1,60}(\.\d{1,60})?"

_AS_WRITTEN = re.compile(
    rf"-?({_NUMBER}|{_NUMBER}/{_NUMBER}|({_NUMBER}\*)?sqrt\({_NUMBER}\)(/{_NUMBER})?|({_NUMBER}\*)?10\^-?\d{{1,2}})\Z",
    re.ASCII,
)

_RULES: dict[type | str, str | tuple[str, Level] | Rule] = {
    MatPow: "Reduce(`%*%`, rep(list({X}), {power}))",
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
    ops.Angle: "angle({X}, {Y})",
    ops.RowNorm: "matrix(sqrt(rowSums({x}^2)))",
    ops.RowMax: "matrix(apply({X}, 1, max))",
    ops.ArgMax: "matrix(apply({X}, 1, which.max) - 1)",
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
    infinity="Inf",
    largest_whole=LARGEST_WHOLE,
    reserved=RESERVED,
    suffix=".value",
    as_written=_AS_WRITTEN,
    rules=_RULES,
    helpers=HELPERS,
    spelling=SPELLING,
    given=_given,
    head=lambda _: "",
    print_helper=PRINT,
)
"""Base R, without packages."""


def program(solution: Solution, name: str) -> str:
    """The R program that computes ``name`` and prints it with R's own ``print``; no newline at its end."""
    return program_of(solution, (name,), R)
