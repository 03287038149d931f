"""Lessons whose every line is read back: a step for every kind of line that there is."""

from __future__ import annotations

import json

from symattn.operations.equations.read import read_operation
from symattn.read.scenario.operations import table_of
from symattn.read.scenario.toml import toml_text

LAYERS = """
title = "What layers are made of"
tokens = ["the", "cat", "sat"]

[given]
X = [["1", "0", "0.5", "-1"], ["0", "1/3", "-2", "0.25"], ["0.1", "0.2", "-0.3", "0.4"]]
Y = [["2", "1", "4", "-1"], ["1", "3", "-2", "5"], ["1", "-0.7", "7", "2"]]
W = [["1", "0.5"], ["0", "1"], ["-1", "0.3"], ["0.2", "2"]]
V = [["0.5", "1"], ["1", "-1"], ["0.2", "0.3"], ["0.7", "0.1"]]
P = [["0.2", "0.5", "0.3"], ["0.4", "0.2", "0.4"], ["0.25", "0.5", "0.25"]]
g = [["1", "-2", "1", "0.5"]]
v = [["1", "-2"]]

[[section]]
title = "All of them"
steps = [
  "G = hadamard(X, Y)", "D = divide(X, Y)", "H = hadamard(silu(X @ W), X @ V)", "B = divide(X @ W, exp(X @ V))",
  "T = tanh(X)", "U = gelu(X)", "U_2 = gelu_tanh(X @ W)", "S = silu(X + Y)", "L = log(P)",
  "N = rms_norm(X)", "N_2 = rms_norm(X + Y, epsilon=0, gamma=g)", "N_3 = rms_norm(Y, epsilon=0)",
  "R = rows(X, 2, 3)", "Z = stack(R, Y)", "a = argmax(P)", "b = argmax(X @ W)", "C = top_k(P, 2)",
  "F = sinusoidal(n, 4)", "F_6 = sinusoidal(n, 6)", "Q = rotary(X)", "K = rotary(Y, base=50, start=3)",
  "O = distance(n)",
  "E = additive_scores(X @ W, Y @ V, v)", "M = padding_mask(n, n, 2)",
]
"""
"""A step for every node that came with layers, with operands that are names and formulas, exact and rounded."""

