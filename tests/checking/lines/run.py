"""Check right one-liners and the same with one wrong figure each, and print what comes of them by class.

python -m tests.checking.lines.run [--count N] [--only CLASS …] [--show N] [--check MODULE:FUNCTION]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from importlib import import_module
from time import perf_counter

from tests.checking.lines.measure import LINES, Check, PlantedTally, RightTally, planted_lines, right_lines, table


def _check_named(name: str) -> Check:
    module, _, function = name.partition(":")
    check: Check = getattr(import_module(module), function)
    return check


def _print_tallies(title: str, tallies: dict[str, RightTally] | dict[str, PlantedTally], show: int) -> None:
    print(f"\n## {title}\n\n{table(tallies)}", flush=True)
    for name, tally in tallies.items():
        for shown in tally.shown[:show]:
            print(f"\n##### {name}: {shown}")


def _lines(check: Check, kinds: Iterable[str], count: int, show: int) -> None:
    kinds = [*kinds]
    share = -(-count // len(LINES))
    began = perf_counter()
    _print_tallies("Right lines", right_lines(check, kinds, share), show)
    _print_tallies("Lines with one wrong figure", planted_lines(check, kinds, share), show)
    print(f"\n{perf_counter() - began:.0f} s")


def main() -> None:
    """Read the options and print the tables."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--count", type=int, default=5000, help="so many lines in all")
    asked.add_argument("--only", nargs="+", default=[], metavar="CLASS", help="classes whose names begin so")
    asked.add_argument("--show", type=int, default=0, help="so many failures of each class in full")
    asked.add_argument("--check", default="symattn.checking.check:check", help="the function that checks")
    told = asked.parse_args()
    kinds = [kind for kind in LINES if not told.only or kind.startswith(tuple(told.only))]
    _lines(_check_named(told.check), kinds, told.count, told.show)


if __name__ == "__main__":
    main()
