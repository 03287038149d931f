"""A name once more: its values, another form of it, or what its source prints."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from symattn.document.blocks import Block, Inline, Prose
from symattn.document.forms import in_letters
from symattn.document.source.origin import given_origin
from symattn.document.steps import StepBlocks
from symattn.scenario.model import Scenario, ShowItem
from symattn.scenario.words import Words
from symattn.solution.shown import Shown

Writes = Callable[[Words], tuple[Inline, ...]]
"""What writes words of a scenario out."""


def shown_again(
    item: ShowItem, scenario: Scenario, steps: StepBlocks, decimals: int | None, writes: Writes
) -> Iterator[Block]:
    """The blocks of a name in the form that is asked for."""
    solution, names, window = steps.solution, steps.names, steps.window
    labels = names.row_labels(item.name)
    match item.form:
        case "values":
            yield steps.matrix(item.name, decimals)
            if item.name in scenario.givens:
                yield from _given(item.name, scenario, steps, decimals, writes)
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
            yield from steps.every_entry(item.name)
        case "float64":
            yield from steps.in_double(item.name, decimals)
        case "printed":
            from symattn.document.source.printed import printed

            yield from printed(scenario, solution, item.name, names, window)


def _given(name: str, scenario: Scenario, steps: StepBlocks, decimals: int | None, writes: Writes) -> Iterator[Block]:
    """The exact form of a given whose figures are rounded, and its remark."""
    solution, note = steps.solution, scenario.givens[name].note
    shown = solution.shown(name)
    if shown is Shown.CLOSED_FORMS:
        yield from steps.exact_given(name)
    elif shown is Shown.INTERVALS:
        from symattn.document.forms import intervals

        yield intervals.meaning(solution, name)
    elif solution.givens[name].array is not None:
        yield from given_origin(name, solution.givens)
    elif not all(x.exact for row in solution.figures(name) for x in row):
        yield from steps.exact_given(name, decimals)
    if note is not None:
        yield Prose(writes(note), "note")