BESIDE = """
title = "Formulas as people write them"
[sizes]
d_k = 4
[given]
X = [["1", "2", "0.5", "-1"], ["2", "1/3", "-2", "5"], ["0.1", "1", "3", "0.4"]]
S = [["1", "2", "3"], ["2", "0.5", "1"], ["-1", "0.3", "2"]]
gamma = [["1", "-2", "1", "0.5"]]
b = [["1", "-1", "2"]]
c = [["2"], ["1/2"], ["3"]]
t = [["3"]]
W = [["1", "0.5", "2"], ["0", "1", "-1"], ["-1", "0.3", "1"], ["0.2", "2", "0"]]
K = [["1", "0", "2", "1"], ["3", "1", "-1", "0.5"], ["1", "1", "1", "2"]]
[[section]]
title = "All of them"
steps = [
  "mu = X @ ones(4, 1) / 4", "v = (X - mu) ** 2 @ ones(4, 1) / 4", "sd = sqrt(v + 1/100000)",
  "Y = (X - mu) / sd * gamma + gamma", "Y_2 = X + 1", "Y_3 = 2 - X", "Y_4 = -1 - X - t", "Y_5 = X * t + t * X",
  "Y_6 = X / t",
  "F = 1 / (1 + exp(-X))", "a = exp(0.71)", "a_2 = 1 + exp(-t)", "a_3 = t / 2 + sqrt(t)", "a_4 = t ** 3 - t",
  "u = exp(S - row_max(S))", "A = u / (u @ ones(3, 1))", "E = u / row_max(u)", "p = softmax([2, 1, 0])",
  "s_1 = 1 / sqrt(d_k)", "S_2 = X @ K.T * s_1", "S_3 = (X @ K.T) / sqrt(d_k) + S",
  "R = max(0, X @ W + b)", "R_2 = X @ W - c", "R_3 = (S - b) ** 2", "R_4 = S ** 2", "R_5 = sqrt(S ** 2 + 1)",
  "R_6 = c ** 2 * b.T",
  "R_7 = S / c - c", "R_8 = X * c / gamma", "R_9 = (X @ W - b * t) * S", "R_10 = 1 / (c + t)", "R_11 = X ** -2",
  "m = mean(X, axis=1)", "m_2 = mean(X, axis=0)", "m_3 = mean(X, axis=None)", "m_4 = sum(X ** 2, axis=1)",
  "m_5 = sum(S, axis=0)", "m_6 = sum(S, axis=None)", "m_7 = sum(b)", "m_8 = max(X, axis=0) - min(X, axis=0)",
  "n = var(X, axis=1)", "n_2 = std(X, axis=0)", "n_3 = var(b, ddof=1)",
  "n_4 = std(X, axis=1, ddof=1) + var(S, axis=1)",
  "n_5 = (X - mean(X, axis=1, keepdims=True)) / std(X, axis=1, keepdims=True)", "n_6 = X - mean(X, axis=0)",
  "C = softmax(S, axis=0)", "C_2 = softmax(S / t - 1, axis=0)", "C_3 = maximum(X, gamma)", "C_4 = minimum(S, 0.5)",
  "C_5 = max(S, axis=1, keepdims=True) - S", "C_6 = norm(X, axis=None)", "C_7 = norm(X, axis=0)",
  "C_8 = softmax(c, axis=0)", "D = row_sum(X.T)", "D_2 = proportions(S.T)", "D_3 = row_max(W.T)", "D_4 = unit(X.T)",
  "D_5 = [-1] @ [-1].T", "D_6 = std(X, axis=0) - -1/2", "D_7 = np.argmin(S, axis=1)",
  "G = sin(X) ** 2 + cos(X) ** 2", "G_2 = X / sqrt(mean(X ** 2, axis=1, keepdims=True) + 1e-6) * gamma",
  "G_3 = b @ c / (norm(b) * norm(c.T))", "G_4 = (b - 1) @ c + t", "G_5 = exp(t) * S", "G_6 = S[0] - S[1, 2]",
  "G_7 = tan(t) * c",
]
"""
"""Rows, columns and numbers beside matrices, roots and powers of entries, sums and means of rows and columns."""

LOGARITHMS = """
title = "Scores that are logarithms"
[sizes]
d_k = 4
[given]
Q = [["log(4)", "log(9)", "-log(2)", "log(2)/2"], ["0", "log(2/3)", "2*log(3)", "-log(5)"]]
K = [["1", "0", "1", "0"], ["0", "1", "0", "2"], ["2", "1", "0", "-4"]]
s = [["-log(3)", "log(3/4)", "0"]]
V = [["1", "0"], ["-1", "2"], ["0.5", "1/3"]]
[[section]]
title = "All of them"
steps = [
  "P = Q @ K.T", "S = Q @ K.T / sqrt(d_k)", "A = softmax(S)", "B = softmax(P + padding_mask(2, 3, 2))", "O = A @ V",
  "u = softmax(s)", "w = exp(s)", "E = exp(Q)", "D = P - S", "D_2 = S / sqrt(2)", "f = silu(s)", "N = rms_norm(Q)",
  "M = layer_norm(Q)", "x = unit(s)", "r = relu(s)", "l = elu(s)", "y = norm(s)", "g = gelu_tanh(s)", "G = gelu(s)",
  "h = hadamard(s, s)", "p = proportions(s)", "t = s @ ones(3, 1)", "a = argmax(s)", "c = cosine(Q, Q)",
]
"""
"""Every kind of line in which a logarithm may stand as a factor, a term, a base or an exponent."""

