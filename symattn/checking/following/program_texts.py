"""Texts with values in them: what ``print`` writes, f-strings and other ways to fill in numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symattn.checking.following.arrays import ProgramValue, Unknown
from symattn.checking.following.rows import NoFit

PARTS = 2_500
"""Texts and values in one text at most."""


@dataclass(frozen=True, eq=False)
class ShownValue:
    """A value in a printed text, and the expression that it comes from."""

    value: ProgramValue
    text: str
    name: str = ""
    """The variable that it is, if it is one."""
    is_percent: bool = False


@dataclass(frozen=True, eq=False)
class Text:
    """A string with values in it."""

    parts: tuple[str | ShownValue, ...]

    def __post_init__(self) -> None:
        if len(self.parts) > PARTS:
            raise NoFit("a text that is too long")


@dataclass(frozen=True, eq=False)
class PrintedItem:
    """What one call of ``print`` writes, or what is shown of an expression that stands alone."""

    parts: tuple[str | ShownValue, ...]
    line: int
    """The line of the call, in the piece of the program."""
    kind: str = "print"
    """``print``; ``echo``, an expression that stands alone; ``assigned``; ``given``, a constant that is assigned;
    ``lost``, what is printed any number of times."""


def parts_of(value: str | Text) -> tuple[str | ShownValue, ...]:
    return (value,) if isinstance(value, str) else value.parts


def as_parts(value: ProgramValue) -> tuple[str | ShownValue, ...]:
    return parts_of(value) if isinstance(value, str | Text) else (ShownValue(value, "this"),)


def variable_of(node: ast.expr) -> str:
    """Return the variable that is shown, as it is or rounded: ``w`` of ``np.round(w, 2)``."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np" | "torch" | "numpy"), attr="round"), args=[inner, *_]):
            return variable_of(inner)
        case ast.Call(func=ast.Name(id="round" | "float" | "str"), args=[inner, *_]):
            return variable_of(inner)
        case ast.Call(func=ast.Attribute(value=inner, attr="round" | "item" | "numpy" | "tolist" | "detach")):
            return variable_of(inner)
    return ""


def formatted(value: ProgramValue, spec: str, shown: tuple[str | ShownValue, ...]) -> tuple[str | ShownValue, ...]:
    """Return what a replacement field with a format writes."""
    kind = spec.strip("'\"")[-1:]
    first = shown[0] if shown else ""
    if isinstance(first, str) or kind not in ("%", "x", "X", "b", "o", "c"):
        return shown
    if kind == "%":
        return (ShownValue(value, first.text, first.name, is_percent=True), "%")
    return (ShownValue(Unknown("a format that is not modelled"), first.text),)


_PERCENT = re.compile(r"%(?:%|[-+ 0#]*\d*(?:\.\d+)?[sdifgeEGr])")
_FIELD = re.compile(r"\{\{|\}\}|\{(\w*)(?:![rs])?(?::([^{}]*))?\}")


def percent_text(form: str, given: Sequence[ProgramValue]) -> ProgramValue:
    """Return ``form % given``."""
    parts: list[str | ShownValue] = []
    waiting, end = list(given), 0
    for found in _PERCENT.finditer(form):
        parts.append(form[end : found.start()])
        end = found.end()
        parts.extend(("%",) if found[0] == "%%" else as_parts(waiting.pop(0)))
    return Text((*parts, form[end:]))


def formatted_text(form: str, given: Sequence[ProgramValue], named: Mapping[str, ProgramValue]) -> ProgramValue:
    """Return ``form.format(...)``."""
    parts: list[str | ShownValue] = []
    waiting, end = iter(given), 0
    for found in _FIELD.finditer(form):
        parts.append(form[end : found.start()])
        end = found.end()
        if found[0] in ("{{", "}}"):
            parts.append(found[0][0])
            continue
        name = found[1]
        value = next(waiting) if not name else given[int(name)] if name.isdecimal() else named[name]
        parts.extend(formatted(value, found[2] or "", as_parts(value)))
    return Text((*parts, form[end:]))
