"""Every tree of numbers, whichever writer writes it, is read back from its pieces as what it is worth."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random

import pytest
from mpmath import mp, mpf
from sympy import Abs, Expr, I, Integer, Max, Min, Rational, Symbol, cos, cosh, erf, exp, log, pi, sin, sinh, sqrt, tanh

from symattn.api.worked import WorkedSolution, derive
from symattn.base.errors import NoValueError
from symattn.operations.symbols import entry_symbol
from symattn.read.scenario.load import loads
from symattn.show.math import Bars, Call, Fraction, Letter, Math, Number, Parens, Root, Script, Seq, Sign
from symattn.show.notation.arithmetic import in_figures, in_symbols, ordered, worked_out
from symattn.show.notation.formulas import Names
from symattn.show.notation.numerals import number
from symattn.show.notation.symbols import symbolic_value
from symattn.write.tex_math import tex
from tests.document.lessons import lesson

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
                inner, comma = rest[0].inner.parts, rest[0].inner.parts.index(Sign(","))
                chosen = FUNCTIONS[part.name](total(inner[:comma], known), total(inner[comma + 1 :], known))
                return found * chosen * product(rest[1:], known)
            return found * mp.log(product(rest, known))
        if part != Sign("·"):
            begins = part.base if isinstance(part, Script) else part
            assert not (place and isinstance(begins, Number) and parts[place - 1] != Sign("·")), f"numbers in {parts}"
            found *= worth(part, known)
    return found


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
    "closed forms": (symbolic_value, SYMBOLS, (*PLAIN, Abs, lambda x: Max(x, 0), lambda x: Min(1, x))),
    "in letters": (lambda x: in_symbols(ordered(x), NAMES), SIZES, (sqrt,)),
    "in letters with dots": (lambda x: in_symbols(ordered(x), NAMES, dots=True), SIZES, (sqrt,)),
    "in figures": (lambda x: in_figures(ordered(x), NAMES, SIZES), SIZES, (sqrt,)),
    "worked out": (lambda x: worked_out(ordered(x), NAMES, SIZES), SIZES, (sqrt,)),
}


@pytest.mark.long
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


# -- free symbols: how closed forms are written, what stands in the matrix, what is said -------------------------------


A, B, T = map(entry_symbol, "abt")

LESSON = lesson(
    "Q = X @ W | S = X @ X.T / t | C = softmax(S) | R = relu(X) | Y = row(X, 2)",
    "X = a, 1; 0, 2 | W = 1, 0; b, 1/2",
    'tokens = ["the", "cat"]\nsymbols = ["a", "b", "t"]',
)


@pytest.mark.parametrize(("value", "expected"), [
    (A + 1, "a + 1"),
    (1 - A, "1 - a"),
    (-A - 1, "-a - 1"),
    (A**2 + 2 * A * B + B**2, "a^2 + 2ab + b^2"),
    ((A + B) / 2, r"\frac{a + b}{2}"),
    (Rational(21, 100) * A + 1, "0.21a + 1"),
    (-A / 2, r"-\frac{a}{2}"),
    (sqrt(2) * T, r"\sqrt{2}t"),
    (A * (B + 1) / (T * (A - B)), r"\frac{a(b + 1)}{t(a - b)}"),
    (exp(A / T) / (exp(A / T) + exp(B / T)), r"\frac{e^{a/t}}{e^{a/t} + e^{b/t}}"),
    (sqrt(A**2 + 1), r"\sqrt{a^2 + 1}"),
    (1 / sqrt(A**2 + 1), r"\frac{1}{\sqrt{a^2 + 1}}"),
    ((A + 1) ** Rational(1, 3), "(a + 1)^{1/3}"),
    (A ** Rational(-2, 3), r"\frac{1}{a^{2/3}}"),
    (A ** Rational(3, 2), r"(\sqrt{a})^3"),
    (A**-2, r"\frac{1}{a^2}"),
    (Abs(A - 1), r"\lvert a - 1\rvert"),
    (Max(0, A, evaluate=False), r"\mathrm{max}(0,a)"),
    (Min(1, 2 * A, evaluate=False), r"\mathrm{min}(1,2a)"),
    (log(A) * A, r"a\,\mathrm{ln}(a)"),
    (2 * (A + 1), "2a + 2"),
])  # fmt: skip
def test_closed_forms_are_written_as_on_paper(value: Expr, expected: str) -> None:
    assert tex(symbolic_value(value)).replace(" ,", ",").replace(", ", ",") == expected


def solved(text: str = LESSON) -> WorkedSolution:
    return derive(loads(text, path="letters.toml"))


def test_what_was_put_in_is_said_and_every_entry_is_a_decimal() -> None:
    page = solved().substitute(a="1/2", b="0.30", t=2).render("markdown")
    assert "These numbers have been substituted: $a = 1/2$, $b = 0.30$ and $t = 2$." in page
    assert "stand for any real" not in page
    assert not re.search(r"& [abt]\b", page)


def test_every_entry_is_worked_where_the_detail_or_a_form_asks_for_it() -> None:
    shown = LESSON.replace('"Y = row', '{ show = "Q", form = "entries" }, "Y = row')
    counts = [
        solved(text).render(detail=detail).count("q_{21}")
        for text, detail in ((LESSON, "entries"), (shown, "entries"), (shown, "result"))
    ]
    assert counts == [1, 2, 1]


LONG = lesson(
    "S = X @ X.T / t | C = softmax(S) | Z = C @ X | U = softmax(Z @ Z.T) | V = U @ Z",
    "X = a, b, c; b + 1, c*a, a - b; 2*a, 1, 3*c",
    'symbols = ["a", "b", "c", "t"]',
)


@pytest.mark.parametrize("formula", ["2 * softmax(q)", "softmax(q @ W) * [1, 2]"])
def test_a_softmax_of_letters_inside_a_formula_has_a_page(formula: str) -> None:
    solution = derive(loads(lesson(f"w = {formula}", "q = a, 1 | W = 1, 2; 0, 1", 'symbols = ["a"]')))
    assert all("a" in solution.render(detail=detail) for detail in ("lesson", "steps", "entries"))


def test_what_is_too_long_for_the_matrix_is_listed_or_said_to_be_too_long() -> None:
    solution = solved(LONG)
    page = solution.render("latex", language="en")
    for sentence in ("Too long for their place in the matrix", "are too long to be written out"):
        assert sentence in page
    assert r"C_{12} &= \frac{e^{(abc + ab + ac - bc + a)/t}}{" in page
    assert "實在太長" in solution.render(language="zh-Hant")


def test_programs_refuse_symbols_and_take_the_numbers_put_in() -> None:
    text = LESSON + '[code]\nof = ["C"]\n'
    with pytest.raises(NoValueError, match="free symbols"):
        solved(text).render("markdown", code=("numpy",))
    assert "```python" in solved(text).substitute(a=1, b=2, t=3).render("markdown", code=("numpy",))


def test_the_example_in_the_documentation_is_as_it_says() -> None:
    text = (Path(__file__).parents[2] / "docs" / "scenarios.md").read_text(encoding="utf-8")
    (example,) = (block.split("```")[0] for block in text.split("```toml\n") if 'symbols = ["a", "t"]' in block[:80])
    solution = solved(example)
    assert solution["Q"].exact.tolist() == [[A, Rational(1, 2)], [0, 1]]
    assert solution.assumptions == ("t ≠ 0",)
    assert solution.substitute(a="1/2", t=2)["Z"].decimals(3) == (("0.234", "1.531"), ("0.189", "1.622"))
