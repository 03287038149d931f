"""Doing something again whenever a file is saved."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import click

from symattn.cli.group import unforeseen
from symattn.errors import SymattnError, printable

PAUSE = 0.2
"""Seconds between two looks at the files."""

GONE = 10
"""Looks after which a file that is not there counts as gone: editors save by putting a new file in place of the old."""

FileState = tuple[int, int, int] | None


def watch(files: Callable[[], Iterable[Path]], act: Callable[[], None], target: Path) -> None:
    """Do ``act`` now and after every change of ``files``, until Ctrl-C; what goes wrong is printed, and it goes on."""
    try:
        before = stamps(files())
        once(act, target)
        click.echo(f"symattn: watching {', '.join(printable(str(file)) for file in files())}; Ctrl-C ends it", err=True)
        for _ in changes(files, before):
            once(act, target)
    except KeyboardInterrupt:
        click.echo("", err=True)


def once(act: Callable[[], None], target: Path) -> None:
    """Do it, and say how it went."""
    try:
        act()
    except SymattnError as error:
        click.echo(f"symattn: {error}", err=True)
    except Exception as error:  # noqa: BLE001 - the next version of the file may do
        unforeseen(error)
    else:
        click.echo(f"symattn: {printable(str(target))} is written", err=True)


def changes(
    files: Callable[[], Iterable[Path]],
    before: Mapping[Path, FileState],
    pause: float = PAUSE,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[None]:
    """One item for every change since ``before``, once two looks in a row agree: a file that is still being written is
    left alone.
    """
    seen = _with_new(before, files())
    last, alike = seen, 0
    while True:
        sleep(pause)
        now = stamps(files())
        alike = alike + 1 if now == last else 0
        last = now
        if now == seen or alike < (GONE if None in now.values() else 1):
            continue
        seen = now
        yield
        seen = _with_new(seen, files())


def _with_new(seen: Mapping[Path, FileState], paths: Iterable[Path]) -> dict[Path, FileState]:
    """The files there are to look at now. What is known of one stays: a change meanwhile is still to be noticed."""
    return {path: seen.get(path, stamp) for path, stamp in stamps(paths).items()}


def stamps(paths: Iterable[Path]) -> dict[Path, FileState]:
    """What tells one state of each file from another; ``None`` where there is no file."""
    return {path: _stamp(path) for path in paths}


def _stamp(path: Path) -> FileState:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
