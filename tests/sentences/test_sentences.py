"""No automatic sentence of a page is untrue: each is read from the page and held against another road."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.sentences.kinds import KINDS
from tests.sentences.page import About, Verdict, judge, read, sentences
from tests.sentences.run import data_of, judged
from tests.sentences.values import all_values

QUICK = 45
MACRO = re.compile(r"{% macro (\w+)\(")
PAGES = ("readings", "reasons", "lesson", "closing", "pictures")
"""The files whose macros make sentences with claims about a lesson."""


@cache
def verdicts_of(seed: int) -> tuple[Verdict, ...]:
    return tuple(read(data_of(seed), KINDS))


@pytest.mark.parametrize("seed", range(QUICK))
def test_every_sentence_of_a_random_lesson_is_known_and_true(seed: int) -> None:
    wrong = [each for each in verdicts_of(seed) if each.wrong]
    assert not wrong, "\n".join(f"{each.name}: {each.said}\n  {each.wrong}" for each in wrong)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(16))
def test_every_sentence_of_2000_random_lessons_is_known_and_true(part: int) -> None:
    verdicts = (each for seed in range(125 * part, 125 * (part + 1)) for each in judged(seed))
    wrong = [each for each in verdicts if each.wrong]
    assert not wrong, "\n".join(f"{each.name}: {each.said}\n  {each.wrong}" for each in wrong)


def test_random_lessons_have_nearly_every_kind_of_sentence() -> None:
    found = Counter(kind for seed in range(QUICK) for each in verdicts_of(seed) for kind in each.kinds)
    missing = {kind.macro for kind in KINDS} - set(found)
    assert missing <= SELDOM, f"no lesson has {sorted(missing - SELDOM)}"


SELDOM = frozenset({"ranking", "why_clip_norm"}) | frozenset(
    {
        *(
            "kept",
            "reason_weights_again",
            "why_keep",
            "caption_arcs",
            "says_arcs",
            "sees_no_key",
            "reason_weights_by_hand",
        ),
        *("masked_away_all", "nobody_sees", "why_padding_mask", "why_window_mask", "why_causal_mask", "why_transpose"),
        *("largest_entries", "lead_all_entries", "why_copy", "reason_hidden", "reason_second_layer", "reason_scaled"),
        *("conclusion_loss", "by_hand", "why_quotient", "why_sum", "why_product", "why_log", "why_concat", "why_dot"),
        *("why_top_k", "why_softmax", "reason_attention_output", "why_relu", "why_row", "letters_left", "why_exp"),
    }
)
"""What only some of many lessons have: the run of 2,000 counts them."""


@pytest.mark.parametrize("file", PAGES)
def test_a_new_kind_of_sentence_needs_a_checker(root: Path, file: str) -> None:
    text = (root / f"templates/language/en/pages/{file}.j2").read_text("utf-8")
    known = {kind.macro for kind in KINDS} | UNREAD[file]
    assert set(MACRO.findall(text)) - known == set()


UNREAD: Mapping[str, frozenset[str]] = {
    "readings": frozenset(
        {
            # pieces of other sentences
            *("row_name", "part_of_row"),
            # intervals: tests/document/test_intervals.py
            *("rounded_figures", "rows_can_sum"),
            # double precision: tests/document/test_exact_figures.py
            *("double_lost",),
        }
    ),
    "closing": frozenset(
        {"some_of", "figures_title", "source_title", "source_remark", "proof_checked_all", "variance_checked_all"}
    ),
    "pictures": frozenset(
        {"row_called", "column_called", "figures_at", "says_vectors", "caption_vectors", "says_waves", "caption_waves"}
    ),
    "lesson": frozenset(
        {"head_letter", "head_role", "head_shape", "head_meaning", "conclusion_title", "equal_operand"}
    ),
    "reasons": frozenset(
        """
        reason_biased reason_biased_rows reason_by_size reason_column_comparison reason_divided_mixture
        reason_embeddings reason_features reason_gained reason_gained_shifted reason_key_value reason_keys_turned
        reason_loss reason_mixed_at_once reason_mixed_one_by_one reason_moved reason_normalised
        reason_one_comparison reason_one_comparison_scaled reason_one_hot reason_perplexity reason_placed
        reason_share reason_shared_again reason_sigmoid reason_surprise reason_target_probability
        reason_weights_mean why_additive_scores why_angle why_broadcast why_cached_mask why_copy why_cosine
        why_distance why_divide why_elu why_entry why_gelu why_gelu_tanh why_hadamard why_head why_identity
        why_norm why_one_hot why_ones why_operation why_own why_row_max why_rows why_rows_below why_silu
        why_sinusoidal why_stack why_tanh
        """.split()
    ),
}
"""What makes no sentence of its own, and what random lessons do not have yet, with the tests that look at it."""

CHANGES = (
    (r"Row (\d+)", lambda found: f"Row {int(found[1]) + 1}"),
    (r"0\.(\d)", lambda found: f"0.{(int(found[1]) + 5) % 10}"),
    (r"^(\d+) ", lambda found: f"{int(found[1]) + 1} "),
    (r"column (\d+)", lambda found: f"column {int(found[1]) + 1}"),
    (r"attends most to", lambda found: "attends equally to"),
)
"""Changes that make a true sentence untrue."""


@pytest.mark.parametrize("number", range(len(CHANGES)))
def test_a_changed_sentence_is_found_out(number: int) -> None:
    pattern, change = CHANGES[number]
    tried = caught = 0
    for seed in (0, 1, 4, 9, 10, 13):
        about = About(data_of(seed), all_values(data_of(seed)))
        for name, said in dict.fromkeys(sentences(data_of(seed))):
            planted = re.sub(pattern, change, said, count=1)
            if (
                planted != said
                and not said.startswith(("shapes", "legend"))
                and not judge(about.at(name), said, KINDS).wrong
            ):
                tried += 1
                caught += bool(judge(about.at(name), planted, KINDS).wrong)
    assert tried
    assert caught == tried, f"{caught} of {tried}"


def test_a_sentence_of_no_known_form_fails() -> None:
    about = About(data_of(0), all_values(data_of(0)))
    assert judge(about, "All is well.", KINDS).wrong.startswith("no checker knows")
