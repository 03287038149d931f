"""The program of a page, run by Node.js, against symattn's own solution of the same changed givens."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, isnan, nan

import pytest
from flint import arb

import symattn
from symattn.api.worked import derive
from symattn.base.errors import RenderError, SymattnError, UndecidedError
from symattn.compute.codegen.double import computed
from symattn.compute.codegen.page import Left, data_text, recomputing
from symattn.compute.solution.evaluation import Evaluation
from symattn.compute.solution.store import Store
from symattn.read.catalogue import entries
from symattn.read.given import Given
from symattn.read.scenario.load import builtin_names, loads
from tests import cases
from tests.codegen.test_derived import FAR_OWN, GIVENS, OWN, solved
from tests.examples import EXAMPLES, RATIONALS

Solve = Callable[..., Store]
Values = Mapping[str, Sequence[Sequence[float]]]

NEAR = 1e-12
"""Relative, and absolute for numbers below 1."""

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")


@dataclass(frozen=True)
class Case:
    """A solution, what its page computes with, and the solution of other givens."""

    code: str
    names: tuple[str, ...]
    given: Values
    solution: Store
    where: str


def unchanged(solution: Store, where: str = "") -> Case:
    made = recomputing(solution)
    return Case(made.code, made.names, made.givens, solution, where)


@pytest.mark.parametrize("number", ["-log(3)", "2 * exp(1)", "-2 * log(3) * sqrt(2)", "-exp(-1) / 3"])
def test_a_number_of_a_formula_is_written_whatever_multiplies_it(number: str) -> None:
    lesson = (
        f'title = "b"\n[given]\nX = [["3", "4"]]\n[[section]]\ntitle = "S"\nsteps = ["b = {number}", "Y = X + b"]\n'
    )
    assert "Y" in recomputing(derive(loads(lesson)).store).names


def changed(solution: Store, where: str, rng: random.Random, most: int = 3) -> Case:
    """The solution with up to so many entries of its givens changed, to numbers with a few decimals."""
    made = recomputing(solution)
    texts = {name: [list(row) for row in given.texts] for name, given in solution.givens.items()}
    said = []
    for _ in range(rng.randint(1, most)):
        name = rng.choice(sorted(made.givens))
        row = rng.choice(texts[name])
        place = rng.randrange(len(row))
        whole = all(text.isdigit() for text in row)
        row[place] = str(rng.randint(0, 3)) if whole and rng.random() < 0.8 else number(rng)
        said.append(f"{name}[…,{place + 1}] = {row[place]}")
    read = {name: Given.read(rows) for name, rows in texts.items() if name in made.givens}
    other = Evaluation(solution.derivation, {**solution.givens, **read}, solution.style)
    return Case(made.code, made.names, recomputing(other).givens, other, f"{where}: {', '.join(said)}")


def number(rng: random.Random) -> str:
    return f"{rng.choice((1, 1, 1, 10)) * rng.uniform(-2, 2):.{rng.randint(0, 4)}f}"


def run(cases: Sequence[Case]) -> list[Values]:
    """What the pages of all cases compute, in one process."""
    texts = [f"[{case.code}, {data_text(case.given)}]" for case in cases]
    source = f"""
        const value = (key, x) => (typeof x === "number" && !Number.isFinite(x) ? String(x) : x);
        for (const [program, givens] of [{", ".join(texts)}]) console.log(JSON.stringify(program(givens), value));
    """
    done = subprocess.run(["node", "-"], input=source, capture_output=True, text=True, encoding="utf-8", timeout=120)
    assert (done.returncode, done.stderr[-1500:]) == (0, "")
    read = {"NaN": nan, "Infinity": inf, "-Infinity": -inf}
    return [
        {name: [[read.get(x, x) for x in row] for row in rows] for name, rows in json.loads(line).items()}
        for line in done.stdout.splitlines()
    ]


def compared(case: Case, found: Values) -> Counter[str]:
    """How many entries are equal, how many others lie where the rounding errors of a program may lead, and how many
    stand in names of which nothing can be said: they have no value, hang on a choice between equal numbers, or are
    larger than double precision holds, or are made of such."""
    told, silent = Counter[str](), set[str]()
    assert tuple(found) == case.names, case.where
    for name in case.names:
        rows = [x for row in found[name] for x in row]
        kind = "silent" if silent.intersection(case.solution.needed(name)) else _told(case, name, rows)
        told[kind] += len(rows)
        if kind == "silent":
            silent.add(name)
    return told


def _told(case: Case, name: str, rows: list[float]) -> str:
    try:
        true = case.solution.enclosure(name, 160).entries()
    except SymattnError as error:
        is_told = isinstance(error, UndecidedError) or any(map(isnan, rows))
        return "silent" if is_told else f"{case.where}: {name} has no value: {error}"
    far = [place for place, (x, y) in enumerate(zip(rows, true, strict=True)) if not is_near(x, y)]
    if not far:
        return "equal"
    if (balls := rounded(case.solution, name)) is None:
        return "silent"
    wrong = [place for place in far if not balls[place].contains(arb(rows[place]))]
    return f"{case.where}: {name}: {[(rows[each], true[each]) for each in wrong]}" if wrong else "rounded"


def is_near(x: float, true: arb) -> bool:
    return abs(arb(x) - true) <= NEAR * abs(true).max(arb(1)) if true.is_finite() else arb(x) == true


def rounded(solution: Store, name: str) -> list[arb] | None:
    """All that the rounding errors of a program may lead to; ``None`` where that is no number or hangs on a choice."""
    try:
        return computed(solution, [name])[name].entries()
    except (RenderError, UndecidedError):
        return None


def stores(lesson: Callable[..., str]) -> Iterator[tuple[str, Callable[[], Store]]]:
    yield from ((name, lambda name=name: cases.solved(name).store) for name in builtin_names())
    yield from ((entry.name, partial(_store, lesson(entry.name, {}))) for entry in entries())


def _store(text: str) -> Store:
    return symattn.derive(loads(text)).store


@needs_node
@pytest.mark.parametrize("count", [12, pytest.param(200, marks=pytest.mark.slow)])
def test_a_page_computes_what_symattn_does_of_random_changes(count: int, lesson: Callable[..., str]) -> None:
    """Of built-in scenarios and of the whole catalogue; what overflows is what the journey shows to overflow."""
    rng = random.Random(16)
    ways = list(stores(lesson))
    asked = rng.sample(ways, count) if count < len(ways) else (ways * 7)[:count]
    cases = [changed(make(), name, rng) for name, make in asked]
    told = sum(map(compared, cases, run(cases)), Counter[str]())
    assert told["equal"] > 40 * count
    assert set(told) <= {"equal", "rounded", "silent"}
    assert told["silent"] + told["rounded"] < 0.05 * told["equal"]


@needs_node
def test_a_page_computes_every_operation(solve: Solve) -> None:
    """The examples of ours, those of somebody's own, and what comes near to overflowing."""
    first = [example.square for example, *_ in EXAMPLES.values()]
    cases = [unchanged(solve(RATIONALS, *(f"S_{i} = {text}" for i, text in enumerate(first))), "examples")]
    cases += [unchanged(solved(solve, GIVENS, name), name) for name in OWN if name != "rooted"]
    far = {**GIVENS, "X": [["-800", "-40", "0"], ["1e-9", "37", "800"], ["710", "-745", "-1e5"]]}
    cases += [unchanged(solved(solve, far, name), name) for name in FAR_OWN]
    told = sum(map(compared, cases, run(cases)), Counter[str]())
    assert told["equal"] > 300
    assert set(told) == {"equal"}


