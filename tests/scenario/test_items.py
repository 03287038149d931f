"""What the parts of a file are read as: items, quantities, claims, definitions, words, notation."""

from __future__ import annotations

import tomllib
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.base import limits
from symattn.base.errors import FormulaError, ScenarioError, SymattnError
from symattn.base.shapes import Axis, Shape, shape
from symattn.read.formula import Scope
from symattn.read.plan import Plan
from symattn.read.scenario import schema
from symattn.read.scenario.claims import plain_figure
from symattn.read.scenario.definitions import definitions, derive, read_axes
from symattn.read.scenario.fields import figures, matrix_field
from symattn.read.scenario.load import loads
from symattn.read.scenario.model import (
    ClaimedEntry,
    ClaimedOrder,
    ClaimedQuantity,
    ListingItem,
    NoteItem,
    ProveItem,
    QuantityItem,
    Scenario,
    SectionItem,
    ShowItem,
    StepItem,
    TensorItem,
    UnfoldItem,
    VarianceItem,
)
from symattn.read.scenario.notation import (
    NotAt,
    Notation,
    NotDecorated,
    NotDot,
    NotName,
    NotPartial,
    NotProduct,
    NotRow,
    NotSum,
    NotTranspose,
    notation_text,
    parse_notation,
)
from symattn.read.scenario.problem import Problem
from symattn.read.scenario.words import (
    FigureRef,
    FormulaRef,
    LabelRef,
    PlainText,
    RankedRef,
    SizeRef,
    SymbolRef,
    WordPart,
    Words,
    WordScope,
    parse,
)

PLAIN = """\
title = "t"
general.x = ["1", "n"]
given.X = [["1", "2"], ["3", "4"]]
given.W = [["1", "0"], ["0", "1"]]
[[section]]
title = "s"
"""


def items(*entries: str) -> tuple[SectionItem, ...]:
    text = PLAIN + "steps = [" + ", ".join(entries) + "]"
    return tuple(item for section in loads(text, path="l.toml").sections for item in section.items)


X, W = ShowItem("X"), ShowItem("W")
NOTE = Words({"en": (PlainText("a"),)})
SHOWN = "'X'", "'W'"
LATER = "'Q = X @ W'", "'Z = Q @ X'"


@pytest.mark.parametrize(("entries", "places", "found"), [
    ((*SHOWN, "'Q = X @ W'"), 2, (StepItem("Q", "X @ W"),)),
    ((*SHOWN, "' X '"), 2, (X,)),
    ((*SHOWN, "{step = 'Q = X @ W', decimals = 2, works = [2, 1]}"), 2, (StepItem("Q", "X @ W", 2, None, (2, 1)),)),
    ((*SHOWN, "{show = 'x', form = 'general'}"), 2, (ShowItem("x", "general"),)),
    ((*SHOWN, "{show = 'x', form = 'rows'}"), 2, (ShowItem("x", "rows"),)),
    ((*SHOWN, "{show = 'X', form = 'vectors', decimals = 3}"), 2, (ShowItem("X", "vectors", 3),)),
    ((*SHOWN, "{step = 'Q = X @ W', note.en = 'a'}"), 2, (StepItem("Q", "X @ W", note=NOTE),)),
    ((*SHOWN, "{note.en = 'a'}"), 2, (NoteItem(NOTE),)),
    # Items may look ahead.
    ((*SHOWN, "{show = 'Z', form = 'weighted'}", *LATER), 2, (ShowItem("Z", "weighted"),)),
    ((*SHOWN, "{unfold = 'Z'}", *LATER), 2, (UnfoldItem("Z"),)),
    ((*SHOWN, "{unfold = 'Z', to = ['Q'], called = 'Att'}", *LATER), 2, (UnfoldItem("Z", ("Q",), "Att"),)),
    ((*SHOWN, "{listing = 'r', of = 'Z'}", *LATER), 2, (ListingItem("r", ("Z",)),)),
    # A given that no item shows in any form is shown before its first use; symbols alone do not call for the numbers.
    (("'Y = X.T'", "'Q = Y @ W + X'"), 0, (X, StepItem("Y", "X.T"), W, StepItem("Q", "Y @ W + X"))),
    (("'Y = X.T'", "{show = 'X', form = 'general'}"), 0, (StepItem("Y", "X.T"), ShowItem("X", "general"))),
    (("{show = 'Q', form = 'general'}", "{unfold = 'Q'}", "'Q = X @ W'"), 2, (X, W)),
    (("{show = 'Q', form = 'weighted'}", "'Q = X @ W'"), 0, (X, W)),
])  # fmt: skip
def test_the_items_of_a_section(entries: tuple[str, ...], places: int, found: tuple[SectionItem, ...]) -> None:
    assert items(*entries)[places : places + len(found)] == found


