"""Every format of a solution is read back: its figures are the certified ones, and what comes from outside is text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from importlib.util import find_spec
from typing import Any

import pytest

from symattn.api.worked import WorkedSolution
from symattn.base.errors import RenderError
from symattn.base.shapes import EntryPlace
from symattn.base.words import languages
from symattn.read.scenario.load import builtin_names
from symattn.show.blocks import Matrices, Matrix
from symattn.show.build import build_document
from symattn.show.math import Number
from symattn.show.window import Window
from symattn.write.endings import FILE_FORMATS
from tests.cases import solved
from tests.readers.files import GRIDS, TEXTS, Grid, worth

Places = list[list[EntryPlace | None]]

QUICK = {("refund", "en")}
COMPUTES = ("xlsx",)
"""Formats that hold whole matrices and compute in double precision."""

CASES = [
    pytest.param(format, name, language, marks=() if (name, language) in QUICK else pytest.mark.slow)
    for format in FILE_FORMATS
    for name in builtin_names()
    for language in languages()
]


def test_every_format_has_a_reader() -> None:
    assert set(GRIDS) == set(FILE_FORMATS), "a new format needs a reader in tests/readers/files.py"


NEEDS = {"docx": "pypandoc", "xlsx": "xlsxwriter"}
"""What of an extra a format is written with: where it is not installed, its tests are left out."""


def file_of(solution: WorkedSolution, format: str, **choices: Any) -> bytes:
    pytest.importorskip(NEEDS.get(format, "json"))
    made = solution.published(format, figures="none", **choices)
    return made.encode() if isinstance(made, str) else made


def shown(solution: WorkedSolution, language: str, window: Window) -> Iterator[Places]:
    """The matrices of a page: which entry of which name stands where."""
    for block in build_document(solution.scenario, solution.store, language=language, window=window).blocks:
        for matrix in block.items if isinstance(block, Matrices) else (block,):
            if isinstance(matrix, Matrix) and matrix.number is None:
                places = [[cell.of if isinstance(cell, Number) else None for cell in row] for row in matrix.entries]
                if any(place is not None for row in places for place in row):
                    yield places


def is_certified(solution: WorkedSolution, place: EntryPlace, text: str | None, far: Fraction) -> bool:
    """Whether a figure is an entry, correctly rounded to as many decimals as it has, or no farther from it than it may
    be."""
    name, row, column = place
    if text is None:
        return False
    if solution.store.rounded_givens(name):  # printed as it is given, and nobody knows more of it
        return abs(Fraction(text) - Fraction(solution.store.givens[name].texts[row][column])) <= far
    whole = solution[name].decimals(1)[row][column]
    if "oo" in text or "inf" in whole:
        return text.replace("oo", "inf") == whole
    places = len(text.partition(".")[2])
    if set(text) <= set("-.0123456789") and (places <= 12 or not far):
        is_same = Fraction(text) == Fraction(solution[name].decimals(places)[row][column])
        if is_same or not far:
            return is_same
    entry = Fraction(solution[name].decimals(30)[row][column])
    return abs(worth(text) - entry) <= max(last_digit(text) / 2, far * max(1, abs(entry)), Fraction(1, 10**29))


def last_digit(text: str) -> Fraction:
    """What the last digit of 10^9 or 1.5*10^9 counts: zeros at its end are not written."""
    front, raised, power = text.replace("(", "").replace(")", "").partition("10^")
    return (
        Fraction(10) ** int(power) / 10 ** (len(front.removesuffix("*").partition(".")[2]) or 6)
        if raised
        else Fraction(0)
    )


def holds(solution: WorkedSolution, grid: Grid, places: Places, far: Fraction) -> bool:
    return [len(row) for row in grid] == [len(row) for row in places] and all(
        place is None or is_certified(solution, place, text, far)
        for texts, row in zip(grid, places, strict=True)
        for text, place in zip(texts, row, strict=True)
    )


def check(solution: WorkedSolution, format: str, language: str) -> None:
    """Every matrix of the page is in the file, in order, and each figure in it is certified."""
    window, far = (Window(1024, 1024), Fraction(1, 10**9)) if format in COMPUTES else (Window(), Fraction(0))
    grids = iter(list(GRIDS[format](file_of(solution, format, language=language))))
    wanted = list(shown(solution, language, window))
    assert wanted
    for places in wanted:
        name = next(place for row in places for place in row if place is not None).name
        found = any(holds(solution, grid, places, far) for grid in grids)
        assert found, f"{name} is not in the file, or not where it should be"


@pytest.mark.long
@pytest.mark.sampled(3)
@pytest.mark.parametrize(("format", "name", "language"), CASES)
def test_every_matrix_in_every_form_has_the_certified_figures(format: str, name: str, language: str) -> None:
    check(solved(name), format, language)


@pytest.mark.slow
def test_the_same_holds_for_the_catalogue(
    lesson: Callable[..., str], worked: Callable[[str], WorkedSolution], catalogue_case: Any
) -> None:
    """Every entry in all formats; with options each format takes its turn, and so do languages."""
    turn = sum(map(ord, str(catalogue_case)))
    solution = worked(lesson(catalogue_case.name, catalogue_case.chosen, catalogue_case.sizes))
    every = [format for format in FILE_FORMATS if find_spec(NEEDS.get(format, "json")) is not None]
    for format in [every[turn % len(every)]] if catalogue_case.chosen else every:
        check(solution, format, languages()[turn % 3])


@pytest.mark.parametrize("format", [each for each in FILE_FORMATS if each not in ("latex", "typst", "beamer")])
def test_a_form_without_parts_says_so_by_its_own_name(format: str) -> None:
    with pytest.raises(RenderError, match=f"format {format} has no fragment"):
        file_of(solved("refund"), format, fragment=True)


def test_a_figure_that_is_not_certified_is_seen() -> None:
    """This would not be a test if it could not fail."""
    solution = solved("weather")
    (weights,) = (places for places in shown(solution, "en", Window()) if places[0][0] == ("A", 0, 0))
    right = [list(row) for row in solution["A"].decimals(6)]
    assert holds(solution, right, weights, Fraction(0))
    right[2][1] = right[2][1][:-1] + "2"
    assert not holds(solution, right, weights, Fraction(0))
    assert holds(solution, right, weights, Fraction(1, 10**5))


DANGEROUS = [
    *("</script><script>alert(1)</script>", "=cmd()", "+1", "-1+2", "@a", "*_$", r"\input{x}", "{{7*7}}", "a|b", "#1"),
    *("%", "\"'&<>", "&amp;lt;", "$x$", "`a`", "[a](b)", "<!--", "]]>", "_x_", "^~", "#eval(1)", "x" * 200),
    *("\u05d0\u05d1\u05d2", "e\u0301", "\U0001f600", "\u4eca\u5929"),
    *("-->", "${x}", "'''", '"""', "%%latex", "!rm", ":::", "```", "{{<x>}}", "{%raw%}", "@SUM(1)"),
    *('=HYPERLINK("http://x")', "&#x3c;", "</style><b>", "</template>", r"\end{frame}", "---", "<https://x.invalid>"),
]
"""What means something to one of the formats, or is hard to show: as words it is nothing but itself."""


