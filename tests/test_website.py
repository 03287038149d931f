"""The site: every page is there that a link leads to, and leads back, in every language."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from posixpath import basename, dirname, join, normpath

import pytest
from click.testing import CliRunner

from symattn.base.words import languages
from symattn.cli import main
from symattn.read.catalogue.entries import entries
from symattn.read.scenario.load import builtin_names
from symattn.sites.website import site
from tests.readers.files import dom

Pages = dict[str, Callable[[], str]]


@pytest.fixture(scope="module")
def pages() -> Pages:
    """What makes each page, by its name."""
    return dict(site())


@pytest.mark.long
def test_every_scenario_and_entry_has_a_page_in_every_language(pages: Pages) -> None:
    for language in languages():
        assert {f"{language}/{name}.html" for name in (*builtin_names(), "exercise-fading-key")} <= set(pages)
        assert {f"{language}/catalogue-{entry.name}.html" for entry in entries()} <= set(pages)


@pytest.mark.long
@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["index", "catalogue-attention"])
def test_links_lead_to_pages_of_the_site_and_all_pages_are_led_to(pages: Pages, kind: str) -> None:
    for name, made in pages.items():
        if basename(name) == f"{kind}.html":
            _links_hold(name, made(), pages)


def _links_hold(name: str, text: str, pages: Pages) -> None:
    page = dom(text)
    anchors = {f"#{each.attributes['id']}" for each in page.all() if "id" in each.attributes}
    links = [each.attributes["href"] for each in page.all("a")]
    assert {link for link in links if link.startswith("#")} <= anchors
    led = {normpath(join(dirname(name), link)) for link in links if not link.startswith("#")}
    assert led == _wanted(name, pages)


def _wanted(name: str, pages: Pages) -> set[str]:
    """The pages that a page leads to: an index to all of its language, and every page to itself in the others."""
    others = {f"{language}/{basename(name)}" for language in languages()} - {name}
    if name == "index.html" or basename(name) != "index.html":
        return others | ({join(dirname(name), "index.html")} if dirname(name) else set())
    return others | {other for other in pages if dirname(other) == dirname(name)} - {name}


@pytest.mark.slow
def test_the_command_writes_the_site_and_nothing_else(
    pages: Pages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(main, ["build", "--format", "html"]).exit_code == 0
    written = {path.relative_to("site").as_posix(): path for path in Path("site").rglob("*.html")}
    assert set(written) == set(pages)
    for name, path in written.items():
        _links_hold(name, path.read_text(encoding="utf-8"), pages)
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
