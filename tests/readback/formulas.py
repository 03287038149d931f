"""Random formulas over a few small matrices, every one well shaped and with a value."""

from __future__ import annotations

import json
import re
from random import Random

_NAMES = ("X", "Y", "Z", "W", "A", "B", "V", "S", "x", "b", "W_Q", "W_K", "K", "E", "t")

PATTERNS: tuple[tuple[str, str], ...] = (
    *((f"{name}(<m,n>)", "") for name in "softmax relu elu gelu gelu_tanh silu tanh layer_norm rms_norm exp".split()),
    *((f"{name}(exp(<m,n,1>))", "") for name in "log unit proportions".split()),
    *((f"{name}(<m,k>)", "n == 1") for name in "norm row_max argmax".split()),
    *((f"{name}(exp(<m,k,0>), exp(<n,k,0>))", "") for name in ("cosine", "angle")),
    *(("(<m,n> + <m,n>)", ""), ("(<m,n> - <m,n> - <m,n>)", ""), ("{factor} * <m,n>", ""), ("{factor} * <m,n>", "")),
    *(("(<m,n> + {factor} * ones({m}, {n}))", ""), ("(<m,n>) / {divisor}", ""), ("(<n,m>).T", "")),
    *(("(<m,k>) @ (<k,n>)", ""), ("(<m,k>) @ (<k,n>)", ""), ("(<m,k,0> @ (<k,j>) @ <j,n>)", "")),
    *(("(<m,m>)^2", "m == n"), ("clip_norm(<m,n>, 0.5)", ""), ("divide(<m,n>, exp(<m,n>))", "")),
    *(("hadamard(<m,n>, <m,n>)", ""), ("hadamard(<m,n>, <m,n>)", ""), ("entropy(softmax(<m,k>))", "n == 1")),
    *(("dot(<m,k>, <n,k>)", ""), ("additive_scores(<m,k>, <n,k>, <1,k>)", "")),
    *(("layer_norm(<m,n>, gamma=<1,n,1>, beta=<1,n,1>)", ""), ("rms_norm(<m,n>, gamma=<1,n,1>)", "")),
    *(("layer_norm(<m,n>, beta=<1,n,1>)", ""), ("row(<k,n>, {k})", "m == 1"), ("rows(<m+1,n>, 2, {next})", "")),
    *(("rows(<m+2,n>, 1, {m})", ""), ("broadcast(<1,n>, {m})", ""), ("head(<m,2n>, {half}, 2)", "")),
    *(("concat(<m,1>, <m,n-1>)", "n > 1"), ("stack(<m-1,n>, <1,n>)", "m > 1"), ("one_hot({ids}, {n})", "")),
    *(("softmax(<m,n> + causal_mask({m}))", "m == n"), ("keep(<m,n>, window_mask({m}, 1))", "m == n")),
    *(("softmax(<m,n> + causal_mask({m}, value=-3))", "m == n"), ("keep(<m,n>, padding_mask({m}, {n}, 1))", "")),
    *(("softmax(<m,n> + padding_mask({m}, {n}, {n}))", ""), ("distance({m})", "m == n"), ("top_k(<m,n>, {upto})", "")),
    *(("sinusoidal({m}, {n}{base})", "n == 2"), ("rotary(<m,n>{base}{start})", "n == 2"), ("ones({m}, {n})", "")),
    *(
        (f"{name}((<k+1,m>).T{axis})", "n == 1 < m")
        for name, axis in (("row_sum", ""), ("norm", ""), ("min", ", axis=1"))
    ),
    *((f"{name}(<k,n>, axis=0, keepdims=True)", "m == 1") for name in ("sum", "mean")),
    *((f"sum({inner}, axis=1, keepdims=True)", "n == 1") for inner in ("(<m,k> @ <k,k+1>)",)),
    *(
        ("proportions(exp(<n,m,1>).T)", "n > 1"),
        ("sum((<k,k+1>).T, axis=None)", "m == n == 1"),
        ("identity({m})", "m == n"),
    ),
)
"""What a formula of m rows and n columns may be, and where: ``<m,k>`` is another formula of that shape, with k and j of
any size; a third number says how deep it may be."""


