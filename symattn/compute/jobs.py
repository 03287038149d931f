"""Spread work over processes or a cluster with joblib; the order in which it is done changes no result.

>>> list(each(str, (1, 2, 3)))
['1', '2', '3']
"""

from __future__ import annotations

import atexit
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from typing import TypeVar

from symattn.base.errors import SymattnError, shown
from symattn.compute.values.balls import TURN

T = TypeVar("T")
R = TypeVar("R")

EVERY_CORE = -1


def each(work: Callable[[T], R], items: Sequence[T], jobs: int | None = None) -> Iterator[R]:
    """Do ``work`` for every item, and yield the results in the order of the items.

    ``jobs`` is how many processes share it, −1 for one on every core. Without it everything is done here, unless
    ``joblib.parallel_config`` names a backend (such as ``dask`` or ``ray``): then it is done there. ``work`` and the
    items must be picklable, and ``work`` must depend on nothing but its item.

    Raises what ``work`` raises, and :class:`~symattn.base.errors.SymattnError` where a process ends before it is done.
    """
    if jobs is not None and (type(jobs) is not int or (jobs < 1 and jobs != EVERY_CORE)):
        raise SymattnError(
            f"jobs is {shown(str(jobs))}: expected a whole number from 1 on, or {EVERY_CORE} for every core"
        )
    if jobs == 1 or (jobs is None and "joblib" not in sys.modules):
        return map(work, items)
    return _spread(work, items, jobs)


def _spread(work: Callable[[T], R], items: Sequence[T], jobs: int | None) -> Iterator[R]:
    from joblib import Parallel, delayed
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend()
    # Ray's backend and that of multiprocessing hand everything back at once.
    way = "generator" if getattr(backend, "supports_return_generator", False) else "list"
    dask = sys.modules.get("distributed")
    ended = (BrokenExecutor, *((dask.scheduler.KilledWorker, dask.client.FutureCancelledError) if dask else ()))
    try:
        yield from Parallel(n_jobs=jobs, return_as=way)(delayed(in_turn)(work, item) for item in items)
    except ended as error:
        first = next(iter(str(error).splitlines()), "")
        raise SymattnError(
            f"a process that shared the work ended before it was done ({shown(first, 120)}): perhaps there was not "
            "memory enough; try again with fewer jobs"
        ) from error


def in_turn(work: Callable[[T], R], item: T) -> R:
    """Do ``work`` for one item while no other thread of this process does any."""
    with TURN:
        return work(item)


def finish() -> None:
    """End the processes that joblib keeps for later work and remove its folders, for a program that is finished."""
    from joblib.externals.loky import get_reusable_executor

    executor = get_reusable_executor(reuse=True)
    getattr(executor, "terminate", executor.shutdown)(kill_workers=True)  # joblib's own clears its folders too
    atexit._run_exitfuncs()  # gives back locks and folders: the command skips Python's own exit
