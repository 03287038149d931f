"""Pages in the manner of people: one example in twelve notations and nine languages.

``words.txt`` has what authors say around their figures; what a language has no words for is said in English.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp
from pathlib import Path
from random import Random

import numpy as np

from tests.checking.plantings.page import (
    OUTPUTS,
    Grid,
    Page,
    ReadFigures,
    Slot,
    figure,
    labelled,
    latex,
    output,
    rows_below,
    whole,
)
from tests.checking.plantings.steps import Tree, Worked


def _table(name: str) -> dict[str, dict[str, str]]:
    """Read a table: for each column the texts of all rows, where one is missing those of the first column."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    head, *rows = [[cell.strip() for cell in line.split("|")] for line in text.splitlines()]
    return {name: {key: words[place] or words[0] for key, *words in rows} for place, name in enumerate(head[1:])}


LANGUAGES = _table("words.txt")
COMMAS = ("de", "es", "fr", "pl")
"""Languages whose decimals stand behind a comma, on some pages."""

# -- formulas as they are written --------------------------------------------------------------------------------------

SIGNS = _table("signs.txt")
"""Operations, and names behind ``$``, as they are written in LaTeX, in Unicode, in plain letters and in NumPy."""

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
        if f"${name}" in SIGNS[self.way]:
            return SIGNS[self.way][f"${name}"]
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
        inner = [self._formula(part) for part in parts]
        in_fraction = op == "/" and self.way == "latex"
        holds = 3 if in_fraction else LOOSE.get(op, 3)
        texts = [
            f"({text})" if op in (*LOOSE, "T") and not in_fraction and _needs(op, loose, holds, place) else text
            for place, (text, loose) in enumerate(inner)
        ]
        if op == "sqrt" and self.way == "unicode" and inner[0][1] < 3:
            texts = [f"({texts[0]})"]
        written = SIGNS[self.way][op].format(*texts)
        if op == "T" and self.way == "latex":
            written = f"{texts[0]}^{self.top}"
        return written, holds

    def _leaf(self, name: str) -> tuple[str, int]:
        if name in ("d_k", "eps"):
            return name if name == "d_k" else self.name(name), 3
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


# -- pages -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Notation:
    """One way to write such a page."""

    name: str
    frame: str
    """Where a statement stands: ``display``, ``block``, ``fence``, ``inline``, ``code``, ``output``, ``program``,
    ``table``, ``items``."""
    grid: str
    way: str = "latex"
    chain: str = "formula"
    """What stands between a name and its value: ``formula``, ``factors``, ``entries``, ``words``."""
    powers: str = ""
    """How a softmax is worked: ``rows``, ``powers`` or not at all."""


NOTATIONS: Mapping[str, Notation] = {
    notation.name: notation
    for notation in (
        Notation("bmatrix", "display", "bmatrix"),
        Notation("factors", "block", "bmatrix", chain="factors"),
        Notation("pmatrix", "block", "pmatrix", powers="powers"),
        Notation("entries", "inline", "bmatrix", chain="entries"),
        Notation("fence", "fence", "bmatrix", chain="factors"),
        Notation("tensor", "output", "tensor"),
        Notation("numpy", "program", "numpy", way="code"),
        Notation("lists", "code", "lists", way="plain", powers="rows"),
        Notation("bars", "output", "bars", way="unicode"),
        Notation("table", "table", "table", way="unicode"),
        Notation("items", "items", "items", powers="rows"),
        Notation("words", "display", "bmatrix", chain="words"),
    )
}


ENDS = {
    "display": ("$$", "$$"),
    "block": ("$$\n", "\n$$"),
    "fence": ("```math\n", "\n```"),
    "inline": ("- $", "$"),
    "code": ("```\n", "\n```"),
}
"""What is before and behind a statement."""


@dataclass(frozen=True)
class Manner:
    """All that an author chooses besides the example."""

    notation: Notation
    language: str
    decimals: int
    trimmed: bool
    comma: bool
    above: bool
    top: str
    about: str
    sign: str
    heading: str

    @property
    def words(self) -> Mapping[str, str]:
        return LANGUAGES[self.language]


def manner(random: Random) -> Manner:
    """Some author's."""
    notation = NOTATIONS[random.choice(list(NOTATIONS))]
    language = random.choice(["en", "en", "en", *LANGUAGES])
    has_comma = notation.way == "latex" and notation.grid in ("bmatrix", "pmatrix") and notation.chain != "entries"
    return Manner(
        notation,
        language,
        random.choice((2, 3, 3, 4, 4, 5)),
        random.random() < 0.8,
        has_comma and language in COMMAS and random.random() < 0.4,
        random.random() < 0.3,
        random.choice(("T", "T", "\\top", "{T}")),
        random.choice(("heading", "bold", "sentence")),
        random.choice((" = ", " = ", " \\approx ")),
        random.choice(("##", "###")),
    )


