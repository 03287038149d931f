"""Softmax of each row."""

from __future__ import annotations

from symattn.operations.node import Node


class Softmax(Node):
    """softmax(S)_{ij} = exp(s_{ij}) / Σ_k exp(s_{ik}).

    Shapes: (m, n) → (m, n); every row of the result is positive and sums to 1.

    >>> from sympy import MatrixSymbol
    >>> S = MatrixSymbol("S", 2, 2)
    >>> Softmax(S)[0, 1]
    exp(S[0, 1])/Sum(exp(S[0, k]), (k, 0, 1))

    Source: Vaswani et al. 2017, *Attention Is All You Need*, section 3.2.1, equation (1).
    """

    definition = """
        softmax(S: m×n) -> m×n
            e[i,j] = exp(S[i,j])
            t[i] = sum(k, e[i,k])
            y[i,j] = e[i,j] / t[i]
    """
