"""Every rule of its own that an operation has stands in one table, with a reason; there are few of them, and where both
can be asked cheaply they say what the equations say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from flint import fmpq
from sympy import MatrixExpr, S

import symattn.show.build  # noqa: F401 - all rules are registered
from symattn.base.errors import DomainError, NoValueError
from symattn.compute.codegen import LANGUAGES
from symattn.compute.codegen.double import BITS, Machine, in_double
from symattn.compute.codegen.program import ProgramWriter
from symattn.compute.proof.definitions import RULES
from symattn.compute.solution.domain import prove_defined
from symattn.compute.solution.symbolic import conditions
from symattn.compute.values.alike import alike
from symattn.compute.values.ball import ball, of_operands
from symattn.compute.values.balls import at_precision
from symattn.compute.values.cost import closed_form_size, cost, products
from symattn.compute.values.ends import Bounds, Intervals
from symattn.compute.values.exact import CASES, exact
from symattn.compute.values.hand import by_hand, exactly
from symattn.compute.values.interval import interval
from symattn.compute.values.logarithm import logs
from symattn.compute.values.rational import of_node, to_fmpq
from symattn.operations import FILLINGS, NODES
from symattn.operations.node import record_of_kind
from symattn.operations.records import RECORDS
from symattn.show.entries.nodes import entry
from symattn.show.forms.shape_line import shapes
from symattn.show.notation.formulas import notation
from symattn.show.working.equations import entry_work, row_work
from tests.examples import EXAMPLES, MATRICES, OVERRIDES, VALUES, Example, Names

STAGES: dict[str, Any] = {
    "ball": of_operands,
    "rational": of_node,
    "exact": exact,
    "hand": by_hand,
    "alike": alike,
    "interval": interval,
    "logarithm": logs,
    "cost": cost,
    "products": products,
    "closed form": closed_form_size,
    "domain": prove_defined,
    "conditions": conditions,
    "double": in_double,
    "notation": notation,
    "entry": entry,
    "row work": row_work,
    "entry work": entry_work,
    "shape line": shapes,
}


def calls_a_helper(kind: type) -> bool:
    """Whether a program in some language calls a function for an operation that somebody wrote by hand.

    A language without whole arrays has a function where the others have a sign of their own: that is its spelling.
    """
    languages = (language for language in LANGUAGES.values() if not language.spelling.entries_only)
    texts = ((each, ProgramWriter(each).text(example.node)) for each in languages for example in EXAMPLES[kind][:1])
    return any(text.partition("(")[0] in language.helpers for language, text in texts)


def kinds(stage: str) -> Iterator[type]:
    """The classes of nodes that a stage has a rule of its own for."""
    if stage == "helper":
        return (kind for kind in NODES if calls_a_helper(kind))
    tables: Mapping[str, Mapping[Any, Any]] = {"symbols": CASES, "proof": RULES}
    registry = tables[stage] if stage in tables else STAGES[stage].registry
    return (kind for kind in (*NODES, *FILLINGS) if any(each in registry for each in kind.__mro__[:-1]))


@pytest.mark.parametrize("stage", OVERRIDES)
def test_the_table_of_overrides_names_the_rules_there_are(stage: str) -> None:
    assert {kind.__name__ for kind in kinds(stage) if record_of_kind(kind) is not None} == set(OVERRIDES[stage])


def test_every_stage_is_in_the_table() -> None:
    assert set(OVERRIDES) == {*STAGES, "symbols", "proof", "helper"}


def test_overrides_are_at_most_one_in_six() -> None:
    operations = {kind.__name__ for kind in (*NODES, *FILLINGS) if record_of_kind(kind) is not None} | set(RECORDS)
    assert {name for table in OVERRIDES.values() for name in table} <= operations
    assert 6 * sum(map(len, OVERRIDES.values())) <= len(operations) * len(OVERRIDES)


def test_every_override_has_a_reason() -> None:
    reasons = {(stage, name): reason for stage, table in OVERRIDES.items() for name, reason in table.items()}
    assert [at for at, reason in reasons.items() if len(reason.split()) < 2 or "not derived" in reason] == []


# What both say


def agrees_in_balls(node: MatrixExpr, names: Names) -> None:
    for bits in (84, 1000):
        with at_precision(bits):
            given = [ball(arg, names.ball) for arg in node.args if arg.is_Matrix]
            assert of_operands(node, given).overlaps(of_operands.default(node, given))


def agrees_in_rationals(node: MatrixExpr, names: Names) -> None:
    derived = of_node.default(node, names.rational)
    assert derived is None or of_node(node, names.rational) == derived


def agrees_exactly(node: MatrixExpr, names: Names) -> None:
    assert exact(node, names).equals(exact.default(node, names))


def agrees_by_hand(node: MatrixExpr, names: Names) -> None:
    with at_precision(192):
        given = [ball(arg, names.ball) for arg in node.args if arg.is_Matrix]
        assert by_hand(node, given, exactly).overlaps(by_hand.default(node, given, exactly))


def agrees_in_doubles(node: MatrixExpr, names: Names) -> None:
    with at_precision(BITS):
        machine = Machine({name: names.ball(name) for name in MATRICES["roots"]})
        assert in_double(node, machine).overlaps(in_double.default(node, machine))


def is_no_wider(node: MatrixExpr, names: Names) -> None:
    """Both hold what comes of the same boxes; a rule of its own is there to be narrower."""

    def box(name: str) -> Intervals:
        width = fmpq(0 if name == "ids" else 1, 100)
        found = [[to_fmpq(x) or fmpq(0) for x in row] for row in names.matrices[name].tolist()]
        return tuple(tuple(Bounds(x, x + width) for x in row) for row in found)

    try:
        derived = interval.default(node, box)
    except NoValueError:
        return
    for ours, theirs in zip(interval(node, box), derived, strict=True):
        for one, other in zip(ours, theirs, strict=True):
            assert other.low - fmpq(1, 10**60) <= one.low <= one.high <= other.high + fmpq(1, 10**60)


AGREE: Mapping[str, Callable[[MatrixExpr, Names], None]] = {
    "ball": agrees_in_balls,
    "rational": agrees_in_rationals,
    "exact": agrees_exactly,
    "hand": agrees_by_hand,
    "double": agrees_in_doubles,
    "interval": is_no_wider,
}
"""What can be asked of both. What is written on a page is read back by tests/readback; a proof has a second road."""


def examples(stage: str) -> list[Example]:
    return [each for kind in NODES if kind.__name__ in OVERRIDES[stage] for each in EXAMPLES[kind]]


@pytest.mark.parametrize("values", ["rational", "roots"])
@pytest.mark.parametrize(
    ("stage", "example"),
    [pytest.param(stage, each, id=f"{stage}: {each.text}") for stage in AGREE for each in examples(stage)],
)
def test_a_rule_of_its_own_says_what_the_equations_say(stage: str, example: Example, values: str) -> None:
    if not example.node.has(S.NegativeInfinity):
        AGREE[stage](example.node, Names(values))


@pytest.mark.parametrize("values", ["zeros", "negatives", "twins"])
def test_what_the_equations_refuse_a_rule_of_its_own_refuses(values: str, solve: Callable[..., Any]) -> None:
    for example in examples("domain"):
        solution = solve(VALUES[values], f"R = {example.text}").store
        try:
            prove_defined.default(example.node, solution, "R")
        except DomainError:
            with pytest.raises(DomainError):
                prove_defined(example.node, solution, "R")
