"""The parts of a catalogue entry: givens and named steps over letters, options, a source.

An entry is a function that yields lines: its inputs (:class:`Input`), then its steps (:class:`StepLine`) and statements
(:class:`AnyNumber`, :class:`Prove`, :class:`CountLine`, :class:`Note`), under the headings of a lesson
(:class:`HeadingLine`). It is called once per use, with the chosen options and with the sizes that the names of the
scenario have.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from symattn.base.errors import FormulaError, shown, unknown
from symattn.read.formula import is_name, read_number

Role = Literal["tokens", "weight", "bias", "gain", "scores", "ids", "state", "number"]
"""The purpose of a given, which determines the numbers of an example: vectors of tokens, weights, a bias, a gain
(around 1), scores, whole numbers from 0, the state left by earlier tokens, one positive number."""

Setting = str | int | bool | tuple[str, ...]
"""A value of an option."""


@dataclass(frozen=True)
class Input:
    """A matrix the entry starts from, with the letters of its axes (``"1"`` for a single row or column, ``"m + n"`` for
    concatenated ones); ``option`` names it if it is a matrix of the reader's own."""

    name: str
    rows: str
    columns: str
    role: Role
    option: str = ""

    @property
    def told(self) -> str:
        """The key of its description among the entry's words."""
        return self.option or self.name


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
    """A letter for any real number in the statements that follow."""

    name: str


@dataclass(frozen=True)
class Prove:
    """Two formulas that are equal for all sizes."""

    left: str
    right: str
    note: str = ""


@dataclass(frozen=True)
class CountLine:
    """``name = formula``, a number over sizes, and larger sizes at which it is worked out again."""

    name: str
    formula: str
    note: str = ""
    at: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class HeadingLine:
    """The beginning of a section in a lesson: the key of its words, a title and the need for its steps."""

    words: str


@dataclass(frozen=True)
class Note:
    """A paragraph: its key among the entry's words."""

    words: str


EntryLine = Input | StepLine | AnyNumber | Prove | CountLine | Note | HeadingLine


OptionKind = Literal["word", "words", "matrices", "whole", "number", "switch"]


@dataclass(frozen=True)
class Option:
    """An option: a word of ``choices``; any number of words and of matrices of the scenario, or of matrices alone; a
    whole number, an exact number, or a word in its place; a switch.

    ``needs`` names another option, and the word for it without which this option has no effect. ``turns`` names the
    option, a gate, that reverses the default of a switch.
    """

    name: str
    kind: OptionKind
    default: Setting
    choices: tuple[str, ...] = ()
    least: int = 1
    needs: tuple[str, str] | None = None
    turns: str = ""

    def read(self, value: object) -> Setting:
        """Return the setting, checked.

        >>> Option("order", "word", "post", ("post", "pre")).read("past")
        Traceback (most recent call last):
            ...
        symattn.base.errors.FormulaError: order: unknown value 'past': did you mean 'post'? known: post, pre
        >>> Option("mask", "words", (), ("causal", "window")).read(["causal", "M"])
        ('causal', 'M')
        """
        match self.kind:
            case "words" | "matrices":
                return self._listed(value)
            case "switch":
                if not isinstance(value, bool):
                    raise self._expected("true or false", value)
                return value
            case "word":
                if value not in self.choices:
                    raise FormulaError(f"{self.name}: {unknown('value', str(value), self.choices)}")
                return str(value)
        if value in self.choices:
            return str(value)
        words = "".join(f', or "{word}"' for word in self.choices)
        if self.kind == "number":
            return self._number(value, words)
        if isinstance(value, bool) or not isinstance(value, int) or value < self.least:
            raise self._expected(f"a whole number from {self.least} up{words}", value)
        return value

    def _listed(self, value: object) -> tuple[str, ...]:
        """Return words and names, without the word for none."""
        listed: list[str] = []
        for each in value if isinstance(value, list | tuple) else [value]:
            if not isinstance(each, str) or not is_name(each):
                raise self._expected(f"{', '.join(self.choices)}, the name of a matrix, or a list of them", each)
            listed.append(each)
        if len(set(listed)) < len(listed):
            raise FormulaError(f"{self.name}: {', '.join(listed)}: expected each only once")
        if NONE in listed and len(listed) > 1:
            raise FormulaError(f"{self.name}: {', '.join(listed)}: none stands alone, without the others")
        return tuple(each for each in listed if each != NONE)

    def own(self, setting: Setting) -> tuple[str, ...]:
        """Return the matrices of the scenario among the chosen values."""
        listed = setting if isinstance(setting, tuple) else ()
        return tuple(each for each in listed if each not in self.choices)

    def _number(self, value: object, words: str) -> str:
        if isinstance(value, bool) or not isinstance(value, int | str):
            raise self._expected(f'a positive number such as 2 or "1/2"{words}', value)
        try:
            number = read_number(str(value))
        except FormulaError as error:
            raise FormulaError(f"{self.name}: {error}") from None
        if not (number.is_finite and number.is_positive):
            raise self._expected(f'a positive number such as 2 or "1/2"{words}', value)
        return str(value)

    def _expected(self, what: str, value: object) -> FormulaError:
        return FormulaError(f"{self.name}: expected {what}, came {shown(str(value))}")