PRODUCTS = """
title = "Products, signs and indices"
[sizes]
n = 3
[given]
X = [["1", "2"], ["3", "-1"], ["0.5", "2"]]
Z = [["0", "0"]]
x = [["1", "2"]]
v = [["1", "2", "-1"]]
t = [["4"]]
ids = [["1"]]
[[section]]
title = "All of them"
steps = [
  "Y = X + 1 * ones(n, 2)", "Y_2 = 21 * ones(n, 2) - X", "Y_3 = 1/100000 * ones(1, 3) + v",
  "Y_4 = exp(X - 50001 * ones(n, 2))", "Y_5 = 1/2 * ones(n, 2) + X", "Y_6 = hadamard(2 * X, 3 * X)",
  "Y_7 = X.T @ ones(n, 2)", "Y_8 = 2 * ones(2, n) @ ones(n, 2)", "Y_9 = hadamard(X, ones(n, 2))",
  "y = x + layer_norm(x)", "y_2 = 2 * one_hot(ids, 3) + v", "y_3 = layer_norm(x)", "y_4 = x + rms_norm(x)",
  "y_5 = rms_norm(t)", "y_6 = gelu(t) + t", "y_7 = softmax(x + padding_mask(1, 2, 1))", "y_8 = top_k(t, 1)",
  "N = X + layer_norm(X) + layer_norm(Y)", "N_2 = rms_norm(X) + rms_norm(Y)", "N_3 = layer_norm(X) @ X.T",
  "N_4 = layer_norm(X + layer_norm(X, gamma=x, beta=x))", "N_5 = rotary(layer_norm(X))", "N_6 = dot(rms_norm(X), X)",
  "N_7 = layer_norm(X, gamma=x + x, beta=x - x)", "N_8 = clip_norm(layer_norm(X), 0.5)",
  "D = dot(X + X, x + x)", "D_2 = X @ (x.T @ x)", "D_3 = (dot(x, x)) @ (x + x) + x", "D_4 = hadamard(dot(x, x), t)",
  "A = additive_scores(X, -1 * X, x)", "A_2 = stack(elu(X) + X, elu(x))",
  "A_3 = row_max(X.T @ X) + row_max(2 * X.T @ X)",
  "M = argmax(head(concat(X, X), 1, 2))", "M_2 = row_max(distance(n))", "M_3 = argmax(t)",
  "M_4 = dot(row_max(X), X @ x.T)",
  "C = clip_norm(Z, 0.5)", "C_2 = clip_norm(identity(1), 0.5)", "E = entropy(softmax(X @ X.T))",
]
"""
"""Lines that said something else once: a sign left out, an index bound nowhere, two means by one name."""

OPERATIONS = """
mycap(X, c = 30) | y[i,j] = c * tanh(X[i,j] / c)
mysigmoid(X) | y[i,j] = 1 / (1 + exp(-X[i,j]))
myplus(X) | y[i,j] = log(1 + exp(X[i,j]))
mymish(X) | s[i,j] = log(1 + exp(X[i,j])) | y[i,j] = X[i,j] * tanh(s[i,j])
myleaky(X, a = 1/100) | y[i,j] = X[i,j] if X[i,j] > 0 else a * X[i,j]
myhard(X) | y[i,j] = 1 if X[i,j] > 1 else X[i,j] if X[i,j] > -1 else -1
mylog(S: m×n) -> m×n | e[i,j] = exp(S[i,j]) | t[i] = sum(k, e[i,k]) | y[i,j] = S[i,j] - log(t[i])
mysafe(S: m×n) -> m×n | r[i] = max(k, S[i,k]) | t[i] = sum(k, exp(S[i,k] - r[i])) | y[i,j] = exp(S[i,j] - r[i]) / t[i]
mygain(X: m×d, gamma: d = 1) -> m×d | y[i,j] = 2 * X[i,j] * gamma[j]
myscore(X: m×d, epsilon = 1/1000) -> m×d | mean[i] = sum(k, X[i,k]) / d | var[i] = sum(k, (X[i,k] - mean[i])^2) / d \
 | y[i,j] = (X[i,j] - mean[i]) / sqrt(var[i] + epsilon)
mymid(X: m×n) -> m×n | mu[i] = sum(k, X[i,k]) / n | y[i,j] = abs(X[i,j] - mu[i])^3 - min(X[i,j], -2)
mycolumns(X: m×n) -> 1×n | y[j] = sum(i, X[i,j])
myupper(X: m×n) -> m×n | y[i,j] = X[i,j] if j > i else 1 if j == i else -1
mypairs(X: m×d, Y: n×d) -> m×n | y[i,j] = sqrt(sum(k, (X[i,k] - Y[j,k])^2))
mykernel(X: m×d, Y: n×d, s = 2) -> m×n | q[i,j] = sum(k, (X[i,k] - Y[j,k])^2) | y[i,j] = exp(-q[i,j] / s)
myflip(X: m×n) -> m×n | y[i,j] = X[i, n + 1 - j]
myboth(X: m×n) -> m×n | p[i] = sum(k, X[i,k]) | r[j] = sum(l, X[l,j]) \
 | y[i,j] = X[i,j] * p[i] - p[i] * (r[j] - 3) + r[j]^2
mynested(X: m×m) -> m×m | a[i] = sum(k, X[i,k]) | y[i,j] = X[i,j] - sum(k, a[k] * X[k,j])
myminus(X) | y[i,j] = X[i,j] - (X[i,j] - (2 - X[i,j]))
mysofar(X: m×n) -> m×n | y[i,j] = sum(k, X[i,k] if k <= j else 0)
mybias(X: m×d, b: d, s = 2) -> m×d | y[i,j] = s * (X[i,j] - b[j])^2 + 1
mytwo(X: m×n) -> m×n | mu[i] = sum(k, X[i,k]) / n | delta[i,j] = X[i,j] - mu[i] | rho[i,j] = delta[i,j]^2 \
 | y[i,j] = rho[i,j] / (1 + rho[i,j]) - abs(delta[i,j])
myshares(X: m×n) -> m×n | nu[j] = sum(k, X[k,j]^2) | y[i,j] = X[i,j]^2 / nu[j]
mycorners(X: m×n) -> m×n | y[i,j] = 2 * X[i,j] if i == j else X[i,n - j + 1]
myclamp(X, a, b) | y[i,j] = min(b, max(a, X[i,j]))
mywhole(X: m×n) -> m×n | tau = sum(k, sum(l, X[k,l]^2)) | y[i,j] = X[i,j] / sqrt(tau)
myrest(X) | y[i,j] = X[i,j] - floor(X[i,j])
myplaces(X: m×n) -> m×n | y[i,j] = X[i,j] * (i + j) / n
mytwofold(X) | arg[i,j] = 2 * X[i,j] | sig[i,j] = 1 / (1 + exp(-arg[i,j])) | y[i,j] = X[i,j] * sig[i,j]
mypositive(X: m×n) -> m×1 | y[i] = sum(k, X[i,k] if X[i,k] > 0 else 0)
mytiny(X: m×n) -> m×1 | y[i] = sum(k, X[i,k] if X[i,k] > 0 else 1)
myturned(X: m×n) -> n×m | y[i,j] = X[j,i]
"""
"""Operations of somebody's own, each in a line."""

