"""The parts of attention, whatever entry uses it: projections, a cache, positions, heads, scores, masks and biases,
weights, output. Every option of attention is read here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from symattn.base.errors import FormulaError, cut
from symattn.base.shapes import addends, total_length
from symattn.read.catalogue.model import (
    NONE,
    Chosen,
    CountLine,
    EntryLine,
    HeadingLine,
    Input,
    Option,
    Setting,
    StepLine,
    number_option,
    switch,
    whole_option,
    word,
    words_or_matrices,
)

ROOT = "1/sqrt(d_k)"
"""The usual scale, by the width of the keys."""

HEADS, KV_HEADS = whole_option("heads", 1), whole_option("kv_heads", "heads", "heads")
BASE = number_option("base", "10000", needs=("positions", "rotary"))
SLOPE = number_option("slope", "1/2", needs=("positions", "alibi"))
MASK = words_or_matrices("mask", "causal", "padding", "window")
WINDOW, LENGTH = (
    whole_option("window", 2, needs=("mask", "window")),
    whole_option("length", 2, needs=("mask", "padding")),
)
SCORE_BIAS, SCALE = words_or_matrices("score_bias"), number_option("scale", ROOT, ROOT)
OF_SCORES = (SCORE_BIAS, SCALE, number_option("softcap", NONE, NONE), number_option("temperature", "1"))
PROJECTIONS = (switch("bias", False), switch("output", False))

ATTENTION = (
    *(HEADS, KV_HEADS, word("positions", NONE, "rotary", "alibi"), BASE, SLOPE),
    *(MASK, WINDOW, LENGTH, *OF_SCORES, *PROJECTIONS, switch("cache", False)),
)
"""Options of attention over one sequence."""

_USUAL: Mapping[str, Setting] = MappingProxyType({option.name: option.default for option in ATTENTION})

APART: Mapping[str, str] = MappingProxyType(
    {
        "positions": "queries and keys are rows of two sequences, between which there is no distance",
        "cache": "the memory is there from the start, and its keys and values do not grow",
        "mask = causal": "queries and keys are rows of two sequences, and nothing lies ahead",
        "mask = window": "queries and keys are rows of two sequences, and nothing is near",
    }
)
"""Options that make no sense if another sequence answers, and why."""


def with_defaults(options: tuple[Option, ...], **defaults: Setting) -> tuple[Option, ...]:
    """Return the same options, some of them with another default."""
    return tuple(replace(one, default=defaults.get(one.name, one.default)) for one in options)


def without(options: tuple[Option, ...], *names: str) -> tuple[Option, ...]:
    """Return the options except those of these names."""
    return tuple(one for one in options if one.name not in names)


HEAD_WIDTH = 2
"""The number of columns of a head in an example."""


def head_sizes(chosen: Chosen) -> Mapping[str, int]:
    """Return the widths of an example, so that every head has the same number of columns."""
    return {"d": HEAD_WIDTH * chosen.whole("heads"), "d_shared": HEAD_WIDTH * _groups(chosen)}


def _groups(chosen: Chosen) -> int:
    """Return the number of heads of keys and values.

    Raises :class:`~symattn.base.errors.FormulaError` if it does not divide the heads.
    """
    heads = chosen.whole("heads")
    groups = heads if chosen.settings["kv_heads"] == "heads" else chosen.whole("kv_heads")
    if heads % groups:
        raise FormulaError(
            f"kv_heads = {groups} does not divide heads = {heads}: each head of keys and values serves the same number "
            "of heads"
        )
    return groups


def attended(chosen: Chosen, asks: Input, answers: Input | None = None, mark: str = "") -> Iterator[EntryLine]:
    """Yield attention of the rows of ``asks`` over those of ``answers``, or over their own.

    ``mark`` ends every name, if an entry uses attention twice. Options that an entry does not have are at their
    defaults. Raises :class:`~symattn.base.errors.FormulaError` for heads that do not divide the columns.

    >>> x = Input("X", "n", "d_model", "tokens")
    >>> lines = attended(Chosen({"mask": ("causal",), "bias": True}), x)
    >>> [line.formula for line in lines if isinstance(line, StepLine)]  # doctest: +NORMALIZE_WHITESPACE
    ['X @ W_Q + broadcast(b_Q, n)', 'X @ W_K + broadcast(b_K, n)', 'X @ W_V + broadcast(b_V, n)',
     'Q @ K.T / sqrt(d_k)', 'causal_mask(n)', 'softmax(S + M)', 'A @ V']
    """
    yield from _Attention(chosen.having(**{**_USUAL, **chosen.settings}), asks, answers or asks, mark).lines()


def compared(chosen: Chosen, asks: Input, answers: Input, scores: str, width: str = "") -> Iterator[EntryLine]:
    """Yield attention without queries, keys and values: from given scores to mixtures of the rows that answer.

    With a ``width`` the scores may be divided by its root.
    """
    one = _Attention(chosen.having(**{**_USUAL, **chosen.settings}), asks, answers, "")
    yield HeadingLine("scores")
    yield StepLine("S", *(one.scaled(scores, width, "S_scaled") if width else (scores, "S")))
    yield from one.weights(1)
    yield HeadingLine("mixture")
    yield one.step("O", f"A @ {answers.name}", "O")
    yield from _counts(one)


@dataclass(frozen=True)
class _Attention:
    """One attention; each method yields the lines of a part."""

    chosen: Chosen
    asks: Input
    answers: Input
    mark: str

    def lines(self) -> Iterator[EntryLine]:
        yield HeadingLine("projections" + self.mark)
        yield from self.projections()
        if self.kept:
            yield from self.heading("kept")
            yield from _cached(self)
        if self.heads > 1:
            yield from _distances(self)
            yield from self.added()
        for t in range(1, self.heads + 1):
            if self.heads > 1 and t <= 2:
                yield from self.heading("head" if t == 1 else "heads")
            yield from self.head(t)
        yield from self.output()
        yield from _counts(self)

    # -- options and names -------------------------------------------------------------------------------------------

    @property
    def heads(self) -> int:
        return self.chosen.whole("heads")

    @property
    def groups(self) -> int:
        """The number of blocks of keys and values."""
        return _groups(self.chosen)

    @property
    def is_single(self) -> bool:
        """Whether a single row asks: its names are lower-case."""
        return self.asks.rows == "1"

    @property
    def is_rotary(self) -> bool:
        return self.chosen.text("positions") == "rotary"

    @property
    def kept(self) -> str:
        """The letter of the number of cached rows; empty without a cache."""
        return ("n" if self.is_single else "p") if self.chosen.switch("cache") else ""

    @property
    def keys(self) -> str:
        """The letter of the number of keys: the cached rows and the current ones."""
        return str(total_length([self.kept, *addends(self.answers.rows)])) if self.kept else self.answers.rows

    @property
    def widths(self) -> Mapping[str, str]:
        """The letters of the columns of queries, keys and values."""
        if self.heads == 1:
            return {"Q": "d_k", "K": "d_k", "V": "d_v"}
        shared = "d" if self.chosen.settings["kv_heads"] == "heads" else "d_shared"
        return {"Q": "d", "K": shared, "V": shared}

    def called(self, name: str, t: int = 0) -> str:
        """Return a name of this attention, or of its head ``t`` if there are several."""
        own = (name.lower() if self.is_single else name) + self.mark
        return f"{own}_{t}" if t and self.heads > 1 else own

    def new(self, name: str) -> str:
        """Return the name of the current rows' keys or values: those of all rows have the plain name."""
        return self.called(f"{name}_new" if self.kept and not self.is_single else name)

    def heading(self, words: str, of_one_head: bool = False) -> Iterator[HeadingLine]:
        """Yield a heading; the second attention of an entry, and a head among several, is a single section."""
        if not self.mark and not (of_one_head and self.heads > 1):
            yield HeadingLine(words)

    def step(self, name: str, formula: str, because: str, t: int = 1) -> StepLine:
        """Return a step; only the first head's gives the reason."""
        return StepLine(name, formula, because=because + self.mark if t == 1 else "")

    # -- before the heads --------------------------------------------------------------------------------------------

    def projections(self) -> Iterator[EntryLine]:
        """Yield the cache, the weights, and then Q = X W_Q (+ b_Q), K and V."""
        if self.kept:
            for name in "KV":
                yield Input(f"{name}_cache{self.mark}", self.kept, self.widths[name], "state")
        sources = {"Q": self.asks, "K": self.answers, "V": self.answers}
        for name, source in sources.items():
            yield Input(f"W_{name}{self.mark}", source.columns, self.widths[name], "weight")
        for name in "QKV" if self.chosen.switch("bias") else "":
            yield Input(f"b_{name}{self.mark}", "1", self.widths[name], "bias")
        kind = "_heads" if self.heads > 1 else ""
        shared = "_new" if self.kept else "_shared" if self.groups < self.heads else kind
        if self.mark:
            kind = shared = ""  # here the source of the rows matters more than the number of heads
        for name, source in sources.items():
            called, why = (self.called(name), kind) if name == "Q" else (self.new(name), shared)
            yield self.step(called, self.layer(source.name, name, source.rows), name + why)

    def layer(self, source: str, name: str, rows: str) -> str:
        """Return ``X @ W_Q``, with its bias if there is one."""
        shift = f"b_{name}{self.mark}"
        shift = shift if rows == "1" else f"broadcast({shift}, {rows})"
        return f"{source} @ W_{name}{self.mark}" + (f" + {shift}" if self.chosen.switch("bias") else "")

    def turned(self, formula: str) -> str:
        """Return the formula rotated by its positions, which continue where the cache ends."""
        base = self.chosen.text("base")
        more = (f", base={base}" if base != BASE.default else "") + (f", start={self.kept}" if self.kept else "")
        return f"rotary({formula}{more})"

    # -- added to the scores -----------------------------------------------------------------------------------------

    def added(self) -> Iterator[EntryLine]:
        """Yield masks and other matrices that every head adds."""
        for option in (SCORE_BIAS, MASK):
            for name in option.own(self.chosen.settings[option.name]):
                yield Input(name, self.asks.rows, self.keys, "scores", option.name)
        masks = self.masks
        if len(masks) > 1 or not set(MASK.choices).isdisjoint(masks.values()):
            yield from self.heading("mask")
        for name, kind in masks.items():
            if kind in MASK.choices:
                yield self.step(name, self.mask(kind), f"M_{kind}{'_kept' if self.kept else ''}")
        if len(masks) > 1:
            yield self.step(self.mask_of_all, " + ".join(masks), "M_all")

    @property
    def masks(self) -> Mapping[str, str]:
        """The names of masks, each with the word that chose it; the reader's own matrices keep their names."""
        chosen = self.chosen.listed("mask")
        ours = "M" if len(chosen) == 1 else "M_{}"
        return {ours.format(kind) + self.mark if kind in MASK.choices else kind: kind for kind in chosen}

    @property
    def mask_of_all(self) -> str:
        """The name of the sum of the masks."""
        return ("M_all" if "M" in self.masks else "M") + self.mark

    def mask(self, kind: str) -> str:
        match kind:
            case "causal":
                return f"causal_mask({self.asks.rows}, {self.keys})" if self.kept else f"causal_mask({self.keys})"
            case "window":
                return self.of_new_rows(f"window_mask({{keys}}, {self.chosen.whole('window')})")
        return f"padding_mask({self.asks.rows}, {self.keys}, {self.chosen.whole('length')})"

    def of_new_rows(self, formula: str) -> str:
        """Select the rows of the current queries from a matrix with a row and a column for every position."""
        formula = formula.format(keys=self.keys)
        return f"rows({formula}, {self.kept} + 1, {self.keys})" if self.kept else formula

    # -- heads -------------------------------------------------------------------------------------------------------

    def head(self, t: int) -> Iterator[EntryLine]:
        """Yield scores, weights and output of head ``t``, or of the only one."""
        if self.is_rotary:
            yield from self.heading("turned", of_one_head=True)
        queries, keys, values = yield from self.parts(t)
        scaled = "_scaled" * (self.chosen.text("scale") == ROOT)
        yield from self.heading(f"scores{scaled}", of_one_head=True)
        width = str(_head_width(self)) if self.heads > 1 else self.widths["K"]
        why = "S_turned" if self.is_rotary else "S_heads" if self.heads > 1 and not self.mark else "S"
        yield self.step(self.called("S", t), *self.scaled(f"{queries} @ {keys}.T", width, why), t)
        yield from self.weights(t)
        yield from self.heading("mixture", of_one_head=True)
        if self.heads > 1 or not self.chosen.switch("output"):
            why = "O_head" if self.heads > 1 else "O"
            yield self.step(self.called("O", t), f"{self.called('A', t)} @ {values}", why, t)

    def weights(self, t: int) -> Iterator[EntryLine]:
        """Yield the steps from the scores to the weights: the soft cap, biases, softmax."""
        scores = self.called("S", t)
        if (cap := self.chosen.text("softcap")) != NONE:
            yield self.step(self.called("S_cap", t), f"softcap({scores}, {cap})", "S_cap", t)
            scores = self.called("S_cap", t)
        if self.heads == 1:
            yield from _distances(self)
        if self.chosen.text("positions") == "alibi":
            slope = as_factor(self.chosen.text("slope")) + (f"^{t}" if t > 1 else "")
            yield self.step(self.called("B", t), f"{scores} - {slope} * D{self.mark}", "B", t)
            scores = self.called("B", t)
        if self.heads == 1:
            yield from self.added()
        yield from self.heading("weights", of_one_head=True)
        yield self.step(self.called("A", t), *_softened(self, scores), t)

    def parts(self, t: int) -> Generator[EntryLine, None, tuple[str, str, str]]:
        """Yield the blocks of head ``t``, and return the names of its queries, keys and values."""
        share = self.heads // self.groups
        group, is_first = (t - 1) // share + 1, (t - 1) % share == 0
        found = []
        for name in "QKV":
            number, count, is_new = (t, self.heads, True) if name == "Q" else (group, self.groups, is_first)
            turns = self.is_rotary and (name == "Q" or (name == "K" and not self.kept))
            whole = self.called(name) if name == "Q" else name + self.mark
            block = f"{whole}_{number}" if count > 1 else self.called(f"R_{name}") if turns else whole
            found.append(block)
            if is_new and block != whole:
                formula = f"head({whole}, {number}, {count})" if count > 1 else whole
                why = "block" + ("_turned" if turns else "_shared" if self.groups < self.heads else "")
                why = f"R_{name}" if count == 1 else why if name == "Q" else ""
                yield self.step(block, self.turned(formula) if turns else formula, why, t if why else 0)
        return (found[0], found[1], found[2])

    def scaled(self, product: str, width: str, why: str) -> tuple[str, str]:
        """Return the scores at the chosen scale, and the key of the reason."""
        match self.chosen.text("scale"):
            case "1":
                return product, "S_plain"
            case scale if scale != ROOT:
                return f"{as_factor(scale)} * ({product})", "S_scale"
        return f"{product} / sqrt({width})", why

    def output(self) -> Iterator[EntryLine]:
        """Yield the outputs of the heads side by side, and their mixture by W_O if there is one."""
        several = self.heads > 1
        if several:
            yield from self.heading("joined")
        joined = f"concat({', '.join(self.called('O', t) for t in range(1, self.heads + 1))})"
        out = self.called("O")
        if self.chosen.switch("output"):
            yield Input(f"W_O{self.mark}", self.widths["Q"] if several else "d_v", self.asks.columns, "weight")
            if self.chosen.switch("bias"):
                yield Input(f"b_O{self.mark}", "1", self.asks.columns, "bias")
            if several:
                yield self.step(self.called("C"), joined, "C")
            mixed = self.called("C") if several else f"({self.called('A')} @ V{self.mark})"
            yield self.step(out, self.layer(mixed, "O", self.asks.rows), "O_heads" if several else "O_mixed")
        elif several:
            yield self.step(out, joined, "C")


