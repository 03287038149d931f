"""Documents of others with lists of their errors: twelve examples, and the seeds of the first scenarios.

A list says on which line a wrong figure is printed, what is right, and on which lines it is printed again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.checking.scoring import FIGURE, Case, KnownError, Span, is_same_figure


def shared_folder(name: str) -> Path | None:
    """Find a folder of material that lies beside the repository, or ``None`` where it is not."""
    return next(
        (found for above in Path(__file__).resolve().parents if (found := above / "shared" / name).is_dir()), None
    )


def spans_on(text: str, lines: Iterable[int], printed: str) -> tuple[Span, ...]:
    """Return where a figure, or anything else that is not one, is printed on these lines."""
    starts = [0, *(found.end() for found in re.finditer("\n", text)), len(text)]
    pattern = FIGURE if FIGURE.fullmatch(printed) else re.compile(re.escape(printed))
    found = (each for line in lines for each in pattern.finditer(text, starts[line - 1], starts[line]))
    return tuple(each.span() for each in found if is_same_figure(each[0], printed))


def listed_error(text: str, line: int, printed: str, right: str, again: Iterable[int] = ()) -> KnownError:
    """Locate an error of a list."""
    return KnownError(spans_on(text, [line], printed), printed, (right,), repeated=spans_on(text, again, printed))


def twelve(is_quick: bool = False) -> Iterator[Case]:
    """Read the examples; there are none where the folder is not."""
    folder = shared_folder("check-examples")
    for path in sorted(folder.glob("*.md")) if folder else ():
        text = path.read_text(encoding="utf-8")
        listed = json.loads(path.with_suffix(".errata.json").read_text(encoding="utf-8"))["errata"]
        errors = (
            listed_error(text, e["line"], e["printed"], e["correct"], e.get("same_number_also_on_lines", ()))
            for e in listed
        )
        yield Case((path.name,), text, path.name, tuple(errors))


KNOWN = (
    ("000", 102, "\\", "\\\\"),
    ("003", 15, "1.495", "1.475"),
    ("003", 52, "0.315", "0.238"),
    ("003", 197, "O(1)", "O(n²)"),
    ("004", 59, "0.97", "0.98"),
    ("004", 59, "0.90", "0.91"),
)
"""What is wrong in the seeds: their number, the line, what is printed and what is right."""


def seeds(is_quick: bool = False) -> Iterator[Case]:
    """Read the documents that the first scenarios come from."""
    folder = shared_folder("seeds")
    for path in sorted(folder.glob("*.txt")) if folder else ():
        text = path.read_text(encoding="utf-8")
        errors = (listed_error(text, *known) for number, *known in KNOWN if path.name.startswith(f"{number}_"))
        yield Case((path.name,), text, path.name, tuple(errors))
