"""Every line of a proof, read back from its TeX, is worth what the line before it is, for all indices."""

from __future__ import annotations

from random import Random

import pytest
from mpmath import mp, mpf
from sympy import Expr

from symattn.base.shapes import Shape
from symattn.compute.proof.equality import prove
from symattn.read.plan import Plan, names_in
from symattn.show.blocks import Block, Equation, Phrase
from symattn.show.entries.letters import page_names
from symattn.show.proofs.statements import proof_blocks
from symattn.write.layout import displays
from symattn.write.markdown import LINE
from symattn.write.tex_math import tex
from tests.proof.conftest import SHAPES, axis
from tests.proof.test_equality import TRUE
from tests.readback.balls import Ball, Table
from tests.readback.evaluate import Scope, Value
from tests.readback.functions import functions_of
from tests.readback.lines import PAGE, Lines, Report, spellings
from tests.readback.tex import statements

SIZES = {"m": 3, "n": 2, "d": 4, "a": 2, "b": 1}


DELTA = r"\delta_{ij} = \begin{cases}1 & i = j\\0 & i\ne j\end{cases}"
"""What the words of a rule say of δ."""


@pytest.fixture(scope="module")
def plan() -> Plan:
    found = Plan(sizes={letter: letter for letter in SIZES}, symbols=("s",))
    for name, (rows, columns) in SHAPES.items():
        found = found.given(name, Shape(axis(rows), axis(columns)), general=True)
    return found


def drawn(name: str) -> Table:
    """Positive numbers, which every function takes."""
    draw = Random(name)
    rows, columns = (1 if letter == "1" else SIZES[letter] for letter in SHAPES[name])
    return Table.of([Ball(mpf(draw.randint(1, 40)) / 16) for _ in range(columns)] for _ in range(rows))


def with_sizes(scalar: Expr) -> Expr:
    return scalar.subs({symbol: SIZES.get(symbol.name, 3) for symbol in scalar.free_symbols})


def said(blocks: list[Block]) -> list[str]:
    """What an angle and a frequency are is said in the words of a proof."""
    phrases = (block for block in blocks if isinstance(block, Phrase) and block.key == "proof_angles")
    return [tex(chain, PAGE) for phrase in phrases for chain in dict(phrase.arguments)["angles"]]  # type: ignore[misc]


FAST = [*range(0, 48, 6), *(place for place, (left, _) in enumerate(TRUE) if left.startswith("layer_norm"))]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("left", "right"),
    [pytest.param(*sides, marks=[] if place in FAST else pytest.mark.slow) for place, sides in enumerate(TRUE)],
    ids=str,
)
def test_every_line_of_a_proof_is_true(left: str, right: str, plan: Plan) -> None:
    proof = prove(left, right, plan)
    letters = page_names(plan)
    blocks = proof_blocks(proof, letters)
    report = Report()
    with mp.workdps(60):
        values: dict[str, Value] = {name: drawn(name) for name in SHAPES} | {"s": Ball(mpf(3))}
        values |= {f"size {letter}": Ball(mpf(size)) for letter, size in SIZES.items()}
        used = list(dict.fromkeys(name for side in (proof.left, proof.right) for name in names_in(side)))
        names = spellings(letters, used, SIZES)
        if any(symbol.name == "s" for side in (proof.left, proof.right) for symbol in side.free_symbols):
            names |= {("s",): "s"}
        lines = Lines("", names, Scope(values, functions_of([proof.left, proof.right], with_sizes)), report)
        for text in (*said(blocks), DELTA):
            lines._define(statements(text, names), text)
        for block in blocks:
            for text in displays(block.chains, PAGE, LINE) if isinstance(block, Equation) else ():
                lines.display(text, "statement")

    assert report.wrong == []
    assert report.compared >= 1
    assert report.unread == []
