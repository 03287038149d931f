"""A folder of linked HTML pages: every built-in scenario, the catalogue, a few exercises."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from symattn.api.publish.catalogue import entry_page
from symattn.api.worked import WorkedSolution, derive
from symattn.base import words
from symattn.course.sheet.batch import pages
from symattn.read.catalogue.entries import around, entries, entry_text
from symattn.read.catalogue.page import FAMILIES
from symattn.read.scenario.load import builtin_names, load
from symattn.read.scenario.words import plain_text
from symattn.write import environment
from symattn.write.formats import render
from symattn.write.html import PageLink, index, linked, title_of

INDEX = "index.html"


def site() -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield the name of every page of the site and the function for its text; names have a folder for each language.

    >>> [name for name, _ in site()][:2]
    ['index.html', 'zh-Hant/index.html']
    """
    solved = {name: derive(name) for name in builtin_names()}
    yield INDEX, _front
    for language in words.languages():
        yield f"{language}/{INDEX}", partial(_index, language)
        for name, made in _pages(language, solved).items():
            yield f"{language}/{name}", partial(_linked, made, name, language)


def _pages(language: str, solved: Mapping[str, WorkedSolution]) -> Mapping[str, Callable[[], str]]:
    """Return the function for each page of a language except the index."""
    solutions = {f"{name}.html": partial(each.render, "html", language=language) for name, each in solved.items()}
    sheets = {f"{name}.html": partial(render, document, "html") for name, document in pages(language)}
    ready = {f"catalogue-{entry.name}.html": partial(_entry, entry.name, language) for entry in entries()}
    return {**solutions, **sheets, **ready}


def _entry(name: str, language: str) -> str:
    (entry,) = (each for each in entries() if each.name == name)
    return render(entry_page(entry, language), "html")


def _linked(made: Callable[[], str], name: str, language: str) -> str:
    """Return a page with links to the index, and to itself in other languages."""
    home = PageLink(INDEX, environment.phrases(language).call("all_pages", {}))
    return linked(made(), language, (home, *_in_other_languages(name, language)))


def _in_other_languages(name: str, language: str) -> Iterator[PageLink]:
    for other in words.languages():
        if other != language:
            yield PageLink(f"../{other}/{name}", _called(other), other)


def _called(language: str) -> str:
    """Return a language's name in that language."""
    return words.text(language, words.ABOUT, "html", "called", empty=True) or language


def _front() -> str:
    """Return the page that links to the languages."""
    found = [PageLink(f"{language}/{INDEX}", _called(language), language) for language in words.languages()]
    return index(words.DEFAULT, "symattn", {"": found})


def _index(language: str) -> str:
    """Return the page that links to all pages of a language."""
    titles = environment.phrases(language)
    groups = {
        titles.call("site_solutions", {}): [
            PageLink(f"{name}.html", plain_text(each.title.pick(language, language)), about=" ".join(each.tokens))
            for name, each in ((name, load(name).told_in(language)) for name in builtin_names())
        ],
        titles.call("site_exercises", {}): [
            PageLink(f"{name}.html", title_of(document, titles)) for name, document in pages(language)
        ],
        **{
            around(language, "families", family): [
                PageLink(
                    f"catalogue-{entry.name}.html",
                    entry_text(language, entry, "title"),
                    about=entry_text(language, entry, "about"),
                )
                for entry in entries()
                if entry.family == family
            ]
            for family in FAMILIES
        },
    }
    page = index(language, titles.call("site_title", {}), groups)
    return linked(page, language, tuple(_in_other_languages(INDEX, language)))
