"""Every node a formula may hold, in every surrounding that has bitten somebody, by every evaluator.

The same formula is worked out exactly, in balls, over the rationals, in float64 and by SymPy's own ``as_explicit``;
a node without an example here fails, and so does a class of node that is not listed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from flint import arb, arb_mat, fmpq, fmpq_mat
from sympy import (
    Dummy,
    Expr,
    HadamardProduct,
    Identity,
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
    sympify,
)

from symattn.formula import FUNCTIONS, Scope, read_formula
from symattn.operations import (
    ELU,
    FILLINGS,
    GELU,
    NODES,
    AdditiveScores,
    Angle,
    ArgMax,
    Broadcast,
    CausalMask,
    ClipNorm,
    Concat,
    Cosine,
    Distance,
    Dot,
    Entropy,
    EntryQuotient,
    Exp,
    GELUTanh,
    Hadamard,
    Head,
    Keep,
    LayerNorm,
    Log,
    OneHot,
    OneMatrix,
    PaddingMask,
    Proportions,
    Quotient,
    ReLU,
    RMSNorm,
    Rotary,
    Row,
    RowMax,
    RowNorm,
    Rows,
    SiLU,
    Sinusoidal,
    Softmax,
    Stack,
    Tanh,
    TopK,
    UnitRows,
    WindowMask,
)
from symattn.operations.indices import fresh_index, fresh_letter
from symattn.operations.overrides import BALL, EXACT, RATIONAL
from symattn.shapes import shape
from symattn.values.ball import ball, of_operands
from symattn.values.exact import exact
from symattn.values.float64 import float64
from symattn.values.number import at_precision
from symattn.values.rational import of_node, rational

OPERATIONS = Path(__file__).resolve().parents[2] / "symattn" / "operations"
BITS = 256

# Names, and two sets of values for them: rational ones, and ones with roots.

X, Y, b, g, column = (
    MatrixSymbol(n, *s) for n, s in (("X", (2, 2)), ("Y", (2, 2)), ("b", (1, 2)), ("g", (1, 2)), ("c", (2, 1)))
)
W = MatrixSymbol("W", 3, 2)
ids = MatrixSymbol("ids", 1, 3)

RATIONALS: dict[str, list[list[str]]] = {
    "X": [["1/2", "-3"], ["2", "5/7"]],
    "Y": [["1", "1/3"], ["-1/4", "2"]],
    "W": [["1", "0"], ["2/5", "-1"], ["-3", "1/2"]],
    "b": [["1/3", "-2"]],
    "g": [["5/2", "3"]],
    "c": [["-1"], ["3/4"]],
    "one": [["-2/3"]],
    "ids": [["1", "0", "1"]],
}
ROOTS: dict[str, list[list[str]]] = {
    **RATIONALS,
    "X": [["sqrt(2)/2", "-1"], ["1", "sqrt(3)"]],
    "b": [["sqrt(5)", "-1/2"]],
    "W": [["1", "0"], ["sqrt(2)", "-1"], ["-3", "1/2"]],
}
VALUES = {"rational": RATIONALS, "roots": ROOTS}

EXAMPLES: dict[type, tuple[MatrixExpr, ...]] = {
    MatrixSymbol: (X, W, b),
    MatMul: (
        MatMul(X, Y, evaluate=False),
        MatMul(W, X, Transpose(Y), evaluate=False),
        MatMul(Rational(-2, 3), X, evaluate=False),
        MatMul(sqrt(2), W, Y, evaluate=False),
    ),
    MatAdd: (MatAdd(X, Y, evaluate=False), MatAdd(X, MatMul(Integer(-1), Y, evaluate=False), X, evaluate=False)),
    MatPow: (MatPow(X, Integer(3)), MatPow(X, Integer(1))),
    Transpose: (Transpose(X), Transpose(W), Transpose(Transpose(b))),
    Identity: (Identity(2), Identity(3)),
    Softmax: (Softmax(X), Softmax(W), Softmax(column)),
    LayerNorm: (
        LayerNorm(X, Rational(1, 100_000)),
        LayerNorm(W, Rational(1, 3), b, g),
        LayerNorm(b, S.One),
    ),
    ReLU: (ReLU(X), ReLU(W), ReLU(MatAdd(X, MatMul(Integer(-1), X, evaluate=False), evaluate=False))),
    CausalMask: (CausalMask(2, Integer(-10)), CausalMask(3, -sqrt(2)), CausalMask(1, -oo)),
    Broadcast: (Broadcast(b, 2), Broadcast(g, 3), Broadcast(b, 1)),
    Row: (Row(X, 1), Row(W, 3)),
    Quotient: (Quotient(X, Integer(3)), Quotient(W, sqrt(2)), Quotient(b, Rational(-1, 7))),
    Dot: (Dot(b, g), Dot(Row(X, 2), b), Dot(W, X)),
    OneMatrix: (OneMatrix(2, 2), OneMatrix(1, 3)),
    Exp: (Exp(X), Exp(b)),
    ELU: (ELU(X), ELU(W)),
    WindowMask: (WindowMask(3, 2, Integer(-10)), WindowMask(2, 1, -sqrt(2)), WindowMask(1, 1, -oo)),
    Keep: (Keep(X, CausalMask(2, Integer(-10))), Keep(MatPow(X, 2), WindowMask(2, 1, Integer(-10)))),
    Head: (Head(X, 2, 2), Head(W, 1, 1), Head(Concat(column, X, column), 2, 2)),
    Concat: (Concat(X, column), Concat(column, column, column)),
    OneHot: (OneHot(ids, 2), OneHot(ids, 3)),
    ClipNorm: (ClipNorm(X, Integer(2)), ClipNorm(b, Integer(9)), ClipNorm(W, sqrt(2))),
    Cosine: (Cosine(X, W), Cosine(b, g)),
    Angle: (Angle(X, Y), Angle(b, g)),
    RowNorm: (RowNorm(X), RowNorm(b)),
    RowMax: (RowMax(X), RowMax(W)),
    Hadamard: (Hadamard(X, Y), Hadamard(b, Row(X, 2))),
    EntryQuotient: (EntryQuotient(X, Y), EntryQuotient(b, g)),
    Rows: (Rows(W, 2, 3), Rows(X, 1, 1)),
    Stack: (Stack(b, X), Stack(b, b)),
    RMSNorm: (RMSNorm(X, Rational(1, 100_000)), RMSNorm(W, S.Zero, g), RMSNorm(b, Rational(1, 3))),
    GELU: (GELU(X), GELU(b)),
    GELUTanh: (GELUTanh(X), GELUTanh(b)),
    SiLU: (SiLU(X), SiLU(W)),
    Tanh: (Tanh(X), Tanh(b)),
    Log: (Log(Exp(X)), Log(g), Log(Softmax(Y))),
    PaddingMask: (PaddingMask(2, 3, 2, Integer(-10)), PaddingMask(1, 1, 1, -oo)),
    AdditiveScores: (AdditiveScores(X, W, b), AdditiveScores(b, g, b)),
    Sinusoidal: (Sinusoidal(2, 2, Integer(10_000)), Sinusoidal(3, 2, Integer(7))),
    Rotary: (Rotary(X, Integer(10_000), S.Zero), Rotary(W, Integer(9), Integer(5)), Rotary(X, Integer(2), sqrt(2))),
    Distance: (Distance(1), Distance(3)),
    ArgMax: (ArgMax(X), ArgMax(W), ArgMax(OneMatrix(2, 2))),
    TopK: (TopK(X, 1), TopK(Concat(Exp(X), column), 2)),
    UnitRows: (UnitRows(X), UnitRows(b)),
    Proportions: (Proportions(W), Proportions(Exp(X))),
    Entropy: (Entropy(Softmax(X)), Entropy(Exp(W))),
}

FILLERS = {size: MatrixSymbol({1: "one", 2: "Y", 3: "F"}[size], size, size) for size in (1, 2, 3)}
RATIONALS["F"] = ROOTS["F"] = [["1", "-1/2", "0"], ["2", "1", "1/3"], ["0", "-1", "1"]]


def squared(e: MatrixExpr) -> MatrixExpr:
    """A square matrix with ``e`` in it, the smallest there is."""
    if e.shape[0] == e.shape[1]:
        return e
    pair = (Transpose(e), e) if e.shape[0] > e.shape[1] else (e, Transpose(e))
    return MatMul(*pair, evaluate=False)


Surround = Callable[[MatrixExpr], MatrixExpr]

ALWAYS: dict[str, Surround] = {
    "left in a product": lambda e: MatMul(e, FILLERS[int(e.shape[1])], evaluate=False),
    "right in a product": lambda e: MatMul(FILLERS[int(e.shape[0])], e, evaluate=False),
    "in a power": lambda e: MatPow(squared(e), Integer(2)),
    "in a transpose": lambda e: Transpose(e),
    "in softmax": lambda e: Softmax(e),
}
"""Around every example, on every road."""

SOMETIMES: dict[str, Surround] = {
    "in a product with a number": lambda e: MatMul(Rational(3, 2), e, Transpose(e), evaluate=False),
    "in a sum": lambda e: MatAdd(e, MatMul(Integer(-2), e, evaluate=False), evaluate=False),
    "in a quotient": lambda e: Quotient(e, sqrt(5)),
    "in softmax of a product": lambda e: Softmax(squared(e)),
    "in a layer norm": lambda e: LayerNorm(e, Rational(1, 10)),
    "in relu": lambda e: ReLU(e),
    "in a row": lambda e: Row(e, int(e.shape[0])),
    "in a transposed transpose": lambda e: Transpose(Transpose(e)),
}
"""Around the first example of every node, by the four evaluators: SymPy's own expansion takes too long there."""


