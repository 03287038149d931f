"""The functions of the formula language in Python: all of them, with signatures, documentation and types."""

from __future__ import annotations

import ast
from fractions import Fraction
from inspect import Parameter, signature
from pathlib import Path

import pytest
from sympy import Matrix, MatrixSymbol, Rational, Symbol, ZeroMatrix, simplify, sqrt, symbols

import symattn
from symattn import operations as ops
from symattn.api.authoring import stub
from symattn.api.authoring.calls import FUNCTIONS, documentation
from symattn.read.formula.functions import TABLE

ROOT = Path(symattn.__file__).parent


@pytest.mark.parametrize("name", TABLE)
def test_every_function_of_the_table_is_one_of_python(name: str) -> None:
    function = getattr(symattn, name)
    parameters = signature(function).parameters

    assert function is FUNCTIONS[name]
    assert function.__name__ == name
    needed = [key for key, one in parameters.items() if one.default is Parameter.empty and one.kind.value < 2]
    assert tuple(needed) == TABLE[name].required
    assert ("more" in parameters) == TABLE[name].endless
    assert len(documentation(name, TABLE[name])) > len(name) + 15
    assert name in dir(symattn)


def test_no_function_hides_a_module_of_ours() -> None:
    modules = {path.stem for path in ROOT.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert not modules & set(TABLE)
    assert not set(symattn._HOMES) & set(TABLE)


def test_what_type_checkers_are_told_is_what_there_is() -> None:
    """``python -m symattn.api.authoring.stub`` writes the file again."""
    assert stub.PATH.read_text(encoding="utf-8") == stub.stub()
    declared = [node.name for node in ast.parse(stub.stub()).body if isinstance(node, ast.FunctionDef)]
    assert declared == sorted(TABLE)


BUILT_IN = {"abs", "max", "min", "sum"}
"""Functions that a star leaves to Python."""


def test_the_public_names_are_the_ones_that_type_checkers_see() -> None:
    """What is imported under TYPE_CHECKING, what ``__getattr__`` finds and ``__all__`` are one list."""
    tree = ast.parse((ROOT / "__init__.py").read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.name for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names} - {
        "*",
        "functions",
    }
    listed = next(node.value for node in block.body if isinstance(node, ast.AnnAssign))
    assert set(ast.literal_eval(listed)) == seen | {"__version__"}
    assert seen == set(symattn._HOMES)
    assert seen | {"__version__"} | set(TABLE) == {*symattn.__all__, *BUILT_IN}
    for name in seen:
        assert getattr(symattn, name) is not None


def test_a_star_brings_the_functions_too() -> None:
    """``from symattn import *`` is how many people begin."""
    brought: dict[str, object] = {}
    exec("from symattn import *", brought)  # noqa: S102
    assert {"Derivation", "matrix", *TABLE} - BUILT_IN == {"Derivation", "matrix", *TABLE} & set(brought)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'symattn' has no attribute 'sofmax'"):
        symattn.sofmax  # noqa: B018
    with pytest.raises(ImportError):
        from symattn.api.authoring.functions import sofmax  # type: ignore[attr-defined]  # noqa: F401


# -- with matrices of SymPy they give nodes, with the shapes checked as everywhere

n, m, d = symbols("n m d", integer=True)
X, b = MatrixSymbol("X", 3, 2), MatrixSymbol("b", 1, 2)
S, K = MatrixSymbol("S", n, d), MatrixSymbol("K", m, d)


def test_a_formula_of_sympy_becomes_a_node() -> None:
    weights = symattn.softmax(X * X.T / sqrt(2))
    assert weights == ops.Softmax(X * X.T / sqrt(2))
    values = Matrix([[1, 0], [0, 1], [1, 1]])
    assert simplify(sum(weights.subs(X, values).doit()[0, :])) == 1
    assert symattn.layer_norm(X, Fraction(1, 3), gamma=b) == ops.LayerNorm(X, Rational(1, 3), b, ZeroMatrix(1, 2))
    assert symattn.stack(X, b, X).shape == (7, 2)
    assert symattn.row(X, 2) == ops.Row(X, 2)
    assert symattn.hadamard(X, Matrix(3, 2, range(6))).subs(X, values).doit()[2, 1] == 5


def test_sizes_may_be_letters() -> None:
    assert symattn.softmax(S * K.T).shape == (n, m)
    assert symattn.concat(symattn.dot(S, K), S).shape == (n, m + d)
    assert symattn.broadcast(MatrixSymbol("c", 1, d), 2 * n).shape == (2 * n, d)
    assert symattn.keep(S * S.T, MatrixSymbol("M", n, n)).subs(n, 2).shape == (2, 2)
    assert symattn.clip_norm(S, Symbol("c", positive=True)).threshold == Symbol("c", positive=True)


def test_every_function_of_one_matrix_takes_one_of_sympy() -> None:
    square = MatrixSymbol("A", 2, 2)
    for name in ("softmax", "relu", "gelu", "entropy", "norm", "argmax", "rotary", "rms_norm", "log"):
        assert FUNCTIONS[name](square).argument == square