def quoted(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def outside(texts: list[str]) -> str:
    """A scenario with each text in every place where text may come from outside; one step has all rows and labels."""
    words = [text.replace("{", "{{").replace("}", "}}") for text in texts]
    rows = [["1", str(i % 3)] for i in range(len(texts))]
    head = [
        f"title = {quoted('; '.join(words[:20]))}",
        f"intro = {quoted('; '.join(words))}",
        f"tokens = {quoted(texts)}",
    ]
    given = f'[labels]\nd = {quoted(texts[:2])}\n[given.X]\naxes = ["n", "d"]\nvalue = {quoted(rows)}'
    parts = zip(words, ["X", *["row(X, 1)"] * len(words)], strict=False)
    sections = (
        f'[[section]]\ntitle = {quoted(word)}\nsteps = ["Y_{place} = {of} / 2"]\nneed = {quoted(word)}'
        for place, (word, of) in enumerate(parts)
    )
    return "\n".join([*head, given, *sections])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("format", TEXTS)
def test_what_comes_from_outside_prints_as_itself(format: str, worked: Callable[[str], WorkedSolution]) -> None:
    """As title, introduction, heading, reason, token and label; the file is read by a parser of its format."""
    solution = worked(outside(DANGEROUS))
    text = re.sub(r"\s+", "", TEXTS[format](file_of(solution, format, language="en", max_rows=64)))
    for each in DANGEROUS:
        assert text.count(each) >= 4, f"{each}: {text.count(each)} times"


@pytest.mark.long
@pytest.mark.parametrize("format", FILE_FORMATS)
def test_figures_are_certified_whatever_the_words_are(format: str, worked: Callable[[str], WorkedSolution]) -> None:
    check(worked(outside(DANGEROUS[:9])), format, "en")