def _cached(one: _Attention) -> Iterator[EntryLine]:
    """Yield the cached keys and values with the current ones behind. Keys are cached after their rotation."""
    new = one.new("K")
    if one.is_rotary:
        blocks = [f"head({new}, {group}, {one.groups})" for group in range(1, one.groups + 1)]
        turned = [one.turned(each) for each in (blocks if one.groups > 1 else [new])]
        new = one.called("R_K")
        yield one.step(new, f"concat({', '.join(turned)})" if one.groups > 1 else turned[0], "R_K_new")
    yield one.step(f"K{one.mark}", f"stack(K_cache{one.mark}, {new})", "K_kept")
    yield one.step(f"V{one.mark}", f"stack(V_cache{one.mark}, {one.new('V')})", "V_kept")


def _distances(one: _Attention) -> Iterator[EntryLine]:
    """Yield the distances that every head takes off its scores."""
    if one.chosen.text("positions") == "alibi":
        yield from one.heading("distance")
        yield one.step(f"D{one.mark}", one.of_new_rows("distance({keys})"), "D")


def _counts(one: _Attention) -> Iterator[EntryLine]:
    """Yield what a saving amounts to: fewer keys and values to keep, fewer pairs to compare, nothing done twice."""
    found: list[CountLine] = []
    n = f"({one.keys})" if "+" in one.keys else one.keys
    if one.groups < one.heads:
        for name, width, large in (("N_own", "d", 4096), ("N_shared", "d_shared", 1024)):
            found.append(CountLine(name, f"2 * {n} * {width}", name, {"n": 1024, width: large}))
    if one.kept and one.is_single:
        new = " + ".join(f"multiplications({one.asks.name} @ W_{name})" for name in "QKV")
        found += [CountLine("N_new", new, "N_new"), CountLine("N_again", f"{n} * N_new", "N_again", {"n": 1023})]
    if "window" in one.masks.values() and not one.kept:
        found.append(CountLine("N_pairs", f"{n}^2", "N_pairs", {"n": 1024}))
        found.append(CountLine("N_seen", f"kept({one.mask('window')})", "N_seen", {"n": 1024}))
    if found and not one.mark:
        yield HeadingLine("comparison")
        yield from found


