"""Expressions as they are read become formulas that the formula language takes for the same."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from fractions import Fraction

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
    square_name,
)
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead, NameRead
from symattn.read.formula import Scope, is_name, read_any, read_formula
from symattn.read.formula.as_text import as_text
from symattn.read.scenario.load import builtin_names, load


def figure(text: str, unit: str = "1") -> FigureRead:
    return FigureRead(text, Fraction(text), Fraction(unit), 0, len(text))


def name(base: str, below: str = "", above: str = "", marks: tuple[str, ...] = ()) -> NameRead:
    def scripts(text: str) -> tuple[Expressed, ...]:
        pieces = [piece for piece in text.split(",") if piece]
        return tuple(figure(piece) if piece.isdigit() else name(piece) for piece in pieces)

    return NameRead(base, marks, scripts(below), scripts(above), 0, 0, base)


def done(op: str, *args: Expressed, sign: str = "", **named: Expressed) -> Combined:
    return Combined(op, args, 0, 0, sign, tuple(named.items()))


_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.MatMult: "@", ast.Div: "/", ast.Pow: "^"}


def written(node: ast.expr) -> Expressed:
    """A formula in Python's signs as it would be read in a program."""
    match node:
        case ast.Constant(value=value):
            return figure(str(value))
        case ast.Name(id=called):
            return name(called)
        case ast.BinOp(left=left, op=op, right=right):
            return done(_SIGNS[type(op)], written(left), written(right), sign="*")
        case ast.UnaryOp(operand=operand):
            return done("neg", written(operand))
        case ast.Attribute(value=value, attr="T"):
            return done("T", written(value))
        case ast.Call(func=ast.Name(id="sqrt"), args=[arg]):
            return done("root", written(arg))
        case ast.Call(func=ast.Name(id=called), args=args, keywords=keywords):
            return done(f"call:{called}", *map(written, args), **{str(k.arg): written(k.value) for k in keywords})
    raise NotImplementedError(ast.dump(node))


def formulas(source: str) -> Iterator[tuple[str, str, Scope]]:
    """Every formula of the scenarios that come with symattn, with what it may speak of."""
    plan = load(source).derivation
    for step in plan.steps:
        if step.formula is not None and not step.general:
            yield f"{source}:{step.name}", as_text(step.formula), plan.scope


LONG = ("backward", "journey", "training")
"""Scenarios whose formulas take a while to load."""


@pytest.mark.parametrize(
    "source", [pytest.param(each, marks=pytest.mark.slow if each in LONG else ()) for each in builtin_names()]
)
def test_formulas_of_scenarios_are_written_as_they_are(source: str) -> None:
    count = 0
    for place, text, scope in formulas(source):
        try:
            read = written(ast.parse(text, mode="eval").body)
        except NotImplementedError:
            continue
        names = {each: each for each in [*scope.names, *scope.sizes]}
        mine = formula_piece(read, names, scope).text
        assert read_formula(mine, scope).expr == read_formula(text, scope).expr, (place, text, mine)
        count += 1
    assert count >= 3