NONE = "none"
"""The word for no choice."""


def word(name: str, *choices: str, needs: tuple[str, str] | None = None) -> Option:
    """An option with one of some words, the default first."""
    return Option(name, "word", choices[0], choices, needs=needs)


def whole_option(
    name: str, default: int | str, *words: str, least: int = 1, needs: tuple[str, str] | None = None
) -> Option:
    """An option with a whole number, or a word in its place."""
    return Option(name, "whole", default, words, least=least, needs=needs)


def number_option(name: str, default: str, *words: str, needs: tuple[str, str] | None = None) -> Option:
    """An option with an exact number, or a word in its place."""
    return Option(name, "number", default, words, needs=needs)


def switch(name: str, default: bool, turns: str = "") -> Option:
    """An option that is true or false."""
    return Option(name, "switch", default, turns=turns)


def words_or_matrices(name: str, *choices: str) -> Option:
    """An option with any number of these words, and of matrices of the scenario."""
    return Option(name, "words" if choices else "matrices", (), (NONE, *choices))


@dataclass(frozen=True)
class Source:
    """The publication an entry follows, the place in it, and its link."""

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
        """Return a word, or a number as it was written."""
        return str(self.settings[option])

    def whole(self, option: str) -> int:
        """Return a whole number."""
        number = self.settings[option]
        assert isinstance(number, int)
        return number

    def switch(self, option: str) -> bool:
        """Return whether a switch is on."""
        return bool(self.settings[option])

    def listed(self, option: str) -> tuple[str, ...]:
        """Return words and names."""
        listed = self.settings[option]
        assert isinstance(listed, tuple)
        return listed

    def having(self, **settings: Setting) -> Chosen:
        """Return the same with other settings, and the same sizes."""
        return Chosen({**self.settings, **settings}, self.sizes)

    def size(self, letter: str) -> int:
        """Return the size of an axis of the givens yielded so far; an entry that counts tokens needs it.

        Raises :class:`~symattn.base.errors.FormulaError` if the axis is a letter, as in a general derivation.
        """
        size = self.sizes.get(letter)
        if not isinstance(size, int):
            raise FormulaError(f"the number {letter} has to be known here, a whole number: it is the letter {size}")
        return size


Lines = Callable[[Chosen], Iterator[EntryLine]]


