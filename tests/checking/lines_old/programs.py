"""Short programs and what NumPy really prints for them; each is run before it is written down.

A program is drawn from pieces, so that what makes it hard (a mask, a loop, a branch, a name used again) meets
different numbers and different ways of printing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from tests.checking.lines.page import ClaimedFigure, ShortPage

_FIGURE = re.compile(r"(?<![\w.])-?\d+(?:\.\d*)?(?:e[-+]?\d+)?(?![\w])")
_BUILTINS = {each.__name__: each for each in (abs, bool, enumerate, float, int, len, max, min, range, round, sum, zip)}
"""What a program may call, apart from NumPy and ``print``."""

_AWKWARD = re.compile(r"nan|inf|-0\.(?!\d*[1-9])|\de[-+]\d")
"""Outputs that say little: no number, a zero with a sign, a rounded number with a power of ten."""

SOFTMAX = """def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)
"""


class Typist:
    """Draws numbers and ways of printing."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.digits = random.choice((3, 4))

    def choose(self, *options: str) -> str:
        """Choose one of the texts."""
        return self.random.choice(options)

    def real(self, least: float = -2, most: float = 2) -> str:
        """Draw a number of one decimal."""
        return repr(round(self.random.uniform(least, most), 1) or 0.5)

    def whole(self, least: int, most: int) -> int:
        """Draw an integer."""
        return self.random.randint(least, most)

    def vector(self, size: int) -> str:
        """Draw an array of one axis."""
        return f"np.array([{', '.join(self.real() for _ in range(size))}])"

    def matrix(self, rows: int, columns: int) -> str:
        """Draw an array of two axes, of real numbers or of integers."""
        is_whole = self.random.random() < 0.4
        entries = [[str(self.whole(-4, 9)) if is_whole else self.real() for _ in range(columns)] for _ in range(rows)]
        return listed_rows(entries)

    def reals(self, rows: int, columns: int, least: float = -2, most: float = 2) -> str:
        """Draw an array of two axes, of real numbers."""
        return listed_rows([[self.real(least, most) for _ in range(columns)] for _ in range(rows)])

    def show(self, name: str) -> str:
        """Print an array, rounded."""
        rounded = f"np.round({name}, {self.digits})"
        label = self.choose("", "", f'"{name}:", ', f'"{name} =", ')
        return f"print({label}{self.choose(rounded, rounded, f'{name}.round({self.digits})')})\n"

    def show_scalar(self, name: str) -> str:
        """Print a number, with a format or rounded."""
        return self.choose(
            f'print(f"{{{name}:.{self.digits}f}}")\n',
            f'print(f"{name} = {{{name}:.{self.digits}f}}")\n',
            f'print("{name}:", round(float({name}), {self.digits}))\n',
        )


def listed_rows(rows: list[list[str]]) -> str:
    """Write an array of two axes."""
    shown = [f"[{', '.join(row)}]" for row in rows]
    return f"np.array([{', '.join(shown)}])"


Program = Callable[[Typist], str]
"""Writes a program, without the import of NumPy."""


def assignments(hand: Typist) -> str:
    """Arrays and what is computed from them entry by entry."""
    operation = hand.choose("a + b", "a * b", "a - b", "2 * a + b", "a / 2 - b", "(a + b) ** 2")
    return f"a = {hand.vector(3)}\nb = {hand.vector(3)}\nc = {operation}\n{hand.show('c')}"


def matrix_products(hand: Typist) -> str:
    """``@`` and ``.T``."""
    n, k = hand.whole(2, 3), hand.whole(2, 3)
    return f"Q = {hand.matrix(n, k)}\nK = {hand.matrix(n, k)}\nS = Q @ K.T\n{hand.show('S')}"


def attention(hand: Typist) -> str:
    """Scaled scores, their softmax and the output."""
    given = "".join(f"{name} = {hand.matrix(3, 2)}\n" for name in "QKV")
    steps = "S = Q @ K.T / np.sqrt(2)\nA = softmax(S)\n"
    return f"{SOFTMAX}\n{given}{steps}{hand.show('A')}O = A @ V\n{hand.show('O')}"


