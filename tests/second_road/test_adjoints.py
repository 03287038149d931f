"""Gradients of operations, ours and random ones, are those of PyTorch's autograd and of differences at 80 digits."""

from __future__ import annotations

import math
import pickle
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from flint import arb
from sympy import MatrixSymbol, Rational

from symattn.base.errors import DomainError, FormulaError
from symattn.compute.values.balls import at_precision
from symattn.operations.equations.adjoint import adjoint
from symattn.operations.equations.adjoint import seed as weights_of
from symattn.operations.equations.kinks import kinks
from symattn.operations.equations.parts import for_parts, given_only
from symattn.operations.equations.ranges import EquationError
from symattn.operations.equations.read import declared, read_operation
from symattn.operations.equations.run import OperandValues, run
from symattn.operations.equations.tree import Length, Operation, Parameter
from symattn.operations.node import apply
from symattn.operations.records import OURS, record_named
from tests.equations.random_operations import Maker
from tests.second_road.roads import Case, Digits, Floats, as_rows, case, each_number, far, mp, whole_loss

pytest.importorskip("torch")

CLOSE = 1e-10
"""What is asked of double precision."""
DERIVED = 1e-40
"""What is asked of 80 digits, where differences are right to some 50."""

POSITIVE = frozenset({"log.X", "sqrt.X", "entropy.A", "divide.Y", "proportions.S", "norm.X", "unit.X"})
"""What operations take that is more than 0; numbers with a name always are."""

WHOLE: Mapping[str, Callable[[random.Random, dict[str, int]], dict[str, int]]] = {
    "cached_mask": lambda draw, s: {"m": s["n"] + draw.randrange(3)},
    "window_mask": lambda draw, s: {"w": draw.randint(1, 4)},
    "padding_mask": lambda draw, s: {"l": draw.randint(1, s["m"])},
    "sinusoidal": lambda draw, s: {"d": 2 * draw.randint(1, 3)},
    "rotary": lambda draw, s: {"d": 2 * draw.randint(1, 3)},
    "rotary_halves": lambda draw, s: {"d": 2 * draw.randint(1, 3)},
    "entry": lambda draw, s: {"i": draw.randint(1, s["m"]), "j": draw.randint(1, s["n"])},
    "row": lambda draw, s: {"i": draw.randint(1, s["m"])},
    "rows": lambda draw, s: {"a": (a := draw.randint(1, s["m"])), "b": draw.randint(a, s["m"])},
    "head": lambda draw, s: {"h": (h := draw.randint(1, 3)), "t": draw.randint(1, h), "d": h * draw.randint(1, 2)},
    "power": lambda draw, s: {"k": draw.randint(0, 4)},
    "top": lambda draw, s: {"k": draw.randint(1, s["n"])},
    "row_var": lambda draw, s: {"n": draw.randint(2, 5)},
}
"""Whole numbers and sizes that go together."""

MASKED = frozenset({"softmax.S", "log_softmax.S", "row_max.X", "exp.X", "keep.M"})
"""What may be -oo in some places, though never in all of a row."""


def records() -> Iterator[Operation]:
    for name in OURS:
        found = record_named(name)
        if found is None:
            continue
        yield from [for_parts(found, k) for k in (2, 3)] if any(each.many for each in found.parameters) else [found]
        if any(each.default is not None for each in found.parameters):
            must = [each.name for each in found.parameters if each.default is None]
            yield given_only(found, frozenset(must))
            usual = [each.name for each in found.parameters if each.default is not None]
            yield given_only(found, frozenset([*must, usual[-1]]))


def has_gradient(parameter: Parameter) -> bool:
    return parameter.is_matrix or parameter.kind == "number"


PAIRS = {
    f"{operation.name}({','.join(p.name for p in operation.parameters)}).{each.name}": (operation, each)
    for operation in records()
    for each in operation.parameters
    if has_gradient(each)
}
RECORDS = {name.rpartition(".")[0]: operation for name, (operation, _) in PAIRS.items()}


