"""Heat maps and bars."""

from __future__ import annotations

from math import isfinite, isinf

from symattn.show.drawings import BarChart, BarGroup, HeatMap, Plotted
from symattn.show.math import Fraction, Number, Sign
from symattn.write import layout
from symattn.write.environment import Macros
from symattn.write.pictures.strokes import (
    BOLD,
    Course,
    DrawnStroke,
    Ground,
    Lettering,
    Sketch,
    Tint,
    dots,
    hatched,
    wide,
    widest,
)

CELL = 29.0
"""The height of a cell."""
GAP = 10.0
DEEPEST = 60
"""The share of blue under the largest figure: on more of it, ink has a contrast below 4.5."""
SLIM = 30.0
"""The width or height of an omission."""


def heat_map(drawing: HeatMap, words: Macros) -> Sketch:
    """Draw cells with figures, labels at the rows and above the columns."""
    figures = [cell.number for row in drawing.cells for cell in row if cell is not None and cell.text]
    cell = max(widest(figures) + 14, 44.0)
    who, looks_at = (words.call(f"heatmap_{each}", {}) if drawing.asks else "" for each in ("rows", "columns"))
    left = max(widest(drawing.rows), wide(drawing.symbol), wide(who, small=True)) + 2 * GAP
    top = 48.0 if looks_at else 30.0
    widths = [SLIM if label is None else max(cell, wide(label) + 14) for label in drawing.columns]
    heights = [SLIM * 0.8 if label is None else CELL for label in drawing.rows]
    xs = [left + layout.total_extent(widths[:j]) for j in range(len(widths))]
    ys = [top + layout.total_extent(heights[:i]) for i in range(len(heights))]
    sizes = [abs(each.size) for row in drawing.cells for each in row if each is not None and isfinite(each.size)]
    largest = max([*sizes, 1e-300])
    right = left + layout.total_extent(widths)
    strokes: list[DrawnStroke] = [Lettering(left - GAP, 21, drawing.symbol, "end", bold=True)]
    if drawing.asks:
        strokes.append(Lettering(left - GAP, top - 9, who, "end", "faint", small=True))
        strokes.append(Lettering((left + right) / 2, 21, looks_at, tint="faint", small=True))
    for x, width, label in zip(xs, widths, drawing.columns, strict=True):
        middle = x + width / 2
        strokes.append(dots(Sign("⋯"), middle, top - 9) if label is None else Lettering(middle, top - 9, label))
    for y, height, label in zip(ys, heights, drawing.rows, strict=True):
        strokes.append(
            dots(Sign("⋮"), left - GAP - 4, y + height / 2 + 5)
            if label is None
            else Lettering(left - GAP, y + height / 2 + 4.5, label, "end")
        )
    for row, y, height in zip(drawing.cells, ys, heights, strict=True):
        for each, x, width in zip(row, xs, widths, strict=True):
            if each is not None:
                strokes += _cell(each, largest, x, y, width, height)
            elif width == SLIM and height == CELL:
                strokes.append(dots(Sign("⋯"), x + width / 2, y + height / 2 + 4))
            elif width != SLIM:
                strokes.append(dots(Sign("⋮"), x + width / 2, y + height / 2 + 5))
    return Sketch(right + GAP, top + layout.total_extent(heights) + GAP, tuple(strokes))


def _cell(figure: Plotted, largest: float, x: float, y: float, width: float, height: float) -> list[DrawnStroke]:
    """Draw a cell: blue if positive, rust if negative, slanting lines if masked."""
    share = 0 if isinf(figure.size) else round(DEEPEST * abs(figure.size) / largest)
    tint: Tint = "rust" if figure.size < 0 else "blue"
    ground = Ground(x, y, width, height, tint, share, of=figure.of)
    if not figure.text:
        return [ground, *hatched(x, y, width, height)]
    return [ground, Lettering(x + width / 2, y + height / 2 + 4.5, figure.number)]


BAR, STEP = 18.0, 26.0
"""The height of a bar, and the distance to the next one."""
PHONE, LEAST = 350.0, 120.0
"""The width of a chart that a phone can show, and the least of it for the longest bars."""


def bars(drawing: BarChart) -> Sketch:
    """Draw horizontal bars with their labels on the left and their figures at the ends."""
    shown = [bar for group in drawing.groups for bar in group.bars if bar is not None]
    sizes = [bar[1].size for bar in shown if isfinite(bar[1].size)]
    low, high = min([0.0, *sizes]), max([0.0, *sizes])
    span = high - low or 1.0
    left = BOLD * widest(label for label, _ in shown) + 2 * GAP
    figures = BOLD * widest(figure.number for _, figure in shown)
    ends = (2 if low < 0 else 1) * (figures + GAP)
    length = max(LEAST, PHONE - left - ends - GAP)
    zero = left + length * -low / span + (figures + GAP if low < 0 else 0.0)
    y = GAP
    strokes: list[DrawnStroke] = []
    for group in drawing.groups:
        if group.title is not None:
            strokes.append(Lettering(zero, y + 12, group.title, "start", bold=True))
            y += STEP
        column = zero + length + 6 if drawing.even else None
        bars = _group(group, zero, y, length / span, left, column)
        bottom = y + STEP * len(group.bars) - STEP + BAR
        if drawing.even:
            x = zero + length / span / drawing.even
            strokes.append(Course(((x, y - 4), (x, bottom + 8)), "rust", 1.2, dashed=True))
            share = Fraction(Number("1"), Number(str(drawing.even)))
            strokes.append(Lettering(x, bottom + 20, share, tint="rust", small=True))
        strokes += bars
        y = bottom + STEP - BAR + (16 if drawing.even else 0) + GAP
    return Sketch(left + length + ends + GAP, y, tuple(strokes))


def _group(
    group: BarGroup, zero: float, top: float, unit: float, left: float, column: float | None
) -> list[DrawnStroke]:
    """Draw the bars of a row; the figures are at their ends, or in a column."""
    strokes: list[DrawnStroke] = []
    largest = max((bar[1].size for bar in group.bars if bar is not None), default=0.0)
    for place, bar in enumerate(group.bars):
        y = top + STEP * place
        if bar is None:
            strokes.append(dots(Sign("⋮"), left - GAP - 4, y + BAR / 2 + 5))
            continue
        label, figure = bar
        length = abs(figure.size) * unit if isfinite(figure.size) else 0.0
        is_first, negative = figure.size == largest, figure.size < 0
        x = zero - length if negative else zero
        strokes.append(Lettering(left - GAP, y + BAR / 2 + 4.5, label, "end", bold=is_first))
        strokes.append(
            Ground(
                x, y, length, BAR, "rust" if negative else "blue", 85 if is_first else 45, "ink", 0.0, 1.5, figure.of
            )
        )
        if negative:
            strokes += hatched(x, y, length, BAR, "ink")
        end = column or (x - 6 if negative else x + length + 6)
        strokes.append(Lettering(end, y + BAR / 2 + 4, figure.number, "end" if negative else "start", bold=is_first))
    bottom = top + STEP * (len(group.bars) - 1) + BAR
    return [*strokes, Course(((zero, top - 4), (zero, bottom + 4)), "ink", 1.0)]
