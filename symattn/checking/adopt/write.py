"""The text of a scenario that was taken over from a document, as a person would write it.

>>> lesson = AdoptedLesson("One head", "en", (
...     Adopted("X", figures=(("1", "0"), ("0", "1")), line=3), Adopted("S", "X @ X.T", line=5, section="Scores"),
... ), (LeftOver(7, "Softmax: magic", "no formula"),))
>>> print(lesson_text(lesson))
title = "One head"
language = "en"
<BLANKLINE>
[given]
X = [["1", "0"], ["0", "1"]]  # line 3
<BLANKLINE>
[[section]]
title = "One head"
steps = ["X"]
<BLANKLINE>
[[section]]
title = "Scores"
steps = [
  "S = X @ X.T",  # line 5
  # line 7: Softmax: magic (no formula)
]
<BLANKLINE>
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import replace

from symattn.checking.adopt.model import Adopted, AdoptedLesson, LeftOver
from symattn.errors import cut, printable
from symattn.scenario.toml import toml_lines, toml_value

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