X, W, K, x, s = name("X"), name("W", "Q"), name("K"), name("x"), name("s")
NAMES = {
    "X": "X",
    "W_Q": "W_Q",
    "K": "K",
    "x": "x",
    "s": "s",
    "S": "S",
    "d_k": "d_k",
    "X|hat": "X_hat",
    "σ|sq": "sigma_sq",
}
SHAPES: dict[str, tuple[int, ...]] = {
    "X": (3, 4), "W_Q": (4, 2), "K": (3, 4), "x": (4,), "s": (), "S": (3, 3), "X_hat": (3, 4), "sigma_sq": (),
}  # fmt: skip
SCOPE = Scope({k: of_axes([Axis(n) for n in axes]) for k, axes in SHAPES.items()}, {"d_k": 4})


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (done("*", X, W, sign="beside"), "X @ W_Q"),
        (done("*", X, name("W", above="Q"), sign="\\cdot"), "X @ W_Q"),
        (done("/", done("*", X, done("T", K), sign="beside"), done("root", name("d", "k"))), "X @ K.T / sqrt(d_k)"),
        (done("*", figure("0.5"), X, sign="\\times"), "0.5 * X"),
        (done("*", figure("2"), done("+", X, K), sign="beside"), "2 * (X + K)"),
        (done("*", X, K, sign="⊙"), "X * K"),
        (done("*", x, x, sign="\\cdot"), "dot(x, x)"),
        (done("call:softmax", name("S"), dim=figure("-1")), "softmax(S, axis=-1)"),
        (done("call:ReLU", X), "relu(X)"),
        (name("X", marks=("hat",)), "X_hat"),
        (done("^", name("σ"), figure("2")), "sigma_sq"),
        (done("^", done("-", x, s), figure("2")), "(x - s) ** 2"),
        (done("^", name("e"), done("neg", s)), "exp(-s)"),
        (done("call:exp", figure("1.712")), "exp(1.712)"),
        (name("S", "1,2"), "S[0, 1]"),
        (name("x", "2"), "x[1]"),
        (name("x", above="2"), "x[1]"),
        (done("index", X, figure("0")), "X[0]"),
        (done("*", name("I", "4"), W, sign="beside"), "identity(4) @ W_Q"),
        (GridRead(((figure("1"), done("neg", figure("2"))),), "list", 1, 0, 0), "[1, -2]"),
        (
            done("sum", done("^", done("-", name("X", "i,j"), name("K", "i,j")), figure("2")), sign="i=1,j=1"),
            "sum((X - K) ** 2, axis=None)",
        ),
        (done("neg", done("+", s, s)), "-(s + s)"),
        (done("@", x, done("T", X)), "x @ X.T"),
        (done("*", x, done("T", done("call:ones", figure("4"))), sign="beside"), "x @ ones(4).T"),
    ],
)
def test_a_formula_is_typed_so_and_is_accepted(read: Expressed, text: str) -> None:
    assert formula_piece(read, NAMES, SCOPE).text == text
    read_any(text, SCOPE)


@pytest.mark.parametrize(
    ("read", "why"),
    [
        (name("Z"), "nothing is called Z"),
        (done("^", name("S"), figure("2")), "square matrix"),
        (done("call:Attention", X), "'Attention' is no function"),
        (done("root", X, figure("3")), "no square root"),
        (name("S", "4,1"), "nothing is called S"),
        (done("index", X, figure("3")), "no such place"),
        (GridRead((), "list", 1, 0, 0), "rows of one length"),
    ],
)
def test_what_has_no_form_is_refused_with_a_sentence(read: Expressed, why: str) -> None:
    with pytest.raises(FormulaError, match=why):
        formula_piece(read, NAMES, SCOPE)


def test_a_formula_from_outside_cannot_be_nested_without_end() -> None:
    deep: Expressed = X
    for _ in range(5000):
        deep = done("T", deep)
    with pytest.raises(FormulaError, match="FORMULA_DEPTH"):
        formula_piece(deep, NAMES, SCOPE)


@pytest.mark.parametrize(
    ("read", "plain", "key"),
    [
        (name("W", above="Q"), "W_Q", "W_Q"),
        (name("W", "Q"), "W_Q", "W_Q"),
        (name("x", above="2"), "x_2", "x^2"),
        (name("X", marks=("hat",)), "X_hat", "X|hat"),
        (name("Q", "head 1", marks=("'",)), "Q_prime_head_1", "Q|'_head 1"),
        (name("α"), "alpha", "α"),
        (name("λ"), "lambda", "λ"),
        (name("Attention Weights"), "Attention_Weights", "Attention Weights"),
        (name("分數"), "M", "分數"),
        (name("É"), "E", "É"),
    ],
)
def test_names_of_documents_have_plain_names(read: NameRead, plain: str, key: str) -> None:
    assert (plain_name(read), name_key(read)) == (plain, key)
    assert is_name(plain)


def test_names_stay_apart() -> None:
    assert (another_name("M", {"M", "M_2"}), another_name("M", {"S"}), legal_name("pi")) == ("M_3", "M", "pi_")
    assert notation_of(name("X", marks=("hat",))) == "hat(X)"
    assert (square_name(name("σ")), square_key(name("σ"))) == ("sigma_sq", "σ|sq")
    assert notation_of(name("Q", "1", marks=("'",))) == ""


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
