"""Gradients beside the forward solution they belong to, and Jacobians beside SymPy's of explicit entries."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

import symattn
from benchmarks import explicit_jacobian as peer
from benchmarks.conftest import Sample, SideBySide, here, peak, process, watched
from benchmarks.plain_sympy import FILE
from symattn.read.scenario.load import loads

DIGITS = 12
LOSS = 'loss = "J = cross_entropy(logits, [0])"\n'
EVERY = """
[[backward]]
of = "J"
wrt = ["W_Q", "W_K", "W_V", "W_O", "W_1", "W_2", "W_out", "E", "P"]
"""
TRAIN = """
[train]
of = "J"
rule = "{}"
weights = ["W_Q", "W_K", "W_V", "W_O", "W_1", "W_2", "W_out", "E"]
rate = "1/10"
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """`weather` with a loss, and with more behind it."""
    folder = tmp_path_factory.mktemp("backward")

    def write(more: str) -> Path:
        path = folder / f"weather{abs(hash(more))}.toml"
        path.write_text(f"{LOSS}{FILE.read_text(encoding='utf-8')}{more}", encoding="utf-8")
        return path

    return write


PARTS = {
    "all gradients": EVERY,
    "all gradients and a step of SGD": EVERY + TRAIN.format("sgd"),
    "all gradients and a step of Adam": EVERY + TRAIN.format("adam"),
}


@pytest.mark.parametrize("what", PARTS)
def test_weather_backward(what: str, files: Callable[[str], Path], side_by_side: SideBySide, rounds: int) -> None:
    """The aim is 3 times the forward solution for the gradients."""
    paths = {f"with {what}": files(PARTS[what]), "forward alone": files("")}

    def whole(path: Path) -> Sample:
        return here(lambda: symattn.derive(path).render("markdown", language="en"))

    for path in paths.values():
        whole(path)  # what is read once for all is read
    sides = {name: lambda path=path: whole(path) for name, path in paths.items()}
    side_by_side(f"`weather` with {what}, from the file to the page, everything imported", sides, rounds, {})


def test_weather_backward_as_a_process(files: Callable[[str], Path], side_by_side: SideBySide, rounds: int) -> None:
    commands = {
        name: ("-m", "symattn", "derive", str(files(more)))
        for name, more in (("with all gradients", EVERY), ("forward alone", ""))
    }
    side_by_side(
        "`symattn derive weather.toml`, the process",
        {name: lambda command=command: process(*command) for name, command in commands.items()},
        rounds,
        {name: peak(*command) for name, command in commands.items()},
    )


def jacobian_of(what: str) -> str:
    """The scenario whose Jacobian it is."""
    if what == "row":
        return scenario({"x": peer.ROW}, ["p = softmax(x)", "J = jacobian(p, x)"])
    steps = ["Q = x @ W_Q", "K = x @ W_K", "V = x @ W_V", "A = softmax(Q @ K.T / sqrt(2))", "Z = A @ V"]
    units = [[str(int(k == place)) for k in range(2)] for place in range(2)]
    givens, vjps = {}, []
    for i in range(3):
        for j in range(2):
            givens[f"G_{i}{j}"] = [units[j] if row == i else ["0", "0"] for row in range(3)]
            vjps.append(f"J_{i}{j} = vjp(Z, G_{i}{j}, x)")
    return scenario({"x": peer.X, **peer.WEIGHTS, **givens}, [*steps, *vjps])


def scenario(givens: dict[str, list[list[str]]], steps: list[str]) -> str:
    given = "\n".join(f"{name} = {rows}" for name, rows in givens.items())
    return f'title = "A Jacobian"\n[given]\n{given}\n[[section]]\ntitle = "Steps"\nsteps = {steps}\n'


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("row", "the Jacobian of softmax of a row of 8"),
        ("head", "the Jacobian of one head, 3 tokens, d = 2, by its input"),
    ],
)
def test_jacobian(what: str, said: str, side_by_side: SideBySide, rounds: int) -> None:
    (line,), _, _ = watched(str(Path(peer.__file__)), what)
    _, wall, cpu, rows = line.split(" ", 3)
    theirs = [x for row in ast.literal_eval(rows) for x in row]
    text = jacobian_of(what)

    def ours() -> list[str]:
        solution = symattn.derive(loads(text))
        names = ["J"] if what == "row" else [f"J_{i}{j}" for i in range(3) for j in range(2)]
        return [entry for name in names for row in solution[name].decimals(DIGITS) for entry in row]

    assert [float(x) for x in ours()] == pytest.approx(theirs, rel=1e-13, abs=0.5001 * 10**-DIGITS)
    side_by_side(
        said, {"symattn": lambda: here(ours), "plain SymPy": lambda: Sample(float(wall), float(cpu))}, rounds, {}
    )
