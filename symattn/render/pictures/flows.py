"""The flow of a derivation, from top to bottom: what a name is made of stands above it.

Names stand in layers, each below all that it is made of. An edge over several layers goes through a place of its own in
each of them, so that it runs past the names there. A few sweeps bring what belongs together above one another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from symattn.document.drawings import Flow, FlowNode
from symattn.render import layout
from symattn.render.pictures.strokes import DrawnStroke, Ground, Lettering, Point, Sketch, arrow, wide

HIGH, BETWEEN = 25.0, 25.0
"""How high a box is, and the room for arrows between two layers."""
APART, LANE = 18.0, 10.0
"""The room between two boxes of a layer, and how wide an edge is that runs past them."""
SWEEPS = 8


@dataclass(frozen=True)
class _Graph:
    """Nodes, then the places of edges in the layers they run through; every link goes to the next layer."""

    widths: list[float]
    layers: list[list[int]]
    above: dict[int, list[int]]
    below: dict[int, list[int]]
    routes: list[list[int]]
    """For each edge the nodes and places it runs through."""


def flow(drawing: Flow) -> Sketch:
    """Boxes with a name and its shape, arrows from what it is made of."""
    graph = _graph(drawing)
    xs = _together(_across(graph), graph.widths)
    layer_of = {node: k for k, layer in enumerate(graph.layers) for node in layer}
    shift = 8.0 - min(xs[node] - graph.widths[node] / 2 for node in xs)
    right = max(xs[node] + graph.widths[node] / 2 for node in xs) + shift + 8.0

    def top(node: int) -> float:
        return 8.0 + (HIGH + BETWEEN) * layer_of[node]

    strokes: list[DrawnStroke] = []
    for route in graph.routes:
        strokes += arrow(_route([xs[node] + shift for node in route], [top(node) for node in route]), curved=True)
    for place, node in enumerate(drawing.nodes):
        strokes += _box(node, xs[place] + shift, top(place), graph.widths[place])
    return Sketch(right, 8.0 + len(graph.layers) * (HIGH + BETWEEN) - BETWEEN + 8.0, tuple(strokes))


def _box(node: FlowNode, x: float, y: float, width: float) -> list[DrawnStroke]:
    """A given has square corners on white, what is worked out round ones on blue."""
    ground = Ground(
        x - width / 2, y, width, HIGH, "blue", 0 if node.given else 12, "ink", 1.0, 0.0 if node.given else 7
    )
    name = Lettering(x - width / 2 + 9, y + 16.5, node.symbol, "start", bold=True)
    return [ground, name, Lettering(x + width / 2 - 9, y + 16.5, node.shape, "end", small=True)]


def _route(xs: list[float], tops: list[float]) -> tuple[Point, ...]:
    """Straight through the layers that an edge passes, bent between them."""
    points: list[Point] = [(xs[0], tops[0] + HIGH)]
    for place in range(1, len(xs)):
        end = tops[place]
        start = end - BETWEEN
        middle = (start + end) / 2
        points += [(xs[place - 1], middle), (xs[place], middle), (xs[place], end)]
        if place < len(xs) - 1:
            third = HIGH / 3
            points += [(xs[place], end + third), (xs[place], end + 2 * third), (xs[place], end + HIGH)]
    return tuple(points)


def _graph(drawing: Flow) -> _Graph:
    depth = [0] * len(drawing.nodes)
    for start, end in drawing.edges:  # in the order of the derivation: what stands before is done
        depth[end] = max(depth[end], depth[start] + 1)
    for place in reversed(range(len(drawing.nodes))):  # what is needed late stands late
        ends = [depth[end] for start, end in drawing.edges if start == place]
        if ends and drawing.nodes[place].given:
            depth[place] = min(ends) - 1
    widths = [1.15 * wide(node.symbol) + wide(node.shape, small=True) + 26 for node in drawing.nodes]
    layers: list[list[int]] = [[] for _ in range(max(depth, default=0) + 1)]
    for place, layer in enumerate(depth):
        layers[layer].append(place)
    above: dict[int, list[int]] = {}
    below: dict[int, list[int]] = {}
    routes: list[list[int]] = []
    for start, end in drawing.edges:
        route = [start]
        for layer in range(depth[start] + 1, depth[end]):
            widths.append(LANE)
            layers[layer].append(len(widths) - 1)
            route.append(len(widths) - 1)
        route.append(end)
        routes.append(route)
        for one, other in pairwise(route):
            above.setdefault(other, []).append(one)
            below.setdefault(one, []).append(other)
    return _ordered(_Graph(widths, layers, above, below, routes))


def _ordered(graph: _Graph) -> _Graph:
    """The same with layers in which what belongs together stands above one another."""
    layers = [list(layer) for layer in graph.layers]
    best, fewest = layers, _crossings(layers, graph.below)
    for sweep in range(SWEEPS):
        near, order = (
            (graph.above, range(1, len(layers)))
            if sweep % 2 == 0
            else (
                graph.below,
                range(len(layers) - 2, -1, -1),
            )
        )
        layers = [list(layer) for layer in layers]
        for k in order:
            other = layers[k - 1] if sweep % 2 == 0 else layers[k + 1]
            places = {node: place for place, node in enumerate(other)}
            layers[k].sort(key=_mean_of(near, places, {node: place for place, node in enumerate(layers[k])}))
        crossings = _crossings(layers, graph.below)
        if crossings < fewest:
            best, fewest = layers, crossings
    return _Graph(graph.widths, best, graph.above, graph.below, graph.routes)


def _mean_of(near: dict[int, list[int]], places: dict[int, int], own: dict[int, int]) -> Callable[[int], float]:
    def mean(node: int) -> float:
        found = [places[other] for other in near.get(node, []) if other in places]
        return layout.total(found) / len(found) if found else float(own[node])

    return mean


def _crossings(layers: Sequence[Sequence[int]], below: dict[int, list[int]]) -> int:
    count = 0
    for upper, lower in pairwise(layers):
        places = {node: place for place, node in enumerate(lower)}
        links = [(i, places[end]) for i, node in enumerate(upper) for end in below.get(node, []) if end in places]
        count += sum((a - c) * (b - d) < 0 for k, (a, b) in enumerate(links) for c, d in links[:k])
    return count


def _across(graph: _Graph) -> dict[int, float]:
    """Where the middle of each stands: close to the mean of its neighbours, in order and apart from the next."""
    xs: dict[int, float] = {}
    for layer in graph.layers:
        x = 0.0
        for node in layer:
            xs[node] = x + graph.widths[node] / 2
            x += graph.widths[node] + APART
    for sweep in range(2 * SWEEPS):
        near = (graph.above, graph.below)[sweep % 2]
        for layer in graph.layers if sweep % 2 == 0 else reversed(graph.layers):
            wanted = [_mean([xs[other] for other in near.get(node, [])], xs[node]) for node in layer]
            for node, x in zip(layer, _apart(wanted, [graph.widths[node] for node in layer]), strict=True):
                xs[node] = x
    return xs


def _together(xs: dict[int, float], widths: list[float]) -> dict[int, float]:
    """The same without the wide gaps that nothing stands in, from the first layer to the last."""
    reached, shift = float("-inf"), 0.0
    closer: dict[int, float] = {}
    for node in sorted(xs, key=lambda node: xs[node] - widths[node] / 2):
        start = xs[node] - widths[node] / 2
        shift += max(0.0, start - reached - 2 * APART) if closer else 0.0
        closer[node] = xs[node] - shift
        reached = max(reached, start + widths[node])
    return closer


def _mean(found: list[float], own: float) -> float:
    return layout.total(found) / len(found) if found else own


def _apart(wanted: list[float], widths: list[float]) -> list[float]:
    """Places as close to the wanted ones as there is room: those that would overlap move together to their mean."""
    shifts = [0.0]
    for one, other in pairwise(widths):
        shifts.append(shifts[-1] + (one + other) / 2 + APART)
    blocks: list[list[float]] = []
    for x, shift in zip(wanted, shifts, strict=True):
        blocks.append([x - shift])
        while len(blocks) > 1 and _mean(blocks[-2], 0.0) > _mean(blocks[-1], 0.0):
            blocks[-2:] = [[*blocks[-2], *blocks[-1]]]
    starts = [_mean(block, 0.0) for block in blocks for _ in block]
    return [start + shift for start, shift in zip(starts, shifts, strict=True)]
