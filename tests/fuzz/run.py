"""Fuzz every reader, and write down how many inputs were tried: ``python -m tests.fuzz.run [--share 0.01] [--write]``.

It needs hypothesis (the extra ``test``) and atheris (the extra ``fuzz``); what it writes is tests/fuzz/COUNTS.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent

PLAN: tuple[tuple[str, str, int], ...] = (
    ("formula", "atheris", 400_000),
    ("formula", "hypothesis", 120_000),
    ("number", "atheris", 150_000),
    ("number", "hypothesis", 60_000),
    ("operation", "atheris", 80_000),
    ("operation", "hypothesis", 40_000),
    ("scenario", "atheris", 60_000),
    ("scenario", "hypothesis", 40_000),
    ("csv", "atheris", 80_000),
    ("csv", "hypothesis", 20_000),
    ("npy", "atheris", 50_000),
    ("npy", "hypothesis", 20_000),
    ("npz", "atheris", 30_000),
    ("npz", "hypothesis", 20_000),
    ("safetensors", "atheris", 60_000),
    ("safetensors", "hypothesis", 20_000),
    ("answer", "atheris", 100_000),
    ("answer", "hypothesis", 40_000),
    ("answers-json", "atheris", 50_000),
    ("answers-json", "hypothesis", 20_000),
    ("answers-csv", "atheris", 50_000),
    ("answers-csv", "hypothesis", 20_000),
    ("exercises-json", "atheris", 30_000),
    ("exercises-json", "hypothesis", 10_000),
    ("exercises-jsonl", "atheris", 30_000),
    ("exercises-jsonl", "hypothesis", 10_000),
    ("students", "atheris", 60_000),
    ("students", "hypothesis", 20_000),
    ("config", "atheris", 20_000),
    ("config", "hypothesis", 10_000),
    ("secret", "hypothesis", 20_000),
)
"""Reader, fuzzer and how many inputs: well over a million in all."""


def main() -> None:
    """Run the plan, or a share of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="a part of the plan, for a short look")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--only", help="one reader")
    parser.add_argument("--write", action="store_true", help="write the counts down")
    chosen = parser.parse_args()
    lines, total, failed = [], 0, False
    for target, fuzzer, planned in PLAN:
        if chosen.only not in (None, target):
            continue
        count = max(10, round(planned * chosen.share))
        start = time.perf_counter()
        command = [sys.executable, "-m", f"tests.fuzz.with_{fuzzer}", target, str(count), str(chosen.seed)]
        done = subprocess.run(command, cwd=HERE.parents[1], capture_output=True, text=True, errors="replace")
        seconds = time.perf_counter() - start
        good = done.returncode == 0
        failed |= not good
        total += count if good else 0
        lines.append(f"| {target} | {fuzzer} | {count:,} | {'nothing' if good else 'an input'} |")
        print(f"{target:15} {fuzzer:11} {count:8,} {seconds:7.1f} s  {'' if good else 'FOUND'}", flush=True)
        if not good:
            print((done.stdout + done.stderr)[-3_000:], flush=True)
    if chosen.write and not failed:
        (HERE / "COUNTS.md").write_text(_page(lines, total, chosen.seed), encoding="utf-8")
    print(f"{total:,} inputs")
    sys.exit(1 if failed else 0)


def _page(lines: list[str], total: int, seed: int) -> str:
    head = (
        "# How many inputs the readers were given\n\n"
        f"`python -m tests.fuzz.run --write` with seed {seed}: {total:,} inputs in all. None led to anything but a\n"
        "value or one of the project's own errors, took more than a second of processor time, or brought the process\n"
        "above 500 MB.\n\n"
        "| reader | fuzzer | inputs | found |\n|---|---|---|---|\n"
    )
    return head + "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
