"""Lessons whose every line is read back: a step for every kind of line that there is."""

from __future__ import annotations

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