def cases(values: tuple[str, ...], sometimes: bool = False) -> list:
    """Formulas with an example in a surrounding, and the values of their names."""
    return [
        pytest.param(surround(example), chosen, id=f"{node.__name__} {number + 1}, {where}, {chosen}")
        for node, examples in EXAMPLES.items()
        for number, example in enumerate(examples)
        for where, surround in {**ALWAYS, **(SOMETIMES if sometimes and number == 0 else {})}.items()
        for chosen in values
        # Products with −∞ have no value; the mask of −∞ has tests of its own below.
        if not example.has(oo)
    ]


EXPANDED = [
    pytest.param(formula, id=f"{node.__name__} {number + 1}{where}")
    for node, examples in EXAMPLES.items()
    for number, example in enumerate(examples[:2])
    for where, formula in {"": example, **({", in softmax": Softmax(example)} if number == 0 else {})}.items()
    if not example.has(oo)
]
"""What SymPy expands: its own products, powers and transposes of our entries are SymPy's business and take seconds."""


# The four evaluators on the same names


MATRICES = {
    values: {
        name: ImmutableDenseMatrix([[sympify(cell) for cell in row] for row in rows]) for name, rows in named.items()
    }
    for values, named in VALUES.items()
}


class Names:
    """The values of the names, as each evaluator wants them."""

    def __init__(self, values: str) -> None:
        self.matrices = MATRICES[values]

    def exact_value(self, name: str) -> ImmutableDenseMatrix:
        return self.matrices[name]

    def signs(self, formula: MatrixExpr, what: str) -> tuple[tuple[int, ...], ...]:
        """By SymPy's evalf: good enough for the values above, and nothing of symattn's own proofs."""
        return tuple(tuple(map(int, np.sign(row))) for row in numbers(exact(formula, self)))

    def largest(self, formula: MatrixExpr) -> tuple[int, ...]:
        return tuple(int(np.argmax(row)) for row in numbers(exact(formula, self)))

    def top(self, formula: MatrixExpr, count: int) -> tuple[tuple[int, ...], ...]:
        rows = numbers(exact(formula, self))
        return tuple(tuple(int(j) for j in np.argsort(-row, kind="stable")[:count]) for row in rows)

    def is_longer(self, formula: MatrixExpr, threshold: Expr) -> bool:
        return bool(np.linalg.norm(numbers(exact(formula, self))) > float(threshold))

    def ball(self, name: str) -> arb_mat:
        matrix = self.matrices[name]
        return arb_mat(matrix.rows, matrix.cols, [ball_of(x) for x in matrix])

    def rational(self, name: str) -> fmpq_mat | None:
        matrix = self.matrices[name]
        if not all(x.is_Rational for x in matrix):
            return None
        return fmpq_mat(matrix.rows, matrix.cols, [fmpq(int(x.p), int(x.q)) for x in matrix])

    def float64(self, name: str) -> np.ndarray:
        return numbers(self.matrices[name])

    def substituted(self, formula: MatrixExpr) -> ImmutableDenseMatrix:
        """SymPy's own road: entries of the names first, the numbers put in at the end."""
        explicit = formula.as_explicit().doit()
        entries = {
            MatrixSymbol(name, *matrix.shape)[i, j]: matrix[i, j]
            for name, matrix in self.matrices.items()
            for i in range(matrix.rows)
            for j in range(matrix.cols)
        }
        return explicit.xreplace(entries).doit()


