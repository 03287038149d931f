"""The nodes as somebody has them who knows SymPy: numbers by ``doit``, derivatives, text, pickles, equality.

Nothing of symattn is used but the nodes, and the reader of records for operations of one's own.
"""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import pytest
import sympy
from sympy import (
    Derivative,
    Float,
    ImmutableDenseMatrix,
    Integer,
    Matrix,
    MatrixBase,
    MatrixSymbol,
    Pow,
    Rational,
    Sum,
    Symbol,
    Trace,
    ZeroMatrix,
    diff,
    exp,
    oo,
    pi,
    sqrt,
    srepr,
    symbols,
    tanh,
)
from sympy.core.symbol import Str
from sympy.matrices.expressions.matexpr import MatrixElement

import symattn.operations as ops
from symattn.base.errors import FormulaError
from symattn.operations.equations.read import read_operation
from symattn.operations.node import apply
from tests.examples import BY_OPERATION, MATRICES, SHAPES

X, Y, P = (MatrixSymbol(name, 2, 2) for name in "XYP")
n, t = Symbol("n", integer=True, positive=True), Symbol("t", real=True)
VALUES = {MatrixSymbol(name, *rows.shape): Matrix(rows) for name, rows in MATRICES["rational"].items()}
SOFTCAP = read_operation("softcap(X, c)\n y[i,j] = c * tanh(X[i,j] / c)")
HALVED = read_operation("halved(X: m×n)\n u = sum(k, sum(l, X[k,l]^2))\n y[i,j] = 0.5 * X[i,j] / (1 + u)")

NODES = {name: examples[0].node for name, examples in BY_OPERATION.items()}
NODES |= {
    "hidden": ops.CausalMask(2, -oo),
    "root": ops.Quotient(X, Pow(4, Rational(1, 2), evaluate=False)),
    "halved": apply(HALVED, ops.Softmax(X)),
    "lower": apply(read_operation("lower(X: n×n)\n y[i,j] = X[i,j] if j <= i else 0"), X),
}
OURS = {name: node for name, node in NODES.items() if type(node).__module__.startswith("symattn")}
OVER_NAMES = {name: node for name, node in OURS.items() if node.atoms(MatrixSymbol)}
every = pytest.mark.parametrize("name", OURS)
over_names = pytest.mark.parametrize("name", OVER_NAMES)


