"""Turn the entries of a scenario's sections into items, each checked against the derivation."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from types import MappingProxyType

from symattn.base.errors import ShapeError, shown
from symattn.operations import MatMul
from symattn.operations.terms import Term
from symattn.read.formula import is_equation, read_formula
from symattn.read.plan import Plan, Step
from symattn.read.quantities import Quantity
from symattn.read.scenario.definitions import name_in, of_name, split_step, steps_of, with_numbers
from symattn.read.scenario.model import (
    LISTINGS,
    AskItem,
    DisplayForm,
    FigureItem,
    GradientCheckItem,
    ListingItem,
    NoteItem,
    OutcomeItem,
    Programs,
    ProveItem,
    QuantityItem,
    RuleItem,
    SectionItem,
    ShowItem,
    StepItem,
    TensorItem,
    UnfoldItem,
    VarianceItem,
    WhatIfItem,
)
from symattn.read.scenario.problem import AT_ONCE, Key, Problem, Problems, located, must_be_known
from symattn.read.scenario.quantities import check_tensor, read_at
from symattn.read.scenario.schema import CodeTable
from symattn.read.scenario.tables import (
    AskTable,
    BuiltStep,
    FigureTable,
    ListingTable,
    NoteTable,
    ProveTable,
    QuantityTable,
    ShowTable,
    StepTable,
    TensorTable,
    UnfoldTable,
    VarianceTable,
    WhatIfTable,
)
from symattn.read.scenario.words import Words, WordScope
from symattn.read.sized import Sized, in_letters


@dataclass(frozen=True)
class DrawnOf:
    """Requirements of a kind of picture: how many names, whether it can show one row, and the number of columns."""

    least: int = 1
    most: int = 1
    by_row: bool = False
    width: int | None = None
    aligned: bool = False
    """Whether the names have the same rows."""


FIGURES: Mapping[str, DrawnOf] = MappingProxyType(
    {
        "heatmap": DrawnOf(by_row=True),
        "bars": DrawnOf(by_row=True),
        "arcs": DrawnOf(by_row=True),
        "vectors": DrawnOf(most=2, by_row=True, width=2),
        "move": DrawnOf(least=2, most=2, by_row=True, width=2, aligned=True),
        "waves": DrawnOf(),
        "flow": DrawnOf(least=0, most=20),
    }
)


def read_figure(
    kind: str, of: tuple[str, ...], row: int | None, plan: Plan, key: Key = (), caption: Words | None = None
) -> FigureItem:
    """Read the picture that is requested at ``key``.

    Raises :class:`~symattn.read.scenario.problem.Problem` if it cannot be drawn.
    """
    must_be_known(kind, FIGURES, (*key, "figure"), "figure")
    rule = FIGURES[kind]
    if not rule.least <= len(of) <= rule.most:
        wanted = "one name" if rule.most == 1 else f"{'' if rule.least == rule.most else 'up to '}{rule.most} names"
        came = f"came {len(of)}" if of else "the key of is missing"
        raise Problem((*key, "of"), f"{kind} is drawn of {wanted}: {came}")
    for name in of:
        must_be_known(name, plan.by_name, (*key, "of"))
        if kind != "flow":
            with_numbers(plan[name], (*key, "of"))
        if rule.width is not None and plan[name].shape.columns.size != rule.width:
            told = f"{name} is {plan[name].shape}: {kind} are drawn of matrices with {rule.width} columns"
            raise Problem((*key, "of"), f"{told}, whose rows are points of a plane; a heatmap can show any matrix")
    if rule.aligned and len({plan[name].shape.rows.size for name in of}) > 1:
        told = " and ".join(f"{name} is {plan[name].shape}" for name in of)
        raise Problem((*key, "of"), f"{told}: {kind} is drawn of matrices with as many rows")
    if row is not None:
        _check_row(kind, rule, row, plan[of[0]].shape.rows.size if of else 0, (*key, "row"))
    return FigureItem(kind, of, row, caption, (*key, "of") if of else key)


def figure_of(kind: str, of: tuple[str, ...], row: int | None, plan: Plan) -> FigureItem:
    """Read a picture that is requested in Python.

    Raises :class:`~symattn.base.errors.SymattnError` if it cannot be drawn.
    """
    try:
        return read_figure(kind, of, row, plan)
    except Problem as problem:
        raise problem.kind(f"figure({shown(kind)}): {problem.message}") from None


def _check_row(kind: str, rule: DrawnOf, row: int, rows: int | str, key: Key) -> None:
    if not rule.by_row:
        raise Problem(key, f"{kind} has no row of its own: the key row goes with {', '.join(_BY_ROW)}")
    if not 1 <= row <= int(rows):
        raise Problem(key, f"expected a row from 1 to {rows}, came {row}")


_BY_ROW = tuple(kind for kind, rule in FIGURES.items() if rule.by_row)


def read_programs(table: CodeTable | None, derivation: Plan, found: Problems = AT_ONCE) -> Programs:
    """Read the table ``[code]``."""
    if table is None:
        return Programs()
    for number, language in found.until_many(enumerate(table.languages)):
        with found.caught():
            check_language(language, ("code", "languages", number))
    of: tuple[str, ...] = ()
    with found.caught():
        of = () if table.of is None else computed_names(table.of, derivation, ("code", "of"))
    return Programs(of, tuple(dict.fromkeys(table.languages)))


def check_language(language: str, key: Key) -> None:
    """Raise :class:`~symattn.read.scenario.problem.Problem` for a language in which no program is written."""
    must_be_known(language, LISTINGS, key, "language of a program")


def computed_names(of: str | tuple[str, ...], derivation: Plan, key: Key) -> tuple[str, ...]:
    """Return one name or several, each a step with numbers, without repetitions."""
    written = [(of, key)] if isinstance(of, str) else [(name, (*key, i)) for i, name in enumerate(of)]
    for name, place in written:
        must_be_known(name, derivation.by_name, place)
        if with_numbers(derivation[name], place).is_given:
            raise Problem(place, f"{name} is given: expected a step, which a program can compute")
    return tuple(dict.fromkeys(name for name, _ in written))


_WITH_NUMBERS: tuple[DisplayForm, ...] = ("values", "vectors", "weighted", "entries", "float64")
_CALLED = re.compile(r"[^\W\d_]\w{0,39}\Z")


@dataclass(frozen=True)
class ItemReader:
    """Turns the entries of ``steps`` into items."""

    derivation: Plan
    known: WordScope
    quantities: Mapping[str, Quantity] = field(default_factory=dict)
    printed: Collection[str] = ()
    """Names whose figures the source prints."""

    def all(self, entry: object, key: Key) -> Sequence[SectionItem]:
        """Return the items of an entry; a step along leading axes has one for each matrix."""
        if isinstance(entry, str) and is_equation(entry):
            steps = [StepItem(name_in(self.derivation, name), formula) for name, formula in steps_of(entry, key)]
            return [item for step in steps for item in self._each(step)]
        if isinstance(entry, RuleItem | OutcomeItem | GradientCheckItem):
            return [entry]
        batches = self.derivation.batches
        if isinstance(entry, str) and entry.strip() in batches:
            entry = ShowTable(show=entry.strip())
        if isinstance(entry, ShowTable) and entry.show in batches:
            name, each = entry.show, [entry.model_copy(update={"show": n}) for n in batches[entry.show].names]
            return [*(self._show(one, key, key) for one in each), self._stacked(name)]
        item = self.read(entry, key)
        return self._each(item) if isinstance(item, StepItem) else [item]

    def _each(self, item: StepItem) -> Sequence[SectionItem]:
        """Return a step, or its steps along leading axes."""
        batches = self.derivation.batches
        if item.name not in batches:
            return [item]
        # The words about all of them come once.
        other = replace(item, need=None, note=None)
        names = batches[item.name].names
        return [*(replace(other if n else item, name=name) for n, name in enumerate(names)), self._stacked(item.name)]

    def _stacked(self, name: str) -> TensorItem:
        """Return matrices along leading axes as one tensor."""
        slices = self.derivation.batches[name]
        return TensorItem(name, slices.names, tuple(axis.name or str(axis.size) for axis in slices.axes))

    def read(self, entry: object, key: Key) -> SectionItem:
        """Return one item; errors name its ``key``."""
        match entry:
            case str():
                return self._show(ShowTable(show=entry.strip()), key, key)
            case StepTable():
                return self._step(entry, key)
            case ShowTable():
                return self._show(entry, key, (*key, "show"))
            case UnfoldTable():
                return self._unfold(entry, key)
            case ListingTable():
                return self._listing(entry, key)
            case QuantityTable():
                return self._quantity(entry, key)
            case TensorTable():
                check_tensor(entry, self.derivation, key)
                return TensorItem(entry.tensor.strip(), tuple(entry.of), tuple(entry.axes), self._note(entry.note, key))
            case ProveTable(prove=(left, right), note=note):
                self._check_equal(left, right, (*key, "prove"))
                return ProveItem(left, right, self._note(note, key), (*key, "prove"))
            case VarianceTable(variance=formula, note=note):
                self._in_letters((formula,), (*key, "variance"))
                return VarianceItem(formula, self._note(note, key), (*key, "variance"))
            case FigureTable():
                return self._figure(entry, key)
            case AskTable():
                return read_ask(entry, self.known, key)
            case WhatIfTable():
                return self._what_if(entry, key)
            case NoteTable(note=note, about=about):
                return NoteItem(Words.read(note, self.known, (*key, "note")), about == "source")
        raise TypeError(f"no rule for {type(entry).__name__}")

    def _step(self, table: StepTable, key: Key) -> StepItem:
        if isinstance(table, BuiltStep):
            name, formula = table.line.name, table.line.formula
        else:
            name, _, formula = split_step(table.step, key)
            name = name_in(self.derivation, name)
        if table.check is not None:
            raise Problem(
                (*key, "check"), f"{name} is no gradient of a loss: expected check beside dW = grad(L, W) only"
            )
        note, need = self._note(table.note, key), self._words(table.need, (*key, "need"))
        works = None
        if table.works is not None:
            row, column = works = (table.works[0], table.works[1])
            first = self.derivation[of_name(self.derivation, name)[0]]
            rows, columns = with_numbers(first, (*key, "works")).shape.sizes
            if not (1 <= row <= int(rows) and 1 <= column <= int(columns)):
                shape = first.shape
                raise Problem((*key, "works"), f"{name} is {shape}: expected a row and a column in it, came {[*works]}")
        return StepItem(name, formula, table.decimals, note, works, need, table.shown is True, table.shown == "steps")

    def _quantity(self, table: QuantityTable, key: Key) -> QuantityItem:
        name, _, _ = split_step(table.quantity, key)
        at = tuple(
            read_at(name, sizes, self.derivation, self.quantities, (*key, "at", number))
            for number, sizes in enumerate(table.at or ())
        )
        return QuantityItem(name, at, self._note(table.note, key))

    def _note(self, note: dict[str, str] | None, key: Key) -> Words | None:
        return self._words(note, (*key, "note"))

    def _words(self, texts: dict[str, str] | None, key: Key) -> Words | None:
        return None if texts is None else Words.read(texts, self.known, key)

    def _show(self, table: ShowTable, key: Key, name_key: Key) -> ShowItem:
        step = self._named(table.show, name_key)
        if table.form in _WITH_NUMBERS:
            with_numbers(step, name_key)
        if table.form == "weighted" and not _is_product(step):
            raise Problem((*key, "form"), f"{step.name} is not the product of two matrices: weighted needs one")
        if table.form == "entries" and step.is_given:
            raise Problem((*key, "form"), f"{step.name} is given: entries needs a step, whose entries are worked out")
        if table.form == "printed":
            must_be_known(step.name, self.printed, (*key, "form"), "printed name")
        return ShowItem(step.name, table.form, table.decimals)

    def _unfold(self, table: UnfoldTable, key: Key) -> UnfoldItem:
        step = self._named(table.unfold, (*key, "unfold"))
        if step.is_given:
            raise Problem((*key, "unfold"), f"{step.name} has no definition to unfold: expected a step")
        behind = self._behind(step)
        for number, name in enumerate(table.to or ()):
            must_be_known(name, behind, (*key, "to", number), f"name behind {step.name}")
        if table.called is not None and table.to is None:
            raise Problem((*key, "called"), "the key to is missing: the names that go in its parentheses")
        if table.called is not None and not _CALLED.match(table.called):
            raise Problem((*key, "called"), f"{shown(table.called)}: expected a name of letters and digits, at most 40")
        return UnfoldItem(step.name, tuple(table.to or ()), table.called)

    def _figure(self, table: FigureTable, key: Key) -> FigureItem:
        of = (table.of,) if isinstance(table.of, str) else table.of or ()
        caption = self._words(table.caption, (*key, "caption"))
        return read_figure(table.figure, of, table.row, self.derivation, key, caption)

    def _what_if(self, table: WhatIfTable, key: Key) -> WhatIfItem:
        place = (*key, "what_if")
        name, _, formula = split_step(table.what_if, place)
        step = self._named(name, place)
        of = self._named(table.of, (*key, "of"))
        for each in (step, of):
            with_numbers(each, place if each is step else (*key, "of"))
        if step.is_given:
            raise Problem(place, f"{name} is given: expected another formula for a step")
        if name not in {of.name, *self._behind(of)}:
            raise Problem((*key, "of"), f"{of.name} does not depend on {name}: expected a result behind that step")
        with located(place):
            made = term_instead(self.derivation, name, formula)
        if made.shape.sizes != step.shape.sizes:
            told = f"{name} is {step.shape}, and instead it would be {made.shape}"
            raise Problem(place, f"{told}: expected the same shape, so that what follows can be worked out", ShapeError)
        asked = self._words(table.ask, (*key, "ask"))
        return WhatIfItem(name, formula, of.name, self._note(table.note, key), asked, place)

    def _listing(self, table: ListingTable, key: Key) -> ListingItem:
        check_language(table.listing, (*key, "listing"))
        return ListingItem(table.listing, computed_names(table.of, self.derivation, (*key, "of")))

    def _check_equal(self, left: str, right: str, key: Key) -> None:
        for number, text in enumerate((left, right)):
            self._in_letters((text,), (*key, number))
        one, two = self._in_letters((left, right), key).shapes
        if one.sizes != two.sizes:
            raise Problem(key, f"the left side is {one}, the right side {two}: expected the same shape", ShapeError)

    def _in_letters(self, formulas: tuple[str, ...], key: Key) -> Sized:
        with located(key):
            return in_letters(formulas, self.derivation)

    def _named(self, name: str, key: Key) -> Step:
        hint = "" if name.isidentifier() else "; a step is written name = formula"
        must_be_known(name, self.derivation.by_name, key, more=hint)
        return self.derivation[name]

    def _behind(self, step: Step) -> dict[str, None]:
        """Return every name that the formula of ``step`` depends on."""
        found = dict.fromkeys(step.uses)
        for other in reversed(self.derivation.steps):
            if other.name in found:
                found.update(dict.fromkeys(other.uses))
        return found


def read_ask(table: AskTable, known: WordScope, key: Key) -> AskItem:
    """Read a question and its answer."""
    return AskItem(Words.read(table.ask, known, (*key, "ask")), Words.read(table.answer, known, (*key, "answer")))


def term_instead(plan: Plan, name: str, formula: str) -> Term:
    """Read another formula for a step, over the names before it.

    Raises :class:`~symattn.base.errors.FormulaError` or :class:`~symattn.base.errors.ShapeError`.
    """
    before = tuple(takewhile(lambda step: step.name != name, plan.steps))
    return read_formula(formula, replace(plan, steps=before, batches={}).scope)


def with_givens(
    sections: Sequence[Sequence[SectionItem]], givens: Iterable[str], derivation: Plan
) -> list[tuple[SectionItem, ...]]:
    """Insert every given that no item shows directly before the first item that uses its numbers.

    >>> from symattn.base.shapes import shape
    >>> plan = Plan().given("X", shape(2, 2)).step("S", "X @ X.T")
    >>> with_givens([[StepItem("S", "X @ X.T")]], ["X"], plan)[0][0]
    ShowItem(name='X', form='values', decimals=None)
    """
    shown_names = {item.name for items in sections for item in items if isinstance(item, ShowItem)}
    waiting = [given for given in givens if given not in shown_names]
    result: list[tuple[SectionItem, ...]] = []
    for items in sections:
        filled: list[SectionItem] = []
        for item in items:
            for name in _numbers_used(item, derivation):
                if name in waiting:
                    waiting.remove(name)
                    filled.append(ShowItem(name))
            filled.append(item)
        result.append(tuple(filled))
    return result


def _numbers_used(item: SectionItem, derivation: Plan) -> tuple[str, ...]:
    if isinstance(item, StepItem) and not item.shown:
        return ()
    if isinstance(item, StepItem) or (isinstance(item, ShowItem) and item.form in _WITH_NUMBERS):
        return derivation[item.name].uses
    return ()


def _is_product(step: Step) -> bool:
    return isinstance(step.formula, MatMul) and len([factor for factor in step.formula.args if factor.is_Matrix]) >= 2
