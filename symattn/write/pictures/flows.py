"""The flow of a derivation: the operands of a name are to its left, or above it where gradients are shown.

Names are arranged in layers, each after all its operands. An edge across several layers has a place of its own in each,
so that it passes the names there. A few sweeps bring related names close together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from symattn.show.drawings import Flow, FlowNode
from symattn.show.math import Letter, Math, Sign, seq
from symattn.write import escape, layout
from symattn.write.environment import Macros
from symattn.write.pictures.strokes import (
    BOLD,
    DrawnStroke,
    Ground,
    Lettering,
    Point,
    Sketch,
    arrow,
    shifted,
    wide,
    widest,
)

HIGH, BETWEEN = 38.0, 18.0
"""The height of a box, and the space for arrows between two layers."""
APART, LANE = 12.0, 8.0
"""The space between two boxes of a layer, and the width of an edge that passes them."""
EDGE = 6.0
CHINESE = 5
"""The most Chinese characters in a line of a box."""
SWEEPS = 8

LINE, BESIDE, BEND = 13.0, 6.0, 16.0
"""The height of a line of gradients, the distance of their arrow from that of the data, and the space for bends."""


_Area = tuple[float, float, float, float]
"""The left, top, right and bottom of a box."""


@dataclass(frozen=True)
class _Graph:
    """Nodes, then the places of edges in the layers they pass; every link leads to the next layer."""

    sizes: list[float]
    """The width of each within its layer."""
    lines: list[float]
    """The offset of the edges from its middle."""
    layers: list[list[int]]
    before: dict[int, list[int]]
    behind: dict[int, list[int]]
    routes: list[list[int]]
    """The nodes and places that each edge passes."""


@dataclass(frozen=True)
class _Place:
    """Where an edge enters and leaves a node or a place: along the flow, and across it."""

    start: float
    end: float
    across: float

    def shifted(self, by: float) -> _Place:
        return replace(self, across=self.across + by)


def flow(drawing: Flow, words: Macros) -> Sketch:
    """Draw boxes with names and shapes, and arrows from operands to results.

    With gradients on its edges the flow runs from top to bottom, so that they are beside the arrows: each in a place of
    its own in the gap after its matrix.
    """
    turned = any(edge.back for edge in drawing.edges)
    labels = [(*edge.back, drawing.nodes[edge.start].shape) if edge.back else () for edge in drawing.edges]
    called = [_lines(words.call(f"role_{node.role}", {"means": 0})) if node.role else () for node in drawing.nodes]
    widths = [_width(node, lines) for node, lines in zip(drawing.nodes, called, strict=True)]
    heights = [HIGH + LINE * (len(each.sums) + len(lines)) for each, lines in zip(drawing.nodes, called, strict=True)]
    along, sizes = (heights, widths) if turned else (widths, heights)
    graph = _graph(drawing, sizes, [2 * BESIDE + widest(label, small=True) if label else LANE for label in labels])
    across = _together(_across(graph), graph.sizes)
    lengths = dict.fromkeys(across, LANE) | dict(enumerate(along))
    lengths |= {route[1]: LINE * len(label) for route, label in zip(graph.routes, labels, strict=True) if label}
    rows = [max(lengths[node] for node in layer) for layer in graph.layers]
    starts = [EDGE + layout.total_extent(rows[:k]) + (BEND if turned else BETWEEN) * k for k in range(len(rows))]
    shift = EDGE - min(across[node] - graph.sizes[node] / 2 for node in across)
    places: dict[int, _Place] = {}
    for start, row, layer in zip(starts, rows, graph.layers, strict=True):
        for node in layer:
            length = lengths[node] if node < len(along) else row
            first = start + (row - length) / 2
            places[node] = _Place(first, first + length, across[node] + graph.lines[node] + shift)
    strokes: list[DrawnStroke] = []
    for route, label in zip(graph.routes, labels, strict=True):
        strokes += _edge([places[node] for node in route], label, turned)
    boxes = [places[node] for node in range(len(drawing.nodes))]
    areas: list[_Area] = []
    for box, lines, width, height, place in zip(drawing.nodes, called, widths, heights, boxes, strict=True):
        corner = (place.across - width / 2, place.start) if turned else (place.start, place.across - height / 2)
        areas.append((*corner, corner[0] + width, corner[1] + height))
        strokes += _box(box, lines, *corner, width, height)
    groups = list(_groups(drawing, areas, words))
    far = starts[-1] + rows[-1] + EDGE
    wide_across = max(across[node] + graph.sizes[node] / 2 for node in across) + shift + EDGE
    width, height = (wide_across, far) if turned else (far, wide_across)
    frames = [each for each in groups if isinstance(each, Ground)]
    left, top = max([0.0, *(2 - each.x for each in frames)]), max([0.0, *(2 - each.y for each in frames)])
    width = max([width, *(each.x + each.width + 2 for each in frames)])
    height = max([height, *(each.y + each.height + 2 for each in frames)])
    return Sketch(width + left, height + top, tuple(shifted(each, left, top) for each in (*groups, *strokes)))


def _edge(places: Sequence[_Place], label: Sequence[Math], turned: bool) -> Iterator[DrawnStroke]:
    """Draw an arrow to a result; beside it a dashed one back, with the gradients in its place."""
    apart = BESIDE / 2 if label else 0.0
    yield from arrow(_route([place.shifted(-apart) for place in places], turned), curved=True)
    if label:
        yield from arrow(_route([place.shifted(apart) for place in places], turned)[::-1], "rust", 1.0, True, True)
    for line, what in enumerate(label):
        x, y = places[1].across + apart + 5, places[1].start + LINE * (line + 1) - 3
        yield Lettering(x, y, what, "start", "rust", small=True)


def _width(node: FlowNode, lines: Sequence[str]) -> float:
    """Return the width of a box."""
    small = widest((*lines, *map(_summed, node.sums), node.shape), small=True)
    return max(BOLD * wide(node.symbol), small) + 12


def _lines(text: str) -> tuple[str, ...]:
    """Return words in one line, or in the two that are narrowest; Chinese of more than five characters in halves.

    >>> _lines("attention weights"), _lines("queries"), _lines("前饋網路的輸出")
    (('attention', 'weights'), ('queries',), ('前饋網路', '的輸出'))
    """
    words = text.split(" ")
    if len(words) == 1:
        half = (len(text) + 1) // 2
        return (text[:half], text[half:]) if len(text) > CHINESE and escape.is_wide(text[0]) else (text,)
    return min(((" ".join(words[:k]), " ".join(words[k:])) for k in range(1, len(words))), key=widest)


def _groups(drawing: Flow, areas: Sequence[_Area], words: Macros) -> Iterator[DrawnStroke]:
    """Yield a frame around the boxes of each part of a layer, unless another box is inside it."""
    for group in dict.fromkeys(node.group for node in drawing.nodes if node.group):
        inside = [area for node, area in zip(drawing.nodes, areas, strict=True) if node.group == group]
        left, top = (min(area[k] for area in inside) - 5 for k in (0, 1))
        right, bottom = (max(area[k] for area in inside) + 5 for k in (2, 3))
        others = (area for node, area in zip(drawing.nodes, areas, strict=True) if node.group != group)
        if len(inside) < 2 or any(a < right and left < c and b < bottom and top < d for a, b, c, d in others):
            continue
        yield Ground(left, top - LINE, right - left, bottom - top + LINE, "rust", 6, "faint", 0.8, 8.0)
        yield Lettering(left + 7, top - 2, words.call(f"flow_{group}", {}), "start", "faint", small=True)


def _summed(gradient: Math) -> Math:
    """Σ: ∂L/∂X"""
    return seq(Letter("Sigma"), Sign(":"), gradient)


def _box(
    node: FlowNode, lines: Sequence[str], left: float, top: float, width: float, height: float
) -> list[DrawnStroke]:
    """Draw a box: givens have square corners on white, results round ones on blue."""
    share, corners = (0, 0.0) if node.given else (12, 6.0)
    x, y = left + width / 2, top + HIGH / 2
    ground = Ground(left, top, width, height, "blue", share, "ink", 1.0, corners)
    name = Lettering(x, y - 2, node.symbol, bold=True)
    called = [Lettering(x, y + 13 + LINE * k, line, small=True) for k, line in enumerate(lines)]
    y += 13 + LINE * len(lines)
    sums = [Lettering(x, y + LINE * k, _summed(each), tint="rust", small=True) for k, each in enumerate(node.sums, 1)]
    return [ground, name, *called, Lettering(x, y, node.shape, tint="faint", small=True), *sums]


def _route(places: Sequence[_Place], turned: bool) -> tuple[Point, ...]:
    """Return a path straight through the layers that an edge passes, bent between them; ``turned``: downwards."""
    points: list[Point] = [(places[0].end, places[0].across)]
    for one, other in pairwise(places):
        middle = (one.end + other.start) / 2
        points += [(middle, one.across), (middle, other.across), (other.start, other.across)]
        if other != places[-1]:
            third = (other.end - other.start) / 3
            points += [
                (other.start + third, other.across),
                (other.end - third, other.across),
                (other.end, other.across),
            ]
    return tuple((y, x) for x, y in points) if turned else tuple(points)


def _graph(drawing: Flow, sizes: Sequence[float], rooms: Sequence[float]) -> _Graph:
    """Arrange a flow in layers; ``rooms`` has the space that each edge needs with its gradients.

    If there are gradients, a layer of places for them is between two layers of nodes.
    """
    depth = [0] * len(drawing.nodes)
    for edge in drawing.edges:  # in the order of the derivation: earlier nodes are done
        depth[edge.end] = max(depth[edge.end], depth[edge.start] + 1)
    for place in reversed(range(len(drawing.nodes))):  # inputs that are needed late are placed late
        ends = [depth[edge.end] for edge in drawing.edges if edge.start == place]
        if ends and drawing.nodes[place].given:
            depth[place] = min(ends) - 1
    if any(edge.back for edge in drawing.edges):
        depth = [2 * each for each in depth]
    taken, lines = list(sizes), [0.0] * len(sizes)
    layers: list[list[int]] = [[] for _ in range(max(depth, default=0) + 1)]
    for place, layer in enumerate(depth):
        layers[layer].append(place)
    before: dict[int, list[int]] = {}
    behind: dict[int, list[int]] = {}
    routes: list[list[int]] = []
    for number, edge in enumerate(drawing.edges):
        route = [edge.start]
        for layer in range(depth[edge.start] + 1, depth[edge.end]):
            taken.append(rooms[number] if layer == depth[edge.start] + 1 else LANE)
            lines.append((LANE - taken[-1]) / 2)
            layers[layer].append(len(taken) - 1)
            route.append(len(taken) - 1)
        route.append(edge.end)
        routes.append(route)
        for one, other in pairwise(route):
            before.setdefault(other, []).append(one)
            behind.setdefault(one, []).append(other)
    return _ordered(_Graph(taken, lines, layers, before, behind, routes))


def _ordered(graph: _Graph) -> _Graph:
    """Return the graph with the fewest crossings found by sweeping back and forth."""
    layers = graph.layers
    best, fewest = layers, _crossings(layers, graph.behind)
    for sweep in range(SWEEPS):
        forth = sweep % 2 == 0
        near = graph.before if forth else graph.behind
        layers = [list(layer) for layer in layers]
        for k in range(1, len(layers)) if forth else range(len(layers) - 2, -1, -1):
            places = {node: place for place, node in enumerate(layers[k - 1 if forth else k + 1])}
            layers[k].sort(key=_mean_of(near, places, {node: place for place, node in enumerate(layers[k])}))
        crossings = _crossings(layers, graph.behind)
        if crossings < fewest:
            best, fewest = layers, crossings
    return replace(graph, layers=best)


def _mean_of(near: dict[int, list[int]], places: dict[int, int], own: dict[int, int]) -> Callable[[int], float]:
    def mean(node: int) -> float:
        found = [places[other] for other in near.get(node, []) if other in places]
        return layout.total_extent(found) / len(found) if found else float(own[node])

    return mean


def _crossings(layers: Sequence[Sequence[int]], behind: dict[int, list[int]]) -> int:
    count = 0
    for upper, lower in pairwise(layers):
        places = {node: place for place, node in enumerate(lower)}
        links = [(i, places[end]) for i, node in enumerate(upper) for end in behind.get(node, []) if end in places]
        count += sum((a - c) * (b - d) < 0 for k, (a, b) in enumerate(links) for c, d in links[:k])
    return count


def _across(graph: _Graph) -> dict[int, float]:
    """Return the position of each node's middle: close to the mean of its neighbours, in order, without overlaps."""
    xs: dict[int, float] = {}
    for layer in graph.layers:
        x = 0.0
        for node in layer:
            xs[node] = x + graph.sizes[node] / 2
            x += graph.sizes[node] + APART
    for sweep in range(2 * SWEEPS):
        near = (graph.before, graph.behind)[sweep % 2]
        for layer in graph.layers if sweep % 2 == 0 else reversed(graph.layers):
            lines = {node: [xs[other] + graph.lines[other] for other in near.get(node, [])] for node in layer}
            wanted = [_mean(lines[node], xs[node] + graph.lines[node]) - graph.lines[node] for node in layer]
            for node, x in zip(layer, _apart(wanted, [graph.sizes[node] for node in layer]), strict=True):
                xs[node] = x
    return xs


