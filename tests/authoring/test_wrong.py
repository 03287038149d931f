"""What goes wrong in Python is told at its line, and nothing but our own errors comes out.

In ``wrong.txt`` a frame is what was written before, a case the line, and its answer the error.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Matrix, MatrixSymbol, symbols

import symattn
from symattn import Derivation, causal_mask, concat, derive, head, layer_norm, softmax, sqrt
from symattn.base.errors import SymattnError
from symattn.course import generate
from tests.cases import groups, is_told

GROUPS = groups(Path(__file__).with_name("wrong.txt"))
USED = (Decimal, Fraction, Matrix, MatrixSymbol, symbols)
NAMES = {one.__name__: one for one in USED} | {"np": np, "sympy": sympy, "symattn": symattn}


@pytest.mark.long
@pytest.mark.parametrize("name", GROUPS)
def test_what_goes_wrong_is_told_at_its_line(name: str) -> None:
    for line, wanted in GROUPS[name].cases:
        names: dict[str, Any] = dict(NAMES)
        exec(f"from symattn import *\n{GROUPS[name].frame}", names)  # noqa: S102
        before = names["d"].toml() if "nothing" in name else ""
        with pytest.raises(SymattnError) as error:
            eval(line, names)  # noqa: S307
        found = f"{type(error.value).__name__}: {error.value}"
        assert is_told([found], wanted), (line, found)
        assert before == (names["d"].toml() if before else "")


def test_whole_numbers_of_numpy_are_whole_numbers() -> None:
    assert derive("refund")["A"].decimals(np.int64(3)) == derive("refund")["A"].decimals(3)
    assert generate("softmax-row", seed=np.int64(7)).exercises == generate("softmax-row", seed=7).exercises


# -- anything at all in place of a formula, a number, a matrix, a name or words ----------------------------------------


SINGLE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**4000, Fraction(1, 10**4000), sympy.Integer(10) ** 4000, Decimal("1e99999999")]),
    st.floats(),
    st.complex_numbers(),
    st.text(max_size=8),
    st.sampled_from(["n", "X", "m", "1", "0", "-1", "A = B", "X @ X", "{", "sqrt(2)", "1e999999"]),
    st.binary(max_size=3),
    st.decimals(),
    st.fractions(),
    st.sampled_from(
        [sympy.pi, sympy.sqrt(2), sympy.oo, sympy.nan, sympy.zoo, sympy.I, sympy.Symbol("q"), sympy.S.true]
    ),
    st.sampled_from([np.float32(0.5), np.int8(3), np.bool_(True), np.array(2), np.zeros((2, 2)), np.zeros((1, 2, 2))]),
    st.sampled_from([object(), int, len, Ellipsis, {1, 2}, range(2), sympy.Matrix([[1, 2]]), np.array([["a"]])]),
)
ANYTHING = st.recursive(
    SINGLE,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.tuples(inner, inner), st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=6,
)


def small() -> tuple[Derivation, Any]:
    d = Derivation(title="t", tokens=["a", "b"])
    return d, d.given("X", [[1, 2], [3, 4]])


PLACES: dict[str, Callable[[Derivation, Any, Any], object]] = {
    "@": lambda d, X, v: X @ v,
    "r@": lambda d, X, v: v @ X,
    "+": lambda d, X, v: X + v,
    "*": lambda d, X, v: X * v,
    "r*": lambda d, X, v: v * X,
    "/": lambda d, X, v: X / v,
    "r/": lambda d, X, v: v / d.size("n"),
    "**": lambda d, X, v: X**v,
    "softmax": lambda d, X, v: softmax(v),
    "sqrt": lambda d, X, v: sqrt(v),
    "head": lambda d, X, v: head(X, v, v),
    "concat": lambda d, X, v: concat(X, X, v),
    "mask": lambda d, X, v: causal_mask(v, v),
    "layer_norm": lambda d, X, v: layer_norm(X, epsilon=v, gamma=v),
    "given": lambda d, X, v: d.given("G", v),
    "given name": lambda d, X, v: d.given(v, [[1]]),
    "given rows": lambda d, X, v: d.given("G", [[v, 1]]),
    "axes": lambda d, X, v: d.given("G", [[1]], axes=v),
    "shape": lambda d, X, v: d.given("G", shape=v),
    "row_sums": lambda d, X, v: d.given("G", [["0.5"]], rounded=True, row_sums=v),
    "notation": lambda d, X, v: d.given("G", [[1]], notation=v),
    "size": lambda d, X, v: d.size("k", v),
    "size name": lambda d, X, v: d.size(v, 3),
    "labels": lambda d, X, v: d.labels("k", v),
    "step": lambda d, X, v: d.step("S", v),
    "step name": lambda d, X, v: d.step(v, X),
    "need": lambda d, X, v: d.step("S", X, need=v),
    "works": lambda d, X, v: d.step("S", X, works=v),
    "decimals": lambda d, X, v: d.step("S", X, decimals=v),
    "section": lambda d, X, v: d.section(v, number=v),
    "show": lambda d, X, v: d.show(v, v),
    "note": lambda d, X, v: d.note(v),
    "prove": lambda d, X, v: d.prove(X, v),
    "quantity": lambda d, X, v: d.quantity("N", v),
    "at": lambda d, X, v: d.quantity("N", d.size("n"), at=v),
    "claim": lambda d, X, v: d.claim(v, v, value=v),
    "printed": lambda d, X, v: d.printed("X", v),
    "programs": lambda d, X, v: d.programs(v),
    "tensor": lambda d, X, v: d.tensor("T", v, v),
    "use": lambda d, X, v: d.use("similarity", mask=v),
    "substitute": lambda d, X, v: d.substitute(X=v),
    "getitem": lambda d, X, v: d[v],
    "title": lambda d, X, v: Derivation(title=v),
    "tokens": lambda d, X, v: Derivation(title="t", tokens=v),
    "sizes": lambda d, X, v: Derivation(title="t", sizes={"k": v}),
    "figures": lambda d, X, v: Derivation(title="t", decimals=v, scope=v),
}


ROOT = sympy.Pow(sympy.Integer(10) ** 6001, sympy.Rational(1, 2), evaluate=False)
HUGE = (10**6000, -(10**6000), Fraction(1, 10**6000), sympy.Integer(10) ** 6000, ROOT)


@pytest.mark.parametrize("place", PLACES)
def test_a_number_that_python_itself_does_not_write_is_refused(place: str) -> None:
    for huge in HUGE:
        with suppress(SymattnError):
            PLACES[place](*small(), huge)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(PLACES)), ANYTHING)
def test_only_our_own_errors_come_out(place: str, value: Any) -> None:
    d, X = small()
    # Whatever this builds or refuses: what is left over must be a scenario, or say why it is none.
    with suppress(SymattnError):
        PLACES[place](d, X, value)
    with suppress(SymattnError):
        d.toml()
        _ = d.scenario
