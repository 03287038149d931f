"""Controlled documents: NumPy computes a matrix, a sentence says how, and known entries of it are wrong.

The same matrices and the same slips are used for each way of saying a relation, so that the ways can be compared.
Nothing of symattn is used here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from math import inf
from random import Random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tests.checking.said.wordings import GIVEN, WAYS, WORDINGS, is_chinese

Array: TypeAlias = NDArray[np.float64]
Texts: TypeAlias = list[list[str]]

SEEDS = 12
SLIPS = (0, 1, 3, 5, 9)
"""How many entries of the nine are wrong, each by a slip of its own."""

MISTAKES: Mapping[str, str] = {
    "weights": "scale",
    "masked": "mask",
    "projected": "bias",
    "scores": "transposition",
    "rows": "axis",
}
"""What somebody forgets, or takes the wrong way, who computes all entries of a relation wrong."""


@dataclass(frozen=True)
class WrongFigure:
    """A figure of a document that is not what its relation says."""

    start: int
    end: int
    printed: str
    right: str


@dataclass(frozen=True)
class SaidCase:
    """A document with one relation, and its wrong figures."""

    way: str
    relation: str
    error: str
    """``0`` … ``9`` slips, or the name of a mistake."""
    seed: int
    text: str
    right_text: str
    """The document without an error."""
    wrong: tuple[WrongFigure, ...]
    name: str = "page.md"

    def __str__(self) -> str:
        return f"{self.relation} {self.way} {self.error} #{self.seed}"


# -- what NumPy computes -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ComputedMatrices:
    """The given matrices of a relation, and what it and its mistake give."""

    given: Mapping[str, Array]
    right: Array
    mistaken: Array


def softmax(scores: Array, axis: int = 1) -> Array:
    """Divide exponentials by their sum."""
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    shares: Array = powers / powers.sum(axis=axis, keepdims=True)
    return shares


def computed(relation: str, seed: int, size: int, is_scaled: bool) -> ComputedMatrices:
    """Draw the given matrices and compute both results; ``is_scaled`` says that masked scores are scaled too."""
    rng = np.random.default_rng([[*WORDINGS].index(relation), seed])

    def drawn(rows: int = 3, most: float = 2.0) -> Array:
        return np.round(rng.uniform(-most, most, (rows, 3)), 2) + 0.0

    match relation:
        case "scores":
            q, k = drawn(), drawn()
            return ComputedMatrices({"Q": q, "K": k}, q @ k.T, q @ k)
        case "projected":
            x, w, b = drawn(), drawn(), drawn(1, 1.0)
            return ComputedMatrices({"X": x, "W": w, "b": b}, x @ w + b, x @ w)
    s = drawn(most=3.0)
    if relation == "rows":
        return ComputedMatrices({"S": s}, softmax(s), softmax(s, axis=0))
    scaled = s / np.sqrt(size) if is_scaled else s
    if relation == "weights":
        return ComputedMatrices({"S": s}, softmax(scaled), softmax(s))
    mask = np.where(np.tri(3) > 0, 0.0, -inf)
    return ComputedMatrices({"S": s, "M": mask}, softmax(scaled + mask), softmax(scaled))


def rounded(values: Array, decimals: int) -> Texts:
    """Print every entry with so many decimals; a zero has no sign."""
    return [[f"{float(value) + 1e-12:.{decimals}f}".replace("-0.0000", "0.0000") for value in row] for row in values]


# -- slips -------------------------------------------------------------------------------------------------------------


def slipped(random: Random, texts: Texts, count: int, has_signs: bool) -> Texts:
    """Make ``count`` independent slips, each in an entry of its own and away from its right value."""
    places = random.sample([(i, j) for i in range(3) for j in range(3)], count)
    after = [list(row) for row in texts]
    for i, j in places:
        after[i][j] = _slip(random, texts, i, j, has_signs)
    return after


def _slip(random: Random, texts: Texts, row: int, column: int, has_signs: bool) -> str:
    """Return another text for an entry, more than a unit of the last place away from what is right."""
    text = texts[row][column]
    while True:
        match random.choice(("digit", "digit", "swap", "neighbour", *(["sign"] if has_signs else []))):
            case "digit":
                other = _with_digit(random, text)
            case "swap":
                other = _with_swap(random, text)
            case "sign":
                other = text[1:] if text.startswith("-") else f"-{text}"
            case _:
                other = random.choice([each for line in texts for each in line])
        if abs(float(other) - float(text)) > 1.5e-4:
            return other


def _with_digit(random: Random, text: str) -> str:
    place = random.choice([at for at, letter in enumerate(text) if letter.isdigit() and at > text.index(".")])
    return text[:place] + random.choice("0123456789") + text[place + 1 :]


def _with_swap(random: Random, text: str) -> str:
    place = random.choice(range(text.index(".") + 1, len(text) - 1))
    return text[:place] + text[place + 1] + text[place] + text[place + 2 :]


# -- the document ------------------------------------------------------------------------------------------------------


@dataclass
class _Author:
    """The names and signs that one author uses in a document."""

    seed: int
    relation: str
    size: int = 2
    names: dict[str, str] = field(default_factory=dict)
    brackets: str = "bmatrix"
    hidden: str = r"-\infty"

    @classmethod
    def drawn(cls, relation: str, seed: int) -> _Author:
        random = Random(f"author {relation} {seed}")
        scores = random.choice(("S", "S", r"\text{scores}", "Z"))
        results = {
            "scores": ("S", "S", r"\text{scores}", "Z"),
            "projected": ("H", "Y", "Z"),
        }.get(relation, ("A", "A", "P", r"W_{\text{attn}}", r"\alpha"))
        names = {
            "A": random.choice(results),
            "S": scores,
            "softmax": random.choice((r"\operatorname{softmax}", r"\text{softmax}", r"\mathrm{softmax}", "softmax")),
        }
        return cls(
            seed,
            relation,
            random.choice((2, 2, 2, 3, 5)),
            names,
            random.choice(("bmatrix", "bmatrix", "pmatrix")),
            random.choice((r"-\infty", r"-\infty", "-10^9")),
        )

    def name(self, name: str) -> str:
        return self.names.get(name, name)

    def grid(self, texts: Texts) -> str:
        rows = r" \\ ".join(" & ".join(row) for row in texts)
        return rf"\begin{{{self.brackets}}} {rows} \end{{{self.brackets}}}"

    def given(self, name: str, values: Array) -> str:
        which = 0 if not is_chinese(self.seed) else 1 + self.seed // 6 % 2
        texts = [[self.hidden if value == -inf else f"{value:.2f}" for value in row] for row in values]
        if name == "M":
            texts = [[text.replace("0.00", "0") for text in row] for row in texts]
        return f"{GIVEN[name][which]}\n\n$${self.name(name)} = {self.grid(texts)}$$\n\n"

    def said(self, way: str) -> str:
        """Say the relation, up to where its result begins."""
        wordings = WORDINGS[self.relation]
        parts = {**self.names, "d": str(self.size)}
        formula = wordings.formula(self.seed).format(**parts)
        if way == "beside":
            return f"$${self.name('A')} = {wordings.sentence(way, self.seed).format(**parts)} = "
        sentence = wordings.sentence(way, self.seed).format(**parts, formula=formula)
        return f"{sentence}\n\n$${self.name('A')} = "


def case(relation: str, way: str, error: str, seed: int) -> SaidCase:
    """Write the document of one case."""
    author = _Author.drawn(relation, seed)
    is_scaled = relation == "weights" or way == "sizes"
    matrices = computed(relation, seed, author.size, is_scaled)
    right = rounded(matrices.right, 4)
    if error.isdigit():
        random = Random(f"slips {relation} {seed} {error}")
        shown = slipped(random, right, int(error), relation in ("scores", "projected"))
    else:
        shown = rounded(matrices.mistaken, 4)
    needs_mask = way in ("beside", "named")
    givens = {name: each for name, each in matrices.given.items() if name != "M" or needs_mask}
    head = "".join(author.given(name, each) for name, each in givens.items()) + author.said(way)
    text, right_text = (f"{head}{author.grid(texts)}$$\n" for texts in (shown, right))
    return SaidCase(way, relation, error, seed, text, right_text, tuple(_wrong(text, len(head), shown, right)))


def _wrong(text: str, start: int, shown: Texts, right: Texts) -> Iterator[WrongFigure]:
    """Locate the wrong figures of the grid that begins at ``start``."""
    at = text.index("}", start) + 1
    for printed, expected in zip(chain(*shown), chain(*right), strict=True):
        at = text.index(printed, at)
        if printed != expected:
            yield WrongFigure(at, at + len(printed), printed, expected)
        at += len(printed)


def cases(
    ways: Iterable[str] = WAYS, relations: Iterable[str] = tuple(WORDINGS), seeds: Iterable[int] = range(SEEDS)
) -> Iterator[SaidCase]:
    """Write every case of these ways, relations and seeds."""
    seeds = tuple(seeds)
    for way in ways:
        for relation in relations:
            for error in (*map(str, SLIPS), MISTAKES[relation]):
                yield from (case(relation, way, error, seed) for seed in seeds)
