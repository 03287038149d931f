"""What every test stands on: the checkout is what is tested, in this process and in its children; nothing is timed."""

from __future__ import annotations

import gc
import json
import os
import signal
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from types import FrameType, MappingProxyType
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from symattn.read.catalogue.model import CatalogueEntry, Option, Setting

ROOT = Path(__file__).resolve().parent.parent

# SymPy makes and drops small objects by the million: to look for circles after every 700 takes a quarter of the time.
gc.set_threshold(100_000, 20, 20)

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
    from symattn.base.shapes import shape
    from symattn.compute.solution import Solution
    from symattn.read.given import Given
    from symattn.read.plan import Plan
    from symattn.read.scenario.model import FigureStyle

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
    chosen: Mapping[str, Setting]

    @property
    def sizes(self) -> Mapping[str, int]:
        """Those of the entry's example, as the settings want them."""
        from symattn.read.catalogue import entry_named

        return entry_named(self.name).sizes_for(self.chosen)

    def __str__(self) -> str:
        return f"{self.name}-{','.join(f'{name}={value}' for name, value in self.chosen.items()) or 'defaults'}"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test with a ``catalogue_case`` runs for every entry with every choice of every option."""
    if "catalogue_case" in metafunc.fixturenames:
        from symattn.read.catalogue import entries

        cases = [CatalogueCase(entry.name, chosen) for entry in entries() for chosen in choices(entry)]
        metafunc.parametrize("catalogue_case", cases, ids=str)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of a test marked ``sampled(6)``, six cases run without ``-m``; the others become slow.

    With ``SYMATTN_CASES=10``, ten cases of every slow test run.
    """
    for cases in _by_test(item for item in items if item.get_closest_marker("sampled")):
        (count,) = cases[0].get_closest_marker("sampled").args
        for case in _left_out(cases, count):
            case.add_marker("slow")
    most = int(os.environ.get("SYMATTN_CASES", len(items)))
    slow = _by_test((item for item in items if item.get_closest_marker("slow")), of_slow=True)
    left_out = {case for cases in slow for case in _left_out(cases, most)}
    if left_out:
        config.hook.pytest_deselected(items=[*left_out])
        items[:] = [item for item in items if item not in left_out]


def _by_test(items: Iterable[pytest.Item], of_slow: bool = False) -> Iterable[list[pytest.Item]]:
    """The cases of each test that are slow, or that are not."""
    tests: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if (item.get_closest_marker("slow") is not None) == of_slow:
            tests[item.nodeid.partition("[")[0]].append(item)
    return tests.values()


def _left_out(cases: list[pytest.Item], most: int) -> set[pytest.Item]:
    """All but so many cases: the same each time, spread from the first to the last and over all that they vary in."""
    # Multiples of the golden ratio lie apart from one another, however many there are, and have no period.
    kept = {int(len(cases) * (5**0.5 - 1) / 2 * place) % len(cases) for place in range(most)}
    return {case for place, case in enumerate(cases) if len(cases) > most and place not in kept}


def choices(entry: CatalogueEntry) -> Iterator[dict[str, Setting]]:
    """The defaults; every choice of every option by itself, where no entry before has the same option, for they are put
    together by the same lines; the first choices of all options at once, and the last ones."""
    tried = {option: _tried(option) for option in entry.options}
    yield {}
    for option in entry.options:
        if _first_with(option) == entry.name:
            yield from (_suited(entry, {option.name: value}) for value in tried[option] if value != option.default)
    for place in (0, -1) if len(tried) > 1 else ():
        yield _counting(entry, {option.name: values[place] for option, values in tried.items()})


@cache
def _first_with(option: Option) -> str:
    from symattn.read.catalogue import entries

    return next(entry.name for entry in entries() if option in entry.options)


