"""Programs are run, and print what is said that they print: NumPy always, PyTorch and R where they are installed."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest

import symattn
from symattn.catalogue import entries
from symattn.catalogue.model import CatalogueEntry
from symattn.codegen import LANGUAGES, Program, programs, results
from symattn.errors import RenderError, UndecidedError
from symattn.formula import is_name
from symattn.scenario.load import builtin_names, loads
from symattn.solution import Solution
from tests.examples import EXAMPLES, RATIONALS

Solve = Callable[..., Solution]
Run = Callable[[str, list[Program]], None]
Draw = Callable[[random.Random, str], str]

RUN = [
    "numpy",
    pytest.param("torch", marks=pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")),
    pytest.param("r", marks=pytest.mark.skipif(shutil.which("Rscript") is None, reason="Rscript is not installed")),
]

PLACES = ("{}", "Y @ {}", "({}) ** 2", "({}).T", "-2/3 * ({}) - Y")

STEPS = (
    "{a} @ {b}",
    "{a} @ {b}.T / sqrt(d_k)",
    "{a} - 2/3 * {b}",
    "softmax({a})",
    "softmax({a} + causal_mask(n))",
    "layer_norm({a} + {b})",
    "layer_norm({a}, gamma=row({b}, 1), beta=row({b}, 3))",
    "relu({a})",
    "elu({a}) + ones(n, n)",
    "proportions(keep(exp({a} / 4), window_mask(n, 2)))",
    "cosine({a}, {b})",
    "angle({a}, {b}) / 90",
    "clip_norm({a}, 2)",
    "unit({a}) - {b}",
    "concat(head({a}, 2, 3), head({b}, 1, 3), row_max({a}))",
    "one_hot(ids, n) @ {a}",
    "norm({a}) @ row({b}, 2) + entropy(softmax({a})) @ ones(1, n)",
    "hadamard(silu({a}), {b})",
    "gelu({a}) + gelu_tanh({b})",
    "rms_norm({a}, gamma=row({b}, 2))",
    "rms_norm({a}) + tanh({b})",
    "log(softmax({a} + padding_mask(n, n, 2, -9)))",
    "divide({a}, exp({b} / 8)) - distance(n)",
    "additive_scores({a}, {b}, row({a}, 1))",
    "head(rotary(stack({a}, {b}).T, 100, 3), 1, 2) + head(sinusoidal(n, 6), 2, 2)",
    "proportions(hadamard(softmax({a}), top_k(softmax({a}), 2)))",
    "one_hot(argmax({a}).T, n) @ rows(stack({b}, {a}), 2, 4)",
)


def made(language: str, solution: Solution, *names: str) -> list[Program]:
    """One program, or none where a digit cannot be told."""
    try:
        return programs(solution, [language], names)
    except (UndecidedError, RenderError):
        return []


def givens(entry: Draw, rng: random.Random, *kinds: str) -> dict[str, list[list[str]]]:
    rows = {"X": 3, "Y": 3, "b": 1}
    found = {name: [[entry(rng, rng.choice(kinds)) for _ in range(3)] for _ in range(n)] for name, n in rows.items()}
    return {**found, "ids": [[str(rng.randrange(3)) for _ in range(3)]]}


def drawn(entry: Draw, rng: random.Random, *kinds: str) -> dict[str, list[list[str]]]:
    """Numbers for the names of the examples."""
    found = {name: [[entry(rng, rng.choice(kinds)) for _ in row] for row in rows] for name, rows in RATIONALS.items()}
    return {**found, "ids": RATIONALS["ids"]}


@pytest.mark.parametrize("language", RUN)
def test_the_programs_of_every_built_in_scenario(language: str, run: Run) -> None:
    written: list[Program] = []
    for name in builtin_names():
        solution = symattn.derive(name)
        written += programs(solution, [language], solution.scenario.programs.of or results(solution))
    run(language, written)


def settings_of(entry: CatalogueEntry) -> list[dict[str, Any]]:
    """The defaults, and every choice and switch by itself."""
    found: list[dict[str, Any]] = [{}]
    for option in entry.options:
        values = (not option.default,) if isinstance(option.default, bool) else option.choices
        found += [{option.name: value} for value in values if value != option.default]
    return found


@pytest.mark.parametrize("language", RUN)
def test_the_programs_of_every_entry_of_the_catalogue(language: str, lesson: Callable[..., str], run: Run) -> None:
    """Every step of every entry, with every choice, is told and printed."""
    written: list[Program] = []
    for entry in entries():
        for settings in settings_of(entry):
            solution = symattn.derive(loads(lesson(entry.name, settings)))
            steps = [step.name for step in solution.derivation.steps if not step.is_given]
            written += programs(solution, [language], steps)
    run(language, written)


@pytest.mark.parametrize("language", RUN)
def test_every_node_in_every_place(language: str, solve: Solve, entry: Draw, run: Run) -> None:
    rng = random.Random(4)
    written: list[Program] = []
    for first, *_ in EXAMPLES.values():
        for place in PLACES:
            numbers = drawn(entry, rng, *rng.choice([("weight",), ("fraction", "root"), ("whole",)]))
            solution = solve(numbers, f"S = {place.format(first.square)}", decimals=rng.choice([1, 3, 6, 8]))
            written += made(language, solution, "S")
    assert len(written) > 130
    run(language, written)


@pytest.mark.parametrize("language", RUN)
def test_random_derivations(language: str, solve: Solve, entry: Draw, run: Run) -> None:
    rng = random.Random(5)
    written: list[Program] = []
    for _ in range(60):
        names, steps = ["X", "Y"], []
        for number in range(rng.randint(2, 5)):
            a, b = rng.choice(names), rng.choice(names)
            steps.append(f"S_{number} = {rng.choice(STEPS).format(a=a, b=b)}")
            names.append(f"S_{number}")
        numbers = givens(entry, rng, "weight", "fraction", "root")
        solution = solve(numbers, *steps, sizes={"n": 3, "d_k": 2}, decimals=rng.choice([2, 4, 6]))
        written += made(language, solution, *results(solution))
    assert len(written) > 50
    run(language, written)


@pytest.mark.parametrize("language", RUN)
def test_numbers_at_the_edges(language: str, solve: Solve, entry: Draw, run: Run) -> None:
    rng = random.Random(6)
    kinds = ("decimal", "large", "tiny", "fraction", "root", "mask", "edge")
    written: list[Program] = []
    for _ in range(150):
        rows = [[entry(rng, rng.choice(kinds)) for _ in range(rng.choice([1, 3]))] for _ in range(1)] * rng.randint(
            1, 3
        )
        written += made(language, solve({"X": rows}, "Y = -1 * X", decimals=rng.choice([1, 2, 6])), "X", "Y")
    assert len(written) > 80
    run(language, written)


@pytest.mark.parametrize("language", RUN)
def test_every_reserved_name_is_read(language: str, solve: Solve, run: Run) -> None:
    names = sorted(name for name in LANGUAGES[language].reserved if is_name(name))
    givens = {name: [["1"]] for name in names}
    run(language, programs(solve(givens), [language], names))


@pytest.mark.parametrize("language", RUN)
def test_a_row_that_sees_no_key_has_weights_of_0(language: str, solve: Solve, run: Run) -> None:
    numbers = {"X": [["1", "2"], ["3", "-1"], ["0", "1/2"]], "M": [["0", "-oo", "0"], ["-oo"] * 3, ["0", "0", "-oo"]]}
    steps = ("A = softmax(X @ X.T + M)", "Z = softmax(X @ X.T / 2 + M) @ X", "r = row(A, 2)")
    solution = solve(numbers, *steps, on_empty="zero")
    written = programs(solution, [language], ("A", "Z", "r"))
    assert "0.000000  0.000000  0.000000" in written[0].output
    run(language, written)
