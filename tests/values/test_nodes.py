"""Values of every node a formula may hold, in every surrounding that has bitten somebody, by every evaluator.

The same formula is worked out exactly, in balls, over the rationals, in float64 and by SymPy's own ``as_explicit``;
a node without an example here fails, and so does a class of node that is not listed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from flint import arb
from sympy import (
    Expr,
    ImmutableDenseMatrix,
    Integer,
    MatAdd,
    MatMul,
    MatPow,
    MatrixExpr,
    MatrixSymbol,
    Rational,
    S,
    Sum,
    Symbol,
    Transpose,
    oo,
    sqrt,
)

from symattn.base.errors import DomainError
from symattn.base.shapes import shape
from symattn.compute.solution import Solution
from symattn.compute.solution.domain import asked, certify_domain
from symattn.compute.values.alike import Kinds, alike
from symattn.compute.values.ball import ball
from symattn.compute.values.balls import at_precision, ball_power
from symattn.compute.values.exact import exact
from symattn.compute.values.float64 import RULES, by_equations, float64
from symattn.compute.values.rational import rational
from symattn.operations import (
    ELU,
    FILLINGS,
    GELU,
    NODES,
    AdditiveScores,
    Angle,
    CausalMask,
    ClipNorm,
    Cosine,
    Dot,
    Entropy,
    Exp,
    GELUTanh,
    LayerNorm,
    Log,
    Quotient,
    ReLU,
    RMSNorm,
    Rotary,
    Row,
    RowNorm,
    SiLU,
    Sinusoidal,
    Softmax,
    Tanh,
    UnitRows,
)
from symattn.operations.entry import fresh_index, fresh_letter
from symattn.operations.equations.read import read_operation
from symattn.operations.node import Applied, apply, operation_of
from symattn.read.formula import FUNCTIONS, Scope, read_formula
from symattn.read.given import Given
from symattn.read.plan import Plan
from tests.examples import EVERY, EXAMPLES, OF_RECORDS, SHAPES, VALUES, Example, Names, ball_of, numbers

# -- every node by every evaluator -------------------------------------------------------------------------------------


OPERATIONS = Path(__file__).resolve().parents[2] / "symattn" / "operations"
BITS = 256

X, Y, b, g = (MatrixSymbol(name, *size) for name, size in (("X", (2, 2)), ("Y", (2, 2)), ("b", (1, 2)), ("g", (1, 2))))

FILLERS = {size: MatrixSymbol(name, size, size) for size, name in enumerate(("one", "Y", "F", "G"), 1)}


def squared(e: MatrixExpr) -> MatrixExpr:
    """A square matrix with ``e`` in it, the smallest there is."""
    if e.shape[0] == e.shape[1]:
        return e
    pair = (Transpose(e), e) if e.shape[0] > e.shape[1] else (e, Transpose(e))
    return MatMul(*pair, evaluate=False)


Surround = Callable[[MatrixExpr], MatrixExpr]

AROUND: dict[str, Surround] = {
    "by itself": lambda e: e,
    "left in a product": lambda e: MatMul(e, FILLERS[int(e.shape[1])], evaluate=False),
    "right in a product": lambda e: MatMul(FILLERS[int(e.shape[0])], e, evaluate=False),
    "in softmax": lambda e: Softmax(e),
    "in a power": lambda e: MatPow(squared(e), Integer(2)),
    "in a transpose": lambda e: Transpose(e),
    "in a product with a number": lambda e: MatMul(Rational(3, 2), e, Transpose(e), evaluate=False),
    "in a sum": lambda e: MatAdd(e, MatMul(Integer(-2), e, evaluate=False), evaluate=False),
    "in a quotient": lambda e: Quotient(e, sqrt(5)),
    "in relu of a row": lambda e: ReLU(Row(e, int(e.shape[0]))),
}
"""Around the first example of every node; tests/test_every_stage.py has all of them by themselves."""

CASES = [
    pytest.param(surround(examples[0].node), values, id=f"{node.__name__}, {where}, {values}")
    for node, examples in EXAMPLES.items()
    for where, surround in AROUND.items()
    for values in (("rational", "roots") if where == "by itself" else ("roots",))
]


IRRATIONAL = (*(Softmax, Exp, Angle, Entropy, Log, Tanh), *(GELU, GELUTanh, SiLU, AdditiveScores, Sinusoidal, Rotary))
"""Nodes whose values nobody expects to be rational."""


@pytest.mark.long
@pytest.mark.sampled(120)
@pytest.mark.parametrize(("formula", "values"), CASES)
def test_the_evaluators_agree(formula: MatrixExpr, values: str) -> None:
    names = Names(values)
    value = exact(formula, names)
    with at_precision(BITS):
        enclosure = ball(formula, names.ball)
    fractions = rational(formula, names.rational)
    floats = float64(formula, names.float64)

    assert value.shape == (enclosure.nrows(), enclosure.ncols()) == floats.shape == formula.shape
    with at_precision(BITS):
        for entry, near in zip(value, enclosure.entries(), strict=True):
            assert near.is_finite()
            assert near.rad() < arb("1e-50")
            assert near.overlaps(ball_of(entry)), f"{entry} is not in {near}"
    assert np.allclose(floats, numbers(value), rtol=1e-12, atol=1e-12)
    leaves = formula.atoms(*IRRATIONAL)
    may_leave = formula.atoms(ELU, RowNorm, UnitRows, Cosine, ClipNorm, RMSNorm, LayerNorm)
    # A number inside may be passed over, as by a mask that hides nothing.
    may_leave |= {number for number in scalars(formula) if not number.is_Rational}
    if leaves or any(names.rational(name.name) is None for name in formula.atoms(MatrixSymbol)):
        assert fractions is None
    elif not may_leave:
        assert fractions is not None
    if fractions is not None:
        assert [Rational(int(x.p), int(x.q)) for x in fractions.entries()] == list(value)


def scalars(formula: MatrixExpr) -> Iterator[Expr]:
    """The numbers inside a formula."""
    for argument in formula.args:
        if getattr(argument, "is_Matrix", False):
            yield from scalars(argument)
        elif isinstance(argument, Expr):
            yield argument


@pytest.mark.parametrize("example", [example.node for example in EVERY], ids=str)
def test_a_node_is_its_class_and_its_arguments_whatever_its_names_are(example: MatrixExpr) -> None:
    rebuilt, used = example.func(*example.args), example.atoms(MatrixSymbol)
    there = {name: MatrixSymbol(f"{name.name}_2", *name.shape) for name in used}
    changed = example.xreplace(there)
    assert (rebuilt, type(rebuilt), rebuilt.shape) == (example, type(example), example.shape)
    assert (type(changed), changed.shape) == (type(example), example.shape)
    assert changed.atoms(MatrixSymbol) == set(there.values())
    assert changed.xreplace({new: old for old, new in there.items()}) == example
    assert (changed == example) == (not used)


def test_replacing_a_size_keeps_the_node() -> None:
    node = Quotient(X, sqrt(Symbol("d_k", integer=True, positive=True)))
    replaced = node.xreplace({Symbol("d_k", integer=True, positive=True): Integer(4)})
    assert isinstance(replaced, Quotient)
    assert replaced.divisor == 2


@pytest.mark.parametrize("values", ["rational", "roots"])
def test_a_mask_of_minus_infinity_takes_the_weight_away(values: str) -> None:
    names = Names(values)
    formula = Softmax(MatAdd(MatMul(X, Transpose(X), evaluate=False), CausalMask(2, -oo), evaluate=False))

    value, floats = exact(formula, names), float64(formula, names.float64)
    with at_precision(BITS):
        enclosure = ball(formula, names.ball)

    assert (value[0, 0], value[0, 1]) == (1, 0)
    assert (floats[0, 0], floats[0, 1]) == (1.0, 0.0)
    assert enclosure[0, 1] == 0
    assert np.allclose(floats, numbers(value))
    assert rational(formula, names.rational) is None
    assert CausalMask(2, -oo).as_explicit() == exact(CausalMask(2, -oo), names)


# Bound indices


NESTED: tuple[MatrixExpr, ...] = (
    Softmax(Softmax(X)),
    Softmax(Softmax(Softmax(X))),
    LayerNorm(Softmax(X), Rational(1, 3)),
    Softmax(LayerNorm(X, Rational(1, 3))),
    LayerNorm(LayerNorm(X, S.One), Rational(1, 3), b, g),
    Dot(Row(Softmax(X), 1), Row(LayerNorm(X, S.One), 2)),
    Softmax(Quotient(MatMul(Softmax(X), Transpose(Softmax(X)), evaluate=False), sqrt(2))),
    ReLU(LayerNorm(Softmax(X), S.One)),
    Dot(Dot(b, g), Dot(g, b)),
)


@pytest.mark.long
@pytest.mark.parametrize("formula", NESTED, ids=str)
@pytest.mark.parametrize(
    ("i", "j"), [(0, 0), (Symbol("k", integer=True), Symbol("l", integer=True)), (Symbol("r", integer=True), 1)]
)
def test_no_sum_takes_a_letter_that_is_in_use(formula: MatrixExpr, i: Expr | int, j: Expr | int) -> None:
    if isinstance(formula, Dot):
        i = j = 0
    entry = formula[i, j]

    assert entry.has(Sum)
    assert free_letters(entry) <= {str(i), str(j)}
    for outer in entry.atoms(Sum):
        for variable in outer.variables:
            inner = {v for s in outer.function.atoms(Sum) for v in s.variables}
            assert variable not in inner, f"{variable} is bound twice in {outer}"


def free_letters(entry: Expr) -> set[str]:
    return {str(symbol) for symbol in entry.free_symbols if not isinstance(symbol, MatrixSymbol) and symbol.is_integer}


@pytest.mark.long
@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("formula", "letters"),
    [*((formula, "ij") for formula in NESTED), (NESTED[0], "kl"), (NESTED[2], "rk"), (NESTED[3], "lk")],
)
def test_the_general_entry_means_what_the_matrix_holds(formula: MatrixExpr, letters: str) -> None:
    names, (rows, columns) = Names("rational"), formula.shape
    i, j = (Symbol(letter, integer=True) for letter in letters)
    general = formula[0, 0] if isinstance(formula, Dot) else formula[i, j]
    value = exact(formula, names)
    for r, c in {(0, int(columns) - 1), (int(rows) - 1, 0)}:
        here = names.substituted(OneEntry(general.subs({i: Integer(r), j: Integer(c)})))[0]
        assert abs((here - value[r, c]).evalf(50, maxn=200)) < Rational(10) ** -40


class OneEntry:
    """An entry that can be asked for as a matrix of one."""

    def __init__(self, entry: Expr) -> None:
        self.entry = entry

    def as_explicit(self) -> ImmutableDenseMatrix:
        return ImmutableDenseMatrix([[self.entry]])


def test_letters_are_chosen_the_same_way_every_time() -> None:
    assert fresh_letter([]) == "k"
    assert fresh_letter(["k", "l", "r", "p", "q", "t", "u", "v"]) == "k_1"
    assert fresh_index(X[0, 0], Symbol("k")) == fresh_index(X[0, 0], Symbol("k")) == Symbol("l", integer=True)


def defined_nodes() -> set[str]:
    """The classes in symattn/operations that are matrices, read from the source."""
    bases: dict[str, set[str]] = {}
    for path in sorted(OPERATIONS.glob("*.py")):
        for statement in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(statement, ast.ClassDef):
                bases[statement.name] = {ast.unparse(base).split(".")[-1] for base in statement.bases}
    found = {"MatrixExpr"}
    while more := {name for name, of in bases.items() if of & found} - found:
        found |= more
    # What several nodes share is a class of its own, with a name that no formula ever holds.
    return {name for name in found if not name.startswith("_")} - {"MatrixExpr"}


def test_every_class_of_node_is_listed_and_has_a_rule_of_the_second_opinion() -> None:
    assert defined_nodes() - {node.__name__ for node in NODES} == {"Stored", "Node", "Applied", "Mask", "Repeated"}
    assert {"Softmax", "LayerNorm", "Quotient"} <= defined_nodes()
    assert [node.__name__ for node in NODES if node not in RULES] == ["MatrixSymbol"]


MORE = ("sqrt(2) * X", "multiplications(X @ X) * X", "radians(X)", "degrees(X)", "argmin(X)")
WRITTEN = (*(example.text for example in EVERY), *MORE)


def test_the_examples_call_every_function() -> None:
    # kept(…) counts entries for a quantity and builds no matrix.
    written = [*WRITTEN, "std(X, axis=1)", *(text for texts in OF_RECORDS.values() for text in texts)]
    assert [name for name in FUNCTIONS if not any(f"{name}(" in text for text in written)] == ["kept"]


@pytest.mark.parametrize("text", WRITTEN)
def test_whatever_the_reader_builds_is_made_of_listed_nodes(text: str) -> None:
    expr = read_formula(text, Scope(SHAPES)).expr
    assert sorted({type(node).__name__ for node in matrices(expr) if not isinstance(node, (*NODES, *FILLINGS))}) == []


def matrices(formula: MatrixExpr) -> Iterator[MatrixExpr]:
    yield formula
    for argument in formula.args:
        if isinstance(argument, MatrixExpr):
            yield from matrices(argument)


# -- operations that are nothing but a record --------------------------------------------------------------------------


A, B = MatrixSymbol("X", 3, 4), MatrixSymbol("Y", 2, 4)
NUMBERS = {
    "X": [["1/2", "-3", "0", "2"], ["2", "5/7", "1", "-1/4"], ["1/2", "-3", "0", "2"]],
    "Y": [["1", "1/3", "-2", "3"], ["-1/4", "2", "1", "1/5"]],
    "b": [["1", "-2", "3", "1/2"]],
}
c_row = MatrixSymbol("b", 1, 4)

ALIKE = {
    "softcap(X, c)\n y[i,j] = c * tanh(X[i,j] / c)": (A, Integer(5)),
    "log_softmax(S)\n t[i] = sum(k, exp(S[i,k]))\n y[i,j] = S[i,j] - log(t[i])": (A,),
    "centred(X: m×d)\n mu[i] = sum(k, X[i,k]) / d\n s[i] = sum(k, abs(X[i,k] - mu[i]))\n"
    " y[i,j] = (X[i,j] - mu[i]) / s[i]": (A,),
}


@pytest.fixture
def solution() -> Solution:
    plan = Plan()
    for name, rows in NUMBERS.items():
        plan = plan.given(name, shape(len(rows), len(rows[0])))
    return Solution(plan, {name: Given.read(rows) for name, rows in NUMBERS.items()})


@pytest.mark.parametrize("text", ALIKE, ids=lambda text: text.partition("(")[0])
def test_rows_that_are_made_alike_are_found(text: str) -> None:
    node = apply(read_operation(text), *ALIKE[text])
    numbers = alike(node, {"X": [[1, 2, 3, 4], [1, 2, 3, 5], [2, 1, 4, 3]]}.__getitem__, Kinds())
    (a, b, c, d), other, turned = numbers
    assert turned == [b, a, d, c]
    assert text.startswith("softcap") == (other[:3] == [a, b, c])


REFUSED = {
    "step, softcap: c in 'y[i,j] = c * tanh(X[i,j] / c)' is 0, and nothing can be divided by 0": (
        "softcap(X, c)\n y[i,j] = c * tanh(X[i,j] / c)",
        (A, Integer(0)),
    ),
    "step, inverse: X[1,3] is 0, and nothing can be divided by 0": ("inverse(X)\n y[i,j] = 1 / X[i,j]", (A,)),
    "step, shares: t[i] in 'y[i,j] = X[i,j] / t[i]' is 0 for i = 2, and nothing can be divided by 0": (
        "shares(X)\n t[i] = max(k, X[i,k]) - 2 * i / i\n y[i,j] = X[i,j] / t[i]",
        (MatrixSymbol("Y", 2, 4),),
    ),
    "step, roots: X[1,2] is negative: expected a number from 0 up under a root": (
        "roots(X)\n y[i,j] = sqrt(X[i,j])",
        (A,),
    ),
    "step, soft: t[i] in 'y[i,j] = exp(M[i,j]) / t[i]' is 0 for i = 1, and nothing can be divided by 0": (
        "soft(M)\n t[i] = sum(k, exp(M[i,k]))\n y[i,j] = exp(M[i,j]) / t[i]",
        (apply(read_operation("hidden(n) -> n×n\n y[i,j] = -oo if i == 1 else 0"), Integer(3)),),
    ),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_what_is_not_defined_is_refused_with_its_place(sentence: str, solution: Solution) -> None:
    text, args = REFUSED[sentence]
    with pytest.raises(DomainError) as caught:
        certify_domain(solution.store, apply(read_operation(text), *args), "step")
    assert str(caught.value) == sentence


def test_what_a_case_rules_out_is_not_asked_for(solution: Solution) -> None:
    clip = read_operation("clip(X, c)\n r = sum(k, sum(l, X[k,l]^2))\n y[i,j] = X[i,j] if r <= c else X[i,j] * (c / r)")
    inverse = read_operation("inverse(X)\n y[i,j] = 1 / X[i,j] if X[i,j] != 0 else 0")
    assert asked(apply(clip, A, Integer(1))) == ()
    certify_domain(solution.store, apply(inverse, A), "step")


def test_a_whole_power_of_what_is_around_0_is_around_0() -> None:
    around = arb("0 +/- 1e-30")
    assert all(ball_power(around, n).is_finite() and ball_power(around, n).contains(0) for n in (1, 2, 3, 4))
    assert ball_power(around, 3).rad() < arb("1e-85")


# -- the second opinion by equations agrees with NumPy by hand ---------------------------------------------------------


WITH_EQUATIONS = [example for example in EVERY if operation_of(example.node) is not None]
P, R = MatrixSymbol("X", 3, 2), MatrixSymbol("Y", 2, 2)
MATRICES = {"X": np.array([[1.0, -2.0], [0.5, 3.0], [0.0, 4.0]]), "Y": np.array([[2.0, 0.0], [1.0, -1.0]])}


def own(text: str, *args: object) -> Applied:
    return apply(read_operation(text), *args)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("example", WITH_EQUATIONS, ids=lambda example: example.text)
def test_equations_agree_with_numpy_by_hand(example: Example) -> None:
    for values in VALUES:
        if example.text.startswith("one_hot") and values == "negatives":
            continue  # no id is negative, and NumPy counts those from the end
        lookup = Names(values).float64
        operands = [float64(arg, lookup) for arg in example.node.args if arg.is_Matrix]
        found, expected = by_equations(example.node, *operands), float64(example.node, lookup)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13, strict=True)


LEAKY = "leaky(X, a = 1/100)\n y[i,j] = X[i,j] if X[i,j] > 0 else a * X[i,j]"


def norms(x: np.ndarray) -> np.ndarray:
    return np.sqrt((x**2).sum(axis=1, keepdims=True))


@pytest.mark.parametrize(("text", "args", "expected"), [
    ("softcap(X, c)\n y[i,j] = c * tanh(X[i,j] / c)", (P, Rational(5)), lambda x, y: 5 * np.tanh(x / 5)),
    ("leaky(X, a = 1/100)\n y[i,j] = X[i,j] if X[i,j] > 0 else a * X[i,j]", (P,), lambda x, y: np.maximum(x, x / 100)),
    ("softplus(X)\n y[i,j] = log(1 + exp(X[i,j]))", (P,), lambda x, y: np.logaddexp(0, x)),
    ("totals(X: m×n) -> 1×n\n y[j] = sum(i, X[i,j])", (P,), lambda x, y: x.sum(axis=0, keepdims=True)),
    ("norms(X)\n q[i] = sum(k, X[i,k]^2)\n y[i] = sqrt(q[i])", (P,), lambda x, y: norms(x)),
    ("lower(X)\n y[i,j] = X[i,j] if j <= i and i < 3 else 0", (P,), lambda x, y: np.tril(x) * [[1], [1], [0]]),
    ("moved(X: m×n) -> m×n\n y[i,j] = X[i,j + 1] if j < n else X[i,1]", (P,), lambda x, y: np.roll(x, -1, axis=1)),
    ("pairs(X: m×d, Y: p×d)\n y[i,j] = max(k, X[i,k] * Y[j,k])", (P, R), lambda x, y: (x[:, None] * y).max(axis=2)),
    ("whole(X: m×n)\n s = sum(k, sum(l, X[k,l]))\n y[i,j] = X[i,j] - s / (m * n)", (P,), lambda x, y: x - x.mean()),
    ("over(X: m×d, Y: p×d)\n y[i,j] = sum(k, X[i,k]) / Y[j,2]", (P, R), lambda x, y: x.sum(axis=1)[:, None] / y[:, 1]),
    ("square(X: m×n)\n y[i,j] = floor(X[i,j]) % 3 + erf(0 * X[i,j])", (P * R,), lambda x, y: np.floor(x @ y) % 3),
], ids=lambda value: value.split("(")[0] if isinstance(value, str) else "")  # fmt: skip
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_operations_of_ones_own(text: str, args: tuple, expected: Callable) -> None:
    # Among them a division by zero, as NumPy has it.
    value = float64(own(text, *args), MATRICES.__getitem__)
    np.testing.assert_allclose(value, expected(*MATRICES.values()), rtol=1e-14, strict=True)


def test_an_entry_outside_is_an_error_and_none_from_the_end() -> None:
    with pytest.raises(IndexError, match="before: X has places from 1 to 2, and no other"):
        float64(own("before(X: m×n) -> m×n\n y[i,j] = X[i,j - 1]", P), MATRICES.__getitem__)
