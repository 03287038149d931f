"""output/ is what the code renders: made again here and compared, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from symattn.api import derive
from symattn.cli import FORMATS
from symattn.exercise.examples import pages
from symattn.render.formats import render
from symattn.scenario.load import builtin_names
from symattn.words import languages

ROOT = Path(__file__).parent.parent
PAGES = [
    (name, language, format, f"{name}.{language}.{suffix}")
    for name in builtin_names()
    for language in languages()
    for format, suffix in FORMATS.items()
]


@pytest.mark.parametrize(("name", "language", "format", "file"), PAGES, ids=[page[3] for page in PAGES])
def test_the_page_is_what_the_code_renders(name: str, language: str, format: str, file: str) -> None:
    expected = (ROOT / "output" / file).read_text(encoding="utf-8")
    assert derive(name).render(format, language=language) == expected, "run `symattn build` and look at the difference"


@pytest.mark.parametrize("language", languages())
def test_the_exercises_are_what_the_code_renders(language: str) -> None:
    for name, document in pages(language):
        for format, suffix in FORMATS.items():
            expected = (ROOT / "output" / f"{name}.{language}.{suffix}").read_text(encoding="utf-8")
            assert render(document, format) == expected, "run `symattn build` and look at the difference"


def test_nothing_else_is_in_the_folder() -> None:
    names = [name for name, _ in pages("en")]
    exercises = {
        f"{name}.{language}.{suffix}" for name in names for language in languages() for suffix in FORMATS.values()
    }
    assert {path.name for path in (ROOT / "output").iterdir()} == {page[3] for page in PAGES} | exercises
