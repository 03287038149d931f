"""Choose which entry of a step is worked by default: the one that teaches most, in the row that the lesson follows.

A factor of 0 or 1 teaches nothing: 0.975559·1 + 0.017868·1 shows less than 0.077·0.145 + 0.054·0.198.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from flint import fmpq
from sympy import Basic, MatAdd, MatMul, MatrixSymbol, Transpose

from symattn import operations as ops
from symattn.base.printed import Figure
from symattn.compute.solution.proofs import known_signs
from symattn.compute.solution.store import Store
from symattn.operations.stages import same_as_ours
from symattn.show.notation.calls import is_of_columns
from symattn.show.notation.figures import RowsOfFigures
from symattn.show.window import Window, places
from symattn.show.working.lines import Work
from symattn.show.working.masked import masked_entries

ENOUGH = 4
"""The score from which an entry in the row that is followed is good enough: two terms that teach."""

LOOKED_AT = 256
"""The most entries of a large matrix that are compared."""

SMALL = ops.Proportions | ops.GELU | ops.GELUTanh | ops.SiLU | ops.Tanh | ops.Log | ops.RMSNorm | ops.OneHot | ops.Keep
"""Operations with entries that are 0, or print as 0, where others in the matrix teach more."""


def chosen_entries(solution: Store, work: Work, node: Basic, window: Window) -> list[tuple[int, int]]:
    """Return the entries to work, counted from 0, among those that a page shows: one, or one on either side of 0 for a
    ReLU or ELU."""
    if isinstance(node, ops.ReLU | ops.ELU):
        return _kept_and_cut(solution, node, followed_row(solution, work.name, work.letters.names.labels))
    if isinstance(node, ops.Sinusoidal | ops.Rotary):
        # A pair of columns belongs together; at position 0 there is no rotation.
        row = next((i for i in range(solution.rows(work.name)) if node.angle(i, 0) != 0), 0)
        return [(row, 0), (row, 1)]
    if isinstance(node, ops.TopK):
        return _taken_and_left(solution.figures(work.name)[0])
    score = _score(solution, replace(work, settles=False), node)
    return [
        _best(
            _shown_places(solution, work.name, window),
            score,
            followed_row(solution, work.name, work.letters.names.labels),
        )
    ]


def followed_row(solution: Store, name: str, labels: Mapping[str, Sequence[str]]) -> int | None:
    """Return the row, counted from 0, that a lesson follows from its words to the result: the one that a step takes
    out, otherwise the last token; ``None`` for rows that are no tokens."""
    axis = solution.shape(name).rows
    if not axis.name or axis.name not in labels or solution.rows(name) < 2:
        return None
    for step in solution.derivation.steps:
        node = None if step.formula is None or step.general else same_as_ours(solution.formula(step.name))
        if not (isinstance(node, ops.Row) and isinstance(node.argument, MatrixSymbol)):
            continue
        if solution.shape(str(node.argument.name)).rows == axis:
            return int(node.number) - 1
    return solution.rows(name) - 1


def only_moves(node: Basic | None) -> bool:
    """Return True if a formula only rearranges whole matrices that are known: side by side, transposed, renamed."""
    ours = same_as_ours(node)
    return isinstance(ours, MatrixSymbol) or (
        isinstance(ours, ops.Concat | ops.Stack | Transpose) and all(only_moves(arg) for arg in ours.args)
    )


def moves_nothing(node: Basic) -> bool:
    """Return True if entry (i, j) is entry (i, j) of another matrix, so that the general entry is enough."""
    node = same_as_ours(node)
    if isinstance(node, Transpose) and isinstance(node.arg, ops.Rows) and isinstance(node.arg.argument, Transpose):
        return node.arg.first == 1 and isinstance(node.arg.argument.arg, MatrixSymbol)
    first = node.start == 0 if isinstance(node, ops.Head) else isinstance(node, ops.Rows) and node.first == 1
    return bool(first) and isinstance(node.argument, MatrixSymbol)


def _shown_places(solution: Store, name: str, window: Window) -> list[tuple[int, int]]:
    rows, columns = places(solution.rows(name), window.rows), places(solution.columns(name), window.columns)
    return [(i, j) for i in rows for j in columns if i is not None and j is not None][:LOOKED_AT]


def _best(shown: Iterable[tuple[int, int]], score: Callable[[int, int], int], row: int | None) -> tuple[int, int]:
    """Return the place with the highest score: the first one, or one in the row that is followed if it has enough."""
    scores = {(i, j): score(i, j) for i, j in shown}
    highest = max(scores.values())
    in_row = {place: value for place, value in scores.items() if place[0] == row}
    if in_row and max(in_row.values()) >= min(ENOUGH, highest):
        return max(in_row, key=in_row.__getitem__)
    return max(scores, key=scores.__getitem__)


def _score(solution: Store, work: Work, node: Basic) -> Callable[[int, int], int]:
    """Return a function that counts what an entry teaches: terms whose factors are not 0 or 1, visible weights."""
    node = same_as_ours(node)
    match node:
        case MatMul() if len([arg for arg in node.args if arg.is_Matrix]) == 2:
            left, right = (work.cells(arg) for arg in node.args if arg.is_Matrix)
            return lambda i, j: sum(_term(a, row[j]) for a, row in zip(left[i], right, strict=True))
        case MatAdd() | ops.Hadamard() | ops.EntryQuotient():
            sides: list[RowsOfFigures] = [
                work.cells(arg) for arg in node.args if not (isinstance(arg, MatMul) and not arg.args[0].is_Matrix)
            ]
            return lambda i, j: sum(_counts(cells[i][j]) for cells in sides)
        case ops.Quotient():
            operand = work.cells(node.argument)
            return lambda i, j: ENOUGH * _counts(operand[i][j])
        case ops.Softmax():
            hidden = {(i, j) for i, j, _ in masked_entries(solution, node.argument)}
            width = solution.columns(work.name)
            figures = solution.figures(work.name)
            # Row by row, as it is asked for: a large matrix has more figures than its page needs.
            top = cache(lambda i: max(range(width), key=lambda j: _number(figures[i][j])))
            return lambda i, j: sum((i, k) not in hidden for k in range(width)) + (j == top(i))
        case ops.Stack():
            return lambda i, j: 1 + int(node.place(i)[0] > 0)
        case ops.Concat():
            return lambda i, j: 1 + int(node.place(j)[0] > 0)
        case _ if isinstance(node, SMALL):
            found = solution.figures(work.name)
            return lambda i, j: 2 * _counts(found[i][j])
        case Transpose() if is_of_columns(node):
            inner = _score(solution, replace(work, name=solution.part(node.arg)), node.arg)
            return lambda i, j: inner(j, i)
        case Transpose() | ops.Dot() | ops.Cosine() | ops.Angle() | ops.Distance():
            return lambda i, j: int(i != j) + 1
        case _:
            return lambda i, j: 2


def _taken_and_left(row: Sequence[Figure]) -> list[tuple[int, int]]:
    """Return the first 1 and the first 0 in the row of a choice."""
    texts = [figure.text for figure in row]
    return [(0, texts.index(text)) for text in ("1", "0") if text in texts]


def _counts(figure: object) -> bool:
    return str(figure).strip("-0.") != ""


def _number(figure: Figure) -> fmpq:
    return fmpq(-1) if figure.number is None else figure.number


def _term(one: object, other: object) -> int:
    """Return 2 for a product of two numbers that are not 0 or 1, 1 for another one that is not 0, otherwise 0."""
    if not (_counts(one) and _counts(other)):
        return 0
    return 1 + all(str(figure).lstrip("-").rstrip("0").rstrip(".") != "1" for figure in (one, other))


def _kept_and_cut(solution: Store, node: ops.ReLU | ops.ELU, row: int | None) -> list[tuple[int, int]]:
    signs = {(i, j): sign for i, row in enumerate(known_signs(solution, node.argument)) for j, sign in enumerate(row)}
    in_order = sorted(signs, key=lambda place: place[0] != row)
    found = (next((place for place in in_order if signs[place] == sign), None) for sign in (1, -1))
    return [place for place in found if place is not None] or [(0, 0)]
