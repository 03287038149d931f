"""An operation as it is written, from its trees: what reading it gives again."""

from __future__ import annotations

from symattn.equations.ranges import written
from symattn.equations.tree import Operation, Parameter


def declared(operation: Operation) -> str:
    """The text of an operation: its name with parameters and shape, then a line for each equation.

    >>> from symattn.equations.read import read_operation
    >>> print(declared(read_operation("softcap(X, c = 5)\\n y[i,j] = c * tanh(X[i,j] / c)")))
    softcap(X: m×n, c = 5) -> m×n
        y[i,j] = c*tanh(X[i,j]/c)
    """
    rows, columns = map(_axis, operation.shape)
    head = f"{operation.name}({', '.join(map(_parameter, operation.parameters))}) -> {rows}×{columns}"
    return "\n    ".join(
        [head, *(_equation(each.name, each.index, written(each.body)) for each in operation.equations)]
    )


def _equation(name: str, index: tuple[str, ...], body: str) -> str:
    return f"{name}[{','.join(index)}] = {body}" if index else f"{name} = {body}"


def _parameter(parameter: Parameter) -> str:
    kind = "×".join(map(_axis, parameter.axes)) if parameter.is_matrix else parameter.kind
    usual = "" if parameter.default is None else f" = {written(parameter.default)}"
    return f"{'*' if parameter.many else ''}{parameter.name}{'' if kind == 'number' else f': {kind}'}{usual}"


def _axis(axis: object) -> str:
    text = written(axis)  # type: ignore[arg-type]
    return text if text.isalnum() or text.startswith("sum(") else f"({text})"
