"""What the words call each kind of step, and what is said beside its general entry."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sympy import Basic, MatAdd, MatMul, MatrixSymbol, Transpose, preorder_traversal

from symattn import operations as ops
from symattn.document.blocks import Phrase
from symattn.document.layer_entries import PHI

KINDS: Mapping[type, str] = MappingProxyType(
    {
        MatMul: "product",
        MatAdd: "sum",
        ops.MatPow: "product",
        Transpose: "transpose",
        ops.Quotient: "scale",
        ops.Softmax: "softmax",
        ops.LayerNorm: "layer_norm",
        ops.ReLU: "relu",
        ops.CausalMask: "mask",
        ops.Broadcast: "broadcast",
        ops.Row: "row",
        ops.Dot: "dot",
        ops.Identity: "identity",
        MatrixSymbol: "copy",
        ops.OneMatrix: "ones",
        ops.Exp: "exp",
        ops.ELU: "elu",
        ops.WindowMask: "window",
        ops.Head: "head",
        ops.Concat: "concat",
        ops.OneHot: "one_hot",
        ops.ClipNorm: "clip",
        ops.Cosine: "cosine",
        ops.Angle: "angle",
        ops.RowNorm: "norm",
        ops.RowMax: "row_max",
        ops.UnitRows: "unit",
        ops.Proportions: "proportions",
        ops.Entropy: "entropy",
        ops.Keep: "keep",
        ops.PaddingMask: "padding",
        ops.Hadamard: "hadamard",
        ops.EntryQuotient: "divide",
        ops.Rows: "rows",
        ops.Stack: "stack",
        ops.ArgMax: "argmax",
        ops.TopK: "top_k",
        ops.Tanh: "tanh",
        ops.Log: "log",
        ops.GELU: "gelu",
        ops.GELUTanh: "gelu_tanh",
        ops.SiLU: "silu",
        ops.RMSNorm: "rms_norm",
        ops.AdditiveScores: "additive",
        ops.Sinusoidal: "sinusoidal",
        ops.Rotary: "rotary",
        ops.Distance: "distance",
    }
)
"""What the words call each kind of step."""

SAID: Mapping[type, Phrase] = MappingProxyType(
    {
        ops.ArgMax: Phrase("said_argmax"),
        ops.TopK: Phrase("said_top_k"),
        ops.GELU: Phrase("said_gelu", (("share", PHI),)),
    }
)
"""What the signs in an entry formula do not say by themselves."""


def said_of(node: Basic) -> list[Phrase]:
    """The sentences that belong to the general entry of a formula."""
    kinds = dict.fromkeys(type(inside) for inside in preorder_traversal(node))
    return [SAID[kind] for kind in kinds if kind in SAID]