def ball_of(value: Expr) -> arb:
    """A ball of radius 10^-60 around SymPy's evalf; ``arb`` of a text would not take SymPy's exponents."""
    return arb(str(value.evalf(70)), "1e-60")


def numbers(matrix: ImmutableDenseMatrix) -> np.ndarray:
    return np.array([[float(matrix[i, j].evalf(20)) for j in range(matrix.cols)] for i in range(matrix.rows)])


# The tests


IRRATIONAL = (
    *(Softmax, Exp, Angle, Entropy, Log, Tanh),
    *(GELU, GELUTanh, SiLU, AdditiveScores, Sinusoidal, Rotary),
)
"""Nodes whose values nobody expects to be rational."""


@pytest.mark.parametrize(("formula", "values"), cases(("rational", "roots"), sometimes=True))
def test_the_evaluators_agree(formula: MatrixExpr, values: str, within: Callable) -> None:
    names = Names(values)
    sizes = tuple(int(size) for size in formula.shape)

    with within(5):
        value = exact(formula, names)
    with at_precision(BITS):
        enclosure = ball(formula, names.ball)
    fractions = rational(formula, names.rational)
    floats = float64(formula, names.float64)

    assert value.shape == (enclosure.nrows(), enclosure.ncols()) == floats.shape == sizes
    with at_precision(BITS):
        for entry, near in zip(value, enclosure.entries(), strict=True):
            assert near.is_finite()
            assert near.rad() < arb("1e-50")
            assert near.overlaps(ball_of(entry)), f"{entry} is not in {near}"
    assert np.allclose(floats, numbers(value), rtol=1e-12, atol=1e-12)
    leaves = formula.atoms(*IRRATIONAL)
    may_leave = formula.atoms(ELU, RowNorm, UnitRows, Cosine, ClipNorm, RMSNorm, LayerNorm)
    irrational = not all(number.is_Rational for number in scalars(formula)) or any(
        names.rational(name.name) is None for name in formula.atoms(MatrixSymbol)
    )
    if leaves or irrational:
        assert fractions is None
    elif not may_leave:
        assert fractions is not None
    if fractions is not None:
        assert [Rational(int(x.p), int(x.q)) for x in fractions.entries()] == list(value)