def masks(hand: Typist) -> str:
    """``S[0, 1] = -np.inf`` before a softmax."""
    place = hand.choose("S[0, 1]", "S[0,1]", "S[0, 1:]", "S[1, 2]", "S[0][2]")
    value = hand.choose("-np.inf", "-np.inf", "-1e9", "float('-inf')")
    given = f"S = {hand.reals(3, 3)}\n"
    steps = f"{place} = {value}\nA = np.exp(S) / np.exp(S).sum(axis=1, keepdims=True)\n"
    return f"{given}{steps}{hand.show('A')}"


def triangles(hand: Typist) -> str:
    """A causal mask by ``np.triu`` or ``np.tril`` and ``np.where``."""
    mask = hand.choose(
        "mask = np.triu(np.ones((3, 3)), k=1).astype(bool)\nS[mask] = -np.inf\n",
        "S = np.where(np.tril(np.ones((3, 3))) == 1, S, -np.inf)\n",
        "S = S + np.triu(np.full((3, 3), -1e9), k=1)\n",
    )
    given = f"S = {hand.reals(3, 3)}\n"
    return f"{SOFTMAX}\n{given}{mask}A = softmax(S)\n{hand.show('A')}"


def entries(hand: Typist) -> str:
    """``S[0, 1] = 0``: an entry, a row or a column is replaced."""
    place = hand.choose("S[0, 1] = 0", "S[0,1] = 0", "S[1] = 1", "S[:, 0] = 0", "S[-1, -1] = 5", "S[0, 0] += 2")
    then = hand.choose("T = S * 2", "T = S @ S", "T = S.T", "T = S + S.T")
    return f"S = {hand.matrix(2, 2)}\n{place}\n{then}\n{hand.show('T')}"


def counted_loops(hand: Typist) -> str:
    """``for i in range(3): w = w - lr * grad``."""
    gradient = hand.choose("2 * (w - target)", "0.5", "w - target")
    body = hand.choose(f"    grad = {gradient}\n    w = w - lr * grad\n", "    w -= lr * w\n")
    given = f"w = {hand.real()}\ntarget = {hand.real()}\nlr = {hand.choose('0.1', '0.5', '0.01')}\n"
    head = f"for {hand.choose('i', 'step', '_')} in range({hand.whole(2, 5)}):\n"
    return f"{given}{head}{body}{hand.show_scalar('w')}"


def printing_loops(hand: Typist) -> str:
    """A loop that prints on every turn."""
    given = f"w = {hand.real()}\nlr = 0.1\n"
    inside = hand.choose(f'print(f"{{w:.{hand.digits}f}}")', f"print(i, round(w, {hand.digits}))")
    return f"{given}for i in range({hand.whole(2, 4)}):\n    w = w - lr * 2 * w\n    {inside}\n"


def list_loops(hand: Typist) -> str:
    """Loops over lists, ranges of rows and pairs."""
    shape = hand.choose(
        "total = 0.0\nfor x in [{a}, {b}, {c}]:\n    total += x\n",
        "total = 0.0\nfor x, y in zip([{a}, {b}], [{c}, {a}]):\n    total += x * y\n",
        "total = 1.0\nfor x in np.array([{a}, {b}, {c}]):\n    total = total * x\n",
        "rows = np.array([[{a}, {b}], [{c}, {b}]])\ntotal = 0.0\nfor i in range(2):\n    total += rows[i, i]\n",
    )
    return shape.format(a=hand.real(), b=hand.real(), c=hand.real()) + hand.show_scalar("total")


def branches(hand: Typist) -> str:
    """``if`` on known values; one branch is taken."""
    test = hand.choose("causal", "not causal", "scale > 1", "scale == 2", "x.sum() > 0", "len(x) == 3")
    one = hand.choose("x = x * 2", "x[0] = 0", "x = x - 1")
    other = hand.choose("x = x + 10", "x = x / scale", "x = -x")
    otherwise = f"else:\n    {other}\n" if hand.random.random() < 0.7 else ""
    given = f"causal = {hand.choose('True', 'False')}\nscale = {hand.choose('1', '2', '4')}\nx = {hand.vector(3)}\n"
    return f"{given}if {test}:\n    {one}\n{otherwise}y = x + 1\n{hand.show('y')}"


