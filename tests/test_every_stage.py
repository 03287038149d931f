"""Every operation at every stage of a lesson: each has something right to say, or stands in a table below.

The operations are those with a class of nodes, our records, and some of somebody's own; a stage is asked with the
examples of ``tests/examples.py``, and what it says is held against another road where that is cheap. Where an operation
has nothing to say, :data:`NOTHING_TO_SAY` has the reason. What is made of equations is answered by them; what has
neither equations nor a rule is refused, whoever is asked.
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
from sympy import Expr, ImmutableDenseMatrix, MatrixExpr, MatrixSymbol, Rational, Symbol

from symattn.api.authoring.stub import PATH
from symattn.api.worked import WorkedSolution, derive
from symattn.base.errors import DomainError, NoValueError
from symattn.base.shapes import shape
from symattn.base.words import languages
from symattn.compute.codegen import LANGUAGES
from symattn.compute.codegen.double import Machine, computed, in_double
from symattn.compute.codegen.program import ProgramWriter
from symattn.compute.proof import definitions
from symattn.compute.proof.tree import Indices, ProofError
from symattn.compute.solution.domain import certify_domain
from symattn.compute.solution.evaluation import Evaluation
from symattn.compute.solution.operands import logarithms
from symattn.compute.solution.symbolic import conditions
from symattn.compute.values.alike import LARGEST_PRODUCT, Kinds, alike
from symattn.compute.values.ball import ball
from symattn.compute.values.balls import at_precision
from symattn.compute.values.cost import closed_form_size, cost, products
from symattn.compute.values.ends import Bounds, Intervals, to_balls
from symattn.compute.values.exact import exact
from symattn.compute.values.float64 import float64
from symattn.compute.values.hand import exactly, hand
from symattn.compute.values.interval import interval
from symattn.compute.values.logarithm import logs, logs_of
from symattn.compute.values.rational import rational, to_fmpq
from symattn.compute.values.reads import reads
from symattn.operations import NODES
from symattn.operations.equations.tree import Entry, Index, Operation, Over, walk
from symattn.operations.node import Applied
from symattn.operations.records import RECORDS
from symattn.operations.symbols import entry_symbol
from symattn.read.formula.functions import TABLE
from symattn.read.given import Given
from symattn.read.plan import Plan
from symattn.read.scenario.load import loads
from symattn.read.scenario.toml import toml_text
from symattn.show.blocks import Document
from symattn.show.entries.letters import Letters
from symattn.show.entries.step_entry import general_entry
from symattn.show.forms.shape_line import shape_line
from symattn.show.kinds import reason, said_of
from symattn.show.math import Letter
from symattn.show.notation.figures import figure_in_a_line
from symattn.show.notation.formulas import Names as Notation
from symattn.show.notation.formulas import formula as notation
from symattn.show.roles.reasons import Roles
from symattn.show.working.equations import entry_work, row_work
from symattn.show.working.lines import Work
from symattn.show.working.operands import Opened
from symattn.write.formats import render
from tests.examples import BY_OPERATION, MATRICES, OWN, SHAPES, TABLES, VALUES, Example, Names, ball_of, numbers
from tests.readback.page import read_solution

ROOT = Path(__file__).resolve().parent.parent
BITS = 192


@dataclass(frozen=True)
class Case:
    """An example with values for its names, as the step R of a solution, and what its value is."""

    example: Example
    values: str

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
        return case(self.example, values)

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
    def solution(self) -> Evaluation:
        return self.solve({name: VALUES[self.values][name] for name in self.used})

    def solve(self, rows: Mapping[str, Any], *symbols: str) -> Evaluation:
        """A solution of the example for some values of its names."""
        givens = {name: Given.read(each, symbols) for name, each in rows.items()}
        plan = Plan((), {}, symbols, OWN)
        for name, given in givens.items():
            plan = plan.given(name, shape(*given.shape))
        return Evaluation(plan.step("R", self.example.text), givens)

    @cached_property
    def lesson(self) -> WorkedSolution:
        """The same as the scenario that somebody would write."""
        given = "\n".join(f"{name} = {json.dumps(VALUES[self.values][name])}" for name in self.used)
        steps = f'steps = ["R = {self.example.text}"]'
        own = name_of(self.node) if name_of(self.node) in OWN else ""
        table = toml_text({"operation": {own: TABLES[own]}}) if own else ""
        return derive(loads(f'title = "Q"\n[given]\n{given}\n{table}\n[[section]]\ntitle = "R"\n{steps}'))

    @cached_property
    def letters(self) -> Letters:
        shapes = {**SHAPES, "R": self.solution.shape("R")}
        return Letters.choose(Notation(), ["R", *self.used], shapes).beside(self.node)

    @cached_property
    def work(self) -> Work:
        return Work(self.solution, self.letters, "R")


@cache
def case(example: Example, values: str) -> Case:
    return Case(example, values)


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


def of_reads(case: Case) -> bool:
    """Which entries an entry is made of: where another number changes it, that is one of them."""
    values = {name: np.array(case.names.float64(name)) for name in case.used}
    before, made_of = float64(case.node, values.__getitem__), reads(case.node)
    for name, matrix in values.items():
        for place in np.ndindex(matrix.shape):
            other = matrix.copy()
            other[place] = 1 - other[place] if name == "ids" else 7.375
            moved = ~np.isclose(float64(case.node, {**values, name: other}.__getitem__), before, rtol=0, atol=1e-12)
            assert all((name, *place) in made_of[i][j] for i, j in np.argwhere(moved)), (case.example.text, name, place)
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
    found = logarithms(case.solution, "R")
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
            patch.setattr("symattn.compute.values.alike.LARGEST_PRODUCT", largest)
            found = alike(case.node, rows.__getitem__, kinds)
        assert [len(found), len(found[0])] == list(case.exact.shape)
        values: dict[int, arb] = {}
        for number, value in zip((x for row in found for x in row), case.ball.entries(), strict=True):
            assert values.setdefault(number, value).overlaps(value)
        # The two rows of X are the same, and so are those of what is made of it row by row.
        if case.used == ["X"] and case.exact.tolist()[1:] == case.exact.tolist()[:1] and found[0] != found[1]:
            return False
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
        tuple(Bounds(*(to_fmpq(x + share * width) for share in (low, high))) for x in row)
        for row in MATRICES["rational"][name].tolist()
    )


def of_cost(case: Case) -> bool:
    return cost(case.node) >= int(case.node.shape[0]) * int(case.node.shape[1])


def of_products(case: Case) -> bool:
    return products(case.node) > 0


def of_size(case: Case) -> bool:
    """A closed form holds about as many numbers as SymPy's own entry, and more where the names hold more."""
    small, large = (closed_form_size(case.node, lambda _, size=size: size) for size in (1, 5))
    assert 1 <= small <= large <= 5 * small
    return large > small


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
    solution = case.solve(given, *letters.values())
    try:
        found = solution.symbolic.value("R") if solution.shown("R").of_symbols else solution.exact_value("R")
    except NoValueError as error:
        return "put numbers in their place" in str(error)
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
    written = list(pieces((*chains, *said_of(case.node, Notation()))))
    return all(case.letters.base(name) in written or Letter(name) in written for name in case.used)


