"""Work that is spread over processes or a cluster by joblib; in which order it is done changes nothing.

>>> list(each(str, (1, 2, 3)))
['1', '2', '3']
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from typing import Any, TypeVar

from symattn.errors import SymattnError, shown
from symattn.values.number import TURN

T = TypeVar("T")
R = TypeVar("R")

EVERY_CORE = -1


def each(work: Callable[[T], R], items: Sequence[T], jobs: int | None = None) -> Iterator[R]:
    """``work`` for every item, in the order of the items.

    ``jobs`` is how many processes share it, −1 for one on every core. Without it everything is done here, unless
    ``joblib.parallel_config`` names a backend (such as ``dask`` or ``ray``): then it is done there. ``work`` and the
    items must be picklable, and ``work`` must depend on nothing but its item.

    Raises what ``work`` raises, and :class:`~symattn.errors.SymattnError` where a process ends before it is done.
    """
    jobs = _checked(jobs)
    if jobs == 1 or (jobs is None and "joblib" not in sys.modules):
        return map(work, items)
    return _spread(work, items, jobs)


def _checked(jobs: object) -> int | None:
    if jobs is None:
        return None
    if isinstance(jobs, bool) or not isinstance(jobs, int) or (jobs < 1 and jobs != EVERY_CORE):
        raise SymattnError(
            f"jobs is {shown(str(jobs))}: expected a whole number from 1 on, or {EVERY_CORE} for every core"
        )
    return jobs


def _spread(work: Callable[[T], R], items: Sequence[T], jobs: int | None) -> Iterator[R]:
    from joblib import Parallel, delayed
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend()
    # Ray's backend and that of multiprocessing hand everything back at once.
    way = "generator" if getattr(backend, "supports_return_generator", False) else "list"
    try:
        yield from Parallel(n_jobs=jobs, return_as=way)(delayed(in_turn)(work, item) for item in items)
    except _stopped() as error:
        first = next(iter(str(error).splitlines()), "")
        raise SymattnError(
            f"a process that was working on the exercises ended before it was done ({shown(first, 120)}): perhaps "
            "there was not memory enough; try again with fewer jobs"
        ) from error


def in_turn(work: Callable[[T], R], item: T) -> R:
    """``work`` for one item, while no other thread of this process does any."""
    with TURN:
        return work(item)


def _stopped() -> tuple[type[BaseException], ...]:
    """How backends say that a process has ended: of those that are in use."""
    dask: Any = sys.modules.get("distributed")
    return (BrokenExecutor, *((dask.scheduler.KilledWorker, dask.client.FutureCancelledError) if dask else ()))


def finish() -> None:
    """End the processes that joblib keeps for the next work, and its folders: for a program that does no more."""
    if "joblib" not in sys.modules:
        return
    from joblib.externals.loky import get_reusable_executor

    executor = get_reusable_executor(reuse=True)
    end = getattr(executor, "terminate", executor.shutdown)  # joblib's own executor clears its folders too
    end(kill_workers=True)
