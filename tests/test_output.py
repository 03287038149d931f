"""output/ is what the code renders: made again here and compared, byte for byte, or by its sum where it is not kept."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from symattn.api.publish import edition
from symattn.base.words import languages
from symattn.cli.options import BUILT, FORMATS
from symattn.course.sheet.batch import pages
from symattn.read.scenario.load import builtin_names
from symattn.show.blocks import Document
from symattn.write.formats import render
from tests.cases import solved

OUTPUT = Path(__file__).parent.parent / "output"
SUMS = dict(line.split("  ")[::-1] for line in (OUTPUT / "SHA256SUMS").read_text(encoding="utf-8").splitlines())
AGAIN = "run `symattn build`, look at the difference, then `cd output && sha256sum -- *.tex *.typ > SHA256SUMS`"


@pytest.fixture(autouse=True)
def _once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A document knows nothing of formats: that of a test is built once for all of them."""
    documents: dict[str, Document] = {}
    build = edition.build_document

    def built(scenario: Any, store: Any, **choices: Any) -> Document:
        key = f"{scenario.title} {choices}"
        return documents[key] if key in documents else documents.setdefault(key, build(scenario, store, **choices))

    monkeypatch.setattr(edition, "build_document", built)


def rendered(name: str, language: str) -> Iterator[tuple[str, str]]:
    """The files of a scenario, or of all exercises, in a language."""
    exercises = list(pages(language)) if name == "exercises" else []
    for format, suffix in ((name, FORMATS[name]) for name in BUILT):
        for page, document in exercises:
            yield f"{page}.{language}.{suffix}", render(document, format)
        if name != "exercises":
            target = Path(f"{name}.{language}.{suffix}")
            for path, text in solved(name).files(target, format, language=language).items():
                yield path.as_posix(), str(text)


@pytest.mark.long
@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("name", [*builtin_names(), "exercises"])
def test_the_pages_are_what_the_code_renders(name: str, language: str) -> None:
    files = dict(rendered(name, language))
    drawn = {path.relative_to(OUTPUT).as_posix() for path in OUTPUT.glob(f"{name}.{language}-figures/*")}
    assert drawn == {file for file in files if file.endswith(".svg")}, AGAIN
    for file, text in files.items():
        kept = OUTPUT / file
        if kept.suffix not in (".md", ".svg"):
            assert SUMS[file] == sha256(text.encode()).hexdigest(), f"{file}: {AGAIN}"
        if kept.suffix in (".md", ".svg") or kept.exists():
            assert kept.read_text(encoding="utf-8") == text, f"{file}: {AGAIN}"


def test_nothing_else_is_in_the_folder() -> None:
    names = [*builtin_names(), *(name for name, _ in pages("en"))]
    files = {
        f"{name}.{language}.{suffix}"
        for name in names
        for language in languages()
        for suffix in map(FORMATS.get, BUILT)
    }
    assert set(SUMS) == {file for file in files if not file.endswith(".md")}
    folders = {f"{name}.{language}-figures" for name in builtin_names() for language in languages()}
    assert {path.name for path in OUTPUT.iterdir()} - {"SHA256SUMS"} <= files | folders
    for name in builtin_names():
        assert list(OUTPUT.glob(f"{name}.*.tex")), f"{name} has no LaTeX document to look at"
