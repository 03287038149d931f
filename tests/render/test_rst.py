"""reStructuredText, read by docutils: every block is what it was, and every text prints as itself."""

from __future__ import annotations

import io
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.api.publish.edition import Edition
from symattn.base.errors import RenderError
from symattn.base.words import languages
from symattn.show.blocks import Document, Inline, Prose
from symattn.show.math import Letter
from symattn.write import escape
from symattn.write.formats import render
from symattn.write.pictures.svg import PicturePlaces
from tests.cases import solved

nodes = pytest.importorskip("docutils.nodes")
core = pytest.importorskip("docutils.core")

SIGNS = "ab19 .:;-_*`|\\[]()<>+#\"'=~^{}/@今（」，"
PIECES = [*SIGNS, "::", "`_", "1. ", "(i) ", ":math:`", ".. note::", "http://a.b/_x "]


def read(document: Document) -> nodes.document:  # type: ignore[name-defined]
    """The tree of a page, about which docutils has nothing to say."""
    said = io.StringIO()
    tree = core.publish_doctree(render(document, "rst"), settings_overrides={"report_level": 1, "warning_stream": said})
    assert said.getvalue() == ""
    return tree


@pytest.mark.long
@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("name", ["weather", "good"])
def test_a_page_keeps_its_blocks(name: str, language: str) -> None:
    solution = solved(name)
    edition = Edition.of(
        solution.scenario, solution.store, None, language=language, code="numpy", figures=PicturePlaces("files", "x")
    )
    page = edition.document("rst")
    blocks, tree = Counter(type(block).__name__ for block in page.blocks), read(page)
    found = {kind: len(list(tree.findall(getattr(nodes, kind)))) for kind in ("title", "table", "figure", "math_block")}
    assert (found["table"], found["figure"]) == (blocks["Table"], blocks["Picture"])
    assert found["title"] == blocks["Heading"] + 1 + bool(blocks["Question"])  # the answers have their own
    assert found["math_block"] >= blocks["Equation"] + blocks["Matrix"] + blocks["Matrices"]
    assert all("shape=" in node.astext() for node in tree.findall(nodes.math_block) if "=\n\\begin" in node.astext())


@pytest.mark.long
@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=9).map("".join), st.booleans())
def test_every_text_prints_as_itself(text: str, around: bool) -> None:
    parts: tuple[Inline, ...] = (text, Letter("Q"), text) if around else (text,)
    if clean := escape.clean(text).strip():
        expected = escape.clean(f"{text}Q{text}").strip() if around else clean
        assert read(Document(("T",), "en", (Prose(parts),))).astext() == f"T\n\n{expected}"


def test_it_has_no_fragment() -> None:
    with pytest.raises(RenderError, match="format rst has no fragment"):
        render(Document((), "en", ()), "rst", fragment=True)