DEGENERATE = {
    "softmax(X)": [["-oo", "-oo"], ["0", "-oo"]],
    "cosine(X, X)": [["0", "0"], ["1", "2"]],
    "angle(X, X)": [["0", "0"], ["1", "2"]],
    "unit(X)": [["0", "0"], ["1", "2"]],
    "log(X)": [["0", "1"], ["1", "2"]],
    "log(1 + X)": [["-1", "1"], ["1", "2"]],
    "1 / X": [["0", "1"], ["2", "3"]],
    "X ** -1": [["0", "1"], ["2", "3"]],
    "sqrt(X)": [["-1", "1"], ["2", "3"]],
    "arc(X)": [["2", "1"], ["1", "0"]],
    "side(X)": [["2", "1"], ["1", "0"]],
    "layer_norm(X, 0)": [["1", "1"], ["1", "2"]],
    "entropy(X)": [["-1", "2"], ["1", "0"]],
    "one_hot(row(X, 1), 3)": [["3", "1/2"], ["0", "0"]],
    "proportions(X)": [["-1", "1"], ["2", "3"]],
}
"""Formulas, and numbers that they have no value of."""


THEN = "relu(S)", "sign(S)", "argmax(S)", "top_k(S, 1)", "row_max(S)", "softmax(S)", "one_hot(argmax(S).T, 3)"


