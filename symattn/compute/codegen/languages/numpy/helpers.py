"""NumPy functions that are not derived from equations: a choice, and calculations usually written differently."""

import numpy as np


def softmax(S):
    """The softmax of each row; its maximum is subtracted so that exp cannot overflow."""
    E = np.exp(S - S.max(axis=1, keepdims=True))
    return E / E.sum(axis=1, keepdims=True)


def angle(X, Y):
    """Degrees between every row of X and every row of Y.

    The arctangent keeps the digits that the arccosine loses near 0 and 180.
    """
    U = (X / np.linalg.norm(X, axis=1, keepdims=True))[:, None]
    V = (Y / np.linalg.norm(Y, axis=1, keepdims=True))[None]
    return np.degrees(2 * np.arctan2(np.linalg.norm(U - V, axis=-1), np.linalg.norm(U + V, axis=-1)))


def top_k(P, k):
    """1 for the k largest entries of each row, the first ones where they tie, and 0 elsewhere."""
    M = np.zeros_like(P)
    np.put_along_axis(M, np.argsort(-P, axis=1, kind="stable")[:, :k], 1, axis=1)
    return M
