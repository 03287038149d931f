"""The interpreter beside Python and NumPy themselves: what it knows is what they compute, the rest is unknown."""

from __future__ import annotations

import numpy as np
import pytest

from symattn.base.budget import Budget, working
from symattn.checking.following.arrays import EntryArray, Unknown, as_lists
from symattn.checking.following.program_texts import PrintedItem, ShownValue
from symattn.checking.following.programs import Session
from tests.checking.lines.programs import PROGRAMS, program_page


def computed(source: str, name: str) -> object:
    names: dict[str, object] = {"np": np}
    with np.errstate(all="ignore"):
        exec(source, names)  # noqa: S102 - the programs below
    return names[name]


def ran(source: str) -> Session:
    session = Session()
    with working(Budget(50_000_000)):
        session.run(source)
    return session


KNOWN = {
    "products": "A = np.array([[1, 2], [3, 4]])\nr = A @ A.T @ np.array([1, -1])",
    "scores": "S = np.array([[1.0, 2.0], [0.5, -1]])\nS[0, 1] = -np.inf\nE = np.exp(S)\n"
    "r = E / E.sum(axis=1, keepdims=True)",
    "a mask": "S = np.ones((3, 3))\nS[np.triu(np.ones((3, 3)), k=1).astype(bool)] = -1e9\nr = S",
    "a view": "A = np.arange(6).reshape(2, 3)\nB = A.T\nB[2, 0] = 10\nrow = A[1]\nrow *= 2\nr = A",
    "a copy": "A = np.array([1.0, 2.0])\nB = A.copy()\nB += 1\nr = A",
    "an alias": "A = np.array([1.0, 2.0])\nB = A\nB += 1\nr = A",
    "a loop": "w = 1.5\nfor i in range(4):\n    w -= 0.1 * 2 * w\nr = w",
    "a condition": "x = np.array([1.0, 2.0])\nif x.sum() > 4:\n    r = x\n"
    "elif len(x) == 2 and not False:\n    r = -x\nelse:\n    r = 0",
    "while": "n, r = 0, 1.0\nwhile r < 100:\n    r = r * 3\n    n += 1\n    if n > 3:\n        break",
    "functions": "def f(x, scale=2, *, by=1):\n    y = x * scale\n    return y, y + by\n"
    "a, r = f(np.array([1.0, 2.0]), by=3)",
    "recursion": "def f(n):\n    return 1 if n < 2 else n * f(n - 1)\nr = f(10)",
    "closures": "k = 3\nf = lambda x: x * k\nk = 4\nr = f(2.5)",
    "comprehensions": "r = [x * y for x, y in zip([1, 2, 3], [0.5, 1, 2]) if x > 1]",
    "broadcasting": "a = np.array([1.0, 2.0, 3.0])\nr = a[:, None] - a[None, :]",
    "a column": "a = np.array([[1.0], [2.0]])\nr = a + np.array([1.0, 10.0])",
    "axes": "A = np.array([[1.0, 2.0], [5.0, 4.0]])\nr = (A - A.mean(axis=0)) / A.std(axis=0, ddof=1) + A.var()",
    "where": "x = np.array([-1.0, 2.0])\nr = np.where(x > 0, x, 0.1 * x)",
    "slices": "A = np.arange(12).reshape(3, 4)\nr = A[::-1, 1:3]",
    "chosen rows": "A = np.arange(6).reshape(3, 2)\nr = A[[2, 0]]",
    "chosen entries": "A = np.arange(6)\nr = A[A > 2]",
    "stacks": "a = np.array([1, 2])\nr = np.vstack([a, np.concatenate([a[:1], a[1:] * 3])])",
    "outer": "r = np.outer([1, 2], [3, 4]).trace() + np.linalg.norm(np.array([3.0, 4.0]))",
    "integers": "r = [7 // 2, -7 % 3, 2 ** 10, 2 ** -1, int(3.7), round(2.567, 1)]",
    "lists": "a = [1]\na.append(2)\nb = a\nb += [3]\nr = a * 2",
    "dictionaries": "d = {'a': np.array([1.0, 2.0]), 'b': np.array([3.0, 5.0])}\nd['c'] = d['a'] @ d['b']\nr = d['c']",
    "augmented entries": "A = np.array([[1, 2], [3, 4]])\nA[0, 0] += 5\nA[1] = 0\nA[:, 1] = [7, 8]\nr = A",
    "rounding": "r = np.round(np.array([0.1234, -2.5678]), 2)",
    "a conversion": "r = float(np.array([1.0, 2.0]).sum())",
    "convolutions": "r = np.convolve(np.array([1.0, 2.0, 4.0]), np.array([1.0, -1.0]), mode='valid')",
    "cumulative sums": "r = np.cumsum(np.array([1, 2, 3]))",
    "linspace": "r = np.linspace(0, 1, 5)",
    "matrices made": "r = np.eye(3) + np.full((3, 3), 2.0) - np.diag([1, 2, 3])",
    "shapes": "Q = np.ones((2, 3))\nd_k = Q.shape[1]\nr = Q / np.sqrt(d_k)",
    "extremes": "A = np.array([[1, 5], [7, 2]])\nr = A.argmax(axis=1) + A.max(axis=0) * A[A.argmin() // 2, 0]",
    "tuples": "(a, b), *c = (1, 2), 3, 4\nr = [a, b, c[1]]",
    "global": "n = 1\ndef f():\n    global n\n    n += 1\nf()\nf()\nr = n",
}


