"""Pieces of a program: how tightly they bind, how they are put together, and how numbers are written.

What the languages have in common stands here; where they differ, a :class:`Wording` says how.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from enum import IntEnum
from functools import singledispatch

from flint import fmpq
from sympy import Add, Basic, Mul, Pow, Rational, S, Symbol, acos, exp, fraction, log
from sympy.core.numbers import Exp1, Infinity, NegativeInfinity, Pi

from symattn.errors import RenderError
from symattn.values.rational import digits_of
from symattn.values.rounding import decimal_text

LARGEST_WHOLE = 10**300
"""Whole numbers from here on are refused: double precision ends soon after."""


class Level(IntEnum):
    """How tightly the outermost operator of a piece of code binds.

    R binds ``%*%`` tighter than ``*``; in Python and Julia all products share one level, from left to right, and the
    parentheses that R needs are right there too.
    """

    SUM = 0
    NEGATIVE = 1
    PRODUCT = 2
    MATRIX_PRODUCT = 3
    POWER = 4
    ATOM = 5


@dataclass(frozen=True)
class Code:
    """A piece of a program."""

    text: str
    level: Level = Level.ATOM

    def at(self, level: Level) -> str:
        """The text for a place that needs this level or a tighter one.

        >>> Code("A + B", Level.SUM).at(Level.PRODUCT)
        '(A + B)'
        """
        return self.text if self.level >= level else f"({self.text})"


def negative(of: Code) -> Code:
    """−a."""
    return Code(f"-{of.at(Level.PRODUCT)}", Level.NEGATIVE)


def total(terms: Iterable[Code]) -> Code:
    """a + b − c, in this order."""
    first, *others = terms
    signed = (
        f" - {term.text[1:]}" if term.level is Level.NEGATIVE else f" + {term.at(Level.PRODUCT)}" for term in others
    )
    return Code(first.text + "".join(signed), Level.SUM)


def ratio(above: Code, below: Code) -> Code:
    """a / b."""
    return Code(f"{above.at(Level.PRODUCT)} / {below.at(Level.MATRIX_PRODUCT)}", Level.PRODUCT)


def product(numbers: list[Code], matrices: list[Code], operator: str) -> Code:
    """c · A B: numbers in front; a product inside keeps its parentheses."""
    first, *others = matrices
    matrix = first
    if others:
        factors = [first.at(Level.MATRIX_PRODUCT), *(factor.at(Level.POWER) for factor in others)]
        matrix = Code(operator.join(factors), Level.MATRIX_PRODUCT)
    if not numbers:
        return matrix
    scalars = [factor.at(Level.PRODUCT) for factor in numbers]
    return Code(" * ".join([*scalars, matrix.at(Level.MATRIX_PRODUCT)]), Level.PRODUCT)


def free_name(name: str, suffix: str, taken: Container[str]) -> str:
    """The name, or that name with something behind it where it is taken.

    >>> free_name("max", "_", {"max", "max_"})
    'max__'
    """
    while name in taken:
        name += suffix
    return name


# -- numbers -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Wording:
    """What a language says differently from the others when it writes a number."""

    power: str
    """The operator of powers."""
    infinity: str
    variable: Callable[[str], str]
    """What the size of that name is called."""
    largest_whole: int = LARGEST_WHOLE
    """Whole numbers from here on get a decimal point, for a language that would count them as integers."""


@singledispatch
def number(value: Basic, words: Wording) -> Code:
    """A number, which may speak of sizes.

    >>> from sympy import sqrt
    >>> words = Wording("**", "inf", str)
    >>> [number(x, words).text for x in (Rational(-21, 100), Rational(1, 3), Rational(-10**9), sqrt(2) / 2)]
    ['-0.21', '1/3', '-1e9', 'sqrt(2) / 2']
    """
    raise TypeError(f"no rule for the number {type(value).__name__}")


@number.register
def _(value: Rational, words: Wording) -> Code:
    if value < 0:
        return negative(number(-value, words))
    if max(value.p, value.q) >= LARGEST_WHOLE:
        raise RenderError("a number with more than 300 digits has no place in a program: doubles end before that")
    decimals = digits_of(fmpq(int(value.p), int(value.q)), 60)
    if decimals is None:
        return Code(f"{_whole(value.p, words)}/{_whole(value.q, words)}", Level.PRODUCT)
    written = _decimal(int(value * 10**decimals), decimals)
    return Code(_whole(value.p, words) if written == str(value.p) else written)


def _whole(value: int, words: Wording) -> str:
    return f"{value}.0" if value >= words.largest_whole else str(value)


def _decimal(digits: int, decimals: int) -> str:
    """The text of digits · 10^−decimals, with an exponent where that is shorter to read.

    >>> _decimal(21, 2), _decimal(1, 5), _decimal(1500000000, 0), _decimal(1200, 0)
    ('0.21', '1e-5', '1.5e9', '1200')
    """
    plain = decimal_text(digits, decimals)
    significant = str(digits).rstrip("0")
    exponent = len(str(digits)) - 1 - decimals
    if len(plain) - len(significant) < 6:
        return plain
    return f"{significant[0]}{'.' if significant[1:] else ''}{significant[1:]}e{exponent}"


@number.register
def _(value: Infinity, words: Wording) -> Code:
    return Code(words.infinity)


@number.register
def _(value: NegativeInfinity, words: Wording) -> Code:
    return Code(f"-{words.infinity}", Level.NEGATIVE)


@number.register
def _(value: Symbol, words: Wording) -> Code:
    return Code(words.variable(value.name))


@number.register
def _(value: Exp1, words: Wording) -> Code:
    return Code("exp(1)")


@number.register
def _(value: Pi, words: Wording) -> Code:
    return Code("pi")


@number.register(exp)
@number.register(log)
@number.register(acos)
def _(value: exp, words: Wording) -> Code:
    return Code(f"{type(value).__name__}({number(value.args[0], words).text})")


@number.register
def _(value: Pow, words: Wording) -> Code:
    base, power = value.base, value.exp
    if power.could_extract_minus_sign():
        return ratio(Code("1"), number(Pow(base, -power), words))
    if power is S.Half:
        return Code(f"sqrt({number(base, words).text})")
    exponent = number(power, words).at(Level.ATOM)
    return Code(f"{number(base, words).at(Level.ATOM)}{words.power}{exponent}", Level.POWER)


@number.register
def _(value: Mul, words: Wording) -> Code:
    if value.could_extract_minus_sign():
        return negative(number(-value, words))
    above, below = fraction(value)
    if below != 1:
        return ratio(number(above, words), number(below, words))
    if not isinstance(above, Mul):
        return number(above, words)
    return Code(" * ".join(number(factor, words).at(Level.PRODUCT) for factor in above.args), Level.PRODUCT)


@number.register
def _(value: Add, words: Wording) -> Code:
    return total(number(term, words) for term in value.as_ordered_terms())
