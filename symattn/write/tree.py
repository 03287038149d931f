"""Blocks as elements of a tree that another program writes: pandoc's, docutils'. Nothing in it is text to be parsed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeVar

from symattn.base.errors import RenderError
from symattn.show.blocks import (
    Block,
    Break,
    Equation,
    Fields,
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
    Room,
    Table,
    Task,
    label_before,
)
from symattn.show.math import Math
from symattn.write import escape
from symattn.write.environment import Macros
from symattn.write.runs import inline_runs, plain_sentence

Element = TypeVar("Element")


@dataclass(frozen=True)
class TreeWriter(ABC, Generic[Element]):
    """Writes the blocks of a document as elements; subclasses define the elements, the traversal is shared."""

    words: Macros

    def line(self, *parts: Inline) -> list[Element]:
        """Write a row of text, mathematics and phrases."""
        runs = inline_runs(parts, self.words)
        return [self.text(run) if isinstance(run, str) else self.formula(run) for run in runs]

    def elements(self, block: Block) -> list[Element]:
        """Write a block. Raise :class:`~symattn.base.errors.RenderError` for anything else."""
        match block:
            case Heading():
                return self.heading(block)
            case Prose(parts, role):
                return self.paragraph(role, self.line(*parts), self._label(block))
            case Phrase(role=role):
                return self.paragraph(role, self.line(block), self._label(block))
            case Task(says):
                return self.paragraph("task", self.line(says))
            case Readings(items):
                return self.bullets([self.line(item) for item in items])
            case Labels(lead, items):
                named = [self.line(symbol, f" = {label}" if label else "") for symbol, label in items]
                return [*self.paragraph("lead", self.line(lead)), *self.bullets(named)]
            case Equation() | Matrix() | Matrices():
                return self.display(block)
            case Table(header, rows):
                cells = [[self.line(*cell) for cell in row] for row in rows]
                return self.table(block, [self.line(cell) for cell in header], cells)
            case Listing(language, code, output):
                program = [self.code(escape.clean_code(code), language)]
                if not (printed := escape.clean_code(output)):
                    return program
                label = self.paragraph("lead", self.line(Phrase("listing_output")))
                return [*program, *label, self.code(printed, "")]
            case Fields():
                return self.fields(block)
            case Room() | Break():
                return self.space(block)
            case Picture():
                return self.picture(block)
        raise RenderError(f"no rule for {type(block).__name__}: not a block")

    def _label(self, block: Block) -> str:
        label = label_before(block)
        return "" if label is None else plain_sentence(label, self.words)

    @abstractmethod
    def text(self, text: str) -> Element:
        """Write plain text inside a line."""

    @abstractmethod
    def formula(self, math: Math) -> Element:
        """Write mathematics inside a line."""

    @abstractmethod
    def heading(self, block: Heading) -> list[Element]:
        """Write a heading."""

    @abstractmethod
    def paragraph(self, role: str, line: list[Element], label: str = "") -> list[Element]:
        """Write a paragraph according to its role, after its label; nothing where the line is empty."""

    @abstractmethod
    def bullets(self, items: list[list[Element]]) -> list[Element]:
        """Write a list."""

    @abstractmethod
    def display(self, block: Equation | Matrix | Matrices) -> list[Element]:
        """Write displayed mathematics."""

    @abstractmethod
    def table(self, block: Table, header: list[list[Element]], rows: list[list[list[Element]]]) -> list[Element]:
        """Write a table from the lines of its cells."""

    @abstractmethod
    def code(self, text: str, language: str) -> Element:
        """Write a program, or its output, which has no language."""

    @abstractmethod
    def fields(self, block: Fields) -> list[Element]:
        """Write fields to fill in."""

    @abstractmethod
    def space(self, block: Room | Break) -> list[Element]:
        """Write space to work in, or the beginning of a sheet."""

    @abstractmethod
    def picture(self, block: Picture) -> list[Element]:
        """Write a picture with its caption."""
