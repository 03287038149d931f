"""The plan of a scenario: the names of its axes, its definitions with their keys, and the derivation they make."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Self

from pydantic import PrivateAttr

from symattn.base import limits
from symattn.base.errors import FormulaError, SymattnError, UnknownNameError, cut, shown, unknown
from symattn.base.shapes import Axis, Shape, Size
from symattn.read.formula import equations, is_equation, is_name, no_name
from symattn.read.plan import BuiltLine, Plan, Step
from symattn.read.scenario.operations import read_operations
from symattn.read.scenario.problem import AT_ONCE, Key, Problem, Problems, key_text
from symattn.read.scenario.schema import File, GivenTable, SectionTable
from symattn.read.scenario.tables import BuiltStep, ItemEntry, StepTable, UnrolledTable, UsedTable, UseTable
from symattn.read.scenario.words import LabelsByLanguage

# Annotations are not strings in this module (no `from __future__`): pydantic would have to evaluate each of them.


class MadeSection(SectionTable):
    """A section that the program makes for a key of the file."""

    _made_by: tuple[str | int, ...] = PrivateAttr(default=())
    _shown: bool = PrivateAttr(default=True)

    @classmethod
    def of(cls, key: tuple[str | int, ...], **parts: Any) -> Self:
        """Return a section whose parts need no check, with its key."""
        made = cls.model_construct(**({"number": None, "need": None} | parts))
        made._made_by = key
        return made

    @classmethod
    def hidden(cls, key: tuple[str | int, ...], steps: list[Any]) -> Self:
        """Return a section whose steps are computed but not on the page."""
        made = cls.of(key, title={}, intro=None, number="0", steps=steps)
        made._shown = False
        return made

    @property
    def shown(self) -> bool:
        """Whether the page has it."""
        return self._shown

    @property
    def made_by(self) -> tuple[str | int, ...]:
        """The key of the file."""
        return self._made_by


def how_many(labels: Mapping[str, Sequence[str]]) -> int:
    """Return the number of labels, which is the same in every language."""
    return len(next(iter(labels.values())))


def _kept(labels: Mapping[str, Sequence[str]]) -> LabelsByLanguage:
    return MappingProxyType({language: tuple(listed) for language, listed in labels.items()})


@dataclass(frozen=True)
class Axes:
    """The axes: sizes by name, and labels for those that have them, including the token axis."""

    sizes: Mapping[str, int]
    labels: Mapping[str, LabelsByLanguage]

    def axis(self, name: str, size: int, what: str) -> Axis:
        """Return the axis ``name`` of a matrix that has ``size`` of ``what``; a whole number is an unnamed axis."""
        number = whole_size(name)
        if number is None and name not in self.sizes:
            raise Problem((), unknown("axis", name, [*self.sizes, "1"]) + f"; [sizes] names one: {name} = {size}")
        expected = self.sizes[name] if number is None else number
        if expected != size:
            wanted = f"{name} = {expected}" if number is None else name
            raise Problem((), f"expected {wanted} for the {what}, came {size}")
        return Axis(size, name if number is None else "")


def whole_size(name: str) -> int | None:
    """Return the size that the name of an axis gives, if it is a whole number.

    >>> whole_size("1"), whole_size("m")
    (1, None)
    """
    return int(name) if re.fullmatch(r"[1-9][0-9]{0,6}", name) else None


def read_axes(file: File, found: Problems = AT_ONCE) -> Axes:
    """Read every named axis of a file with its size."""
    with found.caught(breaks=file.token_axis):
        must_be_name(file.token_axis, ("token_axis",))
    labels: dict[str, LabelsByLanguage] = {}
    if file.tokens is not None:
        labels[file.token_axis] = _kept(file.tokens)
    for name, listed in found.until_many(file.labels.items()):
        with found.caught(breaks=name):
            must_be_name(name, ("labels", name))
            if name in labels:
                raise Problem(("labels", name), f"{name} is the token axis, and the tokens are its labels")
            labels[name] = _kept(listed)
    sizes = {name: how_many(listed) for name, listed in labels.items()}
    for name, size in found.until_many(file.sizes.items()):
        with found.caught(breaks=name):
            must_be_name(name, ("sizes", name))
            if name in labels:
                other = "token_axis another name" if name == file.token_axis else "the labels another axis"
                came = f"{name} has its size from its {sizes[name]} labels already"
                raise Problem(("sizes", name), f"{came}: leave it out here, or give {other}")
            sizes[name] = size
    return Axes(MappingProxyType(sizes), MappingProxyType(labels))


@dataclass(frozen=True)
class DefinedName:
    """A name, the key that defines it, and its formula if it is a step."""

    name: str
    key: Key
    formula: str | BuiltLine | None = None


def definitions(file: File, found: Problems = AT_ONCE) -> tuple[DefinedName, ...]:
    """Return everything a file defines: givens, general names, then steps, each in the order of the file."""
    defined = [DefinedName(name, ("given", name)) for name in file.given]
    defined += [DefinedName(name, ("general", name)) for name in file.general]
    for key, entry in entries(file):
        if isinstance(entry, BuiltStep):
            defined.append(DefinedName(entry.line.name, (*key, "step"), entry.line))
        elif isinstance(entry, StepTable):
            with found.caught(breaks=entry.step.strip()):
                defined.append(DefinedName(*split_step(entry.step, (*key, "step"))))
        elif isinstance(entry, str) and is_equation(entry):
            with found.caught(breaks=entry.partition("=")[0].strip()):
                taken = {each.name for each in defined}
                defined += [DefinedName(name, key, formula) for name, formula in steps_of(entry, key, taken)]
    return tuple(defined)


def entries(file: File) -> Iterator[tuple[Key, ItemEntry]]:
    """Yield every entry of every section's steps with its key; a use yields its items."""
    for i, section in enumerate(file.section):
        yield from section_entries(section, section_key(section, i))


