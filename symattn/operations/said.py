"""An operation in a sentence: what it is, and of what shapes.

>>> from symattn.operations.ours import record_named
>>> sentence(record_named("relu"))
'ReLU(X)_{ij} = max(0, x_{ij}): (m, n) → (m, n).'
"""

from __future__ import annotations

from inspect import cleandoc

from symattn.equations.ranges import written
from symattn.equations.tree import Call, Expression, Operation, Parameter
from symattn.operations.ours import node_named


def sentence(record: Operation) -> str:
    """What one of our operations is, with its shapes."""
    kind = node_named(record.name)
    said = " ".join(cleandoc(kind.__doc__ or "").split("\n\n")[0].split()) if hasattr(kind, "definition") else ""
    if not said:
        said = "; ".join(" ".join(equation.text.split()) for equation in record.equations)
    return f"{said.removesuffix('.')}: {shapes(record)}."


def shapes(record: Operation) -> str:
    """The shapes of what it is given, and of what comes out."""
    given = ", ".join(_shape(parameter) for parameter in record.parameters if parameter.is_matrix)
    result = f"({', '.join(map(_length, record.shape))})"
    return f"{given} → {result}" if given else f"→ {result}"


def _shape(parameter: Parameter) -> str:
    axes = ", ".join(map(_length, parameter.axes))
    text = f"({axes})" if parameter.kind == "matrix" else f"(1, {axes})"
    return f"{text}, …" if parameter.many else f"{parameter.name} {text}" if parameter.default is not None else text


def _length(axis: Expression) -> str:
    match axis:
        case Call("sum", (of,)):
            return f"{written(of)} + …"
    return written(axis)
