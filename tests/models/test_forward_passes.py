"""Layers of Transformers and PyTorch, with random weights, against their own forward pass in double precision."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symattn
from symattn.base.errors import ArrayError
from symattn.read.models import attention_of
from symattn.read.models.layouts import layouts

torch = pytest.importorskip("torch")

ROWS, WIDTH, HEADS, INNER, ANSWERS = 3, 4, 2, 6, 2
CLOSE = 1e-12


@pytest.fixture(scope="module")
def transformers() -> Any:
    return pytest.importorskip("transformers")


def shaken(module: Any) -> Any:
    """A module in double precision whose weights are all different, those of norms too."""
    torch.manual_seed(5)
    module = module.double().eval()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn_like(parameter) / 2)
    return module


def saved(folder: Path, module: Any) -> Path:
    """The tensors of a module of PyTorch as a file."""
    path = folder / "module.npz"
    np.savez(path, **{name: tensor.numpy() for name, tensor in module.state_dict().items()})
    return path


def written(folder: Path, model: Any) -> Path:
    """The files of a model as Transformers writes them: its tensors, and ``config.json`` beside them."""
    model.save_pretrained(folder)
    return folder / "model.safetensors"


def seen(layer: Any, run: Any) -> tuple[Any, Any]:
    """What goes into a layer and what comes out while a model runs."""
    found: dict[str, Any] = {}

    def look(module: Any, given: Any, options: Any, result: Any) -> None:
        found["in"] = given[0] if given else options["hidden_states"]
        found["out"] = result[0] if isinstance(result, tuple) else result

    handle = layer.register_forward_hook(look, with_kwargs=True)
    with torch.no_grad():
        run()
    handle.remove()
    return found["in"][0].numpy(), found["out"][0].numpy()


def drawn(*shape: int) -> Any:
    return torch.randn(1, *shape, dtype=torch.float64)


def agrees(scenario: Any, result: Any) -> None:
    assert symattn.derive(scenario)["Y"].float64() == pytest.approx(result, rel=CLOSE, abs=CLOSE)


BERT = {"vocab_size": 7, "hidden_size": WIDTH, "num_hidden_layers": 1, "num_attention_heads": HEADS,
        "intermediate_size": INNER, "max_position_embeddings": 8, "attn_implementation": "eager"}  # fmt: skip
GPT2 = {"vocab_size": 7, "n_embd": WIDTH, "n_layer": 3, "n_head": HEADS, "n_inner": INNER, "n_positions": 8,
        "attn_implementation": "eager"}  # fmt: skip


@pytest.mark.long
@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("Bert", {"hidden_act": "gelu_new", "layer_norm_eps": 1e-3}),
        ("Bert", {"is_decoder": True}),
        ("Roberta", {"layer_norm_eps": 1e-5, "hidden_act": "silu"}),
        ("XLMRoberta", {"hidden_act": "tanh"}),
        ("Camembert", {"hidden_act": "quick_gelu"}),
        ("Electra", {"embedding_size": WIDTH, "hidden_act": "relu2", "is_decoder": True}),
    ],
)
def test_a_layer_named_as_in_bert_is_read_by_its_configuration(
    tmp_path: Path, transformers: Any, kind: str, options: Any
) -> None:
    config = getattr(transformers, f"{kind}Config")(**BERT, **options)
    model = shaken(getattr(transformers, f"{kind}Model")(config))
    rows, result = seen(model.encoder.layer[0], lambda: model(inputs_embeds=drawn(ROWS, WIDTH)))
    path = written(tmp_path, model)

    agrees(attention_of(path, "encoder.layer.0", input=rows), result)


def test_the_names_that_norms_had_once_are_read_too(tmp_path: Path, transformers: Any) -> None:
    config = transformers.BertConfig(**BERT)
    model = shaken(transformers.BertModel(config))
    rows, result = seen(model.encoder.layer[0], lambda: model(inputs_embeds=drawn(ROWS, WIDTH)))

    tensors = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    older = {
        name.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta"): tensors[name] for name in tensors
    }
    np.savez(tmp_path / "old.npz", **older)
    scenario = attention_of(tmp_path / "old.npz", "encoder.layer.0", input=rows, config=config.to_dict())

    assert any(name.endswith("attention.output.LayerNorm.gamma") for name in older)
    agrees(scenario, result)


def test_cross_attention_of_bert_goes_to_the_memory(tmp_path: Path, transformers: Any) -> None:
    config = transformers.BertConfig(**BERT, is_decoder=True, add_cross_attention=True)
    model, memory = shaken(transformers.BertModel(config)), drawn(ANSWERS, WIDTH)
    rows, result = seen(
        model.encoder.layer[0], lambda: model(inputs_embeds=drawn(ROWS, WIDTH), encoder_hidden_states=memory)
    )
    path = written(tmp_path, model)

    agrees(attention_of(path, "encoder.layer.0", input=rows, memory=memory[0]), result)
    with pytest.raises(
        ArrayError, match="has cross-attention, which goes to the rows that the encoder gives: give mem"
    ):
        attention_of(path, "encoder.layer.0", input=rows)


@pytest.mark.parametrize(
    ("scaled", "layer_scaled", "cross"),
    [(True, False, False), (False, False, True), (True, True, True), (False, True, False)],
)
def test_gpt2_scales_its_scores_as_its_flags_say(
    tmp_path: Path, transformers: Any, scaled: bool, layer_scaled: bool, cross: bool
) -> None:
    config = transformers.GPT2Config(
        **GPT2, scale_attn_weights=scaled, scale_attn_by_inverse_layer_idx=layer_scaled, add_cross_attention=cross
    )
    model, memory = shaken(transformers.GPT2Model(config)), drawn(ANSWERS, WIDTH)
    rows, result = seen(
        model.h[2],
        lambda: model(inputs_embeds=drawn(ROWS, WIDTH), encoder_hidden_states=memory if cross else None),
    )
    path = written(tmp_path, model)

    agrees(attention_of(path, "h.2", input=rows, memory=memory[0] if cross else None), result)


@pytest.mark.parametrize(("kind", "norm", "bias", "activation", "causal"), [
    ("Encoder", "pre", True, "gelu", False), ("Encoder", "post", True, "relu", False),
    ("Encoder", "post", False, "relu", False), ("Decoder", "pre", True, "relu", True),
    ("Decoder", "pre", True, "relu", False), ("Decoder", "post", False, "gelu", True),
])  # fmt: skip
def test_layers_of_transformers_agree_with_pytorch(
    tmp_path: Path, kind: str, norm: Any, bias: bool, activation: Any, causal: bool
) -> None:
    layer = shaken(getattr(torch.nn, f"Transformer{kind}Layer")(
        WIDTH, HEADS, INNER, activation=activation, norm_first=norm == "pre", layer_norm_eps=1e-6, bias=bias,
        batch_first=True,
    ))  # fmt: skip
    x, memory = drawn(ROWS, WIDTH), drawn(ANSWERS, WIDTH)
    mask = torch.triu(torch.ones(ROWS, ROWS, dtype=torch.bool), 1) if causal else None
    decoder = kind == "Decoder"
    result = layer(x, memory, tgt_mask=mask) if decoder else layer(x)
    told = {"memory": memory[0], "causal": causal} if decoder else {}
    said = {"heads": HEADS, "norm": norm, "activation": activation, "epsilon": "1e-6"}

    agrees(attention_of(saved(tmp_path, layer), input=x[0], **said, **told), result[0].detach().numpy())


@pytest.mark.parametrize(("causal", "bias"), [(True, True), (False, False)])
@pytest.mark.parametrize("longer", [None, WIDTH, 5])
def test_multihead_attention_agrees_with_pytorch(tmp_path: Path, longer: int | None, causal: bool, bias: bool) -> None:
    """To its own rows, to those of a memory, and to one whose rows are longer."""
    layer = shaken(torch.nn.MultiheadAttention(WIDTH, HEADS, bias=bias, kdim=longer, vdim=longer, batch_first=True))
    x = drawn(ROWS, WIDTH)
    memory = drawn(ANSWERS, longer) if longer else x
    mask = torch.triu(torch.ones(ROWS, ROWS, dtype=torch.bool), 1) if causal and not longer else None
    result, weights = layer(x, memory, memory, attn_mask=mask, average_attn_weights=False)
    told = {"memory": memory[0]} if longer else {"causal": causal}
    path = saved(tmp_path, layer)
    whole = symattn.derive(attention_of(path, input=x[0], heads=HEADS, **told))
    head = symattn.derive(attention_of(path, input=x[0], heads=HEADS, head=2, **told))

    assert whole["O"].float64() == pytest.approx(result[0].detach().numpy(), rel=CLOSE, abs=CLOSE)
    assert ("b_Q" in whole) == bias
    assert head["A"].float64() == pytest.approx(weights[0, 1].detach().numpy(), rel=CLOSE, abs=CLOSE)


OTHERS = {
    "Esm": ("encoder.layer.0", {"position_embedding_type": "rotary", "mask_token_id": 2}, 'type = "rotary"'),
    "RoFormer": ("encoder.layer.0", {"embedding_size": WIDTH}, 'model_type = "roformer"'),
    "BigBird": ("encoder.layer.0", {"sep_token_id": 3}, 'attention_type = "block_sparse"'),
    "OpenAIGPT": ("h.0", {"n_embd": WIDTH, "n_layer": 1, "n_head": HEADS}, 'model_type = "openai-gpt"'),
    "Swin": (
        "encoder.layers.0.blocks.0",
        {"image_size": 8, "patch_size": 2, "num_channels": 1, "embed_dim": WIDTH, "depths": [1], "num_heads": [2],
         "window_size": 2},
        "attention.self.relative_position_bias_table (positions relative to each other, which are added to the scores)",
    ),
}  # fmt: skip
"""Models whose tensors are named as those of BERT or GPT-2: layer, configuration, and what is not understood."""


@pytest.mark.parametrize("kind", OTHERS)
def test_layers_of_other_models_are_refused_with_what_is_not_understood(
    tmp_path: Path, transformers: Any, kind: str
) -> None:
    layer, options, stranger = OTHERS[kind]
    common = {} if kind in ("Swin", "OpenAIGPT") else {**BERT, "attn_implementation": None, "pad_token_id": 1}
    config = getattr(transformers, f"{kind}Config")(**common, **options)
    path = written(tmp_path, getattr(transformers, f"{kind}Model")(config))

    with pytest.raises(ArrayError, match="is not read, because not all of it is understood") as caught:
        attention_of(path, layer, input=np.zeros((ROWS, WIDTH)), heads=HEADS)
    assert stranger in str(caught.value)


@pytest.mark.parametrize("kind", ["Bert", "Roberta", "XLMRoberta", "Camembert", "Electra", "GPT2"])
def test_every_key_that_transformers_writes_is_known(transformers: Any, kind: str) -> None:
    config = getattr(transformers, f"{kind}Config")()
    called = "gpt2" if kind == "GPT2" else "bert"
    known = next(layout.keys for layout in layouts() if layout.called == called)
    written = json.loads(config.to_json_string(use_diff=False))

    assert written["model_type"] in known.model_types
    understood = {"model_type", *known.settings, *known.facts, *known.only, *known.harmless}
    assert not written.keys() - understood
    # What a key means that is left out is what the class of the configuration has.
    assert {key: getattr(config, key) for key in known.absent} == known.absent
