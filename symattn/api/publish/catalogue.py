"""Write an entry of the catalogue as a page: its inputs, every step in letters, its options, its source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from symattn.compute.solution.evaluation import Evaluation
from symattn.read.catalogue.entries import around, entry_text, lines, plan
from symattn.read.catalogue.model import CatalogueEntry
from symattn.read.catalogue.page import allowed, cited, inputs, listed_steps, smallest_sizes
from symattn.show.blocks import Block, Document, Heading, Inline, Listing, Passage, Phrase, Prose, Table
from symattn.show.entries.letters import page_names
from symattn.show.steps import StepBlocks


def entry_page(entry: CatalogueEntry, language: str) -> Document:
    """Return the page of an entry: its derivation in letters, each step with its shapes and its general entry."""
    sizes = smallest_sizes(entry)
    derivation, words = plan(entry.name, None, sizes), partial(around, language, "page")
    names = page_names(derivation)
    steps = StepBlocks(Evaluation(derivation, {}), names, "steps")
    started = inputs(entry, lines(entry, {}, sizes), language)
    before: list[Block] = [
        Prose((entry_text(language, entry, "about"),)),
        _table(
            (words("input"), words("shape"), words("is")),
            (((names(name),), (of,), (is_,)) for name, of, is_ in started),
        ),
    ]
    if sizes:
        named = ", ".join(f"{letter} = {size}" for letter, size in sizes.items())
        before.append(Prose((words("steps_at").format(sizes=named),)))
    passages, shown = [Passage(len(before))], list(before)
    worked = [step.name for step in derivation.steps if step.formula is not None]
    for place, name in enumerate(worked, 1):
        blocks = [Heading(1, str(place), (names(name),)), *steps.step(name, None, None)]
        passages.append(Passage(len(blocks), (name,), (names(name),)))
        shown += blocks
    title = (f"{entry_text(language, entry, 'title')} ({entry.name})",)
    return Document(title, language, (*shown, *_closing(entry, language)), tuple(passages))


def _closing(entry: CatalogueEntry, language: str) -> Iterator[Block]:
    words = partial(around, language, "page")
    yield Heading(1, "", (_text(words("steps").rstrip(":：")),))
    yield Listing("", listed_steps(entry), "")
    if entry.options:
        rows = (
            ((option.name,), (allowed(option, language),), (entry_text(language, entry, "options", option.name),))
            for option in entry.options
        )
        yield _table((words("option"), words("values"), words("chooses")), rows)
    yield Prose((words("source").format(source=cited(entry.source)),), "text")
    for name, source in entry.sources_of_options.items():
        yield Prose((f"{name}: {cited(source)}",))


def _table(head: Iterable[str], rows: Iterable[tuple[tuple[Inline, ...], ...]]) -> Table:
    return Table(tuple(map(_text, head)), tuple(rows))


def _text(text: str) -> Phrase:
    return Phrase("as_it_is", (("text", text),))
