"""Every worked line, read back from the page, is true: ``=`` exactly, ``≈`` to the printed digits."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from itertools import pairwise

import pytest
from mpmath import mp, mpf

from symattn.api import derive
from symattn.document.blocks import Equation
from symattn.document.build import build
from symattn.document.math import Chain, Fraction, Grid, Letter, Math, Number, Parens, Root, Script, Seq, Sign, Sum


class NotNumeric(Exception):
    """The side holds letters and says nothing about figures."""


def value(math: Math) -> mpf:
    """The number that a piece of mathematics stands for, worked out by none of the project's own code."""
    match math:
        case Number("-oo"):
            return mp.ninf
        case Number(text):
            body = text.replace("10^", "1e") if "*" not in text else text.replace("*10^", "e")
            return mpf(body)
        case Parens(inner):
            return value(inner)
        case Fraction(top, bottom):
            return value(top) / value(bottom)
        case Root(inner):
            return mp.sqrt(value(inner))
        case Script(Letter("e"), None, sup) if sup is not None:
            return mp.exp(value(sup))
        case Letter("e"):
            return mp.e
        case Script(base, None, sup) if sup is not None:
            return value(base) ** value(sup)
        case Seq((Letter("max"), Parens(Seq((a, Sign(","), b))))):
            return max(value(a), value(b))
        case Seq(parts):
            return _sum(parts)
    raise NotNumeric


def _sum(parts: tuple[Math, ...]) -> mpf:
    total, product, sign = mpf(0), None, 1
    for part in parts:
        match part:
            case Sign("+" | "-" as mark):
                total += sign * product if product is not None else 0
                product, sign = None, 1 if mark == "+" else -1
            case Sign("·"):
                pass
            case Sign(_):
                raise NotNumeric
            case _:
                product = value(part) if product is None else product * value(part)
    return total + sign * (product if product is not None else 0)


def chains(math: object) -> list[Chain]:
    if isinstance(math, Chain):
        return [math]
    if isinstance(math, tuple):
        return [chain for part in math for chain in chains(part)]
    if is_dataclass(math):
        return [chain for field in fields(math) for chain in chains(getattr(math, field.name))]
    return []


CARRIED = [(name, carry) for name in ("weather", "refund", "good") for carry in ("exact", "rounded")]


# A mask of −∞ leaves no figures to carry on with.
@pytest.mark.parametrize(("name", "carry"), [*CARRIED, ("ironman", "exact"), ("journey", "exact")])
def test_both_sides_of_every_worked_line_agree(name: str, carry: str) -> None:
    solution = derive(name, carry=carry, digits=6)  # type: ignore[arg-type]
    document = build(solution.scenario, solution, detail="entries", language="en")
    checked = 0
    with mp.workdps(40):
        for block in document.blocks:
            if isinstance(block, Equation) and block.kind in ("working", "formula"):
                for chain in chains(block.chains):
                    checked += _check(chain)
    assert checked > 50


def _check(chain: Chain) -> int:
    numeric = []
    for relation, side in chain.links:
        try:
            numeric.append((relation, value(side)))
        except NotNumeric:
            numeric.append((relation, None))
    count = 0
    for (_, before), (relation, after) in pairwise(numeric):
        if before is None or after is None:
            continue
        count += 1
        scale = max(1, abs(before))
        if relation == "=":
            # What is infinite has no distance from itself.
            assert before == after or abs(before - after) < mpf(10) ** -30 * scale, chain
        else:
            # An exponential of a rounded score is off by the rounding times itself.
            assert before == after or abs(before - after) < mpf("3e-5") * scale, chain
    return count


def test_the_check_can_fail() -> None:
    wrong = Chain(Letter("x"), (("=", Seq((Number("1"), Sign("+"), Number("2")))), ("=", Number("4"))))
    with mp.workdps(40), pytest.raises(AssertionError):
        _check(wrong)


def test_closed_forms_have_the_printed_value() -> None:
    solution = derive("refund")
    document = build(solution.scenario, solution, language="en")
    checked = 0
    for block in document.blocks:
        if not (isinstance(block, Equation) and block.kind == "closed_form"):
            continue
        for chain in block.chains:
            (relation, side) = chain.links[0]
            assert relation == "="
            if isinstance(side, Grid):
                figures = [figure for row in _figures_of(solution, chain.left) for figure in row]
                for math, figure in zip([cell for row in side.rows for cell in row], figures, strict=True):
                    assert abs(value(math) - mpf(figure)) <= mpf("5.0000001e-7")
                    checked += 1
    assert checked > 40


def _figures_of(solution: object, symbol: Math) -> tuple[tuple[str, ...], ...]:
    from symattn.document.build import scenario_names

    names = scenario_names(solution.scenario)  # type: ignore[attr-defined]
    (name,) = [name for name in solution if names(name) == symbol]  # type: ignore[attr-defined]
    return tuple(tuple(figure.text for figure in row) for row in solution.figures(name))  # type: ignore[attr-defined]


def test_sums_are_letters_not_figures() -> None:
    with pytest.raises(NotNumeric):
        value(Sum(Letter("k"), Number("1"), Number("3"), Letter("x")))
