"""What stands above a page for a site: read by a reader of YAML, and nothing in it is taken for anything else."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from symattn import Derivation, derive
from symattn.api.publish.frontmatter import SITES
from symattn.base.errors import SymattnError

TITLE = '--- "A": {b} [c] # d \\ \' & * ! | > % @ ` yes: no ---'
STRANGE = f"{TITLE}\n---\n\u202e\u2028\x7f\x85\U000e0001"


def read(page: str) -> tuple[dict[str, Any], str]:
    """The keys above a page, and the page."""
    before, keys, rest = page.split("---\n", 2) if page.count("---\n") > 1 else ("-", "", page)
    assert before == ""
    found = yaml.safe_load(keys)
    assert isinstance(found, dict)
    return found, rest.strip("\n")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("site", SITES)
def test_a_site_reads_the_title_and_it_stands_there_once(site: str) -> None:
    solution = derive("weather")
    keys, page = read(solution.render(frontmatter=site, language="en"))
    plain = solution.render(language="en")
    title = "Predicting the next word: one decoder block, worked from start to end"
    assert keys["title"] == title
    assert keys["description"].startswith("To guess the next word, a keyboard has to turn")
    assert keys.get("lang", "en") == "en"
    assert page.startswith(f"# {title}") == (site == "mkdocs")
    assert plain.strip().endswith(page)


@pytest.mark.parametrize("site", ["hugo", "quarto"])
def test_a_title_prints_as_itself(site: str) -> None:
    solution = Derivation(title=TITLE.replace("{", "{{").replace("}", "}}"))
    solution.given("X", [[1, 2]])
    keys, _ = read(solution.solve().render(frontmatter=(site, f"subtitle={STRANGE}")))
    assert (keys["title"], keys["subtitle"]) == (TITLE, STRANGE)


def test_keys_of_ones_own_come_last_and_win() -> None:
    told = ("hugo", "title=Mine", "date=2026-01-31", "draft=true", "weight=3", 'tags=["a", "b: c"]', "x-y.z=[")
    with pytest.raises(SymattnError, match=r'x-y\.z: expected a list such as \["a", "b"\], came'):
        derive("refund").render(frontmatter=told)
    keys, _ = read(derive("refund").render(frontmatter=told[:-1], steps="A"))
    own = {"title": "Mine", "date": "2026-01-31", "draft": True, "weight": 3, "tags": ["a", "b: c"]}
    assert keys == {**own, "params": {"math": True}}


@pytest.mark.parametrize(
    ("format", "told", "said"),
    [
        ("latex", "hugo", "format latex has no frontmatter: expected markdown"),
        ("ipynb", "hugo", "format ipynb has no frontmatter: expected markdown"),
        ("markdown", "hogo", "unknown site 'hogo': did you mean 'hugo'?"),
        ("markdown", "a=b", "frontmatter: expected one kind of site, astro, docusaurus, hugo"),
        ("markdown", ("hugo", "myst"), "came hugo and myst"),
        ("markdown", ("hugo", "a b=c"), "frontmatter: 'a b': a key has letters, digits, _, - and points"),
        ("markdown", ("hugo", "a=[[1]]"), "a: expected a list"),
        ("markdown", ("hugo", "a=" + "[" * 100_000), "a: expected a list"),
        ("markdown", True, "frontmatter: expected a text, or several such as ('hugo', 'draft=true'), came"),
        ("markdown", ("hugo", 1), "frontmatter: expected a text, or several"),
    ],
)
def test_what_is_wrong_is_said(format: str, told: Any, said: str) -> None:
    with pytest.raises(SymattnError) as wrong:
        derive("refund").render(format, frontmatter=told)
    assert said in str(wrong.value)
