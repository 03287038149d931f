r"""Hold stated shapes against matrices and against each other: ``X ∈ ℝ^{3×2}``, ``Q (4 × 3)``, ``\underset{3×2}{X}``.

A shape is stated of a name or of a formula. What is printed under the name has this shape; a product has the rows of
its left operand and the columns of its right one, and these two share the size between them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from symattn.checking.following.ledger import Entered, Ledger
from symattn.checking.following.scope import Memory
from symattn.checking.following.written import Called, called, walk
from symattn.checking.reading.scripts import shape_of
from symattn.checking.reading.shown import shown
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, NameRead, Statement

StatedSizes: TypeAlias = tuple[int, int]

_KEEP_SHAPE = frozenset({"softmax", "relu", "gelu", "silu", "sigmoid", "tanh", "exp", "causal_mask", "layer_norm"})
"""Functions whose result has the shape of their first operand."""


class MisfitError(ValueError):
    """Two operands whose shapes cannot be: ``3×2 times 3×2``."""

    def __init__(self, right: Expressed, one: StatedSizes, other: StatedSizes) -> None:
        super().__init__(f"{one[0]}×{one[1]} and {other[0]}×{other[1]} cannot be multiplied")
        self.right, self.rows = right, one[1]


@dataclass(frozen=True)
class ShapeClaim:
    """A shape as it is stated, and of what."""

    of: Expressed
    sizes: tuple[FigureRead, FigureRead]
    within: Expressed | None = None
    """The product whose last factor it stands behind: ``Q K^T (3 × 3)`` may speak of either."""

    @property
    def shape(self) -> StatedSizes:
        rows, columns = (int(each.value or 0) for each in self.sizes)
        return rows, columns


@dataclass
class StatedShapes:
    """Remembers the shapes that a document states, and enters those that cannot be."""

    scope: Memory
    ledger: Ledger
    stated: dict[Called, ShapeClaim] = field(default_factory=dict)

    def hear(self, told: Statement) -> None:
        """Hold the shapes that a statement names against what is known of their matrices and operands."""
        if told.is_code:
            return
        stated = list(claims_of(told))
        for claim in stated:
            known = self.known(claim.of)
            if known is not None and (claim.within is None or self.known(claim.within) not in (None, claim.shape)):
                self.compare(claim, known)
            if isinstance(claim.of, NameRead) and claim.within is None:
                self.stated[called(claim.of)] = claim
        for claim in stated:
            sides = [side.of for side in told.sides if side.relation in (None, "=") and side.of is not claim.of]
            is_side = any(side.of is claim.of for side in told.sides)
            formulas = [each for each in sides if isinstance(each, Combined)] if is_side else []
            if (known := next(filter(None, map(self.known, formulas)), None)) is not None:
                self.compare(claim, known)

    def known(self, written: Expressed) -> StatedSizes | None:
        """Return the shape of a name or a formula; enter the stated shape of an operand that does not fit."""
        try:
            return self.of(written)
        except MisfitError as failure:
            if isinstance(failure.right, NameRead) and (claim := self.stated.get(called(failure.right))) is not None:
                self.enter(claim, claim.sizes[0], str(failure.rows), str(failure))
            return None

    def seen(self, name: Called, shape: StatedSizes) -> None:
        """Hold what was stated of a name against the matrix that is printed under it."""
        if (claim := self.stated.pop(name, None)) is not None:
            self.compare(claim, shape)

    def compare(self, claim: ShapeClaim, known: StatedSizes) -> None:
        """Enter the sizes of a claim that are not those of what it speaks of; a vector may lie either way."""
        if 1 in known and known == claim.shape[::-1]:
            return
        for figure, size in zip(claim.sizes, known, strict=True):
            if figure.value != size:
                self.enter(claim, figure, str(size), f"{shown(_bare(claim.of))} is {known[0]}×{known[1]}")

    def enter(self, claim: ShapeClaim, figure: FigureRead, expected: str, because: str) -> None:
        """Enter a size that cannot be."""
        of = f"the shape of {shown(_bare(claim.of))}"
        self.ledger.enter(Entered(figure, "wrong", "shape", expected, because, self.ledger.new_cause(), of))

    def of(self, written: Expressed) -> StatedSizes | None:
        """Return the shape of a name or a formula, as far as it is known; raise :class:`MisfitError` if it has none."""
        match written:
            case NameRead():
                known = self.scope.by_name.get(called(written))
                if known is not None:
                    value = self.scope.quantities[known].value
                    return value.shape if value.axes == 2 else None
                claim = self.stated.get(called(written))
                return claim.shape if claim is not None else None
            case Combined("T", (inner,)):
                turned = self.of(inner)
                return turned and turned[::-1]
            case Combined("@", (left, right)) | Combined("*", (left, right), sign="beside" | "\\cdot" | "·"):
                one, other = self.of(left), self.of(right)
                if one is None or other is None:
                    return None
                if one[1] != other[0]:
                    raise MisfitError(right, one, other)
                return one[0], other[1]
            case Combined(op=op, args=(inner,)) if op.removeprefix("call:") in _KEEP_SHAPE:
                return self.of(inner)
        return None


def claims_of(told: Statement) -> Iterator[ShapeClaim]:
    """Yield the shapes that a statement names, and of what."""
    for place, side in enumerate(told.sides):
        if side.relation == "∈" and isinstance(side.of, NameRead) and (sizes := _sizes(_power(side.of))):
            yield ShapeClaim(told.sides[place - 1].of, sizes)
            continue
        factors: dict[int, Expressed] = {}
        for one in walk(side.of):
            if isinstance(one, Combined) and one.op in ("@", "*"):
                factors[id(one.args[-1])] = factors.get(id(one), one)
            of_formula = dict(one.named).get("shape") if isinstance(one, Combined) else None
            stated = one.shape if isinstance(one, NameRead) else ()
            if isinstance(of_formula, Combined) and of_formula.op == "*":
                stated = of_formula.args
            if sizes := _sizes(stated):
                yield ShapeClaim(one, sizes, factors.get(id(one)))


def _power(space: NameRead) -> tuple[Expressed, ...]:
    """Return 3 and 2 of ``ℝ^{3×2}``."""
    return space.shape or (shape_of(space.above[0]) if len(space.above) == 1 else ())


def _sizes(stated: tuple[Expressed, ...]) -> tuple[FigureRead, FigureRead] | None:
    match stated:
        case (FigureRead() as rows, FigureRead() as columns) if rows.value and columns.value:
            return rows, columns
    return None


def _bare(written: Expressed) -> Expressed:
    """Return an expression without what is said of its shape."""
    if isinstance(written, NameRead):
        return replace(written, shape=())
    if isinstance(written, Combined):
        return replace(written, args=tuple(map(_bare, written.args)), named=())
    return written