def _together(xs: dict[int, float], sizes: list[float]) -> dict[int, float]:
    """Remove wide gaps that are empty from the first layer to the last."""
    reached, shift = float("-inf"), 0.0
    closer: dict[int, float] = {}
    for node in sorted(xs, key=lambda node: xs[node] - sizes[node] / 2):
        start = xs[node] - sizes[node] / 2
        shift += max(0.0, start - reached - 2 * APART) if closer else 0.0
        closer[node] = xs[node] - shift
        reached = max(reached, start + sizes[node])
    return closer


def _mean(found: list[float], own: float) -> float:
    return layout.total_extent(found) / len(found) if found else own


def _apart(wanted: list[float], sizes: list[float]) -> list[float]:
    """Return places as close as possible to the wanted ones: those that would overlap move together to their mean."""
    shifts = [0.0]
    for one, other in pairwise(sizes):
        shifts.append(shifts[-1] + (one + other) / 2 + APART)
    blocks: list[list[float]] = []
    for x, shift in zip(wanted, shifts, strict=True):
        blocks.append([x - shift])
        while len(blocks) > 1 and _mean(blocks[-2], 0.0) > _mean(blocks[-1], 0.0):
            blocks[-2:] = [[*blocks[-2], *blocks[-1]]]
    starts = [_mean(block, 0.0) for block in blocks for _ in block]
    return [start + shift for start, shift in zip(starts, shifts, strict=True)]
