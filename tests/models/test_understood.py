"""Every tensor of a layer and every key of its configuration is used, known to change nothing, or told in a refusal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symattn
from symattn.base.errors import ArrayError
from symattn.read.models import attention_of
from tests.counted import calls
from tests.models.test_attention_of import BERT, GPT2, INNER, SAID_OF_BERT, SAID_OF_GPT2, WIDTH, drawn, saved

X = np.ones((2, WIDTH))
CONFIG_OF_BERT: dict[str, Any] = {
    "architectures": ["BertForMaskedLM"], "attention_probs_dropout_prob": 0.1, "gradient_checkpointing": False,
    "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "hidden_size": WIDTH, "initializer_range": 0.02,
    "intermediate_size": INNER, "layer_norm_eps": 1e-12, "max_position_embeddings": 512, "model_type": "bert",
    "num_attention_heads": 2, "num_hidden_layers": 12, "pad_token_id": 0, "position_embedding_type": "absolute",
    "transformers_version": "4.6.0.dev0", "type_vocab_size": 2, "use_cache": True, "vocab_size": 30522,
}  # fmt: skip
CONFIG_OF_GPT2: dict[str, Any] = {
    "activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"], "attn_pdrop": 0.1, "bos_token_id": 50256,
    "embd_pdrop": 0.1, "eos_token_id": 50256, "initializer_range": 0.02, "layer_norm_epsilon": 1e-05,
    "model_type": "gpt2", "n_ctx": 1024, "n_embd": WIDTH, "n_head": 2, "n_layer": 12, "n_positions": 1024,
    "resid_pdrop": 0.1, "summary_activation": None, "summary_first_dropout": 0.1, "summary_proj_to_labels": True,
    "summary_type": "cls_index", "summary_use_proj": True, "vocab_size": 50257,
    "task_specific_params": {"text-generation": {"do_sample": True, "max_length": 50}},
}  # fmt: skip
"""As these models have them in their files, but for the sizes."""
M, R = (WIDTH, WIDTH), (WIDTH,)
ENCODER_LAYER: dict[str, tuple[int, ...]] = {
    "self_attn.in_proj_weight": (3 * WIDTH, WIDTH), "self_attn.in_proj_bias": (3 * WIDTH,),
    "self_attn.out_proj.weight": M, "self_attn.out_proj.bias": R,
    "linear1.weight": (INNER, WIDTH), "linear1.bias": (INNER,), "linear2.weight": (WIDTH, INNER), "linear2.bias": R,
    **{f"norm{k}.{part}": R for k in (1, 2) for part in ("weight", "bias")},
}  # fmt: skip
DECODER_LAYER: dict[str, tuple[int, ...]] = {
    **ENCODER_LAYER,
    **{name.replace("self_attn", "multihead_attn"): ENCODER_LAYER[name] for name in ENCODER_LAYER if "self" in name},
    "norm3.weight": R, "norm3.bias": R,
}  # fmt: skip
GPT2_CROSS: dict[str, tuple[int, ...]] = {
    "ln_cross_attn.weight": R, "ln_cross_attn.bias": R,
    "crossattention.q_attn.weight": M, "crossattention.q_attn.bias": R,
    "crossattention.c_attn.weight": (WIDTH, 2 * WIDTH), "crossattention.c_attn.bias": (2 * WIDTH,),
    "crossattention.c_proj.weight": M, "crossattention.c_proj.bias": R,
}  # fmt: skip
ATTENTION: dict[str, tuple[int, ...]] = {"in_proj_weight": (3 * WIDTH, WIDTH)}
SAID_OF_TORCH: dict[str, Any] = {"norm": "post", "activation": "relu", "epsilon": "1e-5", "heads": 2}


def model(folder: Path, shapes: dict[str, tuple[int, ...]], config: Any = None) -> Path:
    if config is not None:
        (folder / "config.json").write_text(config if isinstance(config, str) else json.dumps(config))
    return saved(folder / "model.npz", drawn(shapes), "layer.3.")


def refused(path: Path, **options: Any) -> str:
    with pytest.raises(ArrayError) as caught:
        attention_of(path, "layer.3", **{"input": X, **options})
    return str(caught.value)


def without(table: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in table.items() if name not in names}


# Tensors


@pytest.mark.parametrize(("shapes", "said", "stranger", "reason"), [
    (BERT, SAID_OF_BERT, "attention.self.rotary_embeddings.inv_freq", " (turns queries and keys by their position)"),
    (BERT, SAID_OF_BERT, "attention.self.query.lora_A.weight", " (a change of a matrix by LoRA"),
    (BERT, SAID_OF_BERT, "output.adapter.down.weight", ""),
    (BERT, SAID_OF_BERT, "attention.self.query.SCB", " (the scale of whole numbers that stand for weights)"),
    (BERT, SAID_OF_BERT, "output.LayerNorm.gamma", ""),  # a norm in both spellings
    (ENCODER_LAYER, SAID_OF_TORCH, "norm3.weight", ""),
    (ATTENTION, {"heads": 2}, "bias_k", " (an extra row of keys)"),
])  # fmt: skip
def test_a_tensor_that_the_family_does_not_have_is_named(
    tmp_path: Path, shapes: Any, said: Any, stranger: str, reason: str
) -> None:
    path = model(tmp_path, {**shapes, stranger: (3, 4)})
    for head in (None, 1):
        message = refused(path, **{"heads": 2, **said}, head=head)
        assert f"is not read, because not all of it is understood: the tensors {stranger}{reason}" in message
        assert "ignore (--ignore NAME)" in message


def test_steps_that_leave_a_tensor_out_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Should the table of a family and the steps ever differ, there is no page."""
    monkeypatch.setattr("symattn.read.models.steps._feed_forward", lambda *_: None)
    message = refused(model(tmp_path, BERT), heads=2, **SAID_OF_BERT)

    assert "nothing is known to use intermediate.dense.weight, intermediate.dense.bias, output.dense.weight" in message


