"""Write a program in any language: formulas by its rules, givens in its notation, and the helper functions they need.

A rule is the text of a call with placeholders: ``{X}`` and ``{Y}`` for the matrices of a node, ``{x}`` and ``{y}`` for
these in parentheses where they are not a single piece, ``{left}`` and ``{right}`` for factors, ``{all}`` for all of
them, ``{affine}`` for the first rows of all but the first, ``{rows}`` and ``{columns}`` for the shape, and the others
that :meth:`ProgramWriter.blanks` finds in a node.

An operation without a rule is a call of a helper function, which :mod:`symattn.compute.codegen.loops` makes of its
equations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import chain, count

from sympy import (
    Basic,
    Expr,
    MatAdd,
    MatMul,
    MatPow,
    MatrixExpr,
    MatrixSymbol,
    Mul,
    OneMatrix,
    Symbol,
    Transpose,
    preorder_traversal,
)

from symattn.base.errors import NoValueError
from symattn.base.shapes import whole_sizes
from symattn.compute.codegen import code as pieces
from symattn.compute.codegen.autograd import Tape
from symattn.compute.codegen.code import Binding, Code, free_name
from symattn.compute.codegen.language import ProgramLanguage
from symattn.compute.codegen.loops import helper
from symattn.compute.codegen.safe import SOFTMAX_OR_ZERO, in_doubles
from symattn.compute.solution.store import Store
from symattn.operations import (
    Concat,
    Dot,
    EntryQuotient,
    Hadamard,
    Head,
    Picked,
    Quotient,
    Repeated,
    Row,
    Rows,
    Stack,
    TopK,
)
from symattn.operations.equations.parts import form
from symattn.operations.equations.read import read_operation
from symattn.operations.equations.tree import Apply, Entry, Index, Operation
from symattn.operations.node import Applied, operation_of, parameters_of
from symattn.operations.records import RECORDS
from symattn.operations.stages import same_as_ours
from symattn.operations.terms import size_symbol
from symattn.read.given import Given
from symattn.read.plan import Step
from symattn.read.scenario.model import Differentiated


@dataclass(frozen=True)
class ProgramWriter:
    """Writes the formulas of one program."""

    language: ProgramLanguage
    variables: Mapping[str, str] = field(default_factory=dict)
    """The names that differ in the program."""
    functions: Mapping[Operation, str] = field(default_factory=dict)
    """The names of the functions derived from equations."""

    def variable(self, name: str) -> str:
        """Return a name as it is in the program."""
        return self.variables.get(name, name)

    def assigned(self, name: str, written: str) -> str:
        """Return a line that assigns a value to a name."""
        return self.language.spelling.assigned(self.variable(name), written)

    def number(self, value: Expr) -> Code:
        """Write a number, which may contain sizes."""
        return pieces.number_code(value, self.language, self.variable)

    def text(self, node: Basic) -> str:
        """Write a formula as an argument."""
        return self.code(node).text

    def code(self, node: Basic) -> Code:
        """Write a formula: as in all languages, by the rule for it, or as a call of the function of its equations.

        Raises :class:`TypeError` where there is none of these.
        """
        match ours := same_as_ours(node):
            case MatrixSymbol():
                return Code(self.variable(ours.name))
            case _ if (rows := self._literal(ours)) is not None:
                return Code(self.language.given.within(rows))
            case MatMul():
                return self._product(ours, map(self.code, matrices_of(ours)))
            case MatAdd() if not self._calls:
                is_dotted = self.language.spelling.dots and any(map(self._is_repeated, ours.args))
                return pieces.sum_code(self._sides(ours), "." if is_dotted else "")
            case Quotient() if not self._calls:
                return pieces.ratio(self.code(ours.argument), self.number(ours.divisor))
            case Transpose() if (of_columns := self._of_columns(ours.arg)) is not None:
                return of_columns
            case Dot():
                return self.code(MatMul(ours.left, Transpose(ours.right), evaluate=False))
        rule = self.rule(node)
        if rule is None:
            return self._called(node)
        text, level = rule
        return Code(text.format_map(self.blanks(ours)), Binding[level])

    @property
    def _calls(self) -> bool:
        """Whether operators between matrices are calls in this language."""
        return self.language.spelling.entries_only

    def _sides(self, node: Basic) -> Iterator[Code]:
        """Yield the operands of a node; repeated ones beside a matrix are written for the language's broadcasting."""
        matrices = matrices_of(node)
        is_beside = isinstance(node, ENTRY_BY_ENTRY) and not all(map(self._is_repeated, matrices))
        return (self._beside(arg) if is_beside and self._is_repeated(arg) else self.code(arg) for arg in matrices)

    def _is_repeated(self, node: Basic) -> bool:
        """Return whether a language broadcasts this by itself: a row, a column or a number, with a number in front."""
        inside = node.args[-1] if isinstance(node, MatMul) and len(matrices_of(node)) == 1 else node
        return isinstance(inside, Repeated) or self._single(node) is not None

    def _beside(self, node: Basic) -> Code:
        """Write a repeated operand beside a matrix, without the repetition where the language broadcasts it."""
        if (number := self._single(node.argument if isinstance(node, Repeated) else node)) is not None:
            return number
        if isinstance(node, MatMul):
            return self._product(node, map(self._beside, matrices_of(node)))
        inner = node.argument
        for rule, of in ((self.rule(inner, ":vector"), inner), (self.rule(node, ":beside"), node)):
            if rule is not None:
                return Code(rule[0].format_map(self.blanks(of)), Binding[rule[1]])
        return self.code(inner)

    def _literal(self, node: Basic) -> list[list[str]] | None:
        """Return the rows of a matrix that consists of numbers only, one by one; ``None`` for any other."""
        if (single := self._single(node)) is not None:
            return [[single.text]]
        parts = [self._literal(arg) for arg in node.args] if isinstance(node, Concat | Stack) else [None]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        if isinstance(node, Stack):
            return list(chain.from_iterable(known))
        return [list(chain.from_iterable(rows)) for rows in zip(*known, strict=True)]

    def _single(self, node: Basic) -> Code | None:
        """Write a formula of numbers only as a number, without a matrix around it: 2, exp(2), 1 / (1 + exp(−1))."""
        if getattr(node, "shape", None) != (1, 1) or isinstance(node, MatrixSymbol):
            return None
        found = [self._single(arg) for arg in matrices_of(node)]
        inside = [number for number in found if number is not None]
        if len(inside) < len(found):
            return None
        match node:
            case OneMatrix():
                return Code("1")
            case MatMul() if isinstance(node.args[-1], OneMatrix):
                return self.number(Mul(*node.args[:-1]))
            case MatMul():
                return self._product(node, inside, by_call=False) if len(inside) == 1 else None
            case MatAdd():
                return pieces.sum_code(inside)
            case Quotient():
                return pieces.ratio(inside[0], self.number(node.divisor))
            case EntryQuotient():
                return pieces.ratio(*inside)
            case Hadamard():
                return pieces.product_code(inside[:1], inside[1:], self.language.spelling.product)
        operation = operation_of(node)
        function = function_of(operation) if operation is not None and len(inside) == 1 else ""
        if function not in self.language.spelling.numbers:
            return None
        return Code(self.language.spelling.numbers[function].format(inside[0].text, a=inside[0].at(Binding.ATOM)))

    def _product(self, node: MatMul, factors: Iterable[Code], by_call: bool = True) -> Code:
        """Write c · A B: the numbers in front, a minus before all of it."""
        numbers = [arg for arg in node.args if not arg.is_Matrix]
        minus = sum(factor.could_extract_minus_sign() for factor in numbers) % 2
        sizes = [-factor if factor.could_extract_minus_sign() else factor for factor in numbers]
        scalars = [self.number(size) for size in sizes if size != 1]
        if by_call and self._calls and self._single(node) is None:
            return self._product_called(scalars, list(factors), minus == 1)
        written = pieces.product_code(scalars, list(factors), self.language.spelling.product)
        return pieces.negative(written) if minus else written

    def _product_called(self, numbers: list[Code], matrices: list[Code], minus: bool) -> Code:
        """Write c · A B as calls."""
        product, scaled = (self.language.rules[rule][0] for rule in ("MatMul", "MatMul:scaled"))
        text = reduce(lambda a, b: product.format(X=a, Y=b), (matrix.text for matrix in matrices))
        factor = Code(" * ".join(number.at(Binding.PRODUCT) for number in numbers) or "1", Binding.PRODUCT)
        number = pieces.negative(factor) if minus else factor
        return Code(scaled.format(c=number.text, X=text)) if numbers or minus else Code(text)

    def rule(self, node: Basic, kind: str = "") -> tuple[str, str] | None:
        """Return the rule for a node, or one of a ``kind`` of it: its text, and its precedence."""
        rules = self.language.rules
        rule = rules.get(type(same_as_ours(node)).__name__ + kind)
        operation = operation_of(node) if rule is None and isinstance(node, Applied) else None
        if operation is None:
            return rule
        same = (name for name in rules if name in RECORDS and form(RECORDS[name]) == form(operation))
        return next((rules[name + kind] for name in same if name + kind in rules), None)

    def _of_columns(self, node: Basic) -> Code | None:
        """Write f(Xᵀ)ᵀ, which works on columns, where the language can do so without transposing."""
        first = next(iter(matrices_of(node)), None)
        rule = self.rule(node, ":turned") if isinstance(first, Transpose) else None
        if first is None or rule is None:
            return None
        turned = node.xreplace({first: MatrixSymbol("", *first.shape)})
        operand = self.code(first.arg)
        return Code(rule[0].format_map({**self.blanks(turned), "X": operand.text, "x": operand.at(Binding.ATOM)}))

    def _called(self, node: Basic) -> Code:
        operation = operation_of(node)
        if operation is None:
            raise TypeError(f"no {self.language.name} rule for {type(node).__name__}, and no equations")
        given = [self.text(arg) if p.is_matrix else self.number(arg).text for p, arg in parameters_of(node)]
        if (function := function_of(operation)) in self.language.spelling.arrays:
            text = self.language.spelling.arrays[function]
            return Code(text.format(*given, a=self.code(node.args[-1]).at(Binding.ATOM)))
        return Code(f"{self.functions.get(operation, operation.name)}({', '.join(given)})")

    def blanks(self, node: MatrixExpr) -> dict[str, object]:
        """Return the values of a rule's placeholders; places count from 1 (``first``, ``last``) or 0 (``start``)."""
        parts = list(self._sides(node))
        found: dict[str, object] = {"all": ", ".join(part.text for part in parts)}
        for letter, side, part in zip("XY", ("left", "right"), parts, strict=False):
            found |= {letter: part.text, letter.lower(): part.at(Binding.ATOM), side: part.at(Binding.POWER)}
        found["affine"] = "".join(f", {part.at(Binding.ATOM)}[0]" for part in parts[1:])
        rows, columns = whole_sizes(node)
        found |= {"rows": rows, "columns": columns, "largest": columns - 1}
        if operation_of(node) is not None:
            found |= {each.name: self.number(arg).text for each, arg in parameters_of(node) if not each.is_matrix}
        if isinstance(node, MatPow):
            found["power"] = int(node.exp)
        if isinstance(node, TopK):
            found["count"] = node.count
        if isinstance(node, Row | Rows | Head | Picked):
            start, last = _span(node)
            found |= {"start": start, "first": start + 1, "last": last}
        if isinstance(node, Picked):
            found |= {"start_column": node.column - 1, "last_column": node.column}
        return found


