"""The program of an interactive page: a JavaScript function that recomputes a solution from other givens, in doubles.

It is the program of the listings in the spelling of ``languages/page``. Nothing in it comes from outside: names become
numbers, and texts are written as JSON. Exact numbers in formulas become the nearest doubles.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf, isinf
from typing import Any, Literal

from sympy import Basic, Expr, Integer, MatrixSymbol, Rational, Transpose

from symattn.base.errors import NoValueError, RenderError
from symattn.compute.codegen import code as pieces
from symattn.compute.codegen.code import Code
from symattn.compute.codegen.double import exact_fraction
from symattn.compute.codegen.language import read_language
from symattn.compute.codegen.loops import helper
from symattn.compute.codegen.program import ProgramWriter, derived, matrices_of, used_helpers, with_empty_rows
from symattn.compute.solution.store import Shown, Store
from symattn.compute.values.balls import at_precision, number_ball
from symattn.operations import ArgMax, Concat, Head, OneHot, Row, Rows, Stack, TopK
from symattn.operations.stages import same_as_ours
from symattn.operations.terms import size_symbol
from symattn.read.plan import Step

NoNumbers = Literal["general", "intervals", "symbols", "rounded"]
"""Why a name cannot be recomputed: it has no numbers, intervals or free symbols, or is made of printed figures."""

PRECISIONS = (128, 512, 2048)
"""Precisions, in bits, for finding the double nearest to an exact number."""


@dataclass(frozen=True)
class Left:
    """Why a name is not recomputed, and the name that is the reason: itself or one that it depends on."""

    why: NoNumbers
    of: str


@dataclass(frozen=True)
class Recomputation:
    """The parts that a page needs to recompute a solution."""

    code: str
    """An expression: a function of ``{name: rows}`` of the givens, which returns the same for every recomputed name.

    It throws nothing: undefined values are NaN."""
    names: tuple[str, ...]
    """The steps that it computes, in order."""
    left: Mapping[str, Left] = field(default_factory=dict)
    """The steps that it does not compute."""
    givens: Mapping[str, tuple[tuple[float, ...], ...]] = field(default_factory=dict)
    """The unchanged numbers of the givens: the doubles nearest to the exact ones."""
    choices: tuple[str, ...] = ()
    """The names, in order, whose entries show a choice: an argmax, a top-k, one-hot rows."""


def recomputing(solution: Store) -> Recomputation:
    """Return the program of a page for a solution.

    Raises :class:`~symattn.base.errors.RenderError` for a number that double precision cannot hold.
    """
    left: dict[str, Left] = {}
    for step in solution.derivation.steps:
        if (found := _left(solution, step, left)) is not None:
            left[step.name] = found
    steps = [step for step in solution.derivation.steps if step.name not in left]
    computed = tuple(step.name for step in steps if step.formula is not None)
    givens = {step.name: _doubles(solution, step.name) for step in steps if step.formula is None}
    of_steps = {name: each for name, each in left.items() if name not in solution.givens}
    choices: list[str] = []
    for step in steps:
        if step.formula is not None and _is_choice(step.formula, choices):
            choices.append(step.name)
    return Recomputation(_code(solution, steps, computed), computed, of_steps, givens, tuple(choices))


def data_text(value: Any) -> str:
    """Write data as JSON that is safe in a script of a page: no text ends it, and infinities are read as infinities.

    >>> data_text({"</script>": [float("-inf"), 0.5, "中"]})
    '{"\\\\u003c/script>": [-1e999, 0.5, "\\\\u4e2d"]}'
    """
    match value:
        case Mapping():
            return "{" + ", ".join(f"{data_text(str(key))}: {data_text(each)}" for key, each in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(data_text, value)) + "]"
        case float() if isinf(value):
            return "1e999" if value > 0 else "-1e999"
    return json.dumps(value).replace("<", "\\u003c")


def _left(solution: Store, step: Step, left: Mapping[str, Left]) -> Left | None:
    for operand in step.uses:
        if operand in left:
            return left[operand]
    match solution.shown(step.name):
        case Shown.GENERAL:
            return Left("general", step.name)
        case Shown.INTERVALS:
            return Left("intervals", step.name)
        case Shown.CLOSED_FORMS:
            return Left("symbols", step.name)
    return Left("rounded", step.name) if step.formula is not None and solution.style.carry == "rounded" else None


def _is_choice(node: Basic, known: Collection[str]) -> bool:
    """Return whether a formula is a choice, or rearranges the rows and columns of one."""
    match same_as_ours(node):
        case ArgMax() | TopK() | OneHot():
            return True
        case MatrixSymbol(name=name):
            return name in known
        case Transpose() | Row() | Rows() | Head() | Concat() | Stack() as moved:
            return all(_is_choice(arg, known) for arg in matrices_of(moved))
    return False


def _code(solution: Store, steps: list[Step], computed: tuple[str, ...]) -> str:
    language = read_language("page")
    if solution.style.on_empty == "zero":
        language = with_empty_rows(language)
    formulas = [step.formula for step in steps if step.formula is not None]
    functions = {operation: f"f{number}" for number, operation in enumerate(derived(language, formulas), 1)}
    variables = {step.name: f"v{number}" for number, step in enumerate(steps, 1)}
    writer = PageWriter(language, variables, functions, solution.derivation.sizes)
    lines = [
        writer.assigned(
            step.name, f"givens[{data_text(step.name)}]" if step.formula is None else writer.text(step.formula)
        )
        for step in steps
    ]
    results = ", ".join(f"{data_text(name)}: {variables[name]}" for name in computed)
    text = "\n".join([*lines, f"return {{ {results} }};"])
    known = {**language.helpers, **{name: helper(each, name, language) for each, name in functions.items()}}
    helpers = [_without_comments(each) for each in used_helpers(text, known)]
    body = "\n".join([*helpers, text])
    return f"(givens) => {{\n{language.imports(body)}\n{body}\n}}"


def _without_comments(code: str) -> str:
    return "\n".join(line for line in code.splitlines() if not line.startswith("//"))


@dataclass(frozen=True)
class PageWriter(ProgramWriter):
    """Writes formulas with sizes substituted and every exact number as the nearest double."""

    sizes: Mapping[str, int | str] = field(default_factory=dict)

    def number(self, value: Expr) -> Code:
        """Return a number as the nearest double.

        Raises :class:`~symattn.base.errors.NoValueError` for a size that is a letter.
        """
        known = {size_symbol(name): Integer(size) for name, size in self.sizes.items() if isinstance(size, int)}
        number = value.xreplace(known).doit()
        if letters := number.free_symbols:
            raise NoValueError(f"{', '.join(sorted(map(str, letters)))} is general: a program needs a number")
        text = data_text(nearest(number)).removesuffix(".0").replace("1e999", self.language.infinity)
        return pieces.negative(Code(text[1:])) if text.startswith("-") else Code(text)


# -- doubles -----------------------------------------------------------------------------------------------------


def nearest(number: Expr) -> float:
    """Return the double nearest to an exact number.

    >>> from sympy import Rational, sqrt
    >>> nearest(sqrt(2) / 2), nearest(Rational(1, 3)), nearest(sqrt(10**20 + 1) - 10**10)
    (0.7071067811865476, 0.3333333333333333, 5e-11)

    Raises :class:`~symattn.base.errors.RenderError` for one that double precision cannot hold.
    """
    if isinstance(number, Rational):
        return _double(Fraction(int(number.p), int(number.q)))
    ends: set[float] = set()
    for bits in PRECISIONS:
        with at_precision(bits):
            ball = number_ball(number)
            if not ball.is_finite():
                return inf if ball > 0 else -inf
            ends = {_double(exact_fraction(end)) for end in (ball.lower(), ball.upper())}
        if len(ends) == 1:
            break
    return max(ends)


def _double(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        raise RenderError(
            "a number is larger than 10^308: double precision, in which a page computes, ends before"
        ) from None


def _doubles(solution: Store, name: str) -> tuple[tuple[float, ...], ...]:
    given = solution.givens[name]
    return tuple(tuple(map(nearest, row)) for row in given.values)
