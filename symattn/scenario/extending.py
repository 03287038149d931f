"""A scenario that goes on where another one ends: ``extends = "weather"``.

It takes what the other starts from and works out: sizes, labels, symbols, operations, givens, notation, figures and
sections. What has the same name in both is its own. What the other says of itself stays there: its title and words
around the sections, its source, what it prints, claims, asks backward or trains.

>>> from symattn.scenario.schema import read
>>> forward = {"title": "Forward", "steps": ["Y = X @ W"]}
>>> base = read({"title": "One", "given": {"X": [["1"]], "W": [["2"]]}, "section": [forward]})
>>> file = read({"title": "Two", "extends": "one.toml", "given": {"W": [["3"]]}, "section": [{"title": "On"}]})
>>> whole = extended(file, base)
>>> list(whole.given), [section.title[""] for section in whole.section], whole.given["W"].given.texts
(['X', 'W'], ['Forward', 'On'], (('3',),))
"""

from __future__ import annotations

from typing import Any

from symattn.scenario.lines import Key
from symattn.scenario.made_section import MadeSection
from symattn.scenario.schema import File, SectionTable

KEY: Key = ("extends",)

_TABLES = ("sizes", "labels", "operation", "given", "general", "notation", "substitute")
_SINGLE = ("language", "tokens", "token_axis", "figures")


def extended(file: File, base: File) -> File:
    """The file with what it takes of the one that it extends."""
    taken: dict[str, Any] = {name: {**getattr(base, name), **getattr(file, name)} for name in _TABLES}
    taken |= {name: getattr(base, name) for name in _SINGLE if name not in file.model_fields_set}
    sections = list(map(_made, base.section))
    if file.extends is not None and not file.extends.shown:
        sections = [MadeSection.hidden(KEY, [step for section in base.section for step in section.steps])]
    own = [section.after(len(sections)) for section in file.section]
    return file.model_copy(update={**taken, "section": [*sections, *own]})


def _made(section: SectionTable) -> MadeSection:
    """A section of another file; one that is hidden there is hidden here."""
    if isinstance(section, MadeSection):
        return section
    return MadeSection.of(KEY, **{name: getattr(section, name) for name in SectionTable.model_fields})
