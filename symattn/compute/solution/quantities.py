"""Evaluate a scenario's quantities: exactly, with masks counted entry by entry, and as certified figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from flint import arb
from sympy import Expr, MatrixExpr, Rational

from symattn.base.errors import SymattnError, cut
from symattn.base.printed import Figure, scale_of
from symattn.base.remembered import cached_property
from symattn.base.shapes import whole_sizes
from symattn.compute.solution.figures import tie
from symattn.compute.solution.store import Store
from symattn.compute.values.balls import number_ball
from symattn.compute.values.certify import START_BITS, settle
from symattn.compute.values.rational import digits_of, to_fmpq
from symattn.compute.values.rounding import round_ball, round_rational
from symattn.compute.values.zero import is_zero
from symattn.operations.masks import Mask
from symattn.operations.terms import Kept
from symattn.read.quantities import Quantity, in_letters, needed, put_in, quantity_values, unknown_in

AtSizes = tuple[tuple[str, int], ...]


def visible(solution: Store, mask: MatrixExpr) -> int:
    """Return how many entries of a mask are 0, counted one by one; the others must be negative.

    Raises :class:`~symattn.base.errors.SymattnError` for an entry that is positive.

    >>> from sympy import oo
    >>> from symattn.read.plan import Plan
    >>> from symattn.operations import CausalMask
    >>> from symattn.compute.solution.evaluation import Evaluation
    >>> visible(Evaluation(Plan(), {}), CausalMask(3, -oo))
    6
    """
    if isinstance(mask, Mask):
        rows, columns = whole_sizes(mask)
        return sum(not mask.hides(i, j) for i in range(rows) for j in range(columns))
    name = solution.part(mask)
    count = 0
    for index, entry in enumerate(solution.enclosure(name, START_BITS).entries()):
        if entry.is_zero():
            count += 1
        elif not entry < 0:
            place = f"{cut(str(mask))}[{index // solution.columns(name) + 1},{index % solution.columns(name) + 1}]"
            came = entry.str(6, radius=False)
            raise SymattnError(f"kept: {place} is {came}: expected a mask, whose entries are 0 or negative")
    return count


class QuantityValues:
    """The quantities of one scenario with their values in its solution."""

    def __init__(self, solution: Store, quantities: Mapping[str, Quantity], place: Callable[[str], str] = str) -> None:
        """Use ``place`` to name a quantity in errors."""
        self.solution, self.quantities, self.place = solution, quantities, place

    @cached_property
    def counted(self) -> Mapping[Kept, int]:
        """The counts of masks without a formula. Every formula is checked against its mask on the way.

        Raises :class:`~symattn.base.errors.SymattnError` where they differ.
        """
        found: dict[Kept, int] = {}
        for quantity in self.quantities.values():
            try:
                found.update(self._counted(quantity))
            except SymattnError as error:
                raise SymattnError(f"{self.place(quantity.name)}: {error}") from None
        return found

    def _counted(self, quantity: Quantity) -> Iterator[tuple[Kept, int]]:
        sizes = quantity_values({}, self.solution.derivation.sizes)
        for kept in sorted(quantity.value.atoms(Kept), key=str):
            if kept.mask.shape[0].free_symbols or (kept.letters is not None and unknown_in(kept.letters, sizes)):
                continue
            count = visible(self.solution, kept.mask)
            if kept.letters is None:
                yield kept, count
            elif put_in(kept, sizes) != count:
                formula = f"{kept.letters} = {put_in(kept, sizes)}"
                raise SymattnError(f"{formula} is not the {count} entries that {cut(str(kept.mask))} keeps")

    def known(self, name: str, at: AtSizes = ()) -> dict[Expr, Expr]:
        """Return the values of all sizes, of a quantity and of those behind it; ``at`` replaces sizes."""
        quantity = self.quantities[name]
        behind = {**needed(quantity.value, self.quantities), name: quantity}
        return quantity_values(behind, {**self.solution.derivation.sizes, **dict(at)}, self.counted, self.place)

    def exact(self, name: str, at: AtSizes = ()) -> Expr | None:
        """Return the exact value of a quantity, or ``None`` where one of its letters has no number."""
        return self.known(name, at).get(self.quantities[name].symbol)

    def letters(self, value: Expr) -> Expr:
        """Return a number over sizes alone."""
        return in_letters(value, self.quantities)

    def figure(self, value: Expr) -> Figure:
        """Return the certified figure of an exact number, marked exact if a decimal of that length is."""
        places = self.solution.style.decimals
        if isinstance(value, Rational):
            fraction = to_fmpq(value)
            short = None if fraction is None else digits_of(fraction, places)
            if short is not None:
                return Figure.of(int(value * 10**short), short, True)
        return Figure.of(self.rounded(value, places), places, False)

    def rounded(self, value: Expr, places: int) -> int:
        """Return round(x · 10^places) of an exact number, certified."""
        ties = self.solution.style.ties
        scale = scale_of(places)
        fraction = to_fmpq(value)
        if fraction is not None:
            return round_rational(fraction, scale, ties)

        def exactly(_: int, enclosure: arb) -> int | None:
            return tie(enclosure, places, ties, lambda middle: is_zero(value - middle))

        (number,) = settle(
            1,
            lambda bits: [number_ball(value)],
            lambda x: round_ball(x, scale),
            exactly,
            lambda _: f"decimal number {places} of {cut(str(value))} cannot be decided",
            max(places, 0),
        )
        return number
