"""Hostile lesson files of 10 kB at most, derived by the command in a random format.

``python -m tests.fuzz.hostile COUNT SEED`` tries so many, each in a process of its own whose CPU time and memory are
measured, those of pandoc and Typst too. What takes more than 10 s or 500 MB, and what ends with another code than 0, 1
and 2, is kept in a folder and told. Other work on a machine makes CPU time longer, so each time is divided by that of a
loop that was timed before and after; no test asserts any of this.
"""

from __future__ import annotations

import json
import os
import random
import re
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from symattn.cli.group import main as command
from tests.fuzz.heavy import BYTES, CATALOGUE, CHAINS, EQUATIONS, FORMS, MEGABYTES, NESTED, Heavy

SECONDS = 10
"""CPU time that an input may take, with all programs that it starts."""

LAST = 90
"""Seconds of CPU time after which a process is ended."""

LOOP, USUAL = 2_000_000, 0.13
"""A loop that tells how busy a machine is: how often, and its seconds where nothing else runs."""

ENDS = tuple("md tex typ html json ipynb xlsx docx pdf".split())
FOLDER = Path(tempfile.gettempdir()) / "symattn-hostile"
LESSONS = tuple(sorted((Path(__file__).parent.parent / "lessons").glob("*.toml")))
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71)


def number(draw: random.Random) -> str:
    """A number that is hard to work with, or an ordinary one."""
    depth, roots = draw.randint(2, 20), draw.sample(PRIMES, draw.randint(2, 12))
    signs = [draw.choice("+-") for _ in roots]
    a, b = draw.sample(PRIMES, 2)
    return draw.choice(
        [
            *(str(draw.randint(-9, 9)), f"{draw.randint(-99, 99)}/{draw.randint(1, 99)}", "0.1", "0", "1"),
            "".join(f"sqrt({p} {sign} " for p, sign in zip(PRIMES, "+" * depth, strict=False)) + "1" + ")" * depth,
            "1" + "".join(f" {sign} sqrt({p})" for sign, p in zip(signs, roots, strict=True)),
            f"sqrt({a + b} + 2*sqrt({a * b})) - sqrt({a}) - sqrt({b})",
            f"1/(sqrt({a}) + sqrt({b}) + 1)",
            f"{a}^{draw.choice((10, 300, 2000, 6000))}",
            f"{a}^-{draw.choice((10, 300, 2000))}",
            "".join(draw.choices("123456789", k=draw.choice((20, 39, 390)))),
            "0." + "".join(draw.choices("0123456789", k=draw.choice((20, 390)))),
            *(f"log({a}/{b})/{draw.randint(1, 9)}", f"log({a}^40)", "-oo", "-10^9", "1e-30", "pi", "exp(1)"),
        ]
    )