def test_tensors_of_other_layers_are_no_part_of_this_one(tmp_path: Path) -> None:
    shapes = {f"layer.3.{name}": shape for name, shape in BERT.items()}
    path = saved(tmp_path / "m.npz", drawn({**shapes, "layer.30.lora_A": (1, 1), "positions": (2, 2), "layer.3": (1,)}))

    assert attention_of(path, "layer.3", input=X, heads=2, **SAID_OF_BERT)


def test_a_layer_without_one_of_its_tensors_is_refused(tmp_path: Path) -> None:
    for missing in BERT:
        message = refused(model(tmp_path, without(BERT, missing)), heads=2, **SAID_OF_BERT)
        assert f"'layer.3.{missing}' is missing" in message or "no attention is found there" in message
    for missing in (name for name in DECODER_LAYER if "in_proj_weight" not in name):
        path = model(tmp_path, without(DECODER_LAYER, missing))
        message = refused(path, **SAID_OF_TORCH, memory=X, causal=True)
        assert f"{missing}: expected all of them or none" in message or f"'layer.3.{missing}' is missing" in message


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.bool_])
def test_whole_numbers_are_no_weights(tmp_path: Path, dtype: Any) -> None:
    path = tmp_path / "model.npz"
    np.savez(path, **{"layer.3.in_proj_weight": np.ones((12, 4), dtype=dtype)})  # type: ignore[arg-type]

    assert f"in_proj_weight holds {np.dtype(dtype).name}, and weights are numbers with a point" in refused(
        path, heads=2, head=1
    )


@pytest.mark.parametrize("table", ["attn.bias", "attn.masked_bias", "crossattention.bias"])
def test_the_mask_of_gpt2_may_lie_in_the_file(tmp_path: Path, table: str) -> None:
    path = model(tmp_path, {**GPT2, table: (1, 1, 8, 8)}, CONFIG_OF_GPT2)

    assert attention_of(path, "layer.3", input=X)


def test_a_name_that_is_to_be_ignored_stands_on_the_page(tmp_path: Path) -> None:
    path = model(tmp_path, {**BERT, "extra": (1,)}, {**CONFIG_OF_BERT, "my_note": 1})

    assert "the tensors extra" in refused(path, ignore="my_note")
    scenario = attention_of(path, "layer.3", input=X, ignore=["extra", "my_note"])
    text = symattn.derive(scenario).render(detail="result")
    assert "Left out, because the author of this page says that it changes nothing: extra, my_note." in text.replace(
        "\\_", "_"
    )


@pytest.mark.parametrize("name", ["exta", "attention.self.key.weight", "config.json"])
def test_only_what_is_there_and_not_used_can_be_ignored(tmp_path: Path, name: str) -> None:
    message = refused(model(tmp_path, BERT), heads=2, **SAID_OF_BERT, ignore=name)

    assert f"ignore names '{name}', which is neither a key of config.json nor one of its tensors" in message


