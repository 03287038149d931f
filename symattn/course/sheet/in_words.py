"""The question of understanding that ends each sheet: in words, not marked, and answered on the key.

What the sheet works out decides which one: the first kind that finds its place in the steps.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr, Symbol

from symattn.base.printed import shortest
from symattn.course.model import worked
from symattn.course.sheet.paper import Paper
from symattn.operations.terms import size_symbol
from symattn.show.blocks import Phrase
from symattn.show.math import Number
from symattn.show.understanding import LOOKS, AskedInWords, StepView, ToldWords, asked_in_words


def understanding(paper: Paper) -> tuple[Phrase, Phrase]:
    """Return the question of a sheet and its answer."""
    kind, (asked, answered) = next(_found(paper))
    question, answer = asked_in_words(kind, asked, answered)
    return Phrase("sheet_in_words", (("question", question),)), Phrase("sheet_answer_in_words", (("answer", answer),))


def _found(paper: Paper) -> Iterator[tuple[str, AskedInWords]]:
    kinds = {part.kind for part in paper.exercise.parts}
    asked = [part.name for part in paper.exercise.parts if part.name in paper.plan.by_name]
    looks, steps = LOOKS, asked
    if "number" in kinds:
        yield from (("doubled", found) for found in _doubled(paper))
        steps = []
    elif "shape" in kinds:
        looks = {"inner_size": LOOKS["inner_size"]}
    elif "order" in kinds:  # nothing is worked out
        steps = []
    else:
        behind = paper.plan.behind(asked or [step.name for step in paper.worked])
        steps = [step.name for step in reversed(paper.worked) if step.name in behind and not step.general]
    subject = worked(paper.exercise).subject
    views = [StepView(paper.solution, subject, paper.names, name) for name in steps]
    yield from ((kind, found) for kind, look in looks.items() for view in views for found in look(view))
    yield "depends", _depends(paper, (asked or [paper.plan.steps[-1].name])[-1])


def _doubled(paper: Paper) -> Iterator[AskedInWords]:
    """A count after one of its sizes has been doubled."""
    quantities, sizes = paper.scenario.quantities, paper.plan.sizes
    name = [part.name for part in paper.exercise.parts if part.kind == "number"][-1]
    value: Expr = quantities[name].value
    while unknown := {q.symbol: q.value for q in quantities.values() if q.symbol in value.free_symbols}:
        value = value.xreplace(unknown)
    numbers = {size_symbol(letter): size for letter, size in sizes.items() if isinstance(size, int)}
    letters = [letter for letter in numbers if letter in value.free_symbols]
    if not letters or value.subs(numbers).free_symbols:
        return
    letter: Symbol = max(letters, key=lambda one: value.subs({**numbers, one: 2 * numbers[one]}))
    before, after = value.subs(numbers), value.subs({**numbers, letter: 2 * numbers[letter]})
    asked: ToldWords = {"name": paper.names(name), "size": paper.names(str(letter))}
    factor = Number(shortest(f"{float(after / before):.2f}"))
    yield asked, {"factor": factor, "before": Number(str(before)), "after": Number(str(after))}


def _depends(paper: Paper, last: str) -> AskedInWords:
    """The givens behind a step."""
    behind = paper.plan.behind([last])
    givens = tuple(paper.names(step.name) for step in paper.plan.steps if step.is_given and step.name in behind)
    return {"name": paper.names(last)}, {"givens": givens}
