"""Rounded givens on the page, as intervals, and the comparison with what the sources print."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction as Exact
from functools import partial
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from symattn.api.worked import WorkedSolution, derive
from symattn.base.errors import NoValueError
from symattn.claims.source import Difference, PrintedMatrix, compare
from symattn.read.plan import Plan
from symattn.read.scenario.load import builtin_names, loads
from symattn.read.scenario.model import TensorItem
from symattn.read.scenario.words import PlainText, Words
from symattn.show.blocks import Document, Equation, Matrix, Phrase, Readings
from symattn.show.build import build_document
from symattn.show.math import Chain, Fraction, Interval, Number, joined
from tests.cases import solved

SCENARIO = """
title = "Masking"
[given]
B = [["1", "1/3", "0"], ["0", "2", "1"], ["0", "0", "1"]]
[given.A]
value = [["0.3417", "0.2756", "0.3828"], ["0.3028", "0.3760", "0.3212"], ["0.2962", "0.3034", "0.4003"]]
rounded = true
row_sums = "1"
[[section]]
title = "Masked"
intro = "From {A[2,1]} comes {W[2,1]}."
steps = ["A", "K = keep(A, causal_mask(3))", "W = proportions(K)", "C = B @ B"]
"""
PRINTED = """
[printed]
W = [["1.0000", "0.0000", "0.0000"], ["0.4460", "0.5540", "0.0000"], ["0.2962", "0.3034", "0.4003"]]
"""


MASK = "keep(A, causal_mask(3))"


def solved_of(text: str = SCENARIO, **options: object) -> WorkedSolution:
    return derive(loads(text, path="lesson.toml"), **options)


def page_of(text: str = SCENARIO, digits: int | None = None, **options: object) -> Document:
    solution = solved_of(text, digits=digits)
    return build_document(solution.scenario, solution.store, digits=digits, **options)


def differences(printed: str, text: str = SCENARIO) -> tuple[Difference, ...]:
    """What of these figures of W no number in the intervals rounds to."""
    solution = solved_of(f"{text}[printed]\nW = {printed}")
    return compare(solution.scenario, solution.store, "W").differences


def rows_of(found: Document, name: str) -> tuple[tuple[object, ...], ...]:
    return next(each.entries for each in found.blocks if isinstance(each, Matrix) and f"'{name}'" in repr(each.symbol))


def keys(found: Document) -> list[str]:
    phrases = [phrase for block in found.blocks if isinstance(block, Readings) for phrase in block.items]
    return [phrase.key for phrase in (*found.blocks, *phrases) if isinstance(phrase, Phrase)]


def row(*figures: str) -> tuple[object, ...]:
    """Numbers and, as ``low..high``, intervals."""
    ends = (tuple(map(Number, figure.split(".."))) for figure in figures)
    return tuple(Interval(*each) if len(each) > 1 else each[0] for each in ends)


def worked(found: Document) -> list[Chain]:
    lines = (block for block in found.blocks if isinstance(block, Equation) and block.kind == "working")
    return [chain for block in lines for chain in block.chains if chain.links[0][0] in ("≥", "≤")]


def share(part: str, other: str) -> Fraction:
    return Fraction(Number(part), joined([Number(part), Number(other)], "+"))


def test_a_rounded_given_shows_its_figures_and_what_rests_on_it_shows_intervals() -> None:
    found = page_of()
    assert rows_of(found, "A")[1] == row("0.3028", "0.3760", "0.3212")
    assert rows_of(found, "W")[:2] == (row("1", "0", "0"), row("0.44600..0.44616", "0.55384..0.55400", "0"))
    assert rows_of(found, "C")[0][0] == Number("1.000000")
    for digits, shown in ((3, "0.446..0.447"), (8, "0.44600766..0.44615498")):
        assert rows_of(page_of(digits=digits), "W")[1][:1] == row(shown)


def test_both_ends_of_a_share_are_worked() -> None:
    low, high = worked(page_of())
    assert low.links == (("≥", share("0.30275", "0.37605")), ("≥", Number("0.44600")))
    assert high.links == (("≤", share("0.30285", "0.37595")), ("≤", Number("0.44616")))


def test_entries_are_worked_where_they_are_asked_for() -> None:
    assert len(worked(page_of(detail="entries"))) == 2 * 5
    assert worked(page_of(detail="result")) == []
    by_form = SCENARIO.replace('"C = B @ B"]', '{ show = "W", form = "entries" }]')
    assert len(worked(page_of(by_form, detail="result"))) == 2 * 5
    low, _ = worked(
        page_of(SCENARIO.replace('"W = proportions(K)"', '{ step = "W = proportions(K)", works = [3, 2] }'))
    )
    assert low.links[0][1].numerator == Number("0.30335")  # type: ignore[union-attr]
    assert "31" not in repr(low.left)


def test_nothing_is_worked_where_entries_may_be_negative() -> None:
    text = SCENARIO.replace(MASK, "A - B / 100").replace('row_sums = "1"', "")
    found = page_of(text.replace('"0.2962"', '"0.0000"'), detail="entries")
    rows = [chain.left.sub.parts[0] for chain in worked(found)]  # type: ignore[union-attr]
    assert Number("3") not in rows
    assert Number("1") in rows


def test_what_the_figures_stand_for_is_said_and_no_order_is_claimed() -> None:
    found = keys(page_of())
    assert "attends" not in found
    assert {"rounded_figures", "rows_can_sum", "kept", "rows_sum_to_one", "intervals_shown"} <= set(found)
    text = solved_of(SCENARIO + PRINTED).render("latex", language="zh-Hans")
    for shown in ("{}[0.44600, 0.44616]", "0.00005", "0.00015", "1.0001", "0.9999"):
        assert shown in text
    # A bracket at the start of a row would be an option of the line break before it.
    assert not re.search(r"\\\\\s*\[0", text)


def test_rounded_givens_are_told_of_once_in_the_section_that_works_with_them() -> None:
    page = derive("ironman").render("markdown", language="en")
    notes = [page[: found.start()].rfind("\n### ") for found in re.finditer(r"holds? rounded figures", page)]
    assert [page[at + 5 :].split()[0] for at in notes] == ["3-3", "4-4"]
    given = '[given.X]\nvalue = [["0.12", "0.34"]]\nrounded = true\n'
    sections = "".join(f'[[section]]\ntitle = "s"\nsteps = ["{step}"]\n' for step in ("Y = 2 * X", "Z = 3 * X"))
    text = derive(loads(f'title = "t"\nlanguage = "en"\n{given}{sections}')).render("markdown")
    assert text.count("holds rounded figures") == 1


def test_decimals_of_an_interval_are_refused_by_the_api_with_what_to_ask_for() -> None:
    said = r"^W has no certified decimals: it rests on the rounded figures of A; ask for its intervals$"
    with pytest.raises(NoValueError, match=said):
        solved_of()["W"].decimals(4)
    low, high = solved_of()["W"].intervals[1][0]
    assert low < high


def test_a_mask_of_infinities_is_shown_as_one() -> None:
    found = page_of(SCENARIO.replace(MASK, "A + causal_mask(3)").replace("proportions(K)", "softmax(K)"))
    assert rows_of(found, "K")[0][1:] == row("-oo", "-oo")
    assert rows_of(found, "W")[0] == row("1", "0", "0")


def test_what_cannot_be_divided_is_told_with_file_line_and_key() -> None:
    text = SCENARIO.replace('"0.3417", "0.2756", "0.3828"', '"0.0000", "1.0000", "0.0000"')
    with pytest.raises(NoValueError, match=r"lesson\.toml, line 12, .*: step W: row 1 may sum to 0"):
        page_of(text.replace("{W[2,1]}", "W"))


def test_a_figure_that_no_number_in_the_interval_rounds_to_differs() -> None:
    solution = solved_of(SCENARIO + PRINTED.replace("0.4460", "0.4459"))
    expected = Difference("W", 2, 1, "0.4459", "0.44600", "0.44616")
    assert compare(solution.scenario, solution.store, "W") == PrintedMatrix(9, (expected,), intervals=True)
    assert r"\lbrack 0.44600, 0.44616\rbrack" in solution.render(language="zh-Hant").split("0.4459")[1]


def test_a_narrow_miss_is_shown_with_the_decimals_that_show_it() -> None:
    """The interval starts at 0.44600766057…: just above all that rounds to 0.446007660, and not to one decimal more."""
    rows = '[["1", "0", "0"], ["0.44600766{}", "0.554", "0"], ["0.3", "0.3", "0.4"]]'
    assert differences(rows.format(1)) == ()
    assert [each.derived for each in differences(rows.format(0))] == ["0.44600766057"]


def test_both_kinds_are_reported_side_by_side() -> None:
    exact = 'C = [["1.00", "1.00", "0.33"], ["0", "4", "3"], ["0", "0", "1"]]\n'
    solution = solved_of(SCENARIO + PRINTED + exact)
    assert [compare(solution.scenario, solution.store, name).intervals for name in "WC"] == [True, False]
    found = keys(build_document(solution.scenario, solution.store))
    assert found.index("all_reproduced") + 1 == found.index("intervals_agree")
    wrong = SCENARIO + PRINTED + exact.replace("0.33", "0.34")
    assert {"differences_intro", "intervals_agree"} <= set(keys(page_of(wrong)))
    assert "Where the source differs" in solved_of(wrong).render(language="en")


def test_a_layout_that_differs_is_told() -> None:
    printed = '[["1.0000", "0", "0", "0.4460", "0.5540", "0", "0.2962", "0.3034", "0.4003"]]'
    assert "1×9" in solved_of(f"{SCENARIO}[printed]\nW = {printed}").render()
    assert [(found.printed, found.derived) for found in differences(printed)] == [("1×9", "3×3")]


def test_the_source_does_not_follow_from_other_weights() -> None:
    """The agreement says something: swapping two neighbours in one row of the given breaks it."""
    text = SCENARIO.replace('"0.3028", "0.3760"', '"0.3760", "0.3028"')
    assert len(differences(PRINTED.partition("W = ")[2], text)) == 2


# -- Every figure that a source prints is derived; the known differences are the only ones -----------------------------


SEEDS = Path(__file__).resolve().parents[3] / "shared" / "seeds"


@pytest.mark.parametrize(("name", "matrices", "figures", "differences"), [
    ("weather", 30, 383, ()),
    ("refund", 22, 120, (Difference("K_T", 0, 0, "1×5", "2×3"),)),  # a row separator was lost
    ("good", 3, 27, (Difference("W", 1, 1, "0.97", "0.98"), Difference("W", 3, 1, "0.90", "0.91"))),
    ("ironman", 1, 9, ()),
])  # fmt: skip
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


def source(number: str) -> str:
    files = sorted(SEEDS.glob(f"{number}_*.txt"))
    if not files:
        pytest.skip("the source document is not at hand")
    return files[0].read_text(encoding="utf-8")


def test_ironman_has_all_figures_and_shapes_that_its_source_prints() -> None:
    tensors = re.findall(r"tensor\((\[+[\d., \[\]\n]+\])", source("001"))
    rows = [tuple(tuple(re.findall(r"[\d.]+", row)) for row in re.findall(r"\[([\d., ]+)\]", each)) for each in tensors]
    printed = [each for each in rows if all(len(row) > 1 for row in each)]
    scenario = derive("ironman").scenario
    given = [scenario.givens[name].given.texts for name in ("A_src", "H_0", "H_1")]
    assert len(printed) == 4
    assert printed == [given[0], scenario.printed["A_src_masked"], *given[1:]]
    solution = derive("ironman")
    sizes = solution.scenario.sizes
    tensors = [item for section in solution.scenario.sections for item in section.items if isinstance(item, TensorItem)]
    shapes = {
        (*(sizes[axis] for axis in item.axes), *map(int, solution.derivation[item.of[0]].shape.sizes))
        for item in tensors
    }
    wanted = re.findall(r"torch\.Size\(\[([\d, ]+)\]\)|形狀是 \(([\d, ]+)\)", source("001"))

    told = {tuple(map(int, "".join(each).split(","))) for each in wanted}
    assert told == shapes == {(1, 3, 8), (1, 3, 3), (1, 4, 8), (1, 2, 4, 4)}


def test_dividing_the_printed_weights_misses_the_source_by_one_in_the_last_digit() -> None:
    """As the page says; the intervals hold numbers that round to what the source prints."""
    scenario = derive("ironman").scenario
    left, right, _ = map(Exact, scenario.givens["A_src"].given.texts[1])
    printed = list(map(Exact, scenario.printed["A_src_masked"][1][:2]))
    unit = Exact(1, 10**4)
    divided = [round(part / (left + right) / unit) * unit for part in (left, right)]
    assert [ours - theirs for ours, theirs in zip(divided, printed, strict=True)] == [unit, -unit]


def figures_of(solution: WorkedSolution, name: str) -> np.ndarray:
    return np.array([[float(text) for text in row] for row in solution[name].decimals(40)])


def test_the_words_of_ironman_are_true_of_its_numbers() -> None:
    solution = derive("ironman")
    figures = partial(figures_of, solution)
    assert (figures("O") == np.eye(3)).all()
    assert (figures("X") == figures("E")).all()
    assert solution["A_renorm"].decimals(40) == solution["A_masked"].decimals(40)
    assert solution["Q_x"].exact == solution["Q"].exact
    assert (figures("Z_masked")[0] == figures("V")[0]).all()
    assert (figures("Z_masked")[2] == figures("Z")[2]).all()
    assert (figures("A_1")[2].argmax(), figures("A_2")[2].argmax(), figures("A_mean")[2].argmax()) == (2, 0, 0)
    others = [int(figures(name)[row].argmax()) for name in ("A_1", "A_2") for row in (0, 1, 3)]
    assert others == [2] * 6
    head_0, head_1 = (list(map(float, solution.scenario.givens[name].given.texts[0])) for name in ("H_0", "H_1"))
    assert (np.argmax(head_0), np.argmax(head_1)) == (3, 0)
    last_0, last_1 = (list(map(float, solution.scenario.givens[name].given.texts[3])) for name in ("H_0", "H_1"))
    assert (np.argmax(last_0), np.argmax(last_1)) == (0, 0)


# -- claims, each with its verdict --------------------------------------------------------------------------------


def test_the_claims_of_journey_are_all_the_figures_that_its_source_states() -> None:
    """Each claim is found after the one before it, so the table follows the source and leaves out nothing printed."""
    text = re.sub(r"@startuml.*?@enduml", "", source("003"), flags=re.DOTALL)
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
    figures = partial(figures_of, solution)
    products, by_sum, by_softmax = figures("XX_T"), figures("P"), figures("A")
    assert (products[1].argmax(), products[1].argmin(), products[4].argmax()) == (1, 4, 2)
    assert [i for i, row in enumerate(products) if row.argmax() != i] == [2, 3, 4, 5]
    assert {int(row.argmax()) for row in products[2:]} == set(np.argsort(np.diag(products))[-2:])  # the longest
    assert (figures("C").argmax(axis=1) == np.arange(6)).all()
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
    assert (figures("S_QK")[4].argmax(), figures("A_QK")[4].argmax()) == (0, 0)
    by_the_length = np.exp(figures("s_raw") / 512)
    assert np.ptp(by_the_length / by_the_length.sum()) < 0.03


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
