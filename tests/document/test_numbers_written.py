"""Every tree of numbers, whichever writer writes it, is read back from its pieces as what it is worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

import pytest
from mpmath import mp, mpf
from sympy import Abs, Expr, I, Integer, Max, Min, Rational, Symbol, cos, cosh, erf, exp, log, pi, sin, sinh, sqrt, tanh

from symattn.operations.symbols import entry_symbol
from symattn.show.math import Bars, Call, Fraction, Letter, Math, Number, Parens, Root, Script, Seq, Sign
from symattn.show.notation.arithmetic import in_figures, in_symbols, ordered, worked_out
from symattn.show.notation.formulas import Names
from symattn.show.notation.numerals import number
from symattn.show.notation.symbols import written

SIZES = {Symbol(name, positive=True, integer=True): Integer(size) for name, size in zip("nmh", (3, 5, 7), strict=True)}
SYMBOLS = dict(zip(map(entry_symbol, "abt"), (Rational(7, 5), Rational(-9, 4), Rational(11, 3)), strict=True))
FUNCTIONS: dict[str, Callable[..., mpf]] = {
    **{name: getattr(mp, name) for name in ("sin", "cos", "tanh", "erf")},
    "ln": mp.log,
    "arccos": mp.acos,
    "max": max,
    "min": min,
}
Known = Mapping[str, mpf]


def worth(math: Math, known: Known) -> mpf:
    """What a reader takes a piece for."""
    match math:
        case Number(text):
            base, _, exponent = text.removeprefix("-").partition("^")
            size = mpf(base) ** int(exponent or "1")
            return -size if text.startswith("-") else size
        case Letter(name):
            return known[name]
        case Script(base, None, sup) if sup is not None:
            assert not isinstance(base, Seq | Fraction | Root), f"the exponent of {math} belongs to a part of its base"
            return worth(base, known) ** worth(sup, known)
        case Fraction(above, below):
            return worth(above, known) / worth(below, known)
        case Root(inner):
            return mp.sqrt(worth(inner, known))
        case Parens(inner):
            return worth(inner, known)
        case Bars(inner):
            return abs(worth(inner, known))
        case Call(name, arguments):
            return FUNCTIONS[name](*(worth(each, known) for each in arguments))
        case Seq(parts):
            return total(parts, known)
    raise AssertionError(f"no reading of {math}")


def total(parts: Sequence[Math], known: Known) -> mpf:
    """A sum; two signs never follow each other."""
    found, factors, sign = mpf(0), list[Math](), 1
    for part in (*parts, Sign("+")):
        if part not in (Sign("+"), Sign("-")):
            factors.append(part)
            continue
        if factors:
            found += sign * product(factors, known)
        else:
            assert part is parts[0] == Sign("-"), f"two signs in {parts}"
        factors, sign = [], 1 if part == Sign("+") else -1
    return found


def product(parts: Sequence[Math], known: Known) -> mpf:
    """A product: ln takes all that stands behind it, and two numbers have a dot between them."""
    found = mpf(1)
    for place, part in enumerate(parts):
        if isinstance(part, Letter) and part.name in FUNCTIONS:
            rest = parts[place + 1 :]
            if part.name != "ln":
                assert isinstance(rest[0], Parens)
                assert isinstance(rest[0].inner, Seq)
                first, second = separated(rest[0].inner.parts)
                chosen = FUNCTIONS[part.name](total(first, known), total(second, known))
                return found * chosen * product(rest[1:], known)
            return found * mp.log(product(rest, known))
        if part != Sign("·"):
            begins = part.base if isinstance(part, Script) else part
            assert not (place and isinstance(begins, Number) and parts[place - 1] != Sign("·")), f"numbers in {parts}"
            found *= worth(part, known)
    return found


def separated(parts: Sequence[Math]) -> tuple[Sequence[Math], Sequence[Math]]:
    place = parts.index(Sign(","))
    return parts[:place], parts[place + 1 :]


def tree(draw: Random, leaves: Sequence[Callable[[], Expr]], functions: Sequence[Callable[[Expr], Expr]]) -> Expr:
    """A random tree of numbers."""

    def grown(depth: int) -> Expr:
        kind = draw.choice(("sum", "difference", "product", "product", "power", "call", "leaf")) if depth else "leaf"
        if kind == "leaf":
            return draw.choice(leaves)()
        x = grown(depth - 1)
        if kind == "power":
            return x ** draw.choice((2, 3, -1, -2, Rational(3, 2), Rational(1, 4), Rational(-1, 2)))
        if kind == "call":
            return draw.choice(functions)(x)
        y = grown(depth - 1)
        return x * y if kind == "product" else x - y if kind == "difference" else x + y

    return grown(3)


def rational(draw: Random) -> Expr:
    return draw.choice([Integer(draw.randint(-12, 12)), Rational(draw.randint(1, 99), draw.choice([3, 7, 100, 1000]))])


NAMES = Names()
PLAIN = (sqrt, exp, log, sin, cos, tanh, erf)
WRITERS: dict[str, tuple[Callable[[Expr], Math], Mapping[Symbol, Expr], tuple[Callable[..., Expr], ...]]] = {
    "exact numbers": (number, {}, PLAIN),
    "numbers with sizes": (number, SIZES, (sqrt,)),
    "closed forms": (written, SYMBOLS, (*PLAIN, Abs, lambda x: Max(x, 0), lambda x: Min(1, x))),
    "in letters": (lambda x: in_symbols(ordered(x), NAMES), SIZES, (sqrt,)),
    "in letters with dots": (lambda x: in_symbols(ordered(x), NAMES, dots=True), SIZES, (sqrt,)),
    "in figures": (lambda x: in_figures(ordered(x), NAMES, SIZES), SIZES, (sqrt,)),
    "worked out": (lambda x: worked_out(ordered(x), NAMES, SIZES), SIZES, (sqrt,)),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_a_random_tree_of_numbers_is_written_as_what_it_is_worth(writer: str) -> None:
    write, letters, functions = WRITERS[writer]
    draw, compared = Random(writer), 0
    leaves = [lambda: rational(draw), *((lambda: draw.choice([*letters]),) * 2 if letters else (lambda: pi,))]
    with mp.workdps(40):
        known = {"e": mp.e, "pi": mp.pi} | {str(each): mpf(value.p) / value.q for each, value in letters.items()}
        for _ in range(250):
            try:
                value = tree(draw, leaves, functions)
                exact = value.subs(letters).evalf(30)
            except (ValueError, TypeError, ZeroDivisionError):
                continue  # SymPy compares no complex numbers
            if not value.has(I, sinh, cosh) and exact.is_Float and 1e-8 < abs(exact) < 1e12:
                found = worth(write(value), known)
                assert abs(found - mpf(exact)) < 1e-12 * abs(found), f"{value}: {write(value)}"
                compared += 1
    assert compared > 100
