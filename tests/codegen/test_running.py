"""Programs are run, and print what is said that they print: NumPy always, others where they are installed.

All programs of a language are run in one process. What cannot be told is refused, and left out here.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from symattn.base.errors import RenderError, UndecidedError
from symattn.compute.codegen import LANGUAGES, Program, programs, results, single
from symattn.compute.solution.evaluation import Evaluation
from symattn.read.catalogue import entries
from symattn.read.formula import is_name
from symattn.read.scenario.load import builtin_names
from tests import cases
from tests.codegen.conftest import EDGES, number
from tests.codegen.test_derived import FAR_OWN, GIVENS, OWN, solved
from tests.conftest import choices
from tests.examples import EXAMPLES, RATIONALS

Solve = Callable[..., Evaluation]
Told = tuple[Evaluation, tuple[str, ...]]
"""A solution and the names that a program computes."""

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
    "({a} - row({b}, 1)) / sqrt(1 + norm({b}))",
    "1 / (1 + exp(-{a})) * row({b}, 2) - 2/3 + norm({b}) / norm({a})",
    "matrix_power({a}, 2) - {b} ** 3 * sqrt(abs({a}))",
    "exp(0.71) * {a} + softmax(concat(2 * ones(1, 1), exp(-1), 1 + sqrt(2) * ones(1, 1)))",
    "{b} - row({a}, 1) + norm({b})",
    "({a} - mean({a}, axis=1, keepdims=True)) / std({a}, axis=1, keepdims=True) + sum({b}, axis=0, keepdims=True)",
    "softmax({a}, axis=0) * min({b}, axis=0, keepdims=True) - max({a}, axis=0, keepdims=True)",
    "{b}[:, 0:1] * {a}[0, 1] + {a}[1:].T @ {a}[1:]",
    "var({a}, axis=0, keepdims=True, ddof=1) * sin({b}) + cos({a}) + tan({b} / 90) * [2, 1/3, 0]",
    "[[1, 2, 0], [1/2, 3, 1], [0, 1, 1]] @ {a} + mean({b}, axis=None) - [[1], [2], [3]]",
)

NEAR = "0 1 -1 1/3 -sqrt(2) 3 -5.9 -6.1 -8.5 -9.3 25 1e-9 -1e-12".split()
FAR = "-20 -37.6 -38 -45 41 -700 -710 720 -746 -1200 1000 10^6 -10^9 1e-200 -1e-200".split()


def rows(rng: random.Random, m: int, n: int, *kinds: str) -> list[list[str]]:
    return [[number(rng, *kinds) for _ in range(n)] for _ in range(m)]


def of_scenarios(_: Solve) -> Iterator[Told]:
    for name in builtin_names():
        solution = cases.solved(name)
        yield solution.store, solution.scenario.programs.of or results(solution.store)


def of_the_catalogue(lesson: Callable[..., str], worked: Callable[[str], Any]) -> Iterator[Told]:
    """Every step of every entry, with its defaults, with every choice, and with all of them together."""
    for entry in entries():
        for settings in choices(entry):
            solution = worked(lesson(entry.name, settings))
            yield solution.store, tuple(step.name for step in solution.derivation.steps if not step.is_given)


def of_nodes(solve: Solve) -> Iterator[Told]:
    """Every node in every place."""
    rng = random.Random(4)
    for first, *_ in EXAMPLES.values():
        kinds = rng.choice([("weight",), ("fraction", "root"), ("whole",)])
        numbers = {name: rows(rng, len(known), len(known[0]), *kinds) for name, known in RATIONALS.items()}
        steps = [f"S_{i} = {place.format(first.square)}" for i, place in enumerate(PLACES)]
        solution = solve({**numbers, "ids": RATIONALS["ids"]}, *steps, decimals=rng.choice([1, 3, 6, 8]))
        yield from ((solution, (step.split()[0],)) for step in steps)


def of_derivations(solve: Solve) -> Iterator[Told]:
    rng = random.Random(5)
    for _ in range(25):
        names, steps = ["X", "Y"], []
        for place in range(rng.randint(2, 5)):
            a, b = rng.choice(names), rng.choice(names)
            steps.append(f"S_{place} = {rng.choice(STEPS).format(a=a, b=b)}")
            names.append(f"S_{place}")
        numbers = {name: rows(rng, m, 3, "weight", "fraction", "root") for name, m in {"X": 3, "Y": 3, "b": 1}.items()}
        numbers["ids"] = [[str(rng.randrange(3)) for _ in range(3)]]
        solution = solve(numbers, *steps, sizes={"n": 3, "d_k": 2}, decimals=rng.choice([2, 4, 6]))
        yield solution, results(solution)


def of_steps(solve: Solve) -> Iterator[Told]:
    """Every operation with numbers that nobody refuses."""
    numbers = {"X": GIVENS["X"], "Y": GIVENS["Y"], "ids": [["0", "2", "1"]]}
    steps = [f"S_{i} = {step.format(a='X', b='Y')}" for i, step in enumerate(STEPS)]
    yield solve(numbers, *steps, sizes={"n": 3, "d_k": 2}), tuple(step.split()[0] for step in steps)


def of_edges(solve: Solve) -> Iterator[Told]:
    rng = random.Random(6)
    for _ in range(60):
        numbers = rows(rng, rng.randint(1, 3), rng.choice([1, 3]), *KINDS)
        yield solve({"X": numbers}, "Y = -1 * X", decimals=rng.choice([1, 2, 6])), ("X", "Y")


def of_activations(solve: Solve) -> Iterator[Told]:
    """Nothing overflows with a warning, and where an activation vanishes it prints 0."""
    steps = [f"{f}_{by} = {f}(X / {by})" for f in ("gelu", "gelu_tanh", "silu", "tanh") for by in (1, 2)]
    yield solve({"X": [NEAR + FAR]}, *steps, decimals=5), tuple(step.split()[0] for step in steps)


def of_large(solve: Solve) -> Iterator[Told]:
    """Numbers that a language may write with an exponent."""
    for decimals in (1, 3):
        yield solve({"X": [["2^80", "-2^75", "1"]]}, "Y = 2 * X", decimals=decimals), ("X", "Y")


def of_choices(solve: Solve) -> Iterator[Told]:
    """The first of equal entries is chosen."""
    numbers = {
        "P": [["0.1", "0.4", "0.4", "0.4"], ["-1", "1", "-1", "1"], ["-oo", "-oo", "3", "3"], ["0", "-0", "0", "-1"]],
        "W": [["0", "1"] * 30],  # longer than what a sort takes on in order
    }
    steps = ("L = top_k(W, 7)", "S = argmax(P)", "T = top_k(P, 2)", "U = argmax(-1 * P)")
    yield solve(numbers, *steps, decimals=1), ("S", "T", "U", "L")


def of_empty_rows(solve: Solve) -> Iterator[Told]:
    """A row that sees no key has weights of 0."""
    numbers = {"X": [["1", "2"], ["3", "-1"], ["0", "1/2"]], "M": [["0", "-oo", "0"], ["-oo"] * 3, ["0", "0", "-oo"]]}
    steps = ("A = softmax(X @ X.T + M)", "Z = softmax(X @ X.T / 2 + M) @ X", "r = row(A, 2)")
    yield solve(numbers, *steps, on_empty="zero"), ("A", "Z", "r")


def of_ones_own(solve: Solve) -> Iterator[Told]:
    """Operations that no language has a call for, near 0 and where an exponential overflows."""
    yield from ((solved(solve, GIVENS, name, decimals=5), ("R",)) for name in OWN if name != "rooted")
    far = {**GIVENS, "X": [["-800", "-40", "0"], ["1e-9", "37", "800"], ["710", "-745", "-1e5"]]}
    yield from ((solved(solve, far, name, decimals=4), ("R",)) for name in FAR_OWN)


CERTAIN = (of_scenarios, of_steps, of_activations, of_large, of_choices, of_empty_rows, of_ones_own)
"""Of these nothing may be refused."""

RUN = ("numpy", "torch", "r", "javascript")
DRAWN = {of_nodes: 130, of_derivations: 20, of_edges: 30}
"""Of these some are, and at least so many are told."""


@pytest.mark.long
@pytest.mark.parametrize("language", RUN)
def test_programs_print_what_is_said(
    language: str,
    solve: Solve,
    lesson: Callable[..., str],
    worked: Callable[[str], Any],
    run: Callable[..., None],
) -> None:
    made = [each[language] for each in _made(solve, lesson, worked)]
    names = tuple(sorted(name for name in LANGUAGES[language].reserved if is_name(name)))
    made.insert(0, programs(solve({name: [["1"]] for name in names}), [language], names)[0])
    assert "0.000000  0.000000  0.000000" in next(each.output for each in made if "\nr\n" in each.output)
    run(language, made)


@cache
def _made(solve: Solve, lesson: Callable[..., str], worked: Callable[[str], Any]) -> list[dict[str, Program]]:
    """All that is told, by language: worked out once for the languages that are run."""

    def told_in_all(solution: Evaluation, of: tuple[str, ...]) -> dict[str, Program]:
        return dict(zip(RUN, programs(solution, RUN, of), strict=True))

    told = (*of_the_catalogue(lesson, worked), *(each for make in CERTAIN for each in make(solve)))
    made = [told_in_all(*each) for each in told]
    for make, least in DRAWN.items():
        decided = list(_decided(make(solve), told_in_all))
        assert len(decided) >= least, make.__name__
        made += decided
    return made


def _decided(told: Iterator[Told], make: Callable[..., Any]) -> Iterator[Any]:
    for solution, names in told:
        try:
            yield make(solution, names)
        except (UndecidedError, RenderError):
            continue


KINDS = ("decimal", "large", "tiny", "fraction", "root", "mask", "edge", "whole")


@pytest.mark.long
def test_r_prints_what_is_said_by_its_own_print(solve: Solve, run: Callable[..., None]) -> None:
    rng = random.Random(1)
    sizes = [(1, 1), (2, 2), (3, 3), (4, 3), (9, 2), (10, 3), (1, 8), (3, 14), (12, 11)]
    kinds = [KINDS, *((kind,) for kind in KINDS)]
    told = [(solve({"X": rows(rng, *rng.choice(sizes), *rng.choice(kinds))}), ("X",)) for _ in range(150)]
    told += [(solve({"X": [[x], ["1"]]}), ("X",)) for x in EDGES]
    told += [each for each in of_nodes(solve) if each[1] == ("S_0",)]
    told += [(solved(solve, GIVENS, name), ("R",)) for name in ("softcap", "mish", "two_named", "halves", "pairs")]
    small = solve({"X": [["-8.5", "-20", "-24"]]}, "S = silu(X)", "T = tanh(X / 10^6)")
    told += [(small, (name,)) for name in "ST"]
    made = list(_decided(iter(told), lambda solution, of: single(solution, "r", *of)))
    assert len(made) > 180
    assert "e-10" in made[-2].output
    run("r", made)
