"""Every operation at every stage of a lesson: each has something right to say, or stands in a table below.

A stage is asked with the examples of ``tests/examples.py``, and what it says is held against another road where that is
cheap. Where an operation has nothing to say, :data:`NOTHING_TO_SAY` has the reason. What answers by the quiet default
of a dispatch, which would answer for an operation that nobody thought of too, is a gap: :data:`GAPS` lists those that
are left, and may only become shorter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import arb, arb_mat
from sympy import Expr, ImmutableDenseMatrix, MatrixSymbol, Rational, Symbol

from symattn.api import WorkedSolution, derive
from symattn.authoring.stub import PATH
from symattn.document.general_entry import general_entry
from symattn.document.kinds import KINDS
from symattn.document.letters import Letters
from symattn.document.math import Letter
from symattn.document.notation import Names as Notation
from symattn.document.notation import formula as notation
from symattn.document.shape_line import shape_line
from symattn.document.worked import entry_work, row_work
from symattn.document.working import Work, plain
from symattn.errors import DomainError, NoValueError
from symattn.functions import TABLE
from symattn.listing import LANGUAGES
from symattn.listing.double import computed, in_double
from symattn.listing.language import Writer
from symattn.operations import NODES
from symattn.operations.symbols import entry_symbol
from symattn.proof import definitions
from symattn.proof.error import ProofError
from symattn.proof.tree import Indices
from symattn.render.environment import languages, words
from symattn.scenario.load import loads
from symattn.solution import Solution
from symattn.solution.domain import certify_domain
from symattn.values.alike import LARGEST_PRODUCT, Kinds, alike
from symattn.values.ball import ball
from symattn.values.closed_form import closed_form_size
from symattn.values.cost import cost, products
from symattn.values.ends import Interval, Intervals, to_balls
from symattn.values.exact import exact
from symattn.values.float64 import float64
from symattn.values.hand import by_hand, exactly, hand
from symattn.values.interval import interval
from symattn.values.logarithm import logs_of
from symattn.values.number import at_precision
from symattn.values.rational import rational, to_fmpq
from tests.examples import EXAMPLES, FORMULAS, MATRICES, SHAPES, VALUES, Example, Names, ball_of, numbers
from tests.readback.page import read_solution

ROOT = Path(__file__).resolve().parent.parent
BITS = 192
Solve = Callable[..., Solution]


@dataclass(frozen=True)
class Case:
    """An example with values for its names, as the step R of a solution, and what its value is."""

    example: Example
    values: str
    solve: Solve

    @property
    def node(self) -> Any:
        return self.example.node

    @property
    def used(self) -> list[str]:
        """The names in the formula."""
        return sorted(symbol.name for symbol in self.node.atoms(MatrixSymbol))

    @cached_property
    def names(self) -> Names:
        return Names(self.values)

    def over(self, values: str) -> Case:
        """The same with other values."""
        return case(self.example, values, self.solve)

    @cached_property
    def exact(self) -> ImmutableDenseMatrix:
        return exact(self.node, self.names)

    @cached_property
    def ball(self) -> arb_mat:
        with at_precision(BITS):
            return ball(self.node, self.names.ball)

    def holds(self, found: arb_mat) -> bool:
        """Whether a matrix of balls holds the value."""
        with at_precision(BITS):
            same = (found.nrows(), found.ncols()) == (self.ball.nrows(), self.ball.ncols())
            return same and all(x.overlaps(y) for x, y in zip(found.entries(), self.ball.entries(), strict=True))

    @cached_property
    def solution(self) -> Solution:
        return self.solve({name: VALUES[self.values][name] for name in self.used}, f"R = {self.example.text}")

    @cached_property
    def lesson(self) -> WorkedSolution:
        """The same as the scenario that somebody would write."""
        given = "\n".join(f"{name} = {json.dumps(VALUES[self.values][name])}" for name in self.used)
        steps = f'steps = ["R = {self.example.text}"]'
        return derive(loads(f'title = "Q"\n[given]\n{given}\n[[section]]\ntitle = "R"\n{steps}'))

    @cached_property
    def letters(self) -> Letters:
        shapes = {**SHAPES, "R": self.solution.shape("R")}
        return Letters.choose(Notation(), ["R", *self.used], shapes).beside(self.node)

    @cached_property
    def work(self) -> Work:
        return Work(self.solution, self.letters, "R")


@cache
def case(example: Example, values: str, solve: Solve) -> Case:
    return Case(example, values, solve)


# The stages. Each asserts that what it hears is right, and answers whether it heard anything.

Stage = Callable[[Case], bool]


def of_entry(case: Case) -> bool:
    """What SymPy is told of entry (i, j), with numbers put in."""
    found = case.names.substituted(case.node)
    with at_precision(BITS):
        assert case.holds(arb_mat(found.rows, found.cols, [ball_of(x) for x in found]))
    return True


def of_balls(case: Case) -> bool:
    with at_precision(BITS):
        assert all(x.is_finite() and x.rad() < arb("1e-40") for x in case.ball.entries())
        return all(x.overlaps(ball_of(y)) for x, y in zip(case.ball.entries(), case.exact, strict=True))


def of_exact(case: Case) -> bool:
    assert case.exact.shape == tuple(map(int, case.node.shape))
    assert np.allclose(numbers(case.exact), float64(case.node, case.names.float64), rtol=1e-12, atol=1e-12)
    return True


def of_float64(case: Case) -> bool:
    with at_precision(BITS):
        near = float64(case.node, case.names.float64).ravel()
        assert all(abs(arb(float(x)) - y) < arb("1e-12") for x, y in zip(near, case.ball.entries(), strict=True))
    return True


def of_rational(case: Case) -> bool:
    """Whether what is rational is known to be."""
    found = rational(case.node, case.names.rational)
    if found is None:
        return not all(x.is_Rational for x in case.exact) or case.values != "rational"
    assert [Rational(int(x.p), int(x.q)) for x in found.entries()] == list(case.exact)
    return True


def of_logarithms(case: Case) -> bool:
    """Whether what is made of logarithms of rationals is known to be."""
    case = case.over("logarithms")
    truth = logs_of(list(case.exact), *case.exact.shape)
    if truth is None or not truth.has_logarithms:
        return True
    found = case.solution.logarithms.value("R")
    assert found is None or all(
        found.entry(i, j) == truth.entry(i, j) for i in range(case.exact.rows) for j in range(case.exact.cols)
    )
    return found is not None


def of_hand(case: Case) -> bool:
    with at_precision(BITS):
        return case.holds(hand(case.node, case.names.ball, exactly))


def of_alike(case: Case) -> bool:
    """Entries with the same number are the same, whether products are looked at one by one or by whole rows."""
    case = case.over("twins")
    for largest in (LARGEST_PRODUCT, 0):
        kinds = Kinds()
        rows = {name: kinds.of_values(matrix.tolist()) for name, matrix in MATRICES["twins"].items()}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("symattn.values.alike.LARGEST_PRODUCT", largest)
            found = alike(case.node, rows.__getitem__, kinds)
        assert [len(found), len(found[0])] == list(case.exact.shape)
        values: dict[int, arb] = {}
        for number, value in zip((x for row in found for x in row), case.ball.entries(), strict=True):
            assert values.setdefault(number, value).overlaps(value)
    return True


def of_interval(case: Case) -> bool:
    """Wherever the entries of the names are in their boxes, the value is in what comes of the boxes."""
    try:
        with at_precision(BITS):
            found = [cell for row in interval(case.node, lambda name: _box(name, 0, 1)) for cell in row]
            for share in (0, Rational(1, 3), 1):
                inside = ball(case.node, lambda name, share=share: to_balls(_box(name, share, share)))
                for cell, value in zip(found, inside.entries(), strict=True):
                    assert cell.hidden or not (value < cell.low or value > cell.high)
                    assert cell.hidden or cell.high - cell.low < 10
    except NoValueError:
        return False
    return True


def _box(name: str, low: Expr | int, high: Expr | int) -> Intervals:
    """Boxes around the rational values, or shares of them; ids are what they are."""
    width = 0 if name == "ids" else Rational(1, 100)
    return tuple(
        tuple(Interval(*(to_fmpq(x + share * width) for share in (low, high))) for x in row)
        for row in MATRICES["rational"][name].tolist()
    )


def of_cost(case: Case) -> bool:
    return cost(case.node) >= int(case.node.shape[0]) * int(case.node.shape[1])


def of_products(case: Case) -> bool:
    """One matrix alone is no product."""
    return products(case.node) > 0 or sum(arg.is_Matrix for arg in case.node.args) == 1


def of_size(case: Case) -> bool:
    """A closed form holds about as many numbers as SymPy's own entry, and more where the names hold more."""
    small, large = (closed_form_size(case.node, lambda _, size=size: size) for size in (1, 5))
    assert large == (5 * small if case.used else small)
    return small >= 1


