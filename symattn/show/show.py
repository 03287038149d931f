"""A name shown again: its values, another form of it, or the figures that its source prints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from symattn.compute.solution.figures import double_text
from symattn.compute.solution.intervals import no_value
from symattn.compute.solution.store import Shown
from symattn.read.scenario.model import Scenario, ShowItem
from symattn.read.scenario.words import Words
from symattn.show.blocks import Block, Inline, Matrix, Phrase, Prose, Readings
from symattn.show.forms import in_letters, intervals
from symattn.show.math import Letter, Math, Number
from symattn.show.notation.names import axis_size
from symattn.show.source.origin import given_origin
from symattn.show.step_parts import MANY, StepParts
from symattn.show.steps import Detail, StepBlocks

Writes = Callable[[Words], tuple[Inline, ...]]
"""Writes the words of a scenario out."""

MOST: Mapping[Detail, int] = MappingProxyType({"result": 16, "lesson": 16, "steps": MANY, "entries": MANY})
"""The largest number of entries that are all computed on request; of more, only the first and the last row are."""


def shown_again(
    item: ShowItem, scenario: Scenario, steps: StepBlocks, decimals: int | None, writes: Writes
) -> Iterator[Block]:
    """Yield the blocks of a name in the form that is asked for."""
    parts = steps.parts
    solution, names, window = parts.solution, parts.names, parts.window
    labels = names.row_labels(item.name)
    match item.form:
        case "values":
            yield parts.matrix(item.name, decimals)
            if item.name in scenario.givens:
                yield from _given(item.name, scenario, parts, decimals, writes)
        case "general":
            yield from in_letters.general_form(solution, item.name, names)
        case "rows":
            yield from in_letters.rows_form(solution, item.name, names)
        case "vectors":
            yield from in_letters.vectors_form(solution, item.name, names, labels, decimals, window)
        case "weighted":
            inner = names.row_labels(in_letters.right_factor(solution, item.name))
            yield from in_letters.weighted_form(solution, item.name, names, (labels, inner), decimals, window)
        case "entries":
            yield from parts.every_entry(item.name, MOST[steps.detail])
        case "float64":
            yield from _in_double(item.name, parts, decimals)
        case "printed":
            from symattn.show.source.printed import printed

            yield from printed(scenario, solution, item.name, names, window)


def _given(name: str, scenario: Scenario, parts: StepParts, decimals: int | None, writes: Writes) -> Iterator[Block]:
    """Yield the exact form of a given whose figures are rounded, and its note."""
    solution, note = parts.solution, scenario.givens[name].note
    shown = solution.shown(name)
    if shown is Shown.CLOSED_FORMS:
        yield from parts.exact_given(name)
    elif shown is Shown.INTERVALS:
        yield intervals.meaning(solution, name)
    elif solution.givens[name].array is not None:
        yield from given_origin(name, solution.givens)
    elif not all(x.exact for row in solution.figures(name) for x in row):
        yield from parts.exact_given(name, decimals)
    if note is not None:
        yield Prose(writes(note), "note")


def _in_double(name: str, parts: StepParts, decimals: int | None) -> Iterator[Block]:
    """Yield the result of the same formulas in double precision, and what that has lost."""
    solution = parts.solution
    if solution.shown(name) is Shown.INTERVALS:
        raise no_value(solution, name, "value in double precision")
    shape, places = solution.shape(name), solution.style.places(name) if decimals is None else decimals
    rows = [[double_text(x, places) for x in row] for row in solution.float64(name).tolist()]
    entries = parts.window.grid(len(rows), len(rows[0]), lambda i, j: _double(rows[i][j]))
    flat = [text for row in rows for text in row]
    yield Phrase("lead_double", (), "lead")
    yield Matrix(parts.names(name), axis_size(shape.rows), axis_size(shape.columns), entries, annotated=True)
    lost = (("infinite", sum(text in ("oo", "-oo") for text in flat)), ("undefined", flat.count("NaN")))
    if any(count for _, count in lost):
        yield Readings((Phrase("double_lost", lost, "reading"),))


def _double(text: str) -> Math:
    return Letter(text, "upright") if text == "NaN" else Number(text)
