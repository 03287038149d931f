"""A new scenario: the same everywhere, small exact numbers, weights that differ, and every entry of the catalogue."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import unicodedata
from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest

from symattn.api.starter import start, wrapped
from symattn.api.worked import derive
from symattn.base.errors import ScenarioError
from symattn.operations import Softmax
from symattn.read.catalogue.entries import entries, example_lines
from symattn.read.catalogue.model import StepLine
from symattn.read.scenario.load import loads


def made(seed: int = 7, tokens: str = "the cat sat", **more: object) -> str:
    return start(tokens.split(), random=Random(seed), **more)  # type: ignore[arg-type]


def test_a_seed_gives_the_same_numbers_on_every_machine() -> None:
    assert tomllib.loads(made())["given"]["X"]["value"] == [
        ["0.4", "-0.3", "-0.3", "-0.1"],
        ["0.6", "-0.1", "-0.9", "-0.9"],
        ["-0.8", "-0.6", "0.5", "-0.1"],
    ]
    assert made(8) != made(7)


@pytest.mark.sampled(0)
def test_nothing_hangs_on_the_order_of_sets() -> None:
    program = (
        "from random import Random; from symattn.api.starter import start;"
        "print(start(['a', 'b'], random=Random(1), use=('attention', 'layer_norm'), settings={'mask': 'causal'}))"
    )
    environ = {"PYTHONHASHSEED": "1", "PYTHONPATH": str(Path(__file__).parent.parent), "PYTHONUTF8": "1"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environ)
    here = start(["a", "b"], random=Random(1), use=("attention", "layer_norm"), settings={"mask": "causal"})
    assert done.stdout == here + "\n"


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("language", "written", "about"),
    [("en", False, "the weights of the keys."), ("zh-Hant", True, "鍵的權重。"), ("zh-Hans", False, "键的权重。")],
)
def test_it_derives_as_it_stands_in_every_language(language: str, written: bool, about: str) -> None:
    text = made(language=language, written=written, settings={"mask": "causal"})
    assert ("{ use = " in re.sub("#.*", "", text)) != written
    solution = derive(loads(text, path="lesson.toml"))
    assert solution["O"].shape == (3, 2)
    assert re.search(rf"^# W_K.*{about}\n\[given.W_K\]$", text, re.MULTILINE)
    for line in made(use=("attention", "block"), language=language).splitlines():
        width = sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in line)
        assert width <= 100 or not line.lstrip().startswith("#"), line


WITH_SOFTMAX = [
    entry.name
    for entry in entries()
    if any(isinstance(line, StepLine) and line.formula.startswith("softmax(") for line in example_lines(entry))
]
LISTS = ["the cat sat", "yes no", "今天 天氣 很", "a rose is a rose", "one two three four five six seven"]
CASES = [
    *((entry, LISTS[i % len(LISTS)], {}) for i, entry in enumerate(WITH_SOFTMAX[::2])),
    *(("attention", tokens, {"settings": {"mask": "causal"}}) for tokens in LISTS),
    ("attention", "the cat sat", {"sizes": {"d_model": 16}}),
    ("attention", "the cat sat", {"use": ("attention", "layer_norm", "attention")}),
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("entry", "tokens", "more"), CASES)
def test_numbers_tell_something(entry: str, tokens: str, more: dict[str, object]) -> None:
    """In every softmax somebody clearly wins, two come close, nothing ties, and nothing that is compared is zero."""
    solution = derive(loads(made(tokens=tokens, **{"use": (entry,), **more})))
    found = [step for step in solution.derivation.steps if isinstance(step.formula, Softmax)]
    assert found
    for step in found:
        rows = [[Fraction(x) for x in row if float(x)] for row in solution[step.name].decimals(30)]
        rows = [sorted(row, reverse=True) for row in rows if len(row) > 1]
        winners = {i for i, row in enumerate(rows) if row[0] >= Fraction(1, 2) and row[0] >= 2 * row[1]}
        gaps = [(i, a - b) for i, row in enumerate(rows) for a, b in pairwise(row)]
        assert winners, step.name
        assert all(gap for _, gap in gaps), step.name
        assert any(Fraction(1, 1000) < gap <= Fraction(1, 20) for _, gap in gaps) or len(gaps) == 1, step.name
    for name in {"Q", "K", "V", "X", "H", "Z"} & set(solution.derivation.by_name):
        assert all(any(float(x) for x in row) for row in solution[name].decimals(30)), name


OTHERS = ["I like pie", "we do not know her", "red blue", "one", "今天 天氣 很 好"]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("tokens", OTHERS)
@pytest.mark.parametrize("entry", [entry.name for entry in entries()])
def test_no_matrix_repeats_itself(entry: str, tokens: str) -> None:
    """Every given has full rank and no two proportional rows or columns, and so have queries, keys and values."""
    n = len(tokens.split())
    many = {"sizes": {"m": 3}} if entry in ("online_softmax", "blocked_attention") else {}
    solution = derive(loads(made(seed=n, tokens=tokens, use=(entry,), **many)))
    inner = {"Q": "W_Q", "K": "W_K", "V": "W_V"}
    projected = [name for name, weights in inner.items() if {name, weights} <= solution.derivation.by_name.keys()]
    for name in [*solution.givens, *projected]:
        if name == "t":
            continue
        found = np.array([[float(x) for x in row] for row in solution[name].decimals(12)])
        if 1 in found.shape:
            assert len({*found.ravel()}) == found.size, (name, found)
            continue
        between = len(solution[inner[name]].decimals(1)) if name in projected else max(found.shape)
        most = min(*found.shape, between)
        assert np.linalg.matrix_rank(found) == most, (name, found)
        for lines in (found, found.T):
            for one, other in combinations(lines, 2):
                assert np.linalg.matrix_rank(np.stack([one, other])) == 2, (name, found)


def test_a_new_scenario_has_three_decimals_and_a_section_for_each_purpose() -> None:
    data = tomllib.loads(made())
    assert data["figures"]["decimals"] == 3
    assert [section["title"] for section in data["section"]] == [
        "The tokens", "Queries, keys and values", "Scores", "Weights", "The mixture",
    ]  # fmt: skip
    assert all(section["need"] for section in data["section"])
    assert "{largest:A[3]}" in data["conclusion"]


def test_sentences_about_names_that_options_leave_out_are_left_out() -> None:
    one, two = (tomllib.loads(made(settings={"heads": heads}))["conclusion"] for heads in (1, 2))
    assert ":A[" in one
    assert ":A[" not in two
    assert two in one


def test_other_tokens_have_other_numbers() -> None:
    given = [tomllib.loads(made(tokens=tokens))["given"] for tokens in ("the cat sat", "the cat sat", "the dog sat")]
    assert given[0] == given[1] != given[2]


def test_the_numbers_are_short_decimals() -> None:
    for table in tomllib.loads(made(settings={"bias": True}))["given"].values():
        for cell in (cell for row in table["value"] for cell in row):
            assert re.fullmatch(r"-?[012](\.\d|\.25|\.75)?", cell), cell


def test_the_length_of_a_token_vector_is_no_size_of_a_vocabulary() -> None:
    scenario = loads(made(use=("next_token", "cross_entropy"), sizes={"d_model": 4}))
    assert scenario.sizes["d_model"] == 4
    assert scenario.sizes["v"] == 3


def test_an_entry_goes_on_from_the_last_where_it_fits() -> None:
    text = made(use=("attention", "layer_norm", "attention"), written=False)
    scenario = loads(text)
    assert 'use = "layer_norm", names = { X = "O" }' in text
    assert len(scenario.sections) == 3
    assert {"W_Q", "W_Q_3", "A", "A_3"} <= set(scenario.derivation.by_name)


def test_logits_are_those_of_the_entry_before() -> None:
    text = made(use=("next_token", "cross_entropy", "greedy"), written=False)
    assert 'use = "cross_entropy", suffix = "_2" }' in text
    assert 'use = "greedy", suffix = "_3" }' in text
    assert set(loads(text).givens) == {"H", "W_U", "t"}


@pytest.mark.parametrize("entry", ["attention", "cross_entropy", "decoding_step"])
def test_the_example_at_the_end_is_a_step(entry: str) -> None:
    """Under a name that is free, and worth working out: no number times itself."""
    text = made(use=(entry,))
    example = re.search(r'^  # ("(\w+) = .*",)$', text, re.MULTILINE)
    assert example is not None
    scenario = loads(text.replace(f"# {example[1]}", example[1]))
    assert example[2] in scenario.derivation.by_name
    assert len(scenario.derivation.steps) == len(loads(text).derivation.steps) + 1
    assert not re.search(r'^  # "\w+ = (PPL|o) @', text, re.MULTILINE)


def test_a_line_of_chinese_ends_before_no_mark() -> None:
    assert wrapped("  一二三，四五", 8) == ["  一二", "  三，四", "  五"]
    assert wrapped("  symattn derive a.toml     writes it", 8) == ["  symattn derive a.toml     writes it"]


@pytest.mark.parametrize("tokens", ['"quoted" back\\slash', "{X} <b> $x$", "今天 天氣 很", "a\x7fb"])
def test_tokens_and_titles_are_written_as_toml(tokens: str) -> None:
    if "\x7f" in tokens:
        with pytest.raises(ScenarioError, match=r"U\+007F cannot be printed"):
            made(tokens=tokens)
        return
    data = tomllib.loads(made(tokens=tokens, title=tokens))
    assert data["tokens"] == tokens.split()
    assert data["title"] == tokens.replace("{", "{{").replace("}", "}}")


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"tokens": " ".join("a" * 17)}, "17 tokens: expected 1 to TOKENS = 16"),
        ({"sizes": {"d_k": 65}}, "d_k = 65: expected 1 to SIZE = 64"),
        ({"sizes": {"n": 2}}, "unknown size of attention 'n'"),
        ({"settings": {"hads": 2}}, "unknown option of attention 'hads'"),
    ],
)
def test_what_cannot_be_made_says_why(more: dict[str, object], sentence: str) -> None:
    with pytest.raises(ScenarioError, match=re.escape(sentence)):
        made(**more)  # type: ignore[arg-type]
