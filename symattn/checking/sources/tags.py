"""Tags as they stand in pages: what each is, and where it ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import Literal

from symattn.checking.sources.traced import Traced

_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]{0,30})(?=[\s/>])([^<>]*)>")
_ATTRIBUTE = re.compile(r"([A-Za-z_:][-\w:.]{0,60})\s{0,20}=\s{0,20}(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'<>=`]+))")

BLOCKS = frozenset(
    "address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hr html legend li main nav ol p pre section summary table tbody td tfoot th thead tr ul "
    "caption".split()
)
"""Names of tags that end what stands before them."""

IN_LINE = frozenset(
    "a abbr acronym annotation annotation-xml applet area audio b base bdi bdo big br button canvas cite code col "
    "colgroup data datalist del dfn em embed font frame head i iframe img input ins kbd label link map mark math "
    "meta meter noscript object optgroup option output param picture progress q rp rt ruby samp script select "
    "semantics small source span strike strong style sub sup svg template textarea time title track tt u var video "
    "wbr path rect g circle line text".split()
)
"""Names of the other ones; what is called otherwise, as ``<eos>`` and ``<s>`` are, is text."""

HIDDEN = frozenset(
    {"script", "style", "template", "svg", "head", "noscript", "iframe", "object", "select", "textarea", "title"}
)
"""Tags whose content is not seen, or is no text of the page."""


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag: ``<span style="…">`` or ``</span>``."""

    name: str
    is_end: bool
    attributes_text: str
    start: int
    end: int

    @property
    def level(self) -> int:
        """Of the tag of a heading, from 1; else 0."""
        return int(self.name[1]) if len(self.name) == 2 and self.name[0] == "h" and self.name[1] in "123456" else 0

    @property
    def is_alone(self) -> bool:
        """Whether it ends at once: ``<mspace/>``."""
        return self.attributes_text.rstrip().endswith("/")

    def attributes(self) -> dict[str, str]:
        """What it says of itself.

        >>> tag = tag_at('<span class="katex" style=x>', 0)
        >>> tag.attributes() if tag else {}
        {'class': 'katex', 'style': 'x'}
        """
        return {
            found[1].lower(): unescape(next((value for value in found.groups()[1:] if value is not None), ""))
            for found in _ATTRIBUTE.finditer(self.attributes_text)
        }


def tag_at(text: str, place: int) -> Tag | None:
    """The tag that begins at a place, if one does; what an attribute says has no ``<`` or ``>`` in it.

    >>> tag_at("a<b and c>d", 1) is None, tag_at("<eos>", 0) is None
    (True, True)
    """
    if (found := _TAG.match(text, place)) is None:
        return None
    name = found[2].lower()
    if name not in BLOCKS and name not in IN_LINE:
        return None
    if name in ("b", "i", "q", "a", "u", "g") and found[3].strip() and "=" not in found[3] and found[3].strip() != "/":
        return None  # a < b and c > d
    return Tag(name, bool(found[1]), found[3], place, found.end())


def element_end(text: str, name: str, start: int) -> tuple[int, int]:
    """Where the content of an element that is not nested ends, and the element itself; else both are the text's end.

    >>> element_end("<style>a</style >b", "style", 7)
    (8, 17)
    """
    found = re.compile(rf"</{re.escape(name)}\s*>", re.IGNORECASE).search(text, start)
    return (found.start(), found.end()) if found else (len(text), len(text))


_TAG_OF_PAGE = re.compile(r"<(/?)([A-Za-z][^\s/>]{0,60}+)((?:[^\"'<>]|\"[^\"]{0,20000}+\"|'[^']{0,20000}+')*+)>")
_SIMPLE = re.compile(r"<(/?)([A-Za-z][^\s/<>]{0,60}+)([^<>]*+)>")
ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_PATIENCE = 2_000_000
"""Characters that may be gone through again because quotes of attributes are not what they seem."""


@dataclass(frozen=True, slots=True)
class MarkupSign:
    """A tag, or what stands between two tags."""

    kind: Literal["tag", "text", "comment"]
    start: int
    end: int
    tag: Tag | None = None


def marks(text: str) -> Iterator[MarkupSign]:
    """What a page is made of; what looks like a tag and ends nowhere is text.

    >>> [(mark.kind, mark.start, mark.end) for mark in marks("a<b>1 < 2<!-- x --></b>")]
    [('text', 0, 1), ('tag', 1, 4), ('text', 4, 9), ('comment', 9, 19), ('tag', 19, 23)]
    """
    done, place, patience = 0, 0, _PATIENCE
    while (place := text.find("<", place)) >= 0:
        if text.startswith(("<!", "<?"), place):
            sign = "-->" if text.startswith("<!--", place) else ">"
            end = text.find(sign, place)
            mark = MarkupSign("comment", place, len(text) if end < 0 else end + len(sign))
        else:
            pattern = _TAG_OF_PAGE if patience > 0 else _SIMPLE
            if (found := pattern.match(text, place)) is None:
                patience -= 20 if text.find(">", place, place + 20) >= 0 else 2_000
                place += 1
                continue
            tag = Tag(found[2].lower(), bool(found[1]), found[3], place, found.end())
            mark = MarkupSign("tag", place, found.end(), tag)
        if done < place:
            yield MarkupSign("text", done, place)
        yield mark
        done = place = mark.end
    if done < len(text):
        yield MarkupSign("text", done, len(text))


def decoded(traced: Traced) -> Traced:
    """A text with the characters that entities stand for.

    >>> decoded(Traced.of("1 &lt; 2")).text
    '1 < 2'
    """
    return traced.sub(ENTITY, unescape)
