"""No sign that a font may lack stands in the words of a page: symbols become mathematics."""

from __future__ import annotations

import re

import pytest

from symattn.document.blocks import Document, Prose
from symattn.exercise.sheet.words import worded
from symattn.mistakes.bank import bank
from symattn.mistakes.words import KEYS, said
from symattn.render.formats import render
from tests.exercise.sheets import LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_symbol_in_the_words_of_mistakes_becomes_mathematics(language: str) -> None:
    texts = [said(mistake.name, key, language) for mistake in bank() for key in KEYS]
    plain = [piece for text in texts for piece in worded(text) if isinstance(piece, str)]
    assert not [piece for piece in plain if re.search(r"[ᵀ√_]", piece)]
    page = render(Document(("x",), language, tuple(Prose(worded(text)) for text in texts)), "latex")
    turned = re.findall(r"[A-Z]ᵀ", "".join(texts))
    assert turned
    for letter in turned:
        assert page.count(f"{letter[0]}^T") == turned.count(letter)
    assert r"\sqrt{d_k}" in page
