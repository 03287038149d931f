"""Every entry of the catalogue: derived, written by init, called by other names, printed, told in every language."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

from symattn import derive
from symattn.api.starter import start
from symattn.base.errors import FormulaError, ScenarioError, ShapeError, UnknownNameError, letters
from symattn.base.shapes import addends
from symattn.base.words import languages, table
from symattn.cli import main
from symattn.compute.solution.quantities import QuantityValues
from symattn.read.catalogue import entries, entry_named, plan
from symattn.read.catalogue.entries import entry_called, entry_sentences, entry_words, example_lines, lines
from symattn.read.catalogue.model import (
    CatalogueEntry,
    CountLine,
    EntryLine,
    HeadingLine,
    Input,
    Note,
    Prove,
    StepLine,
    _sources,
)
from symattn.read.catalogue.page import FAMILIES, book, overview
from symattn.read.scenario.load import loads
from symattn.read.scenario.toml import toml_text
from symattn.read.scenario.words import Words, WordScope
from symattn.write.formats import FORMATS
from tests.commands import run
from tests.conftest import choices

# -- every choice of every option: in letters, in a scenario, under other names ----------------------------------------


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


@pytest.mark.long
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


def test_a_decoding_step_and_as_many_groups_as_heads_are_other_entries_again(lesson: Callable) -> None:
    """The rows before it come from the same projections; the new token is the last row of X."""
    text = lesson("attention", {"mask": "causal", "bias": True})
    n = loads(text).derivation["X"].shape.sizes[0]
    before = f'"x = row(X, {n})", "K_past = rows(K, 1, {n - 1})", "V_past = rows(V, 1, {n - 1})"'
    names = 'names = { K_cache = "K_past", V_cache = "V_past" }, suffix = "_step"'
    use = f'{{ use = "decoding_step", with = {{ bias = true }}, {names} }}'
    step = derive(loads(text.replace("}]\n", "}, " + before + f", {use}]\n")))

    assert step["o_step"].decimals(30) == step["O"].decimals(30)[-1:]
    assert step["a_step"].decimals(30) == step["A"].decimals(30)[-1:]
    many = lesson("multi_head", {"heads": 2, "mask": "causal"})
    grouped = many.replace('use = "multi_head", with = { ', 'use = "grouped_query", with = { kv_heads = 2, ')
    assert many != grouped
    assert derive(loads(many))["O"].decimals(20) == derive(loads(grouped))["O"].decimals(20)


@pytest.mark.parametrize(("name", "wrong", "message"), [
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
    ("attention", 'mask = "X + X"', "mask: expected none, causal, padding, window, the name of a matrix, or a list"),
    ("attention", 'mask = "W_Q"', "mask: W_Q is a matrix here and a name of attention: write a step such as"),
    ("attention", 'score_bias = "X"', "score_bias: X is a matrix here and a name of attention"),
    ("attention", "window = 3", 'window counts only with mask = "window": set both, or leave window out'),
    ("attention", 'positions = "alibi", base = 3', 'base counts only with positions = "rotary"'),
    ("block", 'gate = "swiglu", activation = "relu"', 'activation counts only with gate = "none"'),
    ("block", "output = true", "output = 'True' makes no sense in block: what attention found has to be as wide"),
    ("cross_attention", 'mask = "causal"', "mask = 'causal' makes no sense in cross_attention: queries and keys are"),
    ("decoding_step", 'mask = ["window", "causal"]', "mask = 'causal' makes no sense in decoding_step: what is kept"),
    ("similarity", "heads = 2", "heads = '2' makes no sense in similarity: no weights make queries, keys and values"),
    ("additive", "scale = 2", "scale = '2' makes no sense in additive: its scores are no dot products"),
    ("attention", 'masks = "causal"', "unknown option of attention 'masks': did you mean 'mask'?"),
    ("attention", "causal = true", "unknown option of attention 'causal': write mask = \"causal\""),
    ("rotary", 'base = "-2"', "base: expected a positive number"),
])  # fmt: skip
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


# -- Every entry of the catalogue derives as `init` writes it ----------------------------------------------------------


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


@pytest.mark.long
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
    sizes = {"d_model": 2, "d_k": 2, "d_v": 2, "d_ff": 3}
    data = tomllib.loads(start(TOKENS, random=Random(7), use=("block",), settings={"mask": "causal"}, sizes=sizes))
    for line in NEARLY_ZERO.strip().splitlines():
        name, _, rows = line.partition(" ")
        data["given"][name]["value"] = [row.split(",") for row in rows.split(";")]
    solution = derive(loads(toml_text(data)))
    for language, sentence in {
        "en": "7 of the 9 entries are negative and become 0; the others stay as they are. For 1 entry it is not",
        "zh-Hant": "9 個元素中有 7 個是負數，變成 0；其餘不變。另有 1 個元素太接近 0，無法確定是不是負數",
        "zh-Hans": "9 个元素中有 7 个是负数，变成 0；其余不变。另有 1 个元素太接近 0，无法确定是不是负数",
    }.items():
        assert sentence in solution.render(language=language, detail="result")


@pytest.mark.long
def test_wide_vectors_have_a_page_too() -> None:
    """Their scores are large, and four heads are twice as wide as the vectors."""
    text = start(TOKENS[:2], random=Random(7), use=("grouped_query",), sizes={"d_model": 16})
    assert derive(loads(text)).render(detail="result").startswith("# ")


# -- What a saving amounts to, counted once more in the matrices themselves --------------------------------------------


def counted(name: str, **settings: Any) -> tuple[dict[str, int], Callable[[str], int]]:
    """The quantities of a lesson, and the number of entries of its matrices."""
    solution = derive(loads(start(TOKENS, random=Random(7), use=(name,), settings=settings)))
    values = QuantityValues(solution.store, solution.scenario.quantities)
    found = {each: int(values.exact(each)) for each in solution.scenario.quantities}
    return found, lambda matrix: len(solution[matrix].decimals(3)) * len(solution[matrix].decimals(3)[0])


def test_shared_keys_and_values_are_fewer_numbers() -> None:
    found, entries_of = counted("grouped_query")
    assert found == {"N_own": 2 * entries_of("Q"), "N_shared": entries_of("K") + entries_of("V")}
    assert not counted("grouped_query", heads=2, kv_heads=2)[0]


def test_a_cache_saves_the_rows_before() -> None:
    found, entries_of = counted("decoding_step")
    new = sum(entries_of("x") * entries_of(f"W_{name}") // entries_of("x") for name in "QKV")
    assert found == {"N_new": new, "N_again": new * entries_of("K") // entries_of("k")}


def test_a_window_leaves_fewer_pairs() -> None:
    found, entries_of = counted("attention", mask=("window",))
    # A band of three tokens, each with its neighbours: all pairs but the two corners.
    assert found == {"N_pairs": entries_of("A"), "N_seen": entries_of("A") - 2}


def test_a_summary_takes_fewer_multiplications_than_pairs() -> None:
    n, d = 3, 2
    assert counted("linear_attention")[0] == {"N_pairs": n * d * n + n * n * d, "N_summary": d * n * d + n * d * d}
    found, entries_of = counted("linear_attention_causal")
    state = entries_of("S_3") + entries_of("z_3")
    assert found == {"N_cache": entries_of("K") + entries_of("V"), "N_state": state}


def test_blocks_keep_less_than_a_whole_matrix() -> None:
    for name, matrices in {"online_softmax": "S_2 m_2 l_2", "blocked_attention": "S_2 m_2 l_2 O_2"}.items():
        found, entries_of = counted(name)
        assert found == {"N_whole": 3 * 4, "N_blocks": sum(map(entries_of, matrices.split()))}


# -- Entries of the catalogue by the other names that are in use for them ----------------------------------------------


def test_every_alias_leads_to_its_entry_alone_however_it_is_spelled() -> None:
    names = [letters(name) for entry in entries() for name in (entry.name, *entry.aliases)]
    assert len(names) > 60
    assert len(set(names)) == len(names)
    for entry in entries():
        for alias in entry.aliases:
            spellings = (alias, alias.upper(), alias.replace("_", "-"), alias.replace("_", " "))
            assert [entry_called(each) for each in spellings] == [entry] * len(spellings)


@pytest.mark.long
@pytest.mark.parametrize(
    ("alias", "name"), [("rope", "rotary"), ("gqa", "grouped_query"), ("kv_cache", "decoding_step")]
)
def test_the_command_shows_the_entry_of_an_alias(alias: str, name: str) -> None:
    assert run("catalogue", alias).output == run("catalogue", name).output != ""
    assert run("catalogue", alias, "--backward").output == run("catalogue", name, "--backward").output


# -- The catalogue as it is printed: docs/catalogue.md is what the program writes, and the command shows every entr ----


ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.long
def test_the_page_in_docs_is_the_one_that_the_catalogue_writes_and_the_readme_counts_right() -> None:
    written = book()
    assert (ROOT / "docs" / "catalogue.md").read_text(encoding="utf-8") == written
    assert written.count("| starts from | shape | is |") == written.count("\nSource: ") == len(entries())
    assert " |  |" not in written, "every input and option says what it is"
    (count,) = re.findall(r"holds (\d+) ready-made", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert int(count) == len(entries())
    assert {entry.family for entry in entries()} == set(FAMILIES)


def test_the_list_and_the_command_show_every_entry_and_name_the_nearest() -> None:
    for language in languages():
        lines = overview(language).splitlines()
        for entry in entries():
            (place,) = (number for number, line in enumerate(lines) if line.startswith(f"  {entry.name} "))
            assert len(lines[place].split(maxsplit=1)) == 2, "a title follows the name"
            listed = [line.split()[0] for line in lines[place + 1 : place + 1 + len(entry.options)]]
            assert listed == [option.name for option in entry.options]
    run = CliRunner().invoke
    assert "rotary" in run(main, ["catalogue"]).output
    assert run(main, ["catalogue", "greedy"]).output.startswith("### `greedy`: Greedy choice")
    result = run(main, ["catalogue", "gredy"])
    assert result.exit_code == 2
    assert "unknown catalogue entry 'gredy': did you mean 'greedy'?" in result.output


# -- The words of the catalogue: there in every language, about names the entry has, and none left over ----------------


NO_REASON = "-"
"""The key of a step that says nothing of its own."""

Place = tuple[str, ...]


def places_of(line: EntryLine) -> tuple[Place, ...]:
    """Where a line looks for words."""
    match line:
        case Input():
            return (("inputs", line.told),)
        case StepLine(name, _, because) if because != NO_REASON:
            return (("because", because or name),)
        case Prove(_, _, note) if note:
            return (("notes", note),)
        case Note(key) | CountLine(_, _, key):
            return (("notes", key),)
        case HeadingLine(key):
            return tuple(("sections", each, part) for each in ("inputs", key) for part in ("title", "need"))
    return ()


def said_by(entry: CatalogueEntry, chosen: Mapping[str, Any]) -> Iterator[Place]:
    return (place for line in example_lines(entry, chosen) for place in places_of(line))


def places(entry: CatalogueEntry) -> set[Place]:
    """Where an entry looks for words, whatever is chosen."""
    said = {place for chosen in choices(entry) for place in said_by(entry, chosen)}
    told = {("title",), ("about",), ("opening",), ("conclusion",)}
    return said | told | {("options", option.name) for option in entry.options}


def leaves(found: Mapping[str, Any], at: Place = ()) -> Iterator[Place]:
    for key, value in found.items():
        if isinstance(value, dict):
            yield from leaves(value, (*at, key))
        else:
            yield (*at, key)


@pytest.mark.long
@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_an_entry_has_all_its_words_and_they_speak_of_names_that_it_has(entry: CatalogueEntry) -> None:
    for kind in ("opening", "conclusion"):
        counted = {language: len(texts) for language, texts in entry_sentences(entry, kind).items()}
        assert set(counted) == set(languages())
        assert len(set(counted.values())) == 1, counted
    for place in sorted(places(entry) - {("opening",), ("conclusion",)}):
        found = entry_words(entry, *place)
        # A step without a reason of its own has the general one.
        assert place[0] == "because" or sorted(found or ()) == sorted(languages()), place
        if found and place[0] in ("title", "about", "inputs", "options"):
            # They stand in lists, where no name of an entry is known.
            assert not set("{}") & set("".join(found.values())), place
    for chosen in choices(entry):
        known = WordScope(plan(entry.name, chosen, entry.sizes_for(chosen)).scope)
        for place in said_by(entry, chosen):
            if place[0] != "inputs" and (found := entry_words(entry, *place)):
                assert Words.read(found, known).texts.keys() == found.keys()


def test_words_that_one_language_lacks_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = entry_named("attention")
    lacking = lambda language, file: {} if language == "zh-Hans" else table(language, file)  # noqa: E731
    monkeypatch.setitem(entry_words.__globals__, "table", lacking)
    with pytest.raises(
        ScenarioError, match=r"^language/zh-Hans/catalogue/attention\.toml: \[attention\] has no title, "
    ):
        entry_words(entry, "title")
    assert entry_words(entry, "because", "nothing") is None


def test_no_words_are_left_over() -> None:
    used: set[Place] = set()
    for entry in entries():
        own = set(leaves(table("en", f"catalogue/{entry.family}")[entry.name]))
        assert own <= places(entry), entry.name
        used |= places(entry) - own
    assert [place for place in leaves(table("en", "catalogue/shared")) if place not in used] == []
    for family in {entry.family for entry in entries()}:
        assert set(table("en", f"catalogue/{family}")) == {e.name for e in entries() if e.family == family}
