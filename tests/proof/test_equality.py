"""True statements are proved by steps that are all true; false ones are accepted by neither road."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf
from sympy import Expr, Integer, MatrixSymbol, Sum, Symbol
from sympy.matrices.expressions.matexpr import MatrixElement

from symattn.base.errors import ShapeError, cut
from symattn.base.shapes import Axis, Shape
from symattn.compute.proof.canon import key
from symattn.compute.proof.definitions import general_entry
from symattn.compute.proof.equality import ProofStep, _named_like, prove, rewritten
from symattn.compute.proof.tree import Indices, Largest, PairFrequency, ProofError, finite_sum, mul, nested_sums, totals
from symattn.operations.symbols import entry_symbol
from symattn.operations.terms import size_symbol
from symattn.read.plan import Plan
from symattn.read.sized import in_letters

TRUE = [
    ("dot(X, X)", "X @ X.T"),
    ("dot(x, y)", "y @ x.T"),
    ("dot(X, F)", "dot(F, X).T"),
    ("softmax(S - c @ ones(1, n))", "softmax(S)"),
    ("softmax(S - row_max(S) @ ones(1, n))", "softmax(S)"),
    ("softmax(S + c)", "softmax(S)"),
    ("softmax(S - max(S, axis=1, keepdims=True))", "softmax(S)"),
    ("layer_norm(X + c)", "layer_norm(X)"),
    ("mean(X - mean(X, axis=1, keepdims=True), axis=1)", "0 * c"),
    ("(X * c) @ Y.T", "(X @ Y.T) * c"),
    ("(X + F) * x / c", "X * x / c + F / c * x"),
    ("(X - 1) ** 2", "X * X - 2 * X + 1"),
    ("softmax((S - row_max(S) @ ones(1, n)) / sqrt(d))", "softmax(S / sqrt(d))"),
    ("softmax(softmax(S) - c @ ones(1, n))", "softmax(softmax(S))"),
    ("softmax(S + c @ ones(1, n)) @ V", "softmax(S) @ V"),
    ("softmax(S) @ ones(n, 1)", "ones(m, 1)"),
    ("softmax(S / sqrt(4))", "softmax(S / 2)"),
    ("(F @ G.T) @ V", "F @ (G.T @ V)"),
    ("(X @ Y.T / sqrt(d)) @ V", "X @ (Y.T @ V) / sqrt(d)"),
    ("(elu(Q) + ones(m, d)) @ (elu(K) + ones(n, d)).T @ V", "(elu(Q) + ones(m, d)) @ ((elu(K) + ones(n, d)).T @ V)"),
    ("cosine(X, Y)", "unit(X) @ unit(Y).T"),
    ("cosine(3 * X, Y)", "cosine(X, Y)"),
    ("angle(X, 3 * F)", "angle(X, F)"),
    ("unit(unit(X))", "unit(X)"),
    ("unit(exp(S + c @ ones(1, n)))", "unit(exp(S))"),
    ("norm(unit(X))", "ones(m, 1)"),
    ("norm(-3 * X)", "3 * norm(X)"),
    ("norm(X / sqrt(d))", "norm(X) / sqrt(d)"),
    ("dot(x, x)", "norm(x) @ norm(x).T"),
    ("proportions(exp(S))", "softmax(S)"),
    ("proportions(proportions(S))", "proportions(S)"),
    ("proportions(2 * S)", "proportions(S)"),
    ("proportions(S + ones(m, n))", "proportions(2 * S + 2 * ones(m, n))"),
    ("entropy(softmax(S))", "entropy(proportions(exp(S)))"),
    ("(A @ B).T", "B.T @ A.T"),
    ("A @ (B + C)", "A @ B + A @ C"),
    ("(X + F) @ (X + F).T", "X @ X.T + X @ F.T + F @ X.T + F @ F.T"),
    ("(X + F) @ (X - F).T + X @ F.T - F @ X.T", "X @ X.T - F @ F.T"),
    ("X @ identity(d)", "X"),
    ("identity(n) @ N @ identity(n)", "N"),
    ("matrix_power(N, 3)", "N @ (N @ N)"),
    ("dot(dot(N, R), N)", "N @ R.T @ N.T"),
    ("ones(m, n) @ ones(n, d)", "n * ones(m, d)"),
    ("broadcast(x, m)", "ones(m, 1) @ x"),
    ("layer_norm(X - c @ ones(1, d))", "layer_norm(X)"),
    ("row_max(A + S)", "row_max(S + A)"),
    ("exp(2 * S)", "exp(S + S)"),
    ("N + causal_mask(n, -5)", "causal_mask(n, -5) + N"),
    ("relu(X) @ Y.T", "dot(relu(X), Y)"),
    ("gelu(X) @ tanh(Y).T", "dot(gelu(X), tanh(Y))"),
    ("silu(X)", "divide(X, ones(m, d) + exp(-1 * X))"),
    ("hadamard(X + F, X - F)", "hadamard(X, X) - hadamard(F, F)"),
    ("divide(X, hadamard(X, F))", "divide(ones(m, d), F)"),
    ("s * (X @ Y.T)", "(s * X) @ Y.T"),
    ("rms_norm(3 * X, epsilon=0)", "rms_norm(X, epsilon=0)"),
    ("N + distance(n)", "distance(n).T + N"),
    # scores of rotated rows depend on the distance of their positions
    ("rotary(Q, start=s) @ rotary(K, start=s).T", "rotary(Q) @ rotary(K).T"),
    ("rotary(X @ identity(d), base=7, start=s) @ rotary(K, 7, s).T", "rotary(X, base=7) @ rotary(K, base=7).T"),
    ("rotary(2 * Q) @ rotary(K).T", "2 * rotary(Q) @ rotary(K).T"),
    ("rotary(Q, start=s + 1) @ rotary(K, start=s).T", "rotary(Q, start=1) @ rotary(K).T"),
    ("rotary(Q) @ sinusoidal(n, d).T @ V", "rotary(Q) @ (sinusoidal(n, d).T @ V)"),
    # online softmax: the running output and the running sum with another maximum
    (
        "hadamard(exp(m_1 - m_2) @ ones(1, d), exp(S_1 - m_1 @ ones(1, a)) @ V_1) + exp(S_2 - m_2 @ ones(1, b)) @ V_2",
        "exp(S_1 - m_2 @ ones(1, a)) @ V_1 + exp(S_2 - m_2 @ ones(1, b)) @ V_2",
    ),
    (
        "hadamard(exp(m_1 - m_2), exp(S_1 - m_1 @ ones(1, a)) @ ones(a, 1)) + exp(S_2 - m_2 @ ones(1, b)) @ ones(b, 1)",
        "exp(S_1 - m_2 @ ones(1, a)) @ ones(a, 1) + exp(S_2 - m_2 @ ones(1, b)) @ ones(b, 1)",
    ),
    # attention in blocks
    (
        "softmax(concat(S_1, S_2)) @ stack(V_1, V_2)",
        "divide(exp(S_1 - c @ ones(1, a)) @ V_1 + exp(S_2 - c @ ones(1, b)) @ V_2, "
        "(exp(S_1 - c @ ones(1, a)) @ ones(a, 1) + exp(S_2 - c @ ones(1, b)) @ ones(b, 1)) @ ones(1, d))",
    ),
    ("softmax(concat(S_1, S_2) - c @ ones(1, a + b))", "softmax(concat(S_1, S_2))"),
    ("concat(S_1, S_2, S_1) @ stack(V_1, V_2, V_1)", "2 * S_1 @ V_1 + S_2 @ V_2"),
    ("concat(X @ X.T @ S_1, X @ X.T @ S_2) @ stack(V_1, V_2)", "X @ (X.T @ (S_1 @ V_1 + S_2 @ V_2))"),
    ("concat(S_1, S_2) @ identity(a + b) @ stack(V_1, V_2)", "S_1 @ V_1 + S_2 @ V_2"),
    ("stack(V_1, V_2).T @ ones(a + b, 1)", "V_1.T @ ones(a, 1) + V_2.T @ ones(b, 1)"),
    # linear attention, normalised
    ("divide(F @ Y.T @ V, (F @ Y.T @ ones(n, 1)) @ ones(1, d))", "proportions(F @ Y.T) @ V"),
]  # fmt: skip

FALSE = [
    ("softmax(S + max(S, axis=0, keepdims=True))", "softmax(S)"),
    ("(X - 1) ** 2", "X * X - 2 * X - 1"),
    ("softmax(2 * S)", "softmax(S)"),
    ("softmax(S)", "S"),
    ("softmax(S) + softmax(A)", "softmax(S + A)"),
    ("softmax(S)", "proportions(S)"),
    ("softmax(S - ones(m, 1) @ (ones(1, m) @ S))", "softmax(S)"),
    ("softmax(S + ones(m, n))", "2 * softmax(S)"),
    ("N @ R", "R @ N"),
    ("N", "N.T"),
    ("N @ N", "N"),
    ("N - R", "R - N"),
    ("A @ B", "A @ C"),
    ("(A @ B).T", "B.T @ A.T + B.T @ A.T"),
    ("exp(X + F)", "exp(X) + exp(F)"),
    ("relu(X + F)", "relu(X) + relu(F)"),
    ("relu(X)", "X"),
    ("elu(X)", "exp(X) - ones(m, d)"),
    ("row_max(S)", "row_max(A)"),
    ("row_max(2 * S)", "row_max(S)"),
    ("unit(-1 * X)", "unit(X)"),
    ("unit(X + F)", "unit(X) + unit(F)"),
    ("norm(-3 * X)", "-3 * norm(X)"),
    ("dot(X, Y)", "cosine(X, Y)"),
    ("cosine(-1 * X, Y)", "cosine(X, Y)"),
    ("X / sqrt(d)", "X / d"),
    ("X / sqrt(2)", "X / 2"),
    ("layer_norm(2 * X)", "layer_norm(X)"),
    ("ones(m, n) @ ones(n, d)", "d * ones(m, d)"),
    ("X @ identity(d)", "F"),
    ("S + 10^-9 * T", "S"),
    ("causal_mask(n, -5)", "causal_mask(n, -6)"),
    ("causal_mask(n, -5)", "window_mask(n, 1, -5)"),
    ("gelu(X)", "gelu_tanh(X)"),
    ("tanh(X)", "X"),
    ("silu(X)", "X"),
    ("divide(X, F)", "hadamard(X, F)"),
    ("s * X", "X"),
    ("distance(n)", "2 * distance(n)"),
    ("rotary(Q, start=s) @ rotary(K).T", "rotary(Q) @ rotary(K).T"),
    ("rotary(Q, start=s) @ rotary(K, start=-s).T", "rotary(Q) @ rotary(K).T"),
    ("rotary(Q, start=s) @ rotary(K, start=s).T", "rotary(Q) @ rotary(K, start=1).T"),
    ("rotary(Q) @ rotary(K).T", "Q @ K.T"),
    ("rotary(Q)", "Q"),
    ("rotary(Q, start=s)", "rotary(Q)"),
    (
        "hadamard(exp(m_2 - m_1) @ ones(1, d), exp(S_1 - m_1 @ ones(1, a)) @ V_1) + exp(S_2 - m_2 @ ones(1, b)) @ V_2",
        "exp(S_1 - m_2 @ ones(1, a)) @ V_1 + exp(S_2 - m_2 @ ones(1, b)) @ V_2",
    ),
    (
        "exp(S_1 - m_1 @ ones(1, a)) @ V_1 + exp(S_2 - m_2 @ ones(1, b)) @ V_2",
        "exp(S_1 - m_2 @ ones(1, a)) @ V_1 + exp(S_2 - m_2 @ ones(1, b)) @ V_2",
    ),
    ("softmax(concat(S_1, S_2)) @ stack(V_1, V_2)", "softmax(S_1) @ V_1 + softmax(S_2) @ V_2"),
    (
        "softmax(concat(S_1, S_2)) @ stack(V_1, V_2)",
        "divide(exp(S_1 - m_1 @ ones(1, a)) @ V_1 + exp(S_2 - m_2 @ ones(1, b)) @ V_2, "
        "(exp(S_1 - m_1 @ ones(1, a)) @ ones(a, 1) + exp(S_2 - m_2 @ ones(1, b)) @ ones(b, 1)) @ ones(1, d))",
    ),
    ("concat(S, T) @ stack(B, C)", "concat(S, T) @ stack(C, B)"),
    ("concat(S, T)", "concat(T, S)"),
    ("divide(F @ Y.T @ V, (F @ Y.T @ ones(n, 1)) @ ones(1, d))", "F @ Y.T @ V"),
]  # fmt: skip


SIZES: Mapping[str, int] = {"m": 2, "n": 3, "d": 4, "a": 1, "b": 2}


@pytest.mark.long
@pytest.mark.sampled(20)
@pytest.mark.parametrize(("left", "right"), TRUE)
def test_a_true_statement_is_proved_by_lines_that_are_worth_the_same(left: str, right: str, plan: Plan) -> None:
    """The lines of a proof, put in numbers by rules of their own, and those of each side to its normal form."""
    proof = prove(left, right, plan)

    assert proof.steps[0].rule == "definition"
    assert len({tuple(sizes.values()) for sizes in proof.checked}) == 3
    assert all(one.expr != two.expr for one, two in zip(proof.steps, proof.steps[1:], strict=False))
    indices = Indices()
    ways = [rewritten(general_entry(side, proof.row, proof.column, indices)) for side in (proof.left, proof.right)]
    lines = dict.fromkeys(step.expr for way in (proof.steps, *ways) for step in way)
    values = [value(line, SIZES, {"i": 1, "j": 0}) for line in lines]
    assert all(abs(found - values[0]) < mpf(10) ** -10 for found in values), values


@pytest.mark.long
@pytest.mark.parametrize(("left", "right"), FALSE)
def test_a_false_statement_is_accepted_by_neither_road(left: str, right: str, plan: Plan) -> None:
    with pytest.raises(ProofError) as caught:
        prove(left, right, plan)

    said = str(caught.value)
    assert said.startswith(cut(f"{left} = {right}", 200) + " is false: with ")
    assert re.search(r", entry \[\d,\d\] differs$", said)
    i, j = (Symbol(name, integer=True) for name in "ij")
    one, two = (rewritten(general_entry(side, i, j, Indices())) for side in in_letters((left, right), plan).formulas)
    assert not {key(line.expr) for line in one} & {key(line.expr) for line in two}


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("rotary(Q, base=100) @ rotary(K).T", "rotary(Q) @ rotary(K).T"),
        ("sinusoidal(n, d)", "sinusoidal(n, d, base=100)"),
        ("dot(rotary(x), rotary(x, start=1))", "dot(x, x)"),
    ],
)
def test_frequencies_are_told_apart_where_there_are_several_pairs(left: str, right: str, plan: Plan) -> None:
    with pytest.raises(ProofError, match=r"is false: with .*d = (2|4|6)(, [mn] = \d)?, entry \["):
        prove(left, right, plan)


def test_what_only_holds_for_the_numbers_given_is_not_for_all_sizes() -> None:
    square = Plan().given("X", Shape(Axis(3, "n"), Axis(3, "d")))

    with pytest.raises(ShapeError, match=r"for all sizes: X \+ X\.T: X is \(n, d\)"):
        prove("X + X.T", "X.T + X", square)


def test_sides_of_different_shape(plan: Plan) -> None:
    with pytest.raises(ShapeError, match=r"the left side is .*, the right side .*: expected the same shape"):
        prove("X", "Y", plan)


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        ("softmax(N + causal_mask(n))", "softmax(causal_mask(n) + N)", "infinite entries"),
        ("matrix_power(N, 8)", "N @ matrix_power(N, 7)", "up to the exponent 6"),
        ("clip_norm(X, 2)", "clip_norm(X, 2)", "no rule for clip_norm, which distinguishes cases"),
        ("top_k(X, 1)", "top_k(X, 1)", "no rule for TopK"),
        ("softmax(" * 9 + "S" + ")" * 9, "softmax(" * 9 + "S" + ")" * 9, "INDICES = 300"),
        ("relu(S) - relu(-1 * S)", "S", "not even for small sizes could its entries be compared"),
        (
            "log(exp(S))",
            "S",
            "it holds for m = 2, n = 3; m = 3, n = 1; m = 1, n = 2, but for all sizes",
        ),
        ("proportions(S - S)", "proportions(S - S)", "not even for small sizes"),
    ],
)
def test_what_there_are_no_rules_for(left: str, right: str, said: str, plan: Plan) -> None:
    with pytest.raises(ProofError, match=said):
        prove(left, right, plan)


def test_axes_without_a_name_keep_their_numbers() -> None:
    plan = Plan(sizes={"n": 4}).given("X", Shape(Axis(4, "n"), Axis(2)))
    proof = prove("dot(X, X)", "X @ X.T", plan)

    assert proof.checked == ({"n": 2}, {"n": 3}, {"n": 1})
    assert proof.steps[0].expr.limits[0][2] == 1


def test_a_size_that_a_head_keeps_holds_for_general_names_too() -> None:
    plan = Plan(sizes={"n": 3, "d": 4, "p": "p"}).given("X", Shape(Axis(3, "n"), Axis(4, "d")))
    plan = plan.given("Y", Shape(Axis("p", "p"), Axis("d", "d")), general=True)
    proof = prove("head(X, 2, 2) @ head(Y, 2, 2).T", "dot(head(X, 2, 2), head(Y, 2, 2))", plan)

    assert proof.shape.sizes == ("n", "p")


def test_indices_keep_their_names_where_another_name_would_capture() -> None:
    """Σ_k a_{ik} Σ_l b_{jl} meets Σ_r a_{ir} Σ_r b_{jr}; in Σ_k Σ_l a_{ik} b_{jl} both cannot be called r."""
    i, j, k, m, r = (Symbol(name, integer=True) for name in "ijkmr")
    A, B = MatrixSymbol("A", 3, 3), MatrixSymbol("B", 3, 3)
    double = totals(((k, Integer(3)), (m, Integer(3))), mul(A[i, k], B[j, m]))
    apart = mul(finite_sum(A[i, k], k, Integer(3)), finite_sum(B[j, m], m, Integer(3)))
    meeting = mul(finite_sum(A[i, r], r, Integer(3)), finite_sum(B[j, r], r, Integer(3)))
    lines = (ProofStep(double, "definition"), ProofStep(apart, "pull_out"))

    assert _named_like(lines, meeting) == lines
    assert _named_like(lines[1:], meeting)[0].expr == meeting


# -- random identities -------------------------------------------------------------------------------------------

SQUARES = st.recursive(
    st.sampled_from(["N", "R", "N.T"]),
    lambda inner: st.builds("({} @ {})".format, inner, inner) | st.builds("({} + {})".format, inner, inner),
    max_leaves=3,
)


@settings(max_examples=5, deadline=None, derandomize=True)
@given(a=SQUARES, b=SQUARES, c=SQUARES)
def test_the_laws_of_matrices_hold_for_any_formulas(a: str, b: str, c: str, plan: Plan) -> None:
    prove(f"{a} @ ({b} + {c})", f"{a} @ {c} + {a} @ {b}", plan)
    prove(f"({a} @ {b}).T", f"{b}.T @ {a}.T", plan)


@settings(max_examples=10, deadline=None, derandomize=True)
@given(a=SQUARES, b=SQUARES)
def test_formulas_that_are_told_apart_by_numbers_are_not_proved_equal(a: str, b: str, plan: Plan) -> None:
    sizes = {"m": 2, "n": 2, "d": 2}
    one, two = (in_letters((text,), plan).formulas[0] for text in (a, b))
    i, j = (Symbol(name, integer=True) for name in "ij")
    same = all(
        abs(
            value(general_entry(one, i, j, Indices()), sizes, {"i": r, "j": c})
            - value(general_entry(two, i, j, Indices()), sizes, {"i": r, "j": c})
        )
        < mpf(10) ** -10
        for r in (0, 1)
        for c in (0, 1)
    )
    if same:
        prove(a, b, plan)
    else:
        with pytest.raises(ProofError):
            prove(a, b, plan)


# -- an evaluator that shares nothing with the rules -------------------------------------------------------------


def value(node: Expr, sizes: Mapping[str, int], places: Mapping[str, int]) -> mpf:
    """A tree as a number: entries from a formula of their place, sums term by term."""
    env = {
        **{size_symbol(name): n for name, n in sizes.items()},
        **{Symbol(n, integer=True): p for n, p in places.items()},
        entry_symbol("s"): mpf(3) / 7,
    }
    return _value(node, env)


def _value(node: Expr, env: Mapping[Symbol, int]) -> mpf:
    if isinstance(node, Symbol):
        return mpf(env[node])
    if node.is_Rational:
        return mpf(int(node.p)) / int(node.q)
    if isinstance(node, MatrixElement) and not isinstance(node.parent, MatrixSymbol):
        # Blocks and turned rows by the nodes' own definition, with whole numbers for everything.
        sizes = {size: Integer(n) for size, n in env.items() if size.is_positive}
        i, j = (Integer(int(_value(place, env))) for place in (node.i, node.j))
        return _value(node.parent.xreplace(sizes)[i, j], env)
    if isinstance(node, PairFrequency):
        return mp.power(_value(node.base, env), -2 * _value(node.pair, env) / _value(node.width, env))
    if isinstance(node, MatrixElement):
        i, j = (int(_value(place, env)) for place in (node.i, node.j))
        seed = sum(ord(letter) for letter in node.parent.name)
        return mpf((seed * 7 + 13 * i + 29 * j + 5 * i * j) % 23 - 9) / 5 + mpf(1) / 7
    if isinstance(node, Sum):
        ((index, length), *more), body = nested_sums(node)
        inner = Sum(body, *((k, 0, n - 1) for k, n in reversed(more))) if more else body
        return sum((_value(inner, {**env, index: k}) for k in range(int(_value(length, env)))), mpf(0))
    if isinstance(node, Largest):
        index, length = node.bound
        return max(_value(node.args[0], {**env, index: k}) for k in range(int(_value(length, env))))
    args = [_value(arg, env) for arg in node.args]
    match node.func.__name__:
        case "Add":
            return sum(args, mpf(0))
        case "Mul":
            return mp.fprod(args)
        case "Pow":
            return mp.power(*args)
        case "Abs":
            return abs(args[0])
        case "exp" | "log" | "acos" | "cos" | "sin" | "tanh" | "erf":
            return getattr(mp, node.func.__name__)(*args)
        case "ELU":
            return args[0] if args[0] > 0 else mp.exp(args[0]) - 1
        case "ReLU":
            return max(args[0], mpf(0))
        case "KroneckerDelta":
            return mpf(int(args[0] == args[1]))
        case "causal_mask":
            return args[2] if args[1] > args[0] else mpf(0)
        case "Pi":
            return +mp.pi
    raise TypeError(node.func.__name__)


# What a mask keeps


def masked_plan() -> Plan:
    plan = (
        Plan(sizes={"n": 3}).given("S", Shape(Axis(3, "n"), Axis(3, "n"))).given("G", Shape(Axis(3, "n"), Axis(3, "n")))
    )
    plan = plan.step("M", "causal_mask(n)").step("W", "causal_mask(n) + window_mask(n, 2)")
    return plan.step("finite", "causal_mask(n, -9)").step("T", "S @ S")


@pytest.mark.parametrize("mask", ["M", "W"])
def test_masking_is_renormalising_what_is_left(mask: str) -> None:
    proof = prove(f"proportions(keep(softmax(S), {mask}))", f"softmax(S + {mask})", masked_plan())

    assert proof.masked
    assert [step.rule for step in proof.steps] == ["definition", "pull_out", "cancel", "power_law"]


@pytest.mark.parametrize("right", ["softmax(S)", "softmax(S + W)", "proportions(softmax(S))", "keep(softmax(S), M)"])
def test_a_mask_is_not_argued_away(right: str) -> None:
    with pytest.raises(ProofError, match="is false"):
        prove("proportions(keep(softmax(S), M))", right, masked_plan())


@pytest.mark.parametrize("mask", ["finite", "G", "T"])
def test_only_a_mask_of_zero_and_infinity_is_an_exponential(mask: str) -> None:
    with pytest.raises(ProofError, match=r"keep is proved where its mask is the name of a step made of causal_mask"):
        prove(f"proportions(keep(softmax(S), {mask}))", "softmax(S)", masked_plan())


def test_a_step_is_a_symbol_and_the_error_says_so() -> None:
    plan = Plan().given("X", Shape(Axis("m", "m"), Axis("n", "n"))).step("Y", "X + X")

    assert prove("(Y + Y).T", "Y.T + Y.T", plan).symbols == ("Y",)
    assert prove("(X + X).T", "X.T + X.T", plan).symbols == ()
    with pytest.raises(ProofError, match=r"Y = 2 \* X is false: .* a step such as Y is taken as a symbol"):
        prove("Y", "2 * X", plan)
