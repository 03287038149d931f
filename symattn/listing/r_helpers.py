"""How R writes equations, and the functions that people write another way."""

from __future__ import annotations

from collections.abc import Sequence

from symattn.listing.spelling import Spelling

_KEYWORDS = """
    if else repeat while function for next break in TRUE FALSE NULL Inf NaN NA NA_integer_ NA_real_ NA_complex_
    NA_character_ T F pi
"""

_FUNCTIONS = """
    abs acos apply atan2 c cbind col colSums cos degrees diag exp expm1 floor format function ifelse list log log1p
    matrix max min ncol nrow outer paste pchisq pmax pmin pnorm power print print_matrix rank rbind rep Reduce round row
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

_SOFTMAX = """
    # Each row becomes weights that sum to 1; without its maximum, exp() cannot overflow.
    softmax <- function(S) {
      E <- exp(S - apply(S, 1, max))
      E / rowSums(E)
    }
"""

_GELU = """
    # Every x times the share of the normal distribution below x.
    gelu <- function(X) X * pnorm(X)
"""

_ARGMAX = """
    # The column of the largest entry of each row, the first one where it ties; columns count from 0.
    argmax <- function(X) matrix(apply(X, 1, which.max) - 1)
"""

_TOP_K = """
    # 1 for the k largest entries of each row, the first ones where they tie, and 0 elsewhere.
    top_k <- function(P, k) {
      places <- apply(-P, 1, rank, ties.method = "first")
      matrix(places <= k, nrow(P), byrow = TRUE) + 0
    }
"""

_ROTARY = """
    # Each pair of neighbouring columns turned by an angle that grows with the row.
    rotary <- function(X, base, start) {
      phi <- outer(start + seq_len(nrow(X)) - 1, base^(-seq(0, ncol(X) - 2, 2) / ncol(X)))
      x <- X[, c(TRUE, FALSE)]
      y <- X[, c(FALSE, TRUE)]
      X[, c(TRUE, FALSE)] <- x * cos(phi) - y * sin(phi)
      X[, c(FALSE, TRUE)] <- x * sin(phi) + y * cos(phi)
      X
    }
"""

_POWER = """
    # A matrix times itself.
    power <- function(A, n) Reduce(`%*%`, rep(list(A), n))
"""

_ANGLE = """
    # Degrees between every row of X and every row of Y; atan2() keeps the digits that acos() loses near 0 and 180.
    angle <- function(X, Y) {
      U <- X / sqrt(rowSums(X^2))
      V <- Y / sqrt(rowSums(Y^2))
      size <- function(x) sqrt(sum(x^2))
      degrees <- function(i, j) 360 / pi * atan2(size(U[i, ] - V[j, ]), size(U[i, ] + V[j, ]))
      outer(seq_len(nrow(U)), seq_len(nrow(V)), Vectorize(degrees))
    }
"""

SOFTMAX_OR_ZERO = """
    # Each row becomes weights that sum to 1; a row of nothing but -Inf, which sees no key, weights of 0.
    softmax <- function(S) {
      seen <- rowSums(is.finite(S)) > 0
      E <- exp(S - ifelse(seen, apply(S, 1, max), 0))
      E / ifelse(seen, rowSums(E), 1)
    }
"""

HELPERS: dict[str, str] = {
    "softmax": _SOFTMAX,
    "gelu": _GELU,
    "rotary": _ROTARY,
    "power": _POWER,
    "angle": _ANGLE,
    "argmax": _ARGMAX,
    "top_k": _TOP_K,
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
