"""Formulas worked out by hand: enclosures hold what people get who round on the way, computed here with ``decimal``.

The second road knows nothing of balls: it is Python's ``decimal`` with 50 digits, one operation at a time, rounded
after each step that somebody writes down.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction

import pytest
from flint import arb, arb_mat, fmpq
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from sympy import Integer, MatAdd, MatMul, MatrixExpr, MatrixSymbol, Rational, S, Transpose, oo, sqrt

from symattn import operations as ops
from symattn.base.errors import UndecidedError
from symattn.compute.values.ball import ball
from symattn.compute.values.balls import at_precision
from symattn.compute.values.hand import Carry, exactly, hand, rounded, widened
from symattn.operations import NODES
from tests.examples import EXAMPLES, Names

BITS = 192
Table = list[list[Decimal]]
Round = Callable[[Decimal], Decimal]

Q, K, V, X, Y = (MatrixSymbol(name, 3, 2) for name in "QKVXY")
ATTENTION = MatMul(ops.Softmax(ops.Quotient(MatMul(Q, Transpose(K)), sqrt(3))), V)
MASKED = ops.Softmax(MatAdd(MatMul(Q, Transpose(K), evaluate=False), ops.CausalMask(3, -oo), evaluate=False))
NORM = ops.LayerNorm(X, Rational(1, 100_000))
RMS = ops.RMSNorm(X, Rational(1, 100_000))
ROPE = ops.Rotary(X, Integer(10_000), S.One)


def worked(node: MatrixExpr, values: dict[str, Table], carry: Carry) -> list[arb]:
    balls = {
        name: arb_mat([[arb(fmpq(*x.as_integer_ratio())) for x in row] for row in rows])
        for name, rows in values.items()
    }
    return hand(node, balls.__getitem__, carry).entries()


# The second road


def to(decimals: int) -> Round:
    return lambda x: x.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


def not_at_all(x: Decimal) -> Decimal:
    return x


def products(a: Table, b: Table, write: Round) -> Table:
    return [[write(sum((x * y for x, y in zip(row, other, strict=True)), Decimal(0))) for other in b] for row in a]


def softmax(row: list[Decimal], write: Round) -> list[Decimal]:
    powers = [write(x.exp()) for x in row]
    total = write(sum(powers))
    return [x / total for x in powers]


def attention(q: Table, k: Table, v: Table, write: Round) -> Table:
    root = write(Decimal(3).sqrt())
    scores = [[write(x / root) for x in row] for row in products(q, k, write)]
    weights = [[write(x) for x in softmax(row, write)] for row in scores]
    return products(weights, [list(column) for column in zip(*v, strict=True)], not_at_all)


def layer_norm(row: list[Decimal], write: Round) -> list[Decimal]:
    mean = write(sum(row) / len(row))
    centred = [write(x - mean) for x in row]
    variance = write(sum(c * c for c in centred) / len(row))
    deviation = write(write(variance + Decimal("0.00001")).sqrt())
    return [c / deviation for c in centred] if deviation else []


def rms_norm(row: list[Decimal], write: Round) -> list[Decimal]:
    square = write(sum(x * x for x in row) / len(row))
    size = write(write(square + Decimal("0.00001")).sqrt())
    return [x / size for x in row] if size else []


def length(row: list[Decimal], write: Round) -> Decimal:
    return write(write(sum(x * x for x in row)).sqrt())


def cosines(a: Table, b: Table, write: Round) -> Table:
    dots = products(a, b, write)
    return [
        [x / write(length(u, write) * length(v, write)) for x, v in zip(row, b, strict=True)]
        for row, u in zip(dots, a, strict=True)
    ]


def rotary(rows: Table, write: Round) -> Table:
    """Two columns: one pair, which turns by one radian from one position to the next; the first row is at 1."""
    turned = []
    for position, (x, y) in enumerate(rows, start=1):
        cosine, sine = write(series(position, 0)), write(series(position, 1))
        turned.append([x * cosine - y * sine, x * sine + y * cosine])
    return turned


def series(angle: int, first: int) -> Decimal:
    """Cosine (``first`` = 0) or sine (1) by its own series."""
    total, term, n = Decimal(0), Decimal(angle) ** first, first
    while abs(term) > Decimal("1e-45"):
        total, n = total + term, n + 2
        term = -term * angle * angle / (n * (n - 1))
    return total


ROADS: dict[str, tuple[MatrixExpr, Callable[[dict[str, Table], Round], Table]]] = {
    "attention": (ATTENTION, lambda v, write: attention(v["Q"], v["K"], v["V"], write)),
    "layer norm": (NORM, lambda v, write: [layer_norm(row, write) for row in v["X"]]),
    "RMS norm": (RMS, lambda v, write: [rms_norm(row, write) for row in v["X"]]),
    "cosine": (ops.Cosine(X, Y), lambda v, write: cosines(v["X"], v["Y"], write)),
    "rotation": (ROPE, lambda v, write: rotary(v["X"], write)),
}

entries = st.integers(-300, 300).map(lambda n: Decimal(n) / 100)
tables = st.lists(st.lists(entries, min_size=2, max_size=2), min_size=3, max_size=3)
apart = tables.filter(lambda rows: all(max(map(abs, row)) >= 1 <= abs(row[0] - row[1]) for row in rows))
values = st.fixed_dictionaries({**dict.fromkeys("QKV", tables), **dict.fromkeys("XY", apart)})


@pytest.mark.long
@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ROADS)
@given(values=values, decimals=st.integers(1, 4), more=st.sampled_from([0, 1, 2, None]))
@settings(max_examples=25, suppress_health_check=[HealthCheck.filter_too_much])
def test_the_enclosure_holds_what_somebody_gets_who_rounds(
    name: str, values: dict[str, Table], decimals: int, more: int | None
) -> None:
    """To as many decimals, to more or not at all."""
    node, road = ROADS[name]
    with localcontext(prec=50), at_precision(BITS):
        try:
            expected = [x for row in road(values, not_at_all if more is None else to(decimals + more)) for x in row]
        except ArithmeticError:  # every exponential of a row was rounded to zero
            reject()
        found = worked(node, values, widened(decimals))
    for enclosure, x in zip(found, expected, strict=True):
        near = arb(fmpq(*Fraction(x).as_integer_ratio())) + arb("0 +/- 1e-40")
        assert enclosure.overlaps(near), f"{x} is not in {enclosure}"


@pytest.mark.long
@pytest.mark.parametrize("name", ["attention", "layer norm", "RMS norm"])
@given(values=values, decimals=st.integers(1, 5))
@settings(max_examples=20, suppress_health_check=[HealthCheck.filter_too_much])
def test_what_is_rounded_at_every_step_is_what_decimal_gives(
    name: str, values: dict[str, Table], decimals: int
) -> None:
    node, road = ROADS[name]
    with localcontext(prec=50), at_precision(BITS):
        found = worked(node, values, rounded(decimals))
        try:
            expected = [x for row in road(values, to(decimals)) for x in row]
        except ArithmeticError:  # every exponential of a row was rounded to zero
            assert not all(x.is_finite() for x in found)
            return
    agree(found, expected)


def agree(found: list[arb], expected: list[Decimal]) -> None:
    with at_precision(BITS):
        for ours, theirs in zip(found, expected, strict=True):
            assert abs(ours - arb(str(theirs))) < arb("1e-30")


def test_a_product_is_written_down_before_it_is_multiplied_by_a_number() -> None:
    row, column = MatrixSymbol("r", 1, 2), MatrixSymbol("c", 2, 1)
    values = {"r": [[Decimal("0.3"), Decimal("0.3")]], "c": [[Decimal("0.3")], [Decimal("0.4")]]}
    write = to(1)
    product = write(sum(x * y for x, (y,) in zip(values["r"][0], values["c"], strict=True)))
    with at_precision(BITS):
        found = worked(MatMul(Integer(2), row, column, evaluate=False), values, rounded(1))
    assert product * 2 != Decimal("0.42")
    agree(found, [2 * product])


@pytest.mark.parametrize("epsilon", ["0.04", "0.06"])
def test_the_variance_is_written_down_again_once_epsilon_is_added(epsilon: str) -> None:
    row, write = [Decimal(x) for x in ("1", "2", "2", "2")], to(1)
    with localcontext(prec=50), at_precision(BITS):
        mean = write(sum(row) / len(row))
        centred = [write(x - mean) for x in row]
        variance = write(write(sum(c * c for c in centred) / len(row)) + Decimal(epsilon))
        expected = [c / write(variance.sqrt()) for c in centred]
        node = ops.LayerNorm(MatrixSymbol("x", 1, 4), Rational(epsilon))
        found = worked(node, {"x": [row]}, rounded(1))
    agree(found, expected)


# Every node


@pytest.mark.parametrize("node", NODES, ids=lambda node: node.__name__)
def test_every_node_holds_its_value_when_numbers_are_widened(node: type) -> None:
    names = Names("roots")
    with at_precision(BITS):
        for formula in (each.node for each in EXAMPLES[node] if not each.node.has(oo)):
            found, true = hand(formula, names.ball, widened(3)).entries(), ball(formula, names.ball).entries()
            assert all(x.contains(y.mid()) for x, y in zip(found, true, strict=True))
            assert all(x.rad() < 1 for x in found)


# What is written down, and what is not


ONE = arb("0.123456")


def test_what_only_moves_numbers_writes_nothing_down_and_is_rounded_once() -> None:
    x, row = MatrixSymbol("X", 2, 2), MatrixSymbol("b", 1, 2)
    values = {"X": arb_mat([[ONE, -ONE], [ONE, 3]]), "b": arb_mat([[ONE, 2]])}
    moved = ops.ReLU(ops.Concat(Transpose(x), ops.Broadcast(ops.Row(ops.Stack(row, row), 2), 2)))
    assert hand(moved, values.__getitem__, rounded(1)).overlaps(ball(moved, values.__getitem__))
    seen: list[arb] = []

    class Counting:
        def __call__(self, x: arb) -> arb:
            seen.append(x)
            return x

        def added(self, x: arb) -> arb:
            return arb()

    x = MatrixSymbol("X", 2, 2)
    product = MatMul(x, x, evaluate=False)
    hand(ops.RowNorm(Transpose(ops.ReLU(ops.Head(product, 1, 1)))), lambda _: arb_mat([[1, 2], [3, 4]]), Counting())

    assert len(seen) == 4 + 2  # the entries of the product, and a sum of squares for each row


@pytest.mark.parametrize(
    ("divisor", "written"),
    [(sqrt(3), "1.7"), (Integer(7), "7"), (Rational(5, 16), "0.3125"), (Rational(1, 3), "0.3"), (sqrt(16), "4")],
)
def test_a_divisor_is_rounded_where_it_has_no_end(divisor: S, written: str) -> None:
    with at_precision(BITS):
        found = hand(ops.Quotient(MatrixSymbol("X", 1, 1), divisor), lambda _: arb_mat([[1]]), rounded(1))
        assert abs(found[0, 0] * arb(written) - 1) < arb("1e-30")


@pytest.mark.parametrize("carry", [widened(2), rounded(2), exactly], ids=["widened", "rounded", "exactly"])
def test_a_mask_of_minus_infinity_takes_the_weight_away(carry: Carry) -> None:
    with at_precision(BITS):
        found = worked(MASKED, {"Q": [[Decimal(1), Decimal(2)]] * 3, "K": [[Decimal("0.33"), Decimal(1)]] * 3}, carry)
    assert [x.is_zero() for x in found] == [False, True, True, False, False, True, False, False, False]
    assert found[0].overlaps(arb(1))
    assert all(x.overlaps(arb(1) / 3) or carry == rounded(2) for x in found[6:])


def test_an_exact_decimal_is_not_widened_and_weights_stay_useful() -> None:
    with at_precision(BITS):
        assert widened(2)(arb("0.25")).rad() < arb("1e-40")
        assert widened(1)(arb("0.25")).contains(arb("0.3"))
        assert not widened(1)(arb("0.25")).contains(arb("0.31"))
        assert widened(1)(arb.neg_inf()) == arb.neg_inf()
    # Counting the doubt about an exponential twice would make them a third wider, at least.
    scores = {"S": [[Decimal(0), Decimal("-0.5"), Decimal(-1)]]}
    node = ops.Softmax(MatrixSymbol("S", 1, 3))
    with at_precision(BITS):
        found = worked(node, scores, widened(2))
        powers = [arb(0).exp(), *(arb(fmpq(n, 2)).exp() + arb("0 +/- 0.005") for n in (-1, -2))]
        total = sum(powers, arb()) + arb("0 +/- 0.005")
        assert 4 * found[1].rad() < 3 * (powers[1] / total).rad()


# Other usual ways, each with numbers for which it ends further off than the way of the rules


def test_other_usual_ways_lead_to_numbers_inside() -> None:
    scores = [Decimal("0.5"), Decimal("3.5"), Decimal(3), Decimal(1)]
    powers = [to(2)((x - max(scores)).exp()) for x in scores]
    with at_precision(BITS):
        found = worked(ops.Softmax(MatrixSymbol("S", 1, 4)), {"S": [scores]}, widened(2))
    assert all(x.contains(arb(str(power / sum(powers)))) for x, power in zip(found, powers, strict=True))
    with at_precision(BITS):
        (found,) = worked(ops.Quotient(MatrixSymbol("S", 1, 1), sqrt(3)), {"S": [[Decimal(7)]]}, widened(2))
        assert found.contains(arb("0.58") * 7)
    a, b = [Decimal(2), Decimal(2), Decimal(3)], [Decimal(4), Decimal(0), Decimal(0)]
    units = [[to(2)(x / to(2)(sum(y * y for y in row).sqrt())) for x in row] for row in (a, b)]
    with at_precision(BITS):
        node = ops.Cosine(MatrixSymbol("X", 1, 3), MatrixSymbol("Y", 1, 3))
        (found,) = worked(node, {"X": [a], "Y": [b]}, widened(2))
        assert found.contains(arb(str(sum(x * y for x, y in zip(*units, strict=True)))))


def test_ties_go_up_and_open_roundings_are_an_error() -> None:
    with at_precision(BITS):
        for text, written in (("2.25", "2.3"), ("-2.25", "-2.3"), ("0.05", "0.1"), ("0.049", "0"), ("-0.05", "-0.1")):
            assert rounded(1)(arb(text)).overlaps(arb(written))
            assert not rounded(1)(arb(text)).overlaps(arb(written) + arb("0.1"))
        with pytest.raises(UndecidedError, match=r"between 0\.24\d* and 0\.25\d*, which leaves open .* 1 decimals"):
            rounded(1)(arb("0.25 +/- 0.001"))
