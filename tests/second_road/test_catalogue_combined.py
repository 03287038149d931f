"""The catalogue with settings that nobody chose: every entry with random values of all its options at once, random
sizes and random numbers, by NumPy and by PyTorch.

What an option may be is read from the option that the entry declares, so a new option is drawn too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pytest

from symattn.api.worked import WorkedSolution, derive
from symattn.base.errors import DomainError
from symattn.read.catalogue import entries, entry_named
from symattn.read.catalogue.entries import lines
from symattn.read.catalogue.model import CatalogueEntry, Input, Option, Setting, StepLine
from symattn.read.scenario.load import loads
from tests.second_road.test_catalogue import ROADS, Values, certified, givens, options
from tests.second_road.test_numpy import assert_close

NAMES = tuple(entry.name for entry in entries())
NUMBERS = ("1", "2", "3/2", "1/3", "0.7", "5", "10^-2", "sqrt(2)")
OWN = ("P", "Bias")
"""Matrices of the reader's own, which may be a mask and added to the scores as well."""
SIGNED = tuple(f"{sign}{a}/{b}" for b in (4, 5, 7) for a in range(1, 12, 2) for sign in ("", "-") if a % b)
"""Numbers no two of which are alike: the largest of a row is the only one."""


@dataclass(frozen=True)
class Drawn:
    """An entry with any of its options set to anything that counts, and sizes that suit them."""

    entry: CatalogueEntry
    seed: int
    settings: Mapping[str, Setting]
    sizes: Mapping[str, int]

    def text(self, lesson: Callable[..., str]) -> str:
        """The lesson, with numbers of its own; a matrix of the reader's own may be a row, a column or a number."""
        ids = tuple(map(str, range(self.sizes.get("v", 2))))
        pools = dict.fromkeys(("tokens", "state", "weight", "bias", "scores", "gain"), SIGNED) | {"ids": ids}
        draw, repeated = Random(f"repeated {self.seed}"), {}
        for line in self.lines:
            if isinstance(line, Input) and line.option and draw.random() < 0.3:
                repeated[line.name] = draw.choice([(1, 1), (1, self.columns(line.columns))])
        drawn = {"seed": self.seed, "pools": pools, "repeated": repeated, "anew": self.is_anew}
        return lesson(self.entry.name, self.settings, self.sizes, **drawn)

    @property
    def lines(self) -> tuple[Any, ...]:
        return lines(self.entry, self.settings, self.sizes)

    @property
    def last(self) -> str:
        """The name of the last step in the lesson."""
        name = next(line.name for line in reversed(self.lines) if isinstance(line, StepLine))
        return self.called(name)

    def called(self, name: str) -> str:
        """What a step is called in the lesson, which may use the entry with a suffix."""
        return f"{name}_new" if self.is_anew else name

    @property
    def is_anew(self) -> bool:
        """Whether the lesson calls everything by another name."""
        return self.seed % 3 == 2

    def columns(self, letters: str) -> int:
        return sum(self.sizes.get(each, 1) for each in letters.split(" + "))


def draw_setting(option: Option, draw: Random) -> Setting:
    """Any value that an option may have."""
    words = tuple(word for word in option.choices if word != "none")
    match option.kind:
        case "switch":
            return draw.random() < 0.5
        case "word":
            return draw.choice(option.choices)
        case "number" | "whole":
            numbers = NUMBERS if option.kind == "number" else range(option.least, option.least + 4)
            return draw.choice([*numbers, *option.choices * 3])
    own = tuple(f"{name}_E" if "memory" in option.name else name for name in OWN)
    return tuple(draw.sample((*words, *own), draw.randint(0, min(3, len(words) + len(own)))))


def counts(option: Option, settings: Mapping[str, Setting]) -> bool:
    """Whether an option has something to do beside the others."""
    if option.needs is None:
        return True
    has = settings[option.needs[0]]
    return option.needs[1] in has if isinstance(has, tuple) else has == option.needs[1]


