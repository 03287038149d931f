"""What Python code gets wrong is told by errors of the project, as what is wrong with a file is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from symattn import derive, load, read_formula, validate
from symattn.errors import ExercisesError, FormulaError, ScenarioError, SymattnError, UnknownNameError
from symattn.exercise import exercises_from, generate
from symattn.scenario.load import loads
from symattn.scenario.style import FigureStyle

WRONG: dict[str, tuple[Callable[[], object], type[SymattnError], str]] = {
    "decimals": (
        lambda: derive("refund")["A"].decimals("6"),
        SymattnError,
        "digits is '6': expected a whole number, 0",
    ),
    "decimals, float": (lambda: derive("refund")["A"].decimals(6.0), SymattnError, "digits is 6.0: expected a whole"),
    "decimals, none": (lambda: derive("refund")["A"].decimals(None), SymattnError, "digits is None: expected a whole"),
    "decimals, truth": (lambda: derive("refund")["A"].decimals(True), SymattnError, "digits is True: expected a whole"),
    "decimals, huge": (
        lambda: derive("refund")["A"].decimals(10**5000),
        SymattnError,
        "a number of more than 20 digit",
    ),
    "digits": (lambda: derive("refund", digits="6"), SymattnError, "digits is '6': expected a whole number, 1 to 50"),
    "carry": (lambda: derive("refund", carry="zz"), UnknownNameError, "unknown carry 'zz': known: exact, rounded"),
    "carry, number": (lambda: derive("refund", carry=1), UnknownNameError, "unknown carry 1: known: exact, rounded"),
    "ties": (lambda: FigureStyle(ties="up"), UnknownNameError, "unknown ties 'up': known: half_even, half_up"),
    "detail": (lambda: derive("refund").render(detail=None), UnknownNameError, "unknown detail None: known: entries"),
    "rows": (lambda: derive("refund").render(max_rows="3"), SymattnError, "max_rows is '3': expected at least 2"),
    "seed": (lambda: generate("softmax-row", seed="x"), ScenarioError, "seed is 'x': expected a whole number"),
    "seed, huge": (
        lambda: generate("softmax-row", seed=10**30),
        ScenarioError,
        "seed is a number of more than 20 digi",
    ),
    "seed, large": (
        lambda: generate("softmax-row", seed=10**18 + 1),
        ScenarioError,
        "seed is 1000000000000000001: exp",
    ),
    "difficulty": (
        lambda: generate("softmax-row", difficulty="2"),
        ScenarioError,
        "difficulty is '2': expected a whole number from 1 to 5",
    ),
    "source": (lambda: load(None), ScenarioError, "load: expected the name of a built-in scenario or a path, came a"),
    "topic": (lambda: generate(3), UnknownNameError, "unknown topic 3: known: attention-head"),
    "text": (lambda: loads(None), ScenarioError, "loads: expected the text of a scenario, came a value of type NoneTy"),
    "long text": (lambda: loads("#" * 3_000_000), ScenarioError, "scenario.toml: is larger than FILE_BYTES = 2000000"),
    "long Chinese": (lambda: loads("#" + "頭" * 700_000), ScenarioError, "scenario.toml: is larger than FILE_BYTES"),
    "exercises": (
        lambda: exercises_from(None),
        ExercisesError,
        "exercises: expected a text of JSON or JSONL, came None",
    ),
    "formula": (
        lambda: read_formula(None, derive("refund").derivation.scope),
        FormulaError,
        "formula: expected a text",
    ),
    "files": (lambda: validate(None), ScenarioError, "validate: expected a name, a file or a folder, came None"),
}


@pytest.mark.parametrize(("call", "kind", "sentence"), WRONG.values(), ids=WRONG)
def test_it_is_told_by_an_error_of_the_project(
    call: Callable[[], object], kind: type[SymattnError], sentence: str
) -> None:
    with pytest.raises(kind) as told:
        call()
    assert sentence in str(told.value)


def test_whole_numbers_of_other_kinds_are_whole_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    assert derive("refund")["A"].decimals(numpy.int64(3)) == derive("refund")["A"].decimals(3)
    assert generate("softmax-row", seed=numpy.int64(7)).exercises == generate("softmax-row", seed=7).exercises