def given(operation: Operation, draw: random.Random) -> Case:
    """An operation with sizes and numbers at random."""
    axes = [axis for each in operation.parameters for axis in each.axes] + [axis for _, axis in operation.ranges]
    lengths = [axis.name for axis in axes if isinstance(axis, Length)]
    lengths += [each.name for each in operation.parameters if each.kind == "size"]
    whole = {name: draw.randint(1, 4) for name in lengths}
    whole |= WHOLE[operation.name](draw, whole) if operation.name in WHOLE else {}
    numbers: dict[str, Any] = {}
    for each in operation.parameters:
        name = f"{operation.name}.{each.name}"
        if each.kind == "number":
            numbers[each.name] = draw.uniform(0.2, 3)
        elif each.is_matrix:
            rows, columns = (1, *each.axes)[-2:] if each.kind == "row" else each.axes
            count = [size if isinstance(size, int) else whole[size.name] for size in (rows, columns)]  # type: ignore[union-attr]
            last = whole.get("n" if operation.name == "cross_entropy" else "v", 1) - 1
            made = [[entry(name, draw, last) for _ in range(count[1])] for _ in range(count[0])]
            for row in made if name in MASKED else ():
                for place in draw.sample(range(len(row)), draw.randrange(len(row))):
                    row[place] = -math.inf
            numbers[each.name] = made[0] if each.kind == "row" else made
    return case(operation, numbers, whole, lambda: draw.gauss(0, 1))


def entry(name: str, draw: random.Random, last: int) -> float:
    if name == "keep.M":
        return 0.0
    if name.endswith(".ids"):
        return float(draw.randint(0, last))
    return draw.uniform(0.1, 3) if name in POSITIVE else draw.gauss(0, 1.5)


@pytest.mark.parametrize("name", RECORDS)
def test_gradients_of_our_operations_are_those_of_autograd(name: str) -> None:
    draw = random.Random(name)
    for turn in range(3):
        asked = given(RECORDS[name], draw)
        if turn == 2:
            asked = whole_loss(asked)
        theirs = asked.by_torch()
        for parameter in asked.parameters():
            ours = asked.derived(parameter.name, Floats(), whole=turn == 2)
            assert far(ours, theirs[parameter.name]) < CLOSE, (parameter.name, asked)


@pytest.mark.parametrize("name", [name for name in PAIRS if not name.startswith(("keep", "log_softmax"))][::4])
def test_gradients_of_our_operations_are_differences_at_80_digits(name: str) -> None:
    operation, parameter = PAIRS[name]
    asked = given(operation, random.Random(name))
    if any(x == -math.inf for value in asked.numbers.values() if isinstance(value, list) for x in flat(value)):
        asked = replace(asked, numbers={name: finite(value) for name, value in asked.numbers.items()})
    assert far(asked.derived(parameter.name, Digits()), asked.by_differences(parameter.name)) < DERIVED


def flat(value: Any) -> list[Any]:
    return [x for each in value for x in flat(each)] if isinstance(value, list) else [value]


def finite(value: Any) -> Any:
    return [finite(each) for each in value] if isinstance(value, list) else max(value, -7.0)


NEVER_SAID = frozenset({"causal_mask", "cached_mask", "window_mask", "padding_mask", "sinusoidal", "kron"})
"""Without a matrix that is given and without G, equations do not say how far an index goes."""


@pytest.mark.parametrize("name", PAIRS)
def test_gradients_are_read_again_as_they_are_written(name: str) -> None:
    operation, parameter = PAIRS[name]
    for whole in (False, True):
        found = adjoint(operation, parameter.name, whole)
        assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301
        if not (whole and operation.name in NEVER_SAID):
            again = read_operation(declared(found))
            assert replace(again, page=found.page) == found
            assert dict(again.ranges) == dict(found.ranges)


EXACT = [name for name in PAIRS if not name.startswith(("entropy", "sinusoidal", "angle"))][1::8]


