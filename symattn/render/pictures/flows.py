"""The flow of a derivation, from left to right: what a name is made of stands to the left of it.

Names stand in layers, each behind all that it is made of. An edge over several layers goes through a place of its own
in each of them, so that it runs past the names there. A few sweeps bring what belongs together beside one another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from symattn.document.drawings import Flow, FlowNode
from symattn.render import layout
from symattn.render.pictures.strokes import BOLD, DrawnStroke, Ground, Lettering, Point, Sketch, arrow, wide

HIGH, BETWEEN = 38.0, 26.0
"""How high a box is, and the room for arrows between two layers."""
APART, LANE = 12.0, 8.0
"""The room between two boxes of a layer, and what an edge takes that runs past them."""
EDGE = 6.0
SWEEPS = 8


@dataclass(frozen=True)
class _Graph:
    """Nodes, then the places of edges in the layers they run through; every link goes to the next layer."""

    heights: list[float]
    layers: list[list[int]]
    before: dict[int, list[int]]
    behind: dict[int, list[int]]
    routes: list[list[int]]
    """For each edge the nodes and places it runs through."""


def flow(drawing: Flow) -> Sketch:
    """Boxes with a name and its shape, arrows from what it is made of."""
    graph = _graph(drawing)
    ys = _together(_across(graph), graph.heights)
    widths = [max(BOLD * wide(node.symbol), wide(node.shape, small=True)) + 14 for node in drawing.nodes]
    columns = [max([widths[node] for node in layer if node < len(widths)] + [LANE]) for layer in graph.layers]
    lefts = [EDGE + layout.total(columns[:k]) + BETWEEN * k for k in range(len(columns))]
    layer_of = {node: k for k, layer in enumerate(graph.layers) for node in layer}
    shift = EDGE - min(ys[node] - graph.heights[node] / 2 for node in ys)

    def ends(node: int) -> tuple[float, float, float]:
        """Left, right and middle of a node, or of the column that an edge runs through."""
        k = layer_of[node]
        width = widths[node] if node < len(widths) else columns[k]
        left = lefts[k] + (columns[k] - width) / 2
        return left, left + width, ys[node] + shift

    strokes: list[DrawnStroke] = []
    for route in graph.routes:
        strokes += arrow(_route([ends(node) for node in route]), curved=True)
    for place, node in enumerate(drawing.nodes):
        strokes += _box(node, *ends(place))
    bottom = max(ys[node] + graph.heights[node] / 2 for node in ys) + shift
    return Sketch(lefts[-1] + columns[-1] + EDGE, bottom + EDGE, tuple(strokes))


def _box(node: FlowNode, left: float, right: float, middle: float) -> list[DrawnStroke]:
    """A given has square corners on white, what is worked out round ones on blue."""
    share, corners = (0, 0.0) if node.given else (12, 6.0)
    x = (left + right) / 2
    ground = Ground(left, middle - HIGH / 2, right - left, HIGH, "blue", share, "ink", 1.0, corners)
    name = Lettering(x, middle - 2, node.symbol, bold=True)
    return [ground, name, Lettering(x, middle + 13, node.shape, small=True)]


def _route(ends: Sequence[tuple[float, float, float]]) -> tuple[Point, ...]:
    """Straight through the layers that an edge passes, bent between them."""
    points: list[Point] = [(ends[0][1], ends[0][2])]
    for (_, start, y), (left, right, other) in pairwise(ends):
        middle = (start + left) / 2
        points += [(middle, y), (middle, other), (left, other)]
        if (left, right, other) != ends[-1]:
            third = (right - left) / 3
            points += [(left + third, other), (right - third, other), (right, other)]
    return tuple(points)


def _graph(drawing: Flow) -> _Graph:
    depth = [0] * len(drawing.nodes)
    for start, end in drawing.edges:  # in the order of the derivation: what stands before is done
        depth[end] = max(depth[end], depth[start] + 1)
    for place in reversed(range(len(drawing.nodes))):  # what is needed late stands late
        ends = [depth[end] for start, end in drawing.edges if start == place]
        if ends and drawing.nodes[place].given:
            depth[place] = min(ends) - 1
    heights = [HIGH] * len(drawing.nodes)
    layers: list[list[int]] = [[] for _ in range(max(depth, default=0) + 1)]
    for place, layer in enumerate(depth):
        layers[layer].append(place)
    before: dict[int, list[int]] = {}
    behind: dict[int, list[int]] = {}
    routes: list[list[int]] = []
    for start, end in drawing.edges:
        route = [start]
        for layer in range(depth[start] + 1, depth[end]):
            heights.append(LANE)
            layers[layer].append(len(heights) - 1)
            route.append(len(heights) - 1)
        route.append(end)
        routes.append(route)
        for one, other in pairwise(route):
            before.setdefault(other, []).append(one)
            behind.setdefault(one, []).append(other)
    return _ordered(_Graph(heights, layers, before, behind, routes))


def _ordered(graph: _Graph) -> _Graph:
    """The same with the fewest crossings that sweeps to and fro find."""
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
        return layout.total(found) / len(found) if found else float(own[node])

    return mean


def _crossings(layers: Sequence[Sequence[int]], behind: dict[int, list[int]]) -> int:
    count = 0
    for upper, lower in pairwise(layers):
        places = {node: place for place, node in enumerate(lower)}
        links = [(i, places[end]) for i, node in enumerate(upper) for end in behind.get(node, []) if end in places]
        count += sum((a - c) * (b - d) < 0 for k, (a, b) in enumerate(links) for c, d in links[:k])
    return count


def _across(graph: _Graph) -> dict[int, float]:
    """Where the middle of each stands: close to the mean of its neighbours, in order and apart from the next."""
    xs: dict[int, float] = {}
    for layer in graph.layers:
        x = 0.0
        for node in layer:
            xs[node] = x + graph.heights[node] / 2
            x += graph.heights[node] + APART
    for sweep in range(2 * SWEEPS):
        near = (graph.before, graph.behind)[sweep % 2]
        for layer in graph.layers if sweep % 2 == 0 else reversed(graph.layers):
            wanted = [_mean([xs[other] for other in near.get(node, [])], xs[node]) for node in layer]
            for node, x in zip(layer, _apart(wanted, [graph.heights[node] for node in layer]), strict=True):
                xs[node] = x
    return xs


def _together(xs: dict[int, float], heights: list[float]) -> dict[int, float]:
    """The same without the wide gaps that nothing stands in, from the first layer to the last."""
    reached, shift = float("-inf"), 0.0
    closer: dict[int, float] = {}
    for node in sorted(xs, key=lambda node: xs[node] - heights[node] / 2):
        start = xs[node] - heights[node] / 2
        shift += max(0.0, start - reached - 2 * APART) if closer else 0.0
        closer[node] = xs[node] - shift
        reached = max(reached, start + heights[node])
    return closer


def _mean(found: list[float], own: float) -> float:
    return layout.total(found) / len(found) if found else own


def _apart(wanted: list[float], heights: list[float]) -> list[float]:
    """Places as close to the wanted ones as there is room: those that would overlap move together to their mean."""
    shifts = [0.0]
    for one, other in pairwise(heights):
        shifts.append(shifts[-1] + (one + other) / 2 + APART)
    blocks: list[list[float]] = []
    for x, shift in zip(wanted, shifts, strict=True):
        blocks.append([x - shift])
        while len(blocks) > 1 and _mean(blocks[-2], 0.0) > _mean(blocks[-1], 0.0):
            blocks[-2:] = [[*blocks[-2], *blocks[-1]]]
    starts = [_mean(block, 0.0) for block in blocks for _ in block]
    return [start + shift for start, shift in zip(starts, shifts, strict=True)]
