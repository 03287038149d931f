"""Every compact form of a gradient is, for all sizes, what is derived from the equations; so are readings of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from symattn.base.shapes import Axis, Shape
from symattn.compute.proof.equality import prove
from symattn.compute.proof.tree import ProofError
from symattn.operations import Everywhere, InEveryColumn, InEveryRow
from symattn.operations.equations.adjoint import seed
from symattn.operations.equations.parts import rewritten
from symattn.operations.equations.read import read_operation
from symattn.operations.equations.tree import Constant, Entry, Length, Operation, Piece, Tree
from symattn.operations.node import record_of_kind
from symattn.operations.records import OURS, record_named
from symattn.read.formula.calling import works_entry_by_entry
from symattn.read.formula.functions import gradient_of
from symattn.read.gradients.local import WHOLE, compact, forms
from symattn.read.plan import Plan

OPERATIONS: dict[str, Operation] = {
    each.name: each
    for each in (*map(record_named, OURS), *map(record_of_kind, (InEveryRow, InEveryColumn, Everywhere)))
    if each is not None and not any(parameter.many for parameter in each.parameters)
}

DERIVED = (
    "entry.X row.X rows.X head.X rotary.X rotary_halves.X rotary_halves.positions one_hot.ids cross_entropy.ids "
    "clip_norm.X angle.X angle.Y additive_scores.Q additive_scores.K additive_scores.v row_max.X row_min.X "
    "kron.X kron.Y"
).split()
"""Gradients that are called by their names: there is no compact form."""


def gradients() -> Iterator[str]:
    for name, record in OPERATIONS.items():
        yield from (f"{name}.{parameter.name}" for parameter in record.parameters if parameter.is_matrix)


def names_of(record: Operation) -> Plan:
    """The operands of an operation with letters for sizes, ``grad`` and any numbers."""
    shapes = {each.name: shape(each.axes) for each in record.parameters if each.is_matrix}
    shapes["grad"] = shape(record.shape)
    sizes = [axis.name for each in shapes.values() for axis in (each.rows, each.columns) if axis.name]
    numbers = tuple(each.name for each in record.parameters if each.kind == "number")
    plan = Plan(sizes={size: size for size in sizes}, symbols=numbers, operations={record.name: record})
    for name, each in shapes.items():
        plan = plan.given(name, each, general=True)
    return plan


def shape(axes: tuple[Tree, ...]) -> Shape:
    rows, columns = (axis(each) for each in axes) if len(axes) == 2 else (Axis(1), axis(axes[0]))
    return Shape(rows, columns)


def axis(length: Tree) -> Axis:
    if isinstance(length, Constant):
        return Axis(int(length.value))
    assert isinstance(length, Length)
    return Axis(length.name, length.name)


def called(record: Operation, **names: str) -> str:
    given = ((each, names.get(each.name, each.name)) for each in record.parameters)
    return f"{record.name}({', '.join(said if p.default is None else f'{p.name}={said}' for p, said in given)})"


def statement(name: str, whole: bool = False) -> tuple[str, str, Plan]:
    """A compact form, what is derived, and the names of both."""
    operation, parameter = name.split(".")
    record = OPERATIONS[operation]
    gradient, slope = (gradient_of(record, parameter, each) for each in (whole, True))
    assert gradient is not None
    form = compact(operation, parameter, whole)
    if form is None:
        assert works_entry_by_entry(record)
        form = called(slope) if whole else f"grad * {called(slope)}"
    left = re.sub(r"\bout\b", called(record), form)
    right = called(gradient, **({} if whole else {seed(record).name: "grad"}))
    for each in record.parameters:
        if each.kind == "whole":  # an exponent is a number
            left, right = (re.sub(rf"\b{each.name}\b", "3", side) for side in (left, right))
    return left, right, names_of(record)


@pytest.mark.long
@pytest.mark.sampled(18)
@pytest.mark.parametrize("name", [name for name in gradients() if name not in (*DERIVED, "keep.A")])
def test_a_compact_form_is_what_is_derived_for_all_sizes(name: str) -> None:
    proof = prove(*statement(name))
    assert proof.checked


@pytest.mark.parametrize("name", ["cross_entropy.Z", "mse.X", "mse.Y", "relu.X", "gelu.X", "softcap.X", "maximum.Y"])
def test_so_is_the_gradient_of_the_result_itself(name: str) -> None:
    assert prove(*statement(name, whole=True)).checked


@pytest.mark.parametrize("name", DERIVED)
def test_what_has_no_compact_form_has_a_name(name: str) -> None:
    operation, parameter = name.split(".")
    assert compact(operation, parameter) is None
    assert gradient_of(OPERATIONS[operation], parameter) is not None


def test_every_form_is_of_a_parameter() -> None:
    for name, said in forms().items():
        matrices = {each.name for each in OPERATIONS[name].parameters if each.is_matrix}
        assert set(said.get(WHOLE, said)) <= matrices


def test_what_a_mask_hides_is_hidden_from_the_gradient_too() -> None:
    """The equation of the gradient is that of keep, with G in the place of A."""
    keep, gradient = OPERATIONS["keep"], gradient_of(OPERATIONS["keep"], "A")
    assert gradient is not None

    def of_gradient(piece: Piece) -> Piece:
        return Entry("G", piece.places) if isinstance(piece, Entry) and piece.name == "A" else piece

    assert compact("keep", "A") == "keep(grad, M)"
    assert rewritten(keep.result.body, of_gradient) == gradient.result.body
    assert keep.result.index == gradient.result.index


# -- matrices, chains, readings ------------------------------------------------------------------------------------

OWN = {
    each.name: each
    for each in map(
        read_operation,
        (
            "mm(A: m×k, B: k×n) -> m×n\n y[i,j] = sum(l, A[i,l] * B[l,j])",
            "linear(X: m×k, W: k×n, b: n) -> m×n\n y[i,j] = sum(l, X[i,l] * W[l,j]) + b[j]",
            "loss(Z: m×n, T: m×n) -> 1×1\n"
            " l[i,j] = Z[i,j] - log(sum(k, exp(Z[i,k])))\n y = -sum(i, sum(j, T[i,j] * l[i,j])) / m",
            "attend(Q: m×d, K: n×d, V: n×p) -> m×p\n s[i,j] = sum(k, Q[i,k] * K[j,k]) / sqrt(d)\n"
            " e[i,j] = exp(s[i,j])\n t[i] = sum(j, e[i,j])\n a[i,j] = e[i,j] / t[i]\n y[i,c] = sum(j, a[i,j] * V[j,c])",
        ),
    )
}
SHAPES = {
    "S": "mn", "T": "mn", "G": "mn", "H": "mn", "c": "m1", "z": "1n", "g": "1n", "A": "mk", "B": "kn", "X": "md",
    "D": "md", "w": "1d", "K": "nd", "V": "np", "P": "mp", "ids": "1m", "N": "kk",
}  # fmt: skip

TRUE = {
    "the first factor of a product": ("mm_vjp_A(B, G)", "G @ B.T"),
    "the second factor": ("mm_vjp_B(A, G)", "A.T @ G"),
    "weights of a linear layer": ("linear_vjp_W(A, G)", "A.T @ G"),
    "its bias": ("linear_vjp_b(G)", "ones(1, m) @ G"),
    "the Jacobian of a row of softmax": (
        "softmax_vjp_S(z, g)",
        "g @ (diag(softmax(z)) - softmax(z).T @ softmax(z))",
    ),
    "whose rows sum to 0": ("(diag(softmax(z)) - softmax(z).T @ softmax(z)) @ ones(n, 1)", "0 * ones(n, 1)"),
    "rows of the gradient of softmax sum to 0": ("row_sum(softmax_vjp_S(S, G))", "0 * c"),
    "and of log-softmax": ("row_sum(log_softmax_vjp_S(S, G))", "0 * c"),
    "and of layer norm": ("row_sum(layer_norm_vjp_X(X, D, gamma=w))", "0 * c"),
    "what all of a row gets more changes nothing": ("softmax_vjp_S(S, G + c)", "softmax_vjp_S(S, G)"),
    "nor do scores that are moved": ("softmax_vjp_S(S + c, G)", "softmax_vjp_S(S, G)"),
    "the Jacobian of softmax is symmetric": (
        "row_sum(softmax_vjp_S(S, G) * H)",
        "row_sum(softmax_vjp_S(S, H) * G)",
    ),
    "a gradient is linear": ("softmax_vjp_S(S, G + H)", "softmax_vjp_S(S, G) + softmax_vjp_S(S, H)"),
    "a unit row only turns": ("row_sum(unit_vjp_X(X, D) * X)", "0 * c"),
    "and so does RMS norm": ("row_sum(rms_norm_vjp_X(X, D, epsilon=0) * X)", "0 * c"),
    "shares": ("row_sum(proportions_vjp_S(S, G) * S)", "0 * c"),
    "p − y": ("cross_entropy_grad_Z(S, ids)", "(softmax(S) - one_hot(ids, n)) / m"),
    "p − y of any targets": ("loss_grad_Z(S, T)", "(softmax(S) * row_sum(T) - T) / m"),
    "p − y of targets whose rows sum to 1": ("loss_grad_Z(S, softmax(T))", "(softmax(S) - softmax(T)) / m"),
    "a column of one head": ("attend_vjp_V(X, K, P)", "softmax(X @ K.T / sqrt(d)).T @ P"),
    "queries of one head": (
        "attend_vjp_Q(X, K, V, P)",
        "softmax_vjp_S(X @ K.T / sqrt(d), P @ V.T) @ K / sqrt(d)",
    ),
    "keys of one head": (
        "attend_vjp_K(X, K, V, P)",
        "softmax_vjp_S(X @ K.T / sqrt(d), P @ V.T).T @ X / sqrt(d)",
    ),
    "no gradient where ReLU is off": ("relu_vjp_X(S, G) * (1 - relu_grad_X(S))", "0 * S"),
    "all of it where ReLU is on": ("relu_vjp_X(S, G) * relu_grad_X(S)", "relu_vjp_X(S, G)"),
    "a sign is left alone by a positive factor": ("relu_grad_X(2 * S)", "relu_grad_X(S)"),
    "the two sides of an absolute value": ("abs_vjp_X(S, G)", "relu_vjp_X(S, G) - relu_vjp_X(-S, G)"),
    "SiLU by its sigmoid": ("silu_grad_X(S)", "sigmoid(S) * (1 + S * (1 - sigmoid(S)))"),
    "a gradient of a gradient": ("softmax_vjp_S_vjp_G(S, H)", "softmax_vjp_S(S, H)"),
    "RoPE is turned back": ("row_sum(rotary_vjp_X(X, start=s) * D)", "row_sum(X * rotary(D, start=s))"),
    "by the same angle": ("row_sum(rotary_vjp_X(rotary(X)) * rotary(D))", "row_sum(X * rotary(D))"),
    "a diagonal": ("diag_vjp_x(N)", "ones(1, k) @ (identity(k) * N)"),
}
FALSE = {
    "without − ppᵀ": ("softmax_vjp_S(S, G)", "softmax(S) * G"),
    "a product that is not turned": ("mm_vjp_A(B, N @ B)", "N @ B @ B.T * 2"),
    "p − y without the mean": ("cross_entropy_grad_Z(S, ids)", "softmax(S) - one_hot(ids, n)"),
    "p − y of targets whose rows sum to anything": ("loss_grad_Z(S, T)", "(softmax(S) - T) / m"),
    "1/√d forgotten": ("attend_vjp_Q(X, K, V, P)", "softmax_vjp_S(X @ K.T / sqrt(d), P @ V.T) @ K"),
    "RoPE turned once more": ("row_sum(rotary_vjp_X(X) * D)", "row_sum(rotary(X) * D)"),
    "the other half of ReLU": ("relu_vjp_X(S, G)", "relu_vjp_X(-S, G)"),
}


@pytest.fixture(scope="module")
def plan() -> Plan:
    found = Plan(sizes={letter: letter for letter in "mnkdp"}, operations=OWN, symbols=("s",))
    for name, letters in SHAPES.items():
        rows, columns = (Axis(1) if letter == "1" else Axis(letter, letter) for letter in letters)
        found = found.given(name, Shape(rows, columns), general=True)
    return found


@pytest.mark.long
@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", TRUE)
def test_what_is_said_of_gradients_holds_for_all_sizes(name: str, plan: Plan) -> None:
    assert prove(*TRUE[name], plan).checked


@pytest.mark.parametrize("name", FALSE)
def test_what_is_often_done_wrong_is_false(name: str, plan: Plan) -> None:
    with pytest.raises(ProofError, match=r"is false|is not proved"):
        prove(*FALSE[name], plan)