def of_domain(case: Case) -> bool:
    """What it lets through has a value, whatever the names are."""
    for values in ("zeros", "negatives", "twins"):
        other = case.over(values)
        try:
            certify_domain(other.solution, other.solution.formula("R"), "R")
        except DomainError:
            continue
        assert all(x.is_finite() for x in other.ball.entries()), values
    certify_domain(case.solution, case.solution.formula("R"), "R")
    return True


def of_symbols(case: Case) -> bool:
    """With letters in the names: the closed form with their numbers put in is the value, or a sentence says why not."""
    letters = {name: f"t_{name}" for name in case.used if name != "ids"}
    given = {name: [list(row) for row in VALUES[case.values][name]] for name in case.used}
    for name, letter in letters.items():
        given[name][0][0] = letter
    solution = case.solve(given, f"R = {case.example.text}", symbols=tuple(letters.values()))
    try:
        found = solution.symbolic.value("R") if solution.touches_symbols("R") else solution.exact_value("R")
    except NoValueError as error:
        return "needs numbers" in str(error)
    known = {entry_symbol(letter): MATRICES[case.values][name][0, 0] for name, letter in letters.items()}
    assert np.allclose(numbers(found.subs(known)), numbers(case.exact), rtol=1e-9, atol=1e-9)
    # The value is there, so what is assumed has to be so.
    signs = [(need, float(need.value.subs(known))) for need in (solution.symbolic.assumptions if letters else ())]
    return all({"≠": x != 0, "≥": x >= 0, ">": x > 0}[need.relation] for need, x in signs)


