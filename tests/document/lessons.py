"""Scenarios in a line or two."""

from __future__ import annotations


def lesson(steps: str, given: str = "", head: str = "") -> str:
    """The text of a scenario: ``S = X @ X.T | A = softmax(S)`` over ``X = 1, 2; 3, 4 | s = log(2), 0``."""
    tables = (each.split("=", 1) for each in given.split(" | ") if given)
    rows = {
        name.strip(): [[cell.strip() for cell in row.split(",")] for row in text.split(";")] for name, text in tables
    }
    givens = "\n".join(f"given.{name} = {value}" for name, value in rows.items()).replace("'", '"')
    listed = ", ".join(step if step.startswith("{") else f'"{step}"' for step in steps.split(" | "))
    return f'title = "t"\n{head}\n{givens}\n[[section]]\ntitle = "s"\nsteps = [{listed}]\n'