def suited(worked: Worked, style: Manner) -> Worked:
    """An example as an author can write it: words and programs have names for everything."""
    if style.notation.chain == "words" or style.notation.frame == "program":
        steps = tuple(replace(step, is_hidden=False, is_unnamed=False) for step in worked.steps)
        return replace(worked, steps=steps)
    return worked


@dataclass
class Writer:
    """Writes one page."""

    figures: ReadFigures
    style: Manner
    broken: str = ""
    """The step whose rows are not parted: ``\\`` stands for ``\\\\``."""

    def __post_init__(self) -> None:
        self.worked, self.notation = self.figures.worked, self.style.notation
        self.page = Page(infinite={"latex": "-\\infty", "unicode": "-∞"}.get(self.notation.way, "-inf"))
        way, above = self.notation.way, self.style.above
        self.spelling = Spelling(self.worked, way, above, self.style.top)
        self.is_latex = way == "latex"

    def write(self) -> Page:
        self.page.add(f"# {self.style.words['title']}\n\n")
        for name, value in self.worked.numbers.items():
            said = value if name != "eps" else "10^{-5}" if self.is_latex else "1e-5"
            self.page.add(self._math(f"{self.spelling.name(name)} = {said}"), "\n\n")
        for step in self.worked.steps:
            if not step.is_hidden:
                self._introduce(step.name)
                self._state(step.name)
        return self.page

    def _math(self, text: str) -> str:
        return f"${text}$" if self.is_latex else f"`{text}`"

    def _introduce(self, name: str) -> None:
        step = self.worked.step(name)
        words = self.style.words[step.about]
        if self.notation.chain == "words" and step.formula is not None:
            self.page.add(f"{self._said(step.formula) or words}:\n\n")
        elif self.style.about == "heading":
            self.page.add(f"{self.style.heading} {words}\n\n")
        elif self.style.about == "bold":
            self.page.add(f"**{words}**\n\n")
        else:
            self.page.add(f"{words}:\n\n")

    def _said(self, tree: Tree) -> str:
        """A formula in words, or nothing where there are none for it."""
        if isinstance(tree, str):
            return self._math(self.spelling.name(tree))
        op, *parts = tree
        if op == "sqrt" or op not in self.style.words:
            return self._math(self.spelling.formula(tree)) if op == "sqrt" else ""
        inner = [self._said(part) for part in parts]
        return self.style.words[op].format(*inner) if all(inner) else ""

    # -- statements ------------------------------------------------------------------------------------------------

    def _state(self, name: str) -> None:
        slots = self.figures.slots(name)
        if self.worked.step(name).about == "weights" and self.notation.powers and self._scores(name):
            self._softmax_rows(name, slots)
            return
        frame, page = self.notation.frame, self.page
        if len(slots) == len(slots[0]) == 1:
            self._frame(name, page.mark(slots[0][0]))
        elif frame in ("table", "items"):
            below = rows_below(frame, page.marks(slots), self.style.words["row"])
            page.add(f"{self._math(self._left(name))}:\n\n{whole(name, below)}\n")
        else:
            self._frame(name, self._grid(slots))

    def _left(self, name: str) -> str:
        step = self.worked.step(name)
        if self.notation.chain == "words" or step.formula is None:
            return self.spelling.name(name)
        if step.formula[0] == "mask":
            return self.spelling.name(name)
        return self.spelling.left(name)

    def _sign(self, name: str) -> str:
        """``≈`` only before what may be rounded."""
        if self.worked.step(name).formula is None or not self.is_latex:
            return " = "
        return self.style.sign

    def _frame(self, name: str, value: str) -> None:
        frame, page, left = self.notation.frame, self.page, self._left(name)
        between = self._between(name)
        if frame == "program":
            self._program(name, value)
        elif frame == "output":
            page.add(f"{self._math(left)}:\n\n```\n{whole(name, value)}\n```\n\n")
        else:
            before, after = ENDS.get(frame, ("$", "$") if self.is_latex else ("`", "`"))
            page.add(f"{before}{left}{between}{self._sign(name)}{whole(name, value)}{after}\n\n")

    def _between(self, name: str) -> str:
        """What is worked between a formula and its value."""
        step, chain, marks = self.worked.step(name), self.notation.chain, self.page.marks
        if step.formula is None or chain not in ("factors", "entries"):
            return ""
        tree = step.formula
        if tree[0] == "@" and self._are_shown(tree[1:]):
            left, right = (self._factor(part) for part in tree[1:])
            if chain == "factors":
                return f" = {self._grid(left)} {self._grid(right)}"
            if len(left) * len(right[0]) * len(right) <= 27 and len(right) == len(left[0]):
                return f" = {latex(self._products(left, right), self.notation.grid)}"
        elif tree[0] == "mean" and self._are_shown(tree[1:]):
            (row,) = marks(self.figures.slots(tree[1], True))
            return f" = \\frac{{{' + '.join(row)}}}{{{len(row)}}}"
        return ""

    def _are_shown(self, parts: Sequence[Tree]) -> bool:
        names = (part[1] if part[0] == "T" and len(part) == 2 else part for part in parts)
        return all(isinstance(name, str) and name in self.figures.texts for name in names)

    def _factor(self, part: Tree) -> list[list[Slot]]:
        if isinstance(part, str):
            return self.figures.slots(part, True)
        return [list(column) for column in zip(*self.figures.slots(part[1], True), strict=True)]

    def _products(self, left: list[list[Slot]], right: list[list[Slot]]) -> Grid:
        """Entries of a product as sums of products."""
        mark = self.page.mark

        def times(one: Slot, other: Slot) -> str:
            around = "({})" if other.text.startswith("-") else "{}"
            return f"{mark(one)} \\times {around.format(mark(other))}"

        columns = list(zip(*right, strict=True))
        return [[" + ".join(map(times, row, column)) for column in columns] for row in left]

    def _grid(self, slots: list[list[Slot]]) -> str:
        kind, rows = self.notation.grid, self.page.marks(slots)
        if kind in ("bmatrix", "pmatrix"):
            parted = "\\" if slots[0][0].of == self.broken and slots[0][0].role == "result" else "\\\\"
            return latex(rows, kind, f" {parted}\n" if self.notation.frame in ("block", "fence") else f" {parted} ")
        return output(kind if kind in OUTPUTS else "lists", rows)

    def _program(self, name: str, value: str) -> None:
        step = self.worked.step(name)
        written = self.spelling.name(name)
        if step.formula is None:
            given = output("lists", self.page.marks(self.figures.slots(name)))
            self.page.add(f"```python\n{written} = np.array({given})\n```\n\n")
            return
        formula = self.spelling.formula(step.formula)
        if step.formula[0] == "mask":
            inside = self.spelling.formula(step.formula[1])
            formula = f"np.where(np.tril(np.ones_like({inside})) == 1, {inside}, -np.inf)"
        if step.formula[0] == "var":
            formula = f"{self.spelling.name(step.formula[1])}.var()"
        program = f"{written} = {formula}\nprint({written})"
        self.page.add(f"```python\n{program}\n```\n\n```\n{whole(name, value)}\n```\n\n")

    # -- a softmax that is worked ------------------------------------------------------------------------------------

    def _scores(self, name: str) -> str:
        """The scores of weights, where they are shown and not large."""
        score = str(self.worked.step(name).formula[1])
        finite = self.figures.true[score][np.isfinite(self.figures.true[score])]
        fits = score in self.figures.texts and np.max(np.abs(finite)) < 6
        same = fits and np.shape(self.figures.texts[score]) == np.shape(self.figures.texts[name])
        return score if same else ""

    def _softmax_rows(self, name: str, slots: list[list[Slot]]) -> None:
        scores = self.figures.slots(self._scores(name), True)
        quote, word = ("$", "\\text{softmax}") if self.is_latex else ("", "softmax")
        lines = []
        for place, (row, shares) in enumerate(zip(scores, slots, strict=True), 1):
            label = labelled(self.style.words["row"], place)
            if self.notation.powers == "rows":
                given, found = (", ".join(each) for each in self.page.marks([row, _literally(row, shares)]))
                lines.append(f"- {label}: {quote}{word}([{given}]) = [{found}]{quote}\n")
            else:
                lines.append(f"- {label}: {self._powers(name, row, shares)}\n")
        self.page.add(f"{self._math(self._left(name))}:\n\n{whole(name, ''.join(lines))}\n")

    def _powers(self, name: str, row: list[Slot], shares: list[Slot]) -> str:
        """``$e^{0.127} = 1.135$, sum $= 2.730$, weights $(0.416, 0.584)$``."""
        decimals, mark, text = self.figures.decimals[name], self.page.mark, ""
        seen = [slot for slot in row if slot.text != "-inf"]
        powers = [self._power(slot, decimals) for slot in seen]
        for slot, power in zip(seen, powers, strict=True):
            text += f"$e^{{{mark(slot)}}}{self.style.sign}{mark(power)}$, "
        exactly = sum(exp(slot.truths[0]) for slot in seen)
        literally = sum(exp(float(slot.text)) for slot in seen)
        total = sum(float(power.text) for power in powers)
        if len(seen) > 1:
            truths = (total, literally, exactly)
            slot = Slot(figure(total, decimals), "either", truths, f"sum {name}", comma=self.style.comma)
            text += f"{self.style.words['sum']} $= {mark(slot)}$, "
        listed = ", \\; ".join(map(mark, shares))
        return f"{text}{self.style.words['so']} $({listed})$"

    def _power(self, slot: Slot, decimals: int) -> Slot:
        value = exp(float(slot.text))
        return Slot(figure(value, decimals), "literal", (value,), f"exp {slot.of}", slot.row, slot.column, slot.comma)


def _literally(row: list[Slot], shares: list[Slot]) -> list[Slot]:
    """Shares that may be read as those of the figures that stand there."""
    powers = [exp(float(slot.text)) if slot.text != "-inf" else 0.0 for slot in row]
    truths = (power / sum(powers) for power in powers)
    return [
        replace(slot, role="either", truths=(*slot.truths, truth)) for slot, truth in zip(shares, truths, strict=True)
    ]
