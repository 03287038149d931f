"""SymPy nodes of attention: each stores, none evaluates.

The rest of the house reads formulas made of these and of SymPy's own ``MatrixSymbol``, ``MatMul``, ``MatAdd``,
``MatPow``, ``Transpose`` and ``Identity``; :data:`NODES` lists them all, and a test holds every set of rules to it.
"""

from sympy import Identity, MatAdd, MatMul, MatPow, MatrixSymbol, OneMatrix, Transpose, ZeroMatrix

from symattn.operations.arithmetic import Dot, Quotient
from symattn.operations.arrange import Broadcast, CausalMask, Row
from symattn.operations.layer_norm import LayerNorm
from symattn.operations.relu import ReLU
from symattn.operations.softmax import Softmax

NODES: tuple[type, ...] = (
    MatrixSymbol,
    MatMul,
    MatAdd,
    MatPow,
    Transpose,
    Identity,
    Softmax,
    LayerNorm,
    ReLU,
    CausalMask,
    Broadcast,
    Row,
    Quotient,
    Dot,
)
"""Every class of node a formula may hold."""

FILLINGS: tuple[type, ...] = (OneMatrix, ZeroMatrix)
"""What a layer norm with only one of γ and β holds in place of the other."""

__all__ = [
    "FILLINGS",
    "NODES",
    "Broadcast",
    "CausalMask",
    "Dot",
    "Identity",
    "LayerNorm",
    "MatAdd",
    "MatMul",
    "MatPow",
    "MatrixSymbol",
    "Quotient",
    "ReLU",
    "Row",
    "Softmax",
    "Transpose",
]