def functions(hand: Typist) -> str:
    """Functions with defaults, with branches and with names of their own."""
    definition = hand.choose(
        "def f(x, scale=2.0):\n    return x * scale + 1\n",
        "def f(x, scale=1.0):\n    if scale > 1:\n        return x / scale\n    return x - scale\n",
        "def f(x):\n    a = x - x.mean()\n    return a / np.sqrt((a ** 2).mean())\n",
        "def f(x, scale=0.1):\n    return np.where(x > 0, x, scale * x)\n",
    )
    call = "f(b)" if "scale" not in definition else hand.choose("f(b)", "f(b, 3.0)", "f(b, scale=0.5)")
    return f"{definition}\na = {hand.vector(3)}\nb = {hand.vector(3)}\nc = {call}\n{hand.show('c')}{hand.show('a')}"


def identities(hand: Typist) -> str:
    """``x = np.eye(3)`` and other arrays that are made, not listed."""
    plain = hand.choose("np.eye(3)", "np.ones((3, 3))", "np.full((3, 3), 2.0)")
    made = hand.choose(plain, "np.arange(9).reshape(3, 3)", "np.diag([1, 2, 3])")
    given = f"x = {hand.matrix(2, 2)}\nx = {made}\nA = {hand.matrix(3, 3)}\n"
    return f"{given}y = {hand.choose('A @ x', 'x @ A', 'A + x')}\n{hand.show('y')}"


def names_again(hand: Typist) -> str:
    """A name that gets another value, and what was computed before and after."""
    first, second = hand.vector(2), hand.vector(2)
    doubled, added, taken = hand.show("y"), hand.show("z"), hand.show("y")
    return f"x = {first}\ny = x * 2\n{doubled}x = {second}\nz = x + y\n{added}y = z - x\n{taken}"


def normalised(hand: Typist) -> str:
    """Sums, means and deviations along an axis, with ``keepdims``."""
    along = hand.choose("axis=0, keepdims=True", "axis=1, keepdims=True", "axis=-1, keepdims=True")
    step = hand.choose(
        f"B = A / A.sum({along})", f"B = A - A.mean({along})", f"B = np.exp(A) / np.sum(np.exp(A), {along})",
        f"B = A - A.max({along})", f"B = (A - A.mean({along})) / A.std({along})",
    )  # fmt: skip
    return f"A = {hand.reals(2, 3, 0.5, 4)}\n{step}\n{hand.show('B')}"


def reductions(hand: Typist) -> str:
    """Sums, means and extremes, printed as numbers or as short arrays."""
    call = hand.choose("A.sum()", "A.mean()", "A.max()", "np.linalg.norm(A)", "A.var()", "A.std(ddof=1)", "np.trace(A)")
    along = hand.choose("A.sum(axis=0)", "A.mean(axis=1)", "A.max(axis=0)", "np.argmax(A, axis=1)")
    return f"A = {hand.matrix(2, 2)}\nr = {call}\n{hand.show_scalar('r')}v = {along}\n{hand.show('v')}"


def slices(hand: Typist) -> str:
    """Rows, columns and parts of a matrix, and matrices put together."""
    step = hand.choose(
        "B = A[:, 1:]", "B = A[1]", "B = A[:2, :2] * 2", "B = A[::-1]", "B = np.concatenate([A, A], axis=1)",
        "B = A.reshape(1, -1)", "B = A[:, 0] @ A[:, 1]", "B = np.vstack([A[0], A[0] + A[1]])",
    )  # fmt: skip
    return f"A = {hand.matrix(3, 3)}\n{step}\n{hand.show('B')}"


def neurons(hand: Typist) -> str:
    """A layer with a bias and an activation, and the loss."""
    activation = hand.choose("1 / (1 + np.exp(-z))", "np.tanh(z)", "np.maximum(0, z)")
    given = f"W = {hand.matrix(2, 3)}\nb = {hand.vector(2)}\nx = {hand.vector(3)}\n"
    loss = f"y = {hand.vector(2)}\nloss = 0.5 * np.sum((a - y) ** 2)\n"
    return f"{given}z = W @ x + b\n{hand.show('z')}a = {activation}\n{hand.show('a')}{loss}{hand.show_scalar('loss')}"