def read_back(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - written here


def numbers(matrix: Any) -> list[float]:
    assert isinstance(matrix, MatrixBase)
    return [float(entry) for entry in matrix]


# -- values --------------------------------------------------------------------------------------------------------


@every
def test_numbers_put_in_give_numbers(name: str) -> None:
    node = OURS[name]
    done = node.subs(VALUES).doit()
    assert done.shape == node.shape
    assert all(entry.is_number and not entry.has(Sum, MatrixElement) for entry in done)
    assert (
        node.subs(VALUES).as_explicit()
        == done
        == node.xreplace({key: ImmutableDenseMatrix(value) for key, value in VALUES.items()}).doit(deep=False)
    )


@pytest.mark.long
@over_names
def test_entries_of_names_put_in_afterwards_give_the_same(name: str) -> None:
    explicit = OVER_NAMES[name].as_explicit()
    assert not explicit.has(Sum)
    entries = {each: VALUES[each.parent][each.i, each.j] for each in explicit.atoms(MatrixElement)}
    assert numbers(explicit.subs(entries).evalf(20)) == pytest.approx(
        numbers(OVER_NAMES[name].subs(VALUES).doit().evalf(20)), abs=1e-12
    )


@over_names
def test_what_is_not_known_stays_as_it_is(name: str) -> None:
    node = OVER_NAMES[name]
    assert node.doit() == node
    assert node.evalf() == node
    assert node.expand() == node


@pytest.mark.long
@pytest.mark.sampled(20)
@over_names
def test_a_node_inside_others_is_worked_out_too(name: str) -> None:
    node = OVER_NAMES[name]
    around = (2 * ops.Softmax(ops.Tanh(node)) + ops.OneMatrix(*node.shape)).T
    known = around.subs(VALUES)
    assert numbers(known.doit().as_explicit().evalf()) == pytest.approx(numbers(known.as_explicit().evalf()), abs=1e-12)
    assert not known.as_explicit().has(Sum)


def test_what_is_partly_known_is_partly_worked_out() -> None:
    half = ops.Softmax(ops.Exp(VALUES[Y]) + X)
    assert half.doit().argument == ImmutableDenseMatrix(VALUES[Y].applyfunc(exp)) + X
    assert ops.Softmax(Matrix([[t, t]])).doit() == ImmutableDenseMatrix([[Rational(1, 2)] * 2])
    assert ops.Quotient(X, sqrt(n)).subs(X, VALUES[Y]).doit()[0, 1] == 1 / (3 * sqrt(n))


def test_of_equal_entries_the_first_is_chosen() -> None:
    assert ops.ArgMax(Matrix([[1, 2, 2], [3, 3, 3]])).doit() == ImmutableDenseMatrix([[1], [0]])
    assert ops.TopK(Matrix([[2, 1, 2], [3, 3, 3]]), 2).doit() == ImmutableDenseMatrix([[1, 0, 1], [1, 1, 0]])


@pytest.mark.long
@every
def test_decimals_are_those_of_the_numbers(name: str) -> None:
    known = OURS[name].subs(VALUES)
    decimals = known.evalf(30)
    assert decimals == known.n(30) == sympy.N(known, 30)
    assert all(
        abs(a - c) < 1e-12 for a, c in zip(numbers(decimals), numbers(known.doit()), strict=True) if abs(c) != oo
    )
    assert all(isinstance(entry, Float | Integer) or entry in (oo, -oo) for entry in decimals)


# -- derivatives ---------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.sampled(20)
@pytest.mark.parametrize("name", [name for name in OVER_NAMES if name != "floor"])
def test_a_derivative_is_the_limit_of_quotients(name: str) -> None:
    node = OVER_NAMES[name].subs({each: each + t * sympy.ones(*each.shape) for each in VALUES}).subs(VALUES)
    found = numbers(node.diff(t).doit().subs(t, 0).evalf(30))
    step = Rational(1, 10**8)
    ahead, behind = (node.subs(t, side * step).doit().evalf(40) for side in (1, -1))
    assert found == pytest.approx(numbers((ahead - behind) / (2 * step)), abs=1e-6)
    assert diff(node, t) == node.diff(t)


@pytest.mark.sampled(20)
@over_names
def test_a_derivative_by_an_entry_and_by_what_is_not_there(name: str) -> None:
    node = OVER_NAMES[name]
    matrix = sorted(node.atoms(MatrixSymbol), key=str)[0]
    entry = matrix[0, min(1, matrix.shape[1] - 1)]
    assert node.diff(entry) == node.as_explicit().diff(entry)
    assert node.diff(t) == ZeroMatrix(*node.shape)


@over_names
def test_a_derivative_by_a_matrix_is_refused_with_a_sentence(name: str) -> None:
    node = OVER_NAMES[name]
    matrix = sorted(node.atoms(MatrixSymbol), key=str)[0]
    for refused in (lambda: node.diff(matrix), lambda: diff(node, matrix), lambda: node._eval_derivative(matrix)):
        with pytest.raises(FormulaError, match=f"by the matrix {matrix} has no form in SymPy: take it by one entry"):
            refused()
    with pytest.raises(FormulaError, match="has no form"):
        node._eval_derivative_matrix_lines(matrix)
    # Inside SymPy's own it is SymPy that finds no end; what it must not do is to answer.
    for around in (2 * node + node, node.T, Trace(node * node.T)):
        with pytest.raises((FormulaError, RecursionError)):
            around.diff(matrix)


def test_a_derivative_that_sympy_leaves_open_stays_open() -> None:
    assert OURS["floor"].diff(X[0, 1])[0, 1].has(Derivative)


def test_a_derivative_over_letters_is_refused_with_a_sentence() -> None:
    S = MatrixSymbol("S", n, n)
    with pytest.raises(FormulaError, match=r"taken entry by entry: expected numbers for its shape \(n, n\)"):
        ops.Softmax(t * S).diff(t)
    with pytest.raises(FormulaError, match="expected numbers for its shape"):
        ops.RowMax(t * S)[0, 0].diff(t)
    assert ops.Softmax(S).diff(t) == ZeroMatrix(n, n)
    assert isinstance(ops.RowMax(S)[0, 0].diff(S[0, 1]), Derivative)
    assert (ops.Softmax(t * X) * Y).diff(t) == ops.Softmax(t * X).as_explicit().diff(t) * Y


# -- text and other processes --------------------------------------------------------------------------------------


@every
def test_text_and_pickles_give_the_node_again(name: str) -> None:
    node = OURS[name]
    known = node.subs(VALUES)
    namespace = {**vars(sympy), **vars(ops), "Str": Str}
    for each in (node, known):
        assert read_back(each) == each == copy.deepcopy(each)
        assert hash(copy.copy(each)) == hash(each)
    if name != "root":  # its root of 4 is one that SymPy works out when it reads it
        assert eval(srepr(node), namespace) == node  # noqa: S307 - what srepr is for


def test_what_is_not_worked_out_is_not_on_the_way_into_another_process() -> None:
    node = NODES["root"]
    assert str(read_back(node).divisor) == str(node.divisor) == "sqrt(4)"


def test_another_process_finds_the_same_node() -> None:
    nodes = {"softcap": apply(SOFTCAP, X, Rational(5)), "Softmax": ops.Softmax(X), "halved": OURS["halved"]}
    written = "softcap(X, c)\n y[i,j] = c * tanh(X[i,j] / c)"
    lines = f"""
import pickle, sys
from symattn.operations.equations.read import read_operation
nodes = pickle.load(sys.stdin.buffer)
assert len(set(nodes.values())) == 3
assert nodes["softcap"].operation in {{read_operation({written!r})}}  # texts have other hashes here
sys.stdout.buffer.write(pickle.dumps(nodes))
"""
    for node in nodes.values():
        hash((node, getattr(node, "operation", None)))
    found = subprocess.run([sys.executable, "-c", lines], input=pickle.dumps(nodes), capture_output=True, check=True)
    again = pickle.loads(found.stdout)  # noqa: S301 - written here
    assert again == nodes
    assert {*again.values()} == {*nodes.values()}


def test_text_by_hand() -> None:
    assert str(apply(SOFTCAP, X, Integer(5))) == "softcap(X, 5)"


# -- structure -----------------------------------------------------------------------------------------------------


@every
def test_a_node_is_what_it_is_made_of(name: str) -> None:
    node = OURS[name]
    assert node.func(*node.args) == node
    assert hash(node.func(*node.args)) == hash(node)
    assert node.has(type(node))
    assert node in {node}
    assert node.free_symbols == set().union(*(arg.free_symbols for arg in node.args))
    assert {symbol.name for symbol in node.free_symbols} <= set(SHAPES)
    assert node.simplify().shape == node.shape
    assert (node + node).shape == node.shape
    assert (3 * node).doit().shape == node.shape
    assert node.T.shape == node.shape[::-1]
    assert (node * node.T).shape == (node.shape[0], node.shape[0])


@over_names
def test_names_are_replaced(name: str) -> None:
    node = OVER_NAMES[name]
    renamed = {each: MatrixSymbol(f"{each.name}_1", *each.shape) for each in node.atoms(MatrixSymbol)}
    back = {new: old for old, new in renamed.items()}
    assert node.subs(renamed).subs(back) == node == node.xreplace(renamed).xreplace(back)
    assert node.subs(renamed) != node
    assert not node.subs(renamed).has(*renamed)
    assert node.replace(type(node), lambda *args: Y) == Y


def test_nodes_stand_in_order_and_differ_by_their_record() -> None:
    one, other = apply(SOFTCAP, X, t), apply(read_operation("softcap(X, c)\n y[i,j] = c * X[i,j]"), X, t)
    assert one != other
    assert len({one, other, apply(SOFTCAP, X, t)}) == 2
    assert (one + other).subs(one, other).doit() == 2 * other
    S = MatrixSymbol("S", n, n)
    tops = [apply(read_operation(f"top{k}(X)\n y[i] = {k} * max(k, X[i,k])"), S)[0, 0] for k in (2, 1)]
    assert tops[0] + tops[1] == tops[1] + tops[0]


def test_sizes_may_be_letters() -> None:
    S, m = MatrixSymbol("S", n, 3), symbols("m", integer=True, positive=True)
    assert ops.Softmax(S).shape == (n, 3)
    assert ops.Softmax(S).subs(n, 2).shape == (2, 3)
    assert ops.Dot(S, MatrixSymbol("K", m, 3)).shape == (n, m)
    assert ops.CausalMask(n, -oo).subs(n, 2).doit()[0, 1] == -oo
    assert ops.Softmax(S)[0, 1].subs(n, 2).has(exp)
    assert (ops.Softmax(S) * S.T).shape == (n, n)
    with pytest.raises(ValueError, match="symbolic shape"):
        ops.Softmax(S).as_explicit()
    assert tanh(pi) == apply(SOFTCAP, Matrix([[pi]]), Integer(1))[0, 0]


def test_text_works_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """SymPy asks A for −A to see whether it writes parentheses, and −A works A out where A is known."""
    formula = ops.Softmax(sympy.MatMul(-1, ops.Exp(ops.Distance(3)), evaluate=False))
    capped = apply(SOFTCAP, formula, Integer(5))
    monkeypatch.setattr(ops.Exp, "doit", lambda *args, **hints: pytest.fail("it was worked out"))

    assert str(capped) == "softcap(Softmax(-Exp(Distance(3))), 5)"