OF_OWN = """
mycap(X, 5) | X + mycap(X, -3) | mycap(X, 30) | mycap(X + Y) | softmax(mycap(X @ Y.T, 5)) | mysigmoid(X)
mysigmoid(X + Y) @ W | -myplus(X) | mymish(X) | mymish(X @ W) | myleaky(X) | myleaky(X @ W)
myleaky(X) + myleaky(X, 2) | myhard(S) | myhard(S) @ X | mylog(S) | mylog(X @ W)
mysafe(S) - mysafe(S.T) | mygain(X) | mygain(X, g).T @ Y | myscore(X, 1/100)
myscore(X + Y).T | mymid(X) + layer_norm(X, 1/10) | mycolumns(X) | ones(3, 1) @ mycolumns(X) | myupper(S)
mypairs(X @ W, S) | mypairs(X, Y) | mykernel(X, Y) | myflip(X) | mynested(X @ W) | mysofar(X)
myminus(X) | keep(S, window_mask(3, 2, value=-10)) | clip_norm(X + Y, 2) @ W | mycap(X @ Y.T @ Y, sqrt(2))
myplus(Y) | mybias(X, g) | mytwo(X) | myshares(X) | mycorners(X) | myclamp(X, -1, 1/2) | mywhole(X)
myrest(X) | myplaces(X) | mytwofold(X) | mypositive(X) | mytiny(10^-9 * X) | myturned(X)
"""
"""Formulas of them."""