def degenerate(formula: str, rows: list[list[str]]) -> Store:
    """A solution with the value of a formula, and what is made of it."""
    own = {"sign": "-1 if X[i,j] < 0 else 1", "arc": "2 * acos(X[i,j])", "side": "sqrt(1 - X[i,j]^2)"}
    lines = [f'{name} = {{ parameters = ["X: m×n"], equations = ["y[i,j] = {text}"] }}' for name, text in own.items()]
    steps = [f"S = {formula}", *(f"T_{place} = {text}" for place, text in enumerate(THEN))]
    parts = "[operation]", *lines, "[given]", f"X = {rows}", "[[section]]", 'title = "Then"', f"{steps = }"
    return symattn.derive(loads("\n".join(('title = "Degenerate"', *parts)))).store


@needs_node
def test_what_has_no_value_is_nan_and_so_is_what_is_made_of_it() -> None:
    cases = []
    for formula, rows in DEGENERATE.items():
        made, other = recomputing(degenerate(formula, [["1", "2"], ["0", "1"]])), degenerate(formula, rows)
        cases.append(Case(made.code, made.names, recomputing(other).givens, other, formula))
    for case, found in zip(cases, run(cases), strict=True):
        with pytest.raises(SymattnError):
            case.solution.enclosure("S", 60)
        empty = [any(map(isnan, row)) for row in found["S"]]
        assert any(empty), case.where
        for name in case.names:
            assert [any(map(isnan, row)) for row in found[name]] == empty, f"{case.where}, then {name}"


def test_what_is_not_computed_again_is_said_with_what_it_rests_on(solve: Solve) -> None:
    rows = {"X": [["a", "1"]], "Y": [["2", "3"]]}
    symbols = recomputing(solve(rows, "S = X + Y", "T = 2 * S", "U = 2 * Y", symbols=("a",)))
    assert (symbols.left, symbols.names) == ({"S": Left("symbols", "X"), "T": Left("symbols", "X")}, ("U",))
    assert tuple(symbols.givens) == ("Y",)
    rounded = recomputing(solve({"X": [["1", "2"]]}, "S = 2 * X", "T = 2 * S", carry="rounded"))
    assert rounded.left == {"S": Left("rounded", "S"), "T": Left("rounded", "S")}
    source = """
        title = "x"
        [given]
        X = { value = [["0.5", "0.25"]], rounded = true }
        Y = [["1", "3"]]
        [[section]]
        title = "y"
        steps = ["S = 2 * X", "T = S + Y", "U = 3 * Y"]
    """
    intervals = recomputing(symattn.derive(loads(source)).store)
    assert intervals.names == ("U",)
    assert {left.why for left in intervals.left.values()} == {"intervals"}


def test_numbers_of_formulas_are_the_doubles_next_to_them(solve: Solve) -> None:
    code = recomputing(solve({"X": [["1"]]}, "S = sqrt(2)/2 * X / sqrt(d_k)", "T = X / (1/3)", sizes={"d_k": 3})).code
    assert {"0.7071067811865476", "1.7320508075688772", "0.3333333333333333"} <= set(re.findall(r"[\d.]{9,}", code))


def test_choices_are_named(solve: Solve) -> None:
    steps = (
        "a = argmax(X)",
        "b = concat(a, a).T",
        "S = softmax(X)",
        "k = top_k(S, 1)",
        "K = k @ X",
        "h = one_hot(b[0:1], 2)",
    )
    assert recomputing(solve({"X": [["1", "2"], ["3", "1"]]}, *steps)).choices == ("a", "b", "k", "h")


def test_no_name_or_text_of_a_scenario_is_code(solve: Solve) -> None:
    names = ["constructor", "top", "v2", "givens", "toString", "softmax"]
    givens = {name: [["1", "2"]] for name in names}
    code = recomputing(solve(givens, "sum = softmax(v2 + top)", "yield_ = sum + givens")).code
    assert not any(f"const {name} " in code for name in (*names, "sum", "yield_") if name not in ("top", "v2"))
    texts = [text for text in re.findall(r'"[^"]*"', code) if text != '"use strict"']
    assert set(texts) <= {f'"{name}"' for name in (*names, "sum", "yield_", "number")}
    assert data_text({"</script><!--": ["\u2028", nan and 1.5]}) == '{"\\u003c/script>\\u003c!--": ["\\u2028", 1.5]}'
    assert "<" not in re.sub(r" <=? ", "", code)
