"""The two most common tasks: derive a solution, and render it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from symattn.base.budget import doing, working
from symattn.base.errors import OutputError, RenderError, ScenarioError, cut
from symattn.compute.solution import Solution, Value
from symattn.read.scenario.fields import described
from symattn.read.scenario.load import load
from symattn.read.scenario.model import CarryMode, Scenario
from symattn.show.build import scenario_names
from symattn.show.window import Window

if TYPE_CHECKING:
    from symattn.api.publish.edition import Choices
    from symattn.write.pictures.tikz import ShownPicture


class WorkedValue(Value):
    """A value that displays itself in Jupyter."""

    def __repr__(self) -> str:
        from symattn.api.publish.display import value_text

        return value_text(self.name, self.step.shape)

    def render(self, format: str = "markdown", **choices: Any) -> str:
        """Render this step alone, as text; the choices are those of :meth:`WorkedSolution.render`.

        >>> print(derive("weather")["X"].render(language="en", detail="result").splitlines()[0][:17])
        This part goes on
        """
        assert isinstance(self.solution, WorkedSolution)
        return self.solution.render(format, steps=(self.name,), **choices)

    def _repr_latex_(self) -> str:
        from symattn.api.publish.display import value_tex

        assert isinstance(self.solution, WorkedSolution)
        return value_tex(self.solution.store, scenario_names(self.solution.scenario), self.name)


class WorkedSolution(Solution):
    """A solution with its scenario, which can be rendered."""

    def __init__(self, scenario: Scenario, *, digits: int | None = None, carry: CarryMode | None = None) -> None:
        style = scenario.style
        if digits is not None:
            style = replace(style, decimals=digits, own=())
        if carry is not None:
            style = replace(style, carry=carry)
        super().__init__(scenario.derivation, {name: given.given for name, given in scenario.givens.items()}, style)
        self.scenario, self.store.labels = scenario, scenario.labels
        self.digits = digits

    def __reduce__(self) -> tuple[object, ...]:
        return partial(WorkedSolution, digits=self.digits, carry=self.style.carry), (self.scenario,)

    def __getitem__(self, name: str) -> WorkedValue:
        return WorkedValue(self, self.derivation[name])

    def __repr__(self) -> str:
        names = ", ".join(step.name for step in self.derivation.steps)
        return f"<WorkedSolution {cut(self.scenario.title_in())!r}: {names}>"

    def _repr_markdown_(self) -> str:
        from symattn.api.publish.display import with_images

        return with_images(self.render(figures="inline"))

    def substitute(self, **values: object) -> WorkedSolution:
        """Return a new solution with exact numbers in place of free symbols, in the givens and in the formulas.

        Symbols without a number remain symbols. Numbers are written as in a scenario: ``a="1/2", t=2``.
        """
        from symattn.read.scenario.substitution import put_in

        return WorkedSolution(put_in(self.scenario, values), digits=self.digits, carry=self.style.carry)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The assumptions about the free symbols under which every step has a value: ``("t ≠ 0",)``."""
        return () if self.store.symbolic is None else tuple(map(str, self.store.symbolic.assumptions))

    def render(self, format: str = "markdown", **choices: Unpack[Choices]) -> str:
        """Render the solution, or a part of it, as text; :class:`~symattn.api.publish.edition.Choices` lists the
        choices: ``language``, ``detail``, ``math``, ``fragment``, ``code``, ``max_rows``, ``max_columns``, ``steps``,
        ``section``, ``figures``, ``labels``, and those that only one format has.

        Raises :class:`~symattn.base.errors.RenderError` for labels or an option in a format that has none, for pictures
        in files without a page, and for a format that is not text.

        >>> print(derive("weather").render(language="en").splitlines()[0][:20])
        # Predicting the nex
        """
        from symattn.api.publish.display import MarkdownText

        text = self.published(format, **choices)
        if isinstance(text, bytes):
            raise RenderError(f"format {format} is no text: save(path) writes it, files(path) has it")
        return MarkdownText(text) if format == "markdown" else text

    def published(self, format: str, **choices: Unpack[Choices]) -> str | bytes:
        """Render like :meth:`render`, but also in formats that are not text.

        Raises :class:`~symattn.base.errors.RenderError` as that does.
        """
        from symattn.api.publish.edition import Edition
        from symattn.api.publish.formats import published

        if choices.get("labels") and format != "latex":
            raise RenderError(f"format {format} has no labels of equations to refer to: expected latex")
        if choices.get("figures") == "files":
            raise RenderError(
                "figures='files' puts pictures beside a file: save(path) writes both, files(path) has them"
            )
        return published(Edition.of(self.scenario, self.store, self.digits, **choices), format)

    def figure(
        self, kind: str, *of: str, row: int | None = None, language: str | None = None, max_rows: int = 8
    ) -> ShownPicture:
        """Return a picture of some names: a heatmap, bars, arcs, vectors, a move, waves, or the flow.

        A notebook shows it.

        ``row``, counted from 1, selects one row.

        Raises :class:`~symattn.base.errors.SymattnError` for a picture that cannot be drawn.

        >>> derive("refund").figure("heatmap", "A").svg()[:4]
        '<svg'
        """
        from symattn.read.scenario.items import figure_of
        from symattn.show.pictures.kinds import PictureMaker
        from symattn.write.pictures.tikz import ShownPicture

        item = figure_of(kind, of, row, self.derivation)
        spoken, names = language or self.scenario.language, scenario_names(self.scenario)
        maker = PictureMaker(self.store, names, Window(max_rows), spoken, self.scenario)
        return ShownPicture(maker.picture(item), spoken)

    def files(
        self, path: str | Path, format: str | None = None, *, engine: str | None = None, **choices: Unpack[Choices]
    ) -> dict[Path, str | bytes]:
        """Return the content of the file ``path``, and of files beside it: the pictures of a page of Markdown.

        The format is that of the file's extension, unless it has none. ``choices`` are those of :meth:`render`.

        Raises :class:`~symattn.base.errors.OutputError` for an extension that is not known or asks for another format,
        for an engine where there is no PDF to make, and where it cannot be made.

        >>> [path.as_posix() for path in derive("refund").files("lesson.md")][1:]
        ['lesson-figures/01-flow.svg', 'lesson-figures/02-heatmap-A.svg']
        """
        from symattn.write.endings import PDFS, SOLUTIONS, format_of
        from symattn.write.pdf import pdf_page
        from symattn.write.pictures.svg import PicturePlaces

        target = Path(path)
        written = format_of(target, SOLUTIONS, "solutions", format) or "markdown"
        if engine is not None and written not in PDFS:
            raise OutputError(f"{target}: the engine {engine} makes PDFs: name a file that ends in .pdf")
        places = PicturePlaces("files", f"{target.stem}-figures")
        chosen: Choices = {"figures": places, **choices}
        with working(self.store.budget), doing(f"the {written} file"):  # laying it out is a part of the question
            text = pdf_page(written, engine, partial(self.published, **chosen))
        return {target: text, **{target.parent / places.folder / name: svg for name, svg in places.files.items()}}

    def save(self, path: str | Path, *, engine: str | None = None, **choices: Unpack[Choices]) -> None:
        """Write the solution to a file, in the format of its extension: ``solution.save("lesson.pdf")``.

        ``choices`` are those of :meth:`render`. A PDF needs ``pip install 'symattn[pdf]'``, or a TeX as its ``engine``:
        ``xelatex``, ``lualatex`` or ``pdflatex``.

        Raises :class:`~symattn.base.errors.OutputError` as :meth:`files` does, and where a file cannot be written.
        """
        from symattn.base.files import write_beside

        write_beside(Path(path), self.files(path, engine=engine, **choices))


