# Made from symattn.functions.TABLE by symattn.authoring.stub.
# fmt: off

from symattn.authoring.expression import Argument, Expression, Scalar

def additive_scores(Q: Argument, K: Argument, v: Argument) -> Expression:
    """``additive_scores(Q, K, v)``: Σ_c v_c tanh(q_ic + k_jc): (m, a), (p, a), (1, a) → (m, p)."""

def angle(X: Argument, Y: Argument) -> Expression:
    """``angle(X, Y)``: Angle of every row with every row, in degrees: (m, n), (p, n) → (m, p)."""

def argmax(X: Argument) -> Expression:
    """``argmax(X)``: The column of the largest entry of each row, from 0: (m, n) → (m, 1)."""

def broadcast(b: Argument, n: Argument) -> Expression:
    """``broadcast(b, n)``: One row written n times: (1, d) → (n, d)."""

def causal_mask(n: Argument, value: Argument | None = None) -> Expression:
    """``causal_mask(n, value=…)``: 0 on and below the diagonal, ``value`` above it: → (n, n)."""

def clip_norm(X: Argument, c: Argument) -> Expression:
    """``clip_norm(X, c)``: A matrix shortened to the length ``threshold`` where it is longer: (m, n) → (m, n)."""

def concat(X: Argument, Y: Argument, /, *more: Argument) -> Expression:
    """``concat(X, Y, …)``: Matrices side by side: (n, a), (n, b), … → (n, a + b + …)."""

def cosine(X: Argument, Y: Argument) -> Expression:
    """``cosine(X, Y)``: Cosine of every row with every row: (m, n), (p, n) → (m, p)."""

def distance(n: Argument) -> Expression:
    """``distance(n)``: |i − j|: → (n, n)."""

def divide(X: Argument, Y: Argument) -> Expression:
    """``divide(X, Y)``: X ⊘ Y, the quotient entry by entry: (m, n), (m, n) → (m, n)."""

def dot(X: Argument, Y: Argument) -> Expression:
    """``dot(X, Y)``: Dot product of every row with every row: (m, n), (p, n) → (m, p)."""

def elu(X: Argument) -> Expression:
    """``elu(X)``: x where x > 0, else e^x − 1, of each entry: (m, n) → (m, n)."""

def entropy(A: Argument) -> Expression:
    """``entropy(A)``: −Σ a ln a of each row, in nats: (m, n) → (m, 1)."""

def exp(X: Argument) -> Expression:
    """``exp(X)``: e to the power of each entry: (m, n) → (m, n)."""

def gelu(X: Argument) -> Expression:
    """``gelu(X)``: x Φ(x) of each entry: (m, n) → (m, n)."""

def gelu_tanh(X: Argument) -> Expression:
    """``gelu_tanh(X)``: GELU by way of tanh, of each entry: (m, n) → (m, n)."""

def hadamard(X: Argument, Y: Argument) -> Expression:
    """``hadamard(X, Y)``: X ⊙ Y, the product entry by entry: (m, n), (m, n) → (m, n)."""

def head(X: Argument, t: Argument, h: Argument) -> Expression:
    """``head(X, t, h)``: Block ``number`` of ``count`` equally wide blocks of columns: (n, d) → (n, d/h)."""

def identity(n: Argument) -> Expression:
    """``identity(n)``: The identity matrix: → (n, n)."""

def keep(A: Argument, M: Argument) -> Expression:
    """``keep(A, M)``: What a mask leaves visible, exactly 0 elsewhere: (m, n), (m, n) → (m, n)."""

def kept(M: Argument) -> Scalar:
    """``kept(M)``: How many entries of a mask are 0, so that softmax sees them, for d.quantity(…)."""

def layer_norm(
    X: Argument,
    epsilon: Argument | None = None,
    gamma: Argument | None = None,
    beta: Argument | None = None,
) -> Expression:
    """``layer_norm(X, epsilon=…, gamma=…, beta=…)``: Layer norm of each row with the population variance: (m, d), γ
    and β (1, d) → (m, d)."""