# Configurations


@pytest.mark.parametrize(("shapes", "config"), [(BERT, CONFIG_OF_BERT), (GPT2, CONFIG_OF_GPT2)])
def test_the_configurations_of_well_known_models_say_all_that_is_needed(
    tmp_path: Path, shapes: Any, config: Any
) -> None:
    path = model(tmp_path, shapes, config)

    assert attention_of(path, "layer.3", input=X).derivation["Y"]
    assert attention_of(path, "layer.3", input=X, head=2).derivation["Z"]


@pytest.mark.parametrize(("shapes", "config", "change", "said"), [
    (BERT, CONFIG_OF_BERT, {"position_embedding_type": "relative_key"}, 'position_embedding_type = "relative_key"'),
    (BERT, CONFIG_OF_BERT, {"model_type": "roformer"}, 'model_type = "roformer"'),
    (BERT, CONFIG_OF_BERT, {"pruned_heads": {"0": [1]}}, 'pruned_heads = {"0": [1]}'),
    (BERT, CONFIG_OF_BERT, {"quantization_config": {"load_in_8bit": True}}, "quantization_config = "),
    (BERT, CONFIG_OF_BERT, {"attention_type": "block_sparse"}, 'attention_type = "block_sparse"'),
    (BERT, CONFIG_OF_BERT, {"hidden_size": 8}, "hidden_size = 8"),
    (BERT, CONFIG_OF_BERT, {"add_cross_attention": True}, "add_cross_attention = true"),
    (BERT, CONFIG_OF_BERT, {"add_cross_attention": 0}, "add_cross_attention = 0"),
    (GPT2, CONFIG_OF_GPT2, {"multi_query": True}, "multi_query = true"),
    ({**GPT2, **GPT2_CROSS}, CONFIG_OF_GPT2, {"add_cross_attention": False}, "add_cross_attention = false"),
    (ENCODER_LAYER, {}, {"num_attention_heads": 2}, "num_attention_heads = 2"),
    (ATTENTION, {}, {"add_zero_attn": True}, "add_zero_attn = true"),
])  # fmt: skip
def test_a_key_that_is_not_understood_is_named(
    tmp_path: Path, shapes: Any, config: Any, change: Any, said: str
) -> None:
    path = model(tmp_path, shapes, {**config, **change})

    message = refused(path, memory=X if "ln_cross_attn.bias" in shapes else None)
    assert f"is not read, because not all of it is understood: {tmp_path / 'config.json'} says {said}" in message


@pytest.mark.parametrize(("change", "message"), [
    ({"num_attention_heads": "2"}, "expected a whole number of heads, 1 or more, and not '2'"),
    ({"num_attention_heads": True}, "num_attention_heads = true: expected a whole number of heads"),
    ({"is_decoder": 1}, "is_decoder = 1: expected true or false, and not '1'"),
    ({"hidden_act": "gelu_fast"}, "hidden_act = \"gelu_fast\": unknown activation 'gelu_fast': "),
    ({"hidden_act": None}, "hidden_act = null: unknown activation 'None': "),
    ({"layer_norm_eps": None}, "layer_norm_eps = null: epsilon is 'None': expected a small number such as 1e-5"),
])  # fmt: skip
def test_a_value_that_is_none_is_refused_with_its_key(tmp_path: Path, change: Any, message: str) -> None:
    assert message in refused(model(tmp_path, BERT, {**CONFIG_OF_BERT, **change}))


@pytest.mark.parametrize(("config", "message"), [
    ("list.json", "holds no table of keys"),
    ("twice.json", "cannot be read: a key stands in it twice"),
    ("cut.json", "cannot be read: "),
    (5, "config is a int: expected a table of keys or the path of a file"),
    ({5: 1}, "config holds a key that is no text"),
    ("none.json", "none.json: cannot be read: "),
    ({"hidden_act": object}, "hidden_act = "),
    ({"model_type": ["bert"]}, 'model_type = ["bert"]'),
])  # fmt: skip
def test_whatever_is_given_as_a_configuration_gets_a_sentence(tmp_path: Path, config: Any, message: str) -> None:
    for name, text in (("list", "[1]"), ("twice", '{"a": 1, "a": 2}'), ("cut", "{")):
        (tmp_path / f"{name}.json").write_text(text)
    given = tmp_path / config if isinstance(config, str) else config
    assert message in refused(model(tmp_path, BERT), config=given)


