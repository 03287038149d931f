"""Scenarios in a line or two, and sentences as what they are told."""

from __future__ import annotations

from typing import Any


def matrices(text: str) -> dict[str, list[list[str]]]:
    """``X = 1, 2; 3, 4 | s = log(2), 0``."""
    tables = (each.split("=", 1) for each in text.split(" | ") if text)
    return {
        name.strip(): [[cell.strip() for cell in row.split(",")] for row in rows.split(";")] for name, rows in tables
    }


def lesson(steps: str, given: str = "", head: str = "") -> str:
    """The text of a scenario: ``S = X @ X.T | A = softmax(S)`` over such matrices."""
    givens = "\n".join(f"given.{name} = {value}" for name, value in matrices(given).items()).replace("'", '"')
    listed = ", ".join(step if step.startswith("{") else f'"{step}"' for step in steps.split(" | "))
    return f'title = "t"\n{head}\n{givens}\n[[section]]\ntitle = "s"\nsteps = [{listed}]\n'


def plain(value: Any) -> Any:
    """What a sentence is told; a column by what it would be called: its label, its place or both."""
    match value:
        case (str() as label, int() as place, 0):
            return (label, place) if label and place else label or place
        case tuple():
            return tuple(map(plain, value))
    return getattr(value, "text", value)
