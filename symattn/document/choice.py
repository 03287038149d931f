"""Which entry of a step is worked by default: the first that teaches something."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sympy import Basic, MatAdd, MatMul, Transpose

from symattn.document.readings import masked_entries
from symattn.document.working import Cells, Work
from symattn.operations import ELU, Angle, Cosine, Dot, Keep, OneHot, Quotient, ReLU, Softmax
from symattn.solution import Solution

LOOKED_AT = 256
"""Entries of a large matrix that are looked at before the best so far is taken."""

Place = tuple[int, int]


def chosen_entries(solution: Solution, work: Work, node: Basic) -> list[Place]:
    """The entries to work, counted from 0: one, or for a ReLU or ELU one on either side of 0."""
    if isinstance(node, ReLU | ELU):
        return _kept_and_cut(solution, work.name, node)
    return [_best(_places(solution, work.name), _score(solution, work, node))]


def _places(solution: Solution, name: str) -> Iterator[Place]:
    columns = solution.columns(name)
    return ((index // columns, index % columns) for index in range(min(solution.rows(name) * columns, LOOKED_AT)))


def _best(places: Iterator[Place], score: Callable[[int, int], int]) -> Place:
    """The first place whose score is highest; 2 is as much as one needs to see."""
    best, highest = (0, 0), -1
    for i, j in places:
        value = min(score(i, j), 2)
        if value > highest:
            best, highest = (i, j), value
        if highest == 2:
            break
    return best


def _score(solution: Solution, work: Work, node: Basic) -> Callable[[int, int], int]:
    """How many parts of entry (i, j) are not zero: terms of a sum, products in a dot product, visible weights."""
    match node:
        case MatMul() if len([arg for arg in node.args if arg.is_Matrix]) == 2:
            left, right = (work.cells(arg) for arg in node.args if arg.is_Matrix)
            return lambda i, j: sum(_counts(a) and _counts(row[j]) for a, row in zip(left[i], right, strict=True))
        case MatAdd():
            sides: list[Cells] = [
                work.cells(arg) for arg in node.args if not (isinstance(arg, MatMul) and not arg.args[0].is_Matrix)
            ]
            return lambda i, j: sum(_counts(cells[i][j]) for cells in sides)
        case Quotient():
            operand = work.cells(node.argument)
            return lambda i, j: 2 * _counts(operand[i][j])
        case Softmax():
            hidden = {(i, j) for i, j, _ in masked_entries(solution, node.argument)}
            width = solution.columns(work.name)
            return lambda i, j: sum((i, k) not in hidden for k in range(width))
        case Transpose() | Dot() | Cosine() | Angle():
            return lambda i, j: int(i != j) + 1
        case OneHot() | Keep():
            shown = work.cells(node)
            return lambda i, j: 2 * _counts(shown[i][j])
        case _:
            return lambda i, j: 2


def _counts(figure: object) -> bool:
    return str(figure).strip("-0.") != ""


def _kept_and_cut(solution: Solution, name: str, node: ReLU | ELU) -> list[Place]:
    signs = solution.signs(node.argument, f"step {name}, the input of {type(node).__name__.lower()}")
    places = [(i, j) for i, row in enumerate(signs) for j in range(len(row))]
    kept = next((place for place in places if signs[place[0]][place[1]] > 0), None)
    cut = next((place for place in places if signs[place[0]][place[1]] < 0), None)
    return [place for place in (kept, cut) if place is not None] or [(0, 0)]
