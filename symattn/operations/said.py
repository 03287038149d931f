"""An operation in a sentence: what it is, and of what shapes.

>>> from symattn.operations.ours import record_named
>>> sentence(record_named("relu"))
'ReLU(X)_{ij} = max(0, x_{ij}): (m, n) → (m, n).'
>>> signature(record_named("softcap")), signature(record_named("layer_norm"))
('softcap(X: m×n, c) -> m×n', 'layer_norm(X: m×d, epsilon = 1/100000, gamma: d = 1, beta: d = 0) -> m×d')
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


def signature(record: Operation) -> str:
    """The first line of a record: name, parameters and shape."""
    given = ", ".join(parameter_text(parameter) for parameter in record.parameters)
    return f"{record.name}({given}) -> {'×'.join(map(_axis, record.shape))}"


def parameter_text(parameter: Parameter) -> str:
    """A parameter as it is written in a definition."""
    axes = f": {'×'.join(map(_axis, parameter.axes))}" if parameter.axes else ""
    kind = f": {parameter.kind}" if parameter.kind in ("size", "whole") else axes
    usual = "" if parameter.default is None else f" = {written(parameter.default)}"
    return f"{'*' if parameter.many else ''}{parameter.name}{kind}{usual}"


def _axis(axis: Expression) -> str:
    text = written(axis)
    return f"({text})" if any(mark in text for mark in "+-/*") and not text.startswith("sum(") else text
