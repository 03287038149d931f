"""What every test stands on: the checkout is what is tested, in this process and in its children; nothing is timed."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from types import FrameType
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from symattn.catalogue.model import CatalogueEntry, Option

ROOT = Path(__file__).resolve().parent.parent

# Every run draws the same examples, so that a failure can be repeated; the clock and the folder of old examples go.
settings.register_profile("symattn", settings(deadline=None, derandomize=True, database=None))
settings.load_profile("symattn")


@pytest.fixture(autouse=True, scope="session")
def _children_see_the_checkout() -> Iterator[None]:
    """`python -m symattn` and the installed `symattn` read this tree too, whichever way it was installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
        yield


@pytest.fixture(scope="session")
def root() -> Path:
    """The top of the checkout, with `templates/`, `output/` and `docs/` under it."""
    return ROOT


@pytest.fixture
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test runs in a new folder."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def solve() -> Callable[..., object]:
    """``solve({"X": [["1", "2"]]}, "Y = X @ X.T", sizes={"n": 1}, decimals=3)``: a solution without a scenario."""
    from symattn.given import Given
    from symattn.plan import Plan
    from symattn.scenario.style import FigureStyle
    from symattn.shapes import shape
    from symattn.solution import Solution

    def build(
        givens: Mapping[str, Sequence[Sequence[object]]],
        *steps: str,
        sizes: Mapping[str, int | str] | None = None,
        symbols: tuple[str, ...] = (),
        **style: object,
    ) -> Solution:
        read = {name: Given.read(rows, symbols) for name, rows in givens.items()}
        plan = Plan((), dict(sizes or {}), symbols)
        for name, given in read.items():
            plan = plan.given(name, shape(*given.shape))
        for step in steps:
            name, formula = step.split("=", 1)
            plan = plan.step(name.strip(), formula.strip())
        return Solution(plan, read, FigureStyle(**style))

    return build


@dataclass(frozen=True)
class CatalogueCase:
    """An entry of the catalogue with some settings, and sizes that suit them."""

    name: str
    chosen: Mapping[str, str | int | bool]

    @property
    def sizes(self) -> Mapping[str, int]:
        """Those of the entry's example, as the settings want them."""
        from symattn.catalogue import entry_named

        return entry_named(self.name).sizes_for(self.chosen)

    def __str__(self) -> str:
        return f"{self.name}-{','.join(f'{name}={value}' for name, value in self.chosen.items()) or 'defaults'}"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test with a ``catalogue_case`` runs for every entry with every choice of every option."""
    if "catalogue_case" in metafunc.fixturenames:
        from symattn.catalogue import entries

        cases = [CatalogueCase(entry.name, chosen) for entry in entries() for chosen in choices(entry)]
        metafunc.parametrize("catalogue_case", cases, ids=str)


def choices(entry: CatalogueEntry) -> Iterator[dict[str, str | int | bool]]:
    """The defaults; every choice of every option by itself; each kind of mask at its narrowest; all options at once."""
    tried = {option.name: _tried(option) for option in entry.options}
    yield {}
    for option in entry.options:
        yield from ({option.name: value} for value in tried[option.name] if value != option.default)
    for size, mask in (("window", "window"), ("length", "padding")):
        if mask in tried.get("mask", ()):
            yield {"mask": mask, size: 1}
    if len(tried) > 1:
        yield {name: values[-1] for name, values in tried.items()}


def _tried(option: Option) -> tuple[str | int | bool, ...]:
    if option.choices:
        return option.choices
    if isinstance(option.default, bool):
        return (not option.default,)
    return ("3/2",) if option.exact else (option.least, int(option.default))


_POOLS = {
    "tokens": ("1", "0", "2", "-1", "1/2"),
    "state": ("0", "1", "-1", "3/2", "2"),
    "weight": ("1", "-1/2", "0", "2", "1/2", "-1", "3/2"),
    "bias": ("1/2", "0", "-1"),
    "gain": ("1", "2", "1/2", "3/2"),
    "scores": ("2", "-1", "1", "0", "1/2"),
    "ids": ("1", "0"),
    "number": ("1/2",),
}
"""Small numbers for each role of a given of the catalogue."""


@pytest.fixture(scope="session")
def lesson() -> Callable[..., str]:
    """``lesson("attention", {"mask": "causal"})``: a scenario that uses an entry of the catalogue at the sizes of its
    example, or others; ``anew`` calls every given by another name, and leaves its axes without names."""
    from symattn.catalogue import entry_named
    from symattn.catalogue.general import lines
    from symattn.catalogue.model import Input, Setting

    def build(
        name: str,
        settings: Mapping[str, Setting] | None = None,
        sizes: Mapping[str, int] | None = None,
        anew: bool = False,
    ) -> str:
        sizes = {**entry_named(name).sizes_for(settings or {}), "1": 1, **(sizes or {})}
        givens = [line for line in lines(entry_named(name), settings or {}, sizes) if isinstance(line, Input)]
        names = {given.name: f"given_{given.name}" if anew else given.name for given in givens}
        tokens = [f"word {place}" for place in range(1, sizes.get("n", 1) + 1)]
        text = ['title = "A lesson"', f"tokens = {json.dumps(tokens)}"]
        if not anew:
            text += ["[sizes]", *(f"{letter} = {size}" for letter, size in sizes.items() if letter not in ("n", "1"))]
        for given in givens:
            # The same numbers in every run, and others for every given.
            draw, pool = Random(given.name), _POOLS[given.role]
            rows = [_drawn(draw, pool, sizes[given.columns]) for _ in range(sizes[given.rows])]
            text += [f"[given.{names[given.name]}]", f"value = {json.dumps(rows)}"]
            text += [] if anew else [f"axes = {json.dumps([given.rows, given.columns])}"]
        use = {"use": name, "with": settings or {}}
        if anew:
            use |= {"names": names, "suffix": "_new"}
        return "\n".join([*text, "[[section]]", 'title = "All of it"', f"steps = [{_inline(use)}]", ""])

    return build


@pytest.fixture(scope="session")
def worked() -> Callable[[str], object]:
    """``worked(text)``: the solution of a scenario, the same one for every test that asks for this text."""
    from symattn import derive
    from symattn.scenario.load import loads

    return cache(lambda text: derive(loads(text)))


def _drawn(draw: Random, pool: Sequence[str], count: int) -> list[str]:
    """Different ones where there are enough: the largest score of a row is then the only one."""
    return draw.sample(pool, count) if count <= len(pool) else [draw.choice(pool) for _ in range(count)]


def _inline(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_inline(part)}" for key, part in value.items()) + " }"
    return json.dumps(value)


class TookTooLong(BaseException):
    """Not an ``Exception``: nothing under test catches it by accident."""


@pytest.fixture(scope="session")
def within() -> Callable[[float], AbstractContextManager[None]]:
    """``with within(1): …`` fails where the body takes more processor time than that: a guard against hanging."""

    @contextmanager
    def limit(seconds: float) -> Iterator[None]:
        if not hasattr(signal, "setitimer"):  # Windows has no such signal: there the body runs unguarded
            yield
            return

        def ring(number: int, frame: FrameType | None) -> None:
            # What is raised in a callback of the garbage collector is lost: then the next ring counts.
            if frame is None or frame.f_code.co_name != "gc_callback":
                raise TookTooLong

        before = signal.signal(signal.SIGPROF, ring)
        signal.setitimer(signal.ITIMER_PROF, seconds, 0.1)
        try:
            yield
        except TookTooLong:
            pytest.fail(f"not done after {seconds} seconds")
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before)

    return limit
