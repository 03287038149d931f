"""Work an entry, and the numbers that its row shares, in figures: derived from the equations of an operation.

Equations have figures in place of entries: ``=`` if every figure is exact, else ``≈``. A named number has a line before
the entry if it is a sum, μ_1 = (… + …)/4 = 0.5; otherwise it is a link of the entry's own line, x/√(0.5 + ε) = x/0.71 =
… Operations that only move entries show which entry they take.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from sympy import Basic, MatAdd, MatMul, MatPow, MatrixSymbol, OneMatrix, Transpose

from symattn.base.budget import priced
from symattn.base.printed import Figure
from symattn.operations import ArgMax, Everywhere, Hadamard
from symattn.operations.equations.run import length
from symattn.operations.equations.tree import Branch, Entry, Index, NamedEquation, Over, Tree, walk
from symattn.operations.node import operation_of
from symattn.operations.stages import Stage
from symattn.operations.stored import as_number
from symattn.show.entries.equation_writer import At, is_given
from symattn.show.entries.nodes import entry, number_named
from symattn.show.math import Chain, Math, Number, Relation, Seq, Sign, counted
from symattn.show.notation.figures import figure_in_a_line, is_faint
from symattn.show.working.in_figures import Figured, FigureWriter, divisors
from symattn.show.working.lines import Work, lines, worked_line

NOTHING_SHARED: Mapping[type, str] = MappingProxyType(
    {
        MatrixSymbol: "another name for what has been shown",
        MatAdd: "every entry is a sum of its own",
        MatMul: "every entry is a sum of products of its own",
        MatPow: "every entry is a sum of products of its own",
        ArgMax: "a row has one entry only",
    }
)
"""Operations with neither equations nor row lines, and the reason."""

NOTHING_TO_WORK: Mapping[type, str] = MappingProxyType({MatrixSymbol: "another name for what has been shown"})
"""Operations with neither equations nor a worked entry, and the reason. An operation whose equations only write numbers
by cases, such as a mask, is not here: its general entry shows them all."""


@Stage
def row_work(node: Basic, work: Work, i: int) -> tuple[Chain, ...]:
    """Work what all entries of row i share: the named numbers of the equations that are sums."""
    return () if type(node) in NOTHING_SHARED else worked_row(node, work, i)


@Stage
def entry_work(node: Basic, work: Work, i: int, j: int) -> Chain | None:
    """Work entry (i, j), counted from 0, in figures; return ``None`` if there is nothing to work."""
    if type(node) in NOTHING_TO_WORK:
        return None
    return worked_entry(node, work, i, j)


def worked_row(node: Basic, work: Work, i: int) -> tuple[Chain, ...]:
    """Return the lines of a row by the equations."""
    figured = Figured(work, node)
    return tuple(line for name in figured.with_lines for line in _lines_of(figured, figured.equations[name], i))


def worked_entry(node: Basic, work: Work, i: int, j: int) -> Chain | None:
    """Return the line of an entry by the equations."""
    figured = Figured(work, node)
    result, at = figured.operation.result, figured.at_entry(i, j)
    if all(map(_is_as_it_stands, _branches(result.body))):
        return None
    body, asked = figured.settled(result.body, at)
    left, value = work.left(i, j), work.result(i, j)
    if isinstance(body, Entry) and is_given(figured.operation, body.name):
        operand, row, column = figured.source(body.name, figured.places(body, at))
        figure = work.cells(operand)[row][column]
        if body in asked:
            return worked_line(left, value, matter=[figure])  # a case has read it already
        return worked_line(left, value, (entry(operand, work.letters, counted(row), counted(column), ()), ()))
    if _is_as_it_stands(body):
        return Chain(left, (("=", figure_in_a_line(value)),))
    return _put_in(figured, body, at, left, value)


def _put_in(figured: Figured, body: Tree, at: At, left: Math, value: Figure) -> Chain:
    """Write the entry with everything substituted, then with one named number after the other as its figure."""
    shown: set[str] = set()
    sides: dict[Math, list[Figure]] = {}
    used: list[Figure] = []
    matter: list[Figure] = []
    for name in ("", *figured.equations):
        if name in figured.with_lines or (name and not figured.can_be_written(body, name, at)):
            continue
        shown.add(name)
        side, writer = FigureWriter(figured, frozenset(shown)).written(body, at)
        if not isinstance(side, Figure) and side not in sides:
            used += writer.used
            matter += writer.matter
            sides[side] = [*used]
    sides.pop(figure_in_a_line(value), None)  # the line ends with it
    return worked_line(left, value, *sides.items(), matter=matter)


def _is_as_it_stands(piece: Tree) -> bool:
    """Return True if a piece is a number that is the same for all entries: 0, −∞, a given one."""
    return not any(isinstance(each, Index | Over) for each in walk(piece))


def told_once(line: Chain) -> Chain:
    """Remove from a line a figure that follows itself, as in −x = −7 = −7, and any side equal to the left one; keep a ≈
    between them.

    >>> told_once(Chain(Number("x"), (("≈", Number("0.5")), ("=", Number("0.5"))))).links
    (('≈', Number(text='0.5')),)
    """
    links: list[tuple[Relation, Math]] = []
    for sign, side in line.links:
        if links and (text := _as_figure(side)) and text == _as_figure(links[-1][1]):
            sign = "≈" if "≈" in (sign, links[-1][0]) else sign
            links.pop()
        if side != line.left:
            links.append((sign, side))
    return line if len(links) == len(line.links) else Chain(line.left, tuple(links))


def _as_figure(side: Math) -> str:
    """Return the text of a figure, with its sign; ``""`` for any other side."""
    match side:
        case Number():
            return side.text
        case Seq(parts=(Sign("-"), Number() as figure)):
            return f"-{figure.text}"
    return ""


def _branches(piece: Tree) -> tuple[Tree, ...]:
    """Return the values of a piece, one for each case."""
    return (*_branches(piece.then), *_branches(piece.otherwise)) if isinstance(piece, Branch) else (piece,)


# -- lines of a row ----------------------------------------------------------------------------------------------


def _lines_of(figured: Figured, equation: NamedEquation, i: int) -> Iterable[Chain]:
    """Return the lines of a named number for a row; if it has two indices, one line for each column."""
    index, row = equation.index, figured.operation.result.index[:1]
    if index == row or not index:
        return _line(figured, equation, (i,)[: len(index)])
    if index[:1] != row:
        return ()  # an entry that uses it adds the lines that a column shares
    count = length(figured.operation.range_of[index[-1]], figured.sizes)
    return lines(count, lambda k: _line(figured, equation, (i, k)))


def named_work(node: Basic, work: Work, name: str, places: tuple[int, ...]) -> tuple[Chain, ...]:
    """Return the line of a named number in a node's equations."""
    figured = Figured(work, node)
    return _line(figured, figured.equations[name], places)