@pytest.mark.parametrize("name", EXACT)
def test_gradients_are_certified_and_exact_like_all_else(name: str, solve: Callable[..., Any]) -> None:
    operation, parameter = PAIRS[name]
    draw = random.Random(name)
    asked = replace_numbers(given(operation, draw), lambda x: Fraction(round(8 * x), 8))
    backward = adjoint(operation, parameter.name)
    numbers = {**asked.numbers, weights_of(operation).name: asked.grad}
    used = {each.name: as_rows(numbers[each.name]) for each in backward.parameters if each.is_matrix}
    arguments: list[Any] = []
    for each in backward.parameters:
        if each.is_matrix:
            rows = used[each.name]
            arguments.append(MatrixSymbol(each.name, len(rows), len(rows[0])))
        else:
            value = numbers.get(each.name, asked.whole.get(each.name))
            arguments.append(Rational(value.numerator, value.denominator))
    node = apply(backward, *arguments)
    solution = solve({name: [[str(x) for x in row] for row in rows] for name, rows in used.items()} or {"X": [["1"]]})
    part = solution.store.part(node)
    wanted = [x for row in asked.derived(parameter.name, Digits()) for x in row]

    with at_precision(300), mp.workdps(100):
        for ball, value in zip(solution.enclosure(part, 300).entries(), wanted, strict=True):
            near = arb(mp.nstr(value, 78)) if mp.isfinite(value) else arb(0)
            assert ball.overlaps(near + arb(0, 1) * (1 + abs(near)) * arb("1e-60"))
            assert ball.rad() < arb("1e-60") * (1 + abs(ball))
    assert all(abs(x - y) <= 1e-9 * (1 + abs(y)) for x, y in zip(solution.float64(part).ravel(), wanted, strict=True))


def replace_numbers(asked: Case, rule: Callable[[Any], Any]) -> Case:
    """Rational numbers in the place of others, none of them 0."""

    def put(value: Any) -> Any:
        return value if math.isinf(value) else rule(value) or Fraction(1, 8)

    numbers = each_number(lambda x: x if x == 0 else put(x), asked.numbers)
    return replace(asked, numbers=numbers, grad=each_number(put, {"G": asked.grad})["G"])


# -- what is not differentiable, and what is masked ------------------------------------------------------------------


def at(text: str, name: str, whole: Mapping[str, int], **numbers: Any) -> list[list[Any]]:
    """The gradient, with G = 1, at numbers that are given."""
    backward = adjoint(read_operation(text), name, whole=True)
    return run(OperandValues(backward, numbers, whole), Floats())


def test_a_masked_score_has_the_gradient_0() -> None:
    softmax = record_named("softmax")
    assert softmax is not None
    asked = Case(softmax, {"S": [[1.0, -math.inf, 2.0]]}, {"m": 1, "n": 3}, [[3.0, 5.0, -1.0]])
    assert asked.derived("S", Floats())[0][1] == 0
    assert far(asked.derived("S", Floats()), asked.by_torch()["S"]) < CLOSE


@pytest.mark.parametrize(
    ("body", "at_0"),
    [
        ("max(0, X[i,j])", 0),
        ("max(X[i,j], 0)", 0),
        ("min(X[i,j], 0)", 0),
        ("abs(X[i,j])", 0),
        ("max(X[i,j], 2 * X[i,j])", 1.5),
        ("floor(X[i,j])", 0),
        ("X[i,j] if X[i,j] > 0 else 3 * X[i,j]", 3),
        ("X[i,j] if X[i,j] > 0 else exp(X[i,j]) - 1", 1),
        ("X[i,j]^1", 1),
        ("X[i,j]^2", 0),
        ("X[i,j]^(j - 1)", 0),
        ("X[i,j]^j", 1),
        ("0 * X[i,j]^0", 0),
        ("(1 + X[i,j])^X[i,j]", 0),
        ("abs(max(0, X[i,j])) + sin(X[i,j])", 1),
    ],
)
def test_where_there_is_no_derivative_the_usual_one_is_taken(body: str, at_0: float) -> None:
    assert at(f"f(X: m×n) -> m×n\n y[i,j] = {body}", "X", {"m": 1, "n": 1}, X=[[0.0]]) == [[at_0]]


def test_whole_powers_of_0_are_never_divided_by_0() -> None:
    text = "f(X: m×n, k: whole) -> m×n\n y[i,j] = X[i,j]^k"
    assert [at(text, "X", {"m": 1, "n": 1, "k": k}, X=[[0.0]])[0][0] for k in (0, 1, 2)] == [0, 1, 0]
    assert at("f(X: m×n, c) -> m×n\n y[i,j] = X[i,j]^c", "c", {"m": 1, "n": 1}, X=[[0.0]], c=2.0) == [[0]]


