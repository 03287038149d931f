"""No automatic sentence of a page is untrue: each is read from the page and held against another road."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.sentences.page import About, Verdict, judge, read, sentences
from tests.sentences.run import KINDS, data_of, differently_told, judged
from tests.sentences.values import all_values

QUICK = 45
MACRO = re.compile(r"{% macro (\w+)\(")
PAGES = ("readings", "reasons", "lesson", "closing", "pictures", "questions", "steps")
"""The files whose macros make sentences with claims about a lesson."""


@cache
def verdicts_of(seed: int) -> tuple[Verdict, ...]:
    return tuple(read(data_of(seed), KINDS))


@pytest.mark.long
@pytest.mark.sampled(12)
@pytest.mark.parametrize("seed", range(QUICK))
def test_every_sentence_of_a_random_lesson_is_known_and_true(seed: int) -> None:
    wrong = [each for each in verdicts_of(seed) if each.wrong]
    assert not wrong, "\n".join(f"{each.name}: {each.said}\n  {each.wrong}" for each in wrong)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(40))
def test_every_sentence_of_2000_random_lessons_is_known_and_true(part: int) -> None:
    verdicts = (each for seed in range(50 * part, 50 * (part + 1)) for each in judged(seed))
    wrong = [each for each in verdicts if each.wrong]
    assert not wrong, "\n".join(f"{each.name}: {each.said}\n  {each.wrong}" for each in wrong)


@pytest.mark.long
@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(0, QUICK, 5))
def test_every_language_tells_the_same(seed: int) -> None:
    assert not differently_told(seed)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_every_language_tells_the_same_of_many_lessons(part: int) -> None:
    assert not [said for seed in range(QUICK + 30 * part, QUICK + 30 * (part + 1)) for said in differently_told(seed)]


@pytest.mark.parametrize("file", PAGES)
def test_a_new_kind_of_sentence_needs_a_checker(root: Path, file: str) -> None:
    text = (root / f"templates/language/en/pages/{file}.j2").read_text("utf-8")
    known = {kind.macro for kind in KINDS} | UNREAD[file]
    assert set(MACRO.findall(text)) - known == set()


UNREAD: Mapping[str, frozenset[str]] = {
    # pieces of other sentences; double precision: tests/document/test_worked.py
    "readings": frozenset({"row_name", "part_of_row", "share_of", "double_lost"}),
    "closing": frozenset(
        {"some_of", "figures_title", "source_title", "source_remark", "proof_checked_all", "variance_checked_all"}
    ),
    "pictures": frozenset(
        {"row_called", "figures_at", "heatmap_rows", "heatmap_columns", "flow_attention", "flow_network"}
    ),
    "lesson": frozenset(
        {"head_letter", "head_role", "head_shape", "head_meaning", "conclusion_title", "legend_title", "equal_operand"}
    ),
    # answers are read with their questions; what only sheets ask: tests/exercise/test_understanding.py
    "questions": frozenset(
        """
        answer_largest answer_mask answer_relu answer_slip answer_hidden answer_shift answer_mixture answer_scale
        answer_turned answer_layer_norm answer_rms_norm answer_bias answer_angle answer_product answer_zero_rows
        answer_gate answer_moved answer_summed ask_most answer_most ask_rescaled answer_rescaled ask_loss answer_loss
        ask_doubled answer_doubled answer_inner_size ask_depends answer_depends
        row_with
        """.split()
    ),
    # what only `symattn explain` says of an operation by itself; the last is two sentences, of two kinds here
    "reasons": frozenset(
        """
        why_product why_sum why_quotient why_transpose why_concat why_clip_norm why_top_k why_dot why_copy why_divide
        why_entry why_hadamard why_identity why_norm why_ones why_own why_row_max why_rows why_rows_below
        why_stack reason_one_comparison_scaled
        """.split()
    ),
    "steps": frozenset(
        """
        lead_double lead_ends lead_unfold lead_tensor quantity_at symbols_shown symbols_assumed symbols_put_in
        closed_form_too_long lead_long_entries entries_too_long sentences in_every_column sign_square_power by_columns
        gradient_shape lead_gradient_check sign_turned_jacobian
        """.split()
    ),
}
"""What makes no sentence of its own on a lesson's page, and what random lessons do not have yet."""

CHANGES = (
    (r"Row (\d+)", lambda found: f"Row {int(found[1]) + 1}"),
    (r"0\.(\d)", lambda found: f"0.{(int(found[1]) + 5) % 10}"),
    (r"^(\d+) ", lambda found: f"{int(found[1]) + 1} "),
    (r"column (\d+)", lambda found: f"column {int(found[1]) + 1}"),
    (r"attends most to", lambda found: "attends equally to"),
)
"""Changes that make a true sentence untrue."""


@cache
def true_sentences() -> tuple[tuple[About, str], ...]:
    """What is said, and is true, in lessons in which no two words are alike.

    What a mistake gives is worked out once more in tests/mistakes.
    """
    found = []
    for seed in (0, 3, 4, 8, 10):
        data = data_of(seed)
        about = About(data, all_values(data))
        found += [(about.at(name), said) for name, said in dict.fromkeys(sentences(data))]
    told = ((about, said) for about, said in found if not said.startswith(("shapes", "legend", "Somebody got")))
    return tuple((about, said) for about, said in told if not judge(about, said, KINDS).wrong)


@pytest.mark.long
@pytest.mark.parametrize("number", range(len(CHANGES)))
def test_a_changed_sentence_is_found_out(number: int) -> None:
    pattern, change = CHANGES[number]
    planted = ((about, said, re.sub(pattern, change, said, count=1)) for about, said in true_sentences())
    found = [judge(about, changed, KINDS) for about, said, changed in planted if changed != said]
    assert found
    assert [each.said for each in found if not each.wrong] == []


def test_a_sentence_of_no_known_form_fails() -> None:
    about = About(data_of(0), all_values(data_of(0)))
    assert judge(about, "All is well.", KINDS).wrong.startswith("no checker knows")
