"""User-defined operations in a scenario: read each table ``[operation.name]`` into its record.

>>> from symattn.read.scenario.schema import OperationTable
>>> table = OperationTable(parameters=["X", "c"], equations=["y[i,j] = c * tanh(X[i,j] / c)"])
>>> list(read_operations({"capped": table}, {}))
['capped']
>>> read_operations({"softmax": table}, {})
Traceback (most recent call last):
    ...
symattn.read.scenario.problem.Problem: softmax is a function of formulas already, and another one: give the operation \
another name
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from symattn.base.errors import FormulaError
from symattn.operations.equations.parts import form
from symattn.operations.equations.ranges import EquationError
from symattn.operations.equations.read import build_operation, parameter_text, signature
from symattn.operations.equations.tree import Operation
from symattn.operations.records import record_named
from symattn.read.formula import FUNCTIONS, OPEN, is_name, no_name
from symattn.read.scenario.problem import AT_ONCE, Key, Problem, Problems, key_text
from symattn.read.scenario.schema import OperationTable


def read_operations(
    tables: Mapping[str, OperationTable], taken: Mapping[str, Key], found: Problems = AT_ONCE
) -> Mapping[str, Operation]:
    """Read the operations by name; ``taken`` are names with another meaning, and their keys."""
    read: dict[str, Operation] = {}
    for name, table in found.until_many(tables.items()):
        with found.caught(breaks=name):
            _must_be_new(name, taken)
            try:
                record = _record(
                    name,
                    tuple(table.parameters),
                    tuple(table.equations),
                    table.shape or "",
                    tuple((table.page or {}).items()),
                    table.source or "",
                )
                must_not_hide(record)
                read[name] = record
            except EquationError as error:
                raise Problem.several(_problem(each, name, table) for each in error.each) from None
            except FormulaError as error:
                raise Problem.of(error, ("operation", name)) from None
    return MappingProxyType(read)


@lru_cache(maxsize=1000)
def _record(
    name: str,
    parameters: tuple[str, ...],
    equations: tuple[str, ...],
    shape: str,
    page: tuple[tuple[str, str], ...],
    source: str,
) -> Operation:
    # A file with uses is derived several times; its operations are read once.
    return replace(build_operation(name, parameters, equations, shape), page=page, source=source, called=name)


def table_of(record: Operation) -> dict[str, Any]:
    """Return the table of a file that defines an operation.

    >>> from symattn.operations.records import record_named
    >>> list(table_of(record_named("relu")).items())[:2]
    [('parameters', ['X: m×n']), ('equations', ['y[i,j] = max(0, X[i,j])'])]
    """
    _, _, shape = signature(record).rpartition("-> ")
    table: dict[str, Any] = {
        "parameters": list(map(parameter_text, record.parameters)),
        "equations": [equation.text for equation in record.equations],
        "shape": shape,
    }
    if record.page:
        words = dict(record.page)
        table["page"] = words.get("", words)
    return table | ({"source": record.source} if record.source else {})


def must_not_hide(record: Operation) -> None:
    """Raise ``FormulaError`` for a record that has the name of one of our functions, but another definition."""
    # An equal definition is fine: files outlive versions.
    ours = record_named(record.name)
    if record.name in FUNCTIONS and (record.name not in OPEN if ours is None else form(record) != form(ours)):
        raise FormulaError(
            f"{record.name} is a function of formulas already, and another one: give the operation another name"
        )


def _must_be_new(name: str, taken: Mapping[str, Key]) -> None:
    key: Key = ("operation", name)
    if not is_name(name):
        raise Problem(key, no_name(name, "an operation"))
    if name in taken:
        what = "a size or a symbol" if taken[name] == (name,) else f"what stands at {key_text(taken[name])}"
        raise Problem(key, f"{name} is also the name of {what}: give one of them another name")


def _problem(error: EquationError, name: str, table: OperationTable) -> Problem:
    """Return the problem of one equation or one parameter, with its key in the file."""
    for part, texts in (("equations", table.equations), ("parameters", table.parameters)):
        if error.text in texts:
            # If two are the same, the second one is wrong.
            place = len(texts) - 1 - texts[::-1].index(error.text)
            return Problem(("operation", name, part, place), str(error), FormulaError)
    return Problem(("operation", name), str(error), FormulaError)