def _head_width(one: _Attention) -> int:
    """Return the number of columns of a head, the same in its own queries and in the keys of its group.

    Raises :class:`~symattn.base.errors.FormulaError` if they differ.
    """
    queries = _divided(one, "heads", one.heads, "Q")
    keys = _divided(one, "kv_heads", one.groups, "K")
    if queries != keys:
        raise FormulaError(
            f"W_Q{one.mark} has {queries} columns for each of {one.heads} heads and W_K{one.mark} has {keys} "
            f"for each of {one.groups} heads of keys and values: a query and a key have the same length; with "
            f"{queries * one.groups} columns of W_K{one.mark} and W_V{one.mark} they would"
        )
    return queries


def _divided(one: _Attention, option: str, count: int, name: str) -> int:
    """Return the columns of each block. Raises :class:`~symattn.base.errors.FormulaError` if they cannot be equal."""
    columns = one.chosen.size(one.widths[name])
    if columns % count:
        fitting = ", ".join(str(number) for number in range(1, columns + 1) if columns % number == 0)
        raise FormulaError(
            f"{option} = {count} does not divide the {columns} columns of W_{name}{one.mark}, and every block has "
            f"the same width; a number that does: {cut(fitting)}"
        )
    return columns // count


def _softened(one: _Attention, scores: str) -> tuple[str, str]:
    """Return softmax of the scores with biases and masks, at the chosen temperature, and the key of the reason."""
    own = SCORE_BIAS.own(one.chosen.settings["score_bias"])
    masks = [one.mask_of_all] if len(one.masks) > 1 else [*one.masks]
    inside = " + ".join([scores, *own, *masks])
    if (temperature := one.chosen.text("temperature")) != "1":
        inside = f"({inside})" if own or masks else inside
        return f"softmax({inside} / {as_factor(temperature)})", "A_temperature"
    return f"softmax({inside})", "A_added" if own else "A"


def as_factor(text: str) -> str:
    """Return a number as a factor or divisor, in parentheses unless it is only digits.

    >>> as_factor("2"), as_factor("1/2")
    ('2', '(1/2)')
    """
    return text if text.isdigit() else f"({text})"
