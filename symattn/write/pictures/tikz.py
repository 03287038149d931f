"""Pictures as TikZ, inside a page of LaTeX."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import singledispatch
from types import MappingProxyType

from symattn.base.errors import RenderError
from symattn.show.blocks import Picture
from symattn.show.drawings import Drawing, PictureLabel, TokenLabel
from symattn.write import environment, escape
from symattn.write.environment import Macros
from symattn.write.page import MacroValues
from symattn.write.pictures.sketch import sketch
from symattn.write.pictures.strokes import Anchor, Course, DrawnStroke, Filled, Ground, Lettering, Point, Spot, Tint
from symattn.write.pictures.svg import svg, svg_length
from symattn.write.runs import plain_sentence
from symattn.write.tex_math import DISPLAY, tex

_ANCHORS: Mapping[Anchor, str] = MappingProxyType({"start": "base west", "middle": "base", "end": "base east"})


def tikz(drawing: Drawing, words: Macros) -> str:
    """Write a drawing as an environment ``tikzpicture``, whose commands are those of ``macros.j2``.

    Raises :class:`~symattn.base.errors.RenderError` for what cannot be drawn.
    """
    drawn = sketch(drawing, words)
    macros = Macros(environment.environment("latex"), "picture.j2", "format latex", "stroke")
    body = "".join(macros.call(type(each).__name__.lower(), tikz_values(each)) for each in drawn.strokes)
    return macros.call("picture", {"corner": _point((drawn.width, drawn.height)), "body": body}).strip()


def tinted(tint: Tint, share: int = 100) -> str:
    """Return a percentage of a colour, the rest white.

    >>> tinted("blue"), tinted("blue", 40)
    ('symattnblue', 'symattnblue!40')
    """
    return f"symattn{tint}" if share == 100 else f"symattn{tint}!{share}"


@singledispatch
def tikz_values(stroke: DrawnStroke) -> MacroValues:
    """Return the values for the macro of a stroke. Raises :class:`~symattn.base.errors.RenderError` for others."""
    raise RenderError(f"no rule for {type(stroke).__name__}: not a stroke")


@tikz_values.register(Ground)
def _(stroke: Ground) -> MacroValues:
    return {
        "start": _point((stroke.x, stroke.y)),
        "end": _point((stroke.x + stroke.width, stroke.y + stroke.height)),
        "fill": tinted(stroke.tint, stroke.share),
        "edge": tinted(stroke.edge) if stroke.thickness else "",
        "thickness": _points(stroke.thickness),
        "round": _points(stroke.round) if stroke.round else "",
    }


@tikz_values.register(Course)
def _(stroke: Course) -> MacroValues:
    first, *others = map(_point, stroke.points)
    if stroke.curved and len(others) >= 3:
        bends = zip(others[::3], others[1::3], others[2::3], strict=True)
        path = first + "".join(f" .. controls {one} and {two} .. {end}" for one, two, end in bends)
    else:
        path = " -- ".join((first, *others))
    return {
        "path": path,
        "tint": tinted(stroke.tint),
        "thickness": _points(stroke.thickness),
        "dashed": stroke.dashed,
    }


@tikz_values.register(Filled)
def _(stroke: Filled) -> MacroValues:
    return {"path": " -- ".join(map(_point, stroke.points)), "tint": tinted(stroke.tint)}


@tikz_values.register(Spot)
def _(stroke: Spot) -> MacroValues:
    return {"place": _point((stroke.x, stroke.y)), "radius": _points(stroke.radius), "tint": tinted(stroke.tint)}


@tikz_values.register(Lettering)
def _(stroke: Lettering) -> MacroValues:
    return {
        "place": _point((stroke.x, stroke.y)),
        "text": _written(stroke.what, stroke.bold),
        "anchor": _ANCHORS[stroke.anchor],
        "tint": tinted(stroke.shade),
        "small": stroke.small,
        "bold": stroke.bold,
    }


def _written(what: PictureLabel, bold: bool) -> str:
    if isinstance(what, str | TokenLabel):
        return escape.latex(what if isinstance(what, str) else what.text, unbroken=10**6)
    written = tex(what, DISPLAY.small)
    return rf"\(\boldsymbol{{{written}}}\)" if bold else rf"\({written}\)"


def _point(point: Point) -> str:
    return f"({svg_length(point[0])},{svg_length(point[1])})"


def _points(length: float) -> str:
    """Write a length in points."""
    return f"{0.75 * length:.2f}pt"


@dataclass(frozen=True, repr=False)
class ShownPicture:
    """A picture as SVG and TikZ; notebooks show the SVG, ``str()`` describes it."""

    picture: Picture = field(repr=False)
    language: str

    def __str__(self) -> str:
        return plain_sentence(self.picture.says, environment.phrases(self.language))

    def __repr__(self) -> str:
        return str(self)

    def svg(self) -> str:
        """Return the SVG, a whole file."""
        return svg(self.picture, environment.phrases(self.language), self.language)

    def tikz(self) -> str:
        """Return the ``tikzpicture``; its colour names are those that a page of LaTeX defines."""
        return tikz(self.picture.drawing, environment.phrases(self.language))

    def _repr_svg_(self) -> str:
        return self.svg()
