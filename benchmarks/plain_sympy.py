"""The scenario `weather` as one would write it in plain SymPy: exact matrices, then `evalf` of every one.

The peer of `symattn derive --scenario weather`. It reads the same TOML file, shares no code with symattn, and prints
every matrix; behind its name stand the seconds since the start, by the clock and of CPU, without the imports:

    python benchmarks/plain_sympy.py --until LN_1     # seconds
    python benchmarks/plain_sympy.py --until LN_2     # minutes
    python benchmarks/plain_sympy.py --until probs    # the whole: a quarter of an hour
"""

from __future__ import annotations

import argparse
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

from sympy import Matrix, Max, Rational, exp, sqrt, zeros

FILE = Path(__file__).resolve().parents[1] / "symattn" / "read" / "scenario" / "data" / "weather.toml"


def softmax(scores: Matrix) -> Matrix:
    exponentials = scores.applyfunc(exp)
    return Matrix(*scores.shape, lambda i, j: exponentials[i, j] / sum(exponentials.row(i)))


def layer_norm(x: Matrix) -> Matrix:
    result = zeros(*x.shape)
    for i in range(x.rows):
        mean = sum(x.row(i)) / x.cols
        variance = sum((entry - mean) ** 2 for entry in x.row(i)) / x.cols
        for j in range(x.cols):
            result[i, j] = (x[i, j] - mean) / sqrt(variance + Rational(1, 10**5))
    return result


def steps(given: dict[str, Matrix]) -> Iterator[tuple[str, Matrix]]:
    """Every derived matrix of the scenario, in its order."""
    X = given["E"] + given["P"]
    yield "X", X
    Q, K, V = X * given["W_Q"], X * given["W_K"], X * given["W_V"]
    yield from [("Q", Q), ("K", K), ("V", V)]
    QK_T = Q * K.T
    yield "QK_T", QK_T
    S = QK_T / sqrt(4)
    yield "S", S
    M = Matrix(3, 3, lambda i, j: -(10**9) if j > i else 0)
    yield "M", M
    S_masked = S + M
    yield "S_masked", S_masked
    A = softmax(S_masked)
    yield "A", A
    Z = A * V
    yield "Z", Z
    H_attn = Z * given["W_O"]
    yield "H_attn", H_attn
    R_1 = X + H_attn
    yield "R_1", R_1
    LN_1 = layer_norm(R_1)
    yield "LN_1", LN_1
    F_1 = LN_1 * given["W_1"]
    yield "F_1", F_1
    G = F_1.applyfunc(lambda entry: Max(0, entry))
    yield "G", G
    F_2 = G * given["W_2"]
    yield "F_2", F_2
    R_2 = LN_1 + F_2
    yield "R_2", R_2
    LN_2 = layer_norm(R_2)
    yield "LN_2", LN_2
    h_last = LN_2.row(2)
    yield "h_last", h_last
    logits = h_last * given["W_out"]
    yield "logits", logits
    yield "probs", softmax(logits)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--until", default="LN_2", metavar="NAME", help="the last matrix to derive (default: LN_2)")
    until = parser.parse_args().until
    start, start_cpu = time.perf_counter(), time.process_time()
    table = tomllib.loads(FILE.read_text(encoding="utf-8"))["given"]
    given = {name: Matrix([[Rational(x) for x in row] for row in item["value"]]) for name, item in table.items()}
    for name, matrix in steps(given):
        rows = [[float(entry) for entry in row] for row in matrix.evalf().tolist()]
        print(name, f"{time.perf_counter() - start:.3f} {time.process_time() - start_cpu:.3f}", rows, flush=True)
        if name == until:
            return
    sys.exit(f"no matrix is called {until}")


if __name__ == "__main__":
    main()
