"""Pictures as SVG: files beside a page of Markdown, texts inside one, and input for Typst.

Text stays text, and no style sheet, script or other file is needed. A picture brings its own white ground for readers
who use a dark one.
"""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial, singledispatch
from types import MappingProxyType
from typing import Literal
from urllib.parse import quote

from symattn.base import words as languages
from symattn.base.errors import RenderError, UnknownNameError, unknown
from symattn.base.shapes import EntryPlace
from symattn.show.blocks import Block, Document, Picture
from symattn.show.drawings import PictureLabel
from symattn.show.math import Number
from symattn.write import environment, escape, layout
from symattn.write.environment import Macros
from symattn.write.letters import runs
from symattn.write.page import MacroValues
from symattn.write.pictures.sketch import sketch
from symattn.write.pictures.strokes import (
    SIZE,
    SMALL,
    Course,
    DrawnStroke,
    Filled,
    Ground,
    Lettering,
    Point,
    Spot,
    Tint,
)
from symattn.write.runs import plain_sentence

TINTS: Mapping[Tint, tuple[int, int, int]] = MappingProxyType(
    {
        "ink": (31, 41, 51),
        "faint": (123, 135, 148),
        "paper": (255, 255, 255),
        "blue": (16, 78, 139),
        "rust": (178, 76, 20),
        "token1": (2, 59, 243),
        "token2": (101, 40, 36),
        "token3": (36, 117, 108),
        "token4": (173, 58, 167),
        "token5": (121, 109, 13),
        "token6": (80, 8, 153),
    }
)
"""The colours: red, green and blue."""

SCRIPT = 0.72
_BELOW: Mapping[int, float] = MappingProxyType({-1: 0.22, 0: 0.0, 1: -0.34})
"""The size of subscripts and superscripts, and their distance below the line, for a size of 1."""
ACCENT, RAISED, SLANT = 0.45, 0.2, 0.1
"""Estimated width of an accent, its rise above a tall letter, and its shift to the right above a slanting one."""
_LOW = frozenset("acegmnopqrsuvwxyzαγεηικμνπρστυφχψω")
"""Letters so low that an accent need not be raised."""

_LATIN = "New Computer Modern, Latin Modern Roman, CMU Serif, STIX Two Text, Cambria, Times New Roman, serif"
_WIDE = "Noto Serif CJK {0}, Source Han Serif {0}, Songti {0}, Noto Sans CJK {0}, PingFang {0}, serif"


@dataclass(frozen=True)
class SvgLook:
    """The colour notation of a picture, and its fonts for Latin and Chinese letters; in a page those of the page."""

    colour: Callable[[Tint, int], str]
    latin: str = ""
    wide: str = ""
    leads: bool = False
    """Whether figures and cells name the entry they show, for links of a page."""

    def place(self, of: EntryPlace | None) -> str:
        """Return attributes that tell which entry something shows."""
        return escape.place_attributes(of) if self.leads else ""


def page_colour(tint: Tint, share: int = 100) -> str:
    """Return a colour as in the style sheet of a page, which has others on a dark ground.

    >>> page_colour("ink"), page_colour("blue", 40)
    ('var(--ink)', 'color-mix(in srgb,var(--blue) 40%,var(--paper))')
    """
    if share in (0, 100):
        return f"var(--{tint if share else 'paper'})"
    return f"color-mix(in srgb,var(--{tint}) {share}%,var(--paper))"


IN_PAGE = SvgLook(page_colour, leads=True)


def svg(picture: Picture, words: Macros, language: str, look: SvgLook | None = None) -> str:
    """Return the text of a picture, a complete XML document; in an HTML page its ``look`` is that of the page.

    Raises :class:`~symattn.base.errors.RenderError` for what cannot be drawn.
    """
    drawn = sketch(picture.drawing, words)
    macros = Macros(environment.environment("svg"), "picture.j2", "format svg", "stroke")
    if look is None:
        wide = _WIDE.format(languages.text(language, languages.ABOUT, "latex", "cjk", empty=True) or "TC")
        look = SvgLook(colour, _LATIN, wide)
    body = "".join(macros.call(type(each).__name__.lower(), svg_values(each, look)) for each in drawn.strokes)
    says = escape.in_xml(plain_sentence(picture.says, words))
    return (
        macros.call(
            "picture",
            {
                "width": svg_length(drawn.width),
                "height": svg_length(drawn.height),
                "says": says,
                "language": language,
                "font": look.latin,
                "size": svg_length(SIZE),
                "ink": look.colour("ink", 100),
                "paper": look.colour("paper", 100),
                "body": body,
            },
        ).strip()
        + "\n"
    )


def data_address(text: str) -> str:
    """Return the address of an SVG that is embedded in a page."""
    return f"data:image/svg+xml;base64,{b64encode(text.encode()).decode('ascii')}"


def svg_length(length: float) -> str:
    """Write a length with at most one decimal.

    >>> svg_length(12.04), svg_length(-0.04), svg_length(7.25)
    ('12', '0', '7.2')
    """
    text = f"{length:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def colour(tint: Tint, share: int = 100) -> str:
    """Return a percentage of a colour, the rest white.

    >>> colour("paper"), colour("ink"), colour("ink", 0)
    ('#ffffff', '#1f2933', '#ffffff')
    """
    return "#" + "".join(f"{round(255 + (part - 255) * share / 100):02x}" for part in TINTS[tint])


