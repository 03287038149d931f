"""Pages in headless Chromium: nothing may be asked of any host, nothing may go wrong in the page unseen."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from symattn import WorkedSolution, derive

sync = pytest.importorskip("playwright.sync_api", reason="needs the package playwright")
CHROMIUM = shutil.which("chromium")

Open = Callable[..., Any]


@pytest.fixture(scope="session")
def weather() -> WorkedSolution:
    return derive("weather")


@pytest.fixture(scope="session")
def lesson(weather: WorkedSolution, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the first lesson, in English."""
    path = tmp_path_factory.mktemp("pages") / "weather.html"
    weather.save(path, language="en")
    return path


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("needs chromium")
    with sync.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium: Any, lesson: Path) -> Iterator[Open]:
    """Opens a page, of the first lesson unless another is given; in the end nothing went wrong in any of them."""
    said: list[str] = []
    contexts: list[Any] = []

    def open_page(path: Path = lesson, width: int = 1280, height: int = 800, **choices: Any) -> Any:
        context = chromium.new_context(viewport={"width": width, "height": height}, **choices)
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