def section_key(section: SectionTable, place: int) -> Key:
    """Return the key of a section's steps in the file."""
    found = section_place(section, place)
    return found if isinstance(section, MadeSection) else (*found, "steps")


def section_place(section: SectionTable, place: int) -> Key:
    """Return the key of a section in the file; for a section that the program makes, the key that asks for it."""
    return section.made_by if isinstance(section, MadeSection) else ("section", place - section.before)


def section_entries(section: SectionTable, key: Key) -> Iterator[tuple[Key, ItemEntry]]:
    """Yield the entries of one section with their keys below ``key``."""
    made = isinstance(section, MadeSection)
    for j, entry in enumerate(section.steps):
        place = key if made else (*key, j)
        if isinstance(entry, UnrolledTable):
            yield from ((place, item) for item in entry.items)
        elif isinstance(entry, UsedTable):
            yield from ((place if made else (*place, "use"), item) for item in entry.items)
        elif not isinstance(entry, UseTable):
            yield place, entry


def steps_of(text: str, key: Key, taken: Collection[str] = ()) -> tuple[tuple[str, str], ...]:
    """Return the names that a step defines, each with its formula."""
    try:
        return equations(text, taken)
    except FormulaError as error:
        raise Problem(key, str(error)) from None


def split_step(text: str, key: Key) -> tuple[str, Key, str]:
    """Return the name, key and formula of ``name = formula``, which must define a single name.

    >>> split_step("A = softmax(S)", ()), split_step("Q' = X W^Q", ())
    (('A', (), 'softmax(S)'), ('Q_prime', (), 'X W^Q'))
    """
    found = steps_of(text, key)
    if len(found) > 1:
        raise Problem(key, f"{cut(text)} defines {len(found)} names: expected one name = formula here")
    return found[0][0], key, found[0][1]


def derive(file: File, axes: Axes, defined: tuple[DefinedName, ...], found: Problems = AT_ONCE) -> Plan:
    """Return the derivation: every shape is checked, and no number is used.

    A step that cannot be read leaves its name undefined, and so does one that depends on an undefined name.
    """
    sizes: dict[str, Size] = {
        letter: letter for pair in file.general.values() for letter in pair if whole_size(letter) is None
    }
    sizes = {**sizes, **axes.sizes}
    symbols = read_symbols(file, sizes, defined, found)
    taken = {**{name: (name,) for name in (*sizes, *symbols)}, **{each.name: each.key for each in defined}}
    operations = read_operations(file.operation, taken, found)
    derivation = Plan(sizes=MappingProxyType(sizes), symbols=symbols, operations=operations)
    known = {name: (table.axes, table.value.sizes) for name, table in file.given.items()}
    tokens_in = given_of_tokens(known, file.token_axis, how_many(file.tokens)) if file.tokens else None
    for number, definition in found.until_many(enumerate(defined)):
        with found.caught(breaks=definition.name):
            rows = file.token_axis if definition.name == tokens_in else ""
            derivation = _defined(derivation, file, axes, rows, defined, number)
    return derivation


_CONSTANTS = ("e", "pi")


