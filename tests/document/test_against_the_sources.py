"""Every figure that a source prints is derived; the known differences are the only ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from symattn.api.worked import derive
from symattn.claims.source import Difference, compare
from symattn.read.plan import Plan
from symattn.read.scenario.load import builtin_names
from symattn.read.scenario.model import TensorItem
from symattn.read.scenario.words import PlainText, Words
from tests.cases import solved

SEEDS = Path(__file__).resolve().parents[3] / "shared" / "seeds"


@pytest.mark.parametrize(
    ("name", "matrices", "figures", "differences"),
    [
        ("weather", 30, 383, ()),
        ("refund", 22, 120, (Difference("K_T", 0, 0, "1×5", "2×3"),)),  # a row separator was lost
        ("good", 3, 27, (Difference("W", 1, 1, "0.97", "0.98"), Difference("W", 3, 1, "0.90", "0.91"))),
        ("ironman", 1, 9, ()),
    ],
)
def test_every_printed_figure_is_derived_but_for_the_differences_that_are_known(
    name: str, matrices: int, figures: int, differences: tuple[Difference, ...]
) -> None:
    solution = solved(name)
    found = [compare(solution.scenario, solution.store, printed) for printed in solution.scenario.printed]

    assert (len(found), sum(matrix.figures for matrix in found)) == (matrices, figures)
    assert tuple(difference for matrix in found for difference in matrix.differences) == differences
    assert {matrix.intervals for matrix in found} == {name == "ironman"}


def test_another_epsilon_does_not_reproduce_the_source() -> None:
    """The source never says that its layer norm uses 1e-5; its figures do."""
    from symattn.read.scenario.load import loads

    scenario = derive("weather").scenario
    text = scenario.text.replace("epsilon=10^-5", "epsilon=10^-6")
    assert text != scenario.text
    other = loads(text, "weather")
    assert compare(other, derive(other).store, "LN_1").differences


# -- weights that were printed, and nothing of what they came from ------------------------------------------------


def the_source_of_ironman() -> str:
    files = sorted(SEEDS.glob("001_*.txt"))
    if not files:
        pytest.skip("the source document is not at hand")
    return files[0].read_text(encoding="utf-8")


def test_the_figures_of_ironman_are_all_that_its_source_prints() -> None:
    tensors = re.findall(r"tensor\((\[+[\d., \[\]\n]+\])", the_source_of_ironman())
    rows = [tuple(tuple(re.findall(r"[\d.]+", row)) for row in re.findall(r"\[([\d., ]+)\]", each)) for each in tensors]
    printed = [each for each in rows if all(len(row) > 1 for row in each)]
    scenario = derive("ironman").scenario
    given = [scenario.givens[name].given.texts for name in ("A_src", "H_0", "H_1")]

    assert len(printed) == 4
    assert printed == [given[0], scenario.printed["A_src_masked"], *given[1:]]


def test_the_tensors_of_ironman_have_the_shapes_that_its_source_prints() -> None:
    solution = derive("ironman")
    sizes = solution.scenario.sizes
    tensors = [item for section in solution.scenario.sections for item in section.items if isinstance(item, TensorItem)]
    shapes = {
        (*(sizes[axis] for axis in item.axes), *map(int, solution.derivation[item.of[0]].shape.sizes))
        for item in tensors
    }
    wanted = re.findall(r"torch\.Size\(\[([\d, ]+)\]\)|形狀是 \(([\d, ]+)\)", the_source_of_ironman())

    assert {tuple(map(int, "".join(each).split(","))) for each in wanted} == {
        (1, 3, 8),
        (1, 3, 3),
        (1, 4, 8),
        (1, 2, 4, 4),
    }
    assert shapes == {(1, 3, 8), (1, 3, 3), (1, 4, 8), (1, 2, 4, 4)}


def test_dividing_the_printed_weights_misses_the_source_by_one_in_the_last_digit() -> None:
    """As the page says; the intervals hold numbers that round to what the source prints."""
    scenario = derive("ironman").scenario
    left, right, _ = map(Fraction, scenario.givens["A_src"].given.texts[1])
    printed = list(map(Fraction, scenario.printed["A_src_masked"][1][:2]))

    unit = Fraction(1, 10**4)
    divided = [round(part / (left + right) / unit) * unit for part in (left, right)]
    assert [ours - theirs for ours, theirs in zip(divided, printed, strict=True)] == [unit, -unit]


def test_the_words_of_ironman_are_true_of_its_numbers() -> None:
    solution = derive("ironman")

    def figures(name: str) -> np.ndarray:
        return np.array([[float(text) for text in row] for row in solution[name].decimals(40)])

    assert (figures("O") == np.eye(3)).all()
    assert solution["A_renorm"].decimals(40) == solution["A_masked"].decimals(40)
    assert solution["Q_x"].exact == solution["Q"].exact
    assert (figures("Z_masked")[0] == figures("V")[0]).all()
    assert (figures("Z_masked")[2] == figures("Z")[2]).all()
    assert (figures("A_1")[2].argmax(), figures("A_2")[2].argmax(), figures("A_mean")[2].argmax()) == (2, 0, 0)
    head_0, head_1 = (list(map(float, solution.scenario.givens[name].given.texts[0])) for name in ("H_0", "H_1"))
    assert (np.argmax(head_0), np.argmax(head_1)) == (3, 0)


# -- claims, each with its verdict --------------------------------------------------------------------------------


def test_the_claims_of_journey_are_all_the_figures_that_its_source_states() -> None:
    """Each claim is found after the one before it, so the table follows the source and leaves out nothing printed."""
    files = sorted(SEEDS.glob("003_*.txt"))
    if not files:
        pytest.skip("the source document is not at hand")
    text = re.sub(r"@startuml.*?@enduml", "", files[0].read_text(encoding="utf-8"), flags=re.DOTALL)
    # One figure may be claimed of two things: then it stands once in the source.
    claims = [says for says, _ in groupby(claim.says for claim in derive("journey").scenario.claims)]
    plain, place = text.replace("²", "^2").replace("$", ""), 0
    for says in claims:
        place = plain.find(says, place)
        assert place >= 0, says
        place += len(says)

    # The only other figure outside of formulas is a length, which is given.
    prose = re.sub(r"\$\$.*?\$\$|\$[^$]*\$|O\([^)]*\)", "", text, flags=re.DOTALL)
    figures = {figure.rstrip(".,") for figure in re.findall(r"\d[\d,.]*(?:-\d+)?%?", prose)}
    assert figures - set(claims) == {"512"}


def test_the_words_of_journey_are_true_of_its_numbers() -> None:
    solution = derive("journey")

    def figures(name: str) -> np.ndarray:
        return np.array([[float(text) for text in row] for row in solution[name].decimals(15)])

    products, by_sum, by_softmax = figures("XX_T"), figures("P"), figures("A")
    assert (products[1].argmax(), products[1].argmin(), products[4].argmax()) == (1, 4, 2)
    assert figures("C")[4].argmax() == 4
    assert min(figures("l_2"), figures("l_3")) > 1
    assert (by_sum[4].argmax(), by_sum[4].argmin()) == (by_softmax[4].argmax(), by_softmax[4].argmin()) == (2, 5)
    assert np.ptp(by_softmax[4]) < np.ptp(by_sum[4])
    assert solution["A_shift"].decimals(40) == solution["A"].decimals(40)
    assert solution["p_safe"].decimals(40) == solution["p_big"].decimals(40)
    assert solution["S_loop"].exact == solution["XX_T"].exact
    assert figures("X")[:, 0].argmax() == 4
    assert np.argwhere(figures("S_QK") < 0).tolist() == [[4, 5]]
    assert set(figures("q").flat) | set(figures("K_long").flat) == {-1.0, 1.0}
    assert sorted(figures("s_raw")[0])[-2:] == [figures("s_raw")[0, 0], figures("s_raw")[0, 3]]
    assert (figures("H").argmax(), figures("H").argmin()) == (4, 1)
    assert np.log(6) - figures("H").min() < 0.05
    assert np.abs(figures("U_0")).max() <= 1
    assert np.linalg.norm(figures("G")) > 1
    assert solution["Z_left"].decimals(40) == solution["Z_right"].decimals(40)
    assert (figures("B_lin") > 0).all()


def words_in(found: object) -> Iterator[str]:
    """The plain text of everything that somebody wrote for a scenario."""
    if isinstance(found, Words):
        yield from (part.text for parts in found.texts.values() for part in parts if isinstance(part, PlainText))
    elif isinstance(found, tuple):
        for each in found:
            yield from words_in(each)
    elif is_dataclass(found) and not isinstance(found, Plan):
        for each in fields(found):
            yield from words_in(getattr(found, each.name))
    elif isinstance(found, Mapping):
        yield from words_in(tuple(found.values()))


@pytest.mark.parametrize("name", builtin_names())
def test_no_figure_is_typed_into_a_sentence(name: str) -> None:
    solution = solved(name)
    scenario = solution.scenario
    names = [step.name for step in scenario.derivation.steps if solution.store.shown(step.name).is_numbers]
    printed = {figure.text for each in names for row in solution.figures(each) for figure in row}
    written = list(words_in(scenario))
    assert len(written) > 50
    typed = {number for text in written for number in re.findall(r"\d+\.\d+", text)}
    assert not typed & printed
    ends = [text for words in (scenario.opening, scenario.conclusion) for text in words_in(words)]
    assert ends
    assert not re.search(r"\d", "".join(ends))
