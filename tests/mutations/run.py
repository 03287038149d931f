"""Faults put into the package on purpose, one at a time, and whether the tests see them.

    python -m tests.mutations.run              every room; takes about a quarter of an hour
    python -m tests.mutations.run values proof only the faults of these rooms

Each room has a file ``tests/mutations/ROOM.toml`` with a table ``[[mutation]]`` for each fault: ``what`` goes wrong in
a sentence, the ``file``, the text to ``find`` in it (once) and to ``replace``, and the ``tests`` that must turn red.
Where these are slow for what they ``needs``, a program or a module, the fault is passed over where that is missing.
Works on a copy; nothing is changed here. The exit code is 1 where a fault is not seen.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent.parent
COPIED = (
    *("symattn", "tests", "templates", "docs", "output", "benchmarks", "README.md", "CHANGELOG.md", "CONTRIBUTING.md"),
    *("LICENSE", "pyproject.toml", "hatch_build.py", ".github", ".pre-commit-hooks.yaml"),
)
GREEN, RED = 0, 1


@dataclass(frozen=True)
class Mutation:
    """One fault: where it is put, and the tests that are held to see it."""

    what: str
    file: str
    find: str
    replace: str
    tests: tuple[str, ...]
    needs: str = ""
    """A program or a module without which the tests are left out; they are slow."""

    @property
    def can_be_seen(self) -> bool:
        return not self.needs or shutil.which(self.needs) is not None or find_spec(self.needs) is not None

    @property
    def chosen(self) -> tuple[str, ...]:
        """What pytest is told: the tests, slow ones among them where they need something."""
        return ("-m", "", *self.tests) if self.needs else self.tests

    def of(self, text: str) -> str:
        """The text of its file with the fault in it."""
        if text.count(self.find) != 1:
            raise ValueError(f"{self.file}: {self.find!r} stands there {text.count(self.find)} times, not once")
        return text.replace(self.find, self.replace)


def mutations(*rooms: str) -> Iterator[Mutation]:
    """All faults of these rooms, or of all."""
    for path in sorted(FOLDER.glob("*.toml")):
        if not rooms or path.stem in rooms:
            for table in tomllib.loads(path.read_text(encoding="utf-8"))["mutation"]:
                yield Mutation(**{**table, "tests": tuple(table["tests"])})


def outcome(tests: tuple[str, ...], mutation: Mutation | None = None) -> int:
    """Pytest's exit code for these tests in a copy of the checkout, with the fault in it or without one."""
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name)
        for each in COPIED:
            if (ROOT / each).is_dir():
                shutil.copytree(ROOT / each, copy / each, ignore=shutil.ignore_patterns("__pycache__"))
            elif (ROOT / each).exists():
                shutil.copy(ROOT / each, copy / each)
        if mutation:
            path = copy / mutation.file
            path.write_text(mutation.of(path.read_text(encoding="utf-8")), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
        environment = {**os.environ, "PYTHONPATH": name, "PYTHONDONTWRITEBYTECODE": "1", "SYMATTN_CASES": "3"}
        return subprocess.run(command, cwd=copy, env=environment, capture_output=True, check=False).returncode


def main() -> int:
    """Every fault with whether it was seen; 1 where one was not, or where tests are red without any."""
    every = list(mutations(*sys.argv[1:]))
    faults = [fault for fault in every if fault.can_be_seen]
    chosen = sorted({fault.chosen for fault in faults})
    missed = 0
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for tests, code in zip(chosen, pool.map(outcome, chosen), strict=True):
            if code != GREEN:
                missed += 1
                print(f"red without any fault ({code}): {' '.join(tests)}")
        codes = pool.map(lambda fault: outcome(fault.chosen, fault), faults)
        for fault, code in zip(faults, codes, strict=True):
            missed += code != RED
            print(f"{'seen' if code == RED else f'NOT SEEN ({code})'}: {fault.file}: {fault.what}")
    print(f"{len(faults)} faults, {missed} not seen, {len(every) - len(faults)} passed over for what they need")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
