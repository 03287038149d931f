"""Write the front matter of a Markdown page for a site: title and more, as YAML between two lines of ``---``.

>>> print(block({"title": 'A: "b" ---', "params": {"math": True}, "tags": ["x"]}), end="")
---
title: "A: \\"b\\" ---"
params:
  math: true
tags: ["x"]
---
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from symattn.api.publish.edition import Edition
from symattn.base.errors import RenderError, UnknownNameError, printable, shown, unknown
from symattn.read.scenario.fields import described
from symattn.show.build import words_with_references
from symattn.write import environment
from symattn.write.formats import render
from symattn.write.runs import PlainLine, inline

OPTION = "frontmatter"


@dataclass(frozen=True)
class SiteFormat:
    """The front matter that a site generator reads: the key of the page's language, if it has one, and further keys.

    ``heads`` is True if the generator prints the title itself, so that the page does not.
    """

    heads: bool = True
    language: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)


SITES: Mapping[str, SiteFormat] = MappingProxyType(
    {
        "astro": SiteFormat(),
        # Docusaurus takes braces for JavaScript, unless it reads plain Markdown.
        "docusaurus": SiteFormat(more={"mdx": {"format": "md"}}),
        "hugo": SiteFormat(more={"params": {"math": True}}),
        # Jekyll interprets {{ … }} and {% … %}, even in formulas.
        "jekyll": SiteFormat(language="lang", more={"math": True, "render_with_liquid": False}),
        "mkdocs": SiteFormat(heads=False),
        "myst": SiteFormat(),
        "pandoc": SiteFormat(language="lang"),
        "quarto": SiteFormat(language="lang"),
    }
)
"""The site generators that have a name here."""

_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*\Z")
_JSON = re.compile(r"(true|false|-?[0-9]+(\.[0-9]+)?|\[.*)\Z", re.DOTALL)


def site_page(edition: Edition) -> str:
    """Return the page of Markdown below the front matter of its site.

    Raises :class:`~symattn.base.errors.UnknownNameError` for an unknown site, and
    :class:`~symattn.base.errors.RenderError` for a key or a value that is not valid.
    """
    told = edition.options[OPTION]
    if not isinstance(told, list | tuple | str) or not all(isinstance(each, str) for each in told):
        raise RenderError(
            f"{OPTION}: expected a text, or several such as ('hugo', 'draft=true'), came {described(told)}"
        )
    site, own = _read((told,) if isinstance(told, str) else told)
    document, scenario = edition.document("markdown"), edition.scenario
    is_whole = not edition.steps and edition.section is None
    about = {"title": scenario.title, "description": scenario.intro if is_whole else None}
    line = PlainLine(environment.phrases(document.language))
    keys: dict[str, Any] = {
        key: inline(line, *words_with_references(scenario, edition.store, words, document.language))
        for key, words in about.items()
        if words is not None
    }
    if site.language:
        keys[site.language] = document.language
    body = replace(document, title=()) if site.heads else document
    return f"{block({**keys, **site.more, **own})}\n{render(body, 'markdown', math=edition.math)}"


def _read(told: Sequence[str]) -> tuple[SiteFormat, dict[str, Any]]:
    """Return the site, and the keys that the caller adds."""
    names = [each for each in told if "=" not in each]
    if len(names) != 1:
        came = f"came {' and '.join(names)}" if names else "came none"
        raise RenderError(f"{OPTION}: expected one kind of site, {', '.join(SITES)}, and KEY=VALUE for more: {came}")
    if names[0] not in SITES:
        raise UnknownNameError(unknown("site", names[0], SITES))
    return SITES[names[0]], dict(_pair(each) for each in told if "=" in each)


def _pair(text: str) -> tuple[str, Any]:
    """Return a key and its value: a text, or a whole or decimal number, true, false or a list as in JSON.

    >>> _pair("tags=[\\"a\\", 1]"), _pair("date=2026-01-31"), _pair("draft=true")
    (('tags', ['a', 1]), ('date', '2026-01-31'), ('draft', True))
    """
    key, _, value = text.partition("=")
    if not _KEY.match(key):
        raise RenderError(f"{OPTION}: {shown(key)}: a key has letters, digits, _, - and points")
    if not _JSON.match(value):
        return key, value
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        found = None
    if found is None or any(
        isinstance(each, list | dict | None) for each in (found if isinstance(found, list) else ())
    ):
        raise RenderError(f'{OPTION}: {key}: expected a list such as ["a", "b"], came {shown(value)}')
    return key, found


def block(keys: Mapping[str, Any]) -> str:
    """Return the lines of YAML. Texts are in double quotes, in which YAML reads what JSON writes."""
    return "\n".join(["---", *_lines(keys, ""), "---", ""])


def _lines(keys: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, value in keys.items():
        if isinstance(value, Mapping):
            yield f"{indent}{key}:"
            yield from _lines(value, f"{indent}  ")
        else:
            yield f"{indent}{key}: {printable(json.dumps(value, ensure_ascii=False))}"
