# Made from symattn.read.formula.functions.TABLE by symattn.api.authoring.stub.
# fmt: off

from symattn.api.authoring.expression import Expression, OperandLike, Scalar

__all__: list[str] = [
    "additive_scores",
    "angle",
    "argmax",
    "argmin",
    "broadcast",
    "cached_mask",
    "causal_mask",
    "clip_norm",
    "concat",
    "cos",
    "cosine",
    "cross_entropy",
    "degrees",
    "diag",
    "distance",
    "divide",
    "dot",
    "elu",
    "entropy",
    "entry",
    "erf",
    "exp",
    "floor",
    "gelu",
    "gelu_tanh",
    "hadamard",
    "head",
    "identity",
    "keep",
    "kept",
    "kron",
    "layer_norm",
    "leaky_relu",
    "log",
    "log_softmax",
    "matrix_power",
    "maximum",
    "mean",
    "minimum",
    "mish",
    "mse",
    "multiplications",
    "norm",
    "one_hot",
    "ones",
    "padding_mask",
    "power",
    "proportions",
    "radians",
    "relu",
    "rms_norm",
    "rotary",
    "rotary_halves",
    "row",
    "row_max",
    "row_mean",
    "row_min",
    "row_sum",
    "row_var",
    "rows",
    "sigmoid",
    "silu",
    "sin",
    "sinusoidal",
    "softcap",
    "softmax",
    "softplus",
    "sqrt",
    "stack",
    "std",
    "tan",
    "tanh",
    "top_k",
    "unit",
    "var",
    "window_mask",
]

def abs(X: OperandLike) -> Expression:
    """``abs(X)``: y[i,j] = abs(X[i,j]): (m, n) → (m, n)."""

def additive_scores(Q: OperandLike, K: OperandLike, v: OperandLike) -> Expression:
    """``additive_scores(Q, K, v)``: additive_scores(Q, K, v)_{ij} = Σ_c v_c tanh(q_{ic} + k_{jc}): a small network
    compares every pair of rows: (m, a), (p, a), (1, a) → (m, p)."""

def angle(X: OperandLike, Y: OperandLike) -> Expression:
    """``angle(X, Y)``: angle(X, Y)_{ij} = 180/π · arccos(cosine(X, Y)_{ij}), the angle between two rows, none of them
    zero: (m, n), (p, n) → (m, p)."""

def argmax(
    X: OperandLike,
    axis: bool | int | tuple[int, ...] | None = ...,
    dim: bool | int | tuple[int, ...] | None = ...,
    keepdims: bool | int | tuple[int, ...] | None = ...,
    keepdim: bool | int | tuple[int, ...] | None = ...,
) -> Expression:
    """``argmax(X)``: The column of the largest entry of each row, from 0: (m, n) → (m, 1)."""

def argmin(
    X: OperandLike,
    axis: bool | int | tuple[int, ...] | None = ...,
    dim: bool | int | tuple[int, ...] | None = ...,
    keepdims: bool | int | tuple[int, ...] | None = ...,
    keepdim: bool | int | tuple[int, ...] | None = ...,
) -> Expression:
    """``argmin(X)``: The column of the smallest entry of each row, from 0: (m, n) → (m, 1)."""

def broadcast(b: OperandLike, n: OperandLike) -> Expression:
    """``broadcast(b, n)``: B_{ij} = b_j: the row b written n times, so that it can be added to n rows: (1, d) → (n,
    d)."""

def cached_mask(n: OperandLike, m: OperandLike, value: OperandLike | None = None) -> Expression:
    """``cached_mask(n, m, value=…)``: M_{ij} = 0 for j ≤ i + m − n and v elsewhere: the n last of m positions see
    themselves and what came before: → (n, m)."""

def causal_mask(n: OperandLike, m: OperandLike | None = None, value: OperandLike | None = None) -> Expression:
    """``causal_mask(n, m=…, value=…)``: M_{ij} = 0 for j ≤ i and v for j > i: position i sees itself and what came
    before: → (n, n)."""

def clip_norm(X: OperandLike, c: OperandLike) -> Expression:
    """``clip_norm(X, c)``: clip_norm(G, c)_{ij} = g_{ij} · min(1, c / ‖G‖) with ‖G‖ = √(Σ_{kl} g_{kl}²): at most as
    long as c: (m, n) → (m, n)."""