STATEMENTS = """\
title = "t"
tokens = ["a", "b"]
sizes.d = 2
general.x = ["1", "d"]
general.G = ["n", "d"]
given.X = { value = [["1", "2"], ["3", "4"]], axes = ["n", "d"] }
[[section]]
title = "s"
"""


@pytest.mark.parametrize(("entry", "item"), [
    (
        "{prove = ['dot(X, X)', 'X @ X.T'], note = 'w'}",
        ProveItem("dot(X, X)", "X @ X.T", Words({"": (PlainText("w"),)})),
    ),
    # The given X has two rows, the general G any number: for all sizes both have n.
    ("{prove = ['X @ G.T', 'dot(X, G)']}", ProveItem("X @ G.T", "dot(X, G)")),
    ("{variance = 'dot(x, X) / sqrt(d)'}", VarianceItem("dot(x, X) / sqrt(d)")),
])  # fmt: skip
def test_a_statement_knows_its_place(entry: str, item: SectionItem) -> None:
    found = loads(f"{STATEMENTS}steps = [{entry}]").sections[0].items[-1]
    assert found == item
    assert isinstance(found, ProveItem | VarianceItem)
    assert found.key == ("section", 0, "steps", 0, entry[1:].partition(" ")[0])


# -- Quantities, tensors and claims as a scenario file writes them, and what does not fit ------------------------------


SIZED = """\
title = "t"
sizes = {m = 3, n = 2, B = 1, h = 2, w = 2}
given.X = {value = [["1", "0"], ["0", "1"], ["1", "1"]], axes = ["m", "n"]}
given.Y = [["1", "0"]]
general.U = ["D", "D"]
[[section]]
title = "s"
"""


def scenario(*entries: str, claim: str = "") -> Scenario:
    steps = "steps = [" + ", ".join(["'Z = X @ X.T'", *(f"\n{entry}" for entry in entries)]) + "]"
    rest = f"\n[[claim]]\nabout = 'a'\n{claim}" if claim else ""
    return loads(SIZED + steps + rest, path="l.toml")


def items_of(*entries: str) -> list[object]:
    found = [item for section in scenario(*entries).sections for item in section.items]
    return [item for item in found if not isinstance(item, ShowItem)][1:]


def test_an_item_of_a_quantity_and_one_of_a_tensor() -> None:
    quantity = QuantityItem("N", ((("m", 512),), (("m", 4),)))
    assert items_of("{quantity = 'N = m^2', at = [{m = 512}, {m = 4}]}") == [quantity]
    assert items_of("{tensor = 'T', of = ['X', 'X'], axes = ['B', 'h']}") == [TensorItem("T", ("X", "X"), ("B", "h"))]


def test_words_and_notation_may_name_a_quantity_or_a_tensor_before_it_is_defined() -> None:
    text = SIZED.replace("[[section]]", "notation.T = 'bold(A)'\n[[section]]\nintro = '{N} {T} {math: 2 * N}'")
    steps = "steps = [{quantity = 'N = m'}, {tensor = 'T', of = ['X'], axes = ['B']}]"
    read = loads(text + steps)
    intro = read.sections[0].intro
    assert intro is not None
    assert [part.name for part in intro.pick("en", "en") if isinstance(part, SymbolRef)] == ["N", "T"]
    assert list(read.notation) == ["T"]
    assert read.place("T").endswith("section[1].steps[2].tensor")


QUANTITIES = ("{quantity = 'N = m^2'}", "{quantity = 'L = multiplications(U @ U)'}")


