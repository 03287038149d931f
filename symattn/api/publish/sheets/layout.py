"""Lay out a document as sheets: one for its beginning and one per section, with every matrix in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from sympy import MatrixSymbol

from symattn import operations as ops
from symattn.api.publish.sheets.arithmetic import HelperBlock
from symattn.api.publish.sheets.live import BITS, LiveMatrix, live
from symattn.api.publish.sheets.pieces import BEYOND, SheetCall
from symattn.base.errors import RenderError
from symattn.compute.solution.store import Shown, Store
from symattn.operations.equations.tree import NamedEquation, Over
from symattn.operations.stages import same_as_ours
from symattn.show.blocks import (
    Block,
    Document,
    Equation,
    Heading,
    Inline,
    Labels,
    Listing,
    Matrices,
    Matrix,
    Phrase,
    Picture,
    Prose,
    Readings,
    Table,
    label_before,
    with_answers_at_end,
)
from symattn.show.math import Math, Number, Script, Seq, Squared, every
from symattn.show.notation.formulas import Names
from symattn.write.environment import Macros
from symattn.write.plain_math import characters, shape_of
from symattn.write.runs import PlainLine, inline

MOST_CELLS = 50_000
"""The most entries of all matrices together: nobody reads more, and such a workbook takes minutes."""

LONGEST_LABEL = 250
"""The most characters of a row or column label."""

TextKind = Literal["title", "heading", "text", "note", "formula", "code"]


@dataclass(frozen=True)
class SheetText:
    """A paragraph."""

    text: str
    kind: TextKind = "text"


@dataclass(frozen=True)
class SheetTable:
    """A table of texts."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class SheetStill:
    """A matrix as text, as the document prints it: one that formulas cannot compute, or one already on a sheet."""

    symbol: str
    entries: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class SheetMatrix:
    """A matrix of numbers in cells: a given, or a step as formulas with its helper cells."""

    name: str
    symbol: str
    labels: tuple[tuple[str, ...], tuple[str, ...]]
    figures: tuple[tuple[str, ...], ...]
    worked: tuple[str, ...] = ()
    place: tuple[int, int] = (0, 0)
    """The entry that is worked out beside it, counted from 0."""
    live: LiveMatrix | None = None
    weights: bool = False
    """Whether its cells are coloured by their size."""

    @property
    def helpers(self) -> tuple[HelperBlock, ...]:
        """The helper cells of its formulas; a given has none."""
        return () if self.live is None else self.live.helpers


SheetItem = SheetText | SheetTable | SheetStill | SheetMatrix


@dataclass
class SheetPage:
    """A sheet: its title, and its content from top to bottom."""

    title: str
    items: list[SheetItem] = field(default_factory=list)


