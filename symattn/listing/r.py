"""A solution's formulas as an R program: one rule per node, one assignment per step, helper functions where needed.

>>> from symattn.derivation import Derivation
>>> from symattn.scenario.given import Given
>>> from symattn.shapes import shape
>>> plan = Derivation((), {"d_k": 2}).given("X", shape(2, 2)).step("T", "X @ X.T / sqrt(d_k)")
>>> print(program(Solution(plan, {"X": Given.read([["0.50", "-sqrt(2)/2"], ["0", "3/4"]])}), "T"))
X <- matrix(c(
  0.50, -sqrt(2)/2,
  0, 3/4
), nrow = 2, byrow = TRUE)
<BLANKLINE>
d_k <- 2
T.value <- X %*% t(X) / sqrt(d_k)
<BLANKLINE>
print(T.value)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import singledispatch
from textwrap import TextWrapper, dedent

from flint import fmpq
from sympy import (
    Add,
    Basic,
    Expr,
    Identity,
    MatAdd,
    MatMul,
    MatPow,
    MatrixExpr,
    MatrixSymbol,
    Mul,
    OneMatrix,
    Pow,
    Rational,
    S,
    Symbol,
    Transpose,
    ZeroMatrix,
    exp,
    fraction,
)
from sympy.core.numbers import Exp1, Infinity, NegativeInfinity

from symattn.derivation import Step
from symattn.errors import NoValueError, RenderError
from symattn.formula import size_symbol
from symattn.listing.r_helpers import HELPERS, LAYER_NORM_AFFINE
from symattn.operations import Broadcast, CausalMask, Dot, LayerNorm, Quotient, ReLU, Row, Softmax
from symattn.scenario.given import Given
from symattn.solution.core import Solution
from symattn.values.rational import digits_of
from symattn.values.rounding import decimal_text

LINE = 80
"""Characters of one line of a program, where numbers allow it."""

LARGEST_WHOLE = 10**300
"""Whole numbers from here on are refused: double precision ends soon after."""

_KEYWORDS = """
    if else repeat while function for next break in TRUE FALSE NULL Inf NaN NA NA_integer_ NA_real_ NA_complex_
    NA_character_ T F pi
"""

_FUNCTIONS = """
    apply broadcast c causal_mask diag exp layer_norm list matrix max nrow pmax power print Reduce relu rep rowMeans
    rowSums softmax sqrt sweep t tri upper
