"""Expressions as they are read become formulas that the formula language takes for the same.

In ``formulas.txt`` a formula of a document is followed by how it is typed, or by why it is refused; of a name it is the
plain one, and what tells it from others.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import pytest

from symattn.base.errors import FormulaError
from symattn.base.shapes import Axis, of_axes
from symattn.checking.adopt.formula_text import formula_piece, number_text
from symattn.checking.adopt.naming import (
    another_name,
    legal_name,
    name_key,
    notation_of,
    plain_name,
    square_key,
)
from symattn.checking.reading import read
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, NameRead, ProgramPiece, Statement
from symattn.read.formula import Scope, is_name, read_any, read_formula
from symattn.read.formula.as_text import as_text
from symattn.read.scenario.load import builtin_names, load
from tests.checking.found import pairs
from tests.checking.reading.test_readings import document


def read_as(kind: str, text: str) -> Expressed:
    """Read a formula in LaTeX, or the right side of an assignment in a program."""
    pieces = read(document(kind, f"y = {text}" if kind == "py" else text)).told
    told = [each for piece in pieces for each in (piece.formulas if isinstance(piece, ProgramPiece) else (piece,))]
    (statement,) = (each for each in told if isinstance(each, Statement))
    return statement.sides[-1].of


def name(text: str) -> NameRead:
    (statement,) = (each for each in read(document("math", f"{text} = 1")).told if isinstance(each, Statement))
    found = statement.sides[0].of
    return found.args[0] if isinstance(found, Combined) else found  # type: ignore[return-value]


_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.MatMult: "@", ast.Div: "/", ast.Pow: "^"}


def typed_by_us(node: ast.expr) -> Expressed:
    """Return a formula of ours, in Python's signs, as one that was read; functions may have names of ours too."""

    def done(op: str, *args: ast.expr, sign: str = "", named: Iterable[ast.keyword] = ()) -> Combined:
        options = tuple((str(each.arg), typed_by_us(each.value)) for each in named)
        return Combined(op, tuple(map(typed_by_us, args)), 0, 0, sign, options)

    match node:
        case ast.Constant(value=value):
            return FigureRead(str(value), Fraction(str(value)), Fraction(1), 0, len(str(value)))
        case ast.Name(id=called):
            return NameRead(called, (), (), (), 0, 0, called)
        case ast.BinOp(left=left, op=op, right=right):
            return done(_SIGNS[type(op)], left, right, sign="*")
        case ast.UnaryOp(operand=operand):
            return done("neg", operand)
        case ast.Attribute(value=value, attr="T"):
            return done("T", value)
        case ast.Call(func=ast.Name(id=called), args=args, keywords=named):
            return done("root" if called == "sqrt" else f"call:{called}", *args, named=named)
    raise NotImplementedError(ast.dump(node))


LONG = ("backward", "journey", "training")
"""Scenarios whose formulas take a while to load."""


@pytest.mark.parametrize(
    "source", [pytest.param(each, marks=pytest.mark.slow if each in LONG else ()) for each in builtin_names()]
)
def test_formulas_of_scenarios_are_written_as_they_are(source: str) -> None:
    plan, count = load(source).derivation, 0
    names = {each: each for each in [*plan.scope.names, *plan.scope.sizes]}
    for text in [as_text(step.formula) for step in plan.steps if step.formula is not None and not step.general]:
        try:
            formula = typed_by_us(ast.parse(text, mode="eval").body)
        except NotImplementedError:
            continue
        mine = formula_piece(formula, names, plan.scope).text
        assert read_formula(mine, plan.scope).expr == read_formula(text, plan.scope).expr, (text, mine)
        count += 1
    assert count >= 3


NAMES = {each: each for each in ("X", "W_Q", "K", "x", "s", "S", "d_k")} | {"X|hat": "X_hat", "σ|sq": "sigma_sq"}
SHAPES: dict[str, tuple[int, ...]] = {
    "X": (3, 4), "W_Q": (4, 2), "K": (3, 4), "x": (4,), "s": (), "S": (3, 3), "X_hat": (3, 4), "sigma_sq": (),
}  # fmt: skip
SCOPE = Scope({k: of_axes([Axis(n) for n in axes]) for k, axes in SHAPES.items()}, {"d_k": 4})


@pytest.mark.parametrize(("kind", "text", "typed"), pairs(Path(__file__).with_name("formulas.txt")))
def test_a_formula_is_typed_so_or_refused_with_a_sentence(kind: str, text: str, typed: str) -> None:
    if kind == "name":
        plain, _, key = typed.partition(" ")
        assert (plain_name(name(text)), name_key(name(text))) == (plain, key)
        assert is_name(plain)
    elif typed.startswith("refused: "):
        with pytest.raises(FormulaError, match=typed.removeprefix("refused: ")):
            formula_piece(read_as(kind, text), NAMES, SCOPE)
    else:
        assert formula_piece(read_as(kind, text), NAMES, SCOPE).text == typed
        read_any(typed, SCOPE)


def test_a_formula_from_outside_cannot_be_nested_without_end() -> None:
    deep: Expressed = name("X")
    for _ in range(5000):
        deep = Combined("T", (deep,), 0, 0, "", ())
    with pytest.raises(FormulaError, match="FORMULA_DEPTH"):
        formula_piece(deep, NAMES, SCOPE)


def test_names_stay_apart() -> None:
    assert (another_name("M", {"M", "M_2"}), another_name("M", {"S"}), legal_name("pi")) == ("M_3", "M", "pi_")
    assert notation_of(name("\\hat{X}")) == "hat(X)"
    assert square_key(name("σ")) == "σ|sq"
    assert notation_of(name("Q'_1")) == ""


@pytest.mark.parametrize(
    ("text", "value", "unit", "plain"),
    [
        ("-1.1408", "-1.1408", "1/10000", "-1.1408"),
        (".5", "1/2", "1/10", "0.5"),
        ("0,350", "7/20", "1/1000", "0.350"),
        ("1e-5", "1/100000", "1/100000", "0.00001"),
        ("1.2 × 10^3", "1200", "100", "1200"),
        ("31.6%", "0.316", "1/1000", "0.316"),
        ("1/3", "1/3", "1", "1/3"),
    ],
)
def test_figures_are_exact_numbers(text: str, value: str, unit: str, plain: str) -> None:
    assert number_text(FigureRead(text, Fraction(value), Fraction(unit), 0, 0)) == plain