def of_shape_line(case: Case) -> bool:
    """Every name stands in an operand that is written with its shape."""
    shown: list[Any] = []

    def operand(node: Any) -> Letter:
        shown.append(node)
        return Letter(f"operand {len(shown)}")

    line = shape_line(case.node, Notation(), operand)
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
            assert figure_in_a_line(case.work.result(i, j)) in pieces(line.links[-1][1])
    return True


def of_page(case: Case) -> bool:
    """Every line of the page, read back from its TeX by the tests' own reader, is true."""
    found = read_solution(case.lesson)
    assert found.wrong == []
    return found.compared > 0


def of_words(language: str) -> Stage:
    def said(case: Case) -> bool:
        page = case.lesson.render("markdown", language=language, detail="steps")
        why, roles = reason(case.lesson.derivation["R"].formula), Roles(case.lesson.store, Notation(), language)
        if why is None:  # there is only what the table of letters calls it
            return bool(dict(roles.called("R").arguments).get("words"))
        here = roles.reason("R")
        # A page says what an operation is good for where the role of the step is known; `symattn explain` always does.
        alone, told = (render(Document((), language, (each or why,)), "markdown") for each in (why, here))
        return bool(alone.strip()) and (here is None or told.strip().splitlines()[-1] in page)

    return said


# In programs, and where people look up what there is


def of_program(key: str) -> Stage:
    def written(case: Case) -> bool:
        text = ProgramWriter(LANGUAGES[key]).text(case.node)
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
    return bool(function(case)) and (f"### `{function(case)}`\n" in _docs() or f"`{function(case)}(" in _docs())


