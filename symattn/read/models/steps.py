"""The scenario of a layer as the data of a scenario file: sizes, givens, sections of steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from symattn.base.errors import ArrayError
from symattn.base.words import Texts, between, texts
from symattn.read.given import Given
from symattn.read.models.layouts import ACTIVATIONS, Attention, FeedForward, Linear
from symattn.read.models.settings import Settings
from symattn.read.models.weights import Layer


def model_words(key: str, **told: object) -> Texts:
    """Return the text of a key in every language, with braces in its values escaped.

    >>> model_words("head", head=3)["en"], model_words("title", layer="a{b}")["zh-Hant"]
    ('Head 3', 'a{{b}} 的注意力')
    """
    safe = {name: str(value).replace("{", "{{").replace("}", "}}") for name, value in told.items()}
    return {language: text % safe for language, text in texts("models", key).items()}


def joined_texts(keys: Iterable[tuple[str, Mapping[str, object]]]) -> Texts:
    """Return the texts of several keys joined to one.

    >>> said = joined_texts([("input", {}), ("memory", {})])
    >>> said["en"], said["zh-Hans"]
    ('Input What the encoder gives', '输入编码器的输出')
    """
    all_said = [model_words(key, **said) for key, said in keys]
    return {language: between(language).join(said[language] for said in all_said) for language in all_said[0]}


@dataclass
class LayerDraft:
    """A scenario under construction."""

    layer: Layer
    settings: Settings
    sizes: dict[str, int] = field(default_factory=dict)
    given: dict[str, Any] = field(default_factory=dict)
    section: list[dict[str, Any]] = field(default_factory=list)
    norms: int = 0
    """The number of norms written so far."""

    def begin(self, key: str, why: str = "", **told: object) -> None:
        """Begin a new section."""
        self.section.append({"title": model_words(key, **told), "steps": []})
        if why:
            self.section[-1]["need"] = model_words(why)

    def step(self, text: str) -> None:
        """Add a step to the section."""
        self.section[-1]["steps"].append(text)

    def add(self, name: str, given: Given, rows: str, columns: str) -> str:
        """Add a given with the names of its axes, and a size for each new axis.

        Raises :class:`~symattn.base.errors.ArrayError` if an axis already has another size.
        """
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
        self, name: str, weight: str, matrix: Given, row: Given | None, source: str, axes: Sequence[str]
    ) -> None:
        """Add the step ``name = source @ W + b``; ``axes``: rows of the source, its columns, columns of the result."""
        self.add(f"W_{weight}", matrix, axes[1], axes[2])
        if row is None:
            self.step(f"{name} = {source} @ W_{weight}")
            return
        self.add(f"b_{weight}", row, "1", axes[2])
        self.step(f"{name} = {source} @ W_{weight} + broadcast(b_{weight}, {axes[0]})")

    def whole(self, name: str, weight: str, linear: Linear, source: str, *axes: str) -> None:
        """Add the same step with all columns of a layer's matrix."""
        self.linear(name, weight, self.layer.matrix(linear), self.layer.row(linear), source, axes)

    def norm(self, name: str, source: str, linear: Linear) -> None:
        """Add the step ``name = layer_norm(source, …)``."""
        self.norms += 1
        row = self.layer.row(linear)
        factors = [f"gamma={self.add(f'gamma_{self.norms}', self.layer.scale(linear), '1', 'd_model')}"]
        if row is not None:
            factors.append(f"beta={self.add(f'beta_{self.norms}', row, '1', 'd_model')}")
        self.step(f"{name} = layer_norm({source}, epsilon={self.settings.epsilon}, {', '.join(factors)})")

    @property
    def is_pre(self) -> bool:
        """Whether each norm comes before the part it belongs to."""
        return self.settings.norm == "pre"


@dataclass(frozen=True)
class AttentionRows:
    """The operands of attention: rows that ask, the queries', and rows that answer, the keys' and values'."""

    asking: str
    answering: str
    axis: str = "n"
    """The axis of the rows that answer."""
    columns: str = "d_model"
    mark: str = ""
    """The ending of the names of cross-attention."""
    masked: bool = False


def contents(draft: LayerDraft, rows: Given, memory: Given | None, tokens: Sequence[str] | None) -> dict[str, Any]:
    """Return the data of the scenario, without title and words around it.

    Raises :class:`~symattn.base.errors.ArrayError` for rows or tensors that do not fit together.
    """
    layer, attention = draft.layer, draft.layer.layout.attention
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
    columns = _with_memory(draft, memory)
    source = "X"
    if draft.is_pre and attention.norm is not None:
        draft.begin("norm_before")
        draft.norm("H", "X", attention.norm)
        source = "H"
    asked = AttentionRows(source, source, masked=draft.settings.causal)
    if memory is not None and layer.layout.cross is None:
        asked = AttentionRows(source, "E", "m", columns)
    if draft.settings.head is None:
        _all_heads(draft, attention, asked)
        _rest(draft, columns)
    else:
        _one_head(draft, attention, asked, draft.settings.head)
    if tokens is not None:
        draft.sizes.pop("n")
    found = {"sizes": draft.sizes, "given": draft.given, "section": draft.section}
    return found if tokens is None else {**found, "tokens": list(tokens)}


