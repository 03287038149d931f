"""What stands on the pages of small lessons, and what does not: the cases of shown.txt."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from symattn.api.worked import derive
from symattn.base.errors import SymattnError
from symattn.read.scenario.load import loads
from tests.document.lessons import lesson

BLOCKS = re.split(r"^(?=(?:====|\*{4}) )", Path(__file__).with_name("shown.txt").read_text("utf-8"), flags=re.MULTILINE)
NAMED = {block[5:].partition("\n")[0]: block.partition("\n")[2] for block in BLOCKS[1:]}
MARKED = re.compile(r"(with|of|given|steps|[-+!]|\d+x) (.*)", re.DOTALL)


def stands(text: str, said: str) -> bool:
    """Whether all parts stand there, one after another."""
    place = 0
    for part in said.replace("⏎", "\n").split(" … "):
        place = text.find(part, place)
        if place < 0:
            return False
    return True


@pytest.mark.parametrize("title", [block[5:].partition("\n")[0] for block in BLOCKS if block.startswith("====")])
def test_what_stands_on_the_page(title: str) -> None:
    options: dict[str, str] = {"language": "en", "detail": "steps"}
    found: dict[str, str] = {"given": "", "steps": ""}
    before: list[str] = []
    behind: list[str] = []
    wanted: list[tuple[str, str]] = []
    lines = NAMED[title].rstrip("\n").split("\n")
    while lines:
        line = lines.pop(0)
        match = MARKED.fullmatch(line)
        if match is None:
            (behind if found["steps"] else before).append(line)
        elif match[1] == "of":
            lines = NAMED[match[2]].rstrip("\n").split("\n") + lines
        elif match[1] == "with":
            options |= (each.split("=") for each in match[2].split())  # type: ignore[arg-type]
        elif match[1] in found:
            found[match[1]] = match[2]
        else:
            wanted.append((match[1], match[2]))
    assert wanted
    digits = int(options.pop("digits", "0")) or None
    text = lesson(found["steps"], found["given"], "\n".join(before)) + "\n".join(behind)
    if "format" not in options:
        options = {"math": "brackets"} | options
    try:
        solution = derive(loads(text, path="lesson.toml"), digits=digits)
        page, refused = solution.render(**options).replace(r"\mathrm{ln}\ ", "ln "), False  # type: ignore[arg-type]
    except SymattnError as error:
        page, refused = str(error), True
    assert refused == ("!" in dict(wanted)), page
    for kind, said in wanted:
        if kind in "+-!":
            assert stands(page, said) == (kind != "-"), said
        else:
            assert page.count(said) == int(kind[:-1]), said