ENTRY_BY_ENTRY = (MatAdd, Hadamard, EntryQuotient)
"""Operations in which languages repeat a row, a column or a number by themselves."""


def matrices_of(node: Basic) -> list[Basic]:
    """Return the matrices among a node's arguments."""
    return [arg for arg in node.args if getattr(arg, "is_Matrix", False)]


def _span(node: MatrixExpr) -> tuple[int, int]:
    """Return start and end of selected rows or columns, counted from 0, the end not included."""
    if isinstance(node, Head):
        return int(node.start), int(node.start) + whole_sizes(node)[1]
    if isinstance(node, Row | Picked):
        return node.args[1] - 1, node.args[1]
    return node.first - 1, node.last


# -- the program -------------------------------------------------------------------------------------------------


def program(
    solution: Store,
    names: Iterable[str],
    language: ProgramLanguage,
    decimals: int | None = None,
    known: Differentiated | None = None,
) -> str:
    """Return the program that computes ``names`` from the givens and prints them; no newline at its end.

    With ``decimals`` every matrix is printed under its name with that many, else by the language's own ``print``.
    Gradients in ``known`` use the language's automatic differentiation, if it can compute all of them.

    Raises :class:`~symattn.base.errors.RenderError` for a number that double precision cannot hold, and what
    :meth:`~symattn.compute.solution.store.Store.needed` raises for a name that is unknown or general.
    """
    if solution.style.on_empty == "zero":
        language = with_empty_rows(language)
    wanted = tuple(names)
    if language.has_tape and known is not None:
        tape = Tape(solution.derivation, wanted, known)
        steps = tape.steps()
        text = None if steps is None else _assembled(solution, wanted, steps, language, decimals, tape)
        if text is not None:
            return text
    text = _assembled(solution, wanted, needed_steps(solution, wanted), language, decimals, None)
    assert text is not None
    return text