@pytest.mark.parametrize(("text", "subject"), [
    ("says = '1'\nvalue = 'Z[2,3]'", ClaimedEntry("Z", 2, 3)),
    ("says = '1'\nvalue = 'N'", ClaimedQuantity("N")),
    ("says = '262,144'\nvalue = 'N'\nat = {m = 512}", ClaimedQuantity("N", (("m", 512),))),
    ("says = '27'\nvalue = 'L'\nat = {D = 3}", ClaimedQuantity("L", (("D", 3),))),
    ("says = 'O(1)'\norder_of = 'N'\nin = 'm'", ClaimedOrder("N", "m")),
    ("says = 'three times as fast'", None),
])  # fmt: skip
def test_a_claim(text: str, subject: object) -> None:
    (claim,) = scenario(*QUANTITIES, claim=text).claims
    assert claim.subject == subject


def test_claims_are_an_array_of_tables() -> None:
    with pytest.raises(SymattnError, match=r"claim: expected \[\[claim\]\] with two brackets"):
        loads(SIZED + "[claim]\nsays = '1'")


@pytest.mark.parametrize(("says", "plain"), [
    ("262,144", "262144"),
    ("1,234,567.50", "1234567.50"),
    ("-1 000", "-1000"),
    ("1,49", "1,49"),
    ("1,000 000", "1,000 000"),
    ("0.5", "0.5"),
])  # fmt: skip
def test_thousands_may_be_separated(says: str, plain: str) -> None:
    assert plain_figure(says) == plain


@pytest.mark.parametrize(
    ("text", "value"),
    [("2 m n", 12), ("2n² + √(h + w)", 10), ("m × n - 1", 5), (r"\frac{m}{n} \cdot n", 3), ("3n", 6), ("m·n", 6)],
)
def test_a_quantity_is_written_as_any_formula_is(text: str, value: int) -> None:
    quantity = scenario(f"{{ quantity = 'q = {text}' }}").quantities["q"]
    assert (
        quantity.value.subs({symbol: {"m": 3}.get(str(symbol), 2) for symbol in quantity.value.free_symbols}) == value
    )


# -- Axes, definitions and the derivation: what fits, and where it does not --------------------------------------------


TITLE = 'title = "t"\n'
GIVEN_X = 'given.X = [["1", "2"], ["3", "4"]]\n'


def plan(text: str) -> Plan:
    file = schema.read_tables(tomllib.loads(TITLE + text))
    return derive(file, read_axes(file), definitions(file))


def test_only_axes_names_axes() -> None:
    text = """
    tokens = ["a", "b"]
    token_axis = "L"
    sizes.d = 2
    labels.v = ["x", "y", "z"]
    given.E = [["1", "2"], ["3", "4"]]
    given.P = {value = [["1", "2"], ["3", "4"]], axes = ["L", "d"]}
    given.b = {value = [["1", "2", "3"]], axes = ["1", "v"]}
    """
    derivation = plan(text)
    assert [str(step.shape) for step in derivation.steps] == ["(2, 2)", "(L=2, d=2)", "(1, v=3)"]
    assert derivation.sizes == {"L": 2, "d": 2, "v": 3}


def test_the_first_given_without_axes_that_has_a_row_for_each_token_has_them_as_rows() -> None:
    tokens = 'tokens = ["a", "b", "c"]\n'
    others = 'labels.v = ["x", "y"]\ngiven.E = {value = [["1", "2"]], axes = ["1", "v"]}\n'
    rows, square = '[["1", "2"], ["3", "4"], ["5", "6"]]', '[["1", "2"], ["3", "4"]]'
    text = f"{others}given.W = {square}\ngiven.P = {rows}\ngiven.R = {rows}"
    shapes = [str(step.shape) for step in plan(tokens + text).steps]
    assert shapes == ["(1, v=2)", "(2, 2)", "(n=3, 2)", "(3, 2)"]
    shapes = [str(step.shape) for step in plan(f"{tokens}given.H = [{rows}, {rows}]\ngiven.P = {rows}").steps]
    assert shapes == ["(n=3, 2)", "(n=3, 2)", "(3, 2)"]


