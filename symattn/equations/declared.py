"""An operation as it is written, from its trees: what reading it gives again."""

from __future__ import annotations

from symattn.equations.ranges import written
from symattn.equations.tree import Operation, Parameter, Tree


def declared(operation: Operation) -> str:
    """The text of an operation: its name with parameters and shape, then a line for each equation.

    >>> from symattn.equations.read import read_operation
    >>> print(declared(read_operation("softcap(X, c = 5)\\n y[i,j] = c * tanh(X[i,j] / c)")))
    softcap(X: m×n, c = 5) -> m×n
        y[i,j] = c*tanh(X[i,j]/c)
    """
    lines = (_equation(each.name, each.index, written(each.body)) for each in operation.equations)
    return "\n    ".join([signature(operation), *lines])


def signature(operation: Operation) -> str:
    """The first line of an operation: name, parameters and shape."""
    given = ", ".join(map(parameter_text, operation.parameters))
    return f"{operation.name}({given}) -> {'×'.join(map(_axis, operation.shape))}"


def parameter_text(parameter: Parameter) -> str:
    """A parameter as it is written in a definition."""
    kind = "×".join(map(_axis, parameter.axes)) if parameter.is_matrix else parameter.kind
    usual = "" if parameter.default is None else f" = {written(parameter.default)}"
    return f"{'*' if parameter.many else ''}{parameter.name}{'' if kind == 'number' else f': {kind}'}{usual}"


def _equation(name: str, index: tuple[str, ...], body: str) -> str:
    return f"{name}[{','.join(index)}] = {body}" if index else f"{name} = {body}"


def _axis(axis: Tree) -> str:
    text = written(axis)
    return text if text.isalnum() or text.startswith("sum(") else f"({text})"