def _assembled(
    solution: Store,
    wanted: Sequence[str],
    steps: Sequence[Step],
    language: ProgramLanguage,
    decimals: int | None,
    tape: Tape | None,
) -> str | None:
    """Return the program of some steps; ``None`` where one of its functions would break automatic differentiation."""
    taped = frozenset[str]() if tape is None else frozenset((*tape.known.gradients, *tape.known.weights))
    formulas = [step.formula for step in steps if step.formula is not None and step.name not in taped]
    sizes = _sizes(solution, formulas)
    functions = derived(language, formulas)
    reserved = language.reserved | set(functions.values()) | ({"optimizer"} if tape is not None else set())
    names = variables((*sizes, *(step.name for step in steps)), reserved, language.suffix)
    if tape is not None:
        names |= {name: names.get(given, given) for name, given in tape.names().items()}
    writer = ProgramWriter(language, names, functions)
    leaves = frozenset[str]() if tape is None else tape.leaves
    givens = [
        writer.assigned(
            step.name,
            language.given.of(_entries(solution.givens[step.name], writer), len(writer.assigned(step.name, "")))
            + (".requires_grad_()" if step.name in leaves else ""),
        )
        for step in steps
        if step.formula is None
    ]
    work = [writer.assigned(name, str(size)) for name, size in sizes.items()]
    made = [step for step in steps if step.formula is not None]
    if tape is None:
        work += [_assignment(step, writer) for step in made]
    else:
        givens += tape.optimizer(writer.variable)
        work += tape.lines(made, partial(_assignment, writer=writer), writer.variable)
        writer = ProgramWriter(language, {name: names[name] for name in names if name not in taped}, functions)
    body = [*givens, "\n".join(work), "\n".join(_print(name, writer, decimals) for name in wanted)]
    text = "\n\n".join(block for block in body if block)
    known = dict(language.helpers) | {name: helper(operation, name, language) for operation, name in functions.items()}
    known |= {} if decimals is None else {"print_matrix": language.print_matrix(decimals)}
    helpers = list(used_helpers(text, known))
    if tape is not None and any("torch.tensor(" in each for each in helpers):
        return None
    parts = [language.imports("\n".join([*helpers, text])), language.gap.join(helpers), text]
    if parts[0] and not helpers:
        parts = ["\n\n".join([parts[0], text])]
    return language.gap.join(part for part in parts if part)


