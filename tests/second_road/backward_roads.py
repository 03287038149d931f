"""The scenarios with gradients by hand, in plain NumPy: rows are led back by their Jacobian matrices, written out."""

from __future__ import annotations

import numpy as np

Values = dict[str, np.ndarray]


def softmax(scores: np.ndarray) -> np.ndarray:
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def back_through_softmax(shares: np.ndarray, reached: np.ndarray) -> np.ndarray:
    """Row by row the Jacobian diag(p) − p pᵀ."""
    return np.array([(np.diag(p) - np.outer(p, p)) @ g for p, g in zip(shares, reached, strict=True)])


def layer_norm(x: np.ndarray) -> np.ndarray:
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5)


def back_through_layer_norm(x: np.ndarray, reached: np.ndarray) -> np.ndarray:
    """Row by row the Jacobian of c / √(cᵀc / n + ε), c = x − mean: C (I / s − c cᵀ / (n s³)) with the centring C."""
    n = x.shape[1]
    centring = np.eye(n) - np.ones((n, n)) / n
    rows = []
    for row, g in zip(x, reached, strict=True):
        c = centring @ row
        s = np.sqrt(c @ c / n + 1e-5)
        rows.append(centring @ (np.eye(n) / s - np.outer(c, c) / (n * s**3)) @ g)
    return np.array(rows)


def _named(values: Values, suffix: str) -> Values:
    return {f"{name}{suffix}": value for name, value in values.items()}


# One head


def _head(v: Values, target: list[int]) -> Values:
    rows = len(target)
    Q, K, V = (v["X"] @ v[name] for name in ("W_Q", "W_K", "W_V"))
    S = Q @ K.T / 2.0**0.5
    S_masked = np.where(np.tri(rows) > 0, S, -np.inf)
    A = softmax(S_masked)
    Z = A @ V
    U = Z @ v["W_out"]
    P = softmax(U)
    Y = np.eye(P.shape[1])[target]
    p = P[np.arange(rows), target][:, None]
    L = -np.log(p).mean(keepdims=True)
    del v, rows, target
    return locals()


def _head_back(v: Values, f: Values) -> Values:
    dU = (f["P"] - f["Y"]) / len(f["P"])
    dW_out, dZ = f["Z"].T @ dU, dU @ v["W_out"].T
    dV, dA = f["A"].T @ dZ, dZ @ f["V"].T
    dS = dS_masked = back_through_softmax(f["A"], dA)
    dQ, dK = dS @ f["K"] / 2.0**0.5, dS.T @ f["Q"] / 2.0**0.5
    dW_Q, dW_K, dW_V = (v["X"].T @ each for each in (dQ, dK, dV))
    del v, f
    return locals()


def backward(v: Values) -> Values:
    target = [1, 2, 0]
    found = dict(forward := _head(v, target))
    found |= (gradients := _head_back(v, forward))
    ways = {f"dX_{name}": gradients[f"d{name}"] @ v[f"W_{name}"].T for name in "QKV"}
    found |= {**ways, "dX": sum(ways.values())}
    weights = dict(v)
    for t in (1, 2):
        weights |= {name: weights[name] - gradients[f"d{name}"] for name in ("W_Q", "W_K", "W_V", "W_out")}
        found |= _named({name: weights[name] for name in ("W_Q", "W_K", "W_V", "W_out")}, f"_t{t}")
        forward = _head(weights, target)
        gradients = _head_back(weights, forward)
        found |= _named({name: value for name, value in forward.items() if name != "Y"}, f"_t{t}")
        found |= _named(gradients, f"_t{t}") if t == 1 else {}
    return found


# A decoder block


def decoder_block(v: Values) -> Values:
    """Forward, as in the scenario weather."""
    X = v["E"] + v["P"]
    Q, K, V = (X @ v[name] for name in ("W_Q", "W_K", "W_V"))
    QK_T = Q @ K.T
    S = QK_T / 2.0
    M = np.where(np.tri(3) > 0, 0.0, -1e9)
    S_masked = S + M
    A = softmax(S_masked)
    Z = A @ V
    H_attn = Z @ v["W_O"]
    R_1 = X + H_attn
    LN_1 = layer_norm(R_1)
    F_1 = LN_1 @ v["W_1"]
    G = np.maximum(F_1, 0.0)
    F_2 = G @ v["W_2"]
    R_2 = LN_1 + F_2
    LN_2 = layer_norm(R_2)
    h_last = LN_2[-1:]
    logits = h_last @ v["W_out"]
    probs = softmax(logits)
    del v
    return locals()


def _block(v: Values) -> Values:
    forward = decoder_block(v)
    p = forward["probs"][:, :1]
    return forward | {"Y": np.eye(5)[:1], "p": p, "J": -np.log(p)}


def _block_back(v: Values, f: Values) -> Values:
    dlogits = f["probs"] - f["Y"]
    dW_out, dh_last = f["h_last"].T @ dlogits, dlogits @ v["W_out"].T
    dLN_2 = np.vstack([np.zeros((2, 4)), dh_last])
    dF_2 = dR_2 = back_through_layer_norm(f["R_2"], dLN_2)
    dW_2, dG = f["G"].T @ dF_2, dF_2 @ v["W_2"].T
    dF_1 = np.where(f["F_1"] > 0, dG, 0.0)
    dW_1, dLN_1_F_1 = f["LN_1"].T @ dF_1, dF_1 @ v["W_1"].T
    dLN_1 = dR_2 + dLN_1_F_1
    dH_attn = dR_1 = back_through_layer_norm(f["R_1"], dLN_1)
    dW_O, dZ = f["Z"].T @ dH_attn, dH_attn @ v["W_O"].T
    dV, dA = f["A"].T @ dZ, dZ @ f["V"].T
    dS = dS_masked = back_through_softmax(f["A"], dA)
    dQK_T = dS / 2.0
    dQ, dK = dQK_T @ f["K"], dQK_T.T @ f["Q"]
    dW_Q, dW_K, dW_V = (f["X"].T @ each for each in (dQ, dK, dV))
    dX_Q, dX_K, dX_V = dQ @ v["W_Q"].T, dK @ v["W_K"].T, dV @ v["W_V"].T
    dE = dX = dR_1 + dX_Q + dX_K + dX_V
    del v, f
    return locals()


def training(v: Values) -> Values:
    forward = _block(v)
    gradients = _block_back(v, forward)
    names = ("W_out", "W_2", "W_1", "W_O", "W_V", "W_K", "W_Q", "E")
    new = {name: v[name] - gradients[f"d{name}"] / 2 for name in names}
    again = {name: value for name, value in _block(v | new).items() if name not in ("M", "Y")}
    return forward | gradients | _named(new, "_t1") | _named(again, "_t1")
