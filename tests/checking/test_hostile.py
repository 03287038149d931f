"""Documents that ask for much: they end soon, with a result or a sentence that says what was left."""

from __future__ import annotations

import pytest

from symattn.base import limits
from symattn.checking.check import check
from tests.counted import calls

CALLS = 80_000_000
"""Of the processor, for the quick ones; the slow ones have twice as many, for they take a few each."""

MANY = 200_000


def documents(many: int) -> dict[str, str]:
    """Texts that ask for as much as so many brackets do."""
    wide = ",".join("0.25" for _ in range(many * 3 // 20))
    return {
        "braces": "{" * many * 10,
        "brackets": "[1," * many,
        "dollars": "$x" * (many // 80),
        "cells": "$$\\begin{bmatrix}" + "1&" * many + "\\end{bmatrix}$$",
        "nested": "$" + "(" * many + "1" + ")" * many + "$",
        "fractions": "$" + "\\frac{1}{" * many + "2" + "}" * many + "$",
        "powers": "$e^{10^9} = 5$, $10^{10^9} = 3$, $x = 2$, $x^{99999999} = 1$, $9^{9^{9^9}} = 2$, $10^{-10^9} = 0$",
        "digits": "A = " + "9" * many * 5 + " and $B = 0." + "3" * many * 5 + "$",
        "names": "\n\n".join(f"$x_{{{i}}} = 0.{i}$" for i in range(many // 20)),
        "lists": f"$S = [{wide}]$\n\nSoftmax: $A = [{wide}]$",
        "rows": "$$X = \\begin{bmatrix}"
        + "\\\\".join("0.5&0.25" for _ in range(many * 3 // 20))
        + "\\end{bmatrix}$$ $X^T X = 3$",
        "sums": "$\\sum_{i=1}^{100000000} i = 5$, $n = 10^9$, $\\sum_{i=1}^{n} \\sum_{j=1}^{n} i j = 4$",
        "code": "```python\nx = torch.ones(100000, 100000)\ny = x @ x\nprint(y)\n```\n\n```\n[[1, 2], [3, 4]]\n```\n",
        "tables": "| a | b |\n|---|---|\n" + "| 0.5 | 0.25 |\n" * (many // 20),
        "marks": "ab" + "\u0302" * (many * 3 // 100) + " = 0.5",
        "matrices beside each other": "```\n" + "[1 2]   [3 4]   [5 6]\n" * (many // 500) + "```",
        "strings": "```python\nx = '" + "a\\'" * (many // 25) + "\n```",
        "claims": "It costs O(1). " * (many * 3 // 200),
        "a long heading": "# " + "softmax " * (many // 40) + "\n\n" + "$x = 0.5$ " * (many // 1000),
        "blank lines": "\n" * many,
    }


@pytest.mark.long
@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", documents(1))
@pytest.mark.parametrize("many", [MANY // 10, pytest.param(MANY, marks=pytest.mark.slow)])
def test_what_asks_for_much_ends_soon(name: str, many: int):
    text = documents(many)[name]
    found = []
    calls(lambda: found.append(check(text)), CALLS if many < MANY else 2 * CALLS)
    assert found[0].coverage.figures >= found[0].coverage.verified


@pytest.mark.long
def test_what_is_left_is_counted_and_told():
    text = "$a = 1.5$\n\n" + "Words between. " * 300_000 + "\n\n$b = a + 1.25 = 2.75$ and 0.5"
    found = check(text)
    (left,) = found.unfollowed
    assert left.why.startswith("not verified")
    assert f"DOCUMENT_STEPS = {limits.DOCUMENT_STEPS}" in left.why
    assert (left.line, left.figures) == (3, 3)
    assert found.coverage.not_verified == 3


@pytest.mark.long
def test_a_document_of_ordinary_length_is_read_to_its_end():
    text = "".join(
        f"## Example {i}\n\n$$Q_{{{i}}} = [[0.5, {i}], [1, 0]]$$\n\n$$S_{{{i}}} = Q_{{{i}}} Q_{{{i}}}^T = "
        f"[[{i * i + 0.25}, 0.5], [0.5, 1]]$$\n\nThe scores say how much each word has to do with each other one.\n\n"
        for i in range(60)
    )
    found = check(text)
    assert found.is_right
    assert (found.coverage.verified, found.coverage.not_verified) == (240, 0)
