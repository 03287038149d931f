"""Figures that stand there without a formula: what they follow from is searched among what is known."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from symattn.checking.following import rows as on
from symattn.checking.following.chain import Equated, SortedSide, agreeing, size, subject
from symattn.checking.following.hints import Hints, hints, role_of_name
from symattn.checking.following.judging import double, units_among
from symattn.checking.following.natural import has_whole_numbers, is_of_whole
from symattn.checking.following.recipes import Doubles, Leaf, Recipe, leaves, operations, worked
from symattn.checking.following.rows import BallMatrix, NoFit
from symattn.checking.following.scope import Followed, Memory
from symattn.checking.following.search import Found, Known, Target, search
from symattn.checking.following.verdicts import Ought
from symattn.checking.following.worlds import Worlds
from symattn.checking.following.written import Called, label
from symattn.checking.reading.tree import NameRead

KNOWN = 40
"""How many quantities are looked at, the nearest first."""

SHOWN, LONG = 6, 60
"""How many figures, and how long a formula, stand for what has no name."""

NEARLY = 0.05
"""How far from whole numbers is what somebody prints as such: weights that are nearly one-hot."""

_ARRANGED = frozenset("stacked joined joined_under transposed copy row entry columns flat stack concat".split())
"""What only puts figures in another place."""

FAR_FETCHED = 12.0
"""How many bits an explanation in several steps has to have that no word speaks of."""

STRONG = 12.0
"""How many bits make up for most of the figures being wrong."""

SEVERAL = 4
"""So many figures that agree are no accident where words speak of what was found."""

_GIVEN = frozenset({"input", "weight_matrix", "embedding", "target", "bias"})
"""What is mostly given, and explained by nothing."""


@dataclass
class Seeker:
    """Searches for what figures follow from."""

    scope: Memory
    kept: dict[int, tuple[Followed, Known]] = field(default_factory=dict)

    def sought(self, chain: Equated, said: Hints) -> Ought | None:
        """What the figures of a chain follow from, if that can be found."""
        printed = chain.printed[0]
        roles = tuple(role for each in chain.sides if (name := subject(each)) is not None for role in roles_of(name))
        if roles and set(roles) <= _GIVEN:
            return None
        quantities = self.nearest()
        if not quantities and "position" not in (*roles, *said.roles):
            return None
        found = search(self.target(printed, roles, said), [known for _, known in quantities.values()])
        if found is None:
            return None
        worked_out = [name for name in operations(found.recipe) if name not in _ARRANGED]
        if not found.named and len(worked_out) > 1 and found.strength < FAR_FETCHED:
            return None
        try:
            value = self.worth(found.recipe, quantities)
        except NoFit:
            return None
        if is_of_whole(printed) and not has_whole_numbers(value, NEARLY if found.agrees == found.of else 0.0):
            return None
        truth = Ought(
            replace(value, axes=printed.axes),
            told(found, quantities),
            None,
            False,
            found.hidden,
            does=(operations(found.recipe) or ("",))[-1],
            roles=found.roles,
            found=found.formula,
            operands=self.operands(found.recipe, quantities),
        )
        if size(printed.figures) not in (value.shape, value.shape[::-1]) or self.is_other_way(truth):
            return None
        is_all = found.agrees == found.of or agreeing(truth.value, printed) == 1
        if not is_all and roles and found.roles and not {*found.roles} & {*roles}:
            return None  # weights are no scores
        return truth if is_all or _is_partly(found, printed) else None

    def is_other_way(self, truth: Ought) -> bool:
        """Whether it starts from the transpose of what was printed, K Qᵀ where Q Kᵀ stands: nobody works that out."""
        return any(
            self.scope.is_printed(on.transposed(each)) and not self.scope.is_printed(each)
            for each in truth.operands
            if min(on.size(each)) > 1
        )

    def operands(self, recipe: Recipe, quantities: dict[str, tuple[Followed, Known]]) -> tuple[BallMatrix, ...]:
        """What the last operation of a recipe was done with."""
        if isinstance(recipe, Leaf):
            return ()
        values = {name: quantity.value.true for name, (quantity, _) in quantities.items()}
        try:
            return tuple(worked(each, values) for each in recipe.operands)
        except NoFit:
            return ()

    def worth(self, recipe: Recipe, quantities: dict[str, tuple[Followed, Known]]) -> Worlds:
        """What was found, in every world. Raises :class:`NoFit` where shapes do not go together."""
        values = {name: quantity.value for name, (quantity, _) in quantities.items()}
        true, carried, mended = (
            worked(recipe, {name: getattr(value, world) for name, value in values.items()})
            for world in ("true", "carried", "mended")
        )
        of = frozenset(quantities[name][0].number for name in leaves(recipe))
        return Worlds(true, carried, mended, 2, of)

    def nearest(self) -> dict[str, tuple[Followed, Known]]:
        """What is known, by names of which each is there once."""
        found: dict[str, tuple[Followed, Known]] = {}
        for quantity in self.scope.latest():
            if quantity.value.axes == 0 and quantity.is_given:
                continue  # a size explains nothing
            name = str(quantity.name) if quantity.name is not None else f"[{quantity.number + 1}]"
            if name not in found:
                found[name] = (quantity, self.known(quantity, name))
            if len(found) >= KNOWN:
                break
        return found

    def known(self, quantity: Followed, name: str) -> Known:
        """A quantity as search has it."""
        kept = self.kept.get(quantity.number)
        if kept is not None and kept[0] is quantity:
            return kept[1]
        roles = quantity.roles
        value = quantity.value
        printed = doubles(value.carried) if quantity.figures else None
        made = Known(name, quantity.number, value.axes, doubles(value.true), printed, roles, quantity.is_given)
        self.kept[quantity.number] = (quantity, made)
        return made

    def target(self, printed: SortedSide, roles: tuple[str, ...], said: Hints) -> Target:
        """Figures as search has them."""
        among = [each for row in printed.figures for each in row if each is not None]
        unit = units_among(among)
        values = [
            [np.nan if f is None else -np.inf if f.value is None else double(f.value) for f in row]
            for row in printed.figures
        ]
        units = [[1.0 if f is None else double(unit(f)) for f in row] for row in printed.figures]
        axis = {"rows": 1, "columns": 0}.get(said.axis or "")
        return Target(
            np.array(values),
            np.array(units),
            printed.axes,
            (*roles, *said.roles),
            said.does,
            axis,
            len(self.scope.quantities),
        )


def _is_partly(found: Found, printed: SortedSide) -> bool:
    """Whether an explanation of some of the figures is good enough: named in words, short, and right for a third."""
    is_short = len(operations(found.recipe)) <= 2
    if found.expected and printed.axes > 0 and is_short and (found.agrees >= SEVERAL or 3 * found.agrees >= found.of):
        return True
    is_most = 5 * found.agrees >= 3 * found.of or (3 * found.agrees >= found.of and found.strength >= STRONG)
    return printed.axes > 0 and found.named and is_short and is_most


def told(found: Found, quantities: Mapping[str, tuple[Followed, Known]]) -> str:
    """What was found for people: what has no name by its figures, or by what it follows from."""
    text = found.formula
    for name in leaves(found.recipe):
        if name.startswith("["):
            text = text.replace(name, _described(quantities[name][0]))
    return text


def _described(quantity: Followed) -> str:
    rows = [", ".join("…" if each is None else each.text for each in row) for row in quantity.figures]
    if rows and quantity.value.entries <= SHOWN:
        return f"[{'; '.join(rows)}]" if quantity.value.axes else rows[0]
    return f"({quantity.text})" if 0 < len(quantity.text) <= LONG else "(the matrix before)"


def roles_of(name: NameRead) -> tuple[str, ...]:
    """What a name mostly stands for."""
    below, above = ("".join(map(label, each)) for each in (name.below, name.above))
    return role_of_name(name.base, below, above, name.marks)


def doubles(rows: BallMatrix) -> Doubles:
    """Balls as doubles."""
    return np.array([[double(x) if x.is_finite() else (-np.inf if x < 0 else np.inf) for x in row] for row in rows])


DERIVED = frozenset(
    "scores scaled masked weights output context mean variance std normalised probabilities loss gradient".split()
)
"""What is hardly ever given."""

STATISTICS = frozenset({"mean", "variance", "std"})
"""What each token has."""

LABEL = re.compile(r"[^\w\s]{0,3}(?:[\w.,?!'-]{1,20}[^\S\n]?){1,3}[^\w\s]{0,2}\s?[:：→|]|[^\w\s]{2,4}\s?[:：→|]")
"""``Token 2:`` or ``"cat":`` at the head of a line."""

_SAID_IN_PASSING = frozenset("sum exp normalise scale dot max log".split())

_PASSING = frozenset(
    "sum sums total i j k t n m pos step result z exp".split()
    + "∑ Σ 和 总和 總和 合計 합 суma suma somme somma summe сумма tổng".split()
)


def is_remark(chain: Equated) -> bool:
    """Whether a word with a colon only says what a formula is for: ``Check: 0.4 + 0.6 = 1``."""
    sides = chain.told.sides
    if len(chain.names) != 1 or len(sides) < 3 or sides[1].relation != ":" or not isinstance(sides[0].of, NameRead):
        return False
    return not roles_of(sides[0].of) and not hints(sides[0].of.base).does


def is_passing(name: Called) -> bool:
    """Whether a name is only said in passing: a sum of what stands before it, an index."""
    if name.labels or name.marks:
        return False
    if (name.base if len(name.base) == 1 else name.base.lower()) in _PASSING:
        return True
    said = hints(name.base) if len(name.base) > 1 else Hints()
    return bool(set(said.does) & _SAID_IN_PASSING) and not set(said.roles) & DERIVED


def heard_with(said: Hints, names: Sequence[NameRead]) -> Hints:
    """What words speak of, and names that are words."""
    texts = [each.base for each in names if len(each.base) > 1]
    more = [hints(text) for text in texts]
    return replace(
        said,
        does=(*said.does, *(name for each in more for name in each.does)),
        roles=(*said.roles, *(name for each in more for name in each.roles)),
        which=(*said.which, *(one for each in more for one in each.which)),
    )