@cache
def _docs() -> str:
    return "".join(
        (ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("operations.md", "scenarios.md", "formulas.md")
    )


OF_WORDS: Mapping[str, Stage] = {f"page in {language}": of_words(language) for language in languages()}
OF_ITS_NAME: Mapping[str, Stage] = {**OF_WORDS, "function": of_table, "stub": of_stub, "docs": of_docs}
STAGES: Mapping[str, Stage] = {
    "entry": of_entry,
    "balls": of_balls,
    "exact": of_exact,
    "float64": of_float64,
    "reads": of_reads,
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
    **{f"program in {key}": of_program(key) for key in LANGUAGES},
    **OF_ITS_NAME,
}

MASKS = "CausalMask CachedMask WindowMask PaddingMask"
OF_PLACES = f"Identity OneMatrix {MASKS} Distance"
WITHOUT_OPERANDS = f"{OF_PLACES} Sinusoidal"
REPEATED = "InEveryRow InEveryColumn Everywhere"
MOVED = f"Transpose Broadcast {REPEATED} Picked Row Rows Head Concat Stack OneHot Keep"
PICKED = "ReLU RowMax ArgMax TopK"
ELEMENTARY = "Exp Log Tanh ELU GELU GELUTanh SiLU"


def is_entry_by_entry(operation: Operation) -> bool:
    """Whether every entry is made of the entries in its own place."""
    pieces = [(each.index, piece) for each in operation.equations for piece in walk(each.body)]
    return all(
        not isinstance(p, Over) and (not isinstance(p, Entry) or p.places in ((), at(index))) for index, p in pieces
    )


def at(index: tuple[str, ...]) -> tuple[Index, ...]:
    return tuple(map(Index, index))


ENTRY_BY_ENTRY = " ".join(
    (
        f"MatAdd Quotient Hadamard EntryQuotient {ELEMENTARY}",
        *(name for name, record in {**RECORDS, **OWN}.items() if is_entry_by_entry(record)),
    )
)
OF_ROWS = (
    "Softmax LayerNorm RMSNorm ClipNorm Rotary RowNorm UnitRows Proportions Entropy log_softmax spread "
    "row_sum row_mean row_min row_var"
)


def because(*groups: tuple[str, str]) -> Mapping[str, str]:
    return {name: reason for names, reason in groups for name in names.split()}


_NO_FUNCTION = because(
    ("MatrixSymbol", "a name is no call"),
    (REPEATED, "signs make it beside a matrix"),
    ("MatMul MatAdd Transpose Quotient", "an operator, as SymPy and NumPy have it"),
    (" ".join(OWN), "somebody's own is known where it is written"),
)

NOTHING_TO_SAY: Mapping[str, Mapping[str, str]] = {
    "rational": because(
        ("Softmax", "of scores that are no logarithms; that the only weight of a row is 1 is seen in closed form"),
        ("Log", "of a fraction it is a logarithm, and of an exponential what SymPy takes back"),
        ("TopK", "which entries are largest is told by enclosures, where these are no fractions"),
    ),
    "logarithms": because(
        ("Log softplus power", "logarithms come from givens; those of formulas have the digits of enclosures"),
        (
            "ReLU RowMax ClipNorm leaky_relu abs row_min maximum minimum",
            "which branch is taken hangs on signs, so that it is not linear",
        ),
    ),
    "cost": because(("MatrixSymbol", "it has been worked out before")),
    "products": because(
        (f"MatrixSymbol {WITHOUT_OPERANDS} {MOVED} {PICKED} {ENTRY_BY_ENTRY} {OF_ROWS}", "no product of matrices"),
        ("rotary_halves", "products of single entries only"),
        ("totals cross_entropy mse", "a sum of no products"),
        ("diag kron", "its entries are moved"),
        ("MatMul MatPow", "of one matrix alone there is none"),
    ),
    "closed_form_size": because(
        (WITHOUT_OPERANDS, "an entry is a number"),
        ("OneHot", "an entry is 0 or 1, whatever is in the ids"),
        ("ArgMax", "of what has no names in it, there are none to grow"),
    ),
    "shape line": because(
        ("MatrixSymbol", "a copy has the shape of what it copies"),
        (WITHOUT_OPERANDS, "there are no operands"),
        ("UnitRows Proportions", "rows are divided by a number of their own, and stay as long as they are"),
    ),
    "worked row": because(
        (f"MatrixSymbol {OF_PLACES} {MOVED} diag kron", "nothing is worked"),
        (f"{ENTRY_BY_ENTRY} ReLU rotary_halves", "every entry stands for itself"),
        ("Dot AdditiveScores gaps totals", "every entry is a sum of its own"),
        ("MatMul MatPow", "of two factors every entry is a sum of its own; more of them have a row"),
        ("RowNorm RowMax Entropy ArgMax row_sum row_mean row_min cross_entropy mse", "a row has one entry only"),
        ("Cosine Angle", "the lengths in an entry are figures, which norm(X) works out"),
    ),
    "worked entry": because(
        ("MatrixSymbol", "the entry of another name"),
        (f"Identity OneMatrix {MASKS}", "its cases are of places, and no figure is put in"),
        ("Everywhere Picked", "it is one number of another matrix, which the general entry says"),
        ("OneHot", "its numbers stand in its cases as they are, and its general entry says them"),
    ),
    **dict.fromkeys(OF_WORDS, because(("row_sum row_mean row_var", "they have a role: sums, means and variances"))),
    "function": _NO_FUNCTION,
    "stub": _NO_FUNCTION,
    "docs": _NO_FUNCTION,
}
"""What has nothing to say where, and why."""

GAPS: Mapping[str, str] = {}
"""Where something is to be said and is not; it may only become shorter."""


@pytest.mark.parametrize("stage", STAGES)
def test_every_operation_has_something_right_to_say_or_is_listed(stage: str) -> None:
    values = "rational" if stage == "rational" else "roots"
    answers = {
        # The words and the name are those of the operation, whatever the example is.
        name: [STAGES[stage](case(example, values)) for example in examples[: 1 if stage in OF_ITS_NAME else None]]
        for name, examples in BY_OPERATION.items()
    }
    silent = {name for name, heard in answers.items() if not all(heard)}
    reasons, gaps = set(NOTHING_TO_SAY.get(stage, {})), set(GAPS.get(stage, "").split())

    assert reasons & gaps == set()
    assert silent - reasons - gaps == set(), "nothing said"
    assert gaps - silent == set(), "no gap any more: take it out of GAPS"
    assert reasons - silent == set(), "has something to say: take it out of NOTHING_TO_SAY"


def test_every_operation_has_examples_of_its_own() -> None:
    assert list(BY_OPERATION) == [*(node.__name__ for node in NODES), *RECORDS, *OWN]
    assert [name for name, examples in BY_OPERATION.items() if not examples] == []
    assert [x.text for name, each in BY_OPERATION.items() for x in each if name_of(x.node) != name] == []


def name_of(node: Any) -> str:
    return node.operation.name if isinstance(node, Applied) else type(node).__name__


def test_the_tables_speak_of_stages_and_operations_there_are() -> None:
    tables = (NOTHING_TO_SAY, {stage: names.split() for stage, names in GAPS.items()})
    assert {stage for table in tables for stage in table} <= set(STAGES)
    assert {name for table in tables for names in table.values() for name in names} <= set(BY_OPERATION)


@pytest.mark.parametrize(
    ("text", "lines"), [("matrix_power(X, 3)", 2), ("W @ X @ Y.T", 2), ("matrix_power(X, 2)", 0), ("W @ X", 0)]
)
def test_figures_of_a_product_of_several_factors_stand_before_its_entries(text: str, lines: int) -> None:
    asked = case(Example(text), "roots")
    assert len(Opened(asked.node, asked.work).entry(0, 0)) == lines + 1
    assert read_solution(asked.lesson).wrong == []


class Unheard(MatrixExpr):
    """A matrix without equations that nobody has thought of."""

    shape = (2, 2)


ASKED: Mapping[str, Callable[[Any, Any], object]] = {
    "ball": lambda node, _: ball(node, Names("roots").ball),
    "exact": lambda node, _: exact(node, Names("roots")),
    "float64": lambda node, _: float64(node, Names("roots").float64),
    "rational": lambda node, _: rational(node, Names("roots").rational),
    "logarithm": lambda node, case: logs(node, Names("roots").rational, rational),
    "hand": lambda node, _: hand(node, Names("roots").ball, exactly),
    "alike": lambda node, _: alike(node, lambda name: [[0, 1], [2, 3]], Kinds()),
    "interval": lambda node, _: interval(node, lambda name: _box(name, 0, 1)),
    "cost": lambda node, _: cost(node),
    "products": lambda node, _: products(node),
    "closed form": lambda node, _: closed_form_size(node, lambda name: 1),
    "domain": lambda node, case: certify_domain(case.solution, node, "R"),
    "conditions": lambda node, _: list(conditions(node, "R")),
    "in_double": lambda node, case: in_double(node, Machine({"X": case.ball})),
    "notation": lambda node, _: notation(node, Notation()),
    "shape line": lambda node, _: shape_line(node, Notation(), lambda inner: Letter("X")),
    "general entry": lambda node, case: general_entry("R", node, case.letters, SHAPES["X"]),
    "row work": lambda node, case: row_work(node, case.work, 0),
    "entry work": lambda node, case: entry_work(node, case.work, 0, 0),
    "words": lambda node, _: reason(node),
    "proof": lambda node, _: definitions.general_entry(node, Symbol("i"), Symbol("j"), Indices()),
    **{f"program in {key}": lambda node, _, key=key: ProgramWriter(LANGUAGES[key]).text(node) for key in LANGUAGES},
}
"""All that is asked of a node."""


@pytest.mark.parametrize("question", ASKED)
def test_what_has_neither_equations_nor_a_rule_is_refused(question: str) -> None:
    with pytest.raises((TypeError, KeyError, ProofError), match="Unheard"):
        ASKED[question](Unheard(MatrixSymbol("X", 2, 2)), case(BY_OPERATION["MatrixSymbol"][0], "roots"))
