"""What the words call each kind of step, and what is said beside its general entry."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sympy import Basic, MatAdd, MatMul, MatrixSymbol, Transpose, preorder_traversal

from symattn.document.blocks import Phrase
from symattn.document.layer_entries import PHI
from symattn.operations import (
    ELU,
    GELU,
    AdditiveScores,
    Angle,
    ArgMax,
    Broadcast,
    CausalMask,
    ClipNorm,
    Concat,
    Cosine,
    Distance,
    Dot,
    Entropy,
    EntryQuotient,
    Exp,
    GELUTanh,
    Hadamard,
    Head,
    Identity,
    Keep,
    LayerNorm,
    Log,
    MatPow,
    OneHot,
    OneMatrix,
    PaddingMask,
    Proportions,
    Quotient,
    ReLU,
    RMSNorm,
    Rotary,
    Row,
    RowMax,
    RowNorm,
    Rows,
    SiLU,
    Sinusoidal,
    Softmax,
    Stack,
    Tanh,
    TopK,
    UnitRows,
    WindowMask,
)

KINDS: Mapping[type, str] = MappingProxyType(
    {
        MatMul: "product",
        MatAdd: "sum",
        MatPow: "product",
        Transpose: "transpose",
        Quotient: "scale",
        Softmax: "softmax",
        LayerNorm: "layer_norm",
        ReLU: "relu",
        CausalMask: "mask",
        Broadcast: "broadcast",
        Row: "row",
        Dot: "dot",
        Identity: "identity",
        MatrixSymbol: "copy",
        OneMatrix: "ones",
        Exp: "exp",
        ELU: "elu",
        WindowMask: "window",
        Head: "head",
        Concat: "concat",
        OneHot: "one_hot",
        ClipNorm: "clip",
        Cosine: "cosine",
        Angle: "angle",
        RowNorm: "norm",
        RowMax: "row_max",
        UnitRows: "unit",
        Proportions: "proportions",
        Entropy: "entropy",
        Keep: "keep",
        PaddingMask: "padding",
        Hadamard: "hadamard",
        EntryQuotient: "divide",
        Rows: "rows",
        Stack: "stack",
        ArgMax: "argmax",
        TopK: "top_k",
        Tanh: "tanh",
        Log: "log",
        GELU: "gelu",
        GELUTanh: "gelu_tanh",
        SiLU: "silu",
        RMSNorm: "rms_norm",
        AdditiveScores: "additive",
        Sinusoidal: "sinusoidal",
        Rotary: "rotary",
        Distance: "distance",
    }
)
"""What the words call each kind of step."""

SAID: Mapping[type, Phrase] = MappingProxyType(
    {
        ArgMax: Phrase("said_argmax"),
        TopK: Phrase("said_top_k"),
        GELU: Phrase("said_gelu", (("share", PHI),)),
    }
)
"""What the signs in an entry formula do not say by themselves."""


def said_of(node: Basic) -> list[Phrase]:
    """The sentences that belong to the general entry of a formula."""
    kinds = dict.fromkeys(type(inside) for inside in preorder_traversal(node))
    return [SAID[kind] for kind in kinds if kind in SAID]
