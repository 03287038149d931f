"""Small scenario files that ask for much: large sizes, deep nesting, many steps, high powers, every operation.

``python -m tests.fuzz.heavy COUNT SEED`` tries so many. Each is worked out in a process of its own, which may take ten
seconds of the processor and 500 MB, and a value or one of the project's own errors must come of it.
"""

from __future__ import annotations

import os
import random
import re
import resource
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from symattn.api import derive
from symattn.errors import SymattnError
from symattn.scenario.load import loads

SECONDS = 10
MEGABYTES = 500
SYMPY = 80
"""Megabytes of a process that has imported the package."""

STATE = Path("/proc/self/statm")
"""How many pages Linux has reserved for this process, and how many it holds."""
BYTES = 10_000

SMALL, MIDDLING, LARGE = (1, 2, 3, 4), (8, 12, 20, 40), (60, 100, 128, 300, 1000)
NUMBERS = "1 -1 0 2 1/3 0.5 -3/7 sqrt(2) sqrt(3)/2 log(2) 10^9 -10^6 1e-30 17.25".split()
BY_ENTRY = ("softmax", "relu", "elu", "exp", "gelu", "gelu_tanh", "silu", "tanh", "log", "layer_norm", "rms_norm")
BY_ROW = ("proportions", "unit", "entropy", "norm", "row_max", "argmax")
OF_TWO = ("hadamard", "divide", "+", "-")
OF_ROWS = ("dot", "cosine", "angle", "@")
FORMS = ("values", "general", "rows", "vectors", "weighted", "entries", "float64", "printed")
CATALOGUE = ("attention", "self_attention", "multi_head", "encoder", "block", "grouped_query", "cross_entropy", "top_k")

Term = tuple[str, int, int]
"""A formula, its rows and its columns."""


