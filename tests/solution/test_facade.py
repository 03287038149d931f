"""What a user sees of a solution: fifteen names, each said and shown."""

from __future__ import annotations

from symattn import derive
from symattn.compute.solution import Solution, Value

NAMES = """store derivation givens style exact_value rational decimals figures intervals enclosure float64 signs equals
compare ranking"""
OF_ONE = "solution step name formula shape exact decimals known_decimals figures intervals enclosure float64"


def public(thing: object) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


def test_a_solution_has_fifteen_names_and_a_value_twelve() -> None:
    read = derive("refund")
    plain = Solution(read.derivation, read.givens, read.style)
    assert public(plain) == set(NAMES.split())
    assert public(Value(plain, plain.derivation["A"])) == set(OF_ONE.split())


def test_every_name_shows_what_it_answers() -> None:
    said = {name: getattr(Solution, name).__doc__ for name in NAMES.split() if name != "store"}
    assert [name for name, doc in said.items() if ">>>" not in doc] == []
