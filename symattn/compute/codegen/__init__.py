"""Generate programs in other languages that compute names of a solution, and the output that they print.

A listing is two texts: the program, made of the same formulas and givens as the page, and its output, made of certified
digits and never by running anything.

>>> tuple(LANGUAGES)
('numpy', 'torch', 'r', 'julia', 'javascript')
>>> language("s")
Traceback (most recent call last):
    ...
symattn.base.errors.UnknownNameError: unknown language of a program 's': known: javascript, julia, numpy, r, torch
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from symattn.base.errors import NoValueError, SymattnError, UnknownNameError, unknown
from symattn.compute.codegen.language import ProgramLanguage, read_language
from symattn.compute.codegen.printing import fixed_figures, fixed_text, printed_by_r
from symattn.compute.codegen.program import program
from symattn.compute.solution.intervals import no_value
from symattn.compute.solution.store import Shown, Store
from symattn.read.scenario.model import LISTINGS, Differentiated


class Languages(Mapping[str, ProgramLanguage]):
    """The languages by name, each loaded on first use."""

    def __getitem__(self, key: str) -> ProgramLanguage:
        if key not in LISTINGS:
            raise KeyError(key)
        return read_language(key)

    def __iter__(self) -> Iterator[str]:
        return iter(LISTINGS)

    def __len__(self) -> int:
        return len(LISTINGS)


LANGUAGES = Languages()
"""The languages a program may be in."""


class Program(NamedTuple):
    """A program and its output, neither with a newline at its end."""

    code: str
    output: str


def language(key: str) -> ProgramLanguage:
    """Return the language of that name.

    Raises :class:`~symattn.base.errors.UnknownNameError`, which lists the known ones.
    """
    try:
        return LANGUAGES[key]
    except KeyError:
        raise UnknownNameError(unknown("language of a program", key, LANGUAGES)) from None


def single(solution: Store, key: str, name: str, known: Differentiated | None = None) -> Program:
    """Return the program for one name; in R it is printed by R's own ``print``."""
    if key != "r":
        return programs(solution, (key,), (name,), known)[0]
    must_be_computable(solution, (name,))
    return Program(program(solution, (name,), language(key)), printed_by_r(solution, name))


def programs(
    solution: Store, keys: Iterable[str], names: Iterable[str], known: Differentiated | None = None
) -> list[Program]:
    """Return a program for each language that computes ``names`` and prints each with a fixed number of decimals.
    Gradients in ``known`` are left to languages with automatic differentiation.

    Raises :class:`~symattn.base.errors.UnknownNameError` for an unknown language or name,
    :class:`~symattn.base.errors.NoValueError` for a name without numbers, :class:`~symattn.base.errors.UndecidedError`
    where a printed digit depends on the rounding errors of the program.
    """
    languages, wanted = [language(key) for key in dict.fromkeys(keys)], tuple(dict.fromkeys(names))
    must_be_computable(solution, wanted)
    decimals, figures = fixed_figures(solution, wanted)
    return [
        Program(program(solution, wanted, each, decimals, known), fixed_text(figures, each.infinity))
        for each in languages
    ]


def results(solution: Store) -> tuple[str, ...]:
    """Return the results of a derivation: the steps with numbers that no other step with numbers uses, in order.

    Raises :class:`~symattn.base.errors.SymattnError` where there is none.
    """
    worked = (step for step in solution.derivation.steps if not step.is_given)
    steps = [step for step in worked if solution.shown(step.name).is_numbers and not _symbolic(solution, step.name)]
    used = {name for step in steps for name in step.uses}
    found = tuple(step.name for step in steps if step.name not in used)
    if not found:
        raise SymattnError("there is nothing to compute: a program needs a scenario with steps that have numbers")
    return found


def must_be_computable(solution: Store, names: Iterable[str]) -> None:
    """Raise :class:`~symattn.base.errors.NoValueError` for a name whose value is not one matrix of numbers."""
    for name in names:
        match solution.shown(name):
            case Shown.GENERAL:
                raise NoValueError(f"{name} is general: it has the shape {solution.shape(name)} and no numbers")
            case Shown.INTERVALS:
                raise no_value(solution, name, "program")
        if symbolic := _symbolic(solution, name):
            raise NoValueError(
                f"{name}: {symbolic} holds free symbols ({', '.join(solution.derivation.symbols)}): a program computes "
                "with numbers; put numbers in their place"
            )


def _symbolic(solution: Store, name: str) -> str | None:
    """Return a name that holds free symbols and that ``name`` depends on, if there is one."""
    if solution.symbolic is None:
        return None
    return next((needed for needed in solution.needed(name) if solution.shown(needed) is Shown.CLOSED_FORMS), None)
