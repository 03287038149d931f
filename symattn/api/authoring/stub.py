"""Write ``functions.pyi``, the type stub of the functions, from the same table as the functions.

``python -m symattn.api.authoring.stub`` rewrites the file; a test compares it to the table.
"""

from __future__ import annotations

import builtins
from inspect import Parameter, Signature
from pathlib import Path
from textwrap import wrap

from symattn.api.authoring.calls import NUMBERS, documentation, signature
from symattn.read.formula.functions import TABLE

PATH = Path(__file__).with_name("functions.pyi")

_HEAD = """\
# Made from symattn.read.formula.functions.TABLE by symattn.api.authoring.stub.
# fmt: off

from symattn.api.authoring.expression import Expression, OperandLike, Scalar
"""


def stub() -> str:
    """Return the text of the file."""
    listed = "".join(f'    "{name}",\n' for name in sorted(TABLE) if not hasattr(builtins, name))
    return f"{_HEAD}\n__all__: list[str] = [\n{listed}]\n" + "".join(_declared(name) for name in sorted(TABLE))


def _declared(name: str) -> str:
    parameters = [_parameter(parameter) for parameter in _with_slash(signature(TABLE[name]))]
    answer = "Scalar" if name in NUMBERS else "Expression"
    said = "\n    ".join(wrap(documentation(name, TABLE[name]).replace("\n", " "), 112))
    listed = ", ".join(parameters)
    if len(name) + len(listed) + len(answer) > 100:
        listed = "".join(f"\n    {parameter}," for parameter in parameters) + "\n"
    return f'\ndef {name}({listed}) -> {answer}:\n    """{said}"""\n'


def _with_slash(parameters: Signature) -> list[Parameter | None]:
    """Return the parameters, with ``None`` after the last positional-only one."""
    found: list[Parameter | None] = list(parameters.parameters.values())
    only = sum(one is not None and one.kind is Parameter.POSITIONAL_ONLY for one in found)
    return [*found[:only], None, *found[only:]] if only else found


def _parameter(parameter: Parameter | None) -> str:
    if parameter is None:
        return "/"
    star = "*" if parameter.kind is Parameter.VAR_POSITIONAL else ""
    if parameter.default is ...:
        return f"{parameter.name}: bool | int | tuple[int, ...] | None = ..."
    optional = " | None = None" if parameter.default is None else ""
    return f"{star}{parameter.name}: OperandLike{optional}"


if __name__ == "__main__":
    PATH.write_text(stub(), encoding="utf-8")