def _tried(option: Option) -> tuple[Setting, ...]:
    match option.kind:
        case "switch":
            return (not option.default,)
        case "number":
            words = tuple(word for word in option.choices if word != option.default)
            return ("3/2", *(["1"] if option.name == "scale" and option.default != "1" else words))
        case "whole":
            return (1, 2) if option.default in (1, "heads") else (option.least, option.default)
        case "matrices":
            return (("Bias",), ("Bias", "D_2"))
    others = tuple(choice for choice in option.choices if choice != option.default)
    if option.kind == "word":
        return others
    words = tuple(choice for choice in others if choice != "none" and (choice,) != option.default)
    own = "P_E" if option.name == "memory_mask" else "P"
    # Padding beside a window would leave rows that see nothing.
    return (
        *((word,) for word in words),
        (own,),
        (*(word for word in words if word != "padding" or len(words) == 1), own),
    )


def _suited(entry: CatalogueEntry, chosen: dict[str, Setting]) -> dict[str, Setting]:
    """With what an option needs to count."""
    for option in entry.options:
        if option.name in chosen and option.needs is not None:
            other, word = option.needs
            many = next(each.kind == "words" for each in entry.options if each.name == other)
            return {other: (word,) if many else word, **chosen}
    if "kv_heads" in chosen:
        return {"heads": 4, **chosen}
    return {"kv_heads": 1, **chosen} if entry.name == "grouped_query" and "heads" in chosen else chosen


def _counting(entry: CatalogueEntry, chosen: dict[str, Setting]) -> dict[str, Setting]:
    """Without what would not count beside the others."""
    needs = {option.name: option.needs for option in entry.options if option.needs is not None}
    if "kv_heads" in chosen:
        chosen["heads"] = 2
    return {
        name: value
        for name, value in chosen.items()
        if name not in needs or needs[name][1] == chosen[needs[name][0]] or needs[name][1] in chosen[needs[name][0]]
    }


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
    example, or others; ``anew`` calls every given by another name, and leaves its axes without names. Other numbers are
    drawn by a ``seed``, and from other ``pools``, one for each role of a given; what is ``repeated`` is a row, a column
    or a number in place of a matrix."""
    from symattn.base.shapes import with_letters
    from symattn.read.catalogue import entry_named
    from symattn.read.catalogue.entries import lines
    from symattn.read.catalogue.model import Input

    def build(
        name: str,
        settings: Mapping[str, Setting] | None = None,
        sizes: Mapping[str, int] | None = None,
        anew: bool = False,
        seed: int | str = "",
        pools: Mapping[str, Sequence[str]] = _POOLS,
        repeated: Mapping[str, tuple[int, int]] = MappingProxyType({}),
    ) -> str:
        sizes = {**entry_named(name).sizes_for(settings or {}), "1": 1, **(sizes or {})}
        givens = [line for line in lines(entry_named(name), settings or {}, sizes) if isinstance(line, Input)]
        names = {given.name: f"given_{given.name}" if anew and not given.option else given.name for given in givens}
        tokens = [f"word {place}" for place in range(1, sizes.get("n", 1) + 1)]
        text = ['title = "A lesson"', f"tokens = {json.dumps(tokens)}"]
        if not anew:
            text += ["[sizes]", *(f"{letter} = {size}" for letter, size in sizes.items() if letter not in ("n", "1"))]
        for given in {given.name: given for given in givens}.values():  # a matrix may be added twice
            # The same numbers in every run, and others for every given.
            draw, pool = Random(f"{seed}{given.name}"), pools[given.role]
            axes = repeated.get(given.name, [with_letters(axis, sizes) for axis in (given.rows, given.columns)])
            rows = [_drawn(draw, pool, axes[1]) for _ in range(axes[0])]
            text += [f"[given.{names[given.name]}]", f"value = {json.dumps(rows)}"]
            named = [
                axis if axis in sizes else str(size)
                for axis, size in zip((given.rows, given.columns), axes, strict=True)
            ]
            text += [] if anew or given.name in repeated else [f"axes = {json.dumps(named)}"]
        use = {"use": name, "with": settings or {}}
        if anew:
            use |= {"names": {name: new for name, new in names.items() if name != new}, "suffix": "_new"}
        return "\n".join([*text, "[[section]]", 'title = "All of it"', f"steps = [{_inline(use)}]", ""])

    return build


@pytest.fixture(scope="session")
def worked() -> Callable[[str], object]:
    """``worked(text)``: the solution of a scenario, the same one for every test that asks for this text."""
    from symattn import derive
    from symattn.read.scenario.load import loads

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