def test_powers_with_an_index_are_defined_for_negative_numbers(solve: Callable[..., Any]) -> None:
    powers = read_operation("f(X: m×n) -> m×n\n y[i,j] = X[i,1]^(j - 1)")
    backward = adjoint(powers, "X")
    givens = {"X": [["-2", "1", "1"]], "G": [["1", "1", "1"]]}
    solution = solve(givens)
    arguments = {name: MatrixSymbol(name, 1, 3) for name in givens}
    found = [
        solution.decimals(solution.store.part(apply(each, *(arguments[p.name] for p in each.parameters))), 1)
        for each in (powers, backward)
    ]
    assert found == [(("1.0", "-2.0", "4.0"),), (("-3.0", "0.0", "0.0"),)]


@pytest.mark.parametrize("body", ["sqrt(X[i,j])", "log(X[i,j])", "xlogx(X[i,j])", "1 / X[i,j]"])
def test_what_has_no_derivative_and_no_usual_one_is_refused(body: str) -> None:
    with pytest.raises((ValueError, ZeroDivisionError, DomainError)):
        at(f"f(X: m×n) -> m×n\n y[i,j] = {body}", "X", {"m": 1, "n": 1}, X=[[0.0]])


def test_the_length_of_nothing_is_not_divided_by_where_it_does_not_count() -> None:
    clip_norm = record_named("clip_norm")
    assert clip_norm is not None
    asked = Case(clip_norm, {"X": [[0.0, 0.0]], "c": 1.0}, {"m": 1, "n": 2}, [[3.0, -2.0]])
    assert asked.derived("X", Floats()) == [[3.0, -2.0]]


def test_what_is_asked_only_where_it_can_be_is_asked_there_only_backward_too() -> None:
    text = """
        f(X: m×n) -> m×n
            y[i,j] = ((X[i,j - 1] if log(X[i,j - 1]) > 0 else 2 * X[i,j - 1]) if X[i,j] > 0 else 0) if j > 1 else 0
    """
    asked = Case(read_operation(text), {"X": [[2.0, 0.5, 3.0, -1.0]]}, {"m": 1, "n": 4}, [[1.0, 1.0, 1.0, 1.0]])
    assert asked.derived("X", Floats()) == asked.by_torch()["X"] == [[1.0, 2.0, 0.0, 0.0]]


def test_names_of_a_gradient_mean_nothing_else() -> None:
    text = """
        f(G: z×G_Y, t_bar: z) -> z×G_Y
            t[r] = sum(c, G[r,c] * t_bar[r])
            y[r,c] = G[r,c] * t[r]
    """
    asked = Case(read_operation(text), {"G": [[2.0, 3.0]], "t_bar": [5.0]}, {"z": 1, "G_Y": 2}, [[1.0, -1.0]])
    for parameter, theirs in asked.by_torch().items():
        assert asked.derived(parameter, Floats()) == theirs
        assert read_operation(declared(adjoint(asked.operation, parameter)))


@pytest.mark.parametrize("name", ["n", "nothing", "k"])
def test_only_matrices_and_numbers_have_gradients(name: str) -> None:
    with pytest.raises(FormulaError, match="there is no gradient of it"):
        adjoint(read_operation("f(X: m×n, k: whole) -> m×n\n y[i,j] = X[i,j]^k * n"), name)


# -- random operations -----------------------------------------------------------------------------------------------


class Shifting(Maker):
    """Operations with neighbours, where there are any, and powers besides."""

    def leaf(self, bound: tuple[str, ...]) -> str:
        kind = self.draw.randrange(12)
        letter = next((each for each in bound if each in "jk"), "")
        row = self.place("m", bound)
        if kind == 0 and letter:
            return f"(X[{row},{letter} + 1] if {letter} < d else {super().leaf(bound)})"
        if kind == 1 and letter:
            return f"({super().leaf(bound)} if {letter} <= 1 else X[{row},{letter} - 1])"
        if kind == 2 and letter:
            return f"(({super().leaf(bound)} if X[{row},{letter} - 1] > 0 else 2) if {letter} > 1 else 1)"
        if kind == 3:
            exponent = self.draw.choice([*self.whole, *bound, "m", "3/2", *self.plain])
            return f"(1/2 + abs({super().leaf(bound)}))^({exponent})"
        return super().leaf(bound)