def derive(
    source: str | Path | Scenario,
    *,
    digits: int | None = None,
    carry: CarryMode | None = None,
    backward: bool | str = False,
    wrt: Sequence[str] = (),
) -> WorkedSolution:
    """Return the solution of a scenario: a built-in name, the path of a TOML file, or a :class:`Scenario`.

    ``backward=True`` adds the gradients of its loss, ``backward="Z"`` those of another step of a single number, with
    respect to the names in ``wrt`` or to all givens.

    Raises :class:`~symattn.base.errors.ScenarioError` for anything else, and :class:`~symattn.base.errors.FormulaError`
    where there is no such gradient.

    >>> solution = derive("weather")
    >>> solution["A"].shape, solution["A"].decimals(6)[1]
    ((3, 3), ('0.500421', '0.499579', '0.000000'))
    >>> from symattn.read.scenario.load import loads
    >>> lesson = loads('title = "t"\\nloss = "X @ X.T"\\n[given]\\nX = [["1", "2"]]')
    >>> derive(lesson, backward=True)["dX"].exact
    Matrix([[2, 4]])
    """
    if not isinstance(source, str | Path | Scenario):
        own = "; a Derivation solves itself: d.solve()" if hasattr(source, "solve") else ""
        wanted = "the name of a built-in scenario, a path that ends in .toml or a Scenario"
        raise ScenarioError(f"derive: expected {wanted}, came {described(source)}{own}")
    if isinstance(wrt, str) or not all(isinstance(name, str) for name in wrt):
        raise ScenarioError(f"derive: wrt: expected names in a list, came {described(wrt)}")
    if wrt and backward is False:
        raise ScenarioError("derive: wrt belongs to backward: backward=True, or the name of the loss")
    scenario = source if isinstance(source, Scenario) else load(source)
    if backward is not False:
        from symattn.read.scenario.build import with_backward

        scenario = with_backward(scenario, "" if backward is True else backward, wrt)
    return WorkedSolution(scenario, digits=digits, carry=carry)
