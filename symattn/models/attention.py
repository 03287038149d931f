"""From a file of weights to the scenario of one layer of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, get_args

from symattn import limits
from symattn.arrays import matrix, open_tensors
from symattn.arrays.files import must_be_file
from symattn.errors import ArrayError, shown, unknown
from symattn.models.layouts import ACTIVATIONS, Activation, Norm
from symattn.models.steps import Draft, Options, contents
from symattn.models.weights import Layer
from symattn.models.words import words
from symattn.scenario.build import build
from symattn.scenario.model import Scenario
from symattn.scenario.problem import Problem
from symattn.scenario.schema import read

_HEADS = ("num_attention_heads", "n_head", "num_heads", "nhead")
_EPSILON = ("layer_norm_eps", "layer_norm_epsilon")
_ACTIVATION = ("hidden_act", "activation_function")
_CALLED: dict[str, Activation] = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
}
"""What a ``config.json`` calls the functions that are read."""


def attention_of(
    model: str | Path,
    layer: str = "",
    *,
    input: object,
    tokens: str | Sequence[str] | None = None,
    head: int | None = None,
    heads: int | None = None,
    decimals: int | None = None,
    causal: bool | None = None,
    norm: Norm | None = None,
    activation: Activation | None = None,
    epsilon: str | None = None,
    language: str = "en",
) -> Scenario:
    """The scenario of attention in a layer of a model, as a file of it would be written.

    ``model`` is an ``.npz`` or ``.safetensors`` file with the names of ``torch.nn.MultiheadAttention``,
    ``torch.nn.TransformerEncoderLayer``, or of BERT or GPT-2 in the layout of Hugging Face; ``layer`` is what stands
    before these names, such as ``"encoder.layer.0"``. ``input`` holds the rows that come into the layer: an array, a
    tensor, rows, or the path of a file. ``tokens`` are their labels, a list or a text with spaces.

    With ``head`` (counted from 1) only that head is taken; without it all of them, the output projection and what else
    the layer has: residual connections, norms, the feed-forward network. ``heads``, ``epsilon`` and ``activation`` may
    stand in a ``config.json`` beside the file. ``norm`` is ``"pre"`` or ``"post"``; where it and ``causal`` are not
    said, they are what is usual for the family. ``decimals``: see :func:`symattn.matrix`.

    Raises :class:`~symattn.errors.ArrayError` for a tensor that is missing or of another shape.
    """
    path = Path(model)
    found = Layer.find(open_tensors(path), layer, decimals)
    options = _options(found, _config(path), head, heads, causal, norm, activation, epsilon)
    rows = matrix(input, decimals, where="the input")
    labels = tokens.split() if isinstance(tokens, str) else None if tokens is None else list(tokens)
    if labels is not None and len(labels) != rows.shape[0]:
        raise ArrayError(
            f"the input has {rows.shape[0]} rows, and there are {len(labels)} tokens: expected one for each"
        )
    draft = Draft(found, options)
    called = layer.removesuffix(".") or path.name
    title = words("title", layer=called)
    if head is not None:
        title = words("title_head", layer=called, head=head, heads=options.heads)
    data = {
        "title": title,
        "language": language,
        "intro": words("intro", file=path.name, family=found.layout.family),
        **contents(draft, rows, labels),
    }
    return _scenario(data, path)


def _scenario(data: dict[str, Any], path: Path) -> Scenario:
    try:
        scenario = build(read(data), path.stem, str(path), "")
    except Problem as problem:
        raise problem.located(str(path), "") from None
    assert scenario is not None, "without a place to collect problems the first one is raised"
    return scenario


def _options(
    layer: Layer,
    config: dict[str, Any],
    head: int | None,
    heads: int | None,
    causal: bool | None,
    norm: Norm | None,
    activation: Activation | None,
    epsilon: str | None,
) -> Options:
    layout = layer.layout
    count = heads if heads is not None else _of(config, _HEADS, int)
    if count is None:
        raise ArrayError(
            f"{layer.where}: how many heads it has is not said in the file: give heads (--heads), or put its "
            "config.json beside it"
        )
    if type(count) is not int or count < 1 or layer.width % count:
        raise ArrayError(f"{layer.where}: {count} heads cannot share {layer.width} columns: expected a divisor of them")
    if head is not None and not 1 <= head <= count:
        raise ArrayError(f"{layer.where}: head {head} is not there: expected 1 to {count}")
    said = _of(config, _ACTIVATION, str)
    chosen = activation or (_CALLED.get(said, layout.activation) if said else layout.activation)
    for name, value, known in (("activation", chosen, ACTIVATIONS), ("norm", norm or layout.norm, get_args(Norm))):
        if value not in known:
            raise ArrayError(unknown(name, str(value), known))
    if said is not None and activation is None and said not in _CALLED and head is None:
        raise ArrayError(f"{layer.where}: its config.json says {shown(said)}: {unknown('activation', said, _CALLED)}")
    written = epsilon if epsilon is not None else _of(config, _EPSILON, float)
    return Options(
        heads=count,
        head=head,
        causal=layout.causal if causal is None else causal,
        norm=norm or layout.norm,
        activation=chosen,
        epsilon=layout.epsilon if written is None else _number(str(written)),
    )


def _number(text: str) -> str:
    """A decimal, in which ``1e-12`` is allowed, as a formula writes it.

    >>> _number("1e-12"), _number("0.00001"), _number("2.5e-6")
    ('10^-12', '10^-5', '0.0000025')
    """
    try:
        number = Decimal(text.replace("10^", "1e"))
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or number < 0 or abs(number.adjusted()) > limits.DIGITS:
        raise ArrayError(f"epsilon is {shown(text)}: expected a small number such as 1e-5")
    _, digits, exponent = number.normalize().as_tuple()
    if digits == (1,) and isinstance(exponent, int) and exponent < 0:
        return f"10^{exponent}"
    return format(number, "f")


def _config(model: Path) -> dict[str, Any]:
    """The ``config.json`` beside a model, or nothing."""
    path = model.parent / "config.json"
    if not path.is_file():
        return {}
    if must_be_file(path) > limits.FILE_BYTES:
        raise ArrayError(f"{path}: is larger than FILE_BYTES = {limits.FILE_BYTES} bytes")
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ArrayError(f"{path}: cannot be read: {error}") from None
    return config if isinstance(config, dict) else {}


def _of(config: dict[str, Any], names: Sequence[str], kind: type) -> Any:
    """The first of several keys that holds a value of its kind."""
    values = (config.get(name) for name in names)
    fitting = (v for v in values if isinstance(v, kind | int if kind is float else kind) and not isinstance(v, bool))
    return next(fitting, None)