@dataclass(frozen=True)
class CatalogueEntry:
    """A ready-made derivation. ``example`` holds sizes of its letters that make a small example; ``fit`` returns the
    sizes that must change with the settings: three heads need a width that three divides."""

    name: str
    family: str
    lines: Lines
    options: tuple[Option, ...] = ()
    example: Mapping[str, int] = field(default_factory=dict)
    fit: Callable[[Chosen], Mapping[str, int]] | None = None
    senseless: Mapping[str, str] = field(default_factory=dict)
    """Options, and words such as ``mask = causal``, of other entries that make no sense here, and the reasons."""

    @property
    def source(self) -> Source:
        """The publication it follows: the table of its name in ``sources.toml``."""
        said = _sources()["entry"][self.name]
        return Source(said["title"], said["place"], said["link"])

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names for it: ``also`` in ``sources.toml``."""
        return tuple(_sources()["entry"][self.name].get("also", "").split())

    @property
    def sources_of_options(self) -> Mapping[str, Source]:
        """The sources of options that the entry's own source does not have."""
        known = _sources()["option"]
        return {one.name: Source(**known[one.name]) for one in self.options if one.name in known}

    def sizes_for(self, settings: Mapping[str, object]) -> dict[str, int]:
        """Return the sizes of the example, adapted to these settings."""
        return {**self.example, **(self.fit(self.choose(settings)) if self.fit else {})}

    def choose(self, settings: Mapping[str, object]) -> Chosen:
        """Return the settings, checked, with the defaults of the others.

        Raises :class:`~symattn.base.errors.FormulaError` for an unknown option, for a wrong value, and for an option
        that makes no sense here or beside the others.
        """
        known = {option.name: option for option in self.options}
        for name, value in settings.items():
            self.must_make_sense(name, value)
            if name not in known:
                word = next((each.name for each in self.options if name in each.choices), "")
                meant = f'write {word} = "{name}"' if word else ""
                where = f"symattn catalogue {self.name}"
                raise FormulaError(unknown(f"option of {self.name}", name, known, where, meant))
        read: dict[str, Setting] = {}
        for name, option in known.items():
            usual = option.default
            if option.turns and read[option.turns] != known[option.turns].default:
                usual = not usual
            read[name] = option.read(settings[name]) if name in settings else usual
        for name in settings:
            if (needs := known[name].needs) is not None:
                self._must_count(name, *needs, read)
        return Chosen(read)

    def must_make_sense(self, name: str, value: object) -> None:
        """Refuse an option, or a word of it, that other entries have and that means nothing here.

        Raises :class:`~symattn.base.errors.FormulaError` with the reason.
        """
        for each in value if isinstance(value, list | tuple) else [value]:
            if (why := self.senseless.get(name, self.senseless.get(f"{name} = {each}"))) is not None:
                raise FormulaError(f"{name} = {shown(str(each))} makes no sense in {self.name}: {why}")

    def _must_count(self, name: str, other: str, wanted: str, read: Mapping[str, Setting]) -> None:
        has = read[other]
        if wanted != has and not (isinstance(has, tuple) and wanted in has):
            raise FormulaError(f'{name} counts only with {other} = "{wanted}": set both, or leave {name} out')


@cache
def _sources() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    return MappingProxyType(tomllib.loads(Path(__file__).with_name("sources.toml").read_text(encoding="utf-8")))


def entry(
    sizes: str,
    options: tuple[Option, ...] = (),
    fit: Callable[[Chosen], Mapping[str, int]] | None = None,
    senseless: Mapping[str, str] | None = None,
) -> Callable[[Lines], CatalogueEntry]:
    """Make an entry from a function of lines: its name is the function's, its family that of the module.

    ``sizes`` are those of its example, ``"n=3 d_k=2"``.
    """
    example = {letter: int(size) for letter, _, size in (pair.partition("=") for pair in sizes.split())}

    def make(lines: Lines) -> CatalogueEntry:
        family = lines.__module__.rpartition(".")[2]
        return CatalogueEntry(lines.__name__, family, lines, options, example, fit, senseless or {})

    return make