@dataclass
class Lesson:
    """A lesson that is put together at random: its givens, operations, steps and tables."""

    draw: random.Random

    def __post_init__(self) -> None:
        self.head: list[str] = ['title = "t"']
        self.given: dict[str, str] = {}
        self.tables: list[str] = []
        self.items: list[str] = []

    def matrix(self, rows: int, columns: int) -> str:
        """Rows of numbers: few kinds, so that many entries are equal, or each its own."""
        draw = self.draw
        kinds = [number(draw) for _ in range(draw.choice((1, 2, 6)))]
        if draw.random() < 0.3:
            return json.dumps([draw.choices(kinds, k=columns)] * rows)
        return json.dumps([draw.choices(kinds, k=columns) for _ in range(rows)])

    def text(self) -> str:
        draw = self.draw
        long = draw.random() < 0.1
        x = "X_" + "long" * 12 if long else draw.choice(("X", "X", "E", "alpha", "b_1", "i"))
        rows, columns = draw.choice(((1, 1), (2, 2), (2, 2), (3, 4), (4, 4), (8, 3), (30, 2), (120, 2), (1, 300)))
        kind = draw.random()
        if kind < 0.15:
            rows = columns = draw.choice((16, 40, 64, 100, 200, 300, 600, 1000))
            made = draw.choice(("identity({n})", "ones({n}, {n})", "sinusoidal({n}, {n})", "causal_mask({n})"))
            self.step(x, made.format(n=rows - rows % 2))
        elif kind < 0.25:
            self.head.append('symbols = ["a", "b", "c"]')
            entries = ("a", "b*c", "a+b", "sqrt(2)*a", "a^2-c", "(a+b+c)^3", "1/2")
            self.given[x] = json.dumps([draw.choices(entries, k=columns) for _ in range(rows)])
        elif kind < 0.32:
            batch = [json.loads(self.matrix(rows, columns)) for _ in range(draw.choice((2, 4, 16)))]
            self.given[x] = json.dumps(batch)
        elif kind < 0.38:
            decimals = [[f"{draw.uniform(-3, 3):.3f}" for _ in range(columns)] for _ in range(rows)]
            self.given[x] = f"{{ value = {json.dumps(decimals)}, rounded = true }}"
        else:
            self.given[x] = self.matrix(rows, columns)
        last = self.steps(x, rows)
        self.beside(x, last)
        return self.written()

    def step(self, name: str, formula: str) -> None:
        self.items.append(json.dumps(f"{name} = {formula}"))

    def steps(self, x: str, rows: int) -> str:
        """Steps of one of many kinds; answers the last name."""
        draw = self.draw
        choose = draw.choice
        functions = [*NESTED, *("softmax",) * 6, "{own}", "{own}"]
        own = self.operation() if draw.random() < 0.4 else "gelu"
        f, g = (choose(functions).replace("{own}", own) for _ in range(2))
        kind = draw.randrange(9)
        if kind == 0:
            rule = choose(CHAINS)
            self.step("Y0", x)
            count = choose((3, 12, 60, 200, 490))
            for i in range(count):
                self.step(f"Y{i + 1}", rule.format(y=f"Y{i}", x=x, f=f))
            return f"Y{count}"
        if kind == 1:
            deep = choose((3, 8, 14, 27))
            self.step("Y", "".join((f, g)[i % 2] + "(" for i in range(deep)) + x + ")" * deep)
        elif kind == 2:
            self.step("Y", f"{x}**{choose((2, 5, 17, 64))}")
            self.step("Z", f"({choose(('Y', x))} @ Y.T)**{choose((2, 5, 64))}")
            self.step("A", f"{f}(Z @ {x})")
            return "A"
        elif kind == 3:
            self.step("S", f"{x} @ {x}.T / sqrt({choose((2, 3, 64))})")
            self.step("A", f"softmax(S{choose(('', f' + causal_mask({rows})'))})")
            self.step("Y", f"layer_norm({f}(A @ {x}) + {x})")
        elif kind == 4:
            self.step("Y", "sqrt(" + f"{x} + sqrt(" * (n := choose((2, 5, 12))) + f"hadamard({x}, {x})" + ")" * (n + 1))
            self.step("Z", f"{f}(Y - Y.T)" if choose((0, 1)) else f"{f}(Y @ Y.T)")
            return "Z"
        elif kind == 5:
            self.step("Q", f"{f}({x})")
            self.step("L", f"sum({g}(Q @ Q.T), axis=None)")
            wanted = choose(("grad(L, {x})", "jacobian(Q, {x})", "vjp(Q, Q, {x})", "jacobian(L, {x})"))
            self.step("J", wanted.format(x=x))
            return "L"
        elif kind == 6:
            return self.catalogue()
        elif kind == 7:
            deep, wide = choose((4, 12, 28)), choose((2, 3))
            formula = x
            for _ in range(deep):
                formula = f"({formula})" + "".join(choose((f" + {x}", f" - {x}", " / 3", f" @ {x}.T @ {x}")) * wide)
            self.step("Y", f"{f}({formula})"[:1900])
        else:
            drawn = Heavy(draw.randrange(10**9))
            for i in range(choose((1, 3, 8))):
                self.step(f"S{i}", drawn.formula(choose(drawn.sizes), choose(drawn.sizes), 5))
            self.given |= {name: json.dumps(value) for name, value in drawn.givens.items() if name not in self.given}
            return "S0"
        return "Y"

    def operation(self) -> str:
        """An operation of the lesson's own; answers its name."""
        draw = self.draw
        squares = [f"t{i + 1}[i,j] = t{i}[i,j] * t{i}[i,j]" for i in range(draw.choice((3, 10, 38)))]
        grown = ("t0[i,j] = X[i,j]", *squares, f"y[i,j] = t{len(squares)}[i,j] + X[i,j]")
        equations = draw.choice((*EQUATIONS, grown))
        self.tables.append(f'[operation.own]\nparameters = ["X"]\nequations = {json.dumps(equations)}')
        return "own"

    def catalogue(self) -> str:
        draw = self.draw
        n, d, heads = draw.choice((2, 8, 40, 128)), draw.choice((4, 16, 64)), draw.choice((1, 2, 4, 16))
        self.step("X", f"sinusoidal({n}, {d})")
        for name in ("W_Q", "W_K", "W_V", "W_O", "W_1", "W_2"):
            self.step(name, f"sinusoidal({d}, {d}) / {draw.randint(1, 9)}")
        for name in ("gamma", "beta", "gamma_1", "beta_1", "gamma_2", "beta_2", "b_1", "b_2"):
            self.step(name, f"ones(1, {d})")
        options = draw.choice(("", f"heads = {heads}", 'mask = "causal"', f'heads = {heads}, positions = "rotary"'))
        self.items.append(f'{{ use = "{draw.choice(CATALOGUE)}", with = {{ {options} }} }}')
        return "X"

    def beside(self, x: str, last: str) -> None:
        """What else a lesson may ask for."""
        draw = self.draw
        rare = [
            *(f'{{ show = "{last}", form = "{form}" }}' for form in (draw.choice(FORMS), "entries")),
            f'{{ unfold = "{last}" }}',
            f'{{ prove = ["({x} @ {x}.T) @ {x}", "{x} @ ({x}.T @ {x})"] }}',
            f'{{ prove = ["softmax({x}) @ {x}.T", "({x} @ softmax({x}).T).T"] }}',
            f'{{ listing = "{draw.choice(("numpy", "r", "javascript"))}", of = "{last}" }}',
            f'{{ figure = "{draw.choice(("heatmap", "bars", "arcs", "flow"))}", of = "{last}" }}',
            f'{{ note = "{"word " * 300}{{{last}[1,1]}}" }}',
            f'"G = grad(sum({last}, axis=None), {x})"',
        ]
        self.items += [item for item in rare if draw.random() < 0.06]
        figures = [f"decimals = {draw.choice((1, 6, 20, 50))}"]
        figures += [f'scope = "{draw.choice(("column", "entry"))}"'] * (draw.random() < 0.2)
        figures += ['carry = "rounded"'] * (draw.random() < 0.1)
        self.tables.append("\n".join(["[figures]", *figures]))
        if draw.random() < 0.12 and x in self.given:
            self.head.append(f'loss = "mean({last} * {last}, axis=None)"')
            self.tables.append(f'[[backward]]\nwrt = ["{x}"]')
            rule, count = draw.choice(("sgd", "adam", "momentum", "adamw")), draw.choice((1, 3, 5))
            train = f'[train]\nrule = "{rule}"\nweights = ["{x}"]\nrate = "1/7"\nsteps = {count}'
            self.tables += [train] * (draw.random() < 0.6)

    def written(self) -> str:
        """The file, its steps cut where they would be more than 10 kB."""
        section, tables = '[[section]]\ntitle = "s"\nsteps = [', [t for t in self.tables if t[:2] != "[["]
        given = [f"given.{name} = {value}" for name, value in self.given.items()]
        head = "\n".join([*self.head, *given, *tables])
        tail = "\n".join(t for t in self.tables if t[:2] == "[[")
        room = BYTES - len((head + section + tail).encode()) - 20
        kept: list[str] = []
        for item in self.items:
            room -= len(item.encode()) + 2
            if room < 0:
                break
            kept.append(item)
        return f"{head}\n{section}{', '.join(kept)}]\n{tail}\n"


