"""What a ``config.json`` says of the layers of a family: which of its keys are used, which change nothing in a layer.

A key that stands in neither table is not understood, and a layer whose configuration holds one is refused.

Sources: Hugging Face Transformers, versions 2 to 5, ``configuration_utils.py`` and ``configuration_*.py`` of each
model; PyTorch, the arguments of the modules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Keys:
    """The keys of the configuration of one family."""

    model_types: tuple[str, ...] = ()
    """Values of ``model_type`` whose layers are of this family."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Which key says which setting."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """Keys that say what the tensors say too: both must agree."""
    only: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Keys that change the mathematics, and the values under which the layer is what is read here."""
    absent: Mapping[str, Any] = field(default_factory=dict)
    """What it means that a key is left out where ``model_type`` is said: these were added later, or are not written
    where they have this value."""
    harmless: frozenset[str] = frozenset()
    """Keys that change nothing in a layer when it is used."""

    def saying(self, setting: str) -> tuple[str, ...]:
        """The keys that say a setting; any of them may.

        >>> GPT2.saying("heads"), BERT.saying("family")
        (('n_head', 'num_attention_heads'), ('model_type',))
        """
        if setting == "family":
            return ("model_type",) if self.model_types else ()
        return tuple(key for key, said in self.settings.items() if said == setting)


# Where a model comes from and how it is stored, trained and run.
_ORIGIN = """_name_or_path name_or_path architectures transformers_version _commit_hash finetuning_task
    task_specific_params id2label label2id problem_type num_labels _num_labels tokenizer_class prefix language
    adapted_from sentence_transformers sbert_ce_default_activation_function torch_dtype dtype use_bfloat16
    torchscript xla_device tf_legacy_loss gradient_checkpointing attn_implementation
    _attn_implementation_autoset chunk_size_feed_forward use_cache output_past return_dict output_attentions
    output_hidden_states initializer_range initializer_factor"""
# Outside the layers: embeddings, heads of tasks, poolers.
_AROUND = """vocab_size type_vocab_size max_position_embeddings tie_word_embeddings tie_encoder_decoder
    is_encoder_decoder n_special bos_token_id eos_token_id eos_token_ids pad_token_id sep_token_id cls_token_id
    mask_token_id unk_token_id decoder_start_token_id classifier_dropout embedding_size directionality
    pooler_fc_size pooler_num_attention_heads pooler_num_fc_layers pooler_size_per_head pooler_type summary_type
    summary_use_proj summary_activation summary_proj_to_labels summary_first_dropout summary_last_dropout
    predict_special_tokens"""
# What older versions kept of the search for the next token.
_SEARCH = """max_length min_length do_sample early_stopping num_beams num_beam_groups diversity_penalty temperature
    top_k top_p typical_p repetition_penalty length_penalty no_repeat_ngram_size encoder_no_repeat_ngram_size
    bad_words_ids num_return_sequences output_scores return_dict_in_generate forced_bos_token_id forced_eos_token_id
    remove_invalid_values exponential_decay_length_penalty suppress_tokens begin_suppress_tokens penalty_alpha"""
_HARMLESS = frozenset(f"{_ORIGIN} {_AROUND} {_SEARCH}".split())

_ONLY: dict[str, tuple[Any, ...]] = {
    "pruned_heads": (None, {}),
    "cross_attention_hidden_size": (None,),
    "quantization_config": (None,),
}

BERT = Keys(
    model_types=("bert", "roberta", "xlm-roberta", "camembert", "electra"),
    settings={
        "num_attention_heads": "heads",
        "is_decoder": "causal",
        "hidden_act": "activation",
        "layer_norm_eps": "epsilon",
    },
    facts={"hidden_size": "width", "intermediate_size": "inner", "add_cross_attention": "cross"},
    only={**_ONLY, "position_embedding_type": ("absolute",)},
    absent={"is_decoder": False, "add_cross_attention": False},
    harmless=_HARMLESS | {"num_hidden_layers", "hidden_dropout_prob", "attention_probs_dropout_prob"},
)

GPT2 = Keys(
    model_types=("gpt2",),
    settings={
        "n_head": "heads",
        "num_attention_heads": "heads",
        "activation_function": "activation",
        "layer_norm_epsilon": "epsilon",
        "scale_attn_weights": "scaled",
        "scale_attn_by_inverse_layer_idx": "layer_scaled",
    },
    facts={"n_embd": "width", "hidden_size": "width", "n_inner": "inner", "add_cross_attention": "cross"},
    only=_ONLY,
    absent={"scale_attn_weights": True, "scale_attn_by_inverse_layer_idx": False, "add_cross_attention": False},
    # Attention of GPT-2 is causal, whatever is_decoder says; the order of its products is nothing to exact numbers.
    harmless=_HARMLESS
    | {"n_layer", "num_hidden_layers", "n_positions", "n_ctx", "resid_pdrop", "embd_pdrop", "attn_pdrop"}
    | {"is_decoder", "reorder_and_upcast_attn"},
)

_RUNNING = frozenset("dropout batch_first bias device dtype".split())

MULTIHEAD = Keys(
    settings={"num_heads": "heads"},
    facts={"embed_dim": "width"},
    only={"add_bias_kv": (False,), "add_zero_attn": (False,)},
    harmless=_RUNNING | {"kdim", "vdim"},
)

LAYER = Keys(
    settings={"nhead": "heads", "norm_first": "norm", "activation": "activation", "layer_norm_eps": "epsilon"},
    facts={"d_model": "width", "dim_feedforward": "inner"},
    harmless=_RUNNING,
)
"""The arguments of ``torch.nn.TransformerEncoderLayer`` and ``TransformerDecoderLayer``."""
