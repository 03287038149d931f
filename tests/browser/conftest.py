"""A browser, and the pages that it opens. Where there is no Chromium or no Playwright these tests are left out."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from jinja2 import DictLoader

from symattn.api.publish.catalogue import entry_page
from symattn.api.worked import WorkedSolution, derive
from symattn.base.words import languages
from symattn.course.sheet.batch import pages
from symattn.read.catalogue.entries import entry_named
from symattn.read.scenario.load import builtin_names
from symattn.show.blocks import Document
from symattn.sites.website import site
from symattn.write.environment import Macros, reader
from symattn.write.formats import render
from symattn.write.html import html
from tests.render.conftest import PHRASES
from tests.render.test_escape import NASTY
from tests.render.test_formats import page_of

Open = Callable[..., Any]


def _document(document: Document) -> str:
    return render(document, "html")


def _solution(name: str, language: str) -> str:
    return derive(name).render("html", language=language)


def _pages() -> Iterator[tuple[str, Callable[[], str]]]:
    for name in builtin_names():
        for language in languages() if name == "weather" else ("zh-Hant",):
            yield f"{name}.{language}", partial(_solution, name, language)
    for name, document in pages("en"):
        yield name, partial(_document, document)
    yield "nasty", _nasty
    yield "entry", lambda: _document(entry_page(entry_named("attention"), "zh-Hans"))
    yield "index", lambda: dict(site())["en/index.html"]()


def _nasty() -> str:
    words = Macros(reader(DictLoader({"words.j2": PHRASES})), "words.j2", "language xx", "phrase")
    texts = [text for text in NASTY if text.strip() and ("<" in text or "&" in text)]
    return html(page_of([*texts, "</script><script>alert(1)</script>", "x" * 200, "今" * 200]), words, None, False)


class Files(dict[str, str]):
    """The addresses of pages of every kind, by their names, each made when it is asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.pages = folder, dict(_pages())

    def __missing__(self, name: str) -> str:
        path = self.folder / f"{name}.html"
        path.write_text(self.pages[name](), encoding="utf-8")
        self[name] = path.as_uri()
        return self[name]


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return Files(tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium of this machine."""
    playwright = pytest.importorskip("playwright.sync_api")
    program = shutil.which("chromium") or pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The program axe-core, from the folder that ``NODE_PATH`` names."""
    path = Path(os.environ.get("NODE_PATH", "")) / "axe-core" / "axe.min.js"
    if "NODE_PATH" not in os.environ:
        pytest.skip("axe-core is not installed: NODE_PATH names no folder")
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def weather() -> WorkedSolution:
    return derive("weather")


@pytest.fixture(scope="session")
def lesson(weather: WorkedSolution, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the first lesson, in English."""
    path = tmp_path_factory.mktemp("touched") / "weather.html"
    weather.save(path, language="en")
    return path


@pytest.fixture
def opened(browser: Any, lesson: Path) -> Iterator[Open]:
    """Opens a page, of the first lesson unless another is given; in the end nothing went wrong in any of them."""
    said: list[str] = []
    contexts: list[Any] = []

    def open_page(path: Path = lesson, width: int = 1280, height: int = 800, **choices: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": height}, **choices)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: None if request.url == path.as_uri() else said.append(request.url))
        page.goto(path.as_uri())
        if choices.get("java_script_enabled", True):
            page.wait_for_selector("html[data-opens]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert said == []
