"""SymPy nodes of attention: each stores, none evaluates.

The rest of the house reads formulas made of these and of SymPy's own ``MatrixSymbol``, ``MatMul``, ``MatAdd``,
``MatPow``, ``Transpose``, ``Identity`` and ``OneMatrix``; :data:`NODES` lists them all, and a test holds every set of
rules to it.
"""

from sympy import Identity, MatAdd, MatMul, MatPow, MatrixSymbol, OneMatrix, Transpose, ZeroMatrix

from symattn.operations.arithmetic import ClipNorm, Quotient
from symattn.operations.arrange import Broadcast, Concat, Head, OneHot, Row
from symattn.operations.entrywise import ELU, Exp, ReLU
from symattn.operations.layer_norm import LayerNorm
from symattn.operations.masks import CausalMask, Keep, WindowMask
from symattn.operations.pairs import Angle, Cosine, Dot
from symattn.operations.rows import Entropy, Proportions, RowMax, RowNorm, UnitRows
from symattn.operations.softmax import Softmax

NODES: tuple[type, ...] = (
    MatrixSymbol,
    MatMul,
    MatAdd,
    MatPow,
    Transpose,
    Identity,
    OneMatrix,
    Softmax,
    LayerNorm,
    ReLU,
    Exp,
    ELU,
    CausalMask,
    WindowMask,
    Keep,
    Broadcast,
    Row,
    Head,
    Concat,
    OneHot,
    Quotient,
    ClipNorm,
    Dot,
    Cosine,
    Angle,
    RowNorm,
    RowMax,
    UnitRows,
    Proportions,
    Entropy,
)
"""Every class of node a formula may hold."""

FILLINGS: tuple[type, ...] = (OneMatrix, ZeroMatrix)
"""What a layer norm with only one of γ and β holds in place of the other."""

__all__ = [
    "ELU",
    "FILLINGS",
    "NODES",
    "Angle",
    "Broadcast",
    "CausalMask",
    "ClipNorm",
    "Concat",
    "Cosine",
    "Dot",
    "Entropy",
    "Exp",
    "Head",
    "Identity",
    "Keep",
    "LayerNorm",
    "MatAdd",
    "MatMul",
    "MatPow",
    "MatrixSymbol",
    "OneHot",
    "OneMatrix",
    "Proportions",
    "Quotient",
    "ReLU",
    "Row",
    "RowMax",
    "RowNorm",
    "Softmax",
    "Transpose",
    "UnitRows",
    "WindowMask",
]