@pytest.mark.parametrize("formula", EXPANDED)
def test_sympys_own_expansion_gives_the_same(formula: MatrixExpr) -> None:
    names = Names("roots")

    found = names.substituted(formula)

    value = exact(formula, names)
    assert found.shape == value.shape
    for here, there in zip(value, found, strict=True):
        difference = here - there
        assert difference == 0 or abs(difference.evalf(50, maxn=200)) < Rational(10) ** -40


def scalars(formula: MatrixExpr) -> Iterator[Expr]:
    """The numbers inside a formula."""
    for argument in formula.args:
        if getattr(argument, "is_Matrix", False):
            yield from scalars(argument)
        elif isinstance(argument, Expr):
            yield argument


@pytest.mark.parametrize("formula", EXPANDED)
def test_an_entry_is_the_same_whenever_it_is_asked_for(formula: MatrixExpr) -> None:
    rows, columns = formula.shape
    rebuilt = (
        formula.func(*formula.args, evaluate=False) if isinstance(formula, MatMul) else formula.func(*formula.args)
    )

    assert rebuilt == formula
    assert hash(rebuilt) == hash(formula)
    for i, j in {(0, 0), (rows - 1, columns - 1)}:
        once, again = formula[i, j], rebuilt[i, j]
        # SymPy's transpose of a product leaves the sum standing, over a Dummy of its own: only written out they agree.
        assert once == again or (once.atoms(Dummy) and once.doit() == again.doit())
        assert not once.atoms(Dummy) or any(isinstance(node.arg, MatMul) for node in transposes(formula))


