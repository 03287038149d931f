"""The site: every page is there that a link leads to, and leads back, in every language."""

from __future__ import annotations

from pathlib import Path
from posixpath import dirname, join, normpath

import pytest
from click.testing import CliRunner

from symattn.catalogue.entries import entries
from symattn.cli import main
from symattn.scenario.load import builtin_names
from symattn.website import site
from symattn.words import languages
from tests.render.dom import dom

PAGES = dict(site())
QUICK = [name for name in PAGES if name.rpartition("/")[2] in ("index.html", "catalogue-attention.html", "refund.html")]


def test_every_scenario_and_entry_has_a_page_in_every_language() -> None:
    for language in languages():
        assert {f"{language}/{name}.html" for name in (*builtin_names(), "exercise-fading-key")} <= set(PAGES)
        assert {f"{language}/catalogue-{entry.name}.html" for entry in entries()} <= set(PAGES)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in PAGES]
)
def test_links_lead_to_pages_of_the_site_and_all_pages_are_led_to(name: str) -> None:
    page = dom(PAGES[name]())
    anchors = {f"#{each.attributes['id']}" for each in page.all() if "id" in each.attributes}
    links = [each.attributes["href"] for each in page.all("a")]
    assert {link for link in links if link.startswith("#")} <= anchors
    led = {normpath(join(dirname(name), link)) for link in links if not link.startswith("#")}
    assert led <= set(PAGES)
    if name == "index.html":
        assert led == {f"{language}/index.html" for language in languages()}
    elif name.endswith("/index.html"):
        assert {other for other in PAGES if dirname(other) == dirname(name)} <= led | {name}
    else:
        file = name.rpartition("/")[2]
        others = {f"{language}/{file}" for language in languages()} - {name}
        assert led == others | {f"{dirname(name)}/index.html"}


@pytest.mark.slow
def test_the_command_writes_the_site_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(main, ["build", "--format", "html"]).exit_code == 0
    assert {path.relative_to("site").as_posix() for path in Path("site").rglob("*.html")} == set(PAGES)
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
