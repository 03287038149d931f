"""Expand the use of an entry in a scenario: its lines under the scenario's names, as the items of a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from symattn.base.errors import FormulaError, ShapeError, UnknownNameError, unknown
from symattn.base.shapes import Axis, Shape, with_letters
from symattn.base.words import Texts, between
from symattn.read.catalogue.entries import entry_sentences, entry_words
from symattn.read.catalogue.model import (
    AnyNumber,
    CatalogueEntry,
    Chosen,
    CountLine,
    EntryLine,
    HeadingLine,
    Input,
    Note,
    Prove,
    StepLine,
)

_WORD = re.compile(r"(?<![\w.])[A-Za-z]\w*+(?! *=)", re.ASCII)
"""A name in a formula: neither ``.T`` nor the keyword of a value."""
_BRACES = re.compile(r"\{(?!\{)[^{}]*\}")
_REFERENCE = re.compile(r"(\w+:)?([^\[\]{}]*)(?:\[([^\[\]]*)\])?", re.ASCII)
"""What braces hold: ``largest:A[n]``, ``token:n``, ``A[n,1]``; a letter of the entry may stand in a place."""

ItemTable = dict[str, Any]
"""An item of ``steps`` as TOML would hold it."""


@dataclass(frozen=True)
class Use:
    """An entry with its settings, the names it gets in the scenario, and the suffix of all other names."""

    entry: CatalogueEntry
    settings: Mapping[str, object]
    names: Mapping[str, str]
    suffix: str = ""


@dataclass(frozen=True)
class Expansion:
    """The expansion of a use: items, and the known axes of the matrices it starts from."""

    items: list[ItemTable]
    axes: Mapping[str, tuple[str, str]]
    """For every matrix the names of rows and columns, empty if there is none."""
    letters: tuple[str, ...] = ()
    """Letters for any real number in its statements."""
    sections: tuple[MadeHeading, ...] = ()
    """The headings of a lesson, first that of the inputs, which has no items."""
    opening: Texts = field(default_factory=dict)
    conclusion: Texts = field(default_factory=dict)
    """What a lesson says before and after, as far as the chosen options have the names that it speaks of."""


@dataclass(frozen=True)
class MadeHeading:
    """The heading of a section: the place of its first item, its title, and what its steps are needed for."""

    start: int
    title: Texts
    need: Texts


def expand(use: Use, shape_of: Callable[[str], Shape | None], sizes: Mapping[str, int | str]) -> Expansion:
    """Return the items of a use.

    ``shape_of`` knows the names that the scenario has so far, ``sizes`` are its named sizes. Raises
    :class:`~symattn.base.errors.UnknownNameError` if a matrix that the entry starts from is missing, and
    :class:`~symattn.base.errors.ShapeError` if two of them do not fit.
    """
    chosen = use.entry.choose(use.settings)
    here = _Here(use, chosen, shape_of, sizes)
    here.must_mean_one_thing()
    items: list[ItemTable] = []
    sections: list[MadeHeading] = []
    for line in use.entry.lines(chosen):
        if isinstance(line, Input):
            here.bind(line)
        elif isinstance(line, AnyNumber):
            here.letter(line)
        elif isinstance(line, HeadingLine):
            sections += [here.heading("inputs", 0)] * (not sections) + [here.heading(line.words, len(items))]
        else:
            items.append(here.item(line))
    here.must_use_every_name()
    told = [here.sentences(part) for part in ("opening", "conclusion")]
    return Expansion(items, here.axes(), tuple(here.numbers), tuple(sections), *told)


class _Here:
    """The meaning of the entry's letters and names in one scenario."""

    def __init__(
        self, use: Use, chosen: Chosen, shape_of: Callable[[str], Shape | None], sizes: Mapping[str, int | str]
    ) -> None:
        self.use, self.chosen, self.shape_of, self.sizes = use, chosen, shape_of, sizes
        self.called: dict[str, str] = {}
        self.first: dict[str, tuple[Axis, str]] = {}
        self.letters: dict[str, tuple[str, str]] = {}
        self.own: dict[str, str] = {}
        """The reader's own matrices that options name, each with its option."""
        self.numbers: list[str] = []

    # -- inputs of the entry -----------------------------------------------------------------------------------------

    def must_mean_one_thing(self) -> None:
        """Refuse a word of an option that is also the name of a matrix: it is ambiguous."""
        for option in self.use.entry.options:
            chosen = self.chosen.settings[option.name]
            for word in chosen if option.kind == "words" and isinstance(chosen, tuple) else ():
                if word in option.choices and self.shape_of(word) is not None:
                    raise FormulaError(
                        f"{option.name}: {word} is a word of this option and a matrix here: for the matrix write a "
                        f'step such as "{word}_own = {word}" before and {option.name} = "{word}_own"; for the word '
                        "call the matrix otherwise"
                    )

    def bind(self, given: Input) -> None:
        """Use a matrix of the scenario as a given of the entry, and its sizes for the entry's letters."""
        self._must_be_told_apart(given.name, given.option)
        name = given.name if given.option else self.use.names.get(given.name, given.name)
        shape = self.shape_of(name)
        if shape is None:
            raise UnknownNameError(self._missing(given, name))
        self.called[given.name] = name
        if given.option and 1 in shape.sizes:
            return  # a single row, column or number is repeated where the formula adds it
        self.letters[name] = (given.rows, given.columns)
        for letter, axis, what in (
            (given.rows, shape.rows, "rows"),
            (given.columns, shape.columns, "columns"),
        ):
            self._letter(letter, axis, what, name, shape)

    def _missing(self, given: Input, name: str) -> str:
        if given.option:
            option = next(each for each in self.use.entry.options if each.name == given.option)
            sentence = unknown("value", name, option.choices)
            return f"{self.use.entry.name}: {given.option}: {sentence}, and the matrices before it"
        return (
            f"{self.use.entry.name} starts from {given.name} ({given.rows}, {given.columns}), "
            f"and there is no {name} before it: add it, or say which name it has here with "
            f'names = {{ {given.name} = "…" }}'
        )

    def _must_be_told_apart(self, name: str, option: str = "") -> None:
        """Refuse a matrix of the reader's own that has a name of the entry."""
        if (name in self.own) != bool(option) and name in self.called:
            raise FormulaError(
                f"{self.own.get(name) or option}: {name} is a matrix here and a name of {self.use.entry.name}: write a "
                f'step such as "{name}_own = {name}" before, and {name}_own in its place'
            )
        if option:
            self.own[name] = option

    def _letter(self, letter: str, axis: Axis, what: str, name: str, shape: Shape) -> None:
        if not letter.isidentifier():
            wanted = with_letters(letter, {each: known.size for each, (known, _) in self.first.items()})
            if axis.size != wanted:
                counted = "one" if letter == "1" else f"{letter} = {wanted}"
                raise ShapeError(f"{name} is {shape}: expected {counted} of the {what}")
            return
        if letter not in self.first:
            self.first[letter] = (axis, f"{name} has {axis.size} {what}")
            self.chosen.sizes[letter] = axis.size
            self.called[letter] = axis.name if axis.name in self.sizes else str(axis.size)
        known, where = self.first[letter]
        if known.size != axis.size:
            raise ShapeError(f"{where} and {name} has {axis.size} {what}: both are the entry's {letter}")
        if axis.name in self.sizes and not known.name:
            self.first[letter], self.called[letter] = (axis, where), axis.name

    def axes(self) -> dict[str, tuple[str, str]]:
        """Return the names of the givens' axes, by the letters that they share."""
        names = {letter: axis.name if axis.name in self.sizes else "" for letter, (axis, _) in self.first.items()}
        return {name: (names.get(rows, ""), names.get(columns, "")) for name, (rows, columns) in self.letters.items()}

    def letter(self, letter: AnyNumber) -> None:
        """Add a letter for any number, unless its name is taken."""
        name = self.use.names.get(letter.name, letter.name)
        if self.shape_of(name) is not None or name in self.sizes:
            raise UnknownNameError(
                f"{self.use.entry.name} speaks of any number {letter.name}, and {name} is something else here: "
                f'say what to call it with names = {{ {letter.name} = "…" }}'
            )
        self.called[letter.name] = name
        self.numbers.append(name)

    # -- lines of the entry ------------------------------------------------------------------------------------------

    def item(self, line: EntryLine) -> ItemTable:
        """Return one line of the entry under the names of the scenario."""
        match line:
            case StepLine(name, formula, because, decimals, works):
                self._must_be_told_apart(name)
                self.called[name] = self.use.names.get(name, name + self.use.suffix)
                more = {"decimals": decimals, "works": None if works is None else list(works)}
                reason = self.words("because", because or name)
                return _without_none(step=f"{self.called[name]} = {self.formula(formula)}", need=reason, **more)
            case Prove(left, right, note):
                pair = [self.formula(left), self.formula(right)]
                return _without_none(prove=pair, note=self.words("notes", note) if note else None)
            case CountLine(name, formula, note, at):
                self.called[name] = self.use.names.get(name, name + self.use.suffix)
                sizes = {self.called[letter]: size for letter, size in at.items() if self.called[letter].isidentifier()}
                return _without_none(
                    quantity=f"{self.called[name]} = {self.formula(formula)}",
                    at=[sizes] if sizes else None,
                    note=self.words("notes", note) if note else None,
                )
            case Note(key):
                return _without_none(note=self.words("notes", key))
        raise TypeError(f"no rule for {type(line).__name__}")

    def formula(self, text: str) -> str:
        """Return a formula with the scenario's names and letters."""
        return _WORD.sub(lambda word: self.called.get(word[0], word[0]), text)

    def words(self, *path: str) -> Texts | None:
        found = entry_words(self.use.entry, *path)
        if found is None:
            return None
        return {language: self._said(text) for language, text in found.items()}

    def heading(self, key: str, start: int) -> MadeHeading:
        """Return the heading before an item."""
        title, need = (self.words("sections", key, part) or {} for part in ("title", "need"))
        return MadeHeading(start, title, need)

    def _said(self, text: str) -> str:
        return _BRACES.sub(lambda part: self.formula(part[0]), text)

    def sentences(self, kind: str) -> Texts:
        """Return the opening or the conclusion, without sentences about names that the chosen options do not make."""
        said = entry_sentences(self.use.entry, kind)
        kept = {language: [self._placed(each) for each in texts] for language, texts in said.items()}
        return {language: between(language).join(filter(None, texts)) for language, texts in kept.items()}

    def _placed(self, text: str) -> str:
        """Return a sentence with sizes for the letters of places in it; empty if a name in it is missing here."""
        for part in _BRACES.findall(text):
            word, name, place = _REFERENCE.fullmatch(part[1:-1]).groups()  # type: ignore[union-attr]
            if word == "token:":
                name, place = "", name
            if name and name not in self.called:
                return ""
            places = place and _WORD.sub(lambda letter: str(self.chosen.sizes.get(letter[0], letter[0])), place)
            inside = f"{word}{places}" if word == "token:" else f"{word or ''}{name}{f'[{places}]' if places else ''}"
            text = text.replace(part, f"{{{inside}}}")
        return self._said(text)

    def must_use_every_name(self) -> None:
        """Refuse names that the entry does not have."""
        for name in self.use.names:
            if name not in self.called:
                raise UnknownNameError(unknown(f"name in {self.use.entry.name}", name, self._own_names()))

    def _own_names(self) -> list[str]:
        return [name for name in self.called if name not in self.first]


def _without_none(**parts: object) -> ItemTable:
    return {key: value for key, value in parts.items() if value is not None}
