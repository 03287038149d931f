"""A language of a few phrases, so that these tests do not depend on the words of the real ones."""

from __future__ import annotations

import pytest
from jinja2 import DictLoader

from symattn.write.environment import Macros, reader

PHRASES = """
{% macro question_label(number) %}Question {{ number }}.{% endmacro %}
{% macro answer_label(number) %}Answer {{ number }}.{% endmacro %}
{% macro answers_title() %}Answers{% endmacro %}
{% macro answer_opens() %}Answer{% endmacro %}
{% macro note_label() %}附註：{% endmacro %}
{% macro source_label() %}From:{% endmacro %}
{% macro listing_output() %}It prints:{% endmacro %}
{% macro skip_to_content() %}Skip{% endmacro %}
{% macro contents_title() %}Contents{% endmacro %}
{% macro scrolls_sideways() %}Wide{% endmacro %}
{% macro contents() %}Contents{% endmacro %}
{% macro plain() %}{% endmacro %}
{% macro head(text) %}{{ text }}{% endmacro %}
{% macro attends(row, token, weight, ties) %}
Row {{ row }} attends
{% if row == 1 %}
most
{% endif %}
to {{ token }} ({{ weight }}){% for group in ties %}; {{ group | join(" = ") }}{% endfor %}.
{% endmacro %}
{% macro 中文() %}
一行，
兩行
{% endmacro %}
"""


@pytest.fixture(scope="session")
def words() -> Macros:
    """The phrases of a language called xx."""
    return _words(PHRASES)


@pytest.fixture(scope="session")
def latin() -> Macros:
    """The same without Chinese."""
    return _words(PHRASES.replace("附註：", "Note:"))


def _words(phrases: str) -> Macros:
    return Macros(reader(DictLoader({"xx.j2": phrases})), "xx.j2", "language xx", "phrase")
