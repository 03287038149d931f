"""What a language is for a program: a table of rules, helper functions, and how givens and assignments are laid out.

A rule is the text of a call with blanks, or a function where a text is not enough. The blanks are ``{X}`` and ``{Y}``
for the matrices of a node, ``{x}`` and ``{y}`` for the same in parentheses where they are not a single piece, ``{all}``
for all of them, ``{rows}`` and ``{columns}`` for the shape, and whatever else :func:`blanks` finds in a node.

An operation without a rule is a call of a helper function, which :mod:`symattn.codegen.helper` makes of its equations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from itertools import chain, count
from textwrap import dedent
from typing import Any

from sympy import Basic, Expr, MatAdd, MatMul, MatPow, MatrixExpr, MatrixSymbol, Symbol, Transpose, preorder_traversal

from symattn.codegen import code as pieces
from symattn.codegen.code import Code, Level, Wording, free_name
from symattn.codegen.safe import SOFTMAX_OR_ZERO, in_doubles
from symattn.codegen.spelling import Spelling
from symattn.derivation import Step
from symattn.equations.read import read_operation
from symattn.equations.same import form
from symattn.equations.tree import Call, Entry, Index, Operation
from symattn.errors import NoValueError
from symattn.operations import Dot, Head, Quotient, Row, Rows, Softmax, TopK
from symattn.operations.node import Applied, operation_of, parameters_of
from symattn.operations.records import RECORDS
from symattn.operations.stages import same_as_ours
from symattn.operations.terms import size_symbol
from symattn.scenario.given import Given
from symattn.shapes import whole_sizes
from symattn.solution.core import Solution

LINE = 80
"""Characters of one line of a program, where numbers allow it."""

Rule = Callable[["Writer", MatrixExpr], Code]

Entries = list[list[str]]
"""The entries of a given, as the language writes them."""


@dataclass(frozen=True)
class Language:
    """One language. The texts it is made of are written by people; only names and numbers are put into them."""

    name: str
    """What it is called in errors."""
    fence: str
    """What Markdown calls it."""
    comment: str
    """How a shape is noted behind an assignment, or nothing."""
    infinity: str
    """As it is written in a program, and printed."""
    largest_whole: int
    reserved: frozenset[str]
    """Names with a meaning in the language, or in the programs written here."""
    suffix: str
    """Behind a reserved name."""
    as_written: re.Pattern[str]
    """The numbers that the language reads as they are written; anything else is written anew from its value."""
    rules: Mapping[type | str, str | tuple[str, Level] | Rule]
    """What the language has a call of its own for: by the class of a node, or the name of a record without a class."""
    helpers: Mapping[str, str]
    """The functions that a program may need, by name; a program holds only those it calls."""
    spelling: Spelling
    """How equations are written, for the functions that are derived from them."""
    given: Callable[[str, Entries], str]
    head: Callable[[str], str]
    """What stands above everything else, told all the rest."""
    print_helper: str
    """The function ``print_matrix``; {decimals} stands for the number of decimals, {half} for half of the last one."""
    gap: str = "\n\n"
    """Between helper functions and what follows."""

    def words(self, variable: Callable[[str], str]) -> Wording:
        """How numbers are written where sizes are called so."""
        return Wording(self.spelling.signs["pow"], self.infinity, variable, self.largest_whole)


@dataclass(frozen=True)
class Writer:
    """Writes the formulas of one program."""

    language: Language
    variables: Mapping[str, str] = field(default_factory=dict)
    """What names are called that are called something else in the program."""
    functions: Mapping[Operation, str] = field(default_factory=dict)
    """What the functions are called that are derived from equations."""

    def variable(self, name: str) -> str:
        """What a name is called in the program."""
        return self.variables.get(name, name)

    def number(self, value: Expr) -> Code:
        """A number, which may speak of sizes."""
        return pieces.number(value, self.language.words(self.variable))

    def code(self, node: Basic) -> Code:
        """A formula: by the rule for it, or as a call of the function that its equations make.

        Raises :class:`TypeError` where there is neither.
        """
        rule, ours = self.rule(node)
        if rule is None:
            return self._called(node)
        if callable(rule):
            return rule(self, ours)
        text, level = (rule, Level.ATOM) if isinstance(rule, str) else rule
        return Code(text.format_map(blanks(self, ours)), level)

    def rule(self, node: Basic) -> tuple[str | tuple[str, Level] | Rule | None, Any]:
        """The rule for a node, and the node of ours that it is the same as; ``None`` for one that has no rule."""
        ours, rules = same_as_ours(node), self.language.rules
        rule = rules.get(type(ours)) or COMMON.get(type(ours))
        operation = operation_of(node) if rule is None and isinstance(node, Applied) else None
        if operation is not None:
            same = (name for name in rules if isinstance(name, str) and form(RECORDS[name]) == form(operation))
            rule = next((rules[name] for name in same), None)
        return rule, ours if rule is not None else node

    def _called(self, node: Basic) -> Code:
        operation = operation_of(node)
        if operation is None:
            raise TypeError(f"no {self.language.name} rule for {type(node).__name__}, and no equations")
        given = [self.text(arg) if p.is_matrix else self.number(arg).text for p, arg in parameters_of(node)]
        if (function := function_of(operation)) in self.language.spelling.arrays:
            return Code(
                self.language.spelling.arrays[function].format(*given, a=self.code(node.args[-1]).at(Level.ATOM))
            )
        return Code(f"{self.functions.get(operation, operation.name)}({', '.join(given)})")

    def text(self, node: Basic) -> str:
        """A formula as an argument."""
        return self.code(node).text


def blanks(writer: Writer, node: MatrixExpr) -> dict[str, object]:
    """What the blanks of a rule stand for; places are counted from 1 (``first``, ``last``) and from 0 (``start``)."""
    parts = [writer.code(arg) for arg in node.args if arg.is_Matrix]
    found: dict[str, object] = {"all": ", ".join(part.text for part in parts)}
    for letter, part in zip("XY", parts, strict=False):
        found |= {letter: part.text, letter.lower(): part.at(Level.ATOM)}
    found |= {"rows": whole_sizes(node)[0], "columns": whole_sizes(node)[1], "largest": whole_sizes(node)[1] - 1}
    if operation_of(node) is not None:
        found |= {each.name: writer.number(arg).text for each, arg in parameters_of(node) if not each.is_matrix}
    if isinstance(node, MatPow):
        found["power"] = int(node.exp)
    if isinstance(node, TopK):
        found["count"] = node.count
    if isinstance(node, Row | Rows | Head):
        start, last = _span(node)
        found |= {"start": start, "first": start + 1, "last": last}
    return found


def _span(node: MatrixExpr) -> tuple[int, int]:
    """Where rows or columns that are taken out start and end, counted from 0, the end not included."""
    if isinstance(node, Head):
        return int(node.start), int(node.start) + whole_sizes(node)[1]
    return (node.number - 1, node.number) if isinstance(node, Row) else (node.first - 1, node.last)


# -- what all languages write alike ------------------------------------------------------------------------------


def _symbol(writer: Writer, node: MatrixSymbol) -> Code:
    return Code(writer.variable(node.name))


def _product(writer: Writer, node: MatMul) -> Code:
    """c · A B: the numbers stand in front, a minus before all of it."""
    numbers = [arg for arg in node.args if not arg.is_Matrix]
    minus = sum(factor.could_extract_minus_sign() for factor in numbers) % 2
    sizes = [-factor if factor.could_extract_minus_sign() else factor for factor in numbers]
    scalars = [writer.number(size) for size in sizes if size != 1]
    written = pieces.product(
        scalars, [writer.code(arg) for arg in node.args if arg.is_Matrix], writer.language.spelling.product
    )
    return pieces.negative(written) if minus else written


def _sum(writer: Writer, node: MatAdd) -> Code:
    return pieces.total(writer.code(arg) for arg in node.args)


def _quotient(writer: Writer, node: Quotient) -> Code:
    return pieces.ratio(writer.code(node.argument), writer.number(node.divisor))


def _dot(writer: Writer, node: Dot) -> Code:
    return writer.code(MatMul(node.left, Transpose(node.right), evaluate=False))


COMMON: dict[type, Rule] = {
    MatrixSymbol: _symbol,
    MatMul: _product,
    MatAdd: _sum,
    Quotient: _quotient,
    Dot: _dot,
}
"""Rules for all languages; a language may have its own."""


# -- the program -------------------------------------------------------------------------------------------------


def program(solution: Solution, names: Iterable[str], language: Language, decimals: int | None = None) -> str:
    """The program that computes ``names`` from the givens and prints them; no newline at its end.

    With ``decimals`` every matrix is printed under its name with that many, else by the language's own ``print``.

    Raises :class:`~symattn.errors.RenderError` for a number that double precision cannot hold, and what
    :meth:`~symattn.solution.core.Solution.needed` raises for a name that is unknown or general.
    """
    if solution.style.on_empty == "zero":
        language = with_empty_rows(language)
    wanted = tuple(names)
    steps = needed_steps(solution, wanted)
    formulas = [step.formula for step in steps if step.formula is not None]
    sizes = _sizes(solution, formulas)
    functions = derived(language, formulas)
    names = variables(
        (*sizes, *(step.name for step in steps)), language.reserved | set(functions.values()), language.suffix
    )
    writer = Writer(language, names, functions)
    givens = [
        language.given(writer.variable(step.name), _entries(solution.givens[step.name], writer))
        for step in steps
        if step.formula is None
    ]
    work = [f"{writer.variable(name)}{language.spelling.assign}{size}" for name, size in sizes.items()]
    work += [_assignment(step, writer) for step in steps if step.formula is not None]
    body = [*givens, "\n".join(work), "\n".join(_print(name, writer, decimals) for name in wanted)]
    text = "\n\n".join(block for block in body if block)
    helpers = list(used_helpers(text, {**language.helpers, **_made(functions, language)}))
    if decimals is not None:
        helpers.append(_print_helper(language, decimals))
    parts = [language.head("\n".join([*helpers, text])), language.gap.join(helpers), text]
    if parts[0] and not helpers:
        parts = ["\n\n".join([parts[0], text])]
    return language.gap.join(part for part in parts if part)


def with_empty_rows(language: Language) -> Language:
    """The language with a softmax that gives a row of nothing but −∞ weights of 0."""
    helpers = {**language.helpers, **_made({read_operation(SOFTMAX_OR_ZERO): "softmax"}, language)}
    return replace(language, rules={**language.rules, Softmax: "softmax({X})"}, helpers=helpers)


def needed_steps(solution: Solution, names: Iterable[str]) -> list[Step]:
    """The names and everything they rest on, in the order of the derivation."""
    wanted = {needed for name in names for needed in solution.needed(name)}
    return [step for step in solution.derivation.steps if step.name in wanted]


def variables(names: Iterable[str], reserved: Set[str], suffix: str) -> dict[str, str]:
    """What names are called in a program that mean something else there; the new name is nobody else's."""
    wanted = set(names)
    taken, found = wanted | reserved, dict[str, str]()
    for name in sorted(wanted & reserved):
        found[name] = free_name(name, suffix, taken)
        taken.add(found[name])
    return found


