"""Figures that stand there without a formula: what they follow from is searched among what is known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from symattn.checking.following import rows as on
from symattn.checking.following.candidates import Known
from symattn.checking.following.chain import Equated, SortedSide, agreeing, size, subject
from symattn.checking.following.evaluate import Appraiser
from symattn.checking.following.hints import Hints, hints, role_of_name
from symattn.checking.following.judging import double, units_among
from symattn.checking.following.natural import has_whole_numbers, is_of_whole
from symattn.checking.following.recipes import group, operations
from symattn.checking.following.references import readable, reference
from symattn.checking.following.rows import BallMatrix, NoFit
from symattn.checking.following.scope import Followed, Memory
from symattn.checking.following.search import Target, search
from symattn.checking.following.verdicts import Ought
from symattn.checking.following.written import Called, called, label
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, NameRead
from symattn.compute.values.float64 import DoubleArray

KNOWN = 40
"""How many quantities are looked at, the nearest first."""

NEARLY = 0.05
"""How far from whole numbers is what somebody prints as such: weights that are nearly one-hot."""

FAR_FETCHED = 12.0
"""How many bits an explanation in several steps has to have that no word speaks of."""

_GIVEN = frozenset({"input", "weight_matrix", "embedding", "target", "bias"})
"""What is mostly given, and explained by nothing."""

_ONE = {"product_t": ("scores",), "softmax": ("weights",), "columns": ("weights",), "proportions": ("weights",)}
"""What operations make that may make several things."""


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
        found = search(self.target(printed, roles, said), self.nearest())
        if found is None or (not found.is_named and length(found.formula) > 1 and found.strength < FAR_FETCHED):
            return None
        evaluator = Appraiser(self.scope, is_code=True)
        try:
            value = evaluator.value(found.formula)
            if self.is_other_way(found.formula, evaluator):
                return None
        except NoFit:
            return None
        if is_of_whole(printed) and not has_whole_numbers(value, NEARLY if found.agrees == found.of else 0.0):
            return None
        truth = Ought(
            replace(value, axes=printed.axes),
            readable(found.formula, self.scope),
            found.formula,
            roles=self.made(found.formula, found.operation),
        )
        if size(printed.figures) not in (value.shape, value.shape[::-1]):
            return None
        is_all = found.agrees == found.of or agreeing(truth.value, printed) == 1
        if not is_all and roles and truth.roles and not {*truth.roles} & {*roles}:
            return None  # weights are no scores
        return truth if is_all or (printed.axes > 0 and length(found.formula) <= 2) else None

    def is_other_way(self, formula: Expressed, evaluator: Appraiser) -> bool:
        """Whether it starts from the transpose of what was printed, K Qᵀ where Q Kᵀ stands: nobody works that out."""
        values = (evaluator.value(each).true for each in formula.args) if isinstance(formula, Combined) else ()
        return any(
            self.scope.is_printed(on.transposed(each)) and not self.scope.is_printed(each)
            for each in values
            if min(on.size(each)) > 1
        )

    def made(self, formula: Expressed, operation: str) -> tuple[str, ...]:
        """What a formula makes, in the words of hints."""
        while isinstance(formula, Combined) and formula.op in ("index", "T"):
            formula = formula.args[0]
        if isinstance(formula, NameRead):
            quantity = self.scope.named(called(formula))
            return tuple(sorted(set(quantity.roles))) if quantity is not None else ()
        makes = operations()[operation].makes
        if operation not in ("product", "output") or not isinstance(formula, Combined):
            return _ONE.get(operation, tuple(sorted(makes))[:1])
        left, right = (set(self.made(each, "softmax")) for each in formula.args)
        return ("output",) if left & group("weights") else ("scores",) if "query" in left and "key" in right else ()

    def nearest(self) -> list[Known]:
        """What is known, by names of which each is there once."""
        found: dict[str, Known] = {}
        for quantity in self.scope.latest():
            if quantity.value.axes == 0 and quantity.is_given:
                continue  # a size explains nothing
            name = str(quantity.name) if quantity.name is not None else f"#{quantity.number}"
            if name not in found:
                found[name] = self.known(quantity)
            if len(found) >= KNOWN:
                break
        return [*found.values()]

    def known(self, quantity: Followed) -> Known:
        """A quantity as search has it."""
        kept, of = self.kept.get(quantity.number), reference(quantity, self.scope)
        if kept is not None and kept[0] is quantity:
            return replace(kept[1], of=of)  # a name may be another one's now
        value = quantity.value
        printed = doubles(value.carried) if quantity.figures else None
        made = Known(of, quantity.number, doubles(value.true), printed, quantity.roles, quantity.is_given)
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
        return Target(np.array(values), np.array(units), (*roles, *said.roles), said.does)


def length(formula: Expressed) -> int:
    """How many operations a formula has that are no transposition, pick nothing, and are not done with a number."""
    if not isinstance(formula, Combined) or all(isinstance(each, FigureRead) for each in formula.args):
        return 0
    return (formula.op not in ("T", "index")) + sum(map(length, formula.args))


def roles_of(name: NameRead) -> tuple[str, ...]:
    """What a name mostly stands for."""
    below, above = ("".join(map(label, each)) for each in (name.below, name.above))
    return role_of_name(name.base, below, above, name.marks)


def doubles(rows: BallMatrix) -> DoubleArray:
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
