"""Write a scenario as lines of Python: calls of a ``Derivation`` that compute the same matrices.

The calls have all that affects numbers, but no words: those are in the text beside them.

>>> from symattn.read.scenario.load import load
>>> lines = InPython(load("refund"), "en")
>>> print(lines.definition("Q_raw"))
d.step("Q_raw", "X @ W_Q")
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

from symattn.base.errors import OutputError, printable
from symattn.base.remembered import cached_property
from symattn.base.shapes import Axis
from symattn.read.given import Given
from symattn.read.plan import Step
from symattn.read.scenario.model import FigureStyle, Scenario, StepItem
from symattn.read.scenario.notation import notation_text
from symattn.read.scenario.operations import table_of

DERIVATION = "d"
"""The name of the derivation in a program."""

NUMBERS = 20_000
"""The most given numbers of a program: with more of them, nobody could read it."""

_WIDE = 96
"""The approximate length of a line, in characters."""


@dataclass(frozen=True)
class InPython:
    """Writes the lines of a scenario in one language; ``style`` is the style of its figures."""

    scenario: Scenario
    language: str
    style: FigureStyle | None = None

    def __post_init__(self) -> None:
        count = sum(rows * columns for rows, columns in (each.given.shape for each in self.scenario.givens.values()))
        if count > NUMBERS:
            raise OutputError(
                f"{count} given numbers are too many for a notebook: expected at most NUMBERS = {NUMBERS}; "
                "take a part of the matrices, or write a page"
            )

    # -- what a program begins with ------------------------------------------------------------------------------

    def opening(self) -> str:
        """Return the extension, the import, and the derivation with everything that is not a matrix."""
        own = self.scenario.derivation.operations
        imported = ", ".join(["Derivation", *(["operation"] if own else [])])
        made = [
            f"{name} = {call('operation', literal(name), options=table_of(record), wide=True)}"
            for name, record in own.items()
        ]
        options = {name: value for name, value in self._options().items() if value}
        title = literal(self.title.replace("{", "{{").replace("}", "}}"))
        begun = call("Derivation", title, options=options, wide=True)
        return "\n\n".join([f"%load_ext symattn\nfrom symattn import {imported}", *made, f"{DERIVATION} = {begun}"])

    def _options(self) -> dict[str, Any]:
        one, plan = self.scenario.told_in(self.language), self.scenario.derivation
        labels = {axis: list(each) for axis, each in one.labels.items() if not (one.tokens and axis == one.token_axis)}
        sizes = {name: size for name, size in plan.sizes.items() if isinstance(size, int) and name not in one.labels}
        return {
            "language": self.language,
            "tokens": list(one.tokens),
            "token_axis": one.token_axis if one.token_axis != "n" else "",
            "sizes": sizes,
            "labels": labels,
            "symbols": list(one.symbols),
            "substitute": dict(one.put_in),
            **self._style(),
            "anew": True,
            "operations": Verbatim(f"[{', '.join(plan.operations)}]") if plan.operations else None,
        }

    def _style(self) -> dict[str, Any]:
        """Return the settings of the figures that differ from the defaults."""
        usual, style = FigureStyle(), self.style or self.scenario.style
        named = (each.name for each in fields(FigureStyle) if each.name != "own")
        return {name: value for name in named if (value := getattr(style, name)) != getattr(usual, name)}

    @property
    def title(self) -> str:
        """The title as plain text."""
        return self.scenario.title_in(self.language)

    # -- what it defines -----------------------------------------------------------------------------------------

    @cached_property
    def of(self) -> Mapping[str, str]:
        """The name under which each name is defined: for a slice along leading axes, that of the whole stack."""
        batches = self.scenario.derivation.batches
        parts = {part: name for name, slices in batches.items() for part in slices.names}
        return {step.name: parts.get(step.name, step.name) for step in self.scenario.derivation.steps}

    @cached_property
    def _items(self) -> Mapping[str, StepItem]:
        items = (item for section in self.scenario.sections for item in section.items if isinstance(item, StepItem))
        found: dict[str, StepItem] = {}
        for item in items:
            found.setdefault(self.of[item.name], item)
        return found

    @cached_property
    def first(self) -> tuple[str, ...]:
        """The matrix to define before anything is shown: one that the tokens belong to, if there are tokens."""
        steps, count = self.scenario.derivation.steps, len(self.scenario.tokens)
        fitting = [step for step in steps if count in step.shape.sizes]
        return tuple(step.name for step in sorted(fitting, key=lambda step: not step.is_given)[:1])

    def needed(self, names: Iterable[str], there: Iterable[str]) -> list[str]:
        """Return the names to define for some names, in order, where those of ``there`` are defined already."""
        known = set(there)
        behind = self.scenario.derivation.behind(names, [name for name in self.of if self.of[name] in known])
        return [name for name in dict.fromkeys(self.of[each] for each in behind) if name not in known]

    def definition(self, name: str) -> str:
        """Return the call that defines a name."""
        plan = self.scenario.derivation
        parts = plan.batches[name].names if name in plan.batches else (name,)
        step = plan[parts[0]]
        if step.is_given:
            return self._given(name, step, parts)
        item = self._items[name]
        decimals = dict((self.style or self.scenario.style).own).get(item.name)
        options = {"decimals": decimals, "works": item.works}
        known = {key: value for key, value in options.items() if value is not None} | self._notation(name)
        return f"{DERIVATION}.{call('step', literal(name), literal(item.formula), options=known)}"

    def _notation(self, name: str) -> dict[str, str]:
        tree = self.scenario.notation.get(name)
        return {} if tree is None else {"notation": notation_text(tree)}

    def _given(self, name: str, step: Step, parts: Sequence[str]) -> str:
        axes = self._axes(name, step)
        if step.general:
            general = {"shape": tuple(map(_named, axes)), **self._notation(name)}
            return f"{DERIVATION}.{call('given', literal(name), options=general)}"
        givens = [self.scenario.givens[part].given for part in parts]
        given = Given.stacked(givens) if name in self.scenario.derivation.batches else givens[0]
        options: dict[str, Any] = {"axes": tuple(map(_named, axes))} if any(each.name for each in axes) else {}
        if self.scenario.tokens and len(axes) > 1:
            options["axes"] = tuple(map(_named, axes))  # else the first axis of this size would get the tokens
        if given.rounded:
            options["rounded"] = True
        if given.row_sum is not None:
            options["row_sums"] = str(given.row_sum)
        options |= self._notation(name)
        return f"{DERIVATION}.{call('given', literal(name), python_rows(given.written), options=options)}"

    def _axes(self, name: str, step: Step) -> tuple[Axis, ...]:
        batches = self.scenario.derivation.batches
        return (*batches[name].axes, step.shape.rows, step.shape.columns) if name in batches else step.shape.axes


@dataclass(frozen=True)
class Verbatim:
    """Text that goes into a program unchanged."""

    text: str


def _named(axis: Axis) -> str | int:
    return axis.name or (axis.size if isinstance(axis.size, int) else str(axis.size))


def literal(value: object) -> str:
    """Return a value as a Python literal: texts in double quotes, on one line, with steering characters escaped.

    >>> print(literal(["a", ("b", 2), {"c": "\\u202e'"}]))
    ["a", ("b", 2), {"c": "\\u202e'"}]
    """
    match value:
        case Verbatim(text):
            return text
        case str():
            return printable(json.dumps(value, ensure_ascii=False))
        case Mapping():
            return "{" + ", ".join(f"{literal(key)}: {literal(each)}" for key, each in value.items()) + "}"
        case tuple():
            return "(" + ", ".join(map(literal, value)) + ("," if len(value) == 1 else "") + ")"
        case list():
            return "[" + ", ".join(map(literal, value)) + "]"
    return repr(value)


def python_rows(rows: Any, depth: int = 1) -> str:
    """Return numbers as Python literals, with the rows of a matrix one below the other.

    >>> print(python_rows([["1", "2"], ["3", "4"]]))
    [
        ["1", "2"],
        ["3", "4"],
    ]
    """
    if not isinstance(rows, list) or not isinstance(rows[0], list):
        return literal(rows)
    inside = "".join(f"{'    ' * depth}{python_rows(row, depth + 1)},\n" for row in rows)
    return f"[\n{inside}{'    ' * (depth - 1)}]"


def call(
    function: str, *arguments: str, options: Mapping[str, object] = MappingProxyType({}), wide: bool = False
) -> str:
    """Return a call; one that may be ``wide`` has each argument on a line of its own if it is too long for one line.

    >>> call("row", '"A"', options={"axis": 1})
    'row("A", axis=1)'
    """
    told = [*arguments, *(f"{name}={literal(value)}" for name, value in options.items())]
    line = f"{function}({', '.join(told)})"
    if not wide or len(line) <= _WIDE:
        return line
    return f"{function}(\n" + "".join(f"    {each},\n" for each in told) + ")"
