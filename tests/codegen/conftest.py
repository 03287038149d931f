"""What the tests of programs share: random numbers, and programs run many at a time."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable

import pytest

from symattn.codegen import Program
from symattn.errors import RenderError, UndecidedError

RUNNERS = {
    "numpy": [sys.executable, "-W", "error", "-"],
    "torch": [sys.executable, "-W", "error", "-"],
    "r": ["Rscript", "--vanilla", "-"],
}

SEPARATORS = {"numpy": 'print("--")', "torch": 'print("--")', "r": 'cat("--\\n")'}


@pytest.fixture(scope="session")
def entry() -> Callable[[random.Random, str], str]:
    """The text of a random number; the edges are where R changes its mind about the format."""
    edges = "99999.995 999999.96 9999999.6 0.99999996 99999996 100000 0.0001 0.00001 123456789012 2^-11 1e5".split()

    def write(rng: random.Random, kind: str) -> str:
        sign = rng.choice(["", "-"])
        return (
            sign
            + {
                "whole": lambda: str(rng.randint(0, 12)),
                "weight": lambda: f"{rng.random():.{rng.randint(1, 3)}f}",
                "decimal": lambda: f"{rng.random() * rng.choice([1, 10, 1000]):.{rng.randint(0, 9)}f}",
                "large": lambda: str(rng.randint(0, 10 ** rng.randint(1, 18))),
                "tiny": lambda: f"{rng.random():.4f}e-{rng.randint(1, 120)}",
                "fraction": lambda: f"{rng.randint(1, 99)}/{rng.randint(1, 99)}",
                "root": lambda: f"sqrt({rng.randint(2, 50)})/{rng.randint(1, 9)}",
                "mask": lambda: rng.choice(["10^9", "oo", "1.5", "0"]),
                "edge": lambda: rng.choice(edges),
            }[kind]()
        )

    return write


@pytest.fixture(scope="session")
def run() -> Callable[[str, list[Program]], None]:
    """Every program, in one process of its language, against what is said that it prints."""

    def check(language: str, made: list[Program]) -> None:
        source = f"\n{SEPARATORS[language]}\n".join(program.code for program in made)
        done = subprocess.run(
            RUNNERS[language], input=source, capture_output=True, text=True, encoding="utf-8", timeout=300
        )
        assert (done.returncode, done.stderr) == (0, "")
        for program, output in zip(made, done.stdout.split("--\n"), strict=True):
            assert program.output + "\n" == output, program.code

    return check


@pytest.fixture(scope="session")
def decided() -> Callable[[list[Callable[[], object]]], list[object]]:
    """What the makers make, without those that refuse."""

    def keep(makers: list[Callable[[], object]]) -> list[object]:
        made = []
        for make in makers:
            try:
                made.append(make())
            except (UndecidedError, RenderError):
                continue
        return made

    return keep