class SheetLayout:
    """Lays out a document; ``blank`` leaves out whatever reveals the answers."""

    def __init__(self, store: Store, names: Names, document: Document, words: Macros, blank: bool) -> None:
        self.store, self.names, self.words, self.blank = store, names, words, blank
        self.document = with_answers_at_end(document)
        self.line = PlainLine(words)
        self.placed: set[str] = set()
        self.count = 0
        self.held: dict[str, bool] = {}
        self.waiting: list[str] = []
        self.place = (0, 0)
        self.pages: list[SheetPage] = []

    # -- the whole ---------------------------------------------------------------------------------------------------

    def laid(self) -> list[SheetPage]:
        """Return the sheets; the first one has the beginning of the document."""
        self.pages = [SheetPage(self.inlines(self.document.title))]
        for passage, blocks in self.document.in_passages():
            for block in blocks:
                self._block(block)
            self._flush()
            for name in passage.names:
                self._show(name)
                if name in self.store and self.store.step(name).general:
                    self.add(SheetText(self.said("sheet_general"), "note"))
        if others := [name for name in self.needed() if name not in self.placed]:
            self.pages.append(SheetPage(self.said("sheet_further")))
            for name in others:
                self._show(name)
        return [page for place, page in enumerate(self.pages) if page.items or not place]

    def needed(self) -> Iterator[str]:
        """Yield the names that the formulas of the sheets refer to, in order."""
        wanted = {other for name in self.placed for other in self.store.needed(name)}
        return (name for name in self.store if name in wanted and self.is_numbers(name))

    def is_numbers(self, name: str) -> bool:
        """Return True if formulas can compute a name: it and everything it depends on have numbers."""
        if name not in self.store or self.store.step(name).general:
            return False
        return all(map(self._is_held, (name, *self.store.needed(name))))

    def _is_held(self, name: str) -> bool:
        if name not in self.held:
            self.held[name] = self.store.shown(name) is Shown.FIGURES and not any(
                x.is_finite() and abs(x).upper() > BEYOND for x in self.store.enclosure(name, BITS).entries()
            )
        return self.held[name]

    def said(self, key: str, **arguments: object) -> str:
        """Return a phrase of a sheet."""
        return self.words.call(key, arguments).strip()

    def inlines(self, parts: tuple[Inline, ...]) -> str:
        """Return a line of a document as characters."""
        return inline(self.line, *parts)

    # -- blocks ------------------------------------------------------------------------------------------------------

    def add(self, *items: SheetItem) -> None:
        """Put items on the sheet."""
        self._flush()
        self.pages[-1].items += items

    def _flush(self) -> None:
        waiting, self.waiting = self.waiting, []
        self.pages[-1].items += [SheetText(line, "formula") for line in waiting]

    def _block(self, block: Block) -> None:
        if self.blank and _tells(block, lambda name: name not in self.store.givens):
            return
        match block:
            case Heading():
                self._heading(block)
            case Prose(parts, role):
                said = label_before(block)
                label = "" if said is None else f"{inline(self.line, said)} "
                self.add(SheetText(label + self.inlines(parts), "text" if role == "text" else "note"))
            case Phrase(role="lead"):
                self.waiting.append(inline(self.line, block))
            case Phrase():
                self.add(SheetText(inline(self.line, block)))
            case Readings(items):
                self.add(*(SheetText(f"• {inline(self.line, item)}") for item in items))
            case Equation():
                self._equation(block)
            case Matrix():
                self._matrix(block)
            case Matrices(items):
                for item in items:
                    self._matrix(item)
            case _:
                self.add(*self._others(block))

    def _others(self, block: Block) -> Iterator[SheetItem]:
        match block:
            case Labels(lead, items):
                yield SheetText(inline(self.line, lead))
                yield from (SheetText(f"{characters(symbol)} = {self.line.text(label)}") for symbol, label in items)
            case Table(header, rows):
                cells = (tuple(self.inlines(cell) for cell in row) for row in rows)
                yield SheetTable(tuple(inline(self.line, each) for each in header), tuple(cells))
            case Listing(_, code, output):
                yield from (SheetText(line, "code") for line in code.splitlines())
                yield SheetText(self.said("listing_output"))
                yield from (SheetText(line, "code") for line in output.splitlines())
            case Picture():
                return  # on sheets, the colours of cells replace pictures
            case _:
                raise RenderError(f"a sheet has no place for {type(block).__name__}: it is of exercises on paper")

    def _heading(self, block: Heading) -> None:
        title = " ".join(filter(None, (block.number, self.inlines(block.title))))
        if block.level > 1:
            self.add(SheetText(title, "heading"))
            return
        self._flush()
        self.pages.append(SheetPage(title))

    def _equation(self, block: Equation) -> None:
        if block.kind == "squared":
            self.waiting = self.waiting[:-1]  # the sentence before it: the sheet has the matrices themselves
            return
        chains = [chain for chain in block.chains if not isinstance(chain.left, Squared)]
        lines = [characters(chain) for chain in chains]
        if block.kind in ("working", "entry"):
            self.waiting += lines
            self.place = _place(chains[-1].left) or self.place
        else:
            self.add(*(SheetText(line, "formula") for line in lines))

    # -- matrices ----------------------------------------------------------------------------------------------------

    def _matrix(self, block: Matrix) -> None:
        places = [cell.of for row in block.entries for cell in row if isinstance(cell, Number) and cell.of is not None]
        name = places[0].name if places else ""
        if name and name not in self.placed and self.is_numbers(name):
            self._show(name, characters(block.symbol))
            return
        if name in self.placed and self.blank:
            return
        entries = tuple(tuple(characters(cell) for cell in row) for row in block.entries)
        symbol = f"{characters(block.symbol)} ({shape_of(block.rows, block.columns)})"
        if name not in self.placed:
            too_large = name in self.store and self.store.shown(name) is Shown.FIGURES
            self.add(SheetText(self.said("sheet_too_large" if too_large else "sheet_still"), "note"))
        self.add(SheetStill(symbol, entries))

    def _show(self, name: str, symbol: str = "") -> None:
        """Put a matrix of numbers on the sheet, unless it is on one already."""
        if name in self.placed or not self.is_numbers(name):
            return
        self.placed.add(name)
        worked, self.waiting = tuple(self.waiting), []
        place, self.place = self.place, (0, 0)
        rows, columns = self.store.rows(name), self.store.columns(name)
        self.count += rows * columns
        if self.count > MOST_CELLS:
            raise RenderError(
                f"{name}: with it the matrices have {self.count} entries, and a workbook has at most {MOST_CELLS}: "
                "ask for some steps alone, or take smaller sizes"
            )
        shape = self.store.shape(name)
        figures = tuple(tuple(figure.text for figure in row) for row in self.store.figures(name))
        axes = (self.names.labels.get(axis.name, ()) for axis in (shape.rows, shape.columns))
        labels = [tuple(self.line.text(label)[:LONGEST_LABEL] for label in axis) for axis in axes]
        self.add(
            SheetMatrix(
                name,
                f"{symbol or characters(self.names(name))} ({rows}×{columns})",
                (labels[0], labels[1]),
                figures,
                worked,
                place if place[0] < rows and place[1] < columns else (0, 0),
                None if name in self.store.givens else live(self.store, name),
                _are_weights(self.store, name),
            )
        )

    def helper_label(self, block: HelperBlock) -> str:
        """Return the label above helper cells."""
        match block.called:
            case NamedEquation(_, _, Over(kind)):
                return "max" if kind == "max" else "Σ"
            case NamedEquation(name):
                return characters(Names()(name))
            case (str() as turned,):
                return f"{characters(self.names(turned)) if turned in self.store else ''}ᵀ"
            case "":
                first = block.cells[0]
                return first.function.lower() if isinstance(first, SheetCall) else "…"
            case MatrixSymbol():
                return "…"
        from symattn.show.notation.formulas import formula

        return characters(formula(block.called, self.names))


def _are_weights(store: Store, name: str) -> bool:
    formula = store.step(name).formula
    return formula is not None and isinstance(same_as_ours(formula), ops.Softmax | ops.Proportions)


def _place(left: Math) -> tuple[int, int] | None:
    """Return the entry that a line works out, counted from 0."""
    match left:
        case Script(_, Seq((Number(i), Number(j)))) if i.isdigit() and j.isdigit():
            return int(i) - 1, int(j) - 1
    return None


def _tells(block: Block, is_answer: Callable[[str], bool]) -> bool:
    """Return True if words or working reveal an entry that the reader should find."""
    match block:
        case Readings() | Listing():
            return True
        case Equation(chains, kind):
            return kind in ("working", "closed_form") or _holds(chains, is_answer)
        case Prose(parts, role):
            return role in ("ask", "answer") or _holds(parts, is_answer)
        case Phrase(arguments=arguments, role=role):
            return role == "lead" or _holds(arguments, is_answer)
        case Table(rows=rows):
            return _holds(rows, is_answer)
    return False


def _holds(piece: object, is_answer: Callable[[str], bool]) -> bool:
    """Return True if a piece contains a figure of an answer."""
    return any(figure.of is not None and is_answer(figure.of.name) for figure in every(Number, piece))
