"""Every entry of the catalogue, with every choice of every option, derives as `init` writes it."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from symattn import derive
from symattn.scenario.load import loads
from symattn.starter import start

SEEDS = range(20)


def page(case: Any, seed: int, detail: Any) -> str:
    text = start("the cat sat".split(), random=Random(seed), use=(case.name,), settings=case.chosen)
    return derive(loads(text)).render("markdown", detail=detail)


def test_an_entry_derives_as_init_writes_it(catalogue_case: Any) -> None:
    assert page(catalogue_case, 7, "result").startswith("# ")


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_an_entry_derives_whatever_init_draws(catalogue_case: Any, seed: int) -> None:
    assert page(catalogue_case, seed, "steps").startswith("# ")


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        (
            "en",
            "7 of the 9 entries are negative and become 0; the others stay as they are. For 1 entry it is not settled",
        ),
        ("zh-Hant", "9 個元素中有 7 個是負數，變成 0；其餘不變。另有 1 個元素太接近 0，無法確定是不是負數"),
        ("zh-Hans", "9 个元素中有 7 个是负数，变成 0；其余不变。另有 1 个元素太接近 0，无法确定是不是负数"),
    ],
)
def test_a_sign_that_is_not_settled_is_said_and_stops_nothing(language: str, sentence: str) -> None:
    """An input of ReLU is 0 or nearly so, four layers deep."""
    text = start("the cat sat".split(), random=Random(7), use=("block",), settings={"mask": "causal"})
    assert sentence in derive(loads(text)).render("markdown", language=language, detail="result")


def test_wide_vectors_have_a_page_too() -> None:
    """Their scores are large, and four heads are twice as wide as the vectors."""
    text = start("the cat sat".split(), random=Random(7), use=("grouped_query",), sizes={"d_model": 32})
    assert derive(loads(text)).render("markdown", detail="steps").startswith("# ")
