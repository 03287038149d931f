"""What a notebook shows of things without being told how, and never more of them than a page."""

from __future__ import annotations

import re
from html import unescape

from symattn import Derivation, derive, softmax


def test_a_solution_shows_its_page_with_pictures_that_every_notebook_reads() -> None:
    d = Derivation(title="Strange", tokens=["</script>", "$x$ ](y) *_"])
    X = d.given("X", [[1, 2], [3, 5]])
    d.step("A", softmax(X @ X.T))
    page = d.solve()._repr_markdown_()
    assert page.startswith("# Strange\n")
    assert "![" not in page
    (says,) = re.findall(r'^<img alt="([^"<>$]*)" src="data:image/svg\+xml;base64,[\w+/=]+">$', page, re.MULTILINE)
    assert "“</script>”" in unescape(says)
    assert "“$x$ ](y) *_”" in unescape(says)


def test_a_derivation_shows_its_steps_so_far_and_of_many_the_first() -> None:
    d = Derivation(title="So far")
    X = d.given("X", [[1, 2]])
    d.step("S", X @ X.T)
    assert d._repr_markdown_().startswith("# So far\n\n$$")
    assert r"S\ (shape=1\times 1) &= XX^T" in d._repr_markdown_()
    for n in range(70):
        X = d.step(f"Y_{n}", X + 1)
    assert d._repr_markdown_().endswith("… 12\n")


def test_a_large_matrix_and_a_general_one_are_short() -> None:
    d = Derivation(title="Large")
    d.given("X", [[i * j for j in range(60)] for i in range(60)])
    G = d.given("G", shape=("m", "n"))
    d.step("H", G @ G.T)
    solution = d.solve()
    assert solution["X"]._repr_latex_().count("&") < 100
    assert solution["H"]._repr_latex_() == r"$\displaystyle H\ (shape=m\times m) = GG^T$"
    assert solution["G"]._repr_latex_() == r"$\displaystyle G\ (shape=m\times n)$"


def test_a_page_is_a_text_that_shows_itself_and_a_picture_says_what_it_shows() -> None:
    solution = derive("refund")
    page = solution["A"].render(language="en")
    assert isinstance(page, str)
    assert page._repr_markdown_() == page  # type: ignore[attr-defined]
    assert type(solution.render("latex")) is str
    assert repr(solution.figure("heatmap", "A", language="en")).startswith("Heat map of A, 3 rows and 3 columns.")
