"""Random lessons whose names and sizes are the letters that pages like to invent, and what is wrong with their letters.

What a page means by a letter is read off its TeX, without the project's own rules for letters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from random import Random

from tests.readback.formulas import PATTERNS, Formulas
from tests.readback.tex import Node, statements

USUAL = tuple("ijklmnprtcdex")
LATIN = (*USUAL, *"bfhsuvwyz")
GREEK = tuple("alpha beta gamma delta theta kappa mu sigma tau Delta Sigma".split())
CAPITALS = tuple("BDEIKLMPRSTW")
OWN = """
[operation.peak]
parameters = ["S: m×n"]
equations = [
  "{0}[i] = max(k, S[i,k])", "{1}[i] = sum(k, exp(S[i,k] - {0}[i]))", "y[i,j] = exp(S[i,j] - {0}[i]) / {1}[i]",
]
shape = "m×n"
[operation.gate]
parameters = ["X"]
equations = ["sig[i,j] = 1 / (1 + exp(-X[i,j]))", "y[i,j] = X[i,j] * sig[i,j] + sig[i,j]"]
"""
GENERAL = (
    "A @ B",
    "(A @ B) @ (A @ B).T",
    "softmax(A @ B / sqrt({1}))",
    "softmax((A @ B) @ (A @ B).T / sqrt({2}))",
    "row_max(A @ B) - sum(A @ B, axis=1, keepdims=True)",
    "layer_norm(A) @ B",
    "(A @ B) ** 2 / {0}",
    "A.T @ (A @ B)",
    "exp(A) @ B + cosine(A, B.T)",
    "additive_scores(A, B.T, ones(1, {1}))",
    "rms_norm((A @ B) @ (A @ B).T)",
)
"""Formulas over A of n rows and k columns, and B of k rows and r columns, with the letters of the three sizes."""
_BOUND = (
    re.compile(r"\\sum_\{(\\?[A-Za-z]+)=1\}"),
    re.compile(r"\\mathrm\{(?:arg)?m(?:ax|in)\}\}?(?:\\nolimits)?_\{?(\\?[A-Za-z]+)"),
)


LEFT_OUT = ("sinusoidal", "stack", "concat", "head", "(<m,m>)^", "log", "entropy")
"""What has no letters of its own and is hard to read back inside other formulas."""


class Crowded(Formulas):
    """Draws names, sizes, and the words of equations from the letters of indices and their neighbours."""

    numbers = ("0", "1", "-1", "2", "1/2", "-3/2", "0.25", "3")
    rows = "bxvtc"
    patterns = (
        *(each for each in PATTERNS if not each[0].startswith(LEFT_OUT)),
        *(("peak(<m,n>)", "n > 1"), ("gate(<m,n>)", "")),
        *(("(<m,k>) @ (<k,j>) @ (<j,n>)", ""), ("softmax((<m,k>) @ (<k,n>) / {divisor})", "")),
        *(("softmax(<m,k> @ (<n,k>).T / {divisor})", ""), ("row_max(<m,k> @ <k,k>) + <m,1>", "n == 1")),
    )

    def __init__(self, seed: int) -> None:
        random = Random(f"letters {seed}")
        sizes = random.sample((*USUAL, *GREEK[:3]), 3)
        self.size_of: Mapping[int, str] = dict(enumerate(sizes, 1))
        self.words = random.sample([*"bcdelprtxuv", "beta", "mu"], 2)
        self.names = tuple(random.sample([each for each in (*LATIN, *GREEK, *CAPITALS) if each not in sizes], 14))
        self.divisors = tuple(f"sqrt({letter})" for letter in sizes)
        super().__init__(seed)

    def scenario(self, steps: int = 3) -> str:
        """Steps that have the names of letters too; the last is b_1 where B is given."""
        shapes = [self.random.choices((1, 2, 3), k=2) for _ in range(steps)]
        formulas = [self.formula(*shape, 2) for shape in shapes]
        called = [name for name in (*self.names, "Q_1", "Q_2") if name not in self.givens][: steps - 1]
        one = next((name for name in self.givens if len(name) == 1 and name.isupper()), "R")
        lines = [f"{name} = {formula}" for name, formula in zip((*called, f"{one.lower()}_1"), formulas, strict=True)]
        sizes = [f"{letter} = {number}" for number, letter in self.size_of.items()]
        givens = [self._given(name, value) for name, value in self.givens.items()]
        head = ['title = "Crowded"', OWN.format(*self.words), "[sizes]", *sizes, "[given]", *givens]
        return "\n".join([*head, "[[section]]", 'title = "All"', f"steps = {json.dumps(lines)}", ""])

    def _given(self, name: str, value: list[list[str]]) -> str:
        axes = [self.size_of.get(len(value)), self.size_of.get(len(value[0]))]
        if None in axes or name.startswith("ids_"):
            return f"{name} = {json.dumps(value)}"
        return f"{name} = {{ axes = {json.dumps(axes)}, value = {json.dumps(value)} }}"


def general(seed: int) -> str:
    """A lesson for all sizes, which are letters of indices, as its names are."""
    random = Random(f"general {seed}")
    sizes = random.sample((*USUAL, *GREEK[:3]), 3)
    a, b, y, z = random.sample([each for each in (*LATIN, *GREEK) if each not in sizes], 4)
    written = (text.format(*sizes) for text in random.sample(GENERAL, 2))
    formulas = [re.sub("[AB]", lambda found: {"A": a, "B": b}[found[0]], text) for text in written]
    steps = [f"{name} = {text}" for name, text in zip((y, z), formulas, strict=True)]
    givens = f"{a} = {json.dumps(sizes[:2])}\n{b} = {json.dumps(sizes[1:])}"
    return f'title = "General"\n[general]\n{givens}\n[[section]]\ntitle = "s"\nsteps = {json.dumps(steps)}\n'


def owned(names: Iterable[str]) -> frozenset[str]:
    """The letters of names, as TeX has them: x of x_hat, \\delta of delta_1."""
    words = (re.split(r"_|\d", name)[0] for name in names)
    return frozenset(word if len(word) == 1 else "\\" + word for word in words)


def bound_in(text: str) -> list[str]:
    """The letters that the sums and maxima of a page run over."""
    return [letter for bound in _BOUND for letter in bound.findall(text)]


def captured(display: str) -> list[str]:
    """The bound letters of a display that are bound once more inside, or stand in their own limit."""
    return [wrong for line in statements(display, {}) for side in line.sides for wrong in _captured(side, ())]


def indices_in(display: str) -> set[str]:
    """The letters that stand as indices in a display."""
    nodes = (node for line in statements(display, {}) for side in line.sides for node in side.walk())
    return {part.text for node in nodes if node.kind == "indices" for part in node.parts if part.kind == "letter"}


def _captured(node: Node, around: tuple[str, ...]) -> Iterator[str]:
    if node.kind in ("sigma", "over"):
        index = node.parts[0].text
        limits = node.parts[2:3]
        if index in around or any(part.text == index for limit in limits for part in limit.walk()):
            yield index
        around = (*around, index)
    for part in node.parts:
        yield from _captured(part, around)
