"""Runs the cells of a notebook in this process, as a kernel does, and keeps what they put out."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

from symattn.api.worked import WorkedSolution

SHOWN = {"text/latex": "_repr_latex_", "text/markdown": "_repr_markdown_", "image/svg+xml": "_repr_svg_"}


def written(solution: WorkedSolution, **choices: Any) -> dict[str, Any]:
    """The notebook of a solution."""
    found: dict[str, Any] = json.loads(solution.render("ipynb", **choices))
    return found


def source(cell: dict[str, Any]) -> str:
    """The text of a cell."""
    return "".join(cell["source"])


def bundle(value: object) -> dict[str, str]:
    """How a value shows itself."""
    rich = {kind: getattr(value, name)() for kind, name in SHOWN.items() if hasattr(value, name)}
    return rich | {"text/plain": repr(value)}


def stored(cell: dict[str, Any]) -> list[dict[str, str]]:
    """What a cell says that it puts out."""
    return [{kind: "".join(lines) for kind, lines in output["data"].items()} for output in cell["outputs"]]


def run(notebook: dict[str, Any]) -> Iterator[tuple[dict[str, Any], list[dict[str, str]], dict[str, Any]]]:
    """Every cell of Python with what it puts out, and the names that there are then."""
    names: dict[str, Any] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        shown: list[object] = []
        names["display"] = lambda *values, shown=shown: shown.extend(values)
        tree = ast.parse(re.sub(r"^%.*", "", source(cell)))
        last = tree.body[-1] if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        ahead = ast.Module(tree.body[:-1] if last else tree.body, [])
        exec(compile(ahead, cell["id"], "exec"), names)  # noqa: S102 - what a kernel does
        if last is not None:
            value = eval(compile(ast.Expression(last.value), cell["id"], "eval"), names)  # noqa: S307
            if value is not None and not source(cell).endswith(";"):
                shown.append(value)
        yield cell, [bundle(value) for value in shown], names