def of_doubles(case: Case) -> bool:
    """What a program may compute holds the value, and what NumPy does compute."""
    found = computed(case.solution, ["R"])["R"]
    with at_precision(BITS):
        near = float64(case.node, case.names.float64).ravel()
        assert all(x.contains(arb(float(y))) or x == y for x, y in zip(found.entries(), near, strict=True))
        return case.holds(found)


def of_proof(case: Case) -> bool:
    """The definition that proofs start from speaks of the names of the formula and of no others."""
    i, j = (Symbol(letter, integer=True) for letter in "ij")
    try:
        found = definitions.general_entry(case.node, i, j, Indices())
    except ProofError as error:
        return "there is no rule for" in str(error)
    assert {symbol.name for symbol in found.atoms(MatrixSymbol)} == set(case.used)
    return True


# On the page


def pieces(part: Any) -> Iterator[Any]:
    """All pieces of what is written."""
    yield part
    for value in [getattr(part, field.name) for field in fields(part)] if is_dataclass(part) else ():
        yield from pieces(value)
    for value in part if isinstance(part, tuple) else ():
        yield from pieces(value)


def of_notation(case: Case) -> bool:
    found = notation(case.node, Notation())
    written = {piece.name for piece in pieces(found) if isinstance(piece, Letter)}
    assert {name for name in case.used if len(name) == 1} <= written
    return found is not None


def of_general_entry(case: Case) -> bool:
    """Whether every name is in it, by its own letter or by that of its entries."""
    chains = general_entry("R", case.node, case.letters, case.solution.shape("R"))
    assert all(chain.links for chain in chains)
    written = [piece for chain in chains for piece in pieces(chain)]
    return all(case.letters.base(name) in written or Letter(name) in written for name in case.used)


def of_shape_line(case: Case) -> bool:
    """Every name stands in an operand that is written with its shape."""
    shown: list[Any] = []

    def operand(node: Any) -> Letter:
        shown.append(node)
        return Letter(f"operand {len(shown)}")

    line = shape_line(case.node, operand)
    if line is None:
        return False
    written = {piece.name for piece in pieces(line) if isinstance(piece, Letter)}
    assert {f"operand {k + 1}" for k in range(len(shown))} <= written
    assert {symbol.name for node in shown for symbol in node.atoms(MatrixSymbol)} == set(case.used)
    return True


def of_worked_row(case: Case) -> bool:
    rows = [row_work(case.node, case.work, i) for i in range(int(case.node.shape[0]))]
    assert all(chain.links for row in rows for chain in row)
    return any(rows)


def of_worked_entry(case: Case) -> bool:
    """Every entry ends in its figure."""
    rows, columns = map(int, case.node.shape)
    for i in range(rows):
        for j in range(columns):
            line = entry_work(case.node, case.work, i, j)
            if line is None:
                return False
            assert line.left == case.work.left(i, j)
            assert plain(case.work.result(i, j)) in pieces(line.links[-1][1])
    return True


def of_page(case: Case) -> bool:
    """Every line of the page, read back from its TeX by the tests' own reader, is true."""
    found = read_solution(case.lesson)
    assert found.wrong == []
    return found.compared > 0