def function_of(operation: Operation) -> str:
    """The elementary function that an operation takes of every entry, and does nothing else."""
    match in_doubles(operation).result.body:
        case Call(function, (Entry(name, places),)) if places == tuple(map(Index, operation.result.index)):
            return function if [name] == [each.name for each in operation.parameters] else ""
    return ""


def derived(language: Language, formulas: Iterable[MatrixExpr]) -> dict[Operation, str]:
    """The operations that have no rule in a language, and what the functions for them are called."""
    writer, found = Writer(language), dict[Operation, str]()
    taken = {*language.reserved, *language.helpers, *language.spelling.avoided}
    for node in (node for formula in formulas for node in preorder_traversal(formula)):
        operation = operation_of(node) if writer.rule(node)[0] is None else None
        if operation is None or operation in found or function_of(operation) in language.spelling.arrays:
            continue
        names = chain([operation.name], (f"{operation.name}_{number}" for number in count(2)))
        name = next(name for name in names if name not in taken)
        found[operation] = name
        taken.add(name)
    return found


def used_helpers(text: str, helpers: Mapping[str, str]) -> Iterator[str]:
    """The helper functions that ``text`` calls, and those that they call, in the order of the table."""
    used: set[str] = set()
    waiting = [text]
    while waiting:
        calling = waiting.pop()
        found = {name for name in helpers if name not in used and re.search(rf"(?<![\w.]){name}\.?\(", calling)}
        used |= found
        waiting += [helpers[name] for name in found]
    return (dedent(helper).strip() for name, helper in helpers.items() if name in used)