def transposes(formula: MatrixExpr) -> set[Transpose]:
    return formula.atoms(Transpose)


@pytest.mark.parametrize("example", [example for examples in EXAMPLES.values() for example in examples], ids=str)
def test_a_node_is_its_class_and_its_arguments(example: MatrixExpr) -> None:
    rebuilt = example.func(*example.args)

    assert rebuilt == example
    assert type(rebuilt) is type(example)
    assert rebuilt.shape == example.shape


@pytest.mark.parametrize("example", [example for examples in EXAMPLES.values() for example in examples], ids=str)
def test_replacing_a_name_keeps_the_rest(example: MatrixExpr) -> None:
    used = sorted(example.atoms(MatrixSymbol), key=str)
    there = {name: MatrixSymbol(f"{name.name}_2", *name.shape) for name in used}
    back = {new: old for old, new in there.items()}

    changed = example.xreplace(there)

    assert type(changed) is type(example)
    assert changed.shape == example.shape
    assert changed.atoms(MatrixSymbol) == set(back)
    assert changed.xreplace(back) == example
    assert (changed == example) == (not used)


def test_replacing_a_size_keeps_the_node() -> None:
    node = Quotient(X, sqrt(Symbol("d_k", integer=True, positive=True)))

    replaced = node.xreplace({Symbol("d_k", integer=True, positive=True): Integer(4)})

    assert isinstance(replaced, Quotient)
    assert replaced.divisor == 2


# The mask of −∞


@pytest.mark.parametrize("values", VALUES)
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


# Nothing is left out


def test_every_node_has_an_example_and_every_example_is_of_its_node() -> None:
    assert set(EXAMPLES) == set(NODES)
    for node, examples in EXAMPLES.items():
        assert all(isinstance(example, node) for example in examples), node


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


def test_every_class_of_node_in_the_source_is_listed_and_has_an_example() -> None:
    listed = {node.__name__ for node in NODES}

    assert defined_nodes() - listed == {"Node", "Applied"}
    assert defined_nodes() - {node.__name__ for node in EXAMPLES} == {"Node", "Applied"}
    assert {"Softmax", "LayerNorm", "Quotient"} <= defined_nodes()


def test_the_second_opinion_has_a_rule_of_its_own_for_every_node() -> None:
    assert [node.__name__ for node in NODES if float64.dispatch(node) is float64.registry[object]] == []