def concat(X: OperandLike, Y: OperandLike, /, *more: OperandLike) -> Expression:
    """``concat(X, Y, …)``: concat(X, Y, …) = [X Y …], matrices side by side: (n, a), … → (n, a + …)."""

def cos(X: OperandLike) -> Expression:
    """``cos(X)``: y[i,j] = cos(X[i,j]): (m, n) → (m, n)."""

def cosine(X: OperandLike, Y: OperandLike) -> Expression:
    """``cosine(X, Y)``: cosine(X, Y)_{ij} = x_i · y_j / (|x_i| |y_j|), the cosine of the angle between two rows, none
    of them zero: (m, n), (p, n) → (m, p)."""

def cross_entropy(Z: OperandLike, ids: OperandLike) -> Expression:
    """``cross_entropy(Z, ids)``: e[i,j] = exp(Z[i,j]); t[i] = sum(k, e[i,k]); l[i] = log(t[i]) - sum(j, Z[i,j] if j ==
    ids[i] + 1 else 0); y = sum(i, l[i]) / m: (m, n), (1, m) → (1, 1)."""

def degrees(X: OperandLike) -> Expression:
    """``degrees(X)``: Radians as degrees: 180/π times them."""

def diag(x: OperandLike) -> Expression:
    """``diag(x)``: y[i,j] = x[i] if i == j else 0: (1, n) → (n, n)."""

def distance(n: OperandLike) -> Expression:
    """``distance(n)``: distance(n)_{ij} = |i − j|, how far apart two positions are: → (n, n)."""

def divide(X: OperandLike, Y: OperandLike) -> Expression:
    """``divide(X, Y)``: (X ⊘ Y)_{ij} = x_{ij} / y_{ij}, the quotient entry by entry; no entry of Y may be zero: (m,
    n), (m, n) → (m, n)."""

def dot(X: OperandLike, Y: OperandLike) -> Expression:
    """``dot(X, Y)``: dot(X, Y)_{ij} = x_i · y_j = Σ_k x_{ik} y_{jk}, one pair of rows at a time, as a loop would go:
    (m, n), (p, n) → (m, p)."""

def elu(X: OperandLike) -> Expression:
    """``elu(X)``: ELU(X)_{ij} = x_{ij} where x_{ij} > 0, and e^{x_{ij}} − 1 elsewhere: (m, n) → (m, n)."""

def entropy(
    A: OperandLike,
    axis: bool | int | tuple[int, ...] | None = ...,
    dim: bool | int | tuple[int, ...] | None = ...,
    keepdims: bool | int | tuple[int, ...] | None = ...,
    keepdim: bool | int | tuple[int, ...] | None = ...,
) -> Expression:
    """``entropy(A)``: entropy(A)_i = −Σ_k a_{ik} ln a_{ik}, with 0 ln 0 = 0: how widely row i spreads its weight: (m,
    n) → (m, 1)."""

def entry(X: OperandLike, i: OperandLike, j: OperandLike) -> Expression:
    """``entry(X, i, j)``: Entry (i, j) of X, counted from 1 as the reader counts: entry(X, i, j) = x_{ij}: (m, n) →
    (1, 1)."""

def erf(X: OperandLike) -> Expression:
    """``erf(X)``: y[i,j] = erf(X[i,j]): (m, n) → (m, n)."""

def exp(X: OperandLike) -> Expression:
    """``exp(X)``: exp(X)_{ij} = e^{x_{ij}}: every entry by itself, not the exponential of a matrix: (m, n) → (m, n)."""

def floor(X: OperandLike) -> Expression:
    """``floor(X)``: y[i,j] = floor(X[i,j]): (m, n) → (m, n)."""

def gelu(X: OperandLike) -> Expression:
    """``gelu(X)``: GELU(X)_{ij} = x_{ij} Φ(x_{ij}) with Φ(x) = (1 + erf(x / √2)) / 2, the normal distribution's share
    below x: (m, n) → (m, n)."""

def gelu_tanh(X: OperandLike) -> Expression:
    """``gelu_tanh(X)``: GELU_tanh(X)_{ij} = x_{ij} (1 + tanh(√(2/π) (x_{ij} + 0.044715 x_{ij}³))) / 2, close to GELU
    without erf: (m, n) → (m, n)."""

