"""HTML: a self-contained file, for reading offline, on a phone, at a projector, on paper, and without JavaScript.

Mathematics is MathML, pictures are SVG, the style sheet is part of the page. On a narrow screen a statement is several
formulas in a row: the browser breaks the line between them, and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from symattn.base import words as languages
from symattn.base.errors import RenderError, shown
from symattn.show.blocks import Block, Document, Equation, Heading, Inline, Matrices, Matrix, Phrase, Picture, Table
from symattn.show.math import Chain, Grid, Math, Number
from symattn.write import environment, escape, layout, mathml
from symattn.write.environment import Macros
from symattn.write.page import MacroValues, TextPage, filled, leads_on, macro_values, matrix_head
from symattn.write.runs import PlainLine, inline

PHONE = 14.0
"""The width of the narrowest screen, in em: 320 pixels without margins. A wider display is cut into narrower pieces,
and scrolls in a box of its own if one of them is still too wide."""

NUMBERED = 3.0
"""The width lost if relations have numbers over them, which are wider than the relations."""

PICTURE = 280.0
"""The narrowest screen for pictures, in pixels."""

LEGEND = "legend_title"
"""The heading of the table of letters, of which the side of the page has the first two columns."""

SAYS = ("skip_to_content", "contents_title")
"""What the frame of every page says."""

NO_SCRIPTS = "'none'"
"""The scripts that the page may run: none."""


_FORMULA = re.compile("<math>.*?</math>", re.DOTALL)
_BESIDE = re.compile("([(（「『《“‘]*)<math>(?:(?!</math>).)*</math>([,.;:!?)，。、；：！？）」』》”’]*)")


@dataclass(frozen=True)
class Live:
    """The parts of an interactive page: the scripts that may run (as a source list of CSP), and elements at its end.

    ``style`` is more of its style sheet, ``spoken`` a sentence for each name, hidden beside its formula.
    """

    scripts: str = NO_SCRIPTS
    end: str = ""
    style: str = ""
    spoken: Mapping[str, str] = field(default_factory=dict)


STILL = Live()


def html(document: Document, words: Macros, math: str | None, fragment: bool) -> str:
    """Write ``document`` in HTML, with the phrases ``words``.

    Raises :class:`~symattn.base.errors.RenderError` where a fragment is asked for.
    """
    if fragment:
        raise RenderError("format html has no fragment: a page brings the style sheet that its formulas need")
    return html_page(document, words, STILL)


def html_page(document: Document, words: Macros, live: Live) -> str:
    """Write ``document`` as an interactive page."""
    writer = HtmlPage(words, document.language)
    body = _Body(writer, live.spoken)
    written = "\n".join(body.sections(document))
    title = writer.title(inline(writer, *document.title))
    side = _Side(body.entries, body.symbols)
    return _framed(words, document.language, (title_of(document, words), title), written, side, live)


def title_of(document: Document, words: Macros) -> str:
    """Return the title of a document as plain text."""
    return inline(PlainLine(words), *document.title)


@dataclass(frozen=True)
class PageLink:
    """A link to another page: its address, its title, a description, and its language if that is another."""

    address: str
    called: str
    language: str = ""
    about: str = ""


def index(language: str, title: str, groups: Mapping[str, Sequence[PageLink]]) -> str:
    """Write a page of links to others, under their headings."""
    words, written = environment.phrases(language), escape.html(title)
    macros = environment.block_macros("html")
    body = [macros.call("links", {"title": escape.html(name), "items": _safe(items)}) for name, items in groups.items()]
    return _framed(words, language, (title, written), "\n".join(body), _Side(), STILL)


def linked(page: str, language: str, links: Sequence[PageLink]) -> str:
    """Add links to other pages above the title of a page of ours."""
    label = escape.html(environment.phrases(language).call("all_pages", {}))
    ways = environment.block_macros("html").call("ways", {"items": _safe(links), "label": label}).strip()
    return page.replace(_TOP, f"{ways}\n{_TOP}", 1)


_TOP = "<header>"
"""The start of a page's visible part. Outside text is escaped, and so never looks like this."""


def _safe(links: Sequence[PageLink]) -> list[MacroValues]:
    return [{name: escape.html(value) for name, value in vars(link).items()} for link in links]


