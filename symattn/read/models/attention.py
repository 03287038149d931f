"""Turn one layer of a file of weights into a scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from symattn.base.errors import ArrayError, shown
from symattn.read.arrays import matrix, open_tensors
from symattn.read.given import Given
from symattn.read.models.layouts import Activation, Norm
from symattn.read.models.settings import Config, Settings, settle
from symattn.read.models.steps import LayerDraft, contents, model_words
from symattn.read.models.steps import joined_texts as said
from symattn.read.models.weights import Layer
from symattn.read.scenario.build import build_scenario
from symattn.read.scenario.model import Scenario
from symattn.read.scenario.problem import Problem
from symattn.read.scenario.schema import read_tables


def attention_of(
    model: str | Path,
    layer: str = "",
    *,
    input: object,
    memory: object = None,
    tokens: str | Sequence[str] | None = None,
    head: int | None = None,
    heads: int | None = None,
    decimals: int | None = None,
    family: str | None = None,
    causal: bool | None = None,
    scaled: bool | None = None,
    layer_scaled: bool | None = None,
    norm: Norm | None = None,
    activation: Activation | None = None,
    epsilon: str | float | None = None,
    config: str | Path | Mapping[str, Any] | None = None,
    ignore: str | Sequence[str] = (),
    language: str = "en",
) -> Scenario:
    """Return the scenario of attention in a layer of a model, as a scenario file would define it.

    ``model`` is an ``.npz`` or ``.safetensors`` file with the names of ``torch.nn.MultiheadAttention``,
    ``torch.nn.TransformerEncoderLayer``, ``torch.nn.TransformerDecoderLayer``, or of BERT or GPT-2 in the layout of
    Hugging Face; ``layer`` is the prefix of these names, such as ``"encoder.layer.0"``. ``input`` holds the rows that
    enter the layer: an array, a tensor, rows, or the path of a file; ``memory`` those that cross-attention attends to.
    ``tokens`` are the labels of the input, a list or a text with spaces.

    With ``head`` (counted from 1) only that head is taken; without it all of them, the output projection and the rest
    of the layer: residual connections, norms, cross-attention, the feed-forward network.

    How the layer works is set by its family, by ``config`` (a table, the path of one, or the ``config.json`` beside the
    file), or here: ``heads``, ``causal``, ``norm`` (``"pre"`` or ``"post"``), ``activation``, ``epsilon``, ``family``,
    ``scaled`` (scores are divided by √d_k) and ``layer_scaled`` (and by the number of the layer). Nothing is assumed: a
    missing setting is asked for, and contradictory settings are refused. So is a layer with a tensor, or a
    configuration with a key, that is not understood, unless ``ignore`` names it; the page tells the source of each
    setting. ``decimals``: see :func:`symattn.matrix`.

    Raises :class:`~symattn.base.errors.ArrayError` for a layer that cannot be read, with the names that are not
    understood.
    """
    path = Path(model)
    ignored = (ignore,) if isinstance(ignore, str) else tuple(map(str, ignore))
    found = Layer.find(open_tensors(path), layer, decimals)
    configuration = Config.of(config, path, ignored)
    _must_be_there(found, configuration, ignored)
    told = {
        "family": family, "heads": heads, "causal": causal, "scaled": scaled, "layer_scaled": layer_scaled,
        "norm": norm, "activation": activation, "epsilon": epsilon,
    }  # fmt: skip
    settings = settle(found, configuration, told, ignored, head)
    answering = _memory(found, memory, settings, decimals)
    rows = matrix(input, decimals, where="the input")
    labels = tokens.split() if isinstance(tokens, str) else None if tokens is None else list(tokens)
    if labels is not None and len(labels) != rows.shape[0]:
        raise ArrayError(
            f"the input has {rows.shape[0]} rows, and there are {len(labels)} tokens: expected one for each"
        )
    draft = contents(LayerDraft(found, settings), rows, answering, labels)
    if head is None:
        found.must_be_used(ignored)
    called = layer.removesuffix(".") or path.name
    title = model_words("title", layer=called)
    if head is not None:
        title = model_words("title_head", layer=called, head=head, heads=settings.heads)
    intro = said(_intro(path, found, configuration, settings, ignored))
    return _scenario({"title": title, "language": language, "intro": intro, **draft}, path)


def _must_be_there(layer: Layer, config: Config, ignored: Sequence[str]) -> None:
    """Refuse to ignore names that do not exist, which are typing errors, and names that are used."""
    for name in ignored:
        if name not in layer.strange and name not in config.ignored:
            raise ArrayError(
                f"{layer.where}: ignore names {shown(name)}, which is neither a key of {config.where} nor one of its "
                "tensors that are not understood: leave it out"
            )


def _memory(layer: Layer, memory: object, settings: Settings, decimals: int | None) -> Given | None:
    """Return the rows that cross-attention attends to. Raises if they are missing, or if nothing uses them."""
    alone = layer.layout.attention.norm is None
    if layer.has_cross and settings.head is None:
        if memory is None:
            raise ArrayError(
                f"{layer.where}: has cross-attention, which goes to the rows that the encoder gives: give memory "
                "(--memory FILE)"
            )
    elif memory is not None and not alone:
        what = "one head of it is of the attention to its own rows" if layer.has_cross else "it has no cross-attention"
        raise ArrayError(f"{layer.where}: memory is for cross-attention, and {what}: leave memory (--memory) out")
    if memory is not None and settings.causal and alone:
        raise ArrayError(f"{layer.where}: a causal mask is for rows that see each other, and not for those of memory")
    return None if memory is None else matrix(memory, decimals, where="the memory")


def _intro(
    path: Path, layer: Layer, config: Config, settings: Settings, ignored: Sequence[str]
) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the sentences about what was read, and about the source of each setting."""
    yield "intro", {"file": path.name, "family": layer.layout.family}
    for source in ("config", "absent", "told", "unasked"):
        if source in settings.sources:
            yield f"from_{source}", {"config": config.name, "said": ", ".join(settings.sources[source])}
    if ignored:
        yield "ignored", {"said": ", ".join(ignored)}


def _scenario(data: dict[str, Any], path: Path) -> Scenario:
    try:
        scenario = build_scenario(read_tables(data), path.stem, str(path), "")
    except Problem as problem:
        raise problem.located(str(path), "") from None
    assert scenario is not None, "without a place to collect problems the first one is raised"
    return scenario
