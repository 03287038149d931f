"""What an entry of the catalogue is: givens and named steps over letters, options, a source.

An entry is a function that yields lines: what it needs (:class:`Given`), then what it derives (:class:`Step`) and says
(:class:`Letter`, :class:`Prove`, :class:`Show`, :class:`Note`). It is asked once per use, with the options that were
chosen and with the sizes that the names of the scenario have.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from symattn.errors import FormulaError, shown, unknown
from symattn.formula import read_number

Role = Literal["tokens", "weight", "bias", "gain", "scores", "ids", "state", "number"]
"""What a given is for, which decides what numbers suit an example: vectors of tokens, weights, a bias, a gain (around
1), scores, whole numbers from 0, what earlier tokens left behind, one positive number."""

Setting = str | int | bool
"""What an option may be set to."""


@dataclass(frozen=True)
class Input:
    """A matrix the entry starts from, with the letters of its axes (``"1"`` for a single row or column)."""

    name: str
    rows: str
    columns: str
    role: Role


@dataclass(frozen=True)
class StepLine:
    """``name = formula``; ``because`` is the key of its reason among the entry's words (the name, if there is one)."""

    name: str
    formula: str
    because: str = ""
    decimals: int | None = None
    works: tuple[int, int] | None = None


@dataclass(frozen=True)
class AnyNumber:
    """A letter that stands for any real number in the statements that follow."""

    name: str


@dataclass(frozen=True)
class Prove:
    """Two formulas that are equal for all sizes."""

    left: str
    right: str
    note: str = ""


@dataclass(frozen=True)
class Show:
    """A name once more in another form."""

    name: str
    form: str


@dataclass(frozen=True)
class Note:
    """A paragraph: its key among the entry's words."""

    words: str


EntryLine = Input | StepLine | AnyNumber | Prove | Show | Note


@dataclass(frozen=True)
class Option:
    """What may be chosen: one of some words, a whole number, an exact number, or a switch."""

    name: str
    default: Setting
    choices: tuple[str, ...] = ()
    least: int = 1
    exact: bool = False

    def read(self, value: object) -> Setting:
        """The setting, checked.

        >>> Option("mask", "none", ("none", "causal")).read("casual")
        Traceback (most recent call last):
            ...
        symattn.errors.FormulaError: mask: unknown value 'casual': did you mean 'causal'? known: causal, none
        """
        if isinstance(self.default, bool):
            if not isinstance(value, bool):
                raise self._expected("true or false", value)
        elif self.choices:
            if value not in self.choices:
                raise FormulaError(f"{self.name}: {unknown('value', str(value), self.choices)}")
        elif self.exact:
            return self._number(value)
        elif isinstance(value, bool) or not isinstance(value, int) or value < self.least:
            raise self._expected(f"a whole number from {self.least} up", value)
        return value

    def _number(self, value: object) -> str:
        if isinstance(value, bool) or not isinstance(value, int | str):
            raise self._expected('a positive number such as 2 or "1/2"', value)
        number = read_number(str(value))
        if not (number.is_finite and number.is_positive):
            raise self._expected('a positive number such as 2 or "1/2"', value)
        return str(value)

    def _expected(self, what: str, value: object) -> FormulaError:
        return FormulaError(f"{self.name}: expected {what}, came {shown(str(value))}")


@dataclass(frozen=True)
class Source:
    """The publication an entry follows, the place in it, and where it can be read."""

    title: str
    place: str
    link: str

    def __str__(self) -> str:
        return f"{self.title}, {self.place}"


@dataclass
class Chosen:
    """The settings of one use of an entry, and the sizes of its letters as they become known."""

    settings: Mapping[str, Setting]
    sizes: dict[str, int | str] = field(default_factory=dict)

    def text(self, option: str) -> str:
        """A word, or a number as it was written."""
        return str(self.settings[option])

    def whole(self, option: str) -> int:
        """A whole number."""
        return int(self.settings[option])

    def switch(self, option: str) -> bool:
        """Whether it is on."""
        return bool(self.settings[option])

    def size(self, letter: str) -> int:
        """The whole number that an axis of the givens yielded so far has; an entry that counts tokens needs it.

        Raises :class:`~symattn.errors.FormulaError` where the axis is a letter, as in a general derivation.
        """
        size = self.sizes.get(letter)
        if not isinstance(size, int):
            raise FormulaError(f"the number {letter} has to be known here, a whole number: it is the letter {size}")
        return size


Lines = Callable[[Chosen], Iterator[EntryLine]]


@dataclass(frozen=True)
class CatalogueEntry:
    """A ready-made derivation. ``example`` holds sizes of its letters that make a small example; ``fit`` says which of
    them some settings want otherwise: three heads want a width that three divides."""

    name: str
    family: str
    lines: Lines
    options: tuple[Option, ...] = ()
    example: Mapping[str, int] = field(default_factory=dict)
    fit: Callable[[Chosen], Mapping[str, int]] | None = None

    @property
    def source(self) -> Source:
        """Where it comes from: the table of its name in ``sources.toml``."""
        return Source(**_sources()[self.name])

    def sizes_for(self, settings: Mapping[str, object]) -> dict[str, int]:
        """The sizes of the example, as these settings want them."""
        return {**self.example, **(self.fit(self.choose(settings)) if self.fit else {})}

    def choose(self, settings: Mapping[str, object]) -> Chosen:
        """The settings, checked, with the defaults of the others.

        Raises :class:`~symattn.errors.FormulaError` for an unknown option, and for what one may not be set to.
        """
        known = {option.name: option for option in self.options}
        for name in settings:
            if name not in known:
                raise FormulaError(unknown(f"option of {self.name}", name, known))
        read = {name: option.read(settings.get(name, option.default)) for name, option in known.items()}
        return Chosen(read)


@cache
def _sources() -> Mapping[str, Mapping[str, str]]:
    return MappingProxyType(tomllib.loads(Path(__file__).with_name("sources.toml").read_text(encoding="utf-8")))


def entry(
    sizes: str,
    options: tuple[Option, ...] = (),
    fit: Callable[[Chosen], Mapping[str, int]] | None = None,
) -> Callable[[Lines], CatalogueEntry]:
    """Makes the entry that a function of lines describes: its name is the function's, its family that of the module.

    ``sizes`` are those of its example, ``"n=3 d_k=2"``.
    """
    example = {letter: int(size) for letter, _, size in (pair.partition("=") for pair in sizes.split())}

    def make(lines: Lines) -> CatalogueEntry:
        family = lines.__module__.rpartition(".")[2]
        return CatalogueEntry(lines.__name__, family, lines, options, example, fit)

    return make
