"""PyTorch functions that are not derived from equations: a choice, and calculations usually written differently."""

import torch


def angle(X, Y):
    """Degrees between every row of X and every row of Y.

    The arctangent keeps the digits that the arccosine loses near 0 and 180.
    """
    U = (X / torch.linalg.norm(X, dim=1, keepdim=True))[:, None]
    V = (Y / torch.linalg.norm(Y, dim=1, keepdim=True))[None]
    return torch.rad2deg(2 * torch.atan2(torch.linalg.norm(U - V, dim=-1), torch.linalg.norm(U + V, dim=-1)))


def top_k(P, k):
    """1 for the k largest entries of each row, the first ones where they tie, and 0 elsewhere."""
    places = torch.argsort(P, dim=1, descending=True, stable=True)[:, :k]
    return torch.zeros_like(P).scatter(1, places, 1)
