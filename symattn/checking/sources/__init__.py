"""A module for each format a document may have: from a file to pieces that know their places.

>>> document = read_document("With $d_k = 4$:", "tutorial.md")
>>> [(piece.kind, piece.text) for piece in document.pieces if piece.text]
[('prose', 'With '), ('math', 'd_k = 4'), ('prose', ':')]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import PurePath

from symattn.base.budget import Budget, apart
from symattn.base.errors import BudgetError
from symattn.base.limits import DOCUMENT_STEPS
from symattn.checking.source import Readable
from symattn.checking.sources.gathering import Gathering
from symattn.checking.sources.html import gather_html
from symattn.checking.sources.latex import gather_latex
from symattn.checking.sources.markdown import gather_markdown
from symattn.checking.sources.notebook import gather_notebook
from symattn.checking.sources.plain import gather_plain
from symattn.checking.sources.traced import Traced

Gather = Callable[[Traced, Gathering], None]

FORMATS: Mapping[str, Gather] = {
    "markdown": gather_markdown,
    "latex": gather_latex,
    "notebook": gather_notebook,
    "html": gather_html,
    "plain": gather_plain,
}
"""What reads each format."""

ENDINGS: Mapping[str, str] = {
    ".md": "markdown", ".markdown": "markdown", ".mdx": "markdown", ".mkd": "markdown", ".qmd": "markdown",
    ".rmd": "markdown", ".mdown": "markdown", ".tex": "latex", ".latex": "latex", ".ltx": "latex",
    ".py": "plain", ".ipynb": "notebook", ".html": "html", ".htm": "html", ".xhtml": "html",
}  # fmt: skip
"""What the ending of a name says; any other is known by what the text looks like."""

_HTML = re.compile(r"\s{0,200}<(?:!doctype html|html|head|body|\?xml|div|p|table|article)\b", re.IGNORECASE)
_LATEX = re.compile(r"^[ \t]{0,20}\\(?:documentclass|begin\{document\}|section\*?\{|usepackage)", re.MULTILINE)
_NOTEBOOK = re.compile(r"\s{0,200}\{\s{0,200}\"(?:cells|metadata|nbformat|worksheets)\"")
_PROGRAM = re.compile(r"\s{0,200}(?:#[^\n]{0,300}\n\s{0,200}){0,40}(?:import \w|from [\w.]{1,80} import )")
_MARKDOWN = re.compile(
    r"^(?: {0,8}(?:```|~~~)|#{1,6} \S|\|.{1,300}\|[ \t]*$| {0,20}> )|"
    r"\*\*[^\s*][^*\n]{0,200}\*\*|^ {0,8}\$\$|\]\(https?:",
    re.MULTILINE,
)


def format_of(text: str, name: str = "") -> str:
    r"""The format of a document: what the ending of its name says, else what it looks like.

    >>> format_of("", "notes.tex"), format_of("## Scores", "notes.txt"), format_of(r"\[ x \]", "notes.txt")
    ('latex', 'markdown', 'plain')
    >>> format_of("import numpy as np\nprint(x)\n# [0.5 0.5]", "attention.txt")
    'plain'
    """
    if known := ENDINGS.get(PurePath(name).suffix.lower()):
        return known
    if _PROGRAM.match(text) and "```" not in text:
        return "plain"  # whose remarks are no headings
    looks = {"notebook": _NOTEBOOK.match, "html": _HTML.match, "latex": _LATEX.search, "markdown": _MARKDOWN.search}
    return next((format for format, look in looks.items() if look(text)), "plain")


def read_document(text: str, name: str = "") -> Readable:
    """A document as pieces, by the format of its name, or by what it looks like, as far as half of its steps reach.

    Raises :class:`~symattn.base.errors.DocumentError` for a notebook that is none; every other text is a document.
    """
    gathering = Gathering()
    format = format_of(text, name)
    gather = partial(gather_notebook, where=name or "notebook") if format == "notebook" else FORMATS[format]
    traced = Traced.of(text)[1:] if text.startswith("\ufeff") else Traced.of(text)
    try:
        with apart(Budget(DOCUMENT_STEPS // 2)):
            gather(traced, gathering)
    except BudgetError:
        return gathering.document(name, text, is_whole=False)
    return gathering.document(name, text)
