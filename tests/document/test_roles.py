"""Roles: what roles.txt says of every scenario and every entry of the catalogue, whatever the names are; and words for
all of them in every language.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest
from sympy import MatrixSymbol

from symattn.base.shapes import Axis, Shape, shape
from symattn.base.words import folder_of, languages
from symattn.read.catalogue import entries, entry_named, plan
from symattn.read.catalogue.page import smallest_sizes
from symattn.read.plan import Plan, Step
from symattn.read.scenario.load import builtin_names, loads
from symattn.read.scenario.model import Scenario
from symattn.read.scenario.notation import NotAt, NotPartial
from symattn.show.build import scenario_names
from symattn.show.math import Accented, Letter, Number, Script
from symattn.show.notation.bases import chosen, head
from symattn.show.roles.find import ALONE, OPERATIONS, SAY_NOTHING, roles
from symattn.show.roles.legend import TOGETHER_IS
from symattn.show.roles.model import Purpose
from symattn.write.tex_math import tex
from tests.cases import solved

TOLD = {
    line.rpartition(": ")[0]: dict(each.split("=") for each in line.rpartition(": ")[2].split())
    for line in Path(__file__).with_name("roles.txt").read_text("utf-8").splitlines()
    if ": " in line
}
NAMED = {"E", "P"}
"""Of two givens that are added, only their names tell which says where a token stands."""


@cache
def plan_of(name: str) -> Plan:
    if name in builtin_names():
        return solved(name).derivation
    if "|" in name:
        return of_ones_own(name)
    entry, _, written = name.partition(",")
    chosen = dict(each.split("=") for each in written.split(",") if each)
    settings = {key: int(value) if value.isdigit() else value.split("+") for key, value in chosen.items()}
    settings |= {key: value[0] for key, value in settings.items() if isinstance(value, list) and len(value) == 1}
    return plan(entry, settings, smallest_sizes(entry_named(entry), settings))


@cache
def gradients_of(name: str) -> tuple[str, ...]:
    """The names of a scenario that are gradients, into whose formulas nothing is read."""
    notation = solved(name).scenario.notation if name in builtin_names() else {}
    return tuple(each for each, written in notation.items() if isinstance(written, NotPartial))


def trained_of(name: str) -> tuple[str, ...]:
    """The names of a scenario that are given weights after some steps of training."""
    notation, whole = solved(name).scenario.notation if name in builtin_names() else {}, plan_of(name)
    return tuple(each for each, at in notation.items() if isinstance(at, NotAt) and whole[at.x.text].is_given)


def of_ones_own(written: str) -> Plan:
    """``X 3×2, W 2×2 | Y = X @ W``."""
    given, *steps = written.split(" | ")
    found = Plan()
    for each in given.split(", "):
        name, size = each.split()
        found = found.given(name, shape(*map(int, size.split("×"))))
    for step in steps:
        name, _, formula = step.partition(" = ")
        found = found.step(name, formula)
    return found


def renamed(old: Plan) -> tuple[Plan, dict[str, str]]:
    """The same plan with names that say nothing."""
    new = {step.name: f"g_{i}" for i, step in enumerate(old.steps)}
    new |= {name: name for name in NAMED if name in new}

    def anew(step: Step) -> Step:
        if step.formula is None:
            return Step(new[step.name], step.shape, general=step.general)
        symbols = {each: MatrixSymbol(new[str(each.name)], *each.shape) for each in step.formula.atoms(MatrixSymbol)}
        return Step(new[step.name], step.shape, step.formula.xreplace(symbols), step.general)

    return Plan(tuple(map(anew, old.steps)), old.sizes, old.symbols, old.operations), new


@pytest.mark.long
@pytest.mark.parametrize("name", TOLD)
def test_what_everything_is_for(name: str) -> None:
    whole = plan_of(name)
    gradients = gradients_of(name)
    labelled = solved(name).scenario.labels if name in builtin_names() else ()
    trained = trained_of(name)
    found = {each: role.kind for each, role in roles(whole, gradients, labelled, trained).items()}
    assert found == TOLD[name]
    other, called = renamed(whole)
    again = roles(other, [called[each] for each in gradients], labelled, [called[each] for each in trained])
    assert {each: role.kind for each, role in again.items()} == {called[each]: found[each] for each in found}


def test_every_scenario_and_every_entry_is_told() -> None:
    assert set(TOLD) >= {*builtin_names(), *(entry.name for entry in entries())}


def macros(language: str) -> Mapping[str, set[str]]:
    text = "\n".join(path.read_text("utf-8") for path in (folder_of(language) / "pages").glob("*.j2"))
    found = re.findall(r"macro (\w+)\(([^)]*)\)", text)
    return {
        name: {argument.strip() for argument in arguments.split(",") if argument.strip()} for name, arguments in found
    }


@cache
def every_role() -> list[Purpose]:
    return [role for name in TOLD for role in roles(plan_of(name), gradients_of(name), ["V"]).values()]


@pytest.mark.parametrize("language", languages())
def test_every_role_and_every_reason_has_words(language: str) -> None:
    known = macros(language)
    found = every_role()
    kinds = (
        {role.kind for role in found}
        | set(ALONE.values())
        | OPERATIONS
        | set(TOGETHER_IS.values())
        | {"gradient", "jacobian"}
    )
    assert {f"role_{kind}" for kind in kinds} <= set(known)
    assert {name for name in known if name.startswith("role_")} == {f"role_{kind}" for kind in kinds}
    written = " ".join(
        path.read_text(encoding="utf-8") for path in sorted((folder_of(language) / "pages").glob("*.j2"))
    )
    nothing = r"macro role_(\w+)\(means(?:, words=\"\")?\) %}{% if means %}{% (?:else|elif words) %}"
    assert set(re.findall(nothing, written)) == SAY_NOTHING
    for role in found:
        example = {"row", "label", "shares", "more"} if role.why == "mixture" else set()
        if role.why:
            assert known[f"reason_{role.why}"] == {"name", *dict(role.about), *example}, role
    said = {f"reason_{role.why}" for role in found if role.why}
    assert {name for name in known if name.startswith("reason_")} - {"reason_unknown"} == said


def test_what_is_no_attention_is_not_called_so() -> None:
    plan = of_ones_own("X 3×2, y 3×1, I 2×2 | G = X.T @ X + I | H = G / 2 | c = X.T @ y | w = H @ c")
    assert {role.kind for role in roles(plan).values()}.isdisjoint(
        {"keys", "values", "queries", "mixture", "key_value"}
    )
    plan = of_ones_own("x 1×4, q 1×1 | s = -(q - x) ** 2 / 2 | a = softmax(s)")
    assert roles(plan)["x"].kind == "given"


@pytest.mark.parametrize(("formula", "kind"), [
    ("X - Y", "difference"),
    ("X + Y", "sum"),
    ("X / 2", "multiple"),
    ("(X + Y) / 2", "means"),
    ("(1 + X) / 2", "multiple"),
    ("max(X, axis=0)", "largest"),
    ("max(X, axis=None)", "number"),
])  # fmt: skip
def test_what_signs_make_is_called_by_them(formula: str, kind: str) -> None:
    assert roles(of_ones_own(f"X 3×2, Y 3×2 | Z = {formula}"))["Z"].kind == kind


def test_a_matrix_whose_rows_have_labels_is_no_layer() -> None:
    """Keys and values squeezed to k places: E and F mix the rows of words, and K and V make nothing."""
    words, places, wide = Axis(4, "n"), Axis(2, "k"), Axis(3, "d")
    whole = Plan()
    for name in "QKV":
        whole = whole.given(name, Shape(words, wide))
    for name in "EF":
        whole = whole.given(name, Shape(places, words))
    whole = whole.step("L", "E @ K").step("M", "F @ V").step("A", "softmax(Q @ L.T / sqrt(3))").step("Y", "A @ M")
    found = {name: role.kind for name, role in roles(whole, labelled=["n"]).items()}
    kinds = "queries given given given given product product weights mixture".split()
    assert [found[name] for name in "QKVEFLMAY"] == kinds


# -- In a document a letter means one matrix, and one that stands for a number means none ------------------------------


def must_be_apart(scenario: Scenario) -> None:
    names = scenario_names(scenario)
    written = {name: tex(base) for name, base in names.bases.items()}
    assert [base for base, count in Counter(written.values()).items() if count > 1] == []
    assert not {head(base) for base in names.bases.values()} & {*scenario.symbols, "i", "j"}


@pytest.mark.parametrize("name", builtin_names())
def test_two_matrices_of_a_scenario_never_share_a_letter(name: str) -> None:
    must_be_apart(solved(name).scenario)


def test_two_matrices_of_an_entry_of_the_catalogue_never_share_a_letter(lesson: Callable[..., str]) -> None:
    for entry in entries():
        must_be_apart(loads(lesson(entry.name)))


X = Letter("X")


@pytest.mark.parametrize(("symbol", "base"), [
    (X, "x"),
    (Letter("Gamma", "upright"), r"\mathrm{Gamma}"),
    (Letter("I"), "I"),
    (Letter("A"), "A"),
    (Accented("tilde", X), r"\tilde{x}"),
    (Accented("bold", X), "x"),
    (Script(Accented("hat", X), sub=Letter("Q")), r"\hat{x}^Q"),
    (Script(X, sub=Number("12")), "x^{(12)}"),
    (Script(X, sub=Letter("T")), "x^{(T)}"),
    (Script(X, sub=Letter("k")), "x^{(k)}"),
    (Script(X, sub=Letter("raw", "upright")), r"(X_{\mathrm{raw}})"),
    (Script(X, sup=Letter("T")), "(X^T)"),
    (Script(Letter("LN", "upright"), sub=Number("1")), r"(\mathrm{LN}_1)"),
])  # fmt: skip
def test_the_letter_of_a_name_by_itself(symbol: Letter, base: str) -> None:
    assert tex(chosen({"name": symbol}, {"a"})["name"]) == base