class Maker:
    """Makes one scenario with the numbers of a generator."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.names: list[Term] = []

    def size(self) -> int:
        return self.draw.choice(self.draw.choices((SMALL, MIDDLING, LARGE), (6, 3, 2))[0])

    def leaf(self, rows: int | None = None, columns: int | None = None) -> Term:
        """A name, or a matrix that follows from its size, with those rows and columns."""
        known = [term for term in self.names if rows in (None, term[1]) and columns in (None, term[2])]
        if known and self.draw.random() < 0.7:
            return self.draw.choice(known)
        m, n = rows or self.size(), columns or self.size()
        made: list[Term] = [(f"ones({m}, {n})", m, n), (f"padding_mask({m}, {n}, 1)", m, n)]
        if m == n:
            made += [(f"{f}({n})", n, n) for f in ("identity", "distance", "causal_mask")]
            made += [(f"window_mask({n}, {self.draw.randint(1, n)})", n, n)]
        if n % 2 == 0:
            made += [(f"sinusoidal({m}, {n})", m, n)] * 2
        return self.draw.choice(made)

    def term(self, depth: int, rows: int | None = None, columns: int | None = None) -> Term:
        """A formula of so many levels; now and then it does not fit, and is an error to be told."""
        if depth <= 0:
            return self.leaf(rows, columns)
        x, m, n = self.term(depth - 1, rows, columns)
        match self.draw.randrange(12):
            case 0 | 1 | 2:
                return f"{self.draw.choice(BY_ENTRY)}({x})", m, n
            case 3:
                f = self.draw.choice(BY_ROW)
                return f"{f}({x})", m, n if f in ("proportions", "unit") else 1
            case 4:
                f, (y, _, _) = self.draw.choice(OF_TWO), self.term(self.draw.randrange(depth), m, n)
                return (f"{f}({x}, {y})" if f.isidentifier() else f"({x} {f} {y})"), m, n
            case 5:
                f = self.draw.choice(OF_ROWS)
                y, p, q = self.term(self.draw.randrange(depth), None if f != "@" else n, n if f != "@" else None)
                return (f"{f}({x}, {y})", m, p) if f != "@" else (f"({x} @ {y})", m, q)
            case 6:
                return (f"({x})**{self.draw.choice((2, 3, 17, 64))}" if m == n else f"({x}).T @ ({x})"), n, n
            case 7:
                return f"({x} / {self.draw.choice(('3', 'sqrt(7)', '10^20', '1e-9'))})", m, n
            case 8:
                return f"({self.draw.choice(('2', '-1/3', 'sqrt(5)', '10^50', '10^-50'))} * {x})", m, n
            case 9:
                return f"top_k({x}, {self.draw.randint(1, n)})", m, n
            case 10:
                f = self.draw.choice((f"clip_norm({x}, 1)", f"rotary({x})", f"keep({x}, causal_mask({m}))"))
                return f, m, n
            case _:
                f = self.draw.choice(
                    ("({x}).T", "concat({x}, {x})", "stack({x}, {x})", "row({x}, 1)", "one_hot({x}, 9)")
                )
                shape = {"(": (n, m), "c": (m, 2 * n), "s": (2 * m, n), "r": (1, n), "o": (n, 9)}[f[0]]
                return f.format(x=x), *shape

    def steps(self) -> list[str]:
        """Steps of one of the kinds that grow."""
        kind = self.draw.randrange(5)
        if kind == 0:  # one after another, all alike
            x, m, n = self.draw.choice(self.names)
            rule = self.draw.choice((
                "{y} + {x}", "{y} - {x} / 7", "{f}({y})", "{f}({y}) + {x}", "{f}(-{y})", "hadamard({y}, {y})",
                "{y} @ {y}.T @ {x}",
                "{f}({y} @ {x}.T) @ {x}", "{y} / 3 + {f}({x})", "concat({y}, {y})", "layer_norm({y} + {x})", "{y}.T",
            ))  # fmt: skip
            f, steps = self.draw.choice((*BY_ENTRY, *BY_ROW)), [f"Y0 = {x}"]
            for i in range(1, self.draw.choice((5, 20, 60, 150, 250))):
                steps.append(f"Y{i} = " + rule.format(y=f"Y{i - 1}", x=x, f=f))
            return steps
        if kind == 1:  # one inside another
            formula, _, _ = self.term(0)
            f = self.draw.choice((*BY_ENTRY, "unit", "proportions"))
            g = self.draw.choice((*BY_ENTRY, "unit", ""))
            for i in range(self.draw.choice((3, 8, 20, 27))):
                formula = f"{(f, g)[i % 2]}({self.draw.choice(('', '', '-'))}{formula})"
            return [f"Y = {formula}"]
        steps = []
        for i in range(self.draw.choice((1, 1, 2, 4, 12))):
            formula, m, n = self.term(self.draw.choice((1, 2, 3, 5)))
            steps.append(f"S{i} = {formula}")
            self.names.append((f"S{i}", m, n))
        return steps

    def given(self) -> str:
        rows, columns = self.draw.choice(SMALL), self.draw.choice(SMALL)
        if self.draw.random() < 0.2:
            rows, columns = self.draw.choice(MIDDLING), self.draw.choice((1, 2, 8))
        numbers = NUMBERS if self.draw.random() < 0.4 else ("1", "2", "-1", "0.5", "-0.25", "3", "0")
        cells = [[f'"{self.draw.choice(numbers)}"' for _ in range(columns)] for _ in range(rows)]
        name = f"X{len(self.names)}" if self.names else "X"
        self.names.append((name, rows, columns))
        return f"{name} = [{', '.join('[' + ', '.join(row) + ']' for row in cells)}]"

    def text(self) -> str:
        """A whole file, below 10 kB."""
        givens = [self.given() for _ in range(self.draw.choice((1, 1, 2, 3)))]
        steps = self.steps()
        items = [f'"{step}"' for step in steps]
        shown = steps[-1].partition(" ")[0]
        if self.draw.random() < 0.3:
            items.append(f'{{ show = "{shown}", form = "{self.draw.choice(FORMS)}" }}')
        if self.draw.random() < 0.1:
            items.append(f'{{ unfold = "{shown}" }}')
        if self.draw.random() < 0.05:
            items.append(f'{{ prove = ["{steps[0].partition("= ")[2]}", "{steps[0].partition("= ")[2]}"] }}')
        if self.draw.random() < 0.1:
            items.append(f'{{ use = "{self.draw.choice(CATALOGUE)}" }}')
        figures = [f"decimals = {self.draw.choice((1, 6, 50))}"]
        figures += ['carry = "rounded"'] if self.draw.random() < 0.15 else []
        figures += [f'scope = "{self.draw.choice(("column", "entry"))}"'] if self.draw.random() < 0.2 else []
        code = '[code]\nlanguages = ["numpy", "r"]\n' if self.draw.random() < 0.1 else ""
        parts = ['title = "t"', "[given]", *givens, "[figures]", *figures, code]
        return "\n".join([*parts, "[[section]]", 'title = "s"', f"steps = [{', '.join(items)}]", ""])


OWN = 1_000_000
"""From this number on functions of one matrix are operations of one's own."""

