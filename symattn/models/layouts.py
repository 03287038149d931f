"""What families of models call the tensors of a layer, and how their numbers lie.

A name is what follows the prefix of the layer. ``torch.nn.Linear`` keeps (out, in) and multiplies by the transpose;
``Conv1D`` of GPT-2 keeps (in, out).

Sources: PyTorch, ``torch/nn/modules/activation.py`` and ``transformer.py``; Hugging Face Transformers,
``models/bert/modeling_bert.py`` and ``models/gpt2/modeling_gpt2.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Norm = Literal["pre", "post"]
Activation = Literal["relu", "gelu", "gelu_tanh"]

ACTIVATIONS: tuple[Activation, ...] = ("relu", "gelu", "gelu_tanh")


@dataclass(frozen=True)
class Linear:
    """A matrix and the row that is added after it, of which part ``part`` of ``parts`` is meant.

    ``has_bias`` says whether a file without the row is incomplete.
    """

    weight: str
    bias: str
    part: int = 0
    parts: int = 1
    has_bias: bool = False
    bias_parts: int | None = None
    """Where the row is cut otherwise than the matrix."""


@dataclass(frozen=True)
class Layout:
    """One family: where a layer keeps its projections, its norms and its feed-forward part (none: attention alone)."""

    family: str
    query: Linear
    key: Linear
    value: Linear
    output: Linear
    transposed: bool = True
    """Whether a matrix is kept as (out, in)."""
    attention_norm: Linear | None = None
    feed_forward: tuple[Linear, Linear] | None = None
    feed_forward_norm: Linear | None = None
    norm: Norm = "post"
    activation: Activation = "relu"
    epsilon: str = "10^-5"
    causal: bool = False
    refused: tuple[str, ...] = ()
    """Tensors of a kind of attention that is not read."""

    @property
    def telling(self) -> tuple[str, ...]:
        """The tensors by which a layer is known to be of this family."""
        return tuple(dict.fromkeys(linear.weight for linear in (self.query, self.key, self.value)))


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


def _norm(name: str) -> Linear:
    return Linear(f"{name}.weight", f"{name}.bias", has_bias=True)


_EXTRA_KEYS = ("bias_k", "bias_v")

MULTIHEAD = Layout("torch.nn.MultiheadAttention", *_fused(""), _linear("out_proj"), refused=_EXTRA_KEYS)

MULTIHEAD_APART = Layout(
    "torch.nn.MultiheadAttention with kdim or vdim", *_apart(""), _linear("out_proj"), refused=_EXTRA_KEYS
)

ENCODER_LAYER = Layout(
    "torch.nn.TransformerEncoderLayer",
    *_fused("self_attn."),
    _linear("self_attn.out_proj"),
    attention_norm=_norm("norm1"),
    feed_forward=(_linear("linear1"), _linear("linear2")),
    feed_forward_norm=_norm("norm2"),
)

BERT = Layout(
    "BERT",
    _linear("attention.self.query"),
    _linear("attention.self.key"),
    _linear("attention.self.value"),
    _linear("attention.output.dense"),
    attention_norm=_norm("attention.output.LayerNorm"),
    feed_forward=(_linear("intermediate.dense"), _linear("output.dense")),
    feed_forward_norm=_norm("output.LayerNorm"),
    activation="gelu",
    epsilon="10^-12",
)

GPT2 = Layout(
    "GPT-2",
    Linear("attn.c_attn.weight", "attn.c_attn.bias", 0, 3),
    Linear("attn.c_attn.weight", "attn.c_attn.bias", 1, 3),
    Linear("attn.c_attn.weight", "attn.c_attn.bias", 2, 3),
    _linear("attn.c_proj"),
    transposed=False,
    attention_norm=_norm("ln_1"),
    feed_forward=(_linear("mlp.c_fc"), _linear("mlp.c_proj")),
    feed_forward_norm=_norm("ln_2"),
    norm="pre",
    activation="gelu_tanh",
    causal=True,
)

LAYOUTS: tuple[Layout, ...] = (ENCODER_LAYER, MULTIHEAD, MULTIHEAD_APART, BERT, GPT2)
"""The families that are read; the first whose telling tensors are all there is taken."""