def _framed(words: Macros, language: str, titles: tuple[str, str], body: str, side: _Side, live: Live) -> str:
    """Return a whole page; its title is plain text for the window and HTML for the heading."""
    return filled(
        "html",
        language=escape.html(language),
        scripts=live.scripts,
        end=live.end,
        style=style(language) + live.style,
        name=escape.html(titles[0]),
        title=titles[1],
        entries=side.entries,
        symbols=side.symbols,
        body=body,
        says={name: escape.html(words.call(name, {})) for name in (*SAYS, *((LEGEND,) if side.symbols else ()))},
    )


def style(language: str) -> str:
    """Return the style sheet of a page, with the fonts of its language."""
    told = fonts(language)
    text = (languages.templates() / "html" / "page.css").read_text(encoding="utf-8")
    return text.replace("/* fonts */", f"--text: {told};" if told else "").strip()


def fonts(language: str) -> str:
    """Return the fonts of a language, where those of the style sheet lack its characters.

    Raises :class:`~symattn.base.errors.RenderError` where these are more than names of fonts.
    """
    told = languages.text(language, languages.ABOUT, "html", "fonts", empty=True)
    if re.search("[<>{};]", told):
        raise RenderError(
            f"language {language}: html: fonts: expected names with commas between them, came {shown(told)}"
        )
    return told


@dataclass(frozen=True)
class _Entry:
    """A heading in the table of contents."""

    anchor: str
    level: int
    title: str


@dataclass(frozen=True)
class _Side:
    """What stands at the side of a wide screen: the headings, and each letter with what it is called."""

    entries: Sequence[_Entry] = ()
    symbols: Sequence[tuple[str, str]] = ()


@dataclass
class _Body:
    """Writes the blocks of a document one after the other."""

    page: HtmlPage
    spoken: Mapping[str, str]
    entries: list[_Entry] = field(default_factory=list)
    symbols: list[tuple[str, str]] = field(default_factory=list)
    is_legend: bool = False
    level: int = 0
    led: bool = False

    def sections(self, document: Document) -> Iterator[str]:
        """Yield the text of all blocks; blocks about certain names are in a section that lists the names."""
        for passage, blocks in document.in_passages():
            written = [text for block in blocks if (text := self._block(block))]
            if passage.names and written:
                names = escape.html(" ".join(passage.names))
                written[1:1] = self._said(passage.names)
                written = [f'<section data-step="{names}">', *written, "</section>"]
            yield from written

    def _said(self, names: Iterable[str]) -> list[str]:
        told = " ".join(escape.html(self.spoken[name]) for name in names if name in self.spoken)
        return [f'<p class="spoken unseen">{told}</p>'] if told else []

    def _block(self, block: Block) -> str:
        told = macro_values(block, replace(self.page, leads=self.led))
        if isinstance(block, Heading):
            self.is_legend = block.title == (Phrase(LEGEND),)
            told |= self._heading(block.level, f"{told['number']} {told['title']}".strip())
        elif isinstance(block, Table):
            # Programs that look for text find none in a formula, and a heading of nothing in the row.
            headed = [any(not isinstance(part, Math) for part in row[0]) for row in block.rows]
            columns = [bool(_FORMULA.sub("", str(cell)).strip()) for cell in told["header"]]  # type: ignore[attr-defined]
            told |= {"attributes": self.page.box(True), "headed": headed, "heads": columns}
            if self.is_legend:
                self.symbols += [(self._cell(row[0]), self._cell(row[1])) for row in block.rows]
        self.led = leads_on(block, self.led)
        return environment.block_macros("html").call(type(block).__name__.lower(), told).strip("\n")

    def _cell(self, cell: Sequence[Inline]) -> str:
        return inline(self.page, *cell)

    def _heading(self, level: int, title: str) -> MacroValues:
        # Readers who navigate by headings miss none: no level is skipped.
        self.level = min(level, self.level + 1, 5)
        self.entries.append(_Entry(f"part-{len(self.entries) + 1}", self.level, title))
        return {"level": self.level + 1, "anchor": self.entries[-1].anchor}


