"""What the tests of programs share: random numbers, and programs run many at a time."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from importlib.util import find_spec

import pytest

from symattn.compute.codegen import Program
from symattn.compute.solution import Solution
from symattn.compute.solution.store import Store

PYTHON = [sys.executable, "-W", "error", "-"]
RUNNERS = {"numpy": PYTHON, "torch": PYTHON, "r": ["Rscript", "--vanilla", "-"], "javascript": ["node", "-"]}
SEPARATORS = {"numpy": 'print("--")', "torch": 'print("--")', "r": 'cat("--\\n")', "javascript": 'console.log("--");'}

EDGES = "99999.995 999999.96 9999999.6 0.99999996 99999996 100000 0.0001 0.00001 123456789012 2^-11 1e5".split()
"""Where R changes its mind about the format."""


def number(rng: random.Random, *kinds: str) -> str:
    """The text of a random number of one of these kinds."""
    kind = rng.choice(kinds)
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
            "edge": lambda: rng.choice(EDGES),
        }[kind]()
    )


@pytest.fixture(scope="session")
def solve(solve: Callable[..., Solution]) -> Callable[..., Store]:
    """What programs are written from: the store of a solution."""
    return lambda *givens, **options: solve(*givens, **options).store


@pytest.fixture(scope="session")
def run() -> Callable[[str, Iterable[Program]], None]:
    """Every program, in one process of its language, against what is said that it prints."""

    def check(language: str, made: Iterable[Program]) -> None:
        runner = RUNNERS[language]
        there = find_spec(language) if runner is PYTHON else shutil.which(runner[0])
        if there is None:
            pytest.skip(f"{language} is not installed")
        made = list(made)
        whole = "(() => {{\n{}\n}})();" if language == "javascript" else "{}"  # where no name may be said twice
        source = f"\n{SEPARATORS[language]}\n".join(whole.format(program.code) for program in made)
        done = subprocess.run(runner, input=source, capture_output=True, text=True, encoding="utf-8", timeout=300)
        assert (done.returncode, done.stderr[-2000:]) == (0, "")
        for program, output in zip(made, done.stdout.split("--\n"), strict=True):
            assert program.output + "\n" == output, program.code

    return check
