"""Pages of others, in ``strangers/``, with their errors and put right.

Marks in the pages say what is wrong: see ``found``. Of each page there are two cases: the page as it is, and the page
with everything put right, in which every finding is false. People round as they like: remarks on rounding are neither
found nor false.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tests.checking.found import put_right, unmarked
from tests.checking.scoring import Case, KnownError

FOLDER = Path(__file__).with_name("strangers")
ENDINGS = (".md", ".txt", ".tex", ".html", ".ipynb")


def cases(is_quick: bool = False, folder: Path = FOLDER) -> Iterator[Case]:
    """Read both cases of every page, or of one page in three."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix in ENDINGS)
    for path in paths[:: 3 if is_quick else 1]:
        yield from cases_of(path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8"))


def cases_of(title: str, marked: str) -> Iterator[Case]:
    """Take the marks out of a page: once with its errors, once without them."""
    (text, marks), name = unmarked(marked), title.rpartition("/")[2]
    errors, carried = [], []
    for at, mark in marks:
        span, is_open = (at, at + len(mark["there"])), mark["expected"] == "?"
        if mark["sign"] == "~":
            carried.append(span)
        else:
            rights = () if is_open else (mark["expected"],)
            errors.append(KnownError((span,), mark["there"], rights, is_any_right=is_open))
    is_open = any(error.is_any_right for error in errors)
    right = None if is_open else put_right(marked)
    wrong = Case((title,), text, name, tuple(errors), right, tuple(carried), may_round=True, part="with errors")
    yield replace(wrong, allowed_kinds=frozenset({"propagated"}))
    if right is not None:
        yield Case((f"{title}, put right",), right, name, (), right, may_round=True, part="put right")