@dataclass(frozen=True)
class HtmlPage(TextPage):
    """Writes the pieces in HTML; ``leads`` means that something led to the matrix that is written."""

    language: str = languages.DEFAULT
    leads: bool = False

    def text(self, text: str) -> str:
        return escape.html(text)

    def formula(self, math: Math) -> str:
        if layout.width(math) <= PHONE:
            return mathml.math(math)
        pieces = _pieces(math if isinstance(math, Chain) else Chain(math), mathml.INLINE)
        return f'<span class="wide"{self.box(True)}>{pieces.row}</span>' if pieces.wide else pieces.row

    def line(self, pieces: str) -> str:
        return _BESIDE.sub(_held, pieces.strip())

    def equation(self, block: Equation) -> MacroValues:
        lines = [_pieces(chain, mathml.DISPLAY) for chain in block.chains]
        widest = max((layout.width(chain.left) for chain in block.chains if chain.links), default=0.0)
        aligned = not block.beside and widest <= PHONE / 2 and len(lines) + len(lines[0].right) > 2
        return {
            "kind": block.kind,
            "beside": block.beside,
            "aligned": aligned,
            "lines": lines,
            "attributes": self.box(any(line.wide for line in lines)),
        }

    def matrix(self, block: Matrix) -> MacroValues:
        return {"matrices": [self._matrix(block)], "result": self.leads}

    def matrices(self, block: Matrices) -> MacroValues:
        return {"matrices": [self._matrix(item) for item in block.items], "result": self.leads}

    def _matrix(self, block: Matrix) -> MacroValues:
        cells = [cell for row in block.entries for cell in row]
        of = next((cell.of for cell in cells if isinstance(cell, Number) and cell.of), None)
        if block.number is not None:
            pieces = _pieces(Chain(block.symbol, ((block.number, cells[0]),)), mathml.DISPLAY)
        else:
            head, grid = matrix_head(block), Grid(block.entries)
            left = mathml.element(mathml.unrowed(mathml.DISPLAY.write(head)) + mathml.DISPLAY.operator("="))
            pieces = _Pieces(left, (mathml.math(grid, display=True),), layout.width(grid) > PHONE)
        name = "" if of is None else escape.html(of.name)
        return {"row": pieces.row, "name": name, "attributes": self.box(pieces.wide)}

    def picture(self, block: Picture) -> MacroValues:
        from symattn.write.pictures.sketch import sketch
        from symattn.write.pictures.svg import IN_PAGE, svg

        drawing = svg(block, self.words, self.language, IN_PAGE)
        kind, is_wide = type(block.drawing).__name__.lower(), sketch(block.drawing, self.words).width > PICTURE
        return {"kind": kind, "drawing": drawing.strip(), "attributes": self.box(is_wide)}

    def code(self, code: str) -> object:
        return escape.html_code(code)

    def box(self, wide: bool) -> str:
        """Return the attributes that make a scrollable box reachable by keyboard, with a name."""
        label = escape.html(self.words.call("scrolls_sideways", {}))
        return f' tabindex="0" role="group" aria-label="{label}"' if wide else ""


def _held(match: re.Match[str]) -> str:
    """Keep a formula together with the marks beside it: browsers would break a line between them."""
    return f'<span class="held">{match[0]}</span>' if match[1] or match[2] else match[0]


@dataclass(frozen=True)
class _Pieces:
    """A statement as formulas in a row, and whether one of them is wider than a phone."""

    left: str
    right: tuple[str, ...]
    wide: bool

    @property
    def row(self) -> str:
        return " ".join((self.left, *self.right))


def chain_row(chain: Chain) -> str:
    """Write a statement as formulas in a row, between which a line may break."""
    return _pieces(chain, mathml.DISPLAY).row


def _pieces(chain: Chain, writer: mathml.MathML) -> _Pieces:
    room = PHONE - (NUMBERED if chain.marks else 0.0)
    lines = layout.lines(chain, writer, room)
    left, right = (lines[0].left, lines) if lines[0].left else (lines[0].right, lines[1:])
    written = tuple(mathml.element(mathml.unrowed(line.right)) for line in right)
    return _Pieces(mathml.element(mathml.unrowed(left)), written, any(line.width > room for line in lines))