def with_operations() -> str:
    """A lesson with a step for every formula of operations of somebody's own."""
    records = (read_operation(line.replace(" | ", "\n")) for line in OPERATIONS.strip().split("\n"))
    tables = {record.name: {k: v for k, v in table_of(record).items() if k != "source"} for record in records}
    steps = [f"Z_{place} = {text}" for place, text in enumerate(OF_OWN.strip().replace("\n", " | ").split(" | "), 1)]
    return f"""title = "Operations"
{toml_text({"operation": tables})}
[given]
X = [["1", "-2", "1/2", "0"], ["3", "1/3", "-1", "2"], ["-1/4", "1", "4", "-3"]]
Y = [["2", "1", "0", "-1"], ["1/2", "3", "1", "1"], ["-2", "5", "1/4", "1"]]
W = [["1", "0", "-1"], ["1/2", "2", "1"], ["0", "1", "3"], ["-2", "1", "1/5"]]
S = [["2", "-1", "1/2"], ["0", "3", "-2"], ["1", "1", "-1/3"]]
g = [["1", "2", "-1", "1/2"]]
[[section]]
title = "All of them"
steps = {json.dumps(steps)}
"""


GRADIENTS = """
title = "Backward through a head"
tokens = ["the", "cat", "sat"]
token_axis = "m"
[sizes]
n = 3
d_v = 2
[given.S]
axes = ["m", "n"]
value = [["1/2", "0", "1"], ["0", "1", "2"], ["1", "1", "0"]]
[given.V]
axes = ["n", "d_v"]
value = [["1", "0"], ["0", "1"], ["1", "2"]]
[given.G]
axes = ["m", "d_v"]
value = [["0.1", "0"], ["0", "0.2"], ["0.3", "-1"]]
[given.W_Q]
axes = ["d_v", "n"]
value = [["1", "0", "1"], ["0", "1", "1"]]
[given.K_raw]
axes = ["m", "n"]
value = [["1", "0", "3"], ["0.5", "1", "1"], ["-1", "0.2", "1"]]
[notation]
G = "grad(L, Z)"
dA = "grad(L, A)"
dS = "grad(L, S)"
dV = "grad(L, V)"
dW = "grad(L, W_Q)"
dX_1 = "grad(L, X, Q)"
dX_2 = "grad(L, X, K)"
dK = "grad(L, K_raw)"
db = "grad(L, b)"
[[section]]
title = "All of them"
steps = [
  "A = softmax(S)", "dA = G @ V.T", "dV = A.T @ G", "dS = A * (dA - (A * dA) @ ones(n, 1) @ ones(1, n))",
  "dW = dV.T @ dS", "R = dW * dW + 2 * dW", "N = row_sum(dA) * 2", "db = ones(1, 3) @ dS", "dX_1 = dS @ W_Q.T",
  "dX_2 = dA[1:3, :] @ W_Q.T", "S_2 = S - 1/10 * dS", "C = dS[2] @ dA[0].T", "dK = dS / 3 + dA", "E = exp(dS) * K_raw",
  "H = dX_1 ** 2", "F = softmax(dS @ dA.T)", "B = dA / (dA * dA + 1)", "M = layer_norm(dS)", "J = dK @ dK.T",
  "U = dX_1.T @ dX_1", "P = hadamard(dX_1, dX_1)", "E_2 = exp(dX_1)",
  { show = "dA", form = "general" }, { show = "dS", form = "rows" }, { show = "dS", form = "vectors" },
]
"""
"""Gradients as fractions, in products, sums, powers and functions of them."""


BACK = """
title = "Back into its place"
[given]
X = [["1", "2"], ["3", "4"], ["5", "6"]]
V = [["1", "2"], ["3", "4"]]
z = [["1", "2", "1/2"]]
t = [["2"]]
c = [["2"], ["0"], ["1"]]
[[section]]
title = "All of them"
steps = [
  "h = X[2]", "L = sum(h, axis=None)", "dX = grad(L, X)", "b = X[1:]", "M = sum(b * b, axis=None)",
  "dX_2 = grad(M, X)", "e = entry(X, 2, 1)", "N = 2 * e", "dX_3 = grad(N, X)", "C = head(X, 2, 2)",
  "O = sum(C * C, axis=None)", "dX_4 = grad(O, X)", "r = row(exp(X) @ V, 2)", "P = sum(relu(r), axis=None)",
  "R = P + entry(X, 1, 1)", "dX_5 = grad(R, X)", "J = cross_entropy(z, t)", "dz = grad(J, z)",
  "J_2 = cross_entropy(X.T, [0, 2])", "m = row_mean(c)", "E = mse(z, 2 * z)",
  "E_2 = mse(c, c * c)", "E_3 = mse(t, t + t)",
]
"""
"""Gradients of parts of a matrix, ReLU′, and sums and means over one place."""
