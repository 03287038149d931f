"""From a drawing to a sketch: one layout for each kind, whatever the format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from symattn.document.drawings import Arcs, BarChart, Drawing, Flow, HeatMap, Vectors, WavePlot
from symattn.errors import RenderError
from symattn.render.pictures.arcs import arcs
from symattn.render.pictures.flows import flow
from symattn.render.pictures.plane import vectors, waves
from symattn.render.pictures.strokes import Sketch
from symattn.render.pictures.tables import bars, heat_map

LAYOUTS: Mapping[type, Callable[[Any], Sketch]] = MappingProxyType(
    {HeatMap: heat_map, BarChart: bars, Arcs: arcs, Flow: flow, Vectors: vectors, WavePlot: waves}
)


def sketch(drawing: Drawing) -> Sketch:
    """A drawing, laid out. Raises :class:`~symattn.errors.RenderError` for what is none."""
    if type(drawing) not in LAYOUTS:
        raise RenderError(f"no rule for {type(drawing).__name__}: not a drawing")
    return LAYOUTS[type(drawing)](drawing)