@pytest.mark.parametrize("options", [
    {"ignore": [5]}, {"family": ["bert"]}, {"heads": 2.0}, {"heads": 10**5000}, {"head": "1"}, {"causal": 1},
    {"norm": 3}, {"epsilon": 10**5000}, {"activation": []}, {"activation": 10**5000},
])  # fmt: skip
def test_whatever_is_said_of_a_layer_gets_a_sentence(tmp_path: Path, options: dict[str, Any]) -> None:
    assert refused(model(tmp_path, BERT), **{"heads": 2, **SAID_OF_BERT, **options})


def test_a_layer_is_missed_among_ten_thousand_tensors_soon(tmp_path: Path) -> None:
    names = [
        f"model.layer.{k}.attention.self.{part}.weight" for k in range(3_300) for part in ("query", "key", "value")
    ]
    header = {name: {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]} for name in names}
    text = json.dumps(header).encode()
    path = tmp_path / "many.safetensors"
    path.write_bytes(len(text).to_bytes(8, "little") + text)
    with pytest.raises(
        ArrayError, match=r"the nearest names in the file: model\.layer\.33\.attention\.self\.query\.weight"
    ):
        calls(lambda: attention_of(path, "layer.33", input=X), most=3_000_000)  # not the letters of all names


def test_a_configuration_may_be_given_and_the_one_beside_the_file_left_out(tmp_path: Path) -> None:
    path = model(tmp_path, BERT, {**CONFIG_OF_BERT, "model_type": "roformer"})
    (tmp_path / "mine.json").write_text(json.dumps(CONFIG_OF_BERT))

    assert "model_type" in refused(path)
    for options in ({"config": CONFIG_OF_BERT}, {"config": tmp_path / "mine.json"}):
        assert attention_of(path, "layer.3", input=X, **options)
    said = {"heads": 2, **SAID_OF_BERT}
    assert attention_of(path, "layer.3", input=X, ignore="config.json", **said)


# What is asked for, and what does not agree


@pytest.mark.parametrize(("shapes", "said", "asked"), [
    (BERT, {"heads": 2, **SAID_OF_BERT}, ("heads", "family", "causal", "activation", "epsilon")),
    (GPT2, {"heads": 2, **SAID_OF_GPT2}, ("heads", "family", "activation", "epsilon", "scaled", "layer_scaled")),
    (ENCODER_LAYER, SAID_OF_TORCH, ("heads", "norm", "activation", "epsilon")),
    (DECODER_LAYER, {**SAID_OF_TORCH, "causal": False, "memory": X}, ("causal", "heads", "norm", "activation")),
])  # fmt: skip
def test_what_nobody_says_is_asked_for(tmp_path: Path, shapes: Any, said: Any, asked: tuple[str, ...]) -> None:
    path = model(tmp_path, shapes)

    assert attention_of(path, "layer.3", input=X, **said)
    for name in asked:
        message = refused(path, **without(said, name))
        assert "the file does not say" in message
        assert f"or give {name} (--{name.replace('_', '-')}" in message
    assert all(f"{name} (--" in refused(path, **({"memory": X} if "causal" in asked else {})) for name in asked)


@pytest.mark.parametrize("name", ["layer_norm_eps", "hidden_act", "num_attention_heads"])
def test_a_configuration_without_a_key_is_asked_too(tmp_path: Path, name: str) -> None:
    """A model without its ε gets no other one."""
    assert "the file does not say" in refused(model(tmp_path, BERT, without(CONFIG_OF_BERT, name)))


def test_one_head_needs_no_more_than_shows_in_it(tmp_path: Path) -> None:
    said = {"heads": 2, "head": 1}

    assert attention_of(model(tmp_path, BERT), "layer.3", input=X, family="bert", causal=False, **said)
    assert attention_of(model(tmp_path, ENCODER_LAYER), "layer.3", input=X, norm="post", **said)
    assert "epsilon (--epsilon)" in refused(model(tmp_path, ENCODER_LAYER), norm="pre", **said)