@pytest.mark.parametrize("title", KNOWN)
def test_a_program_has_the_value_that_python_computes(title: str) -> None:
    found = ran(KNOWN[title]).names["r"]
    assert not isinstance(found, Unknown), found
    assert np.allclose(np.array(as_lists(found), dtype=float), np.array(computed(KNOWN[title], "r"), dtype=float))


UNKNOWN = {
    "a function that is not there": "r = model(1)",
    "a size": "r = np.array([1])\nr = np.eye(10**6)",
    "a large number": "r = 10 ** 10 ** 8",
    "a long text": "r = 'a' * 10 ** 9",
    "a long loop": "r = 0\nfor i in range(10 ** 9):\n    r += 1",
    "an endless loop": "r = 0\nwhile True:\n    r += 1",
    "an open condition": "r = 1\nif model():\n    r = 2",
    "an open condition around an entry": "r = np.array([1.0, 2.0])\nif model():\n    r[0] = 5",
    "an open number of turns": "r = [1]\nfor x in data:\n    r.append(x)",
    "an open return": "def f():\n    if model():\n        return 1\n    return 2\nr = f()",
    "an open break": "r = 0\nfor i in range(3):\n    if model():\n        break\n    r += 1",
    "random numbers": "r = np.random.randn(2) + 1",
    "a division by zero": "r = 1 / 0",
    "a fraction in integers": "r = np.array([1, 2])\nr[0] = 0.5",
    "a quotient in place of integers": "r = np.array([1, 2])\nr /= 2",
    "three axes": "r = np.ones((2, 2, 2))",
    "shapes that do not fit": "r = np.ones((2, 3)) @ np.ones((2, 3))",
    "a class": "class A:\n    def f(self):\n        return 1\nr = A().f()",
    "try": "r = 1\ntry:\n    r = 2\nexcept ValueError:\n    r = 3",
    "endless recursion": "def f(x):\n    return f(x)\nr = f(1)",
    "a nest": "r = " + "(" * 150 + "x" + ")" * 150,
    "what an unknown method changes": "r = np.array([2.0, 1.0])\nr.partition(1)",
    "an alias of what is changed": "a = np.array([2.0, 1.0])\nr = a[:1]\na[unknown] = 3",
    "a generator": "def f():\n    yield 1\nr = f()",
    "lists that contain each other": "x = [1]\nfor i in range(100):\n    x = [x, x]\nr = np.array(x)",
    "a list that contains itself": "x = [1]\nx.append(x)\nr = np.array(x)",
    "a text that doubles": "r = str(1.5)\nfor i in range(100):\n    r = f'{r}{i / 2}{r}'\nr = len(r)",
    "calls without end": "def f(n):\n    return f(n - 1) + f(n - 2)\nr = f(30)",
    "powers of powers": "r = 2.0\nfor i in range(3000):\n    r = r * r\nr = int(r)",
    "a large product": "a = np.ones((100, 100))\nfor i in range(100):\n    a = a @ a\nr = a",
}


@pytest.mark.parametrize("title", UNKNOWN)
def test_what_is_not_modelled_is_unknown(title: str) -> None:
    session = ran(UNKNOWN[title])
    found = session.names["r"]
    if isinstance(found, EntryArray | list):
        session.run("r = sum(r)")
        found = session.names["r"]
    assert isinstance(found, Unknown), found
    assert found.reason


def shown(item: PrintedItem) -> list[object]:
    return [as_lists(each.value) if isinstance(each, ShownValue) else each for each in item.parts]


def test_what_is_printed() -> None:
    program = (
        "x = np.array([1.0, 2.0])\nprint('x:', x, f'{x[0]:.2f} of {x.sum()}', sep=' | ')\n"
        "for i in range(2):\n    print('%d %.1f' % (i, i / 2), 'a={}'.format(x[i]))\nx * 2\n"
    )
    items = ran(program).items
    assert [each.kind for each in items] == ["print", "print", "print", "echo"]
    assert shown(items[0]) == ["x:", " | ", [1.0, 2.0], " | ", 1.0, " of ", 3.0]
    assert shown(items[2]) == ["", 1.0, " ", 0.5, "", " ", "a=", 2.0, ""]
    assert shown(items[3]) == [[2.0, 4.0]]


def test_what_a_branch_prints_that_may_not_be_taken_is_unknown() -> None:
    (item,) = ran("if model():\n    print(1.5)\n").items
    assert isinstance(item.parts[0], ShownValue)
    assert isinstance(item.parts[0].value, Unknown)


def test_names_of_the_document_are_used_where_no_program_defines_them() -> None:
    known = ran("d = np.array([[1.0, 2.0]])").names["d"]
    session = Session(lambda name: known.worlds if name == "d" else None)
    session.run("e = d * 2\nd = 5\nf = d")
    assert as_lists(session.names["e"]) == [[2.0, 4.0]]
    assert session.names["f"] == 5


@pytest.mark.parametrize("kind", PROGRAMS)
def test_every_program_of_the_measure_is_followed(kind: str) -> None:
    text = program_page(kind, 0).text
    source = text.split("```python\n")[1].split("```")[0]
    for item in ran(source).items:
        assert not any(isinstance(each.value, Unknown) for each in item.parts if isinstance(each, ShownValue)), shown(
            item
        )