def log(X: Argument) -> Expression:
    """``log(X)``: The natural logarithm of each entry: (m, n) → (m, n)."""

def multiplications(X: Argument) -> Scalar:
    """``multiplications(X)``: How many multiplications of two numbers the products in a formula take, for
    d.quantity(…)."""

def norm(X: Argument) -> Expression:
    """``norm(X)``: The Euclidean length of each row: (m, n) → (m, 1)."""

def one_hot(ids: Argument, v: Argument) -> Expression:
    """``one_hot(ids, v)``: A row for every id, 1 in its place and 0 elsewhere: (1, n) → (n, v)."""

def ones(m: Argument, n: Argument) -> Expression:
    """``ones(m, n)``: 1 in every entry: → (m, n)."""

def padding_mask(n: Argument, m: Argument, l: Argument, value: Argument | None = None) -> Expression:
    """``padding_mask(n, m, l, value=…)``: 0 in the first ``length`` columns, ``value`` in the others: → (n, m)."""

def proportions(S: Argument) -> Expression:
    """``proportions(S)``: Each row divided by its sum: (m, n) → (m, n)."""

def relu(X: Argument) -> Expression:
    """``relu(X)``: max(0, x) of each entry: (m, n) → (m, n)."""

def rms_norm(X: Argument, epsilon: Argument | None = None, gamma: Argument | None = None) -> Expression:
    """``rms_norm(X, epsilon=…, gamma=…)``: Each row divided by its root mean square: (m, d), γ (1, d) → (m, d)."""

def rotary(X: Argument, base: Argument | None = None, start: Argument | None = None) -> Expression:
    """``rotary(X, base=…, start=…)``: Pairs of columns turned by an angle that grows with the position: (n, d) → (n,
    d), d even."""

def row(X: Argument, i: Argument) -> Expression:
    """``row(X, i)``: Row ``number``, counted from 1: (m, n) → (1, n)."""

def row_max(X: Argument) -> Expression:
    """``row_max(X)``: The largest entry of each row: (m, n) → (m, 1)."""

def rows(X: Argument, a: Argument, b: Argument) -> Expression:
    """``rows(X, a, b)``: Rows ``first`` to ``last``, counted from 1: (m, n) → (last − first + 1, n)."""

def silu(X: Argument) -> Expression:
    """``silu(X)``: x / (1 + e^(−x)) of each entry: (m, n) → (m, n)."""

def sinusoidal(n: Argument, d: Argument, base: Argument | None = None) -> Expression:
    """``sinusoidal(n, d, base=…)``: sin and cos of the position at falling frequencies: → (n, d), d even."""

def softmax(S: Argument) -> Expression:
    """``softmax(S)``: softmax of each row: (m, n) → (m, n)."""

def sqrt(x: Argument) -> Scalar:
    """``sqrt(x)``: The square root of a number, kept as a root: ``X / sqrt(2)``, ``X / sqrt(d_k)``."""

def stack(X: Argument, Y: Argument, /, *more: Argument) -> Expression:
    """``stack(X, Y, …)``: Matrices on top of each other: (a, n), (b, n), … → (a + b + …, n)."""

def tanh(X: Argument) -> Expression:
    """``tanh(X)``: tanh of each entry: (m, n) → (m, n)."""

def top_k(P: Argument, k: Argument) -> Expression:
    """``top_k(P, k)``: 1 where an entry is among the ``count`` largest of its row: (m, n) → (m, n)."""

def unit(X: Argument) -> Expression:
    """``unit(X)``: Each row divided by its length: (m, n) → (m, n)."""

def window_mask(n: Argument, w: Argument, value: Argument | None = None) -> Expression:
    """``window_mask(n, w, value=…)``: 0 where two positions are less than ``width`` apart, ``value`` elsewhere: → (n,
    n)."""