@singledispatch
def svg_values(stroke: DrawnStroke, look: SvgLook) -> MacroValues:
    """Return the values for the macro of a stroke.

    Raises :class:`~symattn.base.errors.RenderError` for anything but a stroke.
    """
    raise RenderError(f"no rule for {type(stroke).__name__}: not a stroke")


@svg_values.register(Ground)
def _(stroke: Ground, look: SvgLook) -> MacroValues:
    return {
        "x": svg_length(stroke.x),
        "y": svg_length(stroke.y),
        "width": svg_length(stroke.width),
        "height": svg_length(stroke.height),
        "fill": look.colour(stroke.tint, stroke.share),
        "edge": look.colour(stroke.edge, 100) if stroke.thickness else "none",
        "thickness": svg_length(stroke.thickness),
        "round": svg_length(stroke.round),
        "place": look.place(stroke.of),
    }


@svg_values.register(Course)
def _(stroke: Course, look: SvgLook) -> MacroValues:
    first, *others = map(_point, stroke.points)
    path = f"M{first}" + ("C" if stroke.curved and len(others) >= 3 else "L") + " ".join(others)
    return {
        "path": path,
        "tint": look.colour(stroke.tint, 100),
        "thickness": svg_length(stroke.thickness),
        "dashed": stroke.dashed,
    }


@svg_values.register(Filled)
def _(stroke: Filled, look: SvgLook) -> MacroValues:
    return {"points": " ".join(map(_point, stroke.points)), "tint": look.colour(stroke.tint, 100)}


@svg_values.register(Spot)
def _(stroke: Spot, look: SvgLook) -> MacroValues:
    return {
        "x": svg_length(stroke.x),
        "y": svg_length(stroke.y),
        "radius": svg_length(stroke.radius),
        "tint": look.colour(stroke.tint, 100),
    }


@svg_values.register(Lettering)
def _(stroke: Lettering, look: SvgLook) -> MacroValues:
    return {
        "x": svg_length(stroke.x),
        "y": svg_length(stroke.y),
        "runs": _written(stroke.what, SMALL if stroke.small else SIZE, look.wide),
        "anchor": stroke.anchor,
        "tint": look.colour(stroke.shade, 100),
        "size": svg_length(SMALL) if stroke.small else "",
        "bold": stroke.bold,
        "place": look.place(stroke.what.of if isinstance(stroke.what, Number) else None),
    }


def _point(point: Point) -> str:
    return f"{svg_length(point[0])},{svg_length(point[1])}"


def _written(what: PictureLabel, size: float, fonts: str) -> list[dict[str, object]]:
    """Return the runs of a label, each with its shift downwards from the one before, and to the right."""
    told: list[dict[str, object]] = []
    below = back = 0.0
    for run in runs(what):
        own = size * (SCRIPT if run.level else 1)
        lower, right = size * _BELOW[run.level], -back
        back = 0.0
        if run.above:
            lower -= 0.0 if run.above in _LOW else RAISED * own
            right = (SLANT - (layout.text_width(run.above) + ACCENT) / 2) * own
            back = right + ACCENT * own
        told.append(
            {
                "text": escape.in_xml(run.text),
                "fonts": fonts if any(map(escape.is_wide, run.text)) else "",
                "italic": run.italic,
                "bold": run.bold,
                "size": svg_length(own) if run.level else "",
                "down": svg_length(lower - below),
                "right": svg_length(right),
            }
        )
        below = lower
    return told


PictureMode = Literal["inline", "files", "none", "missing"]
"""In the page, in files beside it, nowhere; or ``missing``: in the page where the format draws, and else nowhere."""
PICTURE_MODES: tuple[PictureMode, ...] = ("inline", "files", "none", "missing")

WITHOUT_DRAWING = ("markdown", "rst")
"""Formats that cannot draw: their pictures are files, or addresses that contain them."""


@dataclass
class PicturePlaces:
    """Places for the pictures of one page, and the results: texts for files, or the number of omitted ones."""

    mode: PictureMode
    folder: str = ""
    """The folder of the files, as the page names it."""
    files: dict[str, str] = field(default_factory=dict)
    left_out: int = 0

    def __post_init__(self) -> None:
        if self.mode not in PICTURE_MODES:
            raise UnknownNameError(unknown("figures", self.mode, PICTURE_MODES))

    def placed(self, document: Document, format: str) -> Document:
        """Return the document with an address for each picture where the format needs one, or without pictures."""
        if not any(isinstance(block, Picture) for block in document.blocks):
            return document
        return document.changed(partial(self._placed, document=document, format=format))

    def _placed(self, block: Block, document: Document, format: str) -> Block | None:
        if not isinstance(block, Picture):
            return block
        if self.mode == "none" or (self.mode == "missing" and format in WITHOUT_DRAWING):
            self.left_out += 1
            return None
        return block if format not in WITHOUT_DRAWING else replace(block, target=self._address(block, document))

    def _address(self, picture: Picture, document: Document) -> str:

        text = svg(picture, environment.phrases(document.language), document.language)
        if self.mode == "inline":
            return data_address(text)
        # Numbered: names differ even if case does not count, and files sort in the order of the page.
        name = f"{len(self.files) + 1:02}-{picture.name}.svg"
        self.files[name] = text
        # The bytes of the name, which may be of any encoding or of none.
        return f"{quote(os.fsencode(self.folder))}/{name}"
