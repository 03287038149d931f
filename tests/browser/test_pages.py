"""Pages in HTML as a browser shows them: from phone to print, in light and dark, with and without JavaScript."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

pytestmark = pytest.mark.slow

WIDTHS = (320, 768, 1280)
EVERY = (
    "weather.en weather.zh-Hant weather.zh-Hans journey.zh-Hant good.zh-Hant refund.zh-Hant ironman.zh-Hant "
    "exercise-attention-row exercise-attention-row-key exercise-fading exercise-fading-key nasty entry index"
).split()
CHECKED = [
    *((name, 1280, scheme) for name in ("weather.zh-Hans", "exercise-fading") for scheme in ("light", "dark")),
    *((name, 320, "light") for name in ("refund.zh-Hant", "nasty", "entry", "index")),
]

SCROLLING = """[...document.querySelectorAll('body *')].filter(each => each.clientWidth
    && each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX === 'auto')
    .filter(each => each.tabIndex < 0 || !each.getAttribute('aria-label')).map(each => each.outerHTML.slice(0, 200))"""
"""Boxes that scroll sideways, and that no key gets to or nobody says what they are."""

FENCES = """[...document.querySelectorAll('mtable')].filter(table => /^[\\[{]$/.test(
    table.previousElementSibling?.textContent ?? '')).map(table => table.previousElementSibling.getBoundingClientRect()
    .height / table.getBoundingClientRect().height)"""
"""How high the bracket before each matrix is, as a part of the matrix."""


@contextmanager
def opened(browser: Any, address: str, width: int = 1280, **choices: Any) -> Iterator[Any]:
    """A page in a window of its own."""
    context = browser.new_context(viewport={"width": width, "height": 800}, **choices)
    page = context.new_page()
    page.told, page.asked = [], []
    page.on("console", lambda message: page.told.append(message.text))
    page.on("pageerror", lambda error: page.told.append(str(error)))
    page.on("request", lambda request: page.asked.append(request.url))
    page.goto(address)
    yield page
    context.close()


@pytest.mark.parametrize("name", EVERY)
def test_nothing_is_asked_of_a_host_and_nothing_sticks_out(browser: Any, files: dict[str, str], name: str) -> None:
    with opened(browser, files[name]) as page:
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.evaluate(SCROLLING) == []
        assert page.told == []
        assert page.asked == [files[name]]
        heights = page.evaluate(FENCES)
        assert all(0.9 < height < 2.5 for height in heights), "a bracket is as high as what it holds"
        assert heights or name in ("nasty", "entry", "index")


@pytest.mark.parametrize(("name", "width", "scheme"), CHECKED)
def test_axe_finds_nothing(browser: Any, files: dict[str, str], axe: str, name: str, width: int, scheme: str) -> None:
    with opened(browser, files[name], width, color_scheme=scheme) as page:
        page.evaluate(axe)
        found = page.evaluate("axe.run()")["violations"]
        told = [(each["id"], [node["html"][:150] for node in each["nodes"][:3]]) for each in found]
        assert told == []


def test_a_page_is_read_and_printed_without_javascript(browser: Any, files: dict[str, str]) -> None:
    with opened(browser, files["weather.en"]) as page:
        everything = page.locator("main").inner_text()
    with opened(browser, files["weather.en"], java_script_enabled=False) as page:
        assert page.locator("main").inner_text() == everything
        assert page.locator("main math").count() > 200
        printed = page.pdf(prefer_css_page_size=True)
    assert 8 < len(re.findall(rb"/Type\s*/Page\b", printed)) < 25
    assert len(everything) > 10_000


def test_keys_are_enough(browser: Any, files: dict[str, str]) -> None:
    with opened(browser, files["weather.en"], 320) as page:
        page.keyboard.press("Tab")
        box = page.evaluate(
            "(({left, top, width}) => [left, top, width])(document.activeElement.getBoundingClientRect())"
        )
        assert min(box) > 0, "the way to the content is seen when a key gets there"
        page.keyboard.press("Enter")
        assert page.url.endswith("#content")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('main') !== null")


def test_nobody_who_does_not_want_motion_gets_any(browser: Any, files: dict[str, str]) -> None:
    for wanted, behaviour in (("no-preference", "smooth"), ("reduce", "auto")):
        with opened(browser, files["index"], reduced_motion=wanted) as page:
            assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == behaviour


def test_pages_of_a_site_lead_to_one_another(browser: Any, files: dict[str, str]) -> None:
    with opened(browser, files["index"]) as page:
        links = page.eval_on_selector_all("main a, .ways a", "all => all.map(each => each.getAttribute('href'))")
    assert {"weather.html", "catalogue-attention.html", "exercise-fading.html", "../zh-Hant/index.html"} <= set(links)
