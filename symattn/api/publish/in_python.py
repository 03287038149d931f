"""A scenario as lines of Python: the calls of a ``Derivation`` that work out the same matrices.

What makes numbers is in the calls; words are not, for they stand beside them.

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
"""What the derivation is called in a program."""

NUMBERS = 20_000
"""The most given numbers of a program: one that nobody can read is no lesson."""

_WIDE = 96
"""About how many characters stand on a line."""


@dataclass(frozen=True)
class InPython:
    """The lines of a scenario, in one language; ``style`` is how its figures are printed."""

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
        """The extension, the import, and the derivation with all that is not a matrix."""
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
        """What is unusual in how figures are printed."""
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
        """The name under which each name is defined: that of all matrices for one along leading axes."""
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
        """What has to be there before anything is shown: a matrix that the tokens belong to, if there are tokens."""
        steps, count = self.scenario.derivation.steps, len(self.scenario.tokens)
        fitting = [step for step in steps if count in step.shape.sizes]
        return tuple(step.name for step in sorted(fitting, key=lambda step: not step.is_given)[:1])

    def needed(self, names: Iterable[str], there: Iterable[str]) -> list[str]:
        """What has to be defined for some names, in order, where some is there."""
        known = set(there)
        behind = self.scenario.derivation.behind(names, [name for name in self.of if self.of[name] in known])
        return [name for name in dict.fromkeys(self.of[each] for each in behind) if name not in known]

    def definition(self, name: str) -> str:
        """The call that defines a name."""
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
            options["axes"] = tuple(map(_named, axes))  # or the first with as many rows would have the tokens
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
    """What stands in a program as it is."""

    text: str


def _named(axis: Axis) -> str | int:
    return axis.name or (axis.size if isinstance(axis.size, int) else str(axis.size))


def literal(value: object) -> str:
    """A value as Python has it: texts between double quotes, on one line, with nothing that changes what is seen.

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
    """Numbers as Python has them: the rows of a matrix under each other.

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
    """A call; where it is too ``wide`` for a line, each argument has one of its own.

    >>> call("row", '"A"', options={"axis": 1})
    'row("A", axis=1)'
    """
    told = [*arguments, *(f"{name}={literal(value)}" for name, value in options.items())]
    line = f"{function}({', '.join(told)})"
    if not wide or len(line) <= _WIDE:
        return line
    return f"{function}(\n" + "".join(f"    {each},\n" for each in told) + ")"
