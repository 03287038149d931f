"""Find the entries of a formula that a mask hides, in sums and through names."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Basic, MatAdd, MatMul, MatrixSymbol, S, Transpose

from symattn import operations as ops
from symattn.base.shapes import whole_sizes
from symattn.compute.solution.store import Store
from symattn.operations.masks import Mask, is_hiding
from symattn.operations.stages import same_as_ours
from symattn.read.given import Given

_Hidden = list[tuple[int, int, bool]]


def masked_entries(solution: Store, node: Basic) -> _Hidden:
    """Return the entries that a mask hides, in sums and through names: row, column, and whether its value is −∞."""
    known: dict[str, _Hidden] = {}
    for name in _summed_names(solution, node):
        given = solution.givens.get(name)
        known[name] = _hidden(solution, solution.step(name).formula, known) if given is None else _masked_given(given)
    return _hidden(solution, node, known)


def _summed_names(solution: Store, node: Basic) -> list[str]:
    """Return the names that a formula's entries are sums of, through names; each comes after those it depends on."""
    found: dict[str, None] = {}
    waiting = [node]
    while waiting:
        term = waiting.pop()
        if isinstance(term, MatAdd | ops.Quotient | Transpose) or _is_multiple(term):
            waiting += [arg for arg in term.args if arg.is_Matrix]
        elif isinstance(term, MatrixSymbol) and str(term.name) not in found:
            found[str(term.name)] = None
            inner = solution.step(str(term.name)).formula
            waiting += [] if inner is None else [inner]
    order = {step.name: place for place, step in enumerate(solution.derivation.steps)} if len(found) > 1 else {}
    return sorted(found, key=lambda name: order.get(name, len(order)))


def _is_multiple(node: Basic) -> bool:
    """Return True if a node is a product of numbers and a single matrix."""
    return isinstance(node, MatMul) and not any(factor.is_Matrix for factor in node.args[:-1])


def _hidden(solution: Store, node: Basic, known: Mapping[str, _Hidden]) -> _Hidden:
    node = same_as_ours(node)
    match node:
        case _ if isinstance(node, Mask):
            if not node.is_hiding:
                return []
            rows, columns = whole_sizes(node)
            infinite = node.value is S.NegativeInfinity
            return [(i, j, infinite) for i in range(rows) for j in range(columns) if node.hides(i, j)]
        case MatAdd():
            found: dict[tuple[int, int], bool] = {}
            for i, j, infinite in (entry for arg in node.args for entry in _hidden(solution, arg, known)):
                found[i, j] = found.get((i, j), False) or infinite  # two masks may hide the same entry
            return [(i, j, infinite) for (i, j), infinite in found.items()]
        case Transpose():
            return [(i, j, infinite) for j, i, infinite in _hidden(solution, node.arg, known)]
        case ops.Quotient() if solution.number(node.divisor).is_positive:
            # Dividing by a temperature leaves −∞ as it is, but may not leave a large number large enough to hide.
            return [entry for entry in _hidden(solution, node.argument, known) if entry[2]]
        case MatMul() if _is_multiple(node) and all(solution.number(x).is_positive for x in node.args[:-1]):
            return [entry for entry in _hidden(solution, node.args[-1], known) if entry[2]]
        case MatrixSymbol():
            return known[str(node.name)]
        case _:
            return []


def _masked_given(given: Given) -> list[tuple[int, int, bool]]:
    """Return the entries that a given hides. It is a mask if it has only 0 and numbers that hide."""
    array, columns = given.array, given.shape[1]
    flat = given.entries if array is None else [S.NegativeInfinity if x is None else x for x in array.entries]
    if not all(value == 0 or is_hiding(value) for value in flat):
        return []
    return [
        (index // columns, index % columns, value is S.NegativeInfinity)
        for index, value in enumerate(flat)
        if value != 0
    ]
