"""The functions that a Python program may need: what NumPy and PyTorch share once, with the words of each put in."""

from __future__ import annotations

_SHARED: dict[str, str] = {
    "window_mask": '''
        def window_mask(n, w, value):
            """0 where two positions are less than w apart, the value elsewhere."""
            i = {np}.arange(n)
            return {filled}
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
    "filled": "np.where(abs(i[:, None] - i) < w, 0.0, value)",
    "norm": "np.linalg.norm",
    "of_rows": "axis=1, keepdims=True",
    "last": "axis=-1",
    "degrees": "np.degrees",
    "arctan2": "np.arctan2",
}

_TORCH: dict[str, str] = {
    "np": "torch",
    "filled": "torch.zeros(n, n, dtype=torch.float64).masked_fill(abs(i[:, None] - i) >= w, value)",
    "norm": "torch.linalg.norm",
    "of_rows": "dim=1, keepdim=True",
    "last": "dim=-1",
    "degrees": "torch.rad2deg",
    "arctan2": "torch.atan2",
}

LAYER_NORM_AFFINE = '''
    def layer_norm(X, epsilon, gain=1, bias=0):
        """Each row with mean 0 and variance 1, then every column by its gain, plus its bias."""
        centred = X - X.mean(axis=1, keepdims=True)
        return centred / np.sqrt(X.var(axis=1, keepdims=True) + epsilon) * gain + bias
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
} | {name: text.format_map(_NUMPY) for name, text in _SHARED.items()}
"""The functions that NumPy does not have, by name."""

TORCH_HELPERS: dict[str, str] = {name: text.format_map(_TORCH) for name, text in _SHARED.items()}
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
