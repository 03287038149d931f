"""Jacobians as one would take them in plain SymPy: explicit entries, ``Matrix.jacobian``, then numbers put in.

The peer of ``jacobian(y, x)`` and ``vjp(Y, G, X)``. It shares no code with symattn and prints every entry; behind a name
stand the seconds since the start, by the clock and of CPU, without the imports:

    python benchmarks/explicit_jacobian.py row       # softmax of a row of 8
    python benchmarks/explicit_jacobian.py head      # softmax attention of 3 tokens, d = 2, with respect to its input
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping

from sympy import Expr, Matrix, Rational, Symbol, exp, sqrt

ROW = [["1/2", "-1", "2", "3/4", "0.1", "-0.3", "1", "5/4"]]
X = [["1", "0.5"], ["-1/2", "2"], ["0.3", "1"]]
WEIGHTS = {
    "W_Q": [["1", "0.2"], ["0.5", "1"]],
    "W_K": [["0.3", "1"], ["1", "-0.4"]],
    "W_V": [["1", "2"], ["-1", "0.7"]],
}


def softmax(scores: Matrix) -> Matrix:
    exponentials = scores.applyfunc(exp)
    return Matrix(*scores.shape, lambda i, j: exponentials[i, j] / sum(exponentials.row(i)))


def exact(rows: list[list[str]]) -> Matrix:
    return Matrix([[Rational(x) for x in row] for row in rows])


def letters(rows: list[list[str]]) -> Matrix:
    return Matrix(len(rows), len(rows[0]), lambda i, j: Symbol(f"x_{i + 1}{j + 1}"))


def head(x: Matrix) -> Matrix:
    weights = {name: exact(rows) for name, rows in WEIGHTS.items()}
    scores = (x * weights["W_Q"]) * (x * weights["W_K"]).T / sqrt(2)
    return softmax(scores) * (x * weights["W_V"])


def at(given: list[list[str]], symbols: Matrix) -> Mapping[Symbol, Expr]:
    return dict(zip(symbols, exact(given), strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["row", "head"])
    what = parser.parse_args().what
    given = ROW if what == "row" else X
    symbols = letters(given)
    start, start_cpu = time.perf_counter(), time.process_time()
    result = softmax(symbols) if what == "row" else head(symbols)
    jacobian = Matrix([*result]).jacobian([*symbols])
    numbers = jacobian.subs(at(given, symbols)).evalf()
    rows = [[float(entry) for entry in row] for row in numbers.tolist()]
    print(what, f"{time.perf_counter() - start:.3f} {time.process_time() - start_cpu:.3f}", rows, flush=True)


if __name__ == "__main__":
    main()
