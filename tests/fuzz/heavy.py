"""Small scenario files that ask for much: large sizes, deep nesting, many steps, high powers, every operation.

``python -m tests.fuzz.heavy COUNT SEED`` tries so many. Each is worked out in a process of its own, which may make so
many calls and take 500 MB, and a value or one of the project's own errors must come of it.
"""

from __future__ import annotations

import json
import os
import random
import re
import resource
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from symattn.api.worked import derive
from symattn.base.errors import SymattnError
from symattn.read.scenario.load import loads
from tests.counted import calls
from tests.readback.formulas import Formulas

CALLS = 60_000_000
"""Calls that one page may take: about ten seconds where nobody counts them."""

ENDLESS = 300
"""Seconds of the processor after which a process is ended that makes no calls and does not end by itself."""

FORMATS = "markdown latex typst html ipynb json xlsx beamer".split()
MEGABYTES = 500
SYMPY = 80
"""Megabytes of a process that has imported the package."""

STATE = Path("/proc/self/statm")
"""How many pages Linux has reserved for this process, and how many it holds."""
BYTES = 10_000

NESTED = "softmax relu elu exp gelu gelu_tanh silu tanh log layer_norm rms_norm proportions unit".split()
FORMS = "values general rows vectors weighted entries float64 printed".split()
CATALOGUE = "attention self_attention multi_head encoder block grouped_query cross_entropy top_k".split()
CHAINS = (
    "{y} + {x}", "{y} - {x} / 7", "{f}({y})", "{f}({y}) + {x}", "{f}(-{y})", "hadamard({y}, {y})", "{y} @ {y}.T @ {x}",
    "{f}({y} @ {x}.T) @ {x}", "{y} / 3 + {f}({x})", "concat({y}, {y})", "layer_norm({y} + {x})", "{y}.T",
    "entropy({y})", "row_max({y})", "({y} @ {x}.T)**17 @ {x}",
)  # fmt: skip
"""What a step may make of the one before it."""


class Heavy(Formulas):
    """Formulas that may be large, over hard numbers, and steps of a kind that grows."""

    sizes = (1, 2, 3, 4) * 12 + (8, 12, 20, 40) * 6 + (60, 100, 128, 300, 1000) * 3
    numbers = tuple("1 2 -1 0.5 -0.25 3 0 1/3 -3/7 sqrt(2) sqrt(3)/2 log(2) 10^9 -10^6 1e-30 17.25".split())
    factors = ("2", "-1/3", "sqrt(5)", "10^50", "10^-50")

    def name(self, rows: int, columns: int) -> str:
        """A given where it is small, else a matrix that follows from its size."""
        if rows * columns <= 20:
            return super().name(rows, columns)
        made = [f"ones({rows}, {columns})", f"padding_mask({rows}, {columns}, 1)"]
        if rows == columns:
            made += [f"{name}({rows})" for name in ("identity", "distance", "causal_mask")]
        return self.random.choice(made + [f"sinusoidal({rows}, {columns})"] * (2 * (columns % 2 == 0)))

    def ids(self, count: int, below: int) -> str:
        return super().ids(count, below) if count <= 20 else f"argmax(ones({count}, 2)).T"

    def steps(self) -> list[str]:
        """One after another, all alike; one inside another; or a few of any kind."""
        choose = self.random.choice
        kind = self.random.randrange(3)
        if kind == 2:
            count = choose((1, 1, 2, 4, 12))
            return [f"S{i} = {self.formula(choose(self.sizes), choose(self.sizes), 5)}" for i in range(count)]
        x = self.name(choose(self.sizes), choose((1, 2, 4, 8)))
        if kind == 0:
            rule, f = choose(CHAINS), choose(NESTED)
            chain = enumerate([rule] * choose((5, 20, 60, 150, 250)))
            return [f"Y0 = {x}", *(f"Y{i + 1} = " + rule.format(y=f"Y{i}", x=x, f=f) for i, rule in chain)]
        pair = choose(NESTED), choose([*NESTED, ""])
        for i in range(choose((3, 8, 20, 27))):
            x = f"{pair[i % 2]}({choose(('', '', '-'))}{x})"
        return [f"Y = {x}"]

    def text(self) -> str:
        """A whole file, most often below 10 kB."""
        draw, choose, steps = self.random.random, self.random.choice, self.steps()
        name, _, first = steps[-1].partition(" ")[0], *steps[0].partition("= ")[1:]
        items = [f'"{step}"' for step in steps]
        items += [f'{{ show = "{name}", form = "{choose(FORMS)}" }}'] * (draw() < 0.3)
        items += [f'{{ unfold = "{name}" }}'] * (draw() < 0.1)
        items += [f'{{ prove = ["{first}", "{first}"] }}'] * (draw() < 0.05)
        items += [f'{{ use = "{choose(CATALOGUE)}" }}'] * (draw() < 0.1)
        figures = [f"decimals = {choose((1, 6, 50))}", *['carry = "rounded"'] * (draw() < 0.15)]
        figures += [f'scope = "{choose(("column", "entry"))}"'] * (draw() < 0.2)
        code = ["[code]", 'languages = ["numpy", "r"]'] * (draw() < 0.1)
        givens = [f"given.{name} = {json.dumps(rows)}" for name, rows in self.givens.items()]
        head = ['title = "t"', *givens, "[figures]", *figures, *code]
        return "\n".join([*head, "[[section]]", 'title = "s"', f"steps = [{', '.join(items)}]", ""])


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
    for name in NESTED:
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
        text = Heavy(draw.randrange(10**9)).text()
        if len(text) < BYTES:
            break
    return text, draw.choice(("steps", "steps", "result", "entries")), draw.choice(FORMATS)


def worked(text: str, detail: str, format: str) -> None:
    """What is tried: the page."""
    derive(loads(text)).published(format, detail=detail)  # type: ignore[arg-type]


def alone(task: Callable[[], object], most: int = CALLS) -> str:
    """Do something in a process of its own; answers what was wrong with it, if anything was.

    What this process has taken already, for other tests, is not counted.
    """
    reading, writing = os.pipe()
    reserved, taken = (int(pages) * resource.getpagesize() for pages in STATE.read_text().split()[:2])
    child = os.fork()
    if child == 0:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_CPU, (ENDLESS, ENDLESS + 2))
        resource.setrlimit(resource.RLIMIT_AS, (reserved + 3_000 * 2**20,) * 2)
        status = 1
        try:
            calls(task, most)
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
    megabytes = used.ru_maxrss / 1024
    if os.WIFSIGNALED(status):
        return f"ended by signal {os.WTERMSIG(status)}"
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
