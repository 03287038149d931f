"""A solution and what somebody chose of it: what every format is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict, Unpack

from symattn.base.errors import RenderError, UnknownNameError, unknown
from symattn.base.remembered import cached_property
from symattn.base.words import language_named
from symattn.compute.solution.store import Store
from symattn.read.scenario.model import Scenario, WordLevel
from symattn.show.blocks import Document
from symattn.show.build import build_document, scenario_names
from symattn.show.notation.formulas import Names
from symattn.show.steps import Detail
from symattn.show.window import Window
from symattn.write.endings import FILE_FORMATS
from symattn.write.pictures.svg import PictureMode, PicturePlaces


class Choices(TypedDict, total=False):
    """What somebody may choose of the pages of a solution: the one list of it."""

    language: str | None
    """Else that of the scenario."""
    detail: Detail
    words: WordLevel | None
    """How much a page says by itself; else what the scenario says, usually all."""
    math: str | None
    """The delimiters of Markdown, such as ``brackets``."""
    fragment: bool
    """The body of a page alone."""
    code: str | Sequence[str] | None
    """A language, or several such as ``("numpy", "r")``: for each a complete program ends the solution, with what it
    prints. Else they are what the scenario says, usually none."""
    max_rows: int
    max_columns: int
    """A matrix with more is shown without its middle."""
    steps: str | Sequence[str]
    """Some steps alone, by their names."""
    section: str | int | None
    """One section alone, by its number."""
    figures: PictureMode | PicturePlaces
    """Pictures stand inside a page of LaTeX or Typst; one of Markdown has them as files beside it, with ``"inline"``
    inside, and else none."""
    labels: bool
    """The first equation of each step of a LaTeX page has a number and a label such as ``eq:A``."""
    blank: bool
    """A spreadsheet without its answers."""
    frontmatter: str | Sequence[str]
    """What a site wants before a page of Markdown."""


@dataclass(frozen=True)
class Edition:
    """A solution, its language, and the choices that its pages have. ``options`` are those of one format alone."""

    scenario: Scenario
    store: Store
    language: str
    detail: Detail = "lesson"
    words: WordLevel | None = None
    digits: int | None = None
    code: Sequence[str] | None = None
    window: Window = field(default_factory=Window)
    steps: Sequence[str] = ()
    section: str | None = None
    labels: bool = False
    math: str | None = None
    fragment: bool = False
    places: PicturePlaces = field(default_factory=lambda: PicturePlaces("missing"))
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, scenario: Scenario, store: Store, digits: int | None, /, **choices: Unpack[Choices]) -> Edition:
        """The edition of a solution, with what was chosen; choices that are none here are ``options``.

        Raises :class:`~symattn.base.errors.SymattnError` for a language or a mode of pictures that there is not, and
        for too small a part of a matrix.
        """
        told: dict[str, Any] = dict(choices)
        code, steps, section = told.pop("code", None), told.pop("steps", ()), told.pop("section", None)
        figures = told.pop("figures", "missing")
        return cls(
            scenario,
            store,
            language_named(told.pop("language", None) or scenario.language),
            digits=digits,
            code=(code,) if isinstance(code, str) else code,
            window=Window(told.pop("max_rows", 8), told.pop("max_columns", 8)),
            steps=(steps,) if isinstance(steps, str) else steps,
            section=None if section is None else str(section),
            places=figures if isinstance(figures, PicturePlaces) else PicturePlaces(figures),
            **{name: told.pop(name) for name in ("detail", "words", "labels", "math", "fragment") if name in told},
            options=told,
        )

    @cached_property
    def told(self) -> Scenario:
        """The scenario with the tokens and labels of the language."""
        return self.scenario.told_in(self.language)

    @cached_property
    def names(self) -> Names:
        """How the names of the solution are written, and what their rows and columns are called in the language."""
        return scenario_names(self.told)

    def document(self, format: str, language: str | None = None) -> Document:
        """The pages in a language, with the places that pictures have in a format.

        Raises :class:`~symattn.base.errors.SymattnError` for what cannot be made, as
        :func:`~symattn.show.build.build_document` does.
        """
        made = build_document(
            self.scenario,
            self.store,
            language=language or self.language,
            detail=self.detail,
            words=self.words,
            digits=self.digits,
            code=self.code,
            window=self.window,
            steps=self.steps,
            section=self.section,
            labels=self.labels,
            mistakes=self._mistakes,
        )
        return self.places.placed(made, format)

    def _mistakes(self, language: str) -> Mapping[str, str]:
        from symattn.claims.causes import in_words

        return in_words(self.scenario, self.store, language)

    def chosen(self, **choices: Any) -> Edition:
        """The same with other choices."""
        return replace(self, **choices)

    def must_have(self, format: str) -> None:
        """Raise :class:`~symattn.base.errors.RenderError` for an option that the format has not, and
        :class:`~symattn.base.errors.UnknownNameError` for one that no format has."""
        for name, value in self.options.items():
            have = [other for other, each in FILE_FORMATS.items() if name in each.options]
            if not have:
                raise UnknownNameError(
                    unknown("option", name, sorted({o for f in FILE_FORMATS.values() for o in f.options}))
                )
            if value and format not in have:
                raise RenderError(f"format {format} has no {name}: expected {' or '.join(have)}")
