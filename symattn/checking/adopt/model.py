"""What is taken over from a document: quantities with their formulas and figures, and what could not be read.

The text of a scenario that was taken over from a document, as a person would write it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from symattn.base.errors import cut, printable
from symattn.read.scenario.toml import toml_lines, toml_value

AxesCount = Literal[0, 1, 2]


@dataclass(frozen=True)
class Adopted:
    """One name of a scenario, and what the document says of it.

    It is a step where it has a formula, a size where ``is_size`` says so, and else a given. A given has figures.
    """

    name: str
    """A name that a scenario may have."""
    formula: str = ""
    """In the formula language, over names that come before."""
    figures: tuple[tuple[str, ...], ...] = ()
    """As the document prints them, row by row, each as :func:`~symattn.checking.adopt.formula_text.number_text` has it;
    of a given any exact number that ``[given]`` takes."""
    axes: AxesCount = 2
    """Of a given: a number, a vector, a matrix."""
    is_size: bool = False
    """Whether it is a whole number that names an axis, such as ``d_k = 4``."""
    notation: str = ""
    """How the page writes the name, in the language of ``[notation]``."""
    section: str = ""
    """The heading under which it stands."""
    line: int = 0
    """Where it stands in the document."""

    @property
    def is_step(self) -> bool:
        """Whether it follows from others."""
        return bool(self.formula) and not self.is_size

    @property
    def is_given(self) -> bool:
        """Whether it follows from nothing."""
        return not self.formula and not self.is_size


@dataclass(frozen=True)
class LeftOver:
    """Something with figures or formulas that stands in the scenario as a comment."""

    line: int
    text: str
    """As it stands in the document."""
    why: str = ""
    """Why it was not taken over."""
    section: str = ""


@dataclass(frozen=True)
class AdoptedLesson:
    """All that the file of a scenario is written from."""

    title: str
    language: str
    quantities: tuple[Adopted, ...]
    left_over: tuple[LeftOver, ...] = ()
    tokens: tuple[str, ...] = ()
    token_axis: str = "n"
    source: str = ""

    def sections(self) -> list[tuple[str, list[Adopted]]]:
        """What stands under each heading, in the order of the document; sizes stand in no section."""
        shown = [each for each in self.quantities if not each.is_size]
        return [(title, list(group)) for title, group in groupby(shown, key=lambda each: each.section)]


WIDTH = 100
"""A list of rows longer than this takes a line for each row; a comment is not longer."""

LONGEST_COMMENT = 300
"""Characters of what is cited in a comment."""


def lesson_text(lesson: AdoptedLesson) -> str:
    """The TOML text."""
    blocks = [_head(lesson), _sizes(lesson), _givens(lesson), _notation(lesson), *_sections(lesson), _printed(lesson)]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _head(lesson: AdoptedLesson) -> list[str]:
    lines: dict[str, object] = {"title": _words(lesson.title), "language": lesson.language}
    if lesson.tokens:
        lines |= {"tokens": lesson.tokens} | ({"token_axis": lesson.token_axis} if lesson.token_axis != "n" else {})
    return toml_lines(lines | ({"source": _words(lesson.source)} if lesson.source else {}))


def _sizes(lesson: AdoptedLesson) -> list[str]:
    sizes = [each for each in lesson.quantities if each.is_size]
    lines = [_with_line(f"{each.name} = {each.formula or each.figures[0][0]}", each.line) for each in sizes]
    return ["[sizes]", *lines] if lines else []


def _givens(lesson: AdoptedLesson) -> list[str]:
    lines = [line for each in lesson.quantities if each.is_given for line in _rows(each)]
    return ["[given]", *lines] if lines else []


def _notation(lesson: AdoptedLesson) -> list[str]:
    lines = toml_lines({each.name: each.notation for each in lesson.quantities if each.notation})
    return ["[notation]", *lines] if lines else []


def _printed(lesson: AdoptedLesson) -> list[str]:
    lines = [line for each in lesson.quantities if each.is_step and each.figures for line in _rows(each)]
    return ["[printed]", *lines] if lines else []


def _rows(each: Adopted) -> list[str]:
    """``X = [["1", "0"]]``, a line for each row where it is long."""
    value = [list(row) for row in each.figures]
    written = toml_lines({each.name: (value[0][0], value[0], value)[each.axes]})[0]
    first, *rest = written.split("\n")
    return [_with_line(first, each.line), *rest]


def _sections(lesson: AdoptedLesson) -> Iterator[list[str]]:
    """The sections in the order of the document; a comment stands where what it cites stood."""
    waiting = _merged(sorted(lesson.left_over, key=lambda each: each.line))
    groups = lesson.sections()
    for number, (title, group) in enumerate(groups):
        steps: list[str] = []
        for each in group:
            while waiting and waiting[0].line < each.line:
                steps += _comment(waiting.pop(0))
            steps.append(_item(each))
        ends = groups[number + 1][1][0].line if number + 1 < len(groups) else None
        while waiting and (ends is None or (waiting[0].line < ends and waiting[0].section == title)):
            steps += _comment(waiting.pop(0))
        yield ["[[section]]", *toml_lines({"title": _words(title or lesson.title)}), *_steps(steps)]
    if not groups:
        yield [line.strip() for each in waiting for line in _comment(each)]


def _steps(items: list[str]) -> list[str]:
    if not any("#" in item for item in items):
        line = f"steps = [{', '.join(item.strip().rstrip(',') for item in items)}]"
        if len(line) <= WIDTH:
            return [line]
    return ["steps = [", *items, "]"]


def _item(each: Adopted) -> str:
    if not each.is_step:
        return f"  {toml_value(each.name)},"
    return _with_line(f"  {toml_value(f'{each.name} = {each.formula}')},", each.line)


def _merged(left: list[LeftOver]) -> list[LeftOver]:
    """What stands in one line and was left for one reason is one comment."""
    merged: list[LeftOver] = []
    for each in left:
        before = merged[-1] if merged else None
        if before and (before.line, before.why, before.section) == (each.line, each.why, each.section):
            merged[-1] = replace(before, text=f"{before.text}; {each.text}")
        else:
            merged.append(each)
    return merged


def _comment(each: LeftOver) -> list[str]:
    """What was not taken over, with its line."""
    why = f" ({each.why})" if each.why else ""
    said = printable(" ".join(f"line {each.line}: {cut(each.text, LONGEST_COMMENT)}{why}".split()))
    lines = textwrap.wrap(said, WIDTH - 6, break_on_hyphens=False) or [said]
    return [f"  # {lines[0]}", *(f"  #   {line}" for line in lines[1:])]


def _with_line(text: str, line: int) -> str:
    return f"{text}  # line {line}" if line else text


def _words(text: str) -> str:
    """Text that words print as itself."""
    return printable(text).replace("{", "{{").replace("}", "}}")
