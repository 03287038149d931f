"""Attention by symattn, by a program written directly on python-flint, and by NumPy, from the same numbers.

    S = Q Kᵀ / √d_k,  A = softmax(S),  Z = A V,  then every entry of Z with six certified decimals

Every side starts from numbers that have been read (`read_*`): SymPy rationals in a `Given`, FLINT rationals, doubles.
As a program it runs one side and prints seconds of CPU and the peak memory of its process:

    python benchmarks/attention.py symattn 512
    python benchmarks/attention.py arb_mat 512 --values
"""

from __future__ import annotations

import argparse
import random
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

WIDTH = 64
DIGITS = 6
BITS = 84  # what symattn begins with for six decimals
NAMES = ("Q", "K", "V")

Rows = list[list[str]]
Texts = tuple[tuple[str, ...], ...]


def texts(n: int, seed: int = 1) -> dict[str, Rows]:
    """Q, K and V, n × 64, as decimals of three digits between −1 and 1."""
    numbers = random.Random(seed)
    return {
        name: [[f"{numbers.choice(('', '-'))}0.{numbers.randrange(1000):03}" for _ in range(WIDTH)] for _ in range(n)]
        for name in NAMES
    }


# symattn


def read_symattn(given: dict[str, Rows]) -> Any:
    import symattn.compute.solution  # noqa: F401  # before the clock runs
    from symattn.read.given import Given

    return {name: Given.read(rows) for name, rows in given.items()}


def symattn(givens: Any, decimals: bool = True) -> Any:
    from symattn.base.shapes import shape
    from symattn.compute.solution import Solution
    from symattn.read.plan import Plan

    plan = Plan((), {"d_k": WIDTH})
    for name, given in givens.items():
        plan = plan.given(name, shape(*given.shape))
    plan = plan.step("S", "Q @ K.T / sqrt(d_k)").step("A", "softmax(S)").step("Z", "A @ V")
    solution = Solution(plan, givens)
    return solution["Z"].decimals(DIGITS) if decimals else solution["Z"].enclosure(BITS)


# python-flint


def read_arb_mat(given: dict[str, Rows]) -> Any:
    from flint import fmpq

    return {name: [[fmpq(int(x.replace("0.", "")), 1000) for x in row] for row in rows] for name, rows in given.items()}


def arb_mat(givens: Any, decimals: bool = True) -> Any:
    from flint import ctx

    bits, before = BITS, ctx.prec
    try:
        while True:
            ctx.prec = bits
            Z = _arb_attention(givens)
            if not decimals:
                return Z
            found = _arb_decimals(Z)
            if found is not None:
                return found
            bits *= 2
    finally:
        ctx.prec = before


def _arb_attention(givens: Any) -> Any:
    import flint

    Q, K, V = (flint.arb_mat(givens[name]) for name in NAMES)
    S = Q * K.transpose() * (1 / flint.arb(WIDTH).sqrt())
    n = S.nrows()
    exponentials = [x.exp() for x in S.entries()]
    weights = []
    for start in range(0, n * n, n):
        row = exponentials[start : start + n]
        share = 1 / sum(row, flint.arb())
        weights += [x * share for x in row]
    return flint.arb_mat(n, n, weights) * V


def _arb_decimals(Z: Any) -> Texts | None:
    from flint import fmpq, fmpz

    scale, half = fmpz(10) ** DIGITS, fmpq(1, 2)
    result = []
    for x in Z.entries():
        shifted = abs(x * scale) + half
        if not shifted.is_finite() or shifted.contains_integer():
            return None
        whole = shifted.floor().unique_fmpz()
        if whole is None:
            return None
        digits = str(int(whole)).rjust(DIGITS + 1, "0")
        sign = "-" if whole and x < 0 else ""
        result.append(f"{sign}{digits[:-DIGITS]}.{digits[-DIGITS:]}")
    columns = Z.ncols()
    return tuple(tuple(result[start : start + columns]) for start in range(0, len(result), columns))


# NumPy


def read_numpy(given: dict[str, Rows]) -> Any:
    import numpy as np

    return {name: np.array(rows, dtype=np.float64) for name, rows in given.items()}


def numpy(givens: Any, decimals: bool = True) -> Any:
    import numpy as np

    S = givens["Q"] @ givens["K"].T / np.sqrt(WIDTH)
    exponentials = np.exp(S - S.max(axis=1, keepdims=True))
    Z = exponentials / exponentials.sum(axis=1, keepdims=True) @ givens["V"]
    return tuple(tuple(f"{x:.{DIGITS}f}" for x in row) for row in Z.tolist()) if decimals else Z


@dataclass(frozen=True)
class Side:
    read: Callable[[dict[str, Rows]], Any]
    work: Callable[[Any, bool], Any]


SIDES = {
    "symattn": Side(read_symattn, symattn),
    "arb_mat": Side(read_arb_mat, arb_mat),
    "numpy": Side(read_numpy, numpy),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("side", choices=list(SIDES))
    parser.add_argument("n", type=int)
    parser.add_argument("--values", action="store_true", help="stop at the enclosures of Z, without decimals")
    options = parser.parse_args()
    side = SIDES[options.side]
    givens = side.read(texts(options.n))
    start = time.process_time()
    side.work(givens, not options.values)
    print(f"{time.process_time() - start:.3f} s, {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
