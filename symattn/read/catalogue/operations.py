"""Describe our operations: a list, a single one with its equations, the whole of docs/operations.md.

>>> print(function_list().splitlines()[0])
abs(X: m×n) -> m×n
>>> print(shown_alone("relu").splitlines()[1])
    y[i,j] = max(0, X[i,j])
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from symattn.base.errors import UnknownNameError, unknown
from symattn.operations.equations.ranges import piece_text
from symattn.operations.equations.read import signature
from symattn.operations.equations.tree import Operation, Parameter
from symattn.operations.records import OURS, record_named, sentence, shapes
from symattn.read.formula import FUNCTIONS
from symattn.read.formula.axes import AXIS, DDOF, KEPT
from symattn.read.formula.functions import TABLE

_NOTATION = Path(__file__).with_name("notation.md")

_KINDS = {"size": "a size", "whole": "a whole number", "number": "a number"}


def function_list() -> str:
    """Return every function of formulas with its parameters, operations also with the shape, in alphabetical order."""
    return "\n".join(signature(_record(name)) if name in OURS else _call(name) for name in sorted(FUNCTIONS))


def _call(name: str) -> str:
    """Return the call of a function that is not an operation with one record."""
    function = TABLE[name]
    others = {*AXIS[1:], *KEPT[1:], *DDOF[1:]}
    options = [f"{option}=…" for option in function.options if option not in others]
    return f"{name}({', '.join([*function.parameters, *options])})"


def shown_alone(name: str) -> str:
    """Describe one operation: equations, parameters, shapes, source.

    Raises :class:`~symattn.base.errors.UnknownNameError` for an unknown name.
    """
    if name in FUNCTIONS and name not in OURS:
        return f"{_call(name)}\n    a function of formulas, of which docs/formulas.md tells"
    record = _record(name)
    return "\n".join([definition(record), "", *(f"{key}: {text}" for key, text in _facts(record))])


def _record(name: str) -> Operation:
    record = record_named(name)
    if record is None:
        raise UnknownNameError(unknown("operation", name, FUNCTIONS, "symattn catalogue --operations"))
    return record


def definition(record: Operation) -> str:
    """Return the record as it is written."""
    return "\n".join([signature(record), *(f"    {' '.join(each.text.split())}" for each in record.equations)])


def _facts(record: Operation) -> Iterator[tuple[str, str]]:
    said = sentence(record).rpartition(": ")[0]
    if not all(" ".join(each.text.split()) in said for each in record.equations):
        yield "meaning", said
    yield "shapes", shapes(record)
    yield "parameters", "; ".join(map(_parameter, record.parameters))
    if record.page:
        yield "called", ", ".join(dict.fromkeys(text for _, text in record.page))
    if record.source:
        yield "source", record.source.rstrip(".")


def _parameter(parameter: Parameter) -> str:
    axes = "×".join(map(piece_text, parameter.axes))
    what = {"matrix": f"a matrix {axes}", "row": f"a row of length {axes}"}.get(parameter.kind)
    usual = "" if parameter.default is None else f", usually {piece_text(parameter.default)}"
    many = " (any number of them)" if parameter.many else ""
    return f"{parameter.name} is {what or _KINDS[parameter.kind]}{many}{usual}"


def book() -> str:
    """Return the whole of docs/operations.md."""
    lines = [_NOTATION.read_text(encoding="utf-8").rstrip(), "", "## All of ours", ""]
    for name in sorted(OURS):
        record = _record(name)
        lines += [f"### `{name}`", "", "```", definition(record), "```", ""]
        lines += [f"- {key}: {text}" for key, text in _facts(record)]
        lines.append("")
    return "\n".join(lines)