def with_empty_rows(language: ProgramLanguage) -> ProgramLanguage:
    """Return the language with a softmax that gives a row of only −∞ weights of 0."""
    helpers = {**language.helpers, "softmax": helper(read_operation(SOFTMAX_OR_ZERO), "softmax", language)}
    return replace(language, rules={**language.rules, "Softmax": ("softmax({X})", "ATOM")}, helpers=helpers)


def needed_steps(solution: Store, names: Iterable[str]) -> list[Step]:
    """Return the steps of the names and of everything they depend on, in the order of the derivation."""
    wanted = {needed for name in names for needed in solution.needed(name)}
    return [step for step in solution.derivation.steps if step.name in wanted]


def variables(names: Iterable[str], reserved: Set[str], suffix: str) -> dict[str, str]:
    """Return new names for names that are reserved in a program; no other name there is the same."""
    wanted = set(names)
    taken, found = wanted | reserved, dict[str, str]()
    for name in sorted(wanted & reserved):
        found[name] = free_name(name, suffix, taken)
        taken.add(found[name])
    return found


def function_of(operation: Operation) -> str:
    """Return the elementary function that an operation applies to every entry and nothing else, or ``""``."""
    match in_doubles(operation).result.body:
        case Apply(function, (Entry(name, places),)) if places == tuple(map(Index, operation.result.index)):
            return function if [name] == [each.name for each in operation.parameters] else ""
    return ""


