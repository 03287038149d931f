"""One function for each kind of picture: the drawing, and the arguments of its sentences.

>>> list(KINDS)
['heatmap', 'bars', 'arcs', 'vectors', 'move', 'waves', 'flow']
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import cos, sin
from types import MappingProxyType
from typing import Any

from flint import arb
from sympy import MatrixSymbol

from symattn import operations as ops
from symattn.base.errors import NoValueError
from symattn.base.remembered import cached_property
from symattn.base.words import between
from symattn.compute.solution import proofs
from symattn.compute.solution.on_the_way import numbers
from symattn.compute.solution.store import Store
from symattn.compute.values.balls import at_precision
from symattn.compute.values.certify import START_BITS
from symattn.operations.stages import same_as_ours
from symattn.operations.terms import symbol
from symattn.read.gradients.graph import derived_in, graph_of
from symattn.read.scenario.model import FigureItem, Scenario, StepItem
from symattn.show.blocks import Argument, Inline, Phrase, Picture
from symattn.show.drawings import (
    ArcRow,
    Arcs,
    BarChart,
    BarGroup,
    Drawing,
    HeatMap,
    Move,
    Moves,
    PictureLabel,
    Plotted,
    PlottedPoint,
    TokenLabel,
    VectorArrow,
    Vectors,
    Wave,
    WavePlot,
)
from symattn.show.math import Letter, Math, Number, Script, Sign, counted, seq
from symattn.show.notation.bases import at_letter
from symattn.show.notation.names import Names, atom
from symattn.show.pictures.flow import flow_of
from symattn.show.pictures.plotting import Plot, size_of
from symattn.show.readings.weights import are_weights
from symattn.show.roles.model import Purpose
from symattn.show.roles.reasons import Roles
from symattn.show.window import Window, places
from symattn.show.working.masked import masked_entries

DEGREES, CELL_DECIMALS = 1, 2
"""Decimals of an angle, and of a figure in a cell of a heat map: the matrix has the others."""
STEPS, POSITIONS = 8, 64
"""The number of pieces that a curve has between two positions, and the most positions that waves are drawn over."""


@dataclass(frozen=True)
class PictureMaker:
    """A maker of pictures of one solution."""

    store: Store
    names: Names
    window: Window
    language: str
    scenario: Scenario

    def picture(self, item: FigureItem, caption: tuple[Inline, ...] = ()) -> Picture:
        """Return the picture that is asked for; ``caption`` replaces the automatic caption.

        Raises :class:`~symattn.base.errors.NoValueError` if the entries to draw are not figures, and
        :class:`~symattn.base.errors.UndecidedError` if a figure cannot be proved.
        """
        drawing, about, part = KINDS[item.kind](self, item)
        says, legend = Phrase(f"says_{item.kind}", about), Phrase(f"caption_{item.kind}", about)
        name = "-".join([item.kind, *item.of[:4], *([f"row{item.row}"] if item.row else [])])
        more = (between(self.language), *part) if part else ()
        return Picture(drawing, says, (*(caption or (legend,)), *more), name, of=item)

    def of_step(self, name: str) -> list[Picture]:
        """Return the automatic pictures of a step."""
        return self._unasked((*figures_of(self.store, name), *self.first_scores.get(name, ())))

    def of_page(self) -> list[Picture]:
        """Return the pictures at the beginning of a page."""
        return self._unasked(flow_of_page(self.scenario))

    @cached_property
    def purposes(self) -> Mapping[str, Purpose]:
        """What every name is for."""
        return Roles(self.store, self.names, self.language).found

    @cached_property
    def first_scores(self) -> Mapping[str, tuple[FigureItem]]:
        """What the first scores of a page compare, as vectors, if the rows are points of the plane."""
        store = self.store
        points = {each.name for each in store.derivation.steps if each.shape.columns.size == 2 and not each.general}
        found = self.purposes if points else {}
        for name, purpose in found.items():
            sides = [side for key, side in purpose.about if key in ("queries", "keys", "of")]
            if purpose.kind not in ("comparison", "self_comparison") or not sides:
                continue
            names = tuple(dict.fromkeys(str(side.name) for side in sides if isinstance(side, MatrixSymbol)))
            are_points = points.issuperset(names) and all(store.shown(each).is_numbers for each in names)
            are_points = are_points and _point_in_several_ways(store, names[-1])
            if not are_points or len(names) < len(set(sides)) or store.derivation[name].derivative is not None:
                return {}
            return {name: (FigureItem("vectors", names, store.rows(names[0])),)}
        return {}

    def _unasked(self, items: Iterable[FigureItem]) -> list[Picture]:
        """Return pictures, except those that a section asks for."""
        sections = self.scenario.sections
        asked = {each.drawn for section in sections for each in section.items if isinstance(each, FigureItem)}
        return [self.picture(item) for item in items if item.drawn not in asked]

    def plot(self, name: str, decimals: int | None = None) -> Plot:
        return Plot(self.store, name, self.names, self.window, self.scenario.tokens, decimals)


PictureParts = tuple[Drawing, tuple[tuple[str, Argument], ...], tuple[Inline, ...]]
"""A drawing, the arguments of its sentences, and the sentence on what is left out."""


def _told(**arguments: Argument) -> tuple[tuple[str, Argument], ...]:
    return tuple(arguments.items())


def _either(label: Callable[[int], PictureLabel], shown: Sequence[int | None]) -> tuple[PictureLabel | None, ...]:
    return tuple(None if place is None else label(place) for place in shown)


def _row_told(plot: Plot, i: int, columns: Sequence[int | None]) -> tuple[Argument, ...]:
    """Return the figures of a row, each with its column, for a sentence."""
    return tuple((plot.column_told(j), Number(plot.plotted(i, j).text)) for j in columns if j is not None)


def _has_negative(shown: Sequence[Plotted]) -> int:
    return int(any(figure.size < 0 for figure in shown))


def _heat_map(maker: PictureMaker, item: FigureItem) -> PictureParts:
    plot = maker.plot(item.of[0], CELL_DECIMALS)
    rows = (item.row - 1,) if item.row else plot.rows
    columns, named = plot.columns, maker.names(plot.name)
    masked, asks = _masked(maker.store, plot.name), _is_softmax(maker.store, plot.name)
    asks = asks and are_weights(maker.store, plot.name)

    def cell(i: int | None, j: int | None) -> Plotted | None:
        if i is None or j is None:
            return None
        plotted = plot.plotted(i, j)
        return replace(plotted, text="", size=0.0) if (i, j) in masked else plotted

    cells = tuple(tuple(cell(i, j) for j in columns) for i in rows)
    largest: list[tuple[Argument, ...]] = []
    for i in rows:
        if i is not None:
            top = proofs.groups(maker.store, plot.name, i, around=1)[0]
            if top.open is None:
                found = tuple(plot.column_told(j) for j in top.columns)
                largest.append((plot.row_told(i), found, Number(plot.plotted(i, top.columns[0]).text)))
    shown = [cell for line in cells for cell in line if cell is not None]
    about = _told(
        symbol=named,
        rows=1 if item.row else maker.store.rows(plot.name),
        columns=maker.store.columns(plot.name),
        negative=_has_negative(shown),
        asks=int(asks),
        masked=int(any(not each.text for each in shown)),
    )
    drawing = HeatMap(named, _either(plot.row, rows), _either(plot.column, columns), cells, asks)
    part = plot.left_out(rows if item.row is None else plot.rows, columns)
    return drawing, (*about, ("largest", tuple(largest))), part


def _masked(store: Store, name: str) -> set[tuple[int, int]]:
    """Return the entries that a mask hides: of weights those that print as 0."""
    node: Any = None if name in store.givens else same_as_ours(store.formula(name))
    if not isinstance(node, ops.Softmax):
        return {(i, j) for i, j, _ in masked_entries(store, symbol(name, store.shape(name)).expr)}
    figures = store.figures(name)
    return {(i, j) for i, j, _ in masked_entries(store, node.argument) if not figures[i][j].text.strip("0.")}


def _bars(maker: PictureMaker, item: FigureItem) -> PictureParts:
    plot = maker.plot(item.of[0])
    rows, columns = (item.row - 1,) if item.row else plot.strips, plot.listed
    alone = maker.store.rows(plot.name) == 1
    groups = tuple(
        BarGroup(
            None if alone else plot.row(i),
            tuple(None if j is None else (plot.column(j), plot.plotted(i, j)) for j in columns),
        )
        for i in rows
    )
    told = tuple((0 if alone else plot.row_told(i), _row_told(plot, i, columns)) for i in rows)
    negative = _has_negative([bar[1] for group in groups for bar in group.bars if bar is not None])
    named, even = maker.names(plot.name), maker.store.columns(plot.name) * _are_shares(maker.store, plot.name)
    asks = int(are_weights(maker.store, plot.name))
    part = plot.left_out(plot.rows if item.row else rows, columns)
    return BarChart(named, groups, even), _told(symbol=named, rows=told, negative=negative, even=even, asks=asks), part


def _are_shares(store: Store, name: str) -> bool:
    """Return whether every row consists of several shares that sum to 1, and a mask hides none of them."""
    if store.columns(name) == 1 or _masked(store, name):
        return False
    exact = store.rational(name)
    rows = () if exact is None else exact.tolist()
    return _is_softmax(store, name) or bool(rows and all(min(row) >= 0 and sum(row) == 1 for row in rows))


def _arcs(maker: PictureMaker, item: FigureItem) -> PictureParts:
    plot = maker.plot(item.of[0])
    shape = maker.store.shape(plot.name)
    rows, columns = (item.row - 1,) if item.row else plot.strips, plot.columns
    own = shape.rows.name == shape.columns.name and shape.rows.size == shape.columns.size
    drawn = tuple(
        ArcRow(
            plot.row(i),
            columns.index(i) if own and i in columns else None,
            tuple(None if j is None else plot.plotted(i, j) for j in columns),
        )
        for i in rows
    )
    for i, row in zip(rows, drawn, strict=True):
        for j, each in zip(columns, row.weights, strict=True):
            if j is not None and each is not None and not 0 <= each.size <= 1:
                entry = f"{plot.name}[{i + 1},{j + 1}] is {each.text}"
                raise NoValueError(f"{entry}: arcs are as thick as weights from 0 to 1; a heatmap can show any matrix")
    told = tuple((plot.row_told(i), _row_told(plot, i, columns)) for i in rows)
    symbol = maker.names(plot.name)
    part = plot.left_out(plot.rows if item.row else rows, columns)
    return Arcs(symbol, _either(plot.column, columns), drawn), _told(symbol=symbol, rows=told), part


def _vectors(maker: PictureMaker, item: FigureItem) -> PictureParts:
    """Draw one row of the first name and all rows of the last, with the angles between them."""
    plots = [maker.plot(name) for name in item.of]
    first, last, chosen = plots[0], plots[-1], (item.row or 1) - 1
    others = [i for i in last.rows if i is not None and not (last is first and i == chosen)]
    angles = _angles(maker.store, (first.name, chosen), [(last.name, i) for i in others])
    arrows = [
        VectorArrow(_row_name(plot, i), plot.point(i), angle, plot.token(i))
        for plot, i, angle in [
            (first, chosen, None),
            *((last, i, angle) for i, angle in zip(others, angles, strict=True)),
        ]
    ]
    told: tuple[Argument, ...] = tuple(
        (each.label, *_numbers(each.at), Number(each.angle.text) if each.angle else "") for each in arrows
    )
    return Vectors(tuple(arrows)), _told(first=arrows[0].label, arrows=told), last.left_out(last.rows, (0, 1))


def _numbers(point: PlottedPoint) -> tuple[Number, Number]:
    return Number(point[0].text), Number(point[1].text)


def _moves(maker: PictureMaker, item: FigureItem) -> PictureParts:
    """Draw the rows of a matrix, and where each of them, or one, is in another matrix."""
    before, after = map(maker.plot, item.of)
    shown = [i for i in before.rows if i is not None]
    moving = shown if item.row is None else [item.row - 1]
    shown = sorted({*shown, *moving})
    moves = tuple(Move(before.row(i), before.point(i), after.point(i) if i in moving else None) for i in shown)
    moved: tuple[Argument, ...] = tuple(
        (before.row_told(i), *_numbers(before.point(i)), *_numbers(after.point(i))) for i in moving
    )
    kept: tuple[Argument, ...] = tuple(
        (before.row_told(i), *_numbers(before.point(i))) for i in shown if i not in moving
    )
    names = maker.names(before.name), maker.names(after.name)
    about = _told(before=names[0], after=names[1], moved=moved, kept=kept)
    return Moves(*names, moves), about, before.left_out(shown, (0, 1))


def _row_name(plot: Plot, i: int) -> Math:
    """Return row i of a matrix: its name with the label, or the number, of the row."""
    label = plot.row(i)
    text = label.text if isinstance(label, TokenLabel) else label
    row = Letter(text, "text") if isinstance(text, str) else text

    def with_row(name: Math) -> Math:
        base = atom(name)
        if isinstance(base, Script) and base.sub is not None:
            return Script(base.base, sub=seq(base.sub, Sign(","), row), sup=base.sup)
        return Script(base, sub=row)

    return at_letter(plot.names(plot.name), with_row)


def _angles(store: Store, one: tuple[str, int], others: Sequence[tuple[str, int]]) -> list[Plotted | None]:
    """Return the angle from one row to each of the others, in degrees; ``None`` beside a row of zeros."""

    def pair(name: str, i: int, bits: int) -> tuple[arb, arb]:
        values = store.enclosure(name, bits)
        return values[i, 0], values[i, 1]

    def enclosures(bits: int, which: Sequence[tuple[str, int]]) -> list[arb]:
        with at_precision(bits):
            a, b = pair(*one, bits)
            return [_degrees(a * d - b * c, a * c + b * d) for c, d in (pair(*other, bits) for other in which)]

    def is_zero(row: tuple[str, int]) -> bool:
        plotted = [store.figures(row[0])[row[1]][j] for j in (0, 1)]
        return all(figure.exact and figure.number == 0 for figure in plotted)

    known = [other for other in others if not is_zero(other) and not is_zero(one)]
    what = [f"the angle from {one[0]}[{one[1] + 1}] to {name}[{i + 1}]" for name, i in known]
    found = dict(zip(known, numbers(store, lambda bits: enclosures(bits, known), what, decimals=DEGREES), strict=True))
    return [Plotted(found[other].text, size_of(found[other])) if other in found else None for other in others]


def _degrees(cross: arb, dot: arb) -> arb:
    """Return the angle whose sine and cosine are proportional to ``|cross|`` and ``dot``, from 0 to 180 degrees."""
    turned = arb.pi() - arb.atan2(abs(cross), -dot) if dot < 0 else arb.atan2(abs(cross), dot)
    return turned * 180 / arb.pi()


def _waves(maker: PictureMaker, item: FigureItem) -> PictureParts:
    plot = maker.plot(item.of[0])
    named, rows = maker.names(plot.name), places(maker.store.rows(plot.name), POSITIONS)
    columns = places(maker.store.columns(plot.name), maker.window.columns)
    drawn = tuple(
        None
        if j is None
        else Wave(counted(j), tuple(None if i is None else plot.plotted(i, j) for i in rows), _curve(plot, rows, j))
        for j in columns
    )
    about = _told(symbol=named, rows=maker.store.rows(plot.name), columns=maker.store.columns(plot.name))
    return WavePlot(named, _either(plot.row, rows), drawn), about, plot.left_out(rows, columns)


def _curve(plot: Plot, rows: Sequence[int | None], j: int) -> tuple[float, ...]:
    """Return the wave through the figures of a column of sinusoidal encodings; other columns have none."""
    node: Any = None if plot.name in plot.store.givens else same_as_ours(plot.store.formula(plot.name))
    if not isinstance(node, ops.Sinusoidal) or None in rows or len(rows) < 2:
        return ()
    rate = float(node.base) ** (-2 * (j // 2) / int(node.shape[1]))
    turn = cos if j % 2 else sin
    return tuple(turn(rate * step / STEPS) for step in range(STEPS * (len(rows) - 1) + 1))


def _flow(maker: PictureMaker, item: FigureItem) -> PictureParts:
    drawing, left_out = flow_of(maker.store.derivation, item.of, maker.names, maker.purposes)
    if not drawing.nodes:
        raise NoValueError("the flow cannot be drawn: no step is made of another name")
    nodes = [node.symbol for node in drawing.nodes]
    sources = [
        (end, tuple(nodes[edge.start] for edge in drawing.edges if edge.end == end)) for end in range(len(nodes))
    ]
    made: tuple[Argument, ...] = tuple((nodes[end], starts) for end, starts in sources if starts)
    back: tuple[Argument, ...] = tuple(
        (gradient, nodes[edge.end], nodes[edge.start]) for edge in reversed(drawing.edges) for gradient in edge.back
    )
    sums: tuple[Argument, ...] = tuple(
        (node.symbol, gradient) for node in reversed(drawing.nodes) for gradient in node.sums
    )
    part = (Phrase("flow_part", (("count", left_out),)),) if left_out else ()
    return drawing, _told(made=made, back=back, sums=sums), part


KINDS: Mapping[str, Callable[[PictureMaker, FigureItem], PictureParts]] = MappingProxyType(
    {
        "heatmap": _heat_map,
        "bars": _bars,
        "arcs": _arcs,
        "vectors": _vectors,
        "move": _moves,
        "waves": _waves,
        "flow": _flow,
    }
)


FEWEST = 4
"""The fewest steps on a page for which it draws the flow."""

MOST_FLOWS = 3
"""The most losses whose flows a page shows."""


def _point_in_several_ways(store: Store, name: str) -> bool:
    """Return whether some rows of a matrix with two columns lie on no line through the origin: then a picture of
    them shows more than their lengths."""
    with at_precision(START_BITS):
        value = store.enclosure(name, START_BITS)
        rows = [(value[i, 0], value[i, 1]) for i in range(value.nrows())]
        return any(not (a * d - b * c).contains(0) for (a, b), (c, d) in combinations(rows, 2))


def figures_of(store: Store, name: str) -> tuple[FigureItem, ...]:
    """Return the automatic pictures of a step: weights as heat maps, probabilities as bars, encodings as waves.

    In two dimensions, rows that are turned are a move.
    """
    step = store.derivation[name]
    if step.general or not store.shown(name).is_numbers:
        return ()
    node = same_as_ours(step.formula)
    if isinstance(node, ops.Sinusoidal) and store.rows(name) > 1:
        return (FigureItem("waves", (name,)),)
    if isinstance(node, ops.Rotary) and isinstance(node.args[0], MatrixSymbol) and store.columns(name) == 2:
        return (FigureItem("move", (str(node.args[0].name), name)),)
    if not _is_softmax(store, name) or store.columns(name) == 1 or _stands_already(store, name):
        return ()
    many = store.rows(name) > 1 and are_weights(store, name)
    return (FigureItem("heatmap" if many else "bars", (name,)),)


def _is_softmax(store: Store, name: str) -> bool:
    step = store.derivation[name]
    return isinstance(same_as_ours(step.formula), ops.Softmax) and not step.general and store.shown(name).is_numbers


def _stands_already(store: Store, name: str) -> bool:
    """Return whether an earlier softmax has the same figures, so that its picture would be the same."""
    for step in store.derivation.steps:
        if step.name == name:
            return False
        if _is_softmax(store, step.name) and step.shape == store.shape(name):
            rows = zip(store.figures(step.name), store.figures(name), strict=True)
            if all([x.text for x in one] == [x.text for x in other] for one, other in rows):
                return True
    return False


def flow_of_page(scenario: Scenario) -> tuple[FigureItem, ...]:
    """Return the flow of a page with enough steps, if some step uses another name; with several losses that have
    gradients, one flow to each of the first few."""
    made = [item for section in scenario.sections for item in section.on_page if isinstance(item, StepItem)]
    plan = scenario.derivation
    if len(made) < FEWEST or not any(step.uses for step in plan.steps):
        return ()
    losses = derived_in(plan)
    if len(losses) < 2:
        return (FigureItem("flow", ()),)
    return tuple(FigureItem("flow", graph_of(plan, loss).ends) for loss in losses[:MOST_FLOWS])