def drawn(name: str, seed: int) -> Drawn:
    """An entry with random settings: for each seed the same."""
    entry, draw = entry_named(name), Random(f"{name} {seed}")
    chosen = {option.name: draw_setting(option, draw) for option in entry.options if draw.random() < 0.6}
    sizes, width = {letter: draw.randint(1, 4) for letter in entry.example}, draw.randint(1, 3)
    if "heads" in chosen or "kv_heads" in chosen:
        chosen["heads"] = heads = draw.choice((1, 2, 2, 3, 4))
        chosen["kv_heads"] = draw.choice(["heads", *(count for count in range(1, heads + 1) if heads % count == 0)])
    usual = {option.name: option.default for option in entry.options} | chosen
    if name == "rotary" or usual.get("positions") == "rotary":  # which turns columns in pairs
        width, sizes["d_k"] = 2 * draw.randint(1, 2), 2 * draw.randint(1, 2)
    if "heads" in usual:
        groups = usual["heads"] if usual["kv_heads"] == "heads" else usual["kv_heads"]
        sizes |= {"d": width * usual["heads"], "d_shared": width * groups}  # type: ignore[operator]
    sizes |= {"d_model": 2 * sizes["d_model"]} if name == "sinusoidal" else {}
    sizes |= {"m": usual["block"] + draw.randint(1, 4)} if "block" in usual else {}  # type: ignore[operator]
    sizes |= {"v": usual["k"] + draw.randint(0, 3)} if "k" in usual else {}  # type: ignore[operator]
    # No window and no padding is wider than the positions there are.
    for option, letter in (("memory_length", "m"), ("length", "n"), ("window", "n")):
        chosen |= {option: min(usual[option], sizes[letter])} if option in usual else {}  # type: ignore[type-var]
    counting = {option.name for option in entry.options if counts(option, usual)}
    return Drawn(entry, seed, {name: value for name, value in chosen.items() if name in counting}, sizes)


def both(case: Drawn, lesson: Callable[..., str]) -> tuple[Values, WorkedSolution] | None:
    """The values of every step by NumPy, and the solution; nothing where NumPy has no value, which is refused."""
    text = case.text(lesson)
    known = {name.removeprefix("given_"): value for name, value in givens(text).items()}
    with np.errstate(all="ignore"):
        expected = ROADS[case.entry.name](known, options(case.entry.name, dict(case.settings)))
    if any(np.isnan(value).any() for value in expected.values()):
        with pytest.raises(DomainError, match=r"sees? no key"):
            certified(derive(loads(text)), case.last)
        return None
    return expected, derive(loads(text))


def compared(name: str, seed: int, lesson: Callable[..., str]) -> int:
    """How many steps of an entry were compared with NumPy. Raises AssertionError for one that is another."""
    case = drawn(name, seed)
    found = both(case, lesson)
    if found is None:
        return 0
    expected, solution = found
    steps = [line.name for line in case.lines if isinstance(line, StepLine)]
    assert sorted(expected) == sorted(steps)
    for step in steps:
        assert_close(certified(solution, case.called(step)), expected[step], f"{case.entry.name}, {case}, {step}")
    return len(steps)


@pytest.mark.parametrize("name", NAMES)
def test_every_option_is_drawn_with_several_values(name: str) -> None:
    """So that nothing that an entry declares is left at its default throughout."""
    cases = [drawn(name, seed) for seed in range(150)]
    for option in entry_named(name).options:
        found = {case.settings.get(option.name, option.default) for case in cases}
        assert len(found) > 1, option.name


@pytest.mark.sampled(7)
@pytest.mark.parametrize("name", NAMES)
def test_options_go_together(lesson: Callable[..., str], name: str) -> None:
    assert sum(compared(name, seed, lesson) for seed in range(2)) > 0


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
@pytest.mark.parametrize("name", NAMES)
def test_a_hundred_choices_of_options_go_together(lesson: Callable[..., str], name: str, part: int) -> None:
    assert sum(compared(name, seed, lesson) for seed in range(10 * part, 10 * part + 10)) > 0