def derived(language: ProgramLanguage, formulas: Iterable[MatrixExpr]) -> dict[Operation, str]:
    """Return the operations without a rule in a language, and the names of the functions for them."""
    writer, found = ProgramWriter(language), dict[Operation, str]()
    taken = {*language.reserved, *language.helpers, *language.avoided}
    for node in (node for formula in formulas for node in preorder_traversal(formula)):
        needed = writer.rule(node) is None and not isinstance(same_as_ours(node), Quotient | Dot)
        operation = operation_of(node) if needed else None
        if operation is None or operation in found or function_of(operation) in language.spelling.arrays:
            continue
        names = chain([operation.name], (f"{operation.name}_{number}" for number in count(2)))
        name = next(name for name in names if name not in taken)
        found[operation] = name
        taken.add(name)
    return found


def used_helpers(text: str, helpers: Mapping[str, str]) -> Iterator[str]:
    """Yield the helper functions that ``text`` calls, directly or indirectly, in the table's order, printing last."""
    used: set[str] = set()
    waiting = [text]
    while waiting:
        calling = waiting.pop()
        found = {name for name in helpers if name not in used and re.search(rf"(?<![\w.]){name}\.?\(", calling)}
        used |= found
        waiting += [helpers[name] for name in found]
    return (helpers[name] for name in sorted(helpers, key="print_matrix".__eq__) if name in used)


def _assignment(step: Step, writer: ProgramWriter) -> str:
    rows, columns = step.shape.sizes
    comment = writer.language.comment.format(rows=rows, columns=columns)
    return f"{writer.assigned(step.name, writer.text(step.formula))}{comment}"


def _print(name: str, writer: ProgramWriter, decimals: int | None) -> str:
    variable, end = writer.variable(name), writer.language.spelling.end
    return f"print({variable}){end}" if decimals is None else f'print_matrix("{name}", {variable}){end}'


def _sizes(solution: Store, formulas: list[MatrixExpr]) -> dict[str, int]:
    used = {symbol for formula in formulas for symbol in formula.atoms(Symbol)}
    found: dict[str, int] = {}
    for name, size in solution.derivation.sizes.items():
        if size_symbol(name) not in used:
            continue
        if not isinstance(size, int):
            raise NoValueError(f"{name} is general: its size is the letter {size}, and a program needs a number")
        found[name] = size
    return found


def _entries(given: Given, writer: ProgramWriter) -> list[list[str]]:
    def entry(value: Expr, text: str) -> str:
        written = "".join(text.split()).replace("**", "^")
        return written if writer.language.as_written.match(written) else writer.number(value).text

    return [list(map(entry, values, texts)) for values, texts in zip(given.values, given.texts, strict=True)]