def test_givens_come_first_then_general_names_then_steps() -> None:
    derivation = plan(
        f'general.x = ["1", "p"]\nsizes.d = 2\n{GIVEN_X}[[section]]\ntitle = "s"\n'
        "steps = ['Y = X.T', {step = ' Z=X @ Y '}, 's = dot(x, x)']"
    )
    assert [step.name for step in derivation.steps] == ["X", "x", "Y", "Z", "s"]
    assert [step.name for step in derivation.steps if step.general] == ["x", "s"]
    assert str(derivation["x"].shape) == "(1, p)"
    assert derivation.sizes == {"p": "p", "d": 2}


def test_matrices_have_a_limit_and_it_is_looked_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "given.u = [['1', '2', '3']]\n[[section]]\ntitle = 's'\nsteps = ['Y = u.T @ u']"
    assert plan(text)["Y"].shape.sizes == (3, 3)
    monkeypatch.setattr(limits, "MATRIX_ENTRIES", 8)
    with pytest.raises(Problem, match="more than MATRIX_ENTRIES = 8 entries"):
        plan(text)
    monkeypatch.setattr(limits, "MATRIX_ENTRIES", 3)
    with pytest.raises(Problem, match="more than MATRIX_ENTRIES = 3 numbers"):
        matrix_field([["x", "x"], ["x"]])


def test_a_matrix_and_printed_figures_keep_how_they_were_written() -> None:
    assert matrix_field([["0.10", " 1/3 "], [-2, "-10^9"]]).texts == (("0.10", "1/3"), ("-2", "-10^9"))
    rows = [["0", "1.414214 0", 1], ["1.5*10^9", "-oo"]]
    assert figures(rows) == (("0", "1.414214 0", "1"), ("1.5*10^9", "-oo"))


# -- Words: what stands in braces, the choice of a language, and what is refused ---------------------------------------


KNOWN = WordScope(
    Scope(
        {"A": shape(2, 3), "X": shape(3, 3), "x": Shape(Axis(1), Axis("n", "n")), "s": shape(1, 1)},
        {"d_k": 4, "n": "n"},
    ),
    {"L": ("a", "b"), "vocabulary": ("{A}",)},
    "L",
    frozenset({"x", "s"}),
)


@pytest.mark.parametrize(("text", "parts"), [
    ("", ()),
    ("100 % of $5 \\input{{x}} <b> a_b", (PlainText("100 % of $5 \\input{x} <b> a_b"),)),
    ("{{{A}}}", (PlainText("{"), SymbolRef("A"), PlainText("}"))),
    ("{A}{d_k}{softmax}{n}", (SymbolRef("A"), SymbolRef("d_k"), SymbolRef("softmax"), SymbolRef("n"))),
    ("{ A }", (SymbolRef("A"),)),
    ("{A[2,3]} {A[ 1 , 1 ]}", (FigureRef("A", 2, 3), PlainText(" "), FigureRef("A", 1, 1))),
    ("{token:2}{token: 1}", (LabelRef("L", 2), LabelRef("L", 1))),
    ("{label:vocabulary:1}", (LabelRef("vocabulary", 1),)),
    ("{largest:A[2]}{ smallest_value : A[ 1 ]}", (RankedRef("A", 2, "largest"), RankedRef("A", 1, "smallest", True))),
    ("{size:d_k}", (SizeRef("d_k"),)),
    ("{math: A @ X / sqrt(d_k)}", (FormulaRef("A @ X / sqrt(d_k)"),)),
    ("{math:-10^9}", (FormulaRef("-10^9"),)),
    ("{math: layer_norm(A, epsilon=10^-5)}", (FormulaRef("layer_norm(A, epsilon=10^-5)"),)),
])  # fmt: skip
def test_reads(text: str, parts: tuple[WordPart, ...]) -> None:
    assert parse(text, KNOWN) == parts


def test_the_place_of_a_problem_has_the_language() -> None:
    with pytest.raises(Problem) as problem:
        Words.read({"en": "fine", "zh-Hans": "{B}"}, KNOWN, ("section", 0, "need"))
    assert problem.value.key == ("section", 0, "need", "zh-Hans")
    with pytest.raises(Problem) as problem:
        Words.read({"": "{B}"}, KNOWN, ("intro",))
    assert problem.value.key == ("intro",)


