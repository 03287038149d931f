"""Lines of arithmetic: what a pocket calculator works out, with the signs that mathematics has for it."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from tests.checking.lines.hand import Hand
from tests.checking.lines.page import claim
from tests.checking.lines.terms import (
    ATOM,
    PRODUCT,
    SUBSCRIPTS,
    SUM,
    AwkwardError,
    Term,
    Value,
    added,
    bracketed,
    decimals_of,
    figure,
    minus,
    multiplied,
    negative,
    number,
    over,
    plus,
    power,
    root_of,
    times,
)

Line = Callable[[Hand], str]
"""Writes a page in which what is claimed is marked."""

INDICES = "iikkrejn"
"""Names of an index; some of them mean other things elsewhere."""


def signs(hand: Hand) -> str:
    """``+0.5 + 0.2 = +0.7``, ``-3 - (-5) = 2``."""
    values = hand.some(hand.choose(2, 3), -9, 9, hand.choose(0, 1, 1))
    if hand.random.random() < 0.4:
        texts = [f"{'-' if value < 0 else '+'}{figure(abs(value))}" for value in values]
        body = " ".join(f"{text[0]} {text[1:]}" if place else text for place, text in enumerate(texts))
        total = sum(values, Fraction())
        name = hand.choose("", "a = ", "x = ", "e = ", "k = ")
        return hand.page(f"{name}{body} {hand.result(total, before='+' if total > 0 else '')}")
    term = number(values[0])
    for value in values[1:]:
        term = hand.choose(plus, minus)(term, number(value))
    return hand.page(hand.equation(negative(bracketed(term)) if hand.random.random() < 0.3 else term))


def brackets(hand: Hand) -> str:
    """``(2 + 3) · (4 - 1) = 15``, nested twice at most."""
    return hand.page(hand.equation(_tree(hand, hand.choose(2, 2, 3)), hand.choose(None, None, 3)))


def _tree(hand: Hand, depth: int) -> Term:
    if depth == 0 or (depth == 1 and hand.random.random() < 0.4):
        return number(hand.choose(hand.whole(-9, 9), hand.whole(1, 9), hand.decimal(0.1, 5)))
    combine = hand.choose(plus, minus, times, times, over)
    return combine(_tree(hand, depth - 1), _tree(hand, depth - 1))


def _quotient(hand: Hand, value: Fraction) -> str:
    if value.denominator == 1:
        return str(value)
    top, sign = abs(value.numerator), "-" if value < 0 else ""
    return sign + hand.by(rf"\frac{{{top}}}{{{value.denominator}}}", *[f"{top}/{value.denominator}"] * 2)


def fractions(hand: Hand) -> str:
    """``\\frac{1}{2} + \\frac{1}{3} = \\frac{5}{6}``."""
    one, other = (over(number(hand.whole(1, 9)), number(hand.whole(2, 9))) for _ in range(2))
    term = hand.choose(plus, minus, times)(one, other)
    if hand.random.random() < 0.3:
        term = plus(term, over(number(hand.whole(1, 5)), number(hand.whole(2, 6))))
    value = Fraction(term.value)
    shown = f"{hand.write(term)} = {claim(_quotient(hand, value))}"
    return hand.page(f"{shown} {hand.result(value, 3)}" if hand.random.random() < 0.3 else shown)


def powers(hand: Hand) -> str:
    """``2^5 = 32``, ``(-3)^2 = 9``, ``2^{-3} = 0.125``."""
    base = number(hand.choose(hand.whole(2, 9), hand.whole(-5, -2), hand.decimal(0.1, 2)))
    term = power(base, hand.choose(2, 2, 3, 4, -1, -2))
    if hand.random.random() < 0.3:
        term = hand.choose(plus, minus)(term, power(number(hand.whole(2, 5)), 2))
    if term.level > SUM and base.value > 0 and hand.random.random() < 0.2:
        term = negative(term)
    return hand.page(hand.equation(term))


def roots(hand: Hand) -> str:
    """``\\sqrt{16} = 4``, ``\\sqrt[3]{27} = 3``, ``√(9 + 16) = 5``."""
    degree = hand.choose(2, 2, 3, 3, 4)
    root = hand.whole(2, 9 if degree < 4 else 4)
    inner = number(root**degree)
    value: Value = root
    if degree == 2 and hand.random.random() < 0.6:
        inner = hand.choose(
            number(hand.whole(2, 60)), plus(power(number(hand.whole(2, 9)), 2), number(hand.whole(2, 9)))
        )
        value = root_of(Fraction(inner.value))
    head = {2: r"\sqrt", 3: r"\sqrt[3]", 4: r"\sqrt[4]"}[degree]
    sign = {2: "√", 3: "∛", 4: "∜"}[degree]
    plain = inner.plain if inner.level == ATOM else f"({inner.plain})"
    code = f"{hand.choose('math.sqrt', 'np.sqrt', 'sqrt')}({inner.code})"
    if degree > 2:
        code = f"np.cbrt({inner.code})" if degree == 3 else f"{inner.code} ** (1/4)"
    term = Term(f"{head}{{{inner.tex}}}", f"{sign}{plain}", code, value)
    return hand.page(hand.equation(times(number(hand.whole(2, 5)), term) if hand.random.random() < 0.2 else term))


def logarithms(hand: Hand) -> str:
    """``\\log_2 8 = 3``, ``\\log_{10}(1000) = 3``, ``\\ln 5 ≈ 1.609``."""
    base = hand.choose(2, 2, 10, 3, 0, 0)
    if base == 0:
        inner = number(hand.choose(hand.whole(2, 20), hand.decimal(0.2, 0.9, 2)))
        tex = hand.choose(rf"\ln {inner.tex}", rf"\ln({inner.tex})")
        term = Term(tex, f"ln({inner.plain})", f"{hand.choose('np', 'math')}.log({inner.code})", math.log(inner.value))
        if hand.random.random() < 0.3:
            term = negative(term)
        return hand.page(hand.equation(term))
    exponent = hand.whole(1, 4)
    is_exact = hand.random.random() < 0.7
    inner = number(Fraction(base) ** exponent.numerator if is_exact else hand.whole(2, 30))
    value = exponent if is_exact else math.log(inner.value) / math.log(base)
    below = f"_{base}" if base < 10 and hand.random.random() < 0.5 else f"_{{{base}}}"
    tex = hand.choose(rf"\log{below} {inner.tex}", rf"\log{below}({inner.tex})")
    code = {2: f"np.log2({inner.code})", 10: f"np.log10({inner.code})"}.get(base, f"math.log({inner.code}, {base})")
    plain = hand.choose(f"log{base}({inner.plain})", f"log{str(base).translate(SUBSCRIPTS)}({inner.plain})")
    return hand.page(hand.equation(Term(tex, plain, code, value)))


def exponentials(hand: Hand) -> str:
    """``\\exp(1.2) ≈ 3.320``, ``e^{-0.5} = 0.607``."""

    def one() -> Term:
        inner = number(hand.choose(hand.decimal(-2, 3), hand.whole(1, 3)))
        tex = hand.choose(rf"\exp({inner.tex})", f"e^{{{inner.tex}}}")
        plain = hand.choose(f"exp({inner.plain})", f"e^{inner.plain}")
        return Term(tex, plain, f"{hand.choose('np.exp', 'math.exp')}({inner.code})", math.exp(inner.value))

    return hand.page(hand.equation(plus(one(), one()) if hand.random.random() < 0.3 else one(), hand.choose(3, 4)))


def binomials(hand: Hand) -> str:
    """``\\binom{4}{2} = 6``."""
    n = hand.random.randint(3, 9)
    k = hand.random.randint(1, n - 1)
    tex = hand.choose(r"\binom", r"\dbinom") + f"{{{n}}}{{{k}}}"
    term = Term(tex, f"C({n}, {k})", f"math.comb({n}, {k})", Fraction(math.comb(n, k)))
    return hand.page(hand.equation(times(number(hand.whole(2, 4)), term) if hand.random.random() < 0.2 else term))


def factorials(hand: Hand) -> str:
    """``5! = 120``, ``\\frac{5!}{2! \\cdot 3!} = 10``."""

    def one(n: int) -> Term:
        return Term(f"{n}!", f"{n}!", f"math.factorial({n})", Fraction(math.factorial(n)))

    n = hand.random.randint(3, 7)
    k = hand.random.randint(2, n - 1)
    quotient = over(one(n), times(one(k), one(n - k)))
    return hand.page(hand.equation(hand.choose(one(n), one(n), quotient, plus(one(n), one(k)))))


def _summed(hand: Hand, index: str) -> tuple[Term, Callable[[int], Term]]:
    name = Term(index, index, index, Fraction(1))
    factor, one = number(hand.whole(2, 5)), number(Fraction(1))
    return hand.choose(
        (name, lambda n: number(Fraction(n))),
        (name, lambda n: number(Fraction(n))),
        (power(name, 2), lambda n: power(number(Fraction(n)), 2)),
        (times(factor, name), lambda n: times(factor, number(Fraction(n)))),
        (
            bracketed(plus(name, one)),
            lambda n: bracketed(plus(number(Fraction(n)), one)),
        ),
    )


def _over_range(hand: Hand, sign: str, call: str, combine: Callable[[list[Term]], Term]) -> str:
    index = hand.choose(*INDICES)
    first = hand.choose(1, 1, 1, 0, 2)
    last = first + hand.random.randint(2, 4)
    shape, at = _summed(hand, index)
    long = combine([at(n) for n in range(first, last + 1)])
    if long.value == 0:
        raise AwkwardError("a product with 0")
    tex = rf"\{sign}_{{{index}={first}}}^{hand.choose(f'{{{last}}}', str(last))} {shape.tex}"
    plain = f"{'Σ' if sign == 'sum' else '∏'}_{{{index}={first}}}^{last} {shape.plain}"
    code = f"{call}({shape.code} for {index} in range({first}, {last + 1}))"
    if shape.code == index:
        code = f"{call}(range({first}, {last + 1}))"
    term = Term(tex, plain, code, long.value, PRODUCT)
    middle = f"= {hand.write(long)} " if hand.random.random() < 0.35 else ""
    return hand.page(f"{hand.write(term)} {middle}{hand.result(term.value)}")


def sums(hand: Hand) -> str:
    """``\\sum_{i=1}^{4} i = 10``, with the terms between or without."""
    return _over_range(hand, "sum", "sum", added)


def products(hand: Hand) -> str:
    """``\\prod_{k=1}^{4} k = 24``."""
    return _over_range(hand, "prod", "math.prod", multiplied)


def listed_sums(hand: Hand) -> str:
    """``x = [1, 2, 4]``, ``\\sum_i x_i = 7``, ``np.prod([1, 2, 4]) = 8``."""
    values = hand.some(hand.choose(3, 4), -4, 9, hand.choose(0, 0, 1))
    name, index = hand.choose(*"xvz"), hand.choose(*INDICES)
    is_sum = hand.random.random() < 0.7
    value = sum(values, Fraction()) if is_sum else math.prod(values)
    sign, call = ("sum", "sum") if is_sum else ("prod", "prod")
    tex = rf"\{sign}_{{{index}}} {name}_{{{index}}}"
    plain = f"{'Σ' if is_sum else '∏'}_{index} {name}_{index}"
    given = f"{name} = {hand.listed(values)}"
    return hand.page(given, f"{hand.by(tex, plain, f'np.{call}({name})')} {hand.result(value)}")


def plus_minus(hand: Hand) -> str:
    """``5 \\pm 1 = 4, 6``: two readings, both claimed."""
    middle, by = (
        hand.choose(hand.whole(2, 12), hand.decimal(0.5, 5)),
        hand.choose(hand.whole(1, 5), hand.decimal(0.1, 2)),
    )
    both = [middle - by, middle + by]
    hand.random.shuffle(both)
    low, high = (claim(figure(each)) for each in both)
    between = hand.by(hand.choose(", ", r" \text{ or } ", r"\ \text{and}\ "), hand.choose(", ", " or "), " or ")
    return hand.page(f"{figure(middle)} {hand.by(chr(92) + 'pm', '±', '±')} {figure(by)} = {low}{between}{high}")


def absolutes(hand: Hand) -> str:
    """``|-3| + |2| = 5``, ``\\left|2 - 7\\right| = 5``."""

    def one() -> Term:
        inner = hand.choose(number(hand.decimal(-9, -0.1)), minus(number(hand.whole(1, 9)), number(hand.whole(1, 9))))
        left, right = hand.choose(("|", "|"), (r"\left|", r"\right|"), (r"\lvert ", r" \rvert"))
        value = abs(Fraction(inner.value))
        return Term(f"{left}{inner.tex}{right}", f"|{inner.plain}|", f"abs({inner.code})", value)

    return hand.page(
        hand.equation(hand.choose(plus, minus, times)(one(), one()) if hand.random.random() < 0.5 else one())
    )


def percentages(hand: Hand) -> str:
    """``25\\% \\cdot 80 = 20``, ``3/8 = 37.5\\%``, ``0.35 = 35\\%``."""
    sign = hand.by(r"\%", hand.choose("%", " %"), "%")
    if hand.random.random() < 0.5:
        share, whole = hand.whole(1, 19) * 5, hand.whole(1, 30) * 10
        product = hand.by(r"\cdot", "·", "*")
        return hand.page(f"{figure(share)}{sign} {product} {figure(whole)} {hand.result(share * whole / 100)}")
    term = hand.choose(over(number(hand.whole(1, 7)), number(Fraction(8))), number(hand.decimal(0.01, 0.99, 2)))
    value = Fraction(term.value) * 100
    return hand.page(f"{hand.write(term)} = {claim(figure(value, decimals_of(value)) + sign)}")


def scientific(hand: Hand) -> str:
    """``1.5 \\times 10^{3} = 1500``, ``2e-3 * 4 = 0.008``."""

    def one() -> tuple[str, Fraction]:
        digits, exponent = hand.decimal(1, 9.9), hand.random.choice([-3, -2, 2, 3, 4])
        text = figure(digits)
        plain = f"{text} · 10^{exponent}"
        return hand.by(rf"{text} \times 10^{{{exponent}}}", plain, f"{text}e{exponent}"), digits * Fraction(
            10
        ) ** exponent

    body, value = one()
    if hand.random.random() < 0.4:
        factor = hand.whole(2, 9)
        body, value = f"{body} {hand.by(chr(92) + 'cdot', '·', '*')} {figure(factor)}", value * factor
    return hand.page(f"{body} {hand.result(value)}")


def decimal_commas(hand: Hand) -> str:
    """``0{,}5 + 0{,}2 = 0{,}7``, in a document whose figures have a comma; never as code, where it ends an item."""
    if hand.frame == "code":
        hand = Hand(hand.random, "plain")
    values = [hand.decimal(0.01, 9, 2) for _ in range(2)]
    term = hand.choose(plus, minus, times)(*map(number, values))
    comma = hand.by(hand.choose(",", "{,}"), ",", ",")
    body = hand.equation(term).replace(".", comma)
    others = ", ".join(hand.inside(figure(each).replace(".", comma)) for each in values)
    return f"Die Gewichte sind {others} und {hand.inside(f'0{comma}25')}.\n\n{hand.page(body)}"


def chains(hand: Hand) -> str:
    """``\\frac{2 + 3}{8} = \\frac{5}{8} = 0.625``, ``2 \\cdot 3 + 4 = 6 + 4 = 10``, ``= 1/3 ≈ 0.333``."""
    if hand.random.random() < 0.5:
        one, other, below = (number(hand.whole(1, 9)) for _ in range(3))
        if below.value == 1:
            raise AwkwardError("a quotient by 1")
        term, short = over(plus(one, other), below), over(number(one.value + other.value), below)
        return hand.page(f"{hand.write(term)} = {hand.write(short)} {hand.result(term.value)}")
    factors = [number(hand.whole(2, 9)) for _ in range(4)]
    long = plus(times(*factors[:2]), times(*factors[2:]))
    short = plus(number(factors[0].value * factors[1].value), number(factors[2].value * factors[3].value))
    return hand.page(f"{hand.write(long)} = {hand.write(short)} {hand.result(long.value)}")


ARITHMETIC: dict[str, Line] = {
    "signs": signs,
    "parentheses": brackets,
    "fractions": fractions,
    "powers": powers,
    "roots": roots,
    "logarithms": logarithms,
    "exponentials": exponentials,
    "binomials": binomials,
    "factorials": factorials,
    "sums with limits": sums,
    "products with limits": products,
    "sums of lists": listed_sums,
    "plus-minus": plus_minus,
    "absolute values": absolutes,
    "percentages": percentages,
    "scientific notation": scientific,
    "decimal commas": decimal_commas,
    "chains": chains,
}
"""The lines of arithmetic by class."""
