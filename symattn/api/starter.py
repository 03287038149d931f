"""Write a new scenario: tokens and an entry of the catalogue with small exact numbers, and a comment for every key.

>>> from random import Random
>>> text = start("the cat sat".split(), random=Random(7))
>>> from symattn.read.scenario.load import loads
>>> loads(text).tokens
('the', 'cat', 'sat')
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from jinja2 import Environment, FileSystemLoader

from symattn.api.drawing import Drawn, DrawnMatrix, DrawnRows, draw, short_decimal, telling
from symattn.base.errors import OutputError, ScenarioError, SymattnError, unknown
from symattn.base.files import write_together
from symattn.base.shapes import Axis, Shape, addends, with_letters
from symattn.base.words import between, folder_of, language_named, named, templates
from symattn.read.catalogue.entries import entry_named, entry_text, example_lines, lines
from symattn.read.catalogue.expand import Expansion, ItemTable, Use, expand
from symattn.read.catalogue.model import CatalogueEntry, EntryLine, Input, Option, Setting, StepLine
from symattn.read.plan import Plan
from symattn.read.scenario.load import loads
from symattn.read.scenario.schema import ID, schema_text
from symattn.read.scenario.toml import toml_value
from symattn.write.environment import Macros, reader

SCHEMA = "scenario.schema.json"
"""The file beside a new scenario that its first line names."""

TOKENS = 16
"""The most tokens of a new scenario: it is an example."""

SIZE = 64
"""The largest other size of a new scenario."""

SHOWN_FIRST = frozenset(("tokens", "state", "scores", "ids"))
"""The roles of the matrices in the first section; weights come where they are used."""

COMMENT = 96
"""The width of a comment; a Chinese character takes two columns."""


@dataclass(frozen=True)
class UsedEntry:
    """One use of an entry in a section, and the names that it defines."""

    use: Use
    made: Expansion
    inputs: tuple[str, ...]
    """The matrices that go in: tokens, states, scores and ids, and none of the weights."""
    last: str


def start(
    tokens: Sequence[str],
    *,
    random: Random,
    use: Sequence[str] = ("attention",),
    settings: Mapping[str, Setting] | None = None,
    sizes: Mapping[str, int] | None = None,
    language: str = "en",
    title: str | None = None,
    written: bool = True,
    schema: str | None = SCHEMA,
    file: str = "lesson.toml",
) -> str:
    """Return the text of a scenario that can be derived as it is.

    ``use`` names entries of the catalogue; ``settings`` are options of theirs and ``sizes`` are their letters, such as
    ``{"d_model": 4}``. Their steps are ``written`` out, in a section for each purpose, or each entry is a ``use``. The
    numbers depend on the tokens and on
    ``random``, of which only ``random()`` is used: they are the same on every machine.

    Raises :class:`~symattn.base.errors.ScenarioError` for too few or too many tokens, and for unused options.
    """
    if not 1 <= len(tokens) <= TOKENS:
        raise ScenarioError(f"{len(tokens)} tokens: expected 1 to TOKENS = {TOKENS}; a scenario itself may have more")
    chosen = [entry_named(name) for name in use]
    language = language_named(language)
    plan = _Layout(len(tokens), settings or {}, sizes or {}, language, _widths(chosen))
    for entry in chosen:
        plan.add(entry)
    plan.must_have_used_everything()
    page = _Page(plan, tuple(tokens), language, title, written, schema, file)
    ids = min(plan.sizes.values())
    # The same tokens have the same numbers, and other tokens have others.
    own = Random(f"{random.random()} {[*tokens]}")
    first = draw(plan.matrices, ids, own)
    return page.text(telling(loads(page.text(first), path=file), plan.matrices, first, ids, own))


def create(file: Path, text: str, *, with_schema: bool = True, force: bool = False) -> None:
    """Write the scenario, and the JSON schema that its first line names beside it: both or neither.

    Raises :class:`~symattn.base.errors.OutputError` where a file exists that must not be replaced.
    """
    if file.suffix.lower() != ".toml":
        raise OutputError(f"{file}: expected a name that ends in .toml")
    beside = file.with_name(SCHEMA)
    if file.exists() and not force:
        raise OutputError(f"{file}: is there already; --force writes over it")
    if with_schema and beside.exists() and not force and not _is_ours(beside):
        raise OutputError(f"{beside}: is there already and no schema of symattn; --no-schema leaves it alone")
    write_together({file: text, **({beside: schema_text()} if with_schema else {})})


def _is_ours(file: Path) -> bool:
    with suppress(OSError), file.open("rb") as stream:
        return ID.encode() in stream.read(500)
    return False


def _widths(entries: Sequence[CatalogueEntry]) -> tuple[str, ...]:
    """Return the entries' names for d_model: a layer alone uses d; without tokens it is the first given's width."""
    if any(not {"d_model", "d"}.isdisjoint(entry.example) for entry in entries):
        return ("d_model", "d")
    return tuple(line.columns for line in example_lines(entries[0]) if isinstance(line, Input))[:1]


class _Layout:
    """Decides which matrices the entries start from, and their sizes."""

    def __init__(
        self,
        tokens: int,
        settings: Mapping[str, Setting],
        asked: Mapping[str, int],
        language: str,
        widths: Sequence[str],
    ) -> None:
        self.tokens, self.settings, self.asked, self.language, self.widths = tokens, settings, asked, language, widths
        self.sizes: dict[str, int] = {}
        self.token_axis = ""
        self.plan = Plan()
        self.matrices: list[DrawnMatrix] = []
        self.parts: list[UsedEntry] = []
        self.family_of: dict[str, str] = {}
        """The family of the entry that made each step."""
        self.options: set[str] = set()
        self.letters: list[str] = []
        """Letters of statements that stand for any number; each use adds its own."""

    def add(self, entry: CatalogueEntry) -> None:
        """Add an entry, which may continue from the result of the last one."""
        mine = {option.name: self.settings[option.name] for option in entry.options if option.name in self.settings}
        self.options.update(option.name for option in entry.options)
        found = self._sized(entry, mine)
        names: dict[str, str] = {}
        before = len(self.matrices)
        for line in found:
            if isinstance(line, Input):
                names |= self._bound(line, entry, went_on=bool(names))
        taken = any(isinstance(line, StepLine) and line.name in self.plan.by_name for line in found)
        use = Use(entry, mine, names, f"_{len(self.parts) + 1}" if taken else "")
        made = expand(use, self._shape_of, self.plan.sizes)
        self.letters += [letter for letter in made.letters if letter not in self.letters]
        for item in made.items:
            if "step" in item:
                name, _, formula = item["step"].partition(" = ")
                self.plan, self.family_of[name] = self.plan.step(name, formula), entry.family
        inputs = tuple(each.name for each in self.matrices[before:] if each.role in SHOWN_FIRST)
        self.parts.append(UsedEntry(use, made, inputs, self.plan.steps[-1].name))

    def must_have_used_everything(self) -> None:
        """Raise an error for an option or a size that no entry has."""
        entries = " and ".join(dict.fromkeys(part.use.entry.name for part in self.parts))
        sizes = set(self.sizes) - {self.token_axis}
        for kind, asked, known in (("option", self.settings, self.options), ("size", self.asked, sizes)):
            for name in asked:
                if name not in known and (kind, name) != ("size", "d_model"):
                    for part in self.parts:
                        part.use.entry.must_make_sense(name, asked[name])
                    where = f"symattn catalogue {entries}" if kind == "option" and " and " not in entries else ""
                    raise ScenarioError(unknown(f"{kind} of {entries}", name, known, where))

    def _sized(self, entry: CatalogueEntry, settings: Mapping[str, Setting]) -> tuple[EntryLine, ...]:
        """Return the lines of an entry, after every letter in them has a size."""
        try:
            example = entry.sizes_for(settings)
            wanted = {letter: self._size(letter, example) for letter in example} | self.sizes
            givens = [line for line in lines(entry, settings, wanted) if isinstance(line, Input)]
            self.token_axis = self.token_axis or next((g.rows for g in givens if g.rows != "1"), "n")
            self.sizes.setdefault(self.token_axis, self.tokens)
            self._go_on_from_the_last(givens)
            axes = (axis for given in givens for axis in (given.rows, given.columns))
            for letter in dict.fromkeys(letter for axis in axes for letter in addends(axis)):
                if isinstance(letter, str):
                    self.sizes.setdefault(letter, self._size(letter, example))
            self.plan = replace(self.plan, sizes=dict(self.sizes))
            return lines(entry, settings, self.sizes)
        except SymattnError as error:
            written = ", ".join(f"{letter} = {size}" for letter, size in self.sizes.items())
            raise ScenarioError(f"{entry.name}{written and f' with {written}'}: {error}") from None

    def _go_on_from_the_last(self, givens: Sequence[Input]) -> None:
        """Set the width of the tokens, where it is still open, to that of the last entry's result."""
        tokens = next((given for given in givens if given.role == "tokens"), None)
        if tokens is None or not self.parts or tokens.columns in (*self.sizes, *self.asked, "1"):
            return
        rows, columns = self.plan[self.parts[-1].last].shape.sizes
        if rows == self.sizes.get(tokens.rows):
            self.sizes[tokens.columns] = int(columns)

    def _size(self, letter: str, example: Mapping[str, int]) -> int:
        """Return the requested size, or the size in the entry's example, scaled with d_model."""
        main = next((width for width in self.widths if width in example), "")
        asked = {main: self.asked["d_model"], **self.asked} if main and "d_model" in self.asked else self.asked
        size = asked.get(letter)
        if size is None:
            size = example.get(letter, 2)
            if main in asked and re.match(r"d(_|\Z)", letter):
                size = max(1, size * asked[main] // example[main])
        if not 1 <= size <= SIZE:
            raise ScenarioError(f"{letter} = {size}: expected 1 to SIZE = {SIZE}; a scenario itself may have more")
        return size

    def _bound(self, given: Input, entry: CatalogueEntry, went_on: bool) -> dict[str, str]:
        """Return a new name for a matrix that the entry starts from, if the entry calls it otherwise."""
        shape = Shape(self._axis(given.rows), self._axis(given.columns))
        last = self.plan[self.parts[-1].last] if self.parts else None
        if last is not None and given.role == "tokens" and not went_on and last.shape.sizes == shape.sizes:
            return {given.name: last.name}
        name = given.name
        if name in self.plan.by_name:
            if given.option:
                return {}
            before = self.plan[name]
            # Logits, for example, are those that another entry on outputs has made.
            shared = given.role in ("tokens", "ids") if before.is_given else self.family_of.get(name) == entry.family
            if shared and before.shape.sizes == shape.sizes:
                return {}
            name = f"{name}_{len(self.parts) + 1}"
        rows, columns = (int(size) for size in shape.sizes)
        axes = (shape.rows.letter, shape.columns.letter)
        about = entry_text(self.language, entry, "inputs", given.told)
        self.matrices.append(DrawnMatrix(name, axes, (rows, columns), given.role, about))
        self.plan = self.plan.given(name, shape)
        return {} if name == given.name else {given.name: name}

    def _axis(self, letter: str) -> Axis:
        return Axis(with_letters(letter, self.sizes), letter if letter in self.sizes else "")

    def _shape_of(self, name: str) -> Shape | None:
        return self.plan[name].shape if name in self.plan.by_name else None


@cache
def _environment(language: Path) -> Environment:
    """Return the template with the words of the language in this folder."""
    environment = reader(FileSystemLoader([language, templates() / "init"]))
    environment.filters["wrapped"] = wrapped
    return environment


@dataclass(frozen=True)
class _Page:
    """Writes the file: the template with values that are TOML."""

    layout: _Layout
    tokens: tuple[str, ...]
    language: str
    title: str | None
    written: bool
    schema: str | None
    file: str

    def text(self, drawn: Drawn) -> str:
        """Return the file with these numbers."""
        environment = _environment(folder_of(self.language))
        words = environment.get_template("init.j2").module
        sizes = [(name, size) for name, size in self.layout.sizes.items() if name != self.layout.token_axis]
        arguments = {
            "words": words,
            "languages": named(),
            "schema": self.schema,
            "file": self.file,
            "title": self._title(words),
            "language": toml_value(self.language),
            "tokens": toml_value(self.tokens),
            "token_axis": self.layout.token_axis,
            "symbols": toml_value(self.layout.letters) if self.written and self.layout.letters else "",
            "sizes": sizes,
            "givens": [self._given(matrix, drawn[matrix.name], words) for matrix in self.layout.matrices],
            "told": [(kind, toml_value(said)) for kind in ("opening", "conclusion") if (said := self._told(kind))],
            "sections": [section for part in self.layout.parts for section in self._sections(part)],
            "written": self.written,
        }
        return Macros(environment, "lesson.j2", "new scenarios", "template").call("lesson", arguments)

    def _title(self, words: Any) -> str:
        if self.title is not None:
            return toml_value(_literal(self.title))
        entry = self.layout.parts[0].use.entry
        return toml_value(words.title(self._said(entry, "title"), _literal(" ".join(self.tokens))))

    def _said(self, entry: CatalogueEntry, what: str) -> str:
        return entry_text(self.language, entry, what) or entry.name

    def _given(self, matrix: DrawnMatrix, numbers: DrawnRows, said: Any) -> dict[str, str]:
        rows = [toml_value([short_decimal(number) for number in row]) for row in numbers]
        value = "[\n" + "".join(f"  {row},\n" for row in rows) + "]" if len(rows) > 1 else f"[{rows[0]}]"
        return {
            "name": matrix.name,
            "value": value,
            "axes": toml_value(matrix.axes),
            # A mark that ends the sentence belongs to the language.
            "note": said.matrix(matrix.name, matrix.about) if matrix.about else "",
        }

    def _told(self, kind: str) -> str:
        """Return the openings or the conclusions of all entries, each once."""
        told = [getattr(part.made, kind).get(self.language, "") for part in self.layout.parts]
        return between(self.language).join(filter(None, dict.fromkeys(told)))

    def _sections(self, part: UsedEntry) -> Iterator[dict[str, Any]]:
        """Yield a section for what goes in and one for each heading of an entry, or a single one."""
        entry, headings, items = part.use.entry, part.made.sections, part.made.items
        example = toml_value(self._example(part.last))
        shared: dict[str, Any] = {"entry": entry.name, "example": example, "need": "", "options": []}
        if not self.written or not headings:
            options = [] if self.written else [self._option(entry, option) for option in entry.options]
            lines = [self._item(item) for item in items] if self.written else [_use(part.use)]
            yield {**shared, "title": toml_value(self._said(entry, "title")), "options": options, "lines": lines}
            return
        for heading, end in zip(headings, [*(each.start for each in headings[1:]), len(items)], strict=True):
            title, need = (toml_value(words.get(self.language, "")) for words in (heading.title, heading.need))
            lines = [self._item(item) for item in items[heading.start : end]]
            if heading is headings[0]:
                lines = [toml_value(name) for name in part.inputs]
            if lines:
                yield {**shared, "title": title, "need": need, "lines": lines}

    def _example(self, last: str) -> str:
        """Return a possible next step: every row of the result with every row, or twice a single row or column."""
        plan = self.layout.plan
        name = next(name for name in ("Y", "R", "U", "G", "E", "Y_new") if name not in plan.by_name)
        return f"{name} = 2 * {last}" if 1 in plan[last].shape.sizes else f"{name} = {last} @ {last}.T"

    def _option(self, entry: CatalogueEntry, option: Option) -> str:
        choices = option.choices or (option.default,)
        about = entry_text(self.language, entry, "options", option.name)
        return f"  {option.name} = {' | '.join(map(toml_value, choices))}" + (f"\n      {about}" if about else "")

    def _item(self, item: ItemTable) -> str:
        """Return an item of an entry written out, with the words of one language."""
        own = {key: value.get(self.language, "") if isinstance(value, dict) else value for key, value in item.items()}
        return toml_value(own["step"] if set(own) == {"step"} else own)


def _use(use: Use) -> str:
    """``{ use = "attention", with = { mask = "causal" } }``"""
    parts = {"use": use.entry.name, "with": dict(use.settings), "names": dict(use.names), "suffix": use.suffix}
    return toml_value({key: value for key, value in parts.items() if value})


def wrapped(line: str, width: int = COMMENT) -> list[str]:
    """Wrap a line, with each part indented like the first. A command is not wrapped.

    >>> wrapped("  one two three", 9)
    ['  one two', '  three']
    """
    margin = line[: len(line) - len(line.lstrip())]
    if line.startswith("  symattn "):
        return [line]
    lines: list[str] = []
    left = width
    # Between characters of Chinese a line may end anywhere but before a mark; they are two columns wide.
    for piece in re.findall(r"(?:[\u2e80-\uffef]|[^\s\u2e80-\uffef]+)[\u3001-\u3011\uff00-\uff1f]*\s*", line):
        taken = sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in piece.rstrip())
        if not lines or taken > left:
            lines.append(margin)
            left = width - len(margin)
        lines[-1] += piece
        left -= taken + len(piece) - len(piece.rstrip())
    return [line.rstrip() for line in lines] or [""]


def _literal(text: str) -> str:
    """Write text that prints as itself in words."""
    return text.replace("{", "{{").replace("}", "}}")
