"""The lexicon for those who follow a document: :mod:`symattn.checking.phrases`."""

from symattn.checking.phrases import (
    FOLDER,
    NAMES,
    SECTIONS,
    Chinese,
    Heard,
    Meaning,
    heard,
    is_letter,
    is_undone,
    lexicon,
    ordinal_endings,
    plain,
    spoken,
    tree,
    undone,
    written_in,
)

__all__ = [
    "FOLDER",
    "NAMES",
    "SECTIONS",
    "Chinese",
    "Heard",
    "Meaning",
    "heard",
    "is_letter",
    "is_undone",
    "lexicon",
    "ordinal_endings",
    "plain",
    "spoken",
    "tree",
    "undone",
    "written_in",
]
