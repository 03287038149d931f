"""Substitute numbers for free symbols: the result is a scenario with the same words and other givens and formulas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from sympy import Basic, Expr, Integer, MatMul, Symbol, postorder_traversal

from symattn.base.errors import DomainError, FormulaError, UnknownNameError, unknown
from symattn.base.printed import decimal_text
from symattn.operations import Quotient
from symattn.operations.symbols import entry_symbol, tidy
from symattn.operations.terms import size_symbol
from symattn.read.exact_number import exact
from symattn.read.given import Given
from symattn.read.plan import Plan, Step
from symattn.read.scenario.model import GivenMatrix, Scenario

PLACES = 12
"""A fraction that is a decimal of at most so many places is written as one."""


def put_in(scenario: Scenario, values: Mapping[str, object], place: Callable[[str], str] | None = None) -> Scenario:
    """Return the scenario with numbers in place of some or all of its free symbols.

    Errors call a name ``place(name)``, by default its file, line and key.

    Raises :class:`~symattn.base.errors.UnknownNameError` for a name that is not a free symbol (any more), and
    :class:`~symattn.base.errors.DomainError` if a number leaves an entry or a factor without a value.

    >>> from symattn.read.scenario.load import loads
    >>> lesson = loads('title = "t"\\nsymbols = ["a"]\\n[given]\\nX = [["a", "2*a"]]')
    >>> put_in(lesson, {"a": "0.50"}).givens["X"].given.texts
    (('0.50', '1'),)
    """
    numbers, place = _read(scenario, values), place or scenario.place
    known = {entry_symbol(name): number for name, number in numbers.items()}
    texts = {name: str(values[name]).strip() for name in numbers}
    written = {entry_symbol(name): text for name, text in texts.items()}
    givens = {
        name: GivenMatrix(_given(matrix.given, known, written, place(name)), matrix.note)
        for name, matrix in scenario.givens.items()
    }
    return replace(
        scenario,
        givens=MappingProxyType(givens),
        derivation=_plan(scenario, known, place),
        put_in=MappingProxyType({**scenario.put_in, **texts}),
    )


def _read(scenario: Scenario, values: Mapping[str, object]) -> dict[str, Expr]:
    symbols = scenario.derivation.symbols
    numbers: dict[str, Expr] = {}
    for name, value in values.items():
        if name not in symbols:
            left = "" if symbols else "; there are no free symbols (left)"
            raise UnknownNameError(unknown("symbol", name, symbols) + left)
        try:
            numbers[name] = exact(value)
        except FormulaError as error:
            raise FormulaError(f"{name}: {error}") from None
        if not numbers[name].is_finite:
            raise FormulaError(f"{name} is {numbers[name]}: expected a finite number")
    return numbers


def _given(given: Given, known: Mapping[Symbol, Expr], written: Mapping[Symbol, str], place: str) -> Given:
    if given.array is not None or not any(x.free_symbols for x in given.entries):
        return given
    values: list[tuple[Expr, ...]] = []
    texts: list[tuple[str, ...]] = []
    for i, (row, row_texts) in enumerate(zip(given.values, given.texts, strict=True)):
        numbers = [_number(x, known, f"{place}[{i + 1},{j + 1}]") for j, x in enumerate(row)]
        values.append(tuple(numbers))
        texts.append(
            tuple(
                text if number == x else written.get(x, _text(number))
                for x, number, text in zip(row, numbers, row_texts, strict=True)
            )
        )
    return replace(given, values=tuple(values), texts=tuple(texts))


def _number(value: Expr, known: Mapping[Symbol, Expr], what: str, divides: bool = False) -> Expr:
    """Return a value with numbers substituted, which must be a finite real number; a divisor must not be 0."""
    if not value.free_symbols & known.keys():
        return value
    found = tidy(value.xreplace(dict(known)))
    if found.free_symbols:
        return found
    used = sorted(value.free_symbols & known.keys(), key=str)
    with_these = ", ".join(f"{symbol} = {known[symbol]}" for symbol in used)
    if not found.is_finite or not found.is_real:
        raise DomainError(f"{what}: with {with_these}, {value} has no value")
    if divides and found.is_zero:
        raise DomainError(f"{what}: with {with_these}, the divisor {value} is 0")
    return found


def _text(value: Expr) -> str:
    """Return a number as a person would write it.

    >>> from sympy import Rational
    >>> _text(Rational(1, 8)), _text(Rational(1, 3))
    ('0.125', '1/3')
    """
    if not value.is_Rational:
        return str(value)
    places = next((places for places in range(PLACES + 1) if 10**places % int(value.q) == 0), None)
    return str(value) if places is None else decimal_text(int(value * 10**places), places)


def _plan(scenario: Scenario, known: Mapping[Symbol, Expr], place: Callable[[str], str]) -> Plan:
    plan, sizes = scenario.derivation, _sizes(scenario)
    left = tuple(name for name in plan.symbols if entry_symbol(name) not in known)
    return replace(plan, steps=tuple(_step(step, known, sizes, place) for step in plan.steps), symbols=left)


def _step(step: Step, known: Mapping[Symbol, Expr], sizes: Mapping[Basic, Expr], place: Callable[[str], str]) -> Step:
    if step.formula is None or not step.formula.free_symbols & known.keys():
        return step
    for node in postorder_traversal(step.formula):
        for scalar, divides in _scalars(node):
            _number(scalar.xreplace(sizes), known, place(step.name), divides)
    return replace(step, formula=step.formula.xreplace(dict(known)))


def _scalars(node: Basic) -> list[tuple[Expr, bool]]:
    """Return the numbers in one node, and whether it divides by them."""
    if isinstance(node, Quotient):
        return [(node.divisor, True)]
    return [(arg, False) for arg in node.args if not arg.is_Matrix] if isinstance(node, MatMul) else []


def _sizes(scenario: Scenario) -> dict[Basic, Expr]:
    return {size_symbol(name): Integer(size) for name, size in scenario.sizes.items()}
