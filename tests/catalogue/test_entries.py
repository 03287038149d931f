"""Every entry of the catalogue, with every choice of every option: in letters, in a scenario, under other names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from symattn import derive
from symattn.base.errors import FormulaError, ShapeError, UnknownNameError
from symattn.base.shapes import addends
from symattn.base.words import languages
from symattn.read.catalogue import entries, entry_named, plan
from symattn.read.catalogue.entries import lines
from symattn.read.catalogue.model import Input, StepLine, _sources
from symattn.read.scenario.load import loads
from symattn.write.formats import FORMATS

WHOLE = {
    "multi_head": {"d"},
    "grouped_query": {"d", "d_shared"},
    "linear_attention_causal": {"n"},
    "online_softmax": {"m"},
    "blocked_attention": {"m"},
}
"""Sizes that have to be whole numbers before an entry can be derived: all others may be letters."""


def whole(name: str, chosen: Mapping[str, Any]) -> set[str]:
    """The same for some settings: heads are counted in columns, and masks of new rows are cut out of those of all."""
    settings = entry_named(name).choose(chosen).settings
    found = set(WHOLE.get(name, ()))
    if settings.get("heads", 1) != 1:
        found |= {"d", "d_shared"}
    if settings.get("cache", name == "decoding_step") and (
        "window" in settings["mask"] or settings.get("positions", name) == "alibi"
    ):
        found |= {"n", "p"}
    return found


@pytest.mark.sampled(25)
def test_an_entry_is_derived_in_letters_and_worked_in_a_scenario(
    lesson: Callable, worked: Callable, catalogue_case: Any
) -> None:
    """Neither a name in a formula, a keyword, nor a letter in words is mistaken for another."""
    case, entry = catalogue_case, entry_named(catalogue_case.name)
    found = lines(entry, case.chosen, case.sizes)
    axes = {axis for line in found if isinstance(line, Input) for axis in (line.rows, line.columns)}
    letters = {letter for axis in axes for letter in addends(axis) if isinstance(letter, str)}
    assert letters <= set(case.sizes)
    known = {letter: size for letter, size in case.sizes.items() if letter in whole(case.name, case.chosen) & letters}
    derivation = plan(case.name, case.chosen, known)
    assert {letter for letter, size in derivation.sizes.items() if letter != size} == set(known)

    # How names are replaced does not hang on a choice: the numbers are worked with none, and with all of them.
    steps = [line.name for line in found if isinstance(line, StepLine)]
    texts = [lesson(case.name, case.chosen, case.sizes, other) for other in (False, True)]
    if len(case.chosen) not in (0, len(entry.options)):
        assert {f"{step}_new" for step in steps} <= set(loads(texts[1]).derivation.by_name)
        return
    usual, anew = map(worked, texts)
    assert [usual.figures(step) for step in steps] == [anew.figures(f"{step}_new") for step in steps]
    # Languages and formats know nothing of entries: each takes its turn.
    turn = sum(map(ord, str(case)))
    assert "A lesson" in usual.render(tuple(FORMATS)[turn % 3], language=languages()[turn // 3 % 3])


@pytest.mark.parametrize("name", WHOLE)
def test_what_has_to_be_whole_is_said(name: str) -> None:
    for letter in WHOLE[name]:
        sizes = {other: entry_named(name).example[other] for other in WHOLE[name] - {letter}}
        with pytest.raises((FormulaError, ShapeError), match=r"whole"):
            plan(name, {}, sizes)


def test_what_is_in_the_catalogue() -> None:
    names = [entry.name for entry in entries()]
    assert names[:11] == [
        *("attention", "cross_attention", "similarity", "additive"),
        *("multi_head", "grouped_query", "decoding_step"),
        *("sinusoidal", "learned", "rotary", "alibi"),
    ]
    assert len(set(names)) == len(names)
    assert list(_sources()["entry"]) == names
    assert set(_sources()["option"]) == {name for entry in entries() for name in entry.sources_of_options}
    for source in (entry.source for entry in entries()):
        assert source.link.startswith("https://")
        assert source.title
        assert source.place


@pytest.mark.parametrize(("heads", "groups"), [(2, 1), (6, 2)])
def test_the_example_has_a_width_for_any_number_of_heads(heads: int, groups: int) -> None:
    sizes = entry_named("grouped_query").sizes_for({"heads": heads, "kv_heads": groups})

    assert sizes["d"] // heads == sizes["d_shared"] // groups
    assert plan("grouped_query", {"heads": heads, "kv_heads": groups}, sizes)["O"].shape.sizes == (3, 4)


def test_a_decoding_step_is_the_last_row_of_causal_attention(lesson: Callable) -> None:
    """The rows before it come from the same projections; the new token is the last row of X."""
    text = lesson("attention", {"mask": "causal", "bias": True})
    n = loads(text).derivation["X"].shape.sizes[0]
    before = f'"x = row(X, {n})", "K_past = rows(K, 1, {n - 1})", "V_past = rows(V, 1, {n - 1})"'
    names = 'names = { K_cache = "K_past", V_cache = "V_past" }, suffix = "_step"'
    use = f'{{ use = "decoding_step", with = {{ bias = true }}, {names} }}'
    step = derive(loads(text.replace("}]\n", "}, " + before + f", {use}]\n")))

    assert step["o_step"].decimals(30) == step["O"].decimals(30)[-1:]
    assert step["a_step"].decimals(30) == step["A"].decimals(30)[-1:]


def test_as_many_groups_as_heads_are_multi_head_attention(lesson: Callable) -> None:
    many = lesson("multi_head", {"heads": 2, "mask": "causal"})
    grouped = many.replace('use = "multi_head", with = { ', 'use = "grouped_query", with = { kv_heads = 2, ')

    assert many != grouped
    assert derive(loads(many))["O"].decimals(20) == derive(loads(grouped))["O"].decimals(20)


@pytest.mark.parametrize(
    ("name", "wrong", "message"),
    [
        ("multi_head", "heads = 3", "heads = 3 does not divide the 4 columns of W_Q"),
        ("multi_head", "heads = 0", "heads: expected a whole number from 1 up, came '0'"),
        ("grouped_query", "kv_heads = 3", "kv_heads = 3 does not divide heads = 4"),
        ("grouped_query", "heads = 2", "W_Q has 4 columns for each of 2 heads and W_K has 2 for each of 2 heads of"),
        ("attention", 'kv_heads = "no"', "kv_heads: expected a whole number from 1 up, or \"heads\", came 'no'"),
        ("attention", "temperature = 0", "temperature: expected a positive number"),
        ("attention", 'mask = "padding", length = 4', "the length is 4: expected at least 1 and at most the"),
        ("attention", 'mask = ["causal", "casual"]', "mask: unknown value 'casual': did you mean 'causal'? known: "),
        ("attention", 'mask = ["none", "causal"]', "mask: none, causal: none stands alone, without the others"),
        ("attention", 'mask = ["causal", "causal"]', "mask: causal, causal: expected each only once"),
        (
            "attention",
            'mask = "X + X"',
            "mask: expected none, causal, padding, window, the name of a matrix, or a list",
        ),
        ("attention", 'mask = "W_Q"', "mask: W_Q is a matrix here and a name of attention: write a step such as"),
        ("attention", 'score_bias = "X"', "score_bias: X is a matrix here and a name of attention"),
        ("attention", "window = 3", 'window counts only with mask = "window": set both, or leave window out'),
        ("attention", 'positions = "alibi", base = 3', 'base counts only with positions = "rotary"'),
        ("block", 'gate = "swiglu", activation = "relu"', 'activation counts only with gate = "none"'),
        ("block", "output = true", "output = 'True' makes no sense in block: what attention found has to be as wide"),
        (
            "cross_attention",
            'mask = "causal"',
            "mask = 'causal' makes no sense in cross_attention: queries and keys are",
        ),
        (
            "decoding_step",
            'mask = ["window", "causal"]',
            "mask = 'causal' makes no sense in decoding_step: what is kept",
        ),
        (
            "similarity",
            "heads = 2",
            "heads = '2' makes no sense in similarity: no weights make queries, keys and values",
        ),
        ("additive", "scale = 2", "scale = '2' makes no sense in additive: its scores are no dot products"),
        ("attention", 'masks = "causal"', "unknown option of attention 'masks': did you mean 'mask'?"),
        ("attention", "causal = true", "unknown option of attention 'causal': write mask = \"causal\""),
        ("rotary", 'base = "-2"', "base: expected a positive number"),
    ],
)
def test_a_setting_that_does_not_fit_is_named(lesson: Callable, name: str, wrong: str, message: str) -> None:
    with pytest.raises((FormulaError, ShapeError, UnknownNameError)) as caught:
        loads(lesson(name).replace("with = {  }", f"with = {{ {wrong} }}"))
    assert message in str(caught.value)


def test_a_letter_for_any_number_may_be_called_otherwise_and_clashes_with_nothing(lesson: Callable) -> None:
    text = lesson("rotary", {}, {})
    clash = text.replace("[[section]]", '[given.s]\nvalue = [["1"]]\n[[section]]', 1)

    assert loads(text).symbols == ("s",)
    with pytest.raises(UnknownNameError, match="speaks of any number s, and s is something else here"):
        loads(clash)
    assert loads(clash.replace('use = "rotary"', 'use = "rotary", names = { s = "r" }')).symbols == ("r",)
