"""The interpreter beside Python and NumPy themselves: what it knows is what they compute, the rest is unknown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from symattn.base.budget import Budget, working
from symattn.checking.following.arrays import EntryArray, ProgramValue, Unknown, worlds_of
from symattn.checking.following.program_texts import PrintedItem, ShownValue
from symattn.checking.following.programs import Session
from tests.checking.lines.programs import PROGRAMS, program_cases


def computed(source: str, name: str) -> object:
    names: dict[str, object] = {"np": np}
    with np.errstate(all="ignore"):
        exec(source, names)  # noqa: S102 - the programs below
    return names[name]


def ran(source: str) -> Session:
    session = Session()
    with working(Budget(50_000_000)):
        session.run(source)
    return session


def as_lists(value: ProgramValue) -> object:
    """Return the entries as nested lists of floats."""
    found = worlds_of(value)
    rows = [[float(x.mid()) for x in row] for row in found.true]
    return rows if found.axes == 2 else rows[0] if found.axes else rows[0][0]


def programs(kind: str) -> dict[str, str]:
    """Programs that give ``r``, by their titles; what a check has to know of it is behind the bar."""
    parts = Path(__file__).with_name("programs.txt").read_text(encoding="utf-8").split("==== ")[1:]
    heads = {tuple(head.split(" | ")): source for head, _, source in (part.partition("\n") for part in parts)}
    return {title: source for (title, known), source in heads.items() if known == kind}


KNOWN, UNKNOWN = programs("known"), programs("unknown")


@pytest.mark.parametrize("title", KNOWN)
def test_a_program_has_the_value_that_python_computes(title: str) -> None:
    found = ran(KNOWN[title]).names["r"]
    assert not isinstance(found, Unknown), found
    assert np.allclose(np.array(as_lists(found), dtype=float), np.array(computed(KNOWN[title], "r"), dtype=float))


@pytest.mark.parametrize("title", UNKNOWN)
def test_what_is_not_modelled_is_unknown(title: str) -> None:
    session = ran(UNKNOWN[title])
    found = session.names["r"]
    if isinstance(found, EntryArray | list):
        session.run("r = sum(r)")
        found = session.names["r"]
    assert isinstance(found, Unknown), found
    assert found.reason


def shown(item: PrintedItem) -> list[object]:
    return [as_lists(each.value) if isinstance(each, ShownValue) else each for each in item.parts]


def test_what_is_printed() -> None:
    program = (
        "x = np.array([1.0, 2.0])\nprint('x:', x, f'{x[0]:.2f} of {x.sum()}', sep=' | ')\n"
        "for i in range(2):\n    print('%d %.1f' % (i, i / 2), 'a={}'.format(x[i]))\nx * 2\n"
    )
    items = ran(program).items
    assert [each.kind for each in items] == ["print", "print", "print", "echo"]
    assert shown(items[0]) == ["x:", " | ", [1.0, 2.0], " | ", 1.0, " of ", 3.0]
    assert shown(items[2]) == ["", 1.0, " ", 0.5, "", " ", "a=", 2.0, ""]
    assert shown(items[3]) == [[2.0, 4.0]]


def test_what_a_branch_prints_that_may_not_be_taken_is_unknown() -> None:
    (item,) = ran("if model():\n    print(1.5)\n").items
    assert isinstance(item.parts[0], ShownValue)
    assert isinstance(item.parts[0].value, Unknown)


def test_names_of_the_document_are_used_where_no_program_defines_them() -> None:
    known = ran("d = np.array([[1.0, 2.0]])").names["d"]
    session = Session(lambda name: known.worlds if name == "d" else None)
    session.run("e = d * 2\nd = 5\nf = d")
    assert as_lists(session.names["e"]) == [[2.0, 4.0]]
    assert session.names["f"] == 5


@pytest.mark.parametrize("kind", PROGRAMS)
def test_every_program_of_the_measure_is_followed(kind: str) -> None:
    text = program_cases(kind, 0)[0].text
    source = text.split("```python\n")[1].split("```")[0]
    for item in ran(source).items:
        values = [each.value for each in item.parts if isinstance(each, ShownValue)]
        assert not any(isinstance(value, Unknown) for value in values), shown(item)