def recurrences(hand: Typist) -> str:
    """A hidden state that is updated in a loop over inputs."""
    given = f"w, u, b = {hand.real()}, {hand.real()}, {hand.real()}\nh = 0.0\n"
    loop = f"for x in [{hand.real()}, {hand.real()}, {hand.real()}]:\n    h = np.tanh(w * x + u * h + b)\n"
    return f"{given}{loop}{hand.show_scalar('h')}"


def convolutions(hand: Typist) -> str:
    """A kernel that slides along a list, in a loop with a list of results."""
    given = f"x = {hand.vector(5)}\nk = {hand.vector(2)}\n"
    step = hand.choose(
        "y = np.zeros(4)\nfor i in range(4):\n    y[i] = x[i] * k[0] + x[i + 1] * k[1]\n",
        "y = np.array([x[i:i + 2] @ k for i in range(4)])\n",
        'y = np.convolve(x, k[::-1], mode="valid")\n',
    )
    return f"{given}{step}{hand.show('y')}"


PROGRAMS: dict[str, Program] = {
    "assignments": assignments,
    "matrix products": matrix_products,
    "attention": attention,
    "masks": masks,
    "triangular masks": triangles,
    "assigned entries": entries,
    "counted loops": counted_loops,
    "printing loops": printing_loops,
    "loops over lists": list_loops,
    "branches": branches,
    "functions": functions,
    "made arrays": identities,
    "names used again": names_again,
    "axes": normalised,
    "reductions": reductions,
    "slices": slices,
    "neurons": neurons,
    "recurrences": recurrences,
    "convolutions": convolutions,
}
"""Every class of programs."""


def outputs_of(program: str) -> list[str]:
    """Run a program of ours; return what each call of ``print`` wrote."""
    written: list[str] = []

    def show(*values: Any) -> None:
        written.append(" ".join(map(str, values)))

    with np.errstate(all="ignore"):
        exec(program, {"np": np, "print": show, "__builtins__": {**_BUILTINS, "__import__": __import__}})  # noqa: S102 - drawn above
    return written


def program_page(kind: str, seed: int) -> ShortPage:
    """Write the page of a class that belongs to a seed: the program, and what it prints in a block or in comments."""
    random = Random(f"program {kind} {seed}")
    while True:
        program = PROGRAMS[kind](Typist(random))
        outputs = outputs_of(program)
        if outputs and all(re.search(r"[1-9]", each) and not _AWKWARD.search(each) for each in outputs):
            break
    calls = re.findall(r"^ *print\(.*\)$", program, re.MULTILINE)
    in_comments = seed % 3 == 2 and len(calls) == len(outputs) and not re.search(r"^ +print", program, re.MULTILINE)
    before = random.choice(("", "This program:\n\n", "# Example\n\n"))
    head = f"{before}```python\nimport numpy as np\n\n"
    if in_comments:
        return _in_comments(kind, head, program, outputs)
    return _in_block(random, kind, head, program, outputs)


def _in_block(random: Random, kind: str, head: str, program: str, outputs: list[str]) -> ShortPage:
    between = random.choice(("```\n\n```\n", "```\n\nOutput:\n\n```\n", "```\n\nIt prints\n\n```text\n"))
    start = len(head) + len(program) + len(between)
    shown = "\n".join(outputs)
    text = f"{head}{program}{between}{shown}\n```\n"
    claims = tuple(ClaimedFigure(start + one.start(), start + one.end(), one[0]) for one in _FIGURE.finditer(shown))
    return ShortPage(kind, text, claims, program=((0, start),))


def _in_comments(kind: str, head: str, program: str, outputs: list[str]) -> ShortPage:
    """Write what a call prints behind it, or below it where it has several lines."""
    text, waiting = head, list(outputs)
    claims: list[ClaimedFigure] = []
    spans: list[tuple[int, int]] = []
    since = 0
    for line in program.splitlines():
        text += line
        if line.startswith("print("):
            output = waiting.pop(0)
            text += "\n" if "\n" in output else "  "
            spans.append((since, len(text)))
            for part in output.split("\n"):
                at = len(text) + 2
                claims += [ClaimedFigure(at + one.start(), at + one.end(), one[0]) for one in _FIGURE.finditer(part)]
                text += f"# {part}\n"
            since = len(text)
        else:
            text += "\n"
    text += "```\n"
    return ShortPage(kind, text, tuple(claims), program=(*spans, (since, len(text))))
