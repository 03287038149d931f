"""Pages in the manner of people: one example in ten notations and nine languages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp
from random import Random

import numpy as np

from tests.checking.plantings import grids
from tests.checking.plantings.figures import ReadFigures
from tests.checking.plantings.grids import Part
from tests.checking.plantings.page import Page, Slot, figure
from tests.checking.plantings.spelling import Spelling
from tests.checking.plantings.steps import Tree, Worked
from tests.checking.plantings.words import COMMAS, LANGUAGES


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
        for name, value in self.worked.facts:
            self.page.add(self._math(f"{self.spelling.name(name)} = {self._fact(name, value)}"), "\n\n")
        for step in self.worked.steps:
            if not step.is_hidden:
                self._introduce(step.name)
                self._state(step.name)
        return self.page

    def _fact(self, name: str, value: str) -> str:
        return "1e-5" if name == "eps" and not self.is_latex else value

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
        if len(slots) == len(slots[0]) == 1:
            self._frame(name, [slots[0][0]])
        elif self.notation.frame in ("table", "items"):
            self._rows_below(name, slots)
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

    def _frame(self, name: str, value: list[Part] | Iterator[Part]) -> None:
        frame, page, left = self.notation.frame, self.page, self._left(name)
        between = list(self._between(name))
        first = len(page.parts)
        if frame == "program":
            self._program(name, list(value))
            return
        if frame == "output":
            page.add(self._math(left), ":\n\n```\n")
            first = len(page.parts)
            page.add_all(value)
            page.wholes.append((first, len(page.parts), name))
            page.add("\n```\n\n")
            return
        ends = {
            "display": ("$$", "$$\n\n"),
            "block": ("$$\n", "\n$$\n\n"),
            "fence": ("```math\n", "\n```\n\n"),
            "inline": ("- $", "$\n\n"),
            "code": ("```\n", "\n```\n\n"),
        }
        before, after = ends.get(frame, ("$", "$\n\n") if self.is_latex else ("`", "`\n\n"))
        page.add(f"{before}{left}", *between, self._sign(name))
        first = len(page.parts)
        page.add_all(value)
        page.wholes.append((first, len(page.parts), name))
        page.add(after)

    def _between(self, name: str) -> Iterator[Part]:
        """What is worked between a formula and its value."""
        step, chain = self.worked.step(name), self.notation.chain
        if step.formula is None or chain not in ("factors", "entries"):
            return
        tree = step.formula
        if tree[0] == "@" and self._are_shown(tree[1:]):
            left, right = (self._factor(part) for part in tree[1:])
            if chain == "factors":
                yield from (" = ", *self._grid(left), " ", *self._grid(right))
            elif len(left) * len(right[0]) * len(right) <= 27 and len(right) == len(left[0]):
                yield " = "
                yield from grids.latex(_products(left, right), self.notation.grid)
        elif tree[0] == "mean" and self._are_shown(tree[1:]):
            (row,) = self.figures.slots(tree[1], True)
            yield from (" = \\frac{", *grids.joined(([slot] for slot in row), " + "), f"}}{{{len(row)}}}")

    def _are_shown(self, parts: Sequence[Tree]) -> bool:
        names = (part[1] if part[0] == "T" and len(part) == 2 else part for part in parts)
        return all(isinstance(name, str) and name in self.figures.texts for name in names)

    def _factor(self, part: Tree) -> list[list[Slot]]:
        if isinstance(part, str):
            return self.figures.slots(part, True)
        return [list(column) for column in zip(*self.figures.slots(part[1], True), strict=True)]

    def _grid(self, slots: list[list[Slot]]) -> Iterator[Part]:
        kind, rows = self.notation.grid, grids.cells(slots)
        if kind in ("bmatrix", "pmatrix"):
            parted = "\\" if slots[0][0].of == self.broken and slots[0][0].role == "result" else "\\\\"
            lines = self.notation.frame in ("block", "fence")
            return grids.latex(rows, kind, f" {parted}\n" if lines else f" {parted} ")
        if kind in grids.OUTPUTS:
            return grids.OUTPUTS[kind](rows)
        return grids.lists(rows)

    def _rows_below(self, name: str, slots: list[list[Slot]]) -> None:
        """A sentence with the formula, and a table or a list below it."""
        self.page.add(self._math(self._left(name)), ":\n\n")
        first = len(self.page.parts)
        write: Callable[..., Iterator[Part]] = grids.table if self.notation.frame == "table" else grids.items
        self.page.add_all(write(grids.cells(slots), self.style.words["row"]))
        self.page.wholes.append((first, len(self.page.parts), name))
        self.page.add("\n")

    def _program(self, name: str, value: list[Part]) -> None:
        step = self.worked.step(name)
        if step.formula is None:
            slots = grids.lists(grids.cells(self.figures.slots(name)))
            self.page.add("```python\n", f"{self.spelling.name(name)} = np.array(", *slots, ")\n```\n\n")
            return
        written = self.spelling.name(name)
        formula = self.spelling.formula(step.formula)
        if step.formula[0] == "mask":
            inside = self.spelling.formula(step.formula[1])
            formula = f"np.where(np.tril(np.ones_like({inside})) == 1, {inside}, -np.inf)"
        if step.formula[0] == "var":
            formula = f"{self.spelling.name(step.formula[1])}.var()"
        self.page.add(f"```python\n{written} = {formula}\nprint({written})\n```\n\n```\n")
        first = len(self.page.parts)
        self.page.add_all(value)
        self.page.wholes.append((first, len(self.page.parts), name))
        self.page.add("\n```\n\n")

    # -- a softmax that is worked ------------------------------------------------------------------------------------

    def _scores(self, name: str) -> str:
        """The scores of weights, where they are shown and not large."""
        score = str(self.worked.step(name).formula[1])
        finite = self.figures.true[score][np.isfinite(self.figures.true[score])]
        fits = score in self.figures.texts and np.max(np.abs(finite)) < 6
        same = fits and np.shape(self.figures.texts[score]) == np.shape(self.figures.texts[name])
        return score if same else ""

    def _softmax_rows(self, name: str, slots: list[list[Slot]]) -> None:
        self.page.add(self._math(self._left(name)), ":\n\n")
        first = len(self.page.parts)
        scores = self.figures.slots(self._scores(name), True)
        for place, (row, shares) in enumerate(zip(scores, slots, strict=True), 1):
            label = grids._labelled(self.style.words["row"], place)
            if self.notation.powers == "rows":
                shares = _literally(row, shares)
                quote = "$" if self.is_latex else ""
                word = "\\text{softmax}" if self.is_latex else "softmax"
                given = grids.joined(([slot] for slot in row), ", ")
                found = grids.joined(([slot] for slot in shares), ", ")
                self.page.add(f"- {label}: {quote}{word}([", *given, "]) = [", *found, f"]{quote}\n")
            else:
                self.page.add(f"- {label}: ", *self._powers(name, row, shares), "\n")
        self.page.wholes.append((first, len(self.page.parts), name))
        self.page.add("\n")

    def _powers(self, name: str, row: list[Slot], shares: list[Slot]) -> Iterator[Part]:
        """``$e^{0.127} = 1.135$, sum $= 2.730$, weights $(0.416, 0.584)$``."""
        decimals = self.figures.decimals[name]
        seen = [slot for slot in row if slot.text != "-inf"]
        powers = [self._power(slot, decimals) for slot in seen]
        for slot, power in zip(seen, powers, strict=True):
            yield from ("$e^{", slot, "}", self.style.sign, power, "$, ")
        exactly = sum(exp(slot.truths[0]) for slot in seen)
        literally = sum(exp(float(slot.text)) for slot in seen)
        total = sum(float(power.text) for power in powers)
        truths = (total, literally, exactly)
        if len(seen) > 1:
            slot = Slot(figure(total, decimals), "either", truths, f"sum {name}", comma=self.style.comma)
            yield from (f"{self.style.words['sum']} $= ", slot, "$, ")
        yield from (f"{self.style.words['so']} $(", *grids.joined(([slot] for slot in shares), ", \\; "), ")$")

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


def _products(left: list[list[Slot]], right: list[list[Slot]]) -> list[list[list[Part]]]:
    """Entries of a product as sums of products."""
    columns = list(zip(*right, strict=True))
    return [
        [list(grids.joined((_times(x, y) for x, y in zip(row, column, strict=True)), " + ")) for column in columns]
        for row in left
    ]


def _times(one: Slot, other: Slot) -> list[Part]:
    second: list[Part] = ["(", other, ")"] if other.text.startswith("-") else [other]
    return [one, " \\times ", *second]
