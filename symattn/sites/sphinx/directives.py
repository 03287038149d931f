"""The directives ``derive`` and ``exercise``: turn their options into nodes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective
from sphinx.util.logging import getLogger

from symattn.api.publish.edition import Edition
from symattn.api.worked import WorkedSolution, derive
from symattn.base.errors import SymattnError
from symattn.course.generate import generate
from symattn.course.sheet.answer import answer
from symattn.course.sheet.question import question
from symattn.read.scenario.model import ASK_LEVELS, WORD_LEVELS
from symattn.show.blocks import Document
from symattn.show.build import DETAILS
from symattn.sites.sphinx.nodes import body, formulas, key_of, titled

SHOWN, HIDDEN, NONE = "shown", "hidden", "none"
NOT_OF_PAGES = ("digits", "title")
"""Options of the directive that are not page options."""


def _one_of(*choices: str) -> Any:
    return lambda text: directives.choice(text, choices)


def _names(text: str) -> tuple[str, ...]:
    """Read comma-separated names."""
    return tuple(filter(None, (name.strip() for name in directives.unchanged_required(text).split(","))))


class FromSymattn(SphinxDirective):
    """The base of both directives: an error becomes a warning with its line, and the rest of the page is built."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return the nodes that replace the directive."""
        try:
            found = list(self.made())
        except SymattnError as error:
            getLogger(__name__).warning("%s", error, location=self.get_location(), type="symattn", subtype=self.name)
            return []
        for section in (section for node in found for section in node.findall(nodes.section)):
            section["names"].append(nodes.fully_normalize_name(section[0].astext()))
            self.state.document.note_implicit_target(section, section)
        for display in list(formulas(found)):  # targets are inserted in front of them
            self._numbered(display)
        for node in found:
            self.set_source_info(node)
        return list(found)

    @abstractmethod
    def made(self) -> Iterator[nodes.Element]:
        """Yield the elements that replace the directive."""

    @property
    def has_sections(self) -> bool:
        """Whether sections are allowed here, and not only headings."""
        renderer = getattr(self.state, "_renderer", None)  # MyST's, whose state has no parent
        parent = self.state.parent if renderer is None else renderer.current_node
        return isinstance(parent, nodes.section | nodes.document)

    @property
    def language(self) -> str | None:
        return self.options.get("language") or self.config.symattn_language or None

    def file(self, name: str) -> str:
        """Return a scenario's name, or its file beside the page: the page is rebuilt when the file changes."""
        if not name.lower().endswith(".toml"):
            return name
        _, path = self.env.relfn2path(name)
        self.env.note_dependency(path)
        return path

    def _numbered(self, display: nodes.Element) -> None:
        """Number a display that has a label, so that others can refer to it."""
        display["no-wrap"], display["docname"] = False, self.env.docname
        if not display["label"]:
            return
        domain = self.env.get_domain("math")
        domain.note_equation(self.env.docname, display["label"], location=display)
        display["number"] = domain.get_equation_number_for(display["label"])
        target = nodes.target("", "", ids=[nodes.make_id(f"equation-{display['label']}")])
        self.state.document.note_explicit_target(target)
        display.parent.insert(display.parent.index(display), target)


class DeriveDirective(FromSymattn):
    """The worked solution of a scenario, below the current heading."""

    option_spec: ClassVar[dict[str, Any]] = {
        "language": directives.unchanged_required,
        "detail": _one_of(*DETAILS),
        "words": _one_of(*WORD_LEVELS),
        "asks": _one_of(*ASK_LEVELS),
        "steps": _names,
        "section": directives.unchanged_required,
        "digits": directives.nonnegative_int,
        "code": _names,
        "figures": _one_of(SHOWN, NONE),
        "max-rows": directives.positive_int,
        "max-columns": directives.positive_int,
        "labels": directives.unchanged,
        "title": directives.flag,
    }

    def made(self) -> Iterator[nodes.Element]:
        solution = derive(self.file(self.arguments[0]), digits=self.options.get("digits"))
        self._depends_on(solution)
        document = self._document(solution)
        sections = self.has_sections
        inside = body(document, sections)
        prefix = self.options.get("labels")
        for display in formulas(inside) if prefix else ():
            display["label"] = display["label"] and display["label"].replace("eq:", f"{prefix}:", 1)
        if "title" in self.options:
            yield titled(document, inside, sections)
        else:
            yield from inside

    def _document(self, solution: WorkedSolution) -> Document:
        told = {name.replace("-", "_"): value for name, value in self.options.items() if name not in NOT_OF_PAGES}
        told |= {"language": self.language, "labels": "labels" in told}
        told["figures"] = NONE if told.get("figures") == NONE else "inline"
        edition = Edition.of(solution.scenario, solution.store, solution.digits, **told)
        return edition.document("docutils")

    def _depends_on(self, solution: WorkedSolution) -> None:
        """Rebuild the page when arrays change that a scenario reads from files."""
        for given in solution.givens.values():
            if given.array is not None and given.array.origin.file:
                self.env.note_dependency(str(Path(given.array.origin.file)))


class ExerciseDirective(FromSymattn):
    """Exercises about a topic or a scenario, each with its key."""

    option_spec: ClassVar[dict[str, Any]] = {
        "count": directives.positive_int,
        "seed": int,
        "difficulty": directives.positive_int,
        "of": directives.unchanged_required,
        "language": directives.unchanged_required,
        "answers": _one_of(HIDDEN, SHOWN, NONE),
    }

    def made(self) -> Iterator[nodes.Element]:
        told = {name: self.options[name] for name in ("count", "seed", "difficulty", "of") if name in self.options}
        about = self.arguments[0]
        what = {"scenario": self.file(about)} if about.lower().endswith(".toml") else {"topic": about}
        answers, sections = self.options.get("answers", HIDDEN), self.has_sections
        for exercise in generate(**what, **told, language=self.language or "en"):
            asked, key = question(exercise), answer(exercise)
            inside = body(asked, sections=False)
            if answers != NONE:
                inside.append(key_of(key) if answers == HIDDEN else titled(key, body(key, False), False))
            yield titled(asked, inside, sections)
