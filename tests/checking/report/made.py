"""Checked documents without a check: findings put at the figures of a text, as a check would tell them."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from symattn.checking.model import (
    CheckedDocument,
    DocumentCoverage,
    DocumentFinding,
    Explained,
    FigureVerdict,
    Unfollowed,
)

TEXT = """# Scores

$$
S = \\begin{bmatrix} 1 & 0 \\\\ 0 & 1 \\\\ 1 & 1 \\end{bmatrix}
$$

注意力 A: 0.37, 0.26, 0.37
The sum is 0.5.
"""

S31 = Explained("slip:digit", "One digit is another.")


def at(text: str, line: int, printed: str, expected: str, nth: int = 1, **more: Any) -> DocumentFinding:
    """A finding at the ``nth`` place of a line where something is printed."""
    lines = text.split("\n")
    begin = sum(len(each) + 1 for each in lines[: line - 1])
    column = [found.start() for found in re.finditer(re.escape(printed), lines[line - 1])][nth - 1]
    told = {"kind": "wrong", "because": "S is Q Kᵀ.", "cause": 1, **more}
    start = begin + column
    return DocumentFinding(line, column + 1, printed, expected, start=start, end=start + len(printed), **told)


def made(
    text: str,
    findings: Sequence[DocumentFinding],
    name: str = "tutorial.md",
    unfollowed: Sequence[Unfollowed] = (),
    figures: Sequence[FigureVerdict] = (),
) -> CheckedDocument:
    left = sum(each.figures for each in unfollowed)
    coverage = DocumentCoverage(10 + left, 10, len(findings), left, given=4)
    return CheckedDocument(name, text, tuple(findings), coverage, tuple(unfollowed), tuple(figures))


def tutorial(name: str = "tutorial.md", text: str = TEXT) -> CheckedDocument:
    """One wrong entry that spreads to three figures, and one figure that nobody can follow."""
    origin = at(text, 4, "1", "2", 3, of="S[3, 1]", worked="1·1 + 1·1 = 2", explained=(S31,))
    spread = {"kind": "propagated", "because": "It follows from S[3, 1]."}
    findings = [
        at(text, 7, "0.37", "0.51", 1, **spread),
        at(text, 7, "0.26", "0.19", 1, **spread),
        origin,
        at(text, 7, "0.37", "0.31", 2, **spread),
    ]
    (sum_of,) = [at(text, 8, "0.5", "")]
    return made(
        text,
        findings,
        name,
        [Unfollowed(8, sum_of.column, "0.5", "no formula leads to it", 1)],
        [
            *(
                FigureVerdict(each.start, each.end, each.printed, each.kind, each.of, "Q Kᵀ", each.expected)
                for each in findings
            ),
            FigureVerdict(sum_of.start, sum_of.end, "0.5", "not_verified", "", "no formula leads to it"),
        ],
    )


def clean(name: str = "clean.md") -> CheckedDocument:
    return replace(made("1 + 1 = 2\n", (), name), coverage=DocumentCoverage(1, 1, 0, 0, 2))


def tutorial_or_clean(text: str, name: str) -> CheckedDocument:
    """What a check would say of the two documents that there are here."""
    return tutorial(name, text) if "Scores" in text else clean(name)


def install(monkeypatch: pytest.MonkeyPatch, check: Any) -> None:
    """Let the command ask ``check`` instead of checking."""
    module = ModuleType("symattn.checking.check")
    vars(module)["check"] = check
    monkeypatch.setitem(sys.modules, module.__name__, module)
