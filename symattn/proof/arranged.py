"""Rules for what is put together: blocks side by side or stacked, columns that are turned in pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sympy import Basic, Expr, Integer, KroneckerDelta, Sum, Symbol
from sympy.matrices.expressions.matexpr import MatrixElement

from symattn.operations import Concat, Rotary, Sinusoidal, Stack
from symattn.proof.definitions import general_entry, turned, widths
from symattn.proof.tree import Indices, add, mapped, replaced, summed, total, totals, walk

PAIR = "pair_"
"""What the name of an index starts with that counts pairs of columns."""


def blocks(node: Expr) -> Expr | None:
    """Σ_k f(k) over a + b columns = Σ_k f(k) over the first a + Σ_k f(k) over the other b."""
    if not isinstance(node, Sum):
        return None
    bounds, body = summed(node)
    for place, (index, _) in enumerate(bounds):
        found = [node for node in _elements(body) if _block_index(node) == index]
        lengths = {widths(element.parent) for element in found}
        cut = any(isinstance(part, KroneckerDelta) and part.has(index) for part in walk(body))
        if len(lengths) != 1 or cut:
            # None, or blocks of different widths: these would have to be cut at the same places first. An identity
            # matrix would be cut too, and a sum over a part of it need not hold its 1.
            continue
        parts: list[Expr] = []
        start: Expr = Integer(0)
        for number, length in enumerate(lengths.pop()):
            inner = _in_block(body, index, number, start)
            parts.append(totals((*bounds[:place], (index, length), *bounds[place + 1 :]), inner))
            start += length
        return add(*parts)
    return None


def _block_index(element: MatrixElement) -> Expr | None:
    """The index that runs over the blocks of an entry, if it is one of blocks."""
    if isinstance(element.parent, Concat):
        return element.j
    return element.i if isinstance(element.parent, Stack) else None


def _in_block(body: Expr, index: Symbol, number: int, start: Expr) -> Expr:
    """What is summed, for the indices of one block: they count from its first column."""
    # An index of its own while the other places are moved on by what comes before the block.
    inside = Symbol(f"{index.name}_inside", integer=True)
    indices = Indices(body.atoms(Symbol))

    def entry(element: MatrixElement) -> Expr | None:
        if _block_index(element) != index:
            return None
        part = element.parent.args[number]
        place = (element.i, inside) if isinstance(element.parent, Concat) else (inside, element.j)
        return general_entry(part, *place, indices)

    moved = replaced(_with_elements(body, entry), {index: index + start})
    return replaced(moved, {inside: index})


def pairs(node: Expr) -> Expr | None:
    """Σ_k f(k) over d columns = Σ_t (f(2t − 1) + f(2t)) over d/2 pairs, for even d."""
    if not isinstance(node, Sum):
        return None
    bounds, body = summed(node)
    for place, (index, length) in enumerate(bounds):
        if any(isinstance(e.parent, Rotary | Sinusoidal) and e.j == index for e in _elements(body)):
            pair = Symbol(f"{PAIR}{index.name}", integer=True)
            both = add(*(replaced(body, {index: 2 * pair + number}) for number in (0, 1)))
            inner = total(totals(bounds[place + 1 :], both), pair, length / 2)
            return totals(bounds[:place], inner)
    return None


def turn(node: Expr) -> Expr | None:
    """A pair of columns turned by an angle: (x, y) becomes (x cos φ − y sin φ, x sin φ + y cos φ)."""
    if not (isinstance(node, MatrixElement) and isinstance(node.parent, Rotary | Sinusoidal)):
        return None
    return turned(node.parent, node.i, node.j, Indices(node.i.atoms(Symbol) | node.j.atoms(Symbol)))


def _elements(node: Basic) -> Iterator[MatrixElement]:
    return (found for found in walk(node) if isinstance(found, MatrixElement))


def _with_elements(node: Expr, change: Callable[[MatrixElement], Expr | None]) -> Expr:
    """The tree with other entries where ``change`` has any. All bound indices are different, so none is captured."""
    if isinstance(node, MatrixElement):
        changed = change(node)
        return node if changed is None else changed
    return mapped(lambda part: _with_elements(part, change), node)
