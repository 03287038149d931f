"""The reader itself: what it reads, what it refuses, and that a page with one wrong sign does not pass."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from mpmath import mp, mpf

from symattn.api.worked import derive
from symattn.read.scenario.load import loads
from symattn.show.entries import nodes as entries
from symattn.show.math import Chain, Grid, Number, Parens, Sign, seq
from symattn.show.notation import terms
from symattn.show.steps import StepBlocks
from tests.readback.balls import Ball, Table
from tests.readback.evaluate import Scope, Unbound, Value
from tests.readback.page import read_solution
from tests.readback.tex import Unreadable, characters, statements

X = Table.of([[Ball(mpf(1)), Ball(mpf(2))], [Ball(mpf(3)), Ball(mpf(-1))]])
NAMES = {("X",): "X", ("x",): "entry of X"}


def value(text: str) -> Value:
    (line,) = statements(text, NAMES)
    with mp.workdps(40):
        return Scope({"X": X}).value(line.sides[0])


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("x_{12} + 1", 3),
        ("x_{12} + 11", 13),
        ("x_{12} + 1 1", 13),
        (r"2\cdot 3 - \frac{1}{2}\cdot 4", 4),
        (r"\sum_{k=1}^{2} x_{1k}x_{2k} + 1", 2),
        (r"\mathrm{max}_k\thinspace x_{2k} + 1", 4),
        (r"\left(\mathrm{argmax}_k\thinspace x_{2k}\right) - 1", 0),
        (r"2\sqrt{x_{12}^2 + 5}", 6),
        (r"e^{x_{11} - 1}", 1),
        (r"1.5\times 10^{-1}", mpf("0.15")),
        (r"\begin{cases}1 & x_{11}\gt 0\\0 & x_{11}\le 0\end{cases}", 1),
        (r"\mathrm{ln}\thinspace 1 + \lvert x_{22}\rvert", 1),
        ("e^{1/2 - 1/2}", 1),
    ],
)
def test_what_it_reads(text: str, number: float) -> None:
    found = value(text)
    assert isinstance(found, Ball)
    assert found.middle == pytest.approx(mpf(number), abs=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        r"\frac{1}{2}1",
        "10^{-5}1 + x_{11}",
        "2x_{11}3x_{11}",
        r"2\frac{1}{2}",
        r"\sqrt{2}1",
        r"x_{11} + -x_{12}",
        r"\mathrm{ln}\thinspace 2x_{11}",
        r"1/2x_{11}",
        r"2\mathbf{1}_{2\times 2}",
        r"\unknown{1}",
        r"(x_{11}",
        "x_{11} +",
    ],
)
def test_what_can_be_read_in_two_ways_or_not_at_all_is_no_guess(text: str) -> None:
    with pytest.raises(Unreadable):
        value(text)


@pytest.mark.parametrize("text", ["x_{ij}", r"\mu_1", r"\sum_{k=1}^{2} x_{il}", r"\mathrm{GELU}(2)", "x_1", "x", "y"])
def test_what_is_bound_nowhere_has_no_value(text: str) -> None:
    with pytest.raises(Unbound):
        value(text)


PAGE = """
title = "A page"
[given]
X = [["1", "2"], ["3", "-1"], ["0.5", "2"]]
Y = [["0", "1"], ["2", "1/3"], ["1", "1"]]
[[section]]
title = "All"
steps = ["S = X @ Y.T", "A = softmax(S)", "N = layer_norm(X)", "Z = X - 3 * Y"]
"""


def wrong_with(monkeypatch: pytest.MonkeyPatch, broken: Callable) -> list[str]:
    made = StepBlocks.step

    def step(self: StepBlocks, *given: object) -> list:
        return [broken(block) for block in made(self, *given)]

    monkeypatch.setattr(StepBlocks, "step", step)
    return read_solution(derive(loads(PAGE))).wrong


def test_a_true_page_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert wrong_with(monkeypatch, lambda block: block) == []


@pytest.mark.parametrize("kind", ["formula", "entry", "working"])
def test_a_side_that_is_doubled_is_seen(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    def broken(block: object) -> object:
        if getattr(block, "kind", "") != kind:
            return block
        first, *more = block.chains
        (relation, side), *rest = first.links
        links = ((relation, seq(Number("2"), Sign("·"), Parens(side))), *rest)
        return replace(block, chains=(replace(first, links=links), *more))

    assert len(wrong_with(monkeypatch, broken)) >= 3


def test_a_last_digit_that_is_off_by_one_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = 0

    def broken(block: object) -> object:
        nonlocal changed
        if getattr(block, "kind", "") != "working":
            return block
        chains = []
        for chain in block.chains:
            *links, (relation, last) = chain.links
            text = last.text if relation == "≈" and isinstance(last, Number) else ""
            changed += bool(text)
            other = Number(text[:-1] + str((int(text[-1]) + 1) % 10)) if text else last
            chains.append(replace(chain, links=(*links, (relation, other))))
        return replace(block, chains=tuple(chains))

    wrong = wrong_with(monkeypatch, broken)
    assert len(wrong) == changed > 20


def test_rows_that_change_places_on_squared_paper_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(block: object) -> object:
        if getattr(block, "kind", "") != "squared":
            return block
        (sheet,) = (chain.left for chain in block.chains)
        return replace(block, chains=(Chain(replace(sheet, above=Grid(sheet.above.rows[::-1]))),))

    assert [wrong.partition(":")[0] for wrong in wrong_with(monkeypatch, broken)] == ["step S"]


def test_a_lost_product_sign_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (entries, terms):
        monkeypatch.setattr(module, "multiplied", seq)
    solution = derive(loads(PAGE.replace('"S = X @ Y.T"', '"S = ones(3, 2) @ X.T", "T = hadamard(2 * X, 3 * Y)"')))

    assert any("step T: entry" in wrong for wrong in read_solution(solution).wrong)


def test_a_page_with_dollars_reads_as_one_with_brackets() -> None:
    """What only GitHub asks for is read as it would be without: indices behind letters, spaces, square brackets."""
    solution = derive("journey")
    pages = {
        math: [
            [token for token in characters(body) if token not in ("{", "}", "(", ")", r"\thinspace", r"\ ")]
            for body in re.findall(pattern, solution.render(language="en", math=math, section="3"), re.DOTALL)
        ]
        for math, pattern in (("dollar", r"\$\$\n(.*?)\n\$\$"), ("brackets", r"\\\[\n(.*?)\n\\\]"))
    }
    assert pages["dollar"] == pages["brackets"]
    written = solution.render(language="en", section="3")
    assert all(command in written for command in (r"\lbrack", r"\mathop", r"\mathbf 1_"))