class Formulas:
    """Draws givens, and formulas of a shape over them."""

    sizes: tuple[int, ...] = (1, 2, 3)
    numbers: tuple[str, ...] = ("0", "1", "-1", "2", "1/2", "-3/2", "0.25", "1/3", "3")
    names: tuple[str, ...] = _NAMES
    rows: str = "xbt"
    patterns: tuple[tuple[str, str], ...] = PATTERNS
    divisors: tuple[str, ...] = ("2", "sqrt(2)", "3", "sqrt(4)", "0.5")
    factors: tuple[str, ...] = ("2", "-1", "1/2", "-3/4", "0.1", "1/100000", "10", "sqrt(2)", "-2/3", "1", "3")

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.givens: dict[str, list[list[str]]] = {}
        small = (1, 2, 3)
        for name in self.random.sample(self.names, 4):
            rows, columns = (1, self.random.choice(small)) if name in self.rows else self.random.choices(small, k=2)
            self.given(name, rows, columns)

    def given(self, name: str, rows: int, columns: int) -> str:
        self.givens[name] = [self.random.choices(self.numbers, k=columns) for _ in range(rows)]
        return name

    def name(self, rows: int, columns: int) -> str:
        """A given of that shape; a new one where there is none."""
        fitting = [name for name, value in self.givens.items() if (len(value), len(value[0])) == (rows, columns)]
        free = [name for name in self.names if name not in self.givens and (rows == 1 or name not in self.rows)]
        if fitting and (self.random.random() < 0.8 or not free):
            return self.random.choice(fitting)
        return self.given(self.random.choice(free), rows, columns) if free else f"ones({rows}, {columns})"

    def ids(self, count: int, below: int) -> str:
        """A row of whole numbers."""
        name = f"ids_{len(self.givens)}"
        self.givens[name] = [[str(self.random.randrange(below)) for _ in range(count)]]
        return name

    def formula(self, m: int, n: int, depth: int) -> str:
        """A formula of a shape."""
        if depth <= 0 or self.random.random() < 0.15:
            return self.name(m, n)
        fitting = {"": True, "m == n": m == n, "n == 1": n == 1, "n == 2": n == 2, "m == 1": m == 1}
        fitting |= {"n > 1": n > 1, "m > 1": m > 1, "m == n == 1": m == n == 1, "n == 1 < m": n == 1 < m}
        pattern = self.random.choice([text for text, where in self.patterns if fitting[where]])
        k, j = self.random.choices(self.sizes, k=2)
        sizes = {
            "m": m,
            "n": n,
            "k": k,
            "j": j,
            "1": 1,
            "m+1": m + 1,
            "m+2": m + 2,
            "2n": 2 * n,
            "n-1": n - 1,
            "k+1": k + 1,
        }
        sizes["m-1"] = m - 1

        def inner(found: re.Match[str]) -> str:
            rows, columns, *deep = found[1].split(",")
            return self.formula(sizes[rows], sizes[columns], min([depth - 1, *map(int, deep)]))

        choose = self.random.choice
        said = {"factor": choose(self.factors), "divisor": choose(self.divisors)}
        said |= {"base": choose(("", ", base=50")), "start": choose(("", ", start=2")), "half": choose("12")}
        said |= {"ids": self.ids(m, n) if "{ids}" in pattern else "", "upto": str(self.random.randint(1, n))}
        return re.sub("<(.*?)>", inner, pattern.format(m=m, n=n, k=k, next=m + 1, **said))

    def scenario(self, steps: int = 1) -> str:
        """The text of a scenario with a few random steps."""
        choose = self.random.choice
        shapes = ((choose(self.sizes), choose(self.sizes)) for _ in range(steps))
        lines = [f'"R_{step} = {self.formula(*shape, 3)}"' for step, shape in enumerate(shapes, 1)]
        givens = [f"{name} = {json.dumps(value)}" for name, value in self.givens.items()]
        head = ['title = "Random"', "[given]", *givens, "[[section]]", 'title = "All"']
        return "\n".join([*head, f"steps = [{', '.join(lines)}]", ""])
