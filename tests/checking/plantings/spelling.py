"""Formulas as they are written: in LaTeX, in Unicode, in plain letters and in NumPy."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tests.checking.plantings.steps import Tree, Worked

GREEK = {"mu": ("\\mu", "μ"), "var": ("\\sigma^2", "σ²"), "sd": ("\\sigma", "σ"), "eps": ("\\epsilon", "ε")}
GREEK |= {"gamma": ("\\gamma", "γ"), "beta": ("\\beta", "β"), "xh": ("\\hat{x}", "x̂")}

LATEX: Mapping[str, str] = {
    "@": "{0} {1}",
    "T": "{0}^T",
    "/": "\\frac{{{0}}}{{{1}}}",
    "sqrt": "\\sqrt{{{0}}}",
    "softmax": "\\text{{softmax}}\\left({0}\\right)",
    "mask": "\\text{{mask}}({0})",
    "+": "{0} + {1}",
    "-": "{0} - {1}",
    "*": "{0} \\odot {1}",
    "relu": "\\text{{ReLU}}({0})",
    "concat": "\\text{{Concat}}({0}, {1})",
    "mean": "\\frac{{1}}{{n}} \\sum_i {0}_i",
    "var": "\\frac{{1}}{{n}} \\sum_i ({0}_i - {1})^2",
}
UNICODE: Mapping[str, str] = {
    "@": "{0}·{1}",
    "T": "{0}ᵀ",
    "/": "{0} / {1}",
    "sqrt": "√{0}",
    "softmax": "softmax({0})",
    "mask": "mask({0})",
    "+": "{0} + {1}",
    "-": "{0} − {1}",
    "*": "{0} ⊙ {1}",
    "relu": "ReLU({0})",
    "concat": "concat({0}, {1})",
    "mean": "mean({0})",
    "var": "var({0})",
}
PLAIN: Mapping[str, str] = {
    **UNICODE,
    "@": "{0} {1}",
    "T": "{0}^T",
    "sqrt": "sqrt({0})",
    "-": "{0} - {1}",
    "*": "{0} * {1}",
}
CODE: Mapping[str, str] = {
    **PLAIN,
    "@": "{0} @ {1}",
    "T": "{0}.T",
    "sqrt": "np.sqrt({0})",
    "softmax": "softmax({0})",
    "relu": "np.maximum({0}, 0)",
    "concat": "np.concatenate([{0}, {1}], axis=1)",
    "mean": "{0}.mean()",
    "var": "{0}.var()",
}
TABLES = {"latex": LATEX, "unicode": UNICODE, "plain": PLAIN, "code": CODE}

LOOSE = {"+": 1, "-": 1, "/": 2, "@": 2, "*": 2}
"""How loosely an operation holds together; what is not here stands in parentheses of its own."""


@dataclass(frozen=True)
class Spelling:
    """One author's way with names and formulas."""

    worked: Worked
    way: str = "latex"
    above: bool = False
    """Whether ``Q`` stands above ``W``."""
    top: str = "T"
    """The transpose of LaTeX."""

    def name(self, name: str) -> str:
        """A name as it is written."""
        if name in GREEK:
            return {"latex": GREEK[name][0], "unicode": GREEK[name][1]}.get(self.way, name)
        letter, below = self._parts(name)
        if self.way in ("unicode", "plain") and letter == "M":
            letter = "S_masked"
        if self.way != "latex":
            return f"{letter}_{below}" if below else letter
        words = {"O": "\\text{head}"} if self.worked.kind == "heads" and below else {"M": "S_{\\text{masked}}"}
        letter = words.get(letter, letter)
        if letter == "W" and self.above and not below.isdigit():
            return f"W^{below}" if len(below) == 1 else f"W^{below[0]}_{below[1:]}"
        if not below:
            return letter
        return f"{letter}_{below}" if len(below) == 1 else f"{letter}_{{{below}}}"

    def _parts(self, name: str) -> tuple[str, str]:
        found = re.fullmatch(r"([A-Za-z]+?)_?([0-9QKVO]*\d?)", name)
        if found is None or len(name) == 1:
            return name, ""
        return found[1], found[2]

    def formula(self, tree: Tree) -> str:
        """A formula as it is written; what has no name of its own stands there as its formula."""
        return self._formula(tree)[0]

    def _formula(self, tree: Tree) -> tuple[str, int]:
        if isinstance(tree, str):
            return self._leaf(tree)
        op, *parts = tree
        table = TABLES[self.way]
        inner = [self._formula(part) for part in parts]
        holds = LOOSE.get(op, 3)
        in_fraction = op == "/" and self.way == "latex"
        if in_fraction:
            holds = 3
        texts = [
            f"({text})" if op in (*LOOSE, "T") and not in_fraction and _needs(op, loose, holds, place) else text
            for place, (text, loose) in enumerate(inner)
        ]
        if op == "sqrt" and self.way == "unicode" and inner[0][1] < 3:
            texts = [f"({texts[0]})"]
        written = table[op].format(*texts)
        if op == "T" and self.way == "latex":
            written = f"{texts[0]}^{self.top}"
        return written, holds

    def _leaf(self, name: str) -> tuple[str, int]:
        if name in ("d_k", "eps"):
            return (name, 3) if name == "d_k" else (self.name(name), 3)
        step = self.worked.step(name)
        if step.formula is not None and (step.is_hidden or step.is_unnamed):
            return self._formula(step.formula)
        return self.name(name), 3

    def left(self, name: str) -> str:
        """What stands before a value: a name with its formula, or a formula alone."""
        step = self.worked.step(name)
        if step.formula is None:
            return self.name(name)
        if step.is_unnamed:
            return self.formula(step.formula)
        return f"{self.name(name)} = {self.formula(step.formula)}"


def _needs(op: str, loose: int, holds: int, place: int) -> bool:
    """Whether a part stands in parentheses."""
    if op == "T":
        return loose < 3
    return loose < holds or (loose == holds and place == 1 and op in "-/")