def spoiled(draw: random.Random) -> str:
    """A lesson of the tests with numbers that are harder, and larger sizes."""
    text = draw.choice(LESSONS).read_text(encoding="utf-8")
    share = draw.choice((0.1, 0.5, 1))

    def harder(found: re.Match[str]) -> str:
        return f'"{number(draw)}"' if draw.random() < share else found[0]

    text = "\n".join(re.sub(r'"-?[\d./]+"', harder, line) if "[[" in line else line for line in text.splitlines())
    return text if len(text.encode()) <= BYTES else text[:0]


def hostile(seed: int) -> tuple[str, str, list[str]]:
    """The input of a number: the text, the end of the name of its page, and options of the command."""
    draw = random.Random(seed)
    text = ""
    while not text or len(text.encode()) > BYTES:
        text = spoiled(draw) if draw.random() < 0.15 else Lesson(draw).text()
    end = draw.choice(ENDS)
    options = ["--detail", draw.choice(("result", "lesson", "lesson", "steps", "entries"))]
    options += ["--format", "beamer"] * (end == "tex" and draw.random() < 0.5)
    options += ["--digits", draw.choice(("12", "50"))] * (draw.random() < 0.1)
    options += ["--code", draw.choice(("numpy", "torch,r", "javascript,julia"))] * (draw.random() < 0.08)
    options += ["--max-rows", "400", "--max-columns", "400"] * (draw.random() < 0.08)
    options += ["--backward"] * (draw.random() < 0.04)
    return text, end, options


