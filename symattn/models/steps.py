"""The scenario of a layer as data, as a scenario file would hold it: sizes, givens, sections of steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from symattn.errors import ArrayError
from symattn.given import Given
from symattn.models.layouts import Activation, Linear, Norm
from symattn.models.weights import Layer
from symattn.models.words import words


@dataclass(frozen=True)
class Options:
    """What is taken of a layer, and what the file does not say."""

    heads: int
    head: int | None
    causal: bool
    norm: Norm
    activation: Activation
    epsilon: str


@dataclass
class Draft:
    """A scenario while it is being written."""

    layer: Layer
    options: Options
    sizes: dict[str, int] = field(default_factory=dict)
    given: dict[str, Any] = field(default_factory=dict)
    notation: dict[str, str] = field(default_factory=dict)
    section: list[dict[str, Any]] = field(default_factory=list)

    def begin(self, key: str, why: str = "", **told: object) -> None:
        """A new section."""
        self.section.append({"title": words(key, **told), "steps": []})
        if why:
            self.section[-1]["why"] = words(why)

    def step(self, text: str) -> None:
        """A step of the section."""
        self.section[-1]["steps"].append(text)

    def add(self, name: str, given: Given, rows: str, columns: str) -> str:
        """A given with the names of its axes, which a size is made for where it is new."""
        for axis, size, what in zip((rows, columns), given.shape, ("rows", "columns"), strict=True):
            if axis != "1" and self.sizes.setdefault(axis, size) != size:
                array = given.array
                tensor = array.origin.tensor if array is not None else name
                raise ArrayError(
                    f"{self.layer.where}: {tensor} has {size} {what}, expected {self.sizes[axis]} ({axis})"
                )
        self.given[name] = {"value": given, "axes": [rows, columns]}
        return name

    def linear(
        self, name: str, source: str, linear: Linear, weight: str, axes: tuple[str, str], columns: slice = slice(None)
    ) -> None:
        """The step ``name = source @ W + b``."""
        self.add(f"W_{weight}", self.layer.matrix(linear, columns), *axes)
        row = self.layer.row(linear, columns)
        if row is None:
            self.step(f"{name} = {source} @ W_{weight}")
            return
        self.add(f"b_{weight}", row, "1", axes[1])
        self.step(f"{name} = {source} @ W_{weight} + broadcast(b_{weight}, n)")

    def layer_norm(self, name: str, source: str, linear: Linear, number: int) -> None:
        """The step ``name = layer_norm(source, …)``."""
        row = self.layer.row(linear)
        assert row is not None, "a norm without its row is refused by the layer"
        gamma = self.add(f"gamma_{number}", self.layer.scale(linear), "1", "d_model")
        beta = self.add(f"beta_{number}", row, "1", "d_model")
        self.step(f"{name} = layer_norm({source}, epsilon={self.options.epsilon}, gamma={gamma}, beta={beta})")


def contents(draft: Draft, rows: Given, tokens: Sequence[str] | None) -> dict[str, Any]:
    """The data of the scenario, without title and words around it."""
    layer, options = draft.layer, draft.options
    draft.begin("input")
    draft.sizes["n"] = rows.shape[0]
    draft.sizes["d_model"] = layer.width
    if rows.shape[1] != layer.width:
        raise ArrayError(
            f"{layer.where}: the input is {rows.shape[0]} × {rows.shape[1]}, and the layer works on rows of length "
            f"{layer.width}: expected {rows.shape[0]} × {layer.width}"
        )
    draft.add("X", rows, "n", "d_model")
    draft.step("X")
    source = "X"
    norm = layer.layout.attention_norm
    if options.norm == "pre" and norm is not None and layer.has(norm):
        draft.begin("norm_before")
        draft.layer_norm("H", "X", norm, 1)
        source = "H"
    if options.head is None:
        _all_heads(draft, source)
        _rest(draft, norm)
    else:
        _one_head(draft, source, options.head)
    if tokens is not None:
        draft.sizes.pop("n")
    found = {"sizes": draft.sizes, "given": draft.given, "notation": draft.notation, "section": draft.section}
    return found if tokens is None else {**found, "tokens": list(tokens)}


def _projections(draft: Draft) -> tuple[tuple[str, Linear], ...]:
    layout = draft.layer.layout
    return (("Q", layout.query), ("K", layout.key), ("V", layout.value))


def _one_head(draft: Draft, source: str, head: int) -> None:
    """The projections of one head only: its columns are cut out before anything is made exact."""
    width = draft.layer.width // draft.options.heads
    columns = slice((head - 1) * width, head * width)
    draft.begin("projections", "why_projections")
    for name, linear in _projections(draft):
        draft.linear(name, source, linear, name, ("d_model", "d_k"), columns)
    draft.begin("scores")
    mask = ""
    if draft.options.causal:
        draft.step("M = causal_mask(n)")
        mask = " + M"
    draft.step(f"S = Q @ K.T / sqrt(d_k){mask}")
    draft.step("A = softmax(S)")
    draft.begin("result", "why_result")
    draft.step("Z = A @ V")


def _all_heads(draft: Draft, source: str) -> None:
    """All heads, side by side, and the output projection."""
    heads = draft.options.heads
    draft.begin("projections", "why_projections")
    for name, linear in _projections(draft):
        draft.linear(name, source, linear, name, ("d_model", "d_model"))
    draft.sizes["d_k"] = draft.layer.width // heads
    if draft.options.causal:
        draft.begin("scores")
        draft.step("M = causal_mask(n)")
    for t in range(1, heads + 1):
        draft.begin("head", head=t)
        scores = f"S_{t} = head(Q, {t}, {heads}) @ head(K, {t}, {heads}).T / sqrt(d_k)"
        draft.step(scores + (" + M" if draft.options.causal else ""))
        draft.step(f"A_{t} = softmax(S_{t})")
        draft.step(f"Z_{t} = A_{t} @ head(V, {t}, {heads})")
    draft.begin("output", "why_output")
    joined = ", ".join(f"Z_{t}" for t in range(1, heads + 1))
    draft.step("C = Z_1" if heads == 1 else f"C = concat({joined})")
    draft.linear("O", "C", draft.layer.layout.output, "O", ("d_model", "d_model"))


def _rest(draft: Draft, norm: Linear | None) -> None:
    """What follows attention in a layer: residual connections, norms, the feed-forward network."""
    layout, layer = draft.layer.layout, draft.layer
    if norm is None or not layer.has(norm):
        return
    draft.begin("residual")
    draft.step("R = X + O")
    before = "R"
    if draft.options.norm == "post":
        draft.layer_norm("N", "R", norm, 1)
        before = "N"
    if layout.feed_forward is None or layout.feed_forward_norm is None or not layer.has(layout.feed_forward[0]):
        return
    first, second = layout.feed_forward
    draft.begin("feed_forward")
    source = before
    if draft.options.norm == "pre":
        draft.layer_norm("N", "R", layout.feed_forward_norm, 2)
        source = "N"
    draft.linear("F", source, first, "1", ("d_model", "d_ff"))
    draft.step(f"G = {draft.options.activation}(F)")
    draft.linear("P", "G", second, "2", ("d_ff", "d_model"))
    draft.begin("residual")
    if draft.options.norm == "pre":
        draft.step("Y = R + P")
        return
    draft.step("T = N + P")
    draft.layer_norm("Y", "T", layout.feed_forward_norm, 2)