def hadamard(X: OperandLike, Y: OperandLike) -> Expression:
    """``hadamard(X, Y)``: (X ⊙ Y)_{ij} = x_{ij} y_{ij}, the product entry by entry; with a number a product as any
    other, s · X: (m, n), (m, n) → (m, n)."""

def head(X: OperandLike, t: OperandLike, h: OperandLike) -> Expression:
    """``head(X, t, h)``: head(X, t, h)_{ij} = x_{i, (t − 1) d/h + j}: the t-th of h equally wide blocks of columns,
    counted from 1: (n, d) → (n, d/h)."""

def identity(n: OperandLike) -> Expression:
    """``identity(n)``: y[i,j] = 1 if i == j else 0: → (n, n)."""

def keep(A: OperandLike, M: OperandLike) -> Expression:
    """``keep(A, M)``: keep(A, M)_{ij} = a_{ij} where m_{ij} = 0, else 0: what a mask leaves of weights, the rest
    exactly 0: (m, n), (m, n) → (m, n)."""

def kept(M: OperandLike) -> Scalar:
    """``kept(M)``: How many entries of a mask are 0, so that softmax sees them, for d.quantity(…)."""

def kron(X: OperandLike, Y: OperandLike) -> Expression:
    """``kron(X, Y)``: y[i,j] = X[floor((i - 1)/p) + 1,floor((j - 1)/q) + 1] * Y[(i - 1) % p + 1,(j - 1) % q + 1]: (m,
    n), (p, q) → (m*p, n*q)."""

def layer_norm(
    X: OperandLike,
    epsilon: OperandLike | None = None,
    gamma: OperandLike | None = None,
    beta: OperandLike | None = None,
    axis: bool | int | tuple[int, ...] | None = ...,
    dim: bool | int | tuple[int, ...] | None = ...,
) -> Expression:
    """``layer_norm(X, epsilon=…, gamma=…, beta=…)``: LN(X)_{ij} = (x_{ij} − μ_i) / √(σ²_i + ε) · γ_j + β_j: (m, d),
    gamma (1, d), beta (1, d) → (m, d)."""

def leaky_relu(X: OperandLike, slope: OperandLike | None = None) -> Expression:
    """``leaky_relu(X, slope=…)``: y[i,j] = X[i,j] if X[i,j] > 0 else slope * X[i,j]: (m, n) → (m, n)."""

def log(X: OperandLike) -> Expression:
    """``log(X)``: log(X)_{ij} = ln x_{ij}, the natural logarithm; every entry has to be positive: (m, n) → (m, n)."""

def log_softmax(
    S: OperandLike,
    axis: bool | int | tuple[int, ...] | None = ...,
    dim: bool | int | tuple[int, ...] | None = ...,
) -> Expression:
    """``log_softmax(S)``: e[i,j] = exp(S[i,j]); t[i] = sum(k, e[i,k]); y[i,j] = S[i,j] - log(t[i]): (m, n) → (m, n)."""

def matrix_power(A: OperandLike, n: OperandLike) -> Expression:
    """``matrix_power(A, n)``: A A … A, for a whole n from 1 up: (m, m) → (m, m)."""

def max(
    X: OperandLike,
    /,
    *more: OperandLike,
    axis: bool | int | tuple[int, ...] | None = ...,
    dim: bool | int | tuple[int, ...] | None = ...,
    keepdims: bool | int | tuple[int, ...] | None = ...,
    keepdim: bool | int | tuple[int, ...] | None = ...,
) -> Expression:
    """``max(X, …)``: The largest entry along an axis, or of a vector; of several values the largest in each place."""

def maximum(X: OperandLike, Y: OperandLike) -> Expression:
    """``maximum(X, Y)``: y[i,j] = max(X[i,j], Y[i,j]): (m, n), (m, n) → (m, n)."""

def mean(
    X: OperandLike,
    axis: bool | int | tuple[int, ...] | None = ...,
    dim: bool | int | tuple[int, ...] | None = ...,
    keepdims: bool | int | tuple[int, ...] | None = ...,
    keepdim: bool | int | tuple[int, ...] | None = ...,
) -> Expression:
    """``mean(X)``: The mean along an axis, or of all entries of a vector."""

