"""Which names the programs of a scenario compute, and in which languages."""

from __future__ import annotations

from symattn.plan import Plan
from symattn.scenario.definitions import with_numbers
from symattn.scenario.lines import Key
from symattn.scenario.model import LISTINGS, Programs
from symattn.scenario.problem import AT_ONCE, Problem, Problems, must_be_known
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
    must_be_known(language, LISTINGS, key, "language of a program")


def computed_names(of: str | tuple[str, ...], derivation: Plan, key: Key) -> tuple[str, ...]:
    """One name or several, each a step with numbers; a name that stands there twice counts once."""
    written = [(of, key)] if isinstance(of, str) else [(name, (*key, i)) for i, name in enumerate(of)]
    for name, place in written:
        must_be_known(name, derivation.by_name, place)
        if with_numbers(derivation[name], place).is_given:
            raise Problem(place, f"{name} is given: expected a step, which a program can compute")
    return tuple(dict.fromkeys(name for name, _ in written))
