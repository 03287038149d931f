"""A picture by itself, outside of any page."""

from __future__ import annotations

from dataclasses import dataclass, field

from symattn.document.blocks import Picture
from symattn.render import environment
from symattn.render.pictures.svg import svg
from symattn.render.pictures.tikz import tikz
from symattn.render.runs import plain


@dataclass(frozen=True, repr=False)
class ShownPicture:
    """A picture as SVG and TikZ; notebooks show the SVG, ``str()`` says what it shows."""

    picture: Picture = field(repr=False)
    language: str

    def __str__(self) -> str:
        return plain(self.picture.says, environment.words(self.language))

    def __repr__(self) -> str:
        return str(self)

    def svg(self) -> str:
        """The SVG, a whole file."""
        return svg(self.picture, environment.words(self.language), self.language)

    def tikz(self) -> str:
        """The ``tikzpicture``; the colours of its names are those that a page of LaTeX defines."""
        return tikz(self.picture.drawing)

    def _repr_svg_(self) -> str:
        return self.svg()
