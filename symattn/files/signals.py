"""Moments in which a process is not to be interrupted."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread

ENDING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGXCPU", "SIGALRM", "SIGUSR1", "SIGUSR2")
"""Signals that end a process, as far as a system has them and they can wait (SIGKILL cannot)."""


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
