"""Where the pictures of a page are: in the page, in files beside it, or nowhere."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal
from urllib.parse import quote

from symattn.document.blocks import Block, Document, Picture
from symattn.errors import UnknownNameError, unknown
from symattn.render import environment

PictureMode = Literal["inline", "files", "none", "missing"]
"""In the page, in files beside it, nowhere; or ``missing``: in the page where the format draws, and else nowhere."""
PICTURE_MODES: tuple[PictureMode, ...] = ("inline", "files", "none", "missing")

WITHOUT_DRAWING = ("markdown", "rst")
"""Formats that cannot draw: there a picture is a file, or an address that holds it."""


@dataclass
class PicturePlaces:
    """Places for the pictures of one page, and what comes of them: texts for files, or how many are left out."""

    mode: PictureMode
    folder: str = ""
    """The folder of the files, as the page names it."""
    files: dict[str, str] = field(default_factory=dict)
    left_out: int = 0

    def __post_init__(self) -> None:
        if self.mode not in PICTURE_MODES:
            raise UnknownNameError(unknown("figures", self.mode, PICTURE_MODES))

    def placed(self, document: Document, format: str) -> Document:
        """The document with an address for each picture where the format needs one, or without pictures."""
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
        from symattn.render.pictures.svg import data_address, svg

        text = svg(picture, environment.words(document.language), document.language)
        if self.mode == "inline":
            return data_address(text)
        # Numbered: names differ even where capitals do not count, and files stand in the order of the page.
        name = f"{len(self.files) + 1:02}-{picture.name}.svg"
        self.files[name] = text
        # The bytes of the name, which may be of any encoding or of none.
        return f"{quote(os.fsencode(self.folder))}/{name}"
