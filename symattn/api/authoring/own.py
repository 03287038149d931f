"""User-defined operations in Python: like ``[operation.…]`` of a scenario file, and called like built-in functions.

>>> from symattn.api.authoring import Derivation
>>> capped = operation("capped", ["X", "c = 30"], ["y[i,j] = c * tanh(X[i,j] / c)"], page="soft cap")
>>> d = Derivation(title="Scores")
>>> S = d.given("S", [["1", "20"]])
>>> d.step("T", capped(S, c=5))
Expression('T', shape (1, 2))
>>> print(d.toml().split("\\n\\n")[2])
[operation.capped]
parameters = ["X", "c = 30"]
equations = ["y[i,j] = c * tanh(X[i,j] / c)"]
page = "soft cap"
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sympy import Basic

from symattn.api.authoring import words
from symattn.api.authoring.calls import call_text, documentation, signature
from symattn.api.authoring.draft import as_in_a_file, checked, quoted, spelled
from symattn.api.authoring.expression import Expression, Scalar
from symattn.api.authoring.words import PlainWords
from symattn.operations.equations.tree import Operation
from symattn.read.formula.calling import of_record
from symattn.read.scenario.operations import read_operations
from symattn.read.scenario.schema import OperationTable, read_tables


class OwnOperation:
    """A user-defined operation: a function of expressions, made by :func:`operation`.

    A derivation takes over the operation once it is applied to names of it, like a scenario file that defines one.
    """

    def __init__(self, record: Operation, table: dict[str, Any]) -> None:
        self.record, self.table = record, table
        self.__name__ = self.__qualname__ = record.name
        self.__doc__ = documentation(record.name, of_record(record), record)
        self.__signature__ = signature(of_record(record))

    def __call__(self, *values: object, **options: object) -> Expression | Scalar | Basic:
        own = {self.record.name: self}
        return call_text(self.record.name, of_record(self.record), values, options, own)

    def __repr__(self) -> str:
        return f"<operation {self.record.name}({', '.join(self.table['parameters'])})>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OwnOperation) and self.table == other.table and self.record == other.record

    def __hash__(self) -> int:
        return hash(self.record)

    def __reduce__(self) -> tuple[object, ...]:
        return OwnOperation, (self.record, self.table)


def operation(
    name: str,
    parameters: Sequence[str],
    equations: Sequence[str],
    *,
    shape: str | None = None,
    page: PlainWords | None = None,
    source: str | None = None,
) -> OwnOperation:
    """Define an operation by its equations in index notation, such as ``y[i,j] = c * tanh(X[i,j] / c)``.

    ``parameters`` are in order, and the last of the ``equations`` defines the entry of the result; the earlier ones
    name intermediate numbers. ``shape`` is the shape of the result where it does not follow, ``page`` its name on the
    page, ``source`` its origin.

    Raises :class:`~symattn.base.errors.FormulaError` with the place in the equation where something is wrong.
    """
    call = f"operation({quoted(spelled(name))})"
    table: dict[str, Any] = {"parameters": as_in_a_file(parameters), "equations": as_in_a_file(equations)}
    table |= words.known(shape=shape) | words.given_words(call, page=page) | words.known(source=source)
    file = checked(call, lambda: read_tables({"title": "t", "operation": {name: table}}), 2)
    tables: dict[str, OperationTable] = file.operation
    record = checked(call, lambda: read_operations(tables, {}), 2)[name]
    return OwnOperation(record, table)
