"""What every test stands on: the checkout is what is tested, in this process and in its children; nothing is timed."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import settings

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


@pytest.fixture(scope="session")
def solve() -> Callable[..., object]:
    """``solve({"X": [["1", "2"]]}, "Y = X @ X.T", sizes={"n": 1}, decimals=3)``: a solution without a scenario."""
    from symattn.derivation import Plan
    from symattn.scenario.given import FigureStyle, Given
    from symattn.shapes import shape
    from symattn.solution import Solution

    def build(
        givens: Mapping[str, Sequence[Sequence[object]]],
        *steps: str,
        sizes: Mapping[str, int | str] | None = None,
        **style: object,
    ) -> Solution:
        read = {name: Given.read(rows) for name, rows in givens.items()}
        plan = Plan((), dict(sizes or {}))
        for name, given in read.items():
            plan = plan.given(name, shape(*given.shape))
        for step in steps:
            name, formula = step.split("=", 1)
            plan = plan.step(name.strip(), formula.strip())
        return Solution(plan, read, FigureStyle(**style))

    return build


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