def _made(functions: Mapping[Operation, str], language: Language) -> dict[str, str]:
    if not functions:
        return {}
    from symattn.codegen.helper import helper  # most programs need none

    return {name: helper(operation, name, language) for operation, name in functions.items()}


def _assignment(step: Step, writer: Writer) -> str:
    rows, columns = step.shape.sizes
    comment = writer.language.comment.format(rows=rows, columns=columns)
    return f"{writer.variable(step.name)}{writer.language.spelling.assign}{writer.text(step.formula)}{comment}"


def _print(name: str, writer: Writer, decimals: int | None) -> str:
    variable = writer.variable(name)
    return f"print({variable})" if decimals is None else f'print_matrix("{name}", {variable})'


def _print_helper(language: Language, decimals: int) -> str:
    text = dedent(language.print_helper).strip()
    return text.replace("{decimals}", str(decimals)).replace("{half}", f"5e-{decimals + 1}")


def _sizes(solution: Solution, formulas: list[MatrixExpr]) -> dict[str, int]:
    used = {symbol for formula in formulas for symbol in formula.atoms(Symbol)}
    found: dict[str, int] = {}
    for name, size in solution.derivation.sizes.items():
        if size_symbol(name) not in used:
            continue
        if not isinstance(size, int):
            raise NoValueError(f"{name} is general: its size is the letter {size}, and a program needs a number")
        found[name] = size
    return found


def _entries(given: Given, writer: Writer) -> Entries:
    return [
        [_entry(value, text, writer) for value, text in zip(values, texts, strict=True)]
        for values, texts in zip(given.values, given.texts, strict=True)
    ]


def _entry(value: Expr, text: str, writer: Writer) -> str:
    written = "".join(text.split()).replace("**", "^")
    return written if writer.language.as_written.match(written) else writer.number(value).text
