"""Check right lines and programs, and the same with one wrong figure each; print a table for each, by class.

python -m tests.checking.lines.run [--count N] [--only CLASS …] [--show N] [--first SEED] [--check MODULE:FUNCTION]
"""

from __future__ import annotations

import argparse
from importlib import import_module
from time import perf_counter

from tests.checking.lines.measure import (
    LINES,
    Check,
    PlantedTally,
    RightTally,
    WritePage,
    line_page,
    planted_pages,
    right_pages,
    table,
)
from tests.checking.lines.programs import PROGRAMS, program_page


def _check_named(name: str) -> Check:
    module, _, function = name.partition(":")
    check: Check = getattr(import_module(module), function)
    return check


def _print_tallies(title: str, tallies: dict[str, RightTally] | dict[str, PlantedTally], show: int) -> None:
    without = () if "rograms" in title else ("in_program",)
    print(f"\n## {title}\n\n{table(tallies, without)}", flush=True)
    for name, tally in tallies.items():
        for shown in tally.shown[:show]:
            print(f"\n##### {name}: {shown}")


def _measure(check: Check, write: WritePage, about: str, kinds: list[str], seeds: tuple[int, int], show: int) -> None:
    if not kinds:
        return
    first, count = seeds
    began = perf_counter()
    _print_tallies(f"Right {about}", right_pages(check, write, kinds, count, first), show)
    title = f"{about.capitalize()} with one wrong figure"
    _print_tallies(title, planted_pages(check, write, kinds, count, first), show)
    print(f"\n{perf_counter() - began:.0f} s", flush=True)


def main() -> None:
    """Read the options and print the tables."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--count", type=int, default=5000, help="so many lines, and a tenth as many programs")
    asked.add_argument("--only", nargs="+", default=[], metavar="CLASS", help="classes whose names begin so")
    asked.add_argument("--show", type=int, default=0, help="so many failures of each class in full")
    asked.add_argument("--first", type=int, default=0, help="the first seed; other seeds are other pages")
    asked.add_argument("--check", default="symattn.checking.check:check", help="the function that checks")
    told = asked.parse_args()
    for about, write, kinds, count in (
        ("lines", line_page, [*LINES], told.count),
        ("programs", program_page, [*PROGRAMS], told.count // 10),
    ):
        chosen = [kind for kind in kinds if not told.only or kind.startswith(tuple(told.only))]
        _measure(_check_named(told.check), write, about, chosen, (told.first, -(-count // len(kinds))), told.show)


if __name__ == "__main__":
    main()