@pytest.mark.parametrize(("shapes", "config", "options", "message"), [
    (BERT, CONFIG_OF_BERT, {"heads": 4}, "heads = 4, and {config} says num_attention_heads = 2: they must agree"),
    (BERT, CONFIG_OF_BERT, {"epsilon": "1e-5"}, "epsilon = 1e-5, and {config} says layer_norm_eps = 1e-12: they must"),
    (BERT, CONFIG_OF_BERT, {"causal": True}, "causal = true, and {config} leaves is_decoder out, which means false"),
    (BERT, CONFIG_OF_BERT, {"norm": "pre"}, "norm = pre, and in BERT it is always post: they must agree"),
    (BERT, CONFIG_OF_BERT, {"family": "roberta"}, 'family = roberta, and {config} says model_type = "bert": they'),
    (BERT, CONFIG_OF_BERT, {"family": "gpt2"}, "family = gpt2, and its tensors are named otherwise: expected bert, "),
    (BERT, CONFIG_OF_BERT, {"scaled": False}, "scaled = false, and in BERT it is always true: they must agree"),
    (GPT2, {**CONFIG_OF_GPT2, "num_attention_heads": 1}, {}, "says n_head = 2, and {config} says num_attention_he"),
    (ENCODER_LAYER, {"nhead": 2, "norm_first": True}, {"norm": "post"}, "norm = post, and {config} says norm_first ="),
])  # fmt: skip
def test_two_who_say_something_different_are_both_named(
    tmp_path: Path, shapes: Any, config: Any, options: Any, message: str
) -> None:
    path = model(tmp_path, shapes, config)

    assert message.format(config=tmp_path / "config.json") in refused(path, **options)


def test_two_who_say_the_same_agree_however_they_write_it(tmp_path: Path) -> None:
    path = model(tmp_path, BERT, {**CONFIG_OF_BERT, "layer_norm_eps": 1e-05})
    said = {"heads": 2, "epsilon": "0.00001", "activation": "gelu", "causal": False, "norm": "post", "family": "bert"}

    assert attention_of(path, "layer.3", input=X, **said)


@pytest.mark.parametrize(("shapes", "options", "message"), [
    (ENCODER_LAYER, {"memory": X}, "memory is for cross-attention, and it has no cross-attention: leave memory"),
    (DECODER_LAYER, {"causal": True}, "has cross-attention, which goes to the rows that the encoder gives: give"),
    (DECODER_LAYER, {"causal": True, "memory": X, "head": 1}, "and one head of it is of the attention to its own rows"),
    (DECODER_LAYER, {"causal": True, "memory": np.ones((2, 5))}, "[4:8, 0:4].T has 4 rows, expected 5 (d_e)"),
    (ATTENTION, {"causal": True, "memory": X}, "a causal mask is for rows that see each other"),
])  # fmt: skip
def test_memory_is_for_cross_attention(tmp_path: Path, shapes: Any, options: Any, message: str) -> None:
    said = SAID_OF_TORCH if "linear1.bias" in shapes else {"heads": 2}
    assert message in refused(model(tmp_path, shapes), **said, **options)


@pytest.mark.parametrize("name", ["norm", "activation", "epsilon"])
def test_attention_alone_takes_no_word_on_what_it_does_not_have(tmp_path: Path, name: str) -> None:
    path = model(tmp_path, ATTENTION)

    assert f"{name} is given, and attention alone has none" in refused(path, heads=2, **{name: SAID_OF_TORCH[name]})


@pytest.mark.parametrize("prefix", ["", "block"])
def test_a_layer_whose_number_nobody_knows_is_not_scaled_by_it(tmp_path: Path, prefix: str) -> None:
    path = saved(tmp_path / "m.npz", drawn(GPT2), prefix and f"{prefix}.")

    with pytest.raises(ArrayError, match="divided by the number of the layer, and the prefix does not end with one"):
        attention_of(path, prefix, input=X, heads=2, **{**SAID_OF_GPT2, "layer_scaled": True})


@pytest.mark.parametrize("language", ["en", "zh-Hant", "zh-Hans"])
def test_a_page_tells_who_said_how_the_layer_works(tmp_path: Path, language: str) -> None:
    path = model(tmp_path, BERT, without(CONFIG_OF_BERT, "layer_norm_eps"))
    scenario = attention_of(path, "layer.3", input=X, epsilon="1e-7", language=language)
    text = symattn.derive(scenario).render(detail="result").replace("\\", "")

    for said in ('hidden_act = "gelu"', "num_attention_heads = 2", "is_decoder = false", "epsilon = 1e-7"):
        assert said in text
    assert ("Said by the author of this page: epsilon = 1e-7." in text) == (language == "en")
