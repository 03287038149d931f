"""Fractions of polynomials: zero exactly where everything cancels."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sympy import Integer, Matrix, MatrixSymbol, Rational, cos, exp, simplify, sin

from symattn.operations import Dot, Proportions, Quotient, Rotary, Softmax, Stack, UnitRows
from symattn.proof.explicit import Entries
from symattn.proof.fractions import TURNS, FinerError, Fractions, TooLargeError, Value


def number(field: Fractions, value: Value) -> Fraction:
    ((_, top),) = value.top.items()
    ((_, bottom),) = value.bottom.items()
    return top / bottom


def test_roots_of_numbers() -> None:
    field = Fractions()
    two, eight, half = (field.root(field.number(value)) for value in (2, 8, Fraction(1, 2)))

    assert number(field, field.multiply(two, eight)) == 4
    assert number(field, field.multiply(two, half)) == 1
    assert field.equal(field.inverse(two), half)
    assert not field.equal(two, half)


def test_roots_of_sums_of_squares() -> None:
    field = Fractions()
    x, y = field.entry("x"), field.entry("y")
    squares = field.add(field.multiply(x, x), field.multiply(y, y))
    root = field.root(squares)

    assert field.equal(field.multiply(root, root), squares)
    assert field.equal(field.root(field.multiply(field.number(4), squares)), field.multiply(field.number(2), root))
    assert not field.equal(root, field.add(x, y))


def test_the_root_of_a_square_is_not_the_number_itself() -> None:
    field = Fractions()
    x = field.entry("x")

    assert not field.equal(field.root(field.multiply(x, x)), x)


def test_exponentials_multiply() -> None:
    field = Fractions()
    x, y = field.entry("x"), field.entry("y")
    together = field.exponential(field.add(x, y))

    assert field.equal(together, field.multiply(field.exponential(x), field.exponential(y)))
    assert not field.equal(together, field.add(field.exponential(x), field.exponential(y)))


def test_a_half_of_an_exponent_needs_a_finer_unit() -> None:
    field = Fractions()
    half = field.multiply(field.number(Fraction(1, 2)), field.entry("x"))
    with pytest.raises(FinerError) as caught:
        field.exponential(half)

    finer = Fractions(caught.value.unit)
    x = finer.entry("x")
    root = finer.exponential(finer.multiply(finer.number(Fraction(1, 2)), x))
    assert finer.equal(finer.multiply(root, root), finer.exponential(x))
    assert finer.equal(finer.root(finer.exponential(x)), root) or caught.value.unit == 2


def test_what_is_equal_but_not_shown_to_be_is_not_told_apart_either() -> None:
    """ln e^x is x, which no rule here knows."""
    field = Fractions(unit=2)
    x = field.entry("x")
    logarithm = field.function("log", (field.exponential(x),))

    assert not field.equal(logarithm, x)
    assert not field.differs_somewhere(logarithm, x)
    assert field.differs_somewhere(logarithm, field.multiply(field.number(2), x))


def test_the_addition_formulas_of_angles() -> None:
    field = Fractions()
    x, y = field.entry("x"), field.entry("y")
    both = field.cosine_and_sine(field.add(x, y))
    one, other = field.cosine_and_sine(x), field.cosine_and_sine(y)
    product = field.product_of_complex(one, other)

    assert all(map(field.equal, both, product))
    assert field.equal(field.add(field.multiply(one[0], one[0]), field.multiply(one[1], one[1])), field.number(1))
    assert not field.equal(both[0], field.add(one[0], other[0]))


def test_multiples_of_an_angle() -> None:
    field = Fractions()
    x = field.entry("x")
    c, s = field.cosine_and_sine(x)
    thrice = field.cosine_and_sine(field.multiply(field.number(3), x))
    back = field.cosine_and_sine(field.multiply(field.number(-1), x))
    cubed = field.multiply(c, field.multiply(c, c))

    # cos 3x = 4 cos³ x − 3 cos x
    wanted = field.add(field.multiply(field.number(4), cubed), field.multiply(field.number(-3), c))
    assert field.equal(thrice[0], wanted)
    assert field.equal(back[0], c)
    assert field.equal(back[1], field.multiply(field.number(-1), s))
    assert field.differs_somewhere(back[1], s)


def test_a_part_of_an_angle_needs_a_finer_unit() -> None:
    field = Fractions()
    with pytest.raises(FinerError) as caught:
        field.cosine_and_sine(field.multiply(field.number(Fraction(1, 3)), field.entry("x")))

    assert caught.value.unit == 3


def test_a_multiple_that_is_too_large_is_given_up() -> None:
    field = Fractions()
    with pytest.raises(TooLargeError):
        field.cosine_and_sine(field.multiply(field.number(TURNS + 1), field.entry("x")))


def test_a_maximum_does_not_mind_the_order() -> None:
    field = Fractions()
    x, y, z = (field.entry(name) for name in "xyz")

    assert field.equal(field.function("Max", (x, y)), field.function("Max", (y, x)))
    assert not field.equal(field.function("Max", (x, y)), field.function("Max", (x, z)))
    assert not field.equal(field.function("log", (x,)), field.function("log", (y,)))


def test_what_grows_too_large_is_given_up() -> None:
    with pytest.raises(TooLargeError):
        power_of_a_sum(20)


def power_of_a_sum(exponent: int) -> None:
    field = Fractions()
    total = field.number(0)
    for place in range(8):
        total = field.add(total, field.entry(f"x{place}"))
    result = total
    for _ in range(exponent):
        result = field.multiply(result, total)


@pytest.mark.parametrize(
    "node",
    [
        Softmax(MatrixSymbol("X", 2, 2)),
        UnitRows(MatrixSymbol("X", 2, 2)),
        Proportions(MatrixSymbol("X", 2, 2)),
        Dot(MatrixSymbol("X", 2, 2), MatrixSymbol("X", 2, 2)),
        Quotient(MatrixSymbol("X", 2, 2), Rational(2, 3)),
        Rotary(MatrixSymbol("X", 2, 2), Integer(10_000), Integer(2)),
        Stack(MatrixSymbol("X", 2, 2), MatrixSymbol("X", 2, 2)),
    ],
)
def test_entries_are_those_of_sympy(node: object) -> None:
    """Put in numbers, an entry is what SymPy makes of the node with the same numbers."""
    numbers = Matrix([[1, 2], [3, -1]])
    work = Entries(Fractions(), {})
    grid = work.matrix(node)
    X = MatrixSymbol("X", 2, 2)
    wanted = node.as_explicit().doit().subs({X[i, j]: numbers[i, j] for i in range(2) for j in range(2)})
    for i in range(2):
        for j in range(2):
            difference = _sympy(work.field, grid[i][j], numbers) - wanted[i, j]
            assert simplify(difference) == 0 or abs(difference.evalf(40)) < 10**-30


def _sympy(field: Fractions, value: Value, numbers: Matrix) -> object:
    def polynomial(a: dict) -> object:
        total = Rational(0)
        for monomial, factor in a.items():
            term = Rational(factor.numerator, factor.denominator)
            for place, exponent in monomial:
                term *= generator(place) ** exponent
            total += term
        return total

    def generator(place: int) -> object:
        found = field.generators[place]
        if found.kind == "entry":
            i, j = found.name[2:-1].split(",")
            return numbers[int(i), int(j)]
        if found.value is not None:
            return found.value
        inner = _sympy(field, found.arguments[0], numbers)
        if found.kind in ("cos", "sin"):
            return (cos if found.kind == "cos" else sin)(inner / field.unit)
        return exp(inner / field.unit) if found.kind == "exp" else inner ** Rational(1, 2)

    return polynomial(value.top) / polynomial(value.bottom)