TRACED = 200
"""Budget steps to trace an entry through operations that only move entries."""


@priced(TRACED)
def stands_at(node: Basic, work: Work, i: int, j: int) -> tuple[Basic, int, int] | None:
    """Trace an entry through operations that only move entries; return the formula and place it comes from, or ``None``
    if that is a name or a number in its equations."""
    if isinstance(node, MatrixSymbol) or as_number(node) is not None:
        return None
    if isinstance(node, Transpose):
        return stands_at(node.arg, work, j, i)
    if isinstance(node, MatMul) and node.args[0] == -1 and len(node.args) == 2:
        return stands_at(node.args[1], work, i, j)
    if isinstance(node, Everywhere):
        return stands_at(node.argument, work, 0, 0)
    if (inside := _beside_ones(node, i, j)) is not None:
        return stands_at(inside[0], work, *inside[1:])
    if operation_of(node) is None:
        return node, i, j
    figured = Figured(work.unnoted, node)
    at = figured.at_entry(i, j)
    body, _ = figured.settled(figured.operation.result.body, at)
    if _is_as_it_stands(body):
        return None
    if isinstance(body, Entry) and is_given(figured.operation, body.name):
        inner, row, column = figured.source(body.name, figured.places(body, at))
        return stands_at(inner, work, row, column)
    return node, i, j


def _beside_ones(node: Basic, i: int, j: int) -> tuple[Basic, int, int] | None:
    """Return the entry that a product with ones repeats: 1 xᵀ, x 1ᵀ, x ⊙ 1."""
    if isinstance(node, Hadamard):
        others = [arg for arg in node.args if not isinstance(arg, OneMatrix)]
        return (others[0], i, j) if len(others) == 1 else None
    factors = list(node.args) if isinstance(node, MatMul) else []
    if factors and isinstance(factors[0], OneMatrix) and factors[0].shape[1] == 1:
        factors, i = factors[1:], 0
    if len(factors) > 1 and isinstance(factors[-1], OneMatrix) and factors[-1].shape[0] == 1:
        factors, j = factors[:-1], 0
    repeated = len(factors) == 1 and not isinstance(factors[0], OneMatrix) and factors[0].is_Matrix
    return (factors[0], i, j) if repeated else None


def _line(figured: Figured, equation: NamedEquation, places: tuple[int, ...]) -> tuple[Chain, ...]:
    figure = figured.figure(equation.name, places)
    if figure is None:
        return ()
    clearly = is_faint(figure) and equation.name in divisors(figured.operation)
    figure = (figured.figure(equation.name, places, clearly) if clearly else figure) or figure
    writer = FigureWriter(figured, clearly=clearly)
    side = writer.write(equation.body, figured.at(equation, places))
    left = number_named(figured.node, equation.name, figured.work.letters, tuple(map(counted, places)))
    return (worked_line(left, figure, (figure_in_a_line(side), writer.used), matter=writer.matter),)