@dataclass(frozen=True)
class Outcome:
    """What came of an input."""

    seed: int
    format: str
    seconds: float
    megabytes: float
    code: int
    said: str

    @property
    def is_wrong(self) -> bool:
        empty = self.code == 2 and not self.said.partition(": ")[2].strip()
        return self.seconds > SECONDS or self.megabytes > MEGABYTES or self.code not in (0, 1, 2) or empty


def tried(seed: int) -> Outcome:
    """Derive one input in a process of its own."""
    text, end, options = hostile(seed)
    lesson, page, log = (FOLDER / f"{seed}.{kind}" for kind in ("toml", end, "log"))
    lesson.write_text(text, encoding="utf-8")
    before, child = slowness(), os.fork()
    if child == 0:
        _derived(["derive", str(lesson), "-o", str(page), *options], log)
    _, status, used = os.wait4(child, 0)
    seconds = (used.ru_utime + used.ru_stime) / ((before + slowness()) / 2)
    said = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    found = Outcome(
        *(seed, "beamer" if "beamer" in options else end, seconds, used.ru_maxrss / 1024),
        *(os.waitstatus_to_exitcode(status), said[-1] if said else ""),
    )
    for path in (page, log, *(() if found.is_wrong else (lesson,))):
        path.unlink(missing_ok=True)
    for picture in FOLDER.glob(f"{seed}-figures/*"):
        picture.unlink()
    if (FOLDER / f"{seed}-figures").exists():
        (FOLDER / f"{seed}-figures").rmdir()
    return found


def slowness() -> float:
    """How many times as long as usual a loop takes now, at least 1."""
    start, total = time.process_time(), 0
    for number in range(LOOP):
        total += number
    return max(1.0, (time.process_time() - start) / USUAL)


def _derived(arguments: list[str], log: Path) -> None:
    """The command, in a child."""
    code: object = 99
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (LAST, LAST + 5))
        resource.setrlimit(resource.RLIMIT_AS, (4_000 * 2**20,) * 2)
        into = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(into, 1)
        os.dup2(into, 2)
        sys.argv = ["symattn", *arguments]
        command()
    except SystemExit as ended:
        code = ended.code or 0
    finally:
        os._exit(code if isinstance(code, int) else 99)


def main(count: int, first: int) -> int:
    """Try so many inputs; answers how many were wrong."""
    FOLDER.mkdir(exist_ok=True)
    found = list[Outcome]()
    for seed in range(first, first + count):
        found.append(tried(seed))
        if found[-1].is_wrong:
            print(found[-1], flush=True)
    wrong = sum(each.is_wrong for each in found)
    print(f"{count} files, {wrong} wrong; codes {Counter(each.code for each in found)}")
    for name, those in sorted(_by_format(found).items()):
        worked, slowest = sum(each.code == 0 for each in those), max(those, key=lambda each: each.seconds)
        largest = max(those, key=lambda each: each.megabytes)
        print(
            f"{name}: {len(those)}, {worked} of them pages; slowest {slowest.seconds:.1f} s ({slowest.seed}), "
            f"largest {largest.megabytes:.0f} MB ({largest.seed})"
        )
    return wrong


def _by_format(found: Sequence[Outcome]) -> Mapping[str, list[Outcome]]:
    those: dict[str, list[Outcome]] = {}
    for each in found:
        those.setdefault(each.format, []).append(each)
    return those


if __name__ == "__main__":
    sys.exit(bool(main(*map(int, sys.argv[1:]))))