def read_symbols(
    file: File, sizes: Collection[str], defined: tuple[DefinedName, ...], found: Problems = AT_ONCE
) -> tuple[str, ...]:
    """Read the letters for any real number, which must not be the names of anything else."""
    symbols: list[str] = []
    names = {definition.name: definition.key for definition in defined}
    for number, name in found.until_many(enumerate(file.symbols)):
        key: Key = ("symbols", number)
        with found.caught(breaks=name):
            must_be_name(name, key, "a symbol")
            if name in _CONSTANTS:
                raise Problem(key, f"{name} is a number, which it also is on the page: give the symbol another name")
            if name in symbols:
                raise Problem(key, f"{name} is listed twice")
            if name in names:
                place = key_text(names[name])
                raise Problem(key, f"{name} is also the name of a matrix, at {place}: give one of them another name")
            if name in sizes:
                raise Problem(key, f"{name} is also the name of a size: give one of them another name")
            symbols.append(name)
    return tuple(symbols)


def _defined(
    derivation: Plan, file: File, axes: Axes, rows: str, defined: tuple[DefinedName, ...], number: int
) -> Plan:
    """Add the definition of that number to the derivation; ``rows`` names the rows of a given without axes."""
    definition = defined[number]
    name, key = definition.name, definition.key
    must_be_name(name, key, "a matrix")
    if first := next((other for other in defined[:number] if other.name == name), None):
        raise Problem(key, f"{name} is already defined at {key_text(first.key)}: give this one another name")
    try:
        if definition.formula is not None:
            derivation = _stepped(derivation, name, definition.formula)
            _must_not_be_meant(definition, defined[number + 1 :])
            for each in of_name(derivation, name):
                _must_be_small(derivation[each].shape, key)
            return derivation
        if key[0] == "given":
            return derivation.given_along(name, _given_axes(file.given[name], axes, key, rows))
        return derivation.given_along(name, _general_axes(file.general[name], key), general=True)
    except SymattnError as error:
        is_tokens = bool(file.tokens) and str(error).startswith(f"{file.token_axis} is already the name of a size")
        called = '; it is what the number of tokens is called: token_axis = "…" calls it otherwise' * is_tokens
        raise Problem.of(error, key, _later(str(error), definition, defined[number:]) or called) from None


_OF_ENTRIES = re.compile(r"(\w+)_([ijklmnt])\Z", re.ASCII)


def _stepped(derivation: Plan, name: str, formula: str | BuiltLine) -> Plan:
    """Add a step to the derivation; ``y_i = x_i + b_i`` defines y by its entries."""
    if isinstance(formula, BuiltLine):
        return derivation.built(formula)
    try:
        return derivation.step(name, formula)
    except FormulaError as error:
        entry = _OF_ENTRIES.match(name)
        if entry is None or not re.search(rf"_\s*\{{?{entry[2]}(?![A-Za-z])", formula):
            raise
        try:
            return derivation.step(entry[1], f"{formula} \\forall {entry[2]}")
        except SymattnError:
            raise error from None


def name_in(derivation: Plan, name: str) -> str:
    """Return the name that a step defines: y if it defines every y_i."""
    entry = _OF_ENTRIES.match(name)
    return name if entry is None or name in derivation.by_name or name in derivation.batches else entry[1]


def of_name(derivation: Plan, name: str) -> tuple[str, ...]:
    """Return the matrices that a name means: itself, or those along leading axes."""
    name = name_in(derivation, name)
    return derivation.batches[name].names if name in derivation.batches else (name,)


def given_of_tokens(
    givens: Mapping[str, tuple[Sequence[str] | None, tuple[int, ...]]], axis: str, tokens: int
) -> str | None:
    """Find the given whose rows are the tokens, from the axes and sizes of the givens: if none of them names the token
    axis, the first without axes that has a row for each token.

    >>> given_of_tokens({"W": (None, (2, 2)), "X": (None, (3, 2))}, "n", 3)
    'X'
    """
    if any(axis in (axes or ()) for axes, _ in givens.values()):
        return None
    unnamed = (name for name, (axes, sizes) in givens.items() if axes is None and sizes[-2:-1] == (tokens,))
    return next(unnamed, None)


def _given_axes(table: GivenTable, axes: Axes, key: Key, row_name: str) -> list[Axis]:
    """Return the axes of a given, with their names if it has any."""
    sizes = table.value.sizes
    if table.axes is None:
        return [Axis(size, row_name * (number == len(sizes) - 2)) for number, size in enumerate(sizes)]
    if (len(sizes), len(table.axes)) == (1, 2):
        sizes = (1, *sizes)
    if len(sizes) != len(table.axes):
        raise Problem((*key, "axes"), wrong_axes(len(table.axes), len(sizes)))
    named = []
    for number, (name, size, what) in enumerate(zip(table.axes, sizes, PLACES[len(sizes)], strict=True)):
        try:
            named.append(axes.axis(name, size, what))
        except Problem as problem:
            raise Problem((*key, "axes", number), problem.message) from None
    return named