"""

RESERVED = frozenset((_KEYWORDS + _FUNCTIONS).split())
"""Names with a meaning in R, or in the programs written here."""


def program(solution: Solution, name: str) -> str:
    """The R program that computes ``name`` from the givens and prints it; no newline at its end.

    Raises :class:`~symattn.errors.RenderError` for a number that double precision cannot hold, and what
    :meth:`~symattn.solution.core.Solution.needed` raises for a name that is unknown or general.
    """
    steps = [solution.derivation[needed] for needed in solution.needed(name)]
    givens = [_given(step.name, solution.givens[step.name]) for step in steps if step.formula is None]
    formulas = [step.formula for step in steps if step.formula is not None]
    work = [*_sizes(solution, formulas), *(_assignment(step) for step in steps if step.formula is not None)]
    blocks = [*_helpers(formulas), *givens, "\n".join(work), f"print({variable(name)})"]
    return "\n\n".join(block for block in blocks if block)


def variable(name: str) -> str:
    """What a name is called in R: itself, unless R or the program means something else by it.

    A name never holds a dot, so the new one is nobody else's.

    >>> variable("XX_T"), variable("T"), variable("if")
    ('XX_T', 'T.value', 'if.value')
    """
    return f"{name}.value" if name in RESERVED else name


def _assignment(step: Step) -> str:
    return f"{variable(step.name)} <- {code(step.formula).text}"


def _helpers(formulas: list[MatrixExpr]) -> Iterator[str]:
    nodes = {node for formula in formulas for node in formula.atoms(*HELPERS)}
    used = {type(node) for node in nodes}
    affine = any(isinstance(node, LayerNorm) and node.gamma is not None for node in nodes)
    for kind, text in HELPERS.items():
        if kind in used:
            yield dedent(LAYER_NORM_AFFINE if kind is LayerNorm and affine else text).strip()


def _sizes(solution: Solution, formulas: list[MatrixExpr]) -> list[str]:
    used = {symbol for formula in formulas for symbol in formula.atoms(Symbol)}
    sizes = {name: size for name, size in solution.derivation.sizes.items() if size_symbol(name) in used}
    for name, size in sizes.items():
        if not isinstance(size, int):
            raise NoValueError(f"{name} is general: its size is the letter {size}, and a program needs a number")
    return [f"{variable(name)} <- {size}" for name, size in sizes.items()]


# -- givens ------------------------------------------------------------------------------------------------------

_NUMBER = r"\d{1,60}(\.\d{1,60})?"

_AS_WRITTEN = re.compile(
    rf"-?({_NUMBER}|{_NUMBER}/{_NUMBER}|({_NUMBER}\*)?sqrt\({_NUMBER}\)(/{_NUMBER})?|({_NUMBER}\*)?10\^-?\d{{1,2}})\Z",
    re.ASCII,
)
"""The numbers that R reads as they are written; anything else is written anew from its value."""


def _given(name: str, given: Given) -> str:
    rows = [
        [_entry(value, text) for value, text in zip(values, texts, strict=True)]
        for values, texts in zip(given.values, given.texts, strict=True)
    ]
    start = f"{variable(name)} <- matrix(c("
    if len(rows) == 1 and len(line := f"{start}{', '.join(rows[0])}), nrow = 1)") <= LINE:
        return line
    wrapper = TextWrapper(
        LINE - 1, initial_indent="  ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    body = ",\n".join(wrapper.fill(", ".join(row)) for row in rows)
    return f"{start}\n{body}\n), nrow = {len(rows)}, byrow = TRUE)"


def _entry(value: Expr, text: str) -> str:
    written = "".join(text.split()).replace("**", "^")
    return written if _AS_WRITTEN.match(written) else number(value).text


# -- numbers and formulas ----------------------------------------------------------------------------------------


class Level(IntEnum):
    """How tightly the outermost operator of a piece of code binds, as R reads it."""

    SUM = 0
    NEGATIVE = 1
    PRODUCT = 2
    MATRIX_PRODUCT = 3
    POWER = 4
    ATOM = 5


@dataclass(frozen=True)
class Code:
    """A piece of R."""

    text: str
    level: Level = Level.ATOM

    def at(self, level: Level) -> str:
        """The text for a place that needs this level or a tighter one.

        >>> Code("A + B", Level.SUM).at(Level.PRODUCT)
        '(A + B)'
        """
        return self.text if self.level >= level else f"({self.text})"


def _negative(of: Code) -> Code:
    return Code(f"-{of.at(Level.PRODUCT)}", Level.NEGATIVE)


def _sum(terms: Iterable[Code]) -> Code:
    first, *others = terms
    signed = (
        f" - {term.text[1:]}" if term.level is Level.NEGATIVE else f" + {term.at(Level.PRODUCT)}" for term in others
    )
    return Code(first.text + "".join(signed), Level.SUM)


def _ratio(above: Code, below: Code) -> Code:
    return Code(f"{above.at(Level.PRODUCT)} / {below.at(Level.MATRIX_PRODUCT)}", Level.PRODUCT)


@singledispatch
def number(value: Basic) -> Code:
    """A number, which may speak of sizes.

    >>> from sympy import sqrt
    >>> [number(x).text for x in (Rational(-21, 100), Rational(1, 3), Rational(-10**9), sqrt(2) / 2)]
    ['-0.21', '1/3', '-1e9', 'sqrt(2) / 2']
    """
    raise TypeError(f"no R rule for the number {type(value).__name__}")


@number.register
def _(value: Rational) -> Code:
    if value < 0:
        return _negative(number(-value))
    if max(value.p, value.q) >= LARGEST_WHOLE:
        raise RenderError("a number with more than 300 digits has no place in an R program: doubles end before that")
    decimals = digits_of(fmpq(int(value.p), int(value.q)), 60)
    if decimals is None:
        return Code(f"{value.p}/{value.q}", Level.PRODUCT)
    return Code(_decimal(int(value * 10**decimals), decimals))


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
def _(value: Infinity) -> Code:
    return Code("Inf")


@number.register
def _(value: NegativeInfinity) -> Code:
    return Code("-Inf", Level.NEGATIVE)


@number.register
def _(value: Symbol) -> Code:
    return Code(variable(value.name))


@number.register
def _(value: Exp1) -> Code:
    return Code("exp(1)")


@number.register
def _(value: exp) -> Code:
    return Code(f"exp({number(value.exp).text})")


@number.register
def _(value: Pow) -> Code:
    base, power = value.base, value.exp
    if power.could_extract_minus_sign():
        return _ratio(Code("1"), number(Pow(base, -power)))
    if power is S.Half:
        return Code(f"sqrt({number(base).text})")
    return Code(f"{number(base).at(Level.ATOM)}^{number(power).at(Level.ATOM)}", Level.POWER)


@number.register
def _(value: Mul) -> Code:
    if value.could_extract_minus_sign():
        return _negative(number(-value))
    above, below = fraction(value)
    if below != 1:
        return _ratio(number(above), number(below))
    if not isinstance(above, Mul):
        return number(above)
    return Code(" * ".join(number(factor).at(Level.PRODUCT) for factor in above.args), Level.PRODUCT)


@number.register
def _(value: Add) -> Code:
    return _sum(number(term) for term in value.as_ordered_terms())


@singledispatch
def code(node: Basic) -> Code:
    """A formula.

    >>> K, Q = MatrixSymbol("K", 3, 2), MatrixSymbol("Q", 3, 2)
    >>> code(Softmax(Quotient(MatMul(Q, Transpose(K)), Pow(Symbol("d_k"), S.Half)))).text
    'softmax(Q %*% t(K) / sqrt(d_k))'
    """
    raise TypeError(f"no R rule for {type(node).__name__}")


@code.register
def _(node: MatrixSymbol) -> Code:
    return Code(variable(node.name))


@code.register
def _(node: MatMul) -> Code:
    """c · A B: the numbers stand in front, a minus before all of it; a product inside keeps its parentheses."""
    numbers = [arg for arg in node.args if not arg.is_Matrix]
    minus = sum(factor.could_extract_minus_sign() for factor in numbers) % 2
    sizes = [-factor if factor.could_extract_minus_sign() else factor for factor in numbers]
    product = _times([number(size) for size in sizes if size != 1], [code(arg) for arg in node.args if arg.is_Matrix])
    return _negative(product) if minus else product


def _times(numbers: list[Code], matrices: list[Code]) -> Code:
    first, *others = matrices
    product = first
    if others:
        factors = [first.at(Level.MATRIX_PRODUCT), *(factor.at(Level.POWER) for factor in others)]
        product = Code(" %*% ".join(factors), Level.MATRIX_PRODUCT)
    if not numbers:
        return product
    scalars = [factor.at(Level.PRODUCT) for factor in numbers]
    return Code(" * ".join([*scalars, product.at(Level.MATRIX_PRODUCT)]), Level.PRODUCT)


@code.register
def _(node: MatAdd) -> Code:
    return _sum(code(arg) for arg in node.args)


@code.register
def _(node: MatPow) -> Code:
    return Code(f"power({code(node.base).text}, {int(node.exp)})")


@code.register
def _(node: Transpose) -> Code:
    return Code(f"t({code(node.arg).text})")


@code.register
def _(node: Quotient) -> Code:
    return _ratio(code(node.argument), number(node.divisor))


@code.register
def _(node: Softmax) -> Code:
    return Code(f"softmax({code(node.argument).text})")


@code.register
def _(node: LayerNorm) -> Code:
    affine = [code(row).text for row in (node.gamma, node.beta) if row is not None]
    return Code(f"layer_norm({', '.join([code(node.argument).text, number(node.epsilon).text, *affine])})")


@code.register
def _(node: ReLU) -> Code:
    return Code(f"relu({code(node.argument).text})")


@code.register
def _(node: CausalMask) -> Code:
    return Code(f"causal_mask({int(node.shape[0])}, {number(node.value).text})")


@code.register
def _(node: Broadcast) -> Code:
    return Code(f"broadcast({code(node.argument).text}, {int(node.shape[0])})")


@code.register
def _(node: Row) -> Code:
    return Code(f"{code(node.argument).at(Level.ATOM)}[{node.number}, , drop = FALSE]")


@code.register
def _(node: Dot) -> Code:
    return Code(f"{code(node.left).at(Level.MATRIX_PRODUCT)} %*% t({code(node.right).text})", Level.MATRIX_PRODUCT)


@code.register
def _(node: Identity) -> Code:
    return Code(f"diag({int(node.shape[0])})")


@code.register(OneMatrix)
@code.register(ZeroMatrix)
def _(node: OneMatrix) -> Code:
    rows, columns = (int(size) for size in node.shape)
    return Code(f"matrix({int(node[0, 0])}, {rows}, {columns})")