def min(
    X: OperandLike,
    /,
    *more: OperandLike,
    axis: bool | int | tuple[int, ...] | None = ...,
    dim: bool | int | tuple[int, ...] | None = ...,
    keepdims: bool | int | tuple[int, ...] | None = ...,
    keepdim: bool | int | tuple[int, ...] | None = ...,
) -> Expression:
    """``min(X, …)``: The smallest entry along an axis, or of a vector; of several values the smallest in each place."""

def minimum(X: OperandLike, Y: OperandLike) -> Expression:
    """``minimum(X, Y)``: y[i,j] = min(X[i,j], Y[i,j]): (m, n), (m, n) → (m, n)."""

def mish(X: OperandLike) -> Expression:
    """``mish(X)``: s[i,j] = log(1 + exp(X[i,j])); y[i,j] = X[i,j] * tanh(s[i,j]): (m, n) → (m, n)."""

def mse(X: OperandLike, Y: OperandLike) -> Expression:
    """``mse(X, Y)``: y = sum(i, sum(j, (X[i,j] - Y[i,j])^2)) / (m * n): (m, n), (m, n) → (1, 1)."""

def multiplications(X: OperandLike) -> Scalar:
    """``multiplications(X)``: How many multiplications of two numbers the products in a formula take, for
    d.quantity(…)."""

def norm(
    X: OperandLike,
    axis: bool | int | tuple[int, ...] | None = ...,
    dim: bool | int | tuple[int, ...] | None = ...,
    keepdims: bool | int | tuple[int, ...] | None = ...,
    keepdim: bool | int | tuple[int, ...] | None = ...,
) -> Expression:
    """``norm(X)``: norm(X)_i = √(Σ_k x_{ik}²), the Euclidean length of every row: (m, n) → (m, 1)."""

def one_hot(ids: OperandLike, v: OperandLike) -> Expression:
    """``one_hot(ids, v)``: one_hot(ids, v)_{ij} = 1 where j is ids_i and 0 elsewhere; ids count from 0, as tokenizers
    do: (1, n) → (n, v)."""

def ones(m: OperandLike, n: OperandLike) -> Expression:
    """``ones(m, n)``: y[i,j] = 1: → (m, n)."""

def padding_mask(
    n: OperandLike,
    m: OperandLike,
    l: OperandLike,
    value: OperandLike | None = None,
) -> Expression:
    """``padding_mask(n, m, l, value=…)``: M_{ij} = 0 for j ≤ l and v for j > l: nobody sees what only fills a sequence
    up to the length of its batch: → (n, m)."""

def power(X: OperandLike, k: OperandLike) -> Expression:
    """``power(X, k)``: y[i,j] = X[i,j]^k: (m, n) → (m, n)."""

def proportions(
    S: OperandLike,
    axis: bool | int | tuple[int, ...] | None = ...,
    dim: bool | int | tuple[int, ...] | None = ...,
) -> Expression:
    """``proportions(S)``: proportions(S)_{ij} = s_{ij} / Σ_k s_{ik}: every row divided by its sum, which may not be
    zero: (m, n) → (m, n)."""

def radians(X: OperandLike) -> Expression:
    """``radians(X)``: Degrees as radians: π/180 times them."""

def relu(X: OperandLike) -> Expression:
    """``relu(X)``: ReLU(X)_{ij} = max(0, x_{ij}): (m, n) → (m, n)."""

def rms_norm(
    X: OperandLike,
    epsilon: OperandLike | None = None,
    gamma: OperandLike | None = None,
    axis: bool | int | tuple[int, ...] | None = ...,
    dim: bool | int | tuple[int, ...] | None = ...,
) -> Expression:
    """``rms_norm(X, epsilon=…, gamma=…)``: RMSNorm(X)_{ij} = x_{ij} / √(Σ_k x_{ik}² / d + ε) · γ_j: divided by the
    root mean square, nothing subtracted: (m, d), gamma (1, d) → (m, d)."""

def rotary(X: OperandLike, base: OperandLike | None = None, start: OperandLike | None = None) -> Expression:
    """``rotary(X, base=…, start=…)``: rotary(X): in row i, at position p = start + i from 0, the pair (x_{2t},
    x_{2t+1}) is turned by the angle p θ_t: (n, d) → (n, d)."""

