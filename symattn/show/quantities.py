"""The line of a quantity, N = m² = 6² = 36, also at other sizes, and the lines of a tensor with its matrices."""

from __future__ import annotations

from itertools import product

from sympy import Expr

from symattn.base.shapes import Axis
from symattn.compute.solution.quantities import QuantityValues
from symattn.compute.solution.store import Store
from symattn.read.quantities import Quantity
from symattn.read.scenario.model import QuantityItem, SizesByName, TensorItem
from symattn.show.blocks import Block, Equation, Phrase, Readings
from symattn.show.math import Chain, Math, Number, Parens, Relation, Script, Seq, Sign, Stacked, joined
from symattn.show.notation.arithmetic import in_figures, in_symbols, letters_in, ordered, worked_out
from symattn.show.notation.bases import at_letter
from symattn.show.notation.formulas import Names
from symattn.show.notation.names import axis_size

Link = tuple[Relation, Math]

LONGEST = 12
"""The largest number of lines for the matrices of a tensor; longer lists have ⋮ before the last."""


def quantity_blocks(item: QuantityItem, values: QuantityValues, names: Names) -> list[Block]:
    """Return the line of a quantity, then one for each of the other sizes it is asked for."""
    blocks: list[Block] = [Equation((quantity_line(item.name, values, names),), "formula")]
    if item.at:
        lines = ((("sizes", sizes_of(at, names)), ("value", line_at(item.name, at, values, names))) for at in item.at)
        blocks.append(Readings(tuple(Phrase("quantity_at", line, "reading") for line in lines)))
    return blocks


def quantity_line(name: str, values: QuantityValues, names: Names) -> Chain:
    """Return N = m·n·m = m² n = 6² · 3 = 108: in letters, with the sizes put in, and the value."""
    quantity = values.quantities[name]
    sides = [in_symbols(quantity.written, names)]
    if quantity.counts:
        collected = in_symbols(_collected(quantity), names)
        if collected != sides[0]:
            sides = [in_symbols(quantity.written, names, dots=True), collected]
    in_letters: list[Link] = [("=", side) for side in sides]
    return _chain(names(name), (*in_letters, *_worked(name, (), values, names)))


def line_at(name: str, at: SizesByName, values: QuantityValues, names: Names) -> Chain:
    """Return N = 512² · 3 = 786432: the value of a quantity at other sizes."""
    return _chain(names(name), _worked(name, at, values, names))


def sizes_of(at: SizesByName, names: Names) -> tuple[Chain, ...]:
    """Return m = 512, n = 3."""
    return tuple(Chain(names(letter), (("=", Number(str(number))),)) for letter, number in at)


def _worked(name: str, at: SizesByName, values: QuantityValues, names: Names) -> tuple[Link, ...]:
    """Return the figures put in, the resulting fraction or root, and its decimals; nothing if a letter has no value."""
    quantity, known = values.quantities[name], values.known(name, at)
    exact = known.get(quantity.symbol)
    if exact is None:
        return ()
    shown = _collected(quantity) if quantity.counts else quantity.written
    known = {letter: value for letter, value in known.items() if letter != quantity.symbol}
    figure = values.figure(exact)
    links: list[Link] = [("=", in_figures(shown, names, known))]
    if not (figure.exact and exact.is_Rational):
        links.append(("=", worked_out(shown, names, known)))
    return (*links, ("=" if figure.exact else "≈", Number(figure.text)))


def _collected(quantity: Quantity) -> Expr:
    """Return m² n, with the letters in the order of m·n·m."""
    return ordered(quantity.value, letters_in(quantity.written))


def _chain(left: Math, links: tuple[Link, ...]) -> Chain:
    """Return the statement without consecutive sides that are equal."""
    kept: list[Link] = []
    for relation, side in links:
        if side != (kept[-1][1] if kept else left):
            kept.append((relation, side))
    return Chain(left, tuple(kept))


# -- tensors -----------------------------------------------------------------------------------------------------


def tensor_blocks(item: TensorItem, solution: Store, names: Names) -> list[Block]:
    """Return a tensor with its shape in letters and figures, and the matrix at each of its leading indices."""
    symbol, plan = names(item.name), solution.derivation
    shape = solution.shape(item.of[0])
    leading = [Axis(plan.sizes[axis], axis) if axis in plan.sizes else Axis(int(axis)) for axis in item.axes]
    letters = tuple(_letter(axis, names) for axis in (*leading, shape.rows, shape.columns))
    sizes = tuple(axis_size(axis) for axis in (*leading, shape.rows, shape.columns))
    long = solution.style.shape_line == "long"
    shapes = Chain(Stacked(symbol, letters, long), (("=", Stacked(symbol, sizes, long)),) if letters != sizes else ())
    named = tuple(_letter(axis, names) for axis in leading if axis.name)
    lead = Phrase("lead_tensor", (("count", len(item.of)), ("axes", named)), "lead")
    return [lead, Equation((shapes, *_places(item, symbol, leading, names)), "shapes")]


def _places(item: TensorItem, symbol: Math, leading: list[Axis], names: Names) -> list[Chain]:
    """Return A_{1,1} = A_1, A_{1,2} = A_2: the last of the leading axes runs fastest."""

    def at(place: tuple[int, ...]) -> Math:
        below = joined([Number(str(index)) for index in place], ",")
        return at_letter(
            symbol, lambda name: Script(Parens(name) if isinstance(name, Seq | Script) else name, sub=below)
        )

    ranges = (range(1, int(axis.size) + 1) for axis in leading)
    lines = [
        Chain(at(place), (("=", names(matrix)),))
        for place, matrix in zip(product(*ranges), item.of, strict=True)
        # A matrix that is named by its place would give A_1 = A_1.
        if matrix != "_".join([item.name, *map(str, place)])
    ]
    return lines if len(lines) <= LONGEST else [*lines[:3], Chain(Sign("⋮")), lines[-1]]


def _letter(axis: Axis, names: Names) -> Math:
    return names(axis.name) if axis.name else axis_size(axis)
