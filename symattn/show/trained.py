"""The blocks about training: its rule with all numbers, the changes it made, and the check of a gradient."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from types import MappingProxyType
from typing import Literal

from sympy import MatAdd, MatMul, S

from symattn.base.printed import Figure
from symattn.base.shapes import EntryPlace
from symattn.compute.solution.gradient_checks import MOVES, GradientCheck, checked_gradient
from symattn.compute.solution.proofs import known_signs
from symattn.compute.solution.store import Shown, Store
from symattn.operations.terms import symbol
from symattn.read.gradients.rules import UpdateRule
from symattn.read.scenario.model import GradientCheckItem, OutcomeItem, RuleItem, WatchedEntry
from symattn.show.blocks import Argument, Block, Equation, Inline, Phrase, Readings, Table
from symattn.show.entries.letters import Letters
from symattn.show.math import (
    Accented,
    Chain,
    Fraction,
    Letter,
    Math,
    Number,
    Parens,
    Relation,
    Root,
    Script,
    added,
    derivative,
    joined,
    seq,
)
from symattn.show.notation.figures import in_matrix, relation
from symattn.show.notation.formulas import Names, number
from symattn.show.notation.letters import PageLetters
from symattn.show.source.printed import place_in
from symattn.show.steps import StepBlocks

LETTERS: Mapping[str, tuple[str, Number | None]] = MappingProxyType(
    {
        "rate": ("rate", None),
        "momentum": ("momentum", None),
        "beta1": ("decays", Number("1")),
        "beta2": ("decays", Number("2")),
        "epsilon": ("epsilon", None),
        "decay": ("decay", None),
    }
)
"""The purpose of the letter for each hyper-parameter, and its subscript."""

MORE_DECIMALS = (12, 20, 35, 50)
"""Numbers of decimals to try in turn, until different numbers have different figures."""

Way = Literal["falls", "rises", "stays", "open", "falls_in_all", "rises_in_all", "stays_in_all"]
WAYS: Mapping[int | None, Way] = MappingProxyType({-1: "rises", 0: "stays", 1: "falls", None: "open"})
"""The direction of a change, by the sign of the value before minus the value after."""


def training_blocks(item: RuleItem | OutcomeItem, steps: StepBlocks) -> Iterator[Block]:
    """Yield the blocks of the rule of a training, or of the changes it made."""
    if isinstance(item, RuleItem):
        yield from _rule(item.rule, steps.names(item.of), steps.names.letters)
    else:
        yield from _Outcome(item, steps).blocks()


# -- the rule ----------------------------------------------------------------------------------------------------------


def _written(name: str, letters: PageLetters) -> Math:
    """Return the letter of a hyper-parameter: η, β_1."""
    purpose, below = LETTERS[name]
    letter = letters.letter(purpose)
    return letter if below is None else Script(letter, sub=below)


def _rule(rule: UpdateRule, of: Math, letters: PageLetters) -> Iterator[Block]:
    kept = {name: value for name, value in rule.numbers.items() if value != 0 or name not in rule.usual}
    told = tuple(
        (Phrase(f"number_{name}"), Chain(_written(name, letters), (("=", number(value)),)))
        for name, value in kept.items()
    )
    usual = tuple(_written(name, letters) for name in kept if name in rule.usual)
    keeps = int(rule.name != "sgd")
    found = (("rule", Phrase(f"rule_{rule.name}")), ("numbers", told), ("usual", usual), ("keeps", keeps))
    indexed = (("weight", letters.letter("weight")), ("time", letters.letter("time")))
    yield Phrase("training_rule", (*found, *indexed), "lead")
    yield Equation(tuple(_general(rule, of, letters)), "statement")


def _general(rule: UpdateRule, of: Math, letters: PageLetters) -> Iterator[Chain]:
    """Yield the rule in letters: θ^{(t)} = θ^{(t−1)} − η g^{(t)}."""
    time = letters.letter("time")
    at = partial(_at, time)
    theta, g = letters.letter("weight"), letters.letter("gradient")
    m, v = (Script(Letter(name), sub=theta) for name in "mv")  # named like those of each weight: m_W, v_W
    rate, decay = (_written(name, letters) for name in ("rate", "decay"))
    loss, decays, decoupled = derivative(of, at(theta, -1)), rule.numbers["decay"] != 0, rule.name == "adamw"
    through = decays and not decoupled
    yield _is(at(g), joined([loss, seq(decay, at(theta, -1))], "+") if through else loss)
    moved: Math = at(g)
    if rule.name == "momentum":
        yield _is(at(v), joined([seq(_written("momentum", letters), at(v, -1)), at(g)], "+"))
        moved = at(v)
    kept: Math = at(theta, -1)
    if rule.name in ("adam", "adamw"):
        square = Script(Parens(at(g)), sup=Number("2"))
        for letter, name, power in ((m, "beta1", at(g)), (v, "beta2", square)):
            beta = _written(name, letters)
            share = Parens(_minus(Number("1"), beta))
            yield _is(at(letter), joined([seq(beta, at(letter, -1)), seq(share, power)], "+"))
        for letter, name in ((m, "beta1"), (v, "beta2")):
            beta = Script(Parens(_written(name, letters)), sup=time)
            yield _is(at(_hat(letter)), Fraction(at(letter), _minus(Number("1"), beta)))
        below = joined([Root(at(_hat(v))), _written("epsilon", letters)], "+")
        moved = Fraction(at(_hat(m)), below)
        if decoupled and decays:
            kept = seq(Parens(_minus(Number("1"), seq(rate, decay))), kept)
    yield _is(at(theta), _minus(kept, seq(rate, moved)))


def _is(left: Math, right: Math) -> Chain:
    return Chain(left, (("=", right),))


def _minus(left: Math, right: Math) -> Math:
    return joined([left, right], "-")


def _hat(letter: Script) -> Script:
    return replace(letter, base=Accented("hat", letter.base))


def _at(time: Letter, letter: Math, shift: int = 0) -> Script:
    above = Parens(_minus(time, Number(str(-shift))) if shift else time)
    return replace(letter, sup=above) if isinstance(letter, Script) else Script(letter, sup=above)


# -- the changes -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Outcome:
    item: OutcomeItem
    steps: StepBlocks

    @property
    def solution(self) -> Store:
        return self.steps.solution

    def blocks(self) -> Iterator[Block]:
        """Yield a table of all figures, and a sentence on each entry: whether it falls or rises."""
        item = self.item
        every = (item.loss, *item.targets, *item.watched)
        times = range(1, len(item.loss.names))
        header = (
            Phrase("head_watched"),
            Phrase("head_before_training"),
            *(Phrase("head_after_training", (("time", t), ("last", times[-1]))) for t in times),
        )
        yield Table(header, tuple(self._row(entry) for entry in every))
        said = [self._said("loss_moves", item.loss, ())]
        for entry in item.targets:
            labels = self.steps.names.row_labels(entry.names[0])
            label = labels[entry.row - 1] if entry.row <= len(labels) else ""
            row = entry.row if len(item.targets) > 1 else 0
            said.append(self._said("target_moves", entry, (("row", row), ("label", label if row else ""))))
        for entry in item.watched:
            said.append(self._said("watched_moves", entry, (("entry", self._symbol(entry)),)))
        if items := tuple(each for each in said if each is not None):
            yield Readings(items)

    def _row(self, entry: WatchedEntry) -> tuple[tuple[Inline, ...], ...]:
        figures = self._figures(entry)
        if figures is None:
            cells = [self.steps.parts.figure(name, entry.row - 1, entry.column - 1) for name in entry.names]
        else:
            cells = list(map(in_matrix, figures))
        return ((self._symbol(entry),), *((cell,) for cell in cells))

    def _symbol(self, entry: WatchedEntry) -> Math:
        name = entry.names[0]
        written = self.steps.names(name)
        shape = self.solution.derivation[name].shape
        if shape.sizes == (1, 1):
            return written
        places = [entry.row, entry.column] if shape.sizes[1] != 1 else [entry.row]
        return place_in(written, *places)

    def _figures(self, entry: WatchedEntry) -> list[Figure] | None:
        """Return the figures of an entry after every step, with enough decimals to tell different ones apart."""
        if not all(self.solution.shown(name) is Shown.FIGURES for name in entry.names):
            return None
        signs = self._signs(entry)
        found = self._with_decimals(entry, None)
        for decimals in MORE_DECIMALS:
            pairs = zip(pairwise(found), signs, strict=True)
            if all(one.text != other.text or not sign for (one, other), sign in pairs):
                break
            found = self._with_decimals(entry, decimals)
        return found

    def _with_decimals(self, entry: WatchedEntry, decimals: int | None) -> list[Figure]:
        return [self.solution.figures(name, decimals)[entry.row - 1][entry.column - 1] for name in entry.names]

    def _signs(self, entry: WatchedEntry) -> list[int | None]:
        """Return the sign of the value before minus the value after, for every step; ``None`` if it is unknown."""
        return [self._sign(one, other, entry) for one, other in pairwise(entry.names)]

    def _sign(self, one: str, other: str, entry: WatchedEntry) -> int | None:
        if one == other:
            return 0
        before, after = (symbol(name, self.solution.derivation[name].shape).expr for name in (one, other))
        difference = MatAdd(before, MatMul(S.NegativeOne, after, evaluate=False), evaluate=False)
        return known_signs(self.solution, difference)[entry.row - 1][entry.column - 1]

    def _said(self, key: str, entry: WatchedEntry, more: tuple[tuple[str, Argument], ...]) -> Phrase | None:
        """Return the reading that the loss falls: L ≈ 1.02 > 0.97 ≈ L^{(1)}."""
        figures = self._figures(entry)
        if figures is None:
            return None
        signs = self._signs(entry)
        relations: dict[int | None, Relation] = {-1: "<", 0: "=", 1: ">", None: "≈"}
        links: list[tuple[Relation, Math]] = [(relation(figures[:1]), in_matrix(figures[0]))]
        links += [(relations[sign], in_matrix(figure)) for sign, figure in zip(signs, figures[1:], strict=True)]
        whole = self._sign(entry.names[0], entry.names[-1], entry)
        chain = Chain(self._symbol(entry), tuple(links))
        way = Phrase(f"way_{_way(whole, signs)}")
        return Phrase(key, (("way", way), ("chain", chain), *more), "reading")


def _way(whole: int | None, signs: list[int | None]) -> Way:
    """Return the direction from the first value to the last, and whether some step goes the other way.

    >>> _way(-1, [-1, -1]), _way(-1, [-1, 1]), _way(0, [1, -1]), _way(0, [0])
    ('rises', 'rises_in_all', 'stays_in_all', 'stays')
    """
    match WAYS[whole]:
        case "falls" if -1 in signs:
            return "falls_in_all"
        case "rises" if 1 in signs:
            return "rises_in_all"
        case "stays" if {-1, 1} & set(signs):
            return "stays_in_all"
        case way:
            return way


def check_blocks(item: GradientCheckItem, solution: Store, names: Names) -> Iterator[Block]:
    """Yield the blocks of a check; none if no entry is suitable."""
    entry = item.entry
    place = None if entry is None else EntryPlace(entry.names[0], entry.row - 1, entry.column - 1)
    found = checked_gradient(solution, item.of, item.gradients, place)
    if found is None:
        return
    moved = _moved_entry(found, solution, names)
    yield Phrase("lead_gradient_check", (("entry", moved), ("move", _move(0)), ("loss", names(item.of))), "lead")
    yield Equation(tuple(_check_lines(found, names(item.of), moved)), "statement")
    yield Readings((_check_said(found, names(item.of), moved),))


def _moved_entry(found: GradientCheck, solution: Store, names: Names) -> Math:
    place = found.place
    letters = Letters.choose(names, [place.name], {place.name: solution.shape(place.name)})
    return letters.entry(place.name, Number(str(place.row + 1)), Number(str(place.column + 1)))


def _move(which: int) -> Math:
    """Return 0.001, or the smaller move after it."""
    return Number(MOVES[which])


def _check_lines(found: GradientCheck, loss: Math, moved: Math) -> Iterator[Chain]:
    """Yield L(w), L(w + 0.001), their difference divided by 0.001, and the gradient."""
    at, after = seq(loss, Parens(moved)), seq(loss, Parens(added(moved, _move(0))))
    yield _figure_line(at, found.before)
    yield _figure_line(after, found.after)
    yield _figure_line(Fraction(joined([after, at], "-"), _move(0)), found.quotient)
    yield _figure_line(derivative(loss, moved), found.gradient)


def _figure_line(left: Math, figure: Figure) -> Chain:
    return Chain(left, ((relation([figure]), in_matrix(figure)),))


def _check_said(found: GradientCheck, loss: Math, moved: Math) -> Phrase:
    """Return the reading that compares the quotient with the gradient."""
    told = (("entry", moved), ("move", _move(0)), ("loss", loss))
    if found.is_same:
        return Phrase("gradient_check_same", told, "reading")
    apart = (("apart", in_matrix(found.apart)), ("smaller", _move(1)), ("nearer", in_matrix(found.nearer)))
    exact = (("exact", int(found.apart.exact)), ("nearer_exact", int(found.nearer.exact)))
    key = "gradient_check_near" if found.shrinks else "gradient_check_apart"
    return Phrase(key, (*told, *apart, *exact), "reading")
