"""A solution with the options chosen for it: the input of every format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict, Unpack

from symattn.base.errors import RenderError, UnknownNameError, unknown
from symattn.base.remembered import cached_property
from symattn.base.words import language_named
from symattn.compute.solution.store import Store
from symattn.read.scenario.model import AskLevel, Scenario, WordLevel
from symattn.show.blocks import Document
from symattn.show.build import build_document, scenario_names
from symattn.show.notation.formulas import Names
from symattn.show.steps import Detail
from symattn.show.window import Window
from symattn.write.endings import FILE_FORMATS
from symattn.write.pictures.svg import PictureMode, PicturePlaces


class Choices(TypedDict, total=False):
    """The options of a solution's pages. This is the only list of them."""

    language: str | None
    """By default, the language of the scenario."""
    detail: Detail
    words: WordLevel | None
    """How much a page says on its own; by default, what the scenario sets, usually all."""
    asks: AskLevel | None
    """Which questions a page asks; by default, what the scenario sets, usually one in each section."""
    math: str | None
    """The delimiters of formulas in Markdown, such as ``brackets``."""
    fragment: bool
    """Whether to write only the body of a page."""
    code: str | Sequence[str] | None
    """A language, or several such as ``("numpy", "r")``: the solution ends with a complete program in each, with its
    output. By default, what the scenario sets, usually none."""
    max_rows: int
    max_columns: int
    """A larger matrix is shown without its middle."""
    steps: str | Sequence[str]
    """The names of steps: only these are shown."""
    section: str | int | None
    """The number of a section: only this one is shown."""
    figures: PictureMode | PicturePlaces
    """Pages of LaTeX and Typst contain their pictures. In Markdown they are files beside the page, inside it with
    ``"inline"``, or missing."""
    labels: bool
    """Whether the first equation of each step of a LaTeX page gets a number and a label such as ``eq:A``."""
    blank: bool
    """Whether to leave the answers of a spreadsheet empty."""
    frontmatter: str | Sequence[str]
    """The site, and more keys, for the front matter of a page of Markdown."""


@dataclass(frozen=True)
class Edition:
    """A solution, its language, and the options of its pages. ``options`` are those that only some formats have."""

    scenario: Scenario
    store: Store
    language: str
    detail: Detail = "lesson"
    words: WordLevel | None = None
    asks: AskLevel | None = None
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
        """Return the edition of a solution with these choices; those without a field here become its ``options``.

        Raises :class:`~symattn.base.errors.SymattnError` for an unknown language or mode of pictures, and for a window
        that shows fewer than two rows or columns.
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
            **{
                name: told.pop(name)
                for name in ("detail", "words", "asks", "labels", "math", "fragment")
                if name in told
            },
            options=told,
        )

    @cached_property
    def told(self) -> Scenario:
        """The scenario with the tokens and labels of the language."""
        return self.scenario.told_in(self.language)

    @cached_property
    def names(self) -> Names:
        """The notation of the solution's names, and the labels of their rows and columns in the language."""
        return scenario_names(self.told)

    def document(self, format: str, language: str | None = None) -> Document:
        """Return the pages in a language, with pictures placed as a format needs them.

        Raises :class:`~symattn.base.errors.SymattnError` for pages that cannot be made, as
        :func:`~symattn.show.build.build_document` does.
        """
        made = build_document(
            self.scenario,
            self.store,
            language=language or self.language,
            detail=self.detail,
            words=self.words,
            asks=self.asks,
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
        """Return a copy with other choices."""
        return replace(self, **choices)

    def must_have(self, format: str) -> None:
        """Raise :class:`~symattn.base.errors.RenderError` for an option that the format does not have, and
        :class:`~symattn.base.errors.UnknownNameError` for one that no format has."""
        for name, value in self.options.items():
            have = [other for other, each in FILE_FORMATS.items() if name in each.options]
            if not have:
                raise UnknownNameError(
                    unknown("option", name, sorted({o for f in FILE_FORMATS.values() for o in f.options}))
                )
            if value and format not in have:
                raise RenderError(f"format {format} has no {name}: expected {' or '.join(have)}")
