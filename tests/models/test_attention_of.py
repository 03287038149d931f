"""Layers of models: each family against a second road, NumPy by hand or PyTorch itself, in double precision."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import symattn
from symattn.base.errors import ArrayError
from symattn.read.models import attention_of

ROWS, WIDTH, HEADS, INNER = 3, 4, 2, 6
CLOSE = 1e-12
TOKENS = "the cat sat"

Weights = dict[str, NDArray[np.float64]]


def drawn(shapes: dict[str, tuple[int, ...]], seed: int = 1) -> Weights:
    """Weights of a layer, and its input as ``x``."""
    rng = np.random.default_rng(seed)
    return {name: rng.normal(size=shape) for name, shape in {**shapes, "x": (ROWS, WIDTH)}.items()}


def saved(path: Path, weights: Weights, prefix: str = "") -> Path:
    np.savez(path, **{prefix + name: array for name, array in weights.items() if name != "x"})  # type: ignore[arg-type]
    return path


def softmax(scores: Any) -> Any:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def layer_norm(x: Any, weights: Weights, name: str, epsilon: float) -> Any:
    centred = x - x.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + epsilon)
    return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def attend(queries: Any, keys: Any, values: Any, causal: bool) -> tuple[Any, Any]:
    """The heads' results side by side, and their weights."""
    width = WIDTH // HEADS
    weights, results = [], []
    for t in range(HEADS):
        q, k, v = (x[:, t * width : (t + 1) * width] for x in (queries, keys, values))
        scores = q @ k.T / math.sqrt(width)
        weights.append(softmax(np.where(np.tril(np.ones_like(scores)) > 0, scores, -np.inf) if causal else scores))
        results.append(weights[-1] @ v)
    return np.concatenate(results, axis=1), weights


M, R = (WIDTH, WIDTH), (WIDTH,)
BERT = {
    **{f"attention.self.{name}.{part}": shape for part, shape in (("weight", M), ("bias", R))
       for name in ("query", "key", "value")},
    "attention.output.dense.weight": M, "attention.output.dense.bias": R,
    "attention.output.LayerNorm.weight": R, "attention.output.LayerNorm.bias": R,
    "intermediate.dense.weight": (INNER, WIDTH), "intermediate.dense.bias": (INNER,),
    "output.dense.weight": (WIDTH, INNER), "output.dense.bias": R,
    "output.LayerNorm.weight": R, "output.LayerNorm.bias": R,
}  # fmt: skip
GPT2 = {
    "ln_1.weight": R, "ln_1.bias": R, "ln_2.weight": R, "ln_2.bias": R,
    "attn.c_attn.weight": (WIDTH, 3 * WIDTH), "attn.c_attn.bias": (3 * WIDTH,),
    "attn.c_proj.weight": M, "attn.c_proj.bias": R,
    "mlp.c_fc.weight": (WIDTH, INNER), "mlp.c_fc.bias": (INNER,),
    "mlp.c_proj.weight": (INNER, WIDTH), "mlp.c_proj.bias": R,
}  # fmt: skip


def linear(x: Any, w: Weights, name: str) -> Any:
    return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]


def bert(w: Weights) -> tuple[Any, Any]:
    queries, keys, values = (linear(w["x"], w, f"attention.self.{name}") for name in ("query", "key", "value"))
    joined, weights = attend(queries, keys, values, causal=False)
    middle = layer_norm(w["x"] + linear(joined, w, "attention.output.dense"), w, "attention.output.LayerNorm", 1e-12)
    hidden = linear(middle, w, "intermediate.dense")
    gelu = hidden * (1 + np.vectorize(math.erf)(hidden / math.sqrt(2))) / 2
    return layer_norm(middle + linear(gelu, w, "output.dense"), w, "output.LayerNorm", 1e-12), weights


