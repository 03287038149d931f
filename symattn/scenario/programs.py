"""Which names the programs of a scenario compute, and in which languages."""

from __future__ import annotations

from symattn.derivation import Plan
from symattn.errors import unknown
from symattn.scenario.lines import Key
from symattn.scenario.model import LISTINGS, Programs
from symattn.scenario.problem import AT_ONCE, Problem, Problems
from symattn.scenario.schema import CodeTable


def read_programs(table: CodeTable | None, derivation: Plan, found: Problems = AT_ONCE) -> Programs:
    """What ``[code]`` says."""
    if table is None:
        return Programs()
    for number, language in found.until_many(enumerate(table.languages)):
        with found.caught():
            check_language(language, ("code", "languages", number))
    of: tuple[str, ...] = ()
    with found.caught():
        of = () if table.of is None else computed_names(table.of, derivation, ("code", "of"))
    return Programs(of, tuple(dict.fromkeys(table.languages)))


def check_language(language: str, key: Key) -> None:
    """Raise :class:`~symattn.scenario.problem.Problem` for a language in which no program is written."""
    if language not in LISTINGS:
        raise Problem(key, unknown("language of a program", language, LISTINGS))


def computed_names(of: str | tuple[str, ...], derivation: Plan, key: Key) -> tuple[str, ...]:
    """One name or several, each a step with numbers; a name that stands there twice counts once."""
    written = [(of, key)] if isinstance(of, str) else [(name, (*key, i)) for i, name in enumerate(of)]
    for name, place in written:
        if name not in derivation.by_name:
            raise Problem(place, unknown("name", name, derivation.by_name))
        step = derivation[name]
        if step.general:
            raise Problem(place, f"{name} is general: it has the shape {step.shape} and no numbers")
        if step.is_given:
            raise Problem(place, f"{name} is given: expected a step, which a program can compute")
    return tuple(dict.fromkeys(name for name, _ in written))
