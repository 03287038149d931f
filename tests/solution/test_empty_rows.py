"""A row that is masked whole sees no key: refused by name, or weights of 0 on every road where that was asked for."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import symattn
from symattn.api.validation import validate
from symattn.base.errors import DomainError
from symattn.read.scenario.load import loads

LESSON = """
title = "t"
tokens = ["the", "cat", "sat"]
[figures]
{figures}
[given]
X = [["1", "0"], ["0", "1"], ["1", "1"]]
M = [["0", "-oo", "0"], ["-oo", "-oo", "-oo"], ["0", "0", "-oo"]]
[[section]]
title = "s"
steps = [{steps}]
"""
STEPS = ("S = X @ X.T / sqrt(2) + M", "A = softmax(S)", "a = row(A, 2)", "O = A @ X")
ZERO = 'on_empty = "zero"'
MASK = {"M": [["0", "-oo"], ["-oo", "-oo"]]}


def lesson(*steps: str, figures: str = "") -> str:
    return LESSON.format(figures=figures, steps=", ".join(f'"{step}"' for step in steps or STEPS))


# Refused


def test_the_row_is_named_where_a_page_is_made_and_where_a_file_is_checked(tmp_path: Path) -> None:
    sentence = (
        "step A: row 2 (“cat”) of S sees no key: every score there is −∞, and a softmax needs one that is not; "
        'on_empty = "zero" under [figures] gives weights of 0'
    )
    file = tmp_path / "l.toml"
    file.write_text(lesson(), encoding="utf-8")

    with pytest.raises(DomainError) as caught:
        symattn.derive(file).render()
    assert str(caught.value).endswith(f", section[1].steps[2]: {sentence}")
    assert [finding.message for finding in validate(file)] == [sentence]
    for ask in (lambda x: x["O"].exact, lambda x: x.figures("a"), lambda x: x.rational("A")):
        with pytest.raises(DomainError, match=re.escape(sentence)):
            ask(symattn.derive(file))


@pytest.mark.parametrize(
    ("step", "named"),
    [
        ("B = softmax(X @ X.T + M) @ X", "step B: row 2 (“cat”) of the scores sees no key"),
        (
            "B = relu(softmax(2 * (M + causal_mask(3).T + X @ X.T)))",
            "step B: rows 2 (“cat”), 3 (“sat”) of the scores see no key",
        ),
        ("B = softmax(row(M, 2))", "step B: row 1 of the scores sees no key"),
        ("B = softmax(softmax(M))", "step B: row 2 of M sees no key"),
        ("B = softmax(stack(row(M, 1), row(M, 2)))", "step B: row 2 of the scores sees no key"),
        ("B = softmax(log(softmax(X @ X.T)) + M)", "step B: row 2 (“cat”) of the scores sees no key"),
    ],
)
def test_a_row_is_found_wherever_the_softmax_stands(step: str, named: str) -> None:
    with pytest.raises(DomainError, match=re.escape(named)):
        symattn.derive(loads(lesson(step)))["B"].decimals(3)


@pytest.mark.parametrize("figures", ["", 'carry = "rounded"'])
def test_a_large_number_is_no_infinity(figures: str) -> None:
    text = lesson("A = softmax(M)", figures=figures).replace("-oo", "-10^9")
    assert symattn.derive(loads(text))["A"].decimals(3)[1] == ("0.333", "0.333", "0.333")


def on_rounded_figures(figures: str = "") -> symattn.api.worked.WorkedSolution:
    given = "[given.R]\nrounded = true\nvalue = [" + "['0.5', '0.1', '0.2']," * 2 + "]\n[[section]]"
    return symattn.derive(loads(lesson("A = softmax(X @ R + M)", figures=figures).replace("[[section]]", given)))


def on_symbols(figures: str = "") -> symattn.api.worked.WorkedSolution:
    text = lesson("A = softmax(t * X @ X.T + M)", figures=figures)
    return symattn.derive(loads(text.replace("[figures]", 'symbols = ["t"]\n[figures]')))


def test_rounded_figures_and_symbols_are_refused_alike() -> None:
    for ask in (lambda: on_rounded_figures().intervals("A"), lambda: on_symbols().exact_value("A")):
        with pytest.raises(DomainError, match=r"step A: row 2 \(“cat”\) of the scores sees no key"):
            ask()


# Let through


@pytest.mark.parametrize("carry", ["exact", "rounded"])
def test_every_road_gives_weights_of_0(carry: str) -> None:
    solution = symattn.derive(loads(lesson(figures=f'{ZERO}\ncarry = "{carry}"')))

    assert solution["A"].decimals(3) == (("0.500", "0.000", "0.500"), ("0.000",) * 3, ("0.500", "0.500", "0.000"))
    assert list(solution["a"].exact) == [0, 0, 0]
    assert solution["O"].decimals(2)[1] == ("0.00", "0.00")
    assert np.array_equal(solution["A"].float64()[1], [0, 0, 0])
    assert np.allclose(solution["O"].float64(), np.array(solution["O"].decimals(12), dtype=float), atol=1e-6)


def test_logarithms_intervals_and_symbols_give_0_too(solve: Callable) -> None:
    scores = {"L": [["log(2)", "-oo", "0"], ["-oo", "-oo", "-oo"]]}
    assert [str(x) for x in solve(scores, "A = softmax(L)", on_empty="zero").store.rational_entries("A")] == [
        *("2/3", "0", "1/3"),
        *("0", "0", "0"),
    ]
    rounded, held = on_rounded_figures(ZERO), on_symbols(ZERO)
    assert {(str(x.low), str(x.high)) for x in rounded["A"].intervals[1]} == {("0", "0")}
    assert list(held["A"].exact.row(1)) == [0, 0, 0]
    assert [each.render().count("sees no key") for each in (held, rounded)] == [1, 1]


def test_who_works_by_hand_gets_0_too(solve: Callable) -> None:
    from symattn.compute.values.hand import hand, rounded

    solution = solve(MASK, "A = softmax(M)", on_empty="zero")
    worked = hand(solution.store.formula("A"), lambda name: solution.enclosure(name, 64), rounded(3))
    assert [float(x) for x in worked.entries()] == [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "Row 2 (“cat”) sees no key: all its scores are −∞"),
        ("zh-Hant", "第 2 列（「cat」）沒有任何可看的對象"),
        ("zh-Hans", "第 2 行（“cat”）没有任何可看的对象"),
    ],
)
@pytest.mark.parametrize("steps", [STEPS, ("B = softmax(X @ X.T + M) @ X",)])
def test_the_page_says_so(language: str, sentence: str, steps: tuple[str, ...]) -> None:
    solution = symattn.derive(loads(lesson(*steps, figures=ZERO)))
    for detail in ("result", "entries"):
        page = solution.render(language=language, detail=detail)
        assert sentence in page
        assert "0}{0" not in page, "nothing is divided by 0"


def test_what_is_said_of_rows_leaves_out_those_that_see_nothing() -> None:
    page = symattn.derive(loads(lesson("A = softmax(M)", figures=ZERO))).render()
    assert "Each of the other 2 rows sums to exactly 1." in page
    assert "Row 2 (“cat”) attends" not in page
    assert "add up to" not in page
    alone = symattn.derive(loads(lesson("A = softmax(row(M, 2))", figures=ZERO))).render()
    assert "sums to exactly 1" not in alone
    assert "sum to exactly 1" not in alone


def test_a_derivation_in_python_has_it_too() -> None:
    d = symattn.Derivation("t", on_empty="zero")
    mask = d.given("M", [["0", "-oo"], ["-oo", "-oo"]])
    d.step("A", symattn.softmax(mask))
    assert d.solve()["A"].decimals(1) == (("1.0", "0.0"), ("0.0", "0.0"))


def test_every_entry_of_an_entropy_is_worked_also_that_of_a_row_of_zeros() -> None:
    text = """
title = "t"
figures = { on_empty = "zero" }
[given]
S = [["0", "0"], ["-oo", "-oo"]]
[[section]]
title = "s"
steps = ["A = softmax(S)", "H = entropy(A)"]
"""
    page = symattn.derive(loads(text)).render(detail="entries")

    assert re.search(r"^h_1 &", page, re.MULTILINE)
    assert re.search(r"^h_2 &= 0", page, re.MULTILINE)
