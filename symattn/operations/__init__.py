"""SymPy nodes for the operations of attention: they store their operands and are not evaluated.

Other packages read formulas made of these and of SymPy's own ``MatrixSymbol``, ``MatMul``, ``MatAdd``, ``MatPow``,
``Transpose``, ``Identity`` and ``OneMatrix``; :data:`NODES` lists them all, and a test checks that every set of rules
covers them.
"""

from sympy import Identity, MatAdd, MatMul, MatPow, MatrixSymbol, OneMatrix, Transpose, ZeroMatrix

from symattn.operations.arithmetic import ClipNorm, EntryQuotient, Hadamard, Quotient
from symattn.operations.arrange import (
    Broadcast,
    Concat,
    Everywhere,
    Head,
    InEveryColumn,
    InEveryRow,
    OneHot,
    Picked,
    Repeated,
    Row,
    Rows,
    Stack,
    grid_of,
    numbers_listed,
)
from symattn.operations.entrywise import ELU, GELU, ArgMax, Exp, GELUTanh, Log, ReLU, SiLU, Tanh, TopK
from symattn.operations.masks import CachedMask, CausalMask, Keep, PaddingMask, WindowMask
from symattn.operations.node import Applied, Definition
from symattn.operations.positions import Distance, Rotary, Sinusoidal
from symattn.operations.rows import (
    AdditiveScores,
    Angle,
    Cosine,
    Dot,
    Entropy,
    LayerNorm,
    Proportions,
    RMSNorm,
    RowMax,
    RowNorm,
    Softmax,
    UnitRows,
)

NODES: tuple[type, ...] = (
    *(MatrixSymbol, MatMul, MatAdd, MatPow, Transpose, Identity, OneMatrix),
    *(Softmax, LayerNorm, RMSNorm),
    *(ReLU, GELU, GELUTanh, SiLU, Exp, Log, Tanh, ELU),
    *(CausalMask, CachedMask, WindowMask, PaddingMask, Keep, Distance, Sinusoidal, Rotary),
    *(Broadcast, Picked, Row, Rows, Head, Concat, Stack, OneHot),
    *(InEveryRow, InEveryColumn, Everywhere),
    *(Quotient, Hadamard, EntryQuotient, ClipNorm),
    *(Dot, Cosine, Angle, AdditiveScores),
    *(RowNorm, RowMax, UnitRows, Proportions, Entropy, ArgMax, TopK),
)
"""Every class of node that may occur in a formula."""

FILLINGS: tuple[type, ...] = (OneMatrix, ZeroMatrix)
"""Placeholders in a layer norm with only one of γ and β."""

__all__ = [
    "ELU",
    "FILLINGS",
    "GELU",
    "NODES",
    "AdditiveScores",
    "Angle",
    "Applied",
    "ArgMax",
    "Broadcast",
    "CachedMask",
    "CausalMask",
    "ClipNorm",
    "Concat",
    "Cosine",
    "Definition",
    "Distance",
    "Dot",
    "Entropy",
    "EntryQuotient",
    "Everywhere",
    "Exp",
    "GELUTanh",
    "Hadamard",
    "Head",
    "Identity",
    "InEveryColumn",
    "InEveryRow",
    "Keep",
    "LayerNorm",
    "Log",
    "MatAdd",
    "MatMul",
    "MatPow",
    "MatrixSymbol",
    "OneHot",
    "OneMatrix",
    "PaddingMask",
    "Picked",
    "Proportions",
    "Quotient",
    "RMSNorm",
    "ReLU",
    "Repeated",
    "Rotary",
    "Row",
    "RowMax",
    "RowNorm",
    "Rows",
    "SiLU",
    "Sinusoidal",
    "Softmax",
    "Stack",
    "Tanh",
    "TopK",
    "Transpose",
    "UnitRows",
    "WindowMask",
    "grid_of",
    "numbers_listed",
]
