"""Which mistake of the bank explains figures that a source prints and that do not follow."""

from __future__ import annotations

from flint import arb, fmpq

from symattn.base.errors import SymattnError
from symattn.base.printed import read_printed
from symattn.claims.mistakes.model import said
from symattn.compute.solution.store import Store
from symattn.compute.values.balls import at_precision
from symattn.course.distractors import changes
from symattn.course.worked import BITS, Ask, Worked, by_ours, figure_ball
from symattn.read.scenario.model import Scenario
from symattn.show.source.printed import compare

NEAR = arb("1e-25")
"""How far beyond half a unit a number may lie that is a tie."""


def unexplained(scenario: Scenario, solution: Store) -> tuple[str, ...]:
    """The names with printed figures that are not derived, and no reason in the file."""
    told = (name for name in scenario.printed if name not in scenario.reasons)
    return tuple(name for name in told if compare(scenario, solution, name).differences)


def mistaken(scenario: Scenario, solution: Store) -> dict[str, str]:
    """The mistake that gives all printed figures of a name, for every name without a reason that one explains.

    One mistake spoils all that rests on it: of several, that which explains most names comes first.
    """
    figures = {name: _figures(scenario, name) for name in unexplained(scenario, solution)}
    asks = tuple(Ask(name, decimals=max(places for _, places in read)) for name, read in figures.items() if read)
    if not asks:
        return {}
    right, found = by_ours(scenario), dict[str, set[str]]()
    for mistake, change in changes(right, asks):
        made = right.made(change)
        found.setdefault(mistake.name, set()).update(ask.name for ask in asks if _gives(made, ask, figures[ask.name]))
    best = sorted(found, key=lambda name: -len(found[name]))
    named = {ask.name: next((each for each in best if ask.name in found[each]), "") for ask in asks}
    return {name: mistake for name, mistake in named.items() if mistake}


def _figures(scenario: Scenario, name: str) -> list[tuple[fmpq, int]]:
    """Every printed figure of a name with its decimals; none where one is no number."""
    read = [read_printed(text) for row in scenario.printed[name] for cell in row for text in cell.split()]
    return [figure for figure in read if figure is not None] if None not in read else []


def _gives(made: Worked, ask: Ask, figures: list[tuple[fmpq, int]]) -> bool:
    """Whether every printed figure of a name is what the mistake gives, in as many decimals as it has."""
    if ask.name not in made.touched:
        return False
    try:
        with at_precision(BITS):
            if made.change is not None and made.change.rounded_to is not None:
                values = [figure_ball(text) for row in made.figures(ask) for text in row]
            else:
                values = made.enclosure(ask.name).entries()
            halves = (arb(10) ** -places / 2 + NEAR for _, places in figures)
            return len(values) == len(figures) and all(
                bool(abs(value - arb(number)) <= half)
                for value, (number, _), half in zip(values, figures, halves, strict=True)
            )
    except (SymattnError, ArithmeticError):
        return False


def in_words(scenario: Scenario, solution: Store, language: str) -> dict[str, str]:
    """The mistake behind the printed figures of each name that one explains: what was done, in a language."""
    return {name: said(mistake, "feedback", language) for name, mistake in mistaken(scenario, solution).items()}
