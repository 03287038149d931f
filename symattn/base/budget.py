"""Limit the work of one question: count steps of arithmetic and stored numbers, so that every question ends.

A few lines of a file can ask for more than any computer has time for. Evaluators call :func:`spend` before they work
and :func:`keep` before they store; the cost depends on sizes, never on a clock, so that the same file has the same
answer everywhere. Outside :func:`working` nothing is counted.

The budget in force is a :class:`~contextvars.ContextVar`, not state of a module: it holds inside a ``with`` and in one
thread only, and evaluators, whose rules are functions of a node alone, need not pass it on.

>>> with working(Budget(10)):
...     with doing("step A"):
...         spend(11)
Traceback (most recent call last):
    ...
symattn.base.errors.BudgetError: step A takes more than STEPS = 10 steps of arithmetic to work out: try fewer rows or \
columns, fewer steps, smaller exponents, fewer decimals, or --detail result
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

from symattn.base import limits
from symattn.base.errors import BudgetError, cut

Answer = TypeVar("Answer")
Owner = TypeVar("Owner")
Asked = ParamSpec("Asked")
Priced = TypeVar("Priced", bound=Callable[..., Any])

_TRY = "try fewer rows or columns, fewer steps, smaller exponents, fewer decimals, or --detail result"


@dataclass
class Budget:
    """The steps that one question may spend, and the numbers that are stored."""

    most: int = limits.STEPS
    """Steps available at the start of a question."""
    room: int = limits.ENTRIES
    """Numbers that may be stored."""
    kept: int = 0
    """Numbers that are stored."""
    steps: int = 0
    """Steps left."""
    remarks: int = 0
    """Steps left for remarks beside the figures."""
    floor: int = 0
    """Steps that must be left over: a remark must not use up what the page needs."""
    what: str = ""
    """The task that an error names."""

    def __post_init__(self) -> None:
        self.renew()

    @classmethod
    def for_givens(cls, numbers: int) -> Budget:
        """Return the budget for so many given numbers, all of which have to be read, stored and worked with."""
        steps, room = limits.STEPS_BY_GIVEN * numbers, limits.KEPT_BY_GIVEN * numbers
        return cls(max(limits.STEPS, steps), max(limits.ENTRIES, room))

    def renew(self) -> None:
        """Start another question: restore all steps and keep the stored numbers."""
        self.steps, self.remarks, self.floor = self.most, self.most * 3 // 5, 0


_IN_FORCE: ContextVar[Budget | None] = ContextVar("budget", default=None)


@contextmanager
def working(budget: Budget, goes_on: bool = False) -> Iterator[None]:
    """Count the work inside as one question, or as part of the question around it.

    With ``goes_on`` it continues the previous question: the steps are not restored.
    """
    if _IN_FORCE.get() is not None:
        yield
        return
    if not goes_on:
        budget.renew()
    token = _IN_FORCE.set(budget)
    try:
        yield
    finally:
        _IN_FORCE.reset(token)


@contextmanager
def apart(budget: Budget, charged: bool = True) -> Iterator[None]:
    """Count the work inside by a budget of its own, and charge what it spends to the question around it as well.

    What is not ``charged`` costs the question around it nothing; the caller limits how often it is done.

    >>> with working(whole := Budget(100)):
    ...     with apart(Budget(60)):
    ...         spend(50)
    ...     whole.steps
    50
    """
    outer = _IN_FORCE.get()
    if outer is None:
        with working(budget):
            yield
        return
    budget.renew()
    if charged:
        budget.steps = max(0, min(budget.steps, outer.steps - outer.floor))
    before = budget.steps
    token = _IN_FORCE.set(budget)
    try:
        yield
    finally:
        _IN_FORCE.reset(token)
        if charged:
            outer.steps -= before - budget.steps


@contextmanager
def doing(what: str) -> Iterator[None]:
    """Set the task that an error names if the budget ends inside."""
    budget = _IN_FORCE.get()
    if budget is None:
        yield
        return
    before, budget.what = budget.what, what
    try:
        yield
    finally:
        budget.what = before


def counted(*methods: str) -> Callable[[type[Owner]], type[Owner]]:
    """Make methods of a class questions, each counted by the ``budget`` of its object."""

    def of(cls: type[Owner]) -> type[Owner]:
        for name in methods:
            setattr(cls, name, question(getattr(cls, name)))
        return cls

    return of


def question(method: Callable[Asked, Answer]) -> Callable[Asked, Answer]:
    """Make a function a question, counted by the ``budget`` of its first argument."""

    @wraps(method)
    def asked(*arguments: Asked.args, **options: Asked.kwargs) -> Answer:
        if _IN_FORCE.get() is not None:
            return method(*arguments, **options)
        with working(arguments[0].budget):  # type: ignore[attr-defined]
            return method(*arguments, **options)

    return asked


def priced(steps: int) -> Callable[[Priced], Priced]:
    """Make every call of a function cost so many steps.

    >>> @priced(3)
    ... def written(piece: str) -> str:
    ...     return f"[{piece}]"
    >>> with working(budget := Budget(10)):
    ...     written("x"), budget.steps
    ('[x]', 7)
    """

    def of(function: Priced) -> Priced:
        @wraps(function)
        def paid(*arguments: Any, **options: Any) -> Any:
            spend(steps)
            return function(*arguments, **options)

        return cast("Priced", paid)

    return of


def spend(steps: int) -> None:
    """Count so many steps, about a quarter of a microsecond each, before they are taken.

    Raises :class:`~symattn.base.errors.BudgetError` where there are fewer.
    """
    budget = _IN_FORCE.get()
    if budget is None:
        return
    if steps > budget.steps - budget.floor:
        most = f"more than STEPS = {budget.most} steps of arithmetic"
        raise BudgetError(f"{cut(budget.what, 200) or 'this'} takes {most} to work out: {_TRY}")
    budget.steps -= steps


def keep(numbers: int, bits: int = 0) -> None:
    """Count numbers, of so many bits each, that are stored as long as the solution exists.

    Raises :class:`~symattn.base.errors.BudgetError` where there is no room.
    """
    budget = _IN_FORCE.get()
    if budget is None:
        return
    numbers = _counted_several_times(numbers, bits)
    if numbers > budget.room - budget.kept:
        most = f"more than ENTRIES = {budget.room} numbers, a long one counted several times"
        raise BudgetError(f"{cut(budget.what, 200) or 'this'} makes {most}: {_TRY}")
    budget.kept += numbers


@contextmanager
def keeping(numbers: int, bits: int = 0) -> Iterator[None]:
    """Count numbers that are stored once the code inside has computed them: if it fails, they are not counted."""
    budget = _IN_FORCE.get()
    keep(numbers, bits)
    try:
        yield
    except Exception:
        if budget is not None:
            budget.kept -= _counted_several_times(numbers, bits)
        raise


def _counted_several_times(numbers: int, bits: int) -> int:
    """Return how many short numbers take the room of so many long ones."""
    return numbers + numbers * bits // 500


def remark(answer: Callable[[], Answer | None]) -> Answer | None:
    """Return an answer that no figure depends on, or ``None`` if the budget for remarks ends before it is found."""
    budget = _IN_FORCE.get()
    if budget is None:
        return answer()
    floor, before = budget.floor, budget.steps
    budget.floor = max(floor, before - budget.remarks)
    try:
        return answer()
    except BudgetError:
        return None
    finally:
        budget.floor = floor
        budget.remarks -= before - budget.steps