def _with_memory(draft: LayerDraft, memory: Given | None) -> str:
    """Add the rows of the encoder, if there are any, and return the name of their columns' axis."""
    if memory is None:
        return ""
    columns = "d_model" if memory.shape[1] == draft.layer.width else "d_e"
    draft.begin("memory")
    draft.add("E", memory, "m", columns)
    draft.step("E")
    return columns


def _projections(draft: LayerDraft, attention: Attention, rows: AttentionRows, head: int | None = None) -> None:
    """Add queries, keys and values; for a single head, its part is cut out before anything is made exact."""
    width, part = draft.layer.width, slice(None)
    if head is not None:
        size = width // draft.settings.heads
        part = slice((head - 1) * size, head * size)
    out = "d_model" if head is None else "d_k"
    draft.begin(f"projections{rows.mark}", "why_cross" if rows.answering == "E" else "why_projections")
    for letter, linear in zip("QKV", attention.projections, strict=True):
        source, axis, columns = (
            (rows.asking, "n", "d_model") if letter == "Q" else (rows.answering, rows.axis, rows.columns)
        )
        matrix, row = draft.layer.matrix(linear, width, part), draft.layer.row(linear, part)
        draft.linear(letter + rows.mark, letter + rows.mark, matrix, row, source, (axis, columns, out))


def _scores(draft: LayerDraft, queries: str, keys: str, rows: AttentionRows) -> str:
    """Return the formula of the scores of one head."""
    number = draft.settings.number
    factors = [*([] if number in (None, 1) else [str(number)]), *(["sqrt(d_k)"] if draft.settings.scaled else [])]
    divisor = f" / ({' * '.join(factors)})" if factors[1:] else "".join(f" / {factor}" for factor in factors)
    return f"{queries} @ {keys}.T{divisor}" + (" + M" if rows.masked else "")


def _one_head(draft: LayerDraft, attention: Attention, rows: AttentionRows, head: int) -> None:
    _projections(draft, attention, rows, head)
    draft.begin("scores")
    if rows.masked:
        draft.step("M = causal_mask(n)")
    draft.step(f"S = {_scores(draft, 'Q', 'K', rows)}")
    draft.step("A = softmax(S)")
    draft.begin("result", "why_result")
    draft.step("Z = A @ V")


def _all_heads(draft: LayerDraft, attention: Attention, rows: AttentionRows) -> None:
    """Add all heads, side by side, and the output projection."""
    heads, mark = draft.settings.heads, rows.mark
    _projections(draft, attention, rows)
    draft.sizes["d_k"] = draft.layer.width // heads
    if rows.masked:
        draft.begin("scores")
        draft.step("M = causal_mask(n)")
    Q, K, V, S, A, Z = (letter + mark for letter in "QKVSAZ")
    for t in range(1, heads + 1):
        draft.begin(f"head{mark}", head=t)
        draft.step(f"{S}_{t} = " + _scores(draft, f"head({Q}, {t}, {heads})", f"head({K}, {t}, {heads})", rows))
        draft.step(f"{A}_{t} = softmax({S}_{t})")
        draft.step(f"{Z}_{t} = {A}_{t} @ head({V}, {t}, {heads})")
    draft.begin(f"output{mark}", "why_output")
    joined = ", ".join(f"{Z}_{t}" for t in range(1, heads + 1))
    draft.step(f"C{mark} = {Z}_1" if heads == 1 else f"C{mark} = concat({joined})")
    draft.whole(f"O{mark}", f"O{mark}", attention.output, f"C{mark}", "n", "d_model", "d_model")


def _rest(draft: LayerDraft, columns: str) -> None:
    """Add the steps after attention: residual connections, norms, cross-attention, the feed-forward network.

    ``columns`` names the axis of the memory's columns.
    """
    layout, norm = draft.layer.layout, draft.layer.layout.attention.norm
    if norm is None:
        return
    before = _added(draft, "R", "X", "O", "N", norm)
    if layout.cross is not None and layout.cross.norm is not None and draft.layer.has_cross:
        source = before
        if draft.is_pre:
            draft.begin("norm_before_cross")
            draft.norm("H_E", before, layout.cross.norm)
            source = "H_E"
        _all_heads(draft, layout.cross, AttentionRows(source, "E", "m", columns, "_E"))
        before = _added(draft, "R_E", before, "O_E", "N_E", layout.cross.norm)
    if layout.feed_forward is not None:
        _feed_forward(draft, before, layout.feed_forward)


def _added(draft: LayerDraft, name: str, rows: str, result: str, normed: str, norm: Linear) -> str:
    """Add the residual connection and, in a post-norm layer, its norm; return the name of the result."""
    draft.begin("residual")
    draft.step(f"{name} = {rows} + {result}")
    if draft.is_pre:
        return name
    draft.norm(normed, name, norm)
    return normed


def _feed_forward(draft: LayerDraft, rows: str, layers: FeedForward) -> None:
    assert draft.settings.activation is not None, "what the whole layer needs was asked for"
    draft.begin("feed_forward")
    source = rows
    if draft.is_pre:
        draft.norm(source := "N", rows, layers.norm)
    draft.whole("F", "1", layers.first, source, "n", "d_model", "d_ff")
    draft.step(f"G = {ACTIVATIONS[draft.settings.activation].format(x='F')}")
    draft.whole("P", "2", layers.second, "G", "n", "d_ff", "d_model")
    draft.begin("residual")
    if draft.is_pre:
        draft.step(f"Y = {rows} + P")
        return
    draft.step(f"T = {rows} + P")
    draft.norm("Y", "T", layers.norm)