def rotary_halves(X: OperandLike, positions: OperandLike, base: OperandLike | None = None) -> Expression:
    """``rotary_halves(X, positions, base=…)``: theta[j] = base^(-2 * (j - 1) / d) if j <= d / 2 else base^(1 - 2 * (j
    - 1) / d); phi[i,j] = positions[i] * theta[j]; y[i,j] = X[i,j] * cos(phi[i,j]) - X[i,j + d/2] * sin(phi[i,j]) if
    j <= d / 2 else X[i,j - d/2] * sin(phi[i,j]) + X[i,j] * cos(phi[i,j]): (n, d), (1, n) → (n, d)."""

def row(X: OperandLike, i: OperandLike) -> Expression:
    """``row(X, i)``: Row i of X, counted from 1 as the reader counts: row(X, i)_{1j} = x_{ij}: (m, n) → (1, n)."""

def row_max(
    X: OperandLike,
    axis: bool | int | tuple[int, ...] | None = ...,
    dim: bool | int | tuple[int, ...] | None = ...,
    keepdims: bool | int | tuple[int, ...] | None = ...,
    keepdim: bool | int | tuple[int, ...] | None = ...,
) -> Expression:
    """``row_max(X)``: row_max(X)_i = max_k x_{ik}: what a stable softmax subtracts from every row: (m, n) → (m, 1)."""

def row_mean(
    X: OperandLike,
    axis: bool | int | tuple[int, ...] | None = ...,
    dim: bool | int | tuple[int, ...] | None = ...,
    keepdims: bool | int | tuple[int, ...] | None = ...,
    keepdim: bool | int | tuple[int, ...] | None = ...,
) -> Expression:
    """``row_mean(X)``: y[i] = sum(k, X[i,k]) / n: (m, n) → (m, 1)."""

def row_min(
    X: OperandLike,
    axis: bool | int | tuple[int, ...] | None = ...,
    dim: bool | int | tuple[int, ...] | None = ...,
    keepdims: bool | int | tuple[int, ...] | None = ...,
    keepdim: bool | int | tuple[int, ...] | None = ...,
) -> Expression:
    """``row_min(X)``: y[i] = -max(k, -X[i,k]): (m, n) → (m, 1)."""

def row_sum(
    X: OperandLike,
    axis: bool | int | tuple[int, ...] | None = ...,
    dim: bool | int | tuple[int, ...] | None = ...,
    keepdims: bool | int | tuple[int, ...] | None = ...,
    keepdim: bool | int | tuple[int, ...] | None = ...,
) -> Expression:
    """``row_sum(X)``: y[i] = sum(k, X[i,k]): (m, n) → (m, 1)."""

def row_var(
    X: OperandLike,
    correction: OperandLike | None = None,
    axis: bool | int | tuple[int, ...] | None = ...,
    dim: bool | int | tuple[int, ...] | None = ...,
    keepdims: bool | int | tuple[int, ...] | None = ...,
    keepdim: bool | int | tuple[int, ...] | None = ...,
) -> Expression:
    """``row_var(X, correction=…)``: mu[i] = sum(k, X[i,k]) / n; y[i] = sum(k, (X[i,k] - mu[i])^2) / (n - correction):
    (m, n) → (m, 1)."""

def rows(X: OperandLike, a: OperandLike, b: OperandLike) -> Expression:
    """``rows(X, a, b)``: rows(X, a, b) = the rows a to b of X, both counted from 1 and both included: (m, n) → (b - a
    + 1, n)."""

def sigmoid(X: OperandLike) -> Expression:
    """``sigmoid(X)``: e[i,j] = exp(-X[i,j]); y[i,j] = 1 / (1 + e[i,j]): (m, n) → (m, n)."""

def silu(X: OperandLike) -> Expression:
    """``silu(X)``: SiLU(X)_{ij} = x_{ij} / (1 + e^{−x_{ij}}), the input times its own sigmoid; also called Swish: (m,
    n) → (m, n)."""

def sin(X: OperandLike) -> Expression:
    """``sin(X)``: y[i,j] = sin(X[i,j]): (m, n) → (m, n)."""

def sinusoidal(n: OperandLike, d: OperandLike, base: OperandLike | None = None) -> Expression:
    """``sinusoidal(n, d, base=…)``: PE_{i, 2t} = sin(p θ_t), PE_{i, 2t+1} = cos(p θ_t) with θ_t = base^{−2t/d}; p, i
    and t count from 0, p = i: → (n, d)."""