PLACES = ((), ("numbers",), ("rows", "columns"), ("matrices", "rows", "columns"))
"""The things that each axis counts, for a number, a vector, a matrix, and several matrices."""


def wrong_axes(named: int, ndim: int) -> str:
    """Say what is wrong with the number of named axes: a vector with two names is a matrix with one row.

    >>> wrong_axes(1, 2)
    'names 1 axis, and a matrix has two: its rows and its columns'
    """
    has = (
        "a number has none",
        "a vector has one",
        "a matrix has two: its rows and its columns",
        "several matrices have three: how many there are, their rows and their columns",
    )[ndim]
    return f"names {named} {'axis' if named == 1 else 'axes'}, and {has}"


def _general_axes(letters: list[str], key: Key) -> list[Axis]:
    for number, letter in enumerate(letters):
        if whole_size(letter) is None:
            must_be_name(letter, (*key, number))
    return [general_axis(letter) for letter in letters]


def general_axis(letter: str) -> Axis:
    """Return the axis of a size without a number, or of a whole number."""
    return Axis(letter, letter) if whole_size(letter) is None else Axis(int(letter))


def _later(message: str, definition: DefinedName, rest: tuple[DefinedName, ...]) -> str:
    """Say where the unknown name in ``message`` is defined, if it is defined later."""
    found = re.search(r"unknown name '(\w+)'", message)
    later = next((other for other in rest if found and other.name == found[1]), None)
    if later is None:
        return ""
    if later is definition:
        return f"; {later.name} cannot stand in its own formula"
    return f"; {later.name} is defined later, at {key_text(later.key)}"


def _must_not_be_meant(definition: DefinedName, rest: tuple[DefinedName, ...]) -> None:
    """Refuse H_1 as row 1 of H, or H' as a transpose, if it is also a name defined later."""
    meant = [(other, *other.name.rpartition("_")[::2]) for other in rest]
    meant = [(other, base, behind) for other, base, behind in meant if base and _is_script(behind)]
    formula = str(definition.formula) if meant else ""  # once: a formula that the program built takes long to write
    for other, base, behind in meant:
        if base not in formula:
            continue
        digits = r",?\s*".join(behind)
        script = r"['′]" if behind == "prime" else rf"_(?:\{{\s*{digits}\s*\}}|{behind}(?![A-Za-z0-9_]))"
        if found := re.search(rf"(?<![A-Za-z0-9_]){re.escape(base)}{script}", formula):
            written = found[0]
            readings = f"{base}.T" if behind == "prime" else f"{base}[{', '.join(str(int(k) - 1) for k in behind)}]"
            raise Problem(
                definition.key,
                f"{written} is {readings} here, and a name of its own at {key_text(other.key)}: write {readings} here, "
                "or the other one first",
            )


def _is_script(behind: str) -> bool:
    """Return whether the text after a name's last _ may mean a row, an entry, or a transpose."""
    return behind == "prime" or behind.isdecimal()


def _must_be_small(shape: Shape, key: Key) -> None:
    rows, columns = shape.sizes
    if isinstance(rows, int) and isinstance(columns, int) and rows * columns > limits.MATRIX_ENTRIES:
        raise Problem(key, f"{shape} has more than MATRIX_ENTRIES = {limits.MATRIX_ENTRIES} entries", FormulaError)


def with_numbers(step: Step, key: Key) -> Step:
    """Return the step, which must have numbers."""
    if step.general:
        raise Problem(key, f"{step.name} is general: it has the shape {step.shape} and no numbers")
    return step


_ENTRY = re.compile(r"\s*([A-Za-z]\w*)\s*\[\s*([1-9]\d{0,8})\s*,\s*([1-9]\d{0,8})\s*\]\s*\Z", re.ASCII)


def entry_named(text: str, plan: Plan, key: Key, like: str = "P[2,3]") -> tuple[str, int, int]:
    """Read an entry such as P[2,3]: a name of the plan, and row and column counted from 1."""
    match = _ENTRY.match(text)
    if match is None:
        raise Problem(key, f"{shown(text)}: expected an entry such as {like}, row and column counted from 1")
    name, row, column = match[1], int(match[2]), int(match[3])
    if name not in plan.by_name:
        raise Problem(key, unknown("name", name, plan.by_name), UnknownNameError)
    rows, columns = plan[name].shape.sizes
    if not (isinstance(rows, int) and isinstance(columns, int) and row <= rows and column <= columns):
        raise Problem(key, f"{name} is {plan[name].shape}: expected a row and a column in it, came [{row}, {column}]")
    return name, row, column


def must_be_name(name: str, key: Key, what: str = "an axis") -> None:
    """Refuse a name that a formula could not write."""
    if not is_name(name):
        raise Problem(key, no_name(name, what))
