"""Every entry of the catalogue derives as `init` writes it."""

from __future__ import annotations

import tomllib
from random import Random
from typing import Any

import pytest

from symattn import derive
from symattn.api.starter import start
from symattn.read.catalogue import entries
from symattn.read.catalogue.model import CatalogueEntry
from symattn.read.scenario.load import loads
from symattn.read.scenario.toml import text_of
from tests.conftest import choices

TOKENS = ("the", "cat", "sat")

NEARLY_ZERO = """
X -0.5,-1;0.5,-1;0,-0.5
gamma_1 0.5,1
beta_1 -0.5,0
W_Q -1,-1;0,1
W_K -1,-0.5;0.5,1
W_V 0,-0.5;1,-1
W_O 1,-0.5;-1,-1
gamma_2 0.75,1.5
beta_2 -0.5,0
W_1 0.5,-0.5,0;-1,-1,-0.5
b_1 0.25,0,-0.25
W_2 0,0;-0.5,0.5;0.5,-0.5
b_2 0,0
"""
"""The givens of a block of which an input of ReLU is 0 or nearly so."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_an_entry_derives_as_init_writes_it(entry: CatalogueEntry) -> None:
    """Written out with all of its options; and by its name, with token vectors of another length.

    Where an entry has no token vectors it is the length of a row of what it starts from: scores over 4 tokens.
    """
    *_, every = choices(entry)
    written = start(TOKENS, random=Random(7), use=(entry.name,), settings=every, written=True)
    assert derive(loads(written)).render(detail="result").startswith("# ")
    wider = loads(start(TOKENS, random=Random(7), use=(entry.name,), sizes={"d_model": 4}))
    assert len(wider.derivation.steps) > len(wider.givens) > 0
    first = next(given for given in wider.givens.values() if given.given.shape != (1, 1))
    assert first.given.shape[1] == 4


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_an_entry_derives_whatever_init_draws(catalogue_case: Any, seed: int) -> None:
    text = start(TOKENS, random=Random(seed), use=(catalogue_case.name,), settings=catalogue_case.chosen)
    assert derive(loads(text)).render(detail="steps").startswith("# ")


def test_a_sign_that_is_not_settled_is_said_in_every_language_and_stops_nothing() -> None:
    """An input of ReLU is 0 or nearly so, four layers deep."""
    data = tomllib.loads(start(TOKENS, random=Random(7), use=("block",), settings={"mask": "causal"}))
    for line in NEARLY_ZERO.strip().splitlines():
        name, _, rows = line.partition(" ")
        data["given"][name]["value"] = [row.split(",") for row in rows.split(";")]
    solution = derive(loads(text_of(data)))
    for language, sentence in {
        "en": "7 of the 9 entries are negative and become 0; the others stay as they are. For 1 entry it is not",
        "zh-Hant": "9 個元素中有 7 個是負數，變成 0；其餘不變。另有 1 個元素太接近 0，無法確定是不是負數",
        "zh-Hans": "9 个元素中有 7 个是负数，变成 0；其余不变。另有 1 个元素太接近 0，无法确定是不是负数",
    }.items():
        assert sentence in solution.render(language=language, detail="result")


def test_wide_vectors_have_a_page_too() -> None:
    """Their scores are large, and four heads are twice as wide as the vectors."""
    text = start(TOKENS[:2], random=Random(7), use=("grouped_query",), sizes={"d_model": 16})
    assert derive(loads(text)).render(detail="result").startswith("# ")