def softcap(X: OperandLike, c: OperandLike) -> Expression:
    """``softcap(X, c)``: y[i,j] = c * tanh(X[i,j] / c): (m, n) → (m, n)."""

def softmax(
    S: OperandLike,
    axis: bool | int | tuple[int, ...] | None = ...,
    dim: bool | int | tuple[int, ...] | None = ...,
) -> Expression:
    """``softmax(S)``: softmax(S)_{ij} = exp(s_{ij}) / Σ_k exp(s_{ik}): (m, n) → (m, n)."""

def softplus(X: OperandLike) -> Expression:
    """``softplus(X)``: e[i,j] = exp(X[i,j]); y[i,j] = log(1 + e[i,j]): (m, n) → (m, n)."""

def sqrt(X: OperandLike) -> Scalar:
    """``sqrt(X)``: The square root of a number, kept as a root, or of every entry: ``X / sqrt(d_k)``, ``sqrt(X)``."""

def stack(X: OperandLike, Y: OperandLike, /, *more: OperandLike) -> Expression:
    """``stack(X, Y, …)``: stack(X, Y, …) = X above Y above …, as a cache of keys grows by the key of a new token: (a,
    n), … → (a + …, n)."""

def std(
    X: OperandLike,
    axis: bool | int | tuple[int, ...] | None = ...,
    dim: bool | int | tuple[int, ...] | None = ...,
    keepdims: bool | int | tuple[int, ...] | None = ...,
    keepdim: bool | int | tuple[int, ...] | None = ...,
    ddof: bool | int | tuple[int, ...] | None = ...,
    correction: bool | int | tuple[int, ...] | None = ...,
    unbiased: bool | int | tuple[int, ...] | None = ...,
) -> Expression:
    """``std(X)``: The standard deviation along an axis, or of a vector: the root of the variance."""

def sum(
    X: OperandLike,
    axis: bool | int | tuple[int, ...] | None = ...,
    dim: bool | int | tuple[int, ...] | None = ...,
    keepdims: bool | int | tuple[int, ...] | None = ...,
    keepdim: bool | int | tuple[int, ...] | None = ...,
) -> Expression:
    """``sum(X)``: The sum along an axis, or of all entries of a vector."""

def tan(X: OperandLike) -> Expression:
    """``tan(X)``: y[i,j] = sin(X[i,j]) / cos(X[i,j]): (m, n) → (m, n)."""

def tanh(X: OperandLike) -> Expression:
    """``tanh(X)``: tanh(X)_{ij} = tanh(x_{ij}) = (e^{2x} − 1) / (e^{2x} + 1), between −1 and 1: (m, n) → (m, n)."""

def top_k(
    P: OperandLike,
    k: OperandLike,
    axis: bool | int | tuple[int, ...] | None = ...,
    dim: bool | int | tuple[int, ...] | None = ...,
) -> Expression:
    """``top_k(P, k)``: 1 where an entry is among the k largest of its row, 0 elsewhere: (m, n) → (m, n)."""

def unit(
    X: OperandLike,
    axis: bool | int | tuple[int, ...] | None = ...,
    dim: bool | int | tuple[int, ...] | None = ...,
) -> Expression:
    """``unit(X)``: unit(X)_{ij} = x_{ij} / √(Σ_k x_{ik}²): every row divided by its length; no row may be zero: (m, n)
    → (m, n)."""

def var(
    X: OperandLike,
    axis: bool | int | tuple[int, ...] | None = ...,
    dim: bool | int | tuple[int, ...] | None = ...,
    keepdims: bool | int | tuple[int, ...] | None = ...,
    keepdim: bool | int | tuple[int, ...] | None = ...,
    ddof: bool | int | tuple[int, ...] | None = ...,
    correction: bool | int | tuple[int, ...] | None = ...,
    unbiased: bool | int | tuple[int, ...] | None = ...,
) -> Expression:
    """``var(X)``: The variance along an axis, or of a vector: divided by n - ddof, which is n where nothing is said."""

def window_mask(n: OperandLike, w: OperandLike, value: OperandLike | None = None) -> Expression:
    """``window_mask(n, w, value=…)``: M_{ij} = 0 for |i − j| < w and v elsewhere: position i sees itself and w − 1
    neighbours on each side: → (n, n)."""
