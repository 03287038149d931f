"""The functions that a Python program may need: what NumPy and PyTorch share once, with the words of each put in."""

from __future__ import annotations

_SHARED: dict[str, str] = {
    "window_mask": '''
        def window_mask(n, w, value):
            """0 where two positions are less than w apart, the value elsewhere."""
            i = {np}.arange(n)
            return {filled}
    ''',
    "padding_mask": '''
        def padding_mask(n, m, known, value):
            """0 in the columns that are known, the value in those that only fill up."""
            M = {zeros}
            M[:, known:] = value
            return M
    ''',
    "distance": '''
        def distance(n):
            """How far apart two positions are."""
            i = {np}.arange(n, {double})
            return abs(i[:, None] - i)
    ''',
    "sinusoidal": '''
        def sinusoidal(n, d, base):
            """Sine and cosine of every angle, side by side."""
            phi = angles({np}.arange(n, {double}), d, base)
            return {np}.stack([{np}.sin(phi), {np}.cos(phi)], {last}).reshape(n, d)
    ''',
    "rotary": '''
        def rotary(X, base, start):
            """Each pair of neighbouring columns turned by an angle that grows with the row."""
            n, d = X.shape
            phi = angles(start + {np}.arange(n, {double}), d, base)
            x, y = X[:, ::2], X[:, 1::2]
            turned = [x * {np}.cos(phi) - y * {np}.sin(phi), x * {np}.sin(phi) + y * {np}.cos(phi)]
            return {np}.stack(turned, {last}).reshape(n, d)
    ''',
    "angles": '''
        def angles(positions, d, base):
            """Every position times base^(-2t/d), a column for each pair t of columns, counted from 0."""
            return positions[:, None] * base ** (-{np}.arange(0, d, 2, {double}) / d)
    ''',
    "additive_scores": '''
        def additive_scores(Q, K, v):
            """The sum of v tanh(q + k) for every row q of Q and every row k of K."""
            return {np}.tanh(Q[:, None] + K[None]) @ v[0]
    ''',
    "unit": '''
        def unit(X):
            """Each row divided by its length."""
            return X / {norm}(X, {of_rows})
    ''',
    "proportions": '''
        def proportions(S):
            """Each row divided by its sum."""
            return S / S.sum({of_rows})
    ''',
    "cosine": '''
        def cosine(X, Y):
            """The cosine of every row of X with every row of Y."""
            return unit(X) @ unit(Y).T
    ''',
    "angle": '''
        def angle(X, Y):
            """Degrees between every row of X and every row of Y.

            The arctangent keeps the digits that the arccosine loses near 0 and 180.
            """
            U, V = unit(X)[:, None], unit(Y)[None]
            return {degrees}(2 * {arctan2}({norm}(U - V, {last}), {norm}(U + V, {last})))
    ''',
    "clip_norm": '''
        def clip_norm(G, largest):
            """G shortened to the largest length where it is longer."""
            return G * (largest / max(largest, {norm}(G)))
    ''',
}

_NUMPY: dict[str, str] = {
    "np": "np",
    "double": "dtype=float",
    "zeros": "np.zeros((n, m))",
    "filled": "np.where(abs(i[:, None] - i) < w, 0.0, value)",
    "norm": "np.linalg.norm",
    "of_rows": "axis=1, keepdims=True",
    "last": "axis=-1",
    "degrees": "np.degrees",
    "arctan2": "np.arctan2",
}

_TORCH: dict[str, str] = {
    "np": "torch",
    "double": "dtype=torch.float64",
    "zeros": "torch.zeros(n, m, dtype=torch.float64)",
    "filled": "torch.zeros(n, n, dtype=torch.float64).masked_fill(abs(i[:, None] - i) >= w, value)",
    "norm": "torch.linalg.norm",
    "of_rows": "dim=1, keepdim=True",
    "last": "dim=-1",
    "degrees": "torch.rad2deg",
    "arctan2": "torch.atan2",
}

WITH_GAIN: dict[str, str] = {
    "layer_norm": '''
        def layer_norm(X, epsilon, gain=1, bias=0):
            """Each row with mean 0 and variance 1, then every column by its gain, plus its bias."""
            centred = X - X.mean(axis=1, keepdims=True)
            return centred / np.sqrt(X.var(axis=1, keepdims=True) + epsilon) * gain + bias
    ''',
    "rms_norm": '''
        def rms_norm(X, epsilon, gain=1):
            """Each row divided by its root mean square, then every column by its gain."""
            return X / np.sqrt((X**2).mean(axis=1, keepdims=True) + epsilon) * gain
    ''',
}
"""The norms of NumPy with what may follow them."""

