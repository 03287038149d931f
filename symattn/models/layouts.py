"""What families of models call the tensors of a layer, how their numbers lie, and what the layer does with them.

A name is what follows the prefix of the layer. ``torch.nn.Linear`` keeps (out, in) and multiplies by the transpose;
``Conv1D`` of GPT-2 keeps (in, out).

Sources: PyTorch, ``torch/nn/modules/activation.py`` and ``transformer.py``; Hugging Face Transformers,
``models/bert/modeling_bert.py``, ``models/gpt2/modeling_gpt2.py`` and ``activations.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from symattn.models import keys
from symattn.models.keys import Keys

Norm = Literal["pre", "post"]
Activation = Literal["relu", "gelu", "gelu_tanh", "silu", "tanh", "relu2", "quick_gelu"]

ACTIVATIONS: dict[Activation, str] = {
    "relu": "relu({x})",
    "gelu": "gelu({x})",
    "gelu_tanh": "gelu_tanh({x})",
    "silu": "silu({x})",
    "tanh": "tanh({x})",
    "relu2": "hadamard(relu({x}), relu({x}))",
    "quick_gelu": "silu(1.702 * {x}) / 1.702",
}
"""Functions between the two layers of a feed-forward network, as formulas."""

ALSO_CALLED: dict[str, Activation] = {
    "gelu_python": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_accurate": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_python_tanh": "gelu_tanh",
    "swish": "silu",
}
"""Other names of the same functions. ``gelu_fast`` is none of them: its √(2/π) is rounded to ten digits."""


@dataclass(frozen=True)
class Linear:
    """A matrix and the row that is added after it, or gain and row of a norm; part ``part`` of ``parts`` is meant."""

    weight: str
    bias: str
    part: int = 0
    parts: int = 1
    bias_parts: int | None = None
    """Where the row is cut otherwise than the matrix."""
    older: tuple[str, str] | None = None
    """What both were called before."""


@dataclass(frozen=True)
class Attention:
    """The projections of one attention, and the norm that stands before or after it (none: it stands alone)."""

    query: Linear
    key: Linear
    value: Linear
    output: Linear
    norm: Linear | None = None

    @property
    def projections(self) -> tuple[Linear, Linear, Linear]:
        """Query, key and value."""
        return self.query, self.key, self.value

    @property
    def parts(self) -> tuple[Linear, ...]:
        """All that it has."""
        return (*self.projections, self.output, *(() if self.norm is None else (self.norm,)))


@dataclass(frozen=True)
class Layout:
    """One family: where a layer keeps its attentions, its norms and its feed-forward part, and what is fixed in it."""

    called: str
    """Its name among the options."""
    family: str
    attention: Attention
    cross: Attention | None = None
    """Attention to what comes from outside the layer, where a layer has it."""
    feed_forward: tuple[Linear, Linear, Linear] | None = None
    """Both layers and the norm."""
    transposed: bool = True
    """Whether a matrix is kept as (out, in)."""
    always_biased: bool = False
    """Whether a file without the rows that are added is incomplete; otherwise all of them are there, or none."""
    always_cross: bool = False
    """Whether it is known by its cross-attention too."""
    fixed: Mapping[str, Any] = field(default_factory=dict)
    """Settings that every layer of the family has."""
    unasked: Mapping[str, Any] = field(default_factory=dict)
    """Settings that belong to the call and not to the layer, as they are where the call says nothing."""
    shared_with: str = ""
    """Models that name their tensors so too, and do something else with them."""
    unused: Mapping[str, str] = field(default_factory=dict)
    """Tensors that change nothing, and why."""
    keys: Keys = field(default_factory=Keys)

    @property
    def telling(self) -> tuple[str, ...]:
        """The tensors by which a layer is known to be of this family."""
        known = [*self.attention.projections]
        if self.always_cross and self.cross is not None:
            known += self.cross.projections
        return tuple(dict.fromkeys(linear.weight for linear in known))

    def parts(self) -> Iterator[Linear]:
        """Everything that a layer of the family may hold."""
        for attention in (self.attention, self.cross):
            yield from () if attention is None else attention.parts
        yield from self.feed_forward or ()


def _fused(prefix: str) -> tuple[Linear, Linear, Linear]:
    """Query, key and value one after the other in one matrix."""
    first, second, third = (Linear(f"{prefix}in_proj_weight", f"{prefix}in_proj_bias", part, 3) for part in range(3))
    return first, second, third


def _apart(prefix: str) -> tuple[Linear, Linear, Linear]:
    """Query, key and value in a matrix each, their rows in one."""
    first, second, third = (
        Linear(f"{prefix}{name}_proj_weight", f"{prefix}in_proj_bias", part, 1, bias_parts=3)
        for part, name in enumerate("qkv")
    )
    return first, second, third


def _linear(name: str) -> Linear:
    return Linear(f"{name}.weight", f"{name}.bias")


def _old_norm(name: str) -> Linear:
    """A norm of BERT, whose tensors were called as in the paper once."""
    return Linear(f"{name}.weight", f"{name}.bias", older=(f"{name}.gamma", f"{name}.beta"))


def _of_bert(name: str) -> Attention:
    query, key, value = (_linear(f"{name}.self.{part}") for part in ("query", "key", "value"))
    return Attention(query, key, value, _linear(f"{name}.output.dense"), _old_norm(f"{name}.output.LayerNorm"))


_SCALED: dict[str, Any] = {"scaled": True, "layer_scaled": False}
_NO_MASK: dict[str, Any] = {"causal": False}
_SELF = Attention(*_fused("self_attn."), _linear("self_attn.out_proj"), _linear("norm1"))

MULTIHEAD = Layout(
    "multihead",
    "torch.nn.MultiheadAttention",
    Attention(*_fused(""), _linear("out_proj")),
    fixed=_SCALED,
    unasked=_NO_MASK,
    keys=keys.MULTIHEAD,
)

MULTIHEAD_APART = Layout(
    "multihead",
    "torch.nn.MultiheadAttention with kdim or vdim",
    Attention(*_apart(""), _linear("out_proj")),
    fixed=_SCALED,
    unasked=_NO_MASK,
    keys=keys.MULTIHEAD,
)

ENCODER_LAYER = Layout(
    "encoder-layer",
    "torch.nn.TransformerEncoderLayer",
    _SELF,
    feed_forward=(_linear("linear1"), _linear("linear2"), _linear("norm2")),
    fixed=_SCALED,
    unasked=_NO_MASK,
    keys=keys.LAYER,
)

DECODER_LAYER = Layout(
    "decoder-layer",
    "torch.nn.TransformerDecoderLayer",
    _SELF,
    Attention(*_fused("multihead_attn."), _linear("multihead_attn.out_proj"), _linear("norm2")),
    (_linear("linear1"), _linear("linear2"), _linear("norm3")),
    always_cross=True,
    fixed=_SCALED,
    keys=keys.LAYER,
)

BERT = Layout(
    "bert",
    "BERT",
    _of_bert("attention"),
    _of_bert("crossattention"),
    (_linear("intermediate.dense"), _linear("output.dense"), _old_norm("output.LayerNorm")),
    always_biased=True,
    fixed={**_SCALED, "norm": "post"},
    shared_with="RoFormer, which turns queries and keys, and BigBird, whose rows see only some of the others",
    keys=keys.BERT,
)

_MASK_TABLE = "the causal mask as a table, which is worked out anew"

GPT2 = Layout(
    "gpt2",
    "GPT-2",
    Attention(
        Linear("attn.c_attn.weight", "attn.c_attn.bias", 0, 3),
        Linear("attn.c_attn.weight", "attn.c_attn.bias", 1, 3),
        Linear("attn.c_attn.weight", "attn.c_attn.bias", 2, 3),
        _linear("attn.c_proj"),
        _linear("ln_1"),
    ),
    Attention(
        _linear("crossattention.q_attn"),
        Linear("crossattention.c_attn.weight", "crossattention.c_attn.bias", 0, 2),
        Linear("crossattention.c_attn.weight", "crossattention.c_attn.bias", 1, 2),
        _linear("crossattention.c_proj"),
        _linear("ln_cross_attn"),
    ),
    (_linear("mlp.c_fc"), _linear("mlp.c_proj"), _linear("ln_2")),
    transposed=False,
    always_biased=True,
    fixed={"causal": True, "norm": "pre"},
    shared_with="the first GPT, whose norms stand behind",
    unused={f"{name}.{table}": _MASK_TABLE for name in ("attn", "crossattention") for table in ("bias", "masked_bias")},
    keys=keys.GPT2,
)

LAYOUTS: tuple[Layout, ...] = (DECODER_LAYER, ENCODER_LAYER, MULTIHEAD, MULTIHEAD_APART, BERT, GPT2)
"""The families that are read; the first whose telling tensors are all there is taken, and must account for the rest."""

KNOWN_STRANGERS: tuple[tuple[str, str], ...] = (
    ("lora_", "a change of a matrix by LoRA, which has to be merged into it first"),
    ("base_layer", "a matrix that LoRA changes"),
    ("rotary", "turns queries and keys by their position"),
    ("relative_position", "positions relative to each other, which are added to the scores"),
    ("relative_attention_bias", "positions relative to each other, which are added to the scores"),
    ("distance_embedding", "positions relative to each other, which are added to the scores"),
    ("bias_k", "an extra row of keys"),
    ("bias_v", "an extra row of values"),
    ("SCB", "the scale of whole numbers that stand for weights"),
    ("absmax", "the scale of whole numbers that stand for weights"),
    ("quant", "whole numbers that stand for weights"),
    ("qweight", "whole numbers that stand for weights"),
    ("qzeros", "whole numbers that stand for weights"),
)
"""What is in a tensor that no family here has, by a part of its name."""