@pytest.mark.parametrize("node", [node for kind in NODES if kind.__name__ in BALL for node in EXAMPLES[kind]], ids=str)
@pytest.mark.parametrize("values", ["rational", "roots"])
def test_a_rule_of_its_own_agrees_with_the_equations(node: MatrixExpr, values: str) -> None:
    names = Names(values)
    for bits in (84, 1000):
        with at_precision(bits):
            given = [ball(arg, names.ball) for arg in node.args if arg.is_Matrix]
            ours, derived = of_operands(node, given), of_operands.registry[object](node, given)
            assert ours.overlaps(derived)


@pytest.mark.parametrize("values", ["rational", "roots"])
@pytest.mark.parametrize(
    "node", [node for kind in NODES if kind.__name__ in {*RATIONAL, *EXACT} for node in EXAMPLES[kind]], ids=str
)
def test_an_exact_rule_of_its_own_agrees_with_the_equations(node: MatrixExpr, values: str) -> None:
    names = Names(values)
    ours, derived = of_node(node, names.rational), of_node.registry[object](node, names.rational)
    assert derived is None or ours == derived
    assert exact(node, names).equals(exact.registry[object](node, names))


@pytest.mark.parametrize("rules", [exact, ball, rational, float64], ids=lambda rules: rules.__name__)
def test_an_unknown_node_is_refused_by_name(rules: Callable) -> None:
    with pytest.raises(TypeError, match=r"no (\w+ rule|equations) for HadamardProduct"):
        rules(HadamardProduct(X, Y), None)


WRITTEN = (
    "softmax(X)",
    "layer_norm(X)",
    "layer_norm(X, gamma=b)",
    "layer_norm(X, beta=b)",
    "layer_norm(X, 1, b, b)",
    "relu(X)",
    "causal_mask(2)",
    "padding_mask(2, 3, 1)",
    "rms_norm(X, epsilon=1, gamma=b)",
    "gelu(X)",
    "gelu_tanh(X)",
    "silu(X)",
    "tanh(X)",
    "log(X)",
    "hadamard(X, X)",
    "divide(X, X)",
    "rows(X, 1, 2)",
    "stack(X, b)",
    "argmax(X)",
    "top_k(X, 1)",
    "additive_scores(X, X, b)",
    "distance(2)",
    "sinusoidal(2, 2)",
    "rotary(X, start=1)",
    "broadcast(b, 2)",
    "row(X, 1)",
    "head(X, 1, 2)",
    "concat(X, X, b.T)",
    "one_hot(b, 2)",
    "window_mask(2, 1)",
    "keep(X, causal_mask(2))",
    "exp(X)",
    "elu(X)",
    "clip_norm(X, 2)",
    "dot(b, b)",
    "cosine(X, b)",
    "angle(b, b)",
    "norm(X)",
    "row_max(X)",
    "unit(X)",
    "proportions(X)",
    "entropy(X)",
    "identity(2)",
    "ones(2, 3)",
    "sqrt(2) * X",
    "multiplications(X @ X) * X",
    "X @ X.T - X / 2 + X ^ 2",
)


def test_the_formulas_above_call_every_function() -> None:
    # kept(…) counts entries for a quantity and builds no matrix.
    assert [name for name in FUNCTIONS if not any(f"{name}(" in text for text in WRITTEN)] == ["kept"]


@pytest.mark.parametrize("text", WRITTEN)
def test_whatever_the_reader_builds_is_made_of_listed_nodes(text: str) -> None:
    expr = read_formula(text, Scope({"X": shape(2, 2), "b": shape(1, 2)})).expr

    assert sorted({type(node).__name__ for node in matrices(expr) if not isinstance(node, (*NODES, *FILLINGS))}) == []


def matrices(formula: MatrixExpr) -> Iterator[MatrixExpr]:
    yield formula
    for argument in formula.args:
        if isinstance(argument, MatrixExpr):
            yield from matrices(argument)
