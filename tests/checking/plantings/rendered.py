"""Own pages with an error: topics of exercises with numbers of their own, as symattn writes them.

What a page should say is what it says before the error is planted. A mistake in a step is made by giving the step's
formula another one; its figures then stand in the matrices of the page that is right.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

import numpy as np

from symattn.api.worked import WorkedSolution, derive
from symattn.base.errors import SymattnError
from symattn.course import generate
from symattn.read.scenario.load import loads
from tests.checking.plantings.errors import CHANGES, NoPlaceError, grid_of, misshapen, one_of, told
from tests.checking.plantings.page import Page, ReadFigures, latex, whole
from tests.checking.plantings.steps import Step, Worked
from tests.checking.scoring import Case

TOPICS = (
    *("scaling", "softmax-row", "causal-mask", "context-vector", "projection", "attention-row", "attention-head"),
    *("two-heads", "layer-norm", "rms-norm", "feed-forward", "next-word", "cross-entropy", "softmax-jacobian"),
    *("attention-backward", "sgd-step"),
)
WITH = {
    "scale": ("scaling", "attention-row", "attention-head", "two-heads", "attention-backward"),
    "columns": ("causal-mask", "attention-row", "attention-head", "attention-backward"),
    "mask": ("causal-mask",),
    "chain": ("attention-row", "attention-head", "two-heads", "feed-forward", "next-word", "attention-backward"),
}
"""The topics that have what a mistake is made in; the others have it in any."""
FORMATS = (("markdown", "md"), ("markdown", "md"), ("latex", "tex"))
DETAILS = ("result", "result", "lesson", "steps", "entries")
LANGUAGES = ("en", "zh-Hant", "zh-Hans")

FIGURE = re.compile(r"-?\d+(?:\.\d+)?")
LINE = re.compile(r'^( *)"(\w+) = (.*)",$', re.M)
"""A step in the source of an exercise."""


@lru_cache(maxsize=200)
def _source(topic: str, difficulty: int, seed: int) -> str:
    (exercise,) = generate(topic, difficulty=difficulty, seed=seed, count=1)
    return exercise.source


def rendered(random: Random, error: str) -> Case:
    """A page of our own with an error of a class; pages on which there is no place for it are passed over."""
    while True:
        topic = random.choice(WITH.get(error, TOPICS))
        difficulty = random.choice((1, 2, 3))
        source = _source(topic, difficulty, random.randrange(40))
        (form, end), detail, language = random.choice(FORMATS), random.choice(DETAILS), random.choice(LANGUAGES)
        if error in (*WITH, "propagation"):
            detail = "result"  # pages with more hold lines that go on from what is right
        try:
            own = OwnPage.of(source, form, detail, language, f"page.{end}")
            page = own.planted(random, error, (f"own {form}", topic, language))
        except (NoPlaceError, SymattnError):
            continue
        if page.errors or error == "clean":
            return page


@dataclass(frozen=True)
class OwnPage:
    """A page as it is written, and its matrices."""

    name: str
    source: str
    text: str
    sheet: ReadFigures
    grids: dict[str, str]
    """Each matrix as it stands on the page."""

    @classmethod
    def of(cls, source: str, form: str, detail: str, language: str, name: str) -> OwnPage:
        solution = derive(loads(source))
        text = solution.render(form, detail=detail, language=language)  # type: ignore[arg-type]
        found = _texts(solution)
        grids = {step: grid for step, (grid, _) in found.items() if text.count(grid) == 1}
        texts = {step: rows for step, (_, rows) in found.items() if step in grids}
        steps = tuple(Step(step, "", "own") for step in texts)
        decimals = {step: _decimals(rows) for step, rows in texts.items()}
        true = {step: np.array([[float(x) for x in row] for row in solution[step].decimals(12)]) for step in texts}
        sheet = ReadFigures(Worked("own", steps, {}), true, decimals, texts)
        return cls(name, source, str(text), sheet, grids)

    def planted(self, random: Random, error: str, about: tuple[str, ...]) -> Case:
        if not self.sheet.texts:
            raise NoPlaceError
        if error == "clean":
            return told(self._page(self.sheet), error, about)
        changed, name = self._changed(random, error)
        page = self._page(changed, name if error == "separator" else "")
        lost = misshapen(error, name, self.sheet, changed)
        return told(page, error, about, name, lost, grid_of(self._page(self.sheet), lost) if lost else "")

    def _changed(self, random: Random, error: str) -> tuple[ReadFigures, str]:
        if error == "chain":
            return self._with(_texts(derive(loads(self.source), carry="rounded"))), ""
        lines = [(found[2], found[3]) for found in LINE.finditer(self.source)]
        if error == "propagation":
            name = one_of(random, [name for name, _ in lines[:-1] if name in self.sheet.texts])
            return self._other(name, f"{self._formula(name)} + Planted", self._nudge(random, name)), name
        if error in ("scale", "columns", "mask"):
            pairs = {name: _mistaken(formula, error) for name, formula in lines}
            name = one_of(random, [name for name, old in lines if pairs[name] != old and name in self.sheet.texts])
            return self._other(name, pairs[name]), name
        return CHANGES[error](random, self.sheet)

    def _formula(self, name: str) -> str:
        return next(found[3] for found in LINE.finditer(self.source) if found[2] == name)

    def _nudge(self, random: Random, name: str) -> str:
        """A given that changes one entry of a matrix."""
        true = self.sheet.true[name]
        unit = 10 ** self.sheet.decimals[name]
        row, column = random.randrange(true.shape[0]), random.randrange(true.shape[1])
        added = random.choice((-1, 1)) * random.randint(2, 30)
        rows = [["0"] * true.shape[1] for _ in true]
        rows[row][column] = f"{added}/{unit}"
        return f"[given.Planted]\nvalue = {json.dumps(rows)}\n\n"

    def _other(self, name: str, formula: str, given: str = "") -> ReadFigures:
        """The figures when a step has another formula."""
        source = LINE.sub(
            lambda found: f'{found[1]}"{name} = {formula}",' if found[2] == name else found[0], self.source
        )
        return self._with(_texts(derive(loads(source.replace("[[section]]", f"{given}[[section]]", 1)))))

    def _with(self, found: dict[str, tuple[str, list[list[str]]]]) -> ReadFigures:
        old = self.sheet.texts
        texts = {name: found[name][1] if name in found else rows for name, rows in old.items()}
        for name, rows in texts.items():
            if np.shape(rows) != np.shape(old[name]) or _decimals(rows) != _decimals(old[name]):
                raise NoPlaceError
        return replace(self.sheet, texts=texts)

    def _page(self, sheet: ReadFigures, broken: str = "") -> Page:
        """The page with these figures in its matrices."""
        page, rest = Page(self.name), self.text
        for name, grid in sorted(self.grids.items(), key=lambda item: self.text.index(item[1])):
            before, _, rest = rest.partition(grid)
            head, _, body = grid.partition("\\begin{bmatrix}\n")
            tail = body.partition("\n\\end{bmatrix}")[2]
            between = "\\\n" if name == broken else "\\\\\n"
            page.add(before, head, whole(name, latex(page.marks(sheet.slots(name)), between=between)), tail)
        page.add(rest)
        return page


def _decimals(rows: list[list[str]]) -> int:
    return len(rows[0][0].partition(".")[2])


def _mistaken(formula: str, error: str) -> str:
    if error == "scale":
        return re.sub(r" / sqrt\(d_k\)", "", formula)
    if error == "columns":
        return re.sub(r"^softmax\((\w+)\)$", r"softmax(\1.T).T", formula)
    return formula.replace("softmax(S_masked)", "softmax(S)")


def _texts(solution: WorkedSolution) -> dict[str, tuple[str, list[list[str]]]]:
    """Of each step that is worked out and printed in plain figures: its matrix as a page has it, and its figures."""
    found: dict[str, tuple[str, list[list[str]]]] = {}
    for step in solution.derivation.steps:
        if step.formula is None:
            continue
        text = solution[step.name]._repr_latex_().removeprefix("$\\displaystyle ").removesuffix("$")
        body = text.partition("\\begin{bmatrix}\n")[2].partition("\n\\end{bmatrix}")[0]
        rows = [row.split(" & ") for row in body.split("\\\\\n")]
        if body and all(FIGURE.fullmatch(cell) for row in rows for cell in row):
            found[step.name] = text, rows
    return found
