"""Write a solution as JSON, from which a program that knows nothing of symattn can write the lesson.

:mod:`symattn.api.publish.data_form` defines its form. Numbers of the page are strings, so that no reader rounds them.
"""

from __future__ import annotations

import json
from typing import Any

from symattn import __version__
from symattn.api.publish.data_blocks import RunLine, passages
from symattn.api.publish.data_form import DATA_VERSION, DocumentData, ScenarioData, SolutionData
from symattn.api.publish.data_steps import StepWriter
from symattn.api.publish.edition import Edition
from symattn.base.budget import working
from symattn.base.errors import STEERING, RenderError, UnknownNameError, unknown
from symattn.read.scenario.model import StepItem
from symattn.show.blocks import Document
from symattn.show.build import words_with_references
from symattn.show.forms.closed_forms import values_of
from symattn.show.openable import Openable
from symattn.write import environment
from symattn.write.markdown import DEFAULT, DELIMITERS, MarkdownPage
from symattn.write.runs import PlainLine, inline

WIDTH = 120
"""The longest line, in characters, that holds a whole object."""


def published(edition: Edition) -> str:
    """Return the solution as JSON.

    Raises :class:`~symattn.base.errors.UnknownNameError` for math delimiters that Markdown does not have,
    :class:`~symattn.base.errors.RenderError` for a fragment, and the errors of a page that cannot be made.
    """
    document = edition.document("json")
    form = solution_data(edition, document)
    return readable(form.model_dump(mode="json", by_alias=True)) + "\n"


def solution_data(edition: Edition, document: Document) -> SolutionData:
    """Return a solution and its page as data.

    Raises :class:`~symattn.base.errors.UnknownNameError` and :class:`~symattn.base.errors.RenderError` as
    :func:`published` does.
    """
    scenario, store = edition.told, edition.store
    words, math = environment.phrases(document.language), edition.math or DEFAULT
    if math not in DELIMITERS:
        raise UnknownNameError(unknown("math", math, DELIMITERS))
    if edition.fragment:
        raise RenderError("format json has no fragment: data has nothing around its body")
    steps = [item for section in scenario.sections for item in section.items if isinstance(item, StepItem)]
    names = Openable(store, edition.names)
    writer = StepWriter(store, names, edition.window, words, {item.name: item.formula for item in steps})
    line = RunLine(MarkdownPage(words, math))
    with working(store.budget):
        return SolutionData(
            schema_=DATA_VERSION,
            symattn=__version__,
            language=document.language,
            math=math,
            scenario=_scenario(edition, document),
            sizes=dict(scenario.sizes),
            symbols=scenario.symbols,
            assumptions=() if store.symbolic is None else tuple(map(str, values_of(store).assumptions)),
            givens=tuple(writer.given(matrix.name) for matrix in names if matrix.is_given and matrix.has_entries),
            steps=tuple(writer.step(matrix.name) for matrix in names if not matrix.is_given),
            document=DocumentData(
                title=line.runs(*document.title), detail=edition.detail, passages=tuple(passages(document, line))
            ),
        )


def _scenario(edition: Edition, document: Document) -> ScenarioData:
    scenario = edition.told
    plain = PlainLine(environment.phrases(document.language))
    source = (
        ()
        if scenario.source is None
        else words_with_references(scenario, edition.store, scenario.source, document.language)
    )
    return ScenarioData(
        name=scenario.name,
        title=inline(plain, *document.title),
        language=scenario.language,
        tokens=scenario.tokens,
        labels=dict(scenario.labels),
        source=inline(plain, *source),
        file=scenario.text,
    )


def readable(value: Any, before: str = "") -> str:
    """Write JSON with two spaces for each level, and on one line what fits on one.

    Characters that would steer a reader's terminal are written as escapes.

    >>> print(readable({"a": [["0.5", "1"], ["0", "x" * 120]], "b": "\u202e"}).replace("x" * 100, "…"))
    {
      "a": [
        ["0.5", "1"],
        [
          "0",
          "…xxxxxxxxxxxxxxxxxxxx"
        ]
      ],
      "b": "\\u202e"
    }
    """
    flat = STEERING.sub(lambda found: json.dumps(found[0])[1:-1], json.dumps(value, ensure_ascii=False))
    if len(before) + len(flat) <= WIDTH or not isinstance(value, dict | list) or not value:
        return flat
    inner = before + "  "
    if isinstance(value, dict):
        parts = [f"{json.dumps(key, ensure_ascii=False)}: {readable(each, inner)}" for key, each in value.items()]
        return _listed("{}", parts, before)
    return _listed("[]", [readable(each, inner) for each in value], before)


def _listed(brackets: str, parts: list[str], before: str) -> str:
    inner = ",\n".join(f"{before}  {part}" for part in parts)
    return f"{brackets[0]}\n{inner}\n{before}{brackets[1]}"