def random_case(seed: int) -> Case | None:
    """A random operation with random numbers; ``None`` where one of its values does not exist."""
    draw = random.Random(seed)
    made = (Shifting if seed % 2 else Maker)(seed).operation()
    operation = given_only(read_operation(made.text), frozenset(made.order))
    numbers: dict[str, Any] = {}
    whole: dict[str, int] = {}
    for each in operation.parameters:
        if each.is_matrix:
            rows = [[drawn(draw, seed) for _ in row] for row in made.matrices[each.name]]
            sizes = (len(rows), len(rows[0]))[2 - len(each.axes) :]
            whole |= {axis.name: size for axis, size in zip(each.axes, sizes, strict=True) if isinstance(axis, Length)}
            numbers[each.name] = rows if each.kind == "matrix" else rows[0]
        elif each.kind == "number":
            numbers[each.name] = drawn(draw, seed)
        else:
            whole[each.name] = int(made.numbers[each.name])
    try:
        asked = case(operation, numbers, whole, lambda: draw.gauss(0, 1))
        asked.value(Floats())
    except (ValueError, ZeroDivisionError, DomainError, OverflowError):
        return None
    return asked


def drawn(draw: random.Random, seed: int) -> float:
    """Every third operation has zeros and ones among its numbers."""
    return draw.choice((0.0, 1.0)) if seed % 3 == 0 and draw.random() < 0.2 else draw.gauss(0, 1.5)


def is_at_a_kink(asked: Case, name: str) -> bool:
    found = kinks(asked.operation, name)
    if found is None:
        return False
    return any(map(any, run(OperandValues(found, asked.numbers, asked.whole), Floats())))


def check(seed: int) -> int:
    """Compares all gradients of a random operation, and says how many there were."""
    asked = random_case(seed)
    if asked is None:
        return 0
    theirs, compared = asked.by_torch(), 0
    for parameter in asked.parameters():
        name = parameter.name
        if not all(math.isfinite(x) for x in flat(theirs[name])) or is_at_a_kink(asked, name):
            continue
        compared += 1
        ours = asked.derived(name, Floats())
        if far(ours, theirs[name]) >= CLOSE:
            # Double precision may not be enough for either.
            assert far(asked.derived(name, Digits()), asked.by_differences(name)) < DERIVED, declared(asked.operation)
        _must_be_read_again(asked.operation, name)
    return compared


def _must_be_read_again(operation: Operation, name: str) -> None:
    found = adjoint(operation, name)
    try:
        again = read_operation(declared(found))
    except EquationError as error:
        # Too long for a line, or a sum over nothing that stands there.
        if any(each in str(error) for each in ("FORMULA_LENGTH", "in vain", "does not follow")):
            return
        raise
    assert replace(again, page=found.page) == found


def test_gradients_of_some_random_operations_are_those_of_autograd() -> None:
    assert sum(map(check, range(16))) > 25


@pytest.mark.slow
@pytest.mark.parametrize("part", range(100))
def test_gradients_of_random_operations_are_those_of_autograd(part: int) -> None:
    assert sum(map(check, range(1000 + 20 * part, 1020 + 20 * part))) > 10


def test_gradients_of_some_random_operations_are_differences_at_80_digits() -> None:
    compared = 0
    for number in range(2000, 2012):
        asked = random_case(number)
        for parameter in asked.parameters() if asked else ():
            if is_at_a_kink(asked, parameter.name):  # type: ignore[arg-type]
                continue
            try:
                ours = asked.derived(parameter.name, Digits())  # type: ignore[union-attr]
            except (ValueError, ZeroDivisionError, DomainError):
                continue
            compared += 1
            assert far(ours, asked.by_differences(parameter.name)) < DERIVED  # type: ignore[union-attr]
    assert compared > 10
