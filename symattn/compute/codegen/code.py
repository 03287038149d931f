"""Fragments of code: precedence, combination, and the notation of numbers."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from enum import IntEnum

from flint import fmpq
from sympy import Add, Basic, Mul, Pow, Rational, S, Symbol, acos, exp, fraction, log
from sympy.core.numbers import Exp1, Infinity, NegativeInfinity, Pi

from symattn.base.errors import RenderError
from symattn.base.printed import decimal_text
from symattn.compute.codegen.language import LARGEST_WHOLE, ProgramLanguage
from symattn.compute.values.rational import digits_of


class Binding(IntEnum):
    """The precedence of the outermost operator of a piece of code.

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
    level: Binding = Binding.ATOM

    def at(self, level: Binding) -> str:
        """Return the text for a place that needs this level or a tighter one.

        >>> Code("A + B", Binding.SUM).at(Binding.PRODUCT)
        '(A + B)'
        """
        return self.text if self.level >= level else f"({self.text})"


def negative(of: Code) -> Code:
    """−a."""
    return Code(f"-{of.at(Binding.PRODUCT)}", Binding.NEGATIVE)


def sum_code(terms: Iterable[Code], dot: str = "") -> Code:
    """a + b − c, in this order, with a dot before each sign where a language writes one."""
    first, *others = terms
    signed = (
        f" {dot}- {term.text[1:]}" if term.level is Binding.NEGATIVE else f" {dot}+ {term.at(Binding.PRODUCT)}"
        for term in others
    )
    return Code(first.text + "".join(signed), Binding.SUM)


def ratio(above: Code, below: Code) -> Code:
    """a / b."""
    return Code(f"{above.at(Binding.PRODUCT)} / {below.at(Binding.MATRIX_PRODUCT)}", Binding.PRODUCT)


def product_code(numbers: list[Code], matrices: list[Code], operator: str) -> Code:
    """c · A B: numbers in front; an inner product keeps its parentheses."""
    first, *others = matrices
    matrix = first
    if others:
        factors = [first.at(Binding.MATRIX_PRODUCT), *(factor.at(Binding.POWER) for factor in others)]
        matrix = Code(operator.join(factors), Binding.MATRIX_PRODUCT)
    if not numbers:
        return matrix
    scalars = [factor.at(Binding.PRODUCT) for factor in numbers]
    return Code(" * ".join([*scalars, matrix.at(Binding.MATRIX_PRODUCT)]), Binding.PRODUCT)


def free_name(name: str, suffix: str, taken: Container[str]) -> str:
    """Return the name, with the suffix appended as often as needed if it is taken.

    >>> free_name("max", "_", {"max", "max_"})
    'max__'
    """
    while name in taken:
        name += suffix
    return name


# -- numbers -----------------------------------------------------------------------------------------------------


def number_code(value: Basic, language: ProgramLanguage, variable: Callable[[str], str] = str) -> Code:
    """Write a number, which may contain sizes; ``variable`` returns the name of a size in the program.

    >>> from sympy import sqrt
    >>> from symattn.compute.codegen.language import read_language
    >>> values = Rational(-21, 100), Rational(1, 3), Rational(-(10**9)), sqrt(2) / 2
    >>> [number_code(x, read_language("numpy")).text for x in values]
    ['-0.21', '1/3', '-1e9', 'sqrt(2) / 2']

    Raises :class:`~symattn.base.errors.RenderError` for a number that double precision cannot hold.
    """

    def of(part: Basic) -> Code:
        return number_code(part, language, variable)

    match value:
        case Rational():
            return _rational(value, language)
        case Infinity():
            return Code(language.infinity)
        case NegativeInfinity():
            return negative(Code(language.infinity))
        case Symbol():
            return Code(variable(value.name))
        case Exp1():
            return Code("exp(1)")
        case Pi():
            return Code("pi")
        case exp() | log() | acos():
            return Code(f"{type(value).__name__}({of(value.args[0]).text})")
        case Pow():
            return _power(value.base, value.exp, language, of)
        case Mul():
            return _product(value, of)
        case Add():
            return sum_code(map(of, value.as_ordered_terms()))
    raise TypeError(f"no rule for the number {type(value).__name__}")


def _rational(value: Rational, language: ProgramLanguage) -> Code:
    if value < 0:
        return negative(_rational(-value, language))
    if max(value.p, value.q) >= LARGEST_WHOLE:
        raise RenderError("a number with more than 300 digits has no place in a program: doubles end before that")

    def whole(number: int) -> str:
        return f"{number}.0" if number >= language.largest_whole else str(number)

    decimals = digits_of(fmpq(int(value.p), int(value.q)), 60)
    if decimals is None:
        return Code(f"{whole(value.p)}/{whole(value.q)}", Binding.PRODUCT)
    written = _decimal(int(value * 10**decimals), decimals)
    return Code(whole(value.p) if written == str(value.p) else written)


def _decimal(digits: int, decimals: int) -> str:
    """Write digits · 10^−decimals, with an exponent where that is shorter to read.

    >>> _decimal(21, 2), _decimal(1, 5), _decimal(1500000000, 0), _decimal(1200, 0)
    ('0.21', '1e-5', '1.5e9', '1200')
    """
    plain = decimal_text(digits, decimals)
    significant = str(digits).rstrip("0")
    exponent = len(str(digits)) - 1 - decimals
    if len(plain) - len(significant) < 6:
        return plain
    return f"{significant[0]}{'.' if significant[1:] else ''}{significant[1:]}e{exponent}"


def _power(base: Basic, power: Basic, language: ProgramLanguage, of: Callable[[Basic], Code]) -> Code:
    if power.could_extract_minus_sign():
        return ratio(Code("1"), of(Pow(base, -power)))
    if power is S.Half:
        return Code(f"sqrt({of(base).text})")
    sign = language.spelling.signs.get("pow")
    if sign is None:
        return Code(language.spelling.numbers["pow"].format(of(base).text, of(power).text))
    return Code(f"{of(base).at(Binding.ATOM)}{sign}{of(power).at(Binding.ATOM)}", Binding.POWER)


def _product(value: Mul, of: Callable[[Basic], Code]) -> Code:
    if value.could_extract_minus_sign():
        return negative(of(-value))
    above, below = fraction(value)
    if below != 1:
        return ratio(of(above), of(below))
    if not isinstance(above, Mul):
        return of(above)
    return Code(" * ".join(of(factor).at(Binding.PRODUCT) for factor in above.args), Binding.PRODUCT)
