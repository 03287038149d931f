"""A result after a change in one step beside that of the lesson: without scaling, without the mask, even weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from flint import arb
from sympy import Integer, MatAdd, MatMul, MatrixExpr, MatrixSymbol

from symattn.claims.mistakes.model import Change, changed
from symattn.compute.solution import proofs
from symattn.compute.solution.evaluation import Evaluation
from symattn.compute.solution.store import Store
from symattn.compute.values.balls import at_precision
from symattn.compute.values.certify import START_BITS
from symattn.read.plan import Plan
from symattn.read.scenario.items import term_instead
from symattn.read.scenario.model import WhatIfItem
from symattn.show.blocks import Block, Inline, Phrase, Prose, Readings, Table
from symattn.show.math import Chain, Number, Sign
from symattn.show.notation.figures import in_matrix
from symattn.show.notation.formulas import formula
from symattn.show.notation.names import Names
from symattn.show.readings.sentence import columns_of, labelled, reading
from symattn.show.window import Window, places

if TYPE_CHECKING:
    from symattn.base.printed import Figure

CHANGED = "{}′"
"""How the plan of both results calls a step after the change; no step of a scenario can have such a name."""


def what_if_blocks(
    item: WhatIfItem, asked: Sequence[Inline], solution: Store, names: Names, window: Window
) -> Iterator[Block]:
    """Yield the question, a table of both results, and what has changed, for a change in one step.

    Where the scenario does not ask in its own words, the two formulas are told.
    """
    plan = solution.derivation
    instead = term_instead(plan, item.name, item.formula).expr
    both = Evaluation(_with_both(plan, item.name, instead), solution.givens, solution.style)
    both.labels = solution.labels
    other = CHANGED.format(item.of)
    kept, made = (
        Chain(names(item.name), (("=", formula(node, names)),)) for node in (plan[item.name].formula, instead)
    )
    yield Prose((*asked,)) if asked else Phrase("what_if", (("made", made), ("kept", kept)), "lead")
    yield _table(both, (item.of, other), (kept, made), names, window)
    yield Readings(tuple(_changes(both, item.of, other, names)))


def _with_both(plan: Plan, name: str, instead: MatrixExpr) -> Plan:
    """Return the plan with a copy of each step that the change may touch, after the change."""
    copies: dict[str, str] = {name: CHANGED.format(name)}
    new = []
    for step in changed(plan, Change(name, {name: instead})).steps:
        if step.name == name or (step.formula is not None and copies.keys() & set(step.uses)):
            copies[step.name] = CHANGED.format(step.name)
            new.append(replace(step, name=copies[step.name], formula=_renamed(step.formula, copies)))
    return replace(plan, steps=(*plan.steps, *new), batches={})


def _renamed(node: MatrixExpr | None, copies: Mapping[str, str]) -> MatrixExpr:
    assert node is not None
    found = {
        each: MatrixSymbol(copies[each.name], *each.shape) for each in node.atoms(MatrixSymbol) if each.name in copies
    }
    return node.xreplace(found)


def _table(both: Store, of: tuple[str, str], formulas: tuple[Chain, Chain], names: Names, window: Window) -> Table:
    """Return the figures of both results, row below row, under the name of the result and the labels of the columns."""
    shape = both.shape(of[0])
    rows, columns = (names.labels.get(axis.name, ()) for axis in (shape.rows, shape.columns))
    shown = places(both.columns(of[0]), window.columns)
    heads = [Sign("⋯") if j is None else columns[j] if j < len(columns) else Number(str(j + 1)) for j in shown]
    header = tuple(Phrase("sentences", (("said", (head,)),)) for head in (names(of[0]), *heads))
    lines: list[tuple[tuple[Inline, ...], ...]] = []
    for i in places(both.rows(of[0]), window.rows):
        for name, called in zip(of, formulas, strict=True):
            row: tuple[Inline, ...] = (Phrase("row_with", (("formula", called), *labelled(i or 0, rows).items())),)
            if both.rows(of[0]) == 1:
                row = (called,)
            figures = both.figures(name)[i] if i is not None else ()
            lines.append((row, *((_cell(figures, j),) for j in shown)) if figures else (("⋯",),) * (len(shown) + 1))
    return Table(header, tuple(lines))


def _cell(figures: Sequence[Figure], j: int | None) -> Inline:
    return Sign("⋯") if j is None else in_matrix(figures[j])


def _changes(both: Store, before: str, after: str, names: Names) -> Iterator[Phrase]:
    """Yield which entries are the largest before and after, and by how much the entries change at most."""
    shape = both.shape(before)
    labels, rows, columns = names.labels.get(shape.columns.name, ()), both.rows(before), both.columns(before)
    if columns > 1 and labels:
        tops = [tuple(proofs.groups(both, name, i, around=1)[0] for name in (before, after)) for i in range(rows)]
        single = all(len(each.columns) == 1 for pair in tops for each in pair)
        kept = sum(one.columns == other.columns for one, other in tops)
        if single and rows == 1:
            ((one, other),) = tops
            found = [
                Number(both.figures(name)[0][top.columns[0]].text) for name, top in ((before, one), (after, other))
            ]
            told = [columns_of(each.columns, labels) for each in (one, other)]
            yield reading("what_if_top", before=told[0], after=told[1], was=found[0], now=found[1], same=kept)
        elif single:
            yield reading("what_if_rows", count=rows, kept=kept)
    difference = _difference(both, before, after)
    figures = [figure for row in both.figures(difference) for figure in row]
    if all(figure.exact and figure.number == 0 for figure in figures):
        yield reading("what_if_same")
        return
    most = figures[_farthest(both, difference)]
    pairs = zip(both.figures(before), both.figures(after), strict=True)
    change = any(x.text != y.text for one, other in pairs for x, y in zip(one, other, strict=True))
    shows = 2 if most.text.strip("-−0.") else int(change)
    yield reading("what_if_apart", most=Number(most.text.lstrip("-−")), shows=shows)


def _difference(both: Store, before: str, after: str) -> str:
    sizes = [Integer(size) for size in both.shape(before).sizes]
    one, other = (MatrixSymbol(name, *sizes) for name in (after, before))
    return both.part(MatAdd(one, MatMul(Integer(-1), other, evaluate=False), evaluate=False))


def _farthest(both: Store, difference: str) -> int:
    """Return the place of the entry that is farthest from 0; of entries equally far, any of them."""
    with at_precision(START_BITS):
        sizes = [abs(arb(x)).mid() for x in both.enclosure(difference, START_BITS).entries()]
    return max(range(len(sizes)), key=sizes.__getitem__)
