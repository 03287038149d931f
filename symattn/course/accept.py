"""Turn a draft into a plain exercise, with its key and the answers of mistakes, if its numbers are good.

Each reason to reject numbers has a name, under which it is counted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil

from flint import arb, arb_mat, fmpq
from sympy import MatrixExpr, preorder_traversal

from symattn.base.errors import DomainError, NoValueError, UndecidedError
from symattn.base.printed import Printed, number_of, same
from symattn.claims.by_hand import BITS
from symattn.claims.causes import changes
from symattn.claims.judge import all_agree
from symattn.claims.mistakes.model import bank
from symattn.claims.worked import Ask, Worked, read_exercise
from symattn.compute.solution.store import Store
from symattn.compute.values.balls import at_precision
from symattn.compute.values.rational import to_fmpq
from symattn.course.model import Exercise, Part, Wrong
from symattn.course.topics.model import ExerciseDraft, mistakes, topics
from symattn.operations import LayerNorm, Log, Quotient, RMSNorm, Softmax
from symattn.operations.node import Applied
from symattn.read.plan import Step

LARGEST_SCORE = 5
"""Scores further from 0, or from each other, give weights that are 0 to the printed digits."""

LEAST_OF_LOGARITHM = arb("0.04")
"""Rounding a smaller probability to three decimals moves its logarithm by more than ten units of the third one."""

RATIONAL_ROOTS = 2
"""The last difficulty at which the root of a width is rational."""

SUMS_TO_ONE = 3
"""The last difficulty at which the printed weights of a row sum to 1; beyond it the sheet says where they do not."""

KINKED = ("relu_grad_X", "relu_vjp_X")
"""Gradients that are discontinuous where their matrix is 0."""

ACCIDENT = "right by accident: {}"
"""The reason to reject numbers for which a mistake gives the right answer."""


def filled(
    head: Exercise,
    draft: ExerciseDraft,
    asks: Sequence[Ask],
    level: int,
    waived: Collection[str] | None = (),
    mistakes: bool = True,
) -> Exercise | str:
    """Return the exercise whose source is in ``head``, with parts and answers of mistakes, or why its numbers are not
    good.

    ``level`` is how strict the test is; reasons in ``waived`` do not count, and with ``None`` none does. Without
    ``mistakes``, the answers of mistakes are not computed.
    """
    right = read_exercise(head.source)
    if waived is not None:
        reason = next((reason for reason in reasons(right, asks, level) if reason not in waived), "")
        if reason:
            return reason
    key = {ask.name: right.figures(ask) for ask in asks}
    allowed = None if waived is None else [one.name for one in bank() if ACCIDENT.format(one.name) in waived]
    answers, accidents = wrongs(right, asks, key, about(head), allowed) if mistakes else ((), ())
    if allowed is not None and accidents and accidents[-1] not in allowed:
        return ACCIDENT.format(accidents[-1])
    parts = tuple(part(ask, key[ask.name]) for ask in asks)
    return replace(head, parts=parts, wrong=answers, cost=draft.cost)


def what_is_wrong(right: Worked, asks: Sequence[Ask], level: int) -> tuple[str, ...]:
    """Return every reason to reject some numbers, so that others need not be better than these."""
    key = {ask.name: right.figures(ask) for ask in asks}
    _, accidents = wrongs(right, asks, key, allowed=None)
    return (*reasons(right, asks, level), *map(ACCIDENT.format, accidents))


def part(ask: Ask, key: Printed) -> Part:
    """Return the part that asks for every cell of one name.

    >>> part(Ask("a"), (("1", "2", "1"),)).needs
    2
    """
    cells = tuple((i, j) for i, row in enumerate(key) for j in range(len(row)))
    distinct = len({text for row in key for text in row})
    needs = max(min(distinct, 2), ceil(distinct / 2))
    return Part(ask.name, ask.kind, ask.decimals, key, cells, needs)


# -- what mistakes make of it ------------------------------------------------------------------------------------------


def about(exercise: Exercise) -> str:
    """Return the topic whose mistakes belong to an exercise; "" for one about a scenario, which may have any."""
    name = exercise.of or exercise.topic
    return name if any(topic.name == name for topic in topics()) else ""


def wrongs(
    right: Worked,
    asks: Sequence[Ask],
    key: Mapping[str, Printed],
    topic: str = "",
    allowed: Collection[str] | None = (),
) -> tuple[tuple[Wrong, ...], tuple[str, ...]]:
    """Return the answers of all mistakes, and the mistakes that give the right answer by accident.

    It stops at the first of these that is not ``allowed``; with ``None``, all are. Mistakes that are impossible with
    these numbers, such as shares of a row that sums to 0, are left out.
    """
    found: list[Wrong] = []
    accidents: list[str] = []
    values = right.right_values(asks)
    mistakes()  # raises if one belongs to an unknown topic
    for mistake, change in changes(right, asks, topic):
        figures = _figures(right.made(change), asks, key)
        if change.touched.isdisjoint(figures):
            continue  # the values it changes are not asked, or cannot be computed
        made = [ask for ask in asks if ask.name in figures]
        if all(_counts_as_right(figures[ask.name], key[ask.name], values.get(ask.name), ask.decimals) for ask in made):
            if change.change.rounded_to is None and not mistake.subtle:
                accidents.append(mistake.name)
                if allowed is not None and mistake.name not in allowed:
                    break
            continue
        found.append(Wrong(mistake.name, change.change.step, figures))
    return tuple(found), tuple(accidents)


def _figures(made: Worked, asks: Sequence[Ask], key: Mapping[str, Printed]) -> dict[str, Printed]:
    """Return the figures of a mistake for each requested name; nothing if it is impossible."""
    try:
        return {
            ask.name: made.figures(ask) if ask.name in made.touched else key[ask.name]
            for ask in asks
            if made.has(ask.name)
        }
    except (DomainError, NoValueError, UndecidedError, ZeroDivisionError):
        return {}


def _counts_as_right(rows: Printed, key: Printed, value: arb_mat | None, decimals: int) -> bool:
    """Return whether figures would be marked right."""
    if same(rows, key):
        return True
    if value is None:
        return False
    with at_precision(BITS):
        return all_agree(value, rows, decimals)


# -- reasons -----------------------------------------------------------------------------------------------------------


def reasons(right: Worked, asks: Sequence[Ask], level: int) -> Iterator[str]:
    """Yield every reason why the numbers are not good, the cheapest to find out first."""
    if any(ask.kind != "matrix" for ask in asks):
        return
    solution = right.solution
    softmaxes = tuple(_softmaxes(solution))
    if not all(_is_small(solution, node) for node in softmaxes):
        yield "large scores"
    if level <= RATIONAL_ROOTS and not all(_divides_rationally(solution, step.name) for step in _steps(solution)):
        yield "irrational root"
    if level == 1 and not all(solution.rational(solution.part(node)) is not None for node in softmaxes):
        yield "irrational weights"
    if not all(_spreads(solution, step.name) for step in _steps(solution)):
        yield "a row without spread"
    weights = [right.figures(ask) for ask in asks if isinstance(solution.derivation[ask.name].formula, Softmax)]
    if any(map(_ties, weights)):
        yield "weights that print alike"
    if level <= SUMS_TO_ONE and not all(sum(map(Fraction, row)) == 1 for rows in weights for row in rows):
        yield "rounded weights that do not sum to 1"
    if any(_on_a_kink(solution, step.name) for step in _steps(solution)):
        yield "a ReLU at exactly zero"
    if not all(_is_large_enough(solution, step.name) for step in _steps(solution)):
        yield "a small number under a logarithm"
    if any(_on_a_tie(solution, ask) for ask in asks):
        yield "a figure on a rounding tie"


def _steps(solution: Store) -> Iterator[Step]:
    return (step for step in solution.derivation.steps if step.formula is not None)


def _softmaxes(solution: Store) -> Iterator[Softmax]:
    """Yield every softmax of the derivation, with the sizes substituted."""
    for step in _steps(solution):
        yield from (node for node in preorder_traversal(solution.formula(step.name)) if isinstance(node, Softmax))


def _is_small(solution: Store, node: Softmax) -> bool:
    """Return whether the finite scores are near 0 and near each other."""
    for row in solution.enclosure(solution.part(node.argument), BITS).tolist():
        finite = [x for x in row if x.is_finite()]
        if not all(abs(x) <= LARGEST_SCORE and all(abs(x - y) <= LARGEST_SCORE for y in finite) for x in finite):
            return False
    return True


def _divides_rationally(solution: Store, name: str) -> bool:
    formula: MatrixExpr = solution.formula(name)
    return all(
        to_fmpq(node.divisor.doit()) is not None for node in preorder_traversal(formula) if isinstance(node, Quotient)
    )


def _is_large_enough(solution: Store, name: str) -> bool:
    """Return whether rounding the argument of each logarithm changes the logarithm little."""
    nodes = (node for node in preorder_traversal(solution.formula(name)) if isinstance(node, Log))
    found = (x for node in nodes for x in solution.enclosure(solution.part(node.argument), BITS).entries())
    return all(x > LEAST_OF_LOGARITHM for x in found)


def _spreads(solution: Store, name: str) -> bool:
    """Return whether every norm has a divisor apart from ε: no row of equal numbers, or of zeros for an RMS norm."""
    for node in preorder_traversal(solution.formula(name)):
        if isinstance(node, LayerNorm | RMSNorm):
            for row in solution.enclosure(solution.part(node.argument), BITS).tolist():
                usual = row[0] if isinstance(node, LayerNorm) else arb(0)
                if all(x.overlaps(usual) for x in row):
                    return False
    return True


def _on_a_kink(solution: Store, name: str) -> bool:
    """Return whether a gradient is asked for where a ReLU has none: it differs to the left and the right of 0."""
    for node in preorder_traversal(solution.formula(name)):
        if isinstance(node, Applied) and node.operation.name in KINKED:
            known = solution.enclosure(solution.part(node.args[1]), BITS)
            if any(x.contains(0) for x in known.entries()):
                return True
    return False


def _ties(rows: Printed) -> bool:
    """Return whether two weights of a row print alike, apart from zeros."""
    shown = [[text for text in row if number_of(text) != 0] for row in rows]
    return any(len(set(map(number_of, row))) < len(row) for row in shown)


def _on_a_tie(solution: Store, ask: Ask) -> bool:
    """Return whether a figure lies exactly between two roundings, so that people round it differently."""
    known = solution.rational(ask.name)
    entries: Sequence[fmpq | arb] = [] if known is None else known.entries()
    scaled = (x * 10**ask.decimals for x in entries)
    return any((x + fmpq(1, 2)).q == 1 for x in scaled)
