"""FLINT has one precision for all threads: each works with its own, and what the program found is left as it was."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from threading import Barrier, Thread

import pytest
from flint import arb, ctx

from symattn import derive
from symattn.base.remembered import cached_property
from symattn.compute.values.balls import at_precision
from symattn.course import generate


@pytest.fixture(autouse=True)
def _threads_change_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def in_threads(*works: Callable[[], object]) -> list[object]:
    """What each work gives, all at once."""
    found: list[object] = [None] * len(works)
    start = Barrier(len(works))

    def run(place: int) -> None:
        start.wait()
        try:
            found[place] = works[place]()
        except Exception as error:  # noqa: BLE001 - told below
            found[place] = error

    threads = [Thread(target=run, args=(place,), daemon=True) for place in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads), "threads wait for each other"
    return found


def test_no_thread_works_with_the_precision_of_another_and_none_is_left() -> None:
    def work(bits: int) -> set[int]:
        seen = set()
        for _ in range(2_000):
            with at_precision(bits):
                seen.add(ctx.prec)
                with at_precision(2 * bits):
                    seen.add(ctx.prec)
                    _ = arb(2).sqrt()
                seen.add(ctx.prec)
        return seen

    before = ctx.prec
    found = in_threads(*(lambda bits=bits: work(bits) for bits in (60, 128, 460, 1024)))
    assert found == [{bits, 2 * bits} for bits in (60, 128, 460, 1024)]
    assert ctx.prec == before


def test_pages_from_threads_are_those_from_one() -> None:
    def page(digits: int) -> str:
        return derive("refund", digits=digits).render(language="en")

    before, digits = ctx.prec, (6, 20, 34, 50)
    assert in_threads(*(lambda places=places: page(places) for places in digits)) == [page(places) for places in digits]
    assert ctx.prec == before


@pytest.mark.parametrize("bits", [3, 1000])
def test_nothing_depends_on_the_precision_that_is_found(bits: int) -> None:
    def made() -> tuple[object, ...]:
        rounded = derive("refund", carry="rounded").render(language="en")
        return derive("refund").render(language="en"), rounded, generate("attention-row", seed=4, count=3).exercises

    expected = made()
    with at_precision(bits):
        assert made() == expected
        assert ctx.prec == bits


def test_a_property_and_flint_are_never_waited_for_crosswise() -> None:
    class Thing:
        def __init__(self, work: Callable[[], int]) -> None:
            self.work = work

        @cached_property
        def value(self) -> int:
            return self.work()

    met = Barrier(2, timeout=20)

    def waits_for_flint() -> int:
        met.wait()
        with at_precision(100):
            return 1

    def has_flint() -> int:
        with at_precision(60):
            met.wait()
            return Thing(lambda: 2).value

    assert in_threads(lambda: Thing(waits_for_flint).value, has_flint) == [1, 2]
