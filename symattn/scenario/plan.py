"""The plan of a scenario: what its axes are called, what it defines and where, and the derivation that follows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from symattn import limits
from symattn.derivation import Plan
from symattn.errors import FormulaError, SymattnError, shown, unknown
from symattn.formula import is_name
from symattn.scenario.lines import Key, key_text
from symattn.scenario.problem import Problem
from symattn.scenario.schema import File, GivenTable, StepTable
from symattn.shapes import Axis, Shape, Size


@dataclass(frozen=True)
class Axes:
    """What axes are called: sizes by name, and labels for those that have them. The token axis is among them."""

    sizes: Mapping[str, int]
    labels: Mapping[str, tuple[str, ...]]

    def axis(self, name: str, size: int, what: str) -> Axis:
        """The axis ``name`` of a matrix that has ``size`` of ``what``."""
        if name != "1" and name not in self.sizes:
            raise Problem((), unknown("axis", name, [*self.sizes, "1"]))
        expected = self.sizes.get(name, 1)
        if expected != size:
            wanted = f"{name} = {expected}" if name != "1" else "1"
            raise Problem((), f"expected {wanted} for the {what}, came {size}")
        return Axis(size, "" if name == "1" else name)


def read_axes(file: File) -> Axes:
    """Every named axis of a file with its size."""
    must_be_name(file.token_axis, ("token_axis",))
    labels: dict[str, tuple[str, ...]] = {}
    if file.tokens is not None:
        labels[file.token_axis] = tuple(file.tokens)
    for name, listed in file.labels.items():
        must_be_name(name, ("labels", name))
        if name in labels:
            raise Problem(("labels", name), f"{name} is the token axis, and the tokens are its labels")
        labels[name] = tuple(listed)
    for name in file.sizes:
        must_be_name(name, ("sizes", name))
        if name in labels:
            other = "token_axis another name" if name == file.token_axis else "the labels another axis"
            came = f"{name} has its size from its {len(labels[name])} labels already"
            raise Problem(("sizes", name), f"{came}: leave it out here, or give {other}")
    sizes = {**{name: len(listed) for name, listed in labels.items()}, **file.sizes}
    return Axes(MappingProxyType(sizes), MappingProxyType(labels))


@dataclass(frozen=True)
class Definition:
    """A name, where it is defined, and its formula if it is a step."""

    name: str
    key: Key
    formula: str | None = None


def definitions(file: File) -> tuple[Definition, ...]:
    """Everything a file defines: givens, general names, then steps, each in the order of the file."""
    found = [Definition(name, ("given", name)) for name in file.given]
    found += [Definition(name, ("general", name)) for name in file.general]
    for i, section in enumerate(file.section):
        for j, entry in enumerate(section.steps):
            key: Key = ("section", i, "steps", j)
            if isinstance(entry, StepTable):
                found.append(Definition(*split_step(entry.step, (*key, "step"))))
            elif isinstance(entry, str) and "=" in entry:
                found.append(Definition(*split_step(entry, key)))
    return tuple(found)


def split_step(text: str, key: Key) -> tuple[str, Key, str]:
    """Name, key and formula of ``name = formula``.

    >>> split_step("A = softmax(S)", ())
    ('A', (), 'softmax(S)')
    """
    name, equals, formula = (part.strip() for part in text.partition("="))
    if not equals:
        raise Problem(key, f"expected name = formula, came {shown(text)}")
    return name, key, formula


def derive(file: File, axes: Axes, defined: tuple[Definition, ...]) -> Plan:
    """The derivation: every shape is checked, and not a number is looked at."""
    sizes: dict[str, Size] = {letter: letter for pair in file.general.values() for letter in pair if letter != "1"}
    derivation = Plan(sizes=MappingProxyType({**sizes, **axes.sizes}))
    tokens_in = _given_of_tokens(file)
    for number, definition in enumerate(defined):
        name, key = definition.name, definition.key
        must_be_name(name, key, "a matrix")
        if first := next((other for other in defined[:number] if other.name == name), None):
            raise Problem(key, f"{name} is already defined at {key_text(first.key)}: give this one another name")
        try:
            if definition.formula is not None:
                derivation = derivation.step(name, definition.formula)
                _must_be_small(derivation[name].shape, key)
            elif key[0] == "given":
                rows = file.token_axis if name == tokens_in else ""
                derivation = derivation.given(name, _given_shape(file.given[name], axes, key, rows))
            else:
                derivation = derivation.given(name, _general_shape(file.general[name], key), general=True)
        except SymattnError as error:
            raise Problem.of(error, key, _later(str(error), definition, defined[number:])) from None
    return derivation


def _given_of_tokens(file: File) -> str | None:
    """Where no given names its axes: the first one with as many rows as there are tokens has the tokens as rows."""
    if not file.tokens or any(table.axes is not None for table in file.given.values()):
        return None
    fitting = (name for name, table in file.given.items() if table.value.shape[0] == len(file.tokens))
    return next(fitting, None)


def _given_shape(table: GivenTable, axes: Axes, key: Key, row_name: str) -> Shape:
    rows, columns = table.value.shape
    if table.axes is None:
        return Shape(Axis(rows, row_name), Axis(columns))
    pair = []
    for number, (name, size, what) in enumerate(zip(table.axes, (rows, columns), ("rows", "columns"), strict=True)):
        try:
            pair.append(axes.axis(name, size, what))
        except Problem as problem:
            raise Problem((*key, "axes", number), problem.message) from None
    return Shape(*pair)


def _general_shape(pair: list[str], key: Key) -> Shape:
    for number, letter in enumerate(pair):
        if letter != "1":
            must_be_name(letter, (*key, number))
    rows, columns = (Axis(1) if letter == "1" else Axis(letter, letter) for letter in pair)
    return Shape(rows, columns)


def _later(message: str, definition: Definition, rest: tuple[Definition, ...]) -> str:
    """Where the unknown name that ``message`` complains of is defined, if that comes only later."""
    found = re.search(r"unknown name '(\w+)'", message)
    later = next((other for other in rest if found and other.name == found[1]), None)
    if later is None:
        return ""
    if later is definition:
        return f"; {later.name} cannot stand in its own formula"
    return f"; {later.name} is defined later, at {key_text(later.key)}"


def _must_be_small(shape: Shape, key: Key) -> None:
    rows, columns = shape.sizes
    if isinstance(rows, int) and isinstance(columns, int) and rows * columns > limits.MATRIX_ENTRIES:
        raise Problem(key, f"{shape} has more than MATRIX_ENTRIES = {limits.MATRIX_ENTRIES} entries", FormulaError)


def must_be_name(name: str, key: Key, what: str = "an axis") -> None:
    """Refuse a name that a formula could not write."""
    if not is_name(name):
        rule = "a letter, then letters, digits and underscores (at most 40), and not the name of a function"
        raise Problem(key, f"{shown(name)} cannot name {what}: expected {rule}")