def gpt2(w: Weights) -> tuple[Any, Any]:
    def conv(x: Any, name: str) -> Any:
        return x @ w[f"{name}.weight"] + w[f"{name}.bias"]

    queries, keys, values = np.split(conv(layer_norm(w["x"], w, "ln_1", 1e-5), "attn.c_attn"), 3, axis=1)
    joined, weights = attend(queries, keys, values, causal=True)
    middle = w["x"] + conv(joined, "attn.c_proj")
    hidden = conv(layer_norm(middle, w, "ln_2", 1e-5), "mlp.c_fc")
    gelu = hidden * (1 + np.tanh(math.sqrt(2 / math.pi) * (hidden + 0.044715 * hidden**3))) / 2
    return middle + conv(gelu, "mlp.c_proj"), weights


SAID_OF_BERT: dict[str, Any] = {"family": "bert", "causal": False, "activation": "gelu", "epsilon": "1e-12"}
SAID_OF_GPT2: dict[str, Any] = {
    "family": "gpt2", "activation": "gelu_tanh", "epsilon": "1e-5", "scaled": True, "layer_scaled": False,
}  # fmt: skip
"""What a ``config.json`` would say."""


@pytest.mark.parametrize(
    ("shapes", "forward", "said"), [(BERT, bert, SAID_OF_BERT), (GPT2, gpt2, SAID_OF_GPT2)], ids=["bert", "gpt2"]
)
def test_hugging_face_layers_agree_with_their_definition(
    tmp_path: Path, shapes: Any, forward: Any, said: dict[str, Any]
) -> None:
    weights = drawn(shapes)
    path = saved(tmp_path / "model.npz", weights, "encoder.layer.3.")
    result, heads = forward(weights)

    whole = symattn.derive(
        attention_of(path, "encoder.layer.3", input=weights["x"], heads=HEADS, tokens=TOKENS, **said)
    )
    assert whole["Y"].float64() == pytest.approx(result, abs=CLOSE)
    for t in range(HEADS):
        one = attention_of(path, "encoder.layer.3.", input=weights["x"], heads=HEADS, head=t + 1, **said)
        head = symattn.derive(one)
        assert head["A"].float64() == pytest.approx(heads[t], abs=CLOSE)
        assert head["W_Q"].shape == (WIDTH, WIDTH // HEADS)
        # What is printed was worked out by other rules, from the same numbers.
        printed = [[float(text) for text in row] for row in head["A"].decimals(9)]
        assert np.array(printed) == pytest.approx(heads[t], abs=0.6e-9)


def test_projections_in_matrices_of_their_own_are_read(tmp_path: Path) -> None:
    projections = {f"{name}_proj_weight": M for name in "qkv"}
    weights = drawn({**projections, "in_proj_bias": (3 * WIDTH,), "out_proj.weight": M, "out_proj.bias": R})
    path = saved(tmp_path / "m.npz", weights)
    solution = symattn.derive(attention_of(path, input=weights["x"], heads=2, head=1))

    assert solution["K"].float64() == pytest.approx(
        weights["x"] @ weights["k_proj_weight"][:2].T + weights["in_proj_bias"][4:6], abs=CLOSE
    )


@pytest.mark.parametrize("language", ["en", "zh-Hant", "zh-Hans"])
def test_a_page_says_which_head_of_which_layer_and_where_numbers_come_from(tmp_path: Path, language: str) -> None:
    weights = drawn(GPT2)
    path = saved(tmp_path / "gpt.npz", weights, "h.0.")
    scenario = attention_of(
        path, "h.0", input=weights["x"], tokens=TOKENS, heads=2, head=2, decimals=3, language=language, **SAID_OF_GPT2
    )
    text = symattn.derive(scenario).render()

    title = {"en": "# Head 2 of 2 in h.0", "zh-Hant": "# h.0：2 個頭中的第 2 個", "zh-Hans": "# h.0：2 个头中的第 2 个"}
    assert text.splitlines()[0] == title[language]
    assert "GPT-2" in text
    assert "h.0.attn.c_attn.weight&#91;0:4, 2:4]" in text
    assert "cat" in text
    assert f"{weights['attn.c_attn.weight'][0, 2]:.3f}" in text


def test_braces_and_markup_in_names_print_as_themselves(tmp_path: Path) -> None:
    weights = drawn({"in_proj_weight": (12, 4), "out_proj.weight": (4, 4)})
    path = saved(tmp_path / "m.npz", weights, "{A}*<b>.")

    assert symattn.derive(attention_of(path, "{A}*<b>", input=weights["x"], heads=1, head=1)).render()


def test_the_name_of_a_layer_that_is_not_there_gets_the_layouts_and_the_nearest_names(tmp_path: Path) -> None:
    path = saved(tmp_path / "model.npz", drawn(BERT), "encoder.layer.0.")

    with pytest.raises(ArrayError) as caught:
        attention_of(path, "encoder.layer.1", input=[[1]], heads=2)

    message = str(caught.value)
    assert message.startswith(
        f"{path}, layer 'encoder.layer.1': no attention is found there: tried torch.nn.Transformer"
    )
    for family in ("torch.nn.MultiheadAttention (in_proj_weight)", "BERT (attention.self.query", "GPT-2 (attn.c_attn"):
        assert family in message
    assert "the nearest names in the file: encoder.layer.0.attention.self.query.weight" in message


X = np.zeros((ROWS, WIDTH))


@pytest.mark.parametrize(("changes", "options", "message"), [
    ({"attention.output.dense.weight": None}, {}, "(BERT): the tensor 'l.attention.output.dense.weight' "
     "is missing; the nearest names in the file: l.attention.output.dense.bias"),
    ({"attention.self.key.weight": (4, 5)}, {}, "self.key.weight[0:4, 0:5].T has 5 rows, expected 4 (d_model)"),
    ({"attention.self.key.weight": (4,)}, {}, "attention.self.key.weight has the shape (4,): expected a matrix"),
    ({"attention.self.key.bias": (4, 1)}, {}, "attention.self.key.bias has the shape (4, 1): expected a row"),
    ({"attention.self.key.weight": (8, 4)}, {}, "self.key.weight has 8 columns, expected 4 (d_model)"),
    ({}, {"heads": 3}, "3 heads cannot share 4 columns: expected a divisor of them"),
    ({}, {"head": 0}, "head 0 is not there: expected 1 to 2"),
    ({}, {"input": np.zeros((3, 5))}, "the input is 3 × 5, and the layer works on rows of length 4: expected 3 × 4"),
    ({}, {"tokens": "a b"}, "the input has 3 rows, and there are 2 tokens: expected one for each"),
    ({}, {"norm": "both"}, "unknown norm 'both': known: post, pre"),
    ({}, {"activation": "mish"}, "unknown activation 'mish': "),
    ({}, {"epsilon": "x"}, "epsilon is 'x': expected a small number such as 1e-5"),
])  # fmt: skip
def test_what_does_not_fit_is_told_with_the_layer(tmp_path: Path, changes: Any, options: Any, message: str) -> None:
    shapes = {name: shape for name, shape in {**BERT, **changes}.items() if shape is not None}
    path = saved(tmp_path / "m.npz", drawn(shapes), "l.")

    with pytest.raises(ArrayError) as caught:
        attention_of(path, "l", **{"input": X, "heads": 2, **SAID_OF_BERT, **options})
    assert message in str(caught.value)


def test_a_tensor_that_only_the_rest_of_the_layer_needs_is_not_missed_by_one_head(tmp_path: Path) -> None:
    path = saved(tmp_path / "m.npz", drawn({name: shape for name, shape in BERT.items() if ".self." in name}))

    assert attention_of(path, input=X, heads=2, head=1, **SAID_OF_BERT).derivation["Z"].shape.sizes == (3, 2)
