"""Moments in which a process is not to be interrupted."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import current_thread, main_thread

ENDING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGXCPU", "SIGALRM", "SIGUSR1", "SIGUSR2")
"""Signals that end a process, as far as a system has them and they can wait (SIGKILL cannot)."""


@contextmanager
def leaving() -> Iterator[None]:
    """For a command: a signal that ends a process raises SystemExit inside, and ends it after everything is cleaned up.

    No process that was started inside lives on. A second signal of the same kind ends this one at once. Signals that
    are ignored, as under nohup, stay so.
    """
    came: list[int] = []

    def leave(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        came.append(number)
        raise SystemExit(128 + number)

    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name) and signal.getsignal(number := getattr(signal, name)) is signal.SIG_DFL:
            signal.signal(number, leave)
    try:
        yield
    finally:
        end_children()
        for number in came:
            signal.raise_signal(number)


def end_children() -> None:
    """End the processes that this one has started and that live still, where the system tells which (Linux): one that
    was being started when a signal came is known to nobody else."""
    for listed in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, listed.read_text(encoding="ascii").split()):
                os.kill(child, signal.SIGTERM)


@contextmanager
def held_back() -> Iterator[None]:
    """Signals that come inside are acted upon afterwards. Only the first thread can have that; others go on as ever."""
    if current_thread() is not main_thread():
        yield
        return
    came: list[int] = []
    known = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in known}
    try:
        for number, handler in before.items():
            if handler is not None:  # what is not set from Python cannot be set back
                signal.signal(number, lambda number, _: came.append(number))
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)
