"""Gradients that a formula calls by their names."""

import pytest

from symattn.base.errors import FormulaError
from symattn.base.shapes import shape
from symattn.operations.equations.read import read_operation
from symattn.operations.node import record_of
from symattn.read.formula import Scope, read_formula
from symattn.read.formula.functions import TABLE

MM = read_operation("mm(A: m×k, B: k×n) -> m×n\n y[i,j] = sum(l, A[i,l] * B[l,j])")
NAMES = {"S": shape(3, 4), "G": shape(3, 4), "g": shape(1, 4), "A": shape(3, 2), "B": shape(2, 4)}
SCOPE = Scope(NAMES, operations={"mm": MM})


@pytest.mark.parametrize(
    ("text", "called", "sizes"),
    [
        ("softmax_vjp_S(S, G)", "J^T_softmax", (3, 4)),
        ("layer_norm_vjp_X(S, G, gamma=g)", "J^T_LN,X", (3, 4)),
        ("layer_norm_vjp_gamma(S, G)", "J^T_LN,gamma", (1, 4)),
        ("rotary_vjp_X(G)", "RoPE^T", (3, 4)),
        ("broadcast_vjp_b(3, S)", "broadcast^T", (1, 4)),
        ("relu_grad_X(S)", "ReLU'", (3, 4)),
        ("abs_grad_X(S)", "abs'", (3, 4)),
        ("softcap_grad_c(S, 5)", "grad_softcap,c", (1, 1)),
        ("mm_vjp_A(B, G)", "mm^T", (3, 2)),
        ("mm_vjp_B(A, G)", "mm^T", (2, 4)),
        ("softmax_vjp_S_vjp_G(S, G)", "softmax_vjp_S^T", (3, 4)),
    ],
)
def test_a_gradient_is_an_operation_by_its_name(text: str, called: str, sizes: tuple[int, int]) -> None:
    term = read_formula(text, SCOPE)
    assert (record_of(term.expr).called, term.shape.sizes) == (called, sizes)


@pytest.mark.parametrize("name", ["softmax_vjp_Q", "foo_vjp_X", "rows_vjp_a", "relu_grad_", "concat_vjp_X1"])
def test_a_name_that_is_no_gradient_is_unknown(name: str) -> None:
    with pytest.raises(FormulaError, match=f"unknown function '{name}'"):
        read_formula(f"{name}(S)", SCOPE)


def test_gradients_of_gradients_end() -> None:
    with pytest.raises(FormulaError, match="unknown function"):
        read_formula("softmax_vjp_S_vjp_S_vjp_S(S, G, G, G)", SCOPE)


def test_no_list_of_functions_has_gradients() -> None:
    assert not any("_vjp_" in name or "_grad_" in name for name in TABLE)
