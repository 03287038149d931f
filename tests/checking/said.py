"""Controlled documents: NumPy computes a matrix, a sentence says how, and known entries of it are wrong.

The same matrices and the same slips are used for each way of saying a relation, so that the ways can be compared.
``said.txt`` has the wordings: below ``==== relation way`` a line for each, the ones in Chinese behind ``zh``; ``{S}``
is the name of the scores, ``{d}`` a size and ``{softmax}`` the function as the author writes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from math import inf
from pathlib import Path
from random import Random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tests.checking.scoring import Case, KnownError

Array: TypeAlias = NDArray[np.float64]
Texts: TypeAlias = list[list[str]]

WAYS = ("beside", "named", "words", "sizes")
"""Four ways to say a relation; only the first writes the formula on the line of its result."""

SEEDS, QUICK_SEEDS = range(12), (2, 5, 10)
"""The quick ones have each kind of formula, and one of them is in Chinese."""

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


def _wordings() -> dict[str, tuple[list[str], list[str]]]:
    parts = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").split("==== ")[1:]
    lines = {head: body.splitlines() for head, _, body in (part.partition("\n") for part in parts)}
    return {
        head: (
            [line for line in all_of if not line.startswith("zh ")],
            [line.removeprefix("zh ") for line in all_of if line.startswith("zh ")],
        )
        for head, all_of in lines.items()
    }


WORDINGS = _wordings()


def is_chinese(seed: int) -> bool:
    """Return True for one seed in six."""
    return seed % 6 == 5


def wording(relation: str, way: str, seed: int) -> str:
    """Pick the wording that this seed uses."""
    english, chinese = WORDINGS["named" if way == "named" else f"{relation} {way}"]
    return (chinese or english)[seed // 6 % 2] if is_chinese(seed) else english[seed % len(english)]


# -- what NumPy computes -----------------------------------------------------------------------------------------------


def softmax(scores: Array, axis: int = 1) -> Array:
    """Divide exponentials by their sum."""
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    shares: Array = powers / powers.sum(axis=axis, keepdims=True)
    return shares


def computed(relation: str, seed: int, size: int, is_scaled: bool) -> tuple[dict[str, Array], Array, Array]:
    """Draw the given matrices, and compute the result and the mistaken one; masked scores may be scaled too."""
    rng = np.random.default_rng([[*MISTAKES].index(relation), seed])

    def drawn(rows: int = 3, most: float = 2.0) -> Array:
        return np.round(rng.uniform(-most, most, (rows, 3)), 2) + 0.0

    match relation:
        case "scores":
            q, k = drawn(), drawn()
            return {"Q": q, "K": k}, q @ k.T, q @ k
        case "projected":
            x, w, b = drawn(), drawn(), drawn(1, 1.0)
            return {"X": x, "W": w, "b": b}, x @ w + b, x @ w
    s = drawn(most=3.0)
    if relation == "rows":
        return {"S": s}, softmax(s), softmax(s, axis=0)
    scaled = s / np.sqrt(size) if is_scaled else s
    if relation == "weights":
        return {"S": s}, softmax(scaled), softmax(s)
    mask = np.where(np.tri(3) > 0, 0.0, -inf)
    return {"S": s, "M": mask}, softmax(scaled + mask), softmax(scaled)


def rounded(values: Array) -> Texts:
    """Print every entry with four decimals; a zero has no sign."""
    return [[f"{float(value) + 1e-12:.4f}".replace("-0.0000", "0.0000") for value in row] for row in values]


def slipped(random: Random, texts: Texts, count: int, has_signs: bool) -> Texts:
    """Make ``count`` independent slips, each in an entry of its own and away from its right value."""
    places = random.sample([(i, j) for i in range(3) for j in range(3)], count)
    after = [list(row) for row in texts]
    for i, j in places:
        text = after[i][j] = texts[i][j]
        while abs(float(after[i][j]) - float(text)) <= 1.5e-4:
            after[i][j] = _slip(random, text, texts, has_signs)
    return after


def _slip(random: Random, text: str, texts: Texts, has_signs: bool) -> str:
    point = text.index(".")
    match random.choice(("digit", "digit", "swap", "neighbour", *(["sign"] if has_signs else []))):
        case "digit":
            at = random.choice(range(point + 1, len(text)))
            return text[:at] + random.choice("0123456789") + text[at + 1 :]
        case "swap":
            at = random.choice(range(point + 1, len(text) - 1))
            return text[:at] + text[at + 1] + text[at] + text[at + 2 :]
        case "sign":
            return text[1:] if text.startswith("-") else f"-{text}"
        case _:
            return random.choice([*chain(*texts)])


# -- the document ------------------------------------------------------------------------------------------------------


def case(relation: str, way: str, error: str, seed: int) -> Case:
    """Write the document of one case with the names and signs of one author.

    The error is a number of slips, or the name of a mistake.
    """
    random = Random(f"author {relation} {seed}")
    scores = random.choice(("S", "S", r"\text{scores}", "Z"))
    named = {"scores": ("S", "S", r"\text{scores}", "Z"), "projected": ("H", "Y", "Z")}
    names = {"A": random.choice(named.get(relation, ("A", "A", "P", r"W_{\text{attn}}", r"\alpha"))), "S": scores}
    names["softmax"] = random.choice((r"\operatorname{softmax}", r"\text{softmax}", r"\mathrm{softmax}", "softmax"))
    size = random.choice((2, 2, 2, 3, 5))
    brackets = random.choice(("bmatrix", "bmatrix", "pmatrix"))
    hidden = random.choice((r"-\infty", r"-\infty", "-10^9"))

    def grid(texts: Texts) -> str:
        rows = r" \\ ".join(" & ".join(row) for row in texts)
        return rf"\begin{{{brackets}}} {rows} \end{{{brackets}}}"

    def given(name: str, values: Array) -> str:
        english, chinese = WORDINGS[f"given {name}"]
        said = chinese[seed // 6 % 2] if is_chinese(seed) else english[0]
        zero = "0" if name == "M" else "0.00"
        texts = [[hidden if x == -inf else zero if name == "M" else f"{x:.2f}" for x in row] for row in values]
        return f"{said}\n\n$${names.get(name, name)} = {grid(texts)}$$\n\n"

    parts = {**names, "d": str(size)}
    formulas = WORDINGS[f"{relation} beside"][0]
    formula = formulas[seed // 2 % len(formulas)].format(**parts)
    sentence = wording(relation, way, seed).format(**parts, formula=formula)
    is_scaled = relation == "weights" or way == "sizes"
    givens, true, mistaken = computed(relation, seed, size, is_scaled)
    right = shown = rounded(true)
    if error.isdigit():
        has_signs = relation in ("scores", "projected")
        shown = slipped(Random(f"slips {relation} {seed} {error}"), right, int(error), has_signs)
    else:
        shown = rounded(mistaken)
    head = "".join(given(name, each) for name, each in givens.items() if name != "M" or way in ("beside", "named"))
    head += f"$${names['A']} = {sentence} = " if way == "beside" else f"{sentence}\n\n$${names['A']} = "
    text, right_text = (f"{head}{grid(texts)}$$\n" for texts in (shown, right))
    wrong = f"{error} wrong" if error.isdigit() else "whole matrix"
    return Case(
        (f"{way} {relation}", way, relation, wrong),
        text,
        errors=tuple(_wrong(text, len(head), shown, right)),
        right_text=right_text,
        part=way,
    )


def _wrong(text: str, start: int, shown: Texts, right: Texts) -> Iterator[KnownError]:
    """Locate the wrong figures of the grid that begins at ``start``."""
    at = text.index("}", start) + 1
    for printed, expected in zip(chain(*shown), chain(*right), strict=True):
        at = text.index(printed, at)
        if printed != expected:
            yield KnownError(((at, at + len(printed)),), printed, (expected,))
        at += len(printed)


def cases(is_quick: bool = False, ways: Iterable[str] = WAYS) -> Iterator[Case]:
    """Write every case."""
    for way in ways:
        for relation, mistake in MISTAKES.items():
            for error in (*map(str, SLIPS), mistake):
                yield from (case(relation, way, error, seed) for seed in (QUICK_SEEDS if is_quick else SEEDS))
