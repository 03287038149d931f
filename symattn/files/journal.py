"""What several files that belong together become when the process that writes them is killed.

No system puts two files in their places at once. What a journal says, a file ``.symattn-….journal`` in each of their
folders, holds whatever happens between the first and the last: it is there before the first draft has a name and goes
after the last one has its place. Where one is found whose process has ended, all drafts that it speaks of are put in
their places, or none: all, if each is there still or is in its place already. Whoever next writes into the folder does
that. Until then a reader may see the first file new and the second one old.

A journal names the files that are to be replaced. It cannot lead anywhere else than to drafts of its own number, and
these only into the folder that they are in; so one that comes with strange files does no harm.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from io import FileIO
from pathlib import Path

from symattn.files.draft import START, PendingFile, is_locked

LONGEST = 10_000_000
"""Bytes of a journal that are read."""

_JOURNAL = re.compile(rf"{re.escape(START)}([0-9a-f]{{16}})\.journal")
_DRAFT = re.compile(rf"{re.escape(START)}([0-9a-f]{{16}})-[0-9]+\.new")

FileIdentity = list[int]
"""What tells a file from every other one, whatever its name is."""


def new_number() -> str:
    """What tells the drafts of one run from those of another."""
    return os.urandom(8).hex()


def draft_name(folder: Path, number: str, place: int) -> Path:
    """What a draft is called on its way into a file of ``folder``."""
    return folder / f"{START}{number}-{place}.new"


def journal_name(folder: Path, number: str) -> Path:
    """What the journal about the drafts of that number is called."""
    return folder / f"{START}{number}.journal"


@contextmanager
def journal(drafts: Sequence[PendingFile], number: str) -> Iterator[None]:
    """Inside, the drafts get their names and places; one by itself needs no journal."""
    with ExitStack() as stack:
        if len(drafts) > 1:
            said = [[str(draft.target), _state(os.fstat(draft.stream.fileno()))] for draft in drafts]
            data = json.dumps(said).encode()
            names = [journal_name(folder, number) for folder in folders(draft.target for draft in drafts)]
            for written in [PendingFile.of(data, name, name, stack) for name in names]:
                written.give_name()
        yield


def folders(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The folders that some files are in, each once."""
    return tuple(dict.fromkeys(path.parent for path in paths))


def settle(folder: Path) -> None:
    """Finish, or throw away, what processes that are no more left in a folder; what others are writing stays."""
    names: list[str] = []
    with suppress(OSError):
        names = [path.name for path in folder.iterdir() if path.name.startswith(START)]
    for match in filter(None, map(_JOURNAL.fullmatch, names)):
        if stream := _left_over(folder / match[0]):
            with stream, suppress(OSError):
                _finish(stream, match[1])
                (folder / match[0]).unlink(missing_ok=True)
    for match in filter(None, map(_DRAFT.fullmatch, names)):
        if stream := _left_over(folder / match[0]):
            with stream, suppress(OSError):
                if not journal_name(folder, match[1]).exists():
                    (folder / match[0]).unlink(missing_ok=True)


def _left_over(path: Path) -> FileIO | None:
    """The file, if it is of ours and nobody is writing it; it is locked as long as it is open."""
    if sys.platform == "win32":
        return None  # without locks nobody knows
    with suppress(OSError), ExitStack() as stack:
        stream = stack.enter_context(FileIO(os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK), "r+"))
        found = os.fstat(stream.fileno())
        if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and is_locked(stream):
            stack.pop_all()
            return stream
    return None


def _finish(stream: FileIO, number: str) -> None:
    """What the journal speaks of is all put in its place, or none of it."""
    said = _said(stream.read(LONGEST))
    named = [(draft_name(target.parent, number, place), target, state) for place, (target, state) in enumerate(said)]
    is_whole = all(state in (_state_of(name), _state_of(target)) for name, target, state in named)
    for name, target, state in named:
        if is_whole and state == _state_of(name):
            name.replace(target)
        else:
            name.unlink(missing_ok=True)
    for folder in folders(target for _, target, _ in named):
        journal_name(folder, number).unlink(missing_ok=True)


def _said(data: bytes) -> list[tuple[Path, FileIdentity]]:
    """What a journal says; one that was not written to its end speaks of nothing that has begun."""
    try:
        return [(Path(str(target)), list(map(int, state))) for target, state in json.loads(data)]
    except (ValueError, TypeError, RecursionError):
        return []


def _state_of(path: Path) -> FileIdentity | None:
    try:
        return _state(path.lstat())
    except (OSError, ValueError):
        return None


def _state(found: os.stat_result) -> FileIdentity:
    return [found.st_ino, found.st_size, found.st_mtime_ns]
