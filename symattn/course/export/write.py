"""Convert an exercise to its exported form: the question, the key, the worked steps, the answers of mistakes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from symattn import __version__
from symattn.base.errors import SymattnError
from symattn.base.printed import Printed
from symattn.claims.mistakes.model import KEYS, PartKind
from symattn.claims.mistakes.model import mistake_text as said_of
from symattn.claims.worked import Ask, Worked
from symattn.course.checksum import checksum
from symattn.course.export.form import (  # fmt: skip
    COPIED,
    AnswerForm,
    AskedForm,
    ExerciseForm,
    FormulaForm,
    GivenForm,
    MistakeForm,
    PartForm,
    PlantedForm,
    QuestionForm,
    ShownForm,
    StepForm,
)
from symattn.course.model import Exercise, Part, Planted, Wrong, worked
from symattn.course.sheet.paper import Paper
from symattn.read.scenario.model import QuantityItem, StepItem
from symattn.read.scenario.words import Words
from symattn.show.blocks import Inline
from symattn.show.build import words_with_references
from symattn.show.notation.arithmetic import in_symbols
from symattn.show.notation.formulas import formula
from symattn.write import environment
from symattn.write.markdown import MarkdownPage
from symattn.write.runs import inline
from symattn.write.tex_math import tex

NOTICE = "holds the key, the worked steps and all wrong answers: for the teacher only"
"""A notice in exports of exercises whose sheets do not give their keys away."""


def form_of(exercise: Exercise, language: str | None = None) -> ExerciseForm:
    """Return an exercise as it is exported, with its words in one language.

    >>> from symattn.course.model import Part
    >>> text = 'title = "Half"\\n[given]\\nX = [["3"]]\\n[[section]]\\ntitle = "S"\\nsteps = ["Y = X / 2"]'
    >>> half = Exercise("half", 1, 7, 1, "en", text, (Part("Y", "matrix", 3, (("1.5",),), ((0, 0),)),))
    >>> form_of(half).question.formulas, form_of(half).question.parts[0].printed
    ((FormulaForm(name='Y', formula='X / 2', tex='\\\\frac{X}{2}'),), ((None,),))
    """
    writer = _ExerciseWriter(exercise, language or exercise.language)
    copied: dict[str, Any] = {name: getattr(exercise, name) for name in COPIED}
    copied["language"] = writer.language  # which languages there are is checked by the form
    return ExerciseForm(
        **copied,
        checksum=checksum(exercise),
        symattn=__version__,
        notice=NOTICE if exercise.code else "",
        question=writer.question(),
        answer=AnswerForm(parts=tuple(map(_part, exercise.parts)), planted=_planted(exercise.planted)),
        steps=tuple(writer.steps()),
        mistakes=tuple(map(writer.mistake, exercise.wrong)),
    )


def _part(part: Part) -> PartForm:
    asked = tuple((row + 1, column + 1) for row, column in part.asked)
    return PartForm(**{**vars(part), "asked": asked})


def _planted(planted: Planted | None) -> PlantedForm | None:
    if planted is None:
        return None
    return PlantedForm(**{**vars(planted), "row": planted.row + 1, "column": planted.column + 1})


class _ExerciseWriter:
    """Writes the parts of one exercise in one language."""

    def __init__(self, exercise: Exercise, language: str) -> None:
        self.exercise, self.language = exercise, language
        self.paper = Paper(exercise, language)
        self.right: Worked = worked(exercise)
        self.page = MarkdownPage(environment.phrases(language), "brackets")

    def question(self) -> QuestionForm:
        scenario = self.right.scenario
        return QuestionForm(
            title=self._words(scenario.title),
            task=self._words(scenario.intro),
            givens=tuple(self._givens()),
            sizes=dict(scenario.sizes),
            formulas=tuple(self._formulas()),
            shown=tuple(self._shown()),
            parts=tuple(map(_asked, self.exercise.parts)),
        )

    def steps(self) -> Iterator[StepForm]:
        """Yield everything that has a formula, in the order of computation."""
        for name, text in self._written().items():
            yield StepForm(name=name, formula=text, tex=self._tex_of(name), values=self._values(name))

    def mistake(self, wrong: Wrong) -> MistakeForm:
        words = {what: said_of(wrong.mistake, what, self.language) for what in KEYS}
        return MistakeForm(mistake=wrong.mistake, step=wrong.step, figures=dict(wrong.figures), **words)

    def _givens(self) -> Iterator[GivenForm]:
        for name, matrix in self.right.scenario.givens.items():
            rows, columns = matrix.given.shape
            values = tuple(tuple(row) for row in matrix.given.texts)
            yield GivenForm(name=name, tex=tex(self.paper.names(name)), rows=rows, columns=columns, values=values)

    def _formulas(self) -> Iterator[FormulaForm]:
        """Yield the formulas, in the order in which the sheet prints them."""
        written = self._written()
        for name in self.exercise.order or written:
            yield FormulaForm(name=name, formula=written.get(name, ""), tex=self._tex_of(name))

    def _shown(self) -> Iterator[ShownForm]:
        planted = self.exercise.planted
        steps = [step.name for step in self.paper.worked]
        for name in steps if planted is not None else [name for name in steps if name in self.exercise.shown]:
            yield ShownForm(name=name, values=_with_wrong(self._values(name), planted, name))

    def _written(self) -> dict[str, str]:
        """Return the formulas of steps and quantities by name, as they were written."""
        scenario, found = self.right.scenario, dict[str, str]()
        for item in (item for section in scenario.sections for item in section.items):
            if isinstance(item, StepItem):
                found[item.name] = item.formula
            elif isinstance(item, QuantityItem):
                found[item.name] = str(scenario.quantities[item.name].written)
        return found

    def _values(self, name: str) -> Printed:
        """Return the figures of a step or a quantity; nothing if it only has a shape."""
        kind: PartKind = "number" if name in self.right.scenario.quantities else "matrix"
        try:
            return self.right.figures(Ask(name, kind, self._decimals(name)))
        except SymattnError:
            return ()

    def _decimals(self, name: str) -> int:
        own = {part.name: part.decimals for part in self.exercise.parts if part.kind == "matrix"}
        return own.get(name, self.right.scenario.style.decimals)

    def _tex_of(self, name: str) -> str:
        quantities = self.right.scenario.quantities
        if name in quantities:
            return tex(in_symbols(quantities[name].written, self.paper.names))
        node = self.right.plan[name].formula
        return "" if node is None else tex(formula(node, self.paper.names))

    def _words(self, words: Words | None) -> str:
        if words is None:
            return ""
        parts: tuple[Inline, ...] = words_with_references(
            self.right.scenario, self.right.solution, words, self.language
        )
        return inline(self.page, *parts)


def _asked(part: Part) -> AskedForm:
    empty = frozenset(part.asked)
    printed = tuple(
        tuple(None if (i, j) in empty else figure for j, figure in enumerate(row)) for i, row in enumerate(part.key)
    )
    return AskedForm(name=part.name, kind=part.kind, decimals=part.decimals, printed=printed)


def _with_wrong(values: Printed, planted: Planted | None, name: str) -> Printed:
    """Return the figures of a step, with the wrong entry in its place."""
    if planted is None or planted.step != name:
        return values
    places: Mapping[tuple[int, int], str] = {(planted.row, planted.column): planted.figure}
    return tuple(tuple(places.get((i, j), figure) for j, figure in enumerate(row)) for i, row in enumerate(values))
