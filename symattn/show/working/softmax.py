"""Compute the exponentials of a row and their sum, as its shares need them.

If they would be too long for a reader, or so small that their decimals show little of them, the row's largest score is
subtracted from every score first: this divides numerator and denominator by the same power of e.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from math import exp, inf, log
from sys import float_info

from flint import arb
from sympy import Basic, Expr, MatrixExpr, S

from symattn import operations as ops
from symattn.base.errors import NoValueError
from symattn.base.printed import Figure
from symattn.base.shapes import whole_sizes
from symattn.compute.solution.figures import PLAIN_DIGITS
from symattn.compute.solution.on_the_way import numbers
from symattn.compute.solution.proofs import equal_entries
from symattn.compute.values.balls import at_precision
from symattn.compute.values.certify import precisions
from symattn.operations import numbers_listed
from symattn.show.blocks import Phrase
from symattn.show.entries.letters import all_scores, scores_of
from symattn.show.entries.nodes import entry
from symattn.show.math import EULER, Call, Chain, Letter, Math, Number, Relation, Script, Sign, Sum, seq
from symattn.show.notation import logarithms
from symattn.show.notation.figures import (
    Logarithm,
    Written,
    behind,
    exact_ball,
    figure_in_a_line,
    guarded,
    long_sum,
    relation,
    shortened,
)
from symattn.show.notation.formulas import number
from symattn.show.working.equations import entry_work, row_work, worked_entry, worked_row
from symattn.show.working.lines import Needed, Work, exact_row, lines, quotient_line, worked_line

LEAST_SUM = 0.1
"""Below this, a sum of exponentials shows fewer digits than the style has, so the largest score is subtracted."""


@dataclass(frozen=True)
class Exponentials:
    """One row: its scores, the exponents, the powers of e, their sum, and the score subtracted first, if any."""

    scores: tuple[Figure, ...]
    exponents: tuple[Figure, ...]
    powers: tuple[Figure, ...]
    total: Figure
    taken_off: Figure | None = None


def exponentials(work: Work, node: Basic, i: int) -> Exponentials:
    """Return the exponentials of one row of scores, and their sum.

    Raises :class:`~symattn.base.errors.NoValueError` if they have no figures.
    """
    argument = scores_of(node)
    assert argument is not None
    key, scores = ("exponentials", work.name, argument, i), tuple(work.cells(argument)[i])
    if any(score.text == "…" for score in scores):
        raise NoValueError(f"{work.name}: the exponentials of row {i + 1} hang on symbols")
    if key not in work.memory:
        work.memory[key] = _exponentials(work.unnoted, argument, i, scores)
    found: Exponentials = work.memory[key]
    return found


def _exponentials(work: Work, argument: MatrixExpr, i: int, scores: tuple[Figure, ...]) -> Exponentials:
    exact = logarithms.exponentials(work.solution, work.solution.part(argument), i)
    written = exact is not None and all(x is not None for x in exact)
    shifted = not (written or _are_handy(scores))
    column, ties = _largest(work, argument, i) if shifted else (0, frozenset[int]())
    exponents = _differences(work, argument, i, column, ties) if shifted else scores

    def enclosures(bits: int) -> list[arb]:
        row = _row(work, argument, i, bits)
        shift = row[column] if shifted else arb()
        powers = [(exact_ball(x) or score - shift).exp() for x, score in zip(exponents, row, strict=True)]
        return [*powers, sum(powers, arb())]

    names = [f"{work.name}, row {i + 1}: exponential {k + 1}" for k in range(len(scores))]
    names.append(f"{work.name}, row {i + 1}: the sum of the exponentials")
    figures = numbers(work.solution, enclosures, names, decimals=work.places if shifted else None)
    if exact is not None and not shifted:
        figures = tuple(x or figure for x, figure in zip(exact, figures, strict=True))
    *powers, total = figures
    return Exponentials(scores, exponents, tuple(powers), total, scores[column] if shifted else None)


def _row(work: Work, argument: MatrixExpr, i: int, bits: int) -> list[arb]:
    scores = work.solution.evaluate_ball(argument, bits)
    return [scores[i, k] for k in range(scores.ncols())]


def _are_handy(scores: tuple[Figure, ...]) -> bool:
    """Return True if the sum of the exponentials has neither too many digits before the point nor too few after it."""
    sizes = [_size(x.text) for x in scores]
    largest = max(sizes)
    if abs(largest) == inf:
        return True  # there is nothing to subtract
    total = largest + log(sum(exp(x - largest) for x in sizes))
    return log(LEAST_SUM) <= total < PLAIN_DIGITS * log(10)


def _size(text: str) -> float:
    """Return the approximate number that a figure prints."""
    if text.endswith("oo"):
        return -inf if text.startswith("-") else inf
    top, _, bottom = text.replace("*10^", "e").replace("10^", "1e").partition("/")
    return max(-float_info.max, min(float_info.max, float(top) / float(bottom or 1)))


def _largest(work: Work, argument: MatrixExpr, i: int) -> tuple[int, frozenset[int]]:
    """Return the column of a largest score, and the columns proved to be equal to it; none if that is not settled."""
    name, width = work.solution.part(argument), whole_sizes(argument)[1]
    for attempt, bits in enumerate(precisions()):
        with at_precision(bits):
            row = _row(work, argument, i, bits)
            column = max(range(width), key=partial(_middle, row))
            near = [k for k in range(width) if k != column and not row[k] < row[column]]
        if attempt == 0 and not near:
            return column, frozenset({column})
        if attempt:
            equal = [k for k in near if equal_entries(work.solution, name, i * width + column, i * width + k)]
            if len(equal) == len(near):
                return column, frozenset({column, *equal})
    return column, frozenset()


def _middle(row: list[arb], k: int) -> arb:
    return row[k].mid()


def _differences(work: Work, argument: MatrixExpr, i: int, column: int, ties: frozenset[int]) -> tuple[Figure, ...]:
    """Return every score minus the largest; −∞ stays −∞."""
    solution, scores = work.solution, work.cells(argument)[i]
    finite = [k for k, x in enumerate(scores) if not x.text.endswith("oo")]

    def enclosures(bits: int) -> list[arb]:
        row = _row(work, argument, i, bits)
        return [row[k] - row[column] for k in finite]

    def exactly(index: int) -> Expr | None:
        if finite[index] in ties:
            return S.Zero
        row = exact_row(work, argument, i) if ties else None
        return None if row is None else row[finite[index]] - row[column]

    names = [f"{work.name}, row {i + 1}: score {k + 1} less the largest" for k in finite]
    found = dict(zip(finite, numbers(solution, enclosures, names, exactly, work.places), strict=True))
    return tuple(found.get(k, x) for k, x in enumerate(scores))


def row_lines(work: Work, node: Basic, i: int) -> tuple[Chain, ...]:
    """Write the largest score if it is subtracted, every exponential, and their sum."""
    argument, found = scores_of(node), exponentials(work, node, i)
    assert argument is not None

    first = [] if found.taken_off is None else [_largest_line(work, argument, found, i)]
    bound = work.letters.bound()
    body = _power(work, argument, found, i, Letter(bound), bound)
    left: Math = Sum(Letter(bound), Number("1"), number(argument.shape[1]), body)
    if numbers_listed(argument) is not None:
        left = long_sum([_power(work, argument, found, i, Number(str(k + 1))) for k in range(len(found.scores))])
    total = worked_line(left, found.total, (long_sum([guarded(x) for x in found.powers]), found.powers))
    return (*first, *lines(len(found.scores), lambda k: _power_lines(work, node, i, k)), total)


def _power_lines(work: Work, node: Basic, i: int, k: int) -> tuple[Chain, ...]:
    argument, found = scores_of(node), exponentials(work, node, i)
    assert argument is not None
    return (_power_line(work, found, k, _power(work, argument, found, i, Number(str(k + 1)))),)


def share_line(work: Work, node: Basic, i: int, j: int) -> Chain:
    """Write a_{ij} as an exponential over the sum of all."""
    found = exponentials(work, node, i)
    work.note(Needed(node, (i, j), "power", lambda inner: _power_lines(inner, node, i, j)))
    return quotient_line(work.left(i, j), found.powers[j], found.total, work.result(i, j))


def _power(work: Work, argument: MatrixExpr, found: Exponentials, i: int, k: Math, *bound: str) -> Math:
    """Write e^{s_{ik}}, or e^{s_{ik} − m_i}."""
    score = entry(argument, work.letters, Number(str(i + 1)), k, bound)
    if found.taken_off is not None:
        score = seq(score, Sign("-"), largest_of(work, argument, Number(str(i + 1))))
    return Script(EULER, sup=score)


def _power_line(work: Work, found: Exponentials, k: int, symbol: Math) -> Chain:
    score, exponent, power = found.scores[k], found.exponents[k], found.powers[k]
    sides: list[tuple[Math, list[Figure]]] = []
    if found.taken_off is not None and _can_be_subtracted(score, found.taken_off):
        difference = seq(figure_in_a_line(score), Sign("-"), behind(found.taken_off))
        sides.append((Script(EULER, sup=difference), [score, found.taken_off]))
    sides += [(Script(EULER, sup=figure_in_a_line(exponent)), [exponent]), (figure_in_a_line(power), [power])]
    used: list[Figure] = []
    links: list[tuple[Relation, Math]] = []
    for side, figures in sides:
        used += figures
        # However a score was rounded, minus itself it is 0.
        itself = links and found.taken_off is not None and score.text == found.taken_off.text and power.text == "1"
        links.append(("=" if itself and power.exact else relation(used), side))
    # In a list of numbers, the exponential is in figures already.
    return Chain(symbol, tuple(link for link in links if link[1] != symbol))


def _can_be_subtracted(*figures: Figure) -> bool:
    """Return True if the difference of the printed figures shows that of the values: not with ∞ or a rounded power."""
    return all(not x.text.endswith("oo") and (x.exact or "^" not in x.text) for x in figures)


def largest_of(work: Work, argument: MatrixExpr, i: Math) -> Math:
    """Write m_i, with a letter that no other scores in the step use for their largest."""
    scores = [] if work.whole is None else all_scores(work.whole)
    place = scores.index(argument) if argument in scores else len(scores)
    letter = work.letters.names.letters.letter("shift", place)
    return letter if argument.shape[0] == 1 else Script(letter, sub=i)


def _largest_line(work: Work, argument: MatrixExpr, found: Exponentials, i: int) -> Chain:
    assert found.taken_off is not None
    largest = Call("max", shortened([figure_in_a_line(x) for x in found.scores]))
    return worked_line(largest_of(work, argument, Number(str(i + 1))), found.taken_off, (largest, found.scores))


def said_of_rows(work: Work, nodes: Iterable[tuple[Basic, int]]) -> list[Phrase]:
    """Explain why the largest score may be subtracted, if it is in one of these rows."""
    for node, i in nodes:
        argument = scores_of(node)
        if argument is not None and exponentials(work, node, i).taken_off is not None:
            largest = largest_of(work, argument, work.letters.indices[0])
            power = Script(EULER, sup=largest)
            return [Phrase("largest_taken_off", (("largest", largest), ("power", power)), "line")]
    return []


def _sees_no_key(node: Basic, work: Work, i: int) -> bool:
    """Return True if every score of a row is −∞: then there is no sum to divide by, and the weights are 0."""
    return isinstance(node, ops.Softmax) and all(score.text == "-oo" for score in work.cells(node.argument)[i])


def _has_exponentials(node: Basic, work: Work, i: int) -> bool:
    """Return True if a row's shares are worked with exponentials: for a softmax always, for others if theirs are too
    large or too small."""
    if isinstance(node, ops.Softmax):
        return True
    return scores_of(node) is not None and exponentials(work, node, i).taken_off is not None


@row_work.register(ops.Softmax)
@row_work.register(ops.Proportions)
def _(node: Basic, work: Work, i: int) -> tuple[Chain, ...]:
    if _sees_no_key(node, work, i):
        return ()
    return row_lines(work, node, i) if _has_exponentials(node, work, i) else worked_row(node, work, i)


@entry_work.register(ops.Softmax)
@entry_work.register(ops.Proportions)
def _(node: Basic, work: Work, i: int, j: int) -> Chain | None:
    if _sees_no_key(node, work, i):
        return Chain(work.left(i, j), (("=", Number("0")),))
    return share_line(work, node, i, j) if _has_exponentials(node, work, i) else worked_entry(node, work, i, j)


@entry_work.register
def _(node: ops.Exp, work: Work, i: int, j: int) -> Chain | None:
    operand, result = work.cells(node.argument)[i][j], work.result(i, j)
    power = Script(EULER, sup=figure_in_a_line(operand))
    # e^{ln 2} is 2, whatever else is in the matrix.
    powers = logarithms.exponentials(work.solution, work.solution.part(node.argument), i)
    exact = powers[j] if powers and isinstance(operand, Logarithm) else None
    if exact is None:
        return worked_line(work.left(i, j), result, (power, [operand]))
    last = ((relation([result]), figure_in_a_line(result)),) if isinstance(exact, Written) else ()
    return Chain(work.left(i, j), ((relation([operand]), power), ("=", figure_in_a_line(exact)), *last))