EQUATIONS = (
    ("y[i,j] = X[i,j]^64",),
    ("y[i,j] = exp(exp(X[i,j]))",),
    ("y[i,j] = 1 / (X[i,j] - 1)",),
    ("y[i,j] = sum(k, sum(l, X[k,l] * X[i,j]))",),
    ("y[i,j] = sum(k, sum(l, sum(p, X[i,k] * X[p,l]))) + X[i,j]",),
    ("t[i] = max(k, X[i,k])", "e[i,j] = exp(X[i,j] - t[i])", "y[i,j] = e[i,j] / sum(k, e[i,k])"),
    ("s = sum(k, sum(l, X[k,l]^2))", "y[i,j] = X[i,j] / sqrt(s)"),
    ("y[i,j] = X[i,j] if X[i,j] > 0 else floor(X[i,j] / 3) + abs(X[i,j])",),
    ("y[i,j] = log(1 + exp(X[i,j])) if j <= i else sin(i * X[i,j])^2",),
    ("y[i,j] = sum(k, tanh(X[i,k] * X[i,j]))",),
    ("y[i,j] = X[i,j]^(i / j)",),
)


def with_own(text: str, draw: random.Random) -> str:
    """The same file, in which operations of one's own stand for functions that keep their shape."""
    tables = []
    for name in BY_ENTRY:
        if draw.random() < 0.8 and (own := re.sub(rf"\b{name}\(", f"own_{name}(", text)) != text:
            listed = ", ".join(f'"{equation}"' for equation in draw.choice(EQUATIONS))
            tables.append(f'[operation.own_{name}]\nparameters = ["X"]\nequations = [{listed}]\n')
            text = own
    return text.replace("[[section]]", "".join([*tables, "[[section]]"]), 1)


def heavy(number: int) -> tuple[str, str, str]:
    """The input of a number: the text, the detail and the format of its page."""
    text, detail, format = _plain(number % OWN)
    return (text if number < OWN else with_own(text, random.Random(number))), detail, format


def _plain(number: int) -> tuple[str, str, str]:
    draw = random.Random(number)
    for _ in range(100):
        text = Maker(draw).text()
        if len(text) < BYTES:
            break
    return text, draw.choice(("steps", "steps", "result", "entries")), draw.choice(("markdown", "latex"))


def worked(text: str, detail: str, format: str) -> None:
    """What is tried: the page."""
    derive(loads(text)).render(format, detail=detail)  # type: ignore[arg-type]


def alone(task: Callable[[], object], seconds: int = SECONDS) -> str:
    """Do something in a process of its own; answers what was wrong with it, if anything was.

    What this process has taken already, for other tests, is not counted.
    """
    reading, writing = os.pipe()
    reserved, taken = (int(pages) * resource.getpagesize() for pages in STATE.read_text().split()[:2])
    child = os.fork()
    if child == 0:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds + 2, seconds + 4))
        resource.setrlimit(resource.RLIMIT_AS, (reserved + 3_000 * 2**20,) * 2)
        status = 1
        try:
            task()
            status = 0
        except SymattnError as error:
            status = 0 if str(error).strip() else 1
        except BaseException:  # noqa: BLE001 - whatever it is, it is told
            os.write(writing, traceback.format_exc()[-3_000:].encode(errors="replace"))
        os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode(errors="replace")
    _, status, used = os.wait4(child, 0)
    took, megabytes = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    if os.WIFSIGNALED(status) or took > seconds:
        return f"{took:.1f} s"
    if megabytes > MEGABYTES + max(0, taken // 2**20 - SYMPY):
        return f"{megabytes:.0f} MB"
    return said if os.WEXITSTATUS(status) else ""


def main(count: int, first: int) -> int:
    """Try so many inputs; what is wrong is written down beside its number. Answers how many were wrong."""
    wrong, start, folder = 0, time.monotonic(), Path("/tmp") / "symattn-heavy"
    folder.mkdir(exist_ok=True)
    for number in range(first, first + count):
        found = alone(lambda number=number: worked(*heavy(number)))  # type: ignore[misc]
        if found:
            wrong += 1
            (folder / f"{number}.toml").write_text(heavy(number)[0], encoding="utf-8")
            print(number, heavy(number)[1:], found.strip().splitlines()[-1][:150], flush=True)
    print(f"{count} inputs, {wrong} wrong, {time.monotonic() - start:.0f} s")
    return wrong


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]), int(sys.argv[2]))))