@pytest.mark.parametrize(("languages", "language", "source", "picked"), [
    (["zh-Hant", "zh-Hans", "en"], "zh-Hans", "zh-Hant", "zh-Hans"),
    ([""], "zh-Hans", "zh-Hant", ""),
    (["zh-Hant", "en"], "zh-Hans", "zh-Hant", "zh-Hant"),
    (["zh-Hant", "en"], "zh-Hans", "zh-Hans", "en"),
    (["zh-Hant"], "en", "zh-Hans", "zh-Hant"),
])  # fmt: skip
def test_pick(languages: list[str], language: str, source: str, picked: str) -> None:
    words = Words.read({name: name for name in languages}, KNOWN)
    assert words.pick(language, source) == ((PlainText(picked),) if picked else ())


@settings(max_examples=40)
@given(st.text(max_size=60))
def test_doubled_braces_print_as_themselves(text: str) -> None:
    parts = parse(text.replace("{", "{{").replace("}", "}}"), KNOWN)
    assert parts == ((PlainText(text),) if text else ())


@settings(max_examples=40)
@given(st.text(st.sampled_from("{}[]:,12AXx_dk mathtoken@+/^."), max_size=40))
def test_any_words(text: str) -> None:
    with suppress(ScenarioError):
        parse(text, KNOWN)


# -- The language of ``[notation]``: what it reads, what it refuses, and that nothing else comes out -------------------


A, B, C = NotName("A"), NotName("B"), NotName("C")


@pytest.mark.parametrize(("text", "tree"), [
    ("A", A),
    ("  A ", A),
    ("A @ B @ C", NotProduct((A, B, C))),
    ("A @ (B @ C)", NotProduct((A, NotProduct((B, C))))),
    ("A + B + C", NotSum((A, B, C))),
    ("(A + B) @ C", NotProduct((NotSum((A, B)), C))),
    ("(A @ B).T", NotTranspose(NotProduct((A, B)))),
    ("A.T.T", NotTranspose(NotTranspose(A))),
    ("tilde(A)", NotDecorated("tilde", A)),
    ("hat(bold(A))", NotDecorated("hat", NotDecorated("bold", A))),
    ("bar(A).T", NotTranspose(NotDecorated("bar", A))),
    ("row(A, 2)", NotRow(A, 2)),
    ("row(tilde(A), 2)", NotRow(NotDecorated("tilde", A), 2)),
    ("dot(A, B)", NotDot(A, B)),
    ("grad(A, B)", NotPartial(A, B)),
    ("at(A, 1)", NotAt(A, 1)),
    ("grad(A, B, C)", NotPartial(A, B, C)),
    ("grad(A, B).T @ C", NotProduct((NotTranspose(NotPartial(A, B)), C))),
])  # fmt: skip
def test_reads_and_writes_back(text: str, tree: Notation) -> None:
    assert parse_notation(text) == tree
    assert parse_notation(notation_text(tree)) == tree


@pytest.mark.parametrize("text", ["at(A)", "at(A, B)", "at(A, -1)", "at(A, 1/2)", "at(A.T, 1)", "at(A, True)"])
def test_a_name_after_steps_of_training_is_a_name_and_a_number(text: str) -> None:
    with pytest.raises(FormulaError, match=r"expected at\(X, 1\): a name and a number of steps"):
        parse_notation(text)


@pytest.mark.parametrize("text", ["grad(A)", "grad(A, B, C, A)", "grad(A, B.T)", "grad(A, B, 2)", "grad(hat(A), B)"])
def test_a_gradient_is_of_names(text: str) -> None:
    with pytest.raises(
        FormulaError, match=r"expected grad\(L, X\), or grad\(L, X, Q\) for what comes through Q: names"
    ):
        parse_notation(text)


def test_the_depth_is_counted() -> None:
    parse_notation("A" + ".T" * 60)
    with pytest.raises(FormulaError, match="nested deeper than FORMULA_DEPTH = 60"):
        parse_notation("A" + ".T" * 61)


@settings(max_examples=40)
@given(st.one_of(st.text(max_size=40), st.text(st.sampled_from("AB@+.T(),12 hatdorw\\'\""), max_size=40)))
def test_any_notation(text: str) -> None:
    with suppress(FormulaError):
        parse_notation(text)