NUMPY_SOFTMAX_OR_ZERO = '''
    def softmax(S):
        """Each row as weights that sum to 1; a row of nothing but -inf, which sees no key, as weights of 0."""
        seen = np.isfinite(S).any(axis=1, keepdims=True)
        E = np.exp(S - np.where(seen, S.max(axis=1, keepdims=True), 0))
        return E / np.where(seen, E.sum(axis=1, keepdims=True), 1)
'''

TORCH_SOFTMAX_OR_ZERO = '''
    def softmax(S):
        """Each row as weights that sum to 1; a row of nothing but -inf, which sees no key, as weights of 0."""
        seen = torch.isfinite(S).any(dim=-1, keepdim=True)
        return torch.where(seen, torch.softmax(torch.where(seen, S, 0.0), dim=-1), 0.0)
'''

NUMPY_HELPERS: dict[str, str] = {
    "softmax": '''
        def softmax(S):
            """Each row as weights that sum to 1; without its maximum, exp cannot overflow."""
            E = np.exp(S - S.max(axis=1, keepdims=True))
            return E / E.sum(axis=1, keepdims=True)
    ''',
    "layer_norm": '''
        def layer_norm(X, epsilon):
            """Each row with mean 0 and variance 1; the variance is divided by the width itself."""
            centred = X - X.mean(axis=1, keepdims=True)
            return centred / np.sqrt(X.var(axis=1, keepdims=True) + epsilon)
    ''',
    "rms_norm": '''
        def rms_norm(X, epsilon):
            """Each row divided by its root mean square."""
            return X / np.sqrt((X**2).mean(axis=1, keepdims=True) + epsilon)
    ''',
    "gelu": '''
        def gelu(X):
            """Every x times the share of the normal distribution below x; Python's own erf takes one number."""
            return X * (1 + np.vectorize(erf)(X / sqrt(2))) / 2
    ''',
    "gelu_tanh": '''
        def gelu_tanh(X):
            """Close to gelu, with tanh in place of erf."""
            return X * (1 + np.tanh(sqrt(2 / pi) * (X + 0.044715 * X**3))) / 2
    ''',
    "silu": '''
        def silu(X):
            """Every x by 1 + exp(-x); what is taken of exp is never more than 1, so that it cannot overflow."""
            E = np.exp(-abs(X))
            return X * np.where(X > 0, 1, E) / (1 + E)
    ''',
    "elu": '''
        def elu(X):
            """Negative entries x become exp(x) - 1."""
            return np.maximum(X, 0) + np.expm1(np.minimum(X, 0))
    ''',
    "entropy": '''
        def entropy(A):
            """-sum(a log a) of each row, as a column; 0 log 0 counts as 0."""
            logarithms = np.log(A, out=np.zeros_like(A), where=A > 0)
            return -(A * logarithms).sum(axis=1, keepdims=True)
    ''',
    "top_k": '''
        def top_k(P, k):
            """1 for the k largest entries of each row, the first ones where they tie, and 0 elsewhere."""
            M = np.zeros_like(P)
            np.put_along_axis(M, np.argsort(-P, axis=1, kind="stable")[:, :k], 1, axis=1)
            return M
    ''',
} | {name: text.format_map(_NUMPY) for name, text in _SHARED.items()}
"""The functions that NumPy does not have, by name."""

TORCH_HELPERS: dict[str, str] = {name: text.format_map(_TORCH) for name, text in _SHARED.items()} | {
    "top_k": '''
        def top_k(P, k):
            """1 for the k largest entries of each row, the first ones where they tie, and 0 elsewhere."""
            places = torch.argsort(P, dim=1, descending=True, stable=True)[:, :k]
            return torch.zeros_like(P).scatter(1, places, 1)
    ''',
}
"""The functions that PyTorch does not have, or not exactly: its own cosine and unit rows add something to a length."""

PRINT = '''
    def print_matrix(name, A):
        """The name, then one line for each row; adding 0 turns -0 into 0."""
        cells = [[f"{round(x, {decimals}) + 0:.{decimals}f}" for x in row] for row in A.tolist()]
        width = max(len(cell) for row in cells for cell in row)
        print(name)
        for row in cells:
            print("  ".join(cell.rjust(width) for cell in row))
'''
"""The same in both: ``tolist`` gives Python's own numbers."""