def of_words(language: str) -> Stage:
    def said(case: Case) -> bool:
        page = case.lesson.render("markdown", language=language)
        return words(language).call(f"why_{KINDS[type(case.node)]}", {}) in page

    return said


# In programs, and where people look up what there is


def of_program(key: str) -> Stage:
    def written(case: Case) -> bool:
        text = Writer(LANGUAGES[key]).text(case.node)
        return set(case.used) <= set(re.findall(r"\w+", text))

    return written


def function(case: Case) -> str:
    """The function that the example calls first, or nothing where an operator is all."""
    return next(iter(re.findall(r"^(\w+)\(", case.example.text)), "")


def of_table(case: Case) -> bool:
    return function(case) in TABLE


def of_stub(case: Case) -> bool:
    return bool(function(case)) and f"\ndef {function(case)}(" in PATH.read_text(encoding="utf-8")


def of_docs(case: Case) -> bool:
    return bool(function(case)) and f"`{function(case)}(" in _docs()


@cache
def _docs() -> str:
    return (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")


STAGES: Mapping[str, Stage] = {
    "entry": of_entry,
    "balls": of_balls,
    "exact": of_exact,
    "float64": of_float64,
    "rational": of_rational,
    "logarithms": of_logarithms,
    "by hand": of_hand,
    "alike": of_alike,
    "interval": of_interval,
    "cost": of_cost,
    "products": of_products,
    "closed_form_size": of_size,
    "domain": of_domain,
    "symbols": of_symbols,
    "in_double": of_doubles,
    "proof": of_proof,
    "notation": of_notation,
    "general entry": of_general_entry,
    "shape line": of_shape_line,
    "worked row": of_worked_row,
    "worked entry": of_worked_entry,
    "page": of_page,
    **{f"page in {language}": of_words(language) for language in languages()},
    **{f"program in {key}": of_program(key) for key in LANGUAGES},
    "function": of_table,
    "stub": of_stub,
    "docs": of_docs,
}

DISPATCHES: Mapping[str, Any] = {
    "by hand": by_hand,
    "alike": alike,
    "interval": interval,
    "cost": cost,
    "products": products,
    "closed_form_size": closed_form_size,
    "in_double": in_double,
    "shape line": shape_line,
}
"""The functions of nodes that answer for nodes they do not know; one whose answer follows from the definition of an
operation is none of them."""


def is_default(stage: str, node: type) -> bool:
    """Whether a stage answers for an operation as it would for any."""
    rules = DISPATCHES.get(stage)
    return rules is not None and rules.dispatch(node) is rules.dispatch(object)


MASKS = "CausalMask WindowMask PaddingMask"
OF_PLACES = f"Identity OneMatrix {MASKS} Distance"
WITHOUT_OPERANDS = f"{OF_PLACES} Sinusoidal"
MOVED = "Transpose Broadcast Row Rows Head Concat Stack OneHot Keep"
PICKED = "ReLU RowMax ArgMax TopK"
ENTRY_BY_ENTRY = "MatAdd Quotient Hadamard EntryQuotient Exp Log Tanh ELU GELU GELUTanh SiLU"
OF_ROWS = "Softmax LayerNorm RMSNorm ClipNorm Rotary RowNorm UnitRows Proportions Entropy"
OPERATORS = "MatMul MatAdd MatPow Transpose Quotient"


def because(*groups: tuple[str, str]) -> Mapping[str, str]:
    return {name: reason for names, reason in groups for name in names.split()}


_NO_FUNCTION = because(("MatrixSymbol", "a name is no call"), (OPERATORS, "an operator, as SymPy and NumPy have it"))

NOTHING_TO_SAY: Mapping[str, Mapping[str, str]] = {
    "by hand": because(
        ("MatrixSymbol", "a name stands on the paper already"),
        (f"{OF_PLACES} {MOVED} {PICKED}", "only places are told, no number is made"),
        ("MatAdd Hadamard EntryQuotient Exp Log Tanh Dot", "an entry is made at one go"),
    ),
    "alike": because((WITHOUT_OPERANDS, "the entries are known, and are compared themselves")),
    "interval": because(("Distance Sinusoidal", "there are no operands, and so no doubt")),
    "products": because(
        (f"MatrixSymbol {WITHOUT_OPERANDS} {MOVED} {PICKED} {ENTRY_BY_ENTRY} {OF_ROWS}", "no product of matrices"),
    ),
    "closed_form_size": because((WITHOUT_OPERANDS, "an entry is a number")),
    "in_double": because(
        (OF_PLACES, "an entry is a number as it stands"),
        (f"{MOVED} ReLU RowMax", "entries of the operands, or 0: nothing is rounded"),
    ),
    "shape line": because(
        ("MatrixSymbol", "a copy has the shape of what it copies"),
        (WITHOUT_OPERANDS, "there are no operands"),
    ),
    "worked row": because(
        (f"MatrixSymbol {OF_PLACES} {MOVED}", "nothing is worked"),
        (f"{ENTRY_BY_ENTRY} ReLU", "every entry stands for itself"),
        ("MatMul MatPow Dot AdditiveScores", "every entry is a sum of its own"),
        ("RowNorm RowMax Entropy ArgMax", "a row has one entry only"),
        ("Cosine Angle", "the lengths in an entry are figures, which norm(X) works out"),
    ),
    "worked entry": because(
        ("MatrixSymbol", "the entry of another name"),
        (f"Identity OneMatrix {MASKS}", "its cases are of places, and no figure is put in"),
        ("OneHot", "its numbers stand in its cases as they are, and its general entry says them"),
    ),
    "function": _NO_FUNCTION,
    "stub": _NO_FUNCTION,
    "docs": _NO_FUNCTION,
}
"""What has nothing to say where, and why."""

GAPS: Mapping[str, str] = {
    # What is rational, or made of logarithms, without being seen to be: entries that are always 1 or ±1, a mask that
    # hides nothing, a choice among what is not rational, ln of a fraction, a product with a fraction, a larger one.
    "rational": f"Softmax LayerNorm Log {MASKS} TopK",
    "logarithms": "MatPow ReLU Log Keep Hadamard EntryQuotient ClipNorm RowMax",
    "alike": "Rotary OneHot ArgMax TopK",
    # Through balls of the operands, or (OneHot) refused though the ids are exact.
    "interval": "OneHot RMSNorm GELU GELUTanh SiLU Log Tanh ELU Rotary ClipNorm AdditiveScores Entropy ArgMax TopK",
    # A step for each entry, whatever it is.
    "cost": f"MatrixSymbol {OF_PLACES} {MOVED} ReLU RowMax MatAdd Quotient Hadamard EntryQuotient "
    "LayerNorm RMSNorm ClipNorm RowNorm UnitRows Proportions",
    # The size of the largest operand.
    "closed_form_size": f"Transpose Broadcast Row Rows Head Concat Stack OneHot {PICKED} Quotient ELU",
    # One operation in balls, with no word of what libraries do.
    "in_double": "MatAdd Quotient Hadamard EntryQuotient Exp ClipNorm RowNorm UnitRows",
    "general entry": "TopK",
    "shape line": "MatPow",
}
"""What a quiet default answers for, or what is not seen though it is so; the list may only become shorter."""


@pytest.mark.parametrize("stage", STAGES)
def test_every_operation_has_something_right_to_say_or_is_listed(stage: str, solve: Solve) -> None:
    values = "rational" if stage == "rational" else "roots"
    silent = set()
    for node in NODES:
        answers = [STAGES[stage](case(example, values, solve)) for example in EXAMPLES[node]]
        if not all(answers) or is_default(stage, node):
            silent.add(node.__name__)
    reasons, gaps = set(NOTHING_TO_SAY.get(stage, {})), set(GAPS.get(stage, "").split())

    assert reasons & gaps == set()
    assert silent - reasons - gaps == set(), "answered by a quiet default, or not at all"
    assert gaps - silent == set(), "no gap any more: take it out of GAPS"
    assert reasons - silent == set(), "has something to say: take it out of NOTHING_TO_SAY"


def test_every_operation_has_examples_of_its_own() -> None:
    assert list(FORMULAS) == sorted(FORMULAS, key=[node.__name__ for node in NODES].index)
    assert {node.__name__ for node in NODES if not EXAMPLES[node]} == set()
    assert [each.text for node in NODES for each in EXAMPLES[node] if type(each.node) is not node] == []


def test_the_tables_speak_of_stages_and_operations_there_are() -> None:
    tables = (NOTHING_TO_SAY, {stage: names.split() for stage, names in GAPS.items()})
    assert {stage for table in tables for stage in table} <= set(STAGES)
    assert {name for table in tables for names in table.values() for name in names} <= set(FORMULAS)


def test_an_operation_that_nobody_thought_of_is_noticed() -> None:
    class Unheard:
        pass

    assert all(is_default(stage, Unheard) for stage in DISPATCHES)
